"""Decisions over all pairs of laws: the exact worst delta at a factor E, and the exact least E at a delta.

Floats decide almost every pair, and only where they are certain: each mass has outward float bounds, and so has each
divergence. Pairs that they leave open are decided exactly. Both procedures end: there are finitely many pairs, and each
exact step is a decision (`exactdp.spec.number`).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactdp.spec.divergence import Event
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import NotClosed
from exactdp.spec.number import Number
from exactdp.spec.piecewise import Interval
from exactdp.spec.terms import Terms
from exactdp.verify.universe import Universe

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Integers = NDArray[np.object_]

NOTHING = (0.0, 0.0)
POINTS_AT_LEAST, POINTS_AT_MOST, NEGLIGIBLE = 16, 512, 1e-10
"""How much of an irregular tail the filter looks at point by point: only speed depends on it."""

NEWTON_STEPS_AT_MOST = 1000
"""Far beyond what finitely many cells need; only a tail with infinitely many breakpoints could take more."""

CHUNK = 1 << 20
"""Entries of a block of pairs times cells that floats treat at once."""


@dataclass(frozen=True)
class Worst:
    """The largest divergence, with the ordered pair of datasets (positions) and the event that attain it."""

    delta: Number
    pair: tuple[int, int]
    event: Event


@dataclass(frozen=True)
class LeastFactor:
    """The least E >= 1 with H_E <= delta for all pairs; None when there is none. `event` shows why no less will do."""

    factor: Number | None
    pair: tuple[int, int]
    event: Event
    limit: bool = False
    """Whether an infinite answer, or the supremum, is only approached, along the event's tail."""


NO_EVENT = Event((), Fraction(0), Fraction(0))


class PairDecider(ABC):
    """Numbered ordered pairs of laws, with bounds on every divergence, and the exact event of any one pair.

    What is reported is `pair(k)`, two positions, and `nothing` when there are no pairs of different laws.
    """

    size: int
    nothing: tuple[int, int] = (0, 0)

    @abstractmethod
    def pair(self, k: int) -> tuple[int, int]:
        """What pair k is called."""

    @abstractmethod
    def _divergence_bounds(self, factor: Number) -> tuple[Floats, Floats]:
        """Floats below and above H_factor of every pair."""

    @abstractmethod
    def best_event(self, k: int, factor: Number) -> Event:
        """The event {p > factor * q} of pair k, exactly."""

    @abstractmethod
    def _impossible_event(self, k: int) -> Event:
        """The event of all outcomes that the first law of pair k can give and the second cannot."""

    def _limit_ratios(self, k: int) -> list[Number | None]:
        """The limits of p/q at infinite ends of pair k, None where they are infinite; finite laws have none."""
        return []

    def _start(self, delta: Number) -> tuple[int, Number] | None:
        """A pair, and a factor at which it may still exceed delta, to look for the least factor from; a guess."""
        return None

    def _contenders(self, candidates: Positions, factor: Number) -> Positions:
        """Of these pairs some that hold the maximum of H_factor, and the first of those that attain it."""
        return candidates

    def _doubtful(self, candidates: Positions, factor: Number, delta: Number) -> Positions:
        """Of these pairs those that may have H_factor > delta; one for all pairs of the same two laws is enough."""
        return candidates

    def worst(self, factor: Number) -> Worst:
        """The maximum of H_factor over all ordered pairs, exactly; if positive, at the first pair that attains it."""
        if not self.size:
            return Worst(Fraction(0), self.nothing, NO_EVENT)
        low, high = self._divergence_bounds(factor)
        floor = low.max()
        candidates = self._contenders(positions_from(high, floor), factor)
        best: tuple[Number, int, Event] | None = None
        for k in candidates[np.lexsort((candidates, -high[candidates]))]:
            if high[k] < floor:
                break
            if best is not None and high[k] == 0:
                continue
            event = self.best_event(int(k), factor)
            value = event.excess(factor)
            if best is None or value > best[0] or (value == best[0] and k < best[1]):
                best = value, int(k), event
                floor = max(floor, float_bounds(value)[0])
        assert best is not None
        return Worst(best[0], self.pair(best[1]), best[2])

    def exceeding_pairs(self, factor: Number, delta: Number) -> Iterator[tuple[int, Event]]:
        """The ordered pairs with H_factor > delta, with their events, the surest first."""
        if not self.size:
            return
        low, high = self._divergence_bounds(factor)
        limit = float_bounds(delta)[0]
        above = np.flatnonzero((high > limit) | ((high == limit) & (limit > 0)))
        candidates = self._doubtful(above, factor, delta)
        for k in candidates[np.lexsort((candidates, -low[candidates]))]:
            event = self.best_event(int(k), factor)
            if event.excess(factor) > delta:
                yield int(k), event

    def least_factor(self, delta: Number) -> LeastFactor:
        """The least E >= 1 with H_E <= delta for all ordered pairs, exactly: e^(epsilon*) at delta.

        H_E of a pair is convex and decreasing in E, so Newton's steps from the left, E <- (P(S) - delta)/Q(S) with
        S = {p > E*q}, rise to its root; on finitely many cells S takes finitely many values and they reach it. E only
        rises, so no pair needs a second look once it is below delta, and the last look is at all of them.
        """
        found = LeastFactor(Fraction(1), self.nothing, NO_EVENT)
        start = self._start(delta) if self.size else None
        if start is not None:
            found = self._raised(found, start[0], delta, start[1])
        while found.factor is not None:
            pair = next(self.exceeding_pairs(found.factor, delta), None)
            if pair is None:
                return found
            found = self._raised(found, pair[0], delta, found.factor)
        return found

    def _raised(self, found: LeastFactor, k: int, delta: Number, hint: Number) -> LeastFactor:
        """The least factor for one more pair; a hint at which the pair exceeds delta saves steps."""
        pair, factor = self.pair(k), found.factor
        assert factor is not None
        limits = self._limit_ratios(k) if not delta else []
        if None in limits:
            return LeastFactor(None, pair, self.best_event(k, factor), limit=True)
        highest = max((x for x in limits if x is not None), default=factor)
        event, approached = found.event, False
        if highest > factor:
            event = self.best_event(k, factor)
            factor, approached = highest, True
        elif hint > factor and self.best_event(k, hint).excess(hint) > delta:
            factor = hint
        for _ in range(NEWTON_STEPS_AT_MOST):
            best = self.best_event(k, factor)
            if not best.excess(factor) > delta:
                moved = factor != found.factor
                return LeastFactor(factor, pair, event, approached) if moved else found
            if not best.q:
                return LeastFactor(None, pair, best)
            event, approached = best, False
            impossible = self._impossible_event(k)
            if impossible.p > delta:
                return LeastFactor(None, pair, impossible)
            factor = (best.p - delta) / best.q
        raise NotClosed("epsilon* is the limit of infinitely many breakpoints of a tail; clamp the released noise")


