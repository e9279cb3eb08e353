"""Families: the instances on which an item's claims are checked, all of a small grid and some picked by hand.

A family is registered for its item with `family_of`; all sizes stand in `PRESETS`.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from itertools import combinations_with_replacement, pairwise, product
from typing import Literal

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon, Scale
from exactdp.spec.item import Instance, item
from exactdp.spec.kernel import KernelInstance, Matrix, ProcessingInstance
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.privacy import Blocks, Laws, ParallelInstance, PrivacyInstance, change_one_pairs
from exactdp.spec.standard_laws import discrete_laplace, point

Preset = Literal["minimal", "full"]

MODULES: tuple[str, ...] = (
    "exactdp.verify.coupling_families",
    "exactdp.verify.mode_families",
    "exactdp.verify.aggregate_families",
    "exactdp.verify.sampler_families",
    "exactdp.verify.learning_families",
    "exactdp.verify.agnostic_families",
    "exactdp.verify.minimum_distance_families",
    "exactdp.verify.boosting_families",
)
"""Further modules that register families; a new one is named here."""

ROOT_3 = exp(Epsilon("ln(3)") / 2)
"""E = 3^(1/2): epsilon is half a logarithm, and E an irrational algebraic number."""


@dataclass(frozen=True)
class Sizes:
    """How large the grids are: a grid of laws has all masses that are multiples of 1/denominator.

    Sizes that one module of families alone needs stand in that module, by the name of the preset.
    """

    preset: Preset
    pair_denominator: int
    kernel_denominator: int
    processed_denominators: tuple[tuple[int, int, int], ...]
    """(points of the law, its denominator, denominator of the kernel) of each grid of processed pairs."""
    block_denominator: int
    factors: tuple[Number, ...]
    """The values of E = e^epsilon."""
    cell_measures: tuple[tuple[int, int], ...]
    """(number of cells, largest measure) of each grid of disjoint cells of a Poisson process."""
    pair_grids: tuple[tuple[int, int], ...]
    """(points, denominator) of each grid from which all ordered pairs of laws are taken."""
    tuple_grids: tuple[tuple[int, int, int], ...]
    """(k, points, denominator) of each grid from which all ordered k-tuples of laws are taken."""
    multiset_grids: tuple[tuple[int, int, int], ...]
    """The same, in one order of each tuple: the claims permute it themselves."""
    compared_grids: tuple[tuple[int, int, int], ...]
    """(k, points, denominator) of each grid whose k-tuples are all compared with one another."""
    class_grids: tuple[tuple[int, int, int, int], ...]
    """(laws in the class, points, denominator, length of the tuples tried): all classes from the grid."""
    product_grids: tuple[tuple[int, int, int, int], ...]
    """(k, points, denominator, records): products of that many records of every k-tuple."""
    order_grids: tuple[tuple[int, int, int], ...]
    """(k, points, denominator): all cells with a fixed order of the k masses at every point, and their tuples."""


PRESETS: Mapping[str, Sizes] = {
    "minimal": Sizes(
        preset="minimal",
        pair_denominator=4,
        kernel_denominator=2,
        processed_denominators=((2, 2, 2), (3, 2, 1)),
        block_denominator=2,
        factors=(Fraction(1), Fraction(3, 2), exp("1/2")),
        cell_measures=((1, 2), (2, 3), (3, 2), (4, 1)),
        pair_grids=((1, 1), (2, 4), (3, 3), (4, 2)),
        tuple_grids=((1, 3, 3), (2, 2, 4), (2, 3, 2), (2, 4, 1), (3, 2, 2)),
        multiset_grids=((3, 3, 2), (3, 4, 1), (4, 2, 2)),
        compared_grids=((1, 3, 2), (2, 2, 2)),
        class_grids=((1, 1, 1, 4), (2, 3, 2, 3), (3, 3, 2, 2), (3, 2, 3, 3), (3, 4, 1, 2), (5, 2, 4, 2)),
        product_grids=((2, 2, 2, 2), (3, 2, 2, 1), (2, 3, 1, 2)),
        order_grids=((2, 2, 3), (2, 3, 2), (3, 2, 2)),
    ),
    "full": Sizes(
        preset="full",
        pair_denominator=6,
        kernel_denominator=3,
        processed_denominators=((2, 4, 3), (3, 3, 2)),
        block_denominator=3,
        factors=(Fraction(1), Fraction(3, 2), Fraction(3), ROOT_3, exp("1/2")),
        cell_measures=((1, 3), (2, 4), (3, 3), (4, 2), (5, 1), (6, 1)),
        pair_grids=((1, 1), (2, 12), (3, 8), (4, 4)),
        tuple_grids=((1, 4, 4), (2, 3, 4), (2, 4, 2), (3, 2, 4), (3, 3, 2), (4, 2, 2), (4, 3, 1)),
        multiset_grids=((3, 3, 3), (3, 4, 2), (3, 2, 6), (4, 3, 2), (4, 4, 1)),
        compared_grids=((1, 4, 3), (2, 3, 2), (3, 2, 2)),
        class_grids=((1, 1, 1, 4), (2, 4, 2, 3), (3, 3, 2, 3), (3, 3, 3, 2), (3, 2, 4, 4), (4, 4, 1, 3), (6, 3, 2, 2)),
        product_grids=((2, 2, 4, 2), (2, 2, 2, 3), (3, 2, 2, 2), (2, 3, 2, 2)),
        order_grids=((2, 2, 6), (2, 3, 3), (2, 4, 2), (3, 2, 4), (3, 3, 2)),
    ),
}

Family = Callable[[Sizes], Iterator[Instance]]
_FAMILIES: dict[str, Family] = {}


def family_of(item_id: str) -> Callable[[Family], Family]:
    """Register a function from sizes to instances as the family of an item; one for each item."""

    def registered(made: Family) -> Family:
        if item_id in _FAMILIES:
            raise InvalidArgument("item", item_id, "an item that has no family yet")
        _FAMILIES[item_id] = made
        return made

    return registered


def family(item_id: str, preset: str = "minimal") -> Iterator[Instance]:
    """The instances of an item, in the preset "minimal" or "full"; none when the item has no family.

    Raises `InvalidArgument` for an unknown item or preset.

    >>> next(family("def-2.1")).name
    'rows (0, 2), (0, 2) over 2, law (0, 2)'
    """
    if preset not in PRESETS:
        raise InvalidArgument("preset", preset, "one of " + ", ".join(PRESETS))
    for module in MODULES:
        import_module(module)
    name = item(item_id).id
    return _FAMILIES[name](PRESETS[preset]) if name in _FAMILIES else iter(())


# -- grids --


def grid_counts(points: int, denominator: int) -> Iterator[tuple[int, ...]]:
    """All ways to write the denominator as an ordered sum of that many integers of at least 0.

    There are C(denominator + points - 1, points - 1).

    >>> list(grid_counts(2, 2))
    [(0, 2), (1, 1), (2, 0)]
    """
    if points == 1:
        yield (denominator,)
        return
    for first in range(denominator + 1):
        for rest in grid_counts(points - 1, denominator - first):
            yield first, *rest


def law_of_counts(counts: Sequence[int], outcomes: Sequence[Hashable] | None = None) -> Law:
    """The law with masses proportional to the counts, on 0, 1, ... unless outcomes are given."""
    names = range(len(counts)) if outcomes is None else outcomes
    total = sum(counts)
    return Law({y: Fraction(c, total) for y, c in zip(names, counts, strict=True)})


def grid_laws(points: int, denominator: int) -> Iterator[Law]:
    """All laws on 0..points-1 whose masses are multiples of 1/denominator.

    >>> [law[0] for law in grid_laws(2, 2)]
    [Fraction(0, 1), Fraction(1, 2), Fraction(1, 1)]
    """
    return map(law_of_counts, grid_counts(points, denominator))


def grid_matrices(inputs: int, outputs: int, denominator: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All stochastic matrices with entries that are multiples of 1/denominator, by rows of counts."""
    return product(grid_counts(outputs, denominator), repeat=inputs)


