"""The agnostic private learner: many private records, one from each batch of the data, and the learner on all of them.

The batches are a uniform permutation of the data cut in pieces, so the records are independent draws from one law that
is close to p if any law of the class is. Paper: Algorithm 7, for Theorem C.2.
"""

from collections.abc import Collection, Hashable, Sequence
from functools import partial

from exactdp.reference.couple import Draw
from exactdp.reference.learners import AnyLearner, as_learner
from exactdp.reference.mode import StabilityBasedMode
from exactdp.reference.permutation import permutation
from exactdp.reference.sampler import checked_count, sampler
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.law import Law


def agnostic_private_learner(
    data: Sequence[Hashable],
    draw: Draw,
    *,
    learner: AnyLearner,
    final: AnyLearner,
    runs: int,
    blocks: int,
    block_size: int,
    mode: StabilityBasedMode,
    fallback: Law,
    domain: Collection[Hashable] | None = None,
) -> Law:
    """The law that `final`, L(.; 2a, beta), learns from `runs` private records; Sampler's learner is L(.; a/16, 1/16).

    Of more than n_0 = T k b records the first n_0 are used; for fewer the answer is `fallback`, a fixed element of the
    class. The mode's default must be a record, as (record,): the final learner needs T records. Private as the mode is
    (Theorem C.2). Raises `InvalidArgument`.

    >>> from exactdp.reference.learners import empirical, first_record
    >>> from exactdp.reference.sampling import Sampling
    >>> from exactdp.spec.release_curve import NoisyThreshold
    >>> mode = StabilityBasedMode(NoisyThreshold("1/2", "1e-6"), default=("b",))
    >>> sizes = {"runs": 5, "blocks": 100, "block_size": 1, "fallback": Law({"b": 1})}
    >>> learners = {"learner": first_record(), "final": empirical()}
    >>> agnostic_private_learner("a" * 500, Sampling.seeded(1), mode=mode, **learners, **sizes)
    Law({'a': '1'})
    """
    check_record_default(mode)
    T, L = checked_count("runs", runs), as_learner(final)
    k, b = checked_count("blocks", blocks), checked_count("block_size", block_size)
    if not isinstance(fallback, Law):
        raise InvalidArgument("fallback", fallback, "a law: the answer for too few records, fixed before the data")
    if len(data) < T * k * b:
        return fallback
    order = draw(permutation(T * k * b))
    assert isinstance(order, tuple), "a permutation is a tuple"
    batches = [[data[i] for i in order[j * k * b : (j + 1) * k * b]] for j in range(T)]
    one_record = partial(sampler, learner=learner, blocks=k, block_size=b, mode=mode, length=1, domain=domain)
    samples = [one_record(batch, draw) for batch in batches]
    V = draw(L.seeds)
    return L([_record(sample) for sample in samples], V)


def check_record_default(mode: StabilityBasedMode) -> None:
    """Raises `InvalidArgument` unless the mode's default is a sample of one record."""
    default = mode.default
    if not (isinstance(default, tuple) and len(default) == 1):
        expected = "a record fixed before the data, as (record,): the final learner learns from one of each batch"
        raise InvalidArgument("default", default, expected)


def _record(sample: object) -> Hashable:
    assert isinstance(sample, tuple), "a mode with such a default gives samples of one record"
    record: Hashable = sample[0]
    return record
