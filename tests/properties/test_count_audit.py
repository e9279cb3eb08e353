"""The tuple-level audit against brute force: every count vector, every event, in plain exact numbers.

The oracle takes Aggregate's laws from the coupling and the mode's kernel on the spelled-out values, forms all moves by
their definition, and takes the maximum over all events. Nothing of it goes through the tables of the audit.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp.verify.count_audit as count_audit
import exactdp.verify.decide as decide
import exactdp.verify.rows as rows
from exactdp.reference.counted import CountedAggregate, CountTable, Pattern
from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exp
from exactdp.spec.release_curve import CURVES, NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.verify.audit import Witness
from exactdp.verify.count_audit import (
    Answer,
    CountRows,
    NeighbourAudit,
    audit_aggregate,
    count_vectors,
    moves,
)
from exactdp.verify.decide import Positions
from exactdp.verify.rows import RowDecider

F = Fraction
Counts = tuple[int, ...]
Kernel = Callable[[Sequence[Hashable]], Law]

pytestmark = pytest.mark.usefixtures("nothing_hangs")

BERNOULLIS = (Law({0: "19/20", 1: "1/20"}), Law({0: "1/20", 1: "19/20"}))
POINTS = tuple(Law({y: 1}) for y in range(4))
ROTATIONS = tuple(Law({(i + j) % 3: F(30 if j == 0 else 1, 32) for j in range(3)}) for i in range(3))
CLASSES = {"two Bernoullis": BERNOULLIS, "point masses": POINTS[:3], "three laws on three points": ROTATIONS}


# -- the oracle --


def vectors_of(blocks: int, laws: int) -> list[Counts]:
    return [c for c in product(range(blocks + 1), repeat=laws) if sum(c) == blocks]


def moved(one: Counts, other: Counts) -> bool:
    return sorted(a - b for a, b in zip(one, other, strict=True) if a != b) == [-1, 1]


def pairs_of(blocks: int, laws: int) -> list[tuple[Counts, Counts]]:
    found = vectors_of(blocks, laws)
    return [(a, b) for a in found for b in found if moved(a, b)]


def law_of_counts(laws: Sequence[Law], length: int, kernel: Kernel, counts: Counts) -> dict[Hashable, Number]:
    """From the coupling of the distinct laws and the kernel on the values, each repeated as often as its law."""
    masses: dict[Hashable, Number] = {}
    for z, mass in joint_law([law.power(length) for law in laws]).items():
        assert isinstance(z, tuple)
        values = [y for y, n in zip(z, counts, strict=True) for _ in range(n)]
        for y, chance in kernel(values).items():
            masses[y] = masses.get(y, F(0)) + mass * chance
    return masses


def every_event(p: dict[Hashable, Number], q: dict[Hashable, Number]) -> Iterator[tuple[Number, Number]]:
    """P(S) and Q(S) for every event S."""
    outcomes = list(dict.fromkeys([*p, *q]))
    for size in range(len(outcomes) + 1):
        for event in combinations(outcomes, size):
            yield sum((p.get(y, F(0)) for y in event), F(0)), sum((q.get(y, F(0)) for y in event), F(0))


def brute_force(
    laws: Sequence[Law], blocks: int, length: int, kernel: Kernel, factor: Number, delta: Number
) -> tuple[Number, Number | None, set[tuple[Counts, Counts]]]:
    """The worst delta, the least factor, and all pairs that attain the worst delta."""
    known = {c: law_of_counts(laws, length, kernel, c) for c in vectors_of(blocks, len(laws))}
    worst: Number = F(0)
    attained: set[tuple[Counts, Counts]] = set()
    star: Number | None = F(1)
    for one, other in pairs_of(blocks, len(laws)):
        value: Number = F(0)
        for a, b in every_event(known[one], known[other]):
            value = max(value, a - factor * b)
            if a > delta:
                star = None if not b or star is None else max(star, (a - delta) / b)
        if value > worst:
            worst, attained = value, set()
        if value == worst:
            attained.add((one, other))
    return worst, star, attained


# -- random instances --


def random_law(choose: Random, points: int) -> Law:
    weights = [choose.choice([0, 0, 1, 2, 3]) for _ in range(points)]
    weights[choose.randrange(points)] += 1
    return Law({y: F(w, sum(weights)) for y, w in enumerate(weights) if w})


@dataclass(frozen=True)
class Drawn:
    """Distinct random laws, a mode, a number of blocks and a length."""

    laws: tuple[Law, ...]
    mode: StabilityBasedMode
    blocks: int
    length: int

    @property
    def counted(self) -> CountedAggregate:
        return CountedAggregate(self.laws, self.mode, self.length)


def drawn(seed: int, most: int = 6) -> Drawn:
    choose = Random(seed)
    points, wanted = choose.choice([2, 3]), choose.choice([1, 2, 2, 3])
    laws: dict[Law, None] = {}
    while len(laws) < wanted:
        laws[random_law(choose, points)] = None
    length = choose.choice([1, 1, 2]) if points == 2 else 1
    curve = choose.choice(list(CURVES.values()))(
        choose.choice(["ln(2)", "ln(3/2)", "1/2", "1/10"]), choose.choice(["1/6", "1/3", "1/100", "9/10"])
    )
    default = choose.choice([BOTTOM, BOTTOM, (0,) * length, (1,) * length])
    return Drawn(tuple(laws), StabilityBasedMode(curve, default), choose.randrange(1, most), length)


instances = st.integers(0, 2**32 - 1).map(drawn)


@settings(max_examples=60)
@given(instances, st.sampled_from([None, F(1), F(3)]), st.sampled_from([None, F(0), F(1, 50)]))
def test_the_audit_is_brute_force(given_: Drawn, factor: Fraction | None, delta: Fraction | None) -> None:
    curve = given_.mode.curve
    result = audit_aggregate(given_.counted, given_.blocks, factor=factor, delta=delta)
    E, claimed = curve.factor if factor is None else factor, curve.claimed if delta is None else delta
    worst, star, attained = brute_force(given_.laws, given_.blocks, given_.length, given_.mode, E, claimed)
    assert result.worst_delta == worst
    assert result.epsilon_star.factor == star
    assert result.pairs == len(pairs_of(given_.blocks, len(given_.laws)))
    assert result.verdict.kind == ("refuted" if worst > claimed else "holds" if worst else "vacuous")
    assert sum(result.tiers) == sum(result.star_tiers) == result.pairs
    if worst:
        assert result.worst_pair in attained
        assert result.worst_event.excess(E) == worst


@settings(max_examples=60)
@given(instances)
def test_of_all_pairs_that_attain_the_worst_delta_the_first_is_named(given_: Drawn) -> None:
    counts = count_vectors(given_.blocks, len(given_.laws))
    first, second = moves(counts)
    E = given_.mode.curve.factor
    worst, _, attained = brute_force(given_.laws, given_.blocks, given_.length, given_.mode, E, F(0))
    if worst:
        named = ((tuple(counts[i].tolist()), tuple(counts[j].tolist())) for i, j in zip(first, second, strict=True))
        assert audit_aggregate(given_.counted, given_.blocks).worst_pair == next(p for p in named if p in attained)


@settings(max_examples=60)
@given(instances)
def test_rows_are_the_law_of_aggregate(given_: Drawn) -> None:
    counts = count_vectors(given_.blocks, len(given_.laws))
    rows = CountRows(given_.counted, counts)
    for i, c in enumerate(counts.tolist()):
        law = given_.counted.law(c)
        for y, cell in enumerate(rows.cells):
            assert rows.exact(i)[y] == sum((law[outcome.outcome] for outcome in cell), F(0))
        assert rows.exact(i).total() == 1


# -- count vectors and moves --


@pytest.mark.parametrize(("blocks", "laws"), [(1, 1), (5, 1), (1, 4), (6, 2), (5, 3), (4, 4), (3, 5)])
def test_all_count_vectors_and_all_moves_are_there_once(blocks: int, laws: int) -> None:
    counts = count_vectors(blocks, laws)
    named = list(map(tuple, counts.tolist()))
    assert named == sorted(vectors_of(blocks, laws), reverse=True)
    found = [(named[i], named[j]) for i, j in zip(*moves(counts), strict=True)]
    assert sorted(found) == sorted(pairs_of(blocks, laws))


def test_the_pairs_at_full_size_are_as_many_as_the_formula_says() -> None:
    assert len(moves(count_vectors(267, 3))[0]) == 214_668
    assert len(moves(count_vectors(100, 4))[0]) == 2_060_400


# -- the float filter --


def enclosure_failures(given_: Drawn, factor: Number, pairs: int = 40) -> int:
    """How many of some divergences, and of the masses they are made of, lie outside their float or integer bounds."""
    counts = count_vectors(given_.blocks, len(given_.laws))
    rows = CountRows(given_.counted, counts)
    decider = RowDecider(rows, *moves(counts))
    low, high = decider._divergence_bounds(factor)
    some = np.array(sorted(Random(1).sample(range(decider.size), min(pairs, decider.size))), dtype=np.intp)
    below, above = decider._integer_bounds(some, factor) if len(some) else (np.zeros(0), np.zeros(0))
    failures = 0
    for k, a, b in zip(some.tolist(), below, above, strict=True):
        value = decider.best_event(k, factor).excess(factor)
        failures += not as_fraction(low.item(k)) <= value <= as_fraction(high.item(k))
        failures += not F(int(a), 2**rows.bits) <= value <= F(int(b), 2**rows.bits)
        i, masses = int(decider.first[k]), rows.exact(int(decider.first[k]))
        for y in range(len(rows.cells)):
            failures += not as_fraction(rows.low.item(y, i)) <= masses[y] <= as_fraction(rows.high.item(y, i))
    return failures


def as_fraction(x: float) -> Fraction:
    return F(x)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["1", "2", "e", "root"]))
def test_floats_and_integers_enclose_the_exact_numbers(seed: int, factor: str) -> None:
    E: dict[str, Number] = {"1": F(1), "2": F(2), "e": exp(1), "root": exp("1/7")}
    assert enclosure_failures(drawn(seed, most=60), E[factor]) == 0


@pytest.mark.parametrize("delta", ["1e-6", "1e-100", "1e-400"])
def test_numbers_too_small_for_floats_are_enclosed_and_decided(delta: str) -> None:
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", delta))
    given_ = Drawn(POINTS[:3], mode, 40, 1)
    assert enclosure_failures(given_, F(2)) == 0
    result = audit_aggregate(given_.counted, 40)
    assert result.worst_delta == mode.curve[1]
    assert 0 < result.worst_delta <= mode.curve.claimed


def nearest(number: Number) -> tuple[float, float]:
    low, high = float_bounds(number)
    return (low + high) / 2, (low + high) / 2


def lose_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats rounded to nearest, and no error taken into account."""
    monkeypatch.setattr(rows, "slack", lambda roundings: 0.0)
    monkeypatch.setattr(rows, "float_bounds", nearest)
    monkeypatch.setattr(decide, "float_bounds", nearest)
    monkeypatch.setattr(count_audit, "float_bounds", nearest)


