"""Neighbouring datasets: relations over a finite universe of datasets, generated and checked.

A relation has a universe (which datasets there are), a generator (the neighbours of one) and a definition (are these
two neighbours?). The generator is what is used; the definition is what is meant; `check` holds them equal.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from exactdp.spec.errors import InvalidArgument

Dataset = tuple[Hashable, ...]

BRUTE_FORCE_AT_MOST = 300
"""Universes of up to so many datasets are checked pair by pair against the definition."""


@dataclass(frozen=True)
class Relation:
    """A neighbouring relation on datasets, which are tuples over a domain.

    `universe(domain, n)` gives every dataset once, `neighbours(dataset, domain, n)` those next to it, and
    `definition(one, other)` says whether two datasets are neighbours.
    """

    name: str
    universe: Callable[[Sequence[Hashable], int], Iterator[Dataset]]
    neighbours: Callable[[Dataset, Sequence[Hashable], int], Iterator[Dataset]]
    definition: Callable[[Dataset, Dataset], bool]
    integers: bool = False
    """Whether the records must be integers."""

    def pairs(self, datasets: Sequence[Dataset], domain: Sequence[Hashable], n: int) -> Iterator[tuple[int, int]]:
        """Every ordered pair of neighbours once, as positions in `datasets`, which is the universe."""
        position = {dataset: i for i, dataset in enumerate(datasets)}
        for i, dataset in enumerate(datasets):
            for other in dict.fromkeys(self.neighbours(dataset, domain, n)):
                if other not in position:
                    raise InvalidArgument(f"neighbours of {dataset!r}", other, "a dataset of the universe")
                yield i, position[other]

    def check(self, datasets: Sequence[Dataset], domain: Sequence[Hashable], n: int) -> str | None:
        """Compares the generated pairs with the definition, both ways, and checks symmetry.

        Returns None when all is well or an assumption to record when the universe is too large for brute force.
        Raises `InvalidArgument` with the offending pair.
        """
        generated = set(self.pairs(datasets, domain, n))
        for i, j in generated:
            if (j, i) not in generated:
                pair = datasets[i], datasets[j]
                raise InvalidArgument(
                    f"neighbours ({self.name})", pair, "a symmetric relation: the reversed pair is missing"
                )
        if len(datasets) > BRUTE_FORCE_AT_MOST:
            return (
                f"the generated pairs of {self.name} were checked for symmetry, not against its definition pair by pair"
            )
        for i, one in enumerate(datasets):
            for j, other in enumerate(datasets):
                declared = i != j and self.definition(one, other)
                if declared != ((i, j) in generated):
                    expected = "generated pairs that are exactly those of the definition"
                    raise InvalidArgument(f"neighbours ({self.name})", (one, other), expected)
        return None


def _power(domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    return product(domain, repeat=n)


def _up_to(domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    for length in range(n + 1):
        yield from product(domain, repeat=length)


def _changed(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    for i, record in enumerate(dataset):
        for other in domain:
            if other != record:
                yield (*dataset[:i], other, *dataset[i + 1 :])


def _added_or_removed(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    for i in range(len(dataset)):
        yield dataset[:i] + dataset[i + 1 :]
    if len(dataset) < n:
        for i in range(len(dataset) + 1):
            for record in domain:
                yield (*dataset[:i], record, *dataset[i:])


def _moved_by_one(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    near = {a: [b for b in domain if _distance(a, b) <= 1] for a in dataset}
    for other in product(*(near[a] for a in dataset)):
        if other != dataset:
            yield other


def _distance(one: Hashable, other: Hashable) -> int:
    assert isinstance(one, int), "each-by-one takes integers only"
    assert isinstance(other, int), "each-by-one takes integers only"
    return abs(one - other)


def _differ_once(one: Dataset, other: Dataset) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _one_is_extended(one: Dataset, other: Dataset) -> bool:
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def _all_near(one: Dataset, other: Dataset) -> bool:
    same_length = len(one) == len(other)
    return same_length and one != other and all(_distance(a, b) <= 1 for a, b in zip(one, other, strict=True))


CHANGE_ONE = Relation("change-one", _power, _changed, _differ_once)
"""Same length, one record replaced: the paper's relation."""

ADD_REMOVE = Relation("add-remove", _up_to, _added_or_removed, _one_is_extended)
"""One record added or removed, anywhere; datasets of 0 to n records."""

EACH_BY_ONE = Relation("each-by-one", _power, _moved_by_one, _all_near, integers=True)
"""Vectors of integer answers: every coordinate may move by at most 1."""

RELATIONS = {relation.name: relation for relation in (CHANGE_ONE, ADD_REMOVE, EACH_BY_ONE)}


def own_relation(
    definition: Callable[[Dataset, Dataset], object],
    *,
    name: str = "own",
    universe: Callable[[Sequence[Hashable], int], Iterator[Dataset]] = _power,
) -> Relation:
    """A relation from its definition alone: the neighbours are found by trying every dataset.

    By default the universe is all datasets of exactly n records.
    """

    def neighbours(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
        return (other for other in universe(domain, n) if other != dataset and definition(dataset, other))

    return Relation(name, universe, neighbours, lambda one, other: bool(definition(one, other)))


def relation_of(neighbours: object) -> Relation:
    """A relation from its name, from a `Relation`, or from a function of two datasets. Raises `InvalidArgument`."""
    if isinstance(neighbours, Relation):
        return neighbours
    if isinstance(neighbours, str) and neighbours in RELATIONS:
        return RELATIONS[neighbours]
    if callable(neighbours):
        return own_relation(neighbours, name=getattr(neighbours, "__name__", "own"))
    expected = ", ".join(repr(name) for name in RELATIONS) + " or a function of two datasets"
    raise InvalidArgument("neighbours", neighbours, expected)
