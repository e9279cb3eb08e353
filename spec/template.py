"""Outcomes with holes: the shape of a family of outcomes, one for every way to fill the holes with integers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from numbers import Integral


class Hole:
    """The place of an integer in a pattern."""

    def __repr__(self) -> str:
        return "#"

    def __reduce__(self) -> str:
        return "HOLE"


HOLE = Hole()


@dataclass(frozen=True)
class Template:
    """A pattern of nested tuples in which HOLE stands for any integer; `INTEGER` is the pattern that is one hole.

    >>> Template(("noisy", HOLE)).match(("noisy", 7))
    (7,)
    """

    pattern: Hashable

    @cached_property
    def holes(self) -> int:
        """How many integers fill the pattern."""
        return _count(self.pattern)

    def fill(self, values: Sequence[int]) -> Hashable:
        """The outcome with the holes filled from left to right."""
        remaining = iter(values)

        def filled(pattern: Hashable) -> Hashable:
            if pattern is HOLE:
                return next(remaining)
            return rebuilt(pattern, [filled(p) for p in pattern]) if isinstance(pattern, tuple) else pattern

        return filled(self.pattern)

    def match(self, outcome: Hashable) -> tuple[int, ...] | None:
        """The integers that fill the pattern to the outcome, or None when no integers do."""
        values: list[int] = []
        return tuple(values) if _matches(self.pattern, outcome, values) else None

    def overlaps(self, other: "Template") -> bool:
        """Whether some outcome belongs to both templates."""
        return _unify(self.pattern, other.pattern)

    def __repr__(self) -> str:
        return repr(self.pattern)


INTEGER = Template(HOLE)


def rebuilt(original: tuple[object, ...], parts: Sequence[object]) -> tuple[object, ...]:
    """A tuple of the same type (named tuples stay named) from new parts."""
    make = getattr(type(original), "_make", None)
    return make(parts) if make is not None else tuple(parts)


def integer_of(outcome: object) -> int | None:
    """The integer that an outcome equals (True, 1.0 and Fraction(1) are the outcome 1), or None."""
    if isinstance(outcome, Integral):
        return int(outcome)
    if isinstance(outcome, float | Fraction) and isfinite(outcome) and outcome == int(outcome):
        return int(outcome)
    return None


def _count(pattern: Hashable) -> int:
    if pattern is HOLE:
        return 1
    return sum(map(_count, pattern)) if isinstance(pattern, tuple) else 0


def _matches(pattern: Hashable, outcome: Hashable, values: list[int]) -> bool:
    if pattern is HOLE:
        value = integer_of(outcome)
        if value is not None:
            values.append(value)
        return value is not None
    if isinstance(pattern, tuple) and isinstance(outcome, tuple) and len(pattern) == len(outcome):
        return all(_matches(p, o, values) for p, o in zip(pattern, outcome, strict=True))
    return pattern == outcome


def _unify(one: Hashable, two: Hashable) -> bool:
    if one is HOLE or two is HOLE:
        return all(side is HOLE or integer_of(side) is not None for side in (one, two))
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        return all(_unify(a, b) for a, b in zip(one, two, strict=True))
    return one == two
