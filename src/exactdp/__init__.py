"""exactdp: differential privacy decided exactly.

An executable specification of a paper (`spec`), its algorithms in exact arithmetic (`reference`), and a harness that
decides privacy claims about mechanisms in plain Python (`verify`). The names below are the public interface.
"""

from exactdp.reference.aggregate import aggregate
from exactdp.reference.agnostic import agnostic_private_learner
from exactdp.reference.boosted import boosted_learner
from exactdp.reference.class_files import class_from_json, read_class
from exactdp.reference.classes import (
    LawClass,
    bernoulli_grid,
    binomials,
    clamped_geometrics,
    clamped_laplaces,
    grid_class,
    point_masses,
    products,
)
from exactdp.reference.counted import CountedAggregate
from exactdp.reference.couple import Coupling, couple, couple_products
from exactdp.reference.draw import law_of, run
from exactdp.reference.estimators import minimum_distance
from exactdp.reference.learned_law import agnostic_law_over, black_box_law, black_box_law_over, boosted_law, failure
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
from exactdp.reference.parameters import (
    agnostic_parameters,
    black_box_parameters,
    boosted_parameters,
    sampler_parameters,
)
from exactdp.reference.private_learner import black_box_private_learner
from exactdp.reference.sample_complexity import SampleComplexity, failure_probability, sample_complexity
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
    "LawClass",
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
    "SampleComplexity",
    "Sampling",
    "Scale",
    "StabilityBasedMode",
    "SymbolicEpsilon",
    "Verdict",
    "aggregate",
    "agnostic_law_over",
    "agnostic_parameters",
    "agnostic_private_learner",
    "audit",
    "audit_aggregate",
    "audit_sampler",
    "bernoulli",
    "bernoulli_grid",
    "binomials",
    "black_box_law",
    "black_box_law_over",
    "black_box_parameters",
    "black_box_private_learner",
    "boosted_law",
    "boosted_learner",
    "boosted_parameters",
    "clamped_geometrics",
    "clamped_laplaces",
    "class_from_json",
    "couple",
    "couple_products",
    "decimal",
    "discrete_laplace",
    "empirical",
    "exact",
    "exp",
    "failure",
    "failure_probability",
    "first_record",
    "geometric",
    "grid_class",
    "hockey_stick",
    "law_of",
    "log_decimal",
    "maximum_likelihood",
    "minimum_distance",
    "mixture",
    "own_relation",
    "point",
    "point_masses",
    "products",
    "random_record",
    "randomised",
    "read_class",
    "run",
    "sample_complexity",
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
