"""The learners' exact laws at the theorems' own sizes: boosting at T = 384, and the black box at k = 267.

A group compares the same law exactly and within a tolerance; `extra_info` holds the number of distinct estimates, the
count vectors that were gone through, and the digits of what came out or the mass that was left out.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, Protocol

import pytest

from exactdp.reference.learned_law import CountVectors, black_box_law_over, boosted_law, failure, law_from_draws
from exactdp.reference.learners import empirical, maximum_likelihood
from exactdp.reference.parameters import black_box_parameters, boosted_parameters
from exactdp.spec.enclosure import decimal
from exactdp.spec.law import Bounds, Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number

RUNS = 384
SECONDS_AT_MOST = 5
TWO = [Law({0: "19/20", 1: "1/20"}), Law({0: "1/20", 1: "19/20"})]
THREE = [Law({i: "30/32", (i + 1) % 3: "1/32", (i + 2) % 3: "1/32"}) for i in range(3)]


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]
    stats: Any

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def estimate_law(values: int) -> Law:
    """Half of the mass on p, the rest evenly on BOTTOM, a law near p, with which p always ties, and far laws."""
    estimates: list[Hashable] = [BOTTOM, *(Law({n: 1}) for n in range(values - 2))]
    shares: dict[Hashable, Number] = {q: Fraction(1, 2 * len(estimates)) for q in estimates}
    return Law({TWO[0]: Fraction(1, 2), **shares})


@pytest.mark.parametrize(
    ("values", "tolerance"), [(2, None), (2, "1e-30"), (3, None), (3, "1e-30"), (4, "1e-12")], ids=str
)
def test_boosting_with_so_many_distinct_estimates(benchmark: Benchmark, values: int, tolerance: str | None) -> None:
    one = estimate_law(values)
    benchmark.group = f"boosting, T = {RUNS}, {values} estimates"
    masses = [mass for _, mass in one.items()]
    benchmark.extra_info["count vectors"] = CountVectors(masses, RUNS, tolerance).number
    law = benchmark.pedantic(
        lambda: boosted_law(one, runs=RUNS, alpha="1/4", tolerance=tolerance), rounds=1 if values > 3 else 3
    )
    assert values > 3 or benchmark.stats is None or benchmark.stats.stats.min <= SECONDS_AT_MOST
    benchmark.extra_info["left out"] = decimal(law.unresolved, 3)
    assert law.unresolved <= Fraction(tolerance or 0)


@pytest.mark.parametrize("epsilon", ["1/2", "ln(2)"])
def test_boosting_of_a_real_private_learner(benchmark: Benchmark, epsilon: str) -> None:
    """The masses of one run are numbers of thousands of digits, or rational functions of e^-epsilon."""
    sizes = boosted_parameters(lambda alpha, beta: 3, "1/4", "1/20", epsilon, "1/100")
    learner = maximum_likelihood(THREE)
    one = black_box_law_over(THREE[0], learner=learner, final=learner, **sizes.run.arguments())
    benchmark.group = f"boosting of the black box, epsilon = {epsilon}"
    benchmark.extra_info["distinct estimates"] = len(one)
    law = benchmark.pedantic(lambda: boosted_law(one, runs=sizes.runs, alpha=sizes.alpha, tolerance="1e-60"), rounds=3)
    far = failure(law, THREE[0], sizes.alpha)
    assert isinstance(far, Bounds)
    assert far.high <= sizes.beta


@pytest.mark.parametrize("epsilon", ["1/2", "ln(2)"])
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("laws", [TWO, THREE], ids=["two laws", "three laws"])
def test_the_black_box_over_the_data(benchmark: Benchmark, laws: list[Law], size: int, epsilon: str) -> None:
    sizes = black_box_parameters(lambda alpha, beta: size, "1/4", "1/2", epsilon, "1/100")
    assert sizes.sampler.blocks == 267
    learner = maximum_likelihood(laws)
    benchmark.group = f"black box, k = 267, {len(laws)} laws, length and block size {size}"
    law = benchmark.pedantic(
        lambda: black_box_law_over(laws[0], learner=learner, final=learner, **sizes.arguments()), rounds=2
    )
    far = failure(law, laws[0], "1/4")
    assert not isinstance(far, Bounds)
    assert far <= sizes.beta
    benchmark.extra_info["failure"] = decimal(far, 4)


@pytest.mark.parametrize("runs", [50, 200])
def test_the_agnostic_learner_from_its_private_records(benchmark: Benchmark, runs: int) -> None:
    """A symmetric final learner on three points with as many answers as types: T + 2 over 2 of them."""
    record = Law({0: "90/100", 1: "7/100", 2: "3/100"})
    benchmark.group = f"agnostic learner, T = {runs}, three points"
    law = benchmark.pedantic(lambda: law_from_draws(record, draws=runs, final=empirical()), rounds=1)
    assert len(law) == (runs + 2) * (runs + 1) // 2
