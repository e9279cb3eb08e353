"""exactdp: differential privacy decided exactly.

An executable specification of a paper (`spec`), its algorithms in exact arithmetic (`reference`), and a harness that
decides privacy claims about mechanisms in plain Python (`verify`). The names below are the public interface.
"""

from exactdp.reference.couple import Coupling, couple, couple_products
from exactdp.reference.draw import law_of, run
from exactdp.reference.sampling import Sampling
from exactdp.spec.claim import Claim, Kind, Verdict
from exactdp.spec.divergence import hockey_stick, tv
from exactdp.spec.enclosure import decimal, log_decimal
from exactdp.spec.errors import (
    BudgetExceeded,
    ExactDPError,
    InvalidArgument,
    MixedUnits,
    NonDeterministic,
    NotClosed,
    SymbolicEpsilon,
)
from exactdp.spec.exponent import Epsilon, Scale
from exactdp.spec.law import UNRESOLVED, Bounds, Law, mixture
from exactdp.spec.number import Exact, Number, exact, exp
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric, point, uniform
from exactdp.verify.audit import Audit, audit
from exactdp.verify.neighbours import Relation, own_relation

__version__ = "0.1.0"

__all__ = [
    "UNRESOLVED",
    "Audit",
    "Bounds",
    "BudgetExceeded",
    "Claim",
    "Coupling",
    "Epsilon",
    "Exact",
    "ExactDPError",
    "InvalidArgument",
    "Kind",
    "Law",
    "MixedUnits",
    "NonDeterministic",
    "NotClosed",
    "Number",
    "Relation",
    "Sampling",
    "Scale",
    "SymbolicEpsilon",
    "Verdict",
    "audit",
    "bernoulli",
    "couple",
    "couple_products",
    "decimal",
    "discrete_laplace",
    "exact",
    "exp",
    "geometric",
    "hockey_stick",
    "law_of",
    "log_decimal",
    "mixture",
    "own_relation",
    "point",
    "run",
    "tv",
    "uniform",
]
