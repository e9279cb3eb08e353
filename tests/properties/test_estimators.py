"""The minimum-distance estimator beside its rule in plain numbers, and its inequality on all types of small classes."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.classes import LawClass, bernoulli_grid, binomials, clamped_geometrics, grid_class, point_masses
from exactdp.reference.estimators import MinimumDistance, YatracosTable, minimum_distance
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import discrete_laplace, geometric, point, uniform
from exactdp.spec.tuples import distance
from exactdp.verify.strategies import exponential_laws, laws

PRIMES = (10**9 + 7, 10**9 + 9, 998_244_353)
SMALL = Law({0: "1/4", 1: "1/4", 2: "1/2"})
CLASSES: dict[str, Sequence[Law]] = {
    "coins": bernoulli_grid(3),
    "a grid": grid_class(range(3), 2),
    "binomials": binomials(2, ["1/4", "1/2", "3/4"]),
    "a law that stands twice": [SMALL, uniform(range(3)), SMALL],
    "own denominators, whose multiple is no float": [
        Law({0: Fraction(1, p), 1: Fraction(p // 3, p), 2: Fraction(p - 1 - p // 3, p)}) for p in PRIMES
    ],
    "irrational masses": clamped_geometrics(0, 2, [1, 2, "1/2"]),
    "one law": [SMALL],
}
EVERY_CLASS = pytest.mark.parametrize("members", CLASSES.values(), ids=CLASSES.keys())
SLACKS = ("0", "1/10", "1/3", "1/2", "1")


def types(domain: Sequence[Hashable], sizes: Sequence[int]) -> list[tuple[Hashable, ...]]:
    return [block for n in sizes for block in combinations_with_replacement(domain, n)]


def plain_sets(members: Sequence[Law], domain: Sequence[Hashable]) -> list[list[Hashable]]:
    return [[y for y in domain if p[y] > q[y]] for p in members for q in members]


def plain_deviation(sets: Sequence[Sequence[Hashable]], block: Sequence[Hashable], p: Law) -> Number:
    """max over A of |P_S(A) - p(A)|."""
    best: Number = Fraction(0)
    for event in sets:
        gap = Fraction(sum(record in event for record in block), len(block)) - sum((p[y] for y in event), Fraction(0))
        best = max(best, gap, -gap)
    return best


def plain_choice(distances: Sequence[Number], alpha: Number) -> int:
    least = min(distances)
    return next(i for i, found in enumerate(distances) if found <= least + alpha / 2)


@EVERY_CLASS
def test_the_choice_and_the_distances_are_the_rule_in_plain_numbers_on_all_types(members: Sequence[Law]) -> None:
    domain = sorted({y for q in members for y in q.support()}, key=repr)
    sets, table = plain_sets(members, domain), YatracosTable(members)
    learners = {Fraction(slack): minimum_distance(members, slack) for slack in SLACKS}
    for block in types(domain, range(1, 6)):
        distances = tuple(plain_deviation(sets, block, q) for q in members)
        assert table.distances(block) == distances
        for alpha, learner in learners.items():
            expected = plain_choice(distances, alpha)
            assert learner(block) == members[expected]
            assert learner.table.choices(table.counts(block)[None], alpha).tolist() == [expected]


@given(st.lists(laws(range(4)), min_size=1, max_size=5), st.lists(st.integers(0, 3), min_size=1), st.fractions(0, 1))
def test_random_classes_and_blocks_follow_the_rule(found: list[Law], block: list[int], alpha: Fraction) -> None:
    sets = plain_sets(found, range(4))
    distances = [plain_deviation(sets, block, q) for q in found]
    assert minimum_distance(found, alpha)(block) == found[plain_choice(distances, alpha)]


@given(st.lists(exponential_laws(), min_size=2, max_size=4), st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_ties_of_irrational_distances_are_decided(found: list[Law], block: list[int]) -> None:
    sets = plain_sets(found, range(3))
    distances = [plain_deviation(sets, block, q) for q in found]
    for slack in (Fraction(0), Fraction(1, 7), 1 - exp("-1/2")):
        assert minimum_distance(found, slack)(block) == found[plain_choice(distances, slack)]


def test_a_law_exactly_at_the_slack_is_taken_and_one_beyond_it_is_not() -> None:
    """One record 0: D is 1 - p for the coin that gives 0 with probability p."""
    coins = [Law({0: Fraction(i, 5), 1: 1 - Fraction(i, 5)}) for i in (2, 3, 4)]
    assert minimum_distance(coins, "4/5")((0,)) == coins[0]
    assert minimum_distance(coins, "79/100")((0,)) == coins[1]
    assert minimum_distance(coins, "2/5")((0,)) == coins[1]
    assert minimum_distance(coins, "39/100")((0,)) == coins[2]


def test_the_boundary_is_exact_where_floats_do_not_suffice() -> None:
    """The same, with a denominator beyond every float, and a slack that is off by less than 1e-40."""
    tiny = Fraction(1, 3**90)
    coins = [Law({0: Fraction(2, 5) + tiny, 1: Fraction(3, 5) - tiny}), Law({0: "4/5", 1: "1/5"})]
    assert minimum_distance(coins, Fraction(4, 5) - 2 * tiny)((0,)) == coins[0]
    assert minimum_distance(coins, Fraction(4, 5) - 2 * tiny - tiny**2)((0,)) == coins[1]


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (3, 8), (7, 20)])
def test_the_largest_deviation_is_found_where_floats_put_it_second(a: int, b: int) -> None:
    """The sets {0, 1} and {2} differ by 1e-18 in mass; records in neither have these masses for deviations."""
    tiny, step = Fraction(1, 10**18), Fraction(1, 1000)
    masses = [Fraction(a, 100), Fraction(b, 100), Fraction(a + b, 100) + tiny]
    q, one, two = (
        Law({0: x, 1: y, 2: z, 3: 1 - x - y - z})
        for x, y, z in (
            masses,
            (masses[0] - step, masses[1] - step, masses[2] + step),
            (masses[0] + step, masses[1] + step, masses[2] - 2 * step),
        )
    )
    assert YatracosTable([q, one, two]).distances((3, 3))[0] == Fraction(a + b, 100) + tiny


@EVERY_CLASS
def test_the_sets_of_the_table_are_the_yatracos_sets(members: Sequence[Law]) -> None:
    table = YatracosTable(members)
    masks = {sum(1 << a for a in np.flatnonzero(row).tolist()) for row in table.events}
    assert masks == set(table.atoms.events())
    assert len(table.events) == len(masks)


def test_of_equal_distances_the_first_law_of_the_class_wins() -> None:
    coins = [Law({0: "1/4", 1: "3/4"}), Law({0: "3/4", 1: "1/4"})]
    assert minimum_distance(coins, 0)((0, 1)) == coins[0]
    assert minimum_distance(coins[::-1], 0)((0, 1)) == coins[1]


def test_with_a_slack_of_2_or_more_every_block_gives_the_first_law() -> None:
    for slack in (2, 3, 10**30):
        assert {minimum_distance(bernoulli_grid(3), slack)(block) for block in types((0, 1), (1, 2, 3))} == {point(0)}


@EVERY_CLASS
def test_many_blocks_at_once_are_the_blocks_one_by_one(members: Sequence[Law]) -> None:
    table = YatracosTable(members)
    blocks = np.array([table.counts(block) for block in types(range(2), (7,))])
    for alpha in map(Fraction, SLACKS):
        together = table.choices(blocks, alpha).tolist()
        assert together == [table.choices(one[None], alpha).tolist()[0] for one in blocks]


@EVERY_CLASS
def test_exceeding_a_deviation_is_strict_and_decided(members: Sequence[Law]) -> None:
    table, p = YatracosTable(members), members[-1]
    blocks = types(range(2), (4,))
    counts = np.array([table.counts(block) for block in blocks])
    deviations = [table.deviation(block, p) for block in blocks]
    for limit in {*deviations, Fraction(-1), Fraction(1, 3), Fraction(2)}:
        assert table.masses_of(p).exceeds(counts, limit).tolist() == [found > limit for found in deviations]


@pytest.mark.parametrize(
    ("members", "denominator"), [(grid_class(range(3), 2), 6), (bernoulli_grid(4), 8), (point_masses(range(3)), 4)]
)
def test_the_deterministic_inequality_holds_on_all_types(members: LawClass, denominator: int) -> None:
    """TV(q^, p) <= 3 OPT + 2 Delta_S + alpha/2 for every p of a finer grid; and it is met with equality."""
    table, alpha = YatracosTable(members), Fraction(1, 4)
    slack: list[Number] = []
    sets = plain_sets(members, members.domain)
    learner = minimum_distance(members, alpha)
    targets = [(p, [distance(q, p) for q in members]) for p in grid_class(members.domain, denominator)]
    for block in types(members.domain, range(1, 5)):
        chosen = members.members.index(learner(block))
        for p, distances in targets:
            deviation = plain_deviation(sets, block, p)
            assert table.deviation(block, p) == deviation
            slack.append(3 * min(distances) + 2 * deviation + alpha / 2 - distances[chosen])
    assert min(slack) >= 0
    assert any(d <= alpha / 2 for d in slack)


def test_the_factor_2_of_the_deviation_is_needed() -> None:
    """Without slack the inequality is met with equality; with the factor 1 in place of 2 it is false."""
    coins, p = bernoulli_grid(2), point(0)
    table, learner = YatracosTable(coins), minimum_distance(coins, 0)
    both = [(distance(learner(block), p), table.deviation(block, p)) for block in types((0, 1), (1, 2, 3, 4))]
    assert any(apart > deviation for apart, deviation in both)
    assert all(apart <= 2 * deviation for apart, deviation in both)


# -- countable classes --


def test_a_countable_class_is_estimated_on_its_atoms() -> None:
    members = [geometric(1), geometric(2), discrete_laplace(1)]
    table, learner = YatracosTable(members), minimum_distance(members, "1/10")
    sets = [sorted(table.atoms.event(i, j)) for i in range(3) for j in range(3)]
    for block in types((-3, 0, 1, 2, 9), (1, 2, 3)):
        reduced = [table.atoms.atom(y) for y in block]
        distances = [plain_deviation(sets, reduced, law) for law in table.atoms.on_atoms]
        assert table.distances(block) == tuple(distances)
        assert learner(block) is members[plain_choice(distances, Fraction(1, 10))]


def test_large_records_speak_for_the_wider_law_and_negative_ones_for_two_sides() -> None:
    members = [geometric(1), geometric(5), discrete_laplace(5)]
    learner = minimum_distance(members, "1/100")
    assert learner([0, 0, 1, 0, 2, 0, 1]) is members[0]
    assert learner([4, 9, 0, 12, 3, 7, 1]) is members[1]
    assert learner([4, -9, 0, -12, 3, -7, 1]) is members[2]


# -- the learner --


def test_the_estimator_is_a_symmetric_learner_without_seeds() -> None:
    learner = minimum_distance(bernoulli_grid(3), "1/10")
    assert isinstance(learner, MinimumDistance)
    assert learner.symmetric
    assert learner.seeds == point(None)
    assert {learner(block) for block in ((0, 0, 1), (0, 1, 0), (1, 0, 0))} == {bernoulli_grid(3)[1]}


def test_a_record_that_no_law_can_give_is_in_no_set_or_is_refused_by_the_domain() -> None:
    coins = bernoulli_grid(2)
    assert minimum_distance(list(coins), 0)((7, 7, 1)) == coins[1]
    assert YatracosTable(list(coins)).distances((7, 7, 1)) == (Fraction(1), Fraction(1, 2), Fraction(2, 3))
    with pytest.raises(InvalidArgument, match=r"record: got 7 .* a value of the domain 0, 1"):
        minimum_distance(coins, 0)((7, 7, 1))


@pytest.mark.parametrize("alpha", [-1, "-1/10", 0.5, "half"])
def test_a_wrong_slack_is_refused(alpha: str) -> None:
    with pytest.raises(InvalidArgument, match="alpha: got"):
        minimum_distance(bernoulli_grid(2), alpha)


def test_an_empty_block_and_an_empty_class_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least one record"):
        minimum_distance(bernoulli_grid(2), 0)(())
    with pytest.raises(InvalidArgument, match="at least one law"):
        minimum_distance([], 0)


def test_records_may_be_counted_already() -> None:
    table = YatracosTable(bernoulli_grid(5))
    assert table.distances({0: 3, 1: 1}) == table.distances((0, 0, 1, 0))
