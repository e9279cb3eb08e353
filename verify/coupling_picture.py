"""A picture of the Poisson coupling: everybody looks at the same points and takes the first one under its own law.

Points fall at random over the outcomes, one after the other. A law takes the first point that lies below its mass.
Where two laws are close, their first points are the same one, so their samples agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from exactdp.spec.divergence import tv
from exactdp.spec.enclosure import decimal
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Bounds, Law

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("tab:blue", "tab:orange", "tab:green")
NAMES = ("P", "Q", "R")
STYLES: tuple[tuple[int, tuple[float, ...]], ...] = ((0, ()), (0, (4, 2)), (0, (1, 1)))
"""Line patterns, so that equal masses show all their colours."""

CLEARANCE = 0.06
"""Points keep this distance, in parts of the height, from every line."""

EXAMPLE = (
    Law({0: "1/2", 1: "1/2"}),
    Law({0: "1/2", 1: "1/4", 2: "1/4"}),
    Law({0: "1/4", 1: "1/4", 2: "1/2"}),
)
"""Three laws on three points whose coupling is worked out by hand in the tests."""

SEEDS_TRIED = 2000
POINTS_SHOWN_AT_MOST = 9


@dataclass(frozen=True)
class Point:
    """The n-th point: over which outcome, where in its column (0 to 1), and how high."""

    order: int
    column: int
    across: float
    height: float


def plot_coupling(laws: Sequence[Law], path: Path, names: Sequence[str] = NAMES) -> None:
    """Draws two or three finite laws and two rounds of the coupling: one that agrees and one that does not.

    The points are made for the eye, with floats. Raises `InvalidArgument` for other numbers of laws or a countable one.
    """
    if not 2 <= len(laws) <= len(COLOURS):
        raise InvalidArgument("laws", list(laws), "two or three laws")
    if any(not law.is_finite for law in laws):
        raise InvalidArgument("laws", list(laws), "finite laws")
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    outcomes = sorted({y for law in laws for y in law.support()}, key=repr)
    masses = [[float(decimal(law[y])) for y in outcomes] for law in laws]
    rounds = [(wanted, _round(masses, wanted)) for wanted in (True, False)]
    shown = [(agree, points) for agree, points in rounds if points is not None]
    figure, panels = plt.subplots(
        1, len(shown), figsize=(5.2 * len(shown), 4.2), sharey=True, squeeze=False, layout="constrained"
    )
    for axes, (agree, points) in zip(panels[0], shown, strict=True):
        _draw_round(axes, masses, points, names[: len(laws)])
        axes.set_xticks(range(len(outcomes)), [str(y) for y in outcomes])
        axes.set_title("same first point: the samples agree" if agree else "different first points: they differ")
        axes.set_xlabel("outcome")
    panels[0][0].set_ylabel("mass")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(laws), fontsize=9)
    figure.suptitle(_caption(laws, names), fontsize=10)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def taken(masses: Sequence[Sequence[float]], points: Sequence[Point]) -> list[int | None]:
    """For every law the position of the first point below its mass; None when there is none."""
    return [next((i for i, point in enumerate(points) if point.height <= law[point.column]), None) for law in masses]


def _round(masses: Sequence[Sequence[float]], agree: bool) -> list[Point] | None:
    """Points until every law has one, in which the laws agree (or not) and somebody passes the first point by."""
    top = max(max(law) for law in masses)
    for seed in range(SEEDS_TRIED):
        random = Random(seed)
        points: list[Point] = []
        while len(points) < POINTS_SHOWN_AT_MOST and None in taken(masses, points):
            column = random.randrange(len(masses[0]))
            across, height = random.uniform(0.2, 0.8), random.uniform(0, 1.15 * top)
            if all(abs(height - line) > CLEARANCE * top for line in [0.0, *(law[column] for law in masses)]):
                points.append(Point(len(points) + 1, column, across, height))
        choices = taken(masses, points)
        if None not in choices and len(points) > 2 and (len(set(choices)) == 1) == agree:
            return points
    return None


def _draw_round(axes: "Axes", masses: Sequence[Sequence[float]], points: Sequence[Point], names: Sequence[str]) -> None:
    for law, colour, style, name in zip(masses, COLOURS, STYLES, names, strict=False):
        for column, mass in enumerate(law):
            label = name if column == 0 else None
            axes.fill_between([column - 0.45, column + 0.45], mass, color=colour, alpha=0.18, linewidth=0)
            ends = [column - 0.45, column + 0.45]
            axes.plot(ends, [mass, mass], color=colour, linewidth=2.5, linestyle=style, label=label)
    choices = taken(masses, points)
    for i, point in enumerate(points):
        x = point.column - 0.45 + 0.9 * point.across
        axes.plot(x, point.height, "o", color="black" if i in choices else "0.65", markersize=5)
        axes.annotate(str(point.order), (x, point.height), xytext=(6, 4), textcoords="offset points", fontsize=9)
        for ring, who in enumerate(j for j, choice in enumerate(choices) if choice == i):
            axes.plot(x, point.height, "o", mfc="none", color=COLOURS[who], markersize=13 + 6 * ring, markeredgewidth=2)
    axes.set_ylim(0, 1.25 * max(max(law) for law in masses))
    axes.grid(axis="y", alpha=0.3)


def _caption(laws: Sequence[Law], names: Sequence[str]) -> str:
    text = "Points arrive in the order of their numbers; each law takes the first one under its line."
    if len(laws) == 2:
        distance = tv(laws[0], laws[1])
        assert not isinstance(distance, Bounds), "finite laws have an exact distance"
        bound = 2 * distance / (1 + distance)
        text += f"\nTV({names[0]}, {names[1]}) = {decimal(distance, 4)}, so they differ with probability "
        text += f"between that and 2t/(1+t) = {decimal(bound, 4)}."
    return text
