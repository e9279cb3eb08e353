"""`exactdp sample` and `exactdp learn`: their options, and what they print and write.

The guarantee is printed before anything is released; nothing is when the accuracy that was asked for is not shown.
Exit codes: 0 an answer, 2 bad input, 3 no answer.
"""

import argparse
import json
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from exactdp.reference.classes import LawClass
from exactdp.reference.parameters import probability
from exactdp.reference.sampling import Sampling
from exactdp.spec.claim import Claim, Kind
from exactdp.spec.enclosure import decimal
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.verify.guarantee import (
    AGNOSTIC,
    ALGORITHMS,
    BOUND,
    EXACT,
    ONE,
    SAMPLER,
    Accuracy,
    Plan,
    accuracies,
    rounded_up,
)
from exactdp.verify.learn import (
    METHODS,
    RELEASES,
    THEOREMS,
    Released,
    Settings,
    allowed,
    answer,
    bottlenecks,
    check_enough,
    is_asked,
    missed,
    plan_of,
    public_class,
    smallest_gap,
)
from exactdp.verify.loading import check_different, check_writable
from exactdp.verify.plots import plot_bars
from exactdp.verify.records import count_records, read_records, write_records
from exactdp.verify.results import Json, claim_json, counted, number_json, printable, short, shown

PICTURES = (".png", ".svg", ".pdf")
NOT_WRITTEN = 2
"""The exit code when a file cannot be written."""
LINES_AT_MOST, WIDTH = 20, 100
"""How many laws are listed with their accuracy, and how wide a sample is printed."""
PRIVACY = "privacy    "
KNOWN_RANDOMNESS = "--seed makes the randomness known"
WITH_VALUES = ("--default", "--other", "--alpha", "--beta", "--length", "--blocks", "--block-size", "--repetitions")
"""Options whose value may begin with a minus sign."""

NOTES = """The class file is public and gives the domain: nothing is read from the data but the records themselves. A
record outside the domain is mapped to the symbol of --other; without one the command refuses before anything is
released. That refusal, and any other about a row of the data, depends on the data: it reveals that there is such a
record. The number of records is public. Neighbours differ in one record.

Without --paper the sizes are yours, and the guarantee is computed and printed first: the exact delta at epsilon, and
for every law p of the class the failure probability for independent records of p, from the exact law of the answer or,
where that is out of reach, as a certified upper bound. When the accuracy that was asked for is not shown, nothing is
released, unless --anyway is given.

Every run spends epsilon and delta again: two runs on the same data are (2 epsilon, 2 delta)-private together. --dry-run
spends nothing: it prints the guarantee and releases nothing, and the records are only counted. So choose sizes with
--dry-run, and then run once:

  1. --blocks: enough for the lead that the mode needs (it is printed), and for blocks that learn another law.
  2. --block-size: so large that nearly every block learns the same law. Blocks times block size (times repetitions) is
     the number of records that are used.
  3. --length, for learn: so many private records that the estimate from them is as accurate as asked. They cost no
     records, only time.

With --paper the theorem sets them. Theorems 5.1, 6.1 and C.2 (learn) ask for epsilon < 1; Corollary B.7 (sample) holds
for every epsilon > 0.

exit codes: 0 an answer, 2 bad input (or an answer that is printed, and a file that could not be written), 3 the
algorithm declined to answer, or the accuracy is not shown and nothing was released. With --dry-run: 0 the accuracy is
shown as asked (or none was asked for), 2 bad input, 3 it is not shown"""

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
    command.add_argument("--csv", metavar="FILE", help="write the synthetic records as CSV, under the same column name")
    command.set_defaults(run=run_sample)


def add_learn(command: argparse.ArgumentParser) -> None:
    """The options of `exactdp learn`."""
    _add_common(command)
    add = command.add_argument
    add("--algorithm", required=True, choices=ALGORITHMS, help="Algorithm 3, 4 or 7 of the paper")
    add("--alpha", required=True, metavar="A", help="the accuracy: an estimate closer than A in total variation")
    add("--beta", required=True, metavar="B", help="the failure probability that is allowed")
    add("--length", type=int, metavar="L", help="private records the estimate is learnt from (default: the block size)")
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
    add(
        "--default",
        metavar="V,V,...",
        help="stands for a declined sample (agnostic: record; by default the first of the domain)",
    )
    add("--other", metavar="SYMBOL", help="a value of the domain that stands for every value outside it")
    add("--dry-run", action="store_true", help="print the guarantee and release nothing; this spends no privacy")
    add("--anyway", action="store_true", help="release although the accuracy that was asked for is not shown")
    add("--seed", metavar="TEXT", help="for demonstrations only: a repeatable run, which is NOT private")
    add("--json", metavar="FILE", help="write the result as JSON")


