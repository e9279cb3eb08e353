"""The coupling's sampler by the bits it reads, as in the other samplers' tests: exact masses against exact bounds.

It is run on every bit string, extended where it wants more. What it answers gives each tuple a mass that it has for
certain; the rest is undecided. The joint law, by the recursion T6 in plain numbers, must lie between the two.
"""

import copy
import pickle
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from exactdp.reference import coupling_sampler
from exactdp.reference.couple import couple, couple_products, grouped, mass_bracket
from exactdp.reference.coupling_sampler import (
    Cells,
    CouplingSampler,
    FloatProducts,
    Powers,
    Singles,
    below,
    exact_powers,
    first_points,
)
from exactdp.reference.entropy import Seeded, Tape, TapeExhausted
from exactdp.reference.samplers import UniformInteger
from exactdp.reference.sampling import Sampling
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import discrete_laplace, geometric, point

Joint = Mapping[tuple[object, ...], Number]
Draw = Callable[["WordTape"], Sequence[object]]


class WordTape(Tape):
    """A tape for samplers with words of fewer than 64 bits, which are read one by one."""

    def words(self, count: int) -> NDArray[np.uint64]:
        raise AssertionError(count)


def enumerate_tapes(draw: Draw, depth: int) -> tuple[dict[tuple[object, ...], Fraction], Fraction]:
    """For each tuple the mass of the strings of at most `depth` bits that give it; the mass of the rest."""
    decided: dict[tuple[object, ...], Fraction] = {}
    undecided = Fraction(0)
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        bits = waiting.pop()
        tape = WordTape(bits)
        try:
            z = tuple(draw(tape))
        except TapeExhausted as short:
            if len(bits) + short.wanted > depth:
                undecided += Fraction(1, 2 ** len(bits))
            else:
                waiting.extend(
                    (*bits, *(v >> i & 1 for i in reversed(range(short.wanted)))) for v in range(2**short.wanted)
                )
        else:
            decided[z] = decided.get(z, Fraction(0)) + Fraction(1, 2**tape.used)
    assert sum(decided.values(), undecided) == 1
    return decided, undecided


def contradictions(draw: Draw, joint: Joint, depth: int, most_undecided: Fraction) -> list[tuple[object, ...]]:
    """The tuples whose stated mass is impossible; so much may be left undecided."""
    decided, undecided = enumerate_tapes(draw, depth)
    assert undecided <= most_undecided
    wrong = []
    for z in decided.keys() | joint.keys():
        low, mass = decided.get(z, Fraction(0)), joint.get(z, Fraction(0))
        if not (mass >= low and mass <= low + undecided):
            wrong.append(z)
    return wrong


def recursion(laws: Sequence[Law]) -> Joint:
    """T6 over the coordinates, in plain numbers."""
    outcomes = list(dict.fromkeys(y for law in laws for y, _ in law.items()))
    found: dict[tuple[object, ...], Number] = {}

    def go(pending: tuple[int, ...], taken: dict[int, Hashable], mass: Number) -> None:
        if not pending:
            z = tuple(taken[i] for i in range(len(laws)))
            found[z] = found.get(z, Fraction(0)) + mass
            return
        total = sum((max(laws[i][y] for i in pending) for y in outcomes), start=Fraction(0))
        for y in outcomes:
            order = sorted(pending, key=lambda i: laws[i][y], reverse=True)
            for j in range(1, len(order) + 1):
                lower = laws[order[j]][y] if j < len(order) else Fraction(0)
                weight = laws[order[j - 1]][y] - lower
                if weight:
                    go(tuple(sorted(order[j:])), taken | dict.fromkeys(order[:j], y), mass * weight / total)

    go(tuple(range(len(laws))), {}, Fraction(1))
    return found


def law(*masses: Number | int | str) -> Law:
    return Law(dict(enumerate(masses)))


