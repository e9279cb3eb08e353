"""Release curves: with which probability r_D a mode at distance D from a tie is released, exactly.

A stability-based mode releases the unique mode with probability r_D and otherwise the failure symbol; r_0 = 0. For
neighbouring data D moves by at most 1, and where the mode changes both distances are at most 1. So with
E = e^epsilon and for a non-decreasing curve it is (epsilon, delta)-private on every universe of at least three values
exactly when, for all D >= 0,

    r_{D+1} <= E r_D + delta   and   1 - r_D <= E (1 - r_{D+1}) + delta.

A curve that falls somewhere needs both inequalities with r_D and r_{D+1} exchanged, too.

Three curves stand here, all with r_1 <= delta and pure epsilon beyond that: two-sided geometric noise on D against a
threshold, the same with a threshold drawn at random so that r_1 = delta exactly, and the largest curve of all. Paper:
Fact B.3, where the mechanism is quoted and only promised to release at gaps above 4 log(1/delta)/epsilon.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.number import LARGEST_DEGREE, Number, exact, exp

ZERO, ONE = Fraction(0), Fraction(1)
REMEMBERED = 1 << 14


def geometric_tail(threshold: int, epsilon: Epsilon) -> Number:
    """Pr[N >= t] for two-sided geometric noise N with parameter x = e^-epsilon (T9).

    x^t / (1 + x) for t >= 0, and 1 - x^(1-t) / (1 + x) below.

    >>> [geometric_tail(t, Epsilon("ln(2)")) for t in (-1, 0, 1, 2)]
    [Fraction(5, 6), Fraction(2, 3), Fraction(1, 3), Fraction(1, 6)]
    """
    if threshold <= 0:
        return 1 - geometric_tail(1 - threshold, epsilon)
    return exp(epsilon * -threshold) / (1 + exp(-epsilon))


def least_tail(epsilon: Epsilon, delta: Number) -> int:
    """The least t with Pr[N >= t] <= delta.

    Each power of x is compared as it is, and not as a polynomial in x of that degree, so epsilon may be small.

    >>> least_tail(Epsilon("ln(2)"), Fraction(1, 6)), least_tail(Epsilon("1e-6"), Fraction(1, 10**6))
    (2, 13122364)
    """
    below, above = delta * (1 + exp(-epsilon)), (1 - delta) * (1 + exp(-epsilon))
    return least_integer(lambda t: exp(epsilon * -t) <= below if t > 0 else exp(epsilon * (t - 1)) >= above)


def least_integer(holds: Callable[[int], bool], start: int = 0) -> int:
    """The least integer for which a condition holds that stays true once it is; it must hold somewhere and not always.

    >>> least_integer(lambda n: n * n * n >= -30)
    -3
    """
    step, low, high = 1, start, start
    while not holds(high):
        low, high, step = high, high + step, 2 * step
    while low == high or holds(low):
        low, high, step = low - step, low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


class ReleaseCurve(ABC):
    """A curve for epsilon > 0 and 0 < delta < 1; `curve[D]` is r_D. Raises `InvalidArgument` for other parameters."""

    name: str

    def __init__(self, epsilon: Epsilon | Fraction | int | str, delta: Number | int | str) -> None:
        self.epsilon = Epsilon(epsilon)
        self.claimed = exact(delta, "delta")
        if not 0 < self.claimed < 1:
            raise InvalidArgument("delta", str(delta), "a number with 0 < delta < 1, such as '1e-6'")
        self._known = lru_cache(maxsize=REMEMBERED)(self.release)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.epsilon)!r}, {str(self.claimed)!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[type["ReleaseCurve"], tuple[Epsilon, Number]]:
        return type(self), (self.epsilon, self.claimed)

    @property
    def factor(self) -> Number:
        """E = e^epsilon."""
        return exp(self.epsilon)

    def __getitem__(self, distance: int) -> Number:
        """r_D, the probability that a mode at this distance is released; 0 at distance 0."""
        if isinstance(distance, bool) or not isinstance(distance, int) or distance < 0:
            raise InvalidArgument("distance", distance, "an int of at least 0")
        return self._known(distance) if distance else ZERO

    @abstractmethod
    def release(self, distance: int) -> Number:
        """r_D for D >= 1."""

    def _check_degree(self, degree: int) -> None:
        """Raises `InvalidArgument` for a probability with powers of e^-epsilon that are too high to write out."""
        if abs(degree) > LARGEST_DEGREE:
            expected = f"a larger one: at delta = {self.claimed} an exact probability has powers of e^-epsilon up to "
            raise InvalidArgument("epsilon", str(self.epsilon), f"{expected}{abs(degree)}, too high to write out")

    @property
    def delta(self) -> Number:
        """The exact delta at epsilon: r_1, what is at stake where the mode changes or is tied."""
        return self[1]

    def failure(self, gap: int) -> Number:
        """1 - r_D: the probability that a mode with this gap is not released. Raises `InvalidArgument`."""
        if isinstance(gap, bool) or not isinstance(gap, int) or gap < 0:
            raise InvalidArgument("gap", gap, "an int of at least 0: the largest count minus the second largest")
        return 1 - self[(gap + 1) // 2]

    def smallest_gap(self, failure: Number | int | str | None = None) -> int:
        """The smallest gap from which on the mode is released except with probability `failure` (None: delta).

        >>> NoisyThreshold("ln(2)", "1/100").smallest_gap()
        27
        """
        allowed = self.claimed if failure is None else exact(failure, "failure")
        if not 0 < allowed < 1:
            raise InvalidArgument("failure", str(failure), "a number with 0 < failure < 1, such as '1/100'")
        return 2 * least_integer(lambda D: D > 0 and 1 - self[D] <= allowed) - 1


class NoisyThreshold(ReleaseCurve):
    """r_D = Pr[D + N >= s] with two-sided geometric noise N; the threshold s is w + 1, w the least t with

    Pr[N >= t] <= delta. So r_1 = Pr[N >= w] <= delta, and r_D falls short of 1 by x^(D-w)/(1+x) from D = w on.

    >>> [NoisyThreshold("ln(2)", "1/6")[D] for D in range(5)]
    [Fraction(0, 1), Fraction(1, 6), Fraction(1, 3), Fraction(2, 3), Fraction(5, 6)]
    """

    name = "noisy threshold"

    @cached_property
    def threshold(self) -> int:
        """s = w + 1."""
        return least_tail(self.epsilon, self.claimed) + 1

    def release(self, distance: int) -> Number:
        """Pr[N >= s - D]."""
        self._check_degree(self.threshold - distance)
        return geometric_tail(self.threshold - distance, self.epsilon)


class RandomisedThreshold(ReleaseCurve):
    """As `NoisyThreshold`, with s = i + 1 with probability `weight` and i + 2 otherwise, so that r_1 = delta exactly.

    i is the integer with Pr[N >= i + 1] <= delta < Pr[N >= i]. This curve keeps the promise of Fact B.3 word for word.
    The mixture is r_D = delta E^(D-1) for D <= i + 1, and 1 - r_D falls by E in each step from max{i + 1, 1} on.

    >>> RandomisedThreshold("1/2", "1/100").delta
    Fraction(1, 100)
    """

    name = "randomised threshold"

    @cached_property
    def low(self) -> int:
        """i + 1, the lower of the two thresholds."""
        return least_tail(self.epsilon, self.claimed)

    @cached_property
    def weight(self) -> Number:
        """The probability of the lower threshold."""
        self._check_degree(self.low)
        above, below = geometric_tail(self.low, self.epsilon), geometric_tail(self.low - 1, self.epsilon)
        return (self.claimed - above) / (below - above)

    def release(self, distance: int) -> Number:
        """The mixture of both releases: it rises by E from delta up to D = s, and then falls short of 1 by E less."""
        last = max(self.low, 1)
        self._check_degree(distance - 1)
        released = self.claimed * exp(self.epsilon * (min(distance, last) - 1))
        return released if distance <= last else 1 - exp(self.epsilon * (last - distance)) * (1 - released)


class OptimalRelease(ReleaseCurve):
    """The largest curve: r_1 = delta and r_{D+1} = min{1, E r_D + delta, 1 - (1 - r_D - delta)/E}.

    Every private curve lies below it, by induction on D. The first bound is the smaller one while
    r_D <= (1 - delta)/(1 + E), and both recursions are solved in closed form: r_D = delta (1 + E + ... + E^(D-1)) up
    to that *turn*, and 1 - r_{D+n} = E^-n (1 - r_D) - delta (E^-1 + ... + E^-n) from there until it would fall below 0.

    >>> [OptimalRelease("ln(2)", "1/6")[D] for D in range(6)]
    [Fraction(0, 1), Fraction(1, 6), Fraction(1, 2), Fraction(5, 6), Fraction(1, 1), Fraction(1, 1)]
    """

    name = "optimal release"

    def _rising(self, distance: int) -> Number:
        """delta (E^D - 1)/(E - 1)."""
        self._check_degree(distance)
        return self.claimed * (exp(self.epsilon * distance) - 1) / (self.factor - 1)

    @cached_property
    def turn(self) -> int:
        """The first D with r_D > (1 - delta)/(1 + E), that is E^D > 1 + (1 - delta)(E - 1)/(delta (1 + E))."""
        limit = (1 - self.claimed) / (1 + self.factor)
        power = 1 + limit * (self.factor - 1) / self.claimed
        return least_integer(lambda D: D > 0 and exp(self.epsilon * D) > power, start=1)

    @cached_property
    def end(self) -> int:
        """The first D with r_D = 1: at n steps after the turn t, where E^n >= (E - 1)/delta + 2 - E^t."""
        self._check_degree(self.turn)
        power = (self.factor - 1) / self.claimed + 2 - exp(self.epsilon * self.turn)
        return self.turn + least_integer(lambda steps: steps > 0 and exp(self.epsilon * steps) >= power)

    def _missing(self, steps: int) -> Number:
        """1 - r at so many steps after the turn, before it is cut at 0."""
        x = exp(self.epsilon * -steps)
        return x * (1 - self._rising(self.turn)) - self.claimed * (1 - x) / (self.factor - 1)

    def release(self, distance: int) -> Number:
        """The closed form of the recursion."""
        if distance <= self.turn:
            return self._rising(distance)
        return ONE if distance >= self.end else 1 - self._missing(distance - self.turn)


CURVES: dict[str, type[ReleaseCurve]] = {
    kind.name: kind for kind in (NoisyThreshold, RandomisedThreshold, OptimalRelease)
}
"""The release curves by name."""
