"""`exactdp sample` and `exactdp learn` on real data: what they print, write and release, and how often."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from exactdp.reference.class_files import class_from_json
from exactdp.reference.classes import binomials
from exactdp.reference.learned_law import agnostic_law, black_box_law, boosted_law_of
from exactdp.reference.sampler_law import sampler_law
from exactdp.reference.sampling import Sampling
from exactdp.spec.enclosure import decimal
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.verify import learn_cli
from exactdp.verify.cli import main
from exactdp.verify.guarantee import Plan
from exactdp.verify.learn import Settings, answer, plan_of
from exactdp.verify.learn_cli import LEARN, SAMPLE
from exactdp.verify.records import read_records


def words(line: str) -> list[str]:
    return line.split()


DICE = words("learn examples/weldon_dice.csv --column successes --class examples/dice.json --algorithm black-box")
CHOSEN = words("--alpha 1/20 --beta 1/1000 --epsilon 1 --delta 1e-6 --blocks 200 --block-size 131 --length 1000")
FACES = ["learn", "examples/weldon_dice.csv", "--column", "successes", "--class", "examples/faces.json"]
PAPER = words("--algorithm black-box --alpha 1/10 --beta 1/10 --epsilon 1/2 --delta 1e-5 --paper")
SEX = words("sample examples/penguins.csv --column sex --class examples/sex.json --epsilon 1 --delta 1/1000")
SIZES = words("--release optimal --blocks 43 --block-size 8 --length 10")
SEEDED = ["--seed", "a test"]
RUNS, UNLIKELY = 1000, 1e-4

ADELIE = class_from_json(
    {
        "domain": ["Adelie", "other"],
        "other": "other",
        "laws": {"many": {"Adelie": "3/5", "other": "2/5"}, "few": {"Adelie": "1/10", "other": "9/10"}},
    }
)


@pytest.fixture(autouse=True)
def _in_the_folder_of_the_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def result(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


# -- the worked examples ----------------------------------------------------------------------------------------------


def test_weldons_dice_are_learnt_with_a_computed_guarantee(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*DICE, *CHOSEN]) == 0
    out = capsys.readouterr().out
    before, _, after = out.partition("\n\n")
    assert "26306 records, of which 26200 are used" in before
    assert "(1, 1e-6)-differentially private for one changed record" in before
    assert "exact delta of the release at epsilon: 6.078962035e-7 = e^-14/(1 + e^-1)" in before
    assert re.search(r"1/3 +at most 0\.000109 \(certified bound\)", before)
    assert "at most 0.001 for every law, as asked" in before
    assert after.startswith("estimate   1/3\n")
    assert "4   0.2384460363 = 14080/59049" in after
    assert "NOT" not in out


def test_weldons_dice_are_learnt_at_the_theorems_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, picture = tmp_path / "faces.json", tmp_path / "faces.png"
    assert main([*FACES, *PAPER, "--json", str(target), "--plot", str(picture)]) == 0
    assert "473 blocks of 10 records, samples of 13 (Theorem 5.1)" in capsys.readouterr().out
    found = result(target)
    assert (found["verdict"], found["private"], found["answered"]) == ("holds", True, True)
    assert found["records"] == {"given": 26306, "used": 4730}
    assert found["estimate"]["name"] == "1/3"
    masses = {one["value"]: Fraction(one["exact"]) for one in found["estimate"]["masses"]}
    law = binomials(12, ["1/3"]).law("1/3")
    assert masses == {k: law[k] for k in range(13)}
    assert all(claim["relation"] == "<=" and set(claim["lhs"]) == {"exact", "decimal"} for claim in found["claims"])
    assert [one["law"] for one in found["accuracy"]] == ["1/6", "1/3", "1/2"]
    assert all(Fraction(one["high"]["exact"]) <= Fraction(1, 10) for one in found["accuracy"])
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("algorithm", "sizes"),
    [
        ("boosted", "--blocks 100 --block-size 29 --length 30 --repetitions 9"),
        ("agnostic", "--blocks 140 --block-size 12 --repetitions 15"),
    ],
)
def test_the_other_algorithms_learn_weldons_dice_too(
    algorithm: str, sizes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    accuracy = words("--alpha 1/10 --beta 1/10 --epsilon 1 --delta 1e-6")
    assert main([*FACES, "--algorithm", algorithm, *accuracy, *words(sizes), *SEEDED]) == 0
    out = capsys.readouterr().out
    assert "at most 0.1 for every law, as asked" in out
    assert "estimate   1/3" in out


@pytest.mark.parametrize("learner", ["ml", "mde"])
def test_the_theorems_sampler_runs_on_weldons_dice(learner: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["sample", *FACES[1:], "--epsilon", "1/2", "--delta", "1e-5", "--paper", "--beta", "1/10"]
    assert main([*given, "--length", "2", "--learner", learner]) == 0
    out = capsys.readouterr().out
    assert "(Corollary B.7)" in out
    assert "at most 3/40 for every law, as asked" in out
    sample = re.search(r"^sample +(\d+), (\d+)$", out, re.MULTILINE)
    assert sample is not None
    assert all(int(word) <= 12 for word in sample.groups())


def test_values_outside_the_domain_are_mapped_to_the_declared_symbol(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "sex.json"
    assert main([*SEX, *SIZES, *SEEDED, "--json", str(target)]) == 0
    assert "344 records, of which 344 are used" in capsys.readouterr().out
    sample = result(target)["sample"]
    assert len(sample) == 10
    assert set(sample) <= {"female", "male", "unknown"}


def test_the_most_frequent_species_is_a_private_sample_of_point_masses(capsys: pytest.CaptureFixture[str]) -> None:
    """Adelie leads by 28, and at this epsilon and delta a lead of 27 is always told: this run is certain."""
    given = words("sample examples/penguins.csv --column species --class examples/species.json --epsilon 1")
    sizes = words("--delta 1/1000 --learner first-record --release optimal --blocks 344 --block-size 1")
    assert main([*given, *sizes]) == 0
    out = capsys.readouterr().out
    assert out.count("  0 (from the exact law)") == 3
    assert out.endswith("sample     Adelie\n")


def test_the_examples_in_the_help_and_in_the_folder_of_examples_run(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = [SAMPLE, LEARN, (root / "examples" / "README.md").read_text("utf-8")]
    lines = "\n".join(pages).replace("\\\n", " ").splitlines()
    commands = list(
        dict.fromkeys(" ".join(m[1].split()) for line in lines if (m := re.match(r"(?:  \$ )?(exactdp .*)", line)))
    )
    assert len(commands) >= 5
    assert {command: main([*shlex.split(command)[1:], *SEEDED]) for command in commands} == dict.fromkeys(commands, 0)
    assert capsys.readouterr().err == ""


# -- what comes first, and what is said -------------------------------------------------------------------------------


def test_the_guarantee_is_printed_before_anything_is_released(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed: list[str] = []

    def interrupted(plan: Plan, records: Sequence[Hashable], draw: Callable[[Law], object]) -> object:
        printed.append(capsys.readouterr().out)
        raise KeyboardInterrupt

    monkeypatch.setattr(learn_cli, "answer", interrupted)
    assert main([*DICE, *CHOSEN]) == 130
    assert "as asked" in printed[0]
    assert capsys.readouterr().out == ""


def test_a_seed_is_called_not_private_and_makes_the_run_repeatable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outs = []
    for name in ("one.json", "two.json"):
        assert main([*SEX, *SIZES, *SEEDED, "--json", str(tmp_path / name)]) == 0
        outs.append(capsys.readouterr().out)
        assert result(tmp_path / name)["private"] is False
    assert outs[0] == outs[1]
    assert "NOT PRIVATE: --seed" in outs[0]


def test_a_beta_that_is_not_reached_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "dice.json"
    assert main([*DICE, *CHOSEN[:-2], "--length", "300", "--json", str(target)]) == 0
    assert "NOT shown to be at most 0.001 for 5 of 5 laws" in capsys.readouterr().out
    assert result(target)["verdict"] == "undecided"


def test_an_exact_failure_probability_is_called_exact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "sex.json"
    given = ["learn", *SEX[1:], "--algorithm", "black-box", "--alpha", "1/4", "--beta", "1/2", *SIZES[:-1], "3"]
    assert main([*given, *SEEDED, "--json", str(target)]) == 0
    exact = re.findall(r"(\S+) \(from the exact law\)", capsys.readouterr().out)
    found = result(target)["accuracy"]
    assert len(exact) == 3
    assert [one["source"] for one in found] == ["exact"] * 3
    for one, shown in zip(found, exact, strict=True):
        low, high = (Fraction(one[end]["exact"]) for end in ("low", "high"))
        assert 0 < high - low <= Fraction(2, 10**12)
        assert abs(Fraction(shown) - low) <= high * Fraction(1, 10**5)


def test_a_learner_that_declines_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "even.csv"
    data.write_text("species\n" + "Adelie\nGentoo\n" * 50)
    target = tmp_path / "declined.json"
    given = words("--column species --class examples/species.json --epsilon 1/10 --delta 1e-9 --learner first-record")
    assert main(["sample", str(data), *given, "--blocks", "100", "--block-size", "1", "--json", str(target)]) == 3
    assert capsys.readouterr().out.endswith("say anything privately\n")
    assert result(target)["answered"] is False
    assert "sample" not in result(target)


def test_a_default_stands_for_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "even.csv"
    data.write_text("species\n" + "Adelie\nGentoo\n" * 50)
    given = words("--column species --class examples/species.json --epsilon 1/10 --delta 1e-9 --learner first-record")
    sizes = words("--blocks 100 --block-size 1 --length 2 --default Chinstrap,Gentoo")
    assert main(["sample", str(data), *given, *sizes]) == 0
    assert capsys.readouterr().out.endswith("sample     Chinstrap, Gentoo\n")


def test_an_empirical_estimate_is_no_law_of_the_class(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["learn", *SEX[1:], "--algorithm", "black-box", "--alpha", "1/4", "--beta", "1/2", "--learner", "empirical"]
    sizes = words("--blocks 2 --block-size 5 --length 3 --default female,male,male")
    assert main([*given, *sizes, *SEEDED]) == 0
    out = capsys.readouterr().out
    assert "estimate   a law outside the class" in out
    assert "male     0.6666666667 = 2/3" in out


# -- a thousand runs against the exact law ----------------------------------------------------------------------------


def agree(law: Law, plan: Plan, records: Sequence[Hashable]) -> None:
    """A thousand answers are as frequent as the exact law says, by exact binomial tests."""
    draw = Sampling.seeded("a thousand runs")
    counts = Counter(answer(plan, records, draw) for _ in range(RUNS))
    assert set(counts) <= set(law.atoms)
    values = {y: binomtest(counts[y], RUNS, float(decimal(law[y], 17))).pvalue for y in law.atoms}
    assert min(values.values()) > UNLIKELY, values


@pytest.fixture(scope="module")
def species(root: Path) -> list[Hashable]:
    """All 344 penguins: Adelie or another."""
    return read_records(root / "examples" / "penguins.csv", "species", ADELIE)


def test_the_samplers_answers_are_as_frequent_as_its_exact_law_says(species: list[Hashable]) -> None:
    plan = plan_of(Settings("sampler", "1/3", "1/1000", blocks=43, block_size=8, length=2), ADELIE)
    L = plan.method.learner
    law = sampler_law(Counter(species), learner=L, blocks=43, block_size=8, mode=plan.mode, length=2)
    assert len(law) == 5
    agree(law, plan, species)


def test_the_black_box_answers_are_as_frequent_as_its_exact_law_says(species: list[Hashable]) -> None:
    plan = plan_of(Settings("black-box", "1/3", "1/1000", "1/4", "1/10", blocks=43, block_size=8, length=1), ADELIE)
    L = plan.method.learner
    law = black_box_law(Counter(species), learner=L, final=L, blocks=43, block_size=8, mode=plan.mode)
    assert set(law.atoms) == {*ADELIE, BOTTOM}
    agree(law, plan, species)


def test_the_boosted_answers_are_as_frequent_as_their_exact_law_says(species: list[Hashable]) -> None:
    sizes: dict[str, Any] = {"blocks": 16, "block_size": 7, "length": 1}
    plan = plan_of(Settings("boosted", "1/3", "1/50", "1/4", "1/10", repetitions=3, **sizes), ADELIE)
    L = plan.method.learner
    parts = [Counter(species[112 * t : 112 * (t + 1)]) for t in range(3)]
    law = boosted_law_of([black_box_law(p, learner=L, final=L, mode=plan.mode, **sizes) for p in parts], alpha="1/4")
    assert set(law.atoms) == {*ADELIE, BOTTOM}
    agree(law, plan, species)


def test_the_agnostic_answers_are_as_frequent_as_their_exact_law_says(species: list[Hashable]) -> None:
    sizes: dict[str, Any] = {"blocks": 4, "block_size": 2}
    plan = plan_of(Settings("agnostic", "1", "1/10", "1/4", "1/10", repetitions=3, **sizes), ADELIE)
    L, few = plan.method.learner, species[144:168]
    law = agnostic_law(Counter(few), learner=L, final=L, runs=3, mode=plan.mode, **sizes)
    assert set(law.atoms) == set(ADELIE)
    agree(law, plan, few)
