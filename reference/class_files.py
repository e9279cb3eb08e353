"""Class files: a finite class of laws, with its public domain, written in JSON.

    {"domain": ["a", "b"], "laws": {"fair": {"a": "1/2", "b": "1/2"}, "biased": {"a": 0.3, "b": 0.7}}}

A mass is a fraction as text, an integer, or a decimal, which is read as it is written and so exactly. In place of
"laws" stands one of the short forms

    {"domain": ["a", "b", "c"], "grid": 4}                             all laws with denominator 4
    {"domain": ["a", "b", "c"], "points": true}                        the point masses
    {"bernoulli": 10}                                                  0 and 1 with probabilities i/10
    {"binomials": {"trials": 12, "probabilities": ["1/3", 0.4]}}
    {"clamped_geometrics": {"low": 0, "high": 9, "scales": [1, 2]}}
    {"clamped_laplaces": {"low": 0, "high": 9, "scales": [1], "centres": [3, 6]}}

and both "name" and "other" (the value of the domain to which other records are mapped) may be added. Every mistake is
an `InvalidArgument` of one line that begins with the source.
"""

import json
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from exactdp.reference.classes import (
    LawClass,
    bernoulli_grid,
    binomials,
    clamped_geometrics,
    clamped_laplaces,
    grid_class,
    point_masses,
)
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exact
from exactdp.spec.terms import sign

COMMON = ("name", "other")
PARTS: Mapping[str, tuple[str, ...]] = {
    "binomials": ("trials", "probabilities"),
    "clamped_geometrics": ("low", "high", "scales"),
    "clamped_laplaces": ("low", "high", "scales", "centres"),
}
OPTIONAL = ("centres",)
WITH_DOMAIN = ("laws", "grid", "points")
FORMS = (*WITH_DOMAIN, "bernoulli", *PARTS)
DIGITS_AT_MOST = 2_000
LARGEST_SHOWN = 10**30


class DecimalText(str):
    """A JSON number with a point or an exponent, as it was written."""

    __slots__ = ()


