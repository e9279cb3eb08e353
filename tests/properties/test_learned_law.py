"""The laws of the learners' answers beside enumeration: failure, boosting from counts, enclosures, data, privacy."""

from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.boosted import select
from exactdp.reference.learned_law import (
    CountVectors,
    agnostic_law,
    agnostic_law_over,
    black_box_law,
    black_box_law_over,
    black_box_laws,
    boosted_law,
    boosted_law_of,
    excess,
    failure,
    law_from_draws,
    learned_law,
)
from exactdp.reference.learners import Learner, empirical, first_record, maximum_likelihood, random_record, randomised
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.parameters import agnostic_parameters, black_box_parameters, boosted_parameters
from exactdp.reference.sampler_law import sampler_law_from
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import UNRESOLVED, Bounds, Law, mixture
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Exact, Number, exp
from exactdp.spec.privacy import delta_at
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, RandomisedThreshold

A, B = Law({"a": 1}), Law({"b": 1})
HIGH, LOW = Law({"a": "19/20", "b": "1/20"}), Law({"a": "1/20", "b": "19/20"})
LIKELIEST = maximum_likelihood([HIGH, LOW])
MODE = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
RECORD_MODE = StabilityBasedMode(MODE.curve, ("b",))
HALF = Fraction(1, 2)


def bernoulli_law(mass: Fraction) -> Law:
    return Law({0: 1 - mass, 1: mass})


def laws_of_estimates(largest: int) -> st.SearchStrategy[Law]:
    """Laws of an estimate with up to `largest` values, some within 2/3 of alpha = 1/2 of one another, and BOTTOM."""
    values: list[Hashable] = [BOTTOM, *(bernoulli_law(Fraction(n, 6)) for n in range(7))]
    weights = st.dictionaries(st.sampled_from(values), st.integers(1, 5), min_size=1, max_size=largest)
    return weights.map(lambda found: Law({q: Fraction(w, sum(found.values())) for q, w in found.items()}))


# -- failure ----------------------------------------------------------------------------------------------------------


def test_failure_counts_distance_alpha_and_excess_does_not() -> None:
    answer = Law({A: "1/2", Law({"a": HALF, "b": HALF}): "1/3", BOTTOM: "1/6"})
    assert failure(answer, A, HALF) == HALF
    assert excess(answer, A, HALF) == Fraction(1, 6)
    assert failure(answer, A, "51/100") == Fraction(1, 6)


def test_failure_of_a_law_that_is_not_resolved_is_known_within_bounds() -> None:
    answer = Law({A: "1/2", B: "1/3", UNRESOLVED: "1/6"})
    assert failure(answer, A, HALF) == Bounds(Fraction(1, 3), HALF)


# -- boosting ---------------------------------------------------------------------------------------------------------


def boosted_by_hand(laws: list[Law], alpha: Fraction) -> dict[Hashable, Number]:
    """Every tuple of estimates, one after another, through the selection of the program."""
    masses: dict[Hashable, Number] = {}
    for chosen in product(*(list(law.items()) for law in laws)):
        estimates: list[Any] = [q for q, _ in chosen]
        answer = estimates[select(estimates, alpha)]
        masses[answer] = masses.get(answer, Fraction(0)) + prod((x for _, x in chosen), start=Fraction(1))
    return masses


@given(laws_of_estimates(3), st.integers(1, 4), st.sampled_from([Fraction(1, 4), HALF, Fraction(3, 4)]))
def test_boosting_from_counts_is_the_enumeration_of_all_runs(one: Law, runs: int, alpha: Fraction) -> None:
    law = boosted_law(one, runs=runs, alpha=alpha)
    assert dict(law.items()) == boosted_by_hand([one] * runs, alpha)
    assert law == boosted_law_of([one] * runs, alpha=alpha)


@given(st.lists(laws_of_estimates(3), min_size=1, max_size=3))
def test_boosting_of_runs_with_different_laws_is_the_enumeration_too(laws: list[Law]) -> None:
    assert dict(boosted_law_of(laws, alpha=HALF).items()) == boosted_by_hand(laws, HALF)