def test_without_its_error_bound_the_filter_encloses_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    lose_the_bounds(monkeypatch)
    assert sum(enclosure_failures(drawn(seed, most=60), exp("1/7")) for seed in range(10)) > 100


def ruled(*answers: Answer) -> NeighbourAudit:
    """The audit of one law in four, point masses all, with these answers for each of them; E = 2, delta = 1/3."""

    def rule(pattern: Pattern, counts: CountTable) -> tuple[Positions, Sequence[Answer]]:
        return counts.argmax(axis=1), answers

    counted = CountedAggregate(POINTS, StabilityBasedMode(NoisyThreshold("ln(2)", "1/3")))
    return audit_aggregate(counted, 1, rule=rule)


HALF, TENTH, HAIR, BIT = F(1, 2), F(1, 10), F(1, 10**18), F(1, 2**54)
NOTHING: Answer = {None: F(1)}
THREE_TENTHS: Answer = {0: TENTH, 1: TENTH, 2: TENTH, None: F(7, 10)}
A_HAIR_MORE: Answer = {3: 3 * TENTH + HAIR, None: F(7, 10) - HAIR}
"""Floats add three times 1/10 to more than 3/10, and do not see the hair."""

THREE_BITS: Answer = {0: HALF, 1: BIT, 2: BIT, 3: BIT, None: HALF - 3 * BIT}
TWO_BITS: Answer = {0: HALF + 2 * BIT, None: HALF - 2 * BIT}
"""All of these are floats; the sum of the first four is rounded to 1/2 on the way."""


