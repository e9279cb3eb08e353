"""Sampler's exact law at full size: on a dataset given by its histogram, over data S ~ p^n, and from a mock learner.

Aggregate looks at how often each output law was learnt, so Sampler's law is the law of Aggregate averaged over a random
count vector c: given the histogram of a dataset it has the law of `HistogramCounts`; for S ~ p^n the blocks are
independent, and c is multinomial. Paper: T8, for Algorithm 2, Proposition B.6 and Corollary B.7 at their own
constants; T11 for learners that are given by the law of their outputs.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice
from math import comb, lcm, prod

from exactdp.reference.aggregate import sample_length
from exactdp.reference.blocks import BlockOutputs, multinomial
from exactdp.reference.counted import CountedAggregate, Counts
from exactdp.reference.histogram_counts import BUDGET, HistogramCounts, Weights
from exactdp.reference.learners import AnyLearner, as_learner, checked_domain
from exactdp.reference.mode import StabilityBasedMode, checked_mode
from exactdp.reference.sampler import check_learnt, checked_count, checked_data
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.spec.standard_laws import point

COUNT_VECTORS = 2_000_000
"""How many count vectors a mixture goes through, unless the caller says otherwise."""


# -- the law of Sampler -----------------------------------------------------------------------------------------------


def sampler_law(
    data: Sequence[Hashable] | Mapping[Hashable, int],
    *,
    learner: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
    domain: Collection[Hashable] | None = None,
    budget: int = BUDGET,
) -> Law:
    """The exact law of `sampler` on this dataset: a sequence of records, or its histogram as {record: count}.

    Of more than b k records the first b k count, so such a dataset must be a sequence. With fewer the law is the point
    mass on the mode's default. With a `domain`, every law that can be learnt must live on it, as in `sampler`. Raises
    `InvalidArgument` and `BudgetExceeded`.

    >>> from exactdp.reference.learners import first_record
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
    >>> sampler_law({"a": 9, "b": 1}, learner=first_record(), blocks=5, block_size=2, mode=mode)
    Law({('a',): '1/2', BOTTOM: '1/2'})
    """
    k, b = _checked(learner, blocks, block_size, mode, length, domain, budget)
    histogram = _histogram(data, b * k)
    if sum(histogram.values()) < b * k:
        return point(mode.default)
    outputs = BlockOutputs(learner, tuple(histogram), b)
    weights, _ = HistogramCounts(outputs, k, budget=budget).counts_of(tuple(histogram.values()))
    used = [i for i in range(len(outputs.laws)) if any(counts[i] for counts in weights)]
    check_learnt([outputs.laws[i] for i in used], domain)
    return mixture_over_counts(outputs.laws, weights, mode=mode, length=length)


def _checked(
    learner: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int,
    domain: Collection[Hashable] | None,
    budget: int,
) -> tuple[int, int]:
    """The number of blocks and their size. Raises `InvalidArgument` for any of these arguments."""
    k, b = checked_count("blocks", blocks), checked_count("block_size", block_size)
    as_learner(learner)
    checked_mode(mode)
    sample_length(length)
    if domain is not None:
        checked_domain(domain)
    checked_count("budget", budget)
    return k, b


def sampler_law_over(
    p: Law,
    *,
    learner: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
    records: int | None = None,
    domain: Collection[Hashable] | None = None,
    budget: int = COUNT_VECTORS,
) -> Law:
    """The exact law of `sampler` over data S ~ p^n and its own coins; n = `records`, b k unless it is given.

    The blocks are independent, whatever the permutation. With a `domain`, every law that can be learnt must live on it,
    as in `sampler`. Raises `InvalidArgument` and `BudgetExceeded`.

    >>> from exactdp.reference.learners import first_record
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
    >>> p = Law({"a": "9/10", "b": "1/10"})
    >>> sampler_law_over(p, learner=first_record(), blocks=3, block_size=2, mode=mode)[("a",)]
    Fraction(567, 2000)
    """
    k, b = _checked(learner, blocks, block_size, mode, length, domain, budget)
    if records is not None and (isinstance(records, bool) or not isinstance(records, int) or records < 0):
        raise InvalidArgument("records", records, "an int of at least 0: the number of records n")
    if not isinstance(p, Law) or not p.is_finite:
        raise InvalidArgument("p", p, "a finite law of one record")
    if records is not None and records < b * k:
        return point(mode.default)
    learnt = BlockOutputs(learner, tuple(p.atoms), b, learnt_on=domain).law(p)
    return sampler_law_from(learnt, blocks=k, mode=mode, length=length, budget=budget)


def sampler_law_from(
    learnt: Law, *, blocks: int, mode: StabilityBasedMode, length: int = 1, budget: int = COUNT_VECTORS
) -> Law:
    """The exact law of Sampler when every block teaches independently a law drawn from `learnt`, a law of laws.

    So a learner can be given by the law of its outputs alone (T11). Raises `InvalidArgument` and `BudgetExceeded`.

    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))
    >>> good, bad = Law({0: 1}), Law({1: 1})
    >>> sampler_law_from(Law({good: "15/16", bad: "1/16"}), blocks=3, mode=mode)[(0,)]
    Fraction(2475, 8192)
    """
    k, most = checked_count("blocks", blocks), checked_count("budget", budget)
    checked_mode(mode)
    laws = tuple(law for law in learnt.atoms if isinstance(law, Law)) if isinstance(learnt, Law) else ()
    if not laws or len(laws) < len(learnt.atoms) or not learnt.is_finite:
        raise InvalidArgument("learnt", learnt, "a finite law whose outcomes are laws")
    number = comb(k + len(laws) - 1, k)
    if number > most:
        raise BudgetExceeded(
            f"{len(laws)} different laws in {k} blocks have {number} count vectors; "
            "give a larger budget to go through them all",
            estimate=number,
            budget=most,
        )
    weights = enumerate_independent(_without_denominators([learnt[law] for law in laws]), k)
    return CountedAggregate(laws, mode, length).mixture(weights)


def mixture_over_counts(laws: Sequence[Law], weights: Weights, *, mode: StabilityBasedMode, length: int = 1) -> Law:
    """The law of Aggregate under a random count vector with these weights; laws that never occur are left out first."""
    used = [i for i in range(len(laws)) if any(counts[i] for counts in weights)]
    counted = CountedAggregate(tuple(laws[i] for i in used), mode, length)
    return counted.mixture((tuple(counts[i] for i in used), weight) for counts, weight in weights.items())


def enumerate_independent(masses: Sequence[Number | int], blocks: int) -> Iterator[tuple[Counts, Number | int]]:
    """All count vectors of independent blocks with multinomial weights: blocks! prod masses[i]^c_i / c_i!.

    >>> list(enumerate_independent([1, 3], 2))
    [((0, 2), 9), ((1, 1), 6), ((2, 0), 1)]
    """
    powers = [_powers(mass, blocks) for mass in masses]
    last = len(masses) - 1
    for bars in combinations(range(blocks + last), last):
        ends = (-1, *bars, blocks + last)
        counts = tuple(ends[i + 1] - ends[i] - 1 for i in range(len(masses)))
        yield counts, prod((powers[i][n] for i, n in enumerate(counts)), start=multinomial(counts))


def _powers(mass: Number | int, most: int) -> list[Number | int]:
    powers: list[Number | int] = [1]
    for _ in range(most):
        powers.append(powers[-1] * mass)
    return powers


def _without_denominators(masses: Sequence[Number]) -> list[Number | int]:
    """Integers in the same proportions, if the masses are rational."""
    common = lcm(*(mass.denominator for mass in masses if isinstance(mass, Fraction)))
    scaled = [mass * common for mass in masses]
    return [int(mass) if isinstance(mass, Fraction) else mass for mass in scaled]


def _histogram(data: Sequence[Hashable] | Mapping[Hashable, int], wanted: int) -> dict[Hashable, int]:
    """The histogram of the first `wanted` records."""
    if isinstance(data, Mapping):
        counts = dict(data)
        if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in counts.values()):
            raise InvalidArgument("data", data, "a histogram: how often each record occurs, an int of at least 0")
        if sum(counts.values()) > wanted:
            expected = f"the records in a row, since only the first {wanted} of more count"
            raise InvalidArgument("data", data, expected)
        return {record: n for record, n in counts.items() if n}
    expected = "a sequence of hashable records, or their histogram"
    records, found = checked_data(data, expected), dict[Hashable, int]()
    try:
        for record in islice(records, min(wanted, len(records))):
            found[record] = found.get(record, 0) + 1
    except TypeError:
        raise InvalidArgument("data", data, expected) from None
    return found
