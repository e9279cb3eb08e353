"""Finite classes of named laws on a public finite domain, and the standard ones.

The domain is public: it belongs to the class and is never read from data. A class of countable laws is reduced to the
finitely many atoms of its Yatracos sets by `exactdp.spec.yatracos.atoms_of`, or clamped to a finite range here.
Paper: the class Q of section 1, finite.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, product
from math import comb, prod
from typing import overload

from exactdp.reference.learners import checked_domain
from exactdp.spec.divergence import Aligned
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.exponent import ONE as UNIT
from exactdp.spec.exponent import Scale
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exact
from exactdp.spec.standard_laws import discrete_laplace, geometric, point

LAWS_AT_MOST = 100_000
"""A class that is built here has at most so many laws, unless a larger budget is given."""
VALUES_AT_MOST = 10_000
"""A domain of integers that is built here has at most so many values."""


@dataclass(frozen=True)
class LawClass(Sequence[Law]):
    """A finite class: named laws on a public domain, in a fixed order. A sequence of its laws.

    `other` is the symbol of the domain to which a record outside it is mapped; with None such a record is refused. The
    same law may stand under several names; the first one is its name (`repeated` lists the others). Raises
    `InvalidArgument` for an empty class, a repeated value, a law that is not finite or has an outcome elsewhere.

    >>> coins = LawClass((0, 1), {"fair": Law({0: "1/2", 1: "1/2"}), "biased": Law({0: "1/4", 1: "3/4"})}, "coins")
    >>> coins.name_of(Law({1: "1/2", 0: "1/2"})), coins.tv_matrix[0][1]
    ('fair', Fraction(1, 4))
    """

    domain: tuple[Hashable, ...]
    laws: Mapping[str, Law]
    name: str = "class"
    other: Hashable | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", checked_domain(self.domain))
        object.__setattr__(self, "laws", dict(self.laws))
        if not self.laws:
            raise InvalidArgument("laws", {}, "at least one law")
        for name, law in self.laws.items():
            self._check(name, law)
        if self.other is not None and self.other not in self.domain:
            raise InvalidArgument("other", self.other, f"a value of the domain {_listed(self.domain)}")

    def _check(self, name: object, law: object) -> None:
        if not isinstance(name, str):
            raise InvalidArgument("name of a law", name, "text")
        if not isinstance(law, Law) or not law.is_finite:
            expected = "a law with finitely many outcomes; clamp a countable one, or reduce a class with atoms_of"
            raise InvalidArgument(f"law {name!r}", law, expected)
        outside = next((y for y in law.atoms if y not in self._places), None)
        if outside is not None:
            raise InvalidArgument(f"outcome of law {name!r}", outside, f"a value of the domain {_listed(self.domain)}")

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {y: i for i, y in enumerate(self.domain)}

    @cached_property
    def members(self) -> tuple[Law, ...]:
        """The laws, in their order."""
        return tuple(self.laws.values())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the laws, in their order."""
        return tuple(self.laws)

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Law]:
        return iter(self.members)

    @overload
    def __getitem__(self, index: int) -> Law: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Law]: ...

    def __getitem__(self, index: int | slice) -> Law | Sequence[Law]:
        return self.members[index]

    def __hash__(self) -> int:
        return hash((self.domain, self.names, self.members))

    def law(self, name: str) -> Law:
        """The law of that name. Raises `InvalidArgument`."""
        if name not in self.laws:
            raise InvalidArgument("name", name, f"the name of a law of {self.name}: {_listed(self.names)}")
        return self.laws[name]

    def name_of(self, law: Law) -> str:
        """The first name of a law of the class. Raises `InvalidArgument`."""
        if law not in self._named:
            raise InvalidArgument("law", law, f"a law of {self.name}: {_listed(self.names)}")
        return self._named[law]

    @cached_property
    def _named(self) -> dict[Law, str]:
        first: dict[Law, str] = {}
        for name, law in self.laws.items():
            first.setdefault(law, name)
        return first

    @property
    def repeated(self) -> dict[str, str]:
        """For every later name of a law that stands more than once: the first name."""
        return {name: self._named[law] for name, law in self.laws.items() if self._named[law] != name}

    @cached_property
    def tv_matrix(self) -> tuple[tuple[Number, ...], ...]:
        """TV(q, q') for all pairs, exactly."""
        aligned = Aligned(self.members)
        rows: list[list[Number]] = [[Fraction(0)] * len(self) for _ in self.members]
        for i, j in combinations(range(len(self)), 2):
            rows[i][j] = rows[j][i] = aligned.best_event(i, j, Fraction(1)).excess(Fraction(1))
        return tuple(map(tuple, rows))

    def placed(self, record: Hashable) -> Hashable:
        """A record of the domain as it is, any other one as `other`. Raises `InvalidArgument` when that is None."""
        if record in self._places:
            return record
        if self.other is None:
            raise InvalidArgument("record", record, f"a value of the public domain {_listed(self.domain)}")
        return self.other

    def read(self, text: str) -> Hashable:
        """The value of the domain that is written as this text; what is none is treated as by `placed`.

        >>> bernoulli_grid(2).read("1")
        1
        """
        return self._written[text] if text in self._written else self.placed(text)

    @cached_property
    def _written(self) -> dict[str, Hashable]:
        """By text; a value that is itself text comes before another one that is only written so."""
        return {str(y): y for y in sorted(self.domain, key=lambda y: isinstance(y, str))}


