"""Pending noise: an integer whose value is not fixed yet, and what an ordinary program may do with it.

A `Pending` is a linear form in unknown integers. Adding and scaling it costs nothing; comparing it branches the path
(`exactdp.reference.path`), with each branch narrowing what the unknowns may be. Everything that needs the value itself
(`int`, `%`, use as a key) branches over all values, which is exact when they are finitely many.
"""

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor, trunc
from numbers import Number
from operator import and_, floordiv, index, invert, lshift, mod, or_, rshift, truediv, xor
from types import FrameType
from typing import Any, Protocol

from exactdp.spec.errors import ExactDPError, InvalidArgument
from exactdp.spec.rational import rational

Plain = int | Fraction
"""A number as programs write it: an int wherever it is whole."""


class Decider(Protocol):
    """What a pending integer asks of the path it lives on."""

    def is_nonnegative(self, form: "Pending") -> bool:
        """Whether form >= 0 on this path; branches when both are possible."""
        ...

    def note(self, error: BaseException) -> None:
        """Remembers that this was raised on the path."""
        ...

    def same_path(self, form: "Pending") -> None:
        """Raises `NonDeterministic` when the form was drawn on another path."""
        ...

    def value_of(self, form: "Pending", purpose: str) -> "Plain":
        """The value of the form; branches over all of them."""
        ...


FRAMES_LOOKED_AT = 3
"""isinstance inside the module fractions asks directly or through an abstract base class."""


def _spelled_out(operation: Callable[..., Any], purpose: str) -> Callable[..., Any]:
    """A method that needs the value itself: it branches over all values and computes with each."""

    def method(self: "Pending", *others: object) -> Any:
        values = [x.path.value_of(x, purpose) if type(x) is Pending else x for x in others]
        return operation(self.path.value_of(self, purpose), *values)

    return method


def _reversed(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda right, left: operation(left, right)


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
            self.path.same_path(other)
            total = dict(self.coefficients)
            for v, c in other.coefficients.items():
                total[v] = plain(total.get(v, 0) + factor * c)
            offset = plain(self.offset + factor * other.offset)
            return Pending(self.path, {v: c for v, c in total.items() if c}, offset)
        offset = plain(self.offset + factor * self._operand(other, "summand of noise"))
        return Pending(self.path, self.coefficients, offset)

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
        factor = self._operand(other, "factor of noise")
        scaled = {v: plain(c * factor) for v, c in self.coefficients.items() if factor}
        return Pending(self.path, scaled, plain(self.offset * factor))

    __rmul__ = __mul__

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
        return self.path.is_nonnegative(-(self - other))

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Number):
            return False
        return self >= other and self <= other

    def __bool__(self) -> bool:
        return self != 0

    @property
    def __class__(self) -> type:
        """int, so that isinstance answers as when the program runs; but Fraction must leave the operation to us."""
        frame: FrameType | None = sys._getframe(1)
        for _ in range(FRAMES_LOOKED_AT):
            if frame is not None and frame.f_globals.get("__name__") == "fractions":
                return Pending
            frame = frame.f_back if frame is not None else None
        return int

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("noise has one class")

    @property
    def numerator(self) -> Plain:
        """The value, spelled out, as rational numbers are asked for it."""
        return self.path.value_of(self, "turned into an exact number").numerator

    @property
    def denominator(self) -> int:
        """The denominator of the value, spelled out."""
        return self.path.value_of(self, "turned into an exact number").denominator

    def __round__(self, digits: int | None = None) -> "Pending | Plain":
        if (digits is None or digits >= 0) and self._is_whole():
            return self
        return round(self.path.value_of(self, "an argument of round"), digits)

    def __trunc__(self) -> "Pending | Plain":
        return self if self._is_whole() else trunc(self.path.value_of(self, "an argument of trunc"))

    def __floor__(self) -> "Pending | Plain":
        return self if self._is_whole() else floor(self.path.value_of(self, "an argument of floor"))

    def __ceil__(self) -> "Pending | Plain":
        return self if self._is_whole() else ceil(self.path.value_of(self, "an argument of ceil"))

    def __getattr__(self, name: str) -> object:
        """What else an int has: asked of the value, spelled out. Raises AttributeError for what no int has."""
        if not hasattr(int, name):
            raise AttributeError(f"noise is an int, which has no attribute {name!r}")
        return getattr(self.path.value_of(self, f"asked for its {name}"), name)

    def _operand(self, value: object, argument: str) -> Plain:
        """A plain number that noise is combined with; a refusal counts even if the program catches it."""
        if type(value) is int:
            return value
        try:
            if isinstance(value, str | float):
                expected = "an int or a Fraction, such as Fraction(1, 2); start a maximum with its first value"
                raise InvalidArgument(argument, value, expected)
            return plain(rational(int(value) if isinstance(value, bool) else value, argument))
        except ExactDPError as error:
            self.path.note(error)
            raise

    def _is_whole(self) -> bool:
        return all(type(x) is int for x in (*self.coefficients.values(), self.offset))

    __hash__ = _spelled_out(hash, "a key of a set or dictionary")
    __int__ = _spelled_out(int, "turned into a plain int")
    __index__ = _spelled_out(index, "used as an index or a count")
    __float__ = _spelled_out(float, "turned into a float")
    __str__ = _spelled_out(str, "turned into text")
    __repr__ = _spelled_out(repr, "turned into text")
    __format__ = _spelled_out(format, "turned into text")
    __mod__ = _spelled_out(mod, "an operand of %")
    __floordiv__ = _spelled_out(floordiv, "an operand of //")
    __divmod__ = _spelled_out(divmod, "an operand of divmod")
    __pow__ = _spelled_out(pow, "an operand of **")
    __and__ = _spelled_out(and_, "an operand of &")
    __or__ = _spelled_out(or_, "an operand of |")
    __xor__ = _spelled_out(xor, "an operand of ^")
    __lshift__ = _spelled_out(lshift, "an operand of <<")
    __rshift__ = _spelled_out(rshift, "an operand of >>")
    __truediv__ = _spelled_out(truediv, "divided by /, which makes a float when the program runs; use // or a Fraction")
    __rmod__ = _spelled_out(_reversed(mod), "an operand of %")
    __rfloordiv__ = _spelled_out(_reversed(floordiv), "an operand of //")
    __rtruediv__ = _spelled_out(_reversed(truediv), "a divisor")
    __rdivmod__ = _spelled_out(_reversed(divmod), "an operand of divmod")
    __rand__ = _spelled_out(_reversed(and_), "an operand of &")
    __ror__ = _spelled_out(_reversed(or_), "an operand of |")
    __rxor__ = _spelled_out(_reversed(xor), "an operand of ^")
    __rlshift__ = _spelled_out(_reversed(lshift), "an operand of <<")
    __rrshift__ = _spelled_out(_reversed(rshift), "an operand of >>")
    __invert__ = _spelled_out(invert, "an operand of ~")
    __rpow__ = _spelled_out(_reversed(pow), "an exponent")


def plain(number: Plain) -> Plain:
    """The same number, as an int when it is whole."""
    return number if type(number) is int or number.denominator != 1 else number.numerator
