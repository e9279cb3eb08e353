"""Hockey-stick divergence and total variation against the maximum over all events, and windows of plain Fractions."""

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.spec.divergence import Aligned, hockey_stick, tv
from exactdp.spec.errors import InvalidArgument, MixedUnits, NotClosed, SymbolicEpsilon
from exactdp.spec.exponent import ONE, Epsilon
from exactdp.spec.law import Bounds, Law, mixture
from exactdp.spec.number import Number, exp
from exactdp.spec.piecewise import Piece, Piecewise
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric, point, uniform
from exactdp.spec.terms import Terms

Masses = dict[Any, Fraction]
LN2 = Epsilon("ln(2)")
DL, GEO = discrete_laplace(1 / LN2), geometric(1 / LN2)
ZERO = Fraction(0)
FACTORS = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(100)]


def exactly(value: Number | Bounds) -> Number:
    """The value itself; bounds are no exact value."""
    assert not isinstance(value, Bounds)
    return value


@st.composite
def masses(draw: st.DrawFn, outcomes: st.SearchStrategy[Any]) -> Masses:
    chosen = draw(st.lists(outcomes, min_size=1, max_size=5, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(chosen), max_size=len(chosen)))
    return {outcome: Fraction(w, sum(weights)) for outcome, w in zip(chosen, weights, strict=True)}


LETTERS = masses(st.sampled_from("abcdef"))
INTEGERS = masses(st.integers(-4, 4))
FACTOR = st.fractions(0, 4, max_denominator=5)


def best_of_all_events(p: Masses, q: Masses, factor: Fraction) -> Fraction:
    outcomes = sorted({*p, *q})
    events = (event for size in range(len(outcomes) + 1) for event in combinations(outcomes, size))
    return max(sum((p.get(y, ZERO) - factor * q.get(y, ZERO) for y in event), ZERO) for event in events)


@given(LETTERS, LETTERS, FACTOR)
def test_a_divergence_of_finite_laws_is_the_maximum_over_all_events(p: Masses, q: Masses, factor: Fraction) -> None:
    assert hockey_stick(Law(p), Law(q), factor) == best_of_all_events(p, q, factor)
    event = Aligned([Law(p), Law(q)]).best_event(0, 1, factor)
    names = {cell.outcome for cell in event.cells}
    assert event.p == sum(m for y, m in p.items() if y in names)
    assert event.q == sum(m for y, m in q.items() if y in names)


@given(LETTERS, LETTERS)
def test_total_variation_is_the_divergence_at_one_and_symmetric(p: Masses, q: Masses) -> None:
    one, two = Law(p), Law(q)
    assert tv(one, two) == hockey_stick(one, two, 1) == tv(two, one)
    assert tv(one, two) == sum((abs(p.get(y, ZERO) - q.get(y, ZERO)) for y in {*p, *q}), ZERO) / 2
    assert (tv(one, two) == 0) == (p == q)


@settings(max_examples=20)
@given(INTEGERS, INTEGERS, INTEGERS, INTEGERS, st.fractions(0, 1, max_denominator=5), FACTOR, st.booleans())
def test_divergences_are_jointly_convex_and_shrink_under_processing(
    p: Masses, q: Masses, r: Masses, s: Masses, weight: Fraction, factor: Fraction, noisy: bool
) -> None:
    laws = [Law(m).convolve(DL) if noisy else Law(m) for m in (p, q, r, s)]

    def h(a: Law, b: Law) -> Number:
        return exactly(hockey_stick(a, b, factor))

    mixed = [mixture([(weight, laws[i]), (1 - weight, laws[i + 2])]) for i in (0, 1)]
    assert h(*mixed) <= weight * h(laws[0], laws[1]) + (1 - weight) * h(laws[2], laws[3])
    assert h(laws[0].convolve(laws[2]), laws[1].convolve(laws[2])) <= h(laws[0], laws[1])
    assert exactly(hockey_stick(laws[0], laws[1], factor + 1)) <= h(laws[0], laws[1])
    if not noisy:
        assert h(*(law.map(lambda k: hash(k) % 2) for law in laws[:2])) <= h(laws[0], laws[1])


