"""Yatracos sets, their atoms and VC dimension, and covers, beside the definitions word for word."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import chain, combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.spec.divergence import tv
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, MixedUnits, NotClosed, SymbolicEpsilon
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import exp
from exactdp.spec.standard_laws import discrete_laplace, geometric, point, uniform
from exactdp.spec.yatracos import (
    atoms_of,
    excess,
    is_cover,
    is_shattered,
    largest_ball,
    locally_small,
    shattered_set,
    vc_dimension,
    yatracos_class,
    yatracos_set,
)
from exactdp.verify.strategies import exponential_laws, laws, tuples_of_laws

T = exp("-1")
GRID = [Law({y: Fraction(c, 4) for y, c in enumerate(row)}) for row in product(range(5), repeat=3) if sum(row) == 4]
COUNTABLE = {
    "geometric laws": [geometric(1), geometric(2), geometric("1/2")],
    "Laplace laws": [discrete_laplace(1), discrete_laplace(3), discrete_laplace(2)],
    "one of each, and a finite one": [discrete_laplace(1), geometric(2), uniform(range(-2, 5))],
    "mixtures, which are no multiples of one exponential": [
        mixture([("1/2", geometric(1)), ("1/2", geometric(3))]),
        geometric(2),
        mixture([("1/3", geometric(2)), ("2/3", uniform(["x", 0, 7]))]),
    ],
    "equal laws": [geometric(1), geometric(1)],
}
EVERY_COUNTABLE = pytest.mark.parametrize("members", COUNTABLE.values(), ids=COUNTABLE.keys())


def all_subsets(points: Sequence[Hashable]) -> list[frozenset[Hashable]]:
    return [frozenset(one) for one in chain.from_iterable(combinations(points, r) for r in range(len(points) + 1))]


def plain_vc(family: Sequence[frozenset[Hashable]]) -> int:
    """The largest shattered set, by trying every set of points."""
    points = sorted(set().union(*family), key=repr)
    return max(len(s) for s in all_subsets(points) if len({s & one for one in family}) == 2 ** len(s))


def test_a_yatracos_set_attains_the_total_variation_and_no_set_does_better() -> None:
    for q, other in product(GRID, repeat=2):
        best = yatracos_set(q, other)
        assert excess(q, other, best) == sum(max(q[y] - other[y], Fraction(0)) for y in range(3)) == tv(q, other)
        assert max(excess(q, other, event) for event in all_subsets(range(3))) == excess(q, other, best)
        assert best or q == other


def test_ties_are_in_neither_set() -> None:
    p, q = Law({0: "1/2", 1: "1/4", 2: "1/4"}), Law({0: "1/4", 1: "1/4", 2: "1/2"})
    assert [sorted(map(str, yatracos_set(a, b))) for a, b in ((p, q), (q, p), (p, p))] == [["0"], ["2"], []]


@given(tuples_of_laws())
def test_the_class_of_sets_holds_each_set_of_a_pair_once(found: tuple[Law, ...]) -> None:
    masks = yatracos_class(found, range(4))
    decoded = {frozenset(y for y in range(4) if mask >> y & 1) for mask in masks}
    assert masks[0] == 0
    assert len(decoded) == len(masks)
    assert decoded == {yatracos_set(p, q) for p in found for q in found}


@pytest.mark.parametrize(
    ("members", "domain", "argument"),
    [([], [0], "laws"), ([point(3)], [0, 1], "outcome of a law"), ([geometric(1)], [0], "outcome of a law")],
)
def test_a_class_that_does_not_fit_its_domain_is_refused(members: list[Law], domain: list[int], argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        yatracos_class(members, domain)
    assert caught.value.argument == argument


def test_the_set_of_a_countable_law_is_not_listed() -> None:
    with pytest.raises(InvalidArgument, match="atoms_of"):
        yatracos_set(point(0), geometric(1))


# -- atoms --


@given(tuples_of_laws() | st.tuples(exponential_laws(), exponential_laws(), laws()))
def test_two_outcomes_share_an_atom_when_they_are_in_the_same_sets(found: tuple[Law, ...]) -> None:
    atoms = atoms_of(found)
    sets = [yatracos_set(p, q) for p in found for q in found]
    for x, y in combinations(range(6), 2):
        together = all((x in one) == (y in one) for one in sets)
        assert (atoms.atom(x) == atoms.atom(y)) == together
    for law, reduced in zip(found, atoms.on_atoms, strict=True):
        assert law.map(atoms.atom) == reduced == atoms.of(law)
    assert len(atoms.events()) == len(set(sets))


@EVERY_COUNTABLE
def test_the_atoms_of_countable_laws_keep_their_distances(members: list[Law]) -> None:
    atoms = atoms_of(members)
    for i, j in product(range(len(members)), repeat=2):
        assert tv(atoms.on_atoms[i], atoms.on_atoms[j]) == tv(members[i], members[j])
        assert excess(atoms.on_atoms[i], atoms.on_atoms[j], atoms.event(i, j)) == tv(members[i], members[j])


@EVERY_COUNTABLE
def test_the_sets_of_countable_laws_are_where_one_mass_is_larger(members: list[Law]) -> None:
    atoms = atoms_of(members)
    for y in [*range(-40, 41), "x", "elsewhere"]:
        for i, j in product(range(len(members)), repeat=2):
            assert (atoms.atom(y) in atoms.event(i, j)) == (members[i][y] > members[j][y])


def test_two_geometric_laws_have_three_atoms_with_masses_by_hand() -> None:
    """(1 - t^2) t^(2k) > (1 - t) t^k with t = e^(-1/2) exactly when (1 + t) t^k > 1, for k = 0 alone."""
    t = exp("-1/2")
    atoms = atoms_of([geometric(1), geometric(2)])
    assert [atoms.on_atoms[1][a] for a in range(3)] == [0, 1 - t, t]
    assert [atoms.on_atoms[0][a] for a in range(3)] == [0, 1 - T, T]


def test_outcomes_that_no_law_has_are_in_no_set() -> None:
    atoms = atoms_of([geometric(1), point("x")])
    assert atoms.atom("elsewhere") == atoms.atom(-3) == atoms.atom(None) == 0
    assert all(not mask & 1 for mask in atoms.events())


def test_a_finite_law_from_outside_is_reduced_and_a_countable_one_refused() -> None:
    atoms = atoms_of([geometric(1), geometric(2)])
    assert atoms.of(Law({0: "1/3", 5: "1/3", -1: "1/3"})) == uniform(range(3))
    with pytest.raises(InvalidArgument, match="a law of the class, or a finite law"):
        atoms.of(geometric(3))


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ([geometric(1), geometric(1 / Epsilon("ln(2)"))], (MixedUnits, NotClosed)),
        ([discrete_laplace(1 / Epsilon("any")), discrete_laplace(2 / Epsilon("any"))], SymbolicEpsilon),
        ([geometric(1).windowed("1/10"), geometric(1)], InvalidArgument),
        ([], InvalidArgument),
    ],
)
def test_what_cannot_be_compared_in_closed_form_is_refused_in_one_line(
    members: list[Law], error: type[Exception] | tuple[type[Exception], ...]
) -> None:
    with pytest.raises(error) as caught:
        atoms_of(members)
    assert "\n" not in str(caught.value)


# -- VC dimension --


def test_the_vc_dimension_of_every_family_on_three_points_is_the_definition() -> None:
    subsets = all_subsets(range(3))
    families = [[s for n, s in enumerate(subsets) if mask >> n & 1] for mask in range(1, 256)]
    found = [vc_dimension(family) for family in families]
    assert found == [plain_vc(family) for family in families]
    assert {dimension: found.count(dimension) for dimension in found}[3] == 1


@given(st.sets(st.integers(0, 127), min_size=1))
def test_a_largest_shattered_set_is_shattered_and_none_is_larger(masks: set[int]) -> None:
    family = [frozenset(i for i in range(7) if mask >> i & 1) for mask in masks]
    best = shattered_set(masks)
    assert is_shattered(family, best)
    assert len(best) == vc_dimension(family) == plain_vc(family)


@pytest.mark.parametrize("d", range(5))
def test_all_sets_of_at_most_d_points_have_dimension_d(d: int) -> None:
    assert vc_dimension([one for one in all_subsets(range(7)) if len(one) <= d]) == d


def test_intervals_half_lines_and_a_single_set_have_their_known_dimensions() -> None:
    intervals = [frozenset(range(a, b)) for a in range(12) for b in range(a, 12)]
    assert vc_dimension(intervals) == 2
    assert vc_dimension([frozenset(range(a)) for a in range(12)]) == 1
    assert vc_dimension([frozenset("abc")]) == vc_dimension([0b101]) == 0


def test_a_binomial_class_has_half_lines_for_its_sets() -> None:
    binomials = [Law({0: (1 - p) ** 2, 1: 2 * p * (1 - p), 2: p**2}) for p in (Fraction(i, 8) for i in range(1, 8))]
    masks = yatracos_class(binomials, range(3))
    assert set(masks) == {0b000, 0b001, 0b011, 0b100, 0b110}
    assert vc_dimension(masks) == 2


def test_an_empty_family_shatters_nothing_and_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least one set"):
        vc_dimension([])


def test_a_search_beyond_the_budget_says_what_is_known_and_what_is_left() -> None:
    family = [one for one in all_subsets(range(12)) if len(one) != 6]
    with pytest.raises(BudgetExceeded, match=r"of 3172 sets is at least \d+; .* estimated at") as caught:
        vc_dimension(family, budget=5_000)
    assert caught.value.estimate > caught.value.budget == 5_000
    assert vc_dimension(family) == 11, "any set of 6 of the first 11 points is the trace of one with the twelfth"


# -- covers --


@given(tuples_of_laws(max_size=5), st.fractions(0, 1, max_denominator=6))
def test_covers_and_balls_are_their_definitions(found: tuple[Law, ...], alpha: Fraction) -> None:
    def near(p: Law, q: Law) -> bool:
        return bool(sum((max(p[y], q[y]) for y in range(4)), start=Fraction(0)) <= 1 + alpha)

    covered = all(any(near(q, h) for h in found[:2]) for q in found)
    assert is_cover(found[:2], found, alpha) == covered
    distinct = set(found)
    sizes = [sum(near(h, g) for g in distinct) for h in distinct]
    assert largest_ball(found, alpha) == max(sizes)
    assert locally_small(found, max(sizes), alpha)
    assert not locally_small(found, max(sizes) - 1, alpha)


def test_a_cover_is_a_part_of_the_class() -> None:
    assert is_cover([GRID[0]], [GRID[0]], 0)
    assert not is_cover([GRID[1]], [GRID[0]], 1)
    assert not is_cover([], [GRID[0]], 1)


def test_the_distance_of_a_cover_is_not_strict() -> None:
    coins = [Law({0: Fraction(i, 4), 1: 1 - Fraction(i, 4)}) for i in range(5)]
    assert is_cover(coins[1::2], coins, "1/4")
    assert not is_cover(coins[1::2], coins, "1/5")
    assert (largest_ball(coins, "1/4"), largest_ball(coins, "1/5"), largest_ball(coins, 1)) == (3, 1, 5)
