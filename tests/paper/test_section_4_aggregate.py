"""Section 4 and Appendix B, Aggregate: the algorithm, its privacy, its utility, and the constants of both."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Any

import mpmath
import pytest

from exactdp.reference.aggregate import aggregate
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.draw import law_of
from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.aggregate import (
    Counts,
    NeighboursInstance,
    aggregate_law,
    counted_law,
    is_private_aggregate,
    worst_mode_divergence,
)
from exactdp.spec.aggregate_utility import (
    GuaranteeInstance,
    UtilityInstance,
    close_laws,
    fewest_close,
    has_enough_blocks,
    inner_delta,
    is_below_one,
    is_useful_aggregate,
    least_blocks_of_aggregate,
    packing_of,
    worst_gap,
)
from exactdp.spec.claim import Claim
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, item, step
from exactdp.spec.joint import joint_law
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import exp
from exactdp.spec.privacy import change_one_pairs
from exactdp.spec.release_curve import CURVES, NoisyThreshold, OptimalRelease, ReleaseCurve
from exactdp.spec.standard_laws import point
from exactdp.spec.tuples import distance
from exactdp.verify.aggregate_families import close_tuple, guarantee_instance, half_and_half, utility_instance
from exactdp.verify.controls import controls
from exactdp.verify.coupling_families import tight_tuple
from exactdp.verify.families import family, grid_laws, law_of_counts
from exactdp.verify.ledger import entry_of

MODE = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
"""Threshold s = 2 at epsilon = ln 2, so r_1 = 1/3."""
P1, P2, P3 = Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"}), Law({0: "1/4", 1: "1/4", 2: "1/2"})
B, C = Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"})
EVERY_CURVE = pytest.mark.parametrize("kind", CURVES.values(), ids=lambda kind: kind.name)

WORKED = Law({(0,): "13/60", (1,): "11/72", (2,): "1/12", BOTTOM: "197/360"})
TWO_RECORDS = Law({(0, 0): "13/48", (0, 1): "19/168", (1, 0): "19/168", (1, 1): "5/126", BOTTOM: "467/1008"})


def claims_of(name: str, instance: Instance) -> list[Claim]:
    return list(item(name).claims(instance))


def false_steps(name: str, instance: Instance) -> set[str]:
    return {step(claim.label) for claim in claims_of(name, instance) if not claim.holds}


def law_of_program(laws: Sequence[Law], length: int = 1, mode: StabilityBasedMode = MODE) -> Law:
    return law_of(partial(aggregate, mode=mode, length=length), tuple(laws))


# -- the algorithm --


def test_the_worked_example_has_the_law_that_was_worked_out_by_hand() -> None:
    assert aggregate_law([P1, P2, P3], MODE) == WORKED
    assert law_of_program([P1, P2, P3]) == WORKED
    assert CountedAggregate((P1, P2, P3), MODE).law((1, 1, 1)) == WORKED


def test_two_records_of_two_equal_laws_and_one_other_have_the_law_that_was_worked_out_by_hand() -> None:
    assert aggregate_law([B, B, C], MODE, 2) == TWO_RECORDS
    assert law_of_program([B, B, C], 2) == TWO_RECORDS
    assert CountedAggregate((B, C), MODE, 2).law((2, 1)) == TWO_RECORDS
    assert counted_law([C, B], (1, 2), MODE, 2) == TWO_RECORDS


@EVERY_CURVE
def test_the_enumerated_program_has_exactly_the_summed_law_and_the_law_from_counts(kind: type[ReleaseCurve]) -> None:
    mode = StabilityBasedMode(kind("ln(2)", "1/3"))
    for length, p, q, n in product((1, 2), grid_laws(2, 3), grid_laws(2, 3), (1, 2)):
        laws = (p,) * n + (q,) * (3 - n)
        summed = aggregate_law(laws, mode, length)
        assert law_of_program(laws, length, mode) == summed
        if p != q:
            assert CountedAggregate((p, q), mode, length).law((n, 3 - n)) == summed


def test_a_default_that_was_fixed_before_stands_for_failure() -> None:
    default = StabilityBasedMode(MODE.curve, default=(0,))
    law = aggregate_law([P1, P2, P3], default)
    assert law == law_of_program([P1, P2, P3], 1, default)
    assert law[(0,)] == WORKED[(0,)] + WORKED[BOTTOM]


def test_one_law_alone_is_released_with_probability_r_1() -> None:
    assert aggregate_law([P1], MODE) == Law({(0,): "1/6", (1,): "1/6", BOTTOM: "2/3"})


# -- privacy --


@EVERY_CURVE
@pytest.mark.parametrize(("epsilon", "factor"), [("ln(2)", Fraction(2)), ("1/2", exp("1/2"))])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_exact_worst_delta_over_all_neighbouring_tuples_is_r_1(
    kind: type[ReleaseCurve], epsilon: str, factor: Fraction, k: int
) -> None:
    """Over all tuples of two point masses and a law between them; point masses alone attain it."""
    mode = StabilityBasedMode(kind(epsilon, "1/3"))
    points, between = (point(0), point(1)), law_of_counts((1, 1))
    laws: dict[tuple[Hashable, ...], Law] = {q: aggregate_law(q, mode) for q in product((*points, between), repeat=k)}
    apart = {(a, b): exact_divergence(laws[a], laws[b], factor) for a, b in change_one_pairs(laws)}
    assert max(apart.values()) == mode.curve.delta
    assert max(apart[a, b] for a, b in apart if between not in (*a, *b)) == mode.curve.delta
    assert mode.curve.delta == worst_mode_divergence(mode, ("x", "y"), k, factor)


def test_aggregate_of_point_masses_is_the_mode_of_the_points() -> None:
    for points in product("abc", repeat=4):
        assert aggregate_law([point(x) for x in points], MODE) == MODE([(x,) for x in points])


def test_privacy_is_decided_both_ways() -> None:
    before, after = [point(0), point(0), point(0)], [point(0), point(0), point(1)]
    swapped = [point(0), point(1), point(1)]
    assert is_private_aggregate(after, swapped, MODE, Fraction(2), Fraction(1, 3))
    assert not is_private_aggregate(after, swapped, MODE, Fraction(2), Fraction(1, 3) - Fraction(1, 10**9))
    assert is_private_aggregate(before, after, MODE, Fraction(2), Fraction(0))


def test_a_family_of_laws_with_full_support_alone_is_reported_as_vacuous() -> None:
    near = [law_of_counts((9, 10)), law_of_counts((10, 9))]
    instances = [
        NeighboursInstance(f"full support, {k} laws", (near[0],) * k, (*(near[0],) * (k - 1), near[1]), 1, MODE,
                           Fraction(2), Fraction(1, 3))
        for k in (2, 3)
    ]  # fmt: skip
    checked = item("prop-B.1")
    entry = entry_of(checked, instances, controls("prop-B.1"))
    assert entry.verdict.kind == "vacuous"
    assert "'conclusion'" in entry.verdict.reason
    whole = entry_of(checked, [*instances, *list(family("prop-B.1"))[:6]], controls("prop-B.1"))
    assert whole.verdict.kind == "holds"


# -- utility --


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("t", [Fraction(1, 10), Fraction(1, 50)])
def test_laws_that_move_different_atoms_attain_the_bound_for_all_of_them_at_once(n: int, t: Fraction) -> None:
    """Pr[some q_g disagrees with the ghost] = 2Gt/(1 + Gt), where Markov's inequality gives 2Gt."""
    joint = joint_law(tight_tuple(n, t))
    split = joint.probability(lambda z: isinstance(z, tuple) and len(set(z)) > 1)
    assert split == 2 * n * t / (1 + n * t)
    assert split < 2 * n * t