def matrix_of_counts(rows: Sequence[Sequence[int]]) -> Matrix:
    """The matrix on inputs 0, 1, ... with each row's masses proportional to its counts."""
    return {x: {y: Fraction(c, sum(row)) for y, c in enumerate(row)} for x, row in enumerate(rows)}


def plain_divergence(p: Law, q: Law, factor: Number) -> Number:
    """The sum over y of max(0, P(y) - E Q(y)) for finite laws, term by term: a second computation of H_E."""
    outcomes = dict.fromkeys([*p.support(), *q.support()])
    zero = Fraction(0)
    return sum((max(zero, p[y] - factor * q[y]) for y in outcomes), start=zero)


def randomized_response(epsilon: Epsilon, answers: Sequence[Hashable] = (0, 1)) -> dict[Hashable, Law]:
    """By true answer: the truth with probability e^epsilon / (e^epsilon + m - 1), else another answer."""
    t = exp(-epsilon)
    lie = t / (1 + (len(answers) - 1) * t)
    truth = 1 / (1 + (len(answers) - 1) * t)
    return {x: Law({y: truth if x == y else lie for y in answers}) for x in answers}


def clamped_count(count: int, scale: Scale, low: int, high: int) -> Law:
    """A count with discrete Laplace noise, moved into low..high: exact exponential masses with both tails."""
    noisy = discrete_laplace(scale).convolve(point(count))
    inside: dict[Hashable, Number] = {k: noisy[k] for k in range(low + 1, high)}
    return Law({low: 1 - noisy.tail(low + 1), **inside, high: noisy.tail(high)})


