"""Exact numbers: rationals, and rational functions of t = e^(-rate), compared by decision and never by estimate.

A `Number` is a `fractions.Fraction` or an `Exact`, a quotient N(t)/D(t) of integer polynomials in one exponential
t = e^(-rate * unit). The unit is 1, the logarithm ln(s) of a rational, or the symbol epsilon, which stands for every
positive number at once. An `Exact` is never a rational in disguise: whatever is rational comes back as a Fraction.

Why every comparison ends. Let f be an integer polynomial; f(t) is enclosed in balls of growing precision until 0 is
outside, unless f(t) = 0, which is decided first or beside:

* unit 1: t = e^(-rate) with a rational rate > 0 is transcendental (Lindemann), so f(t) = 0 only if f = 0;
* unit ln(s), s not a perfect power, rate a/b in lowest terms: t is a root of x^b - s^(-a), which is irreducible
  (Capelli: s^(-a) is no p-th power for a prime p that divides b, and it is positive), so f(t) = 0 only if the
  remainder of f modulo it is 0;
* unit epsilon: only what is true for all t in (0, 1) at sight is answered; the rest raises `SymbolicEpsilon`.

This module, `exactdp.spec.vector` and `exactdp.spec.enclosure` are the only ones that touch python-flint.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import gcd

from flint import arb, ctx, fmpq, fmpq_poly, fmpz_poly

from exactdp.spec.errors import InvalidArgument, MixedUnits, SymbolicEpsilon
from exactdp.spec.exponent import ONE, Base, Exponent
from exactdp.spec.rational import any_number_of_digits, rational

FIRST_PRECISION = 64
LARGEST_DEGREE = 2_000_000
"""Polynomials beyond it are refused rather than waited for."""

LARGEST_EXPONENT = 10**40
LAST_LOOK = 512
"""Numbers in different units are told apart at this many bits, if they can be."""


@lru_cache(maxsize=512)
def generator(base: Base, precision: int) -> arb:
    """A ball around t, computed at `precision` bits."""
    if base.unit.symbolic:
        raise SymbolicEpsilon("epsilon stands for every positive number here, so this value is not a single number")
    with ctx.workprec(precision):
        scale = arb(1) if base.unit.base is None else arb(_fmpq(base.unit.base)).log()
        return (-(arb(_fmpq(base.rate)) * scale)).exp()


def evaluate(poly: fmpz_poly, base: Base, precision: int) -> arb:
    """A ball around poly(t), computed at `precision` bits."""
    with ctx.workprec(precision):
        return poly(generator(base, precision))


def vanishes(poly: fmpz_poly, base: Base) -> bool:
    """Whether poly(t) = 0, by the argument at the head of this module."""
    if not poly:
        return True
    relation = minimal_polynomial(base)
    return relation is not None and not fmpq_poly(poly) % relation


@lru_cache(maxsize=512)
def minimal_polynomial(base: Base) -> fmpq_poly | None:
    """The minimal polynomial x^b - s^(-a) of t when t is algebraic."""
    if base.unit.base is None:
        return None
    constant = base.unit.base**-base.rate.numerator
    return fmpq_poly([_fmpq(-constant)] + [0] * (base.rate.denominator - 1) + [1])


def sign_of(poly: fmpz_poly, base: Base) -> int:
    """The sign of poly(t): -1, 0 or 1. Ends, since a value that is not 0 leaves the balls at some precision."""
    if base.unit.symbolic:
        return _symbolic_sign(poly)
    precision = FIRST_PRECISION
    while True:
        ball = evaluate(poly, base, precision)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        if precision == FIRST_PRECISION and vanishes(poly, base):
            return 0
        precision *= 2


def _symbolic_sign(poly: fmpz_poly) -> int:
    """The sign for every t in (0, 1), where t = 1/(1+u), u > 0, shows it by coefficients of one sign (Descartes)."""
    if not poly:
        return 0
    reversed_poly = fmpz_poly(poly.coeffs()[::-1])
    coefficients = reversed_poly(fmpz_poly([1, 1])).coeffs()
    if all(c >= 0 for c in coefficients):
        return 1
    if all(c <= 0 for c in coefficients):
        return -1
    raise SymbolicEpsilon("this comparison has different answers for different epsilon; give a value for epsilon")


class Exact:
    """An irrational exact number N(t)/D(t), in lowest terms; made by arithmetic and by `exp`, never by hand.

    Arithmetic with int, Fraction and Exact is exact; a float is refused. Comparisons are decided (see the module).

    >>> q = exp(-1) / (1 + exp(-1))
    >>> q, q < Fraction(27, 100), q * (1 + exp(-1)) == exp(-1)
    (e^-1/(1 + e^-1), True, True)
    """

    __slots__ = ("base", "den", "num")

    def __init__(self, num: fmpz_poly, den: fmpz_poly, base: Base) -> None:
        self.num = num
        self.den = den
        self.base = base

    def __add__(self, other: "Number | int") -> "Number":
        return _combine(self, other, lambda a, b, c, d: (a * d + c * b, b * d))

    __radd__ = __add__

    def __sub__(self, other: "Number | int") -> "Number":
        return _combine(self, other, lambda a, b, c, d: (a * d - c * b, b * d))

    def __rsub__(self, other: Fraction | int) -> "Number":
        return -self + other

    def __mul__(self, other: "Number | int") -> "Number":
        return _combine(self, other, lambda a, b, c, d: (a * c, b * d))

    __rmul__ = __mul__

    def __truediv__(self, other: "Number | int") -> "Number":
        if not isinstance(other, Exact) and exact(other) == 0:
            raise ZeroDivisionError("division of an exact number by 0")
        return _combine(self, other, lambda a, b, c, d: (a * d, b * c))

    def __rtruediv__(self, other: Fraction | int) -> "Number":
        return make(self.den, self.num, self.base) * exact(other)

    def __pow__(self, power: int) -> "Number":
        if type(power) is not int:
            raise InvalidArgument("power", power, "an int; for roots of e^x use exp with a fraction of the exponent")
        if power < 0:
            return make(self.den**-power, self.num**-power, self.base)
        return make(self.num**power, self.den**power, self.base)

    def __neg__(self) -> "Exact":
        return Exact(-self.num, self.den, self.base)

    def __abs__(self) -> "Exact":
        return self if self.sign() > 0 else -self

    def sign(self) -> int:
        """-1 or 1; an Exact is never 0."""
        return sign_of(self.num, self.base) * sign_of(self.den, self.base)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Exact):
            if self.base == other.base:
                return bool(self.num == other.num and self.den == other.den)
            if self.base.unit != other.base.unit:
                return _equal_across_units(self, other)
            mine, theirs = self.canonical(), other.canonical()
            return bool(mine.base == theirs.base and mine.num == theirs.num and mine.den == theirs.den)
        if isinstance(other, float):
            rational(other, "compared value")
        return False

    def __hash__(self) -> int:
        return hash(self.key())

    def key(self) -> tuple[Base, tuple[int, ...], tuple[int, ...]]:
        """A plain value that is equal exactly when the numbers are: base, and both lists of coefficients."""
        least = self.canonical()
        return least.base, _integers(least.num), _integers(least.den)

    def __lt__(self, other: "Number | int") -> bool:
        return _sign_of_difference(self, other) < 0

    def __le__(self, other: "Number | int") -> bool:
        return _sign_of_difference(self, other) <= 0

    def __gt__(self, other: "Number | int") -> bool:
        return _sign_of_difference(self, other) > 0

    def __ge__(self, other: "Number | int") -> bool:
        return _sign_of_difference(self, other) >= 0

    def __bool__(self) -> bool:
        return True

    @property
    def size(self) -> int:
        """How many coefficients the number has: what arithmetic with it costs."""
        return int(self.num.length() + self.den.length())

    def canonical(self) -> "Exact":
        """The same number over the coarsest base: the polynomials share no common power of their exponents."""
        step = gcd(*(i for poly in (self.num, self.den) for i, c in enumerate(poly.coeffs()) if c))
        if self.base.unit.base is not None:
            step = gcd(step, self.base.rate.denominator)
        if step == 1:
            return self
        num, den = (fmpz_poly(poly.coeffs()[::step]) for poly in (self.num, self.den))
        return Exact(num, den, Base(self.base.unit, self.base.rate * step))

    def ball(self, precision: int) -> arb:
        """A ball around the number, computed at `precision` bits; it may be wide when precision is low."""
        with ctx.workprec(precision):
            return evaluate(self.num, self.base, precision) / evaluate(self.den, self.base, precision)

    def __repr__(self) -> str:
        with any_number_of_digits():
            return self._text()

    def _text(self) -> str:
        least = self.canonical()
        shift = least.den.degree() if is_power(least.den) else 0
        num, den = (_show(poly, least.base, shift) for poly in (least.num, least.den))
        return num if den == "1" else f"{_group(num)}/{_group(den)}"

    def __reduce__(self) -> tuple[Callable[..., "Number"], tuple[object, ...]]:
        return _unpickle, (list(_integers(self.num)), list(_integers(self.den)), self.base)


Number = Fraction | Exact


def exact(value: object, argument: str = "number") -> Number:
    """The exact number that `value` is: an int, a Fraction, an Exact, or text such as "1/3", "0.1", "1e-6".

    A float is refused, because 0.1 is not one tenth; write "0.1" or Fraction(1, 10). Raises `InvalidArgument`.
    """
    return value if isinstance(value, Exact) else rational(value, argument)


def exp(exponent: "Exponent | Fraction | int | str") -> Number:
    """e to a rational power, or to a rational multiple of epsilon or of a logarithm; rational where it can be.

    >>> exp("1/2") * exp("1/3"), exp("1/2") * exp("-1/2")
    (e^(5/6), Fraction(1, 1))
    """
    power = exponent if isinstance(exponent, Exponent) else Exponent(rational(exponent, "exponent"), ONE)
    rate = power.coefficient
    if rate == 0:
        return Fraction(1)
    if abs(rate) > LARGEST_EXPONENT:
        raise InvalidArgument("exponent", str(power), f"an exponent of at most {LARGEST_EXPONENT} in size")
    if power.unit.base is not None and rate.denominator == 1:
        return power.unit.base**rate.numerator
    base = Base(power.unit, abs(rate))
    numerator, denominator = fmpz_poly([0, 1]), fmpz_poly([1])
    return make(numerator, denominator, base) if rate < 0 else make(denominator, numerator, base)


def make(num: fmpz_poly, den: fmpz_poly, base: Base) -> Number:
    """num(t)/den(t) in lowest terms; a Fraction when it is rational."""
    if base.unit.base is not None:
        num, den, base = _reduce_algebraic(num, den, base)
    if not num:
        return Fraction(0)
    common = num.gcd(den)
    if not common.is_one():
        num, den = num // common, den // common
    if next(c for c in (den[0], *den.coeffs()) if c) < 0:
        num, den = -num, -den
    if num.degree() <= 0 and den.degree() <= 0:
        return Fraction(int(num[0]), int(den[0]))
    return Exact(num, den, base)


def _reduce_algebraic(num: fmpz_poly, den: fmpz_poly, base: Base) -> tuple[fmpz_poly, fmpz_poly, Base]:
    """The same value over the root s^(-1/b), as a polynomial of degree below b over an integer: that is unique."""
    root = Base(base.unit, Fraction(1, base.rate.denominator))
    relation = minimal_polynomial(root)
    assert relation is not None
    divisor = fmpq_poly(rebase(den, base, root)) % relation
    if not divisor:
        raise ZeroDivisionError("division of an exact number by 0")
    common, inverse, _ = divisor.xgcd(relation)
    value = fmpq_poly(rebase(num, base, root)) * inverse / common[0] % relation
    return value.numer(), fmpz_poly([value.denom()]), root


def _combine(
    left: Exact,
    right: "Number | int",
    rule: Callable[[fmpz_poly, fmpz_poly, fmpz_poly, fmpz_poly], tuple[fmpz_poly, fmpz_poly]],
) -> Number:
    a, b, c, d, base = _aligned(left, right)
    num, den = rule(a, b, c, d)
    return make(num, den, base)


def _aligned(left: Exact, right: "Number | int") -> tuple[fmpz_poly, fmpz_poly, fmpz_poly, fmpz_poly, Base]:
    if not isinstance(right, Exact):
        value = rational(right, "operand")
        return left.num, left.den, fmpz_poly([value.numerator]), fmpz_poly([value.denominator]), left.base
    if left.base == right.base:
        return left.num, left.den, right.num, right.den, left.base
    base = left.base.common(right.base)
    return *_rebased(left, base), *_rebased(right, base), base


def _rebased(number: Exact, base: Base) -> tuple[fmpz_poly, fmpz_poly]:
    return rebase(number.num, number.base, base), rebase(number.den, number.base, base)


def rebase(poly: fmpz_poly, old: Base, new: Base) -> fmpz_poly:
    """The same value as a polynomial in the finer exponential `new`. Raises `MixedUnits` when it would be enormous."""
    if old == new:
        return poly
    step = old.rate / new.rate
    assert step.denominator == 1, "the new rate divides the old one"
    if poly.degree() * step > LARGEST_DEGREE:
        raise MixedUnits(
            f"the exponents {old.rate} and {new.rate} have so small a common part that exact polynomials would have "
            f"degree {poly.degree() * step}; choose rates (epsilon and noise scales) with smaller denominators"
        )
    return poly.inflate(step.numerator)


def _sign_of_difference(left: Exact, right: "Number | int") -> int:
    if isinstance(right, Exact) and left.base != right.base and not left.base.unit.symbolic:
        return 0 if left == right else _sign_of_unequal(left, right)
    a, b, c, d, base = _aligned(left, right)
    return sign_of(a * d - c * b, base) * sign_of(b * d, base)


def _sign_of_unequal(left: Exact, right: Exact) -> int:
    """The sign of the difference of two different numbers, each in its own exponential: balls come apart."""
    precision = FIRST_PRECISION
    while True:
        with ctx.workprec(precision):
            difference = left.ball(precision) - right.ball(precision)
        if difference > 0 or difference < 0:
            return 1 if difference > 0 else -1
        precision *= 2


def _equal_across_units(left: Exact, right: Exact) -> bool:
    """False where that is clear; two roots of different rationals that may be equal are not decided here.

    A rational function of e^(-rate) is transcendental, or depends on epsilon; a root of a rational does neither.
    """
    if left.base.unit.base is None or right.base.unit.base is None:
        return False
    with ctx.workprec(LAST_LOOK):
        if not left.ball(LAST_LOOK).overlaps(right.ball(LAST_LOOK)):
            return False
    raise MixedUnits(f"{left} and {right} may be equal, which is not decided between different logarithms")


def _integers(poly: fmpz_poly) -> tuple[int, ...]:
    return tuple(int(c) for c in poly.coeffs())


def _unpickle(num: list[int], den: list[int], base: Base) -> Number:
    return make(fmpz_poly(num), fmpz_poly(den), base)


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def is_power(poly: fmpz_poly) -> bool:
    """Whether the polynomial is c * t^k."""
    return not any(_integers(poly)[:-1])


def decay(rate: Exponent, steps: int) -> Number:
    """e^(-rate * steps)."""
    return exp(rate * -steps)


def _group(text: str) -> str:
    return f"({text})" if " " in text or text.startswith("-") else text


def _show(poly: fmpz_poly, base: Base, shift: int) -> str:
    """The polynomial divided by t^shift, in ascending powers, with every power of t written out."""
    text = ""
    for i, c in enumerate(_integers(poly)):
        if c:
            power = _power(base, i - shift)
            size = str(abs(c)) if not power else power if abs(c) == 1 else f"{abs(c)}*{power}"
            text += (f" {'-' if c < 0 else '+'} " if text else "-" * (c < 0)) + size
    return text


def _power(base: Base, i: int) -> str:
    if i == 0:
        return ""
    exponent = -base.rate * i
    shown = str(exponent) if exponent.denominator == 1 else f"({exponent})"
    if base.unit.base is not None:
        return f"{base.unit.base}^{shown}" if base.unit.base.denominator == 1 else f"({base.unit.base})^{shown}"
    return f"e^({exponent}*epsilon)" if base.unit.symbolic else f"e^{shown}"
