"""What every test shares: repeatable properties, and where the files of the project are."""

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, on every machine. `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("explore", max_examples=2_000, deadline=None, print_blob=True)
settings.load_profile("repeatable")

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("spec", "reference", "verify")


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def floors() -> tuple[str, ...]:
    """The three folders that make up the package, the lowest first."""
    return FLOORS


@pytest.fixture(scope="session")
def floor_files() -> list[Path]:
    """Every Python file of the three floors, by its real path."""
    return [path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]


@pytest.fixture(scope="session")
def test_files() -> list[Path]:
    """Every Python file under tests."""
    return sorted((ROOT / "tests").rglob("*.py"))