def test_a_hair_is_seen_with_the_bound_and_lost_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result = ruled(THREE_TENTHS, A_HAIR_MORE, NOTHING, NOTHING)
    assert result.worst_delta == 3 * TENTH + HAIR
    assert result.worst_pair == ((0, 1, 0, 0), (1, 0, 0, 0))
    lose_the_bounds(monkeypatch)
    assert ruled(THREE_TENTHS, A_HAIR_MORE, NOTHING, NOTHING).worst_delta == 3 * TENTH


def test_without_the_roundings_in_the_bound_the_answer_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outward bounds of all numbers are kept, but their sums are taken as if floats did not round."""
    assert ruled(THREE_BITS, TWO_BITS, NOTHING, NOTHING).worst_delta == HALF + 3 * BIT
    monkeypatch.setattr(rows, "slack", lambda roundings: 0.0)
    assert ruled(THREE_BITS, TWO_BITS, NOTHING, NOTHING).worst_delta == HALF + 2 * BIT


def test_a_least_factor_is_missed_without_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The factor that is found without it is too small: the true one's pair and event exceed delta there."""
    third = Law({0: "1/3", 1: "1/2", 2: "1/6"})
    laws = (Law({2: 1}), Law({0: "2/3", 2: "1/3"}), third)
    counted = CountedAggregate(laws, StabilityBasedMode(NoisyThreshold("ln(3)", "1/6")))
    right = audit_aggregate(counted, 80).epsilon_star
    lose_the_bounds(monkeypatch)
    wrong = audit_aggregate(counted, 80).epsilon_star
    assert right.factor is not None
    assert wrong.factor is not None
    assert right.event.excess(right.factor) == F(1, 6)
    assert right.event.excess(wrong.factor) > F(1, 6)