class Decider(PairDecider):
    """The pairs of a universe: the float bounds of all masses, and the exact decisions that they leave open."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.aligned = universe.aligned
        self.law_pairs = list(universe.law_pairs)
        self.size, self.nothing = len(self.law_pairs), universe.pairs[0]
        self.first, self.second = (np.array([p[s] for p in self.law_pairs], dtype=np.intp) for s in (0, 1))
        self.low, self.high, self.whole = self._filter_columns()

    def _filter_columns(self) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Bounds of every law's mass on the columns that the filter compares, and which of them count as a whole.

        A regular cell is one column. An irregular one has a column for each of its first points and, as a whole, one
        for what lies beyond: of that the filter knows only that its divergence is at most the first law's mass. Exact
        decisions take the cell as it is.
        """
        regular = [n for n in range(len(self.aligned.cells)) if n not in self.aligned.irregular]
        bounds: dict[Number, tuple[float, float]] = {}
        rows = [
            [bounds_of(v[n], bounds) if not v.is_zero(n) else NOTHING for n in regular] for v in self.aligned.vectors
        ]
        whole = [False] * len(regular)
        for n, densities in self.aligned.irregular.items():
            points, rest = first_points(self.aligned.cells[n].box[0], densities)
            whole += [False] * len(points) + [True] * len(rest)
            for row, terms in zip(rows, densities, strict=True):
                row += [terms.floats_at(k) if terms else NOTHING for k in points]
                row += [(0.0, float_bounds(terms.total(*side))[1]) if terms else NOTHING for side in rest]
        table = np.array(rows, dtype=np.float64).reshape(len(rows), -1, 2)
        return np.maximum(table[:, :, 0], 0), table[:, :, 1], np.array(whole, dtype=bool)

    def pair(self, k: int) -> tuple[int, int]:
        """The pair of datasets, the first of those that have these two laws."""
        return self.universe.law_pairs[self.law_pairs[k]]

    def best_event(self, k: int, factor: Number) -> Event:
        """As in `PairDecider`."""
        return self.aligned.best_event(*self.law_pairs[k], factor)

    def _impossible_event(self, k: int) -> Event:
        return self.aligned.impossible_event(*self.law_pairs[k])

    def _limit_ratios(self, k: int) -> list[Number | None]:
        return self.aligned.limit_ratios(*self.law_pairs[k])

    def exceeding(self, factor: Number, delta: Number) -> Iterator[tuple[tuple[int, int], Event]]:
        """The ordered pairs of laws with H_factor > delta, with their events, the surest first."""
        return ((self.law_pairs[k], event) for k, event in self.exceeding_pairs(factor, delta))

    def _start(self, delta: Number) -> tuple[int, Number] | None:
        """At delta = 0 the pair with the largest ratio of masses."""
        steepest = self._steepest() if not delta else None
        return None if steepest is None else (steepest, Fraction(1))

    def _steepest(self) -> int | None:
        """The pair with the largest ratio of masses by the floats, as a place to start."""
        best, at = 0.0, None
        for block in self._blocks():
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                ratios = self.low[self.first[block]] / self.high[self.second[block]]
            ratios[np.isnan(ratios)] = 0
            k = int(ratios.max(axis=1).argmax())
            if ratios[k].max() > best:
                best, at = float(ratios[k].max()), block.start + k
        return at

    def _divergence_bounds(self, factor: Number) -> tuple[Floats, Floats]:
        below, above = float_bounds(factor)
        low, high = np.empty(len(self.law_pairs)), np.empty(len(self.law_pairs))
        with np.errstate(invalid="ignore", over="ignore"):
            self._fill_bounds(low, high, below, above)
        return low, high

    def _fill_bounds(self, low: Floats, high: Floats, below: float, above: float) -> None:
        for block in self._blocks():
            a, b = self.first[block], self.second[block]
            theirs, mine = self.high[b], self.low[b]
            least = down(self.low[a] - np.where(theirs > 0, np.nextafter(above * theirs, np.inf), 0))
            most = up(self.high[a] - np.where(mine > 0, np.maximum(np.nextafter(below * mine, -np.inf), 0), 0))
            most[:, self.whole] = self.high[a][:, self.whole]
            terms = self.low.shape[1] + 2
            low[block] = np.maximum(least, 0).sum(axis=1) * (1 - terms * 2.0**-52)
            high[block] = np.where(most > 0, most, 0).sum(axis=1) * (1 + terms * 2.0**-52)

    def _blocks(self) -> Iterator[slice]:
        step = max(1, CHUNK // max(1, self.low.shape[1]))
        for start in range(0, len(self.law_pairs), step):
            yield slice(start, min(start + step, len(self.law_pairs)))


def first_points(side: Interval, densities: list[Terms]) -> tuple[list[int], list[Interval]]:
    """The first points of an infinite interval, until little lies beyond, and the intervals that are left."""
    low, high = side
    if low is None and high is None:
        return [], [side]
    count = POINTS_AT_LEAST
    while True:
        points = [low + i if low is not None else (high or 0) - i for i in range(count)]
        rest: Interval = (points[-1] + 1, None) if low is not None else (None, points[-1] - 1)
        left = max(float_bounds(terms.total(*rest))[1] for terms in densities if terms)
        if left < NEGLIGIBLE or count >= POINTS_AT_MOST:
            return points, [rest]
        count *= 2


def bounds_of(number: Number, known: dict[Number, tuple[float, float]]) -> tuple[float, float]:
    """The float bounds of a positive number, remembered."""
    if number not in known:
        low, high = float_bounds(number)
        known[number] = max(low, 0.0), high
    return known[number]


def up(values: Floats) -> Floats:
    """The next floats above: at least the true difference of two floats; a difference of 0 is exact."""
    return np.where(values == 0, values, np.nextafter(values, np.inf))


def down(values: Floats) -> Floats:
    """The next floats below: at most the true difference of two floats; a difference of 0 is exact."""
    return np.where(values == 0, values, np.nextafter(values, -np.inf))


def positions_from(high: NDArray[Any], floor: float) -> Positions:
    """Where upper bounds reach a floor >= 0 and are positive; the first position if they are positive nowhere."""
    found = np.flatnonzero((high >= floor) & (high > 0))
    return found if len(found) else np.zeros(1, dtype=np.intp)
