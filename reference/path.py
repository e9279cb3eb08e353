"""One path through a mechanism: the choices taken, what they weigh, and what is known of the pending noise.

A mechanism is run again and again, each time along a script of choices; where the script ends, the first possible
choice is taken and the others are left for later. The same history must ask the same questions each time.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import wraps
from math import ceil, floor
from typing import TypeVar, cast

from exactdp.reference.constraints import Constraints, Link
from exactdp.reference.elimination import Forest, Memo, Unknown
from exactdp.reference.meter import Choice, Meter
from exactdp.reference.pending import Pending, Plain, plain
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, NonDeterministic, NotClosed
from exactdp.spec.law import UNRESOLVED, Law
from exactdp.spec.number import Number
from exactdp.spec.piecewise import Interval, Piecewise
from exactdp.spec.standard_laws import DiscreteLaplace, Geometric
from exactdp.spec.template import HOLE, Template, rebuilt

VALUES_AT_MOST = 100_000
"""A released or used noise value is spelled out over at most so many integers."""


class Abandoned(BaseException):
    """Ends a path whose noise fell outside the window: UNRESOLVED mass. No Exception, so that programs let it pass."""


Method = TypeVar("Method", bound=Callable[..., object])


def remembering(method: Method) -> Method:
    """The method, which notes on its path whatever it raises."""

    @wraps(method)
    def noted(path: "Path", *arguments: object) -> object:
        try:
            return method(path, *arguments)
        except BaseException as error:
            path.note(error)
            raise

    return cast(Method, noted)


OUTCOMES_PER_STEP, UNKNOWNS_PER_STEP = 8, 4
"""What makes a draw or a comparison count as more than one step."""


class Path:
    """The enumerating reading of `draw` along one path."""

    def __init__(self, script: Sequence[Choice], memo: Memo, meter: Meter, window: int | None) -> None:
        self.script = script
        self.choices: list[Choice] = []
        self.weights: list[Number] = []
        self.unknowns: list[Unknown] = []
        self.constraints = Constraints()
        self.memo = memo
        self.meter = meter
        self.window = window
        self.failure: BaseException | None = None
        """What this path raised; a program that catches it does not make it undone."""

    # -- what a program sees --------------------------------------------------------------------------------------

    def note(self, error: BaseException) -> None:
        """Remembers the first thing that was raised on this path."""
        self.failure = self.failure or error

    @remembering
    def __call__(self, law: Law) -> object:
        """Draws from a law: an outcome, one branch for each, or pending noise where it has infinitely many integers."""
        if not isinstance(law, Law):
            raise InvalidArgument(
                "argument of draw", law, "a law, such as bernoulli('1/3') or discrete_laplace(2 / epsilon)"
            )
        parts: list[Hashable] = [*law.atoms, *law.families]
        self._step(1 + len(parts) // OUTCOMES_PER_STEP)
        part = parts[self._choose(("draw", law), len(parts))] if len(parts) > 1 else parts[0]
        if part is UNRESOLVED:
            raise Abandoned
        if isinstance(part, Template) and part in law.families:
            return self._fresh(law, part)
        self.weights.append(law.masses[law.atoms[part]])
        return part

    @remembering
    def is_nonnegative(self, form: Pending) -> bool:
        """Whether form >= 0; branches, and narrows what is known, when both are possible."""
        self.same_path(form)
        self._step(1 + (len(self.constraints.links) + len(self.unknowns)) // UNKNOWNS_PER_STEP)
        form = self._with_two_unknowns(form)
        unknowns = sorted(form.coefficients)
        if not unknowns:
            return form.offset >= 0
        yes: Interval
        no: Interval
        first = unknowns[0]
        c = form.coefficients[first]
        if c > 0:
            least = ceil(-Fraction(form.offset) / c) if c != 1 else ceil(-form.offset)
            yes, no = (least, None), (None, least - 1)
        else:
            most = floor(-Fraction(form.offset) / c) if c != -1 else floor(form.offset)
            yes, no = (None, most), (most + 1, None)
        if len(unknowns) == 1:
            allowed = self.constraints.range_of(first)
            chosen = self._decide(("compare", first, yes), allowed, yes, no)
            self.constraints.narrow(first, yes if chosen else no)
            return chosen
        link, _ = link_of(form)
        allowed = self.constraints.range_of_link(link)
        chosen = self._decide(("compare", link, yes), allowed, yes, no)
        self.constraints.relate(link, yes if chosen else no)
        return chosen

    @remembering
    def value_of(self, form: Pending, purpose: str) -> Plain:
        """The value of a form, with one branch for each value of its unknowns."""
        self.same_path(form)
        total = form.offset
        for unknown, c in form.coefficients.items():
            total = plain(total + c * self.fixed(unknown, purpose))
        return total

    # -- choices and noise ----------------------------------------------------------------------------------------

    def charge(self, cost: int) -> None:
        """Counts the work of new densities, which the memo tells of."""
        self._step(cost)

    def _step(self, cost: int = 1) -> None:
        """Counts steps; while the script is followed, it tells how far the walk has come."""
        self.meter.charge(self.choices if len(self.choices) >= len(self.script) else self.script, cost)

    def _choose(self, question: Hashable, options: int) -> int:
        position = len(self.choices)
        taken = 0
        if position < len(self.script):
            expected = self.script[position]
            if expected.options != options or expected.question != question:
                raise NonDeterministic(
                    "the mechanism asks for different draws after the same history; it must be a function of its data "
                    "and of what `draw` returns (no clock, no global state, no other randomness)"
                )
            taken = expected.taken
        self.choices.append(Choice(question, options, taken))
        return taken

    def _decide(self, question: Hashable, allowed: Interval, yes: Interval, no: Interval) -> bool:
        possible = [side for side, interval in ((True, yes), (False, no)) if _meet(allowed, interval)]
        return possible[self._choose(question, 2)] if len(possible) == 2 else possible[0]

    def _fresh(self, law: Law, template: Template) -> object:
        """Pending noise for every hole of one term of a family."""
        density = law.families[template]
        term = self._choose(("term", law), len(density)) if len(density) > 1 else 0
        holes = []
        for axis, factor in enumerate(density[term]):
            unknown = self.add(Unknown(self._key(law, factor, axis), factor))
            holes.append(Pending(self, {unknown: 1}, 0))
        remaining = iter(holes)
        return _filled(template.pattern, remaining)

    def _key(self, law: Law, factor: Piecewise, axis: int) -> Hashable:
        if isinstance(law, Geometric | DiscreteLaplace):
            return type(law).__name__, law.rate
        return "law", self.memo.number(("id", id(factor)), lambda: factor), axis

    def add(self, unknown: Unknown) -> int:
        """A new unknown integer; returns its number."""
        self.unknowns.append(unknown)
        return self.constraints.add(unknown.density.hull)

    def substituted(self, form: Pending) -> Pending:
        """The form with the unknowns that are known by now put in."""
        for unknown in list(form.coefficients):
            low, high = self.constraints.intervals[unknown]
            if low is not None and low == high:
                form = _with_value(form, unknown, low)
        return form

    def _with_two_unknowns(self, form: Pending) -> Pending:
        """The form with all but two unknowns fixed, the two with coefficients of equal size."""
        form = self.substituted(form)
        purpose = "compared together with more than one other noise"
        while len(form.coefficients) > 2:
            form = self.put(form, min(form.coefficients), purpose)
        if len({abs(c) for c in form.coefficients.values()}) == 2:
            form = self.put(form, min(form.coefficients), purpose)
        return form

    def put(self, form: Pending, unknown: int, purpose: str) -> Pending:
        """The form with the value of an unknown put in."""
        return _with_value(form, unknown, self.fixed(unknown, purpose))

    def fixed(self, unknown: int, purpose: str) -> int:
        """The value of an unknown, with one branch for each; those outside the window are abandoned."""
        low, high = self.constraints.range_of(unknown)
        if (low is None or high is None) and self.window is None:
            raise NotClosed(
                f"noise with infinitely many values is {purpose}: no closed form is kept for that; compare it with "
                "numbers or with other noise, clamp it to a range first, or give window=W (--window W) to spell out "
                "the values from -W to W and bound the rest"
            )
        radius = self.window or 0
        start = low if low is not None and (high is not None or low >= -radius) else -radius
        stop = high if high is not None and (low is not None or high <= radius) else radius
        outside: list[Interval] = []
        if low is None or low < start:
            outside.append((low, start - 1))
        if high is None or high > stop:
            outside.append((stop + 1, high))
        value = self.one_of(start, stop, ("value", unknown), purpose, outside)
        self.constraints.narrow(unknown, (value, value))
        return value

    def one_of(self, start: int, stop: int, question: Hashable, purpose: str, outside: Sequence[Interval] = ()) -> int:
        """One branch for each of start..stop; the branches for what lies outside are abandoned at once."""
        values = max(0, stop - start + 1)
        if values > VALUES_AT_MOST:
            raise BudgetExceeded(
                f"noise is {purpose} and may have {values} values; at most {VALUES_AT_MOST} are spelled out",
                estimate=values,
                budget=VALUES_AT_MOST,
            )
        self._step()
        options = values + len(outside)
        pick = self._choose((question, start, stop), options) if options > 1 else 0
        if pick >= values:
            raise Abandoned
        return start + pick

    def forest(self, roots: list[int]) -> Forest:
        """The links as a forest; where they form a cycle, unknowns are fixed until they do not."""
        for unknown, (low, high) in enumerate(self.constraints.intervals):
            if low is not None and low == high:
                self._unlink(unknown, low)
        while True:
            forest = Forest(self.unknowns, self.constraints, self.memo)
            if not forest.cycle:
                return forest
            linked = [v for link in self.constraints.links for v in (link.first, link.second)]
            worst = max((v for v in set(linked) if v not in roots), key=linked.count)
            value = self.fixed(worst, "compared with other noise in a circle")
            self._unlink(worst, value)

    def _unlink(self, unknown: int, value: int) -> None:
        """Turns the links of an unknown whose value is known into intervals of its neighbours."""
        for link, (low, high) in list(self.constraints.links.items()):
            if unknown == link.first:
                ends = (low - value if low is not None else None, high - value if high is not None else None)
                span = (_negated(ends[1]), _negated(ends[0])) if link.sign == 1 else ends
                self.constraints.narrow(link.second, span)
            elif unknown == link.second:
                step = link.sign * value
                self.constraints.narrow(
                    link.first,
                    (low + step if low is not None else None, high + step if high is not None else None),
                )
            else:
                continue
            del self.constraints.links[link]

    @remembering
    def same_path(self, form: Pending) -> None:
        """Raises `NonDeterministic` when the form was drawn on another path."""
        if form.path is not self:
            raise NonDeterministic("the mechanism keeps noise from an earlier call; it must keep no state")


def link_of(form: Pending) -> tuple[Link, Plain]:
    """The linked quantity of a form of two unknowns, and the coefficient of the first."""
    first, second = sorted(form.coefficients)
    c = form.coefficients[first]
    return Link(first, second, 1 if form.coefficients[second] == -c else -1), c


def _with_value(form: Pending, unknown: int, value: int) -> Pending:
    rest = {v: c for v, c in form.coefficients.items() if v != unknown}
    return Pending(form.path, rest, plain(form.offset + form.coefficients[unknown] * value))


def _meet(one: Interval, two: Interval) -> bool:
    low = max((x for x in (one[0], two[0]) if x is not None), default=None)
    high = min((x for x in (one[1], two[1]) if x is not None), default=None)
    return low is None or high is None or low <= high


def _filled(pattern: object, holes: Iterator[Pending]) -> object:
    if pattern is HOLE:
        return next(holes)
    return rebuilt(pattern, [_filled(p, holes) for p in pattern]) if isinstance(pattern, tuple) else pattern


def _negated(value: int | None) -> int | None:
    return None if value is None else -value