# -- the families of section 2 --


@family_of("def-2.1")
def _kernels(sizes: Sizes) -> Iterator[Instance]:
    n = sizes.kernel_denominator
    then: Matrix = {0: {"a": "1/3", "b": "2/3"}, 1: {"b": 1}, 2: {"a": "1/2", "c": "1/2"}}
    for outputs in (2, 3):
        for rows in grid_matrices(2, outputs, n):
            for counts in grid_counts(2, n):
                name = f"rows {', '.join(map(str, rows))} over {n}, law {counts}"
                weights = {x: Fraction(c, n) for x, c in enumerate(counts)}
                yield KernelInstance(name, matrix_of_counts(rows), weights, then)
    for text in ("1/2", "ln(3)"):
        answers = randomized_response(Epsilon(text))
        rows_of = {x: dict(law.items()) for x, law in answers.items()}
        name = f"randomized response, epsilon {text}, twice"
        yield KernelInstance(name, rows_of, {0: "1/3", 1: "2/3"}, rows_of)


@family_of("def-2.3")
def _mechanisms(sizes: Sizes) -> Iterator[Instance]:
    n = sizes.pair_denominator
    laws = list(grid_counts(3, n))
    for factor in sizes.factors:
        for one, two in combinations_with_replacement(laws, 2):
            pair = {"S": law_of_counts(one), "S'": law_of_counts(two)}
            delta = max(plain_divergence(pair[x], pair[y], factor) for x, y in (("S", "S'"), ("S'", "S")))
            name = f"{one} and {two} over {n}, E = {factor}"
            yield PrivacyInstance(name, pair, (("S", "S'"), ("S'", "S")), factor, delta)
    yield from _known_mechanisms()


def _known_mechanisms() -> Iterator[Instance]:
    """Mechanisms whose exact delta is known by hand."""
    zero = Fraction(0)
    for text in ("ln(3)", "1/2", "any"):
        epsilon = Epsilon(text)
        for answers in ((0, 1), ("a", "b", "c")):
            responses = randomized_response(epsilon, answers)
            pairs = tuple((x, y) for x in answers for y in answers if x != y)
            name = f"randomized response over {len(answers)} answers, epsilon {text}"
            yield PrivacyInstance(name, responses, pairs, exp(epsilon), zero)
        one = randomized_response(epsilon)
        two: Laws = {(x, y): one[x].product(one[y]) for x in (0, 1) for y in (0, 1)}
        name = f"two records, each answered at random, epsilon {text}"
        yield PrivacyInstance(name, two, tuple(change_one_pairs(two)), exp(epsilon), zero)
    published: Laws = {x: Law({x: "1/10", None: "9/10"}) for x in ("a", "b")}
    named = "the record is published with probability 1/10"
    yield PrivacyInstance(named, published, (("a", "b"), ("b", "a")), Fraction(1), Fraction(1, 10))
    yield from _noisy_counts()


def _noisy_counts() -> Iterator[Instance]:
    """Counts with discrete Laplace noise of scale 1/epsilon, at epsilon and at half of it."""
    pairs = tuple(pair for low, high in pairwise(range(3)) for pair in ((low, high), (high, low)))
    for text in ("1/2", "ln(3)"):
        epsilon = Epsilon(text)
        counts = {c: discrete_laplace(1 / epsilon).convolve(point(c)) for c in range(3)}
        clamped = {c: clamped_count(c, 1 / epsilon, -1, 3) for c in range(3)}
        half, whole = exp(-epsilon / 2), exp(-epsilon)
        name = f"counts with discrete Laplace noise, epsilon {text}"
        yield PrivacyInstance(name, counts, pairs, exp(epsilon), Fraction(0))
        yield PrivacyInstance(f"{name}, claimed at half", counts, pairs, 1 / half, (1 - half) / (1 + whole))
        yield PrivacyInstance(f"{name}, clamped to -1..3", clamped, pairs, exp(epsilon), Fraction(0))


