"""The finite universe of an audit: every dataset, its exact output law, and every ordered pair of neighbours."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import inf

from exactdp.reference.draw import BUDGET, Enumeration, Mechanism
from exactdp.reference.meter import Meter
from exactdp.spec.divergence import Aligned
from exactdp.spec.errors import BudgetExceeded, InvalidArgument
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import Law
from exactdp.verify.neighbours import Dataset, Relation

Progress = Callable[[int, int, str], None]
"""Called with (done, total, what is being done)."""

RECORDS_PER_STEP = 100
PAIRS_PER_STEP = 20
"""Comparing a pair costs about a twentieth of a step of enumeration."""


def quiet(done: int, total: int, label: str) -> None:
    """Shows nothing."""


@dataclass
class Universe:
    """Datasets, their laws without repeats (`law_of[i]` is the law of dataset i) and neighbours.

    `pairs` are ordered pairs of datasets; `law_pairs` maps each ordered pair of different laws that occurs to the
    pair of datasets that comes first among those that have it; laws with unresolved mass are all different.
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
            if a != b and (i + j, i) < _rank(self.law_pairs.get((a, b))):
                self.law_pairs[a, b] = i, j

    @property
    def is_resolved(self) -> bool:
        """Whether every law is known completely."""
        return not any(self.aligned.unresolved)


def _rank(pair: tuple[int, int] | None) -> tuple[float, int]:
    return (inf, 0) if pair is None else (sum(pair), pair[0])


def explore(
    mechanism: Mechanism,
    values: Sequence[Hashable],
    n: int,
    relation: Relation,
    *,
    epsilon: Epsilon | None,
    budget: int = BUDGET,
    window: int | None = None,
    progress: Progress = quiet,
) -> Universe:
    """The mechanism's law on every dataset over checked values. Raises `InvalidArgument`, and what `law_of` raises."""
    check_size(n)
    enumeration = Enumeration(mechanism, epsilon, Meter(budget), window)
    datasets = sorted(_all_datasets(relation, values, n, budget), key=lambda dataset: _size(dataset, values))
    numbers: dict[Law, int] = {}
    laws: list[Law] = []
    law_of: list[int] = []
    meter = enumeration.meter
    meter.share = Fraction(1, len(datasets))
    for done, dataset in enumerate(datasets):
        progress(done, len(datasets), "laws")
        meter.done = done * meter.share
        law = enumeration.law(dataset)
        law_of.append(numbers.get(law, len(laws)))
        if law_of[-1] == len(laws):
            laws.append(law)
            if not law.unresolved:
                numbers[law] = law_of[-1]
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
        expected = f"a domain, n (here {n}) and relation (here {relation.name}) with at least one pair of neighbours"
        raise InvalidArgument("domain", values, expected)
    return Universe(datasets, laws, law_of, pairs, [assumption] if assumption else [])


def _all_datasets(relation: Relation, values: Sequence[Hashable], n: int, budget: int) -> list[Dataset]:
    """Every dataset of the universe. Raises `BudgetExceeded` when there are more than the budget has steps."""
    limit = max(1, min(budget, RECORDS_PER_STEP * budget // n))
    datasets = list(islice(relation.universe(values, n), limit + 1)) if n <= budget else []
    if len(datasets) > limit or n > budget:
        raise BudgetExceeded(
            f"there are more than {limit} datasets of n = {n} records over {len(values)} values, and the budget is "
            f"{budget} steps; raise it with budget=N (--budget N), or take fewer records or a smaller domain",
            estimate=limit,
            budget=budget,
        )
    return datasets


def check_domain(domain: object, relation: Relation) -> list[Hashable]:
    """The domain as a list of distinct values. Raises `InvalidArgument`."""
    if not isinstance(domain, Iterable) or isinstance(domain, str):
        raise InvalidArgument("domain", domain, "a list of values, such as [0, 1]")
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
