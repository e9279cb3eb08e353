"""The joint law of the Poisson coupling beside the recursion in plain fractions; a group compares equal tuples.

`extra_info` holds the number of outcomes, the digits of the common denominator, and the peak of memory as a multiple of
the memory of the law that is returned, measured in a run of its own.
"""

import gc
import random
import tracemalloc
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter
from typing import Any, Protocol

import pytest

from exactdp.spec.exponent import Epsilon
from exactdp.spec.joint import APART, joint_law, pair_diagonal, pair_disagreement
from exactdp.spec.law import Law
from exactdp.spec.number import exp
from exactdp.spec.powers import power_disagreement
from exactdp.spec.vector import Rationals

SHAPES = [(8, 8), (12, 4)]
SHARED = 100
"""A denominator for all laws; without it each has its own between 50 and 100."""


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def random_rows(laws: int, points: int, denominator: int | None) -> list[list[int]]:
    """Distinct rows of counts, each uniform over the ways to write its total as an ordered sum."""
    choice = random.Random(1)
    rows: list[list[int]] = []
    while len(rows) < laws:
        total = denominator or choice.randrange(50, 100)
        cuts = [0, *sorted(choice.sample(range(1, total + points), points - 1)), total + points]
        row = [b - a - 1 for a, b in pairwise(cuts)]
        if row not in rows:
            rows.append(row)
    return rows


def random_laws(laws: int, points: int, denominator: int | None = SHARED) -> list[Law]:
    return [
        Law({y: Fraction(c, sum(row)) for y, c in enumerate(row)}) for row in random_rows(laws, points, denominator)
    ]


def describe(benchmark: Benchmark, laws: Sequence[Law]) -> None:
    gc.collect()
    tracemalloc.start()
    law = joint_law(laws)
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    benchmark.extra_info["outcomes"] = len(law)
    benchmark.extra_info["output_megabytes"] = round(now / 1e6, 1)
    benchmark.extra_info["peak_over_output"] = round(peak / now, 2)
    if isinstance(law.masses, Rationals):
        benchmark.extra_info["digits"] = len(str(law.masses.den))


@pytest.mark.parametrize("denominator", [SHARED, None], ids=["one denominator", "own denominators"])
@pytest.mark.parametrize(("laws", "points"), SHAPES)
def test_the_whole_table(benchmark: Benchmark, laws: int, points: int, denominator: int | None) -> None:
    chosen = random_laws(laws, points, denominator)
    describe(benchmark, chosen)
    benchmark.group = f"{laws} laws on {points} points, denominator {denominator or 'of its own'}"
    law = benchmark.pedantic(lambda: joint_law(chosen), rounds=5, warmup_rounds=1)
    assert law.map(itemgetter(-1)) == chosen[-1]


@pytest.mark.parametrize(("laws", "points"), SHAPES)
def test_plain_fractions(benchmark: Benchmark, laws: int, points: int) -> None:
    rows = [[Fraction(c, sum(row)) for c in row] for row in random_rows(laws, points, SHARED)]
    benchmark.group = f"{laws} laws on {points} points, denominator {SHARED}"
    table = benchmark.pedantic(lambda: plain_joint(rows), rounds=1)
    assert table == dict(joint_law(random_laws(laws, points)).items())


@pytest.mark.parametrize("size", range(3, 9))
def test_growth_in_laws_and_points_together(benchmark: Benchmark, size: int) -> None:
    grow(benchmark, "laws = points", size, size)


@pytest.mark.parametrize("laws", [4, 6, 8, 10, 12, 14])
def test_growth_in_laws_on_four_points(benchmark: Benchmark, laws: int) -> None:
    grow(benchmark, "on 4 points", laws, 4)


@pytest.mark.parametrize("points", [4, 8, 16, 32])
def test_growth_in_points_for_four_laws(benchmark: Benchmark, points: int) -> None:
    grow(benchmark, "4 laws", 4, points)


def grow(benchmark: Benchmark, group: str, laws: int, points: int) -> None:
    chosen = random_laws(laws, points)
    describe(benchmark, chosen)
    benchmark.group = group
    assert benchmark.pedantic(lambda: joint_law(chosen), rounds=3)


def test_exponential_masses(benchmark: Benchmark) -> None:
    t = exp(-Epsilon("1/2"))
    whole = 1 + 5 * t
    laws = [Law({y: 1 / whole if x == y else t / whole for y in range(6)}) for x in range(6)]
    benchmark.group = "6 laws of randomized response on 6 answers"
    law = benchmark.pedantic(lambda: joint_law(laws), rounds=3)
    assert law.map(itemgetter(0)) == laws[0]


MANY = 1_000_000


def large_laws() -> list[Law]:
    choice = random.Random(1)
    counts = [[choice.randrange(1, 1000) for _ in range(MANY)] for _ in range(2)]
    return [Law.of_vector({y: y for y in range(MANY)}, Rationals(row, sum(row))) for row in counts]


def test_the_disagreement_of_two_laws_on_a_million_points(benchmark: Benchmark) -> None:
    p, q = large_laws()
    benchmark.group = "two laws on a million points"
    apart = benchmark.pedantic(lambda: pair_disagreement(p, q), rounds=3, warmup_rounds=1)
    assert Fraction(1, 4) < apart < Fraction(1, 2)


def test_the_disagreement_with_the_whole_diagonal_as_a_law(benchmark: Benchmark) -> None:
    p, q = large_laws()
    benchmark.group = "two laws on a million points"
    law = benchmark.pedantic(lambda: pair_diagonal(p, q), rounds=3, warmup_rounds=1)
    assert law[APART] == pair_disagreement(p, q)
    assert len(law) == MANY + 1


@pytest.mark.parametrize(("points", "length"), [(2, 10), (2, 100), (2, 1000), (3, 10), (3, 100), (3, 300)])
def test_the_disagreement_of_product_laws(benchmark: Benchmark, points: int, length: int) -> None:
    p, q = random_laws(2, points)
    benchmark.group = f"product laws on {points} points"
    apart = benchmark.pedantic(lambda: power_disagreement(p, q, length), rounds=3)
    assert 0 < apart < 1


def plain_joint(rows: Sequence[Sequence[Fraction]]) -> dict[tuple[int, ...], Fraction]:
    """The recursion set by set, each set once, in plain fractions."""
    known: dict[frozenset[int], dict[tuple[int, ...], Fraction]] = {frozenset(): {(0,) * len(rows): Fraction(1)}}

    def rec(waiting: frozenset[int]) -> dict[tuple[int, ...], Fraction]:
        if waiting in known:
            return known[waiting]
        total = sum(max(rows[i][y] for i in waiting) for y in range(len(rows[0])))
        table: dict[tuple[int, ...], Fraction] = {}
        for y in range(len(rows[0])):
            order = sorted(waiting, key=lambda i: rows[i][y], reverse=True)
            for j, i in enumerate(order):
                weight = rows[i][y] - (rows[order[j + 1]][y] if j + 1 < len(order) else 0)
                if weight:
                    taken = frozenset(order[: j + 1])
                    for values, mass in rec(waiting - taken).items():
                        filled = tuple(y if n in taken else value for n, value in enumerate(values))
                        table[filled] = table.get(filled, Fraction(0)) + weight / total * mass
        known[waiting] = table
        return table

    return rec(frozenset(range(len(rows))))
