"""Certificates: an audit as a JSON file that `exactdp.verify.checker` decides again by itself, without this package.

The file states the claim, the universe with all neighbouring pairs, the exact output law of every dataset as integer
polynomials over one denominator, and what was found. Everything but the laws themselves is derived again by the
checker; that the laws are those of the program is the one thing it takes on trust. The format is described there.
"""

import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from exactdp.spec.cells import Cell
from exactdp.spec.errors import NotClosed
from exactdp.spec.exponent import ONE, Base, Unit
from exactdp.spec.number import Exact, Number
from exactdp.spec.vector import Exponentials, polynomials
from exactdp.verify.audit import Audit

FORMAT = "exactdp-certificate-1"


def write_certificate(audit: Audit, path: Path) -> None:
    """Writes the audit's certificate. Raises `NotClosed` when the laws have no certified form, and OSError."""
    text = json.dumps(certificate(audit), separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")


def certificate(audit: Audit) -> dict[str, object]:
    """The audit's certificate as a JSON object. Raises `NotClosed` when the laws have no certified form."""
    universe, star = audit.universe, audit.epsilon_star
    aligned = universe.aligned
    if star is None or isinstance(audit.delta_at_epsilon, tuple):
        raise NotClosed("no certificate: some mass is unresolved, so the verdict rests on bounds")
    if aligned.irregular:
        raise NotClosed("no certificate: some laws have tails that are no multiples of one another; clamp the outcome")
    base = _base(audit)
    claim = audit.claim
    positions = {record: i for i, record in enumerate(audit.domain)}
    cells = {cell: i for i, cell in enumerate(aligned.cells)}
    one, other = (universe.datasets.index(dataset) for dataset in audit.worst_pair)
    return {
        "format": FORMAT,
        "mechanism": audit.mechanism,
        "epsilon": str(claim.epsilon),
        "multiple": str(claim.multiple),
        "delta": _number(claim.delta, base),
        "neighbours": claim.relation.name,
        "domain": [repr(record) for record in audit.domain],
        "n": audit.n,
        "base": {"unit": "1" if base.unit == ONE else str(base.unit.base), "rate": str(base.rate)},
        "outcomes": [_outcome(cell) for cell in aligned.cells],
        "laws": [_law(vector.over(base)) for vector in aligned.vectors],
        "datasets": [
            [[positions[record] for record in dataset], universe.law_of[i]]
            for i, dataset in enumerate(universe.datasets)
        ],
        "pairs": [list(pair) for pair in sorted({(min(pair), max(pair)) for pair in universe.pairs})],
        "assumptions": universe.assumptions,
        "verdict": str(audit.verdict.kind) if audit.verdict.kind != "vacuous" else "holds",
        "delta_at_epsilon": _number(audit.delta_at_epsilon, base),
        "exp_epsilon_star": "inf" if star.factor is None else _number(star.factor, base),
        "witness": {
            "pair": [one, other],
            "event": [cells[cell] for cell in audit.worst_event.cells],
            "p": _number(audit.worst_event.p, base),
            "q": _number(audit.worst_event.q, base),
        },
    }


def _base(audit: Audit) -> Base:
    """One exponential in which all masses, e^epsilon and what was found are rational functions."""
    aligned, star = audit.universe.aligned, audit.epsilon_star
    assert star is not None
    numbers = [audit.claim.factor, audit.claim.delta, audit.delta_at_epsilon, star.factor]
    bases = [number.base for number in numbers if isinstance(number, Exact)]
    bases += [vector.base for vector in aligned.vectors if isinstance(vector, Exponentials)]
    if bases:
        first, *rest = dict.fromkeys(bases)
        for base in rest:
            first = first.common(base)
        return first
    units: Iterable[Unit] = (cell.unit for cell in aligned.cells if any(rate for _, rate in cell.shape))
    return Base(next(iter(units), audit.claim.epsilon.unit), Fraction(1))


def _number(number: Number, base: Base) -> dict[str, list[int]]:
    num, den = polynomials(number, base)
    return {"num": num or [0], "den": den}


def _law(masses: Exponentials) -> dict[str, object]:
    entries, den = masses.integers()
    return {"den": den, "masses": [[i, entry] for i, entry in enumerate(entries) if entry]}


def _outcome(cell: Cell) -> dict[str, object]:
    if cell.template is None:
        return {"value": repr(cell.outcome)}
    if any(degree for degree, _ in cell.shape) or len(cell.shape) != len(cell.box):
        raise NotClosed("no certificate: some laws have tails that are no single exponentials; clamp the outcome")
    text = repr(cell.template)
    if text.count("#") != cell.template.holes:
        raise NotClosed(f"no certificate: the outcome {text} has a # of its own, the sign for noise in certificates")
    rates = [str(rate) for _, rate in cell.shape]
    return {"template": text, "box": [list(interval) for interval in cell.box], "shape": rates}
