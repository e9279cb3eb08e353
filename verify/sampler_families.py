"""Families of samplers: small ones with every dataset and permutation, and the theorems' own numbers of blocks.

Small cases show every step of the algorithm and of its privacy. The utility is looked at with hundreds of blocks, where
the law of Sampler is a sum over count vectors: with mock learners, given by what they teach, and with real ones on
three classes: two Bernoulli laws, point laws, and three laws on three points.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.learners import (
    Learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.privacy import change_one_pairs
from exactdp.spec.release_curve import CURVES, NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.spec.sampler import (
    Dataset,
    SamplerInstance,
    SamplerLines,
    SamplerLinesInstance,
    SamplerPrivacyInstance,
    total_variation,
)
from exactdp.spec.sampler_utility import (
    FewBlocks,
    Learnt,
    PrivateSamplerInstance,
    UtilityInstance,
    sampler_parameters,
)
from exactdp.spec.standard_laws import point
from exactdp.verify.families import Sizes, family_of
from exactdp.verify.sampler_settings import (
    HistogramLaw,
    IndependentBlocks,
    LawOver,
    Mixing,
    Mock,
    MockOver,
    ProgramLaw,
    Released,
    Setting,
    WorstOverCounts,
    WorstOverHistograms,
    learnt_from,
)

WRITTEN_FROM = 3
"""The number of records from which on one dataset stands for all when the program is enumerated."""

HALF, LN_2 = Epsilon("1/2"), Epsilon("ln(2)")


@dataclass(frozen=True)
class SamplerSizes:
    """How many datasets, settings and classes are tried."""

    shapes: tuple[tuple[int, int, int], ...]
    """(values, blocks, records in a block) of the settings in which the program is enumerated."""
    private_shapes: tuple[tuple[int, int, int], ...]
    """The same, in which all pairs of neighbouring datasets are tried."""
    kinds: int
    """How many kinds of learners are tried with three records and more."""
    class_cases: tuple[tuple[str, int, int], ...]
    """(parameters, records in a block, length) of the classes that are tried with hundreds of blocks."""


SIZES = {
    "minimal": SamplerSizes(
        shapes=((2, 1, 1), (2, 2, 1), (2, 1, 2), (3, 3, 1), (2, 2, 2)),
        private_shapes=((2, 1, 1), (2, 3, 1), (3, 2, 1), (2, 2, 2)),
        kinds=3,
        class_cases=(("half", 1, 2),),
    ),
    "full": SamplerSizes(
        shapes=((2, 1, 1), (2, 2, 1), (2, 1, 2), (3, 3, 1), (2, 2, 2), (2, 4, 1), (3, 1, 3), (3, 2, 2)),
        private_shapes=((2, 1, 1), (2, 3, 1), (3, 2, 1), (2, 2, 2), (3, 3, 1), (2, 1, 3), (2, 4, 1)),
        kinds=6,
        class_cases=(
            *(("half", b, length) for b, length in ((1, 2), (3, 2), (5, 3), (1, 1), (3, 3), (5, 1))),
            *(("ln 2", b, length) for b, length in ((1, 1), (3, 2), (1, 3))),
        ),
    ),
}


def mode_at(epsilon: Epsilon | str, delta: str, curve: type[ReleaseCurve] = NoisyThreshold) -> StabilityBasedMode:
    """The mode of a release curve."""
    return StabilityBasedMode(curve(epsilon, delta))


SMALL_MODES = (
    mode_at(LN_2, "1/3"),
    mode_at(HALF, "1/5", RandomisedThreshold),
    mode_at("ln(3/2)", "1/6", OptimalRelease),
)
"""Modes that release something of few values already, one for each release curve."""


def small_learners(values: int, block_size: int) -> tuple[Learner, ...]:
    """One learner of each kind, for records 0, 1, ... in blocks of that size."""
    domain = range(values)
    members = [Law({y: Fraction(2 if y == x else 1, values + 1) for y in domain}) for x in domain]
    return (
        empirical(),
        first_record(),
        random_record(block_size),
        smoothed(domain),
        maximum_likelihood(members),
        randomised(first_record(), empirical(), "1/3"),
    )


# -- the families of small samplers --


def small_settings(shapes: Sequence[tuple[int, int, int]], kinds: int) -> Iterator[tuple[int, Setting]]:
    """Settings with that many values, blocks and records in a block; lengths and modes in turn.

    From three records on, with so many kinds of learners.
    """
    turn = 0
    for values, blocks, block_size in shapes:
        for learner in small_learners(values, block_size)[: kinds if blocks * block_size >= WRITTEN_FROM else None]:
            length = 2 if learner.name == "empirical" and blocks < 3 else 1
            yield values, Setting(learner, blocks, block_size, SMALL_MODES[turn % 3], length)
            turn += 1


@family_of("alg-2")
def _algorithms(sizes: Sizes) -> Iterator[Instance]:
    for values, setting in small_settings(SIZES[sizes.preset].shapes, SIZES[sizes.preset].kinds):
        n = setting.lines.records
        every = combinations_with_replacement(range(values), n)
        for data in every if n < WRITTEN_FROM else (tuple(i % values for i in range(n)),):
            yield _lines(setting, data)
        for records in (n - 1, n + 1):
            yield _lines(setting, tuple(i * i % values for i in range(records)))
    one = Setting(empirical(), 3, 1, SMALL_MODES[0])
    yield _lines(one, ("a", "a", "a"))


def _lines(setting: Setting, data: Dataset) -> Instance:
    return SamplerLinesInstance(f"{setting}, {data}", data, setting.lines, ProgramLaw(setting), HistogramLaw(setting))


def all_pairs(values: int, records: int) -> tuple[tuple[Dataset, Dataset], ...]:
    """All ordered pairs of datasets of that many records that differ in one."""
    return tuple(change_one_pairs(product(range(values), repeat=records)))


def histogram_pairs(values: int, records: int) -> tuple[tuple[Dataset, Dataset], ...]:
    """Of all pairs whose datasets have the same two histograms, one: the law of Sampler depends on these alone."""
    pairs = {
        (frozenset(Counter(s).items()), frozenset(Counter(t).items())): (s, t) for s, t in all_pairs(values, records)
    }
    return tuple(pairs.values())


def averaged() -> Setting:
    """Three blocks of a pair: averaging over the permutation makes the worst delta 2/15, less than r_1 = 1/3."""
    return Setting(empirical(), 3, 2, mode_at(LN_2, "1/3"))


def private(setting: Setting, pairs: tuple[tuple[Dataset, Dataset], ...]) -> SamplerPrivacyInstance:
    """The instance with these pairs, at the mode's own E and delta."""
    curve, records = setting.mode.curve, len(pairs[0][0]) if pairs else 0
    name = f"{setting}, {len(pairs)} pairs of {records} records"
    return SamplerPrivacyInstance(name, setting.lines, pairs, curve.factor, curve.delta, HistogramLaw(setting))