def test_a_claim_that_fails_by_a_hair_is_refuted_with_its_witness() -> None:
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
    counted, r1 = CountedAggregate(POINTS[:3], mode), F(1, 6)
    assert audit_aggregate(counted, 30, delta=r1).verdict.kind == "holds"
    verdict = audit_aggregate(counted, 30, delta=r1 - HAIR).verdict
    assert verdict.kind == "refuted"
    assert isinstance(verdict.witness, Witness)
    assert verdict.witness.event.excess(F(2)) == r1


# -- what the audit finds --


@pytest.mark.parametrize("variant", list(CURVES.values()))
@pytest.mark.parametrize("epsilon", ["ln(2)", "1/2"])
def test_the_supremum_is_r1_on_every_small_universe(variant: type[ReleaseCurve], epsilon: str) -> None:
    """Point masses on two to four points: values of one's own choice, as in Fact B.3."""
    for delta in ("1/3", "1/6", "1/50"):
        curve = variant(epsilon, delta)
        for points in (2, 3, 4):
            for blocks in range(1, 9):
                counted = CountedAggregate(POINTS[:points], StabilityBasedMode(curve))
                result = audit_aggregate(counted, blocks)
                assert result.worst_delta == curve[1]
                assert result.verdict.kind == "holds"


def test_the_worst_pair_is_next_to_a_tie_or_changes_the_mode() -> None:
    """x^w/(1+x) with w = 7 at delta = 1/100: thresholds of the reference mechanism, by hand."""
    result = audit_aggregate(CountedAggregate(POINTS[:3], StabilityBasedMode(NoisyThreshold("ln(2)", "1/100"))), 30)
    assert result.worst_delta == F(1, 2**7) / F(3, 2) == F(1, 192)
    one, other = result.worst_pair
    assert (one, other) == ((16, 14, 0), (15, 15, 0))
    assert str(result.worst_event) == "{(0,)}"
    assert (result.worst_event.p, result.worst_event.q) == (F(1, 192), F(0))


def test_two_points_and_odd_blocks_have_no_tie_and_still_show_r1() -> None:
    result = audit_aggregate(CountedAggregate(POINTS[:2], StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))), 5)
    assert result.worst_delta == F(1, 6)
    assert result.worst_pair == ((3, 2), (2, 3))


