"""Sampler: private synthetic data from any learner. Blocks of the data teach laws, and Aggregate draws from them.

Paper: Algorithm 2, which is defined for n = b k records. It is completed here for every n so that privacy and utility
hold as stated: of more records the first b k are used, and for fewer the answer is the mode's default.
"""

from collections.abc import Collection, Hashable, Sequence

from exactdp.reference.aggregate import aggregate, sample_length
from exactdp.reference.couple import Draw
from exactdp.reference.learners import AnyLearner, as_learner, checked_domain
from exactdp.reference.mode import StabilityBasedMode, checked_mode
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
    With a `domain`, every learnt law must live on it. Raises `InvalidArgument`, for a wrong argument before anything
    is drawn and whatever the number of records is.

    >>> from functools import partial
    >>> from exactdp.reference.learners import first_record
    >>> from exactdp.reference.sampling import Sampling
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("1/2", "1e-6"))
    >>> sampler(["a"] * 600, Sampling.seeded(1), learner=first_record(), blocks=300, block_size=2, mode=mode)
    ('a',)
    """
    k, b, L = checked_count("blocks", blocks), checked_count("block_size", block_size), as_learner(learner)
    allowed = None if domain is None else checked_domain(domain)
    checked_mode(mode)
    sample_length(length)
    if len(checked_data(data)) < b * k:
        return mode.default
    order = draw(permutation(b * k))
    assert isinstance(order, tuple), "a permutation is a tuple"
    parts = [tuple(data[i] for i in order[j * b : (j + 1) * b]) for j in range(k)]
    seeds = [draw(L.seeds) for _ in range(k)]
    laws = [L(part, seed) for part, seed in zip(parts, seeds, strict=True)]
    check_learnt(laws, allowed)
    return aggregate(laws, draw, mode=mode, length=length)


def checked_count(argument: str, value: object) -> int:
    """A number of blocks, of records in a block, or of steps. Raises `InvalidArgument` unless it is an int >= 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgument(argument, value, "an int of at least 1")
    return value


def checked_data(data: object, expected: str = "the records in a row, such as a list") -> Sequence[Hashable]:
    """Records in a row. Raises `InvalidArgument` for a set, a mapping, an iterator and whatever else has no order."""
    if not isinstance(data, Sequence):
        raise InvalidArgument("data", data, expected)
    return data


def check_learnt(laws: Sequence[Law], domain: Collection[Hashable] | None) -> None:
    """Raises `InvalidArgument` when a learnt law gives mass to an outcome outside the declared domain."""
    if domain is None:
        return
    allowed = frozenset(checked_domain(domain))
    expected = "a learner whose laws live on the declared domain: it gives mass to this outcome"
    for law in {id(law): law for law in laws}.values():
        if not law.is_finite:
            raise InvalidArgument("learner", law, "a learner whose laws live on the declared domain, which is finite")
        for y in law.atoms:
            if y not in allowed:
                raise InvalidArgument("learner", y, expected)
