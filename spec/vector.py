"""Vectors of exact numbers over one common denominator: what laws are made of.

Rational vectors hold Python integers, exponential ones integer polynomials in one t = e^(-rate); sums, differences,
signs and convolutions then need no greatest common divisor. Numbers come out one by one, in lowest terms.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from flint import fmpz_poly

from exactdp.spec.exponent import Base
from exactdp.spec.number import Exact, Number, make, rebase, sign_of


class Vector(ABC):
    """A vector of exact numbers; made by `vector`."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, index: int) -> Number: ...

    @abstractmethod
    def total(self, indices: Iterable[int] | None = None) -> Number:
        """The sum of all entries, or of those at `indices`."""

    @abstractmethod
    def signs(self) -> list[int]:
        """The sign of every entry: -1, 0 or 1. Decided (see `exactdp.spec.number`)."""

    @abstractmethod
    def is_zero(self, index: int) -> bool:
        """Whether an entry is identically 0."""

    @abstractmethod
    def picked(self, indices: Sequence[int | None]) -> "Vector":
        """The entries at the given indices; 0 where there is None."""

    @abstractmethod
    def over(self, base: Base) -> "Exponentials":
        """The same numbers as polynomials in a base's exponential, of which their own is a power."""

    def minus(self, other: "Vector", factor: Number) -> "Vector":
        """self - factor * other, entry by entry."""
        if isinstance(self, Rationals) and isinstance(other, Rationals) and isinstance(factor, Fraction):
            return self.minus_rational(other, factor)
        bases = [v.base for v in (self, other) if isinstance(v, Exponentials)]
        base = _common_base([*bases, factor.base] if isinstance(factor, Exact) else bases)
        num, den = _fraction_over(factor, base)
        left, right = self.over(base), other.over(base)
        mine, theirs = left.den, right.den * den
        common = mine.gcd(theirs)
        a, b = theirs // common, num * (mine // common)
        entries = [a * x - b * y for x, y in zip(left.entries, right.entries, strict=True)]
        return Exponentials(entries, mine * a, base)


class Rationals(Vector):
    """The rational numbers entries[i] / den."""

    __slots__ = ("den", "entries")

    def __init__(self, entries: list[int], den: int) -> None:
        self.entries = entries
        self.den = den

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int) -> Fraction:
        return Fraction(self.entries[index], self.den)

    def total(self, indices: Iterable[int] | None = None) -> Fraction:
        """The sum of all entries, or of those at `indices`."""
        chosen = self.entries if indices is None else (self.entries[i] for i in indices)
        return Fraction(sum(chosen), self.den)

    def signs(self) -> list[int]:
        """The sign of every entry."""
        return [(x > 0) - (x < 0) for x in self.entries]

    def is_zero(self, index: int) -> bool:
        """Whether an entry is 0."""
        return not self.entries[index]

    def picked(self, indices: Sequence[int | None]) -> "Rationals":
        """The entries at the given indices; 0 where there is None."""
        return Rationals([0 if i is None else self.entries[i] for i in indices], self.den)

    def over(self, base: Base) -> "Exponentials":
        """The same numbers as constant polynomials."""
        return Exponentials([fmpz_poly([x]) for x in self.entries], fmpz_poly([self.den]), base)

    def minus_rational(self, other: "Rationals", factor: Fraction) -> "Rationals":
        """self - factor * other, in integers."""
        mine, theirs = self.den, other.den * factor.denominator
        common = gcd(mine, theirs)
        a, b = theirs // common, factor.numerator * (mine // common)
        return Rationals([a * x - b * y for x, y in zip(self.entries, other.entries, strict=True)], mine * a)

    def convolve(self, other: "Rationals") -> "Rationals":
        """The coefficients of the product of both vectors, read as polynomials."""
        product = fmpz_poly(self.entries) * fmpz_poly(other.entries)
        entries = [int(c) for c in product.coeffs()]
        return Rationals(entries + [0] * (len(self) + len(other) - 1 - len(entries)), self.den * other.den)


