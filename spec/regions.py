"""Regions below densities: who accepts which points of a Poisson process, and the law of everybody's first point.

The points are (y, s, t) with intensity nu(dy) ds dt: an outcome, a level and a time. Law P accepts a point when
s <= f(y), f = dP/dnu. Cut at the densities of all laws, the half-strip above each outcome falls into regions, each of
them accepted by one set of laws; which region has a point first is a race (Definition 2.2).
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.poisson import order_law
from exactdp.spec.tuples import entries

Weights = Mapping[Any, Number]
"""A reference measure nu: a positive weight for every outcome that it charges."""

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


def regions(laws: Sequence[Law], weights: Weights) -> list[Region]:
    """The regions that the densities P_i(y)/nu(y) cut out and that somebody accepts, from the bottom up.

    >>> [(r.outcome, sorted(r.members), r.measure) for r in regions([Law({0: 1}), Law({0: "1/2", 1: "1/2"})],
    ...     {0: Fraction(1), 1: Fraction(2)})]
    [(0, [0, 1], Fraction(1, 2)), (0, [0], Fraction(1, 2)), (1, [1], Fraction(1, 2))]
    """
    found = []
    for y, weight in weights.items():
        densities = [law[y] / weight for law in laws]
        low: Number = ZERO
        for level in sorted({density for density in densities if density}):
            members = frozenset(i for i, density in enumerate(densities) if density >= level)
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
    found = regions(laws, weights)

    @cache
    def rest(waiting: frozenset[int]) -> dict[tuple[Hashable, ...], Number]:
        if not waiting:
            return {(OPEN,) * len(laws): ONE}
        race = [(r.outcome, r.members & waiting, r.measure) for r in found if r.members & waiting]
        total = sum((measure for _, _, measure in race), start=ZERO)
        masses: dict[tuple[Hashable, ...], Number] = {}
        for y, takers, measure in race:
            for z, mass in rest(waiting - takers).items():
                key = tuple(y if i in takers else value for i, value in enumerate(z))
                masses[key] = masses.get(key, ZERO) + measure / total * mass
        return masses

    return Law(dict(rest(frozenset(range(len(laws)))).items()))


def first_points_by_orders(laws: Sequence[Law], weights: Weights) -> Law:
    """The same law from all orders in which the regions may have their first points (Definition 2.2).

    Raises `BudgetExceeded` as `order_law` does.
    """
    found = regions(laws, weights)

    def values(order: Hashable) -> Hashable:
        race = [found[n] for n in entries(order)]
        return tuple(next(r.outcome for r in race if i in r.members) for i in range(len(laws)))

    return order_law([r.measure for r in found]).map(values)


def accepted(found: Sequence[Region], i: int, y: Hashable) -> Number:
    """The measure of what law i accepts above y; it is P_i(y)."""
    return sum((r.measure for r in found if r.outcome == y and i in r.members), start=ZERO)
