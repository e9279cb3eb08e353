"""The joint law of the Poisson coupling for random tuples: marginals, consistency, permutations, duplicates, bounds.

The tuples have zero masses, ties, repeated laws, disjoint supports and one-point sets on purpose.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations

from hypothesis import event, given, settings
from hypothesis import strategies as st

from exactdp.spec.divergence import tv
from exactdp.spec.joint import (
    APART,
    disagreement_bounds,
    joint_law,
    pair_diagonal,
    pair_disagreement,
    pair_law,
    split_bound,
)
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.powers import power_disagreement, power_tv

NAMES: tuple[Hashable, ...] = ("a", 7, ("b", 1), None, "c")
T = exp("-1/2")

small = st.integers(0, 3) | st.integers(0, 40) | st.just(0)


@st.composite
def rational_laws(draw: st.DrawFn) -> Law:
    """A law on some of the names: small counts make zeros and ties, and few names make disjoint supports."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, 4))]
    counts = [draw(small) for _ in names]
    if not any(counts):
        counts[0] = 1
    return Law({y: Fraction(c, sum(counts)) for y, c in zip(names, counts, strict=True)})


@st.composite
def exponential_laws(draw: st.DrawFn) -> Law:
    """A law on the first names whose masses are polynomials in t = e^(-1/2): a stick broken at powers of t."""
    left: Number = Fraction(1)
    masses: dict[Hashable, Number] = {}
    names = draw(st.permutations(NAMES[:3]))
    for y in names[:-1]:
        share = draw(st.sampled_from([T, T**2, 1 - T, Fraction(1, 2), Fraction(3, 5), Fraction(0)]))
        masses[y], left = left * share, left * (1 - share)
    return Law({**masses, names[-1]: left})


@st.composite
def tuples(draw: st.DrawFn, law: st.SearchStrategy[Law], most: int) -> list[Law]:
    """A tuple whose entries come from a pool, so that laws repeat."""
    pool = draw(st.lists(law, min_size=1, max_size=most))
    return draw(st.lists(st.sampled_from(pool), min_size=1, max_size=most))


any_tuple = tuples(rational_laws(), 5) | tuples(exponential_laws(), 3)
any_pair = st.tuples(rational_laws(), rational_laws()) | st.tuples(exponential_laws(), exponential_laws())


def chosen(values: Hashable, places: Sequence[int]) -> tuple[Hashable, ...]:
    assert isinstance(values, tuple)
    return tuple(values[i] for i in places)


def common_value(pair: Hashable) -> Hashable:
    first, second = chosen(pair, (0, 1))
    return first if first == second else APART


def plain_joint(laws: Sequence[Law], waiting: frozenset[int]) -> dict[tuple[Hashable, ...], Number]:
    """The recursion in plain numbers; laws without a value in this branch show "?"."""
    if not waiting:
        return {("?",) * len(laws): Fraction(1)}
    zero = Fraction(0)
    outcomes = dict.fromkeys(y for i in waiting for y in laws[i].support())
    total = sum((max(laws[i][y] for i in waiting) for y in outcomes), start=zero)
    table: dict[tuple[Hashable, ...], Number] = {}
    for y in outcomes:
        order = sorted(waiting, key=lambda i: laws[i][y], reverse=True)
        masses = [*(laws[i][y] for i in order), zero]
        for j in range(len(order)):
            weight = masses[j] - masses[j + 1]
            if weight == 0:
                continue
            taken = order[: j + 1]
            for values, mass in plain_joint(laws, waiting - set(taken)).items():
                filled = tuple(y if i in taken else value for i, value in enumerate(values))
                table[filled] = table.get(filled, zero) + weight / total * mass
    return table


@given(any_tuple)
def test_every_coordinate_has_its_own_law(laws: list[Law]) -> None:
    joint = joint_law(laws)
    event(f"{len(set(laws))} distinct laws")
    for i, law in enumerate(laws):
        assert joint.map(partial(chosen, places=[i])) == law.map(lambda y: (y,))


@given(any_tuple)
@settings(max_examples=60)
def test_the_joint_law_is_what_the_plain_recursion_gives(laws: list[Law]) -> None:
    assert dict(joint_law(laws).items()) == plain_joint(laws, frozenset(range(len(laws))))


@given(any_tuple, st.data())
def test_a_part_of_the_tuple_has_the_joint_law_of_that_part(laws: list[Law], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(laws) - 1), min_size=1, max_size=4))
    part = joint_law(laws).map(lambda values: chosen(values, places))
    assert part == joint_law([laws[i] for i in places])


@given(any_tuple, st.data())
def test_permuted_laws_have_permuted_values(laws: list[Law], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(laws))))
    assert joint_law([laws[i] for i in order]) == joint_law(laws).map(lambda values: chosen(values, order))


@given(any_tuple)
def test_equal_laws_take_equal_values(laws: list[Law]) -> None:
    copies = [Law(dict(reversed(list(law.items())))) for law in laws]
    for values, mass in joint_law([*laws, *copies]).items():
        assert isinstance(values, tuple)
        assert mass > 0
        assert values[: len(laws)] == values[len(laws) :]


@given(any_pair)
def test_a_pair_in_closed_form_is_the_joint_law_and_within_its_bounds(pair: tuple[Law, Law]) -> None:
    p, q = pair
    law, apart, distance = joint_law([p, q]), pair_disagreement(p, q), tv(p, q)
    assert pair_law(p, q) == law
    assert law.probability(lambda values: len(set(chosen(values, (0, 1)))) > 1) == apart
    assert pair_diagonal(p, q) == law.map(common_value)
    low, high = disagreement_bounds(p, q)
    assert low == distance
    assert low <= apart
    assert apart <= high
    assert high * (1 + low) == 2 * low


@given(any_tuple)
def test_values_are_not_all_equal_at_most_as_often_as_least_and_largest_masses_say(laws: list[Law]) -> None:
    joint = joint_law(laws)
    split = joint.probability(lambda values: len(set(chosen(values, range(len(laws))))) > 1)
    assert split <= split_bound(laws)
    for i, j in combinations(range(len(laws)), 2):
        pair = joint.map(partial(chosen, places=(i, j)))
        assert pair.probability(lambda values: len(set(chosen(values, (0, 1)))) > 1) == pair_disagreement(
            laws[i], laws[j]
        )


@given(any_pair, st.integers(0, 3))
@settings(max_examples=60)
def test_product_laws_on_counts_are_product_laws_written_out(pair: tuple[Law, Law], length: int) -> None:
    p, q = pair
    assert power_disagreement(p, q, length) == pair_disagreement(p.power(length), q.power(length))
    assert power_tv(p, q, length) == tv(p.power(length), q.power(length))
