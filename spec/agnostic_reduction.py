"""The private agnostic learner, with the constants of the paper: why it is private, and how close its answer is.

Privacy and the independence of the released records are looked at on a few records, exactly. Closeness is looked at
with the theorem's own number of blocks: an instance brings the law of what one block teaches, real or mock (T11), and
R_p, the law of one released record, is a mixture over count vectors (T8). Paper: appendix C.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, floor, lcm
from typing import NamedTuple

from exactdp.spec.agnostic import (
    APPENDIX,
    BASE_SHARE,
    Optimum,
    RunLines,
    agnostic_failure,
    learnt_from_records,
    optimum,
    released_records,
)
from exactdp.spec.claim import Claim
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number, exp
from exactdp.spec.privacy import change_one_pairs
from exactdp.spec.release_curve import ReleaseCurve, least_integer
from exactdp.spec.sampler import Dataset, DatasetKernel, blocks_differ, total_variation
from exactdp.spec.sampler_utility import Counts, Learnt, Weighted, binomial_tail, miss_probability, weighted_counts
from exactdp.spec.tuples import distance, entries, equal

ZERO, ONE = Fraction(0), Fraction(1)
MAJORITY = Fraction(7, 8)
QUARTER = Fraction(1, 4)
PARTS = 6
"""Into so many parts the event E is cut."""


# -- the constants --


class ReductionParameters(NamedTuple):
    """a, the mode's delta0, and k."""

    accuracy: Fraction
    delta0: Fraction
    blocks: int


Rule = Callable[[Fraction, Fraction, Epsilon, Fraction], ReductionParameters]
"""From C, alpha, epsilon and delta to the parameters."""


def are_enough_batches(blocks: int, accuracy: Fraction, epsilon: Epsilon, delta0: Fraction) -> bool:
    """Whether k >= max{(16/epsilon) log(1/delta0), 128 log(4/a)}.

    *Exact:* as e^(epsilon k) >= delta0^-16 and e^k >= (4/a)^128.

    >>> [are_enough_batches(k, Fraction(1, 12), Epsilon("1/2"), Fraction(1, 100)) for k in (495, 496)]
    [False, True]
    """
    return exp(epsilon * blocks) >= delta0**-16 and exp(Fraction(blocks)) >= (4 / accuracy) ** 128


def reduction_parameters(constant: Fraction, alpha: Fraction, epsilon: Epsilon, delta: Fraction) -> ReductionParameters:
    """a = alpha/(C + 3), delta0 = min{delta, a/4}, and the least k that `are_enough_batches` allows.

    >>> reduction_parameters(Fraction(3), Fraction(1, 2), Epsilon("1/2"), Fraction(1, 100))
    ReductionParameters(accuracy=Fraction(1, 12), delta0=Fraction(1, 100), blocks=496)
    """
    a = alpha / (constant + 3)
    delta0 = min(delta, a / 4)
    return ReductionParameters(a, delta0, least_integer(lambda k: are_enough_batches(k, a, epsilon, delta0)))


def private_loss(constant: Fraction) -> Fraction:
    """8 C^2 + 9 C, the agnostic constant of the private learner.

    >>> [int(private_loss(Fraction(C))) for C in (1, 3)]
    [17, 99]
    """
    return 8 * constant * constant + 9 * constant


def one_more(constant: Fraction) -> Fraction:
    """C + 1: what a step from p to R_p costs, C for inf TV(q, R_p) and 1 for TV(q^, p).

    >>> one_more(Fraction(3))
    Fraction(4, 1)
    """
    return constant + 1


def says_something(loss: Fraction, best: Number, alpha: Number) -> bool:
    """Whether (8 C^2 + 9 C) OPT + alpha < 1: every two laws are within 1 of one another.

    >>> [says_something(private_loss(Fraction(3)), Fraction(1, n), Fraction(1, 101)) for n in (99, 100)]
    [False, True]
    """
    return loss * best + alpha < 1


