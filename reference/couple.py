r"""The Poisson coupling as a law and as the paper's two programs: many laws drawn with one shared randomness.

Let a Poisson process have intensity nu(dy) ds dt, and let every P_i have a density f_i with respect to nu. Coordinate
i takes the y of its first point, in order of t, with s < f_i(y). Equal laws are drawn equal, and close laws are drawn
equal with high probability.

**Why a program can end.** Let U be the coordinates that have not taken a point yet. Points that no i in U accepts
change nothing; they are left out. What is left are the points under the *envelope* max_{i in U} f_i, whose y has the
law nu(y) max_{i in U} f_i(y) / tot and whose level s is uniform below the envelope at y, independently of the past,
since the points at later times are a fresh process. Each such point is accepted by at least one coordinate of U, so
there are at most as many steps as distinct laws. This is the same process read without the points that are
irrelevant, and it is the recursion T6 line by line: s falls between the j-th and the (j+1)-th largest density with
the weight of line 4.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from exactdp.reference.boundaries import bracket
from exactdp.reference.lazy_law import LazyLaw
from exactdp.reference.path import Path
from exactdp.reference.samplers import NOT_SYMBOLIC
from exactdp.spec.enclosure import floor_scaled
from exactdp.spec.errors import InvalidArgument, NotClosed
from exactdp.spec.exponent import Exponent
from exactdp.spec.joint import joint_law
from exactdp.spec.law import UNRESOLVED, Law
from exactdp.spec.number import Exact, Number, exact
from exactdp.spec.piecewise import Piecewise
from exactdp.spec.standard_laws import uniform
from exactdp.spec.terms import Terms, sign
from exactdp.spec.vector import Exponentials, Rationals

Draw = Callable[[Law], object]
Density = Callable[[int, Hashable], Number]
Proposal = tuple[Hashable, Number]
Bracket = tuple[int, int]
JOINT_LAWS_REMEMBERED = 256


class Grouped(NamedTuple):
    """A tuple of laws, its distinct laws, and for each coordinate the position of its law among them."""

    laws: tuple[Law, ...]
    distinct: list[Law]
    positions: list[int]


class Coupling(LazyLaw):
    """The joint law of the Poisson coupling, over tuples with one outcome for each of `laws`.

    Drawing from it is the exact sampler and needs no mass. The masses are the exact joint law, computed when one is
    first asked for. With a `length` l, coordinate i has the law of l independent draws from laws[i].
    """

    def __init__(self, laws: Sequence[Law], length: int | None = None) -> None:
        self.grouped = grouped(laws)
        self.laws = self.grouped.laws
        self.length = None if length is None else checked_length(length)

    def coordinates(self) -> list[Law]:
        """The law of every coordinate: `laws`, or their powers."""
        return _powers(self.grouped, self.length)

    def written_out(self) -> Law:
        """The exact joint law."""
        return _joint(self.laws, self.length)

    def __repr__(self) -> str:
        power = "" if self.length is None else f", each to the power {self.length}"
        return f"Coupling(<{len(self.laws)} laws, {len(self.grouped.distinct)} of them distinct{power}>)"


def _powers(read: Grouped, length: int | None) -> list[Law]:
    powers = read.distinct if length is None else [law.power(length) for law in read.distinct]
    return [powers[i] for i in read.positions]


@lru_cache(maxsize=JOINT_LAWS_REMEMBERED)
def _joint(laws: tuple[Law, ...], length: int | None) -> Law:
    """The joint law, remembered, because the paths of one program ask for the same few again and again."""
    return joint_law(_powers(grouped(laws), length))


def couple(laws: Sequence[Law], *, domain: Collection[Hashable] | None = None) -> Coupling:
    """The Poisson coupling of any laws, finite or countable, in any order and with repetitions.

    The laws may live on different sets: the coupling lives on their union. If a `domain` is stated, every law must be
    supported in it. Raises `InvalidArgument`: no laws, something that is no law, unresolved mass, a law that leaves the
    stated domain.

    >>> Z = couple([Law({"a": "1/2", "b": "1/2"}), Law({"a": 1}), Law({"a": 1})])
    >>> Z["a", "a", "a"], Z["b", "a", "a"], Z["a", "b", "b"]
    (Fraction(1, 2), Fraction(1, 2), Fraction(0, 1))
    """
    coupling = Coupling(laws)
    if domain is not None:
        _must_lie_in(coupling.grouped, frozenset(domain), "a law on the stated domain, which lacks this outcome")
    return coupling


def couple_products(laws: Sequence[Law], length: int) -> Coupling:
    """The Poisson coupling of the product laws q^length, drawn without writing out the set of all sequences.

    For length 0 the only outcome of every coordinate is (). Raises `InvalidArgument`, also for a negative length.
    """
    return Coupling(laws, checked_length(length))


def couple_one(laws: Sequence[Law], weights: Mapping[Hashable, Number | int | str], draw: Draw) -> tuple[Hashable, ...]:
    """Couple_I: every law's first point in one Poisson process over the dominating measure nu given by `weights`.

    The law of the result does not depend on nu. *Paper:* Algorithm 5, Construction A.1. Raises `InvalidArgument` for a
    weight that is not positive and for a law with an outcome that has no weight.
    """
    read = grouped(laws)
    P, nu = read.laws, _positive(weights)
    _must_lie_in(read, nu.keys(), "a law dominated by nu, which has no weight at this outcome")
    f = [{y: law[y] / nu[y] for y in law.atoms} for law in P]
    return _first_points(f, nu, draw)


def couple_two(laws: Sequence[Law], draw: Draw) -> tuple[Hashable, ...]:
    """Couple_II: as Couple_I, over nu = sum of the laws of this very tuple, so for any laws.

    On countable laws it runs and cannot be enumerated: there the proposals come from the sum over the coordinates that
    are still pending, and some are accepted by none. *Paper:* Algorithm 6, Construction A.4. Raises `InvalidArgument`,
    and `NotClosed` when countable laws are enumerated.
    """
    P = grouped(laws).laws
    if not all(law.is_finite for law in P):
        return _first_points_of_countable(P, draw)
    nu: dict[Hashable, Number] = {}
    for law in P:
        nu |= {y: nu.get(y, Fraction(0)) + mass for y, mass in law.items()}
    f = [{y: law[y] / nu[y] for y in law.atoms} for law in P]
    return _first_points(f, nu, draw)


def grouped(laws: Sequence[Law]) -> Grouped:
    """Reads a tuple of laws once: by identity, and only new objects by their masses. Raises `InvalidArgument`."""
    if not isinstance(laws, Sequence):
        raise InvalidArgument("laws", laws, "a list or tuple of laws")
    if not laws:
        raise InvalidArgument("laws", laws, "at least one law")
    known: dict[int, int] = {}
    candidates: dict[Hashable, list[int]] = {}
    distinct: list[Law] = []
    positions = []
    for i, law in enumerate(laws):
        position = known.get(id(law))
        if position is None:
            _check(law, i)
            position = known[id(law)] = _position(law, distinct, candidates)
        positions.append(position)
    return Grouped(tuple(laws), distinct, positions)


def checked_length(length: int) -> int:
    """The length of the sequences of a product law. Raises `InvalidArgument` unless it is an int of at least 0."""
    if isinstance(length, bool) or not isinstance(length, int) or length < 0:
        raise InvalidArgument("length", length, "an int of at least 0 (at 0 every coordinate is ())")
    return length


def checked_numbers(laws: Sequence[Law]) -> None:
    """Raises `InvalidArgument` if a law holds the symbol epsilon: it has joint masses then, and no samples."""
    for law in laws:
        units = [p.terms.unit for d in law.families.values() for factors in d for f in factors for p in f.pieces]
        if isinstance(law.masses, Exponentials):
            units.append(law.masses.base.unit)
        if any(unit.symbolic for unit in units):
            raise InvalidArgument("epsilon", "any", NOT_SYMBOLIC)


# -- the lines that both programs share ------------------------------------------------------------------------------


def _first_points(
    f: Sequence[Mapping[Hashable, Number]], nu: Mapping[Hashable, Number], draw: Draw
) -> tuple[Hashable, ...]:
    """The first points of finite laws, with proposals from the envelope of the pending ones."""
    zero = Fraction(0)

    def propose(pending: Sequence[int]) -> Proposal:
        envelope: dict[Hashable, Number] = {y: max(f[i].get(y, zero) for i in pending) for y in nu}
        measure = {y: nu[y] * height for y, height in envelope.items() if height}
        total = sum(measure.values(), start=zero)
        y = _outcome(draw(Law({y: mass / total for y, mass in measure.items()})))
        return y, envelope[y]

    return _accepted(len(f), lambda i, y: f[i].get(y, zero), propose, draw)


def _first_points_of_countable(P: Sequence[Law], draw: Draw) -> tuple[Hashable, ...]:
    """The first points of any laws, with proposals from the sum of the pending ones; the densities are the masses."""
    if isinstance(draw, Path):
        raise NotClosed("the coupling of countable laws runs, and its law is not enumerated; use finite laws for that")

    def propose(pending: Sequence[int]) -> Proposal:
        i = draw(uniform(pending))
        assert isinstance(i, int), "one of the pending coordinates"
        y = _outcome(draw(P[i]))
        return y, sum((P[j][y] for j in pending), start=Fraction(0))

    return _accepted(len(P), lambda i, y: P[i][y], propose, draw)


def _accepted(
    count: int, density: Density, propose: Callable[[Sequence[int]], Proposal], draw: Draw
) -> tuple[Hashable, ...]:
    """Reads points until each coordinate has one: its first with s < f_i(y)."""
    Z: dict[int, Hashable] = {}
    while pending := [i for i in range(count) if i not in Z]:
        y, roof = propose(pending)
        heights = {i: density(i, y) for i in pending}
        s = draw(_level_law(set(heights.values()), roof))
        assert isinstance(s, Fraction | Exact), "a level"
        Z |= {i: y for i, height in heights.items() if s < height}
    return tuple(Z[i] for i in range(count))


def _level_law(heights: Collection[Number], roof: Number) -> Law:
    """A uniform level in [0, roof), known up to the heights it is compared with: the largest at or below it."""
    zero: Number = Fraction(0)
    borders = sorted({zero, *heights, roof})
    return Law({low: (high - low) / roof for low, high in pairwise(borders)})


def _outcome(y: object) -> Hashable:
    assert isinstance(y, Hashable), "outcomes of laws are hashable"
    return y


# -- what a caller may get wrong -------------------------------------------------------------------------------------


def _check(law: object, i: int) -> None:
    if not isinstance(law, Law):
        raise InvalidArgument(f"laws[{i}]", law, "a law, such as Law({'a': '1/3', 'b': '2/3'}) or discrete_laplace(2)")
    if law.unresolved:
        raise InvalidArgument(f"laws[{i}]", str(law.unresolved), f"a law without unresolved mass ({UNRESOLVED})")


def _must_lie_in(read: Grouped, domain: Collection[Hashable], expected: str) -> None:
    """Raises `InvalidArgument` at the first outcome outside; a countable law leaves every finite domain."""
    for position, law in enumerate(read.distinct):
        for y in law.support():
            if y not in domain:
                name = f"laws[{read.positions.index(position)}]"
                raise InvalidArgument(name, f"mass {law[y]} at {y!r}", expected)


def _positive(weights: Mapping[Hashable, Number | int | str]) -> dict[Hashable, Number]:
    if not isinstance(weights, Mapping):
        raise InvalidArgument("weights", weights, "a mapping of outcomes to positive weights")
    nu = {y: exact(weight, f"weight of {y!r}") for y, weight in weights.items()}
    for y, weight in nu.items():
        if sign(weight) <= 0:
            raise InvalidArgument(f"weight of {y!r}", str(weight), "a positive number")
    return nu


def _position(law: Law, distinct: list[Law], candidates: dict[Hashable, list[int]]) -> int:
    """Where an equal law stands among the distinct ones, or where this one is put."""
    alike = candidates.setdefault(_fingerprint(law), [])
    for position in alike:
        if distinct[position] == law:
            return position
    alike.append(len(distinct))
    distinct.append(law)
    return alike[-1]


def _fingerprint(law: Law) -> Hashable:
    """Equal for equal laws. On rational ones a single sum, far cheaper than a hash of every mass."""
    masses = law.masses
    if law.families or not isinstance(masses, Rationals):
        return hash(law)
    total = sum(masses.entries[i] * hash(y) for y, i in law.atoms.items())
    return len(masses), Fraction(total, masses.den)


# -- masses at single points, by brackets ----------------------------------------------------------------------------


def mass_bracket(law: Law, y: object, precision: int) -> Bracket:
    """Integers around 2^precision * P(y); equal where that is an integer and known at once."""
    position = law.atoms.get(y)
    low, high = (0, 0) if position is None else _number_bracket(law.masses[position], precision)
    for template, density in law.families.items():
        values = template.match(y)
        for factors in density if values is not None else []:
            part = _times(*(_density_bracket(f, k, precision) for f, k in zip(factors, values or (), strict=True)))
            scale = precision * (len(factors) - 1)
            low, high = low + (part[0] >> scale), high - (-part[1] >> scale)
    return max(low, 0), high


def _density_bracket(density: Piecewise, k: int, precision: int) -> Bracket:
    for piece in density.pieces:
        if (piece.low is None or piece.low <= k) and (piece.high is None or k <= piece.high):
            return _terms_bracket(piece.terms, k, precision)
    return 0, 0


def _terms_bracket(terms: Terms, k: int, precision: int) -> Bracket:
    """Integers around 2^precision times the sum of c * k^d * e^(-rate*k): closed forms, whatever the size of k."""
    low = high = 0
    for (degree, rate), c in terms.coefficients.items():
        power = _power_bracket(Exponent(rate * k, terms.unit), precision)
        part = _times(_number_bracket(c * k**degree, precision), power)
        low, high = low + (part[0] >> precision), high - (-part[1] >> precision)
    return low, high


def _power_bracket(exponent: Exponent, precision: int) -> Bracket:
    """Integers around 2^precision * e^(-exponent), for an exponent of either sign."""
    base = exponent.unit.base
    if exponent.coefficient * (1 if base is None else 1 - 1 / base) > precision:
        return 0, 1  # since e > 2 and ln(s) >= 1 - 1/s
    if exponent.coefficient >= 0:
        return bracket(exponent, precision)
    low, high, inner = 0, 1, precision
    while low < 1 << precision // 2:
        inner *= 2
        low, high = bracket(-exponent, inner)
    return (1 << inner + precision) // high, -(-(1 << inner + precision) // low)


def _number_bracket(number: Number, precision: int) -> Bracket:
    floor = floor_scaled(number, precision)
    exactly = isinstance(number, Fraction) and not (number.numerator << precision) % number.denominator
    return floor, floor if exactly else floor + 1


def _times(*brackets: Bracket) -> Bracket:
    """The product of intervals."""
    low, high = 1, 1
    for least, most in brackets:
        corners = low * least, low * most, high * least, high * most
        low, high = min(corners), max(corners)
    return low, high
