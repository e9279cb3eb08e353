"""The exact laws of the private learners' answers: at full size over data S ~ p^n, and on datasets for their privacy.

An answer is a law, so the law of an answer has laws as outcomes, and BOTTOM where the learner declines. The black box
pushes Sampler's law through the final learner. Boosting and the agnostic learner answer from T independent draws of
one law, of which only the counts matter: the law is a sum over count vectors with multinomial weights. Where the masses
are not small rationals, `tolerance` makes it an enclosure: whatever is not resolved stands on UNRESOLVED, and the
masses that are given are lower bounds. Paper: T8, for Algorithms 3, 4 and 7 at the theorems' own constants.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product
from math import ceil, comb, inf, lcm, lgamma, log, prod
from typing import Protocol, TypeVar

from exactdp.reference.agnostic import check_record_default
from exactdp.reference.blocks import BlockOutputs, Histogram, multinomial
from exactdp.reference.boosted import CountedSelection, Estimate, Share, radius_of
from exactdp.reference.counted import CountedAggregate, Counts
from exactdp.reference.histogram_counts import HistogramCounts
from exactdp.reference.learners import AnyLearner, Learner, as_learner
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.private_learner import check_default
from exactdp.reference.sampler import checked_count
from exactdp.reference.sampler_law import sampler_law, sampler_law_over
from exactdp.spec.enclosure import floor_scaled
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import UNRESOLVED, Bounds, Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exact
from exactdp.spec.vector import vector

BUDGET = 2_000_000
"""How many count vectors, or other cases, a law is summed from unless the caller says otherwise."""

SHORT = 4_000
"""Products of so many bits count as one case; longer ones as several."""

ONE = Fraction(1)
V = TypeVar("V", bound=Hashable)
Tolerance = Number | int | str | None


class Rule(Protocol):
    """What is answered given the counts of the draws. The answers and the units are complete when all counts are."""

    answers: list[Hashable]
    units: list[Number]

    @abstractmethod
    def __call__(self, counts: Counts) -> list[Share]:
        """The answers that are possible, with their shares."""


# -- failure ----------------------------------------------------------------------------------------------------------


def failure(answer: Law, p: Law, alpha: Number | int | str) -> Number | Bounds:
    """Pr[TV(q, p) >= alpha] when q has this law, not strictly as in Definition 1.2; BOTTOM fails.

    Bounds when the law leaves mass unresolved. Raises `InvalidArgument`.

    >>> p, q = Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})
    >>> failure(Law({p: "2/3", q: "1/4", BOTTOM: "1/12"}), p, "1/4")
    Fraction(1, 3)
    """
    limit = exact(alpha, "alpha")
    return _known(answer, lambda q: not isinstance(q, Law) or exact_divergence(q, p, ONE) >= limit)


def excess(answer: Law, p: Law, bound: Number | int | str) -> Number | Bounds:
    """Pr[TV(q, p) > bound], strictly: how an agnostic learner fails at bound = C * OPT(p) + alpha; BOTTOM fails."""
    limit = exact(bound, "bound")
    return _known(answer, lambda q: not isinstance(q, Law) or exact_divergence(q, p, ONE) > limit)


def _known(answer: Law, event: Callable[[Hashable], bool]) -> Number | Bounds:
    bounds = answer.probability_bounds(event)
    return bounds if answer.unresolved else bounds.low


# -- the black box ----------------------------------------------------------------------------------------------------


def learned_law(samples: Law, final: AnyLearner) -> Law:
    """The law of what `final` learns from a sample with this law, a tuple of records; BOTTOM stays BOTTOM.

    A symmetric learner is asked once for all samples with the same counts. With `sampler_law_from` as the law of the
    sample it is the black box on a mock learner (T11). Raises `InvalidArgument`.

    >>> from exactdp.reference.learners import empirical
    >>> learned_law(Law({("a", "b"): "1/2", ("b", "a"): "1/4", BOTTOM: "1/4"}), empirical())[BOTTOM]
    Fraction(1, 4)
    """
    L = as_learner(final)
    groups: dict[Hashable, tuple[Hashable, list[int]]] = {}
    for sample, i in samples.atoms.items():
        key = frozenset(Counter(sample).items()) if L.symmetric and isinstance(sample, tuple) else sample
        groups.setdefault(key, (sample, []))[1].append(i)
    masses: dict[Hashable, Number] = {}
    for sample, indices in groups.values():
        mass = samples.masses.total(indices)
        for answer, share in _answers(L, sample) if isinstance(sample, tuple) else [(sample, ONE)]:
            masses[answer] = masses.get(answer, Fraction(0)) + mass * share
    return Law.of_parts(masses, {})


def black_box_law(
    data: Sequence[Hashable] | Mapping[Hashable, int],
    *,
    learner: AnyLearner,
    final: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
) -> Law:
    """The exact law of `black_box_private_learner` on this dataset, a sequence or a histogram as {record: count}."""
    check_default(mode, length)
    samples = sampler_law(data, learner=learner, blocks=blocks, block_size=block_size, mode=mode, length=length)
    return learned_law(samples, final)


def black_box_law_over(
    p: Law,
    *,
    learner: AnyLearner,
    final: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
    records: int | None = None,
) -> Law:
    """The exact law of `black_box_private_learner` over S ~ p^n and its coins; n = `records`, b k unless it is given.

    >>> from exactdp.reference.learners import first_record
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode, L = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6")), first_record()
    >>> p = Law({"a": "9/10", "b": "1/10"})
    >>> black_box_law_over(p, learner=L, final=L, blocks=3, block_size=2, mode=mode)[Law({"a": 1})]
    Fraction(567, 2000)
    """
    check_default(mode, length)
    sizes = partial(sampler_law_over, blocks=blocks, block_size=block_size, length=length, records=records)
    return learned_law(sizes(p, learner=learner, mode=mode), final)


def black_box_laws(
    domain: Sequence[Hashable],
    *,
    learner: AnyLearner,
    final: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
) -> dict[Histogram, Law]:
    """The exact law of `black_box_private_learner` on every histogram of b k records, in one sweep."""
    check_default(mode, length)
    outputs = BlockOutputs(learner, domain, block_size)
    aggregate = CountedAggregate(outputs.laws, mode, length)
    return {
        histogram: learned_law(aggregate.mixture(weights.items()), final)
        for histogram, weights, _ in HistogramCounts(outputs, blocks).all()
    }


# -- boosting ---------------------------------------------------------------------------------------------------------


def boosted_law(
    one: Law, *, runs: int, alpha: Number | int | str, tolerance: Tolerance = None, budget: int = BUDGET
) -> Law:
    """The law of the estimate that `select` chooses of `runs` independent ones, each with the law `one`.

    A sum over count vectors c of multinomial weights. Given c every order of the estimates is equally likely, so the
    first one whose N_j is largest has the value i of that set A with probability c_i / sum of c over A. Exact; with a
    `tolerance` at most that much is left on UNRESOLVED. Raises `InvalidArgument` and `BudgetExceeded`.

    >>> good, bad = Law({0: 1}), Law({1: 1})
    >>> boosted_law(Law({good: "3/4", bad: "1/8", BOTTOM: "1/8"}), runs=2, alpha="1/4")[good]
    Fraction(27, 32)
    """
    estimates = _estimates(one)
    vectors = CountVectors([one[q] for q in estimates], checked_count("runs", runs), tolerance, budget)
    return vectors.law(CountedSelection(estimates, radius_of(alpha), runs))


def boosted_law_of(laws: Sequence[Law], *, alpha: Number | int | str, budget: int = BUDGET) -> Law:
    """The same when estimate t has the law laws[t], as on one dataset; a sum over all tuples of estimates."""
    if not laws:
        raise InvalidArgument("laws", list(laws), "at least one law of an estimate")
    estimates = list(dict.fromkeys(q for law in laws for q in _estimates(law)))
    number = prod(len(law) for law in laws)
    _within(number, budget)
    place: dict[Hashable, int] = {q: i for i, q in enumerate(estimates)}
    first, *others = [law.map(lambda q: place[q]) for law in laws]
    selection = CountedSelection(estimates, radius_of(alpha), len(laws))
    return first.product(*others).map(lambda chosen: estimates[selection.first(chosen)])


# -- the agnostic learner ---------------------------------------------------------------------------------------------


def law_from_draws(
    record: Law, *, draws: int, final: AnyLearner, tolerance: Tolerance = None, budget: int = BUDGET
) -> Law:
    """The law of what `final` learns from `draws` independent records with this law: a sum over their types.

    A learner that is not symmetric sees every word. With a `tolerance` at most that much is left on UNRESOLVED.

    >>> from exactdp.reference.learners import empirical
    >>> law_from_draws(Law({"a": "1/3", "b": "2/3"}), draws=2, final=empirical())[Law({"a": "1/2", "b": "1/2"})]
    Fraction(4, 9)
    """
    L, records, T = as_learner(final), list(record.atoms), checked_count("draws", draws)
    if not record.is_finite or record.unresolved:
        raise InvalidArgument("record", record, "a finite law of one record, with no mass unresolved")
    if not L.symmetric:
        _within(len(records) ** T, budget)
        return learned_law(record.power(T), L)
    return CountVectors([record[y] for y in records], T, tolerance, budget).law(_Learning(L, records))


class _Learning:
    """The rule of a symmetric learner on a word with the given counts; the units are the probabilities of its seeds."""

    def __init__(self, learner: Learner, records: Sequence[Hashable]) -> None:
        self.learner, self.records = learner, records
        self.answers: list[Hashable] = []
        self.units: list[Number] = []
        self._places: dict[Hashable, int] = {}
        self._numbers: dict[Number, int] = {}

    def __call__(self, counts: Counts) -> list[Share]:
        """What is learnt under every seed."""
        word = [y for y, n in zip(self.records, counts, strict=True) for _ in range(n)]
        return [
            (_number(q, self._places, self.answers), _number(share, self._numbers, self.units), 1)
            for q, share in _answers(self.learner, word)
        ]


def _number(value: V, numbers: dict[V, int], values: list[V]) -> int:
    """The number of a value in a list that it joins when it is new."""
    number = numbers.setdefault(value, len(values))
    if number == len(values):
        values.append(value)
    return number


def agnostic_law_over(
    p: Law,
    *,
    learner: AnyLearner,
    final: AnyLearner,
    runs: int,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    tolerance: Tolerance = None,
) -> Law:
    """The exact law of `agnostic_private_learner` over S ~ p^n, n = T k b, and its coins: R_p^T through `final`."""
    check_record_default(mode)
    samples = sampler_law_over(p, learner=learner, blocks=blocks, block_size=block_size, mode=mode)
    return law_from_draws(samples.map(_only), draws=runs, final=final, tolerance=tolerance)


def agnostic_law(
    data: Mapping[Hashable, int],
    *,
    learner: AnyLearner,
    final: AnyLearner,
    runs: int,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    budget: int = BUDGET,
) -> Law:
    """The exact law of `agnostic_private_learner` on T k b records with this histogram: a sum over how they are dealt.

    The batches take their records one after another, each a uniform choice from what is left. For small datasets.
    """
    check_record_default(mode)
    k, b, T, L = blocks, block_size, checked_count("runs", runs), as_learner(final)
    if sum(data.values()) != T * k * b:
        raise InvalidArgument("data", dict(data), f"a histogram of {T * k * b} records")
    places: dict[Hashable, int] = {}

    @cache
    def records(batch: Histogram) -> list[tuple[Hashable, Number]]:
        counts = dict(zip(data, batch, strict=True))
        return list(sampler_law(counts, learner=learner, blocks=k, block_size=b, mode=mode).map(_only).items())

    def extended(word: tuple[Hashable, ...], y: Hashable) -> tuple[Hashable, ...]:
        places.setdefault(y, len(places))
        return tuple(sorted((*word, y), key=places.__getitem__)) if L.symmetric else (*word, y)

    dealt: dict[tuple[Histogram, tuple[Hashable, ...]], Number] = {(tuple(data.values()), ()): Fraction(1)}
    for _ in range(T):
        _within(len(dealt) * comb(k * b + len(data) - 1, k * b), budget)
        found: dict[tuple[Histogram, tuple[Hashable, ...]], Number] = {}
        for (left, word), mass in dealt.items():
            for batch, rest, share in _batches(left, k * b):
                for y, chance in records(batch):
                    key = rest, extended(word, y)
                    found[key] = found.get(key, Fraction(0)) + mass * share * chance
        dealt = found
    return learned_law(Law({word: mass for (_, word), mass in dealt.items()}), L)


def _batches(left: Histogram, size: int) -> Iterator[tuple[Histogram, Histogram, Fraction]]:
    """All ways to take `size` of the records left: what is taken, what remains, and the probability."""
    for batch in product(*(range(n + 1) for n in left)):
        if sum(batch) == size:
            rest = tuple(x - y for x, y in zip(left, batch, strict=True))
            yield batch, rest, Fraction(multinomial(batch) * multinomial(rest), multinomial(left))


def _only(sample: Hashable) -> Hashable:
    assert isinstance(sample, tuple), "a mode with such a default gives samples of one record"
    record: Hashable = sample[0]
    return record


def _answers(learner: Learner, word: Sequence[Hashable]) -> list[tuple[Law, Number]]:
    """What is learnt from the word under every seed, with the seed's probability."""
    return [(learner(word, seed), share) for seed, share in learner.seeds.items()]


