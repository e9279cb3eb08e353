"""Couplings with one mistake each, for the controls: plausible ways to draw several laws together, all wrong."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Generic, ParamSpec, TypeVar

from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.order_cells import CellFunction, Orders, cell_function
from exactdp.spec.poisson import order_law
from exactdp.spec.regions import Heights, Region, Weights, first_points_law, race, regions, regions_below
from exactdp.spec.tuples import coordinate, coupled, distance, entries

ZERO, ONE = Fraction(0), Fraction(1)
STRETCH = Fraction(11, 10)


P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, repr=False)
class Wrong(Generic[P, R_co]):
    """A wrong rule, most often a coupling; it is shown by its name."""

    rule: Callable[P, R_co]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """What the wrong rule gives."""
        return self.rule(*args, **kwargs)

    def __repr__(self) -> str:
        return self.rule.__name__


# -- couplings from elsewhere --


@Wrong
def independent(laws: Sequence[Law]) -> Law:
    """Every coordinate has its own process, or its own coins: it is redrawn for each of them."""
    return laws[0].product(*laws[1:])


@Wrong
def inverse_cdf(laws: Sequence[Law]) -> Law:
    """One uniform number u for all; Z_i is the first outcome, in ascending order, at which the sum of P_i exceeds u."""
    outcomes = sorted({y for law in laws for y in law.support()}, key=repr)
    sums: list[list[Number]] = [list(accumulate(law[y] for y in outcomes)) for law in laws]
    masses: dict[Hashable, Number] = {}
    for low, high in pairwise(sorted({ZERO, *(s for row in sums for s in row)})):
        z = tuple(next(y for y, s in zip(outcomes, row, strict=True) if s > low) for row in sums)
        masses[z] = masses.get(z, ZERO) + (high - low)
    return Law(masses)


def _maximal_step(p: Law, q: Law, y: Hashable) -> dict[Hashable, Number]:
    """The kernel of the maximal coupling: stay at y with probability min(P, Q)/P, else go where Q exceeds P."""
    stay = min(p[y], q[y]) / p[y]
    steps: dict[Hashable, Number] = {y: stay} if stay else {}
    for z, mass in q.items():
        if mass > p[z] and stay != 1:
            steps[z] = steps.get(z, ZERO) + (1 - stay) * (mass - p[z]) / distance(p, q)
    return steps


@Wrong
def chained(laws: Sequence[Law]) -> Law:
    """Maximal couplings in a row: Z_1, from it Z_2, from Z_2 alone Z_3, and so on."""
    masses: dict[tuple[Hashable, ...], Number] = {(y,): mass for y, mass in laws[0].items()}
    for p, q in pairwise(laws):
        longer: dict[tuple[Hashable, ...], Number] = {}
        for z, mass in masses.items():
            for y, chance in _maximal_step(p, q, z[-1]).items():
                longer[*z, y] = longer.get((*z, y), ZERO) + mass * chance
        masses = longer
    return Law(dict(masses.items()))


@Wrong
def jumping(laws: Sequence[Law]) -> Law:
    """Two laws at distance at most 1/2 are coupled maximally, all others by the Poisson process."""
    near = len(laws) == 2 and distance(*laws) <= Fraction(1, 2)
    return chained(laws) if near else joint_law(laws)


# -- mistakes in the construction --


def _outcomes(laws: Sequence[Law]) -> list[Hashable]:
    return list(dict.fromkeys(y for law in laws for y in law.support()))


def _below(heights: Sequence[Heights], weights: Weights) -> Law:
    """First points under these heights of a process of intensity nu: densities of nobody's."""
    return race(regions_below(heights, weights), len(heights))


@Wrong
def everyone_positive(laws: Sequence[Law]) -> Law:
    """The first event assigns all who wait and have P_i(y) > 0, whatever the level is."""
    charged = [(y, frozenset(i for i, law in enumerate(laws) if law[y])) for y in _outcomes(laws)]
    return race([Region(y, members, max(law[y] for law in laws)) for y, members in charged], len(laws))


@Wrong
def stretched_by_place(laws: Sequence[Law]) -> Law:
    """The reference measure depends on the place in the tuple: law i takes its density by nu / 1.1^i."""
    heights = [{y: mass * STRETCH**i for y, mass in law.items()} for i, law in enumerate(laws)]
    return _below(heights, dict.fromkeys(_outcomes(laws), ONE))


