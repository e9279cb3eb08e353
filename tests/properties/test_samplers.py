"""The samplers' laws, by enumerating the bits they read: exact masses against exact bounds, no statistics.

A sampler is run on every bit string, extended where it wants more. The strings on which it answers give each
outcome a mass that it has for certain; the rest is undecided. A law is possible if each of its masses lies
between the two.
"""

import copy
import os
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pytest

from exactdp.reference.boundaries import PowerBoundaries, TailBoundaries, bracket
from exactdp.reference.entropy import BitSource, OsEntropy, Seeded, Tape, TapeExhausted
from exactdp.reference.samplers import (
    Categorical,
    Geometric,
    Inversion,
    TwoSidedGeometric,
    UniformInteger,
    bernoulli,
)
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import ANY, ONE, Epsilon, Exponent, Unit
from exactdp.spec.number import Exact, Number, decay, exact, exp

THIRD = Fraction(1, 3)
LN3 = Unit(Fraction(3))
RATES = [
    Exponent(Fraction(1, 2), ONE),
    Exponent(Fraction(5), ONE),
    Exponent(Fraction(1), LN3),
    Exponent(Fraction(1, 2), LN3),
    Exponent(Fraction(1), Unit(Fraction(2))),
]
FINE_RATES = [Exponent(Fraction(1, 20), ONE), Exponent(Fraction(1, 16), LN3), Exponent(Fraction(1, 40), ONE)]
Mass = Callable[[int], Number]


class Sampler(Protocol):
    def draw(self, source: BitSource) -> int: ...


def enumerate_tapes(sampler: Sampler, depth: int) -> tuple[dict[int, Fraction], Fraction]:
    """For each outcome the mass of the strings of at most `depth` bits that give it; the mass of the rest."""
    decided: dict[int, Fraction] = {}
    undecided = Fraction(0)
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        tape = Tape(waiting.pop())
        bits = tape._bits
        try:
            outcome = sampler.draw(tape)
        except TapeExhausted as short:
            if len(bits) + short.wanted > depth:
                undecided += Fraction(1, 2 ** len(bits))
            else:
                more = range(2**short.wanted)
                waiting.extend((*bits, *(v >> i & 1 for i in reversed(range(short.wanted)))) for v in more)
        else:
            decided[outcome] = decided.get(outcome, Fraction(0)) + Fraction(1, 2**tape.used)
    return decided, undecided


def contradictions(sampler: Sampler, mass: Mass, depth: int, outcomes: range = range(0)) -> list[int]:
    """The outcomes, of those seen and those given, whose stated mass is impossible."""
    decided, undecided = enumerate_tapes(sampler, depth)
    assert sum(decided.values(), undecided) == 1
    wrong = []
    for outcome in decided.keys() | set(outcomes):
        low = decided.get(outcome, Fraction(0))
        if not (mass(outcome) >= low and mass(outcome) <= low + undecided):
            wrong.append(outcome)
    return wrong


def geometric_mass(rate: Exponent) -> Mass:
    return lambda k: (1 - decay(rate, 1)) * decay(rate, k) if k >= 0 else Fraction(0)


def two_sided_mass(rate: Exponent) -> Mass:
    x = decay(rate, 1)
    return lambda k: (1 - x) / (1 + x) * decay(rate, abs(k))


def finite_mass(masses: list[Number]) -> Mass:
    return lambda k: masses[k] if 0 <= k < len(masses) else Fraction(0)


CATEGORICAL: list[list[Number]] = [
    [Fraction(1)],
    [THIRD, THIRD, THIRD],
    [Fraction(1, 2), Fraction(0), Fraction(1, 2)],
    [Fraction(0), Fraction(1, 7), Fraction(6, 7), Fraction(0)],
    [Fraction(1, 16) for _ in range(16)],
    [*(Fraction(1, 1000) for _ in range(3)), Fraction(997, 1000)],
    [exp(-1), 1 - exp(-1)],
    [exp(-3), exp(-1) - exp(-3), Fraction(0), 1 - exp(-1)],
    [Fraction(1, 4), exp(Epsilon("ln(3)") / 2) / 4, Fraction(3, 4) - exp(Epsilon("ln(3)") / 2) / 4],
]


