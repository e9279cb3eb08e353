"""The exact joint law of the Poisson coupling on finite sets, and what two laws need of it in closed form.

Every law P is given a random Z_P ~ P, all of them from one Poisson process. Its points are (y, s, t), s a level and t a
time, and Z_P is the y of the earliest point with s <= P(y). Let U be the laws that have no value yet. The next point
that one of them accepts is uniform on the union of their regions {s <= P_i(y)}; with P_{i_1}(y) >= P_{i_2}(y) >= ...
the laws of U in the order of their masses at y,

    exactly i_1, ..., i_j take y with probability (P_{i_j}(y) - P_{i_{j+1}}(y)) / sum over z of max_{i in U} P_i(z),

0 in place of P_{i_{j+1}} after the last; and the rest goes on with a fresh process. Ties weigh 0, and no reference
measure occurs.

Paper: Constructions A.1 and A.4, whose law this is. Exact: integers, or integer polynomials in one exponential; masses
at one outcome are compared by decision.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import compress, product
from operator import add, mul
from struct import Struct

from exactdp.spec.assignments import enumerate_assignments
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Bounds, Law
from exactdp.spec.number import Number
from exactdp.spec.table import Element, Ring, Table

BUDGET = 5_000_000
"""How many assignments are held at once, unless the caller says otherwise."""


class Apart(Enum):
    """The outcome that stands for all pairs of different values."""

    APART = "apart"

    def __repr__(self) -> str:
        return self.name


APART = Apart.APART


# -- the joint law ----------------------------------------------------------------------------------------------------


def joint_law(laws: Sequence[Law], *, budget: int = BUDGET) -> Law:
    """The exact law of (Z_{P_1}, ..., Z_{P_k}), over tuples of outcomes; equal laws take equal values.

    Only the r distinct laws count for the work: at most 2^r sets of them, each with the partial assignments that leave
    it, merged. The steps are three to seven times as many as the outcomes, and memory is below twice the result. Of
    random laws with masses in hundredths, r laws on r points have 13, 58, 467, 1 888, 13 087, 77 568 outcomes for r = 3
    to 8, four to eight times more with each step; on 4 points about r^4 / 5 (226, 1 780, 9 345 for r = 6, 10, 14); and
    4 laws on m points nearly m^4 / 5 (58, 849, 12 677 for m = 4, 8, 16), fewer when many masses are 0 or tie. All are
    far below m^r. The common denominator has hundreds of digits (139 at r = 8), more if the laws' own are coprime.

    The laws may be on different sets; the coupling is on their union. Raises `InvalidArgument` for no laws, what is no
    law, a countable law and unresolved mass; `SymbolicEpsilon`; `MixedUnits`; `BudgetExceeded` when more than `budget`
    assignments have to be held.

    >>> list(joint_law([Law({0: "3/7", 1: "4/7"}), Law({0: "1/2", 1: "1/2"})]).items())
    [((0, 0), Fraction(3, 7)), ((1, 0), Fraction(1, 14)), ((1, 1), Fraction(1, 2))]
    """
    objects = {id(law): law for law in laws}
    if not objects:
        raise InvalidArgument("laws", list(laws), "at least one law")
    table = Table(list(objects.values()))
    numbers: dict[Law, int] = {}
    places = {key: numbers.setdefault(law, len(numbers)) for key, law in objects.items()}
    if len(numbers) < len(objects):
        table = Table(list(numbers))
    shape = Struct(f">{len(numbers)}{_letter(len(table.outcomes))}")
    assignments, den = enumerate_assignments(table, 8 * shape.size // len(numbers), budget)
    return _decoded(table, shape, [places[id(law)] for law in laws], assignments, den)


def _letter(outcomes: int) -> str:
    """How an outcome's number is written: in one, two or four bytes."""
    return "B" if outcomes <= 1 << 8 else "H" if outcomes <= 1 << 16 else "I"


def _decoded(table: Table, shape: Struct, places: list[int], assignments: dict[int, Element], den: Element) -> Law:
    """The law over tuples; place i of a tuple is that of law places[i]."""
    name, size, plain = table.outcomes.__getitem__, shape.size, places == list(range(len(places)))
    codes = sorted(assignments)
    entries = [assignments.pop(code) for code in codes]
    tuples = (tuple(map(name, shape.unpack(code.to_bytes(size, "big")))) for code in codes)
    spread = tuples if plain else (tuple([values[i] for i in places]) for values in tuples)
    return Law.of_vector(dict(zip(spread, range(len(codes)), strict=True)), table.ring.vector(entries, den))


# -- two laws ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meeting:
    """What decides how often two laws agree: with masses a/N and b/N at every outcome, N = `whole`,

    `shared` = the sum of min(a, b), and `late` = the sum of |a - b| * min(a, b).
    """

    ring: Ring
    whole: Element
    shared: Element
    late: Element

    @property
    def spread(self) -> Element:
        """The sum of max(a, b)."""
        return 2 * self.whole - self.shared

    def tv(self) -> Number:
        """t = 1 - sum of min(P, Q)."""
        return self.ring.number(self.whole - self.shared, self.whole)

    def disagreement(self) -> Number:
        """(2t - sum of |P - Q| min(P, Q)) / (1 + t)."""
        apart = 2 * self.whole * (self.whole - self.shared) - self.late
        return self.ring.number(apart, self.whole * self.spread)

    def bounds(self) -> Bounds:
        """t and 2t/(1 + t)."""
        return Bounds(self.tv(), self.ring.number(2 * (self.whole - self.shared), self.spread))


