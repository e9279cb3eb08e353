"""The privacy profile delta(epsilon): the worst divergence over all pairs as a function of E = e^epsilon >= 1, exactly.

For one pair and one event S, P(S) - E*Q(S) is a line in E, and the profile is the upper envelope of all these lines:
convex, decreasing, and on a finite universe piecewise linear. It is found from its values alone: take the lines that
are active at two ends; where they cross, the profile either passes through the crossing, which is then a breakpoint, or
a steeper look gives a third line between them. Every step finds a new line or a breakpoint, so it ends when there are
finitely many; laws with irregular tails can have infinitely many, which accumulate, and are cut off with a note.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from exactdp.spec.divergence import Event
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.number import Number, exact
from exactdp.verify.decide import Decider, Worst

LOOKS_AT_MOST = 1000
IRREGULAR_LOOKS_AT_MOST = 24
"""Values of the profile that are computed; fewer where laws have irregular tails and breakpoints may never end."""


@dataclass(frozen=True)
class Segment:
    """From E = `start` to the next segment's start, delta = P(event) - E * Q(event), at the pair of datasets."""

    start: Number
    pair: tuple[int, int]
    event: Event

    def delta(self, factor: Number) -> Number:
        """The profile at a factor inside the segment."""
        return self.event.excess(factor)


@dataclass(frozen=True)
class Profile:
    """The whole profile from E = 1 on, as segments in ascending order; the last one reaches to infinity.

    `complete` is False when laws with irregular tails have more breakpoints than are listed; every listed line is a
    true lower bound of the profile even then.
    """

    segments: tuple[Segment, ...]
    complete: bool

    def delta(self, factor: Number) -> Number:
        """delta at e^epsilon = factor >= 1, by the listed segments."""
        at = exact(factor, "factor")
        if at < 1:
            raise InvalidArgument("factor", str(factor), "e^epsilon, a number of at least 1, such as exp('1/4')")
        return [s for s in self.segments if s.start <= at][-1].delta(at)

    @property
    def breakpoints(self) -> list[tuple[Number, Number]]:
        """Pairs (E, delta) at which the slope changes, E = 1 first."""
        return [(s.start, s.delta(s.start)) for s in self.segments]


def privacy_profile(decider: Decider) -> Profile:
    """The profile of all ordered pairs of neighbours of a universe."""
    looks = IRREGULAR_LOOKS_AT_MOST if decider.aligned.irregular else LOOKS_AT_MOST
    return envelope(decider.worst, _at_infinity(decider), looks)


def envelope(worst: Callable[[Number], Worst], final: Worst, looks: int = LOOKS_AT_MOST) -> Profile:
    """The upper envelope on [1, infinity) of the lines that `worst` gives, `final` being the last of them."""
    first = worst(Fraction(1))
    found: list[Segment] = [Segment(Fraction(1), first.pair, first.event)]
    todo = deque([(first, final)])
    complete = True
    while todo:
        left, right = todo.popleft()
        if left.event.q == right.event.q:
            continue
        crossing = (left.event.p - right.event.p) / (left.event.q - right.event.q)
        looks -= 1
        middle = worst(crossing) if looks >= 0 else left
        if middle.delta > left.event.excess(crossing) and looks >= 0:
            todo += [(left, middle), (middle, right)]
        else:
            found.append(Segment(crossing, right.pair, right.event))
            complete = complete and looks >= 0
    return Profile(_merged(found), complete)


def _merged(segments: list[Segment]) -> tuple[Segment, ...]:
    """In ascending order, without segments of no length: of several that start together the flattest goes on."""
    kept: list[Segment] = []
    steepest_first = sorted(segments, key=lambda s: s.event.q, reverse=True)
    for segment in sorted(steepest_first, key=lambda s: s.start):
        if kept and kept[-1].start == segment.start:
            kept.pop()
        kept.append(segment)
    return tuple(kept)


def _at_infinity(decider: Decider) -> Worst:
    """The largest probability of an event that a neighbour cannot give: what is left of delta at E = infinity."""
    best = Worst(Fraction(0), decider.universe.pairs[0], Event((), Fraction(0), Fraction(0)))
    for laws, pair in decider.universe.law_pairs.items():
        event = decider.aligned.impossible_event(*laws)
        if event.p > best.delta:
            best = Worst(event.p, pair, event)
    return best
