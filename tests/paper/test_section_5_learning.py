"""Sections 1 and 5: what a learner is, and any learner made private, at the theorem's own parameters."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, comb

import mpmath
import pytest

from exactdp.reference.learners import empirical, first_record, maximum_likelihood
from exactdp.reference.parameters import black_box_parameters
from exactdp.reference.sample_complexity import sample_complexity
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import item, step
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import UNRESOLVED, Law
from exactdp.spec.learning import (
    BlackBoxSizes,
    PrivateLearnerLines,
    are_black_box_sizes,
    bound_of_logs,
    failure_probability,
    is_learnt_privately,
    learns,
    learnt_from_sample,
    records_bound,
    sample_and_seed,
    sample_size,
)
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number
from exactdp.spec.standard_laws import point, uniform
from exactdp.verify.controls import controls
from exactdp.verify.families import family
from exactdp.verify.learning_families import (
    HIGH,
    LIKELIEST,
    LOW,
    MODE,
    USUAL,
    Asked,
    CountNeighbours,
    Given,
    LearntOver,
    SizeOf,
    mock_reduction,
    reduction,
    sizes_of,
    taught,
    written_out,
)
from exactdp.verify.ledger import entry_of
from exactdp.verify.sampler_families import BERNOULLIS, FAIR, POINTS
from exactdp.verify.sampler_settings import Mock, Setting

ITEMS = ["conj-1.1", "def-1.2", "alg-3", "thm-5.1"]
QUARTER = Fraction(1, 4)


@pytest.mark.parametrize("name", ITEMS)
def test_every_claim_about_the_family_holds(name: str) -> None:
    one = item(name)
    claims = [claim for instance in family(name) for claim in one.claims(instance)]
    assert claims
    assert [claim for claim in claims if not claim.holds] == []


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("conj-1.1", {"learnable", "privacy", "conclusion"}),
        ("def-1.2", {"m falls", "m is the least", "samples and coins", "success is strict", "conclusion"}),
        ("alg-3", {"line 1", "line 2", "lines 2 and 3", "no sample, no answer", "from the histogram", "fewer records"}),
        (
            "thm-5.1",
            {
                *("parameters", "S1 Sampler", "S1 post-processing", "S1 mode", "privacy"),
                *("S2", "S3", "S4", "S5", "conclusion"),
            },
        ),
    ],
)
def test_an_item_has_a_claim_for_each_step(name: str, steps: set[str]) -> None:
    assert {step(claim.label) for instance in family(name) for claim in item(name).claims(instance)} == steps


# -- the definition --


def test_two_bernoulli_laws_need_three_records_for_a_failure_probability_of_1_40() -> None:
    """One wrong record of one: 1/20. Any of two, for the law that stands second: 39/400. Two of three: 29/4000."""
    answer = LearntOver(LIKELIEST)
    worst = [max(failure_probability(answer(p, n), p, QUARTER) for p in BERNOULLIS) for n in (1, 2, 3)]
    assert worst == [Fraction(1, 20), Fraction(39, 400), Fraction(29, 4000)]
    size = SizeOf(LIKELIEST, BERNOULLIS)
    assert [size(QUARTER, Fraction(beta)) for beta in ("1/10", "1/16", "1/20", "1/40", "1/200")] == [1, 3, 3, 3, 5]
    assert learns(answer, BERNOULLIS, QUARTER, Fraction(39, 400), 2)
    assert not learns(answer, BERNOULLIS, QUARTER, Fraction(39, 400) - Fraction(1, 10**30), 2)


def test_a_failure_is_not_strict_and_equality_with_beta_is_allowed() -> None:
    answer = Law({BERNOULLIS[0]: "7/8", BERNOULLIS[1]: "1/8"})
    apart = Fraction(9, 10)
    assert failure_probability(answer, BERNOULLIS[0], apart) == Fraction(1, 8)
    assert failure_probability(answer, BERNOULLIS[0], apart + Fraction(1, 10**30)) == 0
    assert learns(lambda p, n: answer, BERNOULLIS[:1], apart, Fraction(1, 8), 1)


def test_no_answer_fails_and_so_does_mass_that_is_not_resolved() -> None:
    answer = Law.of_parts({FAIR: Fraction(1, 2), BOTTOM: Fraction(1, 4), UNRESOLVED: Fraction(1, 4)}, {})
    assert failure_probability(answer, FAIR, QUARTER) == Fraction(1, 2)


@pytest.mark.parametrize(("laws", "records"), [(BERNOULLIS, 4), (POINTS, 3)])
def test_the_failure_probability_is_a_sum_over_datasets(laws: tuple[Law, ...], records: int) -> None:
    learner = maximum_likelihood(laws)
    for p in laws:
        whole: Number = Fraction(0)
        for data in product(p.support(), repeat=records):
            mass: Number = Fraction(1)
            for x in data:
                mass = mass * p[x]
            whole = whole + mass * (exact_divergence(learner(data), p, Fraction(1)) >= QUARTER)
        assert failure_probability(LearntOver(learner)(p, records), p, QUARTER) == whole


def test_a_class_of_one_law_needs_no_record_and_m_is_read_as_1() -> None:
    assert sample_complexity(first_record(), [point("a")], QUARTER, QUARTER, 3).size == 1
    assert [sample_size(Given(n, n), QUARTER, QUARTER) for n in (0, 1, 2)] == [1, 1, 2]


def test_the_failure_probability_rises_with_a_second_record() -> None:
    """So it is m that is claimed to fall, and not the failure probability with n."""
    instance = taught("two Bernoulli laws", BERNOULLIS, LIKELIEST, "1/4", "1/10")
    found = [c for c in item("def-1.2").claims(instance) if c.label.startswith("conclusion: law 1, ")]
    assert [claim.lhs for claim in found[:3]] == [Fraction(1, 20), Fraction(39, 400), Fraction(29, 4000)]


# -- the algorithm --


def test_the_lines_push_the_law_of_the_sample_through_the_learner() -> None:
    sampled = Law({("a", "b"): "1/2", ("b", "b"): "1/4", BOTTOM: "1/4"})
    lines = PrivateLearnerLines(
        lambda data: sampled, lambda sample, seed: point(sample[int(str(seed))]), uniform((0, 1)), 1
    )
    expected = Law({point("a"): "1/4", point("b"): "1/2", BOTTOM: "1/4"})
    assert learnt_from_sample(lines, ("a",)) == expected
    assert sample_and_seed(lines, ("a",))[("a", "b"), 1] == Fraction(1, 4)


def test_two_blocks_release_one_third_of_the_time_and_a_tie_never() -> None:
    """At E = 2 and threshold 2, a gap of two is a distance of one: r_1 = 1/3."""
    instance = written_out(Setting(first_record(), 2, 1, MODE), empirical(), (0, 0))
    assert instance.program((0, 0)) == Law({point(0): "1/3", BOTTOM: "2/3"})
    assert instance.program((0, 1)) == instance.program((0,)) == point(BOTTOM)


# -- the parameters --


@pytest.mark.parametrize("asked", [LOW, USUAL, HIGH, Asked("1/3", "1/100", "9/10", "1e-9")])
def test_the_parameters_of_the_programs_are_those_of_the_theorem(asked: Asked) -> None:
    m = SizeOf(LIKELIEST, BERNOULLIS)
    alpha, beta, delta = (Fraction(x) for x in (asked.alpha, asked.beta, asked.delta))
    right = sizes_of(black_box_parameters(m, *asked))
    asked_for = m, alpha, beta, Epsilon(asked.epsilon), delta
    assert are_black_box_sizes(right, *asked_for)
    for wrong in (
        right._replace(length=right.length + 1),
        right._replace(eta=right.eta / 2),
        right._replace(block_size=right.block_size + 1),
        right._replace(delta0=right.delta0 / 2),
        right._replace(blocks=right.blocks - 1),
        right._replace(blocks=right.blocks + 1),
    ):
        assert not are_black_box_sizes(wrong, *asked_for)


def test_the_number_of_blocks_is_the_ceiling_that_high_precision_gives() -> None:
    with mpmath.workdps(60):
        for beta, epsilon, delta in product(("1/2", "1/100"), ("1/2", "1/30"), ("1/100", "1/10")):
            b, e, d = (mpmath.mpf(int(x.split("/")[0])) / int(x.split("/")[1]) for x in (beta, epsilon, delta))
            most = max(8 / e * mpmath.log(4 / (b * d)), 128 * mpmath.log(4 / b))
            found = black_box_parameters(Given(1, 1), "1/4", beta, epsilon, delta)
            assert found.sampler.blocks == int(mpmath.ceil(most))


def test_delta0_is_the_smaller_of_delta_and_beta_4() -> None:
    found = [sizes_of(black_box_parameters(Given(1, 1), "1/4", "1/10", "1/2", d)) for d in ("1/100", "2/5")]
    assert [sizes.delta0 for sizes in found] == [Fraction(1, 100), Fraction(1, 40)]
    assert [sizes.eta for sizes in found] == [Fraction(1, 640)] * 2


def test_the_usual_parameters_by_hand() -> None:
    """l = m(1/4, 1/8) = 1, eta = 1/128, b = m(1/128, 1/16) = 3, k = ceil(128 ln 8) = 267."""
    found = reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, USUAL)
    assert sizes_of(found.parameters) == BlackBoxSizes(1, Fraction(1, 128), 3, Fraction(1, 100), 267)


# -- the theorem --


def release(distance: int) -> Fraction:
    """Pr[N >= 8 - D] for geometric noise with ratio 1/2: threshold w + 1 with w = 7, since 2/3 2^-7 <= 1/100."""
    t = 8 - distance
    return Fraction(2, 3 * 2**t) if t > 0 else 1 - Fraction(2, 3 * 2 ** (1 - t))


def sampled_by_hand(k: int, right: Fraction) -> dict[object, Fraction]:
    """The law of one record when k blocks teach the first Bernoulli law with this probability, in plain fractions.

    Two laws on two points are drawn equal as often as can be: both 0, or both 1, with probability 1/20 each.
    """
    masses: dict[object, Fraction] = {(0,): Fraction(0), (1,): Fraction(0), BOTTOM: Fraction(0)}
    often, seldom, apart = Fraction(19, 20), Fraction(1, 20), Fraction(9, 10)
    for n in range(k + 1):
        weight = comb(k, n) * right**n * (1 - right) ** (k - n)
        drawn = [(seldom, 0, k), (seldom, 1, k), (apart, 0 if 2 * n > k else 1, abs(2 * n - k))]
        if n in (0, k):
            drawn = [(often if n else seldom, 0, k), (seldom if n else often, 1, k)]
        for share, winner, gap in drawn:
            released = release(ceil(Fraction(gap, 2))) if gap else Fraction(0)
            masses[(winner,)] += weight * share * released
            masses[BOTTOM] += weight * share * (1 - released)
    return masses


def test_the_law_of_the_sample_is_a_binomial_sum_that_was_written_out() -> None:
    instance = reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, LOW).instance()
    right = 1 - Fraction(29, 4000)
    assert dict(instance.samples(BERNOULLIS[0]).items()) == sampled_by_hand(191, right)


def test_the_answer_fails_as_often_as_one_record_misleads_and_a_little_more() -> None:
    """The sample is one record: its law is nearly p, and L takes the record 1 for the other law."""
    instance = reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, LOW).instance()
    p = BERNOULLIS[0]
    failed = failure_probability(instance.answer(p), p, QUARTER)
    sample = instance.samples(p)
    assert failed == sample[(1,)] + sample[BOTTOM]
    assert Fraction(1, 20) < failed < Fraction(1, 20) + Fraction(1, 10**12)


def test_the_mock_learner_is_as_bad_as_it_may_be() -> None:
    """A block is far with probability 1/16, and L fails on three fair coins with probability 1/8 = beta/4 exactly."""
    instance = mock_reduction(within=2).instance()
    claims = {claim.label: claim for claim in item("thm-5.1").claims(instance)}
    third = next(claim for label, claim in claims.items() if label.startswith("S3"))
    assert third.lhs == third.rhs == Fraction(1, 8)
    assert sum(weight for _, weight in instance.learnt(FAIR)[1:]) == Fraction(1, 16)


def test_learning_from_the_sample_can_only_hide() -> None:
    """All pairs of 191 blocks: what Sampler shows is 1/192 at E = 2, its mode's r_1, and learning adds nothing."""
    instance = reduction("point laws", POINTS[:2], first_record(), LOW).instance()
    claims = {step(claim.label): claim for claim in item("thm-5.1").claims(instance)}
    assert claims["S1 Sampler"].lhs == claims["S1 Sampler"].rhs == instance.mode_delta == Fraction(1, 192)
    assert claims["S1 post-processing"].lhs == 0
    assert claims["privacy"].lhs == Fraction(1, 192)
    assert isinstance(instance.neighbours, CountNeighbours)
    assert len(list(instance.neighbours())) == 191


