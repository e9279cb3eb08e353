"""The work of `exactdp sample` and `exactdp learn`: from settings to a plan, from a plan and records to an answer.

A plan is made from public things alone: the class, the settings, and with `--paper` the sizes of the theorem at a
certified sample complexity of the learner. Its guarantee is known before the data are used. Paper: Algorithms 2, 3, 4
and 7.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from exactdp.reference.agnostic import agnostic_private_learner
from exactdp.reference.boosted import boosted_learner
from exactdp.reference.class_files import read_class
from exactdp.reference.classes import LawClass
from exactdp.reference.couple import Draw
from exactdp.reference.estimators import minimum_distance
from exactdp.reference.learners import Block, Learner, empirical, first_record, maximum_likelihood, smoothed
from exactdp.reference.mode import StabilityBasedMode, curve_named
from exactdp.reference.parameters import (
    SampleComplexity,
    agnostic_parameters,
    black_box_parameters,
    boosted_parameters,
    probability,
    sampler_parameters,
    small,
)
from exactdp.reference.private_learner import black_box_private_learner
from exactdp.reference.sample_complexity import Tail, likelihood_tail
from exactdp.reference.sampler import sampler
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exp
from exactdp.spec.thresholds import least_integer_at_least_log
from exactdp.verify.guarantee import (
    AGNOSTIC,
    BLACK_BOX,
    BOOSTED,
    SAMPLER,
    WORK,
    Accuracy,
    Enumerated,
    FirstRecord,
    Likelihood,
    Method,
    Nearest,
    Plan,
    Statistic,
    release_failure,
    rounded_down,
    share,
)
from exactdp.verify.results import counted

RELEASES = {"noisy": "noisy threshold", "randomised": "randomised threshold", "optimal": "optimal release"}
BOOSTED_PART = Fraction(1, 8)
"""How often a boosted run may fail for want of blocks, and for want of records to learn from."""
LENGTH_AT_MOST, EPSILON_AT_MOST, COMPARISONS_AT_MOST = 1_000_000, 1_000, 2_000_000
"""What is taken from a command line; more takes minutes, and more of epsilon says nothing."""
NO_ANSWER = 3
"""The exit code without an answer."""
THEOREMS = {SAMPLER: "Corollary B.7", BLACK_BOX: "Theorem 5.1", BOOSTED: "Theorem 6.1", AGNOSTIC: "Theorem C.2"}


@dataclass(frozen=True)
class Settings:
    """What a command line asks for, as it was written; None is what was not given."""

    algorithm: str
    epsilon: str
    delta: str
    alpha: str | None = None
    beta: str | None = None
    learner: str | None = None
    release: str = "noisy"
    paper: bool = False
    blocks: int | None = None
    block_size: int | None = None
    length: int | None = None
    repetitions: int | None = None
    default: str | None = None


class Missing(InvalidArgument):
    """An option that has to be given; its value is None."""

    def __str__(self) -> str:
        return f"{self.argument}: missing; expected {self.expected}"


def public_class(path: str, other: str | None) -> LawClass:
    """The class in a file, by whose name it is called if it has none; `other` is the symbol for what is outside.

    Raises `InvalidArgument`.
    """
    laws = read_class(path)
    if laws.name == LawClass.name:
        laws = replace(laws, name=Path(path).name)
    if other is None:
        return laws
    written = {str(y): y for y in laws.domain}
    if other not in written:
        raise InvalidArgument("--other", other, f"a value of the domain: {', '.join(written)}")
    return replace(laws, other=written[other])


# -- learners ---------------------------------------------------------------------------------------------------------


def _by_likelihood(laws: LawClass) -> Method:
    statistic = Statistic.of(laws)
    if statistic is not None:
        return Likelihood(laws, statistic)
    learner = maximum_likelihood(laws.members)

    def learn(block: Block, seed: Hashable) -> Law:
        try:
            return learner(block, seed)
        except InvalidArgument:  # Every law of the class gives the block probability 0: a tie of all of them.
            return laws.members[0]

    total = Learner(learn, "maximum likelihood", symmetric=True)
    return Enumerated(laws, total, proper=True, tail=lambda alpha: likelihood_tail(laws, alpha))


def _by_frequencies(laws: LawClass) -> Method:
    sets = max(1, 2 ** len(laws.domain) - 2)

    def tail(alpha: Number) -> Tail:
        """TV(P_S, p) is the largest P_S(A) - p(A); each is at least alpha with probability e^(-2 n alpha^2) at most."""
        a = alpha if isinstance(alpha, Fraction) else rounded_down(alpha)
        return Tail(f"Hoeffding, {sets} sets", lambda n: sets * exp(-2 * n * a * a))

    return Enumerated(laws, empirical(), tail=tail)


def _by_first_record(laws: LawClass) -> Method:
    return FirstRecord(laws, first_record())


METHODS: Mapping[str, Callable[[LawClass], Method]] = {
    "ml": _by_likelihood,
    "mde": lambda laws: Nearest(laws, minimum_distance(laws, 0)),
    "empirical": _by_frequencies,
    "smoothed": lambda laws: Enumerated(laws, smoothed(laws.domain)),
    "first-record": _by_first_record,
}


def method_named(name: str, laws: LawClass) -> Method:
    """The learner of that name on the class. Raises `InvalidArgument`."""
    if name not in METHODS:
        raise InvalidArgument("--learner", name, "one of " + ", ".join(METHODS))
    return METHODS[name](laws)


# -- sample complexities ----------------------------------------------------------------------------------------------


def certified_complexity(method: Method, name: str) -> SampleComplexity:
    """A sample complexity of the learner on its class: from m(alpha, beta) records on it fails at most with beta.

    From some n on by a bound for all n; below it as far down as exact failure probabilities confirm it within a budget.
    """

    @cache
    def size(alpha: Number, beta: Number) -> int:
        tail = method.tail(alpha)
        start = None if tail is None else tail.start(beta)
        if start is None:
            expected = "with --paper one of ml, mde, empirical, first-record on point masses: no sample size is known"
            raise InvalidArgument("--learner", name, expected)
        work = 0
        while start > 1 and (work := work + method.work(start - 1)) <= share(WORK, method.laws):
            if not _succeeds(method, start - 1, alpha, beta):
                break
            start -= 1
        return start

    return size


def _succeeds(method: Method, n: int, alpha: Number, beta: Number) -> bool:
    return all(method.failure(p, n, alpha) <= beta for p in method.laws)


def agnostic_complexity(method: Method, name: str) -> tuple[int, SampleComplexity]:
    """The constant C and a sample complexity for every law p on the domain, by Hoeffding's inequality.

    The minimum-distance estimator without slack is within 3 OPT + 2 Delta_S of p, and the empirical law within the
    largest deviation of any set. Raises `InvalidArgument` for the other learners.
    """
    if isinstance(method, Nearest):
        sets, part, constant = 2 * len(method.estimator.table.events), Fraction(1, 2), 3
    elif name == "empirical":
        sets, part, constant = max(1, 2 ** len(method.laws.domain) - 2), Fraction(1), 1
    else:
        raise InvalidArgument(
            "--learner", name, "mde or empirical beside --paper: the algorithm asks for an agnostic one"
        )

    def size(alpha: Number, beta: Number) -> int:
        deviation = part * (alpha if isinstance(alpha, Fraction) else rounded_down(alpha))
        return max(1, least_integer_at_least_log(sets / beta, 1 / (2 * deviation * deviation)))

    return constant, size


# -- plans ------------------------------------------------------------------------------------------------------------


def plan_of(settings: Settings, laws: LawClass) -> Plan:
    """The plan of these settings on a class. Raises `InvalidArgument`."""
    if len(laws) ** 2 * len(laws.domain) > COMPARISONS_AT_MOST:
        size = f"{counted(len(laws), 'law')} on {counted(len(laws.domain), 'value')}"
        expected = f"a class with laws * laws * values of at most {COMPARISONS_AT_MOST}: all its laws are compared"
        raise InvalidArgument("--class", size, expected)
    name = settings.learner or ("mde" if settings.algorithm == AGNOSTIC else "ml")
    method = method_named(name, laws)
    if settings.release not in RELEASES:
        raise InvalidArgument("--release", settings.release, "one of " + ", ".join(RELEASES))
    _check_options(settings)
    _check_epsilon(settings)
    return _by_theorem(settings, method, name) if settings.paper else _as_told(settings, method)


def _check_options(settings: Settings) -> None:
    """Raises `InvalidArgument` for options that do not go together, and for missing ones."""
    sizes = {"--blocks": settings.blocks, "--block-size": settings.block_size, "--repetitions": settings.repetitions}
    length, learns = {"--length": settings.length}, settings.algorithm != SAMPLER
    for option, value in (sizes | (length if learns else {})).items():
        if settings.paper and value is not None:
            raise InvalidArgument(option, value, f"no {option} beside --paper, which sets the sizes")
    for option, value in (sizes | length).items():
        if value is not None and value < 1:
            raise InvalidArgument(option, value, "an integer of at least 1")
    if settings.length is not None and settings.length > LENGTH_AT_MOST:
        raise InvalidArgument("--length", settings.length, f"an integer of at most {LENGTH_AT_MOST}")
    _check_explicit(settings)
    if settings.paper and settings.beta is None:
        raise Missing("--beta", None, "a failure probability beside --paper, such as 1/10")
    if not settings.paper and not learns and settings.beta is not None:
        raise InvalidArgument(
            "--beta", settings.beta, "no --beta without --paper: the distance is computed and printed"
        )


def _check_explicit(settings: Settings) -> None:
    repeats = settings.algorithm in (BOOSTED, AGNOSTIC)
    sizes = {"--blocks": settings.blocks, "--block-size": settings.block_size}
    missing = [option for option, value in sizes.items() if value is None]
    if not settings.paper and missing:
        raise Missing(" and ".join(missing), None, "--paper, or both --blocks K and --block-size B")
    if not settings.paper and repeats and settings.repetitions is None:
        raise Missing("--repetitions", None, f"the number of runs T, which {settings.algorithm} needs")
    if not repeats and settings.repetitions is not None:
        raise InvalidArgument("--repetitions", settings.repetitions, "no --repetitions: the algorithm runs once")
    if settings.algorithm == AGNOSTIC and settings.length is not None:
        raise InvalidArgument("--length", settings.length, "no --length: agnostic draws one record from each batch")


def _check_epsilon(settings: Settings) -> None:
    epsilon = Epsilon(settings.epsilon)
    if epsilon.unit.symbolic:
        raise InvalidArgument("epsilon", settings.epsilon, "one value, such as '1/2' or 'ln(2)'")
    if epsilon.coefficient > EPSILON_AT_MOST:
        raise InvalidArgument("--epsilon", settings.epsilon, f"at most {EPSILON_AT_MOST}: more is no privacy at all")
    if not settings.paper or settings.algorithm == SAMPLER:
        return
    try:
        small(settings.epsilon)
    except InvalidArgument:
        asks = f"a number with 0 < epsilon < 1 beside --paper, as {THEOREMS[settings.algorithm]} asks"
        own = "sizes of your own, --blocks and --block-size, go with any epsilon above 0"
        raise InvalidArgument("--epsilon", settings.epsilon, f"{asks}; {own}") from None


def _as_told(settings: Settings, method: Method) -> Plan:
    """The plan at sizes that were given; a sample that is learnt from is as long as a block unless told otherwise."""
    assert settings.blocks is not None, "the options are checked"
    assert settings.block_size is not None, "the options are checked"
    one = settings.algorithm in (SAMPLER, AGNOSTIC)
    length = settings.length or (1 if one else settings.block_size)
    epsilon, delta = Epsilon(settings.epsilon), probability("delta", settings.delta)
    curve = curve_named(RELEASES[settings.release])(epsilon, delta)
    alpha = Fraction(1) if settings.alpha is None else probability("alpha", settings.alpha)
    if settings.beta is not None:
        probability("beta", settings.beta)
    mode = StabilityBasedMode(curve, _default(settings, method.laws, length))
    runs = settings.repetitions or 1
    return Plan(settings.algorithm, method, mode, settings.blocks, settings.block_size, length, runs, alpha)


def _by_theorem(settings: Settings, method: Method, name: str) -> Plan:
    """The plan at the sizes of the theorem."""
    epsilon, delta, beta = settings.epsilon, settings.delta, settings.beta
    assert beta is not None, "the options are checked"
    variant, laws = RELEASES[settings.release], method.laws
    if settings.algorithm == SAMPLER:
        size, length = certified_complexity(method, name), settings.length or 1
        b7 = sampler_parameters(
            length, probability("beta", beta), epsilon, delta, lambda eta: size(eta, Fraction(1, 16))
        )
        mode = b7.mode(variant, _default(settings, laws, length))
        return Plan(SAMPLER, method, mode, b7.blocks, b7.block_size, length, promised=b7.distance)
    assert settings.alpha is not None, "learning has an accuracy"
    wanted = (settings.alpha, beta, epsilon, delta)
    if settings.algorithm == AGNOSTIC:
        constant, agnostic_size = agnostic_complexity(method, name)
        c2 = agnostic_parameters(agnostic_size, constant, *wanted)
        mode = c2.mode(variant, _default(settings, laws, 1))
        return Plan(AGNOSTIC, method, mode, c2.blocks, c2.block_size, 1, c2.runs, c2.alpha, c2.beta)
    size = certified_complexity(method, name)
    if settings.algorithm == BOOSTED:
        t6 = boosted_parameters(size, *wanted)
        run, runs, delta0, alpha, promised = t6.run.sampler, t6.runs, t6.run.delta0, t6.alpha, t6.beta
    else:
        t5 = black_box_parameters(size, *wanted)
        run, runs, delta0, alpha, promised = t5.sampler, 1, t5.delta0, t5.alpha, t5.beta
    mode = StabilityBasedMode(curve_named(variant)(run.epsilon, delta0), _default(settings, laws, run.length))
    return Plan(settings.algorithm, method, mode, run.blocks, run.block_size, run.length, runs, alpha, promised)


def _default(settings: Settings, laws: LawClass, length: int) -> Hashable:
    """The sample that stands for a declined one; BOTTOM unless records are named or have to be."""
    if settings.default is None:
        return (laws.domain[0],) if settings.algorithm == AGNOSTIC else BOTTOM
    written = {str(y): y for y in laws.domain}
    words = settings.default.split(",")
    wrong = next((word for word in words if word not in written), None)
    if wrong is not None:
        raise InvalidArgument("--default", wrong, f"values of the domain: {', '.join(written)}")
    if len(words) != length:
        raise InvalidArgument("--default", settings.default, f"{length} values of the domain with commas between them")
    return tuple(written[word] for word in words)


# -- what the sizes do ------------------------------------------------------------------------------------------------


def smallest_gap(plan: Plan) -> int | None:
    """By how many blocks the mode has to lead to be released except with probability delta; None if out of reach."""
    try:
        return plan.mode.curve.smallest_gap()
    except InvalidArgument:  # Powers of e^-epsilon that are too high to write out.
        return None


def bottlenecks(plan: Plan, name: str, most: Fraction) -> dict[str, Fraction]:
    """The sizes that keep the bound for the law of that name above `most`, each with the number that says so.

    "--blocks": how often the release fails though all blocks agree; "--block-size": how often a block learns another
    law; "--length" or, for agnostic, "--repetitions": how often the learner fails on the private records. Half of it
    all is for the release and half for the learner; boosting lets a run fail with probability 1/8 for each.
    """
    p, method, alpha, T = plan.laws.law(name), plan.method, plan.alpha, plan.runs
    learns = method.success(p, plan.block_size)
    agreed, apart = (release_failure(plan.mode.curve, x, plan.blocks) for x in (Fraction(1), learns))
    agnostic, boosted = plan.algorithm == AGNOSTIC, plan.algorithm == BOOSTED
    part = BOOSTED_PART if boosted else most / 2
    if agnostic:
        last, final = "--repetitions", method.failure(p, T, alpha, strict=True)
    else:
        last, final = "--length", method.failure(p, plan.length, alpha / 3 if boosted else alpha)
    limit = part / T if agnostic else part
    found = {"--blocks": agreed} if agreed > limit else {"--block-size": 1 - learns} if apart > limit else {}
    found |= {last: final} if final > part else {}
    return found or {"--repetitions": apart + final}


# -- what was asked for ----------------------------------------------------------------------------------------------


def is_asked(settings: Settings) -> bool:
    """Whether an accuracy was asked for: a sample at sizes of one's own has none."""
    return settings.beta is not None


