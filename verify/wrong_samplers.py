"""Samplers with one mistake each, for the controls: plausible ways to build one that are not private, or not useful."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations

from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.exponent import Epsilon
from exactdp.spec.joint import joint_law
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law, mixture
from exactdp.spec.mode import BOTTOM, mode_statistics
from exactdp.spec.number import Number, exp
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.sampler import (
    Dataset,
    Order,
    SamplerLines,
    average_law,
    blocks_of,
    total_variation,
)
from exactdp.spec.sampler_utility import SamplerParameters, Weighted, sampler_parameters
from exactdp.spec.standard_laws import point, uniform
from exactdp.spec.tuples import entries
from exactdp.verify.sampler_settings import HistogramLaw, LawOver, Mixing, Setting
from exactdp.verify.wrong_couplings import Wrong

# -- blocks and coins --


@Wrong
def sorted_blocks(data: Dataset, order: Order, blocks: int, block_size: int) -> tuple[Dataset, ...]:
    """The smallest records go into the first block, the next ones into the second, and so on."""
    return blocks_of(sorted(data, key=repr), tuple(range(len(data))), blocks, block_size)


@Wrong
def overlapping_blocks(data: Dataset, order: Order, blocks: int, block_size: int) -> tuple[Dataset, ...]:
    """Every block starts one record after the one before it, and the last ones begin again at the first record."""
    starts = range(blocks)
    return tuple(tuple(data[order[(j + n) % len(order)]] for n in range(block_size)) for j in starts)


@Wrong
def blocks_by_value(data: Dataset, order: Order, blocks: int, block_size: int) -> tuple[Dataset, ...]:
    """As many blocks as there are different records: k depends on the data."""
    return blocks_of(data, order, len(set(data)), block_size)


def _seeded(orders: Law, lines: SamplerLines) -> Law:
    return orders.product(lines.seeds.power(lines.blocks))


@Wrong
def ordered_by_the_data(data: Dataset, lines: SamplerLines) -> Law:
    """The permutation sorts the records."""
    return _seeded(point(tuple(sorted(range(len(data)), key=lambda i: repr(data[i])))), lines)


@Wrong
def rotated(data: Dataset, lines: SamplerLines) -> Law:
    """A random start, and from there in order: every record is as often first, but not all permutations occur."""
    n = lines.records
    return _seeded(uniform(tuple((i + j) % n for j in range(n)) for i in range(n)), lines)


@Wrong
def seeded_by_the_data(data: Dataset, lines: SamplerLines) -> Law:
    """All seeds are the one that the number of different records picks."""
    known = list(lines.seeds.support())
    picked = known[len(set(data)) % len(known)]
    return uniform(permutations(range(lines.records))).product(point((picked,) * lines.blocks))


@Wrong
def one_seed(data: Dataset, lines: SamplerLines) -> Law:
    """One seed for all blocks: they are right or wrong together. Private, since it does not depend on the data."""
    shared = lines.seeds.map(lambda seed: (seed,) * lines.blocks)
    return uniform(permutations(range(lines.records))).product(shared)


# -- modes --


class LowThreshold(NoisyThreshold):
    """The threshold is one too low: s = w."""

    @cached_property
    def threshold(self) -> int:
        """w."""
        return NoisyThreshold(self.epsilon, self.claimed).threshold - 1


class HalfTheNoise(NoisyThreshold):
    """Noise of scale 1/(2 epsilon) against the threshold that is right for 1/epsilon."""

    def release(self, distance: int) -> Number:
        """Pr[N >= s - D] with the smaller noise."""
        return self._tail(self.threshold - distance)

    def _tail(self, t: int) -> Number:
        if t <= 0:
            return 1 - self._tail(1 - t)
        return exp(self.epsilon * (-2 * t)) / (1 + exp(self.epsilon * -2))


class NoNoise(NoisyThreshold):
    """The distance is compared with the threshold as it is."""

    def release(self, distance: int) -> Number:
        """Always from the threshold on, and never below."""
        return Fraction(int(distance >= self.threshold))


@dataclass(frozen=True)
class FirstValueInstead:
    """A mode that answers with the first value of the data where it should decline to answer."""

    mode: StabilityBasedMode

    def __call__(self, values: Sequence[Hashable]) -> Law:
        """The law of the answer."""
        return self.mode(values).map(lambda y: values[0] if y is BOTTOM else y)

    def aggregated(self, laws: tuple[Law, ...]) -> Law:
        """The law of Aggregate with this mode."""
        joint = joint_law([law.power(1) for law in laws])
        return mixture((mass, self(entries(z))) for z, mass in joint.items())

    def between(self, factor: Number) -> Number:
        """H_E for a tie whose first value is a, and a majority of one for b."""
        mine, theirs = self("ab" * 9), self("bb" + "ab" * 8)
        return exact_divergence(mine, theirs, factor)


@dataclass(frozen=True)
class LikeliestInstead:
    """A mode that answers with the mode where it should decline to answer."""

    mode: StabilityBasedMode

    def between(self, factor: Number) -> Number:
        """H_E for majorities of one, for a and for b."""
        mine, theirs = (point(mode_statistics(values).mode) for values in ("ab" * 9 + "a", "ab" * 9 + "b"))
        return exact_divergence(mine, theirs, factor)


# -- laws on datasets --


@dataclass(frozen=True)
class AverageLaw:
    """The law of Sampler with these lines, which may be wrong ones."""

    lines: SamplerLines

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return average_law(self.lines, data)


@dataclass(frozen=True)
class LargestRecords:
    """Of more than bk records the largest are used."""

    setting: Setting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return HistogramLaw(self.setting)(tuple(sorted(data, key=repr))[-self.setting.lines.records :])


@dataclass(frozen=True)
class Padded:
    """Fewer than bk records are made up to so many by repeating the first."""

    setting: Setting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        missing = self.setting.lines.records - len(data)
        return HistogramLaw(self.setting)((*data, *data[:1] * missing))


@dataclass(frozen=True)
class Unshuffled:
    """The records are cut into blocks as they come; private, but its law depends on their order."""

    setting: Setting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        lines, n = self.setting.lines, self.setting.lines.records
        if len(data) < n:
            return point(lines.default)
        coins = ((mass, lines.learnt(lines.parts(data, tuple(range(n))), entries(seeds))) for seeds, mass in
                 lines.seeds.power(lines.blocks).items())  # fmt: skip
        return mixture((mass, lines.aggregate(laws)) for mass, laws in coins)


@dataclass(frozen=True)
class Resampled:
    """Blocks drawn with replacement from the data, where the histogram is to be used up."""

    setting: Setting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return LawOver(self.setting)(mixture((Fraction(1, len(data)), point(x)) for x in data))


@dataclass(frozen=True)
class Twice:
    """Two answers from the same data, with fresh coins: both are released."""

    lines: SamplerLines

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return average_law(self.lines, data).power(2)


# -- distances, mixtures and parameters --


@Wrong
def without_failures(p: Law, q: Law) -> Number:
    """Half the sum of |P - Q| over sequences alone: the failure symbol is left out."""
    missing = p[BOTTOM]
    return total_variation(p, q) - missing / 2


@dataclass(frozen=True)
class FirstOfTheList:
    """The first of the count vectors in place of their mixture."""

    mixing: Mixing

    def __call__(self, weighted: Weighted) -> Law:
        """The law of the answer."""
        return self.mixing([(weighted[0][0], 1)])


@Wrong
def half_the_blocks(length: int, beta: Fraction, epsilon: Epsilon, delta: Fraction) -> SamplerParameters:
    """k is half as large."""
    eta, delta0, blocks = sampler_parameters(length, beta, epsilon, delta)
    return SamplerParameters(eta, delta0, -(-blocks // 2))


@Wrong
def radius_of_aggregate(length: int, beta: Fraction, epsilon: Epsilon, delta: Fraction) -> SamplerParameters:
    """eta = beta/(16 l): four times as large."""
    eta, delta0, blocks = sampler_parameters(length, beta, epsilon, delta)
    return SamplerParameters(4 * eta, delta0, blocks)


@Wrong
def length_forgotten(length: int, beta: Fraction, epsilon: Epsilon, delta: Fraction) -> SamplerParameters:
    """eta = beta/64 for every l."""
    eta, delta0, blocks = sampler_parameters(length, beta, epsilon, delta)
    return SamplerParameters(length * eta, delta0, blocks)
