"""The dataset-level audit against brute force: every dataset, every replaced record, every event.

Sampler's laws come from its enumerated program on every dataset where that ends in seconds, and otherwise, for one
dataset of each histogram, from all orders of its records. The divergence is the maximum over all events.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations, combinations_with_replacement, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp.verify.rows as rows
from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.draw import law_of
from exactdp.reference.histogram_counts import HistogramCounts
from exactdp.reference.learners import (
    Learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sampler import sampler
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exp
from exactdp.spec.release_curve import CURVES, NoisyThreshold, ReleaseCurve
from exactdp.verify.count_audit import CountRows, NeighbourAudit, audit_aggregate, moves
from exactdp.verify.histogram_audit import HistogramRows, audit_sampler
from exactdp.verify.rows import RowDecider

F = Fraction
Dataset = tuple[Hashable, ...]
Histogram = tuple[int, ...]

pytestmark = pytest.mark.usefixtures("nothing_hangs")

BERNOULLIS = (Law({0: "19/20", 1: "1/20"}), Law({0: "1/20", 1: "19/20"}))
ROTATIONS = tuple(Law({(i + j) % 3: F(30 if j == 0 else 1, 32) for j in range(3)}) for i in range(3))


# -- the oracle --


def divergence(p: Mapping[Hashable, Number], q: Mapping[Hashable, Number], factor: Number) -> Number:
    return max(a - factor * b for a, b in every_event(p, q))


def every_event(p: Mapping[Hashable, Number], q: Mapping[Hashable, Number]) -> Iterator[tuple[Number, Number]]:
    """P(S) and Q(S) for every event S."""
    outcomes = list(dict.fromkeys([*p, *q]))
    for size in range(len(outcomes) + 1):
        for event in combinations(outcomes, size):
            yield sum((p.get(y, F(0)) for y in event), F(0)), sum((q.get(y, F(0)) for y in event), F(0))


def histogram_of(data: Dataset, domain: Dataset) -> Histogram:
    return tuple(data.count(record) for record in domain)


def replaced(one: Histogram, other: Histogram) -> bool:
    return sorted(a - b for a, b in zip(one, other, strict=True) if a != b) == [-1, 1]


def law_by_permutations(
    data: Dataset, learner: Learner, blocks: int, size: int, mode: StabilityBasedMode, length: int
) -> dict[Hashable, Number]:
    """The average over all orders of the data and all seeds of Aggregate's law on the learnt laws."""
    masses: dict[Hashable, Number] = {}
    orders = Counter(permutations(data))
    seeds = list(learner.seeds.items())
    for order, times in orders.items():
        for drawn in product(seeds, repeat=blocks):
            weight: Number = F(times, orders.total())
            learnt = []
            for j, (seed, mass) in enumerate(drawn):
                weight = weight * mass
                learnt.append(learner(order[j * size : (j + 1) * size], seed))
            laws = Counter(learnt)
            for y, chance in CountedAggregate(tuple(laws), mode, length).law(tuple(laws.values())).items():
                masses[y] = masses.get(y, F(0)) + weight * chance
    return masses


def least_factor(
    laws: Mapping[Histogram, Mapping[Hashable, Number]], pairs: list[tuple[Histogram, Histogram]], delta: Number
) -> Number | None:
    best: Number = F(1)
    for one, other in pairs:
        for a, b in every_event(laws[one], laws[other]):
            if a > delta:
                if not b:
                    return None
                best = max(best, (a - delta) / b)
    return best


