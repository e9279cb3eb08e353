"""Learning, privately: what a learner is, and the reduction that makes any learner private.

A private sample is drawn, and the learner is run on it: Definition 1.2, Algorithm 3, Theorem 5.1, and what follows for
every learnable class (Conjecture 1.1, Theorem 1.3). Nothing here runs: an instance brings laws and kernels along.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import NamedTuple

from exactdp.spec.claim import Claim, flag
from exactdp.spec.enclosure import log_decimal
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exp
from exactdp.spec.sampler import Dataset, DatasetKernel, output_law, total_variation
from exactdp.spec.sampler_utility import OFTEN_WRONG, Learnt, are_enough_blocks, are_few_blocks, miss_probability
from exactdp.spec.standard_laws import point
from exactdp.spec.tuples import coordinate, distance, entries, equal

RESULTS, REDUCTION = "Section 1: learning and sampling", "Section 5: the black-box reduction"
ZERO, ONE, FIRST_DIGITS = Fraction(0), Fraction(1), 20
CONSTANT = 41_100
"""The constant of the number of records, worked out."""

Learn = Callable[[Dataset, Hashable], Law]
"""L: from records and a seed to a law."""
Complexity = Callable[[Number, Number], int]
AnswerOver = Callable[[Law, int], Law]
"""From p and n to the law of A(S), a law of laws, over S ~ p^n and the coins of A."""
Failure = Callable[[Law, Law, Number], Number]
"""From the law of the answer, p and alpha to the probability of a failure."""


# -- the definition --


def failure_probability(answer: Law, p: Law, alpha: Number) -> Number:
    """Pr[TV(q, p) >= alpha] when q has this law, not strictly; whatever is no law fails, and what is unresolved too.

    >>> p, q = Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})
    >>> failure_probability(Law({p: "2/3", q: "1/4", BOTTOM: "1/12"}), p, Fraction(1, 4))
    Fraction(1, 3)
    """
    return answer.masses.total(
        i for q, i in answer.atoms.items() if not (isinstance(q, Law) and distance(q, p) < alpha)
    )


def sample_size(complexity: Complexity, alpha: Number, beta: Number) -> int:
    """m(alpha, beta), and 1 where m is 0: a class of one law needs no record, but every formula divides by m.

    >>> sample_size(lambda alpha, beta: 0, Fraction(1, 4), Fraction(1, 4))
    1
    """
    return max(1, complexity(alpha, beta))


def learns(answer: AnswerOver, laws: Sequence[Law], alpha: Number, beta: Number, records: int) -> bool:
    """Whether Pr[TV(A(S), p) >= alpha] <= beta for every p of the class, S ~ p^n.

    >>> first = lambda p, n: p.map(point)
    >>> [learns(first, [Law({0: x, 1: 1 - Fraction(x)})], Fraction(1, 2), Fraction(1, 8), 1) for x in (1, "3/4")]
    [True, False]
    """
    return all(failure_probability(answer(p, records), p, alpha) <= beta for p in laws)


@dataclass(frozen=True, repr=False)
class LearningInstance(Instance):
    """A class, m, a horizon up to which all n from m on are tried, and the law of A(S) over S ~ p^n and its coins.

    With a `kernel`, from a dataset to the law of A(S), that law is computed again from all datasets of up to `written`
    records. `weaker` are pairs that ask for no more than (alpha, beta). `least` says that m is the least one.
    """

    laws: tuple[Law, ...]
    alpha: Number
    beta: Number
    complexity: Complexity
    horizon: int
    answer: AnswerOver
    kernel: DatasetKernel | None = None
    written: int = 0
    weaker: tuple[tuple[Number, Number], ...] = ()
    least: bool = False
    failure: Failure = failure_probability


def _learning_claims(instance: LearningInstance) -> Iterator[Claim]:
    alpha, beta, p_of = instance.alpha, instance.beta, list(enumerate(instance.laws))
    m = sample_size(instance.complexity, alpha, beta)
    for easier in instance.weaker:
        needed, shown = sample_size(instance.complexity, *easier), f"({easier[0]}, {easier[1]})"
        yield Claim(f"m falls: m at {shown} and at ({alpha}, {beta})", Fraction(needed), "<=", Fraction(m), instance)
    if instance.least and m > 1:
        most = max(instance.failure(instance.answer(p, m - 1), p, alpha) for _, p in p_of)
        yield Claim(f"m is the least: with {m - 1} records", most, ">", beta, instance)
    for n in range(m, instance.horizon + 1):
        for i, p in p_of:
            answer, shown = instance.answer(p, n), f"law {i}, {n} records"
            if instance.kernel is not None and n <= instance.written:
                yield equal(f"samples and coins: {shown}", answer, output_law(instance.kernel, p, n), instance)
            failed = instance.failure(answer, p, alpha)
            close = (mass for q, mass in answer.items() if isinstance(q, Law) and distance(q, p) < alpha)
            yield Claim(f"success is strict: {shown}", 1 - sum(close, start=ZERO), "==", failed, instance)
            yield Claim(f"conclusion: {shown}", failed, "<=", beta, instance)


# -- the algorithm --


@dataclass(frozen=True)
class PrivateLearnerLines:
    """What the lines use: Sampler's kernel, L and the law of V. `together` is the law of (Z, V) unless it is None."""

    sampler: DatasetKernel
    learn: Learn
    seeds: Law
    records: int
    default: Hashable = BOTTOM
    together: "Callable[[Dataset, PrivateLearnerLines], Law] | None" = None

    def drawn(self, data: Dataset) -> Law:
        """The law of (Z, V)."""
        return sample_and_seed(self, data) if self.together is None else self.together(data, self)

    def answered(self, drawn: Law) -> Law:
        """The law of L(Z; V); where there is no sample there is no answer."""
        return drawn.map(lambda both: self._learnt(*entries(both)))

    def _learnt(self, sample: Hashable, seed: Hashable) -> Hashable:
        return BOTTOM if sample is BOTTOM else self.learn(entries(sample), seed)


