"""Exact numbers against independent ones: plain Fractions at ln(2), a quadratic field at ln(3)/2, mpmath elsewhere."""

import pickle
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import inf, isqrt, nan, nextafter
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactdp.spec.claim import Claim
from exactdp.spec.enclosure import decimal, float_bounds, floor_scaled, log_decimal, log_if_rational
from exactdp.spec.errors import ExactDPError, InvalidArgument, MixedUnits, SymbolicEpsilon
from exactdp.spec.exponent import Epsilon, Scale
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Exact, Number, exact, exp
from exactdp.spec.rational import integer_root, perfect_power, rational
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric, point

PLACES = 120
"""Decimal places of the mpmath values; random numbers of the size used here differ long before."""


# -- expressions, evaluated by whoever can ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """coefficient * e^(power * unit)."""

    coefficient: Fraction
    power: Fraction


@dataclass(frozen=True)
class Node:
    """An operation on two expressions."""

    operation: str
    left: "Leaf | Node"
    right: "Leaf | Node"


def evaluated(tree: Leaf | Node, leaf: Callable[[Fraction, Fraction], Any]) -> Any:
    """The value of the expression in the arithmetic in which `leaf` gives its leaves."""
    if isinstance(tree, Leaf):
        return leaf(tree.coefficient, tree.power)
    left, right = evaluated(tree.left, leaf), evaluated(tree.right, leaf)
    match tree.operation:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return left / right


def value_or_skip(tree: Leaf | Node, leaf: Callable[[Fraction, Fraction], Any]) -> Any:
    """As `evaluated`; a division by 0 is no example."""
    try:
        return evaluated(tree, leaf)
    except ZeroDivisionError:
        assume(False)


def trees(powers: list[Fraction]) -> st.SearchStrategy[Leaf | Node]:
    coefficients = st.fractions(min_value=-5, max_value=5, max_denominator=6)
    leaves: st.SearchStrategy[Leaf | Node] = st.builds(Leaf, coefficients, st.sampled_from(powers))
    return st.recursive(leaves, lambda inner: st.builds(Node, st.sampled_from("+-*/"), inner, inner), max_leaves=6)


WHOLE = [Fraction(k) for k in range(-3, 4)]
HALVES_AND_THIRDS = sorted({Fraction(k, d) for d in (1, 2, 3) for k in range(-3, 4)})
HALVES = [Fraction(k, 2) for k in range(-3, 4)]


def exactly(epsilon: str) -> Callable[[Fraction, Fraction], Number]:
    parameter = Epsilon(epsilon)
    return lambda c, power: exp(parameter * power) * c


def in_mpmath(c: Fraction, power: Fraction) -> Any:
    return mpmath.mpf(c.numerator) / c.denominator * mpmath.exp(mpmath.mpf(power.numerator) / power.denominator)


def whole(x: Any) -> int:
    """The floor of an mpmath number."""
    below: Any = mpmath.floor(x)
    return int(below)


def sign(x: Any) -> int:
    return int(x > 0) - int(x < 0)


@contextmanager
def seconds(limit: int) -> Iterator[None]:
    """Raises TimeoutError inside the block when it has not ended by then."""

    def expired(_signal: int, _frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, expired)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# -- four oracles -----------------------------------------------------------------------------------------------------


@given(trees(WHOLE))
def test_at_ln_2_every_number_is_the_fraction_that_plain_fractions_give(tree: Leaf | Node) -> None:
    plain = value_or_skip(tree, lambda c, power: c * Fraction(2) ** int(power))
    ours = evaluated(tree, exactly("ln(2)"))
    assert type(ours) is Fraction
    assert ours == plain


