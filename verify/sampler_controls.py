"""Controls of Sampler: blocks, seeds and permutations that look at the data, wrong modes, wrong constants.

One thing is wrong in each; the rest is an instance on which the item holds.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.reference.learners import Learner, empirical, first_record, random_record
from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.sampler import (
    Dataset,
    SamplerInstance,
    SamplerLinesInstance,
    SamplerPrivacyInstance,
    total_variation,
)
from exactdp.spec.sampler_utility import FewBlocks, PrivateSamplerInstance
from exactdp.spec.standard_laws import bernoulli, point
from exactdp.verify.controls import HAIR, Control, controls_of
from exactdp.verify.coupling_controls import Row, controls_in
from exactdp.verify.sampler_families import (
    FAIR,
    FIXTURE_LAW,
    FIXTURE_LEARNT,
    LN_2,
    Target,
    all_pairs,
    case_of,
    histogram_pairs,
    least_setting,
    mode_at,
    near_and_far,
    private,
    promised,
    promised_by_mock,
    target_of,
    useful,
)
from exactdp.verify.sampler_settings import (
    HistogramLaw,
    IndependentBlocks,
    LawOver,
    Mixing,
    ProgramLaw,
    Setting,
    WorstOverCounts,
)
from exactdp.verify.wrong_samplers import (
    AverageLaw,
    FirstOfTheList,
    FirstValueInstead,
    HalfTheNoise,
    LargestRecords,
    LikeliestInstead,
    LowThreshold,
    NoNoise,
    Padded,
    Resampled,
    Twice,
    Unshuffled,
    blocks_by_value,
    half_the_blocks,
    length_forgotten,
    one_seed,
    ordered_by_the_data,
    overlapping_blocks,
    radius_of_aggregate,
    rotated,
    seeded_by_the_data,
    sorted_blocks,
    without_failures,
)

MODE = mode_at(LN_2, "1/3")
THREE_LAWS = FIXTURE_LEARNT
PAIRS_OF_TWO = Setting(empirical(), 2, 2, MODE)
"""Two blocks of a pair."""
COINS = Setting(random_record(2), 2, 2, MODE)
FIRSTS = Setting(first_record(), 2, 2, MODE)

SORTED = "one record that changes moves all that are larger to other places, and so to other blocks"
SHARED_RECORDS = "a record lies in two blocks, so changing it changes two laws"
LOOKS = "the other run cannot share it: it tells of the data by itself"
LOW = "a majority of one is released more often than delta0"
QUIET = "the release probability changes by more than e^epsilon from one distance to the next"
CERTAIN = "a majority that is just large enough is always released, and one smaller never"
VALUE = "a tie is answered by a value that one record decides"


# -- the definition --


@controls_of("def-1.4")
def _wrong_samplers() -> Iterator[Control]:
    laws, over = (Law({0: "3/4", 1: "1/4"}),), LawOver(PAIRS_OF_TWO)
    gamma = total_variation(over(laws[0]), laws[0].power(1))
    right = SamplerInstance("two blocks of a pair", laws, 4, 1, gamma, over, HistogramLaw(PAIRS_OF_TWO))
    longer = LawOver(replace(PAIRS_OF_TWO, length=2))
    rows: list[Row] = [
        (
            "the failure symbol left out of the distance",
            "declining to answer looks half as bad as it is",
            "events",
            replace(right, distance=without_failures),
        ),
        (
            "sequences of the wrong length",
            "two records are released where one is asked for",
            "conclusion",
            replace(right, law_over=longer, kernel=None),
        ),
        (
            "gamma too small by a hair",
            "the distance is exactly gamma + 10^-30",
            "conclusion",
            replace(right, gamma=gamma - HAIR),
        ),
        (
            "the coins of one dataset alone",
            "the answer's law is taken on the likeliest dataset, not over S ~ p^n",
            "samples and coins",
            replace(right, law_over=_on_the_likeliest),
        ),
    ]
    return controls_in("def-1.4", rows)


def _on_the_likeliest(p: Law) -> Law:
    return HistogramLaw(PAIRS_OF_TWO)((max(p.support(), key=p.__getitem__),) * 4)


# -- the algorithm --


@controls_of("alg-2")
def _wrong_algorithms() -> Iterator[Control]:
    coins, firsts = _run(COINS, (0, 0, 1, 1)), _run(FIRSTS, (0, 0, 0, 1))
    shuffled = Setting(first_record(), 3, 1, MODE)

    def lines(data: Dataset = coins.data, **changed: Any) -> Instance:
        return replace(coins, data=data, lines=replace(coins.lines, **changed))

    rows: list[Row] = [
        ("rotations alone", "neighbours stay neighbours", "line 1", lines(randomness=rotated)),
        ("a permutation that depends on the data", "it sorts them", "line 1", lines(randomness=ordered_by_the_data)),
        ("overlapping blocks", "the blocks are no cut of the permutation", "line 2", lines(split=overlapping_blocks)),
        ("blocks of the sorted data", "Pi is not looked at", "line 2", lines(split=sorted_blocks)),
        (
            "a number of blocks that depends on the data",
            "k is fixed",
            "line 2",
            lines(split=blocks_by_value, data=(0,) * 4),
        ),
        ("one seed for all blocks", "the seeds are equal, not independent", "line 3", lines(randomness=one_seed)),
        ("a seed that depends on the data", LOOKS, "line 3", lines(randomness=seeded_by_the_data)),
        (
            "records that are not permuted",
            "the first record of a block then comes from a fixed place",
            "lines 4 to 6",
            replace(firsts, program=Unshuffled(FIRSTS)),
        ),
        (
            "blocks drawn with replacement",
            "the law from the histogram treats blocks as independent",
            "exchangeable",
            replace(firsts, counted=Resampled(FIRSTS)),
        ),
        (
            "the largest of more records",
            "the data choose which records count",
            "more records",
            replace(_run(shuffled, (0, 0, 1, 1)), program=LargestRecords(shuffled)),
        ),
        (
            "fewer records made up to bk",
            "the first record is repeated",
            "fewer records",
            replace(_run(shuffled, (0,)), program=Padded(shuffled)),
        ),
    ]
    return controls_in("alg-2", rows)


def _run(setting: Setting, data: Dataset) -> SamplerLinesInstance:
    name = f"{setting}, {data}"
    return SamplerLinesInstance(name, data, setting.lines, ProgramLaw(setting), HistogramLaw(setting))


# -- privacy --


@controls_of("prop-B.5")
def _wrong_privacy() -> Iterator[Control]:
    moved = ((0, 1, 1, 2), (2, 1, 1, 2)), ((2, 1, 1, 2), (0, 1, 1, 2))
    pairs, coins = private(PAIRS_OF_TWO, moved), private(COINS, all_pairs(2, 4))
    points, firsts = Setting(first_record(), 3, 1, MODE), private(FIRSTS, all_pairs(2, 4))

    def lines(right: SamplerPrivacyInstance, **changed: Any) -> Instance:
        wrong = replace(right.lines, **changed)
        return replace(right, lines=wrong, kernel=AverageLaw(wrong))

    rows: list[Row] = [
        ("blocks of the sorted data", SORTED, "S2 blocks", lines(pairs, split=sorted_blocks)),
        ("overlapping blocks", SHARED_RECORDS, "S2 blocks", lines(firsts, split=overlapping_blocks)),
        (
            "a number of blocks that depends on the data",
            "a new value makes one block more",
            "S2 blocks",
            lines(private(points, all_pairs(3, 3)), split=blocks_by_value),
        ),
        ("a seed that depends on the data", LOOKS, "S1", lines(coins, randomness=seeded_by_the_data)),
        ("a permutation that depends on the data", LOOKS, "S1", lines(firsts, randomness=ordered_by_the_data)),
        ("the threshold one too low", LOW, "S3", _with_curve(mode_at(LN_2, "1/6").curve, LowThreshold)),
        ("noise of half the scale", QUIET, "S3", _with_curve(mode_at(LN_2, "1/6").curve, HalfTheNoise, 5)),
        ("a mode without noise", CERTAIN, "S3", _with_curve(mode_at(LN_2, "1/3").curve, NoNoise, 3)),
        ("the first value in place of the failure symbol", VALUE, "S3", _with_first_value()),
        (
            "the largest of more records",
            "one large record moves others out",
            "S4 average",
            replace(private(points, all_pairs(2, 4)), kernel=LargestRecords(points)),
        ),
        (
            "fewer records made up to bk",
            "the record that is repeated decides all blocks",
            "conclusion",
            replace(private(points, all_pairs(2, 1)), kernel=Padded(points)),
        ),
        (
            "two answers from the same data",
            "each is private; both together need twice the budget",
            "S4 average",
            replace(private(points, all_pairs(2, 3)), kernel=Twice(points.lines)),
        ),
        (
            "records that are not permuted",
            "the law is not the average over the permutations",
            "S4 average",
            replace(firsts, kernel=Unshuffled(FIRSTS)),
        ),
    ]
    return controls_in("prop-B.5", rows)


def _with_curve(right: object, wrong: type[NoisyThreshold], blocks: int = 3) -> Instance:
    """Point laws in blocks of one record, with a wrong curve at the E and delta of the right one."""
    assert isinstance(right, NoisyThreshold), "the reference curve"
    setting = Setting(first_record(), blocks, 1, StabilityBasedMode(wrong(right.epsilon, right.claimed)))
    return replace(private(setting, histogram_pairs(2, blocks)), factor=right.factor, delta=right.delta)


def _with_first_value() -> Instance:
    setting, mode = Setting(first_record(), 2, 1, MODE), FirstValueInstead(MODE)
    right = private(setting, all_pairs(2, 2))
    wrong = replace(right.lines, aggregate=mode.aggregated)
    return replace(right, lines=wrong, kernel=AverageLaw(wrong))


# -- utility --


@controls_of("prop-B.6")
def _wrong_utility() -> Iterator[Control]:
    half = target_of("half", 1)
    coin = near_and_far(Fraction(1, 200))
    right = useful("a fair coin", FAIR, coin, half)
    slow = useful("a fair coin", FAIR, coin, Target(1, Fraction(1, 2), Epsilon("1/10"), Fraction(1, 10**6)))
    often = useful("a fair coin", FAIR, near_and_far(Fraction(1, 200), Fraction(1, 8)), half)
    wide = useful("a coin biased by 1/64", FAIR, near_and_far(Fraction(1, 64)), half)
    long = useful("a coin biased by 1/150", FAIR, near_and_far(Fraction(1, 150)), Target(3, *_asked(half)))
    moved = useful("two atoms moved", FIXTURE_LAW, FIXTURE_LEARNT, half)
    mode, laws = least_setting(half)[0], tuple(law for law, _ in coin)
    loose = Fraction(2, 5)
    rows: list[Row] = [
        (
            "half as many blocks, the larger term being 128 log(4/beta)",
            "too many blocks may fail",
            "S2 blocks",
            replace(right, blocks=134, rule=half_the_blocks, output=IndependentBlocks(coin, 134, mode)),
        ),
        (
            "half as many blocks, the larger term being (8/epsilon) log(4/(beta delta))",
            "the gap is too small for the noise",
            "S4 gap",
            replace(slow, blocks=(slow.blocks + 1) // 2, rule=half_the_blocks),
        ),
        (
            "a learner that fails with probability 1/8",
            "as many blocks fail as may fail, half the time",
            "S1 mean",
            replace(often, allowed=Fraction(1, 8)),
        ),
        (
            "eta four times as large",
            "two laws within eta disagree too often",
            "S4 radius",
            replace(wide, rule=radius_of_aggregate),
        ),
        (
            "eta that does not depend on the length",
            "three records disagree three times as often",
            "S4 radius",
            replace(long, rule=length_forgotten),
        ),
        (
            "delta0 = delta, which is above beta/4",
            "the mode may fail more often than beta/4",
            "S4 radius",
            replace(
                useful("a fair coin", FAIR, coin, replace(half, delta=loose)),
                curve=NoisyThreshold(half.epsilon, loose),
            ),
        ),
        (
            "a majority of 15/16",
            "more than k/16 far is no rare event",
            "S3 inclusion",
            replace(right, majority=Fraction(15, 16)),
        ),
        (
            "noise of twice the scale",
            "the mode needs twice the gap",
            "S4 gap",
            replace(slow, curve=NoisyThreshold("1/20", slow.curve.claimed)),
        ),
        (
            "a mode that hardly ever answers",
            "it was set to delta0 = 10^-60",
            "S4 on E",
            replace(right, mixture=Mixing(laws, mode_at(half.epsilon, "1e-60"))),
        ),
        (
            "the worst count vector for the mixture",
            "it is farther from p^l than the mixture",
            "S4 convexity",
            replace(moved, mixture=FirstOfTheList(Mixing(tuple(q for q, _ in THREE_LAWS), mode))),
        ),
        (
            "sequences of the wrong length",
            "two records are released where one is asked for",
            "S5",
            replace(right, output=IndependentBlocks(coin, right.blocks, mode, 2)),
        ),
        (
            "blocks of the sorted data",
            "the largest records make the last block wrong, and no other",
            "S1 i.i.d.",
            _dependent(split=sorted_blocks),
        ),
        ("overlapping blocks", SHARED_RECORDS, "S1 i.i.d.", _dependent(split=overlapping_blocks)),
        ("one seed for all blocks", "all blocks fail together", "S1 i.i.d.", _dependent(randomness=one_seed)),
    ]
    return controls_in("prop-B.6", rows)


def _asked(target: Target) -> tuple[Fraction, Epsilon, Fraction]:
    return target.beta, target.epsilon, target.delta


def _dependent(**changed: Any) -> Instance:
    """Blocks of two coins: they teach the coin they come from, unless the seed or one of them says otherwise."""
    learner = Learner(_taught, "one of two laws", bernoulli("1/32"))
    lines = Setting(learner, 2, 2, MODE).lines
    far = 1 - Fraction(31, 32) * Fraction(127, 128) ** 2
    p = Law({0: "127/128", 1: "1/128"})
    learnt = ((p, 1 - far), (point(2), far))
    right = useful("a coin that seldom shows 1", p, learnt, target_of("half", 1))
    return replace(right, few=FewBlocks(replace(lines, **changed)))


def _taught(block: Sequence[Hashable], seed: Hashable) -> Law:
    """A far law when the seed or a record says so."""
    return point(2) if seed or any(block) else Law({0: "127/128", 1: "1/128"})


# -- private and useful --


def _worst_with(wrong: type[NoisyThreshold]) -> PrivateSamplerInstance:
    """Point laws with a wrong curve."""
    right = promised(case_of("point laws", "half", 1, 1))
    worst = right.worst_delta
    assert isinstance(worst, WorstOverCounts), "all count vectors are audited"
    curve = wrong(worst.mode.curve.epsilon, worst.mode.curve.claimed)
    return replace(right, worst_delta=replace(worst, mode=StabilityBasedMode(curve)))


def _too_long() -> PrivateSamplerInstance:
    """Sequences of two records where one is asked for."""
    case = case_of("point laws", "half", 1, 1)
    return replace(promised(case), output=LawOver(replace(case.setting, length=2)))


def _private_rows(useful_step: str) -> list[Row]:
    right, mode = promised(case_of("point laws", "half", 1, 1)), case_of("point laws", "half", 1, 1).setting.mode
    pair = "two tuples of values"
    tie = replace(right, worst_delta=FirstValueInstead(mode).between, audited=pair)
    likely = replace(right, worst_delta=LikeliestInstead(mode).between, audited=pair)
    return [
        ("the threshold one too low", LOW, "privacy", _worst_with(LowThreshold)),
        ("noise of half the scale", QUIET, "privacy", _worst_with(HalfTheNoise)),
        ("a mode without noise", CERTAIN, "privacy", _worst_with(NoNoise)),
        ("the first value in place of the failure symbol", VALUE, "privacy", tie),
        ("the mode in place of the failure symbol", "it is released whatever the gap", "privacy", likely),
        ("sequences of the wrong length", "they are no sequences of l records", useful_step, _too_long()),
    ]


@controls_of("cor-B.7")
def _wrong_corollaries() -> Iterator[Control]:
    return controls_in("cor-B.7", _private_rows("utility"))


def _many() -> PrivateSamplerInstance:
    """As many blocks as 20/delta."""
    return replace(promised(case_of("point laws", "half", 1, 1)), blocks=2000)


def _many_row() -> Row:
    why = "k has to grow like the logarithm of 1/delta"
    return "a number of blocks that grows as 1/delta", why, "blocks", _many()


@controls_of("thm-4.3")
def _wrong_theorems() -> Iterator[Control]:
    return controls_in("thm-4.3", [*_private_rows("conclusion"), _many_row()])


@controls_of("thm-1.5")
def _wrong_synthetic_data() -> Iterator[Control]:
    easy = Target(1, Fraction(9, 10), Epsilon("99/100"), Fraction(99, 100))
    literal = replace(promised_by_mock("a fair coin", FAIR, near_and_far(Fraction(1, 100)), easy), over=1)
    row: Row = (
        "log(1/(gamma delta)), word for word",
        "it is nearly 0 when gamma and delta are nearly 1; 128 log(4/gamma) blocks are needed then too",
        "blocks",
        literal,
    )
    return controls_in("thm-1.5", [*_private_rows("sharper"), _many_row(), row])