@EVERY_CURVE
def test_two_halves_that_tie_cost_four_t_over_one_plus_two_t(kind: type[ReleaseCurve]) -> None:
    t = Fraction(1, 40)
    target, counted = half_and_half(100, t)
    mode = StabilityBasedMode(kind("1/2", "1/100"))
    law = counted_law(tuple(counted), tuple(counted.values()), mode)
    far = distance(law, target.power(1))
    assert law[BOTTOM] >= 4 * t / (1 + 2 * t)
    assert far >= 4 * t / (1 + 2 * t)
    instance = utility_instance("two halves", target, counted, mode.curve, eta=t, share=Fraction(49, 100))
    conclusion = next(c for c in claims_of("prop-B.2", instance) if step(c.label) == "conclusion")
    assert conclusion.holds
    assert conclusion.lhs == Fraction(49, 100) * far
    assert is_useful_aggregate(law, target, 1, far)
    assert not is_useful_aggregate(law, target, 1, far - Fraction(1, 10**9))


def test_for_a_single_law_at_distance_t_the_steps_have_the_numbers_of_the_closed_form() -> None:
    """k = 40 copies of one q: all agree with the ghost or none does, so S1, S2, S3 and S5 are the same number."""
    t, curve = Fraction(1, 20), OptimalRelease("ln(2)", "1/100")
    target, moved = tight_tuple(1, t)
    instance = utility_instance("forty copies", target, {moved: 40}, curve, eta=t)
    found = {step(claim.label): claim for claim in claims_of("prop-B.2", instance)}
    assert curve.failure(40) == 0
    assert found["S1 coupled"].lhs == 2 * t / (1 + t)
    assert found["S1 coupled"].rhs == found["S1 close"].rhs == 2 * t
    assert found["S2"].lhs == 40 * found["S1 coupled"].lhs
    assert found["S3 Markov"].lhs == found["S5"].lhs == found["S1 coupled"].lhs / 8
    assert found["S4 majority"].lhs == found["S4 gap"].lhs == 40
    assert found["S6"].lhs == t
    assert all(claim.holds for claim in found.values())


