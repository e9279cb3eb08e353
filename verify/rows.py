"""Pairs of laws in a table: floats with outward bounds, then integers of many bits, then exact numbers.

A table has thousands of finite laws over few cells, and its exact laws are made one by one, only where they are asked
for; so the answers about millions of pairs are exact and need few of them.

The error of a float expression: with u = 2^-53, every +, - and * gives the exact result times 1 + d, |d| <= u, unless
it underflows. An expression of numbers >= 0, with differences last and only where they are positive, in which at most n
roundings lie between any number and the result, is its exact value times a factor between 1 - n u and 1 + 2 n u, for
n u <= 1/2. `raised` and `lowered` undo that and their own rounding, by floats without error: for n <= 2^25

    x (1 + 2(n + 1)u)(1 - u) >= x / (1 - n u)   and   x (1 - 2(n + 1)u)(1 + u) <= x / (1 + 2 n u).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from exactdp.spec.cells import Cell
from exactdp.spec.divergence import Event
from exactdp.spec.enclosure import float_bounds, floor_scaled
from exactdp.spec.number import Number
from exactdp.spec.vector import Vector
from exactdp.verify.decide import Floats, Integers, PairDecider, Positions, positions_from
from exactdp.verify.universe import Progress, quiet

PAIRS_AT_ONCE, INTEGER_PAIRS_AT_ONCE = 1 << 15, 1 << 12
GUESSES_AT_MOST, HINT_BITS = 60, 20
"""Of a table of rows: pairs that floats treat at once, and the float steps towards epsilon*, which only propose."""


class Tiers(NamedTuple):
    """How many pairs were decided by floats, by being the same two laws as another pair, by integers, and exactly."""

    floats: int
    same: int
    integers: int
    exact: int


class Rows(ABC):
    """A table of finite laws over common cells, as floats, as integers of many bits, and exactly.

    Law i has on `cells[y]` (outcomes on which all laws are proportional) a mass between `low[y, i]` and `high[y, i]`.
    Both are 0 or at least `SMALLEST`^3, so that no product with a factor E >= 1 and no difference underflows.
    """

    cells: Sequence[tuple[Cell, ...]]
    low: Floats
    high: Floats
    bits: int

    @abstractmethod
    def integers(self, y: int, laws: Positions) -> tuple[Integers, Integers]:
        """Integers below and above 2^bits times the masses of these laws on cells[y]."""

    @abstractmethod
    def exact(self, i: int) -> Vector:
        """The masses of law i."""

    @abstractmethod
    def classes(self, laws: Positions) -> Positions:
        """Numbers of which two are equal only if the laws are."""


class RowDecider(PairDecider):
    """Ordered pairs (first[k], second[k]) of the laws of a table, reported by these positions; E >= 1.

    H_E is a sum of m differences p - E q, one for each of m cells where it is positive. Its lower bound takes p from
    below and E q from above, and the differences and their sum are m roundings; its upper bound the reverse. What
    floats leave open is looked at in integers, 2^bits to the unit, rounded down and up, and what these leave open
    exactly; of pairs of the same two laws only the first. `tiers` counts, for the last question that was asked.
    """

    def __init__(self, rows: Rows, first: Positions, second: Positions, progress: Progress = quiet) -> None:
        self.rows, self.first, self.second, self.size = rows, first, second, len(first)
        self.tiers = Tiers(self.size, 0, 0, 0)
        self._progress = progress

    def pair(self, k: int) -> tuple[int, int]:
        """The positions of both laws."""
        return int(self.first[k]), int(self.second[k])

    def _divergence_bounds(self, factor: Number) -> tuple[Floats, Floats]:
        least, most = self._times(factor)
        low, high = np.zeros(self.size), np.zeros(self.size)
        for block in chunks(self.size):
            a, b = self.first[block], self.second[block]
            for y in range(len(most)):
                low[block] += np.maximum(self.rows.low[y][a] - most[y][b], 0)
                high[block] += np.maximum(self.rows.high[y][a] - least[y][b], 0)
            self._progress(block.stop, self.size, "pairs")
        return lowered(low, len(most)), raised(high, len(most))

    def _times(self, factor: Number) -> tuple[Floats, Floats]:
        """Floats below and above factor times every mass."""
        below, above = float_bounds(factor)
        with np.errstate(over="ignore", invalid="ignore"):
            least, most = below * (1 - slack(1)) * self.rows.low, above * (1 + slack(1)) * self.rows.high
        return least, np.where(self.rows.high > 0, most, 0)

    def best_event(self, k: int, factor: Number) -> Event:
        """As in `PairDecider`."""
        p, q = (self.rows.exact(i) for i in self.pair(k))
        return self._event(p, q, [n for n, s in enumerate(p.minus(q, factor).signs()) if s > 0])

    def _impossible_event(self, k: int) -> Event:
        p, q = (self.rows.exact(i) for i in self.pair(k))
        return self._event(p, q, [n for n, s in enumerate(q.signs()) if s == 0 and not p.is_zero(n)])

    def _event(self, p: Vector, q: Vector, chosen: list[int]) -> Event:
        return Event(tuple(y for n in chosen for y in self.rows.cells[n]), p.total(chosen), q.total(chosen))

    def _start(self, delta: Number) -> tuple[int, Number] | None:
        """Newton's steps for all pairs at once, in floats without bounds: a proposal."""
        active, factor, best, target = np.arange(self.size, dtype=np.intp), 1.0, None, float_bounds(delta)[0]
        for _ in range(GUESSES_AT_MOST):
            p, q = self._event_masses(active, factor)
            still = p - factor * q > target
            if not still.any():
                break
            active, p, q = active[still], p[still], q[still]
            with np.errstate(divide="ignore"):
                steps = (p - target) / q
            best = int(active[steps.argmax()])
            if not steps.max() > factor or np.isinf(steps.max()):
                break
            factor = float(steps.max())
        hint = Fraction(int(factor * 2**HINT_BITS) - 1, 2**HINT_BITS) if factor < 2.0**HINT_BITS else Fraction(1)
        return None if best is None else (best, max(Fraction(1), hint))

    def _event_masses(self, pairs: Positions, factor: float) -> tuple[Floats, Floats]:
        """About P(S) and Q(S) for S = {p > factor * q}."""
        mine, theirs = np.zeros(len(pairs)), np.zeros(len(pairs))
        for block in chunks(len(pairs)):
            a, b = self.first[pairs[block]], self.second[pairs[block]]
            for row in self.rows.low:
                p, q = row[a], row[b]
                inside = p > factor * q
                mine[block] += p * inside
                theirs[block] += q * inside
        return mine, theirs

    def _contenders(self, candidates: Positions, factor: Number) -> Positions:
        different = self._distinct(candidates)
        low, high = self._integer_bounds(different, factor)
        return self._kept(candidates, different, different[positions_from(high, low.max())])

    def _doubtful(self, candidates: Positions, factor: Number, delta: Number) -> Positions:
        different, limit = self._distinct(candidates), floor_scaled(delta, self.rows.bits)
        return self._kept(candidates, different, different[self._integer_bounds(different, factor)[1] > limit])

    def _kept(self, candidates: Positions, different: Positions, kept: Positions) -> Positions:
        a, b, c = len(candidates), len(different), len(kept)
        self.tiers = Tiers(self.size - a, a - b, b - c, c)
        return kept

    def _distinct(self, pairs: Positions) -> Positions:
        """The first of all pairs of the same two laws."""
        laws = self.rows.classes(np.concatenate((self.first[pairs], self.second[pairs])))
        codes = laws[: len(pairs)] * (laws.max(initial=0) + 1) + laws[len(pairs) :]
        kept: Positions = pairs[np.sort(np.unique(codes, return_index=True)[1])]
        return kept

    def _integer_bounds(self, pairs: Positions, factor: Number) -> tuple[Integers, Integers]:
        """Integers below and above 2^bits * H_factor; where floats show that p <= E q, no integers are needed."""
        bits = self.rows.bits
        below, (low, high) = floor_scaled(factor, bits), np.zeros((2, len(pairs)), dtype=object)
        for y, theirs in enumerate(self._times(factor)[0]):
            open_ = np.flatnonzero(self.rows.high[y][self.first[pairs]] > theirs[self.second[pairs]])
            for block in chunks(len(open_), INTEGER_PAIRS_AT_ONCE):
                at = open_[block]
                both = np.concatenate((self.first[pairs[at]], self.second[pairs[at]]))
                laws, places = np.unique(both, return_inverse=True)
                (least, most), a, b = self.rows.integers(y, laws), places[: len(at)], places[len(at) :]
                low[at] += np.maximum(least[a] + (-(most * (below + 1)) >> bits)[b], 0)
                high[at] += np.maximum(most[a] - (least * below >> bits)[b], 0)
        return low, high


def chunks(size: int, step: int = PAIRS_AT_ONCE) -> Iterator[slice]:
    """All positions below `size`, so many at once that they stay in the cache."""
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def raised(values: Floats, roundings: int) -> Floats:
    """At least the exact value of a float expression of so many roundings; see the head of this module."""
    return values * (1 + slack(roundings))


def lowered(values: Floats, roundings: int) -> Floats:
    """At most the exact value of a float expression of so many roundings; see the head of this module."""
    return values * (1 - slack(roundings))


def slack(roundings: int) -> float:
    """2(n + 1)u, the relative error of n roundings and of one more."""
    return (roundings + 1) * 2.0**-52
