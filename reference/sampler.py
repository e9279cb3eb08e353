"""Sampler: private synthetic data from any learner. Blocks of the data teach laws, and Aggregate draws from them.

Paper: Algorithm 2, which is defined for n = b k records. It is completed here for every n so that privacy and utility
hold as stated: of more records the first b k are used, and for fewer the answer is the mode's default.
"""

from collections.abc import Collection, Hashable, Sequence

from exactdp.reference.aggregate import aggregate
from exactdp.reference.couple import Draw
from exactdp.reference.learners import AnyLearner, as_learner
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.permutation import permutation
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law


def sampler(
    data: Sequence[Hashable],
    draw: Draw,
    *,
    learner: AnyLearner,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    length: int = 1,
    domain: Collection[Hashable] | None = None,
) -> object:
    """A sequence of `length` synthetic records, or the mode's default, from `blocks` blocks of `block_size` records.

    Private for one changed record as the mode is for one changed value, whatever the learner does (Proposition B.5).
    With a `domain`, every learnt law must live on it. Raises `InvalidArgument`, before anything is drawn where it can.

    >>> from functools import partial
    >>> from exactdp.reference.learners import first_record
    >>> from exactdp.reference.sampling import Sampling
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("1/2", "1e-6"))
    >>> sampler(["a"] * 600, Sampling.seeded(1), learner=first_record(), blocks=300, block_size=2, mode=mode)
    ('a',)
    """
    k, b = checked_count("blocks", blocks), checked_count("block_size", block_size)
    L = as_learner(learner)
    if len(data) < b * k:
        return mode.default
    order = draw(permutation(b * k))
    assert isinstance(order, tuple), "a permutation is a tuple"
    parts = [tuple(data[i] for i in order[j * b : (j + 1) * b]) for j in range(k)]
    seeds = [draw(L.seeds) for _ in range(k)]
    laws = [L(part, seed) for part, seed in zip(parts, seeds, strict=True)]
    check_learnt(laws, domain)
    return aggregate(laws, draw, mode=mode, length=length)


def checked_count(argument: str, value: object) -> int:
    """A number of blocks or of records in a block. Raises `InvalidArgument` unless it is an int of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgument(argument, value, "an int of at least 1")
    return value


def check_learnt(laws: Sequence[Law], domain: Collection[Hashable] | None) -> None:
    """Raises `InvalidArgument` when a learnt law gives mass to an outcome outside the declared domain."""
    if domain is None:
        return
    allowed = frozenset(domain)
    expected = "a learner whose laws live on the declared domain: it gives mass to this outcome"
    for law in {id(law): law for law in laws}.values():
        if not law.is_finite:
            raise InvalidArgument("learner", law, "a learner whose laws live on the declared domain, which is finite")
        for y in law.atoms:
            if y not in allowed:
                raise InvalidArgument("learner", y, expected)
