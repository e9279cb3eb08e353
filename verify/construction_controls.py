"""Controls of the constructions and their properties: a measure, a process or a density that is not the right one.

Each wrong coupling stands where the Poisson coupling stands, on an instance on which it shows.
"""

from collections.abc import Iterator
from fractions import Fraction

from exactdp.spec.consistency import OrderCellInstance
from exactdp.spec.constructions import (
    CoupleOneInstance,
    CoupleTwoInstance,
    MeasuredCoupling,
    MeasuresInstance,
    OwnMeasureInstance,
)
from exactdp.spec.coupling import PairInstance
from exactdp.spec.item import Instance
from exactdp.spec.tuples import Coupling, TupleInstance
from exactdp.verify.controls import Control, controls_of
from exactdp.verify.coupling_controls import (
    BENT,
    CHAIN,
    EVEN,
    INDEPENDENT,
    LEVEL,
    POSITIVE,
    SHIFTED_3,
    SWAPPED,
    Row,
    controls_in,
)
from exactdp.verify.coupling_families import WORKED, Laws, measures_on
from exactdp.verify.families import law_of_counts
from exactdp.verify.wrong_couplings import (
    chained,
    chained_by_measure,
    everyone_positive,
    first_counted_twice,
    independent,
    independent_by_measure,
    inverse_cdf,
    jumping,
    masses_for_densities,
    mean_measure,
    measured_by_the_first,
    mixed_with_the_rest,
    next_density,
    not_divided_by_either,
    ordered_by_the_first_outcome,
    stretched_by_place,
    undivided,
    uniform_orders,
    unnormalised,
)


@controls_of("constr-A.1")
def _wrong_constructions() -> Iterator[Control]:
    measures = measures_on(EVEN)

    def on(name: str, couple: Coupling) -> Instance:
        return MeasuresInstance(name, EVEN, measures, couple)

    rows: list[Row] = [
        (
            "a process drawn anew for every coordinate",
            "the marginals are right, but the points are not shared",
            "invariance",
            on("two laws, a process each", independent),
        ),
        (
            "densities that are not divided by the intensity",
            "s is compared with P(y), so that the law follows the measure",
            "invariance",
            on("two laws, unnormalised", unnormalised),
        ),
        (
            "a reference measure that depends on the place in the tuple",
            "densities of different laws are taken by different measures",
            "invariance",
            MeasuresInstance("two laws, stretched", LEVEL, measures_on(LEVEL), stretched_by_place),
        ),
        (
            "masses for densities",
            "what P accepts above y has measure nu(y) P(y), which is right for the counting measure alone",
            "accepted",
            MeasuresInstance("two laws, undivided", EVEN, measures, density=undivided),
        ),
        (
            "every region as often first, whatever its measure",
            "the order of the first points is taken uniform over regions",
            "orders",
            MeasuresInstance("two laws, regions alike", EVEN, measures, orders=uniform_orders),
        ),
    ]
    return controls_in("constr-A.1", rows)


@controls_of("alg-5")
def _wrong_couple_one() -> Iterator[Control]:
    def run(name: str, laws: Laws, couple: MeasuredCoupling, length: int = 2) -> Instance:
        weights = measures_on([law.power(length) for law in laws])[1]
        return CoupleOneInstance(name, laws, length, weights, couple)

    narrow = {y: Fraction(1) for y in law_of_counts((1, 1)).power(2).support()}
    learned = CoupleOneInstance("a learner returns mass at 2", (*EVEN, law_of_counts((1, 1, 1))), 2, narrow)
    rows: list[Row] = [
        (
            "a measure that dominates the class, not the learner's outputs",
            "a law returned by the learner charges a record that the measure does not",
            "line 1 dominated",
            learned,
        ),
        (
            "a process for every coordinate",
            "nothing is shared, so that equal laws differ",
            "guarantee",
            run("two equal laws, a process each", (EVEN[0], EVEN[0]), independent_by_measure),
        ),
        (
            "masses for densities",
            "s is compared with the mass, though points above y have intensity nu(y)",
            "guarantee law",
            run("two laws, undivided", EVEN, masses_for_densities),
        ),
        (
            "maximal couplings in a row",
            "the process is read through the coordinate before",
            "line 2 same process",
            run("three laws in a row", BENT, chained_by_measure, 1),
        ),
    ]
    return controls_in("alg-5", rows)


@controls_of("thm-A.2")
def _wrong_pairs() -> Iterator[Control]:
    p, q = SHIFTED_3
    rows: list[Row] = [
        (
            "one uniform number for both laws, three points",
            "at distance 1/3 they differ with probability 2/3 > 2t/(1 + t) = 1/2",
            "S2 agreement",
            PairInstance("(2/3, 1/3, 0) and (1/3, 1/3, 1/3)", p, q, inverse_cdf),
        ),
        ("independent draws", INDEPENDENT, "S2 agreement", PairInstance("equal laws", p, p, independent)),
        (
            "a maximal coupling",
            "it attains t, which is below what the Poisson coupling gives",
            "pair formula",
            PairInstance("(2/3, 1/3, 0) and (1/3, 1/3, 1/3), maximal", p, q, chained),
        ),
        (
            "the density of the next law",
            SWAPPED,
            "S1",
            PairInstance("(2/3, 1/3, 0) and (1/3, 1/3, 1/3), exchanged", p, q, next_density),
        ),
        (
            "all who charge the outcome take it",
            "two laws at distance 1/4 never differ, which no coupling of them can do",
            "S1",
            PairInstance("(1/2, 1/2) and (3/4, 1/4), all at once", EVEN[0], EVEN[1], everyone_positive),
        ),
        (
            "1 - t for the probability that both accept the first point",
            "the measure of what both accept is not divided by that of what either accepts",
            "S2 first point",
            PairInstance("(2/3, 1/3, 0) and (1/3, 1/3, 1/3), undivided", p, q, first_point=not_divided_by_either),
        ),
    ]
    return controls_in("thm-A.2", rows)


