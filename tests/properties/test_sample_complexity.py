"""Failure probabilities beside the sum over all words, exact sample complexities, and the bounds that prove them."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, log, log1p, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.classes import (
    LawClass,
    bernoulli_grid,
    binomials,
    clamped_geometrics,
    grid_class,
    point_masses,
)
from exactdp.reference.estimators import YatracosTable, minimum_distance
from exactdp.reference.learners import (
    Learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.reference.sample_complexity import (
    WHOLE,
    Tail,
    agnostic_failure_probability,
    count_vectors,
    deviation_probability,
    deviation_tail,
    failure_probability,
    first_record_tail,
    likelihood_tail,
    mass_of_types,
    multinomials,
    power_above,
    sample_complexity,
)
from exactdp.spec.agnostic import optimum
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import geometric, point, uniform
from exactdp.spec.tuples import distance

HALVES = grid_class(range(3), 2)
COINS = [Law({0: "1/4", 1: "3/4"}), Law({0: "3/4", 1: "1/4"})]
P = Law({0: "1/2", 1: "1/3", 2: "1/6"})
LEARNERS: dict[str, Callable[[int], Learner]] = {
    "minimum distance": lambda n: minimum_distance(HALVES, "1/4"),
    "minimum distance, irrational": lambda n: minimum_distance(clamped_geometrics(0, 2, [1, 2]), "1/4"),
    "maximum likelihood": lambda n: maximum_likelihood([P, uniform(range(3))]),
    "empirical": lambda n: empirical(),
    "smoothed": lambda n: smoothed(range(3)),
    "first record": lambda n: first_record(),
    "random record": random_record,
    "randomised": lambda n: randomised(empirical(), first_record(), "1/3"),
}
EVERY_LEARNER = pytest.mark.parametrize("learner_for", LEARNERS.values(), ids=LEARNERS.keys())


def is_far(p: Law, alpha: Number, q: Law) -> bool:
    return bool(distance(q, p) >= alpha)


def is_farther(p: Law, radius: Number, q: Law) -> bool:
    return bool(distance(q, p) > radius)


def plain_failure(learner: Learner, p: Law, n: int, bad: Callable[[Law], bool]) -> Number:
    """The sum over all words and seeds."""
    total: Number = Fraction(0)
    for word in product(p.support(), repeat=n):
        for seed, weight in learner.seeds.items():
            if bad(learner(word, seed)):
                total = total + weight * prod((p[y] for y in word), start=Fraction(1))
    return total


@EVERY_LEARNER
@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("p", [P, uniform(range(2)), point(1)], ids=["three", "two", "one"])
def test_the_failure_probability_is_the_sum_over_all_words(
    learner_for: Callable[[int], Learner], n: int, p: Law
) -> None:
    learner = learner_for(n)
    for alpha in (Fraction(0), Fraction(1, 6), Fraction(1, 4), Fraction(1, 2), Fraction(1)):
        assert failure_probability(learner, p, n, alpha) == plain_failure(learner, p, n, partial(is_far, p, alpha))


@EVERY_LEARNER
def test_the_agnostic_failure_probability_is_the_sum_over_all_words(learner_for: Callable[[int], Learner]) -> None:
    learner, best = learner_for(3), min(distance(q, P) for q in HALVES)
    assert optimum(HALVES, P) == best > 0
    for constant, alpha in product((1, 2, 3), (Fraction(0), Fraction(1, 12), Fraction(1, 3))):
        radius = constant * best + alpha
        expected = plain_failure(learner, P, 3, partial(is_farther, P, radius))
        assert agnostic_failure_probability(learner, HALVES, P, 3, alpha, constant=constant) == expected


def test_a_failure_is_not_strict_and_an_agnostic_one_is() -> None:
    """With one record the empirical law of a fair coin is at distance exactly 1/2."""
    fair = uniform((0, 1))
    assert failure_probability(empirical(), fair, 1, "1/2") == 1
    assert failure_probability(empirical(), fair, 1, "51/100") == 0
    assert agnostic_failure_probability(empirical(), [fair], fair, 1, "1/2") == 0
    assert agnostic_failure_probability(empirical(), [fair], fair, 1, "49/100") == 1


def test_irrational_failure_probabilities_are_exact() -> None:
    members, t = clamped_geometrics(0, 1, [1, 2]), exp("-1/2")
    learner = minimum_distance(members, 0)
    assert failure_probability(learner, members[1], 1, "1/10") == 1 - t
    assert failure_probability(learner, members[1], 2, "1/10") == (1 - t) ** 2, "for (0, 1) the second law is nearer"


def test_a_countable_class_fails_as_the_coins_on_its_atoms_do() -> None:
    """Two geometric laws have the Yatracos sets {0} and {1, 2, ...}, so they are coins that tell k = 0."""
    members, t = [geometric(1), geometric(2)], exp("-1/2")
    coins = [Law({0: 1 - t * t, 1: t * t}), Law({0: 1 - t, 1: t})]
    for n in range(1, 8):
        for p, coin in zip(members, coins, strict=True):
            found = failure_probability(minimum_distance(members, "1/10"), p, n, "1/10")
            assert found == failure_probability(minimum_distance(coins, "1/10"), coin, n, "1/10")
            assert 0 < found < 1


def test_two_coins_fail_by_a_binomial_tail() -> None:
    """The coin that gives 1 with probability 3/4 comes first: it is chosen up to D <= D' + 1/16, about n/2 zeros."""
    learner = minimum_distance(COINS, "1/8")
    for n in range(1, 30):
        zeros = [k for k in range(n + 1) if not abs(Fraction(k, n) - Fraction(1, 4)) <= _least(k, n) + Fraction(1, 16)]
        tail = sum(comb(n, k) * Fraction(1, 4) ** k * Fraction(3, 4) ** (n - k) for k in zeros)
        assert failure_probability(learner, COINS[0], n, "1/2") == tail
        other = sum(
            comb(n, k) * Fraction(3, 4) ** k * Fraction(1, 4) ** (n - k) for k in range(n + 1) if k not in zeros
        )
        assert failure_probability(learner, COINS[1], n, "1/2") == other