@pytest.mark.parametrize("masses", CATEGORICAL, ids=str)
@pytest.mark.parametrize("word", [1, 4, 5])
def test_a_categorical_sampler_has_its_law_and_is_decided_in_the_end(masses: list[Number], word: int) -> None:
    sampler = Categorical(masses, word)
    assert contradictions(sampler, finite_mass(masses), 60, range(len(masses))) == []
    assert all(masses[k] != 0 for k in enumerate_tapes(sampler, 60)[0])
    for words in (2, 5, 8):
        assert enumerate_tapes(sampler, words * word)[1] <= Fraction(len(masses), 2 ** (words * word))


def test_weights_give_the_same_sampler_as_their_fractions() -> None:
    weighted = Categorical.of_weights([3, 0, 4, 0], word=4)
    masses: list[Number] = [Fraction(3, 7), Fraction(0), Fraction(4, 7)]
    assert contradictions(weighted, finite_mass(masses), 40) == []
    assert weighted.table == Categorical(masses, word=4).table


PROBABILITIES = [Fraction(0), Fraction(1), THIRD, Fraction(5, 8), exp(-1), exp("-1/7")]


@pytest.mark.parametrize("probability", PROBABILITIES, ids=str)
def test_a_bernoulli_sampler_has_its_probability(probability: Number) -> None:
    law = finite_mass([1 - probability, probability])
    assert contradictions(bernoulli(probability, 4), law, 60, range(2)) == []


class SeriesBernoulli:
    """Bernoulli(e^-gamma), 0 <= gamma <= 1, by the series of Canonne, Kamath and Steinke (2020)."""

    def __init__(self, gamma: Fraction) -> None:
        self.gamma = gamma

    def draw(self, source: BitSource) -> int:
        k = 1
        while bernoulli(self.gamma / k, 4).draw(source):
            k += 1
        return k % 2


def test_two_unlike_samplers_of_the_same_exponential_agree() -> None:
    gamma = Fraction(2, 3)
    for sampler in (bernoulli(exp(-gamma), 4), SeriesBernoulli(gamma)):
        decided, undecided = enumerate_tapes(sampler, 16)
        assert exp(-gamma) >= decided[1]
        assert exp(-gamma) <= decided[1] + undecided
        assert undecided < Fraction(1, 40)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 16, 100])
@pytest.mark.parametrize("word", [1, 4, 6])
def test_a_uniform_sampler_is_uniform(count: int, word: int) -> None:
    law = finite_mass([Fraction(1, count)] * count)
    depth = 12 if word == 1 else 3 * word
    assert contradictions(UniformInteger(count, word), law, depth, range(count)) == []
    assert enumerate_tapes(UniformInteger(count, word), depth)[1] <= Fraction(count, 2**depth)


def test_a_power_of_two_is_drawn_without_a_spare_bit() -> None:
    decided, undecided = enumerate_tapes(UniformInteger(16, 4), 4)
    assert decided == {k: Fraction(1, 16) for k in range(16)}
    assert undecided == 0


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("word", [4, 6])
def test_geometric_samplers_have_their_laws(rate: Exponent, word: int) -> None:
    cases: list[tuple[Sampler, Mass]] = [
        (Geometric(rate, word), geometric_mass(rate)),
        (TwoSidedGeometric(rate, word), two_sided_mass(rate)),
    ]
    for sampler, mass in cases:
        assert contradictions(sampler, mass, 3 * word, range(-9, 10)) == []
        first, then, last = (enumerate_tapes(sampler, words * word)[1] for words in (1, 2, 3))
        assert first > 4 * then > 16 * last > 0


@pytest.mark.parametrize("rate", FINE_RATES, ids=str)
@pytest.mark.parametrize("kind", [Geometric, TwoSidedGeometric])
def test_geometric_samplers_with_digits_have_their_laws(rate: Exponent, kind: type[Geometric]) -> None:
    sampler = kind(rate, 4, digit_bits=2)
    assert len(sampler.inversions) > 1
    mass = two_sided_mass(rate) if sampler.signed else geometric_mass(rate)
    assert contradictions(sampler, mass, 12, range(-20, 21)) == []
    shallow, deep = (enumerate_tapes(sampler, depth)[1] for depth in (8, 12))
    assert deep < shallow * Fraction(4, 5)


