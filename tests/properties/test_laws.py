"""Laws: every operation against dictionaries of plain Fractions at ln(2), where all masses are rational."""

import pickle
from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.spec.errors import InvalidArgument, MixedUnits, NotClosed
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import UNRESOLVED, Bounds, Law, mixture
from exactdp.spec.number import exp
from exactdp.spec.piecewise import Piecewise
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric, point, uniform
from exactdp.spec.template import HOLE, INTEGER, Template

Masses = dict[Any, Fraction]
LN2 = Epsilon("ln(2)")
HALF = Fraction(1, 2)


def of(law: Law) -> Masses:
    """A finite law as a dictionary of plain Fractions."""
    return {outcome: Fraction(str(mass)) for outcome, mass in law.items()}


@st.composite
def masses(draw: st.DrawFn, outcomes: st.SearchStrategy[Any]) -> Masses:
    chosen = draw(st.lists(outcomes, min_size=1, max_size=4, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(chosen), max_size=len(chosen)))
    return {outcome: Fraction(w, sum(weights)) for outcome, w in zip(chosen, weights, strict=True)}


INTEGERS = masses(st.integers(-5, 5))
ANYTHING = masses(st.sampled_from(["a", "b", None, (1, "x"), 0, 3, (), frozenset({1})]))


# -- finite laws ------------------------------------------------------------------------------------------------------


@given(ANYTHING, ANYTHING, st.fractions(0, 1, max_denominator=7))
def test_products_powers_mixtures_and_maps_are_what_they_say(p: Masses, q: Masses, weight: Fraction) -> None:
    one, two = Law(p), Law(q)
    assert of(one.product(two)) == {(x, y): a * b for (x, a), (y, b) in product(p.items(), q.items())}
    assert of(one.power(2)) == of(one.product(one))
    assert one.power(0) == point(())
    both = {y: weight * p.get(y, Fraction(0)) + (1 - weight) * q.get(y, Fraction(0)) for y in {*p, *q}}
    assert of(mixture([(weight, one), (1 - weight, two)])) == {y: m for y, m in both.items() if m}
    names: Masses = {}
    for y, m in p.items():
        names[type(y).__name__] = names.get(type(y).__name__, Fraction(0)) + m
    assert of(one.map(lambda y: type(y).__name__)) == names
    assert all(one[y] == p.get(y, 0) for y in {*p, *q})
    assert len(one) == len(p)


@settings(max_examples=60)
@given(INTEGERS, INTEGERS, st.integers(-6, 6), st.integers(0, 6))
def test_integer_laws_add_condition_and_have_tails(p: Masses, q: Masses, low: int, length: int) -> None:
    one, two = Law(p), Law(q)
    sums: Masses = {}
    for (x, a), (y, b) in product(p.items(), q.items()):
        sums[x + y] = sums.get(x + y, Fraction(0)) + a * b
    assert of(one.convolve(two)) == sums
    assert one.convolve(two) == two.convolve(one)
    assert one.tail(low) == sum(m for x, m in p.items() if x >= low)
    assert one.expectation(lambda x: x) == sum(x * m for x, m in p.items())
    assert one.probability(lambda x: x == low) == p.get(low, 0)
    inside = {x: m for x, m in p.items() if low <= x <= low + length}
    if inside:
        given_inside = {x: m / sum(inside.values()) for x, m in inside.items()}
        assert of(one.between(low, low + length)) == given_inside
        assert of(one.condition(lambda x: isinstance(x, int) and low <= x <= low + length)) == given_inside
    else:
        with pytest.raises(InvalidArgument):
            one.between(low, low + length)
        with pytest.raises(InvalidArgument):
            one.condition(lambda x: x in inside)


@given(ANYTHING)
def test_a_law_equals_itself_in_any_order_and_pickled(p: Masses) -> None:
    one = Law(p)
    for other in (Law(dict(reversed(p.items()))), pickle.loads(pickle.dumps(one)), Law({**p, "absent": 0})):
        assert one == other
        assert hash(one) == hash(other)
    assert one != mixture([(HALF, one), (HALF, point("elsewhere"))])


