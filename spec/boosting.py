"""Boosting: of many private estimates, the one that most of the others are close to.

The lines of the algorithm (Algorithm 4); why the one that is chosen is good as soon as more than half of the estimates
are, whatever the others are; and how unlikely it is that they are not (Theorem 6.1). Nothing here runs: an instance
brings the kernels and the laws along.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import NamedTuple

from exactdp.spec.claim import Claim, flag
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.learning import (
    BlackBoxSizes,
    Complexity,
    are_black_box_sizes,
    failure_probability,
    records_bound,
    sample_size,
)
from exactdp.spec.mode import Bottom
from exactdp.spec.number import Number, exp
from exactdp.spec.sampler import Dataset, DatasetKernel, blocks_differ
from exactdp.spec.sampler_utility import binomial_tail
from exactdp.spec.tuples import distance, entries, equal

SECTION = "Section 6: boosting"
ZERO, ONE = Fraction(0), Fraction(1)
THIRD, TWO_THIRDS, HALF, EIGHTH = Fraction(1, 3), Fraction(2, 3), Fraction(1, 2), Fraction(1, 8)

Estimate = Law | Bottom
Estimates = tuple[Estimate, ...]
Choose = Callable[[Estimates, Dataset], int]
"""Line 6: from the estimates, and the data at which it must not look, to an index."""


# -- the algorithm --


def apart(p: Estimate, q: Estimate) -> Number:
    """TV(P, Q); an estimate that was not given is at distance 1 from every law, and from itself.

    >>> apart(Law({0: 1}), Law({0: "3/4", 1: "1/4"})), apart(Bottom.BOTTOM, Bottom.BOTTOM)
    (Fraction(1, 4), Fraction(1, 1))
    """
    return distance(p, q) if isinstance(p, Law) and isinstance(q, Law) else ONE


def split_in_turn(data: Dataset, runs: int, records: int) -> tuple[Dataset, ...]:
    """Line 3: S_1 is the first c records, S_2 the next c, and so on.

    >>> split_in_turn(tuple("abcde"), 2, 2)
    (('a', 'b'), ('c', 'd'))
    """
    return tuple(data[t * records : (t + 1) * records] for t in range(runs))


def near_counts(estimates: Sequence[Estimate], radius: Number) -> list[int]:
    """Line 5: N_t, how many estimates are within the radius of estimate t, not strictly; t itself is counted.

    >>> laws = [Law({0: x, 1: 1 - Fraction(x)}) for x in ("1/2", "1/4", "0")]
    >>> near_counts(laws, Fraction(1, 4)), near_counts([Bottom.BOTTOM], Fraction(1, 4))
    ([2, 3, 2], [0])
    """
    return [sum(apart(p, q) <= radius for q in estimates) for p in estimates]


def choices(estimates: Sequence[Estimate], alpha: Number) -> list[int]:
    """Line 6: all the indices that maximise N_t at the radius (2/3) alpha; any of them may be chosen."""
    counts = near_counts(estimates, TWO_THIRDS * alpha)
    return [t for t, n in enumerate(counts) if n == max(counts)]


class BoostedSizes(NamedTuple):
    """alpha0, beta0, delta0, T, the parameters of one run, and n."""

    alpha0: Fraction
    beta0: Fraction
    delta0: Fraction
    runs: int
    run: BlackBoxSizes
    records: int


def are_enough_runs(runs: int, beta: Fraction) -> bool:
    """Whether T >= 128 log(1/beta), decided as e^T >= (1/beta)^128.

    >>> [are_enough_runs(T, Fraction(1, 20)) for T in (383, 384)]
    [False, True]
    """
    return exp(Fraction(runs)) >= (1 / beta) ** 128


@dataclass(frozen=True)
class BoostedLines:
    """What lines 3 to 7 use: alpha, T, c, the kernel of PrivateLearner on one part, and how an index is chosen.

    `together` is the law of (p_1, ..., p_T) for given parts, None for independent coins.
    """

    alpha: Number
    runs: int
    records: int
    private_learner: DatasetKernel
    choose: Choose
    split: Callable[[Dataset, int, int], tuple[Dataset, ...]] = split_in_turn
    together: Callable[[tuple[Dataset, ...]], Law] | None = None

    def parts(self, data: Dataset) -> tuple[Dataset, ...]:
        """S_1, ..., S_T."""
        return self.split(data, self.runs, self.records)

    def independent(self, parts: Sequence[Dataset]) -> Law:
        """The product of the laws of the runs."""
        first, *others = (self.private_learner(part) for part in parts)
        return first.product(*others)

    def estimates(self, parts: tuple[Dataset, ...]) -> Law:
        """The law of (p_1, ..., p_T)."""
        return self.independent(parts) if self.together is None else self.together(parts)

    def chosen(self, estimates: Law, data: Dataset) -> Law:
        """The law of p_j."""
        return estimates.map(lambda found: entries(found)[self.choose(entries(found), data)])

    def answer(self, data: Dataset) -> Law:
        """The law of the answer."""
        return self.chosen(self.estimates(self.parts(data)), data)


@dataclass(frozen=True, repr=False)
class BoostedLinesInstance(Instance):
    """A dataset, the lines, the law of the enumerated program, and its law from the laws of the runs alone."""

    data: Dataset
    lines: BoostedLines
    program: DatasetKernel
    counted: DatasetKernel


@dataclass(frozen=True, repr=False)
class BoostedSizesInstance(Instance):
    """What lines 1 to 3 set, for these alpha, beta, epsilon and delta."""

    alpha: Fraction
    beta: Fraction
    epsilon: str
    delta: Fraction
    complexity: Complexity
    sizes: BoostedSizes


def _algorithm_claims(instance: "BoostedLinesInstance | BoostedSizesInstance") -> Iterator[Claim]:
    if isinstance(instance, BoostedLinesInstance):
        yield from _lines_claims(instance)
    else:
        yield from _size_claims(instance, ("line 1", "line 2", "line 3 size"))


def _size_claims(instance: "BoostedSizesInstance | BoostedInstance", steps: tuple[str, str, str]) -> Iterator[Claim]:
    sizes, first, second, third = instance.sizes, *steps
    yield Claim(f"{first}: alpha0 = alpha/3", 3 * sizes.alpha0, "==", instance.alpha, instance)
    yield Claim(f"{first}: beta0 = 1/8", sizes.beta0, "==", EIGHTH, instance)
    yield Claim(f"{first}: delta0 = min(delta, 1/32)", sizes.delta0, "==", min(instance.delta, EIGHTH / 4), instance)
    enough = are_enough_runs(sizes.runs, instance.beta) and not are_enough_runs(sizes.runs - 1, instance.beta)
    yield flag(f"{second}: T is the least integer of at least 128 log(1/beta)", enough, instance)
    asked = sizes.alpha0, sizes.beta0, Epsilon(instance.epsilon), sizes.delta0
    right = are_black_box_sizes(sizes.run, instance.complexity, *asked)
    yield flag(f"{third}: a run has the parameters of Theorem 5.1 at (alpha0, beta0, epsilon, delta0)", right, instance)
    whole = sizes.runs * sizes.run.blocks * sizes.run.block_size
    yield Claim(f"{third}: n = T c", Fraction(sizes.records), "==", Fraction(whole), instance)


def _lines_claims(instance: BoostedLinesInstance) -> Iterator[Claim]:
    data, lines = instance.data, instance.lines
    parts, places = lines.parts(data), lines.parts(tuple(range(len(data))))
    used = min(len(data), lines.runs * lines.records)
    cut = sorted(i for part in places for i in entries(part)) == list(range(used))
    yield flag("line 3 split: disjoint parts of c records", cut, instance)
    by_place = tuple(tuple(data[i] for i in entries(part)) for part in places)
    yield flag("line 3 split: fixed by positions, whatever the records are", by_place == parts, instance)
    estimates = lines.estimates(parts)
    yield equal("line 4: independent coins", estimates, lines.independent(parts), instance)
    yield from _choice_claims(instance, estimates)
    yield equal("lines 4 to 7: the program and p_j", instance.program(data), lines.chosen(estimates, data), instance)
    yield equal("from the laws of the runs: the law", instance.counted(data), instance.program(data), instance)


def _choice_claims(instance: BoostedLinesInstance, estimates: Law) -> Iterator[Claim]:
    """Lines 5 and 6, for all the estimates that can come together."""
    lines, data, wrong, looked = instance.lines, instance.data, 0, 0
    for found in map(entries, estimates.support()):
        j = lines.choose(found, data)
        wrong += j not in choices(found, lines.alpha)
        looked += any(lines.choose(found, other) != j for other in (data[::-1], data[:1] * len(data)))
    yield Claim(
        "lines 5 and 6: estimates of which none with the largest N is chosen", Fraction(wrong), "==", ZERO, instance
    )
    yield Claim("line 6: estimates of which other data would choose another", Fraction(looked), "==", ZERO, instance)


# -- choosing is safe --


def is_closer(far: Number, alpha0: Number) -> bool:
    """Whether an estimate at this distance from p is a good one: strictly closer than alpha0."""
    return far < alpha0


def is_more_than_half(good: int, runs: int) -> bool:
    """Whether |G| > T/2, strictly, for the set G of the good estimates."""
    return 2 * good > runs


@dataclass(frozen=True, repr=False)
class SelectionInstance(Instance):
    """All multisets of so many estimates from a grid, and all laws p of `targets`: steps S4 to S6.

    `accuracy` and `radius` are alpha0 and 2 alpha0 in parts of alpha. `is_good` and `is_most` say which estimates are
    in the set G of good ones, and whether it is large enough.
    """

    grid: Estimates
    targets: tuple[Law, ...]
    runs: int
    alpha: Fraction
    accuracy: Fraction = THIRD
    radius: Fraction = TWO_THIRDS
    is_good: Callable[[Number, Number], bool] = is_closer
    is_most: Callable[[int, int], bool] = is_more_than_half


class WorstSelection(NamedTuple):
    """How many multisets and p have enough good estimates, how many of these go wrong, and the proof's worst numbers.

    `widest` is the largest distance of two good estimates, `surplus` the least N_t - |G| of a good t, `most` the least
    N_j, `together` the least N_j + |G|, `shared` the least number of good ones that N_j counts, `farthest` the largest
    TV(p_j, p), for every j that may be chosen.
    """

    cases: int
    violations: int
    widest: Number
    surplus: int
    most: int
    together: int
    shared: int
    farthest: Number


def worst_selection(instance: SelectionInstance) -> WorstSelection | None:
    """The worst over all multisets, p and j; None when there are never enough good estimates.

    >>> grid = tuple(Law({0: Fraction(n, 4), 1: 1 - Fraction(n, 4)}) for n in range(5))
    >>> found = worst_selection(SelectionInstance("quarters", grid, grid, 3, Fraction(1, 2)))
    >>> found.cases, found.violations, found.farthest
    (25, 0, Fraction(1, 4))
    """
    found: WorstSelection | None = None
    for case in _selections(instance):
        found = case if found is None else _worse(found, case)
    return found


def _worse(a: WorstSelection, b: WorstSelection) -> WorstSelection:
    return WorstSelection(
        a.cases + b.cases, a.violations + b.violations, max(a.widest, b.widest), min(a.surplus, b.surplus),
        min(a.most, b.most), min(a.together, b.together), min(a.shared, b.shared), max(a.farthest, b.farthest),
    )  # fmt: skip


def _selections(instance: SelectionInstance) -> Iterator[WorstSelection]:
    """One multiset and p after the other."""
    grid, alpha0 = instance.grid, instance.accuracy * instance.alpha
    table = [[apart(p, q) for q in grid] for p in grid]
    near = [[far <= instance.radius * instance.alpha for far in row] for row in table]
    rows = [[apart(q, p) for q in grid] for p in instance.targets]
    goods = [{i for i, far in enumerate(row) if instance.is_good(far, alpha0)} for row in rows]
    for drawn in combinations_with_replacement(range(len(grid)), instance.runs):
        counts = {i: sum(near[i][t] for t in drawn) for i in drawn}
        most = max(counts.values())
        winners = [i for i, n in counts.items() if n == most]
        for row, all_good in zip(rows, goods, strict=True):
            good = [i for i in drawn if i in all_good]
            if good and instance.is_most(len(good), instance.runs):
                distinct, farthest = set(good), max(row[j] for j in winners)
                yield WorstSelection(
                    1,
                    int(not farthest < instance.alpha),
                    max(table[i][t] for i in distinct for t in distinct),
                    min(counts[t] for t in distinct) - len(good),
                    most,
                    most + len(good),
                    min(sum(near[j][i] for i in good) for j in winners),
                    farthest,
                )


def is_well_selected(estimates: Estimates, p: Law, alpha: Fraction) -> bool:
    """Whether every estimate that may be chosen is closer than alpha to p; true when no majority is good.

    *Paper:* steps S4 to S6 of Theorem 6.1, for one tuple.

    >>> laws = tuple(Law({0: x, 1: 1 - Fraction(x)}) for x in ("1/2", "3/5", "1/10"))
    >>> is_well_selected(laws, laws[0], Fraction(2, 5))
    True
    """
    good = sum(is_closer(apart(q, p), alpha / 3) for q in estimates)
    chosen = (apart(estimates[j], p) for j in choices(estimates, alpha))
    return not is_more_than_half(good, len(estimates)) or all(far < alpha for far in chosen)


def _selection_claims(instance: SelectionInstance) -> Iterator[Claim]:
    worst, T = worst_selection(instance), Fraction(instance.runs)
    if worst is None:
        return
    alpha0, least = instance.accuracy * instance.alpha, Fraction(worst.most)
    yield Claim("S4 pairs: distance of two good estimates, and 2 alpha0", worst.widest, "<", 2 * alpha0, instance)
    yield Claim("S4 counts: N_t - |G| for a good t", Fraction(worst.surplus), ">=", ZERO, instance)
    yield Claim("S4 maximum: N_j and T/2", least, ">", T / 2, instance)
    yield Claim("S5 pigeonhole: N_j + |G|, and T", Fraction(worst.together), ">", T, instance)
    yield Claim("S5 shared: good estimates that N_j counts", Fraction(worst.shared), ">=", ONE, instance)
    yield Claim("S6: TV(p_j, p) and alpha", worst.farthest, "<", instance.alpha, instance)


# -- privacy --


@dataclass(frozen=True, repr=False)
class RunsInstance(Instance):
    """Ordered pairs of neighbouring datasets, the lines, E = e^epsilon, delta0 of a run and delta of the whole."""

    pairs: tuple[tuple[Dataset, Dataset], ...]
    lines: BoostedLines
    factor: Number
    delta0: Number
    delta: Number


def _privacy_claims(instance: RunsInstance) -> Iterator[Claim]:
    lines, factor = instance.lines, instance.factor
    for before, after in instance.pairs:
        shown, mine, theirs = f"{before} to {after}", lines.parts(before), lines.parts(after)
        changed = Fraction(blocks_differ(mine, theirs))
        yield Claim(f"S1 parts: {shown}, that see the change", changed, "<=", ONE, instance)
        runs = (
            (lines.private_learner(a), lines.private_learner(b)) for a, b in zip(mine, theirs, strict=False) if a != b
        )
        one = max((exact_divergence(p, q, factor) for p, q in runs), default=ZERO)
        yield Claim(f"S1 one run: {shown}", one, "<=", instance.delta0, instance)
        both = lines.estimates(mine), lines.estimates(theirs)
        every = exact_divergence(*both, factor)
        yield Claim(f"S1 parallel: {shown}, all runs and the one", every, "==", one, instance)
        answers = lines.chosen(both[0], before), lines.chosen(both[1], after)
        selected = exact_divergence(*answers, factor)
        yield Claim(f"S1 selection: {shown}, the answer and all runs", selected, "<=", every, instance)
        yield Claim(f"privacy: {shown}", selected, "<=", instance.delta, instance)


# -- the theorem --


@dataclass(frozen=True, repr=False)
class BoostedInstance(Instance):
    """A class, m, and the boosted learner on it, at alpha, beta, epsilon, delta; S ~ p^n.

    `estimate` is the law of one run's answer over its part, `answer` that of the boosted learner, perhaps with mass
    unresolved, which counts as failing. `worst_delta` is the largest H_E of a run over neighbours, as a function of E.
    `bad` is the share of runs that have to fail; the paper's is 1/2.
    """

    laws: tuple[Law, ...]
    alpha: Fraction
    beta: Fraction
    epsilon: str
    delta: Fraction
    complexity: Complexity
    sizes: BoostedSizes
    estimate: Callable[[Law], Law]
    answer: Callable[[Law], Law]
    worst_delta: Callable[[Number], Number]
    audited: str
    bad: Fraction = HALF


def hoeffding_of_runs(runs: int) -> Number:
    """exp(-2 T (1/2 - 1/8)^2) = exp(-9 T / 32).

    >>> hoeffding_of_runs(32) == exp(-9)
    True
    """
    return exp(Fraction(-9 * runs, 32))


def _boosted_claims(instance: BoostedInstance) -> Iterator[Claim]:
    sizes, T, beta = instance.sizes, instance.sizes.runs, instance.beta
    yield from _size_claims(instance, ("parameters", "parameters", "parameters"))
    worst = instance.worst_delta(exp(Epsilon(instance.epsilon)))
    yield Claim(f"S1 one run: delta over {instance.audited}", worst, "<=", sizes.delta0, instance)
    yield Claim("S1 delta0: delta0 and delta", sizes.delta0, "<=", instance.delta, instance)
    tail = binomial_tail(T, EIGHTH, T * instance.bad)
    yield Claim("S3 Hoeffding: Pr[Bin(T, 1/8) >= T/2]", tail, "<=", hoeffding_of_runs(T), instance)
    yield Claim("S3 runs: exp(-9T/32) and beta^36", hoeffding_of_runs(T), "<=", beta**36, instance)
    yield from _growth_claims(instance)
    for i, p in enumerate(instance.laws):
        missed = failure_probability(instance.estimate(p), p, sizes.alpha0)
        yield Claim(f"S2: law {i}, Pr[TV(p_t, p) >= alpha0]", missed, "<=", EIGHTH, instance)
        answer = instance.answer(p)
        failed = failure_probability(answer, p, instance.alpha)
        if isinstance(missed, Fraction) and not answer.unresolved:
            rare = binomial_tail(T, missed, T * instance.bad)
            yield Claim(f"S3 rare: law {i}, Pr[|G| <= T/2]", rare, "<=", tail, instance)
            yield Claim(f"S6 event: law {i}, failure and |G| <= T/2", failed, "<=", rare, instance)
        yield Claim(f"conclusion: law {i}, Pr[TV(q, p) >= alpha]", failed, "<=", beta, instance)


def _growth_claims(instance: BoostedInstance) -> Iterator[Claim]:
    """S7, each comparison of logarithms as one of their exponentials."""
    sizes, delta, beta, epsilon = instance.sizes, instance.delta, instance.beta, Epsilon(instance.epsilon)
    inner = 512 * sample_size(instance.complexity, instance.alpha / 3, Fraction(1, 32)) * sizes.run.eta
    yield Claim("S7 eta: 512 m(alpha/3, 1/32) eta", inner, "==", ONE, instance)
    yield Claim("S7 logs: log(32/delta0) and 5 log(4/delta)", 32 / sizes.delta0, "<=", (4 / delta) ** 5, instance)
    runs = exp(Fraction(sizes.runs))
    yield Claim("S7 runs: T and 128 log(4/beta)", runs, "<=", (4 / beta) ** 128, instance)
    blocks = exp(epsilon * sizes.run.blocks)
    yield Claim("S7 blocks: k and 321 log(4/delta)/epsilon", blocks, "<=", (4 / delta) ** 321, instance)
    n = sizes.records
    most = records_bound(instance.complexity, instance.alpha, beta, epsilon, delta, n)
    yield Claim("S7 records: n, 41100 b log(4/delta) log(4/beta)/epsilon", Fraction(n), "<=", most, instance)


def _theorem_claims(instance: SelectionInstance | RunsInstance | BoostedInstance) -> Iterator[Claim]:
    if isinstance(instance, SelectionInstance):
        yield from _selection_claims(instance)
    elif isinstance(instance, RunsInstance):
        yield from _privacy_claims(instance)
    else:
        yield from _boosted_claims(instance)


# -- the items --

ALGORITHM = register(
    Item(
        id="alg-4",
        kind="algorithm",
        section=SECTION,
        title="BoostedLearner",
        statement="""
