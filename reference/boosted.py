"""Boosting: many private estimates from disjoint parts of the data, and the one that most of the others are close to.

If more than half of the estimates are closer than alpha/3 to p, whatever the others are, then the chosen one is closer
than alpha (Theorem 6.1, steps 4 to 6). Every record is in one part, and choosing only looks at the estimates, so one
run's privacy is the whole algorithm's. Paper: Algorithm 4, for Theorem 6.1.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from fractions import Fraction
from functools import partial

from exactdp.reference.counted import Counts
from exactdp.reference.couple import Draw
from exactdp.reference.learners import AnyLearner
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.private_learner import black_box_private_learner, check_default
from exactdp.reference.sampler import checked_count
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM, Bottom
from exactdp.spec.number import Number, exact

Estimate = Law | Bottom
Share = tuple[int, int, int]
"""An answer and a unit, by their numbers, and how many of this unit is the answer's probability given the counts."""


def boosted_learner(
    data: Sequence[Hashable],
    draw: Draw,
    *,
    learner: AnyLearner,
    final: AnyLearner,
    alpha: Number | int | str,
    runs: int,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
    domain: Collection[Hashable] | None = None,
) -> Estimate:
    """One of `runs` private estimates, chosen by `select`; each is learnt from the next `blocks * block_size` records.

    The parts are fixed by their positions. It is completed here for every n as its runs are: of more records the first
    T c are used, and a run whose part is too short answers as it does for too few records. Lines 1 and 2 are
    `boosted_parameters(...).arguments()`. Raises `InvalidArgument`.

    >>> from exactdp.reference.learners import first_record
    >>> from exactdp.reference.sampling import Sampling
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("1/2", "1e-6"))
    >>> sizes = {"alpha": "1/4", "runs": 3, "blocks": 200, "block_size": 1}
    >>> L = first_record()
    >>> boosted_learner("a" * 400 + "b" * 200, Sampling.seeded(1), learner=L, final=L, mode=mode, **sizes)
    Law({'a': '1'})
    """
    T, radius = checked_count("runs", runs), radius_of(alpha)
    c = checked_count("blocks", blocks) * checked_count("block_size", block_size)
    check_default(mode, length)
    parts = [data[t * c : (t + 1) * c] for t in range(T)]
    private_learner = partial(
        black_box_private_learner, learner=learner, final=final, blocks=blocks, block_size=block_size, mode=mode
    )
    estimates = [private_learner(part, draw, length=length, domain=domain) for part in parts]
    return estimates[first_largest(near_counts(estimates, radius))]


def select(estimates: Sequence[Estimate], alpha: Number | int | str) -> int:
    """The first index j that maximises N_j = |{i : TV(p_j, p_i) <= (2/3) alpha}|; lines 5 and 6 alone.

    BOTTOM is at distance 1 from everything, and is chosen only when all estimates are BOTTOM. Raises `InvalidArgument`.

    >>> near, close, far = (Law({0: x, 1: 1 - Fraction(x)}) for x in ("1/2", "2/5", "1/10"))
    >>> select([far, near, close], "1/4")
    1
    """
    if not estimates:
        raise InvalidArgument("estimates", list(estimates), "at least one estimate")
    return first_largest(near_counts(estimates, radius_of(alpha)))


def radius_of(alpha: Number | int | str) -> Number:
    """(2/3) alpha. Raises `InvalidArgument` unless 0 < alpha < 1."""
    number = exact(alpha, "alpha")
    if not 0 < number < 1:
        raise InvalidArgument("alpha", str(alpha), "a number with 0 < alpha < 1, such as '1/4'")
    return number * Fraction(2, 3)


def near_counts(estimates: Sequence[Estimate], radius: Number) -> list[int]:
    """For each estimate how many of all are within the radius (not strictly), itself included; 0 for BOTTOM."""
    frequency: dict[Estimate, int] = {}
    for estimate in estimates:
        frequency[estimate] = frequency.get(estimate, 0) + 1
    distinct = list(frequency)
    counts = {
        p: sum(frequency[q] for q, near in zip(distinct, row, strict=True) if near)
        for p, row in zip(distinct, near_table(distinct, radius), strict=True)
    }
    return [counts[estimate] for estimate in estimates]


def near_table(estimates: Sequence[Estimate], radius: Number) -> list[list[bool]]:
    """Which of the estimates are within the radius of which; BOTTOM is near nothing."""
    table = [[p is not BOTTOM and p is q for q in estimates] for p in estimates]
    for i, p in enumerate(estimates):
        for j, q in enumerate(estimates[:i]):
            if isinstance(p, Law) and isinstance(q, Law):
                table[i][j] = table[j][i] = exact_divergence(p, q, Fraction(1)) <= radius
    return table


def first_largest(counts: Sequence[int]) -> int:
    """The first index of the largest count."""
    return max(range(len(counts)), key=counts.__getitem__)


class CountedSelection:
    """The rule of `select` on estimates that are given by their numbers; unit n is 1/n."""

    def __init__(self, estimates: Sequence[Estimate], radius: Number, runs: int) -> None:
        self.answers: list[Hashable] = list(estimates)
        self.units: list[Number] = [Fraction(1, max(1, n)) for n in range(runs + 1)]
        table = near_table(estimates, radius)
        self.rows = [(i, [j for j, near in enumerate(row) if near and j != i]) for i, row in enumerate(table) if row[i]]
        self.declined = [i for i, q in enumerate(estimates) if q is BOTTOM]

    def __call__(self, counts: Counts) -> list[Share]:
        """The shares of the estimates with the largest N_j."""
        winners = self.winners(counts)
        if len(winners) == 1:
            return [(winners[0], 1, 1)]
        whole = sum([counts[i] for i in winners])
        return [(i, whole, counts[i]) for i in winners]

    def first(self, chosen: Hashable) -> int:
        """The first in a tuple of estimates whose N_j is largest."""
        assert isinstance(chosen, tuple), "a product is a law over tuples"
        winners = self.winners(Counter(chosen))
        places: list[int] = [i for i in chosen if i in winners]
        return places[0]

    def winners(self, counts: Counts | Counter[int]) -> list[int]:
        """The estimates that occur and have the largest N_j."""
        winners, most = self.declined, 0
        for i, others in self.rows:
            near = counts[i]
            if near:
                for j in others:
                    near += counts[j]
                if near >= most:
                    winners = [*winners, i] if near == most else [i]
                    most = near
        return winners
