"""Aggregate: the stability-based mode of a coupled draw from many laws, and why it is as private as the mode.

Line 1 draws (Z_1, ..., Z_k), Z_i a sequence of l records from q_i, from one coupling; line 2 applies a private mode
with fresh coins. One changed law changes one coordinate of the same draw, so the mode sees neighbouring values.

E stands for e^epsilon. A mode is given as its kernel: from the values to the law of the answer.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, product, repeat

from exactdp.spec.claim import Claim
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.joint import joint_law
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number
from exactdp.spec.privacy import change_one_pairs
from exactdp.spec.standard_laws import point
from exactdp.spec.tuples import Coupling, coordinate, coupled, disagreement, entries, equal, marginal

SECTION, APPENDIX = "Section 4: private synthetic data", "Appendix B: Aggregate and Sampler"
ZERO, ONE = Fraction(0), Fraction(1)
REMEMBERED = 1024

Laws = tuple[Law, ...]
Values = tuple[Hashable, ...]
Mode = Callable[[Sequence[Hashable]], Law]
"""The kernel of a mode: from the values to the law of the answer."""
Powers = Callable[[Sequence[Law], int], Laws]
"""From laws and a length l to the laws that are coupled."""
Answer = Callable[[Sequence[Law], int], Law]
"""From laws and a length l to the law of Aggregate's answer."""
Trace = Callable[[Sequence[Law], int], Law]
"""From laws and a length l to the joint law of what line 1 draws and what line 2 answers: over pairs."""
Counts = tuple[int, ...]
CountsLaw = Callable[[Sequence[Law], Counts, int], Law]
"""From distinct laws, their counts and a length l to the law of Aggregate's answer."""


# -- the algorithm --


def powers_of(laws: Sequence[Law], length: int) -> Laws:
    """The laws q_i^l of l independent records.

    >>> [power[0, 1] for power in powers_of([Law({0: "1/4", 1: "3/4"})], 2)]
    [Fraction(3, 16)]
    """
    return tuple(law.power(length) for law in laws)


def answer_law(joint: Law, mode: Mode) -> Law:
    """The law of line 2's answer: the sum over the values z of joint(z) * SBM(z)."""
    return mixture((mass, mode(entries(z))) for z, mass in joint.items())


def aggregate_law(laws: Sequence[Law], mode: Mode, length: int = 1, couple: Coupling = joint_law) -> Law:
    """The law of Aggregate: law(z) = sum over (z_1, ..., z_k) of JOINT(q_1^l, ..., q_k^l)(z_1, ..., z_k) * SBM(...)(z).

    *Paper:* Algorithm 1. *Exact:* a finite sum over the joint law's support.

    >>> def unanimous(values):
    ...     return point(values[0] if len(set(values)) == 1 else "failure")
    >>> aggregate_law([Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})], unanimous)["failure"]
    Fraction(1, 4)
    """
    return answer_law(coupled(couple, powers_of(laws, length)), mode)


@dataclass(frozen=True, repr=False)
class AggregateInstance(Instance):
    """Laws q_1, ..., q_k, the number of records, the mode's kernel, and what a program does.

    `trace` gives the joint law of what the program's two lines draw; `forms` are further ways to its answer's law.
    """

    laws: Laws
    length: int
    mode: Mode
    trace: Trace
    forms: tuple[Answer, ...] = ()


def _aggregate_claims(instance: AggregateInstance) -> Iterator[Claim]:
    laws, length, mode = instance.laws, instance.length, instance.mode
    powers, traced = powers_of(laws, length), instance.trace(laws, length)
    values, answer = coordinate(traced, 0), coordinate(traced, 1)
    for i, power in enumerate(powers):
        yield equal(f"line 1 records: coordinate {i}", coordinate(values, i), power, instance)
    joint = coupled(joint_law, powers)
    yield equal("line 1: the coupling's law", values, joint, instance)
    for z in values.support():
        given = coordinate(traced.condition(_with_values(z)), 1)
        yield equal(f"line 2: given {z!r}", given, mode(entries(z)), instance)
    summed = answer_law(joint, mode)
    yield equal("conclusion: the law of the answer", answer, summed, instance)
    for n, form in enumerate(instance.forms):
        yield equal(f"other forms: number {n}", form(laws, length), summed, instance)


def _with_values(z: Hashable) -> Callable[[Hashable], bool]:
    return lambda outcome: entries(outcome)[0] == z


# -- counts --


def repeated(values: Sequence[Hashable], counts: Sequence[int]) -> tuple[Hashable, ...]:
    """Each value as often as its count says.

    >>> repeated("ab", (2, 1))
    ('a', 'a', 'b')
    """
    return tuple(chain.from_iterable(repeat(y, n) for y, n in zip(values, counts, strict=True)))


