"""Sampler: blocks of the data each teach a law, and Aggregate draws one synthetic sample from all of them.

What a private sampler is (Definition 1.4), the lines of the algorithm as a law (Algorithm 2), and why nothing that it
releases depends much on one record (Proposition B.5). Nothing here runs: an instance brings the kernels along.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain, permutations, zip_longest
from math import factorial

from exactdp.spec.claim import Claim
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.kernel import EVENTS_OF_AT_MOST, exact_divergence
from exactdp.spec.law import Law, mixture
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number
from exactdp.spec.privacy import event_delta
from exactdp.spec.standard_laws import point, uniform
from exactdp.spec.tuples import coordinate, entries, equal

Dataset = tuple[Hashable, ...]
Order = tuple[int, ...]
DatasetKernel = Callable[[Dataset], Law]
"""A mechanism: from a dataset to the law of its answer."""
LawDistance = Callable[[Law, Law], Number]
"""A number that says how far apart two laws are."""

ZERO, ONE = Fraction(0), Fraction(1)
REMEMBERED = 1 << 14
PERMUTED_AT_MOST = 7
"""So many records are permuted in all ways: 5040 of them."""


# -- the definition --


def output_law(kernel: DatasetKernel, p: Law, records: int) -> Law:
    """The law of M(S) over S ~ p^n and the coins of M: the sum over S of p^n(S) M(S).

    >>> output_law(lambda data: point(max(data)), Law({0: "1/2", 1: "1/2"}), 2)
    Law({0: '1/4', 1: '3/4'})
    """
    return mixture((mass, kernel(entries(data))) for data, mass in p.power(records).items())


def total_variation(p: Law, q: Law) -> Number:
    """TV(P, Q); an outcome that only one of them has, such as a failure symbol, counts with all its mass.

    >>> total_variation(Law({"a": "3/4", BOTTOM: "1/4"}), point("a"))
    Fraction(1, 4)
    """
    return exact_divergence(p, q, ONE)


def is_sampler(kernel: DatasetKernel, laws: Sequence[Law], records: int, length: int, gamma: Number) -> bool:
    """Whether M is an (l, gamma)-sampler for a class of laws: TV(law of M(S), p^l) <= gamma for every p, S ~ p^n.

    *Paper:* Definition 1.4, non-strict; the law is over S and the coins of M.

    >>> kernel = lambda data: point(data[:1])
    >>> is_sampler(kernel, [Law({0: "1/3", 1: "2/3"}), point(1)], 2, 1, Fraction(0))
    True
    >>> is_sampler(kernel, [Law({0: "1/3", 1: "2/3"}), point(1)], 2, 2, Fraction(1, 2))
    False
    """
    return all(total_variation(output_law(kernel, p, records), p.power(length)) <= gamma for p in laws)


@dataclass(frozen=True, repr=False)
class SamplerInstance(Instance):
    """A class of laws, and the law of a mechanism's answer over S ~ p^n and its coins, for every p of the class.

    With a `kernel`, that law is computed again from all datasets. `distance` is what is compared with gamma.
    """

    laws: tuple[Law, ...]
    records: int
    length: int
    gamma: Number
    law_over: Callable[[Law], Law]
    kernel: DatasetKernel | None = None
    distance: LawDistance = total_variation


def _sampler_claims(instance: SamplerInstance) -> Iterator[Claim]:
    for i, p in enumerate(instance.laws):
        law, target = instance.law_over(p), p.power(instance.length)
        if instance.kernel is not None:
            enumerated = output_law(instance.kernel, p, instance.records)
            yield equal(f"samples and coins: law {i}", law, enumerated, instance)
        apart = instance.distance(law, target)
        if len(law) + len(target) <= EVENTS_OF_AT_MOST:
            yield Claim(f"events: law {i}", event_delta(law, target, ONE), "==", apart, instance)
        outside = 1 - law.masses.total(n for y, n in law.atoms.items() if target[y])
        yield Claim(f"failure: what p^l never gives, law {i}", outside, "<=", apart, instance)
        yield Claim(f"conclusion: law {i}", apart, "<=", instance.gamma, instance)


# -- the algorithm --


def blocks_of(data: Sequence[Hashable], order: Order, blocks: int, block_size: int) -> tuple[Dataset, ...]:
    """Line 2: S_i = (X_{Pi((i-1)b+1)}, ..., X_{Pi(ib)}), the permuted records cut one after the other.

    Raises `InvalidArgument` unless there is at least one block, of at least one record.

    >>> blocks_of("abcd", (2, 0, 3, 1), 2, 2)
    (('c', 'a'), ('d', 'b'))
    """
    for argument, value in (("blocks", blocks), ("block_size", block_size)):
        if value < 1:
            raise InvalidArgument(argument, value, "an int of at least 1")
    parts = (order[j * block_size : (j + 1) * block_size] for j in range(blocks))
    return tuple(tuple(data[i] for i in part) for part in parts)


@dataclass(frozen=True)
class SamplerLines:
    """What the lines of the algorithm use: a learner and the law of its seed, k and b, and the kernel of Aggregate.

    `randomness` is the law of (Pi, (U_1, ..., U_k)) for a dataset and these lines, None for what line 1 and line 3
    say; `split` makes the blocks. `default` is the answer when there are fewer than bk records.
    """

    learn: Callable[[Dataset, Hashable], Law]
    seeds: Law
    blocks: int
    block_size: int
    aggregate: Callable[[tuple[Law, ...]], Law]
    default: Hashable = BOTTOM
    split: Callable[[Dataset, Order, int, int], tuple[Dataset, ...]] = blocks_of
    randomness: "Callable[[Dataset, SamplerLines], Law] | None" = None

    @property
    def records(self) -> int:
        """b k."""
        return self.blocks * self.block_size

    def coins(self, data: Dataset) -> Law:
        """The law of (Pi, (U_1, ..., U_k)) on the first bk records."""
        return fresh_coins(self) if self.randomness is None else self.randomness(data[: self.records], self)

    def parts(self, data: Dataset, order: Order) -> tuple[Dataset, ...]:
        """The blocks."""
        return self.split(data[: self.records], order, self.blocks, self.block_size)

    def learnt(self, parts: Sequence[Dataset], seeds: Sequence[Hashable]) -> tuple[Law, ...]:
        """Line 4: q_i = L(S_i; U_i). A wrong split may have fewer blocks or more than there are seeds."""
        return tuple(self.learn(part, seed) for part, seed in zip(parts, seeds, strict=False))


def fresh_coins(lines: SamplerLines) -> Law:
    """Lines 1 and 3: a uniform permutation and k independent seeds, independent of each other and of the data.

    Raises `BudgetExceeded` beyond `PERMUTED_AT_MOST` records.
    """
    return _fresh(lines.records, lines.seeds, lines.blocks)


@lru_cache(maxsize=64)
def _fresh(records: int, seeds: Law, blocks: int) -> Law:
    return _uniform_order(records).product(seeds.power(blocks))


@lru_cache(maxsize=16)
def _uniform_order(records: int) -> Law:
    if records > PERMUTED_AT_MOST:
        message = f"{records}! permutations are too many to go through; PERMUTED_AT_MOST raises the budget"
        raise BudgetExceeded(message, estimate=factorial(min(records, 100)), budget=factorial(PERMUTED_AT_MOST))
    return uniform(permutations(range(records)))


@lru_cache(maxsize=REMEMBERED)
def _aggregated(aggregate: Callable[[tuple[Law, ...]], Law], laws: tuple[Law, ...]) -> Law:
    return aggregate(laws)


def average_law(lines: SamplerLines, data: Dataset) -> Law:
    """The average over Pi and the seeds of the law of Aggregate; the default alone for fewer than bk records.

    >>> lines = SamplerLines(lambda block, seed: point(block[0]), point(None), 1, 2, lambda laws: laws[0])
    >>> average_law(lines, ("a", "b", "b")), average_law(lines, ("a",))
    (Law({'a': '1/2', 'b': '1/2'}), Law({BOTTOM: '1'}))
    """
    if len(data) < lines.records:
        return point(lines.default)
    weights: dict[tuple[tuple[Dataset, ...], tuple[Hashable, ...]], Number] = {}
    for coins, mass in lines.coins(data).items():
        order, seeds = entries(coins)
        taught = lines.parts(data, order), seeds
        weights[taught] = weights.get(taught, ZERO) + mass
    return mixture((mass, _aggregated(lines.aggregate, lines.learnt(*taught))) for taught, mass in weights.items())


@dataclass(frozen=True, repr=False)
class SamplerLinesInstance(Instance):
    """A dataset, the lines, the law of the enumerated program, and its law from the histogram of the data alone."""

    data: Dataset
    lines: SamplerLines
    program: DatasetKernel
    counted: DatasetKernel


def _lines_claims(instance: SamplerLinesInstance) -> Iterator[Claim]:
    data, lines = instance.data, instance.lines
    first, program = data[: lines.records], instance.program(data)
    if len(data) < lines.records:
        yield Claim("fewer records: the default alone", program[lines.default], "==", ONE, instance)
        return
    if len(data) > lines.records:
        yield equal("more records: the first bk alone", program, instance.program(first), instance)
    coins, orders = lines.coins(data), _uniform_order(lines.records)
    yield equal("line 1: every permutation alike", coordinate(coins, 0), orders, instance)
    cut = sum(_is_cut(lines, first, entries(order)) for order in orders.support())
    all_orders = Fraction(factorial(lines.records))
    yield Claim("line 2: permutations whose blocks are cut from it in turn", Fraction(cut), "==", all_orders, instance)
    independent = coordinate(coins, 0).product(lines.seeds.power(lines.blocks))
    yield equal("line 3: seeds independent of one another, of Pi and of the data", coins, independent, instance)
    average = average_law(lines, data)
    yield equal("lines 4 to 6: the program and the average", program, average, instance)
    yield equal("exchangeable: from the histogram", instance.counted(data), average, instance)
    yield equal("exchangeable order: backwards", instance.program(first[::-1]), average, instance)


def _is_cut(lines: SamplerLines, data: Dataset, order: Order) -> bool:
    parts = lines.parts(data, order)
    whole = tuple(data[i] for i in order)
    return [len(part) for part in parts] == [lines.block_size] * lines.blocks and sum(parts, ()) == whole


# -- privacy --


def blocks_differ(before: Sequence[Dataset], after: Sequence[Dataset]) -> int:
    """How many blocks, or how many learnt laws, are not the same; one that only one side has counts too.

    *Paper:* step S2 of Proposition B.5: at most one block when one record is changed.

    >>> blocks_differ(blocks_of("abcd", (2, 0, 3, 1), 2, 2), blocks_of("abxd", (2, 0, 3, 1), 2, 2))
    1
    """
    missing = object()
    return sum(a != b for a, b in zip_longest(before, after, fillvalue=missing))


@dataclass(frozen=True, repr=False)
class SamplerPrivacyInstance(Instance):
    """Ordered pairs of neighbouring datasets, the lines, Sampler's law on a dataset, E, and the delta of the mode."""

    lines: SamplerLines
    pairs: tuple[tuple[Dataset, Dataset], ...]
    factor: Number
    delta: Number
    kernel: DatasetKernel


