"""Differential privacy: what it says of a mechanism's laws, and how disjoint parts share it.

E stands for e^epsilon throughout, as an exact number of at least 1. A mechanism is given by its laws: one for
every dataset. Epsilon = 0, delta = 0 and delta = 1 are allowed, which the paper does not need.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from exactdp.spec.claim import Claim, flag
from exactdp.spec.divergence import Aligned, Event
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, NotClosed
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.kernel import EVENTS_OF_AT_MOST, Divergence, exact_divergence
from exactdp.spec.law import Law
from exactdp.spec.number import Number

Dataset = tuple[Hashable, ...]
Pair = tuple[Hashable, Hashable]
Laws = Mapping[Any, Law]
"""A mechanism: its law for every dataset."""
Blocks = tuple[tuple[int, ...], ...]
"""A partition of the positions 0..n-1 of a dataset."""

SECTION = "Section 2: privacy"


# -- the definition --


class WorstPair(NamedTuple):
    """The largest divergence over the pairs, a pair that has it, and the event that shows it."""

    delta: Number
    pair: Pair
    event: Event


def delta_at(laws: Laws, pairs: Iterable[Pair], factor: Number) -> WorstPair:
    """The exact delta at E = `factor`: the largest H_E(A(S) || A(S')) over the ordered pairs, and the pair.

    Raises `InvalidArgument` when there is no pair, and `NotClosed` when a law leaves mass unresolved.

    >>> response = {0: Law({0: "3/4", 1: "1/4"}), 1: Law({0: "1/4", 1: "3/4"})}
    >>> worst = delta_at(response, [(0, 1), (1, 0)], Fraction(2))
    >>> worst.delta, worst.pair, str(worst.event)
    (Fraction(1, 4), (0, 1), '{0}')
    """
    names = list(laws)
    aligned = Aligned([laws[name] for name in names])
    _must_be_resolved(aligned)
    place = {name: i for i, name in enumerate(names)}
    worst: WorstPair | None = None
    for x, y in pairs:
        event = aligned.best_event(place[x], place[y], factor)
        excess = event.excess(factor)
        if worst is None or excess > worst.delta:
            worst = WorstPair(excess, (x, y), event)
    if worst is None:
        raise InvalidArgument("pairs", [], "at least one ordered pair of datasets")
    return worst


def is_dp(laws: Laws, pairs: Iterable[Pair], factor: Number, delta: Number) -> bool:
    """Whether Pr[A(S) in B] <= E Pr[A(S') in B] + delta for all ordered pairs (S, S') and all events B.

    *Paper:* Definition 2.3, non-strict. *Exact:* by H_E(A(S) || A(S')) <= delta. Raises `NotClosed` as
    `delta_at` does.

    >>> response = {0: Law({0: "3/4", 1: "1/4"}), 1: Law({0: "1/4", 1: "3/4"})}
    >>> [is_dp(response, [(0, 1), (1, 0)], Fraction(e), Fraction(0)) for e in (2, 3)]
    [False, True]
    """
    return all(exact_divergence(laws[x], laws[y], factor) <= delta for x, y in pairs)


def event_delta(p: Law, q: Law, factor: Number) -> Number:
    """The largest P(B) - E Q(B) over all events B, by trying every one: 2^m of them on m outcomes.

    On a countable law the events are the unions of its cells, on which P/Q is constant. Raises `NotClosed`
    where there are no such cells, and `BudgetExceeded` beyond `EVENTS_OF_AT_MOST` of them.
    """
    aligned = Aligned([p, q])
    _must_be_resolved(aligned)
    if aligned.irregular:
        raise NotClosed(
            "the likelihood ratio is not constant on finitely many sets, so there are too many events to try"
        )
    size = len(aligned.cells)
    if size > EVENTS_OF_AT_MOST:
        message = f"2^{size} events are too many to try; EVENTS_OF_AT_MOST raises the budget"
        raise BudgetExceeded(message, estimate=2**size, budget=2**EVENTS_OF_AT_MOST)
    both: list[tuple[Number, Number]] = [(Fraction(0), Fraction(0))]
    for i in range(size):
        mine, theirs = aligned.vectors[0][i], aligned.vectors[1][i]
        both += [(a + mine, b + theirs) for a, b in both]
    return max(a - factor * b for a, b in both)


def change_one_pairs(datasets: Iterable[Dataset]) -> list[tuple[Dataset, Dataset]]:
    """All ordered pairs of datasets of the same length that differ in exactly one position.

    >>> change_one_pairs([(0, 0), (0, 1), (1, 1)])
    [((0, 0), (0, 1)), ((0, 1), (0, 0)), ((0, 1), (1, 1)), ((1, 1), (0, 1))]
    """
    known = list(datasets)
    return [(s, t) for s in known for t in known if len(s) == len(t) and _distance(s, t) == 1]


@dataclass(frozen=True, repr=False)
class PrivacyInstance(Instance):
    """A mechanism's laws by dataset, its neighbouring ordered pairs, and the claimed E and delta.

    `divergence` is the number that is compared with delta.
    """

    laws: Laws
    pairs: tuple[Pair, ...]
    factor: Number
    delta: Number
    divergence: Divergence = exact_divergence

    def __post_init__(self) -> None:
        _must_be_parameters(self.factor, self.delta)


def _privacy_claims(instance: PrivacyInstance) -> Iterator[Claim]:
    pairs = set(instance.pairs)
    yield flag("both orders: every pair is there in both", pairs == {(y, x) for x, y in pairs}, instance)
    for x, y in instance.pairs:
        p, q = instance.laws[x], instance.laws[y]
        least = instance.divergence(p, q, instance.factor)
        yield Claim(f"conclusion: {x!r} to {y!r}", least, "<=", instance.delta, instance)
        aligned = Aligned([p, q])
        if len(aligned.cells) <= EVENTS_OF_AT_MOST and not aligned.irregular:
            yield Claim(f"events: {x!r} to {y!r}", event_delta(p, q, instance.factor), "==", least, instance)


# -- parallel composition --


def parts(dataset: Dataset, blocks: Blocks) -> tuple[Dataset, ...]:
    """The records of each block.

    >>> parts(("a", "b", "c"), ((0, 2), (1,)))
    (('a', 'c'), ('b',))
    """
    return tuple(tuple(dataset[i] for i in block) for block in blocks)


def parallel_law(dataset: Dataset, blocks: Blocks, tables: Sequence[Laws]) -> Law:
    """The law of A(S) = (A_1(S_1), ..., A_k(S_k)) with independent coins, over tuples."""
    laws = [table[part] for table, part in zip(tables, parts(dataset, blocks), strict=True)]
    return laws[0].product(*laws[1:])


def is_safe_in_parallel(
    before: Dataset, after: Dataset, blocks: Blocks, tables: Sequence[Laws], factor: Number
) -> bool:
    """Whether H_E of the tuple of blocks equals H_E of the one block that the changed record lies in.

    *Paper:* Lemma 2.5; it is true for every partition and independent coins, so nothing is summed over the
    blocks. Raises `InvalidArgument` unless exactly one block sees a change.
    """
    touched = _touched(parts(before, blocks), parts(after, blocks))
    if len(touched) != 1:
        raise InvalidArgument("datasets", (before, after), "two datasets that differ within exactly one block")
    i = touched[0]
    mine, theirs = (tables[i][parts(s, blocks)[i]] for s in (before, after))
    whole = exact_divergence(parallel_law(before, blocks, tables), parallel_law(after, blocks, tables), factor)
    return whole == exact_divergence(mine, theirs, factor)


@dataclass(frozen=True, repr=False)
class ParallelInstance(Instance):
    """Two neighbouring datasets, a partition, a mechanism for each block, and E and delta, which each one
    meets.

    `blocks_after` (a partition that moves with the data) and `joint` (the two laws of the tuple, when the
    coins are not independent) break the hypotheses on purpose.
    """

    before: Dataset
    after: Dataset
    blocks: Blocks
    tables: tuple[Laws, ...]
    factor: Number
    delta: Number
    blocks_after: Blocks | None = None
    joint: tuple[Law, Law] | None = None

    def __post_init__(self) -> None:
        _must_be_parameters(self.factor, self.delta)
        if len(self.before) != len(self.after) or _distance(self.before, self.after) != 1:
            raise InvalidArgument(
                "datasets", (self.before, self.after), "two datasets that differ in exactly one position"
            )


def _parallel_claims(instance: ParallelInstance) -> Iterator[Claim]:
    factor, tables = instance.factor, instance.tables
    if not all(is_dp(table, change_one_pairs(table), factor, instance.delta) for table in tables):
        return
    blocks_after = instance.blocks if instance.blocks_after is None else instance.blocks_after
    mine, theirs = parts(instance.before, instance.blocks), parts(instance.after, blocks_after)
    touched = _touched(mine, theirs)
    yield Claim("S1: blocks that the changed record lies in", Fraction(len(touched)), "==", Fraction(1), instance)
    laws = instance.joint or (
        parallel_law(instance.before, instance.blocks, tables),
        parallel_law(instance.after, blocks_after, tables),
    )
    whole = exact_divergence(*laws, factor)
    for i in touched:
        alone = exact_divergence(tables[i][mine[i]], tables[i][theirs[i]], factor)
        yield Claim(f"S2: all blocks and block {i} alone", whole, "==", alone, instance)
    yield Claim("conclusion: all blocks", whole, "<=", instance.delta, instance)


# -- shared --


def _must_be_resolved(aligned: Aligned) -> None:
    if any(aligned.unresolved):
        raise NotClosed("a law leaves mass unresolved, so its divergence is known within bounds only")


def _must_be_parameters(factor: Number, delta: Number) -> None:
    if factor < 1:
        raise InvalidArgument("factor", factor, "e^epsilon, a number of at least 1")
    if delta < 0 or delta > 1:
        raise InvalidArgument("delta", delta, "a number between 0 and 1")


def _distance(s: Dataset, t: Dataset) -> int:
    return sum(a != b for a, b in zip(s, t, strict=True))


def _touched(mine: Sequence[Dataset], theirs: Sequence[Dataset]) -> list[int]:
    return [i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]


# -- the items --

DEFINITION = register(
    Item(
        id="def-2.3",
        kind="definition",
        section=SECTION,
        title="(epsilon, delta)-differential privacy",
        statement="""
A mechanism A is (epsilon, delta)-differentially private if for all datasets S, S' of the same length that
differ in at most one record, and all events B,

    Pr[A(S) in B]  <=  e^epsilon Pr[A(S') in B] + delta          (non-strict; over the coins of A alone)

Both orders of a pair count. The worst event is {y : A(S)(y) > E A(S')(y)}, E = e^epsilon, so the condition is
H_E(A(S) || A(S')) <= delta with

    H_E(P || Q) = sum over y of max(0, P(y) - E Q(y)) = max over B of P(B) - E Q(B).

Step "events" tries all events and finds the same number.
""".strip(),
        uses=("def-2.1",),
        claims=_privacy_claims,
        predicates=(is_dp, delta_at, event_delta, change_one_pairs),
    )
)

PARALLEL_COMPOSITION = register(
    Item(
        id="lem-2.5",
        kind="lemma",
        section=SECTION,
        title="Parallel composition",
        statement="""
Split the positions of a dataset into fixed blocks, run an (epsilon, delta)-differentially private A_i on each
block, with independent coins, and release all answers. The whole is (epsilon, delta)-differentially private:
nothing is summed.

    A(S) = (A_1(S_1), ..., A_k(S_k)):   H_E(A(S) || A(S')) = H_E(A_i(S_i) || A_i(S'_i))  <=  delta

S1. The changed record lies in exactly one block, i.
S2. The other answers have the same law under S and S' and are independent of the i-th; so the divergence of
    the tuple equals that of the i-th answer.
""".strip(),
        uses=("def-2.3",),
        claims=_parallel_claims,
        predicates=(is_safe_in_parallel, parallel_law, parts),
    )
)
