r"""Exact samplers: inversion with lazily read bits. No float, no rounding, no truncated tail.

**Inversion.** Let 0 <= B_0 <= B_1 <= ... be boundaries that end at or tend to 1, and U uniform in [0, 1). The
outcome J = #{k : B_k <= U} has P(J = j) = B_j - B_(j-1). U is read `word` bits at a time. Once b bits with
value v are read, U lies in the cell [v, v+1)/2^b; if no boundary lies strictly inside, every B_k is either <=
v/2^b, hence counted, or >= (v+1)/2^b > U, hence not: J is known. Otherwise one more word is read.

*The law is exact*: what is returned is the J of the whole infinite string U, known early; the strings for
which it is never known (U a boundary with an endless expansion, or U = 0.111... under a tail) have
probability 0.

*The decision is exact*: B_k lies strictly inside the cell if and only if floor(2^b B_k) = v and 2^b B_k is no
integer. At the first word this is one bisection in a table of floors and one look-up among the ambiguous
words; beyond it, the floors at b bits are computed on demand.

*Expected words*: at most m cells are undecided when there are m boundaries, so P(more than i words) <= m
2^(-iw) and the mean is at most 1 + m/(2^w - 1). For a tail B_k = 1 - O(e^(-rate*k)) the cells of i words that
hold a boundary are the last one and at most i*w*ln(2)/rate + O(1) others. With 64-bit words, a second one is
read about once in 2^54 draws.

**Digits.** A geometric variable K >= 0 with P(K = k) = (1-x) x^k, x = e^(-rate), written K = r_0 + r_1 N +
... + r_(d-1) N^(d-1) + N^d Q with 0 <= r_i < N, has x^K = x^(r_0) (x^N)^(r_1) ... (x^(N^d))^Q: the mass is a
product over a product set, so the digits and Q are independent, r_i with P(r) = (1-X) X^r/(1-X^N) on [0, N)
for X = x^(N^i), and Q geometric with ratio x^(N^d). d is the least number of digits that leaves Q a short
table; any d gives the same law.

**Two sides.** Let P(K = k) = (1-x)/(1+x) x^|k| on the integers. With the sign bit s = [K < 0] and M = K or M
= -1-K (the complement of K) respectively, P(s = 0, M = m) = (1-x) x^m / (1+x) and P(s = 1, M = m) = (1-x)
x^(m+1) / (1+x): s and M are independent, M is geometric as above, P(s = 1) = x/(1+x), and nothing is
rejected. The sign is drawn in the same table as the top part Q of M. So a draw costs d + 1 words, and one
word when the scale is at most about 23.

The time of a draw depends slightly on its value (a bisection); these samplers make no claim against timing
attacks.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm

import numpy as np
from numpy.typing import NDArray

from exactdp.reference.boundaries import (
    Boundaries,
    DigitBoundaries,
    NumberBoundaries,
    PowerBoundaries,
    RationalBoundaries,
    SignedTailBoundaries,
    TailBoundaries,
    bracket,
)
from exactdp.reference.entropy import BitSource, WordSource
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Exponent
from exactdp.spec.number import Exact, Number, exact

INT64_BITS = 63
NOT_SYMBOLIC = "a value for epsilon: only a law with numbers in it can be sampled"


class Inversion:
    """The law with given boundaries, sampled by the argument at the head of this module; never changes."""

    __slots__ = ("_array", "_below", "ambiguous", "boundaries", "table", "word")

    def __init__(self, boundaries: Boundaries, word: int = 64) -> None:
        self.boundaries = boundaries
        self.word = _word(word)
        self.table, self.ambiguous = _tabulate(boundaries, word)
        self._array = np.array(self.table, dtype=np.uint64)
        self._below = np.array(self.table[:1] + self.table if self.table else [0], dtype=np.uint64)

    def draw(self, source: BitSource) -> int:
        """One outcome."""
        first = source.bits(self.word)
        return self.settle(first, source) if first in self.ambiguous else bisect_right(self.table, first)

    def draw_many(self, source: BitSource, count: int) -> NDArray[np.int64]:
        """Independent outcomes: all first words are read first, then further words where they are needed.

        Raises `InvalidArgument` for a negative count, and should an outcome not fit into 64 bits.
        """
        first = _first_words(source, self.word, count)
        outcomes = np.searchsorted(self._array, first, side="right").astype(np.int64, copy=False)
        for i in np.flatnonzero(self._below[outcomes] == first).tolist():
            if (prefix := int(first[i])) in self.ambiguous:
                outcomes[i] = _fits(self.settle(prefix, source))
        return outcomes

    def settle(self, prefix: int, source: BitSource) -> int:
        """The outcome after a first word `prefix`, by reading on until no boundary lies inside the cell."""
        bits, low, high = self.word, 0, self.boundaries.count
        while True:
            low = self._first_beyond(prefix, bits, low, high, closed=False)
            if self.boundaries.count is not None or prefix + 1 < 1 << bits:
                high = self._first_beyond(prefix, bits, low, high, closed=True)
            if low == high:
                return low
            prefix = prefix << self.word | source.bits(self.word)
            bits += self.word

    def _first_beyond(self, prefix: int, bits: int, start: int, stop: int | None, *, closed: bool) -> int:
        """The first k >= start with 2^bits B_k > prefix, or >= prefix + 1 if `closed`; else `stop`."""

        def beyond(k: int) -> bool:
            floor, exactly = self.boundaries.floor(k, bits)
            return floor > prefix or (not closed and floor == prefix and not exactly)

        if stop is None:
            width = 1
            while not beyond(start + width):
                width *= 2
            stop = start + width
        return start + bisect_left(range(start, stop), True, key=beyond)


class Categorical(Inversion):
    """Finitely many outcomes 0, 1, ... with exact masses.

    A mass is a Fraction, an `Exact`, a whole number or text such as "1/3". Raises `InvalidArgument` for no
    masses, a negative mass, a float, or a sum that is not 1.

    >>> Categorical(["1/2", "1/4", "1/4"]).table == [2**63, 3 * 2**62]
    True
    """

    __slots__ = ()

    def __init__(self, masses: Iterable[Number | int | str], word: int = 64) -> None:
        numbers = [exact(mass, "masses") for mass in masses]
        _check_masses(numbers)
        while numbers[-1] == 0:
            numbers.pop()
        rationals = [number for number in numbers if isinstance(number, Fraction)]
        if len(rationals) < len(numbers):
            super().__init__(NumberBoundaries(numbers), word)
        else:
            common = lcm(*(number.denominator for number in rationals))
            weights = [number.numerator * (common // number.denominator) for number in rationals]
            super().__init__(RationalBoundaries(weights), word)

    @staticmethod
    def of_weights(weights: Sequence[int], word: int = 64) -> Inversion:
        """Outcome i with mass weights[i]/sum(weights), integers >= 0. Raises `InvalidArgument`."""
        whole = [int(weight) for weight in weights if type(weight) is int and weight >= 0]
        if len(whole) < len(weights) or not any(whole):
            raise InvalidArgument("weights", weights, "integers that are not negative, and not all 0")
        while whole[-1] == 0:
            whole.pop()
        return Inversion(RationalBoundaries(whole), word)


def bernoulli(probability: Number | int | str, word: int = 64) -> Categorical:
    """A sampler of 1 with the given exact probability, of 0 otherwise. Raises `InvalidArgument`.

    >>> bernoulli("1/4", word=8).table
    [192]
    """
    mass = exact(probability, "probability")
    return Categorical([1 - mass, mass], word)


class UniformInteger:
    """Uniform on 0, ..., count - 1, by the boundaries k/count; never changes.

    With b bits of value v read, count*U*2^b lies in [v*count, v*count + count), so the outcome is known if
    and only if v*count and v*count + count - 1 have the same quotient by 2^b. Raises `InvalidArgument` for a
    count below 1.
    """

    __slots__ = ("count", "word")

    def __init__(self, count: int, word: int = 64) -> None:
        if type(count) is not int or count < 1:
            raise InvalidArgument("count", count, "a whole number of at least 1")
        self.count = count
        self.word = _word(word)

    def draw(self, source: BitSource) -> int:
        """One outcome."""
        return self._settle(source.bits(self.word), source)

    def draw_many(self, source: BitSource, count: int) -> NDArray[np.int64]:
        """Independent outcomes. Raises `InvalidArgument` for a negative count, or a range beyond 63 bits."""
        _fits(self.count - 1)
        first = _first_words(source, self.word, count)
        if self.word < 64 or self.count > 1 << 32:
            return np.array([self._settle(int(word), source) for word in first], dtype=np.int64)
        size, half = np.uint64(self.count), np.uint64(32)
        # The upper half of the 128-bit product first * size: no overflow, since size <= 2^32.
        lower_part = (first & np.uint64(0xFFFFFFFF)) * size >> half
        outcomes = (((first >> half) * size + lower_part) >> half).astype(np.int64)
        undecided = first * size > np.uint64(2**64 - self.count)
        for i in np.flatnonzero(undecided).tolist():
            outcomes[i] = self._settle(int(first[i]), source)
        return outcomes

    def _settle(self, prefix: int, source: BitSource) -> int:
        count, bits = self.count, self.word
        while True:
            product = prefix * count
            outcome = product >> bits
            if (product + count - 1) >> bits == outcome:
                return outcome
            prefix = prefix << self.word | source.bits(self.word)
            bits += self.word


class Geometric:
    """P(K = k) = (1-x) x^k on 0, 1, 2, ... with x = e^(-rate), rate rational or a multiple of a logarithm.

    `inversions` holds the tables, the top part first. `digit_bits` sets the digits' size N = 2^digit_bits; it
    changes the speed, never the law. Never changes. Raises `InvalidArgument` for a rate that is not positive
    or is symbolic.
    """

    __slots__ = ("_stages", "digit_bits", "inversions", "rate", "word")
    signed = False

    def __init__(self, rate: Exponent, word: int = 64, *, digit_bits: int = 8) -> None:
        self.rate = _rate(rate)
        self.word = _word(word)
        self.digit_bits = digit_bits
        self.inversions = _inversions(self.rate, word, digit_bits, self.signed)
        self._stages = tuple((each.table, each.ambiguous, each.settle) for each in self.inversions)

    def draw(self, source: BitSource) -> int:
        """One outcome, of any size."""
        bits, word, shift = source.bits, self.word, self.digit_bits
        value = 0
        for table, ambiguous, settle in self._stages:
            first = bits(word)
            digit = settle(first, source) if first in ambiguous else bisect_right(table, first)
            value = value << shift | digit
        return value

    def draw_many(self, source: BitSource, count: int) -> NDArray[np.int64]:
        """Independent outcomes, read table by table; where `draw` has no limit, these are 64-bit integers.

        Raises `InvalidArgument` for a negative count; for a scale so large that the table reaches beyond 64
        bits (about 2 * 10^17), before anything is drawn; and, with probability below 2^-64 per draw, for one
        such outcome.
        """
        top, *digits = self.inversions
        lowest = self.digit_bits * len(digits)
        _fits(len(top.table) << lowest)
        values = top.draw_many(source, count)
        _fits(int(values.max(initial=0)) + 1 << lowest)
        for digit in digits:
            values = values << self.digit_bits | digit.draw_many(source, count)
        return values


class TwoSidedGeometric(Geometric):
    """P(K = k) = (1-x)/(1+x) x^|k| on all integers, x = e^(-rate): the discrete Laplace law of scale 1/rate.

    Arguments, limits and errors are those of `Geometric`.
    """

    __slots__ = ()
    signed = True

    def draw(self, source: BitSource) -> int:
        """One outcome, of any size."""
        code = super().draw(source)
        lowest = (len(self._stages) - 1) * self.digit_bits
        if lowest:
            rest = code & ((1 << lowest) - 1)
            code >>= lowest
            return (code >> 1 << lowest | rest) ^ -(code & 1)
        return (code >> 1) ^ -(code & 1)

    def draw_many(self, source: BitSource, count: int) -> NDArray[np.int64]:
        """As for `Geometric`."""
        code = super().draw_many(source, count)
        lowest = (len(self._stages) - 1) * self.digit_bits
        rest = code & ((1 << lowest) - 1)
        code >>= lowest
        return (code >> 1 << lowest | rest) ^ -(code & 1)


@lru_cache(maxsize=256)
def _inversions(rate: Exponent, word: int, digit_bits: int, signed: bool) -> tuple[Inversion, ...]:
    """The tables of a geometric variable, the top part first, with the fewest digits that keep it short."""
    if type(digit_bits) is not int or not 1 <= digit_bits <= 16:
        raise InvalidArgument("digit_bits", digit_bits, "a whole number from 1 to 16")
    size, step, digits = 1 << digit_bits, 1, list[Inversion]()
    while bracket(rate * (4 * size * step), word)[0] > 0:
        digits.append(Inversion(DigitBoundaries(rate * step, size), word))
        step *= size
    top = SignedTailBoundaries(rate, step) if signed else TailBoundaries(rate, step)
    return Inversion(top, word), *reversed(digits)


def _tabulate(boundaries: Boundaries, word: int) -> tuple[list[int], frozenset[int]]:
    """The floors at one word, and the words whose cells hold a boundary; a tail goes on in the last cell."""
    table, ambiguous, last = list[int](), set[int](), (1 << word) - 1
    while len(table) != boundaries.count:
        floor, exactly = boundaries.floor(len(table), word)
        table.append(floor)
        if not exactly:
            ambiguous.add(floor)
        if boundaries.count is None and floor == last:
            ambiguous.add(last)
            break
    if isinstance(boundaries, PowerBoundaries):
        boundaries.forget()
    return table, frozenset(ambiguous)


def _first_words(source: BitSource, word: int, count: int) -> NDArray[np.uint64]:
    if type(count) is not int or count < 0:
        raise InvalidArgument("count", count, "a whole number that is not negative")
    if word == 64 and isinstance(source, WordSource):
        return source.words(count)
    return np.fromiter((source.bits(word) for _ in range(count)), dtype=np.uint64, count=count)


def _fits(value: int) -> int:
    if value >> INT64_BITS:
        raise InvalidArgument("draw_many", value, "outcomes that fit into 64 bits; use draw for larger ones")
    return value


def _word(word: int) -> int:
    if type(word) is not int or not 1 <= word <= 64:
        raise InvalidArgument("word", word, "a whole number of bits from 1 to 64")
    return word


def _rate(rate: Exponent) -> Exponent:
    if not isinstance(rate, Exponent):
        raise InvalidArgument("rate", rate, "an exponent, such as Epsilon('1/2') or Epsilon('ln(3)') / 2")
    if rate.unit.symbolic:
        raise InvalidArgument("epsilon", str(rate), NOT_SYMBOLIC)
    if rate.coefficient <= 0:
        raise InvalidArgument("rate", str(rate), "a positive rate")
    return Exponent(rate.coefficient, rate.unit)


def _check_masses(masses: Sequence[Number]) -> None:
    if not masses:
        raise InvalidArgument("masses", [], "at least one mass")
    for mass in masses:
        if isinstance(mass, Exact) and mass.base.unit.symbolic:
            raise InvalidArgument("masses", mass, NOT_SYMBOLIC)
        if mass < 0:
            raise InvalidArgument("masses", mass, "masses that are not negative")
    total: Number = Fraction(0)
    for mass in masses:
        total = total + mass
    if total != 1:
        raise InvalidArgument("masses", total, "masses that sum to 1")
