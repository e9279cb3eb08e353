"""What stands in an exponent: rational multiples of 1, of a logarithm, or of epsilon; and the noise scales 1/rate.

Nothing here is a number yet: `exactdp.spec.number.exp` turns an exponent into one.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Self

from exactdp.spec.errors import InvalidArgument, MixedUnits
from exactdp.spec.rational import perfect_power, rational


@dataclass(frozen=True, slots=True)
class Unit:
    """What exponents are counted in: 1 (`base` None), ln(base), or the symbol epsilon (`symbolic`)."""

    base: Fraction | None = None
    symbolic: bool = False

    def __str__(self) -> str:
        if self.symbolic:
            return "epsilon"
        return "1" if self.base is None else f"ln({self.base})"


ONE = Unit()
ANY = Unit(symbolic=True)


@dataclass(frozen=True, slots=True)
class Base:
    """The exponential t = e^(-rate * unit) that an `Exact` is a rational function of; rate > 0."""

    unit: Unit
    rate: Fraction

    def common(self, other: "Base") -> "Base":
        """The largest rate of which both rates are whole multiples. Raises `MixedUnits` across units."""
        if self.unit != other.unit:
            raise MixedUnits(
                f"an exponential in units of {self.unit} and one in units of {other.unit} cannot stand in one exact "
                "number; give all noise scales in terms of epsilon, or choose a rational epsilon"
            )
        mine, theirs = self.rate, other.rate
        return Base(
            self.unit, Fraction(gcd(mine.numerator, theirs.numerator), lcm(mine.denominator, theirs.denominator))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Exponent:
    """A rational multiple of a unit: what stands in an exponent. Adds and scales; in unit 1 it mixes with rationals."""

    coefficient: Fraction
    unit: Unit

    def rational(self) -> Fraction:
        """The value as a rational number. Raises `InvalidArgument` unless the unit is 1."""
        if self.unit != ONE:
            raise InvalidArgument("epsilon", str(self), "a rational epsilon: this mechanism computes with its value")
        return self.coefficient

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Exponent):
            return NotImplemented
        return self.coefficient == other.coefficient and self.unit == other.unit

    def __hash__(self) -> int:
        return hash((self.coefficient, self.unit))

    def __neg__(self) -> "Exponent":
        return Exponent(-self.coefficient, self.unit)

    def __mul__(self, factor: Fraction | int) -> "Exponent":
        return Exponent(self.coefficient * rational(factor, "factor"), self.unit)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Fraction | int) -> "Exponent":
        return Exponent(self.coefficient / rational(divisor, "divisor"), self.unit)

    def __rtruediv__(self, value: Fraction | int) -> "Scale":
        numerator = rational(value, "numerator of a scale")
        if numerator <= 0 or self.coefficient <= 0:
            raise InvalidArgument("scale", f"{numerator}/({self})", "a positive scale")
        return Scale(Exponent(self.coefficient / numerator, self.unit))

    def __add__(self, other: "Exponent | Fraction | int") -> "Exponent | Fraction":
        if not isinstance(other, Exponent):
            return self.rational() + rational(other, "summand")
        if other.unit == self.unit:
            return Exponent(self.coefficient + other.coefficient, self.unit)
        return self.rational() + other.rational()

    __radd__ = __add__

    def __sub__(self, other: "Exponent | Fraction | int") -> "Exponent | Fraction":
        return self + -other

    def __rsub__(self, other: Fraction | int) -> "Exponent | Fraction":
        return -self + other

    def __float__(self) -> float:
        raise InvalidArgument("epsilon", str(self), "exact arithmetic: exp of exactdp in place of math.exp, no floats")

    def __lt__(self, other: object) -> bool:
        return self.rational() < _rational_of(other)

    def __le__(self, other: object) -> bool:
        return self.rational() <= _rational_of(other)

    def __gt__(self, other: object) -> bool:
        return self.rational() > _rational_of(other)

    def __ge__(self, other: object) -> bool:
        return self.rational() >= _rational_of(other)

    def __str__(self) -> str:
        if self.unit == ONE:
            return str(self.coefficient)
        if self.unit.base is not None and self.coefficient.denominator == 1 and self.coefficient > 0:
            return f"ln({self.unit.base**self.coefficient.numerator})"
        return str(self.unit) if self.coefficient == 1 else f"{self.coefficient}*{self.unit}"


class Epsilon(Exponent):
    """A privacy parameter epsilon > 0: a rational, ln(rational), or "any" for every positive number at once.

    Write "1/2", "0.1", "ln(3)", "ln(3/2)", "any", an int or a Fraction. `2 / epsilon` is a noise scale,
    `epsilon / 2` an exponent, `exp(epsilon)` a number. Raises `InvalidArgument`.

    >>> Epsilon("ln(4)").unit, str(Epsilon("ln(4)") / 2)
    (Unit(base=Fraction(2, 1), symbolic=False), 'ln(2)')
    """

    __slots__ = ()

    def __new__(cls, value: "Epsilon | Fraction | int | str") -> Self:
        """Parses and sets everything; an Epsilon never changes."""
        self = super().__new__(cls)
        coefficient, unit = _parse_epsilon(value)
        object.__setattr__(self, "coefficient", coefficient)
        object.__setattr__(self, "unit", unit)
        return self

    def __init__(self, value: "Epsilon | Fraction | int | str") -> None:
        """Nothing is left to set."""

    def __reduce__(self) -> tuple[type["Epsilon"], tuple[str]]:
        return Epsilon, (str(self),)

    def __str__(self) -> str:
        return "any" if self.unit == ANY else super().__str__()

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Scale:
    """A noise scale 1/rate, such as `2 / epsilon`: kept by its rate, so that it stays exact for every epsilon."""

    rate: Exponent

    @staticmethod
    def of(value: "Scale | Exponent | Fraction | int | str") -> "Scale":
        """A scale from a positive rational, or the scale itself. Raises `InvalidArgument`."""
        if isinstance(value, Scale):
            return value
        if isinstance(value, Exponent):
            return Scale.of(value.rational())
        scale = rational(value, "scale")
        if scale <= 0:
            raise InvalidArgument("scale", value, "a positive rational or a multiple of 1/epsilon, such as 2 / epsilon")
        return Scale(Exponent(1 / scale, ONE))

    def __mul__(self, factor: Fraction | int) -> "Scale":
        multiple = rational(factor, "factor")
        if multiple <= 0:
            raise InvalidArgument("factor of a scale", factor, "a positive rational")
        return Scale(self.rate / multiple)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Fraction | int) -> "Scale":
        if not rational(divisor, "divisor") > 0:
            raise InvalidArgument("divisor of a scale", divisor, "a positive rational")
        return Scale(self.rate * divisor)

    def __str__(self) -> str:
        return f"1/({self.rate})"


def _rational_of(value: object) -> Fraction:
    return value.rational() if isinstance(value, Exponent) else rational(value, "compared value")


def _parse_epsilon(value: object) -> tuple[Fraction, Unit]:
    expected = "a positive number such as '1/2', '0.1' or 'ln(3)'"
    if isinstance(value, Epsilon):
        return value.coefficient, value.unit
    if isinstance(value, float):
        rational(value, "epsilon")
    text = value.strip().lower() if isinstance(value, str) else ""
    if text == "any":
        return Fraction(1), ANY
    if text.startswith("ln(") and text.endswith(")"):
        argument = rational(text[3:-1], "epsilon")
        if argument <= 1:
            raise InvalidArgument("epsilon", value, "ln of a rational above 1, such as 'ln(3)'")
        root, power = perfect_power(argument)
        return Fraction(power), Unit(root)
    try:
        number = rational(value, "epsilon")
    except InvalidArgument:
        raise InvalidArgument("epsilon", value, expected) from None
    if number <= 0:
        raise InvalidArgument("epsilon", value, expected)
    return number, ONE
