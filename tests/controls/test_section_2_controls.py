"""Section 2: every wrong kernel, mechanism and composition is refuted, and for the right reason."""

import pytest

from exactdp.spec.item import step
from exactdp.verify.controls import controls


@pytest.mark.parametrize("name", ["def-2.3", "prop-2.4", "lem-2.5"])
def test_the_conclusion_itself_is_seen_to_fail(name: str) -> None:
    """Not only a step of the proof: in some control the inequality that the item states is false."""
    false = [claim for control in controls(name) for claim in control.claims() if not claim.holds]
    assert "conclusion" in {step(claim.label) for claim in false}
