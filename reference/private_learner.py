"""A private learner from any learner: a private sample, and the learner on the sample.

What the sample says is all that the final learner sees, so its answer is as private as the sample (post-processing,
Proposition 2.4). Paper: Algorithm 3, for Theorem 5.1.
"""

from collections.abc import Collection, Hashable, Sequence

from exactdp.reference.couple import Draw
from exactdp.reference.learners import AnyLearner, as_learner
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.sampler import sampler
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law
from exactdp.spec.mode import BOTTOM, Bottom


def black_box_private_learner(
    data: Sequence[Hashable],
    draw: Draw,
    *,
    learner: AnyLearner,
    final: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
    domain: Collection[Hashable] | None = None,
) -> Law | Bottom:
    """The law that `final` learns from `length` synthetic records; `learner` is the one that Sampler gives its blocks.

    Where Sampler declines to answer so does this learner: the answer is BOTTOM, a failure. A mode whose default is a
    sequence of `length` records always answers. Private as the mode is (Theorem 5.1), for every number of records.
    Raises `InvalidArgument`.

    >>> from exactdp.reference.learners import first_record
    >>> from exactdp.reference.sampling import Sampling
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("1/2", "1e-6"))
    >>> settings = {"learner": first_record(), "final": first_record(), "blocks": 300, "block_size": 1, "mode": mode}
    >>> black_box_private_learner("a" * 300, Sampling.seeded(1), **settings)
    Law({'a': '1'})
    """
    check_default(mode, length)
    L = as_learner(final)
    Z = sampler(
        data, draw, learner=learner, blocks=blocks, block_size=block_size, mode=mode, length=length, domain=domain
    )
    if Z is BOTTOM:
        return BOTTOM
    assert isinstance(Z, tuple), "a sample is a tuple of records"
    V = draw(L.seeds)
    return L(Z, V)


def check_default(mode: StabilityBasedMode, length: int) -> None:
    """Raises `InvalidArgument` unless the mode's default is BOTTOM or a sample: a tuple of `length` records."""
    default = mode.default
    if default is not BOTTOM and not (isinstance(default, tuple) and len(default) == length):
        raise InvalidArgument("default", default, f"BOTTOM, or a tuple of {length} records fixed before the data")
