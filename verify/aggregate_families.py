"""Families of tuples to aggregate: all of small grids, what hides bugs when it is missing, and tuples of full size.

Laws with disjoint supports and point masses stand among them: with full supports alone privacy would test nothing. The
programs are enumerated; tuples of few distinct laws are given by counts, with k in the hundreds.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations, product
from math import ceil
from typing import Any, NamedTuple

from exactdp.reference.aggregate import aggregate
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.draw import law_of
from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.aggregate import AggregateInstance, Counts, Laws, NeighboursInstance
from exactdp.spec.aggregate_utility import (
    GuaranteeInstance,
    UtilityInstance,
    close_laws,
    closeness_of,
    fewest_close,
    inner_delta,
    least_blocks_of_aggregate,
)
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.release_curve import CURVES, NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.spec.standard_laws import point
from exactdp.verify.coupling_families import RESPONSES, STRANGERS, WORKED, grid_named, tight_pair, tight_tuple
from exactdp.verify.families import Sizes, family_of, grid_laws, law_of_counts

REFERENCE = NoisyThreshold("ln(2)", "1/3")
"""Threshold s = 2, r_1 = 1/3."""
HALF = NoisyThreshold("1/2", "1/3")


class AggregateSizes(NamedTuple):
    """How large the families of this module are."""

    algorithm_grids: tuple[tuple[int, int, int, int], ...]
    """(k, points, denominator, records) of each grid whose k-tuples the program is enumerated on."""
    neighbour_grids: tuple[tuple[int, int, int, int], ...]
    """(k, points, denominator, records) of each grid: all moves of one law among all multisets of k laws."""
    utility_counts: tuple[int, ...]
    """Every k for which all counts of two laws of a grid are tried."""
    utility_denominator: int
    lengths: tuple[int, ...]
    parameters: tuple[tuple[str, str, str], ...]
    """(epsilon, delta, beta) of each tuple at the corollary's own constants."""


SIZES: Mapping[str, AggregateSizes] = {
    "minimal": AggregateSizes(
        algorithm_grids=((1, 2, 2, 1), (2, 2, 2, 2), (3, 2, 2, 1), (2, 3, 2, 1)),
        neighbour_grids=((1, 3, 1, 1), (2, 2, 2, 1), (3, 3, 1, 1), (4, 2, 1, 1), (2, 2, 1, 2)),
        utility_counts=(4,),
        utility_denominator=3,
        lengths=(1, 2, 3),
        parameters=(("1/2", "1/100", "1/2"), ("ln(2)", "1e-6", "1/10")),
    ),
    "full": AggregateSizes(
        algorithm_grids=((1, 3, 2, 2), (2, 2, 3, 2), (3, 2, 3, 1), (2, 3, 3, 1), (4, 2, 2, 1), (3, 3, 1, 2)),
        neighbour_grids=(
            (1, 3, 2, 1), (2, 3, 2, 1), (3, 3, 1, 1), (4, 2, 2, 1), (5, 2, 1, 1), (4, 3, 1, 1), (2, 2, 2, 2),
        ),
        utility_counts=(3, 4, 5, 6),
        utility_denominator=4,
        lengths=(1, 2, 3),
        parameters=(
            ("1/2", "1/100", "1/2"), ("ln(2)", "1e-6", "1/10"), ("ln(2)", "1/2", "9/10"), ("1/4", "1/10", "1/4"),
            ("9/10", "1e-3", "1/3"),
        ),
    ),
}  # fmt: skip


# -- what the programs do, as laws --


@dataclass(frozen=True)
class ProgramTrace:
    """The joint law of what the program `aggregate` draws in its first line and what it answers, enumerated."""

    mode: StabilityBasedMode

    def __call__(self, laws: Sequence[Law], length: int) -> Law:
        """The law over pairs (values, answer)."""
        return law_of(partial(self._traced, length=length), tuple(laws))

    def _traced(self, laws: Sequence[Law], draw: Callable[[Law], Any], *, length: int) -> object:
        drawn: list[Hashable] = []

        def noted(law: Law) -> Hashable:
            drawn.append(draw(law))
            return drawn[-1]

        answer = aggregate(laws, noted, mode=self.mode, length=length)
        return drawn[0], answer


@dataclass(frozen=True)
class Program:
    """The law of the program `aggregate`, enumerated; of a tuple, or of distinct laws with counts."""

    mode: StabilityBasedMode

    def __call__(self, laws: Sequence[Law], length: int) -> Law:
        """The law of the answer."""
        return law_of(partial(aggregate, mode=self.mode, length=length), tuple(laws))


@dataclass(frozen=True)
class Counted:
    """The law of Aggregate by patterns of the distinct laws."""

    mode: StabilityBasedMode

    def __call__(self, laws: Sequence[Law], counts: Counts, length: int) -> Law:
        """The law of the answer when laws[i] occurs counts[i] times."""
        return CountedAggregate(tuple(laws), self.mode, length).law(counts)


