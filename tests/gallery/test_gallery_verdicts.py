"""Every entry of the gallery: the known verdict at several epsilons, and the exact numbers behind it."""

import re
from fractions import Fraction

import pytest

from exactdp.reference.draw import law_of
from exactdp.spec.claim import Kind
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.number import exp
from exactdp.verify.audit import Audit, audit
from exactdp.verify.decide import LeastFactor
from exactdp.verify.gallery import GALLERY, SMALL, entry
from exactdp.verify.mechanisms import ABOVE, BELOW, svt4
from exactdp.verify.neighbours import EACH_BY_ONE

USUAL = ("1", "ln(2)", "1/10")
OTHERWISE = {
    "randomized_response_wrong": ("1/2", "1/10", "1"),
    "hist2": ("1/2", "1/10", "9/10"),
    "stability_histogram": ("1", "ln(3)", "2"),
    "svt3": ("1", "ln(16)"),
}
"""Where the mechanism needs a rational epsilon, the claim is about some epsilons only, or an audit takes seconds."""

CASES = [(name, epsilon) for name in GALLERY for epsilon in OTHERWISE.get(name, USUAL)]
COINS_ONLY = ("randomized_response", "randomized_response_wrong")


def _star(result: Audit) -> LeastFactor:
    assert result.epsilon_star is not None
    return result.epsilon_star


def _costs(result: Audit, multiple: Fraction | int) -> bool:
    """Whether e^epsilon* is exactly e^(multiple * epsilon)."""
    return _star(result).factor == exp(result.claim.epsilon * multiple)


@pytest.mark.parametrize(("name", "epsilon"), CASES)
def test_the_known_verdict_is_found(name: str, epsilon: str) -> None:
    known = entry(name)
    result = known.audit(epsilon)
    assert result.verdict.kind is (Kind.HOLDS if known.holds else Kind.REFUTED)
    if result.witness is not None:
        event = result.witness.event
        assert event.p > result.claim.factor * event.q + known.delta


def test_every_entry_is_tried_at_its_own_epsilon_and_another() -> None:
    for name, known in GALLERY.items():
        tried = {epsilon for case, epsilon in CASES if case == name}
        assert known.epsilon in tried
        assert len(tried) >= 2


def test_the_gallery_has_both_verdicts_and_says_what_is_a_twin() -> None:
    assert {known.holds for known in GALLERY.values()} == {True, False}
    for name, known in GALLERY.items():
        text = known.mechanism.__doc__ or ""
        assert known.name == name
        assert len(known.note.splitlines()) == 1
        assert re.search(r"Noise: .*Known", text, re.DOTALL)
        assert ("discrete twin" in text) == (name not in COINS_ONLY)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"svt1, .*rnm4_clamped"):
        entry("svt7")


@pytest.mark.parametrize("epsilon", [*USUAL, "ln(3)"])
@pytest.mark.parametrize("name", ["randomized_response", "geometric", "partial_sum", "hist1", "rnm2"])
def test_what_is_private_with_exactly_epsilon_costs_exactly_that(name: str, epsilon: str) -> None:
    assert _costs(entry(name).audit(epsilon), 1)


@pytest.mark.parametrize("epsilon", USUAL)
@pytest.mark.parametrize(
    ("name", "multiple"), [("bad_partial_sum", 2), ("svt3_clamped", Fraction(3, 2)), ("rnm3_clamped", Fraction(3, 2))]
)
def test_what_costs_more_costs_exactly_its_multiple(name: str, multiple: Fraction | int, epsilon: str) -> None:
    assert _costs(entry(name).audit(epsilon), multiple)


def test_a_record_is_kept_with_probability_three_quarters_at_the_logarithm_of_three() -> None:
    law = law_of(entry("randomized_response").mechanism, (True, False), epsilon="ln(3)")
    assert law[True, False] == Fraction(9, 16)
    assert law[False, False] == Fraction(3, 16)
    assert law[False, True] == Fraction(1, 16)


def test_wrong_randomized_response_costs_the_logarithm_of_three_at_one_half() -> None:
    result = entry("randomized_response_wrong").audit("1/2")
    assert _star(result).factor == 3


@pytest.mark.parametrize(("epsilon", "kind"), [("1/2", Kind.REFUTED), ("1", Kind.HOLDS), ("2", Kind.HOLDS)])
def test_the_upside_down_scale_costs_one_over_epsilon(epsilon: str, kind: Kind) -> None:
    result = entry("hist2").audit(epsilon)
    assert result.verdict.kind is kind
    assert _star(result).factor == exp(1 / Fraction(epsilon))


