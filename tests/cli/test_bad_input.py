"""Bad input: one line that names the argument, its value and what would be right; exit code 2; nothing is written."""

import subprocess
import sys
from pathlib import Path

import pytest

from exactdp.verify.cli import main

MINE = """import random
import sys
from exactdp import Law, bernoulli, discrete_laplace

calls = []
limit = 3

def count(data, draw, *, epsilon):
    return sum(data) + draw(discrete_laplace(1 / epsilon))

def with_a_float(data, draw):
    return draw(Law({0: 0.5, 1: 0.5}))

def short_of_one(data, draw):
    return draw(Law({0: "1/2", 1: "49/100"}))

def one_argument(data):
    return data

def a_list(data, draw):
    return list(data)

def from_random(data, draw):
    return random.random() < 0.5

def changing(data, draw):
    calls.append(data)
    return len(calls)

def deep(data, draw):
    return tuple(draw(bernoulli("1/2")) for _ in range(40))

def divides(data, draw):
    return 1 // data[0]

def two_lines(data, draw):
    raise ValueError("one\\ntwo")

def leaves(data, draw):
    sys.exit(0)
"""
AUDIT = {"target": "mine.py:count", "--domain": "0,1", "-n": "2", "--epsilon": "1/2"}
OUTPUTS = ("result.json", "claim.cert", "profile.png")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with files of mechanisms, and with results of an earlier run."""
    monkeypatch.chdir(tmp_path)
    files = {
        "mine.py": MINE,
        "broken.py": "limit = 1\ndef f(:\n",
        "failing.py": "limit = 1\nlimit / 0\n",
        "importing.py": "import there_is_no_such_module\n",
        "leaving.py": "raise SystemExit(0)\n",
        "text.txt": "no JSON\n",
        "other.json": '{"format": "another-1"}\n',
        **dict.fromkeys(OUTPUTS, "earlier"),
    }
    for name, text in files.items():
        Path(name).write_text(text)
    Path("folder.py").mkdir()
    Path("folder.cert").mkdir()
    return tmp_path


def exit_code(arguments: list[str]) -> object:
    """The exit code, also where the parser of arguments ends the program itself."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code


