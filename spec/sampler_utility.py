"""Sampler's answer is nearly a sample from the law of the data, and private, with the constants of the paper.

An instance brings, for a law p of the data, the law of what one block teaches: the distinct laws and how likely each
is. A *mock* learner, one that is given by that alone, tests the statements where no data would (T11). Equal laws are
drawn equal, so the law of Sampler's answer is a mixture over count vectors, for k in the hundreds (T8).
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, repeat
from math import ceil, comb, lcm
from operator import mul
from typing import NamedTuple

from exactdp.spec.claim import Claim, flag
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exact, exp
from exactdp.spec.release_curve import ReleaseCurve, least_integer
from exactdp.spec.sampler import SamplerLines, total_variation
from exactdp.spec.tuples import distance, entries, equal

Counts = tuple[int, ...]
Weighted = Sequence[tuple[Counts, int]]
"""Count vectors with weights that are proportional to their probabilities."""
Learnt = tuple[tuple[Law, Fraction], ...]
"""What one block teaches: distinct laws, and how likely each is."""

ZERO, ONE = Fraction(0), Fraction(1)
OFTEN_WRONG = Fraction(1, 16)
"""How often a block may teach a law that is far from p."""
MAJORITY = Fraction(7, 8)
PARTS = 6
"""Into so many parts the event E is cut."""


# -- the constants --


class SamplerParameters(NamedTuple):
    """eta, how close a block's law has to be; delta0, the mode's privacy parameter; and k."""

    eta: Fraction
    delta0: Fraction
    blocks: int


Rule = Callable[[int, Fraction, Epsilon, Fraction], SamplerParameters]
"""From l, beta, epsilon and delta to the parameters."""


def sampler_parameters(
    length: int, beta: Fraction | int | str, epsilon: Epsilon | Fraction | int | str, delta: Fraction | int | str
) -> SamplerParameters:
    """eta = beta/(64 l), delta0 = min{delta, beta/4}, and the least k that Proposition B.6 allows, decided exactly.

    k = ceil(max{(8/epsilon) log(4/(beta delta)), 128 log(4/beta)}). Raises `InvalidArgument`, and `SymbolicEpsilon`
    where epsilon stands for every positive number.

    >>> sampler_parameters(1, "1/2", "1/2", "1/100")
    SamplerParameters(eta=Fraction(1, 128), delta0=Fraction(1, 100), blocks=267)
    >>> sampler_parameters(2, "1/10", "ln(2)", "1e-6").blocks
    473
    """
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        raise InvalidArgument("length", length, "an int of at least 1")
    b, d, e = _probability("beta", beta), _probability("delta", delta), Epsilon(epsilon)
    blocks = least_integer(lambda k: are_enough_blocks(k, b, e, d))
    return SamplerParameters(b / (64 * length), min(d, b / 4), blocks)


def are_enough_blocks(blocks: int, beta: Fraction, epsilon: Epsilon, delta: Fraction) -> bool:
    """Whether k >= max{(8/epsilon) log(4/(beta delta)), 128 log(4/beta)}.

    *Exact:* as e^(epsilon k) >= (4/(beta delta))^8 and e^k >= (4/beta)^128.

    >>> [are_enough_blocks(k, Fraction(1, 2), Epsilon("1/2"), Fraction(1, 100)) for k in (266, 267)]
    [False, True]
    """
    return exp(epsilon * blocks) >= (4 / (beta * delta)) ** 8 and exp(Fraction(blocks)) >= (4 / beta) ** 128


def _probability(argument: str, value: object) -> Fraction:
    number = exact(value, argument)
    if not isinstance(number, Fraction) or not 0 < number < 1:
        raise InvalidArgument(argument, str(value), f"a rational with 0 < {argument} < 1, such as '1/10'")
    return number


# -- chances --


def binomial_tail(trials: int, chance: Fraction, least: Fraction | int) -> Fraction:
    """Pr[Bin(n, chance) >= least], exactly (T12).

    >>> binomial_tail(3, Fraction(1, 8), Fraction(3, 2))
    Fraction(11, 256)
    """
    a, whole = chance.numerator, chance.denominator
    ways = sum(comb(trials, i) * a**i * (whole - a) ** (trials - i) for i in range(max(0, ceil(least)), trials + 1))
    return Fraction(ways, whole**trials)


def miss_probability(learnt: Learnt, p: Law, radius: Number, *, strictly: bool = False) -> Fraction:
    """Pr[TV(q, p) >= radius] for the law q that a block teaches; with `strictly`, Pr[TV(q, p) > radius].

    >>> p, q = Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})
    >>> learnt = ((p, Fraction(2, 3)), (q, Fraction(1, 3)))
    >>> [miss_probability(learnt, p, Fraction(1, 4), strictly=strictly) for strictly in (False, True)]
    [Fraction(1, 3), Fraction(0, 1)]
    """
    far = (w for q, w in learnt if (distance(q, p) > radius if strictly else distance(q, p) >= radius))
    return sum(far, start=ZERO)


def is_usually_close(learnt: Learnt, p: Law, eta: Number) -> bool:
    """Whether Pr[TV(q, p) <= eta] >= 15/16, the condition of Theorem 4.3; it allows what B.6 does, and equality."""
    return 1 - miss_probability(learnt, p, eta, strictly=True) >= 1 - OFTEN_WRONG


def weighted_counts(blocks: int, learnt: Learnt) -> Iterator[tuple[Counts, int]]:
    """All count vectors of k independent laws, with multinomial weights over a common denominator.

    >>> p, q = Law({0: 1}), Law({1: 1})
    >>> list(weighted_counts(2, ((p, Fraction(2, 3)), (q, Fraction(1, 3)))))
    [((0, 2), 1), ((1, 1), 4), ((2, 0), 4)]
    """
    whole = lcm(*(weight.denominator for _, weight in learnt))
    chances = (int(weight * whole) for _, weight in learnt)
    return _weighted(blocks, [list(accumulate(repeat(chance, blocks), mul, initial=1)) for chance in chances])


def _weighted(left: int, powers: Sequence[Sequence[int]]) -> Iterator[tuple[Counts, int]]:
    """The powers of each chance, in place of the chances."""
    if len(powers) == 1:
        yield (left,), powers[0][left]
        return
    for n in range(left + 1):
        ways = comb(left, n) * powers[0][n]
        for counts, weight in _weighted(left - n, powers[1:]):
            yield (n, *counts), ways * weight


# -- utility --


@dataclass(frozen=True)
class FewBlocks:
    """A learner on the few blocks of these lines, and all sequences of records, to see that what is learnt is i.i.d."""

    lines: SamplerLines

    def together(self, p: Law, order: tuple[int, ...]) -> Law:
        """The law of (q_1, ..., q_k) over S ~ p^n and the seeds, given Pi."""
        lines = self.lines
        both = p.power(lines.records).product(lines.coins(()).condition(lambda c: entries(c)[0] == order))
        return both.map(lambda z: self._learnt(*entries(z)))

    def _learnt(self, data: tuple[Hashable, ...], drawn: tuple[tuple[int, ...], tuple[Hashable, ...]]) -> Hashable:
        order, seeds = drawn
        return self.lines.learnt(self.lines.parts(data, order), seeds)


@dataclass(frozen=True, repr=False)
class UtilityInstance(Instance):
    """A law of the data, what a block teaches, k, and the curve and law of the aggregation, at l, beta, epsilon, delta.

    `mixture` is the law of Aggregate for weighted count vectors, and `output` Sampler's law over S ~ p^n. `few` tries
    a real learner on few blocks. `rule`, `majority` and `allowed` (how often a block may fail) are the paper's.
    """

    p: Law
    learnt: Learnt
    length: int
    beta: Fraction
    epsilon: Epsilon
    delta: Fraction
    blocks: int
    curve: ReleaseCurve
    mixture: Callable[[Weighted], Law]
    output: Callable[[], Law]
    few: FewBlocks | None = None
    rule: Rule = sampler_parameters
    majority: Fraction = MAJORITY
    allowed: Fraction = OFTEN_WRONG

    def __post_init__(self) -> None:
        if len({q for q, _ in self.learnt}) < len(self.learnt) or sum(chance for _, chance in self.learnt) != 1:
            raise InvalidArgument("learnt", self.learnt, "distinct laws with probabilities that sum to 1")


def _utility_claims(instance: UtilityInstance) -> Iterator[Claim]:
    eta, _, least = instance.rule(instance.length, instance.beta, instance.epsilon, instance.delta)
    if instance.blocks < least or miss_probability(instance.learnt, instance.p, eta) > instance.allowed:
        return
    if instance.few is not None:
        yield from _identical_claims(instance, instance.few)
    yield from _tail_claims(instance, eta)
    yield from _gap_claims(instance, eta)
    yield from _mixture_claims(instance, eta)


def _identical_claims(instance: UtilityInstance, few: FewBlocks) -> Iterator[Claim]:
    """S1: given Pi, the laws that are learnt are independent, and each is what one block teaches."""
    one = Law({q: weight for q, weight in instance.learnt if weight})
    expected, coins = one.power(few.lines.blocks), few.lines.coins(())
    for order in dict.fromkeys(entries(c)[0] for c in coins.support()):
        yield equal(f"S1 i.i.d.: permutation {order}", few.together(instance.p, order), expected, instance)


def _tail_claims(instance: UtilityInstance, eta: Fraction) -> Iterator[Claim]:
    k, beta = instance.blocks, instance.beta
    miss = miss_probability(instance.learnt, instance.p, eta, strictly=True)
    yield Claim("S1 mean: Pr[TV(q, p) > eta]", miss, "<=", OFTEN_WRONG, instance)
    tail, bound = binomial_tail(k, max(miss, OFTEN_WRONG), Fraction(k, 8)), exp(Fraction(-k, 128))
    yield Claim("S2 Hoeffding: exact tail and e^(-k/128)", tail, "<=", bound, instance)
    yield Claim("S2 blocks: e^(-k/128) and beta/4", bound, "<=", beta / 4, instance)
    outside = [j for j in range(k + 1) if j < instance.majority * k]
    inside = all(8 * (k - j) >= k for j in outside)
    yield flag("S3 inclusion: fewer than 7k/8 close, so at least k/8 far", inside, instance)
    rest = binomial_tail(k, miss, k - max(outside, default=-1))
    yield Claim("S3: Pr[fewer than 7k/8 close]", rest, "<=", beta / 4, instance)


def _gap_claims(instance: UtilityInstance, eta: Fraction) -> Iterator[Claim]:
    """What Corollary B.4 needs on E; the Note's arithmetic, which is good for every epsilon > 0."""
    k, beta, delta, epsilon = instance.blocks, instance.beta, instance.delta, instance.epsilon
    claimed = instance.curve.claimed
    needed, close = instance.curve.smallest_gap(), ceil(instance.majority * k)
    yield Claim("S4 gap: 2(|J| - |J|/8) - k", Fraction(2 * (close - close // 8) - k), ">=", Fraction(needed), instance)
    bound = 16 * instance.length * eta + claimed
    yield Claim("S4 radius: 16 l eta + delta0 and beta/2", bound, "<=", beta / 2, instance)
    delta0 = min(delta, beta / 4)
    yield Claim("Note needed: 4 log(1/delta0)/epsilon + 3", exp(epsilon * (needed - 3)), "<", delta0**-4, instance)
    spare = exp(epsilon * (Fraction(17 * k, 32) - 3))
    used = (4 / (beta * delta)) ** 4
    yield Claim("Note spare: 17k/32 and 4 log(4/(beta delta))/epsilon + 3", spare, ">", used, instance)


def _mixture_claims(instance: UtilityInstance, eta: Fraction) -> Iterator[Claim]:
    """S4 and S5 on the exact laws: E is cut by the number of far laws."""
    k, beta, target = instance.blocks, instance.beta, instance.p.power(instance.length)
    far = [distance(q, instance.p) > eta for q, _ in instance.learnt]
    most = k - ceil(instance.majority * k)
    parts: dict[int, list[tuple[Counts, int]]] = {}
    for counts, weight in weighted_counts(k, instance.learnt):
        wrong = sum(n for n, is_far in zip(counts, far, strict=True) if is_far)
        if weight and wrong <= most:
            parts.setdefault(wrong * PARTS // (most + 1), []).append((counts, weight))
    whole = sum(weight for part in parts.values() for _, weight in part)
    mean: Number = ZERO
    for n, part in sorted(parts.items()):
        apart = total_variation(instance.mixture(part), target)
        mean = mean + apart * Fraction(sum(weight for _, weight in part), whole)
        yield Claim(f"S4 on E: part {n} of {PARTS} by the number of far laws", apart, "<=", beta / 2, instance)
    given = total_variation(instance.mixture([pair for part in parts.values() for pair in part]), target)
    yield Claim("S4 convexity: the mixture and the mean over the parts", given, "<=", mean, instance)
    inside = Fraction(whole, lcm(*(weight.denominator for _, weight in instance.learnt)) ** k)
    apart = total_variation(instance.output(), target)
    yield Claim("S5: Pr[E] TV(given E) + Pr[not E]", apart, "<=", inside * given + 1 - inside, instance)
    yield Claim("conclusion: TV(law of Sampler, p^l)", apart, "<=", 3 * beta / 4, instance)


# -- privacy and utility --


@dataclass(frozen=True, repr=False)
class PrivateSamplerInstance(Instance):
    """A class of laws, a learner by what it teaches under each, and Sampler at l, beta, epsilon, delta, b and k.

    `output` is Sampler's law over S ~ p^n; `worst_delta` the largest H_E over pairs of neighbours, as a function of
    E, and `audited` says which pairs. `over` is the 4 of log(4/(beta delta)) in the number of blocks.
    """

    laws: tuple[Law, ...]
    learnt: Callable[[Law], Learnt]
    length: int
    beta: Fraction
    epsilon: Epsilon
    delta: Fraction
    block_size: int
    blocks: int
    output: Callable[[Law], Law]
    worst_delta: Callable[[Number], Number]
    audited: str
    rule: Rule = sampler_parameters
    over: int = 4


def is_private_and_useful(worst: Number, apart: Sequence[Number], beta: Fraction, delta: Fraction) -> bool:
    """Whether delta at e^epsilon is at most min{delta, beta/4} and every distance to p^l at most 3 beta/4.

    >>> half = Fraction(1, 2)
    >>> is_private_and_useful(Fraction(1, 8), [Fraction(3, 8)], half, half), is_private_and_useful(half, [], half, half)
    (True, False)
    """
    return worst <= min(delta, beta / 4) and all(tv <= 3 * beta / 4 for tv in apart)


def are_few_blocks(blocks: int, beta: Fraction, epsilon: Epsilon, delta: Fraction) -> bool:
    """Whether k <= 129 log(4/(beta delta))/epsilon, decided as e^(epsilon k) <= (4/(beta delta))^129.

    The least k of Proposition B.6 is so small for epsilon < 1. *Paper:* Theorem 1.5, with the constant worked out.

    >>> are_few_blocks(267, Fraction(1, 2), Epsilon("1/2"), Fraction(1, 100))
    True
    """
    return exp(epsilon * blocks) <= (4 / (beta * delta)) ** 129


def _apart(instance: PrivateSamplerInstance) -> Iterator[tuple[int, Number]]:
    for i, p in enumerate(instance.laws):
        yield i, total_variation(instance.output(p), p.power(instance.length))


def _parameters(instance: PrivateSamplerInstance) -> SamplerParameters | None:
    """The parameters; None when there are too few blocks."""
    found = instance.rule(instance.length, instance.beta, instance.epsilon, instance.delta)
    return found if instance.blocks >= found.blocks else None


def _corollary_claims(instance: PrivateSamplerInstance) -> Iterator[Claim]:
    found = _parameters(instance)
    if found is None or any(miss_probability(instance.learnt(p), p, found.eta) > OFTEN_WRONG for p in instance.laws):
        return
    beta, delta = instance.beta, instance.delta
    worst, apart = instance.worst_delta(exp(instance.epsilon)), dict(_apart(instance))
    yield Claim(f"privacy: delta over {instance.audited}", worst, "<=", min(delta, beta / 4), instance)
    for i, tv in apart.items():
        yield Claim(f"utility: law {i}", tv, "<=", 3 * beta / 4, instance)
    both = is_private_and_useful(worst, list(apart.values()), beta, delta)
    yield flag("conclusion: private and useful", both, instance)


def _informal_claims(instance: PrivateSamplerInstance) -> Iterator[Claim]:
    """Theorem 4.3."""
    found = _parameters(instance)
    if found is None or not all(is_usually_close(instance.learnt(p), p, found.eta) for p in instance.laws):
        return
    worst = instance.worst_delta(exp(instance.epsilon))
    yield Claim(f"privacy: delta over {instance.audited}", worst, "<=", instance.delta, instance)
    yield from _few_claims(instance)
    for i, tv in _apart(instance):
        yield Claim(f"conclusion: law {i}", tv, "<=", 3 * instance.beta / 4, instance)


def _few_claims(instance: PrivateSamplerInstance) -> Iterator[Claim]:
    """k <= 129 log(4/(beta delta))/epsilon; the theorems are about epsilon < 1."""
    if exp(instance.epsilon) < exp(1):
        enough, most = (
            exp(instance.epsilon * instance.blocks),
            (instance.over / (instance.beta * instance.delta)) ** 129,
        )
        yield Claim("blocks: 129 log(4/(beta delta))/epsilon", enough, "<=", most, instance)


def _synthetic_claims(instance: PrivateSamplerInstance) -> Iterator[Claim]:
    """Theorem 1.5, with gamma = beta."""
    found, gamma = _parameters(instance), instance.beta
    if found is None or any(miss_probability(instance.learnt(p), p, found.eta) > OFTEN_WRONG for p in instance.laws):
        return
    worst = instance.worst_delta(exp(instance.epsilon))
    yield Claim(f"privacy: delta over {instance.audited}", worst, "<=", instance.delta, instance)
    yield from _few_claims(instance)
    for i, tv in _apart(instance):
        yield Claim(f"sharper: law {i}", tv, "<=", 3 * gamma / 4, instance)
        yield Claim(f"conclusion: law {i}", tv, "<=", gamma, instance)


# -- the items --

UTILITY = register(
    Item(
        id="prop-B.6",
        kind="proposition",
        section="Appendix B: Aggregate and Sampler",
        title="Sampler is useful",
        statement="""
For beta, delta in (0, 1), epsilon > 0 and l >= 1 let

    eta = beta/(64 l),    delta0 = min{delta, beta/4},    k >= max{(8/epsilon) log(4/(beta delta)), 128 log(4/beta)}

and let b be such that Pr[TV(L(S_i; U_i), p) >= eta] <= 1/16 for every p of the class, S_i ~ p^b. Then with n = kb,
S ~ p^n and the mode at (epsilon, delta0)

    TV(law of Sampler(S), p^l)  <=  3 beta/4.

S1. Given Pi, the (S_i, U_i) are i.i.d., hence the q_i; I_i = 1{TV(q_i, p) > eta} has mean at most 1/16.
S2. Hoeffding:  Pr[I_1 + ... + I_k >= k/8]  <=  e^(-k/128)  <=  beta/4.
S3. E = {at least 7k/8 of the q_i within eta}; its complement lies in {I_1 + ... + I_k >= k/8}.
S4. On E, Aggregate is within beta/2 of p^l (Corollary B.4): the gap 2(|J| - |J|/8) - k is large enough, and
    16 l eta + delta0 <= beta/2. A mixture is as close as its parts are on average.
S5. TV  <=  Pr[E] TV(given E) + Pr[not E]  <=  beta/2 + beta/4.

Note. The mode of Fact B.3 is stated for epsilon < 1. With the reference mode every epsilon > 0 will do: it needs a gap
below 4 log(1/delta0)/epsilon + 3, and 17k/32 is larger than 4 log(4/(beta delta))/epsilon + 3.
""".strip(),
        uses=("alg-2", "cor-B.4", "fact-B.3"),
        claims=_utility_claims,
        predicates=(sampler_parameters, are_enough_blocks, binomial_tail, miss_probability, weighted_counts),
    )
)

COROLLARY = register(
    Item(
        id="cor-B.7",
        kind="corollary",
        section="Appendix B: Aggregate and Sampler",
        title="Sampler is private and useful",
        statement="""
In the setting of Proposition B.6, Sampler is (epsilon, delta0)-private and an (l, 3 beta/4)-sampler for the class:

    delta at e^epsilon  <=  min{delta, beta/4}    and    TV(law of Sampler(S), p^l)  <=  3 beta/4  for all p, S ~ p^n.

By Propositions B.5 and B.6. The label of "privacy" says over which pairs delta is the exact supremum.
""".strip(),
        uses=("prop-B.5", "prop-B.6", "def-1.4", "def-2.3"),
        claims=_corollary_claims,
        predicates=(is_private_and_useful,),
        central="utility",
    )
)

INFORMAL = register(
    Item(
        id="thm-4.3",
        kind="theorem",
        section="Section 4: private synthetic data",
        title="Sampler, a private sampler from any learner",
        statement="""
Fix a learner for a class, epsilon, delta, beta in (0, 1) and l >= 1, and b such that for every p of the class

    TV(L(S_i), p)  <=  beta/(64 l)    with probability at least 15/16,  S_i ~ p^b.

Sampler is (epsilon, delta)-private, and with S ~ p^n, n = kb as in Corollary B.7,

    TV(law of Sampler(S), p^l)  <=  3 beta/4,        k  <=  129 log(4/(beta delta))/epsilon.

Equality is allowed in the condition, where Proposition B.6 counts it as a failure; its proof does not.
""".strip(),
        uses=("cor-B.7",),
        claims=_informal_claims,
        predicates=(is_usually_close,),
    )
)

SYNTHETIC_DATA = register(
    Item(
        id="thm-1.5",
        kind="theorem",
        section="Section 1: learning and sampling",
        title="Private synthetic data",
        statement="""
For a learnable class, l >= 1 and gamma, epsilon, delta in (0, 1) there is an (epsilon, delta)-private
(l, gamma)-sampler with n = O(m(gamma/(64 l), 1/16) log(4/(gamma delta))/epsilon) samples. With beta = gamma in
Corollary B.7:

    n = k b,  b = m(gamma/(64 l), 1/16),    k  <=  129 log(4/(gamma delta))/epsilon,    TV  <=  3 gamma/4  <=  gamma.

The informal text has log(1/(gamma delta)), which tends to 0 as gamma delta tends to 1; no k does.
""".strip(),
        uses=("cor-B.7", "def-1.4"),
        claims=_synthetic_claims,
        predicates=(are_few_blocks,),
    )
)
