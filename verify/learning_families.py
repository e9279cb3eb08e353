"""Families of learners and of the private learners made from them, at the theorem's own parameters.

Learners are tried at every number of records up to a horizon. The program is enumerated on few records. The theorem is
looked at with hundreds of blocks: real learners on classes of two and three laws, and mock learners, given by what a
block teaches, which are as bad as they may be.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, pairwise, product
from typing import NamedTuple

from exactdp.reference.draw import law_of
from exactdp.reference.learned_law import black_box_law, law_from_draws, learned_law
from exactdp.reference.learners import (
    Learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
)
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.parameters import BlackBoxParameters, black_box_parameters
from exactdp.reference.private_learner import black_box_private_learner
from exactdp.reference.sample_complexity import sample_complexity
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.learning import (
    BlackBoxInstance,
    BlackBoxSizes,
    LearningInstance,
    Neighbours,
    PrivateLearnerInstance,
    PrivateLearnerLines,
)
from exactdp.spec.number import Number
from exactdp.spec.sampler import Dataset
from exactdp.spec.sampler_utility import OFTEN_WRONG, Learnt
from exactdp.spec.standard_laws import point
from exactdp.verify.families import Sizes, family_of
from exactdp.verify.sampler_families import BERNOULLIS, FAIR, LN_2, POINTS, ROTATIONS, mode_at, small_learners
from exactdp.verify.sampler_settings import (
    PROGRAM_STEPS,
    HistogramLaw,
    IndependentBlocks,
    Mock,
    Setting,
    counted_aggregate,
    learnt_from,
)

HORIZON = 20
"""The number of records up to which sample sizes are looked for."""

# -- learners --


@dataclass(frozen=True)
class SizeOf:
    """m of a learner on a class: the least m such that all n from m to the horizon are enough."""

    learner: Learner
    laws: tuple[Law, ...]
    horizon: int = HORIZON

    def __call__(self, alpha: Number, beta: Number) -> int:
        """m(alpha, beta)."""
        return _size_of(self, alpha, beta)


@lru_cache(maxsize=1024)
def _size_of(of: SizeOf, alpha: Number, beta: Number) -> int:
    found = sample_complexity(of.learner, of.laws, alpha, beta, of.horizon).size
    assert found is not None, "the horizon is far enough for these classes"
    return found


@dataclass(frozen=True)
class Given:
    """m that is given: of a block, where a failure probability of 1/16 is asked for, and of a sample."""

    block: int
    sample: int

    def __call__(self, alpha: Number, beta: Number) -> int:
        """m(alpha, beta)."""
        return self.block if beta == OFTEN_WRONG else self.sample


@dataclass(frozen=True)
class LearntFromData:
    """The law of L(S), over the seeds."""

    learner: Learner

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return learned_law(point(data), self.learner)


@dataclass(frozen=True)
class LearntOver:
    """The law of L(S) over S ~ p^n and the seeds."""

    learner: Learner

    def __call__(self, p: Law, records: int) -> Law:
        """The law of the answer."""
        return _learnt_over(self.learner, p, records)


@lru_cache(maxsize=4096)
def _learnt_over(learner: Learner, p: Law, records: int) -> Law:
    return law_from_draws(p, draws=records, final=learner)


def taught(
    name: str,
    laws: Sequence[Law],
    learner: Learner,
    alpha: str,
    beta: str,
    *,
    horizon: int = 12,
    written: int = 2,
) -> LearningInstance:
    """A learner on a class, at its exact sample size."""
    a, b, members = Fraction(alpha), Fraction(beta), tuple(laws)
    size = SizeOf(learner, members, horizon)
    easier = ((a, (1 + b) / 2), ((1 + a) / 2, b))
    return LearningInstance(
        f"{name}, {learner.name}, alpha {alpha}, beta {beta}", members, a, b, size, horizon,
        LearntOver(learner), LearntFromData(learner), written, easier, True,
    )  # fmt: skip


LIKELIEST = maximum_likelihood(BERNOULLIS)
LIKELIEST_OF_THREE = maximum_likelihood(ROTATIONS)
SOMETIMES_FIRST = randomised(LIKELIEST, first_record(), "1/3")
COINS = Law({0: "1/4", 1: "3/4"}), Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})


@family_of("def-1.2")
def _learners(sizes: Sizes) -> Iterator[Instance]:
    full = sizes.preset == "full"
    for beta in ("1/10", "1/20", "1/40", "1/1000"):
        yield taught("two Bernoulli laws", BERNOULLIS, LIKELIEST, "1/4", beta, horizon=HORIZON if full else 12)
    yield taught("two Bernoulli laws, at their distance", BERNOULLIS, LIKELIEST, "9/10", "1/10", horizon=8)
    yield taught("point laws", POINTS, first_record(), "1/4", "1/10", horizon=3)
    yield taught("three laws on three points", ROTATIONS, LIKELIEST_OF_THREE, "1/4", "1/20", horizon=6, written=1)
    yield taught("coins", COINS[::2], empirical(), "2/5", "3/10", horizon=HORIZON if full else 10)
    yield taught("two Bernoulli laws", BERNOULLIS, SOMETIMES_FIRST, "1/4", "1/20", horizon=6, written=4)
    only = Learner(_fair, "the only law", symmetric=True)
    yield LearningInstance(
        "one law, which needs no record", (FAIR,), Fraction(1, 4), Fraction(1, 10), Given(0, 0), 3,
        LearntOver(only), LearntFromData(only), 2,
    )  # fmt: skip


def _fair(block: Sequence[Hashable], seed: Hashable) -> Law:
    return FAIR


# -- the program --


@dataclass(frozen=True)
class LearnerProgram:
    """The law of the program `black_box_private_learner` on a dataset, enumerated."""

    setting: Setting
    final: Learner

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return _enumerated(self, data)


@lru_cache(maxsize=1024)
def _enumerated(learner: LearnerProgram, data: Dataset) -> Law:
    s = learner.setting
    program = partial(
        black_box_private_learner, learner=s.learner, final=learner.final, blocks=s.blocks, block_size=s.block_size,
        mode=s.mode, length=s.length,
    )  # fmt: skip
    return law_of(program, data, budget=PROGRAM_STEPS)


@dataclass(frozen=True)
class CountedLearner:
    """Its law from the histogram of the data alone."""

    setting: Setting
    final: Learner

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        s = self.setting
        return black_box_law(
            data, learner=s.learner, final=self.final, blocks=s.blocks, block_size=s.block_size, mode=s.mode,
            length=s.length,
        )  # fmt: skip


def written_out(setting: Setting, final: Learner, data: Dataset) -> PrivateLearnerInstance:
    """The lines and the program on a dataset."""
    sampled = HistogramLaw(setting)
    lines = PrivateLearnerLines(sampled, final, final.seeds, setting.lines.records, setting.mode.default)
    name = f"{setting}, then {final.name}, {data}"
    return PrivateLearnerInstance(name, data, lines, LearnerProgram(setting, final), CountedLearner(setting, final))


SHAPES = {
    "minimal": ((2, 1, 1), (2, 2, 1), (2, 3, 1), (2, 2, 2)),
    "full": ((2, 1, 1), (2, 2, 1), (2, 3, 1), (2, 2, 2), (2, 4, 1), (3, 3, 1), (3, 2, 2)),
}
"""(values, blocks, records in a block) of the settings in which the program is enumerated."""
MODE = mode_at(LN_2, "1/3")


@family_of("alg-3")
def _programs(sizes: Sizes) -> Iterator[Instance]:
    for values, blocks, block_size in SHAPES[sizes.preset]:
        n, length = blocks * block_size, (2 if blocks * block_size < 3 else 1)
        finals = random_record(length), empirical(), first_record()
        for turn, learner in enumerate(small_learners(values, block_size)[: 6 if n < 3 else 3]):
            setting = Setting(learner, blocks, block_size, MODE, length)
            for ones in range(n + 1) if n < 4 else (0, n // 2):
                yield written_out(setting, finals[turn % 3], (1,) * ones + (0,) * (n - ones))
            yield written_out(setting, finals[turn % 3], (0,) * (n - 1))
    always = replace(MODE, default=(1,))
    yield written_out(Setting(first_record(), 2, 1, always), empirical(), (0, 1))
    yield written_out(Setting(first_record(), 2, 1, always), empirical(), (0,))


# -- the theorem --


@dataclass(frozen=True)
class SampledOver:
    """The law of Sampler's answer over S ~ p^n, as a function of p."""

    learnt: Callable[[Law], Learnt]
    blocks: int
    mode: StabilityBasedMode
    length: int

    def __call__(self, p: Law) -> Law:
        """The law of the sample."""
        return _sampled(IndependentBlocks(self.learnt(p), self.blocks, self.mode, self.length))