@pytest.mark.parametrize("wrong", [{}, {0: "1/2"}, {0: "1/2", 1: "2/3"}, {0: "-1/2", 1: "3/2"}, {0: 2, 1: -1}], ids=str)
def test_masses_that_are_no_law_are_refused(wrong: Mapping[Hashable, str]) -> None:
    with pytest.raises(InvalidArgument) as caught:
        Law(wrong)
    assert "\n" not in str(caught.value)


def test_numbers_that_are_equal_are_one_outcome() -> None:
    assert of(mixture([(HALF, bernoulli(HALF)), (HALF, uniform([0, 1]))])) == {0: HALF, 1: HALF}
    assert Law({True: HALF, 2: HALF}) == Law({1: HALF, 2: HALF})
    noisy = mixture([(HALF, bernoulli(HALF)), (HALF, geometric(1 / LN2))])
    assert (noisy[1], noisy[True], noisy[0]) == (Fraction(3, 8), Fraction(3, 8), HALF)
    assert noisy == mixture([(HALF, uniform([0, 1])), (HALF, geometric(1 / LN2))])


@pytest.mark.parametrize("one", [Fraction(1), 1.0, np.int64(1)], ids=repr)
def test_an_outcome_that_equals_an_integer_of_a_family_is_counted_once(one: Hashable) -> None:
    law = mixture([(HALF, point(one)), (HALF, geometric(1 / LN2))])
    same = mixture([(HALF, point(1)), (HALF, geometric(1 / LN2))])
    assert law[1] == Fraction(5, 8)
    assert sum(m for _, m in islice(law.items(), 12)) <= 1
    assert law == same


# -- countable laws ---------------------------------------------------------------------------------------------------


def laplace(k: int) -> Fraction:
    """The mass of discrete Laplace noise of scale 1/ln(2) at k."""
    return Fraction(1, 3) * Fraction(1, 2 ** abs(k))


DL, GEO = discrete_laplace(1 / LN2), geometric(1 / LN2)


def test_noise_laws_have_their_masses_tails_and_means() -> None:
    for k in range(-12, 13):
        assert DL[k] == laplace(k)
        assert GEO[k] == (Fraction(1, 2 ** (k + 1)) if k >= 0 else 0)
        assert GEO.tail(k) == (Fraction(1, 2**k) if k >= 0 else 1)
        assert DL.tail(k) == (Fraction(2, 3) / 2**k if k >= 0 else 1 - Fraction(2, 3) / 2 ** (1 - k))
    assert DL["a"] == DL[(1,)] == 0


@given(st.integers(-6, 6), st.integers(-8, 8), st.integers(0, 9))
def test_shifting_and_conditioning_noise_is_exact(shift: int, low: int, length: int) -> None:
    moved = DL.convolve(point(shift))
    assert all(moved[k] == laplace(k - shift) for k in range(-9, 10))
    inside = {k: laplace(k) for k in range(low, low + length + 1)}
    assert of(DL.between(low, low + length)) == {k: m / sum(inside.values()) for k, m in inside.items()}
    above = DL.between(low, None)
    assert above[low - 1] == 0
    assert all(above[k] == laplace(k) / DL.tail(low) for k in range(low, low + 5))
    assert GEO.convolve(GEO)[length] == Fraction(length + 1, 2 ** (length + 2))


@settings(max_examples=30)
@given(INTEGERS)
def test_adding_noise_to_an_integer_law_is_a_brute_convolution(p: Masses) -> None:
    noisy = Law(p).convolve(DL)
    assert noisy == DL.convolve(Law(p))
    assert noisy == mixture([(m, DL.convolve(point(x))) for x, m in p.items()])
    assert hash(noisy) == hash(DL.convolve(Law(p)))
    for k in range(-8, 9):
        assert noisy[k] == sum(m * laplace(k - x) for x, m in p.items())
    assert noisy != DL.convolve(point(7))


