"""Laws of the gallery beside sums over plain integers and plain fractions, cut off with a rational bound."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from exactdp.reference.draw import Mechanism, law_of
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.verify.gallery import entry
from exactdp.verify.mechanisms import ABOVE, BELOW

Mass = Callable[[int], Fraction]


def _two_sided(x: Fraction) -> Mass:
    return lambda k: (1 - x) / (1 + x) * x ** abs(k)


def _one_sided(x: Fraction) -> Mass:
    return lambda k: (1 - x) * x**k if k >= 0 else Fraction(0)


class _More(Exception):
    """The program asks for one more draw than the script has."""


def _scripted(values: Sequence[int]) -> Callable[[Law], int]:
    rest = iter(values)

    def draw(law: Law) -> int:
        for value in rest:
            return value
        raise _More

    return draw


def _cut_off(
    mechanism: Mechanism, data: tuple[int, ...], epsilon: str, noises: Sequence[Mass], window: int
) -> dict[Hashable, Fraction]:
    """Runs the program on plain integers, every draw from -window to window; the masses are the test's own."""
    masses: dict[Hashable, Fraction] = {}
    todo: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while todo:
        values, weight = todo.pop()
        try:
            outcome = mechanism(data, _scripted(values), epsilon=Epsilon(epsilon))
        except _More:
            noise = noises[len(values)]
            steps = ((k, noise(k)) for k in range(-window, window + 1))
            todo += [((*values, k), weight * mass) for k, mass in steps if mass]
            continue
        assert isinstance(outcome, Hashable)
        masses[outcome] = masses.get(outcome, Fraction(0)) + weight
    return masses


def _encloses(law: Law, masses: dict[Hashable, Fraction], limit: Fraction) -> bool:
    """Whether each mass of the law is at least the sum that was cut off and at most what was cut off above it."""
    rest = 1 - sum(masses.values())
    assert 0 < rest < limit
    return all(mass <= law[outcome] <= mass + rest for outcome, mass in masses.items())


T = Fraction(1, 2**4)
"""e^(-epsilon/4) at epsilon = 16 ln 2: the ratio of noise of scale 4/epsilon."""

PROGRAMS = {
    "svt1": (2, 1, 1),
    "svt2": (2, 1, 1),
    "svt3": (2, 2, 2),
    "svt3_clamped": (2, 2, 2),
    "svt3_wide_clamped": (2, 1, 1),
    "svt4": (1, 3, 3),
    "svt6": (2, 2, 2),
    "rnm1": (2, 2),
    "rnm3": (2, 2),
    "rnm3_clamped": (2, 2),
    "geometric": (4,),
    "partial_sum": (4,),
    "hist1": (4, 4),
}
"""The ratios of a program's draws in order, as powers of T: scale 2/epsilon has T^2, 4/(3 epsilon) has T^3."""


@pytest.mark.parametrize("data", [(-1, 0), (0, -1), (1, 1)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_run_on_plain_integers_has_the_same_law(name: str, data: tuple[int, ...]) -> None:
    noises = [_two_sided(T**power) for power in PROGRAMS[name]]
    mechanism = entry(name).mechanism
    masses = _cut_off(mechanism, data, "ln(65536)", noises, window=7)
    assert _encloses(law_of(mechanism, data, epsilon="ln(65536)"), masses, Fraction(1, 10**7))


@pytest.mark.parametrize("data", [(-1, 0, 1), (1, 1, 0)])
@pytest.mark.parametrize("name", ["rnm2", "rnm4", "rnm4_clamped"])
def test_one_sided_noise_run_on_plain_integers_has_the_same_law(name: str, data: tuple[int, ...]) -> None:
    mechanism = entry(name).mechanism
    masses = _cut_off(mechanism, data, "ln(65536)", [_one_sided(T**2)] * 3, window=10)
    assert _encloses(law_of(mechanism, data, epsilon="ln(65536)"), masses, Fraction(1, 10**20))


def test_the_comparison_on_plain_integers_sees_a_wrong_scale() -> None:
    mechanism = entry("rnm1").mechanism
    masses = _cut_off(mechanism, (-1, 0), "ln(65536)", [_two_sided(T**2), _two_sided(T)], window=7)
    assert not _encloses(law_of(mechanism, (-1, 0), epsilon="ln(65536)"), masses, Fraction(1, 10**7))


WINDOW = range(-60, 61)


def _table(x: Fraction) -> tuple[dict[int, Fraction], Callable[[int], Fraction]]:
    """The masses inside the window, and the part of them at k or more."""
    masses = {k: _two_sided(x)(k) for k in WINDOW}
    tails = {k: sum((masses[j] for j in range(k, 61)), start=Fraction(0)) for k in range(-60, 62)}
    return masses, lambda k: tails[max(-60, min(61, k))]


def _sparse_vector_sum(data: Sequence[int], outcome: Sequence[str]) -> Fraction:
    """The probability that every noise is inside the window and the first ABOVE is where `outcome` has it; n = 3."""
    thresholds, _ = _table(Fraction(1, 4))
    _, tail = _table(Fraction(1, 2))
    whole = tail(-60)
    total = Fraction(0)
    for threshold, mass in thresholds.items():
        factors = [
            tail(threshold - q) if answer == ABOVE else whole - tail(threshold - q)
            for q, answer in zip(data, outcome, strict=False)
        ]
        total += mass * prod(factors, start=whole ** (len(data) - len(outcome)))
    return total


@pytest.mark.parametrize("data", [(-1, -1, 0), (0, 1, -1), (1, 1, 1)])
def test_sparse_vector_agrees_with_a_sum_over_thresholds(data: tuple[int, ...]) -> None:
    outcomes = [(ABOVE,), (BELOW, ABOVE), (BELOW, BELOW, ABOVE), (BELOW, BELOW, BELOW)]
    masses: dict[Hashable, Fraction] = {outcome: _sparse_vector_sum(data, outcome) for outcome in outcomes}
    assert _encloses(law_of(entry("svt1").mechanism, data, epsilon="ln(16)"), masses, Fraction(1, 2**57))


def _noisy_maximum_sum(data: Sequence[int], winner: int) -> Fraction:
    """The probability that every noise is inside the window and `winner` is the first of the largest."""
    noise, tail = _table(Fraction(1, 4))
    total = Fraction(0)
    for k, mass in noise.items():
        value = data[winner] + k
        lower = [tail(-60) - tail(value - q + (i > winner)) for i, q in enumerate(data) if i != winner]
        total += mass * prod(lower)
    return total


@pytest.mark.parametrize("data", list(product((-1, 1), (0,), (0, 1))))
def test_the_noisy_maximum_agrees_with_a_sum_over_its_value(data: tuple[int, ...]) -> None:
    masses: dict[Hashable, Fraction] = {i: _noisy_maximum_sum(data, i) for i in range(3)}
    assert _encloses(law_of(entry("rnm1").mechanism, data, epsilon="ln(16)"), masses, Fraction(1, 2**115))
