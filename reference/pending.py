"""Pending noise: an integer whose value is not fixed yet, and what an ordinary program may do with it.

A `Pending` is a linear form in unknown integers. Adding and scaling it costs nothing; comparing it branches the path
(`exactdp.reference.path`), with each branch narrowing what the unknowns may be. Everything that needs the value itself
(`int`, `%`, use as a key) branches over all values, which is exact when they are finitely many.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.rational import rational

Plain = int | Fraction
"""A number as programs write it: an int wherever it is whole."""


class Decider(Protocol):
    """What a pending integer asks of the path it lives on."""

    def is_nonnegative(self, form: "Pending") -> bool:
        """Whether form >= 0 on this path; branches when both are possible."""

    def value_of(self, form: "Pending", purpose: str) -> "Plain":
        """The value of the form; branches over all of them."""


class Pending:
    """sum of coefficients[v] * K_v + offset, over the path's unknown integers K_v."""

    __slots__ = ("coefficients", "offset", "path")

    def __init__(self, path: Decider, coefficients: Mapping[int, Plain], offset: Plain) -> None:
        self.path = path
        self.coefficients = coefficients
        self.offset = offset

    def _plus(self, other: object, factor: int) -> "Pending":
        if type(other) is int:
            return Pending(self.path, self.coefficients, self.offset + factor * other)
        if isinstance(other, Pending):
            total = dict(self.coefficients)
            for v, c in other.coefficients.items():
                total[v] = total.get(v, 0) + factor * c
            return Pending(self.path, {v: c for v, c in total.items() if c}, self.offset + factor * other.offset)
        return Pending(self.path, self.coefficients, self.offset + factor * _operand(other, "summand of noise"))

    def __add__(self, other: object) -> "Pending":
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> "Pending":
        return self._plus(other, -1)

    def __rsub__(self, other: object) -> "Pending":
        return -self + other

    def __mul__(self, other: object) -> "Pending":
        if isinstance(other, Pending):
            return self * self.path.value_of(other, "a factor of other noise")
        factor = _operand(other, "factor of noise")
        scaled = {v: plain(c * factor) for v, c in self.coefficients.items() if factor}
        return Pending(self.path, scaled, plain(self.offset * factor))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "Pending":
        return self * (1 / Fraction(_operand(other, "divisor of noise")))

    def __neg__(self) -> "Pending":
        return Pending(self.path, {v: -c for v, c in self.coefficients.items()}, -self.offset)

    def __pos__(self) -> "Pending":
        return self

    def __abs__(self) -> "Pending":
        return self if self >= 0 else -self

    def __ge__(self, other: object) -> bool:
        return self.path.is_nonnegative(self - other)

    def __lt__(self, other: object) -> bool:
        return not self >= other

    def __le__(self, other: object) -> bool:
        return self.path.is_nonnegative(other - self)

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pending | int | Fraction | float):
            return False
        return self >= other and self <= other

    def __bool__(self) -> bool:
        return self != 0

    def __hash__(self) -> int:
        return hash(self.path.value_of(self, "a key of a set or dictionary"))

    def __int__(self) -> int:
        value = self.path.value_of(self, "a plain int")
        return int(value)

    def __index__(self) -> int:
        return self.__int__()

    def __floordiv__(self, other: int) -> int:
        return self.path.value_of(self, "the left side of //") // _operand(other, "divisor of noise")

    def __mod__(self, other: int) -> Plain:
        return plain(self.path.value_of(self, "the left side of %") % _operand(other, "divisor of noise"))

    def __round__(self, digits: int | None = None) -> "Pending | Plain":
        if all(type(x) is int for x in (*self.coefficients.values(), self.offset)):
            return self
        return round(self.path.value_of(self, "an argument of round"), digits)

    def __repr__(self) -> str:
        terms = [f"{'' if c == 1 else f'{c}*'}noise{v}" for v, c in self.coefficients.items()]
        return " + ".join([*terms, str(self.offset)] if self.offset or not terms else terms)


def plain(number: Plain) -> Plain:
    """The same number, as an int when it is whole."""
    return number if type(number) is int or number.denominator != 1 else number.numerator


def _operand(value: object, argument: str) -> Plain:
    if isinstance(value, str):
        raise InvalidArgument(argument, value, "a number")
    return plain(rational(value, argument))
