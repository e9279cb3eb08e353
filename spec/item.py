"""The registry of items: every numbered definition, statement and algorithm of the paper, as what can be run.

A module of this folder registers its items where it defines their predicates; `items` reads the modules and
gives the items in the paper's order. An item yields named claims about an instance; a label reads
"step: details", where the step is "conclusion" or the name of a step of the proof.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Literal

from exactdp.spec.claim import Claim
from exactdp.spec.errors import InvalidArgument
from exactdp.spec.source import fields_source

MODULES = (
    "exactdp.spec.kernel", "exactdp.spec.privacy",
    "exactdp.spec.poisson", "exactdp.spec.constructions", "exactdp.spec.coupling", "exactdp.spec.consistency",
    "exactdp.spec.universal", "exactdp.spec.stable_release", "exactdp.spec.aggregate",
    "exactdp.spec.aggregate_utility", "exactdp.spec.sampler",
    "exactdp.spec.sampler_utility",
    "exactdp.spec.learning", "exactdp.spec.boosting",
    "exactdp.spec.agnostic", "exactdp.spec.agnostic_reduction", "exactdp.spec.agnostic_sizes",
    "exactdp.spec.minimum_distance",
)  # fmt: skip
"""The modules that register items; a new one is named here."""

PAPER: tuple[str, ...] = (
    "conj-1.1", "def-1.2", "thm-1.3", "def-1.4", "thm-1.5", "thm-1.6",
    "def-2.1", "def-2.2", "def-2.3", "prop-2.4", "lem-2.5",
    "def-3.1", "prop-3.2", "prop-3.3",
    "alg-1", "thm-4.1", "alg-2", "thm-4.3",
    "alg-3", "thm-5.1",
    "alg-4", "thm-6.1",
    "constr-A.1", "alg-5", "thm-A.2", "cor-A.3", "constr-A.4", "alg-6", "prop-A.5", "cor-A.6", "cor-A.7",
    "prop-B.1", "prop-B.2", "fact-B.3", "cor-B.4", "prop-B.5", "prop-B.6", "cor-B.7",
    "def-C.1", "alg-7", "thm-C.2", "def-C.3", "thm-C.4", "cor-C.5", "rem-covers",
)  # fmt: skip
"""The ids of all items of the paper, in its order, built or not."""

ItemKind = Literal[
    "definition", "proposition", "lemma", "theorem", "corollary",
    "construction", "algorithm", "fact", "conjecture", "remark",
]  # fmt: skip
PREFIXES: Mapping[str, ItemKind] = {
    "def": "definition", "prop": "proposition", "lem": "lemma", "thm": "theorem", "cor": "corollary",
    "constr": "construction", "alg": "algorithm", "fact": "fact", "conj": "conjecture", "rem": "remark",
}  # fmt: skip


@dataclass(frozen=True)
class Item:
    """A numbered item of the paper.

    `statement` is in our words, with the formula; `uses` are the ids of the items that it builds on; `claims`
    yields the claims about an instance, none when the instance does not meet the hypotheses; `predicates` are
    the public functions that belong to the item; `central` is the step whose left side, when it is 0 on a
    whole family, says that the family tests nothing.
    """

    id: str
    kind: ItemKind
    section: str
    title: str
    statement: str
    uses: tuple[str, ...]
    claims: Callable[[Any], Iterator[Claim]]
    predicates: tuple[Callable[..., object], ...]
    central: str = "conclusion"


_REGISTERED: dict[str, Item] = {}


def register(new: Item) -> Item:
    """Add an item to the registry and return it.

    Raises `InvalidArgument` for an id that the paper does not have, a kind that the id does not say, a second
    item of the same id, and a `uses` that names no item of the paper.
    """
    if new.id not in PAPER:
        raise InvalidArgument("id", new.id, "an id of the paper: " + ", ".join(_nearest_first(new.id, PAPER)))
    if new.id in _REGISTERED:
        raise InvalidArgument("id", new.id, "an id that is not registered yet")
    if PREFIXES[new.id.partition("-")[0]] != new.kind:
        raise InvalidArgument("kind", new.kind, f"the kind that the id {new.id} says")
    dangling = [used for used in new.uses if used not in PAPER or used == new.id]
    if dangling:
        raise InvalidArgument(f"uses of {new.id}", dangling[0], "the id of another item of the paper")
    _REGISTERED[new.id] = new
    return new


def items() -> tuple[Item, ...]:
    """All items that are built, in the paper's order."""
    for module in MODULES:
        import_module(module)
    return tuple(_REGISTERED[name] for name in PAPER if name in _REGISTERED)


def item(name: str) -> Item:
    """The item of that id. Raises `InvalidArgument`, which lists the known ids, the nearest first.

    >>> item("def-2.1").title
    'Markov kernel'
    """
    known = {one.id: one for one in items()}
    if name not in known:
        raise InvalidArgument("item", name, "one of " + ", ".join(_nearest_first(name, known)))
    return known[name]


def step(label: str) -> str:
    """The step that a claim's label names, without the details.

    >>> step("S1 mean: event {0, 1}")
    'S1 mean'
    """
    return label.partition(":")[0]


def _nearest_first(name: object, known: Mapping[str, Item] | tuple[str, ...]) -> list[str]:
    return get_close_matches(str(name), known, n=max(1, len(known)), cutoff=0)


@dataclass(frozen=True, repr=False)
class Instance:
    """What claims are about: `name` is short, for people; the repr is Python that makes it again."""

    name: str

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return fields_source(self)
