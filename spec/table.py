"""Finite laws side by side, over one denominator: integers when all masses are rational, else polynomials in one t.

What is computed from such a table in sums, products and signs is exact for both; only a `Ring` tells them apart.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key, reduce
from math import gcd
from operator import sub
from typing import Any

from exactdp.spec.errors import InvalidArgument, SymbolicEpsilon
from exactdp.spec.exponent import Base
from exactdp.spec.law import Law
from exactdp.spec.number import Number, sign_of, vanishes
from exactdp.spec.vector import Exponentials, Rationals, Vector

Element = Any
"""A numerator: an int, or an integer polynomial of the exact numbers' own type."""


class Ring:
    """The integers: numerators of rational masses."""

    def gcd(self, a: Element, b: Element) -> Element:
        """A greatest common divisor."""
        return gcd(a, b)

    def sign(self, a: Element) -> int:
        """The sign of the value: -1, 0 or 1. Decided."""
        return int(a > 0) - int(a < 0)

    def compared(self, a: list[Element], b: list[Element]) -> tuple[list[Element], list[Element]]:
        """The lesser of each pair, and how much the other one is larger."""
        return list(map(min, a, b)), list(map(abs, map(sub, a, b)))

    def positive(self, entries: list[Element]) -> list[bool]:
        """Which of these values of at least 0 are above 0."""
        return list(map(bool, entries))

    def key(self, a: Element) -> Hashable:
        """A hashable value that only this element has."""
        return int(a)

    def vector(self, entries: list[Element], den: Element) -> Vector:
        """The numbers entries[i] / den."""
        return Rationals(entries, den)

    def lcm(self, a: Element, b: Element) -> Element:
        """A least common multiple."""
        return a // self.gcd(a, b) * b

    def number(self, a: Element, den: Element) -> Number:
        """The number a / den."""
        return self.vector([a], den)[0]


@dataclass(frozen=True)
class Polynomials(Ring):
    """Integer polynomials in t, the exponential of `base`: numerators of masses that are rational functions of t."""

    base: Base

    def gcd(self, a: Element, b: Element) -> Element:
        """A greatest common divisor."""
        return a.gcd(b)

    def sign(self, a: Element) -> int:
        """The sign of the value at t (see `exactdp.spec.number`)."""
        return sign_of(a, self.base)

    def compared(self, a: list[Element], b: list[Element]) -> tuple[list[Element], list[Element]]:
        """The lesser of each pair, and how much the other one is larger."""
        least = [x if self.sign(x - y) <= 0 else y for x, y in zip(a, b, strict=True)]
        return least, [x + y - 2 * low for x, y, low in zip(a, b, least, strict=True)]

    def positive(self, entries: list[Element]) -> list[bool]:
        """Which of these values of at least 0 are above 0; not every polynomial that vanishes at t is 0."""
        return [not vanishes(x, self.base) for x in entries]

    def key(self, a: Element) -> Hashable:
        """The coefficients."""
        return tuple(map(int, a.coeffs()))

    def vector(self, entries: list[Element], den: Element) -> Vector:
        """The numbers entries[i](t) / den(t)."""
        return Exponentials(entries, den, self.base)


class Table:
    """Law i gives `outcomes[y]` the mass columns[i][y] / den, with den > 0 and all numerators in `ring`.

    The outcomes are those of all the laws, so laws on different sets are welcome. Raises `InvalidArgument` for what is
    no law, for a countable law and for unresolved mass; `SymbolicEpsilon`; `MixedUnits`.
    """

    def __init__(self, laws: Sequence[Law]) -> None:
        for i, law in enumerate(laws):
            _must_be_known(law, f"laws[{i}]")
        self.outcomes, vectors = _on_one_set(laws)
        self.ring, parts = _over_one_ring(vectors)
        den = reduce(self.ring.lcm, [den for _, den in parts])
        self.den = den if self.ring.sign(den) > 0 else -den
        self.columns = [scaled(entries, self.den // den) for entries, den in parts]

    def levels(self, y: int) -> list[tuple[int, Element]]:
        """The masses at outcome y, the largest first and 0 left out, each with the laws that have it, as bits."""
        masses = [column[y] for column in self.columns]

        def order(i: int, j: int) -> int:
            return self.ring.sign(masses[j] - masses[i])

        levels: list[tuple[int, Element]] = []
        last = -1
        for i in sorted((i for i, mass in enumerate(masses) if self.ring.sign(mass)), key=cmp_to_key(order)):
            if levels and not order(last, i):
                levels[-1] = levels[-1][0] | 1 << i, levels[-1][1]
            else:
                levels.append((1 << i, masses[i]))
            last = i
        return levels


def _must_be_known(law: object, argument: str) -> None:
    if not isinstance(law, Law):
        raise InvalidArgument(argument, law, "a Law")
    if not law.is_finite:
        raise InvalidArgument(argument, law, "a finite law: the exact joint law is a table (use windowed for a part)")
    if law.unresolved:
        raise InvalidArgument(argument, str(law.unresolved), "a law without unresolved mass")


def _on_one_set(laws: Sequence[Law]) -> tuple[list[Hashable], list[Vector]]:
    """All outcomes, and each law's masses on them; laws with the same outcomes in the same order stay as they are."""
    first = laws[0].atoms
    if list(first.values()) == list(range(len(first))) and all(law.atoms == first for law in laws):
        return list(first), [law.masses for law in laws]
    outcomes: dict[Hashable, None] = {}
    for law in laws:
        outcomes.update(dict.fromkeys(law.atoms))
    return list(outcomes), [law.masses.picked(list(map(law.atoms.get, outcomes))) for law in laws]


def _over_one_ring(vectors: Sequence[Vector]) -> tuple[Ring, list[tuple[list[Element], Element]]]:
    bases = [v.base for v in vectors if isinstance(v, Exponentials)]
    if not bases:
        return Ring(), [(v.entries, v.den) for v in vectors if isinstance(v, Rationals)]
    base = reduce(Base.common, bases)
    if base.unit.symbolic:
        raise SymbolicEpsilon(
            "the joint law depends on which law has the larger mass at every outcome, and that on epsilon; "
            "give a value for epsilon"
        )
    return Polynomials(base), [(v.entries, v.den) for v in (vector.over(base) for vector in vectors)]


def scaled(entries: list[Element], factor: Element) -> list[Element]:
    """The entries times a factor."""
    return entries if factor == 1 else [factor * x for x in entries]
