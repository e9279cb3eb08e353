"""Controls of the stability-based mode: wrong distances, wrong noise, defaults that read the data, promises too good.

Each wrong mode stands beside the curve that it claims to have, on the smallest universe on which it shows.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM, ModeStatistics, mode_statistics
from exactdp.spec.number import Number
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, geometric_tail
from exactdp.spec.stable_release import Dataset, ModeInstance
from exactdp.spec.standard_laws import discrete_laplace, point
from exactdp.verify.controls import HAIR, Control, controls_of
from exactdp.verify.mode_families import mode_instance
from exactdp.verify.wrong_couplings import Wrong

WORKED = NoisyThreshold("ln(2)", "1/6")
"""x = 1/2, s = 3, r_1 = 1/6."""

UNLUCKY = NoisyThreshold("ln(5/2)", "1/9")
"""x = 2/5, delta = 1/9: the Fact as quoted speaks of a gap of 10, and 11 are needed."""

Rule = Wrong[[Dataset, NoisyThreshold], Law]


@dataclass(frozen=True)
class WrongMode:
    """A kernel that follows a wrong rule with the epsilon and the threshold of a curve."""

    rule: Rule
    curve: NoisyThreshold

    def __call__(self, values: Dataset) -> Law:
        """The law of the answer."""
        return self.rule(values, self.curve)


def _law(mode: Hashable, released: Number, otherwise: Hashable = BOTTOM) -> Law:
    return point(mode) if mode == otherwise else Law({mode: released, otherwise: 1 - released})


def _noisy(distance: int, curve: NoisyThreshold) -> Number:
    """Pr[distance + N >= s], at distance 0 as well."""
    return geometric_tail(curve.threshold - distance, curve.epsilon)


# -- the wrong modes --


@Wrong
def noise_on_the_gap(values: Dataset, curve: NoisyThreshold) -> Law:
    """Noise of scale 1/epsilon is added to the gap, which moves by 2."""
    found = mode_statistics(values)
    return _law(found.mode, _noisy(found.gap, curve)) if found.gap else point(BOTTOM)


@Wrong
def distance_rounded_up(values: Dataset, curve: NoisyThreshold) -> Law:
    """D = floor(gap/2) + 1, the number of changes that pass a tie; ties give the symbol."""
    found = mode_statistics(values)
    return _law(found.mode, _noisy(found.gap // 2 + 1, curve)) if found.gap else point(BOTTOM)


@Wrong
def first_value_by_default(values: Dataset, curve: NoisyThreshold) -> Law:
    """The first value stands in for the symbol."""
    found = mode_statistics(values)
    return _law(found.mode, curve[found.distance], values[0])


@Wrong
def runner_up_by_default(values: Dataset, curve: NoisyThreshold) -> Law:
    """The runner-up stands in for the symbol (0 or 1 where only one value occurs); at a tie the symbol stays."""
    found = mode_statistics(values)
    others = mode_statistics(v for v in values if v != found.mode)
    second = others.mode if found.second else int(found.mode == 0)
    return _law(found.mode, curve[found.distance], second) if found.gap else point(BOTTOM)


@Wrong
def least_value_by_default(values: Dataset, curve: NoisyThreshold) -> Law:
    """The least value that occurs stands in for the symbol: a function of the data, blind to their order."""
    found = mode_statistics(values)
    return _law(found.mode, curve[found.distance], min(values))


@Wrong
def threshold_too_low(values: Dataset, curve: NoisyThreshold) -> Law:
    """s = w for s = w + 1."""
    found = mode_statistics(values)
    return _law(found.mode, _noisy(found.distance + 1, curve)) if found.gap else point(BOTTOM)


@Wrong
def threshold_too_high(values: Dataset, curve: NoisyThreshold) -> Law:
    """s = w + 2: private, but for less than the delta that is named."""
    found = mode_statistics(values)
    return _law(found.mode, _noisy(found.distance - 1, curve)) if found.gap else point(BOTTOM)


@Wrong
def half_the_scale(values: Dataset, curve: NoisyThreshold) -> Law:
    """Noise of scale 1/(2 epsilon), against the same threshold."""
    found = mode_statistics(values)
    released = discrete_laplace(1 / (curve.epsilon * 2)).tail(curve.threshold - found.distance)
    return _law(found.mode, released) if found.gap else point(BOTTOM)


@Wrong
def threshold_without_noise(values: Dataset, curve: NoisyThreshold) -> Law:
    """The mode is released just when D >= s."""
    found = mode_statistics(values)
    return point(found.mode if found.distance >= curve.threshold else BOTTOM)


@Wrong
def plain_mode(values: Dataset, curve: NoisyThreshold) -> Law:
    """The mode, whenever it is unique."""
    found = mode_statistics(values)
    return point(found.mode if found.gap else BOTTOM)


@Wrong
def ties_released(values: Dataset, curve: NoisyThreshold) -> Law:
    """D = floor(gap/2) + 1 for ties as well, of which the value that comes first is released."""
    found = mode_statistics(values)
    return _law(found.mode, _noisy(found.gap // 2 + 1, curve))


@Wrong
def ties_without_noise(values: Dataset, curve: NoisyThreshold) -> Law:
    """Of a tie the value that comes first is released always."""
    found = mode_statistics(values)
    return _law(found.mode, curve[found.distance] if found.gap else Fraction(1))


# -- wrong readings of the proof --


@Wrong
def the_gap_itself(gap: int) -> int:
    """The gap for D: it moves by 2."""
    return gap


@Wrong
def next_smaller_count(values: Dataset) -> ModeStatistics:
    """The second largest among the different counts: of 2, 2, 1 it is 1."""
    found = mode_statistics(values)
    smaller = [c for c in map(values.count, set(values)) if c < found.top]
    return found._replace(second=max(smaller, default=0))


@Wrong
def top_count_alone(values: Dataset) -> ModeStatistics:
    """The largest count for the gap: it moves by 1, but is large on both sides of a change of the mode."""
    return mode_statistics(values)._replace(second=0)


# -- the controls --


@controls_of("fact-B.3")
def _wrong_modes() -> Iterator[Control]:
    for name, why, refuted_at, instance in [*_wrong_rules(), *_wrong_proofs(), *_wrong_promises()]:
        yield Control("fact-B.3", name, why, refuted_at, (replace(instance, name=f"{name}: {instance.name}"),))


Row = tuple[str, str, str, ModeInstance]
"""Name, what is wrong, the step that must fail, and the instance."""


def wrong_mode_instance(rule: Rule, values: int, records: int, curve: NoisyThreshold = WORKED) -> ModeInstance:
    """A wrong mode on a universe, said to be that of the curve."""
    return replace(mode_instance(curve, values, records), kernel=WrongMode(rule, curve))


def _wrong_rules() -> Iterator[Row]:
    made = wrong_mode_instance
    grows = "released with probability 1/3 at a gap of 2, and never at the tie next to it"
    yield "noise on the gap", f"the gap moves by 2: {grows}", "S4 at stake", made(noise_on_the_gap, 2, 2)
    yield (
        "noise on the gap, three values",
        "between gaps of 2 and 4 the release grows by more than e^epsilon",
        "S3 released",
        made(noise_on_the_gap, 3, 4),
    )
    rounded = "D = floor(gap/2) + 1 is 2 beside a tie"
    yield "a distance rounded up", f"{rounded}: {grows}", "S4 at stake", made(distance_rounded_up, 2, 4)
    yield (
        "the first value by default",
        "one value alone is its own default, and is given away always",
        "S4 at stake",
        made(first_value_by_default, 2, 1),
    )
    yield (
        "the first value by default, four records",
        "where the mode comes first nothing is withheld",
        "S3 released",
        made(first_value_by_default, 3, 4),
    )
    yield (
        "the runner-up by default",
        "mode and runner-up change places: 5/6 where 1/6 was",
        "S4 at stake",
        made(runner_up_by_default, 2, 3),
    )
    yield (
        "the runner-up by default, beside a tie",
        "the runner-up has all that the mode does not get, and nothing at the tie",
        "S4 at stake",
        made(runner_up_by_default, 2, 4),
    )
    yield (
        "the runner-up by default, three values",
        "the mode stays, and what is given in its place changes",
        "S3 same mode",
        made(runner_up_by_default, 3, 5),
    )
    yield (
        "the least value by default",
        "a value of the data, though blind to their order: where it is the mode nothing is withheld",
        "S3 released",
        made(least_value_by_default, 3, 4),
    )
    yield "a threshold one too low", "r_2 is at stake where r_1 should be", "S4 at stake", made(threshold_too_low, 2, 3)
    yield (
        "a threshold one too high",
        "private with a smaller delta than the one named as exact",
        "exact delta",
        made(threshold_too_high, 2, 3),
    )
    yield "noise of half the scale", "pure at 2 epsilon, not at epsilon", "S3 released", made(half_the_scale, 2, 6)
    yield (
        "a threshold without noise",
        "one change takes the release from 0 to 1",
        "S3 released",
        made(threshold_without_noise, 2, 6),
    )
    yield "a mode without noise", "where the modes differ everything is at stake", "S4 at stake", made(plain_mode, 2, 2)
    yield (
        "a tie released, with a distance rounded up",
        "the value that comes first has 1/6 at the tie and the other one 1/3 beside it",
        "S4 at stake",
        made(ties_released, 2, 2),
    )
    yield "a tie released without noise", "a tie is no failure", "S4 at stake", made(ties_without_noise, 2, 2)


def _wrong_proofs() -> Iterator[Row]:
    right, eight = mode_instance(WORKED, 3, 4), mode_instance(WORKED, 3, 8, symmetric=True)
    largest = mode_instance(OptimalRelease("ln(2)", "1/6"), 3, 4)
    yield (
        "the gap taken for the distance",
        "the gap moves by 2, as from 2 to 4",
        "S1 distance",
        replace(right, distance=the_gap_itself),
    )
    yield (
        "the next smaller count taken for the second",
        "of two equal counts neither is the second: a tie has a gap of 4 and the data next to it one of 1",
        "S1 gap",
        replace(eight, statistics=next_smaller_count),
    )
    yield (
        "the largest count taken for the gap",
        "the mode changes between data whose counts of it are large",
        "S2 unique modes",
        replace(mode_instance(WORKED, 2, 3), statistics=top_count_alone),
    )
    yield (
        "the largest curve claimed to be pure on one mode",
        "r_2 = e^epsilon r_1 + delta, and not e^epsilon r_1",
        "S3 released",
        replace(largest, same_mode=Fraction(0)),
    )


def _wrong_promises() -> Iterator[Row]:
    clear, even = mode_instance(WORKED, 2, 8, symmetric=True), mode_instance(UNLUCKY, 2, 10, symmetric=True)
    yield (
        "a delta less than r_1 by a hair",
        "r_1 is attained, so no smaller delta is true",
        "conclusion",
        replace(clear, delta=WORKED.delta - HAIR),
    )
    yield (
        "accuracy promised at one less than the least gap",
        "at a gap of 6 the mode is withheld with probability 1/3",
        "accuracy",
        replace(clear, gap=clear.gap - 1),
    )
    yield (
        "a gap said to be the least that is not",
        "at a gap of 8 the mode is released with probability 5/6 already",
        "minimal gap",
        replace(mode_instance(WORKED, 2, 10, symmetric=True), gap=9),
    )
    yield (
        "the Fact word for word, of the noisy threshold at x = 2/5",
        "10 > 4 log(1/delta)/epsilon, and at a gap of 10 the failure is 4/35 > 1/9",
        "quoted",
        replace(even, quoted=True),
    )
