"""exactdp: differential privacy decided exactly.

An executable specification of a paper (`spec`), its algorithms in exact arithmetic (`reference`), and a harness that
decides privacy claims about mechanisms in plain Python (`verify`). The names below are the public interface.
"""

from exactdp.reference.aggregate import aggregate
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.couple import Coupling, couple, couple_products
from exactdp.reference.draw import law_of, run
from exactdp.reference.learners import (
    Learner,
    empirical,
    first_record,
    maximum_likelihood,
    random_record,
    randomised,
    smoothed,
)
from exactdp.reference.mode import StabilityBasedMode, stability_based_mode
from exactdp.reference.parameters import sampler_parameters
from exactdp.reference.sampler import sampler
from exactdp.reference.sampler_law import sampler_law, sampler_law_from, sampler_law_over
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
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Exact, Number, exact, exp
from exactdp.spec.release_curve import NoisyThreshold, OptimalRelease, RandomisedThreshold, ReleaseCurve
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric, point, uniform
from exactdp.verify.audit import Audit, audit
from exactdp.verify.count_audit import NeighbourAudit, audit_aggregate
from exactdp.verify.histogram_audit import audit_sampler
from exactdp.verify.neighbours import Relation, own_relation

__version__ = "0.1.0"

__all__ = [
    "BOTTOM",
    "UNRESOLVED",
    "Audit",
    "Bounds",
    "BudgetExceeded",
    "Claim",
    "CountedAggregate",
    "Coupling",
    "Epsilon",
    "Exact",
    "ExactDPError",
    "InvalidArgument",
    "Kind",
    "Law",
    "Learner",
    "MixedUnits",
    "NeighbourAudit",
    "NoisyThreshold",
    "NonDeterministic",
    "NotClosed",
    "Number",
    "OptimalRelease",
    "RandomisedThreshold",
    "Relation",
    "ReleaseCurve",
    "Sampling",
    "Scale",
    "StabilityBasedMode",
    "SymbolicEpsilon",
    "Verdict",
    "aggregate",
    "audit",
    "audit_aggregate",
    "audit_sampler",
    "bernoulli",
    "couple",
    "couple_products",
    "decimal",
    "discrete_laplace",
    "empirical",
    "exact",
    "exp",
    "first_record",
    "geometric",
    "hockey_stick",
    "law_of",
    "log_decimal",
    "maximum_likelihood",
    "mixture",
    "own_relation",
    "point",
    "random_record",
    "randomised",
    "run",
    "sampler",
    "sampler_law",
    "sampler_law_from",
    "sampler_law_over",
    "sampler_parameters",
    "smoothed",
    "stability_based_mode",
    "tv",
    "uniform",
]
