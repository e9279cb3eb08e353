"""Bad input of `exactdp sample` and `exactdp learn`: one line, exit code 2, nothing released and nothing written."""

from pathlib import Path

import pytest

from exactdp.verify import learn_cli
from exactdp.verify.cli import main

COINS = """{"domain": ["a", "b"], "laws": {"fair": {"a": "1/2", "b": "1/2"}, "biased": {"a": "1/4", "b": 0.75}}}"""
FILES = {
    "coins.json": COINS,
    "short.json": """{"domain": ["a", "b"], "laws": {"odd": {"a": 0.3, "b": 0.6}}}""",
    "broken.json": """{"domain": ["a", "b"]""",
    "far.json": """{"domain": ["a", "b"], "laws": {"far": {"a": "1/2", "c": "1/2"}}}""",
    "data.csv": "id,side\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(40)),
    "outside.csv": "id,side\n1,a\n2,b\n3,edge\n4,a\n",
    "ragged.csv": "id,side\n1,a\n2\n3,b\n",
    "wide.csv": "id,side\n1,a\n2,b,c\n",
    "blank.csv": "id,side\n1,a\n\n2,b\n",
    "empty.csv": "",
    "header.csv": "id,side\n",
    "twice.csv": "side,side\na,b\n",
    "surrogate.json": r'{"domain": ["\ud800", "b"], "points": true}',
    "lines.json": r'{"domain": ["a", "b"], "laws": {"two\nlines\u001b[2J": {"a": 1, "c": 0}}}',
    "long.json": '{"domain": [' + ", ".join(f'"value {n}"' for n in range(2000)) + '], "points": true}',
    "grid.json": '{"domain": ["a", "b", "c"], "grid": 100000}',
    "coarse.json": '{"domain": ["a", "b", "c"], "grid": 50}',
    "coins 9.json": '{"bernoulli": 1000000000}',
    "centres.json": '{"clamped_laplaces": {"low": 0, "high": 3, "scales": [1], "centres": [1, 1]}}',
    "lines.csv": '"two\nlines\x1b[2J",b\na,b\n',
    "semicolons.csv": "id;side\n1;a\n",
    "tabs.csv": "id\tside\n1\ta\n",
    "quote.csv": 'id,side\n1,"a\n',
}
LEARN = {
    "command": "learn",
    "data": "data.csv",
    "--column": "side",
    "--class": "coins.json",
    "--algorithm": "black-box",
    "--alpha": "1/10",
    "--beta": "1/10",
    "--epsilon": "1/2",
    "--delta": "1/100",
    "--blocks": "10",
    "--block-size": "4",
}
SAMPLE = {key: value for key, value in LEARN.items() if key not in ("--algorithm", "--alpha", "--beta")} | {
    "command": "sample"
}
OUTPUTS = {"--json": "result.json", "--plot": "bars.png"}
NOT = "not given"
PAPER = {"--paper": "", "--blocks": NOT, "--block-size": NOT}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with data, classes and the results of an earlier run; nothing may be released."""
    monkeypatch.chdir(tmp_path)
    for name, text in (FILES | dict.fromkeys(OUTPUTS.values(), "earlier")).items():
        Path(name).write_text(text, encoding="utf-8")
    Path("latin.csv").write_bytes("id,side\n1,a\n2,é\n".encode("latin-1"))
    Path("folder").mkdir()


def command(base: dict[str, str], change: dict[str, str]) -> list[str]:
    """The words of a command that would run, but for the change."""
    given = {key: value for key, value in (base | change).items() if value != NOT}
    options = [word for key, value in given.items() if key.startswith("--") for word in (key, value) if word]
    return [given["command"], given["data"], *options]


def refused(words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The only line that a refused command prints."""

    def released(*_: object) -> object:
        raise AssertionError("nothing may be released")

    monkeypatch.setattr(learn_cli, "answer", released)
    try:
        code: object = main(words)
    except SystemExit as end:
        code = end.code
    out, error = capsys.readouterr()
    assert (code, out) == (2, "")
    assert error.endswith("\n")
    assert error[:-1].isprintable()
    assert len(error) < 1100
    assert error.count("\n") == 1
    assert [name for name in OUTPUTS.values() if Path(name).read_text() != "earlier"] == []
    return error