@lru_cache(maxsize=256)
def _sampled(blocks: IndependentBlocks) -> Law:
    return blocks()


@dataclass(frozen=True)
class Finally:
    """From the law of a sample to that of what is learnt from it."""

    final: Learner

    def __call__(self, samples: Law) -> Law:
        """The law of the answer."""
        return learned_law(samples, self.final)


@dataclass(frozen=True)
class AnsweredOver:
    """The law of the answer over S ~ p^n, as a function of p."""

    sampled: Callable[[Law], Law]
    final: Callable[[Law], Law]

    def __call__(self, p: Law) -> Law:
        """The law of the answer."""
        return self.final(self.sampled(p))


@dataclass(frozen=True)
class CountNeighbours:
    """Neighbouring count vectors of two of these laws in k blocks: all, or those with a gap of at most `within`."""

    laws: tuple[Law, ...]
    blocks: int
    mode: StabilityBasedMode
    length: int
    final: Callable[[Law], Law]
    within: int | None = None

    def __call__(self) -> Iterable[Neighbours]:
        """The laws of the sample and of the answer on neighbours, each pair once."""
        return _neighbours(self)


@lru_cache(maxsize=64)
def _neighbours(on: CountNeighbours) -> list[Neighbours]:
    k, found = on.blocks, list[Neighbours]()
    for pair in combinations(on.laws, 2):
        counted = counted_aggregate(pair, on.mode, on.length)
        counts = [n for n in range(k + 1) if on.within is None or abs(2 * n - k) <= on.within]
        samples = [counted.law((n, k - n)) for n in counts]
        answers = [on.final(law) for law in samples]
        found += map(Neighbours, pairwise(samples), pairwise(answers))
    return found


