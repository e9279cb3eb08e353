"""The five properties of the coupling's kernels: they fit together, so that one random element serves all tuples.

Measurability says nothing on finite sets; two stronger things stand in its place. The joint law moves by at most
the sum of 2t/(1 + t) when laws move by t; and it is one rational function of the masses wherever their order is
fixed, the functions of neighbouring cells being equal on the border.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations

from exactdp.spec.claim import Claim
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.order_cells import CellFunction, Orders, cell_function, is_in_cell, neighbours
from exactdp.spec.tuples import (
    Coupling,
    TupleInstance,
    coupled,
    distance,
    entries,
    equal,
    marginal,
    marginal_claims,
    names,
    sharp_claims,
)

ZERO, ONE = Fraction(0), Fraction(1)


def is_projective(laws: Sequence[Law], couple: Coupling) -> bool:
    """Whether for every set E of places the law of (Z_i, i in E) is the coupling's law of (P_i, i in E).

    >>> is_projective([Law({0: 1}), Law({0: "1/2", 1: "1/2"})], joint_law)
    True
    """
    return all(claim.holds for claim in _projective_claims(laws, couple, None))


def is_equivariant(laws: Sequence[Law], couple: Coupling) -> bool:
    """Whether for every permutation s the law of (Z_s(1), ..., Z_s(k)) is the coupling's law of (P_s(1), ..., P_s(k)).

    >>> is_equivariant([Law({0: 1}), Law({0: "1/2", 1: "1/2"})], joint_law)
    True
    """
    return all(claim.holds for claim in _equivariant_claims(laws, couple, None))


def movement_bound(laws: Sequence[Law], others: Sequence[Law]) -> Number:
    """The sum over i of 2t_i/(1 + t_i), t_i = TV(P_i, Q_i): how far the joint laws of the two tuples can be apart.

    >>> movement_bound([Law({0: 1}), Law({1: 1})], [Law({0: "1/2", 1: "1/2"}), Law({1: 1})])
    Fraction(2, 3)
    """
    distances = [distance(p, q) for p, q in zip(laws, others, strict=True)]
    return sum((2 * t / (1 + t) for t in distances), start=ZERO)


def unanimity_bound(laws: Sequence[Law]) -> tuple[Number, Number]:
    """Sum of min_i P_i(y) and sum of max_i P_i(y): Pr[all Z_i equal] is at least their quotient.

    >>> unanimity_bound([Law({0: 1}), Law({0: "1/2", 1: "1/2"})])
    (Fraction(1, 2), Fraction(3, 2))
    """
    outcomes = dict.fromkeys(y for law in laws for y in law.support())
    low = sum((min(law[y] for law in laws) for y in outcomes), start=ZERO)
    high = sum((max(law[y] for law in laws) for y in outcomes), start=ZERO)
    return low, high


def _projective_claims(laws: Sequence[Law], couple: Coupling, instance: object) -> Iterator[Claim]:
    joint = coupled(couple, laws)
    for size in range(1, len(laws)):
        for places in combinations(range(len(laws)), size):
            label = f"projective: E = {names(places)}"
            yield equal(label, marginal(joint, places), coupled(couple, laws, places), instance)


def _equivariant_claims(laws: Sequence[Law], couple: Coupling, instance: object) -> Iterator[Claim]:
    joint = coupled(couple, laws)
    for places in permutations(range(len(laws))):
        label = f"equivariant: s = {names(places)}"
        yield equal(label, marginal(joint, places), coupled(couple, laws, places), instance)


def _tuple_claims(instance: TupleInstance) -> Iterator[Claim]:
    laws, couple = instance.laws, instance.couple
    joint = coupled(couple, laws)
    yield from marginal_claims("marginals", joint, laws, instance)
    yield from sharp_claims("disagreement", joint, laws, instance)
    yield from _projective_claims(laws, couple, instance)
    yield from _equivariant_claims(laws, couple, instance)
    low, high = unanimity_bound(laws)
    split = joint.probability(lambda z: len(set(entries(z))) > 1)
    yield Claim("unanimity: not all equal", high * split, "<=", high - low, instance)
    for n, others in enumerate(instance.others):
        apart = distance(joint, coupled(couple, others))
        yield Claim(f"lipschitz: to tuple {n}", apart, "<=", movement_bound(laws, others), instance)
    for ghost in dict.fromkeys(others[0] for others in instance.others):
        haunted = coupled(couple, (*laws, ghost))
        yield equal("ghost: a law more", marginal(haunted, range(len(laws))), joint, instance)


@dataclass(frozen=True, repr=False)
class OrderCellInstance(Instance):
    """A cell, given by the order of the masses at every outcome 0, 1, ..., and tuples of laws in its closure.

    `function` gives the rational function of every cell.
    """

    orders: Orders
    tuples: tuple[tuple[Law, ...], ...]
    couple: Coupling = joint_law
    function: Callable[[Orders], CellFunction] = cell_function


def _cell_claims(instance: OrderCellInstance) -> Iterator[Claim]:
    orders = instance.orders
    function = instance.function(orders)
    for n, laws in enumerate(instance.tuples):
        if is_in_cell(laws, orders):
            given = coupled(instance.couple, laws)
            yield equal(f"rational function: tuple {n}", given, function.law(laws), instance)
    for y, i, j, beyond in neighbours(orders):
        mine, theirs = function.on_border(i, j, y), instance.function(beyond).on_border(i, j, y)
        identical = Fraction(mine.agreements(theirs))
        label = f"continuity: where laws {i} and {j} have the same mass at {y}"
        yield Claim(label, identical, "==", Fraction(len(function.numerators)), instance)


def _claims(instance: TupleInstance | OrderCellInstance) -> Iterator[Claim]:
    return _cell_claims(instance) if isinstance(instance, OrderCellInstance) else _tuple_claims(instance)


PROPERTIES = register(
    Item(
        id="prop-A.5",
        kind="proposition",
        section="Appendix A: Poisson couplings",
        title="Five properties of the coupling of tuples",
        statement="""
