"""Families of laws to couple: all tuples of small grids, and what hides bugs when it is missing.

Grids contain masses of 0, ties, duplicates, disjoint supports and point laws. Beside them stand one-point sets, laws
with exponential masses, laws on outcomes of different kinds that no measure was made for, and the pairs and tuples that
attain the bounds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product

from exactdp.reference.couple import couple_one, couple_two
from exactdp.reference.draw import law_of
from exactdp.spec.consistency import OrderCellInstance
from exactdp.spec.constructions import CoupleOneInstance, CoupleTwoInstance, MeasuresInstance, OwnMeasureInstance
from exactdp.spec.coupling import DominatedInstance, PairInstance, SchemeInstance
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.order_cells import Orders, is_in_cell, orders_of
from exactdp.spec.poisson import PoissonInstance
from exactdp.spec.regions import Weights
from exactdp.spec.standard_laws import point
from exactdp.spec.tuples import TupleInstance
from exactdp.spec.universal import ClassInstance
from exactdp.verify.families import Sizes, family_of, grid_counts, law_of_counts, randomized_response

Laws = tuple[Law, ...]
Named = tuple[str, Laws]

SMALL_CELLS = 6
"""Number of masses of a tuple up to which it is tried in all cells that it belongs to."""

PROGRAM_MASSES = 8
"""Number of positive masses of a tuple up to which the programs are enumerated as well."""

T = exp("-1/2")
RESPONSES: Laws = tuple(randomized_response(Epsilon("1/2"), ("a", "b", "c")).values())
"""Three laws with exponential masses: an answer out of three, told at random with epsilon = 1/2."""

STRANGERS: Laws = (
    point("x"),
    point(7),
    Law({"x": "1/2", (1, 2): "1/2"}),
    Law({7: "1/3", None: "1/3", (1, 2): "1/3"}),
)
"""Laws on outcomes of different kinds, two of them point laws; no measure was fixed in advance."""

WORKED: Laws = (
    Law({0: "1/2", 1: "1/2"}),
    Law({0: "1/2", 1: "1/4", 2: "1/4"}),
    Law({0: "1/4", 1: "1/4", 2: "1/2"}),
)
"""Three laws on three points whose joint law was worked out by hand."""


def tight_pair(t: Number) -> Laws:
    """(1 - t, t, 0) and (1 - t, 0, t): they attain the bound 2t/(1 + t)."""
    return Law({0: 1 - t, 1: t}), Law({0: 1 - t, 2: t})


def tight_tuple(k: int, t: Number) -> Laws:
    """p = (1 - kt, t, ..., t), and k laws that each move one of the masses t to a point of its own.

    Not all k + 1 elements are equal with probability 2kt/(1 + kt), which attains the bound.
    """
    atoms = {0: 1 - k * t, **dict.fromkeys(range(1, k + 1), t)}
    moved = (Law({-y if y == i else y: mass for y, mass in atoms.items()}) for i in range(1, k + 1))
    return Law(dict(atoms.items())), *moved


def known_tuples() -> Iterator[Named]:
    """Tuples picked by hand."""
    yield "one point, twice", (point("a"), point("a"))
    yield "the worked example", WORKED
    yield "the worked example, one law twice", (*WORKED, WORKED[1])
    yield "an answer of three, epsilon 1/2", RESPONSES
    yield "an answer of three, epsilon 1/2, repeated", (RESPONSES[0], RESPONSES[1], RESPONSES[0])
    yield "masses t, 1/2 and t + 1/2 with t = e^-1/2/2", _half_exponential()
    yield "outcomes of different kinds", STRANGERS
    yield "disjoint supports", (law_of_counts((1, 1, 0, 0)), law_of_counts((0, 0, 1, 2)))
    yield "half in common", tight_pair(Fraction(1, 2))
    yield "exponential mass in common", tight_pair(T)
    yield "two atoms moved, t = 1/6", tight_tuple(2, Fraction(1, 6))
    yield "three atoms moved, t = 1/9", tight_tuple(3, Fraction(1, 9))


def _half_exponential() -> Laws:
    t = T / 2
    return Law({0: t, 1: 1 - t}), Law({0: "1/2", 1: "1/2"}), Law({0: t + Fraction(1, 2), 2: Fraction(1, 2) - t})


def grid_named(k: int, points: int, n: int, *, ordered: bool) -> Iterator[Named]:
    """All k-tuples of laws on that many points with masses over n, in all orders or in one."""
    counts = list(grid_counts(points, n))
    laws = {c: law_of_counts(c) for c in counts}
    chosen = product(counts, repeat=k) if ordered else combinations_with_replacement(counts, k)
    for rows in chosen:
        yield f"{', '.join(map(str, rows))} over {n}", tuple(laws[row] for row in rows)


def all_tuples(sizes: Sizes) -> Iterator[Named]:
    """Every tuple of the grids of a preset, and those picked by hand."""
    for k, points, n in sizes.tuple_grids:
        yield from grid_named(k, points, n, ordered=True)
    for k, points, n in sizes.multiset_grids:
        yield from grid_named(k, points, n, ordered=False)
    yield from known_tuples()


def grid_classes(size: int, points: int, n: int) -> Iterator[Named]:
    """All classes of that many distinct laws of a grid."""
    for rows in combinations(grid_counts(points, n), size):
        yield f"class {', '.join(map(str, rows))} over {n}", tuple(map(law_of_counts, rows))


def all_classes(sizes: Sizes) -> Iterator[tuple[str, Laws, int]]:
    """Every class of the grids of a preset with the length of tuples tried, and those picked by hand."""
    for size, points, n, up_to in sizes.class_grids:
        for name, laws in grid_classes(size, points, n):
            yield name, laws, up_to
    for name, laws in known_tuples():
        if len(set(laws)) == len(laws):
            yield name, laws, 2


def measures_on(laws: Sequence[Law]) -> tuple[Weights, Weights]:
    """Two strictly positive measures: one counts, the other is uneven; both charge an outcome that no law does."""
    outcomes = dict.fromkeys([*(y for law in laws for y in law.support()), "nobody's"])
    return dict.fromkeys(outcomes, Fraction(1)), {y: Fraction(2 * n + 1, n + 2) for n, y in enumerate(outcomes)}


# -- the families --


@family_of("def-2.2")
def _processes(sizes: Sizes) -> Iterator[Instance]:
    for cells, largest in sizes.cell_measures:
        for measures in combinations_with_replacement(range(1, largest + 1), cells):
            yield PoissonInstance(f"cells of measure {', '.join(map(str, measures))}", tuple(map(Fraction, measures)))
    yield PoissonInstance("cells of measure 1/2, 1/3 and 1/6", (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
    yield PoissonInstance("cells of measure e^-1/2, 1 and 1 - e^-1/2", (T, Fraction(1), 1 - T))


@family_of("def-3.1")
def _schemes(sizes: Sizes) -> Iterator[Instance]:
    for name, laws, up_to in all_classes(sizes):
        yield SchemeInstance(name, laws, up_to)


def _dominated(sizes: Sizes) -> Iterator[Instance]:
    for name, laws, up_to in all_classes(sizes):
        if len(laws) <= 3:
            for n, weights in enumerate(measures_on(laws)):
                yield DominatedInstance(f"{name}, measure {n}", laws, weights, min(up_to, 2))


@family_of("prop-3.2")
def _with_a_measure(sizes: Sizes) -> Iterator[Instance]:
    return _dominated(sizes)


@family_of("cor-A.3")
def _dominated_classes(sizes: Sizes) -> Iterator[Instance]:
    return _dominated(sizes)


@family_of("prop-3.3")
def _without_a_measure(sizes: Sizes) -> Iterator[Instance]:
    for name, laws, up_to in all_classes(sizes):
        newcomers = (point("new"), Law({0: "1/2", "new": "1/2"}))
        yield ClassInstance(name, laws, min(up_to, 2), newcomers=newcomers)


@family_of("constr-A.1")
def _measured(sizes: Sizes) -> Iterator[Instance]:
    for name, laws in all_tuples(sizes):
        yield MeasuresInstance(name, laws, measures_on(laws))


@family_of("constr-A.4")
def _summed(sizes: Sizes) -> Iterator[Instance]:
    for name, laws in all_tuples(sizes):
        yield OwnMeasureInstance(name, laws)


@dataclass(frozen=True)
class ProgramOne:
    """The law of the program `couple_one`, enumerated."""

    def __call__(self, laws: Sequence[Law], weights: Weights) -> Law:
        """The joint law of these laws, with this measure."""
        return law_of(lambda data, draw: couple_one(data, weights, draw), tuple(laws))


@dataclass(frozen=True)
class ProgramTwo:
    """The law of the program `couple_two`, enumerated."""

    def __call__(self, laws: Sequence[Law]) -> Law:
        """The joint law of these laws."""
        return law_of(couple_two, tuple(laws))


@family_of("alg-5")
def _couple_one(sizes: Sizes) -> Iterator[Instance]:
    for name, laws, length in _records(sizes):
        products = [law.power(length) for law in laws]
        for n, weights in enumerate(measures_on(products)):
            yield CoupleOneInstance(f"{name}, measure {n}", laws, length, weights)
            if sum(map(len, products)) <= PROGRAM_MASSES:
                yield CoupleOneInstance(f"{name}, measure {n}, the program", laws, length, weights, ProgramOne())


@family_of("alg-6")
def _couple_two(sizes: Sizes) -> Iterator[Instance]:
    for name, laws, length in _records(sizes):
        yield CoupleTwoInstance(name, laws, length)
        if sum(len(law.power(length)) for law in laws) <= PROGRAM_MASSES:
            yield CoupleTwoInstance(f"{name}, the program", laws, length, ProgramTwo())


def _records(sizes: Sizes) -> Iterator[tuple[str, Laws, int]]:
    for k, points, n, length in sizes.product_grids:
        for name, laws in grid_named(k, points, n, ordered=True):
            yield f"{name}, {length} records", laws, length
    for name, laws in known_tuples():
        yield f"{name}, 1 record", laws, 1
    pair = law_of_counts((3, 1)), law_of_counts((1, 1))
    yield "(3/4, 1/4) and (1/2, 1/2), 2 records", pair, 2
    yield "an answer of two, epsilon 1/2, 2 records", tuple(randomized_response(Epsilon("1/2")).values()), 2
    yield "no record", pair, 0


@family_of("thm-A.2")
def _pairs(sizes: Sizes) -> Iterator[Instance]:
    for points, n in sizes.pair_grids:
        for name, (p, q) in grid_named(2, points, n, ordered=True):
            yield PairInstance(name, p, q)
    for name, laws in known_tuples():
        for i, j in combinations(range(len(laws)), 2):
            yield PairInstance(f"{name}, {i} and {j}", laws[i], laws[j])


@family_of("prop-A.5")
def _tuples(sizes: Sizes) -> Iterator[Instance]:
    for name, laws in all_tuples(sizes):
        moved = (laws[-1], *laws[:-1])
        yield TupleInstance(name, laws, others=(moved,) if moved != laws else ())
    for grid in sizes.compared_grids:
        named = list(grid_named(*grid, ordered=True))
        for n, (name, laws) in enumerate(named):
            yield TupleInstance(f"{name}, and all others", laws, others=tuple(other for _, other in named[n + 1 :]))
    for k, points, n in sizes.order_grids:
        yield from _order_cells(k, points, n)


def _order_cells(k: int, points: int, n: int) -> Iterator[Instance]:
    """All cells of k laws on that many points, with the tuples of the grid over n.

    A tuple with ties lies on the border of several cells. It is tried in all of them where polynomials are small, else
    in one of them; the functions are identical on the border.
    """
    tuples = [laws for _, laws in grid_named(k, points, n, ordered=True)]
    for orders in product(permutations(range(k)), repeat=points):
        shown = "; ".join(f"at {y} {' >= '.join(map(str, order))}" for y, order in enumerate(orders))
        inside = is_in_cell if k * points <= SMALL_CELLS else _has_orders
        chosen = tuple(laws for laws in tuples if inside(laws, orders))
        yield OrderCellInstance(f"masses of {k} laws ordered {shown}", orders, chosen)


def _has_orders(laws: Sequence[Law], orders: Orders) -> bool:
    return orders_of(laws, len(orders)) == orders


@family_of("cor-A.6")
def _extended(sizes: Sizes) -> Iterator[Instance]:
    for name, laws in all_tuples(sizes):
        yield TupleInstance(name, laws)


@family_of("cor-A.7")
def _restricted(sizes: Sizes) -> Iterator[Instance]:
    for name, laws, up_to in all_classes(sizes):
        yield ClassInstance(name, laws, min(up_to, 2), newcomers=(law_of_counts((1, 2)),))
