"""The certificate checker accepts what is right, and no change to a certificate gives another verdict."""

import copy
import importlib.util
import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
CHECKER = HERE.parents[1] / "verify" / "checker.py"
Certificate = dict[str, Any]


def load(path: Path) -> ModuleType:
    """A file as a module, without the package."""
    spec = importlib.util.spec_from_file_location(f"standalone_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


checker, maker = load(CHECKER), load(HERE / "maker.py")
GOOD: dict[str, Certificate] = maker.all_good()


def verdict(certificate: Certificate) -> str | None:
    """The verdict, or None if the certificate is rejected."""
    try:
        return str(checker.check(certificate).verdict)
    except checker.Rejected as error:
        return None if "internal" not in str(error) and "\n" not in str(error) else f"bad message: {error}"


def mutant(name: str) -> Certificate:
    return copy.deepcopy(GOOD[name])


@pytest.mark.parametrize("name", GOOD)
def test_a_right_certificate_is_accepted_with_its_verdict(name: str) -> None:
    assert verdict(GOOD[name]) == GOOD[name]["verdict"]


@pytest.mark.parametrize("name", GOOD)
def test_the_independent_evaluation_agrees_and_can_say_no(name: str) -> None:
    assert maker.is_true(GOOD[name])
    c = mutant(name)
    add_a_little(c["delta_at_epsilon"])
    assert not maker.is_true(c)


def test_both_verdicts_and_an_infinite_epsilon_star_occur() -> None:
    assert {c["verdict"] for c in GOOD.values()} == {"holds", "refuted"}
    assert any(c["exp_epsilon_star"] == "inf" for c in GOOD.values())


# ---- Every class of mutation.  Each function changes a certificate in place.


def add_a_little(number: dict[str, list[int]], sign: int = 1) -> None:
    """Add 10^-30: no double would see it."""
    den = number["den"]
    size = max(len(den), len(number["num"]))
    num = [10**30 * c for c in number["num"] + [0] * (size - len(number["num"]))]
    number["num"] = [c + sign * d for c, d in zip(num, den + [0] * (size - len(den)), strict=True)]
    number["den"] = [10**30 * d for d in den]


def put(path: str, value: Any) -> Callable[[Certificate], None]:
    """Put a value at a path like "laws.0.den.0"."""

    def change(certificate: Certificate) -> None:
        *inner, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = certificate
        for step in inner:
            place = place[step]
        place[last] = value

    return change


def move_mass(c: Certificate) -> None:
    """Law 0 moves a 10^-12 of its denominator from one outcome to another: all masses still sum to 1."""
    law = c["laws"][0]
    law["den"] = [10**12 * d for d in law["den"]]
    for entry in law["masses"]:
        entry[1] = [10**12 * m for m in entry[1]]
    for (_, masses), sign in zip(law["masses"][:2], (1, -1), strict=False):
        masses[0:1] = [(masses[0] if masses else 0) + sign]


def remove_dataset(c: Certificate) -> None:
    """The last dataset and its pairs; the laws and the witness may stay as they are."""
    c["datasets"].pop()
    c["pairs"] = [edge for edge in c["pairs"] if max(edge) < len(c["datasets"])]


MUTATIONS: dict[str, Callable[[Certificate], Any]] = {
    "a mass is changed": lambda c: c["laws"][0]["masses"][0][1].append(1),
    "mass is moved within a law": move_mass,
    "a mass is negative": lambda c: c["laws"][0]["masses"].__setitem__(
        slice(None), [[0, [-1]], [1, [1, *c["laws"][0]["den"][1:]]]]
    ),
    "a mass is missing": lambda c: c["laws"][0]["masses"].pop(),
    "a mass is listed twice": lambda c: c["laws"][0]["masses"].append(c["laws"][0]["masses"][0]),
    "a denominator is negative": lambda c: c["laws"][0].update(
        den=[-d for d in c["laws"][0]["den"]],
        masses=[[y, [-m for m in f]] for y, f in c["laws"][0]["masses"]],
    ),
    "a denominator is zero": put("laws.0.den", [0]),
    "a denominator is empty": put("delta.den", []),
    "a law is unused": lambda c: c["laws"].append(c["laws"][0]),
    "an outcome is unused": lambda c: c["outcomes"].append({"value": "'never'"}),
    "an outcome has only mass 0": lambda c: (
        c["outcomes"].append({"value": "'never'"}),
        c["laws"][0]["masses"].append([len(c["outcomes"]) - 1, [0]]),
    ),
    "a dataset has another law": lambda c: c["datasets"][0].__setitem__(1, c["datasets"][-1][1]),
    "a dataset is removed": remove_dataset,
    "a dataset is doubled": lambda c: c["datasets"].append(c["datasets"][0]),
    "a record is out of range": lambda c: c["datasets"][-1][0].__setitem__(0, 9),
    "a record is negative": lambda c: c["datasets"][-1][0].__setitem__(0, -1),
    "n is larger": lambda c: c.update(n=c["n"] + 1),
    "n is negative": put("n", -1),
    "n is huge": put("n", 10**12),
    "the domain has one more record": lambda c: c["domain"].append("7"),
    "the domain has a record twice": lambda c: c["domain"].__setitem__(1, c["domain"][0]),
    "a pair is removed": lambda c: c["pairs"].pop(),
    "no pairs are left": put("pairs", []),
    "a pair is doubled": lambda c: c["pairs"].append(c["pairs"][0]),
    "a pair is turned round": lambda c: c["pairs"][0].reverse(),
    "a pair of a dataset with itself": lambda c: c["pairs"].append([0, 0]),
    "a pair is out of range": lambda c: c["pairs"].append([0, len(c["datasets"])]),
    "delta is 1": put("delta", {"num": [1], "den": [1]}),
    "delta is negative": put("delta", {"num": [-1], "den": [100]}),
    "the verdict is the other": lambda c: c.update(verdict="refuted" if c["verdict"] == "holds" else "holds"),
    "the verdict is unknown": put("verdict", "undecided"),
    "delta at epsilon is more": lambda c: add_a_little(c["delta_at_epsilon"]),
    "delta at epsilon is less": lambda c: add_a_little(c["delta_at_epsilon"], -1),
    "the witness has another p": lambda c: add_a_little(c["witness"]["p"]),
    "the witness has another q": lambda c: add_a_little(c["witness"]["q"]),
    "the witness is a pair of one": put("witness.pair", [0, 0]),
    "the witness is no pair": put("witness.pair", [0]),
    "the witness has an outcome twice": lambda c: c["witness"]["event"].extend([0, 0]),
    "the witness has an unknown outcome": lambda c: c["witness"]["event"].append(10**6),
    "an outcome is listed twice": lambda c: c["outcomes"].__setitem__(1, c["outcomes"][0]),
    "the unit is a perfect power": put("base.unit", "4"),
    "the unit is a perfect power of a fraction": put("base.unit", "27/8"),
    "the unit is below 1": put("base.unit", "1/3"),
    "the rate is 0": put("base.rate", "0"),
    "the rate is negative": put("base.rate", "-1"),
    "the rate is no rational": put("base.rate", "0.5"),
    "the rate is a number": put("base.rate", 1),
    "epsilon is 0": put("epsilon", "0"),
    "epsilon is ln(1)": put("epsilon", "ln(1)"),
    "epsilon divides by 0": put("epsilon", "1/0"),
    "epsilon is larger": put("epsilon", "ln(7)"),
    "epsilon is huge": put("epsilon", "1000000000000"),
    "the multiple is 0": put("multiple", "0"),
    "the multiple is irrational in the field": put("multiple", "1/7"),
    "a key is missing": lambda c: c.pop("assumptions"),
    "a key is added": put("comment", ""),
    "a key is added below": put("base.comment", ""),
    "a float for an integer": put("n", 1.0),
    "a float coefficient": put("delta.num", [0.0]),
    "not a number": put("delta.num", [math.nan]),
    "infinity": put("delta.den", [math.inf]),
    "a boolean for an integer": lambda c: c["datasets"][-1][0].__setitem__(0, True),
    "a boolean coefficient": put("laws.0.den.0", True),
    "a boolean index": put("datasets.0.1", False),
    "null": put("mechanism", None),
    "a tuple": lambda c: c.update(pairs=tuple(c["pairs"])),
    "a string for a list": put("laws.0.masses", "01"),
    "an assumption is a number": put("assumptions", [1]),
    "a list for a string": put("neighbours", ["change-one"]),
    "another format": put("format", "exactdp-certificate-2"),
}  # fmt: skip
# These make a certificate of something else, which may be just as true: then with the same verdict.
OTHERWISE_TRUE = {"mass is moved within a law", "epsilon is larger"}


@pytest.mark.parametrize("change", MUTATIONS)
def test_a_changed_certificate_is_rejected(change: str) -> None:
    for name in GOOD:
        c = mutant(name)
        before = json.dumps(c)
        MUTATIONS[change](c)
        if json.dumps(c) == before and change != "a tuple":
            continue
        allowed = {None, GOOD[name]["verdict"]} if change in OTHERWISE_TRUE else {None}
        assert verdict(c) in allowed, name


@pytest.mark.parametrize("name", [name for name in GOOD if GOOD[name]["exp_epsilon_star"] != "inf"])
def test_epsilon_star_is_exact_in_both_directions(name: str) -> None:
    for sign in (1, -1):
        c = mutant(name)
        add_a_little(c["exp_epsilon_star"], sign)
        assert verdict(c) is None
    assert verdict(GOOD[name] | {"exp_epsilon_star": "inf"}) is None
    assert verdict(GOOD[name] | {"exp_epsilon_star": {"num": [1], "den": [2]}}) is None


@pytest.mark.parametrize("name", [name for name in GOOD if GOOD[name]["exp_epsilon_star"] == "inf"])
def test_an_infinite_epsilon_star_cannot_be_called_finite(name: str) -> None:
    for x in (1, 10, 10**100):
        assert verdict(GOOD[name] | {"exp_epsilon_star": {"num": [x], "den": [1]}}) is None


def test_a_claim_of_another_epsilon_is_rejected_where_delta_depends_on_it() -> None:
    c = mutant("geometric, refuted")
    assert c["delta_at_epsilon"]["num"] != [0]
    for epsilon in ("1/5", "3/10", "ln(2)"):
        assert verdict(c | {"epsilon": epsilon}) is None
    assert verdict(c | {"multiple": "2"}) is None


def test_another_number_for_the_same_value_is_accepted() -> None:
    c = mutant("response sqrt(3)")  # t^2 = 1/3
    c["exp_epsilon_star"] = {"num": [0, 3], "den": [1]}
    assert verdict(c) == "holds"
    c["exp_epsilon_star"] = {"num": [0, 0, 0, 9], "den": [1]}
    assert verdict(c) == "holds"
    c["exp_epsilon_star"] = {"num": [0, 0, 9], "den": [1]}
    assert verdict(c) is None


def test_numbers_beyond_the_digit_limit_of_python_are_read(tmp_path: Path) -> None:
    c, huge = mutant("response"), "1" + "0" * 6000
    text = json.dumps(c | {"delta": {"num": [0], "den": [7]}}).replace('"den": [7]', f'"den": [{huge}]')
    (tmp_path / "c.json").write_text(text)
    limit = sys.get_int_max_str_digits()
    assert checker.main([str(tmp_path / "c.json")]) == 0
    assert sys.get_int_max_str_digits() == limit


# ---- Cells.


def cells(*changes: tuple[int, dict[str, Any]]) -> str | None:
    c = mutant("geometric")  # outcomes: ..0, 1, 2..
    for index, outcome in changes:
        c["outcomes"][index] = outcome
    return verdict(c)


def cell(template: str, *box: list[int | None], shape: tuple[Any, ...] = ("1",)) -> dict[str, Any]:
    return {"template": template, "box": list(box), "shape": list(shape)}


def test_cells_that_are_disjoint_are_accepted() -> None:
    assert cells((2, cell("('noisy', #)", [2, None]))) == "holds"
    assert cells((2, cell("('noisy', #)", [2, 9], shape=("-7",)))) == "holds"
    assert cells((2, cell("('noisy', #, 5)", [0, None]))) == "holds"
    assert cells((2, cell("(#, #)", [0, 0], [None, 9], shape=("0", "-1/2")))) == "holds"
    assert cells((1, {"value": "('noisy', -0)"})) == "holds"
    assert cells((1, {"value": "('noisy', 7.5)"})) == "holds"


@pytest.mark.parametrize(
    "other",
    [
        cell("('noisy', #)", [0, None]),
        cell("('noisy', #)", [1, 1]),
        cell("('noisy', #)", [1, None]),
        {"value": "('noisy', 1)"},
        {"value": "('noisy', 0)"},
        {"value": "('noisy', -123456789)"},
    ],
)
def test_cells_that_overlap_a_cell_or_a_value_are_rejected(other: dict[str, Any]) -> None:
    assert cells((2, other)) is None


def test_cells_of_different_templates_that_share_an_outcome_are_rejected() -> None:
    assert cells((0, cell("(1, #)", [0, None])), (2, cell("(#, 1)", [0, None]))) is None
    assert cells((0, cell("(1, #)", [2, None])), (2, cell("(#, 1)", [2, None]))) == "holds"


@pytest.mark.parametrize(
    "wrong",
    [
        cell("('noisy', #)", [2, None], shape=("-1",)),
        cell("('noisy', #)", [2, None], shape=("0",)),
        cell("('noisy', #)", [2, None], shape=(1,)),
        cell("('noisy', #)", [2, None], shape=()),
        cell("('noisy', #)", [None, None]),
        cell("('noisy', #)", [3, 2]),
        cell("('noisy', #)", [2, None], [2, None], shape=("1", "1")),
        cell("('noisy', #)", [True, None]),
        cell("('noisy', -#)", [2, None]),
        cell("('noisy', 1#)", [2, None]),
        cell("('noisy', #.5)", [2, None]),
        cell("##", [2, None], [2, None], shape=("1", "1")),
        cell("('noisy', 5)"),
        {"template": "('noisy', #)", "box": [[2, None]]},
    ],
)
def test_a_wrong_cell_is_rejected(wrong: dict[str, Any]) -> None:
    assert cells((2, wrong)) is None


# ---- The parts on their own.


@pytest.mark.parametrize("rate", ["1/1000", "1/3", "1", "7/2", "40", "300"])
@pytest.mark.parametrize("p", [8, 64, 500])
def test_the_enclosure_of_the_exponential_holds_and_shrinks(rate: str, p: int) -> None:
    low, high = checker.exp_minus(Fraction(rate), p)
    exact = maker.exactly(lambda: {"t": Fraction(maker.t_value.__wrapped__("1", rate))})()["t"]
    assert low - Fraction(1, 10**40) <= exact * 2**p <= high + Fraction(1, 10**40)
    assert high - low <= 200 * (Fraction(rate) + 1) * 8


def test_roots_and_perfect_powers_are_exact() -> None:
    for value in [*range(1, 300), 10**40, 10**40 - 1, 2**200 + 1]:
        for k in (1, 2, 3, 7, 40):
            r = checker.root(value, k)
            assert r**k <= value < (r + 1) ** k
    assert checker.primitive(Fraction(64)) == (2, 6)
    assert checker.primitive(Fraction(27, 8)) == (Fraction(3, 2), 3)
    assert checker.primitive(Fraction(9, 2)) == (Fraction(9, 2), 1)


@pytest.mark.parametrize(("unit", "rate"), [("1", "1/3"), ("3", "1"), ("3/2", "2/3"), ("6", "5/4")])
def test_signs_of_polynomials_agree_with_250_digits(unit: str, rate: str) -> None:
    generator = random.Random(7)
    field = checker.Field(Fraction(unit), Fraction(rate), 256)
    t = maker.exactly(lambda: {"t": maker.t_value.__wrapped__(unit, rate)})()["t"]

    def value(poly: list[int]) -> Fraction:
        return sum((c * Fraction(t) ** k for k, c in enumerate(poly)), Fraction(0))

    for _ in range(200):
        one, two = ([generator.randint(0, 3) for _ in range(generator.randint(1, 9))] for _ in range(2))
        low, high = (bound / Fraction(2**256) for bound in field.bounds([a - 2 for a in one]))
        assert low - Fraction(1, 10**100) <= value([a - 2 for a in one]) <= high + Fraction(1, 10**100)
        assert high - low < Fraction(1, 10**70)
        difference = value(one) - value(two)
        expected = 0 if abs(difference) < Fraction(1, 10**100) else 1 if difference > 0 else -1
        assert field.compare(field.number(one, [1], "one"), field.number(two, [1], "two")) == expected


def test_zero_is_seen_modulo_the_relation_of_t_and_only_there() -> None:
    cases = [("3", "1", [-1, 3]), ("3/2", "2/3", [-4, 0, 0, 9]), ("6", "5/4", [-1, 0, 0, 0, 6**5])]
    for unit, rate, relation in cases:
        field = checker.Field(Fraction(unit), Fraction(rate), 256)
        for factor in ([1], [0, 0, 7], [5, -3, 0, 2, 0, 0, 1]):
            product = list(maker.times(tuple(relation), tuple(factor)))
            for poly, zero in ((product, True), ([product[0] + 1, *product[1:]], False)):
                packed = sum(c << 256 * i for i, c in enumerate(poly))
                assert field.vanishes(packed, sum(map(abs, poly))) is zero
    with pytest.raises(checker.Close):
        checker.Field(Fraction(3), Fraction(1), 8).vanishes(0, 128)


# ---- Random changes: rejected, or accepted with the verdict that was right before.


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, (dict, list)) and value:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def mutate(c: Certificate, generator: random.Random) -> tuple[Any, ...]:
    """Change, drop or double one place."""
    path = generator.choice([p for p in leaves(c) if p[0] != "mechanism"])
    path = path[: generator.randint(1, len(path))]
    place: Any = c
    for step in path[:-1]:
        place = place[step]
    old, key = place[path[-1]], path[-1]
    if isinstance(place, list) and generator.random() < 0.3:
        place.insert(key, copy.deepcopy(old)) if generator.random() < 0.5 else place.pop(key)
    elif type(old) is int:
        place[key] = generator.choice([old + 1, old - 1, -old, 0, 10**40, float(old), bool(old), math.nan, None])
    elif isinstance(old, str):
        place[key] = generator.choice(["1", "2", "1/2", "ln(3)", "holds", "refuted", "add-remove", "inf", old + "0"])
    elif isinstance(place, dict):
        place[key] = generator.choice([None, [], {}, 1, True])
    return path