On records S = (X_1, ..., X_n), for alpha, beta, epsilon, delta:

    1  alpha0 <- alpha/3;  beta0 <- 1/8;  delta0 <- min{delta, beta0/4}
    2  T <- ceil(128 log(1/beta))
    3  S_1, ..., S_T <- fixed disjoint parts of S, each of c records, the n of Theorem 5.1 at (alpha0, beta0, epsilon,
       delta0)
    4  p_t <- PrivateLearner(S_t, alpha0, beta0, epsilon, delta0), with independent coins
    5  N_t <- |{i : TV(p_t, p_i) <= (2/3) alpha}|      (non-strict; t itself is counted)
    6  j <- an index that maximises N_t, found from the p_t alone
    7  return p_j

A run that declines to answer is near no estimate. The law of the answer depends on the laws of the runs alone.
""".strip(),
        uses=("alg-3", "thm-5.1"),
        claims=_algorithm_claims,
        predicates=(split_in_turn, near_counts, choices, apart, are_enough_runs),
        central="lines 4 to 7",
    )
)

THEOREM = register(
    Item(
        id="thm-6.1",
        kind="theorem",
        section=SECTION,
        title="The boosted private learner",
        statement="""
BoostedLearner is (epsilon, delta)-private, and Pr[TV(q, p) >= alpha] <= beta for every p of the class, S ~ p^n, with

    n  =  O( m(1/(512 m(alpha/3, 1/32)), 1/16) log(4/delta) log(4/beta) / epsilon ).

