"""The theorems' own parameters: one pure function for each, which returns every number that the theorem sets.

Accuracies and probabilities are exact numbers, sizes are integers. Ceilings of logarithms are certified
(`exactdp.spec.thresholds`). A sample complexity is a function m(alpha, beta) of two exact numbers; 0 is read as 1,
since every formula divides by it. `arguments()` gives the keywords of the algorithm's program.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.reference.mode import StabilityBasedMode, curve_named
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number, exact, exp
from exactdp.spec.release_curve import NoisyThreshold
from exactdp.spec.thresholds import least_integer_at_least_log

Parameter = Number | int | str
SampleComplexity = Callable[[Number, Number], int]
BASE_FAILURE = Fraction(1, 16)
"""The probability with which a block's law may be far off, in every theorem."""


@dataclass(frozen=True)
class Parameters(ABC):
    """A failure probability `beta` at privacy (`epsilon`, `delta`), and `delta0`, at which the mode runs."""

    beta: Number
    epsilon: Epsilon
    delta: Number
    delta0: Number

    def mode(self, variant: str = NoisyThreshold.name, default: Hashable = BOTTOM) -> StabilityBasedMode:
        """The stability-based mode at (epsilon, delta_0)."""
        return StabilityBasedMode(curve_named(variant)(self.epsilon, self.delta0), default)

    @abstractmethod
    def arguments(self, variant: str = NoisyThreshold.name, default: Hashable = BOTTOM) -> dict[str, Any]:
        """The keywords of the algorithm's program that the theorem sets."""


@dataclass(frozen=True)
class SamplerParameters(Parameters):
    """Corollary B.7: an (epsilon, delta_0)-private (length, 3 beta / 4)-sampler from n = b k records."""

    length: int
    eta: Number
    blocks_for_privacy: int
    blocks_for_concentration: int
    blocks: int
    block_size: int
    records: int

    @property
    def distance(self) -> Number:
        """3 beta / 4, the bound of the distance between the law of the sample and p^length."""
        return self.beta * Fraction(3, 4)

    def arguments(self, variant: str = NoisyThreshold.name, default: Hashable = BOTTOM) -> dict[str, Any]:
        """The keywords of `sampler` except `learner`."""
        mode = self.mode(variant, default)
        return {"blocks": self.blocks, "block_size": self.block_size, "length": self.length, "mode": mode}


@dataclass(frozen=True)
class BlackBoxParameters(Parameters):
    """Theorem 5.1: an estimate closer than `alpha` except with probability beta. `sampler` holds l, eta, b, k, n."""

    alpha: Number
    sampler: SamplerParameters

    @property
    def records(self) -> int:
        """n = b k."""
        return self.sampler.records

    def arguments(self, variant: str = NoisyThreshold.name, default: Hashable = BOTTOM) -> dict[str, Any]:
        """The keywords of `black_box_private_learner` except its learners."""
        return self.sampler.arguments(variant, default)


@dataclass(frozen=True)
class BoostedParameters(Parameters):
    """Theorem 6.1: `runs` = T estimates at (alpha0, beta0, epsilon, delta0) from c = `run.records` records each."""

    alpha: Number
    alpha0: Number
    beta0: Number
    runs: int
    run: BlackBoxParameters
    records: int

    def arguments(self, variant: str = NoisyThreshold.name, default: Hashable = BOTTOM) -> dict[str, Any]:
        """The keywords of `boosted_learner` except its learners."""
        return {"alpha": self.alpha, "runs": self.runs} | self.run.arguments(variant, default)


@dataclass(frozen=True)
class AgnosticParameters(Parameters):
    """Theorem C.2: an estimate within `loss` * OPT + alpha except with probability beta, from n_0 = T k b records."""

    alpha: Number
    constant: Fraction
    loss: Fraction
    accuracy: Number
    blocks_for_privacy: int
    blocks_for_concentration: int
    blocks: int
    block_size: int
    runs: int
    records: int

    def arguments(self, variant: str = NoisyThreshold.name, default: Hashable = BOTTOM) -> dict[str, Any]:
        """The keywords of `agnostic_private_learner` except its learners and `fallback`."""
        mode = self.mode(variant, default)
        return {"runs": self.runs, "blocks": self.blocks, "block_size": self.block_size, "mode": mode}


def sampler_parameters(
    length: int,
    beta: Parameter,
    epsilon: Epsilon | Fraction | int | str,
    delta: Parameter,
    block_size: int | Callable[[Number], int],
) -> SamplerParameters:
    """Corollary B.7, for every epsilon > 0 (with the stability-based modes of this package; Proposition B.6, Note).

    eta = beta / (64 l), delta_0 = min{delta, beta / 4}, k = ceil(max{(8/epsilon) ln(4/(beta delta)), 128 ln(4/beta)}).
    `block_size` may be a function of eta. Raises `InvalidArgument`.

    >>> sizes = sampler_parameters(1, "1/2", "1/2", "1/100", block_size=5)
    >>> sizes.eta, sizes.delta0, sizes.blocks_for_privacy, sizes.blocks, sizes.records
    (Fraction(1, 128), Fraction(1, 100), 107, 267, 1335)
    """
    size = _size("length", length)
    b, d, e = probability("beta", beta), probability("delta", delta), Epsilon(epsilon)
    eta = b / (64 * size)
    private = least_integer_at_least_log(4 / (b * d), 8, e)
    concentrated = least_integer_at_least_log(4 / b, 128)
    block = _size("block_size", block_size(eta) if callable(block_size) else block_size)
    k = max(private, concentrated)
    return SamplerParameters(b, e, d, min(d, b / 4), size, eta, private, concentrated, k, block, block * k)


