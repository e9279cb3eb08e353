"""Certified ceilings of logarithms: the theorems' numbers of blocks and of runs, without a float.

Every size in the paper is the least integer n with n * rate >= factor * ln(x): rate is 1 or epsilon, the rest is exact.
The quotient factor * ln(x) / rate is enclosed by decimals of which all digits are certified, and once both ends have
the same ceiling that is the answer. If it is itself an integer n the ends never agree; then n is the only candidate
and e^(n rate) = x^factor is decided by exact comparison. Paper: T5.
"""

from fractions import Fraction
from math import ceil, floor

from exactdp.spec.enclosure import log_decimal
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import ONE, Epsilon
from exactdp.spec.number import Number, exact, exp

FIRST_DIGITS = 20


def least_integer_at_least_log(
    number: Number | int | str, factor: Fraction | int = 1, rate: Epsilon | Fraction | int | str = 1
) -> int:
    """The least integer n with n * rate >= factor * ln(number), for number >= 1, factor > 0 and rate > 0.

    The rate may be ln of a rational. Raises `InvalidArgument`, also when the rate stands for every positive number.

    >>> least_integer_at_least_log(20, 128), least_integer_at_least_log(8, rate="ln(2)")
    (384, 3)
    >>> least_integer_at_least_log(800, 8, "1/2"), least_integer_at_least_log(8, 128)
    (107, 267)
    """
    x, per = exact(number, "number"), Epsilon(rate)
    if not x >= 1:
        raise InvalidArgument("number", str(number), "a number of at least 1, so that its logarithm is not negative")
    if not factor > 0:
        raise InvalidArgument("factor", factor, "a positive rational")
    if per.unit.symbolic:
        raise InvalidArgument("epsilon", str(per), "one value: a size cannot be given for every epsilon at once")
    digits = FIRST_DIGITS
    while x != 1:
        low, high = _quotient(x, Fraction(factor), per, digits)
        if ceil(low) == ceil(high):
            return ceil(low)
        if floor(high) == ceil(low) and _is_equality(x, Fraction(factor), per, ceil(low)):
            return ceil(low)
        digits *= 2
    return 0


def _quotient(x: Number, factor: Fraction, rate: Epsilon, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds of factor * ln(x) / rate."""
    (low, high), (least, most) = _log_bounds(x, digits), _rate_bounds(rate, digits)
    return factor * low / most, factor * high / least


def _rate_bounds(rate: Epsilon, digits: int) -> tuple[Fraction, Fraction]:
    if rate.unit == ONE:
        return rate.coefficient, rate.coefficient
    assert rate.unit.base is not None, "a rate is a rational or a logarithm"
    low, high = _log_bounds(rate.unit.base, digits)
    return rate.coefficient * low, rate.coefficient * high


def _log_bounds(x: Number, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds of ln(x) > 0: the last digit is correctly rounded, so the relative error is below 10^(1 - digits)."""
    middle, error = Fraction(log_decimal(x, digits)), Fraction(1, 10 ** (digits - 1))
    return middle * (1 - error), middle * (1 + error)


def _is_equality(x: Number, factor: Fraction, rate: Epsilon, n: int) -> bool:
    """Whether e^(n rate) = x^factor. Numbers of far too many digits to be equal are told apart by their length."""
    power = n * factor.denominator
    if isinstance(x, Fraction):
        if rate.unit.base is None:
            return False
        shortest = power * rate.coefficient * (rate.unit.base.numerator.bit_length() - 1)
        if shortest > factor.numerator * x.numerator.bit_length():
            return False
    return bool(exp(rate * power) == x**factor.numerator)
