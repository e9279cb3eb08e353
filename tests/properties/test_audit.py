"""The audit against brute force: laws as tables of fractions, every pair, every event, every ratio.

Mechanisms are tables from data to laws, so that what the audit must find is known without it: the worst delta is the
largest P(S) - E*Q(S) over all pairs and all events, and e^(epsilon*) the largest of its finitely many candidates.
"""

import itertools
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from exactdp.spec.divergence import hockey_stick
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, NotClosed
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Bounds, Law
from exactdp.spec.number import Number, exp
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric
from exactdp.verify.audit import Audit, audit
from exactdp.verify.decide import Decider
from exactdp.verify.neighbours import CHANGE_ONE
from exactdp.verify.universe import Universe, explore

F = Fraction
Draw = Callable[[Law], Any]
Dataset = tuple[Hashable, ...]
Masses = dict[Hashable, Fraction]


pytestmark = pytest.mark.usefixtures("nothing_hangs")


# -- the oracle --


def every_event(p: Masses, q: Masses) -> Iterator[tuple[Fraction, Fraction]]:
    """P(S) and Q(S) for every event S."""
    outcomes = list(dict.fromkeys([*p, *q]))
    for size in range(len(outcomes) + 1):
        for event in itertools.combinations(outcomes, size):
            yield sum((p.get(y, F(0)) for y in event), F(0)), sum((q.get(y, F(0)) for y in event), F(0))


def worst_delta(laws: dict[Dataset, Masses], pairs: list[tuple[Dataset, Dataset]], factor: Number) -> Number:
    return max(a - factor * b for one, other in pairs for a, b in every_event(laws[one], laws[other]))


def least_factor(laws: dict[Dataset, Masses], pairs: list[tuple[Dataset, Dataset]], delta: Fraction) -> Fraction | None:
    """The least E >= 1 with P(S) <= E Q(S) + delta for all pairs and events; None when there is none."""
    best = F(1)
    for one, other in pairs:
        for a, b in every_event(laws[one], laws[other]):
            if a > delta and not b:
                return None
            best = max(best, (a - delta) / b if b else F(1))
    return best


def breakpoints(laws: dict[Dataset, Masses], pairs: list[tuple[Dataset, Dataset]]) -> list[Fraction]:
    """Every ratio of masses and every crossing of the lines of two events, from 1 on: a superset of all breakpoints."""
    lines = sorted({line for one, other in pairs for line in every_event(laws[one], laws[other])})
    crossings = {(a - c) / (b - d) for (a, b), (c, d) in itertools.combinations(lines, 2) if b != d}
    return sorted({F(1), *(x for x in crossings if x >= 1)})


def size_of(dataset: Dataset, domain: list[Hashable]) -> tuple[int, int, tuple[int, ...]]:
    positions = tuple(domain.index(record) for record in dataset)
    weight = sum(abs(r) if isinstance(r, int) else domain.index(r) for r in dataset)
    return len(dataset), weight, positions


# -- random mechanisms, given as tables --


def own(one: Dataset, other: Dataset) -> bool:
    """Neighbours are datasets of equal sum, and those in reversed order."""
    return sum(map(hash, one)) == sum(map(hash, other)) or one == other[::-1]


DEFINITIONS: dict[str, Callable[[Dataset, Dataset], bool]] = {
    "change-one": lambda s, t: len(s) == len(t) and sum(a != b for a, b in zip(s, t, strict=True)) == 1,
    "add-remove": lambda s, t: (
        abs(len(s) - len(t)) == 1
        and min(len(s), len(t))
        == max((len(c) for c in _subsequences(max(s, t, key=len)) if c == min(s, t, key=len)), default=-1)
    ),
    "each-by-one": lambda s, t: (
        len(s) == len(t) and s != t and all(abs(a - b) <= 1 for a, b in zip(map(hash, s), map(hash, t), strict=True))
    ),
    "own": own,
}


