"""Markov kernels: an input into a law, and a law of inputs into a law of outputs, which tells no more.

On finite sets a kernel is a matrix of non-negative masses whose rows sum to exactly 1; measurability is void.
Processing two laws by one kernel never increases their divergence; that is why privacy survives it.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, pairwise
from typing import Any, NamedTuple

from exactdp.spec.claim import Claim, flag
from exactdp.spec.divergence import hockey_stick
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, NotClosed
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.law import UNRESOLVED, Bounds, Law, mixture
from exactdp.spec.number import Number, exact
from exactdp.spec.standard_laws import point

Mass = Number | int | str
Matrix = Mapping[Any, Mapping[Any, Mass]]
"""Masses K(x; y) by input x and output y, both hashable; a matrix need not be a kernel."""
Numbers = dict[Hashable, dict[Hashable, Number]]

EVENTS_OF_AT_MOST = 12
"""All 2^m events are tried on up to this many outcomes (or cells of constant likelihood ratio)."""

ZERO = Fraction(0)


class Kernel:
    """A Markov kernel K from finitely many inputs: `kernel[x]` is the law K(x; .).

    Rows are laws, or mappings of masses as for `Law`. Raises `InvalidArgument` for a row that is no law, and,
    when it is asked, for an input that it does not have.

    >>> Kernel({0: {"a": "1/3", "b": "2/3"}, 1: {"a": 1}})[0]["b"]
    Fraction(2, 3)
    """

    def __init__(self, rows: Mapping[Any, Law | Mapping[Any, Mass]]) -> None:
        self.rows = {x: row if isinstance(row, Law) else Law(row) for x, row in rows.items()}

    @property
    def inputs(self) -> tuple[Hashable, ...]:
        """The inputs, in the order in which they were given."""
        return tuple(self.rows)

    def __getitem__(self, x: Hashable) -> Law:
        if x not in self.rows:
            raise InvalidArgument("input", x, f"an input of the kernel: one of {list(self.rows)!r}")
        return self.rows[x]

    def __eq__(self, other: object) -> bool:
        return self.rows == other.rows if isinstance(other, Kernel) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self.rows))

    def __repr__(self) -> str:
        return f"Kernel({self.rows!r})"


def apply(kernel: Kernel, law: Law) -> Law:
    """The law of the output when the input follows `law`: the mixture PK(B) = sum over x of P(x) K(x; B).

    Mass on UNRESOLVED stays there. Raises `NotClosed` for a countable law and `InvalidArgument` for an input
    that the kernel does not have.

    >>> apply(Kernel({0: {"a": 1}, 1: {"a": "1/2", "b": "1/2"}}), Law({0: "1/3", 1: "2/3"}))["b"]
    Fraction(1, 3)
    """
    if not law.is_finite:
        raise NotClosed("a kernel on a countable law has no closed form; use windowed(tolerance) first")
    return mixture((mass, point(x) if x is UNRESOLVED else kernel[x]) for x, mass in law.items())


def compose(first: Kernel, second: Kernel) -> Kernel:
    """The kernel that runs `first` and feeds its output to `second`: x -> sum over y of K(x; y) L(y; .).

    Raises as `apply`.
    """
    return Kernel({x: apply(second, first[x]) for x in first.inputs})


Applying = Callable[[Kernel, Law], Law]
"""From a kernel and a law of its inputs to the law of its outputs."""
Composing = Callable[[Kernel, Kernel], Kernel]
"""From two kernels to the kernel that runs one after the other."""
Divergence = Callable[[Law, Law, Number], Number]
"""From two laws and E to a number that says how far apart they are."""


def is_kernel(matrix: Matrix) -> bool:
    """Whether a matrix is a Markov kernel: every entry at least 0, every row a sum of exactly 1.

    *Paper:* Definition 2.1. *Exact:* entries are exact numbers or text for them. Raises `InvalidArgument`
    for a float.

    >>> is_kernel({0: {"a": "1/3", "b": "2/3"}}), is_kernel({0: {"a": "1/3", "b": "0.6666"}})
    (True, False)
    """
    return all(claim.holds for claim in _row_claims(as_numbers(matrix), matrix))


def as_numbers(matrix: Matrix) -> Numbers:
    """The matrix with exact numbers as entries. Raises `InvalidArgument` for an entry such as a float."""
    return {x: {y: exact(m, f"mass at {x!r}, {y!r}") for y, m in row.items()} for x, row in matrix.items()}


def pushed(weights: Mapping[Hashable, Number], matrix: Numbers) -> dict[Hashable, Number]:
    """The masses sum over x of w(x) K(x; y) for every output y of the matrix; the sums alone, kernel or not.

    Raises `InvalidArgument` for an input that the matrix does not have.
    """
    missing = [x for x in weights if x not in matrix]
    if missing:
        raise InvalidArgument("input", missing[0], f"an input of the matrix: one of {list(matrix)!r}")
    masses: dict[Hashable, Number] = {y: ZERO for row in matrix.values() for y in row}
    for x, weight in weights.items():
        for y, mass in matrix[x].items():
            masses[y] = masses[y] + weight * mass
    return masses


@dataclass(frozen=True, repr=False)
class KernelInstance(Instance):
    """A matrix, a law of its inputs to apply it to, and optionally a second matrix that takes its outputs.

    `applying` and `composing` say how kernels are used.
    """

    matrix: Matrix
    weights: Mapping[Any, Mass]
    then: Matrix | None = None
    applying: Applying = apply
    composing: Composing = compose


def _row_claims(matrix: Numbers, instance: object) -> Iterator[Claim]:
    for x, row in matrix.items():
        yield Claim(f"nonnegative: row {x!r}", min(row.values(), default=ZERO), ">=", ZERO, instance)
        yield Claim(f"total: row {x!r}", sum(row.values(), start=ZERO), "==", Fraction(1), instance)


def _kernel_claims(instance: KernelInstance) -> Iterator[Claim]:
    matrix = as_numbers(instance.matrix)
    weights = {x: exact(w, f"weight of {x!r}") for x, w in instance.weights.items()}
    yield from _row_claims(matrix, instance)
    image = pushed(weights, matrix)
    yield Claim("applied total: all outputs", sum(image.values(), start=ZERO), "==", Fraction(1), instance)
    if not is_kernel(matrix):
        return
    kernel, law = Kernel(matrix), Law(weights)
    output = instance.applying(kernel, law)
    for y, mass in image.items():
        yield Claim(f"applied: mass of {y!r}", output[y], "==", mass, instance)
    if instance.then is not None:
        yield from _composed_claims(kernel, as_numbers(instance.then), law, instance)


def _composed_claims(kernel: Kernel, then: Numbers, law: Law, instance: KernelInstance) -> Iterator[Claim]:
    yield from _row_claims(then, instance)
    if not is_kernel(then):
        return
    second, applying = Kernel(then), instance.applying
    both = instance.composing(kernel, second)
    for x in kernel.inputs:
        for z, mass in pushed(dict(kernel[x].items()), then).items():
            yield Claim(f"composed: from {x!r} to {z!r}", both[x][z], "==", mass, instance)
    same = applying(both, law) == applying(second, applying(kernel, law))
    yield flag("composed law: at once and one after the other", same, instance)


def exact_divergence(p: Law, q: Law, factor: Number) -> Number:
    """H_E(P || Q) = sum over y of max(0, P(y) - E Q(y)) at E = `factor`, as one exact number.

    Raises `NotClosed` when a law leaves mass unresolved, so that only bounds are known.
    """
    value = hockey_stick(p, q, factor)
    if isinstance(value, Bounds):
        raise NotClosed("a law leaves mass unresolved, so its divergence is known within bounds only")
    return value


def is_safe_to_process(p: Law, q: Law, kernel: Matrix, factor: Number) -> bool:
    """Whether H_E(PK || QK) <= H_E(P || Q): processing by a kernel makes two laws no easier to tell apart.

    *Paper:* Proposition 2.4; it is true for every kernel. Raises `InvalidArgument` for a matrix that is none.

    >>> p, q = Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"})
    >>> is_safe_to_process(p, q, {0: {0: 1}, 1: {0: "1/2", 1: "1/2"}}, Fraction(2))
    True
    """
    processing = Kernel(kernel)
    after = exact_divergence(apply(processing, p), apply(processing, q), factor)
    return after <= exact_divergence(p, q, factor)


@dataclass(frozen=True, repr=False)
class ProcessingInstance(Instance):
    """Two laws, the kernel that processes both, and E; `kernel_for_q` breaks the hypothesis on purpose.

    `applying` gives the law of the processed output.
    """

    p: Law
    q: Law
    kernel: Matrix
    factor: Number
    kernel_for_q: Matrix | None = None
    applying: Applying = apply


class _Run(NamedTuple):
    """One side of the comparison: the masses of a law and the matrix that processes it."""

    masses: dict[Hashable, Number]
    matrix: Numbers

    def function(self, event: frozenset[Hashable]) -> dict[Hashable, Number]:
        """f(y) = K(y; event) on the support."""
        rows = ((y, self.matrix[y]) for y in self.masses)
        return {y: sum((m for z, m in row.items() if z in event), start=ZERO) for y, row in rows}

    def mean(self, f: Mapping[Hashable, Number]) -> Number:
        return sum((mass * f[y] for y, mass in self.masses.items()), start=ZERO)

    def above(self, f: Mapping[Hashable, Number], level: Number) -> Number:
        """The mass of {f > level}."""
        return sum((mass for y, mass in self.masses.items() if f[y] > level), start=ZERO)


def _processing_claims(instance: ProcessingInstance) -> Iterator[Claim]:
    factor, least = instance.factor, exact_divergence(instance.p, instance.q, instance.factor)
    kernels = instance.kernel, instance.kernel if instance.kernel_for_q is None else instance.kernel_for_q
    runs = [
        _Run(dict(law.items()), as_numbers(kernel))
        for law, kernel in zip((instance.p, instance.q), kernels, strict=True)
    ]
    images = [pushed(run.masses, run.matrix) for run in runs]
    outputs = list(dict.fromkeys(chain(*images)))
    laws = _outputs_of(instance, kernels)
    for event in _nonempty_subsets(outputs):
        values = [run.function(event) for run in runs]
        yield from _kernel_value_claims(runs, values, laws, event, instance)
        yield from _level_claims(runs, values, event, least, instance)
    excesses = (images[0].get(z, ZERO) - factor * images[1].get(z, ZERO) for z in outputs)
    after = sum((max(ZERO, excess) for excess in excesses), start=ZERO)
    yield Claim("conclusion: after and before processing", after, "<=", least, instance)


def _outputs_of(instance: ProcessingInstance, kernels: Sequence[Matrix]) -> list[Law]:
    """The laws of the processed outputs; none when some matrix is no kernel."""
    if not all(map(is_kernel, kernels)):
        return []
    return [instance.applying(Kernel(k), law) for k, law in zip(kernels, (instance.p, instance.q), strict=True)]


def _kernel_value_claims(
    runs: Sequence[_Run],
    values: Sequence[Mapping[Hashable, Number]],
    laws: Sequence[Law],
    event: frozenset[Hashable],
    instance: object,
) -> Iterator[Claim]:
    """S1: f(y) = K(y; C) lies in [0, 1], and its mean is the probability of C."""
    shown = _event_text(event)
    reached = set(chain.from_iterable(f.values() for f in values))
    yield Claim(f"S1 range: K(y; {shown}) at least 0", min(reached), ">=", ZERO, instance)
    yield Claim(f"S1 range: K(y; {shown}) at most 1", max(reached), "<=", Fraction(1), instance)
    for side, run, f, law in zip("PQ", runs, values, laws, strict=False):
        chance = law.probability(event.__contains__)
        yield Claim(f"S1 mean: {side}K({shown})", chance, "==", run.mean(f), instance)


def _level_claims(
    runs: Sequence[_Run],
    values: Sequence[Mapping[Hashable, Number]],
    event: frozenset[Hashable],
    least: Number,
    instance: ProcessingInstance,
) -> Iterator[Claim]:
    """S2: the level sets of f obey the privacy of P and Q, and f is the integral of its level sets."""
    shown, factor = _event_text(event), instance.factor
    f, g = values
    levels = sorted({ZERO, Fraction(1), *(v for v in chain(f.values(), g.values()) if ZERO < v < 1)})
    layers: list[Number] = [ZERO, ZERO]
    for low, high in pairwise(levels):
        above = [runs[0].above(f, low), runs[1].above(g, low)]
        layers = [total + (high - low) * mass for total, mass in zip(layers, above, strict=True)]
        yield Claim(f"S2 level: {shown}, u = {low}", above[0], "<=", factor * above[1] + least, instance)
    for side, run, h, layer in zip("PQ", runs, values, layers, strict=True):
        yield Claim(f"S2 layers: {shown} under {side}", layer, "==", run.mean(h), instance)
    yield Claim(f"S2 integral: {shown}", layers[0], "<=", factor * layers[1] + least, instance)


def _nonempty_subsets(outcomes: Sequence[Hashable]) -> Iterator[frozenset[Hashable]]:
    if len(outcomes) > EVENTS_OF_AT_MOST:
        message = f"2^{len(outcomes)} events are too many to try; EVENTS_OF_AT_MOST raises the budget"
        raise BudgetExceeded(message, estimate=2 ** len(outcomes), budget=2**EVENTS_OF_AT_MOST)
    for size in range(1, len(outcomes) + 1):
        yield from map(frozenset, combinations(outcomes, size))


def _event_text(event: frozenset[Hashable]) -> str:
    return "{" + ", ".join(sorted(map(repr, event))) + "}"


DEFINITION = register(
    Item(
        id="def-2.1",
        kind="definition",
        section="Section 2: privacy",
        title="Markov kernel",
        statement="""