def singles(laws: Sequence[Law], word: int) -> Draw:
    """The sampler for any laws, also where the laws are finite and rational."""
    points = Singles(laws, word)
    return lambda tape: first_points(points, len(laws), tape, word)


def powers(laws: Sequence[Law], length: int, word: int) -> Draw:
    points = Powers(laws, length, word)
    return lambda tape: first_points(points, len(laws), tape, word)


GOLDEN = [law("1/2", "1/2", 0), law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")]
DISJOINT = [point("x"), point("y"), law("1/2", 0, "1/2")]
CLOSE = [law("1/2", "1/2"), law("3/8", "5/8")]
UNEVEN = [law("2/3", "1/3", 0), law("1/3", "1/3", "1/3")]
T = exp("-1/2")
RESPONSE = [law(1 / (1 + T), T / (1 + T)), law(T / (1 + T), 1 / (1 + T))]
ROOT = exp(Epsilon("ln(3)") / -2)
MIXED_UNITS = [law(T, 1 - T), law(ROOT, 1 - ROOT)]
QUARTERS = [law("3/4", "1/4"), law("1/2", "1/2")]


CELL_CASES = [
    (GOLDEN, 3, 15, "1/7"),
    ([point("x"), law("1/2", "1/2")], 2, 14, "1/20"),
    (CLOSE, 4, 16, "1/50"),
    (UNEVEN, 2, 14, "1/1000"),
    ([law("1/3", "2/3")] * 3, 2, 12, "1/1000"),
]


@pytest.mark.parametrize(("laws", "word", "depth", "undecided"), CELL_CASES)
def test_cells_have_the_joint_law(laws: list[Law], word: int, depth: int, undecided: str) -> None:
    assert Cells.of(grouped(laws).distinct, word) is not None
    sampler = CouplingSampler(laws, word=word)
    assert contradictions(sampler.draw, recursion(laws), depth, Fraction(undecided)) == []


SUM_CASES = [
    (GOLDEN, 2, 13, "3/4"),
    ([point("x"), law("1/2", "1/2")], 2, 12, "1/3"),
    (CLOSE, 1, 13, "1/4"),
    (UNEVEN, 1, 13, "1/3"),
    (RESPONSE, 1, 11, "2/5"),
]


@pytest.mark.parametrize(("laws", "word", "depth", "undecided"), SUM_CASES)
def test_proposals_from_the_sum_have_the_joint_law(laws: list[Law], word: int, depth: int, undecided: str) -> None:
    assert contradictions(singles(laws, word), recursion(laws), depth, Fraction(undecided)) == []


def test_laws_in_different_units_keep_their_laws() -> None:
    """e^(-1/2) and 3^(-1/2) stand in no common number, so the joint law has no exact form; its marginals have."""
    decided, undecided = enumerate_tapes(singles(MIXED_UNITS, 1), 11)
    assert undecided < Fraction(2, 5)
    for i, each in enumerate(MIXED_UNITS):
        for y in each.support():
            low = sum((mass for z, mass in decided.items() if z[i] == y), start=Fraction(0))
            assert each[y] >= low
            assert each[y] <= low + undecided


@pytest.mark.parametrize(("length", "depth", "undecided"), [(1, 11, "2/5"), (2, 11, "3/5")])
def test_products_have_the_joint_law_of_their_sequences(length: int, depth: int, undecided: str) -> None:
    laws = [law("3/4", "1/4"), law("1/2", "1/2")]
    expected = recursion([each.power(length) for each in laws])
    assert contradictions(powers(laws, length, 1), expected, depth, Fraction(undecided)) == []


def pair_mass(p: Law, q: Law, t: Number, y: Hashable, z: Hashable) -> Number:
    """T6 for two laws at distance t: the first point is taken by both or by one, and then the other is free."""
    both = min(p[y], q[y]) if y == z else Fraction(0)
    alone = max(p[y] - q[y], Fraction(0)) * q[z] + max(q[z] - p[z], Fraction(0)) * p[y]
    return (both + alone) / (1 + t)


X, Y = exp(-2), exp(-3)
COUNTABLE_PAIRS = [
    # P > Q at 0 alone, for these two scales
    (discrete_laplace("1/3"), discrete_laplace("1/2"), (1 - Y) / (1 + Y) - (1 - X) / (1 + X)),
    (discrete_laplace("1/3"), point(0), 1 - (1 - Y) / (1 + Y)),
    (geometric("1/2"), Law({0: "1/2", "no integer": "1/2"}), Fraction(1, 2)),
    # 3/5 against 1/2 at 0, 3/20 * 4^(1-|k|) against 2^(-k-1) elsewhere: P > Q at 0 and for k < 0, where it has 1/5
    (discrete_laplace(1 / Epsilon("ln(4)")), geometric(1 / Epsilon("ln(2)")), Fraction(3, 10)),
]


@pytest.mark.parametrize(("p", "q", "t"), COUNTABLE_PAIRS, ids=str)
def test_countable_laws_have_the_joint_law_of_the_pair(p: Law, q: Law, t: Number) -> None:
    decided, undecided = enumerate_tapes(singles([p, q], 1), 11)
    assert undecided < Fraction(7, 10)
    for z, low in decided.items():
        y, other = z
        assert isinstance(y, Hashable)
        assert isinstance(other, Hashable)
        mass = pair_mass(p, q, t, y, other)
        assert mass >= low
        assert mass <= low + undecided


# -- controls: samplers that are nearly right ------------------------------------------------------------------------


def independent(laws: Sequence[Law], word: int) -> Draw:
    points = Singles(laws, word)
    return lambda tape: [points.propose(i, tape) for i in range(len(laws))]


def with_levels(laws: Sequence[Law], word: int, accept: Callable[[list[Number], WordTape], list[bool]]) -> Draw:
    """Proposals from the sum, with another test of the levels; the first accepted proposal counts."""
    points = Singles(laws, word)

    def draw(tape: WordTape) -> Sequence[object]:
        taken: dict[int, object] = {}
        while len(taken) < len(laws):
            y = points.propose(UniformInteger(len(laws), word).draw(tape), tape)
            assert isinstance(y, Hashable)
            accepted = accept([each[y] for each in laws], tape)
            for i in range(len(laws)):
                if accepted[i]:
                    taken.setdefault(i, y)
        return [taken[i] for i in range(len(laws))]

    return draw


def exactly(weights: Sequence[Fraction]) -> Callable[[int], list[tuple[int, int]]]:
    common = lcm(*(weight.denominator for weight in weights))
    return lambda effort: [(int(weight * common), int(weight * common)) for weight in weights]


def shared(masses: list[Number], tape: WordTape) -> list[bool]:
    """As it should be."""
    return below(exactly([Fraction(str(mass)) for mass in masses]), tape, 1)


def redrawn(masses: list[Number], tape: WordTape) -> list[bool]:
    """A level of its own for every coordinate: the marginals are right, and equal laws are drawn apart."""
    weights = exactly([Fraction(str(mass)) for mass in masses])
    return [below(weights, tape, 1)[i] for i in range(len(masses))]


def under_the_maximum(masses: list[Number], tape: WordTape) -> list[bool]:
    """Proposals from the sum, levels below the maximum only."""
    rationals = [Fraction(str(mass)) for mass in masses]
    level = UniformInteger(8, 3).draw(tape)
    return [level < 8 * mass / max(rationals) for mass in rationals]


def truncated(masses: list[Number], tape: WordTape) -> list[bool]:
    """A level of two bits, never refined."""
    rationals = [Fraction(str(mass)) for mass in masses]
    level = tape.bits(2)
    return [level < 4 * mass / sum(rationals) for mass in rationals]


def everyone(masses: list[Number], tape: WordTape) -> list[bool]:
    """Whoever can have the outcome takes it."""
    return [mass > 0 for mass in masses]


def test_wrong_samplers_are_caught_and_the_right_one_is_not() -> None:
    laws = [law("3/4", "1/4"), law("1/2", 0, "1/2")]
    expected = recursion(laws)
    whole = Fraction(1)
    assert contradictions(with_levels(laws, 1, shared), expected, 12, whole) == []
    assert contradictions(independent(laws, 1), expected, 10, whole)
    for wrong in (under_the_maximum, truncated, everyone):
        assert contradictions(with_levels(laws, 1, wrong), expected, 12, whole), wrong.__name__
    equal = [law("1/2", "1/2")] * 2
    assert contradictions(with_levels(equal, 1, shared), recursion(equal), 10, whole) == []
    assert set(contradictions(with_levels(equal, 1, redrawn), recursion(equal), 10, whole)) == {(0, 1), (1, 0)}


# -- the parts: levels, brackets of masses, products -----------------------------------------------------------------


@given(st.lists(st.integers(0, 50), min_size=1, max_size=5).filter(any), st.sampled_from([1, 2, 3, 4, 6]))
def test_a_level_is_below_a_weight_with_the_weights_share_of_the_sum(weights: list[int], word: int) -> None:
    """Decisions on strings of 12 bits, against the comparison of fractions; open where a share is inside the cell."""
    total = sum(weights)
    for v in range(0, 1 << 12, 37):
        low, high = Fraction(v, 1 << 12), Fraction(v + 1, 1 << 12)
        try:
            accepted = below(lambda effort: [(w, w) for w in weights], tape_of(v, 12), word)
        except TapeExhausted:
            assert any(low < Fraction(w, total) < high for w in weights)
        else:
            for w, accepts in zip(weights, accepted, strict=True):
                assert high <= Fraction(w, total) if accepts else low >= Fraction(w, total)


@given(
    st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=4),
    st.integers(0, 2**96 - 1),
)
def test_looser_brackets_read_more_bits_and_decide_alike(parts: list[tuple[int, int, int]], v: int) -> None:
    weights = [w + 1 for w, _, _ in parts]

    def loose(effort: int) -> list[tuple[int, int]]:
        slack = [(a >> 5 * effort, b >> 5 * effort) for _, a, b in parts]
        return [(max(w - a, 0), w + b) for w, (a, b) in zip(weights, slack, strict=True)]

    exact_tape, loose_tape = tape_of(v, 96), tape_of(v, 96)
    try:
        slow = below(loose, loose_tape, 8)
        assert slow == below(lambda effort: [(w, w) for w in weights], exact_tape, 8)
    except TapeExhausted:
        return
    assert exact_tape.used <= loose_tape.used