LEARNERS: dict[str, tuple[Learner, int]] = {
    "empirical": (empirical(), 2),
    "first record": (first_record(), 2),
    "random record": (random_record(2), 2),
    "smoothed": (smoothed((0, 1)), 2),
    "two Bernoullis": (maximum_likelihood(BERNOULLIS), 3),
    "randomised": (randomised(first_record(), empirical(), "1/3"), 2),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("variant", list(CURVES.values()))
def test_the_audit_is_brute_force_over_all_histograms(name: str, variant: type[ReleaseCurve]) -> None:
    (learner, size), blocks, domain = LEARNERS[name], 2, (0, 1)
    for default, length in ((BOTTOM, 1), ((0,), 1), (BOTTOM, 2)):
        mode = StabilityBasedMode(variant("ln(3/2)", "1/4"), default)
        known = {
            histogram_of(data, domain): law_by_permutations(data, learner, blocks, size, mode, length)
            for data in combinations_with_replacement(domain, blocks * size)
        }
        pairs = [(a, b) for a in known for b in known if replaced(a, b)]
        worst = {pair: divergence(known[pair[0]], known[pair[1]], F(3, 2)) for pair in pairs}
        result = audit_sampler(learner=learner, domain=domain, block_size=size, blocks=blocks, mode=mode, length=length)
        assert result.worst_delta == max(worst.values())
        assert worst[result.worst_pair] == result.worst_delta
        assert result.epsilon_star.factor == least_factor(known, pairs, F(1, 4))
        assert result.pairs == len(pairs) == 2 * blocks * size


@pytest.mark.parametrize("name", ["empirical", "first record", "two Bernoullis"])
def test_the_audit_is_that_of_the_enumerated_program(name: str) -> None:
    """Every dataset itself, and every replacement at every position: no histogram is taken."""
    learner, domain, blocks = LEARNERS[name][0], (0, 1), 3
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
    program = partial(sampler, learner=learner, blocks=blocks, block_size=1, mode=mode)
    laws = {data: law_of(program, data) for data in product(domain, repeat=blocks)}
    worst: Number = F(0)
    for one, other in product(laws, repeat=2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            worst = max(worst, divergence(dict(laws[one].items()), dict(laws[other].items()), F(2)))
    assert audit_sampler(learner=learner, domain=domain, block_size=1, blocks=blocks, mode=mode).worst_delta == worst


def test_three_points_and_blocks_of_two() -> None:
    domain, mode = (0, 1, 2), StabilityBasedMode(NoisyThreshold("1/2", "1/3"))
    for learner in (empirical(), first_record(), maximum_likelihood(ROTATIONS)):
        known = {
            histogram_of(data, domain): law_by_permutations(data, learner, 2, 2, mode, 1)
            for data in combinations_with_replacement(domain, 4)
        }
        pairs = [(a, b) for a in known for b in known if replaced(a, b)]
        result = audit_sampler(learner=learner, domain=domain, block_size=2, blocks=2, mode=mode)
        E = exp("1/2")
        worst = max(divergence(known[a], known[b], E) for a, b in pairs)
        assert result.worst_delta == worst
        assert divergence(known[result.worst_pair[0]], known[result.worst_pair[1]], E) == worst
        assert result.pairs == len(pairs)


def test_averaging_can_make_the_supremum_strictly_smaller() -> None:
    """Two points, three blocks of two, the empirical law, x = 1/2 and s = 2: 2/15 by hand, and r_1 = 1/3."""
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
    result = audit_sampler(learner=empirical(), domain=(0, 1), block_size=2, blocks=3, mode=mode)
    assert result.worst_delta == F(2, 15)
    laws = BlockOutputs(empirical(), (0, 1), 2).laws
    assert audit_aggregate(CountedAggregate(laws, mode), 3).worst_delta == F(1, 3)


# -- the float filter --


def enclosure_failures(seed: int) -> int:
    """How many divergences and masses of a random Sampler lie outside their float or integer bounds."""
    choose = Random(seed)
    learner, size = LEARNERS[choose.choice(list(LEARNERS))]
    blocks = choose.choice([2, 5, 9])
    curve = choose.choice(list(CURVES.values()))(
        choose.choice(["ln(2)", "1/2", "1/10"]), choose.choice(["1/6", "1e-9"])
    )
    outputs = BlockOutputs(learner, (0, 1), size)
    positions: dict[tuple[int, ...], int] = {}
    mixtures, names = [], []
    for histogram, weights, whole in HistogramCounts(outputs, blocks).all():
        names.append(histogram)
        places = np.array([positions.setdefault(c, len(positions)) for c in weights], dtype=np.intp)
        mixtures.append((places, list(weights.values()), whole))
    counted = CountedAggregate(outputs.laws, StabilityBasedMode(curve))
    rows = HistogramRows(CountRows(counted, np.array(list(positions))), mixtures[::-1])
    decider = RowDecider(rows, *moves(np.array(names[::-1])))
    low, high = decider._divergence_bounds(curve.factor)
    below, above = decider._integer_bounds(np.arange(decider.size), curve.factor)
    failures = 0
    for k in range(decider.size):
        value = decider.best_event(k, curve.factor).excess(curve.factor)
        failures += not F(low.item(k)) <= value <= F(high.item(k))
        failures += not F(int(below[k]), 2**rows.bits) <= value <= F(int(above[k]), 2**rows.bits)
        i = int(decider.first[k])
        for y in range(len(rows.cells)):
            failures += not F(rows.low.item(y, i)) <= rows.exact(i)[y] <= F(rows.high.item(y, i))
    return failures


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_floats_and_integers_enclose_the_exact_numbers(seed: int) -> None:
    assert enclosure_failures(seed) == 0


def test_with_bounds_that_point_inwards_they_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "slack", lambda roundings: -(2.0**-44))
    assert sum(enclosure_failures(seed) for seed in range(5)) > 100


# -- what the audit finds at full size --


def full_size(
    learner: Learner, points: int, size: int, *, length: int = 1, epsilon: str = "1/2", delta: str = "1/100"
) -> NeighbourAudit:
    blocks = {"1/2": 267, "ln(2)": 473}[epsilon]
    return audit_sampler(
        learner=learner,
        domain=range(points),
        block_size=size,
        blocks=blocks,
        mode=StabilityBasedMode(NoisyThreshold(epsilon, delta)),
        length=length,
    )


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 3, 5])
def test_two_bernoullis_at_the_corollary_s_constants(size: int, length: int) -> None:
    result = full_size(maximum_likelihood(BERNOULLIS), 2, size, length=length)
    assert result.level == "histograms (dataset level)"
    assert result.pairs == 2 * 267 * size
    assert result.worst_delta < result.delta
    star = result.epsilon_star.factor
    assert star is not None
    assert 1 < star < exp("1/2")


