"""Controls of Yatracos classes, of the minimum-distance estimator and of covers: wrong sets, rules, bounds and sizes.

What is not wrong has no control: the sets {q <= q'}, or one set for every unordered pair, give the same D and Delta_S,
since |P(A) - q(A)| is the same for a set and its complement.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from exactdp.spec.agnostic_sizes import Sizes
from exactdp.spec.law import Law
from exactdp.spec.minimum_distance import (
    Domain,
    Family,
    Gap,
    Masses,
    YatracosInstance,
    largest_gap,
    places_of,
    union_tail,
)
from exactdp.spec.number import Number, exp
from exactdp.spec.sampler import Dataset
from exactdp.spec.standard_laws import geometric, point, uniform
from exactdp.spec.tuples import distance
from exactdp.spec.yatracos import is_cover, yatracos_class, yatracos_set
from exactdp.verify.agnostic_controls import one_c_less
from exactdp.verify.agnostic_families import PARAMETERS, Polynomial, sizes_instance
from exactdp.verify.controls import Control, controls_of
from exactdp.verify.coupling_controls import Row, controls_in
from exactdp.verify.families import law_of_counts
from exactdp.verify.minimum_distance_families import (
    COINS,
    EstimatorSamples,
    countable_instance,
    cover_instance,
    estimator_instance,
    estimator_sizes,
    nearly_three_times,
    yatracos_instance,
)
from exactdp.verify.wrong_couplings import Wrong

Laws = tuple[Law, ...]
HALF, SIXTEENTH = Fraction(1, 2), Fraction(1, 16)
FAIR = law_of_counts((1, 1))
SLOPES: Laws = law_of_counts((3, 2, 1)), law_of_counts((1, 2, 3)), law_of_counts((1, 4, 1))
HALVES: Laws = uniform((0, 1)), uniform((2, 3))


# -- Yatracos sets --


@Wrong
def at_least(q: Law, other: Law) -> frozenset[Hashable]:
    """{q >= q'}, on the points 0 and 1."""
    return frozenset(y for y in (0, 1) if q[y] >= other[y])


@Wrong
def other_way_round(q: Law, other: Law) -> frozenset[Hashable]:
    """{q < q'}."""
    return yatracos_set(other, q)


@Wrong
def one_point(q: Law, other: Law) -> frozenset[Hashable]:
    """The one point where q exceeds q' most."""
    return frozenset(sorted(yatracos_set(q, other), key=lambda y: other[y] - q[y])[:1])


@Wrong
def unordered_pairs(laws: Sequence[Law], domain: Sequence[Hashable]) -> tuple[int, ...]:
    """{q > q'} for every pair in one order alone."""
    pairs = (yatracos_set(q, other) for q, other in combinations(laws, 2))
    return tuple(dict.fromkeys(sum(1 << i for i, y in enumerate(domain) if y in event) for event in pairs))


@Wrong
def single_points(laws: Sequence[Law], domain: Sequence[Hashable]) -> tuple[int, ...]:
    """Every point by itself."""
    return tuple(1 << i for i in range(len(domain)))


@Wrong
def number_of_points(family: tuple[int, ...]) -> int:
    """How many points the sets have together."""
    return max(mask.bit_length() for mask in family)


@Wrong
def size_of_the_largest(family: tuple[int, ...]) -> int:
    """The number of points of the largest set, shattered or not."""
    return max(mask.bit_count() for mask in family)


@controls_of("def-C.3")
def _wrong_classes() -> Iterator[Control]:
    coins, slopes = yatracos_instance("two coins", COINS, 2), yatracos_instance("three slopes", SLOPES, 3)
    geometrics = countable_instance("geometric laws of scales 1, 2 and 3", tuple(map(geometric, (1, 2, 3))))
    rows: list[Row] = [
        (
            "{q >= q'}", "it attains TV, but with a law itself it gives all points, not none",
            "diagonal", replace(coins, name="two coins, by >=", fixed=at_least),
        ),
        (
            "{q < q'}", "the difference of the masses is -TV",
            "attained", replace(coins, name="two coins, the other way round", fixed=other_way_round),
        ),
        (
            "the point where q exceeds q' most", "on three points and more one point does not attain TV",
            "attained", replace(yatracos_instance("two halves, one point of each", HALVES, 4), fixed=one_point),
        ),
        (
            "every pair in one order alone",
            "A_{q',q} and the empty set are missing, though D and Delta_S do not need them",
            "class", replace(slopes, name="three slopes, pairs in one order", family=unordered_pairs),
        ),
        (
            "every point by itself", "the sets of the class have two points as well",
            "class", replace(slopes, name="three slopes, single points", family=single_points),
        ),
        (
            "as many as there are points", "four points have 16 subsets, and there are fewer sets",
            "VC", replace(yatracos_instance("two halves", HALVES, 4), dimension=number_of_points),
        ),
        (
            "the points of the largest set", "a large set is not a shattered one",
            "VC", replace(yatracos_instance("two halves, the largest set", HALVES, 4), dimension=size_of_the_largest),
        ),
        (
            "two atoms as one", "laws that are told apart on the atoms are no longer as far apart as they are",
            "atoms", _merged(geometrics),
        ),
    ]  # fmt: skip
    return controls_in("def-C.3", rows)


def _merged(instance: YatracosInstance) -> YatracosInstance:
    """The last two atoms as one."""
    last = len(instance.domain) - 1
    laws = tuple(law.map(lambda a: last - 1 if a == last else a) for law in instance.laws)
    return YatracosInstance(
        "geometric laws, two atoms as one", laws, instance.domain[:-1], countable=instance.countable
    )


# -- the estimator --


@dataclass(frozen=True)
class Rule:
    """A minimum-distance rule with one mistake: in the slack (in parts of alpha), in the sets, in D or in the order."""

    laws: Laws
    domain: Domain
    alpha: Fraction
    slack: Fraction = HALF
    family: Family = yatracos_class
    gap: Gap = largest_gap
    last: bool = False

    def __call__(self, data: Dataset) -> Law:
        """The law that is chosen."""
        counted = Counter(data)
        empirical = tuple(Fraction(counted[y], len(data)) for y in self.domain)
        events = [places_of(mask) for mask in self.family(self.laws, self.domain)]
        distances = [self.gap(empirical, tuple(q[y] for y in self.domain), events) for q in self.laws]
        limit = min(distances) + self.slack * self.alpha
        near = [q for q, apart in zip(self.laws, distances, strict=True) if apart <= limit]
        return near[-1 if self.last else 0]


@dataclass(frozen=True)
class Always:
    """The same law, whatever the records are."""

    law: Law

    def __call__(self, data: Dataset) -> Law:
        """The law."""
        return self.law


@Wrong
def one_sided(one: Masses, other: Masses, events: Sequence[Sequence[int]]) -> Number:
    """P(A) - q(A) in place of its absolute value."""
    return max(sum((one[i] - other[i] for i in event), start=Fraction(0)) for event in events)


@Wrong
def mean_gap(one: Masses, other: Masses, events: Sequence[Sequence[int]]) -> Number:
    """The mean over the sets in place of the largest."""
    return sum((largest_gap(one, other, [event]) for event in events), start=Fraction(0)) / len(events)


@Wrong
def twice_the_threshold(records: int, sets: int, threshold: Number) -> Number:
    """The bound for alpha/2 in place of alpha/4."""
    return union_tail(records, sets, 2 * threshold)


@Wrong
def one_side_of_one_set(records: int, sets: int, threshold: Number) -> Number:
    """e^(-2 n t^2), without the two sides and without the number of sets."""
    return union_tail(records, sets, threshold) / (2 * sets)


@Wrong
def alpha_not_squared(records: int, sets: int, alpha: Number, beta: Number) -> bool:
    """n >= log(2 |Yat|/beta)/alpha."""
    assert isinstance(alpha, Fraction), "the exponent is rational"
    return 2 * sets * exp(-records * alpha) <= beta


def _estimators() -> Iterator[Row]:
    fifth, tenth, most = Fraction(1, 5), Fraction(1, 10), Fraction(9, 10)
    near: Laws = law_of_counts((3, 1)), FAIR
    once = estimator_instance("two coins, p fair, 2 records, slack alpha", near, FAIR, 2, 2 * fifth)
    yield (
        "slack alpha in place of alpha/2", "the first law is chosen although it is alpha/2 and more behind",
        "selection", replace(once, estimate=Rule(near, (0, 1), 2 * fifth, slack=Fraction(1))),
    )  # fmt: skip
    both = estimator_instance("two coins, 2 records, the last", COINS, FAIR, 2, most)
    yield (
        "the last law that is near enough", "both coins are near enough, and the first is to be taken",
        "selection", replace(both, estimate=Rule(COINS, (0, 1), most, last=True)),
    )  # fmt: skip
    blind = estimator_instance("two coins, 25 records, the first coin always", COINS, COINS[1], 25, most / 2)
    yield (
        "no look at the records", "the first law is always chosen",
        "selection", replace(blind, estimate=Always(COINS[0]), enough=everything_is_enough),
    )  # fmt: skip
    points = estimator_instance("two halves, 4 records, by single points", HALVES, HALVES[0], 4, tenth)
    yield (
        "sets of single points", "no single point tells two halves apart",
        "S1 sets",
        replace(points, family=single_points, estimate=Rule(HALVES, (0, 1, 2, 3), tenth, family=single_points)),
    )  # fmt: skip
    side = estimator_instance("two coins, one record, one side of one set", COINS, COINS[1], 1, tenth)
    rule = Rule(COINS, (0, 1), tenth, family=unordered_pairs, gap=one_sided)
    yield (
        "one side alone, and one set for a pair", "a law that the records stay below is as good as one that they meet",
        "S1 sets", replace(side, family=unordered_pairs, gap=one_sided, estimate=rule),
    )  # fmt: skip
    mean = estimator_instance("two coins, one record, mean deviation", COINS, COINS[0], 1, tenth)
    yield (
        "the mean deviation of the sets", "D(S, p) is the largest deviation, not the mean",
        "S1 deviation", replace(mean, deviation=mean_gap),
    )  # fmt: skip
    yield (
        "2 OPT in place of 3 OPT", "a law at distance 7/3 OPT is chosen when the records are exactly as p says",
        "S2", replace(nearly_three_times(), name="7/8 and twice 3/8", constant=Fraction(2)),
    )  # fmt: skip
    many = estimator_instance("two coins, p fair, 40 records", COINS, FAIR, 40, most)
    yield (
        "Hoeffding at alpha/2", "deviations of alpha/4 are more likely than that",
        "S3", replace(many, tail=twice_the_threshold),
    )  # fmt: skip
    lone = estimator_instance("two coins, p fair, one record", COINS, FAIR, 1, most)
    yield (
        "Hoeffding for one side of one set", "one record deviates by 1/2 always",
        "S3", replace(lone, tail=one_side_of_one_set),
    )  # fmt: skip
    close: Laws = law_of_counts((14, 11)), law_of_counts((11, 14))
    few = estimator_instance("coins 14/25 and 11/25, 41 records", close, close[1], 41, tenth, tenth)
    yield (
        "n >= log(2 |Yat|/beta)/alpha", "alpha is not squared, so there are too few records",
        "enough records", replace(few, enough=alpha_not_squared),
    )  # fmt: skip


@Wrong
def everything_is_enough(records: int, sets: int, alpha: Number, beta: Number) -> bool:
    """Any number of records."""
    return records > 0


@controls_of("thm-C.4")
def _wrong_estimators() -> Iterator[Control]:
    return controls_in("thm-C.4", list(_estimators()))


# -- covers --


@Wrong
def every_one_is_near(cover: Sequence[Law], laws: Sequence[Law], alpha: Number) -> bool:
    """Every h has a q nearby, in place of every q an h."""
    return all(any(distance(q, h) <= alpha for q in laws) for h in cover)


@Wrong
def from_anywhere(cover: Sequence[Law], laws: Sequence[Law], alpha: Number) -> bool:
    """Whether H covers Q, wherever its laws come from."""
    return is_cover(cover, [*laws, *cover], alpha)


@Wrong
def strictly_inside(cover: Sequence[Law], radius: Number) -> int:
    """The largest ball without its boundary."""
    return max(sum(distance(h, other) < radius for other in cover) for h in cover)


@Wrong
def counted_as_listed(cover: Sequence[Law], radius: Number) -> int:
    """A law that is listed twice counts twice."""
    return max(sum(distance(h, other) <= radius for other in cover) for h in cover)


@controls_of("rem-covers")
def _wrong_covers() -> Iterator[Control]:
    coins = tuple(law_of_counts((i, 20 - i)) for i in range(21))
    right = cover_instance("coins over 20, alpha = 1/20", coins, Fraction(1, 20))
    ends = tuple(map(point, (0, 1)))
    rows: list[Row] = [
        (
            "every law of H is near the class", "H may leave out a part of the class",
            "cover",
            replace(right, name="the first five laws of the cover", cover=right.cover[:5], covers=every_one_is_near),
        ),
        (
            "laws from outside the class", "a fair coin is within 1/2 of both ends, and is none of them",
            "part",
            replace(right, name="a fair coin for two ends", laws=ends, cover=(FAIR,), alpha=HALF, size=1,
                    covers=from_anywhere),
        ),
        (
            "balls of radius alpha", "the radius is 8 alpha; within alpha there is no other law of H",
            "ball", replace(right, name="coins over 20, one law in a ball", size=1),
        ),
        (
            "h itself not counted", "TV(h, h) = 0 is within every radius",
            "ball", replace(right, name="coins over 20, without the centre", size=right.size - 1),
        ),
        (
            "balls without their boundary", "laws at distance 8 alpha exactly count too",
            "least k", replace(right, name="coins over 20, open balls", ball=strictly_inside),
        ),
        (
            "a law that is listed twice counts twice", "H is a set",
            "least k",
            replace(right, name="coins over 20, one of them twice", cover=right.cover[:1] + right.cover,
                    ball=counted_as_listed),
        ),
        (
            "k = |H|", "it is not the least",
            "attained", replace(right, name="coins over 20, all laws of H", size=len(right.cover)),
        ),
    ]  # fmt: skip
    return controls_in("rem-covers", rows)


# -- sizes --


@dataclass(frozen=True)
class Changed:
    """The sizes of a program with one of them wrong."""

    sizes: Callable[[], Sizes]
    name: str
    value: Callable[[Sizes], Number | int]

    def __call__(self) -> Sizes:
        """The sizes."""
        found = self.sizes()
        values = dict[str, Any](found._asdict())
        return Sizes(**{**values, self.name: self.value(found)})


@controls_of("thm-1.6")
def _wrong_sizes() -> Iterator[Control]:
    samples, right = Polynomial(), sizes_instance(3, PARAMETERS[2], Polynomial())
    wrong: list[tuple[str, str, str, str, Callable[[Sizes], Number | int]]] = [
        ("a = alpha/(C + 2)", "C + 3 parts are needed", "a", "accuracy", lambda found: found.accuracy * Fraction(6, 5)),
        (
            "blocks of m(a, 1/16)", "the accuracy of a block is a/16", "b", "block_size",
            lambda found: samples(found.accuracy, SIXTEENTH),
        ),
        (
            "m(2a, 1/16) runs", "the final learner is to fail with probability beta", "T", "runs",
            lambda found: samples(2 * found.accuracy, SIXTEENTH),
        ),
        ("delta0 = a/4", "delta may be smaller", "delta0", "delta0", lambda found: found.accuracy / 4),
        ("half of the blocks", "8/epsilon in place of 16/epsilon", "k", "blocks", lambda found: found.blocks // 2),
        ("T^2 k b records", "the runs are counted twice", "n", "records", lambda found: found.records * found.runs),
        ("8 C^2 + 8 C", "the learner's own C OPT is forgotten", "constant", "loss", lambda found: found.loss - 3),
    ]  # fmt: skip
    rows = [
        (name, why, at, replace(right, name=f"{right.name}, {name}", sizes=Changed(right.sizes, field, value)))
        for name, why, at, field, value in wrong
    ]
    return controls_in("thm-1.6", rows)


@Wrong
def without_logarithms_and_ceilings(factor: Fraction) -> Fraction:
    """The constant with 1 for log(32), and numbers for their ceilings."""
    return 49_000_000 * factor * factor


@controls_of("cor-C.5")
def _wrong_corollaries() -> Iterator[Control]:
    right = estimator_sizes(1, PARAMETERS[1])
    fifths = Changed(right.sizes, "accuracy", lambda found: found.accuracy * Fraction(6, 5))
    lone = Changed(right.sizes, "block_size", lambda found: EstimatorSamples(0)(found.accuracy / 16, SIXTEENTH))
    rows: list[Row] = [
        ("96 = 8 * 9 + 24", "8 C^2 + 8 C for 8 C^2 + 9 C", "constant", replace(right, name="96", loss=one_c_less)),
        ("a = alpha/5", "C + 2 parts in place of C + 3", "accuracy", replace(right, name="alpha/5", sizes=fifths)),
        ("blocks of log(32)/t^2", "d is forgotten", "samples", replace(right, name="without d", sizes=lone)),
        ("log(18/(alpha delta))", "4 C + 6 for 4(C + 3)", "numbers", replace(right, name="18", over=18)),
        (
            "(log 24/log 2) log(1/(alpha delta))", "log(1/(alpha delta)) tends to 0 as alpha delta tends to 1",
            "logarithm", replace(right, name="1/(alpha delta)", under=1),
        ),
        (
            "C = 49 000 000", "log 32 and two ceilings are forgotten",
            "conclusion",
            replace(estimator_sizes(0, PARAMETERS[1]), name="C = 49 000 000", enough=without_logarithms_and_ceilings),
        ),
    ]  # fmt: skip
    return controls_in("cor-C.5", rows)
