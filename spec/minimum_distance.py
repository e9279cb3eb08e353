"""The minimum-distance estimator: the Yatracos sets of a class, what it promises about them, and covers of a class.

For records S let P_S be their empirical law. The estimator compares D(S, q) = max over A of |P_S(A) - q(A)|, A from the
Yatracos sets of the class. What it promises for one S is deterministic, in terms of Delta_S = max over A of
|P_S(A) - p(A)|; that Delta_S is small is a matter of chance. All types of S are tried. Paper: appendix C.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple

from exactdp.spec.agnostic import APPENDIX, optimum
from exactdp.spec.claim import Claim, flag
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.sampler import Dataset
from exactdp.spec.tuples import distance
from exactdp.spec.yatracos import (
    excess,
    is_cover,
    is_shattered,
    largest_ball,
    locally_small,
    shattered_set,
    vc_dimension,
    yatracos_class,
    yatracos_set,
)

ZERO, ONE = Fraction(0), Fraction(1)
POINTS_OF_AT_MOST = 6
"""On so many points all sets of points are tried."""

Domain = tuple[Hashable, ...]
Masses = tuple[Number, ...]
"""The masses of a law on the domain, in its order."""
Family = Callable[[Sequence[Law], Sequence[Hashable]], tuple[int, ...]]
"""From a class and its domain to sets, as bit masks."""
Gap = Callable[[Masses, Masses, Sequence[Sequence[int]]], Number]
"""How far two laws are apart on some sets, given by the places of their points."""
Estimate = Callable[[Dataset], Law]
"""From records to a law."""


# -- Yatracos sets --


@dataclass(frozen=True, repr=False)
class YatracosInstance(Instance):
    """A class on a domain, the set that is fixed for a pair of laws, the family of all of them, and its VC dimension.

    `countable` are laws of which those of the class are the laws of the atom: they are as far apart.
    """

    laws: tuple[Law, ...]
    domain: Domain
    fixed: Callable[[Law, Law], frozenset[Hashable]] = yatracos_set
    family: Family = yatracos_class
    dimension: Callable[[tuple[int, ...]], int] = vc_dimension
    countable: tuple[Law, ...] = ()


def largest_excess(q: Law, other: Law, domain: Sequence[Hashable]) -> Number:
    """The largest q(A) - q'(A) over all sets A of points, one after the other.

    >>> largest_excess(Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"}), (0, 1))
    Fraction(1, 2)
    """
    return max(excess(q, other, frozenset(event)) for event in _subsets(domain))


def dimension_by_enumeration(family: Sequence[int], points: int) -> int:
    """The size of the largest set of points, of all of them, that the sets shatter.

    >>> dimension_by_enumeration([0b00, 0b01, 0b10, 0b11], 2), dimension_by_enumeration([0b00, 0b01, 0b10], 2)
    (2, 1)
    """
    sets = [frozenset(places_of(mask)) for mask in family]
    return max(len(chosen) for chosen in _subsets(range(points)) if is_shattered(sets, chosen))


def places_of(mask: int) -> tuple[int, ...]:
    """The positions of the bits of a set.

    >>> places_of(0b101)
    (0, 2)
    """
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def _subsets(points: Sequence[Hashable]) -> Iterator[tuple[Hashable, ...]]:
    return chain.from_iterable(combinations(points, size) for size in range(len(points) + 1))


def _yatracos_claims(instance: YatracosInstance) -> Iterator[Claim]:
    laws, domain, small = instance.laws, instance.domain, len(instance.domain) <= POINTS_OF_AT_MOST
    for (i, q), (j, other) in product(enumerate(laws), repeat=2):
        event = instance.fixed(q, other)
        if q == other:
            yield Claim(f"diagonal: laws {i} and {j}, points", Fraction(len(event)), "==", ZERO, instance)
        attained = excess(q, other, event)
        yield Claim(f"attained: law {i} over law {j}", attained, "==", distance(q, other), instance)
        if small:
            best = largest_excess(q, other, domain)
            yield Claim(f"every event: law {i} over law {j}", attained, "==", best, instance)
    family = instance.family(laws, domain)
    fixed = {_mask(instance.fixed(q, other), domain) for q, other in product(laws, repeat=2)}
    others = len(fixed.symmetric_difference(family)) + len(family) - len(set(family))
    yield Claim("class: sets missing, foreign or listed twice", Fraction(others), "==", ZERO, instance)
    dimension = instance.dimension(family)
    if small:
        counted = dimension_by_enumeration(family, len(domain))
        yield Claim("VC: by enumeration", Fraction(dimension), "==", Fraction(counted), instance)
    yield Claim("VC size: 2^d and the number of sets", Fraction(2**dimension), "<=", Fraction(len(family)), instance)
    for (i, q), (j, other) in combinations(enumerate(instance.countable), 2):
        yield Claim(f"atoms: laws {i} and {j}", distance(laws[i], laws[j]), "==", distance(q, other), instance)


def _mask(event: frozenset[Hashable], domain: Domain) -> int:
    return sum(1 << i for i, y in enumerate(domain) if y in event)


# -- the estimator --


def largest_gap(one: Masses, other: Masses, events: Sequence[Sequence[int]]) -> Number:
    """max over the sets A of |P(A) - Q(A)|: D(S, q) for P_S and q, Delta_S for P_S and p.

    >>> third = Fraction(1, 3)
    >>> largest_gap((third, third, third), (ZERO, ZERO, ONE), [(0,), (0, 1)])
    Fraction(2, 3)
    """
    gaps = [sum((one[i] - other[i] for i in event), start=ZERO) for event in events]
    return max((max(gap, -gap) for gap in gaps), default=ZERO)


def first_near_enough(distances: Sequence[Number], alpha: Number) -> int:
    """The place of the first q with D(S, q) <= min over q' of D(S, q') + alpha/2.

    >>> first_near_enough([Fraction(1, 2), Fraction(1, 4), Fraction(0)], Fraction(1, 2))
    1
    """
    limit = min(distances) + alpha / 2
    return next(i for i, apart in enumerate(distances) if apart <= limit)


def union_tail(records: int, sets: int, threshold: Number) -> Number:
    """2 |Yat| e^(-2 n t^2): Hoeffding's bound of Pr[Delta_S > t], summed over the sets; for a rational t.

    >>> union_tail(8, 3, Fraction(1, 4))
    6*e^-1
    """
    assert isinstance(threshold, Fraction), "the exponent is rational"
    return 2 * sets * exp(-2 * records * threshold * threshold)


def are_enough_records(records: int, sets: int, alpha: Number, beta: Number) -> bool:
    """Whether 2 |Yat| e^(-n alpha^2 / 8) <= beta, that is, n >= 8 log(2 |Yat|/beta)/alpha^2.

    This is a number that a union bound proves; the theorem's own has the VC dimension for log |Yat|, and a universal
    constant that is not given.

    >>> [are_enough_records(n, 3, Fraction(9, 10), Fraction(1, 2)) for n in (24, 25)]
    [False, True]
    """
    return union_tail(records, sets, alpha / 4) <= beta


@dataclass(frozen=True, repr=False)
class MinimumDistanceInstance(Instance):
    """A class on a domain, a law p of the data, n, alpha and beta, and an estimator.

    The rest says which sets are compared, how D and Delta_S are measured, the tail bound, the 3 of 3 OPT, and when
    there are enough records.
    """

    laws: tuple[Law, ...]
    domain: Domain
    p: Law
    records: int
    alpha: Fraction
    beta: Fraction
    estimate: Estimate
    family: Family = yatracos_class
    gap: Gap = largest_gap
    deviation: Gap = largest_gap
    tail: Callable[[int, int, Number], Number] = union_tail
    constant: Fraction = Fraction(3)
    enough: Callable[[int, int, Number, Number], bool] = are_enough_records


class _Type(NamedTuple):
    """A type of S: its records in one order, its probability, and what is measured on it; `reach` is D(S, q^)."""

    word: Dataset
    chance: Number
    distances: tuple[Number, ...]
    deviation: Number
    chosen: Law
    reach: Number


class _Types:
    """All types of n records, with what the claims need of them."""

    def __init__(self, instance: MinimumDistanceInstance) -> None:
        self.instance, self.domain = instance, instance.domain
        self.events = [places_of(mask) for mask in instance.family(instance.laws, instance.domain)]
        self.p, self.laws = self.masses(instance.p), [self.masses(q) for q in instance.laws]
        words = combinations_with_replacement(self.domain, instance.records)
        self.all = [self.measured(word) for word in words]

    def masses(self, law: Law) -> Masses:
        """The masses on the domain."""
        return tuple(law[y] for y in self.domain)

    def measured(self, word: Dataset) -> _Type:
        """One type."""
        instance, n, counted = self.instance, len(word), Counter(word)
        counts = [counted[y] for y in self.domain]
        chance: Number = Fraction(factorial(n) // prod(map(factorial, counts)))
        for mass, count in zip(self.p, counts, strict=True):
            chance = chance * mass**count
        empirical = tuple(Fraction(count, n) for count in counts)
        chosen = instance.estimate(word)
        *distances, reach = (instance.gap(empirical, q, self.events) for q in [*self.laws, self.masses(chosen)])
        deviation = instance.deviation(empirical, self.p, self.events)
        return _Type(word, chance, tuple(distances), deviation, chosen, reach)

    def worst(self, label: str, sides: Callable[[_Type], tuple[Number, Number]]) -> Claim:
        """The claim left <= right at the type where it has the least room."""
        found = [
            Claim(f"{label} S = {one.word}", left, "<=", right, self.instance)
            for one in self.all
            for left, right in [sides(one)]
        ]
        return min(found, key=lambda claim: claim.margin)

    def probability(self, event: Callable[[_Type], bool]) -> Number:
        """The probability of an event over S ~ p^n."""
        return sum((one.chance for one in self.all if event(one)), start=ZERO)


def _estimator_claims(instance: MinimumDistanceInstance) -> Iterator[Claim]:
    types, alpha = _Types(instance), instance.alpha
    best, sets = optimum(instance.laws, instance.p), len(types.events)
    wrong = sum(one.chosen != instance.laws[first_near_enough(one.distances, alpha)] for one in types.all)
    yield Claim("selection: types with another law", Fraction(wrong), "==", ZERO, instance)
    for i, q in enumerate(instance.laws):
        yield from _law_claims(types, i, q)
    yield types.worst("S2:", lambda one: (_missed(instance, one), _promised(instance, best, one)))
    over = types.probability(lambda one: one.deviation > alpha / 4)
    tail = instance.tail(instance.records, sets, alpha / 4)
    yield Claim("S3: Pr[Delta_S > alpha/4] and 2 |Yat| e^(-n alpha^2/8)", over, "<=", tail, instance)
    failed = types.probability(lambda one: _missed(instance, one) > instance.constant * best + alpha)
    yield Claim("conclusion: Pr[TV > 3 OPT + alpha] and Pr[Delta_S > alpha/4]", failed, "<=", over, instance)
    if instance.enough(instance.records, sets, alpha, instance.beta):
        yield Claim("enough records: Pr[TV > 3 OPT + alpha] and beta", failed, "<=", instance.beta, instance)


def _law_claims(types: _Types, i: int, q: Law) -> Iterator[Claim]:
    """S1 for one q* of the class."""
    near, half = distance(q, types.instance.p), types.instance.alpha / 2
    yield types.worst(f"S1 sets: law {i},", lambda one: (distance(one.chosen, q), one.reach + one.distances[i]))
    yield types.worst(f"S1 rule: law {i},", lambda one: (one.reach, one.distances[i] + half))
    yield types.worst(f"S1 deviation: law {i},", lambda one: (one.distances[i], near + one.deviation))


def _missed(instance: MinimumDistanceInstance, one: _Type) -> Number:
    """TV(q^, p)."""
    return distance(one.chosen, instance.p)


def _promised(instance: MinimumDistanceInstance, best: Number, one: _Type) -> Number:
    """3 OPT(p) + 2 Delta_S + alpha/2."""
    return instance.constant * best + 2 * one.deviation + instance.alpha / 2


# -- covers --


@dataclass(frozen=True, repr=False)
class CoverInstance(Instance):
    """A class Q, H, alpha, and k for the radius 8 alpha; `covers` and `ball` decide what an alpha-cover is, and count.

    The k is the least one that is possible.
    """

    laws: tuple[Law, ...]
    cover: tuple[Law, ...]
    alpha: Number
    size: int
    covers: Callable[[Sequence[Law], Sequence[Law], Number], bool] = is_cover
    ball: Callable[[Sequence[Law], Number], int] = largest_ball


def _cover_claims(instance: CoverInstance) -> Iterator[Claim]:
    cover, laws, alpha = instance.cover, instance.laws, instance.alpha
    if not instance.covers(cover, laws, alpha):
        return
    foreign = sum(h not in laws for h in cover)
    yield Claim("part: laws of H outside Q", Fraction(foreign), "==", ZERO, instance)
    for i, q in enumerate(laws):
        yield Claim(f"cover: law {i}", min(distance(q, h) for h in cover), "<=", alpha, instance)
    members, radius = list(dict.fromkeys(cover)), 8 * alpha
    balls = [sum(distance(h, other) <= radius for other in members) for h in members]
    for i, ball in enumerate(balls):
        yield Claim(f"ball: law {i} of H, itself included", Fraction(ball), "<=", Fraction(instance.size), instance)
    least = instance.ball(cover, radius)
    yield Claim("least k: the largest ball", Fraction(least), "==", Fraction(max(balls)), instance)
    small = locally_small(cover, instance.size, radius) and not locally_small(cover, instance.size - 1, radius)
    yield flag("attained: (k, 8 alpha)-locally small, and not for k - 1", small, instance)


# -- the items --

YATRACOS = register(
    Item(
        id="def-C.3",
        kind="definition",
        section=APPENDIX,
        title="Yatracos class",
        statement="""
