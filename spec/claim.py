"""Claims and verdicts: an inequality between exact numbers with a name, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal, NoReturn

from exactdp.spec.errors import InvalidArgument
from exactdp.spec.number import Number, exact

Relation = Literal["<", "<=", "==", ">=", ">"]

DECIDE: dict[Relation, Callable[[Number, Number], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}


class Kind(StrEnum):
    """The four verdicts."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    VACUOUS = "vacuous"

    @property
    def exit_code(self) -> int:
        """What the command line returns: 0 holds, 1 refuted, 3 undecided or vacuous."""
        return {"holds": 0, "refuted": 1}.get(self.value, 3)


@dataclass(frozen=True)
class Verdict:
    """What became of a claim: its kind, the witness of a refutation, the reason for an open or empty answer.

    A verdict has no truth value, so that an undecided or vacuous one is never taken for a success.
    """

    kind: Kind
    witness: object = None
    reason: str = ""

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has no truth value; compare its kind, as in verdict.kind == 'holds'")

    def __str__(self) -> str:
        return f"{self.kind.value} ({self.reason})" if self.reason else self.kind.value


@dataclass(frozen=True)
class Claim:
    """The claim `lhs relation rhs` between exact numbers; `instance` says of what, so that it can be replayed.

    >>> Claim("mass", Fraction(1, 3), "<=", Fraction(1, 2)).verdict.kind.value
    'holds'
    """

    label: str
    lhs: Number
    relation: Relation
    rhs: Number
    instance: object = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "lhs", exact(self.lhs, "lhs"))
        object.__setattr__(self, "rhs", exact(self.rhs, "rhs"))
        if self.relation not in DECIDE:
            raise InvalidArgument("relation", self.relation, "one of " + ", ".join(DECIDE))

    @property
    def holds(self) -> bool:
        """Whether the inequality is true, decided exactly."""
        return DECIDE[self.relation](self.lhs, self.rhs)

    @property
    def margin(self) -> Number:
        """The room that is left before it fails; 0 for a true equality, negative when it is false."""
        gap = self.rhs - self.lhs
        if self.relation == "==":
            return gap if gap <= 0 else -gap
        return gap if self.relation in ("<", "<=") else -gap

    @property
    def verdict(self) -> Verdict:
        """Holds, or refuted with this claim as the witness."""
        return Verdict(Kind.HOLDS) if self.holds else Verdict(Kind.REFUTED, self)

    def __str__(self) -> str:
        return f"{self.label}: {self.lhs} {self.relation} {self.rhs}"


def flag(label: str, truth: bool, instance: object = None) -> Claim:
    """A yes/no predicate as a claim: 1 == 1 when it is true, 0 == 1 when it is not."""
    return Claim(label, Fraction(int(truth)), "==", Fraction(1), instance)
