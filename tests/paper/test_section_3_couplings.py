"""Section 3 and Appendix A: the coupling's items and their predicates, with numbers by hand."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest

from exactdp.reference.couple import couple
from exactdp.spec import consistency, constructions, coupling, poisson, universal
from exactdp.spec.consistency import is_equivariant, is_projective, movement_bound, unanimity_bound
from exactdp.spec.constructions import MeasuresInstance, one_proposal_law, total_measure
from exactdp.spec.coupling import (
    PairInstance,
    is_extreme_pair,
    is_grand_coupling,
    is_sharp_coupling,
    is_within_pair_bounds,
    pair_formula,
)
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import item, items
from exactdp.spec.joint import joint_law, pair_disagreement
from exactdp.spec.law import Law
from exactdp.spec.number import exp
from exactdp.spec.order_cells import cell_function, neighbours, orders_of, times, value
from exactdp.spec.poisson import order_law, poisson_mass, unit_order_law
from exactdp.spec.regions import accepted, first_points_by_orders, first_points_law, is_dominated, regions
from exactdp.spec.standard_laws import point, uniform
from exactdp.spec.tuples import coordinate, disagreement, distance, entries, marginal, overlap
from exactdp.spec.universal import distinct, is_restriction, is_universal, spread
from exactdp.verify.coupling_families import ProgramOne, ProgramTwo, grid_named, known_tuples, tight_pair, tight_tuple
from exactdp.verify.families import PRESETS, family, grid_laws
from exactdp.verify.wrong_couplings import independent, inverse_cdf

P1 = Law({0: "1/2", 1: "1/2"})
P2 = Law({0: "1/2", 1: "1/4", 2: "1/4"})
P3 = Law({0: "1/4", 1: "1/4", 2: "1/2"})
WORKED = Law(
    {
        (0, 0, 0): "5/24", (0, 0, 1): "1/24", (0, 0, 2): "3/20", (0, 2, 2): "1/10", (1, 0, 0): "1/24",
        (1, 0, 1): "1/120", (1, 0, 2): "1/20", (1, 1, 1): "1/5", (1, 1, 2): "1/20", (1, 2, 2): "3/20",
    }
)  # fmt: skip
COUPLING = [one.id for one in items() if one.section.startswith(("Section 3:", "Appendix A:")) or one.id == "def-2.2"]


def _split(joint: Law) -> object:
    return joint.probability(lambda z: len(set(entries(z))) > 1)


# -- Definition 2.2 --


def test_the_first_point_of_a_union_is_uniform_on_it() -> None:
    orders = order_law([Fraction(1), Fraction(2), Fraction(3)])
    assert orders[2, 1, 0] == Fraction(3, 6) * Fraction(2, 3)
    assert orders[0, 1, 2] == Fraction(1, 6) * Fraction(2, 5)
    assert coordinate(orders, 0) == Law({0: "1/6", 1: "1/3", 2: "1/2"})
    assert orders == unit_order_law([1, 2, 3])


def test_all_orders_of_seven_unit_cells_are_equally_likely() -> None:
    orders = order_law([Fraction(1)] * 7)
    assert len(orders) == 5040
    assert orders == unit_order_law([1] * 7)
    with pytest.raises(BudgetExceeded, match="8! orders"):
        order_law([Fraction(1)] * 8)


def test_a_cell_of_measure_0_has_no_first_point() -> None:
    with pytest.raises(InvalidArgument, match="measure of cell 1"):
        order_law([Fraction(1), Fraction(0)])


def test_numbers_of_points_are_poisson() -> None:
    assert poisson_mass(Fraction(1, 2), 0) == exp("-1/2")
    assert poisson_mass(Fraction(1, 2), 2) == exp("-1/2") / 8
    with pytest.raises(InvalidArgument, match="a rational number"):
        poisson_mass(exp("-1/2"), 0)


# -- the constructions --


def test_the_worked_example_has_its_joint_law_by_every_road() -> None:
    laws = (P1, P2, P3)
    assert joint_law(laws) == WORKED
    assert couple(laws) == WORKED
    for weights in (dict.fromkeys(range(3), Fraction(1)), {0: Fraction(7), 1: Fraction(1, 9), 2: exp("-1/2")}):
        assert first_points_law(laws, weights) == WORKED
        assert ProgramOne()(laws, weights) == WORKED
    assert first_points_law(laws, total_measure(laws)) == WORKED
    assert ProgramTwo()(laws) == WORKED


def test_the_regions_of_two_laws_are_cut_out_by_their_densities() -> None:
    found = regions([P1, P2], {0: Fraction(2), 1: Fraction(1), 2: Fraction(1)})
    assert [(r.outcome, set(r.members), r.measure) for r in found] == [
        (0, {0, 1}, Fraction(1, 2)),
        (1, {0, 1}, Fraction(1, 4)),
        (1, {0}, Fraction(1, 4)),
        (2, {1}, Fraction(1, 4)),
    ]
    assert accepted(found, 0, 1) == Fraction(1, 2)
    assert accepted(found, 0, 2) == 0


@pytest.mark.parametrize("points", [2, 3])
def test_all_orders_of_the_regions_give_the_joint_law(points: int) -> None:
    weights = {y: Fraction(y + 1) for y in range(points)}
    for p, q in product(grid_laws(points, 3), repeat=2):
        assert first_points_by_orders([p, q], weights) == joint_law([p, q])


def test_a_law_that_the_measure_does_not_dominate_is_named_with_the_outcome() -> None:
    assert not is_dominated([P1, P2], {0: Fraction(1), 1: Fraction(1)})
    with pytest.raises(
        InvalidArgument, match=r"weight of 2: got '0' \(str\); expected a positive weight: law 1 charges"
    ):
        first_points_law([P1, P2], {0: Fraction(1), 1: Fraction(1)})
    with pytest.raises(InvalidArgument, match="at least one law"):
        first_points_law([], {0: Fraction(1)})


def test_a_construction_whose_measure_does_not_dominate_is_outside_the_claims() -> None:
    outside = MeasuresInstance("too narrow", (P1, P2), ({0: Fraction(1), 1: Fraction(1)},))
    assert list(item("constr-A.1").claims(outside)) == []


def test_one_proposal_settles_what_it_accepts_and_leaves_the_rest() -> None:
    """Point laws at 0 and 1: the proposal settles one, the other follows; nothing is missed at height 1."""
    apart = [point(0), point(1)]
    assert one_proposal_law(apart, {0: Fraction(1), 1: Fraction(1)}, Fraction(1), joint_law) == point((0, 1))
    wrong = one_proposal_law([P1, P1], {0: Fraction(1, 2), 1: Fraction(1, 2)}, Fraction(2), independent)
    assert wrong == Law({(0, 0): "3/8", (1, 1): "3/8", (0, 1): "1/8", (1, 0): "1/8"})


# -- Definition 3.1 and Theorem A.2 --


@pytest.mark.parametrize(
    ("p", "q", "t", "apart", "bound"),
    [
        (P1, P2, "1/4", "7/20", "2/5"),
        (P1, P3, "1/2", "7/12", "2/3"),
        (P2, P3, "1/4", "3/10", "2/5"),
        (Law({0: "3/4", 1: "1/4"}).power(2), Law({0: "1/2", 1: "1/2"}).power(2), "5/16", "131/336", "10/21"),
    ],
)
def test_two_laws_differ_as_often_as_worked_out_by_hand(p: Law, q: Law, t: str, apart: str, bound: str) -> None:
    numerator, denominator = pair_formula(p, q)
    assert distance(p, q) == Fraction(t)
    assert disagreement(joint_law([p, q]), 0, 1) == numerator / denominator == Fraction(apart)
    assert 2 * distance(p, q) / denominator == Fraction(bound)
    assert is_within_pair_bounds(p, q, Fraction(apart))
    assert not is_within_pair_bounds(p, q, Fraction(bound) + Fraction(1, 10**30))
    assert not is_within_pair_bounds(p, q, Fraction(t) - Fraction(1, 10**30))


@pytest.mark.parametrize(("t", "bound"), [("1/2", "2/3"), ("1/3", "1/2"), ("1", "1"), ("1/9", "1/5")])
def test_the_bound_is_attained_by_laws_with_part_of_their_mass_in_common(t: str, bound: str) -> None:
    p, q = tight_pair(Fraction(t))
    assert is_extreme_pair(p, q)
    assert disagreement(joint_law([p, q]), 0, 1) == Fraction(bound)


def test_the_bound_is_attained_with_exponential_mass_in_common() -> None:
    t = exp("-1/2")
    assert disagreement(joint_law(tight_pair(t)), 0, 1) == 2 * t / (1 + t)


def test_the_bound_is_attained_only_by_extreme_pairs_on_a_whole_grid() -> None:
    seen = set()
    for p, q in product(grid_laws(3, 4), repeat=2):
        t, apart = distance(p, q), pair_disagreement(p, q)
        assert is_within_pair_bounds(p, q, apart)
        assert ((1 + t) * apart == 2 * t) == is_extreme_pair(p, q)
        seen.add(is_extreme_pair(p, q))
    assert seen == {True, False}


def test_on_two_points_laws_differ_with_probability_t() -> None:
    claims = list(
        item("thm-A.2").claims(PairInstance("2/5 and 7/10", Law({0: "2/5", 1: "3/5"}), Law({0: "7/10", 1: "3/10"})))
    )
    assert {c.label: (c.lhs, c.rhs) for c in claims}["two points: t itself"] == (Fraction(3, 10), Fraction(3, 10))


@pytest.mark.parametrize(("points", "ratio"), [(3, "1"), (4, "3/2"), (5, "2")])
def test_one_uniform_number_for_all_laws_breaks_the_bound_from_four_points_on(points: int, ratio: str) -> None:
    """Pr[differ]/(2 TV) for uniform laws on 0..K-2 and on 1..K-1: every value is shifted, and TV = 1/(K - 1)."""
    pair = uniform(range(points - 1)), uniform(range(1, points))
    apart = disagreement(inverse_cdf(pair), 0, 1)
    assert apart == Fraction(ratio) * 2 * distance(*pair)
    assert is_grand_coupling(pair, inverse_cdf, 2) == (points == 3)


def test_one_uniform_number_for_all_laws_meets_the_definition_on_all_of_a_grid_on_three_points() -> None:
    laws = list(grid_laws(3, 2))
    assert is_grand_coupling(laws, inverse_cdf, 2)
    assert not is_sharp_coupling([Law({0: "2/3", 1: "1/3"}), uniform(range(3))], inverse_cdf)


def test_the_poisson_coupling_is_one_scheme_on_a_whole_grid() -> None:
    laws = list(grid_laws(3, 2))
    assert len(laws) == 6
    assert is_grand_coupling(laws, joint_law, 2)
    assert is_sharp_coupling(laws, joint_law)
    assert not is_grand_coupling(laws, independent, 2)


# -- Proposition A.5 and its corollaries --


@pytest.mark.parametrize(
    ("k", "t", "split"), [(2, "1/5", "4/7"), (2, "1/6", "1/2"), (3, "1/9", "1/2"), (1, "1/3", "1/2")]
)
def test_some_of_k_laws_leaves_p_with_probability_2kt_over_1_plus_kt(k: int, t: str, split: str) -> None:
    laws = tight_tuple(k, Fraction(t))
    low, high = unanimity_bound(laws)
    assert (low, high) == (1 - k * Fraction(t), 1 + k * Fraction(t))
    assert _split(joint_law(laws)) == 1 - low / high == Fraction(split)


def test_a_ghost_does_not_change_what_the_others_do() -> None:
    assert marginal(WORKED, (0, 1)) == joint_law([P1, P2])
    assert marginal(WORKED, (2, 0)) == joint_law([P3, P1])
    assert is_universal([P1, P2], [P3, point("ghost")], joint_law)
    assert is_projective([P1, P2, P3], joint_law)
    assert is_equivariant([P1, P2, P3], joint_law)
    assert not is_restriction(WORKED, (0, 2), joint_law([P1, P2]))


def test_joint_laws_move_by_at_most_the_sum_of_the_bounds_of_their_laws() -> None:
    assert movement_bound([P1, P2], [P3, P2]) == Fraction(2, 3)
    assert movement_bound([P1, P2], [P2, P3]) == Fraction(4, 5)
    assert distance(joint_law([P1, P2]), joint_law([P3, P2])) <= Fraction(2, 3)
    far = distance(joint_law([point(0), point(0)]), joint_law([point(1), point(1)]))
    assert far == 1


def test_repeated_laws_are_copied_to_all_their_places() -> None:
    different, places = distinct([P2, P1, P2, P3])
    assert (different, places) == ((P2, P1, P3), (0, 1, 0, 2))
    joint = joint_law([P2, P1, P2, P3])
    assert joint == spread(joint_law(different), places)
    assert joint[0, 0, 0, 2] == Fraction(3, 20)
    assert disagreement(joint, 0, 2) == 0


def test_overlap_is_1_for_equal_laws_alone() -> None:
    assert overlap(P1, Law({1: "1/2", 0: "1/2"})) == 1
    assert overlap(P1, P2) == Fraction(3, 4)


# -- one rational function for every order of the masses --


def test_two_laws_on_two_points_have_the_polynomials_worked_out_by_hand() -> None:
    """Where P(0) >= Q(0) and Q(1) >= P(1): (Q0 + P0 Q0 - Q0^2) / (P0 + Q1) and so on."""
    p0, p1, q0, q1 = (0, 0), (0, 1), (1, 0), (1, 1)
    function = cell_function(((0, 1), (1, 0)))
    assert function.denominator == {(p0,): 1, (q1,): 1}
    assert function.numerators[0, 0] == {(q0,): 1, (p0, q0): 1, (q0, q0): -1}
    laws = Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"})
    assert value(function.numerators[0, 0], laws) == Fraction(5, 8)
    assert function.law(laws) == Law({(0, 0): "1/2", (0, 1): "1/4", (1, 1): "1/4"})
    assert function.numerators[1, 1] == {(p1,): 1, (p1, q1): 1, (p1, p1): -1}


@pytest.mark.parametrize(("k", "points", "degree"), [(2, 2, 2), (2, 3, 2), (3, 2, 5)])
def test_numerators_are_of_low_degree_and_the_denominator_is_the_product_of_envelopes(
    k: int, points: int, degree: int
) -> None:
    orders = (tuple(range(k)),) * points
    function = cell_function(orders)
    assert max(len(m) for n in function.numerators.values() for m in n) <= degree
    assert {len(m) for m in function.denominator} == {2**k - 1 - k}


def test_the_functions_of_neighbouring_cells_are_identical_on_their_border_and_only_there() -> None:
    """At P(0) = Q(0) the two functions agree at all four pairs; off the border, as they stand, not at all of them."""
    [(y, i, j, beyond), *_] = neighbours(((0, 1), (1, 0)))
    mine, theirs = cell_function(((0, 1), (1, 0))), cell_function(beyond)
    assert (y, i, j) == (0, 0, 1)
    assert mine.on_border(i, j, y).agreements(theirs.on_border(i, j, y)) == 4
    assert mine.agreements(theirs) < 4


def test_every_tuple_of_a_grid_lies_in_a_cell_whose_function_gives_its_joint_law() -> None:
    for laws in product(grid_laws(3, 2), repeat=2):
        assert cell_function(orders_of(laws, 3)).law(laws) == joint_law(laws)


def test_the_product_of_two_sums_is_expanded() -> None:
    x, y = (0, 0), (1, 0)
    assert times({(x,): 1, (y,): -1}, {(x,): 1, (y,): 1}) == {(x, x): 1, (y, y): -1}


# -- the families --


@pytest.mark.parametrize("name", COUPLING)
def test_an_instance_of_the_coupling_can_be_pasted_and_has_a_name_of_its_own(name: str) -> None:
    instances = list(family(name))
    assert len({str(instance) for instance in instances}) == len(instances)
    modules = (consistency, constructions, coupling, poisson, universal)
    vocabulary = {key: made for module in modules for key, made in vars(module).items() if key.endswith("Instance")}
    vocabulary |= {made.__name__: made for made in (Law, Fraction, Epsilon, exp, ProgramOne, ProgramTwo)}
    for instance in instances[:: max(1, len(instances) // 40)] + instances[-12:]:
        assert eval(repr(instance), dict(vocabulary)) == instance


@pytest.mark.parametrize(("k", "points", "n", "count"), [(2, 3, 3, 100), (3, 2, 2, 27), (2, 4, 2, 100), (4, 2, 2, 81)])
def test_a_grid_of_tuples_is_exhausted(k: int, points: int, n: int, count: int) -> None:
    found = {laws for _, laws in grid_named(k, points, n, ordered=True)}
    assert len(found) == count


def test_families_contain_what_hides_bugs_when_it_is_missing() -> None:
    tuples = [laws for _, laws in known_tuples()]
    assert any(len(set(laws)) < len(laws) for laws in tuples)
    assert any(_are_disjoint(laws) for laws in tuples)
    assert any(len(law) == 1 for laws in tuples for law in laws)
    assert any(not isinstance(m, Fraction) for laws in tuples for law in laws for _, m in law.items())


def _are_disjoint(laws: Sequence[Law]) -> bool:
    return any(distance(p, q) == 1 for p, q in combinations(laws, 2))


def test_the_full_preset_has_more_of_every_grid() -> None:
    small, large = PRESETS["minimal"], PRESETS["full"]
    assert len(small.pair_grids) <= len(large.pair_grids)
    assert max(n for _, n in small.pair_grids) < max(n for _, n in large.pair_grids)
    assert len(small.tuple_grids + small.multiset_grids) < len(large.tuple_grids + large.multiset_grids)
    assert len(small.class_grids) < len(large.class_grids)
    assert len(small.order_grids) < len(large.order_grids)