LAWS_TO_BRACKET = [
    law("1/3", "2/3"),
    RESPONSE[0],
    MIXED_UNITS[1],
    discrete_laplace(3),
    geometric("1/7"),
    discrete_laplace(2 / Epsilon("ln(3)")),
    mixture([("1/3", discrete_laplace(2)), ("1/3", point(4)), ("1/3", point("x"))]),
    discrete_laplace(2).convolve(discrete_laplace(2)),
    discrete_laplace(2).between(-3, None),
    discrete_laplace(1).product(geometric(2)),
]


@pytest.mark.parametrize("each", LAWS_TO_BRACKET, ids=str)
def test_brackets_hold_the_mass_and_close_in_on_it(each: Law) -> None:
    for y in [0, 1, -1, 4, 30, -30, "x", "nothing", (1, 2), (-2, 0)]:
        for precision in (16, 128, 256):
            low, high = mass_bracket(each, y, precision)
            assert each[y] * 2**precision >= low
            assert each[y] * 2**precision <= high
            assert high - low <= 4096


def test_a_mass_far_out_is_bracketed_without_a_polynomial_of_that_degree() -> None:
    wide = discrete_laplace(10**9)
    low, high = mass_bracket(wide, 10**10 + 7, 256)
    assert 0 < low < high < low + 4
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(90):
        x = mpmath.exp(-mpmath.mpf(1) / 10**9)
        value = (1 - x) / (1 + x) * x ** (10**10 + 7) * mpmath.mpf(2) ** 256
        assert low <= value <= high


