"""Cells: a finite partition of countably many outcomes on which several laws are proportional.

A likelihood ratio that is constant on a cell makes the cell as good as a single outcome: the hockey-stick divergence,
the total variation and every other f-divergence of two laws are those of the two vectors of cell masses. Two-sided
geometric laws, and what thresholds make of them, have such cells: between two breakpoints both are multiples of one
exponential. Where they are not, a short interval is divided into points, and a longer one is *irregular*: the cell then
carries the densities, which `exactdp.spec.divergence` compares by their sign runs.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from exactdp.spec.errors import NotClosed
from exactdp.spec.exponent import ONE, Unit
from exactdp.spec.number import Number
from exactdp.spec.piecewise import Interval, Piecewise, intervals_between
from exactdp.spec.template import Template
from exactdp.spec.terms import Terms

Density = list[tuple[Piecewise, ...]]
"""A function of several integers: a sum of products, one factor for each integer."""
Families = Mapping[Template, Density]
Exponents = tuple[tuple[int, Fraction], ...]
Box = tuple[Interval, ...]

POINTS_AT_MOST = 64
"""The finite sides of a box that is not a cell are divided into single points, up to this many."""


@dataclass(frozen=True)
class Cell:
    """One outcome (`template` None), or the outcomes of a template over a box of integers.

    `shape` gives each integer's degree and rate: on the box all laws are multiples of prod k^degree * e^(-rate*k*unit).
    """

    outcome: Hashable = None
    template: Template | None = None
    box: Box = ()
    shape: Exponents = ()
    unit: Unit = ONE

    @property
    def is_single(self) -> bool:
        """Whether the cell is one outcome."""
        return all(low is not None and low == high for low, high in self.box)

    @property
    def single(self) -> Hashable:
        """The outcome of a cell that is single."""
        return self.outcome if self.template is None else self.template.fill([k for k, _ in self.box if k is not None])

    def __str__(self) -> str:
        if self.template is None or self.is_single:
            return repr(self.single)
        names = ["k"] if self.template.holes == 1 else [f"k{i + 1}" for i in range(self.template.holes)]
        shown = repr(self.template)
        for name in names:
            shown = shown.replace("#", name, 1)
        return f"{shown} with {', '.join(map(_range_text, names, self.box))}"


def _range_text(name: str, interval: Interval) -> str:
    low, high = interval
    if low is None:
        return f"{name} any integer" if high is None else f"{name} <= {high}"
    if high is None:
        return f"{name} >= {low}"
    return f"{name} = {low}" if low == high else f"{low} <= {name} <= {high}"


@dataclass(frozen=True)
class Column:
    """A cell with each law's mass on it; `densities` (one integer, one per law) when the cell is irregular."""

    cell: Cell
    masses: list[Number]
    densities: list[Terms] | None = None


def columns(families: Sequence[Families]) -> Iterator[Column]:
    """The cells of all templates of several laws, each with the laws' masses on it.

    Raises `NotClosed` when several integers are released whose joint laws are not multiples of one another.
    """
    for template in dict.fromkeys(t for f in families for t in f):
        densities = [f.get(template, []) for f in families]
        for box in _boxes(densities, template.holes):
            yield from _divided(template, box, densities)


def same_density(one: Density, other: Density, holes: int) -> bool:
    """Whether two densities of some integers are equal everywhere."""
    todo = list(_boxes([one, other], holes))
    while todo:
        box = todo.pop()
        mine, theirs = _on_box(one, box), _on_box(other, box)
        if not mine.equals(theirs):
            parts = _finer(box)
            if not parts:
                return False
            todo += parts
    return True


def _boxes(densities: Sequence[Density], holes: int) -> Iterator[Box]:
    axes = []
    for axis in range(holes):
        cuts = {cut for density in densities for factors in density for cut in factors[axis].breakpoints()}
        axes.append(intervals_between(sorted(cuts)))
    return product(*axes)


