"""Results for people and for programs: an audit as text, as JSON, and as Python that replays its refutation."""

from fractions import Fraction

from exactdp.spec.claim import Claim, Kind
from exactdp.spec.enclosure import decimal, log_decimal
from exactdp.spec.law import Bounds
from exactdp.spec.number import Number
from exactdp.verify.audit import Audit, PrivacyClaim, Witness
from exactdp.verify.decide import LeastFactor

EXACT_AT_MOST = 90
"""Exact numbers up to so many characters are shown beside their decimals."""

Json = dict[str, object]


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


def audit_json(audit: Audit) -> Json:
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
        "witness": None if audit.witness is None else _witness_json(audit, audit.witness),
        "datasets": len(audit.universe.datasets),
        "pairs": audit.pairs,
        "seconds": round(audit.seconds, 3),
        "assumptions": audit.universe.assumptions,
        "delta_at_epsilon": delta,
        "worst_pair": [repr(dataset) for dataset in audit.worst_pair],
        "worst_event": [str(cell) for cell in audit.worst_event.cells],
        "epsilon_star": star_json(audit.epsilon_star),
        "profile": None if audit.profile is None else _profile_json(audit),
    }


def _witness_json(audit: Audit, witness: Witness) -> Json:
    return {
        "pair": [repr(dataset) for dataset in witness.pair],
        "event": [str(cell) for cell in witness.event.cells],
        "p": number_json(witness.event.p),
        "q": number_json(witness.event.q),
        "replay": replay(audit),
    }


def _profile_json(audit: Audit) -> Json:
    assert audit.profile is not None
    points = [
        {"exp_epsilon": number_json(e), "epsilon": log_decimal(e), "delta": number_json(delta)}
        for e, delta in audit.profile.breakpoints
    ]
    return {"complete": audit.profile.complete, "breakpoints": points}


def replay(audit: Audit) -> str:
    """Python that derives the refutation again; `mechanism` must be the audited function."""
    witness = audit.witness
    if witness is None:
        return ""
    claim, (one, other) = audit.claim, witness.pair
    epsilon = repr(str(claim.epsilon))
    exponent = f"Epsilon({epsilon})" if claim.multiple == 1 else f"Epsilon({epsilon}) * Fraction('{claim.multiple}')"
    lines = [
        "from fractions import Fraction",
        "from exactdp import Epsilon, exact, exp, hockey_stick, law_of",
        f"p = law_of(mechanism, {one!r}, epsilon={epsilon})",
        f"q = law_of(mechanism, {other!r}, epsilon={epsilon})",
        f"factor, delta = exp({exponent}), exact('{claim.delta}')",
    ]
    if all(cell.is_single for cell in witness.event.cells):
        lines.append(f"event = {[cell.single for cell in witness.event.cells]!r}")
        lines.append("assert sum(p[y] for y in event) > factor * sum(q[y] for y in event) + delta")
    else:
        lines.append(f"assert hockey_stick(p, q, factor) > delta  # at the event {witness.event}")
    return "\n".join(lines)


def claim_text(claim: PrivacyClaim) -> str:
    """The claim in words."""
    epsilon = str(claim.epsilon) if claim.multiple == 1 else f"{claim.multiple} * {claim.epsilon}"
    return f"({epsilon}, {short(claim.delta)})-differentially private, {claim.relation.name}"


def audit_text(audit: Audit) -> str:
    """The audit's result for a terminal."""
    claim = audit.claim
    lines = [f"{audit.mechanism}: {claim_text(claim)}", f"verdict: {audit.verdict.kind.value.upper()}"]
    if audit.verdict.reason:
        lines.append(f"  {audit.verdict.reason}")
    if audit.verdict.kind == Kind.REFUTED and audit.witness is not None:
        lines += ["", *_witness_lines(audit, audit.witness)]
    lines += ["", *_finding_lines(audit), ""]
    size = f"{len(audit.universe.datasets)} datasets of n = {audit.n} over {len(audit.domain)} values"
    lines.append(f"decided: {audit.pairs} ordered pairs of neighbours, {size}, {audit.seconds:.2f} s")
    lines += [f"assumed: {assumption}" for assumption in audit.universe.assumptions]
    if audit.verdict.kind == Kind.REFUTED:
        lines += ["", "replay:", *("    " + line for line in replay(audit).splitlines())]
    return "\n".join(lines)


def _witness_lines(audit: Audit, witness: Witness) -> list[str]:
    event, factor, delta = witness.event, audit.claim.factor, audit.claim.delta
    return [
        f"  data         {witness.pair[0]!r}",
        f"  neighbour    {witness.pair[1]!r}",
        f"  event        {event}",
        f"  P(event)     {shown(event.p)}",
        f"  Q(event)     {shown(event.q)}",
        f"  allowed      {decimal(factor * event.q + delta)} = e^{_power(audit)} * Q(event) + {short(delta)}",
    ]


def _power(audit: Audit) -> str:
    claim = audit.claim
    return f"({claim.epsilon})" if claim.multiple == 1 else f"({claim.multiple} * {claim.epsilon})"


def _finding_lines(audit: Audit) -> list[str]:
    found, star = audit.delta_at_epsilon, audit.epsilon_star
    one, other = audit.worst_pair
    if isinstance(found, Bounds):
        return [f"  delta at the claimed epsilon   between {decimal(found.low)} and {decimal(found.high)}"]
    lines = [f"  delta at the claimed epsilon   {shown(found)}"]
    if found:
        lines.append(f"      at {one!r} against {other!r}, event {audit.worst_event}")
    if star is not None:
        lines += _star_lines(audit, star)
    if audit.profile is not None:
        count = len(audit.profile.segments)
        kind = "breakpoints" if audit.profile.complete else "breakpoints and more (the tails have infinitely many)"
        lines.append(f"  profile delta(epsilon)         {count} {kind}, from epsilon = 0 on; see --json and --plot")
    return lines


def _star_lines(audit: Audit, star: LeastFactor) -> list[str]:
    label = "  epsilon* at the claimed delta  "
    if star.factor is None:
        reason = "grows without bound along" if star.limit else f"has probability {decimal(star.event.p)} against"
        shape = f"event {star.event} {reason}" + ("" if star.limit else f" {decimal(star.event.q)}")
        lines = [label + "infinite"]
    else:
        lines = [label + f"{log_decimal(star.factor)}, e^epsilon* = {shown(star.factor)}"]
        shape = f"event {star.event}" + (", approached along its tail" if star.limit else "")
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
