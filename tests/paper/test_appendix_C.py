"""Appendix C: agnostic learning, the minimum-distance estimator, and the private agnostic learner at its constants."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product

import mpmath
import pytest

from exactdp.reference.agnostic import agnostic_private_learner
from exactdp.reference.draw import law_of
from exactdp.reference.estimators import minimum_distance
from exactdp.reference.sample_complexity import agnostic_failure_probability, deviation_probability
from exactdp.reference.sampler_law import sampler_law_from
from exactdp.spec.agnostic import (
    AgnosticInstance,
    agnostic_failure,
    is_agnostic_at,
    optimum,
    released_records,
    uniform_order,
)
from exactdp.spec.agnostic_reduction import (
    PrivateRunsInstance,
    are_enough_batches,
    one_more,
    private_loss,
    reduction_parameters,
    says_something,
)
from exactdp.spec.agnostic_sizes import are_few_records, corollary_constant, estimator_samples
from exactdp.spec.claim import Claim
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, item, step
from exactdp.spec.law import Law
from exactdp.spec.minimum_distance import (
    MinimumDistanceInstance,
    are_enough_records,
    dimension_by_enumeration,
    first_near_enough,
    largest_excess,
    places_of,
)
from exactdp.spec.standard_laws import point, uniform
from exactdp.spec.tuples import distance
from exactdp.spec.yatracos import is_cover, locally_small, vc_dimension, yatracos_class, yatracos_set
from exactdp.verify.agnostic_families import (
    COINS,
    ENDS,
    AsFarAsAllowed,
    Task,
    at_the_edge,
    coin,
    ends_setting,
    lines_instance,
    private_runs,
    reduction,
    small_mode,
    small_setting,
    smallest_useful,
    taught_by_one_record,
)
from exactdp.verify.controls import controls
from exactdp.verify.families import PRESETS, family, grid_laws, law_of_counts
from exactdp.verify.ledger import entry_of, verify_item
from exactdp.verify.minimum_distance_families import (
    BETWEEN,
    FAR_FROM_NEAREST,
    estimator_instance,
    estimator_sizes,
    nearly_three_times,
)

ITEMS = ("def-C.1", "alg-7", "thm-C.2", "def-C.3", "thm-C.4", "cor-C.5", "rem-covers", "thm-1.6")
HALF, THREE = Fraction(1, 2), Fraction(3)


def claims_by_step(name: str, instance: Instance) -> dict[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    for claim in item(name).claims(instance):
        found.setdefault(step(claim.label), []).append(claim)
    return found


@pytest.mark.parametrize("name", ITEMS)
def test_the_item_holds_on_its_family_and_all_its_controls_are_refuted(name: str) -> None:
    entry = verify_item(name)
    assert entry.verdict.kind == "holds", entry.verdict.reason
    assert entry.controls_refuted == len(entry.controls) >= 6


def test_the_theorem_has_a_claim_for_every_step_of_its_proof() -> None:
    steps = {step(claim.label).split()[0] for one in family("thm-C.2") for claim in item("thm-C.2").claims(one)}
    assert steps == {f"S{n}" for n in range(1, 12)} | {"privacy", "conclusion"}


# -- the definition --


def test_an_agnostic_learner_succeeds_at_the_radius_itself() -> None:
    """From one record (1/4, 3/4) is taken for the other coin with probability 1/4: at distance 1/2 = alpha."""
    p, other = COINS[1], COINS[0]
    answer = Law({other: "1/4", p: "3/4"})
    assert optimum(COINS, p) == 0
    assert agnostic_failure(answer, p, HALF) == 0
    assert agnostic_failure(answer, p, HALF - Fraction(1, 10**9)) == Fraction(1, 4)


def test_failure_from_the_law_of_the_answer_is_failure_summed_over_types() -> None:
    learner, alpha = minimum_distance(COINS, "1/4"), Fraction(1, 8)
    for p, n in product(grid_laws(2, 6), (1, 2, 5)):
        chosen = p.power(n).map(lambda data: learner(data) if isinstance(data, tuple) else None)
        expected = agnostic_failure_probability(learner, COINS, p, n, alpha)
        assert agnostic_failure(chosen, p, 3 * optimum(COINS, p) + alpha) == expected


def test_a_grid_finds_the_law_at_which_a_promise_breaks() -> None:
    instance = next(one for one in family("def-C.1") if isinstance(one, AgnosticInstance))
    assert 0 < instance.beta < 1
    wrong = replace(instance, beta=instance.beta / 2)
    verdicts = [is_agnostic_at(wrong, p) for p in wrong.targets]
    assert any(verdicts)
    assert not all(verdicts)
    assert all(is_agnostic_at(instance, p) for p in instance.targets)


# -- Yatracos sets --


def test_the_sets_of_uniform_laws_on_growing_sets_are_known() -> None:
    """Uniform on {0}, {0,1}, {0,1,2}: the smaller one is larger on its own set, the larger one on the rest of its."""
    steps = [uniform(range(n)) for n in (1, 2, 3)]
    assert yatracos_set(steps[0], steps[2]) == {0}
    assert yatracos_set(steps[2], steps[0]) == {1, 2}
    assert yatracos_set(steps[1], steps[1]) == set()
    assert {places_of(mask) for mask in yatracos_class(steps, (0, 1, 2))} == {(), (0,), (1,), (0, 1), (1, 2), (2,)}


def test_the_dimension_by_search_is_the_dimension_by_enumeration() -> None:
    for laws in combinations_with_replacement(list(grid_laws(3, 2)), 3):
        sets = yatracos_class(laws, (0, 1, 2))
        assert vc_dimension(sets) == dimension_by_enumeration(sets, 3)


def test_no_set_has_a_larger_excess_and_the_weak_inequality_attains_it_too() -> None:
    for q, other in product(grid_laws(3, 3), repeat=2):
        weak = frozenset(y for y in range(3) if q[y] >= other[y])
        assert largest_excess(q, other, (0, 1, 2)) == distance(q, other)
        assert q.probability(weak.__contains__) - other.probability(weak.__contains__) == distance(q, other)


# -- the estimator --


def test_the_first_law_within_alpha_over_two_of_the_least_distance_is_taken() -> None:
    distances = [Fraction(n, 8) for n in (5, 3, 2, 3)]
    assert [first_near_enough(distances, Fraction(n, 8)) for n in (0, 1, 2, 5, 6)] == [2, 2, 1, 1, 0]


def test_the_factor_three_is_nearly_needed() -> None:
    instance = nearly_three_times()
    exactly = instance.estimate((1, 1, 1, 2, 2, 2, 2, 2))
    assert exactly == FAR_FROM_NEAREST[0]
    assert distance(exactly, BETWEEN) == Fraction(7, 8)
    assert optimum(FAR_FROM_NEAREST, BETWEEN) == Fraction(3, 8)
    [claim] = claims_by_step("thm-C.4", instance)["S2"]
    assert claim.holds


def test_the_exact_probability_of_a_large_deviation_is_that_of_the_fast_sum() -> None:
    """Two coins, p fair, n = 2 and alpha = 9/10: |P_S - p| is 1/2 for equal records, else 0."""
    instance = estimator_instance("p fair", COINS, law_of_counts((1, 1)), 2, Fraction(9, 10))
    [claim] = claims_by_step("thm-C.4", instance)["S3"]
    assert claim.lhs == HALF
    slopes = law_of_counts((3, 2, 1)), law_of_counts((1, 2, 3)), law_of_counts((1, 4, 1))
    for p, n in product(grid_laws(3, 3), (1, 4)):
        instance = estimator_instance("slopes", slopes, p, n, Fraction(4, 5))
        instance = replace(instance, domain=(0, 1, 2))
        [claim] = claims_by_step("thm-C.4", instance)["S3"]
        assert claim.lhs == deviation_probability(slopes, p, n, Fraction(1, 5))


def test_half_of_the_sets_or_their_complements_choose_the_same_law() -> None:
    """|P(A) - q(A)| is the same for a set and its complement, so one set for each pair is enough."""
    slopes = law_of_counts((3, 2, 1)), law_of_counts((1, 2, 3)), law_of_counts((1, 4, 1))

    def complements(laws: Sequence[Law], domain: Sequence[object]) -> tuple[int, ...]:
        return tuple((1 << len(domain)) - 1 - mask for mask in yatracos_class(laws, (0, 1, 2)))

    for p in grid_laws(3, 2):
        right = replace(estimator_instance("slopes", slopes, p, 4, Fraction(1, 4)), domain=(0, 1, 2))
        other = replace(right, family=complements)
        mine, theirs = ([(c.label, c.lhs) for c in item("thm-C.4").claims(one)] for one in (right, other))
        assert mine == theirs


@pytest.mark.parametrize(("sets", "alpha", "beta"), [(3, "9/10", "1/2"), (7, "1/2", "1/10"), (13, "1/10", "1/100")])
def test_enough_records_are_those_of_the_union_bound(sets: int, alpha: str, beta: str) -> None:
    a, b = Fraction(alpha), Fraction(beta)
    needed = int(mpmath.ceil(8 * mpmath.log(2 * sets / mpmath.mpf(b.numerator) * b.denominator) / mpmath.mpf(a) ** 2))
    assert [are_enough_records(n, sets, a, b) for n in (needed - 1, needed)] == [False, True]


# -- covers --


def test_every_fourth_coin_covers_the_coins_and_has_balls_of_a_known_size() -> None:
    """Coins i/40, i = 0, 2, 4, ...: within 1/40 of all; within 8/40 of one of them there are 4 on either side."""
    coins = [coin(Fraction(i, 40)) for i in range(41)]
    cover = coins[::2]
    alpha = Fraction(1, 40)
    assert is_cover(cover, coins, alpha)
    assert not is_cover(coins[::3], coins, alpha - Fraction(1, 10**9))
    assert [locally_small(cover, k, 8 * alpha) for k in (8, 9)] == [False, True]


# -- the program --


def test_two_runs_on_ones_answer_the_point_one_when_both_release() -> None:
    """The mode of one value is released with probability r_1 = 1/3; a default 0 and a 1 tie, and 0 comes first."""
    setting = ends_setting(2, 1, 1, small_mode())
    instance = lines_instance(setting, (1, 1))
    assert instance.program((1, 1)) == Law({ENDS[0]: "8/9", ENDS[1]: "1/9"})
    assert instance.drawn((1, 0)) == Law({(0, 0): "2/3", (1, 0): "1/6", (0, 1): "1/6"})
    assert released_records(setting.lines, (1, 0)) == instance.drawn((1, 0))


def test_with_fewer_records_the_answer_is_fixed_and_of_more_the_first_ones_count() -> None:
    setting = ends_setting(2, 1, 1, small_mode())
    program = lines_instance(setting, (1, 1)).program
    assert program((1,)) == program(()) == point(ENDS[0])
    assert program((1, 1, 0)) == program((1, 1)) != program((0, 1))


def test_blocks_and_the_final_learner_have_different_parameters() -> None:
    """With a = 1/8 the slack a/32 tells two coins at 9/16 apart from one record, the slack a does not."""
    setting = small_setting(1, 1, 1)
    assert setting.base((1,)) == setting.laws[1]
    assert setting.final((1,)) == setting.laws[0]


def test_the_enumerated_program_is_the_average_over_all_orders() -> None:
    setting = small_setting(2, 1, 2, 2)
    data = (0, 0, 1, 1)
    assert len(uniform_order(4)) == 24
    program = partial(agnostic_private_learner, runs=2, final=setting.final, fallback=setting.laws[0], **setting.sizes)
    assert law_of(program, data, budget=10**6) == lines_instance(setting, data).counted(data)


# -- the theorem's constants --


@pytest.mark.parametrize(("constant", "loss"), [(1, 17), (2, 50), (3, 99)])
def test_the_bound_says_something_from_one_over_the_loss_down(constant: int, loss: int) -> None:
    assert private_loss(Fraction(constant)) == loss
    assert constant + one_more(Fraction(constant)) * 8 * constant == loss
    below = Fraction(1, loss + 1)
    assert not says_something(Fraction(loss), Fraction(1, loss), Fraction(1, 10**9))
    assert says_something(Fraction(loss), below, Fraction(1, loss + 2))
    assert not says_something(Fraction(loss), below, below)


@pytest.mark.parametrize(("constant", "blocks"), [(1, 732), (2, 890), (3, 998)])
def test_the_smallest_cases_that_say_something_hold(constant: int, blocks: int) -> None:
    """k = ceil(128 log(4 (C + 3)(n + 1))) with OPT = 1/n and alpha = 1/(n + 1), n one more than the loss."""
    instance = smallest_useful(constant)
    claims = claims_by_step("thm-C.2", instance)
    n = 8 * constant**2 + 9 * constant + 1
    assert instance.blocks == blocks == int(mpmath.ceil(128 * mpmath.log(4 * (constant + 3) * (n + 1))))
    assert all(claim.holds for group in claims.values() for claim in group)
    [close] = claims["S7"]
    assert close.rhs == Fraction(8 * constant, n) + Fraction(1, (n + 1) * (constant + 3))
    assert 0 < close.lhs < close.rhs < 1


def test_a_released_record_has_the_law_of_an_independent_computation() -> None:
    task, p = Task(ENDS, Fraction(1), HALF), coin("1/50")
    learnt = at_the_edge(task, p)
    instance = reduction("OPT = 1/50", task, p, learnt)
    mode = replace(small_mode(), curve=instance.curve)
    other = sampler_law_from(Law(dict(learnt)), blocks=instance.blocks, mode=mode)
    assert instance.output() == other
    [claim] = claims_by_step("thm-C.2", instance)["S7"]
    assert claim.lhs == distance(other.map(lambda z: z[0] if isinstance(z, tuple) else z), p)


def test_the_gap_is_five_sixteenths_of_the_blocks_and_more_than_a_quarter() -> None:
    for k in range(1, 3000):
        close = -(-7 * k // 8)
        assert 2 * Fraction(3, 4) * close - k >= Fraction(5 * k, 16) > Fraction(k, 4)
    assert 2 * Fraction(3, 4) * 7 - 8 == Fraction(5 * 8, 16)


@pytest.mark.parametrize(
    ("constant", "alpha", "epsilon", "delta"),
    [(3, "1/2", "1/2", "1/100"), (1, "9/10", "1/10", "1e-6"), (2, "1/10", "99/100", "9/10")],
)
def test_the_number_of_blocks_is_the_least(constant: int, alpha: str, epsilon: str, delta: str) -> None:
    C, a, e, d = Fraction(constant), Fraction(alpha), Epsilon(epsilon), Fraction(delta)
    found = reduction_parameters(C, a, e, d)
    assert found.accuracy == a / (C + 3)
    assert found.delta0 == min(d, found.accuracy / 4)
    logs = -16 * mpmath.log(mpmath.mpf(found.delta0)) / mpmath.mpf(Fraction(epsilon))
    assert found.blocks == int(mpmath.ceil(max(logs, 128 * mpmath.log(mpmath.mpf(4 / found.accuracy)))))
    assert not are_enough_batches(found.blocks - 1, found.accuracy, e, found.delta0)


def test_every_step_is_attained_by_a_final_learner_as_far_off_as_it_may_be() -> None:
    """R_p is moved away from the class, and the answer on: then S9 near and S10 triangle are equalities."""
    claims = claims_by_step("thm-C.2", smallest_useful(3))
    assert [claim.margin for name in ("S9 near", "S10 triangle") for claim in claims[name]] == [0, 0]
    assert next(claim for claim in claims["S9"]).lhs == HALF


def test_the_theorem_holds_with_the_estimator_in_both_places() -> None:
    """C = 3, alpha = 1/2: 716 = ceil(288 log(2 * 3/(1/2))) runs, and what is left open is below 10^-20."""
    instance = taught_by_one_record(HALF, Fraction(1, 200), HALF)
    assert "T = 716" in instance.name
    claims = claims_by_step("thm-C.2", instance)
    assert all(claim.holds for group in claims.values() for claim in group)
    [conclusion] = claims["conclusion"]
    assert 0 <= conclusion.lhs < Fraction(1, 10**20)


def test_where_the_bound_is_one_or_more_nothing_is_claimed_and_the_verdict_is_vacuous() -> None:
    task = Task(ENDS, THREE, Fraction(1, 101))
    useless = [reduction("OPT = 1/99", task, p := coin(Fraction(1, n)), at_the_edge(task, p)) for n in (99, 50)]
    entry = entry_of(item("thm-C.2"), useless, controls("thm-C.2"))
    assert entry.verdict.kind == "vacuous"
    assert entry.claims == 0


def test_a_learner_that_is_too_often_far_off_does_not_meet_the_hypotheses() -> None:
    task, p = Task(ENDS, Fraction(1), HALF), coin("1/50")
    (near, _), (far, _) = at_the_edge(task, p)
    more = (near, Fraction(14, 16)), (far, Fraction(2, 16))
    assert list(item("thm-C.2").claims(reduction("too often", task, p, more))) == []


def test_the_answer_is_as_private_as_the_mode_and_not_more_than_it() -> None:
    instance = private_runs(ends_setting(2, 1, 1, small_mode()), 2)
    assert isinstance(instance, PrivateRunsInstance)
    claims = claims_by_step("thm-C.2", instance)
    assert max(claim.lhs for claim in claims["S1"]) == Fraction(1, 3) == instance.delta0
    assert max(claim.lhs for claim in claims["privacy"]) < Fraction(1, 3)


def test_the_mock_final_learner_is_at_the_allowed_distance() -> None:
    record = coin("1/10")
    answer = AsFarAsAllowed(ENDS, THREE, Fraction(1, 12), HALF)(record)
    assert agnostic_failure(answer, record, 3 * optimum(ENDS, record) + Fraction(1, 6)) == HALF
    assert sorted(distance(q, record) for q in answer.support() if isinstance(q, Law))[0] == Fraction(7, 15)


# -- sizes --


def test_the_records_of_the_docstring_are_few_enough() -> None:
    """C = 3, alpha = epsilon = 1/2, delta = 1/100: k = 496, and b = T = 2 make 1984."""
    assert reduction_parameters(THREE, HALF, Epsilon("1/2"), Fraction(1, 100)).blocks * 4 == 1984
    limit = int(mpmath.floor(129 * 4 * mpmath.log(4800) / mpmath.mpf("0.5")))
    found = [are_few_records(n, 2, 2, THREE, HALF, Epsilon("1/2"), Fraction(1, 100)) for n in (limit, limit + 1)]
    assert found == [True, False]


def test_the_universal_constant_is_what_the_proof_gives_rounded_up() -> None:
    exact = 2 * 9216 * mpmath.log(32) * 2 * 9 * 129 * mpmath.log(24) / mpmath.log(2)
    assert mpmath.mpf(680_000_000) < exact < 681_000_000 == corollary_constant(Fraction(1))


@pytest.mark.parametrize(("dimension", "alpha", "beta"), [(0, "1/96", "1/16"), (1, "1/3", "1/10"), (7, "3/10", "1/2")])
def test_the_estimator_s_sample_size_is_a_certified_ceiling(dimension: int, alpha: str, beta: str) -> None:
    a, b = Fraction(alpha), Fraction(beta)
    expected = mpmath.ceil((dimension + mpmath.log(mpmath.mpf(2 / b))) / mpmath.mpf(a) ** 2)
    assert estimator_samples(dimension, Fraction(1), a, b) == int(expected)


def test_the_corollary_has_the_constants_of_the_theorem_at_three() -> None:
    claims = claims_by_step("cor-C.5", estimator_sizes(1, ("1/2", "1/10", "1/2", "1/100")))
    assert {claim.rhs for claim in claims["constant"]} == {Fraction(99)}
    assert [claim.rhs for claim in claims["accuracy"]] == [Fraction(1, 12), Fraction(1, 192), Fraction(1, 6)]
    [numbers] = claims["numbers"]
    assert numbers.lhs == 24 * 2 * 100


# -- both presets --


def _estimators() -> Iterator[MinimumDistanceInstance]:
    yield from (one for one in family("thm-C.4") if isinstance(one, MinimumDistanceInstance))


def test_the_families_try_failures_and_enough_records() -> None:
    found = list(_estimators())
    failing = [one for one in found if claims_by_step("thm-C.4", one)["conclusion"][0].lhs > 0]
    enough = [one for one in found if "enough records" in claims_by_step("thm-C.4", one)]
    assert len(failing) > 20
    assert len(enough) >= 3


def test_the_full_preset_tries_more() -> None:
    assert set(PRESETS) == {"minimal", "full"}
    for name in ("def-C.3", "thm-C.4", "rem-covers", "alg-7", "cor-C.5"):
        assert sum(1 for _ in family(name, "full")) > sum(1 for _ in family(name))
