"""Classes of laws and class files: what they contain, exactly, and every mistake in one line that names it."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from exactdp.reference.class_files import class_from_json, read_class
from exactdp.reference.classes import (
    LawClass,
    bernoulli_grid,
    binomials,
    clamped,
    clamped_geometrics,
    clamped_laplaces,
    grid_class,
    point_masses,
    products,
)
from exactdp.spec.divergence import tv
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.number import exp
from exactdp.spec.standard_laws import discrete_laplace, geometric, point, uniform
from exactdp.verify.strategies import tuples_of_laws

FAIR, BIASED = Law({"a": "1/2", "b": "1/2"}), Law({"a": "3/10", "b": "7/10"})
FLOATS: Any = [0.5]
COINS = LawClass(("a", "b"), {"fair": FAIR, "biased": BIASED}, "coins")


# -- classes --


def test_a_class_is_the_sequence_of_its_laws_in_the_order_of_their_names() -> None:
    assert list(COINS) == [FAIR, BIASED]
    assert COINS.names == ("fair", "biased")
    assert (COINS[1], COINS[-1], COINS[:1], len(COINS)) == (BIASED, BIASED, (FAIR,), 2)
    assert (COINS.law("biased"), COINS.name_of(BIASED)) == (BIASED, "biased")


def test_a_class_does_not_change_with_the_mapping_that_it_was_made_from() -> None:
    laws = {"fair": FAIR}
    made = LawClass(("a", "b"), laws)
    laws["biased"] = BIASED
    assert len(made) == 1


def test_equal_classes_are_equal_and_survive_a_pickle() -> None:
    again = pickle.loads(pickle.dumps(COINS))
    assert again == COINS
    assert hash(again) == hash(COINS)
    assert LawClass(("a", "b"), {"fair": FAIR}, "coins") != COINS


def test_of_a_law_that_stands_twice_the_first_name_wins_and_the_others_are_told() -> None:
    made = LawClass(("a", "b"), {"one": FAIR, "two": BIASED, "three": Law({"b": "1/2", "a": "1/2"})})
    assert made.name_of(FAIR) == "one"
    assert made.repeated == {"three": "one"}
    assert COINS.repeated == {}


@given(tuples_of_laws())
def test_the_matrix_of_distances_is_exact(found: tuple[Law, ...]) -> None:
    made = LawClass(tuple(range(4)), {str(i): law for i, law in enumerate(found)})
    assert made.tv_matrix == tuple(tuple(tv(p, q) for q in found) for p in found)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LawClass((), {"fair": FAIR}), "domain: got .* at least one value"),
        (lambda: LawClass(("a", "a"), {"fair": FAIR}), "domain: got .* each of them once"),
        (lambda: LawClass(("a", "b"), {}), "laws: got .* at least one law"),
        (lambda: LawClass(("a", "c"), {"fair": FAIR}), "outcome of law 'fair': got 'b'"),
        (lambda: LawClass((0,), {"noise": geometric(1)}), "law 'noise': got .* atoms_of"),
        (lambda: LawClass(("a",), {"cut": geometric(1).windowed("1/9")}), "outcome of law 'cut'"),
        (lambda: LawClass(("a", "b"), {"fair": FAIR}, other="c"), "other: got 'c' .* 'a', 'b'"),
        (lambda: COINS.law("fare"), "name: got 'fare' .* 'fair', 'biased'"),
        (lambda: COINS.name_of(point("a")), "law: got .* 'fair', 'biased'"),
        (lambda: COINS.placed("c"), "record: got 'c' .* public domain 'a', 'b'"),
    ],
)
def test_a_mistake_in_a_class_is_one_line_that_names_it(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_record_outside_the_domain_becomes_the_declared_symbol_and_no_other() -> None:
    made = LawClass(("a", "b"), {"fair": FAIR}, other="b")
    assert [made.placed(record) for record in ("a", "b", "zebra", 7)] == ["a", "b", "b", "b"]


def test_text_is_read_as_the_value_that_is_written_so() -> None:
    made = LawClass((0, 1, "x"), {"point": point(0)}, other="x")
    assert [made.read(text) for text in ("0", "1", "x", "01", " 1")] == [0, 1, "x", "x", "x"]
    assert LawClass((1, "1"), {"point": point(1)}).read("1") == "1"


# -- built-in classes --


@pytest.mark.parametrize(("values", "denominator"), [("a", 3), ("ab", 5), ("abc", 4), ("abcd", 3)])
def test_a_grid_has_every_law_with_its_denominator_once(values: str, denominator: int) -> None:
    rows = [row for row in product(range(denominator + 1), repeat=len(values)) if sum(row) == denominator]
    expected = {Law({y: Fraction(c, denominator) for y, c in zip(values, row, strict=True)}) for row in rows}
    made = grid_class(values, denominator)
    assert set(made) == expected
    assert len(made) == len(expected) == comb(denominator + len(values) - 1, len(values) - 1)


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda: grid_class("abcdef", 50), comb(55, 5)),
        (lambda: bernoulli_grid(10**9), 10**9 + 1),
        (lambda: products(*[bernoulli_grid(99)] * 3), 100**3),
    ],
)
def test_a_class_that_is_too_large_is_refused_with_its_size(make: Callable[[], object], size: int) -> None:
    with pytest.raises(BudgetExceeded, match=f"there are {size} laws") as caught:
        make()
    assert caught.value.estimate == size > caught.value.budget


def test_point_masses_and_coins() -> None:
    assert list(point_masses("abc")) == [point("a"), point("b"), point("c")]
    assert point_masses([1, "1"]).names == ("1", "'1'")
    assert list(bernoulli_grid(2)) == [point(0), uniform([0, 1]), point(1)]


def test_products_are_laws_on_tuples_of_independent_values() -> None:
    made = products(COINS, bernoulli_grid(2), COINS)
    assert len(made) == 12
    assert made.domain == tuple(product("ab", (0, 1), "ab"))
    law = made.law("fair x 1/2 x biased")
    assert law["a", 1, "b"] == Fraction(1, 2) * Fraction(1, 2) * Fraction(7, 10)
    assert law == FAIR.product(uniform([0, 1]), BIASED)
    assert list(products(COINS)[0].support()) == [("a",), ("b",)]


def test_binomials_are_sums_of_coins() -> None:
    made = binomials(12, ["1/3", "0.3377", 0, 1])
    coin = Law({0: "2/3", 1: "1/3"})
    total = point(0)
    for _ in range(12):
        total = total.convolve(coin)
    assert made.law("1/3") == total
    assert made.law("3377/10000")[12] == Fraction(3377, 10000) ** 12
    assert (made.law("0"), made.law("1")) == (point(0), point(12))


@pytest.mark.parametrize(("low", "high", "shift"), [(0, 3, 0), (-2, 2, 1), (2, 5, 0), (0, 1, -4), (3, 3, 0)])
@pytest.mark.parametrize("law", [geometric(2), discrete_laplace(2), uniform(range(-1, 4))], ids=["one", "two", "none"])
def test_clamping_moves_the_tails_to_the_ends(law: Law, low: int, high: int, shift: int) -> None:
    found = clamped(law, low, high, shift)
    assert all(found[k] == law[k - shift] for k in range(low + 1, high))
    if low < high:
        assert found[high] == law.tail(high - shift)
        assert found[low] + law.tail(low + 1 - shift) == 1


def test_clamped_laws_have_their_exponential_masses() -> None:
    t = exp("-1/2")
    made = clamped_geometrics(0, 2, [2, "1"])
    assert [made.law("scale 2")[k] for k in range(3)] == [1 - t, t - t * t, t * t]
    two_sided = clamped_laplaces(0, 2, [2], [1]).law("centre 1, scale 2")
    assert [two_sided[k] for k in range(3)] == [t / (1 + t), (1 - t) / (1 + t), t / (1 + t)]
    assert clamped_geometrics(0, 1, [1 / Epsilon("ln(2)")])[0] == Law({0: "1/2", 1: "1/2"})


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: grid_class("ab", 0), "denominator"),
        (lambda: grid_class("aa", 2), "domain"),
        (lambda: bernoulli_grid(True), "denominator"),
        (lambda: binomials(0, ["1/2"]), "trials"),
        (lambda: binomials(2, ["3/2"]), "probabilities"),
        (lambda: binomials(2, FLOATS), "probabilities"),
        (lambda: binomials(2, ["1/2", "0.5"]), "probabilities"),
        (lambda: binomials(2, []), "laws"),
        (lambda: binomials(10**9, ["1/2"]), "trials"),
        (lambda: clamped_geometrics(2, 1, [1]), "high"),
        (lambda: clamped_geometrics(0, 1, [1, "1"]), "scales"),
        (lambda: clamped_laplaces(0, 1, [0]), "scale"),
        (lambda: clamped_laplaces(0, 1, [1], [1, 1]), "centres"),
        (lambda: clamped(uniform("ab"), 0, 1), "law"),
    ],
)
def test_a_wrong_parameter_is_named(make: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        make()
    assert caught.value.argument == argument


# -- class files --


def test_a_file_gives_the_laws_that_are_written_in_it(tmp_path: Path) -> None:
    path = tmp_path / "coins.json"
    path.write_text('{"domain": ["a", "b"], "laws": {"fair": {"a": "1/2", "b": 0.5}, "biased": {"a": 0.3, "b": 0.7}}}')
    made = read_class(path)
    assert (made.domain, made.laws, made.other) == (COINS.domain, COINS.laws, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"domain": ["a", "b", "c"], "grid": 4}', grid_class("abc", 4)),
        ('{"domain": ["a", 7], "points": true}', point_masses(["a", 7])),
        ('{"bernoulli": 3}', bernoulli_grid(3)),
        ('{"binomials": {"trials": 12, "probabilities": ["1/3", 0.3377, 1]}}', binomials(12, ["1/3", "0.3377", 1])),
        ('{"clamped_geometrics": {"low": 0, "high": 3, "scales": [1, 0.5]}}', clamped_geometrics(0, 3, [1, "1/2"])),
        (
            '{"clamped_laplaces": {"low": -1, "high": 3, "scales": ["1/2"], "centres": [0, 2]}}',
            clamped_laplaces(-1, 3, ["1/2"], [0, 2]),
        ),
        ('{"clamped_laplaces": {"low": 0, "high": 1, "scales": [1]}}', clamped_laplaces(0, 1, [1])),
    ],
)
def test_a_short_form_is_the_built_in_class(text: str, expected: LawClass) -> None:
    assert class_from_json(text) == expected


def test_a_decimal_is_read_as_it_is_written() -> None:
    made = class_from_json('{"domain": ["a", "b"], "laws": {"odd": {"a": 0.1, "b": 9e-1}}}')
    assert made[0] == Law({"a": "1/10", "b": "9/10"})


def test_an_integer_domain_is_matched_by_its_text_and_an_absent_outcome_has_mass_0() -> None:
    made = class_from_json({"domain": [0, -1, "x"], "laws": {"odd": {"-1": 1}}, "name": "signs", "other": 0})
    assert made[0] == point(-1)
    assert (made.name, made.other, made.placed("?")) == ("signs", 0, 0)


GOOD = '"domain": ["a", "b"], '
BAD: dict[str, tuple[str, str]] = {
    "no JSON": ('{"domain": ["a",\n "b" "c"]}', r"""content: got '"b" "c"]}' .* JSON; at line 2, column 6: """),
    "a list": ("[1, 2]", r"content: got \[1, 2\] .* an object such as"),
    "nothing": ("", "content: got '' .* JSON; at line 1, column 1"),
    "nested": ("[" * 100_000, "content: got .* JSON without deep nesting"),
    "a misspelt key": ('{"domian": ["a"], "grid": 2}', "key: got 'domian' .* did you mean \"domain\"?"),
    "a foreign key": ('{"domain": ["a"], "zebra": 2}', 'key: got \'zebra\' .* one of "domain", "laws", "grid"'),
    "no domain": ('{"laws": {"x": {"a": 1}}}', 'keys: got .* "domain" beside "laws"'),
    "no laws": ('{"domain": ["a"]}', 'keys: got .* exactly one of "laws", "grid", "points"'),
    "two forms": ('{"domain": ["a"], "grid": 2, "points": true}', "keys: got .* exactly one of"),
    "an empty class": ("{" + GOOD + '"laws": {}}', '"laws": got {} .* at least one law'),
    "a list of laws": ("{" + GOOD + '"laws": [1]}', '"laws": got .* at least one law'),
    "a law that is a number": ("{" + GOOD + '"laws": {"x": 1}}', "law 'x': got 1 .* an object of masses"),
    "a sum that is not 1": (
        "{" + GOOD + '"laws": {"ok": {"a": 1}, "x": {"a": 0.3, "b": 0.6}}}',
        "sum of the masses of law 'x': got 9/10; expected exactly 1",
    ),
    "no masses": ("{" + GOOD + '"laws": {"x": {}}}', "sum of the masses of law 'x': got 0; expected exactly 1"),
    "an outcome elsewhere": (
        "{" + GOOD + '"laws": {"x": {"a": 0.5, "c": 0.5}}}',
        "outcome of law 'x': got 'c' .* a value of the domain: a, b",
    ),
    "a mass that is no number": ("{" + GOOD + '"laws": {"x": {"a": "half"}}}', "mass of 'a' in law 'x': got 'half'"),
    "a mass of null": ("{" + GOOD + '"laws": {"x": {"a": null}}}', "mass of 'a' in law 'x': got None"),
    "a truth value": ("{" + GOOD + '"laws": {"x": {"a": true}}}', "mass of 'a' in law 'x': got True"),
    "a negative mass": (
        "{" + GOOD + '"laws": {"x": {"a": -0.5, "b": 1.5}}}',
        "mass of 'a' in law 'x': got -1/2; expected a number of at least 0",
    ),
    "infinity": ("{" + GOOD + '"laws": {"x": {"a": Infinity}}}', "number: got 'Infinity'"),
    "a huge integer": ("{" + GOOD + '"laws": {"x": {"a": ' + "9" * 9999 + "}}}", "number: got .* at most 2000 digits"),
    "a huge exponent": ("{" + GOOD + '"laws": {"x": {"a": 1e999999999}}}', "mass of 'a' in law 'x': got '1e999999999'"),
    "a key twice": ("{" + GOOD + '"laws": {"x": {"a": 0.5, "a": 0.5}}}', "key: got 'a' .* each key of an object once"),
    "a value twice": ('{"domain": ["a", "a"], "grid": 2}', "value of the domain: got 'a' .* each value once"),
    "an integer beside its text": ('{"domain": [1, "1"], "grid": 2}', "value of the domain: got '1'"),
    "a value that is a decimal": (
        '{"domain": [0.5], "grid": 2}',
        "value of the domain: got '0.5' .* text or an integer",
    ),
    "a value that is a truth value": ('{"domain": [true], "grid": 2}', "value of the domain: got True"),
    "no value": ('{"domain": [], "grid": 2}', r'"domain": got \[\] .* at least one value'),
    "a domain that is text": ('{"domain": "ab", "grid": 2}', "\"domain\": got 'ab' .* a list"),
    "a grid of 0": ("{" + GOOD + '"grid": 0}', '"grid": got 0 .* an integer of at least 1'),
    "a grid of text": ("{" + GOOD + '"grid": "4"}', "\"grid\": got '4' .* an integer of at least 1"),
    "no points": ("{" + GOOD + '"points": false}', '"points": got False .* true'),
    "a domain of binomials": ("{" + GOOD + '"binomials": {}}', '"domain": got .* no domain beside "binomials"'),
    "no probabilities": ('{"binomials": {"trials": 2}}', r'keys of "binomials": got .* also "probabilities"'),
    "binomials of a number": ('{"binomials": 2}', '"binomials": got 2 .* an object with the keys "trials"'),
    "a misspelt part": (
        '{"binomials": {"trails": 2, "probabilities": [1]}}',
        'key of "binomials": got \'trails\' .* did you mean "trials"?',
    ),
    "a probability above 1": ('{"binomials": {"trials": 2, "probabilities": [1.5]}}', "\"probabilities\": got '3/2'"),
    "one probability": ('{"binomials": {"trials": 2, "probabilities": 1}}', '"probabilities": got 1 .* a list'),
    "ends in disorder": (
        '{"clamped_geometrics": {"low": 3, "high": 1, "scales": [1]}}',
        '"high": got 1 .* at least "low", which is 3',
    ),
    "a scale of 0": ('{"clamped_geometrics": {"low": 0, "high": 1, "scales": [0]}}', '"scale": got .*positive'),
    "another symbol": ("{" + GOOD + '"grid": 1, "other": "c"}', "\"other\": got 'c' .* a value of the domain: a, b"),
    "a name that is a number": ("{" + GOOD + '"grid": 1, "name": 7}', '"name": got 7 .* text'),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_a_mistake_in_a_class_file_is_one_line_that_begins_with_the_source(text: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^coins.json: {message}") as caught:
        class_from_json(text, "coins.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [7, None, ["a"]])
def test_what_is_no_object_is_refused(source: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"class: content: got .* an object such as"):
        class_from_json(source)


def test_a_mark_at_the_beginning_of_a_file_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "marked.json").write_text('{"bernoulli": 2}', encoding="utf-8-sig")
    assert read_class(tmp_path / "marked.json") == bernoulli_grid(2)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"class file: got .*none\.json.* No such file or directory"):
        read_class(tmp_path / "none.json")
    with pytest.raises(InvalidArgument, match=r"class file: got .* a file that can be read"):
        read_class(tmp_path)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(InvalidArgument, match=r"class file: got .*bytes\.json.* a JSON file in UTF-8"):
        read_class(tmp_path / "bytes.json")
