"""Section 2: kernels, privacy, post-processing and parallel composition, with numbers by hand."""

from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

from exactdp.spec.claim import Claim
from exactdp.spec.divergence import hockey_stick
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, NotClosed
from exactdp.spec.exponent import Epsilon, Scale
from exactdp.spec.item import Instance, item, step
from exactdp.spec.kernel import (
    Kernel,
    KernelInstance,
    Matrix,
    ProcessingInstance,
    apply,
    compose,
    exact_divergence,
    is_kernel,
    is_safe_to_process,
    pushed,
)
from exactdp.spec.law import UNRESOLVED, Law
from exactdp.spec.number import Number, exp
from exactdp.spec.privacy import (
    Laws,
    ParallelInstance,
    PrivacyInstance,
    change_one_pairs,
    delta_at,
    event_delta,
    is_dp,
    is_safe_in_parallel,
    parallel_law,
    parts,
)
from exactdp.spec.standard_laws import discrete_laplace, point, uniform
from exactdp.verify.families import (
    PRESETS,
    clamped_count,
    family,
    grid_counts,
    grid_laws,
    grid_matrices,
    plain_divergence,
    randomized_response,
)

BOTH = ((0, 1), (1, 0))
ANSWERS = randomized_response(Epsilon("ln(3)"))


def _claims(instance: Instance, name: str) -> list[Claim]:
    return list(item(name).claims(instance))


def _false_steps(instance: Instance, name: str) -> list[str]:
    return list(dict.fromkeys(step(claim.label) for claim in _claims(instance, name) if not claim.holds))


# -- Definition 2.1 --


def test_a_matrix_is_a_kernel_exactly_when_its_rows_are_laws() -> None:
    assert is_kernel({0: {"a": "1/3", "b": "2/3"}, 1: {"c": 1}})
    assert not is_kernel({0: {"a": "1/3", "b": "0.6667"}, 1: {"c": 1}})
    assert not is_kernel({0: {"a": "4/3", "b": "-1/3"}})
    assert not is_kernel({0: {}})


def test_a_kernel_may_have_exponential_masses() -> None:
    t = exp(-1)
    assert is_kernel({0: {"a": 1 / (1 + t), "b": t / (1 + t)}})
    assert not is_kernel({0: {"a": 1 / (1 + t), "b": t}})


def test_a_float_is_not_an_entry_of_a_kernel() -> None:
    entry: Any = 0.5
    with pytest.raises(InvalidArgument, match=r"for the decimal write the text '0.5'"):
        is_kernel({0: {"a": entry, "b": entry}})


def test_a_kernel_turns_a_law_into_the_mixture_of_its_rows() -> None:
    kernel = Kernel({0: {"a": "1/2", "b": "1/2"}, 1: {"b": "1/4", "c": "3/4"}})
    output = apply(kernel, Law({0: "1/3", 1: "2/3"}))
    assert dict(output.items()) == {"a": Fraction(1, 6), "b": Fraction(1, 3), "c": Fraction(1, 2)}


def test_kernels_compose_as_matrices_multiply() -> None:
    first = Kernel({0: {"a": "1/2", "b": "1/2"}, 1: {"b": 1}})
    second = Kernel({"a": {"x": "1/3", "y": "2/3"}, "b": {"y": 1}})
    assert compose(first, second) == Kernel({0: {"x": "1/6", "y": "5/6"}, 1: {"y": 1}})


def test_a_kernel_keeps_unresolved_mass_unresolved() -> None:
    output = apply(Kernel({0: {"a": 1}}), Law({0: "9/10", UNRESOLVED: "1/10"}))
    assert output["a"] == Fraction(9, 10)
    assert output.unresolved == Fraction(1, 10)


def test_a_kernel_says_which_inputs_it_has() -> None:
    kernel = Kernel({0: {"a": 1}})
    with pytest.raises(InvalidArgument, match=r"input: got 1 \(int\); expected an input of the kernel"):
        apply(kernel, Law({1: 1}))
    with pytest.raises(InvalidArgument, match="expected an input of the matrix"):
        pushed({1: Fraction(1)}, {0: {"a": Fraction(1)}})
    with pytest.raises(NotClosed, match="windowed"):
        apply(kernel, discrete_laplace(1))


