"""Agnostic learning: what it is, and the lines of the private agnostic learner.

Data may come from any law p; the best law of the class is at distance OPT(p) from it, and a C-agnostic learner is
nearly within C OPT(p). The private learner gives L one private record from each of many batches. Nothing here runs: an
instance brings the kernels along. Paper: appendix C.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product

from exactdp.spec.claim import Claim
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number
from exactdp.spec.sampler import Dataset, DatasetKernel, Order, blocks_of, output_law
from exactdp.spec.standard_laws import uniform
from exactdp.spec.tuples import distance, entries, equal

APPENDIX = "Appendix C: agnostic learning"
ZERO, ONE = Fraction(0), Fraction(1)
BASE_SHARE = Fraction(1, 16)
"""The failure probability of the blocks' learner, and its accuracy in parts of a."""

Learn = Callable[[Dataset, Hashable], Law]
"""From records and a seed to a law."""
LearnAt = Callable[[Number, Number], Learn]
"""L(.; alpha, beta): from an accuracy and a failure probability to a learner."""
Fails = Callable[[Number, Number], bool]
"""Whether a distance is a failure at a radius."""
Optimum = Callable[[Sequence[Law], Law], Number]
"""From a class and a law p to OPT(p)."""


# -- the definition --


@lru_cache(maxsize=1 << 14)
def _optimum(laws: tuple[Law, ...], p: Law) -> Number:
    return min(distance(q, p) for q in laws)


def optimum(laws: Sequence[Law], p: Law) -> Number:
    """OPT(p) = inf over q in the class of TV(p, q).

    >>> optimum([Law({0: "1/4", 1: "3/4"}), Law({0: 1})], Law({0: "1/3", 1: "2/3"}))
    Fraction(1, 12)
    """
    return _optimum(tuple(laws), p)


def is_beyond(apart: Number, radius: Number) -> bool:
    """Whether TV(q, p) > radius, strictly: at the radius itself an agnostic learner succeeds."""
    return apart > radius


def agnostic_failure(answer: Law, p: Law, radius: Number, fails: Fails = is_beyond) -> Number:
    """Pr[TV(q, p) > radius] when q has this law, a law of laws; whatever is no law fails.

    >>> p, q = Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})
    >>> [agnostic_failure(Law({p: "2/3", q: "1/3"}), p, radius) for radius in (Fraction(1, 4), Fraction(1, 5))]
    [Fraction(0, 1), Fraction(1, 3)]
    """
    wrong = (i for q, i in answer.atoms.items() if not isinstance(q, Law) or fails(distance(q, p), radius))
    return answer.masses.total(wrong)


@dataclass(frozen=True, repr=False)
class AgnosticInstance(Instance):
    """A class, C, alpha, beta, laws p to try, and the law of L(S) over S ~ p^m and the seeds, for every p.

    With a `kernel`, from a dataset to the law of L(S), that law is computed again from all datasets of `records`
    records. `proper` promises laws of the class. `fails` and `nearest` say what a failure and OPT are.
    """

    laws: tuple[Law, ...]
    constant: Fraction
    alpha: Number
    beta: Number
    records: int
    targets: tuple[Law, ...]
    answer: Callable[[Law], Law]
    kernel: DatasetKernel | None = None
    proper: bool = False
    fails: Fails = is_beyond
    nearest: Optimum = optimum


def is_agnostic_at(instance: AgnosticInstance, p: Law) -> bool:
    """Whether TV(L(S), p) <= C OPT(p) + alpha with probability at least 1 - beta, for this p alone."""
    radius = instance.constant * instance.nearest(instance.laws, p) + instance.alpha
    return agnostic_failure(instance.answer(p), p, radius, instance.fails) <= instance.beta


def _agnostic_claims(instance: AgnosticInstance) -> Iterator[Claim]:
    if instance.constant < 1 or not instance.laws:
        return
    for i, p in enumerate(instance.targets):
        answer, nearest = instance.answer(p), instance.nearest(instance.laws, p)
        if instance.kernel is not None:
            again = output_law(instance.kernel, p, instance.records)
            yield equal(f"samples and seeds: p number {i}", answer, again, instance)
        least = min(distance(q, p) for q in instance.laws)
        yield Claim(f"OPT: p number {i}, the least of all distances", nearest, "==", least, instance)
        if instance.proper:
            outside = sum((mass for q, mass in answer.items() if q not in instance.laws), start=ZERO)
            yield Claim(f"proper: p number {i}, Pr[q is not in the class]", outside, "==", ZERO, instance)
        failed = agnostic_failure(answer, p, instance.constant * nearest + instance.alpha, instance.fails)
        yield Claim(f"conclusion: p number {i}, Pr[TV > C OPT + alpha]", failed, "<=", instance.beta, instance)