class _Monomials:
    """A density on a box: coefficients by exponents."""

    def __init__(self, unit: Unit) -> None:
        self.by_shape: dict[Exponents, Number] = {}
        self.unit = unit

    def __bool__(self) -> bool:
        return bool(self.by_shape)

    def factor_of(self, other: "_Monomials") -> Number | None:
        """The c with self = c * other."""
        if self.by_shape.keys() != other.by_shape.keys() or not self._same_unit(other):
            return None
        first = next(iter(other.by_shape))
        factor = self.by_shape[first] / other.by_shape[first]
        return factor if all(c == factor * other.by_shape[k] for k, c in self.by_shape.items()) else None

    def _same_unit(self, other: "_Monomials") -> bool:
        return self.unit == other.unit or not any(rate for shape in self.by_shape for _, rate in shape)

    def equals(self, other: "_Monomials") -> bool:
        """Whether the coefficients are the same: on a box with an infinite side, whether the functions are."""
        return bool(self.by_shape == other.by_shape and (not self or self._same_unit(other)))

    def total(self, box: Box) -> Number:
        total: Number = Fraction(0)
        for shape, c in self.by_shape.items():
            term = c
            for key, (low, high) in zip(shape, box, strict=True):
                term = term * Terms({key: Fraction(1)}, self.unit).total(low, high)
            total = total + term
        return total

    def terms(self) -> Terms:
        """As a function of one integer."""
        return Terms({shape[0]: c for shape, c in self.by_shape.items()}, self.unit)


def _on_box(density: Density, box: Box) -> _Monomials:
    result = _Monomials(ONE)
    for factors in density:
        parts = [_on_interval(f, interval) for f, interval in zip(factors, box, strict=True)]
        for part in parts:
            result.unit = part.unit if any(r for _, r in part.coefficients) else result.unit
        for combination in product(*(part.coefficients.items() for part in parts)):
            shape = tuple(key for key, _ in combination)
            value: Number = Fraction(1)
            for _, c in combination:
                value = value * c
            result.by_shape[shape] = result.by_shape.get(shape, Fraction(0)) + value
    result.by_shape = {shape: c for shape, c in result.by_shape.items() if c}
    return result


def _on_interval(density: Piecewise, interval: Interval) -> Terms:
    """The density's terms there; at a single point its value, so that all densities are comparable."""
    low, high = interval
    terms = density.on(low, high)
    return Terms.constant(terms(low)) if low is not None and low == high else terms


def _divided(template: Template, box: Box, densities: Sequence[Density]) -> Iterator[Column]:
    laws = [_on_box(density, box) for density in densities]
    present = [law for law in laws if law]
    if not present:
        return
    reference = present[0]
    factors = [law.factor_of(reference) if law else Fraction(0) for law in laws]
    if all(factor is not None for factor in factors):
        mass = reference.total(box)
        shape = next(iter(reference.by_shape)) if len(reference.by_shape) == 1 else ()
        masses = [mass * factor for factor in factors if factor is not None]
        yield Column(Cell(None, template, box, shape, reference.unit), masses)
    elif parts := _finer(box):
        for part in parts:
            yield from _divided(template, part, densities)
    elif template.holes == 1:
        cell = Cell(None, template, box, (), reference.unit)
        yield Column(cell, [law.total(box) for law in laws], [law.terms() for law in laws])
    else:
        raise NotClosed(
            f"the outcomes {template!r} release several noisy integers whose joint laws are not multiples of one "
            "another; clamp the released integers to a finite range, or release fewer of them"
        )


def _finer(box: Box) -> list[Box]:
    """The box with its finite sides divided into single points; nothing when there are none, or too many."""
    sides: list[list[Interval]] = []
    count = 1
    for low, high in box:
        if low is None or high is None:
            sides.append([(low, high)])
        else:
            count *= high - low + 1
            sides.append([(k, k) for k in range(low, high + 1)] if count <= POINTS_AT_MOST else [(low, high)])
    parts = list(product(*sides))
    return parts if len(parts) > 1 else []