Let Gamma_k(P) be the law of (Z_1, ..., Z_k) for the tuple P = (P_1, ..., P_k), t_ij = TV(P_i, P_j). Then

1. measurability.  P -> Gamma_k(P; B) is measurable.
2. marginals.      Z_i ~ P_i.
3. disagreement.   Pr[Z_i != Z_j] <= 2 t_ij / (1 + t_ij) <= 2 t_ij.
4. projective.     (Z_i, i in E) ~ Gamma(P_i, i in E) for every set E of places. Step "ghost": a law more in the tuple
                   does not change the joint law of the others.
5. equivariant.    (Z_s(1), ..., Z_s(k)) ~ Gamma_k(P_s(1), ..., P_s(k)) for every permutation s.

In place of 1, which is void on finite sets:

lipschitz.          TV(Gamma_k(P), Gamma_k(Q)) <= sum over i of 2t_i/(1 + t_i), t_i = TV(P_i, Q_i); by 3 and 4 for the
                    tuple of P and Q together.
rational function.  On the cell of tuples in which, at every outcome, the masses of the laws have a given order, the
                    recursion takes the same branches everywhere. Run on symbols it gives a quotient of polynomials in
                    the masses. The coupling is equal to it at the tuples that are tried, ties included.
continuity.         The functions of two cells with a common border are identical on it, as polynomials, for all tuples
                    of outcomes. Denominators are at least 1 there, so the recursion's law is continuous everywhere.

Beyond the paper, step "unanimity":  Pr[not all Z_i equal] <= 1 - sum min_i P_i(y) / sum max_i P_i(y).
""".strip(),
        uses=("constr-A.4", "thm-A.2"),
        claims=_claims,
        predicates=(is_projective, is_equivariant, movement_bound, unanimity_bound),
        central="disagreement",
    )
)
