"""Catching randomness outside `draw`: an enumerated mechanism must be a function of its data and its draws."""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn
from unittest.mock import patch

from exactdp.spec.errors import NonDeterministic


@contextmanager
def only_draw() -> Iterator[None]:
    """Raises `NonDeterministic` when the body uses `random`, numpy's global generator or the system's entropy.

    What the body does with the refusal does not matter: it is raised again at the end.
    """
    before, numpy_before = random.getstate(), _numpy_state()
    refused: list[str] = []

    def refuse(*_: object) -> NoReturn:
        refused.append("the mechanism reads the operating system's entropy; all randomness must come from `draw`")
        raise NonDeterministic(refused[-1])

    seeded = random.Random.seed

    def seed(generator: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None:
            refuse()
        seeded(generator, a, version)

    sources: list[tuple[Any, str]] = [(os, "urandom"), (os, "getrandom"), (random, "_urandom")]
    with ExitStack() as patched:
        for owner, name in sources:
            if hasattr(owner, name):
                patched.enter_context(patch.object(owner, name, refuse))
        patched.enter_context(patch.object(random.Random, "seed", seed))
        try:
            yield
        except NonDeterministic:
            _name_the_source(before, numpy_before)
            raise
    _name_the_source(before, numpy_before)
    if refused:
        raise NonDeterministic(refused[0])


def _name_the_source(before: tuple[object, ...], numpy_before: object) -> None:
    if random.getstate() != before:
        random.setstate(before)
        raise NonDeterministic("the mechanism draws from the module `random`; all randomness must come from `draw`")
    if numpy_before is not None and _numpy_state() != numpy_before:
        raise NonDeterministic("the mechanism draws from numpy.random; all randomness must come from `draw`")


def _numpy_state() -> object:
    """What tells whether numpy's global generator moved, if numpy is loaded at all."""
    module = sys.modules.get("numpy.random")
    if module is None:
        return None
    state = module.get_state(legacy=False)
    return state["state"]["pos"], state["state"]["key"].tobytes(), state["has_gauss"]
