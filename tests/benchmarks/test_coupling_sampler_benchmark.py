"""One joint draw of the coupling, beside the naive sampler and beside independent floats; a group compares equal tasks.

The first word of a name says who: ours; naive proposes from the sum of all coordinates and tests each coordinate, in
floats; numpy draws the coordinates independently in floats, which is the floor and couples nothing. Ours includes
reading the tuple and making the tables, naive includes making its tables, and numpy has them ready.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pytest
from numpy.typing import NDArray

from exactdp.reference.coupling_sampler import CouplingSampler
from exactdp.reference.entropy import OsEntropy
from exactdp.spec.law import Law
from exactdp.spec.standard_laws import discrete_laplace

POINTS = 1000


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def distinct_laws(count: int, points: int = POINTS) -> list[Law]:
    generator = np.random.default_rng(7)
    made = []
    for _ in range(count):
        weights = generator.integers(1, 100, points).tolist()
        made.append(Law({y: Fraction(w, sum(weights)) for y, w in enumerate(weights)}))
    return made


def repeated(laws: list[Law], coordinates: int) -> list[Law]:
    return [laws[i % len(laws)] for i in range(coordinates)]


@pytest.mark.parametrize("coordinates", [64, 10**3, 10**4, 10**5, 10**6])
def test_ours_grows_in_coordinates(benchmark: Benchmark, coordinates: int) -> None:
    laws, source = repeated(distinct_laws(64), coordinates), OsEntropy()
    benchmark.group = f"one draw, k = {coordinates}, r = 64, {POINTS} points"
    z = benchmark.pedantic(lambda: CouplingSampler(laws).draw(source), rounds=3)
    assert z == z[:64] * (coordinates // 64) + z[: coordinates % 64]


@pytest.mark.parametrize("coordinates", [64, 10**3, 10**4])
def test_naive_tests_every_coordinate(benchmark: Benchmark, coordinates: int) -> None:
    laws = repeated(distinct_laws(64), coordinates)
    benchmark.group = f"one draw, k = {coordinates}, r = 64, {POINTS} points"
    z = benchmark.pedantic(lambda: naive(laws), rounds=1)
    assert z[0] == z[64 % coordinates]


def floats(laws: list[Law]) -> NDArray[np.float64]:
    """A row of masses for each law."""
    masses = [[law[y] for y in range(POINTS)] for law in laws]
    return np.array([[float(mass) for mass in row if isinstance(mass, Fraction)] for row in masses])


def naive(laws: list[Law]) -> list[int]:
    """i uniform, y ~ P_i, s uniform below the sum of all coordinates; each coordinate is tested each time."""
    generator = np.random.default_rng(3)
    different = {id(law): law for law in laws}
    places = {key: i for i, key in enumerate(different)}
    table = floats(list(different.values()))
    rows = [places[id(law)] for law in laws]
    sums, columns = np.cumsum(table, axis=1), np.ascontiguousarray(table[rows].T)
    taken = np.full(len(laws), -1)
    while (taken < 0).any():
        row = sums[rows[generator.integers(len(laws))]]
        y = int(np.searchsorted(row, generator.random() * row[-1], side="right"))
        accepted = generator.random() * columns[y].sum() < columns[y]
        taken[accepted & (taken < 0)] = y
    return [int(y) for y in taken]


@pytest.mark.parametrize("coordinates", [10**3, 10**4, 10**5, 10**6])
def test_numpy_draws_independently(benchmark: Benchmark, coordinates: int) -> None:
    laws, generator = distinct_laws(64), np.random.default_rng(3)
    benchmark.group = f"one draw, k = {coordinates}, r = 64, {POINTS} points"
    sums = np.cumsum(floats(laws), axis=1)
    each = coordinates // 64 + 1

    def work() -> int:
        drawn = [np.searchsorted(row, generator.random(each)) for row in sums]
        return len(np.concatenate(drawn).tolist())

    assert benchmark.pedantic(work, rounds=3) >= coordinates


@pytest.mark.parametrize("count", [4, 16, 64, 256])
def test_ours_grows_in_distinct_laws(benchmark: Benchmark, count: int) -> None:
    laws, source = repeated(distinct_laws(count), 10**4), OsEntropy()
    benchmark.group = "one draw, k = 10000, by r"
    z = benchmark.pedantic(lambda: CouplingSampler(laws).draw(source), rounds=3)
    assert len(set(z)) <= count


@pytest.mark.parametrize("count", [4, 16, 64])
def test_ours_with_countable_laws(benchmark: Benchmark, count: int) -> None:
    laws, source = repeated([discrete_laplace(100 + i) for i in range(count)], 10**4), OsEntropy()
    benchmark.group = "one draw, k = 10000, two-sided geometrics, by r"
    z = benchmark.pedantic(lambda: CouplingSampler(laws).draw(source), rounds=3)
    assert z[0] == z[count]


@pytest.mark.parametrize("count", [4, 16, 64])
@pytest.mark.parametrize("length", [10**3, 10**4, 10**5])
def test_ours_grows_in_length(benchmark: Benchmark, count: int, length: int) -> None:
    laws, source = distinct_laws(count), OsEntropy()
    benchmark.group = f"one draw of products, l = {length}, r = {count}, {POINTS} points"
    z = benchmark.pedantic(lambda: CouplingSampler(laws, length).draw(source), rounds=3)
    assert {len(part) for part in z} == {length}


@pytest.mark.parametrize("length", [10**3, 10**4, 10**5])
def test_numpy_draws_products_independently(benchmark: Benchmark, length: int) -> None:
    laws, generator = distinct_laws(16), np.random.default_rng(3)
    benchmark.group = f"one draw of products, l = {length}, r = 16, {POINTS} points"
    sums = np.cumsum(floats(laws), axis=1)

    def work() -> list[tuple[int, ...]]:
        return [tuple(np.searchsorted(row, generator.random(length)).tolist()) for row in sums]

    assert len(benchmark.pedantic(work, rounds=3)) == 16