def test_two_hundred_random_changes_give_no_other_verdict() -> None:
    accepted = []
    for seed in range(200):
        generator = random.Random(seed)
        name = generator.choice(sorted(GOOD))
        c = mutant(name)
        path = mutate(c, generator)
        result = verdict(c)
        if result is not None and c != GOOD[name]:
            assert result == GOOD[name]["verdict"], (seed, name, path)
            assert maker.is_true(c), (seed, name, path)
            accepted.append(path)
    assert 0 < len(accepted) < 60  # names of outcomes and records, other true claims, other ways to write a number


# ---- As a program.


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-I", str(CHECKER), *arguments], capture_output=True, text=True, check=False)


def test_the_program_accepts_rejects_and_refuses(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(GOOD["geometric, delta"] | {"assumptions": ["records are bits\naccepted"]}))
    result = run(str(path))
    assert result.returncode == 0
    for line in (
        "accepted", "verdict: holds", "delta at epsilon: 0", "e^epsilon* at delta: 2.71456354663",
        "compared: 4 datasets, 8 ordered pairs", 'assumption: "records are bits\\naccepted"',
    ):  # fmt: skip
        assert line in result.stdout.splitlines()
    assert "not checked" in result.stdout

    path.write_text(json.dumps(GOOD["response"] | {"verdict": "refuted"}))
    result = run(str(path))
    assert (result.returncode, result.stderr) == (1, "rejected: verdict: it is 'holds'\n")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 2),
        ("[]", 2),
        ("{}", 2),
        ("[" * 100_000, 2),
        ('{"format": "exactdp-certificate-0"}', 2),
        ('{"format": "exactdp-certificate-1"}', 1),
        ('{"format": "exactdp-certificate-1", "format": "exactdp-certificate-1"}', 1),
        ("\ufeff{}", 2),
    ],
)
def test_what_is_no_certificate_has_its_exit_code(tmp_path: Path, text: str, code: int) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, "utf-8")
    assert checker.main([str(path)]) == code