S1. Every run is (epsilon, delta0)-private; the parts are disjoint and fixed, so all runs together are as private as
    the one that sees the change (Lemma 2.5). Choosing is post-processing (Proposition 2.4). delta0 <= delta.
S2. Pr[TV(p_t, p) < alpha0] >= 7/8, independently in t. Let G be the set of these good t.
S3. Pr[|G| <= T/2]  <=  Pr[Bin(T, 1/8) >= T/2]  <=  exp(-9T/32)  <=  beta^36  <=  beta.
S4. If |G| > T/2: two good estimates are closer than 2 alpha0, so N_t >= |G| for every good t, and N_j > T/2.
S5. N_j + |G| > T, so some i that N_j counts is good.
S6. TV(p_j, p)  <=  TV(p_j, p_i) + TV(p_i, p)  <  2 alpha0 + alpha0  =  alpha.
S7. eta = 1/(512 m(alpha/3, 1/32));  log(32/delta0) <= 5 log(4/delta);  T <= 128 log(4/beta);
    k <= 321 log(4/delta)/epsilon;  n <= 41100 b log(4/delta) log(4/beta)/epsilon, b = m(eta, 1/16).

S4 to S6 say nothing of chance: all multisets of estimates on a grid are tried, with every law p.
""".strip(),
        uses=("alg-4", "thm-5.1", "lem-2.5", "prop-2.4", "def-1.2"),
        claims=_theorem_claims,
        predicates=(is_closer, is_more_than_half, worst_selection, is_well_selected, hoeffding_of_runs),
    )
)