# -- Definition 2.3 --


def test_randomized_response_is_private_at_three_and_not_below() -> None:
    assert is_dp(ANSWERS, BOTH, Fraction(3), Fraction(0))
    assert not is_dp(ANSWERS, BOTH, Fraction(3) - Fraction(1, 10**40), Fraction(0))


def test_the_exact_delta_comes_with_its_pair_and_event() -> None:
    worst = delta_at(ANSWERS, BOTH, Fraction(2))
    assert worst.delta == Fraction(1, 4)
    assert worst.pair == (0, 1)
    assert (str(worst.event), worst.event.p, worst.event.q) == ("{0}", Fraction(3, 4), Fraction(1, 4))


def test_the_bound_is_not_strict() -> None:
    assert is_dp(ANSWERS, BOTH, Fraction(2), Fraction(1, 4))
    assert not is_dp(ANSWERS, BOTH, Fraction(2), Fraction(1, 4) - Fraction(1, 10**40))


def test_both_orders_of_a_pair_matter() -> None:
    laws = {0: Law({"a": 1}), 1: Law({"a": "1/2", "b": "1/2"})}
    assert is_dp(laws, [(0, 1)], Fraction(2), Fraction(0))
    assert not is_dp(laws, BOTH, Fraction(2), Fraction(0))
    assert delta_at(laws, BOTH, Fraction(2)).pair == (1, 0)


def test_disjoint_supports_need_delta_one_at_every_epsilon() -> None:
    laws = {x: point(x) for x in (0, 1)}
    for factor in (Fraction(1), exp(1), exp(100)):
        assert delta_at(laws, BOTH, factor).delta == 1


def test_randomized_response_is_private_for_every_epsilon_at_once() -> None:
    epsilon = Epsilon("any")
    assert is_dp(randomized_response(epsilon), BOTH, exp(epsilon), Fraction(0))


def test_wrong_randomized_response_is_not_private_at_one_half() -> None:
    flipped = {x: Law({x: "3/4", 1 - x: "1/4"}) for x in (0, 1)}
    assert not is_dp(flipped, BOTH, exp("1/2"), Fraction(0))
    assert delta_at(flipped, BOTH, exp("1/2")).delta == (3 - exp("1/2")) / 4


def test_a_noisy_count_is_private_at_its_epsilon_and_has_a_known_delta_at_half_of_it() -> None:
    laws = {c: discrete_laplace(2).convolve(point(c)) for c in (0, 1)}
    assert is_dp(laws, BOTH, exp("1/2"), Fraction(0))
    half, whole = exp("-1/4"), exp("-1/2")
    assert delta_at(laws, BOTH, exp("1/4")).delta == (1 - half) / (1 + whole)


@pytest.mark.parametrize("factor", [Fraction(1), Fraction(3, 2), exp("1/2"), exp(Epsilon("ln(3)") / 2)])
def test_the_worst_of_all_events_is_the_hockey_stick_divergence(factor: Number) -> None:
    for p, q in product(grid_laws(3, 3), repeat=2):
        assert event_delta(p, q, factor) == hockey_stick(p, q, factor) == plain_divergence(p, q, factor)


def test_all_unions_of_cells_are_tried_for_countable_laws() -> None:
    p = discrete_laplace(1)
    q = p.convolve(point(2))
    assert event_delta(p, q, exp(1)) == exact_divergence(p, q, exp(1)) > 0


def test_too_many_events_are_refused_with_an_estimate() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        event_delta(uniform(range(13)), uniform(range(13)), Fraction(1))
    assert caught.value.estimate == 2**13


def test_a_law_with_unresolved_mass_has_no_single_delta() -> None:
    laws = {0: Law({0: "9/10", UNRESOLVED: "1/10"}), 1: Law({0: 1})}
    with pytest.raises(NotClosed, match="unresolved"):
        is_dp(laws, BOTH, Fraction(2), Fraction(0))
    with pytest.raises(NotClosed, match="unresolved"):
        delta_at(laws, BOTH, Fraction(2))


def test_no_pair_is_no_answer() -> None:
    with pytest.raises(InvalidArgument, match="at least one ordered pair"):
        delta_at(ANSWERS, [], Fraction(2))


