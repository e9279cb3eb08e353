"""Families of boosted learners: all multisets of estimates on grids, few runs on every dataset, and the stated T.

Choosing is tried on grids of laws, exhaustively. Privacy is tried on few runs, with all neighbouring datasets. The
failure probability is looked at with the theorem's own T, k and n: the law of the answer is a sum over count vectors.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp.reference.boosted import boosted_learner, select
from exactdp.reference.draw import law_of
from exactdp.reference.learned_law import black_box_law, boosted_law, boosted_law_of
from exactdp.reference.learners import Learner, empirical, first_record
from exactdp.reference.parameters import BoostedParameters, boosted_parameters
from exactdp.spec.boosting import (
    BoostedInstance,
    BoostedLines,
    BoostedLinesInstance,
    BoostedSizes,
    BoostedSizesInstance,
    Estimates,
    RunsInstance,
    SelectionInstance,
)
from exactdp.spec.item import Instance
from exactdp.spec.law import Law
from exactdp.spec.learning import MainInstance
from exactdp.spec.mode import BOTTOM
from exactdp.spec.number import Number
from exactdp.spec.sampler import Dataset
from exactdp.verify.families import Sizes, family_of
from exactdp.verify.learning_families import (
    LIKELIEST,
    AnsweredOver,
    Asked,
    BlockLearner,
    Finally,
    Given,
    SampledOver,
    SizeOf,
    sizes_of,
)
from exactdp.verify.sampler_families import BERNOULLIS, FAIR, LN_2, POINTS, all_pairs, mode_at
from exactdp.verify.sampler_settings import PROGRAM_STEPS, Setting, WorstOverCounts

# -- choosing --


def line_grid(steps: int, *, declined: bool = False) -> Estimates:
    """All laws on two points whose masses are multiples of 1/steps; perhaps with an estimate that was not given."""
    laws = tuple(Law({0: Fraction(n, steps), 1: 1 - Fraction(n, steps)}) for n in range(steps + 1))
    return (*laws, BOTTOM) if declined else laws


def triangle_grid(steps: int) -> Estimates:
    """All laws on three points whose masses are multiples of 1/steps."""
    places = [(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    return tuple(
        Law({0: Fraction(i, steps), 1: Fraction(j, steps), 2: Fraction(steps - i - j, steps)}) for i, j in places
    )


def selection(grid: Estimates, runs: int, alpha: str) -> SelectionInstance:
    """All multisets of estimates from the grid, and every law of it as p."""
    laws = tuple(p for p in grid if isinstance(p, Law))
    name = f"{len(grid)} estimates on {len(set(laws[-1].support()) | set(laws[0].support()))} points"
    return SelectionInstance(f"{name}, T = {runs}, alpha {alpha}", grid, laws, runs, Fraction(alpha))


GRIDS: dict[str, tuple[tuple[Estimates, int, str], ...]] = {
    "minimal": (
        (line_grid(12), 3, "1/2"),
        (line_grid(12, declined=True), 3, "1/4"),
        (line_grid(8, declined=True), 4, "3/8"),
        (line_grid(6), 5, "1/2"),
        (triangle_grid(3), 3, "7/8"),
    ),
    "full": (
        (line_grid(30), 3, "1/3"),
        (line_grid(20, declined=True), 3, "1/3"),
        (line_grid(12, declined=True), 4, "1/2"),
        (line_grid(12), 5, "1/2"),
        (line_grid(6, declined=True), 7, "1/2"),
        (triangle_grid(4), 3, "3/4"),
        (triangle_grid(3), 5, "1/2"),
    ),
}
"""(grid, T, alpha) of the multisets that are tried."""


# -- few runs --


@dataclass(frozen=True)
class OneRun:
    """The law of one run's estimate, on its part of the data."""

    setting: Setting
    final: Learner

    def __call__(self, data: Dataset) -> Law:
        """The law of the estimate."""
        return _one_run(self, data)


