"""Check an exactdp privacy certificate with the standard library alone: ``python checker.py CERTIFICATE``.

A certificate gives the exact output law of a mechanism on each dataset of a finite universe, a privacy claim, and its
verdict. This file trusts the laws and derives all the rest again. Let

    H_x(P||Q) = sum_y max(0, P(y) - x Q(y)),

the greatest P(S) - x Q(S) of any event S. So a mechanism is (ln x, d)-private iff H_x(P||Q) <= d for the laws P, Q of
any two neighbouring datasets, in both orders. Let E = e^(multiple * epsilon). To accept means:

* the datasets are the whole universe, and the pairs are all its neighbouring pairs;
* ``delta_at_epsilon`` is the greatest H_E: no pair has more, and the witness attains it;
* ``exp_epsilon_star`` is the least x >= 1 such that H_x <= delta for every pair;
* the verdict is "holds" if delta_at_epsilon <= delta, else "refuted".

Every number is a quotient of integer polynomials in one t, and integers decide everything (see `Field`). A hostile file
can make the checker slow, never wrong. Exit codes: 0 accepted, 1 rejected, 2 not a certificate.
"""

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import chain, product
from pathlib import Path
from typing import Any


class Rejected(Exception):
    """The certificate does not show what it says; the message is one line."""


class Unreadable(Rejected):
    """The file is not a certificate of this format at all."""


def require(condition: bool, message: str) -> None:
    """Reject with the message unless the condition holds."""
    if not condition:
        raise Rejected(message)


# ---- The format: what is not of this form gets no further, be it a bool, a float, NaN or an unknown key.

FORMAT = "exactdp-certificate-1"
NUMBER = {"num": [int], "den": [int]}  # coefficients of ascending powers of t
VALUE, END = {"value": str}, {int, type(None)}  # of an interval of integers; null is infinite
CELL = {"template": str, "box": [(END, END)], "shape": [str]}
CERTIFICATE = {
    "format": str, "mechanism": str, "epsilon": str, "multiple": str, "delta": NUMBER, "neighbours": str,
    "domain": [str], "n": int, "base": {"unit": str, "rate": str}, "outcomes": [{dict}],  # VALUE or CELL
    "laws": [{"den": [int], "masses": [(int, [int])]}],  # outcome, numerator
    "datasets": [([int], int)], "pairs": [(int, int)],  # records, law; two datasets
    "assumptions": [str], "verdict": str, "delta_at_epsilon": NUMBER, "exp_epsilon_star": {dict, str},  # or "inf"
    "witness": {"pair": (int, int), "event": [int], "p": NUMBER, "q": NUMBER},
}  # fmt: skip
RELATIONS = ("change-one", "add-remove", "each-by-one")

Interval = tuple[int | None, int | None]  # integers from .. to
Outcome = tuple[tuple[str, ...], tuple[Interval, ...]]  # texts, and the integers between them
Pair = tuple[int, int]
Data = tuple[int, ...]  # a dataset: indices into the domain


def conform(value: Any, form: Any, where: str) -> None:
    """Reject what is not of the form: a type, {one of these types}, [of each], (of first, of second), {key: form}."""
    if isinstance(form, dict):
        exact = isinstance(value, dict) and value.keys() == form.keys()
        require(exact, f"{where}: must be an object with the keys {' '.join(form)}")
        for key, inner in form.items():
            conform(value[key], inner, f"{where}.{key}")
    elif isinstance(form, (list, tuple)):
        sized = isinstance(value, list) and (isinstance(form, list) or len(value) == len(form))
        require(sized, f"{where}: must be an array" + f" of {len(form)}" * isinstance(form, tuple))
        for i, item in enumerate(value):
            conform(item, form[0] if isinstance(form, list) else form[i], f"{where}[{i}]")
    else:
        types = form if isinstance(form, set) else {form}
        require(type(value) in types, f"{where}: must be of the type {' or '.join(t.__name__ for t in types)}")


def rational(text: str, where: str, least: int | None = None) -> Fraction:
    """The value of a text like "3" or "-3/2"; it must be greater than ``least``."""
    require(bool(re.fullmatch(r"-?[0-9]+(/0*[1-9][0-9]*)?", text)), f"{where}: must be a rational number such as 3/2")
    require(least is None or Fraction(text) > least, f"{where}: must be greater than {least}")
    return Fraction(text)


# ---- Numbers.