# -- the algorithm --


@dataclass(frozen=True)
class RunLines:
    """What the lines use: T, k b, Sampler's kernel on one batch, the final learner with the law of its seed.

    Sampler answers with a record, as (record,). `orders` is the law of Pi for a dataset, None for a uniform one;
    `split` makes the batches; `together` is the law of (Z_1, ..., Z_T) for given batches, None for fresh coins.
    """

    runs: int
    batch: int
    sampler: DatasetKernel
    final: Learn
    seeds: Law
    fallback: Law
    orders: Callable[[Dataset], Law] | None = None
    split: Callable[[Dataset, Order, int, int], tuple[Dataset, ...]] = blocks_of
    together: Callable[[DatasetKernel, tuple[Dataset, ...]], Law] | None = None

    @property
    def records(self) -> int:
        """n_0 = T k b."""
        return self.runs * self.batch

    def order_law(self, data: Dataset) -> Law:
        """The law of Pi on the first n_0 records."""
        return uniform_order(self.records) if self.orders is None else self.orders(data[: self.records])

    def batches(self, data: Dataset, order: Order) -> tuple[Dataset, ...]:
        """S_1, ..., S_T."""
        return self.split(data[: self.records], order, self.runs, self.batch)

    def drawn(self, batches: tuple[Dataset, ...]) -> Law:
        """The law of (Z_1, ..., Z_T) for these batches."""
        return (self.together or records_of_batches)(self.sampler, batches)


@lru_cache(maxsize=16)
def _uniform_order(records: int) -> Law:
    return uniform(permutations(range(records)))


def uniform_order(records: int) -> Law:
    """A uniform permutation of 0, ..., n - 1, as tuples.

    >>> len(uniform_order(3))
    6
    """
    return _uniform_order(records)


def records_of_batches(sampler: DatasetKernel, batches: tuple[Dataset, ...]) -> Law:
    """Independent coins: (Z_1, ..., Z_T) has the product of Sampler's laws on the batches, as a law of T records.

    >>> records_of_batches(lambda batch: Law({batch[:1]: 1}), (("a", "b"), ("c", "a")))
    Law({('a', 'c'): '1'})
    """
    return _product_of_samples(tuple(sampler(batch) for batch in batches))


@lru_cache(maxsize=1 << 12)
def _product_of_samples(samples: tuple[Law, ...]) -> Law:
    return samples[0].product(*samples[1:]).map(lambda z: tuple(entries(one)[0] for one in entries(z)))


def released_records(lines: RunLines, data: Dataset) -> Law:
    """The law of (Z_1, ..., Z_T) on a dataset of at least n_0 records: the average over Pi."""
    weights: dict[tuple[Dataset, ...], Number] = {}
    for order, mass in lines.order_law(data).items():
        batches = lines.batches(data, entries(order))
        weights[batches] = weights.get(batches, ZERO) + mass
    return mixture((mass, lines.drawn(batches)) for batches, mass in weights.items())


def learnt_from_records(lines: RunLines, records: Law) -> Law:
    """Line 4: the law of q = L((Z_1, ..., Z_T); U), a law of laws, when (Z_1, ..., Z_T) has the law `records`."""
    return records.product(lines.seeds).map(lambda z: lines.final(*entries(z)))


@dataclass(frozen=True, repr=False)
class AgnosticLinesInstance(Instance):
    """A dataset, the lines, and the law of the enumerated program: of its answer, and of the records that it draws.

    `counted` is the answer's law from the histogram. `learner_at` is L; a and beta are its parameters, `base` is what
    the blocks of b records learn with, and `values` are the records and `seeds` the seeds that are tried.
    """

    data: Dataset
    lines: RunLines
    program: DatasetKernel
    drawn: DatasetKernel
    counted: DatasetKernel
    learner_at: LearnAt
    base: Learn
    block_size: int
    accuracy: Number
    beta: Number