@family_of("prop-2.4")
def _processed(sizes: Sizes) -> Iterator[Instance]:
    for points, n, m in sizes.processed_denominators:
        for factor in sizes.factors:
            for one, two in product(grid_counts(points, n), repeat=2):
                for rows in grid_matrices(points, 5 - points, m):
                    name = f"{one} and {two} over {n}, rows {', '.join(map(str, rows))} over {m}, E = {factor}"
                    p, q = law_of_counts(one), law_of_counts(two)
                    yield ProcessingInstance(name, p, q, matrix_of_counts(rows), factor)
    for text in ("1/2", "ln(3)"):
        epsilon = Epsilon(text)
        p, q = (clamped_count(c, 1 / epsilon, -1, 2) for c in (0, 1))
        response = randomized_response(epsilon)
        signs: Matrix = {k: dict(response[int(k > 0)].items()) for k in range(-1, 3)}
        for factor in (Fraction(1), exp(epsilon / 2)):
            name = f"clamped noisy counts 0 and 1, their signs answered at random, epsilon {text}, E = {factor}"
            yield ProcessingInstance(name, p, q, signs, factor)
    far = law_of_counts((1, 0, 0)), law_of_counts((0, 1, 1))
    merge: Matrix = {0: {"x": 1}, 1: {"x": "1/2", "y": "1/2"}, 2: {"y": 1}}
    yield ProcessingInstance("disjoint supports, partly merged", *far, merge, Fraction(2))


@family_of("lem-2.5")
def _parallel(sizes: Sizes) -> Iterator[Instance]:
    n = sizes.block_denominator
    tables = [(rows, {(x,): law_of_counts(row) for x, row in enumerate(rows)}) for rows in grid_matrices(2, 2, n)]
    for factor in sizes.factors:
        for (left, first), (right, second) in combinations_with_replacement(tables, 2):
            name = f"blocks with rows {left} and {right} over {n}, E = {factor}"
            answers = [(table[x,], table[1 - x,]) for table in (first, second) for x in (0, 1)]
            delta = max(plain_divergence(p, q, factor) for p, q in answers)
            yield from _in_parallel(name, ((0,), (1,)), (first, second), factor, delta)
    for text in ("1/2", "ln(3)"):
        epsilon = Epsilon(text)
        half, whole = exp(-epsilon / 2), exp(-epsilon)
        yield from _known_parallel(epsilon, exp(epsilon), Fraction(0))
        yield from _known_parallel(epsilon, 1 / half, (1 - half) / (1 + whole))


def _known_parallel(epsilon: Epsilon, factor: Number, delta: Number) -> Iterator[Instance]:
    """Blocks of several records, an empty block, one block alone, and countable answers."""
    answers = randomized_response(epsilon)
    one: Laws = {(x,): answers[x] for x in (0, 1)}
    both: Laws = {pair: answers[max(pair)] for pair in product((0, 1), repeat=2)}
    none: Laws = {(): law_of_counts((1, 2))}
    noise: Laws = {(x,): discrete_laplace(1 / epsilon).convolve(point(x)) for x in (0, 1)}
    systems: list[tuple[str, Blocks, tuple[Laws, ...]]] = [
        ("records 0 and 2 apart from record 1", ((0, 2), (1,)), (both, one)),
        ("one block of both records", ((0, 1),), (both,)),
        ("an empty block", ((1,), (), (0,)), (one, none, one)),
        ("a noisy count and an answer", ((0,), (1,)), (noise, one)),
        ("two noisy counts", ((1,), (0,)), (noise, noise)),
    ]
    for name, blocks, tables in systems:
        yield from _in_parallel(f"{name}, epsilon {epsilon}, E = {factor}", blocks, tables, factor, delta)


def _in_parallel(
    name: str, blocks: Blocks, tables: tuple[Laws, ...], factor: Number, delta: Number
) -> Iterator[Instance]:
    """All neighbouring pairs of datasets of bits."""
    records = sum(map(len, blocks))
    for before, after in change_one_pairs(product((0, 1), repeat=records)):
        shown = f"{name}, {''.join(map(str, before))} to {''.join(map(str, after))}"
        yield ParallelInstance(shown, before, after, blocks, tables, factor, delta)