def grid_class(domain: Sequence[Hashable], denominator: int, *, budget: int = LAWS_AT_MOST) -> LawClass:
    """All laws on the domain whose masses are multiples of 1/N: C(N + K - 1, K - 1) of them. The grid G(K, N) of T1.

    Raises `InvalidArgument`, and `BudgetExceeded` beyond `budget` laws.

    >>> len(grid_class("abc", 4)), grid_class("ab", 2).names
    (15, ('a 0, b 1', 'a 1/2, b 1/2', 'a 1, b 0'))
    """
    values = checked_domain(domain)
    whole = _positive("denominator", denominator)
    _must_fit(comb(whole + len(values) - 1, len(values) - 1), f"with denominator {whole}", budget)
    laws = {}
    for bars in combinations(range(whole + len(values) - 1), len(values) - 1):
        edges = (-1, *bars, whole + len(values) - 1)
        masses = [Fraction(b - a - 1, whole) for a, b in pairwise(edges)]
        name = ", ".join(f"{y} {mass}" for y, mass in zip(_texts(values), masses, strict=True))
        laws[name] = Law(dict(zip(values, masses, strict=True)))
    return LawClass(values, laws, f"all laws with denominator {whole}")


def point_masses(domain: Sequence[Hashable]) -> LawClass:
    """The point masses on the domain: learnable from one record."""
    values = checked_domain(domain)
    return LawClass(values, {text: point(y) for text, y in zip(_texts(values), values, strict=True)}, "point masses")


def bernoulli_grid(denominator: int, *, budget: int = LAWS_AT_MOST) -> LawClass:
    """The laws on 0 and 1 that give 1 with probability i/N, i = 0, ..., N. Raises `BudgetExceeded` beyond `budget`.

    >>> bernoulli_grid(2).names
    ('0', '1/2', '1')
    """
    whole = _positive("denominator", denominator)
    _must_fit(whole + 1, f"with denominator {whole}", budget)
    biases = [Fraction(i, whole) for i in range(whole + 1)]
    return LawClass((0, 1), {str(p): Law({0: 1 - p, 1: p}) for p in biases}, f"coins with denominator {whole}")


def products(one: LawClass, *others: LawClass, budget: int = LAWS_AT_MOST) -> LawClass:
    """All product laws with a factor from each class: laws on tuples. Raises `BudgetExceeded` beyond `budget` laws.

    >>> pairs = products(bernoulli_grid(2), point_masses("ab"))
    >>> len(pairs), pairs.law("1/2 x a")[1, "a"]
    (6, Fraction(1, 2))
    """
    factors = (one, *others)
    _must_fit(prod(map(len, factors)), f"that are products of laws of {len(factors)} classes", budget)
    named = product(*(factor.laws.items() for factor in factors))
    laws = {" x ".join(name for name, _ in parts): _product([law for _, law in parts]) for parts in named}
    domain = tuple(product(*(factor.domain for factor in factors)))
    return LawClass(domain, laws, " x ".join(factor.name for factor in factors))


def binomials(trials: int, probabilities: Sequence[Number | int | str]) -> LawClass:
    """The binomial laws on 0, ..., n, one for each probability of success.

    >>> binomials(2, ["1/3"]).law("1/3")[2]
    Fraction(1, 9)
    """
    n = _positive("trials", trials)
    if n >= VALUES_AT_MOST:
        raise InvalidArgument("trials", trials, f"an int below {VALUES_AT_MOST}")
    laws = {}
    for p in _distinct("probabilities", probabilities):
        if not 0 <= p <= 1:
            raise InvalidArgument("probabilities", str(p), "numbers between 0 and 1")
        laws[str(p)] = Law({k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)})
    return LawClass(_range(0, n), laws, f"binomials of {n} trials")