@controls_of("constr-A.4")
def _wrong_sums() -> Iterator[Control]:
    rows: list[Row] = [
        (
            "a process drawn anew for every coordinate",
            "the marginals are right, but the points are not shared",
            "joint law",
            OwnMeasureInstance("three laws, a process each", WORKED, independent),
        ),
        (
            "the intensity counts the first law twice",
            "the points do not come from the measure that densities are taken by, and it depends on the order",
            "joint law",
            OwnMeasureInstance("three laws, the first twice", WORKED, measured_by_the_first),
        ),
        (
            "densities that are not divided by the intensity",
            "s is compared with P_i(y)",
            "joint law",
            OwnMeasureInstance("three laws, unnormalised", WORKED, unnormalised),
        ),
        (
            "the mean of the laws for their sum",
            "nu cancels in the joint law, but a density reaches up to k, beyond levels in [0, 1]",
            "density range",
            OwnMeasureInstance("three laws, their mean", WORKED, measure=mean_measure),
        ),
        (
            "a running sum that starts with the first law",
            "nu cancels in the joint law, but a proposal is accepted too seldom",
            "density sum",
            OwnMeasureInstance("three laws, the first added twice", WORKED, measure=first_counted_twice),
        ),
        (
            "masses for densities",
            "s is compared with P_i(y): above y coordinate i accepts nu_P(y) P_i(y)",
            "density sum",
            OwnMeasureInstance("two laws, undivided", EVEN, density=undivided),
        ),
        (
            "every region as often first, whatever its measure",
            "the order of the first points is taken uniform over regions",
            "orders",
            OwnMeasureInstance("two laws, regions alike", EVEN, orders=uniform_orders),
        ),
    ]
    return controls_in("constr-A.4", rows)


@controls_of("alg-6")
def _wrong_couple_two() -> Iterator[Control]:
    rows: list[Row] = [
        (
            "a process for every coordinate",
            "a point that both accept is taken by one alone",
            "line 3 first points",
            CoupleTwoInstance("two laws, a process each", EVEN, 2, independent),
        ),
        (
            "the density of the next law",
            SWAPPED,
            "line 3 first points",
            CoupleTwoInstance("two laws, exchanged", EVEN, 1, next_density),
        ),
        (
            "one uniform number for all laws, three points",
            "no sequence of proposals gives it",
            "line 3 first points",
            CoupleTwoInstance("(2/3, 1/3, 0) and (1/3, 1/3, 1/3)", SHIFTED_3, 1, inverse_cdf),
        ),
        (
            "all who charge the outcome take it",
            POSITIVE,
            "line 3 first points",
            CoupleTwoInstance("two laws, all at once", EVEN, 1, everyone_positive),
        ),
        (
            "a process for every coordinate, equal laws",
            "the records' laws are at distance 0, so that nothing may differ",
            "line 3 first points",
            CoupleTwoInstance("two equal laws, a process each", EVEN[:1] * 2, 2, independent),
        ),
        (
            "a running sum that starts with the first law",
            "densities sum to less than 1, so that a proposal is accepted too seldom",
            "line 1 densities",
            CoupleTwoInstance("two laws, the first added twice", EVEN, 1, measure=first_counted_twice),
        ),
    ]
    return controls_in("alg-6", rows)


@controls_of("prop-A.5")
def _wrong_tuples() -> Iterator[Control]:
    one, near, beyond = law_of_counts((1, 1, 0)), law_of_counts((1, 1, 2)), law_of_counts((199, 200, 401))
    rows: list[Row] = [
        (
            "all who charge the outcome take it",
            POSITIVE,
            "marginals",
            TupleInstance("two laws", EVEN, everyone_positive),
        ),
        ("independent draws", INDEPENDENT, "disagreement", TupleInstance("one law twice", EVEN[:1] * 2, independent)),
        ("maximal couplings in a row", CHAIN, "projective", TupleInstance("three laws in a row", BENT, chained)),
        (
            "a reference measure that depends on the place in the tuple",
            "marginals and bounds are met, but the two orders of the pair have different joint laws",
            "equivariant",
            TupleInstance("two laws, stretched", LEVEL, stretched_by_place),
        ),
        (
            "a coupling that jumps",
            "up to distance 1/2 it is maximal, beyond it is Poisson; near distance 1/2 it jumps",
            "lipschitz",
            TupleInstance("on both sides of distance 1/2", (one, near), jumping, ((one, beyond),)),
        ),
        (
            "a law more separates the first",
            "two laws share their process until there is a third",
            "ghost",
            TupleInstance("two laws and a ghost", EVEN, mixed_with_the_rest, ((law_of_counts((1, 2)), EVEN[1]),)),
        ),
        (
            "a coupling that jumps, within one order of the masses",
            "one rational function does not describe both of its parts",
            "rational function",
            OrderCellInstance("jumping inside a cell", ((0, 1), (0, 1), (1, 0)), ((one, beyond), (one, near)), jumping),
        ),
        (
            "laws sorted at the first outcome alone",
            "where all laws are equal any order will do, but on a border the two orders give two functions",
            "continuity",
            OrderCellInstance(
                "sorted at outcome 0", ((0, 1), (0, 1), (1, 0)), ((one, one),), function=ordered_by_the_first_outcome
            ),
        ),
    ]
    return controls_in("prop-A.5", rows)
