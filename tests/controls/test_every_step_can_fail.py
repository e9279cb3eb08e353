"""Every step of every item has been seen to fail: some control's claims contain a false claim of it."""

from collections.abc import Iterable

import pytest

from exactdp.spec.claim import Claim
from exactdp.spec.item import Item, item, items, step
from exactdp.verify.controls import IDENTITIES, Control, controls
from exactdp.verify.families import family

EVERY_ITEM = pytest.mark.parametrize("one", items(), ids=lambda one: one.id)


def steps_of(claims: Iterable[Claim]) -> set[str]:
    return {step(claim.label) for claim in claims}


def family_steps(one: Item) -> set[str]:
    return steps_of(claim for instance in family(one.id) for claim in one.claims(instance))


def refuted_steps(wrong: Iterable[Control]) -> set[str]:
    return steps_of(claim for control in wrong for claim in control.claims() if not claim.holds)


@EVERY_ITEM
def test_the_steps_that_controls_refute_are_all_of_the_family_except_the_identities(one: Item) -> None:
    identities = {identity.step for identity in IDENTITIES if identity.item == one.id}
    steps, refuted = family_steps(one), refuted_steps(controls(one.id))
    assert steps - refuted == identities
    assert refuted <= steps


def test_the_identities_are_few_belong_to_items_and_say_why() -> None:
    assert {identity.item for identity in IDENTITIES} <= {one.id for one in items()}
    assert len({identity[:2] for identity in IDENTITIES}) == len(IDENTITIES)
    assert all(identity.why for identity in IDENTITIES)


def test_a_step_that_loses_its_control_is_seen() -> None:
    """With the control of 'orders' left out, that step is the one that nothing refutes."""
    one = item("constr-A.1")
    others = [control for control in controls(one.id) if control.refuted_at != "orders"]
    assert family_steps(one) - refuted_steps(others) == {"orders"}
