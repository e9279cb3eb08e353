"""The published benchmark of DiPC: its verdicts and its witnesses, held beside ours for the discrete twins.

DiPC decides mechanisms with continuous noise; inputs are {-1, 0, 1}^n, value outputs are clamped to {-1, 0, 1}.
"""

from collections.abc import Sequence

import pytest

from exactdp.reference.draw import law_of
from exactdp.spec.claim import Kind
from exactdp.spec.exponent import Epsilon
from exactdp.spec.number import exp
from exactdp.verify.audit import audit
from exactdp.verify.gallery import SMALL, entry
from exactdp.verify.mechanisms import ABOVE, BELOW, Draw, clamped, hist1, hist2
from exactdp.verify.neighbours import CHANGE_ONE, EACH_BY_ONE


def clamped_hist1(data: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    return tuple(clamped(count) for count in hist1(data, draw, epsilon=epsilon))


def clamped_hist2(data: Sequence[int], draw: Draw, *, epsilon: Epsilon) -> tuple[object, ...]:
    return tuple(clamped(count) for count in hist2(data, draw, epsilon=epsilon))


TABLE = [
    ("SVT1", "svt1", 3, True),
    ("SVT1", "svt1", 4, True),
    ("SVT2", "svt2", 3, True),
    ("SVT1, c=2", "svt1_c2", 3, True),
    ("SVT1, c=2", "svt1_c2", 4, True),
    ("SVT3", "svt3_wide_clamped", 3, True),
    ("SVT3", "svt3_wide_clamped", 5, False),
    ("SVT4", "svt4", 2, False),
    ("SVT4", "svt4", 3, False),
    ("SVT5", "svt5", 2, False),
    ("SVT5", "svt5", 3, False),
    ("SVT6", "svt6", 3, False),
    ("RNM1", "rnm1", 3, True),
    ("RNM2", "rnm2", 3, True),
    ("RNM3", "rnm3_clamped", 3, False),
    ("RNM4", "rnm4_clamped", 3, False),
]
"""DiPC's name, ours, n, and whether DiPC says private (or finds no violation)."""

SHOWN = {True: "private", False: "not private"}


def _ours(name: str, n: int, epsilon: str) -> bool:
    kind = audit(entry(name).mechanism, domain=SMALL, n=n, epsilon=epsilon, neighbours=EACH_BY_ONE).verdict.kind
    assert kind in (Kind.HOLDS, Kind.REFUTED)
    return kind is Kind.HOLDS


def test_our_verdicts_on_the_twins_agree_with_the_published_ones() -> None:
    found = [(label, n, theirs, _ours(name, n, "1/2")) for label, name, n, theirs in TABLE]
    print(f"\n{'program':<10} n  {'DiPC':<12} exactdp")
    for label, n, theirs, ours in found:
        print(f"{label:<10} {n}  {SHOWN[theirs]:<12} {SHOWN[ours]}")
    assert [row for row in found if row[2] != row[3]] == []


@pytest.mark.parametrize(("mechanism", "private"), [(clamped_hist1, True), (clamped_hist2, False)])
def test_our_verdicts_on_histograms_agree(mechanism: object, private: bool) -> None:
    assert callable(mechanism)
    result = audit(mechanism, domain=SMALL, n=3, epsilon="1/2", neighbours=entry("hist1").neighbours)
    assert (result.verdict.kind is Kind.HOLDS) == private


@pytest.mark.parametrize("n", [1, 3])
def test_our_verdicts_on_wrong_randomized_response_agree(n: int) -> None:
    known = entry("randomized_response_wrong")
    result = audit(known.mechanism, domain=known.domain, n=n, epsilon="1/2", neighbours=CHANGE_ONE)
    assert result.verdict.kind is Kind.REFUTED


@pytest.mark.parametrize("epsilon", ["ln(2)", "1/10", "1"])
@pytest.mark.parametrize(
    ("name", "outcome", "one", "other"),
    [
        ("svt4", (BELOW, ABOVE), (-1, 0), (0, -1)),
        ("svt4", (BELOW, BELOW, ABOVE), (-1, -1, 0), (-1, 0, -1)),
        ("svt5", (BELOW, BELOW, ABOVE), (-1, -1, 0), (-1, -1, -1)),
        ("svt6", (BELOW, BELOW, ABOVE), (-1, -1, 0), (0, 0, -1)),
    ],
)
def test_the_published_witnesses_are_violations_here_too(
    name: str, outcome: tuple[str, ...], one: tuple[int, ...], other: tuple[int, ...], epsilon: str
) -> None:
    mechanism = entry(name).mechanism
    p, q = (law_of(mechanism, data, epsilon=epsilon)[outcome] for data in (one, other))
    assert p > exp(Epsilon(epsilon)) * q


@pytest.mark.parametrize("epsilon", ["ln(2)", "1/10", "1"])
def test_the_published_witness_against_too_little_noise_is_none_against_enough(epsilon: str) -> None:
    mechanism = entry("svt1").mechanism
    p, q = (law_of(mechanism, data, epsilon=epsilon)[BELOW, ABOVE] for data in ((-1, 0), (0, -1)))
    assert q < p <= exp(Epsilon(epsilon)) * q