@family_of("prop-B.5")
def _private(sizes: Sizes) -> Iterator[Instance]:
    for values, setting in small_settings(SIZES[sizes.preset].private_shapes, SIZES[sizes.preset].kinds):
        n = setting.lines.records
        for records in (n, n - 1, n + 1) if values == 2 and n < 4 else (n,):
            if pairs := all_pairs(values, records):
                yield private(setting, pairs)
    yield private(averaged(), histogram_pairs(2, 6))


@family_of("def-1.4")
def _samplers(sizes: Sizes) -> Iterator[Instance]:
    laws = Law({0: "3/4", 1: "1/4"}), Law({0: "1/3", 1: "2/3"}), point(0)
    for values, setting in small_settings(SIZES[sizes.preset].shapes, SIZES[sizes.preset].kinds):
        if values == 2:
            over, n = LawOver(setting), setting.lines.records
            gamma = max(total_variation(over(p), p.power(setting.length)) for p in laws)
            name = f"{setting}, gamma attained"
            yield SamplerInstance(name, laws, n, setting.length, gamma, over, HistogramLaw(setting))
    for name in ("two Bernoulli laws", "point laws"):
        case = case_of(name, "half", 1, 1)
        gamma, n = 3 * case.target.beta / 4, case.setting.lines.records
        yield SamplerInstance(str(case), case.laws, n, 1, gamma, LawOver(case.setting))
    first = Released(1)
    yield SamplerInstance("the first record, published", laws, 2, 1, Fraction(1, 100), first.law_over, first)


# -- the families with hundreds of blocks --


@dataclass(frozen=True)
class Target:
    """What is asked of Sampler: l, beta, epsilon and delta."""

    length: int
    beta: Fraction
    epsilon: Epsilon
    delta: Fraction

    def __str__(self) -> str:
        return f"length {self.length}, beta {self.beta}, epsilon {self.epsilon}, delta {self.delta}"


@dataclass(frozen=True)
class Case:
    """A class of laws, Sampler on it, and what is asked of it."""

    name: str
    laws: tuple[Law, ...]
    setting: Setting
    target: Target

    def __str__(self) -> str:
        return f"{self.name}, {self.setting.blocks} blocks of {self.setting.block_size}, {self.target}"


