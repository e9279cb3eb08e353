"""Aggregate and Sampler as programs: enumerated against laws from counts, run against exact laws, and what they refuse.

Sampler's enumerated law against its law from histograms stands in test_sampler_law.py.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest
from scipy.stats import binomtest

from exactdp.reference.aggregate import aggregate
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.couple import couple_products
from exactdp.reference.draw import law_of, run
from exactdp.reference.learners import Learner, empirical, first_record, random_record, randomised, smoothed
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sampler import sampler
from exactdp.reference.sampler_law import sampler_law
from exactdp.reference.sampling import Sampling
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import exp
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, RandomisedThreshold
from exactdp.spec.standard_laws import discrete_laplace, point

GOLDEN_MODE = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
MODES = [
    GOLDEN_MODE,
    StabilityBasedMode(OptimalRelease("1/2", "1/6"), default=(0, 0)),
    StabilityBasedMode(RandomisedThreshold("1/2", "1/10"), default=(1,)),
]
P1, P2 = Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"})
P3 = Law({0: "1/4", 1: "1/4", 2: "1/2"})
B, C = Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"})
X = exp("-1/2")
RESPONSES = Law({0: 1 / (1 + X), 1: X / (1 + X)}), Law({0: X / (1 + X), 1: 1 / (1 + X)})


# -- aggregate --------------------------------------------------------------------------------------------------------


def test_golden_laws() -> None:
    law = law_of(partial(aggregate, mode=GOLDEN_MODE), [P1, P2, P3])
    assert law == Law({(0,): "13/60", (1,): "11/72", (2,): "1/12", BOTTOM: "197/360"})
    law = law_of(partial(aggregate, mode=GOLDEN_MODE, length=2), [B, B, C])
    assert law == Law({(0, 0): "13/48", (0, 1): "19/168", (1, 0): "19/168", (1, 1): "5/126", BOTTOM: "467/1008"})


@pytest.mark.parametrize("mode", MODES, ids=repr)
@pytest.mark.parametrize("laws", [(P1,), (P1, P2), (P1, P2, P3), (B, C), RESPONSES, (point(0), point(1), B)], ids=repr)
def test_the_enumerated_program_has_the_law_of_the_counts(laws: tuple[Law, ...], mode: StabilityBasedMode) -> None:
    for length in (1, 2) if len(laws) < 3 else (1,):
        counted = CountedAggregate(laws, mode, length)
        for counts in product(range(4), repeat=len(laws)):
            if any(counts):
                tuple_of_laws = [law for law, n in zip(laws, counts, strict=True) for _ in range(n)]
                program = partial(aggregate, mode=mode, length=length)
                assert law_of(program, tuple_of_laws) == counted.law(counts)


def test_the_order_of_the_laws_does_not_matter_and_their_identity_neither() -> None:
    program = partial(aggregate, mode=GOLDEN_MODE)
    copies = [Law({0: "3/4", 1: "1/4"}), C, Law({1: "1/4", 0: "3/4"})]
    assert law_of(program, [B, B, C]) == law_of(program, [C, B, B]) == law_of(program, copies)


def test_equal_laws_are_released_by_the_curve_alone() -> None:
    for mode in MODES:
        for k in (1, 2, 3, 8):
            law = law_of(partial(aggregate, mode=mode), [B] * k)
            released = mode.curve[(k + 1) // 2]
            for y in (0, 1):
                assert law[(y,)] == B[y] * released or (y,) == mode.default


def test_independent_draws_would_have_another_law() -> None:
    def independently(laws: Sequence[Law], draw: Callable[[Law], Any]) -> object:
        return draw(GOLDEN_MODE([(draw(law),) for law in laws]))

    assert law_of(independently, [B, B, C]) != law_of(partial(aggregate, mode=GOLDEN_MODE), [B, B, C])


def test_sequences_of_length_zero_are_empty() -> None:
    law = law_of(partial(aggregate, mode=GOLDEN_MODE, length=0), [B, C, C])
    assert law == Law({(): GOLDEN_MODE.curve[2], BOTTOM: 1 - GOLDEN_MODE.curve[2]})
    assert law == CountedAggregate((B, C), GOLDEN_MODE, 0).law((1, 2))


def test_a_mixture_over_counts_is_the_mixture_of_the_laws() -> None:
    counted = CountedAggregate((P1, P2, P3), MODES[1])
    parts = [((3, 0, 1), 2), ((1, 1, 1), 3), ((0, 4, 0), 5)]
    law = counted.mixture(parts)
    for y in law.support():
        assert law[y] == sum((counted.law(counts)[y] * weight for counts, weight in parts), Fraction(0)) / 10


ANY: Any = {"number": 3, "float": 0.5, "true": True, "none": None, "a float": lambda block, seed: 0.5}
BAD_AGGREGATES: list[tuple[Callable[[], object], str]] = [
    (lambda: aggregate([], nothing, mode=GOLDEN_MODE), "laws"),
    (lambda: aggregate(ANY["number"], nothing, mode=GOLDEN_MODE), "laws"),
    (lambda: aggregate([B, ANY["float"]], nothing, mode=GOLDEN_MODE), "laws[1]"),
    (lambda: aggregate([B], nothing, mode=GOLDEN_MODE, length=-1), "length"),
    (lambda: aggregate([B], nothing, mode=GOLDEN_MODE, length=ANY["true"]), "length"),
    (lambda: CountedAggregate((B, B), GOLDEN_MODE), "laws"),
    (lambda: CountedAggregate((B, C), GOLDEN_MODE).law((1,)), "counts"),
    (lambda: CountedAggregate((B, C), GOLDEN_MODE).law((1, -1)), "counts"),
    (lambda: CountedAggregate((B, C), GOLDEN_MODE).law((0, 0)), "counts"),
    (lambda: CountedAggregate((), GOLDEN_MODE), "laws"),
    (lambda: CountedAggregate((B, discrete_laplace(1)), GOLDEN_MODE).law((1, 1)), "laws[1]"),
]


def nothing(law: Law) -> object:
    raise AssertionError(f"drawn: {law}")


# -- sampler ----------------------------------------------------------------------------------------------------------


class FirstOnly(Sequence[Hashable]):
    """Records of which only the first few may be read."""

    def __init__(self, records: Sequence[Hashable], readable: int) -> None:
        self.records, self.readable = records, readable

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, i: Any) -> Any:
        assert 0 <= i < self.readable, "only the first b k records count"
        return self.records[i]


def test_of_too_many_records_only_the_first_are_read() -> None:
    program = partial(sampler, learner=first_record(), blocks=2, block_size=2, mode=MODES[1])
    assert law_of(program, FirstOnly("aabbcc", 4)) == law_of(program, "aabb")
    for seed in range(30):
        run(program, FirstOnly("ababcccc", 4), seed=seed)


@pytest.mark.parametrize("mode", MODES, ids=repr)
def test_too_few_records_and_none_give_the_default_without_a_draw(mode: StabilityBasedMode) -> None:
    for data in ("", "a", "aaaaa"):
        assert sampler(data, nothing, learner=first_record(), blocks=3, block_size=2, mode=mode) == mode.default
    assert law_of(partial(sampler, learner=first_record(), blocks=1, block_size=1, mode=mode), "") == point(
        mode.default
    )


def test_one_block_one_record_and_one_value_are_fine() -> None:
    program = partial(sampler, learner=empirical(), mode=GOLDEN_MODE)
    assert law_of(partial(program, blocks=1, block_size=1), "a") == Law({("a",): "1/3", BOTTOM: "2/3"})
    assert law_of(partial(program, blocks=1, block_size=3), "aaa") == Law({("a",): "1/3", BOTTOM: "2/3"})
    assert law_of(partial(program, blocks=5, block_size=1), "aaaaa") == Law({("a",): "5/6", BOTTOM: "1/6"})


def test_the_learner_sees_blocks_of_the_right_size_that_partition_the_records() -> None:
    seen: list[tuple[Hashable, ...]] = []

    def spy(block: Sequence[Hashable], seed: Hashable) -> Law:
        seen.append(tuple(block))
        return point(0)

    sampler(range(12), Sampling.seeded(1), learner=spy, blocks=4, block_size=3, mode=GOLDEN_MODE)
    assert [len(block) for block in seen] == [3] * 4
    assert sorted(int(str(record)) for block in seen for record in block) == list(range(12))


def test_every_block_has_a_seed_of_its_own() -> None:
    seen: list[Hashable] = []
    coin = randomised(first_record(), empirical(), "1/2")

    def spy(block: Sequence[Hashable], seed: Hashable) -> Law:
        seen.append(seed)
        return coin.learn(block, seed)

    watched = Learner(spy, "watched", coin.seeds)
    sampler("a" * 40, Sampling.seeded(1), learner=watched, blocks=40, block_size=1, mode=GOLDEN_MODE)
    assert len(seen) == 40
    assert 5 < Counter(seen)[0, None] < 35


OFF_DOMAIN = partial(sampler, "aab", learner=empirical(), blocks=3, block_size=1, mode=GOLDEN_MODE)
BAD_SAMPLERS: list[tuple[Callable[[], object], str]] = [
    *(
        (partial(sampler, "ab", nothing, learner=empirical(), blocks=k, block_size=1, mode=GOLDEN_MODE), "blocks")
        for k in (0, -1, ANY["true"], ANY["float"], ANY["none"])
    ),
    *(
        (partial(sampler, "ab", nothing, learner=empirical(), blocks=1, block_size=b, mode=GOLDEN_MODE), "block_size")
        for b in (0, -1, ANY["true"], ANY["float"])
    ),
    (partial(sampler, "ab", nothing, learner=ANY["number"], blocks=1, block_size=1, mode=GOLDEN_MODE), "learner"),
    (partial(OFF_DOMAIN, Sampling.seeded(1), domain="a"), "learner"),
    (partial(OFF_DOMAIN, Sampling.seeded(1), learner=ANY["a float"]), "learner"),
    (partial(OFF_DOMAIN, Sampling.seeded(1), learner=lambda block, seed: discrete_laplace(1), domain="ab"), "learner"),
    (partial(OFF_DOMAIN, Sampling.seeded(1), learner=smoothed("a")), "record"),
    (partial(OFF_DOMAIN, Sampling.seeded(1), learner=random_record(2)), "block"),
    (partial(OFF_DOMAIN, Sampling.seeded(1), length=-1), "length"),
]


@pytest.mark.parametrize(("call", "argument"), [*BAD_AGGREGATES, *BAD_SAMPLERS])
def test_a_mistake_is_named(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgument) as mistake:
        call()
    assert mistake.value.argument == argument
    assert "\n" not in str(mistake.value)


def test_a_law_on_another_domain_is_named_with_its_outcome() -> None:
    with pytest.raises(InvalidArgument, match="got 'b'"):
        OFF_DOMAIN(Sampling.seeded(1), domain=["a", "c"])
    assert OFF_DOMAIN(Sampling.seeded(1), domain="abc") in {("a",), ("b",), BOTTOM}


# -- running ----------------------------------------------------------------------------------------------------------


def p_values(outcomes: Counter[object], law: Law) -> Iterator[float]:
    """An exact binomial test for each outcome of the law; other outcomes must not occur."""
    runs = outcomes.total()
    assert set(outcomes) <= set(law.support())
    for y, mass in law.items():
        yield float(binomtest(outcomes[y], runs, float_bounds(mass)[0]).pvalue)


SETTINGS: list[tuple[str, Any, dict[str, Any]]] = [
    ("aaaaaaaabc", first_record(), {"blocks": 5, "block_size": 2}),
    ("aaaaabbbcc", random_record(2), {"blocks": 5, "block_size": 2}),
    ("aaaaaabb", empirical(), {"blocks": 4, "block_size": 2}),
    ("aaab", smoothed("ab"), {"blocks": 4, "block_size": 1, "length": 2}),
]


@pytest.mark.parametrize(("data", "learner", "sizes"), SETTINGS, ids=str)
def test_runs_of_sampler_have_the_frequencies_of_the_exact_law(data: str, learner: Any, sizes: dict[str, Any]) -> None:
    mode = StabilityBasedMode(OptimalRelease("1/2", "1/6"))
    law = sampler_law(data, learner=learner, mode=mode, **sizes)
    draw, runs = Sampling.seeded(f"{data} {learner.name}"), 500
    seen = Counter(sampler(data, draw, learner=learner, mode=mode, **sizes) for _ in range(runs))
    assert min(p_values(seen, law)) > 1e-3 / len(law)


def test_the_test_of_frequencies_catches_blocks_without_a_permutation() -> None:
    """On sorted data the first block is pure and the last is not."""
    mode = StabilityBasedMode(OptimalRelease("1/2", "1/6"))
    law = sampler_law("aaaabbbb", learner=empirical(), blocks=4, block_size=2, mode=mode)
    draw = Sampling.seeded(9)
    blocks = [empirical()(part) for part in ("aa", "aa", "bb", "bb")]
    seen = Counter(aggregate(blocks, draw, mode=mode) for _ in range(500))
    assert min(p_values(seen, law)) < 1e-10


def test_runs_of_aggregate_have_the_frequencies_of_the_exact_law() -> None:
    mode = StabilityBasedMode(NoisyThreshold("1/2", "1/6"))
    draw, laws = Sampling.seeded(4), [P1, P1, P2, P2, P3]
    law = CountedAggregate((P1, P2, P3), mode).law((2, 2, 1))
    seen = Counter(aggregate(laws, draw, mode=mode) for _ in range(700))
    assert min(p_values(seen, law)) > 1e-3 / len(law)


def test_the_coupling_inside_has_the_stated_marginals() -> None:
    joint = law_of(lambda data, draw: draw(couple_products([B, C], 1)), None)
    first = joint.map(lambda z: z[0] if isinstance(z, tuple) else None)
    second = joint.map(lambda z: z[1] if isinstance(z, tuple) else None)
    assert (first, second) == (B.power(1), C.power(1))
