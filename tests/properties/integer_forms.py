"""Integer forms of steps that the package takes on exact numbers, for crosshair to confirm over all integers."""


def merging_outcomes_does_not_gain(x: int, y: int) -> None:
    """Two outcomes with excess x and y over E: merged, they give no more than apart (post-processing)."""
    assert max(0, x) + max(0, y) >= max(0, x + y)


def the_worst_event_takes_every_positive_excess(x: int, y: int, takes_x: bool, takes_y: bool) -> None:
    """Of all events over two outcomes, that of the positive excesses has the largest (hockey-stick divergence)."""
    assert x * takes_x + y * takes_y <= max(0, x) + max(0, y)


def a_threshold_and_its_negation_split_the_integers(k: int, least: int) -> None:
    """k >= least, or k <= least - 1, never both: how a comparison narrows pending noise."""
    assert (k >= least) != (k <= least - 1)


def half_lines_meet_where_both_hold(k: int, low: int, start: int) -> None:
    """An integer is in both half-lines exactly if it is in that of the larger bound: how intervals are intersected."""
    assert (low <= k and start <= k) == (max(low, start) <= k)


def a_wrong_negation_is_noticed(k: int, least: int) -> None:
    """The control: off by one, so that `least` belongs to both sides."""
    assert (k >= least) != (k <= least)
