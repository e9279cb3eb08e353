"""Divergences between laws: total variation and hockey-stick, exact, with the event that attains them.

Laws are first laid side by side on common cells (`Aligned`); on finitely many of them a divergence is a finite sum. On
an irregular cell, an infinite interval on which two densities are not multiples of one another, the set where
p > E*q is a union of few intervals, found and summed in closed form.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

from exactdp.spec.cells import Cell, Column, Families, columns
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.families import Atoms, aligned
from exactdp.spec.law import UNRESOLVED, Bounds, Law
from exactdp.spec.number import Number, exact
from exactdp.spec.terms import Terms, sign
from exactdp.spec.vector import vector

CELLS_SHOWN = 12
"""An event is shown with so many of its parts."""


@dataclass(frozen=True)
class Event:
    """A set of outcomes with its probability `p` under one law and `q` under another."""

    cells: tuple[Cell, ...]
    p: Number
    q: Number

    def excess(self, factor: Number) -> Number:
        """p - factor * q."""
        return self.p - exact(factor, "factor") * self.q

    def __str__(self) -> str:
        shown = [str(cell) for cell in joined(self.cells)]
        more = [f"... and {len(shown) - CELLS_SHOWN} more"] if len(shown) > CELLS_SHOWN else []
        return "{" + "; ".join([*shown[:CELLS_SHOWN], *more]) + "}"


class Aligned:
    """Laws side by side: `vectors[i]` are law i's masses on `cells`; `irregular` gives densities by cell index."""

    def __init__(self, laws: Sequence[Law]) -> None:
        self.laws = list(laws)
        parts: list[tuple[Atoms, Families]] | None = None
        extra: list[Column] = []
        if any(law.families for law in self.laws):
            whole = [({y: law.masses[i] for y, i in law.atoms.items()}, law.families) for law in self.laws]
            parts = list(aligned(whole))
            extra = list(columns([families for _, families in parts]))
        atoms = [law.atoms for law in self.laws] if parts is None else [free for free, _ in parts]
        outcomes = dict.fromkeys(outcome for free in atoms for outcome in free)
        outcomes.pop(UNRESOLVED, None)
        self.cells = [Cell(outcome) for outcome in outcomes] + [column.cell for column in extra]
        self.unresolved = [law.unresolved for law in self.laws]
        self.irregular: dict[int, list[Terms]] = {
            len(outcomes) + i: column.densities for i, column in enumerate(extra) if column.densities is not None
        }
        if parts is None:
            self.vectors = [law.masses.picked([law.atoms.get(outcome) for outcome in outcomes]) for law in self.laws]
        else:
            self.vectors = [
                vector([*(free.get(y, Fraction(0)) for y in outcomes), *(column.masses[n] for column in extra)])
                for n, (free, _) in enumerate(parts)
            ]

    def best_event(self, i: int, j: int, factor: Number) -> Event:
        """The event S = {p > factor * q} of laws i and j, which maximises P(S) - factor * Q(S)."""
        p, q = self.vectors[i], self.vectors[j]
        signs = p.minus(q, factor).signs()
        chosen = [n for n, s in enumerate(signs) if s > 0 and n not in self.irregular]
        cells = [self.cells[n] for n in chosen]
        mass_p, mass_q = p.total(chosen), q.total(chosen)
        for n, densities in self.irregular.items():
            for interval, a, b in _positive_runs(self.cells[n], densities[i], densities[j], factor):
                cells.append(replace(self.cells[n], box=(interval,)))
                mass_p, mass_q = mass_p + a, mass_q + b
        return Event(tuple(cells), mass_p, mass_q)

    def impossible_event(self, i: int, j: int) -> Event:
        """The event of all outcomes that law i can give and law j cannot."""
        p, q = self.vectors[i], self.vectors[j]
        chosen = [n for n, s in enumerate(q.signs()) if s == 0 and not p.is_zero(n)]
        cells, mass = [self.cells[n] for n in chosen], p.total(chosen)
        for n, densities in self.irregular.items():
            if n not in chosen:
                for low, high, s in densities[j].sign_runs(*self.cells[n].box[0]):
                    if s == 0:
                        cells.append(replace(self.cells[n], box=((low, high),)))
                        mass = mass + densities[i].total(low, high)
        return Event(tuple(cells), mass, Fraction(0))

    def limit_ratios(self, i: int, j: int) -> list[Number | None]:
        """The limits of p/q at the infinite ends of irregular cells; None where the ratio grows beyond every bound."""
        limits = []
        for n, densities in self.irregular.items():
            low, high = self.cells[n].box[0]
            for up, infinite in ((False, low is None), (True, high is None)):
                if infinite and densities[i]:
                    limits.append(_limit_ratio(densities[i], densities[j], up=up))
        return limits


