"""What the manual computes: the gallery, the items, the help texts and the picture of a profile.

Sphinx calls `write_all` before it reads the pages, which include the parts from `_build/generated`.
"""

import os
import re
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from exactdp.spec.claim import Claim
from exactdp.spec.enclosure import decimal
from exactdp.spec.item import PAPER, Item, items, step
from exactdp.spec.number import Number
from exactdp.verify.audit import Audit, audit
from exactdp.verify.cli import parser
from exactdp.verify.controls import controls
from exactdp.verify.families import family
from exactdp.verify.gallery import GALLERY, Entry
from exactdp.verify.plots import plot_profile
from exactdp.verify.results import short

HERE = Path(__file__).parent
WIDTH = "100"
"""Columns of the help texts."""

EXACT_AT_MOST = 40
INSTANCES_LOOKED_AT = 5

PROGRAM = re.compile(r"^```\{code-block\} python\n:caption: (?P<name>\w+\.py)\n\n(?P<text>.*?)^```$", re.M | re.S)


def programs(page: str) -> dict[str, str]:
    """The files that a page asks the reader to write, by name."""
    return {found["name"]: found["text"] for found in PROGRAM.finditer(page)}


# -- tables --


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    titles = list(head)
    lines = [titles, ["---"] * len(titles), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def block(text: str) -> str:
    """Text as it stands."""
    return f"```text\n{text.rstrip()}\n```"


def code(text: object) -> str:
    """Inline code."""
    return f"`{text}`"


# -- the gallery --


def gallery(entries: Mapping[str, Entry] = GALLERY) -> str:
    """The entries of the gallery, audited at their own epsilon: a table, long numbers in full, and what each is."""
    found = {name: entry.audit() for name, entry in entries.items()}
    head = ("mechanism", "claim (ε, δ)", "domain, n", "neighbours", "verdict", "least δ at ε", "e^ε* at δ", "note")
    rows = (_gallery_row(entry, found[name]) for name, entry in entries.items())
    return "\n\n".join(
        [
            table(head, rows),
            "## The long numbers",
            "The numbers of the table that were too long for it, exactly.",
            *_long_numbers(found),
            "## The mechanisms",
            "\n".join(f"- {code(name)}: {_first_paragraph(entry.mechanism)}" for name, entry in entries.items()),
        ]
    )


def _gallery_row(entry: Entry, result: Audit) -> tuple[str, ...]:
    star = result.epsilon_star
    assert star is not None, "the laws of the gallery are known completely"
    return (
        code(entry.name),
        f"({code(result.claim.epsilon)}, {_in_table(result.claim.delta)})",
        f"{code(', '.join(map(repr, entry.domain)))}, {entry.n}",
        entry.neighbours.name,
        result.verdict.kind.value,
        _in_table(_number(result.delta_at_epsilon)),
        "infinite" if star.factor is None else _in_table(star.factor),
        entry.note,
    )


def _in_table(number: Number) -> str:
    digits, text = decimal(number), str(number)
    if text == digits or len(text) > EXACT_AT_MOST:
        return digits
    return code(short(number)) if short(number) == digits else f"{digits} = {code(text)}"


def _long_numbers(found: dict[str, Audit]) -> Iterable[str]:
    for name, result in found.items():
        star = result.epsilon_star
        numbers = {"least δ at ε": _number(result.delta_at_epsilon), "e^ε* at δ": star.factor if star else None}
        for label, number in numbers.items():
            if number is not None and len(str(number)) > EXACT_AT_MOST:
                yield f"{code(name)}, {label}:"
                yield block(_wrapped(str(number)))


def _wrapped(text: str, width: int = 110) -> str:
    lines = [""]
    for word in re.split(r"(?= [+-] )", text):
        if len(lines[-1]) + len(word) > width:
            lines.append("   ")
        lines[-1] += word
    return "\n".join(lines)


def _number(found: object) -> Number:
    assert not isinstance(found, tuple), "the laws of the gallery are known completely"
    assert isinstance(found, Number), "a divergence is an exact number"
    return found


def _first_paragraph(function: object) -> str:
    return " ".join((function.__doc__ or "").split("\n\n")[0].split())


# -- the items --


def item_table() -> str:
    """The registry of items as a table, their statements, and the ids that are still to come."""
    built = items()
    waiting = [name for name in PAPER if name not in {one.id for one in built}]
    head = ("id", "kind", "title", "builds on", "claims, by step", "controls")
    return "\n\n".join(
        [
            table(head, map(_item_row, built)),
            *(part for one in built for part in _item_section(one)),
            *(["## Not built yet", ", ".join(map(code, waiting)) + "."] if waiting else []),
        ]
    )


def _item_row(one: Item) -> tuple[str, ...]:
    names = [control.name for control in controls(one.id)]
    uses = ", ".join(map(code, one.uses))
    return f"[{one.id}](#{_anchor(one)})", one.kind, one.title, uses, ", ".join(_steps(one)), "; ".join(names)


def _item_section(one: Item) -> tuple[str, ...]:
    wrong = [f"- {control.name} (refuted at {control.refuted_at}): {control.why}" for control in controls(one.id)]
    heading = (f"({_anchor(one)})=", f"## {one.id}: {one.title}", f"{one.section}.", block(one.statement))
    return *heading, "Controls:", "\n".join(wrong)


def _anchor(one: Item) -> str:
    return f"item-{one.id.lower().replace('.', '-')}"


def _steps(one: Item) -> list[str]:
    """The steps that the item has claims about, on the first instances of its family that have any."""
    claims: Iterable[list[Claim]] = (list(one.claims(instance)) for instance in family(one.id))
    some = islice((found for found in claims if found), INSTANCES_LOOKED_AT)
    return list(dict.fromkeys(step(claim.label) for found in some for claim in found))


# -- the command line --


def command_line() -> str:
    """The help of the program and of every command, as `--help` prints it."""
    with patch.dict(os.environ, {"COLUMNS": WIDTH, "NO_COLOR": "1"}):
        helps = {"exactdp": parser().format_help()}
        helps |= {f"exactdp {name}": command.format_help() for name, command in commands(parser()).items()}
    return "\n\n".join(f"## {name}\n\n{block(text)}" for name, text in helps.items())


def commands(main: ArgumentParser) -> dict[str, ArgumentParser]:
    """The commands of a parser, by name."""
    found = [action for action in main._actions if isinstance(action, _SubParsersAction)]
    return {name: command for action in found for name, command in action.choices.items()}


# -- the picture --


def profile_picture(path: Path) -> None:
    """The profile of the tutorial's refuted mechanism, as `--plot` draws it."""
    module = ModuleType("mine")
    exec(programs((HERE / "audit.md").read_text(encoding="utf-8"))["mine.py"], vars(module))
    mechanism = module.above_threshold
    plot_profile(audit(mechanism, domain=[-1, 0, 1], n=3, neighbours="each-by-one", epsilon="1/2"), path)


# -- all of it --

PARTS: dict[str, Callable[[], str]] = {
    "gallery.md": gallery,
    "items.md": item_table,
    "command-line.md": command_line,
}
PICTURES: dict[str, Callable[[Path], None]] = {"profile.png": profile_picture}


def write_all(source: Path) -> None:
    """Writes every part and picture into `_build/generated`, where the pages include them from."""
    folder = source / "_build" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in PARTS.items():
        (folder / name).write_text(part() + "\n", encoding="utf-8")
    for name, draw in PICTURES.items():
        draw(folder / name)