def test_neighbours_differ_in_exactly_one_position() -> None:
    pairs = change_one_pairs(product((0, 1), repeat=3))
    assert len(pairs) == 8 * 3
    assert ((0, 0, 0), (0, 1, 0)) in pairs
    assert change_one_pairs([(0,), (0, 1)]) == []


@pytest.mark.parametrize(("factor", "delta"), [(Fraction(1, 2), Fraction(0)), (Fraction(2), Fraction(-1))])
def test_parameters_out_of_range_are_refused(factor: Fraction, delta: Fraction) -> None:
    with pytest.raises(InvalidArgument):
        PrivacyInstance("wrong", ANSWERS, BOTH, factor, delta)


# -- Proposition 2.4 --


def test_processing_halves_the_distance_of_two_answers() -> None:
    blur: Matrix = {0: {0: 1}, 1: {0: "1/2", 1: "1/2"}}
    images = [apply(Kernel(blur), ANSWERS[x]) for x in (0, 1)]
    assert images[0] == Law({0: "7/8", 1: "1/8"})
    assert exact_divergence(images[0], images[1], Fraction(1)) == Fraction(1, 4)
    assert exact_divergence(ANSWERS[0], ANSWERS[1], Fraction(1)) == Fraction(1, 2)
    assert is_safe_to_process(ANSWERS[0], ANSWERS[1], blur, Fraction(1))


def test_the_conclusion_is_computed_twice_with_the_same_result() -> None:
    for instance in list(family("prop-2.4"))[::40]:
        assert isinstance(instance, ProcessingInstance)
        conclusion = [c for c in _claims(instance, "prop-2.4") if step(c.label) == "conclusion"]
        kernel = Kernel(instance.kernel)
        p, q = apply(kernel, instance.p), apply(kernel, instance.q)
        assert [c.lhs for c in conclusion] == [exact_divergence(p, q, instance.factor)]


def test_processing_that_merges_nothing_keeps_the_divergence() -> None:
    swap: Matrix = {0: {1: 1}, 1: {0: 1}}
    instance = ProcessingInstance("swap", ANSWERS[0], ANSWERS[1], swap, Fraction(2))
    (conclusion,) = (c for c in _claims(instance, "prop-2.4") if step(c.label) == "conclusion")
    assert conclusion.lhs == conclusion.rhs == Fraction(1, 4)


def test_a_kernel_that_looks_at_the_data_breaks_the_proof_where_the_level_sets_are_compared() -> None:
    p = Law({0: "1/2", 1: "1/2"})
    keep, merge = {0: {0: 1}, 1: {1: 1}}, {0: {0: 1}, 1: {0: 1}}
    instance = ProcessingInstance("kept or merged", p, p, keep, Fraction(1), merge)
    assert _false_steps(instance, "prop-2.4") == ["S2 level", "S2 integral", "conclusion"]


def test_the_layers_of_a_function_add_up_to_its_mean() -> None:
    kernel = {0: {0: "1/3", 1: "2/3"}, 1: {0: "3/4", 1: "1/4"}}
    instance = ProcessingInstance("two levels", ANSWERS[0], ANSWERS[1], kernel, Fraction(2))
    layers = [c for c in _claims(instance, "prop-2.4") if c.label == "S2 layers: {0} under P"]
    assert [(c.lhs, c.rhs) for c in layers] == [(Fraction(7, 16), Fraction(7, 16))]


# -- Lemma 2.5 --


def test_two_blocks_are_told_apart_no_better_than_one() -> None:
    tables: tuple[Laws, ...] = ({(x,): ANSWERS[x] for x in (0, 1)},) * 2
    before, after = (parallel_law(s, ((0,), (1,)), tables) for s in ((0, 0), (1, 0)))
    assert before == Law({(0, 0): "9/16", (0, 1): "3/16", (1, 0): "3/16", (1, 1): "1/16"})
    assert exact_divergence(before, after, Fraction(2)) == Fraction(1, 4)
    assert is_safe_in_parallel((0, 0), (1, 0), ((0,), (1,)), tables, Fraction(2))


