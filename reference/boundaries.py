"""Cumulative masses by their exact floors: what inversion (`exactdp.reference.samplers`) compares random bits with.

Rational laws have them by integer division; geometric ones by certified integer brackets of e^(-rate), refined until
the floor is the only one possible, with the boundaries that are rational recognised exactly.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Protocol

from exactdp.spec.enclosure import floor_scaled, log_decimal
from exactdp.spec.exponent import Exponent
from exactdp.spec.number import Number, exp

Terms = tuple[tuple[int, int], ...]
"""An integer combination of powers of x: pairs of a coefficient and an exponent."""


class Boundaries(Protocol):
    """The cumulative masses B_0 <= B_1 <= ... of a law, by their exact floors."""

    @property
    def count(self) -> int | None:
        """How many there are; None for an infinite tail B_k < 1 that tends to 1."""
        ...

    def floor(self, k: int, bits: int) -> tuple[int, bool]:
        """The floor of 2^bits * B_k, and whether 2^bits * B_k is an integer."""
        ...


class RationalBoundaries:
    """Integer cumulative weights over one total."""

    def __init__(self, weights: Sequence[int]) -> None:
        self._sums = list(accumulate(weights))
        self._total = self._sums.pop()
        self.count = len(self._sums)

    def floor(self, k: int, bits: int) -> tuple[int, bool]:
        """As in `Boundaries`."""
        whole, rest = divmod(self._sums[k] << bits, self._total)
        return whole, not rest


class NumberBoundaries:
    """Cumulative sums of exact numbers that sum to 1; an `Exact` is irrational, so it is on no grid."""

    def __init__(self, masses: Sequence[Number]) -> None:
        self._sums: list[Number] = list(accumulate(masses, lambda a, b: a + b))[:-1]
        self.count = len(self._sums)

    def floor(self, k: int, bits: int) -> tuple[int, bool]:
        """As in `Boundaries`."""
        value = self._sums[k]
        exactly = isinstance(value, Fraction) and not (value.numerator << bits) % value.denominator
        return floor_scaled(value, bits), exactly


class PowerBoundaries(ABC):
    """Boundaries B_k = N_k(x)/D_k(x) < 1 for x = e^(-rate), N and D integer combinations of powers of x, D >
    0.

    Floors come from integer brackets of 2^p x^e, with p doubled until they agree. That ends: a B_k that is
    rational is recognised (see `_rational`) and divided out, and an irrational one is at a distance from
    every integer. B_k < 1 caps the floor at 2^bits - 1, so that e^(-10^30) is never computed to a relative
    precision.
    """

    def __init__(self, rate: Exponent, count: int | None, step: int = 1) -> None:
        self.rate = rate
        self.count = count
        self._step = step
        self._guard = 64 + int(1 / rate.coefficient).bit_length()
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    @abstractmethod
    def terms(self, k: int) -> tuple[Terms, Terms]:
        """The numerator N_k and the denominator D_k."""

    def floor(self, k: int, bits: int) -> tuple[int, bool]:
        """As in `Boundaries`."""
        top, bottom = self.terms(k)
        precision = bits + self._guard
        while True:
            (low, high), (least, most) = self._sum(top, precision), self._sum(bottom, precision)
            if least > 0:
                floor, rest = divmod(low << bits, most)
                if rest and floor == min((high << bits) // least, (1 << bits) - 1):
                    return floor, False
            if precision == bits + self._guard and (value := _rational(top, bottom, self.rate)) is not None:
                return floor_scaled(value, bits), not (value.numerator << bits) % value.denominator
            precision *= 2

    def forget(self) -> None:
        """Drop the remembered brackets."""
        self._known.clear()

    def _sum(self, terms: Terms, precision: int) -> tuple[int, int]:
        low = high = 0
        for coefficient, exponent in terms:
            small, large = self._power(exponent, precision)
            low += coefficient * (small if coefficient > 0 else large)
            high += coefficient * (large if coefficient > 0 else small)
        return low, high

    def _power(self, exponent: int, precision: int) -> tuple[int, int]:
        """Integers around 2^precision * x^exponent; by one product where the power a step before is known."""
        known, key = self._known, (exponent, precision)
        if key not in known:
            before, factor = known.get((exponent - self._step, precision)), known.get((self._step, precision))
            if before and factor:
                known[key] = before[0] * factor[0] >> precision, (before[1] * factor[1] >> precision) + 1
            else:
                known[key] = bracket(self.rate * exponent, precision)
        return known[key]


class DigitBoundaries(PowerBoundaries):
    """A geometric variable held below `size`: B_k = (1 - x^(k+1))/(1 - x^size) for k < size - 1."""

    def __init__(self, rate: Exponent, size: int) -> None:
        super().__init__(rate, size - 1)
        self._size = size

    def terms(self, k: int) -> tuple[Terms, Terms]:
        """As in `PowerBoundaries`."""
        return ((1, 0), (-1, k + 1)), ((1, 0), (-1, self._size))


class TailBoundaries(PowerBoundaries):
    """A geometric variable with ratio y = x^step: B_k = 1 - y^(k+1)."""

    def __init__(self, rate: Exponent, step: int) -> None:
        super().__init__(rate, None, step)

    def terms(self, k: int) -> tuple[Terms, Terms]:
        """As in `PowerBoundaries`."""
        return ((1, 0), (-1, (k + 1) * self._step)), ((1, 0),)


class SignedTailBoundaries(TailBoundaries):
    """A sign s and a geometric variable Q with ratio y = x^step, P(s = 1) = x/(1+x), in the order j = 2Q + s.

    The mass beyond j = 2q is y^q - (1-y) y^q/(1+x) = (x + y) y^q/(1+x), and beyond j = 2q + 1 it is y^(q+1).
    """

    def terms(self, k: int) -> tuple[Terms, Terms]:
        """As in `PowerBoundaries`."""
        if k % 2:
            return super().terms(k // 2)
        done = k // 2 * self._step
        return ((1, 0), (1, 1), (-1, done + 1), (-1, done + self._step)), ((1, 0), (1, 1))


def bracket(rate: Exponent, precision: int) -> tuple[int, int]:
    """Integers low and high with low <= 2^precision * e^(-rate) <= high, close together; rate >= 0.

    >>> from exactdp.spec.exponent import ONE
    >>> bracket(Exponent(Fraction(1), ONE), 10)
    (376, 377)
    """
    if rate.coefficient == 0:
        return 1 << precision, 1 << precision
    if rate.unit.base is None:
        floor = floor_scaled(exp(-rate.coefficient), precision)
        return floor, floor + 1
    least, most = _logarithm(rate.unit.base, precision // 3 + 8)
    low, high = (floor_scaled(exp(-rate.coefficient * log), precision) for log in (most, least))
    return low, high + 1


@lru_cache(maxsize=256)
def _logarithm(base: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Rationals around ln(base), from its certified decimal; so no root of high order is computed with."""
    middle = Fraction(log_decimal(base, digits))
    return middle * (1 - Fraction(10) ** (1 - digits)), middle * (1 + Fraction(10) ** (1 - digits))


