"""The stability-based mode: the most frequent value, released only when few changes could not take its place.

As a kernel: `stability_based_mode(values, ...)` is the exact law of the answer, over the mode and a default. As
programs: `noisy_threshold_mode`, `randomised_threshold_mode` and `optimal_mode` draw what the three release curves
describe; their enumerated laws are the kernel's. The default is fixed before the data are seen; it is the failure
symbol unless another is named, and stands for ties too. Paper: Fact B.3. Any hashable values, in linear time.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM, mode_statistics
from exactdp.spec.number import Number
from exactdp.spec.release_curve import CURVES, NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, point

Draw = Callable[[Law], Any]
Delta = Number | int | str


@dataclass(frozen=True)
class StabilityBasedMode:
    """The kernel of a release curve: values -> the law of the answer, r_D on the mode and the rest on `default`.

    >>> mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
    >>> list(mode("aaaabc").items())
    [('a', Fraction(1, 3)), (BOTTOM, Fraction(2, 3))]
    """

    curve: ReleaseCurve
    default: Hashable = BOTTOM

    def __post_init__(self) -> None:
        if not isinstance(self.curve, ReleaseCurve):
            raise InvalidArgument("curve", self.curve, "a release curve, such as NoisyThreshold('1/2', '1e-6')")
        try:
            hash(self.default)
        except TypeError:
            raise InvalidArgument("default", self.default, "a hashable value") from None

    def __call__(self, values: Sequence[Hashable]) -> Law:
        """The law of the answer."""
        mode, distance = _read(values)
        released = self.curve[distance]
        if not distance or mode == self.default:
            return point(self.default)
        return Law({mode: released, self.default: 1 - released})


def checked_mode(mode: object) -> StabilityBasedMode:
    """A stability-based mode. Raises `InvalidArgument` for anything else."""
    if not isinstance(mode, StabilityBasedMode):
        raise InvalidArgument("mode", mode, "a mode such as StabilityBasedMode(NoisyThreshold('1/2', '1e-6'))")
    return mode


def stability_based_mode(
    values: Sequence[Hashable],
    *,
    epsilon: Epsilon | Fraction | int | str,
    delta: Delta,
    variant: str = NoisyThreshold.name,
    default: Hashable = BOTTOM,
) -> Law:
    """The law of the stability-based mode of the values; draw from it to run it.

    It is (epsilon, delta)-private for one changed value, exactly from delta = r_1 on. `variant` is the name of a
    release curve: "noisy threshold" (the reference mechanism), "randomised threshold" or "optimal release". Raises
    `InvalidArgument`. Paper: Fact B.3.

    >>> stability_based_mode("aaaaaabc", epsilon="ln(2)", delta="1/6")
    Law({'a': '2/3', BOTTOM: '1/3'})
    """
    return StabilityBasedMode(curve_named(variant)(epsilon, delta), default)(values)


def curve_named(variant: str) -> type[ReleaseCurve]:
    """The release curve of that name. Raises `InvalidArgument`."""
    if not isinstance(variant, str) or variant not in CURVES:
        raise InvalidArgument("variant", variant, "one of " + ", ".join(map(repr, CURVES)))
    return CURVES[variant]


def noisy_threshold_mode(
    values: Sequence[Hashable], draw: Draw, *, epsilon: Epsilon, delta: Delta, default: Hashable = BOTTOM
) -> Hashable:
    """The reference mechanism: two-sided geometric noise of scale 1/epsilon on the distance, against s = w + 1."""
    curve = NoisyThreshold(epsilon, delta)
    mode, distance = _read(values)
    if distance == 0:
        return default
    noise = draw(discrete_laplace(1 / curve.epsilon))
    return mode if distance + noise >= curve.threshold else default


def randomised_threshold_mode(
    values: Sequence[Hashable], draw: Draw, *, epsilon: Epsilon, delta: Delta, default: Hashable = BOTTOM
) -> Hashable:
    """The same against a threshold that a coin lowers by 1, so that a mode at distance 1 is released exactly delta."""
    curve = RandomisedThreshold(epsilon, delta)
    mode, distance = _read(values)
    if distance == 0:
        return default
    threshold = curve.low if draw(bernoulli(curve.weight)) else curve.low + 1
    noise = draw(discrete_laplace(1 / curve.epsilon))
    return mode if distance + noise >= threshold else default


def optimal_mode(
    values: Sequence[Hashable], draw: Draw, *, epsilon: Epsilon, delta: Delta, default: Hashable = BOTTOM
) -> Hashable:
    """The mechanism that releases as often as any (epsilon, delta)-private one of this kind: one coin of bias r_D."""
    mode, distance = _read(values)
    return mode if draw(bernoulli(OptimalRelease(epsilon, delta)[distance])) else default


def _read(values: Sequence[Hashable]) -> tuple[Hashable, int]:
    expected = "a list of hashable values"
    if not isinstance(values, Iterable):
        raise InvalidArgument("values", values, expected)
    try:
        found = mode_statistics(values)
    except TypeError:
        raise InvalidArgument("values", values, expected) from None
    return found.mode, found.distance