def _halves(**changes: Any) -> UtilityInstance:
    target, counted = half_and_half(10, Fraction(1, 50))
    right = utility_instance("two halves", target, counted, NoisyThreshold("ln(2)", "1/6"), eta=Fraction(1, 50))
    return replace(right, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"tau": Fraction(0)},
        {"tau": Fraction(-1)},
        {"share": Fraction(0)},
        {"share": Fraction(1)},
        {"tau": Fraction(15, 2) + Fraction(1, 10**9)},
        {"eta": Fraction(1, 51)},
        {"failure": Fraction(0)},
    ],
    ids=str,
)
def test_without_a_hypothesis_nothing_is_claimed(changes: dict[str, Any]) -> None:
    """2(1 - c)|J| - k = 15/2 here; the mode fails with positive probability at every gap."""
    assert claims_of("prop-B.2", _halves()) != []
    assert claims_of("prop-B.2", _halves(tau=Fraction(15, 2))) != []
    assert claims_of("prop-B.2", _halves(**changes)) == []


def test_a_gap_of_zero_is_no_hypothesis_even_for_a_mode_that_promises_nothing() -> None:
    """c = 1/2 leaves 2(1 - c)|J| - k = 0; with beta_SBM = 1 every mode keeps its promise."""
    target, counted = half_and_half(4, Fraction(1, 8))
    at_zero = utility_instance("tau = 0", target, counted, MODE.curve, eta=Fraction(1, 8), share=Fraction(1, 2))
    assert [at_zero.tau, at_zero.failure] == [Fraction(0), Fraction(1)]
    assert claims_of("prop-B.2", at_zero) == []
    assert claims_of("prop-B.2", replace(at_zero, share=Fraction(2, 5), tau=Fraction(4, 5))) != []


def test_closeness_is_not_strict() -> None:
    target, *moved = tight_tuple(2, Fraction(1, 50))
    assert close_laws(moved, target, Fraction(1, 50)) == (0, 1)
    assert close_laws(moved, target, Fraction(1, 50) - Fraction(1, 10**9)) == ()


def test_the_target_need_not_be_among_the_laws() -> None:
    instance = _halves()
    assert instance.target not in instance.laws
    assert false_steps("prop-B.2", instance) == set()


@pytest.mark.parametrize("counts", [(1, 1, 1), (3, 1, 1), (2, 2, 1)])
def test_the_law_from_counts_is_that_of_the_whole_tuple(counts: Counts) -> None:
    laws = (P1, P2, P3)
    whole = [law for law, n in zip(laws, counts, strict=True) for _ in range(n)]
    assert counted_law(laws, counts, MODE) == aggregate_law(whole, MODE) == CountedAggregate(laws, MODE).law(counts)


# -- constants --