def test_two_changed_records_are_not_covered() -> None:
    tables: tuple[Laws, ...] = ({(x,): ANSWERS[x] for x in (0, 1)},) * 2
    before, after = (parallel_law(s, ((0,), (1,)), tables) for s in ((0, 0), (1, 1)))
    assert exact_divergence(before, after, Fraction(2)) == Fraction(7, 16)
    with pytest.raises(InvalidArgument, match="differ within exactly one block"):
        is_safe_in_parallel((0, 0), (1, 1), ((0,), (1,)), tables, Fraction(2))
    with pytest.raises(InvalidArgument, match="differ in exactly one position"):
        ParallelInstance("two changes", (0, 0), (1, 1), ((0,), (1,)), tables, Fraction(3), Fraction(0))


def test_blocks_take_their_own_records_in_order() -> None:
    assert parts(tuple("abcd"), ((2, 0), (), (3, 1))) == (("c", "a"), (), ("d", "b"))


def test_a_block_that_does_not_meet_epsilon_and_delta_is_outside_the_lemma() -> None:
    tables: tuple[Laws, ...] = ({(x,): ANSWERS[x] for x in (0, 1)},) * 2
    outside = ParallelInstance("too weak", (0, 0), (1, 0), ((0,), (1,)), tables, Fraction(2), Fraction(1, 5))
    inside = ParallelInstance("enough", (0, 0), (1, 0), ((0,), (1,)), tables, Fraction(2), Fraction(1, 4))
    assert _claims(outside, "lem-2.5") == []
    assert [c.label.partition(":")[0] for c in _claims(inside, "lem-2.5")] == ["S1", "S2", "conclusion"]


# -- the families --


@pytest.mark.parametrize(("points", "denominator"), [(1, 3), (2, 5), (3, 4), (4, 3)])
def test_a_grid_has_every_law_once(points: int, denominator: int) -> None:
    grid = list(grid_counts(points, denominator))
    assert len(grid) == len(set(grid)) == comb(denominator + points - 1, points - 1)
    assert all(sum(counts) == denominator and min(counts) >= 0 for counts in grid)


def test_a_grid_of_matrices_has_every_tuple_of_rows() -> None:
    assert len(set(grid_matrices(2, 3, 2))) == 6**2


@pytest.mark.parametrize("name", ["def-2.1", "def-2.3", "prop-2.4", "lem-2.5"])
def test_every_claim_of_the_minimal_family_is_true(name: str) -> None:
    claims = [claim for instance in family(name) for claim in item(name).claims(instance)]
    assert claims
    assert [claim for claim in claims if not claim.holds] == []


@pytest.mark.parametrize("name", ["def-2.1", "def-2.3", "prop-2.4", "lem-2.5"])
def test_an_instance_can_be_pasted_and_has_a_name_of_its_own(name: str) -> None:
    instances = list(family(name))
    assert len({str(instance) for instance in instances}) == len(instances)
    vocabulary = {
        made.__name__: made
        for made in (
            *(KernelInstance, PrivacyInstance, ProcessingInstance, ParallelInstance),
            *(Law, Fraction, Epsilon, exp, discrete_laplace, point),
        )
    }
    for instance in instances[:: max(1, len(instances) // 50)] + instances[-20:]:
        assert eval(repr(instance), dict(vocabulary)) == instance


def test_the_full_preset_is_larger_in_every_size() -> None:
    small, large = PRESETS["minimal"], PRESETS["full"]
    assert small.pair_denominator < large.pair_denominator
    assert small.kernel_denominator < large.kernel_denominator
    assert small.block_denominator < large.block_denominator
    assert set(small.factors) < set(large.factors)


def test_a_clamped_count_has_the_mass_of_both_tails_at_its_ends() -> None:
    t = exp(-1)
    law = clamped_count(0, Scale.of(1), -1, 2)
    assert law[-1] == t / (1 + t)
    assert law[2] == t**2 / (1 + t)
    assert law[0] == (1 - t) / (1 + t)


def test_unknown_items_and_presets_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"one of def-2\.3, "):
        family("def-2.4")
    with pytest.raises(InvalidArgument, match=r"preset: got 'medium' .*one of minimal, full"):
        family("def-2.3", "medium")
