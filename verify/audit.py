"""The audit: from a mechanism in plain Python and a claim (epsilon, delta) to a decided verdict.

The mechanism's law is enumerated exactly on every dataset of n records over the domain; the claim is then an inequality
between exact numbers for every ordered pair of neighbours. *Holds* is a proof for this universe, *refuted* comes with a
pair, an event and both probabilities. Nothing is said of larger n, of other domains, or of timing.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from time import perf_counter

from exactdp.reference.draw import BUDGET, Mechanism, name_of
from exactdp.spec.cells import Cell
from exactdp.spec.claim import Claim, Kind, Verdict
from exactdp.spec.divergence import Event, divergence_bounds
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.exponent import ANY, Epsilon
from exactdp.spec.law import Bounds
from exactdp.spec.number import Number, exact, exp
from exactdp.spec.rational import rational
from exactdp.verify.decide import Decider, LeastFactor, Worst
from exactdp.verify.neighbours import Dataset, Relation, relation_of
from exactdp.verify.profile import Profile, privacy_profile
from exactdp.verify.universe import Progress, Universe, check_domain, explore, quiet


@dataclass(frozen=True)
class PrivacyClaim:
    """The claim that a mechanism is (multiple * epsilon, delta)-private for a neighbouring relation."""

    epsilon: Epsilon
    multiple: Fraction
    delta: Number
    relation: Relation

    @property
    def factor(self) -> Number:
        """E = e^(multiple * epsilon)."""
        return exp(self.epsilon * self.multiple)


@dataclass(frozen=True)
class Witness:
    """A refutation: P(event) > E * Q(event) + delta on a pair of neighbours, the smallest pair that was found."""

    pair: tuple[Dataset, Dataset]
    event: Event


@dataclass(frozen=True)
class Audit:
    """Everything that an audit found; see `audit`.

    `delta_at_epsilon` is the exact worst divergence at the claimed epsilon (bounds, if mass is unresolved), attained at
    `worst_pair` on `worst_event`. `epsilon_star` is the least E = e^epsilon that the claimed delta allows, None in
    `factor` when there is none. Both `epsilon_star` and `profile` are None when mass is unresolved.
    """

    mechanism: str
    claim: PrivacyClaim
    domain: tuple[Hashable, ...]
    n: int
    universe: Universe
    verdict: Verdict
    claims: tuple[Claim, ...]
    witness: Witness | None
    delta_at_epsilon: Number | Bounds
    worst_pair: tuple[Dataset, Dataset]
    worst_event: Event
    epsilon_star: LeastFactor | None
    profile: Profile | None
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"audit of {self.mechanism}: {self.verdict}"

    @property
    def pairs(self) -> int:
        """How many ordered pairs of neighbours were decided."""
        return len(self.universe.pairs)


def audit(
    mechanism: Mechanism,
    *,
    domain: Sequence[Hashable],
    n: int,
    epsilon: Epsilon | Fraction | int | str,
    delta: Number | int | str = 0,
    claim: Fraction | int | str = 1,
    neighbours: object = "change-one",
    budget: int = BUDGET,
    window: int | None = None,
    progress: Progress = quiet,
) -> Audit:
    """Decides whether mechanism(data, draw) is (claim * epsilon, delta)-private on all datasets of n records.

    `data` is a tuple of n records from `domain` (0 to n records for add-remove); `neighbours` is "change-one",
    "add-remove", "each-by-one", a function of two datasets, or a `Relation`. The mechanism is given `epsilon` when it
    names it; `claim` multiplies epsilon in the claim only. `budget` bounds the steps of the enumeration, and `window`
    lets noise be spelled out where no closed form is kept (see `law_of`).

    Raises `InvalidArgument`, `BudgetExceeded`, `NotClosed`, `NonDeterministic`.

    >>> from exactdp.spec.standard_laws import bernoulli
    >>> def randomized_response(data, draw, *, epsilon):
    ...     return data[0] ^ draw(bernoulli(1 / (1 + exp(epsilon))))
    >>> result = audit(randomized_response, domain=[False, True], n=1, epsilon="ln(3)")
    >>> str(result.verdict), result.epsilon_star.factor
    ('holds', Fraction(3, 1))
    """
    start = perf_counter()
    relation = relation_of(neighbours)
    statement = PrivacyClaim(Epsilon(epsilon), _multiple(claim), _delta(delta), relation)
    if statement.epsilon.unit == ANY:
        raise InvalidArgument("epsilon", "any", "a value such as '1/2' or 'ln(3)': an audit decides one epsilon")
    values = check_domain(domain, relation)
    universe = explore(
        mechanism, values, n, relation, epsilon=statement.epsilon, budget=budget, window=window, progress=progress
    )
    frame = partial(Audit, name_of(mechanism), statement, tuple(values), n, universe)
    result = _decided(universe, statement, frame) if universe.is_resolved else _bounded(universe, statement, frame)
    return replace(result, seconds=perf_counter() - start)


def _multiple(value: object) -> Fraction:
    multiple = rational(value, "claim")
    if multiple <= 0:
        raise InvalidArgument("claim", value, "a positive multiple of epsilon, such as 2 or '1/2'")
    return multiple


def _delta(value: object) -> Number:
    delta = exact(value, "delta")
    if not 0 <= delta < 1:
        raise InvalidArgument("delta", value, "a number of at least 0 and below 1")
    return delta


def _decided(universe: Universe, statement: PrivacyClaim, frame: Callable[..., Audit]) -> Audit:
    """The audit of a universe in which every law is known completely."""
    decider = Decider(universe)
    worst = decider.worst(statement.factor)
    comparison = Claim(_label(universe, worst), worst.delta, "<=", statement.delta)
    verdict, witness = Verdict(Kind.HOLDS), None
    if not comparison.holds:
        witness = smallest_witness(decider, statement.factor, statement.delta)
        verdict = Verdict(Kind.REFUTED, witness)
    elif not universe.law_pairs:
        verdict = Verdict(
            Kind.VACUOUS, reason="the output law is the same on every dataset: nothing was put to the test"
        )
    return frame(
        verdict=verdict,
        claims=(comparison,),
        witness=witness,
        delta_at_epsilon=worst.delta,
        worst_pair=_datasets(universe, worst.pair),
        worst_event=worst.event,
        epsilon_star=decider.least_factor(statement.delta),
        profile=privacy_profile(decider),
    )


def _bounded(universe: Universe, statement: PrivacyClaim, frame: Callable[..., Audit]) -> Audit:
    """The audit of a universe in which some mass is unresolved: the worst divergence lies between two bounds."""
    aligned, factor = universe.aligned, statement.factor
    low: Number = Fraction(0)
    high: Number = Fraction(0)
    pair, event = universe.pairs[0], Event((), Fraction(0), Fraction(0))
    for laws, datasets in universe.law_pairs.items():
        found = divergence_bounds(aligned, *laws, factor)
        least, most = found if isinstance(found, Bounds) else (found, found)
        high = max(high, most)
        if least > low:
            low, pair, event = least, datasets, aligned.best_event(*laws, factor)
    worst = Worst(low, pair, event)
    at_most = Claim("upper bound of the worst divergence", high, "<=", statement.delta)
    at_least = Claim("lower bound of the worst divergence", low, "<=", statement.delta)
    witness = None
    if at_most.holds:
        verdict = Verdict(Kind.HOLDS)
    elif not at_least.holds:
        witness = Witness(_datasets(universe, pair), event)
        verdict = Verdict(Kind.REFUTED, witness)
    else:
        verdict = Verdict(Kind.UNDECIDED, reason="unresolved mass covers the difference; a larger window may decide")
    return frame(
        verdict=verdict,
        claims=(at_least, at_most),
        witness=witness,
        delta_at_epsilon=Bounds(low, high),
        worst_pair=_datasets(universe, worst.pair),
        worst_event=worst.event,
        epsilon_star=None,
        profile=None,
    )


def smallest_witness(decider: Decider, factor: Number, delta: Number) -> Witness:
    """Of all pairs that refute the claim the one with the smallest datasets, and on it the fewest outcomes."""
    universe = decider.universe
    laws, event = min(decider.exceeding(factor, delta), key=lambda found: sum(universe.law_pairs[found[0]]))
    return Witness(_datasets(universe, universe.law_pairs[laws]), _fewest(decider, laws, event, factor, delta))


def _fewest(decider: Decider, laws: tuple[int, int], event: Event, factor: Number, delta: Number) -> Event:
    """The fewest cells of the event that still refute, largest excess first; an event with tails stays whole."""
    aligned = decider.aligned
    if aligned.irregular:
        return event
    p, q = (aligned.vectors[i] for i in laws)
    numbered = [(aligned.cells.index(cell), cell) for cell in event.cells]
    numbered.sort(key=lambda found: p[found[0]] - factor * q[found[0]], reverse=True)
    cells: list[Cell] = []
    mass_p: Number = Fraction(0)
    mass_q: Number = Fraction(0)
    for n, cell in numbered:
        cells.append(cell)
        mass_p, mass_q = mass_p + p[n], mass_q + q[n]
        if mass_p - factor * mass_q > delta:
            break
    return Event(tuple(cells), mass_p, mass_q)


def _label(universe: Universe, worst: Worst) -> str:
    one, other = _datasets(universe, worst.pair)
    return f"worst divergence, at {one!r} against {other!r}"


def _datasets(universe: Universe, pair: tuple[int, int]) -> tuple[Dataset, Dataset]:
    return universe.datasets[pair[0]], universe.datasets[pair[1]]