# -- countable laws ---------------------------------------------------------------------------------------------------

REACH = 90
SLACK = Fraction(1, 2**70)
"""Bounds what two laws at ln(2), whose tails are below 2^-80 times a small polynomial, have outside -REACH..REACH."""


def windowed_divergence(p: Callable[[int], Number], q: Callable[[int], Number], factor: Fraction) -> Fraction:
    total = ZERO
    for k in range(-REACH, REACH + 1):
        a, b = p(k), q(k)
        assert isinstance(a, Fraction)
        assert isinstance(b, Fraction)
        total += max(ZERO, a - factor * b)
    return total


def laplace(k: int) -> Fraction:
    return Fraction(1, 3 * 2 ** abs(k))


def noisy_at(p: Masses) -> Callable[[int], Fraction]:
    return lambda k: sum((m * laplace(k - x) for x, m in p.items()), ZERO)


@settings(max_examples=25)
@given(INTEGERS, INTEGERS, st.sampled_from(FACTORS))
def test_a_divergence_of_noisy_laws_is_a_brute_sum_up_to_a_bound(p: Masses, q: Masses, factor: Fraction) -> None:
    ours = hockey_stick(Law(p).convolve(DL), Law(q).convolve(DL), factor)
    brute = windowed_divergence(noisy_at(p), noisy_at(q), factor)
    assert isinstance(ours, Fraction)
    assert 0 <= ours - brute <= SLACK


def maximum_at(shifts: tuple[int, ...]) -> Law:
    """The law of max of several noisy integers: a product of distribution functions, irregular in its tails."""
    below = [point(s).convolve(DL).density().window(None, 0) for s in shifts]
    product_of_them = below[0]
    for f in below[1:]:
        product_of_them = product_of_them * f
    return Law.of_density(product_of_them - product_of_them.shifted(-1))


def plain_maximum(shifts: tuple[int, ...]) -> Callable[[int], Fraction]:
    def below(k: int) -> Fraction:
        result = Fraction(1)
        for s in shifts:
            result *= 1 - Fraction(2, 3) / 2 ** (k + 1 - s) if k >= s else Fraction(2, 3) / 2 ** (s - k)
        return result

    return lambda k: below(k) - below(k - 1)


@pytest.mark.parametrize("factor", FACTORS[1:5], ids=str)
@pytest.mark.parametrize(
    "pair", [((0, 0), (0, 1)), ((0, 1), (1, 1)), ((0, 0, 1), (0, 0, 0)), ((0, 3), (1, 2))], ids=str
)
def test_a_divergence_of_maxima_of_noise_is_a_brute_sum_up_to_a_bound(
    pair: tuple[tuple[int, ...], tuple[int, ...]], factor: Fraction
) -> None:
    one, two = (maximum_at(shifts) for shifts in pair)
    p, q = (plain_maximum(shifts) for shifts in pair)
    assert all((one[k], two[k]) == (p(k), q(k)) for k in range(-5, 6))
    for a, b, f, g in ((one, two, p, q), (two, one, q, p)):
        ours = hockey_stick(a, b, factor)
        assert isinstance(ours, Fraction)
        assert abs(ours - windowed_divergence(f, g, factor)) <= SLACK


