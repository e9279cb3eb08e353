"""Who takes which outcome, in every way that is possible: the assignments of a coupling, merged set by set.

The recursion is that of `exactdp.spec.joint`, read forwards: from the set of all laws, by the next accepted point, to
smaller and smaller sets of laws without a value, with one denominator for each set.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from exactdp.spec.errors import BudgetExceeded
from exactdp.spec.table import Element, Table, scaled


class Moves(NamedTuple):
    """What the next accepted point does: by the set of laws left, pairs (added to the code, weight); the total."""

    by_rest: dict[int, list[tuple[int, Element]]]
    total: Element


class Process:
    """The process as seen by a set of laws without a value; a set is an int of bits.

    An assignment is coded as an int with a field of `width` bits for each law, the first law's the highest; the field
    holds the number of the law's outcome, or 0 as long as it has none.
    """

    def __init__(self, table: Table, width: int) -> None:
        self.ring = table.ring
        self.levels = [table.levels(y) for y in range(len(table.outcomes))]
        self.everybody = (1 << len(table.columns)) - 1
        self._fields = [1 << width * i for i in reversed(range(len(table.columns)))]

    def moves(self, waiting: int) -> Moves:
        """All moves of a set of laws that is not empty, the weights without their common divisor."""
        steps = [(y, *step) for y, levels in enumerate(self.levels) for step in _steps(levels, waiting)]
        divisor = steps[0][2]
        for _, _, weight in steps:
            if divisor == 1:
                break
            divisor = self.ring.gcd(divisor, weight)
        by_rest: dict[int, list[tuple[int, Element]]] = {}
        for y, taken, weight in steps:
            by_rest.setdefault(waiting & ~taken, []).append((y * self._spread(taken), weight // divisor))
        return Moves(by_rest, sum(weight for moves in by_rest.values() for _, weight in moves))

    def _spread(self, taken: int) -> int:
        return sum(field for i, field in enumerate(self._fields) if taken >> i & 1)

    def denominators(self) -> dict[int, Element]:
        """For every set that can be left a common denominator of the probabilities of the assignments that leave it."""
        found: dict[int, Element] = {self.everybody: 1}
        queue = [-self.everybody]
        while queue:
            waiting = -heappop(queue)
            by_rest, total = self.moves(waiting)
            den = found[waiting] * total
            for rest in by_rest:
                if rest and rest not in found:
                    heappush(queue, -rest)
                found[rest] = self.ring.lcm(found[rest], den) if rest in found else den
        return found


def _steps(levels: list[tuple[int, Element]], waiting: int) -> Iterator[tuple[int, Element]]:
    """At one outcome: the sets that take it together and the weight of each, which is the gap to the next mass."""
    taken, last = 0, None
    for laws, mass in levels:
        if laws & waiting:
            if taken:
                yield taken, last - mass
            taken, last = taken | laws & waiting, mass
    if taken:
        yield taken, last


def enumerate_assignments(table: Table, width: int, budget: int) -> tuple[dict[int, Element], Element]:
    """All full assignments with their probabilities, as numerators over one denominator.

    Sets are taken in descending order, and so after all sets that contain them. A set's assignments are dropped as
    soon as they have been extended.
    """
    process = Process(table, width)
    dens = process.denominators()
    found: dict[int, dict[int, Element]] = {process.everybody: {0: 1}}
    for waiting in sorted(dens, reverse=True)[:-1]:
        by_rest, total = process.moves(waiting)
        den, block = dens.pop(waiting) * total, found.pop(waiting)
        codes, numerators = list(block), list(block.values())
        del block
        for rest, moves in by_rest.items():
            _extend(found.setdefault(rest, {}), codes, scaled(numerators, dens[rest] // den), moves)
            _must_fit(len(found[rest]), budget)
    return found[0], dens[0]


def _extend(
    target: dict[int, Element], codes: list[int], numerators: list[Element], moves: list[tuple[int, Element]]
) -> None:
    for added, weight in moves:
        if not target:
            target.update(zip([code + added for code in codes], [weight * x for x in numerators], strict=True))
            continue
        known = target.get
        for code, x in zip(codes, numerators, strict=True):
            target[code + added] = known(code + added, 0) + weight * x


def _must_fit(held: int, budget: int) -> None:
    if held > budget:
        raise BudgetExceeded(
            f"the joint law has more than {budget} outcomes; give joint_law a larger budget to have the whole table",
            estimate=held,
            budget=budget,
        )
