"""Hypothesis strategies for exact laws, tuples of laws and mechanisms: for properties of your own mechanisms.

Laws come with what hides bugs when it is missing: masses of 0, ties, duplicates, disjoint supports, one-point laws.
Needs the package hypothesis.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import point
from exactdp.verify.neighbours import Dataset

DENOMINATOR_AT_MOST = 12


def laws(outcomes: Sequence[Hashable] = (0, 1, 2), *, denominator: int | None = None) -> st.SearchStrategy[Law]:
    """Rational laws on some of the outcomes, masses of 0 and point laws included; over `denominator` if it is given."""
    weights = st.lists(st.integers(0, DENOMINATOR_AT_MOST), min_size=len(outcomes), max_size=len(outcomes)).filter(any)
    if denominator is not None:
        cuts = st.lists(st.integers(0, denominator), min_size=len(outcomes) - 1, max_size=len(outcomes) - 1).map(sorted)
        weights = cuts.map(lambda c: [b - a for a, b in zip([0, *c], [*c, denominator], strict=True)])
    return weights.map(lambda w: Law({y: Fraction(x, sum(w)) for y, x in zip(outcomes, w, strict=True)}))


def exponential_laws(outcomes: Sequence[Hashable] = (0, 1, 2)) -> st.SearchStrategy[Law]:
    """Laws whose masses are rational functions of e^(-1/2): proportional to powers of it."""

    def law(powers: list[int]) -> Law:
        masses = [exp(Fraction(-k, 2)) for k in powers]
        total: Number = sum(masses, start=Fraction(0))
        return Law({y: mass / total for y, mass in zip(outcomes, masses, strict=True)})

    return st.lists(st.integers(0, 4), min_size=len(outcomes), max_size=len(outcomes)).map(law)


@st.composite
def tuples_of_laws(
    draw: st.DrawFn, outcomes: Sequence[Hashable] = (0, 1, 2, 3), *, min_size: int = 1, max_size: int = 4
) -> tuple[Law, ...]:
    """Tuples of laws on the outcomes, with duplicates, disjoint supports and one-point laws well represented."""
    k = draw(st.integers(min_size, max_size))
    halves = [outcomes[: len(outcomes) // 2] or outcomes, outcomes[len(outcomes) // 2 :]]
    kinds = st.one_of(laws(outcomes), st.sampled_from(halves).flatmap(laws), st.sampled_from(outcomes).map(point))
    found = [draw(kinds)]
    while len(found) < k:
        found.append(draw(st.one_of(st.sampled_from(found), kinds)))
    return tuple(draw(st.permutations(found)))


@st.composite
def table_mechanisms(
    draw: st.DrawFn, datasets: Sequence[Dataset], outcomes: Sequence[Hashable] = (0, 1, 2)
) -> Callable[..., object]:
    """Mechanisms that draw from one law for each dataset; each one with finitely many outcomes is of this kind."""
    table = {dataset: draw(laws(outcomes)) for dataset in datasets}

    def mechanism(data: Dataset, draw: Callable[[Law], object]) -> object:
        return draw(table[data])

    return mechanism