@pytest.mark.parametrize("scales", [(1, 2), (2, 3), ("1/2", 3), (10, 11), (100, 101)], ids=str)
@pytest.mark.parametrize("factor", ["1", "11/10", "3/2"])
def test_a_divergence_of_noise_of_two_scales_is_that_of_mpmath(scales: tuple[Any, Any], factor: str) -> None:
    ours = exactly(hockey_stick(discrete_laplace(scales[0]), discrete_laplace(scales[1]), factor))
    with mpmath.workdps(40):
        e = mpmath.mpf(Fraction(factor).numerator) / Fraction(factor).denominator
        rates = [mpmath.mpf(Fraction(s).denominator) / Fraction(s).numerator for s in scales]
        peaks = [mpmath.tanh(r / 2) for r in rates]
        reach = int(80 / min(rates))
        value = mpmath.fsum(
            max(
                mpmath.mpf(0), peaks[0] * mpmath.exp(-rates[0] * abs(k)) - e * peaks[1] * mpmath.exp(-rates[1] * abs(k))
            )
            for k in range(-reach, reach + 1)
        )
        near = Fraction(int(value * 10**30), 10**30)
    assert near - Fraction(1, 10**25) < ours < near + Fraction(1, 10**25)


# -- one law finite, the other not; shapes that meet -------------------------------------------------------------------

