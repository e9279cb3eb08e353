"""Aggregate's utility: when most laws are close to p, the answer is nearly a draw from p^l; and the constants of both.

A tuple is given by its distinct laws and how often each occurs: equal laws are drawn equal, so the number k of laws may
be in the hundreds and everything stays exact. The ghost Z* = Z_{p^l} is drawn with the same coupling.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from math import floor

from exactdp.spec.aggregate import (
    APPENDIX,
    SECTION,
    Counts,
    CountsLaw,
    Ghost,
    Laws,
    Mode,
    aggregate_law,
    counted_law,
    repeated,
)
from exactdp.spec.claim import Claim
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.joint import joint_law
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.mode import mode_statistics
from exactdp.spec.number import Number, exp
from exactdp.spec.release_curve import NoisyThreshold, least_integer
from exactdp.spec.tuples import Coupling, disagreement, distance, entries, equal

ZERO, ONE = Fraction(0), Fraction(1)
EIGHTH = Fraction(1, 8)
TUPLES_OF_AT_MOST = 6
"""Up to this k the law from counts is compared with the law of the whole k-tuple."""


# -- utility --


def close_laws(laws: Sequence[Law], target: Law, eta: Number) -> tuple[int, ...]:
    """J: the places of the laws with TV(q_j, p) <= eta, non-strict.

    >>> close_laws([Law({0: 1}), Law({0: "1/2", 1: "1/2"})], Law({0: "3/4", 1: "1/4"}), Fraction(1, 4))
    (0, 1)
    """
    return tuple(i for i, law in enumerate(laws) if distance(law, target) <= eta)


def times_length(length: int, t: Number) -> Number:
    """The union bound for l records: TV(q^l, p^l) <= l * TV(q, p)."""
    return length * t


def is_off(disagreeing: int, share: Fraction, close: int, k: int) -> bool:
    """Whether more than c|J| of the |J| = `close` coordinates of J differ from Z*; Markov bounds how likely that is."""
    assert close <= k, "J is a part of all k coordinates"
    return disagreeing > share * close


Close = Callable[[Sequence[Law], Law, Number], tuple[int, ...]]
Lengthwise = Callable[[int, Number], Number]
Off = Callable[[int, Fraction, int, int], bool]


@dataclass(frozen=True, repr=False)
class UtilityInstance(Instance):
    """The target p, distinct laws with counts, the length l, eta, c, tau, a mode and its beta_SBM from tau on.

    The rest says how it is done: the coupling, which laws are close, the bound for l records, when too many differ,
    what the hypotheses are, and further ways to the answer's law.
    """

    target: Law
    laws: Laws
    counts: Counts
    length: int
    eta: Number
    share: Fraction
    tau: Number
    mode: Mode
    failure: Number
    couple: Coupling = joint_law
    close: Close = close_laws
    lengthwise: Lengthwise = times_length
    off: Off = is_off
    meets: "Callable[[UtilityInstance], bool] | None" = None
    forms: tuple[CountsLaw, ...] = ()


def ghost_of(instance: UtilityInstance) -> Ghost:
    """The instance's tuple with the ghost."""
    members = instance.close(instance.laws, instance.target, instance.eta)
    return Ghost(instance.target, instance.laws, instance.counts, instance.length, instance.couple, members)


def keeps_promise(instance: UtilityInstance) -> bool:
    """Whether the mode is returned with probability at least 1 - beta_SBM at every gap of at least tau that occurs."""
    drawn = ghost_of(instance)
    for z, _ in drawn.outcomes:
        found = mode_statistics(values := drawn.values(z))
        if found.gap >= instance.tau and instance.mode(values)[found.mode] < 1 - instance.failure:
            return False
    return True


def meets_utility_hypotheses(instance: UtilityInstance) -> bool:
    """Whether tau > 0, 0 < c < 1 and 2(1 - c)|J| - k >= tau, and the mode keeps its promise.

    *Paper:* Proposition B.2, which does not list tau > 0, but needs it: a gap of 0 has no unique mode.
    """
    drawn = ghost_of(instance)
    within = 0 < instance.share < 1 and 2 * (1 - instance.share) * drawn.close - drawn.k >= instance.tau
    return instance.tau > 0 and within and keeps_promise(instance)


