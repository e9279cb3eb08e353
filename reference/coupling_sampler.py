r"""The exact sampler of the Poisson coupling: one draw of all coordinates, no float in anything that is decided.

Below, the laws P_1, ..., P_r are the distinct ones; a coordinate with an equal law gets the same outcome, so k
coordinates cost one look-up each. "Accepted by j" means s < P_j(y): the Poisson process is taken over the counting
measure.

**Finite laws over one denominator N** (`Cells`). The region under the envelope max_j P_j consists of the cells (y,
c), 0 <= c < N max_j P_j(y), each of size 1/N; P_j is the union of its cells with c < N P_j(y). A uniform cell is the
next point of the process under the envelope; points outside it concern no law. So j takes the y of its first cell, as
in the construction, and the joint law is that of T6. A cell is accepted by j with probability 1/M, M = sum_y max_j
P_j(y) <= r, so the mean number of cells until all have one is at most M(1 + ln r) + 1 (sum over n of min(1, r(1 -
1/M)^n)).

**Any laws** (`first_points`). Let U be the laws that have no outcome yet. A uniform i in U, y ~ P_i and s uniform in
[0, sum_{j in U} P_j(y)) is a uniform point of the region under that sum: the next point of the process there. What
earlier points were does not matter, since later times are a fresh process, and points outside the region concern no
law in U. So j takes its first point, and the joint law is T6's: given that some j in U accepts, the point is uniform
under the envelope of U, which is line 2 of T6. The test s < max_{j in U} P_j(y) turns the sum into the envelope by
rejection. Every j in U accepts with probability 1/|U|, so each proposal is accepted by exactly 1 law in the mean, and
the *mean number of proposals is exactly r*, whatever the laws are (a martingale, stopped). No dominating measure, no
common set, no common unit of exponentials is needed: only brackets of P_j(y) at single points.

**Levels.** s = V sum_j w_j with w_j = P_j(y) and V uniform in [0, 1), read word by word: after b bits V lies in [v,
v+1)/2^b. Integers low_j <= c w_j <= high_j with one c > 0 bracket the weights, and w_j / sum w is monotone in each
weight. j accepts for certain if (v+1)(low_j + rest) <= 2^b low_j, rest the sum of the other highs, and does not for
certain if v(high_j + rest') >= 2^b high_j, rest' that of the other lows. Else a word is read and the brackets are
made sharper. That ends with probability 1: the brackets tend to the ratio and V is not equal to it.

**Products q^l** (`Powers`). y ~ q_i^l are l draws; w_j = prod_x q_j(x)^(n_x), n_x counts of y. A first look takes
these in floats with a separate exponent (logarithms in base 2 with an exact whole part). Every mass enters as
z(1+d)(1+d'), |d|, |d'| <= u = 2^-53; every product adds one such factor, taking mantissa and exponent apart adds
none, and nothing under- or overflows since mantissas stay in [1/2, 1) between blocks of 256. By induction over any
order of multiplication, squares included, a product of n masses carries at most 3n - 1 factors. Hence |w_j/w - 1| <=
3lu/(1 - 3lu) <= 6lu for 6lu <= 1, and m(2^53 - 6l), m(2^53 + 6l) bracket 2^106 w_j for a mantissa m/2^53. This
decides all but about 12 r l 2^-53 of the cases; the rest is done in integers, exactly if all masses are rational. A
draw costs about r l draws of single outcomes, and r^2 min(l, |X|) log l products.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import lcm, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from exactdp.reference.couple import Bracket, Grouped, checked_length, checked_numbers, grouped, mass_bracket
from exactdp.reference.entropy import BitSource, OsEntropy, WordSource
from exactdp.reference.samplers import Categorical, Geometric, Inversion, TwoSidedGeometric, UniformInteger
from exactdp.reference.sampling import sampler_of
from exactdp.spec.enclosure import floor_scaled
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.standard_laws import DiscreteLaplace
from exactdp.spec.standard_laws import Geometric as GeometricLaw
from exactdp.spec.vector import Rationals

WIDEST_DENOMINATOR = 4096
"""A common denominator of more bits is not worth its memory; such laws are drawn as any laws are."""

ROUNDINGS = 6
"""The relative error of a product of l masses, in units of l * 2^-53."""

LONGEST_FILTERED = 1 << 40
PRECISION = 128
MANTISSA = 53
BLOCK = 256

Drawer = Callable[[WordSource], object]


class CouplingSampler:
    """Draws of all coordinates of the Poisson coupling of `laws`, or of their powers with a `length`.

    `word` is the number of bits read at a time; it changes the speed and never the law. Raises `InvalidArgument`.

    >>> from exactdp.reference.entropy import Seeded
    >>> fair = Law({"heads": "1/2", "tails": "1/2"})
    >>> one, two = CouplingSampler([fair, fair]).draw(Seeded(1))
    >>> one == two
    True
    """

    def __init__(self, laws: Sequence[Law] | Grouped, length: int | None = None, word: int = 64) -> None:
        _, distinct, self._positions = laws if isinstance(laws, Grouped) else grouped(laws)
        checked_numbers(distinct)
        self._draw: Callable[[WordSource], Sequence[object]]
        if length is not None:
            powers = Powers(distinct, checked_length(length), word)
            self._draw = lambda source: first_points(powers, len(distinct), source, word)
        elif (cells := Cells.of(distinct, word)) is not None:
            self._draw = cells.draw
        else:
            singles = Singles(distinct, word)
            self._draw = lambda source: first_points(singles, len(distinct), source, word)

    def draw(self, source: WordSource | None = None) -> tuple[object, ...]:
        """One outcome for each coordinate, jointly distributed; without a source on the system's entropy."""
        drawn = self._draw(OsEntropy() if source is None else source)
        return tuple(map(drawn.__getitem__, self._positions))