def sample_and_seed(lines: PrivateLearnerLines, data: Dataset) -> Law:
    """Lines 1 and 2: Z <- Sampler(S), and V independent of it and of the data."""
    return lines.sampler(data).product(lines.seeds)


def learnt_from_sample(lines: PrivateLearnerLines, data: Dataset) -> Law:
    """The law of the answer: L(Z; V), or BOTTOM where Sampler declines.

    >>> lines = PrivateLearnerLines(lambda data: point(data[:1]), lambda sample, seed: point(sample[0]), point(None), 1)
    >>> learnt_from_sample(lines, ("a", "b"))
    Law({Law({'a': '1'}): '1'})
    """
    return lines.answered(sample_and_seed(lines, data))


@dataclass(frozen=True, repr=False)
class PrivateLearnerInstance(Instance):
    """A dataset, the lines, the law of the enumerated program, and its law from the histogram of the data alone."""

    data: Dataset
    lines: PrivateLearnerLines
    program: DatasetKernel
    counted: DatasetKernel


def _lines_claims(instance: PrivateLearnerInstance) -> Iterator[Claim]:
    data, lines, program = instance.data, instance.lines, instance.program(instance.data)
    if len(data) < lines.records:
        fixed = lines.answered(point(lines.default).product(lines.seeds))
        yield equal("fewer records: the default alone", program, fixed, instance)
        return
    sample, drawn = lines.sampler(data), lines.drawn(data)
    yield equal("line 1: Z is Sampler's answer", coordinate(drawn, 0), sample, instance)
    yield equal("line 2: V independent of Z and of the data", drawn, sample.product(lines.seeds), instance)
    yield equal("lines 2 and 3: the program and L(Z; V)", program, learnt_from_sample(lines, data), instance)
    yield Claim("no sample, no answer: Pr[no answer]", program[BOTTOM], "==", sample[BOTTOM], instance)
    yield equal("from the histogram: the law", instance.counted(data), learnt_from_sample(lines, data), instance)


