"""What a path knows about its unknown integers: an interval for each, and intervals for differences and sums of two.

All bounds are integers or None (infinite). Differences are tightened through each other by shortest paths, so a
comparison that is already settled never branches; difference bounds over the integers have a solution exactly if they
have no negative cycle, so a branch that is entered is really possible wherever densities are positive. Sums of two
unknowns are not tightened through others; where they contradict the rest, the path is dropped.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from exactdp.spec.piecewise import Bound, Interval, intersection

FREE: Interval = (None, None)
ORIGIN = -1
"""The node that stands for the constant 0 in differences."""


class Impossible(BaseException):
    """Ends a path whose constraints contradict each other: probability 0. No Exception, so programs let it pass."""


@dataclass(frozen=True, slots=True)
class Link:
    """The quantity K_first - K_second (`sign` 1) or K_first + K_second (`sign` -1), first < second."""

    first: int
    second: int
    sign: int


@dataclass
class Constraints:
    """Intervals of the unknowns and of the linked pairs."""

    intervals: list[Interval] = field(default_factory=list)
    links: dict[Link, Interval] = field(default_factory=dict)

    def add(self, interval: Interval) -> int:
        """A new unknown in the interval; returns its number."""
        self.intervals.append(interval)
        return len(self.intervals) - 1

    def narrow(self, unknown: int, interval: Interval) -> None:
        """Adds that the unknown lies in the interval."""
        self.intervals[unknown] = _common(self.intervals[unknown], interval)

    def relate(self, link: Link, interval: Interval) -> None:
        """Adds that the linked quantity lies in the interval."""
        self.links[link] = _common(self.links.get(link, FREE), interval)

    def range_of(self, unknown: int) -> Interval:
        """The tightest interval of an unknown that follows."""
        if not self.links or all(interval == FREE for interval in self.intervals):
            return self.intervals[unknown]
        return _negative(self._highest(ORIGIN, unknown)), self._highest(unknown, ORIGIN)

    def range_of_link(self, link: Link) -> Interval:
        """The tightest interval of a linked quantity that follows (for sums: from the unknowns' ranges)."""
        known = self.links.get(link, FREE)
        if any(self._is_free(unknown) for unknown in (link.first, link.second)):
            return FREE
        if link.sign == 1:
            low, high = (
                _negative(self._highest(link.second, link.first)),
                self._highest(link.first, link.second),
            )
        else:
            one, two = self.range_of(link.first), self.range_of(link.second)
            low, high = _plus(one[0], two[0]), _plus(one[1], two[1])
        return _common(known, (low, high))

    def without_implied(self) -> dict[Link, Interval]:
        """The links that do not already follow from the other links and the intervals."""
        kept = Constraints(list(self.intervals), dict(self.links))
        for link, interval in self.links.items():
            del kept.links[link]
            if not _inside(kept.range_of_link(link), interval):
                kept.links[link] = interval
        return kept.links

    def _is_free(self, unknown: int) -> bool:
        """Whether nothing at all is known of the unknown."""
        linked = any(unknown in (link.first, link.second) for link in self.links)
        return not linked and self.intervals[unknown] == FREE

    def _highest(self, top: int, bottom: int) -> Bound:
        """The least upper bound of K_top - K_bottom that follows, by Bellman and Ford."""
        best: dict[int, int] = {top: 0}
        frontier = [top]
        most = (len(self.intervals) + 1) ** 2 * (len(self.links) + 1)
        for looks in count():
            if not frontier:
                break
            if looks > most:
                raise Impossible
            node = frontier.pop(0)
            for other, weight in self._steps(node):
                length = best[node] + weight
                if other not in best or length < best[other]:
                    best[other] = length
                    frontier.append(other)
        return best.get(bottom)

    def _steps(self, node: int) -> Iterator[tuple[int, int]]:
        """Pairs (m, w) with K_node - K_m <= w."""
        if node == ORIGIN:
            for unknown, (low, _) in enumerate(self.intervals):
                if low is not None:
                    yield unknown, -low
            return
        high = self.intervals[node][1]
        if high is not None:
            yield ORIGIN, high
        for link, (low, up) in self.links.items():
            if link.sign == 1 and link.first == node and up is not None:
                yield link.second, up
            if link.sign == 1 and link.second == node and low is not None:
                yield link.first, -low


def _common(one: Interval, two: Interval) -> Interval:
    both = intersection(one, two)
    if both is None:
        raise Impossible
    return both


def _inside(inner: Interval, outer: Interval) -> bool:
    low = outer[0] is None or (inner[0] is not None and inner[0] >= outer[0])
    return low and (outer[1] is None or (inner[1] is not None and inner[1] <= outer[1]))


def _plus(one: Bound, two: Bound) -> Bound:
    return None if one is None or two is None else one + two


def _negative(bound: Bound) -> Bound:
    return None if bound is None else -bound
