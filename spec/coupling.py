"""Grand coupling schemes: one random element for every law, close laws give equal elements, tuples are consistent.

The bound for two laws is 2t/(1 + t), t their total variation distance; the definition asks for 2t.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product

from exactdp.spec.claim import Claim, flag
from exactdp.spec.constructions import MeasuredCoupling, accepted_claims, one_proposal_law, total_measure
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.regions import Density, Weights, density_of, first_points_law, is_dominated, regions
from exactdp.spec.tuples import (
    Coupling,
    coupled,
    disagreement,
    distance,
    equal,
    marginal,
    marginal_claims,
    names,
)

SECTION = "Section 3: couplings"
ZERO, ONE = Fraction(0), Fraction(1)


# -- the definition --


def is_grand_coupling(laws: Sequence[Law], couple: Coupling, up_to: int) -> bool:
    """Whether a coupling is a grand coupling scheme on a finite class of distinct laws, for tuples of length <= up_to.

    *Paper:* Definition 3.1; measurability is void on finite classes.

    >>> fair, even = Law({0: "1/2", 1: "1/2"}), Law({0: "3/4", 1: "1/4"})
    >>> is_grand_coupling([fair, even], joint_law, 3)
    True
    >>> is_grand_coupling([fair, even], lambda laws: laws[0].product(*laws[1:]), 2)
    False
    """
    return all(claim.holds for claim in scheme_claims(laws, couple, up_to, None))


def scheme_claims(laws: Sequence[Law], couple: Coupling, up_to: int, instance: object) -> Iterator[Claim]:
    """G1, G2 for all pairs, a law with itself included, and G3 for all tuples of length <= up_to."""
    whole = coupled(couple, laws)
    yield from marginal_claims("G1", whole, laws, instance)
    for i, j in combinations_with_replacement(range(len(laws)), 2):
        apart = disagreement(coupled(couple, laws, (i, j)), 0, 1)
        yield Claim(f"G2: {names((i, j))}", apart, "<=", 2 * distance(laws[i], laws[j]), instance)
    for length in range(1, up_to + 1):
        for places in product(range(len(laws)), repeat=length):
            yield equal(f"G3: {names(places)}", coupled(couple, laws, places), marginal(whole, places), instance)


@dataclass(frozen=True, repr=False)
class SchemeInstance(Instance):
    """A finite class of distinct laws, a coupling, and how long the tuples are that are tried."""

    laws: tuple[Law, ...]
    up_to: int
    couple: Coupling = joint_law


def _scheme_claims(instance: SchemeInstance) -> Iterator[Claim]:
    return scheme_claims(instance.laws, instance.couple, instance.up_to, instance)


# -- two laws --


def pair_formula(p: Law, q: Law) -> tuple[Number, Number]:
    """Numerator and denominator of Pr[Z_P != Z_Q] = (2t - sum over y of |P(y) - Q(y)| min(P(y), Q(y))) / (1 + t).

    >>> pair_formula(Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"}))
    (Fraction(7, 16), Fraction(5, 4))
    """
    t = distance(p, q)
    late: Number = ZERO
    for y in _outcomes(p, q):
        late += (max(p[y], q[y]) - min(p[y], q[y])) * min(p[y], q[y])
    return 2 * t - late, 1 + t


def first_point_measures(p: Law, q: Law) -> tuple[Number, Number]:
    """The measures of what both P and Q accept and of what P or Q accepts, by regions.

    Their quotient is the probability that the first point that P or Q accepts is accepted by both.

    >>> first_point_measures(Law({0: "1/2", 1: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"}))
    (Fraction(3, 4), Fraction(5, 4))
    """
    found = regions((p, q), total_measure((p, q)))
    both = sum((r.measure for r in found if len(r.members) == 2), start=ZERO)
    return both, sum((r.measure for r in found), start=ZERO)


def is_within_pair_bounds(p: Law, q: Law, apart: Number) -> bool:
    """Whether t <= apart <= 2t/(1 + t) for a probability `apart` of disagreement, t = TV(P, Q).

    >>> p, q = Law({0: "2/3", 1: "1/3"}), Law({0: "1/3", 1: "1/3", 2: "1/3"})
    >>> is_within_pair_bounds(p, q, Fraction(1, 2)), is_within_pair_bounds(p, q, Fraction(2, 3))
    (True, False)
    """
    t = distance(p, q)
    return t <= apart and (1 + t) * apart <= 2 * t


def is_extreme_pair(p: Law, q: Law) -> bool:
    """Whether at every outcome P = Q or one of them is 0: then the upper bound 2t/(1 + t) is attained."""
    return all(p[y] == q[y] or not p[y] or not q[y] for y in _outcomes(p, q))


def _outcomes(p: Law, q: Law) -> list[Hashable]:
    return list(dict.fromkeys([*p.support(), *q.support()]))


@dataclass(frozen=True, repr=False)
class PairInstance(Instance):
    """Two laws, the coupling that is looked at, and how likely its first point is one that both accept.

    `first_point` gives the numerator and the denominator of that probability.
    """

    p: Law
    q: Law
    couple: Coupling = joint_law
    first_point: Callable[[Law, Law], tuple[Number, Number]] = first_point_measures


def _pair_claims(instance: PairInstance) -> Iterator[Claim]:
    p, q = instance.p, instance.q
    joint = coupled(instance.couple, (p, q))
    t, apart, outcomes = distance(p, q), disagreement(joint, 0, 1), _outcomes(p, q)
    yield from marginal_claims("S1", joint, (p, q), instance)
    both, either = instance.first_point(p, q)
    yield Claim("S2 first point: both or either", (1 + t) * both, "==", (1 - t) * either, instance)
    yield Claim("S2 agreement: at least when both", (1 - apart) * either, ">=", both, instance)
    yield Claim("S3: 2t/(1 + t) and 2t", 2 * t, "<=", 2 * t * (1 + t), instance)
    yield Claim("lower bound: t", apart, ">=", t, instance)
    yield Claim("conclusion: (1 + t) Pr[differ] and 2t", (1 + t) * apart, "<=", 2 * t, instance)
    numerator, denominator = pair_formula(p, q)
    yield Claim("pair formula: exact disagreement", denominator * apart, "==", numerator, instance)
    attained = (1 + t) * apart == 2 * t
    yield flag("equality: attained when at each outcome P = Q or one is 0", attained == is_extreme_pair(p, q), instance)
    if len(outcomes) <= 2:
        yield Claim("two points: t itself", apart, "==", t, instance)


# -- a dominating measure --


@dataclass(frozen=True, repr=False)
class DominatedInstance(Instance):
    """A finite class of distinct laws, a measure that dominates it, a coupling, and the length of the tuples tried.

    `density` is what s is compared with.
    """

    laws: tuple[Law, ...]
    weights: Weights
    up_to: int
    couple: MeasuredCoupling = first_points_law
    density: Density = density_of


def is_sharp_coupling(laws: Sequence[Law], couple: Coupling) -> bool:
    """Whether Pr[Z_P != Z_Q] <= 2t/(1 + t) for all pairs of laws, a law with itself included."""
    return all(claim.holds for claim in _sharp_claims(laws, couple, None))


def _sharp_claims(laws: Sequence[Law], couple: Coupling, instance: object) -> Iterator[Claim]:
    for i, j in combinations_with_replacement(range(len(laws)), 2):
        t, apart = distance(laws[i], laws[j]), disagreement(coupled(couple, laws, (i, j)), 0, 1)
        yield Claim(f"A.2: {names((i, j))}", (1 + t) * apart, "<=", 2 * t, instance)


def _dominated_claims(instance: DominatedInstance) -> Iterator[Claim]:
    laws = instance.laws
    if not is_dominated(laws, instance.weights):
        return
    couple = _filled(instance)
    yield from _sharp_claims(laws, couple, instance)
    found = regions(laws, instance.weights, instance.density)
    yield from accepted_claims("G3 accepted set", found, laws, "", instance)
    yield from scheme_claims(laws, couple, instance.up_to, instance)


def first_below_claims(instance: DominatedInstance) -> Iterator[Claim]:
    """The example of densities bounded by M: the first (Y, U) uniform below M with U <= f(Y), one pair looked at.

    For M the largest density, and for twice as much: M does not matter.
    """
    laws, weights, density, couple = instance.laws, instance.weights, instance.density, _filled(instance)
    largest = max(height for law in laws for height in density(law, weights).values())
    for height, shown in ((largest, "M"), (2 * largest, "2M")):
        proposed = one_proposal_law(laws, weights, height, couple, density)
        yield equal(f"bounded densities: one pair below {shown}", coupled(couple, laws), proposed, instance)


def _informal_claims(instance: DominatedInstance) -> Iterator[Claim]:
    laws, weights = instance.laws, instance.weights
    for i, law in enumerate(laws):
        charged = law.probability(lambda y: bool(weights.get(y, ZERO)))
        yield Claim(f"dominated: law {i}", charged, "==", ONE, instance)
    if not is_dominated(laws, weights):
        return
    yield from scheme_claims(laws, _filled(instance), instance.up_to, instance)
    yield from first_below_claims(instance)


def _filled(instance: DominatedInstance) -> Coupling:
    """The instance's coupling, with the measure filled in."""
    return lambda laws: instance.couple(laws, instance.weights)


# -- the items --

DEFINITION = register(
    Item(
        id="def-3.1",
        kind="definition",
        section=SECTION,
        title="Grand coupling scheme",
        statement="""
Random elements Z_P, one for every law P of a class, on one probability space, such that

    G1.  Z_P ~ P
    G2.  Pr[Z_P != Z_Q]  <=  2 TV(P, Q)          for all P, Q of the class
    G3.  (P_1, ..., P_k) -> law of (Z_{P_1}, ..., Z_{P_k})  is a Markov kernel, for every k

On a finite class R_1, ..., R_r there is one law Gamma of (Z_{R_1}, ..., Z_{R_r}). Measurability is void; what remains
of G3, and is used everywhere, is that the law of any tuple, with repetitions and in any order, is the marginal of the
same Gamma. Tried for all tuples up to a length.
""".strip(),
        uses=("def-2.1",),
        claims=_scheme_claims,
        predicates=(is_grand_coupling, scheme_claims),
        central="G2",
    )
)

DOMINATED = register(
    Item(
        id="prop-3.2",
        kind="proposition",
        section=SECTION,
        title="A dominated class has a grand coupling scheme",
        statement="""
If a sigma-finite nu dominates every law of a class, the Poisson coupling with nu is a grand coupling scheme on it.

    G1.  Z_P ~ P      G2.  Pr[Z_P != Z_Q] <= 2 TV(P, Q)      G3.  one Gamma for all tuples

bounded densities.  The example: densities at most M, independent pairs (Y, U), Y ~ nu and U uniform in [0, M]; Z_P is
the first Y with U <= f_P(Y). On a grid this is the same law, whatever M is: looking at one pair first changes nothing.
""".strip(),
        uses=("def-3.1", "constr-A.1", "cor-A.3"),
        claims=_informal_claims,
        predicates=(first_below_claims,),
        central="G2",
    )
)

PAIR_BOUND = register(
    Item(
        id="thm-A.2",
        kind="theorem",
        section="Appendix A: Poisson couplings",
        title="Two laws agree often",
        statement="""
In the Poisson coupling, with t = TV(P, Q):

    Z_P ~ P   and   Pr[Z_P != Z_Q]  <=  2t/(1 + t)  <=  2t

S1. What P accepts has intensity P(dy) dt, so its first point has y ~ P.
S2. The first point that P or Q accepts is accepted by both with probability
    sum min(P, Q) / sum max(P, Q) = (1 - t)/(1 + t), and then Z_P = Z_Q.
S3. 1 - (1 - t)/(1 + t) = 2t/(1 + t) <= 2t.

Beyond the paper: Pr[Z_P != Z_Q] >= t, as for every coupling; on two points it is t; exactly it is
(2t - sum of |P - Q| min(P, Q)) / (1 + t); so the upper bound is attained just when at every outcome P = Q or one of
them is 0, as for (1 - t, t, 0) and (1 - t, 0, t).
""".strip(),
        uses=("constr-A.1",),
        claims=_pair_claims,
        predicates=(is_within_pair_bounds, is_extreme_pair, pair_formula, first_point_measures),
    )
)

SCHEME = register(
    Item(
        id="cor-A.3",
        kind="corollary",
        section="Appendix A: Poisson couplings",
        title="The Poisson coupling is a grand coupling scheme",
        statement="""
If nu dominates every law of a class, the elements Z_P of the Poisson coupling with nu form a grand coupling scheme.

G1, G2.  By Theorem A.2, and in its sharper form (step "A.2"):  (1 + t) Pr[Z_P != Z_Q] <= 2t.
G3.      The accepted set {s <= f_P(y)} depends measurably on P, hence so does its first point. On a finite set it is a
         union of regions, of measure P(y) above y; and all tuples read the same points, so they share one Gamma.
""".strip(),
        uses=("def-3.1", "constr-A.1", "thm-A.2"),
        claims=_dominated_claims,
        predicates=(is_sharp_coupling,),
        central="G2",
    )
)