def _rational(top: Terms, bottom: Terms, rate: Exponent) -> Fraction | None:
    """The value of N(x)/D(x) if it is rational: N and D are then proportional in independent coordinates."""
    over, under = _coordinates(top, rate), _coordinates(bottom, rate)
    pivot = next(key for key, weight in under.items() if weight)
    ratio = over.get(pivot, Fraction(0)) / under[pivot]
    proportional = all(over.get(key, 0) == ratio * under.get(key, 0) for key in over | under)
    return ratio if proportional else None


def _coordinates(terms: Terms, rate: Exponent) -> dict[Fraction, Fraction]:
    """The coefficients over powers that are linearly independent over the rationals.

    In unit 1 these are all e^(-q), q rational (Lindemann and Weierstrass). In unit ln(s), s no perfect power,
    they are the s^(-f) with 0 <= f < 1 (Capelli: x^b - 1/s is irreducible); the whole part of an exponent
    goes to the weight.
    """
    weights: dict[Fraction, Fraction] = {}
    for coefficient, exponent in terms:
        key, weight = rate.coefficient * exponent, Fraction(coefficient)
        if rate.unit.base is not None:
            whole = int(key)
            key, weight = key - whole, weight * rate.unit.base**-whole
        weights[key] = weights.get(key, Fraction(0)) + weight
    return weights
