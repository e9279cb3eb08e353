"""Section 6: boosting, from the choice that no majority can spoil to the failure probability at the stated T."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb

import mpmath
import pytest

from exactdp.reference.boosted import select
from exactdp.reference.learned_law import boosted_law
from exactdp.reference.learners import first_record
from exactdp.reference.parameters import boosted_parameters
from exactdp.spec import boosting
from exactdp.spec.boosting import (
    Estimate,
    apart,
    are_enough_runs,
    choices,
    hoeffding_of_runs,
    is_closer,
    is_more_than_half,
    is_well_selected,
    near_counts,
    split_in_turn,
    worst_selection,
)
from exactdp.spec.claim import Claim
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import item, step
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.learning import failure_probability, records_bound
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import exp
from exactdp.spec.sampler_utility import binomial_tail
from exactdp.spec.standard_laws import point
from exactdp.verify.boosting_families import (
    COMMON,
    FAR,
    LOOSE,
    NEAR,
    RARE,
    Boosting,
    boosted_sizes,
    few_runs,
    line_grid,
    main_of,
    mock_boosting,
    private_runs,
    selection,
    sized,
    triangle_grid,
    written_out,
)
from exactdp.verify.controls import controls
from exactdp.verify.families import family
from exactdp.verify.learning_families import Given
from exactdp.verify.ledger import entry_of
from exactdp.verify.sampler_families import FAIR, POINTS, all_pairs

ITEMS = ["thm-1.3", "alg-4", "thm-6.1"]
EIGHTH = Fraction(1, 8)


@pytest.mark.parametrize("name", ITEMS)
def test_every_claim_about_the_family_holds(name: str) -> None:
    one = item(name)
    claims = [claim for instance in family(name) for claim in one.claims(instance)]
    assert claims
    assert [claim for claim in claims if not claim.holds] == []


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("thm-1.3", {"privacy", "failure", "conclusion"}),
        (
            "alg-4",
            {
                *("line 1", "line 2", "line 3 size", "line 3 split", "line 4", "lines 5 and 6", "line 6"),
                *("lines 4 to 7", "from the laws of the runs"),
            },
        ),
        (
            "thm-6.1",
            {
                *("parameters", "S1 parts", "S1 one run", "S1 parallel", "S1 selection", "S1 delta0", "privacy"),
                *("S2", "S3 Hoeffding", "S3 runs", "S3 rare", "S4 pairs", "S4 counts", "S4 maximum"),
                *("S5 pigeonhole", "S5 shared", "S6", "S6 event"),
                *("S7 eta", "S7 logs", "S7 runs", "S7 blocks", "S7 records", "conclusion"),
            },
        ),
    ],
)
def test_an_item_has_a_claim_for_each_step(name: str, steps: set[str]) -> None:
    assert {step(claim.label) for instance in family(name) for claim in item(name).claims(instance)} == steps


# -- choosing --


def law(numerator: int, denominator: int = 20) -> Law:
    return Law({0: Fraction(numerator, denominator), 1: 1 - Fraction(numerator, denominator)})


def test_the_distance_of_an_estimate_that_was_not_given_is_1() -> None:
    assert apart(law(3), law(8)) == Fraction(1, 4)
    assert apart(BOTTOM, law(3)) == apart(law(3), BOTTOM) == apart(BOTTOM, BOTTOM) == 1


def test_neighbours_are_counted_at_the_radius_itself() -> None:
    laws: list[Estimate] = [law(5), law(10), law(15), BOTTOM]
    assert near_counts(laws, Fraction(1, 4)) == [2, 3, 2, 0]
    assert near_counts(laws, Fraction(1, 4) - Fraction(1, 10**30)) == [1, 1, 1, 0]


def test_every_best_index_may_be_chosen() -> None:
    assert choices([law(5), law(10), law(15)], Fraction(3, 8)) == [1]
    assert choices([law(5), law(15), law(5)], Fraction(3, 8)) == [0, 2]
    assert choices([BOTTOM, BOTTOM], Fraction(3, 8)) == [0, 1]


def test_parts_are_cut_one_after_the_other() -> None:
    assert split_in_turn(tuple("abcdefg"), 3, 2) == (("a", "b"), ("c", "d"), ("e", "f"))
    assert split_in_turn(tuple("abc"), 2, 2) == (("a", "b"), ("c",))


def test_good_and_most_are_strict() -> None:
    third = Fraction(1, 3)
    assert (is_closer(third, third), is_closer(third - Fraction(1, 10**30), third)) == (False, True)
    assert [is_more_than_half(good, 4) for good in (1, 2, 3)] == [False, False, True]


@pytest.mark.parametrize("alpha", ["1/4", "1/2", "3/4"])
def test_the_program_chooses_one_of_the_best_for_every_tuple_in_every_order(alpha: str) -> None:
    a, grid = Fraction(alpha), line_grid(4, declined=True)
    for estimates in product(grid, repeat=3):
        assert select(estimates, a) in choices(estimates, a)
        for p in grid[:-1]:
            assert isinstance(p, Law)
            assert is_well_selected(estimates, p, a)


def brute_force(grid: tuple[Law, ...], runs: int, alpha: Fraction) -> Iterator[tuple[bool, bool]]:
    """For every multiset and p: whether most estimates are good, and whether a chosen one is far; written out again."""
    tv = {(p, q): exact_divergence(p, q, Fraction(1)) for p, q in product(grid, repeat=2)}
    for estimates in combinations_with_replacement(grid, runs):
        counts = [sum(tv[p, q] <= 2 * alpha / 3 for q in estimates) for p in estimates]
        for p in grid:
            good = [q for q in estimates if tv[q, p] < alpha / 3]
            far = any(n == max(counts) and tv[q, p] >= alpha for q, n in zip(estimates, counts, strict=True))
            yield 2 * len(good) > runs, far


@pytest.mark.parametrize(("steps", "runs", "alpha"), [(8, 3, "1/2"), (6, 4, "3/5"), (4, 5, "7/8")])
def test_the_exhaustive_check_agrees_with_one_that_was_written_out(steps: int, runs: int, alpha: str) -> None:
    grid = tuple(p for p in line_grid(steps) if isinstance(p, Law))
    found = list(brute_force(grid, runs, Fraction(alpha)))
    worst = worst_selection(selection(grid, runs, alpha))
    assert worst is not None
    assert worst.cases == sum(most for most, _ in found) > 0
    assert worst.violations == sum(most and far for most, far in found) == 0
    assert any(far for most, far in found if not most)


def test_the_bound_is_nearly_attained() -> None:
    """On multiples of 1/30 with T = 3 the chosen one can be at 30/31 of alpha = 31/100."""
    worst = worst_selection(selection(line_grid(30), 3, "31/100"))
    assert worst is not None
    assert worst.farthest / Fraction(31, 100) == Fraction(30, 31)


def test_the_quantities_of_the_proof_on_thirteen_laws() -> None:
    """T = 3, alpha = 1/2: good is within 1/12 (1/6 is alpha0 itself), so two good ones are within 1/6.

    A bad one that counts one of two good ones alone makes that one count all three, so it is not chosen itself.
    """
    worst = worst_selection(selection(line_grid(12), 3, "1/2"))
    assert worst is not None
    assert (worst.widest, worst.surplus, worst.most, worst.together, worst.shared) == (Fraction(1, 6), 0, 2, 4, 2)
    assert worst.farthest == Fraction(5, 12)


def test_estimates_that_were_not_given_do_no_harm() -> None:
    for grid in (line_grid(8, declined=True), (*triangle_grid(2), BOTTOM)):
        worst = worst_selection(selection(grid[::-1], 3, "1/2"))
        assert worst is not None
        assert worst.violations == 0


def test_a_grid_without_a_majority_is_vacuous() -> None:
    nowhere = replace(selection((law(0), law(20)), 3, "1/4"), targets=(law(10),))
    assert worst_selection(nowhere) is None
    entry = entry_of(item("thm-6.1"), [nowhere], controls("thm-6.1")[:1])
    assert entry.verdict.kind == "vacuous"


# -- chances --


def test_the_exact_tails_and_that_an_odd_number_of_runs_is_better_than_the_next_even_one() -> None:
    tails = {T: binomial_tail(T, EIGHTH, Fraction(T, 2)) for T in range(1, 9)}
    assert [tails[T] for T in (1, 3, 5, 7)] == [
        EIGHTH,
        Fraction(11, 256),
        Fraction(263, 16384),
        Fraction(3271, 524288),
    ]
    assert all(tails[T] < tails[T + 1] for T in (1, 3, 5, 7))


@pytest.mark.parametrize("runs", [1, 2, 3, 14, 89, 384])
def test_the_tail_is_below_hoeffding(runs: int) -> None:
    tail = binomial_tail(runs, EIGHTH, Fraction(runs, 2))
    assert tail == sum(Fraction(comb(runs, i) * 7 ** (runs - i), 8**runs) for i in range((runs + 1) // 2, runs + 1))
    assert tail <= hoeffding_of_runs(runs) == exp(Fraction(-9 * runs, 32))


@pytest.mark.parametrize(("beta", "runs"), [("9/10", 14), ("1/2", 89), ("1/20", 384), ("1/1000", 885)])
def test_the_number_of_runs(beta: str, runs: int) -> None:
    b = Fraction(beta)
    assert [are_enough_runs(T, b) for T in (runs - 1, runs)] == [False, True]
    assert hoeffding_of_runs(runs) <= b**36
    assert boosted_parameters(Given(1, 1), "1/4", beta, "1/2", "1/100").runs == runs
    with mpmath.workdps(40):
        assert runs == int(mpmath.ceil(-128 * mpmath.log(mpmath.mpf(b.numerator) / b.denominator)))


def test_a_thirty_sixth_of_the_runs_would_do_for_the_tail() -> None:
    """At beta = 1/20 the last step needs exp(-9T/32) <= beta: T = 11, not 384."""
    enough = [T for T in range(1, 20) if hoeffding_of_runs(T) <= Fraction(1, 20)]
    assert enough[0] == 11


def test_with_two_estimates_the_law_is_a_majority_vote() -> None:
    """T = 14: the far law wins if it is more than half, or half and first."""
    one = Law({FAIR: "7/8", FAR: "1/8"})
    answer = boosted_law(one, runs=14, alpha="1/4")
    half = comb(14, 7) * Fraction(7, 8) ** 7 * EIGHTH**7
    failed = failure_probability(answer, FAIR, Fraction(1, 4))
    assert failed == binomial_tail(14, EIGHTH, 8) + half / 2
    assert failed <= binomial_tail(14, EIGHTH, 7)


# -- privacy --


def test_all_runs_together_are_as_private_as_one() -> None:
    """Three runs of one record at E = 2: r_1 = 1/3 for one and for all.

    On 100 the answer is 1 if the first run answers and the others do not outvote it: 1/3 (1 - 1/9) = 8/27.
    """
    instance = private_runs(few_runs(3, 1, 1), all_pairs(2, 3))
    claims = list(item("thm-6.1").claims(instance))
    third = Fraction(1, 3)
    for name in ("S1 one run", "S1 parallel"):
        assert {str(claim.lhs) for claim in claims if step(claim.label) == name} == {str(third)}
    assert {str(claim.lhs) for claim in claims if step(claim.label) == "S1 parts"} == {"1"}
    assert max(claim.lhs for claim in claims if step(claim.label) == "privacy") == Fraction(8, 27)


def test_the_program_on_two_runs_by_hand() -> None:
    """Each run answers with probability 1/3. On (0, 1): p_1 is given whenever there is one, otherwise p_2."""
    few = few_runs(2, 1, 1)
    instance = written_out(few, (0, 1))
    expected = Law({point(0): "1/3", point(1): "2/9", BOTTOM: "4/9"})
    assert instance.program((0, 1)) == instance.counted((0, 1)) == few.lines.answer((0, 1)) == expected


# -- the sizes --


@pytest.mark.parametrize("asked", [COMMON, RARE, LOOSE])
def test_the_sizes_by_hand(asked: tuple[str, str, str, str]) -> None:
    """With m = 3 everywhere: l = 3, eta = 1/(512 * 3), k = ceil(128 ln 32) = 444 unless privacy asks for more."""
    sizes = boosted_sizes(boosted_parameters(Given(3, 3), *asked))
    assert (sizes.alpha0, sizes.beta0) == (Fraction(asked[0]) / 3, EIGHTH)
    assert sizes.delta0 == min(Fraction(asked[3]), Fraction(1, 32))
    assert (sizes.run.length, sizes.run.eta, sizes.run.block_size, sizes.run.blocks) == (3, Fraction(1, 1536), 3, 444)
    assert sizes.records == sizes.runs * 444 * 3


def test_the_bound_of_the_records_is_tightest_for_large_epsilon_and_delta() -> None:
    """885 runs of 444 blocks: 392 940 records, 0.817 of the bound."""
    instance = Boosting("point laws", POINTS[:2], first_record(), LOOSE, "1e-30").instance()
    main = main_of(instance)
    assert main.records == 392_940
    most = records_bound(main.complexity, main.alpha, main.beta, Epsilon(main.epsilon), main.delta, main.records)
    assert Fraction(81, 100) < main.records / most < Fraction(82, 100)


def test_delta_may_be_as_close_to_1_as_one_likes_for_five_logarithms() -> None:
    """At delta = 1: 32/delta0 = 1024 = 4^5."""
    for delta in (Fraction(99, 100), Fraction(1, 32), Fraction(1, 10**6)):
        assert 32 / min(delta, Fraction(1, 32)) <= (4 / delta) ** 5
    assert 32 / Fraction(1, 32) == 4**5


# -- the theorem --


def claims_of(instance: boosting.BoostedInstance) -> dict[str, Claim]:
    return {step(claim.label): claim for claim in item("thm-6.1").claims(instance)}


def test_runs_that_are_as_bad_as_they_may_be_are_boosted() -> None:
    """Each fails with probability 1/8 exactly; 14 together with 1.35e-5, below Pr[|G| <= 7] = 7.3e-4."""
    claims = claims_of(mock_boosting(COMMON))
    assert claims["S2"].lhs == claims["S2"].rhs == EIGHTH
    assert claims["S3 rare"].lhs == claims["S3 rare"].rhs == binomial_tail(14, EIGHTH, 7)
    assert claims["conclusion"].lhs == Fraction(3989379660707375, 295147905179352825856)


def test_the_failure_probability_of_those_runs_by_another_sum() -> None:
    """FAR and FARTHER are 1/2 apart, further than (2/3)(1/4): the largest count among FAIR, FAR, FARTHER wins."""
    instance = mock_boosting(COMMON)
    weights = {"fair": Fraction(7, 8), "far": Fraction(1, 16), "farther": Fraction(1, 32), "none": Fraction(1, 32)}
    whole = Fraction(0)
    for a, b, c in product(range(15), repeat=3):
        if (d := 14 - a - b - c) < 0:
            continue
        ways = comb(14, a) * comb(14 - a, b) * comb(14 - a - b, c)
        mass = ways * weights["fair"] ** a * weights["far"] ** b * weights["farther"] ** c * weights["none"] ** d
        most = max(a, b, c)
        good = Fraction(1, (a, b, c).count(most)) if most and a == most else Fraction(0)
        whole += mass * (1 - good)
    assert failure_probability(instance.answer(FAIR), FAIR, Fraction(1, 4)) == whole


def test_the_order_of_the_runs_does_not_matter_to_the_law_of_the_answer() -> None:
    few = few_runs(3, 1, 1, final=NEAR)
    laws = {written_out(few, order).program(order) for order in permutations((0, 0, 1))}
    assert len(laws) > 1
    assert {law[BOTTOM] for law in laws} == {Fraction(8, 27)}


def test_an_instance_of_the_sizes_is_what_the_program_uses() -> None:
    found = sized("usual", Given(2, 3), COMMON)
    assert found.sizes.runs * found.sizes.run.blocks * found.sizes.run.block_size == found.sizes.records == 14 * 444 * 2
