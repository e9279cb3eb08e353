"""Learners: from a block of records, and a seed, to a law.

Any callable of (block, seed) that returns a law is a learner. `Learner` says more of one: the law of its seeds, so that
a randomised learner can be enumerated, and whether it looks at the records in any order, so that blocks can be counted
instead of written out. Paper: L(S; U) of section 1; U, uniform on [0, 1], is a seed from a finite law here.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import prod

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number, exact
from exactdp.spec.standard_laws import point, uniform

Block = Sequence[Hashable]
LAWS_REMEMBERED = 1 << 16

LARGEST_BLOCK = 1_000_000
"""The largest block whose positions are seeds; they are written out."""


@dataclass(frozen=True)
class Learner:
    """A learner: `learn(block, seed)` is a law; `seeds` is the law of the seed, drawn afresh for every block.

    `symmetric` promises that the order of the records in a block does not matter. Raises `InvalidArgument`.
    """

    learn: Callable[[Block, Hashable], Law] = field(repr=False)
    name: str = "learner"
    seeds: Law = field(default_factory=lambda: point(None), repr=False)
    symmetric: bool = False

    def __post_init__(self) -> None:
        _check_function("learn", self.learn)
        kinds = ("name", str, "a text"), ("seeds", Law, "the law of the seed"), ("symmetric", bool, "True or False")
        for argument, kind, expected in kinds:
            if not isinstance(getattr(self, argument), kind):
                raise InvalidArgument(argument, getattr(self, argument), expected)

    def __call__(self, block: Block, seed: Hashable = None) -> Law:
        """The law that is learnt from a block, as a tuple. Raises `InvalidArgument` for no sequence and for no law."""
        law = self.learn(_tuple(block), seed)
        if not isinstance(law, Law):
            raise InvalidArgument("learner", law, f"a learner that returns a law: {self.name} returned this")
        return law


AnyLearner = Learner | Callable[[Block, Hashable], Law]


def as_learner(learner: AnyLearner) -> Learner:
    """Any callable of (block, seed) as a learner without seeds that may look at the order. Raises `InvalidArgument`."""
    if isinstance(learner, Learner):
        return learner
    _check_function("learner", learner)
    return Learner(learner, getattr(learner, "__name__", type(learner).__name__))


def empirical() -> Learner:
    """The empirical law of the block: every record has mass 1/b.

    >>> empirical()("aab")
    Law({'a': '2/3', 'b': '1/3'})
    """
    return Learner(lambda block, seed: _law_of_counts(_counts(block)), "empirical", symmetric=True)


def smoothed(domain: Sequence[Hashable], constant: Number | int | str = 1) -> Learner:
    """Add-constant smoothing on a public domain: mass (count + c)/(b + c K). Raises `InvalidArgument`.

    >>> smoothed("abc")("aab")
    Law({'a': '1/2', 'b': '1/3', 'c': '1/6'})
    """
    c = exact(constant, "constant")
    values = checked_domain(domain)
    if not c > 0:
        raise InvalidArgument("constant", str(constant), "a positive number, such as '1/2'")

    def learn(block: Block, seed: Hashable) -> Law:
        counts = Counter(_hashable(block))
        check_records(counts, values)
        whole = len(block) + c * len(values)
        return Law({y: (counts[y] + c) / whole for y in values})

    return Learner(learn, f"smoothed with {c}", symmetric=True)


def first_record() -> Learner:
    """The point mass on the first record of the block: it learns point masses exactly from one record."""
    return Learner(lambda block, seed: _point(_first(block)), "first record")


def random_record(block_size: int) -> Learner:
    """The point mass on a record of the block that the seed chooses uniformly: a randomised learner.

    >>> learner = random_record(3)
    >>> [learner("abc", seed) for seed in learner.seeds.support()]
    [Law({'a': '1'}), Law({'b': '1'}), Law({'c': '1'})]
    """
    if isinstance(block_size, bool) or not isinstance(block_size, int) or not 1 <= block_size <= LARGEST_BLOCK:
        expected = f"an int from 1 to {LARGEST_BLOCK}: the number of records in a block, each of which has a seed"
        raise InvalidArgument("block_size", block_size, expected)

    def learn(block: Block, seed: Hashable) -> Law:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < block_size:
            raise InvalidArgument("seed", seed, f"an int from 0 to {block_size - 1}: the position of a record")
        if len(block) != block_size:
            raise InvalidArgument("block", block, f"{block_size} records: the seeds are their positions")
        return _point(_hashable(block)[seed])

    return Learner(learn, "random record", uniform(range(block_size)))


def maximum_likelihood(laws: Sequence[Law]) -> Learner:
    """The law of a finite class under which the block is likeliest; of several, the one that stands first.

    Raises `InvalidArgument` for an empty class, and for a block that every law of the class gives probability 0.

    >>> fair, biased = Law({0: "1/2", 1: "1/2"}), Law({0: "1/10", 1: "9/10"})
    >>> maximum_likelihood([fair, biased])((1, 1, 0)) == fair
    True
    """
    members = tuple(laws) if isinstance(laws, Iterable) else ()
    if not members or not all(isinstance(law, Law) for law in members):
        raise InvalidArgument("laws", members or laws, "a list of at least one law")

    @lru_cache(maxsize=LAWS_REMEMBERED)
    def likeliest(counts: _Counts) -> Law:
        likelihoods = [prod((law[y] ** n for y, n in counts.items), start=Fraction(1)) for law in members]
        best = max(range(len(members)), key=lambda i: (likelihoods[i], -i))
        if not likelihoods[best]:
            raise InvalidArgument("block", dict(counts.items), "records that some law of the class can give together")
        return members[best]

    return Learner(lambda block, seed: likeliest(_counts(block)), "maximum likelihood", symmetric=True)


def randomised(first: AnyLearner, second: AnyLearner, probability: Number | int | str) -> Learner:
    """The first learner with this probability and otherwise the second, by a coin in the seed."""
    p = exact(probability, "probability")
    if not 0 <= p <= 1:
        raise InvalidArgument("probability", str(probability), "a number between 0 and 1")
    first, second = as_learner(first), as_learner(second)
    parts = [(p, 0, first), (1 - p, 1, second)]
    seeds = mixture([(weight, point(i).product(one.seeds)) for weight, i, one in parts if weight])

    def learn(block: Block, seed: Hashable) -> Law:
        if not isinstance(seed, tuple) or len(seed) != 2 or seed[0] not in (0, 1):
            raise InvalidArgument("seed", seed, "a pair: 0 or 1 for the first or second learner, and its seed")
        return (first, second)[seed[0]](block, seed[1])

    return Learner(learn, f"{first.name} or {second.name}", seeds, first.symmetric and second.symmetric)


def checked_domain(domain: Collection[Hashable]) -> tuple[Hashable, ...]:
    """The domain as a tuple of distinct values. Raises `InvalidArgument`."""
    if not isinstance(domain, Iterable):
        raise InvalidArgument("domain", domain, "a list of hashable values")
    try:
        values = tuple(domain)
        once = len(set(values)) == len(values)
    except TypeError:
        raise InvalidArgument("domain", domain, "a list of hashable values") from None
    if not values or not once:
        raise InvalidArgument("domain", domain, "at least one value, each of them once")
    return values


def check_records(block: Counter[Hashable] | Block, domain: Sequence[Hashable]) -> None:
    """Raises `InvalidArgument` for a record outside the domain."""
    outside = next((record for record in block if record not in domain), None)
    if outside is not None:
        raise InvalidArgument("record", outside, f"a value of the domain {', '.join(map(repr, domain))}")


def _check_function(argument: str, function: object) -> None:
    """Raises `InvalidArgument` for what cannot be called with a block and a seed."""
    expected = "a function of a block and a seed that returns a law"
    if not callable(function):
        raise InvalidArgument(argument, function, expected)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind((), None)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        raise InvalidArgument(argument, f"{name}{signature}", expected) from None


def _first(block: Block) -> Hashable:
    records = _hashable(block)
    if not records:
        raise InvalidArgument("block", block, "at least one record")
    return records[0]


def _tuple(block: Block) -> tuple[Hashable, ...]:
    if isinstance(block, tuple):
        return block
    if not isinstance(block, Sequence):
        raise InvalidArgument("block", block, "the records in a row, such as a list")
    return tuple(block)


def _hashable(block: Block) -> tuple[Hashable, ...]:
    records = _tuple(block)
    try:
        for record in records:
            hash(record)
    except TypeError:
        raise InvalidArgument("block", block, "hashable records, such as tuples in place of lists") from None
    return records


@dataclass(frozen=True)
class _Counts:
    """How often each record occurs; equal for blocks in another order."""

    key: frozenset[tuple[Hashable, int]]
    items: tuple[tuple[Hashable, int], ...] = field(compare=False)


def _counts(block: Block) -> _Counts:
    items = tuple(Counter(_hashable(block)).items())
    return _Counts(frozenset(items), items)


@lru_cache(maxsize=LAWS_REMEMBERED, typed=True)
def _point(outcome: Hashable) -> Law:
    return point(outcome)


@lru_cache(maxsize=LAWS_REMEMBERED)
def _law_of_counts(counts: _Counts) -> Law:
    size = sum(n for _, n in counts.items)
    if not size:
        raise InvalidArgument("block", (), "at least one record")
    return Law({y: Fraction(n, size) for y, n in counts.items})
