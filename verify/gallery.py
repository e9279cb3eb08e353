"""The gallery: mechanisms with the claim that is made of each, the universe it is audited on, and what is known.

`exactdp audit exactdp.verify.gallery:svt4 ...` audits one of them; the functions are in `exactdp.verify.mechanisms`.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction

from exactdp.reference.draw import Mechanism
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.number import Number, exp
from exactdp.verify.audit import Audit, audit
from exactdp.verify.mechanisms import (
    MODE_DELTA,
    bad_partial_sum,
    geometric,
    hist1,
    hist2,
    partial_sum,
    randomized_response,
    randomized_response_wrong,
    rnm1,
    rnm2,
    rnm3,
    rnm3_clamped,
    rnm4,
    rnm4_clamped,
    stability_histogram,
    stable_mode,
    stable_mode_on_gap,
    svt1,
    svt1_c2,
    svt2,
    svt2_c2,
    svt3,
    svt3_clamped,
    svt3_wide_clamped,
    svt4,
    svt5,
    svt6,
)
from exactdp.verify.neighbours import ADD_REMOVE, CHANGE_ONE, EACH_BY_ONE, Dataset, Relation, own_relation


def _one_step_apart(one: Dataset, other: Dataset) -> bool:
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True) if isinstance(a, int) and isinstance(b, int)]
    return sum(gaps) == 1


ONE_BY_ONE = replace(own_relation(_one_step_apart, name="one-by-one"), integers=True)
"""Vectors of integers: one coordinate moves by 1 and the others stay (a distance of 1 in the L1 norm)."""


@dataclass(frozen=True)
class Entry:
    """A mechanism with the universe it is audited on, a claim, and whether the claim is true there.

    The claim is (claim * epsilon, delta)-privacy for `neighbours`; `epsilon` is the value of the worked example. The
    known verdict is meant for that epsilon; `note` says how far it reaches.
    """

    name: str
    mechanism: Mechanism
    domain: tuple[Hashable, ...]
    n: int
    neighbours: Relation
    claim: int
    epsilon: str
    delta: Number
    holds: bool
    note: str

    def audit(self, epsilon: str | None = None) -> Audit:
        """The audit of this entry's claim, at its own epsilon or at another; raises what `audit` raises."""
        return audit(
            self.mechanism,
            domain=self.domain,
            n=self.n,
            epsilon=self.epsilon if epsilon is None else epsilon,
            delta=self.delta,
            claim=self.claim,
            neighbours=self.neighbours,
        )


BITS = (False, True)
SMALL = (-1, 0, 1)

STABILITY_DELTA = exp(-4) / (1 + exp(-1))
"""The chance that noise of scale 1 lifts a count of 1 to the threshold 5."""

UNDERSTATED_DELTA = Fraction(49258, 10**7)
"""What one released library promises for the same mechanism."""


def _entry(
    mechanism: Callable[..., object],
    domain: tuple[Hashable, ...],
    n: int,
    neighbours: Relation,
    note: str,
    *,
    holds: bool,
    epsilon: str = "1",
    delta: Number = Fraction(0),
    name: str | None = None,
) -> Entry:
    return Entry(name or mechanism.__name__, mechanism, domain, n, neighbours, 1, epsilon, delta, holds, note)


