"""Laws: exact probability distributions on finite and countable sets, over any hashable outcomes.

A finite law is a vector of masses over one denominator. A countable law adds *families*: outcomes with holes for
integers, and a density of those integers in closed form. Nothing is renormalised and nothing is truncated in silence:
mass that an operation leaves open stands on the outcome `UNRESOLVED`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from exactdp.spec.cells import Density, same_density
from exactdp.spec.errors import InvalidArgument, NotClosed
from exactdp.spec.families import density_total, family_support, product_of, separated, window
from exactdp.spec.number import Number, exact
from exactdp.spec.piecewise import Piecewise, total_of
from exactdp.spec.template import INTEGER, Template, integer_of
from exactdp.spec.terms import sign
from exactdp.spec.vector import Rationals, Vector, vector


class Unresolved:
    """The outcome that carries mass which was not resolved further; it is never treated as a known outcome."""

    def __repr__(self) -> str:
        return "UNRESOLVED"

    def __reduce__(self) -> str:
        return "UNRESOLVED"


UNRESOLVED = Unresolved()


class Bounds(NamedTuple):
    """An enclosure: low <= the value <= high, both exact."""

    low: Number
    high: Number


class Law:
    """A probability law, from a mapping of outcomes to masses (int, Fraction, exact number, or text like "1/3").

    The masses must be non-negative and sum to exactly 1; outcomes of mass 0 are dropped. Raises `InvalidArgument`.

    >>> law = Law({"heads": "1/3", "tails": "2/3"})
    >>> law["heads"], law["edge"], list(law.items())
    (Fraction(1, 3), Fraction(0, 1), [('heads', Fraction(1, 3)), ('tails', Fraction(2, 3))])
    """

    masses: Vector
    families: dict[Template, Density]

    def __init__(self, masses: Mapping[Hashable, Number | int | str]) -> None:
        numbers = {outcome: exact(mass, f"mass of {outcome!r}") for outcome, mass in masses.items()}
        for outcome, mass in numbers.items():
            if sign(mass) < 0:
                raise InvalidArgument(f"mass of {outcome!r}", str(mass), "a mass of at least 0")
        self._set(numbers, {})

    @classmethod
    def of_parts(cls, atoms: Mapping[Hashable, Number], families: Mapping[Template, Density]) -> "Law":
        """A law from atoms and families of integer-filled outcomes; atoms that fill a template join its family."""
        law = cls.__new__(cls)
        law._set(atoms, families)
        return law

    @classmethod
    def of_vector(cls, index: Mapping[Hashable, int], masses: Vector) -> "Law":
        """A finite law from positions in a vector, all of positive mass, that sums to 1."""
        law = cls.__new__(cls)
        law._index = dict(index)
        law.masses = masses
        law.families = {}
        law._must_sum_to_one(masses.total())
        return law

    def _set(self, atoms: Mapping[Hashable, Number], families: Mapping[Template, Density]) -> None:
        free, joined = separated(atoms, families)
        self._index: dict[Hashable, int] = {outcome: i for i, outcome in enumerate(free)}
        self.masses = vector(list(free.values()))
        self.families = joined
        self._must_sum_to_one(sum((density_total(d) for d in joined.values()), start=self.masses.total()))

    def _must_sum_to_one(self, total: Number) -> None:
        if total != 1:
            expected = "masses that sum to exactly 1; divide each by the sum if that is meant (nothing is renormalised)"
            raise InvalidArgument("sum of the masses", total, expected)

    @property
    def is_finite(self) -> bool:
        """Whether the law has finitely many outcomes."""
        return not self.families

    @property
    def atoms(self) -> Mapping[Hashable, int]:
        """The outcomes that stand alone, with their indices in `masses`."""
        return self._index

    @property
    def unresolved(self) -> Number:
        """The mass of UNRESOLVED."""
        return self[UNRESOLVED]

    def __getitem__(self, outcome: Hashable) -> Number:
        index = self._index.get(outcome)
        mass: Number = Fraction(0) if index is None else self.masses[index]
        for template, density in self.families.items():
            values = template.match(outcome)
            if values is not None:
                mass = mass + sum(product_of(f(k) for f, k in zip(fs, values, strict=True)) for fs in density)
        return mass

    def support(self) -> Iterator[Hashable]:
        """All outcomes of positive mass; never ends on a countable law, and reaches every outcome."""
        yield from self._index
        families = [family_support(t, d) for t, d in self.families.items()]
        while families:
            for family in families:
                yield next(family)

    def items(self) -> Iterator[tuple[Hashable, Number]]:
        """Pairs (outcome, mass), as `support` gives them."""
        return ((outcome, self[outcome]) for outcome in self.support())

    def __len__(self) -> int:
        if self.families:
            raise InvalidArgument("law", self, "a finite law: this one has infinitely many outcomes")
        return len(self._index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Law):
            return NotImplemented
        if self is other:
            return True
        if self._index.keys() != other._index.keys() or self.families.keys() != other.families.keys():
            return False
        if any(self.masses[i] != other.masses[other._index[y]] for y, i in self._index.items()):
            return False
        return all(same_density(density, other.families[t], t.holes) for t, density in self.families.items())

    def __hash__(self) -> int:
        atoms = frozenset((outcome, self.masses[i]) for outcome, i in self._index.items())
        samples = (t.fill([k] * t.holes) for t in self.families for k in (-1, 0, 1))
        return hash((atoms, frozenset((outcome, self[outcome]) for outcome in samples)))

    def __repr__(self) -> str:
        atoms = ", ".join(f"{outcome!r}: {_pasteable(self.masses[i])}" for outcome, i in self._index.items())
        families = ", ".join(f"{template!r}: ..." for template in self.families)
        return f"Law({{{', '.join(filter(None, (atoms, families)))}}})"

    # -- operations -----------------------------------------------------------------------------------------------

    def probability(self, event: Callable[[Hashable], bool]) -> Number:
        """The mass of the outcomes for which `event` is true. Raises `NotClosed` unless that is one number."""
        if self.families or self.unresolved:
            raise NotClosed("the probability of this event has no closed form; use probability_bounds")
        return self.masses.total(i for outcome, i in self._index.items() if event(outcome))

    def probability_bounds(self, event: Callable[[Hashable], bool], tolerance: Number | str | None = None) -> Bounds:
        """Bounds of that mass; on a countable law all but `tolerance` is resolved."""
        law = self._finite_part(tolerance)
        known = law.masses.total(i for outcome, i in law._index.items() if outcome is not UNRESOLVED and event(outcome))
        return Bounds(known, known + law.unresolved)

    def map(self, function: Callable[[Hashable], Hashable], tolerance: Number | str | None = None) -> "Law":
        """The push-forward: the law of function(outcome). On a countable law all but `tolerance` is resolved."""
        law = self._finite_part(tolerance)
        images: dict[Hashable, list[int]] = {}
        for outcome, i in law._index.items():
            images.setdefault(outcome if outcome is UNRESOLVED else function(outcome), []).append(i)
        return Law.of_parts({image: law.masses.total(indices) for image, indices in images.items()}, {})

    def condition(self, event: Callable[[Hashable], bool], tolerance: Number | str | None = None) -> "Law":
        """The law given an event of positive mass. On a countable law what `tolerance` leaves open is UNRESOLVED."""
        law = self._finite_part(tolerance)
        inside = {o: law.masses[i] for o, i in law._index.items() if o is not UNRESOLVED and event(o)}
        known: Number = sum(inside.values(), start=Fraction(0))
        if known == 0:
            raise InvalidArgument("event", "mass 0", "an event of positive mass")
        whole = known + law.unresolved
        given: dict[Hashable, Number] = {outcome: mass / whole for outcome, mass in inside.items()}
        return Law.of_parts(given | {UNRESOLVED: law.unresolved / whole}, {})

    def between(self, low: int | None, high: int | None) -> "Law":
        """An integer law given low <= k <= high (None is infinity), in closed form."""
        inside = self.density().restricted(low, high)
        total = inside.total()
        if total == 0:
            raise InvalidArgument("interval", (low, high), "an interval of positive mass")
        return Law.of_density(inside.scaled(1 / total))

    def expectation(
        self, function: Callable[[Hashable], object], tolerance: Number | str | None = None, bound: object = None
    ) -> Number | Bounds:
        """The mean of function(outcome), exact numbers. On a countable law: bounds, given |function| <= bound."""
        law = self._finite_part(tolerance)
        known: Number = Fraction(0)
        for outcome, i in law._index.items():
            if outcome is not UNRESOLVED:
                value = function(outcome)
                known = known + law.masses[i] * exact(
                    int(value) if isinstance(value, bool) else value, "value of the function"
                )
        if not law.unresolved:
            return known
        limit = exact(bound, "bound")
        if sign(limit) < 0:
            raise InvalidArgument("bound", str(limit), "a number of at least 0, the largest size of the function")
        slack = law.unresolved * limit
        return Bounds(known - slack, known + slack)

    def product(self, *others: "Law") -> "Law":
        """The law of independent draws, as tuples."""
        start = Law({(): 1})
        return reduce(_appended, (self, *others), start)

    def power(self, n: int) -> "Law":
        """The law of n independent draws, as tuples of length n >= 0."""
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise InvalidArgument("n", n, "an int of at least 0")
        return reduce(_appended, (self,) * n, Law({(): 1}))

    def convolve(self, other: "Law") -> "Law":
        """The law of the sum of two independent integers."""
        one, two = self._dense(), other._dense()
        if one is None or two is None:
            return Law.of_density(self.density().convolve(other.density()))
        (low, mine), (start, theirs) = one, two
        sums = mine.convolve(theirs)
        return Law.of_vector({low + start + i: i for i, mass in enumerate(sums.entries) if mass}, sums)

    # -- integer laws ---------------------------------------------------------------------------------------------

    @staticmethod
    def of_density(density: Piecewise) -> "Law":
        """The integer law of a density."""
        return Law.of_parts({}, {INTEGER: [(density,)]})

    def density(self) -> Piecewise:
        """The masses as a function on the integers. Raises `InvalidArgument` when some outcome is not an integer."""
        numbers = {outcome: integer_of(outcome) for outcome in self._index}
        wrong = [o for o, k in numbers.items() if k is None] + [t for t in self.families if t != INTEGER]
        if wrong:
            raise InvalidArgument("law", wrong[0], "a law on the integers")
        points = [Piecewise.point(k, self.masses[self._index[y]]) for y, k in numbers.items() if k is not None]
        return total_of(points + [f for (f,) in self.families.get(INTEGER, [])])

    def tail(self, k: int) -> Number:
        """The probability that an integer law gives k or more."""
        return self.density().restricted(k, None).total()

    def _dense(self) -> tuple[int, Rationals] | None:
        """A rational law on integers that lie close together, as first point and masses in a row."""
        keys = [k for k in self._index if isinstance(k, int)]
        if self.families or not isinstance(self.masses, Rationals) or len(keys) != len(self._index):
            return None
        low, high = min(keys), max(keys)
        if high - low > 64 * len(keys) + 1024:
            return None
        return int(low), self.masses.picked([self._index.get(k) for k in range(low, high + 1)])

    # -- finite parts of countable laws ---------------------------------------------------------------------------

    def windowed(self, tolerance: Number | str) -> "Law":
        """A finite law with the same masses on finitely many outcomes and at most `tolerance` on UNRESOLVED."""
        limit = exact(tolerance, "tolerance")
        if sign(limit) <= 0 and not self.is_finite:
            raise InvalidArgument("tolerance", tolerance, "a positive number")
        atoms: dict[Hashable, Number] = {outcome: self.masses[i] for outcome, i in self._index.items()}
        share = limit / max(1, len(self.families))
        for template, density in self.families.items():
            for outcome, mass in window(template, density, share):
                atoms[outcome] = atoms.get(outcome, Fraction(0)) + mass
        rest = 1 - sum(atoms.values(), start=Fraction(0))
        return Law.of_parts(atoms | ({UNRESOLVED: rest + self.unresolved} if rest else {}), {})

    def _finite_part(self, tolerance: Number | str | None) -> "Law":
        if self.is_finite:
            return self
        if tolerance is None:
            raise InvalidArgument(
                "tolerance", tolerance, "a positive number: the law is countable and has no closed form here"
            )
        return self.windowed(tolerance)


def _pasteable(mass: Number) -> str:
    """A mass as it may stand in a program: 1/3 would be a float there."""
    return repr(str(mass)) if isinstance(mass, Fraction) else str(mass)


def mixture(parts: Iterable[tuple[Number | int | str, Law]]) -> Law:
    """The mixture of laws, from pairs (weight, law); the weights are non-negative and sum to exactly 1."""
    pairs = [(exact(weight, "weight"), law) for weight, law in parts]
    for weight, _ in pairs:
        if sign(weight) < 0:
            raise InvalidArgument("weight", str(weight), "a weight of at least 0")
    atoms: dict[Hashable, Number] = {}
    families: dict[Template, Density] = {}
    for weight, law in pairs:
        for outcome, i in law.atoms.items():
            atoms[outcome] = atoms.get(outcome, Fraction(0)) + weight * law.masses[i]
        for template, density in law.families.items():
            families.setdefault(template, []).extend(scaled_product(factors, weight) for factors in density)
    return Law.of_parts(atoms, families)


def _appended(law: Law, other: Law) -> Law:
    """The law of (*x, y) for a law of tuples x and an independent y; unresolved if a part is."""
    atoms: dict[Hashable, Number] = {}
    families: dict[Template, Density] = {}
    for x, p, left in _parts(law):
        for y, q, right in _parts(other):
            if x is UNRESOLVED or y is UNRESOLVED:
                outcome: Hashable = UNRESOLVED
            else:
                assert isinstance(x, tuple), "the law so far is a law of tuples"
                outcome = (*x, y)
            mass = p * q
            density = [(*a, *b) for a in left for b in right]
            if outcome is UNRESOLVED:
                mass = mass * density_total(density)
                density = [()]
            if density == [()]:
                atoms[outcome] = atoms.get(outcome, Fraction(0)) + mass
            else:
                families[Template(outcome)] = [scaled_product(factors, mass) for factors in density]
    return Law.of_parts(atoms, families)


def scaled_product(factors: tuple[Piecewise, ...], mass: Number) -> tuple[Piecewise, ...]:
    """A product of densities times a number."""
    first, *rest = factors
    return first.scaled(mass), *rest


def _parts(law: Law) -> list[tuple[Hashable, Number, Density]]:
    """Atoms and families alike, as (outcome or pattern, mass, density)."""
    atoms: list[tuple[Hashable, Number, Density]] = [(y, law.masses[i], [()]) for y, i in law.atoms.items()]
    return atoms + [(t.pattern, Fraction(1), density) for t, density in law.families.items()]