def read_class(path: str | Path) -> LawClass:
    """The class in a JSON file. Raises `InvalidArgument` for a file that cannot be read and for every mistake in it."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidArgument("class file", str(path), f"a file that can be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidArgument("class file", str(path), "a JSON file in UTF-8") from None
    return class_from_json(text, str(path))


def class_from_json(source: str | Mapping[str, Any], name: str = "class") -> LawClass:
    """The class that JSON text describes, or an object that such text gave; `name` stands in messages.

    >>> coins = class_from_json('{"domain": [0, 1], "laws": {"fair": {"0": 0.5, "1": "1/2"}}}')
    >>> coins.law("fair")[1], coins.domain
    (Fraction(1, 2), (0, 1))
    >>> class_from_json('{"domain": ["a", "b"], "laws": {"odd": {"a": 0.3, "b": 0.6}}}', "odd.json")
    Traceback (most recent call last):
    ...
    exactdp.spec.errors.InvalidArgument: odd.json: sum of the masses of law 'odd': got 9/10; expected exactly 1
    """
    found = _parsed(source, name) if isinstance(source, str) else source
    if not isinstance(found, Mapping):
        _refuse(name, "content", found, 'an object such as {"domain": ["a", "b"], "laws": {...}}')
    form = _form(found, name)
    made = _with_domain(form, found, name) if form in WITH_DOMAIN else _short(form, found, name)
    title = found.get("name", made.name)
    if type(title) is not str:
        _refuse(name, '"name"', title, "text")
    return LawClass(made.domain, made.laws, title, _other(found, made.domain, name))


def _parsed(text: str, name: str) -> object:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) < len(found):
            counts = Counter(key for key, _ in found)
            _refuse(name, "key", next(key for key in counts if counts[key] > 1), "each key of an object once")
        return dict(found)

    def constant(word: str) -> NoReturn:
        _refuse(name, "number", word, "a finite number")

    def integer(digits: str) -> int:
        if len(digits) > DIGITS_AT_MOST:
            _refuse(name, "number", digits, f"an integer of at most {DIGITS_AT_MOST} digits")
        return int(digits)

    try:
        found: object = json.loads(
            text, object_pairs_hook=pairs, parse_float=DecimalText, parse_int=integer, parse_constant=constant
        )
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        return found
    except UnicodeEncodeError as error:
        half = str(error.object[error.start])
        raise InvalidArgument(f"{name}: character", half, "characters, not the half of one") from None
    except json.JSONDecodeError as error:
        where = f"JSON; at line {error.lineno}, column {error.colno}: {error.msg}"
        raise InvalidArgument(f"{name}: content", _around(text, error.pos), where) from None
    except RecursionError:
        raise InvalidArgument(f"{name}: content", text[:40], "JSON without deep nesting") from None


def _around(text: str, position: int) -> str:
    """The line of a mistake."""
    return text[text.rfind("\n", 0, position) + 1 :].partition("\n")[0].strip()


def _form(found: Mapping[str, Any], name: str) -> str:
    """The one key that says how the laws are given."""
    _known(found, ("domain", *FORMS, *COMMON), name, "key")
    given = [form for form in FORMS if form in found]
    if len(given) != 1:
        _refuse(name, "keys", list(found), f"exactly one of {_quoted(FORMS)}, which says what the laws are")
    (form,) = given
    if form in WITH_DOMAIN and "domain" not in found:
        _refuse(name, "keys", list(found), f'"domain" beside "{form}": the list of all values that a record may have')
    if form not in WITH_DOMAIN and "domain" in found:
        _refuse(name, '"domain"', found["domain"], f'no domain beside "{form}", which has its own')
    return form


def _known(found: Mapping[str, Any], keys: Sequence[str], name: str, what: str) -> None:
    for key in found:
        if key not in keys:
            near = get_close_matches(str(key), keys, n=1)
            _refuse(name, what, key, f"one of {_quoted(keys)}" + (f'; did you mean "{near[0]}"?' if near else ""))


def _with_domain(form: str, found: Mapping[str, Any], name: str) -> LawClass:
    domain = _domain(found["domain"], name)
    if form == "grid":
        return _fitting(name, form, found, lambda N: grid_class(domain, N))
    if form == "points":
        if found["points"] is not True:
            _refuse(name, '"points"', found["points"], "true")
        return point_masses(domain)
    laws = found["laws"]
    if not isinstance(laws, Mapping) or not laws:
        _refuse(name, '"laws"', laws, 'at least one law: an object such as {"fair": {"a": "1/2", "b": "1/2"}}')
    return LawClass(domain, {title: _law(title, masses, domain, name) for title, masses in laws.items()})


def _fitting(name: str, form: str, found: Mapping[str, Any], make: Callable[[int], LawClass]) -> LawClass:
    """The class of all laws with a denominator, if there are not too many."""
    denominator = _integer(found, form, name)
    try:
        return make(denominator)
    except BudgetExceeded as error:
        laws = error.estimate if error.estimate < LARGEST_SHOWN else "far too many"
        _refuse(
            name, f'"{form}"', denominator, f"a smaller denominator: of {laws} laws at most {error.budget} are made"
        )


def _domain(values: object, name: str) -> tuple[Hashable, ...]:
    if not isinstance(values, list | tuple) or not values:
        _refuse(name, '"domain"', values, "a list of at least one value")
    seen: set[str] = set()
    for value in values:
        if type(value) not in (str, int):
            _refuse(name, "value of the domain", value, "text or an integer")
        if str(value) in seen:
            _refuse(name, "value of the domain", value, "each value once, and no integer beside the same text")
        seen.add(str(value))
    return tuple(values)


def _law(title: str, masses: object, domain: tuple[Hashable, ...], name: str) -> Law:
    if not isinstance(masses, Mapping):
        _refuse(name, f"law {title!r}", masses, 'an object of masses, such as {"a": "1/2", "b": "1/2"}')
    written = {str(y): y for y in domain}
    numbers: dict[Hashable, Number] = {}
    for key, mass in masses.items():
        if str(key) not in written:
            expected = f"a value of the domain: {', '.join(written)}"
            _refuse(name, f"outcome of law {title!r}", key, expected)
        numbers[written[str(key)]] = _mass(mass, f"mass of {key!r} in law {title!r}", name)
    total = sum(numbers.values(), start=Fraction(0))
    if total != 1:
        _refuse(name, f"sum of the masses of law {title!r}", total, "exactly 1")
    return Law(numbers)


def _mass(value: object, what: str, name: str) -> Number:
    mass = exact(str(value) if isinstance(value, DecimalText) else value, f"{name}: {what}")
    if sign(mass) < 0:
        _refuse(name, what, mass, "a number of at least 0")
    return mass


def _short(form: str, found: Mapping[str, Any], name: str) -> LawClass:
    if form == "bernoulli":
        return _fitting(name, form, found, bernoulli_grid)
    parts = found[form]
    if not isinstance(parts, Mapping):
        _refuse(name, f'"{form}"', parts, f"an object with the keys {_quoted(PARTS[form])}")
    _known(parts, PARTS[form], name, f'key of "{form}"')
    missing = [key for key in PARTS[form] if key not in parts and key not in OPTIONAL]
    if missing:
        _refuse(name, f'keys of "{form}"', list(parts), f"also {_quoted(missing)}")
    values = {key: _values(parts, key, name) for key in parts}
    if form != "binomials" and values["low"] > values["high"]:
        _refuse(name, '"high"', values["high"], f'at least "low", which is {values["low"]}')
    makers: dict[str, Callable[..., LawClass]] = {
        "binomials": binomials,
        "clamped_geometrics": clamped_geometrics,
        "clamped_laplaces": clamped_laplaces,
    }
    try:
        return makers[form](**values)
    except InvalidArgument as error:
        _refuse(name, f'"{error.argument}"', error.value, error.expected)


def _values(parts: Mapping[str, Any], key: str, name: str) -> Any:
    if key in ("trials", "low", "high"):
        return _integer(parts, key, name, least=None if key != "trials" else 1)
    values = parts[key]
    if not isinstance(values, list | tuple) or not values:
        _refuse(name, f'"{key}"', values, "a list of at least one number")
    if key == "centres":
        return [_integer({key: value}, key, name, least=None) for value in values]
    return [exact(str(v) if isinstance(v, DecimalText) else v, f'{name}: "{key}"') for v in values]


def _integer(found: Mapping[str, Any], key: str, name: str, least: int | None = 1) -> int:
    value = found[key]
    if type(value) is not int or (least is not None and value < least):
        _refuse(name, f'"{key}"', value, "an integer" if least is None else f"an integer of at least {least}")
    return int(value)


def _other(found: Mapping[str, Any], domain: Sequence[Hashable], name: str) -> Hashable | None:
    if "other" not in found:
        return None
    written = {str(y): y for y in domain}
    if type(found["other"]) not in (str, int) or str(found["other"]) not in written:
        _refuse(name, '"other"', found["other"], f"a value of the domain: {', '.join(written)}")
    return written[str(found["other"])]


def _quoted(keys: Sequence[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _refuse(name: str, what: str, value: object, expected: str) -> NoReturn:
    raise InvalidArgument(f"{name}: {what}", value, expected) from None
