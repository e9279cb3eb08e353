"""The minimum-distance estimator over the Yatracos sets of a finite class, and the distances that it compares.

    D(S, q) = max over A in Yat of |P_S(A) - q(A)|,     Delta_S(p) = max over A in Yat of |P_S(A) - p(A)|,

P_S the empirical law of the records S. The estimator returns the first law q of the class, in its order, with
D(S, q) <= min D + alpha/2. Paper: Theorem C.4 (Devroye and Lugosi), exactly its rule.

Exact: with masses over one denominator N and n records, n N D is an integer, and below 2^53 every float operation here
is exact. Otherwise floats decide where they are certain, within a bound of their error, and exact numbers elsewhere.
Only the atoms of the sets matter, so a class of countable laws does as well as one on a finite domain.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import floor, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactdp.reference.classes import LawClass
from exactdp.reference.learners import LAWS_REMEMBERED, Block, Learner, check_records
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exact
from exactdp.spec.yatracos import Atoms, atoms_of

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
"""A row for each block: how many of its records lie in each atom."""

EXACT_BELOW = 1 << 53
"""Integers below this are floats, and so are their sums and products below it."""
ALL_OF_THEM = Fraction(2)
"""With this slack or more every law is near enough, for distances are at most 1."""
ENTRIES_AT_ONCE = 1 << 22
"""How many deviations are held at once."""


class Distances(NamedTuple):
    """Distances in floats: the true one times `unit` is within `margin`; with margin 0 they are exact."""

    values: Floats
    unit: int
    margin: float


class EventMasses:
    """The masses q(A) of some laws on the atoms, for all sets A of a family; computed once."""

    def __init__(self, laws: Sequence[Law], events: NDArray[np.bool_]) -> None:
        self._rows = [[law[a] for a in range(events.shape[1])] for law in laws]
        self._events = events
        self._sides = events.T.astype(np.float64)
        denominators = [mass.denominator if isinstance(mass, Fraction) else 0 for row in self._rows for mass in row]
        self.denominator = lcm(*denominators)
        """The common denominator of all masses; 0 when one of them is irrational."""
        self._known: dict[tuple[int, int], Number] = {}

    def mass(self, row: int, event: int) -> Number:
        """q(A), exactly."""
        if (row, event) not in self._known:
            inside = np.flatnonzero(self._events[event]).tolist()
            self._known[row, event] = sum((self._rows[row][a] for a in inside), start=Fraction(0))
        return self._known[row, event]

    def distances(self, counts: Counts) -> Distances:
        """max over A of |P_S(A) - q(A)|: a row for each block, a column for each law. The blocks are equally long."""
        n = int(counts[0].sum())
        unit = n * self.denominator
        if 0 < unit < EXACT_BELOW:
            return Distances(self._furthest(counts, self.denominator, self._whole * n), unit, 0.0)
        return Distances(self._furthest(counts, 1 / n, self._rounded), 1, (len(self._sides) + 16) * 2.0**-49)

    def exact_distance(self, row: int, counts: Counts, floats: Distances) -> Number:
        """The same for one law and one block, as an exact number; `floats` are the distances of that block."""
        n = int(counts.sum())
        if not floats.margin:
            return Fraction(int(floats.values[0, row]), floats.unit)
        hits = (self._events @ counts).tolist()
        deviations = np.abs(np.asarray(hits) / n - self._rounded[row])
        near = np.flatnonzero(deviations >= deviations.max() - 2 * floats.margin).tolist()
        return max(_gap(Fraction(hits[e], n), self.mass(row, e)) for e in near)

    def exceeds(self, counts: Counts, limit: Number) -> NDArray[np.bool_]:
        """For every block, whether the distance of the first law is more than the limit; decided."""
        floats = self.distances(counts)
        values = floats.values[:, 0]
        if not floats.margin and isinstance(limit, Fraction):
            return values > max(-1, min(floor(limit * floats.unit), floats.unit))
        near, margin = float_bounds(limit)[0] * floats.unit, floats.margin + 2.0**-49 * floats.unit
        over = values > near
        for t in np.flatnonzero(np.abs(values - near) <= margin).tolist():
            one = Distances(floats.values[t : t + 1], floats.unit, floats.margin)
            over[t] = self.exact_distance(0, counts[t], one) > limit
        return over

    @cached_property
    def _whole(self) -> Floats:
        """N q(A), all of them integers."""
        whole = self.denominator
        rows = [[m.numerator * (whole // m.denominator) for m in row if isinstance(m, Fraction)] for row in self._rows]
        return np.array(rows, dtype=np.float64) @ self._sides

    @cached_property
    def _rounded(self) -> Floats:
        """q(A) within the margin: every mass is good to 2^-50, and so a sum of K of them to (K + 1) 2^-50."""
        return np.array([[float_bounds(mass)[0] for mass in row] for row in self._rows]) @ self._sides

    def _furthest(self, counts: Counts, factor: float, masses: Floats) -> Floats:
        """max over A of |factor * counts(A) - masses[q, A]|."""
        furthest = np.empty((len(counts), len(masses)))
        step = max(1, ENTRIES_AT_ONCE // self._sides.shape[1])
        for start in range(0, len(counts), step):
            hits = (counts[start : start + step].astype(np.float64) @ self._sides) * factor
            for row, mass in enumerate(masses):
                furthest[start : start + step, row] = np.abs(hits - mass).max(axis=1)
        return furthest


class YatracosTable:
    """The Yatracos sets of a class and the masses of its laws on them. Raises as `atoms_of`.

    >>> table = YatracosTable([Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"})])
    >>> table.distances((0, 0, 1)), table.deviation((0, 0, 1), Law({0: "1/2", 1: "1/2"}))
    ((Fraction(1, 12), Fraction(1, 6)), Fraction(1, 6))
    """

    def __init__(self, laws: Sequence[Law]) -> None:
        self.laws = tuple(laws)
        self.domain = laws.domain if isinstance(laws, LawClass) else None
        self.atoms: Atoms = atoms_of(self.laws)
        self.events = _distinct_events(np.array(self.atoms.orders).T)
        """Yat(Q), each set once, as truth values by atom."""
        self.masses = EventMasses(self.atoms.on_atoms, self.events)

    def counts(self, records: Block | Mapping[Hashable, int]) -> Counts:
        """How many records lie in each atom; records may be counted already.

        Raises `InvalidArgument` for no record, and for one outside the domain when the laws are a `LawClass`.
        """
        counted = records if isinstance(records, Mapping) else Counter(records)
        if self.domain is not None:
            check_records(Counter(counted), self.domain)
        found = np.zeros(len(self.atoms), dtype=np.int64)
        for record, number in counted.items():
            found[self.atoms.atom(record)] += number
        if not found.sum():
            raise InvalidArgument("block", records, "at least one record")
        return found

    def distances(self, records: Block | Mapping[Hashable, int]) -> tuple[Number, ...]:
        """D(S, q) for every law q of the class, exactly. Raises as `counts`."""
        counts = self.counts(records)
        floats = self.masses.distances(counts[None])
        return tuple(self.masses.exact_distance(i, counts, floats) for i in range(len(self.laws)))

    def deviation(self, records: Block | Mapping[Hashable, int], p: Law) -> Number:
        """Delta_S(p) = max over A in Yat of |P_S(A) - p(A)|, p of the class or any finite law. Raises as above."""
        counts, masses = self.counts(records), self.masses_of(p)
        return masses.exact_distance(0, counts, masses.distances(counts[None]))

    def masses_of(self, p: Law) -> EventMasses:
        """The masses p(A) of a law of the class or of any finite law."""
        return EventMasses([self.atoms.of(p)], self.events)

    def choices(self, counts: Counts, alpha: Number) -> NDArray[np.intp]:
        """For every block, all of them equally long, the first law with D(S, q) <= min D + alpha/2."""
        floats, alpha = self.masses.distances(counts), min(alpha, ALL_OF_THEM)
        beyond = floats.values - floats.values.min(axis=1, keepdims=True)
        if not floats.margin and isinstance(alpha, Fraction):
            return _first(beyond <= floor(alpha * floats.unit / 2))
        slack = float_bounds(alpha / 2)[0] * floats.unit
        margin = 4 * floats.margin + 2.0**-49 * floats.unit
        first = _first(beyond <= slack + margin)
        open_blocks = np.flatnonzero(beyond[np.arange(len(first)), first] > slack - margin)
        for t in open_blocks.tolist():
            one = Distances(floats.values[t : t + 1], floats.unit, floats.margin)
            first[t] = self._exact_choice(counts[t], one, beyond[t], (slack, margin), alpha)
        return first

    def _exact_choice(
        self, counts: Counts, floats: Distances, beyond: Floats, limits: tuple[float, float], alpha: Number
    ) -> int:
        """The choice by exact numbers, for the laws that floats leave open."""
        slack, margin = limits
        nearest = np.flatnonzero(beyond <= margin).tolist()
        least = min(self.masses.exact_distance(i, counts, floats) for i in nearest)
        for i in np.flatnonzero(beyond <= slack + margin).tolist():
            if beyond[i] <= slack - margin or self.masses.exact_distance(i, counts, floats) <= least + alpha / 2:
                return int(i)
        raise AssertionError("the nearest law is near enough")


@dataclass(frozen=True)
class MinimumDistance(Learner):
    """The minimum-distance estimator: a symmetric learner with its table and the slack alpha of its rule."""

    table: YatracosTable = field(kw_only=True, repr=False)
    alpha: Number = field(kw_only=True)


def minimum_distance(laws: Sequence[Law], alpha: Number | int | str) -> MinimumDistance:
    """The first law q of the class with D(S, q) <= min over q' of D(S, q') + alpha/2. Theorem C.4.

    Raises `InvalidArgument` unless alpha >= 0, and as `YatracosTable`; when it learns, for a block without records, and
    for a record outside the domain when the laws are a `LawClass`.

    >>> fair, biased = Law({0: "1/2", 1: "1/2"}), Law({0: "1/10", 1: "9/10"})
    >>> minimum_distance([fair, biased], "1/10")((1, 1, 1, 0)) == biased
    True
    """
    slack = exact(alpha, "alpha")
    if slack < 0:
        raise InvalidArgument("alpha", str(alpha), "a number of at least 0; the paper takes one in (0, 1)")
    table = YatracosTable(laws)

    @lru_cache(maxsize=LAWS_REMEMBERED)
    def nearest(counts: bytes) -> Law:
        return table.laws[int(table.choices(np.frombuffer(counts, dtype=np.int64)[None], slack)[0])]

    def learn(block: Block, seed: Hashable) -> Law:
        return nearest(table.counts(block).tobytes())

    return MinimumDistance(learn, f"minimum distance with slack {slack}", symmetric=True, table=table, alpha=slack)


def _gap(a: Fraction, b: Number) -> Number:
    """|a - b|."""
    return a - b if a > b else b - a


def _first(chosen: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The first column with a true value, in every row."""
    found: NDArray[np.intp] = np.argmax(chosen, axis=1)
    return found


def _distinct_events(ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The sets {atoms where law i ranks above law j}, each once, for ranks[law, atom]."""
    rows = [np.unique(np.packbits(rank > ranks, axis=1), axis=0) for rank in np.unique(ranks, axis=0)]
    packed = np.unique(np.concatenate(rows), axis=0)
    return np.unpackbits(packed, axis=1, count=ranks.shape[1]).astype(np.bool_)
