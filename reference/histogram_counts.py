"""The law of the count vector of learner outputs, given the histogram of the records: a power series, in one sweep.

Given the histogram h of b k records, permuted uniformly, the k blocks are exchangeable and

    Pr[c] = [x^h u^c] P(x, u)^k / [x^h] P(x, 1)^k,    P(x, u) = sum over types tau of x^tau sum_i w[tau][i] u_i,

with the integer weights w of `BlockOutputs`: a word of b k records with histogram h is a word of k blocks, and all such
words are equally likely. Paper: T8, for the permutation and the blocks of Algorithm 2.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import chain
from math import comb, prod
from struct import iter_unpack
from typing import Any

from exactdp.reference.blocks import BlockOutputs, Histogram, multinomial
from exactdp.reference.counted import Counts, are_counts
from exactdp.reference.sampler import checked_count
from exactdp.spec.errors import BudgetExceeded, InvalidArgument

BUDGET = 2_000_000_000
"""Word operations that the power series of count vectors may take: about ten seconds."""

Weights = dict[Counts, int]


class HistogramCounts:
    """The law of the count vector of learner outputs, given the histogram of b k records that are permuted uniformly.

    With x_K = 1 for one symbol K, F = P^k solves P dF/dx_i = k F dP/dx_i. So its coefficients f_h in x, polynomials in
    u, follow from earlier ones: for every i with h_i > 0,

        p_0 h_i f_h = sum over tau != 0 of ((k + 1) tau_i - h_i) p_tau f_{h - tau},        f_0 = p_0^k,

    and the divisions by h_i and p_0 leave no remainder. The total of f_h is denominator^k (b k)! / (h_1! ... h_K!).
    Raises `BudgetExceeded`, before it starts.

    >>> from exactdp.reference.learners import first_record
    >>> HistogramCounts(BlockOutputs(first_record(), "ab", 2), 3).counts_of((5, 1))
    ({(2, 1): 3, (3, 0): 3}, 6)
    """

    def __init__(self, outputs: BlockOutputs, blocks: int, *, budget: int = BUDGET) -> None:
        if not isinstance(outputs, BlockOutputs):
            raise InvalidArgument("outputs", outputs, "what is learnt, as BlockOutputs(learner, domain, block_size)")
        self.outputs = outputs
        self.blocks = checked_count("blocks", blocks)
        self.records = self.blocks * outputs.block_size
        self.budget = checked_count("budget", budget)

    def counts_of(self, histogram: Histogram) -> tuple[Weights, int]:
        """The weights of all count vectors of positive probability, and their total. Raises `InvalidArgument`."""
        K, n = len(self.outputs.domain), self.records
        if not are_counts(histogram, K) or sum(histogram) != n:
            expected = f"{K} counts of at least 0, one for each record of the domain, with sum {n}"
            raise InvalidArgument("histogram", histogram, expected)
        h = tuple(histogram)
        rarest_first = sorted(range(K), key=h.__getitem__)
        order = [*rarest_first[:-1][::-1], rarest_first[-1]]
        sweep = _Sweep(self, order, [h[i] for i in order])
        f = deque(sweep.coefficients(), maxlen=1).pop()[1]
        return sweep.ring.read(f), self.total(h)

    def all(self) -> Iterator[tuple[Histogram, Weights, int]]:
        """For every histogram of b k records: the histogram, its weights, their total; in one sweep."""
        K = len(self.outputs.domain)
        sweep = _Sweep(self, range(K), [self.records] * K)
        for h, f in sweep.coefficients():
            whole = (*h, self.records - sum(h))
            yield whole, sweep.ring.read(f), self.total(whole)

    def total(self, histogram: Histogram) -> int:
        """The sum of the weights: denominator^k times the number of datasets with this histogram."""
        power: int = self.outputs.denominator**self.blocks
        return power * multinomial(histogram)


class _Sweep:
    """The coefficients f_h for all h up to `limits`, with the symbols in this order; the last one is x_K = 1."""

    def __init__(self, counts: HistogramCounts, order: Iterable[int], limits: Sequence[int]) -> None:
        places = list(order)
        self.limits, self.records, self.k = list(limits[:-1]), counts.records, counts.blocks
        moved = {tuple(tau[i] for i in places[:-1]): w for tau, w in counts.outputs.types.items()}
        zero = (0,) * len(self.limits)
        self.reach = counts.outputs.block_size
        self.first, self.types = moved[zero], [(tau, w) for tau, w in moved.items() if tau != zero]
        monomials = sum(1 for w in moved.values() for x in w if x)
        _check_work(self, len(counts.outputs.laws), counts, monomials)
        largest = counts.total(_even(self.records, len(places)))
        packed = len(counts.outputs.laws) <= 2
        self.ring: Polynomials = (PackedPolynomials if packed else SparsePolynomials)(self.first, self.k, largest)

    def coefficients(self) -> Iterator[tuple[Histogram, Any]]:
        """Pairs (h, f_h) in lexicographic order; only what later ones need is kept."""
        known: dict[int, dict[Histogram, Any]] = {}
        for h in _bounded(self.limits, self.records):
            layer = h[0] if h else 0
            known.pop(layer - self.reach - 1, None)
            f = known.setdefault(layer, {})[h] = self._coefficient(h, known)
            yield h, f

    def _coefficient(self, h: Histogram, known: Mapping[int, Mapping[Histogram, Any]]) -> Any:
        i = next((i for i, x in enumerate(h) if x), None)
        if i is None:
            return self.ring.start()
        terms = []
        for tau, weights in self.types:
            factor = (self.k + 1) * tau[i] - h[i]
            earlier = tuple(x - t for x, t in zip(h, tau, strict=True))
            if factor and min(earlier) >= 0:
                terms.append((factor, weights, known[earlier[0]][earlier]))
        return self.ring.quotient(terms, h[i])


def _bounded(limits: Sequence[int], most: int) -> Iterator[Histogram]:
    """All tuples up to `limits` with a sum of at most `most`, in lexicographic order."""
    if not limits:
        yield ()
        return
    for x in range(min(limits[0], most) + 1):
        for rest in _bounded(limits[1:], most - x):
            yield x, *rest


def _even(n: int, parts: int) -> Histogram:
    """n in parts as equal as can be: the histogram of the most datasets."""
    return tuple(n // parts + (i < n % parts) for i in range(parts))


def _check_work(sweep: _Sweep, r: int, counts: HistogramCounts, monomials: int) -> None:
    """Raises `BudgetExceeded` if the sweep would take too many word operations."""
    k, K = sweep.k, len(sweep.limits) + 1
    histograms = min(prod(x + 1 for x in sweep.limits), comb(sweep.records + K - 1, K - 1))
    words = counts.total(_even(sweep.records, K)).bit_length() // 64 + 1
    if r <= 2:
        estimate = histograms * (len(sweep.types) + 1) * (k + 1) * words
    else:
        estimate = min(histograms * comb(k + r - 1, k), comb(k + monomials - 1, k)) * monomials * (60 + words)
    if estimate > counts.budget:
        raise BudgetExceeded(
            f"the count vectors of {r} output laws in {k} blocks, for {histograms} histograms on {K} values, "
            f"take about {estimate} operations; give a larger budget to go through them all",
            estimate=estimate,
            budget=counts.budget,
        )


# -- polynomials in u -------------------------------------------------------------------------------------------------

Term = tuple[int, Counts, Any]
"""A factor, the weights of a linear form in u, and a polynomial: their product."""


class Polynomials(ABC):
    """Homogeneous polynomials in u_1, ..., u_r, as far as the recurrence of `HistogramCounts` needs them.

    `first` are the weights of the linear form p_0; `largest` bounds the sum of the coefficients of every result.
    """

    def __init__(self, first: Counts, blocks: int, largest: int) -> None:
        self.first = first
        self.blocks = blocks
        self.bits = -(-largest.bit_length() // 8) * 8

    @abstractmethod
    def start(self) -> Any:
        """p_0^k."""

    @abstractmethod
    def quotient(self, terms: Sequence[Term], divisor: int) -> Any:
        """The sum of the terms, divided by divisor * p_0."""

    @abstractmethod
    def read(self, polynomial: Any) -> Weights:
        """The coefficients that are not 0."""


class PackedPolynomials(Polynomials):
    """For one or two outputs: the value at u_1 = 1, u_2 = 2^bits, one integer.

    Evaluation is a ring homomorphism, so negative coefficients on the way do no harm; those of the result are not
    negative and below 2^bits, so they can be read off.
    """

    def start(self) -> int:
        """p_0^k."""
        power: int = self._value(self.first) ** self.blocks
        return power

    def quotient(self, terms: Sequence[Term], divisor: int) -> int:
        """The sum of the terms, divided by divisor * p_0."""
        sums = [0] * len(self.first)
        for factor, weights, value in terms:
            for i, weight in enumerate(weights):
                if weight:
                    sums[i] += factor * weight * value
        low, high = self.first[0], self.first[1] if len(self.first) > 1 else 0
        whole = sums[0] + (sums[1] << self.bits) if len(sums) > 1 else sums[0]
        if not low:
            return (whole >> self.bits) // (high * divisor)
        return whole // (self._value(self.first) * divisor)

    def read(self, polynomial: int) -> Weights:
        """The coefficients that are not 0."""
        if len(self.first) == 1:
            return {(self.blocks,): polynomial}
        size = self.bits // 8
        digits = polynomial.to_bytes((self.blocks + 1) * size, "big")
        found = map(int.from_bytes, chain.from_iterable(iter_unpack(f"{size}s", digits)))
        return {counts: weight for counts, weight in zip(self._pairs, found, strict=True) if weight}

    @cached_property
    def _pairs(self) -> list[Counts]:
        """The exponents, highest power of 2^bits first."""
        return [(j, self.blocks - j) for j in range(self.blocks + 1)]

    def _value(self, weights: Counts) -> int:
        return sum(weight << i * self.bits for i, weight in enumerate(weights))


class SparsePolynomials(Polynomials):
    """For any number of outputs: the coefficients by exponent, the exponents as the digits of one integer."""

    def start(self) -> dict[int, int]:
        """p_0^k."""
        polynomial = {0: 1}
        for _ in range(self.blocks):
            polynomial = self._sum([(1, self.first, polynomial)])
        return polynomial

    def quotient(self, terms: Sequence[Term], divisor: int) -> dict[int, int]:
        """The sum of the terms, divided by divisor * p_0."""
        return self._divided(self._sum(terms), divisor)

    def _sum(self, terms: Sequence[Term]) -> dict[int, int]:
        found: dict[int, int] = {}
        for factor, weights, polynomial in terms:
            for i, weight in enumerate(weights):
                if weight:
                    unit, scale = self._unit(i), factor * weight
                    for key, value in polynomial.items():
                        found[key + unit] = found.get(key + unit, 0) + scale * value
        return found

    def _divided(self, dividend: dict[int, int], divisor: int) -> dict[int, int]:
        """Long division, from the greatest exponent down; adding exponents keeps their order."""
        units = [(self._unit(i), weight * divisor) for i, weight in enumerate(self.first) if weight]
        *others, (lead, scale) = units
        if not others:
            return {key - lead: value // scale for key, value in dividend.items() if value}
        waiting = [-key for key in dividend]
        heapify(waiting)
        result: dict[int, int] = {}
        while waiting:
            key = -heappop(waiting)
            value = dividend.pop(key)
            if not value:
                continue
            part = result[key - lead] = value // scale
            for unit, weight in others:
                if key - lead + unit not in dividend:
                    dividend[key - lead + unit] = 0
                    heappush(waiting, -(key - lead + unit))
                dividend[key - lead + unit] -= part * weight
        return result

    def read(self, polynomial: dict[int, int]) -> Weights:
        """The coefficients that are not 0."""
        base = self.blocks + 2
        r = range(len(self.first))
        return {tuple(key // base**i % base for i in r): value for key, value in polynomial.items() if value}

    def _unit(self, i: int) -> int:
        unit: int = (self.blocks + 2) ** i
        return unit
