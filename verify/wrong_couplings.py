"""Couplings with one mistake each, for the controls: plausible ways to draw several laws together, all wrong."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from exactdp.spec.joint import joint_law
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.regions import Region, Weights, first_points_law, regions
from exactdp.spec.tuples import coordinate, coupled, distance, entries

ZERO, ONE = Fraction(0), Fraction(1)
STRETCH = Fraction(11, 10)


@dataclass(frozen=True, repr=False)
class Wrong:
    """A wrong coupling; it is shown by its name."""

    rule: Callable[[Sequence[Law]], Law]

    def __call__(self, laws: Sequence[Law]) -> Law:
        """The wrong joint law."""
        return self.rule(laws)

    def __repr__(self) -> str:
        return self.rule.__name__


# -- couplings from elsewhere --


@Wrong
def independent(laws: Sequence[Law]) -> Law:
    """Every coordinate has its own process, or its own coins: it is redrawn for each of them."""
    return laws[0].product(*laws[1:])


@Wrong
def inverse_cdf(laws: Sequence[Law]) -> Law:
    """One uniform number u for all; Z_i is the first outcome, in ascending order, at which the sum of P_i exceeds u."""
    outcomes = sorted({y for law in laws for y in law.support()}, key=repr)
    sums: list[list[Number]] = [list(accumulate(law[y] for y in outcomes)) for law in laws]
    masses: dict[Hashable, Number] = {}
    for low, high in pairwise(sorted({ZERO, *(s for row in sums for s in row)})):
        z = tuple(next(y for y, s in zip(outcomes, row, strict=True) if s > low) for row in sums)
        masses[z] = masses.get(z, ZERO) + (high - low)
    return Law(masses)


def _maximal_step(p: Law, q: Law, y: Hashable) -> dict[Hashable, Number]:
    """The kernel of the maximal coupling: stay at y with probability min(P, Q)/P, else go where Q exceeds P."""
    stay = min(p[y], q[y]) / p[y]
    steps: dict[Hashable, Number] = {y: stay} if stay else {}
    for z, mass in q.items():
        if mass > p[z] and stay != 1:
            steps[z] = steps.get(z, ZERO) + (1 - stay) * (mass - p[z]) / distance(p, q)
    return steps


@Wrong
def chained(laws: Sequence[Law]) -> Law:
    """Maximal couplings in a row: Z_1, from it Z_2, from Z_2 alone Z_3, and so on."""
    masses: dict[tuple[Hashable, ...], Number] = {(y,): mass for y, mass in laws[0].items()}
    for p, q in pairwise(laws):
        longer: dict[tuple[Hashable, ...], Number] = {}
        for z, mass in masses.items():
            for y, chance in _maximal_step(p, q, z[-1]).items():
                longer[*z, y] = longer.get((*z, y), ZERO) + mass * chance
        masses = longer
    return Law(dict(masses.items()))


@Wrong
def jumping(laws: Sequence[Law]) -> Law:
    """Two laws at distance at most 1/2 are coupled maximally, all others by the Poisson process."""
    near = len(laws) == 2 and distance(*laws) <= Fraction(1, 2)
    return chained(laws) if near else joint_law(laws)


# -- mistakes in the construction --


def _race(found: Sequence[Region], k: int) -> Law:
    """First points of given regions, each with the coordinates that take it."""

    def rest(waiting: frozenset[int]) -> dict[tuple[Hashable, ...], Number]:
        if not waiting:
            return {(None,) * k: ONE}
        race = [(r.outcome, r.members & waiting, r.measure) for r in found if r.members & waiting]
        total = sum((measure for _, _, measure in race), start=ZERO)
        masses: dict[tuple[Hashable, ...], Number] = {}
        for y, takers, measure in race:
            for z, mass in rest(waiting - takers).items():
                key = tuple(y if i in takers else value for i, value in enumerate(z))
                masses[key] = masses.get(key, ZERO) + measure / total * mass
        return masses

    return Law(dict(rest(frozenset(range(k))).items()))


def _outcomes(laws: Sequence[Law]) -> list[Hashable]:
    return list(dict.fromkeys(y for law in laws for y in law.support()))


def _below(heights: Sequence[dict[Hashable, Number]], weights: Weights) -> Law:
    """First points under these heights, s <= heights[i][y], of a process of intensity nu: densities of nobody's."""
    found: list[Region] = []
    for y, weight in weights.items():
        levels = sorted({row[y] for row in heights if row.get(y)})
        for low, high in pairwise([ZERO, *levels]):
            members = frozenset(i for i, row in enumerate(heights) if row.get(y, ZERO) >= high)
            found.append(Region(y, members, weight * (high - low)))
    return _race(found, len(heights))