@pytest.mark.parametrize("law", [DL, GEO, DL.power(2), mixture([(HALF, GEO), (HALF, point("a"))])], ids=repr)
def test_the_support_reaches_every_outcome_once(law: Law) -> None:
    seen = list(islice(law.items(), 150))
    assert len({outcome for outcome, _ in seen}) == len(seen)
    assert all(m > 0 for _, m in seen)
    assert 1 > sum((m for _, m in seen), start=Fraction(0)) > Fraction(9, 10)
    wanted = [y for y in (0, 5, "a", (0, 0), (-2, 3), (3, -4)) if law[y]]
    assert wanted
    assert set(wanted) <= {outcome for outcome, _ in seen}


@pytest.mark.parametrize("law", [DL, GEO, DL.product(GEO, uniform("ab")), mixture([("1/3", DL), ("2/3", point("a"))])])
@pytest.mark.parametrize("tolerance", ["1/2", "1/1000", "1e-12"])
def test_a_window_keeps_the_masses_and_says_what_is_left(law: Law, tolerance: str) -> None:
    if "," in repr(law) and tolerance == "1e-12":
        tolerance = "1/50"
    finite = law.windowed(tolerance)
    assert finite.is_finite
    assert 0 < finite.unresolved <= Fraction(tolerance)
    assert all(m == law[y] for y, m in finite.items() if y is not UNRESOLVED)
    assert sum((m for _, m in finite.items()), start=Fraction(0)) == 1


def test_means_of_countable_laws_are_enclosed() -> None:
    bounds = GEO.expectation(lambda k: k % 2 == 0 if isinstance(k, int) else 0, "1/100000", 1)
    assert isinstance(bounds, Bounds)
    assert bounds.low < Fraction(2, 3) < bounds.high
    assert bounds.high - bounds.low <= Fraction(2, 100000)


@pytest.mark.parametrize("tolerance", ["1/4", "1/1000"])
def test_conditioning_a_countable_law_leaves_at_least_the_reported_masses(tolerance: str) -> None:
    law = GEO.condition(lambda k: isinstance(k, int) and k % 2 == 0, tolerance)
    true = {k: Fraction(3, 4) / 2**k for k in range(0, 40, 2)}
    assert all(m <= true[y] for y, m in law.items() if y is not UNRESOLVED and isinstance(y, int))
    assert 0 < law.unresolved <= 2 * Fraction(tolerance)
    assert law[1] == 0


def test_mass_on_unresolved_stays_there_in_maps_and_mixtures() -> None:
    finite = GEO.windowed("1/10")
    left = finite.unresolved
    assert finite.map(lambda k: 0).unresolved == left
    assert mixture([(HALF, finite), (HALF, point(0))]).unresolved == left / 2
    assert finite.windowed("1/10").unresolved == left
    assert pickle.loads(pickle.dumps(finite)) == finite
    for operation in (
        lambda: finite.convolve(point(1)),
        finite.density,
        lambda: finite.expectation(lambda _: 1),
    ):
        with pytest.raises(InvalidArgument):
            operation()


def test_a_tuple_with_an_unresolved_part_is_unresolved() -> None:
    """UNRESOLVED may be any outcome, so (UNRESOLVED, 0) may be (5, 0)."""
    finite = GEO.windowed("1/10")
    pairs = finite.power(2)
    assert pairs.unresolved == 1 - (1 - finite.unresolved) ** 2


def test_the_probability_of_an_event_does_not_ask_about_unresolved() -> None:
    """Bounds, or a refusal; never a number in which UNRESOLVED is an outcome like any other."""
    finite = GEO.windowed("1/10")
    with pytest.raises(NotClosed, match="probability_bounds"):
        finite.probability(lambda k: k == 0)
    answer = finite.probability_bounds(lambda k: isinstance(k, int) and k % 2 == 0)
    assert answer.low <= Fraction(2, 3) <= answer.high


def test_a_window_far_from_zero_is_small() -> None:
    assert len(DL.convolve(point(500)).windowed("1/100")) < 100


class Answer(NamedTuple):
    """A named outcome."""

    name: str
    noisy: Any