@dataclass(frozen=True)
class CountedTuple:
    """The same for a tuple: its laws are counted first."""

    mode: StabilityBasedMode

    def __call__(self, laws: Sequence[Law], length: int) -> Law:
        """The law of the answer."""
        distinct = tuple(dict.fromkeys(laws))
        counts = tuple(sum(law == one for law in laws) for one in distinct)
        return CountedAggregate(distinct, self.mode, length).law(counts)


def modes_of(epsilon: str, delta: str) -> Iterator[StabilityBasedMode]:
    """The stability-based mode with every release curve."""
    for kind in CURVES.values():
        yield StabilityBasedMode(kind(epsilon, delta))


# -- the algorithm --


def algorithm_instance(name: str, laws: Laws, length: int, mode: StabilityBasedMode) -> Instance:
    """The program beside the sum over the joint law, and the law from counts."""
    return AggregateInstance(name, laws, length, mode, ProgramTrace(mode), (Program(mode), CountedTuple(mode)))


@family_of("alg-1")
def _algorithm(sizes: Sizes) -> Iterator[Instance]:
    own, mode = SIZES[sizes.preset], StabilityBasedMode(REFERENCE)
    for k, points, n, length in own.algorithm_grids:
        for name, laws in grid_named(k, points, n, ordered=True):
            yield algorithm_instance(f"{name}, {length} records", laws, length, mode)
    pair = law_of_counts((3, 1)), law_of_counts((1, 1))
    for each in (*modes_of("ln(2)", "1/3"), StabilityBasedMode(REFERENCE, default=(0,))):
        shown = f"{each.curve.name}, default {each.default}"
        yield algorithm_instance(f"the worked example, {shown}", WORKED, 1, each)
        yield algorithm_instance(f"(3/4, 1/4) twice and (1/2, 1/2), 2 records, {shown}", (pair[0], *pair), 2, each)
    yield algorithm_instance("an answer of three, epsilon 1/2", RESPONSES, 1, StabilityBasedMode(HALF))
    yield algorithm_instance("outcomes of different kinds", STRANGERS[:3], 1, mode)
    yield algorithm_instance("half in common, three times", (*tight_pair(Fraction(1, 2)), WORKED[0]), 1, mode)
    yield algorithm_instance("one point", (point("a"),) * 5, 3, mode)


# -- privacy --


def neighbours_instance(name: str, before: Laws, after: Laws, length: int, mode: StabilityBasedMode) -> Instance:
    """Two tuples with the mode's own E and delta = r_1."""
    curve = mode.curve
    return NeighboursInstance(name, before, after, length, mode, curve.factor, curve.delta)


def moves(laws: Sequence[Law], k: int) -> Iterator[tuple[Laws, Laws]]:
    """All pairs of k-tuples that differ in their last law, up to the order of the other laws."""
    for others in combinations_with_replacement(laws, k - 1):
        for mine, theirs in permutations(laws, 2):
            yield (*others, mine), (*others, theirs)


@family_of("prop-B.1")
def _neighbours(sizes: Sizes) -> Iterator[Instance]:
    own, mode = SIZES[sizes.preset], StabilityBasedMode(REFERENCE)
    for k, points, n, length in own.neighbour_grids:
        for number, (before, after) in enumerate(moves(list(grid_laws(points, n)), k)):
            name = f"{k} laws on {points} points over {n}, {length} records, move {number}"
            yield neighbours_instance(name, before, after, length, mode)
    mixed: Laws = (point(0), point(1), law_of_counts((1, 1, 0)), law_of_counts((0, 1, 1)))
    for number, (before, after) in enumerate(moves(mixed, 2)):
        yield neighbours_instance(f"points and halves, move {number}", before, after, 1, mode)
    for each in (*modes_of("1/2", "1/3"), *modes_of("ln(2)", "1/6")):
        shown = f"{each.curve.name}, epsilon {each.curve.epsilon}"
        yield neighbours_instance(f"points, {shown}", (point(0),) * 4, (*(point(0),) * 3, point(1)), 1, each)
        changed = (point(1), WORKED[0], WORKED[0], WORKED[2])
        yield neighbours_instance(f"the first law of four, {shown}", (point(0), *changed[1:]), changed, 1, each)


# -- utility --


def utility_instance(
    name: str,
    target: Law,
    counted: Mapping[Law, int],
    curve: ReleaseCurve,
    *,
    eta: Number,
    share: Fraction = Fraction(1, 8),
    length: int = 1,
    part: Fraction = Fraction(1),
) -> UtilityInstance:
    """The instance with a part of the largest tau that is allowed, 2(1 - c)|J| - k, and the curve's own failure there.

    Where 2(1 - c)|J| - k is not positive, it does not meet the hypotheses.
    """
    mode, laws, counts = StabilityBasedMode(curve), tuple(counted), tuple(counted.values())
    tau = part * (2 * (1 - share) * sum(counts[i] for i in close_laws(laws, target, eta)) - sum(counts))
    failure = curve.failure(max(0, ceil(tau)))
    return UtilityInstance(name, target, laws, counts, length, eta, share, tau, mode, failure, forms=(Counted(mode),))


