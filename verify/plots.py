"""Pictures: the privacy profile of an audit, and a law as bars."""

from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np

from exactdp.spec.enclosure import decimal, log_decimal
from exactdp.spec.errors import NotClosed
from exactdp.spec.law import Law
from exactdp.spec.number import Number
from exactdp.verify.audit import Audit

POINTS_PER_SEGMENT = 24
UPRIGHT_LABELS = 16
"""With more values than this the labels below the bars are turned."""


def plot_profile(audit: Audit, path: Path) -> None:
    """Draws delta against epsilon, every breakpoint, and the claimed point; the file's ending chooses the format."""
    if audit.profile is None:
        raise NotClosed("no picture: some mass is unresolved, so there is no exact profile to draw")
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    epsilons, deltas = _curve(audit)
    axes.plot(epsilons, deltas, color="tab:blue", label="exact δ(ε)")
    claimed = float(log_decimal(audit.claim.factor)), float(decimal(audit.claim.delta))
    private = audit.verdict.kind != "refuted"
    label = f"claimed ({float(claimed[0]):.4g}, {float(claimed[1]):.4g}): {audit.verdict.kind.value}"
    axes.plot(*claimed, "o" if private else "X", color="tab:green" if private else "tab:red", markersize=9, label=label)
    if audit.profile is not None:
        points = [(float(log_decimal(e)), float(decimal(d))) for e, d in audit.profile.breakpoints]
        axes.plot(*zip(*points, strict=True), ".", color="tab:blue", markersize=6, label="breakpoints")
    axes.set_xlabel("ε")
    axes.set_ylabel("δ")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=-0.02 * max([*deltas, claimed[1], 1e-12]))
    axes.set_title(f"{audit.mechanism}, {audit.claim.relation.name}, n = {audit.n}, {audit.pairs} pairs", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _curve(audit: Audit) -> tuple[list[float], list[float]]:
    """The profile in floats, for the eye, well beyond the claim and the last breakpoint."""
    assert audit.profile is not None
    segments = audit.profile.segments
    ends: list[Number] = [segment.start for segment in segments[1:]]
    last = 1.25 * max([float(log_decimal(x)) for x in [*ends, audit.claim.factor]])
    epsilons: list[float] = []
    deltas: list[float] = []
    for i, segment in enumerate(segments):
        start = float(log_decimal(segment.start))
        stop = float(log_decimal(ends[i])) if i < len(ends) else last
        grid = np.linspace(start, stop, POINTS_PER_SEGMENT)
        epsilons += grid.tolist()
        deltas += (float(decimal(segment.event.p)) - np.exp(grid) * float(decimal(segment.event.q))).tolist()
    return epsilons, [max(delta, 0.0) for delta in deltas]


def plot_bars(law: Law, domain: Sequence[Hashable], title: str, path: Path) -> None:
    """Draws the mass of every value of the domain as a bar; the file's ending chooses the format."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    axes.bar(range(len(domain)), [float(decimal(law[y])) for y in domain], color="tab:blue")
    turned = len(domain) > UPRIGHT_LABELS
    axes.set_xticks(range(len(domain)), [str(y) for y in domain], rotation=90 if turned else 0)
    axes.set_ylabel("probability")
    axes.set_ylim(0, None)
    axes.set_title(title, fontsize=10)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