# -- the reduction --


class BlackBoxSizes(NamedTuple):
    """l, eta, b, delta0 and k."""

    length: int
    eta: Fraction
    block_size: int
    delta0: Fraction
    blocks: int


class Neighbours(NamedTuple):
    """The laws of the sample, and those of the answer, on two neighbouring inputs."""

    samples: tuple[Law, Law]
    answers: tuple[Law, Law]


@dataclass(frozen=True, repr=False)
class BlackBoxInstance(Instance):
    """A class, m, and the private learner on it, at alpha, beta, epsilon, delta; n = kb, S ~ p^n.

    `learnt` is what one block teaches under p, `samples` and `answer` the laws of Z and q over S, and `final` makes the
    law of L(Z; V) from a law of Z. `mode_delta` is the exact delta of the mode; `neighbours` are unordered pairs, each
    tried both ways, and `audited` says of what.
    """

    laws: tuple[Law, ...]
    alpha: Fraction
    beta: Fraction
    epsilon: str
    delta: Fraction
    complexity: Complexity
    sizes: BlackBoxSizes
    learnt: Callable[[Law], Learnt]
    samples: Callable[[Law], Law]
    final: Callable[[Law], Law]
    answer: Callable[[Law], Law]
    mode_delta: Number
    neighbours: Callable[[], Iterable[Neighbours]]
    audited: str


def are_black_box_sizes(
    sizes: BlackBoxSizes, m: Complexity, alpha: Fraction, beta: Fraction, epsilon: Epsilon, delta: Fraction
) -> bool:
    """Whether l, eta, b, delta0 and k are what the theorem sets them to; k is decided exactly.

    >>> half, hundredth = Fraction(1, 2), Fraction(1, 100)
    >>> sizes = [BlackBoxSizes(3, Fraction(1, 384), 3, hundredth, k) for k in (266, 267)]
    >>> [are_black_box_sizes(s, lambda alpha, beta: 3, half, half, Epsilon("1/2"), hundredth) for s in sizes]
    [False, True]
    """
    return all(found == right for _, found, right in _size_equations(sizes, m, alpha, beta, epsilon, delta))


def is_learnt_privately(failures: Sequence[Number], worst: Number, beta: Number, delta: Number) -> bool:
    """Whether every failure probability is at most beta, and delta at e^epsilon at most delta.

    >>> is_learnt_privately([Fraction(1, 8)], Fraction(1, 100), Fraction(1, 4), Fraction(1, 50))
    True
    """
    return all(failed <= beta for failed in failures) and worst <= delta


def _reduction_claims(instance: BlackBoxInstance) -> Iterator[Claim]:
    yield from _size_claims(instance)
    if any(miss_probability(instance.learnt(p), p, instance.sizes.eta) > OFTEN_WRONG for p in instance.laws):
        return
    yield from _post_processing_claims(instance)
    for i, p in enumerate(instance.laws):
        yield from _closeness_claims(instance, i, p)
    few = are_few_blocks(instance.sizes.blocks, instance.beta, Epsilon(instance.epsilon), instance.delta)
    yield flag("S5: k <= 129 log(4/(beta delta))/epsilon", few, instance)


def _size_claims(instance: BlackBoxInstance) -> Iterator[Claim]:
    """The parameters are those of the theorem, decided exactly."""
    asked = instance.complexity, instance.alpha, instance.beta, Epsilon(instance.epsilon), instance.delta
    for shown, found, right in _size_equations(instance.sizes, *asked):
        yield Claim(f"parameters: {shown}", found, "==", right, instance)


