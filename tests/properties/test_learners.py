"""Learners: what each learns, which seeds it has, whether it is symmetric as it promises, and what it refuses."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.learners import (
    AnyLearner,
    Learner,
    as_learner,
    check_records,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import point, uniform

FAIR, BIASED = Law({0: "1/2", 1: "1/2"}), Law({0: "1/10", 1: "9/10"})
SYMMETRIC: dict[str, Learner] = {
    "empirical": empirical(),
    "smoothed": smoothed(range(3), "1/2"),
    "maximum likelihood": maximum_likelihood([Law({0: "1/2", 1: "1/4", 2: "1/4"}), uniform(range(3))]),
    "both": randomised(empirical(), smoothed(range(3)), "1/3"),
}


# -- what is learnt ---------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9))
def test_the_empirical_law_counts_and_smoothing_adds_a_constant(block: list[str]) -> None:
    b = len(block)
    masses: dict[Hashable, Number | int | str] = {y: Fraction(block.count(y), b) for y in block}
    assert empirical()(block) == Law(masses)
    for constant in ("1/2", 1, 3):
        c = Fraction(constant)
        expected: dict[Hashable, Number | int | str] = {y: (block.count(y) + c) / (b + 3 * c) for y in "abc"}
        assert smoothed("abc", constant)(block) == Law(expected)


def test_smoothing_by_an_irrational_constant_is_exact() -> None:
    c = exp(-1)
    assert smoothed("ab", c)("aab")["b"] == (1 + c) / (3 + 2 * c)


def test_single_record_learners_give_point_masses() -> None:
    assert first_record()("ba") == first_record()(["b"]) == point("b")
    learner = random_record(3)
    assert learner.seeds == uniform(range(3))
    assert [learner("abc", seed) for seed in range(3)] == [point("a"), point("b"), point("c")]


def test_equal_records_of_different_types_stay_what_they_are() -> None:
    """1, True and 1.0 are equal, and a point mass on one of them is remembered apart from the others."""
    for record in (1, True, 1.0):
        (outcome,) = first_record()([record]).support()
        assert type(outcome) is type(record)


def test_the_likeliest_law_wins_and_ties_go_to_the_first() -> None:
    learner = maximum_likelihood([FAIR, BIASED])
    for block in product((0, 1), repeat=4):
        heads = sum(block)
        likelihoods = [Fraction(1, 16), Fraction(9, 10) ** heads * Fraction(1, 10) ** (4 - heads)]
        assert learner(block) == (BIASED if likelihoods[1] > likelihoods[0] else FAIR)
    mirrored = Law({0: "1/3", 1: "2/3"}), Law({0: "2/3", 1: "1/3"})
    for pair in (mirrored, mirrored[::-1]):
        assert maximum_likelihood(pair)((0, 1)) == pair[0]


def test_the_likeliest_of_irrational_laws_is_decided() -> None:
    x = exp("-1/2")
    one, other = Law({0: x, 1: 1 - x}), Law({0: 1 - x, 1: x})
    assert maximum_likelihood([one, other])((0, 0, 1)) == one
    assert maximum_likelihood([one, other])((0, 1, 1)) == other


def test_the_learnt_law_does_not_depend_on_what_was_learnt_before() -> None:
    for learner in SYMMETRIC.values():
        seed = next(learner.seeds.support())
        fresh = [learner(block, seed) for block in product(range(3), repeat=2)]
        again = [learner(block, seed) for block in reversed(list(product(range(3), repeat=2)))]
        assert fresh == again[::-1]


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_learners_keep_their_promise(name: str) -> None:
    learner = SYMMETRIC[name]
    assert learner.symmetric
    for block in product(range(3), repeat=3):
        for seed in learner.seeds.support():
            assert len({learner(order, seed) for order in permutations(block)}) == 1


def test_learners_that_look_at_the_order_do_not_promise_symmetry() -> None:
    for learner in (first_record(), random_record(2), randomised(empirical(), first_record(), "1/2")):
        assert not learner.symmetric
        assert any(learner("ab", seed) != learner("ba", seed) for seed in learner.seeds.support())


# -- seeds ------------------------------------------------------------------------------------------------------------


def test_a_randomised_learner_flips_its_coin_in_the_seed() -> None:
    learner = randomised(first_record(), random_record(2), "1/3")
    assert learner.seeds == Law({(0, None): "1/3", (1, 0): "1/3", (1, 1): "1/3"})
    assert [learner("ab", seed) for seed in ((0, None), (1, 0), (1, 1))] == [point("a"), point("a"), point("b")]
    outputs = BlockOutputs(learner, "ab", 2)
    assert outputs.types[1, 1] == (3, 3)
    assert outputs.probabilities(Law({"a": "1/4", "b": "3/4"})) == (Fraction(1, 4), Fraction(3, 4))


def test_a_sure_coin_leaves_no_seed_of_the_other_learner() -> None:
    assert randomised(first_record(), random_record(2), 1).seeds == point((0, None))
    assert randomised(first_record(), random_record(2), 0).seeds == uniform([(1, 0), (1, 1)])


def test_coins_nest_and_may_be_irrational() -> None:
    inner = randomised(first_record(), empirical(), "1/2")
    outer = randomised(inner, empirical(), "1/2")
    assert outer.seeds == Law({(0, (0, None)): "1/4", (0, (1, None)): "1/4", (1, None): "1/2"})
    assert outer("ab", (0, (0, None))) == point("a")
    assert randomised(first_record(), empirical(), exp(-1)).seeds[0, None] == exp(-1)


def test_any_function_of_block_and_seed_is_a_learner() -> None:
    def majority(block: Sequence[Hashable], seed: Hashable) -> Law:
        return point(max(sorted(set(map(str, block))), key=block.count))

    learner = as_learner(majority)
    assert (learner.name, learner.symmetric, learner.seeds) == ("majority", False, point(None))
    assert learner("abb") == point("b")
    assert as_learner(learner) is learner
    assert randomised(majority, first_record(), "1/2")("abb", (0, None)) == point("b")


# -- refusals ---------------------------------------------------------------------------------------------------------

ANY: Any = {
    "a float": lambda block, seed: 0.5,
    "a dict": lambda block, seed: {0: 1},
    "nothing": lambda block, seed: None,
    "number": 3,
    "unhashable": [[1], [2]],
    "nested": [("a", [1])],
    "half": 0.5,
    "true": True,
}
BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: as_learner(ANY["a float"])("ab"), "learner"),
    (lambda: as_learner(ANY["a dict"])("ab"), "learner"),
    (lambda: as_learner(ANY["nothing"])("ab"), "learner"),
    (lambda: as_learner(ANY["number"]), "learner"),
    (lambda: randomised(ANY["number"], empirical(), "1/2"), "learner"),
    (lambda: randomised(empirical(), empirical(), "3/2"), "probability"),
    (lambda: randomised(empirical(), empirical(), ANY["half"]), "probability"),
    (lambda: empirical()(""), "block"),
    (lambda: first_record()(""), "block"),
    (lambda: empirical()(ANY["unhashable"]), "block"),
    (lambda: empirical()(ANY["nested"]), "block"),
    (lambda: first_record()(ANY["unhashable"]), "block"),
    (lambda: smoothed("ab")(ANY["unhashable"]), "block"),
    (lambda: maximum_likelihood([FAIR])(ANY["unhashable"]), "block"),
    (lambda: random_record(2)(ANY["unhashable"], 0), "block"),
    (lambda: random_record(3)("ab", 2), "block"),
    (lambda: random_record(2)("abc", 1), "block"),
    (lambda: random_record(0), "block_size"),
    (lambda: random_record(ANY["true"]), "block_size"),
    (lambda: smoothed("aa"), "domain"),
    (lambda: smoothed(""), "domain"),
    (lambda: smoothed(ANY["unhashable"]), "domain"),
    (lambda: smoothed(ANY["number"]), "domain"),
    (lambda: smoothed("ab", 0), "constant"),
    (lambda: smoothed("ab", -1), "constant"),
    (lambda: smoothed("ab", ANY["half"]), "constant"),
    (lambda: smoothed("ab")("abc"), "record"),
    (lambda: check_records("xyz", "xy"), "record"),
    (lambda: maximum_likelihood([]), "laws"),
    (lambda: maximum_likelihood([FAIR, ANY["half"]]), "laws"),
    (lambda: maximum_likelihood([point(0), point(1)])((0, 1)), "block"),
    (lambda: maximum_likelihood([FAIR])((0, 2)), "block"),
]


@pytest.mark.parametrize(("call", "argument"), BAD)
def test_a_mistake_is_named(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgument) as mistake:
        call()
    assert mistake.value.argument == argument
    assert "\n" not in str(mistake.value)


def test_an_error_inside_a_learner_is_not_hidden() -> None:
    def broken(block: Sequence[Hashable], seed: Hashable) -> Law:
        raise ZeroDivisionError

    learner: AnyLearner = broken
    with pytest.raises(ZeroDivisionError):
        as_learner(learner)("ab")
