"""Sampler: every wrong variant is refuted, and for the right reason."""

from dataclasses import replace
from fractions import Fraction

import pytest

from exactdp.reference.learners import first_record
from exactdp.spec.item import item, step
from exactdp.spec.privacy import delta_at
from exactdp.verify.sampler_families import LN_2, all_pairs, mode_at, private
from exactdp.verify.sampler_settings import Setting
from exactdp.verify.wrong_samplers import (
    AverageLaw,
    FirstValueInstead,
    HalfTheNoise,
    LowThreshold,
    NoNoise,
    Padded,
    blocks_by_value,
    overlapping_blocks,
    sorted_blocks,
)

MODE = mode_at(LN_2, "1/3")


def test_sorted_blocks_tell_two_datasets_apart_that_differ_in_one_record() -> None:
    """(0, 1, 1, 2) has the blocks 01 and 12, and (2, 1, 1, 2) has 11 and 22: both change."""
    order = (0, 1, 2, 3)
    assert sorted_blocks((0, 1, 1, 2), order, 2, 2) == ((0, 1), (1, 2))
    assert sorted_blocks((2, 1, 1, 2), order, 2, 2) == ((1, 1), (2, 2))


def test_overlapping_blocks_and_blocks_by_value_are_what_they_are_called() -> None:
    assert overlapping_blocks(tuple("abcd"), (3, 2, 1, 0), 2, 2) == (("d", "c"), ("c", "b"))
    assert blocks_by_value(tuple("aab"), (0, 1, 2), 3, 1) == (("a",), ("a",))


@pytest.mark.parametrize(
    ("wrong", "blocks", "worst"),
    [(LowThreshold, 3, "1/3"), (HalfTheNoise, 5, "2/5"), (NoNoise, 5, "1")],
)
def test_wrong_modes_have_these_worst_deltas(wrong: type[LowThreshold], blocks: int, worst: str) -> None:
    """At E = 2 and threshold s = 3 point laws attain r_1 = 1/6; with threshold 2 it is 1/3.

    Half the noise has r_2 = 1/5 and r_3 = 4/5, and 4/5 - 2/5 = 2/5. Without noise r_2 = 0 and r_3 = 1.
    """
    curve = mode_at(LN_2, "1/6").curve
    assert curve.delta == Fraction(1, 6)
    mode = replace(mode_at(LN_2, "1/6"), curve=wrong(curve.epsilon, curve.claimed))
    lines = Setting(first_record(), blocks, 1, mode).lines
    pairs = [((0,) * i + (1,) * (blocks - i), (0,) * (i + 1) + (1,) * (blocks - i - 1)) for i in range(blocks)]
    both = pairs + [(t, s) for s, t in pairs]
    laws = {data: AverageLaw(lines)(data) for pair in pairs for data in pair}
    assert delta_at(laws, both, curve.factor).delta == Fraction(worst)


def test_the_first_value_in_place_of_the_failure_symbol_shows_the_record() -> None:
    """With E = 2 and two blocks: (0, 0) is sure to give 0; (1, 0) gives each of 0 and 1 half the time."""
    setting = Setting(first_record(), 2, 1, MODE)
    lines = replace(setting.lines, aggregate=FirstValueInstead(MODE).aggregated)
    laws = {data: AverageLaw(lines)(data) for data in ((0, 0), (0, 1), (1, 0), (1, 1))}
    assert delta_at(laws, all_pairs(2, 2), Fraction(2)).delta == Fraction(1, 2)
    wrong = replace(private(setting, all_pairs(2, 2)), lines=lines, kernel=AverageLaw(lines))
    assert {step(c.label) for c in item("prop-B.5").claims(wrong) if not c.holds} == {"S3", "conclusion"}


def test_data_made_up_to_the_right_size_are_not_private() -> None:
    setting = Setting(first_record(), 3, 1, MODE)
    right = private(setting, all_pairs(2, 1))
    assert all(claim.holds for claim in item("prop-B.5").claims(right))
    wrong = [claim for claim in item("prop-B.5").claims(replace(right, kernel=Padded(setting))) if not claim.holds]
    assert wrong[0].lhs == MODE.curve[2] == Fraction(2, 3)
