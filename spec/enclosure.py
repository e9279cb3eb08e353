"""Certified digits and bounds of exact numbers: floors, decimals, decimals of logarithms, and outward floats.

Each refines balls until the answer is the only one possible. That ends because the ties are excluded: a rational is
treated with integers, and an `Exact` is irrational, so it never sits on a boundary between two answers.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from math import floor, inf, log10, nextafter

from flint import arb, ctx, fmpq, fmpz

from exactdp.spec.errors import InvalidArgument, SymbolicEpsilon
from exactdp.spec.exponent import Base, Exponent
from exactdp.spec.number import FIRST_PRECISION, Exact, Number, exact, generator, is_power

DIGITS = 10
LARGEST_POWER_OF_TEN = 10**9
"""Decimals are given for numbers between 10^-this and 10^this."""


def floor_scaled(number: Number, bits: int) -> int:
    """The floor of number * 2^bits, exactly."""
    if isinstance(number, Fraction):
        return floor(number * Fraction(2) ** bits)
    return _unique_floor(lambda precision: number.ball(precision) * arb(2) ** bits, bits)


def decimal(number: Number, digits: int = DIGITS) -> str:
    """The number to `digits` significant digits, the last one rounded correctly; scientific far from 1.

    >>> decimal(Fraction(2, 3), 4), decimal(Fraction(1, 8)), decimal(Fraction(1, 10**9))
    ('0.6667', '0.125', '1e-9')
    """
    value = exact(number)
    if isinstance(value, Fraction):
        return _rational_decimal(value, digits)
    return _irrational_decimal(value.ball, digits)


def log_decimal(number: Number, digits: int = DIGITS) -> str:
    """The natural logarithm of a positive number, as `decimal`; exact where it is rational.

    >>> log_decimal(Fraction(3)), log_decimal(Fraction(1))
    ('1.098612289', '0')
    """
    value = exact(number)
    if value <= 0:
        raise InvalidArgument("number", str(value), "a positive number, to take its logarithm")
    exponent = log_if_rational(value)
    if exponent is not None:
        return decimal(exponent, digits)
    return _irrational_decimal(lambda precision: _ball(value, precision).log(), digits)


def log_if_rational(number: Number) -> Fraction | None:
    """The logarithm of 1 or of e^rational; None for all other numbers, whose logarithms are irrational (Lindemann)."""
    if isinstance(number, Fraction):
        return Fraction(0) if number == 1 else None
    if number.base.unit.symbolic:
        raise SymbolicEpsilon("epsilon stands for every positive number here, so this logarithm is not a number")
    powers = (number.num, number.den)
    if number.base.unit.base is not None or not all(is_power(p) and p.leading_coefficient() == 1 for p in powers):
        return None
    return number.base.rate * (number.den.degree() - number.num.degree())


def float_bounds(number: Number) -> tuple[float, float]:
    """Two floats with number strictly between them or equal to both, a few units in the last place apart."""
    number = exact(number)
    if isinstance(number, Fraction):
        try:
            middle = number.numerator / number.denominator
        except OverflowError:
            return (nextafter(inf, 0), inf) if number > 0 else (-inf, nextafter(-inf, 0))
        return (middle, middle) if middle == number else (nextafter(middle, -inf), nextafter(middle, inf))
    precision = 2 * FIRST_PRECISION
    while True:
        ball = number.ball(precision)
        if ball.rel_accuracy_bits() > FIRST_PRECISION:
            return floats_around(ball)
        precision *= 2


def sum_bounds(summands: Iterable[tuple[Number, int, Exponent]], precision: int = 2 * FIRST_PRECISION) -> arb:
    """A ball around the sum of c * m * e^x over the summands (c, m, x)."""
    with ctx.workprec(precision):
        total = arb(0)
        for c, m, x in summands:
            total += _ball(c, precision) * m * _power(x, precision)
        return total


def sign_if_clear(summands: Iterable[tuple[Number, int, Exponent]]) -> int | None:
    """The sign of the sum of c * m * e^x over the summands (c, m, x), if one look at balls shows it."""
    ball = sum_bounds(summands)
    return 1 if ball > 0 else -1 if ball < 0 else None


def floats_around(ball: arb) -> tuple[float, float]:
    """Floats below and above a ball."""
    return nextafter(float(ball.lower()), -inf), nextafter(float(ball.upper()), inf)


@lru_cache(maxsize=4096)
def _power(exponent: Exponent, precision: int) -> arb:
    if not exponent.coefficient:
        return arb(1)
    power = generator(Base(exponent.unit, abs(exponent.coefficient)), precision)
    return power if exponent.coefficient < 0 else 1 / power


def _ball(number: Number, precision: int) -> arb:
    if isinstance(number, Exact):
        return number.ball(precision)
    with ctx.workprec(precision):
        return arb(fmpq(number.numerator, number.denominator))


def _unique_floor(ball_at: Callable[[int], arb], bits: int) -> int:
    precision = FIRST_PRECISION + max(bits, 0)
    while True:
        with ctx.workprec(precision):
            whole = ball_at(precision).floor().unique_fmpz()
        if whole is not None:
            return int(whole)
        precision *= 2


def _rational_decimal(number: Fraction, digits: int) -> str:
    if number == 0:
        return "0"
    size = abs(number)
    exponent = floor((size.numerator.bit_length() - size.denominator.bit_length()) * log10(2)) - 1
    while size >= Fraction(10) ** (exponent + 1):
        exponent += 1
    return _layout(number < 0, round(size * Fraction(10) ** (digits - 1 - exponent)), exponent, digits)


def _irrational_decimal(ball_at: Callable[[int], arb], digits: int) -> str:
    precision = FIRST_PRECISION
    while True:
        with ctx.workprec(precision):
            ball = ball_at(precision)
            if ball.rel_accuracy_bits() > 4 * digits:
                size = abs(ball)
                exponent = floor(float((size.log() / arb(10).log()).mid()))
                if abs(exponent) > LARGEST_POWER_OF_TEN:
                    raise InvalidArgument("number", f"about 10^{exponent}", f"at most 10^{LARGEST_POWER_OF_TEN}")
                exponent += bool(size >= arb(10) ** (exponent + 1)) - bool(size < arb(10) ** exponent)
                scaled = size * arb(10) ** (digits - 1 - exponent)
                rounded = (scaled + arb(1) / 2).floor().unique_fmpz()
                if rounded is not None and rounded >= fmpz(10) ** (digits - 1):
                    return _layout(bool(ball < 0), int(rounded), exponent, digits)
        precision *= 2


def _layout(negative: bool, mantissa: int, exponent: int, digits: int) -> str:
    """mantissa * 10^(exponent - digits + 1), mantissa of `digits` digits or 10^digits or one short of them."""
    text = str(mantissa)
    exponent += len(text) - digits
    text = text.rstrip("0") or "0"
    sign = "-" if negative else ""
    if -5 <= exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{text}"
    if 0 <= exponent < max(digits, 6):
        whole, part = text[: exponent + 1].ljust(exponent + 1, "0"), text[exponent + 1 :]
        return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
    head = f"{text[0]}.{text[1:]}" if len(text) > 1 else text
    return f"{sign}{head}e{exponent}"
