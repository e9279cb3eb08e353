"""The minimum-distance estimator beside plain fractions, the VC dimension of a class, and exact sample complexities.

The whole of an estimate is timed: the table of the class, the counting of the records, and the choice. Plain fractions
are timed on a smaller class; `extra_info` holds the time for one deviation |P_S(A) - q(A)| of both.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol

import pytest

from exactdp.reference.classes import LawClass, bernoulli_grid, binomials, grid_class
from exactdp.reference.estimators import MinimumDistance, minimum_distance
from exactdp.reference.sample_complexity import SampleComplexity, deviation_tail, sample_complexity
from exactdp.spec.law import Law
from exactdp.spec.yatracos import vc_dimension, yatracos_class

RECORDS = 100_000
POINTS = 50


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]
    stats: Any

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def random_laws(laws: int, *, shared: bool) -> list[Law]:
    """Laws with the denominator 5000, or each with its own."""
    choice = random.Random(1)
    rows = [[choice.randrange(1, 100) for _ in range(POINTS)] for _ in range(laws)]
    if shared:
        rows = [[*row[:-1], 5000 - sum(row[:-1])] for row in rows]
    return [Law({y: Fraction(c, sum(row)) for y, c in enumerate(row)}) for row in rows]


def random_records() -> list[int]:
    choice = random.Random(2)
    return [choice.randrange(POINTS) for _ in range(RECORDS)]


def deviations(learner: MinimumDistance) -> int:
    return len(learner.table.laws) * len(learner.table.events)


@pytest.mark.parametrize("shared", [True, False], ids=["one denominator", "own denominators"])
def test_two_hundred_hypotheses_on_fifty_points(benchmark: Benchmark, shared: bool) -> None:
    laws, records = random_laws(200, shared=shared), random_records()
    benchmark.group = "minimum distance, 10^5 records on 50 points"
    benchmark.pedantic(lambda: minimum_distance(laws, "1/10")(records), rounds=3, warmup_rounds=1)
    seconds = benchmark.stats.stats.min
    count = deviations(minimum_distance(laws, "1/10"))
    benchmark.extra_info["deviations"] = count
    benchmark.extra_info["nanoseconds for a deviation"] = round(seconds / count * 1e9, 2)


def test_the_same_from_counts_with_the_table_made_before(benchmark: Benchmark) -> None:
    learner = minimum_distance(random_laws(200, shared=True), "1/10")
    counts = learner.table.counts(random_records())[None]
    benchmark.group = "minimum distance, 10^5 records on 50 points"
    benchmark.pedantic(lambda: learner.table.choices(counts, learner.alpha), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("laws", [5, 10, 20])
def test_plain_fractions(benchmark: Benchmark, laws: int) -> None:
    members, records = random_laws(laws, shared=True), random_records()
    learner = minimum_distance(members, "1/10")
    benchmark.group = "minimum distance, 10^5 records on 50 points"
    found = benchmark.pedantic(lambda: plain_choice(members, records, Fraction(1, 10)), rounds=1)
    assert learner(records) == found
    count = deviations(learner)
    benchmark.extra_info["deviations"] = count
    benchmark.extra_info["nanoseconds for a deviation"] = round(benchmark.stats.stats.min / count * 1e9)


def plain_choice(laws: Sequence[Law], records: Sequence[int], alpha: Fraction) -> Law:
    """The rule of Theorem C.4 as it stands, in fractions."""
    counts, n = Counter(records), len(records)
    rows = [[Fraction(str(law[y])) for y in range(POINTS)] for law in laws]
    sets = {tuple(y for y in range(POINTS) if p[y] > q[y]) for p in rows for q in rows}
    distances = [
        max(abs(Fraction(sum(counts[y] for y in event), n) - sum((q[y] for y in event), Fraction(0))) for event in sets)
        for q in rows
    ]
    least = min(distances)
    return next(law for law, found in zip(laws, distances, strict=True) if found <= least + alpha / 2)


@pytest.mark.parametrize(
    ("members", "dimension"),
    [
        (binomials(60, [Fraction(i, 100) for i in range(1, 100)]), 2),
        (grid_class("abcd", 6), 3),
        (grid_class("abcdef", 3), 3),
    ],
    ids=["99 binomials on 61 points", "84 laws on 4 points", "56 laws on 6 points"],
)
def test_the_vc_dimension_of_a_class(benchmark: Benchmark, members: LawClass, dimension: int) -> None:
    sets = yatracos_class(members, members.domain)
    benchmark.group = "VC dimension of the Yatracos sets"
    benchmark.extra_info["sets"] = len(sets)
    assert benchmark.pedantic(lambda: vc_dimension(sets), rounds=3) == dimension


@pytest.mark.parametrize("laws", [6, 8, 10, 12])
def test_the_vc_dimension_of_random_classes_on_fifty_points(benchmark: Benchmark, laws: int) -> None:
    sets = yatracos_class(random_laws(laws, shared=True), range(POINTS))
    benchmark.group = "VC dimension of random Yatracos sets on 50 points"
    benchmark.extra_info["sets"] = len(sets)
    benchmark.extra_info["dimension"] = benchmark.pedantic(lambda: vc_dimension(sets), rounds=3)


@pytest.mark.parametrize(
    ("members", "alpha", "slack"),
    [
        (bernoulli_grid(4), "1/4", "1/8"),
        (grid_class("abc", 2), "1/2", "1/4"),
        (binomials(2, ["1/5", "1/2", "4/5"]), "1/4", "1/8"),
    ],
    ids=["5 coins", "6 laws on 3 points", "3 binomials"],
)
def test_a_proved_sample_complexity(benchmark: Benchmark, members: LawClass, alpha: str, slack: str) -> None:
    benchmark.group = "exact sample complexity at beta = 1/10, proved for all n"

    def prove() -> SampleComplexity:
        learner = minimum_distance(members, slack)
        tail = deviation_tail(learner, alpha)
        start = tail.start(Fraction(1, 10)) if tail else None
        return sample_complexity(learner, members, alpha, "1/10", start - 1 if start else 1)

    found = benchmark.pedantic(prove, rounds=3)
    benchmark.extra_info["m"], benchmark.extra_info["horizon"] = found.size, found.horizon
    assert found.is_proved