@lru_cache(maxsize=4096)
def _one_run(run: OneRun, data: Dataset) -> Law:
    s = run.setting
    return black_box_law(
        data, learner=s.learner, final=run.final, blocks=s.blocks, block_size=s.block_size, mode=s.mode, length=s.length
    )


@dataclass(frozen=True)
class Selected:
    """The index that `select` finds."""

    alpha: Fraction

    def __call__(self, estimates: Estimates, data: Dataset) -> int:
        """The index."""
        return _selected(estimates, self.alpha)


@lru_cache(maxsize=1 << 14)
def _selected(estimates: Estimates, alpha: Fraction) -> int:
    return select(estimates, alpha)


@dataclass(frozen=True)
class FewRuns:
    """A boosted learner of few runs: what one is set to, how many there are, and alpha."""

    run: OneRun
    runs: int
    alpha: Fraction

    @property
    def lines(self) -> BoostedLines:
        """What the lines use."""
        return BoostedLines(self.alpha, self.runs, self.run.setting.lines.records, self.run, Selected(self.alpha))

    def __str__(self) -> str:
        return f"{self.runs} runs of {self.run.setting}, then {self.run.final.name}, alpha {self.alpha}"


@dataclass(frozen=True)
class BoostedProgram:
    """The law of the program `boosted_learner` on a dataset, enumerated."""

    few: FewRuns

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        run, s = self.few.run, self.few.run.setting
        program = partial(
            boosted_learner, learner=s.learner, final=run.final, alpha=self.few.alpha, runs=self.few.runs,
            blocks=s.blocks, block_size=s.block_size, mode=s.mode, length=s.length,
        )  # fmt: skip
        return law_of(program, data, budget=PROGRAM_STEPS)


@dataclass(frozen=True)
class CountedBoosting:
    """Its law from the laws of the runs alone."""

    few: FewRuns

    def __call__(self, data: Dataset) -> Law:
        """The law of the answer."""
        parts = self.few.lines.parts(data)
        return boosted_law_of([self.few.run(part) for part in parts], alpha=self.few.alpha)


MODE = mode_at(LN_2, "1/3")


def few_runs(runs: int, blocks: int, block_size: int, *, final: Learner | None = None, alpha: str = "1/4") -> FewRuns:
    """Runs that learn point laws from blocks, and then by `final`, the empirical law unless it is given."""
    learner = empirical() if block_size > 1 else first_record()
    return FewRuns(OneRun(Setting(learner, blocks, block_size, MODE), final or empirical()), runs, Fraction(alpha))


def written_out(few: FewRuns, data: Dataset) -> BoostedLinesInstance:
    """The lines and the program on a dataset."""
    return BoostedLinesInstance(f"{few}, {data}", data, few.lines, BoostedProgram(few), CountedBoosting(few))


RUNS = {
    "minimal": ((1, 2, 1), (2, 1, 2), (3, 1, 1), (2, 2, 1)),
    "full": ((1, 2, 1), (2, 1, 2), (3, 1, 1), (2, 2, 1), (3, 2, 1), (4, 1, 1), (2, 3, 1), (1, 3, 1)),
}
"""(runs, blocks, records in a block) of the settings in which the program is enumerated."""


def _rung(sample: Sequence[Any], seed: Hashable) -> Law:
    heads = Fraction(1 + 2 * sample[0], 8)
    return Law({0: heads, 1: 1 - heads})


def _biased(sample: Sequence[Any], seed: Hashable) -> Law:
    return Law({sample[0]: "5/8", 1 - sample[0]: "3/8"})


LADDER = Learner(_rung, "a rung of three")
"""Three estimates: the one in the middle is within 1/4 of the other two."""
NEAR = Learner(_biased, "a coin biased to the first record")
"""Two estimates that are within 1/4 of each other: they count one another."""


