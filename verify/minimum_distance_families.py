"""Families of Yatracos classes, of minimum-distance estimators on all types of few records, of covers and of sizes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, cycle, product

from exactdp.reference.estimators import minimum_distance
from exactdp.spec.agnostic_sizes import EstimatorSizesInstance, estimator_samples
from exactdp.spec.exponent import Epsilon
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.minimum_distance import CoverInstance, MinimumDistanceInstance, YatracosInstance
from exactdp.spec.number import Number
from exactdp.spec.standard_laws import discrete_laplace, geometric, point
from exactdp.spec.tuples import distance
from exactdp.spec.yatracos import atoms_of, largest_ball
from exactdp.verify.agnostic_families import PARAMETERS, ProgramSizes
from exactdp.verify.families import Sizes, family_of, grid_counts, grid_laws, law_of_counts

Laws = tuple[Law, ...]


@dataclass(frozen=True)
class MinimumDistanceSizes:
    """Which grids of classes are tried."""

    class_grids: tuple[tuple[int, int, int], ...]
    """(laws in the class, points, denominator): all classes of so many different laws of the grid."""
    estimated_grids: tuple[tuple[int, int, int, int, tuple[int, ...]], ...]
    """(laws, points, denominator, denominator of p, numbers of records), for the estimator."""
    cover_denominators: tuple[tuple[int, int], ...]
    """(points, denominator) of the classes that are covered."""


SIZES = {
    "minimal": MinimumDistanceSizes(
        class_grids=((1, 2, 1), (2, 2, 3), (3, 2, 3), (2, 3, 2), (3, 3, 2)),
        estimated_grids=((2, 2, 4, 4, (1, 3)), (3, 3, 1, 2, (1, 2)), (2, 3, 2, 2, (2,))),
        cover_denominators=((2, 4), (3, 2)),
    ),
    "full": MinimumDistanceSizes(
        class_grids=((1, 2, 1), (2, 2, 4), (3, 2, 4), (2, 3, 3), (3, 3, 2), (4, 3, 2), (3, 4, 1), (6, 3, 2), (2, 4, 2)),
        estimated_grids=(
            (2, 2, 4, 4, (1, 2, 3, 4)), (3, 2, 4, 3, (2, 3)), (3, 3, 1, 3, (1, 2, 3)), (2, 3, 2, 3, (2, 3)),
            (3, 3, 2, 2, (2,)),
        ),
        cover_denominators=((2, 6), (3, 2), (3, 3)),
    ),
}  # fmt: skip

ALPHAS = Fraction(1, 2), Fraction(1, 5), Fraction(1, 20)

COINS: Laws = law_of_counts((3, 1)), law_of_counts((1, 3))
"""(3/4, 1/4) and (1/4, 3/4)."""
FAR_FROM_NEAREST: Laws = law_of_counts((5, 1, 0, 2)), law_of_counts((0, 0, 5, 3))
BETWEEN = law_of_counts((0, 3, 5, 0))
"""At distance 7/8 from the first of these two laws and 3/8 from the second, but as near to both on their sets."""


@family_of("def-C.3")
def _classes(sizes: Sizes) -> Iterator[Instance]:
    for number, points, n in SIZES[sizes.preset].class_grids:
        for laws in combinations(grid_laws(points, n), number):
            yield yatracos_instance(f"{_shown(laws, points, n)} over {n}", laws, points)
    steps = tuple(law_of_counts([1] * i + [0] * (4 - i)) for i in range(1, 5))
    yield yatracos_instance("uniform on 1, 2, 3 and 4 points", steps, 4)
    yield yatracos_instance("four points, each certain", tuple(map(point, range(4))), 4)
    yield yatracos_instance("one law twice, and another", (COINS[0], COINS[0], COINS[1]), 2)
    yield countable_instance("geometric laws of scales 1, 2 and 3", tuple(map(geometric, (1, 2, 3))))
    yield countable_instance("discrete Laplace laws of scales 1 and 2", tuple(map(discrete_laplace, (1, 2))))


def yatracos_instance(name: str, laws: Sequence[Law], points: int) -> YatracosInstance:
    """A class on 0, 1, ..."""
    return YatracosInstance(name, tuple(laws), tuple(range(points)))


def countable_instance(name: str, laws: Laws) -> YatracosInstance:
    """A class of countable laws, on the atoms of its sets."""
    atoms = atoms_of(laws)
    return YatracosInstance(name, atoms.on_atoms, tuple(range(len(atoms))), countable=laws)


def _shown(laws: Sequence[Law], points: int, n: int) -> str:
    return " and ".join(f"({', '.join(str(law[y] * n) for y in range(points))})" for law in laws)


@family_of("thm-C.4")
def _estimators(sizes: Sizes) -> Iterator[Instance]:
    alphas = cycle(ALPHAS)
    for number, points, n, m, records in SIZES[sizes.preset].estimated_grids:
        for laws in combinations(grid_laws(points, n), number):
            alpha = next(alphas)
            estimate = minimum_distance(laws, alpha)
            for counts, size in product(grid_counts(points, m), records):
                name = f"{_shown(laws, points, n)} over {n}, p = {counts} over {m}, {size} records, alpha = {alpha}"
                p, domain = law_of_counts(counts), tuple(range(points))
                yield MinimumDistanceInstance(name, laws, domain, p, size, alpha, Fraction(1, 2), estimate)
    yield nearly_three_times()
    for p in (COINS[0], law_of_counts((1, 1)), law_of_counts((5, 2))):
        yield enough_coins(p, 25, Fraction(1, 2))
        yield enough_coins(p, 41, Fraction(1, 10))


def estimator_instance(
    name: str, laws: Laws, p: Law, records: int, alpha: Fraction, beta: Fraction = Fraction(1, 2)
) -> MinimumDistanceInstance:
    """The estimator of the paper, on 0, 1, ..."""
    points = 1 + max(y for law in (*laws, p) for y in law.support() if isinstance(y, int))
    return MinimumDistanceInstance(
        name, laws, tuple(range(points)), p, records, alpha, beta, minimum_distance(laws, alpha)
    )


def nearly_three_times() -> MinimumDistanceInstance:
    """A law p that is 7/3 OPT away from what is chosen when the records are exactly as p says."""
    name = "chosen at distance 7/8 with OPT = 3/8, 8 records"
    return estimator_instance(name, FAR_FROM_NEAREST, BETWEEN, 8, Fraction(1, 10))


def enough_coins(p: Law, records: int, beta: Fraction) -> MinimumDistanceInstance:
    """Two coins and enough records for alpha = 9/10."""
    name = f"two coins, p[0] = {p[0]}, {records} records, alpha = 9/10, beta = {beta}"
    return estimator_instance(name, COINS, p, records, Fraction(9, 10), beta)


@family_of("rem-covers")
def _covers(sizes: Sizes) -> Iterator[Instance]:
    for points, n in SIZES[sizes.preset].cover_denominators:
        laws = tuple(grid_laws(points, n))
        for steps in range(n + 1):
            alpha = Fraction(steps, n)
            yield cover_instance(f"all laws over {n} on {points} points, alpha = {alpha}", laws, alpha)
        yield cover_instance(f"all laws over {n} on {points} points, alpha = 1/100", laws, Fraction(1, 100))
    coins = tuple(grid_laws(2, 20))
    for alpha in (Fraction(1, 20), Fraction(1, 10)) if sizes.preset == "full" else (Fraction(1, 20),):
        yield cover_instance(f"coins over 20, alpha = {alpha}", coins, alpha)


def cover_instance(name: str, laws: Laws, alpha: Fraction) -> CoverInstance:
    """A cover of the class that takes every law which those before it do not cover, and the least k for it."""
    cover: list[Law] = []
    for q in laws:
        if all(distance(q, h) > alpha for h in cover):
            cover.append(q)
    return CoverInstance(name, laws, tuple(cover), alpha, largest_ball(cover, 8 * alpha))


# -- sizes --


@dataclass(frozen=True)
class EstimatorSamples:
    """m(alpha, beta) = ceil(C_0 (d + log(2/beta))/alpha^2)."""

    dimension: int
    factor: Fraction = Fraction(1)

    def __call__(self, alpha: Number, beta: Number) -> int:
        """The number of samples."""
        return estimator_samples(self.dimension, self.factor, alpha, beta)


def estimator_sizes(dimension: int, parameters: Sequence[str], factor: int = 1) -> EstimatorSizesInstance:
    """The minimum-distance estimator with C_0 = factor."""
    alpha, beta, epsilon, delta = parameters
    a, b, e, d, C0 = Fraction(alpha), Fraction(beta), Epsilon(epsilon), Fraction(delta), Fraction(factor)
    samples = EstimatorSamples(dimension, C0)
    name = f"d = {dimension}, C_0 = {factor}, alpha, beta, epsilon, delta = {', '.join(parameters)}"
    return EstimatorSizesInstance(name, a, b, e, d, dimension, C0, ProgramSizes(samples, Fraction(3), a, b, e, d))


@family_of("cor-C.5")
def _corollaries(sizes: Sizes) -> Iterator[Instance]:
    dimensions = (0, 1, 5) if sizes.preset == "minimal" else (0, 1, 2, 5, 20, 100)
    for dimension, parameters in product(dimensions, PARAMETERS):
        yield estimator_sizes(dimension, parameters)
    yield estimator_sizes(3, PARAMETERS[0], 8)
