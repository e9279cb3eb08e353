"""The computed guarantee: every bound lies on the safe side of the exact number, and the two ways to it agree."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.classes import LawClass, bernoulli_grid, binomials, clamped_geometrics, grid_class, point_masses
from exactdp.reference.estimators import minimum_distance
from exactdp.reference.learned_law import (
    agnostic_law_over,
    black_box_law_over,
    black_box_laws,
    boosted_law,
    excess,
    failure,
)
from exactdp.reference.learners import empirical, maximum_likelihood
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.parameters import boosted_parameters
from exactdp.reference.sample_complexity import sample_complexity
from exactdp.reference.sampler_law import sampler_law_over
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Bounds, Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exp
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.verify import guarantee
from exactdp.verify.guarantee import (
    AGNOSTIC,
    ALGORITHMS,
    BLACK_BOX,
    BOOSTED,
    BOUND,
    EXACT,
    NEGLIGIBLE,
    SAMPLER,
    THEOREM,
    WHOLE,
    Enumerated,
    FirstRecord,
    Likelihood,
    Method,
    Nearest,
    Plan,
    Statistic,
    accuracies,
    accuracy,
    at_least_half,
    exact_failure,
    failure_bound,
    power_below,
    release_failure,
    rounded_down,
    rounded_up,
)
from exactdp.verify.learn import (
    METHODS,
    Settings,
    agnostic_complexity,
    certified_complexity,
    method_named,
    plan_of,
)
from exactdp.verify.learn_cli import decimal_above, range_text

COINS = LawClass((0, 1), {"low": Law({0: "3/4", 1: "1/4"}), "high": Law({0: "1/4", 1: "3/4"})}, "coins")
SKEW = LawClass(("a", "b"), {"even": Law({"a": "1/2", "b": "1/2"}), "rare": Law({"a": "9/10", "b": "1/10"})}, "skew")
TERNARY = LawClass(
    ("a", "b", "c"),
    {"a": Law({"a": "8/10", "b": "1/10", "c": "1/10"}), "b": Law({"a": "1/10", "b": "7/10", "c": "2/10"})},
    "ternary",
)
ZEROS = LawClass(("a", "b", "c"), {"ab": Law({"a": "1/2", "b": "1/2"}), "bc": Law({"b": "1/3", "c": "2/3"})}, "zeros")
CLASSES = [COINS, SKEW, TERNARY, ZEROS, binomials(3, ["1/3", "1/2", "2/3"]), bernoulli_grid(3)]
NAMED = {laws.name: laws for laws in CLASSES}
TINY = Fraction(1, 2**240)
CURVES: list[ReleaseCurve] = [
    NoisyThreshold("ln(2)", "1/20"),
    RandomisedThreshold("1/2", "1/10"),
    OptimalRelease("1", "1/50"),
]


def plan(laws: LawClass, algorithm: str, curve: ReleaseCurve, *, learner: str = "ml", **sizes: int) -> Plan:
    """A small plan."""
    default: object = (laws.domain[0],) if algorithm == AGNOSTIC else BOTTOM
    given: dict[str, Any] = {"blocks": 6, "block_size": 2, "length": 1} | sizes
    return Plan(
        algorithm, method_named(learner, laws), StabilityBasedMode(curve, default), alpha=Fraction(1, 5), **given
    )


def reference_failure(one: Plan, p: Law) -> Number | Bounds:
    """The failure probability by the exact laws of the reference, without any rounding."""
    L = one.method.learner
    sizes: dict[str, Any] = {"blocks": one.blocks, "block_size": one.block_size, "mode": one.mode}
    if one.algorithm == SAMPLER:
        law = sampler_law_over(p, learner=L, length=one.length, **sizes)
        return exact_divergence(law, p.power(one.length), Fraction(1))
    if one.algorithm == AGNOSTIC:
        return excess(agnostic_law_over(p, learner=L, final=L, runs=one.runs, tolerance="1e-20", **sizes), p, one.alpha)
    law = black_box_law_over(p, learner=L, final=L, length=one.length, **sizes)
    if one.algorithm == BOOSTED:
        law = boosted_law(law, runs=one.runs, alpha=one.alpha, tolerance="1e-20")
    return failure(law, p, one.alpha)


def ends(found: Number | Bounds) -> tuple[Number, Number]:
    return (found.low, found.high) if isinstance(found, Bounds) else (found, found)


# -- rounding ---------------------------------------------------------------------------------------------------------


@given(st.fractions(0, 1), st.integers(0, 40))
def test_powers_are_rounded_down_and_lose_next_to_nothing(p: Fraction, n: int) -> None:
    weights = power_below([1 - p, p], n)
    true = [comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    gaps = [exactly - Fraction(w, WHOLE) for exactly, w in zip(true, weights, strict=True)]
    assert min(gaps) >= 0
    assert max(gaps) <= TINY


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(1, 4), exp("-1/2"), Fraction(0), Fraction(1)])
def test_a_number_lies_between_its_roundings(number: Number) -> None:
    low, high = rounded_down(number), rounded_up(number)
    assert low <= number <= high
    assert high - low == (0 if number in (0, 1, Fraction(1, 4)) else Fraction(1, WHOLE))


@pytest.mark.parametrize("runs", [1, 2, 3, 4, 7, 8])
def test_the_tail_of_repetitions_is_the_binomial_one(runs: int) -> None:
    x = Fraction(1, 8)
    true = sum(comb(runs, j) * x**j * (1 - x) ** (runs - j) for j in range(runs + 1) if 2 * j >= runs)
    assert at_least_half(x, runs) == true


@given(st.fractions(0, 1), st.integers(1, 6))
def test_decimals_of_an_upper_bound_are_not_below_it(number: Fraction, digits: int) -> None:
    shown = Fraction(decimal_above(number, digits))
    assert shown >= number
    assert (shown - number) * 10 ** (digits - 1) <= number


# -- what a learner learns --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("learner", ["ml", "mde", "empirical", "smoothed", "first-record"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_law_of_what_is_learnt_is_the_one_over_all_blocks(name: str, learner: str, n: int) -> None:
    laws = NAMED[name]
    method = method_named(learner, laws)
    outputs = BlockOutputs(method.learner, laws.domain, n)
    for p in laws:
        fast, slow = method.learnt(p, n), outputs.law(p)
        assert fast.unresolved <= TINY
        assert all(0 <= slow[q] - fast[q] <= TINY for q in slow.atoms)


@pytest.mark.parametrize("laws", [COINS, binomials(3, ["1/3", "1/2", "2/3"]), binomials(2, ["2/5", "1/5", "4/5"])])
def test_the_statistic_finds_the_likeliest_law_with_ties_to_the_first(laws: LawClass) -> None:
    statistic, reference = Statistic.of(laws), maximum_likelihood(laws.members)
    assert statistic is not None
    learner = Likelihood(laws, statistic).learner
    for n in (1, 2, 3, 4):
        for block in product(laws.domain, repeat=n):
            assert learner(block) == reference(block)


@pytest.mark.parametrize("laws", [TERNARY, ZEROS, clamped_geometrics(0, 2, [1, 2]), grid_class("abc", 3)])
def test_a_class_without_such_a_statistic_is_enumerated(laws: LawClass) -> None:
    assert Statistic.of(laws) is None
    assert isinstance(method_named("ml", laws), Enumerated)


def test_two_laws_whose_ratios_are_powers_of_one_number_have_a_statistic() -> None:
    laws = LawClass(
        ("a", "b", "c"), {"p": Law({"a": "1/7", "b": "2/7", "c": "4/7"}), "q": Law(dict.fromkeys("abc", "1/3"))}
    )
    statistic = Statistic.of(laws)
    assert statistic is not None
    assert dict(statistic.values) == {"a": 0, "b": -1, "c": -2}
    assert list(map(int, statistic.bases)) == [1, 2]


def test_maximum_likelihood_answers_on_blocks_that_no_law_can_give() -> None:
    """A learner that failed on some data would tell who is in them."""
    assert method_named("ml", ZEROS).learner("ac") == ZEROS.law("ab")


def test_what_cannot_be_enumerated_is_bounded_by_the_tail() -> None:
    laws = grid_class("abcdefgh", 2)
    method = method_named("ml", laws)
    p = laws.members[0]
    with pytest.raises(BudgetExceeded):
        method.learnt(p, 100)
    tail = method.tail(Fraction(1, 4))
    assert tail is not None
    assert method.failure(p, 100, Fraction(1, 4)) == rounded_up(tail.bound(100)) < Fraction(1, 1000)
    assert 0 < 1 - method.success(p, 100) < Fraction(1, 1000)
    assert method_named("smoothed", laws).failure(p, 100, Fraction(1, 4)) == 1


# -- bounds against exact laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
@pytest.mark.parametrize("laws", [COINS, TERNARY], ids=lambda laws: laws.name)
@pytest.mark.parametrize("sizes", [(1, 1), (5, 1), (6, 2), (9, 1), (8, 3)])
@pytest.mark.parametrize("length", [1, 2])
def test_the_bound_of_the_release_is_above_the_exact_distance(
    curve: ReleaseCurve, laws: LawClass, sizes: tuple[int, int], length: int
) -> None:
    one = plan(laws, SAMPLER, curve, blocks=sizes[0], block_size=sizes[1], length=length)
    for p in laws:
        bound = release_failure(curve, one.method.success(p, one.block_size), one.blocks)
        assert 0 < ends(reference_failure(one, p))[1] <= bound <= 1


@pytest.mark.parametrize("blocks", [1, 2, 9, 30])
@pytest.mark.parametrize("success", [Fraction(1, 3), Fraction(9, 10), Fraction(0)])
def test_the_bound_of_the_release_is_the_binomial_sum_rounded_up(blocks: int, success: Fraction) -> None:
    x, curve = rounded_down(success), CURVES[0]
    gaps = [max(0, 2 * j - blocks) for j in range(blocks + 1)]
    true: Number = sum(
        (comb(blocks, j) * x**j * (1 - x) ** (blocks - j) * curve.failure(gap) for j, gap in enumerate(gaps)),
        start=Fraction(0),
    )
    assert true <= release_failure(curve, x, blocks) <= true + TINY


@pytest.mark.parametrize("learner", METHODS)
@pytest.mark.parametrize("laws", [COINS, SKEW, point_masses("ab")], ids=lambda laws: laws.name)
@pytest.mark.parametrize(("algorithm", "sizes"), [(SAMPLER, {}), (BLACK_BOX, {"length": 2}), (AGNOSTIC, {"runs": 2})])
def test_bounds_without_the_law_of_what_is_learnt_are_above_the_exact_number(
    learner: str, laws: LawClass, algorithm: str, sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty blocks, and no work allowed: what remains is the bound of the learner, if it has one."""
    one = plan(laws, algorithm, NoisyThreshold(1, "1e-3"), learner=learner, blocks=40, **sizes)
    exactly = [exact_failure(one, p).low for p in laws]
    monkeypatch.setattr(guarantee, "WORK", 0)
    again = replace(one, method=method_named(learner, laws))
    with pytest.raises(BudgetExceeded):
        again.method.learnt(laws.members[0], 2)
    assert all(low <= failure_bound(again, p) for low, p in zip(exactly, laws, strict=True))


