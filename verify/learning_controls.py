"""Controls of learning: failures misread, sample sizes taken at the wrong place, and learners that see the data again.

One thing is wrong in each; the rest is an instance on which the item holds.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.reference.learners import empirical, first_record, random_record
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sample_complexity import failure_probability
from exactdp.spec.learning import BlackBoxInstance, BlackBoxSizes
from exactdp.spec.number import Number
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.standard_laws import point
from exactdp.verify.boosting_families import Constant
from exactdp.verify.controls import Control, controls_of
from exactdp.verify.coupling_controls import Row, controls_in
from exactdp.verify.learning_families import (
    LIKELIEST,
    LOW,
    MODE,
    SOMETIMES_FIRST,
    AnsweredOver,
    Asked,
    CountNeighbours,
    LearnerProgram,
    Reduction,
    SampledOver,
    SizeOf,
    reduction,
    sizes_of,
    taught,
    written_out,
)
from exactdp.verify.sampler_families import BERNOULLIS, FAIR, POINTS
from exactdp.verify.sampler_settings import Setting
from exactdp.verify.wrong_learners import (
    AlwaysAnswers,
    Confidence,
    DataSeenAgain,
    FirstRecordAlone,
    FirstSuccess,
    Offset,
    OneSeed,
    SampleAndData,
    farther_than_alpha,
    padded,
    records_as_sample,
    resampled,
    seeded_by_the_sample,
)
from exactdp.verify.wrong_samplers import HalfTheNoise, LowThreshold

# -- the definition --


@controls_of("def-1.2")
def _wrong_learning() -> Iterator[Control]:
    right = taught("two Bernoulli laws", BERNOULLIS, LIKELIEST, "1/4", "1/40")
    apart = replace(taught("two Bernoulli laws", BERNOULLIS, LIKELIEST, "9/10", "1/40"), least=False)
    size, loose = SizeOf(LIKELIEST, BERNOULLIS), taught("two Bernoulli laws", BERNOULLIS, LIKELIEST, "1/4", "1/16")
    coins = taught("two Bernoulli laws", BERNOULLIS, SOMETIMES_FIRST, "1/4", "1/20", horizon=6, written=4)
    easier = ((Fraction(1, 4), Fraction(39, 40)),)
    rows: list[Row] = [
        (
            "a failure is more than alpha",
            "the two laws are exactly alpha apart, and taking one for the other counts as a success",
            "success is strict",
            replace(apart, failure=farther_than_alpha),
        ),
        (
            "the first number of records that is enough",
            "one record is enough, and with two a tie is taken for the first law",
            "conclusion",
            replace(loose, complexity=FirstSuccess(_worst_of_likeliest)),
        ),
        ("one record too few", "m is 3 and 2 are taken", "conclusion", replace(right, complexity=Offset(size, -1))),
        ("one record too many", "m is 3 and 4 are taken", "m is the least", replace(right, complexity=Offset(size, 1))),
        (
            "beta read as the probability of success",
            "m then grows as less is asked for",
            "m falls",
            replace(right, beta=Fraction(9, 10), weaker=easier, complexity=Confidence(size)),
        ),
        (
            "one value of the coins alone",
            "the learner's coins are part of the probability",
            "samples and coins",
            replace(coins, answer=OneSeed(SOMETIMES_FIRST), least=False),
        ),
    ]
    return controls_in("def-1.2", rows)


def _worst_of_likeliest(alpha: Number, n: int) -> Number:
    return max(failure_probability(LIKELIEST, p, n, alpha) for p in BERNOULLIS)


# -- the algorithm --


@controls_of("alg-3")
def _wrong_programs() -> Iterator[Control]:
    setting, coins = Setting(first_record(), 2, 1, MODE, 2), random_record(2)
    right = written_out(setting, coins, (0, 0))
    pairs = Setting(first_record(), 2, 2, MODE)
    rows: list[Row] = [
        (
            "a record in place of the sample",
            "nothing private is drawn: the first record is learnt from",
            "line 1",
            replace(right, lines=replace(right.lines, together=records_as_sample)),
        ),
        (
            "a seed that depends on the sample",
            "V is to be independent of Z",
            "line 2",
            replace(right, lines=replace(right.lines, together=seeded_by_the_sample)),
        ),
        (
            "the data given to the last learner again",
            "the answer is then no function of the sample",
            "lines 2 and 3",
            replace(right, program=SampleAndData(right.lines)),
        ),
        (
            "an answer where Sampler declines",
            "a fixed law is passed off as learnt",
            "lines 2 and 3",
            replace(right, program=AlwaysAnswers(LearnerProgram(setting, coins), FAIR)),
        ),
        (
            "blocks drawn with replacement",
            "the law from the histogram treats blocks as independent",
            "from the histogram",
            replace(written_out(pairs, empirical(), (0, 0, 0, 1)), counted=resampled(pairs, empirical())),
        ),
        (
            "fewer records made up to b k",
            "the first record is repeated",
            "fewer records",
            replace(written_out(setting, coins, (0,)), program=padded(setting, coins)),
        ),
    ]
    return controls_in("alg-3", rows)


# -- the theorem --

ASKED = Asked("1/4", "1/10", "ln(2)", "2/5")
"""delta is above beta/4 here, and a sample of three records is learnt from."""
LOOSE = Asked("1/4", "1/10", "99/100", "99/100")
WHERE = 2
"""Controls look at privacy where the two laws are almost as often learnt."""


def _bernoullis(asked: Asked = ASKED) -> Reduction:
    return reduction("two Bernoulli laws", BERNOULLIS, LIKELIEST, asked, WHERE)


def _changed(right: Reduction, **changed: Any) -> BlackBoxInstance:
    """The instance with some of its sizes changed."""
    return right.instance(sizes_of(right.parameters)._replace(**changed))


def _with_mode(right: Reduction, curve: NoisyThreshold) -> BlackBoxInstance:
    return right.instance(mode=StabilityBasedMode(curve))


def _sampled_by(right: BlackBoxInstance, sizes: BlackBoxSizes) -> BlackBoxInstance:
    """The right sizes, and a Sampler of others."""
    mode = _mode_of(right)
    sampled = SampledOver(right.learnt, sizes.blocks, mode, sizes.length)
    return replace(right, samples=sampled, answer=AnsweredOver(sampled, right.final))


def _mode_of(right: BlackBoxInstance) -> StabilityBasedMode:
    assert isinstance(right.neighbours, CountNeighbours), "privacy is looked at by count vectors"
    return right.neighbours.mode


@controls_of("thm-5.1")
def _wrong_reductions() -> Iterator[Control]:
    base, loose = _bernoullis(), _bernoullis(LOOSE)
    right, sizes = base.instance(), sizes_of(base.parameters)
    points = reduction("point laws", POINTS[:2], first_record(), LOW, WHERE)
    seen = points.instance()
    beta = Fraction(ASKED.beta)
    rows: list[Row] = [
        (
            "l = m(alpha, beta) in place of m(alpha, beta/4)",
            "one record is enough for beta, and fails too often for beta/4",
            "parameters",
            _changed(base, length=1, eta=beta / 64),
        ),
        (
            "eta that does not depend on the length",
            "three records disagree three times as often",
            "parameters",
            _changed(base, eta=beta / 64),
        ),
        ("b = m(alpha, beta/4) / 3", "a block is to be close to eta", "parameters", _changed(base, block_size=1)),
        (
            "delta0 = delta, which is above beta/4",
            "the mode may fail more often than beta/4",
            "parameters",
            _changed(base, delta0=Fraction(ASKED.delta)),
        ),
        (
            "logarithms to base 10",
            "206 blocks in place of 473",
            "parameters",
            _changed(base, blocks=206),
        ),
        (
            "logarithms to base 2",
            "more blocks than 129 log(4/(beta delta))/epsilon",
            "parameters",
            _changed(loose, blocks=682),
        ),
        ("the ceiling left out", "one block too few", "parameters", _changed(base, blocks=sizes.blocks - 1)),
        (
            "noise of half the scale",
            "the release probability changes by more than e^epsilon from one distance to the next",
            "S1 Sampler",
            _with_mode(replace(points, within=20), HalfTheNoise(LOW.epsilon, LOW.delta)),
        ),
        (
            "the mode set to delta in place of delta0",
            "delta0 is beta/4, and delta is above it",
            "S1 mode",
            _with_mode(base, NoisyThreshold(ASKED.epsilon, ASKED.delta)),
        ),
        (
            "the threshold one too low",
            "a majority of one is released more often than delta0",
            "S1 mode",
            _with_mode(base, LowThreshold(ASKED.epsilon, str(sizes.delta0))),
        ),
        (
            "the data given to the last learner again",
            "what it says is then no function of the private sample",
            "S1 post-processing",
            replace(seen, neighbours=DataSeenAgain(_pairs(seen))),
        ),
        ("three blocks", "the mode hardly ever answers", "S2", _sampled_by(right, sizes._replace(blocks=3))),
        (
            "samples of the wrong length",
            "one record is drawn where three are learnt from",
            "S2",
            _sampled_by(right, sizes._replace(length=1)),
        ),
        (
            "a last learner that looks at the first record alone",
            "it was to fail with probability at most beta/4 on three",
            "S3",
            replace(right, final=FirstRecordAlone(LIKELIEST)),
        ),
        (
            "an answer that is not learnt as it was tested",
            "L was tested on three records, and is given the first",
            "S4",
            replace(right, answer=AnsweredOver(right.samples, FirstRecordAlone(LIKELIEST))),
        ),
    ]
    return controls_in("thm-5.1", rows)


def _pairs(right: BlackBoxInstance) -> CountNeighbours:
    assert isinstance(right.neighbours, CountNeighbours), "privacy is looked at by count vectors"
    return right.neighbours


@controls_of("conj-1.1")
def _wrong_conjectures() -> Iterator[Control]:
    base = _bernoullis(LOW)
    right, seen = base.instance(), reduction("point laws", POINTS[:2], first_record(), LOW, WHERE).instance()
    rows: list[Row] = [
        (
            "the data given to the last learner again",
            "it learns, and is not private",
            "privacy",
            replace(seen, neighbours=DataSeenAgain(_pairs(seen))),
        ),
        (
            "the first law of the class, whatever the data",
            "it is private, and does not learn",
            "conclusion",
            replace(right, answer=Constant(point(BERNOULLIS[0]))),
        ),
        (
            "a learner of another class",
            "a fair coin is never learnt by one that looks for two biased ones",
            "learnable",
            replace(right, laws=(FAIR,)),
        ),
        (
            "three blocks",
            "Sampler hardly ever answers",
            "conclusion",
            _sampled_by(right, right.sizes._replace(blocks=3)),
        ),
    ]
    return controls_in("conj-1.1", rows)
