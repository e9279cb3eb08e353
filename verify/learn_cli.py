"""`exactdp sample` and `exactdp learn`: their options, and what they print and write.

The guarantee is printed before anything is released. Exit codes: 0 an answer, 2 bad input, 3 the algorithm declined.
"""

import argparse
import json
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

from exactdp.reference.class_files import read_class
from exactdp.reference.classes import LawClass
from exactdp.reference.parameters import probability
from exactdp.reference.sampling import Sampling
from exactdp.spec.claim import Claim, Kind
from exactdp.spec.enclosure import decimal
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.verify.guarantee import ALGORITHMS, BOUND, EXACT, SAMPLER, Accuracy, Plan, accuracies, rounded_up
from exactdp.verify.learn import METHODS, RELEASES, THEOREMS, Settings, answer, check_enough, plan_of
from exactdp.verify.loading import check_different, check_writable
from exactdp.verify.plots import plot_bars
from exactdp.verify.records import read_records
from exactdp.verify.results import Json, claim_json, number_json, short, shown

PICTURES = (".png", ".svg", ".pdf")
NO_ANSWER = 3
WITH_VALUES = ("--default", "--other", "--alpha", "--beta", "--length", "--blocks", "--block-size", "--repetitions")
"""Options whose value may begin with a minus sign."""

NOTES = """The class file is public and gives the domain: nothing is read from the data but the records themselves. A
record outside the domain is mapped to the symbol of --other; without one the command refuses before anything is
released. That refusal, and any other about a row of the data, depends on the data: it reveals that there is such a
record. The number of records is public. Neighbours differ in one record.

Without --paper the sizes are yours, and the guarantee is computed and printed first: the exact delta at epsilon, and
for every law p of the class the failure probability for independent records of p, from the exact law of the answer or,
where that is out of reach, as a certified upper bound.

exit codes: 0 an answer, 2 bad input, 3 the algorithm declined to answer"""

SAMPLE = f"""examples, in the folder of the project:
  $ exactdp sample examples/penguins.csv --column sex --class examples/sex.json --epsilon 1 --delta 1/1000 \\
        --release optimal --blocks 43 --block-size 8 --length 10
  $ exactdp sample examples/weldon_dice.csv --column successes --class examples/faces.json --epsilon 1/2 \\
        --delta 1e-5 --paper --beta 1/10

{NOTES}"""

LEARN = f"""examples, in the folder of the project:
  $ exactdp learn examples/weldon_dice.csv --column successes --class examples/dice.json --algorithm black-box \\
        --alpha 1/20 --beta 1/1000 --epsilon 1 --delta 1e-6 --blocks 200 --block-size 131 --length 1000
  $ exactdp learn examples/weldon_dice.csv --column successes --class examples/faces.json --algorithm black-box \\
        --alpha 1/10 --beta 1/10 --epsilon 1/2 --delta 1e-5 --paper

{NOTES}"""


# -- options ----------------------------------------------------------------------------------------------------------


def add_sample(command: argparse.ArgumentParser) -> None:
    """The options of `exactdp sample`."""
    _add_common(command)
    command.add_argument("--beta", metavar="B", help="with --paper: the sample's law is within 3B/4 of p^L")
    command.add_argument("--length", type=int, metavar="L", help="how many synthetic records (default 1)")
    command.set_defaults(run=run_sample)


def add_learn(command: argparse.ArgumentParser) -> None:
    """The options of `exactdp learn`."""
    _add_common(command)
    add = command.add_argument
    add("--algorithm", required=True, choices=ALGORITHMS, help="Algorithm 3, 4 or 7 of the paper")
    add("--alpha", required=True, metavar="A", help="the accuracy: an estimate closer than A in total variation")
    add("--beta", required=True, metavar="B", help="the failure probability that is allowed")
    add("--length", type=int, metavar="L", help="how many private records the estimate is learnt from")
    add("--repetitions", type=int, metavar="T", help="runs on parts of the data, for boosted and agnostic")
    add("--plot", metavar="FILE", help="draw the estimate as bars: " + ", ".join(PICTURES))
    command.set_defaults(run=run_learn)