# -- privacy, and independent records --


@dataclass(frozen=True, repr=False)
class PrivateRunsInstance(Instance):
    """The lines on a few records, pairs of neighbouring datasets, E, the mode's delta, and the law of the answer.

    `p` is a law of the data, and `record` the law of one released record over a batch from p: R_p, as (record,).
    `delta` is what is promised.
    """

    lines: RunLines
    pairs: tuple[tuple[Dataset, Dataset], ...]
    factor: Number
    delta0: Number
    delta: Number
    answer: DatasetKernel
    p: Law
    record: Law


def _private_claims(instance: PrivateRunsInstance) -> Iterator[Claim]:
    lines, E = instance.lines, instance.factor
    batches = dict.fromkeys(chain.from_iterable(lines.batches(s, _first(lines, s)) for s in _datasets(instance)))
    for mine, theirs in change_one_pairs(batches):
        apart = exact_divergence(lines.sampler(mine), lines.sampler(theirs), E)
        yield Claim(f"S1: batch {mine} to {theirs}", apart, "<=", instance.delta0, instance)
    yield Claim("S1 delta0: the mode's delta and delta", instance.delta0, "<=", instance.delta, instance)
    for before, after in instance.pairs:
        yield from _parallel_claims(instance, before, after)
    yield _independent_claim(instance)


def _datasets(instance: PrivateRunsInstance) -> tuple[Dataset, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(instance.pairs)))


def _first(lines: RunLines, data: Dataset) -> tuple[int, ...]:
    return entries(next(lines.order_law(data).support()))


def _parallel_claims(instance: PrivateRunsInstance, before: Dataset, after: Dataset) -> Iterator[Claim]:
    """S2 and S3 for one pair: the same permutation on both sides."""
    lines, E, shown = instance.lines, instance.factor, f"{before} to {after}"
    orders = lines.order_law(before)
    yield equal(f"S2 order: {shown}", orders, lines.order_law(after), instance)
    weights: dict[tuple[tuple[Dataset, ...], tuple[Dataset, ...]], Number] = {}
    for order, mass in orders.items():
        both = lines.batches(before, entries(order)), lines.batches(after, entries(order))
        weights[both] = weights.get(both, ZERO) + mass
    touched = max(blocks_differ(*both) for both in weights)
    yield Claim(f"S2 batches: {shown}", Fraction(touched), "<=", ONE, instance)
    each = {both: exact_divergence(lines.drawn(both[0]), lines.drawn(both[1]), E) for both in weights}
    for both, whole in each.items():
        yield Claim(f"S2 parallel: {both[0]} to {both[1]}", whole, "<=", _worst_alone(instance, both), instance)
    mean = sum((mass * each[both] for both, mass in weights.items()), start=ZERO)
    records = released_records(lines, before), released_records(lines, after)
    apart = exact_divergence(records[0], records[1], E)
    yield Claim(f"S2 average: {shown}", apart, "<=", mean, instance)
    told = exact_divergence(instance.answer(before), instance.answer(after), E)
    yield Claim(f"S3: {shown}", told, "<=", apart, instance)
    yield Claim(f"privacy: {shown}", told, "<=", instance.delta, instance)
    for data, law in zip((before, after), records, strict=True):
        yield equal(f"S3 kernel: {data}", instance.answer(data), learnt_from_records(lines, law), instance)


def _worst_alone(instance: PrivateRunsInstance, both: tuple[tuple[Dataset, ...], tuple[Dataset, ...]]) -> Number:
    """The largest H_E of Sampler's laws over the batches, one by one."""
    sampler = instance.lines.sampler
    pairs = zip(*both, strict=True)
    return max(exact_divergence(sampler(mine), sampler(theirs), instance.factor) for mine, theirs in pairs)


