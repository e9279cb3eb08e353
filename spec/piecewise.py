"""Piecewise exponential polynomials: functions on the integers that are `Terms` on each of a few intervals.

They are the densities of noise laws and of everything that comparisons make of them, and they are closed under
restriction, shift, product, sum, tail sums and convolution.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from exactdp.spec.exponent import Exponent, Unit
from exactdp.spec.number import Exact, Number, decay
from exactdp.spec.terms import Terms

Bound = int | None
Interval = tuple[Bound, Bound]


def intersection(one: Interval, two: Interval) -> Interval | None:
    """The common part of two integer intervals (None is infinity), or None when it is empty."""
    lows = [x for x in (one[0], two[0]) if x is not None]
    highs = [x for x in (one[1], two[1]) if x is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    return None if low is not None and high is not None and low > high else (low, high)


@dataclass(frozen=True, slots=True)
class Piece:
    """`terms` on low..high, both included; None is infinity."""

    low: Bound
    high: Bound
    terms: Terms

    @property
    def interval(self) -> Interval:
        """(low, high)."""
        return self.low, self.high


class Piecewise:
    """A function on the integers, given by pieces in ascending order and 0 elsewhere."""

    __slots__ = ("pieces",)

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = tuple(_tidied(pieces))

    @staticmethod
    def point(k: int, value: Number) -> "Piecewise":
        """`value` at k, 0 elsewhere."""
        return Piecewise([Piece(k, k, Terms.constant(value))])

    def __bool__(self) -> bool:
        return bool(self.pieces)

    def __call__(self, k: int) -> Number:
        """The value at k."""
        for piece in self.pieces:
            if (piece.low is None or piece.low <= k) and (piece.high is None or k <= piece.high):
                return piece.terms(k)
        return Fraction(0)

    @property
    def hull(self) -> Interval:
        """The smallest interval outside which the function is 0; it must not be 0 everywhere."""
        return self.pieces[0].low, self.pieces[-1].high

    def mapped(self, change: Callable[[Terms], Terms]) -> "Piecewise":
        """The same pieces with `change` applied to their terms."""
        return Piecewise(Piece(p.low, p.high, change(p.terms)) for p in self.pieces)

    def scaled(self, factor: Number) -> "Piecewise":
        """factor * f."""
        return self.mapped(lambda terms: terms.scaled(factor))

    def restricted(self, low: Bound, high: Bound) -> "Piecewise":
        """f on low..high, 0 elsewhere."""
        parts = ((intersection(p.interval, (low, high)), p.terms) for p in self.pieces)
        return Piecewise(Piece(*interval, terms) for interval, terms in parts if interval is not None)

    def shifted(self, step: int) -> "Piecewise":
        """k -> f(k + step)."""
        return Piecewise(Piece(_plus(p.low, -step), _plus(p.high, -step), p.terms.shifted(step)) for p in self.pieces)

    def mirrored(self) -> "Piecewise":
        """k -> f(-k)."""
        return Piecewise(Piece(_negated(p.high), _negated(p.low), p.terms.mirrored()) for p in reversed(self.pieces))

    def __mul__(self, other: "Piecewise") -> "Piecewise":
        products = []
        for p in self.pieces:
            for q in other.pieces:
                common = intersection(p.interval, q.interval)
                if common is not None:
                    products.append(Piece(*common, p.terms * q.terms))
        return Piecewise(products)

    def __add__(self, other: "Piecewise") -> "Piecewise":
        return total_of([self, other])

    def __sub__(self, other: "Piecewise") -> "Piecewise":
        return total_of([self, other.scaled(Fraction(-1))])

    @property
    def size(self) -> int:
        """How many coefficients all terms have together: what arithmetic with the function costs."""
        numbers = [c for p in self.pieces for c in p.terms.coefficients.values()]
        return sum(c.size if isinstance(c, Exact) else 1 for c in numbers)

    def total(self) -> Number:
        """The sum over all integers."""
        return sum((p.terms.total(p.low, p.high) for p in self.pieces), start=Fraction(0))

    def tail(self) -> "Piecewise":
        """k -> the sum of f over all j >= k."""
        above: Number = Fraction(0)
        result: list[Piece] = []
        next_low: Bound = None
        for p in reversed(self.pieces):
            if p.high is not None and (not result or p.high + 1 != next_low):
                result.append(Piece(p.high + 1, None if not result else _plus(next_low, -1), Terms.constant(above)))
            indefinite = p.terms.antidifference()
            top = Fraction(0) if p.high is None else indefinite(p.high + 1)
            inside = Terms.constant(above + top) + indefinite.scaled(Fraction(-1))
            result.append(Piece(p.low, p.high, inside))
            next_low = p.low
            if p.low is not None:
                above = inside(p.low)
        if result and next_low is not None:
            result.append(Piece(None, next_low - 1, Terms.constant(above)))
        return Piecewise(reversed(result))

    def window(self, low: Bound, high: Bound) -> "Piecewise":
        """k -> the sum of f over k + low <= j <= k + high (None is infinity)."""
        if low is None:
            everything = Piecewise([Piece(None, None, Terms.constant(self.total()))])
            return everything if high is None else everything - self.tail().shifted(high + 1)
        tail = self.tail()
        above = tail.shifted(low)
        return above if high is None else above - tail.shifted(high + 1)

    def convolve(self, other: "Piecewise") -> "Piecewise":
        """v -> the sum over k of f(k) * g(v - k)."""
        return total_of(part for p in self.pieces for q in other.pieces for part in _convolved(p, q))

    def breakpoints(self) -> set[int]:
        """The integers at which a new piece, or a gap, begins."""
        lows = {p.low for p in self.pieces if p.low is not None}
        return lows | {p.high + 1 for p in self.pieces if p.high is not None}

    def on(self, low: Bound, high: Bound) -> Terms:
        """The terms on an interval that no breakpoint divides."""
        for p in self.pieces:
            if intersection(p.interval, (low, high)) is not None:
                return p.terms
        return Terms({})

    def sign_runs(self) -> Iterable[tuple[Bound, Bound, int, Terms]]:
        """The maximal intervals of constant sign inside each piece, with the piece's terms."""
        for p in self.pieces:
            for low, high, s in p.terms.sign_runs(p.low, p.high):
                yield low, high, s, p.terms

    def is_zero(self) -> bool:
        """Whether f is 0 at every integer."""
        return all(s == 0 for _, _, s, _ in self.sign_runs())


