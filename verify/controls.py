"""Controls: deliberately wrong variants of what an item says, which the item's own claims must refute.

A predicate that has not been seen to fail counts as missing. A control names the step at which it must be
refuted, so that it fails for the reason that it was made for.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import NamedTuple

from exactdp.spec.claim import Claim
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, item
from exactdp.spec.kernel import Kernel, KernelInstance, Matrix, ProcessingInstance
from exactdp.spec.law import Law, mixture
from exactdp.spec.number import Number, exp
from exactdp.spec.privacy import Laws, ParallelInstance, PrivacyInstance
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, point, uniform
from exactdp.verify.families import randomized_response
from exactdp.verify.wrong_couplings import Wrong

MODULES: tuple[str, ...] = (
    "exactdp.verify.coupling_controls",
    "exactdp.verify.construction_controls",
    "exactdp.verify.mode_controls",
    "exactdp.verify.aggregate_controls",
    "exactdp.verify.sampler_controls",
    "exactdp.verify.agnostic_controls",
    "exactdp.verify.minimum_distance_controls",
    "exactdp.verify.learning_controls",
    "exactdp.verify.boosting_controls",
)
"""Further modules that register controls; a new one is named here."""

HAIR = Fraction(1, 10**30)
"""A difference that no float and no tolerance would see."""


@dataclass(frozen=True)
class Control:
    """A wrong variant of an item: `why` says what is wrong, `refuted_at` names the step that must fail."""

    item: str
    name: str
    why: str
    refuted_at: str
    instances: tuple[Instance, ...]

    def claims(self) -> Iterator[Claim]:
        """The item's own claims about the wrong instances."""
        for instance in self.instances:
            yield from item(self.item).claims(instance)

    def refutation(self) -> Claim | None:
        """The first claim that is false; None when the item does not notice that anything is wrong."""
        return next((claim for claim in self.claims() if not claim.holds), None)


class Identity(NamedTuple):
    """A step that no control can refute, because nothing that an instance brings along reaches it, and why."""

    item: str
    step: str
    why: str


IDENTITIES: tuple[Identity, ...] = (
    Identity(
        "thm-A.2",
        "S3",
        "2t <= 2t(1 + t) is arithmetic: it holds for every t >= 0, and a distance t of two laws is at least 0",
    ),
)
"""Every other step of every item is refuted by some control."""


Maker = Callable[[], Iterable[Control]]
_MAKERS: dict[str, Maker] = {}


def controls_of(item_id: str) -> Callable[[Maker], Maker]:
    """Register a function that makes the controls of an item; one for each item."""

    def registered(maker: Maker) -> Maker:
        if item_id in _MAKERS:
            raise InvalidArgument("item", item_id, "an item that has no controls yet")
        _MAKERS[item_id] = maker
        return maker

    return registered


def controls(item_id: str) -> tuple[Control, ...]:
    """The controls of an item; none when nobody made any. Raises `InvalidArgument` for an unknown item.

    >>> [control.name for control in controls("def-2.1")][:2]
    ['a row that sums to 99/100', 'a row that sums to more than 1 by a hair']
    """
    for module in MODULES:
        import_module(module)
    name = item(item_id).id
    return tuple(_MAKERS[name]()) if name in _MAKERS else ()


# -- the controls of section 2 --