def test_the_digits_of_large_scales_keep_the_law_of_every_small_outcome() -> None:
    rate = Exponent(Fraction(1, 3), ONE)
    fine = Geometric(rate, 6, digit_bits=1)
    assert len(fine.inversions) == 2
    assert contradictions(fine, geometric_mass(rate), 18, range(30)) == []
    assert enumerate_tapes(fine, 18)[1] < Fraction(1, 20)


class OffByOne:
    """A control: the boundaries belong to the outcome below them."""

    def __init__(self, right: Inversion) -> None:
        self.right = right

    def draw(self, source: BitSource) -> int:
        return max(self.right.draw(source) - 1, 0)


class Truncating:
    """A control: never reads a second word, as a sampler in fixed precision does."""

    def __init__(self, right: Inversion) -> None:
        self.right = right

    def draw(self, source: BitSource) -> int:
        word = source.bits(self.right.word)
        return sum(floor <= word for floor in self.right.table)


class FairSign:
    """A control: a geometric magnitude and a fair sign, which counts 0 twice."""

    def __init__(self, rate: Exponent) -> None:
        self.magnitude = Geometric(rate, 4)

    def draw(self, source: BitSource) -> int:
        value = self.magnitude.draw(source)
        return -value if source.bits(1) else value


def test_wrong_samplers_are_caught() -> None:
    rate = RATES[0]
    top = Geometric(rate, 4).inversions[0]
    thirds = finite_mass([THIRD] * 3)
    near = Exponent(Fraction(501, 1000), ONE)
    assert contradictions(OffByOne(Categorical([THIRD] * 3, 4)), thirds, 16)
    assert contradictions(Truncating(Categorical([THIRD] * 3, 4)), thirds, 16)
    assert contradictions(Truncating(top), geometric_mass(rate), 16)
    assert contradictions(FairSign(rate), two_sided_mass(rate), 16)
    assert contradictions(Geometric(near, 4), geometric_mass(rate), 20)
    assert contradictions(TwoSidedGeometric(near, 4), two_sided_mass(rate), 20)
    digits = Geometric(FINE_RATES[0], 4, digit_bits=2)
    assert contradictions(digits, geometric_mass(Exponent(Fraction(1, 12), ONE)), 12)
    assert contradictions(UniformInteger(6, 4), finite_mass([Fraction(1, 7)] * 7), 16, range(7))


def mass_of(inversion: Inversion, outcome: int) -> Number:
    """The mass between two boundaries, from the very terms that the sampler uses."""
    boundaries = inversion.boundaries
    assert isinstance(boundaries, PowerBoundaries)

    def combine(terms: tuple[tuple[int, int], ...]) -> Number:
        total: Number = Fraction(0)
        for coefficient, exponent in terms:
            total = total + coefficient * decay(boundaries.rate, exponent)
        return total

    def value(k: int) -> Number:
        if k < 0:
            return Fraction(0)
        if k == boundaries.count:
            return Fraction(1)
        top, bottom = boundaries.terms(k)
        return combine(top) / combine(bottom)

    return value(outcome) - value(outcome - 1)


TWO_STAGE_RATES = [
    Exponent(Fraction(1, 100), ONE),
    Exponent(Fraction(1, 32), LN3),
    Exponent(Fraction(1, 32), Unit(Fraction(2))),
]


