"""Catching randomness outside `draw`: an enumerated mechanism must be a function of its data and its draws."""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from exactdp.spec.errors import NonDeterministic


def _refuse(*_: object) -> NoReturn:
    raise NonDeterministic("the mechanism reads the operating system's entropy; all randomness must come from `draw`")


@contextmanager
def only_draw() -> Iterator[None]:
    """Raises `NonDeterministic` when the body uses `random`, numpy's global generator or the system's entropy."""
    before, numpy_before = random.getstate(), _numpy_state()
    saved = [(module, name, getattr(module, name)) for module, name in ((os, "urandom"), (random, "_urandom"))]
    for module, name, _ in saved:
        setattr(module, name, _refuse)
    try:
        yield
    except NonDeterministic:
        _name_the_source(before, numpy_before)
        raise
    finally:
        for module, name, original in saved:
            setattr(module, name, original)
    _name_the_source(before, numpy_before)


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
