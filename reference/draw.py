"""One program, two readings: `law_of` enumerates a mechanism's exact output law, `run` executes it.

A mechanism is a function of (data, draw), and of the keyword `epsilon` when it names it. Its only randomness is
`draw(law)`. What is enumerated is what runs.
"""

import inspect
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Literal

from exactdp.reference.constraints import Impossible
from exactdp.reference.elimination import Memo
from exactdp.reference.guard import only_draw
from exactdp.reference.meter import Choice, Meter
from exactdp.reference.path import Abandoned, Path
from exactdp.reference.release import Released, densities, release
from exactdp.spec.cells import Density
from exactdp.spec.errors import InvalidArgument, NonDeterministic
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import UNRESOLVED, Law, scaled_product
from exactdp.spec.number import Number
from exactdp.spec.template import Template
from exactdp.spec.vector import vector

BUDGET = 150_000
"""Steps (draws and comparisons) that an enumeration may take: a second or two."""

Mechanism = Callable[..., object]

Missing = Literal["outside the window", "impossible"]
"""Why a path has no outcome."""


def law_of(
    mechanism: Mechanism,
    data: object,
    *,
    epsilon: Epsilon | Fraction | int | str | None = None,
    budget: int = BUDGET,
    window: int | None = None,
) -> Law:
    """The exact output law of mechanism(data, draw), by walking all its paths.

    Noise stays pending: a comparison branches in two, and all noise is summed out in closed form. With `window` = W,
    noise that is used in a way that has no closed form is spelled out from -W to W and what lies beyond is UNRESOLVED.
    Raises `InvalidArgument`, `BudgetExceeded`, `NotClosed`, `NonDeterministic`.

    >>> from exactdp.spec.standard_laws import discrete_laplace
    >>> law_of(lambda data, draw, *, epsilon: data + draw(discrete_laplace(1 / epsilon)) >= 1, 0, epsilon="ln(2)")
    Law({True: '1/3', False: '2/3'})
    """
    return Enumeration(mechanism, epsilon, Meter(budget), window).law(data)


def run(
    mechanism: Mechanism,
    data: object,
    *,
    epsilon: Epsilon | Fraction | int | str | None = None,
    seed: int | None = None,
) -> object:
    """One execution of mechanism(data, draw), exactly distributed, on the operating system's entropy.

    With a `seed` the result is reproducible, for demonstrations, and *not private*.
    """
    from exactdp.reference.sampling import Sampling

    draw = Sampling.seeded(seed) if seed is not None else Sampling()
    return bound(mechanism, epsilon)(data, draw)


def name_of(mechanism: Mechanism) -> str:
    """The mechanism's name, for messages."""
    return getattr(mechanism, "__name__", type(mechanism).__name__)


def bound(mechanism: Mechanism, epsilon: Epsilon | Fraction | int | str | None) -> Mechanism:
    """The mechanism as a function of (data, draw), with the keyword `epsilon` filled in when it names it."""
    value = None if epsilon is None else Epsilon(epsilon)
    if not wants_epsilon(mechanism):
        return mechanism
    if value is None:
        raise InvalidArgument("epsilon", None, f"a value: the mechanism {name_of(mechanism)} uses epsilon")
    return partial(mechanism, epsilon=value)


def wants_epsilon(mechanism: Mechanism) -> bool:
    """Whether the mechanism names the keyword `epsilon`. Raises `InvalidArgument` when it cannot take (data, draw)."""
    if not callable(mechanism):
        raise InvalidArgument("mechanism", mechanism, "a function of (data, draw)")
    try:
        signature = inspect.signature(mechanism)
    except (TypeError, ValueError):
        return False
    keywords = {"epsilon": None} if "epsilon" in signature.parameters else {}
    try:
        signature.bind(None, None, **keywords)
    except TypeError:
        expected = "a function of (data, draw), with the optional keyword epsilon"
        raise InvalidArgument("mechanism", f"{name_of(mechanism)}{signature}", expected) from None
    return bool(keywords)


