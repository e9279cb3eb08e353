"""What Sampler is set to, and its exact laws, as values that an instance brings along.

A `Setting` is a learner, k, b, a mode and l. From it come the lines of the algorithm, the law of the enumerated
program, the law from a histogram, the law over S ~ p^n for hundreds of blocks, and the worst delta over count vectors.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.draw import law_of
from exactdp.reference.learners import Learner
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sampler import sampler
from exactdp.reference.sampler_law import sampler_law
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.sampler import Dataset, SamplerLines, output_law
from exactdp.spec.sampler_utility import Learnt, Weighted, weighted_counts
from exactdp.spec.standard_laws import point
from exactdp.verify.count_audit import audit_aggregate
from exactdp.verify.histogram_audit import audit_sampler

PROGRAM_STEPS = 10**6
"""The budget of an enumerated program."""


@lru_cache(maxsize=4096)
def counted_aggregate(laws: tuple[Law, ...], mode: StabilityBasedMode, length: int) -> CountedAggregate:
    """Aggregate on tuples of these distinct laws."""
    return CountedAggregate(laws, mode, length)


@dataclass(frozen=True)
class Aggregating:
    """The law of Aggregate for a tuple of laws."""

    mode: StabilityBasedMode
    length: int = 1

    def __call__(self, laws: tuple[Law, ...]) -> Law:
        """The law of the answer."""
        distinct = tuple(dict.fromkeys(laws))
        return counted_aggregate(distinct, self.mode, self.length).law([laws.count(law) for law in distinct])


@dataclass(frozen=True)
class Setting:
    """A learner, k, b, a mode and l: what Sampler needs beside the data."""

    learner: Learner
    blocks: int
    block_size: int
    mode: StabilityBasedMode
    length: int = 1

    @property
    def lines(self) -> SamplerLines:
        """What the lines of the algorithm use."""
        answer = Aggregating(self.mode, self.length)
        learner = self.learner
        return SamplerLines(learner, learner.seeds, self.blocks, self.block_size, answer, self.mode.default)

    @property
    def learnt_by(self) -> Callable[[Law], Learnt]:
        """What one block teaches, by the law of the data."""
        return partial(learnt_from, self.learner, self.block_size)

    def __str__(self) -> str:
        curve, shape = self.mode.curve, f"k = {self.blocks}, b = {self.block_size}, l = {self.length}"
        return f"{self.learner.name}, {shape}, {curve.name}, epsilon {curve.epsilon}"


def learnt_from(learner: Learner, block_size: int, p: Law) -> Learnt:
    """The distinct laws that a block of records from p teaches, and how likely each is.

    Raises `InvalidArgument` for a law p with masses that are not rational.
    """
    outputs = BlockOutputs(learner, tuple(p.support()), block_size)
    found: list[tuple[Law, Fraction]] = []
    for law, chance in zip(outputs.laws, outputs.probabilities(p), strict=True):
        if not isinstance(chance, Fraction):
            raise InvalidArgument("p", p, "a law with rational masses")
        if chance:
            found.append((law, chance))
    return tuple(found)


@dataclass(frozen=True)
class ProgramLaw:
    """The law of the program `sampler` on a dataset, enumerated."""

    setting: Setting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return _enumerated(self.setting, data)


@lru_cache(maxsize=4096)
def _enumerated(s: Setting, data: Dataset) -> Law:
    program = partial(
        sampler, learner=s.learner, blocks=s.blocks, block_size=s.block_size, mode=s.mode, length=s.length
    )
    return law_of(program, data, budget=PROGRAM_STEPS)


@dataclass(frozen=True)
class HistogramLaw:
    """Sampler's law on a dataset, from its histogram alone."""

    setting: Setting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return _from_histogram(self.setting, data)


@lru_cache(maxsize=4096)
def _from_histogram(setting: Setting, data: Dataset) -> Law:
    return sampler_law(
        data,
        learner=setting.learner,
        blocks=setting.blocks,
        block_size=setting.block_size,
        mode=setting.mode,
        length=setting.length,
    )


@dataclass(frozen=True)
class LawOver:
    """Sampler's law over S ~ p^n, as a function of p."""

    setting: Setting

    def __call__(self, p: Law) -> Law:
        """The law of the answer."""
        return _over(self.setting, p)


@lru_cache(maxsize=256)
def _over(setting: Setting, p: Law) -> Law:
    return IndependentBlocks(setting.learnt_by(p), setting.blocks, setting.mode, setting.length)()


@dataclass(frozen=True)
class Mixing:
    """The law of Aggregate when the count vector of these laws is random."""

    laws: tuple[Law, ...]
    mode: StabilityBasedMode
    length: int = 1

    def __call__(self, weighted: Weighted) -> Law:
        """The law of the answer, for count vectors with weights."""
        return counted_aggregate(self.laws, self.mode, self.length).mixture(weighted)


@dataclass(frozen=True)
class IndependentBlocks:
    """Sampler's law when k blocks teach independently: over S ~ p^n, or with a mock learner."""

    learnt: Learnt
    blocks: int
    mode: StabilityBasedMode
    length: int = 1

    def __call__(self) -> Law:
        """The law of the answer."""
        mixing = Mixing(tuple(law for law, _ in self.learnt), self.mode, self.length)
        return mixing(list(weighted_counts(self.blocks, self.learnt)))


@dataclass(frozen=True)
class WorstOverCounts:
    """The exact sup of H_E over all pairs of neighbouring tuples of k of these laws, by their count vectors."""

    laws: tuple[Law, ...]
    blocks: int
    mode: StabilityBasedMode
    length: int = 1

    def __call__(self, factor: Number) -> Number:
        """The worst delta at E = factor."""
        return _worst(self, factor)


@dataclass(frozen=True)
class WorstOverHistograms:
    """The exact sup of H_E over all neighbouring datasets of b k records from a domain, by their histograms."""

    setting: Setting
    domain: tuple[Hashable, ...]

    def __call__(self, factor: Number) -> Number:
        """The worst delta at E = factor."""
        s = self.setting
        return audit_sampler(
            learner=s.learner, domain=self.domain, blocks=s.blocks, block_size=s.block_size,
            mode=s.mode, length=s.length, factor=factor,
        ).worst_delta  # fmt: skip


@lru_cache(maxsize=64)
def _worst(over: WorstOverCounts, factor: Number) -> Number:
    counted = counted_aggregate(over.laws, over.mode, over.length)
    return audit_aggregate(counted, over.blocks, factor=factor).worst_delta


@dataclass(frozen=True)
class Mock:
    """A learner that is given by what it teaches under one law, whatever the data."""

    taught: Learnt

    def __call__(self, p: Law) -> Learnt:
        """What a block teaches."""
        return self.taught


@dataclass(frozen=True)
class MockOver:
    """Sampler's law with a mock learner."""

    sampled: IndependentBlocks

    def __call__(self, p: Law) -> Law:
        """The law of the answer."""
        return self.sampled()


@dataclass(frozen=True)
class Released:
    """The first records as they are: a perfect sampler, and not private."""

    length: int

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return point(data[: self.length])

    def law_over(self, p: Law) -> Law:
        """The law of the answer over S ~ p^2."""
        return output_law(self, p, 2)