def is_useful_aggregate(answer: Law, target: Law, length: int, bound: Number) -> bool:
    """Whether TV(law of the answer, p^l) <= bound; mass on another outcome, such as a failure symbol, counts fully.

    >>> p = Law({0: "1/2", 1: "1/2"})
    >>> is_useful_aggregate(Law({(0,): "1/2", (1,): "1/4", "failure": "1/4"}), p, 1, Fraction(1, 4))
    True
    """
    return distance(answer, target.power(length)) <= bound


def _utility_claims(instance: UtilityInstance) -> Iterator[Claim]:
    if not (instance.meets or meets_utility_hypotheses)(instance):
        return
    drawn, share = ghost_of(instance), instance.share
    bound = 2 * instance.lengthwise(instance.length, instance.eta)
    for i in drawn.members:
        yield from _close_claims(instance, drawn, i)
    differ = sum((drawn.counts[i] * disagreement(drawn.joint, i, drawn.ghost) for i in drawn.members), start=ZERO)
    yield Claim("S2: E of the disagreements and 2l eta |J|", differ, "<=", bound * drawn.close, instance)
    good = [z for z, _ in drawn.outcomes if not instance.off(drawn.disagreeing(z), share, drawn.close, drawn.k)]
    kept = set(good)
    off = sum((mass for z, mass in drawn.outcomes if z not in kept), start=ZERO)
    yield Claim("S3 Markov: c Pr[more than c|J| differ] and 2l eta", share * off, "<=", bound, instance)
    if good:
        yield from _gap_claims(instance, drawn, good)
    missed = drawn.missed(instance.mode)
    answer = drawn.answer(instance.mode)
    far = distance(answer, drawn.powers[-1])
    allowed = share * instance.failure + bound
    yield Claim("S5: c Pr[answer is not Z*] and c beta_SBM + 2l eta", share * missed, "<=", allowed, instance)
    yield Claim("S6: TV and Pr[answer is not Z*]", far, "<=", missed, instance)
    yield Claim("conclusion: c TV and c beta_SBM + 2l eta", share * far, "<=", allowed, instance)
    yield from _form_claims(instance, drawn, answer)


def _close_claims(instance: UtilityInstance, drawn: Ghost, i: int) -> Iterator[Claim]:
    """S1 for one law of J."""
    t, both = distance(instance.laws[i], instance.target), distance(drawn.powers[i], drawn.powers[-1])
    recordwise = 2 * instance.lengthwise(instance.length, t)
    apart = disagreement(drawn.joint, i, drawn.ghost)
    yield Claim(f"S1 coupled: law {i}, Pr[differ] and 2TV(q^l, p^l)", apart, "<=", 2 * both, instance)
    yield Claim(f"S1 records: law {i}, 2TV(q^l, p^l) and 2l TV(q, p)", 2 * both, "<=", recordwise, instance)
    largest = 2 * instance.lengthwise(instance.length, instance.eta)
    yield Claim(f"S1 close: law {i}, 2l TV(q, p) and 2l eta", recordwise, "<=", largest, instance)


def _gap_claims(instance: UtilityInstance, drawn: Ghost, good: Sequence[Hashable]) -> Iterator[Claim]:
    """S4, at the worst of the outcomes where few coordinates of J differ from Z*."""
    agreeing, others, gaps, lost = [], [], [], 0
    for z in good:
        star, values = entries(z)[-1], drawn.values(z)
        found, equal_to_star = mode_statistics(values), values.count(entries(z)[-1])
        agreeing.append(equal_to_star)
        others.append(max((values.count(y) for y in dict.fromkeys(values) if y != star), default=0))
        gaps.append(found.gap)
        lost += found.mode != star or not found.gap
    least = (1 - instance.share) * drawn.close
    yield Claim("S4 majority: equal to Z* and (1 - c)|J|", Fraction(min(agreeing)), ">=", least, instance)
    yield Claim("S4 half: (1 - c)|J| and k/2", least, ">", Fraction(drawn.k, 2), instance)
    yield Claim("S4 unique: outcomes whose unique mode is not Z*", Fraction(lost), "==", ZERO, instance)
    yield Claim("S4 others: k - (1 - c)|J|", Fraction(max(others)), "<=", drawn.k - least, instance)
    yield Claim("S4 gap: 2(1 - c)|J| - k", Fraction(min(gaps)), ">=", 2 * least - drawn.k, instance)
    yield Claim("S4 tau: 2(1 - c)|J| - k and tau", 2 * least - drawn.k, ">=", instance.tau, instance)