class Asked(NamedTuple):
    """alpha, beta, epsilon and delta."""

    alpha: str
    beta: str
    epsilon: str
    delta: str

    def __str__(self) -> str:
        return f"alpha {self.alpha}, beta {self.beta}, epsilon {self.epsilon}, delta {self.delta}"


LOW = Asked("1/4", "9/10", "ln(2)", "1/100")
USUAL = Asked("1/4", "1/2", "1/2", "1/100")
HIGH = Asked("1/4", "1/10", "ln(2)", "1e-6")


def sizes_of(found: BlackBoxParameters) -> BlackBoxSizes:
    """The parameters as the item looks at them."""
    s = found.sampler
    return BlackBoxSizes(s.length, Fraction(str(s.eta)), s.block_size, Fraction(str(s.delta0)), s.blocks)


@dataclass(frozen=True)
class Reduction:
    """A class, m, what a block of so many records teaches, the learner that ends, and what is asked."""

    name: str
    laws: tuple[Law, ...]
    complexity: Callable[[Number, Number], int]
    learnt: Callable[[int], Callable[[Law], Learnt]]
    outputs: tuple[Law, ...]
    final: Learner
    asked: Asked
    within: int | None = None

    @property
    def parameters(self) -> BlackBoxParameters:
        """The theorem's own."""
        return black_box_parameters(self.complexity, *self.asked)

    def instance(self, sizes: BlackBoxSizes | None = None, mode: StabilityBasedMode | None = None) -> BlackBoxInstance:
        """The instance with the theorem's parameters and mode, unless others are given."""
        found, asked = self.parameters, self.asked
        set_to, curve = sizes or sizes_of(found), mode or found.mode()
        learnt, final = self.learnt(set_to.block_size), Finally(self.final)
        sampled = SampledOver(learnt, set_to.blocks, curve, set_to.length)
        pairs = CountNeighbours(self.outputs, set_to.blocks, curve, set_to.length, final, self.within)
        audited = (
            "all neighbouring count vectors" if len(self.outputs) == 2 else "neighbouring count vectors of two laws"
        )
        return BlackBoxInstance(
            f"{self.name}, {set_to.blocks} blocks of {set_to.block_size}, length {set_to.length}, {asked}", self.laws,
            Fraction(asked.alpha), Fraction(asked.beta), asked.epsilon, Fraction(asked.delta), self.complexity, set_to,
            learnt, sampled, final, AnsweredOver(sampled, final), curve.curve.delta, pairs,
            audited if self.within is None else f"{audited} with a gap of at most {self.within}",
        )  # fmt: skip


