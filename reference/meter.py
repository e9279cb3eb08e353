"""The work of an enumeration: the choices of a path, and a budget of steps with an estimate of the whole."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.spec.errors import BudgetExceeded

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

    def step(self, choices: Sequence[Choice]) -> None:
        """Counts one step. Raises `BudgetExceeded` with an estimate of all steps."""
        self.steps += 1
        if self.steps > self.budget:
            finished = self.done + self.share * explored(choices)
            estimate = int(self.steps / finished) if finished else 0
            size = f"about {estimate:.1e} steps" if finished > Fraction(1, 10**12) else "possibly without end"
            raise BudgetExceeded(
                f"the work is estimated at {size}, the budget is {self.budget}; raise it with budget=N "
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