def test_scales_that_are_far_apart_are_coupled() -> None:
    """At what the widest law gives, the mass of the narrowest is below e^(-10^10), and is not computed."""
    for narrow in (discrete_laplace("1/1000"), discrete_laplace(Fraction(1, 1000) / Epsilon("ln(1000001/1000000)"))):
        sampler = CouplingSampler([narrow, discrete_laplace(10**12), narrow])
        source = Seeded(6)
        drawn = [sampler.draw(source) for _ in range(20)]
        assert all(z[0] == z[2] for z in drawn)
        assert max(abs(z[1]) for z in drawn if isinstance(z[1], int)) > 10**11
    assert mass_bracket(discrete_laplace("1/1000"), 10**12, 4096) == (0, 1)


def tuple_of_laws(seed: int, laws: int, points: int, largest: int = 1000) -> list[Law]:
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(laws):
        weights = generator.integers(1, largest, points).tolist()
        made.append(Law({y: Fraction(w, sum(weights)) for y, w in enumerate(weights)}))
    return made


def near_laws(seed: int) -> list[Law]:
    one, other = tuple_of_laws(seed, 2, 6, 20)
    return [one, mixture([("499/500", one), ("1/500", other)])]


def shares(brackets: list[tuple[int, int]]) -> tuple[Fraction, Fraction]:
    """The range of the first weight's share in the sum."""
    (low, high), *rest = brackets
    return Fraction(low, low + sum(b for _, b in rest)), Fraction(high, high + sum(a for a, _ in rest))


