"""Constructions of the Poisson coupling, and its algorithms: with one fixed reference measure, or one for each tuple.

Every law takes the first point of one process that lies below its density. Because densities are taken with respect
to the measure that the points come from, the joint law does not depend on that measure.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.spec.claim import Claim
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number
from exactdp.spec.poisson import Orders, order_law
from exactdp.spec.regions import (
    ONE,
    ZERO,
    Density,
    Region,
    Weights,
    accepted,
    density_of,
    first_points_by_orders,
    first_points_law,
    is_dominated,
    race,
    race_by_orders,
    regions,
    undominated,
)
from exactdp.spec.tuples import (
    Coupling,
    close_claims,
    coupled,
    disagreement,
    distance,
    entries,
    equal,
    marginal,
    marginal_claims,
)

MeasuredCoupling = Callable[[Sequence[Law], Weights], Law]
"""A coupling that is told the reference measure."""
Measure = Callable[[Sequence[Law]], Weights]
"""From a tuple of laws to the reference measure that it brings along."""

SECTION = "Appendix A: Poisson couplings"
ORDERED_AT_MOST = 5
"""The claims try all orders of up to so many regions: 5! = 120."""


def total_measure(laws: Sequence[Law]) -> dict[Hashable, Number]:
    """nu_P = P_1 + ... + P_k, the reference measure that a tuple of laws brings along."""
    weights: dict[Hashable, Number] = {}
    for law in laws:
        for y, mass in law.items():
            weights[y] = weights.get(y, ZERO) + mass
    return weights


def one_proposal_law(
    laws: Sequence[Law], weights: Weights, height: Number, couple: Coupling, density: Density = density_of
) -> Law:
    """The joint law, when one point is looked at and `couple` is believed for what is open after it.

    The point is y ~ nu (made a law) with s uniform in [0, height]; who accepts it takes y, the others go on; and when
    nobody accepts, all do. A law of first points of a sequence of such points is one that this leaves as it is, and
    there is only one. *Assumes:* all densities are at most `height`.
    """
    volume = height * sum(weights.values(), start=ZERO)
    masses: dict[Hashable, Number] = {}
    missed: Number = ONE
    for y, members, measure in regions(laws, weights, density):
        chance = measure / volume
        missed = missed - chance
        others = [i for i in range(len(laws)) if i not in members]
        tail = coupled(couple, laws, others).items() if others else iter([((), ONE)])
        for z, mass in tail:
            values = iter(entries(z))
            key = tuple(y if i in members else next(values) for i in range(len(laws)))
            masses[key] = masses.get(key, ZERO) + chance * mass
    for z, mass in coupled(couple, laws).items():
        masses[z] = masses.get(z, ZERO) + missed * mass
    return Law(masses)


# -- instances and claims --


@dataclass(frozen=True, repr=False)
class MeasuresInstance(Instance):
    """Laws, several reference measures that dominate them, and the coupling that all of them must give.

    `density` is what s is compared with; `orders` gives the order in which the regions have their first points.
    """

    laws: tuple[Law, ...]
    measures: tuple[Weights, ...]
    couple: Coupling = joint_law
    density: Density = density_of
    orders: Orders = order_law


def _construction_claims(instance: MeasuresInstance) -> Iterator[Claim]:
    laws, joint = instance.laws, coupled(instance.couple, instance.laws)
    for n, weights in enumerate(instance.measures):
        if not is_dominated(laws, weights):
            return
        found = regions(laws, weights, instance.density)
        yield from accepted_claims("accepted", found, laws, f"measure {n}, ", instance)
        constructed = race(found, len(laws))
        yield equal(f"invariance: measure {n}", constructed, joint, instance)
        if len(found) <= ORDERED_AT_MOST:
            ordered = race_by_orders(found, len(laws), instance.orders)
            yield equal(f"orders: measure {n}", ordered, constructed, instance)


def accepted_claims(
    step: str, found: Sequence[Region], laws: Sequence[Law], which: str, instance: object
) -> Iterator[Claim]:
    """What law i accepts above y has measure P_i(y), for all laws and outcomes."""
    for i, law in enumerate(laws):
        for y, mass in law.items():
            yield Claim(f"{step}: {which}law {i} at {y!r}", accepted(found, i, y), "==", mass, instance)


@dataclass(frozen=True, repr=False)
class CoupleOneInstance(Instance):
    """The laws q_1, ..., q_k of one record, the number of records, a measure on their tuples, and a coupling."""

    laws: tuple[Law, ...]
    length: int
    weights: Weights
    couple: MeasuredCoupling = first_points_law


def _couple_one_claims(instance: CoupleOneInstance) -> Iterator[Claim]:
    laws, weights = [law.power(instance.length) for law in instance.laws], instance.weights
    for i, law in enumerate(laws):
        charged = law.probability(lambda y: bool(weights.get(y, ZERO)))
        yield Claim(f"line 1 dominated: law {i}", charged, "==", ONE, instance)
    if not is_dominated(laws, weights):
        return
    joint = instance.couple(laws, weights)
    for i in range(len(laws)):
        kept = [j for j in range(len(laws)) if j != i]
        if kept:
            alone = instance.couple([laws[j] for j in kept], weights)
            yield equal(f"line 2 same process: without law {i}", marginal(joint, kept), alone, instance)
    yield from _guarantee_claims(joint, laws, instance.laws, instance.length, instance)


def _guarantee_claims(
    joint: Law, laws: Sequence[Law], records: Sequence[Law], length: int, instance: object
) -> Iterator[Claim]:
    yield from marginal_claims("guarantee law", joint, laws, instance)
    yield from close_claims("guarantee", joint, laws, instance)
    for j in range(len(laws)):
        for i in range(j):
            bound = 2 * length * distance(records[i], records[j])
            yield Claim(f"guarantee by record: {i} and {j}", disagreement(joint, i, j), "<=", bound, instance)


@dataclass(frozen=True, repr=False)
class OwnMeasureInstance(Instance):
    """Laws, and what their construction is made of: the measure that they bring along, and the rest as for many."""

    laws: tuple[Law, ...]
    couple: Coupling = joint_law
    measure: Measure = total_measure
    density: Density = density_of
    orders: Orders = order_law


def _own_measure_claims(instance: OwnMeasureInstance) -> Iterator[Claim]:
    laws, weights = instance.laws, instance.measure(instance.laws)
    found, heights = regions(laws, weights, instance.density), [instance.density(law, weights) for law in laws]
    for y in weights:
        densities = [row.get(y, ZERO) for row in heights]
        yield Claim(f"density range: largest at {y!r}", max(densities), "<=", ONE, instance)
        yield Claim(f"density sum: at {y!r}", sum(densities, start=ZERO), "==", ONE, instance)
    yield from accepted_claims("accepted", found, laws, "", instance)
    constructed = race(found, len(laws))
    yield equal("joint law: first points", constructed, coupled(instance.couple, laws), instance)
    if len(found) <= ORDERED_AT_MOST:
        ordered = race_by_orders(found, len(laws), instance.orders)
        yield equal("orders: all of the regions", ordered, constructed, instance)


@dataclass(frozen=True, repr=False)
class CoupleTwoInstance(Instance):
    """The laws q_1, ..., q_k of one record, the number of records, a coupling, and the measure of line 1."""

    laws: tuple[Law, ...]
    length: int
    couple: Coupling = joint_law
    measure: Measure = total_measure


def _couple_two_claims(instance: CoupleTwoInstance) -> Iterator[Claim]:
    laws = [law.power(instance.length) for law in instance.laws]
    weights, k = instance.measure(laws), len(laws)
    densities = [density_of(law, weights) for law in laws]
    for y in weights:
        total = sum((f.get(y, ZERO) for f in densities), start=ZERO)
        yield Claim(f"line 1 densities: sum at {y!r}", total, "==", ONE, instance)
    proposed_y = mixture((Fraction(1, k), law) for law in laws)
    for i, f in enumerate(densities):
        chance = sum((mass * f.get(y, ZERO) for y, mass in proposed_y.items()), start=ZERO)
        yield Claim(f"line 2 proposal: accepted by law {i}", k * chance, "==", ONE, instance)
    joint = coupled(instance.couple, laws)
    proposed = one_proposal_law(laws, weights, ONE, instance.couple)
    yield equal("line 3 first points: after one proposal", joint, proposed, instance)
    yield from _guarantee_claims(joint, laws, instance.laws, instance.length, instance)


# -- the items --

FIXED_MEASURE = register(
    Item(
        id="constr-A.1",
        kind="construction",
        section=SECTION,
        title="Poisson coupling with a dominating measure",
        statement="""
