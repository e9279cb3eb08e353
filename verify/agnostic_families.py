"""Families of agnostic learners: what L promises, the program on a few records, and the theorem's own constants.

The base learner and the final one are real where their laws are small enough to be summed, and mock otherwise: given by
what they answer, as far off and as often wrong as they may be.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import chain, combinations_with_replacement, product
from typing import Any

from exactdp.reference.agnostic import agnostic_private_learner
from exactdp.reference.draw import law_of
from exactdp.reference.estimators import minimum_distance
from exactdp.reference.learned_law import agnostic_law, law_from_draws
from exactdp.reference.learners import AnyLearner, Learner, empirical
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.parameters import agnostic_parameters
from exactdp.reference.sampler_law import sampler_law_over
from exactdp.spec.agnostic import AgnosticInstance, AgnosticLinesInstance, RunLines, agnostic_failure, optimum
from exactdp.spec.agnostic_reduction import PrivateRunsInstance, ReductionInstance, Rule, reduction_parameters
from exactdp.spec.agnostic_sizes import Sizes, SizesInstance
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.law import Law, mixture
from exactdp.spec.minimum_distance import are_enough_records
from exactdp.spec.number import Number
from exactdp.spec.release_curve import CURVES, NoisyThreshold, ReleaseCurve
from exactdp.spec.sampler import Dataset
from exactdp.spec.sampler_utility import Learnt
from exactdp.spec.standard_laws import point
from exactdp.verify.families import Sizes as FamilySizes
from exactdp.verify.families import family_of, grid_laws, law_of_counts
from exactdp.verify.sampler_families import SMALL_MODES, WRITTEN_FROM, histogram_pairs, small_learners
from exactdp.verify.sampler_settings import PROGRAM_STEPS, HistogramLaw, IndependentBlocks, Mixing, Setting

TOLERANCE = "1e-20"
"""How much of the law of an answer from hundreds of records may be left open; it counts as failure."""


@dataclass(frozen=True)
class AgnosticSizes:
    """How much is tried."""

    grid: int
    """The denominator of the laws p that an agnostic learner is tried on."""
    shapes: tuple[tuple[int, int, int, int], ...]
    """(values, T, k, b) for which the program is enumerated."""
    private_shapes: tuple[tuple[int, int, int, int], ...]
    """The same, in which neighbouring datasets are tried."""
    every_curve: bool


SIZES = {
    "minimal": AgnosticSizes(
        8,
        ((2, 1, 1, 1), (2, 2, 1, 1), (2, 1, 1, 2), (2, 3, 1, 1), (2, 1, 2, 1)),
        ((2, 2, 1, 1), (2, 2, 2, 1), (2, 1, 3, 1)),
        False,
    ),
    "full": AgnosticSizes(
        24,
        ((2, 1, 1, 1), (2, 2, 1, 1), (2, 2, 1, 2), (2, 3, 1, 1), (2, 1, 2, 1), (2, 2, 2, 1), (3, 2, 1, 1)),
        ((2, 2, 1, 1), (2, 2, 2, 1), (2, 2, 1, 2), (2, 3, 1, 1), (3, 2, 1, 1), (2, 1, 3, 1), (3, 2, 2, 1)),
        True,
    ),
}

NEAR_COINS = law_of_counts((9, 7)), law_of_counts((7, 9))
"""(9/16, 7/16) and (7/16, 9/16): with the slack of L(.; 2a, beta) one record of either kind teaches the first."""
COINS = law_of_counts((3, 1)), law_of_counts((1, 3))
ENDS = point(0), point(1)


# -- what L promises --


@dataclass(frozen=True)
class LearntFrom:
    """The law of L(S) over S ~ p^n and the seeds, as a function of p."""

    learner: Learner
    records: int

    def __call__(self, p: Law) -> Law:
        """A law of laws."""
        return _learnt(self.learner, self.records, p)


@lru_cache(maxsize=1 << 10)
def _learnt(learner: Learner, records: int, p: Law) -> Law:
    return law_from_draws(p, draws=records, final=learner)


@dataclass(frozen=True)
class LearntOn:
    """The law of L(S) over its seeds, as a function of S."""

    learner: Learner

    def __call__(self, data: Dataset) -> Law:
        """A law of laws."""
        return self.learner.seeds.map(lambda seed: self.learner(data, seed))


def agnostic(
    name: str, laws: tuple[Law, ...], learner: Learner, records: int, constant: int, alpha: Fraction, grid: int,
    beta: Fraction | None = None, proper: bool = False,
) -> AgnosticInstance:  # fmt: skip
    """All laws p of a grid on the points of the class; without a beta, the worst failure probability of them."""
    points = 1 + max(y for q in laws for y in q.support() if isinstance(y, int))
    targets, over = tuple(grid_laws(points, grid)), LearntFrom(learner, records)
    C = Fraction(constant)
    worst = beta or max(agnostic_failure(over(p), p, C * optimum(laws, p) + alpha) for p in targets)
    kernel = LearntOn(learner) if records <= 3 else None
    shown = f"{name}, {learner.name}, {records} records, C = {C}, alpha = {alpha}"
    return AgnosticInstance(shown, laws, C, alpha, worst, records, targets, over, kernel, proper)


@family_of("def-C.1")
def _learners(sizes: FamilySizes) -> Iterator[Instance]:
    n = SIZES[sizes.preset].grid
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    for records in (1, 3, 12):
        for alpha in (quarter, quarter / 2):
            yield agnostic("two coins", COINS, minimum_distance(COINS, alpha), records, 3, alpha, n, proper=True)
    yield agnostic("two coins", COINS, minimum_distance(COINS, half), 80, 3, half, n, half, proper=True)
    slopes = law_of_counts((2, 1, 1)), law_of_counts((1, 2, 1)), law_of_counts((1, 1, 2))
    yield agnostic("three laws", slopes, minimum_distance(slopes, quarter), 3, 3, quarter, n // 2, proper=True)
    yield agnostic("one law", COINS[:1], minimum_distance(COINS[:1], quarter), 1, 1, quarter, n, quarter, proper=True)
    for learner in small_learners(2, 3):
        yield agnostic("two ends", ENDS, learner, 3, 1, quarter, n)
    yield agnostic("two ends", ENDS, empirical(), 14, 1, quarter, n, half)


# -- the program --


@lru_cache(maxsize=64)
def estimator(laws: tuple[Law, ...], alpha: Number) -> Learner:
    """The minimum-distance estimator, made once."""
    return minimum_distance(laws, alpha)


@dataclass(frozen=True)
class Estimating:
    """L(.; alpha, beta): the minimum-distance estimator of a class."""

    laws: tuple[Law, ...]

    def __call__(self, alpha: Number, beta: Number) -> Learner:
        """The estimator with slack alpha."""
        return estimator(self.laws, alpha)


FIRST_OR_ALL = small_learners(2, 1)[-1]


@dataclass(frozen=True)
class FirstOrAll:
    """A randomised L that looks at the order, and not at its parameters: the first record, or all of them."""

    def __call__(self, alpha: Number, beta: Number) -> Learner:
        """The learner."""
        return FIRST_OR_ALL


@dataclass(frozen=True)
class AgnosticSetting:
    """A class, L, a, beta, T, k, b, and a mode with a record for its default."""

    laws: tuple[Law, ...]
    learner_at: Callable[[Number, Number], Learner]
    accuracy: Fraction
    beta: Fraction
    runs: int
    blocks: int
    block_size: int
    mode: StabilityBasedMode

    @cached_property
    def base(self) -> Learner:
        """L(.; a/16, 1/16)."""
        return self.learner_at(self.accuracy / 16, Fraction(1, 16))

    @cached_property
    def final(self) -> Learner:
        """L(.; 2a, beta)."""
        return self.learner_at(2 * self.accuracy, self.beta)

    @property
    def lines(self) -> RunLines:
        """What the lines of the algorithm use."""
        one = HistogramLaw(Setting(self.base, self.blocks, self.block_size, self.mode))
        return RunLines(self.runs, self.blocks * self.block_size, one, self.final, self.final.seeds, self.laws[0])

    @property
    def sizes(self) -> dict[str, Any]:
        """The keywords of Sampler."""
        return {"learner": self.base, "blocks": self.blocks, "block_size": self.block_size, "mode": self.mode}

    def __str__(self) -> str:
        shape = f"{self.runs} runs of {self.blocks} blocks of {self.block_size}"
        return f"{self.final.name}, {shape}, a = {self.accuracy}, {self.mode.curve!r}"


@dataclass(frozen=True)
class ProgramAnswer:
    """The law of the program's answer on a dataset, enumerated."""

    setting: AgnosticSetting

    def __call__(self, data: Dataset) -> Law:
        """A law of laws."""
        return _enumerated(self.setting, self.setting.final, data)


