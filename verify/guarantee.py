"""The guarantee of a private learner, from its settings and the public class alone: before any data are looked at.

Privacy is that of the release: delta = r_1 at epsilon, exactly; all else is post-processing of it, or one run of it on
each of disjoint parts. Accuracy is the failure probability for records that are independent draws from p, for every p
of the class: from the exact law of the answer where there are few enough count vectors, elsewhere a certified bound.
The bound: the J ~ Bin(k, pi_p) blocks that learn p itself draw one and the same sample of p^l, which leads by at least
2 J - k. So

    TV(law of the sample, p^l) <= sum over j of Pr[J = j] (1 - r_D(j)),    D(j) = ceil((2 j - k)/2), r_D = 0 for D <= 0,

and the answer fails at most so often more than the final learner fails on p^l. Every number here is exact or is rounded
to the side that keeps the statement true.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import comb, gcd, log

import numpy as np

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.classes import LawClass
from exactdp.reference.estimators import MinimumDistance
from exactdp.reference.learned_law import CountVectors, boosted_law, excess, failure, law_from_draws, learned_law
from exactdp.reference.learners import Block, Learner
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sample_complexity import (
    Tail,
    count_vectors,
    deviation_tail,
    first_record_tail,
    likelihood_tail,
    mass_of_types,
)
from exactdp.reference.sampler_law import mixture_over_counts
from exactdp.spec.enclosure import floor_scaled
from exactdp.spec.errors import BudgetExceeded, MixedUnits
from exactdp.spec.law import UNRESOLVED, Bounds, Law
from exactdp.spec.number import Number
from exactdp.spec.rational import perfect_power
from exactdp.spec.release_curve import ReleaseCurve
from exactdp.spec.standard_laws import point
from exactdp.spec.tuples import distance
from exactdp.spec.vector import Rationals

BITS = 256
"""Probabilities are rounded to multiples of 2^-256, always to the safe side."""
ONE, WHOLE = Fraction(1), 1 << BITS
WORK = 20_000_000
"""How many steps the laws of what is learnt may take, for all laws of a class together."""
STEPS_OF_A_SUM, STEPS_OF_AN_OUTPUT = 100, 30
"""How much work an entry of a table of sums is, and a type of blocks with an output law."""
VECTORS, JOINT = 120_000, 80_000
"""How many count vectors, and joint outcomes of the coupled laws, exact laws for all p may be computed from."""
LAWS_AT_LEAST = 4
"""Classes with fewer laws than this have no larger share for each of them."""
NEGLIGIBLE = Fraction(1, 10**12)
"""What an exact law may leave out at most; it is added to both ends of what is reported."""


def share(budget: int, laws: Sequence[Law]) -> int:
    """The part of a budget that each law of a class has."""
    return budget // max(LAWS_AT_LEAST, len(laws))


# -- rounding ---------------------------------------------------------------------------------------------------------


def rounded_down(number: Number) -> Fraction:
    """The largest multiple of 2^-256 that is at most the number."""
    return Fraction(floor_scaled(number, BITS), WHOLE)


def rounded_up(number: Number) -> Fraction:
    """The number if it is such a multiple, otherwise the next one above it."""
    low = rounded_down(number)
    return low if low == number else low + Fraction(1, WHOLE)


def power_below(masses: Sequence[Number], n: int) -> list[int]:
    """The coefficients of (sum of masses[i] x^i)^n as multiples of 2^-256, each rounded down.

    >>> [Fraction(c, WHOLE) for c in power_below([Fraction(1, 4), Fraction(3, 4)], 2)]
    [Fraction(1, 16), Fraction(3, 8), Fraction(9, 16)]
    """
    result, base = [WHOLE], [floor_scaled(mass, BITS) for mass in masses]
    while n:
        if n & 1:
            result = _product(result, base)
        n >>= 1
        if n:
            base = _product(base, base)
    return result


def _product(one: list[int], other: list[int]) -> list[int]:
    return [c >> BITS for c in Rationals(one, 1).convolve(Rationals(other, 1)).entries]


def at_least_half(probability: Fraction, runs: int) -> Fraction:
    """An upper bound of Pr[Bin(T, x) >= T/2].

    >>> at_least_half(Fraction(1, 8), 3)
    Fraction(11, 256)
    """
    weights = power_below([1 - probability, probability], runs)
    return Fraction(WHOLE - sum(w for j, w in enumerate(weights) if 2 * j < runs), WHOLE)


# -- what a learner learns --------------------------------------------------------------------------------------------


class Method(ABC):
    """A learner on a class, and what is known of it: the law of what it learns, and how rarely it fails."""

    proper = False
    """Whether it learns laws of the class alone, whatever the records."""

    def __init__(self, laws: LawClass, learner: Learner) -> None:
        self.laws, self.learner = laws, learner
        self.tail = cache(self._tail)
        """From alpha: a bound of Pr[TV(L(S), p) >= alpha] for every law p of the class, where there is one."""

    def learnt(self, p: Law, n: int) -> Law:
        """The law of what is learnt from S ~ p^n; UNRESOLVED is rounding. Raises `BudgetExceeded`."""
        work, most = self.work(n), share(WORK, self.laws)
        if work > most:
            raise BudgetExceeded(f"what is learnt from {n} records takes {work} steps", estimate=work, budget=most)
        return self._learnt(p, n)

    @abstractmethod
    def work(self, n: int) -> int:
        """About how many steps `learnt` takes."""

    @abstractmethod
    def _learnt(self, p: Law, n: int) -> Law:
        """The same without a look at the budget."""

    def _tail(self, alpha: Number) -> Tail | None:
        """Nothing, unless a method knows better."""
        return None

    def failure(self, p: Law, n: int, alpha: Number, *, strict: bool = False) -> Fraction:
        """An upper bound of the probability that what is learnt from n records of p is not closer than alpha.

        With `strict` it is that of more than alpha. 1 when nothing is known.
        """
        try:
            found = (excess if strict else failure)(self.learnt(p, n), p, alpha)
            return rounded_up(found.high if isinstance(found, Bounds) else found)
        except BudgetExceeded:
            tail = self.tail(alpha)
            return ONE if tail is None else min(ONE, rounded_up(tail.bound(n)))

    def success(self, p: Law, n: int) -> Fraction:
        """A lower bound of the probability that exactly p is learnt from n records of p.

        What is closer to p than any other law of the class is p itself only if the learner is proper.
        """
        try:
            return rounded_down(self.learnt(p, n)[p])
        except BudgetExceeded:
            apart = [d for q in self.laws if (d := distance(p, q))]
            return 1 - self.failure(p, n, min(apart)) if apart and self.proper else Fraction(0)


class Enumerated(Method):
    """Any learner: every type of block is learnt from. A proper one learns laws of the class alone."""

    def __init__(
        self,
        laws: LawClass,
        learner: Learner,
        *,
        proper: bool = False,
        tail: Callable[[Number], Tail | None] = lambda _: None,
    ) -> None:
        self.proper, self._known = proper, tail
        super().__init__(laws, learner)
        self._outputs = lru_cache(maxsize=8)(lambda n: BlockOutputs(learner, laws.domain, n, budget=WORK))

    def work(self, n: int) -> int:
        """For every type of blocks its records, and every output: the laws of the class, or others for every type."""
        types = comb(n + len(self.laws.domain) - 1, n)
        return types * (n + STEPS_OF_AN_OUTPUT * (len(self.laws) if self.proper else types))

    def _learnt(self, p: Law, n: int) -> Law:
        return self._outputs(n).law(p)

    def _tail(self, alpha: Number) -> Tail | None:
        return self._known(alpha)


class FirstRecord(Method):
    """The point mass on the first record."""

    def _tail(self, alpha: Number) -> Tail | None:
        """It never errs on point masses; of other classes nothing is known."""
        return first_record_tail(self.laws) if all(len(p) == 1 for p in self.laws) else None

    def work(self, n: int) -> int:
        """Next to none."""
        return 1

    def _learnt(self, p: Law, n: int) -> Law:
        return Law({point(y): mass for y, mass in p.items()})


class Nearest(Method):
    """The minimum-distance estimator: blocks with the same counts of the atoms of its sets are gone through once."""

    proper = True

    def __init__(self, laws: LawClass, learner: MinimumDistance) -> None:
        super().__init__(laws, learner)
        self.estimator = learner
        self._choices = lru_cache(maxsize=8)(self._chosen)

    def _chosen(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        table = self.estimator.table
        types = count_vectors(n, len(table.atoms), budget=WORK)
        return types, table.choices(types, self.estimator.alpha)

    def work(self, n: int) -> int:
        """For every type of blocks, by atoms, its records and the laws of the class."""
        types = comb(n + len(self.estimator.table.atoms) - 1, n)
        return types * (n + STEPS_OF_AN_OUTPUT * len(self.laws))

    def _learnt(self, p: Law, n: int) -> Law:
        table = self.estimator.table
        types, chosen = self._choices(n)
        on_atoms = table.atoms.of(p)
        masses = [on_atoms[a] for a in range(len(table.atoms))]
        found = {table.laws[i]: mass_of_types(masses, types[chosen == i]) for i in np.unique(chosen).tolist()}
        return Law.of_parts(found, {})

    def _tail(self, alpha: Number) -> Tail | None:
        """Hoeffding's inequality for its sets."""
        return deviation_tail(self.estimator, alpha)


