"""Section 2: every wrong kernel, mechanism and composition is refuted, and for the right reason."""

import pytest

from exactdp.spec.item import item, items, step
from exactdp.verify.controls import Control, controls
from exactdp.verify.families import family

SECTION = [one.id for one in items() if one.section.startswith("Section 2:")]
WRONG = [pytest.param(control, id=f"{name}: {control.name}") for name in SECTION for control in controls(name)]


@pytest.mark.parametrize("control", WRONG)
def test_a_control_is_refuted_at_the_expected_step(control: Control) -> None:
    refutation = control.refutation()
    assert refutation is not None
    assert step(refutation.label) == control.refuted_at
    assert refutation.instance in control.instances


@pytest.mark.parametrize("name", SECTION)
def test_an_item_has_several_controls_with_names_and_reasons(name: str) -> None:
    wrong = controls(name)
    assert len(wrong) >= 3
    assert len({control.name for control in wrong}) == len(wrong)
    assert all(control.why and control.item == name for control in wrong)


@pytest.mark.parametrize("name", SECTION)
def test_an_item_is_seen_answering_both_ways(name: str) -> None:
    right = next(iter(item(name).claims(next(family(name)))))
    wrong = controls(name)[0].refutation()
    assert right.verdict.kind == "holds"
    assert wrong is not None
    assert wrong.verdict.kind == "refuted"


@pytest.mark.parametrize("name", ["def-2.3", "prop-2.4", "lem-2.5"])
def test_the_conclusion_itself_is_seen_to_fail(name: str) -> None:
    """Not only a step of the proof: in some control the inequality that the item states is false."""
    false = [claim for control in controls(name) for claim in control.claims() if not claim.holds]
    assert "conclusion" in {step(claim.label) for claim in false}