@Wrong
def everyone_positive(laws: Sequence[Law]) -> Law:
    """The first event assigns all who wait and have P_i(y) > 0, whatever the level is."""
    charged = [(y, frozenset(i for i, law in enumerate(laws) if law[y])) for y in _outcomes(laws)]
    return _race([Region(y, members, max(law[y] for law in laws)) for y, members in charged], len(laws))


@Wrong
def stretched_by_place(laws: Sequence[Law]) -> Law:
    """The reference measure depends on the place in the tuple: law i takes its density by nu / 1.1^i."""
    heights = [{y: mass * STRETCH**i for y, mass in law.items()} for i, law in enumerate(laws)]
    return _below(heights, dict.fromkeys(_outcomes(laws), ONE))


@Wrong
def measured_by_the_first(laws: Sequence[Law]) -> Law:
    """The points have intensity P_1 + P_2 + ..., the first law counted twice; densities are taken by the plain sum."""
    weights = {y: sum((law[y] for law in laws), start=laws[0][y]) for y in _outcomes(laws)}
    plain = {y: weight - laws[0][y] for y, weight in weights.items()}
    return _below([{y: mass / plain[y] for y, mass in law.items()} for law in laws], weights)


@Wrong
def unnormalised(laws: Sequence[Law]) -> Law:
    """The points have intensity P_1 + ... + P_k, and s is compared with P_i(y): nobody divided by the intensity."""
    weights = {y: sum((law[y] for law in laws), start=ZERO) for y in _outcomes(laws)}
    return _below([dict(law.items()) for law in laws], weights)


@Wrong
def next_density(laws: Sequence[Law]) -> Law:
    """Coordinate i compares s with the density of the next law of the tuple."""
    return joint_law([*laws[1:], laws[0]])


@Wrong
def redrawn_after_the_first(laws: Sequence[Law]) -> Law:
    """The process is shared by the first two coordinates, and drawn anew for every later one."""
    if len(laws) <= 2:
        return joint_law(laws)
    shared = joint_law(laws[:2])
    return shared.product(*laws[2:]).map(lambda z: (*entries(entries(z)[0]), *entries(z)[1:]))


@Wrong
def mixed_with_the_rest(laws: Sequence[Law]) -> Law:
    """The first coordinate looks at one process alone, if there are three laws or more; else all share one."""
    if len(laws) <= 2:
        return joint_law(laws)
    alone = coordinate(coupled(joint_law, laws), 0)
    return alone.product(joint_law(laws[1:])).map(lambda z: (entries(z)[0], *entries(entries(z)[1])))


# -- mistakes with a given measure --


@dataclass(frozen=True, repr=False)
class WrongWithMeasure:
    """A wrong coupling that is told the reference measure; it is shown by its name."""

    rule: Callable[[Sequence[Law], Weights], Law]

    def __call__(self, laws: Sequence[Law], weights: Weights) -> Law:
        """The wrong joint law."""
        return self.rule(laws, weights)

    def __repr__(self) -> str:
        return self.rule.__name__


@WrongWithMeasure
def independent_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """A new process for every coordinate."""
    alone = [coordinate(first_points_law([law], weights), 0) for law in laws]
    return alone[0].product(*alone[1:])


@WrongWithMeasure
def masses_for_densities(laws: Sequence[Law], weights: Weights) -> Law:
    """The points have intensity nu, and s is compared with P(y) where P(y)/nu(y) is meant."""
    return _below([dict(law.items()) for law in laws], weights)


@WrongWithMeasure
def everyone_positive_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """A point below any density is taken by all who charge its outcome."""
    found = [
        Region(r.outcome, frozenset(i for i, law in enumerate(laws) if law[r.outcome]), r.measure)
        for r in regions(laws, weights)
    ]
    return _race(found, len(laws))


@WrongWithMeasure
def inverse_cdf_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """One uniform number for all laws; the measure is not used."""
    return inverse_cdf(laws)


@WrongWithMeasure
def chained_by_measure(laws: Sequence[Law], weights: Weights) -> Law:
    """Maximal couplings in a row; the measure is not used."""
    return chained(laws)
