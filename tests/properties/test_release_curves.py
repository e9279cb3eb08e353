"""Release curves against the noise they come from, their recursions, and the inequalities that privacy consists of."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.number import Exact, Number, exact, exp
from exactdp.spec.privacy import change_one_pairs, delta_at
from exactdp.spec.release_curve import (
    CURVES,
    NoisyThreshold,
    OptimalRelease,
    RandomisedThreshold,
    ReleaseCurve,
    geometric_tail,
    least_integer,
)
from exactdp.spec.standard_laws import discrete_laplace

EPSILONS = ["ln(2)", "1/2", "ln(5/2)", "3", "1/10", "ln(11/10)"]
DELTAS = ["1/6", "1/12", "1/100", "1/3", "9/10", "99/100", "1/1000000", "1/2"]
PARAMETERS = list(product(EPSILONS, DELTAS))
KINDS = list(CURVES.values())
UNTIL = 60


def tail(curve: ReleaseCurve, t: int) -> Number:
    """Pr[N >= t] from the law of the noise."""
    return discrete_laplace(1 / curve.epsilon).tail(t)


# -- what the curves are ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_tail_of_the_noise_is_that_of_its_law(epsilon: str) -> None:
    noise = discrete_laplace(1 / Epsilon(epsilon))
    for t in range(-5, 6):
        assert geometric_tail(t, Epsilon(epsilon)) == noise.tail(t)


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_a_noisy_threshold_is_the_least_that_keeps_delta(epsilon: str, delta: str) -> None:
    curve = NoisyThreshold(epsilon, delta)
    w = curve.threshold - 1
    assert tail(curve, w) <= exact(delta) < tail(curve, w - 1)
    assert curve.delta == tail(curve, w) <= exact(delta)
    for D in range(1, 20):
        assert curve[D] == tail(curve, curve.threshold - D)


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_a_randomised_threshold_is_a_mixture_that_meets_delta(epsilon: str, delta: str) -> None:
    curve = RandomisedThreshold(epsilon, delta)
    i, theta = curve.low - 1, curve.weight
    assert tail(curve, i + 1) <= exact(delta) < tail(curve, i)
    assert 0 <= theta < 1
    assert curve.delta == exact(delta)
    for D in range(1, 20):
        assert curve[D] == theta * tail(curve, i + 1 - D) + (1 - theta) * tail(curve, i + 2 - D)


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_the_optimal_curve_is_its_recursion(epsilon: str, delta: str) -> None:
    curve, d = OptimalRelease(epsilon, delta), exact(delta)
    E, r = curve.factor, d
    for D in range(1, UNTIL):
        assert curve[D] == r
        r = min(Fraction(1), E * r + d, 1 - (1 - r - d) / E)


def broken(r: Callable[[int], Number], E: Number, d: Number, until: int) -> list[int]:
    """The D for which r_{D+1} <= E r_D + delta or 1 - r_D <= E (1 - r_{D+1}) + delta fails, either way round."""
    wrong = []
    for D in range(until):
        x, y = r(D), r(D + 1)
        ups = [y <= E * x + d, x <= E * y + d]
        downs = [1 - x <= E * (1 - y) + d, 1 - y <= E * (1 - x) + d]
        if not all(ups + downs):
            wrong.append(D)
    return wrong


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_every_curve_is_private_and_none_lies_above_the_optimal_one(epsilon: str, delta: str) -> None:
    best = OptimalRelease(epsilon, delta)
    for kind in KINDS:
        curve = kind(epsilon, delta)
        assert curve[0] == 0
        assert broken(curve.__getitem__, curve.factor, exact(delta), UNTIL // 2) == []
        for D in range(UNTIL // 2):
            assert curve[D] <= curve[D + 1] <= 1
            assert curve[D] <= best[D]


@pytest.mark.parametrize(("epsilon", "delta"), [(e, d) for e, d in PARAMETERS if e in ("ln(2)", "1/2", "3")])
def test_the_optimal_curve_raised_by_a_hair_anywhere_is_not_private(epsilon: str, delta: str) -> None:
    """Each r_D rests on r_{D-1}: whoever wants more of one must have more of all before it, and r_1 = delta."""
    curve, hair = OptimalRelease(epsilon, delta), Fraction(1, 10**30)
    for raised in range(1, min(curve.end, 25)):

        def r(D: int, raised: int = raised) -> Number:
            return curve[D] + (hair if raised == D else 0)

        assert raised - 1 in broken(r, curve.factor, exact(delta), raised + 1)


def test_a_threshold_one_too_low_and_half_the_noise_are_not_private() -> None:
    curve = NoisyThreshold("ln(2)", "1/6")
    assert broken(lambda D: tail(curve, curve.threshold - 1 - D) if D else Fraction(0), Fraction(2), Fraction(1, 6), 9)
    half = discrete_laplace("1/2")
    assert broken(lambda D: half.tail(3 - D) if D else Fraction(0), exp(1), half.tail(2), 9)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(("epsilon", "delta"), [("ln(2)", "1/6"), ("1/2", "1/3"), ("ln(2)", "9/10"), ("3", "1/100")])
def test_the_exact_delta_over_all_neighbours_is_the_first_release(name: str, epsilon: str, delta: str) -> None:
    """All of {a, b, c}^4, with the default outside and inside the universe."""
    curve = CURVES[name](epsilon, delta)
    data = list(product("abc", repeat=4))
    laws = {values: StabilityBasedMode(curve)(values) for values in data}
    assert delta_at(laws, change_one_pairs(data), curve.factor).delta == curve[1] <= exact(delta)
    inside = {values: StabilityBasedMode(curve, "a")(values) for values in data}
    assert delta_at(inside, change_one_pairs(data), curve.factor).delta <= curve[1]


# -- golden values ----------------------------------------------------------------------------------------------------


def test_golden_releases() -> None:
    curve = NoisyThreshold("ln(2)", "1/12")
    assert curve.threshold == 4
    golden = "1/12 1/6 1/3 2/3 5/6 11/12 23/24 47/48"
    assert [curve[D] for D in range(1, 9)] == [Fraction(x) for x in golden.split()]


GAPS = [("1/6", 2, 7, 11), ("1/12", 3, 11, 15), ("1/100", 7, 27, 27), ("1/1000", 10, 39, 40)]


@pytest.mark.parametrize(("delta", "w", "gap", "quoted"), GAPS)
def test_golden_gaps(delta: str, w: int, gap: int, quoted: int) -> None:
    curve = NoisyThreshold("ln(2)", delta)
    assert (curve.threshold - 1, curve.smallest_gap()) == (w, gap)
    assert quoted_gap(Fraction(2), Fraction(delta)) == quoted


def quoted_gap(E: Number, delta: Fraction) -> int:
    """The least integer g > 4 log(1/delta) / epsilon: E^g > delta^-4."""
    return least_integer(lambda g: g >= 0 and E**g > delta**-4)


def test_the_quoted_threshold_misses_by_one_at_the_golden_point() -> None:
    curve = NoisyThreshold("ln(5/2)", "1/9")
    assert quoted_gap(Fraction(5, 2), Fraction(1, 9)) == 10
    assert curve.failure(10) == Fraction(4, 35) > Fraction(1, 9)
    assert curve.smallest_gap() == 11
    assert RandomisedThreshold("ln(5/2)", "1/9").failure(10) <= Fraction(1, 9)


DELTA_GRID = [Fraction(i, 24) for i in range(1, 24)] + [Fraction(1, n) for n in (50, 77, 99, 100, 1000, 12345)]


def keeps_the_quoted_fact(kind: type[ReleaseCurve], E: Fraction) -> bool:
    """At the least gap that is promised; the failure only falls from there on."""
    return all(kind(f"ln({E})", d).failure(quoted_gap(E, d)) <= d for d in DELTA_GRID)


def test_the_randomised_threshold_keeps_the_quoted_fact_up_to_two_ln_two() -> None:
    for E in [Fraction(n, 10) for n in range(11, 41)]:
        assert keeps_the_quoted_fact(RandomisedThreshold, E)
        assert keeps_the_quoted_fact(OptimalRelease, E)


def test_the_noisy_threshold_keeps_it_only_for_small_epsilon() -> None:
    assert all(keeps_the_quoted_fact(NoisyThreshold, Fraction(n, 100)) for n in range(105, 215, 10))
    assert not all(keeps_the_quoted_fact(NoisyThreshold, Fraction(n, 10)) for n in range(22, 28))


def test_the_randomised_threshold_breaks_it_far_beyond() -> None:
    assert not all(keeps_the_quoted_fact(RandomisedThreshold, Fraction(n)) for n in range(5, 40, 5))


# -- smallest gaps ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_the_smallest_gap_is_enough_and_minimal(kind: type[ReleaseCurve], epsilon: str, delta: str) -> None:
    curve = kind(epsilon, delta)
    for failure in (None, "1/10", "999/1000"):
        allowed = exact(delta if failure is None else failure)
        gap = curve.smallest_gap(failure)
        assert gap >= 1
        assert all(curve.failure(g) <= allowed for g in range(gap, gap + 5))
        assert curve.failure(gap - 1) > allowed


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("ln(2)", "1/6"), ("1/2", "1/100"), ("1/10", "1e-6"), ("ln(3)", "1/50")]
)
def test_the_reference_needs_four_w_minus_one(epsilon: str, delta: str) -> None:
    curve = NoisyThreshold(epsilon, delta)
    assert curve.smallest_gap() == 4 * (curve.threshold - 1) - 1
    other = NoisyThreshold(epsilon, "1/20").threshold - 1
    assert curve.smallest_gap("1/20") == 2 * (curve.threshold - 1 + other) - 1


# -- extremes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_delta_near_one_releases_every_mode_that_is_not_tied(kind: type[ReleaseCurve]) -> None:
    for epsilon in ("ln(2)", "1/2"):
        curve = kind(epsilon, "999/1000")
        assert curve[0] == 0
        assert Fraction(998, 1000) - Fraction(1, 500) < curve[1] <= Fraction(999, 1000)
        assert broken(curve.__getitem__, curve.factor, exact("999/1000"), 8) == []
    low = NoisyThreshold("ln(2)", "9/10")
    assert (low.threshold, low[1], low[2]) == (0, Fraction(5, 6), Fraction(11, 12))


@pytest.mark.parametrize("kind", KINDS)
def test_small_and_large_epsilons_are_exact(kind: type[ReleaseCurve]) -> None:
    small = kind("1/1000", "1e-6")
    gap = small.smallest_gap()
    assert small.failure(gap) <= exact("1e-6") < small.failure(gap - 2)
    assert gap > 20_000
    large = kind("1000", "1e-6")
    assert (large.smallest_gap(), large.delta <= exact("1e-6")) == (3, True)
    tiny = kind("ln(2)", "1e-300")
    assert tiny.delta <= exact("1e-300")
    assert tiny.failure(tiny.smallest_gap()) <= exact("1e-300")


def test_a_large_gap_costs_no_large_number() -> None:
    curve = OptimalRelease("1/2", "1/100")
    assert curve[10**30] == 1
    assert curve.end < 40
    assert isinstance(NoisyThreshold("1/2", "1/100")[10**6], Exact)


# -- refusals and identity --------------------------------------------------------------------------------------------

BAD: list[tuple[Any, Any, str]] = [
    ("1/2", 0, "delta"),
    ("1/2", 1, "delta"),
    ("1/2", "-1/2", "delta"),
    ("1/2", 0.1, "delta"),
    ("1/2", True, "delta"),
    ("1/2", None, "delta"),
    ("1/2", "3/2", "delta"),
    (0, "1/2", "epsilon"),
    ("-1/2", "1/2", "epsilon"),
    (0.5, "1/2", "epsilon"),
    ("ln(1/2)", "1/2", "epsilon"),
    (None, "1/2", "epsilon"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("epsilon", "delta", "argument"), BAD)
def test_parameters_out_of_range_are_refused(kind: type[ReleaseCurve], epsilon: Any, delta: Any, argument: str) -> None:
    with pytest.raises(InvalidArgument) as mistake:
        kind(epsilon, delta)
    assert mistake.value.argument == argument
    assert "\n" not in str(mistake.value)


@pytest.mark.parametrize("kind", KINDS)
def test_distances_and_failures_out_of_range_are_refused(kind: type[ReleaseCurve]) -> None:
    curve = kind("1/2", "1/10")
    wrong: list[Any] = [-1, True, 1.5, "1"]
    for distance in wrong:
        with pytest.raises(InvalidArgument, match="distance"):
            curve[distance]
    bad: list[Any] = [0, 1, "-1/2", 0.1]
    for failure in bad:
        with pytest.raises(InvalidArgument, match="failure"):
            curve.smallest_gap(failure)


def test_curves_are_equal_by_kind_and_parameters_and_can_be_sent() -> None:
    one = NoisyThreshold("0.5", "0.1")
    assert one == NoisyThreshold("1/2", "1/10") == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(NoisyThreshold("1/2", "1/10"))
    assert len({one, OptimalRelease("1/2", "1/10"), NoisyThreshold("1/2", "1/9"), NoisyThreshold("1/3", "1/10")}) == 4
    assert pickle.loads(pickle.dumps(OptimalRelease("1/2", exp(-3))))[2] == OptimalRelease("1/2", exp(-3))[2]


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_the_least_integer_is_found_from_anywhere(least: int, start: int) -> None:
    assert least_integer(lambda n: n >= least, start) == least