@pytest.mark.parametrize("rate", TWO_STAGE_RATES, ids=str)
def test_the_base_256_decomposition_is_the_direct_law_for_the_first_thousand_outcomes(rate: Exponent) -> None:
    top, low = (mass_table(i, n) for i, n in zip(two_stages(Geometric(rate)), (4, 256), strict=True))
    direct = geometric_mass(rate)
    for k in range(1000):
        assert top[k // 256] * low[k % 256] == direct(k)


def test_the_signed_decomposition_is_the_direct_law_on_both_sides() -> None:
    rate = Exponent(Fraction(1, 100), ONE)
    top, low = (mass_table(i, n) for i, n in zip(two_stages(TwoSidedGeometric(rate)), (6, 256), strict=True))
    direct = two_sided_mass(rate)
    for k in range(0, 700, 7):
        q, r = divmod(k, 256)
        assert top[2 * q] * low[r] == direct(k)
        assert top[2 * q + 1] * low[r] == direct(-1 - k)


def two_stages(sampler: Geometric) -> tuple[Inversion, ...]:
    assert len(sampler.inversions) == 2
    return sampler.inversions


def mass_table(inversion: Inversion, count: int) -> list[Number]:
    return [mass_of(inversion, k) for k in range(count)]


@pytest.mark.parametrize("scale", [10, 1000, 10**6, 10**9])
@pytest.mark.parametrize("unit", [ONE, LN3], ids=str)
def test_every_table_entry_at_64_bits_is_the_floor_of_its_boundary(scale: int, unit: Unit) -> None:
    mpmath = pytest.importorskip("mpmath")
    sampler = Geometric(Exponent(Fraction(1, scale), unit))
    with mpmath.workdps(120):
        rate = (mpmath.mpf(1) if unit == ONE else mpmath.log(3)) / scale
        top, *digits = sampler.inversions
        size = 256 ** len(digits)
        expected = [int(2**64 * (1 - mpmath.exp(-rate * size * (k + 1)))) for k in range(len(top.table))]
        assert top.table == expected
        for i, digit in enumerate(reversed(digits)):
            x = mpmath.exp(-rate * 256**i)
            assert digit.table == [int(2**64 * (1 - x ** (k + 1)) / (1 - x**256)) for k in range(255)]


def test_a_tail_is_never_cut() -> None:
    """Below the last word the outcome is settled by further words, as far out as they say."""
    sampler = Geometric(Exponent(Fraction(1), Unit(Fraction(2))))
    for zeros in (0, 5, 63):
        for words in (1, 2, 3):
            tape = Tape([1] * (64 * words + zeros) + [0] * (64 - zeros) + [0] * 64)
            assert sampler.draw(tape) == 64 * words + zeros
            assert tape.used == 64 * (words + 1)


@pytest.mark.parametrize("unit", [ONE, LN3], ids=str)
def test_brackets_of_powers_hold_their_value(unit: Unit) -> None:
    for coefficient in (Fraction(1, 3), Fraction(7, 2), Fraction(1, 1000)):
        rate = Exponent(coefficient, unit)
        for precision in (8, 64, 200):
            low, high = bracket(rate, precision)
            assert exact(decay(rate, 1)) >= Fraction(low, 2**precision)
            assert exact(decay(rate, 1)) <= Fraction(high, 2**precision)
            assert high - low <= 2


def test_brackets_made_by_products_hold_their_value() -> None:
    rate = Exponent(Fraction(1, 3), ONE)
    boundaries = TailBoundaries(rate, 1)
    for k in range(1, 60):
        low, high = boundaries._power(k, 12)
        assert decay(rate, k) >= Fraction(low, 2**12)
        assert decay(rate, k) <= Fraction(high, 2**12)


class Words:
    """Written words of `word` bits, one by one."""

    def __init__(self, words: list[int], word: int) -> None:
        self.waiting = list(reversed(words))
        self.word = word

    def bits(self, count: int) -> int:
        assert count == self.word
        return self.waiting.pop()


@pytest.mark.parametrize(
    "sampler",
    [
        Categorical([THIRD] * 3, 6),
        Categorical(CATEGORICAL[7], 6),
        Geometric(RATES[0], 6).inversions[0],
        Geometric(RATES[4], 6).inversions[0],
        TwoSidedGeometric(RATES[2], 6).inversions[0],
        UniformInteger(5, 6),
        UniformInteger(37, 6),
    ],
)
def test_many_draws_map_words_as_single_draws_do(sampler: Inversion | UniformInteger) -> None:
    firsts, extra = list(range(64)), [13, 50, 7, 31, 2, 60] * 200
    many = sampler.draw_many(Words(firsts + extra, 6), 64)
    spare = Words(extra, 6)
    for first, outcome in zip(firsts, many.tolist(), strict=True):
        spare.waiting.append(first)
        assert sampler.draw(spare) == outcome


@pytest.mark.parametrize("kind", [Geometric, TwoSidedGeometric])
@pytest.mark.parametrize("scale", [3, 1000, 10**9])
def test_many_draws_read_by_table_what_single_draws_read_in_turn(kind: type[Geometric], scale: int) -> None:
    sampler = kind(Exponent(Fraction(1, scale), ONE))
    stages = len(sampler.inversions)
    rows = Seeded("rows").words(stages * 500).reshape(500, stages)
    many = sampler.draw_many(Words(rows.T.reshape(-1).tolist(), 64), 500)
    single = Words(rows.reshape(-1).tolist(), 64)
    assert many.dtype == np.int64
    assert many.tolist() == [sampler.draw(single) for _ in range(500)]


@pytest.mark.parametrize("count", [1, 2, 10, 2**32 - 5, 2**32, 2**32 + 1, 2**63])
def test_many_uniform_integers_are_the_exact_products(count: int) -> None:
    cuts = [k * 2**64 // count for k in range(1, min(count, 20))]
    edge = [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 2, *cuts]
    words = [*edge, *Seeded(count).words(300).tolist()]
    sampler = UniformInteger(count)
    many = sampler.draw_many(Words([*words, *[2**64 - 5] * 400], 64), len(words))
    assert many.tolist() == [sampler.draw(Words([word, 2**64 - 5], 64)) for word in words]


def test_a_bulk_of_words_in_the_last_cell_is_settled_one_by_one() -> None:
    sampler = TwoSidedGeometric(Exponent(Fraction(1, 10), ONE))
    last = 2**64 - 1
    singles = [sampler.draw(Words(words, 64)) for words in ([last, 2**63], [0], [last, last, 0])]
    many = sampler.draw_many(Words([last, 0, last, 2**63, last, 0], 64), 3)
    assert many.tolist() == singles
    assert min(abs(many[0]), abs(many[2])) > 440


def test_seeds_reproduce_and_differ() -> None:
    sampler = TwoSidedGeometric(Exponent(Fraction(1, 1000), ONE))
    sources = (Seeded(1), Seeded(1), Seeded(2), Seeded("1"))
    runs = [[sampler.draw(source) for _ in range(50)] for source in sources]
    assert runs[0] == runs[1]
    assert len({tuple(run) for run in runs}) == 3
    assert sampler.draw_many(Seeded(3), 9).tolist() == sampler.draw_many(Seeded(3), 9).tolist()
    assert Seeded(1).bits(4096) != Seeded(2).bits(4096)


def test_sources_say_whether_they_are_private() -> None:
    assert (OsEntropy().private, Seeded(1).private, Tape([]).private) == (True, False, False)


@pytest.mark.parametrize("source", [OsEntropy(), Seeded(5)], ids=["os", "seeded"])
def test_bits_are_in_range_and_every_bit_moves(source: OsEntropy | Seeded) -> None:
    for count in (0, 1, 7, 63, 64, 65, 200):
        values = [source.bits(count) for _ in range(200)]
        assert all(0 <= value < 2**count for value in values)
        either, both = 0, (1 << count) - 1
        for value in values:
            either |= value
            both &= value
        assert (either, both) == ((1 << count) - 1, 0)
    assert source.words(1000).dtype == np.uint64
    assert len(set(source.words(1000).tolist()) | {source.bits(64) for _ in range(3000)}) == 4000


def test_copies_of_the_system_source_share_no_bits() -> None:
    source = OsEntropy()
    source.bits(64)
    for twin in (copy.copy(source), copy.deepcopy(source), pickle.loads(pickle.dumps(source))):
        assert [twin.bits(64) for _ in range(4)] != [source.bits(64) for _ in range(4)]


def test_a_changed_process_drops_the_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    source = OsEntropy()
    source.bits(64)
    held = list(source._next)
    monkeypatch.setattr("exactdp.reference.entropy._process", lambda: -1)
    drawn = {source.bits(64) for _ in range(len(held))}
    assert not drawn & set(held)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork does not exist on this system")
def test_a_forked_child_shares_no_bits_with_its_parent() -> None:
    source = OsEntropy()
    source.bits(64)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"".join(source.bits(64).to_bytes(8, "big") for _ in range(20)))
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reading, 160)
    os.close(reading)
    os.close(writing)
    mine = {source.bits(64).to_bytes(8, "big") for _ in range(20)}
    assert len(theirs) == 160
    assert not mine & {theirs[i : i + 8] for i in range(0, 160, 8)}