Let the sigma-finite nu dominate every law P, with density f_P = dP/dnu. A Poisson process of points (y, s, t) with
intensity nu(dy) ds dt is shared by all laws, and

    Z_P  =  the y of the point with the smallest t among those with s <= f_P(y)

On finite sets nu is a positive weight for every outcome. What P accepts above y has measure nu(y) f_P(y) = P(y) for
every unit of time, so nu cancels.

accepted.    The regions that P accepts above y have measure P(y).
invariance.  The joint law of the first points is the same for every strictly positive nu.
orders.      It is also what all orders of the regions' first points give (up to 5 regions).
""".strip(),
        uses=("def-2.2",),
        claims=_construction_claims,
        predicates=(regions, accepted, first_points_law, first_points_by_orders, accepted_claims),
        central="accepted",
    )
)

COUPLE_ONE = register(
    Item(
        id="alg-5",
        kind="algorithm",
        section=SECTION,
        title="Couple with a dominating measure",
        statement="""
Input: q_1, ..., q_k and a fixed nu that dominates every q_i^l, also where q_i is what a learner returned.

1  draw the points of a Poisson process with intensity nu(dy) ds dt
2  Z_i := the y of the first point with s <= f_i(y), f_i = dq_i^l/dnu, for all i from the same points
3  return (Z_1, ..., Z_k)

