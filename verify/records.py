"""One column of a CSV file as records of a public domain, read in a stream: only that column is kept.

The domain is public and comes from the class file. A value outside it is mapped to the declared symbol, or refused; so
an error here can depend on the data, but it comes before anything is released. Every mistake in the file is an
`InvalidArgument` of one line; it names the row where one row is wrong. The header is row 1, blank lines count as rows
and the lines within a quoted cell do not.
"""

import csv
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn, TypeVar

from exactdp.reference.classes import LawClass
from exactdp.spec.errors import InvalidArgument

Rows = Iterator[list[str]]
Found = TypeVar("Found")

SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""What other programs put between cells."""


def read_records(path: str | Path, column: str, laws: LawClass) -> list[Hashable]:
    """The records in this column, as values of the domain of the class. Raises `InvalidArgument`."""
    return _read(path, lambda rows, name: _records(rows, column, laws, name))


def count_records(path: str | Path, column: str) -> int:
    """How many rows stand below the header, which has this column; their cells are not looked at.

    Raises `InvalidArgument`.
    """

    def count(rows: Rows, name: str) -> int:
        _place(rows, column, name)
        return sum(1 for _ in rows) or _none(name)

    return _read(path, count)


def write_records(path: Path, column: str, records: Iterable[object]) -> None:
    """A CSV file with this one column."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([[column], *([str(y)] for y in records)])


def _read(path: str | Path, work: Callable[[Rows, str], Found]) -> Found:
    """What is made of the rows of the file, and of its name."""
    name = str(path)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return work(_rows(csv.reader(file, strict=True)), name)
    except OSError as error:
        raise InvalidArgument("data", name, f"a CSV file that can be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidArgument("data", name, "a CSV file in UTF-8") from None
    except csv.Error as error:
        raise InvalidArgument("data", name, f"a CSV file: {error}") from None


def _rows(rows: Rows) -> Rows:
    """The rows, without the blank lines that end a file."""
    blank = 0
    for row in rows:
        if not row:
            blank += 1
            continue
        yield from [[]] * blank
        blank = 0
        yield row


def _records(rows: Rows, column: str, laws: LawClass, name: str) -> list[Hashable]:
    place, width = _place(rows, column, name)
    known: dict[str, Hashable] = {}
    records: list[Hashable] = []
    for row in rows:
        if len(row) != width:
            _refuse(name, len(records), f"{len(row)} cells", f"{width} cells, as many as the header has")
        text = row[place]
        if text not in known:
            known[text] = _placed(text, laws, name, len(records))
        records.append(known[text])
    return records if records else _none(name)


def _none(name: str) -> NoReturn:
    raise InvalidArgument("data", name, "at least one row below the header")


def _place(rows: Rows, column: str, name: str) -> tuple[int, int]:
    """Where the column stands in the header, which is the first row, and how many columns there are."""
    header = next(rows, None)
    if not header:
        raise InvalidArgument("data", name, "a CSV file whose first row names the columns: this one is empty")
    mark = next((mark for mark in SEPARATORS if len(header) == 1 and mark in header[0]), None)
    if mark is not None and column not in header:
        raise InvalidArgument(
            "data", name, f"cells with commas between them: the header has {SEPARATORS[mark]} instead"
        )
    if header.count(column) != 1:
        which = "a column that stands once" if column in header else "one of the columns"
        raise InvalidArgument("--column", column, f"{which}: {', '.join(header)}")
    return header.index(column), len(header)


def _placed(text: str, laws: LawClass, name: str, before: int) -> Hashable:
    try:
        return laws.read(text)
    except InvalidArgument as error:
        _refuse(name, before, text, f"{error.expected}; --other SYMBOL maps all other values to one of them")


def _refuse(name: str, before: int, found: object, expected: str) -> NoReturn:
    """A mistake in the row after the header and so many records."""
    raise InvalidArgument(f"{name}, row {before + 2}", found, expected) from None