def _least(k: int, n: int) -> Fraction:
    return min(abs(Fraction(k, n) - Fraction(1, 4)), abs(Fraction(k, n) - Fraction(3, 4)))


# -- deviations --


@pytest.mark.parametrize("members", [HALVES, COINS, clamped_geometrics(0, 2, [1, 2, 3])], ids=["grid", "coins", "e"])
def test_the_probability_of_a_deviation_is_the_sum_over_all_words(members: Sequence[Law]) -> None:
    table, p = YatracosTable(members), members[1]
    for n in (1, 3):
        words = list(product(p.support(), repeat=n))
        found = [(table.deviation(word, p), prod((p[y] for y in word), start=Fraction(1))) for word in words]
        for limit in {deviation for deviation, _ in found} | {Fraction(1, 5)}:
            expected = sum((mass for deviation, mass in found if deviation > limit), start=Fraction(0))
            assert deviation_probability(members, p, n, limit) == expected


def test_a_deviation_is_at_most_what_hoeffding_says() -> None:
    table = YatracosTable(HALVES)
    for n in (4, 9, 16):
        exact = deviation_probability(HALVES, P, n, "1/4")
        assert 0 < exact <= 2 * len(table.events) * exp(Fraction(-2 * n, 16))


# -- counting --


@pytest.mark.parametrize(("n", "cells"), [(1, 1), (5, 1), (1, 4), (4, 3), (3, 5)])
def test_count_vectors_are_all_and_their_multinomials_count_the_words(n: int, cells: int) -> None:
    rows = count_vectors(n, cells)
    words = list(product(range(cells), repeat=n))
    counted = [tuple(map(word.count, range(cells))) for word in words]
    assert sorted(map(tuple, rows.tolist())) == sorted(set(counted))
    assert multinomials(rows).tolist() == [counted.count(tuple(row)) for row in rows.tolist()]


def test_the_masses_of_all_types_sum_to_1() -> None:
    t = exp("-1")
    for masses in ([Fraction(1, 3), Fraction(1, 7), Fraction(11, 21)], [t, 1 - t], [Fraction(0), Fraction(1)]):
        assert mass_of_types(masses, count_vectors(40 if len(masses) < 3 else 9, len(masses))) == 1
    assert mass_of_types([Fraction(1)], count_vectors(3, 1)[:0]) == 0


# -- sample complexity --

GOLDEN = {
    "coins with denominator 4": (bernoulli_grid(4), "1/4", "1/8", 58, 49),
    "all laws with denominator 2 on three points": (grid_class("abc", 2), "1/2", "1/4", 17, 12),
    "binomials of two trials": (binomials(2, ["1/5", "1/2", "4/5"]), "1/4", "1/8", 15, 15),
    "point masses": (point_masses("abcd"), "1/2", "1/2", 1, 1),
}


@pytest.mark.parametrize(("members", "alpha", "slack", "size", "first"), GOLDEN.values(), ids=GOLDEN.keys())
def test_the_minimum_distance_estimator_has_a_proved_sample_complexity(
    members: LawClass, alpha: str, slack: str, size: int, first: int
) -> None:
    """At beta = 1/10; the failure probability first comes below beta at `first`, and stays there from `size` on."""
    learner = minimum_distance(members, slack)
    tail = deviation_tail(learner, alpha)
    assert tail is not None
    start = tail.start(Fraction(1, 10))
    assert start is not None
    found = sample_complexity(learner, members, alpha, "1/10", start - 1)
    assert (found.size, found.first_success) == (size, first)
    assert found.is_proved
    assert "proved beyond (Hoeffding" in str(found)
    assert found.failures[size - 1] <= Fraction(1, 10)
    assert size == 1 or found.failures[size - 2] > Fraction(1, 10)
    for n in {1, 2, size}:
        assert found.failures[n - 1] == max(failure_probability(learner, p, n, alpha) for p in members)


