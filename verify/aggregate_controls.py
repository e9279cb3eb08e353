"""Controls of Aggregate: wrong draws, wrong modes, missing hypotheses and wrong constants, all refuted.

Each of them changes one thing on an instance on which it shows.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.aggregate import AggregateInstance, Laws, Mode, NeighboursInstance
from exactdp.spec.aggregate_utility import GuaranteeInstance, UtilityInstance
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease
from exactdp.spec.standard_laws import point
from exactdp.verify.aggregate_families import (
    REFERENCE,
    ProgramTrace,
    guarantee_instance,
    half_and_half,
    utility_instance,
)
from exactdp.verify.controls import Control, controls_of
from exactdp.verify.coupling_controls import BENT, EVEN, Row, controls_in
from exactdp.verify.families import law_of_counts
from exactdp.verify.wrong_aggregates import (
    DistinctTuple,
    EachLawOnce,
    WrongMode,
    WrongTrace,
    answer_by_the_draws_coin,
    averaged_with_all,
    close_for_one_record,
    coin_of_the_draw,
    coupled_records,
    every_epsilon,
    far_too_high,
    first_value,
    four_times_as_close,
    half_as_many_blocks,
    half_the_scale,
    independent_records,
    length_forgotten,
    no_noise,
    noise_on_the_gap,
    off_by_share_of_all,
    one_draw_if_all_equal,
    one_record_repeated,
    one_too_low,
    product_of_both,
    runner_up,
    share_not_subtracted,
    ten_times_as_far,
    whole_delta,
    without_positive_gap,
)
from exactdp.verify.wrong_couplings import chained, everyone_positive, independent, redrawn_after_the_first

MODE = StabilityBasedMode(REFERENCE)
SIXTH = NoisyThreshold("ln(2)", "1/6")
"""Threshold s = 3, r_1 = 1/6."""
TWICE: Laws = (EVEN[0], EVEN[1], EVEN[0])
POINTS: Laws = (point(0), point(1), point(2))

AT_HUNDREDTH = ("1/2", "1/100", "1/2")
"""epsilon, delta and beta with delta_0 = delta."""
AT_HALF = ("1/2", "1/2", "1/2")
"""epsilon, delta and beta with delta_0 = beta/4."""


# -- the algorithm --


@controls_of("alg-1")
def _wrong_programs() -> Iterator[Control]:
    sharp = WrongMode(REFERENCE, no_noise)

    def of(name: str, trace: WrongTrace, length: int = 1) -> Instance:
        return AggregateInstance(name, TWICE, length, MODE, trace)

    rows: list[Row] = [
        (
            "independent draws",
            "equal laws draw different values, so there is seldom a mode",
            "line 1",
            of("three laws, each alone", WrongTrace(independent_records, MODE)),
        ),
        (
            "one record written down twice",
            "a sequence of l records is not l copies of one",
            "line 1 records",
            of("three laws, one record for two", WrongTrace(one_record_repeated, MODE), 2),
        ),
        (
            "the draw's own coin for the mode",
            "the coin that releases the mode is known once the values are: it is not fresh",
            "line 2",
            of("three laws, the coin of the last", WrongTrace(coupled_records, coin_of_the_draw)),
        ),
        (
            "a mode without noise",
            "every unique mode is released",
            "line 2",
            of("three laws, no noise", WrongTrace(coupled_records, sharp)),
        ),
        (
            "counts of the distinct laws lost",
            "the law from counts needs them: a law that occurs twice counts twice",
            "other forms",
            AggregateInstance("three laws, counted once", TWICE, 1, MODE, ProgramTrace(MODE), (DistinctTuple(MODE),)),
        ),
    ]
    return controls_in("alg-1", rows)


# -- privacy --


def _moved(
    name: str, before: Laws, after: Laws, mode: Mode = MODE, curve: NoisyThreshold = REFERENCE
) -> NeighboursInstance:
    return NeighboursInstance(name, before, after, 1, mode, curve.factor, curve.delta)


def _points(name: str, mode: Mode, curve: NoisyThreshold = SIXTH, k: int = 4) -> NeighboursInstance:
    """Point masses, one of k moved; three different records occur, so that no parity hides anything."""
    return _moved(name, (*(point(0),) * (k - 1), point(1)), (*(point(0),) * (k - 1), point(2)), mode, curve)


@controls_of("prop-B.1")
def _wrong_neighbours() -> Iterator[Control]:
    slow = OptimalRelease("ln(2)", "1/100")
    u, v = law_of_counts((1, 1)), law_of_counts((3, 1))
    separate = NeighboursInstance(
        "four fair coins, one moved, drawn together while all are equal", (u,) * 4, (u, u, u, v), 1,
        StabilityBasedMode(slow), slow.factor, slow.delta, one_draw_if_all_equal,
    )  # fmt: skip
    moved = _moved("two fair coins and one that moves", (u, u, u), (u, u, v))
    after = (point(0), point(0), point(0), point(1))
    rows: list[Row] = [
        (
            "independent draws for the two tuples",
            "coordinates whose law did not change draw anew, so the values are no neighbours",
            "S2 elsewhere",
            replace(moved, name="two fair coins, each alone", couple=independent),
        ),
        (
            "maximal couplings in a row",
            "the second tuple is drawn after the first, and equal laws drift apart",
            "S2 elsewhere",
            _with_coupling("three laws in a row", (BENT[0], BENT[1]), (BENT[2], BENT[1])),
        ),
        (
            "a coupling that depends on the tuple",
            "one changed law separates all others, so that the mode is lost at once",
            "S2 before",
            separate,
        ),
        (
            "a process drawn anew for the third coordinate",
            "in one draw for both tuples other laws come third than in the draw for one",
            "S2 after",
            replace(moved, name="two fair coins, the third alone", couple=redrawn_after_the_first),
        ),
        (
            "laws averaged with the tuple",
            "one changed law changes all that are coupled",
            "S1",
            replace(moved, name="three laws, averaged", powers=averaged_with_all),
        ),
        (
            "the draw's own coin for the mode",
            "whether the mode is released depends on one value alone",
            "S4",
            replace(_moved("the last point of four moves", (point(0),) * 4, after), answer=answer_by_the_draws_coin),
        ),
        *_wrong_modes(),
    ]
    return controls_in("prop-B.1", rows)


def _with_coupling(name: str, before: Laws, after: Laws) -> Instance:
    return replace(_moved(name, before, after), couple=chained)


def _wrong_modes() -> Iterator[Row]:
    for name, why, mode in (
        ("a mode without noise", "one changed value makes the answer certain", WrongMode(SIXTH, no_noise)),
        ("noise of half the scale", "a step of D costs 2 epsilon", WrongMode(SIXTH, half_the_scale)),
        ("the threshold one too low", "a mode at distance 1 is released too often", WrongMode(SIXTH, one_too_low)),
        ("noise on the gap", "one changed value moves the gap by 2", WrongMode(SIXTH, noise_on_the_gap)),
        ("z_1 in place of the failure symbol", "it tells the first value", WrongMode(SIXTH, fallback=first_value)),
        ("the runner-up in place of the failure symbol", "it tells a value", WrongMode(SIXTH, fallback=runner_up)),
    ):
        yield name, why, "mode", _points(f"points, {name}", mode)


# -- utility --


def _coins(name: str, length: int = 1) -> UtilityInstance:
    """Five fair coins in eight, and three that are at distance 1/10."""
    fair, bent = law_of_counts((1, 1)), law_of_counts((3, 2))
    return replace(
        utility_instance(name, fair, {fair: 22, bent: 2}, SIXTH, eta=Fraction(1, 10), length=length), forms=()
    )


def _few_of_all() -> UtilityInstance:
    """Five laws p, two that move a mass, and one at the new point: the two and the one can agree."""
    target, moved = Law({0: "9/10", 1: "1/10"}), Law({0: "9/10", 2: "1/10"})
    counted = {target: 5, moved: 2, point(2): 1}
    name, eta = "five, two and one of eight", Fraction(1, 10)
    return utility_instance(name, target, counted, SIXTH, eta=eta, share=Fraction(1, 4))


def _no_gap() -> UtilityInstance:
    """Two halves with c = 1/2: 2(1 - c)|J| - k = 0, so that a tie is allowed."""
    target, counted = half_and_half(4, Fraction(1, 8))
    return utility_instance("two halves, c = 1/2", target, counted, SIXTH, eta=Fraction(1, 8), share=Fraction(1, 2))


@controls_of("prop-B.2")
def _wrong_utility() -> Iterator[Control]:
    fair, bent = law_of_counts((1, 1)), law_of_counts((7, 3))
    small = utility_instance("three equal coins", fair, {fair: 3}, SIXTH, eta=Fraction(0))
    far = utility_instance(
        "one law at 1/5", fair, {fair: 20, bent: 4}, SIXTH, eta=Fraction(1, 20), share=Fraction(1, 3)
    )
    row = utility_instance("coins", fair, {fair: 22, point(0): 1, bent: 1}, SIXTH, eta=Fraction(1, 5))
    mixed = utility_instance("fair coins among bent ones", bent, {bent: 22, fair: 2}, SIXTH, eta=Fraction(0))
    no_gap, few = _no_gap(), _few_of_all()
    rows: list[Row] = [
        (
            "independent draws",
            "laws equal to p differ from the ghost half of the time",
            "S1 coupled",
            replace(small, name="three equal coins, each alone", couple=independent),
        ),
        (
            "maximal couplings in a row",
            "only the last law is coupled to the ghost as it should be",
            "S1 coupled",
            replace(row, name="coins in a row, one of them certain", couple=chained),
        ),
        (
            "all who charge the outcome take it",
            "every law draws the same, but the ghost is no draw from p",
            "S6",
            replace(mixed, name="fair coins among bent ones, all positive", couple=everyone_positive),
        ),
        (
            "the length forgotten: 2 eta/c",
            "two records differ more often than one",
            "S1 records",
            replace(_coins("coins, two records as one", 2), lengthwise=length_forgotten),
        ),
        (
            "J counted with a too large eta",
            "laws at distance 1/5 are called close at 1/20",
            "S1 close",
            replace(far, name="one law at 1/5, called close", close=ten_times_as_far),
        ),
        (
            "few of k in place of few of J",
            "c k laws of J may disagree, so fewer than (1 - c)|J| agree",
            "S4 majority",
            replace(few, name="five, two and one of eight, two allowed", off=off_by_share_of_all),
        ),
        (
            "tau = 0",
            "c = 1/2: half of the laws may disagree, and then the mode is not unique",
            "S4 half",
            replace(no_gap, meets=without_positive_gap),
        ),
        (
            "2|J| - k >= tau",
            "as if no law of J could disagree: the gap may be smaller than tau",
            "S4 tau",
            replace(few, name="five, two and one of eight, tau = 6", tau=Fraction(6), meets=share_not_subtracted),
        ),
        (
            "counts lost",
            "the law of the answer depends on how often each law occurs",
            "other forms",
            replace(few, name="five, two and one of eight, counted once", forms=(EachLawOnce(few.mode),)),
        ),
    ]
    return controls_in("prop-B.2", rows)


# -- constants --


def _constants() -> Iterator[Row]:
    """The wrong constants, modes and draws of Corollary B.4; Theorem 4.1 is held to them too."""
    curve = NoisyThreshold("1/2", "1/100")
    at = guarantee_instance(AT_HUNDREDTH, 1)
    far = guarantee_instance(AT_HUNDREDTH, 1, eta=Fraction(10, 128))
    modes: list[tuple[str, str, str, Mode]] = [
        (
            "a mode without noise",
            "where two values are almost tied it tells which is ahead",
            "S1",
            WrongMode(curve, no_noise),
        ),
        ("noise of half the scale", "a step of D costs 2 epsilon", "S1", WrongMode(curve, half_the_scale)),
        ("the threshold one too low", "r_1 exceeds delta", "S1", WrongMode(curve, one_too_low)),
        ("noise on the gap", "one changed value moves the gap by 2", "S1", WrongMode(curve, noise_on_the_gap)),
        (
            "the runner-up in place of the failure symbol",
            "it tells a value",
            "S1",
            WrongMode(curve, fallback=runner_up),
        ),
        ("a threshold far too high", "a gap of 17k/32 is not enough", "S3 mode", WrongMode(curve, far_too_high)),
    ]
    for name, why, refuted_at, mode in modes:
        yield name, why, refuted_at, replace(at, name=f"k = 107, {name}", mode=mode, forms=())
    yield from _wrong_parameters(at)
    yield (
        "independent draws",
        "two close laws that are drawn alone often differ, and then there is no clear mode",
        "conclusion",
        replace(guarantee_instance(AT_HUNDREDTH, 2), name="k = 107, each law alone", couple=independent, forms=()),
    )
    yield (
        "J counted with a too large eta",
        "two halves at distance 10 eta tie too often",
        "conclusion",
        replace(far, name="k = 107, laws at 10 eta", close=ten_times_as_far),
    )
    yield (
        "counts lost",
        "the law of the answer depends on how often each law occurs",
        "other forms",
        replace(at, name="k = 107, counted once", forms=(EachLawOnce(at.mode),)),
    )


def _wrong_parameters(at: GuaranteeInstance) -> Iterator[Row]:
    yield "c = 1/2", "half of J may disagree", "S2 gap", replace(at, name="k = 107, c = 1/2", share=Fraction(1, 2))
    fewer = guarantee_instance(AT_HUNDREDTH, 1, k=54, enough=half_as_many_blocks, name="k = 54")
    yield "half as many laws", "the gap that is left is too small for the mode", "S3 logs", fewer
    both = guarantee_instance(AT_HUNDREDTH, 1, inner=product_of_both, name="k = 107, delta_0 = delta beta/4")
    yield "delta_0 = delta beta/4", "the needed gap is no longer strictly smaller", "S3 strict", both
    wide = guarantee_instance(
        AT_HUNDREDTH, 1, eta=four_times_as_close(Fraction(1, 2), 1), closeness=four_times_as_close, name="eta = beta/16"
    )
    yield "eta = beta/(16 l)", "2l eta/c is beta", "S4", wide
    single = guarantee_instance(
        AT_HUNDREDTH, 3, eta=close_for_one_record(Fraction(1, 2), 3), closeness=close_for_one_record,
        name="3 records, eta = beta/64",
    )  # fmt: skip
    yield "the length forgotten: eta = beta/64", "three records differ three times as often", "S4", single
    whole = guarantee_instance(AT_HALF, 1, inner=whole_delta, name="delta_0 = delta = 1/2")
    yield "delta_0 = delta", "the mode alone may fail with probability above beta/2", "S5", whole


@controls_of("cor-B.4")
def _wrong_constants() -> Iterator[Control]:
    return controls_in("cor-B.4", list(_constants()))


@controls_of("thm-4.1")
def _wrong_informal() -> Iterator[Control]:
    """The literal range of epsilon: k = 1 at epsilon = 32 ln(2), beta = delta = 1/2, on 2^40 records."""
    epsilon, half, lone = Epsilon("ln(4294967296)"), Fraction(1, 2), point("x")
    mode = StabilityBasedMode(NoisyThreshold(epsilon, Fraction(1, 8)))
    literal = GuaranteeInstance(
        "epsilon = 32 ln(2), k = 1, 2^40 records", str(epsilon), half, half, 1, lone, (lone,), (1,), mode,
        within=every_epsilon, universe=2**40,
    )  # fmt: skip
    row: Row = (
        "every epsilon > 0",
        "k = 1 meets the condition, but no private mechanism returns its only input on so many records",
        "packing",
        literal,
    )
    return controls_in("thm-4.1", [row, *_constants()])