AS_THEY_ARE = Learner(lambda block, seed: point(tuple(block)), "the records as they are")


@dataclass(frozen=True)
class ProgramRecords:
    """The law of the records (Z_1, ..., Z_T) that the program draws: a final learner that tells them stands for L."""

    setting: AgnosticSetting

    def __call__(self, data: Dataset) -> Law:
        """A law of tuples."""
        told = _enumerated(self.setting, AS_THEY_ARE, data)
        return told.map(lambda q: next(q.support()) if isinstance(q, Law) else q)


@lru_cache(maxsize=4096)
def _enumerated(s: AgnosticSetting, final: AnyLearner, data: Dataset) -> Law:
    program = partial(agnostic_private_learner, final=final, runs=s.runs, fallback=s.laws[0], **s.sizes)
    return law_of(program, data, budget=PROGRAM_STEPS)


@dataclass(frozen=True)
class HistogramAnswer:
    """The law of the program's answer, from the histogram of the data."""

    setting: AgnosticSetting

    def __call__(self, data: Dataset) -> Law:
        """A law of laws."""
        return _from_histogram(self.setting, frozenset(Counter(data).items()))


@lru_cache(maxsize=4096)
def _from_histogram(s: AgnosticSetting, histogram: frozenset[tuple[Hashable, int]]) -> Law:
    domain: dict[Hashable, int] = dict.fromkeys(chain.from_iterable(law.support() for law in s.laws), 0)
    return agnostic_law(domain | dict(histogram), final=s.final, runs=s.runs, **s.sizes)


