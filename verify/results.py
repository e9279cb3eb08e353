"""Results for people and for programs: an audit as text, as JSON, and as Python that replays its refutation."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from exactdp.reference.draw import BUDGET
from exactdp.spec.cells import Cell
from exactdp.spec.claim import Claim, Kind
from exactdp.spec.divergence import Event
from exactdp.spec.enclosure import decimal, log_decimal
from exactdp.spec.law import Bounds
from exactdp.spec.number import Number
from exactdp.verify.audit import Audit, PrivacyClaim, Witness
from exactdp.verify.decide import LeastFactor

EXACT_AT_MOST = 90
"""Exact numbers up to so many characters are shown beside their decimals."""

Json = dict[str, object]


@dataclass(frozen=True)
class Source:
    """Where an audited function was loaded from, FILE.py:NAME or package.module:NAME, and how it was enumerated."""

    target: str = ""
    window: int | None = None
    budget: int = BUDGET


UNKNOWN = Source()
"""The source of a function that was handed over in Python."""


def number_json(number: Number) -> Json:
    """{exact, decimal}."""
    return {"exact": str(number), "decimal": decimal(number)}


def star_json(star: LeastFactor | None) -> Json | None:
    """{exp, decimal}: e^epsilon* exactly and epsilon* in decimals; `inf` when no epsilon will do."""
    if star is None:
        return None
    if star.factor is None:
        return {"exp": "inf", "decimal": "inf"}
    return {"exp": str(star.factor), "decimal": log_decimal(star.factor)}


def claim_json(claim: Claim) -> Json:
    """{label, lhs, relation, rhs}."""
    sides = {"lhs": number_json(claim.lhs), "relation": claim.relation, "rhs": number_json(claim.rhs)}
    return {"label": claim.label, **sides}


def audit_json(audit: Audit, source: Source = UNKNOWN) -> Json:
    """The audit's result in the shape that all results share, with what audits add."""
    found = audit.delta_at_epsilon
    delta: Json = (
        {"low": number_json(found.low), "high": number_json(found.high)}
        if isinstance(found, Bounds)
        else number_json(found)
    )
    return {
        "verdict": str(audit.verdict.kind),
        "reason": audit.verdict.reason,
        "mechanism": audit.mechanism,
        "claim": claim_text(audit.claim),
        "claims": [claim_json(claim) for claim in audit.claims],
        "witness": None if audit.witness is None else _witness_json(audit, audit.witness, source),
        "datasets": len(audit.universe.datasets),
        "pairs": audit.pairs,
        "seconds": round(audit.seconds, 3),
        "assumptions": audit.universe.assumptions,
        "delta_at_epsilon": delta,
        "worst_pair": [repr(dataset) for dataset in audit.worst_pair],
        "worst_event": [str(cell) for cell in in_order(audit.worst_event).cells],
        "epsilon_star": star_json(audit.epsilon_star),
        "profile": None if audit.profile is None else _profile_json(audit),
    }


def _witness_json(audit: Audit, witness: Witness, source: Source) -> Json:
    return {
        "pair": [repr(dataset) for dataset in witness.pair],
        "event": [str(cell) for cell in in_order(witness.event).cells],
        "p": number_json(witness.event.p),
        "q": number_json(witness.event.q),
        "replay": replay(audit, source),
    }


def _profile_json(audit: Audit) -> Json:
    assert audit.profile is not None
    points = [
        {"exp_epsilon": number_json(e), "epsilon": log_decimal(e), "delta": number_json(delta)}
        for e, delta in audit.profile.breakpoints
    ]
    return {"complete": audit.profile.complete, "breakpoints": points}


def replay(audit: Audit, source: Source = UNKNOWN) -> str:
    """Python that derives the refutation again, as it stands; without a source the function is called by its name.

    An event is spelled out when its outcomes are plain values. Unresolved mass is bounded.
    """
    witness = audit.witness
    if witness is None:
        return ""
    claim, event = audit.claim, in_order(witness.event)
    outcomes = [cell.single for cell in event.cells if cell.is_single and _is_plain(cell.single)]
    plain = len(outcomes) == len(event.cells) and audit.universe.is_resolved
    epsilon = repr(str(claim.epsilon))
    exponent = f"Epsilon({epsilon})" if claim.multiple == 1 else f"Epsilon({epsilon}) * Fraction('{claim.multiple}')"
    work = _function_lines(audit, source) + [
        f"{name} = law_of(mechanism, {data!r}, epsilon={epsilon}{_keywords(source)})"
        for name, data in zip("pq", witness.pair, strict=True)
    ]
    work.append(f"factor, delta = exp({exponent}), exact('{claim.delta}')")
    if plain:
        work.append(f"event = {outcomes!r}")
        work.append("assert sum(p[y] for y in event) > factor * sum(q[y] for y in event) + delta")
    else:
        low = "" if audit.universe.is_resolved else ".low"
        work.append(f"assert hockey_stick(p, q, factor){low} > delta  # at the event {event}")
    fractions = ["from fractions import Fraction"] if "Fraction(" in "\n".join(work) else []
    names = ["Epsilon", "exact", "exp", *([] if plain else ["hockey_stick"]), "law_of"]
    return "\n".join([*fractions, f"from exactdp import {', '.join(names)}", *work])


def _function_lines(audit: Audit, source: Source) -> list[str]:
    if source.target:
        return ["from exactdp.verify.loading import load_function", f"mechanism = load_function({source.target!r})"]
    return [f"mechanism = {audit.mechanism}"] if audit.mechanism.isidentifier() else []


def _keywords(source: Source) -> str:
    window = "" if source.window is None else f", window={source.window}"
    return window + ("" if source.budget == BUDGET else f", budget={source.budget}")


