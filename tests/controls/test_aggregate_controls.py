"""Aggregate: every wrong draw, mode, hypothesis and constant is refuted, and for the right reason."""

from dataclasses import replace
from fractions import Fraction

import pytest

from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.aggregate import Mode, NeighboursInstance, worst_mode_divergence
from exactdp.spec.item import item, step
from exactdp.spec.law import Law
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.standard_laws import point
from exactdp.verify.controls import controls
from exactdp.verify.wrong_aggregates import (
    WrongMode,
    first_value,
    half_the_scale,
    no_noise,
    noise_on_the_gap,
    one_draw_if_all_equal,
    one_too_low,
    runner_up,
)
from exactdp.verify.wrong_couplings import independent

SIXTH = NoisyThreshold("ln(2)", "1/6")
"""Threshold s = 3 at epsilon = ln 2, so r_1 = 1/6."""


@pytest.mark.parametrize(
    ("mode", "worst"),
    [
        (StabilityBasedMode(SIXTH), Fraction(1, 6)),
        (WrongMode(SIXTH), Fraction(1, 6)),
        (WrongMode(SIXTH, noise_on_the_gap), Fraction(1, 3)),
        (WrongMode(SIXTH, one_too_low), Fraction(1, 3)),
        (WrongMode(SIXTH, no_noise), Fraction(1)),
        (WrongMode(SIXTH, fallback=first_value), Fraction(1)),
    ],
    ids=str,
)
def test_a_wrong_modes_worst_pair_has_the_number_that_was_worked_out_by_hand(mode: Mode, worst: Fraction) -> None:
    """On four values out of three, at epsilon = ln 2; the first two modes are right."""
    assert worst_mode_divergence(mode, "abc", 4, Fraction(2)) == worst


@pytest.mark.parametrize("k", [3, 4])
def test_the_runner_up_in_place_of_the_failure_symbol_tells_at_least_half(k: int) -> None:
    assert Fraction(1, 2) <= worst_mode_divergence(WrongMode(SIXTH, fallback=runner_up), "abc", k, Fraction(2)) <= 1


def test_noise_of_half_the_scale_hides_in_short_tuples_and_shows_in_longer_ones() -> None:
    """At distance 1 it releases less often than it may; the step from D = 1 to D = 2 is what costs 2 epsilon."""
    mode = WrongMode(SIXTH, half_the_scale)
    worst = [worst_mode_divergence(mode, "ab", k, Fraction(2)) for k in (1, 2, 5)]
    assert worst[0] == worst[1] == Fraction(1, 20)
    assert worst[2] == Fraction(4, 5) - 2 * Fraction(1, 5)


def test_noise_on_the_gap_hides_on_two_values_of_odd_number_at_a_low_threshold() -> None:
    """With s = 2 gaps of two values out of an odd number are odd: r(1) = 1/3 and r(3) = 5/6 <= 2/3 + 1/3."""
    mode = WrongMode(NoisyThreshold("ln(2)", "1/3"), noise_on_the_gap)
    assert [worst_mode_divergence(mode, "ab", k, Fraction(2)) for k in (3, 5)] == [Fraction(1, 3)] * 2
    assert worst_mode_divergence(mode, "ab", 4, Fraction(2)) > Fraction(1, 3)


def test_independent_draws_for_equal_laws_are_noticed_and_for_point_masses_there_is_nothing_to_notice() -> None:
    curve, half = NoisyThreshold("ln(2)", "1/3"), Law({0: "1/2", 1: "1/2"})
    mode = StabilityBasedMode(curve)
    lone = (point(0), point(0), point(1)), (point(0), point(1), point(1))
    certain = NeighboursInstance("points", *lone, 1, mode, curve.factor, curve.delta, independent)
    random = replace(certain, name="one coin", before=(half, point(0)), after=(half, point(1)))
    verdicts = [all(c.holds for c in item("prop-B.1").claims(instance)) for instance in (certain, random)]
    assert verdicts == [True, False]


def test_a_coupling_that_depends_on_the_tuple_breaks_the_conclusion_itself() -> None:
    control = next(c for c in controls("prop-B.1") if c.refuted_at == "S2 before")
    (instance,) = control.instances
    assert isinstance(instance, NeighboursInstance)
    assert instance.couple is one_draw_if_all_equal
    false = {step(claim.label) for claim in control.claims() if not claim.holds}
    assert {"S2 before", "S3", "S4", "conclusion"} <= false


def test_tau_of_zero_breaks_uniqueness_of_the_mode_and_nothing_before_it() -> None:
    control = next(c for c in controls("prop-B.2") if c.name == "tau = 0")
    false = {step(claim.label) for claim in control.claims() if not claim.holds}
    assert false == {"S4 half", "S4 unique"}


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("k = 107, c = 1/2", {"S2 gap", "S2 half", "S2 integers", "S3 reference", "S3 mode", "S4"}),
        ("k = 54", {"S3 logs", "S3 gap", "S3 reference", "S3 mode"}),
        ("k = 107, delta_0 = delta beta/4", {"S3 strict"}),
        ("eta = beta/16", {"S4", "S5"}),
        ("delta_0 = delta = 1/2", {"S5"}),
        ("k = 107, a threshold far too high", {"S3 mode", "conclusion"}),
    ],
)
def test_a_wrong_constant_breaks_these_steps_and_no_others(name: str, steps: set[str]) -> None:
    control = next(c for c in controls("cor-B.4") if str(c.instances[0]) == name)
    assert {step(claim.label) for claim in control.claims() if not claim.holds} == steps


def test_the_printed_range_of_epsilon_is_refuted_by_packing() -> None:
    control = controls("thm-4.1")[0]
    refutation = control.refutation()
    assert refutation is not None
    assert (refutation.lhs, refutation.rhs) == (Fraction(2**40 - 1, 4), Fraction(2**30))
    false = {step(claim.label) for claim in control.claims() if not claim.holds}
    assert false == {"packing", "S3 reference", "S3 mode", "conclusion"}
