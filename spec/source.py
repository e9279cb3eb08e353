"""Values as Python text that makes an equal value again: what a person pastes to replay a claim."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, ClassVar, Protocol

from exactdp.spec.exponent import ONE, Base, Exponent, Scale, Unit
from exactdp.spec.law import Law
from exactdp.spec.number import Exact
from exactdp.spec.standard_laws import discrete_laplace, point
from exactdp.spec.template import INTEGER


class Dataclass(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def source(value: object) -> str:
    """Python text that makes an equal value again: exact numbers, laws, instances, and containers of them.

    It needs the names of `exactdp.spec` that it uses. A countable law other than shifted discrete Laplace
    noise has no such text, and is shown as it shows itself.

    >>> source((Law({"a": "1/3", "b": "2/3"}), discrete_laplace(2)))
    "(Law({'a': '1/3', 'b': '2/3'}), discrete_laplace(Fraction(2, 1)))"
    """
    if isinstance(value, Exact):
        return _exact_source(value)
    if isinstance(value, Law):
        return _law_source(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{source(k)}: {source(v)}" for k, v in value.items()) + "}"
    if type(value) is tuple:
        return "(" + ", ".join(map(source, value)) + ("," if len(value) == 1 else "") + ")"
    return f"[{', '.join(map(source, value))}]" if isinstance(value, list) else repr(value)


def _law_source(law: Law) -> str:
    if not law.is_finite:
        return _laplace_source(law) or repr(law)
    masses = ((y, m) for y, m in law.items())
    texts = [f"{source(y)}: {source(m) if isinstance(m, Exact) else repr(str(m))}" for y, m in masses]
    return f"Law({{{', '.join(texts)}}})"


def _laplace_source(law: Law) -> str | None:
    """The text of discrete Laplace noise around an integer, found by comparing laws; None for other laws."""
    if list(law.families) != [INTEGER] or law.atoms:
        return None
    pieces = [piece for (density,) in law.families[INTEGER] for piece in density.pieces]
    centres = {bound for piece in pieces for bound in piece.interval if bound is not None}
    rates = {(abs(rate), p.terms.unit) for p in pieces for _, rate in p.terms.coefficients if rate}
    for rate, unit in rates:
        scale = source(1 / rate) if unit == ONE else f"{source(1 / rate)} / {_unit_source(unit)}"
        noise = discrete_laplace(Scale(Exponent(rate, unit)))
        for centre in centres:
            if noise.convolve(point(centre)) == law:
                text = f"discrete_laplace({scale})"
                return f"{text}.convolve(point({centre}))" if centre else text
    return None


def _exact_source(number: Exact) -> str:
    base, num, den = number.key()
    lone = den.count(0) == len(den) - 1
    shift = len(den) - 1 if lone else 0
    top = _sum_source(num, base, shift)
    bottom = str(den[-1]) if lone else _sum_source(den, base, 0)
    if bottom == "1":
        return top
    return "/".join(f"({part})" if " " in part else part for part in (top, bottom))


def _sum_source(coefficients: tuple[int, ...], base: Base, shift: int) -> str:
    terms = []
    for i, c in enumerate(coefficients):
        if c:
            power = _power_source(base, i - shift)
            terms.append(str(c) if not power else power if c == 1 else f"{c}*{power}")
    return " + ".join(terms)


def _power_source(base: Base, steps: int) -> str:
    """e^(-rate * steps) as text; nothing for steps 0."""
    exponent = -base.rate * steps
    if base.unit == ONE:
        return f"exp('{exponent}')" if steps else ""
    return f"exp({_unit_source(base.unit)} * {exponent!r})" if steps else ""


def _unit_source(unit: Unit) -> str:
    return f"Epsilon('{'any' if unit.symbolic else unit}')"


def fields_source(value: Dataclass) -> str:
    """A dataclass as a call with its fields, those left out that have their default."""
    given = [(f.name, getattr(value, f.name)) for f in fields(value)]
    defaults = {f.name: f.default for f in fields(value) if f.default is not MISSING}
    shown = [f"{name}={source(v)}" for name, v in given if name not in defaults or v != defaults[name]]
    return f"{type(value).__name__}({', '.join(shown)})"