def _privacy_claims(instance: SamplerPrivacyInstance) -> Iterator[Claim]:
    laws = {data: instance.kernel(data) for data in dict.fromkeys(chain.from_iterable(instance.pairs))}
    for before, after in instance.pairs:
        shown = f"{before} to {after}"
        apart = exact_divergence(laws[before], laws[after], instance.factor)
        if len(before) >= instance.lines.records:
            yield from _shared_claims(instance, before, after, apart)
        yield Claim(f"conclusion: {shown}", apart, "<=", instance.delta, instance)
    for data, law in laws.items():
        yield equal(f"S4 mean: {data}", law, average_law(instance.lines, data), instance)


def _shared_claims(instance: SamplerPrivacyInstance, before: Dataset, after: Dataset, apart: Number) -> Iterator[Claim]:
    """S1 to S4 for one pair: the same permutation and seeds on both sides."""
    lines, shown = instance.lines, f"{before} to {after}"
    coins = lines.coins(before)
    yield equal(f"S1: {shown}", coins, lines.coins(after), instance)
    weights: dict[tuple[tuple[Dataset, ...], tuple[Dataset, ...], tuple[Hashable, ...]], Number] = {}
    for drawn, mass in coins.items():
        order, seeds = entries(drawn)
        shared = lines.parts(before, order), lines.parts(after, order), seeds
        weights[shared] = weights.get(shared, ZERO) + mass
    blocks = max(blocks_differ(mine, theirs) for mine, theirs, _ in weights)
    yield Claim(f"S2 blocks: {shown}", Fraction(blocks), "<=", ONE, instance)
    both = {shared: (lines.learnt(shared[0], shared[2]), lines.learnt(shared[1], shared[2])) for shared in weights}
    laws = max(sum(p != q for p, q in zip_longest(*learnt)) for learnt in both.values())
    yield Claim(f"S2 laws: {shown}", Fraction(laws), "<=", ONE, instance)
    each = {shared: _aggregate_divergence(lines, learnt, instance.factor) for shared, learnt in both.items()}
    yield Claim(f"S3: {shown}", max(each.values()), "<=", instance.delta, instance)
    mean = sum((mass * each[shared] for shared, mass in weights.items()), start=ZERO)
    yield Claim(f"S4 average: {shown}", apart, "<=", mean, instance)