BAD: list[tuple[dict[str, str], list[str]]] = [
    ({"--class": "short.json"}, ["short.json: sum of the masses of law 'odd': got 9/10", "exactly 1"]),
    ({"--class": "broken.json"}, ["broken.json: content", "at line 1, column"]),
    ({"--class": "far.json"}, ["far.json: outcome of law 'far': got 'c'", "a value of the domain: a, b"]),
    ({"--class": "surrogate.json"}, ["surrogate.json: character", "characters, not the half of one"]),
    ({"--class": "lines.json"}, [r"law 'two\nlines\x1b[2J'"]),
    ({"--class": "long.json", "--other": "none"}, ["--other: got 'none'", "a value of the domain: value 0", " ..."]),
    ({"--class": "grid.json"}, ['grid.json: "grid": got 100000', "a smaller denominator: of 5000150001 laws at most"]),
    ({"--class": "coins 9.json"}, ['coins 9.json: "bernoulli": got 1000000000', "a smaller denominator"]),
    ({"--class": "coarse.json"}, ["--class: got '1326 laws on 3 values'", "at most 2000000"]),
    ({"--class": "centres.json"}, ['centres.json: "centres": got [1, 1]', "all different"]),
    ({"data": "lines.csv"}, ["--column: got 'side'", r"one of the columns: two\nlines\x1b[2J, b"]),
    ({"--epsilon": "1e9"}, ["--epsilon: got '1e9'", "at most 1000"]),
    ({"--length": "10000000"}, ["--length: got 10000000", "an integer of at most 1000000"]),
    ({"--class": "none.json"}, ["class file: got 'none.json'", "No such file"]),
    ({"--column": "edge"}, ["--column: got 'edge'", "one of the columns: id, side"]),
    ({"--column": "side", "data": "twice.csv"}, ["--column: got 'side'", "stands once: side, side"]),
    ({"data": "none.csv"}, ["data: got 'none.csv'", "No such file"]),
    ({"data": "folder"}, ["data: got 'folder'", "Is a directory"]),
    ({"data": "empty.csv"}, ["data: got 'empty.csv'", "this one is empty"]),
    ({"data": "header.csv"}, ["data: got 'header.csv'", "at least one row below the header"]),
    ({"data": "ragged.csv"}, ["ragged.csv, row 3: got '1 cells'", "2 cells, as many as the header has"]),
    ({"data": "wide.csv"}, ["wide.csv, row 3: got '3 cells'", "2 cells"]),
    ({"data": "blank.csv"}, ["blank.csv, row 3: got '0 cells'", "2 cells"]),
    ({"data": "latin.csv"}, ["data: got 'latin.csv'", "a CSV file in UTF-8"]),
    ({"data": "quote.csv"}, ["data: got 'quote.csv'", "a CSV file: unexpected end of data"]),
    ({"data": "semicolons.csv"}, ["data: got 'semicolons.csv'", "commas", "the header has semicolons instead"]),
    ({"data": "tabs.csv"}, ["data: got 'tabs.csv'", "commas", "the header has tabs instead"]),
    ({"data": "tabs.csv", "--dry-run": ""}, ["data: got 'tabs.csv'", "commas", "the header has tabs instead"]),
    ({"data": "header.csv", "--dry-run": ""}, ["data: got 'header.csv'", "at least one row below the header"]),
    ({"--dry-run": "", "--anyway": ""}, ["--anyway: got True", "no --anyway beside --dry-run"]),
    ({"--dry-run": "", "--blocks": "11"}, ["records in data.csv: got 40", "at least 44 records: 11 blocks of 4"]),
    ({"data": "outside.csv"}, ["outside.csv, row 4: got 'edge'", "the public domain 'a', 'b'", "--other SYMBOL"]),
    ({"--column": "id"}, ["data.csv, row 2: got '0'", "the public domain"]),
    ({"--other": "c"}, ["--other: got 'c'", "a value of the domain: a, b"]),
    ({"--alpha": "0"}, ["alpha: got '0'", "0 < alpha < 1"]),
    ({"--alpha": "1"}, ["alpha: got '1'", "0 < alpha < 1"]),
    ({"--alpha": "-1/2"}, ["alpha: got '-1/2'", "0 < alpha < 1"]),
    ({"--alpha": "few"}, ["alpha: got 'few'", "a number such as '1/3'"]),
    ({"--beta": "2"}, ["beta: got '2'", "0 < beta < 1"]),
    ({"--beta": "nan"}, ["beta: got 'nan'", "a number such as"]),
    ({"--epsilon": "0"}, ["epsilon: got '0'", "a positive number"]),
    ({"--epsilon": "-1"}, ["epsilon: got '-1'", "a positive number"]),
    ({"--epsilon": "any"}, ["epsilon: got 'any'", "one value"]),
    ({"--delta": "0"}, ["delta: got '0'", "0 < delta < 1"]),
    ({"--delta": "1"}, ["delta: got '1'", "0 < delta < 1"]),
    ({"--delta": "-1e-6"}, ["delta: got '-1e-6'", "0 < delta < 1"]),
    (PAPER | {"--epsilon": "1"}, ["--epsilon: got '1'", "0 < epsilon < 1", "Theorem 5.1 asks", "sizes of your own"]),
    (PAPER | {"--epsilon": "2", "--algorithm": "agnostic"}, ["--epsilon: got '2'", "as Theorem C.2 asks"]),
    (PAPER | {"--delta": "1"}, ["delta: got '1'", "0 < delta < 1"]),
    (PAPER | {"--alpha": "2"}, ["alpha: got '2'", "0 < alpha < 1"]),
    (PAPER | {"--beta": "0"}, ["beta: got '0'", "0 < beta < 1"]),
    ({"--blocks": "11"}, ["records in data.csv: got 40 (int)", "at least 44 records: 11 blocks of 4"]),
    (PAPER, ["at least 18447 records: 473 blocks of 39; sizes of your own, --blocks and --block-size, may do with"]),
    (
        PAPER | {"--algorithm": "boosted", "--alpha": "3/10"},
        ["records in data.csv: got 40 (int)", "295 runs of 444 blocks of "],
    ),
    (PAPER | {"--algorithm": "agnostic"}, ["records in data.csv: got 40 (int)", "runs of", "blocks of"]),
    (PAPER | {"--algorithm": "agnostic", "--learner": "ml"}, ["--learner: got 'ml'", "mde or empirical"]),
    (PAPER | {"--learner": "smoothed"}, ["--learner: got 'smoothed'", "no sample size is known"]),
    (PAPER | {"--learner": "first-record"}, ["--learner: got 'first-record'", "on point masses"]),
    ({"--blocks": "0"}, ["--blocks: got 0", "an integer of at least 1"]),
    ({"--blocks": "-3"}, ["--blocks: got -3", "an integer of at least 1"]),
    ({"--block-size": "0"}, ["--block-size: got 0", "an integer of at least 1"]),
    ({"--length": "0"}, ["--length: got 0", "an integer of at least 1"]),
    ({"--blocks": "ten"}, ["--blocks: invalid int value: 'ten'"]),
    ({"--blocks": NOT}, [" --blocks: missing; expected --paper, or both --blocks K and --block-size B"]),
    ({"--block-size": NOT}, [" --block-size: missing; expected --paper, or both --blocks K and --block-size B"]),
    ({"--blocks": NOT, "--block-size": NOT}, [" --blocks and --block-size: missing; expected --paper, or both"]),
    ({"--paper": ""}, ["--blocks: got 10", "no --blocks beside --paper"]),
    (PAPER | {"--length": "3"}, ["--length: got 3", "no --length beside --paper"]),
    (PAPER | {"--repetitions": "3"}, ["--repetitions: got 3", "no --repetitions beside --paper"]),
    ({"--repetitions": "3"}, ["--repetitions: got 3", "runs once"]),
    ({"--algorithm": "boosted"}, ["--repetitions: missing", "which boosted needs"]),
    ({"--algorithm": "agnostic"}, ["--repetitions: missing", "which agnostic needs"]),
    ({"--algorithm": "agnostic", "--repetitions": "1", "--length": "3"}, ["--length: got 3", "one record from each"]),
    ({"--algorithm": "bagging"}, ["--algorithm: invalid choice: 'bagging'"]),
    ({"--algorithm": NOT}, ["required: --algorithm"]),
    ({"--alpha": NOT}, ["required: --alpha"]),
    ({"--learner": "em"}, ["--learner: invalid choice: 'em'"]),
    ({"--release": "always"}, ["--release: got 'always'", "noisy, randomised, optimal"]),
    ({"--default": "a,c", "--length": "2"}, ["--default: got 'c'", "values of the domain: a, b"]),
    ({"--default": "a", "--length": "2"}, ["--default: got 'a'", "2 values of the domain"]),
    ({"--json": "none/result.json"}, ["--json: got 'none/result.json'", "an existing folder"]),
    ({"--json": "data.csv"}, ["--json: got 'data.csv'", "another file than that of DATA.csv"]),
    ({"--json": "coins.json"}, ["--json: got 'coins.json'", "another file than that of --class"]),
    ({"--plot": "bars.txt"}, ["--plot: got 'bars.txt'", ".png, .svg, .pdf"]),
    ({"--colour": "red"}, ["exactdp learn: unrecognized arguments: --colour red (see exactdp learn --help)"]),
    ({"--csv": "out.csv"}, ["unrecognized arguments: --csv out.csv (see exactdp learn --help)"]),
]
BAD_SAMPLES: list[tuple[dict[str, str], list[str]]] = [
    ({"--beta": "1/10"}, ["--beta: got '1/10'", "no --beta without --paper"]),
    (PAPER, ["--beta: missing; expected", "a failure probability beside --paper"]),
    (PAPER | {"--beta": "1/10", "--blocks": "5"}, ["--blocks: got 5", "no --blocks beside --paper"]),
    (PAPER | {"--beta": "1/10"}, ["records in data.csv: got 40 (int)", "at least 18447 records: 473 blocks of 39"]),
    ({"--length": "0"}, ["--length: got 0", "an integer of at least 1"]),
    ({"--repetitions": "2"}, ["unrecognized arguments: --repetitions 2"]),
    ({"--plot": "bars.png"}, ["unrecognized arguments: --plot bars.png"]),
    ({"--csv": "data.csv"}, ["--csv: got 'data.csv'", "another file than that of DATA.csv"]),
    ({"--csv": "none/out.csv"}, ["--csv: got 'none/out.csv'", "an existing folder"]),
    (PAPER | {"--beta": "1/10", "--epsilon": "any"}, ["epsilon: got 'any'", "one value"]),
    ({"--epsilon": "ln(1)"}, ["epsilon: got 'ln(1)'", "ln of a rational above 1"]),
]