def clamped_geometrics(low: int, high: int, scales: Sequence[Scale | Fraction | int | str]) -> LawClass:
    """Geometric laws, mass proportional to e^(-k/scale) on k >= 0, clamped to low..high: the tails move to the ends.

    >>> clamped_geometrics(0, 2, [1]).law("scale 1")[2]
    e^-2
    """
    domain = _range(low, high)
    laws = {f"scale {text}": clamped(geometric(scale), low, high) for text, scale in _scales(scales)}
    return LawClass(domain, laws, f"geometric laws clamped to {low}..{high}")


def clamped_laplaces(
    low: int, high: int, scales: Sequence[Scale | Fraction | int | str], centres: Sequence[int] = (0,)
) -> LawClass:
    """Discrete Laplace laws, mass proportional to e^(-|k - centre|/scale), clamped to low..high.

    >>> list(clamped_laplaces(0, 4, [1, 2], [1, 3]).names)
    ['centre 1, scale 1', 'centre 1, scale 2', 'centre 3, scale 1', 'centre 3, scale 2']
    """
    domain = _range(low, high)
    if len(set(centres)) < len(centres):
        raise InvalidArgument("centres", list(centres), "centres that are all different")
    laws = {
        f"centre {centre}, scale {text}": clamped(discrete_laplace(scale), low, high, centre)
        for centre in centres
        for text, scale in _scales(scales)
    }
    return LawClass(domain, laws, f"discrete Laplace laws clamped to {low}..{high}")


def clamped(law: Law, low: int, high: int, shift: int = 0) -> Law:
    """The law of max(low, min(high, shift + X)), X from a law on the integers, exactly. Raises `InvalidArgument`.

    >>> clamped(geometric(1), 0, 1)
    Law({0: 1 - e^-1, 1: e^-1})
    """
    _range(low, high)
    _integer("shift", shift)
    if low == high:
        return point(low)
    inner: dict[Hashable, Number] = {k: law[k - shift] for k in range(low + 1, high)}
    return Law({low: 1 - law.tail(low + 1 - shift), **inner, high: law.tail(high - shift)})


def _product(laws: Sequence[Law]) -> Law:
    first, *rest = laws
    return first.product(*rest)


def _texts(values: Sequence[Hashable]) -> list[str]:
    """The values as text, all different."""
    texts = [str(y) for y in values]
    return texts if len(set(texts)) == len(texts) else [repr(y) for y in values]


def _listed(values: Sequence[object], shown: int = 12) -> str:
    more = [f"... ({len(values)} in all)"] if len(values) > shown else []
    return ", ".join([*map(repr, values[:shown]), *more])


def _scales(scales: Sequence[Scale | Fraction | int | str]) -> list[tuple[str, Scale]]:
    """The scales with what they are called, each of them once."""
    found = [Scale.of(scale) for scale in scales]
    if len(set(found)) < len(found):
        raise InvalidArgument("scales", list(map(str, scales)), "scales that are all different")
    return [(str(one) if one.rate.unit != UNIT else str(1 / one.rate.coefficient), one) for one in found]


def _distinct(argument: str, values: Sequence[object]) -> list[Number]:
    numbers = [exact(value, argument) for value in values]
    if len(set(numbers)) < len(numbers):
        raise InvalidArgument(argument, list(map(str, numbers)), "numbers that are all different")
    return numbers


def _integer(argument: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidArgument(argument, value, "an int")
    return value


def _range(low: object, high: object) -> tuple[int, ...]:
    """The integers low, ..., high."""
    first, last = _integer("low", low), _integer("high", high)
    if first > last:
        raise InvalidArgument("high", high, f"an int of at least {low}, the low end")
    if last - first >= VALUES_AT_MOST:
        raise InvalidArgument("high", high, f"a domain of at most {VALUES_AT_MOST} values")
    return tuple(range(first, last + 1))


def _positive(argument: str, value: object) -> int:
    if _integer(argument, value) < 1:
        raise InvalidArgument(argument, value, "an int of at least 1")
    return _integer(argument, value)


def _must_fit(count: int, which: str, budget: int) -> None:
    if count > budget:
        raise BudgetExceeded(
            f"there are {count} laws {which}, and the budget is {budget}; take a coarser class, or give budget=N",
            estimate=count,
            budget=budget,
        )
