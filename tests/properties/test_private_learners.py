"""Algorithms 3, 4 and 7 as programs: their enumerated laws, boosting's selection, every number of records, refusals."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from exactdp.reference.agnostic import agnostic_private_learner
from exactdp.reference.boosted import Estimate, boosted_learner, near_counts, select
from exactdp.reference.draw import law_of
from exactdp.reference.learned_law import agnostic_law, black_box_law, boosted_law_of, learned_law
from exactdp.reference.learners import (
    Learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.private_learner import black_box_private_learner
from exactdp.reference.sampler import sampler
from exactdp.reference.sampling import Sampling
from exactdp.spec.divergence import tv
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease

A, B = Law({"a": 1}), Law({"b": 1})
HIGH, LOW = Law({"a": "3/4", "b": "1/4"}), Law({"a": "1/4", "b": "3/4"})
MODE = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
LEARNERS = {
    "first record": first_record(),
    "empirical": empirical(),
    "maximum likelihood": maximum_likelihood([HIGH, LOW]),
    "smoothed": smoothed("ab"),
    "empirical or smoothed": randomised(empirical(), smoothed("ab"), "1/3"),
}


def bernoulli_law(mass: Fraction) -> Law:
    return Law({0: 1 - mass, 1: mass})


def with_default(default: Hashable) -> StabilityBasedMode:
    return StabilityBasedMode(MODE.curve, default)


# -- the black box ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("final", list(LEARNERS))
@pytest.mark.parametrize(
    ("data", "base", "blocks", "block_size", "length"),
    [("aab", "first record", 3, 1, 1), ("aab", "first record", 3, 1, 2), ("abaa", "empirical", 2, 2, 2)],
)
def test_the_enumerated_black_box_has_the_law_that_is_pushed_forward(
    data: str, base: str, blocks: int, block_size: int, length: int, final: str
) -> None:
    settings: dict[str, Any] = {"learner": LEARNERS[base], "final": LEARNERS[final], "mode": MODE, "length": length}
    settings |= {"blocks": blocks, "block_size": block_size}
    program = partial(black_box_private_learner, **settings)
    assert law_of(program, data, budget=10**6) == black_box_law(data, **settings)


@pytest.mark.parametrize("data", ["", "a", "ab", "aba", "abab", "aaabbb"])
def test_the_black_box_answers_for_every_number_of_records(data: str) -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": MODE}
    settings |= {"blocks": 3, "block_size": 1}
    law = law_of(partial(black_box_private_learner, **settings), data)
    assert law == black_box_law(data, **settings)
    assert (law == Law({BOTTOM: 1})) == (len(data) < 3)


def test_records_beyond_the_first_b_k_do_not_matter() -> None:
    program = partial(black_box_private_learner, learner=first_record(), final=empirical(), mode=MODE)
    sizes = {"blocks": 2, "block_size": 1}
    assert law_of(partial(program, **sizes), "aab") == law_of(partial(program, **sizes), "aac")
    assert law_of(partial(program, **sizes), "aab") != law_of(partial(program, **sizes), "bab")


def test_a_seeded_final_learner_draws_one_fresh_seed() -> None:
    final = random_record(2)
    sizes: dict[str, Any] = {"blocks": 3, "block_size": 1, "length": 2, "mode": MODE}
    data, base = "aab", Learner(lambda block, seed: HIGH if block[0] == "a" else LOW, "noisy")
    law = law_of(partial(black_box_private_learner, learner=base, final=final, **sizes), data)
    samples = law_of(partial(sampler, learner=base, **sizes), data)
    expected = {A: samples["a", "a"] + (samples["a", "b"] + samples["b", "a"]) / 2, BOTTOM: samples[BOTTOM]}
    assert {q: law[q] for q in expected} == expected
    assert law == black_box_law(data, learner=base, final=final, **sizes)


def test_the_base_learner_and_the_final_learner_may_differ() -> None:
    sizes: dict[str, Any] = {"blocks": 3, "block_size": 1, "mode": MODE}
    law = black_box_law("aaa", learner=first_record(), final=smoothed("ab"), **sizes)
    assert law == Law({Law({"a": "2/3", "b": "1/3"}): MODE.curve[2], BOTTOM: 1 - MODE.curve[2]})


def test_a_default_sample_is_learnt_from_and_bottom_is_answered() -> None:
    sizes: dict[str, Any] = {"blocks": 1, "block_size": 1, "learner": first_record(), "final": empirical(), "length": 2}
    for mode, answer in [(MODE, BOTTOM), (with_default(("a", "b")), Law({"a": "1/2", "b": "1/2"}))]:
        law = law_of(partial(black_box_private_learner, mode=mode, **sizes), "b")
        assert law == Law({B: "1/3", answer: "2/3"}) == black_box_law("b", mode=mode, **sizes)


@pytest.mark.parametrize("default", ["a", ("a",), None, ("a", "b", "c")])
def test_a_default_that_is_no_sample_is_refused_before_anything_is_drawn(default: Hashable) -> None:
    def draw(law: Law) -> object:
        raise AssertionError("nothing is drawn")

    sizes: dict[str, Any] = {"blocks": 1, "block_size": 1, "learner": first_record(), "final": empirical(), "length": 2}
    for program in (black_box_private_learner, partial(boosted_learner, alpha="1/4", runs=2)):
        with pytest.raises(InvalidArgument, match=r"default: .*a tuple of 2 records"):
            program("bbbb", draw, mode=with_default(default), **sizes)


def test_running_the_black_box_gives_its_exact_law() -> None:
    settings: dict[str, Any] = {"learner": maximum_likelihood([HIGH, LOW]), "final": maximum_likelihood([HIGH, LOW])}
    settings |= {"blocks": 9, "block_size": 3, "length": 3, "mode": StabilityBasedMode(OptimalRelease("1/2", "1/20"))}
    data, draw, runs = "aaabaaaab" * 3, Sampling.seeded(7), 400
    found = Counter(black_box_private_learner(data, draw, **settings) for _ in range(runs))
    law = black_box_law(data, **settings)
    assert len(law) == 3
    for answer, mass in law.items():
        assert isinstance(answer, Law) or answer is BOTTOM
        assert binomtest(found[answer], runs, float_bounds(mass)[0]).pvalue > 1e-4


# -- selection --------------------------------------------------------------------------------------------------------


def winners(estimates: Sequence[Estimate], radius: Fraction) -> set[int]:
    """All indices that maximise N_j, written as the paper writes it."""

    def near(p: Estimate, q: Estimate) -> bool:
        if not isinstance(p, Law) or not isinstance(q, Law):
            return False
        distance = tv(p, q)
        return isinstance(distance, Fraction) and distance <= radius

    N = [sum(near(p, q) for q in estimates) for p in estimates]
    return {j for j, n in enumerate(N) if n == max(N)}


@given(st.lists(st.sampled_from([*(Fraction(n, 12) for n in range(13)), None]), min_size=1, max_size=7), st.data())
def test_the_selection_is_the_first_maximiser_of_the_paper(masses: list[Fraction | None], data: st.DataObject) -> None:
    alpha = data.draw(st.sampled_from([Fraction(n, 12) for n in range(1, 12)]))
    estimates: list[Estimate] = [BOTTOM if mass is None else bernoulli_law(mass) for mass in masses]
    assert select(estimates, alpha) == min(winners(estimates, alpha * 2 / 3))


def test_the_radius_is_two_thirds_of_alpha_and_its_border_counts() -> None:
    inside = [bernoulli_law(Fraction(n, 12)) for n in (0, 2, 4)]
    assert near_counts(inside, Fraction(1, 4) * Fraction(2, 3)) == [2, 3, 2]
    assert near_counts(inside, Fraction(1, 4) * Fraction(2, 3) - Fraction(1, 10**9)) == [1, 1, 1]
    assert select(inside, "1/4") == 1


def test_bottom_is_chosen_only_when_there_is_nothing_else() -> None:
    assert select([BOTTOM, BOTTOM, A], "1/4") == 2
    assert select([BOTTOM, BOTTOM], "1/4") == 0
    assert near_counts([BOTTOM, A, BOTTOM, A], Fraction(1, 6)) == [0, 2, 0, 2]


def test_bottom_does_not_count_as_close_to_bottom() -> None:
    estimates: list[Estimate] = [BOTTOM, BOTTOM, BOTTOM, A, B, B]
    assert select(estimates, "1/4") == 4


class Grid(NamedTuple):
    """Estimates and p among `points` Bernoulli laws one `step` apart; all lengths below are counted in steps.

    `close` is the least distance that is not strictly below alpha/3.
    """

    points: int
    runs: int
    close: int

    def cases(self, radius: int, premise: Callable[[int], bool]) -> Iterator[int]:
        """The largest distance of a maximiser of N_j from p, for all p and multisets with the premise on |T|."""
        for masses in combinations_with_replacement(range(self.points), self.runs):
            N = [sum([abs(i - j) <= radius for j in masses]) for i in masses]
            best = {i for i, n in zip(masses, N, strict=True) if n == max(N)}
            for p in range(self.points):
                if premise(sum([abs(i - p) < self.close for i in masses])):
                    yield max(abs(j - p) for j in best)


def violations(cases: Iterator[int], alpha: Fraction | int) -> tuple[int, int]:
    """How many of the cases are at alpha or farther, and how many there are."""
    distances = list(cases)
    return sum(distance >= alpha for distance in distances), len(distances)


# alpha = 1/3 on steps of 1/20, and alpha = 1/2 on steps of 1/12: alpha/3 is 20/9 and 2 steps.
THREE_RUNS, FOUR_RUNS = Grid(21, 3, close=3), Grid(13, 4, close=2)


def test_no_maximiser_is_far_when_more_than_half_of_the_estimates_are_good() -> None:
    assert violations(THREE_RUNS.cases(40 // 9, lambda good: good > 1), Fraction(20, 3)) == (0, 5291)
    assert violations(FOUR_RUNS.cases(4, lambda good: good > 2), 6) == (0, 1363)


def test_a_third_of_alpha_as_radius_or_half_of_the_estimates_are_not_enough() -> None:
    assert violations(THREE_RUNS.cases(20 // 9, lambda good: good > 1), Fraction(20, 3)) == (494, 5291)
    assert violations(FOUR_RUNS.cases(4, lambda good: good == 2), 6) == (956, 4026)


def test_the_selection_itself_keeps_the_promise_on_every_order_of_a_grid() -> None:
    """alpha = 1/2 on steps of 1/8: alpha/3 is 4/3 steps."""
    laws = [bernoulli_law(Fraction(n, 8)) for n in range(9)]
    for order in product(range(9), repeat=3):
        chosen = order[select([laws[i] for i in order], "1/2")]
        for p in range(9):
            if sum(3 * abs(i - p) < 4 for i in order) > 1:
                assert abs(chosen - p) < 4


def test_the_promise_is_sharp_in_the_limit() -> None:
    """On 31 points one 32nd apart and alpha = 31/32 the chosen estimate is as far as 30/31 = 0.968 of alpha."""
    assert max(Grid(31, 3, close=11).cases(62 // 3, lambda good: good > 1)) == 30


@pytest.mark.parametrize("alpha", [0, 1, "-1/4", "5/4", 0.25])
def test_an_alpha_that_is_no_accuracy_is_refused(alpha: Any) -> None:
    with pytest.raises(InvalidArgument, match="alpha"):
        select([A, B], alpha)


def test_a_selection_from_nothing_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="estimates"):
        select([], "1/4")


# -- boosting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["aaba", "abab", "abba", "bbaa", "aab", "ab", "", "aabab", "aaaabb"])
def test_the_enumerated_boosting_has_the_law_of_selecting_from_independent_runs(data: str) -> None:
    run: dict[str, Any] = {"learner": first_record(), "final": smoothed("ab"), "blocks": 2, "block_size": 1}
    run |= {"mode": StabilityBasedMode(NoisyThreshold("ln(2)", "1/2"))}
    law = law_of(partial(boosted_learner, alpha="1/4", runs=2, **run), data)
    assert law == boosted_law_of([black_box_law(data[:2], **run), black_box_law(data[2:4], **run)], alpha="1/4")


def test_boosting_splits_by_position_and_uses_the_first_t_c_records() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": MODE, "alpha": "1/4"}
    settings |= {"blocks": 1, "block_size": 1, "runs": 3}
    program = partial(boosted_learner, **settings)
    assert law_of(program, "abba") == law_of(program, "abbb")
    one, none = MODE.curve[1], 1 - MODE.curve[1]
    assert law_of(program, "abb")[A] == one * (none**2 + 2 * one * none)
    assert law_of(program, "bba")[A] == one * none**2


def test_a_run_without_enough_records_declines_and_the_others_answer() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": MODE, "alpha": "1/4"}
    program = partial(boosted_learner, blocks=1, block_size=2, runs=2, **settings)
    assert law_of(program, "aab") == law_of(program, "aa") == Law({A: "1/3", BOTTOM: "2/3"})


@pytest.mark.parametrize(
    ("argument", "value"), [("runs", 0), ("runs", True), ("alpha", 1), ("blocks", 0), ("alpha", 0.5)]
)
def test_bad_arguments_of_boosting_are_refused_before_anything_is_drawn(argument: str, value: Any) -> None:
    def draw(law: Law) -> object:
        raise AssertionError("nothing is drawn")

    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": MODE, "alpha": "1/4"}
    settings |= {"blocks": 1, "block_size": 1, "runs": 3}
    with pytest.raises(InvalidArgument) as refused:
        boosted_learner("aaa", draw, **{**settings, argument: value})
    assert refused.value.argument == argument


# -- the agnostic learner ---------------------------------------------------------------------------------------------

SWAPPED = Learner(lambda block, seed: LOW if block[0] == "a" else HIGH, "swapped")


MIXED = randomised(empirical(), first_record(), "1/3")


@pytest.mark.parametrize(
    ("data", "base", "runs", "blocks", "final"),
    [
        *(("ab", first_record(), 2, 1, final) for final in (empirical(), first_record(), MIXED)),
        *(("aab", first_record(), 3, 1, final) for final in (empirical(), first_record(), MIXED)),
        ("aab", SWAPPED, 1, 3, MIXED),
        ("aabb", SWAPPED, 2, 2, first_record()),
    ],
)
def test_the_enumerated_agnostic_learner_has_the_law_summed_over_deals(
    data: str, base: Learner, runs: int, blocks: int, final: Learner
) -> None:
    settings: dict[str, Any] = {"learner": base, "final": final, "runs": runs, "blocks": blocks, "block_size": 1}
    settings |= {"mode": with_default(("b",))}
    law = law_of(partial(agnostic_private_learner, fallback=A, **settings), data, budget=10**6)
    assert law == agnostic_law(Counter(data), **settings)


def test_a_record_that_is_neither_in_the_data_nor_the_default_may_come_out() -> None:
    coin = Law({"a": "1/2", "c": "1/2"})
    settings: dict[str, Any] = {"learner": lambda block, seed: coin, "final": empirical(), "runs": 2, "blocks": 1}
    settings |= {"block_size": 1, "mode": StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"), ("b",))}
    program = partial(agnostic_private_learner, fallback=coin, **settings)
    law = agnostic_law({"a": 2}, **settings)
    assert law == law_of(program, ("a", "a"), budget=10**6)
    assert law[Law({"c": 1})] == Fraction(1, 36)


def test_the_agnostic_learner_falls_back_on_few_records_and_ignores_the_ones_beyond() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": with_default(("b",))}
    program = partial(agnostic_private_learner, runs=2, blocks=1, block_size=1, fallback=HIGH, **settings)
    assert law_of(program, "a") == law_of(program, "") == Law({HIGH: 1})
    assert law_of(program, "aab") == law_of(program, "aaa") == law_of(program, "aa")


def test_the_outer_permutation_mixes_the_batches() -> None:
    """Without it "aab" in batches of one record would always give the third batch to "b"."""
    settings: dict[str, Any] = {"learner": first_record(), "final": first_record(), "mode": with_default(("c",))}
    program = partial(agnostic_private_learner, runs=3, blocks=1, block_size=1, fallback=HIGH, **settings)
    assert law_of(program, "aab") == Law({A: Fraction(2, 9), B: Fraction(1, 9), Law({"c": 1}): Fraction(2, 3)})


@pytest.mark.parametrize("default", [BOTTOM, "a", ("a", "b"), None])
def test_an_agnostic_learner_needs_a_record_as_default(default: Hashable) -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": with_default(default)}
    with pytest.raises(InvalidArgument, match=r"default: .*fixed before the data"):
        agnostic_private_learner("ab", Sampling(), runs=2, blocks=1, block_size=1, fallback=A, **settings)


def test_a_fallback_that_is_no_law_is_refused() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": with_default(("b",))}
    nothing: Any = None
    with pytest.raises(InvalidArgument, match="fallback"):
        agnostic_private_learner("ab", Sampling(), runs=2, blocks=1, block_size=1, fallback=nothing, **settings)


def test_an_estimate_outside_the_declared_domain_is_refused_by_all_three() -> None:
    settings: dict[str, Any] = {"learner": first_record(), "final": empirical(), "mode": with_default(("a",))}
    settings |= {"blocks": 1, "block_size": 1, "domain": "a"}
    programs: list[Callable[..., object]] = [
        black_box_private_learner,
        partial(boosted_learner, alpha="1/4", runs=1),
        partial(agnostic_private_learner, runs=1, fallback=A),
    ]
    for program in programs:
        with pytest.raises(InvalidArgument, match="declared domain"):
            program("b", Sampling(), **settings)


def test_a_sample_is_pushed_through_a_learner_that_looks_at_the_order() -> None:
    samples = Law(dict.fromkeys(product("ab", repeat=2), "1/4"))
    assert learned_law(samples, first_record()) == Law({A: "1/2", B: "1/2"})
    assert learned_law(samples, empirical())[Law({"a": "1/2", "b": "1/2"})] == Fraction(1, 2)
