"""Mistakes in Aggregate, for the controls: modes that tell too much, draws that do not fit, missing hypotheses.

The wrong couplings of whole tuples stand in `exactdp.verify.wrong_couplings`.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.spec.aggregate import Counts, Laws, Mode, answer_law, counted_law, powers_of
from exactdp.spec.aggregate_utility import UtilityInstance, close_laws, ghost_of, has_enough_blocks, keeps_promise
from exactdp.spec.exponent import Epsilon, Exponent
from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law, mixture
from exactdp.spec.mode import BOTTOM, ModeStatistics, mode_statistics
from exactdp.spec.number import Number, exp
from exactdp.spec.release_curve import NoisyThreshold, geometric_tail
from exactdp.spec.standard_laws import point
from exactdp.spec.tuples import entries
from exactdp.verify.wrong_couplings import Wrong, independent

ONE = Fraction(1)
TOO_HIGH = 50
"""How much too high a threshold is that a mode of a hundred values hardly passes."""


# -- modes --


@Wrong
def failure_symbol(values: Sequence[Hashable]) -> Hashable:
    """The failure symbol, whatever the values are: this is right."""
    return BOTTOM


@Wrong
def first_value(values: Sequence[Hashable]) -> Hashable:
    """z_1 in place of the failure symbol."""
    return values[0]


@Wrong
def runner_up(values: Sequence[Hashable]) -> Hashable:
    """The second most frequent value in place of the failure symbol; the mode itself when there is no other."""
    mode = mode_statistics(values).mode
    return mode_statistics([y for y in values if y != mode] or values).mode


@Wrong
def as_it_should(curve: NoisyThreshold, found: ModeStatistics) -> Number:
    """r_D: this is right."""
    return curve[found.distance]


@Wrong
def half_the_scale(curve: NoisyThreshold, found: ModeStatistics) -> Number:
    """Noise of scale 1/(2 epsilon) on D against the threshold."""
    return _tail(curve.threshold - found.distance, curve.epsilon * 2)


@Wrong
def one_too_low(curve: NoisyThreshold, found: ModeStatistics) -> Number:
    """The threshold is w in place of w + 1."""
    return geometric_tail(curve.threshold - 1 - found.distance, curve.epsilon)


@Wrong
def far_too_high(curve: NoisyThreshold, found: ModeStatistics) -> Number:
    """The threshold is so high that even a clear mode is not released: private and useless."""
    return geometric_tail(curve.threshold + TOO_HIGH - found.distance, curve.epsilon)


@Wrong
def noise_on_the_gap(curve: NoisyThreshold, found: ModeStatistics) -> Number:
    """Noise of scale 1/epsilon on the gap, which one changed value moves by 2."""
    return geometric_tail(curve.threshold - found.gap, curve.epsilon)


@Wrong
def no_noise(curve: NoisyThreshold, found: ModeStatistics) -> Number:
    """A unique mode is always released."""
    return ONE


@dataclass(frozen=True)
class WrongMode:
    """The kernel of a mode with one mistake: in how often a unique mode is released, or in what stands for failure."""

    curve: NoisyThreshold
    release: Callable[[NoisyThreshold, ModeStatistics], Number] = as_it_should
    fallback: Callable[[Sequence[Hashable]], Hashable] = failure_symbol

    def __call__(self, values: Sequence[Hashable]) -> Law:
        """The law of the answer."""
        found, otherwise = mode_statistics(values), point(self.fallback(values))
        if not found.distance:
            return otherwise
        released = self.release(self.curve, found)
        return mixture([(released, point(found.mode)), (1 - released, otherwise)])


def _tail(threshold: int, rate: Exponent) -> Number:
    """Pr[N >= t] for two-sided geometric noise with parameter e^-rate."""
    if threshold <= 0:
        return 1 - _tail(1 - threshold, rate)
    return exp(rate * -threshold) / (1 + exp(-rate))


# -- draws --


@Wrong
def one_draw_if_all_equal(laws: Sequence[Law]) -> Law:
    """One draw for all when all laws are equal; else every law has a process of its own."""
    return joint_law(laws) if len(set(laws)) == 1 else independent(laws)


@Wrong
def averaged_with_all(laws: Sequence[Law], length: int) -> Laws:
    """The powers of laws that were first drawn halfway to the average of the tuple."""
    average = mixture((Fraction(1, len(laws)), law) for law in laws)
    return powers_of([mixture([(Fraction(1, 2), law), (Fraction(1, 2), average)]) for law in laws], length)


@Wrong
def coupled_records(laws: Sequence[Law], length: int) -> Law:
    """The joint law that is asked for: this is right."""
    return joint_law(powers_of(laws, length))


@Wrong
def independent_records(laws: Sequence[Law], length: int) -> Law:
    """Every coordinate is drawn alone."""
    return independent(powers_of(laws, length))


@Wrong
def one_record_repeated(laws: Sequence[Law], length: int) -> Law:
    """One coupled record for each law, written down l times."""
    return joint_law(laws).map(lambda z: tuple((x,) * length for x in entries(z)))


@dataclass(frozen=True)
class WrongTrace:
    """What a wrong program draws and answers: a rule for line 1, and a kernel for line 2."""

    values: Callable[[Sequence[Law], int], Law]
    answer: Mode

    def __call__(self, laws: Sequence[Law], length: int) -> Law:
        """The law over pairs (values, answer)."""
        drawn = self.values(laws, length)
        return Law(
            {(z, y): mass * chance for z, mass in drawn.items() for y, chance in self.answer(entries(z)).items()}
        )


@Wrong
def coin_of_the_draw(values: Sequence[Hashable]) -> Law:
    """The mode is released by a coin that was used before: heads is that the last law drew zeros alone."""
    found = mode_statistics(values)
    heads = not any(entries(values[-1]))
    return point(found.mode if found.gap and heads else BOTTOM)


@Wrong
def answer_by_the_draws_coin(laws: Sequence[Law], length: int) -> Law:
    """Aggregate with the coin of the draw in place of fresh noise."""
    return answer_law(joint_law(powers_of(laws, length)), coin_of_the_draw)


@dataclass(frozen=True)
class EachLawOnce:
    """Aggregate on the distinct laws of a tuple: their counts are lost."""

    mode: Mode

    def __call__(self, laws: Sequence[Law], counts: Counts, length: int) -> Law:
        """The law of the answer, with every count taken for 1."""
        return counted_law(laws, (1,) * len(laws), self.mode, length)


@dataclass(frozen=True)
class DistinctTuple:
    """The same for a tuple."""

    mode: Mode

    def __call__(self, laws: Sequence[Law], length: int) -> Law:
        """The law of the answer for the distinct laws of the tuple."""
        distinct = tuple(dict.fromkeys(laws))
        return EachLawOnce(self.mode)(distinct, (1,) * len(distinct), length)


# -- bounds and hypotheses --


@Wrong
def length_forgotten(length: int, t: Number) -> Number:
    """TV(q^l, p^l) <= TV(q, p): true for one record alone."""
    return t


@Wrong
def ten_times_as_far(laws: Sequence[Law], target: Law, eta: Number) -> tuple[int, ...]:
    """J counted with 10 eta."""
    return close_laws(laws, target, 10 * eta)


@Wrong
def off_by_share_of_all(disagreeing: int, share: Fraction, close: int, k: int) -> bool:
    """c k disagreements are called few, in place of c |J|."""
    return disagreeing > share * k


@Wrong
def without_positive_gap(instance: UtilityInstance) -> bool:
    """The hypotheses as they are printed: tau may be 0."""
    drawn, share = ghost_of(instance), instance.share
    return 0 < share < 1 and 2 * (1 - share) * drawn.close - drawn.k >= instance.tau and keeps_promise(instance)


@Wrong
def share_not_subtracted(instance: UtilityInstance) -> bool:
    """2|J| - k >= tau: as if no law of J could disagree."""
    drawn = ghost_of(instance)
    return instance.tau > 0 and 2 * drawn.close - drawn.k >= instance.tau and keeps_promise(instance)


@Wrong
def four_times_as_close(beta: Number, length: int) -> Number:
    """eta = beta/(16 l)."""
    return beta / (16 * length)


@Wrong
def close_for_one_record(beta: Number, length: int) -> Number:
    """eta = beta/64, whatever l is."""
    return beta / 64


@Wrong
def whole_delta(delta: Number, beta: Number) -> Number:
    """delta_0 = delta, though beta may be smaller."""
    return delta


@Wrong
def product_of_both(delta: Number, beta: Number) -> Number:
    """delta_0 = delta * beta/4, in place of the smaller one."""
    return delta * beta / 4


@Wrong
def half_as_many_blocks(k: int, epsilon: Epsilon, delta: Number, beta: Number) -> bool:
    """k >= 4 (log(4/beta) + log(1/delta))/epsilon."""
    return has_enough_blocks(2 * k, epsilon, delta, beta)


@Wrong
def every_epsilon(epsilon: Epsilon) -> bool:
    """The range that Theorem 4.1 names: every epsilon > 0."""
    return True
