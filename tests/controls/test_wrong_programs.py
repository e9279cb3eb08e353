"""Wrong mechanisms, each a plausible slip in a right one, are refuted; the right one holds at the same claim.

For each slip the witness is replayed: both probabilities are computed again from the laws of the two datasets.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from exactdp.reference.draw import law_of
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric
from exactdp.verify.audit import Audit, audit

Draw = Callable[[Law], Any]
Answers = tuple[int, ...]


def sparse_vector(
    threshold: Fraction | None = Fraction(2), answers: Fraction | None = Fraction(4), *, fresh: bool = False
) -> Callable[..., Any]:
    """Above threshold: noise of the scales over epsilon on the threshold and on each answer, up to the first True."""

    def noise(scale: Fraction | None, draw: Draw, epsilon: Epsilon) -> Any:
        return 0 if scale is None else draw(discrete_laplace(scale / epsilon))

    def mechanism(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
        rho = noise(threshold, draw, epsilon)
        for i, answer in enumerate(data):
            if answer + noise(answers, draw, epsilon) >= rho:
                return i
            rho = noise(threshold, draw, epsilon) if fresh else rho
        return None

    return mechanism


def never_stops(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
    """Goes on after the first True without new noise on the threshold and without paying for it."""
    rho = draw(discrete_laplace(2 / epsilon))
    return tuple(answer + draw(discrete_laplace(4 / epsilon)) >= rho for answer in data)


def noisy_count(scale: Fraction) -> Callable[..., Any]:
    def mechanism(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
        return sum(data) + draw(discrete_laplace(scale / epsilon))

    return mechanism


def one_sided_count(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
    return sum(data) + draw(geometric(1 / epsilon))


def noisy_count_and_records(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
    return len(data), sum(data) + draw(discrete_laplace(1 / epsilon))


def reused_noise(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
    noise = draw(discrete_laplace(2 / epsilon))
    return data[0] + noise >= 0, data[-1] - noise >= 0, data[0] + data[-1] + noise >= 2


def randomized_response(numerator: int) -> Callable[..., Any]:
    def mechanism(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
        lie = numerator / (1 + exp(epsilon))
        return tuple(record ^ int(draw(bernoulli(lie))) for record in data)

    return mechanism


def clamped_after_the_noise(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
    return min(max(10 * data[0] + draw(discrete_laplace(1 / epsilon)), 0), 10)


def largest_count(scale: Fraction, released: bool) -> Callable[..., Any]:
    def mechanism(data: Answers, draw: Draw, *, epsilon: Epsilon) -> Any:
        noisy = [data.count(value) + draw(discrete_laplace(scale / epsilon)) for value in (0, 1)]
        return max(noisy) if released else noisy.index(max(noisy))

    return mechanism


VECTORS: dict[str, Any] = {"domain": [-1, 0, 1], "n": 3, "neighbours": "each-by-one"}
BITS: dict[str, Any] = {"domain": [0, 1], "n": 2}
RIGHT: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "sparse vector": (sparse_vector(), VECTORS),
    "sparse vector with new threshold noise each time": (sparse_vector(fresh=True), VECTORS | {"claim": 3}),
    "noisy count": (noisy_count(Fraction(1)), BITS),
    "noisy count of added and removed records": (noisy_count(Fraction(1)), BITS | {"neighbours": "add-remove"}),
    "randomized response": (randomized_response(1), BITS),
    "the index of the largest noisy count": (largest_count(Fraction(2), released=False), BITS),
    "the largest noisy count": (largest_count(Fraction(2), released=True), BITS),
}
WRONG: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "sparse vector without threshold noise": (sparse_vector(None, Fraction(2)), VECTORS),
    "sparse vector without noise on the answers": (sparse_vector(answers=None), VECTORS),
    "sparse vector with half the noise": (sparse_vector(Fraction(1), Fraction(2)), VECTORS),
    "sparse vector that never stops": (never_stops, VECTORS | {"domain": [0, 1], "n": 4, "claim": "1/2"}),
    "noisy count with 99 percent of the noise": (noisy_count(Fraction(99, 100)), BITS),
    "noisy count with one-sided noise": (one_sided_count, BITS | {"delta": "1/100"}),
    "noisy count that tells the number of records": (noisy_count_and_records, BITS | {"neighbours": "add-remove"}),
    "one noise for three answers": (reused_noise, BITS),
    "a response that lies too seldom": (randomized_response(0), BITS),
    "clamping after noise for a sensitivity of ten": (clamped_after_the_noise, BITS),
    "the largest noisy count with a third of the noise": (largest_count(Fraction(2, 3), released=False), BITS),
    "noise for one changed record where all may change": (
        noisy_count(Fraction(1)),
        BITS | {"n": 3, "neighbours": "each-by-one"},
    ),
}
EPSILONS = pytest.mark.parametrize("epsilon", ["ln(2)", "1/10"])


def audited(mechanism: Callable[..., Any], setting: dict[str, Any], epsilon: str) -> Audit:
    arguments: dict[str, Any] = {"epsilon": epsilon} | setting
    return audit(mechanism, **arguments)


@EPSILONS
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_mechanism_holds(name: str, epsilon: str) -> None:
    result = audited(*RIGHT[name], epsilon)
    assert result.verdict.kind == "holds"
    assert result.epsilon_star is not None
    assert result.epsilon_star.factor is not None
    assert 1 < result.epsilon_star.factor <= result.claim.factor


@EPSILONS
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_mechanism_is_refuted_and_its_witness_can_be_replayed(name: str, epsilon: str) -> None:
    mechanism, setting = WRONG[name]
    result = audited(mechanism, setting, epsilon)
    assert result.verdict.kind == "refuted"
    assert result.witness is not None
    p, q = (law_of(mechanism, data, epsilon=epsilon) for data in result.witness.pair)
    event = result.witness.event
    if all(cell.template is None for cell in event.cells):
        mine, theirs = (sum((law[c.outcome] for c in event.cells), start=_zero()) for law in (p, q))
        assert (mine, theirs) == (event.p, event.q)
    assert event.p > result.claim.factor * event.q + result.claim.delta
    assert result.epsilon_star is not None
    assert result.epsilon_star.factor is None or result.epsilon_star.factor > result.claim.factor


def _zero() -> Number:
    return Fraction(0)
