"""An item explained: its statement, then its claims step by step with exact numbers on one instance."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from exactdp.spec.claim import Claim
from exactdp.spec.enclosure import decimal
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.item import Instance, Item, item, step
from exactdp.spec.number import Number
from exactdp.verify.controls import controls
from exactdp.verify.coupling_picture import EXAMPLE, plot_coupling
from exactdp.verify.families import family
from exactdp.verify.mode_picture import plot_release, release_table

INSTANCES_LOOKED_AT = 100
CLAIMS_SHOWN = 3
"""Of the claims of one step, those with the least room are shown, up to so many."""


def explain(name: str, preset: str = "minimal") -> str:
    """The item's statement, an instance on which its steps say something, every step on it, and its controls.

    Raises `InvalidArgument` for an unknown item.
    """
    found = item(name)
    lines = [f"{found.id}: {found.title} ({found.kind}; {found.section})", "", *_indented(found.statement.splitlines())]
    if found.uses:
        lines += ["", "It builds on " + ", ".join(found.uses) + "."]
    instance = telling_instance(found, family(name, preset))
    if instance is not None:
        claims = list(found.claims(instance))
        lines += ["", f"On the instance: {instance}", "", *_step_lines(claims), "", "The instance as Python:"]
        lines += _indented([repr(instance)])
    if name in TABLES:
        lines += ["", "Compared:", *_indented(TABLES[name]())]
    wrong = controls(name)
    if wrong:
        lines += ["", "Controls, wrong variants that must be refuted:"]
        lines += [f"  - {one.name}: {one.why} (refuted at: {one.refuted_at})" for one in wrong]
    return "\n".join(lines)


def telling_instance(found: Item, instances: Iterable[Instance]) -> Instance | None:
    """Among the first instances one whose central claims have something on the left and room on the right."""
    best: tuple[tuple[int, int, int], Instance] | None = None
    for instance in islice(instances, INSTANCES_LOOKED_AT):
        claims = list(found.claims(instance))
        central = [claim for claim in claims if step(claim.label) == found.central]
        telling = sum(claim.lhs != 0 and claim.margin > 0 for claim in central)
        score = (min(telling, 1), len({step(claim.label) for claim in claims}), -len(claims))
        if claims and (best is None or score > best[0]):
            best = score, instance
    return None if best is None else best[1]


def _step_lines(claims: Sequence[Claim]) -> list[str]:
    """Every step once, in the order of its first claim, with the claims that have the least room."""
    lines: list[str] = []
    steps: dict[str, list[Claim]] = {}
    for claim in claims:
        steps.setdefault(step(claim.label), []).append(claim)
    for name, group in steps.items():
        members = sorted(group, key=lambda claim: float(decimal(claim.margin)))
        lines.append(f"  {name} ({len(members)} claim{'s' if len(members) > 1 else ''})")
        for claim in members[:CLAIMS_SHOWN]:
            details = claim.label.partition(": ")[2] or "all"
            lines.append(f"      {details}: {_short(claim.lhs)} {claim.relation} {_short(claim.rhs)}")
    return lines


def _short(number: Number) -> str:
    text = str(number)
    return text if len(text) <= 40 else decimal(number)


def _indented(lines: Iterable[str]) -> list[str]:
    return ["    " + line for line in lines]


def _coupling_picture(path: Path) -> None:
    plot_coupling(EXAMPLE, path)


COUPLED = ("def-3.1", "prop-3.2", "prop-3.3", "constr-A.1", "alg-5", "thm-A.2", "cor-A.3", "constr-A.4", "alg-6")
"""The items that the picture of the coupling explains."""

PICTURES: Mapping[str, Callable[[Path], None]] = {**dict.fromkeys(COUPLED, _coupling_picture), "fact-B.3": plot_release}
"""What draws the picture of an item."""

TABLES: Mapping[str, Callable[[], list[str]]] = {"fact-B.3": release_table}
"""What compares mechanisms for an item, in lines."""

PICTURED = tuple(PICTURES)
"""The items that have a picture."""


def check_pictured(name: str) -> None:
    """Raises `InvalidArgument` for an item that has no picture."""
    if name not in PICTURES:
        raise InvalidArgument("--picture", name, "an item that has a picture: " + ", ".join(PICTURES))


def draw_picture(name: str, path: Path) -> None:
    """Draws the picture of an item; the file's ending chooses the format. Raises `InvalidArgument` if it has none."""
    check_pictured(name)
    PICTURES[name](path)
