"""Aggregate's exact law from counts: how often each of few distinct laws stands in the tuple, however long that is.

Equal laws are drawn equal, so the coupling needs the distinct laws alone. What matters of a joint draw is which of them
agree: a *pattern*, a partition of the distinct laws into blocks with one value each. Under count vector c a block is as
frequent as the sum of its laws' counts, and so every pattern has a distance D(c) and, where D(c) > 0, a winning block:

    Pr[Aggregate = y] = sum over patterns of r_{D(c)} * Pr[pattern, and its winning block has the value y].

The measures on the right do not depend on c, so the law for many count vectors, or for a random one, is a sum over
(pattern, winning block, distance). Paper: T8, for Algorithms 1 and 2 at the theorems' own k.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactdp.reference.aggregate import sample_length
from exactdp.reference.mode import StabilityBasedMode, checked_mode
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law
from exactdp.spec.number import Exact, Number
from exactdp.spec.vector import vector

Counts = tuple[int, ...]
CountTable = NDArray[np.int64]
"""A count vector in each row."""
Measure = Mapping[Hashable, Number]

BUDGET = 200_000_000
"""How many entries of sequences are written out: l for each sequence of length l, and those of its beginnings."""

LARGEST_COUNT = 1 << 62
"""Count vectors with a larger sum are refused; tables hold words of 64 bits."""


class Pattern(NamedTuple):
    """A partition of the distinct laws by equal values, and for each block the measure of its value.

    `values[i][y]` is the probability of this pattern with value y on blocks[i]; every one has total `mass`.
    """

    blocks: tuple[tuple[int, ...], ...]
    values: tuple[Measure, ...]
    mass: Number

    def winner(self, counts: Sequence[int]) -> tuple[int, int]:
        """The winning block and its distance D under these counts; any block and 0 where two are equally frequent."""
        blocks, distances = self.winners(np.array([counts], dtype=np.int64))
        return int(blocks[0]), int(distances[0])

    def winners(self, table: CountTable) -> tuple[NDArray[np.intp], CountTable]:
        """The same for every row of a table of count vectors."""
        sizes = np.stack([table[:, list(block)].sum(axis=1) for block in self.blocks])
        second = np.partition(sizes, -2, axis=0)[-2] if len(sizes) > 1 else np.zeros(len(table), dtype=np.int64)
        return sizes.argmax(axis=0), (sizes.max(axis=0) - second + 1) // 2


@dataclass(frozen=True)
class CountedAggregate:
    """Aggregate on tuples with entries from `laws`, distinct finite laws, as a function of their counts.

    Raises `InvalidArgument`, and `BudgetExceeded` when the sequences of this length are too many.
    """

    laws: tuple[Law, ...]
    mode: StabilityBasedMode
    length: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "laws", _checked_laws(self.laws))
        checked_mode(self.mode)
        _check_sequences(max(len(law) for law in self.laws), sample_length(self.length))

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """All patterns of positive probability."""
        joint = joint_law([law.power(self.length) for law in self.laws])
        measures: dict[tuple[tuple[int, ...], ...], dict[tuple[Hashable, ...], list[Number]]] = {}
        for assignment, mass in joint.items():
            assert isinstance(assignment, tuple), "a joint law is a law over tuples"
            places: dict[Hashable, list[int]] = {}
            for i, y in enumerate(assignment):
                places.setdefault(y, []).append(i)
            found = measures.setdefault(tuple(map(tuple, places.values())), {})
            found.setdefault(tuple(places), []).append(mass)
        return tuple(_pattern(blocks, found) for blocks, found in measures.items())

    def law(self, counts: Sequence[int]) -> Law:
        """The law of Aggregate when laws[i] occurs counts[i] times. Raises `InvalidArgument`.

        >>> from exactdp.spec.release_curve import NoisyThreshold
        >>> mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
        >>> B, C = Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"})
        >>> law = CountedAggregate((B, C), mode, length=2).law((2, 1))
        >>> law[0, 0], law[1, 1]
        (Fraction(13, 48), Fraction(5, 126))
        """
        return self.mixture([(counts, 1)])

    def mixture(self, weights: Iterable[tuple[Sequence[int], Number | int]]) -> Law:
        """The law of Aggregate when the count vector is random, with probabilities proportional to `weights`."""
        given = list(weights)
        table, amounts = self._table([counts for counts, _ in given]), [weight for _, weight in given]
        whole = sum(amounts) if set(map(type, amounts)) <= {int, Fraction, Exact} else 0
        if not whole or any(weight < 0 for weight in amounts if not isinstance(weight, Exact)):
            raise InvalidArgument("weights", amounts, "exact numbers of at least 0, not all of them 0")
        summed: dict[tuple[int, int, int], Number | int] = {}
        for n, pattern in enumerate(self.patterns):
            blocks, distances = pattern.winners(table)
            for block, distance, weight in zip(blocks.tolist(), distances.tolist(), amounts, strict=True):
                if distance:
                    key = n, block, distance
                    summed[key] = summed.get(key, 0) + weight
        return self.law_of_sums(summed, whole)

    def law_of_sums(self, summed: Mapping[tuple[int, int, int], Number | int], whole: Number | int) -> Law:
        """The law from the weights of each (pattern, winning block, distance > 0), over their total `whole`."""
        curve, parts = self.mode.curve, dict[tuple[int, int], list[Number]]()
        for (n, block, distance), weight in summed.items():
            parts.setdefault((n, block), []).append(curve[distance] * weight)
        masses: dict[Hashable, list[Number]] = {}
        for (n, block), numbers in parts.items():
            released = vector(numbers).total() / whole
            for y, mass in self.patterns[n].values[block].items():
                masses.setdefault(y, []).append(mass * released)
        answers: dict[Hashable, Number] = {y: vector(numbers).total() for y, numbers in masses.items()}
        default = self.mode.default
        others: list[Number] = [mass for y, mass in answers.items() if y != default]
        return Law({**answers, default: 1 - (vector(others).total() if others else 0)})

    def _table(self, vectors: Sequence[Sequence[int]]) -> CountTable:
        r = len(self.laws)
        for counts in vectors:
            if not are_counts(counts, r) or not 0 < sum(counts) <= LARGEST_COUNT:
                expected = f"one count, an int of at least 0, for each of the {r} laws, not all of them 0"
                raise InvalidArgument("counts", counts, expected)
        if not vectors:
            raise InvalidArgument("weights", [], "at least one count vector with its weight")
        return np.array(vectors, dtype=np.int64)


def are_counts(values: object, number: int) -> bool:
    """Whether this is a row of so many counts, ints of at least 0.

    >>> are_counts((2, 0), 2), are_counts((2, 1.0), 2), are_counts(b"ab", 2), are_counts(None, 2)
    (True, False, False, False)
    """
    if type(values) is not tuple and (not isinstance(values, Sequence) or isinstance(values, (bytes, bytearray))):
        return False
    return len(values) == number and all(type(n) is int and n >= 0 for n in values)


def _checked_laws(laws: object) -> tuple[Law, ...]:
    """A tuple of distinct finite laws. Raises `InvalidArgument`."""
    if not isinstance(laws, Sequence) or not laws:
        raise InvalidArgument("laws", laws, "a tuple of at least one law")
    for i, law in enumerate(laws):
        if not isinstance(law, Law) or not law.is_finite:
            raise InvalidArgument(f"laws[{i}]", law, "a finite law, such as Law({'a': '1/3', 'b': '2/3'})")
    if len(set(laws)) < len(laws):
        raise InvalidArgument("laws", list(laws), "distinct laws: how often each occurs is said by the counts")
    return tuple(laws)


def _check_sequences(outcomes: int, length: int) -> None:
    """Raises `BudgetExceeded` unless the sequences of this length, and their beginnings, can be written out."""
    entries = length * length // 2 if outcomes == 1 else 2 * length * outcomes ** min(length, 64)
    if entries > BUDGET:
        raise BudgetExceeded(
            f"{outcomes} outcomes have too many sequences of length {length} to write out; an exact law needs a "
            "shorter length or fewer outcomes (a sequence can be drawn without its law)",
            estimate=entries,
            budget=BUDGET,
        )


def _pattern(blocks: tuple[tuple[int, ...], ...], found: Mapping[tuple[Hashable, ...], list[Number]]) -> Pattern:
    totals = {values: vector(masses).total() for values, masses in found.items()}
    measures: list[Measure] = []
    for i in range(len(blocks)):
        measure: dict[Hashable, Number] = {}
        for values, mass in totals.items():
            measure[values[i]] = measure.get(values[i], Fraction(0)) + mass
        measures.append(measure)
    return Pattern(blocks, tuple(measures), vector(list(totals.values())).total())
