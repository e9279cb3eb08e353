"""`exactdp sample` and `exactdp learn` on real data: what they print, write and release, and how often."""

import io
import json
import re
import shlex
import sys
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


def unreachable(*_: object) -> object:
    raise AssertionError("nothing may be read or released")


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
        dict.fromkeys(
            " ".join(m[1].split()) for line in lines if (m := re.match(r"(?:  \$ |\.venv/bin/)?(exactdp .*)", line))
        )
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


def test_a_seed_is_called_not_private_from_the_start_and_makes_the_run_repeatable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outs = []
    for name in ("one.json", "two.json"):
        assert main([*SEX, *SIZES, *SEEDED, "--json", str(tmp_path / name)]) == 0
        outs.append(capsys.readouterr().out)
        found = result(tmp_path / name)
        assert (found["private"], found["verdict"]) == (False, "undecided")
        assert found["reason"] == "--seed makes the randomness known, so the run is not private"
    assert outs[0] == outs[1]
    lines = outs[0].splitlines()
    assert [line for line in lines if line.startswith("privacy")] == [
        "privacy    NOT PRIVATE: --seed makes the randomness known; never use it on data that matter"
    ]
    assert "           without --seed: (1, 0.001)-differentially private for one changed record" in lines


def test_nothing_is_released_when_the_accuracy_that_was_asked_for_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(learn_cli, "answer", unreachable)
    target, picture = tmp_path / "dice.json", tmp_path / "dice.png"
    given = [*DICE, *CHOSEN[:-2], "--length", "300", "--json", str(target), "--plot", str(picture)]
    assert main(given) == 3
    out = capsys.readouterr().out
    assert "NOT shown to be at most 0.001 for 5 of 5 laws" in out
    assert out.splitlines()[-1].startswith(
        "nothing is released: the accuracy that was asked for is not shown; --anyway"
    )
    found = result(target)
    assert (found["verdict"], found["released"], found["answered"]) == ("undecided", False, False)
    assert "estimate" not in found
    assert not picture.exists()


def test_with_anyway_the_same_run_releases_all_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "dice.json"
    assert main([*DICE, *CHOSEN[:-2], "--length", "300", "--anyway", "--json", str(target)]) == 0
    out = capsys.readouterr().out
    assert "NOT shown to be at most 0.001 for 5 of 5 laws" in out
    assert "\nestimate   " in out
    found = result(target)
    assert (found["verdict"], found["released"], found["answered"]) == ("undecided", True, True)
    assert found["reason"] == "the accuracy that was asked for is not shown"


