"""Certificates made without the package and without the checker: plain lists of coefficients and Fractions.

Orders are decided on values of t to 250 digits; an error here can only make a certificate that is rejected.
"""

import copy
import itertools
import re
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

Poly = tuple[int, ...]
Number = tuple[Poly, Poly]
Law = tuple[Poly, dict[int, Poly]]
T = TypeVar("T")
CLOSE = Decimal("1e-100")


def plus(f: Poly, g: Poly, sign: int = 1) -> Poly:
    return tuple(a + sign * b for a, b in itertools.zip_longest(f, g, fillvalue=0))


def times(f: Poly, g: Poly) -> Poly:
    result = [0] * max(0, len(f) + len(g) - 1)
    for i, a in enumerate(f):
        for j, b in enumerate(g):
            result[i + j] += a * b
    return tuple(result)


def minus(x: Number, y: Number) -> Number:
    return plus(times(x[0], y[1]), times(y[0], x[1]), -1), times(x[1], y[1])


def number(x: Number) -> dict[str, list[int]]:
    return {"num": list(x[0]), "den": list(x[1])}


def constant(value: Fraction | str | int) -> Number:
    top, bottom = Fraction(value).as_integer_ratio()
    return (top,), (bottom,)


@cache
def t_value(unit: str, rate: str) -> Decimal:
    log = decimal(unit).ln() if unit != "1" else Decimal(1)
    return (-decimal(rate) * log).exp()


def decimal(value: str) -> Decimal:
    return Decimal(Fraction(value).numerator) / Fraction(value).denominator


def exactly(function: Callable[..., T]) -> Callable[..., T]:
    """Run with 250 digits."""

    def run(*arguments: Any, **options: Any) -> T:
        with localcontext() as context:
            context.prec = 250
            return function(*arguments, **options)

    return run


