"""Families of the stability-based mode: every dataset of small universes, and count vectors of larger ones.

Order and parity hide bugs: with two values and an odd number of records every gap is odd, so even numbers, and three
and four values, stand beside them. Data of the larger universes are long enough for gaps that are surely released.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from exactdp.reference.mode import StabilityBasedMode
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exact
from exactdp.spec.release_curve import CURVES, NoisyThreshold, ReleaseCurve
from exactdp.spec.stable_release import (
    ModeInstance,
    keeps_the_quoted_fact,
    noisy_threshold_gap,
    quoted_gap,
    same_mode_delta,
)
from exactdp.verify.families import Sizes, family_of

Parameters = tuple[str, str]
"""Epsilon and delta."""


@dataclass(frozen=True)
class ModeSizes:
    """(K, m) of the universes whose datasets are all tried, and of those of which every count vector is."""

    universes: tuple[tuple[int, int], ...]
    counted: tuple[tuple[int, int], ...]
    parameters: tuple[Parameters, ...]
    clear: tuple[tuple[int, Parameters], ...]
    """K and the parameters of universes with just as many records as the gaps need."""


SIZES: Final[Mapping[str, ModeSizes]] = {
    "minimal": ModeSizes(
        universes=((1, 0), (1, 2), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 1), (4, 3)),
        counted=((1, 7), (2, 8), (3, 6), (4, 4)),
        parameters=(
            ("ln(2)", "1/6"), ("ln(2)", "3/4"), ("ln(3/2)", "1/4"), ("ln(5/2)", "1/9"), ("1/2", "1/10"), ("1/2", "2/3"),
        ),
        clear=((2, ("ln(2)", "1/100")), (2, ("1/2", "1/3")), (3, ("ln(2)", "1/10")), (3, ("ln(5/2)", "1/9"))),
    ),
    "full": ModeSizes(
        universes=(
            *((1, m) for m in range(6)), *((2, m) for m in range(8)), *((3, m) for m in range(7)),
            *((4, m) for m in range(6)),
        ),
        counted=((1, 12), (2, 12), (2, 13), (3, 9), (3, 10), (4, 6), (4, 7)),
        parameters=(
            ("ln(2)", "1/6"), ("ln(2)", "1/12"), ("ln(2)", "1/3"), ("ln(2)", "3/4"), ("ln(3/2)", "1/4"),
            ("ln(3/2)", "9/10"), ("ln(5/2)", "1/9"), ("ln(5/2)", "5/7"), ("1/2", "1/10"), ("1/2", "2/3"),
        ),
        clear=(
            (2, ("ln(2)", "1/1000")), (2, ("1/2", "1/100")), (3, ("ln(2)", "1/100")), (3, ("ln(5/2)", "1/9")),
            (3, ("1/2", "1/3")), (4, ("ln(2)", "1/12")),
        ),
    ),
}  # fmt: skip


@family_of("fact-B.3")
def _stable_modes(sizes: Sizes) -> Iterator[Instance]:
    chosen = SIZES[sizes.preset]
    for epsilon, delta in chosen.parameters:
        for kind in CURVES.values():
            curve = kind(epsilon, delta)
            for values, records in chosen.universes:
                yield mode_instance(curve, values, records)
            for values, records in chosen.counted:
                yield mode_instance(curve, values, records, symmetric=True)
    yield from _clear_modes(chosen)
    yield from _with_a_default()
    yield from _with_another_failure()


def mode_instance(
    curve: ReleaseCurve,
    values: int,
    records: int,
    *,
    symmetric: bool = False,
    default: int | None = None,
    failure: Number | None = None,
) -> ModeInstance:
    """The stability-based mode of a curve on a universe, with all that is true of it; default None: the symbol."""
    said = "" if default is None else f", else {default}"
    said += "" if failure is None else f", failure {failure}"
    data = "count vectors" if symmetric else "datasets"
    return ModeInstance(
        f"{curve.name}, epsilon {curve.epsilon}, delta {curve.claimed}, {data} of {records} over {values}{said}",
        values,
        records,
        StabilityBasedMode(curve, BOTTOM if default is None else default),
        curve,
        needed_gap(curve, failure),
        same_mode=same_mode_delta(curve),
        quoted=keeps_the_quoted_fact(curve),
        failure=failure,
        symmetric=symmetric,
    )


def needed_gap(curve: ReleaseCurve, failure: Number | None = None) -> int:
    """The least gap that a curve needs: by the formula for the noisy threshold, by its masses for the others.

    >>> needed_gap(NoisyThreshold("ln(2)", "1/100"))
    27
    """
    if isinstance(curve, NoisyThreshold):
        return noisy_threshold_gap(curve.epsilon, curve.claimed, failure)
    return curve.smallest_gap(failure)


def _clear_modes(sizes: ModeSizes) -> Iterator[Instance]:
    """As many records as both gaps need: that of the noisy threshold, and the least one that the Fact speaks of."""
    for values, (epsilon, delta) in sizes.clear:
        gaps = quoted_gap(Epsilon(epsilon), exact(delta)), noisy_threshold_gap(Epsilon(epsilon), exact(delta))
        for records in sorted({max(gaps), max(gaps) + 1, gaps[0]}):
            for kind in CURVES.values():
                yield mode_instance(kind(epsilon, delta), values, records, symmetric=True)


def _with_a_default() -> Iterator[Instance]:
    """A value of the universe as the default, as the Fact has it; also where it is the mode."""
    for epsilon, delta in (("ln(2)", "1/6"), ("1/2", "1/3")):
        for kind in CURVES.values():
            for values, records in ((2, 1), (2, 4), (3, 4)):
                yield mode_instance(kind(epsilon, delta), values, records, default=values - 1)


def _with_another_failure() -> Iterator[Instance]:
    """A failure probability of its own, smaller and larger than delta."""
    for failure in ("1/12", "1/3"):
        for kind in CURVES.values():
            for records in (9, 10):
                yield mode_instance(kind("ln(2)", "1/6"), 2, records, symmetric=True, failure=exact(failure))
