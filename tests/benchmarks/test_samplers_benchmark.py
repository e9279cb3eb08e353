"""Exact discrete Laplace noise beside a library and beside floats; a group compares equal amounts.

The first word of a name says who: ours one at a time or in bulk, opendp on a vector, numpy's float geometric
difference, which is fast and unsafe. `extra_info` holds values per second.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pytest

from exactdp.reference.entropy import OsEntropy
from exactdp.reference.samplers import Geometric, TwoSidedGeometric
from exactdp.spec.exponent import ONE, Exponent

SCALES = [10, 1000]
FEW, MANY = 20_000, 1_000_000


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]
    stats: Any

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def sampler_of(scale: int) -> TwoSidedGeometric:
    return TwoSidedGeometric(Exponent(Fraction(1, scale), ONE))


def measure(benchmark: Benchmark, group: str, values: int, work: Callable[[], object]) -> None:
    benchmark.group = group
    benchmark.pedantic(work, rounds=7, warmup_rounds=1)
    if benchmark.stats is not None:
        benchmark.extra_info["values_per_second"] = round(values / benchmark.stats.stats.min)


@pytest.mark.parametrize("scale", SCALES)
def test_ours_one_at_a_time(benchmark: Benchmark, scale: int) -> None:
    draw, source = sampler_of(scale).draw, OsEntropy()
    values = [draw(source) for _ in range(FEW)]
    assert any(value < 0 for value in values)
    assert any(value > 0 for value in values)
    measure(benchmark, f"{FEW} values, scale {scale}", FEW, lambda: [draw(source) for _ in range(FEW)])


@pytest.mark.parametrize("scale", SCALES)
def test_opendp_on_a_vector(benchmark: Benchmark, scale: int) -> None:
    dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_geometric(*space, scale=float(scale))
    zeros = [0] * FEW
    assert len(mechanism(zeros)) == FEW
    measure(benchmark, f"{FEW} values, scale {scale}", FEW, lambda: mechanism(zeros))


@pytest.mark.parametrize("scale", SCALES)
def test_ours_in_bulk(benchmark: Benchmark, scale: int) -> None:
    sampler, source = sampler_of(scale), OsEntropy()
    assert abs(sampler.draw_many(source, MANY).mean()) < scale
    measure(benchmark, f"{MANY} values, scale {scale}", MANY, lambda: sampler.draw_many(source, MANY))


@pytest.mark.parametrize("scale", SCALES)
def test_floats_in_bulk(benchmark: Benchmark, scale: int) -> None:
    generator = np.random.default_rng(1)
    success = -np.expm1(-1 / scale)

    def work() -> object:
        return generator.geometric(success, MANY) - generator.geometric(success, MANY)

    measure(benchmark, f"{MANY} values, scale {scale}", MANY, work)


@pytest.mark.parametrize("scale", SCALES)
def test_making_a_new_sampler(benchmark: Benchmark, scale: int) -> None:
    scales = iter(range(scale * 1000, scale * 2000))
    benchmark.group = f"tables, scale about {scale}"
    made = benchmark.pedantic(lambda: Geometric(Exponent(Fraction(1000, next(scales)), ONE)), rounds=20)
    assert len(made.inversions) == (1 if scale == 10 else 2)