def counted_law(
    laws: Sequence[Law], counts: Sequence[int], mode: Mode, length: int = 1, couple: Coupling = joint_law
) -> Law:
    """The law of Aggregate on the tuple with laws[i] counts[i] times: one coordinate for each distinct law (T8).

    >>> def majority(values):
    ...     return point(max(values, key=values.count))
    >>> counted_law([point("a"), point("b")], (200, 300), majority)
    Law({('b',): '1'})
    """
    joint = coupled(couple, powers_of(laws, length))
    return mixture((mass, mode(repeated(entries(z), counts))) for z, mass in joint.items())


class Ghost:
    """The tuple with the ghost: `joint` is the law of (Z of each distinct law, Z*), `members` is J by distinct laws."""

    def __init__(
        self, target: Law, laws: Laws, counts: Counts, length: int, couple: Coupling, members: Sequence[int]
    ) -> None:
        self.counts, self.members, self.k = counts, members, sum(counts)
        self.close = sum(counts[i] for i in members)
        self.powers = powers_of((*laws, target), length)
        self.joint = coupled(couple, self.powers)
        self.ghost = len(laws)

    def values(self, z: Hashable) -> tuple[Hashable, ...]:
        """The k values of an outcome."""
        return repeated(entries(z)[:-1], self.counts)

    def disagreeing(self, z: Hashable) -> int:
        """How many coordinates of J differ from Z*."""
        *ys, star = entries(z)
        return sum(self.counts[i] for i in self.members if ys[i] != star)

    @cached_property
    def outcomes(self) -> list[tuple[Hashable, Number]]:
        """All outcomes with their masses."""
        return list(self.joint.items())

    def answer(self, mode: Mode) -> Law:
        """The law of the mode of the k values."""
        return mixture((mass, mode(self.values(z))) for z, mass in self.outcomes)

    def missed(self, mode: Mode) -> Number:
        """Pr[the answer is not Z*]."""
        missed = (mass * (1 - mode(self.values(z))[entries(z)[-1]]) for z, mass in self.outcomes)
        return sum(missed, start=ZERO)


# -- privacy --


def worst_mode_divergence(mode: Mode, outcomes: Sequence[Hashable], k: int, factor: Number) -> Number:
    """The largest H_E(SBM(z) || SBM(z')) over all k values z, z' from `outcomes` that differ in one place.

    0 when there is no such pair.

    >>> worst_mode_divergence(lambda values: point(values[0]), ("a", "b"), 2, Fraction(2))
    Fraction(1, 1)
    """
    return _worst_mode(mode, tuple(outcomes), k, factor)


@lru_cache(maxsize=REMEMBERED)
def _worst_mode(mode: Mode, outcomes: Values, k: int, factor: Number) -> Number:
    answers = {z: mode(z) for z in product(outcomes, repeat=k)}
    pairs = {(answers[z], answers[y]) for z, y in change_one_pairs(answers)}
    return max((exact_divergence(p, q, factor) for p, q in pairs), default=ZERO)


def is_private_aggregate(
    before: Sequence[Law], after: Sequence[Law], mode: Mode, factor: Number, delta: Number, length: int = 1
) -> bool:
    """Whether H_E(Aggregate(q) || Aggregate(q')) <= delta, for q = `before` and q' = `after` in this order.

    *Paper:* Proposition B.1: true when q and q' differ in one law and the mode is (ln E, delta)-private.

    >>> p, far = point("p"), point("far")
    >>> is_private_aggregate([p, p], [p, far], lambda values: point(values[0]), Fraction(2), Fraction(1, 3))
    True
    """
    mine, theirs = (aggregate_law(laws, mode, length) for laws in (before, after))
    return exact_divergence(mine, theirs, factor) <= delta


@dataclass(frozen=True, repr=False)
class NeighboursInstance(Instance):
    """Two tuples of laws that differ in one law, the number of records, the mode, E, and the delta that it promises.

    `couple` is the coupling, `powers` what it is applied to. `answer` gives Aggregate's law where it is not the mode
    of that coupling with fresh coins.
    """

    before: Laws
    after: Laws
    length: int
    mode: Mode
    factor: Number
    delta: Number
    couple: Coupling = joint_law
    powers: Powers = powers_of
    answer: Answer | None = None


def _neighbours_claims(instance: NeighboursInstance) -> Iterator[Claim]:
    k, factor = len(instance.before), instance.factor
    mine, theirs = (instance.powers(laws, instance.length) for laws in (instance.before, instance.after))
    changed = [i for i in range(k) if mine[i] != theirs[i]]
    outcomes = tuple(dict.fromkeys(y for law in (*mine, *theirs) for y in law.support()))
    worst = worst_mode_divergence(instance.mode, outcomes, k, factor)
    yield Claim("S1: laws that change", Fraction(len(changed)), "<=", ONE, instance)
    both = coupled(instance.couple, (*mine, *theirs))
    before, after = range(k), range(k, 2 * k)
    yield equal("S2 before", marginal(both, before), coupled(instance.couple, mine), instance)
    yield equal("S2 after", marginal(both, after), coupled(instance.couple, theirs), instance)
    for i in range(k):
        if i not in changed[:1]:
            yield Claim(f"S2 elsewhere: coordinate {i}", disagreement(both, i, k + i), "==", ZERO, instance)
    yield from _averaged_claims(instance, both, worst)
    yield Claim("mode: worst over neighbouring values", worst, "==", instance.delta, instance)
    yield Claim("attained: point masses", _worst_point_masses(instance), "==", instance.delta, instance)


