"""Fact B.3: the stability-based mode on small universes, the gaps that it needs, and where the quoted Fact is true."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.claim import Claim
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import item, step
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Exact, Number, exact, exp
from exactdp.spec.privacy import Laws, change_one_pairs, event_delta
from exactdp.spec.release_curve import CURVES, NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.spec.stable_release import (
    Dataset,
    ModeInstance,
    WorstChange,
    changes,
    datasets,
    distinct_pairs,
    is_above_quoted,
    keeps_the_quoted_fact,
    noisy_threshold_gap,
    quoted_gap,
    same_mode_delta,
    worst_change,
)
from exactdp.spec.standard_laws import point
from exactdp.verify.controls import controls
from exactdp.verify.families import PRESETS, family, plain_divergence
from exactdp.verify.ledger import entry_of
from exactdp.verify.mode_controls import WORKED
from exactdp.verify.mode_families import SIZES, mode_instance
from exactdp.verify.mode_picture import paper_threshold, release_rows, release_table

FACT = item("fact-B.3")
KINDS = pytest.mark.parametrize("kind", CURVES.values(), ids=list(CURVES))
EPSILONS = ("ln(2)", "ln(3/2)", "ln(5/2)", "1/2")
DELTAS = [Fraction(n, 24) for n in range(1, 24)] + [Fraction(1, n) for n in (9, 11, 60, 100, 1000, 10**6)]
SMALL = [(2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (3, 3), (3, 4), (4, 1), (4, 2), (4, 3)]


def claims_by_step(instance: ModeInstance) -> dict[str, Claim]:
    found = {step(claim.label): claim for claim in FACT.claims(instance)}
    assert len(found) == len(list(FACT.claims(instance)))
    return found


# -- privacy --


@KINDS
@pytest.mark.parametrize(("epsilon", "delta"), [("ln(2)", "1/6"), ("ln(3/2)", "4/5"), ("1/2", "1/10")])
def test_the_exact_delta_of_every_small_universe_is_r_1(kind: type[ReleaseCurve], epsilon: str, delta: str) -> None:
    curve = kind(epsilon, delta)
    mode = StabilityBasedMode(curve)
    for values, records in SMALL:
        assert worst_change(mode, values, records, curve.factor).delta == curve.delta
    assert curve.delta <= exact(delta)


@pytest.mark.parametrize(("delta", "r_1"), [("1/3", "1/3"), ("1/5", "1/6"), ("1/12", "1/12"), ("3/4", "2/3")])
def test_the_noisy_threshold_has_the_largest_tail_of_at_most_delta_at_stake(delta: str, r_1: str) -> None:
    """x = 1/2: tails are 2/3, 1/3, 1/6, 1/12, ... at 0, 1, 2, 3, ..."""
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", delta))
    assert worst_change(mode, 3, 4, Fraction(2)).delta == Fraction(r_1)


def test_at_rational_epsilon_the_exact_delta_is_an_exponential_number() -> None:
    """x = e^(-1/2): x^4/(1 + x) <= 1/10 < x^3/(1 + x)."""
    mode, x = StabilityBasedMode(NoisyThreshold("1/2", "1/10")), exp("-1/2")
    found = worst_change(mode, 3, 3, 1 / x).delta
    assert isinstance(found, Exact)
    assert found == x**4 / (1 + x) < Fraction(1, 10) < x**3 / (1 + x)


@KINDS
@pytest.mark.parametrize("default", [BOTTOM, 0])
def test_every_pair_and_every_event_give_the_same_number_as_the_pairs_that_are_looked_at(
    kind: type[ReleaseCurve], default: object
) -> None:
    curve = kind("ln(2)", "1/6")
    mode = StabilityBasedMode(curve, default)
    for values, records in SMALL:
        every = list(product(range(values), repeat=records))
        laws: Laws = {z: mode(z) for z in every}
        neighbours = {(laws[z], laws[t]) for z, t in change_one_pairs(every)}
        assert max(plain_divergence(p, q, curve.factor) for p, q in neighbours) == curve.delta
        assert max(event_delta(p, q, curve.factor) for p, q in neighbours) == curve.delta
        assert worst_change(mode, values, records, curve.factor).delta == curve.delta


@KINDS
def test_the_order_of_the_values_does_not_matter_so_count_vectors_are_enough(kind: type[ReleaseCurve]) -> None:
    curve = kind("ln(5/2)", "1/9")
    for default, (values, records) in product((BOTTOM, 1), [(1, 3), (2, 5), (3, 4), (4, 4)]):
        mode = StabilityBasedMode(curve, default)
        assert all(mode(z) == mode(sorted(z)) for z in datasets(values, records))
        whole, counted = (worst_change(mode, values, records, curve.factor, symmetric=s) for s in (False, True))
        assert whole.delta == counted.delta


@KINDS
@pytest.mark.parametrize(("values", "records"), [(2, 4), (2, 5), (3, 4), (4, 3)])
def test_claims_about_count_vectors_are_those_about_all_datasets(
    kind: type[ReleaseCurve], values: int, records: int
) -> None:
    curve = kind("ln(2)", "3/4")
    whole, counted = (claims_by_step(mode_instance(curve, values, records, symmetric=s)) for s in (False, True))
    assert {name: claim.margin for name, claim in whole.items()} == {n: c.margin for n, c in counted.items()}
    assert whole["exact delta"].lhs == counted["exact delta"].lhs == curve.delta


@pytest.mark.parametrize(("values", "records"), [(1, 0), (1, 1), (1, 6), (2, 0), (4, 0)])
def test_where_nothing_can_change_there_is_no_worst_pair(values: int, records: int) -> None:
    mode = StabilityBasedMode(WORKED)
    assert worst_change(mode, values, records, Fraction(2)) == WorstChange(Fraction(0), None)
    steps = {step(claim.label) for claim in FACT.claims(mode_instance(WORKED, values, records))}
    assert not steps & {"S1 gap", "S4 at stake", "exact delta", "conclusion"}


def test_a_family_in_which_nothing_can_change_is_reported_vacuous() -> None:
    alone = [mode_instance(WORKED, values, records) for values, records in ((1, 0), (1, 8), (3, 0))]
    entry = entry_of(FACT, alone, controls("fact-B.3"))
    assert entry.claims > 0
    assert entry.verdict.kind == "vacuous"
    assert "conclusion" in entry.verdict.reason
    nothing = entry_of(FACT, [mode_instance(WORKED, 1, 0)], controls("fact-B.3"))
    assert nothing.verdict.kind == "vacuous"
    assert "hypotheses hold for none" in nothing.verdict.reason
    assert entry_of(FACT, [mode_instance(WORKED, 2, 2)], controls("fact-B.3")).verdict.kind == "holds"


@KINDS
def test_of_no_data_and_of_a_tie_nothing_is_released(kind: type[ReleaseCurve]) -> None:
    mode = StabilityBasedMode(kind("ln(2)", "1/6"))
    assert mode(()) == mode((0, 1)) == mode((0, 1, 1, 0, 2)) == point(BOTTOM)
    assert StabilityBasedMode(kind("ln(2)", "1/6"), 7)(()) == point(7)


def test_a_default_that_is_the_mode_is_given_always_and_costs_nothing() -> None:
    mode = StabilityBasedMode(WORKED, 1)
    assert mode((1, 1, 0)) == point(1)
    assert mode((0, 0, 1)) == Law({0: "1/6", 1: "5/6"})
    assert worst_change(mode, 2, 3, Fraction(2)).delta == Fraction(1, 6)


# -- the steps --


def test_every_step_has_its_numbers_on_three_values_and_eight_records() -> None:
    """x = 1/2, delta = 1/6, s = 3: r_1..r_5 = 1/6, 1/3, 2/3, 5/6, 11/12; the gap g* is 7, and 11 is the Fact's."""
    found = claims_by_step(mode_instance(WORKED, 3, 8, symmetric=True))
    sixth = Fraction(1, 6)
    assert {name: (claim.lhs, claim.rhs) for name, claim in found.items() if not name.startswith("S3")} == {
        "S1 gap": (2, 2),
        "S1 distance": (1, 1),
        "S2 unique modes": (1, 1),
        "S2 different modes": (2, 2),
        "S4 at stake": (sixth, sixth),
        "exact delta": (sixth, sixth),
        "conclusion": (sixth, sixth),
        "accuracy": (Fraction(5, 6), Fraction(5, 6)),
        "minimal gap": (Fraction(2, 3), Fraction(5, 6)),
    }
    assert found["S3 released"].margin == found["S3 withheld"].margin == found["S3 same mode"].margin == 0