class Likelihood(Method):
    """Maximum likelihood, for a class in which the likelihoods of n records depend on one integer statistic alone."""

    proper = True

    def __init__(self, laws: LawClass, statistic: "Statistic") -> None:
        self.statistic = statistic

        def learn(block: Block, seed: Hashable) -> Law:
            return statistic.laws[statistic.place(len(block), sum(statistic.values[y] for y in block))]

        super().__init__(laws, Learner(learn, "maximum likelihood", symmetric=True))
        self._sums = lru_cache(maxsize=64)(statistic.sums)

    def work(self, n: int) -> int:
        """The length of the table of sums, each entry of which takes some steps."""
        values = self.statistic.values.values()
        return STEPS_OF_A_SUM * n * (max(values) - min(values))

    def _learnt(self, p: Law, n: int) -> Law:
        masses = [0] * len(self.statistic.laws)
        for total, weight in self._sums(p, n):
            masses[self.statistic.place(n, total)] += weight
        found: dict[Hashable, Number] = {
            law: Fraction(mass, WHOLE) for law, mass in zip(self.statistic.laws, masses, strict=True) if mass
        }
        rest = 1 - Fraction(sum(masses), WHOLE)
        return Law.of_parts({**found, UNRESOLVED: rest} if rest else found, {})

    def _tail(self, alpha: Number) -> Tail | None:
        """The bound by the distances of the laws."""
        return likelihood_tail(self.laws, alpha)


