"""The commands do what their help says: verdicts, exit codes, files, pictures, progress, interruption."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Hashable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactdp.spec.cells import Cell
from exactdp.spec.divergence import Event
from exactdp.verify.audit import audit
from exactdp.verify.cli import main, parser
from exactdp.verify.results import in_order, replay

MINE = """import os
import signal
from exactdp import bernoulli, discrete_laplace

def count(data, draw, *, epsilon):
    return sum(data) + draw(discrete_laplace(1 / epsilon))

def twice(data, draw, *, epsilon):
    return sum(data) + draw(discrete_laplace(1 / (2 * epsilon)))

def halves(data, draw, *, epsilon):
    return int(2 * sum(data)) + draw(discrete_laplace(2 / epsilon))

def constant(data, draw):
    return draw(bernoulli("1/2"))

def capped(data, draw):
    noise = draw(discrete_laplace(1))
    return min(10, (data[0] + noise) * noise)

def interrupted(data, draw):
    os.kill(os.getpid(), signal.SIGINT)
"""
COUNT = ["audit", "mine.py:count", "--domain", "0,1", "-n", "2"]
SHARED = {"verdict", "claims", "witness", "pairs", "seconds"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with mine.py."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    return tmp_path


def subcommands() -> dict[str, ArgumentParser]:
    """The parser of each command."""
    [action] = [a for a in parser()._actions if isinstance(a, _SubParsersAction)]
    return dict(action.choices)


def result(path: str) -> dict[str, Any]:
    found = json.loads(Path(path).read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


# -- audit --


def test_a_true_claim_holds_with_its_exact_epsilon_star(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COUNT, "--epsilon", "ln(3)", "--json", "out.json"]) == 0
    out, error = capsys.readouterr()
    assert "verdict: HOLDS" in out
    assert "8 ordered pairs of neighbours, 4 datasets" in out
    assert error == ""
    found = result("out.json")
    assert (found["verdict"], found["witness"], found["pairs"]) == ("holds", None, 8)
    assert found["delta_at_epsilon"] == {"exact": "0", "decimal": "0"}
    assert found["epsilon_star"] == {"exp": "3", "decimal": "1.098612289"}


def test_a_false_claim_is_refuted_with_pair_event_and_both_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    """P(noise <= 0) = 3/4 and P(noise <= -1) = 1/4, so at half of ln(3) delta is (3 - 3^(1/2)) / 4.

    The witness needs one outcome only: P(noise = 0) = 1/2 and P(noise = -1) = 1/6.
    """
    assert main([*COUNT, "--epsilon", "ln(3)", "--claim", "1/2", "--json", "out.json"]) == 1
    assert "verdict: REFUTED" in capsys.readouterr().out
    found = result("out.json")
    assert found["verdict"] == "refuted"
    assert found["witness"]["p"] == {"exact": "1/2", "decimal": "0.5"}
    assert found["witness"]["q"] == {"exact": "1/6", "decimal": "0.1666666667"}
    assert sorted(found["witness"]["pair"]) == ["(0, 0)", "(0, 1)"]
    assert found["delta_at_epsilon"]["decimal"] == "0.3169872981"
    assert found["epsilon_star"]["exp"] == "3"


def test_the_printed_replay_of_a_refutation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COUNT, "--epsilon", "1", "--claim", "1/2"]) == 1
    program = replay_in(capsys.readouterr().out)
    assert "assert" in program
    replayed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (replayed.returncode, replayed.stderr) == (0, "")
    wrong = subprocess.run([sys.executable, "-c", program.replace(" > ", " <= ")], capture_output=True, check=False)
    assert wrong.returncode == 1


def replay_in(out: str) -> str:
    """The replay that a text ends with."""
    return "\n".join(line.removeprefix("    ") for line in out.split("replay:\n")[1].splitlines())


REFUTED = [
    [*COUNT, "--epsilon", "ln(3)", "--claim", "1/2"],
    [*COUNT, "--epsilon", "1", "--claim", "1/2", "--delta", "1/100", "--neighbours", "add-remove"],
    ["audit", "mine.py:halves", "--domain", "0.5,1.5", "-n", "1", "--epsilon", "1", "--claim", "1/2"],
    [
        "audit",
        "mine.py:capped",
        "--domain",
        "0,1",
        "-n",
        "1",
        "--epsilon",
        "1/9",
        "--window",
        "3",
        "--budget",
        "149999",
    ],
    [
        "audit",
        "exactdp.verify.gallery:svt5",
        "--domain=-1,0,1",
        "-n",
        "2",
        "--neighbours",
        "each-by-one",
        "--epsilon",
        "1",
    ],
]


@pytest.mark.parametrize("words", REFUTED, ids=" ".join)
def test_a_pasted_replay_runs_as_it_stands_and_uses_all_that_it_imports(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--json", "out.json"]) == 1
    program = replay_in(capsys.readouterr().out)
    assert result("out.json")["witness"]["replay"] == program
    exec(program, {})
    with pytest.raises(AssertionError):
        exec(re.sub(r"^(factor, delta = .*), exact\(.*\)$", r"\1, 1", program, flags=re.MULTILINE), {})
    imported = [
        name for line in re.findall(r"^from \S+ import (.*)$", program, re.MULTILINE) for name in line.split(", ")
    ]
    assert [name for name in imported if len(re.findall(rf"\b{name}\b", program)) < 2] == []


def test_the_replay_of_an_audit_in_python_calls_the_function_by_its_name() -> None:
    names: dict[str, Any] = {}
    exec(MINE, names)
    found = audit(names["count"], domain=[0, 1], n=1, epsilon="1", claim="1/2")
    assert replay(found).splitlines()[2] == "mechanism = count"
    exec(replay(found), names)


# -- how results are worded --


def test_single_things_are_not_counted_as_many(capsys: pytest.CaptureFixture[str]) -> None:
    main(["audit", "mine.py:count", "--domain", "0", "-n", "2", "--neighbours", "add-remove", "--epsilon", "1"])
    out = capsys.readouterr().out
    assert "over 1 value," in out
    assert "1 breakpoint, from epsilon = 0 on" in out


def test_add_remove_says_that_datasets_have_up_to_n_records(capsys: pytest.CaptureFixture[str]) -> None:
    main([*COUNT, "--neighbours", "add-remove", "--epsilon", "1"])
    assert "7 datasets of n up to 2 over 2 values" in capsys.readouterr().out
    main([*COUNT, "--epsilon", "1"])
    assert "4 datasets of n = 2 over 2 values" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("epsilon", "claim", "power"),
    [("1", "1", "e^1 *"), ("1", "1/2", "e^(1/2 * 1) *"), ("1/2", "1", "e^(1/2) *"), ("ln(3)", "1", "e^(ln(3)) *")],
)
def test_powers_have_parentheses_only_where_they_are_needed(
    epsilon: str, claim: str, power: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "mine.py:twice", "--domain", "0,1", "-n", "1", "--epsilon", epsilon, "--claim", claim]) == 1
    assert f"= {power} Q(event)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("outcomes", "shown"),
    [
        ([3, 1, 2], "{1; 2; 3}"),
        (["b", "a"], "{'a'; 'b'}"),
        ([(1, 2), (0, 5)], "{(0, 5); (1, 2)}"),
        ([2, "a", 1], "{2; 'a'; 1}"),
        ([True, 0], "{True; 0}"),
        ([(1, None), (1, 0)], "{(1, None); (1, 0)}"),
        ([None, None], "{None; None}"),
    ],
)
def test_the_outcomes_of_an_event_are_in_order_where_they_have_one(outcomes: list[Hashable], shown: str) -> None:
    event = Event(tuple(map(Cell, outcomes)), Fraction(1, 2), Fraction(1, 3))
    assert str(in_order(event)) == shown
    assert (in_order(event).p, in_order(event).q) == (event.p, event.q)


def test_an_argument_that_is_not_known_points_to_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        main([*COUNT, "--epsilon", "1", "--colour", "red"])
    assert capsys.readouterr() == (
        "",
        "exactdp audit: unrecognized arguments: --colour red (see exactdp audit --help)\n",
    )


def test_a_constant_law_is_vacuous_with_exit_code_3() -> None:
    words = ["audit", "mine.py:constant", "--domain", "0,1", "-n", "1", "--epsilon", "1", "--json", "out.json"]
    assert main(words) == 3
    assert result("out.json")["verdict"] == "vacuous"


def test_unresolved_mass_leaves_a_claim_undecided_with_exit_code_3() -> None:
    words = ["audit", "mine.py:capped", "--domain", "0,1", "-n", "1", "--epsilon", "1"]
    assert main([*words, "--window", "3", "--delta", "99/100", "--json", "out.json"]) == 0
    bounds = result("out.json")["delta_at_epsilon"]
    low, high = (float(bounds[side]["decimal"]) for side in ("low", "high"))
    assert 0 < low < high < 1
    assert main([*words, "--window", "3", "--delta", str((low + high) / 2), "--json", "out.json"]) == 3
    assert result("out.json")["verdict"] == "undecided"
    assert main([*words, "--window", "3", "--delta", str(low / 2), "--json", "out.json"]) == 1


@pytest.mark.parametrize("claim", ["1", "1/2"])
def test_an_audit_as_json_has_the_shape_that_all_results_share(claim: str) -> None:
    main([*COUNT, "--epsilon", "1/2", "--claim", claim, "--json", "out.json"])
    found = result("out.json")
    assert SHARED | {"delta_at_epsilon", "epsilon_star", "profile"} <= found.keys()
    assert {"label", "lhs", "relation", "rhs"} == found["claims"][0].keys()
    assert isinstance(found["seconds"], float)
    assert found["epsilon_star"].keys() == {"exp", "decimal"}
    numbers = [inner for inner in objects(found) if "exact" in inner]
    assert len(numbers) >= 5
    assert all(inner.keys() == {"exact", "decimal"} for inner in numbers)
    assert all(isinstance(text, str) for inner in numbers for text in inner.values())


def test_an_infinite_epsilon_star_is_inf_in_both_fields() -> None:
    words = ["audit", "exactdp.verify.gallery:svt5", "--domain=-1,0,1", "-n", "2", "--neighbours", "each-by-one"]
    assert main([*words, "--epsilon", "1", "--json", "out.json"]) == 1
    assert result("out.json")["epsilon_star"] == {"exp": "inf", "decimal": "inf"}


def test_a_plot_is_a_picture_that_shows_the_claimed_point() -> None:
    assert main([*COUNT, "--epsilon", "1/2", "--plot", "out.png"]) == 0
    png = Path("out.png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png.rstrip(b"\x00").endswith(b"IEND\xaeB`\x82")
    width, height = (int.from_bytes(png[i : i + 4], "big") for i in (16, 20))
    assert min(width, height) > 300
    main([*COUNT, "--epsilon", "1/2", "--plot", "out.svg"])
    assert "<!-- claimed (0.5, 0): holds -->" in Path("out.svg").read_text("utf-8")
    main([*COUNT, "--epsilon", "1/2", "--claim", "1/2", "--plot", "out.svg"])
    assert "<!-- claimed (0.25, 0): refuted -->" in Path("out.svg").read_text("utf-8")


@pytest.mark.parametrize(("claim", "code", "verdict"), [("1", 0, "holds"), ("1/2", 1, "refuted")])
def test_a_written_certificate_is_accepted_with_the_same_verdict(
    claim: str, code: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*COUNT, "--epsilon", "1/3", "--claim", claim, "--certificate", "out.cert"]) == code
    capsys.readouterr()
    assert main(["check", "out.cert"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "accepted"
    assert f"verdict: {verdict}" in lines


def test_a_forged_certificate_is_rejected_with_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    main([*COUNT, "--epsilon", "1/3", "--claim", "1/2", "--certificate", "out.cert"])
    capsys.readouterr()
    Path("out.cert").write_text(Path("out.cert").read_text().replace('"refuted"', '"holds"'))
    assert main(["check", "out.cert"]) == 1
    assert capsys.readouterr() == ("", "rejected: verdict: it is 'refuted'\n")


# -- verify --


def test_an_item_is_verified_and_written_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "def-2.1", "--json", "out.json"]) == 0
    assert "def-2.1" in capsys.readouterr().out
    found = result("out.json")
    assert found["verdict"] == "holds"
    [item] = found["items"]
    assert {"id", "kind", "verdict", "claims", "instances", "controls", "seconds"} <= item.keys()
    assert item["controls"].keys() == {"refuted", "total"}
    assert item["controls"]["refuted"] == item["controls"]["total"] > 0
    assert item["claims"] >= item["instances"] > 0


# -- help --


@pytest.mark.parametrize("name", subcommands())
def test_every_option_of_a_command_is_described_in_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    actions = subcommands()[name]._actions
    assert [action.dest for action in actions if not action.help] == []
    assert [option for action in actions for option in action.option_strings if option not in out] == []
    assert name in parser().format_help()


def examples() -> list[str]:
    """The lines `exactdp ...` of all epilogs, without the remarks beside them."""
    epilogs = [command.epilog or "" for command in (parser(), *subcommands().values())]
    lines = [line.strip() for epilog in epilogs for line in epilog.splitlines()]
    return list(dict.fromkeys(re.split(r"\s{3,}", line)[0] for line in lines if line.startswith("exactdp ")))


def run_example(example: str) -> int:
    """Runs a command line; one that would verify all items verifies one."""
    words = shlex.split(example)[1:]
    items = getattr(parser().parse_args(words), "items", None)
    return main([*words, "def-2.1"] if items == [] else words)


def test_the_worked_examples_in_the_help_run(capsys: pytest.CaptureFixture[str]) -> None:
    program = re.search(r"In mine\.py:\n\n((?:  .*\n|\n)*)", subcommands()["audit"].epilog or "")
    assert program is not None
    Path("mine.py").write_text("\n".join(line.removeprefix("  ") for line in program[1].splitlines()))
    commands = sorted(examples(), key=lambda line: line.startswith("exactdp check"))  # what is checked is written first
    assert len(commands) >= 8
    codes = {line: run_example(line) for line in commands}
    assert {line: code for line, code in codes.items() if code not in (0, 1)} == {}
    assert {line for line, code in codes.items() if code == 1} == {
        'exactdp audit mine.py:count --domain 0,1 -n 3 --epsilon "ln(3)" --claim 1/2',
        "exactdp audit exactdp.verify.gallery:svt4 --domain=-1,0,1 -n 2 --neighbours each-by-one --epsilon 1/10",
    }
    assert "Traceback" not in capsys.readouterr().err


# -- the terminal --


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_and_nowhere_else(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert main([*COUNT, "--epsilon", "1"]) == 0
    assert ("\r" in capsys.readouterr().err) is terminal


def test_an_interruption_ends_with_130_and_no_traceback(folder: Path) -> None:
    words = ["audit", "mine.py:interrupted", "--domain", "0,1", "-n", "1", "--epsilon", "1", "--json", "out.json"]
    run = [sys.executable, "-m", "exactdp.verify.cli", *words]
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:  # whoever started the tests may have had interruptions ignored, which children inherit
        ended = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False, env=os.environ)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "exactdp audit: interrupted\n")
    assert not Path("out.json").exists()