A Markov kernel K from X to Y gives every input x a probability law K(x; .) on Y, measurably in x.

    K(x; y) >= 0  and  sum over y of K(x; y) = 1,  for every x

On finite sets it is a matrix with non-negative entries whose rows sum to exactly 1; measurability is void.
In use: applied to a law P of inputs it gives a law, PK(y) = sum over x of P(x) K(x; y), and two kernels one
after the other are a kernel again, so that applying both at once is applying one and then the other.
""".strip(),
        uses=(),
        claims=_kernel_claims,
        predicates=(is_kernel, apply, compose, as_numbers, pushed),
        central="total",
    )
)

POST_PROCESSING = register(
    Item(
        id="prop-2.4",
        kind="proposition",
        section="Section 2: privacy",
        title="Post-processing",
        statement="""
If A is (epsilon, delta)-differentially private and K is a Markov kernel that does not depend on the data,
then K after A is (epsilon, delta)-differentially private. For any two laws P, Q and any E:

    H_E(PK || QK)  <=  H_E(P || Q)

S1. Pr[K(A(S)) in C] is the mean of f(A(S)), where f(y) = K(y; C) lies in [0, 1].
S2. P(f > u) <= E Q(f > u) + H_E(P || Q) at every level u; integrated over u in [0, 1] this is
    the mean of f under P <= E times the mean of f under Q + H_E(P || Q).
""".strip(),
        uses=("def-2.1", "def-2.3"),
        claims=_processing_claims,
        predicates=(is_safe_to_process, exact_divergence),
    )
)
