"""The ledger: every item of the paper, checked on its family and against its controls, with its verdict.

An item holds when every claim about every instance of its family is true, the family tests something, and
every control is refuted. An entry is plain data: it crosses processes and goes into a table or a JSON file.
"""

import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import groupby
from signal import SIG_DFL, SIGINT, signal
from time import perf_counter

from exactdp.spec.claim import Claim, Kind, Verdict
from exactdp.spec.enclosure import decimal, floor_scaled
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, MixedUnits, NotClosed, SymbolicEpsilon
from exactdp.spec.item import Instance, Item, item, items, step
from exactdp.spec.number import Number
from exactdp.spec.source import source
from exactdp.verify.controls import Control, controls
from exactdp.verify.families import PRESETS, family

Progress = Callable[[int, int, str], None]
"""Called with the number of items done, the number of all items, and the id of the item just done."""

OPEN = (BudgetExceeded, MixedUnits, NotClosed, SymbolicEpsilon)
"""What leaves a claim undecided; every other error is a mistake in the family."""


@dataclass(frozen=True)
class Margin:
    """How much room the tightest claim leaves, which claim it is, and the name of its instance."""

    value: Number
    label: str
    instance: str


@dataclass(frozen=True)
class Witness:
    """A false claim: its label, both sides, and its instance by name and as Python that can be pasted."""

    label: str
    lhs: Number
    relation: str
    rhs: Number
    instance: str
    source: str

    @staticmethod
    def of(claim: Claim) -> "Witness":
        """The witness that a false claim is."""
        made_of = source(claim.instance)
        return Witness(claim.label, claim.lhs, claim.relation, claim.rhs, str(claim.instance), made_of)

    def __str__(self) -> str:
        return f"{self.label}: not {self.lhs} {self.relation} {self.rhs}, for {self.instance}"


@dataclass(frozen=True)
class ControlResult:
    """A control, and the first false claim about it; None when nothing was noticed."""

    name: str
    refutation: Witness | None


@dataclass(frozen=True)
class Entry:
    """What became of an item: how much was checked, the tightest margin, controls, verdict and time.

    The margin is taken over the inequalities of the item's central step, those with 0 on both sides left out;
    where that step has none, over all inequalities.
    """

    id: str
    kind: str
    section: str
    title: str
    verdict: Verdict
    claims: int
    instances: int
    margin: Margin | None
    controls: tuple[ControlResult, ...]
    seconds: float

    @property
    def witness(self) -> Witness | None:
        """The first false claim, or None."""
        found = self.verdict.witness
        return found if isinstance(found, Witness) else None

    @property
    def controls_refuted(self) -> int:
        """How many of the controls were refuted."""
        return sum(control.refutation is not None for control in self.controls)


@dataclass
class _Tally:
    """What a run over a family has seen so far."""

    item: Item
    claims: int = 0
    instances: int = 0
    counts: bool = False
    """Whether the central quantity was other than 0 somewhere."""
    tightest: dict[bool, Margin] = field(default_factory=dict)
    """The tightest margin among central claims (True) and among the others (False)."""
    witness: Witness | None = None
    open: str = ""

    def run(self, instances: Iterable[Instance]) -> None:
        """Decide all claims about all instances, up to the first that is false."""
        for instance in instances:
            self.instances += 1
            try:
                for claim in self.item.claims(instance):
                    self.add(claim)
                    if self.witness is not None:
                        return
            except OPEN as error:
                self.open = self.open or f"{instance}: {error}"

    def add(self, claim: Claim) -> None:
        """Count a claim, decide it, and remember its margin."""
        self.claims += 1
        if not claim.holds:
            self.witness = Witness.of(claim)
            return
        central = step(claim.label) == self.item.central
        self.counts = self.counts or (central and bool(claim.lhs))
        if claim.relation != "==" and (claim.lhs or claim.rhs) and (central or True not in self.tightest):
            best, margin = self.tightest.get(central), claim.margin
            if best is None or _is_less(margin, best.value):
                self.tightest[central] = Margin(margin, claim.label, str(claim.instance))

    def verdict(self, results: Sequence[ControlResult]) -> Verdict:
        """What the run and the controls say together."""
        unnoticed = [result.name for result in results if result.refutation is None]
        if self.witness is not None:
            return Verdict(Kind.REFUTED, self.witness, str(self.witness))
        if unnoticed:
            return Verdict(Kind.REFUTED, None, f"a control is not refuted: {unnoticed[0]}")
        if self.open:
            return Verdict(Kind.UNDECIDED, None, self.open)
        empty = self._emptiness() or ("" if results else "there is no control: nothing wrong has been refuted")
        return Verdict(Kind.VACUOUS, None, empty) if empty else Verdict(Kind.HOLDS)

    def _emptiness(self) -> str:
        if not self.instances:
            return "the family has no instance"
        if not self.claims:
            return f"the hypotheses hold for none of {self.instances} instances"
        return "" if self.counts else f"the left side of step {self.item.central!r} is 0 on the whole family"