@controls_of("def-2.1")
def _wrong_kernels() -> Iterator[Control]:
    wrong: list[tuple[str, str, str, Matrix]] = [
        (
            "a row that sums to 99/100",
            "the masses of one input were rounded to two digits and not made up to 1",
            "total",
            {0: {"a": "0.33", "b": "0.66"}, 1: {"a": 1}},
        ),
        (
            "a row that sums to more than 1 by a hair",
            "the excess is far below every float tolerance",
            "total",
            {0: {"a": Fraction(1, 2), "b": Fraction(1, 2) + HAIR}, 1: {"a": 1}},
        ),
        (
            "a negative entry",
            "every row sums to 1, but one outcome has a mass below 0",
            "nonnegative",
            {0: {"a": "3/2", "b": "-1/2"}, 1: {"a": 1}},
        ),
        (
            "an empty row",
            "one input has no outcome at all",
            "total",
            {0: {}, 1: {"a": 1}},
        ),
    ]
    for name, why, refuted_at, matrix in wrong:
        instance = KernelInstance(name, matrix, {0: "1/2", 1: "1/2"})
        yield Control("def-2.1", name, why, refuted_at, (instance,))
    answers: Matrix = {0: {0: "2/3", 1: "1/3"}, 1: {0: "1/4", 1: "3/4"}}
    weights = {0: "1/4", 1: "3/4"}
    alike = KernelInstance("rows averaged without weights", answers, weights, applying=unweighted)
    likely = KernelInstance("the likeliest answer answered again", answers, weights, answers, composing=likeliest)
    why = "the rows are averaged as if every input that can come were equally likely"
    yield Control("def-2.1", "all inputs count alike", why, "applied", (alike,))
    why = "the second kernel sees what the first one most often says, not its law"
    yield Control("def-2.1", "only the likeliest answer is passed on", why, "composed", (likely,))


@Wrong
def unweighted(kernel: Kernel, law: Law) -> Law:
    """Every input that can come counts alike."""
    inputs = list(law.support())
    return mixture((Fraction(1, len(inputs)), kernel[x]) for x in inputs)


@Wrong
def likeliest(first: Kernel, second: Kernel) -> Kernel:
    """The second kernel is given the likeliest answer of the first."""
    return Kernel({x: second[max(row.support(), key=row.__getitem__)] for x, row in first.rows.items()})


@controls_of("def-2.3")
def _wrong_mechanisms() -> Iterator[Control]:
    half, zero = Epsilon("1/2"), Fraction(0)
    both = ((0, 1), (1, 0))
    fair = randomized_response(Epsilon("ln(3)"))
    flipped: Laws = {x: Law({x: "3/4", 1 - x: "1/4"}) for x in (0, 1)}
    noise: Laws = {c: discrete_laplace(2).convolve(point(c)) for c in (0, 1)}
    one_way: Laws = {0: Law({"a": 1}), 1: Law({"a": "1/2", "b": "1/2"})}
    wrong = [
        (
            "randomized response that flips with probability (1 - epsilon)/2",
            "the ratio (1 + epsilon)/(1 - epsilon) exceeds e^epsilon; at epsilon = 1/2 it is 3",
            PrivacyInstance("flip with probability 1/4, epsilon 1/2", flipped, both, exp(half), zero),
        ),
        (
            "the identity",
            "the record is released as it is, so the supports are disjoint",
            PrivacyInstance("identity", {x: point(x) for x in (0, 1)}, both, Fraction(3), Fraction(99, 100)),
        ),
        (
            "e^epsilon too small by a hair",
            "randomized response at e^epsilon = 3 is claimed at 3 - 10^-30",
            PrivacyInstance("flip with probability 1/4, just below 3", fair, both, 3 - HAIR, zero),
        ),
        (
            "delta too small by a hair",
            "at e^epsilon = 1 randomized response needs delta = 1/2",
            PrivacyInstance("flip with probability 1/4", fair, both, Fraction(1), Fraction(1, 2) - HAIR),
        ),
        (
            "noise of half the scale",
            "a count with discrete Laplace noise of scale 2 is claimed at epsilon = 1/4",
            PrivacyInstance("noise of scale 2, epsilon 1/4", noise, both, exp("1/4"), zero),
        ),
    ]
    for name, why, instance in wrong:
        yield Control("def-2.3", name, why, "conclusion", (instance,))
    lone = PrivacyInstance("from 0 to 1 alone", one_way, ((0, 1),), Fraction(2), zero)
    why = "0 to 1 is private at e^epsilon = 2, but 1 to 0, which nobody looked at, shows b"
    yield Control("def-2.3", "one order of each pair", why, "both orders", (lone,))
    halves: Laws = {0: uniform("ab"), 1: uniform("cd")}
    single = PrivacyInstance("disjoint halves, by outcome", halves, both, Fraction(1), Fraction(1, 2), worst_outcome)
    why = "disjoint laws look private with delta = 1/2, as no outcome has more; an event of two has 1"
    yield Control("def-2.3", "events of one outcome", why, "events", (single,))