@family_of("alg-4")
def _algorithms(sizes: Sizes) -> Iterator[Instance]:
    full = sizes.preset == "full"
    for runs, blocks, block_size in RUNS[sizes.preset]:
        n = runs * blocks * block_size
        turns = tuple(i % 2 for i in range(n))
        for final, alpha in ((empirical(), "1/4"), (NEAR, "3/8"), (NEAR, "1/4"))[: 3 if full or n < 4 else 1]:
            few = few_runs(runs, blocks, block_size, final=final, alpha=alpha)
            for data in ((0,) * n, turns, tuple(sorted(turns))) if full or n < 4 else (turns,):
                yield written_out(few, data)
        yield written_out(few_runs(runs, blocks, block_size), (1,) * (n - 1))
    yield written_out(few_runs(3, 1, 1), (0, 1) * 3)
    yield written_out(few_runs(3, 1, 1, final=LADDER, alpha="3/8"), (0, 1, 2))
    for name, asked in (("usual", COMMON), ("small beta", RARE), ("loose", LOOSE)):
        yield sized(name, Given(2, 3), asked)


def sized(name: str, complexity: Callable[[Number, Number], int], asked: Asked) -> BoostedSizesInstance:
    """What the program's parameters are."""
    found = boosted_sizes(boosted_parameters(complexity, *asked))
    return BoostedSizesInstance(
        f"{name}, {asked}", Fraction(asked.alpha), Fraction(asked.beta), asked.epsilon, Fraction(asked.delta),
        complexity, found,
    )  # fmt: skip


# -- the theorem --

COMMON = Asked("1/4", "9/10", "ln(2)", "1/100")
"""T = 14: the law of the answer is exact."""
RARE = Asked("1/4", "1/20", "1/2", "1e-6")
"""T = 384."""
LOOSE = Asked("1/2", "1/1000", "99/100", "99/100")
"""epsilon and delta as large as they may be: here the bounds of the sizes are tightest."""


def boosted_sizes(found: BoostedParameters) -> BoostedSizes:
    """The parameters as the item looks at them."""
    alpha0, beta0, delta0 = (Fraction(str(x)) for x in (found.alpha0, found.beta0, found.delta0))
    return BoostedSizes(alpha0, beta0, delta0, found.runs, sizes_of(found.run), found.records)


@dataclass(frozen=True)
class Constant:
    """The same law whatever p is."""

    law: Law

    def __call__(self, p: Law) -> Law:
        """The law."""
        return self.law


@dataclass(frozen=True)
class BoostedOver:
    """The law of the answer over S ~ p^n, as a function of p; with a tolerance for what is left unresolved."""

    estimate: Callable[[Law], Law]
    runs: int
    alpha: Fraction
    tolerance: str | None

    def __call__(self, p: Law) -> Law:
        """The law of the answer."""
        return _boosted(self, p)


@lru_cache(maxsize=256)
def _boosted(over: BoostedOver, p: Law) -> Law:
    return boosted_law(over.estimate(p), runs=over.runs, alpha=over.alpha, tolerance=over.tolerance)


@dataclass(frozen=True)
class Boosting:
    """A class, m, the learner of the blocks and of the samples, what is asked, and the tolerance of the last law."""

    name: str
    laws: tuple[Law, ...]
    learner: Learner
    asked: Asked
    tolerance: str | None = None

    def instance(self, sizes: BoostedSizes | None = None) -> BoostedInstance:
        """The instance at the theorem's own sizes, unless others are given."""
        m, asked = SizeOf(self.learner, self.laws), self.asked
        found = boosted_parameters(m, *asked)
        set_to, mode, alpha = sizes or boosted_sizes(found), found.run.mode(), Fraction(asked.alpha)
        run = set_to.run
        sampled = SampledOver(BlockLearner(self.learner)(run.block_size), run.blocks, mode, run.length)
        estimate = AnsweredOver(sampled, Finally(self.learner))
        return BoostedInstance(
            f"{self.name}, {set_to.runs} runs of {run.blocks} blocks of {run.block_size}, {asked}", self.laws, alpha,
            Fraction(asked.beta), asked.epsilon, Fraction(asked.delta), m, set_to, estimate,
            BoostedOver(estimate, set_to.runs, alpha, self.tolerance),
            WorstOverCounts(self.laws, run.blocks, mode, run.length), "all neighbouring count vectors of one run",
        )  # fmt: skip


