"""The mode of a sequence of values, and how far it is from losing its place (T10).

The *gap* is the largest count minus the second largest; the mode is unique exactly when the gap is positive. Changing
one value moves the gap by at most 2, so the *distance* D = ceil(gap / 2) moves by at most 1: it is the number of
changes that it takes to make a tie.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from enum import Enum
from heapq import nlargest
from typing import NamedTuple


class Bottom(Enum):
    """The outcome of a mechanism that declines to answer."""

    BOTTOM = "⊥"

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.value


BOTTOM = Bottom.BOTTOM
"""The failure symbol; no value of any data is equal to it."""


class ModeStatistics(NamedTuple):
    """The most frequent value (of several, the first one seen; None of none), its count, and the next largest count."""

    mode: Hashable
    top: int
    second: int

    @property
    def gap(self) -> int:
        """The largest count minus the second largest; 0 when the mode is not unique."""
        return self.top - self.second

    @property
    def distance(self) -> int:
        """ceil(gap / 2)."""
        return distance_of(self.gap)


def distance_of(gap: int) -> int:
    """D = ceil(gap / 2): how many changed values can make a tie.

    >>> [distance_of(gap) for gap in range(5)]
    [0, 1, 1, 2, 2]
    """
    return (gap + 1) // 2


def mode_statistics(values: Iterable[Hashable]) -> ModeStatistics:
    """The mode, its count and the next largest count (0 if only one value occurs). Linear in the number of values.

    >>> mode_statistics("abracadabra")
    ModeStatistics(mode='a', top=5, second=2)
    """
    counts = Counter(iter(values))
    if not counts:
        return ModeStatistics(None, 0, 0)
    mode, top = max(counts.items(), key=lambda pair: pair[1])
    largest = nlargest(2, counts.values())
    return ModeStatistics(mode, top, largest[1] if len(largest) > 1 else 0)
