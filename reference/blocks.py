"""What a learner can learn from a block: every block of records and every seed, gone through once.

Blocks with the same histogram have the same probability under every product law, and a dataset permuted uniformly gives
them with the same frequency too. So it is enough to know, for each *type* (the histogram of a block), how often each
output law is learnt from it: an integer weight over a common denominator. Paper: q_i = L(S_i; U_i) of Algorithm 2.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, product
from math import comb, lcm, prod

from exactdp.reference.guard import only_draw
from exactdp.reference.learners import AnyLearner, Block, as_learner, checked_domain
from exactdp.reference.sampler import check_learnt, checked_count
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, NonDeterministic
from exactdp.spec.law import Law
from exactdp.spec.number import Number

BUDGET = 200_000
"""How many pairs of a block and a seed are learnt from, unless the caller says otherwise."""

Histogram = tuple[int, ...]


class BlockOutputs:
    """The distinct output laws of a learner on blocks of `block_size` records from `domain`, and their weights.

    `laws` are the output laws in order of appearance. `types[tau][i]` is the integer

        denominator * sum over the words s of domain^b with histogram tau of Pr_U[L(s; U) = laws[i]],

    so each row sums to denominator * b! / (tau_1! ... tau_K!). A symmetric learner sees one word of each type, any
    other one all K^b words. With `learnt_on`, all these laws must live there, as with `domain` in `sampler`. Raises
    `BudgetExceeded`; `InvalidArgument`, also for seeds that are not finitely many or not of rational probability; and
    `NonDeterministic` for a learner that is no function of block and seed, or not as symmetric as it says.

    >>> from exactdp.reference.learners import first_record, random_record
    >>> outputs = BlockOutputs(random_record(2), "ab", 2)
    >>> outputs.laws, outputs.denominator, outputs.types
    ((Law({'a': '1'}), Law({'b': '1'})), 2, {(2, 0): (2, 0), (1, 1): (2, 2), (0, 2): (0, 2)})
    >>> BlockOutputs(first_record(), "ab", 2).types
    {(2, 0): (1, 0), (1, 1): (1, 1), (0, 2): (0, 1)}
    """

    def __init__(
        self,
        learner: AnyLearner,
        domain: Sequence[Hashable],
        block_size: int,
        *,
        budget: int = BUDGET,
        learnt_on: Collection[Hashable] | None = None,
    ) -> None:
        self.learner = as_learner(learner)
        self.domain = checked_domain(domain)
        self.block_size = checked_count("block_size", block_size)
        allowed = None if learnt_on is None else checked_domain(learnt_on)
        seeds = _rational_seeds(self.learner.seeds)
        self._check(len(seeds), checked_count("budget", budget))
        self.denominator = lcm(*(mass.denominator for mass in seeds.values()))
        self._weighted = [(seed, int(mass * self.denominator)) for seed, mass in seeds.items()]
        self._learn()
        check_learnt(self.laws, allowed)

    def _learn(self) -> None:
        known: dict[int, tuple[Law, int]] = {}
        positions: dict[Law, int] = {}
        found: dict[Histogram, Counter[int]] = {}
        learnt: list[tuple[Block, Hashable, int]] = []
        with only_draw(f"the learner {self.learner.name}", "its seed"):
            for word, tau, words in self._words():
                weights = found.setdefault(tau, Counter())
                for seed, weight in self._weighted:
                    law = self.learner(word, seed)
                    if id(law) not in known:
                        known[id(law)] = law, positions.setdefault(law, len(positions))
                    weights[known[id(law)][1]] += words * weight
                    learnt.append((word, seed, known[id(law)][1]))
            self.laws = tuple(positions)
            self._learn_again(learnt)
        self.types = {tau: tuple(weights[i] for i in range(len(positions))) for tau, weights in found.items()}

    def _learn_again(self, learnt: Sequence[tuple[Block, Hashable, int]]) -> None:
        """Asks a second time, last block first, so that a state kept between calls is not the same one again.

        A symmetric learner is shown every block turned by one record.
        """
        for word, seed, i in reversed(learnt):
            block = (*word[1:], word[0]) if self.learner.symmetric else word
            if self.learner(block, seed) != self.laws[i]:
                if block == word:
                    how = f"learnt different laws from {word!r} and the seed {seed!r}, asked twice; it must be a "
                    raise NonDeterministic(f"the learner {self.learner.name} {how}function of the block and the seed")
                how = f"is declared symmetric, and learnt different laws from {word!r} and {block!r}"
                raise NonDeterministic(f"the learner {self.learner.name} {how}")

    def _words(self) -> Iterator[tuple[tuple[Hashable, ...], Histogram, int]]:
        """Words to learn from, their types, and for how many words each of them stands."""
        places = range(len(self.domain))
        if self.learner.symmetric:
            chosen: Iterator[tuple[int, ...]] = combinations_with_replacement(places, self.block_size)
        else:
            chosen = product(places, repeat=self.block_size)
        for word in chosen:
            tau = tuple(map(word.count, places))
            yield tuple(self.domain[i] for i in word), tau, multinomial(tau) if self.learner.symmetric else 1

    def probabilities(self, p: Law) -> tuple[Number, ...]:
        """Pr[L(S; U) = laws[i]] for S ~ p^b, exactly. Raises `InvalidArgument` if p is no law on the domain.

        >>> from exactdp.reference.learners import empirical
        >>> BlockOutputs(empirical(), "ab", 2).probabilities(Law({"a": "1/3", "b": "2/3"}))
        (Fraction(1, 9), Fraction(4, 9), Fraction(4, 9))
        """
        if not isinstance(p, Law) or not p.is_finite or any(y not in self.domain for y in p.atoms):
            raise InvalidArgument("p", p, f"a law on the domain {', '.join(map(repr, self.domain))}")
        masses = [p[y] for y in self.domain]
        sums: list[Number] = [Fraction(0)] * len(self.laws)
        for tau, weights in self.types.items():
            mass = prod((x**n for x, n in zip(masses, tau, strict=True)), start=Fraction(1))
            sums = [s + mass * w if w else s for s, w in zip(sums, weights, strict=True)]
        return tuple(s / self.denominator for s in sums)

    def law(self, p: Law) -> Law:
        """The law of L(S; U) for S ~ p^b: a law whose outcomes are laws. Raises `InvalidArgument`."""
        return Law(dict(zip(self.laws, self.probabilities(p), strict=True)))

    def _check(self, seeds: int, budget: int) -> None:
        b, K = self.block_size, len(self.domain)
        estimate = seeds * (comb(b + K - 1, b) if self.learner.symmetric else K**b)
        if estimate > budget:
            kind = "types of blocks" if self.learner.symmetric else "blocks (a symmetric learner has far fewer types)"
            raise BudgetExceeded(
                f"{K} values and {b} records give {estimate // seeds} {kind}, with {seeds} seeds each; "
                "give a larger budget to learn from all of them",
                estimate=estimate,
                budget=budget,
            )


def multinomial(counts: Sequence[int]) -> int:
    """The number of words with these counts: n! / (c_1! ... c_K!).

    >>> multinomial((2, 1, 1))
    12
    """
    return prod(map(comb, accumulate(counts), counts))


def _rational_seeds(seeds: Law) -> dict[Hashable, Fraction]:
    masses = dict(seeds.items()) if seeds.is_finite else {}
    rational = {seed: mass for seed, mass in masses.items() if isinstance(mass, Fraction)}
    if not rational or len(rational) < len(masses):
        raise InvalidArgument("learner", seeds, "a learner with finitely many seeds of rational probability")
    return rational
