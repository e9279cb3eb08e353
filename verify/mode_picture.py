"""The three release curves beside the quoted Fact: a table of what they need, and a picture of how they release."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from exactdp.spec.enclosure import decimal, log_decimal
from exactdp.spec.exponent import Epsilon
from exactdp.spec.number import Number, exact, exp
from exactdp.spec.release_curve import CURVES, ReleaseCurve
from exactdp.spec.stable_release import quoted_gap

COMPARED: tuple[tuple[str, str], ...] = (
    ("ln(2)", "1/6"),
    ("ln(2)", "1/100"),
    ("ln(5/2)", "1/9"),
    ("1/2", "1/100"),
    ("1/10", "1/1000000"),
)
"""Epsilon and delta of the table's rows."""

EXAMPLE = ("ln(5/2)", "1/9")
"""The picture's epsilon and delta: x = 2/5, where the noisy threshold breaks the Fact as it is quoted."""

COLOURS = ("tab:blue", "tab:orange", "tab:green")
MARKERS = ("o", "s", "^")
DIGITS = 6
GAPS_BEYOND = 4
HEAD = ("epsilon", "delta", "mechanism", "exact delta", "smallest gap", "failure there", "gap of the Fact")


@dataclass(frozen=True)
class ReleaseRow:
    """A release curve at its own delta: r_1, the smallest gap with a failure of at most delta, and the failure there.

    `quoted` is the least integer gap above 4 log(1/delta)/epsilon.
    """

    curve: ReleaseCurve
    smallest_gap: int
    quoted: int

    @property
    def delta(self) -> Number:
        """The exact delta at epsilon, r_1."""
        return self.curve.delta

    @property
    def failure(self) -> Number:
        """The failure probability at the smallest gap."""
        return self.curve.failure(self.smallest_gap)

    @property
    def keeps_the_fact(self) -> bool:
        """Whether the mode is released with probability 1 - delta at every gap that the Fact speaks of."""
        return self.curve.failure(self.quoted) <= self.curve.claimed


def release_rows(epsilon: Epsilon | str, delta: Number | str) -> list[ReleaseRow]:
    """The three release curves at these parameters, compared. Raises `InvalidArgument`.

    >>> [(row.curve.name, row.smallest_gap, row.quoted) for row in release_rows("ln(5/2)", "1/9")]
    [('noisy threshold', 11, 10), ('randomised threshold', 9, 10), ('optimal release', 7, 10)]
    """
    curves = [kind(epsilon, delta) for kind in CURVES.values()]
    return [ReleaseRow(c, c.smallest_gap(), quoted_gap(c.epsilon, c.claimed)) for c in curves]


def release_table(parameters: Sequence[tuple[str, str]] = COMPARED) -> list[str]:
    """The lines of a table of the three curves for each (epsilon, delta); `*` where the Fact as quoted is broken."""
    found = [row for epsilon, delta in parameters for row in release_rows(epsilon, delta)]
    cells = [HEAD, *map(_cells, found)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    broken = any(not row.keeps_the_fact for row in found)
    return [*lines, "* withheld too often at this gap: more than delta"] if broken else lines


def _cells(row: ReleaseRow) -> tuple[str, ...]:
    parameters = str(row.curve.epsilon), str(row.curve.claimed)
    numbers = decimal(row.delta, DIGITS), str(row.smallest_gap), decimal(row.failure, DIGITS)
    return *parameters, row.curve.name, *numbers, f"{row.quoted}{'' if row.keeps_the_fact else ' *'}"


def plot_release(path: Path, epsilon: Epsilon | str = EXAMPLE[0], delta: Number | str = EXAMPLE[1]) -> None:
    """Draws the release probability against the gap for the three curves, and the gap of the Fact; exact up to the eye.

    The file's ending chooses the format. Raises `InvalidArgument`.
    """
    rows = release_rows(epsilon, delta)
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    last = max([row.quoted for row in rows] + [row.smallest_gap for row in rows]) + GAPS_BEYOND
    gaps = list(range(last + 1))
    for row, colour, marker in zip(rows, COLOURS, MARKERS, strict=True):
        released = [1 - float(decimal(row.curve.failure(gap))) for gap in gaps]
        label = f"{row.curve.name}: from gap {row.smallest_gap}"
        axes.plot(gaps, released, marker, color=colour, markersize=5, label=label)
        axes.plot(gaps, released, color=colour, linewidth=1, alpha=0.5, drawstyle="steps-post")
    threshold = paper_threshold(Epsilon(epsilon), exact(delta, "delta"))
    axes.axvline(threshold, color="black", linestyle="--", label=f"4 log(1/δ)/ε = {threshold:.4g}")
    axes.axhline(1 - float(decimal(exact(delta))), color="0.6", linestyle=":", label="1 − δ")
    axes.set_xlabel("gap: largest count − second largest")
    axes.set_ylabel("probability that the mode is released")
    axes.set_title(f"ε = {epsilon}, δ = {delta}", fontsize=10)
    axes.set_ylim(-0.02, 1.02)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def paper_threshold(epsilon: Epsilon, delta: Number) -> float:
    """4 log(1/delta)/epsilon as a float, for the eye alone.

    >>> round(paper_threshold(Epsilon("ln(2)"), exact("1/4")), 6)
    8.0
    """
    return 4 * float(log_decimal(1 / delta)) / float(log_decimal(exp(epsilon)))
