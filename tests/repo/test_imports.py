"""Imports run one way, verify → reference → spec, and two modules stand apart."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FORBIDDEN = {"spec": {"reference", "verify"}, "reference": {"verify"}, "verify": set[str]()}
KNOWS_FLINT = {"spec/number.py", "spec/vector.py", "spec/enclosure.py"}


def test_imports_between_the_floors_run_one_way(root: Path, floor_files: list[Path]) -> None:
    wrong = {
        f"{path.relative_to(root)}: {module}"
        for path in floor_files
        for module in _imported(path.read_text())
        if _floor_of(module) in FORBIDDEN[path.relative_to(root).parts[0]]
    }
    assert wrong == set()


def test_no_floor_goes_through_the_front_door_of_the_package(root: Path, floor_files: list[Path]) -> None:
    """`from exactdp import x` inside a floor reads all floors, whichever x is."""
    front = {
        str(path.relative_to(root))
        for path in floor_files
        for module in _imported(path.read_text())
        if module == "exactdp"
    }
    assert front <= {"verify/cli.py"}


def test_imports_are_absolute(root: Path, floor_files: list[Path], test_files: list[Path]) -> None:
    relative = [
        str(path.relative_to(root))
        for path in floor_files + test_files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_flint_is_known_to_the_modules_of_exact_numbers_only(root: Path, floor_files: list[Path]) -> None:
    users = {
        str(path.relative_to(root))
        for path in floor_files
        if "flint" in {module.split(".")[0] for module in _imported(path.read_text())}
    }
    assert users <= KNOWS_FLINT


def test_the_checker_of_certificates_needs_the_standard_library_alone(root: Path) -> None:
    checker = root / "verify" / "checker.py"
    if not checker.exists():
        pytest.skip("verify/checker.py does not exist")
    outside = {module for module in _imported(checker.read_text()) if not _is_standard(module)}
    assert outside == set()


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("import exactdp.verify.cli", "exactdp.verify.cli"),
        ("from exactdp.verify.cli import main", "exactdp.verify.cli"),
        ("from exactdp import verify", "exactdp.verify"),
        ("def f():\n    from exactdp.verify import cli", "exactdp.verify"),
    ],
)
def test_an_import_of_a_floor_is_seen_however_it_is_written(line: str, module: str) -> None:
    assert module in set(_imported(line))
    assert _floor_of(module) == "verify"


def _imported(source: str) -> Iterator[str]:
    """Every module that a program imports anywhere; `from exactdp import spec` imports a floor."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "exactdp":
            yield from (_from_front(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _from_front(name: str) -> str:
    return f"exactdp.{name}" if name in FORBIDDEN else "exactdp"


def _floor_of(module: str) -> str | None:
    package, _, rest = module.partition(".")
    return rest.split(".")[0] if package == "exactdp" and rest else None


def _is_standard(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names
