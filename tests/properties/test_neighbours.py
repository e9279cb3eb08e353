"""Neighbouring relations: what is generated is what is defined, both ways, each ordered pair once."""

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.spec.errors import InvalidArgument
from exactdp.verify.audit import audit
from exactdp.verify.neighbours import (
    ADD_REMOVE,
    BRUTE_FORCE_AT_MOST,
    CHANGE_ONE,
    EACH_BY_ONE,
    Dataset,
    Relation,
    own_relation,
    relation_of,
)


def changes_one(one: Dataset, other: Dataset) -> bool:
    return any(
        (*one[:i], b, *one[i + 1 :]) == other and one != other for i in range(len(one)) for b in [*other[i : i + 1]]
    )


def adds_or_removes(one: Dataset, other: Dataset) -> bool:
    def without_one(dataset: Dataset) -> set[Dataset]:
        return {dataset[:i] + dataset[i + 1 :] for i in range(len(dataset))}

    return one in without_one(other) or other in without_one(one)


def moves_by_one(one: Dataset, other: Dataset) -> bool:
    steps = itertools.product((-1, 0, 1), repeat=len(one))
    moved = {tuple(a + s for a, s in zip(map(hash, one), step, strict=True)) for step in steps}
    return one != other and tuple(map(hash, other)) in moved


MEANT: list[tuple[Relation, Callable[[Dataset, Dataset], bool]]] = [
    (CHANGE_ONE, changes_one),
    (ADD_REMOVE, adds_or_removes),
    (EACH_BY_ONE, moves_by_one),
]
CASES = [([0, 1], 3), ([0, 1, 2], 2), ([5, 3, 9], 2), ([1], 3), ([0, 1, 2, 3], 1), ([3, 1, 2], 3)]
RELATION = pytest.mark.parametrize(("relation", "meant"), MEANT, ids=[relation.name for relation, _ in MEANT])


@RELATION
@pytest.mark.parametrize(("domain", "n"), CASES)
def test_every_ordered_pair_that_is_meant_is_generated_once(
    relation: Relation, meant: Callable[[Dataset, Dataset], bool], domain: list[Hashable], n: int
) -> None:
    datasets = list(relation.universe(domain, n))
    assert len(datasets) == len(set(datasets))
    pairs = list(relation.pairs(datasets, domain, n))
    assert len(pairs) == len(set(pairs))
    assert {(datasets[i], datasets[j]) for i, j in pairs} == {(s, t) for s in datasets for t in datasets if meant(s, t)}
    assert {(j, i) for i, j in pairs} == set(pairs)
    assert relation.check(datasets, domain, n) is None


@RELATION
@given(domain=st.lists(st.integers(0, 6), min_size=1, max_size=3, unique=True), n=st.integers(1, 3))
def test_the_definition_is_what_is_meant(
    relation: Relation, meant: Callable[[Dataset, Dataset], bool], domain: list[Hashable], n: int
) -> None:
    datasets = list(relation.universe(domain, n))
    for one, other in itertools.product(datasets, repeat=2):
        assert relation.definition(one, other) == meant(one, other)


def test_the_universe_of_five_answers_has_16_564_ordered_pairs() -> None:
    datasets = list(EACH_BY_ONE.universe([-1, 0, 1], 5))
    assert len(datasets) == 243
    assert len(list(EACH_BY_ONE.pairs(datasets, [-1, 0, 1], 5))) == 7**5 - 3**5 == 16_564


def smaller(one: Dataset, other: Dataset) -> bool:
    return hash(one[0]) < hash(other[0])


def test_an_asymmetric_relation_is_refused_with_the_pair() -> None:
    with pytest.raises(InvalidArgument, match="symmetric") as caught:
        audit(lambda data, draw: 0, domain=[0, 1], n=1, epsilon=1, neighbours=smaller)
    assert caught.value.value == ((0,), (1,))


def truncated(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    return (t for t in CHANGE_ONE.neighbours(dataset, domain, n) if dataset[0] == t[0])


def reaching_far(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    return (t for t in CHANGE_ONE.universe(domain, n) if t != dataset)


def leaving(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    yield (*dataset, domain[0])


def one_way(dataset: Dataset, domain: Sequence[Hashable], n: int) -> Iterator[Dataset]:
    return (t for t in CHANGE_ONE.neighbours(dataset, domain, n) if domain.index(t[0]) >= domain.index(dataset[0]))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [(truncated, "exactly"), (reaching_far, "exactly"), (leaving, "universe"), (one_way, "symmetric")],
)
def test_a_generator_that_is_not_its_definition_is_refused(
    wrong: Callable[[Dataset, Sequence[Hashable], int], Iterator[Dataset]], why: str
) -> None:
    relation = replace(CHANGE_ONE, neighbours=wrong)
    with pytest.raises(InvalidArgument, match=why):
        audit(lambda data, draw: 0, domain=[0, 1], n=2, epsilon=1, neighbours=relation)


def test_a_universe_too_large_for_brute_force_is_recorded_as_an_assumption() -> None:
    n = 9
    datasets = list(CHANGE_ONE.universe([0, 1], n))
    assert len(datasets) > BRUTE_FORCE_AT_MOST
    note = CHANGE_ONE.check(datasets, [0, 1], n)
    assert note is not None
    assert "symmetry" in note
    result = audit(lambda data, draw: 0, domain=[0, 1], n=n, epsilon=1)
    assert result.universe.assumptions == [note]


def test_neighbours_that_are_given_twice_count_once() -> None:
    twice = replace(
        CHANGE_ONE, neighbours=lambda s, domain, n: itertools.chain(*[CHANGE_ONE.neighbours(s, domain, n)] * 2)
    )
    datasets = list(CHANGE_ONE.universe([0, 1], 2))
    assert list(twice.pairs(datasets, [0, 1], 2)) == list(CHANGE_ONE.pairs(datasets, [0, 1], 2))


def test_a_function_of_two_datasets_is_a_relation() -> None:
    relation = relation_of(changes_one)
    datasets = list(relation.universe([0, 1, 2], 2))
    assert set(relation.pairs(datasets, [0, 1, 2], 2)) == set(CHANGE_ONE.pairs(datasets, [0, 1, 2], 2))
    assert relation.name == "changes_one"


def test_any_true_answer_of_a_function_counts_as_yes() -> None:
    def count(one: Dataset, other: Dataset) -> Any:
        return 2 * sum(a != b for a, b in zip(one, other, strict=True))

    relation = own_relation(count)
    datasets = list(relation.universe([0, 1], 1))
    assert relation.check(datasets, [0, 1], 1) is None


@pytest.mark.parametrize("unknown", ["swap", "", None, 3, CHANGE_ONE.universe([0], 1)])
def test_an_unknown_relation_is_refused_with_the_known_ones(unknown: object) -> None:
    with pytest.raises(InvalidArgument, match=r"change-one.*add-remove.*each-by-one"):
        relation_of(unknown)
