"""A checker that looks at nothing reports no errors; so each one is asked how many files it saw."""

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@pytest.fixture(scope="module")
def front(root: Path) -> Path:
    return root / "src" / "exactdp" / "__init__.py"


@pytest.fixture(scope="module")
def collected(root: Path) -> list[str]:
    """Every test and doctest that a bare `pytest` would run."""
    output = _run(root, sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist")
    return [line for line in output.splitlines() if "::" in line]


def test_mypy_sees_every_file(root: Path, front: Path, floor_files: list[Path], test_files: list[Path]) -> None:
    output = _run(root, _tool("mypy"))
    seen = re.search(r"(?:in|checked) (\d+) source files?", output)
    assert seen, output
    assert int(seen[1]) == len([front, *floor_files, *test_files])


def test_pyright_sees_every_file(root: Path, front: Path, floor_files: list[Path], test_files: list[Path]) -> None:
    """It says how many files it found before it reads them; `make check` has it read them."""
    command = [_tool("pyright"), "--verbose", "--pythonpath", sys.executable]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True, start_new_session=True) as pyright:
        assert pyright.stdout is not None
        found = (re.match(r"Found (\d+) source files", line) for line in pyright.stdout)
        seen = next((int(match[1]) for match in found if match), None)
        os.killpg(pyright.pid, signal.SIGKILL)
    assert seen == len([front, *floor_files, *test_files])


def test_ruff_sees_every_file(root: Path, front: Path, floor_files: list[Path], test_files: list[Path]) -> None:
    output = _run(root, _tool("ruff"), "check", "--show-files")
    seen = {Path(line) for line in output.splitlines() if line.endswith(".py")}
    assert seen == {front, *floor_files, *test_files, *(root / "docs").glob("*.py")}


def test_the_import_contracts_see_every_module(floor_files: list[Path]) -> None:
    grimp = pytest.importorskip("grimp", reason="grimp is not installed; `make check` installs it")
    modules = grimp.build_graph("exactdp", cache_dir=None).modules
    assert modules == {"exactdp", *(_module_name(path) for path in floor_files)}


def test_every_doctest_of_the_floors_is_collected(collected: list[str], floor_files: list[Path]) -> None:
    """Under the installed name of its module: `exactdp.spec.errors.InvalidArgument`, not `spec.errors…`."""
    written = {name for path in floor_files for name in _doctests(path)}
    assert written
    assert written - {item.split("::")[-1] for item in collected} == set()


def test_every_file_of_tests_is_collected(root: Path, collected: list[str]) -> None:
    files = {path.relative_to(root) for path in (root / "tests").rglob("test_*.py")}
    expected = {path for path in files if path.parts[1] != "benchmarks"}
    assert expected - {Path(item.split("::")[0]) for item in collected} == set()


def _tool(name: str) -> str:
    """A checker of the environment that runs the tests; where it is not installed the test is skipped."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip(f"{name} is not installed; `make check` installs it")
    return found


def _run(root: Path, *command: str) -> str:
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout


def _module_name(path: Path) -> str:
    floor = f"exactdp.{path.parent.name}"
    return floor if path.stem == "__init__" else f"{floor}.{path.stem}"


def _doctests(path: Path) -> Iterator[str]:
    yield from (".".join((_module_name(path), *names)) for names in _with_examples(ast.parse(path.read_text())))


def _with_examples(node: Documented) -> Iterator[tuple[str, ...]]:
    """The names, from a module or a class on, of everything whose docstring has an example."""
    if ">>> " in (ast.get_docstring(node) or ""):
        yield ()
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from ((child.name, *names) for names in _with_examples(child))
