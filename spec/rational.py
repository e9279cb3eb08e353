"""Rationals at the door: what is let in, perfect powers and integer roots; integers alone."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from numbers import Rational

from exactdp.spec.errors import InvalidArgument


def rational(value: object, argument: str = "number") -> Fraction:
    """The rational number that `value` is: an int, a Fraction, or text such as "1/3", "0.1", "1e-6".

    A float is refused, because 0.1 is not one tenth; write "0.1" or Fraction(1, 10). Raises `InvalidArgument`.

    >>> rational("0.1")
    Fraction(1, 10)
    """
    if type(value) is Fraction:
        return value
    if type(value) is int:
        return Fraction(value)
    if isinstance(value, bool):
        raise InvalidArgument(argument, value, "a number, not a truth value")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        return _parsed(value.strip(), argument)
    if isinstance(value, float):
        raise InvalidArgument(argument, value, f"an exact number; for the decimal write the text '{value!r}'")
    raise InvalidArgument(argument, value, "an int, a Fraction, an exact number, or text such as '1/3' or '0.1'")


@contextmanager
def any_number_of_digits() -> Iterator[None]:
    """Lets integers of any size be written out; Python refuses beyond 4300 digits otherwise."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


LONGEST_TEXT, LARGEST_POWER_OF_TEN = 2_000, 5_000
"""Text beyond these is refused: it would be an accident, or take for ever."""


def _parsed(text: str, argument: str) -> Fraction:
    expected = "a number such as '1/3', '0.1' or '1e-6'"
    power = re.search(r"e([+-]?\d+)$", text, re.IGNORECASE)
    if len(text) > LONGEST_TEXT or (power and abs(int(power[1])) > LARGEST_POWER_OF_TEN):
        limits = f"within 1e{LARGEST_POWER_OF_TEN} and {LONGEST_TEXT} characters"
        raise InvalidArgument(argument, text, f"{expected}, {limits}")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidArgument(argument, text, expected) from None


def perfect_power(value: Fraction) -> tuple[Fraction, int]:
    """The root s and the largest m with s^m = value, for a rational value > 1; s itself is not a perfect power.

    >>> perfect_power(Fraction(729, 64)), perfect_power(Fraction(12))
    ((Fraction(3, 2), 6), (Fraction(12, 1), 1))
    """
    if value <= 1:
        raise InvalidArgument("value", value, "a rational above 1")
    for power in range(value.numerator.bit_length(), 1, -1):
        top, bottom = integer_root(value.numerator, power), integer_root(value.denominator, power)
        if top**power == value.numerator and bottom**power == value.denominator:
            return Fraction(top, bottom), power
    return value, 1


def integer_root(value: int, degree: int) -> int:
    """The floor of the degree-th root of a non-negative integer, by Newton's iteration from above.

    >>> integer_root(26, 3), integer_root(27, 3)
    (2, 3)
    """
    if value < 2:
        return value
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better