# -- running ----------------------------------------------------------------------------------------------------------


def run_sample(arguments: argparse.Namespace) -> int:
    """`exactdp sample`; returns the exit code."""
    return _run(arguments, _settings(arguments, SAMPLER))


def run_learn(arguments: argparse.Namespace) -> int:
    """`exactdp learn`; returns the exit code."""
    return _run(arguments, _settings(arguments, arguments.algorithm))


def _settings(arguments: argparse.Namespace, algorithm: str) -> Settings:
    names = [field.name for field in fields(Settings) if field.name != "algorithm"]
    given: dict[str, Any] = {name: getattr(arguments, name, None) for name in names}
    return Settings(algorithm, **given)


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    outputs = _outputs(arguments)
    if arguments.dry_run and arguments.anyway:
        raise InvalidArgument("--anyway", True, "no --anyway beside --dry-run, which releases nothing")
    laws = public_class(arguments.class_file, arguments.other)
    found = _released(arguments, settings, laws)
    _say(_result_lines(found))
    try:
        _write(found, arguments.column, outputs)
    except (OSError, ValueError) as error:  # What is released stands printed.
        reason = error.strerror if isinstance(error, OSError) else error
        sys.stderr.write(f"exactdp {arguments.command}: a file was not written: {printable(str(reason))}\n")
        return NOT_WRITTEN
    return found.code


