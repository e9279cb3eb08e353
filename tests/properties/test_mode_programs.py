"""The stability-based mode: programs against the kernel, any hashable values, and runs against exact laws."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from exactdp.reference.draw import law_of
from exactdp.reference.mode import (
    StabilityBasedMode,
    noisy_threshold_mode,
    optimal_mode,
    randomised_threshold_mode,
    stability_based_mode,
)
from exactdp.reference.sampling import Sampling
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM, distance_of, mode_statistics
from exactdp.spec.number import Number
from exactdp.spec.privacy import change_one_pairs, delta_at
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, point

VARIANTS: list[tuple[Callable[..., Hashable], type[ReleaseCurve]]] = [
    (noisy_threshold_mode, NoisyThreshold),
    (randomised_threshold_mode, RandomisedThreshold),
    (optimal_mode, OptimalRelease),
]
PARAMETERS = [("ln(2)", "1/6"), ("1/2", "1/10"), ("3", "9/10"), ("ln(5/2)", "1/9")]
VALUES = [values for n in range(4) for values in product("abc", repeat=n)] + [
    "aabb",
    "aaab",
    "a" * 12,
    "aabbb" * 4,
    "abcabcaaaaaaa",
]


# -- programs and kernel ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("program", "curve"), VARIANTS)
@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
@pytest.mark.parametrize("default", [BOTTOM, "a", "z", None])
def test_the_enumerated_program_is_the_kernel(
    program: Callable[..., Hashable], curve: type[ReleaseCurve], epsilon: str, delta: str, default: Hashable
) -> None:
    kernel = StabilityBasedMode(curve(epsilon, delta), default)
    bound = partial(program, delta=delta, default=default)
    for values in VALUES if default in (BOTTOM, "a") else VALUES[:13]:
        assert law_of(bound, values, epsilon=epsilon) == kernel(values)
        assert stability_based_mode(
            values, epsilon=epsilon, delta=delta, variant=curve.name, default=default
        ) == kernel(values)


def test_programs_that_are_nearly_right_have_another_law() -> None:
    """Noise on the gap, ties released, noise of half the scale, and one below the threshold."""
    kernel = StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"))

    def variant(statistic: Callable[[int], int], scale: int, lower: int) -> Callable[..., object]:
        def program(values: Sequence[Hashable], draw: Callable[[Law], Any], *, epsilon: Epsilon) -> object:
            found = mode_statistics(values)
            noise = draw(discrete_laplace(Fraction(1, scale) / epsilon))
            threshold = NoisyThreshold(epsilon, "1/6").threshold - lower
            return found.mode if statistic(found.gap) + noise >= threshold else BOTTOM

        return program

    def agrees(program: Callable[..., object]) -> bool:
        untied = [values for values in VALUES if mode_statistics(values).gap]
        return all(law_of(program, values, epsilon="ln(2)") == kernel(values) for values in untied)

    assert agrees(variant(distance_of, 1, 0))
    assert not agrees(variant(lambda gap: gap, 1, 0))
    assert not agrees(variant(distance_of, 2, 0))
    assert not agrees(variant(distance_of, 1, 1))
    assert not agrees(variant(lambda gap: gap // 2 + 1, 1, 0))
    tied = law_of(variant(distance_of, 1, 0), "ab", epsilon="ln(2)")
    assert tied["a"] > 0
    assert kernel("ab") == point(BOTTOM)


# -- the values -------------------------------------------------------------------------------------------------------


def test_the_most_frequent_value_is_released_with_the_probability_of_its_distance() -> None:
    mode = StabilityBasedMode(NoisyThreshold("ln(2)", "1/12"))
    for D, released in enumerate(["1/12", "1/6", "1/3", "2/3", "5/6"], start=1):
        for gap in (2 * D - 1, 2 * D):
            assert mode("x" * (gap + 3) + "yyy" + "z") == Law({"x": released, BOTTOM: 1 - Fraction(released)})


def test_no_values_one_value_and_ties() -> None:
    mode = StabilityBasedMode(OptimalRelease("ln(2)", "1/6"))
    assert mode([]) == mode(()) == mode("ab") == mode("abcabc") == point(BOTTOM)
    assert mode(["only"]) == Law({"only": "1/6", BOTTOM: "5/6"})
    assert mode_statistics([]) == (None, 0, 0)
    assert (mode_statistics("a").gap, mode_statistics("ab").gap) == (1, 0)


ODD: list[list[Hashable]] = [
    [None, None, None, 0],
    [(), (), ((),), "", b""],
    [frozenset(), frozenset({1}), frozenset()],
    [1, 1.0, True, Fraction(1), 2],
    [("a", (1, 2)), ("a", (1, 2)), 3, None],
    [BOTTOM, BOTTOM, BOTTOM, "x"],
    [Law({0: 1}), Law({0: 1}), Law({1: 1})],
    [10**40, 10**40, -1],
]


@pytest.mark.parametrize("values", ODD, ids=repr)
def test_any_hashable_values_will_do(values: list[Hashable]) -> None:
    found = mode_statistics(values)
    counts = sorted((values.count(value) for value in set(values)), reverse=True)
    assert (found.top, found.second) == (counts[0], counts[1])
    released = OptimalRelease("ln(2)", "1/6")[distance_of(counts[0] - counts[1])]
    for program, curve in VARIANTS:
        for default in ("default", BOTTOM, values[0], None):
            law = StabilityBasedMode(curve("ln(2)", "1/6"), default)(values)
            assert law == law_of(partial(program, delta="1/6", default=default), values, epsilon="ln(2)")
            if curve is OptimalRelease:
                assert law[values[0]] == (1 if values[0] == default else released)


def test_a_default_among_the_values_keeps_privacy() -> None:
    data = list(product([BOTTOM, None, 0], repeat=4))
    for default in (BOTTOM, None, 5):
        for _, curve in VARIANTS:
            kernel = StabilityBasedMode(curve("ln(2)", "1/6"), default)
            laws = {values: kernel(values) for values in data}
            assert delta_at(laws, change_one_pairs(data), Fraction(2)).delta <= kernel.curve.delta


def test_a_default_from_the_data_does_not_keep_privacy() -> None:
    data = list(product("abc", repeat=4))
    laws = {values: StabilityBasedMode(NoisyThreshold("ln(2)", "1/6"), values[0])(values) for values in data}
    assert delta_at(laws, change_one_pairs(data), Fraction(2)).delta > Fraction(1, 6)


class Watched:
    """A value that counts how often it is hashed and compared."""

    steps = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __hash__(self) -> int:
        type(self).steps += 1
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        type(self).steps += 1
        return isinstance(other, Watched) and self.value == other.value


@pytest.mark.parametrize("different", [1, 300, 10**5])
def test_the_steps_are_linear_in_the_number_of_values(different: int) -> None:
    values = [Watched(i % different) for i in range(10**5)] + [Watched(7)] * 200
    Watched.steps = 0
    law = stability_based_mode(values, epsilon="1/2", delta="1e-6")
    assert Watched.steps <= 4 * len(values)
    assert law[BOTTOM] < Fraction(1, 1000)


@given(st.lists(st.integers(0, 3), max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_the_values_does_not_matter(values: list[int], random: Any) -> None:
    mixed = values[:]
    random.shuffle(mixed)
    mode = StabilityBasedMode(RandomisedThreshold("1/2", "1/10"))
    assert mode(values) == mode(mixed)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(0, 11), st.integers(0, 3))
def test_one_changed_value_moves_the_gap_by_two_and_the_distance_by_one(values: list[int], i: int, y: int) -> None:
    i %= len(values)
    one, other = mode_statistics(values), mode_statistics([*values[:i], y, *values[i + 1 :]])
    assert abs(one.gap - other.gap) <= 2
    assert abs(one.distance - other.distance) <= 1
    if one.gap and other.gap and one.mode != other.mode:
        assert one.gap == other.gap == 1


# -- refusals ---------------------------------------------------------------------------------------------------------

ANY: Any = {"list": [[1], [1]], "none": None, "number": 3, "default": []}
BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: stability_based_mode(ANY["list"], epsilon="1/2", delta="1/6"), "values"),
    (lambda: stability_based_mode(ANY["none"], epsilon="1/2", delta="1/6"), "values"),
    (lambda: stability_based_mode(ANY["number"], epsilon="1/2", delta="1/6"), "values"),
    (lambda: stability_based_mode("aab", epsilon="1/2", delta="1/6", default=ANY["default"]), "default"),
    (lambda: stability_based_mode("aab", epsilon="1/2", delta="1/6", variant="noisy"), "variant"),
    (lambda: stability_based_mode("aab", epsilon="1/2", delta="1/6", variant=ANY["default"]), "variant"),
    (lambda: stability_based_mode("", epsilon=0, delta="1/6"), "epsilon"),
    (lambda: stability_based_mode("", epsilon="1/2", delta=1), "delta"),
    (lambda: StabilityBasedMode(ANY["number"]), "curve"),
]


@pytest.mark.parametrize(("call", "argument"), BAD)
def test_a_mistake_is_named(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgument) as mistake:
        call()
    assert mistake.value.argument == argument


@pytest.mark.parametrize(("program", "curve"), VARIANTS)
@pytest.mark.parametrize("values", ["", "ab", "aab"])
def test_programs_refuse_parameters_out_of_range_whatever_the_values(
    program: Callable[..., Hashable], curve: type[ReleaseCurve], values: str
) -> None:
    def nothing(law: Law) -> object:
        raise AssertionError(law)

    for delta in (0, 1, "-1/2", 0.1):
        with pytest.raises(InvalidArgument, match="delta"):
            program(values, nothing, epsilon=Epsilon("1/2"), delta=delta)
    for epsilon in (0, "-1/2", 0.5):
        with pytest.raises(InvalidArgument, match="epsilon"):
            program(values, nothing, epsilon=epsilon, delta="1/6")


def test_a_mapping_is_read_as_its_keys_and_not_as_counts() -> None:
    assert mode_statistics({"a": 5, "b": 1}) == ("a", 1, 1)


# -- running ----------------------------------------------------------------------------------------------------------

RUNS = 400


@pytest.mark.parametrize(("program", "curve"), VARIANTS)
@pytest.mark.parametrize(("epsilon", "delta"), [("ln(2)", "1/6"), ("1/2", "1/10")])
@pytest.mark.parametrize("values", ["aab", "aaaaab", "aaaaaaaab"])
def test_runs_have_the_frequency_of_the_exact_law(
    program: Callable[..., Hashable], curve: type[ReleaseCurve], epsilon: str, delta: str, values: str
) -> None:
    draw, bound = Sampling.seeded(f"{curve.name} {epsilon} {values}"), Epsilon(epsilon)
    seen = sum(program(values, draw, epsilon=bound, delta=delta) == "a" for _ in range(RUNS))
    assert p_value(seen, RUNS, StabilityBasedMode(curve(epsilon, delta))(values)["a"]) > 1e-4


def p_value(seen: int, runs: int, mass: Number) -> float:
    """The exact binomial test of the nearest float to the mass."""
    return float(binomtest(seen, runs, float_bounds(mass)[0]).pvalue)


def test_the_drawn_kernel_has_the_frequency_of_its_law() -> None:
    draw, runs = Sampling.seeded(3), 20_000
    for law in [StabilityBasedMode(curve("1/2", "1/10"))("aaaaab") for _, curve in VARIANTS]:
        assert p_value(sum(draw(law) == "a" for _ in range(runs)), runs, law["a"]) > 1e-4


def test_the_test_of_frequencies_catches_the_wrong_mechanism() -> None:
    """Noise of half the scale, by the same test."""
    draw, values = Sampling.seeded(5), "aaaaab"
    curve = NoisyThreshold("ln(2)", "1/6")
    wrong = discrete_laplace(Fraction(1, 2) / Epsilon("ln(2)"))
    distance = mode_statistics(values).distance
    seen = sum(int(str(draw(wrong))) + distance >= curve.threshold for _ in range(4000))
    assert p_value(seen, 4000, curve[distance]) < 1e-10
    coins = sum(bool(draw(bernoulli(curve[distance]))) for _ in range(4000))
    assert p_value(coins, 4000, curve[distance]) > 1e-4
