"""Controls of the agnostic learner: wrong promises, wrong lines, coins that are shared, and wrong constants."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from exactdp.reference.learners import empirical
from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.agnostic import (
    AgnosticLinesInstance,
    RunLines,
    learnt_from_records,
    optimum,
    released_records,
)
from exactdp.spec.agnostic_reduction import ReductionParameters, Rule
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.sampler import Dataset, DatasetKernel, Order, blocks_of, output_law
from exactdp.spec.sampler_utility import Learnt
from exactdp.spec.standard_laws import point
from exactdp.spec.thresholds import least_integer_at_least_log
from exactdp.spec.tuples import distance, entries
from exactdp.verify.agnostic_families import (
    COINS,
    ENDS,
    AgnosticSetting,
    Estimating,
    Learning,
    LearntFrom,
    ProgramAnswer,
    Task,
    agnostic,
    at_the_edge,
    coin,
    ends_setting,
    estimator,
    lines_instance,
    private_runs,
    randomised_setting,
    reduction,
    small_mode,
    small_setting,
)
from exactdp.verify.controls import Control, controls_of
from exactdp.verify.coupling_controls import Row, controls_in
from exactdp.verify.sampler_families import small_learners
from exactdp.verify.sampler_settings import IndependentBlocks, Mixing, counted_aggregate
from exactdp.verify.wrong_couplings import Wrong, inverse_cdf

HALF = Fraction(1, 2)


# -- what L promises --


@Wrong
def at_least(apart: Number, radius: Number) -> bool:
    """A distance of C OPT + alpha exactly counts as a failure, as in Definition 1.2."""
    return apart >= radius


@Wrong
def first_of_the_class(laws: Sequence[Law], p: Law) -> Number:
    """The distance of the first law."""
    return distance(laws[0], p)


@controls_of("def-C.1")
def _wrong_promises() -> Iterator[Control]:
    coins = estimator(COINS, HALF)
    one = agnostic("two coins", COINS, coins, 1, 3, HALF, 8, proper=True)
    many = agnostic("two coins", COINS, coins, 80, 3, HALF, 8, Fraction(1, 10), proper=True)
    seeded = small_learners(2, 3)[-1]
    rows: list[Row] = [
        (
            "failure at the radius itself",
            "here success is TV <= C OPT + alpha, and the other coin is at distance alpha exactly",
            "conclusion", replace(one, name="two coins at distance alpha", fails=at_least),
        ),
        (
            "C = 1 for the minimum-distance estimator",
            "it is 3-agnostic: between two coins it may take the one that is further away",
            "conclusion",
            replace(agnostic("two coins, alpha = 1/8", COINS, coins, 3, 3, Fraction(1, 8), 8), constant=Fraction(1)),
        ),
        (
            "one record in place of many", "the number of samples is part of the promise",
            "conclusion",
            replace(many, name="two coins, one record, beta = 1/10", answer=LearntFrom(estimator(COINS, HALF / 4), 1),
                    alpha=HALF / 4),
        ),
        (
            "OPT as the distance of the first law", "it is the least of all distances",
            "OPT", replace(one, name="two coins, the first alone", nearest=first_of_the_class),
        ),
        (
            "the empirical law, as a proper learner", "it is no law of the class",
            "proper", replace(agnostic("two ends", ENDS, empirical(), 3, 1, Fraction(1, 4), 8), proper=True),
        ),
        (
            "one seed for all", "the law of L(S) is over its seeds too",
            "samples and seeds",
            replace(agnostic("two ends", ENDS, seeded, 3, 1, Fraction(1, 4), 8), answer=LearntFrom(empirical(), 3)),
        ),
    ]  # fmt: skip
    return controls_in("def-C.1", rows)


# -- the program --


@dataclass(frozen=True)
class SortedOrder:
    """The permutation that sorts the data."""

    def __call__(self, data: Dataset) -> Law:
        """The law of Pi."""
        return point(tuple(sorted(range(len(data)), key=lambda i: repr(data[i]))))


@Wrong
def in_turn(data: Dataset, order: Order, runs: int, batch: int) -> tuple[Dataset, ...]:
    """Batches that are dealt like cards, in place of cut."""
    return tuple(tuple(data[i] for i in order[j::runs]) for j in range(runs))


@Wrong
def first_batch_again(data: Dataset, order: Order, runs: int, batch: int) -> tuple[Dataset, ...]:
    """The first batch for every run."""
    return blocks_of(data, order, 1, batch) * runs


@Wrong
def one_coin_for_all(sampler: DatasetKernel, batches: tuple[Dataset, ...]) -> Law:
    """One uniform number draws all records."""
    samples = [sampler(batch).map(lambda z: entries(z)[0]) for batch in batches]
    return inverse_cdf(samples)


@dataclass(frozen=True)
class WrongLines:
    """The law of the answer of a program with these lines; with `records`, of the records that it draws."""

    lines: RunLines
    records: bool = False

    def __call__(self, data: Dataset) -> Law:
        """The law."""
        drawn = released_records(self.lines, data)
        return drawn if self.records else learnt_from_records(self.lines, drawn)


@dataclass(frozen=True)
class FromTheData:
    """The final learner is given the first T records of the data, in place of private ones."""

    setting: AgnosticSetting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        final = self.setting.final
        return final.seeds.map(lambda seed: final(data[: self.setting.runs], seed))


@dataclass(frozen=True)
class WithReplacement:
    """The program on as many independent draws from the data as there are records."""

    setting: AgnosticSetting

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        shares: dict[Hashable, Number] = {y: Fraction(n, len(data)) for y, n in Counter(data).items()}
        return output_law(ProgramAnswer(self.setting), Law(shares), len(data))


@dataclass(frozen=True)
class Completed:
    """The program with another answer for a number of records that does not fit."""

    setting: AgnosticSetting

    def __call__(self, data: Dataset) -> Law:
        """For fewer records what is learnt from them without privacy; of more the last ones."""
        n = self.setting.lines.records
        if len(data) < n:
            return point(empirical()(data))
        return ProgramAnswer(self.setting)(data[-n:])


def _lined(name: str, setting: AgnosticSetting, data: Dataset, lines: RunLines) -> AgnosticLinesInstance:
    """The program with other lines, and everything that follows from them."""
    wrong, drawn = WrongLines(lines), WrongLines(lines, records=True)
    right = lines_instance(setting, data, name)
    return replace(right, lines=lines, program=wrong, drawn=drawn, counted=wrong)


@controls_of("alg-7")
def _wrong_programs() -> Iterator[Control]:
    two, pair = small_setting(2, 1, 1), small_setting(2, 1, 2)
    lines, ends = two.lines, ends_setting(2, 1, 1, small_mode())
    right, mixed = lines_instance(two, (0, 1)), randomised_setting()
    again = WrongLines(replace(ends.lines, split=first_batch_again), records=True)
    rows: list[Row] = [
        (
            "blocks that learn with L(.; 2a, beta)", "its slack is so large that every block teaches the first coin",
            "line 1", replace(right, name="blocks with slack 2a", base=two.final),
        ),
        (
            "L(.; a/16, 1/16) on the released records", "line 4 has other parameters than line 1",
            "line 4", _lined("slack a/16 at the end", two, (0, 1), replace(lines, final=two.base)),
        ),
        (
            "an order that depends on the data", "the data are sorted, not permuted",
            "line 2", _lined("sorted data", two, (1, 0), replace(lines, orders=SortedOrder())),
        ),
        (
            "batches that are dealt like cards",
            "line 3 cuts the permuted data; the law is the same, the lines are not",
            "line 3 batches", _lined("batches in turn", pair, (0, 1, 1, 1), replace(pair.lines, split=in_turn)),
        ),
        (
            "the first batch for every run", "the records must come from disjoint batches",
            "line 3 batches",
            _lined("the first batch again", ends, (0, 1), replace(ends.lines, split=first_batch_again)),
        ),
        (
            "coins that the runs share", "given the batches the records are independent",
            "line 3 coins", _lined("shared coins", ends, (1, 1), replace(ends.lines, together=one_coin_for_all)),
        ),
        (
            "a program that reads its first batch T times", "its records are not those of the lines",
            "line 3", replace(lines_instance(ends, (0, 1)), name="the first batch T times", drawn=again),
        ),
        (
            "a final learner on the data", "L is to learn from the private records",
            "conclusion", replace(lines_instance(ends, (1, 1)), name="learnt from the data", program=FromTheData(ends)),
        ),
        (
            "records drawn with replacement", "a permuted dataset has the same histogram as before",
            "exchangeable",
            replace(lines_instance(mixed, (0, 1)), name="with replacement", counted=WithReplacement(mixed)),
        ),
        (
            "fewer records learnt from as they are", "the answer for too few records is fixed before the data are seen",
            "fewer records",
            replace(lines_instance(ends, (1,)), name="one record for two runs", program=Completed(ends)),
        ),
        (
            "of more records the last ones", "the first T k b records are to be used",
            "conclusion",
            replace(lines_instance(ends, (0, 1, 1)), name="three records for two runs", program=Completed(ends)),
        ),
    ]  # fmt: skip
    return controls_in("alg-7", rows)


# -- the theorem --


def _private() -> Iterator[Row]:
    ends = ends_setting(2, 1, 1, small_mode())
    right = private_runs(ends, 2)
    twice = ends_setting(1, 3, 1, StabilityBasedMode(NoisyThreshold("ln(4)", "1/5"), (0,)))
    yield (
        "a mode with twice epsilon", "a step from D = 1 to D = 2 costs e^(2 epsilon)",
        "S1", replace(private_runs(twice, 2, "three blocks, twice epsilon"), factor=Fraction(2)),
    )  # fmt: skip
    yield (
        "delta0 = a/4 in place of the smaller one", "the mode's delta may exceed what is promised",
        "S1 delta0", replace(right, name="two runs, delta = 1/100", delta=Fraction(1, 100)),
    )  # fmt: skip
    three = replace(ends, laws=(*ENDS, point(2)), learner_at=Estimating((*ENDS, point(2))))
    lines = replace(three.lines, orders=SortedOrder())
    yield (
        "an order that depends on the data", "one changed record moves the others to other batches",
        "S2 order", replace(private_runs(three, 3, "two runs, sorted data"), lines=lines, answer=WrongLines(lines)),
    )  # fmt: skip
    lines = replace(ends.lines, split=first_batch_again)
    yield (
        "the first batch for every run", "a changed record lies in all batches, and is told as often",
        "S2 batches", replace(right, name="two runs, the first batch again", lines=lines, answer=WrongLines(lines)),
    )  # fmt: skip
    lines = replace(ends.lines, together=one_coin_for_all)
    yield (
        "coins that the runs share", "the records are correlated, so that the second tells of the first",
        "S2 parallel", replace(right, name="two runs, shared coins", lines=lines, answer=WrongLines(lines)),
    )  # fmt: skip
    yield (
        "a final learner on the data", "it is no post-processing when the data are looked at again",
        "S3", replace(right, name="two runs, learnt from the data", answer=FromTheData(ends)),
    )  # fmt: skip


@Wrong
def nothing_is_off(laws: Sequence[Law], p: Law) -> Number:
    """OPT = 0, as if p were in the class."""
    return Fraction(0)


@Wrong
def by_absolute_differences(laws: Sequence[Law], p: Law) -> Number:
    """The least sum of |q(y) - p(y)|, which is twice OPT."""
    return 2 * optimum(laws, p)


def _rule(
    parts: int = 3,
    private: int = 16,
    concentrated: int = 128,
    inner: Callable[[Fraction, Fraction], Fraction] = lambda delta, a: min(delta, a / 4),
) -> Rule:
    """The parameters with a = alpha/(C + parts) and other constants."""

    def rule(C: Fraction, alpha: Fraction, epsilon: Epsilon, delta: Fraction) -> ReductionParameters:
        a = alpha / (C + parts)
        delta0 = inner(delta, a)
        k = max(
            least_integer_at_least_log(1 / delta0, private, epsilon), least_integer_at_least_log(4 / a, concentrated)
        )
        return ReductionParameters(a, delta0, k)

    return rule


@Wrong
def as_it_is(constant: Fraction) -> Fraction:
    """C in place of C + 1."""
    return constant


@Wrong
def one_c_less(constant: Fraction) -> Fraction:
    """8 C^2 + 8 C."""
    return 8 * constant * (constant + 1)


@dataclass(frozen=True)
class SharedSeed:
    """R_p when all blocks learn the same law: with the same records, or the same seed."""

    learnt: Learnt
    blocks: int
    mode: StabilityBasedMode

    def __call__(self) -> Law:
        """The law of a released record."""
        return mixture((share, counted_aggregate((q,), self.mode, 1).law((self.blocks,))) for q, share in self.learnt)


@dataclass(frozen=True)
class SameRecord:
    """The final learner on one released record, T times over."""

    learning: Learning

    def __call__(self, record: Law) -> Law:
        """The law of the answer."""
        return record.map(lambda y: self.learning.learner([y] * self.learning.runs))


def _constants() -> Iterator[Row]:
    task, p = Task(ENDS, Fraction(1), HALF), coin("1/50")
    learnt = at_the_edge(task, p)
    right = reduction("OPT = 1/50", task, p, learnt)

    small = replace(task, epsilon=Epsilon("1/10"), delta=Fraction(1, 10**6))
    wide = replace(task, delta=HALF)
    loose = replace(task, epsilon=Epsilon("99/100"), delta=Fraction(9, 10))
    yield (
        "eta = a/16", "C OPT is forgotten, so no law counts as close",
        "S4 close", replace(right, name="OPT forgotten", nearest=nothing_is_off),
    )  # fmt: skip
    yield (
        "at least 15/16 of the blocks", "the mean is 15/16: half of the time there are fewer",
        "S4 tail", replace(right, name="J of 15k/16", majority=Fraction(15, 16)),
    )  # fmt: skip
    yield (
        "k of 64 log(4/a)", "too few blocks for Hoeffding",
        "S4 blocks", reduction("half of the blocks", task, p, learnt, rule=Wrong(_rule(concentrated=64))),
    )  # fmt: skip
    yield "c = 1/2", "half of J may disagree", "S5 gap", replace(right, name="c = 1/2", share=HALF)
    yield (
        "8/epsilon in place of 16/epsilon", "k/4 is no longer 4 log(1/delta0)/epsilon",
        "S5 logs", reduction("8 log(1/delta0)/epsilon blocks", small, p, learnt, rule=Wrong(_rule(private=8))),
    )  # fmt: skip
    useless = StabilityBasedMode(NoisyThreshold(task.epsilon, Fraction(1, 10**60)), (1,))
    mixing, output = Mixing(tuple(q for q, _ in learnt), useless), IndependentBlocks(learnt, right.blocks, useless)
    yield (
        "a mode at a far smaller delta", "it hardly ever releases anything, and the default is far from p",
        "S5 mode", replace(right, name="a useless mode", curve=useless.curve, mixture=mixing, output=output),
    )  # fmt: skip
    yield (
        "c = 1/8", "that is for Corollary B.4; here 2 eta/c would be 16 eta",
        "S6 Markov", replace(right, name="c = 1/8", share=Fraction(1, 8)),
    )  # fmt: skip
    shared = SharedSeed(learnt, right.blocks, StabilityBasedMode(right.curve, (0,)))
    yield (
        "a seed that the blocks share", "all of them are far together, as often as one is",
        "S7 convexity", replace(right, name="a shared seed", output=shared),
    )  # fmt: skip
    yield (
        "delta0 = delta", "delta = 1/2 is more than a/4",
        "S7 sum", reduction("delta0 = delta", wide, p, learnt, rule=Wrong(_rule(inner=lambda delta, a: delta))),
    )  # fmt: skip
    unlucky = replace(task, constant=Fraction(3), beta=Fraction(1, 200))
    final = Learning(estimator(ENDS, 2 * unlucky.accuracy), 100)
    near = at_the_edge(unlucky, coin("1/1000"))
    yield (
        "one record T times over", "the runs share their coins and their batch: T records know no more than one",
        "S9", reduction("T times one record", unlucky, coin("1/1000"), near, SameRecord(final)),
    )  # fmt: skip
    certain = point(0)
    yield (
        "absolute differences for TV", "inf TV(q, R_p) is doubled, and TV(p, R_p) is not",
        "S9 near",
        replace(
            reduction("a point of the class", task, certain, at_the_edge(task, certain)),
            nearest=by_absolute_differences,
        ),
    )  # fmt: skip
    yield (
        "C TV(R_p, p)", "the C + 1 is for the way to the nearest law and for the way back",
        "S10 triangle", replace(right, name="C in place of C + 1", spread=as_it_is),
    )  # fmt: skip
    yield (
        "8 C^2 + 8 C", "the C OPT of the learner itself is forgotten",
        "S10 sum", replace(right, name="8 C^2 + 8 C", loss=one_c_less),
    )  # fmt: skip
    yield (
        "a = alpha/(C + 2)", "C + 1 for R_p and 2 for the final learner make C + 3",
        "S10 sum", reduction("a = alpha/(C + 2)", task, p, at_the_edge(task, p), rule=Wrong(_rule(parts=2))),
    )  # fmt: skip
    yield (
        "delta0 = delta a/16", "its logarithm is larger than that of 4/(a delta)",
        "S11",
        reduction("delta0 = delta a/16", task, p, learnt, rule=Wrong(_rule(inner=lambda delta, a: delta * a / 16))),
    )  # fmt: skip
    yield (
        "k of 256 log(4/a)", "twice as many blocks as are needed",
        "S11 blocks", reduction("twice the blocks", loose, p, learnt, rule=Wrong(_rule(concentrated=256))),
    )  # fmt: skip


@controls_of("thm-C.2")
def _wrong_reductions() -> Iterator[Control]:
    return controls_in("thm-C.2", [*_private(), *_constants()])
