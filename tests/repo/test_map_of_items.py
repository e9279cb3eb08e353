"""The map from paper to code, both ways: items resolve, predicates have items, items have controls."""

import ast
import inspect
import types
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from exactdp.spec.claim import Claim
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.item import MODULES, PAPER, Item, item, items, register
from exactdp.verify.controls import controls
from exactdp.verify.families import family

EVERY_ITEM = pytest.mark.parametrize("one", items(), ids=lambda one: one.id)


@EVERY_ITEM
def test_an_item_is_found_by_its_id_and_says_what_it_is(one: Item) -> None:
    assert item(one.id) is one
    assert one.title
    assert one.section
    assert len(one.statement.splitlines()) > 1
    assert one.statement == one.statement.strip()


def test_items_come_in_the_order_of_the_paper() -> None:
    places = [PAPER.index(one.id) for one in items()]
    assert places == sorted(places)
    assert len(PAPER) == len(set(PAPER))


@EVERY_ITEM
def test_what_an_item_uses_is_built_or_announced(one: Item) -> None:
    assert set(one.uses) <= set(PAPER)


def test_items_do_not_use_one_another_in_a_circle() -> None:
    left = {one.id: set(one.uses) for one in items()}
    while ready := [name for name, uses in left.items() if not uses & set(left)]:
        for name in ready:
            del left[name]
    assert left == {}


def test_every_module_that_registers_items_is_read(root: Path) -> None:
    registering = {f"exactdp.spec.{path.stem}" for path in (root / "spec").glob("*.py") if _registers(path.read_text())}
    assert registering == set(MODULES)


@EVERY_ITEM
def test_the_predicates_of_an_item_are_public_and_documented(one: Item) -> None:
    assert one.predicates
    for predicate in one.predicates:
        assert not predicate.__name__.startswith("_")
        assert inspect.getdoc(predicate)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_of_a_module_with_items_belongs_to_one_item(module: str) -> None:
    owners = [predicate for one in items() for predicate in one.predicates]
    counts = {function.__name__: owners.count(function) for function in _public_functions(module)}
    assert counts
    assert counts == dict.fromkeys(counts, 1)


@EVERY_ITEM
def test_an_item_has_a_claim_at_its_central_step_and_a_refuted_control(one: Item) -> None:
    first: Iterator[Claim] = (claim for instance in family(one.id) for claim in one.claims(instance))
    assert any(claim.label.startswith(f"{one.central}:") for claim in first)
    assert any(control.refutation() is not None for control in controls(one.id))


def test_an_unknown_item_is_answered_with_the_known_ones_the_nearest_first() -> None:
    with pytest.raises(InvalidArgument) as caught:
        item("prop-2.44")
    assert caught.value.expected.startswith("one of prop-2.4, ")
    assert all(one.id in caught.value.expected for one in items())


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({}, "id"),
        ({"id": "def-9.9"}, "id"),
        ({"id": "def-0.0", "kind": "lemma"}, "kind"),
        ({"id": "def-0.0", "uses": ("def-2.9",)}, "uses of def-0.0"),
        ({"id": "def-0.0", "uses": ("def-0.0",)}, "uses of def-0.0"),
    ],
)
def test_a_second_a_foreign_or_a_dangling_item_is_refused(
    change: dict[str, Any], argument: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = items()
    monkeypatch.setattr("exactdp.spec.item.PAPER", (*PAPER, "def-0.0"))
    with pytest.raises(InvalidArgument) as caught:
        register(replace(item("def-2.1"), **change))
    assert caught.value.argument == argument
    assert items() == before


def test_a_public_function_without_an_item_is_seen() -> None:
    assert "register" in {function.__name__ for function in _public_functions("exactdp.spec.item")}
    assert _registers("from exactdp.spec.item import register\nregister(x)")
    assert not _registers("def register(x): ...")


def _public_functions(module: str) -> list[types.FunctionType]:
    """The functions that a module defines itself, under names without an underscore."""
    found = vars(import_module(module)).items()
    return [
        value
        for name, value in found
        if isinstance(value, types.FunctionType) and value.__module__ == module and not name.startswith("_")
    ]


def _registers(program: str) -> bool:
    calls = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id == "register" for call in calls)
