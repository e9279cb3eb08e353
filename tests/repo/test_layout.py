"""The folders, the links and what the floors may not contain."""

import ast
import io
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

FLOOR = pytest.mark.parametrize("floor", ["spec", "reference", "verify"])
LONGEST_MODULE = 400


@FLOOR
def test_the_package_reaches_each_floor_by_a_relative_link(root: Path, floor: str) -> None:
    link = root / "src" / "exactdp" / floor
    assert link.is_symlink()
    assert os.readlink(link) == f"../../{floor}"
    assert link.resolve() == root / floor


@FLOOR
def test_a_floor_refuses_its_bare_name(root: Path, floor: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", f"import {floor}"], cwd=root, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert f"ImportError: import exactdp.{floor}, not {floor}" in result.stderr


@FLOOR
def test_a_floor_is_imported_under_the_name_of_the_package(root: Path, floor: str) -> None:
    program = f"import exactdp.{floor} as floor; print(floor.__name__, floor.__file__)"
    result = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    name, file = result.stdout.split(maxsplit=1)
    assert name == f"exactdp.{floor}"
    assert Path(file.strip()).resolve() == root / floor / "__init__.py"


def test_modules_stand_directly_in_their_floor(root: Path, floor_files: list[Path]) -> None:
    assert [path for path in floor_files if len(path.relative_to(root).parts) != 2] == []


def test_every_module_of_the_floors_says_what_it_is(floor_files: list[Path]) -> None:
    assert floor_files
    assert [path for path in floor_files if not ast.get_docstring(_tree(path))] == []


def test_no_module_of_the_floors_is_too_long_to_read_aloud(floor_files: list[Path]) -> None:
    """Blank lines do not count: they are what makes a page easy."""
    lengths = {path: sum(map(bool, path.read_text().splitlines())) for path in floor_files}
    assert {path: length for path, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_no_checker_is_silenced_in_the_floors(floor_files: list[Path]) -> None:
    silencer = re.compile(r"type:\s*ignore|pyright:\s*ignore|noqa|pragma:")
    assert {path: found for path in floor_files if (found := _comments_with(silencer, path))} == {}


def test_nothing_in_the_floors_is_left_unimplemented(floor_files: list[Path]) -> None:
    def unfinished(path: Path) -> list[int]:
        return [
            node.lineno
            for node in ast.walk(_tree(path))
            if isinstance(node, ast.Name) and node.id == "NotImplementedError"
        ]

    assert {path: lines for path in floor_files if (lines := unfinished(path))} == {}


def test_no_verdict_rests_on_the_intervals_of_mpmath(floor_files: list[Path]) -> None:
    """`mpmath.iv` returns intervals that miss the value; it is welcome in tests only."""
    assert {path: lines for path in floor_files if (lines := _uses_of_mpmath_iv(_tree(path)))} == {}


@pytest.mark.parametrize(
    "program",
    ["from mpmath import mp, iv", "import mpmath\nmpmath.iv.exp(1)", "import mpmath as m\nm.iv.dps = 9"],
)
def test_a_use_of_the_intervals_of_mpmath_is_seen(program: str) -> None:
    assert _uses_of_mpmath_iv(ast.parse(program)) != []


def test_a_silenced_checker_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "silenced.py"
    path.write_text('"""A docstring may say type: ignore."""\nx = 1  # type: ' + "ignore\n")
    assert _comments_with(re.compile(r"type:\s*ignore"), path) == [2]


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def _comments_with(pattern: re.Pattern[str], path: Path) -> list[int]:
    """The lines of a file whose comment matches."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
    return [token.start[0] for token in tokens if token.type == tokenize.COMMENT and pattern.search(token.string)]


def _uses_of_mpmath_iv(tree: ast.Module) -> list[int]:
    """The lines that reach for `iv`, by import or as an attribute of whatever mpmath is called there."""
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "mpmath"
    }
    imports = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").split(".")[0] == "mpmath"
        and "iv" in {alias.name for alias in node.names}
    ]
    attributes = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "iv"
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    ]
    return imports + attributes
