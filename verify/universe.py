"""The finite universe of an audit: every dataset, its exact output law, and every ordered pair of neighbours."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.reference.draw import BUDGET, Enumeration, Mechanism
from exactdp.reference.meter import Meter
from exactdp.spec.divergence import Aligned
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.verify.neighbours import Dataset, Relation

Progress = Callable[[int, int, str], None]
"""Called with (done, total, what is being done)."""

PAIRS_PER_STEP = 20
"""Comparing a pair costs about a twentieth of a step of enumeration."""


def quiet(done: int, total: int, label: str) -> None:
    """Shows nothing."""


@dataclass
class Universe:
    """Datasets, their laws without repeats (`law_of[i]` is the law of dataset i) and neighbours.

    `pairs` are ordered pairs of datasets; `law_pairs` maps each ordered pair of different laws that occurs to the first
    pair of datasets that has it, in the order of `datasets`.
    """

    datasets: list[Dataset]
    laws: list[Law]
    law_of: list[int]
    pairs: list[tuple[int, int]]
    assumptions: list[str]

    def __post_init__(self) -> None:
        self.aligned = Aligned(self.laws)
        self.law_pairs: dict[tuple[int, int], tuple[int, int]] = {}
        for i, j in self.pairs:
            a, b = self.law_of[i], self.law_of[j]
            if a != b:
                self.law_pairs.setdefault((a, b), (i, j))

    @property
    def is_resolved(self) -> bool:
        """Whether every law is known completely."""
        return not any(self.aligned.unresolved)


def explore(
    mechanism: Mechanism,
    domain: Sequence[Hashable],
    n: int,
    relation: Relation,
    *,
    epsilon: Epsilon | None,
    budget: int = BUDGET,
    window: int | None = None,
    progress: Progress = quiet,
) -> Universe:
    """Enumerates the mechanism's law on every dataset. Raises `InvalidArgument`, and what `law_of` raises."""
    values = check_domain(domain, relation)
    check_size(n)
    enumeration = Enumeration(mechanism, epsilon, Meter(budget), window)
    count = relation.size(len(values), n)
    if count > budget:
        raise BudgetExceeded(
            f"there are {count} datasets of n = {n} records over {len(values)} values, the budget is {budget} steps; "
            "raise it with budget=N (--budget N), or take fewer records or a smaller domain",
            estimate=count,
            budget=budget,
        )
    datasets = sorted(relation.universe(values, n), key=lambda dataset: _size(dataset, values))
    numbers: dict[Law, int] = {}
    law_of: list[int] = []
    meter = enumeration.meter
    meter.share = Fraction(1, len(datasets))
    for done, dataset in enumerate(datasets):
        progress(done, len(datasets), "laws")
        meter.done = done * meter.share
        law = enumeration.law(dataset)
        law_of.append(numbers.setdefault(law, len(numbers)))
    progress(len(datasets), len(datasets), "laws")
    assumption = relation.check(datasets, values, n)
    pairs = list(relation.pairs(datasets, values, n))
    if len(pairs) > PAIRS_PER_STEP * budget:
        raise BudgetExceeded(
            f"there are {len(pairs)} ordered pairs of neighbours, the budget of {budget} steps allows "
            f"{PAIRS_PER_STEP * budget}; raise it with budget=N (--budget N)",
            estimate=len(pairs) // PAIRS_PER_STEP,
            budget=budget,
        )
    if not pairs:
        raise InvalidArgument("domain", values, "a domain in which some dataset has a neighbour")
    return Universe(datasets, list(numbers), law_of, pairs, [assumption] if assumption else [])


def check_domain(domain: Sequence[Hashable], relation: Relation) -> list[Hashable]:
    """The domain as a list of distinct values. Raises `InvalidArgument`."""
    values = list(domain)
    if not values:
        raise InvalidArgument("domain", values, "at least one value")
    try:
        repeated = [v for i, v in enumerate(values) if v in values[:i]]
        hash(tuple(values))
    except TypeError:
        raise InvalidArgument("domain", values, "hashable values") from None
    if repeated:
        raise InvalidArgument("domain", repeated[0], "each value once: this one is repeated")
    wrong = [v for v in values if relation.integers and (isinstance(v, bool) or not isinstance(v, int))]
    if wrong:
        raise InvalidArgument("domain", wrong[0], f"integers, for the relation {relation.name}")
    return values


def check_size(n: int) -> None:
    """Raises `InvalidArgument` unless n is an int of at least 1."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InvalidArgument("n", n, "an int of at least 1: the number of records")


def _size(dataset: Dataset, domain: Sequence[Hashable]) -> tuple[int, int, tuple[int, ...]]:
    """Smaller datasets first: fewer records, then smaller integers or earlier values of the domain."""
    positions = tuple(domain.index(record) for record in dataset)
    weights = [abs(r) if isinstance(r, int) else i for r, i in zip(dataset, positions, strict=True)]
    return len(dataset), sum(weights), positions