def _is_plain(value: Hashable) -> bool:
    """Whether the value's text is Python for it."""
    if isinstance(value, tuple | frozenset):
        return type(value) in (tuple, frozenset) and all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, str, bytes, Fraction)


def in_order(event: Event) -> Event:
    """The event with its outcomes in order, where they are values of one type that has an order."""
    cells = [cell for cell in event.cells if cell.is_single and type(cell.single) in (bool, int, str, Fraction, tuple)]
    if len(cells) < len(event.cells) or len({type(cell.single) for cell in cells}) > 1:
        return event
    try:
        return replace(event, cells=tuple(sorted(cells, key=_sort_key)))
    except TypeError:  # Tuples whose entries have no common order.
        return event


def _sort_key(cell: Cell) -> Any:
    return cell.single


def printable(text: str) -> str:
    """The text in one line that a terminal shows as it is: other characters as Python writes them.

    >>> printable("a\\nb\\x1b[2J é")
    'a\\\\nb\\\\x1b[2J é'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def counted(number: int, noun: str) -> str:
    """The number with its noun.

    >>> counted(1, "law"), counted(2, "law")
    ('1 law', '2 laws')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def claim_text(claim: PrivacyClaim) -> str:
    """The claim in words."""
    epsilon = str(claim.epsilon) if claim.multiple == 1 else f"{claim.multiple} * {claim.epsilon}"
    return f"({epsilon}, {short(claim.delta)})-differentially private, {claim.relation.name}"


def audit_text(audit: Audit, source: Source = UNKNOWN) -> str:
    """The audit's result for a terminal."""
    claim = audit.claim
    lines = [f"{audit.mechanism}: {claim_text(claim)}", f"verdict: {audit.verdict.kind.value.upper()}"]
    if audit.verdict.reason:
        lines.append(f"  {audit.verdict.reason}")
    if audit.verdict.kind == Kind.REFUTED and audit.witness is not None:
        lines += ["", *_witness_lines(audit, audit.witness)]
    lines += ["", *_finding_lines(audit), ""]
    lines.append(f"decided: {audit.pairs} ordered pairs of neighbours, {_universe_text(audit)}, {audit.seconds:.2f} s")
    lines += [f"assumed: {assumption}" for assumption in audit.universe.assumptions]
    if audit.verdict.kind == Kind.REFUTED:
        lines += ["", "replay:", *("    " + line for line in replay(audit, source).splitlines())]
    return "\n".join(lines)


def _universe_text(audit: Audit) -> str:
    datasets = audit.universe.datasets
    size = f"n = {audit.n}" if all(len(dataset) == audit.n for dataset in datasets) else f"n up to {audit.n}"
    return f"{counted(len(datasets), 'dataset')} of {size} over {counted(len(audit.domain), 'value')}"


def _witness_lines(audit: Audit, witness: Witness) -> list[str]:
    event, factor, delta = witness.event, audit.claim.factor, audit.claim.delta
    return [
        f"  data         {witness.pair[0]!r}",
        f"  neighbour    {witness.pair[1]!r}",
        f"  event        {in_order(event)}",
        f"  P(event)     {shown(event.p)}",
        f"  Q(event)     {shown(event.q)}",
        f"  allowed      {decimal(factor * event.q + delta)} = e^{_power(audit)} * Q(event) + {short(delta)}",
    ]


def _power(audit: Audit) -> str:
    claim = audit.claim
    text = str(claim.epsilon) if claim.multiple == 1 else f"{claim.multiple} * {claim.epsilon}"
    return text if text.isdigit() else f"({text})"


def _finding_lines(audit: Audit) -> list[str]:
    found, star = audit.delta_at_epsilon, audit.epsilon_star
    one, other = audit.worst_pair
    if isinstance(found, Bounds):
        return [f"  delta at the claimed epsilon   between {decimal(found.low)} and {decimal(found.high)}"]
    lines = [f"  delta at the claimed epsilon   {shown(found)}"]
    if found:
        lines.append(f"      at {one!r} against {other!r}, event {in_order(audit.worst_event)}")
    if star is not None:
        lines += _star_lines(audit, star)
    if audit.profile is not None:
        count = counted(len(audit.profile.segments), "breakpoint")
        more = "" if audit.profile.complete else " and more (the tails have infinitely many)"
        lines.append(f"  profile delta(epsilon)         {count}{more}, from epsilon = 0 on; see --json and --plot")
    return lines


def _star_lines(audit: Audit, star: LeastFactor) -> list[str]:
    label = "  epsilon* at the claimed delta  "
    if star.factor is None:
        reason = "grows without bound along" if star.limit else f"has probability {decimal(star.event.p)} against"
        shape = f"event {in_order(star.event)} {reason}" + ("" if star.limit else f" {decimal(star.event.q)}")
        lines = [label + "infinite"]
    else:
        lines = [label + f"{log_decimal(star.factor)}, e^epsilon* = {shown(star.factor)}"]
        shape = f"event {in_order(star.event)}" + (", approached along its tail" if star.limit else "")
    if star.event.cells:
        one, other = (audit.universe.datasets[i] for i in star.pair)
        lines.append(f"      at {one!r} against {other!r}, {shape}")
    return lines


def short(number: Number) -> str:
    """The number exactly, as a fraction or as a decimal, whichever is shorter."""
    exactly, digits = str(number), decimal(number)
    return digits if len(digits) < len(exactly) and Fraction(digits) == number else exactly


def shown(number: Number) -> str:
    """The decimals, and the exact number where it is short."""
    text, digits = str(number), decimal(number)
    return digits if text == digits or len(text) > EXACT_AT_MOST else f"{digits} = {text}"
