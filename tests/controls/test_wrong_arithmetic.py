"""Wrong arithmetic is caught: each check passes with the exact numbers and fails with a plausible shortcut."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from exactdp.spec.divergence import hockey_stick, tv
from exactdp.spec.enclosure import decimal, float_bounds
from exactdp.spec.errors import InvalidArgument, SymbolicEpsilon
from exactdp.spec.exponent import ONE, Epsilon, Unit
from exactdp.spec.law import Bounds, Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import discrete_laplace, point, uniform
from exactdp.spec.terms import Terms, sign

LN2 = Epsilon("ln(2)")
DL = discrete_laplace(1 / LN2)


def whole(x: Any) -> int:
    """The floor of an mpmath number."""
    below: Any = mpmath.floor(x)
    return int(below)


def approximation(digits: int) -> Fraction:
    """e^-1 rounded down to so many decimals."""
    with mpmath.workdps(digits + 20):
        return Fraction(whole(mpmath.exp(-1) * 10**digits), 10**digits)


# -- what is checked --------------------------------------------------------------------------------------------------


def tells_e_from_its_decimals(below: Callable[[Fraction, Number], bool]) -> bool:
    """`below(rational, e^-1)`: rounded down the rational is below, one unit later it is not."""
    return all(
        below(approximation(d), exp(-1)) and not below(approximation(d) + Fraction(1, 10**d), exp(-1))
        for d in (5, 15, 60)
    )


def knows_equal_roots(equal: Callable[[Sequence[int], Epsilon], bool]) -> bool:
    """`equal(coefficients, epsilon)`: whether the polynomial vanishes at e^(-epsilon/2); n t^2 - 1 does at ln(n)."""
    roots = all(equal([-1, 0, n], Epsilon(f"ln({n})")) for n in range(2, 20))
    return roots and not equal([-1, 0, 3], Epsilon(1)) and not equal([-1, 3], Epsilon("ln(3)"))


def encloses_the_exponential(enclosure: Callable[[Fraction], tuple[Any, Any]]) -> bool:
    x = Fraction(3893924827815215, 2**50)
    low, high = enclosure(x)
    with mpmath.workdps(60):
        return bool(mpmath.mpf(low) < mpmath.exp(mpmath.mpf(x.numerator) / x.denominator) < mpmath.mpf(high))


def sums_a_tail(tail: Callable[[int], Number]) -> bool:
    """The tail of noise of scale 1/ln(2) from k > 0 on is 2/3 * 2^-k."""
    return all(tail(k) == Fraction(2, 3) / 2**k for k in (1, 2, 30))


def finds_all_sign_changes(signs: Callable[[Terms], list[int]]) -> bool:
    """(2^-k - 1/2)(2^-k - 1/16) on 0..20 is positive, 0 at 1, negative, 0 at 4, positive."""
    terms = Terms(
        {(0, Fraction(2)): Fraction(1), (0, Fraction(1)): Fraction(-9, 16), (0, Fraction(0)): Fraction(1, 32)},
        Unit(Fraction(2)),
    )
    return signs(terms) == [1, 0, -1, 0, 1]


def is_total_variation(distance: Callable[[Law, Law], object]) -> bool:
    p, q = Law({0: "1/2", 1: "1/2"}), Law({1: "1/3", 2: "2/3"})
    return distance(p, q) == Fraction(2, 3) and distance(p, p) == 0 and distance(q, p) == Fraction(2, 3)


def is_hockey_stick(divergence: Callable[[Law, Law, Fraction], object]) -> bool:
    p, q = Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 2: "3/4"})
    return [divergence(p, q, Fraction(e)) for e in (0, 1, 2, 4)] == [1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4)]


def respects_what_is_open(distance: Callable[[Law, Law], Number | Bounds]) -> bool:
    found = distance(DL.windowed("1/5"), DL.convolve(point(1)).windowed("1/7"))
    low, high = found if isinstance(found, Bounds) else (found, found)
    return low <= Fraction(1, 3) <= high


def shows_digits(show: Callable[[Number], str]) -> bool:
    """The number is 10^-25 * (1 - e^-1), from a difference in which it is all but lost."""
    return show(1 + Fraction(1, 10**25) * (1 - exp(-1)) - 1) == "6.321205588e-26"


def answers_for_every_epsilon(positive: Callable[[Sequence[Fraction]], bool | None]) -> bool:
    """`positive(coefficients)` of a polynomial in t = e^-epsilon; (t - 9/10)^2 - 1/1000 is negative near t = 9/10."""
    dips = [Fraction(81, 100) - Fraction(1, 1000), Fraction(-18, 10), Fraction(1)]
    return positive([Fraction(1), Fraction(-1)]) is True and positive(dips) is not True


def refuses_masses_that_do_not_sum_to_one(build: Callable[[dict[int, Fraction]], object]) -> bool:
    try:
        build({k: DL_MASS / 2 ** abs(k) for k in range(-9, 10)})
    except InvalidArgument:
        return True
    return False


DL_MASS = Fraction(1, 3)


# -- the exact way, and shortcuts -------------------------------------------------------------------------------------


def at_float(x: Number) -> float:
    return float(decimal(x, 17))


def at_20_digits(x: Number) -> Fraction:
    return Fraction(decimal(x, 20))


def vanishes(coefficients: Sequence[int], epsilon: Epsilon) -> bool:
    t = exp(-epsilon / 2)
    return sum((t**i * c for i, c in enumerate(coefficients)), start=Fraction(0)) == 0


def vanishes_only_if_identically(coefficients: Sequence[int], _epsilon: Epsilon) -> bool:
    return not any(coefficients)


def vanishes_by_float(coefficients: Sequence[int], epsilon: Epsilon) -> bool:
    t = at_float(exp(-epsilon / 2))
    return sum(c * t**i for i, c in enumerate(coefficients)) == 0.0


def by_iv(x: Fraction) -> tuple[Any, Any]:
    interval = mpmath.iv.exp(mpmath.iv.mpf(mpmath.mpf(x.numerator) / x.denominator))
    return mpmath.mpf(interval.a), mpmath.mpf(interval.b)


def truncated_tail(k: int) -> Number:
    return sum((DL[j] for j in range(k, k + 60)), start=Fraction(0))


def runs(terms: Terms) -> list[int]:
    return [s for _, _, s in terms.sign_runs(0, 20)]


def runs_by_doubling(terms: Terms) -> list[int]:
    found = [sign(terms(k)) for k in (0, 2, 4, 8, 16)]
    return [s for i, s in enumerate(found) if i == 0 or s != found[i - 1]]


def runs_by_bisection(terms: Terms) -> list[int]:
    """Equal signs at both ends are taken for no change."""
    ends = [sign(terms(0)), sign(terms(20))]
    return ends if ends[0] != ends[1] else ends[:1]


def size(x: Number) -> Number:
    return x if sign(x) >= 0 else -x


def common_support_only(p: Law, q: Law) -> Number:
    return sum((size(m - q[y]) for y, m in p.items()), start=Fraction(0)) / 2


def without_a_half(p: Law, q: Law) -> Number:
    return sum((size(p[y] - q[y]) for y in {*p.support(), *q.support()}), start=Fraction(0))


def worst_outcome(p: Law, q: Law, factor: Fraction) -> Number:
    return max(max(Fraction(0), p[y] - factor * q[y]) for y in p.support())


def by_quotients(p: Law, q: Law, factor: Fraction) -> Number:
    """Outcomes with q = 0 fall out, as 0/0 and 1/0 have no ratio."""
    return sum((p[y] - factor * q[y] for y in p.support() if q[y] and p[y] / q[y] > factor), start=Fraction(0))


def forgetting_what_is_open(p: Law, q: Law) -> Number:
    both = {y for y in (*p.support(), *q.support()) if isinstance(y, int)}
    return sum((max(Fraction(0), p[y] - q[y]) for y in both), start=Fraction(0))


def positive_if_shown(coefficients: Sequence[Fraction]) -> bool | None:
    t = exp(-Epsilon("any"))
    try:
        return sum((t**i * c for i, c in enumerate(coefficients)), start=Fraction(0)) > 0
    except SymbolicEpsilon:
        return None


def positive_at_samples(coefficients: Sequence[Fraction]) -> bool:
    return all(sum(c * Fraction(k, 5) ** i for i, c in enumerate(coefficients)) > 0 for k in (1, 2, 3, 4))


def renormalised(masses: dict[int, Fraction]) -> Law:
    return Law({y: m / sum(masses.values()) for y, m in masses.items()})


@dataclass(frozen=True)
class Wrong:
    """A check, the exact way that passes it and a shortcut that must not."""

    check: Callable[[Any], bool]
    right: Callable[..., Any]
    shortcut: Callable[..., Any]


WRONG = {
    "comparison by floats": Wrong(
        tells_e_from_its_decimals, lambda a, b: a < b, lambda a, b: at_float(a) < at_float(b)
    ),
    "comparison at 20 digits": Wrong(
        tells_e_from_its_decimals, lambda a, b: a < b, lambda a, b: at_20_digits(a) < at_20_digits(b)
    ),
    "less or equal by floats": Wrong(
        tells_e_from_its_decimals, lambda a, b: a < b, lambda a, b: at_float(a) <= at_float(b)
    ),
    "roots taken for transcendental": Wrong(knows_equal_roots, vanishes, vanishes_only_if_identically),
    "zero by floats": Wrong(knows_equal_roots, vanishes, vanishes_by_float),
    "mpmath.iv": Wrong(encloses_the_exponential, lambda x: float_bounds(exp(x)), by_iv),
    "truncated tail": Wrong(sums_a_tail, DL.tail, truncated_tail),
    "tail that starts one late": Wrong(sums_a_tail, DL.tail, lambda k: DL.tail(k + 1)),
    "signs by doubling steps": Wrong(finds_all_sign_changes, runs, runs_by_doubling),
    "signs at the ends": Wrong(finds_all_sign_changes, runs, runs_by_bisection),
    "variation on one support": Wrong(is_total_variation, tv, common_support_only),
    "variation without a half": Wrong(is_total_variation, tv, without_a_half),
    "worst single outcome": Wrong(is_hockey_stick, hockey_stick, worst_outcome),
    "quotients": Wrong(is_hockey_stick, hockey_stick, by_quotients),
    "sides exchanged": Wrong(
        is_hockey_stick, hockey_stick, lambda p, q, e: hockey_stick(q, p, e) if e else Fraction(0)
    ),
    "open mass forgotten": Wrong(respects_what_is_open, tv, forgetting_what_is_open),
    "digits of a float": Wrong(shows_digits, decimal, lambda x: f"{at_float(1 + x) - 1:.10g}"),
    "samples for every epsilon": Wrong(answers_for_every_epsilon, positive_if_shown, positive_at_samples),
    "renormalised masses": Wrong(refuses_masses_that_do_not_sum_to_one, Law, renormalised),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_a_check_passes_exactly_and_fails_with_the_shortcut(case: Wrong) -> None:
    assert case.check(case.right)
    assert not case.check(case.shortcut)


def test_a_float_probability_would_have_been_wrong() -> None:
    """0.1 + 0.2 is not 0.3, which is why text is asked for."""
    assert Fraction(0.1) + Fraction(0.2) != Fraction(0.3)
    assert Law({0: "0.1", 1: "0.2", 2: "0.7"}).probability(lambda y: y != 2) == Fraction(3, 10)
    assert tv(uniform([0, 1]), uniform([1, 2])) == Fraction(1, 2)


def test_a_comparison_that_only_refines_would_never_end_on_equal_numbers() -> None:
    """Balls around both sides overlap at every precision: equality is decided beside them."""
    root = exp(-Epsilon("ln(3)") / 2)
    for digits in (20, 200):
        with mpmath.workdps(digits):
            gap = abs(1 / mpmath.sqrt(3) ** 2 - mpmath.mpf(1) / 3)
            assert gap < mpmath.mpf(10) ** (2 - digits)
    assert root * root == Fraction(1, 3)
    assert Terms({(0, Fraction(1)): exp(-1)}, ONE)(2) == exp(-3)