@settings(max_examples=60)
@given(trees(HALVES_AND_THIRDS), trees(HALVES_AND_THIRDS))
def test_mixed_exponents_compare_as_mpmath_says(left: Leaf | Node, right: Leaf | Node) -> None:
    a, b = value_or_skip(left, exactly("1")), value_or_skip(right, exactly("1"))
    with mpmath.workdps(PLACES):
        difference = evaluated(left, in_mpmath) - evaluated(right, in_mpmath)
        expected = 0 if abs(difference) < mpmath.mpf(10) ** (-PLACES // 2) else sign(difference)
    assert ((a > b) - (a < b), a >= b, a <= b, a == b) == (expected, expected >= 0, expected <= 0, expected == 0)
    assert sign(a - b) == expected


@dataclass(frozen=True)
class Surd:
    """a + b * sqrt(3), in plain Fractions."""

    a: Fraction
    b: Fraction

    def __add__(self, other: "Surd") -> "Surd":
        return Surd(self.a + other.a, self.b + other.b)

    def __sub__(self, other: "Surd") -> "Surd":
        return Surd(self.a - other.a, self.b - other.b)

    def __mul__(self, other: "Surd") -> "Surd":
        return Surd(self.a * other.a + 3 * self.b * other.b, self.a * other.b + self.b * other.a)

    def __truediv__(self, other: "Surd") -> "Surd":
        norm = other.a**2 - 3 * other.b**2
        return self * Surd(other.a / norm, -other.b / norm)

    def sign(self) -> int:
        if self.a >= 0 and self.b >= 0:
            return int(self.a > 0 or self.b > 0)
        if self.a <= 0 and self.b <= 0:
            return -1
        return sign(self.a) * sign(self.a**2 - 3 * self.b**2)


def in_surds(c: Fraction, power: Fraction) -> Surd:
    halves = int(2 * power)
    whole, odd = Fraction(3) ** (halves // 2), halves % 2
    return Surd(Fraction(0), c * whole) if odd else Surd(c * whole, Fraction(0))


@settings(max_examples=60)
@given(trees(HALVES), trees(HALVES))
def test_at_half_of_ln_3_numbers_are_the_quadratic_field(left: Leaf | Node, right: Leaf | Node) -> None:
    x, y = value_or_skip(left, in_surds), value_or_skip(right, in_surds)
    a, b = evaluated(left, exactly("ln(3)")), evaluated(right, exactly("ln(3)"))
    assert (type(a) is Fraction) == (x.b == 0)
    assert (a == b) == (x == y)
    assert a != b or hash(a) == hash(b)
    assert (a > b) - (a < b) == (x - y).sign()


POINTS = [Fraction(1001, 1000), Fraction(6, 5), Fraction(2), Fraction(17, 4), Fraction(1000)]
"""e^epsilon at a few epsilon."""


def at_point(s: Fraction) -> Callable[[Fraction, Fraction], Fraction]:
    return lambda c, power: c * s ** int(power)


@settings(max_examples=60)
@given(trees(WHOLE), trees(WHOLE))
def test_for_any_epsilon_what_is_decided_is_right_at_every_epsilon(left: Leaf | Node, right: Leaf | Node) -> None:
    a, b = value_or_skip(left, exactly("any")), value_or_skip(right, exactly("any"))
    differences = []
    for s in POINTS:
        with suppress(ZeroDivisionError):
            values = [evaluated(tree, at_point(s)) for tree in (left, right)]
            differences.append(values[0] - values[1])
    # Equality of functions: one that vanishes at some of the points need not vanish.
    assert a != b or (hash(a) == hash(b) and not any(differences))
    try:
        decided = sign(a - b)
    except SymbolicEpsilon:
        assert len(set(map(sign, differences))) != 1 or a != b
    else:
        assert all(sign(d) == decided for d in differences)
        assert a == b or decided != 0


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=5), st.lists(st.integers(-4, 4), min_size=2, max_size=5))
def test_for_any_epsilon_two_polynomials_are_equal_only_with_equal_coefficients(p: list[int], q: list[int]) -> None:
    t = exp(-Epsilon("any"))
    values = [sum((t**i * c for i, c in enumerate(coefficients)), start=Fraction(0)) for coefficients in (p, q)]
    n = max(len(p), len(q))
    assert (values[0] == values[1]) == (p + [0] * (n - len(p)) == q + [0] * (n - len(q)))


# -- comparisons that need many digits --------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [20, 60, 300])
@pytest.mark.parametrize("power", [Fraction(-1), Fraction(-1, 2), Fraction(-1, 3), Fraction(22, 7)])
def test_a_number_is_told_from_its_own_decimal_expansion(power: Fraction, digits: int) -> None:
    with mpmath.workdps(digits + 30):
        below = Fraction(whole(mpmath.exp(_mpf(power)) * 10**digits), 10**digits)
    above = below + Fraction(1, 10**digits)
    x = exp(power)
    assert below < x < above
    assert not x <= below
    assert not x >= above
    assert sign(x - below) == 1
    assert sign(x - above) == -1
    assert x not in (below, above)