def target_of(parameters: str, length: int) -> Target:
    """The parameters of that name: "half" has epsilon = 1/2 and k = 267, "ln 2" has k = 473."""
    if parameters == "half":
        return Target(length, Fraction(1, 2), HALF, Fraction(1, 100))
    return Target(length, Fraction(1, 10), LN_2, Fraction(1, 10**6))


BERNOULLIS = Law({0: "19/20", 1: "1/20"}), Law({0: "1/20", 1: "19/20"})
POINTS = point("a"), point("b"), point("c")
ROTATIONS = tuple(Law({x: "30/32", (x + 1) % 3: "1/32", (x + 2) % 3: "1/32"}) for x in range(3))
"""One record teaches the wrong one of them with probability exactly 1/16."""

CLASSES: dict[str, tuple[tuple[Law, ...], Learner]] = {
    "two Bernoulli laws": (BERNOULLIS, maximum_likelihood(BERNOULLIS)),
    "point laws": (POINTS, first_record()),
    "three laws on three points": (ROTATIONS, maximum_likelihood(ROTATIONS)),
}


def case_of(name: str, parameters: str, block_size: int, length: int) -> Case:
    """A class by name, at parameters by name, with the least number of blocks."""
    (laws, learner), target = CLASSES[name], target_of(parameters, length)
    mode, blocks = least_setting(target)
    return Case(name, laws, Setting(learner, blocks, block_size, mode, length), target)


def least_setting(target: Target, curve: type[ReleaseCurve] = NoisyThreshold) -> tuple[StabilityBasedMode, int]:
    """The mode at delta0, and the least number of blocks."""
    _, delta0, blocks = sampler_parameters(target.length, target.beta, target.epsilon, target.delta)
    return StabilityBasedMode(curve(target.epsilon, delta0)), blocks


def class_cases(sizes: Sizes) -> Iterator[Case]:
    """All classes at the sizes of a preset."""
    for parameters, block_size, length in SIZES[sizes.preset].class_cases:
        for name in CLASSES:
            yield case_of(name, parameters, block_size, length)


def useful(
    name: str,
    p: Law,
    learnt: Learnt,
    target: Target,
    *,
    curve: type[ReleaseCurve] = NoisyThreshold,
    extra: int = 0,
    few: FewBlocks | None = None,
) -> UtilityInstance:
    """The instance with the least number of blocks, and `extra` more."""
    mode, least = least_setting(target, curve)
    blocks = least + extra
    mixing = Mixing(tuple(law for law, _ in learnt), mode, target.length)
    output = IndependentBlocks(learnt, blocks, mode, target.length)
    return UtilityInstance(
        f"{name}, {blocks} blocks, {curve.name}, {target}", p, learnt,
        target.length, target.beta, target.epsilon, target.delta, blocks, mode.curve, mixing, output, few,
    )  # fmt: skip


SHIFT = Fraction(1, 129)
FIXTURE_LAW = Law({0: 1 - 2 * SHIFT, 1: SHIFT, 2: SHIFT})
FIXTURE_LEARNT: Learnt = (
    (Law({0: 1 - 2 * SHIFT, 2: SHIFT, 3: SHIFT}), Fraction(15, 32)),
    (Law({0: 1 - 2 * SHIFT, 1: SHIFT, 4: SHIFT}), Fraction(15, 32)),
    (point(5), Fraction(1, 16)),
)
"""Two laws that each move one atom of mass 1/129 to a point of its own, as often; and a far one as often as allowed."""

FAIR = Law({0: "1/2", 1: "1/2"})


def near_and_far(shift: Fraction, miss: Fraction = Fraction(1, 16)) -> Learnt:
    """A coin that is biased by so much, and a point law that is learnt instead with the largest probability allowed."""
    return (Law({0: Fraction(1, 2) + shift, 1: Fraction(1, 2) - shift}), 1 - miss), (point(2), miss)


@family_of("prop-B.6")
def _useful(sizes: Sizes) -> Iterator[Instance]:
    half, ln_2 = target_of("half", 1), target_of("ln 2", 1)
    yield useful("two atoms moved", FIXTURE_LAW, FIXTURE_LEARNT, half)
    for length in (1, 2, 3) if sizes.preset == "full" else (2,):
        for n, (curve, target) in enumerate(product(CURVES.values(), (half, ln_2))):
            aimed = Target(length, target.beta, target.epsilon, target.delta)
            shift = aimed.beta / (64 * length) - Fraction(1, 10**6)
            yield useful("a fair coin", FAIR, near_and_far(shift), aimed, curve=curve, extra=n)
    for epsilon in ("ln(8)", "ln(3/2)", "3"):
        target = Target(1, Fraction(1, 2), Epsilon(epsilon), Fraction(1, 100))
        yield useful("a fair coin", FAIR, near_and_far(Fraction(1, 200)), target)
    for name in CLASSES if sizes.preset == "full" else ("two Bernoulli laws", "point laws"):
        yield from _taught(name, 1, half)
    yield from _taught("two Bernoulli laws", 3, ln_2)