def _independent_claim(instance: PrivateRunsInstance) -> Claim:
    """S8, over S ~ p^n."""
    lines = instance.lines
    data = instance.p.power(lines.records).items()
    records = mixture((mass, released_records(lines, entries(s))) for s, mass in data)
    alone = instance.record.map(lambda z: entries(z)[0])
    return equal("S8: the law of (Z_1, ..., Z_T) and R_p^T", records, alone.power(lines.runs), instance)


# -- utility --


@dataclass(frozen=True, repr=False)
class ReductionInstance(Instance):
    """A class, C, a law p of the data, what a block teaches, k, T, and the parameters alpha, beta, epsilon, delta.

    `mixture` is the law of Aggregate for weighted count vectors and `output` R_p, over records as (record,); `answer`
    is the law of what L(.; 2a, beta) learns from T independent records of a law. The rest are the paper's constants:
    `share` is c, `spread` C + 1.
    """

    laws: tuple[Law, ...]
    constant: Fraction
    p: Law
    learnt: Learnt
    alpha: Fraction
    beta: Fraction
    epsilon: Epsilon
    delta: Fraction
    blocks: int
    curve: ReleaseCurve
    mixture: Callable[[Weighted], Law]
    output: Callable[[], Law]
    answer: Callable[[Law], Law]
    rule: Rule = reduction_parameters
    loss: Callable[[Fraction], Fraction] = private_loss
    share: Fraction = QUARTER
    majority: Fraction = MAJORITY
    nearest: Optimum = optimum
    spread: Callable[[Fraction], Fraction] = one_more


class _Reduction:
    """The numbers of an instance: a, delta0, OPT and eta = C OPT + a/16."""

    def __init__(self, instance: ReductionInstance) -> None:
        self.instance = instance
        found = instance.rule(instance.constant, instance.alpha, instance.epsilon, instance.delta)
        self.a, self.delta0, self.least_blocks = found
        self.best = instance.nearest(instance.laws, instance.p)
        self.eta = instance.constant * self.best + self.a * BASE_SHARE
        self.loss = instance.loss(instance.constant)

    @property
    def meets(self) -> bool:
        """Whether a block's law is close as often as L promises at (a/16, 1/16), k suffices, and the bound is < 1."""
        instance = self.instance
        radius = instance.constant * optimum(instance.laws, instance.p) + self.a * BASE_SHARE
        close = miss_probability(instance.learnt, instance.p, radius, strictly=True) <= BASE_SHARE
        enough = instance.constant >= 1 and instance.blocks >= self.least_blocks
        return close and enough and says_something(self.loss, self.best, instance.alpha)


def _reduction_claims(instance: PrivateRunsInstance | ReductionInstance) -> Iterator[Claim]:
    if isinstance(instance, PrivateRunsInstance):
        yield from _private_claims(instance)
        return
    found = _Reduction(instance)
    if found.meets:
        yield from _tail_claims(found)
        yield from _gap_claims(found)
        sampled = instance.output().map(lambda z: entries(z)[0] if isinstance(z, tuple) else z)
        yield from _mixture_claims(found, sampled)
        yield from _learner_claims(found, sampled)
        yield from _block_claims(found)


def _tail_claims(found: _Reduction) -> Iterator[Claim]:
    instance, k = found.instance, found.instance.blocks
    miss = miss_probability(instance.learnt, instance.p, found.eta, strictly=True)
    yield Claim("S4 close: Pr[TV(q, p) > C OPT + a/16]", miss, "<=", BASE_SHARE, instance)
    outside = [j for j in range(k + 1) if j < instance.majority * k]
    rest = binomial_tail(k, miss, k - max(outside, default=-1))
    bound = exp(Fraction(-k, 128))
    yield Claim("S4 tail: Pr[fewer than 7k/8 close] and e^(-k/128)", rest, "<=", bound, instance)
    yield Claim("S4 blocks: e^(-k/128) and a/4", bound, "<=", found.a / 4, instance)