def audit_with(change: dict[str, str]) -> list[str]:
    """The words of an audit that would hold, but for the change; it would write three files."""
    target, *options = (AUDIT | change).items()
    files = [f"--json={OUTPUTS[0]}", f"--certificate={OUTPUTS[1]}", f"--plot={OUTPUTS[2]}"]
    given = [word for option in options if option[0] not in ("--json", "--certificate", "--plot") for word in option]
    own = [word for option in options if option[0] in ("--json", "--certificate", "--plot") for word in option]
    return ["audit", target[1], *given, *files, *own]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The only line that a refused command prints."""
    assert exit_code(arguments) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.endswith("\n")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    return error


BAD_AUDITS: list[tuple[dict[str, str], list[str]]] = [
    ({"target": "mine.py:with_a_float"}, ["mass of 0: got 0.5 (float)", "an exact number", "'0.5'"]),
    ({"target": "mine.py:short_of_one"}, ["sum of the masses: got 99/100", "masses that sum to exactly 1"]),
    ({"--epsilon": "0"}, ["epsilon: got '0'", "a positive number such as '1/2'"]),
    ({"--epsilon": "-1"}, ["epsilon: got '-1'", "a positive number"]),
    ({"--epsilon": "abc"}, ["epsilon: got 'abc'", "a positive number"]),
    ({"--epsilon": "nan"}, ["epsilon: got 'nan'", "a positive number"]),
    ({"--epsilon": "1/0"}, ["epsilon: got '1/0'", "a positive number"]),
    ({"--epsilon": "ln(1)"}, ["epsilon: got 'ln(1)'", "ln of a rational above 1"]),
    ({"--delta": "-1"}, ["delta: got '-1'", "at least 0 and below 1"]),
    ({"--delta": "1"}, ["delta: got '1'", "at least 0 and below 1"]),
    ({"--delta": "3/2"}, ["delta: got '3/2'", "at least 0 and below 1"]),
    ({"--delta": "nan"}, ["delta: got 'nan'", "a number such as '1/3'"]),
    ({"--claim": "0"}, ["claim: got ", "a positive multiple of epsilon"]),
    ({"--neighbours": "similar"}, ["neighbours: got 'similar'", "'change-one', 'add-remove', 'each-by-one'"]),
    ({"-n": "0"}, ["n: got 0", "an int of at least 1"]),
    ({"-n": "-1"}, ["n: got -1", "an int of at least 1"]),
    ({"-n": "x"}, ["-n: invalid int value: 'x'"]),
    ({"--domain": ""}, ["--domain: got ''", "at least one value, such as 0,1"]),
    ({"--domain": "0,,1"}, ["--domain: got '0,,1'", "values between the commas"]),
    ({"--domain": "0,1,0"}, ["domain: got 0", "each value once"]),
    ({"--domain": "0,False"}, ["domain: got False", "each value once"]),
    ({"--domain": "1,1.0"}, ["domain: got 1", "each value once"]),
    ({"--domain": "a,b", "--neighbours": "each-by-one"}, ["domain: got 'a'", "integers, for the relation each-by-one"]),
    ({"target": "none.py:count"}, ["mechanism: got 'none.py'", "an existing Python file"]),
    ({"target": "folder.py:count"}, ["mechanism: got 'folder.py'", "an existing Python file"]),
    ({"target": "mine.py"}, ["mechanism: got 'mine.py'", "FILE.py:NAME"]),
    ({"target": "no.such.module:count"}, ["mechanism: got 'no.such.module'", "an importable module"]),
    ({"target": "mine.py:counts"}, ["mechanism: got 'mine.py:counts'", "count, with_a_float, short_of_one"]),
    ({"target": "mine.py:limit"}, ["mechanism: got 'mine.py:limit'", "a function; limit is of type int"]),
    ({"target": "broken.py:f"}, ["mechanism: got 'broken.py'", "valid Python: invalid syntax in line 2"]),
    ({"target": "failing.py:f"}, ["failing.py raised ZeroDivisionError: division by zero (in failing.py, line 2)"]),
    ({"target": "importing.py:f"}, ["mechanism: got 'importing.py'", "imports work: No module named 'there_is"]),
    ({"target": "mine.py:divides"}, ["divides raised ZeroDivisionError: ", "(in mine.py, line 34)"]),
    ({"target": "mine.py:one_argument"}, ["mechanism: got 'one_argument(data)'", "a function of (data, draw)"]),
    ({"target": "mine.py:a_list"}, ["return value of the mechanism: got [0, 0] (list)", "a hashable value"]),
    ({"target": "mine.py:from_random"}, ["the module `random`", "must come from `draw`"]),
    ({"target": "mine.py:changing"}, ["changing gave different results for the same draws"]),
    ({"target": "mine.py:deep"}, ["the work is estimated at", "the budget is 150000", "--budget N"]),
    ({"-n": "40"}, ["more than 150000 datasets", "--budget N"]),
    ({"--budget": "0"}, ["budget: got 0", "an int of at least 1"]),
    ({"--window": "-1"}, ["window: got -1", "an int of at least 0"]),
    ({"--json": "no/result.json"}, ["--json: got 'no/result.json'", "a file in an existing folder"]),
    ({"--certificate": "folder.cert"}, ["--certificate: got 'folder.cert'", "a file in an existing folder"]),
    ({"--plot": "profile.txt"}, ["--plot: got 'profile.txt'", ".png, .svg, .pdf"]),
    ({"--colour": "red"}, ["unrecognized arguments: --colour red"]),
]  # fmt: skip


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("change", "said"), BAD_AUDITS, ids=[" ".join(map(str, c.items())) for c, _ in BAD_AUDITS])
def test_a_bad_audit_is_refused_in_one_line(
    change: dict[str, str], said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(audit_with(change), capsys)
    assert line.startswith("exactdp")
    assert [words for words in said if words not in line] == []
    assert [name for name in OUTPUTS if Path(name).read_text() != "earlier"] == []


@pytest.mark.usefixtures("folder")
def test_the_same_audit_without_a_mistake_writes_the_three_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(audit_with({})) == 0
    assert "HOLDS" in capsys.readouterr().out
    assert [name for name in OUTPUTS if Path(name).read_bytes() == b"earlier"] == []


BAD_COMMANDS: list[tuple[list[str], list[str]]] = [
    ([], ["required: COMMAND"]),
    (["prove"], ["invalid choice: 'prove'", "verify", "audit", "check"]),
    (["--colour"], ["exactdp"]),
    (["audit"], ["required: ", "--domain", "-n", "--epsilon"]),
    (["verify", "thm-0"], ["item: got 'thm-0'", "def-2.1"]),
    (["verify", "--preset", "huge"], ["preset: got 'huge'", "minimal, full"]),
    (["verify", "--jobs", "0"], ["jobs: got 0", "an int of at least 1"]),
    (["verify", "--jobs", "two"], ["--jobs: invalid int value: 'two'"]),
    (["verify", "def-2.1", "--json", "no/ledger.json"], ["--json: got 'no/ledger.json'", "an existing folder"]),
    (["check"], ["required: CERTIFICATE"]),
    (["check", "none.cert"], ["none.cert", "No such file"]),
    (["check", "folder.cert"], ["folder.cert", "Is a directory"]),
    (["check", "text.txt"], ["text.txt: cannot be read"]),
    (["check", "other.json"], ["other.json: not a certificate of the format exactdp-certificate-1"]),
    (["check", "a.cert", "b.cert"], ["unrecognized arguments: b.cert"]),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "said"), BAD_COMMANDS, ids=[" ".join(c) or "none" for c, _ in BAD_COMMANDS])
def test_a_bad_command_is_refused_in_one_line(
    arguments: list[str], said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(arguments, capsys)
    assert [words for words in said if words not in line] == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("target", ["mine.py:leaves", "mine.py:two_lines", "leaving.py:f", ".:f"])
def test_a_mechanism_that_ends_the_program_or_breaks_the_line_is_refused(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`sys.exit(0)` in a mechanism would otherwise be the exit code of a claim that holds."""
    refused(audit_with({"target": target}), capsys)


def test_the_program_itself_refuses_in_one_line(folder: Path) -> None:
    arguments = ["audit", "mine.py:divides", "--domain", "0,1", "-n", "1", "--epsilon", "1"]
    run = [sys.executable, "-m", "exactdp.verify.cli", *arguments]
    result = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("exactdp audit: divides raised ZeroDivisionError")
    assert result.stderr.count("\n") == 1