def test_two_irrational_numbers_that_agree_to_60_digits_are_told_apart() -> None:
    x, tiny = exp(Fraction(-1, 2)), exp(-1) / 10**60
    assert x < x + tiny
    assert x - tiny < x
    assert x + tiny != x
    root = exp(-Epsilon("ln(3)") / 2)
    below = Fraction(isqrt(10**120 // 3), 10**60)
    assert below < root < below + Fraction(1, 10**60)
    assert root**2 == Fraction(1, 3)


# -- one number, many ways --------------------------------------------------------------------------------------------


def _root(text: str, n: int) -> Number:
    return exp(-Epsilon(text) / n)


SAME: dict[str, list[Number]] = {
    "e^-1": [exp(-1), exp(Fraction(-1, 2)) ** 2, exp(Fraction(-1, 3)) ** 3, exp("-1/6") ** 6, 1 / exp(1)],
    "a quotient": [
        (1 - exp(-1)) / (1 + exp(-1)),
        (exp(1) - 1) / (exp(1) + 1),
        (1 - exp("-1/2")) * (1 + exp("-1/2")) / (1 + exp("-1/2") ** 2),
        1 - 2 / (exp(1) + 1),
    ],
    "a rational": [Fraction(2, 3), exp("1/2") * exp("-1/2") * Fraction(2, 3), (exp(1) * 2 + 2) / (3 * exp(1) + 3)],
    "3^(-1/2)": [_root("ln(3)", 2), _root("ln(9)", 4), _root("ln(27)", 6), 1 / (3 * _root("ln(3)", 2))],
    "with a root below": [
        1 / (1 + _root("ln(3)", 2)),
        (3 - 3 * _root("ln(3)", 2)) / 2,
        1 / (1 + _root("ln(3)", 6) ** 3),
    ],
    "3/2": [exp(Epsilon("ln(9/4)") / 2), exp(Epsilon("ln(3/2)")), exp(Epsilon("ln(9/4)") / 4) ** 2],
    "any": [exp(-Epsilon("any")), exp(-Epsilon("any") / 2) ** 2, 1 / (exp(Epsilon("any") / 3) ** 3)],
}


@pytest.mark.parametrize("numbers", SAME.values(), ids=SAME)
def test_a_number_is_itself_however_it_is_built(numbers: list[Number]) -> None:
    assert len(set(numbers)) == 1
    for a, b in product(numbers, repeat=2):
        assert a == b
        assert hash(a) == hash(b)
        assert a - b == 0
        assert a <= b
        assert not a < b
        assert (repr(a), type(a)) == (repr(b), type(b))


def test_different_numbers_are_never_equal() -> None:
    first = [numbers[0] for numbers in SAME.values()]
    assert len(set(first)) == len(first)
    assert all((a == b) == (i == j) for i, a in enumerate(first) for j, b in enumerate(first))


@pytest.mark.parametrize(
    ("one", "two", "ratio"), [("ln(12)", "ln(3)", 2), ("ln(18)", "ln(2)", 3), ("ln(3/2)", "ln(6)", "1/2")]
)
def test_square_roots_of_two_bases_are_never_called_different_when_they_are_equal(
    one: str, two: str, ratio: int | str
) -> None:
    """2 * 12^(-1/2) = 3^(-1/2): either the answer is yes, or there is none."""
    with suppress(MixedUnits):
        assert exact(ratio) * _root(one, 2) == _root(two, 2)


@pytest.mark.parametrize("numbers", SAME.values(), ids=SAME)
def test_numbers_survive_pickling(numbers: list[Number]) -> None:
    for x in numbers:
        again = pickle.loads(pickle.dumps(x))
        assert (again, hash(again), type(again)) == (x, hash(x), type(x))


@pytest.mark.parametrize("text", ["1/2", "0.1", "ln(3)", "ln(9/4)", "any"])
def test_epsilons_and_scales_survive_pickling(text: str) -> None:
    epsilon = Epsilon(text)
    again = pickle.loads(pickle.dumps((epsilon, epsilon / 3, 2 / epsilon)))
    assert again == (epsilon, epsilon / 3, 2 / epsilon)
    assert str(again[0]) == str(epsilon)


# -- the door ---------------------------------------------------------------------------------------------------------

X = exp(-1)
REFUSED: list[Any] = [0.5, nan, inf, True, False, None, "half", 1j, Decimal("0.1"), np.float64(0.5), np.bool_(True)]
DOORS: dict[str, Callable[[Any], object]] = {
    "exact": exact,
    "rational": rational,
    "exp": exp,
    "+": lambda v: X + v,
    "+ from the right": lambda v: v + X,
    "-": lambda v: X - v,
    "- from the right": lambda v: v - X,
    "*": lambda v: X * v,
    "/": lambda v: X / v,
    "/ from the right": lambda v: v / X,
    "<": lambda v: v > X,
    ">=": lambda v: v <= X,
    "mass": lambda v: Law({"a": v}),
    "weight": lambda v: mixture([(v, point(0))]),
    "bernoulli": bernoulli,
    "scale": discrete_laplace,
    "Epsilon": Epsilon,
    "exponent times": lambda v: Epsilon(1) * v,
    "exponent over": lambda v: Epsilon(1) / v,
    "over an exponent": lambda v: v / Epsilon(1),
    "exponent plus": lambda v: Epsilon(1) + v,
    "scale times": lambda v: Scale.of(2) * v,
    "tolerance": lambda v: geometric(1).windowed(v),
    "left side of a claim": lambda v: Claim("c", v, "<=", Fraction(1)),
    "right side of a claim": lambda v: Claim("c", X, "<=", v),
    "decimal": decimal,
    "log_decimal": log_decimal,
    "float_bounds": float_bounds,
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_what_is_no_exact_number_is_refused_in_one_line(door: Callable[[Any], object]) -> None:
    for value in REFUSED:
        with pytest.raises(InvalidArgument) as caught:
            door(value)
        assert "\n" not in str(caught.value)
        assert "expected" in str(caught.value)


@pytest.mark.parametrize("power", [0.5, Fraction(1, 2), -0.5, nan, "2"], ids=repr)
def test_a_power_that_is_no_integer_is_refused(power: Any) -> None:
    with pytest.raises((InvalidArgument, TypeError)):
        _ = X**power


@pytest.mark.parametrize("value", [0.5, nan, np.float64(0.5)], ids=repr)
def test_a_float_is_refused_even_by_equality(value: float) -> None:
    with pytest.raises(InvalidArgument):
        _ = value == X


@pytest.mark.parametrize("value", [np.int64(2**62), np.int8(100), np.uint8(200)], ids=repr)
def test_a_numpy_integer_is_refused_or_never_overflows(value: Any) -> None:
    with suppress(InvalidArgument):
        assert exact(value) * 4 == int(value) * 4


def test_text_and_whole_numbers_are_let_in() -> None:
    assert [exact(v) for v in (" 1/3 ", "0.1", "1e-6", 7, Fraction(2, 4))] == [
        Fraction(1, 3),
        Fraction(1, 10),
        Fraction(1, 10**6),
        Fraction(7),
        Fraction(1, 2),
    ]


@pytest.mark.parametrize(
    "text", ["0", "-1", "ln(1)", "ln(1/2)", "ln(0)", "ln(x)", "ln(3", "", "nan", "inf", "1/0", "ln(-3)"]
)
def test_an_epsilon_that_is_not_positive_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        Epsilon(text)
    assert "\n" not in str(caught.value)
    assert "epsilon" in str(caught.value)


@pytest.mark.parametrize("pair", [("1", "ln(3)"), ("1", "any"), ("ln(2)", "any"), ("ln(2)", "ln(3)")])
def test_numbers_of_different_units_do_not_mix(pair: tuple[str, str]) -> None:
    a, b = (exp(-Epsilon(text) / 2) for text in pair)
    operations: list[Callable[[], object]] = [lambda: a + b, lambda: a * b, lambda: a - b, lambda: a / b]
    for operation in operations:
        with pytest.raises(MixedUnits):
            operation()
    assert a != b


def test_nothing_is_divided_by_zero() -> None:
    zero = exp("-1/2") ** 2 - exp(-1)
    assert zero == 0
    root = _root("ln(3)", 2)
    quotients: list[Callable[[], object]] = [lambda: X / zero, lambda: X / 0, lambda: root / (root**2 - Fraction(1, 3))]
    for make in quotients:
        with pytest.raises(ZeroDivisionError):
            make()


# -- integers ---------------------------------------------------------------------------------------------------------


def test_perfect_powers_of_small_fractions_are_found() -> None:
    for a, b in product(range(1, 130), range(1, 30)):
        value = Fraction(a, b)
        if value > 1:
            root, power = perfect_power(value)
            assert root**power == value
            longer = [
                m for m in range(power + 1, 8) if _is_power(value.numerator, m) and _is_power(value.denominator, m)
            ]
            assert not longer


def _is_power(n: int, m: int) -> bool:
    return any(k**m == n for k in range(1, n + 1)) if n < 200 else False


@given(st.integers(0, 10**60), st.integers(2, 9))
def test_integer_roots_are_floors(value: int, degree: int) -> None:
    root = integer_root(value, degree)
    assert root**degree <= value < (root + 1) ** degree


# -- digits -----------------------------------------------------------------------------------------------------------


def _mpf(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def _rounded(x: Any, digits: int) -> Decimal:
    """The mpmath number to `digits` significant digits, by the decimal module."""
    text = mpmath.nstr(x, PLACES - 20, strip_zeros=False)
    return Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(text)


DIGITS = st.integers(2, 40)


@settings(max_examples=60)
@given(trees(HALVES_AND_THIRDS), DIGITS)
def test_decimal_has_the_last_digit_right(tree: Leaf | Node, digits: int) -> None:
    x = value_or_skip(tree, exactly("1"))
    assume(x != 0)
    with mpmath.workdps(PLACES):
        expected = _rounded(evaluated(tree, in_mpmath), digits)
    assert isinstance(x, Fraction) or Decimal(decimal(x, digits)) == expected


@given(st.fractions(max_denominator=10**9), DIGITS)
def test_decimal_of_a_fraction_has_the_last_digit_right(x: Fraction, digits: int) -> None:
    expected = Context(prec=digits, rounding=ROUND_HALF_EVEN).divide(Decimal(x.numerator), Decimal(x.denominator))
    assert Decimal(decimal(x, digits)) == expected


@given(st.fractions(min_value=-300, max_value=300, max_denominator=50), st.integers(-3, 3), DIGITS)
def test_log_decimal_has_the_last_digit_right(power: Fraction, extra: int, digits: int) -> None:
    x = exp(power) * (2 if extra else 1) + abs(extra)
    with mpmath.workdps(PLACES):
        value = mpmath.log(mpmath.exp(_mpf(power)) * (2 if extra else 1) + abs(extra))
        expected = _rounded(value, digits)
    if not extra:
        assert log_if_rational(x) == power
        expected = Context(prec=digits).divide(Decimal(power.numerator), Decimal(power.denominator))
    assert Decimal(log_decimal(x, digits)) == expected


CARRIES = [
    (Fraction(99999999996, 10**11), 10, "1"),
    (Fraction(-99999999996, 10**11), 10, "-1"),
    (Fraction(99999999994, 10**11), 10, "0.9999999999"),
    (1 - exp(-30), 10, "1"),
    (1 - exp(-20), 10, "0.9999999979"),
    (1 + exp(-40), 10, "1"),
    (exp(-40) - 1, 10, "-1"),
    (Fraction(10**6), 10, "1000000"),
    (Fraction(10**10), 10, "1e10"),
    (Fraction(999999999951, 100), 10, "1e10"),
    (Fraction(1, 10**5), 10, "0.00001"),
    (Fraction(1, 10**6), 10, "1e-6"),
    (Fraction(0), 10, "0"),
    (exp(-20000), 4, "1.289e-8686"),
    (exp(20000), 4, "7.756e8685"),
    (-exp(-1), 3, "-0.368"),
]


@pytest.mark.parametrize(("x", "digits", "text"), CARRIES, ids=[case[2] + f" to {case[1]}" for case in CARRIES])
def test_decimal_carries_and_lays_out(x: Number, digits: int, text: str) -> None:
    assert decimal(x, digits) == text


@pytest.mark.parametrize("power", [2, 5, 7, 11])
@pytest.mark.parametrize("digits", [10, 16, 25])
def test_decimal_just_below_a_power_of_ten_has_all_its_digits(power: int, digits: int) -> None:
    """One unit short in the last place, and by something irrational and much smaller: 0.99...9 times 10^power."""
    unit = Fraction(10) ** (power - digits)
    shown = Decimal(decimal(10**power - unit - exp(-1) * unit / 1000, digits))
    assert Fraction(shown) == 10**power - unit


@pytest.mark.parametrize(
    "x", [Fraction(1, 10**5000), Fraction(10**5000 + 1, 10**5000), Fraction(1, 3**12000)], ids=["tiny", "one", "power"]
)
def test_numbers_of_many_thousand_digits_have_decimals(x: Fraction) -> None:
    with mpmath.workdps(PLACES):
        assert Decimal(decimal(x, 8)) == _rounded(_mpf(x), 8)


def test_irrational_numbers_with_coefficients_of_many_thousand_digits_can_be_shown() -> None:
    assert repr(exp(-1) / 10**5000).startswith("e^-1/")


@pytest.mark.parametrize("x", [Fraction(0), Fraction(-1), -1 - exp(-1)], ids=["0", "-1", "an irrational"])
def test_the_logarithm_of_a_number_that_is_not_positive_is_refused(x: Number) -> None:
    with seconds(2), pytest.raises(InvalidArgument):
        log_decimal(x)


@pytest.mark.parametrize("show", [decimal, log_decimal, float_bounds, lambda x: floor_scaled(x, 5), log_if_rational])
def test_a_number_of_any_epsilon_has_no_digits(show: Callable[[Number], object]) -> None:
    with pytest.raises(SymbolicEpsilon):
        show(exp(-Epsilon("any")))


@pytest.mark.parametrize("power", [Fraction(p) for p in (-10000, -746, -745, -740, -709, -1, 1, 709, 710, 10000)])
@pytest.mark.parametrize("direction", [1, -1])
def test_float_bounds_enclose_tiny_and_huge_numbers(power: Fraction, direction: int) -> None:
    low, high = float_bounds(direction * exp(power))
    with mpmath.workdps(PLACES):
        x = direction * mpmath.exp(_mpf(power))
        assert mpmath.mpf(low) < x < mpmath.mpf(high)
    assert _steps(low, high) <= 4


@given(st.fractions(), st.integers(-1100, 1100))
def test_float_bounds_enclose_fractions(x: Fraction, shift: int) -> None:
    value = x * Fraction(2) ** shift
    low, high = float_bounds(value)
    if low == high:
        assert Fraction(low) == value
    else:
        assert low == -inf or Fraction(low) < value
        assert high == inf or value < Fraction(high)
        assert _steps(low, high) <= 4


@settings(max_examples=50)
@given(trees(HALVES_AND_THIRDS), st.integers(0, 200))
def test_float_bounds_and_floors_enclose(tree: Leaf | Node, bits: int) -> None:
    x = value_or_skip(tree, exactly("1"))
    low, high = float_bounds(x)
    with mpmath.workdps(PLACES):
        value = evaluated(tree, in_mpmath)
        if isinstance(x, Exact):
            assert mpmath.mpf(low) < value < mpmath.mpf(high)
            assert floor_scaled(x, bits) == whole(value * 2**bits)
        else:
            assert floor_scaled(x, bits) == x * 2**bits // 1
            assert Fraction(low) <= x <= Fraction(high)
    assert _steps(low, high) <= 4


@pytest.mark.parametrize("x", [Fraction(1001, 10), exp(5), -exp(5)], ids=str)
def test_floors_at_negative_scales_are_right_or_refused(x: Number) -> None:
    with suppress(ExactDPError):
        n = floor_scaled(x, -3)
        assert 8 * n <= x < 8 * (n + 1)


def _steps(low: float, high: float) -> int:
    """How many floats apart two floats are, counted up to 5."""
    steps = 0
    while low < high and steps < 5:
        low, steps = nextafter(low, inf), steps + 1
    return steps


def test_sorting_many_numbers_agrees_with_mpmath() -> None:
    powers = [Fraction(a, b) for a in range(-6, 7) for b in (1, 2, 3)]
    numbers = {exp(p) + exp(q) * Fraction(1, 3) - 1: (p, q) for p, q in product(powers[::5], powers[::7])}
    with mpmath.workdps(50):
        values = [mpmath.exp(_mpf(p)) + mpmath.exp(_mpf(q)) / 3 for p, q in (numbers[x] for x in sorted(numbers))]
    assert all(a < b for a, b in pairwise(values))


def test_exponents_with_a_large_common_denominator_are_compared_quickly() -> None:
    with seconds(1):
        assert exp(Epsilon("0.1234567")) < exp(1)


def test_interval_arithmetic_of_mpmath_misses_a_value_which_is_why_it_is_not_used() -> None:
    x = mpmath.mpf(3893924827815215) / 2**50
    assert mpmath.iv.prec == 53
    interval = mpmath.iv.exp(mpmath.iv.mpf(x))
    with mpmath.workdps(60):
        inside = mpmath.mpf(interval.a) <= mpmath.exp(x) <= mpmath.mpf(interval.b)
    assert not inside
    low, high = float_bounds(exp(Fraction(3893924827815215, 2**50)))
    with mpmath.workdps(60):
        assert mpmath.mpf(low) < mpmath.exp(x) < mpmath.mpf(high)