def _subsequences(dataset: Dataset) -> Iterator[Dataset]:
    return (dataset[:i] + dataset[i + 1 :] for i in range(len(dataset)))


class Tabled:
    """A random universe: a domain, n, a relation, and a law for every dataset."""

    def __init__(self, choose: Random, outcomes: int = 3) -> None:
        self.relation = choose.choice(list(DEFINITIONS))
        self.domain: list[Hashable] = choose.choice([[0, 1], [2, 0, 1]])
        self.n = choose.choice([1, 2]) if len(self.domain) == 2 else 1
        lengths = range(self.n + 1) if self.relation == "add-remove" else [self.n]
        self.datasets = [s for length in lengths for s in itertools.product(self.domain, repeat=length)]
        some = [self._law(choose, outcomes) for _ in range(choose.choice([1, 2, 3, 9]))]
        self.laws = {s: choose.choice(some) for s in self.datasets}
        holds = DEFINITIONS[self.relation]
        self.pairs = [(s, t) for s in self.datasets for t in self.datasets if s != t and holds(s, t)]

    def _law(self, choose: Random, outcomes: int) -> Masses:
        weights = [choose.choice([0, 0, 1, 1, 2, 3, 5]) for _ in range(outcomes)]
        weights[choose.randrange(outcomes)] += 1
        return {f"y{i}": F(w, sum(weights)) for i, w in enumerate(weights) if w}

    def audited(self, **claim: Any) -> Audit:
        laws = {s: Law(dict(m)) for s, m in self.laws.items()}
        neighbours: Any = own if self.relation == "own" else self.relation
        return audit(lambda data, draw: draw(laws[data]), domain=self.domain, n=self.n, neighbours=neighbours, **claim)


tables = st.integers(0, 2**32 - 1).map(lambda seed: Tabled(Random(seed)))
EPSILONS = [("ln(2)", F(2)), ("ln(3/2)", F(3, 2)), ("ln(9)", F(9)), ("1/3", exp("1/3")), ("2", exp(2))]


@settings(max_examples=100)
@given(tables, st.sampled_from(EPSILONS), st.sampled_from([F(0), F(1, 6), F(2, 5)]), st.sampled_from([1, 2]))
def test_the_verdict_and_all_numbers_are_those_of_brute_force(
    tabled: Tabled, epsilon: tuple[str, Number], delta: Fraction, claim: int
) -> None:
    if not tabled.pairs:
        return
    result = tabled.audited(epsilon=epsilon[0], delta=delta, claim=claim)
    factor = epsilon[1] ** claim
    worst = worst_delta(tabled.laws, tabled.pairs, factor)
    assert result.delta_at_epsilon == worst
    assert result.pairs == len(tabled.pairs)
    assert result.epsilon_star is not None
    assert result.epsilon_star.factor == least_factor(tabled.laws, tabled.pairs, delta)
    alone = len({tuple(sorted(tabled.laws[s].items())) for pair in tabled.pairs for s in pair}) == 1
    expected = "refuted" if worst > delta else "vacuous" if alone else "holds"
    if expected != "vacuous" and worst <= delta and all(tabled.laws[s] == tabled.laws[t] for s, t in tabled.pairs):
        expected = "vacuous"
    assert result.verdict.kind == expected
    assert result.claims[0].holds == (worst <= delta)
    one, other = result.worst_pair
    assert result.worst_event.excess(factor) == worst
    assert (one, other) in tabled.pairs


@settings(max_examples=60)
@given(tables)
def test_delta_exactly_at_the_boundary_is_allowed_and_a_hair_less_is_not(tabled: Tabled) -> None:
    if not tabled.pairs:
        return
    worst = worst_delta(tabled.laws, tabled.pairs, F(3, 2))
    if not 0 < worst < 1:
        return
    assert tabled.audited(epsilon="ln(3/2)", delta=worst).verdict.kind == "holds"
    below = tabled.audited(epsilon="ln(3/2)", delta=worst - F(1, 10**40))
    assert below.verdict.kind == "refuted"
    assert below.epsilon_star is not None
    assert below.epsilon_star.factor is None or F(3, 2) < below.epsilon_star.factor


