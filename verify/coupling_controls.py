"""Controls of the coupling: wrong processes, wrong constructions and couplings that only look right, all refuted.

Each of them is plugged in where the Poisson coupling stands, on an instance on which it shows.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from exactdp.spec.constructions import MeasuredCoupling
from exactdp.spec.coupling import DominatedInstance, SchemeInstance
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.poisson import PoissonInstance, order_law
from exactdp.spec.standard_laws import uniform
from exactdp.spec.tuples import Coupling, TupleInstance
from exactdp.spec.universal import ClassInstance
from exactdp.verify.controls import Control, controls_of
from exactdp.verify.coupling_families import WORKED, Laws, measures_on
from exactdp.verify.families import law_of_counts
from exactdp.verify.wrong_couplings import (
    chained,
    chained_by_measure,
    everyone_positive,
    everyone_positive_by_measure,
    independent,
    independent_by_measure,
    inverse_cdf,
    inverse_cdf_by_measure,
    masses_for_densities,
    measured_by_the_first,
    mixed_with_the_rest,
    next_density,
    redrawn_after_the_first,
    undivided,
    uniform_orders,
    unnormalised,
)

EVEN: Laws = law_of_counts((1, 1)), law_of_counts((3, 1))
"""(1/2, 1/2) and (3/4, 1/4)."""
SHIFTED_3: Laws = law_of_counts((2, 1, 0)), law_of_counts((1, 1, 1))
"""At distance 1/3; one uniform number for both gives Pr[differ] = 2/3, between 2t/(1 + t) = 1/2 and 2t."""
SHIFTED_4: Laws = uniform((0, 1, 2)), uniform((1, 2, 3))
"""At distance 1/3; one uniform number for both makes them differ always."""

LEVEL: Laws = law_of_counts((3, 2, 1)), law_of_counts((2, 3, 1))
"""At distance 1/6; they differ with probability 4/21, well below 2t/(1 + t) = 2/7."""
BENT: Laws = WORKED[0], WORKED[2], WORKED[1]
"""The middle law is far from both others, which are close."""

Row = tuple[str, str, str, Instance]
"""Name, what is wrong, the step that must fail, and the instance."""

INDEPENDENT = "equal laws differ with positive probability, where the bound is 0"
SHIFTS = "shifting a law on four points shifts every value: two laws at distance 1/3 never agree"
CHAIN = "given Z_2 the first and the third are independent, so they agree more seldom than a pair of them would"
POSITIVE = "a law with a small mass takes the outcome as often as one with a large mass"
SWAPPED = "Z_i has the law of its neighbour"


def controls_in(item: str, rows: Sequence[Row]) -> Iterator[Control]:
    """One control for each row."""
    for name, why, refuted_at, instance in rows:
        yield Control(item, name, why, refuted_at, (instance,))


@controls_of("def-2.2")
def _wrong_processes() -> Iterator[Control]:
    third, ones = Fraction(1, 3), (Fraction(1),) * 3
    uneven = (Fraction(1), Fraction(2))
    rows: list[Row] = [
        (
            "every cell as often first, whatever its measure",
            "the order is uniform over cells, not over what is in them",
            "first",
            PoissonInstance("cells of measure 1 and 2, all orders alike", uneven, orders=uniform_orders),
        ),
        (
            "in a circle from the first cell on",
            "the first cell is right; of two others the one that follows it comes first too often",
            "first",
            PoissonInstance("three unit cells in a circle", ones, orders=_in_a_circle),
        ),
        (
            "even orders alone",
            "any three of four unit cells come in all orders alike, but two pairs of them know of each other",
            "independence",
            PoissonInstance("four unit cells in even orders", (Fraction(1),) * 4, orders=_even_orders),
        ),
        (
            "geometric numbers of points",
            "the mean is right, but numbers in disjoint cells do not add up to one of the same kind",
            "count",
            PoissonInstance("cells of measure 1 and 2, geometric counts", uneven, count=_geometric_mass),
        ),
        (
            "a fixed number of points",
            "exactly one point for a measure of 1",
            "count",
            PoissonInstance("three cells of measure 1/3, one point", (third,) * 3, count=_one_point),
        ),
    ]
    return controls_in("def-2.2", rows)


def _in_a_circle(measures: Sequence[Number]) -> Law:
    cells, total = len(measures), sum(measures, start=Fraction(0))
    return Law({tuple((i + n) % cells for n in range(cells)): m / total for i, m in enumerate(measures)})


def _even_orders(measures: Sequence[Number]) -> Law:
    """Of four cells; any order of fewer."""
    if len(measures) != 4:
        return order_law(measures)
    return uniform(order for order in permutations(range(4)) if sum(a > b for a, b in combinations(order, 2)) % 2 == 0)


def _geometric_mass(mean: Number, n: int) -> Number:
    return (mean / (1 + mean)) ** n / (1 + mean)


def _one_point(mean: Number, n: int) -> Number:
    """In a part of measure `mean` of a set with one point."""
    return [1 - mean, mean][n] if n < 2 else Fraction(0)


def _scheme(name: str, laws: Laws, couple: Coupling, up_to: int = 2) -> Instance:
    return SchemeInstance(name, laws, up_to, couple)


@controls_of("def-3.1")
def _wrong_schemes() -> Iterator[Control]:
    rows: list[Row] = [
        ("independent draws", INDEPENDENT, "G2", _scheme("two laws, independent", EVEN, independent)),
        (
            "one uniform number for all laws, four points",
            SHIFTS,
            "G2",
            _scheme("uniform on 0..2 and on 1..3, by inverse distribution functions", SHIFTED_4, inverse_cdf),
        ),
        ("maximal couplings in a row", CHAIN, "G3", _scheme("three laws in a row", BENT, chained)),
        ("all who charge the outcome take it", POSITIVE, "G1", _scheme("two laws", EVEN, everyone_positive)),
        ("the density of the next law", SWAPPED, "G1", _scheme("two laws, exchanged", EVEN, next_density)),
        (
            "a process drawn anew for the third coordinate",
            "pairs are right, but a law that comes third is independent of itself",
            "G3",
            _scheme("three laws, the third alone", WORKED, redrawn_after_the_first, 3),
        ),
        (
            "densities that are not divided by the intensity",
            "outcomes that many laws charge are too likely",
            "G1",
            _scheme("two laws, unnormalised", EVEN, unnormalised),
        ),
    ]
    return controls_in("def-3.1", rows)


def _dominated(name: str, laws: Laws, couple: MeasuredCoupling) -> Instance:
    return DominatedInstance(name, laws, measures_on(laws)[1], 2, couple)


@controls_of("prop-3.2")
def _wrong_with_a_measure() -> Iterator[Control]:
    lone = DominatedInstance("the measure charges 0 alone", EVEN, {0: Fraction(1)}, 2)
    shifted = _dominated("three points, by inverse distribution functions", SHIFTED_3, inverse_cdf_by_measure)
    rows: list[Row] = [
        ("a measure that does not dominate", "it charges one outcome of two", "dominated", lone),
        (
            "a process for every coordinate",
            INDEPENDENT,
            "G2",
            _dominated("two laws, a process each", EVEN, independent_by_measure),
        ),
        (
            "masses for densities",
            "s is compared with P(y), though points above y have intensity nu(y)",
            "G1",
            _dominated("two laws, undivided", EVEN, masses_for_densities),
        ),
        (
            "one uniform number for all laws, three points",
            "on three points it meets 2t and is consistent, but it is not the first point below the densities",
            "bounded densities",
            shifted,
        ),
    ]
    return controls_in("prop-3.2", rows)


@controls_of("cor-A.3")
def _wrong_dominated_classes() -> Iterator[Control]:
    rows: list[Row] = [
        (
            "one uniform number for all laws, three points",
            "it meets 2t, but at distance 1/3 the laws differ with probability 2/3 > 2t/(1 + t)",
            "A.2",
            _dominated("three points, by inverse distribution functions", SHIFTED_3, inverse_cdf_by_measure),
        ),
        (
            "a process for every coordinate",
            INDEPENDENT,
            "A.2",
            _dominated("two laws, a process each", EVEN, independent_by_measure),
        ),
        (
            "maximal couplings in a row",
            CHAIN,
            "G3",
            _dominated("three laws in a row", BENT, chained_by_measure),
        ),
        (
            "all who charge the outcome take it",
            POSITIVE,
            "G1",
            _dominated("two laws, all at once", EVEN, everyone_positive_by_measure),
        ),
        (
            "masses for densities",
            "the accepted set is taken below P(y): above y it has measure nu(y) P(y)",
            "G3 accepted set",
            DominatedInstance("two laws, accepted sets undivided", EVEN, measures_on(EVEN)[1], 2, density=undivided),
        ),
    ]
    return controls_in("cor-A.3", rows)


@controls_of("prop-3.3")
def _wrong_universal() -> Iterator[Control]:
    newcomers = (law_of_counts((1, 2)),)
    joining = ClassInstance("two laws and a third", EVEN, 2, measured_by_the_first, newcomers)
    rows: list[Row] = [
        (
            "independent draws",
            INDEPENDENT,
            "G2",
            ClassInstance("two laws, independent", EVEN, 2, independent, newcomers),
        ),
        (
            "the intensity counts the first law twice",
            "the points do not come from the measure that densities are taken by",
            "G1",
            joining,
        ),
        (
            "a law that joins separates the first",
            "two laws share their process until there is a third",
            "universal",
            ClassInstance("two laws and a third, the first alone", EVEN, 2, mixed_with_the_rest, newcomers),
        ),
    ]
    return controls_in("prop-3.3", rows)


@controls_of("cor-A.6")
def _wrong_extensions() -> Iterator[Control]:
    first, second, third = WORKED
    rows: list[Row] = [
        (
            "maximal couplings in a row",
            "the order in which the laws are coupled matters",
            "S1 any order",
            TupleInstance("three laws in a row", BENT, chained),
        ),
        (
            "independent draws of a repeated law",
            "the distinct laws alone would be consistent, but the repeated one differs from itself",
            "S4 repeated",
            TupleInstance("one law twice among two", (first, second, first), independent),
        ),
        (
            "a process drawn anew for the third coordinate",
            "an order that puts another law third gives another joint law",
            "S1 any order",
            TupleInstance("three laws, the third alone", (first, second, third), redrawn_after_the_first),
        ),
        ("the density of the next law", SWAPPED, "S2 part", TupleInstance("two laws, exchanged", EVEN, next_density)),
    ]
    return controls_in("cor-A.6", rows)


@controls_of("cor-A.7")
def _wrong_restrictions() -> Iterator[Control]:
    newcomers = (law_of_counts((1, 2)),)

    def of(name: str, laws: Laws, couple: Coupling) -> Instance:
        return ClassInstance(name, laws, 2, couple, newcomers)

    rows: list[Row] = [
        (
            "one uniform number for all laws, four points",
            SHIFTS,
            "conclusion",
            of("uniform on 0..2 and on 1..3", SHIFTED_4, inverse_cdf),
        ),
        ("maximal couplings in a row", CHAIN, "restriction", of("three laws in a row", BENT, chained)),
        ("all who charge the outcome take it", POSITIVE, "G1", of("two laws, all at once", EVEN, everyone_positive)),
        (
            "independent draws",
            "two laws at distance 1/6 differ with probability 1/2",
            "conclusion",
            of("two laws, independent", EVEN, independent),
        ),
    ]
    return controls_in("cor-A.7", rows)