def test_a_tie_goes_to_the_first_which_has_each_value_in_proportion_to_its_count() -> None:
    """Then the choice is that of the first run, both for two far values and for near ones, which always tie."""
    for p, q in ((A, B), (bernoulli_law(Fraction(0)), bernoulli_law(Fraction(1, 6)))):
        one = Law({p: "1/3", q: "2/3"})
        assert boosted_law(one, runs=2, alpha=HALF) == one
    assert boosted_law(one, runs=5, alpha=HALF) == one


@pytest.mark.parametrize(
    ("runs", "tail"),
    [(1, Fraction(1, 8)), (3, Fraction(22, 512)), (5, Fraction(526, 8**5)), (7, Fraction(13084, 8**7))],
)
def test_the_failure_of_boosting_two_far_laws_is_a_binomial_tail(runs: int, tail: Fraction) -> None:
    """0.125, 0.04297, 0.01605 and 0.00624: one bad value in eight runs, and a majority of bad ones."""
    law = boosted_law(Law({A: "7/8", B: "1/8"}), runs=runs, alpha=HALF)
    exact_tail = sum(comb(runs, n) * 7 ** (runs - n) for n in range(runs + 1) if 2 * n >= runs)
    assert failure(law, A, HALF) == Fraction(exact_tail, 8**runs) == tail


def test_the_golden_tails_are_the_ones_of_the_paper() -> None:
    tails = [failure(boosted_law(Law({A: "7/8", B: "1/8"}), runs=T, alpha=HALF), A, HALF) for T in (1, 3, 5, 7)]
    assert [round(tail * 10**5) for tail in tails if isinstance(tail, Fraction)] == [12500, 4297, 1605, 624]


@given(laws_of_estimates(4), st.integers(1, 6), st.sampled_from(["1e-3", "1e-12", "1e-40"]))
def test_a_tolerance_gives_lower_bounds_and_leaves_no_more_than_it_says(one: Law, runs: int, tolerance: str) -> None:
    exactly, enclosed = (
        boosted_law(one, runs=runs, alpha=HALF),
        boosted_law(one, runs=runs, alpha=HALF, tolerance=tolerance),
    )
    assert enclosed.unresolved <= Fraction(tolerance)
    for answer, mass in enclosed.items():
        assert answer is UNRESOLVED or mass <= exactly[answer]
    far, true = (failure(law, bernoulli_law(Fraction(0)), HALF) for law in (enclosed, exactly))
    bounds = far if isinstance(far, Bounds) else Bounds(far, far)
    assert not isinstance(true, Bounds)
    assert bounds.low <= true <= bounds.high


@given(st.lists(st.integers(1, 10**9), min_size=2, max_size=4), st.integers(20, 60), st.sampled_from([3, 9, 30]))
def test_what_is_left_out_and_rounded_stays_within_the_tolerance_for_many_runs(
    weights: list[int], runs: int, digits: int
) -> None:
    masses = [Fraction(weight, sum(weights)) for weight in weights]
    tolerance = Fraction(1, 10**digits)
    vectors = CountVectors(masses, runs if len(weights) < 4 else 20, tolerance)
    found = dict(vectors)
    assert vectors.whole - sum(found.values()) <= tolerance * vectors.whole
    for counts, weight in found.items():
        ways, left = 1, sum(counts)
        for n in counts:
            ways, left = ways * comb(left, n), left - n
        true = ways * prod((mass**n for mass, n in zip(masses, counts, strict=True)), start=Fraction(1))
        assert weight <= true * vectors.whole


@pytest.mark.parametrize("tolerance", ["0", "-1", "1", "1000"])
def test_a_tolerance_lies_between_0_and_1(tolerance: str) -> None:
    with pytest.raises(InvalidArgument, match="0 < tolerance < 1"):
        boosted_law(Law({A: "1/3", B: "2/3"}), runs=2, alpha=HALF, tolerance=tolerance)