def _form_claims(instance: UtilityInstance, drawn: Ghost, answer: Law) -> Iterator[Claim]:
    if drawn.k <= TUPLES_OF_AT_MOST:
        laws = [law for law, n in zip(instance.laws, instance.counts, strict=True) for _ in range(n)]
        whole = aggregate_law(laws, instance.mode, instance.length, instance.couple)
        yield equal("whole tuple: the law from counts", answer, whole, instance)
    for n, form in enumerate(instance.forms):
        other = form(instance.laws, instance.counts, instance.length)
        yield equal(f"other forms: number {n}", other, answer, instance)


# -- the corollary's constants --


def closeness_of(beta: Number, length: int) -> Number:
    """eta = beta / (64 l).

    >>> closeness_of(Fraction(1, 2), 2)
    Fraction(1, 256)
    """
    return beta / (64 * length)


def inner_delta(delta: Number, beta: Number) -> Number:
    """delta_0 = min{delta, beta/4}, the delta of the mode.

    >>> inner_delta(Fraction(1, 100), Fraction(1, 2)), inner_delta(Fraction(1, 2), Fraction(1, 2))
    (Fraction(1, 100), Fraction(1, 8))
    """
    return min(delta, beta / 4)


def has_enough_blocks(k: int, epsilon: Epsilon, delta: Number, beta: Number) -> bool:
    """Whether k >= 8 (log(4/beta) + log(1/delta)) / epsilon, decided as e^(k epsilon) >= (4/(beta delta))^8.

    >>> [has_enough_blocks(k, Epsilon("1/2"), Fraction(1, 100), Fraction(1, 2)) for k in (106, 107)]
    [False, True]
    """
    return k >= 1 and exp(epsilon * k) >= (4 / (beta * delta)) ** 8


def least_blocks_of_aggregate(epsilon: Epsilon, delta: Number, beta: Number) -> int:
    """The least k that the corollary allows: the least integer >= 8 (log(4/beta) + log(1/delta)) / epsilon.

    >>> least_blocks_of_aggregate(Epsilon("ln(2)"), Fraction(1, 10**6), Fraction(1, 10))
    203
    """
    return least_integer(lambda k: has_enough_blocks(k, epsilon, delta, beta), start=1)


def is_below_one(epsilon: Epsilon) -> bool:
    """Whether epsilon < 1, where Fact B.3 is stated. For epsilon = (a/b) ln(r): whether r^a < e^b.

    >>> [is_below_one(Epsilon(text)) for text in ("1/2", "1", "ln(2)", "ln(3)")]
    [True, False, True, False]
    """
    base, size = epsilon.unit.base, epsilon.coefficient
    return size < 1 if base is None else base**size.numerator < exp(size.denominator)