@pytest.mark.parametrize(("change", "said"), BAD, ids=[" ".join(f"{k} {v}" for k, v in c.items()) for c, _ in BAD])
def test_a_bad_learn_is_refused_in_one_line(
    change: dict[str, str], said: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command(LEARN, {key: value for key, value in OUTPUTS.items() if key not in change} | change)
    line = refused(words, monkeypatch, capsys)
    assert [one for one in said if one not in line] == [], line


@pytest.mark.parametrize(
    ("change", "said"), BAD_SAMPLES, ids=[" ".join(f"{k} {v}" for k, v in c.items()) for c, _ in BAD_SAMPLES]
)
def test_a_bad_sample_is_refused_in_one_line(
    change: dict[str, str], said: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(command(SAMPLE, {"--json": OUTPUTS["--json"]} | change), monkeypatch, capsys)
    assert [one for one in said if one not in line] == [], line


def test_the_same_commands_without_a_mistake_run_and_write(capsys: pytest.CaptureFixture[str]) -> None:
    for base, written in ((SAMPLE, {"--json": "one.json"}), (LEARN, {"--json": "two.json"})):
        assert main(command(base, written | {"--anyway": ""})) in (0, 3)
        assert Path(written["--json"]).stat().st_size > 0
    assert capsys.readouterr().err == ""


def test_a_single_column_may_have_a_semicolon_in_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    Path("data.csv").write_text("side; up\n" + "a\n" * 40, encoding="utf-8")
    assert main(command(LEARN, {"--column": "side; up", "--dry-run": ""})) in (0, 3)
    assert "40 records" in capsys.readouterr().out


def test_blank_lines_at_the_end_of_a_file_are_no_records(capsys: pytest.CaptureFixture[str]) -> None:
    Path("data.csv").write_text(FILES["data.csv"] + "\n\n", encoding="utf-8")
    assert main(command(LEARN, {})) in (0, 3)
    assert "40 records" in capsys.readouterr().out


def test_a_byte_order_mark_and_quoted_cells_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f'"{n}, so","a"\r\n' for n in range(40))
    Path("data.csv").write_bytes(("\ufeffside note,side\r\n" + rows).encode("utf-8"))
    assert main(command(LEARN, {"--column": "side"})) in (0, 3)
    assert "40 records" in capsys.readouterr().out
