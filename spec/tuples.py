"""Laws over tuples: their marginals, how often two coordinates differ, and what a coupling is made to show.

A coupling is a function from a tuple of laws to one law over tuples of outcomes. Two laws are equal exactly when
they overlap by 1; claims of equality are written so, because the overlap also says how far apart two laws are.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactdp.spec.claim import Claim
from exactdp.spec.item import Instance
from exactdp.spec.joint import joint_law
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.number import Number

Coupling = Callable[[Sequence[Law]], Law]
"""From laws P_1, ..., P_k to the law of (Z_1, ..., Z_k)."""
Places = Sequence[int]

ONE = Fraction(1)
REMEMBERED = 4096
"""How many joint laws are kept, because the claims about neighbouring tuples ask for the same ones."""


def entries(z: Hashable) -> tuple[Any, ...]:
    """An outcome of a joint law, as the tuple that it is."""
    assert isinstance(z, tuple), "a joint law is a law over tuples"
    return z


@lru_cache(maxsize=REMEMBERED)
def _remembered(couple: Coupling, laws: tuple[Law, ...]) -> Law:
    return couple(laws)


def coupled(couple: Coupling, laws: Sequence[Law], places: Places | None = None) -> Law:
    """The joint law of the laws at these places (None: of all), in the order of the places."""
    chosen = laws if places is None else [laws[i] for i in places]
    return _remembered(couple, tuple(chosen))


def marginal(joint: Law, places: Places) -> Law:
    """The law of (Z_i for i in places), over tuples, in the order of the places.

    >>> marginal(Law({("a", "b", "c"): 1}), [2, 0])
    Law({('c', 'a'): '1'})
    """
    if list(places) == list(range(len(entries(next(joint.support()))))):
        return joint
    return joint.map(lambda z: tuple(entries(z)[i] for i in places))


def coordinate(joint: Law, i: int) -> Law:
    """The law of Z_i."""
    return joint.map(lambda z: entries(z)[i])


def disagreement(joint: Law, i: int, j: int) -> Number:
    """Pr[Z_i != Z_j].

    >>> disagreement(Law({("a", "a"): "1/3", ("a", "b"): "2/3"}), 0, 1)
    Fraction(2, 3)
    """
    return joint.probability(lambda z: entries(z)[i] != entries(z)[j])


@lru_cache(maxsize=REMEMBERED)
def distance(p: Law, q: Law) -> Number:
    """TV(P, Q). Raises `NotClosed` when a law leaves mass unresolved."""
    return exact_divergence(p, q, ONE)


def overlap(p: Law, q: Law) -> Number:
    """The sum over y of min(P(y), Q(y)) = 1 - TV(P, Q): 1 exactly when the laws are equal.

    >>> overlap(Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"}))
    Fraction(1, 2)
    """
    return ONE if p == q else 1 - exact_divergence(p, q, ONE)


def names(places: Places) -> str:
    """Places as they stand in a label."""
    return "(" + ", ".join(map(str, places)) + ")"


# -- claims that several items share --


def equal(label: str, p: Law, q: Law, instance: object) -> Claim:
    """The claim that two laws are equal."""
    return Claim(label, overlap(p, q), "==", ONE, instance)


def marginal_claims(step: str, joint: Law, laws: Sequence[Law], instance: object) -> Iterator[Claim]:
    """Z_i ~ P_i, for every i."""
    for i, law in enumerate(laws):
        yield equal(f"{step}: coordinate {i}", coordinate(joint, i), law, instance)


def close_claims(step: str, joint: Law, laws: Sequence[Law], instance: object) -> Iterator[Claim]:
    """Pr[Z_i != Z_j] <= 2 TV(P_i, P_j), for all i < j."""
    for i, j, t in _pairs(laws):
        yield Claim(f"{step}: {i} and {j}", disagreement(joint, i, j), "<=", 2 * t, instance)


def sharp_claims(step: str, joint: Law, laws: Sequence[Law], instance: object) -> Iterator[Claim]:
    """(1 + t) Pr[Z_i != Z_j] <= 2t with t = TV(P_i, P_j), for all i < j."""
    for i, j, t in _pairs(laws):
        yield Claim(f"{step}: {i} and {j}", (1 + t) * disagreement(joint, i, j), "<=", 2 * t, instance)


def _pairs(laws: Sequence[Law]) -> Iterator[tuple[int, int, Number]]:
    for j in range(len(laws)):
        for i in range(j):
            yield i, j, distance(laws[i], laws[j])


@dataclass(frozen=True, repr=False)
class TupleInstance(Instance):
    """A tuple of laws, repetitions allowed, the coupling that is looked at, and tuples to compare it with."""

    laws: tuple[Law, ...]
    couple: Coupling = joint_law
    others: tuple[tuple[Law, ...], ...] = ()
