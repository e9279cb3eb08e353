"""One random element for every law there is: consistent tuples extend to all laws at once, and restrict to any class.

On finite classes nothing has to be extended: the universal coupling, restricted to R_1, ..., R_r, is the joint law of
that tuple. What can fail is that it depends on the order, on what else is in the class, or on repetitions.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations

from exactdp.spec.claim import Claim
from exactdp.spec.coupling import scheme_claims
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law
from exactdp.spec.tuples import (
    Coupling,
    Places,
    TupleInstance,
    close_claims,
    coupled,
    disagreement,
    entries,
    equal,
    marginal,
    marginal_claims,
    names,
)

APPENDIX = "Appendix A: Poisson couplings"


def distinct(laws: Sequence[Law]) -> tuple[tuple[Law, ...], tuple[int, ...]]:
    """The distinct laws of a tuple, in the order in which they come, and for every place which of them it has.

    >>> a, b = Law({0: 1}), Law({1: 1})
    >>> distinct([b, a, b])[1]
    (0, 1, 0)
    """
    different = tuple(dict.fromkeys(laws))
    return different, tuple(different.index(law) for law in laws)


def spread(joint: Law, places: Places) -> Law:
    """The law of (Z_p for p in places), repetitions allowed: a value is copied to all its places.

    >>> spread(Law({("a", "b"): 1}), [1, 0, 1])
    Law({('b', 'a', 'b'): '1'})
    """

    def copied(z: Hashable) -> Hashable:
        return tuple(entries(z)[p] for p in places)

    return joint.map(copied)


def is_restriction(joint: Law, places: Places, part: Law) -> bool:
    """Whether a law over tuples is what a joint law of more coordinates says about these places.

    >>> is_restriction(Law({(0, 1): 1}), [1], Law({(1,): 1})), is_restriction(Law({(0, 1): 1}), [1], Law({(0,): 1}))
    (True, False)
    """
    return marginal(joint, places) == part


def is_universal(laws: Sequence[Law], newcomers: Sequence[Law], couple: Coupling) -> bool:
    """Whether the joint law of a class stays as it is when further laws join.

    >>> is_universal([Law({0: 1}), Law({1: 1})], [Law({0: "1/2", 1: "1/2"})], joint_law)
    True
    """
    whole, kept = coupled(couple, (*laws, *newcomers)), range(len(laws))
    return is_restriction(whole, kept, coupled(couple, laws))


def _extension_claims(instance: TupleInstance) -> Iterator[Claim]:
    couple, (different, places) = instance.couple, distinct(instance.laws)
    one = coupled(couple, different)
    for order in permutations(range(len(different))):
        sorted_back = [order.index(i) for i in range(len(different))]
        other = marginal(coupled(couple, different, order), sorted_back)
        yield equal(f"S1 any order: {names(order)}", other, one, instance)
    for size in range(1, len(different)):
        for part in combinations(range(len(different)), size):
            yield equal(f"S2 part: {names(part)}", marginal(one, part), coupled(couple, different, part), instance)
    joint = coupled(couple, instance.laws)
    for i, j in combinations(range(len(places)), 2):
        if places[i] == places[j]:
            yield Claim(f"S4 repeated: {i} and {j}", disagreement(joint, i, j), "==", Fraction(0), instance)
    yield equal(f"S4 copied: {names(places)}", joint, spread(one, places), instance)
    yield from marginal_claims("conclusion law", joint, instance.laws, instance)
    yield from close_claims("conclusion", joint, instance.laws, instance)


@dataclass(frozen=True, repr=False)
class ClassInstance(Instance):
    """A finite class of distinct laws, a coupling, the length of the tuples tried, and laws that may join the class."""

    laws: tuple[Law, ...]
    up_to: int
    couple: Coupling = joint_law
    newcomers: tuple[Law, ...] = ()


def _restriction_claims(instance: ClassInstance) -> Iterator[Claim]:
    """The universal coupling of the class and its newcomers, restricted to every class within."""
    laws = tuple(dict.fromkeys((*instance.laws, *instance.newcomers)))
    whole = coupled(instance.couple, laws)
    yield from marginal_claims("G1", whole, laws, instance)
    yield from close_claims("conclusion", whole, laws, instance)
    for size in range(1, len(laws)):
        for part in combinations(range(len(laws)), size):
            label = f"restriction: to {names(part)}"
            yield equal(label, marginal(whole, part), coupled(instance.couple, laws, part), instance)
    yield from scheme_claims(instance.laws, instance.couple, instance.up_to, instance)


def _universal_claims(instance: ClassInstance) -> Iterator[Claim]:
    laws, couple = instance.laws, instance.couple
    yield from scheme_claims(laws, couple, instance.up_to, instance)
    for n, law in enumerate(instance.newcomers):
        grown = marginal(coupled(couple, (*laws, law)), range(len(laws)))
        yield equal(f"universal: when law {n} joins", grown, coupled(couple, laws), instance)


UNIVERSAL = register(
    Item(
        id="prop-3.3",
        kind="proposition",
        section="Section 3: couplings",
        title="A universal grand coupling scheme",
        statement="""
On any standard Borel space there is one coupling (Z_P) of all laws P; restricted to any class it is a grand coupling
scheme. No measure has to dominate the class: the coupling of a tuple needs the tuple alone.

    G1.  Z_P ~ P      G2.  Pr[Z_P != Z_Q] <= 2 TV(P, Q)      G3.  one Gamma for all tuples

universal.  When further laws join a class, the joint law of its own elements stays as it is.
""".strip(),
        uses=("def-3.1", "constr-A.4", "cor-A.6", "cor-A.7"),
        claims=_universal_claims,
        predicates=(is_universal,),
        central="G2",
    )
)

EXTENSION = register(
    Item(
        id="cor-A.6",
        kind="corollary",
        section=APPENDIX,
        title="The universal coupling",
        statement="""
There is a law of (Z_P), P over all laws, such that (Z_{P_1}, ..., Z_{P_k}) has the law Gamma_k(P_1, ..., P_k) for every
tuple, repetitions allowed. In particular Z_P ~ P and Pr[Z_P != Z_Q] <= 2 TV(P, Q).

S1. For a finite set of distinct laws any order of them gives the same law.
S2. The law of a part is the marginal of the law of the whole.
S3. By Kolmogorov's theorem such laws extend to one law of all Z_P (void on finite sets of laws).
S4. Repetitions: let Q_1, ..., Q_n be the distinct laws of the tuple, P_i = Q_{p(i)}. Equal laws have equal elements, so

    Gamma_k(P)  =  law of (Z_{p(1)}, ..., Z_{p(k)})  for  (Z_1, ..., Z_n) ~ Gamma_n(Q).
""".strip(),
        uses=("prop-A.5",),
        claims=_extension_claims,
        predicates=(distinct, spread),
    )
)

RESTRICTION = register(
    Item(
        id="cor-A.7",
        kind="corollary",
        section=APPENDIX,
        title="Restrictions of the universal coupling",
        statement="""
The universal coupling is a grand coupling scheme on the set of all laws, and its restriction to any class is one on
that class.

    Z_P ~ P,   Pr[Z_P != Z_Q] <= 2 TV(P, Q),   and the law of any tuple is the marginal of the one law of all

restriction.  For a finite set of laws and every class within it the marginal of the whole is the coupling of the
              class.
G1, G2, G3.   Definition 3.1 on the class.
""".strip(),
        uses=("def-3.1", "cor-A.6"),
        claims=_restriction_claims,
        predicates=(is_restriction,),
    )
)
