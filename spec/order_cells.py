"""The joint law as a function of the masses: one rational function for each order of the laws at the outcomes.

Fix, for every outcome y, the order of the masses P_1(y), ..., P_k(y). On the cell of all tuples of laws on 0..m-1 with
these orders, the recursion for the joint law takes the same branches everywhere, so it can be run on symbols x_{i,y}
for P_i(y). What comes out is numerator/denominator with integer polynomials; the denominator is the product over all
sets U of at least two coordinates of sum over y of max_{i in U} x_{i,y}, which is at least 1.

Two cells are neighbours when at one outcome two coordinates that follow each other are exchanged; they share the border
on which the two masses are equal.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations, pairwise, product
from math import prod

from exactdp.spec.law import Law
from exactdp.spec.number import Number

Orders = tuple[tuple[int, ...], ...]
"""For every outcome 0, 1, ... the coordinates from the largest mass to the smallest."""
Variable = tuple[int, int]
"""(i, y) stands for P_i(y)."""
Polynomial = Mapping[tuple[Variable, ...], int]
"""Integer coefficients by monomial: its variables in ascending order, repeated for powers."""
Polynomials = dict[tuple[int, ...], Polynomial]
Coordinates = frozenset[int]

ONE: Polynomial = {(): 1}


def summed(polynomials: Iterable[Polynomial]) -> Polynomial:
    """The sum, without zero coefficients."""
    total: dict[tuple[Variable, ...], int] = {}
    for polynomial in polynomials:
        for monomial, c in polynomial.items():
            total[monomial] = total.get(monomial, 0) + c
    return {monomial: c for monomial, c in total.items() if c}


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    """The product."""
    return summed({tuple(sorted(m + n)): a * b} for (m, a), (n, b) in product(one.items(), other.items()))


def identified(polynomial: Polynomial, old: Variable, new: Variable) -> Polynomial:
    """The polynomial on the set where the variables `old` and `new` are equal, written without `old`."""
    kept = {m: c for m, c in polynomial.items() if old not in m}
    renamed = ({tuple(sorted(new if v == old else v for v in m)): c} for m, c in polynomial.items() if old in m)
    return summed([kept, *renamed])


def value(polynomial: Polynomial, laws: Sequence[Law]) -> Number:
    """The value at x_{i,y} = P_i(y)."""
    parts = (c * prod((laws[i][y] for i, y in m), start=Fraction(1)) for m, c in polynomial.items())
    return sum(parts, start=Fraction(0))


@dataclass(frozen=True)
class CellFunction:
    """The joint law on one cell: a numerator for every tuple of outcomes, over one denominator."""

    numerators: Polynomials
    denominator: Polynomial

    def law(self, laws: Sequence[Law]) -> Law:
        """The joint law that the function gives at a tuple of laws of the closed cell."""
        whole = value(self.denominator, laws)
        return Law({z: value(n, laws) / whole for z, n in self.numerators.items()})

    def on_border(self, i: int, j: int, y: int) -> "CellFunction":
        """The function on the border P_i(y) = P_j(y)."""
        numerators = {z: identified(n, (i, y), (j, y)) for z, n in self.numerators.items()}
        return CellFunction(numerators, identified(self.denominator, (i, y), (j, y)))

    def agreements(self, other: "CellFunction") -> int:
        """For how many tuples of outcomes the two functions are identical; 0 unless their denominators are."""
        if self.denominator != other.denominator:
            return 0
        return sum(n == other.numerators[z] for z, n in self.numerators.items())


@cache
def cell_function(orders: Orders) -> CellFunction:
    """The recursion for the joint law, run on symbols, in the cell with these orders.

    >>> halves = cell_function(((0, 1), (1, 0)))
    >>> halves.law([Law({0: "1/2", 1: "1/2"}), Law({0: "3/7", 1: "4/7"})])
    Law({(0, 0): '3/7', (0, 1): '1/14', (1, 1): '1/2'})
    """
    k, outcomes = len(orders[0]), range(len(orders))
    whole = frozenset(range(k))

    def envelope(waiting: Coordinates) -> Polynomial:
        return {((next(i for i in orders[y] if i in waiting), y),): 1 for y in outcomes}

    def denominators(waiting: Coordinates) -> frozenset[Coordinates]:
        """The sets of at least two coordinates; one law has total mass 1."""
        sizes = range(2, len(waiting) + 1)
        return frozenset(frozenset(c) for size in sizes for c in combinations(sorted(waiting), size))

    @cache
    def numerators(waiting: Coordinates) -> dict[tuple[int, ...], Polynomial]:
        """By values of the waiting coordinates in ascending order, over the product of `denominators`."""
        if not waiting:
            return {(): ONE}
        if len(waiting) == 1:
            return {(y,): {((min(waiting), y),): 1} for y in outcomes}
        terms: dict[tuple[int, ...], list[Polynomial]] = {}
        for y in outcomes:
            for takers, weight in _steps([i for i in orders[y] if i in waiting], y):
                others = waiting - takers
                spare = denominators(waiting) - denominators(others) - {waiting}
                factor = reduce(times, map(envelope, sorted(spare, key=sorted)), weight)
                for z, polynomial in numerators(others).items():
                    values = dict(zip(sorted(others), z, strict=True))
                    key = tuple(values.get(i, y) for i in sorted(waiting))
                    terms.setdefault(key, []).append(times(factor, polynomial))
        return {z: summed(polynomials) for z, polynomials in terms.items()}

    found = numerators(whole)
    zero: Polynomial = {}
    tuples = product(outcomes, repeat=k)
    bottom = reduce(times, map(envelope, sorted(denominators(whole), key=sorted)), ONE)
    return CellFunction({z: found.get(z, zero) for z in tuples}, bottom)


def _steps(order: Sequence[int], y: int) -> Iterator[tuple[Coordinates, Polynomial]]:
    """The sets that may take y together, the top of the order, with their weights."""
    for n, i in enumerate(order, start=1):
        below: Polynomial = {((order[n], y),): -1} if n < len(order) else {}
        yield frozenset(order[:n]), summed([{((i, y),): 1}, below])


def neighbours(orders: Orders) -> Iterator[tuple[int, int, int, Orders]]:
    """(y, i, j, orders of the neighbour): cells beyond P_i(y) = P_j(y), i < j, so that a border has one such side."""
    for y, order in enumerate(orders):
        for n, (i, j) in enumerate(pairwise(order)):
            if i < j:
                swapped = (*order[:n], j, i, *order[n + 2 :])
                yield y, i, j, (*orders[:y], swapped, *orders[y + 1 :])


def is_in_cell(laws: Sequence[Law], orders: Orders) -> bool:
    """Whether a tuple of laws on 0, 1, ... lies in the closed cell."""
    masses: Iterator[list[Number]] = ([laws[i][y] for i in order] for y, order in enumerate(orders))
    return all(a >= b for column in masses for a, b in pairwise(column))


def orders_of(laws: Sequence[Law], points: int) -> Orders:
    """The orders of the laws at the outcomes 0..points-1, equal masses by place."""

    def descending(y: int) -> tuple[int, ...]:
        return tuple(sorted(range(len(laws)), key=lambda i: -laws[i][y]))

    return tuple(map(descending, range(points)))