def looks(laws: list[Law], length: int, seed: int) -> tuple[tuple[Fraction, Fraction], Fraction]:
    """The float look at a product of laws at a random sequence, and the exact share."""
    y = np.random.default_rng(seed).integers(0, len(laws[0]), length)
    seen, counts = np.unique(y, return_counts=True)
    floats = FloatProducts.of(laws, list(range(len(laws[0]))), length)
    assert floats is not None
    found = list(zip(seen.tolist(), counts.tolist(), strict=True))
    weights = exact_powers(laws, found)
    assert weights is not None
    return shares(floats.brackets(list(range(len(laws))), seen, counts)), Fraction(weights[0], sum(weights))


LENGTHS = [1, 2, 7, 300, 5000]


@pytest.mark.parametrize("length", LENGTHS)
def test_the_float_look_at_products_holds_the_exact_share(length: int) -> None:
    for seed in range(8):
        (low, high), share = looks(near_laws(seed), length, seed)
        assert low <= share <= high
        assert high - low < Fraction(length, 2**46)


def wrong_decisions(length: int) -> int:
    """How often a level between the exact share and its float look is misjudged."""
    wrong = 0
    for seed in range(20):
        laws = near_laws(seed)
        y = np.random.default_rng(seed).integers(0, 6, length)
        points = Powers(laws, length, 64)
        (low, high), (exactly_known, same) = (shares(points.brackets(y, [0, 1], effort)) for effort in (0, 1))
        assert exactly_known == same
        level = ((low + high) / 2 + exactly_known) / 2
        v = int(level * 2**128)
        accepted = below(partial(points.brackets, y, [0, 1]), tape_of(v, 128), 64)
        wrong += accepted[0] != (Fraction(v, 2**128) < exactly_known)
    return wrong


def tape_of(v: int, bits: int) -> Tape:
    return Tape([v >> i & 1 for i in reversed(range(bits))])


