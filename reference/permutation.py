"""Uniform permutations, drawn exactly: positions sorted by independent uniform reals, of which 64 bits are read first.

Independent uniform reals are almost surely different, and their order is uniform. Two that agree in all the bits read
so far are compared by 64 fresh bits more, for those positions alone.
"""

from functools import lru_cache
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from exactdp.reference.entropy import WordSource
from exactdp.reference.lazy_law import LazyLaw
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.standard_laws import uniform

WRITTEN_OUT_AT_MOST = 8
"""The longest permutations that are written out: 40 320 of them."""


class UniformPermutation(LazyLaw):
    """The uniform law on the permutations of 0, ..., n - 1, as tuples."""

    def __init__(self, n: int) -> None:
        self.n = n

    def written_out(self) -> Law:
        """All n! permutations. Raises `BudgetExceeded` beyond 8! of them."""
        if self.n > WRITTEN_OUT_AT_MOST:
            raise BudgetExceeded(
                f"a uniform permutation of {self.n} records has {self.n}! outcomes; it can be drawn, but written out "
                f"only for at most {WRITTEN_OUT_AT_MOST} records",
                estimate=factorial(min(self.n, 100)),
                budget=factorial(WRITTEN_OUT_AT_MOST),
            )
        return uniform(permutations(range(self.n)))

    def __repr__(self) -> str:
        return f"permutation({self.n})"


def permutation(n: int) -> UniformPermutation:
    """The uniform law on the permutations of 0, ..., n - 1; drawing from it takes n log n steps.

    >>> permutation(3)[2, 0, 1]
    Fraction(1, 6)
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise InvalidArgument("n", n, "an int of at least 0")
    return _permutation(n)


@lru_cache(maxsize=64)
def _permutation(n: int) -> UniformPermutation:
    return UniformPermutation(n)


def draw_permutation(source: WordSource, n: int) -> tuple[int, ...]:
    """One uniform permutation of 0, ..., n - 1."""
    return tuple(_sorted_at_random(source, np.arange(n)).tolist())


def _sorted_at_random(source: WordSource, items: NDArray[np.int64]) -> NDArray[np.int64]:
    keys = source.words(len(items))
    order = np.argsort(keys, kind="stable")
    items, keys = items[order], keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] ^ 1))
    for start, end in zip(starts, np.append(starts[1:], len(items)), strict=True) if len(starts) < len(items) else ():
        if end - start > 1:
            items[start:end] = _sorted_at_random(source, items[start:end])
    return items