def small_mode(turn: int = 0) -> StabilityBasedMode:
    """A mode that releases something of few values already, with record 0 for its default."""
    return replace(SMALL_MODES[turn % 3], default=(0,))


def small_setting(runs: int, blocks: int, block_size: int, turn: int = 0, values: int = 2) -> AgnosticSetting:
    """The minimum-distance estimator of two close coins, or of three laws, and a = 1/8."""
    laws = NEAR_COINS if values == 2 else (law_of_counts((6, 5, 5)), law_of_counts((5, 6, 5)), law_of_counts((5, 5, 6)))
    eighth, half = Fraction(1, 8), Fraction(1, 2)
    return AgnosticSetting(laws, Estimating(laws), eighth, half, runs, blocks, block_size, small_mode(turn))


def randomised_setting() -> AgnosticSetting:
    """Two runs of one block of one record, with a learner that has seeds."""
    return AgnosticSetting(ENDS, FirstOrAll(), Fraction(1, 8), Fraction(1, 2), 2, 1, 1, small_mode(1))


def ends_setting(runs: int, blocks: int, block_size: int, mode: StabilityBasedMode) -> AgnosticSetting:
    """The minimum-distance estimator of the two ends: one record teaches its own point."""
    return AgnosticSetting(ENDS, Estimating(ENDS), Fraction(1, 8), Fraction(1, 2), runs, blocks, block_size, mode)


def lines_instance(setting: AgnosticSetting, data: Dataset, name: str = "") -> AgnosticLinesInstance:
    """The program on a dataset."""
    return AgnosticLinesInstance(
        name or f"{setting}, {data}", data, setting.lines, ProgramAnswer(setting), ProgramRecords(setting),
        HistogramAnswer(setting), setting.learner_at, setting.base, setting.block_size, setting.accuracy, setting.beta,
    )  # fmt: skip


@family_of("alg-7")
def _programs(sizes: FamilySizes) -> Iterator[Instance]:
    for turn, (values, runs, blocks, block_size) in enumerate(SIZES[sizes.preset].shapes):
        setting, n = small_setting(runs, blocks, block_size, turn, values), runs * blocks * block_size
        mixed = tuple(i % values for i in range(n))
        for data in combinations_with_replacement(range(values), n) if n < WRITTEN_FROM else (mixed,):
            yield lines_instance(setting, data)
        yield lines_instance(setting, (1,) * (n - 1))
        if n < WRITTEN_FROM:
            yield lines_instance(setting, (*mixed, 1))
    yield lines_instance(randomised_setting(), (1, 0))


# -- privacy, and independent records --


def private_runs(setting: AgnosticSetting, values: int, name: str = "") -> PrivateRunsInstance:
    """The datasets of T k b records with different histograms, each with its neighbours."""
    curve, p = setting.mode.curve, law_of_counts(tuple(range(values + 1, 1, -1)))
    return PrivateRunsInstance(
        name or f"{setting}, {values} values", setting.lines, histogram_pairs(values, setting.lines.records),
        curve.factor, curve.delta, curve.claimed, HistogramAnswer(setting), p, sampler_law_over(p, **setting.sizes),
    )  # fmt: skip


# -- the theorem's constants --


