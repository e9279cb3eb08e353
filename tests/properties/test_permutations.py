"""Uniform permutations by the bits they read: every bit string is tried, with keys so short that they often tie."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from exactdp.reference.draw import law_of
from exactdp.reference.entropy import Seeded, Tape, TapeExhausted, WordSource
from exactdp.reference.permutation import draw_permutation, permutation
from exactdp.reference.sampling import Sampling
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.standard_laws import uniform

Permutation = tuple[int, ...]
Draw = Callable[[WordSource, int], Permutation]


class ShortKeys(Tape):
    """A tape whose words have only a few bits, so that they tie."""

    def __init__(self, bits: tuple[int, ...], width: int) -> None:
        super().__init__(bits)
        self.width = width

    def words(self, count: int) -> NDArray[np.uint64]:
        whole = self.bits(count * self.width)
        digits = [whole >> self.width * i & (1 << self.width) - 1 for i in reversed(range(count))]
        return np.array(digits, dtype=np.uint64)


def decided(draw: Draw, n: int, width: int, depth: int) -> tuple[dict[Permutation, Fraction], Fraction]:
    """For each permutation the mass of the strings of at most `depth` bits that give it; the mass of the rest."""
    found: dict[Permutation, Fraction] = {}
    undecided = Fraction(0)
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        bits = waiting.pop()
        tape = ShortKeys(bits, width)
        try:
            drawn = draw(tape, n)
        except TapeExhausted as short:
            if len(bits) + short.wanted > depth:
                undecided += Fraction(1, 2 ** len(bits))
            else:
                more = (tuple(v >> i & 1 for i in reversed(range(short.wanted))) for v in range(2**short.wanted))
                waiting.extend((*bits, *part) for part in more)
        else:
            found[drawn] = found.get(drawn, Fraction(0)) + Fraction(1, 2**tape.used)
    return found, undecided


CASES = [
    (1, 1, 4, 0),
    (2, 1, 12, "1/50"),
    (2, 3, 12, "1/64"),
    (3, 1, 12, "1/3"),
    (3, 2, 14, "1/10"),
    (4, 2, 14, "2/3"),
]


@pytest.mark.parametrize(("n", "width", "depth", "open_at_most"), CASES)
def test_every_permutation_has_the_same_mass(n: int, width: int, depth: int, open_at_most: str | int) -> None:
    """Exactly the same at every depth, since what is left open treats all positions alike."""
    found, undecided = decided(draw_permutation, n, width, depth)
    assert undecided <= Fraction(open_at_most)
    assert found == dict.fromkeys(permutations(range(n)), (1 - undecided) / factorial(n))


def test_ties_that_keep_their_order_are_caught() -> None:
    def stable(source: WordSource, n: int) -> Permutation:
        return tuple(np.argsort(source.words(n), kind="stable").tolist())

    found, undecided = decided(stable, 3, 2, 14)
    assert undecided == 0
    assert len(set(found.values())) > 1


def test_fresh_keys_for_all_positions_of_a_tie_are_needed_and_for_no_others() -> None:
    """Keys 1 0 1 0: the zeros stand at 1 and 3, and each pair is decided by two bits of its own."""
    tape = ShortKeys((1, 0, 1, 0, 1, 0, 0, 1), 1)
    assert draw_permutation(tape, 4) == (3, 1, 0, 2)
    assert tape.used == 8


def test_no_and_one_record() -> None:
    assert draw_permutation(Seeded(1), 0) == ()
    assert draw_permutation(Seeded(1), 1) == (0,)
    assert Sampling.seeded(1)(permutation(0)) == ()


def test_many_positions_come_once_each() -> None:
    drawn = draw_permutation(Seeded(3), 10**5)
    assert sorted(drawn) == list(range(10**5))
    assert {type(i) for i in drawn[:10]} == {int}
    assert drawn != draw_permutation(Seeded(4), 10**5)


def test_the_enumerated_draw_is_the_uniform_law() -> None:
    for n in range(5):
        assert permutation(n) == uniform(permutations(range(n)))
        assert law_of(lambda data, draw: draw(permutation(len(data))), "x" * n) == permutation(n)


def test_long_ones_are_drawn_and_not_written_out() -> None:
    long = permutation(9)
    assert sorted(map(int, map(str, tuple_of(Sampling.seeded(2)(long))))) == list(range(9))
    with pytest.raises(BudgetExceeded) as refused:
        len(long)
    assert refused.value.estimate == factorial(9)
    with pytest.raises(BudgetExceeded):
        law_of(lambda data, draw: draw(permutation(1000)), None)


def tuple_of(value: object) -> tuple[object, ...]:
    assert isinstance(value, tuple)
    return value


def test_wrong_sizes_are_refused() -> None:
    wrong: list[Any] = [-1, True, 2.0, "3", None]
    for n in wrong:
        with pytest.raises(InvalidArgument, match="n: got"):
            permutation(n)


def test_frequencies_of_runs_agree_with_the_law() -> None:
    """24 exact binomial tests of one seeded run; the level is shared among them."""
    draw, runs = Sampling.seeded(11), 12_000
    seen = Counter(draw(permutation(4)) for _ in range(runs))
    assert min(binomtest(seen[p], runs, 1 / 24).pvalue for p in permutations(range(4))) > 0.001 / 24


def test_each_position_of_a_long_one_is_uniform() -> None:
    source, n, runs = Seeded(13), 1000, 2000
    first = Counter(draw_permutation(source, n)[0] < n // 4 for _ in range(runs))
    assert binomtest(first[True], runs, 0.25).pvalue > 0.001