def test_tuples_with_noise_are_families() -> None:
    pair = DL.product(uniform("ab"), GEO)
    assert pair[(-2, "a", 3)] == laplace(-2) * HALF * Fraction(1, 16)
    assert pair[(-2, "c", 3)] == pair[(-2, "a")] == pair[(HALF, "a", 3)] == 0
    assert pair == mixture([(HALF, DL.product(point("a"), GEO)), (HALF, DL.product(point("b"), GEO))])
    assert hash(pair) == hash(mixture([(HALF, DL.product(point("b"), GEO)), (HALF, DL.product(point("a"), GEO))]))
    assert pickle.loads(pickle.dumps(pair)) == pair
    joined = mixture([(HALF, DL.power(2)), (HALF, point((0, 0)))])
    assert joined[(0, 0)] == HALF * Fraction(1, 9) + HALF
    assert joined[(0, False)] == joined[(0, 0)]
    assert joined.is_finite is False
    assert not joined.atoms


def test_templates_fill_match_and_overlap() -> None:
    named = Template(Answer("count", HOLE))
    assert named.fill([7]) == Answer("count", 7)
    assert type(named.fill([7])) is Answer
    nested = Template((HOLE, ("x", HOLE), 1))
    for values in product((-2, 0, 5), repeat=2):
        assert nested.match(nested.fill(values)) == values
    assert nested.match((1, ("y", 2), 1)) is None
    assert INTEGER.match(True) == (1,)
    assert Template((HOLE, 1)).overlaps(Template((0, HOLE)))
    assert not Template((HOLE, "a")).overlaps(Template((0, HOLE)))
    assert pickle.loads(pickle.dumps(nested)) == nested


def test_families_whose_outcomes_coincide_are_refused() -> None:
    with pytest.raises(NotClosed):
        mixture([(HALF, point(0).product(DL)), (HALF, DL.product(point(0)))])


def test_laws_of_noise_differ_unless_their_scales_agree() -> None:
    assert discrete_laplace(2 / Epsilon("ln(9/4)")) == discrete_laplace(1 / Epsilon("ln(3/2)"))
    assert discrete_laplace(1) != discrete_laplace(2)
    assert discrete_laplace("1/2") == discrete_laplace(1 / Epsilon(2))
    assert DL.power(2) == DL.product(DL)
    assert DL != GEO
    assert GEO.convolve(GEO.between(0, 0)) == GEO


@pytest.mark.parametrize(("one", "two"), [(1 / Epsilon("ln(3)"), 1 / LN2), (1, 2)], ids=["units", "scales"])
def test_pairs_of_noise_of_different_scales_are_unequal(one: Any, two: Any) -> None:
    assert discrete_laplace(one).power(2) != discrete_laplace(two).power(2)


def test_noise_of_different_units_is_not_added() -> None:
    with pytest.raises(MixedUnits):
        DL.convolve(discrete_laplace(1 / Epsilon("ln(3)")))


@pytest.mark.parametrize("epsilon", ["1/2", "ln(3)", "ln(9/4)", "any"])
def test_a_law_that_is_built_in_two_ways_is_one_law(epsilon: str) -> None:
    scale = 2 / Epsilon(epsilon)
    one = geometric(scale)
    x = one[1] / one[0]
    assert x == exp(-Epsilon(epsilon) / 2)
    again = mixture([(1 - x, point(0)), (x, one.convolve(point(1)))])
    assert one == again
    assert hash(one) == hash(again)
    assert one.between(3, None) == one.convolve(point(3))
    assert discrete_laplace(scale) == one.convolve(Law.of_density(one.density().mirrored()))


def test_a_density_that_does_not_sum_to_one_is_no_law() -> None:
    for wrong in (Piecewise.point(0, HALF), DL.density().scaled(Fraction(2)), DL.density().restricted(0, None)):
        with pytest.raises(InvalidArgument):
            Law.of_density(wrong)


@settings(max_examples=20)
@given(st.integers(1, 4), st.integers(1, 4))
def test_a_repr_of_a_finite_law_names_every_outcome(a: int, b: int) -> None:
    shown = repr(Law({"a": Fraction(a, a + b), (1,): Fraction(b, a + b)}))
    assert shown.startswith("Law({'a': ")
    assert ", (1,): " in shown
    assert all(str(Fraction(weight, a + b)) in shown for weight in (a, b))
