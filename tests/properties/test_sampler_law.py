"""Sampler's law from histograms, held against three slower ways: the program enumerated with all permutations and
seeds, all words of a dataset counted one by one, and polynomials multiplied out. At full size: hypergeometric counts.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import comb, prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.blocks import BlockOutputs, multinomial
from exactdp.reference.draw import law_of
from exactdp.reference.histogram_counts import HistogramCounts
from exactdp.reference.learners import (
    Learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sampler import sampler
from exactdp.reference.sampler_law import enumerate_independent, sampler_law, sampler_law_from, sampler_law_over
from exactdp.spec.divergence import tv
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law, mixture
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import exp
from exactdp.spec.privacy import is_dp
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, RandomisedThreshold
from exactdp.spec.standard_laws import bernoulli, point

MODE = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
WITH_DEFAULT = StabilityBasedMode(OptimalRelease("1/2", "1/6"), default=(0,))
LEANING = [Law({0: "3/4", 1: "1/8", 2: "1/8"}), Law({0: "1/8", 1: "3/4", 2: "1/8"})]
COIN = Learner(lambda block, seed: LEANING[bool(seed)], "coin", bernoulli("1/3"))
"""It does not look at the data; a constant block too teaches two laws."""

LEARNERS: dict[str, Callable[[int], Learner]] = {
    "empirical": lambda b: empirical(),
    "first record": lambda b: first_record(),
    "random record": random_record,
    "smoothed": lambda b: smoothed(range(3), "1/2"),
    "maximum likelihood": lambda b: maximum_likelihood(LEANING),
    "randomised": lambda b: randomised(first_record(), empirical(), "1/3"),
    "coin": lambda b: COIN,
}

# -- exchangeability: the program itself, with all its permutations and seeds -----------------------------------------

SMALL = [
    ("empirical", 1, 1, 1, (0,)),
    ("empirical", 2, 2, 1, (0, 0, 1, 2)),
    ("empirical", 2, 2, 2, (0, 0, 0, 1)),
    ("empirical", 3, 2, 1, (0, 0, 0, 1, 0, 1)),
    ("empirical", 1, 5, 2, (0, 0, 1, 2, 0)),
    ("first record", 3, 2, 1, (0, 0, 1, 2, 0, 1)),
    ("first record", 2, 3, 1, (0, 0, 0, 1, 0, 1)),
    ("first record", 2, 3, 2, (0, 0, 0, 1, 0, 1)),
    ("random record", 2, 2, 1, (0, 0, 1, 2)),
    ("random record", 2, 2, 2, (0, 1, 0, 1)),
    ("smoothed", 2, 2, 1, (0, 0, 1, 2)),
    ("smoothed", 1, 4, 1, (0, 1, 0, 0)),
    ("maximum likelihood", 2, 2, 2, (0, 0, 1, 2)),
    ("maximum likelihood", 1, 5, 1, (0, 0, 1, 2, 0)),
    ("randomised", 2, 2, 1, (0, 0, 1, 2)),
    ("randomised", 1, 3, 2, (0, 0, 1)),
    ("coin", 1, 3, 1, (0, 0, 1)),
]


@pytest.mark.parametrize(("name", "block_size", "blocks", "length", "data"), SMALL)
def test_the_enumerated_program_has_the_law_of_the_histogram(
    name: str, block_size: int, blocks: int, length: int, data: tuple[int, ...]
) -> None:
    learner = LEARNERS[name](block_size)
    for mode in (MODE, WITH_DEFAULT) if length == 1 else (MODE,):
        program = partial(
            sampler, learner=learner, blocks=blocks, block_size=block_size, mode=mode, length=length, domain=range(3)
        )
        law = partial(sampler_law, learner=learner, blocks=blocks, block_size=block_size, mode=mode, length=length)
        enumerated = law_of(program, data, budget=10**6)
        assert enumerated == law(data)
        assert enumerated == law(dict(Counter(data)))
        assert enumerated == law(data[::-1])


@pytest.mark.parametrize("data", [(), (0, 1, 0), (0, 1, 0, 0, 1), (0, 0, 1, 1, 1, 1)])
@pytest.mark.parametrize("name", ["empirical", "first record", "random record"])
def test_with_too_many_or_too_few_records_the_enumerated_program_has_that_law_too(
    name: str, data: tuple[int, ...]
) -> None:
    for mode in (MODE, WITH_DEFAULT):
        program = partial(sampler, learner=LEARNERS[name](2), blocks=2, block_size=2, mode=mode)
        law = partial(sampler_law, learner=LEARNERS[name](2), blocks=2, block_size=2, mode=mode)
        enumerated = law_of(program, data)
        assert enumerated == law(data)
        assert enumerated == (point(mode.default) if len(data) < 4 else law(data[:4]))


def test_the_last_records_of_too_many_make_a_difference_only_among_the_first() -> None:
    law = partial(sampler_law, learner=first_record(), blocks=3, block_size=1, mode=MODE)
    assert law("aaab") == law("aaaa") == law("aaa") != law("baaa")


def test_permuted_blocks_differ_from_fixed_ones_on_a_dataset_and_not_over_independent_data() -> None:
    """So what is enumerated above is not vacuous, and the law over S ~ p^n needs no permutation."""
    assert fixed_blocks_counts("aabb", 2) != permuted_counts("aabb", 2)
    weighted = [(p_of(data), data) for data in product("ab", repeat=4)]
    for counts in [(0, 2), (1, 1), (2, 0)]:
        fixed = sum((w * fixed_blocks_counts(data, 2)[counts] for w, data in weighted), Fraction(0))
        assert fixed == sum((w * permuted_counts(data, 2)[counts] for w, data in weighted), Fraction(0))


def p_of(data: Sequence[Hashable]) -> Fraction:
    return prod((Fraction(2 if record == "a" else 1, 3) for record in data), start=Fraction(1))


def fixed_blocks_counts(data: Sequence[Hashable], block_size: int) -> dict[tuple[int, int], Fraction]:
    """How many blocks of consecutive records are of one kind, and how many are mixed."""
    parts = [data[i : i + block_size] for i in range(0, len(data), block_size)]
    pure = sum(len(set(part)) == 1 for part in parts)
    return {(i, len(parts) - i): Fraction(i == pure) for i in range(len(parts) + 1)}


def permuted_counts(data: Sequence[Hashable], block_size: int) -> dict[tuple[int, int], Fraction]:
    orders = list(permutations(data))
    found = [fixed_blocks_counts(order, block_size) for order in orders]
    return {key: sum((one[key] for one in found), Fraction(0)) / len(orders) for key in found[0]}


# -- the weights: every word of a dataset, and polynomials multiplied out ---------------------------------------------


def counted_words(
    learner: Learner, histogram: Sequence[int], blocks: int, laws: Sequence[Law]
) -> dict[object, Fraction]:
    """The law of the count vector: every arrangement of the records, every seed of every block, one by one."""
    records = [i for i, n in enumerate(histogram) for _ in range(n)]
    b, words = len(records) // blocks, set(permutations(records))
    found: dict[object, Fraction] = {}
    for word in words:
        parts = [word[j * b : (j + 1) * b] for j in range(blocks)]
        for seeds in product(learner.seeds.items(), repeat=blocks):
            learnt = [laws.index(learner(part, seed)) for part, (seed, _) in zip(parts, seeds, strict=True)]
            counts = tuple(map(learnt.count, range(len(laws))))
            mass = prod((Fraction(str(mass)) for _, mass in seeds), start=Fraction(1, len(words)))
            found[counts] = found.get(counts, Fraction(0)) + mass
    return found


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("block_size", "blocks", "size"), [(1, 4, 3), (2, 3, 2), (2, 2, 3), (3, 2, 2), (4, 1, 3), (2, 3, 1)]
)
def test_the_weights_count_the_words_of_the_dataset(name: str, block_size: int, blocks: int, size: int) -> None:
    learner = LEARNERS[name](block_size)
    outputs = BlockOutputs(learner, range(size), block_size)
    sweep = HistogramCounts(outputs, blocks)
    seen = set()
    for histogram, weights, total in sweep.all():
        seen.add(histogram)
        assert (weights, total) == sweep.counts_of(histogram)
        assert sum(weights.values()) == total
        assert min(weights.values()) > 0
        law = {counts: Fraction(weight, total) for counts, weight in weights.items()}
        assert law == counted_words(learner, histogram, blocks, outputs.laws)
    n = block_size * blocks
    assert len(seen) == comb(n + size - 1, n)
    assert all(sum(histogram) == n for histogram in seen)


def tables(draw: st.DrawFn) -> tuple[Learner, int, int, int]:
    """A learner that is a random table of seeds and words, with at most three outputs."""
    size, block_size, blocks = draw(st.sampled_from([(2, 3, 6), (2, 2, 9), (3, 1, 6), (3, 2, 4), (1, 2, 5)]))
    symmetric = draw(st.booleans())
    outputs = [Law({i: 1}) for i in range(draw(st.integers(1, 3)))]
    words = {tuple(sorted(word)) if symmetric else word for word in product(range(size), repeat=block_size)}
    table = {
        (word, seed): outputs[draw(st.integers(0, len(outputs) - 1))] for word in sorted(words) for seed in range(2)
    }
    seeds = bernoulli(draw(st.sampled_from(["1/2", "1/3", "3/7"])))

    def learn(block: Sequence[Hashable], seed: Hashable) -> Law:
        word = tuple(sorted(map(int, map(str, block)))) if symmetric else tuple(map(int, map(str, block)))
        return table[word, int(seed == 1)]

    return Learner(learn, "table", seeds, symmetric), size, block_size, blocks


Polynomial = dict[tuple[tuple[int, ...], tuple[int, ...]], int]


def multiplied(f: Polynomial, g: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for (h, c), v in f.items():
        for (tau, d), w in g.items():
            key = tuple(map(sum, zip(h, tau, strict=True))), tuple(map(sum, zip(c, d, strict=True)))
            found[key] = found.get(key, 0) + v * w
    return found


@given(st.composite(tables)())
def test_the_recurrence_gives_the_power_multiplied_out(drawn: tuple[Learner, int, int, int]) -> None:
    learner, size, block_size, blocks = drawn
    outputs = BlockOutputs(learner, range(size), block_size)
    r = range(len(outputs.laws))
    P = {(tau, tuple(int(i == j) for j in r)): w[i] for tau, w in outputs.types.items() for i in r if w[i]}
    power: Polynomial = {((0,) * size, (0,) * len(r)): 1}
    for _ in range(blocks):
        power = multiplied(power, P)
    found = {
        (histogram, counts): weight
        for histogram, weights, _ in HistogramCounts(outputs, blocks).all()
        for counts, weight in weights.items()
    }
    assert found == power


def test_each_row_of_types_counts_its_words_and_seeds() -> None:
    for block_size in (1, 2, 3):
        for name, make in LEARNERS.items():
            outputs = BlockOutputs(make(block_size), range(3), block_size)
            assert len(outputs.types) == comb(block_size + 2, 2), name
            for tau, weights in outputs.types.items():
                assert sum(weights) == outputs.denominator * multinomial(tau)
            assert len(set(outputs.laws)) == len(outputs.laws)
            assert all(any(weights[i] for weights in outputs.types.values()) for i in range(len(outputs.laws)))


def test_a_symmetric_learner_is_the_same_when_every_word_is_tried() -> None:
    for name in ("empirical", "smoothed", "maximum likelihood"):
        learner = LEARNERS[name](3)
        blind = Learner(learner.learn, learner.name, learner.seeds)
        one, other = BlockOutputs(learner, range(3), 3), BlockOutputs(blind, range(3), 3)
        assert set(one.laws) == set(other.laws)
        for tau, weights in one.types.items():
            assert dict(zip(one.laws, weights, strict=True)) == dict(zip(other.laws, other.types[tau], strict=True))


# -- full size: counts that have a closed form ------------------------------------------------------------------------


def hypergeometric(h: Sequence[int], c: Sequence[int]) -> Fraction:
    return Fraction(prod(map(comb, h, c)), comb(sum(h), sum(c)))


@pytest.mark.parametrize("make", [lambda b: first_record(), random_record])
@pytest.mark.parametrize("histogram", [(1200, 135), (667, 668), (1, 1334), (1335, 0)])
def test_the_records_that_single_record_learners_take_are_drawn_without_replacement(
    make: Callable[[int], Learner], histogram: tuple[int, int]
) -> None:
    """b = 5, k = 267: 267 of the 1 335 records, whichever position in its block is taken."""
    weights, total = HistogramCounts(BlockOutputs(make(5), "ab", 5), 267).counts_of(histogram)
    for counts, weight in weights.items():
        assert Fraction(weight, total) == hypergeometric(histogram, counts)
    low, high = max(0, 267 - histogram[1]), min(267, histogram[0])
    assert {counts[0] for counts in weights} == set(range(low, high + 1))


def test_on_three_values_they_are_drawn_without_replacement_too() -> None:
    weights, total = HistogramCounts(BlockOutputs(first_record(), "abc", 2), 20).counts_of((25, 10, 5))
    assert sum(weights.values()) == total
    for counts, weight in weights.items():
        assert Fraction(weight, total) == hypergeometric((25, 10, 5), counts)


@pytest.mark.parametrize("histogram", [(500, 835), (0, 1335)])
def test_a_coin_does_not_look_at_the_histogram(histogram: tuple[int, int]) -> None:
    """A constant block teaches two laws here, so p_0 is no monomial."""
    weights, total = HistogramCounts(BlockOutputs(COIN, "ab", 5), 267).counts_of(histogram)
    second = BlockOutputs(COIN, "ab", 5).laws.index(LEANING[1])
    for counts, weight in weights.items():
        n = counts[second]
        assert Fraction(weight, total) == comb(267, n) * Fraction(1, 3) ** n * Fraction(2, 3) ** (267 - n)
    assert len(weights) == 268


def test_a_die_with_three_sides_does_not_look_at_the_histogram_either() -> None:
    sides = [point(i) for i in range(3)]
    die = Learner(lambda block, seed: sides[int(str(seed))], "die", Law({0: "1/2", 1: "1/3", 2: "1/6"}))
    weights, total = HistogramCounts(BlockOutputs(die, "abc", 2), 6).counts_of((5, 4, 3))
    expected = dict(enumerate_independent([3, 2, 1], 6))
    assert {c: Fraction(w, total) for c, w in weights.items()} == {
        c: w * Fraction(1, 6**6) for c, w in expected.items()
    }


def test_all_histograms_at_full_size_have_the_right_totals() -> None:
    """|X| = 2, b = 5, k = 267; maximum likelihood of two Bernoulli laws is the majority of five."""
    laws = [Law({0: "19/20", 1: "1/20"}), Law({0: "1/20", 1: "19/20"})]
    outputs = BlockOutputs(maximum_likelihood(laws), range(2), 5)
    number = 0
    for histogram, weights, total in HistogramCounts(outputs, 267).all():
        number += 1
        assert sum(weights.values()) == total == comb(1335, histogram[0])
        if histogram[0] in (0, 700):
            mean = sum(counts[0] * weight for counts, weight in weights.items())
            majority = sum(hypergeometric(histogram, (n, 5 - n)) for n in (3, 4, 5))
            assert mean == 267 * majority * total
    assert number == 1336


# -- over independent data --------------------------------------------------------------------------------------------

P = Law({0: "1/2", 1: "1/3", 2: "1/6"})


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("block_size", "blocks", "records"), [(2, 2, 4), (1, 3, 3), (1, 3, 4), (2, 2, 3), (1, 1, 0)])
def test_over_independent_data_it_is_the_mean_over_all_datasets(
    name: str, block_size: int, blocks: int, records: int
) -> None:
    common: dict[str, Any] = {
        "learner": LEARNERS[name](block_size),
        "blocks": blocks,
        "block_size": block_size,
        "mode": MODE,
    }
    datasets = P.power(records).items()
    mean = mixture([(mass, sampler_law(data, **common)) for data, mass in datasets if isinstance(data, tuple)])
    assert mean == sampler_law_over(P, records=records, **common)


def test_irrational_probabilities_of_the_records_stay_exact() -> None:
    x = exp("-1/2")
    p = Law({0: x, 1: 1 - x})
    law = partial(sampler_law, learner=empirical(), blocks=2, block_size=2, mode=MODE)
    mean = mixture([(mass, law(data)) for data, mass in p.power(4).items() if isinstance(data, tuple)])
    assert mean == sampler_law_over(p, learner=empirical(), blocks=2, block_size=2, mode=MODE)


def test_more_records_than_are_used_change_nothing_and_fewer_give_the_default() -> None:
    law = partial(sampler_law_over, P, learner=empirical(), blocks=3, block_size=2, mode=WITH_DEFAULT)
    assert law() == law(records=6) == law(records=10**6)
    assert law(records=5) == point((0,))


def test_a_mock_learner_is_the_law_of_its_outputs() -> None:
    outputs = BlockOutputs(empirical(), range(3), 2)
    for length in (1, 2):
        assert sampler_law_from(outputs.law(P), blocks=3, mode=MODE, length=length) == sampler_law_over(
            P, learner=empirical(), blocks=3, block_size=2, mode=MODE, length=length
        )


def test_the_fixture_of_proposition_b6_has_its_golden_distance() -> None:
    """beta = 1/2, epsilon = 1/2, delta = 1/100, so k = 267 and delta_0 = 1/100; the bound is 3/8."""
    t = Fraction(1, 129)
    p = Law({0: 1 - 2 * t, 1: t, 2: t})
    near, other, far = Law({0: 1 - 2 * t, 2: t, 3: t}), Law({0: 1 - 2 * t, 1: t, 4: t}), Law({5: 1})
    mode = StabilityBasedMode(NoisyThreshold("1/2", "1/100"))
    law = sampler_law_from(Law({near: "15/32", other: "15/32", far: "1/16"}), blocks=267, mode=mode)
    distance = tv(law, p.map(lambda y: (y,)))
    assert not isinstance(distance, tuple)
    assert Fraction("0.024425") < distance < Fraction("0.024435")


def test_averaging_over_permutations_makes_the_exact_delta_smaller_than_that_of_the_mode() -> None:
    """b = 2, k = 3, the empirical learner on two points, x = 1/2, s = 2: 2/15 < 1/3."""
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
    assert mode.curve.delta == Fraction(1, 3)
    law = partial(sampler_law, learner=empirical(), blocks=3, block_size=2, mode=mode)
    laws = {n: law({0: n, 1: 6 - n}) for n in range(7)}
    pairs = [(n, m) for n in laws for m in (n - 1, n + 1) if m in laws]
    assert is_dp(laws, pairs, Fraction(2), Fraction(2, 15))
    assert not is_dp(laws, pairs, Fraction(2), Fraction(2, 15) - Fraction(1, 10**12))


def test_the_randomised_threshold_and_a_default_among_the_outcomes_keep_the_law() -> None:
    for mode in (StabilityBasedMode(RandomisedThreshold("1/2", "1/10")), WITH_DEFAULT):
        settings: dict[str, Any] = {"learner": first_record(), "blocks": 3, "block_size": 1, "mode": mode}
        assert sampler_law("aab", **settings) == law_of(partial(sampler, **settings), "aab")


def test_laws_that_cannot_be_learnt_from_the_dataset_do_not_count() -> None:
    """Every record differs from the others, so that no block has one twice."""
    law = sampler_law(range(4), learner=empirical(), blocks=2, block_size=2, mode=MODE)
    assert law == law_of(partial(sampler, learner=empirical(), blocks=2, block_size=2, mode=MODE), range(4))


# -- refusals ---------------------------------------------------------------------------------------------------------


def test_work_that_would_explode_is_refused_before_it_starts() -> None:
    outputs = BlockOutputs(empirical(), range(3), 4)
    with pytest.raises(BudgetExceeded) as refused:
        HistogramCounts(outputs, 267).counts_of((300, 400, 368))
    assert refused.value.estimate > refused.value.budget
    with pytest.raises(BudgetExceeded):
        next(HistogramCounts(outputs, 267).all())
    with pytest.raises(BudgetExceeded, match=r"1771561|1048576|blocks"):
        BlockOutputs(first_record(), range(4), 10)
    with pytest.raises(BudgetExceeded, match="count vectors"):
        sampler_law_over(P, learner=empirical(), blocks=100, block_size=3, mode=MODE)
    small = HistogramCounts(BlockOutputs(first_record(), "ab", 2), 3, budget=1)
    with pytest.raises(BudgetExceeded):
        small.counts_of((5, 1))


IRRATIONAL = Learner(lambda block, seed: point(seed), "irrational", bernoulli(exp("-1/2")))
WRONG: Any = {"a float": lambda block, seed: Law({0: 1}) if block[0] == "a" else 0.5, "lists": [[], []]}
BAD_CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: BlockOutputs(empirical(), "aa", 2), "domain"),
    (lambda: BlockOutputs(empirical(), "", 2), "domain"),
    (lambda: BlockOutputs(empirical(), "ab", 0), "block_size"),
    (lambda: BlockOutputs(empirical(), "ab", True), "block_size"),
    (lambda: BlockOutputs(IRRATIONAL, "ab", 2), "learner"),
    (lambda: BlockOutputs(WRONG["a float"], "ab", 2), "learner"),
    (lambda: BlockOutputs(empirical(), "ab", 2).probabilities(Law({"c": 1})), "p"),
    (lambda: HistogramCounts(BlockOutputs(empirical(), "ab", 2), 0), "blocks"),
    (lambda: HistogramCounts(BlockOutputs(empirical(), "ab", 2), 2).counts_of((2, 1)), "histogram"),
    (lambda: HistogramCounts(BlockOutputs(empirical(), "ab", 2), 2).counts_of((5, -1)), "histogram"),
    (lambda: HistogramCounts(BlockOutputs(empirical(), "ab", 2), 2).counts_of((2, 1, 1)), "histogram"),
    (lambda: sampler_law({"a": 5}, learner=empirical(), blocks=2, block_size=2, mode=MODE), "data"),
    (lambda: sampler_law({"a": -1}, learner=empirical(), blocks=2, block_size=2, mode=MODE), "data"),
    (lambda: sampler_law(WRONG["lists"], learner=empirical(), blocks=1, block_size=2, mode=MODE), "data"),
    (lambda: sampler_law("ab", learner=empirical(), blocks=0, block_size=2, mode=MODE), "blocks"),
    (lambda: sampler_law_over(P, learner=empirical(), blocks=1, block_size=1, mode=MODE, records=-1), "records"),
    (lambda: sampler_law_from(P, blocks=2, mode=MODE), "learnt"),
    (lambda: sampler_law_from(Law({P: "1/2", 0: "1/2"}), blocks=2, mode=MODE), "learnt"),
]


@pytest.mark.parametrize(("call", "argument"), BAD_CALLS)
def test_a_mistake_is_named(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgument) as mistake:
        call()
    assert mistake.value.argument == argument
    assert "\n" not in str(mistake.value)


def test_the_empty_dataset_gives_the_default() -> None:
    law = partial(sampler_law, learner=empirical(), blocks=1, block_size=1, mode=MODE)
    assert law("") == law(()) == law({}) == point(BOTTOM)