def test_all_words_of_many_records_are_beyond_the_budget() -> None:
    record = Law({"a": "1/3", "b": "2/3"})
    with pytest.raises(BudgetExceeded) as caught:
        law_from_draws(record, draws=33, final=first_record())
    assert caught.value.estimate == 2**33
    assert law_from_draws(record, draws=3, final=first_record(), budget=8)[Law({"a": 1})] == Fraction(1, 3)
    with pytest.raises(BudgetExceeded):
        law_from_draws(record, draws=3, final=first_record(), budget=7)


def test_a_tolerance_leaves_unlikely_counts_out() -> None:
    masses = [Fraction(9, 10), Fraction(1, 10)]
    everything, most = dict(CountVectors(masses, 200)), dict(CountVectors(masses, 200, "1e-6"))
    assert len(everything) == 201
    assert len(most) < 80
    assert set(most) < set(everything)


def test_masses_that_are_irrational_need_a_tolerance_and_are_enclosed() -> None:
    x = exp("-1/2")
    one = Law({A: 1 - x / 4, B: x / 8, BOTTOM: x / 8})
    with pytest.raises(InvalidArgument, match=r"tolerance: .*not all rational"):
        boosted_law(one, runs=3, alpha=HALF)
    exactly, enclosed = boosted_law_of([one] * 3, alpha=HALF), boosted_law(one, runs=3, alpha=HALF, tolerance="1e-20")
    assert isinstance(exactly[A], Exact)
    for answer in (A, B, BOTTOM):
        assert enclosed[answer] < exactly[answer] < enclosed[answer] + Fraction("1e-20")


def test_a_sum_that_is_too_long_is_refused_with_its_size_and_a_tolerance_makes_it_short() -> None:
    one = Law({bernoulli_law(Fraction(n)): Fraction(1, 2) for n in range(2)})
    with pytest.raises(BudgetExceeded, match="or give a tolerance") as refused:
        boosted_law(one, runs=384, alpha=HALF, budget=300)
    assert refused.value.estimate == 385
    assert len(boosted_law(one, runs=384, alpha=HALF, budget=300, tolerance="1e-9")) == 3
    with pytest.raises(BudgetExceeded):
        boosted_law(one, runs=384, alpha=HALF, budget=10, tolerance="1e-9")
    with pytest.raises(BudgetExceeded):
        boosted_law_of([one] * 20, alpha=HALF, budget=1000)


@pytest.mark.parametrize("tolerance", [0, "-1e-9", 0.1, exp(-5)])
def test_a_tolerance_that_is_no_positive_rational_is_refused(tolerance: Any) -> None:
    with pytest.raises(InvalidArgument, match="tolerance"):
        boosted_law(Law({A: 1}), runs=2, alpha=HALF, tolerance=tolerance)


@pytest.mark.parametrize("one", [Law({"a": 1}), Law({A: "1/2", UNRESOLVED: "1/2"})])
def test_a_law_that_is_no_law_of_an_estimate_is_refused(one: Law) -> None:
    with pytest.raises(InvalidArgument, match="law of an estimate"):
        boosted_law(one, runs=2, alpha=HALF)
    with pytest.raises(InvalidArgument, match="law of an estimate"):
        boosted_law_of([one], alpha=HALF)


# -- over the data ----------------------------------------------------------------------------------------------------

P = Law({"a": "2/3", "b": "1/3"})


def averaged(p: Law, n: int, law: Callable[[tuple[Any, ...]], Law]) -> Law:
    """The mixture of law(S) over S ~ p^n."""
    return mixture((mass, law(S)) for S, mass in p.power(n).items() if isinstance(S, tuple))


@pytest.mark.parametrize("final", [empirical(), LIKELIEST, random_record(2)])
@pytest.mark.parametrize("records", [None, 3, 5])
def test_the_black_box_over_the_data_is_the_average_of_its_laws_on_datasets(
    final: Learner, records: int | None
) -> None:
    settings: dict[str, Any] = {"learner": LIKELIEST, "final": final, "mode": MODE, "length": 2}
    settings |= {"blocks": 2, "block_size": 2}
    law = black_box_law_over(P, records=records, **settings)
    assert law == averaged(P, records or 4, lambda S: black_box_law(S, **settings))


