"""Catching hidden randomness: an enumerated mechanism or learner must be a function of what it is given."""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn
from unittest.mock import patch

from exactdp.spec.errors import NonDeterministic


@contextmanager
def only_draw(who: str = "the mechanism", source: str = "`draw`") -> Iterator[None]:
    """Raises `NonDeterministic` when the body uses `random`, numpy's global generator or the system's entropy.

    What the body does with the refusal does not matter: it is raised again at the end. The message says `who` did it,
    and that all randomness must come from `source`.
    """
    must = f"all randomness must come from {source}"
    before, numpy_before = random.getstate(), _numpy_state()
    refused: list[str] = []

    def refuse(*_: object) -> NoReturn:
        refused.append(f"{who} reads the operating system's entropy; {must}")
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
            _name_the_source(before, numpy_before, who, must)
            raise
    _name_the_source(before, numpy_before, who, must)
    if refused:
        raise NonDeterministic(refused[0])


def _name_the_source(before: tuple[object, ...], numpy_before: object, who: str, must: str) -> None:
    if random.getstate() != before:
        random.setstate(before)
        raise NonDeterministic(f"{who} draws from the module `random`; {must}")
    if numpy_before is not None and _numpy_state() != numpy_before:
        raise NonDeterministic(f"{who} draws from numpy.random; {must}")


def _numpy_state() -> object:
    """What tells whether numpy's global generator moved, if numpy is loaded at all."""
    module = sys.modules.get("numpy.random")
    if module is None:
        return None
    state = module.get_state(legacy=False)
    return state["state"]["pos"], state["state"]["key"].tobytes(), state["has_gauss"]
