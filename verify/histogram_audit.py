"""The privacy of Sampler on every dataset: all histograms of b k records, and every replacement of one record.

A dataset is permuted uniformly before it is cut into blocks, so Sampler's law depends on the histogram alone: it is
Aggregate's law, averaged over the count vector of the learnt laws. Neighbouring datasets have the same histogram, or
histograms that differ by a move x -> y. So all datasets of n = b k records are decided by the ordered pairs of
histograms that differ by a move, exactly (see `exactdp.verify.decide`). Of n > b k records Sampler looks at b k that
are chosen before the data are seen, and for n < b k its answer is constant, so nothing is lost. Paper: Proposition B.5
and Corollary B.7.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import comb
from time import perf_counter

import numpy as np

from exactdp.reference.aggregate import sample_length
from exactdp.reference.blocks import BlockOutputs
from exactdp.reference.counted import CountedAggregate, Counts
from exactdp.reference.histogram_counts import HistogramCounts
from exactdp.reference.learners import AnyLearner, as_learner, checked_domain
from exactdp.reference.mode import StabilityBasedMode, checked_mode
from exactdp.reference.sampler import checked_count
from exactdp.spec.number import Number
from exactdp.spec.vector import Vector, vector
from exactdp.verify.count_audit import (
    PAIRS_AT_MOST,
    SMALLEST,
    CountRows,
    NeighbourAudit,
    Rule,
    check_pairs,
    checked_claim,
    checked_rule,
    decided,
    moves,
    total,
)
from exactdp.verify.decide import Floats, Integers, Positions
from exactdp.verify.rows import RowDecider, Rows, lowered, raised
from exactdp.verify.universe import Progress, quiet


class HistogramRows(Rows):
    """Mixtures of the laws of `base`, one for each histogram, with integer weights over their total.

    As floats, a mixture of m laws takes a product and m - 1 sums: m roundings, of outward bounds of weights and laws.
    A mixture of one law is that law.
    """

    def __init__(self, base: CountRows, mixtures: Sequence[tuple[Positions, list[int], int]]) -> None:
        self.base = base
        self.cells, self.bits = base.cells, base.bits
        self.mixtures = mixtures
        self.single = np.array([len(laws) == 1 for laws, _, _ in mixtures], dtype=bool)
        self.only = np.array([laws[0] for laws, _, _ in mixtures], dtype=np.intp)
        self.low, self.high = self._bounds()
        self._exact: dict[int, Vector] = {}

    def _bounds(self) -> tuple[Floats, Floats]:
        low, high = self.base.low[:, self.only], self.base.high[:, self.only]
        for i in np.flatnonzero(~self.single).tolist():
            laws, weights, whole = self.mixtures[i]
            shares = np.array([weight / whole for weight in weights])
            least, most = np.nextafter(shares, 0), np.nextafter(shares, 1)
            least, most = np.where(least < SMALLEST, 0, least), np.maximum(most, SMALLEST)
            low[:, i] = lowered(self.base.low[:, laws] @ least, len(laws))
            high[:, i] = raised(self.base.high[:, laws] @ most, len(laws))
        return low, high

    def integers(self, y: int, laws: Positions) -> tuple[Integers, Integers]:
        """As in `Rows`."""
        low, high = np.zeros((2, len(laws)), dtype=object)
        for i, law in enumerate(laws):
            mixed, weights, whole = self.mixtures[law]
            least, most = self.base.integers(y, mixed)
            low[i] = least @ np.array(weights, dtype=object) // whole
            high[i] = -(-(most @ np.array(weights, dtype=object)) // whole)
        return low, high

    def exact(self, i: int) -> Vector:
        """As in `Rows`: the weights of each state of each pattern are summed first."""
        if i not in self._exact:
            laws, weights, whole = self.mixtures[i]
            parts: list[list[Number]] = []
            for n, states in enumerate(self.base.states):
                sums: dict[int, int] = {}
                for state, weight in zip(states[laws].tolist(), weights, strict=True):
                    sums[state] = sums.get(state, 0) + weight
                for state, weight in sums.items():
                    share = Fraction(weight, whole)
                    parts.append([mass * share for mass in self.base.part(n, state)])
            self._exact[i] = vector([total(column) for column in zip(*parts, strict=True)])
        return self._exact[i]

    def classes(self, laws: Positions) -> Positions:
        """A mixture of one law is that law; every other mixture is a class of its own."""
        classes: Positions = np.where(self.single[laws], self.base.classes(self.only[laws]), laws + 2 * len(laws))
        return classes


def audit_sampler(
    *,
    learner: AnyLearner,
    domain: Sequence[Hashable],
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
    factor: Number | int | str | None = None,
    delta: Number | int | str | None = None,
    rule: Rule | None = None,
    check_domain: bool = False,
    budget: int = PAIRS_AT_MOST,
    progress: Progress = quiet,
) -> NeighbourAudit:
    """Whether Sampler is private on all datasets of block_size * blocks records from `domain`, at dataset level.

    The claim is H_E <= delta, with E = `factor` and `delta` those of the release curve unless they are given. `rule`
    replaces the release curve (see `exactdp.verify.count_audit`). With `check_domain` every law that can be learnt must
    live on `domain`, as in `sampler`; otherwise laws may give records that are not in the data. Raises
    `InvalidArgument` and `BudgetExceeded`.

    >>> from exactdp.reference.learners import empirical
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/3"))
    >>> result = audit_sampler(learner=empirical(), domain="ab", blocks=3, block_size=2, mode=mode)
    >>> print(result, result.worst_delta, result.worst_pair)
    histograms (dataset level), 12 ordered pairs: holds 2/15 ((2, 4), (1, 5))
    """
    begin = perf_counter()
    k, b, L = checked_count("blocks", blocks), checked_count("block_size", block_size), as_learner(learner)
    values, claim = checked_domain(domain), checked_claim(checked_mode(mode).curve, factor, delta)
    checked_rule(rule)
    sample_length(length)
    n, K = k * b, len(values)
    check_pairs(K * (K - 1) * comb(n + K - 2, K - 1), budget, f"{n} records of {K} kinds")
    outputs = BlockOutputs(L, values, b, learnt_on=values if check_domain else None)
    positions: dict[Counts, int] = {}
    names, mixtures = [], []
    for histogram, weights, whole in HistogramCounts(outputs, k).all():
        names.append(histogram)
        laws = np.array([positions.setdefault(counts, len(positions)) for counts in weights], dtype=np.intp)
        mixtures.append((laws, list(weights.values()), whole))
        progress(len(names), comb(n + K - 1, K - 1), "laws")
    histograms = np.array(names, dtype=np.int64)
    order = np.lexsort(-histograms.T[::-1])
    counted = CountedAggregate(outputs.laws, mode, length)
    rows = HistogramRows(CountRows(counted, np.array(list(positions)), rule), [mixtures[i] for i in order])
    decider = RowDecider(rows, *moves(histograms[order]), progress)
    return decided("histograms (dataset level)", decider, histograms[order], claim, begin)
