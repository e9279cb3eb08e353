"""What the mode, Aggregate, Sampler, their laws, their audits and the learners refuse, and that they say why."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

import pytest

from exactdp.reference.aggregate import LONGEST, aggregate
from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.histogram_counts import HistogramCounts
from exactdp.reference.learners import (
    LARGEST_BLOCK,
    Learner,
    as_learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.reference.mode import (
    StabilityBasedMode,
    noisy_threshold_mode,
    optimal_mode,
    randomised_threshold_mode,
    stability_based_mode,
)
from exactdp.reference.sampler import sampler
from exactdp.reference.sampler_law import sampler_law, sampler_law_from, sampler_law_over
from exactdp.reference.sampling import Sampling
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number
from exactdp.spec.release_curve import (
    CURVES,
    NoisyThreshold,
    OptimalRelease,
    RandomisedThreshold,
    ReleaseCurve,
    geometric_tail,
)
from exactdp.spec.stable_release import worst_change
from exactdp.spec.standard_laws import point, uniform
from exactdp.verify.count_audit import CountRows, audit_aggregate, count_vectors
from exactdp.verify.histogram_audit import audit_sampler

CURVE = NoisyThreshold("ln(2)", "1/3")
MODE = StabilityBasedMode(CURVE)
B, C = Law({0: "3/4", 1: "1/4"}), Law({0: "1/2", 1: "1/2"})
PAIR = CountedAggregate((B, C), MODE)
P = Law({"a": "9/10", "b": "1/10"})
OUTPUTS = BlockOutputs(empirical(), "ab", 2)
ANY: Any = None
BUILT_IN = {
    "empirical": empirical(),
    "smoothed": smoothed("ab"),
    "first record": first_record(),
    "random record": random_record(2),
    "maximum likelihood": maximum_likelihood([P, Law({"a": "1/2", "b": "1/2"})]),
    "any function": as_learner(lambda block, seed: P),
}


def nothing(law: Law) -> object:
    raise AssertionError(f"drawn: {law}")


def records() -> Iterator[str]:
    yield from "aaab"


def anything(value: object) -> Any:
    """The value as what no type checker would let through."""
    return value


SIZES: dict[str, Any] = {"learner": empirical(), "blocks": 2, "block_size": 2, "mode": MODE}
CALLS: dict[str, Callable[..., object]] = {
    "aggregate": partial(aggregate, [B, C], nothing, mode=MODE),
    "sampler": partial(sampler, "aaab", nothing, **SIZES),
    "sampler, too few records": partial(sampler, "a", nothing, **SIZES),
    "sampler_law": partial(sampler_law, "aaab", **SIZES),
    "sampler_law, too few records": partial(sampler_law, "a", **SIZES),
    "sampler_law_over": partial(sampler_law_over, P, **SIZES),
    "sampler_law_over, too few records": partial(sampler_law_over, P, records=1, **SIZES),
    "sampler_law_from": partial(sampler_law_from, Law({B: "1/2", C: "1/2"}), blocks=2, mode=MODE),
    "CountedAggregate": partial(CountedAggregate, (B, C), mode=MODE),
    "audit_sampler": partial(audit_sampler, domain="ab", **SIZES),
    "audit_aggregate": partial(audit_aggregate, PAIR, 3),
    "BlockOutputs": partial(BlockOutputs, empirical(), "ab", 2),
    "HistogramCounts": partial(HistogramCounts, OUTPUTS, 2),
}
SAMPLERS = [name for name in CALLS if name.startswith("sampler") and name != "sampler_law_from"]
LAWS = [name for name in SAMPLERS if name.startswith("sampler_law")]
NOT_MODES = [None, 5, "optimal release", StabilityBasedMode, CURVE, Law({0: 1})]
NOT_SIZES = [0, -1, 1.0, True, None, "2", Fraction(2)]
NOT_LENGTHS = [-1, 1.0, True, None, "2", LONGEST + 1, 10**20, 10**300]
NOT_BUDGETS = [None, "x", float("nan"), float("inf"), 10.0, 0, -1, True]
NOT_DOMAINS = [5, "", "aa", [[0], [1]], uniform("ab"), ANY]
NOT_RULES = [0, "", [], False, 5]
NOT_CLAIMS: list[tuple[str, object]] = [
    ("factor", "x"), ("factor", 0.5), ("factor", "1/2"), ("factor", float("nan")), ("delta", "x"), ("delta", 1),
    ("delta", -1), ("delta", 0.5),
]  # fmt: skip


def refused(call: Callable[..., object], argument: str, value: object, **given: object) -> None:
    """The call raises one line that names this argument with this value."""
    with pytest.raises(InvalidArgument) as mistake:
        call(**given)
    assert mistake.value.argument == argument
    assert mistake.value.value is value or mistake.value.value == value or mistake.value.value == str(value)
    assert str(mistake.value).startswith(f"{argument}: got ")
    assert "\n" not in str(mistake.value)


def cases(calls: Sequence[str], argument: str, values: Sequence[object]) -> Any:
    """Every call with every value of the argument."""
    parameters = [(name, argument, value) for name in calls for value in values]
    return [pytest.param(*one, id=f"{one[0]}, {argument}={str(one[2])[:20]!r}") for one in parameters]


# -- arguments that several functions share ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [
        *cases(["aggregate", "CountedAggregate", "sampler_law_from", "audit_sampler", *SAMPLERS], "mode", NOT_MODES),
        *cases(["audit_sampler", "sampler_law_from", *SAMPLERS], "blocks", NOT_SIZES),
        *cases(["audit_sampler", *SAMPLERS], "block_size", NOT_SIZES),
        *cases(["audit_sampler", *SAMPLERS], "learner", [5, None, "empirical"]),
        *cases(
            ["aggregate", "CountedAggregate", "sampler_law_from", "audit_sampler", *SAMPLERS], "length", NOT_LENGTHS
        ),
        *cases(SAMPLERS, "domain", [value for value in NOT_DOMAINS if value is not None]),
        *cases(["audit_sampler"], "domain", NOT_DOMAINS),
        *cases(["sampler_law_from", "audit_sampler", "audit_aggregate", *LAWS], "budget", NOT_BUDGETS),
        *cases(["BlockOutputs", "HistogramCounts"], "budget", NOT_BUDGETS),
        *cases(["audit_sampler", "audit_aggregate"], "rule", NOT_RULES),
        *[case for name, value in NOT_CLAIMS for case in cases(["audit_sampler", "audit_aggregate"], name, [value])],
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_drawn(name: str, argument: str, value: object) -> None:
    refused(CALLS[name], argument, value, **{argument: value})


def test_the_calls_are_right_but_for_the_wrong_argument() -> None:
    drawing = ("aggregate", "sampler")
    for name, call in CALLS.items():
        if name not in drawing:
            call()
    for name in drawing:
        with pytest.raises(AssertionError, match="drawn"):
            CALLS[name]()


@pytest.mark.parametrize("value", [None, 0.5, "a"])
def test_a_kernel_that_returns_no_law_is_named(value: object) -> None:
    refused(lambda: aggregate([B], Sampling.seeded(1), mode=anything(lambda values: value)), "mode", value)


NOT_IN_A_ROW = [None, 5, {"a", "b"}, {"a": 3, "b": 1}, P, iter("aaab"), records()]


@pytest.mark.parametrize("value", NOT_IN_A_ROW, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("blocks", [1, 2, 100])
def test_records_that_are_not_in_a_row_are_no_data(value: object, blocks: int) -> None:
    sizes = SIZES | anything({"blocks": blocks})
    refused(lambda: sampler(anything(value), nothing, **sizes), "data", value)
    if not isinstance(value, dict):
        refused(lambda: sampler_law(anything(value), **sizes), "data", value)


def test_a_number_of_blocks_beyond_any_machine_leaves_too_few_records() -> None:
    for blocks in (10**9, 10**30):
        assert sampler("aaab", nothing, **SIZES | anything({"blocks": blocks})) is BOTTOM
        assert sampler_law("aaab", **SIZES | anything({"blocks": blocks})) == point(BOTTOM)


@pytest.mark.parametrize("value", [None, 5, P, [[1], [2]]], ids=repr)
def test_values_that_have_no_mode_are_named(value: Any) -> None:
    sizes: Any = {"epsilon": "1/2", "delta": "1/6"}
    for program in (noisy_threshold_mode, randomised_threshold_mode, optimal_mode):
        refused(lambda program=program: program(value, nothing, **sizes), "values", value)
    refused(lambda: stability_based_mode(value, **sizes), "values", value)
    refused(lambda: MODE(value), "values", value)


# -- blocks, learners and seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", NOT_IN_A_ROW, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_block_is_a_sequence(name: str, value: object) -> None:
    refused(lambda: BUILT_IN[name](anything(value), 0), "block", value)


@pytest.mark.parametrize("block", ["aab", ["a", "a", "b"], ("a", "a", "b")], ids=repr)
def test_a_learner_sees_every_block_as_a_tuple(block: Sequence[Hashable]) -> None:
    seen: list[object] = []

    def learn(block: Sequence[Hashable], seed: Hashable) -> Law:
        seen.append(block)
        return P

    learner = as_learner(learn)
    assert learner(block) == P
    assert seen == [("a", "a", "b")]


@pytest.mark.parametrize("value", [None, 5, {"a": 1}])
def test_a_learner_has_a_function_a_law_of_seeds_a_name_and_a_promise(value: object) -> None:
    learn = empirical().learn
    refused(lambda: Learner(anything(value)), "learn", value)
    refused(lambda: Learner(learn, anything(value)), "name", value)
    refused(lambda: Learner(learn, "learner", anything(value)), "seeds", value)
    refused(lambda: Learner(learn, symmetric=anything(value)), "symmetric", value)


@pytest.mark.parametrize("value", [None, "x", -1, 2, True, 0.0, (0, 1)], ids=repr)
def test_a_seed_of_a_random_record_is_a_position(value: Hashable) -> None:
    refused(lambda: random_record(2)("ab", value), "seed", value)


@pytest.mark.parametrize("value", [None, "x", 5, (0,), (2, None), (-1, None), ("a", 0), (0, 1, 2)], ids=repr)
def test_a_seed_of_two_learners_is_a_coin_and_a_seed(value: Hashable) -> None:
    learner = randomised(first_record(), random_record(2), "1/2")
    refused(lambda: learner("ab", value), "seed", value)
    refused(lambda: learner("ab", (1, value)), "seed", value)


@pytest.mark.parametrize("value", [LARGEST_BLOCK + 1, 10**7, 10**30, 0, 1.0, None])
def test_a_random_record_has_a_seed_for_every_position(value: object) -> None:
    refused(lambda: random_record(anything(value)), "block_size", value)


@pytest.mark.parametrize("value", [5, None, B, [], ()], ids=repr)
def test_a_class_of_laws_is_a_list_of_them(value: object) -> None:
    refused(lambda: maximum_likelihood(anything(value)), "laws", value)


@pytest.mark.parametrize("value", [5, None, B], ids=repr)
def test_a_domain_is_a_list_of_values(value: object) -> None:
    refused(lambda: smoothed(anything(value)), "domain", value)


# -- laws from counts -------------------------------------------------------------------------------------------------

NOT_COUNTS = [
    (1.5, 3), (Fraction(1, 2), 3), (True, 3), (None, 3), ("1", 3), b"ab", "ab", None, 5, {1: 2, 3: 4}, B, (2**62, 1),
    (1,), (1, 1, 1), (0, 0), (1, -1),
]  # fmt: skip


@pytest.mark.parametrize("value", NOT_COUNTS, ids=repr)
def test_counts_are_ints(value: Any) -> None:
    refused(lambda: PAIR.law(value), "counts", value)
    refused(lambda: PAIR.mixture([((1, 1), 1), (value, 1)]), "counts", value)


@pytest.mark.parametrize(
    "value", [(1.5, 2.5), (True, 3), (None, 4), b"\x01\x03", None, 4, "ab", (3,), (-1, 5)], ids=repr
)
def test_a_histogram_is_made_of_ints(value: Any) -> None:
    refused(lambda: HistogramCounts(OUTPUTS, 2).counts_of(value), "histogram", value)


@pytest.mark.parametrize("value", [-1, Fraction(-1, 2), -2])
def test_a_weight_below_0_is_refused(value: Any) -> None:
    refused(lambda: PAIR.mixture([((1, 1), 2), ((2, 1), value)]), "weights", [2, value])


@pytest.mark.parametrize("value", [None, 0.5, "1/2", True, 0])
def test_weights_are_exact_numbers_that_are_not_all_0(value: Any) -> None:
    refused(lambda: PAIR.mixture([((1, 1), value)]), "weights", [value])


@pytest.mark.parametrize(
    ("value", "argument"),
    [
        ((), "laws"),
        (None, "laws"),
        (5, "laws"),
        (B, "laws"),
        ({B, C}, "laws"),
        ((1, 2), "laws[0]"),
        ((B, 2), "laws[1]"),
    ],
    ids=repr,
)
def test_the_laws_of_a_counted_aggregate_are_laws(value: Any, argument: str) -> None:
    with pytest.raises(InvalidArgument) as mistake:
        CountedAggregate(value, MODE)
    assert mistake.value.argument == argument
    assert "\n" not in str(mistake.value)


def test_a_list_of_laws_is_as_good_as_a_tuple() -> None:
    assert CountedAggregate(anything([B, C]), MODE) == PAIR
    assert PAIR.law([2, 1]) == PAIR.law((2, 1))


@pytest.mark.parametrize("laws", [(B, C), (point(0),), (uniform(range(1000)),)], ids=["coins", "a point", "a thousand"])
def test_sequences_that_are_too_many_to_write_out_exceed_the_budget(laws: tuple[Law, ...]) -> None:
    with pytest.raises(BudgetExceeded, match="length 100000") as refusal:
        CountedAggregate(laws, MODE, 100_000)
    assert refusal.value.estimate > refusal.value.budget
    assert CountedAggregate(laws[:1], MODE).law((1,))[BOTTOM] == 1 - CURVE[1]


@pytest.mark.parametrize("value", [None, 5, (B, C), MODE])
def test_an_audit_of_aggregate_takes_counted_laws(value: object) -> None:
    refused(lambda: audit_aggregate(anything(value), 3), "counted", value)


@pytest.mark.parametrize("value", NOT_RULES)
def test_rows_are_not_made_by_something_that_is_no_rule(value: Any) -> None:
    refused(lambda: CountRows(PAIR, count_vectors(2, 2), value), "rule", value)


@pytest.mark.parametrize("value", [None, "ab", 5, P, MODE])
def test_what_is_learnt_is_named_where_it_is_needed(value: Any) -> None:
    refused(lambda: HistogramCounts(value, 2), "outputs", value)


@pytest.mark.parametrize("value", [None, 5, {"a": 1}, Law({"c": 1})], ids=repr)
def test_the_law_of_a_record_is_a_law_on_the_domain(value: Any) -> None:
    refused(lambda: OUTPUTS.probabilities(value), "p", value)
    refused(lambda: OUTPUTS.law(value), "p", value)


# -- learnt laws on a declared domain ---------------------------------------------------------------------------------

ELSEWHERE = Learner(lambda block, seed: point("z") if "b" in block else point("a"), "elsewhere")


def test_a_law_that_leaves_the_declared_domain_is_named_with_its_outcome() -> None:
    sizes = SIZES | anything({"learner": ELSEWHERE})
    calls: list[Callable[..., object]] = [
        partial(sampler, "aabb", Sampling.seeded(1), **sizes),
        partial(sampler_law, "aabb", **sizes),
        partial(sampler_law_over, P, **sizes),
        lambda domain: BlockOutputs(ELSEWHERE, "ab", 2, learnt_on=domain),
        lambda domain: audit_sampler(domain=domain, check_domain=True, **sizes),
    ]
    messages = set()
    for call in calls:
        with pytest.raises(InvalidArgument) as mistake:
            call(domain="ab")
        assert (mistake.value.argument, mistake.value.value) == ("learner", "z")
        messages.add(str(mistake.value))
    assert len(messages) == 1
    for call in calls[:-1]:
        call(domain="az")
    assert audit_sampler(domain="ab", **sizes).worst_delta == CURVE.delta


def test_only_laws_that_these_records_can_teach_must_live_on_the_domain() -> None:
    """With one record b in four there is no block of two such records."""
    twice = Learner(lambda block, seed: point("z" if block == ("b", "b") else "a"), "twice")
    law = partial(sampler_law, learner=twice, blocks=2, block_size=2, mode=MODE)
    assert law("aaab", domain="a") == law("aaab")
    refused(partial(law, "aabb", domain="a"), "learner", "z")


# -- release curves ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, "x", -1, Fraction(1, 2), 1.0, True])
@pytest.mark.parametrize("name", CURVES)
def test_a_gap_is_an_int(name: str, value: Any) -> None:
    refused(lambda: CURVES[name]("ln(2)", "1/3").failure(value), "gap", value)


class Given(ReleaseCurve):
    """r_1, r_2, ... as they are given, the last one for ever."""

    name = "given"

    def __init__(self, values: Sequence[Fraction], delta: Fraction) -> None:
        super().__init__("ln(2)", delta)
        self.values = tuple(values)

    def __hash__(self) -> int:
        return hash(self.values)

    def release(self, distance: int) -> Number:
        """r_D."""
        return self.values[min(distance, len(self.values)) - 1]


def stated(curve: Given) -> bool:
    """Both inequalities at the head of the module, for all D."""
    return all(inequalities(x, y, curve.claimed) for x, y in steps_of(curve))


def stated_both_ways(curve: Given) -> bool:
    """The same, and with r_D and r_{D+1} exchanged."""
    return stated(curve) and all(inequalities(y, x, curve.claimed) for x, y in steps_of(curve))


def inequalities(x: Number, y: Number, delta: Number) -> bool:
    """y <= 2 x + delta and 1 - x <= 2 (1 - y) + delta."""
    return y <= 2 * x + delta and 1 - x <= 2 * (1 - y) + delta


def steps_of(curve: Given) -> Iterator[tuple[Number, Number]]:
    """The pairs r_D, r_{D+1} up to where the curve stays what it is."""
    return pairwise(curve[D] for D in range(len(curve.values) + 2))


def worst(curve: Given) -> Number:
    """The worst delta at E = 2 over all tuples of 6 values out of 3, where D is at most 3."""
    return worst_change(StabilityBasedMode(curve), 3, 6, Fraction(2), symmetric=True).delta


def test_the_two_inequalities_say_less_of_a_curve_that_falls() -> None:
    sixth = Fraction(1, 6)
    curve = Given([sixth, Fraction(1, 2), Fraction(0)], sixth)
    assert stated(curve)
    assert worst(curve) == Fraction(1, 2) > sixth


def test_of_a_non_decreasing_curve_the_two_inequalities_say_all() -> None:
    sixth, found = Fraction(1, 6), set()
    for steps in product(range(7), repeat=3):
        curve, rises = Given([n * sixth for n in steps], sixth), list(steps) == sorted(steps)
        private = worst(curve) <= sixth
        assert stated_both_ways(curve) == private
        if rises:
            assert stated(curve) == private
        found.add((rises, stated(curve), private))
    assert found == {(True, True, True), (True, False, False), (False, True, True), (False, True, False)} | {
        (False, False, False)
    }


@pytest.mark.parametrize("delta", ["1e-6", "1/3", "9/10", "999999/1000000"])
def test_the_threshold_at_a_small_epsilon_is_the_one_from_the_tail(delta: str) -> None:
    """At 1e-3 the tail can still be written out and compared."""
    curve = NoisyThreshold("1e-3", delta)
    w = curve.threshold - 1
    assert RandomisedThreshold("1e-3", delta).low == w
    assert geometric_tail(w, curve.epsilon) <= curve.claimed < geometric_tail(w - 1, curve.epsilon)


def test_a_threshold_is_found_at_a_very_small_epsilon() -> None:
    """x^w / (1 + x) <= delta, so w is the ceiling of ln(1 / (delta (1 + x))) / epsilon."""
    assert NoisyThreshold("1e-6", "1e-6").threshold == 13_122_365
    assert RandomisedThreshold("1e-6", "1e-6").low == 13_122_364
    assert RandomisedThreshold("1e-6", "1e-6").delta == Fraction(1, 10**6)
    assert OptimalRelease("1e-6", "1e-6").turn == 405_465
    assert noisy_threshold_mode("ab" * 3, nothing, epsilon=anything("1e-6"), delta="1e-6") is BOTTOM


@pytest.mark.parametrize(
    "call",
    [
        lambda: NoisyThreshold("1e-6", "1e-6").delta,
        lambda: NoisyThreshold("1e-6", "1e-6").smallest_gap(),
        lambda: RandomisedThreshold("1e-6", "1e-6").weight,
        lambda: RandomisedThreshold("1e-6", "1e-6")[13_000_000],
        lambda: stability_based_mode("aab", epsilon="1e-6", delta="1e-6"),
    ],
)
def test_a_probability_that_is_too_long_to_write_out_names_epsilon(call: Callable[[], object]) -> None:
    refused(call, "epsilon", "1/1000000")