LARGEST = 100_000


class Close(Exception):
    """This precision does not decide; twice as many bits may."""


@dataclass(frozen=True, slots=True)
class Number:
    """num/den at t, where num >= 0 and den > 0 are packed as in `Field`, and low <= 2^p num/den <= high."""

    num: int
    den: int
    norm: int  # of num and of den: at least the sum of their absolute coefficients
    low: int
    high: int

    def __add__(self, other: "Number") -> "Number":
        low, high = self.low + other.low, self.high + other.high
        if self.den == other.den or not self.num:
            return Number(self.num + other.num, other.den, self.norm + other.norm, low, high)
        num = self.num * other.den + other.num * self.den
        return Number(num, self.den * other.den, 2 * self.norm * other.norm, low, high)


ZERO = Number(0, 1, 1, 0, 0)
Law = dict[int, Number]  # the masses above 0, by outcome


def root(value: int, k: int) -> int:
    """floor(value^(1/k)): Newton's iteration from above descends strictly until it is there."""
    guess = 1 << -(-value.bit_length() // k)
    while (better := ((k - 1) * guess + value // guess ** (k - 1)) // k) < guess:
        guess = better
    return guess


def primitive(value: Fraction) -> tuple[Fraction, int]:
    """(s, k) with value = s^k and k greatest, for value > 1; both its parts must be k-th powers."""
    for k in range(value.numerator.bit_length(), 1, -1):
        s = Fraction(root(value.numerator, k), root(value.denominator, k))
        if s**k == value:
            return s, k
    return value, 1


def exp_minus(rate: Fraction, p: int) -> tuple[int, int]:
    """Integers low <= 2^p e^(-rate) <= high, as 1 / sum_n rate^n / n!.

    From n = 2 rate on each term is at most half of the one before, so what is left out is at most the last one.
    """
    (a, b), n = rate.as_integer_ratio(), 0
    low = high = term_low = term_high = 1 << p
    while term_high > 1 or n < 2 * rate:
        n += 1
        term_low, term_high = term_low * a // (b * n), -(-term_high * a // (b * n))
        low, high = low + term_low, high + term_high
    return (1 << 2 * p) // (high + term_high), -(-(1 << 2 * p) // low)


class Field:
    """Exact comparison of quotients of polynomials at t, which is e^(-rate) if unit is 1, else unit^(-rate).

    *Enclosure.* Numbers are enclosed in fixed point, with p bits. If that does not tell two of them apart, they are
    equal, which the zero test shows, or `Close` is raised, and all is done again with twice the bits. The enclosures
    shrink to the values, so this ends.

    *Packing.* A polynomial f is kept as its value at 2^p. Sums and products are then those of integers. While norm(f),
    the sum of its absolute coefficients, is below 2^(p-1), f(2^p) = 0 only if f = 0, and p deg f is at most the length
    of f(2^p) in bits. Bounds of norms are carried along: they are subadditive and submultiplicative.

    *Zero test.* If unit is 1, t is transcendental (Lindemann: e^r is, for rational r != 0), so f(t) = 0 only if f = 0.
    Otherwise let unit = u/v and rate = a/b in lowest terms: t is a root of m(x) = u^a x^b - v^a. This is irreducible
    unless (v/u)^a is a q-th power for a prime q | b, or -4 times a fourth power. The latter is negative, and in the
    former case unit would be a q-th power, since q does not divide a; but it must not be a perfect power. So f(t) = 0
    iff m divides f, over the integers by Gauss's lemma, and then m(2^p) divides f(2^p). Conversely, u^(ak) f with
    k = deg f // b has a remainder r by m with integer coefficients of at most norm(f) u^(ak). If this is below
    2^(p-1), then |r(2^p)| < m(2^p). So if m(2^p) divides f(2^p), it divides r(2^p), and r = 0.
    """

    def __init__(self, unit: Fraction, rate: Fraction, p: int) -> None:
        (u, v), (a, self.b), self.p = unit.as_integer_ratio(), rate.as_integer_ratio(), p
        self.top = u**a
        self.m = 0 if unit == 1 else (self.top << p * self.b) - v**a
        floor = root((v**a << p * self.b) // self.top, self.b)  # of 2^p t, if unit is not 1
        self.t_low, self.t_high = exp_minus(rate, p) if unit == 1 else (floor, floor + 1)
        self.one = Number(1, 1, 1, 1 << p, 1 << p)

    def vanishes(self, f: int, norm: int) -> bool:
        """Whether f(t) = 0."""
        if norm * self.top ** (f.bit_length() // self.p // self.b) >> (self.p - 1):
            raise Close
        return f % self.m == 0 if self.m else f == 0

    def bounds(self, poly: list[int]) -> tuple[int, int]:
        """Integers low <= 2^p f(t) <= high by Horner's rule: the sign of a bound calls for one of the bounds of t."""
        low = high = 0
        for c in reversed(poly):
            low = (c << self.p) + (low * (self.t_low if low > 0 else self.t_high) >> self.p)
            high = (c << self.p) - (-high * (self.t_high if high > 0 else self.t_low) >> self.p)
        return low, high

    def number(self, num: list[int], den: list[int], where: str) -> Number:
        """A number, seen to be at least 0 over a positive denominator."""
        f, g = (sum(c << self.p * i for i, c in enumerate(poly)) for poly in (num, den))
        norm = max(1, sum(map(abs, num)), sum(map(abs, den)))
        (low, high), (den_low, den_high) = self.bounds(num), self.bounds(den)
        require(den_high > 0 and not self.vanishes(g, norm), f"{where}: a denominator is not positive")
        if self.vanishes(f, norm):
            return ZERO
        require(high > 0, f"{where}: a number is negative")
        if low <= 0 or den_low <= 0:
            raise Close
        return Number(f, g, norm, (low << self.p) // den_high, -((-high << self.p) // den_low))

    def times(self, x: Number, y: Number) -> Number:
        """The product."""
        low, high = x.low * y.low >> self.p, -(-x.high * y.high >> self.p)
        return Number(x.num * y.num, x.den * y.den, x.norm * y.norm, low, high)

    def compare(self, x: Number, y: Number) -> int:
        """-1, 0 or 1: the sign of x - y."""
        if x.low > y.high or x.high < y.low:
            return 1 if x.low > y.high else -1
        if not self.vanishes(x.num * y.den - y.num * x.den, 2 * x.norm * y.norm):
            raise Close
        return 0

    def shown(self, x: Number) -> str:
        """Twelve digits, for display."""
        if x.high - x.low > x.low >> 44:
            raise Close
        with localcontext(prec=12):
            return str(Decimal(x.low) / (1 << self.p))


def exp_epsilon(text: str, multiple: Fraction, unit: Fraction, rate: Fraction) -> dict[str, list[int]]:
    """E = e^(multiple * epsilon) in terms of t; it must be rational, or a power of unit in the field of t."""
    logarithm = re.fullmatch(r"ln\((.*)\)", text)
    if logarithm is None:
        power, j = rational(text, "epsilon", 0) * multiple / rate, 0
        require(unit == 1 and power.denominator == 1, "epsilon: e^(multiple*epsilon) must be a power of 1/t")
        require(power <= LARGEST, "epsilon: too large")
        return {"num": [1], "den": [0] * int(power) + [1]}
    (s, k), (a, b) = primitive(rational(logarithm[1], "epsilon", 1)), rate.as_integer_ratio()
    power, j = k * multiple, 0
    if power.denominator > 1:  # s^power = s^(power + rate j) t^j, where j is to make the exponent an integer
        whole = s == unit and b % power.denominator == 0
        require(whole, "epsilon: e^(multiple*epsilon) must be rational or in the field of t")
        j = int(-power * b) * pow(a, -1, b) % b
    exponent = int(power + rate * j)
    require(exponent <= LARGEST, "epsilon: too large")
    return {"num": [0] * j + [s.numerator**exponent], "den": [s.denominator**exponent]}


# ---- Outcomes, datasets, neighbours.

INTEGER = "(?:0|-?[1-9][0-9]*)"
LITERAL = rf"(?<![\w.+\-]){INTEGER}(?![\w.])"
HOLE = r"(?<![\w.+\-#])#(?![\w.+\-#])"


def outcome(written: dict[str, Any], where: str) -> Outcome:
    """An outcome or a cell, as the texts between its integers and the intervals over which these range.

    On a cell, every law is a multiple of one summable weight prod_i e^(-shape_i k_i). So P - x Q has one sign on it,
    its part of H_x is max(0, P(cell) - x Q(cell)), and the cell may be treated as a single outcome.

    An integer written out counts as an interval of one point. A hole has no letter, digit, sign, dot or hole beside it,
    so to fill it makes one more integer and leaves the others: outcomes with different texts are never equal.
    """
    cell = "value" not in written
    conform(written, CELL if cell else VALUE, where)
    text, box, shape = (written["template"], written["box"], written["shape"]) if cell else (written["value"], [], [])
    for (low, high), rate in zip(box, [rational(rate, where) for rate in shape], strict=False):
        require(low is None or high is None or low <= high, f"{where}: an interval is empty")
        require(high is not None or rate > 0, f"{where}: an interval without upper end needs a shape above 0")
        require(low is not None or rate < 0, f"{where}: an interval without lower end needs a shape below 0")
    found = list(re.finditer(f"{HOLE}|{LITERAL}" if cell else LITERAL, text))
    if cell:
        holes = sum(token[0] == "#" for token in found)
        require(text.count("#") == holes > 0, f"{where}: a # must stand apart from what is beside it")
        require(len(box) == len(shape) == holes, f"{where}: box and shape must have one entry for each #")
    cuts, ranges = [0, *(cut for token in found for cut in token.span()), len(text)], iter([(x, y) for x, y in box])
    texts = tuple(text[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True))
    return texts, tuple(next(ranges) if token[0] == "#" else (int(token[0]), int(token[0])) for token in found)


def check_disjoint(outcomes: list[Outcome]) -> None:
    """No two outcomes overlap: their texts differ, or their boxes are separated in some coordinate."""

    def before(x: Interval, y: Interval) -> bool:
        return x[1] is not None and y[0] is not None and x[1] < y[0]

    require(len(set(outcomes)) == len(outcomes), "outcomes: one is listed twice")
    groups: dict[tuple[str, ...], list[tuple[Interval, ...]]] = {}
    for texts, box in outcomes:
        groups.setdefault(texts, []).append(box)
    for boxes in groups.values():
        cells = [box for box in boxes if any(low != high or low is None for low, high in box)]
        for cell, other in product(cells, boxes):
            apart = any(before(x, y) or before(y, x) for x, y in zip(cell, other, strict=True))
            require(apart or cell is other, "outcomes: two of them overlap")


def within(indices: Iterable[int], size: int, where: str) -> None:
    """Reject an index that is out of range."""
    require(all(0 <= i < size for i in indices), f"{where}: an index is out of range")


def check_universe(relation: str, domain: list[str], n: int, datasets: list[Data]) -> None:
    """Distinct datasets of the right lengths, and as many as there are of them: so all of them."""
    require(len(set(domain)) == len(domain), "domain: a record is listed twice")
    require(len(set(datasets)) == len(datasets) > 0, "datasets: there is none, or one is listed twice")
    within(chain(*datasets), len(domain), "datasets")
    lengths = {len(data) for data in datasets}
    require(max(lengths) <= n, "datasets: one has more than n records")
    if relation in RELATIONS:
        whole = n in lengths and (relation == "add-remove" or lengths == {n})
        count = sum(len(domain) ** k for k in range(n + 1) if relation == "add-remove" or k == n) if whole else 0
        require(len(datasets) == count, "datasets: not all tuples of n records, or for add-remove of at most n")


def check_pairs(relation: str, domain: list[str], datasets: list[Data], pairs: list[Pair]) -> None:
    """The pairs are those of all neighbours in a known relation; any other relation is taken as listed."""
    require(bool(pairs), "pairs: there is none, so the claim is vacuous")
    within(chain(*pairs), len(datasets), "pairs")
    require(all(i < j for i, j in pairs), "pairs: each must be i < j")
    require(len(set(pairs)) == len(pairs), "pairs: one is listed twice")
    if relation in RELATIONS:
        index = {data: i for i, data in enumerate(datasets)}
        both = ((i, index[other]) for data, i in index.items() for other in neighbours(relation, domain, data))
        expected = {(min(i, j), max(i, j)) for i, j in both if i != j}
        require(expected <= set(pairs), f"pairs: {len(expected - set(pairs))} pairs of neighbours are missing")
        require(expected >= set(pairs), f"pairs: {len(set(pairs) - expected)} pairs are not neighbours")


def neighbours(relation: str, domain: list[str], data: Data) -> Iterable[Data]:
    """The neighbours by definition, and perhaps the data itself; for add-remove only the shorter ones."""
    if relation == "add-remove":
        return (data[:i] + data[i + 1 :] for i in range(len(data)))
    if relation == "change-one":
        return ((*data[:i], other, *data[i + 1 :]) for i in range(len(data)) for other in range(len(domain)))
    require(all(re.fullmatch(INTEGER, record) for record in domain), "domain: the records must be integers")
    values = [int(record) for record in domain]
    return product(*([j for j, y in enumerate(values) if abs(values[record] - y) <= 1] for record in data))


# ---- Decisions.


def check_bound(field: Field, laws: list[Law], pairs: dict[Pair, Pair], x: Number, limit: Number, name: str) -> bool:
    """Reject unless H_x <= limit for every pair; say whether for some pair H_z > limit for all z < x.

    To the left of x, the slope of H is -Q{y: P(y) >= x Q(y)}. So the latter is the case iff for some pair H_x = limit
    and this slope is not 0.
    """
    scaled, tight = [{y: field.times(x, mass) for y, mass in law.items()} for law in laws], False
    for (i, j), datasets in pairs.items():
        p, q = laws[i], scaled[j]
        signs = {y: field.compare(mass, q.get(y, ZERO)) for y, mass in p.items()}
        event = [y for y, sign in signs.items() if sign > 0]
        order = field.compare(mass_of(p, event), mass_of(q, event) + limit)
        require(order <= 0, f"{name}: the datasets {datasets} have more")
        tight = tight or (order == 0 and any(sign >= 0 and y in q for y, sign in signs.items()))
    return tight


def mass_of(law: Law, event: Iterable[int]) -> Number:
    """The probability of the event."""
    return sum((law[y] for y in event if y in law), ZERO)


def read_numbers(c: dict[str, Any], p: int) -> tuple[Field, dict[str, Number], list[Law]]:
    """All numbers in one field, seen to be non-negative, and the laws, seen to sum to 1."""
    unit, rate = (rational(c["base"][part], "base", 0) for part in ("unit", "rate"))
    require(unit >= 1, "base: the unit must be 1 or more")
    require(unit == 1 or primitive(unit)[1] == 1, "base: the unit must not be a perfect power")
    require(unit == 1 or max(rate.as_integer_ratio()) <= LARGEST, "base: the rate is too large")
    field, laws = Field(unit, rate, p), []
    for i, (den, masses) in enumerate((law["den"], law["masses"]) for law in c["laws"]):
        within((y for y, _ in masses), len(c["outcomes"]), f"laws[{i}]")
        law = {y: field.number(num, den, f"laws[{i}]") for y, num in masses}
        require(len(law) == len(masses), f"laws[{i}]: an outcome is listed twice")
        require(field.compare(mass_of(law, law), field.one) == 0, f"laws[{i}]: the masses do not sum to 1")
        laws.append({y: mass for y, mass in law.items() if mass.num})
    written = {name: c[name] for name in ("delta", "delta_at_epsilon", "exp_epsilon_star") if c[name] != "inf"}
    written |= {"p": c["witness"]["p"], "q": c["witness"]["q"]}
    for name, number in written.items():
        conform(number, NUMBER, name)
    written["epsilon"] = exp_epsilon(c["epsilon"], rational(c["multiple"], "multiple", 0), unit, rate)
    return field, {name: field.number(number["num"], number["den"], name) for name, number in written.items()}, laws


def decide(c: dict[str, Any], p: int) -> "Report":
    """All the checks, with p bits: the outcomes, the universe, the numbers, the claim, the witness."""
    check_disjoint([outcome(value, f"outcomes[{i}]") for i, value in enumerate(c["outcomes"])])
    domain, relation, law = c["domain"], c["neighbours"], [law for _, law in c["datasets"]]
    datasets, pairs = [tuple(records) for records, _ in c["datasets"]], [(i, j) for i, j in c["pairs"]]
    check_universe(relation, domain, c["n"], datasets)
    check_pairs(relation, domain, datasets, pairs)
    require(set(law) == set(range(len(c["laws"]))), "laws: one is missing, or is the law of no dataset")
    field, x, laws = read_numbers(c, p)
    require({y for its in laws for y in its} == set(range(len(c["outcomes"]))), "outcomes: one has no mass at all")

    e, delta, greatest, star = x["epsilon"], x["delta"], x["delta_at_epsilon"], x.get("exp_epsilon_star")
    both = pairs + [(j, i) for i, j in pairs]
    different = {(law[i], law[j]): (i, j) for i, j in both if law[i] != law[j]}
    require(field.compare(delta, field.one) < 0, "delta: must be less than 1")
    check_bound(field, laws, different, e, greatest, "delta_at_epsilon")
    verdict = "holds" if field.compare(greatest, delta) <= 0 else "refuted"
    require(c["verdict"] == verdict, f"verdict: it is {verdict!r}")
    if star:  # for every pair, H_x falls to P{Q = 0} as x grows, and stays there
        above_one = field.compare(star, field.one)
        require(above_one >= 0, "exp_epsilon_star: must be at least 1")
        least = check_bound(field, laws, different, star, delta, "exp_epsilon_star")
        require(least or above_one == 0, "exp_epsilon_star: a smaller one would do")
    else:
        gaps = (mass_of(laws[i], laws[i].keys() - laws[j].keys()) for i, j in different)
        require(any(field.compare(gap, delta) > 0 for gap in gaps), "exp_epsilon_star: it is finite")

    (i, j), event = c["witness"]["pair"], c["witness"]["event"]
    require((i, j) in both, "witness: not a listed pair")
    within(event, len(c["outcomes"]), "witness")
    require(len(set(event)) == len(event), "witness: an outcome is listed twice")
    for name, k in (("p", i), ("q", j)):
        right = field.compare(x[name], mass_of(laws[law[k]], event)) == 0
        require(right, f"witness: {name} is not the probability of the event")
    attained = field.compare(x["p"], field.times(e, x["q"]) + greatest) == 0
    require(attained, "witness: p - E q is not delta_at_epsilon")

    ends = [json.dumps([domain[record] for record in datasets[k]]) for k in (i, j)]
    scope = "all neighbours" if relation in RELATIONS else "an own relation, datasets and pairs taken as listed"
    lines = [
        f"claim: {json.dumps(c['mechanism'])} is (m * epsilon, delta)-differentially private with",
        f"    m = {c['multiple']}, epsilon = {c['epsilon']}, delta = {field.shown(delta)}",
        f"neighbours: {json.dumps(relation)}, {scope}",
        f"compared: {len(datasets)} datasets, {len(both)} ordered pairs",
        f"verdict: {verdict}",
        f"delta at epsilon: {field.shown(greatest)}",
        f"e^epsilon* at delta: {field.shown(star) if star else 'infinite'}",
        f"worst pair: {ends[0]} and {ends[1]}, p = {field.shown(x['p'])}, q = {field.shown(x['q'])}",
        *(f"assumption: {json.dumps(text)}" for text in c["assumptions"]),
        "not checked: that the laws are the program's, and the assumptions; records are told apart by their texts",
    ]
    return Report(verdict, lines)


# ---- The program.


@dataclass(frozen=True)
class Report:
    """What an accepted certificate shows: the verdict, and everything in words."""

    verdict: str
    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; it must not have a key twice."""
    require(len(dict(items)) == len(items), "JSON: an object has a key twice")
    return dict(items)


def check(certificate: str | Path | dict[str, Any]) -> Report:
    """Check a certificate (a path, or the value read from it); raise `Rejected` unless all of it is right."""
    limit, p, c = sys.get_int_max_str_digits(), 128, certificate
    sys.set_int_max_str_digits(0)  # an exact number may have any number of digits
    try:
        if not isinstance(c, dict):
            c = json.loads(Path(c).read_text("utf-8"), object_pairs_hook=unique)
        if not isinstance(c, dict) or c.get("format") != FORMAT:
            raise Unreadable(f"not a certificate of the format {FORMAT}")
        conform(c, CERTIFICATE, "certificate")
        while True:
            try:
                return decide(c, p)
            except Close:
                p += p // 2
    except (OSError, json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"cannot be read: {error}") from error
    finally:
        sys.set_int_max_str_digits(limit)


def main(argv: list[str] | None = None) -> int:
    """Check the file that the only argument names; print what it shows, or in one line why it is rejected."""
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 1:
        print("usage: python checker.py CERTIFICATE", file=sys.stderr)
        return 2
    try:
        print(f"accepted\n{check(arguments[0])}")
        return 0
    except Rejected as error:
        code = 2 if isinstance(error, Unreadable) else 1
        print(f"{arguments[0] if code == 2 else 'rejected'}: {error}", file=sys.stderr)
        return code


if __name__ == "__main__":
    sys.exit(main())
