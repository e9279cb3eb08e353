"""The work of an enumeration: the choices of a path, and a budget of steps with an estimate of the whole."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.spec.errors import BudgetExceeded

UNENDING = Fraction(1, 10**30)
"""A tree of which less is done than this has no estimate."""

ENDLESS = (
    "the paths grow ever longer, perhaps without end (a loop without a bound never closes: bound it, or draw from the "
    "law given the event, as law.between(low, high) or law.condition(event))"
)

DEPTH_LOOKED_AT = 200
"""An estimate of the work looks at so many choices of the current path."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A question that a path asked, how many answers were possible and which was taken."""

    question: Hashable
    options: int
    taken: int


@dataclass
class Meter:
    """Counts steps (draws and comparisons) against a budget."""

    budget: int
    steps: int = 0
    share: Fraction = Fraction(1)
    """The part of the whole work that the tree now walked is, and `done` the part that is finished."""
    done: Fraction = Fraction(0)

    def charge(self, choices: Sequence[Choice], cost: int = 1) -> None:
        """Counts steps. Raises `BudgetExceeded` with an estimate of all steps."""
        self.steps += cost
        if self.steps > self.budget:
            part = explored(choices)
            finished = self.done + self.share * part
            if part > 1 - Fraction(1, 4 * self.steps):
                estimate, size = 0, f"more than can be told: {ENDLESS}"
            elif finished < UNENDING:
                estimate, size = 0, "more than 1e30 steps, or without end"
            else:
                estimate = int(self.steps / finished)
                size = f"about {estimate:.1e} steps"
            raise BudgetExceeded(
                f"the work is estimated at {size}; the budget is {self.budget}; raise it with budget=N "
                "(--budget N), or use fewer records, a smaller domain, or a program with fewer draws",
                estimate=estimate,
                budget=self.budget,
            )


def explored(choices: Sequence[Choice]) -> Fraction:
    """The part of a tree of choices that lies before the current path, each choice weighing its options equally."""
    part, width = Fraction(0), Fraction(1)
    for choice in choices[:DEPTH_LOOKED_AT]:
        width /= choice.options
        part += width * choice.taken
    return part