def black_box_parameters(
    sample_complexity: SampleComplexity,
    alpha: Parameter,
    beta: Parameter,
    epsilon: Epsilon | Fraction | int | str,
    delta: Parameter,
) -> BlackBoxParameters:
    """Theorem 5.1: l = m(alpha, beta/4), eta = beta / (64 l), b = m(eta, 1/16), the rest as in Corollary B.7.

    Raises `InvalidArgument` unless alpha, beta, epsilon and delta lie between 0 and 1.

    >>> m = lambda alpha, beta: 3
    >>> sizes = black_box_parameters(m, "1/4", "1/2", "1/2", "1/100")
    >>> sizes.sampler.length, sizes.sampler.eta, sizes.sampler.block_size, sizes.records
    (3, Fraction(1, 384), 3, 801)
    """
    a, b, e, d = probability("alpha", alpha), probability("beta", beta), small(epsilon), probability("delta", delta)
    length = samples(sample_complexity, a, b / 4)
    sizes = sampler_parameters(length, b, e, d, lambda eta: samples(sample_complexity, eta, BASE_FAILURE))
    return BlackBoxParameters(b, e, d, sizes.delta0, a, sizes)


def boosted_parameters(
    sample_complexity: SampleComplexity,
    alpha: Parameter,
    beta: Parameter,
    epsilon: Epsilon | Fraction | int | str,
    delta: Parameter,
) -> BoostedParameters:
    """Theorem 6.1: alpha_0 = alpha/3, beta_0 = 1/8, delta_0 = min{delta, 1/32}, T = ceil(128 ln(1/beta)), n = T c.

    c is the n of Theorem 5.1 at (alpha_0, beta_0, epsilon, delta_0). Raises `InvalidArgument` as that does.

    >>> sizes = boosted_parameters(lambda alpha, beta: 1, "1/4", "1/20", "1/2", "1/100")
    >>> sizes.runs, sizes.run.sampler.blocks, sizes.run.sampler.eta, sizes.records
    (384, 444, Fraction(1, 512), 170496)
    """
    a, b, e, d = probability("alpha", alpha), probability("beta", beta), small(epsilon), probability("delta", delta)
    alpha0, beta0, delta0 = a / 3, Fraction(1, 8), min(d, Fraction(1, 32))
    runs = least_integer_at_least_log(1 / b, 128)
    run = black_box_parameters(sample_complexity, alpha0, beta0, e, delta0)
    return BoostedParameters(b, e, d, delta0, a, alpha0, beta0, runs, run, runs * run.records)


def agnostic_parameters(
    sample_complexity: SampleComplexity,
    constant: Fraction | int | str,
    alpha: Parameter,
    beta: Parameter,
    epsilon: Epsilon | Fraction | int | str,
    delta: Parameter,
) -> AgnosticParameters:
    """Theorem C.2 for a C-agnostic learner, C >= 1: a = alpha/(C+3), b = m(a/16, 1/16), T = m(2a, beta), n_0 = T k b.

    delta_0 = min{delta, a/4}, k = ceil(max{(16/epsilon) ln(1/delta_0), 128 ln(4/a)}), and the private constant is
    8 C^2 + 9 C. Raises `InvalidArgument`.

    >>> sizes = agnostic_parameters(lambda alpha, beta: 2, 3, "1/2", "1/10", "1/2", "1/100")
    >>> sizes.loss, sizes.accuracy, sizes.delta0, sizes.blocks, sizes.records
    (Fraction(99, 1), Fraction(1, 12), Fraction(1, 100), 496, 1984)
    """
    a, b, e, d = probability("alpha", alpha), probability("beta", beta), small(epsilon), probability("delta", delta)
    C = exact(constant, "constant")
    if not isinstance(C, Fraction) or C < 1:
        raise InvalidArgument("constant", str(constant), "a rational of at least 1: the C of a C-agnostic learner")
    part = a / (C + 3)
    block, runs = samples(sample_complexity, part / 16, BASE_FAILURE), samples(sample_complexity, 2 * part, b)
    delta0 = min(d, part / 4)
    private, concentrated = least_integer_at_least_log(1 / delta0, 16, e), least_integer_at_least_log(4 / part, 128)
    k, loss = max(private, concentrated), 8 * C * C + 9 * C
    return AgnosticParameters(
        b, e, d, delta0, a, C, loss, part, private, concentrated, k, block, runs, runs * k * block
    )


def probability(argument: str, value: Parameter) -> Number:
    """The exact number that `value` is. Raises `InvalidArgument` unless it lies strictly between 0 and 1."""
    number = exact(value, argument)
    if not 0 < number < 1:
        raise InvalidArgument(argument, str(value), f"a number with 0 < {argument} < 1, such as '1/10'")
    return number


def small(epsilon: Epsilon | Fraction | int | str) -> Epsilon:
    """The epsilon. Raises `InvalidArgument` unless 0 < epsilon < 1, as the theorems on learners say."""
    value = Epsilon(epsilon)
    if value.unit.symbolic or not exp(value) < exp(1):
        raise InvalidArgument("epsilon", str(epsilon), "a number with 0 < epsilon < 1, such as '1/2' or 'ln(2)'")
    return value


def samples(sample_complexity: SampleComplexity, alpha: Number, beta: Number) -> int:
    """max{1, m(alpha, beta)}. Raises `InvalidArgument` when m returns no integer, or a negative one."""
    if not callable(sample_complexity):
        raise InvalidArgument("sample_complexity", sample_complexity, "a function m(alpha, beta) that returns an int")
    found = sample_complexity(alpha, beta)
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        expected = f"a function that returns an int of at least 0: this is what it returned for ({alpha}, {beta})"
        raise InvalidArgument("sample_complexity", found, expected)
    return max(1, found)


def _size(argument: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgument(argument, value, "an int of at least 1")
    return value
