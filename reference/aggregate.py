"""Aggregate: one private sample of length l from many laws, most of which are close to one another.

Every law draws from one Poisson coupling, so close laws draw the same sequence; the stability-based mode releases the
sequence that most of them drew. Paper: Algorithm 1.
"""

from collections.abc import Callable, Hashable, Sequence

from exactdp.reference.couple import Draw, checked_length, couple_products
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law

Mode = Callable[[Sequence[Hashable]], Law]
"""The kernel of a private mode: from the values to the law of the answer."""

LONGEST = 10_000_000
"""The longest sequence that is drawn."""


def aggregate(laws: Sequence[Law], draw: Draw, *, mode: Mode, length: int = 1) -> object:
    """A sequence of `length` outcomes, or the mode's default: the stability-based mode of a coupled draw from all laws.

    Private for one changed law as the mode is for one changed value (Proposition B.1). Raises `InvalidArgument`,
    and for a wrong argument before anything is drawn.

    >>> from exactdp.reference.mode import StabilityBasedMode
    >>> from exactdp.reference.sampling import Sampling
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("1/2", "1e-6"))
    >>> aggregate([Law({"a": 1})] * 500, Sampling.seeded(1), mode=mode, length=2)
    ('a', 'a')
    """
    coupling = couple_products(laws, sample_length(length))
    if isinstance(mode, type) or not callable(mode):
        raise InvalidArgument("mode", mode, "a kernel such as StabilityBasedMode(NoisyThreshold('1/2', '1e-6'))")
    values = draw(coupling)
    assert isinstance(values, tuple), "a coupling is a law over tuples"
    answer = mode(values)
    if not isinstance(answer, Law):
        raise InvalidArgument("mode", answer, "a kernel that returns a law: it returned this")
    return draw(answer)


def sample_length(length: int) -> int:
    """The number of records in a sequence that is drawn. Raises `InvalidArgument`, also when it is enormous."""
    if checked_length(length) > LONGEST:
        raise InvalidArgument("length", length, f"an int of at most {LONGEST}: the number of synthetic records")
    return length
