"""The running reading of `draw`: exact samples of any law, on the operating system's entropy or from a seed.

A finite law is inverted as it stands. Geometric noise is drawn by digits. Any other countable law is drawn part by
part: first an atom or one product of pieces of a family, by their masses, then each integer inside its piece. A
coupling is drawn without its joint masses, and a permutation without writing out all of them.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from exactdp.reference.couple import Coupling
from exactdp.reference.entropy import OsEntropy, Seeded, WordSource
from exactdp.reference.permutation import UniformPermutation, draw_permutation
from exactdp.reference.samplers import Categorical, Geometric, Inversion, TwoSidedGeometric
from exactdp.spec.enclosure import floor_scaled
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Exponent
from exactdp.spec.families import product_of
from exactdp.spec.law import Law
from exactdp.spec.number import Exact, Number
from exactdp.spec.piecewise import Piece
from exactdp.spec.standard_laws import DiscreteLaplace
from exactdp.spec.standard_laws import Geometric as GeometricLaw
from exactdp.spec.template import INTEGER, Template
from exactdp.spec.terms import Terms

LAWS_REMEMBERED = 1024

Sampler = Callable[[WordSource], object]


class Sampling:
    """`draw` for running a mechanism: `draw(law)` is one outcome, exactly distributed.

    `private` says whether the source is the operating system's entropy; a seeded one is for demonstrations only.

    >>> draw = Sampling.seeded(7)
    >>> draw.private, draw(Law({"a": 1}))
    (False, 'a')
    """

    def __init__(self, source: WordSource | None = None) -> None:
        self.source = OsEntropy() if source is None else source
        self.private = isinstance(self.source, OsEntropy)
        self._samplers: dict[int, tuple[Law, Sampler]] = {}

    @classmethod
    def seeded(cls, seed: int | str | bytes) -> "Sampling":
        """A reproducible `draw`: the same seed gives the same outcomes. Not private."""
        return cls(Seeded(seed))

    def __call__(self, law: Law) -> object:
        """One outcome of the law."""
        known = self._samplers.get(id(law))
        if known is None:
            known = self._remember(law)
        return known[1](self.source)

    def many(self, law: Law, count: int) -> NDArray[np.int64]:
        """`count` independent draws of geometric or two-sided geometric noise at once, as an array."""
        if isinstance(law, DiscreteLaplace):
            return TwoSidedGeometric(law.rate).draw_many(self.source, count)
        if isinstance(law, GeometricLaw):
            return Geometric(law.rate).draw_many(self.source, count)
        raise InvalidArgument("law", law, "discrete_laplace(scale) or geometric(scale) for draws in bulk")

    def _remember(self, law: object) -> tuple[Law, Sampler]:
        if not isinstance(law, Law):
            expected = "a law, such as bernoulli('1/3') or discrete_laplace(2 / epsilon)"
            raise InvalidArgument("argument of draw", law, expected)
        if len(self._samplers) >= LAWS_REMEMBERED:
            self._samplers.clear()
        self._samplers[id(law)] = law, sampler_of(law)
        return self._samplers[id(law)]


def sampler_of(law: Law) -> Sampler:
    """A function that draws from the law with the bits of a source."""
    if isinstance(law, Coupling):
        from exactdp.reference.coupling_sampler import CouplingSampler

        return CouplingSampler(law.grouped, law.length).draw
    if isinstance(law, UniformPermutation):
        return lambda source: draw_permutation(source, law.n)
    if isinstance(law, DiscreteLaplace):
        return TwoSidedGeometric(law.rate).draw
    if isinstance(law, GeometricLaw):
        return Geometric(law.rate).draw
    parts: list[tuple[Number, Sampler]] = [(law.masses[i], _constant(outcome)) for outcome, i in law.atoms.items()]
    for template, density in law.families.items():
        for factors in density:
            parts += [_box_sampler(template, pieces) for pieces in product(*(f.pieces for f in factors))]
    if len(parts) == 1:
        return parts[0][1]
    samplers = [sampler for _, sampler in parts]
    choose = Categorical([mass for mass, _ in parts]).draw
    return lambda source: samplers[choose(source)](source)


def _constant(outcome: Hashable) -> Sampler:
    return lambda source: outcome


def _box_sampler(template: Template, pieces: tuple[Piece, ...]) -> tuple[Number, Sampler]:
    """The mass of one product of pieces, and a sampler of the outcomes in it."""
    masses = [piece.terms.total(piece.low, piece.high) for piece in pieces]
    draws = [_piece_sampler(piece, mass) for piece, mass in zip(pieces, masses, strict=True)]
    if template == INTEGER:
        return masses[0], draws[0]
    return product_of(masses), lambda source: template.fill([draw(source) for draw in draws])


def _piece_sampler(piece: Piece, mass: Number) -> Callable[[WordSource], int]:
    """An integer inside a piece, by its density there; on a side that is infinite downwards the mirror image."""
    if piece.low is None and piece.high is None:
        halves = [Piece(None, -1, piece.terms), Piece(0, None, piece.terms)]
        totals = [half.terms.total(half.low, half.high) for half in halves]
        draws = [_piece_sampler(half, total) for half, total in zip(halves, totals, strict=True)]
        choose = Categorical([total / mass for total in totals]).draw
        return lambda source: draws[choose(source)](source)
    if piece.low is None:
        assert piece.high is not None, "one end is finite here"
        mirrored = _piece_sampler(Piece(-piece.high, None, piece.terms.mirrored()), mass)
        return lambda source: -mirrored(source)
    low, terms = piece.low, piece.terms
    ((degree, rate), *others) = terms.coefficients
    if piece.high is None and not others and degree == 0:
        geometric = Geometric(Exponent(rate, terms.unit)).draw
        return lambda source: low + geometric(source)
    count = None if piece.high is None else piece.high - low
    inverted = Inversion(DensityBoundaries(terms.shifted(low), mass, count)).draw
    return lambda source: low + inverted(source)


class DensityBoundaries:
    """P(X <= k) for the density `terms` / `mass` on k >= 0, over `count` + 1 points or without end (None)."""

    def __init__(self, terms: Terms, mass: Number, count: int | None) -> None:
        self.count = count
        self._indefinite = terms.antidifference()
        self._start = self._indefinite(0)
        self._mass = mass

    def floor(self, k: int, bits: int) -> tuple[int, bool]:
        """The floor of 2^bits * P(X <= k), and whether that is an integer."""
        value = (self._indefinite(k + 1) - self._start) / self._mass
        if isinstance(value, Exact):
            return floor_scaled(value, bits), False
        scaled = value * Fraction(2**bits)
        return scaled.numerator // scaled.denominator, scaled.denominator == 1