def _averaged_claims(instance: NeighboursInstance, both: Law, worst: Number) -> Iterator[Claim]:
    k, mode, factor = len(instance.before), instance.mode, instance.factor
    largest: Number = ZERO
    average: Number = ZERO
    for z, mass in both.items():
        mine, theirs = mode(entries(z)[:k]), mode(entries(z)[k:])
        apart = ZERO if mine == theirs else exact_divergence(mine, theirs, factor)
        largest, average = max(largest, apart), average + mass * apart
    yield Claim("S3: worst pair of values", largest, "<=", worst, instance)
    answer = instance.answer or _answer_of(instance)
    first, second = (answer(laws, instance.length) for laws in (instance.before, instance.after))
    least = exact_divergence(first, second, factor)
    yield Claim("S4: of the answers and on average", least, "<=", average, instance)
    yield Claim("conclusion: H_E(Aggregate(q) || Aggregate(q'))", least, "<=", worst, instance)


def _answer_of(instance: NeighboursInstance) -> Answer:
    """Aggregate with the instance's mode, coupling and powers."""
    return lambda laws, length: answer_law(coupled(instance.couple, instance.powers(laws, length)), instance.mode)


def _worst_point_masses(instance: NeighboursInstance) -> Number:
    """The largest H_E of Aggregate over neighbouring tuples of point masses on the records that occur."""
    records = dict.fromkeys(x for law in (*instance.before, *instance.after) for x in law.support())
    key = instance.mode, instance.couple, instance.powers, instance.answer
    return _worst_points(key, tuple(records), len(instance.before), instance.length, instance.factor)


@lru_cache(maxsize=REMEMBERED)
def _worst_points(
    key: tuple[Mode, Coupling, Powers, Answer | None], records: Values, k: int, length: int, factor: Number
) -> Number:
    mode, couple, powers, given = key
    found: dict[Values, Law] = {}
    for xs in product(records, repeat=k):
        laws = [point(x) for x in xs]
        found[xs] = given(laws, length) if given else answer_law(couple(powers(laws, length)), mode)
    pairs = {(found[xs], found[ys]) for xs, ys in change_one_pairs(found)}
    return max((exact_divergence(p, q, factor) for p, q in pairs), default=ZERO)


# -- the items --

ALGORITHM = register(
    Item(
        id="alg-1",
        kind="algorithm",
        section=SECTION,
        title="Aggregate",
        statement="""
Laws q_1, ..., q_k, a length l, a coupling of the laws q^l, and a private mode SBM with fresh coins:

    1  (Z_1, ..., Z_k)  <-  Couple(q_1^l, ..., q_k^l)
    2  Z  <-  SBM(Z_1, ..., Z_k)
    3  return Z

    law(z)  =  sum over (z_1, ..., z_k) of  JOINT(q_1^l, ..., q_k^l)(z_1, ..., z_k) * SBM(z_1, ..., z_k)(z)

line 1.       Z_i is a sequence of l independent records from q_i, and all of them have the coupling's joint law.
line 2.       Given what line 1 drew, the answer has the law that SBM has there: its coins are fresh.
other forms.  Further ways to the same law, such as counts of the distinct laws (equal laws are drawn equal).
""".strip(),
        uses=("def-3.1", "alg-5", "alg-6", "fact-B.3"),
        claims=_aggregate_claims,
        predicates=(aggregate_law, answer_law, powers_of, counted_law, repeated),
    )
)

PRIVACY = register(
    Item(
        id="prop-B.1",
        kind="proposition",
        section=APPENDIX,
        title="Aggregate is as private as its mode",
        statement="""
If SBM is (epsilon, delta)-private for one changed value, Aggregate is (epsilon, delta)-private for one changed law:

    H_E(Aggregate(q) || Aggregate(q'))  <=  sup over neighbouring z, z' of  H_E(SBM(z) || SBM(z'))

S1. q and q' differ at one j, hence so do the powers P = q^l and P'.
S2. One draw of (Z_P) over all laws gives both tuples: they have the laws that the coupling has on each, and agree
    surely at every i != j.
S3. So the mode is applied to neighbouring values.
S4. H_E of the answers is at most the expectation of H_E given the values.

mode.      On the outcomes that occur, the supremum on the right is the delta that the mode promises.
attained.  Point masses attain it exactly: Aggregate of point masses is the mode of the points.

Laws of full support alone would test nothing: then H_E is most often 0.
""".strip(),
        uses=("def-2.3", "def-3.1", "alg-1", "fact-B.3"),
        claims=_neighbours_claims,
        predicates=(is_private_aggregate, worst_mode_divergence),
    )
)