@pytest.mark.parametrize(
    ("epsilon", "delta", "beta", "k"),
    [("1/2", "1/100", "1/2", 107), ("ln(2)", "1e-6", "1/10", 203), ("ln(2)", "1/2", "1/2", 32)],
)
def test_the_least_number_of_laws_is_the_one_that_was_worked_out_by_hand(
    epsilon: str, delta: str, beta: str, k: int
) -> None:
    """16 ln 800 = 106.95..., 8 log2(4 10^7) = 202.02..., and 8 log2(16) = 32 exactly."""
    parameters = Epsilon(epsilon), Fraction(delta), Fraction(beta)
    assert least_blocks_of_aggregate(*parameters) == k
    assert has_enough_blocks(k, *parameters)
    assert not has_enough_blocks(k - 1, *parameters)


PARAMETERS = [
    (Fraction(e), Fraction(d), Fraction(b))
    for e in ("1/10", "1/4", "1/2", "7/10", "9/10", "99/100")
    for d in ("9/10", "1/2", "1/10", "1/100", "1e-6")
    for b in ("9/10", "1/2", "1/10", "1/100")
]


@pytest.mark.parametrize(("epsilon", "delta", "beta"), PARAMETERS)
def test_the_least_number_of_laws_agrees_with_logarithms_of_fifty_digits(
    epsilon: Fraction, delta: Fraction, beta: Fraction
) -> None:
    with mpmath.workdps(50):
        whole = 4 / (beta * delta)
        logs = mpmath.log(whole.numerator) - mpmath.log(whole.denominator)
        expected = int(mpmath.ceil(8 * logs * epsilon.denominator / epsilon.numerator))
    assert least_blocks_of_aggregate(Epsilon(epsilon), delta, beta) == expected


@pytest.mark.parametrize(("epsilon", "delta", "beta"), PARAMETERS)
def test_the_gap_that_is_left_is_enough_for_the_reference_mode(
    epsilon: Fraction, delta: Fraction, beta: Fraction
) -> None:
    k = least_blocks_of_aggregate(Epsilon(epsilon), delta, beta)
    inner = min(delta, beta / 4)
    curve = NoisyThreshold(epsilon, inner)
    assert worst_gap(k) >= curve.smallest_gap() == 4 * (curve.threshold - 1) - 1
    with mpmath.workdps(50):
        needed = 4 * (mpmath.log(inner.denominator) - mpmath.log(inner.numerator))
        assert needed * epsilon.denominator < epsilon.numerator * mpmath.mpf(k) / 2