def half_and_half(k: int, t: Fraction) -> tuple[Law, dict[Law, int]]:
    """p = (1 - 2t, t, t), and k/2 copies each of two laws that move one of the masses t to a point of its own."""
    target, first, second = tight_tuple(2, t)
    return target, {first: k // 2, second: k - k // 2}


@family_of("prop-B.2")
def _useful(sizes: Sizes) -> Iterator[Instance]:
    own = SIZES[sizes.preset]
    for k in own.utility_counts:
        yield from _small_tuples(k, list(grid_laws(2, own.utility_denominator)))
    target, counted = half_and_half(100, Fraction(1, 2000))
    for kind in CURVES.values():
        curve = kind("1/2", "1/100")
        yield utility_instance(f"two halves, k = 100, {curve.name}", target, counted, curve, eta=Fraction(1, 2000))
    far = {**counted, point("far"): 8}
    yield utility_instance("two halves and 8 far", target, far, HALF, eta=Fraction(1, 2000), share=Fraction(1, 6))
    for length in own.lengths:
        coin, close = law_of_counts((3, 1)), law_of_counts((751, 249))
        name = f"coins, k = 267, {length} records"
        eta, curve = Fraction(1, 1000), NoisyThreshold("1/2", "1/100")
        counted = {coin: 200, close: 50, point(2): 17}
        for part in (Fraction(1), Fraction(1, 4)):
            at = f"{name}, {part} of the largest tau"
            yield utility_instance(at, coin, counted, curve, eta=eta, length=length, part=part)
        name = f"the target is no law of the tuple, {length} records"
        yield utility_instance(name, close, {coin: 250, point(2): 17}, curve, eta=eta, length=length)


def _small_tuples(k: int, laws: Sequence[Law]) -> Iterator[Instance]:
    """All targets and pairs of laws of a grid, all counts; with two records where the two laws are unlike."""
    curve = OptimalRelease("ln(2)", "1/6")
    for target, (p, q) in product(laws, permutations(laws, 2)):
        for n in range(1, k):
            for eta, share in ((Fraction(0), Fraction(1, 8)), (Fraction(1, 3), Fraction(1, 4))):
                name = f"{n} of {k} laws, target {target[0]}, laws {p[0]} and {q[0]}, eta {eta}"
                counted = {p: n, q: k - n}
                yield utility_instance(name, target, counted, curve, eta=eta, share=share, length=1 + n % 2)


# -- the corollary's constants --


def close_tuple(k: int, length: int, eta: Number) -> tuple[Law, Laws, Counts]:
    """A target, two laws at distance exactly eta and one far law; exactly ceil(7k/8) of the k laws are close."""
    close = fewest_close(k)
    counts = close - close // 2, close // 2, k - close
    if length == 1:
        target, first, second = tight_tuple(2, Fraction(str(eta)))
    else:
        target = law_of_counts((3, 1))
        first, second = (Law({0: Fraction(3, 4) + d, 1: Fraction(1, 4) - d}) for d in (eta, -eta))
    laws = (first, second, point("far"))
    return target, laws if counts[-1] else laws[:-1], counts if counts[-1] else counts[:-1]


def guarantee_instance(
    parameters: tuple[str, str, str], length: int, kind: type[ReleaseCurve] = NoisyThreshold, **changes: Any
) -> GuaranteeInstance:
    """The least k that the corollary allows, exactly ceil(7k/8) laws at distance exactly eta, the others far."""
    epsilon, delta, beta = Epsilon(parameters[0]), Fraction(parameters[1]), Fraction(parameters[2])
    k = changes.pop("k", None) or least_blocks_of_aggregate(epsilon, delta, beta)
    target, laws, counts = close_tuple(k, length, changes.pop("eta", None) or closeness_of(beta, length))
    curve = kind(epsilon, changes.get("inner", inner_delta)(delta, beta))
    mode = changes.pop("mode", None) or StabilityBasedMode(curve)
    name = f"epsilon {epsilon}, delta {delta}, beta {beta}: k = {k}, {length} records, {kind.name}"
    forms = changes.pop("forms", (Counted(mode),) if isinstance(mode, StabilityBasedMode) else ())
    name = changes.pop("name", name)
    return GuaranteeInstance(
        name, str(epsilon), delta, beta, length, target, laws, counts, mode, forms=forms, **changes
    )


@family_of("cor-B.4")
def _guarantees(sizes: Sizes) -> Iterator[Instance]:
    own = SIZES[sizes.preset]
    for parameters, length, kind in product(own.parameters, own.lengths, CURVES.values()):
        yield guarantee_instance(parameters, length, kind)


@family_of("thm-4.1")
def _informal(sizes: Sizes) -> Iterator[Instance]:
    for parameters in SIZES[sizes.preset].parameters:
        yield guarantee_instance(parameters, 1, RandomisedThreshold)
        yield guarantee_instance(parameters, 1, OptimalRelease, universe=10**9)
