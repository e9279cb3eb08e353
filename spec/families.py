"""Families of outcomes: densities of the integers that fill a template's holes, their totals, supports and windows."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import count

from exactdp.spec.cells import Density, Families
from exactdp.spec.errors import NotClosed
from exactdp.spec.number import Number
from exactdp.spec.piecewise import Piecewise, total_of
from exactdp.spec.template import Template
from exactdp.spec.terms import sign

Atoms = dict[Hashable, Number]
"""Single outcomes with their masses."""


def separated(atoms: Mapping[Hashable, Number], families: Families) -> tuple[Atoms, dict[Template, Density]]:
    """Atoms apart from families: finitely many integers become atoms, and an atom that fills a template joins it."""
    free = dict(atoms)
    joined: dict[Template, Density] = {}
    for template, density in families.items():
        parts = [factors for factors in density if all(factors)]
        if all(None not in f.hull for factors in parts for f in factors):
            for factors in parts:
                for values, mass in _finite_values(factors):
                    outcome = template.fill(values)
                    free[outcome] = free.get(outcome, Fraction(0)) + mass
        else:
            _refuse_overlap(template, joined)
            joined[template] = list(parts)
    atoms_left, joined_all = _moved({y: mass for y, mass in free.items() if mass}, joined, list(joined))
    return atoms_left, {t: [(total_of(f for (f,) in d),)] if t.holes == 1 else d for t, d in joined_all.items()}


def aligned(parts: Sequence[tuple[Atoms, Families]]) -> list[tuple[Atoms, dict[Template, Density]]]:
    """Several laws' atoms and families, with every atom that fills a template of any of the laws in a family of it.

    Raises `NotClosed` when outcomes of two different templates coincide.
    """
    templates = list(dict.fromkeys(t for _, families in parts for t in families))
    for i, template in enumerate(templates):
        _refuse_overlap(template, templates[:i])
    return [_moved(atoms, families, templates) for atoms, families in parts]


def _moved(atoms: Atoms, families: Families, templates: Sequence[Template]) -> tuple[Atoms, dict[Template, Density]]:
    """Atoms that fill one of the templates become points of that template's density."""
    free = dict(atoms)
    joined = {template: list(density) for template, density in families.items()}
    for outcome, mass in atoms.items():
        for template in templates:
            filling = template.match(outcome)
            if filling is not None and mass:
                first, *rest = filling
                points = (Piecewise.point(first, mass), *(Piecewise.point(k, Fraction(1)) for k in rest))
                joined.setdefault(template, []).append(points)
                del free[outcome]
    return free, joined


def _refuse_overlap(template: Template, others: Iterable[Template]) -> None:
    for other in others:
        if template.overlaps(other):
            raise NotClosed(f"outcomes of two shapes coincide: {template!r} and {other!r}; tag them to keep them apart")


def _finite_values(factors: tuple[Piecewise, ...]) -> Iterator[tuple[tuple[int, ...], Number]]:
    if not factors:
        yield (), Fraction(1)
        return
    first, *rest = factors
    low, high = first.hull
    assert low is not None, "only finite families are spelled out"
    assert high is not None, "only finite families are spelled out"
    for k in range(low, high + 1):
        mass = first(k)
        if mass:
            for values, other in _finite_values(tuple(rest)):
                yield (k, *values), mass * other


def density_total(density: Density) -> Number:
    """The mass of a family."""
    return sum((product_of(f.total() for f in factors) for factors in density), start=Fraction(0))


def product_of(numbers: Iterable[Number]) -> Number:
    """The product of exact numbers."""
    start: Number = Fraction(1)
    return reduce(lambda a, b: a * b, numbers, start)


def family_support(template: Template, density: Density) -> Iterator[Hashable]:
    """Every outcome of a family, by growing cubes around 0."""
    for size in count():
        for values in _shell(template.holes, size):
            if any(all(f(k) for f, k in zip(factors, values, strict=True)) for factors in density):
                yield template.fill(values)


def _shell(dimension: int, size: int) -> Iterator[tuple[int, ...]]:
    """The integer points whose largest coordinate has absolute value `size`."""
    if dimension == 0:
        if size == 0:
            yield ()
        return
    for first in dict.fromkeys((size, -size)):
        for rest in _cube(dimension - 1, size):
            yield first, *rest
    for first in range(1 - size, size):
        for rest in _shell(dimension - 1, size):
            yield first, *rest


def _cube(dimension: int, size: int) -> Iterator[tuple[int, ...]]:
    if dimension == 0:
        yield ()
        return
    for first in range(-size, size + 1):
        for rest in _cube(dimension - 1, size):
            yield first, *rest


def window(template: Template, density: Density, tolerance: Number) -> Iterator[tuple[Hashable, Number]]:
    """Outcomes and masses of a family around its breakpoints, which leave at most `tolerance` outside."""
    whole = density_total(density)
    size = 1
    while True:
        inside = [tuple(_near(f, size) for f in factors) for factors in density]
        if sign(whole - density_total(inside) - tolerance) <= 0:
            break
        size *= 2
    for factors in inside:
        if all(factors):
            for values, mass in _finite_values(factors):
                yield template.fill(values), mass


def _near(density: Piecewise, size: int) -> Piecewise:
    """The density within `size` of its breakpoints."""
    cuts = density.breakpoints() or {0}
    return density.restricted(min(cuts) - size, max(cuts) + size)
