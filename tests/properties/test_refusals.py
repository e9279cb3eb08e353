"""Refusals that a program cannot swallow, and noise that answers as the int it is when the program runs."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactdp.reference.draw import law_of
from exactdp.spec.errors import ExactDPError, InvalidArgument, NotClosed
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.number import exp
from exactdp.spec.standard_laws import bernoulli, discrete_laplace
from exactdp.verify.audit import audit

Draw = Callable[[Law], Any]
NOISE = discrete_laplace(1)


def hides_a_float_factor(data: tuple[int, ...], draw: Draw, *, epsilon: Epsilon) -> object:
    """Runs on the first branch, which releases the record; the audit must not look at the other one instead."""
    noise = draw(discrete_laplace(1 / epsilon))
    try:
        _ = noise * 0.5
        return data[0]
    except (ExactDPError, ValueError):
        return data[0] ^ draw(bernoulli(1 / (1 + exp(epsilon))))


def test_a_refused_float_is_not_turned_into_another_branch() -> None:
    with pytest.raises(InvalidArgument, match=r"factor of noise: got 0\.5"):
        audit(hides_a_float_factor, domain=[0, 1], n=1, epsilon="1/2")


def test_a_refused_comparison_is_not_turned_into_another_branch() -> None:
    def program(data: object, draw: Draw) -> object:
        try:
            return draw(NOISE) >= 0.5
        except (ExactDPError, ValueError):
            return "caught"

    with pytest.raises(InvalidArgument, match=r"got 0\.5"):
        law_of(program, ())


@pytest.mark.parametrize("name", ["bit_length", "real", "conjugate"])
def test_noise_has_the_attributes_of_an_int_or_stops(name: str) -> None:
    with pytest.raises(NotClosed, match=f"asked for its {name}"):
        law_of(lambda data, draw: hasattr(draw(NOISE), name), ())


def test_what_no_int_has_noise_has_not_either() -> None:
    assert law_of(lambda data, draw: hasattr(draw(NOISE), "numerators"), ()) == Law({False: 1})


def test_an_attribute_of_clamped_noise_is_that_of_its_value() -> None:
    law = law_of(lambda data, draw: max(0, min(3, draw(NOISE))).bit_length(), ())
    assert law == Law({0: 1 - NOISE.tail(1), 1: NOISE[1], 2: NOISE.tail(2)})


@pytest.mark.parametrize(
    "use",
    [
        lambda k: (5 & k, 5 | k, 5 ^ k, ~k),
        lambda k: (1 << k, 64 >> k, divmod(7, k + 1), 2**k),
        lambda k: (k & 1, k | 4, k ^ 3, divmod(k, 2)),
    ],
)
def test_every_operator_of_an_int_gives_what_it_gives_at_run_time(use: Callable[[int], object]) -> None:
    """On noise that comparisons have left four values, each side of every operator."""
    law = law_of(lambda data, draw: use(max(0, min(3, draw(NOISE)))), ())
    clamped = law_of(lambda data, draw: max(0, min(3, draw(NOISE))), ())
    assert law == clamped.map(lambda k: use(k) if isinstance(k, int) else k)


@pytest.mark.parametrize("use", [lambda k: 5 & k, lambda k: ~k, lambda k: 1 << k])
def test_an_operator_that_needs_the_value_cannot_be_swallowed(use: Callable[[int], object]) -> None:
    def program(data: object, draw: Draw) -> object:
        noise = draw(NOISE)
        try:
            return use(noise)
        except (TypeError, ExactDPError):
            return "caught"

    with pytest.raises(NotClosed):
        law_of(program, ())


def test_noise_equals_the_integers_of_other_libraries() -> None:
    assert law_of(lambda data, draw: draw(NOISE) == np.int64(1), ())[True] == NOISE[1]
    assert law_of(lambda data, draw: np.int64(1) == draw(NOISE), ())[True] == NOISE[1]
    with pytest.raises(InvalidArgument, match="summand of noise"):
        law_of(lambda data, draw: draw(NOISE) == Decimal(1), ())
    assert law_of(lambda data, draw: draw(NOISE) == "1", ()) == Law({False: 1})


def test_two_halves_of_a_shift_are_a_whole_one() -> None:
    half = Fraction(1, 2)
    assert law_of(lambda data, draw: draw(NOISE) + half + half, ()) == law_of(lambda data, draw: draw(NOISE) + 1, ())


def test_noise_is_an_int_to_isinstance_in_both_readings() -> None:
    assert law_of(lambda data, draw: isinstance(draw(NOISE), int), ()) == Law({True: 1})