def test_the_stability_histogram_needs_exactly_the_chance_that_a_single_record_is_released() -> None:
    needed = exp(-4) / (1 + exp(-1))
    holds = entry("stability_histogram").audit()
    refuted = entry("stability_histogram_understated").audit()
    assert holds.delta_at_epsilon == refuted.delta_at_epsilon == needed
    assert Fraction("0.01338980") < needed < Fraction("0.01338981")
    assert refuted.witness is not None
    assert refuted.witness.pair == (("a",), ())
    assert _star(refuted).factor is None


def test_the_stability_histogram_costs_a_little_less_on_three_records_at_its_own_delta() -> None:
    # Three records of one value against two: e^-2 - E * e^-3 = e^-4, up to the same factor.
    assert _star(entry("stability_histogram").audit()).factor == exp(1) - exp(-1)


@pytest.mark.parametrize("epsilon", USUAL)
def test_the_stable_mode_needs_exactly_what_a_mode_that_one_record_decides_is_released_with(epsilon: str) -> None:
    released = law_of(entry("stable_mode").mechanism, tuple("abcc"), epsilon=epsilon)["c"]
    assert entry("stable_mode").audit(epsilon).delta_at_epsilon == released
    assert released <= Fraction(1, 6)


def test_noise_on_the_gap_puts_a_third_at_stake_where_a_sixth_is_claimed() -> None:
    assert entry("stable_mode").audit("ln(2)").delta_at_epsilon == Fraction(1, 6)
    assert entry("stable_mode_on_gap").audit("ln(2)").delta_at_epsilon == Fraction(1, 3)


def test_a_hair_below_the_exact_delta_is_refuted() -> None:
    known = entry("stability_histogram")
    result = audit(
        known.mechanism,
        domain=known.domain,
        n=1,
        epsilon=1,
        delta=known.delta - Fraction(1, 10**30),
        neighbours=known.neighbours,
    )
    assert result.verdict.kind is Kind.REFUTED


def test_sparse_vector_without_noise_on_the_answers_is_private_for_no_epsilon() -> None:
    result = entry("svt5").audit()
    star = _star(result)
    assert star.factor is None
    assert not star.limit
    assert star.event.q == 0
    assert star.event.p > 0
    one, other = result.universe.datasets[star.pair[0]], result.universe.datasets[star.pair[1]]
    outcome = star.event.cells[0].outcome
    assert law_of(entry("svt5").mechanism, one, epsilon="1")[outcome] > 0
    assert law_of(entry("svt5").mechanism, other, epsilon="1")[outcome] == 0


@pytest.mark.parametrize("epsilon", USUAL)
def test_sparse_vector_with_too_little_noise_is_private_with_seven_quarters(epsilon: str) -> None:
    result = audit(svt4, domain=SMALL, n=3, epsilon=epsilon, claim="7/4", neighbours=EACH_BY_ONE)
    assert result.verdict.kind is Kind.HOLDS


@pytest.mark.parametrize("name", ["svt3", "svt6", "svt3_clamped"])
def test_two_answers_are_too_few_to_refute_what_three_refute(name: str) -> None:
    known = entry(name)
    result = audit(known.mechanism, domain=(0, 1), n=2, epsilon=1, neighbours=EACH_BY_ONE)
    assert result.verdict.kind is Kind.HOLDS
    assert not known.holds


def test_a_fresh_threshold_changes_nothing_when_the_first_hit_is_the_last() -> None:
    data = (-1, 1, 0)
    laws = [law_of(entry(name).mechanism, data, epsilon="1") for name in ("svt1", "svt2", "svt1_c2", "svt2_c2")]
    assert laws[0] == laws[1]
    assert laws[2] != laws[3]


def test_sparse_vector_stops_where_it_should() -> None:
    once = law_of(entry("svt1").mechanism, (0, 0), epsilon="1")
    twice = law_of(entry("svt1_c2").mechanism, (0, 0, 0), epsilon="1")
    assert set(once.support()) == {(ABOVE,), (BELOW, ABOVE), (BELOW, BELOW)}
    assert all(isinstance(outcome, tuple) and outcome.count(ABOVE) <= 2 for outcome in twice.support())
    assert twice[ABOVE, ABOVE] > 0
    assert twice[ABOVE, BELOW, ABOVE] > 0


def test_ties_of_the_noisy_maximum_go_to_the_first() -> None:
    # Two equal answers, x = 1/2: the tie has ((1 - x)/(1 + x))^2 * (1 + x^2)/(1 - x^2) = 5/27.
    law = law_of(entry("rnm1").mechanism, (0, 0), epsilon=Epsilon("ln(4)"))
    assert law[0] - law[1] == Fraction(5, 27)
