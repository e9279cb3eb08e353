"""Section 4 and Appendix B, Sampler: the definition, the algorithm, its privacy and its utility at their constants."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial

import mpmath
import pytest

from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.learners import Learner, empirical, first_record, maximum_likelihood, random_record, smoothed
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sampler import sampler
from exactdp.reference.sampler_law import sampler_law_from, sampler_law_over
from exactdp.spec import sampler as sampler_spec
from exactdp.spec import sampler_utility
from exactdp.spec.enclosure import decimal
from exactdp.spec.errors import InvalidArgument, SymbolicEpsilon
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, item, step
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law, mixture
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import exp
from exactdp.spec.privacy import change_one_pairs, delta_at
from exactdp.spec.release_curve import CURVES
from exactdp.spec.sampler import (
    SamplerInstance,
    average_law,
    blocks_differ,
    blocks_of,
    fresh_coins,
    is_sampler,
    output_law,
    total_variation,
)
from exactdp.spec.sampler_utility import (
    are_enough_blocks,
    are_few_blocks,
    binomial_tail,
    is_private_and_useful,
    is_usually_close,
    miss_probability,
    sampler_parameters,
    weighted_counts,
)
from exactdp.spec.standard_laws import point
from exactdp.spec.tuples import entries
from exactdp.verify.families import family
from exactdp.verify.ledger import entry_of
from exactdp.verify.sampler_families import (
    BERNOULLIS,
    CLASSES,
    FAIR,
    FIXTURE_LAW,
    FIXTURE_LEARNT,
    LN_2,
    ROTATIONS,
    SMALL_MODES,
    Target,
    all_pairs,
    averaged,
    case_of,
    histogram_pairs,
    least_setting,
    mode_at,
    near_and_far,
    private,
    promised,
    promised_by_mock,
    small_learners,
    target_of,
    useful,
)
from exactdp.verify.sampler_settings import (
    HistogramLaw,
    IndependentBlocks,
    LawOver,
    Mixing,
    ProgramLaw,
    Setting,
    WorstOverCounts,
    learnt_from,
)
from exactdp.verify.wrong_samplers import one_seed

SAMPLER = ["def-1.4", "thm-1.5", "alg-2", "thm-4.3", "prop-B.5", "prop-B.6", "cor-B.7"]
MODE = mode_at(LN_2, "1/3")
"""Threshold s = 2 at epsilon = ln 2: r_1 = 1/3, r_2 = 2/3."""


def false_steps(name: str, instance: Instance) -> set[str]:
    return {step(claim.label) for claim in item(name).claims(instance) if not claim.holds}


@pytest.mark.parametrize("name", SAMPLER)
def test_the_items_of_sampler_hold_on_their_families(name: str) -> None:
    claims = [claim for instance in family(name) for claim in item(name).claims(instance)]
    assert claims
    assert [claim for claim in claims if not claim.holds] == []


# -- Definition 1.4 --


def test_a_mechanism_on_two_fair_coins_has_this_distance_to_a_fair_coin() -> None:
    """The law of one block of one record: r_1 = 1/3 on the record, the rest declined."""
    setting = Setting(first_record(), 1, 1, MODE)
    law = output_law(ProgramLaw(setting), FAIR, 1)
    assert law == Law({(0,): "1/6", (1,): "1/6", BOTTOM: "2/3"})
    assert total_variation(law, FAIR.power(1)) == Fraction(2, 3)
    assert is_sampler(ProgramLaw(setting), [FAIR], 1, 1, Fraction(2, 3))
    assert not is_sampler(ProgramLaw(setting), [FAIR], 1, 1, Fraction(2, 3) - Fraction(1, 10**30))


def test_the_failure_symbol_counts_with_all_its_mass() -> None:
    """Conditioned on an answer the law is right, so the distance is the failure probability itself."""
    right = Law({("a",): "1/2", ("b",): "1/2"})
    for failure in (Fraction(1, 3), exp("-1/2")):
        law = mixture([(1 - failure, right), (failure, point(BOTTOM))])
        assert total_variation(law, right) == failure


def test_one_bad_law_of_a_class_is_enough() -> None:
    def always_zero(data: tuple[object, ...]) -> Law:
        return point((0,))

    assert is_sampler(always_zero, [point(0)], 1, 1, Fraction(0))
    assert not is_sampler(always_zero, [point(0), point(1)], 1, 1, Fraction(99, 100))


# -- Algorithm 2 --


def test_the_coins_are_a_uniform_permutation_and_independent_seeds() -> None:
    coins = fresh_coins(Setting(random_record(2), 2, 2, MODE).lines)
    assert len(coins) == factorial(4) * 2**2
    assert {mass for _, mass in coins.items()} == {Fraction(1, 96)}


def test_the_average_over_permutations_is_worked_out_by_hand() -> None:
    """First records of two blocks of a pair, from a, b, b, b: both are b in half of the permutations.

    Two different point laws tie. Two equal ones have distance 1, so b is released with probability 1/2 * 1/3.
    """
    setting = Setting(first_record(), 2, 2, MODE)
    expected = Law({("b",): "1/6", BOTTOM: "5/6"})
    assert average_law(setting.lines, ("a", "b", "b", "b")) == expected
    assert ProgramLaw(setting)(("b", "b", "a", "b")) == expected
    assert HistogramLaw(setting)(("b", "a", "b", "b")) == expected


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_one_value_one_block_and_blocks_of_one_record_are_fine(shape: tuple[int, int]) -> None:
    blocks, block_size = shape
    for learner in small_learners(1, block_size):
        setting = Setting(learner, blocks, block_size, MODE)
        data = (0,) * (blocks * block_size)
        released = MODE.curve[(blocks + 1) // 2]
        assert ProgramLaw(setting)(data) == Law({(0,): released, BOTTOM: 1 - released})
        assert average_law(setting.lines, data) == ProgramLaw(setting)(data)


def test_other_numbers_of_records_use_the_first_or_give_the_default() -> None:
    setting = Setting(first_record(), 2, 1, MODE)
    assert ProgramLaw(setting)((0, 0, 1, 1)) == ProgramLaw(setting)((0, 0))
    assert HistogramLaw(setting)((0, 0, 1, 1)) == average_law(setting.lines, (0, 0, 1, 1))
    for short in ((), (0,)):
        assert ProgramLaw(setting)(short) == average_law(setting.lines, short) == point(BOTTOM)


def test_fewer_than_one_block_is_refused_with_one_line() -> None:
    for blocks, block_size, argument in ((0, 1, "blocks"), (1, 0, "block_size")):
        with pytest.raises(InvalidArgument, match=f"^{argument}: got 0"):
            blocks_of("ab", (0, 1), blocks, block_size)
        with pytest.raises(InvalidArgument, match=f"^{argument}: got 0"):
            sampler("ab", lambda law: None, learner=empirical(), blocks=blocks, block_size=block_size, mode=MODE)


# -- Proposition B.5 --


def test_a_changed_record_lies_in_exactly_one_block_under_every_permutation() -> None:
    for before, after in change_one_pairs(product("ab", repeat=4)):
        for order in permutations(range(4)):
            assert blocks_differ(blocks_of(before, order, 2, 2), blocks_of(after, order, 2, 2)) == 1


def test_a_block_that_only_one_side_has_counts() -> None:
    assert blocks_differ((("a",), ("b",)), (("a",),)) == 1
    assert blocks_differ((("a",),), (("b",), ("a",))) == 2


def test_averaging_makes_the_worst_delta_strictly_smaller() -> None:
    """Three blocks of a pair, empirical laws: 2/15 over all 64 datasets and all changes, while r_1 = 1/3."""
    setting = averaged()
    laws = {data: HistogramLaw(setting)(data) for data in product((0, 1), repeat=6)}
    worst = delta_at(laws, all_pairs(2, 6), setting.mode.curve.factor)
    assert worst.delta == Fraction(2, 15) < setting.mode.curve.delta == Fraction(1, 3)
    assert {sum(entries(data)) for data in worst.pair} == {1, 2}


def test_one_pair_for_two_histograms_is_as_good_as_all() -> None:
    """aabb teaches a twice with probability 1/6, and a is released with 1/3 of it; abbb never does."""
    law_of_data, E = HistogramLaw(Setting(first_record(), 2, 2, MODE)), MODE.curve.factor
    for pairs in (all_pairs(3, 4), histogram_pairs(3, 4)):
        divergences = {exact_divergence(law_of_data(s), law_of_data(t), E) for s, t in pairs}
        assert max(divergences) == Fraction(1, 18)
    assert len(all_pairs(3, 4)) == 81 * 8
    assert len(histogram_pairs(3, 4)) == 2 * 3 * comb(5, 2)


@pytest.mark.parametrize("mode", SMALL_MODES)
def test_blocks_of_one_record_and_point_laws_attain_the_delta_of_the_mode(mode: StabilityBasedMode) -> None:
    setting = Setting(first_record(), 3, 1, mode)
    for records, attained in ((2, Fraction(0)), (3, mode.curve.delta), (4, mode.curve.delta)):
        laws = {data: ProgramLaw(setting)(data) for data in product((0, 1), repeat=records)}
        assert delta_at(laws, all_pairs(2, records), mode.curve.factor).delta == attained


def test_sharing_one_seed_among_all_blocks_is_private_but_not_independent() -> None:
    setting = Setting(random_record(2), 2, 2, MODE)
    right = private(setting, all_pairs(2, 4))
    shared = replace(right.lines, randomness=one_seed)
    claims = item("prop-B.5").claims(replace(right, lines=shared, kernel=lambda data: average_law(shared, data)))
    assert all(claim.holds for claim in claims)
    learner = Learner(lambda block, seed: point(2) if seed else FAIR, "a coin", Law({0: "15/16", 1: "1/16"}))
    learnt = ((FAIR, Fraction(15, 16)), (point(2), Fraction(1, 16)))
    for randomness, steps in ((None, set[str]()), (one_seed, {"S1 i.i.d."})):
        lines = replace(Setting(learner, 2, 1, MODE).lines, randomness=randomness)
        few = sampler_utility.FewBlocks(lines)
        assert false_steps("prop-B.6", useful("a coin", FAIR, learnt, target_of("half", 1), few=few)) == steps


def test_laws_of_full_support_put_nothing_to_the_test() -> None:
    setting = Setting(smoothed((0, 1)), 2, 1, MODE)
    entry = entry_of(item("prop-B.5"), [private(setting, all_pairs(2, 2))], ())
    assert entry.verdict.kind == "vacuous"
    assert "is 0 on the whole family" in entry.verdict.reason


# -- the constants --


@pytest.mark.parametrize(
    ("beta", "epsilon", "delta", "blocks"),
    [("1/2", "1/2", "1/100", 267), ("1/10", "ln(2)", "1e-6", 473), ("9/10", "99/100", "99/100", 191)],
)
def test_the_least_number_of_blocks(beta: str, epsilon: str, delta: str, blocks: int) -> None:
    assert sampler_parameters(1, beta, epsilon, delta).blocks == blocks


@pytest.mark.parametrize("beta", ["1/2", "1/10", "99/100", "1/1000"])
@pytest.mark.parametrize("epsilon", ["1/2", "ln(2)", "1/10", "ln(101/100)", "3", "ln(9)"])
@pytest.mark.parametrize("delta", ["1/2", "1/100", "1e-12"])
def test_the_least_number_of_blocks_is_the_ceiling_that_mpmath_finds(beta: str, epsilon: str, delta: str) -> None:
    b, d = Fraction(beta), Fraction(delta)
    found = sampler_parameters(3, beta, epsilon, delta)
    with mpmath.workdps(60):
        e = _value(epsilon)
        first = 8 / e * mpmath.log(mpmath.mpf(4 * b.denominator * d.denominator) / (b.numerator * d.numerator))
        second = 128 * mpmath.log(mpmath.mpf(4 * b.denominator) / b.numerator)
        assert found.blocks == int(mpmath.ceil(max(first, second)))
    assert found.eta == b / 192
    assert found.delta0 == min(d, b / 4)


def _value(epsilon: str) -> mpmath.mpf:
    number = Fraction(epsilon.removeprefix("ln(").removesuffix(")"))
    value = mpmath.mpf(number.numerator) / number.denominator
    return mpmath.log(value) if epsilon.startswith("ln") else value


def test_the_number_of_blocks_is_decided_where_floats_tie() -> None:
    """(8/ln 2) log(4/(beta delta)) = 80 exactly for beta delta = 4/1024; the other term is made small."""
    beta, delta = Fraction(99, 100), Fraction(4 * 100, 1024 * 99)
    assert exp(Epsilon("ln(2)") * 80) == (4 / (beta * delta)) ** 8
    assert are_enough_blocks(179, beta, LN_2, delta)
    assert not are_enough_blocks(79, Fraction(99, 100), LN_2, delta)
    assert not are_enough_blocks(178, beta, LN_2, delta)


@pytest.mark.parametrize(
    ("length", "beta", "epsilon", "delta", "argument"),
    [
        (0, "1/2", "1/2", "1/2", "length"),
        (True, "1/2", "1/2", "1/2", "length"),
        (1, "0", "1/2", "1/2", "beta"),
        (1, "1", "1/2", "1/2", "beta"),
        (1, "1/2", "0", "1/2", "epsilon"),
        (1, "1/2", "-1", "1/2", "epsilon"),
        (1, "1/2", "1/2", "3/2", "delta"),
        (1, "1/2", "1/2", 0.1, "delta"),
    ],
)
def test_parameters_out_of_range_are_refused(length: int, beta: str, epsilon: str, delta: str, argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        sampler_parameters(length, beta, epsilon, delta)
    assert caught.value.argument == argument
    with pytest.raises(SymbolicEpsilon):
        sampler_parameters(1, "1/2", "any", "1/2")


@pytest.mark.parametrize(("trials", "tail"), [(1, "0.125"), (3, "0.04297"), (5, "0.01605"), (7, "0.00624")])
def test_exact_binomial_tails(trials: int, tail: str) -> None:
    shown = decimal(binomial_tail(trials, Fraction(1, 8), Fraction(trials, 2)), len(tail.lstrip("0.")))
    assert shown == tail
    assert binomial_tail(trials, Fraction(1, 8), 0) == 1
    assert binomial_tail(trials, Fraction(1, 8), trials + 1) == 0


def test_hoeffdings_bound_holds_for_every_number_of_blocks_up_to_400() -> None:
    for k in range(1, 401):
        assert binomial_tail(k, Fraction(1, 16), Fraction(k, 8)) <= exp(Fraction(-k, 128))


def test_multinomial_weights_sum_to_the_power_of_their_denominator() -> None:
    learnt = tuple((point(i), Fraction(n, 12)) for i, n in enumerate((3, 4, 5)))
    weights = dict(weighted_counts(6, learnt))
    assert len(weights) == comb(8, 2)
    assert sum(weights.values()) == 12**6
    assert weights[1, 2, 3] == 60 * 3 * 4**2 * 5**3


# -- Proposition B.6 --


def test_the_fixture_of_two_moved_atoms_is_at_this_distance() -> None:
    """Two laws at distance 1/129 from p, as often, and a far one in a sixteenth of the blocks."""
    assert {total_variation(q, FIXTURE_LAW) for q, _ in FIXTURE_LEARNT} == {Fraction(1, 129), Fraction(1)}
    mode, blocks = least_setting(target_of("half", 1))
    apart = total_variation(IndependentBlocks(FIXTURE_LEARNT, blocks, mode)(), FIXTURE_LAW.power(1))
    assert blocks == 267
    assert decimal(apart, 4) == "0.02443"
    assert apart <= Fraction(3, 8)


def test_winners_found_all_at_once_give_the_same_mixture() -> None:
    laws = tuple(q for q, _ in FIXTURE_LEARNT)
    for length in (1, 2):
        weighted = list(weighted_counts(7, FIXTURE_LEARNT))
        assert Mixing(laws, MODE, length)(weighted) == CountedAggregate(laws, MODE, length).mixture(weighted)
    slow = sampler_law_from(Law(dict(FIXTURE_LEARNT)), blocks=40, mode=MODE)
    assert IndependentBlocks(FIXTURE_LEARNT, 40, MODE)() == slow


@pytest.mark.parametrize("block_size", [1, 2, 3])
def test_the_law_over_the_data_is_that_of_all_datasets(block_size: int) -> None:
    p = Law({0: "2/3", 1: "1/3"})
    for learner in small_learners(2, block_size):
        setting = Setting(learner, 2, block_size, MODE)
        enumerated = output_law(HistogramLaw(setting), p, 2 * block_size)
        slow = sampler_law_over(p, learner=learner, blocks=2, block_size=block_size, mode=MODE)
        assert LawOver(setting)(p) == enumerated == slow


def test_a_law_at_distance_eta_exactly_is_a_failure_here_and_none_in_theorem_4_3() -> None:
    target = target_of("half", 1)
    learnt = near_and_far(Fraction(1, 128))
    assert miss_probability(learnt, FAIR, Fraction(1, 128)) == 1
    assert miss_probability(learnt, FAIR, Fraction(1, 128), strictly=True) == Fraction(1, 16)
    assert is_usually_close(learnt, FAIR, Fraction(1, 128))
    assert list(item("prop-B.6").claims(useful("at eta", FAIR, learnt, target))) == []
    claims = list(item("thm-4.3").claims(promised_by_mock("at eta", FAIR, learnt, target)))
    assert claims
    assert all(claim.holds for claim in claims)


def test_instances_that_miss_the_hypotheses_are_vacuous() -> None:
    target = target_of("half", 1)
    often = useful("too often wrong", FAIR, near_and_far(Fraction(1, 200), Fraction(1, 15)), target)
    few = useful("one block too few", FAIR, near_and_far(Fraction(1, 200)), target, extra=-1)
    for instance in (often, few):
        assert entry_of(item("prop-B.6"), [instance], ()).verdict.kind == "vacuous"
    lone = replace(promised(case_of("point laws", "half", 1, 1)), blocks=266)
    for name in ("cor-B.7", "thm-4.3", "thm-1.5"):
        assert entry_of(item(name), [lone], ()).verdict.kind == "vacuous"


@pytest.mark.parametrize("epsilon", ["ln(3/2)", "1", "ln(8)", "4", "20"])
@pytest.mark.parametrize("curve", CURVES.values(), ids=list(CURVES))
def test_the_proof_works_for_every_epsilon_and_curve(epsilon: str, curve: type) -> None:
    target = Target(1, Fraction(1, 2), Epsilon(epsilon), Fraction(1, 100))
    instance = useful("a coin", FAIR, near_and_far(Fraction(1, 200)), target, curve=curve)
    steps = {step(claim.label) for claim in item("prop-B.6").claims(instance) if claim.holds}
    assert {"Note needed", "Note spare", "S4 gap", "S5", "conclusion"} <= steps
    assert false_steps("prop-B.6", instance) == set()


@pytest.mark.parametrize("extra", range(9))
def test_numbers_of_blocks_that_no_8_divides_are_fine(extra: int) -> None:
    instance = useful("a coin", FAIR, near_and_far(Fraction(1, 200)), target_of("half", 1), extra=extra)
    assert false_steps("prop-B.6", instance) == set()


# -- Corollary B.7, Theorems 4.3 and 1.5 --


def test_one_record_of_three_laws_teaches_the_wrong_one_with_probability_one_sixteenth() -> None:
    for p in ROTATIONS:
        assert miss_probability(learnt_from(maximum_likelihood(ROTATIONS), 1, p), p, Fraction(1, 640)) == Fraction(
            1, 16
        )
    for p in BERNOULLIS:
        learnt = learnt_from(maximum_likelihood(BERNOULLIS), 3, p)
        assert miss_probability(learnt, p, Fraction(1, 128)) == Fraction(3 * 19 + 1, 20**3)


@pytest.mark.parametrize("parameters", ["half", "ln 2"])
@pytest.mark.parametrize("block_size", [1, 3, 5])
@pytest.mark.parametrize("name", ["two Bernoulli laws", "point laws"])
def test_a_class_is_sampled_privately_and_well_at_the_theorems_own_constants(
    name: str, block_size: int, parameters: str
) -> None:
    case = case_of(name, parameters, block_size, {1: 1, 3: 2, 5: 3}[block_size])
    assert case.setting.blocks == {"half": 267, "ln 2": 473}[parameters]
    assert false_steps("cor-B.7", promised(case)) == set()


def test_point_laws_attain_the_delta_of_the_mode_at_full_size() -> None:
    """So that the privacy of Corollary B.7 is put to the test; full supports would give 0."""
    for parameters in ("half", "ln 2"):
        case = case_of("point laws", parameters, 1, 1)
        curve = case.setting.mode.curve
        assert promised(case).worst_delta(curve.factor) == curve.delta <= curve.claimed
    mixed = case_of("two Bernoulli laws", "half", 1, 1)
    assert promised(mixed).worst_delta(mixed.setting.mode.curve.factor) == 0


def test_the_worst_delta_over_count_vectors_is_that_of_all_pairs_of_laws() -> None:
    outputs = BlockOutputs(empirical(), (0, 1), 2).laws
    counted = CountedAggregate(outputs, MODE)
    laws = {tuple(c): counted.law(c) for c in product(range(4), repeat=3) if sum(c) == 3}
    moves = [(c, d) for c in laws for d in laws if sum(abs(a - b) for a, b in zip(c, d, strict=True)) == 2]
    expected = delta_at(laws, moves, MODE.curve.factor).delta
    assert WorstOverCounts(outputs, 3, MODE)(MODE.curve.factor) == expected > 0


@pytest.mark.parametrize("epsilon", ["1/100", "1/2", "ln(2)", "999/1000"])
def test_there_are_few_blocks_for_every_epsilon_below_1(epsilon: str) -> None:
    for gamma, delta in product(("1/100", "1/2", "99/100"), ("1e-9", "1/2", "99/100")):
        blocks = sampler_parameters(1, gamma, epsilon, delta).blocks
        assert are_few_blocks(blocks, Fraction(gamma), Epsilon(epsilon), Fraction(delta))


def test_beyond_epsilon_1_there_may_be_more_blocks_than_129_logarithms() -> None:
    blocks = sampler_parameters(1, "1/2", "ln(8)", "1/2").blocks
    assert not are_few_blocks(blocks, Fraction(1, 2), Epsilon("ln(8)"), Fraction(1, 2))


def test_the_two_promises_are_both_needed() -> None:
    half = Fraction(1, 2)
    assert is_private_and_useful(Fraction(1, 8), [Fraction(3, 8)], half, half)
    assert not is_private_and_useful(Fraction(1, 8), [Fraction(3, 8), Fraction(4, 10)], half, half)
    assert not is_private_and_useful(Fraction(1, 8), [], half, Fraction(1, 9))


def test_the_classes_and_every_public_predicate_are_in_use() -> None:
    assert set(CLASSES) == {"two Bernoulli laws", "point laws", "three laws on three points"}
    owned = {predicate.__name__ for name in SAMPLER for predicate in item(name).predicates}
    for module in (sampler_spec, sampler_utility):
        own = {n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__ and n[0].islower()}
        assert own <= owned
    assert isinstance(next(family("def-1.4")), SamplerInstance)
