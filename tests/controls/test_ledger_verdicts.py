"""The ledger says holds, refuted, undecided and vacuous, each where it must, and its reports say the same."""

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from exactdp.spec.claim import Claim, Kind, Relation
from exactdp.spec.errors import InvalidArgument, NotClosed
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance, Item, item, items
from exactdp.spec.kernel import ProcessingInstance
from exactdp.spec.law import Law
from exactdp.spec.number import Number, exp
from exactdp.spec.privacy import ParallelInstance
from exactdp.verify.controls import Control, controls
from exactdp.verify.families import randomized_response
from exactdp.verify.ledger import Entry, entry_of, overall, render, to_json, verify_item, verify_items


@dataclass(frozen=True, repr=False)
class Sides(Instance):
    """An instance that is its own claim."""

    lhs: Number
    rhs: Number
    relation: Relation = "<="


def _claims(instance: Sides) -> Iterator[Claim]:
    if instance.name == "open":
        raise NotClosed("no closed form")
    yield Claim("conclusion: the sides", instance.lhs, instance.relation, instance.rhs, instance)


PLAIN = replace(item("def-2.3"), claims=_claims)
TRUE = Sides("true", Fraction(1), Fraction(2))
FALSE = Sides("false", Fraction(2), Fraction(1))
OPEN = Sides("open", Fraction(0), Fraction(0))
ZERO = Sides("zero", Fraction(0), Fraction(1))
REFUTED = controls("def-2.3")[:1]
UNNOTICED = replace(REFUTED[0], name="nothing is wrong here", instances=())


def _entry(*instances: Instance, wrong: tuple[Control, ...] = REFUTED, checked: Item = PLAIN) -> Entry:
    return entry_of(checked, instances, wrong)


def test_true_claims_and_a_refuted_control_hold() -> None:
    entry = _entry(TRUE, ZERO)
    assert entry.verdict.kind == Kind.HOLDS
    assert (entry.instances, entry.claims, entry.controls_refuted) == (2, 2, 1)


def test_a_false_claim_is_the_witness() -> None:
    entry = _entry(TRUE, FALSE, TRUE)
    assert entry.verdict.kind == Kind.REFUTED
    assert entry.witness is not None
    assert entry.witness.source == "Sides(name='false', lhs=Fraction(2, 1), rhs=Fraction(1, 1))"
    assert str(entry.witness) == "conclusion: the sides: not 2 <= 1, for false"


def test_a_control_that_nobody_notices_refutes_the_item() -> None:
    entry = _entry(TRUE, wrong=(*REFUTED, UNNOTICED))
    assert entry.verdict.kind == Kind.REFUTED
    assert entry.verdict.reason == "a control is not refuted: nothing is wrong here"
    assert (entry.controls_refuted, len(entry.controls)) == (1, 2)


def test_what_has_no_closed_form_is_undecided_unless_something_is_false() -> None:
    entry = _entry(OPEN, TRUE)
    assert (entry.verdict.kind, entry.verdict.reason) == (Kind.UNDECIDED, "open: no closed form")
    assert _entry(OPEN, FALSE).verdict.kind == Kind.REFUTED


@pytest.mark.parametrize(
    ("instances", "wrong", "reason"),
    [
        ((), REFUTED, "the family has no instance"),
        ((ZERO,), REFUTED, "the left side of step 'conclusion' is 0 on the whole family"),
        ((TRUE,), (), "there is no control: nothing wrong has been refuted"),
    ],
)
def test_what_tests_nothing_is_vacuous(
    instances: tuple[Instance, ...], wrong: tuple[Control, ...], reason: str
) -> None:
    entry = _entry(*instances, wrong=wrong)
    assert (entry.verdict.kind, entry.verdict.reason) == (Kind.VACUOUS, reason)


def test_hypotheses_that_never_hold_are_vacuous() -> None:
    answers = randomized_response(Epsilon("ln(3)"))
    tables = ({(x,): answers[x] for x in (0, 1)},) * 2
    weak = ParallelInstance("weak", (0, 0), (1, 0), ((0,), (1,)), tables, Fraction(2), Fraction(1, 5))
    entry = _entry(weak, checked=item("lem-2.5"), wrong=controls("lem-2.5"))
    assert entry.verdict.kind == Kind.VACUOUS
    assert entry.verdict.reason == "the hypotheses hold for none of 1 instances"


