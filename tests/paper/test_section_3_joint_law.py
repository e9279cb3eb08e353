"""Section 3 and Appendix A: the exact joint law of the Poisson coupling, beside three other ways to compute it.

The other ways: golden values, the recursion in plain fractions, and all orders in which unit cells can come first.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product
from math import factorial, lcm
from pathlib import Path
from typing import Any

import pytest

from exactdp.spec.divergence import tv
from exactdp.spec.errors import BudgetExceeded, ExactDPError, InvalidArgument, MixedUnits, SymbolicEpsilon
from exactdp.spec.exponent import Epsilon
from exactdp.spec.joint import (
    APART,
    disagreement_bounds,
    joint_law,
    pair_diagonal,
    pair_disagreement,
    pair_law,
    split_bound,
)
from exactdp.spec.law import UNRESOLVED, Law
from exactdp.spec.number import Number, exp
from exactdp.spec.powers import power_bounds, power_diagonal, power_disagreement, power_tv
from exactdp.spec.standard_laws import discrete_laplace, point, uniform
from exactdp.spec.vector import Rationals
from exactdp.verify.families import grid_laws, randomized_response

P1, P2, P3 = (Law(dict(enumerate(row))) for row in (("1/2", "1/2"), ("1/2", "1/4", "1/4"), ("1/4", "1/4", "1/2")))
B, C = Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"})
ROOT_3 = exp(Epsilon("ln(3)") / 2)
ZERO = Fraction(0)

GOLDEN = {
    (0, 0, 0): Fraction(5, 24),
    (0, 0, 1): Fraction(1, 24),
    (0, 0, 2): Fraction(3, 20),
    (0, 2, 2): Fraction(1, 10),
    (1, 0, 0): Fraction(1, 24),
    (1, 0, 1): Fraction(1, 120),
    (1, 0, 2): Fraction(1, 20),
    (1, 1, 1): Fraction(1, 5),
    (1, 1, 2): Fraction(1, 20),
    (1, 2, 2): Fraction(3, 20),
}

Table = dict[Hashable, Number]


def _cases(root: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((root / "tests" / "data" / "coupling.json").read_text())["cases"]
    assert len(cases) == 10
    return cases


def _laws(case: Mapping[str, Any]) -> list[Law]:
    return [Law(dict(enumerate(row))) for row in case["laws"]]


# -- other ways to the same law --


def plain_joint(laws: Sequence[Law]) -> Table:
    """The recursion as it is written, set by set, number by number, with nothing shared but what is remembered."""
    outcomes = list(dict.fromkeys(y for law in laws for y in law.support()))
    known: dict[frozenset[int], dict[tuple[tuple[int, Hashable], ...], Number]] = {frozenset(): {(): Fraction(1)}}

    def rec(waiting: frozenset[int]) -> dict[tuple[tuple[int, Hashable], ...], Number]:
        if waiting in known:
            return known[waiting]
        total = sum((max(laws[i][y] for i in waiting) for y in outcomes), start=ZERO)
        result: dict[tuple[tuple[int, Hashable], ...], Number] = {}
        for y in outcomes:
            order = sorted(waiting, key=lambda i: laws[i][y], reverse=True)
            for j, i in enumerate(order):
                weight = laws[i][y] - (laws[order[j + 1]][y] if j + 1 < len(order) else ZERO)
                if weight == 0:
                    continue
                taken = order[: j + 1]
                for rest, mass in rec(waiting - set(taken)).items():
                    key = tuple(sorted((*rest, *((n, y) for n in taken)), key=lambda pair: pair[0]))
                    result[key] = result.get(key, ZERO) + weight / total * mass
        known[waiting] = result
        return result

    return {tuple(y for _, y in key): mass for key, mass in rec(frozenset(range(len(laws)))).items()}


def cells_of(laws: Sequence[Law]) -> tuple[list[tuple[Hashable, int]], list[dict[Hashable, int]]]:
    """The unit cells (y, c) under the largest mass, and how many of them each law accepts at y."""
    rows = [{y: Fraction(str(mass)) for y, mass in law.items()} for law in laws]
    n = lcm(*(mass.denominator for row in rows for mass in row.values()))
    heights = [{y: int(n * mass) for y, mass in row.items()} for row in rows]
    outcomes = dict.fromkeys(y for row in rows for y in row)
    return [(y, c) for y in outcomes for c in range(1, max(h.get(y, 0) for h in heights) + 1)], heights


def joint_by_orders(laws: Sequence[Law]) -> Table:
    """Each law takes its first accepted cell, counted over all orders of the cells."""
    cells, heights = cells_of(laws)
    counts = Counter(
        tuple(next(y for y, c in order if c <= height.get(y, 0)) for height in heights) for order in permutations(cells)
    )
    return {values: Fraction(count, factorial(len(cells))) for values, count in counts.items()}


def tables_equal(law: Law, table: Mapping[Hashable, Number]) -> bool:
    return dict(law.items()) == {key: mass for key, mass in table.items() if mass}


# -- golden values --


def test_the_joint_laws_of_the_vectors_are_equal_to_the_last_digit(root: Path) -> None:
    for case in _cases(root):
        expected = {tuple(values): Fraction(mass) for values, mass in case["joint"]}
        assert dict(joint_law(_laws(case)).items()) == expected


def test_three_laws_have_the_joint_law_worked_out_by_hand() -> None:
    assert dict(joint_law([P1, P2, P3]).items()) == GOLDEN


@pytest.mark.parametrize(
    ("p", "q", "distance", "apart", "bound"),
    [(P1, P2, "1/4", "7/20", "2/5"), (P1, P3, "1/2", "7/12", "2/3"), (P2, P3, "1/4", "3/10", "2/5")],
)
def test_the_pairs_of_three_laws_disagree_as_worked_out_by_hand(
    p: Law, q: Law, distance: str, apart: str, bound: str
) -> None:
    assert pair_disagreement(p, q) == Fraction(apart)
    assert disagreement_bounds(p, q) == (Fraction(distance), Fraction(bound))


# -- Aggregate, with the reference stability-based mode: lambda = 1/2, s = 2, ties give bottom, l = 1 --


def reference_mode(values: Sequence[Hashable]) -> Iterator[tuple[Hashable, Fraction]]:
    """The unique mode with probability Pr[N >= 2 - ceil(gap/2)], N two-sided geometric at 1/2; else bottom."""
    (top, first), (_, second) = [*Counter(values).most_common(2), (None, 0)][:2]
    d = (first - second + 1) // 2
    released = 1 - Fraction(1, 2) ** (d - 2) / 3 if d >= 2 else Fraction(1, 3) if d == 1 else ZERO
    yield top, released
    yield "bottom", 1 - released


def aggregate(laws: Sequence[Law]) -> Table:
    table: Table = {}
    for values, mass in joint_law(laws).items():
        assert isinstance(values, tuple)
        for outcome, share in reference_mode(values):
            table[outcome] = table.get(outcome, ZERO) + mass * share
    return {outcome: mass for outcome, mass in table.items() if mass}


def test_the_modes_of_the_vectors_are_equal_to_the_last_digit(root: Path) -> None:
    for case in _cases(root):
        expected = {outcome: Fraction(mass) for outcome, mass in case["aggregate_lambda_1_2_threshold_2"]}
        assert aggregate(_laws(case)) == expected


def test_the_mode_of_three_laws_is_as_worked_out_by_hand() -> None:
    fractions = Fraction(13, 60), Fraction(11, 72), Fraction(1, 12), Fraction(197, 360)
    assert aggregate([P1, P2, P3]) == dict(zip((0, 1, 2, "bottom"), fractions, strict=True))


def test_the_mode_of_two_equal_pairs_and_another_is_as_worked_out_by_hand() -> None:
    squares = [law.power(2) for law in (B, B, C)]
    fractions = [Fraction(*pair) for pair in ((13, 48), (19, 168), (19, 168), (5, 126), (467, 1008))]
    assert aggregate(squares) == dict(zip([(0, 0), (0, 1), (1, 0), (1, 1), "bottom"], fractions, strict=True))


# -- the recursion, and all orders of cells --


@pytest.mark.parametrize(("points", "denominator", "laws"), [(3, 4, 2), (3, 3, 3), (2, 4, 4), (4, 2, 3)])
def test_all_tuples_of_a_grid_agree_with_the_plain_recursion(points: int, denominator: int, laws: int) -> None:
    for chosen in product(grid_laws(points, denominator), repeat=laws):
        assert tables_equal(joint_law(chosen), plain_joint(chosen))


@pytest.mark.parametrize(("points", "denominator", "laws"), [(3, 3, 2), (2, 3, 3), (3, 2, 3)])
def test_all_tuples_of_a_grid_agree_with_all_orders_of_cells(points: int, denominator: int, laws: int) -> None:
    for chosen in product(grid_laws(points, denominator), repeat=laws):
        assert tables_equal(joint_law(chosen), joint_by_orders(chosen))


@pytest.mark.parametrize(
    "rows",
    [
        [(4, 1, 0), (2, 1, 2), (3, 2, 0)],
        [(3, 1, 0, 0), (0, 2, 2, 0), (1, 1, 1, 1), (1, 0, 2, 1)],
        [(4, 2), (2, 4), (3, 3), (4, 2)],
        [(3, 1, 0, 0), (0, 0, 1, 3)],
    ],
)
def test_eight_cells_in_all_their_orders_give_the_joint_law(rows: Sequence[tuple[int, ...]]) -> None:
    laws = [Law({y: Fraction(c, sum(row)) for y, c in enumerate(row)}) for row in rows]
    assert len(cells_of(laws)[0]) == 8
    assert tables_equal(joint_law(laws), joint_by_orders(laws))


# -- equal laws, other sets, large tuples --


def test_equal_laws_take_equal_values_however_they_are_written() -> None:
    twice = Law({1: "2/4", 0: Fraction(1, 2)})
    law = joint_law([P1, P3, twice, P1])
    pairs = {_tuple(pair): mass for pair, mass in joint_law([P1, P3]).items()}
    assert dict(law.items()) == {(*pair, pair[0], pair[0]): mass for pair, mass in pairs.items()}


def test_a_thousand_coordinates_of_two_laws_have_the_table_of_two() -> None:
    law = joint_law([P2, P3] * 500)
    assert dict(law.items()) == {_tuple(pair) * 500: mass for pair, mass in joint_law([P2, P3]).items()}


def test_laws_on_disjoint_sets_are_independent() -> None:
    there = Law({"x": "1/3", "y": "2/3"})
    assert joint_law([P2, there]) == P2.product(there)
    assert pair_disagreement(P2, there) == 1


def test_one_law_is_a_law_of_one_entry_and_point_masses_are_certain() -> None:
    assert dict(joint_law([P2]).items()) == {(y,): mass for y, mass in P2.items()}
    assert joint_law([point("a"), point(7), point(("a", 7))]) == point(("a", 7, ("a", 7)))


@pytest.mark.parametrize("points", [255, 256, 257, 300])
def test_the_number_of_outcomes_may_need_more_than_one_byte(points: int) -> None:
    p, q = uniform(range(points)), point(points - 1)
    assert joint_law([p, q]) == pair_law(p, q) == Law({(y, points - 1): Fraction(1, points) for y in range(points)})


def test_outcomes_come_in_the_order_in_which_the_laws_name_them() -> None:
    names = [values for values, _ in joint_law([Law({"b": "1/2", "a": "1/2"}), Law({"a": "1/4", "b": "3/4"})]).items()]
    assert names == [("b", "b"), ("a", "b"), ("a", "a")]


def test_twenty_laws_on_two_points_are_in_the_order_of_their_masses() -> None:
    laws = [Law({0: Fraction(i, 21), 1: Fraction(21 - i, 21)}) for i in range(1, 21)]
    assert dict(joint_law(laws).items()) == {(1,) * (20 - i) + (0,) * i: Fraction(1, 21) for i in range(21)}


# -- exponential masses --


@pytest.mark.parametrize("epsilon", ["1/2", "ln(3)", "7"])
def test_two_and_three_answers_of_randomized_response_disagree_as_worked_out_by_hand(epsilon: str) -> None:
    t = exp(-Epsilon(epsilon))
    two, three = (list(randomized_response(Epsilon(epsilon), answers).values()) for answers in ("ab", "abc"))
    both, apart = t / (1 + t), (1 - t) / (1 + t)
    assert joint_law(two) == pair_law(*two) == Law({("a", "a"): both, ("a", "b"): apart, ("b", "b"): both})
    assert pair_disagreement(*three[:2]) == 2 * (1 - t) * (1 + t) / ((1 + 2 * t) * (2 + t))


@pytest.mark.parametrize("root", [exp("-1/2"), 1 / ROOT_3])
def test_exponential_masses_go_through_the_recursion_exactly(root: Number) -> None:
    laws = [
        Law({0: root, 1: 1 - root}),
        Law({0: root / 2, 1: root / 2, 2: 1 - root}),
        Law({0: "3/5", 2: "2/5"}),
        Law({0: root**2, 1: 1 - root, 2: root - root**2}),
    ]
    for chosen in combinations(laws, 3):
        law = joint_law(chosen)
        assert tables_equal(law, plain_joint(chosen))
        for p, q in combinations(chosen, 2):
            assert pair_law(p, q) == joint_law([p, q])
            assert pair_diagonal(p, q)[APART] == pair_disagreement(p, q)


def test_exponentials_of_different_rates_meet_over_a_common_one() -> None:
    third, half = exp(-Epsilon("ln(3)") / 3), exp(-Epsilon("ln(3)") / 2)
    laws = [Law({0: third, 1: 1 - third}), Law({0: half, 1: 1 - half})]
    assert dict(joint_law(laws).items()) == {(0, 0): half, (0, 1): third - half, (1, 1): 1 - third}


def test_masses_that_differ_in_the_fortieth_digit_are_ordered_rightly() -> None:
    root = exp("-1/2")
    below = Fraction("0.6065306597126334236037995349911804534419")
    above = below + Fraction(1, 10**40)
    low, exponential, high = (Law({0: mass, 1: 1 - mass}) for mass in (below, root, above))
    assert dict(joint_law([exponential, low]).items()) == {(0, 0): below, (0, 1): root - below, (1, 1): 1 - root}
    assert dict(joint_law([exponential, high]).items()) == {(0, 0): root, (1, 0): above - root, (1, 1): 1 - above}
    assert len(joint_law([low, exponential, high])) == 4


def test_a_common_denominator_may_be_negative_at_the_exponential() -> None:
    """Both laws have the denominator 2 - t, and a polynomial gcd may give it as t - 2."""
    t = exp("-1/2")
    p, q = Law({0: t / (2 - t), 1: (2 - 2 * t) / (2 - t)}), Law({0: 1 / (2 - t), 1: (1 - t) / (2 - t)})
    assert p[0] < q[0]
    assert dict(joint_law([p, q]).items()) == {(0, 0): p[0], (1, 0): q[0] - p[0], (1, 1): q[1]}
    assert pair_disagreement(p, q) == q[0] - p[0]


def test_a_symbolic_epsilon_is_refused_because_the_order_of_masses_may_depend_on_it() -> None:
    p, q = laws = list(randomized_response(Epsilon("any")).values())
    calls: list[Callable[[], object]] = [
        lambda: joint_law(laws),
        lambda: pair_law(p, q),
        lambda: pair_disagreement(p, q),
        lambda: power_tv(p, q, 3),
        lambda: split_bound(laws),
    ]
    for call in calls:
        with pytest.raises(SymbolicEpsilon, match="give a value for epsilon"):
            call()


# -- two laws in closed form --


@pytest.mark.parametrize(("points", "denominator"), [(2, 6), (3, 4), (4, 3)])
def test_pairs_in_closed_form_are_the_joint_law_of_two(points: int, denominator: int) -> None:
    for p, q in product(grid_laws(points, denominator), repeat=2):
        law = joint_law([p, q])
        apart = law.probability(lambda pair: len(set(_tuple(pair))) > 1)
        assert pair_law(p, q) == law
        assert pair_disagreement(p, q) == apart
        together = {_tuple(pair)[0]: mass for pair, mass in law.items() if len(set(_tuple(pair))) == 1}
        assert tables_equal(pair_diagonal(p, q), {**together, APART: apart})
        low, high = disagreement_bounds(p, q)
        assert low == tv(p, q)
        assert high == 2 * low / (1 + low)
        assert low <= apart <= high
        assert points > 2 or apart == low


def test_the_upper_bound_is_attained_where_masses_are_equal_or_one_is_zero() -> None:
    for n in range(1, 9):
        t = Fraction(1, n)
        p, q = Law({0: 1 - t, 1: t}), Law({0: 1 - t, 2: t})
        assert pair_disagreement(p, q) == disagreement_bounds(p, q).high == 2 * t / (1 + t)


def test_all_laws_agree_as_often_as_the_least_and_the_largest_masses_say_and_the_bound_is_attained() -> None:
    for chosen in product(grid_laws(3, 3), repeat=3):
        split = joint_law(chosen).probability(lambda values: len(set(_tuple(values))) > 1)
        assert split <= split_bound(chosen)
    t = Fraction(1, 5)
    tight = [Law({0: 1 - t, n: t}) for n in (1, 2, 3)]
    split = joint_law(tight).probability(lambda values: len(set(_tuple(values))) > 1)
    assert split == split_bound(tight) == 1 - (1 - t) / (1 + 2 * t)


def test_a_pair_that_names_its_outcomes_in_another_order_is_the_same_pair() -> None:
    other = Law({2: "1/2", 0: "1/4", 1: "1/4"})
    assert other == P3
    assert pair_law(P2, other) == pair_law(P2, P3)
    assert pair_diagonal(P2, other) == pair_diagonal(P2, P3)


def test_masses_may_stand_in_another_order_than_their_outcomes() -> None:
    p, q = (Law.of_vector({"x": 1, "y": 0}, Rationals(row, 4)) for row in ([3, 1], [2, 2]))
    assert dict(pair_law(p, q).items()) == {
        ("x", "x"): Fraction(1, 4),
        ("y", "x"): Fraction(1, 4),
        ("y", "y"): Fraction(1, 2),
    }
    assert pair_diagonal(p, q)["x"] == p["x"] == Fraction(1, 4)


def _tuple(values: Hashable) -> tuple[Hashable, ...]:
    assert isinstance(values, tuple)
    return values


def _counts(value: Hashable, order: Sequence[Hashable]) -> Hashable:
    return value if value is APART else tuple(map(_tuple(value).count, order))


# -- product laws --


def test_two_draws_of_two_coins_are_as_worked_out_by_hand() -> None:
    assert power_tv(B, C, 2) == Fraction(5, 16)
    assert power_disagreement(B, C, 2) == Fraction(131, 336)
    assert power_bounds(B, C, 2) == (Fraction(5, 16), Fraction(10, 21))


@pytest.mark.parametrize(("points", "denominator", "length"), [(2, 4, 3), (3, 3, 2), (3, 2, 3)])
def test_product_laws_on_counts_are_the_product_laws_written_out(points: int, denominator: int, length: int) -> None:
    for p, q in product(grid_laws(points, denominator), repeat=2):
        many, others = p.power(length), q.power(length)
        assert power_tv(p, q, length) == tv(many, others)
        assert power_disagreement(p, q, length) == pair_disagreement(many, others)
        assert power_bounds(p, q, length) == disagreement_bounds(many, others)
        order = list(p.support())
        counted = pair_diagonal(many, others).map(partial(_counts, order=order))
        assert power_diagonal(p, q, length) == counted


@pytest.mark.parametrize("root", [exp("-1/2"), 1 / ROOT_3])
def test_product_laws_may_have_exponential_masses(root: Number) -> None:
    p, q = Law({0: root, 1: 1 - root}), Law({0: "3/5", 1: "1/5", 2: "1/5"})
    for length in range(4):
        many, others = p.power(length), q.power(length)
        assert power_disagreement(p, q, length) == pair_disagreement(many, others)
        assert power_diagonal(p, q, length)[APART] == pair_disagreement(many, others)


def test_a_common_divisor_may_be_negative_at_the_exponential() -> None:
    """The masses of 7 have the divisor t - t^2, which a polynomial gcd may give as t^2 - t, negative on (0, 1)."""
    t = exp("-1/2")
    p, q = Law({0: t, 7: t - t**2, 1: (1 - t) ** 2}), Law({0: t, 7: t**2 - t**3, 1: (1 - t) * (1 - t**2)})
    assert power_tv(p, q, 1) == tv(p, q) == t * (1 - t) ** 2
    assert power_disagreement(p, q, 1) == pair_disagreement(p, q)


def test_a_product_of_a_thousand_factors_is_within_its_bounds() -> None:
    p, q = Law({0: "1/2", 1: "1/4", 2: "1/4"}), Law({0: "49/100", 1: "51/200", 2: "51/200"})
    apart, (low, high) = power_disagreement(p, q, 1000), power_bounds(p, q, 1000)
    assert low < apart < high
    assert low <= 1 - (1 - Fraction(1, 100)) ** 1000
    half = Fraction(1, 2)
    coins = Law({0: half, 1: half}), Law({0: Fraction(49, 100), 1: Fraction(51, 100)})
    assert power_tv(p, q, 1000) == power_tv(*coins, 1000)


def test_no_draw_at_all_is_one_certain_sequence() -> None:
    for p, q in product([P1, P2, point("z")], repeat=2):
        assert power_tv(p, q, 0) == power_disagreement(p, q, 0) == 0
        assert power_diagonal(p, q, 0) == point((0,) * len(p))


def test_a_length_that_is_no_count_is_refused() -> None:
    wrong: list[Any] = [-1, True, "3", Fraction(2)]
    for length in wrong:
        with pytest.raises(InvalidArgument, match=r"length: got .* expected an int of at least 0"):
            power_tv(B, C, length)


# -- what is refused --


@pytest.mark.parametrize(
    ("laws", "error", "message"),
    [
        ([], InvalidArgument, "laws: got [] (list); expected at least one law"),
        ([P1, discrete_laplace(1)], InvalidArgument, "expected a finite law"),
        ([Law({0: "9/10", UNRESOLVED: "1/10"})], InvalidArgument, "laws[0]: got '1/10' (str); expected a law without"),
        ([P1, {0: 1}], InvalidArgument, "laws[1]: got {0: 1} (dict); expected a Law"),
        (
            [Law({0: exp(-1), 1: 1 - exp(-1)}), Law({0: 1 / ROOT_3, 1: 1 - 1 / ROOT_3})],
            MixedUnits,
            "cannot stand in one exact number",
        ),
    ],
)
def test_what_has_no_joint_law_here_is_refused_in_one_line(
    laws: list[Any], error: type[ExactDPError], message: str
) -> None:
    for call in (joint_law, split_bound):
        with pytest.raises(error, match=re.escape(message)) as caught:
            call(laws)
        assert "\n" not in str(caught.value)


def test_a_table_beyond_the_budget_is_refused_before_it_is_made() -> None:
    laws = [uniform(range(10)), uniform(range(1, 12)), uniform(range(2, 14))]
    size = len(joint_law(laws))
    assert len(joint_law(laws, budget=size)) == size
    with pytest.raises(BudgetExceeded, match="larger budget") as caught:
        joint_law(laws, budget=size - 1)
    assert caught.value.estimate >= size
    with pytest.raises(BudgetExceeded, match="5151 count vectors of 100 entries over 3 classes"):
        power_tv(P2, Law({0: "1/5", 1: "1/5", 2: "3/5"}), 100, budget=5000)
