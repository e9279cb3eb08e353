"""Summing unknown integers out of a path: closed forms for every forest of comparisons.

The unknowns of a path are independent draws, cut by intervals and by links between two of them. Where the links form a
forest, it is summed leaf by leaf: a leaf's density, summed over the window that the link leaves it, becomes a function
of its neighbour, again piecewise exponential polynomial. A threshold with all its answers is a star, a running maximum
a tree, a sorted list a chain. Results are shared between paths and datasets by a memo.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from exactdp.reference.constraints import Constraints, Link
from exactdp.spec.number import Number
from exactdp.spec.piecewise import Bound, Interval, Piecewise

SQUARES_PER_STEP = 500
"""What makes a new density count as more than one step: arithmetic grows with the square of its size."""


@dataclass
class Memo:
    """Densities, numbered by what they are made of; shared by everything that is enumerated together."""

    charge: Callable[[int], None] = lambda cost: None
    """Told of the work that a new density was, by its size."""

    numbers: dict[Hashable, int] = field(default_factory=dict)
    densities: list[Piecewise] = field(default_factory=list)
    totals: dict[int, Number] = field(default_factory=dict)

    def number(self, key: Hashable, make: Callable[[], Piecewise]) -> int:
        """The number of the density that `key` describes; it is made when it is new."""
        if key not in self.numbers:
            density = make()
            self.charge(1 + density.size**2 // SQUARES_PER_STEP)
            self.numbers[key] = len(self.densities)
            self.densities.append(density)
        return self.numbers[key]

    def total(self, number: int) -> Number:
        """The mass of a numbered density."""
        if number not in self.totals:
            self.totals[number] = self.densities[number].total()
        return self.totals[number]


@dataclass(frozen=True)
class Unknown:
    """The density of one draw, and a key that equals another's only if the densities are equal."""

    key: Hashable
    density: Piecewise


class Forest:
    """The unknowns of one path with their links, ready to be summed out."""

    def __init__(self, unknowns: list[Unknown], constraints: Constraints, memo: Memo) -> None:
        self.unknowns = unknowns
        self.intervals = constraints.intervals
        self.memo = memo
        links = constraints.links
        if _has_cycle(len(unknowns), links):
            links = constraints.without_implied()
        self.cycle = _has_cycle(len(unknowns), links)
        self.neighbours: list[list[tuple[int, Link, Interval]]] = [[] for _ in unknowns]
        for link, interval in links.items():
            self.neighbours[link.first].append((link.second, link, interval))
            self.neighbours[link.second].append((link.first, link, interval))

    def component(self, root: int) -> list[int]:
        """The unknowns that are linked with `root`, directly or not."""
        seen = [root]
        for node in seen:
            seen += [other for other, _, _ in self.neighbours[node] if other not in seen]
        return seen

    def density(self, root: int) -> Piecewise:
        """The density of `root` with everything that hangs on it summed out."""
        return self.memo.densities[self._node(root, None)]

    def total(self, roots: Iterable[int]) -> Number:
        """The product of the masses of the components of the given unknowns."""
        result: Number = Fraction(1)
        for root in roots:
            center = max(self.component(root), key=lambda v: (len(self.neighbours[v]), -v))
            result = result * self.memo.total(self._node(center, None))
        return result

    def _node(self, node: int, parent: int | None) -> int:
        """The density of a node times all messages from below, by its number in the memo."""
        unknown, interval = self.unknowns[node], self.intervals[node]
        memo = self.memo
        number = memo.number((unknown.key, interval), lambda: unknown.density.restricted(*interval))
        below = [(child, link, span) for child, link, span in self.neighbours[node] if child != parent]
        for message in sorted(self._message(child, link, span, node) for child, link, span in below):
            number = memo.number(("product", number, message), partial(_product, memo, number, message))
        return number

    def _message(self, child: int, link: Link, span: Interval, parent: int) -> int:
        """The child summed out, as a function of the parent: over low <= K_first - sign * K_second <= high."""
        low, high = span
        if link.sign == 1 and child == link.second:
            low, high = _negative(high), _negative(low)
        below = self._node(child, parent)
        return self.memo.number(
            ("sum", below, low, high, link.sign), partial(_window, self.memo, below, low, high, link)
        )


def _product(memo: Memo, one: int, two: int) -> Piecewise:
    return memo.densities[one] * memo.densities[two]


def _window(memo: Memo, number: int, low: Bound, high: Bound, link: Link) -> Piecewise:
    window = memo.densities[number].window(low, high)
    return window if link.sign == 1 else window.mirrored()


def _negative(bound: Bound) -> Bound:
    return None if bound is None else -bound


def _has_cycle(count: int, links: Iterable[Link]) -> bool:
    group = list(range(count))

    def find(node: int) -> int:
        while group[node] != node:
            node = group[node]
        return node

    for link in links:
        one, two = find(link.first), find(link.second)
        if one == two:
            return True
        group[one] = two
    return False