def test_one_more_record_can_make_failure_likelier() -> None:
    found = sample_complexity(minimum_distance(bernoulli_grid(4), "1/8"), bernoulli_grid(4), "1/4", "1/10", 60)
    assert found.rises[:4] == (5, 7, 10, 13)
    assert all(found.failures[n - 1] > found.failures[n - 2] for n in found.rises)
    assert found.first_success == 49
    assert max(found.failures[49:57]) > Fraction(1, 10)
    assert found.size == 58


def test_a_failure_probability_of_exactly_beta_is_allowed() -> None:
    learner = minimum_distance(COINS, "1/8")
    before = sample_complexity(learner, COINS, "1/4", "1/10", 40)
    beta = before.failures[9]
    assert beta == max(before.failures[8:]) < before.failures[7]
    assert isinstance(beta, Fraction)
    assert sample_complexity(learner, COINS, "1/4", beta, 40).size == 9
    assert sample_complexity(learner, COINS, "1/4", beta - Fraction(1, 10**30), 40).size == 11


def test_without_a_tail_the_answer_says_that_it_ends_at_the_horizon() -> None:
    found = sample_complexity(empirical(), COINS, "1/4", "1/4", 12)
    assert found.size is not None
    assert not found.is_proved
    assert str(found) == f"m = {found.size}: exact up to the horizon n = 12, not proved beyond"


def test_a_horizon_that_is_too_short_says_which_one_would_do() -> None:
    learner = minimum_distance(COINS, "1/8")
    short = sample_complexity(learner, COINS, "1/4", "1/10", 12)
    assert (short.size, short.is_proved) == (9, False)
    assert short.tail_start is not None
    assert f"horizon {short.tail_start - 1} would prove it" in str(short)
    assert sample_complexity(learner, COINS, "1/4", "1/10", short.tail_start - 1).is_proved
    assert not sample_complexity(learner, COINS, "1/4", "1/10", short.tail_start - 2).is_proved


def test_a_horizon_at_which_the_learner_still_fails_gives_no_size() -> None:
    found = sample_complexity(first_record(), COINS, "1/8", "1/10", 4)
    assert (found.size, found.first_success, found.is_proved) == (None, None, False)
    assert "no m up to the horizon 4: there the failure probability is 1" in str(found)


def test_maximum_likelihood_is_proved_by_its_own_tail() -> None:
    members = bernoulli_grid(4)
    tail = likelihood_tail(members, "1/2")
    found = sample_complexity(maximum_likelihood(members.members), members, "1/2", "1/10", 24, tail=tail)
    assert (found.size, found.is_proved) == (5, True)
    assert all(failure <= tail.bound(n) for n, failure in enumerate(found.failures, start=1))


