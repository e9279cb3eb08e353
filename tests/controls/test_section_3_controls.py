"""Section 3 and Appendix A: every wrong coupling is refuted, and for the right reason."""

import pytest

from exactdp.spec.coupling import SchemeInstance
from exactdp.spec.item import item, step
from exactdp.spec.law import Law
from exactdp.spec.standard_laws import uniform
from exactdp.spec.tuples import TupleInstance
from exactdp.verify.controls import controls
from exactdp.verify.wrong_couplings import chained, inverse_cdf, stretched_by_place


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("def-2.2", {"first", "restriction", "independence", "fresh", "unit cells", "count", "independent counts"}),
        ("def-3.1", {"G1", "G2", "G3"}),
        ("prop-3.2", {"dominated", "G1", "G2", "G3", "bounded densities"}),
        ("prop-3.3", {"G1", "G2", "G3", "universal"}),
        ("alg-5", {"line 1 dominated", "line 2 same process", "guarantee law", "guarantee"}),
        ("alg-6", {"line 3 first points", "guarantee law"}),
        ("thm-A.2", {"S1", "S2 agreement", "conclusion", "pair formula", "equality"}),
        ("cor-A.3", {"A.2", "G1", "G2", "G3"}),
        (
            "prop-A.5",
            {
                "marginals", "disagreement", "projective", "equivariant", "unanimity", "lipschitz", "ghost",
                "rational function",
            },
        ),
        ("cor-A.6", {"S1 any order", "S2 part", "S4 repeated", "S4 copied", "conclusion law", "conclusion"}),
        ("cor-A.7", {"G1", "conclusion", "restriction", "G2", "G3"}),
    ],
)  # fmt: skip
def test_these_steps_are_seen_to_fail(name: str, steps: set[str]) -> None:
    false = [claim for control in controls(name) for claim in control.claims() if not claim.holds]
    assert steps <= {step(claim.label) for claim in false}


def test_one_uniform_number_for_all_laws_is_noticed_on_four_points_and_not_on_three() -> None:
    three = SchemeInstance("three points", (Law({0: "2/3", 1: "1/3"}), uniform(range(3))), 3, inverse_cdf)
    four = SchemeInstance("four points", (uniform((0, 1, 2)), uniform((1, 2, 3))), 3, inverse_cdf)
    verdicts = [all(c.holds for c in item("def-3.1").claims(instance)) for instance in (three, four)]
    assert verdicts == [True, False]


def test_maximal_couplings_in_a_row_fail_at_consistency_and_at_nothing_before() -> None:
    """For these laws marginals and the bounds of all pairs are met."""
    laws = Law({0: "1/2", 1: "1/2"}), Law({0: "1/4", 1: "1/4", 2: "1/2"}), Law({0: "1/2", 1: "1/4", 2: "1/4"})
    instance = SchemeInstance("in a row", laws, 2, chained)
    false = {step(claim.label) for claim in item("def-3.1").claims(instance) if not claim.holds}
    assert false == {"G3"}


def test_a_measure_that_depends_on_the_place_breaks_equivariance_alone() -> None:
    laws = Law({0: "1/2", 1: "1/3", 2: "1/6"}), Law({0: "1/3", 1: "1/2", 2: "1/6"})
    instance = TupleInstance("stretched", laws, stretched_by_place)
    false = {step(claim.label) for claim in item("prop-A.5").claims(instance) if not claim.holds}
    assert false == {"equivariant"}