Guarantee:  Z_i ~ q_i^l  and  Pr[Z_i != Z_j] <= 2 TV(q_i^l, q_j^l)  (<= 2 l TV(q_i, q_j))

Given the points Z_i depends on q_i alone, so that the others' joint law is the same without it.
""".strip(),
        uses=("constr-A.1",),
        claims=_couple_one_claims,
        predicates=(is_dominated, undominated),
        central="guarantee",
    )
)

OWN_MEASURE = register(
    Item(
        id="constr-A.4",
        kind="construction",
        section=SECTION,
        title="Poisson coupling with the tuple's own measure",
        statement="""
For any laws P_1, ..., P_k take nu_P = P_1 + ... + P_k, which dominates all of them, and f_i = dP_i/dnu_P:

    0 <= f_i <= 1,   f_1 + ... + f_k = 1

One Poisson process with intensity nu_P(dy) ds dt is shared by the coordinates of the tuple, and Z_i is the y of its
first point with s <= f_i(y). No measure has to dominate all laws there are.

accepted.    What coordinate i accepts above y has measure P_i(y).
joint law.   The law of the first points is the joint law of the coupling, which knows no measure.
orders.      It is also what all orders of the regions' first points give (up to 5 regions).
""".strip(),
        uses=("def-2.2", "constr-A.1"),
        claims=_own_measure_claims,
        predicates=(total_measure,),
        central="density range",
    )
)

COUPLE_TWO = register(
    Item(
        id="alg-6",
        kind="algorithm",
        section=SECTION,
        title="Couple any tuple",
        statement="""
Input: q_1, ..., q_k, any laws.

1  P_i := q_i^l;  nu := P_1 + ... + P_k;  f_i := dP_i/dnu
2  draw the points of a Poisson process with intensity nu(dy) ds dt
3  Z_i := the y of the first point with s <= f_i(y), for all i from the same points
4  return (Z_1, ..., Z_k)

Sampling: propose i uniform in 1..k, y ~ P_i, s uniform in [0, 1]; coordinate j takes its first y with s <= f_j(y).

line 2.  A proposal is accepted by coordinate j with probability exactly 1/k.
line 3.  The joint law is what it is after one proposal: who accepts takes y, the others go on. That equation
         determines it, because the proposal is accepted by somebody with probability at least 1/k.
Guarantee:  Z_i ~ q_i^l  and  Pr[Z_i != Z_j] <= 2 TV(q_i^l, q_j^l)  (<= 2 l TV(q_i, q_j))
""".strip(),
        uses=("constr-A.4",),
        claims=_couple_two_claims,
        predicates=(one_proposal_law,),
        central="guarantee",
    )
)
