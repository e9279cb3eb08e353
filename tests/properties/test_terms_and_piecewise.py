"""Exponential polynomials and their pieces against brute force: plain Fractions at ln(2), mpmath at epsilon 1."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.spec.exponent import Epsilon, Exponent, Unit
from exactdp.spec.number import exp
from exactdp.spec.piecewise import (
    Bound,
    Piece,
    Piecewise,
    geometric_density,
    intersection,
    total_of,
    two_sided_geometric_density,
)
from exactdp.spec.terms import Terms, sign

TWO = Unit(Fraction(2))
ONE = Unit()
Key = tuple[int, Fraction]
Coefficients = dict[Key, Fraction]


def whole(x: Any) -> int:
    """The floor of an mpmath number."""
    below: Any = mpmath.floor(x)
    return int(below)


def plain(coefficients: Coefficients, k: int) -> Fraction:
    """The value at ln(2), by the formula; the rates are whole."""
    return sum((c * Fraction(k) ** d * Fraction(2) ** int(-r * k) for (d, r), c in coefficients.items()), Fraction(0))


def keys(low: int, high: int) -> st.SearchStrategy[Key]:
    return st.tuples(st.integers(0, 2), st.integers(low, high).map(Fraction))


COEFFICIENT = st.fractions(min_value=-4, max_value=4, max_denominator=8).filter(bool)
ANY = st.dictionaries(keys(-2, 2), COEFFICIENT, max_size=4)
DYING = st.dictionaries(keys(1, 3), COEFFICIENT, max_size=3)
WINDOW = range(-24, 41)


def at_ln_2(coefficients: Coefficients) -> Terms:
    return Terms(dict(coefficients), TWO)


# -- terms ------------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(ANY, ANY, st.integers(-5, 5), COEFFICIENT)
def test_terms_are_the_functions_that_they_say(f: Coefficients, g: Coefficients, step: int, factor: Fraction) -> None:
    one, two = at_ln_2(f), at_ln_2(g)
    for k in range(-6, 7):
        assert one(k) == plain(f, k)
        assert (one + two)(k) == plain(f, k) + plain(g, k)
        assert (one * two)(k) == plain(f, k) * plain(g, k)
        assert one.scaled(factor)(k) == factor * plain(f, k)
        assert one.shifted(step)(k) == plain(f, k + step)
        assert one.mirrored()(k) == plain(f, -k)
        assert one.tilted(Fraction(step), TWO)(k) == plain(f, k) * Fraction(2) ** (-step * k)


@given(ANY, st.integers(-6, 6), st.integers(0, 12))
def test_the_difference_of_the_antidifference_and_finite_sums_are_right(f: Coefficients, low: int, length: int) -> None:
    terms = at_ln_2(f)
    indefinite = terms.antidifference()
    assert all(indefinite(k + 1) - indefinite(k) == plain(f, k) for k in range(-6, 7))
    assert terms.total(low, low + length) == sum(plain(f, k) for k in range(low, low + length + 1))
    assert terms.total(low, low - 1) == 0


FAR = 160
REST = Fraction(1, 2**120)
"""Bounds what is left of sums of at most 3 terms 4 * k^2 * 2^-k beyond FAR, shifted by at most 6."""


@settings(max_examples=25)
@given(DYING, st.integers(-6, 6))
def test_infinite_sums_are_brute_sums_up_to_a_rational_bound(f: Coefficients, low: int) -> None:
    brute = sum(plain(f, k) for k in range(low, FAR))
    assert -REST <= at_ln_2(f).total(low, None) - brute <= REST
    assert -REST <= at_ln_2(f).mirrored().total(None, -low) - brute <= REST


def checked_runs(
    runs: list[tuple[Bound, Bound, int]], low: Bound, high: Bound, sign_at: Callable[[int], int], points: list[int]
) -> None:
    """The runs cover low..high without gaps, change sign where they meet, and are right at the given points."""
    assert (runs[0][0], runs[-1][1]) == (low, high)
    for (_, end, before), (start, _, after) in pairwise(runs):
        assert end is not None
        assert start == end + 1
        assert before != after
    ends = [k + d for a, b, _ in runs for k in (a, b) if k is not None for d in (-1, 0, 1)]
    for k in {*points, *ends}:
        if (low is None or low <= k) and (high is None or k <= high):
            claimed = [s for a, b, s in runs if (a is None or a <= k) and (b is None or k <= b)]
            assert claimed == [sign_at(k)]


INTERVALS = st.sampled_from([(None, None), (-3, None), (None, 7), (-20, 33), (5, 5), (0, 1)])


@settings(max_examples=60)
@given(ANY, INTERVALS)
def test_sign_runs_are_the_signs_of_brute_force(f: Coefficients, interval: tuple[Bound, Bound]) -> None:
    runs = list(at_ln_2(f).sign_runs(*interval))
    checked_runs(runs, *interval, lambda k: sign(plain(f, k)), [*WINDOW, -300, 300])
    assert at_ln_2(f).vanishes_on(*interval) == all(s == 0 for _, _, s in runs)


@given(
    st.lists(st.tuples(st.integers(-6, 12), st.sampled_from([-1, 0, 0, 1])), min_size=1, max_size=3), st.integers(0, 2)
)
def test_sign_runs_find_prescribed_zeros_and_near_misses(zeros: list[tuple[int, int]], degree: int) -> None:
    """A product of 2^-k - 2^-z, each moved by nothing or by a hair that no float would see."""
    terms = at_ln_2({(degree, Fraction(0)): Fraction(1)})
    for z, hair in zeros:
        root = Fraction(2) ** -z + Fraction(hair, 10**40)
        terms = terms * at_ln_2({(0, Fraction(1)): Fraction(1), (0, Fraction(0)): -root})

    def expected(k: int) -> int:
        result = sign(Fraction(k) ** degree)
        for z, hair in zeros:
            result *= sign(Fraction(2) ** -k - Fraction(2) ** -z - Fraction(hair, 10**40))
        return result

    checked_runs(list(terms.sign_runs(None, None)), None, None, expected, list(WINDOW))


RATES = st.tuples(st.integers(0, 2), st.sampled_from([Fraction(-1, 2), Fraction(0), Fraction(1, 3), Fraction(1)]))


@settings(max_examples=60)
@given(st.dictionaries(RATES, COEFFICIENT, min_size=1, max_size=3), INTERVALS)
def test_sign_runs_at_a_rational_epsilon_are_those_of_mpmath(f: Coefficients, interval: tuple[Bound, Bound]) -> None:
    def value(k: int) -> Any:
        parts = (
            mpmath.mpf(c.numerator)
            / c.denominator
            * mpmath.mpf(k) ** d
            * mpmath.exp(-mpmath.mpf(r.numerator) * k / r.denominator)
            for (d, r), c in f.items()
        )
        return mpmath.fsum(parts)

    def expected(k: int) -> int:
        with mpmath.workdps(60):
            x = value(k)
            return 0 if abs(x) < mpmath.mpf(10) ** -40 * (1 + abs(k)) else int(mpmath.sign(x))

    points = [k for k in WINDOW if -20 <= k <= 40]
    checked_runs(list(Terms(dict(f), ONE).sign_runs(*interval)), *interval, expected, points)


@pytest.mark.parametrize(
    ("coefficients", "unit", "expected"),
    [
        pytest.param(
            {(0, 0): -(10**20), (1, 0): 1},
            TWO,
            [(0, 10**20 - 1, -1), (10**20, 10**20, 0), (10**20 + 1, None, 1)],
            id="far",
        ),
        pytest.param(
            {(0, 1): 1, (0, 0): -(10**3), (1, 0): 1}, ONE, [(0, 999, -1), (1000, None, 1)], id="nearly tangent"
        ),
        pytest.param(
            {(0, 0): 6, (1, 0): -5, (2, 0): 1}, ONE, [(0, 1, 1), (2, 3, 0), (4, None, 1)], id="two neighbouring zeros"
        ),
        pytest.param({(0, 0): 1, (1, 0): -2, (2, 0): 1}, TWO, [(0, 0, 1), (1, 1, 0), (2, None, 1)], id="double zero"),
        pytest.param({}, TWO, [(0, None, 0)], id="zero"),
        pytest.param({(1, 1): 1}, ONE, [(0, 0, 0), (1, None, 1)], id="zero at the end"),
    ],
)
def test_sign_runs_of_known_functions(
    coefficients: dict[tuple[int, int], int], unit: Unit, expected: list[tuple[Bound, Bound, int]]
) -> None:
    terms = Terms({(d, Fraction(r)): Fraction(c) for (d, r), c in coefficients.items()}, unit)
    assert list(terms.sign_runs(0, None)) == expected


@pytest.mark.parametrize("digits", [3, 60, 200])
def test_a_coefficient_with_many_zeros_only_moves_the_crossing(digits: int) -> None:
    """e^-k against 10^-digits: the crossing is the integer part of digits * ln(10)."""
    terms = Terms({(0, Fraction(1)): Fraction(1), (0, Fraction(0)): -Fraction(1, 10**digits)}, ONE)
    with mpmath.workdps(50):
        last = whole(digits * mpmath.log(10))
    assert list(terms.sign_runs(0, None)) == [(0, last, 1), (last + 1, None, -1)]


def test_equal_functions_cancel_and_unequal_ones_do_not() -> None:
    f = Terms({(0, Fraction(1, 2)): exp(Fraction(-1, 2))}, ONE)
    g = Terms({(0, Fraction(1, 2)): Fraction(1)}, ONE).shifted(1)
    assert not f + g.scaled(Fraction(-1))
    assert f + g.scaled(Fraction(-2))
    assert f + g.tilted(Fraction(1), ONE).scaled(Fraction(-1))


# -- pieces -----------------------------------------------------------------------------------------------------------

Brute = Callable[[int], Fraction]
Sample = tuple[Piecewise, Brute]


@st.composite
def piecewise(draw: st.DrawFn, *, finite: bool) -> Sample:
    """A function with its values by brute force: pieces with gaps, and dying ones at the ends if not `finite`."""
    cuts = sorted(draw(st.lists(st.integers(-6, 8), min_size=2, max_size=4, unique=True)))
    parts: list[tuple[Bound, Bound, Coefficients]] = []
    for a, b in pairwise(cuts):
        parts.append((a, b - 1 - draw(st.integers(0, min(1, b - 1 - a))), draw(ANY)))
    if not finite and draw(st.booleans()):
        parts.insert(0, (None, cuts[0] - 1, {(d, -r): c for (d, r), c in draw(DYING).items()}))
    if not finite:
        parts.append((cuts[-1] + draw(st.integers(0, 1)), None, draw(DYING)))

    def value(k: int) -> Fraction:
        inside = [f for a, b, f in parts if (a is None or a <= k) and (b is None or k <= b)]
        return plain(inside[0], k) if inside else Fraction(0)

    return Piecewise(Piece(a, b, at_ln_2(f)) for a, b, f in parts), value


FINITE = piecewise(finite=True)
INFINITE = piecewise(finite=False)
NEAR = range(-14, 20)
BOUNDS = st.one_of(st.none(), st.integers(-8, 10))


@settings(max_examples=15)
@given(INFINITE, INFINITE, st.integers(-4, 4), BOUNDS, BOUNDS)
def test_pointwise_operations_are_pointwise(f: Sample, g: Sample, step: int, low: Bound, high: Bound) -> None:
    (one, a), (two, b) = f, g
    for k in NEAR:
        inside = (low is None or low <= k) and (high is None or k <= high)
        assert one(k) == a(k)
        assert (one * two)(k) == a(k) * b(k)
        assert (one + two)(k) == a(k) + b(k)
        assert (one - two)(k) == a(k) - b(k)
        assert total_of([one, two, one])(k) == 2 * a(k) + b(k)
        assert one.shifted(step)(k) == a(k + step)
        assert one.mirrored()(k) == a(-k)
        assert one.restricted(low, high)(k) == (a(k) if inside else 0)
    assert (one - one).is_zero()


@settings(max_examples=12)
@given(FINITE, FINITE)
def test_sums_tails_windows_and_convolutions_of_finite_pieces_are_exact(f: Sample, g: Sample) -> None:
    (one, a), (two, b) = f, g
    tail, sums = one.tail(), one.convolve(two)
    assert one.total() == sum(a(k) for k in NEAR)
    for k in range(-13, 19):
        assert tail(k) == sum(a(j) for j in range(k, 20))
        assert one.window(-1, 2)(k) == sum(a(k + j) for j in range(-1, 3))
        assert one.window(None, 2)(k) == sum(a(j) for j in range(-20, k + 3))
        assert one.window(1, None)(k) == sum(a(j) for j in range(k + 1, 20))
        assert sums(k) == sum(a(j) * b(k - j) for j in NEAR)


@settings(max_examples=10)
@given(INFINITE, INFINITE)
def test_sums_tails_and_convolutions_of_infinite_pieces_are_brute_sums_up_to_a_bound(f: Sample, g: Sample) -> None:
    (one, a), (two, b) = f, g
    values = {k: a(k) for k in range(-FAR, FAR)}
    assert -REST <= one.total() - sum(values.values()) <= REST
    tail, sums = one.tail(), one.convolve(two)
    for k in (-9, -1, 0, 3, 8, 15):
        assert -REST <= tail(k) - sum(v for j, v in values.items() if j >= k) <= REST
        below = sum(v for j, v in values.items() if j <= k + 2)
        assert -REST <= one.window(None, 2)(k) - below <= REST
        assert -REST <= sums(k) - sum(v * b(k - j) for j, v in values.items() if v) <= REST


@settings(max_examples=25)
@given(INFINITE)
def test_sign_runs_of_pieces_give_every_sign(f: Sample) -> None:
    function, a = f
    runs = list(function.sign_runs())
    for k in NEAR:
        claimed = [s for low, high, s, _ in runs if (low is None or low <= k) and (high is None or k <= high)]
        assert claimed in ([sign(a(k))], []) if not a(k) else claimed == [sign(a(k))]


@pytest.mark.parametrize("epsilon", ["ln(2)", "ln(9/4)", "1/2", "ln(3)", "any"])
def test_noise_densities_sum_to_one_and_to_the_known_masses(epsilon: str) -> None:
    rate: Exponent = Epsilon(epsilon) / 2
    x = exp(-rate)
    one, two = geometric_density(rate), two_sided_geometric_density(rate)
    assert one.total() == 1
    assert two.total() == 1
    assert one.convolve(one.mirrored())(3) == two(3)
    assert one.tail()(4) == x**4
    assert two.tail()(4) == x**4 / (1 + x)
    assert one.convolve(one)(5) == 6 * (1 - x) ** 2 * x**5
    assert (two.mirrored() - two).is_zero()


@pytest.mark.parametrize(
    ("one", "two", "common"),
    [
        ((0, 5), (3, None), (3, 5)),
        ((None, 2), (3, 4), None),
        ((None, None), (1, 1), (1, 1)),
        ((None, 0), (0, None), (0, 0)),
    ],
)
def test_intervals_intersect(one: tuple[Bound, Bound], two: tuple[Bound, Bound], common: object) -> None:
    assert intersection(one, two) == common
    assert intersection(two, one) == common