def test_without_its_error_bound_the_float_look_decides_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A control of the bound: with no error allowed, a level between the float share and the exact one is misjudged."""
    assert wrong_decisions(300) == 0
    monkeypatch.setattr(coupling_sampler, "ROUNDINGS", 0)
    assert wrong_decisions(300) > 5


def test_levels_at_the_border_are_left_to_the_exact_integers() -> None:
    """A level within 2^-60 of the share: the floats leave it open, and the integers decide it on either side."""
    laws = [law("1/3", "2/3"), law("2/5", "3/5"), law("1/7", "6/7")]
    length = 200
    points = Powers(laws, length, 64)
    y = np.array([0, 1, 1, 1] * 50)
    exactly_known = exact_powers(laws, [(0, 50), (1, 150)])
    assert exactly_known is not None
    share = Fraction(exactly_known[0], sum(exactly_known))
    asked: list[int] = []

    def brackets(effort: int) -> list[tuple[int, int]]:
        asked.append(effort)
        return points.brackets(y, [0, 1, 2], effort)

    floor = int(share * 2**128)
    for v, expected in ((floor - 2, True), (floor + 2, False)):
        asked.clear()
        answer = below(brackets, tape_of(v, 128), 64)
        assert answer[0] is expected
        assert asked == [0, 1]


def test_products_with_exponential_or_countable_masses_close_in_on_their_share() -> None:
    for laws in (RESPONSE, [discrete_laplace(1), discrete_laplace(2)]):
        points = Powers(laws, 40, 64)
        source = Seeded(2)
        y = points.propose(0, source)
        found = points.outcome(y)
        widths = []
        for effort in range(3):
            low, high = shares(points.brackets(y, [0, 1], effort))
            masses = [[each[value] for value in found if isinstance(value, Hashable)] for each in laws]
            products = [m[0] for m in masses]
            for k in range(1, 40):
                products = [p * m[k] for p, m in zip(products, masses, strict=True)]
            assert products[0] * (1 - low) >= products[1] * low
            assert products[0] * (1 - high) <= products[1] * high
            widths.append(high - low)
        assert widths[1] < Fraction(1, 2**60)
        assert widths[2] < Fraction(1, 2**180)


def test_masses_beyond_the_range_of_floats_are_told_apart() -> None:
    tiny = Fraction(1, 10**400)
    laws = [law(tiny, 1 - tiny), law(3 * tiny, 1 - 3 * tiny)]
    floats = FloatProducts.of(laws, [0, 1], 3)
    assert floats is not None
    low, high = shares(floats.brackets([0, 1], np.array([0]), np.array([3])))
    assert low <= Fraction(1, 28) <= high < low + Fraction(1, 10**12)
    assert CouplingSampler(laws, 3).draw(Seeded(1)) == ((1, 1, 1), (1, 1, 1))


# -- the whole -------------------------------------------------------------------------------------------------------


def test_coordinates_are_looked_up_and_cost_no_randomness() -> None:
    laws = tuple_of_laws(1, 5, 20)
    again = [Law(dict(reversed(list(each.items())))) for each in laws]
    many = [*laws, *again] * 300
    short, long = CouplingSampler(laws), CouplingSampler(many)
    sources = Seeded(4), Seeded(4)
    assert len(grouped(many).distinct) == 5
    for _ in range(20):
        assert long.draw(sources[1]) == short.draw(sources[0]) * 600


def test_equal_countable_laws_are_found_equal() -> None:
    made = [mixture([("1/2", point(3)), ("1/2", discrete_laplace(2))]) for _ in range(3)]
    assert grouped([*made, discrete_laplace(2), discrete_laplace(3)]).positions == [0, 0, 0, 1, 2]


class Counting(Singles):
    """Counts its proposals."""

    count = 0

    def propose(self, i: int, source: Seeded | object) -> object:
        Counting.count += 1
        assert isinstance(source, Seeded)
        return super().propose(i, source)


@pytest.mark.parametrize(
    "laws",
    [
        [point(i) for i in range(6)],
        tuple_of_laws(3, 6, 4),
        [law(Fraction(50 + i, 100), Fraction(50 - i, 100)) for i in range(6)],
        [discrete_laplace(i + 1) for i in range(6)],
    ],
    ids=["disjoint", "far", "near", "countable"],
)
def test_the_mean_number_of_proposals_is_the_number_of_laws(laws: list[Law]) -> None:
    points, source, draws = Counting(laws, 64), Seeded(8), 200
    Counting.count = 0
    for _ in range(draws):
        first_points(points, len(laws), source, 64)
    assert abs(Counting.count / draws - len(laws)) < 1


@pytest.mark.parametrize("laws", [GOLDEN, UNEVEN, DISJOINT, [point(i) for i in range(4)]], ids=str)
def test_the_mean_number_of_proposals_is_exactly_the_number_of_laws(laws: list[Law]) -> None:
    """By the recursion over the pending laws: E(U) = 1 + sum over S of P(S accepts) * E(U without S)."""
    outcomes = list(dict.fromkeys(y for each in laws for y in each.atoms))

    def mean(pending: frozenset[int]) -> Number:
        if not pending:
            return Fraction(0)
        going: Number = Fraction(1)
        nobody: Number = Fraction(1)
        for y in outcomes:
            order = sorted(pending, key=lambda i: laws[i][y], reverse=True)
            for j in range(1, len(order) + 1):
                lower = laws[order[j]][y] if j < len(order) else Fraction(0)
                chance = (laws[order[j - 1]][y] - lower) / Fraction(len(pending))
                if chance:
                    going, nobody = going + chance * mean(frozenset(order[j:])), nobody - chance
        return going / (1 - nobody)

    assert mean(frozenset(range(len(laws)))) == len(laws)


def test_one_coupling_draws_cells_sums_and_products_through_the_same_door() -> None:
    draw = Sampling.seeded(3)
    close = [law("1/2", "1/2"), law(Fraction(499, 1000), Fraction(501, 1000)), law("1/2", "1/2")]
    for coupling in (couple(close), couple([*close, discrete_laplace(3)]), couple_products(close, 5)):
        drawn = [draw(coupling) for _ in range(200)]
        for z in drawn:
            assert isinstance(z, tuple)
            assert len(z) == len(coupling.laws)
            assert z[0] == z[2]
        assert len(set(drawn)) > 1


def test_a_coupling_is_copied_and_pickled_with_its_laws() -> None:
    fresh, computed = couple(CLOSE), couple(CLOSE)
    assert computed[0, 0] == Fraction(3, 8)
    for coupling in (fresh, computed, couple_products(CLOSE, 2)):
        for twin in (pickle.loads(pickle.dumps(coupling)), copy.copy(coupling)):
            assert twin.laws == coupling.laws
            assert twin.length == coupling.length
            assert Sampling.seeded(1)(twin) == Sampling.seeded(1)(coupling)
            assert twin == coupling


def test_laws_without_a_small_common_denominator_are_drawn_all_the_same() -> None:
    primes = [2**521 - 1, 2**607 - 1, 2**1279 - 1, 2**2203 - 1, 2**2281 - 1]
    laws = [law(Fraction(1, p), 1 - Fraction(1, p)) for p in primes]
    assert Cells.of(laws, 64) is None
    assert CouplingSampler(laws).draw(Seeded(1)) == (1,) * 5


def test_a_symbol_in_place_of_a_number_is_refused_before_anything_is_drawn() -> None:
    noise = discrete_laplace(1 / Epsilon("any"))
    for laws, length in (([noise, law(1)], None), ([noise], 3)):
        with pytest.raises(InvalidArgument, match="a value for epsilon"):
            CouplingSampler(laws, length)
    with pytest.raises(InvalidArgument, match="an int of at least 0"):
        CouplingSampler([law(1)], -1)
