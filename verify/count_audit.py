"""The privacy of Aggregate on every tuple of so many laws: all count vectors, and every move of one law to another.

What Aggregate releases depends on how often each of r distinct laws stands in its tuple. Two neighbouring tuples have
the same count vector, or differ by a move i -> j: one law fewer of kind i, one more of kind j. So all neighbouring
tuples are decided by the r (r - 1) C(k + r - 2, r - 1) ordered pairs of count vectors of sum k that differ by a move,
and the answer is exact (see `exactdp.verify.rows`). Paper: Proposition B.1 and Corollary B.4, by T8.

Nothing is assumed of the release curve but its values; another rule than a release curve can be given as a `Rule`.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil, comb, log2
from time import perf_counter

import numpy as np

from exactdp.reference.counted import CountedAggregate, CountTable, Pattern
from exactdp.reference.sampler import checked_count
from exactdp.spec.cells import Cell
from exactdp.spec.claim import Kind, Verdict
from exactdp.spec.divergence import Event
from exactdp.spec.enclosure import float_bounds, floor_scaled
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.number import Number, exact
from exactdp.spec.release_curve import ReleaseCurve
from exactdp.spec.vector import Vector, vector
from exactdp.verify.audit import Witness
from exactdp.verify.decide import Floats, Integers, LeastFactor, Positions
from exactdp.verify.rows import RowDecider, Rows, Tiers, lowered, raised
from exactdp.verify.universe import Progress, quiet

Bounds = tuple[int, int]

ZERO = Fraction(0)
SMALLEST = 2.0**-300
"""Bounds of numbers in between are moved out to it and to 0, so that products of three of them do not underflow."""

PAIRS_AT_MOST = 20_000_000
"""How many ordered pairs are decided, unless the caller says otherwise."""

SPARE_BITS = 128
"""Integers have so many bits more than it takes to see the smallest numbers that occur; only speed depends on it."""

Answer = Mapping[int | None, Number]
"""What becomes of a pattern: how likely the value of each of its blocks is released, and the default (None)."""

Rule = Callable[[Pattern, CountTable], tuple[Positions, Sequence[Answer]]]
"""For every row of a table of count vectors the position of its answer, and all answers that occur."""


def released_by(curve: ReleaseCurve) -> Rule:
    """The rule of a stability-based mode: the winning block with probability r_D, and otherwise the default."""
    known: dict[int, tuple[Number, Number]] = {}

    def answer(block: int, distance: int) -> Answer:
        if distance not in known:
            known[distance] = curve[distance], 1 - curve[distance]
        released, rest = known[distance]
        return {block: released, None: rest} if distance else {None: Fraction(1)}

    def rule(pattern: Pattern, counts: CountTable) -> tuple[Positions, Sequence[Answer]]:
        (blocks, distances), n = pattern.winners(counts), len(pattern.blocks)
        codes = np.where(distances > 0, distances * n + blocks, 0)
        occurring = np.flatnonzero(np.bincount(codes))
        places = np.zeros(int(codes.max()) + 1, dtype=np.intp)
        places[occurring] = np.arange(len(occurring))
        return places[codes], [answer(int(code) % n, int(code) // n) for code in occurring]

    return rule


class CountRows(Rows):
    """The laws of Aggregate under many count vectors, one in each row of `counts`.

    With the answer a of a pattern under the counts, and the measures mu of the values of its blocks,

        Pr[y] = sum over patterns of (sum over blocks of a[block] mu[block][y], and a[None] * mass if y is the default).

    All terms are numbers >= 0. As floats, a row of p patterns with at most B blocks passes through B + 2 roundings for
    each pattern (a product, and B or fewer sums) and p more sums: B + 2 + p roundings, of outward bounds.
    """

    def __init__(self, counted: CountedAggregate, counts: CountTable, rule: Rule | None = None) -> None:
        self.patterns = counted.patterns
        self.counts = counts
        self.cells, self.measures = _cells(self.patterns, counted.mode.default)
        checked_rule(rule)
        answers = released_by(counted.mode.curve) if rule is None else rule
        answered = [answers(pattern, counts) for pattern in self.patterns]
        self.states = [states for states, _ in answered]
        self.answers = [answers for _, answers in answered]
        if rule is not None:
            _must_be_laws(answer for answers in self.answers for answer in answers)
        self._floats: dict[int, tuple[Number, tuple[float, float]]] = {}
        self._integers: dict[int, tuple[Number, Bounds]] = {}
        self._parts: dict[tuple[int, int], list[Number]] = {}
        self._exact: dict[int, Vector] = {}
        self.low, self.high = self._bounds()
        smallest = min((low for _, (low, _) in self._floats.values() if low > SMALLEST), default=1.0)
        self.bits = SPARE_BITS + 2 * ceil(-log2(smallest))

    def _bounds(self) -> tuple[Floats, Floats]:
        low, high = np.zeros((2, len(self.cells), len(self.counts)))
        for n, states in enumerate(self.states):
            (a_low, a_high), (m_low, m_high) = self._answer_bounds(n), self._measure_bounds(n)
            for y, (least, most) in enumerate(zip((a_low @ m_low).T, (a_high @ m_high).T, strict=True)):
                low[y] += least[states]
                high[y] += most[states]
        roundings = max(len(pattern.blocks) for pattern in self.patterns) + 2 + len(self.patterns)
        return lowered(low, roundings), raised(high, roundings)

    def _answer_bounds(self, n: int) -> tuple[Floats, Floats]:
        blocks: list[int | None] = [*range(len(self.patterns[n].blocks)), None]
        return self._table([[answer.get(block, ZERO) for block in blocks] for answer in self.answers[n]])

    def _measure_bounds(self, n: int) -> tuple[Floats, Floats]:
        return self._table(self.measures[n])

    def _table(self, numbers: Sequence[Sequence[Number]]) -> tuple[Floats, Floats]:
        """Outward float bounds of numbers >= 0: 0 or at least `SMALLEST`."""
        table = np.array([[self._float_bounds(x) for x in row] for row in numbers], dtype=np.float64)
        low, high = table[:, :, 0], table[:, :, 1]
        return np.where(low < SMALLEST, 0, low), np.where(high > 0, np.maximum(high, SMALLEST), 0)

    def _float_bounds(self, number: Number) -> tuple[float, float]:
        if id(number) not in self._floats:
            if number < 0:
                raise InvalidArgument("rule", str(number), "a release curve or a rule whose answers are probabilities")
            self._floats[id(number)] = number, float_bounds(number)
        return self._floats[id(number)][1]

    def integers(self, y: int, laws: Positions) -> tuple[Integers, Integers]:
        """As in `Rows`."""
        low, high = np.zeros((2, len(laws)), dtype=object)
        for states, (least, most) in zip(self.states, self._integer_parts, strict=True):
            low += least[y][states[laws]]
            high += most[y][states[laws]]
        return low, high

    @cached_property
    def _integer_parts(self) -> list[tuple[Integers, Integers]]:
        """For each pattern integers around 2^bits times what it contributes to each cell (rows) in each state."""
        tables = []
        for measures, answers in zip(self.measures, self.answers, strict=True):
            low, high = np.zeros((2, len(self.cells), len(answers)), dtype=object)
            for state, answer in enumerate(answers):
                for block, chance in answer.items():
                    a, b = self._integer_bounds(chance)
                    for y, mass in enumerate(measures[-1 if block is None else block]):
                        c, d = self._integer_bounds(mass)
                        low[y, state] += a * c >> self.bits
                        high[y, state] -= -b * d >> self.bits
            tables.append((low, high))
        return tables

    def _integer_bounds(self, number: Number) -> Bounds:
        if id(number) not in self._integers:
            low = floor_scaled(number, self.bits) if number else 0
            self._integers[id(number)] = number, (low, low + bool(number))
        return self._integers[id(number)][1]

    def exact(self, i: int) -> Vector:
        """As in `Rows`."""
        if i not in self._exact:
            parts = [self.part(n, int(states[i])) for n, states in enumerate(self.states)]
            self._exact[i] = vector([total(column) for column in zip(*parts, strict=True)])
        return self._exact[i]

    def part(self, n: int, state: int) -> list[Number]:
        """What pattern n contributes to each cell in one of its states."""
        if (n, state) not in self._parts:
            chances = self.answers[n][state].items()
            rows = [
                [chance * mass for mass in self.measures[n][-1 if block is None else block]]
                for block, chance in chances
            ]
            self._parts[n, state] = [total(column) for column in zip(*rows, strict=True)]
        return self._parts[n, state]

    def classes(self, laws: Positions) -> Positions:
        """Equal when all patterns are in the same states."""
        codes = np.zeros(len(laws), dtype=np.intp)
        for states, answers in zip(self.states, self.answers, strict=True):
            codes = np.unique(codes * len(answers) + states[laws], return_inverse=True)[1]
        return codes


def total(numbers: Sequence[Number]) -> Number:
    """The sum, by one common denominator."""
    present = [x for x in numbers if x]
    return vector(present).total() if present else ZERO


def _must_be_laws(answers: Iterable[Answer]) -> None:
    """Raises `InvalidArgument` for an answer that does not sum to 1."""
    for answer in answers:
        if total(list(answer.values())) != 1:
            raise InvalidArgument("rule", dict(answer), "a rule whose answers sum to 1 over the blocks and the default")


def _cells(
    patterns: Sequence[Pattern], default: Hashable
) -> tuple[tuple[tuple[Cell, ...], ...], list[list[list[Number]]]]:
    """The cells of all laws, and for each pattern the measures of its blocks, and of the default (last), on them.

    Outcomes whose measures are proportional, in all blocks of all patterns at once, are one cell; the default is one of
    its own.
    """
    measures = [measure for pattern in patterns for measure in pattern.values]
    groups: dict[tuple[Number, ...], list[Hashable]] = {}
    for y in dict.fromkeys(y for measure in measures for y in measure if y != default):
        column = [measure.get(y, ZERO) for measure in measures]
        first = next(x for x in column if x)
        groups.setdefault(tuple(x / first for x in column), []).append(y)
    outcomes = [*groups.values(), [default]]
    table = []
    for pattern in patterns:
        rows = [[total([m.get(y, ZERO) for y in ys]) for ys in outcomes] for m in pattern.values]
        table.append([*rows, [*[ZERO] * len(groups), pattern.mass]])
    return tuple(tuple(map(Cell, ys)) for ys in outcomes), table


# -- all count vectors, and all moves --


def count_vectors(blocks: int, laws: int) -> CountTable:
    """All vectors of `laws` counts with sum `blocks`, in descending lexicographic order.

    >>> count_vectors(2, 2).tolist()
    [[2, 0], [1, 1], [0, 2]]
    """
    rest = np.array([blocks], dtype=np.int64)
    columns: list[CountTable] = []
    for _ in range(laws - 1):
        sizes = rest + 1
        repeated = np.repeat(rest, sizes)
        used = repeated - (np.arange(len(repeated)) - np.repeat(np.cumsum(sizes) - sizes, sizes))
        columns = [np.repeat(column, sizes) for column in columns]
        columns.append(used)
        rest = repeated - used
    return np.stack([*columns, rest], axis=1)


def moves(counts: CountTable) -> tuple[Positions, Positions]:
    """All ordered pairs of positions of count vectors that differ by a move; `counts` as `count_vectors` gives them.

    Before c stand, for every i, those that agree with c up to i and are larger there: N(r - i, s_{i+1} - 1) of them,
    where s_i = c_i + ... + c_{r-1}, and N(m, s) = C(s + m - 1, m - 1) vectors of m counts have sum s. A move i -> j,
    i < j, raises s_{i+1}, ..., s_j by 1, so it goes sum over i <= a < j of N(r - a - 1, s_{a+1}) places down.
    """
    r, k = counts.shape[1], int(counts[0].sum())
    sums = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    first, second = [], []
    for i, j in combinations(range(r), 2):
        source = np.flatnonzero(counts[:, i])
        target = source.copy()
        for a in range(i, j):
            number = np.array([comb(s + r - a - 2, r - a - 2) for s in range(k + 1)], dtype=np.intp)
            target += number[sums[source, a + 1]]
        first += [source, target]
        second += [target, source]
    nothing = [np.zeros(0, dtype=np.intp)]
    return np.concatenate(first or nothing), np.concatenate(second or nothing)


# -- the audit --


@dataclass(frozen=True)
class NeighbourAudit:
    """What an audit of all neighbours found; `level` says what its pairs are pairs of.

    `worst_delta` is the exact maximum of H_E over all ordered pairs at E = `factor`, attained at `worst_pair` on
    `worst_event`. `epsilon_star` is the least E that the claimed `delta` allows, decided by `star_pair`. `tiers` and
    `star_tiers` say how the pairs were decided, for the worst delta and in the last look for epsilon*.
    """

    level: str
    factor: Number
    delta: Number
    verdict: Verdict
    worst_delta: Number
    worst_pair: tuple[tuple[int, ...], tuple[int, ...]]
    worst_event: Event
    epsilon_star: LeastFactor
    star_pair: tuple[tuple[int, ...], tuple[int, ...]]
    pairs: int
    tiers: Tiers
    star_tiers: Tiers
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.level}, {self.pairs} ordered pairs: {self.verdict}"


def audit_aggregate(
    counted: CountedAggregate,
    blocks: int,
    *,
    factor: Number | int | str | None = None,
    delta: Number | int | str | None = None,
    rule: Rule | None = None,
    budget: int = PAIRS_AT_MOST,
    progress: Progress = quiet,
) -> NeighbourAudit:
    """Whether Aggregate is private on all tuples of `blocks` laws out of `counted.laws`, for every changed law.

    The claim is H_E <= delta, with E = `factor` and `delta` those of the release curve unless they are given. `rule`
    replaces the release curve: what becomes of each pattern under each count vector. Raises `InvalidArgument` and
    `BudgetExceeded`.

    >>> from exactdp.reference.mode import StabilityBasedMode
    >>> from exactdp.spec.law import Law
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/100"))
    >>> result = audit_aggregate(CountedAggregate((Law({0: 1}), Law({1: 1})), mode), 30)
    >>> print(result, result.worst_delta, result.worst_pair)
    count vectors, 60 ordered pairs: holds 1/192 ((16, 14), (15, 15))
    """
    begin = perf_counter()
    if not isinstance(counted, CountedAggregate):
        raise InvalidArgument("counted", counted, "Aggregate on distinct laws, as CountedAggregate((P, Q), mode)")
    k, r, claim = checked_count("blocks", blocks), len(counted.laws), checked_claim(counted.mode.curve, factor, delta)
    checked_rule(rule)
    check_pairs(r * (r - 1) * comb(k + r - 2, r - 1), budget, f"{k} laws of {r} kinds")
    counts = count_vectors(k, r)
    decider = RowDecider(CountRows(counted, counts, rule), *moves(counts), progress)
    return decided("count vectors", decider, counts, claim, begin)


def decided(
    level: str,
    decider: RowDecider,
    names: CountTable,
    claim: tuple[Number, Number],
    begin: float,
) -> NeighbourAudit:
    """The audit of a decider's pairs for a claimed E and delta; row i of `names` is what its law i is called."""
    factor, delta = claim

    def named(pair: tuple[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        one, other = (tuple(map(int, names[i])) for i in pair)
        return one, other

    worst = decider.worst(factor)
    tiers = decider.tiers
    star = decider.least_factor(delta)
    verdict = Verdict(Kind.HOLDS)
    if not worst.delta <= delta:
        verdict = Verdict(Kind.REFUTED, Witness(named(worst.pair), worst.event))
    elif not worst.delta:
        verdict = Verdict(Kind.VACUOUS, reason="delta is 0 on all pairs: nothing was put to the test")
    return NeighbourAudit(
        level=level,
        factor=factor,
        delta=delta,
        verdict=verdict,
        worst_delta=worst.delta,
        worst_pair=named(worst.pair),
        worst_event=worst.event,
        epsilon_star=star,
        star_pair=named(star.pair),
        pairs=decider.size,
        tiers=tiers,
        star_tiers=decider.tiers,
        seconds=perf_counter() - begin,
    )


def checked_claim(
    curve: ReleaseCurve, factor: Number | int | str | None, delta: Number | int | str | None
) -> tuple[Number, Number]:
    """E and delta of the claim, those of the release curve where they are None. Raises `InvalidArgument`."""
    E = exact(curve.factor if factor is None else factor, "factor")
    d = exact(curve.claimed if delta is None else delta, "delta")
    if not E >= 1:
        raise InvalidArgument("factor", str(E), "e^epsilon, a number of at least 1")
    if not 0 <= d < 1:
        raise InvalidArgument("delta", str(d), "a number of at least 0 and below 1")
    return E, d


def checked_rule(rule: object) -> None:
    """Raises `InvalidArgument` for something that is neither None nor a rule."""
    if rule is not None and not callable(rule):
        expected = "a function of a pattern and a table of counts, or None for the release curve"
        raise InvalidArgument("rule", rule, expected)


def check_pairs(pairs: int, budget: int, where: str) -> None:
    """Raises `BudgetExceeded` for more ordered pairs than the budget, and `InvalidArgument` for a wrong budget."""
    if pairs > checked_count("budget", budget):
        raise BudgetExceeded(
            f"{where} have {pairs} ordered pairs of neighbours; give a larger budget to decide them all",
            estimate=pairs,
            budget=budget,
        )