@pytest.mark.parametrize("final", [empirical(), first_record(), randomised(empirical(), LIKELIEST, exp(-1))])
def test_the_agnostic_learner_over_the_data_is_the_average_of_its_laws_on_datasets(final: Learner) -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": final, "mode": RECORD_MODE, "runs": 2}
    settings |= {"blocks": 2, "block_size": 1}
    assert agnostic_law_over(P, **settings) == averaged(P, 4, lambda S: agnostic_law(Counter(S), **settings))


@pytest.mark.parametrize("draws", [1, 2, 5])
def test_a_symmetric_learner_is_summed_over_types_and_gives_the_law_of_all_words(draws: int) -> None:
    record = Law({"a": "1/2", "b": "1/3", "c": "1/6"})
    for final in (empirical(), randomised(empirical(), maximum_likelihood([record, Law({"a": 1})]), "1/4")):
        words = Learner(final.learn, "every word", final.seeds)
        assert law_from_draws(record, draws=draws, final=final) == law_from_draws(record, draws=draws, final=words)


def test_a_symmetric_learner_is_asked_once_for_each_type() -> None:
    asked: list[object] = []

    def learn(block: Any, seed: Hashable) -> Law:
        asked.append(block)
        return A

    law_from_draws(P, draws=40, final=Learner(learn, "counting", symmetric=True))
    assert len(asked) == 41
    learned_law(P.power(4), Learner(learn, "counting", symmetric=True))
    assert len(asked) == 46


def test_a_record_that_is_not_resolved_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="record"):
        law_from_draws(Law({"a": "1/2", UNRESOLVED: "1/2"}), draws=2, final=empirical())


def test_a_histogram_of_the_wrong_size_is_refused_by_the_agnostic_law() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": RECORD_MODE, "runs": 2}
    with pytest.raises(InvalidArgument, match="a histogram of 4 records"):
        agnostic_law({"a": 3}, blocks=2, block_size=1, **settings)


def test_too_many_deals_are_refused_with_an_estimate() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": RECORD_MODE, "runs": 4}
    with pytest.raises(BudgetExceeded, match="cases"):
        agnostic_law({"a": 8, "b": 8}, blocks=4, block_size=1, budget=50, **settings)


# -- the theorems' own parameters -------------------------------------------------------------------------------------