OTHERS = {
    "a point": point(0),
    "a far point": point(40),
    "an interval": DL.between(-3, 3),
    "a coin": bernoulli("1/3"),
    "a point and a letter": uniform([2, "a"]),
    "a mixture": mixture([("1/2", DL), ("1/2", point(1))]),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("law", [DL, GEO, maximum_at((0, 1))], ids=["laplace", "geometric", "maximum"])
def test_a_countable_law_meets_the_atoms_of_another_law(law: Law, other: Law) -> None:
    for a, b in ((law, other), (other, law)):
        brute = windowed_divergence(a.__getitem__, b.__getitem__, Fraction(1))
        brute += max(ZERO, Fraction(str(a["a"] - b["a"])))
        ours = tv(a, b)
        assert isinstance(ours, Fraction)
        assert 0 <= ours - brute <= SLACK


def test_pairs_of_noisy_integers_meet_the_atoms_of_another_law() -> None:
    assert tv(GEO.power(2), point((0, 0))) == Fraction(3, 4)
    assert tv(point((0, 0)), GEO.power(2)) == Fraction(3, 4)
    assert tv(GEO.product(point(0)), point((0, 0))) == Fraction(1, 2)


def test_families_of_two_shapes_meet_or_are_refused() -> None:
    """(0, #) and (#, 0) have (0, 0) in common."""
    one, two = point(0).product(GEO), GEO.product(point(0))
    with suppress(NotClosed):
        assert tv(one, two) == Fraction(1, 2)


@pytest.mark.parametrize(("one", "two"), [("ln(2)", "ln(3)"), ("1", "ln(2)"), ("1", "ln(3)")])
def test_noise_in_different_units_is_never_called_equal(one: str, two: str) -> None:
    """Rates that are the same number in two units are different rates: a refusal or the truth."""
    a, b = (discrete_laplace(1 / Epsilon(text)) for text in (one, two))
    try:
        distance = exactly(tv(a, b))
    except MixedUnits:
        return
    assert a != b
    rates = [
        float(mpmath.log(3)) if t == "ln(3)" else float(mpmath.log(2)) if t == "ln(2)" else 1.0 for t in (one, two)
    ]
    x, y = (mpmath.exp(-r) for r in rates)
    truth = sum(abs((1 - x) / (1 + x) * x ** abs(k) - (1 - y) / (1 + y) * y ** abs(k)) for k in range(-99, 100)) / 2
    near = Fraction(str(float(truth)))
    assert near - Fraction(1, 10**9) < distance < near + Fraction(1, 10**9)


def test_what_only_one_law_can_give_includes_a_zero_inside_a_family() -> None:
    """The mass k * 2^-(k+1) is 0 at k = 0, where the geometric law has one half."""
    terms = Terms({(1, Fraction(1)): Fraction(1, 2)}, (1 / LN2).rate.unit)
    law = Law.of_density(Piecewise([Piece(0, None, terms)]))
    assert law[0] == 0
    assert Aligned([GEO, law]).impossible_event(0, 1).p == Fraction(1, 2)
    assert tv(GEO, law) == Fraction(1, 2)


# -- open mass --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tolerances", list(product(["1/3", "1/50", None], repeat=2)), ids=str)
@pytest.mark.parametrize("factor", FACTORS[:5], ids=str)
def test_bounds_with_unresolved_mass_contain_the_truth(
    tolerances: tuple[str | None, str | None], factor: Fraction
) -> None:
    one, two = DL, DL.convolve(point(1))
    cut = [law if t is None else law.windowed(t) for law, t in zip((one, two), tolerances, strict=True)]
    truth, found = exactly(hockey_stick(one, two, factor)), hockey_stick(cut[0], cut[1], factor)
    if tolerances == (None, None):
        assert found == truth
    else:
        assert isinstance(found, Bounds)
        assert found.low <= truth <= found.high


def test_bounds_of_products_of_open_laws_contain_the_truth() -> None:
    one, two = GEO.windowed("1/2"), GEO.windowed("1/1000")
    found = tv(one.power(2), two.power(2))
    low, high = found if isinstance(found, Bounds) else (found, found)
    assert low <= 0 <= high


# -- known values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", ["ln(2)", "ln(9/4)", "ln(3)", "1/3", "1", "any"])
def test_laplace_noise_meets_its_epsilon_and_no_less(epsilon: str) -> None:
    parameter = Epsilon(epsilon)
    one = discrete_laplace(1 / parameter)
    two = one.convolve(point(1))
    x = exp(-parameter)
    assert hockey_stick(one, two, exp(parameter)) == 0
    assert hockey_stick(two, one, exp(parameter)) == 0
    assert exactly(hockey_stick(one, two, exp(parameter / 2))) > 0
    assert tv(one, two) == (1 - x) / (1 + x)


def test_for_any_epsilon_a_divergence_is_right_at_each_or_undecided() -> None:
    def divergence(epsilon: Epsilon, shift: int, factor: Number) -> Number | Bounds:
        law = discrete_laplace(2 / epsilon)
        return hockey_stick(law, law.convolve(point(shift)), factor)

    decided = 0
    any_epsilon = Epsilon("any")
    for shift, power in product(range(4), range(-1, 4)):
        try:
            general = divergence(any_epsilon, shift, exp(any_epsilon * Fraction(power, 2)))
        except SymbolicEpsilon:
            continue
        decided += 1
        for text in ("ln(4)", "ln(25)", "ln(9/4)"):
            one = Epsilon(text)
            special = divergence(one, shift, exp(one * Fraction(power, 2)))
            assert (general == 0) == (special == 0)
    assert decided >= 10


@pytest.mark.parametrize("factor", [-1, "-1/2", 0.5, True, None], ids=repr)
def test_a_factor_that_is_no_number_of_at_least_zero_is_refused(factor: Any) -> None:
    with pytest.raises(InvalidArgument):
        hockey_stick(DL, GEO, factor)


def test_an_event_refuses_a_float() -> None:
    event = Aligned([point(0), point(1)]).best_event(0, 1, Fraction(1))
    wrong: Any = 0.5
    with pytest.raises(InvalidArgument):
        event.excess(wrong)


def test_limits_of_ratios_at_the_ends_of_irregular_cells() -> None:
    faster = Terms({(0, Fraction(2)): Fraction(3)}, ONE)
    slower = Terms({(0, Fraction(1)): Fraction(1)}, ONE)
    laws = [maximum_at((0, 0)), maximum_at((0, 1))]
    limits = Aligned(laws).limit_ratios(0, 1)
    assert limits
    for limit in limits:
        assert limit is None or Fraction(1, 4) <= limit <= 4
    assert faster.leading(up=True) == (0, Fraction(2))
    assert (faster + slower).leading(up=True) == (0, Fraction(1))
    assert (faster + slower).leading(up=False) == (0, Fraction(2))