def _add_common(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("data", metavar="DATA.csv", help="a CSV file with a header; one column of it is read")
    add("--column", required=True, metavar="C", help="the column of the records")
    add("--class", required=True, dest="class_file", metavar="FILE", help="the class of laws and its domain, in JSON")
    add("--epsilon", required=True, metavar="E", help="such as 1/2, 0.1 or ln(2)")
    add("--delta", required=True, metavar="D", help="such as 1e-6; far below 1 over the number of records")
    add("--paper", action="store_true", help="the sizes of the theorem, which guarantee alpha and beta")
    add("--blocks", type=int, metavar="K", help="how many blocks the records (of one run) are dealt into")
    add("--block-size", type=int, metavar="B", help="how many records a block has")
    add("--learner", choices=tuple(METHODS), metavar="NAME", help=", ".join(METHODS) + " (ml; mde for agnostic)")
    add(
        "--release", default="noisy", metavar="NAME", help=", ".join(RELEASES) + " (default noisy): when a mode is told"
    )
    add("--default", metavar="V,V,...", help="records that stand for no answer, fixed before the data")
    add("--other", metavar="SYMBOL", help="a value of the domain that stands for every value outside it")
    add("--seed", metavar="TEXT", help="for demonstrations only: a repeatable run, which is NOT private")
    add("--json", metavar="FILE", help="write the result as JSON")


# -- running ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Released:
    """A run from beginning to end: the plan, what it guarantees, and what was released."""

    plan: Plan
    settings: Settings
    given: int
    accuracies: Sequence[Accuracy]
    private: bool
    answer: object
    seconds: float


def run_sample(arguments: argparse.Namespace) -> int:
    """`exactdp sample`; returns the exit code."""
    found = _run(arguments, _settings(arguments, SAMPLER))
    _say(_sample_lines(found))
    return 0 if isinstance(found.answer, tuple) else NO_ANSWER


def run_learn(arguments: argparse.Namespace) -> int:
    """`exactdp learn`; returns the exit code."""
    found = _run(arguments, _settings(arguments, arguments.algorithm))
    _say(_estimate_lines(found))
    return 0 if isinstance(found.answer, Law) else NO_ANSWER


def _settings(arguments: argparse.Namespace, algorithm: str) -> Settings:
    names = [field.name for field in fields(Settings) if field.name != "algorithm"]
    given: dict[str, Any] = {name: getattr(arguments, name, None) for name in names}
    return Settings(algorithm, **given)


def _run(arguments: argparse.Namespace, settings: Settings) -> Released:
    start = perf_counter()
    target = check_writable("--json", arguments.json)
    picture = check_writable("--plot", getattr(arguments, "plot", None), PICTURES)
    inputs = {"DATA.csv": Path(arguments.data), "--class": Path(arguments.class_file)}
    check_different({**inputs, "--json": target, "--plot": picture})
    laws = _with_other(read_class(arguments.class_file), arguments.other)
    plan = plan_of(settings, laws)
    records = read_records(arguments.data, arguments.column, laws)
    check_enough(plan, records, arguments.data)
    draw = Sampling() if arguments.seed is None else Sampling.seeded(arguments.seed)
    known = accuracies(plan)
    _say(_guarantee_lines(plan, settings, f"{arguments.data}, column {arguments.column}", len(records), known))
    if not draw.private:
        _say(["NOT PRIVATE: --seed makes the randomness known; never use it on data that matter", ""])
    released = answer(plan, records, draw)
    found = Released(plan, settings, len(records), known, draw.private, released, perf_counter() - start)
    if target is not None:
        target.write_text(json.dumps(result_json(found), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if picture is not None and isinstance(released, Law):
        plot_bars(released, laws.domain, f"estimate of {arguments.column}: {_name(laws, released)}", picture)
    return found


def _say(lines: Sequence[str]) -> None:
    """Prints the lines at once, so that the guarantee is seen before the release."""
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _with_other(laws: LawClass, symbol: str | None) -> LawClass:
    """The class with another symbol for what is outside its domain."""
    if symbol is None:
        return laws
    written = {str(y): y for y in laws.domain}
    if symbol not in written:
        raise InvalidArgument("--other", symbol, f"a value of the domain: {', '.join(written)}")
    return replace(laws, other=written[symbol])


# -- text -------------------------------------------------------------------------------------------------------------


def _guarantee_lines(plan: Plan, settings: Settings, source: str, given: int, known: Sequence[Accuracy]) -> list[str]:
    laws, curve = plan.laws, plan.mode.curve
    runs = f"{plan.runs} runs of " if plan.runs > 1 else ""
    by = f" ({THEOREMS[plan.algorithm]})" if settings.paper else ""
    claimed = f"({curve.epsilon}, {short(probability('delta', settings.delta))})-differentially private"
    lines = [
        f"data       {source}: {given} records, of which {plan.records} are used",
        f"class      {laws.name}: {len(laws)} laws on {len(laws.domain)} values",
        f"algorithm  {plan.algorithm}, learner: {plan.method.learner.name}, release: {curve.name}",
        f"sizes      {runs}{plan.blocks} blocks of {plan.block_size} records, samples of {plan.length}{by}",
        f"privacy    {claimed} for one changed record",
        f"           exact delta of the release at epsilon: {shown(plan.delta)}",
        f"accuracy   {_event(plan)}, for independent records of each law p of the class:",
    ]
    width = max(len(one.name) for one in known)
    lines += [f"    {one.name:{width}}  {range_text(one)}" for one in known]
    if settings.beta is not None:
        lines.append(_promise(plan, settings, known))
    return [*lines, ""]


def _event(plan: Plan) -> str:
    if plan.algorithm == SAMPLER:
        return f"distance of the sample's law from p^{plan.length}"
    relation = ">" if plan.algorithm == "agnostic" else ">="
    return f"probability that TV(estimate, p) {relation} {short(plan.alpha)}"


def _promise(plan: Plan, settings: Settings, known: Sequence[Accuracy]) -> str:
    allowed = _allowed(plan, settings)
    missed = sum(one.bounds.high > allowed for one in known)
    if not missed:
        return f"           at most {short(allowed)} for every law, as asked"
    return f"           NOT shown to be at most {short(allowed)} for {missed} of {len(known)} laws"


def _allowed(plan: Plan, settings: Settings) -> Fraction:
    """What the accuracy was asked to be: beta, or the distance that Corollary B.7 promises."""
    asked = plan.promised if settings.paper else probability("beta", settings.beta or "")
    assert isinstance(asked, Fraction), "what is written on a command line is rational"
    return asked


def range_text(accuracy: Accuracy) -> str:
    """The range in decimals that keep it true, and where it comes from."""
    low, high = accuracy.bounds.low, accuracy.bounds.high
    if accuracy.source == EXACT and decimal(low, 6) == decimal(high, 6):
        return f"{decimal(high, 6)} (from the exact law)"
    source = {EXACT: "from the exact law", BOUND: "certified bound"}.get(accuracy.source, "by the theorem")
    return f"at most {decimal_above(rounded_up(high))} ({source})" if high < 1 else "no bound below 1"


def decimal_above(number: Fraction, digits: int = 3) -> str:
    """The number to so many digits, rounded up.

    >>> decimal_above(Fraction(1, 3)), decimal_above(Fraction(1, 10**9))
    ('0.334', '1e-9')
    """
    context = Context(prec=digits, rounding=ROUND_CEILING)
    above = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return decimal(Fraction(above), digits)


def _sample_lines(found: Released) -> list[str]:
    if not isinstance(found.answer, tuple):
        return [_declined()]
    return [f"sample     {', '.join(map(str, found.answer))}"]


def _estimate_lines(found: Released) -> list[str]:
    if not isinstance(found.answer, Law):
        return [_declined()]
    laws = found.plan.laws
    width = max(len(str(y)) for y in laws.domain)
    lines = [f"estimate   {_name(laws, found.answer)}"]
    return lines + [f"    {y!s:{width}}  {shown(found.answer[y])}" for y in laws.domain]


def _declined() -> str:
    return "no answer: the blocks did not agree clearly enough to say anything privately"


def _name(laws: LawClass, law: Law) -> str:
    return laws.name_of(law) if law in laws.members else "a law outside the class"


# -- JSON -------------------------------------------------------------------------------------------------------------


def result_json(found: Released) -> Json:
    """The result in the shape that all results share, with what samples and estimates add."""
    plan, settings = found.plan, found.settings
    claims = _claims(plan, settings, found.accuracies)
    return {
        "verdict": _verdict(found, claims),
        "claims": [claim_json(claim) for claim in claims],
        "witness": None,
        "seconds": round(found.seconds, 3),
        "algorithm": plan.algorithm,
        "learner": plan.method.learner.name,
        "release": plan.mode.curve.name,
        "private": found.private,
        "records": {"given": found.given, "used": plan.records},
        "sizes": {"blocks": plan.blocks, "block_size": plan.block_size, "length": plan.length, "runs": plan.runs},
        "epsilon": str(plan.mode.curve.epsilon),
        "delta_at_epsilon": number_json(plan.delta),
        "accuracy": [_accuracy_json(one) for one in found.accuracies],
        "answered": found.answer is not BOTTOM,
        **_answer_json(plan.laws, found.answer),
    }


def _claims(plan: Plan, settings: Settings, known: Sequence[Accuracy]) -> list[Claim]:
    claims = [Claim("delta at epsilon", plan.delta, "<=", probability("delta", settings.delta))]
    if settings.beta is None:
        return claims
    allowed = _allowed(plan, settings)
    return claims + [Claim(f"{_event(plan)}, p = {one.name}", one.bounds.high, "<=", allowed) for one in known]


def _verdict(found: Released, claims: Sequence[Claim]) -> str:
    """Holds if all claims do; refuted if an exact failure probability is above what was asked."""
    if all(claim.holds for claim in claims):
        return str(Kind.HOLDS)
    allowed = _allowed(found.plan, found.settings)
    return str(Kind.REFUTED if any(one.bounds.low > allowed for one in found.accuracies) else Kind.UNDECIDED)


def _accuracy_json(accuracy: Accuracy) -> Json:
    ends = {"low": number_json(accuracy.bounds.low), "high": number_json(accuracy.bounds.high)}
    return {"law": accuracy.name, **ends, "source": accuracy.source}


def _answer_json(laws: LawClass, released: object) -> Json:
    if isinstance(released, Law):
        masses: list[Json] = [{"value": _json_value(y), **number_json(released[y])} for y in laws.domain]
        return {"estimate": {"name": _name(laws, released), "masses": masses}}
    return {"sample": [_json_value(y) for y in released]} if isinstance(released, tuple) else {}


def _json_value(value: Hashable) -> object:
    return value if type(value) in (str, int) else str(value)