def test_there_is_a_quoted_claim_just_where_a_dataset_has_the_gap_that_the_fact_speaks_of() -> None:
    has_it = ["quoted" in claims_by_step(mode_instance(WORKED, 2, m, symmetric=True)) for m in (9, 10, 11, 12)]
    assert has_it == [False, False, True, True]


@pytest.mark.parametrize("values", [2, 3, 4])
def test_the_gap_moves_by_two_and_the_distance_by_one_on_all_small_data(values: int) -> None:
    """Counted anew from sorted counts."""

    def gap(z: Dataset) -> int:
        counts = sorted((z.count(v) for v in range(values)), reverse=True)
        return counts[0] - counts[1]

    for records in range(1, 6):
        moves = {(gap(z), gap(t)) for z in datasets(values, records) for t in changes(z, values)}
        assert max(abs(a - b) for a, b in moves) == (0 if records == 1 else 2)
        assert max(abs((a + 1) // 2 - (b + 1) // 2) for a, b in moves) <= 1


def same_mode_divergence(curve: ReleaseCurve, records: int) -> Number:
    """The largest divergence between two values' data in which 0 keeps the majority."""
    mode = StabilityBasedMode(curve)
    laws = [mode((0,) * zeros + (1,) * (records - zeros)) for zeros in range(records // 2 + 1, records + 1)]
    pairs = [(laws[i], laws[j]) for i in range(len(laws)) for j in (i - 1, i + 1) if 0 <= j < len(laws)]
    return max(plain_divergence(p, q, curve.factor) for p, q in pairs)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", ["1/6", "3/4", "1/100"])
def test_on_one_mode_noise_is_pure_and_the_largest_curve_spends_delta(epsilon: str, delta: str) -> None:
    for kind in (NoisyThreshold, RandomisedThreshold):
        assert same_mode_divergence(kind(epsilon, delta), 30) == same_mode_delta(kind(epsilon, delta)) == 0
    largest = OptimalRelease(epsilon, delta)
    assert 0 < same_mode_divergence(largest, 30) <= same_mode_delta(largest) == largest.claimed


def test_on_one_mode_the_largest_curve_spends_exactly_delta() -> None:
    assert same_mode_divergence(OptimalRelease("ln(2)", "1/6"), 6) == Fraction(1, 6)


def test_pairs_of_things_seen_are_the_first_neighbours_that_show_them() -> None:
    seen = {z: z.count(1) for z in datasets(2, 3)}
    found = distinct_pairs(seen, 2)
    assert {(seen[z], seen[t]) for z, t in found} == {(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)}
    assert len(found) == 6
    assert all(sum(a != b for a, b in zip(z, t, strict=True)) == 1 for z, t in found)


# -- accuracy, and the Fact as it is quoted --


@pytest.mark.parametrize(("n", "noisy", "quoted"), [(6, 7, 11), (12, 11, 15), (100, 27, 27), (1000, 39, 40)])
def test_the_needed_and_the_quoted_gaps_at_one_half(n: int, noisy: int, quoted: int) -> None:
    epsilon, delta = Epsilon("ln(2)"), Fraction(1, n)
    assert noisy_threshold_gap(epsilon, delta) == NoisyThreshold(epsilon, delta).smallest_gap() == noisy
    assert quoted_gap(epsilon, delta) == quoted


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_four_w_minus_one_is_the_least_gap_of_the_noisy_threshold_for_every_delta(epsilon: str) -> None:
    for delta in DELTAS:
        curve, gap = NoisyThreshold(epsilon, delta), noisy_threshold_gap(Epsilon(epsilon), delta)
        w = curve.threshold - 1
        assert gap == max(1, 4 * w - 1)
        assert curve.failure(gap) <= delta
        assert gap == 1 or curve.failure(gap - 1) > delta


@pytest.mark.parametrize("epsilon", ["ln(2)", "1/2"])
def test_privacy_and_failure_can_have_different_probabilities(epsilon: str) -> None:
    for delta, failure in product(DELTAS[::4], repeat=2):
        curve, gap = NoisyThreshold(epsilon, delta), noisy_threshold_gap(Epsilon(epsilon), delta, failure)
        assert curve.failure(gap) <= failure
        assert gap == 1 or curve.failure(gap - 1) > failure


def test_a_large_delta_releases_from_a_gap_of_one_on() -> None:
    """w = 0: r_1 = Pr[N >= 0] = 2/3 at x = 1/2."""
    curve = NoisyThreshold("ln(2)", "3/4")
    assert curve.threshold == 1
    assert noisy_threshold_gap(Epsilon("ln(2)"), Fraction(3, 4)) == 1
    assert claims_by_step(mode_instance(curve, 3, 4))["accuracy"].lhs == Fraction(2, 3)


def test_above_is_strict() -> None:
    """4 log(4)/log(2) = 8 exactly."""
    assert [is_above_quoted(gap, Epsilon("ln(2)"), Fraction(1, 4)) for gap in (7, 8, 9)] == [False, False, True]


@pytest.mark.parametrize("epsilon", ["1/2", "1/10", "3/4"])
def test_the_quoted_gap_is_the_one_that_mpmath_finds(epsilon: str) -> None:
    with mpmath.workdps(60):
        for delta in DELTAS:
            number = -4 * mpmath.log(mpmath.mpf(delta.numerator) / delta.denominator) / mpmath.mpf(Fraction(epsilon))
            assert quoted_gap(Epsilon(epsilon), delta) == int(mpmath.floor(number)) + 1


@pytest.mark.parametrize("epsilon", ["ln(2)", "ln(3/2)", "1/2", "3/4", "0.7644"])
def test_word_for_word_the_fact_is_true_of_the_noisy_threshold_up_to_an_epsilon(epsilon: str) -> None:
    for delta in DELTAS:
        curve = NoisyThreshold(epsilon, delta)
        assert keeps_the_quoted_fact(curve)
        assert curve.failure(quoted_gap(curve.epsilon, delta)) <= delta


def test_beyond_that_epsilon_the_noisy_threshold_breaks_the_fact_as_quoted() -> None:
    """x = 2/5, delta = 1/9: 4 log(9)/log(5/2) < 10, w = 3, and at gap 10 the failure is x^2/(1 + x) = 4/35 > 1/9."""
    curve = NoisyThreshold("ln(5/2)", "1/9")
    assert not keeps_the_quoted_fact(curve)
    assert quoted_gap(curve.epsilon, curve.claimed) == 10
    assert curve.failure(10) == Fraction(4, 35) > Fraction(1, 9)
    assert noisy_threshold_gap(curve.epsilon, curve.claimed) == 11
    assert curve.failure(11) == Fraction(8, 175) <= Fraction(1, 9)


def test_just_beyond_that_epsilon_some_delta_breaks_it() -> None:
    """delta just below x^(w-1)/(1 + x), so that w is as large, and log(1/delta)/epsilon as small as can be."""
    epsilon = Epsilon("77/100")
    assert not keeps_the_quoted_fact(NoisyThreshold(epsilon, "1/2"))
    tail = exp(epsilon * -1) / (1 + exp(-epsilon))
    delta = tail - Fraction(1, 10**9)
    curve = NoisyThreshold(epsilon, delta)
    assert curve.failure(quoted_gap(epsilon, delta)) > delta


@pytest.mark.parametrize("kind", [RandomisedThreshold, OptimalRelease])
@pytest.mark.parametrize("epsilon", ["ln(2)", "1/2", "ln(5/2)", "1", "ln(3)", "ln(4)"])
def test_word_for_word_the_fact_is_true_of_the_others_up_to_twice_log_two(
    kind: type[ReleaseCurve], epsilon: str
) -> None:
    for delta in DELTAS:
        curve = kind(epsilon, delta)
        assert keeps_the_quoted_fact(curve)
        assert curve.failure(quoted_gap(curve.epsilon, delta)) <= delta


@pytest.mark.parametrize("kind", [RandomisedThreshold, OptimalRelease])
def test_beyond_twice_log_two_they_break_it_too(kind: type[ReleaseCurve]) -> None:
    curve = kind("ln(5)", "9/20")
    assert not keeps_the_quoted_fact(curve)
    assert quoted_gap(curve.epsilon, curve.claimed) == 2
    assert curve.failure(2) > Fraction(9, 20)


def test_the_repaired_reading_holds_beside_the_refuted_one() -> None:
    """The same data and mechanism: from g* = 11 on it is true, as quoted it is false."""
    right = mode_instance(NoisyThreshold("ln(5/2)", "1/9"), 3, 11, symmetric=True)
    assert (right.gap, right.quoted) == (11, False)
    found = claims_by_step(right)
    assert all(claim.holds for claim in found.values())
    assert found["accuracy"].lhs == Fraction(167, 175)
    for kind in (RandomisedThreshold, OptimalRelease):
        literal = mode_instance(kind("ln(5/2)", "1/9"), 3, 11, symmetric=True)
        assert literal.quoted
        assert claims_by_step(literal)["quoted"].holds


# -- the table --


def test_the_table_compares_three_curves_with_the_quoted_gap() -> None:
    rows = release_rows("ln(2)", "1/100")
    assert [(row.curve.name, str(row.delta), row.smallest_gap, row.quoted) for row in rows] == [
        ("noisy threshold", "1/192", 27, 27),
        ("randomised threshold", "1/100", 25, 27),
        ("optimal release", "1/100", 21, 27),
    ]
    assert all(row.failure <= Fraction(1, 100) < row.curve.failure(row.smallest_gap - 1) for row in rows)
    assert all(row.keeps_the_fact for row in rows)


def test_the_table_marks_where_the_fact_as_quoted_is_broken() -> None:
    lines = release_table([("ln(2)", "1/6"), ("ln(5/2)", "1/9")])
    assert len(lines) == 1 + 6 + 1
    assert [line.split()[:2] for line in lines if line.endswith("*")] == [["ln(5/2)", "1/9"]]
    assert len(release_table([("ln(2)", "1/6")])) == 1 + 3


def test_the_threshold_of_the_picture_lies_between_the_integers_that_the_exact_decision_names() -> None:
    for epsilon, delta in (("ln(5/2)", "1/9"), ("1/2", "1/100")):
        gap = quoted_gap(Epsilon(epsilon), Fraction(delta))
        assert gap - 1 < paper_threshold(Epsilon(epsilon), Fraction(delta)) < gap


# -- the families --


def test_an_instance_can_be_pasted_and_has_a_name_of_its_own() -> None:
    instances = list(family("fact-B.3"))
    assert len({str(instance) for instance in instances}) == len(instances)
    vocabulary: dict[str, object] = {kind.__name__: kind for kind in CURVES.values()}
    vocabulary |= {"ModeInstance": ModeInstance, "StabilityBasedMode": StabilityBasedMode, "BOTTOM": BOTTOM}
    vocabulary |= {"Fraction": Fraction, "exp": exp}
    for instance in instances[::12] + instances[-30::5]:
        assert eval(repr(instance), dict(vocabulary)) == instance


def test_the_family_has_what_hides_bugs_when_it_is_missing() -> None:
    found = [one for one in family("fact-B.3") if isinstance(one, ModeInstance)]
    universes = {(one.values, one.records) for one in found if not one.symmetric}
    assert {values for values, _ in universes} == {1, 2, 3, 4}
    assert {(1, 0), (2, 0), (2, 1), (4, 1), (2, 2), (2, 4), (3, 4)} <= universes
    assert {one.curve.name for one in found} == set(CURVES)
    assert {str(one.curve.epsilon) for one in found} >= {"ln(2)", "ln(3/2)", "ln(5/2)", "1/2"}
    assert any(one.curve.threshold <= 1 for one in found if isinstance(one.curve, NoisyThreshold))
    assert any(one.kernel(()) == point(one.values - 1) for one in found)
    assert any(one.failure is not None for one in found)


def test_every_step_of_the_fact_says_something_about_every_curve() -> None:
    instances = [one for one in family("fact-B.3") if isinstance(one, ModeInstance)]
    for name in CURVES:
        steps = {step(c.label) for one in instances if one.curve.name == name for c in FACT.claims(one)}
        assert steps == {
            "S1 gap", "S1 distance", "S2 unique modes", "S2 different modes", "S3 released", "S3 withheld",
            "S3 same mode", "S4 at stake", "exact delta", "conclusion", "accuracy", "minimal gap", "quoted",
        }  # fmt: skip


def test_every_preset_has_its_sizes() -> None:
    assert set(SIZES) == set(PRESETS)