def test_golden_values_of_the_appendix() -> None:
    """P1, P2, P3 at x = 1/2, s = 2: the law of the tuple (P1, P2, P3) is known by hand."""
    laws = (Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"}), Law({0: "1/4", 1: "1/4", 2: "1/2"}))
    counts = count_vectors(3, 3)
    rows = CountRows(CountedAggregate(laws, StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))), counts)
    i = counts.tolist().index([1, 1, 1])
    found = {cell[0].outcome: rows.exact(i)[y] for y, cell in enumerate(rows.cells)}
    assert found == {(0,): F(13, 60), (1,): F(11, 72), (2,): F(1, 12), BOTTOM: F(197, 360)}


CLAIMS = [("1/2", min(F(1, 100), F(1, 8)), 267), ("ln(2)", min(F(1, 10**6), F(1, 40)), 473)]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(("epsilon", "delta", "blocks"), CLAIMS)
def test_the_corollary_holds_at_its_own_constants(name: str, epsilon: str, delta: Fraction, blocks: int) -> None:
    curve = NoisyThreshold(epsilon, delta)
    for length in (1, 2, 3):
        counted = CountedAggregate(CLASSES[name], StabilityBasedMode(curve), length)
        result = audit_aggregate(counted, blocks)
        assert result.worst_delta <= curve[1] <= delta
        assert result.epsilon_star.factor is not None
        assert result.epsilon_star.factor <= curve.factor
        assert (result.worst_delta == curve[1]) == (name == "point masses")
        assert result.verdict.kind == ("holds" if result.worst_delta else "vacuous")


@pytest.mark.parametrize("variant", [RandomisedThreshold, OptimalRelease])
def test_the_other_curves_spend_all_of_delta_at_full_size(variant: type[ReleaseCurve]) -> None:
    for name in ("point masses", "three laws on three points"):
        counted = CountedAggregate(CLASSES[name], StabilityBasedMode(variant("1/2", "1/100")))
        result = audit_aggregate(counted, 267)
        assert result.worst_delta <= F(1, 100)
        if name == "point masses":
            assert result.worst_delta == F(1, 100)
            star = result.epsilon_star.factor
            assert star is not None
            assert star == exp("1/2") if variant is OptimalRelease else star < exp("1/2")


def test_laws_with_full_support_can_leave_nothing_to_test() -> None:
    """Where all laws share their support an event of probability 0 is missing, and here delta is 0 on all pairs."""
    counted = CountedAggregate(BERNOULLIS, StabilityBasedMode(NoisyThreshold("1/2", "1/100")))
    verdict = audit_aggregate(counted, 267).verdict
    assert (verdict.kind, verdict.reason) == ("vacuous", "delta is 0 on all pairs: nothing was put to the test")
    assert audit_aggregate(CountedAggregate(POINTS[:1], counted.mode), 5).verdict.kind == "vacuous"


# -- wrong mechanisms --


class HalfTheNoise(NoisyThreshold):
    """Noise of scale 1/(2 epsilon), with the threshold of scale 1/epsilon."""

    name = "half the noise"

    def release(self, distance: int) -> Number:
        x = exp(-self.epsilon)
        t = NoisyThreshold(self.epsilon, self.claimed).threshold - distance
        return x ** (2 * t) / (1 + x**2) if t > 0 else 1 - x ** (2 - 2 * t) / (1 + x**2)


class OneTooLow(NoisyThreshold):
    """The threshold is w instead of w + 1."""

    name = "threshold one too low"

    def release(self, distance: int) -> Number:
        return super().release(distance + 1)


class NoNoise(NoisyThreshold):
    """The mode, always."""

    name = "no noise"

    def release(self, distance: int) -> Number:
        return F(1)


@pytest.mark.parametrize(
    ("wrong", "worst"),
    [
        (HalfTheNoise, F(4, 5) - 2 * F(1, 5)),  # from D = s - 1 to D = s, with x^2 = 1/4 for x
        (OneTooLow, F(1, 3)),  # r_2 for r_1
        (NoNoise, F(1)),
    ],
)
def test_wrong_curves_are_refuted_with_their_exact_delta(wrong: type[ReleaseCurve], worst: Fraction) -> None:
    """x = 1/2, claimed delta = 1/6, so w = 2 and s = 3."""
    result = audit_aggregate(CountedAggregate(POINTS[:3], StabilityBasedMode(wrong("ln(2)", "1/6"))), 30)
    assert result.verdict.kind == "refuted"
    assert result.worst_delta == worst
    assert isinstance(result.verdict.witness, Witness)
    assert result.verdict.witness.event.excess(F(2)) == worst