def _size_equations(
    sizes: BlackBoxSizes, m: Complexity, alpha: Fraction, beta: Fraction, epsilon: Epsilon, delta: Fraction
) -> Iterator[tuple[str, Fraction, Fraction]]:
    length, eta, b, delta0, k = sizes
    enough = are_enough_blocks(k, beta, epsilon, delta) and not are_enough_blocks(k - 1, beta, epsilon, delta)
    yield "l = m(alpha, beta/4)", Fraction(length), Fraction(sample_size(m, alpha, beta / 4))
    yield "64 l eta = beta", 64 * length * eta, beta
    yield "b = m(eta, 1/16)", Fraction(b), Fraction(sample_size(m, eta, OFTEN_WRONG))
    yield "delta0 = min{delta, beta/4}", delta0, min(delta, beta / 4)
    yield "k is the least number of blocks that is enough", Fraction(enough), ONE


def _post_processing_claims(instance: BlackBoxInstance) -> Iterator[Claim]:
    """S1, over all pairs and both ways round."""
    (worst, learnt, added), shown = _worst(instance.neighbours, instance.epsilon), instance.audited
    yield Claim(f"S1 Sampler: delta over {shown}", worst, "<=", instance.mode_delta, instance)
    yield Claim(f"S1 post-processing: the most that learning adds, over {shown}", added, "<=", ZERO, instance)
    yield Claim("S1 mode: its delta and delta0", instance.mode_delta, "<=", instance.sizes.delta0, instance)
    yield Claim(f"privacy: delta over {shown}", learnt, "<=", instance.delta, instance)


@lru_cache(maxsize=64)
def _worst(neighbours: Callable[[], Iterable[Neighbours]], epsilon: str) -> tuple[Number, Number, Number]:
    """The largest H_E of samples, of answers, and of an answer minus that of its sample."""
    factor, found = exp(Epsilon(epsilon)), []
    for pairs in neighbours():
        found.append([exact_divergence(before, after, factor) for before, after in pairs])
        found.append([exact_divergence(after, before, factor) for before, after in pairs])
    return max(z for z, _ in found), max(q for _, q in found), max(q - z for z, q in found)


def _closeness_claims(instance: BlackBoxInstance, i: int, p: Law) -> Iterator[Claim]:
    """S2 to S4, and the conclusion."""
    beta, alpha, target = instance.beta, instance.alpha, p.power(instance.sizes.length)
    apart = total_variation(instance.samples(p), target)
    yield Claim(f"S2: law {i}, TV(law of Z, p^l)", apart, "<=", 3 * beta / 4, instance)
    ideally = failure_probability(instance.final(target), p, alpha)
    yield Claim(f"S3: law {i}, Pr[TV(L(Z; V), p) >= alpha] for Z ~ p^l", ideally, "<=", beta / 4, instance)
    failed = failure_probability(instance.answer(p), p, alpha)
    yield Claim(f"S4: law {i}, failure for Z and for p^l", failed, "<=", ideally + apart, instance)
    yield Claim(f"conclusion: law {i}, Pr[TV(q, p) >= alpha]", failed, "<=", beta, instance)


# -- what follows --


def _conjecture_claims(instance: BlackBoxInstance) -> Iterator[Claim]:
    alpha, beta = instance.alpha, instance.beta
    m = sample_size(instance.complexity, alpha, beta)
    worst = _worst(instance.neighbours, instance.epsilon)[1]
    yield Claim(f"privacy: delta over {instance.audited}", worst, "<=", instance.delta, instance)
    for i, p in enumerate(instance.laws):
        openly = failure_probability(instance.final(p.power(m)), p, alpha)
        yield Claim(f"learnable: law {i}, L on m(alpha, beta) records", openly, "<=", beta, instance)
        failed = failure_probability(instance.answer(p), p, alpha)
        yield Claim(f"conclusion: law {i}, Pr[TV(q, p) >= alpha]", failed, "<=", beta, instance)


@dataclass(frozen=True, repr=False)
class MainInstance(Instance):
    """A class, m, a private learner from n records, its answer over S ~ p^n, and its worst delta as a function of E."""

    laws: tuple[Law, ...]
    alpha: Fraction
    beta: Fraction
    epsilon: str
    delta: Fraction
    complexity: Complexity
    records: int
    answer: Callable[[Law], Law]
    worst_delta: Callable[[Number], Number]
    audited: str