@Wrong
def measured_by_the_first(laws: Sequence[Law]) -> Law:
    """The points have intensity P_1 + P_2 + ..., the first law counted twice; densities are taken by the plain sum."""
    weights = first_counted_twice(laws)
    plain = {y: weight - laws[0][y] for y, weight in weights.items()}
    return _below([{y: mass / plain[y] for y, mass in law.items()} for law in laws], weights)


@Wrong
def unnormalised(laws: Sequence[Law]) -> Law:
    """The points have intensity P_1 + ... + P_k, and s is compared with P_i(y): nobody divided by the intensity."""
    weights = {y: sum((law[y] for law in laws), start=ZERO) for y in _outcomes(laws)}
    return _below([dict(law.items()) for law in laws], weights)


@Wrong
def next_density(laws: Sequence[Law]) -> Law:
    """Coordinate i compares s with the density of the next law of the tuple."""
    return joint_law([*laws[1:], laws[0]])


@Wrong
def redrawn_after_the_first(laws: Sequence[Law]) -> Law:
    """The process is shared by the first two coordinates, and drawn anew for every later one."""
    if len(laws) <= 2:
        return joint_law(laws)
    shared = joint_law(laws[:2])
    return shared.product(*laws[2:]).map(lambda z: (*entries(entries(z)[0]), *entries(z)[1:]))


@Wrong
def mixed_with_the_rest(laws: Sequence[Law]) -> Law:
    """The first coordinate looks at one process alone, if there are three laws or more; else all share one."""
    if len(laws) <= 2:
        return joint_law(laws)
    alone = coordinate(coupled(joint_law, laws), 0)
    return alone.product(joint_law(laws[1:])).map(lambda z: (entries(z)[0], *entries(entries(z)[1])))


# -- mistakes with a given measure --


@Wrong
def independent_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """A new process for every coordinate."""
    alone = [coordinate(first_points_law([law], weights), 0) for law in laws]
    return alone[0].product(*alone[1:])


@Wrong
def masses_for_densities(laws: Sequence[Law], weights: Weights) -> Law:
    """The points have intensity nu, and s is compared with P(y) where P(y)/nu(y) is meant."""
    return _below([dict(law.items()) for law in laws], weights)


@Wrong
def everyone_positive_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """A point below any density is taken by all who charge its outcome."""
    found = [
        Region(r.outcome, frozenset(i for i, law in enumerate(laws) if law[r.outcome]), r.measure)
        for r in regions(laws, weights)
    ]
    return race(found, len(laws))


@Wrong
def inverse_cdf_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """One uniform number for all laws; the measure is not used."""
    return inverse_cdf(laws)


@Wrong
def chained_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """Maximal couplings in a row; the measure is not used."""
    return chained(laws)


# -- mistakes in the parts that a construction is made of --


@Wrong
def undivided(law: Law, weights: Weights) -> Heights:
    """P for dP/dnu: s is compared with the mass, and nobody divides by the intensity."""
    return dict(law.items())


@Wrong
def mean_measure(laws: Sequence[Law]) -> Weights:
    """(P_1 + ... + P_k)/k for the sum: it dominates the laws, but densities reach up to k."""
    return {y: sum((law[y] for law in laws), start=ZERO) / len(laws) for y in _outcomes(laws)}


@Wrong
def first_counted_twice(laws: Sequence[Law]) -> Weights:
    """P_1 + P_1 + P_2 + ... + P_k: the running sum started with the first law."""
    return {y: sum((law[y] for law in laws), start=laws[0][y]) for y in _outcomes(laws)}


@Wrong
def uniform_orders(measures: Sequence[Number]) -> Law:
    """Every cell is as often first, whatever its measure."""
    return order_law([ONE] * len(measures))


@Wrong
def not_divided_by_either(p: Law, q: Law) -> tuple[Number, Number]:
    """The measure of what both accept, taken for a probability: what either accepts may measure more than 1."""
    return sum((min(mass, q[y]) for y, mass in p.items()), start=ZERO), ONE


@Wrong
def ordered_by_the_first_outcome(orders: Orders) -> CellFunction:
    """The laws are sorted once, by their masses at the first outcome, and not again at the others."""
    return cell_function(orders[:1] * len(orders))
