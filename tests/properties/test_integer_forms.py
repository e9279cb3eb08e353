"""CrossHair on integer forms: evidence of a second kind, symbolic, beside the exhaustive checks."""

import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

FORMS = Path(__file__).parent / "integer_forms.py"
CONFIRMED = (
    "merging_outcomes_does_not_gain",
    "the_worst_event_takes_every_positive_excess",
    "a_threshold_and_its_negation_split_the_integers",
    "half_lines_meet_where_both_hold",
)


@lru_cache(maxsize=1)
def reports() -> dict[str, str]:
    """What crosshair says of each function. Its exit code is not asked: it is 0 for what was not confirmed, too."""
    command = [sys.executable, "-m", "crosshair", "check", "--report_all", "--analysis_kind=asserts", str(FORMS)]
    output = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).stdout
    lines = FORMS.read_text().splitlines()
    found: dict[str, str] = {}
    for line in output.splitlines():
        match = re.match(r".*integer_forms\.py:(\d+): (.*)", line)
        if match:
            above = [text for text in lines[: int(match[1])] if text.startswith("def ")]
            found[above[-1].split("(")[0].removeprefix("def ")] = match[2]
    return found


@pytest.mark.parametrize("name", CONFIRMED)
def test_crosshair_confirms_the_integer_form_over_all_paths(name: str) -> None:
    assert "Confirmed over all paths" in reports()[name]


def test_crosshair_refutes_the_wrong_form() -> None:
    assert "AssertionError" in reports()["a_wrong_negation_is_noticed"]