@dataclass(frozen=True)
class Statistic:
    """Integers s_y and numbers A_i, B_i > 0 with q_i(y) / q_0(y) = A_i B_i^(s_y) for all laws q_i and all records y.

    So q_i^n(S) / q_0^n(S) = A_i^n B_i^(sum of s over S). Binomial laws have s_y = y.
    """

    laws: tuple[Law, ...]
    values: Mapping[Hashable, int]
    scales: tuple[Fraction, ...]
    bases: tuple[Fraction, ...]

    @classmethod
    def of(cls, laws: LawClass) -> "Statistic | None":
        """The statistic of a class of rational laws without zeros, where there is one.

        >>> from exactdp.reference.classes import binomials
        >>> statistic = Statistic.of(binomials(3, ["1/3", "1/2"]))
        >>> statistic.values, statistic.scales, statistic.bases
        ({0: 0, 1: 1, 2: 2, 3: 3}, (Fraction(1, 1), Fraction(27, 64)), (Fraction(1, 1), Fraction(2, 1)))
        """
        members = tuple(dict.fromkeys(laws))
        if any(len(q) < len(laws.domain) for q in members):
            return None
        rows = [[ONE * mass for y in laws.domain if isinstance(mass := q[y], Fraction) and mass] for q in members]
        if any(len(row) < len(laws.domain) for row in rows):
            return None
        ratios = [[a / b for a, b in zip(row, rows[0], strict=True)] for row in rows]
        steps = [[ratio / row[0] for ratio in row] for row in ratios]
        powers = _common_powers(next((row for row in steps if any(step != 1 for step in row)), steps[0]))
        if powers is None:
            return None
        unit = next((i for i, s in enumerate(powers) if s in (1, -1)), None)
        bases = [ONE if unit is None else row[unit] ** powers[unit] for row in steps]
        if any(
            step != base**s for row, base in zip(steps, bases, strict=True) for step, s in zip(row, powers, strict=True)
        ):
            return None
        return cls(members, dict(zip(laws.domain, powers, strict=True)), tuple(r[0] for r in ratios), tuple(bases))

    def sums(self, p: Law, n: int) -> list[tuple[int, int]]:
        """The sums of s over S ~ p^n with their probabilities as multiples of 2^-256, rounded down."""
        low, high = min(self.values.values()), max(self.values.values())
        masses: list[Number] = [Fraction(0)] * (high - low + 1)
        for y, s in self.values.items():
            masses[s - low] = masses[s - low] + p[y]
        return [(low * n + i, weight) for i, weight in enumerate(power_below(masses, n)) if weight]

    @cached_property
    def place(self) -> Callable[[int, int], int]:
        """From n and a sum of s: the law that makes such records likeliest; of several the one that stands first."""
        logs = [tuple(map(_log, pair)) for pair in zip(self.scales, self.bases, strict=True)]

        def find(n: int, total: int) -> int:
            scores = [n * a + total * b for (a, _), (b, _) in logs]
            margin = 2.0**-40 * max(n * x + abs(total) * y for (_, x), (_, y) in logs)
            best = max(scores)
            near = [i for i, score in enumerate(scores) if score >= best - margin]
            if len(near) == 1:
                return near[0]
            return max(near, key=lambda i: (self.scales[i] ** n * self.bases[i] ** total, -i))

        return lru_cache(maxsize=1 << 16)(find)