class Exponentials(Vector):
    """The numbers entries[i](t) / den(t), t the exponential of `base`."""

    __slots__ = ("base", "den", "entries")

    def __init__(self, entries: list[fmpz_poly], den: fmpz_poly, base: Base) -> None:
        self.entries = entries
        self.den = den
        self.base = base

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int) -> Number:
        return make(self.entries[index], self.den, self.base)

    def total(self, indices: Iterable[int] | None = None) -> Number:
        """The sum of all entries, or of those at `indices`."""
        chosen = self.entries if indices is None else (self.entries[i] for i in indices)
        return make(sum(chosen, start=fmpz_poly([])), self.den, self.base)

    def signs(self) -> list[int]:
        """The sign of every entry."""
        outer = sign_of(self.den, self.base)
        return [outer * sign_of(x, self.base) for x in self.entries]

    def is_zero(self, index: int) -> bool:
        """Whether an entry is the polynomial 0."""
        return not self.entries[index]

    def picked(self, indices: Sequence[int | None]) -> "Exponentials":
        """The entries at the given indices; 0 where there is None."""
        zero = fmpz_poly([])
        return Exponentials([zero if i is None else self.entries[i] for i in indices], self.den, self.base)

    def over(self, base: Base) -> "Exponentials":
        """The same numbers in a finer exponential."""
        if self.base == base:
            return self
        entries = [rebase(x, self.base, base) for x in self.entries]
        return Exponentials(entries, rebase(self.den, self.base, base), base)

    def integers(self) -> tuple[list[list[int]], list[int]]:
        """The coefficients, in ascending powers of t, of the entries and of the denominator."""
        return [list(_coefficients(x)) for x in self.entries], list(_coefficients(self.den))

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, ([_coefficients(x) for x in self.entries], _coefficients(self.den), self.base)


def vector(numbers: Sequence[Number]) -> Vector:
    """The vector of the given numbers, over their least common denominator.

    >>> vector([Fraction(1, 2), Fraction(1, 3)]).total()
    Fraction(5, 6)
    """
    irrational = [x for x in numbers if isinstance(x, Exact)]
    if not irrational:
        rationals = [x for x in numbers if isinstance(x, Fraction)]
        common = lcm(*(x.denominator for x in rationals))
        return Rationals([x.numerator * (common // x.denominator) for x in rationals], common)
    base = _common_base([x.base for x in irrational])
    pairs = [_fraction_over(x, base) for x in numbers]
    different = {_coefficients(d): d for _, d in pairs}
    den = fmpz_poly([1])
    for part in different.values():
        den = den // den.gcd(part) * part
    cofactors = {key: den // d for key, d in different.items()}
    return Exponentials([n * cofactors[_coefficients(d)] for n, d in pairs], den, base)


def polynomials(number: Number, base: Base) -> tuple[list[int], list[int]]:
    """Numerator and denominator of a number in a base's exponential, as integer coefficients in ascending powers."""
    num, den = _fraction_over(number, base)
    return list(_coefficients(num)), list(_coefficients(den))


def _common_base(bases: Sequence[Base]) -> Base:
    first, *rest = dict.fromkeys(bases)
    for base in rest:
        first = first.common(base)
    return first


def _fraction_over(number: Number, base: Base) -> tuple[fmpz_poly, fmpz_poly]:
    if isinstance(number, Exact):
        return rebase(number.num, number.base, base), rebase(number.den, number.base, base)
    return fmpz_poly([number.numerator]), fmpz_poly([number.denominator])


def _coefficients(poly: fmpz_poly) -> tuple[int, ...]:
    return tuple(int(c) for c in poly.coeffs())


def _unpickled(entries: list[tuple[int, ...]], den: tuple[int, ...], base: Base) -> Exponentials:
    return Exponentials([fmpz_poly(list(x)) for x in entries], fmpz_poly(list(den)), base)
