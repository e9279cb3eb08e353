"""The stability-based mode is private and releases a clear mode: decided on every dataset of small universes.

A universe is {0, ..., K - 1}^m, and two datasets are neighbours when they differ in one value. An instance brings a
kernel, the release curve that it is said to have, and the gap from which on it is said to release the mode.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Literal, NamedTuple, TypeVar

from exactdp.spec.claim import Claim
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.kernel import exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.mode import ModeStatistics, distance_of, mode_statistics
from exactdp.spec.number import Number, exp
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, ReleaseCurve, least_integer

Dataset = tuple[int, ...]
ModeKernel = Callable[[Dataset], Law]
Seen = TypeVar("Seen", bound=Hashable)

ZERO, ONE = Fraction(0), Fraction(1)


# -- the universe --


def datasets(values: int, records: int, *, symmetric: bool = False) -> Iterator[Dataset]:
    """All of {0, ..., K - 1}^m; if `symmetric`, one for every count vector, sorted: enough where order is not read.

    >>> [len(list(datasets(3, 4, symmetric=symmetric))) for symmetric in (False, True)]
    [81, 15]
    """
    return (combinations_with_replacement if symmetric else _product)(range(values), records)


def _product(values: Iterable[int], records: int) -> Iterator[Dataset]:
    return product(values, repeat=records)


def changes(dataset: Dataset, values: int, *, symmetric: bool = False) -> Iterator[Dataset]:
    """The datasets that differ from this one in exactly one value; if `symmetric`, sorted.

    >>> list(changes((0, 1), 2))
    [(1, 1), (0, 0)]
    """
    for i, old in enumerate(dataset):
        for new in range(values):
            if new != old:
                changed = (*dataset[:i], new, *dataset[i + 1 :])
                yield tuple(sorted(changed)) if symmetric else changed


def distinct_pairs(
    seen: Mapping[Dataset, Seen], values: int, *, symmetric: bool = False
) -> list[tuple[Dataset, Dataset]]:
    """For every two things that are seen on neighbours, in that order, the first pair on which they are.

    >>> distinct_pairs({z: sum(z) % 2 for z in datasets(2, 3)}, 2)
    [((0, 0, 0), (1, 0, 0)), ((0, 0, 1), (1, 0, 1))]
    """
    numbers: dict[Seen, int] = {}
    place = {z: numbers.setdefault(x, len(numbers)) for z, x in seen.items()}
    pairs: dict[tuple[int, int], tuple[Dataset, Dataset]] = {}
    for z, i in place.items():
        for t in changes(z, values, symmetric=symmetric):
            pairs.setdefault((i, place[t]), (z, t))
    return list(pairs.values())


class WorstChange(NamedTuple):
    """The largest divergence over all neighbours, and an ordered pair that has it; none when nothing can change."""

    delta: Number
    pair: tuple[Dataset, Dataset] | None


def worst_change(
    kernel: ModeKernel, values: int, records: int, factor: Number, *, symmetric: bool = False
) -> WorstChange:
    """The exact sup of H_E(M(z) || M(z')), E = `factor`, over all neighbours z, z' of the universe.

    >>> worst_change(lambda z: Law({z[0]: "1/3", None: "2/3"}), 2, 3, Fraction(2))
    WorstChange(delta=Fraction(1, 3), pair=((0, 0, 0), (1, 0, 0)))
    """
    laws = {z: kernel(z) for z in datasets(values, records, symmetric=symmetric)}
    found = WorstChange(ZERO, None)
    for z, t in distinct_pairs(laws, values, symmetric=symmetric):
        delta = exact_divergence(laws[z], laws[t], factor)
        if found.pair is None or delta > found.delta:
            found = WorstChange(delta, (z, t))
    return found


# -- gaps --


def is_above_quoted(gap: int, epsilon: Epsilon, delta: Number) -> bool:
    """Whether gap > 4 log(1/delta)/epsilon, strictly: decided as x^gap < delta^4 with x = e^-epsilon.

    >>> [is_above_quoted(gap, Epsilon("ln(2)"), Fraction(1, 4)) for gap in (8, 9)]
    [False, True]
    """
    return exp(epsilon * -gap) < delta**4


def quoted_gap(epsilon: Epsilon, delta: Number) -> int:
    """The least integer gap above 4 log(1/delta)/epsilon.

    >>> [quoted_gap(Epsilon("ln(2)"), Fraction(1, n)) for n in (6, 12, 100, 1000)]
    [11, 15, 27, 40]
    """
    return least_integer(lambda gap: is_above_quoted(gap, epsilon, delta))


def noisy_threshold_gap(epsilon: Epsilon, delta: Number, failure: Number | None = None) -> int:
    """The gap that the noisy threshold needs: 2 (w(delta) + w(failure)) - 1, or 1 where that is less.

    w(t) is the least integer whose noise tail is at most t; 4w - 1 when failure is delta. This is what the quoted Fact
    says after repair.

    >>> [noisy_threshold_gap(Epsilon("ln(2)"), Fraction(1, n)) for n in (6, 12, 100, 1000)]
    [7, 11, 27, 39]
    """
    allowed = delta if failure is None else failure
    return max(1, 2 * sum(NoisyThreshold(epsilon, t).threshold - 1 for t in (delta, allowed)) - 1)


def keeps_the_quoted_fact(curve: ReleaseCurve) -> bool:
    """Whether the mode is released as the Fact is quoted, at this epsilon and every delta.

    The noisy threshold: e^(epsilon/2) <= 1 + e^-epsilon, up to epsilon = 0.7644...; the others: epsilon <= 2 log 2.

    >>> [keeps_the_quoted_fact(NoisyThreshold(epsilon, "1/9")) for epsilon in ("0.7644", "0.7645")]
    [True, False]
    """
    if isinstance(curve, NoisyThreshold):
        return exp(curve.epsilon / 2) <= 1 + exp(-curve.epsilon)
    return curve.factor <= 4


def same_mode_delta(curve: ReleaseCurve) -> Number:
    """The sup of H_E between neighbours with the same unique mode: 0 for noise on D, at most r_1 for the largest curve.

    >>> same_mode_delta(OptimalRelease("ln(2)", "1/6")), same_mode_delta(NoisyThreshold("ln(2)", "1/6"))
    (Fraction(1, 6), Fraction(0, 1))
    """
    return curve.delta if isinstance(curve, OptimalRelease) else ZERO


# -- the claims --


@dataclass(frozen=True, repr=False)
class ModeInstance(Instance):
    """A universe of `values`^`records`, a kernel on it, the curve that it is said to have, and what it promises.

    `gap` is the least gap from which on the mode is released except with probability `failure` (None: the claimed
    delta); `same_mode` bounds H_E between neighbours with the same unique mode; `quoted` says that the Fact holds word
    for word; `delta` is what is claimed (None: the delta that the curve was made for); `symmetric`: the kernel does not
    read the order, and one dataset of each count vector is tried. `statistics` and `distance` are those of the proof.
    """

    values: int
    records: int
    kernel: ModeKernel
    curve: ReleaseCurve
    gap: int
    same_mode: Number = ZERO
    quoted: bool = False
    failure: Number | None = None
    delta: Number | None = None
    symmetric: bool = False
    statistics: Callable[[Dataset], ModeStatistics] = mode_statistics
    distance: Callable[[int], int] = distance_of

    @property
    def claimed(self) -> Number:
        """The claimed delta."""
        return self.curve.claimed if self.delta is None else self.delta


class _Reading(NamedTuple):
    """What a proof looks at in a dataset: its unique mode (None: there is none), gap and distance, and the law."""

    mode: Hashable
    gap: int
    distance: int
    law: Law

    @property
    def released(self) -> Number:
        """The probability that the mode is released."""
        return self.law[self.mode]


_Pair = tuple[str, _Reading, _Reading]
_Sides = Callable[[_Reading, _Reading], tuple[Number | int, Number | int]]


def _mode_claims(instance: ModeInstance) -> Iterator[Claim]:
    every = datasets(instance.values, instance.records, symmetric=instance.symmetric)
    seen = {z: _read(instance, z) for z in every}
    names = distinct_pairs(seen, instance.values, symmetric=instance.symmetric)
    pairs = [(f"{_text(z)} to {_text(t)}", seen[z], seen[t]) for z, t in names]
    yield from _distance_claims(pairs, instance)
    yield from _change_claims(pairs, instance)
    yield from _accuracy_claims(seen, instance)


def _read(instance: ModeInstance, dataset: Dataset) -> _Reading:
    found = instance.statistics(dataset)
    unique = found.mode if found.gap else None
    return _Reading(unique, found.gap, instance.distance(found.gap), instance.kernel(dataset))


def _distance_claims(pairs: Sequence[_Pair], instance: ModeInstance) -> Iterator[Claim]:
    split = [(name, p, q) for name, p, q in pairs if not _same_mode(p, q)]
    unique = [(name, p, q) for name, p, q in split if p.gap and q.gap]
    yield from _worst("S1 gap", pairs, lambda p, q: (abs(p.gap - q.gap), 2), instance)
    yield from _worst("S1 distance", pairs, lambda p, q: (abs(p.distance - q.distance), 1), instance)
    yield from _worst("S2 unique modes", unique, lambda p, q: (max(p.gap, q.gap), 1), instance)
    yield from _worst("S2 different modes", split, lambda p, q: (p.gap + q.gap, 2), instance)


def _change_claims(pairs: Sequence[_Pair], instance: ModeInstance) -> Iterator[Claim]:
    E, r_1, room = instance.curve.factor, instance.curve.delta, instance.same_mode
    same = [(name, p, q) for name, p, q in pairs if _same_mode(p, q)]
    split = [(name, p, q) for name, p, q in pairs if not _same_mode(p, q)]
    yield from _worst("S3 released", same, lambda p, q: (p.released, E * q.released + room), instance)
    yield from _worst("S3 withheld", same, lambda p, q: (1 - p.released, E * (1 - q.released) + room), instance)
    yield from _worst("S3 same mode", same, lambda p, q: (exact_divergence(p.law, q.law, E), room), instance)
    yield from _worst("S4 at stake", split, lambda p, q: (exact_divergence(p.law, q.law, ONE), r_1), instance)
    for claim in _worst("exact delta", pairs, lambda p, q: (exact_divergence(p.law, q.law, E), r_1), instance):
        details = claim.label.partition(": ")[2]
        yield Claim(claim.label, claim.lhs, "==", r_1, instance)
        yield Claim(f"conclusion: {details}", claim.lhs, "<=", instance.claimed, instance)


def _accuracy_claims(seen: Mapping[Dataset, _Reading], instance: ModeInstance) -> Iterator[Claim]:
    gap, curve = instance.gap, instance.curve
    enough = 1 - (instance.claimed if instance.failure is None else instance.failure)
    clear = {z: p for z, p in seen.items() if p.gap >= gap}
    yield from _least_released("accuracy", clear, ">=", enough, instance)
    less = {z: p for z, p in seen.items() if 0 < p.gap == gap - 1}
    yield from _least_released("minimal gap", less, "<", enough, instance)
    if instance.quoted:
        above = {g for g in {p.gap for p in seen.values()} if is_above_quoted(g, curve.epsilon, instance.claimed)}
        quoted = {z: p for z, p in seen.items() if p.gap in above}
        yield from _least_released("quoted", quoted, ">=", 1 - instance.claimed, instance)


def _same_mode(p: _Reading, q: _Reading) -> bool:
    return bool(p.gap and q.gap and p.mode == q.mode)


def _worst(label: str, pairs: Iterable[_Pair], sides: _Sides, instance: object) -> Iterator[Claim]:
    """left <= right for the pair that has the least room; nothing when there is no pair."""
    found = [(sides(p, q), name) for name, p, q in pairs]
    if found:
        (left, right), name = max(found, key=lambda one: one[0][0] - one[0][1])
        yield Claim(f"{label}: {name}", Fraction(1) * left, "<=", Fraction(1) * right, instance)


def _least_released(
    label: str,
    seen: Mapping[Dataset, _Reading],
    relation: Literal["<", ">="],
    bound: Number,
    instance: object,
) -> Iterator[Claim]:
    """The least probability with which the mode of one of these is released; nothing when there are none."""
    if seen:
        z, least = min(seen.items(), key=lambda one: one[1].released)
        yield Claim(f"{label}: gap {least.gap} at {_text(z)}", least.released, relation, bound, instance)


def _text(dataset: Dataset) -> str:
    return "".join(map(str, dataset))


# -- the item --

STABLE_RELEASE = register(
    Item(
        id="fact-B.3",
        kind="fact",
        section="Appendix B: Aggregate and Sampler",
        title="The stability-based mode",
        statement="""
For all epsilon, delta in (0, 1) and every m there is an (epsilon, delta)-differentially private M on m values that
releases the mode with probability at least 1 - delta whenever its count exceeds the second largest by more than
4 log(1/delta)/epsilon (strict).

Gap g = largest count - second largest, distance D = ceil(g/2). M releases a unique mode with probability r_D, and
otherwise a default that was fixed before (the failure symbol, or any value); r_0 = 0. E = e^epsilon, x = 1/E.

S1. Neighbours have |g - g'| <= 2, hence |D - D'| <= 1.
S2. If both modes are unique and different, g = g' = 1; unless both are unique and equal, g + g' <= 2.
S3. Same unique mode: r_D <= E r_D', 1 - r_D <= E (1 - r_D'), and H_E(M(z) || M(z')) = 0 for noise on D (pure epsilon).
    The largest curve has these with an additional delta: r_{D+1} <= E r_D + delta, and so on.
S4. Otherwise D, D' <= 1, and M(z), M(z') differ by at most r_1 in total variation.
    exact delta.  The sup of H_E over all neighbours is r_1, where anything can change (K >= 2, m >= 1).
    conclusion.   r_1 <= delta.
    accuracy.     Pr[mode] >= 1 - delta from the gap g* on; minimal gap: not at g* - 1.
    quoted.       Pr[mode] >= 1 - delta at all gaps above 4 log(1/delta)/epsilon, that is x^g < delta^4.

Geometric noise N on D against the threshold w + 1, w the least t with Pr[N >= t] <= delta, has g* = max(4w - 1, 1);
with failure delta' in place of delta, 2 (w(delta) + w(delta')) - 1. Word for word the Fact is true of it where
e^(epsilon/2) <= 1 + x, up to epsilon = 0.7644...; for x = 2/5, delta = 1/9 it fails at g = 10, where the failure is
4/35. With a randomised threshold, and for the largest curve, it is true up to epsilon = 2 log 2.
""".strip(),
        uses=("def-2.1", "def-2.3", "prop-2.4"),
        claims=_mode_claims,
        predicates=(
            datasets,
            changes,
            distinct_pairs,
            worst_change,
            is_above_quoted,
            quoted_gap,
            noisy_threshold_gap,
            keeps_the_quoted_fact,
            same_mode_delta,
        ),
    )
)
