"""Appendix C: every wrong set, rule, line and constant is refuted, and for the right reason."""

from dataclasses import replace
from fractions import Fraction

import pytest

from exactdp.spec.item import item, step
from exactdp.spec.minimum_distance import MinimumDistanceInstance
from exactdp.verify.agnostic_families import smallest_useful
from exactdp.verify.controls import Control, controls
from exactdp.verify.minimum_distance_controls import unordered_pairs
from exactdp.verify.minimum_distance_families import COINS, estimator_instance


def control_named(name: str, wrong: str) -> Control:
    return next(control for control in controls(name) if control.name == wrong)


@pytest.mark.parametrize(
    ("name", "wrong", "lhs", "rhs"),
    [
        ("def-C.3", "{q >= q'}", Fraction(2), Fraction(0)),
        ("def-C.3", "{q < q'}", Fraction(-1, 2), Fraction(1, 2)),
        ("def-C.3", "the point where q exceeds q' most", Fraction(1, 2), Fraction(1)),
        ("thm-C.4", "slack alpha in place of alpha/2", Fraction(2), Fraction(0)),
        ("thm-C.4", "sets of single points", Fraction(1), Fraction(1, 2)),
        ("thm-C.4", "2 OPT in place of 3 OPT", Fraction(7, 8), Fraction(4, 5)),
        ("cor-C.5", "96 = 8 * 9 + 24", Fraction(96), Fraction(99)),
        ("thm-C.2", "the first batch for every run", Fraction(2), Fraction(1)),
    ],
)
def test_the_witness_has_these_sides(name: str, wrong: str, lhs: Fraction, rhs: Fraction) -> None:
    refutation = control_named(name, wrong).refutation()
    assert refutation is not None
    assert (refutation.lhs, refutation.rhs) == (lhs, rhs)


def test_one_set_for_every_pair_is_missed_by_the_definition_and_not_by_the_estimator() -> None:
    """It is no Yatracos class, but D and Delta_S look at |P(A) - q(A)|, which one set of a pair shows."""
    right = estimator_instance("two coins", COINS, COINS[0], 3, Fraction(1, 2))
    assert all(claim.holds for claim in item("thm-C.4").claims(replace(right, family=unordered_pairs)))
    assert control_named("def-C.3", "every pair in one order alone").refutation() is not None


def test_the_slack_alpha_breaks_the_deterministic_inequality_too() -> None:
    [instance] = control_named("thm-C.4", "slack alpha in place of alpha/2").instances
    assert isinstance(instance, MinimumDistanceInstance)
    false = {step(claim.label) for claim in item("thm-C.4").claims(instance) if not claim.holds}
    assert {"selection", "S1 rule", "S2"} <= false


def test_a_seed_that_the_blocks_share_leaves_the_law_of_the_record_too_far() -> None:
    """All blocks are far together with probability 1/16, so the mean over E says nothing."""
    false = [claim for claim in control_named("thm-C.2", "a seed that the blocks share").claims() if not claim.holds]
    assert {step(claim.label) for claim in false} == {"S7 convexity"}
    assert false[0].lhs > Fraction(1, 16)


def test_a_useless_mode_is_refuted_at_the_gap_and_at_every_distance_of_the_record() -> None:
    false = {step(c.label) for c in control_named("thm-C.2", "a mode at a far smaller delta").claims() if not c.holds}
    assert {"S5 mode", "S6", "S7"} <= false


def test_the_quarter_is_needed_from_both_sides() -> None:
    """With c = 1/8 Markov's bound is 16 eta, with c = 1/2 there is no gap."""
    right = smallest_useful(1)
    for share, false_step in ((Fraction(1, 8), "S6 Markov"), (Fraction(1, 2), "S5 gap")):
        false = {step(c.label) for c in item("thm-C.2").claims(replace(right, share=share)) if not c.holds}
        assert false_step in false
    assert all(claim.holds for claim in item("thm-C.2").claims(right))
