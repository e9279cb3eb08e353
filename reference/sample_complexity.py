"""How often a learner fails, exactly, and how many records it therefore needs.

    fail(L, p, n, alpha) = sum over S in X^n of p^n(S) * [TV(L(S), p) >= alpha], averaged over the seeds of L.

A symmetric learner is asked once for each vector of counts, the minimum-distance estimator once for each vector of
counts of the atoms of its sets, any other learner once for each word. The failure probability need not fall with every
record, so the sample complexity is the smallest m from which on it stays at most beta: exactly up to a horizon, and
beyond it by a bound that holds for every n, where there is one. Paper: Definitions 1.2 and C.1.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, chain, combinations, product, repeat
from math import comb, factorial
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactdp.reference.estimators import Counts, MinimumDistance, YatracosTable
from exactdp.reference.learners import AnyLearner, Learner, as_learner, check_records
from exactdp.spec.agnostic import optimum
from exactdp.spec.enclosure import decimal, floor_scaled
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exact, exp
from exactdp.spec.table import Table
from exactdp.spec.tuples import distance

BUDGET = 500_000
"""How many vectors of counts, or words, times seeds, one probability may look at."""

BITS = 256
WHOLE = 1 << BITS
"""Bounds are rounded up to multiples of 2^-256."""

Integers = NDArray[Any]
"""An array of Python integers of any size."""


def failure_probability(
    learner: AnyLearner, p: Law, n: int, alpha: Number | int | str, *, budget: int = BUDGET
) -> Number:
    """Pr over S ~ p^n and the seeds that TV(L(S), p) >= alpha, exactly; a failure is not strict. Definition 1.2.

    A countable p is welcome for the minimum-distance estimator of a class that contains it. Raises `InvalidArgument`,
    and `BudgetExceeded` with the number of vectors or words.

    >>> from exactdp.reference.learners import empirical
    >>> failure_probability(empirical(), Law({0: "1/2", 1: "1/2"}), 4, "1/4")
    Fraction(5, 8)
    """
    radius = exact(alpha, "alpha")
    return _probability(as_learner(learner), p, n, lambda q: distance(q, p) >= radius, budget)


def agnostic_failure_probability(
    learner: AnyLearner,
    laws: Sequence[Law],
    p: Law,
    n: int,
    alpha: Number | int | str,
    *,
    constant: Number | int | str = 3,
    budget: int = BUDGET,
) -> Number:
    """Pr that TV(L(S), p) > C * OPT(p) + alpha, with OPT(p) = min over q in the class of TV(q, p). Definition C.1.

    Here the failure is strict. Raises as `failure_probability`.

    >>> from exactdp.reference.estimators import minimum_distance
    >>> coins = [Law({0: "1/4", 1: "3/4"}), Law({0: "3/4", 1: "1/4"})]
    >>> agnostic_failure_probability(minimum_distance(coins, "1/8"), coins, Law({0: "1/3", 1: "2/3"}), 1, "1/10")
    Fraction(1, 3)
    """
    _must_have_laws(laws)
    radius = exact(constant, "constant") * optimum(laws, p) + exact(alpha, "alpha")
    return _probability(as_learner(learner), p, n, lambda q: distance(q, p) > radius, budget)


def deviation_probability(
    laws: Sequence[Law], p: Law, n: int, threshold: Number | int | str, *, budget: int = BUDGET
) -> Number:
    """Pr over S ~ p^n that Delta_S = max over A in Yat of |P_S(A) - p(A)| exceeds the threshold, strictly; exactly.

    At the threshold alpha/4 this is step S3 of Theorem C.4. Raises as `failure_probability`.

    >>> coins = [Law({0: "1/4", 1: "3/4"}), Law({0: "3/4", 1: "1/4"})]
    >>> deviation_probability(coins, coins[0], 2, "1/4")
    Fraction(1, 16)
    """
    table, limit = YatracosTable(laws), exact(threshold, "threshold")
    cells, masses = _cells_of_atoms(table, p)
    types = count_vectors(_records(n), len(cells), budget=budget)
    over = table.masses_of(p).exceeds(_spread(types, cells, len(table.atoms)), limit)
    return mass_of_types(masses, types[over])


def count_vectors(n: int, cells: int, *, budget: int = BUDGET) -> Counts:
    """All ways to write n as an ordered sum over the cells, one in a row. Raises `BudgetExceeded` before it starts.

    >>> count_vectors(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    _must_fit(comb(n + cells - 1, n), f"vectors of {n} counts over {cells} cells", budget)
    return _count_vectors(n, cells)


@lru_cache(maxsize=4)
def _count_vectors(n: int, cells: int) -> Counts:
    bars = np.array(list(combinations(range(n + cells - 1), cells - 1)), dtype=np.int64)
    bars = bars.reshape(comb(n + cells - 1, n), cells - 1)
    ends = np.full((len(bars), 1), n + cells - 1)
    return np.diff(np.hstack([-np.ones_like(ends), bars, ends])) - 1


def mass_of_types(masses: Sequence[Number], types: Counts, ways: Sequence[int] | None = None) -> Number:
    """The sum over the rows c of ways(c) * product of masses[y]^c[y]; ways None is the multinomial coefficients.

    The masses are those of a law. Raises `SymbolicEpsilon` when they depend on an epsilon that has no value.

    >>> mass_of_types([Fraction(1, 4), Fraction(3, 4)], count_vectors(5, 2))
    Fraction(1, 1)
    """
    if not len(types):
        return Fraction(0)
    n = int(types[0].sum())
    weights = multinomials(types) if ways is None else _objects(ways)
    table = Table([Law(dict(enumerate(masses)))])
    tops = dict(zip(table.outcomes, table.columns[0], strict=True))
    one = table.den // table.den
    for y in range(len(masses)):
        powers = accumulate(repeat(tops.get(y, 0 * one), n), mul, initial=one)
        weights = weights * _objects(list(powers))[types[:, y]]
    return table.ring.number(weights.sum(), table.den**n)


def _objects(values: Sequence[object]) -> Integers:
    """An array of objects as they are; numpy would look into those that are sequences."""
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def multinomials(types: Counts) -> Integers:
    """n! / (c_1! ... c_K!) for every row, as Python integers."""
    n = int(types[0].sum())
    factorials = _objects([factorial(c) for c in range(n + 1)])
    below = factorials[types[:, 0]]
    for y in range(1, types.shape[1]):
        below = below * factorials[types[:, y]]
    found: Integers = factorials[n] // below
    return found


# -- the types, or words, on which a learner errs --


def _probability(learner: Learner, p: Law, n: object, bad: Callable[[Law], bool], budget: int) -> Number:
    size = _records(n)
    if isinstance(learner, MinimumDistance):
        return _nearest_probability(learner, p, size, bad, budget)
    if not isinstance(p, Law) or not p.is_finite:
        raise InvalidArgument("p", p, "a law with finitely many outcomes")
    outcomes, masses = list(p.support()), [mass for _, mass in p.items()]
    _must_fit(
        len(learner.seeds)
        * (comb(size + len(outcomes) - 1, size) if learner.symmetric else len(outcomes) ** min(size, 10_000)),
        f"{'vectors of counts' if learner.symmetric else 'words'} and seeds, for {size} records",
        budget,
    )
    total: Number = Fraction(0)
    answers = _Answers(bad)
    for seed, weight in learner.seeds.items():
        found = _bad_types if learner.symmetric else _bad_words
        types, ways = found(learner, outcomes, size, seed, answers)
        total = total + weight * mass_of_types(masses, types, ways)
    return total


class _Answers:
    """Whether a law is a failure, asked once for each law object."""

    def __init__(self, bad: Callable[[Law], bool]) -> None:
        self._bad = bad
        self._known: dict[int, tuple[Law, bool]] = {}

    def __call__(self, law: Law) -> bool:
        if id(law) not in self._known:
            self._known[id(law)] = law, self._bad(law)
        return self._known[id(law)][1]


def _bad_types(
    learner: Learner, outcomes: Sequence[Hashable], n: int, seed: Hashable, bad: Callable[[Law], bool]
) -> tuple[Counts, None]:
    types = count_vectors(n, len(outcomes), budget=comb(n + len(outcomes) - 1, n))
    return types[[bad(learner(_block(outcomes, row), seed)) for row in types.tolist()]], None


def _bad_words(
    learner: Learner, outcomes: Sequence[Hashable], n: int, seed: Hashable, bad: Callable[[Law], bool]
) -> tuple[Counts, list[int]]:
    ways: dict[tuple[int, ...], int] = {}
    for word in product(range(len(outcomes)), repeat=n):
        if bad(learner(tuple(outcomes[y] for y in word), seed)):
            row = tuple(map(word.count, range(len(outcomes))))
            ways[row] = ways.get(row, 0) + 1
    return np.array(list(ways), dtype=np.int64), list(ways.values())


def _block(outcomes: Sequence[Hashable], counts: Sequence[int]) -> tuple[Hashable, ...]:
    return tuple(chain.from_iterable(map(repeat, outcomes, counts)))


def _nearest_probability(learner: MinimumDistance, p: Law, n: int, bad: Callable[[Law], bool], budget: int) -> Number:
    cells, masses = _cells_of_atoms(learner.table, p)
    types = count_vectors(n, len(cells), budget=budget)
    chosen = _choices(learner, n, cells)
    wrong = np.zeros(len(learner.table.laws), dtype=np.bool_)
    for i in np.unique(chosen).tolist():
        wrong[i] = bad(learner.table.laws[i])
    return mass_of_types(masses, types[wrong[chosen]])


@lru_cache(maxsize=16)
def _choices(learner: MinimumDistance, n: int, cells: tuple[int, ...]) -> NDArray[np.intp]:
    types = _spread(_count_vectors(n, len(cells)), cells, len(learner.table.atoms))
    return learner.table.choices(types, learner.alpha)


def _cells_of_atoms(table: YatracosTable, p: Law) -> tuple[tuple[int, ...], list[Number]]:
    """The atoms that p can hit, with their masses."""
    if table.domain is not None:
        check_records(list(p.atoms), table.domain)
    law = table.atoms.of(p)
    cells = tuple(a for a in range(len(table.atoms)) if law[a])
    return cells, [law[a] for a in cells]


def _spread(types: Counts, cells: Sequence[int], atoms: int) -> Counts:
    """Counts of some atoms as counts of all of them."""
    wide = np.zeros((len(types), atoms), dtype=np.int64)
    wide[:, list(cells)] = types
    return wide


# -- sample complexity --


@dataclass(frozen=True)
class Tail:
    """A bound of the failure probability for every law of a class: `bound(n)` holds for all sizes from n on, n >= 1."""

    name: str
    bound: Callable[[int], Number] = field(repr=False)

    def start(self, beta: Number, limit: int = 1 << 40) -> int | None:
        """The least n at which the bound is at most beta (up to its rounding); None beyond the limit."""
        high = 1
        while self.bound(high) > beta:
            high *= 2
            if high > limit:
                return None
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.bound(middle) <= beta else (middle, high)
        return high


def deviation_tail(learner: MinimumDistance, alpha: Number | int | str) -> Tail | None:
    """Hoeffding's inequality for the minimum-distance estimator, p in its class: 2 E e^(-2 n a^2).

    The estimator is at distance at most 2 Delta_S + slack/2 of p (steps S1 and S2 of Theorem C.4, OPT = 0). Let s be
    the least distance >= alpha between two laws of the class; a failure then needs Delta_S >= a = (s - slack/2)/2 on
    one of the E sets, a set and its complement counted once. None when a <= 0: the slack is too large for a bound.
    """
    table, radius = learner.table, exact(alpha, "alpha")
    distances = [d for i, q in enumerate(table.laws) for p in table.laws[:i] if (d := distance(q, p)) >= radius]
    if not distances:
        return Tail("there are no two laws so far apart", lambda n: Fraction(0))
    needed = (min(distances) - learner.alpha / 2) / 2
    if needed <= 0:
        return None
    a = needed if isinstance(needed, Fraction) else Fraction(floor_scaled(needed, 64), 1 << 64)
    possible = [i for i in range(len(table.atoms)) if any(law[i] for law in table.atoms.on_atoms)]
    rows = table.events[:, possible]
    sets = len({min(row.tobytes(), (~row).tobytes()) for row in rows if row.any() and not row.all()})
    return Tail(
        f"Hoeffding, {sets} set{'s' * (sets != 1)}, deviation {decimal(a, 4)}", lambda n: 2 * sets * exp(-2 * n * a * a)
    )


def likelihood_tail(laws: Sequence[Law], alpha: Number | int | str) -> Tail:
    """The bound for maximum likelihood, p in the class: the sum over wrong q of (1 - TV(p, q)^2)^floor(n/2).

    Pr[q^n(S) >= p^n(S)] is at most the n-th power of the sum of sqrt(p q), whose square is at most 1 - TV^2. Powers are
    rounded up to multiples of 2^-256: exact ones have more digits than there are records.

    >>> tail = likelihood_tail([Law({0: "1/4", 1: "3/4"}), Law({0: "3/4", 1: "1/4"})], "1/10")
    >>> tail.bound(4), tail.start(Fraction(1, 20))
    (Fraction(9, 16), 22)
    """
    radius, members = exact(alpha, "alpha"), list(dict.fromkeys(laws))
    rows = [[WHOLE - floor_scaled(d * d, BITS) for q in members if (d := distance(q, p)) >= radius] for p in members]

    @lru_cache(maxsize=1 << 10)
    def bound(n: int) -> Number:
        return Fraction(max(sum(power_above(square, n // 2) for square in row) for row in rows), WHOLE)

    return Tail("likelihoods, sums of (1 - TV^2)^(n/2)", bound)


def power_above(base: int, n: int) -> int:
    """An upper bound of x^n, 0 <= x <= 1: numbers are multiples of 2^-256, and each product is rounded up.

    >>> power_above(WHOLE // 2, 10) == WHOLE // 1024
    True
    """
    result = WHOLE
    while n:
        if n & 1:
            result = -(-result * base >> BITS)
        base, n = -(-base * base >> BITS), n >> 1
    return result


def first_record_tail(laws: Sequence[Law]) -> Tail:
    """The first record never errs on point masses: the bound 0. Raises `InvalidArgument` for any other class."""
    other = next((law for law in laws if len(law) > 1), None)
    if other is not None:
        raise InvalidArgument("laws", other, "point masses alone: any other law can give a first record that errs")
    return Tail("every record of a point mass is its point", lambda n: Fraction(0))


@dataclass(frozen=True)
class SampleComplexity:
    """The least m such that at every n >= m the failure probability is at most beta for every law of the class.

    `failures[n - 1]` is the largest exact failure probability with n records, n = 1, ..., horizon. `size` is m, or None
    when even the horizon fails. From `tail_start` on the tail bound is at most beta; without one it is None.
    """

    size: int | None
    beta: Number
    failures: tuple[Number, ...]
    tail: Tail | None
    tail_start: int | None

    @property
    def horizon(self) -> int:
        """The largest n that was computed exactly."""
        return len(self.failures)

    @property
    def is_proved(self) -> bool:
        """Whether m is right for all n: the tail bound takes over at the horizon."""
        return self.size is not None and self.tail_start is not None and self.tail_start <= self.horizon + 1

    @property
    def rises(self) -> tuple[int, ...]:
        """The n at which one more record made the failure probability larger."""
        pairs = enumerate(zip(self.failures, self.failures[1:], strict=False), start=2)
        return tuple(n for n, (before, after) in pairs if after > before)

    @property
    def first_success(self) -> int | None:
        """The least n at which the failure probability is at most beta; a larger n may fail again."""
        return next((n for n, failure in enumerate(self.failures, start=1) if failure <= self.beta), None)

    def __str__(self) -> str:
        if self.size is None:
            return (
                f"no m up to the horizon {self.horizon}: there the failure probability is {decimal(self.failures[-1])}"
            )
        if self.is_proved and self.tail is not None:
            return f"m = {self.size}: exact up to n = {self.horizon}, proved beyond ({self.tail.name})"
        beyond = "" if self.tail_start is None else f"; horizon {self.tail_start - 1} would prove it for all n"
        return f"m = {self.size}: exact up to the horizon n = {self.horizon}, not proved beyond{beyond}"


def sample_complexity(
    learner: Learner | Callable[[int], Learner],
    laws: Sequence[Law],
    alpha: Number | int | str,
    beta: Number | int | str,
    horizon: int,
    *,
    tail: Tail | None = None,
    budget: int = BUDGET,
) -> SampleComplexity:
    """The sample complexity of a learner on a class, at (alpha, beta). Definition 1.2, m read as at least 1.

    `learner` may be a function of n that gives the learner for n records. The tail of the minimum-distance estimator is
    found by itself. Raises `InvalidArgument` unless 0 < alpha, beta < 1 and horizon >= 1, and for a tail that an exact
    failure probability exceeds; `BudgetExceeded` as `failure_probability`.

    >>> from exactdp.reference.estimators import minimum_distance
    >>> coins = [Law({0: "1/4", 1: "3/4"}), Law({0: "3/4", 1: "1/4"})]
    >>> found = sample_complexity(minimum_distance(coins, "1/8"), coins, "1/4", "1/10", 40)
    >>> found.size, found.is_proved
    (9, True)
    """
    radius, allowed = _in_unit_interval("alpha", alpha), _in_unit_interval("beta", beta)
    _must_have_laws(laws)
    if tail is None and isinstance(learner, MinimumDistance) and set(laws) <= set(learner.table.laws):
        tail = deviation_tail(learner, radius)
    members = list(dict.fromkeys(laws))
    failures: list[Number] = []
    for n in range(1, _records(horizon, "horizon") + 1):
        one = learner if isinstance(learner, Learner) else learner(n)
        failures.append(max(failure_probability(one, p, n, radius, budget=budget) for p in members))
        if tail is not None and failures[-1] > tail.bound(n):
            raise InvalidArgument("tail", tail.name, f"a bound on the failure probability, {failures[-1]} at n = {n}")
    last = max((n for n, failure in enumerate(failures, start=1) if failure > allowed), default=0)
    size = last + 1 if last < len(failures) else None
    return SampleComplexity(size, allowed, tuple(failures), tail, tail.start(allowed) if tail else None)


def _must_have_laws(laws: Sequence[Law]) -> None:
    if not len(laws):
        raise InvalidArgument("laws", list(laws), "at least one law")


def _in_unit_interval(argument: str, value: Number | int | str) -> Number:
    number = exact(value, argument)
    if not 0 < number < 1:
        raise InvalidArgument(argument, str(value), "a number strictly between 0 and 1, such as '1/10'")
    return number


def _records(n: object, argument: str = "n") -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InvalidArgument(argument, n, "an int of at least 1: a number of records")
    return n


def _must_fit(count: int, what: str, budget: int) -> None:
    if count > budget:
        size = f"{count:.1e}" if count.bit_length() < 1000 else "more than 1e300"
        raise BudgetExceeded(
            f"there are {size} {what}, and the budget is {budget}; give budget=N, fewer records, or a coarser class",
            estimate=count,
            budget=budget,
        )