def entry_of(checked: Item, instances: Iterable[Instance], wrong: Iterable[Control]) -> Entry:
    """The entry of an item for the given instances and controls, whatever stands in the registries."""
    start = perf_counter()
    tally = _Tally(checked)
    tally.run(instances)
    results = tuple(ControlResult(control.name, _refutation(control)) for control in wrong)
    return Entry(
        checked.id,
        checked.kind,
        checked.section,
        checked.title,
        tally.verdict(results),
        tally.claims,
        tally.instances,
        tally.tightest.get(True, tally.tightest.get(False)),
        results,
        perf_counter() - start,
    )


def verify_item(name: str, preset: str = "minimal") -> Entry:
    """The entry of one item, on its family in that preset. Raises `InvalidArgument` as `family` does."""
    return entry_of(item(name), family(name, preset), controls(name))


def verify_items(
    ids: Sequence[str] | None = None,
    preset: str = "minimal",
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Entry]:
    """The entries of the items with these ids (None: of all), in the paper's order, on `jobs` processes.

    Raises `InvalidArgument` for an unknown id or preset, and for fewer than one job.
    """
    if preset not in PRESETS:
        raise InvalidArgument("preset", preset, "one of " + ", ".join(PRESETS))
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise InvalidArgument("jobs", jobs, "an int of at least 1")
    wanted = None if ids is None else {item(name).id for name in ids}
    names = [one.id for one in items() if wanted is None or one.id in wanted]
    tell = progress or (lambda done, total, label: None)
    if jobs > 1 and len(names) > 1:
        return _in_processes(names, preset, min(jobs, len(names)), tell)
    entries = []
    for done, name in enumerate(names, start=1):
        entries.append(verify_item(name, preset))
        tell(done, len(names), name)
    return entries


def overall(entries: Iterable[Entry]) -> Kind:
    """One verdict for all: refuted if one is, holds if all do, else undecided if one is, else vacuous."""
    kinds = [entry.verdict.kind for entry in entries]
    if Kind.REFUTED in kinds:
        return Kind.REFUTED
    if kinds and set(kinds) == {Kind.HOLDS}:
        return Kind.HOLDS
    return Kind.UNDECIDED if Kind.UNDECIDED in kinds else Kind.VACUOUS


def render(entries: Sequence[Entry]) -> str:
    """The ledger as a table for people, by section, with a line that sums it up."""
    head = ("item", "what was checked", "claims", "tightest margin", "controls", "verdict", "seconds")
    rows = [_row(entry) for entry in entries]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [_line(head, widths), _line(tuple("-" * width for width in widths), widths)]
    for section, group in groupby(zip(entries, rows, strict=True), lambda pair: pair[0].section):
        lines.append(section)
        for entry, row in group:
            lines.append(_line(row, widths))
            if entry.verdict.reason:
                lines.append(f"    {entry.verdict.reason}")
            if entry.witness is not None:
                lines.append(f"    {entry.witness.source}")
    return "\n".join([*lines, "", _summary(entries)])