def test_a_block_that_is_too_often_far_meets_no_hypothesis_and_the_family_is_vacuous() -> None:
    right = mock_reduction(within=2)
    (near, _), (far, _) = right.learnt(1)(FAIR)
    poor = Mock(((near, Fraction(7, 8)), (far, Fraction(1, 8))))
    entry = entry_of(item("thm-5.1"), [replace(right.instance(), learnt=poor)], controls("thm-5.1"))
    assert entry.verdict.kind == "vacuous"
    assert "conclusion" in entry.verdict.reason


def test_private_and_close_is_both() -> None:
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert is_learnt_privately([quarter, half], quarter, half, quarter)
    assert not is_learnt_privately([quarter, half], half, half, quarter)
    assert not is_learnt_privately([half], Fraction(0), quarter, quarter)


# -- the bound of the number of records --


def test_the_bound_of_logarithms_is_on_the_right_side_of_the_number_it_is_compared_with() -> None:
    """ln 4 ln 8 / (1/2) = 5.7654..."""
    numbers, half = [Fraction(4), Fraction(8)], Epsilon("1/2")
    with mpmath.workdps(60):
        true = Fraction(str(mpmath.log(4) * mpmath.log(8) * 2))
    for beside in (Fraction(5), true - Fraction(1, 10**40), true + Fraction(1, 10**40), Fraction(6)):
        found = bound_of_logs(1, numbers, half, beside)
        assert (found >= beside) == (true >= beside)
        assert abs(found - true) < Fraction(1, 10**17)


def test_the_bound_with_an_epsilon_that_is_a_logarithm() -> None:
    """ln 4 ln 8 / ln 2 = 6 ln 2 = 4.1588..."""
    found = bound_of_logs(1, [Fraction(4), Fraction(8)], Epsilon("ln(2)"), 4)
    with mpmath.workdps(40):
        assert abs(found - Fraction(str(6 * mpmath.log(2)))) < Fraction(1, 10**17)


def test_the_bound_of_theorem_1_3_has_the_inner_sample_size() -> None:
    """b = m(1/(512 m(alpha/3, 1/32)), 1/16)."""
    asked: list[tuple[Number, Number]] = []

    def m(alpha: Number, beta: Number) -> int:
        asked.append((alpha, beta))
        return 2 if beta == Fraction(1, 32) else 5

    most = records_bound(m, QUARTER, Fraction(1, 20), Epsilon("1/2"), Fraction(1, 100), 1)
    assert asked == [(Fraction(1, 12), Fraction(1, 32)), (Fraction(1, 1024), Fraction(1, 16))]
    with mpmath.workdps(40):
        true = 41100 * 5 * mpmath.log(400) * mpmath.log(80) * 2
        assert abs(most - Fraction(str(true))) < Fraction(1, 10**9)
