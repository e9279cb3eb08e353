"""How many records the private agnostic learner needs, and with the minimum-distance estimator for L.

The sizes are those of a program; the statements about them are arithmetic, decided exactly: as powers of e^epsilon, or
by enclosures of logarithms of which all digits are certified. Paper: Theorem 1.6 and Corollary C.5.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from exactdp.spec.agnostic import APPENDIX, BASE_SHARE
from exactdp.spec.agnostic_reduction import Rule, private_loss, reduction_parameters
from exactdp.spec.claim import Claim
from exactdp.spec.enclosure import log_decimal
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, register
from exactdp.spec.number import Number, exp
from exactdp.spec.thresholds import least_integer_at_least_log

DIGITS = 30
"""Logarithms are enclosed to so many digits."""
LARGEST_CONSTANT = 681_000_000
"""The C of Corollary C.5 that its proof gives, for C_0 = 1."""

SampleSize = Callable[[Number, Number], int]
"""m(alpha, beta)."""


class Sizes(NamedTuple):
    """What a program is set to: a, b, T, delta0, k, n_0 = T k b, and the agnostic constant that it promises."""

    accuracy: Number
    block_size: int
    runs: int
    delta0: Number
    blocks: int
    records: int
    loss: Number


@dataclass(frozen=True, repr=False)
class SizesInstance(Instance):
    """C, alpha, beta, epsilon, delta, the sample complexity of L, and the sizes of a program."""

    constant: Fraction
    alpha: Fraction
    beta: Fraction
    epsilon: Epsilon
    delta: Fraction
    samples: SampleSize
    sizes: Callable[[], Sizes]
    rule: Rule = reduction_parameters


def are_few_records(
    records: int, base: int, final: int, constant: Fraction, alpha: Fraction, epsilon: Epsilon, delta: Fraction
) -> bool:
    """Whether n <= 129 b T log(4(C + 3)/(alpha delta))/epsilon, where b = m(a/16, 1/16) and T = m(2a, beta).

    *Exact:* as e^(epsilon n/(b T)) <= (4(C + 3)/(alpha delta))^129.

    >>> half, hundredth = Fraction(1, 2), Fraction(1, 100)
    >>> [are_few_records(n, 2, 2, Fraction(3), half, Epsilon("1/2"), hundredth) for n in (1984, 10**4)]
    [True, False]
    """
    used, most = exp(epsilon * Fraction(records, base * final)), 4 * (constant + 3) / (alpha * delta)
    return used <= most**129


def _sizes_claims(instance: SizesInstance) -> Iterator[Claim]:
    C, alpha, delta, found = instance.constant, instance.alpha, instance.delta, instance.sizes()
    if C < 1 or not exp(instance.epsilon) < exp(1):
        return
    a, delta0, blocks = instance.rule(C, alpha, instance.epsilon, delta)
    yield Claim("a: alpha/(C + 3)", (C + 3) * found.accuracy, "==", alpha, instance)
    base, final = instance.samples(a * BASE_SHARE, BASE_SHARE), instance.samples(2 * a, instance.beta)
    yield Claim("b: m(a/16, 1/16)", Fraction(found.block_size), "==", Fraction(base), instance)
    yield Claim("T: m(2a, beta)", Fraction(found.runs), "==", Fraction(final), instance)
    yield Claim("delta0: min{delta, a/4}", found.delta0, "==", delta0, instance)
    yield Claim("privacy: delta0 and delta", found.delta0, "<=", delta, instance)
    yield Claim("k: the least", Fraction(found.blocks), "==", Fraction(blocks), instance)
    n = found.runs * found.blocks * found.block_size
    yield Claim("n: T k b", Fraction(found.records), "==", Fraction(n), instance)
    loss = 8 * C * C + 9 * C
    yield Claim("constant: 8 C^2 + 9 C", found.loss, "==", loss, instance)
    used = exp(instance.epsilon * Fraction(found.records, base * final))
    most = (4 * (C + 3) / (alpha * delta)) ** 129
    yield Claim("conclusion: n and 129 m m log(4(C + 3)/(alpha delta))/epsilon", used, "<=", most, instance)


# -- with the minimum-distance estimator --


def estimator_samples(dimension: int, factor: Fraction, alpha: Number, beta: Number) -> int:
    """m(t, rho) = ceil(C_0 (d + log(2/rho))/t^2), at t = alpha and rho = beta, certified.

    >>> estimator_samples(1, Fraction(1), Fraction(1, 2), Fraction(1, 10))
    16
    """
    assert isinstance(alpha, Fraction), "accuracies are rational"
    return least_integer_at_least_log(exp(dimension) * 2 / beta, factor / (alpha * alpha))


def corollary_constant(factor: Fraction) -> Fraction:
    """A universal C for Corollary C.5 when the estimator's is C_0 >= 1: 681 000 000 C_0^2.

    m(alpha/96, 1/16) <= 2 * 9216 C_0 log(32) (d + 1)/alpha^2, as d + log 32 <= log(32) (d + 1) and a ceiling at most
    doubles a number of at least 1; m(alpha/3, beta) <= 2 * 9 C_0 (d + log(2/beta))/alpha^2; and
    k <= 129 (log 24/log 2) log(2/(alpha delta))/epsilon.
    """
    return LARGEST_CONSTANT * factor * factor


@dataclass(frozen=True, repr=False)
class EstimatorSizesInstance(Instance):
    """alpha, beta, epsilon, delta, d, C_0 >= 1, and the sizes of a program with the minimum-distance estimator.

    `loss`, `over` (the 24 of log(24/(alpha delta))), `under` (its 2) and `enough` are the corollary's own numbers.
    """

    alpha: Fraction
    beta: Fraction
    epsilon: Epsilon
    delta: Fraction
    dimension: int
    factor: Fraction
    sizes: Callable[[], Sizes]
    loss: Callable[[Fraction], Fraction] = private_loss
    over: int = 24
    under: int = 2
    enough: Callable[[Fraction], Fraction] = corollary_constant


def _estimator_sizes_claims(instance: EstimatorSizesInstance) -> Iterator[Claim]:
    alpha, beta, found = instance.alpha, instance.beta, instance.sizes()
    if instance.factor < 1 or not exp(instance.epsilon) < exp(1):
        return
    three = Fraction(3)
    yield Claim("constant: 8 * 9 + 27", instance.loss(three), "==", Fraction(99), instance)
    yield Claim("constant: what the program promises", found.loss, "==", Fraction(99), instance)
    yield Claim("accuracy: a and alpha/6", found.accuracy, "==", alpha / 6, instance)
    yield Claim("accuracy: a/16 and alpha/96", found.accuracy / 16, "==", alpha / 96, instance)
    yield Claim("accuracy: 2a and alpha/3", 2 * found.accuracy, "==", alpha / 3, instance)
    base = estimator_samples(instance.dimension, instance.factor, alpha / 96, BASE_SHARE)
    final = estimator_samples(instance.dimension, instance.factor, alpha / 3, beta)
    yield Claim("samples: b and m(alpha/96, 1/16)", Fraction(found.block_size), "==", Fraction(base), instance)
    yield Claim("samples: T and m(alpha/3, beta)", Fraction(found.runs), "==", Fraction(final), instance)
    both = alpha * instance.delta
    yield Claim("numbers: 4(C + 3)/(alpha delta)", 4 * (three + 3) / both, "==", instance.over / both, instance)
    yield from _logarithm_claims(instance)


def _logarithm_claims(instance: EstimatorSizesInstance) -> Iterator[Claim]:
    """Left sides are rounded up and right sides down, so a claim that holds is certified."""
    alpha, d, found, both = instance.alpha, instance.dimension, instance.sizes(), instance.alpha * instance.delta
    last, twice = _log_bounds(instance.over / both), _log_bounds(instance.under / both)
    ratio = _log_bounds(Fraction(24))[0] / _log_bounds(Fraction(2))[1]
    yield Claim(
        "logarithm: log(24/(alpha delta)) and (log 24/log 2) log(2/(alpha delta))",
        last[1],
        "<=",
        ratio * twice[0],
        instance,
    )
    epsilon = _log_bounds(exp(instance.epsilon))[1]
    vc = (d + 1) * _log_bounds(exp(d) * 2 / instance.beta)[0]
    used = found.records * epsilon * alpha**4
    most = instance.enough(instance.factor) * vc * twice[0]
    yield Claim(
        "conclusion: n epsilon alpha^4 and C (d + 1)(d + log(2/beta)) log(2/(alpha delta))", used, "<=", most, instance
    )


def _log_bounds(number: Number) -> tuple[Fraction, Fraction]:
    """Bounds of the logarithm of a number above 1."""
    middle, error = Fraction(log_decimal(number, DIGITS)), Fraction(1, 10 ** (DIGITS - 1))
    return middle * (1 - error), middle * (1 + error)


# -- the items --

INFORMAL = register(
    Item(
        id="thm-1.6",
        kind="theorem",
        section="Section 1: learning and sampling",
        title="Private agnostic learning",
        statement="""