@pytest.mark.parametrize(("learner", "is_proper"), [("ml", True), ("mde", True), ("empirical", False)])
def test_a_learner_of_other_laws_is_not_said_to_learn_a_law_of_the_class(
    learner: str, is_proper: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empirical law of 401 records is close to a fair coin, and never fair."""
    monkeypatch.setattr(guarantee, "WORK", 0)
    method = method_named(learner, SKEW)
    p = SKEW.law("even")
    assert method.failure(p, 401, Fraction(2, 5)) < Fraction(1, 1000)
    assert (method.success(p, 401) > Fraction(99, 100)) == is_proper
    assert is_proper or method.success(p, 401) == 0


def test_a_learner_that_sees_the_order_of_many_records_has_a_certified_bound() -> None:
    """All words of 33 records are far too many to go through."""
    one = plan(COINS, AGNOSTIC, NoisyThreshold(1, "1e-3"), learner="first-record", blocks=40, runs=33)
    assert {found.source for found in accuracies(one)} == {BOUND}


def test_boosting_counts_runs_that_are_within_a_third_of_the_accuracy() -> None:
    """Three coins a quarter apart: a run misses from alpha/3 <= 1/4 on when it learns a neighbour."""
    laws = LawClass((0, 1), {str(x): Law({0: x, 1: 1 - x}) for x in map(Fraction, ("1/4", "1/2", "3/4"))})
    sizes: dict[str, Any] = {"runs": 3, "blocks": 30, "block_size": 5, "length": 9}
    bounds = [
        failure_bound(replace(plan(laws, BOOSTED, OptimalRelease(1, "1/100"), **sizes), alpha=alpha), laws.law("1/4"))
        for alpha in (Fraction(1, 2), Fraction(3, 4), Fraction(4, 5))
    ]
    assert 1 > bounds[0] == bounds[1] > bounds[2] > 0


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
@pytest.mark.parametrize("blocks", [1, 2, 7, 12])
def test_the_bound_of_the_release_is_exact_for_point_masses(curve: ReleaseCurve, blocks: int) -> None:
    laws = point_masses("ab")
    one = plan(laws, SAMPLER, curve, learner="first-record", blocks=blocks, block_size=1)
    for p in laws:
        exactly, _ = ends(reference_failure(one, p))
        assert 0 <= failure_bound(one, p) - exactly <= TINY


@pytest.mark.parametrize("learner", ["ml", "mde"])
@pytest.mark.parametrize("laws", [COINS, SKEW, TERNARY], ids=lambda laws: laws.name)
@pytest.mark.parametrize(
    ("algorithm", "sizes"),
    [
        (SAMPLER, {"length": 2}),
        (BLACK_BOX, {"length": 3}),
        (BLACK_BOX, {"blocks": 9, "length": 1}),
        (BOOSTED, {"runs": 3, "length": 2}),
        (BOOSTED, {"runs": 4, "blocks": 4}),
        (AGNOSTIC, {"runs": 4}),
    ],
)
def test_both_ways_enclose_the_failure_probability(
    algorithm: str, sizes: dict[str, int], laws: LawClass, learner: str
) -> None:
    one = plan(laws, algorithm, CURVES[2], learner=learner, **sizes)
    for p in laws:
        low, high = ends(reference_failure(one, p))
        found = exact_failure(one, p)
        assert found.low <= low
        assert high <= found.high
        assert found.high - found.low <= 2 * NEGLIGIBLE
        assert high <= failure_bound(one, p)


def test_the_exact_law_is_reported_where_it_is_in_reach() -> None:
    one = plan(COINS, BLACK_BOX, CURVES[0], blocks=9, length=3)
    assert [found.source for found in accuracies(one)] == [EXACT, EXACT]
    high, _ = ends(reference_failure(one, COINS.law("low")))
    assert 0 <= accuracy(one, "low").bounds.high - high <= NEGLIGIBLE


def test_a_certified_bound_is_reported_elsewhere_and_never_passed_off_as_exact() -> None:
    laws = binomials(12, ["1/6", "1/3", "1/2"])
    one = plan(laws, BLACK_BOX, OptimalRelease(1, "1e-6"), blocks=200, block_size=12, length=20)
    for found in accuracies(one):
        assert (found.source, found.bounds.low) == (BOUND, Fraction(0))
        assert 0 < found.bounds.high < Fraction(1, 100)


def test_irrational_laws_with_another_base_than_epsilon_have_a_certified_bound() -> None:
    """Powers of e and of 2 have no common base: no exact law, but a bound all the same."""
    laws = clamped_geometrics(0, 3, ["1/4", 4])
    one = plan(laws, BLACK_BOX, NoisyThreshold("ln(2)", "1/20"), blocks=40, block_size=2, length=4)
    for found in accuracies(one):
        assert found.source == BOUND
        assert 0 < found.bounds.high < Fraction(1, 2)


HOPELESS = replace(
    plan(binomials(12, ["1/3", "17/50"]), BLACK_BOX, NoisyThreshold(1, "1e-6"), blocks=10, block_size=1, length=9),
    alpha=Fraction(1, 200),
)


@pytest.mark.parametrize("learner", ["ml", "mde", "empirical"])
def test_sizes_that_are_out_of_reach_are_decided_at_once(learner: str) -> None:
    """Of 21 laws on three values a plan takes well under a second, whatever the learner."""
    laws = grid_class("abc", 5)
    told = plan_of(Settings(BLACK_BOX, "1/2", "1/1000", "1/4", "1/10", learner, paper=True), laws)
    tail = told.method.tail(Fraction(1, 4))
    assert tail is not None
    assert told.length <= (tail.start(Fraction(1, 40)) or 0)


def test_a_hopeless_plan_has_the_bound_1() -> None:
    assert [(found.source, found.bounds.high) for found in accuracies(HOPELESS)] == [(BOUND, Fraction(1))] * 2
    assert range_text(accuracies(HOPELESS)[0]) == "no bound below 1"


def test_what_a_theorem_promises_is_reported_as_it_stands() -> None:
    """Rounded up it would be above what was asked for."""
    told = accuracies(replace(HOPELESS, promised=Fraction(3, 40)))
    assert [(found.source, found.bounds.high) for found in told] == [(THEOREM, Fraction(3, 40))] * 2


def test_the_theorem_is_named_where_it_says_more_than_the_bound() -> None:
    told = accuracies(replace(HOPELESS, promised=Fraction(1, 4)))
    assert [(found.source, found.bounds.high) for found in told] == [(THEOREM, Fraction(1, 4))] * 2
    assert range_text(told[0]) == "at most 0.25 (by the theorem)"


@pytest.mark.parametrize(
    ("learner", "is_put_to_the_test"), [("ml", False), ("empirical", True), ("first-record", True)]
)
def test_no_neighbouring_histograms_exceed_the_delta_that_is_printed(learner: str, is_put_to_the_test: bool) -> None:
    curve = NoisyThreshold("ln(2)", "1/10")
    one = plan(COINS, BLACK_BOX, curve, learner=learner, blocks=5, block_size=2, length=2)
    L = one.method.learner
    laws = black_box_laws(COINS.domain, learner=L, final=L, blocks=5, block_size=2, mode=one.mode, length=one.length)
    worst: Number = max(
        exact_divergence(laws[h], laws[g], curve.factor) for h in laws for g in laws if abs(h[0] - g[0]) == 1
    )
    assert (worst > 0) == is_put_to_the_test
    assert worst <= one.delta == curve[1] <= Fraction(1, 10)


# -- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("laws", [COINS, SKEW], ids=lambda laws: laws.name)
@pytest.mark.parametrize("learner", ["ml", "mde"])
def test_the_sample_complexity_is_the_exact_one(laws: LawClass, learner: str) -> None:
    method, alpha, beta = method_named(learner, laws), Fraction(1, 5), Fraction(1, 10)
    found = sample_complexity(method.learner, laws, alpha, beta, 80, tail=method.tail(alpha))
    assert found.is_proved
    assert certified_complexity(method, learner)(alpha, beta) == found.size


def test_the_sample_complexity_of_the_empirical_law_is_a_true_one() -> None:
    laws = bernoulli_grid(4)
    method, alpha, beta = method_named("empirical", laws), Fraction(1, 4), Fraction(1, 10)
    found = sample_complexity(empirical(), laws, alpha, beta, 60, tail=method.tail(alpha))
    assert certified_complexity(method, "empirical")(alpha, beta) == found.size


@pytest.mark.parametrize("learner", ["ml", "smoothed", "first-record"])
def test_only_agnostic_learners_have_an_agnostic_sample_complexity(learner: str) -> None:
    with pytest.raises(InvalidArgument, match="mde or empirical"):
        agnostic_complexity(method_named(learner, COINS), learner)


def test_no_sample_size_is_known_where_there_is_no_tail() -> None:
    for learner, laws in (("smoothed", COINS), ("first-record", COINS)):
        with pytest.raises(InvalidArgument, match="no sample size is known"):
            certified_complexity(method_named(learner, laws), learner)(Fraction(1, 4), Fraction(1, 4))
    assert (
        certified_complexity(method_named("first-record", point_masses("abc")), "")(Fraction(1, 4), Fraction(1, 9)) == 1
    )


def test_the_agnostic_sample_complexity_is_the_least_that_hoeffding_allows() -> None:
    method = method_named("mde", COINS)
    assert isinstance(method, Nearest)
    constant, size = agnostic_complexity(method, "mde")
    n = size(Fraction(1, 4), Fraction(1, 10))
    sets = 2 * len(method.estimator.table.events)
    assert constant == 3
    assert sets * exp(Fraction(-2 * n, 64)) <= Fraction(1, 10) < sets * exp(Fraction(-2 * (n - 1), 64))


# -- plans ------------------------------------------------------------------------------------------------------------


def theorem(algorithm: str) -> Plan:
    """The plan at the sizes of the theorem."""
    alpha = None if algorithm == SAMPLER else "1/4"
    return plan_of(Settings(algorithm, "1/2", "1/100", alpha, "1/10", paper=True), COINS)


def test_the_theorems_sizes_are_used_as_they_are() -> None:
    m = certified_complexity(method_named("ml", COINS), "ml")
    sizes = boosted_parameters(m, "1/4", "1/10", "1/2", "1/100")
    found = theorem(BOOSTED)
    assert found.records == sizes.records
    assert (found.runs, found.blocks, found.length) == (sizes.runs, sizes.run.sampler.blocks, sizes.run.sampler.length)
    coarse = plan_of(Settings(BOOSTED, "1/2", "1/10", "1/4", "1/10", paper=True), COINS)
    assert [one.mode.curve.claimed for one in (found, coarse)] == [Fraction(1, 100), Fraction(1, 32)]


@pytest.mark.parametrize("algorithm", [SAMPLER, *ALGORITHMS])
def test_the_theorems_plan_keeps_what_it_promises(algorithm: str) -> None:
    found = theorem(algorithm)
    assert found.promised == (Fraction(3, 40) if algorithm == SAMPLER else Fraction(1, 10))
    for p in COINS:
        assert failure_bound(found, p) <= found.promised
    assert found.delta <= Fraction(1, 100)


def test_every_learner_has_a_method_of_its_name() -> None:
    kinds: dict[str, type[Method]] = {
        "ml": Likelihood,
        "mde": Nearest,
        "empirical": Enumerated,
        "smoothed": Enumerated,
        "first-record": FirstRecord,
    }
    assert {name: type(method_named(name, COINS)) for name in METHODS} == kinds


def test_the_estimator_is_without_slack() -> None:
    learner = partial(minimum_distance, COINS)(0)
    words: Sequence[tuple[int, ...]] = list(product((0, 1), repeat=4))
    assert [method_named("mde", COINS).learner(word) for word in words] == [learner(word) for word in words]