def fewest_close(k: int) -> int:
    """ceil(7k/8): the least integer that is at least 7k/8.

    >>> [fewest_close(k) for k in (1, 8, 9)]
    [1, 7, 8]
    """
    return -(-7 * k // 8)


def worst_gap(k: int, share: Fraction = EIGHTH) -> int:
    """The least gap with |J| = ceil(7k/8) when at most floor(c|J|) coordinates of J differ from Z*.

    >>> [worst_gap(k) for k in (1, 8, 107)]
    [1, 6, 59]
    """
    close = fewest_close(k)
    return 2 * (close - floor(share * close)) - k


@lru_cache(maxsize=64)
def worst_near_ties(mode: Mode, k: int, factor: Number, reach: int) -> Number:
    """The largest H_E(SBM(z) || SBM(z')) over neighbours z, z' in {a, b, c}^k with at most one c and a gap near a tie.

    Gaps of at most `reach` count: there a mode loses its place, or a threshold lies. All other gaps, and all values,
    are for Fact B.3 itself.
    """
    splits: list[Counts] = [(n, k - n - c, c) for c in (0, 1) for n in range(k - c + 1) if abs(2 * n - k) <= reach]
    answers = {split: mode(repeated("abc", split)) for split in splits}
    moved = ((s, t) for s in splits for i, j in permutations(range(3), 2) if (t := _moved(s, i, j)) in answers)
    return max((exact_divergence(answers[s], answers[t], factor) for s, t in moved), default=ZERO)


def _moved(counts: Counts, i: int, j: int) -> Counts:
    """One value taken from i to j."""
    return tuple(n - (place == i) + (place == j) for place, n in enumerate(counts))


@dataclass(frozen=True, repr=False)
class GuaranteeInstance(Instance):
    """epsilon as text, delta, beta, l, the target p, distinct laws with counts, and the mode at (epsilon, delta_0).

    The rest are the corollary's constants and hypotheses, the coupling, and further ways to the answer's law.
    `universe` is how many records there are.
    """

    epsilon: str
    delta: Number
    beta: Number
    length: int
    target: Law
    laws: Laws
    counts: Counts
    mode: Mode
    couple: Coupling = joint_law
    share: Fraction = EIGHTH
    closeness: Callable[[Number, int], Number] = closeness_of
    inner: Callable[[Number, Number], Number] = inner_delta
    enough: Callable[[int, Epsilon, Number, Number], bool] = has_enough_blocks
    within: Callable[[Epsilon], bool] = is_below_one
    close: Close = close_laws
    forms: tuple[CountsLaw, ...] = ()
    reach: int = 16
    universe: int = 2**64


def meets_guarantee_hypotheses(instance: GuaranteeInstance) -> bool:
    """Whether 0 < epsilon < 1, delta and beta lie in (0, 1), k is large enough, and at least 7k/8 laws are close."""
    k = sum(instance.counts)
    eta = instance.closeness(instance.beta, instance.length)
    close = sum(instance.counts[i] for i in instance.close(instance.laws, instance.target, eta))
    parameters = 0 < instance.delta < 1 and 0 < instance.beta < 1 and instance.length >= 1
    epsilon = Epsilon(instance.epsilon)
    enough = parameters and instance.enough(k, epsilon, instance.delta, instance.beta)
    return enough and instance.within(epsilon) and 8 * close >= 7 * k


def _guarantee_claims(instance: GuaranteeInstance) -> Iterator[Claim]:
    if not meets_guarantee_hypotheses(instance):
        return
    k, epsilon, beta = sum(instance.counts), Epsilon(instance.epsilon), instance.beta
    delta, eta = instance.inner(instance.delta, beta), instance.closeness(beta, instance.length)
    drawn = Ghost(
        instance.target, instance.laws, instance.counts, instance.length, instance.couple,
        instance.close(instance.laws, instance.target, eta),
    )  # fmt: skip
    worst = worst_near_ties(instance.mode, k, exp(epsilon), instance.reach)
    yield Claim("S1: the mode's worst near ties", worst, "<=", delta, instance)
    gap = 2 * (1 - instance.share) * drawn.close - k
    yield Claim("S2 gap: 2(1 - c)|J| - k and 17k/32", gap, ">=", Fraction(17 * k, 32), instance)
    yield Claim("S2 half: 2(1 - c)|J| - k and k/2", gap, ">=", Fraction(k, 2), instance)
    least = worst_gap(k, instance.share)
    yield Claim("S2 integers: the least gap and 17k/32", Fraction(least), ">=", Fraction(17 * k, 32), instance)
    yield from _long_enough_claims(instance, k, delta, least)
    spent = 2 * instance.length * eta / instance.share
    yield Claim("S4: 2l eta / c and beta/4", spent, "==", beta / 4, instance)
    yield Claim("S5: delta_0 + 2l eta / c and beta/2", delta + spent, "<=", beta / 2, instance)
    yield from _promised_claims(instance, drawn, delta)


def _long_enough_claims(instance: GuaranteeInstance, k: int, delta: Number, gap: int) -> Iterator[Claim]:
    """S3, as powers: 4 log(1/d)/epsilon <= g is d^-4 <= e^(g epsilon)."""
    epsilon, whole = Epsilon(instance.epsilon), 4 / (instance.beta * instance.delta)
    yield Claim("S3 logs: e^(k epsilon) and (4/(beta delta))^8", exp(epsilon * k), ">=", whole**8, instance)
    yield Claim("S3 strict: 4/(beta delta) and 1/delta_0", whole, ">", 1 / delta, instance)
    yield Claim("S3 gap: e^(-17k epsilon) and delta_0^128", exp(epsilon * (-17 * k)), "<", delta**128, instance)
    needed = 4 * (NoisyThreshold(epsilon, delta).threshold - 1) - 1
    yield Claim("S3 reference: the least gap and 4w - 1", Fraction(gap), ">=", Fraction(needed), instance)
    released = instance.mode(repeated("ab", ((k + gap + 1) // 2, (k - gap) // 2)))["a"]
    yield Claim("S3 mode: released at the least gap", released, ">=", 1 - delta, instance)


def _promised_claims(instance: GuaranteeInstance, drawn: Ghost, delta: Number) -> Iterator[Claim]:
    """The conclusions at the true k: privacy for one law that moves, and utility."""
    worst = _worst_of_moves(instance, drawn.k)
    yield Claim("privacy: one law moves, near the tuple and near a tie", worst, "<=", delta, instance)
    answer = drawn.answer(instance.mode)
    far = distance(answer, drawn.powers[-1])
    yield Claim("conclusion: TV and beta/2", far, "<=", instance.beta / 2, instance)
    for n, form in enumerate(instance.forms):
        other = form(instance.laws, instance.counts, instance.length)
        yield equal(f"other forms: number {n}", other, answer, instance)


def _worst_of_moves(instance: GuaranteeInstance, k: int) -> Number:
    """The largest H_E of Aggregate over moves of one law, from the tuple and from k/2 copies of first and last law."""
    others = len(instance.laws) - 2
    starts = [instance.counts, *([(k // 2, *(0,) * others, k - k // 2)] if others >= 0 else [])]
    moves = [(a, _moved(a, i, j)) for a in starts for i, j in permutations(range(len(a)), 2) if a[i]]
    found = {
        counts: counted_law(instance.laws, counts, instance.mode, instance.length, instance.couple)
        for counts in dict.fromkeys([*starts, *(there for _, there in moves)])
    }
    pairs = {pair for a, b in moves for pair in ((a, b), (b, a))}
    factor = exp(Epsilon(instance.epsilon))
    return max((exact_divergence(found[a], found[b], factor) for a, b in pairs), default=ZERO)


# -- every epsilon --


def packing_of(k: int, epsilon: Epsilon, delta: Number, beta: Number, universe: int) -> tuple[Number, Number]:
    """Both sides of what any private mechanism with the promised utility obeys, for a universe of N records.

    k copies of the point mass at x are answered x with probability at least 1 - beta/2, for each x. From one x to any
    other k laws change, and with s = 1 + e^epsilon + ... + e^((k-1) epsilon) the answers for one x leave room for all
    others:  (N - 1) (1 - beta/2 - delta s)  <=  e^(k epsilon) beta/2.  For k = 1 and delta = 0 randomised response
    attains it; as soon as delta s >= 1 - beta/2 it asks for nothing.

    >>> packing_of(1, Epsilon("ln(16)"), Fraction(1, 4), Fraction(1, 2), 101)
    (Fraction(50, 1), Fraction(4, 1))
    """
    power, factor = exp(epsilon * k), exp(epsilon)
    return (universe - 1) * (1 - beta / 2 - delta * (power - 1) / (factor - 1)), power * beta / 2


def _informal_claims(instance: GuaranteeInstance) -> Iterator[Claim]:
    if not meets_guarantee_hypotheses(instance):
        return
    k = sum(instance.counts)
    packed, room = packing_of(k, Epsilon(instance.epsilon), instance.delta, instance.beta, instance.universe)
    yield Claim("packing: (N - 1)(1 - beta/2 - delta s) and e^(k epsilon) beta/2", packed, "<=", room, instance)
    yield from _guarantee_claims(instance)


# -- the items --

UTILITY = register(
    Item(
        id="prop-B.2",
        kind="proposition",
        section=APPENDIX,
        title="Aggregate returns a draw from p when most laws are close to p",
        statement="""
J = {j : TV(q_j, p) <= eta}. If SBM returns the mode with probability at least 1 - beta_SBM whenever the gap is at least
tau > 0, then for every c in (0, 1) with 2(1 - c)|J| - k >= tau

    TV(law of Aggregate(q), p^l)  <=  2l eta / c + beta_SBM

S1. Pr[Z_j != Z*] <= 2TV(q_j^l, p^l) <= 2l TV(q_j, p) <= 2l eta for j in J, where Z* = Z_{p^l} is the ghost.
S2. The expected number of j in J with Z_j != Z* is at most 2l eta |J|.
S3. Pr[more than c|J| of them differ] <= 2l eta / c, by Markov.
S4. Otherwise at least (1 - c)|J| > k/2 coordinates equal Z*: it is the unique mode, any other value occurs at most
    k - (1 - c)|J| times, and the gap is at least 2(1 - c)|J| - k >= tau.
S5. Pr[answer != Z*] <= beta_SBM + 2l eta / c.
S6. TV <= Pr[answer != Z*], since Z* ~ p^l.

whole tuple, other forms.  The law from counts of the distinct laws is that of the k-tuple, and of other programs.

tau > 0 is not among the paper's hypotheses; without it the mode need not be unique. p need not be one of the laws, nor
in the class that is learned.
""".strip(),
        uses=("def-3.1", "alg-1", "fact-B.3"),
        claims=_utility_claims,
        predicates=(
            is_useful_aggregate, close_laws, times_length, is_off, ghost_of, keeps_promise,
            meets_utility_hypotheses,
        ),
    )
)  # fmt: skip

GUARANTEE = register(
    Item(
        id="cor-B.4",
        kind="corollary",
        section=APPENDIX,
        title="Aggregate with its constants",
        statement="""
eta = beta/(64 l), delta_0 = min{delta, beta/4}, k >= 8 (log(4/beta) + log(1/delta))/epsilon, SBM at (epsilon, delta_0).
Aggregate is (epsilon, delta_0)-private, and if at least 7k/8 of the q_j have TV(q_j, p) <= eta,

    TV(law of Aggregate(q), p^l)  <=  beta/2

S1. By Proposition B.1; here the mode's worst pair near a tie, at this k.
S2. With c = 1/8 the gap is at least 2(1 - c)|J| - k >= 17k/32 >= k/2; in integers |J| = ceil(7k/8) of which at most
    floor(|J|/8) differ.
S3. k/2 >= 4 (log(4/beta) + log(1/delta))/epsilon > 4 log(1/delta_0)/epsilon, strictly since both logs are positive.
    The reference mode needs a gap of 4w - 1, w the least t with Pr[N >= t] <= delta_0.
S4. 2l eta / c = 16 l eta = beta/4.
S5. delta_0 + beta/4 <= beta/2.

privacy, conclusion.  Both conclusions, exactly, at the true k, on tuples of few distinct laws.
""".strip(),
        uses=("prop-B.1", "prop-B.2", "fact-B.3"),
        claims=_guarantee_claims,
        predicates=(
            closeness_of, inner_delta, has_enough_blocks, least_blocks_of_aggregate, fewest_close, worst_gap,
            worst_near_ties, meets_guarantee_hypotheses,
        ),
    )
)  # fmt: skip

INFORMAL = register(
    Item(
        id="thm-4.1",
        kind="theorem",
        section=SECTION,
        title="Aggregate is private and useful",
        statement="""
For epsilon, delta, beta in (0, 1), l >= 1 and k of order (log(4/beta) + log(1/delta))/epsilon, Aggregate is
(epsilon, delta)-private for one changed law, and if 7/8 of the laws are O(beta/l)-close to p in total variation,

    TV(law of Aggregate(q), p^l)  <=  beta/2

Read with the constants of Corollary B.4, whose steps are repeated here.

packing.  On a universe of N records any such mechanism obeys (N - 1)(1 - beta/2 - delta s) <= e^(k epsilon) beta/2,
          s = 1 + e^epsilon + ... of k terms: k copies of the point mass at x must be answered x, for each x. With
          epsilon < 1 and this k, delta s > 1, and it asks for nothing.

The paper says "every epsilon > 0". For large epsilon its condition allows k = 1, where s = 1: then packing fails on
large universes, so no mechanism does what is promised. Hence epsilon < 1 is among the hypotheses.
""".strip(),
        uses=("cor-B.4",),
        claims=_informal_claims,
        predicates=(packing_of, is_below_one),
    )
)
