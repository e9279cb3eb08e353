"""Fact B.3: every wrong mode is refuted, for the right reason, by the number that was worked out by hand."""

from fractions import Fraction

import pytest

from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.claim import Claim
from exactdp.spec.item import item, step
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM, mode_statistics
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.stable_release import Dataset, ModeInstance, datasets, worst_change
from exactdp.verify.controls import controls
from exactdp.verify.mode_controls import (
    WORKED,
    Rule,
    WrongMode,
    distance_rounded_up,
    first_value_by_default,
    half_the_scale,
    least_value_by_default,
    noise_on_the_gap,
    plain_mode,
    runner_up_by_default,
    threshold_too_high,
    threshold_too_low,
    threshold_without_noise,
    ties_released,
    ties_without_noise,
    wrong_mode_instance,
)

LOWER = NoisyThreshold("ln(2)", "1/3")
"""x = 1/2, s = 2, r_1 = 1/3."""

FULL_STEPS = {
    "S1 gap", "S1 distance", "S2 unique modes", "S2 different modes", "S3 released", "S3 withheld", "S3 same mode",
    "S4 at stake", "exact delta", "conclusion", "accuracy", "minimal gap", "quoted",
}  # fmt: skip


def false_steps(instance: ModeInstance) -> set[str]:
    return {step(claim.label) for claim in item("fact-B.3").claims(instance) if not claim.holds}


def exact_delta(rule: Rule, values: int, records: int, curve: NoisyThreshold = WORKED) -> object:
    return worst_change(WrongMode(rule, curve), values, records, Fraction(2)).delta


def test_the_wrong_modes_have_names_and_reasons_and_break_every_step() -> None:
    wrong = controls("fact-B.3")
    assert len({control.name for control in wrong}) == len(wrong)
    assert all(control.why for control in wrong)
    false: list[Claim] = [claim for control in wrong for claim in control.claims() if not claim.holds]
    assert {step(claim.label) for claim in false} == FULL_STEPS


@pytest.mark.parametrize(
    ("rule", "values", "records", "delta"),
    [
        (noise_on_the_gap, 2, 2, "1/3"),
        (noise_on_the_gap, 2, 4, "1/3"),
        (noise_on_the_gap, 3, 4, "1/3"),
        (distance_rounded_up, 2, 2, "1/3"),
        (distance_rounded_up, 2, 4, "1/3"),
        (distance_rounded_up, 3, 4, "1/3"),
        (first_value_by_default, 2, 1, "1"),
        (first_value_by_default, 3, 4, "1"),
        (runner_up_by_default, 2, 3, "1/2"),
        (runner_up_by_default, 2, 4, "1"),
        (runner_up_by_default, 3, 4, "1"),
        (least_value_by_default, 3, 4, "1"),
        (threshold_too_low, 2, 3, "1/3"),
        (threshold_too_high, 2, 3, "1/12"),
        (half_the_scale, 2, 6, "2/5"),
        (threshold_without_noise, 2, 6, "1"),
        (plain_mode, 2, 1, "1"),
        (ties_released, 2, 2, "1/3"),
        (ties_without_noise, 2, 2, "1"),
    ],
)
def test_the_exact_delta_of_a_wrong_mode_is_not_one_sixth_but(
    rule: Rule, values: int, records: int, delta: str
) -> None:
    """x = 1/2, s = 3, where r_1 = 1/6."""
    assert worst_change(StabilityBasedMode(WORKED), values, records, Fraction(2)).delta == Fraction(1, 6)
    assert exact_delta(rule, values, records) == Fraction(delta)


def test_the_smallest_witness_of_noise_on_the_gap_is_two_records() -> None:
    assert exact_delta(noise_on_the_gap, 2, 1) == Fraction(1, 6)
    found = worst_change(WrongMode(noise_on_the_gap, WORKED), 2, 2, Fraction(2))
    assert found == (Fraction(1, 3), ((0, 0), (1, 0)))


# -- small universes hide mistakes --


@pytest.mark.parametrize("records", [1, 3, 5, 7])
def test_two_values_and_an_odd_number_of_records_hide_noise_on_the_gap(records: int) -> None:
    """At s = 2 its exact delta is r_1 = 1/3, as it should be."""
    assert exact_delta(noise_on_the_gap, 2, records, LOWER) == Fraction(1, 3)


@pytest.mark.parametrize(("values", "records"), [(2, 2), (2, 4), (2, 6), (3, 4), (3, 5)])
def test_an_even_number_of_records_or_a_third_value_shows_noise_on_the_gap(values: int, records: int) -> None:
    assert exact_delta(noise_on_the_gap, values, records, LOWER) == Fraction(2, 3)


def test_that_one_mode_is_pure_shows_noise_on_the_gap_where_its_exact_delta_is_right() -> None:
    """On two values and three records: gaps 1 and 3 are released with probability 1/3 and 5/6 > 2/3."""
    steps = false_steps(wrong_mode_instance(noise_on_the_gap, 2, 3, LOWER))
    assert "S3 released" in steps
    assert not steps & {"S4 at stake", "exact delta", "conclusion"}


@pytest.mark.parametrize("curve", [LOWER, WORKED], ids=["s = 2", "s = 3"])
@pytest.mark.parametrize(("values", "records"), [(2, 1), (2, 3), (2, 5), (2, 7), (3, 1), (3, 3)])
def test_odd_numbers_hide_a_distance_rounded_up_altogether(values: int, records: int, curve: NoisyThreshold) -> None:
    """Every gap is odd or a tie, and there it is the right distance: the laws are equal."""
    right, wrong = StabilityBasedMode(curve), WrongMode(distance_rounded_up, curve)
    assert all(right(z) == wrong(z) for z in datasets(values, records))
    assert false_steps(wrong_mode_instance(distance_rounded_up, values, records, curve)) == set()


@pytest.mark.parametrize(("values", "records"), [(2, 2), (2, 4), (2, 6), (3, 2), (3, 4), (3, 5)])
def test_even_numbers_show_a_distance_rounded_up(values: int, records: int) -> None:
    assert exact_delta(distance_rounded_up, values, records) == Fraction(1, 3)


def test_the_runner_up_needs_a_third_value_to_show_on_one_mode() -> None:
    assert "S3 same mode" not in false_steps(wrong_mode_instance(runner_up_by_default, 2, 5))
    assert "S3 same mode" in false_steps(wrong_mode_instance(runner_up_by_default, 3, 5))


# -- what looks wrong and is not --


def tie_at_distance_one(values: Dataset) -> Law:
    """Of a tie the first value is released with probability r_1, as if the distance were 1."""
    found = mode_statistics(values)
    released = WORKED[max(found.distance, 1)]
    return Law({found.mode: released, BOTTOM: 1 - released})


@pytest.mark.parametrize(("values", "records"), [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (3, 5), (4, 3), (4, 4)])
def test_a_tie_may_be_released_with_probability_r_1(values: int, records: int) -> None:
    """Not more than r_1 is at stake then either: no control can be made of it."""
    assert worst_change(tie_at_distance_one, values, records, Fraction(2)).delta == Fraction(1, 6)