def total_of(functions: Iterable[Piecewise]) -> Piecewise:
    """The sum of several functions."""
    parts = [f for f in functions if f]
    cuts = sorted(set().union(*(f.breakpoints() for f in parts)))
    pieces = []
    for low, high in intervals_between(cuts):
        terms = Terms({})
        for f in parts:
            terms = terms + f.on(low, high)
        pieces.append(Piece(low, high, terms))
    return Piecewise(pieces)


def intervals_between(cuts: list[int]) -> list[Interval]:
    """The integers, divided so that an interval begins at each of the ascending cuts."""
    if not cuts:
        return [(None, None)]
    inner: list[Interval] = [(a, b - 1) for a, b in pairwise(cuts)]
    return [(None, cuts[0] - 1), *inner, (cuts[-1], None)]


def geometric_density(rate: Exponent) -> Piecewise:
    """(1 - x) * x^k on k >= 0, with x = e^(-rate)."""
    x = decay(rate, 1)
    return Piecewise([Piece(0, None, _exponential(1 - x, rate.coefficient, rate.unit))])


def two_sided_geometric_density(rate: Exponent) -> Piecewise:
    """(1 - x)/(1 + x) * x^|k| on all integers, with x = e^(-rate)."""
    x = decay(rate, 1)
    peak = (1 - x) / (1 + x)
    left = _exponential(peak, -rate.coefficient, rate.unit)
    return Piecewise([Piece(None, -1, left), Piece(0, None, _exponential(peak, rate.coefficient, rate.unit))])


def _exponential(factor: Number, rate: Fraction, unit: Unit) -> Terms:
    return Terms({(0, rate): factor}, unit)


def _convolved(p: Piece, q: Piece) -> list[Piecewise]:
    """One piece against another: the sum over k in p and v - k in q, by antidifferences at bounds that move with v."""
    cuts = {a + b for a in (p.low, p.high) if a is not None for b in (q.low, q.high) if b is not None}
    cuts |= {c + 1 for c in cuts}
    parts = []
    for v_low, v_high in intervals_between(sorted(cuts)):
        sample = v_high if v_high is not None else v_low if v_low is not None else 0
        first = _binding([(p.low, 0), (_minus(sample, q.high), 1)], upper=False)
        last = _binding([(p.high, 0), (_minus(sample, q.low), 1)], upper=True)
        if first is not None and last is not None and first[0] > last[0]:
            continue
        terms = Terms({})
        for (d, r), c in q.terms.coefficients.items():
            for i, weight in _binomial(d):
                inner = p.terms.tilted(-r, q.terms.unit) * Terms({(d - i, Fraction(0)): c * weight})
                outer = Terms({(i, r): Fraction(1)}, q.terms.unit)
                terms = terms + outer * _moving_sum(inner.antidifference(), first, last, sample)
        parts.append(Piecewise([Piece(v_low, v_high, terms)]))
    return parts


def _moving_sum(indefinite: Terms, first: tuple[int, int] | None, last: tuple[int, int] | None, sample: int) -> Terms:
    """F(last + 1) - F(first), each bound a constant (slope 0) or moving with v (slope 1), known at v = sample."""
    total = Terms({})
    for bound, step, factor in ((last, 1, Fraction(1)), (first, 0, Fraction(-1))):
        if bound is not None:
            at, slope = bound[0] + step, bound[1]
            value = indefinite.shifted(at - sample) if slope else Terms.constant(indefinite(at))
            total = total + value.scaled(factor)
    return total


def _binding(bounds: list[tuple[Bound, int]], *, upper: bool) -> tuple[int, int] | None:
    """The bound that binds (the least upper or the greatest lower one), with its slope in v."""
    finite = [(at, slope) for at, slope in bounds if at is not None]
    if not finite:
        return None
    return min(finite) if upper else max(finite)


def _binomial(degree: int) -> list[tuple[int, int]]:
    """(v - k)^d = sum of weight * v^i * k^(d-i)."""
    row = [1]
    for _ in range(degree):
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    return [(i, row[i] * (-1) ** (degree - i)) for i in range(degree + 1)]


def _tidied(pieces: Iterable[Piece]) -> Iterable[Piece]:
    """Without pieces that are 0; a single point is held as a constant."""
    for p in pieces:
        terms = p.terms
        if p.low is not None and p.low == p.high and any(d or r for d, r in terms.coefficients):
            terms = Terms.constant(terms(p.low))
        if terms:
            yield Piece(p.low, p.high, terms)


def _plus(bound: Bound, step: int) -> Bound:
    return None if bound is None else bound + step


def _minus(value: int, bound: Bound) -> Bound:
    return None if bound is None else value - bound


def _negated(bound: Bound) -> Bound:
    return None if bound is None else -bound
