"""Controls of boosting: radii, premises and tails that are slightly wrong, and choices that look at the data.

One thing is wrong in each; the rest is an instance on which the item holds.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.reference.learners import first_record
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.parameters import black_box_parameters
from exactdp.spec.boosting import BoostedInstance, BoostedSizesInstance, RunsInstance
from exactdp.spec.law import Law
from exactdp.verify.boosting_families import (
    COMMON,
    FAR,
    LADDER,
    LOOSE,
    NEAR,
    RARE,
    Boosting,
    Constant,
    FewRuns,
    few_runs,
    line_grid,
    main_of,
    mock_boosting,
    private_runs,
    selection,
    sized,
    written_out,
)
from exactdp.verify.controls import Control, controls_of
from exactdp.verify.coupling_controls import Row, controls_in
from exactdp.verify.learning_families import LIKELIEST, Given, sizes_of
from exactdp.verify.sampler_families import BERNOULLIS, FAIR, LN_2, POINTS, all_pairs
from exactdp.verify.sampler_settings import Setting, WorstOverCounts
from exactdp.verify.wrong_learners import (
    AllAlike,
    FirstRun,
    Flipped,
    FlippedTogether,
    NearestToData,
    SharedCoins,
    SmallRadius,
    agreeing_with_the_data,
    always_the_first,
    at_most,
    half_are_enough,
    overlapping_parts,
    sorted_parts,
)
from exactdp.verify.wrong_samplers import HalfTheNoise, NoNoise

COUNTS = Given(2, 3)
BASE_2_RUNS, BASE_2_BLOCKS = 1276, 640
"""ceil(128 log(1000)) and ceil(128 log(32)) with logarithms to base 2."""

# -- the algorithm --


@controls_of("alg-4")
def _wrong_algorithms() -> Iterator[Control]:
    ladder = few_runs(3, 1, 1, final=LADDER, alpha="3/8")
    right, steps = written_out(ladder, (1, 0, 1)), written_out(ladder, (0, 1, 2))
    two = written_out(few_runs(2, 2, 1, final=NEAR), (0, 1, 0, 1))
    usual, loose = sized("usual", COUNTS, COMMON), sized("loose", COUNTS, LOOSE)
    whole = sizes_of(black_box_parameters(COUNTS, *COMMON))
    rows: list[Row] = [
        (
            "alpha0 = alpha/2",
            "2 alpha0 + alpha0 is then more than alpha",
            "line 1",
            _sized(usual, alpha0=Fraction(1, 8)),
        ),
        ("delta0 = delta", "it is to be at most beta0/4", "line 1", _sized(loose, delta0=loose.delta)),
        ("beta0 = beta", "a run fails with probability beta, and not 1/8", "line 1", _sized(usual, beta0=usual.beta)),
        ("T halved", "64 log(1/beta) in place of 128 log(1/beta)", "line 2", _sized(usual, runs=7)),
        ("T with the ceiling left out", "one run too few", "line 2", _sized(usual, runs=13)),
        (
            "runs at (alpha, beta)",
            "a run is to be set to alpha0 and beta0",
            "line 3 size",
            _sized(usual, run=whole, records=usual.sizes.runs * whole.blocks * whole.block_size),
        ),
        (
            "parts of the sorted data",
            "the values of the records say which part they are in",
            "line 3 split",
            replace(right, lines=replace(right.lines, split=sorted_parts)),
        ),
        (
            "overlapping parts",
            "a record is in two parts",
            "line 3 split",
            replace(two, lines=replace(two.lines, split=overlapping_parts)),
        ),
        (
            "coins shared between the runs",
            "they release together or not at all",
            "line 4",
            replace(right, lines=replace(right.lines, together=SharedCoins(ladder.run))),
        ),
        (
            "neighbours within alpha/3",
            "the estimate in the middle counts itself alone, as the others do",
            "lines 5 and 6",
            replace(steps, lines=replace(steps.lines, choose=SmallRadius(ladder.alpha))),
        ),
        (
            "the first estimate, whatever the others are",
            "nothing is counted",
            "lines 5 and 6",
            replace(steps, lines=replace(steps.lines, choose=always_the_first)),
        ),
        (
            "of the best estimates the one closest to the data",
            "the choice looks at the data again",
            "line 6",
            replace(right, lines=replace(right.lines, choose=NearestToData(ladder.alpha))),
        ),
        (
            "a program that gives the first estimate",
            "lines 5 and 6 are left out",
            "lines 4 to 7",
            replace(steps, program=FirstRun(ladder), counted=FirstRun(ladder)),
        ),
        (
            "runs taken to be alike",
            "on one dataset their parts differ",
            "from the laws of the runs",
            replace(right, counted=AllAlike(ladder)),
        ),
    ]
    return controls_in("alg-4", rows)


def _sized(right: BoostedSizesInstance, **changed: Any) -> BoostedSizesInstance:
    """The same with other sizes."""
    return replace(right, sizes=right.sizes._replace(**changed))


# -- the theorem --


@controls_of("thm-6.1")
def _wrong_boosting() -> Iterator[Control]:
    rows = [*_wrong_selections(), *_wrong_runs(), *_wrong_sizes(), *_wrong_chances()]
    return controls_in("thm-6.1", rows)


def _wrong_selections() -> list[Row]:
    fine, three = selection(line_grid(20), 3, "1/3"), selection(line_grid(12), 3, "1/2")
    four = selection(line_grid(12), 4, "1/2")
    return [
        (
            "neighbours within alpha/3",
            "two good estimates need not count each other; T is odd",
            "S4 counts",
            replace(fine, radius=Fraction(1, 3)),
        ),
        (
            "half of the estimates are enough",
            "two good ones and two that agree on something else",
            "S4 maximum",
            replace(four, is_most=half_are_enough),
        ),
        (
            "good estimates at distance alpha0 exactly",
            "two of them can be 2 alpha0 apart, and the chosen one alpha from p",
            "S4 pairs",
            replace(three, is_good=at_most),
        ),
        (
            "alpha0 = alpha/2",
            "two good estimates are closer than alpha, and are counted within (2/3) alpha",
            "S4 counts",
            replace(fine, accuracy=Fraction(1, 2)),
        ),
        (
            "alpha0 = alpha/2, and neighbours within alpha",
            "the chosen one is closer than 3 alpha/2 to p",
            "S6",
            replace(three, accuracy=Fraction(1, 2), radius=Fraction(1)),
        ),
    ]


def _wrong_runs() -> list[Row]:
    few = few_runs(3, 1, 1)
    right, two = private_runs(few, all_pairs(2, 3)), private_runs(few_runs(2, 2, 1), all_pairs(2, 4))
    quiet = Setting(first_record(), 5, 1, StabilityBasedMode(HalfTheNoise(LN_2, "1/6")))
    loud = few_runs(1, 5, 1)
    response = replace(
        right, lines=replace(right.lines, private_learner=Flipped(), choose=always_the_first),
        delta0=Fraction(1, 4), delta=Fraction(1, 4),
    )  # fmt: skip
    return [
        (
            "overlapping parts",
            "a record is in two parts",
            "S1 parts",
            replace(two, lines=replace(two.lines, split=overlapping_parts)),
        ),
        (
            "noise of half the scale",
            "the release probability changes by more than e^epsilon from one distance to the next",
            "S1 one run",
            _quiet(private_runs(loud, all_pairs(2, 5)), replace(loud, run=replace(loud.run, setting=quiet))),
        ),
        (
            "coins shared between the runs",
            "whether two answers agree shows whether their records do",
            "S1 parallel",
            replace(response, lines=replace(response.lines, together=FlippedTogether())),
        ),
        (
            "an estimate that agrees with the first record",
            "the choice looks at the data again, and undoes the noise",
            "S1 selection",
            replace(response, lines=replace(response.lines, choose=agreeing_with_the_data)),
        ),
    ]


def _quiet(right: RunsInstance, wrong: FewRuns) -> RunsInstance:
    """Wrong noise at the E and delta of the right one."""
    return replace(right, lines=wrong.lines, delta0=Fraction(1, 6), delta=Fraction(1, 6))


def _wrong_sizes() -> list[Row]:
    common, loose, rare = mock_boosting(COMMON), _of_points(), mock_boosting(RARE, "1e-12")
    run = loose.sizes.run
    more = run._replace(blocks=BASE_2_BLOCKS)
    return [
        (
            "logarithms to base 2",
            "more runs than 128 log(4/beta), of more blocks than 321 log(4/delta)/epsilon",
            "parameters",
            _resized(loose, runs=BASE_2_RUNS, run=more, records=BASE_2_RUNS * BASE_2_BLOCKS),
        ),
        (
            "delta divided among the runs",
            "log(32/delta0) then grows with T; in parallel nothing is to be divided",
            "parameters",
            _resized(loose, delta0=loose.delta / loose.sizes.runs),
        ),
        ("delta0 = 1/32 for every delta", "it is above delta", "parameters", _resized(common, delta0=Fraction(1, 32))),
        ("logarithms to base 10", "167 runs in place of 384", "parameters", _resized(rare, runs=167)),
        (
            "eta = beta0/64 for any length",
            "a sample of m records needs eta divided by m",
            "parameters",
            _resized(_of_three(), run=_of_three().sizes.run._replace(eta=Fraction(1, 512))),
        ),
        (
            "n doubled",
            "half of the records are not used",
            "parameters",
            _resized(loose, records=2 * loose.sizes.records),
        ),
    ]


def _of_points() -> BoostedInstance:
    """Two point laws, where the bounds of the sizes are tightest."""
    return Boosting("point laws", POINTS[:2], first_record(), LOOSE, "1e-30").instance()


def _of_three() -> BoostedInstance:
    """Two Bernoulli laws, of which samples of three records are learnt from."""
    return Boosting("two Bernoulli laws", BERNOULLIS, LIKELIEST, COMMON, "1e-30").instance()


def _resized(right: BoostedInstance, **changed: Any) -> BoostedInstance:
    return replace(right, sizes=right.sizes._replace(**changed))


def _wrong_chances() -> list[Row]:
    common, rare, fair = mock_boosting(COMMON), mock_boosting(RARE, "1e-12"), _of_three()
    worst, often = fair.worst_delta, Constant(Law({FAIR: "3/4", FAR: "1/4"}))
    assert isinstance(worst, WorstOverCounts), "all count vectors are audited"
    curve = HalfTheNoise(worst.mode.curve.epsilon, worst.mode.curve.claimed)
    return [
        (
            "a quarter of the runs in the tail",
            "Pr[Bin(T, 1/8) >= T/4] is far larger than exp(-9T/32)",
            "S3 Hoeffding",
            replace(rare, bad=Fraction(1, 4)),
        ),
        (
            "a mode with noise of half the scale",
            "the release probability changes by more than e^epsilon from one distance to the next",
            "S1 one run",
            replace(fair, worst_delta=replace(worst, mode=StabilityBasedMode(curve))),
        ),
        (
            "runs that fail with probability 1/4",
            "they were to fail with probability at most 1/8",
            "S2",
            replace(common, estimate=often),
        ),
        (
            "one run in place of all",
            "it fails more often than half of the runs do together",
            "S6 event",
            replace(common, answer=common.estimate),
        ),
        (
            "one run in place of all, for a small beta",
            "it fails with probability 1/8",
            "S6 event",
            replace(rare, answer=rare.estimate),
        ),
    ]


# -- what follows --


@controls_of("thm-1.3")
def _wrong_main() -> Iterator[Control]:
    loose, rare = main_of(_of_points()), main_of(mock_boosting(RARE, "1e-12"))
    worst = rare.worst_delta
    assert isinstance(worst, WorstOverCounts), "all count vectors are audited"
    curve = NoNoise(worst.mode.curve.epsilon, worst.mode.curve.claimed)
    rows: list[Row] = [
        (
            "a mode without noise",
            "a majority that is just large enough is always released, and one smaller never",
            "privacy",
            replace(rare, worst_delta=replace(worst, mode=StabilityBasedMode(curve))),
        ),
        (
            "one run in place of all",
            "it fails with probability 1/8",
            "failure",
            replace(rare, answer=mock_boosting(RARE).estimate),
        ),
        (
            "logarithms to base 2",
            "T and k are both too large by a factor of 1.44",
            "conclusion",
            replace(loose, records=BASE_2_RUNS * BASE_2_BLOCKS),
        ),
        (
            "n doubled",
            "half of the records are not used",
            "conclusion",
            replace(loose, records=2 * loose.records),
        ),
    ]
    return controls_in("thm-1.3", rows)
