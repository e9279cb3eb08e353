"""Families of outcomes: densities of the integers that fill a template's holes, their totals, supports and windows."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from itertools import count

from exactdp.spec.cells import Density
from exactdp.spec.errors import NotClosed
from exactdp.spec.number import Number
from exactdp.spec.piecewise import Piecewise, total_of
from exactdp.spec.template import Template
from exactdp.spec.terms import sign


def separated(
    atoms: Mapping[Hashable, Number], families: Mapping[Template, Density]
) -> tuple[dict[Hashable, Number], dict[Template, Density]]:
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
        elif any(template.overlaps(other) for other in joined):
            raise NotClosed(f"outcomes of two shapes coincide: {template!r} and another; tag them to keep them apart")
        else:
            joined[template] = list(parts)
    for outcome, mass in list(free.items()):
        for template, parts in joined.items():
            filling = template.match(outcome)
            if filling is not None and mass:
                first, *rest = filling
                parts.append((Piecewise.point(first, mass), *(Piecewise.point(k, Fraction(1)) for k in rest)))
                free[outcome] = Fraction(0)
    return {outcome: mass for outcome, mass in free.items() if mass}, {
        t: [(total_of(f for (f,) in d),)] if t.holes == 1 else d for t, d in joined.items()
    }


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
    """Outcomes and masses of a family inside a cube that leaves at most `tolerance` outside."""
    whole = density_total(density)
    size = 1
    while True:
        inside = [tuple(f.restricted(-size, size) for f in factors) for factors in density]
        if sign(whole - density_total(inside) - tolerance) <= 0:
            break
        size *= 2
    for factors in inside:
        if all(factors):
            for values, mass in _finite_values(factors):
                yield template.fill(values), mass