def _estimates(one: Law) -> list[Estimate]:
    found = [q for q in one.atoms if isinstance(q, Law) or q is BOTTOM]
    if not one.is_finite or len(found) < len(one.atoms):
        raise InvalidArgument("law of an estimate", one, "a finite law whose outcomes are laws or BOTTOM")
    return found


def _within(estimate: int, budget: int, advice: str = "") -> None:
    if estimate > budget:
        message = f"the law is a sum over about {estimate} cases; give a larger budget to go through them all{advice}"
        raise BudgetExceeded(message, estimate=estimate, budget=budget)


# -- count vectors ----------------------------------------------------------------------------------------------------


class CountVectors:
    """The count vectors of independent draws, with integer weights over `whole`.

    Exact for rational masses over a denominator D: T!/(c_1! ... c_r!) prod a_i^c_i over D^T. With a `tolerance` each
    mass, power and product is rounded down to P bits, so all weights are lower bounds. A rounding loses at most 2^-P
    times the binomials that follow, and the multinomials sum to r^T; so r^T (2 T + r) 2^-P is lost in all, and P makes
    that less than half the tolerance. Left out are counts that are, given the ones before, less likely than
    tolerance/(8 r (T + 1)): less than another half. Floats choose what is left out; what that loses is exact.

    >>> list(CountVectors([Fraction(1, 4), Fraction(3, 4)], 2))
    [((0, 2), 9), ((1, 1), 6), ((2, 0), 1)]
    """

    def __init__(self, masses: Sequence[Number], draws: int, tolerance: Tolerance = None, budget: int = BUDGET) -> None:
        self.size, self.draws, self.tolerance = len(masses), draws, None
        if tolerance is None:
            self.shift, units = 0, _integers(masses)
            self.whole = sum(units) ** draws
        else:
            self.tolerance = _positive(tolerance)
            self.shift = ceil(2 * self.size**draws * (2 * draws + self.size) / self.tolerance).bit_length()
            units = [floor_scaled(mass, self.shift) for mass in masses]
            self.whole = 1 << self.shift
        self.units = units
        cost = 1 if self.tolerance else 1 + self.whole.bit_length() // SHORT
        self.number = self._number(0, draws)
        _within(self.number * cost, budget, "" if tolerance else "; or give a tolerance, such as '1e-30'")
        self.powers = [self._powers(unit) for unit in units]

    def __iter__(self) -> Iterator[tuple[Counts, int]]:
        return self._walk((), self.draws, 1 << self.shift)

    def law(self, rule: Rule) -> Law:
        """The law of what the rule answers; mass that is not resolved is UNRESOLVED."""
        sums: dict[tuple[int, int], int] = {}
        for counts, weight in self:
            for answer, unit, times in rule(counts):
                sums[answer, unit] = sums.get((answer, unit), 0) + times * weight
        parts: dict[int, list[Number]] = {}
        for (answer, unit), total in sums.items():
            parts.setdefault(answer, []).append(rule.units[unit] * Fraction(total, self.whole))
        masses = {rule.answers[i]: vector(parts[i]).total() for i in sorted(parts)}
        rest = 1 - vector(list(masses.values())).total()
        assert rest <= (self.tolerance or 0), "what is left out is within the tolerance"
        return Law.of_parts({**masses, UNRESOLVED: rest} if rest else masses, {})

    def _walk(self, before: Counts, left: int, weight: int) -> Iterator[tuple[Counts, int]]:
        i = len(before)
        if self.size == 1:
            yield (left,), weight * self.powers[0][left] >> self.shift
        elif i == self.size - 2:
            yield from self._last_two(before, left, weight)
        else:
            for n in self._window(i, left):
                part = weight * (comb(left, n) * self.powers[i][n]) >> self.shift
                if part:
                    yield from self._walk((*before, n), left - n, part)

    def _last_two(self, before: Counts, left: int, weight: int) -> Iterator[tuple[Counts, int]]:
        mine, others = self.powers[-2], self.powers[-1]
        for n in self._window(self.size - 2, left):
            both = weight * (comb(left, n) * (mine[n] * others[left - n] >> self.shift)) >> self.shift
            if both:
                yield (*before, n, left - n), both

    def _powers(self, unit: int) -> list[int]:
        powers = [1 << self.shift]
        for _ in range(self.draws):
            powers.append(powers[-1] * unit >> self.shift)
        return powers

    def _number(self, i: int, left: int) -> int:
        """How many count vectors are gone through from here."""
        if i == self.size - 1:
            return 1
        if self.tolerance is None:
            return comb(left + self.size - 1 - i, left)
        if (i, left) not in self._numbers:
            self._numbers[i, left] = sum(self._number(i + 1, left - n) for n in self._window(i, left))
        return self._numbers[i, left]

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], int]:
        return {}

    @cached_property
    def _windows(self) -> dict[tuple[int, int], range]:
        return {}

    def _window(self, i: int, left: int) -> range:
        """The counts of outcome i that are likely enough, of `left` draws from outcomes i, i + 1, ..."""
        if self.tolerance is None:
            return range(left + 1)
        if (i, left) not in self._windows:
            limit = log(self.tolerance.numerator) - log(8 * self.size * (self.draws + 1) * self.tolerance.denominator)
            mine, others = self.units[i], sum(self.units[i + 1 :])
            both = [log(x) - log(mine + others) if x else -inf for x in (mine, others)]
            likely = [n for n in range(left + 1) if _log_binomial(left, n, *both) >= limit]
            self._windows[i, left] = range(likely[0], likely[-1] + 1)
        return self._windows[i, left]


def _log_binomial(n: int, k: int, log_p: float, log_q: float) -> float:
    """The logarithm of the probability of k successes in n trials, in floats."""
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return ways + (k * log_p if k else 0) + ((n - k) * log_q if k < n else 0)


def _positive(tolerance: Number | int | str) -> Fraction:
    limit = exact(tolerance, "tolerance")
    if not isinstance(limit, Fraction) or not 0 < limit < 1:
        raise InvalidArgument("tolerance", str(tolerance), "a rational with 0 < tolerance < 1, such as '1e-30'")
    return limit


def _integers(masses: Sequence[Number]) -> list[int]:
    """Integers in the same proportions. Raises `InvalidArgument` unless all masses are rational."""
    rational = [mass for mass in masses if isinstance(mass, Fraction)]
    if len(rational) < len(masses):
        expected = "a positive number such as '1e-30': the masses of one draw are not all rational"
        raise InvalidArgument("tolerance", None, expected)
    common = lcm(*(mass.denominator for mass in rational))
    return [int(mass * common) for mass in rational]