@settings(max_examples=60)
@example(Tabled(Random(978)), F(0))
@given(tables, st.sampled_from([F(0), F(1, 6)]))
def test_a_witness_refutes_with_the_smallest_datasets_and_the_fewest_outcomes(tabled: Tabled, delta: Fraction) -> None:
    if not tabled.pairs:
        return
    result = tabled.audited(epsilon="ln(3/2)", delta=delta)
    if result.verdict.kind != "refuted":
        return
    assert result.witness is not None
    one, other = result.witness.pair
    p, q = tabled.laws[one], tabled.laws[other]
    outcomes = [cell.outcome for cell in result.witness.event.cells]
    mine, theirs = (sum((law.get(y, F(0)) for y in outcomes), F(0)) for law in (p, q))
    assert (mine, theirs) == (result.witness.event.p, result.witness.event.q)
    assert mine > F(3, 2) * theirs + delta
    excesses = sorted((p.get(y, F(0)) - F(3, 2) * q.get(y, F(0)) for y in {*p, *q}), reverse=True)
    assert sum(excesses[: len(outcomes) - 1]) <= delta
    order = sorted(tabled.datasets, key=lambda s: size_of(s, tabled.domain))
    refuting = [
        order.index(s) + order.index(t) for s, t in tabled.pairs if worst_delta(tabled.laws, [(s, t)], F(3, 2)) > delta
    ]
    assert order.index(one) + order.index(other) == min(refuting)


