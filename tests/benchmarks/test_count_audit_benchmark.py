"""The audits of Aggregate and Sampler over all neighbours, and the same audit in plain fractions.

Every benchmark gives the exact worst delta at the claimed epsilon and the exact epsilon*, over all ordered pairs; the
patterns of the coupling, which do not depend on k, are computed beforehand. The plain version computes the worst delta
alone, for a small k: what it would take for a large one follows from its pairs per second, which do not grow with k.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from time import perf_counter
from typing import Any, Protocol

import pytest

from exactdp.reference.counted import CountedAggregate
from exactdp.reference.learners import first_record, maximum_likelihood
from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.law import Law
from exactdp.spec.release_curve import CURVES, NoisyThreshold
from exactdp.verify.count_audit import NeighbourAudit, audit_aggregate
from exactdp.verify.histogram_audit import audit_sampler

F = Fraction
BERNOULLIS = (Law({0: "19/20", 1: "1/20"}), Law({0: "1/20", 1: "19/20"}))
LAWS: dict[str, tuple[Law, ...]] = {
    "supports that overlap": tuple(
        Law({i % 5: F(6, 10), (i + 1) % 5: F(3, 10), (i + 2) % 5: F(1, 10)}) for i in range(5)
    ),
    "point masses": tuple(Law({i: 1}) for i in range(5)),
    "full support": tuple(Law({j: F(28 if i == j else 1, 32) for j in range(5)}) for i in range(5)),
}


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def counted_of(name: str, r: int, epsilon: str, variant: str = NoisyThreshold.name) -> CountedAggregate:
    counted = CountedAggregate(LAWS[name][:r], StabilityBasedMode(CURVES[variant](epsilon, "1/100")))
    assert counted.patterns
    return counted


def timed(benchmark: Benchmark, work: Callable[[], NeighbourAudit], rounds: int = 3) -> NeighbourAudit:
    result: NeighbourAudit = benchmark.pedantic(work, rounds=rounds)
    benchmark.extra_info["pairs"] = result.pairs
    benchmark.extra_info["pairs per second"] = round(result.pairs / result.seconds)
    return result


@pytest.mark.parametrize("variant", list(CURVES))
@pytest.mark.parametrize("epsilon", ["1/2", "ln(2)"])
@pytest.mark.parametrize("name", LAWS)
def test_three_laws_267_blocks(benchmark: Benchmark, name: str, epsilon: str, variant: str) -> None:
    """The size of Corollary B.7 at epsilon = 1/2, three laws."""
    benchmark.group = "tuple level, r = 3, k = 267"
    counted = counted_of(name, 3, epsilon, variant)
    result = timed(benchmark, lambda: audit_aggregate(counted, 267))
    assert result.pairs == 214_668
    assert result.worst_delta <= F(1, 100)


@pytest.mark.parametrize("name", LAWS)
def test_four_laws_100_blocks(benchmark: Benchmark, name: str) -> None:
    """Two million pairs."""
    benchmark.group = "tuple level, r = 4, k = 100"
    counted = counted_of(name, 4, "1/2")
    result = timed(benchmark, lambda: audit_aggregate(counted, 100))
    assert result.pairs == 2_060_400


@pytest.mark.parametrize("blocks", [50, 100, 200, 400])
def test_growth_in_the_number_of_blocks(benchmark: Benchmark, blocks: int) -> None:
    benchmark.group = "tuple level, r = 3, growth in k"
    counted = counted_of("supports that overlap", 3, "1/2")
    assert timed(benchmark, lambda: audit_aggregate(counted, blocks)).pairs == 3 * blocks * (blocks + 1)


@pytest.mark.parametrize("r", [2, 3, 4, 5])
def test_growth_in_the_number_of_laws(benchmark: Benchmark, r: int) -> None:
    benchmark.group = "tuple level, k = 30, growth in r"
    counted = counted_of("supports that overlap", r, "1/2")
    assert timed(benchmark, lambda: audit_aggregate(counted, 30)).verdict.kind == "holds"


# -- the same in plain fractions --


def plain_audit(counted: CountedAggregate, blocks: int, factor: Fraction) -> tuple[int, Fraction]:
    """How many ordered pairs, and the worst delta: every law once, every pair by its sum over the outcomes."""
    r = len(counted.laws)
    laws: dict[tuple[int, ...], dict[object, Fraction]] = {}
    for counts in product(range(blocks + 1), repeat=r):
        if sum(counts) == blocks:
            laws[counts] = {y: mass for y, mass in counted.law(counts).items() if isinstance(mass, Fraction)}
    pairs, worst = 0, F(0)
    for c, p in laws.items():
        for i, j in product(range(r), repeat=2):
            if i != j and c[i]:
                q = laws[tuple(n - (a == i) + (a == j) for a, n in enumerate(c))]
                pairs += 1
                worst = max(worst, sum((max(F(0), mass - factor * q.get(y, F(0))) for y, mass in p.items()), F(0)))
    return pairs, worst


@pytest.mark.parametrize(("r", "blocks", "whole"), [(3, 24, 267), (4, 10, 100)])
def test_the_same_audit_in_plain_fractions(benchmark: Benchmark, r: int, blocks: int, whole: int) -> None:
    """epsilon = ln 2, so that all numbers are rational; no epsilon* is sought."""
    benchmark.group = f"tuple level, r = {r}, plain fractions"
    counted = counted_of("supports that overlap", r, "ln(2)")
    begin = perf_counter()
    pairs, worst = benchmark.pedantic(lambda: plain_audit(counted, blocks, F(2)), rounds=1)
    seconds = perf_counter() - begin
    ours = audit_aggregate(counted, whole)
    assert worst == audit_aggregate(counted, blocks).worst_delta
    benchmark.extra_info["pairs per second"] = round(pairs / seconds)
    benchmark.extra_info[f"seconds for k = {whole}, extrapolated"] = round(ours.pairs * seconds / pairs, 1)
    benchmark.extra_info[f"ours, k = {whole}"] = round(ours.seconds, 3)


# -- dataset level --


@pytest.mark.parametrize("epsilon", ["1/2", "ln(2)"])
def test_two_points_1335_records(benchmark: Benchmark, epsilon: str) -> None:
    """The table of count vectors included."""
    benchmark.group = "dataset level, two points, n = 1335 (b = 5, k = 267)"
    mode = StabilityBasedMode(NoisyThreshold(epsilon, "1/100"))
    result = timed(
        benchmark,
        lambda: audit_sampler(
            learner=maximum_likelihood(BERNOULLIS), domain=(0, 1), block_size=5, blocks=267, mode=mode
        ),
    )
    assert result.pairs == 2670


def test_three_points_blocks_of_one(benchmark: Benchmark) -> None:
    benchmark.group = "dataset level, three points, n = 267 (b = 1)"
    mode = StabilityBasedMode(NoisyThreshold("1/2", "1/100"))
    result = timed(
        benchmark,
        lambda: audit_sampler(learner=first_record(), domain=(0, 1, 2), block_size=1, blocks=267, mode=mode),
        rounds=1,
    )
    assert result.worst_delta == mode.curve[1]