@pytest.mark.parametrize("size", [1, 3])
def test_point_masses_on_two_points_show_r1_only_without_averaging(size: int) -> None:
    result = full_size(first_record(), 2, size)
    r1 = NoisyThreshold("1/2", "1/100")[1]
    assert result.verdict.kind == "holds"
    assert (result.worst_delta == r1) == (size == 1)
    assert 0 < result.worst_delta <= r1


def test_with_blocks_of_one_record_both_levels_are_one() -> None:
    for epsilon, delta, blocks in (("1/2", "1/100", 267), ("ln(2)", "1e-6", 473)):
        mode = StabilityBasedMode(NoisyThreshold(epsilon, delta))
        found = full_size(first_record(), 2, 1, epsilon=epsilon, delta=delta)
        tuples = audit_aggregate(CountedAggregate((Law({0: 1}), Law({1: 1})), mode), blocks)
        assert (found.worst_delta, found.worst_pair, found.pairs) == (
            tuples.worst_delta,
            tuples.worst_pair,
            tuples.pairs,
        )
        assert found.worst_delta == mode.curve[1]


def test_three_points_with_blocks_of_one_record_at_full_size() -> None:
    result = full_size(first_record(), 3, 1)
    assert (result.pairs, result.worst_delta) == (214_668, NoisyThreshold("1/2", "1/100")[1])
    assert result.worst_pair == ((134, 133, 0), (133, 134, 0))


# -- wrong mechanisms, and bad input --


class OneTooLow(NoisyThreshold):
    """The threshold is w instead of w + 1."""

    name = "threshold one too low"

    def release(self, distance: int) -> Number:
        return super().release(distance + 1)


def test_a_threshold_one_too_low_is_refuted_on_data() -> None:
    result = audit_sampler(
        learner=first_record(),
        domain=(0, 1),
        block_size=1,
        blocks=20,
        mode=StabilityBasedMode(OneTooLow("ln(2)", "1/6")),
    )
    assert (result.verdict.kind, result.worst_delta) == ("refuted", F(1, 3))
    assert result.worst_pair == ((11, 9), (10, 10))


def test_one_point_has_no_neighbours_and_is_vacuous() -> None:
    result = audit_sampler(
        learner=first_record(),
        domain=(0,),
        block_size=2,
        blocks=3,
        mode=StabilityBasedMode(NoisyThreshold("ln(2)", "1/6")),
    )
    assert (result.pairs, result.verdict.kind, result.worst_delta) == (0, "vacuous", F(0))


def test_what_cannot_be_asked_is_refused() -> None:
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
    with pytest.raises(InvalidArgument, match="blocks"):
        audit_sampler(learner=first_record(), domain=(0, 1), block_size=1, blocks=0, mode=mode)
    with pytest.raises(InvalidArgument, match="block_size"):
        audit_sampler(learner=first_record(), domain=(0, 1), block_size=0, blocks=3, mode=mode)
    with pytest.raises(InvalidArgument, match="domain"):
        audit_sampler(learner=first_record(), domain=(0, 0), block_size=1, blocks=3, mode=mode)
    with pytest.raises(InvalidArgument, match="delta"):
        audit_sampler(learner=first_record(), domain=(0, 1), block_size=1, blocks=3, mode=mode, delta=1)
    with pytest.raises(BudgetExceeded, match="ordered pairs"):
        audit_sampler(learner=first_record(), domain=(0, 1, 2), block_size=1, blocks=267, mode=mode, budget=1000)