def test_equal_laws_test_nothing_about_processing() -> None:
    law = Law({0: "1/2", 1: "1/2"})
    same = ProcessingInstance("equal laws", law, law, {0: {0: 1}, 1: {0: 1}}, Fraction(1))
    entry = _entry(same, checked=item("prop-2.4"), wrong=controls("prop-2.4"))
    assert (entry.verdict.kind, entry.claims) == (Kind.VACUOUS, 9)


def test_the_tightest_margin_is_found_across_units() -> None:
    root = exp(Epsilon("ln(3)") / 2)
    entry = _entry(
        Sides("e", Fraction(1), exp(1)),
        Sides("root of 3", Fraction(1), root),
        Sides("two", Fraction(1), exp(2)),
    )
    assert entry.margin is not None
    assert (entry.margin.instance, entry.margin.value) == ("root of 3", root - 1)


def test_a_claim_of_0_on_both_sides_is_no_margin() -> None:
    entry = _entry(Sides("nothing", Fraction(0), Fraction(0)), TRUE)
    assert entry.margin is not None
    assert (entry.margin.instance, entry.margin.value) == ("true", Fraction(1))


@pytest.mark.parametrize(
    ("instances", "kind", "code"),
    [
        ([TRUE, TRUE], Kind.HOLDS, 0),
        ([TRUE, OPEN, FALSE, ZERO], Kind.REFUTED, 1),
        ([TRUE, ZERO, OPEN], Kind.UNDECIDED, 3),
        ([TRUE, ZERO], Kind.VACUOUS, 3),
        ([], Kind.VACUOUS, 3),
    ],
)
def test_the_overall_verdict_and_its_exit_code(instances: list[Sides], kind: Kind, code: int) -> None:
    assert overall(_entry(instance) for instance in instances) == kind
    assert kind.exit_code == code


def test_the_table_and_the_json_say_what_the_entries_say() -> None:
    entries = [_entry(TRUE), _entry(FALSE)]
    table, data = render(entries), to_json(entries)
    assert table.splitlines()[2] == "Section 2: privacy"
    assert "1 of 1" in table
    assert "not 2 <= 1, for false" in table
    assert "2 items (1 holds, 1 refuted): 2 claims on 2 instances, 2 of 2 controls refuted" in table
    assert json.loads(json.dumps(data)) == data
    assert data[0]["verdict"] == "holds"
    assert data[0]["controls"] == {"refuted": 1, "total": 1}
    margin = {"exact": "1", "decimal": "1", "label": "conclusion: the sides", "instance": "true"}
    assert data[0]["margin"] == margin
    assert data[1]["witness"] == {
        "label": "conclusion: the sides",
        "lhs": {"exact": "2", "decimal": "2"},
        "relation": "<=",
        "rhs": {"exact": "1", "decimal": "1"},
        "instance": "false",
        "source": "Sides(name='false', lhs=Fraction(2, 1), rhs=Fraction(1, 1))",
    }


def test_a_side_that_depends_on_every_epsilon_has_no_decimal() -> None:
    (data,) = to_json([_entry(Sides("every epsilon", exp(Epsilon("any")), Fraction(1)))])
    witness = data["witness"]
    assert isinstance(witness, dict)
    assert witness["lhs"]["decimal"] is None


def test_an_entry_crosses_processes() -> None:
    entry = _entry(Sides("false", exp(1), Fraction(1)))
    assert pickle.loads(pickle.dumps(entry)) == entry


def test_two_processes_find_what_one_finds_and_report_their_progress() -> None:
    seen: list[tuple[int, int]] = []
    names = ["def-2.3", "def-2.1"]
    entries = verify_items(names, jobs=2, progress=lambda done, total, label: seen.append((done, total)))
    alone = [verify_item(name) for name in ("def-2.1", "def-2.3")]
    assert [replace(entry, seconds=0.0) for entry in entries] == [replace(e, seconds=0.0) for e in alone]
    assert seen == [(1, 2), (2, 2)]


def test_what_cannot_be_verified_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match="item: got 'thm-9'"):
        verify_items(["thm-9"])
    with pytest.raises(InvalidArgument, match="jobs: got 0"):
        verify_items(jobs=0)
    with pytest.raises(InvalidArgument, match="preset: got 'huge'"):
        verify_items([], preset="huge")


def test_every_item_of_section_2_holds() -> None:
    entries = verify_items([one.id for one in items() if one.section.startswith("Section 2:")])
    assert {entry.id: str(entry.verdict) for entry in entries} == dict.fromkeys(
        ["def-2.1", "def-2.2", "def-2.3", "prop-2.4", "lem-2.5"], "holds"
    )
    assert overall(entries) == Kind.HOLDS
    assert all(entry.controls_refuted == len(entry.controls) >= 3 for entry in entries)
