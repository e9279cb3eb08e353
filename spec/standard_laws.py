"""The standard laws that programs draw from: coins, uniform choices, and geometric noise on one side or on two."""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import lru_cache

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Exponent, Scale
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exact
from exactdp.spec.piecewise import geometric_density, two_sided_geometric_density
from exactdp.spec.template import INTEGER
from exactdp.spec.terms import sign
from exactdp.spec.vector import Rationals


class Geometric(Law):
    """(1 - x) * x^k on k >= 0, x = e^(-rate)."""

    def __init__(self, rate: Exponent) -> None:
        self.rate = rate
        self._set({}, {INTEGER: [(geometric_density(rate),)]})


class DiscreteLaplace(Law):
    """(1 - x)/(1 + x) * x^|k| on all integers, x = e^(-rate): the two-sided geometric law."""

    def __init__(self, rate: Exponent) -> None:
        self.rate = rate
        self._set({}, {INTEGER: [(two_sided_geometric_density(rate),)]})


def bernoulli(p: Number | int | str) -> Law:
    """True with probability p, else False. Raises `InvalidArgument` unless 0 <= p <= 1."""
    mass = exact(p, "p")
    if sign(mass) < 0 or sign(1 - mass) < 0:
        raise InvalidArgument("p", p, "a probability between 0 and 1")
    return _bernoulli(mass)


def uniform(values: Iterable[Hashable]) -> Law:
    """The uniform law on distinct values. Raises `InvalidArgument` for none or for a repeated one."""
    outcomes = list(values)
    if not outcomes or len(set(outcomes)) < len(outcomes):
        raise InvalidArgument("values", outcomes, "at least one value, each of them once")
    return _uniform(tuple((type(y), y) for y in outcomes))


def point(outcome: Hashable) -> Law:
    """The law that always gives `outcome`."""
    return Law({outcome: 1})


def geometric(scale: Scale | Fraction | int | str) -> Law:
    """The one-sided geometric law: mass proportional to e^(-k/scale) on k >= 0; scale may be `2 / epsilon`."""
    return _geometric(Scale.of(scale))


def discrete_laplace(scale: Scale | Fraction | int | str) -> Law:
    """The discrete Laplace (two-sided geometric) law: mass proportional to e^(-|k|/scale) on the integers.

    >>> discrete_laplace(2)[0]
    (1 - e^(-1/2))/(1 + e^(-1/2))
    """
    return _discrete_laplace(Scale.of(scale))


@lru_cache(maxsize=256)
def _uniform(typed: tuple[tuple[type, Hashable], ...]) -> Law:
    return Law.of_vector({y: i for i, (_, y) in enumerate(typed)}, Rationals([1] * len(typed), len(typed)))


@lru_cache(maxsize=256)
def _bernoulli(mass: Number) -> Law:
    return Law({True: mass, False: 1 - mass})


@lru_cache(maxsize=256)
def _geometric(scale: Scale) -> Law:
    return Geometric(scale.rate)


@lru_cache(maxsize=256)
def _discrete_laplace(scale: Scale) -> Law:
    return DiscreteLaplace(scale.rate)
