"""The manual and the README say what the program does: their examples run, and their links and tables are whole."""

import doctest
import importlib.util
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import exactdp
from exactdp.spec.item import PAPER, items
from exactdp.verify import checker
from exactdp.verify.cli import main
from exactdp.verify.controls import controls
from exactdp.verify.gallery import GALLERY

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "exactdp": main,
    ".venv/bin/exactdp": main,
    "python verify/checker.py": checker.main,
}
GENERATED = "_build/generated/"


class Block(NamedTuple):
    """A fenced block: its language, its text, and the number of lines before its text."""

    language: str
    text: str
    line: int


def blocks(markdown: str) -> list[Block]:
    fences = re.finditer(r"^```(?P<language>\S+)[^\n]*\n(?P<text>.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    return [Block(f["language"], f["text"], markdown.count("\n", 0, f.start("text"))) for f in fences]


def text_of(markdown: str, language: str) -> list[str]:
    return [block.text for block in blocks(markdown) if block.language == language]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The module that computes the parts of the manual."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in, whose modules can be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    yield tmp_path
    sys.modules.pop("mine", None)


# -- the examples of the pages --


@EVERY_PAGE
def test_the_examples_of_a_page_run_as_it_says(page: Path, generate: ModuleType, desk: Path) -> None:
    markdown = page.read_text(encoding="utf-8")
    for name, program in generate.programs(markdown).items():
        (desk / name).write_text(program, encoding="utf-8")
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    parser, names = doctest.DocTestParser(), dict[str, object]()
    report: list[str] = []
    for block in blocks(markdown):
        if block.language == "pycon":
            test = parser.get_doctest(block.text, names, page.name, str(page), block.line)
            runner.run(test, out=report.append, clear_globs=False)
            names = test.globs
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


@EVERY_PAGE
def test_every_example_of_a_page_shows_what_comes_of_it(page: Path) -> None:
    """No `>>> 1 + 1` without its 2, and no Python in another kind of block that nothing would run."""
    markdown = page.read_text(encoding="utf-8")
    assert not re.search(r"^>>> ", "".join(b.text for b in blocks(markdown) if b.language != "pycon"), re.MULTILINE)
    assert {block.language for block in blocks(markdown)} <= {
        "pycon", "console", "json", "{code-block}", "{include}", "{toctree}", "{eval-rst}",
    }  # fmt: skip


@EVERY_PAGE
def test_the_class_files_of_a_page_can_be_read(page: Path) -> None:
    markdown = page.read_text(encoding="utf-8")
    short_forms = re.findall(r"^\| `({.*})` \|", markdown, re.MULTILINE)
    for text in [*text_of(markdown, "json"), *short_forms]:
        assert len(exactdp.class_from_json(text)) > 1


@EVERY_PAGE
def test_the_commands_of_a_page_print_what_it_says(
    page: Path, generate: ModuleType, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    markdown = page.read_text(encoding="utf-8")
    for name, program in generate.programs(markdown).items():
        (desk / name).write_text(program, encoding="utf-8")
    for text in text_of(markdown, "console"):
        for command, expected in sessions(text):
            printed = output_of(command, capsys)
            assert expected == "...\n" or without_seconds(printed) == without_seconds(expected), command


def sessions(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it prints."""
    _, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def output_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints, run in this process."""
    name = next(name for name in COMMANDS if command.startswith(name + " "))
    COMMANDS[name](shlex.split(command.removeprefix(name)))
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def without_seconds(text: str) -> str:
    return re.sub(r"\d+\.\d\d s$", "0.00 s", text.rstrip(), flags=re.MULTILINE)


# -- what is computed --


def test_the_command_line_page_is_what_help_prints(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", generate.WIDTH)
    monkeypatch.setenv("NO_COLOR", "1")
    shown = [help_of([], capsys)]
    commands = re.findall(r"^    (\w+)  ", shown[0], re.MULTILINE)
    assert {"verify", "audit", "check"} <= set(commands)
    shown += [help_of([command], capsys) for command in commands]
    assert text_of(generate.command_line(), "text") == shown


def help_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit, match=r"^0$"):
        main([*words, "--help"])
    return capsys.readouterr().out


def test_the_table_of_items_lists_all_items_with_their_controls(generate: ModuleType) -> None:
    page = generate.item_table()
    rows = re.findall(r"^\| \[([^]]+)\]", page, re.MULTILINE)
    assert rows == [one.id for one in items()]
    missing = [one.id for one in items() if one.statement not in page or f"## {one.id}: {one.title}" not in page]
    assert missing == []
    assert [control.name for name in rows for control in controls(name) if control.why not in page] == []
    announced = re.findall(r"`([^`]+)`", page.partition("## Not built yet")[2])
    assert sorted([*rows, *announced]) == sorted(PAPER)


def test_the_table_of_the_gallery_has_verdicts_and_exact_numbers(generate: ModuleType) -> None:
    some = {name: GALLERY[name] for name in ("geometric", "stability_histogram", "svt4", "svt5")}
    page = generate.gallery(some)
    rows = [[cell.strip("| ") for cell in line.split(" | ")] for line in page.splitlines() if line.startswith("| `")]
    assert [(row[0], row[4]) for row in rows] == [
        ("`geometric`", "holds"), ("`stability_histogram`", "holds"), ("`svt4`", "refuted"), ("`svt5`", "refuted"),
    ]  # fmt: skip
    assert rows[0][5:7] == ["0", "2.718281828 = `e^1`"]
    assert rows[1][5] == "0.01338980493 = `e^-4/(1 + e^-1)`"
    assert rows[3][5:7] == ["0.3934693403 = `1 - e^(-1/2)`", "infinite"]
    assert "`svt4`, least δ at ε:" in page
    assert generate.gallery.__defaults__ == (GALLERY,)


def test_the_picture_of_the_tutorial_is_drawn(generate: ModuleType, tmp_path: Path) -> None:
    for name, draw in generate.PICTURES.items():
        draw(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_reference_describes_every_public_name_once() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    described = re.findall(r"^\.\. (?:auto\w+|py:data):: exactdp\.(\w+)(?:\(\))?$", page, re.MULTILINE)
    assert sorted(described) == sorted(exactdp.__all__)


# -- links --


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md", *PAGES],
    ids=lambda page: f"{page.parent.name}/{page.name}",
)
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Path, generate: ModuleType) -> None:
    markdown = re.sub(r"^```(?!\{include\}).*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)\s]+)\)", markdown) + re.findall(r"^```\{include\} (\S+)$", markdown, re.MULTILINE)
    assert [link for link in links if not _resolves(page, link, generate)] == []


def _resolves(page: Path, link: str, generate: ModuleType) -> bool:
    place, _, heading = link.partition("#")
    if place.startswith("https://"):
        return True
    if place.startswith(GENERATED):
        return place.removeprefix(GENERATED) in {*generate.PARTS, *generate.PICTURES}
    target = page.parent / place if place else page
    return target.exists() and (not heading or heading in _anchors(target))


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = [line for text in text_of(index, "{toctree}") for line in text.split("\n\n")[1].split()]
    assert sorted(["index", *listed]) == [page.stem for page in PAGES]


# -- the README --


def test_the_examples_of_the_readme_run_and_print_what_it_says(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    program, again, *_ = text_of(readme, "python")
    assert "def above_threshold" in program
    (desk / "mine.py").write_text(program, encoding="utf-8")
    (command, expected), _ = [s for text in blocks_without_language(readme) for s in sessions(text)]
    printed = without_seconds(output_of(command, capsys)).splitlines()
    shown = without_seconds(expected).splitlines()
    assert shown[-1].startswith("decided: ")
    assert printed[: len(shown)] == shown
    names: dict[str, object] = {}
    exec(program, names)
    exec(again, names)
    result, law_of = names["result"], names["law_of"]
    assert isinstance(result, exactdp.Audit)
    assert result.verdict.kind == "refuted"
    assert result.witness is not None
    assert result.witness.pair == ((-1, -1, 0), (0, 0, -1))
    assert law_of is exactdp.law_of


def test_the_readme_learns_from_the_dice_what_it_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The guarantee, word for word, and an answer of the class: which one, is drawn."""
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, (command, _) = [s for text in blocks_without_language(readme) for s in sessions(text)]
    start = readme.index("data       examples/weldon_dice.csv")
    shown = readme[start : readme.index("```", start)].splitlines()
    rest = readme[readme.index(command) :].splitlines()[1].strip()
    printed = output_of(f"{command.rstrip(chr(92))} {rest}", capsys).splitlines()
    assert shown[-1] == "estimate   1/3"
    assert printed[: len(shown) - 1] == shown[:-1]
    assert printed[len(shown) - 1].split()[1] in ("4/15", "3/10", "1/3", "11/30", "2/5")


def test_the_readme_couples_and_samples_in_python() -> None:
    _, _, sampling, coupling = text_of((ROOT / "README.md").read_text(encoding="utf-8"), "python")
    names: dict[str, object] = {}
    exec(sampling, names)
    private = names["private"]
    assert isinstance(private, partial)
    law = exactdp.sampler_law({"heads": 750, "tails": 750}, **private.keywords)
    assert law["heads", "tails"] == law["tails", "heads"]
    assert law[exactdp.BOTTOM] > 0
    exec(coupling, names)
    joint = names["joint"]
    assert isinstance(joint, exactdp.Law)
    assert (joint[0, 0], joint[1, 0]) == (Fraction(3, 7), Fraction(1, 14))


def blocks_without_language(markdown: str) -> list[str]:
    fences = re.split(r"^```", markdown, flags=re.MULTILINE)[1::2]
    return [fence.removeprefix("\n") for fence in fences if fence.startswith("\n")]