def _taught(name: str, block_size: int, target: Target) -> Iterator[Instance]:
    """A class by name, with two blocks on which every sequence of records is tried."""
    laws, learner = CLASSES[name]
    lines = Setting(learner, 2, block_size, SMALL_MODES[0]).lines
    few = FewBlocks(lines if block_size == 1 else replace(lines, randomness=in_order))
    for i, p in enumerate(laws):
        learnt = learnt_from(learner, block_size, p)
        yield useful(f"{name}, law {i}, blocks of {block_size}", p, learnt, target, few=few)


def in_order(data: Dataset, lines: SamplerLines) -> Law:
    """The records as they come, in place of all permutations of them, and independent seeds."""
    return point(tuple(range(lines.records))).product(lines.seeds.power(lines.blocks))


# -- private and useful --


AUDITED, DATASETS = "all neighbouring count vectors", "all neighbouring histograms of two points"


def promised(case: Case) -> PrivateSamplerInstance:
    """What Sampler promises on a class."""
    setting, target = case.setting, case.target
    domain = tuple(dict.fromkeys(y for p in case.laws for y in p.support()))
    outputs = BlockOutputs(setting.learner, domain, setting.block_size).laws
    worst = WorstOverCounts(outputs, setting.blocks, setting.mode, setting.length)
    return PrivateSamplerInstance(
        str(case), case.laws, setting.learnt_by, target.length, target.beta, target.epsilon, target.delta,
        setting.block_size, setting.blocks, LawOver(setting), worst, AUDITED,
    )  # fmt: skip


def promised_on_data(name: str, block_size: int, length: int) -> PrivateSamplerInstance:
    """The same on two points, with privacy decided on all datasets, by their histograms."""
    case = case_of(name, "half", block_size, length)
    (p, q), setting = case.laws[:2], case.setting
    worst = WorstOverHistograms(setting, tuple(dict.fromkeys((*p.support(), *q.support()))))
    return replace(promised(case), name=f"{case}, datasets", laws=(p, q), worst_delta=worst, audited=DATASETS)


def promised_by_mock(name: str, p: Law, learnt: Learnt, target: Target) -> PrivateSamplerInstance:
    """What Sampler promises with a mock learner, for one law."""
    mode, blocks = least_setting(target)
    sampled = IndependentBlocks(learnt, blocks, mode, target.length)
    worst = WorstOverCounts(tuple(law for law, _ in learnt), blocks, mode, target.length)
    return PrivateSamplerInstance(
        f"{name}, {blocks} blocks, {target}", (p,), Mock(learnt), target.length, target.beta, target.epsilon,
        target.delta, 1, blocks, MockOver(sampled), worst, AUDITED,
    )  # fmt: skip


@family_of("cor-B.7")
def _private_and_useful(sizes: Sizes) -> Iterator[Instance]:
    for case in class_cases(sizes):
        yield promised(case)
    for block_size in (1, 3, 5) if sizes.preset == "full" else (1,):
        for name in ("two Bernoulli laws", "point laws"):
            yield promised_on_data(name, block_size, 2)
    yield promised_by_mock("two atoms moved", FIXTURE_LAW, FIXTURE_LEARNT, target_of("half", 1))


@family_of("thm-4.3")
def _informal(sizes: Sizes) -> Iterator[Instance]:
    yield from _promises(sizes, 3, 2)
    for parameters in ("half", "ln 2"):
        target = target_of(parameters, 1)
        boundary = near_and_far(target.beta / 64)
        yield promised_by_mock("a fair coin, at distance eta exactly", FAIR, boundary, target)


@family_of("thm-1.5")
def _synthetic(sizes: Sizes) -> Iterator[Instance]:
    yield from _promises(sizes, 1, 2)
    for delta in ("1/10", "99/100"):
        target = Target(1, Fraction(9, 10), Epsilon("99/100"), Fraction(delta))
        yield promised_by_mock("a fair coin", FAIR, near_and_far(Fraction(1, 100)), target)


def _promises(sizes: Sizes, block_size: int, length: int) -> Iterator[Instance]:
    """Two classes at one of the parameters each; in the preset "full" the third as well."""
    cases = [("two Bernoulli laws", "half"), ("point laws", "ln 2"), ("three laws on three points", "half")]
    for name, parameters in cases if sizes.preset == "full" else cases[:2]:
        yield promised(case_of(name, parameters, block_size, length))