def bound_of_logs(
    factor: Fraction | int, numbers: Sequence[Fraction], epsilon: Epsilon, beside: Fraction | int
) -> Fraction:
    """A certified lower bound of factor * product of ln(x) / epsilon if that is at least `beside`, else an upper bound.

    *Assumes:* the numbers are larger than 1, and the product is not equal to `beside`.

    >>> e = Epsilon("1/2")
    >>> [bound_of_logs(1, [Fraction(4), Fraction(8)], e, n) >= n for n in (5, 6)]
    [True, False]
    """
    digits = FIRST_DIGITS
    while True:
        low, high = _log_bounds(factor, numbers, epsilon, digits)
        if beside <= low or high < beside:
            return low if beside <= low else high
        digits *= 2


def _log_bounds(
    factor: Fraction | int, numbers: Sequence[Fraction], epsilon: Epsilon, digits: int
) -> tuple[Fraction, Fraction]:
    error, rate = Fraction(1, 10 ** (digits - 1)), Fraction(log_decimal(exp(epsilon), digits))
    middle = prod((Fraction(log_decimal(x, digits)) for x in numbers), start=Fraction(factor)) / rate
    return middle * (1 - error) ** len(numbers) / (1 + error), middle * (1 + error) ** len(numbers) / (1 - error)


def records_bound(
    complexity: Complexity, alpha: Fraction, beta: Fraction, epsilon: Epsilon, delta: Fraction, beside: int
) -> Fraction:
    """41100 b log(4/delta) log(4/beta)/epsilon as `bound_of_logs`, with b = m(1/(512 m(alpha/3, 1/32)), 1/16).

    >>> half = Fraction(1, 2)
    >>> records_bound(lambda alpha, beta: 1, half, half, Epsilon("1/2"), half, 355_435) >= 355_435
    True
    """
    inner = Fraction(1, 512 * sample_size(complexity, alpha / 3, Fraction(1, 32)))
    factor = CONSTANT * sample_size(complexity, inner, OFTEN_WRONG)
    return bound_of_logs(factor, [4 / delta, 4 / beta], epsilon, beside)


def _main_claims(instance: MainInstance) -> Iterator[Claim]:
    alpha, beta, epsilon, delta = instance.alpha, instance.beta, Epsilon(instance.epsilon), instance.delta
    yield Claim(f"privacy: delta over {instance.audited}", instance.worst_delta(exp(epsilon)), "<=", delta, instance)
    for i, p in enumerate(instance.laws):
        failed = failure_probability(instance.answer(p), p, alpha)
        yield Claim(f"failure: law {i}, Pr[TV(q, p) >= alpha]", failed, "<=", beta, instance)
    n, most = instance.records, records_bound(instance.complexity, alpha, beta, epsilon, delta, instance.records)
    yield Claim("conclusion: n and 41100 b log(4/delta) log(4/beta)/epsilon", Fraction(n), "<=", most, instance)


# -- the items --

CONJECTURE = register(
    Item(
        id="conj-1.1",
        kind="conjecture",
        section=RESULTS,
        title="Learnable implies privately learnable",
        statement="""
Every class of laws that is learnable (Definition 1.2) is learnable by an (epsilon, delta)-private algorithm, for every
epsilon and delta in (0, 1). The paper proves it: Theorems 5.1 and 6.1 turn any learner into a private one.

On a finite domain every class is learnable, privately too, so the bare statement has no finite content. What is
checked is its constructive form: L learns the class, and what Theorem 5.1 makes of L, at its own constants, does so
privately:

    delta at e^epsilon  <=  delta        and        Pr[TV(q, p) >= alpha]  <=  beta     for every p of the class.
""".strip(),
        uses=("def-1.2", "def-2.3", "thm-5.1"),
        claims=_conjecture_claims,
        predicates=(is_learnt_privately,),
    )
)

