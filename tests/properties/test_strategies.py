"""The public strategies: what they promise to contain, they contain."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import find, given

from exactdp.reference.draw import law_of
from exactdp.spec.divergence import tv
from exactdp.spec.law import Law
from exactdp.spec.number import Exact
from exactdp.verify.strategies import exponential_laws, laws, table_mechanisms, tuples_of_laws

Tuple = tuple[Law, ...]
DATASETS = [(0,), (1,)]


def has_a_zero(found: Tuple) -> bool:
    return any(len(law) < len({y for other in found for y in other.support()}) for law in found)


@pytest.mark.parametrize(
    "wanted",
    [
        has_a_zero,
        lambda found: len(set(found)) < len(found),
        lambda found: any(tv(p, q) == 1 for p, q in combinations(found, 2)),
        lambda found: any(len(law) == 1 for law in found),
        lambda found: any(p != q and p[y] == q[y] != 0 for p, q in combinations(found, 2) for y in p.support()),
    ],
    ids=["zero masses", "duplicates", "disjoint supports", "one-point laws", "ties"],
)
def test_tuples_of_laws_contain_what_hides_bugs_when_it_is_missing(wanted: Callable[[Tuple], bool]) -> None:
    assert wanted(find(tuples_of_laws(min_size=2), wanted))


@given(tuples_of_laws("ab", min_size=2, max_size=3))
def test_tuples_of_laws_keep_to_their_outcomes_and_sizes(found: Tuple) -> None:
    assert 2 <= len(found) <= 3
    assert all(set(law.support()) <= set("ab") for law in found)


@given(laws("abc", denominator=5))
def test_laws_over_one_denominator_have_multiples_of_it(law: Law) -> None:
    masses = [law[y] for y in "abc"]
    assert all(isinstance(mass, Fraction) and (mass * 5).denominator == 1 for mass in masses)


def test_exponential_laws_are_not_all_rational() -> None:
    assert isinstance(find(exponential_laws(), lambda law: isinstance(law[0], Exact))[0], Exact)


@given(table_mechanisms(DATASETS))
def test_a_table_mechanism_has_a_rational_law_on_the_outcomes(mechanism: Callable[..., object]) -> None:
    for data in DATASETS:
        law = law_of(mechanism, data)
        assert set(law.support()) <= {0, 1, 2}
        assert all(isinstance(mass, Fraction) for _, mass in law.items())


def test_table_mechanisms_tell_datasets_apart() -> None:
    apart = find(table_mechanisms(DATASETS), lambda m: tv(law_of(m, (0,)), law_of(m, (1,))) == 1)
    assert set(law_of(apart, (0,)).support()).isdisjoint(law_of(apart, (1,)).support())
