"""The end of a path: the outcome of a program with pending noise in it, and the densities of what stays pending.

An integer of the outcome stays pending when it is one unknown, up to sign and shift, that no other integer of the
outcome depends on. Sums of unknowns that are used nowhere else are convolved first. Everything else is spelled out by
branching: exactly where comparisons have left finitely many values, within the window otherwise.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any

from exactdp.reference.elimination import Forest, Unknown
from exactdp.reference.path import Path, link_of
from exactdp.reference.pending import Pending, plain
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.number import Number
from exactdp.spec.piecewise import Piecewise
from exactdp.spec.template import HOLE, rebuilt


@dataclass
class Released:
    """An outcome with holes: (unknown, upright or mirrored, offset) fills each, and `forest` sums the rest out."""

    pattern: Hashable
    holes: list[tuple[int, bool, int]]
    forest: Forest


def release(path: Path, outcome: object) -> Released:
    """Takes the outcome of the program. Raises `InvalidArgument` when it is not hashable, and what branching raises."""
    pattern, forms = _Release(path).with_holes(outcome)
    try:
        hash(pattern)
    except TypeError:
        expected = "a hashable value, such as tuple(...) for a list or tuple(sorted(d.items())) for a dict"
        raise InvalidArgument("return value of the mechanism", pattern, expected) from None
    holes = [next(iter(form.coefficients.items())) for form in forms]
    offsets = [int(form.offset) for form in forms]
    forest = path.forest([root for root, _ in holes])
    return Released(pattern, [(root, c > 0, b) for (root, c), b in zip(holes, offsets, strict=True)], forest)


def densities(path: Path, released: Released) -> tuple[Number, list[Piecewise]]:
    """The path's mass apart from the holes, and the density of each hole's integer, all hidden noise summed out."""
    forest = released.forest
    roots = [root for root, _, _ in released.holes]
    densities = []
    for root, upright, offset in released.holes:
        density = forest.density(root)
        densities.append((density if upright else density.mirrored()).shifted(-offset))
    seen = {v for root in roots for v in forest.component(root)}
    hidden = []
    for v in range(len(path.unknowns)):
        if v not in seen:
            hidden.append(v)
            seen.update(forest.component(v))
    return prod(path.weights, start=forest.total(hidden)), densities


class _Release:
    """The outcome of one path, taken apart."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def with_holes(self, outcome: object) -> tuple[Hashable, list[Pending]]:
        """The outcome with HOLE for every released form that stays pending, and these forms."""
        forms: list[Pending] = []
        everywhere = [v for form in pending_in(outcome) for v in form.coefficients]

        def walk(part: object) -> Hashable:
            if isinstance(part, Pending):
                self.path.same_path(part)
                form = self._released(part, forms, everywhere)
                if form.coefficients:
                    forms.append(form)
                    return HOLE
                return form.offset
            if isinstance(part, frozenset):
                return frozenset(self._plain(member) for member in part)
            if isinstance(part, tuple):
                return rebuilt(part, [walk(p) for p in part])
            whole: Hashable = self._object(part)
            return whole

        return walk(outcome), forms

    def _object(self, part: Any) -> Any:
        """A dataclass with the values of its noise put in; anything else as it is."""
        if not is_dataclass(part) or isinstance(part, type) or not list(pending_in(part)):
            return part
        return replace(part, **{f.name: self._plain(getattr(part, f.name)) for f in fields(part) if f.init})

    def _plain(self, part: object) -> object:
        """A part in which no integer can stay pending, with their values."""
        if isinstance(part, Pending):
            return self.path.value_of(part, "inside a set or an object that is released")
        return rebuilt(part, [self._plain(p) for p in part]) if isinstance(part, tuple) else part

    def _released(self, form: Pending, earlier: list[Pending], everywhere: list[int]) -> Pending:
        """The form with at most one unknown, of coefficient 1 or -1, that no earlier hole shares; constants put in."""
        purpose = "part of the released outcome"
        form = self.path.substituted(form)
        for unknown in list(form.coefficients):
            if None not in self.path.constraints.range_of(unknown):
                form = self.path.put(form, unknown, purpose)
        if len(form.coefficients) == 2:
            form = self._spelled_out(form, purpose)
        if all(everywhere.count(unknown) == 1 for unknown in form.coefficients):
            form = self._convolved(form)
        while len(form.coefficients) > 1:
            form = self.path.put(form, min(form.coefficients), purpose)
        for unknown, c in list(form.coefficients.items()):
            linked = {v for f in earlier for v in self.path.forest([]).component(next(iter(f.coefficients)))}
            if unknown in linked:
                form = self.path.put(form, unknown, "behind two released values")
            elif abs(c) != 1 or type(form.offset) is not int:
                form = self.path.put(form, unknown, "released scaled or shifted by a fraction (rescale afterwards)")
        return form

    def _spelled_out(self, form: Pending, purpose: str) -> Pending:
        """A form of two unknowns that comparisons have bounded on both sides, by one branch for each value."""
        link, c = link_of(form)
        low, high = self.path.constraints.range_of_link(link)
        if low is None or high is None or abs(form.coefficients[link.second]) != abs(c):
            return form
        value = self.path.one_of(low, high, ("value", link), purpose)
        self.path.constraints.relate(link, (value, value))
        return Pending(self.path, {}, plain(form.offset + c * value))

    def _convolved(self, form: Pending) -> Pending:
        """A sum of free unknowns, all with coefficients 1 or -1, becomes one unknown with the convolved density."""
        linked = {v for link in self.path.constraints.links for v in (link.first, link.second)}
        free = all(abs(c) == 1 and v not in linked for v, c in form.coefficients.items())
        if len(form.coefficients) < 2 or not free:
            return form
        key: Hashable = "sum"
        density: Piecewise | None = None
        for unknown, c in form.coefficients.items():
            part = self.path.unknowns[unknown].density.restricted(*self.path.constraints.intervals[unknown])
            key = (key, self.path.unknowns[unknown].key, self.path.constraints.intervals[unknown], c)
            turned = part if c > 0 else part.mirrored()
            density = turned if density is None else self._remembered(key, density, turned)
            self.path.unknowns[unknown] = Unknown("spent", Piecewise.point(0, Fraction(1)))
            self.path.constraints.intervals[unknown] = (0, 0)
        assert density is not None
        return Pending(self.path, {self.path.add(Unknown(key, density)): 1}, form.offset)

    def _remembered(self, key: Hashable, one: Piecewise, two: Piecewise) -> Piecewise:
        return self.path.memo.densities[self.path.memo.number(key, lambda: one.convolve(two))]


def pending_in(outcome: object) -> Iterator[Pending]:
    """The pending integers in an outcome: in tuples, frozensets and dataclasses."""
    if isinstance(outcome, Pending):
        yield outcome
    elif isinstance(outcome, tuple | frozenset):
        for part in outcome:
            yield from pending_in(part)
    elif is_dataclass(outcome) and not isinstance(outcome, type):
        for f in fields(outcome):
            yield from pending_in(getattr(outcome, f.name))