@dataclass(frozen=True)
class RunnerUp:
    """A mode that fails to the most frequent other value, where there is one: from the data, so it tells of them."""

    curve: ReleaseCurve

    def __call__(self, values: Sequence[Hashable]) -> Law:
        sizes = {y: list(values).count(y) for y in dict.fromkeys(values)}
        best = max(sizes, key=lambda y: sizes[y])
        others = {y: n for y, n in sizes.items() if y != best}
        second = max(others, key=lambda y: others[y], default=BOTTOM)
        distance = (sizes[best] - others.get(second, 0) + 1) // 2
        if not distance:
            return Law({BOTTOM: 1})
        r = self.curve[distance]
        return Law({best: r, second: 1 - r} if r < 1 else {best: 1})

    def rule(self, pattern: Pattern, counts: CountTable) -> tuple[Positions, Sequence[Answer]]:
        answers: list[Answer] = []
        for row in counts.tolist():
            sizes = [sum(row[i] for i in block) for block in pattern.blocks]
            best = max(range(len(sizes)), key=lambda b: sizes[b])
            others = [b for b in range(len(sizes)) if b != best and sizes[b]]
            second = max(others, key=lambda b: sizes[b], default=None)
            distance = (sizes[best] - (0 if second is None else sizes[second]) + 1) // 2
            r = self.curve[distance] if distance else F(0)
            answers.append({best: r, second: 1 - r} if distance else {None: F(1)})
        return np.arange(len(counts)), answers


@pytest.mark.parametrize("laws", [POINTS[:3], BERNOULLIS])
def test_a_value_from_the_data_in_place_of_the_default_is_refuted(laws: tuple[Law, ...]) -> None:
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
    wrong = RunnerUp(mode.curve)
    result = audit_aggregate(CountedAggregate(laws, mode), 4, rule=wrong.rule)
    worst, star, attained = brute_force(laws, 4, 1, wrong, F(2), F(1, 6))
    assert (result.worst_delta, result.epsilon_star.factor) == (worst, star)
    assert result.worst_pair in attained
    assert result.verdict.kind == "refuted"


# -- bad input --


def test_what_cannot_be_asked_is_refused() -> None:
    counted = CountedAggregate(POINTS[:3], StabilityBasedMode(NoisyThreshold("1/2", "1/100")))
    for blocks in (0, -1, True):
        with pytest.raises(InvalidArgument, match="blocks"):
            audit_aggregate(counted, blocks)
    with pytest.raises(InvalidArgument, match="factor"):
        audit_aggregate(counted, 3, factor="1/2")
    for delta in ("-1/2", 1, 2):
        with pytest.raises(InvalidArgument, match="delta"):
            audit_aggregate(counted, 3, delta=delta)
    with pytest.raises(BudgetExceeded, match="214668 ordered pairs") as refused:
        audit_aggregate(counted, 267, budget=1000)
    assert refused.value.estimate == 214_668


class TooMuch(NoNoise):
    """No probability: it is above 1."""

    def release(self, distance: int) -> Number:
        return F(3, 2)


def test_answers_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="rule"):
        audit_aggregate(CountedAggregate(POINTS[:2], StabilityBasedMode(TooMuch("1/2", "1/100"))), 3)
    with pytest.raises(InvalidArgument, match="sum to 1"):
        ruled(NOTHING, NOTHING, NOTHING, {0: HALF})


def test_progress_reaches_the_number_of_pairs() -> None:
    seen: list[tuple[int, int, str]] = []
    counted = CountedAggregate(POINTS[:3], StabilityBasedMode(NoisyThreshold("1/2", "1/100")))
    result = audit_aggregate(counted, 150, progress=lambda *step: seen.append(step))
    assert seen[-1] == (result.pairs, result.pairs, "pairs")
    assert len(seen) > 2
