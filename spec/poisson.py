"""The Poisson point process, as far as it is finite: which of several disjoint cells has the first point.

A process with intensity mu has a Poisson number of points in every set, independently in disjoint sets. In time the
first points of disjoint cells arrive like independent alarm clocks, so the order of their arrival is a race.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial, lcm

from exactdp.spec.claim import Claim
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.tuples import Places, entries, equal, names

CELLS_OF_AT_MOST = 7
"""All orders are enumerated of up to so many cells: 7! = 5040."""
COUNTS_UP_TO = 3
"""Numbers of points in a cell that the claims look at."""

Orders = Callable[[Sequence[Number]], Law]
"""From the measures of disjoint cells to the law of the order of their first points."""


def order_law(measures: Sequence[Number]) -> Law:
    """The law of the order in which disjoint cells have their first points.

    Cell i is next with probability mu_i over the sum of mu over the cells that wait: no cell has a memory. Raises
    `InvalidArgument` for a measure that is not positive, and `BudgetExceeded` for more than `CELLS_OF_AT_MOST` cells.

    >>> order_law([Fraction(1), Fraction(2)])
    Law({(0, 1): '1/3', (1, 0): '2/3'})
    """
    _must_be_few(len(measures))
    for i, measure in enumerate(measures):
        if measure <= 0:
            raise InvalidArgument(f"measure of cell {i}", measure, "a positive number")
    orders: dict[tuple[int, ...], Number] = {(): Fraction(1)}
    for _ in measures:
        orders = {
            (*order, i): mass * measures[i] / sum((measures[j] for j in waiting), start=Fraction(0))
            for order, mass in orders.items()
            if (waiting := [i for i in range(len(measures)) if i not in order])
            for i in waiting
        }
    return Law(dict(orders.items()))


def unit_order_law(sizes: Sequence[int]) -> Law:
    """The same law for whole numbers, from unit cells: cell i is sizes[i] of them, and all orders are equally likely.

    Raises `BudgetExceeded` for more than `CELLS_OF_AT_MOST` unit cells.

    >>> unit_order_law([1, 2])
    Law({(0, 1): '1/3', (1, 0): '2/3'})
    """
    _must_be_few(sum(sizes))
    owners = [i for i, size in enumerate(sizes) for _ in range(size)]
    counts: dict[tuple[int, ...], int] = {}
    for units in permutations(owners):
        order = tuple(dict.fromkeys(units))
        counts[order] = counts.get(order, 0) + 1
    return Law({order: Fraction(count, factorial(len(owners))) for order, count in counts.items()})


def poisson_mass(mean: Number, n: int) -> Number:
    """Pr[n points] = e^(-mean) mean^n / n!, for a rational mean. Raises `InvalidArgument` for another one.

    >>> poisson_mass(Fraction(1, 2), 1)
    e^(-1/2)/2
    """
    if not isinstance(mean, Fraction):
        raise InvalidArgument("mean", mean, "a rational number")
    return exp(-mean) * (mean**n / factorial(n))


@dataclass(frozen=True, repr=False)
class PoissonInstance(Instance):
    """The measures of disjoint cells, and what is claimed of their process: orders of arrival and numbers of points."""

    measures: tuple[Number, ...]
    orders: Orders = order_law
    count: Callable[[Number, int], Number] = poisson_mass


def _poisson_claims(instance: PoissonInstance) -> Iterator[Claim]:
    measures, cells = instance.measures, range(len(instance.measures))
    law = instance.orders(measures)
    for size in range(1, len(measures) + 1):
        for subset in combinations(cells, size):
            yield from _race_claims(law, subset, instance)
    yield from _disjoint_claims(law, instance)
    yield from _fresh_claims(law, instance)
    rational = [m for m in measures if isinstance(m, Fraction)]
    if len(rational) == len(measures):
        yield from _unit_claims(law, rational, instance)
        yield from _count_claims(rational, instance)


def _race_claims(law: Law, subset: Places, instance: PoissonInstance) -> Iterator[Claim]:
    """The first point of a union of cells is uniform on it; points elsewhere do not matter."""
    inside = _restricted(law, subset)
    whole = sum((instance.measures[i] for i in subset), start=Fraction(0))
    for i in subset:
        chance = inside.probability(_begins_with(i))
        yield Claim(f"first: cell {i} of {names(subset)}", whole * chance, "==", instance.measures[i], instance)
    yield equal(f"restriction: {names(subset)}", inside, _alone(subset, instance), instance)


def _disjoint_claims(law: Law, instance: PoissonInstance) -> Iterator[Claim]:
    """The orders within two disjoint sets of cells are independent."""
    cells = range(len(instance.measures))
    for one in combinations(cells, 2):
        for other in combinations([i for i in cells if i not in one and i > one[0]], 2):
            both = _restricted(law, (*one, *other)).map(_split_at(one))
            apart = _restricted(law, one).product(_restricted(law, other))
            yield equal(f"independence: {names(one)} and {names(other)}", both, apart, instance)


def _fresh_claims(law: Law, instance: PoissonInstance) -> Iterator[Claim]:
    """After the first point the rest is a fresh process."""
    cells = range(len(instance.measures))
    for i in cells:
        rest = [j for j in cells if j != i]
        if rest and law.probability(_begins_with(i)):
            after = law.condition(_begins_with(i)).map(lambda order: entries(order)[1:])
            yield equal(f"fresh: after cell {i}", after, _alone(rest, instance), instance)


def _unit_claims(law: Law, measures: Sequence[Fraction], instance: PoissonInstance) -> Iterator[Claim]:
    common = lcm(*(m.denominator for m in measures))
    sizes = [int(m * common) for m in measures]
    if sum(sizes) <= CELLS_OF_AT_MOST:
        yield equal(f"unit cells: {sum(sizes)} in all orders", law, unit_order_law(sizes), instance)


def _count_claims(measures: Sequence[Fraction], instance: PoissonInstance) -> Iterator[Claim]:
    """Numbers of points: Poisson in every cell, and given their sum as if every point chose its cell by measure."""
    count = instance.count
    for i, mean in enumerate(measures):
        for n in range(COUNTS_UP_TO):
            more = (n + 1) * count(mean, n + 1)
            yield Claim(f"count: {n + 1} after {n} in cell {i}", more, "==", mean * count(mean, n), instance)
    for (i, a), (j, b) in combinations(enumerate(measures), 2):
        for m, n in product(range(COUNTS_UP_TO), repeat=2):
            split = comb(m + n, m) * (a / (a + b)) ** m * (b / (a + b)) ** n
            label = f"independent counts: {m} in cell {i} and {n} in cell {j}"
            yield Claim(label, count(a, m) * count(b, n), "==", count(a + b, m + n) * split, instance)


def _begins_with(cell: int) -> Callable[[Hashable], bool]:
    return lambda order: entries(order)[0] == cell


def _kept(order: Hashable, subset: Places) -> tuple[int, ...]:
    return tuple(i for i in entries(order) if i in subset)


def _restricted(law: Law, subset: Places) -> Law:
    return law.map(lambda order: _kept(order, subset))


def _split_at(subset: Places) -> Callable[[Hashable], Hashable]:
    """An order as the order within a set of cells and the order of the other cells."""
    return lambda order: (_kept(order, subset), tuple(i for i in entries(order) if i not in subset))


def _alone(subset: Places, instance: PoissonInstance) -> Law:
    """The order of some cells when there are no others."""
    alone = instance.orders([instance.measures[i] for i in subset])
    return alone.map(lambda order: tuple(subset[i] for i in entries(order)))


def _must_be_few(cells: int) -> None:
    if cells > CELLS_OF_AT_MOST:
        message = f"{cells}! orders are too many to enumerate; CELLS_OF_AT_MOST raises the budget"
        raise BudgetExceeded(message, estimate=factorial(cells), budget=factorial(CELLS_OF_AT_MOST))


PROCESS = register(
    Item(
        id="def-2.2",
        kind="definition",
        section="Section 2: privacy",
        title="Poisson point process",
        statement="""
A Poisson point process of intensity mu (sigma-finite) puts Poisson(mu(B)) many points into every set B of finite
measure, independently into disjoint sets.

    Pr[n points in B] = e^(-mu(B)) mu(B)^n / n!

Its finite content, which is all that the couplings use, is the order in which disjoint cells B_1, ..., B_m, seen
over time, have their first points:

    Pr[order i_1, ..., i_m]  =  product over j of  mu(B_{i_j}) / (mu(B_{i_j}) + ... + mu(B_{i_m}))

The first point of a union of cells is uniform on it, whatever happens elsewhere; after it the process is fresh;
disjoint sets of cells have independent orders; and for cells of measure 1 all m! orders are equally likely, which is
enumerated up to m = 7. Numbers of points are looked at up to 3 in a cell. Sets other than unions of the cells are not
looked at, nor are times.
""".strip(),
        uses=(),
        claims=_poisson_claims,
        predicates=(order_law, unit_order_law, poisson_mass),
        central="first",
    )
)
