"""The audit of the sparse vector technique beside the same loop in plain fractions.

Every answer vector of five integers from -1 to 1, neighbours that move each answer by at most 1: 243 laws and 16 564
ordered pairs. The plain version takes t = e^(-epsilon/4) = 9/10, so that all of its masses are rational, and sums the
threshold over a window; ours is exact at epsilon = 1/10, where t is transcendental.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any, Protocol

import pytest

from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.number import exp
from exactdp.spec.standard_laws import discrete_laplace
from exactdp.verify.audit import audit
from exactdp.verify.decide import Decider
from exactdp.verify.neighbours import EACH_BY_ONE
from exactdp.verify.universe import explore

Draw = Callable[[Law], Any]
DOMAIN, N = [-1, 0, 1], 5
LAWS, PAIRS = 243, 16_564


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


def first_above(data: tuple[int, ...], draw: Draw, *, epsilon: Epsilon) -> Any:
    """SVT1: True at the first noisy answer at or above the noisy threshold, False before."""
    rho = draw(discrete_laplace(2 / epsilon))
    answers = []
    for answer in data:
        answers.append(answer + draw(discrete_laplace(4 / epsilon)) >= rho)
        if answers[-1]:
            break
    return tuple(answers)


@pytest.mark.parametrize("epsilon", ["1/10", "ln(2)", "1"])
def test_laws_verdict_and_least_epsilon(benchmark: Benchmark, epsilon: str) -> None:
    def work() -> tuple[int, bool, bool]:
        value = Epsilon(epsilon)
        universe = explore(first_above, DOMAIN, N, EACH_BY_ONE, epsilon=value)
        decider = Decider(universe)
        star = decider.least_factor(Fraction(0)).factor
        return len(universe.pairs), decider.worst(exp(value)).delta == 0, star is not None and star <= exp(value)

    benchmark.group = f"SVT, {PAIRS} pairs: laws, verdict, least epsilon"
    assert benchmark.pedantic(work, rounds=2) == (PAIRS, True, True)


@pytest.mark.parametrize("epsilon", ["1/10", "ln(2)"])
def test_the_whole_audit_with_its_profile(benchmark: Benchmark, epsilon: str) -> None:
    benchmark.group = f"SVT, {PAIRS} pairs: whole audit"
    result = benchmark.pedantic(
        lambda: audit(first_above, domain=DOMAIN, n=N, epsilon=epsilon, neighbours="each-by-one"), rounds=1
    )
    assert (result.verdict.kind, result.pairs) == ("holds", PAIRS)
    benchmark.extra_info["segments"] = len(result.profile.segments)


def test_the_laws_alone(benchmark: Benchmark) -> None:
    benchmark.group = f"SVT, {LAWS} laws"
    universe = benchmark.pedantic(
        lambda: explore(first_above, DOMAIN, N, EACH_BY_ONE, epsilon=Epsilon("1/10")), rounds=2
    )
    assert len(universe.datasets) == LAWS


def plain_law(data: tuple[int, ...], t: Fraction, radius: int) -> list[Fraction]:
    """The masses of "first True at i" and of "never", the threshold summed over -radius..radius, in plain fractions."""
    peak, tail = (1 - t * t) / (1 + t * t), 1 / (1 + t)
    masses = [Fraction(0)] * (len(data) + 1)
    for rho in range(-radius, radius + 1):
        weight = peak * t ** (2 * abs(rho))
        for i, answer in enumerate(data):
            gap = rho - answer
            above = tail * t**gap if gap > 0 else 1 - tail * t ** (1 - gap)
            masses[i] += weight * above
            weight *= 1 - above
        masses[-1] += weight
    return masses


def plain_audit(t: Fraction, radius: int, domain: list[int], n: int) -> tuple[int, Fraction]:
    """How many ordered pairs, and the largest ratio of two masses over all of them."""
    laws = {data: plain_law(data, t, radius) for data in product(domain, repeat=n)}
    pairs, worst = 0, Fraction(1)
    for one, p in laws.items():
        for other, q in laws.items():
            if one != other and all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True)):
                pairs += 1
                worst = max(worst, *(a / b for a, b in zip(p, q, strict=True)))
    return pairs, worst


def test_the_same_loop_in_plain_fractions(benchmark: Benchmark) -> None:
    """A window of 25 leaves about t^50, half a percent, open, and gives no exact answer; n = 3 to end in seconds."""
    benchmark.group = "SVT, plain fractions with a window, n = 3"
    pairs, worst = benchmark.pedantic(lambda: plain_audit(Fraction(9, 10), 25, DOMAIN, 3), rounds=1)
    assert pairs == 7**3 - 3**3
    assert 1 < worst <= Fraction(10, 9) ** 4


def test_ours_where_the_plain_loop_ends_in_seconds(benchmark: Benchmark) -> None:
    benchmark.group = "SVT, plain fractions with a window, n = 3"
    result = benchmark.pedantic(
        lambda: audit(first_above, domain=DOMAIN, n=3, epsilon="ln(10000/6561)", neighbours="each-by-one"), rounds=1
    )
    assert result.pairs == 7**3 - 3**3
    assert result.verdict.kind == "holds"
