"""Private learners with one mistake each, for the controls: plausible ways to learn that are not private, or fail."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from exactdp.reference.learned_law import boosted_law, learned_law
from exactdp.reference.learners import Learner, empirical
from exactdp.spec.boosting import Estimates, apart, choices, near_counts, split_in_turn
from exactdp.spec.law import Law, mixture
from exactdp.spec.learning import Complexity, Neighbours, PrivateLearnerLines
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number
from exactdp.spec.sampler import Dataset, DatasetKernel
from exactdp.spec.standard_laws import bernoulli, point
from exactdp.spec.tuples import distance, entries
from exactdp.verify.boosting_families import FewRuns
from exactdp.verify.learning_families import CountNeighbours, LearnerProgram
from exactdp.verify.sampler_settings import Setting, counted_aggregate
from exactdp.verify.wrong_couplings import Wrong
from exactdp.verify.wrong_samplers import Padded, Resampled

# -- learners and sample sizes --


@Wrong
def farther_than_alpha(answer: Law, p: Law, alpha: Number) -> Number:
    """A failure is TV > alpha, strictly."""
    return answer.masses.total(i for q, i in answer.atoms.items() if isinstance(q, Law) and distance(q, p) > alpha)


@dataclass(frozen=True)
class Offset:
    """m, and so many records more."""

    complexity: Complexity
    more: int

    def __call__(self, alpha: Number, beta: Number) -> int:
        """m(alpha, beta) + more."""
        return self.complexity(alpha, beta) + self.more


@dataclass(frozen=True)
class Confidence:
    """m, asked with the probability of success in place of that of failure."""

    complexity: Complexity

    def __call__(self, alpha: Number, beta: Number) -> int:
        """m(alpha, 1 - beta)."""
        return self.complexity(alpha, 1 - beta)


@dataclass(frozen=True)
class FirstSuccess:
    """The first n that is enough, although a later one may not be."""

    worst: Callable[[Number, int], Number]

    def __call__(self, alpha: Number, beta: Number) -> int:
        """The least n at which the failure probability is at most beta."""
        n = 1
        while self.worst(alpha, n) > beta:
            n += 1
        return n


@dataclass(frozen=True)
class OneSeed:
    """The law over S ~ p^n for the likeliest seed alone."""

    learner: Learner

    def __call__(self, p: Law, records: int) -> Law:
        """The law of the answer."""
        seed = max(self.learner.seeds.support(), key=self.learner.seeds.__getitem__)
        return p.power(records).map(lambda data: self.learner(entries(data), seed))


# -- the private learner --


@Wrong
def records_as_sample(data: Dataset, lines: PrivateLearnerLines) -> Law:
    """Z is the first record itself."""
    return point(data[:1]).product(lines.seeds)


@Wrong
def seeded_by_the_sample(data: Dataset, lines: PrivateLearnerLines) -> Law:
    """V is decided by Z: the first seed where Sampler declines, the last one otherwise."""
    seeds = list(lines.seeds.support())
    return lines.sampler(data).map(lambda z: (z, seeds[0] if z is BOTTOM else seeds[-1]))


@dataclass(frozen=True)
class SampleAndData:
    """The last learner sees the data beside the sample."""

    lines: PrivateLearnerLines

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return self.lines.sampler(data).map(lambda z: _with_data(z, data))


def _with_data(sample: Hashable, data: Dataset) -> Law:
    """The empirical law of the sample and the data; of the data alone where there is no sample."""
    return empirical()((() if sample is BOTTOM else entries(sample)) + data)


@dataclass(frozen=True)
class AlwaysAnswers:
    """Where Sampler declines a fixed law is given as if it had been learnt."""

    program: LearnerProgram
    instead: Law

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return self.program(data).map(lambda q: self.instead if q is BOTTOM else q)


@dataclass(frozen=True)
class LearntFrom:
    """The law of what is learnt from a wrong Sampler: blocks with replacement, or data made up to the right size."""

    sampled: Padded | Resampled
    final: Learner

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return learned_law(self.sampled(data), self.final)


def resampled(setting: Setting, final: Learner) -> LearntFrom:
    """Blocks are drawn with replacement."""
    return LearntFrom(Resampled(setting), final)


def padded(setting: Setting, final: Learner) -> LearntFrom:
    """Fewer records are made up to b k by repeating the first."""
    return LearntFrom(Padded(setting), final)


@dataclass(frozen=True)
class DataSeenAgain:
    """Neighbouring count vectors of two point laws, with the data given to the last learner beside the sample."""

    on: CountNeighbours

    def __call__(self) -> Iterable[Neighbours]:
        """The laws of the sample and of the answer on neighbours."""
        k, counted = self.on.blocks, counted_aggregate(self.on.laws, self.on.mode, self.on.length)
        values = [next(law.support()) for law in self.on.laws]
        for n, m in pairwise(range(k // 2 - 1, k // 2 + 2)):
            samples = counted.law((n, k - n)), counted.law((m, k - m))
            words = [(values[0],) * ones + (values[1],) * (k - ones) for ones in (n, m)]
            answers = [law.map(_beside(word)) for law, word in zip(samples, words, strict=True)]
            yield Neighbours(samples, (answers[0], answers[1]))


def _beside(word: Dataset) -> Callable[[Hashable], Hashable]:
    return lambda sample: _with_data(sample, word)


@dataclass(frozen=True)
class FirstRecordAlone:
    """The learner on the first record of its sample."""

    learner: Learner

    def __call__(self, samples: Law) -> Law:
        """The law of the answer."""
        return learned_law(samples.map(lambda z: z if z is BOTTOM else entries(z)[:1]), self.learner)


# -- boosting --


@Wrong
def overlapping_parts(data: Dataset, runs: int, records: int) -> tuple[Dataset, ...]:
    """Every part starts one record after the one before it."""
    return tuple(data[t : t + records] for t in range(runs))


@Wrong
def sorted_parts(data: Dataset, runs: int, records: int) -> tuple[Dataset, ...]:
    """The smallest records go into the first part, the next ones into the second."""
    return split_in_turn(tuple(sorted(data, key=repr)), runs, records)


@dataclass(frozen=True)
class SharedCoins:
    """All runs release together or not at all: each has its own mode of the law, and one coin for all."""

    run: DatasetKernel

    def __call__(self, parts: tuple[Dataset, ...]) -> Law:
        """The law of all estimates."""
        laws = [self.run(part) for part in parts]
        given = [[q for q in law.support() if q is not BOTTOM] for law in laws]
        released = min(1 - law[BOTTOM] for law in laws)
        everyone = tuple(found[0] if found else BOTTOM for found in given)
        return mixture([(released, point(everyone)), (1 - released, point((BOTTOM,) * len(parts)))])


@dataclass(frozen=True)
class Flipped:
    """Randomised response as a run: the law of the record, or of the other bit with probability 1/4."""

    def __call__(self, data: Dataset) -> Law:
        """The law of the estimate."""
        return bernoulli("3/4").map(lambda kept: _bit(data, kept))


@dataclass(frozen=True)
class FlippedTogether:
    """The same with one coin for all runs."""

    def __call__(self, parts: tuple[Dataset, ...]) -> Law:
        """The law of all estimates."""
        return bernoulli("3/4").map(lambda kept: tuple(_bit(part, kept) for part in parts))


def _bit(data: Dataset, kept: Hashable) -> Law:
    return point(data[0] if kept else int(not data[0]))


@dataclass(frozen=True)
class SmallRadius:
    """Neighbours are counted within alpha/3."""

    alpha: Fraction

    def __call__(self, estimates: Estimates, data: Dataset) -> int:
        """The index."""
        counts = near_counts(estimates, self.alpha / 3)
        return counts.index(max(counts))


@dataclass(frozen=True)
class NearestToData:
    """Of the estimates with the largest N, the one that is closest to the data."""

    alpha: Fraction

    def __call__(self, estimates: Estimates, data: Dataset) -> int:
        """The index."""
        seen = Law({y: Fraction(n, len(data)) for y, n in Counter(data).items()})
        return min(choices(estimates, self.alpha), key=lambda j: apart(estimates[j], seen))


@Wrong
def agreeing_with_the_data(estimates: Estimates, data: Dataset) -> int:
    """The first estimate that is the law of the first record; the first of all when there is none."""
    return next((j for j, q in enumerate(estimates) if q == point(data[0])), 0)


@Wrong
def always_the_first(estimates: Estimates, data: Dataset) -> int:
    """The first estimate, whatever the others are."""
    return 0


@dataclass(frozen=True)
class FirstRun:
    """The program gives the first estimate."""

    few: FewRuns

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return self.few.run(self.few.lines.parts(data)[0])


@dataclass(frozen=True)
class AllAlike:
    """The law from the laws of the runs, as if all were that of the first."""

    few: FewRuns

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        return boosted_law(FirstRun(self.few)(data), runs=self.few.runs, alpha=self.few.alpha)


@Wrong
def at_most(far: Number, alpha0: Number) -> bool:
    """Estimates at distance alpha0 exactly count as good."""
    return far <= alpha0


@Wrong
def half_are_enough(good: int, runs: int) -> bool:
    """Half of the estimates count as most of them."""
    return 2 * good >= runs
