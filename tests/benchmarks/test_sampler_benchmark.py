"""Sampler: running it on many records, its exact law at full size, and the mode of many values.

The first word of a name says who: ours; numpy permutes in floats and counts, which is the floor and neither couples nor
is private. The learner takes the first record of a block, so that its time does not count; it is reported beside.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import pytest

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.histogram_counts import HistogramCounts
from exactdp.reference.learners import first_record, maximum_likelihood
from exactdp.reference.mode import StabilityBasedMode, stability_based_mode
from exactdp.reference.sampler import sampler
from exactdp.reference.sampler_law import sampler_law, sampler_law_from, sampler_law_over
from exactdp.reference.sampling import Sampling
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.release_curve import NoisyThreshold

MODE = StabilityBasedMode(NoisyThreshold("1/2", "1/100"))
TWO = [Law({0: "19/20", 1: "1/20"}), Law({0: "1/20", 1: "19/20"})]
ROTATED = [Law({y: "30/32" if y == i else "1/32" for y in range(3)}) for i in range(3)]


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def records(count: int) -> list[int]:
    return [int(y) for y in np.random.default_rng(5).choice(4, count, p=[0.9, 0.05, 0.03, 0.02])]


SIZES = [(10**4, 100), (10**5, 1000), (10**6, 10**4)]


@pytest.mark.parametrize(("count", "blocks"), SIZES)
def test_ours_runs_sampler(benchmark: Benchmark, count: int, blocks: int) -> None:
    data, draw, learner = records(count), Sampling(), first_record()
    benchmark.group = f"Sampler, n = {count}, k = {blocks}"
    answer = benchmark.pedantic(
        lambda: sampler(data, draw, learner=learner, blocks=blocks, block_size=count // blocks, mode=MODE), rounds=3
    )
    assert answer in {(y,) for y in range(4)} | {BOTTOM}


@pytest.mark.parametrize(("count", "blocks"), SIZES)
def test_ours_runs_sampler_with_a_learner_that_counts(benchmark: Benchmark, count: int, blocks: int) -> None:
    """The time inside the learner is measured apart and reported as `learner_seconds`."""
    laws = [Law({y: "27/30" if y == i else "1/30" for y in range(4)}) for i in range(4)]
    likeliest, spent = maximum_likelihood(laws), [0.0]

    def timed(block: Sequence[Hashable], seed: Hashable) -> Law:
        start = perf_counter()
        law = likeliest(block, seed)
        spent[0] += perf_counter() - start
        return law

    data, draw = records(count), Sampling()
    benchmark.group = f"Sampler, n = {count}, k = {blocks}, maximum likelihood"
    answer = benchmark.pedantic(
        lambda: sampler(data, draw, learner=timed, blocks=blocks, block_size=count // blocks, mode=MODE), rounds=1
    )
    benchmark.extra_info["learner_seconds"] = round(spent[0], 3)
    assert answer in {(y,) for y in range(4)} | {BOTTOM}


@pytest.mark.parametrize(("count", "blocks"), SIZES)
def test_numpy_permutes_and_counts(benchmark: Benchmark, count: int, blocks: int) -> None:
    data, generator = records(count), np.random.default_rng(1)
    benchmark.group = f"Sampler, n = {count}, k = {blocks}"

    def work() -> int:
        order = generator.permutation(count).tolist()
        size = count // blocks
        parts = [tuple(data[i] for i in order[j * size : (j + 1) * size]) for j in range(blocks)]
        found: int = Counter(part[0] for part in parts).most_common(1)[0][0]
        return found

    assert benchmark.pedantic(work, rounds=3) == 0


# -- exact laws -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("block_size", "blocks"), [(1, 267), (3, 267), (5, 67), (5, 134), (5, 267), (5, 473)])
def test_ours_sweeps_all_histograms_on_two_points(benchmark: Benchmark, block_size: int, blocks: int) -> None:
    outputs = BlockOutputs(maximum_likelihood(TWO), range(2), block_size)
    benchmark.group = "count vectors of all histograms, |X| = 2, two laws"
    work = HistogramCounts(outputs, blocks)
    count = benchmark.pedantic(lambda: sum(1 for _ in work.all()), rounds=2)
    assert count == block_size * blocks + 1


@pytest.mark.parametrize("blocks", [67, 134, 267])
def test_ours_sweeps_all_histograms_on_three_points(benchmark: Benchmark, blocks: int) -> None:
    work = HistogramCounts(BlockOutputs(first_record(), range(3), 1), blocks)
    benchmark.group = "count vectors of all histograms, |X| = 3, blocks of one record"
    count = benchmark.pedantic(lambda: sum(1 for _ in work.all()), rounds=2)
    assert count == (blocks + 1) * (blocks + 2) // 2


@pytest.mark.parametrize("length", [1, 2, 3])
def test_ours_on_one_histogram(benchmark: Benchmark, length: int) -> None:
    benchmark.group = "Sampler's law on one histogram, b = 5, k = 267"
    law = benchmark.pedantic(
        lambda: sampler_law(
            {0: 1200, 1: 135},
            learner=maximum_likelihood(TWO),
            blocks=267,
            block_size=5,
            mode=MODE,
            length=length,
        ),
        rounds=2,
    )
    assert len(law) == 2**length + 1


@pytest.mark.parametrize("blocks", [67, 134, 267, 473])
def test_ours_over_independent_data(benchmark: Benchmark, blocks: int) -> None:
    benchmark.group = "Sampler's law over S ~ p^n, three laws"
    law = benchmark.pedantic(
        lambda: sampler_law_over(
            ROTATED[0], learner=maximum_likelihood(ROTATED), blocks=blocks, block_size=1, mode=MODE
        ),
        rounds=1,
    )
    assert law[(0,)] > law[(1,)] == law[(2,)]


def test_ours_from_a_mock_learner(benchmark: Benchmark) -> None:
    learnt = Law(dict(zip(ROTATED, ["30/32", "1/32", "1/32"], strict=True)))
    benchmark.group = "Sampler's law from a mock learner, r = 3, k = 267"
    law = benchmark.pedantic(lambda: sampler_law_from(learnt, blocks=267, mode=MODE, length=2), rounds=1)
    assert law[0, 0] > law[1, 1]


# -- the mode ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [10**4, 10**5, 10**6])
def test_ours_finds_the_mode_of_many_values(benchmark: Benchmark, count: int) -> None:
    values = [f"value {i}" for i in np.random.default_rng(2).geometric(0.01, count).tolist()]
    benchmark.group = f"the stability-based mode of {count} values"
    law = benchmark.pedantic(lambda: stability_based_mode(values, epsilon="1/2", delta="1e-6"), rounds=3)
    assert law[BOTTOM] < 1


@pytest.mark.parametrize("count", [10**4, 10**5, 10**6])
def test_counter_counts_many_values(benchmark: Benchmark, count: int) -> None:
    values = [f"value {i}" for i in np.random.default_rng(2).geometric(0.01, count).tolist()]
    benchmark.group = f"the stability-based mode of {count} values"
    assert benchmark.pedantic(lambda: Counter(values).most_common(2), rounds=3)