def _write(found: Released, column: str, outputs: Mapping[str, Path | None]) -> None:
    laws, answered = found.plan.laws, found.answer
    if (target := outputs["--json"]) is not None:
        target.write_text(json.dumps(result_json(found), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if (table := outputs["--csv"]) is not None and isinstance(answered, tuple):
        write_records(table, column, answered)
    if (picture := outputs["--plot"]) is not None and isinstance(answered, Law):
        title = printable(f"estimate of {column}: {_name(laws, answered)}").replace("$", r"\$")
        plot_bars(answered, laws.domain, title, picture)


def _outputs(arguments: argparse.Namespace) -> dict[str, Path | None]:
    """The files to write, which can be written to and are none of those that are read."""
    outputs = {
        "--json": check_writable("--json", arguments.json),
        "--csv": check_writable("--csv", getattr(arguments, "csv", None)),
        "--plot": check_writable("--plot", getattr(arguments, "plot", None), PICTURES),
    }
    check_different({"DATA.csv": Path(arguments.data), "--class": Path(arguments.class_file), **outputs})
    return outputs


def _released(arguments: argparse.Namespace, settings: Settings, laws: LawClass) -> Released:
    """The run up to what it releases; the guarantee is printed before that."""
    dry = arguments.dry_run
    with _waiting("working out the sizes"):
        plan = plan_of(settings, laws)
    records = [] if dry else read_records(arguments.data, arguments.column, laws)
    given = count_records(arguments.data, arguments.column) if dry else len(records)
    check_enough(plan, given, arguments.data)
    draw = Sampling() if arguments.seed is None else Sampling.seeded(arguments.seed)
    with _waiting("working out the guarantee"):
        known = accuracies(plan)
        lines = _guarantee_lines(plan, settings, f"{arguments.data}, column {arguments.column}", given, known)
    _say(lines if draw.private else _not_private(lines))
    withheld = dry or (missed(plan, settings, known) and not arguments.anyway)
    released = None if withheld else answer(plan, records, draw)
    return Released(plan, settings, given, known, draw.private, dry, released)


@contextmanager
def _waiting(what: str) -> Iterator[None]:
    """Says on a terminal what takes so long, and wipes it away."""
    shown = sys.stderr.isatty()
    if shown:
        sys.stderr.write(f"{what} ...")
        sys.stderr.flush()
    try:
        yield
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")


def _say(lines: Sequence[str]) -> None:
    """Prints the lines at once, so that the guarantee is seen before the release; it can print every character."""
    text = "\n".join(map(printable, lines)) + "\n"
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


# -- text -------------------------------------------------------------------------------------------------------------


def _guarantee_lines(plan: Plan, settings: Settings, source: str, given: int, known: Sequence[Accuracy]) -> list[str]:
    laws, curve = plan.laws, plan.mode.curve
    runs = f"{plan.runs} runs of " if plan.runs > 1 else ""
    by = f" ({THEOREMS[plan.algorithm]})" if settings.paper else ""
    blocks = f"{runs}{counted(plan.blocks, 'block')} of {counted(plan.block_size, 'record')}"
    claimed = f"({curve.epsilon}, {short(probability('delta', settings.delta))})-differentially private"
    lines = [
        f"data       {source}: {counted(given, 'record')}, of which {plan.records} are used",
        f"class      {laws.name}: {counted(len(laws), 'law')} on {counted(len(laws.domain), 'value')}",
        f"algorithm  {plan.algorithm}, learner: {plan.method.learner.name}, release: {curve.name}",
        f"sizes      {blocks}, samples of {plan.length}{by}",
        *_gap_lines(plan),
        *_default_lines(plan),
        f"{PRIVACY}{claimed} for one changed record",
        f"           exact delta of the release at epsilon: {shown(plan.delta)}",
        f"accuracy   {_event(plan)}, for independent records of each law p of the class:",
        *_accuracy_lines(known),
    ]
    if is_asked(settings):
        lines += _promise(plan, settings, known)
    return [*lines, ""]


def _not_private(lines: Iterable[str]) -> list[str]:
    """The same lines of a run whose randomness is known: what is said of privacy is said of a run without a seed."""
    warning = f"{PRIVACY}NOT PRIVATE: {KNOWN_RANDOMNESS}; never use it on data that matter"
    changed: list[str] = []
    for line in lines:
        is_privacy = line.startswith(PRIVACY)
        changed += [warning, f"           without --seed: {line.removeprefix(PRIVACY)}"] if is_privacy else [line]
    return changed


def _gap_lines(plan: Plan) -> list[str]:
    """How clearly blocks must agree for an answer; that no answer can be expected, when there are too few of them."""
    k, curve, gap = plan.blocks, plan.mode.curve, smallest_gap(plan)
    if gap is None:
        return []
    if gap <= k:
        rarely = f"except with probability {short(curve.claimed)}"
        return [
            f"           the mode is released {rarely} when it leads by at least {gap} of the {counted(k, 'block')}"
        ]
    agreed = curve[(k + 1) // 2]
    answer_is = "no answer" if plan.mode.default is BOTTOM else "no answer but the default"
    expected = f"{answer_is} can be expected" if 2 * agreed < 1 else "an answer is not sure"
    told = f"is released with probability {decimal(agreed, 4)} when all agree"
    return [f"           {expected}: the mode should lead by {gap} of the {counted(k, 'block')}, and {told}"]


def _default_lines(plan: Plan) -> list[str]:
    """What stands for no answer, where something does."""
    default = plan.mode.default
    if not isinstance(default, tuple):
        return []
    what = "a record that is declined" if plan.algorithm == AGNOSTIC else "a sample that is declined"
    return [f"default    {', '.join(map(str, default))} in place of {what} (--default)"]


def _accuracy_lines(known: Sequence[Accuracy]) -> list[str]:
    """A line for each law; of many laws, those with the largest bounds."""
    listed = known
    if len(known) > LINES_AT_MOST:
        listed = sorted(known, key=lambda one: one.bounds.high, reverse=True)[:LINES_AT_MOST]
    width, more = max(len(one.name) for one in listed), len(known) - len(listed)
    lines = [f"    {one.name:{width}}  {range_text(one)}" for one in listed]
    return lines + ([f"    and {counted(more, 'law')} more, for which it is no larger"] if more else [])


def _event(plan: Plan) -> str:
    if plan.algorithm == SAMPLER:
        return f"distance of the sample's law from p^{plan.length}"
    relation = ">" if plan.algorithm == "agnostic" else ">="
    return f"probability that TV(estimate, p) {relation} {short(plan.alpha)}"


def _promise(plan: Plan, settings: Settings, known: Sequence[Accuracy]) -> list[str]:
    most, failed = allowed(plan, settings), missed(plan, settings, known)
    if not failed:
        return [f"           at most {short(most)} for every law, as asked"]
    worst = max(failed, key=lambda one: one.bounds.high)
    return [
        f"           NOT shown to be at most {short(most)} for {len(failed)} of {counted(len(known), 'law')}",
        *(f"           {line}" for line in _advice(plan, worst, most)),
    ]


def _advice(plan: Plan, worst: Accuracy, allowed: Fraction) -> list[str]:
    """Which sizes stand in the way, and why."""
    p, k = worst.name, plan.blocks
    why = {
        "--blocks": f"though all {k} blocks agree, the release fails with probability {{}}",
        "--block-size": f"a block from {p} may learn another law with probability {{}}",
        "--length": f"from {counted(plan.length, 'record')} of {p} the estimate may miss with probability {{}}",
        "--repetitions": f"with {counted(plan.runs, 'run')} each of which may miss {p} with probability {{}}",
    }
    if plan.algorithm == AGNOSTIC:
        why["--repetitions"] = f"from {counted(plan.runs, 'record')} of {p} the estimate may miss with probability {{}}"
    return [
        f"a larger {option} may help: {why[option].format(decimal_above(rounded_up(min(ONE, found))))}"
        for option, found in bottlenecks(plan, p, allowed).items()
    ]


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


def _result_lines(found: Released) -> list[str]:
    if found.dry:
        return ["dry run: nothing is released, and no epsilon or delta is spent"]
    if found.answer is None:
        return ["nothing is released: the accuracy that was asked for is not shown; --anyway releases all the same"]
    if isinstance(found.answer, tuple):
        return _sample_lines(found.answer)
    return _estimate_lines(found.plan.laws, found.answer) if isinstance(found.answer, Law) else [_declined()]


def _sample_lines(sample: Iterable[object]) -> list[str]:
    """The records, as many in a line as there is room for."""
    lines = ["sample     "]
    for word in map(str, sample):
        if lines[-1].endswith(", ") and len(lines[-1]) + len(word) > WIDTH:
            lines.append(" " * 11)
        lines[-1] += word + ", "
    return [line.rstrip() for line in [*lines[:-1], lines[-1].removesuffix(", ")]]


def _estimate_lines(laws: LawClass, estimate: Law) -> list[str]:
    width = max(len(str(y)) for y in laws.domain)
    lines = [f"estimate   {_name(laws, estimate)}"]
    return lines + [f"    {y!s:{width}}  {shown(estimate[y])}" for y in laws.domain]


def _declined() -> str:
    return "no answer: the blocks did not agree clearly enough to say anything privately"


def _name(laws: LawClass, law: Law) -> str:
    return laws.name_of(law) if law in laws.members else "a law outside the class"


# -- JSON -------------------------------------------------------------------------------------------------------------


def result_json(found: Released) -> Json:
    """The result in the shape that all results share, with what samples and estimates add."""
    plan, settings, default = found.plan, found.settings, found.plan.mode.default
    claims = _claims(plan, settings, found.accuracies)
    return {
        **_verdict(found, claims),
        "claims": [claim_json(claim) for claim in claims],
        "witness": None,
        "algorithm": plan.algorithm,
        "learner": plan.method.learner.name,
        "release": plan.mode.curve.name,
        "private": found.private,
        "records": {"given": found.given, "used": plan.records},
        "sizes": {"blocks": plan.blocks, "block_size": plan.block_size, "length": plan.length, "runs": plan.runs},
        "smallest_gap": smallest_gap(plan),
        "default": [_json_value(y) for y in default] if isinstance(default, tuple) else None,
        "epsilon": str(plan.mode.curve.epsilon),
        "delta_at_epsilon": number_json(plan.delta),
        "accuracy": [_accuracy_json(one) for one in found.accuracies],
        "released": found.answer is not None,
        "answered": isinstance(found.answer, tuple | Law),
        **_answer_json(plan.laws, found.answer),
    }


def _claims(plan: Plan, settings: Settings, known: Sequence[Accuracy]) -> list[Claim]:
    claims = [Claim("delta at epsilon", plan.delta, "<=", probability("delta", settings.delta))]
    if not is_asked(settings):
        return claims
    most = allowed(plan, settings)
    return claims + [Claim(f"{_event(plan)}, p = {one.name}", one.bounds.high, "<=", most) for one in known]


def _verdict(found: Released, claims: Sequence[Claim]) -> Json:
    """Holds if all claims do; refuted if an exact failure probability is above what was asked. No seeded run holds."""
    if not found.private:
        return {"verdict": str(Kind.UNDECIDED), "reason": f"{KNOWN_RANDOMNESS}, so the run is not private"}
    if all(claim.holds for claim in claims):
        return {"verdict": str(Kind.HOLDS), "reason": ""}
    most = allowed(found.plan, found.settings)
    if any(one.bounds.low > most for one in found.accuracies):
        return {"verdict": str(Kind.REFUTED), "reason": ""}
    return {"verdict": str(Kind.UNDECIDED), "reason": "the accuracy that was asked for is not shown"}


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
