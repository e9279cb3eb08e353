"""Exact arithmetic beside the obvious ways to do it: vectors over one denominator against numbers one by one.

The tests of a group compute the same thing; read their times side by side.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from exactdp.spec.divergence import tv
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import discrete_laplace
from exactdp.spec.terms import sign
from exactdp.spec.vector import Exponentials, Vector, vector

SIZE, DIGITS, DEGREE = 1000, 20, 20


def masses(seed: int) -> dict[Any, Fraction]:
    """1000 masses over a denominator of 20 digits and a little more."""
    weights = [random.Random(seed + i).randrange(10 ** (DIGITS - 1), 10**DIGITS) for i in range(SIZE)]
    total = sum(weights)
    return {k: Fraction(w, total) for k, w in enumerate(weights)}


def once(benchmark: BenchmarkFixture, function: Callable[..., Any], *args: object) -> Any:
    """Runs a slow function once, timed."""
    timed: Callable[..., Any] = benchmark.pedantic
    return timed(function, args=args, rounds=1)


def by_double_loop(p: dict[Any, Fraction], q: dict[Any, Fraction]) -> dict[Any, Fraction]:
    sums: dict[Any, Fraction] = {}
    for x, a in p.items():
        for y, b in q.items():
            sums[x + y] = sums.get(x + y, Fraction(0)) + a * b
    return sums


@pytest.mark.benchmark(group="convolution of two laws on 1000 points, masses of 20 digits")
def test_convolution_of_laws(benchmark: BenchmarkFixture) -> None:
    p, q = Law(masses(0)), Law(masses(SIZE))
    total = benchmark(p.convolve, q)
    assert total[5] == sum(p[k] * q[5 - k] for k in range(6))
    assert len(total) == 2 * SIZE - 1


@pytest.mark.benchmark(group="convolution of two laws on 1000 points, masses of 20 digits")
def test_convolution_by_a_double_loop_of_fractions(benchmark: BenchmarkFixture) -> None:
    p, q = masses(0), masses(SIZE)
    total = once(benchmark, by_double_loop, p, q)
    assert Law(p).convolve(Law(q))[999] == total[999]


def polynomials(seed: int, x: Number) -> list[Number]:
    """1000 masses: polynomials of degree 20 in x with coefficients of 6 digits, divided by their sum."""
    source = random.Random(seed)
    powers = [x**i for i in range(DEGREE + 1)]
    rows = [[source.randrange(1, 10**6) for _ in powers] for _ in range(SIZE)]
    total = sum((c * p for c, p in zip(map(sum, zip(*rows, strict=True)), powers, strict=True)), start=Fraction(0))
    return [sum((c * p for c, p in zip(row, powers, strict=True)), start=Fraction(0)) / total for row in rows]


RATIONAL = Fraction(61, 100)


def in_vectors(p: Vector, q: Vector, factor: Number, delta: Number) -> bool:
    """Whether the sum of the positive parts of p - factor * q is at most delta."""
    difference = p.minus(q, factor)
    return difference.total(i for i, s in enumerate(difference.signs()) if s > 0) <= delta


def one_by_one(p: list[Number], q: list[Number], factor: Number, delta: Number) -> bool:
    total: Number = Fraction(0)
    for a, b in zip(p, q, strict=True):
        gap = a - factor * b
        if sign(gap) > 0:
            total = total + gap
    return total <= delta


FACTOR, DELTA = exp("1/2"), Fraction(1, 10)


@pytest.mark.benchmark(group="(epsilon, delta) inequality on 1000 outcomes, polynomials of degree 20")
def test_inequality_in_vectors(benchmark: BenchmarkFixture) -> None:
    p, q = (vector(polynomials(seed, exp("-1/2"))) for seed in (1, 2))
    assert isinstance(p, Exponentials)
    assert benchmark(in_vectors, p, q, FACTOR, DELTA) is True
    assert not in_vectors(p, q, FACTOR, Fraction(1, 1000))


@pytest.mark.benchmark(group="(epsilon, delta) inequality on 1000 outcomes, polynomials of degree 20")
def test_inequality_in_numbers_one_by_one(benchmark: BenchmarkFixture) -> None:
    p, q = (polynomials(seed, exp("-1/2")) for seed in (1, 2))
    assert once(benchmark, one_by_one, p, q, FACTOR, DELTA) is True


@pytest.mark.benchmark(group="(epsilon, delta) inequality on 1000 outcomes, polynomials of degree 20")
def test_inequality_at_a_rational_point_in_fractions(benchmark: BenchmarkFixture) -> None:
    """A wrong way, for its time alone: e^(-1/2) replaced by 61/100."""
    p, q = (polynomials(seed, RATIONAL) for seed in (1, 2))
    assert once(benchmark, one_by_one, p, q, 1 / RATIONAL, DELTA) is True


@pytest.mark.benchmark(group="total variation of two noise laws of scales 100 and 101")
def test_total_variation_in_closed_form(benchmark: BenchmarkFixture) -> None:
    p, q = discrete_laplace(100), discrete_laplace(101)
    assert 0 < benchmark(tv, p, q) < Fraction(1, 100)


@pytest.mark.benchmark(group="comparison of e^-1 with its first 60 digits")
def test_comparison_that_needs_200_bits(benchmark: BenchmarkFixture) -> None:
    x, y = exp(-1), Fraction("0.367879441171442321595523770161460867445811131031767834507836")
    assert benchmark(x.__gt__, y) is True
    assert not exp(-Epsilon(1)) > y + Fraction(1, 10**60)
