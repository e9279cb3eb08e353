"""Every control of every item is refuted, for the reason it was made for; every item answers both ways."""

import pytest

from exactdp.spec.item import item, items, step
from exactdp.verify.controls import Control, controls
from exactdp.verify.families import family
from exactdp.verify.ledger import entry_of

IDS = [one.id for one in items()]
WRONG = [pytest.param(control, id=f"{name}: {control.name}") for name in IDS for control in controls(name)]
EVERY_ITEM = pytest.mark.parametrize("name", IDS)


@pytest.mark.parametrize("control", WRONG)
def test_a_control_is_refuted_at_the_expected_step(control: Control) -> None:
    refutation = control.refutation()
    assert refutation is not None
    assert step(refutation.label) == control.refuted_at
    assert refutation.instance in control.instances


@EVERY_ITEM
def test_an_item_has_several_controls_with_names_and_reasons(name: str) -> None:
    wrong = controls(name)
    assert len(wrong) >= 3
    assert len({(control.name, control.refuted_at) for control in wrong}) == len(wrong)
    assert all(control.why and control.item == name for control in wrong)


@EVERY_ITEM
def test_an_item_is_seen_answering_both_ways(name: str) -> None:
    right = next(claim for instance in family(name) for claim in item(name).claims(instance))
    wrong = controls(name)[0].refutation()
    assert right.verdict.kind == "holds"
    assert wrong is not None
    assert wrong.verdict.kind == "refuted"


@EVERY_ITEM
def test_an_item_with_a_wrong_instance_is_refuted_in_the_ledger(name: str) -> None:
    first = controls(name)[0]
    entry = entry_of(item(name), first.instances, (first,))
    assert entry.verdict.kind == "refuted"
    assert entry.witness is not None
    assert step(entry.witness.label) == first.refuted_at