def to_json(entries: Iterable[Entry]) -> list[dict[str, object]]:
    """The entries as plain data for a JSON file; a number is {exact, decimal}."""
    return [
        {
            "id": entry.id,
            "kind": entry.kind,
            "section": entry.section,
            "title": entry.title,
            "verdict": entry.verdict.kind.value,
            "reason": entry.verdict.reason,
            "claims": entry.claims,
            "instances": entry.instances,
            "controls": {"refuted": entry.controls_refuted, "total": len(entry.controls)},
            "seconds": round(entry.seconds, 3),
            "margin": _margin_json(entry.margin),
            "witness": _witness_json(entry.witness),
        }
        for entry in entries
    ]


# -- parts --


def _refutation(control: Control) -> Witness | None:
    found = control.refutation()
    return None if found is None else Witness.of(found)


def _is_less(a: Number, b: Number) -> bool:
    """a < b, also across units: there the numbers differ, one algebraic and one not, so finer floors tell."""
    try:
        return a < b
    except MixedUnits:
        bits = 64
        while (low := floor_scaled(a, bits)) == (high := floor_scaled(b, bits)):
            bits *= 2
        return low < high


def _in_processes(names: Sequence[str], preset: str, jobs: int, tell: Progress) -> list[Entry]:
    """As `verify_items`; on an error or an interruption the processes that were started here are ended."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    entries: dict[str, Entry] = {}
    with ProcessPoolExecutor(jobs, context, initializer=signal, initargs=(SIGINT, SIG_DFL)) as pool:
        try:
            pending = {pool.submit(verify_item, name, preset): name for name in names}
            for done, finished in enumerate(as_completed(pending), start=1):
                entries[pending[finished]] = finished.result()
                tell(done, len(names), pending[finished])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
    return [entries[name] for name in names]


def _row(entry: Entry) -> tuple[str, ...]:
    margin = "" if entry.margin is None else decimal(entry.margin.value, 6)
    return (
        f"  {entry.id}",
        f"{entry.title}, {_counted(entry.instances, 'instance')}",
        str(entry.claims),
        "0 (attained)" if margin == "0" else margin,
        f"{entry.controls_refuted} of {len(entry.controls)}",
        entry.verdict.kind.value,
        f"{entry.seconds:.1f}",
    )


def _line(cells: tuple[str, ...], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _summary(entries: Sequence[Entry]) -> str:
    kinds = [entry.verdict.kind for entry in entries]
    verdicts = ", ".join(f"{kinds.count(kind)} {kind.value}" for kind in Kind if kind in kinds)
    claims, instances = sum(entry.claims for entry in entries), sum(entry.instances for entry in entries)
    refuted, wrong = sum(e.controls_refuted for e in entries), sum(len(e.controls) for e in entries)
    return (
        f"{_counted(len(entries), 'item')} ({verdicts or 'none'}): {_counted(claims, 'claim')} on "
        f"{_counted(instances, 'instance')}, {refuted} of {_counted(wrong, 'control')} refuted, "
        f"{sum(entry.seconds for entry in entries):.1f} s of computation"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _number_json(number: Number) -> dict[str, str | None]:
    try:
        return {"exact": str(number), "decimal": decimal(number)}
    except SymbolicEpsilon:
        return {"exact": str(number), "decimal": None}


def _margin_json(margin: Margin | None) -> dict[str, object] | None:
    if margin is None:
        return None
    return {**_number_json(margin.value), "label": margin.label, "instance": margin.instance}


def _witness_json(witness: Witness | None) -> dict[str, object] | None:
    if witness is None:
        return None
    return {
        "label": witness.label,
        "lhs": _number_json(witness.lhs),
        "relation": witness.relation,
        "rhs": _number_json(witness.rhs),
        "instance": witness.instance,
        "source": witness.source,
    }