def test_a_tape_counts_its_bits_and_says_how_many_are_missing() -> None:
    tape = Tape([1, 0, 1])
    assert tape.bits(2) == 2
    with pytest.raises(TapeExhausted, match="3 bits too short") as short:
        tape.bits(4)
    assert (short.value.wanted, tape.used) == (3, 2)


def test_samplers_survive_pickling() -> None:
    for sampler in (Categorical([exp(-1), 1 - exp(-1)]), UniformInteger(9), TwoSidedGeometric(FINE_RATES[2])):
        twin = pickle.loads(pickle.dumps(sampler))
        assert twin.draw_many(Seeded(1), 50).tolist() == sampler.draw_many(Seeded(1), 50).tolist()
        assert twin.draw(Seeded(2)) == sampler.draw(Seeded(2))


@pytest.mark.parametrize("coefficient", [Fraction(10**30), Fraction(1, 10**30)])
@pytest.mark.parametrize("unit", [ONE, LN3], ids=str)
def test_extreme_scales_are_sampled(coefficient: Fraction, unit: Unit) -> None:
    sampler = TwoSidedGeometric(Exponent(coefficient, unit))
    values = [sampler.draw(Seeded(i)) for i in range(20)]
    if coefficient > 1:
        assert values == [0] * 20
    else:
        assert all(10**25 < abs(value) < 10**32 for value in values)
        assert {value > 0 for value in values} == {True, False}
        with pytest.raises(InvalidArgument, match="draw_many"):
            sampler.draw_many(Seeded(1), 3)


