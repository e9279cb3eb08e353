"""Yatracos sets of a class of laws: where one law exceeds another; their atoms, their VC dimension; covers of a class.

The set A_{q,q'} = {y : q(y) > q'(y)} attains the total variation: q(A) - q'(A) = TV(q, q'). Two outcomes lie in the
same Yatracos sets exactly when they put the masses of the laws in the same order, ties included; such outcomes form an
*atom*. A finite class has finitely many atoms even when its laws are countable, and on the atoms the total variation
between members, and whatever looks at Yatracos sets alone, is what it was.

Paper: Definition C.3, Theorem C.4 and the remark on locally small covers (appendix C).
"""

from collections.abc import Collection, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from exactdp.spec.cells import Box, Cell
from exactdp.spec.divergence import Aligned
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exact
from exactdp.spec.template import Template
from exactdp.spec.terms import Terms

VC_BUDGET = 20_000_000
"""How many parts of a family the search for a shattered set may look at."""

ONE = Fraction(1)
Order = tuple[int, ...]
"""The rank of every law's mass among the masses at an outcome; equal masses have equal ranks, and 0 is the least."""


def yatracos_set(q: Law, other: Law) -> frozenset[Hashable]:
    """A_{q,q'} = {y : q(y) > q'(y)} of two finite laws; empty when they are equal.

    Raises `InvalidArgument` for a countable law, whose sets may be infinite: `atoms_of` makes them finite.

    >>> sorted(yatracos_set(Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"})))
    [0]
    """
    if not (q.is_finite and other.is_finite):
        raise InvalidArgument("law", q if other.is_finite else other, "a finite law; a countable class has atoms_of")
    return frozenset(y for y in q.support() if q[y] > other[y])


def excess(q: Law, other: Law, event: Set[Hashable]) -> Number:
    """q(A) - q'(A): equal to TV(q, q') at A = A_{q,q'}, and at most TV(q, q') at every other set.

    >>> p, q = Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"})
    >>> excess(p, q, yatracos_set(p, q))
    Fraction(1, 2)
    """
    return q.probability(event.__contains__) - other.probability(event.__contains__)


def yatracos_class(laws: Sequence[Law], domain: Sequence[Hashable]) -> tuple[int, ...]:
    """Yat(Q), each set once, as bit masks: bit i says that domain[i] is in it. The empty set A_{q,q} comes first.

    Raises `InvalidArgument` for an empty class, and for a law with an outcome outside the domain.

    >>> yatracos_class([Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"})], [0, 1])
    (0, 1, 2)
    """
    members = _checked_class(laws)
    values = list(domain)
    for law in members:
        outside = next((y for y in law.support() if y not in values), None) if law.is_finite else law
        if outside is not None:
            raise InvalidArgument("outcome of a law", outside, f"a value of the domain {values!r}")
    return _masks([_order([law[y] for law in members]) for y in values])


@dataclass(frozen=True)
class Atoms:
    """The atoms of a finite class, numbered from 0, and the laws on them.

    Atom 0 is where all laws have the same mass, and so also what no law can give. `orders[a]` ranks the laws on atom a.
    """

    laws: tuple[Law, ...]
    orders: tuple[Order, ...]
    on_atoms: tuple[Law, ...]
    singles: dict[Hashable, int]
    boxes: tuple[tuple[Template, Box, int], ...]

    def __len__(self) -> int:
        return len(self.orders)

    def atom(self, outcome: Hashable) -> int:
        """The atom of an outcome, of any kind; 0 for what no law of the class can give."""
        found = self.singles.get(outcome)
        if found is not None:
            return found
        for template, box, atom in self.boxes:
            values = template.match(outcome)
            if values is not None and all(map(_inside, values, box)):
                return atom
        return 0

    def of(self, law: Law) -> Law:
        """The law of the atom, for a law of the class or for any finite law. Raises `InvalidArgument` otherwise."""
        if law in self.laws:
            return self.on_atoms[self.laws.index(law)]
        if not law.is_finite:
            raise InvalidArgument("law", law, "a law of the class, or a finite law")
        return law.map(self.atom)

    def event(self, i: int, j: int) -> frozenset[int]:
        """A_{q,q'} of laws i and j, as the set of its atoms."""
        return frozenset(a for a, order in enumerate(self.orders) if order[i] > order[j])

    def events(self) -> tuple[int, ...]:
        """Yat(Q), each set once, as bit masks over the atoms; the empty set comes first."""
        return _masks(self.orders)


