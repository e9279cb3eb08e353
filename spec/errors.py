"""What can go wrong on the caller's side, from one root class.

A verdict is never an exception: *refuted* and *undecided* are results. An exception here says that the question
itself could not be understood or carried out, and what would make it right.
"""

from fractions import Fraction


class ExactDPError(Exception):
    """The root of every error that this package raises on purpose; the command line turns it into one line."""


class InvalidArgument(ExactDPError, ValueError):
    """An argument is not what it must be: names the argument, the value and what would be right.

    >>> raise InvalidArgument("epsilon", -1, "a positive rational such as '1/2'")
    Traceback (most recent call last):
    ...
    exactdp.spec.errors.InvalidArgument: epsilon: got -1 (int); expected a positive rational such as '1/2'
    """

    def __init__(self, argument: str, value: object, expected: str) -> None:
        self.argument = argument
        self.value = value
        self.expected = expected
        super().__init__(argument, value, expected)

    def __str__(self) -> str:
        try:
            shown = repr(self.value)
        except ExactDPError:
            shown = "<a value with pending noise>"
        except ValueError:
            shown = "<a very large number>"
        if len(shown) > 120:
            shown = shown[:117] + "..."
        if isinstance(self.value, Fraction):
            return f"{self.argument}: got {self.value}; expected {self.expected}"
        return f"{self.argument}: got {shown} ({type(self.value).__name__}); expected {self.expected}"


class MixedUnits(ExactDPError):
    """Two exact numbers have no common exponential base, such as e^(-1/2) and 3^(-1/2)."""


class SymbolicEpsilon(ExactDPError):
    """A comparison depends on the value of epsilon, and epsilon stands for every positive number."""


class NotClosed(ExactDPError):
    """A program uses pending noise in a way that has no closed form here; the message says what to write instead."""


class BudgetExceeded(ExactDPError):
    """The estimated work is beyond the budget; carries the estimate and names the flag that raises the budget."""

    def __init__(self, message: str, *, estimate: int, budget: int) -> None:
        self.estimate = estimate
        self.budget = budget
        super().__init__(message)


class MechanismFailed(ExactDPError):
    """A user's function raised an exception of its own; the message says which, and in which line."""


class NonDeterministic(ExactDPError):
    """A mechanism behaved differently after the same draws: it uses randomness, time or state outside `draw`."""