SYMBOLIC = Exponent(Fraction(1), ANY)
FLOATS: Any = [0.5, 0.5]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Categorical([]), "masses"),
        (lambda: Categorical([THIRD, THIRD]), "sum to 1"),
        (lambda: Categorical([Fraction(4, 3), -THIRD]), "not negative"),
        (lambda: Categorical([exp(-1), exp(-1)]), "sum to 1"),
        (lambda: Categorical([exp(1), 1 - exp(1)]), "not negative"),
        (lambda: Categorical(FLOATS), "exact number"),
        (lambda: bernoulli(Fraction(3, 2)), "not negative"),
        (lambda: bernoulli(exp(-SYMBOLIC)), "value for epsilon"),
        (lambda: Categorical.of_weights([]), "weights"),
        (lambda: Categorical.of_weights([0, 0]), "weights"),
        (lambda: Categorical.of_weights([1, -1]), "weights"),
        (lambda: UniformInteger(0), "count"),
        (lambda: Geometric(Exponent(Fraction(0), ONE)), "positive rate"),
        (lambda: Geometric(Exponent(Fraction(-1), LN3)), "positive rate"),
        (lambda: TwoSidedGeometric(SYMBOLIC), "value for epsilon"),
        (lambda: Geometric(RATES[0], 65), "word"),
        (lambda: Geometric(RATES[0], 0), "word"),
        (lambda: Geometric(RATES[0], digit_bits=0), "digit_bits"),
        (lambda: UniformInteger(3).draw_many(Seeded(1), -1), "count"),
        (lambda: UniformInteger(2**63 + 1).draw_many(Seeded(1), 1), "draw_many"),
        (lambda: OsEntropy().bits(-1), "count"),
        (lambda: Tape([2]), "zeros and ones"),
    ],
)
def test_a_wrong_argument_is_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_an_epsilon_is_a_rate_like_its_plain_exponent() -> None:
    epsilon = Geometric(Epsilon("ln(9)") / 2)
    assert epsilon.inversions is Geometric(Exponent(Fraction(1), LN3)).inversions
    assert isinstance(decay(Exponent(Fraction(1, 2), LN3), 1), Exact)
