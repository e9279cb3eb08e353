"""Check an exactdp privacy certificate with the standard library alone: ``python checker.py CERTIFICATE``.

A certificate gives the exact output law of a mechanism on each dataset of a finite universe, a privacy claim,
and its verdict.  This file trusts the laws and re-derives all the rest.  Let

    H_x(P||Q) = sum_y max(0, P(y) - x Q(y)),

the greatest P(S) - x Q(S) of any event S.  So a mechanism is (ln x, d)-private iff H_x(P||Q) <= d for the
laws P, Q of any two neighbouring datasets, in both orders.  Let E = e^(multiple * epsilon).  To accept means:

* the datasets are the whole universe, and the pairs are all its neighbouring pairs;
* ``delta_at_epsilon`` is the greatest H_E: no pair has more, and the witness attains it;
* ``exp_epsilon_star`` is the least x >= 1 such that H_x <= delta for every pair;
* the verdict is "holds" if delta_at_epsilon <= delta, else "refuted".

Every number is a quotient of integer polynomials in one t, and integers decide everything (see `Field`).  A
hostile file can make the checker slow, never wrong.  Exit codes: 0 accepted, 1 rejected, 2 not a certificate.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from itertools import product
from operator import add
from os import PathLike
from pathlib import Path
from typing import Any

FORMAT = "exactdp-certificate-1"
KEYS = """format mechanism epsilon multiple delta neighbours domain n base outcomes laws datasets pairs
    assumptions verdict delta_at_epsilon exp_epsilon_star witness"""
RELATIONS = ("change-one", "add-remove", "each-by-one")
LARGEST_EXPONENT = 100_000

Raw = tuple[list[int], list[int]]  # numerator and denominator: coefficients of ascending powers of t
Interval = tuple[int | None, int | None]  # integers from .. to; None is infinite
Shape = tuple[tuple[str, ...], tuple[Interval, ...]]  # an outcome: texts, and the integers between them
Data = tuple[int, ...]  # a dataset: indices into the domain
Pair = tuple[int, int]  # indices of datasets, or of laws


class Rejected(Exception):
    """The certificate does not show what it says; the message is one line."""


class Unreadable(Rejected):
    """The file is not a certificate of this format at all."""


def require(condition: bool, message: str) -> None:
    """Reject with the message unless the condition holds."""
    if not condition:
        raise Rejected(message)


# ---- Reading.  Each value is typed and bounded here: no bool, float, NaN or unknown key gets any further.


def fields(value: Any, where: str, names: str) -> list[Any]:
    """The values of an object that has exactly these keys, in this order."""
    exact = isinstance(value, dict) and set(value) == set(names.split())
    require(exact, f"{where}: must be an object with the keys {' '.join(names.split())}")
    return [value[name] for name in names.split()]


def array(value: Any, where: str, size: int | None = None) -> list[Any]:
    """An array, of the given size if there is one."""
    require(isinstance(value, list), f"{where}: must be an array")
    require(size is None or len(value) == size, f"{where}: must have the length {size}")
    return list(value)


def integer(value: Any, where: str, below: int | None = None) -> int:
    """An integer; if ``below`` is given, an index: at least 0 and less than that."""
    require(type(value) is int, f"{where}: must be an integer")
    require(below is None or 0 <= value < below, f"{where}: an index is out of range")
    return int(value)


def indices(value: Any, where: str, below: int) -> Data:
    """An array of indices."""
    return tuple(integer(i, where, below) for i in array(value, where))


def pair(value: Any, where: str, below: int) -> Pair:
    """Two indices."""
    i, j = indices(array(value, where, 2), where, below)
    return i, j


def string(value: Any, where: str) -> str:
    """A string."""
    require(isinstance(value, str), f"{where}: must be a string")
    return str(value)


def rational(value: Any, where: str, least: int | None = None) -> Fraction:
    """A string like "3" or "-3/2"; if ``least`` is given, a number greater than that."""
    matches = re.fullmatch(r"-?[0-9]+(/0*[1-9][0-9]*)?", string(value, where))
    require(matches is not None, f"{where}: must be a rational number such as 3/2")
    require(least is None or Fraction(value) > least, f"{where}: must be greater than {least}")
    return Fraction(value)


def raw(num: Any, den: Any, where: str) -> Raw:
    """A number, from two arrays of coefficients."""
    return [integer(c, where) for c in array(num, where)], [integer(c, where) for c in array(den, where)]


def raw_number(value: Any, where: str) -> Raw:
    """A number {"num": [...], "den": [...]}."""
    num, den = fields(value, where, "num den")
    return raw(num, den, where)


def raw_law(value: Any, where: str, outcomes: int) -> dict[int, Raw]:
    """The masses of a law by outcome, each over the common denominator."""
    den, masses = fields(value, where, "den masses")
    entries = [array(entry, where, 2) for entry in array(masses, where)]
    law = {integer(y, where, outcomes): raw(num, den, where) for y, num in entries}
    require(len(law) == len(entries), f"{where}: an outcome is listed twice")
    return law


def norm(*numbers: Raw) -> int:
    """The greatest sum of absolute coefficients of a numerator or denominator, and at least 1."""
    return max(1, *(sum(map(abs, side)) for number in numbers for side in number))


# ---- Numbers.


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
    """Integers low <= 2^p e^(-rate) <= high.

    e^(-rate) is e^(-x) squared so often that x < 1.  The series of e^(-x) alternates and its terms do not
    grow, so its remainder is at most the last term summed.  What enters ``low`` is rounded down, and ``high``
    up: so they are bounds.
    """
    squarings = (rate.numerator // rate.denominator).bit_length()
    (a, b), n = (rate / 2**squarings).as_integer_ratio(), 0
    low = high = term_low = term_high = 1 << p
    while term_high > 1:
        n += 1
        term_low, term_high = term_low * a // (b * n), -(-term_high * a // (b * n))
        low, high = (low - term_high, high - term_low) if n % 2 else (low + term_low, high + term_high)
    low, high = max(0, low - term_high), high + term_high
    for _ in range(squarings):
        low, high = low * low >> p, -(-high * high >> p)
    return low, high


@dataclass(frozen=True, slots=True)
class Number:
    """num/den at t, where den > 0: polynomials packed as in `Field`, of norm at most ``norm``."""

    num: int
    den: int
    norm: int

    def __add__(self, other: "Number") -> "Number":
        if self.den == other.den:
            return Number(self.num + other.num, self.den, self.norm + other.norm)
        num = self.num * other.den + other.num * self.den
        return Number(num, self.den * other.den, 2 * self.norm * other.norm)

    def __mul__(self, other: "Number") -> "Number":
        return Number(self.num * other.num, self.den * other.den, self.norm * other.norm)


ZERO, ONE = Number(0, 1, 1), Number(1, 1, 1)


def total(numbers: Iterable[Number]) -> Number:
    """The sum; numbers over one denominator keep it."""
    terms = list(numbers)
    return reduce(add, terms) if terms else ZERO


class Field:
    """Exact signs of polynomials at t, which is e^(-rate) if unit is 1, else unit^(-rate).

    *Packing.*  A polynomial is kept as its value at 2^K.  Sums and products are then those of integers, and
    while the coefficients stay below 2^(K-1) in absolute value, they are the balanced digits of the integer,
    so it determines them.  Norms are carried along (sums of absolute coefficients are subadditive and
    submultiplicative) and compared with 2^(K-1) before anything is concluded.

    *Zero test.*  If unit is 1, t is transcendental (Lindemann: e^r is, for rational r != 0), so only the zero
    polynomial vanishes at t.  Otherwise let unit = u/v and rate = a/b in lowest terms: t^b = c with c =
    (v/u)^a.  Now x^b - c is irreducible over the rationals unless c is a p-th power for a prime p | b, or -4
    times a fourth power.  The latter is negative.  In the former case unit would be a p-th power too, since p
    does not divide a; but it is required not to be a perfect power.  So a polynomial vanishes at t iff its
    remainder by x^b - c is zero.

    *Sign.*  What is not zero is enclosed in fixed point, at a precision that doubles.  The enclosures shrink
    to the value, so at some point they exclude 0, and this ends.
    """

    def __init__(self, unit: Fraction, rate: Fraction, largest_norm: int) -> None:
        (self.u, self.v), (self.a, self.b) = unit.as_integer_ratio(), rate.as_integer_ratio()
        self.transcendental = unit == 1
        self.width = largest_norm.bit_length() // 8 + 1  # bytes per coefficient: K = 8 * width
        self.half = 1 << (8 * self.width - 1)
        self.tables: dict[int, tuple[list[int], list[int]]] = {}  # by precision: bounds of the powers of t

    def offset(self, size: int) -> int:
        """``size`` coefficients 2^(K-1), packed; adding it to a polynomial makes the digits non-negative."""
        return int.from_bytes(self.half.to_bytes(self.width, "little") * size, "little")

    def pack(self, poly: list[int]) -> int:
        """The value at 2^K."""
        digits = b"".join((c + self.half).to_bytes(self.width, "little") for c in poly)
        return int.from_bytes(digits, "little") - self.offset(len(poly))

    def unpack(self, packed: int) -> list[int]:
        """The coefficients."""
        w, size = self.width, packed.bit_length() // (8 * self.width) + 1
        digits = (packed + self.offset(size)).to_bytes(size * w, "little")
        return [int.from_bytes(digits[i : i + w], "little") - self.half for i in range(0, size * w, w)]

    def vanishes(self, packed: int) -> bool:
        """Whether f(t) = 0.  Modulo t^b = c, each class of exponents is summed over a power of c's bottom."""
        if packed == 0 or self.transcendental:
            return packed == 0
        poly, c_num, c_den = self.unpack(packed), self.v**self.a, self.u**self.a
        for j in range(min(self.b, len(poly))):
            remainder, scale = 0, 1
            for coefficient in reversed(poly[j :: self.b]):
                remainder, scale = remainder * c_num + coefficient * scale, scale * c_den
            if remainder:
                return False
        return True

    def sign(self, packed: int, size: int) -> int:
        """-1, 0 or 1: the sign of f(t), where f has norm at most ``size``."""
        require(size < self.half, "internal error: the packing is too narrow")
        if self.vanishes(packed):
            return 0
        p = 128
        while True:
            low, high = self.bounds(packed, p)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            p *= 2

    def compare(self, one: Number, two: Number) -> int:
        """The sign of one - two, which is that of its numerator."""
        if one.den == two.den:
            return self.sign(one.num - two.num, one.norm + two.norm)
        return self.sign(one.num * two.den - two.num * one.den, 2 * one.norm * two.norm)

    def number(self, written: Raw, where: str) -> Number:
        """A number, seen to be at least 0 over a positive denominator; if it is 0, its numerator is 0."""
        num, den, size = self.pack(written[0]), self.pack(written[1]), norm(written)
        require(self.sign(den, size) > 0, f"{where}: a denominator is not positive")
        sign = self.sign(num, size)
        require(sign >= 0, f"{where}: a number is negative")
        return Number(num if sign else 0, den, size)

    def base(self, p: int) -> tuple[int, int]:
        """Integers low <= 2^p t <= high; t = unit^(-a/b) by a b-th root of an integer, rounded down."""
        if self.transcendental:
            return exp_minus(Fraction(self.a, self.b), p)
        low = root((self.v**self.a << p * self.b) // self.u**self.a, self.b)
        return low, low + 1

    def bounds(self, packed: int, p: int) -> tuple[int, int]:
        """Integers low <= 2^p f(t) <= high: a coefficient's sign calls for one bound of its power."""
        poly = self.unpack(packed)
        if p not in self.tables:
            low, high = self.base(p)
            self.tables[p] = [1 << p, low], [1 << p, high]
        lows, highs = self.tables[p]
        while len(lows) < len(poly):
            lows.append(lows[-1] * lows[1] >> p)
            highs.append(-(-highs[-1] * highs[1] >> p))
        low = sum(c * (x if c > 0 else y) for c, x, y in zip(poly, lows, highs, strict=False))
        high = sum(c * (y if c > 0 else x) for c, x, y in zip(poly, lows, highs, strict=False))
        return low, high

    def enclose(self, numbers: set[Number]) -> tuple[int, dict[Number, tuple[int, int]]]:
        """A precision p and sharp bounds of 2^p x for each x >= 0: at least 2^64 from below if x > 0."""
        p = 64
        boxes: dict[Number, tuple[int, int]] = dict.fromkeys(numbers, (0, 0))
        while any(x.num and low < 1 << 64 for x, (low, _) in boxes.items()):
            p *= 2
            for x in numbers:
                (low, high), (den_low, den_high) = self.bounds(x.num, p), self.bounds(x.den, p)
                if den_low > 0:
                    boxes[x] = (low << p) // den_high, -((-high << p) // den_low)
        return p, boxes


def exp_epsilon(text: str, multiple: Fraction, unit: Fraction, rate: Fraction) -> Raw:
    """E = e^(multiple * epsilon) in terms of t; it must be rational, or a power of unit in the field of t."""
    logarithm = re.fullmatch(r"ln\((.*)\)", text)
    if logarithm is None:
        power = rational(text, "epsilon", 0) * multiple / rate
        require(unit == 1 and power.denominator == 1, "epsilon: e^(multiple*epsilon) must be a power of 1/t")
        require(power <= LARGEST_EXPONENT, "epsilon: too large")
        return [1], [0] * int(power) + [1]
    (s, k), (a, b) = primitive(rational(logarithm[1], "epsilon", 1)), rate.as_integer_ratio()
    power, j = k * multiple, 0
    if power.denominator > 1:  # s^power = s^(power + rate j) t^j, where j is to make the exponent an integer
        whole = s == unit and b % power.denominator == 0
        require(whole, "epsilon: e^(multiple*epsilon) must be rational or in the field of t")
        j = int(-power * b) * pow(a, -1, b) % b
    exponent = int(power + rate * j)
    require(exponent <= LARGEST_EXPONENT and j <= LARGEST_EXPONENT, "epsilon: too large")
    return [0] * j + [s.numerator**exponent], [s.denominator**exponent]


# ---- Outcomes, datasets, neighbours.

LITERAL = r"(?<![\w.+\-])(?:0|-?[1-9][0-9]*)(?![\w.])"
HOLE = r"(?<![\w.+\-#])#(?![\w.+\-#])"


def outcome(value: Any, where: str) -> Shape:
    """An outcome or a cell, as the texts between its integers and the intervals over which these range.

    On a cell, every law is a multiple of one summable weight prod_i e^(-shape_i k_i).  So P - x Q has one
    sign on it, its part of H_x is max(0, P(cell) - x Q(cell)), and the cell may be treated as a single
    outcome.

    An integer written out counts as an interval of one point.  A hole has no letter, digit, sign, dot or hole
    beside it, so to fill it makes one more integer and leaves the others: outcomes with different texts are
    never equal.
    """
    if isinstance(value, dict) and "value" in value:
        tokens, box, shape, (template,) = LITERAL, [], [], fields(value, where, "value")
    else:
        template, box, shape = fields(value, where, "template box shape")
        tokens, holes = f"{HOLE}|{LITERAL}", len(re.findall(HOLE, string(template, where)))
        require(template.count("#") == holes > 0, f"{where}: a # must stand apart from what is beside it")
        box, shape = array(box, where, holes), array(shape, where, holes)
    ranges = iter([interval(ends, rational(s, where), where) for ends, s in zip(box, shape, strict=True)])
    found = list(re.finditer(tokens, string(template, where)))
    cuts = [0, *(cut for token in found for cut in token.span()), len(template)]
    texts = tuple(template[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True))
    box = [next(ranges) if token[0] == "#" else (int(token[0]), int(token[0])) for token in found]
    return texts, tuple(box)


def interval(value: Any, shape: Fraction, where: str) -> Interval:
    """A non-empty interval of integers, over which e^(-shape k) is summable."""
    low, high = (None if end is None else integer(end, where) for end in array(value, where, 2))
    require(low is None or high is None or low <= high, f"{where}: an interval is empty")
    require(high is not None or shape > 0, f"{where}: an interval without upper end needs a shape above 0")
    require(low is not None or shape < 0, f"{where}: an interval without lower end needs a shape below 0")
    return low, high


def check_disjoint(outcomes: list[Shape]) -> None:
    """No two outcomes overlap: their texts differ, or their boxes are separated in some coordinate."""

    def before(x: Interval, y: Interval) -> bool:
        return x[1] is not None and y[0] is not None and x[1] < y[0]

    require(len(set(outcomes)) == len(outcomes), "outcomes: one is listed twice")
    groups: dict[tuple[str, ...], list[tuple[Interval, ...]]] = {}
    for texts, box in outcomes:
        groups.setdefault(texts, []).append(box)
    for boxes in groups.values():
        for cell in (box for box in boxes if any(low != high or low is None for low, high in box)):
            for other in (box for box in boxes if box is not cell):
                apart = any(before(x, y) or before(y, x) for x, y in zip(cell, other, strict=True))
                require(apart, "outcomes: two of them overlap")


def check_universe(relation: str, domain: list[str], n: int, datasets: list[Data]) -> None:
    """Distinct datasets of the right lengths, and as many as there are of them: so all of them."""
    require(len(set(domain)) == len(domain), "domain: a record is listed twice")
    require(len(set(datasets)) == len(datasets) > 0, "datasets: there is none, or one is listed twice")
    lengths = {len(data) for data in datasets}
    require(max(lengths) <= n, "datasets: one has more than n records")
    if relation in ("change-one", "each-by-one"):
        complete = lengths == {n} and len(datasets) == len(domain) ** n
        require(complete, "datasets: not all tuples of n records")
    if relation == "add-remove":
        complete = n in lengths and len(datasets) == sum(len(domain) ** k for k in range(n + 1))
        require(complete, "datasets: not all tuples of 0 to n records")


def neighbours(relation: str, data: Data, near: list[list[int]]) -> Iterator[Data]:
    """The neighbours by definition: for add-remove the shorter ones, for each-by-one also itself."""
    if relation == "each-by-one":
        yield from product(*(near[record] for record in data))
    for i in range(len(data)):
        if relation == "add-remove":
            yield data[:i] + data[i + 1 :]
        if relation == "change-one":
            yield from ((*data[:i], other, *data[i + 1 :]) for other in range(len(near)) if other != data[i])


def check_pairs(relation: str, domain: list[str], datasets: list[Data], pairs: set[Pair]) -> None:
    """The pairs are those of all neighbours in a known relation; any other relation is taken as listed."""
    if relation not in RELATIONS:
        return
    near: list[list[int]] = [[] for _ in domain]
    if relation == "each-by-one":
        integers = all(re.fullmatch("0|-?[1-9][0-9]*", record) for record in domain)
        require(integers, "domain: the records must be integers")
        near = [[j for j, y in enumerate(domain) if abs(int(x) - int(y)) <= 1] for x in domain]
    index = {data: i for i, data in enumerate(datasets)}
    both = ((i, index[other]) for data, i in index.items() for other in neighbours(relation, data, near))
    expected = {(min(i, j), max(i, j)) for i, j in both if i != j}
    require(expected <= pairs, f"pairs: {len(expected - pairs)} pairs of neighbours are missing")
    require(expected >= pairs, f"pairs: {len(pairs - expected)} pairs are not neighbours")


# ---- Decisions.


class Comparison:
    """The laws (masses by outcome, zeros left out), the ordered pairs of different laws of neighbours (and a
    pair of datasets for each), enclosures of the masses and of the numbers to be compared with them."""

    def __init__(
        self, field: Field, laws: list[dict[int, Number]], ordered: dict[Pair, Pair], others: set[Number]
    ) -> None:
        self.field, self.laws, self.ordered = field, laws, ordered
        self.p, self.boxes = field.enclose(others | {mass for law in laws for mass in law.values()})
        self.low = [{y: self.boxes[mass][0] for y, mass in law.items()} for law in laws]
        self.high = [{y: self.boxes[mass][1] for y, mass in law.items()} for law in laws]

    def mass(self, law: int, event: Iterable[int]) -> Number:
        """The probability of the event."""
        return total(self.laws[law][y] for y in event if y in self.laws[law])

    def bound(self, x: Number, limit: Number, name: str) -> bool:
        """Reject unless H_x <= limit for every pair; say whether for some pair H_z > limit for all z < x.

        To the left of x, the slope of H is -Q{y: P(y) >= x Q(y)}.  So the latter is the case iff for some
        pair H_x = limit and this slope is not 0.  Enclosures settle the pairs clearly below, `exact` the
        others.
        """
        x_low, limit_low, tight = self.boxes[x][0], self.boxes[limit][0], False
        lows = [{y: x_low * low >> self.p for y, low in law.items()} for law in self.low]
        products = [{y: x * mass for y, mass in law.items()} for law in self.laws]
        for (i, j), datasets in self.ordered.items():
            differences = [(y, high - lows[j].get(y, 0)) for y, high in self.high[i].items()]
            unsettled = {y: high for y, high in differences if high >= 0}  # elsewhere P(y) < x Q(y)
            if unsettled and sum(unsettled.values()) >= limit_low:
                signs = {y: self.excess(i, j, x, y, products[j]) for y in unsettled}
                order = self.exact(i, j, x, limit, [y for y, sign in signs.items() if sign > 0])
                require(order <= 0, f"{name}: the datasets {datasets} have more")
                slope = any(sign >= 0 and y in self.laws[j] for y, sign in signs.items())
                tight = tight or (order == 0 and slope)
        return tight

    def excess(self, i: int, j: int, x: Number, y: int, products: dict[int, Number]) -> int:
        """The sign of P(y) - x Q(y), where P(y) > 0; ``products`` are x Q."""
        if self.low[i][y] << self.p > self.boxes[x][1] * self.high[j].get(y, 0):
            return 1
        return self.field.compare(self.laws[i][y], products[y])

    def exact(self, i: int, j: int, x: Number, limit: Number, event: list[int]) -> int:
        """The sign of H_x - limit, where the event is {y: P(y) > x Q(y)}."""
        if not event:
            return -bool(limit.num)
        return self.field.compare(self.mass(i, event), x * self.mass(j, event) + limit)

    def escapes(self, limit: Number) -> bool:
        """Whether P{Q = 0} > limit for some pair; then H_x > limit for every x, however large."""
        gaps = ((i, [y for y in self.laws[i] if y not in self.laws[j]]) for i, j in self.ordered)
        return any(gap and self.field.compare(self.mass(i, gap), limit) > 0 for i, gap in gaps)

    def decimal(self, x: Number) -> str:
        """x to 12 digits, for display."""
        with localcontext() as context:
            context.prec = 12
            return str(Decimal(self.boxes[x][0]) / (1 << self.p))


@dataclass(frozen=True, slots=True)
class Report:
    """What an accepted certificate shows: the verdict, and everything in words."""

    verdict: str
    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Universe:
    """The datasets, the index of the law of each, and the pairs of neighbours, in both orders."""

    datasets: list[Data]
    law: Data
    ordered: list[Pair]


def read_universe(relation: str, domain: list[str], n: int, datasets: Any, pairs: Any, laws: int) -> Universe:
    """The universe, seen to be complete."""
    entries = [array(entry, "datasets", 2) for entry in array(datasets, "datasets")]
    data = [indices(records, "datasets", len(domain)) for records, _ in entries]
    used = indices([law for _, law in entries], "datasets", laws)
    require(set(used) == set(range(laws)), "laws: one is the law of no dataset")
    check_universe(relation, domain, n, data)
    edges = [pair(edge, "pairs", len(data)) for edge in array(pairs, "pairs")]
    require(bool(edges), "pairs: there is none, so the claim is vacuous")
    require(all(i < j for i, j in edges), "pairs: each must be i < j")
    require(len(set(edges)) == len(edges), "pairs: one is listed twice")
    check_pairs(relation, domain, data, set(edges))
    return Universe(data, used, edges + [(j, i) for i, j in edges])


@dataclass(frozen=True, slots=True)
class Numbers:
    """All numbers of a certificate, in one field; ``star`` is None if infinite; masses 0 are left out."""

    field: Field
    e: Number
    star: Number | None
    delta: Number
    greatest: Number
    p: Number
    q: Number
    laws: list[dict[int, Number]]


def read_numbers(certificate: dict[str, Any], laws: list[dict[int, Raw]]) -> Numbers:
    """The numbers, seen to be non-negative, and the laws, seen to sum to 1."""
    unit, rate = (rational(part, "base", 0) for part in fields(certificate["base"], "base", "unit rate"))
    require(unit >= 1, "base: the unit must be 1 or more")
    require(unit == 1 or primitive(unit)[1] == 1, "base: the unit must not be a perfect power")
    e = exp_epsilon(certificate["epsilon"], rational(certificate["multiple"], "multiple", 0), unit, rate)
    infinite = certificate["exp_epsilon_star"] == "inf"
    star = e if infinite else raw_number(certificate["exp_epsilon_star"], "exp_epsilon_star")
    delta, greatest = (raw_number(certificate[name], name) for name in ("delta", "delta_at_epsilon"))
    p, q = (raw_number(certificate["witness"][name], "witness") for name in ("p", "q"))

    # The norms of the comparisons to come are at most: of P(S) with x Q(S) + limit, of two limits, of two x.
    x_norm, limit_norm = norm(e, star), norm(delta, greatest)
    law_norm = max(norm(p, q), *(sum(map(norm, law.values())) for law in laws))
    field = Field(unit, rate, max(4 * law_norm**2 * x_norm * limit_norm, 2 * limit_norm**2, 2 * x_norm**2))
    masses = [{y: field.number(mass, f"laws[{i}]") for y, mass in law.items()} for i, law in enumerate(laws)]
    for i, law in enumerate(masses):
        require(field.compare(total(law.values()), ONE) == 0, f"laws[{i}]: the masses do not sum to 1")
    return Numbers(
        field,
        field.number(e, "epsilon"),
        None if infinite else field.number(star, "exp_epsilon_star"),
        field.number(delta, "delta"),
        field.number(greatest, "delta_at_epsilon"),
        field.number(p, "witness"),
        field.number(q, "witness"),
        [{y: mass for y, mass in law.items() if mass.num} for law in masses],
    )


def check_star(compared: Comparison, star: Number | None, delta: Number) -> None:
    """``star`` is the least x >= 1 with H_x <= delta for every pair; None stands for no such x."""
    if star is None:
        require(compared.escapes(delta), "exp_epsilon_star: it is finite")
        return
    above_one = compared.field.compare(star, ONE)
    require(above_one >= 0, "exp_epsilon_star: must be at least 1")
    least = compared.bound(star, delta, "exp_epsilon_star")
    require(least or above_one == 0, "exp_epsilon_star: a smaller one would do")


def decide(certificate: Any) -> Report:
    """All the checks: the outcomes, the universe, the numbers, the claim, the witness."""
    if not isinstance(certificate, dict) or certificate.get("format") != FORMAT:
        raise Unreadable(f"not a certificate of the format {FORMAT}")
    _, mechanism, epsilon, multiple, _, relation, domain, n, _, *rest = fields(certificate, "top level", KEYS)
    outcomes, laws, datasets, pairs, assumptions, verdict, _, _, witness = rest
    texts = [
        mechanism,
        epsilon,
        multiple,
        relation,
        *array(assumptions, "assumptions"),
        *array(domain, "domain"),
    ]
    for text in texts:
        string(text, "mechanism, epsilon, multiple, neighbours, assumptions, domain")
    edge, event, _, _ = fields(witness, "witness", "pair event p q")

    check_disjoint([outcome(value, f"outcomes[{i}]") for i, value in enumerate(array(outcomes, "outcomes"))])
    written = [raw_law(law, f"laws[{i}]", len(outcomes)) for i, law in enumerate(array(laws, "laws"))]
    universe = read_universe(relation, domain, integer(n, "n"), datasets, pairs, len(laws))
    x = read_numbers(certificate, written)
    used = {y for law in x.laws for y in law}
    require(used == set(range(len(outcomes))), "outcomes: one has no mass under any law")

    law, compare = universe.law, x.field.compare
    ordered = {(law[i], law[j]): (i, j) for i, j in universe.ordered if law[i] != law[j]}
    others = {x.e, x.delta, x.greatest, x.p, x.q} | ({x.star} if x.star else set())
    compared = Comparison(x.field, x.laws, ordered, others)
    require(compare(x.delta, ONE) < 0, "delta: must be less than 1")
    compared.bound(x.e, x.greatest, "delta_at_epsilon")
    derived = "holds" if compare(x.greatest, x.delta) <= 0 else "refuted"
    require(verdict == derived, f"verdict: it is {derived!r}")
    check_star(compared, x.star, x.delta)

    i, j = pair(edge, "witness", len(law))
    event = indices(event, "witness", len(outcomes))
    require((i, j) in universe.ordered, "witness: not a listed pair")
    require(len(set(event)) == len(event), "witness: an outcome is listed twice")
    require(compare(x.p, compared.mass(law[i], event)) == 0, "witness: p is not the probability of the event")
    require(compare(x.q, compared.mass(law[j], event)) == 0, "witness: q is not the probability of the event")
    require(compare(x.p, x.e * x.q + x.greatest) == 0, "witness: p - E q is not delta_at_epsilon")

    ends = [json.dumps([domain[record] for record in universe.datasets[k]]) for k in (i, j)]
    scope = "all neighbours" if relation in RELATIONS else "an own relation, datasets and pairs taken as listed"
    lines = [
        f"claim: {json.dumps(mechanism)} is (m * epsilon, delta)-differentially private with",
        f"    m = {multiple}, epsilon = {epsilon}, delta = {compared.decimal(x.delta)}",
        f"neighbours: {json.dumps(relation)}, {scope}",
        f"compared: {len(law)} datasets, {len(universe.ordered)} ordered pairs",
        f"verdict: {derived}",
        f"delta at epsilon: {compared.decimal(x.greatest)}",
        f"e^epsilon* at delta: {compared.decimal(x.star) if x.star else 'infinite'}",
        f"witness: {ends[0]} and {ends[1]}, p = {compared.decimal(x.p)}, q = {compared.decimal(x.q)}",
        *(f"assumption: {json.dumps(text)}" for text in assumptions),
        "not checked: that the laws are those of the program, and that the assumptions are true;",
        "    records and outcomes are told apart by their texts",
    ]
    return Report(derived, lines)


def read(path: Path) -> Any:
    """The JSON value in a file; none of its objects may have a key twice."""

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(items)) == len(items), "JSON: an object has a key twice")
        return dict(items)

    try:
        return json.loads(path.read_text("utf-8"), object_pairs_hook=unique)
    except (OSError, ValueError, RecursionError) as error:
        raise Unreadable(f"cannot be read: {error}") from error


def check(certificate: str | PathLike[str] | dict[str, Any]) -> Report:
    """Check a certificate (a path, or the value read from it); raise `Rejected` unless all of it is right."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # an exact number may have any number of digits
    try:
        return decide(certificate if isinstance(certificate, dict) else read(Path(certificate)))
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
    except Rejected as error:
        print(f"rejected: {error}", file=sys.stderr)
        return 2 if isinstance(error, Unreadable) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