@dataclass(frozen=True)
class Learning:
    """The law of what a learner answers to T independent records of a law."""

    learner: Learner
    runs: int

    def __call__(self, record: Law) -> Law:
        """A law of laws; what is not resolved stands apart."""
        return law_from_draws(record, draws=self.runs, final=self.learner, tolerance=TOLERANCE)


@dataclass(frozen=True)
class AsFarAsAllowed:
    """A mock final learner on the points 0 and 1: at C inf TV(q, R) + 2a from R, upwards, and with chance beta at 1."""

    laws: tuple[Law, ...]
    constant: Fraction
    accuracy: Fraction
    beta: Fraction

    def __call__(self, record: Law) -> Law:
        """A law of laws."""
        one = min(record[1] + self.constant * optimum(self.laws, record) + 2 * self.accuracy, Fraction(1))
        return mixture([(1 - self.beta, point(Law({0: 1 - one, 1: one}))), (self.beta, point(point(1)))])


@dataclass(frozen=True)
class Task:
    """A class, C, and what is asked: alpha, beta, epsilon, delta."""

    laws: tuple[Law, ...]
    constant: Fraction
    alpha: Fraction
    beta: Fraction = Fraction(1, 2)
    epsilon: Epsilon = field(default_factory=lambda: Epsilon("ln(2)"))
    delta: Fraction = Fraction(1, 100)

    @property
    def accuracy(self) -> Fraction:
        """a."""
        return self.alpha / (self.constant + 3)

    def __str__(self) -> str:
        return f"C = {self.constant}, alpha = {self.alpha}, epsilon = {self.epsilon}, delta = {self.delta}"


def reduction(
    name: str,
    task: Task,
    p: Law,
    learnt: Learnt,
    answer: Callable[[Law], Law] | None = None,
    *,
    curve: type[ReleaseCurve] = NoisyThreshold,
    rule: Rule = reduction_parameters,
) -> ReductionInstance:
    """The instance with the least number of blocks, and a mock final learner unless one is given."""
    a, delta0, blocks = rule(task.constant, task.alpha, task.epsilon, task.delta)
    mode = StabilityBasedMode(curve(task.epsilon, delta0), (0,))
    mixing, output = Mixing(tuple(q for q, _ in learnt), mode), IndependentBlocks(learnt, blocks, mode)
    return ReductionInstance(
        f"{name}, {blocks} blocks, {curve.name}, {task}", task.laws, task.constant, p, learnt, task.alpha, task.beta,
        task.epsilon, task.delta, blocks, mode.curve, mixing, output,
        answer or AsFarAsAllowed(task.laws, task.constant, a, task.beta), rule,
    )  # fmt: skip


def at_the_edge(task: Task, p: Law) -> Learnt:
    """On the points 0 and 1: a law at C OPT + a/16 from p, and the point 1 as often as L may fail."""
    one = p[1] + task.constant * optimum(task.laws, p) + task.accuracy / 16
    return (Law({0: 1 - one, 1: one}), Fraction(15, 16)), (point(1), Fraction(1, 16))


def coin(one: Fraction | str) -> Law:
    """The law on 0 and 1 that gives 1 with this probability."""
    return Law({0: 1 - Fraction(one), 1: Fraction(one)})


def smallest_useful(constant: int) -> ReductionInstance:
    """OPT is the largest 1/n for which the bound is below 1, at alpha = 1/(n + 1)."""
    C = Fraction(constant)
    n = int(8 * C * C + 9 * C) + 1
    task, p = Task(ENDS, C, Fraction(1, n + 1)), coin(Fraction(1, n))
    return reduction(f"OPT = 1/{n}", task, p, at_the_edge(task, p))


def taught_by_one_record(alpha: Fraction, best: Fraction, beta: Fraction) -> ReductionInstance:
    """The minimum-distance estimator of the two ends, on blocks of one record and on T: C = 3, all real."""
    task, p = Task(ENDS, Fraction(3), alpha, beta, Epsilon("1/2")), coin(1 - best)
    learner = estimator(ENDS, task.accuracy / 16)
    learnt = tuple((learner((y,)), mass) for y, mass in p.items() if isinstance(mass, Fraction))
    a = task.accuracy
    runs = next(n for n in range(1, 10**5) if are_enough_records(n, 3, 2 * a, beta))
    return reduction(f"two ends, T = {runs}", task, p, learnt, Learning(estimator(ENDS, 2 * a), runs))