@lru_cache(maxsize=REMEMBERED)
def _aggregate_divergence(lines: SamplerLines, both: tuple[tuple[Law, ...], tuple[Law, ...]], factor: Number) -> Number:
    if both[0] == both[1]:
        return ZERO
    mine, theirs = (_aggregated(lines.aggregate, laws) for laws in both)
    return exact_divergence(mine, theirs, factor)


# -- the items --

DEFINITION = register(
    Item(
        id="def-1.4",
        kind="definition",
        section="Section 1: learning and sampling",
        title="(l, gamma)-sampler",
        statement="""
A randomised M from datasets of n records to sequences of l records is an (l, gamma)-sampler for a class of laws if

    TV(law of M(S), p^l)  <=  gamma          for every p of the class, S ~ p^n   (non-strict)

The law is over S and over the coins of M:  Pr[z] = sum over S of p^n(S) M(S)(z).  A failure symbol is no sequence of
l records, so all its mass counts towards the distance (step "failure"). Step "events" tries all events and finds the
same number.
""".strip(),
        uses=("def-2.1",),
        claims=_sampler_claims,
        predicates=(is_sampler, output_law, total_variation),
    )
)

ALGORITHM = register(
    Item(
        id="alg-2",
        kind="algorithm",
        section="Section 4: private synthetic data",
        title="Sampler",
        statement="""
On n = b k records X_1, ..., X_n:

    1  Pi <- a uniform permutation of 1, ..., n, independent of the data
    2  S_i <- (X_{Pi((i-1)b+1)}, ..., X_{Pi(ib)})  for i = 1, ..., k
    3  U_1, ..., U_k <- independent seeds, independent of the data and of Pi
    4  q_i <- L(S_i; U_i)  for i = 1, ..., k
    5  Z <- Aggregate(q_1, ..., q_k)
    6  return Z

Its law is the average over Pi and the seeds of the law of Aggregate. It depends on the histogram of the data alone
(steps "exchangeable"). Completed for every n: of more records the first bk are used; for fewer the answer is an element
that is fixed before the data are seen.
""".strip(),
        uses=("alg-1",),
        claims=_lines_claims,
        predicates=(blocks_of, fresh_coins, average_law),
        central="lines 4 to 6",
    )
)

PRIVACY = register(
    Item(
        id="prop-B.5",
        kind="proposition",
        section="Appendix B: Aggregate and Sampler",
        title="Sampler is private",
        statement="""
If the stability-based mode is (epsilon, delta)-private for one changed value, Sampler is (epsilon, delta)-private for
one changed record, whatever the learner does. With E = e^epsilon:

    sup over neighbouring S, S' of H_E(Sampler(S) || Sampler(S'))  <=  delta of the mode

S1. Pi and U_1, ..., U_k have the same law under S and S', so both runs can share them.
S2. The changed record lies in one block; all other blocks and seeds are the same, so q and q' differ in at most one
    coordinate.
S3. For each (Pi, U) Aggregate is (epsilon, delta)-private (Proposition B.1).
S4. Sampler's law is the average over (Pi, U), and H_E of averages is at most the average of H_E.

The average can be strictly smaller: two blocks of a pair may hold the change without a change of the mode.
""".strip(),
        uses=("alg-2", "prop-B.1", "def-2.3"),
        claims=_privacy_claims,
        predicates=(blocks_differ,),
    )
)
