"""Decisions over all pairs of a universe: the exact worst delta at a factor E, and the exact least E at a delta.

Floats decide almost every pair, and only where they are certain: each mass has outward float bounds, each operation is
rounded outward, so the bounds on a divergence enclose it. Pairs that the bounds leave open are decided exactly. Both
procedures end: there are finitely many pairs, and each exact step is a decision (`exactdp.spec.number`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

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


class Decider:
    """The float bounds of all masses, and the exact decisions that they leave open."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.aligned = universe.aligned
        self.law_pairs = list(universe.law_pairs)
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

    def worst(self, factor: Number) -> Worst:
        """The maximum of H_factor over all ordered pairs of neighbours, exactly."""
        if not self.law_pairs:
            return Worst(Fraction(0), self.universe.pairs[0], Event((), Fraction(0), Fraction(0)))
        low, high = self._divergence_bounds(factor)
        best: tuple[Number, int, Event] | None = None
        floor = low.max()
        for k in np.lexsort((np.arange(len(low)), -high)):
            if high[k] < floor:
                break
            if best is not None and high[k] == 0:
                continue
            event = self._best_event(int(k), factor)
            value = event.excess(factor)
            if best is None or value > best[0] or (value == best[0] and k < best[1]):
                best = value, int(k), event
                floor = max(floor, float_bounds(value)[0])
        assert best is not None
        return Worst(best[0], self.universe.law_pairs[self.law_pairs[best[1]]], best[2])

    def exceeding(self, factor: Number, delta: Number) -> Iterator[tuple[tuple[int, int], Event]]:
        """The ordered pairs of laws with H_factor > delta, with their events, the surest first."""
        low, high = self._divergence_bounds(factor)
        limit = float_bounds(delta)[0]
        for k in np.lexsort((np.arange(len(low)), -low)):
            if high[k] > limit or (high[k] == limit and limit > 0):
                event = self._best_event(int(k), factor)
                if event.excess(factor) > delta:
                    yield self.law_pairs[k], event

    def least_factor(self, delta: Number) -> LeastFactor:
        """The least E >= 1 with H_E <= delta for all ordered pairs, exactly: e^(epsilon*) at delta.

        H_E of a pair is convex and decreasing in E, so Newton's steps from the left, E <- (P(S) - delta)/Q(S) with
        S = {p > E*q}, rise to its root; on finitely many cells S takes finitely many values and they reach it. E only
        rises, so no pair needs a second look once it is below delta, and the last look is at all of them.
        """
        found = LeastFactor(Fraction(1), self.universe.pairs[0], Event((), Fraction(0), Fraction(0)))
        if not self.law_pairs:
            return found
        start = self._steepest() if not delta else None
        if start is not None:
            found = self._raised(found, start, delta)
        while found.factor is not None:
            pair = next(self.exceeding(found.factor, delta), None)
            if pair is None:
                return found
            found = self._raised(found, pair[0], delta)
        return found

    def _raised(self, found: LeastFactor, laws: tuple[int, int], delta: Number) -> LeastFactor:
        """The least factor for one more pair."""
        pair = self.universe.law_pairs[laws]
        factor = found.factor
        assert factor is not None
        limits = self.aligned.limit_ratios(*laws) if not delta else []
        if None in limits:
            return LeastFactor(None, pair, self.aligned.best_event(*laws, factor), limit=True)
        highest = max((x for x in limits if x is not None), default=factor)
        event, approached = found.event, False
        if highest > factor:
            factor, approached = highest, True
            event = self.aligned.best_event(*laws, found.factor or Fraction(1))
        for _ in range(NEWTON_STEPS_AT_MOST):
            best = self.aligned.best_event(*laws, factor)
            if not best.excess(factor) > delta:
                moved = factor != found.factor
                return LeastFactor(factor, pair, event, approached) if moved else found
            if not best.q:
                return LeastFactor(None, pair, best)
            event, approached = best, False
            impossible = self.aligned.impossible_event(*laws)
            if impossible.p > delta:
                return LeastFactor(None, pair, impossible)
            factor = (best.p - delta) / best.q
        raise NotClosed("epsilon* is the limit of infinitely many breakpoints of a tail; clamp the released noise")

    def _best_event(self, k: int, factor: Number) -> Event:
        i, j = self.law_pairs[k]
        return self.aligned.best_event(i, j, factor)

    def _steepest(self) -> tuple[int, int] | None:
        """The pair with the largest ratio of masses by the floats, as a place to start."""
        best, at = 0.0, None
        for block in self._blocks():
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                ratios = self.low[self.first[block]] / self.high[self.second[block]]
            ratios[np.isnan(ratios)] = 0
            k = int(ratios.max(axis=1).argmax())
            if ratios[k].max() > best:
                best, at = float(ratios[k].max()), block.start + k
        return None if at is None else self.law_pairs[at]

    def _divergence_bounds(self, factor: Number) -> tuple[Floats, Floats]:
        """Floats below and above H_factor of every pair of laws."""
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
