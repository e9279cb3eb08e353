"""Mechanisms of the gallery, right ones and wrong ones, as ordinary functions of (data, draw) and `epsilon`.

Where the literature has Laplace noise of scale b, the *discrete twin* stands here: integer noise with mass
proportional to e^(-|k|/b), so counts and answers stay integers and every output probability is exact. In the
formulas Lap(b) means that twin. A verdict on a twin says nothing about the continuous mechanism, nor about floats.
The claims and what is known of each stand in `exactdp.verify.gallery`.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from exactdp.reference.mode import noisy_threshold_mode
from exactdp.spec.exponent import Epsilon, Scale
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM, mode_statistics
from exactdp.spec.number import exp
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.standard_laws import bernoulli, discrete_laplace
from exactdp.spec.standard_laws import geometric as one_sided_geometric

Draw = Callable[[Law], Any]
"""The one source of randomness; integer noise comes back as something to add, compare and release."""

ABOVE, BELOW = "⊤", "⊥"
"""The two answers of the sparse vector family: the noisy answer reaches the noisy threshold, or it does not."""

# -- randomized response ------------------------------------------------------------------------------------------


def randomized_response(data: Sequence[bool], draw: Draw, *, epsilon: Epsilon) -> tuple[bool, ...]:
    """Randomized response: every record is flipped with probability 1/(1 + e^epsilon), independently.

    Noise: one coin for each record. Known: private with exactly epsilon, for one changed record.
    """
    return tuple(record ^ draw(bernoulli(1 / (1 + exp(epsilon)))) for record in data)


def randomized_response_wrong(data: Sequence[bool], draw: Draw, *, epsilon: Epsilon) -> tuple[bool, ...]:
    """Wrong randomized response: flips with probability (1 - epsilon)/2, the first-order term of the right one.

    Noise: one coin for each record; epsilon must be a rational of at most 1. Known: not private, for one changed
    record and every epsilon, since (1 + epsilon)/(1 - epsilon) > e^epsilon.
    """
    return tuple(record ^ draw(bernoulli((1 - epsilon.rational()) / 2)) for record in data)


# -- counts, sums and histograms ----------------------------------------------------------------------------------


def geometric(data: Sequence[bool], draw: Draw, *, epsilon: Epsilon) -> object:
    """The geometric mechanism, the discrete twin of the Laplace mechanism: a count plus two-sided geometric noise.

    Noise: Lap(1/epsilon). Known: private with exactly epsilon, for one changed record of the value 0 or 1.
    """
    return sum(data) + draw(discrete_laplace(1 / epsilon))


def partial_sum(data: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> object:
    """A noisy sum of integers (discrete twin).

    Noise: Lap(1/epsilon). Known: private with exactly epsilon, when one coordinate moves by 1.
    """
    return sum(data) + draw(discrete_laplace(1 / epsilon))


def bad_partial_sum(data: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> object:
    """A noisy sum with too little noise (discrete twin).

    Noise: Lap(1/(2 epsilon)). Known: not private when one coordinate moves by 1; the exact cost is 2 epsilon.
    """
    return sum(data) + draw(discrete_laplace(1 / (2 * epsilon)))


def hist1(data: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    """A noisy histogram, `data` being the counts (discrete twin).

    Noise: Lap(1/epsilon) in each bin. Known: private with exactly epsilon, when one count moves by 1.
    """
    return tuple(count + draw(discrete_laplace(1 / epsilon)) for count in data)


def hist2(data: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    """A noisy histogram with the scale upside down (discrete twin).

    Noise: Lap(epsilon) in each bin; epsilon must be rational. Known, when one count moves by 1: its exact cost is
    1/epsilon, so the claim is false below epsilon = 1 and true from there on.
    """
    return tuple(count + draw(discrete_laplace(epsilon.rational())) for count in data)


def stability_histogram(data: Sequence[Hashable], draw: Draw) -> tuple[tuple[Hashable, object], ...]:
    """Noisy counts of the values in the data, each released only where it reaches the threshold 5 (discrete twin).

    Noise: Lap(1) on the count of every value that occurs; a value that does not occur is never released. Known: with
    one record added or removed, (1, delta)-private exactly from delta = e^-4/(1 + e^-1) = 0.0133898 on: the chance
    that the only record of a value is released.
    """
    noisy = [(value, data.count(value) + draw(discrete_laplace(1))) for value in _distinct(data)]
    return tuple((value, count) for value, count in noisy if count >= 5)


def _distinct(data: Iterable[Hashable]) -> list[Hashable]:
    """The values that occur, in an order that does not depend on the order of the records."""
    return sorted(set(data), key=repr)


# -- the mode -----------------------------------------------------------------------------------------------------

MODE_DELTA = Fraction(1, 6)


def stable_mode(data: Sequence[Hashable], draw: Draw, *, epsilon: Epsilon) -> Hashable:
    """The most frequent value if it is far enough from a tie: noise on half the gap, rounded up, against a threshold
    (discrete twin).

    Noise: Lap(1/epsilon) on ceil(gap / 2), which one changed record moves by at most 1; ties and failures give the
    failure symbol. Known: (epsilon, delta)-private exactly from delta = r_1 <= 1/6 on, the chance of releasing a mode
    that one record decides.
    """
    return noisy_threshold_mode(data, draw, epsilon=epsilon, delta=MODE_DELTA)


def stable_mode_on_gap(data: Sequence[Hashable], draw: Draw, *, epsilon: Epsilon) -> Hashable:
    """The same noise and threshold on the gap itself, which one changed record can move by 2 (discrete twin).

    Noise: Lap(1/epsilon) on the gap. Known: not private with the delta of `stable_mode`, for any epsilon: from a tie to
    a gap of 2 there is the mass r_2 > 1/6 at stake.
    """
    found = mode_statistics(data)
    if found.gap == 0:
        return BOTTOM
    noise = draw(discrete_laplace(1 / epsilon))
    return found.mode if found.gap + noise >= NoisyThreshold(epsilon, MODE_DELTA).threshold else BOTTOM


# -- the sparse vector family -------------------------------------------------------------------------------------


def sparse_vector(
    answers: Sequence[int],
    draw: Draw,
    *,
    threshold_scale: Scale,
    answer_scale: Scale | None,
    c: int | None,
    fresh: bool = False,
    release: Callable[[Any], object] | None = None,
) -> tuple[object, ...]:
    """The common frame of the sparse vector family (discrete twin), threshold 0.

    Draws a noisy threshold, compares each noisy answer with it, says ABOVE or BELOW, and stops at the c-th ABOVE
    (never, when c is None). `fresh` draws the threshold anew after each ABOVE; `release` makes of the noisy answer
    what stands in the place of ABOVE; without `answer_scale` the answers have no noise.
    """
    threshold = draw(discrete_laplace(threshold_scale))
    released: list[object] = []
    found = 0
    for answer in answers:
        noisy = answer if answer_scale is None else answer + draw(discrete_laplace(answer_scale))
        if noisy >= threshold:
            released.append(release(noisy) if release else ABOVE)
            found += 1
            if found == c:
                break
            if fresh:
                threshold = draw(discrete_laplace(threshold_scale))
        else:
            released.append(BELOW)
    return tuple(released)


def svt1(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon, c: int = 1) -> tuple[object, ...]:
    """The sparse vector technique as it is right (discrete twin): stops at the c-th ABOVE.

    Noise: threshold Lap(2/epsilon), answers Lap(4c/epsilon). Known: private, when every answer moves by at most 1.
    """
    return sparse_vector(answers, draw, threshold_scale=2 / epsilon, answer_scale=4 * c / epsilon, c=c)


def svt1_c2(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    """`svt1` that stops at the second ABOVE (discrete twin).

    Noise: threshold Lap(2/epsilon), answers Lap(8/epsilon). Known: private, when every answer moves by at most 1.
    """
    return svt1(answers, draw, epsilon=epsilon, c=2)


def svt2(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon, c: int = 1) -> tuple[object, ...]:
    """Sparse vector with a fresh threshold after each ABOVE (discrete twin); with c = 1 the same as `svt1`.

    Noise: threshold Lap(2c/epsilon), answers Lap(4c/epsilon). Known: private, when every answer moves by at most 1.
    """
    return sparse_vector(answers, draw, threshold_scale=2 * c / epsilon, answer_scale=4 * c / epsilon, c=c, fresh=True)


def svt2_c2(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    """`svt2` that stops at the second ABOVE (discrete twin).

    Noise: thresholds Lap(4/epsilon), answers Lap(8/epsilon). Known: private, when every answer moves by at most 1.
    """
    return svt2(answers, draw, epsilon=epsilon, c=2)


def svt3(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon, c: int = 1) -> tuple[object, ...]:
    """Wrong sparse vector: releases the noisy answer itself instead of ABOVE (discrete twin).

    Noise: threshold Lap(2/epsilon), answers Lap(2c/epsilon). Known: not private when every answer moves by at most 1;
    the released value bounds the threshold, and with it all the answers below.
    """
    return sparse_vector(
        answers, draw, threshold_scale=2 / epsilon, answer_scale=2 * c / epsilon, c=c, release=lambda noisy: noisy
    )


def svt3_clamped(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon, c: int = 1) -> tuple[object, ...]:
    """`svt3` with the released value clamped to -1, 0, 1 (discrete twin).

    Noise: threshold Lap(2/epsilon), answers Lap(2c/epsilon). Known: not private when every answer moves by at most 1.
    """
    return sparse_vector(answers, draw, threshold_scale=2 / epsilon, answer_scale=2 * c / epsilon, c=c, release=clamped)


def svt3_wide_clamped(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon, c: int = 1) -> tuple[object, ...]:
    """`svt3_clamped` with the wider answer noise that one published benchmark uses (discrete twin).

    Noise: threshold Lap(2/epsilon), answers Lap(4c/epsilon). Known, when every answer moves by at most 1: three
    answers from -1, 0, 1 show no violation, five do.
    """
    return sparse_vector(answers, draw, threshold_scale=2 / epsilon, answer_scale=4 * c / epsilon, c=c, release=clamped)


def svt4(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon, c: int = 1) -> tuple[object, ...]:
    """Wrong sparse vector: too little noise on the answers, and it does not grow with c (discrete twin).

    Noise: threshold Lap(4/epsilon), answers Lap(4/(3 epsilon)). Known: not private with epsilon, when every answer
    moves by at most 1; it is private with (1 + 6c)/4 times epsilon.
    """
    return sparse_vector(answers, draw, threshold_scale=4 / epsilon, answer_scale=4 / (3 * epsilon), c=c)


def svt5(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    """Wrong sparse vector: no noise on the answers, and it never stops (discrete twin).

    Noise: threshold Lap(2/epsilon) only. Known: private for no epsilon at all, when every answer moves by at most 1:
    two equal answers always get the same answer, unequal ones need not.
    """
    return sparse_vector(answers, draw, threshold_scale=2 / epsilon, answer_scale=None, c=None)


def svt6(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    """Wrong sparse vector: never stops (discrete twin).

    Noise: threshold Lap(2/epsilon), answers Lap(2/epsilon). Known: not private when every answer moves by at most 1;
    the cost grows with the number of answers.
    """
    return sparse_vector(answers, draw, threshold_scale=2 / epsilon, answer_scale=2 / epsilon, c=None)


def clamped(noisy: Any) -> object:
    """The nearest of -1, 0 and 1."""
    return max(-1, min(1, noisy))


# -- the noisy maximum --------------------------------------------------------------------------------------------


def noisy_maximum(answers: Sequence[int], draw: Draw, *, noise: Law) -> tuple[int, Any]:
    """The index and the value of the largest noisy answer (discrete twin); of equal ones the first."""
    index, largest = 0, answers[0] + draw(noise)
    for i, answer in enumerate(answers[1:], start=1):
        noisy = answer + draw(noise)
        if noisy > largest:
            index, largest = i, noisy
    return index, largest


def rnm1(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> int:
    """Report noisy max (discrete twin): the index of the largest noisy answer; on ties the first index.

    Noise: Lap(2/epsilon). Known: private, when every answer moves by at most 1.
    """
    index, _ = noisy_maximum(answers, draw, noise=discrete_laplace(2 / epsilon))
    return index


def rnm2(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> int:
    """Report noisy max with one-sided noise (discrete twin); on ties the first index.

    Noise: mass proportional to e^(-k epsilon/2) on k >= 0. Known: private, when every answer moves by at most 1.
    """
    index, _ = noisy_maximum(answers, draw, noise=one_sided_geometric(2 / epsilon))
    return index


def rnm3(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> object:
    """Wrong noisy max: releases the largest noisy answer itself (discrete twin).

    Noise: Lap(2/epsilon). Known: not private when every answer moves by at most 1, since all of them count.
    """
    _, largest = noisy_maximum(answers, draw, noise=discrete_laplace(2 / epsilon))
    return largest


def rnm3_clamped(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> object:
    """`rnm3` with the released value clamped to -1, 0, 1 (discrete twin).

    Noise: Lap(2/epsilon). Known: not private when every answer moves by at most 1.
    """
    return clamped(rnm3(answers, draw, epsilon=epsilon))


def rnm4(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> object:
    """Wrong noisy max with one-sided noise: releases the largest noisy answer itself (discrete twin).

    Noise: mass proportional to e^(-k epsilon/2) on k >= 0. Known: private for no epsilon at all when every answer
    moves by at most 1: the least value that can be released moves with the answers.
    """
    _, largest = noisy_maximum(answers, draw, noise=one_sided_geometric(2 / epsilon))
    return largest


def rnm4_clamped(answers: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> object:
    """`rnm4` with the released value clamped to -1, 0, 1 (discrete twin).

    Noise: mass proportional to e^(-k epsilon/2) on k >= 0. Known: private for no epsilon at all, as `rnm4`.
    """
    return clamped(rnm4(answers, draw, epsilon=epsilon))