def relation_pairs(neighbours: str, domain: Sequence[str], data: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """By comparing every two datasets, unlike the checker."""

    def related(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
        if neighbours == "add-remove":
            return any(
                a[:i] + a[i + 1 :] == b for a, b in ((x, y), (y, x)) if len(a) == len(b) + 1 for i in range(len(a))
            )
        if neighbours == "change-one":
            return sum(a != b for a, b in zip(x, y, strict=True)) == 1
        return all(abs(int(domain[a]) - int(domain[b])) <= 1 for a, b in zip(x, y, strict=True))

    return [[i, j] for i, j in itertools.combinations(range(len(data)), 2) if related(data[i], data[j])]


def at(f: Poly, t: Decimal) -> Decimal:
    result = Decimal(0)
    for c in reversed(f):
        result = result * t + c
    return result


def mass(law: Law, event: Sequence[int]) -> Number:
    den, masses = law
    total: Poly = (0,)
    for y in event:
        total = plus(total, masses.get(y, (0,)))
    return total, den


def worst(
    values: list[dict[int, Decimal]], ordered: list[tuple[int, int]], ratio: Decimal
) -> tuple[Decimal, list[int], list[int]]:
    """The greatest H, with the laws and the event."""
    best: tuple[Decimal, list[int], list[int]] = (Decimal(-1), [], [])
    for i, j in ordered:
        p, q = values[i], values[j]
        event = [y for y in p if p[y] - ratio * q.get(y, 0) > CLOSE]
        h = sum((p[y] - ratio * q.get(y, 0) for y in event), Decimal(0))
        if h > best[0] + CLOSE:
            best = (h, [i, j], event)
    return best


@exactly
def certificate(
    law: Callable[[tuple[int, ...]], Law],
    outcomes: list[dict[str, Any]],
    *,
    e: Number,
    epsilon: str,
    unit: str = "1",
    rate: str = "1",
    multiple: str = "1",
    delta: str = "0",
    neighbours: str = "change-one",
    domain: Sequence[str] = ("0", "1"),
    n: int = 1,
) -> dict[str, Any]:
    """A certificate with the verdict, delta and epsilon* of the laws."""
    t = t_value(unit, rate)

    def value(x: Number) -> Decimal:
        return at(x[0], t) / at(x[1], t)

    lengths = range(n + 1) if neighbours == "add-remove" else [n]
    data = [x for k in lengths for x in itertools.product(range(len(domain)), repeat=k)]
    laws: list[Law] = []
    used = []
    for x in data:
        its = law(x)
        if its not in laws:
            laws.append(its)
        used.append(laws.index(its))
    pairs = relation_pairs(neighbours, domain, data)
    values = [{y: value((f, den)) for y, f in masses.items()} for den, masses in laws]

    ratio, limit = value(e), decimal(delta)
    ordered = list({(used[i], used[j]): None for a, b in pairs for i, j in ((a, b), (b, a))})
    best = worst(values, ordered, ratio)
    star: Number = constant(1)
    infinite = False
    for i, j in ordered:
        p, q = values[i], values[j]
        order = sorted(p, key=lambda y: p[y] / q[y] if q.get(y) else Decimal("Infinity"), reverse=True)
        for k in range(1, len(order) + 1):
            top = sum((p[y] for y in order[:k]), Decimal(0)) - limit
            bottom = sum((q.get(y, Decimal(0)) for y in order[:k]), Decimal(0))
            if bottom == 0:
                infinite = infinite or top > 0
            elif top / bottom > value(star) + CLOSE:
                above, below = minus(mass(laws[i], order[:k]), constant(delta)), mass(laws[j], order[:k])
                star = times(above[0], below[1]), times(above[1], below[0])
    i, j = next((i, j) for a, b in pairs for i, j in ((a, b), (b, a)) if [used[i], used[j]] == best[1])
    p_end, q_end = mass(laws[used[i]], best[2]), mass(laws[used[j]], best[2])
    most = constant(0) if not best[2] else minus(p_end, (times(e[0], q_end[0]), times(e[1], q_end[1])))
    if abs(value(star) - ratio) < CLOSE:
        star = e
    return copy.deepcopy({
        "format": "exactdp-certificate-1",
        "mechanism": "made by hand",
        "epsilon": epsilon,
        "multiple": multiple,
        "delta": number(constant(delta)),
        "neighbours": neighbours,
        "domain": list(domain),
        "n": n,
        "base": {"unit": unit, "rate": rate},
        "outcomes": outcomes,
        "laws": [
            {"den": list(den), "masses": [[y, list(f)] for y, f in masses.items()]} for den, masses in laws
        ],
        "datasets": [[list(x), i] for x, i in zip(data, used, strict=True)],
        "pairs": pairs,
        "assumptions": [],
        "verdict": "holds" if best[0] <= limit + CLOSE else "refuted",
        "delta_at_epsilon": number(most),
        "exp_epsilon_star": "inf" if infinite else number(star),
        "witness": {"pair": [i, j], "event": best[2], "p": number(p_end), "q": number(q_end)},
    })  # fmt: skip


@exactly
def is_true(c: dict[str, Any]) -> bool:
    """Whether the numbers of a certificate agree with its laws to 50 digits: evaluated, not proved."""
    t, close = t_value(c["base"]["unit"], c["base"]["rate"]), Decimal("1e-50")

    def value(x: dict[str, list[int]]) -> Decimal:
        top, bottom = (sum((a * t**k for k, a in enumerate(f)), Decimal(0)) for f in (x["num"], x["den"]))
        return top / bottom

    laws = [{y: value({"num": f, "den": law["den"]}) for y, f in law["masses"]} for law in c["laws"]]
    used = [i for _, i in c["datasets"]]
    pairs = [(laws[used[i]], laws[used[j]]) for a, b in c["pairs"] for i, j in ((a, b), (b, a))]

    def greatest(x: Decimal) -> Decimal:
        return max(sum((max(Decimal(0), m - x * q.get(y, 0)) for y, m in p.items()), Decimal(0)) for p, q in pairs)

    logarithm = re.fullmatch(r"ln\((.*)\)", c["epsilon"])
    epsilon = decimal(logarithm[1]).ln() if logarithm else decimal(c["epsilon"])
    delta, most = value(c["delta"]), value(c["delta_at_epsilon"])
    derived = greatest((decimal(c["multiple"]) * epsilon).exp())
    star = Decimal("1e60") if c["exp_epsilon_star"] == "inf" else value(c["exp_epsilon_star"])
    enough, smaller = (
        greatest(star) <= delta + close,
        greatest(star * (1 - Decimal("1e-40"))) <= delta + close / 2,
    )
    least = not enough if c["exp_epsilon_star"] == "inf" else enough and (star == 1 or not smaller)
    holds = c["verdict"] == ("holds" if most <= delta + close else "refuted")
    return abs(derived - most) < close and least and holds


def values(*texts: str) -> list[dict[str, Any]]:
    return [{"value": text} for text in texts]


def monomial(k: int) -> Poly:
    return (0,) * k + (1,)


def randomized_response(**options: Any) -> dict[str, Any]:
    """Every bit is flipped with probability t/(1+t); the outcome is the tuple of bits."""
    n = options.get("n", 1)
    outputs = list(itertools.product((0, 1), repeat=n))

    def law(x: tuple[int, ...]) -> Law:
        den: Poly = (1,)
        for _ in range(n):
            den = times(den, (1, 1))
        return den, {i: monomial(sum(a != b for a, b in zip(x, y, strict=True))) for i, y in enumerate(outputs)}

    return certificate(law, values(*map(repr, outputs)), **{"e": ((1,), (0, 1)), "epsilon": "1"} | options)


def truncated_laplace(width: int = 2, **options: Any) -> dict[str, Any]:
    """The sum of the records plus noise of mass ~ t^|k| on -width..width: epsilon* is infinite at delta 0."""
    domain = options.get("domain", ("0", "1"))

    def law(x: tuple[int, ...]) -> Law:
        centre = sum(int(domain[record]) for record in x)
        den = plus((1,), tuple(2 * (k > 0) for k in range(width + 1)))
        return den, {centre + k + width: monomial(abs(k)) for k in range(-width, width + 1)}

    size = options.get("n", 1) * max(map(int, domain)) + 2 * width + 1
    return certificate(
        law, values(*map(str, range(-width, size - width))), **{"e": ((1,), (0, 1)), "epsilon": "1"} | options
    )


def geometric_cells(top: int = 2, **options: Any) -> dict[str, Any]:
    """The sum plus two-sided geometric noise t^|k| (1-t)/(1+t): the tails are two cells."""
    domain = options.get("domain", ("0", "1"))

    def law(x: tuple[int, ...]) -> Law:
        centre = sum(int(domain[record]) for record in x)
        masses = {y: times(monomial(abs(y - centre)), (1, -1)) for y in range(1, top)}
        return (1, 1), {0: monomial(centre), top: monomial(top - centre)} | masses

    middle = values(*(f"('noisy', {y})" for y in range(1, top)))
    tails = [
        {"template": "('noisy', #)", "box": [[None, 0]], "shape": ["-1"]},
        {"template": "('noisy', #)", "box": [[top, None]], "shape": ["1"]},
    ]
    return certificate(law, [tails[0], *middle, tails[1]], **{"e": ((1,), (0, 1)), "epsilon": "1", "n": 2} | options)


def identity(**options: Any) -> dict[str, Any]:
    """The data itself: refuted with delta 1 and an infinite epsilon*."""
    return certificate(
        lambda x: ((1,), {x[0]: (1,)}), values("0", "1"), **{"e": ((1,), (0, 1)), "epsilon": "1"} | options
    )


def all_good() -> dict[str, dict[str, Any]]:
    """Certificates that must be accepted, by name."""
    three: Number = constant(3)
    return {
        "response": randomized_response(),
        "response twice, half the rate": randomized_response(n=2, rate="1/2", e=((1,), (0, 0, 1))),
        "response, claim too small": randomized_response(n=1, rate="1", e=((1,), (0, 1)), epsilon="2", multiple="1/2"),
        "response ln(3)": randomized_response(unit="3", e=three, epsilon="ln(3)"),
        "response ln(3/2), refuted": randomized_response(unit="3/2", rate="3/2", e=constant("3/2"), epsilon="ln(3/2)"),
        "response sqrt(3)": randomized_response(
            unit="3", rate="1/2", e=((1,), (0, 1)), epsilon="ln(3)", multiple="1/2"
        ),
        "response sqrt(3), rate 3/2": randomized_response(
            unit="3", rate="3/2", e=((1,), (0, 1)), epsilon="ln(27)", multiple="1/2", n=2
        ),
        "response at ln(2), laws in e": randomized_response(rate="1", e=constant(2), epsilon="ln(4)", multiple="1/2"),
        "response with delta": randomized_response(n=2, rate="2", e=((1,), (0, 1)), epsilon="2", delta="1/100"),
        "response each-by-one": randomized_response(n=2, neighbours="each-by-one"),
        "truncated": truncated_laplace(),
        "truncated with delta": truncated_laplace(delta="1/4", n=2, domain=("0", "1", "2"), neighbours="each-by-one"),
        "truncated ln(2)": truncated_laplace(delta="1/7", unit="2", e=constant(2), epsilon="ln(2)"),
        "geometric": geometric_cells(),
        "geometric add-remove": geometric_cells(neighbours="add-remove", n=3, top=4, rate="1/3", epsilon="1/3"),
        "geometric ln(3/2), half": geometric_cells(
            unit="3/2", rate="1/2", e=((1,), (0, 1)), epsilon="ln(3/2)", multiple="1/2", n=3, top=3
        ),
        "geometric, refuted": geometric_cells(
            rate="1/10", e=((1,), (0, 1)), epsilon="1/10", n=2, neighbours="each-by-one"
        ),
        "geometric, delta": geometric_cells(rate="1", delta="1/1000", n=2),
        "identity": identity(),
        "identity, three": identity(domain=("0", "1"), delta="1/2"),
    }


def big(n: int = 5) -> dict[str, Any]:
    """243 datasets and as many written laws, 6 outcomes, degree about 40, and ties P = E Q in most pairs.

    The first record plus geometric noise, in cells; each law is multiplied above and below by a polynomial of
    its own.  The result is that of the case n = 1: delta 0 at epsilon, and E* = E.
    """

    def law(x: tuple[int, ...]) -> Law:
        centre = x[0] - 1
        code = sum(3**i * record for i, record in enumerate(x)) + 1
        own = tuple(pow(code, k + 2, 10**9 + 7) + 1 for k in range(40))
        masses = {y + 2: times(monomial(abs(y - centre)), (1, -1)) for y in range(-1, 3)}
        masses |= {0: tail(centre + 2), 5: tail(3 - centre)}
        return times((1, 1), own), {y: times(f, own) for y, f in masses.items()}

    def tail(distance: int) -> Poly:
        """(1+t) P(noise >= distance)."""
        return monomial(distance) if distance > 0 else plus((1, 1), monomial(1 - distance), -1)

    cells = [
        {"template": "#", "box": [[None, -2]], "shape": ["-1/40"]},
        *values("-1", "0", "1", "2"),
        {"template": "#", "box": [[3, None]], "shape": ["1/40"]},
    ]
    data = list(itertools.product(range(3), repeat=n))
    small = certificate(
        law, cells, e=((1,), (0, 1)), epsilon="1/40", rate="1/40", domain=("-1", "0", "1"), n=1,
        neighbours="each-by-one",
    )  # fmt: skip
    laws = [law(x) for x in data]
    return small | {
        "n": n,
        "laws": [{"den": list(den), "masses": [[y, list(f)] for y, f in masses.items()]} for den, masses in laws],
        "datasets": [[list(x), i] for i, x in enumerate(data)],
        "pairs": relation_pairs("each-by-one", ("-1", "0", "1"), data),
    }