def missed(plan: Plan, settings: Settings, known: Sequence[Accuracy]) -> list[Accuracy]:
    """The laws for which the accuracy that was asked for is not shown."""
    if not is_asked(settings):
        return []
    most = allowed(plan, settings)
    return [one for one in known if one.bounds.high > most]


def allowed(plan: Plan, settings: Settings) -> Fraction:
    """What the accuracy was asked to be: beta, or the distance that Corollary B.7 promises."""
    asked = plan.promised if settings.paper else probability("beta", settings.beta or "")
    assert isinstance(asked, Fraction), "what is written on a command line is rational"
    return asked


# -- running ----------------------------------------------------------------------------------------------------------


def check_enough(plan: Plan, given: int, data: str) -> None:
    """Raises `InvalidArgument` when there are fewer records than the plan needs: nothing is released then."""
    if given < plan.records:
        runs = f"{plan.runs} runs of " if plan.runs > 1 else ""
        expected = f"at least {plan.records} records: {runs}{counted(plan.blocks, 'block')} of {plan.block_size}"
        own = "; sizes of your own, --blocks and --block-size, may do with fewer" if plan.promised < 1 else ""
        raise InvalidArgument(f"records in {data}", given, expected + own)


def answer(plan: Plan, records: Sequence[Hashable], draw: Draw) -> object:
    """The released answer, from the first `plan.records` records: a sample, a law, or BOTTOM where it declines."""
    L = plan.method.learner
    sizes: dict[str, Any] = {
        "blocks": plan.blocks,
        "block_size": plan.block_size,
        "mode": plan.mode,
        "domain": plan.laws.domain,
    }
    if plan.algorithm == SAMPLER:
        return sampler(records, draw, learner=L, length=plan.length, **sizes)
    if plan.algorithm == BLACK_BOX:
        return black_box_private_learner(records, draw, learner=L, final=L, length=plan.length, **sizes)
    if plan.algorithm == BOOSTED:
        sizes |= {"alpha": plan.alpha, "runs": plan.runs, "length": plan.length}
        return boosted_learner(records, draw, learner=L, final=L, **sizes)
    fallback = plan.laws.members[0]
    return agnostic_private_learner(records, draw, learner=L, final=L, runs=plan.runs, fallback=fallback, **sizes)


@dataclass(frozen=True)
class Released:
    """A run from beginning to end: the plan, what it guarantees, and what was released (None: nothing, on purpose)."""

    plan: Plan
    settings: Settings
    given: int
    accuracies: Sequence[Accuracy]
    private: bool
    dry: bool
    answer: object

    @property
    def code(self) -> int:
        """The exit code: 0 for an answer, and for a dry run that shows the accuracy as asked."""
        if self.dry:
            return NO_ANSWER if missed(self.plan, self.settings, self.accuracies) else 0
        return 0 if isinstance(self.answer, tuple | Law) else NO_ANSWER