def _gap_claims(found: _Reduction) -> Iterator[Claim]:
    """S5: 2(1 - c)|J| - k, and what the mode needs."""
    instance, k, epsilon = found.instance, found.instance.blocks, found.instance.epsilon
    close = ceil(instance.majority * k)
    gap = 2 * (1 - instance.share) * close - k
    yield Claim("S5 gap: 2(1 - c)|J| - k and 5k/16", gap, ">=", Fraction(5 * k, 16), instance)
    yield Claim("S5 gap: 2(1 - c)|J| - k and k/4", gap, ">", Fraction(k, 4), instance)
    needed = found.delta0**-4
    yield Claim("S5 logs: k/4 and 4 log(1/delta0)/epsilon", exp(epsilon * Fraction(k, 4)), ">=", needed, instance)
    agreed = Fraction(2 * (close - floor(instance.share * close)) - k)
    smallest = Fraction(instance.curve.smallest_gap(found.delta0))
    yield Claim("S5 mode: the gap of a whole number of blocks", agreed, ">=", smallest, instance)
    markov = 2 * found.eta
    yield Claim("S6 Markov: 2 eta/c and 8 eta", markov, "<=", 8 * found.eta * instance.share, instance)


def _mixture_claims(found: _Reduction, sampled: Law) -> Iterator[Claim]:
    """S6 and S7 on the exact laws: E is cut by the number of far laws."""
    instance, k, p = found.instance, found.instance.blocks, found.instance.p
    target, bound = p.power(1), 8 * found.eta + found.delta0
    far = [distance(q, p) > found.eta for q, _ in instance.learnt]
    most = k - ceil(instance.majority * k)
    parts: dict[int, list[tuple[Counts, int]]] = {}
    for counts, weight in weighted_counts(k, instance.learnt):
        wrong = sum(n for n, is_far in zip(counts, far, strict=True) if is_far)
        if weight and wrong <= most:
            parts.setdefault(wrong * PARTS // (most + 1), []).append((counts, weight))
    mean: Number = ZERO
    whole = lcm(*(weight.denominator for _, weight in instance.learnt)) ** k
    for n, part in sorted(parts.items()):
        apart = total_variation(instance.mixture(part), target)
        mean = mean + apart * Fraction(sum(weight for _, weight in part), whole)
        yield Claim(f"S6: part {n} of {PARTS} by the number of far laws, 8 eta + delta0", apart, "<=", bound, instance)
    inside = Fraction(sum(weight for part in parts.values() for _, weight in part), whole)
    apart = distance(sampled, p)
    yield Claim("S7 convexity: TV(R_p, p) and the mean over E, 1 elsewhere", apart, "<=", mean + 1 - inside, instance)
    promised = 8 * instance.constant * found.best + found.a
    yield Claim("S7 sum: 8 eta + delta0 + a/4 and 8 C OPT + a", bound + found.a / 4, "<=", promised, instance)
    yield Claim("S7: TV(R_p, p) and 8 C OPT + a", apart, "<=", promised, instance)


def _learner_claims(found: _Reduction, sampled: Law) -> Iterator[Claim]:
    """S9, S10 and the conclusion, on the exact law of the answer; what is not resolved counts as a failure."""
    instance, C, a, p, best = found.instance, found.instance.constant, found.a, found.instance.p, found.best
    answer, near = instance.answer(sampled), instance.nearest(instance.laws, sampled)
    moved = distance(sampled, p)
    failed = agnostic_failure(answer, sampled, C * near + 2 * a)
    yield Claim("S9: Pr[TV(q^, R_p) > C inf TV(q, R_p) + 2a]", failed, "<=", instance.beta, instance)
    yield Claim("S9 near: inf TV(q, R_p) and OPT + TV(p, R_p)", near, "<=", best + moved, instance)
    reached = [q for q in answer.atoms if isinstance(q, Law) and distance(q, sampled) <= C * near + 2 * a]
    furthest = max((distance(q, p) for q in reached), default=ZERO)
    spread = instance.spread(C)
    limit = C * best + spread * moved + 2 * a
    yield Claim("S10 triangle: C OPT + (C + 1) TV(R_p, p) + 2a", furthest, "<=", limit, instance)
    most = C * best + spread * (8 * C * best + a) + 2 * a
    radius = found.loss * best + instance.alpha
    yield Claim("S10 sum: C OPT + (C + 1)(8 C OPT + a) + 2a", most, "<=", radius, instance)
    missed = agnostic_failure(answer, p, radius)
    yield Claim("conclusion: Pr[TV(q^, p) > (8 C^2 + 9 C) OPT + alpha]", missed, "<=", instance.beta, instance)


def _block_claims(found: _Reduction) -> Iterator[Claim]:
    """S11, for epsilon < 1."""
    instance = found.instance
    most = 4 / (found.a * instance.delta)
    yield Claim("S11: 1/delta0 and 4/(a delta)", 1 / found.delta0, "<=", most, instance)
    if exp(instance.epsilon) < exp(1):
        used = exp(instance.epsilon * found.least_blocks)
        yield Claim("S11 blocks: k and 129 log(4/(a delta))/epsilon", used, "<=", most**129, instance)


# -- the item --

REDUCTION = register(
    Item(
        id="thm-C.2",
        kind="theorem",
        section=APPENDIX,
        title="A private agnostic learner from any agnostic learner",
        statement="""
Let Q be C-agnostically learnable with m samples, C >= 1. For all epsilon, delta, alpha, beta in (0, 1) let

    a = alpha/(C + 3),  b = m(a/16, 1/16),  T = m(2a, beta),  delta0 = min{delta, a/4},
    k = ceil(max{(16/epsilon) log(1/delta0), 128 log(4/a)}),  n_0 = T k b.

AgnosticPrivateLearner is (epsilon, delta)-private, and for every p, with S ~ p^{n_0},

    TV(q^, p)  <=  (8 C^2 + 9 C) OPT(p) + alpha    with probability at least 1 - beta.

S1. Each Sampler is (epsilon, delta0)-private, and delta0 <= delta.
S2. Given Pi a changed record lies in one batch: parallel composition. H_E of averages is at most the average of H_E.
S3. L sees the records (Z_1, ..., Z_T) alone: post-processing.
S4. With eta = C OPT + a/16, TV(q_i, p) <= eta with probability at least 15/16, and with J the close ones
    Pr[|J| < 7k/8]  <=  e^(-k/128)  <=  a/4.
S5. With c = 1/4:  2(1 - c)|J| - k  >=  5k/16  >  k/4  >=  4 log(1/delta0)/epsilon.
S6. So Aggregate is within 2 eta/c + delta0 = 8 eta + delta0 of p (Proposition B.2, with l = 1 and p outside Q).
S7. R_p, the law of a released record:  TV(R_p, p)  <=  8 eta + delta0 + a/4  <=  8 C OPT + a.
S8. (Z_1, ..., Z_T) ~ R_p^T: the batches are disjoint, and their coins fresh. Seen on a few records, exactly.
S9. With probability at least 1 - beta  TV(q^, R_p) <= C inf TV(q, R_p) + 2a,  and  inf TV(q, R_p) <= OPT + TV(p, R_p).
S10. Then  TV(q^, p)  <=  C OPT + (C + 1) TV(R_p, p) + 2a  <=  (8 C^2 + 9 C) OPT + (C + 3) a.
S11. 1/delta0 <= 4/(a delta), and k <= 129 log(4/(a delta))/epsilon.

Where (8 C^2 + 9 C) OPT + alpha >= 1 nothing is said, and nothing is claimed here: for C = 3 that is so from
OPT = 1/99 on.
""".strip(),
        uses=("alg-7", "def-C.1", "prop-B.2", "fact-B.3", "prop-B.5", "lem-2.5", "prop-2.4"),
        claims=_reduction_claims,
        predicates=(are_enough_batches, reduction_parameters, private_loss, one_more, says_something),
        central="S7",
    )
)
