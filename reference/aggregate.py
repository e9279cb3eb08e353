"""Aggregate: one private sample of length l from many laws, most of which are close to one another.

Every law draws from one Poisson coupling, so close laws draw the same sequence; the stability-based mode releases the
sequence that most of them drew. Paper: Algorithm 1.
"""

from collections.abc import Callable, Hashable, Sequence

from exactdp.reference.couple import Draw, couple_products
from exactdp.spec.law import Law

Mode = Callable[[Sequence[Hashable]], Law]
"""The kernel of a private mode: from the values to the law of the answer."""


def aggregate(laws: Sequence[Law], draw: Draw, *, mode: Mode, length: int = 1) -> object:
    """A sequence of `length` outcomes, or the mode's default: the stability-based mode of a coupled draw from all laws.

    Private for one changed law as the mode is for one changed value (Proposition B.1). Raises `InvalidArgument`.

    >>> from exactdp.reference.mode import StabilityBasedMode
    >>> from exactdp.reference.sampling import Sampling
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("1/2", "1e-6"))
    >>> aggregate([Law({"a": 1})] * 500, Sampling.seeded(1), mode=mode, length=2)
    ('a', 'a')
    """
    values = draw(couple_products(laws, length))
    assert isinstance(values, tuple), "a coupling is a law over tuples"
    return draw(mode(values))