def test_the_least_gap_in_integers_is_at_least_that_of_the_proof_for_every_k() -> None:
    """2(|J| - floor(|J|/8)) - k >= 17k/32, by going through all J and disagreements of the corollary."""
    for k in range(1, 400):
        gaps = [2 * (j - off) - k for j in range(ceil(Fraction(7 * k, 8)), k + 1) for off in range(j // 8 + 1)]
        assert min(gaps) == worst_gap(k)
        assert 32 * worst_gap(k) >= 17 * k
        assert 8 * fewest_close(k) >= 7 * k > 8 * (fewest_close(k) - 1)


@EVERY_CURVE
@pytest.mark.parametrize("parameters", [("1/2", "1/100", "1/2"), ("ln(2)", "1e-6", "1/10")], ids=str)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_at_its_own_constants_the_answer_is_within_half_of_beta(
    parameters: tuple[str, str, str], length: int, kind: type[ReleaseCurve]
) -> None:
    """Exactly ceil(7k/8) of the least number k of laws are close, at distance exactly eta; the others are far."""
    instance = guarantee_instance(parameters, length, kind)
    eta = Fraction(parameters[2]) / (64 * length)
    k = sum(instance.counts)
    assert [distance(law, instance.target) for law in instance.laws] == [eta, eta, 1]
    assert instance.counts[0] + instance.counts[1] == ceil(Fraction(7 * k, 8))
    law = counted_law(instance.laws, instance.counts, instance.mode, length)
    mode = StabilityBasedMode(kind(parameters[0], inner_delta(instance.delta, instance.beta)))
    assert law == CountedAggregate(instance.laws, mode, length).law(instance.counts)
    far = distance(law, instance.target.power(length))
    assert 0 < far <= instance.beta / 2
    assert is_useful_aggregate(law, instance.target, length, instance.beta / 2)
    assert false_steps("cor-B.4", instance) == set()


def test_two_halves_of_the_close_laws_tie_when_they_differ() -> None:
    """47 and 47 of 107 laws, t = 1/128: no answer with probability 4t/(1 + 2t) and a little more."""
    instance = guarantee_instance(("1/2", "1/100", "1/2"), 1)
    assert instance.counts == (47, 47, 13)
    lost = counted_law(instance.laws, instance.counts, instance.mode)[BOTTOM]
    assert Fraction(4, 130) < lost < Fraction(4, 130) + Fraction(1, 1000)


def _guarantee(**changes: Any) -> GuaranteeInstance:
    return replace(guarantee_instance(("1/2", "1/100", "1/2"), 1), **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": "1"},
        {"epsilon": "ln(3)"},
        {"delta": Fraction(1)},
        {"beta": Fraction(1)},
        {"counts": (47, 46, 13)},
        {"counts": (47, 46, 14)},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["cor-B.4", "thm-4.1"])
def test_outside_the_corollarys_hypotheses_nothing_is_claimed(name: str, changes: dict[str, Any]) -> None:
    """One law fewer in all, or one close law fewer, is one too few."""
    assert claims_of(name, _guarantee()) != []
    assert claims_of(name, _guarantee(**changes)) == []


def test_epsilon_below_one_is_decided_exactly() -> None:
    below = ("99/100", "ln(2)", "ln(27/10)", "ln(2718281828/1000000000)")
    beyond = ("1", "101/100", "ln(28/10)", "ln(8)", "ln(2718281829/1000000000)")
    assert [is_below_one(Epsilon(text)) for text in below] == [True] * len(below)
    assert [is_below_one(Epsilon(text)) for text in beyond] == [False] * len(beyond)


# -- every epsilon --


def test_the_theorem_claims_the_corollary_and_packing() -> None:
    instance = guarantee_instance(("ln(2)", "1e-6", "1/10"), 1)
    theorem, corollary = ([c.label for c in claims_of(name, instance)] for name in ("thm-4.1", "cor-B.4"))
    assert theorem[1:] == corollary
    assert step(theorem[0]) == "packing"
    assert false_steps("thm-4.1", instance) == set()


def test_for_large_epsilon_the_printed_condition_allows_one_law_where_no_mechanism_exists() -> None:
    """At epsilon = 32 ln 2, beta = delta = 1/2: k = 1 is enough, and packing fails beyond 2^32 + 1 records."""
    epsilon, half = Epsilon("ln(4294967296)"), Fraction(1, 2)
    assert least_blocks_of_aggregate(epsilon, half, half) == 1
    packed, room = packing_of(1, epsilon, half, half, 2**32 + 1)
    assert packed == room == 2**30
    packed, room = packing_of(1, epsilon, half, half, 2**32 + 2)
    assert packed > room


@pytest.mark.parametrize("size", [2, 5, 20])
def test_randomised_response_meets_packing_with_equality(size: int) -> None:
    """Randomised response on N records tells the truth with probability E/(E + N - 1), so beta/2 = (N-1)/(E+N-1)."""
    factor = Fraction(4)
    beta = 2 * (size - 1) / (factor + size - 1)
    packed, room = packing_of(1, Epsilon("ln(4)"), Fraction(0), beta, size)
    assert packed == room == (size - 1) * factor / (factor + size - 1)
    more, room = packing_of(1, Epsilon("ln(4)"), Fraction(0), beta, size + 1)
    assert more > room


def test_within_the_theorems_range_packing_asks_for_nothing() -> None:
    for epsilon, delta, beta in PARAMETERS:
        k = least_blocks_of_aggregate(Epsilon(epsilon), delta, beta)
        packed, room = packing_of(k, Epsilon(epsilon), delta, beta, 2**1000)
        assert packed < 0 < room


def test_a_tuple_without_far_laws_is_close_as_a_whole() -> None:
    target, laws, counts = close_tuple(7, 1, Fraction(1, 100))
    assert (len(laws), counts) == (2, (4, 3))
    assert [distance(law, target) for law in laws] == [Fraction(1, 100)] * 2
