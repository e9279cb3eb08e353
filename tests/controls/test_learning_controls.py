"""Learning and boosting: every wrong variant is refuted, and for the right reason."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from exactdp.reference.learners import empirical, first_record
from exactdp.reference.private_learner import black_box_private_learner
from exactdp.reference.sampling import Sampling
from exactdp.spec.boosting import choices, is_well_selected, worst_selection
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.learning import failure_probability
from exactdp.spec.privacy import delta_at
from exactdp.spec.standard_laws import point
from exactdp.verify.boosting_families import few_runs, line_grid, private_runs, selection
from exactdp.verify.controls import controls
from exactdp.verify.learning_families import LIKELIEST, LOW, MODE, CountNeighbours, reduction, written_out
from exactdp.verify.sampler_families import BERNOULLIS, LN_2, POINTS, all_pairs
from exactdp.verify.sampler_settings import Setting
from exactdp.verify.wrong_learners import (
    DataSeenAgain,
    FirstRecordAlone,
    FirstSuccess,
    Flipped,
    FlippedTogether,
    SampleAndData,
    SmallRadius,
    agreeing_with_the_data,
    farther_than_alpha,
    half_are_enough,
    sorted_parts,
)

LEARNING = ["conj-1.1", "def-1.2", "thm-1.3", "alg-3", "thm-5.1", "alg-4", "thm-6.1"]


@pytest.mark.parametrize("name", LEARNING)
def test_a_refutation_is_shown_as_python_of_the_instance(name: str) -> None:
    refutation = controls(name)[0].refutation()
    assert refutation is not None
    shown = repr(refutation.instance)
    assert shown.startswith(type(refutation.instance).__name__ + "(name=")
    assert "<function" not in shown


# -- learning --


def test_a_law_exactly_alpha_away_is_a_failure_that_a_strict_comparison_misses() -> None:
    answer = point(BERNOULLIS[1])
    alpha = Fraction(9, 10)
    assert failure_probability(answer, BERNOULLIS[0], alpha) == 1
    assert farther_than_alpha(answer, BERNOULLIS[0], alpha) == 0


def test_the_first_number_of_records_that_is_enough_is_not_the_sample_size() -> None:
    """One record errs with probability 1/20; with two a tie counts for the first law: 1 - (19/20)^2 = 39/400."""
    failures = {1: Fraction(1, 20), 2: Fraction(39, 400), 3: Fraction(29, 4000)}
    first = FirstSuccess(lambda alpha, n: failures[n])
    assert [first(Fraction(1, 4), Fraction(beta)) for beta in ("1/16", "1/40")] == [1, 3]
    found = next(c for c in controls("def-1.2") if c.refuted_at == "conclusion").refutation()
    assert found is not None
    assert (found.lhs, found.rhs) == (Fraction(39, 400), Fraction(1, 16))


def test_data_that_are_learnt_from_again_are_published() -> None:
    lines = written_out(Setting(first_record(), 2, 1, MODE), empirical(), (0, 0)).lines
    wrong = SampleAndData(lines)
    assert exact_divergence(wrong((0, 0)), wrong((0, 1)), Fraction(2)) == 1
    pairs = reduction("point laws", POINTS[:2], first_record(), LOW, 2).instance().neighbours
    assert isinstance(pairs, CountNeighbours)
    for (z, z_changed), (q, q_changed) in DataSeenAgain(pairs)():
        assert exact_divergence(q, q_changed, Fraction(2)) == 1
        assert exact_divergence(z, z_changed, Fraction(2)) < Fraction(1, 100)


def test_one_record_of_three_is_learnt_from_seven_times_worse() -> None:
    p = BERNOULLIS[0]
    of_three = reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, LOW).instance().final(p.power(3))
    of_one = FirstRecordAlone(LIKELIEST)(p.power(3))
    failures = [failure_probability(answer, p, Fraction(1, 4)) for answer in (of_three, of_one)]
    assert failures == [Fraction(29, 4000), Fraction(1, 20)]


def test_a_sampler_that_declines_makes_a_learner_that_declines() -> None:
    learner = first_record()
    answer = black_box_private_learner(
        (), Sampling.seeded(1), learner=learner, final=learner, blocks=2, block_size=1, mode=MODE
    )
    assert answer is MODE.default


# -- boosting --


def test_a_radius_of_a_third_of_alpha_goes_wrong_494_times() -> None:
    """T = 3, alpha = 1/3, multiples of 1/20."""
    right = selection(line_grid(20), 3, "1/3")
    found = [worst_selection(one) for one in (right, replace(right, radius=Fraction(1, 3)))]
    assert [(worst.cases, worst.violations) for worst in found if worst is not None] == [(5291, 0), (5291, 494)]


def test_an_even_number_of_estimates_on_a_coarse_grid_hides_the_small_radius() -> None:
    for runs in (4, 5):
        small = replace(selection(line_grid(12), runs, "1/2"), radius=Fraction(1, 3))
        worst = worst_selection(small)
        assert worst is not None
        assert worst.violations == 0


def test_half_of_the_estimates_go_wrong_956_times_of_4026() -> None:
    """T = 4, alpha = 1/2, multiples of 1/12: 4026 more cases have exactly two good estimates."""
    right = selection(line_grid(12), 4, "1/2")
    found = [worst_selection(one) for one in (right, replace(right, is_most=half_are_enough))]
    cases = [(worst.cases, worst.violations) for worst in found if worst is not None]
    assert cases == [(1363, 0), (1363 + 4026, 956)]


def test_a_radius_of_a_third_of_alpha_chooses_a_far_estimate() -> None:
    """Two estimates are good, on both sides of p, and do not see each other; the first of all is chosen, and is far."""
    alpha = Fraction(1, 3)
    p, low, high, far = (Law({0: Fraction(n, 20), 1: 1 - Fraction(n, 20)}) for n in (10, 8, 12, 20))
    estimates = (far, low, high)
    assert choices(estimates, alpha) == [1, 2]
    assert is_well_selected(estimates, p, alpha)
    assert SmallRadius(alpha)(estimates, ()) == 0
    assert exact_divergence(far, p, Fraction(1)) > alpha


def test_one_coin_for_all_runs_tells_which_records_agree() -> None:
    """Apart each answer shows 1/4 at E = 2; together 00 or 11 is told from 01 or 10."""
    laws = {bits: FlippedTogether()(tuple((bit,) for bit in bits)) for bits in product((0, 1), repeat=2)}
    alone = {(bit,): Flipped()((bit,)) for bit in (0, 1)}
    assert delta_at(laws, all_pairs(2, 2), Fraction(2)).delta == 1
    assert delta_at(alone, all_pairs(2, 1), Fraction(2)).delta == Fraction(1, 4)


def test_an_estimate_that_agrees_with_the_data_undoes_the_noise() -> None:
    """On 000 it is 0 unless all three lie: 63/64. On 100 it is 0 if the first lies and no other does: 9/64."""
    right = private_runs(few_runs(3, 1, 1), all_pairs(2, 3))
    lines = replace(right.lines, private_learner=Flipped(), choose=agreeing_with_the_data)
    same, changed = lines.answer((0, 0, 0)), lines.answer((1, 0, 0))
    assert (same[point(0)], changed[point(0)]) == (Fraction(63, 64), Fraction(9, 64))
    assert exact_divergence(same, changed, Fraction(2)) == Fraction(63, 64) - 2 * Fraction(9, 64)


def test_sorted_parts_move_records_that_did_not_change() -> None:
    assert sorted_parts((0, 1, 1, 2), 2, 2) == ((0, 1), (1, 2))
    assert sorted_parts((2, 1, 1, 2), 2, 2) == ((1, 1), (2, 2))


def test_the_unit_of_these_controls_is_e_to_the_epsilon_of_two() -> None:
    assert private_runs(few_runs(1, 1, 1), all_pairs(2, 1)).factor == 2
    assert MODE.curve.epsilon == LN_2
