"""Two product laws P^l and Q^l without writing out sequences: total variation, disagreement and diagonal on counts.

The masses of a sequence depend on how often it has each outcome, so sequences with the same counts are summed at once.
Outcomes with the same quotient P(y) : Q(y) can share a count as well: write P(y) = c*u and Q(y) = d*u with one pair
(c, d) for the class. Over the sequences with n_i entries in class i, with C = product of c_i^n_i and D in the same way,

    the sum of min(P^l, Q^l) is M * product of (sum of u)^n_i * min(C, D),
    the sum of |P^l - Q^l| * min(P^l, Q^l) is M * product of (sum of u^2)^n_i * |C - D| * min(C, D),

M the multinomial coefficient. Outcomes that one law lacks add nothing. With m classes there are binomial(l + m - 1, l)
count vectors; with K common outcomes, m <= K.

Paper: the laws q^l that Algorithms 1 and 2 couple. Exact: integers or polynomials over the l-th power of a denominator.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import accumulate, repeat
from math import comb
from operator import mul
from typing import NamedTuple

from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.joint import BUDGET, Meeting, diagonal, with_apart
from exactdp.spec.law import Bounds, Law
from exactdp.spec.number import Number
from exactdp.spec.table import Element, Table


class Factors(NamedTuple):
    """One class: c and d, the sum of u, and the sum of u^2. Of a count vector: the products of their powers."""

    c: Element
    d: Element
    sum: Element
    squares: Element


class Counted(NamedTuple):
    """A count vector, its multinomial coefficient and its products."""

    counts: tuple[int, ...]
    ways: int
    factors: Factors


def power_tv(p: Law, q: Law, length: int, *, budget: int = BUDGET) -> Number:
    """TV(P^l, Q^l), exactly; l >= 0 is `length`, and l = 0 gives 0.

    Raises `InvalidArgument`, `SymbolicEpsilon`, `MixedUnits`, and `BudgetExceeded` beyond `budget` count vectors.

    >>> power_tv(Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"}), 2)
    Fraction(5, 16)
    """
    return _meeting(p, q, length, budget).tv()


def power_disagreement(p: Law, q: Law, length: int, *, budget: int = BUDGET) -> Number:
    """Pr[Z_{P^l} != Z_{Q^l}], exactly. Raises as `power_tv`.

    >>> power_disagreement(Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"}), 2)
    Fraction(131, 336)
    """
    return _meeting(p, q, length, budget).disagreement()


def power_bounds(p: Law, q: Law, length: int, *, budget: int = BUDGET) -> Bounds:
    """T <= Pr[Z_{P^l} != Z_{Q^l}] <= 2T/(1 + T), with T = TV(P^l, Q^l). Raises as `power_tv`.

    >>> power_bounds(Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"}), 2).high
    Fraction(10, 21)
    """
    return _meeting(p, q, length, budget).bounds()


def power_diagonal(p: Law, q: Law, length: int, *, budget: int = BUDGET) -> Law:
    """Where Z_{P^l} and Z_{Q^l} agree: a law over the counts of the common value, and `APART` for no common value.

    Counts stand in the order of the outcomes of P; given its counts, a common value is uniform over the sequences that
    have them. Raises as `power_tv`.

    >>> list(power_diagonal(Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"}), 1).items())
    [((0, 1), Fraction(1, 4)), ((1, 0), Fraction(1, 2)), (APART, Fraction(1, 4))]
    """
    table = _prepared(p, q, length)
    one, own = _one(table), len(p.atoms)
    common = [i for i in range(own) if table.ring.sign(table.columns[1][i])]
    points = [Factors(table.columns[0][i], table.columns[1][i], one, one) for i in common]
    cells = list(enumerate_counts(points, length, one, budget))
    places = {i: n for n, i in enumerate(common)}
    names = [tuple(cell.counts[places[i]] if i in places else 0 for i in range(own)) for cell in cells]
    meeting = _summed(table, cells, length)
    least, gaps = table.ring.compared([cell.factors.c for cell in cells], [cell.factors.d for cell in cells])
    each = diagonal(meeting, least, gaps)
    return with_apart(meeting, names, [cell.ways * x for cell, x in zip(cells, each, strict=True)])


def enumerate_counts(classes: Sequence[Factors], length: int, one: Element, budget: int) -> Iterator[Counted]:
    """All ways to write `length` as an ordered sum over the classes, with multinomials and products.

    Raises `BudgetExceeded` before it starts.

    >>> [(cell.counts, cell.ways, cell.factors.c) for cell in enumerate_counts([Factors(2, 1, 1, 1)] * 2, 2, 1, 3)]
    [((0, 2), 1, 4), ((1, 1), 2, 4), ((2, 0), 1, 4)]
    """
    number = comb(length + len(classes) - 1, length) if classes else 1
    if number > budget:
        raise BudgetExceeded(
            f"there are {number} count vectors of {length} entries over {len(classes)} classes; "
            "give a larger budget to go through them all",
            estimate=number,
            budget=budget,
        )
    powers = [_powers(factors, length, one) for factors in classes]
    return _counted(powers, length, Counted((), 1, Factors(one, one, one, one)))


def _counted(powers: Sequence[list[Factors]], left: int, so_far: Counted) -> Iterator[Counted]:
    if not powers:
        if not left:
            yield so_far
        return
    for n in range(left + 1) if len(powers) > 1 else (left,):
        factors = Factors(*(x * y for x, y in zip(so_far.factors, powers[0][n], strict=True)))
        yield from _counted(powers[1:], left - n, Counted((*so_far.counts, n), so_far.ways * comb(left, n), factors))


def _powers(factors: Factors, length: int, one: Element) -> list[Factors]:
    rows = [list(accumulate(repeat(x, length), mul, initial=one)) for x in factors]
    return [Factors(*row) for row in zip(*rows, strict=True)]


def _meeting(p: Law, q: Law, length: int, budget: int) -> Meeting:
    table = _prepared(p, q, length)
    return _summed(table, enumerate_counts(_classes(table), length, _one(table), budget), length)


def _classes(table: Table) -> list[Factors]:
    """The outcomes that both laws have, by the quotient of their masses."""
    ring = table.ring
    found: dict[Hashable, Factors] = {}
    for a, b in zip(*table.columns, strict=True):
        if ring.sign(a) and ring.sign(b):
            u = ring.gcd(a, b)
            u = u if ring.sign(u) > 0 else -u
            c, d = a // u, b // u
            before = found.get((ring.key(c), ring.key(d)), Factors(c, d, 0, 0))
            found[ring.key(c), ring.key(d)] = Factors(c, d, before.sum + u, before.squares + u * u)
    return list(found.values())


def _summed(table: Table, cells: Iterable[Counted], length: int) -> Meeting:
    shared = late = _one(table) * 0
    for _, ways, (c, d, first, second) in cells:
        (low,), (gap,) = table.ring.compared([c], [d])
        shared += ways * first * low
        late += ways * second * gap * low
    return Meeting(table.ring, table.den**length, shared, late)


def _one(table: Table) -> Element:
    return table.den // table.den


def _prepared(p: Law, q: Law, length: object) -> Table:
    if isinstance(length, bool) or not isinstance(length, int) or length < 0:
        raise InvalidArgument("length", length, "an int of at least 0")
    return Table([p, q])
