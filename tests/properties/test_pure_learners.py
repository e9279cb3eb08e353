"""Exact laws are of learners that are functions of block and seed, as symmetric as they say; others are noticed."""

import random
from collections.abc import Callable, Hashable, Sequence

import pytest

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.learners import Learner, empirical, maximum_likelihood, random_record, randomised, smoothed
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sampler_law import sampler_law
from exactdp.spec.errors import InvalidArgument, NonDeterministic
from exactdp.spec.law import Law
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.standard_laws import point
from exactdp.verify.histogram_audit import audit_sampler

MODE = StabilityBasedMode(NoisyThreshold("1", "1/100"))
Block = Sequence[Hashable]


def remembering() -> Callable[[Block, Hashable], Law]:
    """Point mass b once any block had a b in it."""
    seen: list[bool] = []

    def learn(block: Block, seed: Hashable) -> Law:
        if "b" in block:
            seen.append(True)
        return point("b" if seen else "a")

    return learn


def by_chance(block: Block, seed: Hashable) -> Law:
    return point(random.choice("ab"))


def by_entropy(block: Block, seed: Hashable) -> Law:
    return point("ab"[random.SystemRandom().getrandbits(1)])


def test_a_learner_with_a_memory_is_noticed() -> None:
    with pytest.raises(
        NonDeterministic, match=r"the learner learn learnt different laws from \('a',\) and the seed None"
    ):
        audit_sampler(learner=remembering(), domain="ab", blocks=20, block_size=1, mode=MODE)
    with pytest.raises(NonDeterministic, match="a function of the block and the seed"):
        sampler_law("aaab", learner=remembering(), blocks=4, block_size=1, mode=MODE)


@pytest.mark.parametrize(
    ("learner", "source"),
    [(by_chance, "the module `random`"), (by_entropy, "the operating system's entropy")],
)
def test_a_learner_with_randomness_of_its_own_is_noticed(learner: Callable[..., Law], source: str) -> None:
    with pytest.raises(NonDeterministic, match="all randomness must come from its seed") as refused:
        BlockOutputs(learner, "ab", 2)
    assert source in str(refused.value)
    assert f"the learner {learner.__name__} " in str(refused.value)


@pytest.mark.parametrize("place", [0, 1, 2, -1])
def test_a_learner_that_is_not_as_symmetric_as_it_says_is_noticed(place: int) -> None:
    pick = Learner(lambda block, seed: point(block[place]), "pick", symmetric=True)
    with pytest.raises(NonDeterministic, match="the learner pick is declared symmetric, and learnt different laws"):
        BlockOutputs(pick, "ab", 3)
    assert BlockOutputs(Learner(pick.learn, "pick"), "ab", 3).laws == (point("a"), point("b"))


def test_the_learners_of_the_package_are_functions_and_as_symmetric_as_they_say() -> None:
    laws = Law({"a": "1/2", "b": "1/2"}), Law({"a": "1/10", "b": "9/10"})
    mixed = randomised(empirical(), maximum_likelihood(laws), "1/3")
    for learner in (empirical(), smoothed("ab"), random_record(3), maximum_likelihood(laws), mixed):
        assert sum(map(sum, BlockOutputs(learner, "ab", 3).types.values())) > 0


@pytest.mark.parametrize("function", [lambda block: point(0), lambda block, seed, more: point(0), lambda: point(0)])
def test_a_function_of_something_else_is_no_learner(function: Callable[..., Law]) -> None:
    with pytest.raises(InvalidArgument, match="a function of a block and a seed"):
        BlockOutputs(function, "ab", 1)
    with pytest.raises(InvalidArgument, match=r"learn: got '<lambda>\("):
        Learner(function)