_ENTRIES = (
    _entry(randomized_response, BITS, 2, CHANGE_ONE, "private with exactly epsilon", holds=True),
    _entry(
        randomized_response_wrong,
        BITS,
        2,
        CHANGE_ONE,
        "false for every rational epsilon of at most 1",
        holds=False,
        epsilon="1/2",
    ),
    _entry(geometric, BITS, 3, CHANGE_ONE, "private with exactly epsilon", holds=True),
    _entry(partial_sum, SMALL, 3, ONE_BY_ONE, "private with exactly epsilon", holds=True),
    _entry(bad_partial_sum, SMALL, 3, ONE_BY_ONE, "costs exactly 2 epsilon", holds=False),
    _entry(hist1, (0, 1), 3, ONE_BY_ONE, "private with exactly epsilon", holds=True),
    _entry(
        hist2,
        (0, 1),
        3,
        ONE_BY_ONE,
        "costs exactly 1/epsilon: false below epsilon = 1, true from there on",
        holds=False,
        epsilon="1/2",
    ),
    _entry(
        stability_histogram,
        ("a", "b"),
        3,
        ADD_REMOVE,
        "true from epsilon = 1 on for every n; no smaller delta will do",
        holds=True,
        delta=STABILITY_DELTA,
    ),
    _entry(
        stability_histogram,
        ("a", "b"),
        3,
        ADD_REMOVE,
        "a delta below the exact one: false for every epsilon",
        holds=False,
        delta=UNDERSTATED_DELTA,
        name="stability_histogram_understated",
    ),
    _entry(
        stable_mode,
        ("a", "b", "c"),
        4,
        CHANGE_ONE,
        "private; the least delta is r_1, with which a mode that one record decides is released",
        holds=True,
        epsilon="ln(2)",
        delta=MODE_DELTA,
    ),
    _entry(
        stable_mode_on_gap,
        ("a", "b", "c"),
        4,
        CHANGE_ONE,
        "false for every epsilon: one record moves the gap by 2",
        holds=False,
        epsilon="ln(2)",
        delta=MODE_DELTA,
    ),
    _entry(svt1, SMALL, 3, EACH_BY_ONE, "private for every n", holds=True),
    _entry(svt1_c2, SMALL, 3, EACH_BY_ONE, "private for every n", holds=True),
    _entry(svt2, SMALL, 3, EACH_BY_ONE, "private for every n; the same program as svt1", holds=True),
    _entry(svt2_c2, SMALL, 3, EACH_BY_ONE, "private for every n", holds=True),
    _entry(svt3, (0, 1), 3, EACH_BY_ONE, "costs 3/2 epsilon at n = 3; the claim is true at n = 2", holds=False),
    _entry(svt3_clamped, SMALL, 3, EACH_BY_ONE, "costs 3/2 epsilon at n = 3", holds=False),
    _entry(
        svt3_wide_clamped,
        SMALL,
        3,
        EACH_BY_ONE,
        "true at n = 3, false at n = 5: a small universe may hide it",
        holds=True,
    ),
    _entry(svt4, SMALL, 3, EACH_BY_ONE, "false from n = 2 on; true with 7/4 epsilon", holds=False),
    _entry(svt5, SMALL, 3, EACH_BY_ONE, "false for every multiple of epsilon", holds=False),
    _entry(svt6, SMALL, 3, EACH_BY_ONE, "false from n = 3 on; the cost grows with n", holds=False),
    _entry(rnm1, SMALL, 3, EACH_BY_ONE, "private for every n", holds=True),
    _entry(rnm2, SMALL, 3, EACH_BY_ONE, "private with exactly epsilon", holds=True),
    _entry(rnm3, (0, 1), 3, EACH_BY_ONE, "costs 3/2 epsilon at n = 3", holds=False),
    _entry(rnm3_clamped, SMALL, 3, EACH_BY_ONE, "costs 3/2 epsilon at n = 3", holds=False),
    _entry(rnm4, (0, 1), 3, EACH_BY_ONE, "false for every multiple of epsilon", holds=False),
    _entry(rnm4_clamped, SMALL, 3, EACH_BY_ONE, "false for every multiple of epsilon", holds=False),
)

GALLERY: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""All entries by name: responses, sums and histograms, sparse vector, noisy maximum."""


def entry(name: str) -> Entry:
    """The entry of that name. Raises `InvalidArgument` with the known names.

    >>> result = entry("svt5").audit("ln(4)")
    >>> str(result.verdict.kind), result.delta_at_epsilon, result.epsilon_star.factor
    ('refuted', Fraction(1, 2), None)
    """
    if name not in GALLERY:
        raise InvalidArgument("name", name, "one of " + ", ".join(GALLERY))
    return GALLERY[name]
