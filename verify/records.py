"""One column of a CSV file as records of a public domain, read in a stream: only that column is kept.

The domain is public and comes from the class file. A value outside it is mapped to the declared symbol, or refused; so
an error here can depend on the data, but it comes before anything is released. Every mistake in the file is an
`InvalidArgument` of one line that names the row; the header is row 1.
"""

import csv
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from exactdp.reference.classes import LawClass
from exactdp.spec.errors import InvalidArgument


def read_records(path: str | Path, column: str, laws: LawClass) -> list[Hashable]:
    """The records in this column, as values of the domain of the class. Raises `InvalidArgument`."""
    name = str(path)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return _records(_rows(csv.reader(file, strict=True)), column, laws, name)
    except OSError as error:
        raise InvalidArgument("data", name, f"a CSV file that can be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidArgument("data", name, "a CSV file in UTF-8") from None
    except csv.Error as error:
        raise InvalidArgument("data", name, f"a CSV file: {error}") from None


def _rows(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """The rows, without the blank lines that end a file."""
    blank = 0
    for row in rows:
        if not row:
            blank += 1
            continue
        yield from [[]] * blank
        blank = 0
        yield row


def _records(rows: Iterator[list[str]], column: str, laws: LawClass, name: str) -> list[Hashable]:
    header = next(rows, None)
    if not header:
        raise InvalidArgument("data", name, "a CSV file whose first row names the columns: this one is empty")
    place, width = _place(header, column), len(header)
    known: dict[str, Hashable] = {}
    records: list[Hashable] = []
    for row in rows:
        if len(row) != width:
            _refuse(name, len(records), f"{len(row)} cells", f"{width} cells, as many as the header has")
        text = row[place]
        if text not in known:
            known[text] = _placed(text, laws, name, len(records))
        records.append(known[text])
    if not records:
        raise InvalidArgument("data", name, "at least one row below the header")
    return records


def _place(header: Sequence[str], column: str) -> int:
    """Where the column stands."""
    if header.count(column) != 1:
        which = "a column that stands once" if column in header else "one of the columns"
        raise InvalidArgument("--column", column, f"{which}: {', '.join(header)}")
    return header.index(column)


def _placed(text: str, laws: LawClass, name: str, before: int) -> Hashable:
    try:
        return laws.read(text)
    except InvalidArgument as error:
        _refuse(name, before, text, f"{error.expected}; --other SYMBOL maps all other values to one of them")


def _refuse(name: str, before: int, found: object, expected: str) -> NoReturn:
    """A mistake in the row after the header and so many records."""
    raise InvalidArgument(f"{name}, row {before + 2}", found, expected) from None