For every ordered pair of laws q, q' of a class Q fix a set A_{q,q'} that attains the total variation:

    q(A_{q,q'}) - q'(A_{q,q'})  =  TV(q, q');        here A_{q,q'} = {y : q(y) > q'(y)},  so that A_{q,q} is empty.

Yat(Q) is the set of all A_{q,q'}; its VC dimension is the size of the largest set of points that it shatters, for the
fixed choice. With >= for > the sets attain TV too, and complements do up to the sign; but {q >= q} is everything. For
countable laws the atoms of the sets stand for the points (step "atoms").
""".strip(),
        uses=(),
        claims=_yatracos_claims,
        predicates=(
            yatracos_set, excess, yatracos_class, vc_dimension, shattered_set, is_shattered,
            largest_excess, dimension_by_enumeration, places_of,
        ),
        central="attained",
    )
)  # fmt: skip

ESTIMATOR = register(
    Item(
        id="thm-C.4",
        kind="theorem",
        section=APPENDIX,
        title="Minimum-distance estimator",
        statement="""
Let Q be countable with d = VC(Yat(Q)) finite. The estimator returns the first q of a fixed enumeration with

    D(S, q)  <=  inf over q' of D(S, q') + alpha/2,      D(S, q) = sup over A in Yat(Q) of |P_S(A) - q(A)|.

With a universal C, n >= C (d + log(2/beta))/alpha^2 and S ~ p^n:  Pr[TV(q^, p) <= 3 OPT(p) + alpha] >= 1 - beta.

S1. For every q* in Q, with Delta_S = sup over A of |P_S(A) - p(A)|:
      TV(q^, q*) = (q^ - q*)(A_{q^,q*})  <=  D(S, q^) + D(S, q*)      ("sets")
      D(S, q^)  <=  D(S, q*) + alpha/2                                ("rule")
      D(S, q*)  <=  TV(q*, p) + Delta_S                               ("deviation")
S2. Hence TV(q^, p)  <=  3 OPT(p) + 2 Delta_S + alpha/2, for every S: tried on all types of n records.
S3. Delta_S <= alpha/4 with probability at least 1 - beta. The universal constant cannot be tested; the exact
    Pr[Delta_S > alpha/4] can, and is held against 2 |Yat(Q)| e^(-n alpha^2/8), Hoeffding's bound for a finite class.
Conclusion: the estimator fails at most as often as Delta_S > alpha/4; so with n >= 8 log(2 |Yat(Q)|/beta)/alpha^2, at
most with probability beta (step "enough records").
""".strip(),
        uses=("def-C.3", "def-C.1"),
        claims=_estimator_claims,
        predicates=(largest_gap, first_near_enough, union_tail, are_enough_records),
    )
)

COVERS = register(
    Item(
        id="rem-covers",
        kind="remark",
        section=APPENDIX,
        title="Locally small covers",
        statement="""
H, a part of Q, is an alpha-cover if every q in Q has an h in H with TV(q, h) <= alpha. It is (k, r)-locally small if

    |{h' in H : TV(h, h') <= r}|  <=  k    for every h in H,

h itself counted. With a (k, 8 alpha)-locally small alpha-cover, and some h within alpha of p, Bun, Kamath, Steinke and
Wu (2019) learn within 7 alpha from O((d + log(1/beta))/alpha^2 + (log(k/beta) + log(1/delta))/(alpha epsilon)) samples.
That theorem is quoted; what is tried here is what a cover is. Corollary C.5 needs none.
""".strip(),
        uses=("def-C.3",),
        claims=_cover_claims,
        predicates=(is_cover, largest_ball, locally_small),
        central="ball",
    )
)
