"""The theorems' parameters: certified ceilings, each number beside its formula in mpmath, what m is asked, refusals."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.reference.learners import empirical, first_record
from exactdp.reference.parameters import (
    Parameters,
    SampleComplexity,
    agnostic_parameters,
    black_box_parameters,
    boosted_parameters,
    sampler_parameters,
)
from exactdp.reference.private_learner import black_box_private_learner
from exactdp.reference.sampling import Sampling
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.sampler_utility import sampler_parameters as stated_parameters
from exactdp.spec.thresholds import least_integer_at_least_log

UNIT = st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(999, 1000), max_denominator=10**6)
EPSILONS = ["1/2", "ln(2)", "1/1000", "ln(3/2)", "0.999"]


def real(number: Any) -> Any:
    return mpmath.mpf(number.numerator) / number.denominator


def logarithm(number: Any) -> Any:
    return mpmath.log(real(number))


def ceiling(value: Any) -> int:
    """The ceiling of a number that mpmath knows to 60 digits, and that is not an integer."""
    assert abs(value - mpmath.nint(value)) > mpmath.mpf(10) ** -40
    least: Any = mpmath.ceil(value)
    return int(least)


@pytest.fixture(autouse=True)
def sixty_digits() -> Any:
    with mpmath.workdps(60):
        yield


def always_one(alpha: Number, beta: Number) -> int:
    return 1


# -- ceilings ---------------------------------------------------------------------------------------------------------


@given(
    st.fractions(min_value=Fraction(11, 10), max_value=10**9),
    st.fractions(min_value=Fraction(1, 9), max_value=300, max_denominator=9),
    st.sampled_from(EPSILONS),
)
def test_the_certified_ceiling_is_the_least_integer_that_satisfies_the_inequality(
    number: Fraction, factor: Fraction, rate: str
) -> None:
    n, per = least_integer_at_least_log(number, factor, rate), Epsilon(rate)
    bound = number**factor.numerator
    assert exp(per * (n * factor.denominator)) >= bound
    assert exp(per * ((n - 1) * factor.denominator)) < bound


@given(st.integers(2, 10**6), st.sampled_from([1, 8, 16, 128]))
def test_the_certified_ceiling_is_that_of_a_high_precision_library(number: int, factor: int) -> None:
    assert least_integer_at_least_log(number, factor) == ceiling(factor * mpmath.log(number))


@pytest.mark.parametrize(
    ("number", "factor", "rate", "expected"),
    [
        (8, 1, "ln(2)", 3),
        (Fraction(729, 64), 2, "ln(3/2)", 12),
        (Fraction(10**30 + 1, 10**30) * 8, 1, "ln(2)", 4),
        (Fraction(10**30 - 1, 10**30) * 8, 1, "ln(2)", 3),
        (27, Fraction(1, 3), "ln(3)", 1),
        (exp(1), 128, 1, 128),
        (exp(-3) ** -1, 1, "1/7", 21),
        (exp(3) + Fraction(1, 10**40), 1, 1, 4),
        (1, 128, "1/2", 0),
    ],
)
def test_a_logarithm_that_is_an_integer_is_its_own_ceiling(
    number: Number | int, factor: Fraction, rate: str, expected: int
) -> None:
    assert least_integer_at_least_log(number, factor, rate) == expected


def test_a_ceiling_of_billions_and_numbers_of_thousands_of_digits_take_no_time() -> None:
    assert least_integer_at_least_log(Fraction(10) ** 4000, 8, "ln(1.000000001)") == ceiling(
        8 * 4000 * mpmath.log(10) / mpmath.log(mpmath.mpf("1.000000001"))
    )


@pytest.mark.parametrize(
    ("number", "factor", "rate", "argument"),
    [
        ("1/2", 1, 1, "number"),
        (2, 0, 1, "factor"),
        (2, 1, 0, "epsilon"),
        (2, 1, "any", "epsilon"),
        (2.5, 1, 1, "number"),
    ],
)
def test_a_ceiling_that_makes_no_sense_is_refused(number: Any, factor: int, rate: Any, argument: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        least_integer_at_least_log(number, factor, rate)
    assert refused.value.argument == argument


# -- golden values ----------------------------------------------------------------------------------------------------


def test_the_fixtures_of_the_paper_have_their_number_of_blocks() -> None:
    assert sampler_parameters(1, "1/2", "1/2", "1/100", 5).blocks == 267
    assert sampler_parameters(1, "1/10", "ln(2)", "1e-6", 1).blocks == 473


def test_the_number_of_runs_for_one_in_twenty_is_384() -> None:
    assert boosted_parameters(always_one, "1/4", "1/20", "1/2", "1/100").runs == 384


def test_one_run_is_enough_only_for_a_failure_probability_close_to_one() -> None:
    assert boosted_parameters(always_one, "1/4", exp("-1/128"), "1/2", "1/100").runs == 1
    assert boosted_parameters(always_one, "1/4", exp("-1/127"), "1/2", "1/100").runs == 2


# -- formulas ---------------------------------------------------------------------------------------------------------


@given(UNIT, UNIT, st.sampled_from([Fraction(1, 2), Fraction(1, 50), Fraction(7, 3)]), st.integers(1, 9))
def test_the_samplers_parameters_are_those_of_corollary_b7(b: Fraction, d: Fraction, e: Fraction, length: int) -> None:
    sizes = sampler_parameters(length, b, e, d, block_size=4)
    assert sizes.eta == b / (64 * length)
    assert sizes.delta0 == min(d, b / 4)
    private, concentrated = 8 * logarithm(4 / (b * d)) / real(e), 128 * logarithm(4 / b)
    assert sizes.blocks_for_privacy == ceiling(private)
    assert sizes.blocks_for_concentration == ceiling(concentrated)
    assert sizes.blocks == max(ceiling(private), ceiling(concentrated))
    assert sizes.records == 4 * sizes.blocks
    assert sizes.distance == 3 * b / 4


@given(UNIT, UNIT, st.sampled_from(["1/2", "ln(2)", "1/100"]))
def test_the_number_of_blocks_is_within_the_derived_bound(b: Fraction, d: Fraction, epsilon: str) -> None:
    """k <= 129 ln(4/(beta delta)) / epsilon, as e^(epsilon k) <= (4/(beta delta))^129."""
    sizes = sampler_parameters(1, b, epsilon, d, 1)
    assert exp(Epsilon(epsilon) * sizes.blocks) <= (4 / (b * d)) ** 129


@given(UNIT, UNIT, UNIT)
def test_boosting_divides_as_theorem_6_1_says(a: Fraction, b: Fraction, d: Fraction) -> None:
    sizes = boosted_parameters(lambda alpha, beta: 3, a, b, "1/2", d)
    assert (sizes.alpha0, sizes.beta0, sizes.delta0) == (a / 3, Fraction(1, 8), min(d, Fraction(1, 32)))
    assert sizes.runs == ceiling(-128 * logarithm(b))
    assert sizes.run == black_box_parameters(lambda alpha, beta: 3, a / 3, "1/8", "1/2", sizes.delta0)
    assert sizes.run.delta0 == sizes.delta0
    assert sizes.records == sizes.runs * sizes.run.records == sizes.runs * 3 * sizes.run.sampler.blocks


@given(UNIT, UNIT, UNIT, st.sampled_from([Fraction(1), Fraction(3), Fraction(7, 2)]))
def test_the_agnostic_parameters_are_those_of_theorem_c2(a: Fraction, b: Fraction, d: Fraction, c: Fraction) -> None:
    sizes = agnostic_parameters(lambda alpha, beta: 7 if beta == Fraction(1, 16) else 5, c, a, b, "1/2", d)
    part = a / (c + 3)
    assert (sizes.accuracy, sizes.delta0, sizes.loss) == (part, min(d, part / 4), 8 * c**2 + 9 * c)
    assert (sizes.block_size, sizes.runs) == (7, 7 if b == Fraction(1, 16) else 5)
    private, concentrated = -32 * logarithm(sizes.delta0), 128 * logarithm(4 / part)
    assert (sizes.blocks_for_privacy, sizes.blocks_for_concentration) == (ceiling(private), ceiling(concentrated))
    assert sizes.blocks == max(sizes.blocks_for_privacy, sizes.blocks_for_concentration)
    assert sizes.records == sizes.runs * sizes.blocks * sizes.block_size
    assert (c + 1) * part + 2 * part == a


def test_privacy_asks_for_more_blocks_than_concentration_when_epsilon_is_small() -> None:
    sizes = black_box_parameters(always_one, "1/4", "1/2", "1/100", "1e-9").sampler
    assert sizes.blocks == sizes.blocks_for_privacy > sizes.blocks_for_concentration


def test_an_irrational_delta_is_welcome() -> None:
    assert sampler_parameters(1, "1/2", "1/2", exp(-10), 1).blocks_for_privacy == ceiling(16 * (mpmath.log(8) + 10))


# -- what the sample complexity is asked ------------------------------------------------------------------------------


def asked(use: Callable[[SampleComplexity], object], answer: int) -> list[tuple[Number, Number]]:
    """The arguments that a function of a sample complexity asks it for."""
    questions: list[tuple[Number, Number]] = []

    def m(alpha: Number, beta: Number) -> int:
        questions.append((alpha, beta))
        return answer

    use(m)
    return questions


def test_the_black_box_asks_for_a_sample_and_for_a_block() -> None:
    questions = asked(lambda m: black_box_parameters(m, "1/4", "1/2", "1/2", "1/100"), 6)
    assert questions == [(Fraction(1, 4), Fraction(1, 8)), (Fraction(1, 2 * 64 * 6), Fraction(1, 16))]


def test_boosting_asks_for_blocks_at_one_over_512_times_the_sample() -> None:
    questions = asked(lambda m: boosted_parameters(m, "1/4", "1/20", "1/2", "1/100"), 6)
    assert questions == [(Fraction(1, 12), Fraction(1, 32)), (Fraction(1, 512 * 6), Fraction(1, 16))]


def test_the_agnostic_learner_asks_for_a_block_and_for_the_runs() -> None:
    questions = asked(lambda m: agnostic_parameters(m, 3, "1/2", "1/10", "1/2", "1/100"), 2)
    assert questions == [(Fraction(1, 192), Fraction(1, 16)), (Fraction(1, 6), Fraction(1, 10))]


def test_a_sample_complexity_of_0_is_read_as_1() -> None:
    sizes = black_box_parameters(lambda alpha, beta: 0, "1/4", "1/2", "1/2", "1/100")
    assert (sizes.sampler.length, sizes.sampler.block_size) == (1, 1)


# -- arguments of the programs ----------------------------------------------------------------------------------------


def test_the_arguments_run_the_algorithm_at_the_theorems_size() -> None:
    sizes = black_box_parameters(lambda alpha, beta: 2, "1/4", "1/2", "1/2", "1/100")
    program = black_box_private_learner
    arguments = sizes.arguments("optimal release", default=("z", "z"))
    short = ["a"] * (sizes.records - 1)
    learners: dict[str, Any] = {"learner": first_record(), "final": empirical()}
    assert program([*short, "a"], Sampling.seeded(1), **learners, **arguments) == Law({"a": 1})
    assert program(short, Sampling.seeded(1), **learners, **arguments) == Law({"z": 1})


@pytest.mark.parametrize(
    ("sizes", "delta0"),
    [
        (sampler_parameters(1, "1/50", "ln(2)", "1/10", 1), Fraction(1, 200)),
        (black_box_parameters(always_one, "1/4", "1/50", "ln(2)", "1/10"), Fraction(1, 200)),
        (boosted_parameters(always_one, "1/4", "1/50", "ln(2)", "1/10"), Fraction(1, 32)),
        (agnostic_parameters(always_one, 3, "1/4", "1/50", "ln(2)", "1/10"), Fraction(1, 96)),
        (boosted_parameters(always_one, "1/4", "1/50", "ln(2)", "1/100"), Fraction(1, 100)),
    ],
)
def test_the_mode_runs_at_epsilon_and_delta_0(sizes: Parameters, delta0: Fraction) -> None:
    curve = sizes.arguments()["mode"].curve
    assert (curve.claimed, str(curve.epsilon)) == (delta0, "ln(2)")
    assert curve.delta <= delta0 <= sizes.delta


# -- refusals ---------------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"alpha": "1/4", "beta": "1/2", "epsilon": "1/2", "delta": "1/100"}
THEOREMS: list[Callable[..., object]] = [
    lambda **given: black_box_parameters(always_one, **given),
    lambda **given: boosted_parameters(always_one, **given),
    lambda **given: agnostic_parameters(always_one, 3, **given),
]


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("value", [0, 1, "-1/2", "3/2", 0.5, True, "half"])
@pytest.mark.parametrize("argument", ["alpha", "beta", "epsilon", "delta"])
def test_a_parameter_outside_0_to_1_is_refused_by_name(
    theorem: Callable[..., object], argument: str, value: object
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        theorem(**{**GOOD, argument: value})
    assert refused.value.argument == argument


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("epsilon", ["ln(3)", "any", "ln(2.7182818285)"])
def test_the_theorems_on_learners_are_for_epsilon_below_1(theorem: Callable[..., object], epsilon: str) -> None:
    with pytest.raises(InvalidArgument, match=r"epsilon: .*0 < epsilon < 1"):
        theorem(**{**GOOD, "epsilon": epsilon})


def test_an_epsilon_just_below_1_is_not_refused_and_the_sampler_takes_every_epsilon() -> None:
    THEOREMS[0](**{**GOOD, "epsilon": "ln(2.718281828)"})
    assert sampler_parameters(1, "1/2", 5, "1/100", 1).blocks_for_privacy == 11
    with pytest.raises(InvalidArgument, match="epsilon"):
        sampler_parameters(1, "1/2", "any", "1/100", 1)


@pytest.mark.parametrize("found", [2.0, -1, True, None, Fraction(3)])
def test_a_sample_complexity_that_returns_no_count_is_refused(found: Any) -> None:
    for theorem in (black_box_parameters, boosted_parameters):
        with pytest.raises(InvalidArgument, match=r"sample_complexity: .*an int of at least 0"):
            theorem(lambda alpha, beta: found, **GOOD)
    with pytest.raises(InvalidArgument, match="sample_complexity"):
        agnostic_parameters(lambda alpha, beta: found, 3, **GOOD)


def test_a_sample_complexity_that_is_no_function_is_refused() -> None:
    number: Any = 5
    with pytest.raises(InvalidArgument, match="sample_complexity"):
        black_box_parameters(number, **GOOD)


@pytest.mark.parametrize("constant", [0, "1/2", "-3", 0.5, exp(1)])
def test_an_agnostic_constant_below_1_is_refused(constant: Any) -> None:
    with pytest.raises(InvalidArgument) as refused:
        agnostic_parameters(always_one, constant, **GOOD)
    assert refused.value.argument == "constant"


@pytest.mark.parametrize("size", [0, -1, True, 1.0, "3"])
def test_sizes_that_are_no_counts_are_refused(size: Any) -> None:
    with pytest.raises(InvalidArgument, match="length"):
        sampler_parameters(size, "1/2", "1/2", "1/100", 1)
    with pytest.raises(InvalidArgument, match="block_size"):
        sampler_parameters(1, "1/2", "1/2", "1/100", size)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("beta", "delta"), [("1/2", "1/100"), ("1/10", "1e-6"), ("9/10", "99/100"), ("1/64", "1/7")])
def test_the_sizes_of_the_sampler_are_those_that_the_proposition_states(epsilon: str, beta: str, delta: str) -> None:
    """Certified logarithms against a search with exact powers: two ways to the same ceiling."""
    for length in (1, 3):
        sizes = sampler_parameters(length, beta, epsilon, delta, block_size=1)
        assert (sizes.eta, sizes.delta0, sizes.blocks) == stated_parameters(length, beta, epsilon, delta)