@family_of("thm-C.2")
def _reductions(sizes: FamilySizes) -> Iterator[Instance]:
    size, half = SIZES[sizes.preset], Fraction(1, 2)
    for turn, (values, runs, blocks, block_size) in enumerate(size.private_shapes):
        yield private_runs(small_setting(runs, blocks, block_size, turn, values), values)
    yield private_runs(randomised_setting(), 2)
    yield private_runs(ends_setting(1, 3, 1, small_mode()), 2)
    for constant in (1, 2, 3):
        yield smallest_useful(constant)
    yield taught_by_one_record(half, Fraction(1, 200), half)
    yield from _empirical(Fraction(9, 10), Fraction(0), 4)
    yield from _empirical(half, Fraction(1, 40), 23)
    curves = list(CURVES.values())[0 if size.every_curve else -1 :]
    for curve, (epsilon, delta) in product(curves, (("1/2", "1e-6"), ("99/100", "9/10"), ("1/10", "1/100"))):
        task = Task(ENDS, Fraction(1), half, half, Epsilon(epsilon), Fraction(delta))
        p = coin("1/50")
        yield reduction("OPT = 1/50", task, p, at_the_edge(task, p), curve=curve)
    if size.every_curve:
        yield taught_by_one_record(Fraction(9, 10), Fraction(1, 1000), Fraction(1, 10))
        yield _three_laws()


def _empirical(alpha: Fraction, best: Fraction, runs: int) -> Iterator[Instance]:
    """The empirical law of T records on two points is 1-agnostic: 2 e^(-2 T (2a)^2) <= 1/2."""
    task, p = Task(COINS, Fraction(1), alpha), coin(Fraction(1, 4) - best)
    yield reduction(f"coins, T = {runs}", task, p, at_the_edge(task, p), Learning(empirical(), runs))


def _three_laws() -> ReductionInstance:
    """Two laws on either side of p, and a far one, as often as allowed."""
    task, p = Task(COINS, Fraction(3), Fraction(1, 2)), coin("1/4")
    near = task.accuracy / 16
    learnt = (
        (coin(Fraction(1, 4) + near), Fraction(15, 32)),
        (coin(Fraction(1, 4) - near), Fraction(15, 32)),
        (point(1), Fraction(1, 16)),
    )
    return reduction("two close coins", task, p, learnt)


# -- sizes --


@dataclass(frozen=True)
class Polynomial:
    """m(alpha, beta) = ceil(f/(alpha^2 beta))."""

    factor: Fraction = Fraction(1)

    def __call__(self, alpha: Number, beta: Number) -> int:
        """The number of samples."""
        found = self.factor / (alpha * alpha * beta)
        assert isinstance(found, Fraction), "accuracies are rational"
        return -(-found.numerator // found.denominator)


@dataclass(frozen=True)
class ProgramSizes:
    """The sizes that the program's parameters have."""

    samples: Callable[[Number, Number], int]
    constant: Fraction
    alpha: Fraction
    beta: Fraction
    epsilon: Epsilon
    delta: Fraction

    def __call__(self) -> Sizes:
        """The sizes."""
        found = agnostic_parameters(self.samples, self.constant, self.alpha, self.beta, self.epsilon, self.delta)
        a, b, T = found.accuracy, found.block_size, found.runs
        return Sizes(a, b, T, found.delta0, found.blocks, found.records, found.loss)


def sizes_instance(constant: int, parameters: Sequence[str], samples: Callable[[Number, Number], int]) -> SizesInstance:
    """alpha, beta, epsilon and delta as text."""
    alpha, beta, epsilon, delta = parameters
    C, e = Fraction(constant), Epsilon(epsilon)
    a, b, d = Fraction(alpha), Fraction(beta), Fraction(delta)
    name = f"C = {C}, alpha, beta, epsilon, delta = {', '.join(parameters)}, {samples}"
    return SizesInstance(name, C, a, b, e, d, samples, ProgramSizes(samples, C, a, b, e, d))


PARAMETERS = (
    ("1/2", "1/10", "1/2", "1/100"), ("9/10", "9/10", "99/100", "99/100"), ("1/10", "1/20", "1/10", "1e-6"),
    ("3/4", "1/2", "ln(2)", "1/4"), ("1/100", "1/100", "ln(3/2)", "1/1000"), ("1/3", "1/3", "1/1000", "9/10"),
)  # fmt: skip
"""alpha, beta, epsilon and delta."""


@family_of("thm-1.6")
def _informal(sizes: FamilySizes) -> Iterator[Instance]:
    constants = (1, 3) if sizes.preset == "minimal" else (1, 2, 3, 10)
    for constant, parameters in product(constants, PARAMETERS):
        yield sizes_instance(constant, parameters, Polynomial())