def joined(cells: Sequence[Cell]) -> list[Cell]:
    """The cells with adjacent boxes of one template made one, for people to read."""
    result = list(cells)
    for axis in range(max((len(cell.box) for cell in cells), default=0)):
        groups: dict[object, list[Cell]] = {}
        for n, cell in enumerate(result):
            fixed = len(cell.box) > axis
            key = (cell.template, cell.box[:axis], cell.box[axis + 1 :]) if fixed else n
            groups.setdefault(key, []).append(cell)
        result = [cell for group in groups.values() for cell in _chained(group, axis)]
    return result


def _chained(group: list[Cell], axis: int) -> list[Cell]:
    """Cells that differ on one axis only, ascending, with neighbouring intervals put together."""
    if len(group) < 2:
        return group
    group = sorted(group, key=lambda cell: -inf if (low := cell.box[axis][0]) is None else low)
    chain = [group[0]]
    for cell in group[1:]:
        (low, end), (start, high) = chain[-1].box[axis], cell.box[axis]
        if end is not None and end + 1 == start:
            box = (*cell.box[:axis], (low, high), *cell.box[axis + 1 :])
            chain[-1] = replace(chain[-1], box=box)
        else:
            chain.append(cell)
    return chain


def hockey_stick(p: Law, q: Law, factor: Number | int | str) -> Number | Bounds:
    """H_E(P || Q) = sum over y of max(0, P(y) - E*Q(y)) at E = `factor` >= 0: the least delta for (ln E, delta).

    Exact for finite laws and for countable ones in closed form; bounds when a law leaves mass UNRESOLVED.
    Paper: the privacy divergence of section 2. Raises `InvalidArgument` and `NotClosed`.

    >>> hockey_stick(Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"}), 2)
    Fraction(1, 4)
    """
    e = exact(factor, "factor")
    if sign(e) < 0:
        raise InvalidArgument("factor", factor, "a number of at least 0")
    return divergence_bounds(Aligned([p, q]), 0, 1, e)


def tv(p: Law, q: Law) -> Number | Bounds:
    """The total variation distance sup over events A of |P(A) - Q(A)| = H_1(P || Q).

    >>> tv(Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"}))
    Fraction(1, 2)
    """
    return hockey_stick(p, q, 1)


def divergence_bounds(laws: Aligned, i: int, j: int, factor: Number) -> Number | Bounds:
    """H_factor of laws i and j; when mass is unresolved, at worst it all falls on one side's favour."""
    known = laws.best_event(i, j, factor).excess(factor)
    mine, theirs = laws.unresolved[i], laws.unresolved[j]
    if not mine and not theirs:
        return known
    low = known - factor * theirs
    return Bounds(low if sign(low) > 0 else Fraction(0), known + mine)


def _positive_runs(
    cell: Cell, p: Terms, q: Terms, factor: Number
) -> list[tuple[tuple[int | None, int | None], Number, Number]]:
    difference = p + q.scaled(-factor)
    runs = difference.sign_runs(*cell.box[0])
    return [((low, high), p.total(low, high), q.total(low, high)) for low, high, s in runs if s > 0]


def _limit_ratio(p: Terms, q: Terms, *, up: bool) -> Number | None:
    if not q:
        return None
    mine, theirs = p.leading(up=up), q.leading(up=up)
    if mine == theirs:
        return p.coefficients[mine] / q.coefficients[theirs]
    decay = (mine[1] - theirs[1]) if up else (theirs[1] - mine[1])
    vanishing = decay > 0 or (decay == 0 and mine[0] < theirs[0])
    return Fraction(0) if vanishing else None