@Wrong
def worst_outcome(p: Law, q: Law, factor: Number) -> Number:
    """The largest P(y) - E Q(y): only events of one outcome are looked at."""
    return max(mass - factor * q[y] for y, mass in p.items())


@controls_of("prop-2.4")
def _wrong_processing() -> Iterator[Control]:
    p, q = Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"})
    keep: Matrix = {0: {0: 1}, 1: {1: 1}}
    swap: Matrix = {0: {1: 1}, 1: {0: 1}}
    far: Matrix = {0: {2: 1}, 1: {2: 1}}
    heavy: Matrix = {0: {0: "1", 1: "1/2"}, 1: {0: "1/2", 1: "1"}}
    signed: Matrix = {0: {0: "3/2", 1: "-1/2"}, 1: {0: "-1/2", 1: "3/2"}}
    wrong = [
        (
            "a kernel that depends on the dataset",
            "the processing looks at the data again: it marks the second dataset's answers",
            "S2 level",
            ProcessingInstance("kept for P, marked for Q", p, q, keep, Fraction(3), far),
        ),
        (
            "the same answers, swapped on one side",
            "the law on each side is as before, so only the common kernel is missing",
            "S2 level",
            ProcessingInstance("kept for P, swapped for Q", p, p, keep, Fraction(2), swap),
        ),
        (
            "a super-stochastic matrix",
            "the rows sum to 3/2, so K(y; C) exceeds 1",
            "S1 range",
            ProcessingInstance("rows that sum to 3/2", p, q, heavy, Fraction(2)),
        ),
        (
            "a sharpening matrix",
            "rows sum to 1 with entries below 0: it undoes noise, which no kernel can",
            "S1 range",
            ProcessingInstance("entries 3/2 and -1/2", p, q, signed, Fraction(2)),
        ),
        (
            "all answers count alike",
            "the output's law averages K(y; .) over the answers y, whatever A says how often",
            "S1 mean",
            ProcessingInstance("rows averaged without weights", p, q, keep, Fraction(2), applying=unweighted),
        ),
    ]
    for name, why, refuted_at, instance in wrong:
        yield Control("prop-2.4", name, why, refuted_at, (instance,))


@controls_of("lem-2.5")
def _wrong_parallel() -> Iterator[Control]:
    answers = randomized_response(Epsilon("ln(3)"))
    one: Laws = {(x,): answers[x] for x in (0, 1)}
    most: Laws = {(x, y): answers[max(x, y)] for x in (0, 1) for y in (0, 1)}
    three, zero = Fraction(3), Fraction(0)
    apart = ((0,), (1,))
    four = randomized_response(Epsilon("ln(3)"), range(1, 5))
    table: Laws = {(x,): four[x] for x in four}
    sorting = ParallelInstance(
        "the smaller record goes to the first block", (1, 2), (3, 2), apart, (table, table), three, zero,
        blocks_after=((1,), (0,)),
    )  # fmt: skip
    twice = ParallelInstance("record 0 in both blocks", (0, 0), (1, 0), ((0,), (0, 1)), (one, most), three, zero)
    coins = ParallelInstance(
        "both blocks lie with the same coin", (0, 0), (1, 0), apart, (one, one), three, zero,
        joint=(_with_one_coin(0, 0), _with_one_coin(1, 0)),
    )  # fmt: skip
    wrong = [
        (
            "a partition that depends on the data",
            "one changed record moves others to other blocks",
            "S1",
            sorting,
        ),
        ("overlapping blocks", "one record lies in two blocks, so it is told twice", "S1", twice),
        ("shared coins", "the answers are correlated, so their difference shows the data", "S2", coins),
    ]
    for name, why, refuted_at, instance in wrong:
        yield Control("lem-2.5", name, why, refuted_at, (instance,))


def _with_one_coin(x: int, y: int) -> Law:
    """Two bits that are both kept with probability 3/4, and both flipped otherwise."""
    return bernoulli("3/4").map(lambda keep: (x, y) if keep else (1 - x, 1 - y))
