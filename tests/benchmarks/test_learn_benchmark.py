"""`exactdp learn` on a million rows, from the file to the estimate.

A million coins in a column of a CSV file with three columns, ten thousand blocks of a hundred: reading the file in a
stream, the guarantee, a uniform permutation, ten thousand laws, the coupled sample, and the law learnt from it. Beside
it the reading alone, and the theorem's sizes of the boosted learner.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from exactdp.reference.class_files import read_class
from exactdp.verify.cli import main
from exactdp.verify.records import read_records

ROWS = 10**6
COINS = """{
  "domain": ["heads", "tails"],
  "laws": {"a third": {"heads": "1/3", "tails": "2/3"}, "even": {"heads": 0.5, "tails": 0.5}}
}"""
CERTAIN = '{"domain": ["heads", "tails"], "points": true}'
LEARN = ["--column", "side", "--alpha", "1/10", "--beta", "1/100", "--epsilon", "1/2", "--delta", "1e-9", "--anyway"]


class Benchmark(Protocol):
    """What is used of the fixture, which ships no types."""

    group: str
    extra_info: dict[str, object]

    def pedantic(self, target: Callable[[], Any], *, rounds: int, warmup_rounds: int = 0) -> Any: ...


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A million rows, about a third of them heads, and a class file."""
    folder = tmp_path_factory.mktemp("coins")
    rows = (f"{n},{'heads' if n * 7919 % 3 == 0 else 'tails'},2024\n" for n in range(ROWS))
    (folder / "coins.csv").write_text("id,side,year\n" + "".join(rows), encoding="utf-8")
    (folder / "sure.csv").write_text("id,side,year\n" + "".join(f"{n},heads,2024\n" for n in range(ROWS)), "utf-8")
    (folder / "coins.json").write_text(COINS, encoding="utf-8")
    (folder / "certain.json").write_text(CERTAIN, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("data", "settings"),
    [
        ("coins", "--algorithm black-box --blocks 10000 --block-size 100 --length 200"),
        ("coins", "--algorithm boosted --blocks 500 --block-size 100 --length 200 --repetitions 20"),
        ("coins", "--algorithm black-box --learner mde --blocks 10000 --block-size 100 --length 200"),
        ("coins", "--algorithm agnostic --blocks 500 --block-size 100 --repetitions 20"),
        ("sure", "--algorithm boosted --paper --learner first-record"),
    ],
)
def test_learning_from_a_million_rows(
    benchmark: Benchmark, coins: Path, data: str, settings: str, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark.group = "exactdp learn, a million rows"
    class_file = coins / ("certain.json" if data == "sure" else "coins.json")
    words = ["learn", str(coins / f"{data}.csv"), "--class", str(class_file), *LEARN, *settings.split()]

    code = benchmark.pedantic(lambda: main(words), rounds=1)
    out = capsys.readouterr().out
    benchmark.extra_info["settings"] = settings
    assert code == 0
    assert "\nestimate   " in out


def test_reading_a_million_rows(benchmark: Benchmark, coins: Path) -> None:
    benchmark.group = "exactdp learn, a million rows"
    laws = read_class(coins / "coins.json")
    records = benchmark.pedantic(lambda: read_records(coins / "coins.csv", "side", laws), rounds=2)
    assert len(records) == ROWS