def atoms_of(laws: Sequence[Law]) -> Atoms:
    """The atoms of a finite class of finite or countable laws, with the exact masses of every law on them.

    Raises `InvalidArgument` for an empty class, and `NotClosed`, `MixedUnits` or `SymbolicEpsilon` for countable laws
    whose masses cannot be compared in closed form.

    >>> from exactdp.spec.standard_laws import geometric
    >>> atoms = atoms_of([geometric(1), geometric(2)])
    >>> [atoms.atom(k) for k in (-1, 0, 1, 2, 100)], atoms.orders
    ([0, 1, 2, 2, 2], ((0, 0), (1, 0), (0, 1)))
    """
    members = _checked_class(laws)
    aligned = Aligned(members)
    if any(aligned.unresolved):
        raise InvalidArgument("laws", members, "laws without unresolved mass")
    numbers: dict[Order, int] = {(0,) * len(members): 0}
    masses: list[list[list[Number]]] = [[]]
    singles: dict[Hashable, int] = {}
    boxes: list[tuple[Template, Box, int]] = []
    for piece in _pieces(aligned):
        atom = numbers.setdefault(piece.order, len(numbers))
        masses.extend([] for _ in range(len(numbers) - len(masses)))
        masses[atom].append(piece.masses)
        if piece.cell.template is None:
            singles[piece.cell.outcome] = atom
        else:
            boxes.append((piece.cell.template, piece.cell.box, atom))
    sums = [[sum(column, start=Fraction(0)) for column in zip(*found, strict=True)] for found in masses]
    on_atoms = tuple(Law({a: row[i] for a, row in enumerate(sums) if row}) for i in range(len(members)))
    return Atoms(members, tuple(numbers), on_atoms, singles, tuple(boxes))


@dataclass(frozen=True)
class _Piece:
    """A part of a cell on which the laws keep their order."""

    cell: Cell
    order: Order
    masses: list[Number]


def _pieces(aligned: Aligned) -> Iterator[_Piece]:
    for n, cell in enumerate(aligned.cells):
        if n in aligned.irregular:
            yield from _runs(cell, aligned.irregular[n])
        else:
            masses = [v[n] for v in aligned.vectors]
            yield _Piece(cell, _order(masses), masses)


def _runs(cell: Cell, densities: Sequence[Terms]) -> Iterator[_Piece]:
    """An irregular cell, cut wherever some difference of two densities changes its sign."""
    low, high = cell.box[0]
    starts: set[int] = set()
    for j, q in enumerate(densities):
        for p in densities[:j]:
            runs = (p + q.scaled(Fraction(-1))).sign_runs(low, high)
            starts.update(start for start, _, _ in runs if start is not None and start != low)
    cuts = sorted(starts)
    for start, end in zip([low, *cuts], [*(cut - 1 for cut in cuts), high], strict=True):
        k = start if start is not None else end if end is not None else 0
        box = ((start, end),)
        part = Cell(None, cell.template, box, cell.shape, cell.unit)
        yield _Piece(part, _order([d(k) for d in densities]), [d.total(start, end) for d in densities])


def _order(masses: Sequence[Number]) -> Order:
    rank = {mass: n for n, mass in enumerate(sorted(set(masses)))}
    return tuple(rank[mass] for mass in masses)


def _masks(orders: Sequence[Order]) -> tuple[int, ...]:
    """The sets {points where law i ranks above law j}, for all i and j, each once; that of i = j first."""
    laws = range(len(orders[0]) if orders else 0)
    found = {0: None}
    for i in laws:
        for j in laws:
            found[sum(1 << n for n, order in enumerate(orders) if order[i] > order[j])] = None
    return tuple(found)


def _inside(k: int, interval: tuple[int | None, int | None]) -> bool:
    low, high = interval
    return (low is None or low <= k) and (high is None or k <= high)


def _checked_class(laws: Sequence[Law]) -> tuple[Law, ...]:
    members = tuple(laws)
    if not members or not all(isinstance(law, Law) for law in members):
        raise InvalidArgument("laws", list(laws), "at least one law")
    return members


# -- VC dimension --


def vc_dimension(family: Collection[int] | Collection[Set[Hashable]], *, budget: int = VC_BUDGET) -> int:
    """The size of the largest set that a family of sets shatters: all its subsets are traces of sets of the family.

    Sets are bit masks or sets of points. Raises `InvalidArgument` for an empty family, which shatters nothing, and
    `BudgetExceeded` with an estimate of the search.

    >>> vc_dimension([0b000, 0b001, 0b010, 0b011, 0b100])
    2
    """
    return len(shattered_set(family, budget=budget))


def shattered_set(
    family: Collection[int] | Collection[Set[Hashable]], *, budget: int = VC_BUDGET
) -> tuple[Hashable, ...]:
    """A largest set of points (of bit positions, for masks) that the family shatters. Raises as `vc_dimension`.

    >>> shattered_set([set(), {"a"}, {"b"}, {"a", "b", "c"}])
    ('a', 'b')
    """
    sets = list(dict.fromkeys(one if isinstance(one, int) else frozenset(one) for one in family))
    if not sets:
        raise InvalidArgument("family", list(family), "at least one set")
    search = _Search(budget, len(sets))
    search.extend([(1 << len(sets)) - 1], list(_columns(sets).items()), (), Fraction(0), ONE)
    return search.best