@dataclass(frozen=True)
class TaughtBlocks:
    """What a block of so many records teaches, as a function of p."""

    learner: Learner
    block_size: int

    def __call__(self, p: Law) -> Learnt:
        """The distinct laws, and how likely each is."""
        return _taught(self, p)


@lru_cache(maxsize=256)
def _taught(by: TaughtBlocks, p: Law) -> Learnt:
    return learnt_from(by.learner, by.block_size, p)


@dataclass(frozen=True)
class BlockLearner:
    """What blocks of so many records teach."""

    learner: Learner

    def __call__(self, block_size: int) -> TaughtBlocks:
        """From p to what a block teaches."""
        return TaughtBlocks(self.learner, block_size)


@dataclass(frozen=True)
class MockBlocks:
    """What blocks teach, whatever their size and the data."""

    learnt: Learnt

    def __call__(self, block_size: int) -> Callable[[Law], Learnt]:
        """From p to what a block teaches."""
        return Mock(self.learnt)


def reduction(name: str, laws: tuple[Law, ...], learner: Learner, asked: Asked, within: int | None = None) -> Reduction:
    """The private learner made from one learner, on a class of laws that it always answers with."""
    return Reduction(name, laws, SizeOf(learner, laws), BlockLearner(learner), laws, learner, asked, within)


BIASED, WIDE = Law({0: "9/10", 1: "1/10"}), Law({0: "1/3", 1: "1/3", 2: "1/3"})
THREE_RECORDS = maximum_likelihood((FAIR, BIASED, WIDE))
"""From three fair coins it learns the biased one with probability exactly 1/8: when all show 0."""


def mock_reduction(asked: Asked = USUAL, within: int | None = None) -> Reduction:
    """Blocks teach a coin just within eta, and a far law as often as is allowed; L too fails as often as it may."""
    m = Given(1, 3)
    shift = sizes_of(black_box_parameters(m, *asked)).eta - Fraction(1, 10**6)
    near = Law({0: Fraction(1, 2) + shift, 1: Fraction(1, 2) - shift})
    learnt = (near, 1 - OFTEN_WRONG), (WIDE, OFTEN_WRONG)
    return Reduction("a fair coin", (FAIR,), m, MockBlocks(learnt), (near, WIDE), THREE_RECORDS, asked, within)


@family_of("thm-5.1")
def _private_learners(sizes: Sizes) -> Iterator[Instance]:
    yield reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, LOW).instance()
    yield reduction("point laws", POINTS[:2], first_record(), LOW).instance()
    yield mock_reduction(within=24).instance()
    if sizes.preset == "full":
        yield reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, USUAL).instance()
        yield reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, HIGH).instance()
        yield reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, Asked("1/4", "1/100", "ln(2)", "1e-9")).instance()
        yield reduction("three laws on three points", ROTATIONS, LIKELIEST_OF_THREE, USUAL).instance()
        yield reduction("point laws", POINTS, first_record(), USUAL).instance()
        yield mock_reduction().instance()
        yield mock_reduction(USUAL._replace(delta="99/100")).instance()


@family_of("conj-1.1")
def _learnable_classes(sizes: Sizes) -> Iterator[Instance]:
    yield reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, LOW).instance()
    yield reduction("point laws", POINTS[:2], first_record(), LOW).instance()
    if sizes.preset == "full":
        for epsilon, delta in (("1/10", "1/2"), *product(("ln(2)", "99/100"), ("1/2", "1e-6"))):
            asked = USUAL._replace(epsilon=epsilon, delta=delta)
            yield reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, asked).instance()