def majority_size(alpha: Number, beta: Number) -> int:
    """The least odd m at which the likeliest of the two laws is wrong with probability at most beta."""
    m = 1
    while sum(comb(m, n) * 19 ** (m - n) for n in range(m // 2 + 1, m + 1)) > beta * 20**m:
        m += 2
    return m


@pytest.mark.parametrize("curve", [NoisyThreshold, RandomisedThreshold, OptimalRelease])
@pytest.mark.parametrize(("beta", "epsilon"), [("1/2", "1/2"), ("1/10", "ln(2)")])
def test_theorem_5_1_holds_at_its_own_parameters(curve: Any, beta: str, epsilon: str) -> None:
    sizes = black_box_parameters(majority_size, "1/4", beta, epsilon, "1/100")
    law = black_box_law_over(HIGH, learner=LIKELIEST, final=LIKELIEST, **sizes.arguments(curve.name))
    found = failure(law, HIGH, "1/4")
    assert not isinstance(found, Bounds)
    assert Fraction(1, 1000) < found <= sizes.beta / 4 + sizes.sampler.distance == sizes.beta


def test_theorem_6_1_holds_at_its_own_parameters_and_its_failure_is_enclosed() -> None:
    sizes = boosted_parameters(majority_size, "1/4", "1/20", "1/2", "1/100")
    one = black_box_law_over(HIGH, learner=LIKELIEST, final=LIKELIEST, **sizes.run.arguments())
    once = failure(one, HIGH, sizes.alpha0)
    assert not isinstance(once, Bounds)
    assert once <= sizes.beta0
    found = failure(boosted_law(one, runs=384, alpha=sizes.alpha, tolerance="1e-60"), HIGH, sizes.alpha)
    assert isinstance(found, Bounds)
    assert found.low <= found.high < Fraction(1, 10**50)


def test_theorem_c2_holds_at_its_own_parameters_when_the_class_has_p() -> None:
    sizes = agnostic_parameters(majority_size, 3, "1/2", "1/100", "1/2", "1/100")
    assert (sizes.runs, sizes.blocks) == (3, 496)
    arguments = sizes.arguments(default=("b",))
    law = agnostic_law_over(HIGH, learner=LIKELIEST, final=LIKELIEST, tolerance="1e-30", **arguments)
    found = excess(law, HIGH, sizes.alpha)
    assert isinstance(found, Bounds)
    assert Fraction(1, 1000) < found.low <= found.high <= sizes.beta


def test_a_mock_learner_goes_through_the_black_box_at_the_true_number_of_blocks() -> None:
    sizes = black_box_parameters(lambda alpha, beta: 1, "1/4", "1/2", "ln(2)", "1/100").sampler
    mock = sampler_law_from(Law({HIGH: "15/16", LOW: "1/16"}), blocks=sizes.blocks, mode=sizes.mode())
    law = learned_law(mock, first_record())
    assert set(law.support()) == {A, B, BOTTOM}
    assert Fraction(1, 20) < law[B] + law[BOTTOM] < Fraction(1, 20) + sizes.distance


# -- privacy ----------------------------------------------------------------------------------------------------------


def neighbours(histograms: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All ordered pairs of histograms that differ by one replaced record."""
    return [(h, g) for h in histograms for g in histograms if sum(abs(x - y) for x, y in zip(h, g, strict=True)) == 2]


@pytest.mark.parametrize("final", [empirical(), LIKELIEST])
@pytest.mark.parametrize(("blocks", "block_size"), [(4, 1), (3, 2), (12, 1)])
def test_the_black_box_is_as_private_as_the_mode_on_all_neighbouring_histograms(
    final: Learner, blocks: int, block_size: int
) -> None:
    settings: dict[str, Any] = {"learner": LIKELIEST, "final": final, "mode": MODE}
    laws = black_box_laws("ab", blocks=blocks, block_size=block_size, **settings)
    n = blocks * block_size
    assert set(laws) == {(i, n - i) for i in range(n + 1)}
    assert all(
        law == black_box_law(dict(zip("ab", h, strict=True)), blocks=blocks, block_size=block_size, **settings)
        for h, law in laws.items()
    )
    worst = delta_at(laws, neighbours(list(laws)), MODE.curve.factor)
    assert 0 < worst.delta <= MODE.curve.delta


def test_post_processing_costs_nothing_and_point_masses_attain_the_modes_delta() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": first_record(), "blocks": 4, "block_size": 1}
    laws = black_box_laws("abc", mode=MODE, **settings)
    assert delta_at(laws, neighbours(list(laws)), MODE.curve.factor).delta == MODE.curve.delta == Fraction(1, 3)


def test_boosting_is_as_private_as_one_run_on_all_neighbouring_datasets() -> None:
    """The laws by (histogram of part 1, histogram of part 2, ...); one changed record is in one part."""
    one = black_box_laws("ab", learner=first_record(), final=first_record(), blocks=3, block_size=1, mode=MODE)
    laws = {parts: boosted_law_of([one[h] for h in parts], alpha=HALF) for parts in product(one, repeat=3)}
    pairs = [
        (mine, theirs)
        for mine in laws
        for theirs in laws
        if sum(abs(x - y) for h, g in zip(mine, theirs, strict=True) for x, y in zip(h, g, strict=True)) == 2
    ]
    alone = delta_at(one, neighbours(list(one)), MODE.curve.factor).delta
    assert 0 < delta_at(laws, pairs, MODE.curve.factor).delta <= alone <= MODE.curve.delta


def test_the_agnostic_learner_is_as_private_as_the_mode_on_all_neighbouring_histograms() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": RECORD_MODE, "runs": 2}
    histograms: list[tuple[int, ...]] = [(i, 6 - i) for i in range(7)]
    laws = {h: agnostic_law(dict(zip("ab", h, strict=True)), blocks=3, block_size=1, **settings) for h in histograms}
    assert 0 < delta_at(laws, neighbours(histograms), MODE.curve.factor).delta <= MODE.curve.delta