@dataclass
class Enumeration:
    """The walks over all paths of one mechanism, on one dataset after another, with what they share."""

    mechanism: Mechanism
    epsilon: Epsilon | Fraction | int | str | None
    meter: Meter
    window: int | None = None
    memo: Memo = field(default_factory=Memo)

    def __post_init__(self) -> None:
        self._program = bound(self.mechanism, self.epsilon)
        for name, value, least in (("budget", self.meter.budget, 1), ("window", self.window, 0)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise InvalidArgument(name, value, f"an int of at least {least}")

    def law(self, data: object) -> Law:
        """The output law on one dataset."""
        collected = _Collected()
        script: list[Choice] | None = []
        walked: list[tuple[list[Choice], object]] = []
        with only_draw():
            while script is not None:
                path, released = self._run(data, script)
                collected.add(path, released)
                walked.append((path.choices, _visible(released)))
                script = _next_script(path.choices)
            self._replay(data, walked)
        return collected.law()

    def _replay(self, data: object, walked: list[tuple[list[Choice], object]]) -> None:
        """Runs every path again, last one first, so that a state kept between calls is not the same one again."""
        for choices, found in reversed(walked):
            again, released = self._run(data, choices)
            if again.choices != choices or _visible(released) != found:
                raise NonDeterministic(
                    f"the mechanism {name_of(self.mechanism)} gave different results for the same draws; it must be a "
                    "function of its data and of what `draw` returns (no clock, no global state, no other randomness)"
                )

    def _run(self, data: object, script: list[Choice]) -> tuple[Path, Released | Missing]:
        """One path to its end. What `draw` raised on the way counts, whatever the program did with it."""
        path = Path(script, self.memo, self.meter, self.window)
        self.memo.charge = path.charge
        try:
            outcome = self._program(data, path)
            if path.failure is None:
                return path, release(path, outcome)
        except (Abandoned, Impossible) as end:
            path.note(end)
        except BaseException:
            if path.failure is None:
                raise
        assert path.failure is not None, "a path without outcome has raised something"
        if isinstance(path.failure, Abandoned):
            return path, "outside the window"
        if isinstance(path.failure, Impossible):
            return path, "impossible"
        raise path.failure


def _visible(released: Released | Missing) -> object:
    return (released.pattern, released.holes) if isinstance(released, Released) else released


def _next_script(choices: list[Choice]) -> list[Choice] | None:
    """The choices up to the last one that has an option left, moved on by one; None after the last path."""
    last = len(choices) - 1
    while last >= 0 and choices[last].taken == choices[last].options - 1:
        last -= 1
    if last < 0:
        return None
    return [*choices[:last], replace(choices[last], taken=choices[last].taken + 1)]


@dataclass
class _Collected:
    """The outcomes of finished paths with their masses."""

    masses: dict[Hashable, list[Number]] = field(default_factory=dict)
    families: dict[Template, Density] = field(default_factory=dict)
    abandoned: bool = False

    def add(self, path: Path, released: Released | Missing) -> None:
        """Adds the outcome of a finished path with its probability."""
        if not isinstance(released, Released):
            self.abandoned = self.abandoned or released == "outside the window"
            return
        mass, densities_of_holes = densities(path, released)
        if mass and not densities_of_holes:
            self.masses.setdefault(released.pattern, []).append(mass)
        elif mass and all(densities_of_holes):
            product = scaled_product(tuple(densities_of_holes), mass)
            self.families.setdefault(Template(released.pattern), []).append(product)

    def law(self) -> Law:
        atoms = {outcome: vector(parts).total() for outcome, parts in self.masses.items()}
        if self.abandoned:
            known = sum(atoms.values(), start=Fraction(0))
            for density in self.families.values():
                for factors in density:
                    known = known + prod((f.total() for f in factors), start=Fraction(1))
            atoms[UNRESOLVED] = 1 - known
        return Law.of_parts(atoms, self.families)