def test_usage_and_missing_files_exit_with_2(tmp_path: Path) -> None:
    assert checker.main([]) == checker.main(["a", "b"]) == checker.main([str(tmp_path / "none")]) == 2
    assert checker.main([str(tmp_path)]) == 2


def test_a_doubled_key_deep_inside_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(GOOD["response"]).replace('"unit": "1"', '"unit": "1", "unit": "1"'))
    assert checker.main([str(path)]) == 1


def test_an_own_relation_is_taken_as_listed_and_said_to_be(tmp_path: Path) -> None:
    c = mutant("geometric")
    c["neighbours"] = "mine"
    c["pairs"].pop()
    report = checker.check(c)
    assert any("an own relation" in line for line in report.lines)
    c["pairs"] = []
    assert verdict(c) is None


def test_the_checker_imports_nothing_but_the_standard_library() -> None:
    modules = [
        line.split()[1].split(".")[0]
        for line in CHECKER.read_text().splitlines()
        if line.startswith(("import ", "from "))
    ]
    assert len(modules) > 5
    assert set(modules) <= sys.stdlib_module_names


def test_a_large_certificate_takes_seconds(tmp_path: Path) -> None:
    c = maker.big()
    path = tmp_path / "c.json"
    path.write_text(json.dumps(c))
    start = time.process_time()
    report = checker.check(path)
    assert report.verdict == "holds"
    assert "compared: 243 datasets, 16564 ordered pairs" in report.lines
    assert time.process_time() - start < 30