@settings(max_examples=30)
@given(tables)
def test_the_profile_is_convex_and_is_brute_force_at_and_between_all_breakpoints(tabled: Tabled) -> None:
    if not tabled.pairs:
        return
    profile = tabled.audited(epsilon="1").profile
    assert profile is not None
    assert profile.complete
    points = breakpoints(tabled.laws, tabled.pairs)
    between = [(a + b) / 2 for a, b in itertools.pairwise(points)] + [points[-1] + 1, points[-1] * 1000]
    chosen = [*points, *between]
    for factor in chosen if len(chosen) < 60 else chosen[:: len(chosen) // 60]:
        assert profile.delta(factor) == worst_delta(tabled.laws, tabled.pairs, factor)
    assert [e for e, _ in profile.breakpoints if e not in points] == []
    slopes = [segment.event.q for segment in profile.segments]
    assert slopes == sorted(slopes, reverse=True)
    assert len(set(slopes)) == len(slopes)


def test_disjoint_supports_have_no_epsilon_and_a_delta_of_one() -> None:
    result = audit(lambda data, draw: data[0], domain=["a", "b"], n=1, epsilon=5, delta="999/1000")
    assert result.verdict.kind == "refuted"
    assert result.delta_at_epsilon == 1
    assert result.epsilon_star is not None
    assert result.epsilon_star.factor is None


def test_an_impossible_outcome_of_mass_delta_leaves_a_finite_epsilon_and_of_more_leaves_none() -> None:
    laws = {0: Law({"x": "1/10", "y": "9/20", "z": "9/20"}), 1: Law({"y": "1/4", "z": "3/4"})}
    found = [
        audit(lambda data, draw: draw(laws[data[0]]), domain=[0, 1], n=1, epsilon=1, delta=delta).epsilon_star
        for delta in ("1/10", "99/1000", "1/5")
    ]
    assert [star.factor for star in found if star is not None] == [F(9, 5), None, F(7, 5)]


@pytest.mark.parametrize("epsilon", ["ln(3)", "1/10", "1000"])
def test_equal_laws_are_vacuous(epsilon: str) -> None:
    result = audit(lambda data, draw: draw(discrete_laplace(1)), domain=[0, 1], n=2, epsilon=epsilon)
    assert result.verdict.kind == "vacuous"
    assert result.verdict.reason
    assert result.delta_at_epsilon == 0


@pytest.mark.parametrize(("claim", "kind"), [("999/1000", "refuted"), (1, "holds"), ("1001/1000", "holds")])
@pytest.mark.parametrize("epsilon", ["ln(2)", "1/10", "3"])
def test_a_multiple_of_epsilon_scales_the_claim_and_not_the_mechanism(epsilon: str, claim: Any, kind: str) -> None:
    def noisy_count(data: tuple[int, ...], draw: Draw, *, epsilon: Epsilon) -> Any:
        return sum(data) + draw(discrete_laplace(1 / epsilon))

    result = audit(noisy_count, domain=[0, 1], n=2, epsilon=epsilon, claim=claim)
    assert result.verdict.kind == kind
    assert result.epsilon_star is not None
    assert result.epsilon_star.factor == exp(Epsilon(epsilon))


# -- countable laws and irregular tails --

T = F(1, 4)
LAPLACE = discrete_laplace(F(1, 2) / Epsilon("ln(2)"))
ONE_SIDED = geometric(F(1, 2) / Epsilon("ln(2)"))
RADIUS = 14


def laplace_mass(k: int) -> Fraction:
    return (1 - T) / (1 + T) * T ** abs(k)


def one_sided_mass(k: int) -> Fraction:
    return (1 - T) * T**k if k >= 0 else F(0)


def spread(
    mechanism: Callable[[Any, list[int]], Hashable], data: Any, masses: list[Callable[[int], Fraction]]
) -> tuple[Masses, Fraction]:
    """The law on a window of the noises, and the mass outside."""
    law: Masses = {}
    for noises in itertools.product(range(-RADIUS, RADIUS + 1), repeat=len(masses)):
        mass = F(1)
        for k, of in zip(noises, masses, strict=True):
            mass *= of(k)
        if mass:
            outcome = mechanism(data, list(noises))
            law[outcome] = law.get(outcome, F(0)) + mass
    return law, 1 - sum(law.values(), start=F(0))


def largest(data: Any, noises: list[int]) -> Hashable:
    largest_value: int = max(data[0] + noises[0], noises[1])
    return largest_value


def difference_above(data: Any, noises: list[int]) -> Hashable:
    return noises[1] if data[0] + noises[0] >= noises[1] else "below"


def below_one_sided(data: Any, noises: list[int]) -> Hashable:
    """Releases 0 only if data[0] is 0: an isolated impossible outcome inside a tail."""
    return noises[1] if noises[0] + data[0] <= noises[1] else "above"


IRREGULAR: dict[str, tuple[Callable[[Any, list[int]], Hashable], list[tuple[Law, Callable[[int], Fraction]]]]] = {
    "maximum": (largest, [(LAPLACE, laplace_mass), (LAPLACE, laplace_mass)]),
    "maximum of one-sided noise": (largest, [(ONE_SIDED, one_sided_mass), (ONE_SIDED, one_sided_mass)]),
    "released threshold": (difference_above, [(LAPLACE, laplace_mass), (LAPLACE, laplace_mass)]),
    "released one-sided threshold": (below_one_sided, [(ONE_SIDED, one_sided_mass), (ONE_SIDED, one_sided_mass)]),
}


@pytest.mark.parametrize("name", IRREGULAR)
def test_irregular_tails_agree_with_brute_force_at_many_factors(name: str) -> None:
    program, noises = IRREGULAR[name]

    def mechanism(data: tuple[int, ...], draw: Draw) -> Any:
        return program(data, [draw(law) for law, _ in noises])

    result = audit(mechanism, domain=[0, 1], n=1, epsilon="ln(2)")
    laws = {d: spread(program, (d,), [of for _, of in noises]) for d in (0, 1)}
    assert result.profile is not None
    for factor in (F(1), F(9, 8), F(3, 2), F(2), F(3), F(4), F(5), F(17), F(1000)):
        exactly = Decider(result.universe).worst(factor).delta
        known = max(
            sum(
                max(F(0), laws[a][0].get(y, F(0)) - factor * laws[b][0].get(y, F(0)))
                for y in {*laws[a][0], *laws[b][0]}
            )
            for a, b in ((0, 1), (1, 0))
        )
        slack = (1 + factor) * max(tail for _, tail in laws.values())
        assert known - slack <= exactly <= known + slack
        assert result.profile.delta(factor) <= exactly
        if result.profile.complete:
            assert result.profile.delta(factor) == exactly


@pytest.mark.parametrize("name", IRREGULAR)
@pytest.mark.parametrize("delta", [F(0), F(1, 100), F(1, 5)])
def test_the_least_factor_of_an_irregular_tail_is_just_enough(name: str, delta: Fraction) -> None:
    program, noises = IRREGULAR[name]

    def mechanism(data: tuple[int, ...], draw: Draw) -> Any:
        return program(data, [draw(law) for law, _ in noises])

    decider = Decider(audit(mechanism, domain=[0, 1], n=1, epsilon="ln(2)").universe)
    star = decider.least_factor(delta).factor
    if star is None:
        assert decider.worst(F(10**30)).delta > delta
        return
    assert decider.worst(star).delta <= delta
    assert star == 1 or decider.worst(star - F(1, 10**20)).delta > delta


def test_one_outcome_against_countably_many_shares_what_it_shares() -> None:
    """Data 0 gives 5 for certain, data 1 with the noise's own mass m: 1 - 2m one way, and 1 - m the other."""
    assert hockey_stick(Law({5: 1}), LAPLACE, 2) == 1 - 2 * laplace_mass(5)
    exactly = 1 - laplace_mass(5)
    result = audit(lambda data, draw: draw(LAPLACE) if data[0] else 5, domain=[0, 1], n=1, epsilon="ln(2)")
    assert result.delta_at_epsilon == exactly


def test_shapes_that_share_outcomes_in_different_laws_share_their_mass() -> None:
    def mechanism(data: tuple[int, ...], draw: Draw) -> Any:
        noise = draw(LAPLACE)
        return (noise, 0) if data[0] else (0, noise)

    try:
        result = audit(mechanism, domain=[0, 1], n=1, epsilon="ln(2)")
    except NotClosed:
        return
    assert result.delta_at_epsilon == 1 - laplace_mass(0)


def test_equal_numbers_of_different_types_are_no_difference() -> None:
    def mechanism(data: tuple[int, ...], draw: Draw) -> Any:
        return (F(2) if data[0] else 2) if draw(bernoulli("1/2")) else draw(LAPLACE)

    assert audit(mechanism, domain=[0, 1], n=1, epsilon="1/10").verdict.kind == "vacuous"


# -- unresolved mass --


def parity_of_noise(data: tuple[int, ...], draw: Draw, *, epsilon: Epsilon) -> Any:
    return (sum(data) + draw(discrete_laplace(1 / epsilon))) % 2


def test_a_small_window_leaves_open_what_a_larger_one_decides() -> None:
    kinds = [
        audit(parity_of_noise, domain=[0, 1], n=1, epsilon="1/2", claim="1/8", window=w).verdict.kind
        for w in (0, 2, 40)
    ]
    assert kinds == ["undecided", "undecided", "refuted"]
    wide = audit(parity_of_noise, domain=[0, 1], n=1, epsilon="1/2", delta="1/1000", window=40)
    assert wide.verdict.kind == "holds"


def test_bounds_enclose_the_truth_and_narrow_with_the_window() -> None:
    t = F(1, 2)
    even = (1 - t) / (1 + t) * (1 + 2 * t**2 / (1 - t**2))
    truth = max(even - F(9, 8) * (1 - even), (1 - even) - F(9, 8) * even, F(0))
    found = [
        audit(
            lambda data, draw: parity_of_noise(data, draw, epsilon=Epsilon("ln(2)")),
            domain=[0, 1],
            n=1,
            epsilon="ln(9/8)",
            window=w,
        ).delta_at_epsilon
        for w in (1, 4, 9)
    ]
    for bounds in found:
        assert isinstance(bounds, Bounds)
        assert bounds.low <= truth <= bounds.high
    widths = [bounds.high - bounds.low for bounds in found if isinstance(bounds, Bounds)]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("window", [1, 3])
def test_what_is_unresolved_is_not_taken_for_equal(window: int) -> None:
    """All laws agree inside the window and differ outside: this must not hold."""

    def mechanism(data: tuple[int, ...], draw: Draw) -> Any:
        noise = int(draw(LAPLACE))
        return noise if abs(noise) <= window else (noise, data)

    small = audit(mechanism, domain=[0, 1], n=1, epsilon="1/10", window=window)
    assert small.verdict.kind == "undecided"
    assert isinstance(small.delta_at_epsilon, Bounds)
    assert small.delta_at_epsilon.high > 0
    assert audit(mechanism, domain=[0, 1], n=1, epsilon="1/10", window=window + 2).verdict.kind == "refuted"


# -- the float filter --


def universe_of(laws: list[Law]) -> Universe:
    return explore(lambda data, draw: draw(laws[data[0]]), list(range(len(laws))), 1, CHANGE_ONE, epsilon=None)


ULP = F(1, 2**52)
HAIR = F(1, 10**30)
CLOSE = {
    "a tie at one unit in the last place": [
        Law({0: F(1, 2) + k * ULP / 4, 1: F(1, 2) - k * ULP / 4}) for k in (0, 1, 2, 3, -1, -2)
    ],
    "a tie below every float": [Law({0: F(1, 3) + k * HAIR, 1: F(2, 3) - k * HAIR}) for k in (0, 1, 2, 5, -3)],
    "masses near 1e-300": [
        Law({0: F(k, 10**300), 1: F(3, 10**301), 2: 1 - F(k, 10**300) - F(3, 10**301)}) for k in (1, 2, 3, 7)
    ],
    "masses below every float": [Law({0: F(k, 10**400), 1: 1 - F(k, 10**400)}) for k in (0, 1, 2, 3)],
    "exponentials": [
        Law({0: exp(-k), 1: exp(-2) / (1 + k), 2: 1 - exp(-k) - exp(-2) / (1 + k)}) for k in (1, 2, 30, 700, 800)
    ],
}


@pytest.mark.parametrize("factor", [F(1), 1 + ULP, F(3, 2), exp(1), F(10**200), exp(710), exp(900)])
@pytest.mark.parametrize("name", CLOSE)
def test_close_calls_are_decided_as_without_floats(name: str, factor: Number) -> None:
    decider = Decider(universe_of(CLOSE[name]))
    deltas = [decider.aligned.best_event(i, j, factor).excess(factor) for i, j in decider.law_pairs]
    worst = max(deltas)
    found = decider.worst(factor)
    assert found.delta == worst
    assert not worst or found.pair == decider.universe.law_pairs[decider.law_pairs[deltas.index(worst)]]
    for delta in (F(0), worst, worst - HAIR**20, worst / 2):
        if delta >= 0:
            exceeding = {pair for pair, _ in decider.exceeding(factor, delta)}
            assert exceeding == {p for p, d in zip(decider.law_pairs, deltas, strict=True) if d > delta}


@pytest.mark.parametrize("factor", [F(1), 1 + ULP, F(3, 2), exp(1)])
@pytest.mark.parametrize("name", CLOSE)
def test_the_float_bounds_of_a_divergence_enclose_it(name: str, factor: Number) -> None:
    decider = Decider(universe_of(CLOSE[name]))
    low, high = decider._divergence_bounds(factor)
    for k, (i, j) in enumerate(decider.law_pairs):
        exactly = decider.aligned.best_event(i, j, factor).excess(factor)
        assert F(low[k]) <= exactly <= F(high[k])


class Nearest(Decider):
    """Trusts floats rounded to nearest: bounds without width."""

    def _divergence_bounds(self, factor: Number) -> tuple[Any, Any]:
        middle = (self.low + self.high) / 2
        e = sum(float_bounds(factor)) / 2
        value = np.maximum(middle[self.first] - e * middle[self.second], 0).sum(axis=1)
        return value, value


class Swapped(Decider):
    """Takes the upper bounds for the lower ones."""

    def _divergence_bounds(self, factor: Number) -> tuple[Any, Any]:
        low, high = super()._divergence_bounds(factor)
        return high, low


def test_bounds_rounded_to_nearest_give_a_wrong_answer() -> None:
    """The control of the two tests above: a filter that is not rounded outward misses what differs by a hair."""
    universe = universe_of(CLOSE["a tie below every float"])
    assert len(list(Decider(universe).exceeding(F(1), F(0)))) == 20
    assert list(Nearest(universe).exceeding(F(1), F(0))) == []
    assert Decider(universe).worst(F(1)).delta == 8 * HAIR
    assert Nearest(universe).worst(F(1)).delta < 8 * HAIR
    assert Nearest(universe).least_factor(F(0)).factor != Decider(universe).least_factor(F(0)).factor


def test_swapped_bounds_give_no_answer() -> None:
    universe = universe_of(CLOSE["a tie below every float"])
    with pytest.raises(AssertionError):
        Swapped(universe).worst(F(1))


@pytest.mark.parametrize(
    "number", [F(1, 3), F(1, 10**320), exp(-760), exp(-1), F(10**400), F(-1, 7), F(1, 2), exp(1000)]
)
def test_float_bounds_enclose_a_number(number: Number) -> None:
    low, high = float_bounds(number)
    assert low == -float("inf") or F(low) <= number
    assert high == float("inf") or number <= F(high)
    assert low < high or F(low) == number


# -- arguments --


def response(data: tuple[Hashable, ...], draw: Draw) -> Any:
    return draw(bernoulli("1/3"))


BAD: dict[str, dict[str, Any]] = {
    "epsilon 0": {"epsilon": 0},
    "a negative epsilon": {"epsilon": "-1"},
    "a float epsilon": {"epsilon": 0.5},
    "any epsilon": {"epsilon": "any"},
    "delta 1": {"delta": 1},
    "a negative delta": {"delta": "-1/10"},
    "a float delta": {"delta": 0.1},
    "an unknown relation": {"neighbours": "swap"},
    "a number as relation": {"neighbours": 3},
    "n = 0": {"n": 0},
    "a true n": {"n": True},
    "a text as n": {"n": "2"},
    "an empty domain": {"domain": []},
    "no domain": {"domain": None},
    "a number as domain": {"domain": 2},
    "a repeated value": {"domain": [0, 1, 0]},
    "values that are equal": {"domain": [0, 1, True]},
    "a list as value": {"domain": [[0], [1]]},
    "texts for each-by-one": {"domain": ["a", "b"], "neighbours": "each-by-one"},
    "fractions for each-by-one": {"domain": [F(1), F(2)], "neighbours": "each-by-one"},
    "budget 0": {"budget": 0},
    "window -1": {"window": -1},
    "claim 0": {"claim": 0},
    "a float claim": {"claim": 1.5},
    "no neighbours": {"domain": [0]},
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_clear_line(name: str) -> None:
    arguments: dict[str, Any] = {"domain": [0, 1], "n": 1, "epsilon": "ln(2)"} | BAD[name]
    with pytest.raises(InvalidArgument) as caught:
        audit(response, **arguments)
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(("domain", "n"), [(range(100), 3), (range(10), 3000), (range(2), 10**8), (range(1000), 10**6)])
def test_too_many_datasets_are_refused_at_once_in_one_short_line(domain: range, n: int) -> None:
    with pytest.raises(BudgetExceeded, match="budget=N") as caught:
        audit(response, domain=domain, n=n, epsilon=1)
    assert len(str(caught.value)) < 300


def test_a_domain_is_kept_as_it_was_given() -> None:
    once: Any = iter([0, 1])
    assert audit(response, domain=once, n=1, epsilon=1).domain == (0, 1)