DEFINITION = register(
    Item(
        id="def-1.2",
        kind="definition",
        section=RESULTS,
        title="Learnable class, sample complexity",
        statement="""
A class of laws is learnable if there are a learner A and a function m with

    Pr over S ~ p^n [ TV(A(S), p) >= alpha ]  <=  beta      for all alpha, beta in (0, 1), n >= m(alpha, beta), p.

A failure is "at least alpha", so success is "closer than alpha"; "at most beta" allows equality. A may use coins, and
the probability is over them too. The sample complexity is the least such m: it falls in alpha and in beta. The exact
failure probability need not fall with n, as ties make an even n worse; all n up to a horizon are tried. m = 0 is 1.
""".strip(),
        uses=("def-2.1",),
        claims=_learning_claims,
        predicates=(learns, failure_probability, sample_size),
    )
)

MAIN = register(
    Item(
        id="thm-1.3",
        kind="theorem",
        section=RESULTS,
        title="Every learnable class is privately learnable",
        statement="""
For a class that is learnable with sample complexity m, and every epsilon, delta in (0, 1), there is an
(epsilon, delta)-private learner with

    n  =  O( m(1/(512 m(alpha/3, 1/32)), 1/16) log(4/delta) log(4/beta) / epsilon )

samples, so a polynomial m gives a polynomial n. Worked out, and decided exactly by enclosures of the logarithms:

    n  <=  41100 b log(4/delta) log(4/beta) / epsilon,       b = m(1/(512 m(alpha/3, 1/32)), 1/16).
""".strip(),
        uses=("def-1.2", "def-2.3", "thm-6.1"),
        claims=_main_claims,
        predicates=(records_bound, bound_of_logs),
    )
)

ALGORITHM = register(
    Item(
        id="alg-3",
        kind="algorithm",
        section=REDUCTION,
        title="BlackBoxPrivateLearner",
        statement="""
On records S = (X_1, ..., X_n):

    1  Z <- Sampler(S)
    2  V <- a seed, independent of everything;  q <- L(Z; V)
    3  return q

Where Sampler declines to answer there is no answer: a failure. The law of q depends on the histogram of S alone.
""".strip(),
        uses=("alg-2",),
        claims=_lines_claims,
        predicates=(sample_and_seed, learnt_from_sample),
        central="lines 2 and 3",
    )
)

THEOREM = register(
    Item(
        id="thm-5.1",
        kind="theorem",
        section=REDUCTION,
        title="Any learner made private",
        statement="""
L learns a class with sample complexity m. For alpha, beta, delta, epsilon in (0, 1) let

    l = m(alpha, beta/4),  eta = beta/(64 l),  b = m(eta, 1/16),  delta0 = min{delta, beta/4},
    k = ceil(max{(8/epsilon) log(4/(beta delta)), 128 log(4/beta)}),  n = b k.

Then BlackBoxPrivateLearner is (epsilon, delta)-private, and Pr[TV(q, p) >= alpha] <= beta for every p, S ~ p^n.

S1. Sampler is (epsilon, delta0)-private (Proposition B.5). Learning from the sample is post-processing (Proposition
    2.4), so it adds nothing; delta0 <= delta.
S2. TV(law of Z, p^l)  <=  3 beta/4 (Corollary B.7).
S3. For Z ~ p^l,  Pr[TV(L(Z; V), p) >= alpha]  <=  beta/4, by the choice of l.
S4. The probability of a failure is a function of Z with values in [0, 1], so it differs by at most TV(law of Z, p^l):
    Pr[failure]  <=  beta/4 + 3 beta/4  =  beta.
S5. k  <=  129 log(4/(beta delta))/epsilon.

The label of "privacy" says over which pairs delta is the exact supremum.
""".strip(),
        uses=("alg-3", "prop-B.5", "cor-B.7", "prop-2.4", "def-1.2"),
        claims=_reduction_claims,
        predicates=(are_black_box_sizes,),
    )
)
