"""Exponential polynomials f(k) = sum of c * k^d * e^(-r*k) over a few (d, r), exactly, with their sums and signs.

Every probability that arises from two-sided geometric noise, thresholds and maxima is one of these on each of a few
intervals of the integer k. They are closed under sum, product, shift, and indefinite summation.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb

from exactdp.spec.enclosure import floats_around, sign_if_clear, sum_bounds
from exactdp.spec.errors import InvalidArgument, MixedUnits
from exactdp.spec.exponent import ONE, Exponent, Unit
from exactdp.spec.number import Exact, Number, exp

Key = tuple[int, Fraction]


class Terms:
    """The function k -> sum of coefficients[d, r] * k^d * e^(-r*k*unit), on the integers. No coefficient is 0."""

    __slots__ = ("coefficients", "unit")

    def __init__(self, coefficients: dict[Key, Number], unit: Unit = ONE) -> None:
        self.coefficients = {key: c for key, c in coefficients.items() if c}
        self.unit = unit

    @staticmethod
    def constant(value: Number) -> "Terms":
        """The function that is `value` everywhere."""
        return Terms({(0, Fraction(0)): value})

    def __bool__(self) -> bool:
        return bool(self.coefficients)

    def __call__(self, k: int) -> Number:
        """The value at k."""
        values = [c * k**d * self._power(r, k) for (d, r), c in self.coefficients.items()]
        return sum(values, start=Fraction(0))

    def sign_at(self, k: int) -> int:
        """The sign of f(k): by balls where they show it, else exactly."""
        if self.unit.symbolic:
            return sign(self(k))
        clear = sign_if_clear(self._summands(k))
        return sign(self(k)) if clear is None else clear

    def floats_at(self, k: int) -> tuple[float, float]:
        """Floats below and above f(k)."""
        return floats_around(sum_bounds(self._summands(k)))

    def _summands(self, k: int) -> list[tuple[Number, int, Exponent]]:
        return [(c, k**d, Exponent(-r * k, self.unit)) for (d, r), c in self.coefficients.items()]

    def __add__(self, other: "Terms") -> "Terms":
        total = dict(self.coefficients)
        for key, c in other.coefficients.items():
            total[key] = total.get(key, Fraction(0)) + c
        return Terms(total, self._common_unit(other))

    def __mul__(self, other: "Terms") -> "Terms":
        product: dict[Key, Number] = {}
        for (d, r), c in self.coefficients.items():
            for (e, s), b in other.coefficients.items():
                key = d + e, r + s
                product[key] = product.get(key, Fraction(0)) + c * b
        return Terms(product, self._common_unit(other))

    def scaled(self, factor: Number) -> "Terms":
        """factor * f."""
        return Terms({key: c * factor for key, c in self.coefficients.items()}, self.unit)

    def shifted(self, step: int) -> "Terms":
        """k -> f(k + step)."""
        moved: dict[Key, Number] = {}
        for (d, r), c in self.coefficients.items():
            outer = c * self._power(r, step)
            for i in range(d + 1):
                moved[i, r] = moved.get((i, r), Fraction(0)) + outer * (comb(d, i) * step ** (d - i))
        return Terms(moved, self.unit)

    def mirrored(self) -> "Terms":
        """k -> f(-k)."""
        return Terms({(d, -r): c * (-1) ** d for (d, r), c in self.coefficients.items()}, self.unit)

    def tilted(self, rate: Fraction, unit: Unit) -> "Terms":
        """k -> f(k) * e^(-rate*k)."""
        return self * Terms({(0, rate): Fraction(1)}, unit)

    def antidifference(self) -> "Terms":
        """F with F(k+1) - F(k) = f(k), with no constant of its own: it dies out wherever f does."""
        total = Terms({}, self.unit)
        for (d, r), c in self.coefficients.items():
            total = total + _antidifference(d, r, self.unit).scaled(c)
        return total

    def total(self, low: int | None, high: int | None) -> Number:
        """The sum of f over low <= k <= high; None is infinity, where f must be summable."""
        if (high is None and any(r <= 0 for _, r in self.coefficients)) or (
            low is None and any(r >= 0 for _, r in self.coefficients)
        ):
            raise InvalidArgument("interval", (low, high), "an interval on which the function is summable")
        indefinite = self.antidifference()
        top = Fraction(0) if high is None else indefinite(high + 1)
        return top - (Fraction(0) if low is None else indefinite(low))

    def leading(self, *, up: bool) -> Key:
        """The term that outgrows the others as k goes to +infinity (`up`) or to -infinity."""
        return min(self.coefficients, key=lambda key: (key[1] if up else -key[1], -key[0]))

    def final_sign(self, *, up: bool) -> int:
        """The sign of f(k) for all large k, or for all very negative k."""
        if not self:
            return 0
        key = self.leading(up=up)
        return sign(self.coefficients[key]) * (1 if up or key[0] % 2 == 0 else -1)

    def sign_runs(self, low: int | None, high: int | None) -> Iterator[tuple[int | None, int | None, int]]:
        """Maximal intervals (from, to, sign of f there) that cover low..high in order.

        Ends by induction on the number of terms: g(k) = f(k) * e^(r*k), of the same signs, has a difference with one
        term fewer; where the difference keeps its sign g is monotone, so it changes sign at most once, and where it
        changes is found by doubling and bisection, since the final signs are known.
        """
        last: tuple[int | None, int | None, int] | None = None
        for a, b, s in self._raw_runs(low, high):
            if last is not None and last[2] == s:
                last = (last[0], b, s)
                continue
            if last is not None:
                yield last
            last = (a, b, s)
        if last is not None:
            yield last

    def vanishes_on(self, low: int | None, high: int | None) -> bool:
        """Whether f is 0 at every integer of low..high."""
        return all(s == 0 for _, _, s in self.sign_runs(low, high))

    def _raw_runs(self, low: int | None, high: int | None) -> Iterator[tuple[int | None, int | None, int]]:
        if low is not None and low == high:
            yield low, high, self.sign_at(low)
            return
        if len(self.coefficients) <= 1 and all(d == 0 for d, _ in self.coefficients):
            yield low, high, self.final_sign(up=True)
            return
        rate = next(iter(self.coefficients))[1]
        level = self.tilted(-rate, self.unit)
        slope = level.shifted(1) + level.scaled(Fraction(-1))
        start = low
        for _, b, _ in slope.sign_runs(low, None if high is None else high - 1):
            end = high if b is None or b + 1 == high else b
            yield from level._monotone_runs(start, end)
            start = None if end is None else end + 1

    def _monotone_runs(self, low: int | None, high: int | None) -> Iterator[tuple[int | None, int | None, int]]:
        """The runs of a function that is monotone on low..high (and so has its zeros, if isolated, at one point)."""
        first = self.final_sign(up=False) if low is None else self.sign_at(low)
        last = self.final_sign(up=True) if high is None else self.sign_at(high)
        if first == last:
            yield low, high, first
            return
        left = low if low is not None else self._probe(high if high is not None else 0, -1, first)
        right = high if high is not None else self._probe(left, 1, last)
        while right - left > 1:
            middle = (left + right) // 2
            s = self.sign_at(middle)
            if s == first:
                left = middle
            elif s == last:
                right = middle
            else:
                yield low, middle - 1, first
                yield middle, middle, 0
                yield middle + 1, high, last
                return
        yield low, left, first
        yield right, high, last

    def _probe(self, start: int, direction: int, wanted: int) -> int:
        """A point on that side of `start` where the sign is the final one."""
        step = 1
        while self.sign_at(start + direction * step) != wanted:
            step *= 2
        return start + direction * step

    def _power(self, rate: Fraction, k: int) -> Number:
        return exp(Exponent(-rate * k, self.unit)) if rate and k else Fraction(1)

    def _common_unit(self, other: "Terms") -> Unit:
        if self.unit == other.unit or all(r == 0 for _, r in other.coefficients):
            return self.unit
        if all(r == 0 for _, r in self.coefficients):
            return other.unit
        raise MixedUnits(
            f"noise in units of {self.unit} and of {other.unit} cannot be combined exactly; "
            "give all noise scales in terms of epsilon, or choose a rational epsilon"
        )


def sign(number: Number) -> int:
    """-1, 0 or 1."""
    return number.sign() if isinstance(number, Exact) else (number > 0) - (number < 0)


@lru_cache(maxsize=1024)
def _antidifference(degree: int, rate: Fraction, unit: Unit) -> Terms:
    """F with F(k+1) - F(k) = k^degree * e^(-rate*k).

    Try F = (a * k^m + lower) * e^(-rate*k), with y = e^(-rate): the difference of the leading part is
    a * ((k+1)^m * y - k^m) * e^(-rate*k). For y != 1 take m = degree and a = 1/(y-1); for y = 1 the top powers cancel,
    so take m = degree + 1 and a = 1/m. What is left has a lower degree.
    """
    y = exp(Exponent(-rate, unit)) if rate else Fraction(1)
    m = degree if rate else degree + 1
    a = 1 / (y - 1) if rate else Fraction(1, m)
    result = Terms({(m, rate): a}, unit)
    for i in range(degree):
        rest = -a * y * comb(m, i)
        result = result + _antidifference(i, rate, unit).scaled(rest)
    return result
