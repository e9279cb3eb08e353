"""Regions below densities: who accepts which points of a Poisson process, and the law of everybody's first point.

The points are (y, s, t) with intensity nu(dy) ds dt: an outcome, a level and a time. Law P accepts a point when
s <= f(y), f = dP/dnu. Cut at the densities of all laws, the half-strip above each outcome falls into regions, each of
them accepted by one set of laws; which region has a point first is a race (Definition 2.2).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.poisson import Orders, order_law
from exactdp.spec.tuples import entries

Weights = Mapping[Any, Number]
"""A reference measure nu: a positive weight for every outcome that it charges."""
Heights = Mapping[Any, Number]
"""By outcome the level up to which a law accepts points; 0 where nothing is said."""
Density = Callable[[Law, Weights], Heights]
"""From a law and a reference measure to the levels that s is compared with."""

ZERO, ONE = Fraction(0), Fraction(1)
OPEN = None
"""Stands in a tuple for a coordinate that has no value yet."""


class Region(NamedTuple):
    """The points (y, s) with s between two levels: who accepts them, and their measure."""

    outcome: Hashable
    members: frozenset[int]
    measure: Number


def undominated(laws: Sequence[Law], weights: Weights) -> tuple[int, Hashable] | None:
    """The first law that charges an outcome of weight 0, and that outcome; None when nu dominates all laws."""
    for i, law in enumerate(laws):
        for y in law.support():
            if not weights.get(y, ZERO):
                return i, y
    return None


def is_dominated(laws: Sequence[Law], weights: Weights) -> bool:
    """Whether nu charges every outcome that some law charges, so that all densities exist. Finite laws only.

    >>> is_dominated([Law({0: 1})], {0: Fraction(1, 9)}), is_dominated([Law({0: 1})], {1: Fraction(1)})
    (True, False)
    """
    return undominated(laws, weights) is None


def density_of(law: Law, weights: Weights) -> Heights:
    """f = dP/dnu, at the outcomes that P charges; nu must dominate P.

    >>> density_of(Law({0: "1/2", 1: "1/2"}), {0: Fraction(2), 1: Fraction(1), 2: Fraction(1)})
    {0: Fraction(1, 4), 1: Fraction(1, 2)}
    """
    return {y: mass / weights[y] for y, mass in law.items()}


def regions(laws: Sequence[Law], weights: Weights, density: Density = density_of) -> list[Region]:
    """The regions that the densities P_i(y)/nu(y) cut out and that somebody accepts, from the bottom up.

    >>> [(r.outcome, sorted(r.members), r.measure) for r in regions([Law({0: 1}), Law({0: "1/2", 1: "1/2"})],
    ...     {0: Fraction(1), 1: Fraction(2)})]
    [(0, [0, 1], Fraction(1, 2)), (0, [0], Fraction(1, 2)), (1, [1], Fraction(1, 2))]
    """
    return regions_below([density(law, weights) for law in laws], weights)


def regions_below(heights: Sequence[Heights], weights: Weights) -> list[Region]:
    """The regions that any heights cut out, densities or not: i accepts (y, s) when s <= heights[i][y]."""
    found = []
    for y, weight in weights.items():
        levels = [row.get(y, ZERO) for row in heights]
        low: Number = ZERO
        for level in sorted({level for level in levels if level}):
            members = frozenset(i for i, height in enumerate(levels) if height >= level)
            found.append(Region(y, members, weight * (level - low)))
            low = level
    return found


def first_points_law(laws: Sequence[Law], weights: Weights) -> Law:
    """The law of (Z_1, ..., Z_k), Z_i the outcome of the first point that law i accepts, under intensity nu.

    *Paper:* Construction A.1, with nu given by its weights. *Exact:* the next region that somebody without a value
    accepts is drawn by its measure; regions accepted by nobody in need do not matter. Raises `InvalidArgument` for no
    laws, and for a law that nu does not dominate, which it names with the outcome.

    >>> laws = Law({0: "3/7", 1: "4/7"}), Law({0: "1/2", 1: "1/2"})
    >>> first_points_law(laws, {0: Fraction(5), 1: Fraction(1, 3)})
    Law({(0, 0): '3/7', (1, 0): '1/14', (1, 1): '1/2'})
    """
    if not laws:
        raise InvalidArgument("laws", list(laws), "at least one law")
    missing = undominated(laws, weights)
    if missing is not None:
        i, y = missing
        raise InvalidArgument(f"weight of {y!r}", str(weights.get(y, ZERO)), f"a positive weight: law {i} charges it")
    return race(regions(laws, weights), len(laws))


def race(found: Sequence[Region], k: int) -> Law:
    """The law of everybody's first outcome, when these regions race for the first point and k coordinates wait."""

    @cache
    def rest(waiting: frozenset[int]) -> dict[tuple[Hashable, ...], Number]:
        if not waiting:
            return {(OPEN,) * k: ONE}
        running = [(r.outcome, r.members & waiting, r.measure) for r in found if r.members & waiting]
        total = sum((measure for _, _, measure in running), start=ZERO)
        masses: dict[tuple[Hashable, ...], Number] = {}
        for y, takers, measure in running:
            for z, mass in rest(waiting - takers).items():
                key = tuple(y if i in takers else value for i, value in enumerate(z))
                masses[key] = masses.get(key, ZERO) + measure / total * mass
        return masses

    return Law(dict(rest(frozenset(range(k))).items()))


def race_by_orders(found: Sequence[Region], k: int, orders: Orders = order_law) -> Law:
    """The same law from all orders in which the regions may have their first points (Definition 2.2).

    Raises `BudgetExceeded` as `order_law` does.
    """

    def values(order: Hashable) -> Hashable:
        arrived = [found[n] for n in entries(order)]
        return tuple(next(r.outcome for r in arrived if i in r.members) for i in range(k))

    return orders([r.measure for r in found]).map(values)


def first_points_by_orders(laws: Sequence[Law], weights: Weights) -> Law:
    """The law of the first points from all orders of the regions. Raises `BudgetExceeded` as `order_law` does."""
    return race_by_orders(regions(laws, weights), len(laws))


def accepted(found: Sequence[Region], i: int, y: Hashable) -> Number:
    """The measure of what law i accepts above y; it is P_i(y)."""
    return sum((r.measure for r in found if r.outcome == y and i in r.members), start=ZERO)