def _log(number: Fraction) -> tuple[float, float]:
    """The logarithm in floats, and the size of what its error is a small part of."""
    top, bottom = log(number.numerator), log(number.denominator)
    return top - bottom, top + bottom + 1.0


def _common_powers(steps: Sequence[Fraction]) -> list[int] | None:
    """Integers with gcd 1 of which the numbers are powers with one base > 1, if there are."""
    roots = [(ONE, 0) if x == 1 else perfect_power(max(x, 1 / x)) for x in steps]
    if len({root for root, m in roots if m}) > 1:
        return None
    signed = [m if x > 1 else -m for x, (_, m) in zip(steps, roots, strict=True)]
    common = gcd(*signed)
    return [m // common for m in signed] if common else signed


# -- the guarantee ----------------------------------------------------------------------------------------------------

SAMPLER, BLACK_BOX, BOOSTED, AGNOSTIC = "sampler", "black-box", "boosted", "agnostic"
ALGORITHMS = (BLACK_BOX, BOOSTED, AGNOSTIC)
EXACT, BOUND, THEOREM = "exact", "bound", "theorem"


@dataclass(frozen=True)
class Plan:
    """What is run: an algorithm at its sizes, on a class, with a learner and a mode. All of this is public."""

    algorithm: str
    method: Method
    mode: StabilityBasedMode
    blocks: int
    block_size: int
    length: int = 1
    runs: int = 1
    alpha: Number = ONE
    promised: Number = ONE
    """What a theorem says of the failure probability, or of the distance; 1 without one."""

    @property
    def laws(self) -> LawClass:
        """The class."""
        return self.method.laws

    @property
    def records(self) -> int:
        """How many records are needed, and used."""
        return self.runs * self.blocks * self.block_size

    @property
    def delta(self) -> Number:
        """The exact delta of the release at its epsilon."""
        return self.mode.curve.delta


@dataclass(frozen=True)
class Accuracy:
    """For one law p of the class: the failure probability, or for the sampler the distance to p^l, lies in `bounds`.

    `source` says where they come from: both ends from the "exact" law of the answer, or the upper one alone from a
    certified "bound" or from the "theorem"; then the lower one is 0.
    """

    name: str
    bounds: Bounds
    source: str


def accuracies(plan: Plan) -> list[Accuracy]:
    """The accuracy of the plan for every law of the class."""
    return [accuracy(plan, name) for name in plan.laws.laws]


def accuracy(plan: Plan, name: str) -> Accuracy:
    """The accuracy for the law of that name."""
    p = plan.laws.law(name)
    bound, source = failure_bound(plan, p), BOUND
    if plan.promised < bound:
        bound, source = plan.promised if isinstance(plan.promised, Fraction) else rounded_up(plan.promised), THEOREM
    try:
        found = exact_failure(plan, p)
    except (BudgetExceeded, MixedUnits):
        return Accuracy(name, Bounds(Fraction(0), bound), source)
    if found.low <= 0 and bound < found.high:
        return Accuracy(name, Bounds(Fraction(0), bound), source)
    return Accuracy(name, Bounds(max(Fraction(0), found.low), min(ONE, found.high)), EXACT)


def release_failure(curve: ReleaseCurve, success: Fraction, blocks: int) -> Fraction:
    """The upper bound of TV(law of the sample, p^l) when each of k blocks learns p with this probability at least.

    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> release_failure(NoisyThreshold("ln(2)", "1/6"), Fraction(1), 8) * 6 - 1 < Fraction(1, 2**250)
    True
    """
    missing, known = {0: WHOLE}, WHOLE
    for D in range(1, blocks // 2 + blocks % 2 + 1):
        known = missing[D] = known if known <= 1 else WHOLE - floor_scaled(curve[D], BITS)
    weights = power_below([1 - success, success], blocks)
    weighted = sum(w * missing[max(0, (2 * j - blocks + 1) // 2)] for j, w in enumerate(weights))
    return min(ONE, Fraction(-(-weighted // WHOLE) + WHOLE - sum(weights), WHOLE))


def failure_bound(plan: Plan, p: Law) -> Fraction:
    """A certified upper bound of the failure probability of the plan on records that are independent draws from p."""
    method, alpha, T = plan.method, plan.alpha, plan.runs
    apart = release_failure(plan.mode.curve, method.success(p, plan.block_size), plan.blocks)
    if plan.algorithm == SAMPLER:
        return apart
    if plan.algorithm == AGNOSTIC:
        return min(ONE, 1 - (1 - apart) ** T + method.failure(p, T, alpha, strict=True))
    if plan.algorithm == BOOSTED:
        return at_least_half(min(ONE, apart + method.failure(p, plan.length, alpha / 3)), T)
    return min(ONE, apart + method.failure(p, plan.length, alpha))


def exact_failure(plan: Plan, p: Law) -> Bounds:
    """The same probability from the exact law of the answer, up to what is negligible. Raises `BudgetExceeded`."""
    samples, error = sample_law(plan, p)
    final, T, rounding = plan.method.learner, plan.runs, NEGLIGIBLE / 4
    if plan.algorithm == SAMPLER:
        found: Number | Bounds = distance(samples, p.power(plan.length))
    elif plan.algorithm == AGNOSTIC:
        records = samples.map(lambda sample: sample[0] if isinstance(sample, tuple) else sample)
        answer = law_from_draws(records, draws=T, final=final, tolerance=rounding, budget=VECTORS)
        found = excess(answer, p, plan.alpha)
    else:
        answer = learned_law(samples, final)
        if plan.algorithm == BOOSTED:
            answer = boosted_law(answer, runs=T, alpha=plan.alpha, tolerance=rounding, budget=VECTORS)
        found = failure(answer, p, plan.alpha)
    ends = found if isinstance(found, Bounds) else Bounds(found, found)
    return Bounds(rounded_down(ends.low) - T * error, rounded_up(ends.high) + T * error)


def sample_law(plan: Plan, p: Law) -> tuple[Law, Fraction]:
    """The law of a run's sample over records from p, and how far it may be from the truth. Raises `BudgetExceeded`.

    Outputs of the learner that are negligible for all blocks together are left out, and count vectors too.
    """
    k, limit = plan.blocks, NEGLIGIBLE / (2 * plan.runs)
    learnt = plan.method.learnt(p, plan.block_size)
    left_out = learnt.unresolved
    kept = sorted((q for q in learnt.atoms if isinstance(q, Law)), key=lambda q: rounded_down(learnt[q]))
    while k * (left_out + learnt[kept[0]]) <= limit:
        left_out, kept = left_out + learnt[kept[0]], kept[1:]
    outcomes = len({y for q in kept for y in q.atoms})
    vectors_needed, joint_outcomes = comb(k + len(kept) - 1, k), outcomes ** (plan.length * len(kept))
    for number, budget in ((vectors_needed, VECTORS), (joint_outcomes, JOINT)):
        most = share(budget, plan.laws)
        if number > most:
            raise BudgetExceeded(f"an exact law needs {number} cases", estimate=number, budget=most)
    masses = [learnt[q] for q in kept]
    vectors = CountVectors([*masses[:-1], masses[-1] + left_out], k, tolerance=limit / 4, budget=VECTORS)
    weights = dict(vectors)
    lost = 1 - Fraction(sum(weights.values()), vectors.whole)
    law = mixture_over_counts(kept, weights, mode=plan.mode, length=plan.length)
    return law, rounded_up(k * left_out + lost)