def _lines_claims(instance: AgnosticLinesInstance) -> Iterator[Claim]:
    data, lines, program = instance.data, instance.lines, instance.program(instance.data)
    if len(data) < lines.records:
        yield Claim("fewer records: the fixed law alone", program[lines.fallback], "==", ONE, instance)
        return
    yield from _learner_claims(instance)
    first, orders = data[: lines.records], uniform_order(lines.records)
    yield equal("line 2: every permutation alike, whatever the data", lines.order_law(data), orders, instance)
    cut = sum(_is_cut(lines, first, entries(order)) for order in orders.support())
    yield Claim("line 3 batches: permutations cut in turn", Fraction(cut), "==", Fraction(len(orders)), instance)
    for batches in dict.fromkeys(blocks_of(first, entries(o), lines.runs, lines.batch) for o in orders.support()):
        independent = records_of_batches(lines.sampler, batches)
        yield equal(f"line 3 coins: batches {batches}", lines.drawn(batches), independent, instance)
    records = released_records(lines, data)
    yield equal("line 3: the records of the program and the average", instance.drawn(data), records, instance)
    learnt = learnt_from_records(lines, records)
    yield equal("conclusion: the law of the program's answer", program, learnt, instance)
    yield equal("exchangeable: from the histogram", instance.counted(first), learnt, instance)
    if len(data) > lines.records:
        yield equal("more records: the first T k b alone", program, instance.program(first), instance)


def _learner_claims(instance: AgnosticLinesInstance) -> Iterator[Claim]:
    """Lines 1 and 4: with which parameters L learns, seen on all blocks and all sequences of T records."""
    lines, a = instance.lines, instance.accuracy
    values = tuple(dict.fromkeys(instance.data))
    base = instance.learner_at(a * BASE_SHARE, BASE_SHARE), instance.base, instance.block_size
    last = instance.learner_at(2 * a, instance.beta), lines.final, lines.runs
    for label, (right, used, size) in (("line 1: L(.; a/16, 1/16)", base), ("line 4: L(.; 2a, beta)", last)):
        tried = product(product(values, repeat=size), lines.seeds.support())
        others = sum(used(block, seed) != right(block, seed) for block, seed in tried)
        yield Claim(f"{label}, inputs with another answer", Fraction(others), "==", ZERO, instance)


def _is_cut(lines: RunLines, data: Dataset, order: Order) -> bool:
    parts = lines.batches(data, order)
    return len(parts) == lines.runs and sum(parts, ()) == tuple(data[i] for i in order)


# -- the items --

DEFINITION = register(
    Item(
        id="def-C.1",
        kind="definition",
        section=APPENDIX,
        title="C-agnostic learnability",
        statement="""
A class Q is C-agnostically learnable, C >= 1, with m samples if there is a randomised L such that for all alpha, beta
in (0, 1) and all laws p, with S ~ p^m, m = m(alpha, beta), exactly that many samples,

    TV(L(S), p)  <=  C OPT(p) + alpha    with probability at least 1 - beta,    OPT(p) = inf over q in Q of TV(p, q).

Success is not strict here, unlike Definition 1.2. L may depend on (alpha, beta). It is proper if its laws lie in Q.
An instance tries the laws p of a grid: that refutes, but cannot prove the claim for all p.
""".strip(),
        uses=("def-1.2",),
        claims=_agnostic_claims,
        predicates=(optimum, is_beyond, agnostic_failure, is_agnostic_at),
    )
)

ALGORITHM = register(
    Item(
        id="alg-7",
        kind="algorithm",
        section=APPENDIX,
        title="AgnosticPrivateLearner",
        statement="""
On n = T k b records, with a C-agnostic L and a, b, k, T, beta, epsilon, delta0:

    1  L_base(D) := L(D; a/16, 1/16)
    2  Pi <- a uniform permutation of 1, ..., n
    3  for j = 1, ..., T:  S_j <- (X_{Pi((j-1)kb+1)}, ..., X_{Pi(jkb)}),
                           Z_j <- Sampler(S_j; l = 1, k, b, L_base, epsilon, delta0)  with fresh coins
    4  return L((Z_1, ..., Z_T); 2a, beta)

Given Pi the records Z_j are independent, Z_j with Sampler's law on S_j; the law of the answer is the average over Pi,
pushed through L. It depends on the histogram alone (step "exchangeable"). Completed for every n (Theorem C.2): of more
records the first T k b are used; for fewer the answer is a fixed element of the class.
""".strip(),
        uses=("alg-2", "def-C.1"),
        claims=_lines_claims,
        predicates=(uniform_order, records_of_batches, released_records, learnt_from_records),
    )
)