class Cells:
    """Finite rational laws over one denominator, drawn by uniform cells under their envelope; never changes."""

    def __init__(self, laws: Sequence[Law], factors: Sequence[int], word: int) -> None:
        columns: dict[Hashable, list[tuple[int, int]]] = {}
        for i, (law, factor) in enumerate(zip(laws, factors, strict=True)):
            assert isinstance(law.masses, Rationals), "checked by `of`"
            entries = law.masses.entries
            for y, position in law.atoms.items():
                columns.setdefault(y, []).append((entries[position] * factor, i))
        for column in columns.values():
            column.sort(reverse=True)
        self._count = len(laws)
        self._outcomes = list(columns)
        self._columns = list(columns.values())
        self._ends = list(accumulate(column[0][0] for column in self._columns))
        self._uniform = UniformInteger(self._ends[-1], word)

    @staticmethod
    def of(laws: Sequence[Law], word: int) -> "Cells | None":
        """The cells of the laws; None if one is countable or irrational, or the denominator too large."""
        common, denominators = 1, []
        for law in laws:
            if law.families or not isinstance(law.masses, Rationals):
                return None
            denominators.append(law.masses.den)
            common = lcm(common, law.masses.den)
            if common.bit_length() > WIDEST_DENOMINATOR:
                return None
        return Cells(laws, [common // den for den in denominators], word)

    def draw(self, source: BitSource) -> list[object]:
        """An outcome for each law."""
        taken: dict[int, object] = {}
        while len(taken) < self._count:
            cell = self._uniform.draw(source)
            at = bisect_right(self._ends, cell)
            level = cell - self._ends[at - 1] if at else cell
            y = self._outcomes[at]
            for height, i in self._columns[at]:
                if height <= level:
                    break
                taken.setdefault(i, y)
        return [taken[i] for i in range(self._count)]


class Points(Protocol):
    """Laws from which `first_points` proposes, with brackets of their masses at what was proposed."""

    def propose(self, i: int, source: WordSource) -> object:
        """An outcome of law i."""
        ...

    def brackets(self, y: object, pending: Sequence[int], effort: int) -> list[Bracket]:
        """Brackets of c * P_j(y), j in pending, with one c > 0; ever sharper with more effort."""
        ...

    def outcome(self, y: object) -> object:
        """What the proposal is to the caller."""
        ...


def first_points(points: Points, count: int, source: WordSource, word: int) -> list[object]:
    """An outcome for each of `count` laws: proposals from the sum of the pending ones, until none is pending."""
    taken: dict[int, object] = {}
    while pending := [i for i in range(count) if i not in taken]:
        if len(pending) == 1:
            taken[pending[0]] = points.outcome(points.propose(pending[0], source))
            break
        y = points.propose(pending[UniformInteger(len(pending), word).draw(source)], source)
        accepting = below(partial(points.brackets, y, pending), source, word)
        if any(accepting):
            outcome = points.outcome(y)
            taken |= {i: outcome for i, accepts in zip(pending, accepting, strict=True) if accepts}
    return [taken[i] for i in range(count)]


def below(brackets: Callable[[int], list[Bracket]], source: BitSource, word: int) -> list[bool]:
    """Which of the weights w_j, known by brackets, exceed one common level that is uniform in [0, sum of all w_j)."""
    v = bits = effort = 0
    while True:
        v = v << word | source.bits(word)
        bits += word
        answers = _decided(brackets(effort), v, bits)
        if None not in answers:
            return [bool(answer) for answer in answers]
        effort += 1


def _decided(weights: list[Bracket], v: int, bits: int) -> list[bool | None]:
    """For each weight whether it exceeds every level of the cell [v, v+1)/2^bits, none of them, or it is open."""
    lows, highs = sum(low for low, _ in weights), sum(high for _, high in weights)
    answers: list[bool | None] = []
    for low, high in weights:
        if (v + 1) * (low + highs - high) <= low << bits:
            answers.append(True)
        elif v * (high + lows - low) >= high << bits:
            answers.append(False)
        else:
            answers.append(None)
    return answers


class Singles:
    """Any laws, one outcome at a time. Samplers are made when they are first needed."""

    def __init__(self, laws: Sequence[Law], word: int) -> None:
        self._laws = laws
        self._word = word
        self._drawers: dict[int, Drawer] = {}

    def propose(self, i: int, source: WordSource) -> object:
        """As in `Points`."""
        if i not in self._drawers:
            self._drawers[i] = _drawer(self._laws[i], self._word)
        return self._drawers[i](source)

    def brackets(self, y: object, pending: Sequence[int], effort: int) -> list[Bracket]:
        """As in `Points`."""
        return [mass_bracket(self._laws[i], y, PRECISION * (effort + 1)) for i in pending]

    def outcome(self, y: object) -> object:
        """As in `Points`."""
        return y


class Powers:
    """Product laws q^length, by the counts of their outcomes; a proposal is the list of its outcomes' positions.

    Outcomes are numbered as they are met, those of finite laws at the start.
    """

    def __init__(self, laws: Sequence[Law], length: int, word: int) -> None:
        self._laws, self._length, self._word = laws, length, word
        self._finite = all(law.is_finite for law in laws)
        self._outcomes: list[object] = list(dict.fromkeys(y for law in laws for y in law.atoms)) if self._finite else []
        self._numbers = {y: x for x, y in enumerate(self._outcomes)}
        self._singles = Singles(laws, word)
        self._inversions: dict[int, tuple[Inversion, NDArray[np.int64]]] = {}
        self._floats = FloatProducts.of(laws, self._outcomes, length) if self._finite else None

    def propose(self, i: int, source: WordSource) -> NDArray[np.int64]:
        """As in `Points`."""
        if self._finite:
            if i not in self._inversions:
                numbers = np.array([self._numbers[y] for y in self._laws[i].atoms], dtype=np.int64)
                self._inversions[i] = _inversion(self._laws[i], self._word), numbers
            inversion, numbers = self._inversions[i]
            return numbers[inversion.draw_many(source, self._length)]
        drawn = (self._singles.propose(i, source) for _ in range(self._length))
        return np.fromiter((self._number(y) for y in drawn), dtype=np.int64, count=self._length)

    def brackets(self, y: object, pending: Sequence[int], effort: int) -> list[Bracket]:
        """As in `Points`: floats at first where there are some, then exact integers, or else sharper brackets."""
        assert isinstance(y, np.ndarray), "made by `propose`"
        seen, counts = np.unique(y, return_counts=True)
        if effort == 0 and self._floats is not None:
            return self._floats.brackets(list(pending), seen, counts)
        found = [(self._outcomes[x], n) for x, n in zip(seen.tolist(), counts.tolist(), strict=True)]
        exactly = exact_powers([self._laws[j] for j in pending], found)
        if exactly is not None:
            return [(weight, weight) for weight in exactly]
        return [self._power_bracket(self._laws[j], found, PRECISION * (effort + 1)) for j in pending]

    def outcome(self, y: object) -> tuple[object, ...]:
        """As in `Points`."""
        assert isinstance(y, np.ndarray), "made by `propose`"
        return tuple(map(self._outcomes.__getitem__, y.tolist()))

    def _number(self, y: object) -> int:
        if y not in self._numbers:
            self._numbers[y] = len(self._outcomes)
            self._outcomes.append(y)
        return self._numbers[y]

    @staticmethod
    def _power_bracket(law: Law, found: Sequence[tuple[object, int]], precision: int) -> Bracket:
        ends = [(mass_bracket(law, y, precision), n) for y, n in found]
        return prod(low**n for (low, _), n in ends), prod(high**n for (_, high), n in ends)


def exact_powers(laws: Sequence[Law], found: Sequence[tuple[object, int]]) -> list[int] | None:
    """prod of q(y)^n over the pairs (y, n), for each law q, over one denominator; None if a law is not rational."""
    tops, denominators, length = list[int](), list[int](), sum(n for _, n in found)
    for law in laws:
        if law.families or not isinstance(law.masses, Rationals):
            return None
        places = [(law.atoms.get(y), n) for y, n in found]
        missing = any(place is None for place, _ in places)
        entries = law.masses.entries
        tops.append(0 if missing else prod(entries[place] ** n for place, n in places if place is not None))
        denominators.append(law.masses.den)
    common = lcm(*denominators)
    return [top * (common // den) ** length for top, den in zip(tops, denominators, strict=True)]


class FloatProducts:
    """Masses as mantissas and exponents, for the first look at products; the bound is at the head of the module."""

    def __init__(self, mantissas: NDArray[np.float64], exponents: NDArray[np.int64], length: int) -> None:
        self._mantissas = mantissas
        self._exponents = exponents
        self._error = ROUNDINGS * length

    @staticmethod
    def of(laws: Sequence[Law], outcomes: Sequence[object], length: int) -> "FloatProducts | None":
        """The masses of the laws at the outcomes; None if lengths or exponents leave the range of the bound."""
        mantissas = np.zeros((len(laws), len(outcomes)))
        exponents = np.zeros((len(laws), len(outcomes)), dtype=np.int64)
        numbers = {y: x for x, y in enumerate(outcomes)}
        for j, law in enumerate(laws):
            for y, position in law.atoms.items():
                mantissas[j, numbers[y]], exponents[j, numbers[y]] = _mantissa(law.masses[position])
        furthest = int(np.abs(exponents).max(initial=0)) + 1
        return FloatProducts(mantissas, exponents, length) if length * furthest < LONGEST_FILTERED else None

    def brackets(self, rows: list[int], seen: NDArray[np.int64], counts: NDArray[np.int64]) -> list[Bracket]:
        """Brackets of c * prod of q(x)^n over the outcomes seen and their counts, for the laws in `rows`."""
        part = np.ix_(np.array(rows), seen)
        mantissas, exponents = _product(*_powers(self._mantissas[part], self._exponents[part], counts))
        tops = [int(m) for m in np.ldexp(mantissas, MANTISSA)]
        most = max((e for top, e in zip(tops, exponents.tolist(), strict=True) if top), default=0)
        return [self._scaled(top, most - e) for top, e in zip(tops, exponents.tolist(), strict=True)]

    def _scaled(self, top: int, shift: int) -> Bracket:
        if not top:
            return 0, 0
        return top * ((1 << MANTISSA) - self._error) >> shift, -(-top * ((1 << MANTISSA) + self._error) >> shift)


def _powers(
    mantissas: NDArray[np.float64], exponents: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The columns to the powers `counts`, by repeated squaring, as mantissas in [1/2, 1) and exponents."""
    results, shifts = np.ones_like(mantissas), np.zeros_like(exponents)
    while counts.any():
        odd = np.flatnonzero(counts & 1)
        results[:, odd], carried = np.frexp(results[:, odd] * mantissas[:, odd])
        shifts[:, odd] += exponents[:, odd] + carried
        counts = counts >> 1
        mantissas, carried = np.frexp(mantissas * mantissas)
        exponents = 2 * exponents + carried
    return results, shifts


def _product(
    mantissas: NDArray[np.float64], exponents: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The product of each row, as a mantissa and an exponent."""
    shifts = exponents.sum(axis=1)
    while True:
        missing = -mantissas.shape[1] % BLOCK or BLOCK * (not mantissas.shape[1])
        padded = np.pad(mantissas, ((0, 0), (0, missing)), constant_values=1.0)
        mantissas, carried = np.frexp(np.multiply.reduce(padded.reshape(len(padded), -1, BLOCK), axis=2))
        shifts = shifts + carried.sum(axis=1, dtype=np.int64)
        if mantissas.shape[1] == 1:
            return mantissas[:, 0], shifts


def _mantissa(mass: Number) -> tuple[float, int]:
    """A positive mass as m * 2^e with m in [1/2, 1): two roundings at most."""
    if isinstance(mass, Fraction):
        shift = mass.denominator.bit_length() - mass.numerator.bit_length()
        top, bottom = mass.numerator << max(shift, 0), mass.denominator << max(-shift, 0)
        value = top / bottom
    else:
        shift = 64
        while (floor := floor_scaled(mass, shift)) < 1 << 60:
            shift *= 2
        excess = floor.bit_length() - 64
        value = float(floor >> max(excess, 0))
        shift -= max(excess, 0)
    m, e = np.frexp(value)
    return float(m), int(e) - shift


def _drawer(law: Law, word: int) -> Drawer:
    """A sampler of one law that reads `word` bits at a time where it can."""
    if law.is_finite:
        outcomes, draw = list(law.atoms), _inversion(law, word).draw
        return lambda source: outcomes[draw(source)]
    if isinstance(law, DiscreteLaplace):
        return TwoSidedGeometric(law.rate, word).draw
    if isinstance(law, GeometricLaw):
        return Geometric(law.rate, word).draw
    return sampler_of(law)


def _inversion(law: Law, word: int) -> Inversion:
    """The positions of a finite law's outcomes, by their masses."""
    if isinstance(law.masses, Rationals):
        return Categorical.of_weights([law.masses.entries[i] for i in law.atoms.values()], word)
    return Categorical([law.masses[i] for i in law.atoms.values()], word)