If Q is C-agnostically learnable with m samples then for all epsilon, delta in (0, 1) it is (8 C^2 + 9 C)-agnostically
learnable under (epsilon, delta)-privacy with

    n = O(m(Theta(alpha), 1/16) m(Theta(alpha), beta) log(Theta(1/(alpha delta)))/epsilon)  samples.

With the numbers of Theorem C.2, a = alpha/(C + 3), n = T k b, T = m(2a, beta), b = m(a/16, 1/16):

    n  <=  129 m(a/16, 1/16) m(2a, beta) log(4(C + 3)/(alpha delta))/epsilon.
""".strip(),
        uses=("thm-C.2",),
        claims=_sizes_claims,
        predicates=(are_few_records,),
    )
)

COROLLARY = register(
    Item(
        id="cor-C.5",
        kind="corollary",
        section=APPENDIX,
        title="Private agnostic learning of classes of finite VC dimension",
        statement="""
With a universal C, for a countable class Q with d = VC(Yat(Q)) finite and alpha, beta, epsilon, delta in (0, 1), there
is an (epsilon, delta)-private algorithm which for every p, given

    n  >=  C (d + 1)(d + log(2/beta)) log(2/(alpha delta))/(epsilon alpha^4)

samples, returns q^ in Q with Pr[TV(q^, p) <= 99 OPT(p) + alpha] >= 1 - beta.

The minimum-distance estimator is 3-agnostic with m(t, rho) = ceil(C_0 (d + log(2/rho))/t^2). Theorem C.2 with C = 3:
8 * 9 + 27 = 99,  a = alpha/6,  a/16 = alpha/96,  2a = alpha/3,  and

    log(4(C + 3)/(alpha delta)) = log(24/(alpha delta))  <=  (log 24/log 2) log(2/(alpha delta)).

C_0 is not known here; for every C_0 >= 1 the C that the proof gives is at most 681 000 000 C_0^2.
""".strip(),
        uses=("thm-C.2", "thm-C.4"),
        claims=_estimator_sizes_claims,
        predicates=(estimator_samples, corollary_constant),
    )
)