FAR, FARTHER = Law({0: "3/4", 1: "1/4"}), Law({0: "1/4", 1: "3/4"})


def mock_boosting(asked: Asked, tolerance: str | None = None) -> BoostedInstance:
    """Runs that fail as often as they may, with two far laws and by declining; the sizes are the theorem's own.

    Privacy is looked at on blocks that teach two point laws, where a change shows most.
    """
    sizes, alpha = boosted_sizes(boosted_parameters(Given(1, 1), *asked)), Fraction(asked.alpha)
    mode = boosted_parameters(Given(1, 1), *asked).run.mode()
    estimate = Constant(Law({FAIR: "7/8", FAR: "1/16", FARTHER: "1/32", BOTTOM: "1/32"}))
    return BoostedInstance(
        f"runs that fail with probability 1/8, {sizes.runs} of them, {asked}", (FAIR,), alpha, Fraction(asked.beta),
        asked.epsilon, Fraction(asked.delta), Given(1, 1), sizes, estimate,
        BoostedOver(estimate, sizes.runs, alpha, tolerance), WorstOverCounts(POINTS[:2], sizes.run.blocks, mode),
        "all neighbouring count vectors of one run",
    )  # fmt: skip


def private_runs(few: FewRuns, pairs: tuple[tuple[Dataset, Dataset], ...]) -> RunsInstance:
    """Few runs on these pairs, at the mode's own E and delta."""
    curve = few.run.setting.mode.curve
    return RunsInstance(f"{few}, {len(pairs)} pairs", pairs, few.lines, curve.factor, curve.delta, curve.delta)


PRIVATE = {
    "minimal": ((3, 1, 1), (2, 2, 1)),
    "full": ((3, 1, 1), (2, 2, 1), (2, 1, 2), (1, 3, 1), (3, 2, 1), (2, 3, 1)),
}
"""(runs, blocks, records in a block) of the settings in which all pairs of neighbouring datasets are tried."""


@family_of("thm-6.1")
def _boosted_learners(sizes: Sizes) -> Iterator[Instance]:
    for grid, runs, alpha in GRIDS[sizes.preset]:
        yield selection(grid, runs, alpha)
    for runs, blocks, block_size in PRIVATE[sizes.preset]:
        yield private_runs(few_runs(runs, blocks, block_size), all_pairs(2, runs * blocks * block_size))
    yield mock_boosting(COMMON)
    yield from _boostings(sizes)


def _boostings(sizes: Sizes) -> Iterator[BoostedInstance]:
    yield Boosting("two Bernoulli laws", BERNOULLIS, LIKELIEST, COMMON, "1e-30").instance()
    yield Boosting("point laws", POINTS[:2], first_record(), LOOSE, "1e-30").instance()
    if sizes.preset == "full":
        yield Boosting("two Bernoulli laws", BERNOULLIS, LIKELIEST, COMMON).instance()
        yield Boosting("two Bernoulli laws", BERNOULLIS, LIKELIEST, RARE, "1e-30").instance()
        yield mock_boosting(COMMON._replace(beta="3/4"))
        yield mock_boosting(RARE, "1e-12")


@family_of("thm-1.3")
def _learnable_classes(sizes: Sizes) -> Iterator[Instance]:
    for one in _boostings(sizes):
        yield main_of(one)


def main_of(one: BoostedInstance) -> MainInstance:
    """What the theorem says of a boosted learner."""
    return MainInstance(
        one.name, one.laws, one.alpha, one.beta, one.epsilon, one.delta, one.complexity, one.sizes.records,
        one.answer, one.worst_delta, one.audited,
    )  # fmt: skip
