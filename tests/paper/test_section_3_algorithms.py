"""Section 3 and Appendix A, the algorithms: Couple_I and Couple_II enumerated, against the recursion T6 by hand."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from itertools import combinations_with_replacement as multisets
from typing import Any

import pytest

from exactdp.reference.couple import Coupling, couple, couple_one, couple_products, couple_two
from exactdp.reference.draw import law_of
from exactdp.reference.sampling import Sampling, sampler_of
from exactdp.spec.divergence import tv
from exactdp.spec.errors import InvalidArgument, NotClosed
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Exact, Number, exp
from exactdp.spec.standard_laws import discrete_laplace, geometric, point, uniform

Joint = dict[tuple[Hashable, ...], Number]


def recursion(laws: Sequence[Law]) -> Joint:
    """T6 over the coordinates, in plain numbers: no common denominator, no memory, no grouping of equal laws."""
    outcomes = list(dict.fromkeys(y for law in laws for y, _ in law.items()))
    found: Joint = {}

    def go(pending: tuple[int, ...], taken: dict[int, Hashable], mass: Number) -> None:
        if not pending:
            z = tuple(taken[i] for i in range(len(laws)))
            found[z] = found.get(z, Fraction(0)) + mass
            return
        total = sum((max(laws[i][y] for i in pending) for y in outcomes), start=Fraction(0))
        for y in outcomes:
            order = sorted(pending, key=lambda i: laws[i][y], reverse=True)
            for j in range(1, len(order) + 1):
                below = laws[order[j]][y] if j < len(order) else Fraction(0)
                weight = laws[order[j - 1]][y] - below
                if weight:
                    rest = tuple(sorted(order[j:]))
                    go(rest, taken | dict.fromkeys(order[:j], y), mass * weight / total)

    go(tuple(range(len(laws))), {}, Fraction(1))
    return found


def one(laws: Sequence[Law], weights: dict[Hashable, Number | int | str]) -> Law:
    return law_of(lambda data, draw: couple_one(data, weights, draw), laws)


def two(laws: Sequence[Law]) -> Law:
    return law_of(couple_two, laws)


def at(*places: int) -> Callable[[Hashable], tuple[Hashable, ...]]:
    """These coordinates of a tuple."""

    def chosen(z: Hashable) -> tuple[Hashable, ...]:
        assert isinstance(z, tuple)
        return tuple(z[i] for i in places)

    return chosen


def apart(joint: Law, i: int, j: int) -> Number:
    return joint.probability(lambda z: at(i)(z) != at(j)(z))


def distance(p: Law, q: Law) -> Number:
    t = tv(p, q)
    assert isinstance(t, Fraction | Exact)
    return t


def counting(laws: Sequence[Law]) -> dict[Hashable, Number | int | str]:
    return {y: 1 for law in laws for y in law.atoms}


def law(*masses: Number | int | str) -> Law:
    return Law(dict(enumerate(masses)))


def grid(points: int, denominator: int) -> Iterator[Law]:
    """Every law with the given denominator, zero masses included."""
    for bars in combinations(range(denominator + points - 1), points - 1):
        ends = (-1, *bars, denominator + points - 1)
        yield Law({y: Fraction(ends[y + 1] - ends[y] - 1, denominator) for y in range(points)})


GOLDEN = [law("1/2", "1/2", 0), law("1/2", "1/4", "1/4"), law("1/4", "1/4", "1/2")]
GOLDEN_JOINT: dict[Hashable, Number | int | str] = {
    (0, 0, 0): "5/24",
    (0, 0, 1): "1/24",
    (0, 0, 2): "3/20",
    (0, 2, 2): "1/10",
    (1, 0, 0): "1/24",
    (1, 0, 1): "1/120",
    (1, 0, 2): "1/20",
    (1, 1, 1): "1/5",
    (1, 1, 2): "1/20",
    (1, 2, 2): "3/20",
}
T = exp("-1/2")
RESPONSE = [law(1 / (1 + T), T / (1 + T)), law(T / (1 + T), 1 / (1 + T)), law("1/2", "1/2")]
CASES: dict[str, list[Law]] = {
    "golden": GOLDEN,
    "one law": [law("1/3", "2/3")],
    "duplicates": [law("1/3", "2/3"), law("1/2", "1/2"), law("1/3", "2/3")],
    "disjoint": [law(1), Law({"a": "1/2", 7: "1/2"}), law(0, 0, 1)],
    "ties": [law("1/4", "1/4", "1/2"), law("1/4", "1/2", "1/4"), law("1/4", "1/4", "1/4", "1/4")],
    "two thirds against one half": [law("2/3", "1/3", 0), law("1/3", "1/3", "1/3")],
    "point masses": [point("x"), point("y"), point("x"), point(3)],
    "randomized response": RESPONSE,
    "in ln 3": [law(exp(Epsilon("ln(3)") / -2), 1 - exp(Epsilon("ln(3)") / -2)), law("1/2", "1/2")],
}
EVERY_CASE = pytest.mark.parametrize("laws", CASES.values(), ids=CASES.keys())


def test_both_programs_have_the_golden_joint_law() -> None:
    assert two(GOLDEN) == Law(GOLDEN_JOINT)
    assert one(GOLDEN, counting(GOLDEN)) == Law(GOLDEN_JOINT)
    assert recursion(GOLDEN) == dict(Law(GOLDEN_JOINT).items())


@EVERY_CASE
def test_both_programs_have_the_law_of_the_recursion(laws: list[Law]) -> None:
    expected = recursion(laws)
    assert dict(two(laws).items()) == expected
    assert dict(one(laws, counting(laws)).items()) == expected


def test_the_programs_are_right_on_every_pair_and_triple_of_small_grids() -> None:
    pairs, triples = list(multisets(grid(3, 3), 2)), [*multisets(grid(2, 3), 3), *multisets(grid(3, 2), 3)]
    tuples = pairs + triples
    assert len(tuples) == 55 + 20 + 56
    for laws in tuples:
        expected = recursion(laws)
        assert dict(two(laws).items()) == expected
        assert dict(one(laws, {0: 1, 1: "2/7", 2: 5}).items()) == expected


WEIGHTS: list[dict[Hashable, Number | int | str]] = [
    {0: 1, 1: 1, 2: 1},
    {0: "1/7", 1: 30, 2: "5/3"},
    {0: 1, 1: 10**9, 2: "1e-9", "never": 4},
    {0: exp("1/3"), 1: 2, 2: exp("-1/3")},
]


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_the_law_of_couple_one_does_not_depend_on_the_dominating_measure(
    weights: dict[Hashable, Number | int | str],
) -> None:
    assert one(GOLDEN, weights) == Law(GOLDEN_JOINT)


def test_a_measure_that_favours_a_point_without_its_density_gives_another_law() -> None:
    """A control: levels compared with the masses themselves, although the points come from nu."""
    nu = {0: Fraction(1, 2), 1: Fraction(1, 3), 2: Fraction(1, 6)}
    wrong = [Law({y: law[y] * nu[y] / sum(law[z] * nu[z] for z in nu) for y in nu}) for law in GOLDEN]
    assert two(wrong) != Law(GOLDEN_JOINT)


@EVERY_CASE
def test_every_coordinate_keeps_its_law_and_equal_laws_are_drawn_equal(laws: list[Law]) -> None:
    joint = two(laws)
    for i, each in enumerate(laws):
        assert joint.map(at(i)) == each.power(1)
        for j, other in enumerate(laws):
            t = distance(each, other)
            assert apart(joint, i, j) * (1 + t) <= 2 * t
            assert apart(joint, i, j) >= t
            assert (apart(joint, i, j) == 0) == (each == other)


def test_the_order_of_the_coordinates_and_further_coordinates_change_nothing() -> None:
    joint = two(GOLDEN)
    for order in permutations(range(3)):
        moved = two([GOLDEN[i] for i in order])
        assert moved == joint.map(at(*order))
    for kept in combinations(range(3), 2):
        assert two([GOLDEN[i] for i in kept]) == joint.map(at(*kept))


@EVERY_CASE
def test_a_coupling_is_a_law_and_has_the_joint_masses(laws: list[Law]) -> None:
    coupling = couple(laws)
    assert isinstance(coupling, Coupling)
    assert coupling.laws == tuple(laws)
    assert dict(coupling.items()) == recursion(laws)
    assert law_of(lambda data, draw: draw(couple(data)), laws) == coupling


def test_product_laws_are_coupled_as_the_laws_of_their_sequences() -> None:
    B, C = law("3/4", "1/4"), law("1/2", "1/2")
    squares = couple_products([B, C, B], 2)
    assert dict(squares.items()) == recursion([B.power(2), C.power(2), B.power(2)])
    assert apart(squares, 0, 1) == Fraction(131, 336)
    assert apart(squares, 0, 2) == 0
    assert apart(couple_products([B, C], 1), 0, 1) == tv(B, C)


def test_at_length_zero_every_coordinate_is_the_empty_sequence() -> None:
    nothing = couple_products([law("1/2", "1/2"), discrete_laplace(1)], 0)
    assert Sampling.seeded(1)(nothing) == ((), ())
    assert dict(couple_products([law("1/2", "1/2"), law(1)], 0).items()) == {((), ()): 1}


COUNTABLE = [
    discrete_laplace(2),
    discrete_laplace("3/2"),
    geometric(2),
    point("a string"),
    mixture([("1/2", point(4)), ("1/4", point("a string")), ("1/4", discrete_laplace(1))]),
    discrete_laplace(2),
]


def test_couple_two_runs_on_countable_laws_without_a_common_dominating_measure() -> None:
    draw = Sampling.seeded(5)
    for _ in range(10):
        z = couple_two(COUNTABLE, draw)
        assert z[0] == z[5]
        assert z[3] == "a string"
        assert isinstance(z[2], int)
        assert z[2] >= 0


def test_the_sampler_draws_couplings_that_have_no_masses() -> None:
    coupling = couple(COUNTABLE)
    draw = sampler_of(coupling)
    source = Sampling.seeded(5).source
    assert any(draw(source) != draw(source) for _ in range(10))
    with pytest.raises(InvalidArgument):
        coupling["anything"]
    assert repr(coupling) == "Coupling(<6 laws, 5 of them distinct>)"


def test_countable_laws_are_not_enumerated() -> None:
    with pytest.raises(NotClosed, match="runs, and its law is not enumerated"):
        two(COUNTABLE[:2])


def test_laws_on_different_sets_are_coupled_on_their_union_unless_a_domain_is_stated() -> None:
    laws = [uniform("ab"), uniform("bc"), uniform("ab"), uniform("cd")]
    assert {y for z in couple(laws[:2]).support() for y in at(0, 1)(z)} == set("abc")
    assert couple(laws[:3], domain="abc").laws == tuple(laws[:3])
    for tuple_of_laws, name, mass in ((laws, "laws[3]", "mass 1/2 at 'd'"), ([point(1), geometric(1)], "laws[0]", "")):
        with pytest.raises(InvalidArgument) as caught:
            couple(tuple_of_laws, domain="abc")
        assert caught.value.argument == name
        assert mass in str(caught.value.value)


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(InvalidArgument) as caught:
        work()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bad_input_is_refused_in_one_line_that_says_what_would_be_right() -> None:
    draw = Sampling.seeded(1)
    fair: Any = law("1/2", "1/2")
    wrong: Any = {0: 1}
    half: Any = 0.5
    half_known = discrete_laplace(1).windowed("1/10")
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: couple([]), "laws: got [] (list); expected at least one law"),
        (lambda: couple_two((), draw), "laws: got () (tuple); expected at least one law"),
        (lambda: couple([fair, wrong]), "laws[1]: got {0: 1} (dict); expected a law, such as"),
        (lambda: couple(fair), "(Law); expected a list or tuple of laws"),
        (lambda: couple([fair, half_known]), "laws[1]: got "),
        (lambda: couple_products([fair], -1), "length: got -1 (int); expected an int of at least 0"),
        (lambda: couple_products([fair], True), "length: got True (bool); expected an int of at least 0"),
        (lambda: couple_products([], 3), "laws: got [] (list); expected at least one law"),
        (
            lambda: couple_one([fair, fair, law("1/2", "1/4", "1/4")], {0: 1, 1: 1}, draw),
            "laws[2]: got 'mass 1/4 at 2' (str); expected a law dominated by nu, which has no weight at this outcome",
        ),
        (lambda: couple_one([geometric(1)], {0: 1, 1: 1}, draw), "expected a law dominated by nu"),
        (lambda: couple_one([fair], {0: 1, 1: 0}, draw), "weight of 1: got '0' (str); expected a positive number"),
        (lambda: couple_one([fair], {0: 1, 1: half}, draw), "weight of 1: got 0.5 (float)"),
        (lambda: couple_one([fair], fair, draw), "(Law); expected a mapping"),
        (lambda: draw(couple([discrete_laplace(1 / Epsilon("any")), fair])), "expected a value for epsilon"),
    ]
    for work, message in cases:
        assert message in refused(work)