def is_shattered(family: Collection[Set[Hashable]], points: Collection[Hashable]) -> bool:
    """Whether every subset of the points is the trace of a set of the family: the definition, word for word."""
    chosen = frozenset(points)
    return len({chosen & frozenset(one) for one in family}) == 1 << len(chosen)


def _columns(sets: Sequence[int | frozenset[Hashable]]) -> dict[Hashable, int]:
    """For every point the sets that contain it, as a bit mask; of points in the same sets, one."""
    columns: dict[Hashable, int] = {}
    for n, one in enumerate(sets):
        for point in _bits(one) if isinstance(one, int) else sorted(one, key=repr):
            columns[point] = columns.get(point, 0) | 1 << n
    first: dict[int, Hashable] = {}
    for point, column in columns.items():
        first.setdefault(column, point)
    return {point: column for column, point in first.items()}


def _bits(mask: int) -> Iterator[int]:
    while mask:
        least = mask & -mask
        yield least.bit_length() - 1
        mask ^= least


class _Search:
    """Depth first over shattered sets alone: subsets of a shattered set are shattered.

    A set of d points is shattered when it divides the family into 2^d parts, none of them empty. A part of fewer than
    2^r sets cannot take r more points, which ends a branch that cannot beat the best.
    """

    def __init__(self, budget: int, sets: int) -> None:
        self.best: tuple[Hashable, ...] = ()
        self._budget, self._steps, self._sets = budget, 0, sets

    def extend(
        self,
        parts: list[int],
        candidates: list[tuple[Hashable, int]],
        taken: tuple[Hashable, ...],
        done: Fraction,
        width: Fraction,
    ) -> None:
        """Looks at every shattered set that adds some of the candidates; `done` of the whole search lies before."""
        kept = []
        for point, column in candidates:
            self._charge(len(parts), done)
            halves = [half for part in parts for half in (part & column, part & ~column)]
            if all(halves):
                kept.append((point, column, halves))
        if kept and len(taken) >= len(self.best):
            self.best = (*taken, kept[0][0])
        for n, (point, _, halves) in enumerate(kept):
            depth = len(taken) + 1
            missing = len(self.best) + 1 - depth
            if depth + len(kept) - n - 1 <= len(self.best):
                return
            if min(half.bit_count() for half in halves) >= 1 << missing:
                rest = [(other, column) for other, column, _ in kept[n + 1 :]]
                share = width / len(kept)
                self.extend(halves, rest, (*taken, point), done + n * share, share)

    def _charge(self, steps: int, done: Fraction) -> None:
        self._steps += steps
        if self._steps > self._budget:
            known = bool(done)
            estimate = int(self._steps / done) if known else self._steps
            raise BudgetExceeded(
                f"the VC dimension of {self._sets} sets is at least {len(self.best)}; the search for a larger set is "
                f"estimated at {'about' if known else 'far more than'} {estimate:.1e} steps and the budget is "
                f"{self._budget}; raise it with budget=N, or take a smaller class",
                estimate=estimate,
                budget=self._budget,
            )


# -- covers --


def is_cover(cover: Sequence[Law], laws: Sequence[Law], alpha: Number | int | str) -> bool:
    """Whether H is an alpha-cover of Q: H is a part of Q, and every q in Q has an h in H with TV(q, h) <= alpha.

    >>> third, half = Law({0: "1/3", 1: "2/3"}), Law({0: "1/2", 1: "1/2"})
    >>> is_cover([half], [third, half], "1/6"), is_cover([half], [third, half], "1/7")
    (True, False)
    """
    radius = exact(alpha, "alpha")
    return all(h in laws for h in cover) and all(any(_near(q, h, radius) for h in cover) for q in laws)


def largest_ball(cover: Sequence[Law], radius: Number | int | str) -> int:
    """The largest |{h' in H : TV(h, h') <= r}| over h in H, a set: a law that is listed twice counts once.

    >>> largest_ball([Law({0: "1/3", 1: "2/3"}), Law({0: "1/2", 1: "1/2"}), Law({0: 1})], "1/2")
    3
    """
    r = exact(radius, "radius")
    members = list(dict.fromkeys(_checked_class(cover)))
    return max(sum(_near(h, other, r) for other in members) for h in members)


def locally_small(cover: Sequence[Law], k: int, radius: Number | int | str) -> bool:
    """Whether H is (k, r)-locally small: no ball of radius r around a law of H has more than k laws of H."""
    return largest_ball(cover, radius) <= k


def _near(p: Law, q: Law, radius: Number) -> bool:
    return exact_divergence(p, q, ONE) <= radius