def pair_disagreement(p: Law, q: Law) -> Number:
    """Pr[Z_P != Z_Q] = (2t - sum over y of |P(y) - Q(y)| min(P(y), Q(y))) / (1 + t), t the total variation distance.

    The first point accepted by P or Q is accepted by one of them alone with probability 2t/(1 + t); then the other
    takes an independent value, which may be the same. Linear in the supports. Raises as `joint_law`.

    >>> pair_disagreement(Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"}))
    Fraction(7, 20)
    """
    return _met(p, q).disagreement()


def disagreement_bounds(p: Law, q: Law) -> Bounds:
    """t <= Pr[Z_P != Z_Q] <= 2t/(1 + t), the bounds that know only t = TV(P, Q).

    The upper one is attained when at every outcome P = Q or min(P, Q) = 0, the lower one on two points. Paper: (G2) of
    Definition 3.1 has 2t, Theorem A.2 the sharper bound. Raises as `joint_law`.

    >>> disagreement_bounds(Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"}))
    Bounds(low=Fraction(1, 4), high=Fraction(2, 5))
    """
    return _met(p, q).bounds()


def split_bound(laws: Sequence[Law]) -> Number:
    """Pr[not all Z_P are equal] <= 1 - (sum over y of min P(y)) / (sum over y of max P(y)), over all the laws.

    All of them take the first point that any of them accepts with probability at least that quotient. Raises as
    `joint_law`.

    >>> split_bound([Law({0: 1}), Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 2: "1/4"})])
    Fraction(5, 7)
    """
    if not laws:
        raise InvalidArgument("laws", list(laws), "at least one law")
    table = Table(laws)
    low = high = table.columns[0]
    for column in table.columns[1:]:
        smaller, gaps = table.ring.compared(high, column)
        high = list(map(add, smaller, gaps))
        low, _ = table.ring.compared(low, column)
    return 1 - table.ring.number(sum(low), sum(high))


def pair_diagonal(p: Law, q: Law) -> Law:
    """Where Z_P and Z_Q agree: a law over the common value, and `APART` for no common value.

    Z_P = Z_Q = y has probability min(P(y), Q(y)) (1 + |P(y) - Q(y)|) / (1 + t). Linear in the supports. Raises as
    `joint_law`.

    >>> list(pair_diagonal(Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"})).items())
    [(0, Fraction(2, 5)), (1, Fraction(1, 4)), (APART, Fraction(7, 20))]
    """
    table = Table([p, q])
    least, gaps = table.ring.compared(*table.columns)
    meeting = _meeting(table, least, gaps)
    return with_apart(meeting, table.outcomes, diagonal(meeting, least, gaps))


def diagonal(meeting: Meeting, least: list[Element], gaps: list[Element]) -> list[Element]:
    """The probabilities of agreeing where the lesser mass and the gap are these, over N * the sum of max(a, b)."""
    return [low * (meeting.whole + gap) for low, gap in zip(least, gaps, strict=True)]


def with_apart(meeting: Meeting, names: Iterable[Hashable], entries: list[Element]) -> Law:
    """The law of the given probabilities of agreeing, with `APART` for what is left."""
    den = meeting.whole * meeting.spread
    return _law_of([*names, APART], [*entries, den - sum(entries)], meeting.ring, den)


def pair_law(p: Law, q: Law) -> Law:
    """The joint law of (Z_P, Z_Q) in closed form: the whole table, of size |support of P| times |support of Q|.

    With (x)+ = max(x, 0), (y, z) has probability ((P(y) - Q(y))+ Q(z) + (Q(z) - P(z))+ P(y)) / (1 + t), and on the
    diagonal min(P(y), Q(y)) / (1 + t) besides. See `pair_diagonal` for large supports. Raises as `joint_law`.

    >>> list(pair_law(Law({0: "3/7", 1: "4/7"}), Law({0: "1/2", 1: "1/2"})).items())
    [((0, 0), Fraction(3, 7)), ((1, 0), Fraction(1, 14)), ((1, 1), Fraction(1, 2))]
    """
    table = Table([p, q])
    a, b = table.columns
    least, gaps = table.ring.compared(a, b)
    meeting = _meeting(table, least, gaps)
    cells = [
        (a[i] - least[i]) * b[j] + (b[j] - least[j]) * a[i] + (meeting.whole * least[i] if i == j else 0)
        for i, j in product(range(len(least)), repeat=2)
    ]
    pairs = list(product(table.outcomes, repeat=2))
    return _law_of(pairs, cells, table.ring, meeting.whole * meeting.spread)


def _met(p: Law, q: Law) -> Meeting:
    table = Table([p, q])
    return _meeting(table, *table.ring.compared(*table.columns))


def _meeting(table: Table, least: list[Element], gaps: list[Element]) -> Meeting:
    return Meeting(table.ring, table.den, sum(least), sum(map(mul, gaps, least)))


def _law_of(names: Sequence[Hashable], entries: list[Element], ring: Ring, den: Element) -> Law:
    positive = ring.positive(entries)
    if not all(positive):
        names, entries = list(compress(names, positive)), list(compress(entries, positive))
    return Law.of_vector(dict(zip(names, range(len(names)), strict=True)), ring.vector(entries, den))