@pytest.mark.parametrize(("length", "code", "verdict"), [("1000", 0, "holds"), ("300", 3, "undecided")])
def test_a_dry_run_prints_the_same_guarantee_and_releases_nothing(
    length: str,
    code: int,
    verdict: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [*DICE, *CHOSEN[:-2], "--length", length]
    main([*given, "--anyway"])
    guarantee = capsys.readouterr().out.partition("\n\n")[0]
    for name in ("answer", "read_records"):
        monkeypatch.setattr(learn_cli, name, unreachable)
    target = tmp_path / "dry.json"
    assert main([*given, "--dry-run", "--json", str(target)]) == code
    out = capsys.readouterr().out
    assert out == guarantee + "\n\ndry run: nothing is released, and no epsilon or delta is spent\n"
    found = result(target)
    assert (found["verdict"], found["released"], found["answered"]) == (verdict, False, False)


def test_a_dry_run_of_a_sample_only_counts_the_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No cell is looked at: records outside the domain, which a run would refuse, make no difference."""
    data = tmp_path / "strange.csv"
    data.write_text("species\n" + "Emperor\n" * 9 + "\n")
    given = words("--column species --class examples/species.json --epsilon 1 --delta 1/10 --learner first-record")
    sizes = ["--blocks", "9", "--block-size", "1"]
    assert main(["sample", str(data), *given, *sizes, "--dry-run"]) == 0
    assert "9 records, of which 9 are used" in capsys.readouterr().out
    assert main(["sample", str(data), *given, *sizes]) == 2


# -- how sizes are chosen ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["learn", "sample"])
def test_the_help_says_what_a_run_costs_and_how_sizes_are_chosen(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([name, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "Every run spends epsilon and delta again" in text
    assert "--dry-run spends nothing" in text
    assert "ask for epsilon < 1; Corollary B.7 (sample) holds for every epsilon > 0" in text
    assert ("(default: the block size)" in text) == (name == "learn")


def test_the_help_says_once_where_the_command_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert capsys.readouterr().out.count(".venv/bin/exactdp") == 1


@pytest.mark.parametrize("epsilon", ["1", "2"])
def test_the_theorems_sampler_takes_an_epsilon_that_the_theorems_learners_refuse(
    epsilon: str, capsys: pytest.CaptureFixture[str]
) -> None:
    private = ["--epsilon", epsilon, "--delta", "1e-5", "--paper", "--beta", "1/10"]
    assert main(["sample", *FACES[1:], *private, "--dry-run"]) == 0
    assert main([*FACES, "--algorithm", "black-box", "--alpha", "1/10", *private, "--dry-run"]) == 2
    assert "as Theorem 5.1 asks" in capsys.readouterr().err


LEAD = ["sample", *FACES[1:], "--epsilon", "1", "--delta", "1e-6", "--block-size", "5", "--dry-run", "--blocks"]


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ("200", "the mode is released except with probability 1e-6 when it leads by at least 55 of the 200 blocks"),
        ("55", "the mode is released except with probability 1e-6 when it leads by at least 55 of the 55 blocks"),
        ("54", "an answer is not sure: the mode should lead by 55 of the 54 blocks, and is released with probability"),
        ("20", "no answer can be expected: the mode should lead by 55 of the 20 blocks, and is released with"),
    ],
)
def test_the_lead_that_the_mode_needs_is_printed(
    blocks: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "lead.json"
    assert main([*LEAD, blocks, "--json", str(target)]) == 0
    assert said in capsys.readouterr().out
    assert result(target)["smallest_gap"] == 55


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ("--blocks 30 --block-size 131 --length 1000", ["--blocks may help: though all 30 blocks agree"]),
        ("--blocks 200 --block-size 20 --length 1000", ["--block-size may help: a block from"]),
        ("--blocks 200 --block-size 131 --length 300", ["--length may help: from 300 records of"]),
        ("--blocks 30 --block-size 131 --length 300", ["--blocks may help", "--length may help"]),
        (
            "--algorithm boosted --blocks 40 --block-size 220 --length 1500 --repetitions 2",
            ["--repetitions may help: with 2 runs"],
        ),
        (
            "--algorithm boosted --blocks 10 --block-size 131 --length 10 --repetitions 3",
            ["--blocks may help: though all 10 blocks agree", "--length may help: from 10 records of"],
        ),
        (
            "--algorithm agnostic --blocks 200 --block-size 50 --repetitions 2",
            ["--block-size may help: a block from", "--repetitions may help: from 2 records of"],
        ),
    ],
)
def test_the_sizes_that_stand_in_the_way_are_named(
    sizes: str, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*DICE, *CHOSEN[:8], *words(sizes), "--dry-run"]) == 3
    advice = re.findall(r"^ +a larger (.*)$", capsys.readouterr().out, re.MULTILINE)
    assert len(advice) == len(said)
    assert all(one.startswith(start) for one, start in zip(advice, said, strict=True))


# -- what is printed --------------------------------------------------------------------------------------------------

GRID = {"domain": ["female", "male", "unknown"], "other": "unknown", "grid": 10}


def test_of_many_laws_the_worst_are_listed_and_all_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    laws, target = tmp_path / "grid.json", tmp_path / "out.json"
    laws.write_text(json.dumps(GRID), encoding="utf-8")
    given = words("sample examples/penguins.csv --column sex --epsilon 1 --delta 1/1000 --blocks 40 --block-size 8")
    assert main([*given, "--class", str(laws), "--dry-run", "--json", str(target)]) == 0
    listed = re.findall(r"^    (\S.*)  (?:at most|no bound|\d).*$", capsys.readouterr().out, re.MULTILINE)
    bounds = {one["law"]: Fraction(one["high"]["exact"]) for one in result(target)["accuracy"]}
    assert (len(bounds), len(listed)) == (66, 20)
    shown = [bounds.pop(name.strip()) for name in listed]
    assert min(shown) >= max(bounds.values())


def test_a_class_without_a_name_is_called_by_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    laws = tmp_path / "two.json"
    laws.write_text('{"domain": ["female", "male"], "other": "male", "laws": {"even": {"female": 0.5, "male": 0.5}}}')
    given = ["sample", "examples/penguins.csv", "--column", "sex", "--class", str(laws), *SEX[6:], *SIZES, "--dry-run"]
    assert main(given) == 0
    assert "class      two.json: 1 law on 2 values\n" in capsys.readouterr().out


def test_a_long_sample_is_wrapped_and_written_as_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, target = tmp_path / "synthetic.csv", tmp_path / "synthetic.json"
    given = [*SEX, *SIZES[:-1], "200", *SEEDED, "--default", ",".join(["male", "unknown"] * 100)]
    assert main([*given, "--csv", str(table), "--json", str(target)]) == 0
    lines = capsys.readouterr().out.partition("\n\n")[2].splitlines()
    assert max(map(len, lines)) <= 101
    sample = result(target)["sample"]
    assert " ".join(lines).replace("sample", "", 1).split() == " ".join(f"{y}," for y in sample)[:-1].split()
    assert table.read_text("utf-8").splitlines() == ["sex", *sample]
    assert read_records(table, "sex", class_from_json(GRID)) == sample


def test_without_a_sample_no_table_is_written(tmp_path: Path) -> None:
    table = tmp_path / "synthetic.csv"
    assert main([*SEX, *SIZES, "--dry-run", "--csv", str(table)]) == 0
    assert not table.exists()


@pytest.mark.parametrize("terminal", [True, False])
def test_what_takes_long_is_said_on_a_terminal_and_wiped_away(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert main([*SEX, *SIZES, "--dry-run"]) == 0
    error = capsys.readouterr().err
    assert error == ("working out the sizes ...\r\x1b[Kworking out the guarantee ...\r\x1b[K" if terminal else "")


AGNOSTIC = words("--algorithm agnostic --alpha 1/10 --beta 1/10 --epsilon 1 --delta 1e-6")
RUNS_OF_FACES = [*FACES, *AGNOSTIC, *words("--blocks 140 --block-size 12 --repetitions 15"), "--dry-run"]


@pytest.mark.parametrize(("given", "default"), [([], 0), (["--default", "4"], 4)])
def test_what_stands_for_a_declined_record_is_said_and_can_be_chosen(
    given: list[str], default: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "faces.json"
    assert main([*RUNS_OF_FACES, *given, "--json", str(target)]) == 0
    assert f"default    {default} in place of a record that is declined (--default)\n" in capsys.readouterr().out
    assert result(target)["default"] == [default]


def test_without_a_default_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "dice.json"
    assert main([*DICE, *CHOSEN, "--dry-run", "--json", str(target)]) == 0
    assert "default" not in capsys.readouterr().out
    assert result(target)["default"] is None


def test_the_result_says_nothing_of_the_time_that_the_data_took(tmp_path: Path) -> None:
    target = tmp_path / "sex.json"
    assert main([*SEX, *SIZES, *SEEDED, "--json", str(target)]) == 0
    assert "seconds" not in result(target)


# -- what is released is not lost -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "writer", "option"),
    [
        ([*SEX, *SIZES, *SEEDED], "result_json", "--json"),
        ([*SEX, *SIZES, *SEEDED], "write_records", "--csv"),
        ([*FACES, *PAPER], "plot_bars", "--plot"),
    ],
)
def test_an_answer_stands_printed_when_a_file_cannot_be_written(
    given: list[str],
    writer: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(*_: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(learn_cli, writer, fails)
    assert main([*given, option, str(tmp_path / "out.png")]) == 2
    out, error = capsys.readouterr()
    assert re.search(r"^(sample|estimate) ", out, re.MULTILINE)
    assert error == f"exactdp {given[0]}: a file was not written: No space left on device\n"


def test_characters_that_the_terminal_lacks_or_obeys_are_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps({"name": "two\nlines\x1b[2J", "domain": ["é", "b\tc"], "other": "é", "points": True})
    (tmp_path / "odd.json").write_text(text, "utf-8")
    (tmp_path / "odd.csv").write_text("x\n" + "é\n" * 40, "utf-8")
    kept = io.BytesIO()
    terminal = io.TextIOWrapper(kept, encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", terminal)
    given = ["sample", str(tmp_path / "odd.csv"), "--column", "x", "--class", str(tmp_path / "odd.json"), *SEX[6:]]
    assert main([*given, "--learner", "first-record", "--blocks", "40", "--block-size", "1"]) == 0
    printed = kept.getvalue().decode("ascii")
    assert "class      two\\nlines\\x1b[2J: 2 laws on 2 values\n" in printed
    assert "    b\\tc  " in printed
    assert printed.endswith("sample     \\xe9\n")


# -- answers of other kinds -------------------------------------------------------------------------------------------


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
    assert main([*given, *sizes, *SEEDED, "--anyway"]) == 0
    out = capsys.readouterr().out
    assert "no answer but the default can be expected" in out
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