@given(st.fractions(0, 1), st.integers(0, 200))
def test_powers_are_rounded_up_and_gain_next_to_nothing(base: Fraction, n: int) -> None:
    above = -(-base.numerator * WHOLE // base.denominator)
    assert 0 <= Fraction(power_above(above, n), WHOLE) - base**n <= Fraction(1, 2**240)


@pytest.mark.parametrize("alpha", [Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)])
def test_the_tail_of_maximum_likelihood_is_its_exact_sum_rounded_up(alpha: Fraction) -> None:
    tail = likelihood_tail(COINS, alpha)
    for n in (1, 2, 3, 10, 101):
        sums = [sum((1 - d * d) ** (n // 2) for q in COINS if (d := distance(q, p)) >= alpha) for p in COINS]
        assert max(sums) <= tail.bound(n) <= max(sums) + Fraction(1, 2**240)


def test_the_tail_of_close_laws_starts_at_millions_of_records() -> None:
    """1 - (1/500)^2 to the power n/2: exact powers would have tens of millions of digits."""
    tail = likelihood_tail([Law({0: "1/2", 1: "1/2"}), Law({0: "251/500", 1: "249/500"})], "1/1000")
    start = tail.start(Fraction(1, 10))
    assert start is not None
    assert abs(start * log1p(-1 / 500**2) / 2 - log(1 / 10)) < 1e-5


def test_the_first_record_learns_point_masses_from_one_record_for_ever() -> None:
    members = point_masses("abc")
    found = sample_complexity(first_record(), members, "1/2", "1/10", 3, tail=first_record_tail(members))
    assert (found.size, found.failures, found.is_proved) == (1, (Fraction(0),) * 3, True)
    with pytest.raises(InvalidArgument, match="point masses alone"):
        first_record_tail(COINS)


def test_a_learner_may_depend_on_the_number_of_records() -> None:
    found = sample_complexity(random_record, point_masses("ab"), "1/2", "1/10", 3)
    assert found.failures == (Fraction(0),) * 3


@pytest.mark.parametrize("slack", ["0", "1/8", "1/2"])
def test_the_deviation_tail_bounds_every_failure_and_never_grows(slack: str) -> None:
    learner = minimum_distance(HALVES, slack)
    tail = deviation_tail(learner, "1/2")
    assert tail is not None
    bounds = [tail.bound(n) for n in range(1, 12)]
    exact = [max(failure_probability(learner, p, n, "1/2") for p in HALVES) for n in range(1, 12)]
    assert all(failure <= bound for failure, bound in zip(exact, bounds, strict=True))
    assert bounds == sorted(bounds, reverse=True)
    assert max(exact) > 0


def test_the_deviation_tail_of_two_coins_by_hand() -> None:
    """s = 1/2, slack 1/8: a failure needs Delta_S >= (1/2 - 1/16)/2 = 7/32 on {0} or, what is the same, on {1}."""
    tail = deviation_tail(minimum_distance(COINS, "1/8"), "1/4")
    assert tail is not None
    assert tail.bound(3) == 2 * exp(-6 * Fraction(7, 32) ** 2)


def test_the_start_of_a_tail_is_the_least_one() -> None:
    tails = [deviation_tail(minimum_distance(COINS, "1/8"), "1/2"), likelihood_tail(COINS, "1/2")]
    for tail in tails:
        assert tail is not None
        for beta in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**9)):
            start = tail.start(beta)
            assert start is not None
            assert tail.bound(start) <= beta
            assert start == 1 or tail.bound(start - 1) > beta
    assert Tail("constant", lambda n: Fraction(1)).start(Fraction(1, 2)) is None


def test_a_slack_that_is_too_large_has_no_tail_and_far_laws_none_to_bound() -> None:
    assert deviation_tail(minimum_distance(COINS, 1), "1/2") is None
    near = deviation_tail(minimum_distance(COINS, "1/8"), "3/4")
    assert near is not None
    assert near.bound(1) == 0


def test_a_wrong_tail_is_refused_by_the_exact_values() -> None:
    wrong = Tail("nothing", lambda n: Fraction(0))
    with pytest.raises(InvalidArgument, match=r"tail: got 'nothing' .* at n = 1"):
        sample_complexity(maximum_likelihood(COINS), COINS, "1/4", "1/10", 3, tail=wrong)


def test_an_estimator_of_another_class_gets_no_tail_of_its_own() -> None:
    found = sample_complexity(minimum_distance(COINS, "1/8"), bernoulli_grid(4), "1/2", "1/10", 3)
    assert found.tail is None


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: sample_complexity(empirical(), COINS, 0, "1/2", 3), "alpha"),
        (lambda: sample_complexity(empirical(), COINS, "1/2", 1, 3), "beta"),
        (lambda: sample_complexity(empirical(), COINS, "1/2", "1/2", 0), "horizon"),
        (lambda: sample_complexity(empirical(), [], "1/2", "1/2", 3), "laws"),
        (lambda: failure_probability(empirical(), COINS[0], 0, "1/2"), "n"),
        (lambda: failure_probability(empirical(), geometric(1), 1, "1/2"), "p"),
        (lambda: failure_probability(minimum_distance(bernoulli_grid(2), 0), point(7), 1, "1/2"), "record"),
        (lambda: failure_probability(minimum_distance([geometric(1)], 0), geometric(2), 1, "1/2"), "law"),
        (lambda: agnostic_failure_probability(empirical(), [], P, 1, "1/2"), "laws"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        call()
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("call", "estimate"),
    [
        (lambda: failure_probability(empirical(), P, 2000, "1/2"), comb(2002, 2)),
        (lambda: failure_probability(minimum_distance(HALVES, 0), P, 2000, "1/2"), comb(2002, 2)),
        (lambda: failure_probability(first_record(), P, 1000, "1/2"), 3**1000),
        (lambda: failure_probability(random_record(20), P, 20, "1/2"), 20 * 3**20),
        (lambda: deviation_probability(HALVES, P, 2000, "1/2"), comb(2002, 2)),
    ],
)
def test_what_is_too_much_is_refused_with_its_size(call: Callable[[], object], estimate: int) -> None:
    with pytest.raises(BudgetExceeded, match="and the budget is 500000; give budget=N") as caught:
        call()
    assert caught.value.estimate == estimate
