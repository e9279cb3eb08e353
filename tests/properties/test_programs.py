"""Programs and their laws: generated programs against brute force in plain fractions, and how programs may misbehave.

The brute-force law runs the same program with every value of each draw inside a window, with masses of its own; what
lies outside weighs at most a known tail. A law is right if each of its masses lies between the two.
"""

import itertools
import os
import random
import secrets
import time
import uuid
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from exactdp.reference.draw import Enumeration, law_of, run
from exactdp.reference.meter import Meter
from exactdp.spec.enclosure import float_bounds
from exactdp.spec.errors import BudgetExceeded, InvalidArgument, NonDeterministic, NotClosed
from exactdp.spec.exponent import Epsilon
from exactdp.spec.law import UNRESOLVED, Law
from exactdp.spec.number import Exact, Number
from exactdp.spec.standard_laws import bernoulli, discrete_laplace, geometric, uniform

F = Fraction
Draw = Callable[[Law], Any]
Program = Callable[[Draw], Any]
Table = list[tuple[Hashable, Fraction]]

EPSILON = Epsilon("ln(2)")
L8, L4 = (discrete_laplace(F(1, m) / EPSILON) for m in (3, 2))
G8, G4 = (geometric(F(1, m) / EPSILON) for m in (3, 2))
COIN, DIE, ODD = bernoulli("1/3"), uniform([0, 1, 2]), Law({0: "1/2", -3: "1/4", 4: "1/4"})
NOISE, FINITE = [L8, L4, G8, G4], [DIE, ODD]


pytestmark = pytest.mark.usefixtures("nothing_hangs")


# -- the oracle --


def two_sided(t: Fraction, radius: int) -> Table:
    return [(k, (1 - t) / (1 + t) * t ** abs(k)) for k in range(-radius, radius + 1)]


def one_sided(t: Fraction, radius: int) -> Table:
    return [(k, (1 - t) * t**k) for k in range(radius + 1)]


TABLES: dict[int, Table] = {
    id(L8): two_sided(F(1, 8), 4),
    id(L4): two_sided(F(1, 4), 5),
    id(G8): one_sided(F(1, 8), 5),
    id(G4): one_sided(F(1, 4), 7),
    id(COIN): [(True, F(1, 3)), (False, F(2, 3))],
    id(DIE): [(k, F(1, 3)) for k in range(3)],
    id(ODD): [(0, F(1, 2)), (-3, F(1, 4)), (4, F(1, 4))],
}


class Script:
    """A draw that follows a list of positions in the tables, and takes the first entry where the list ends."""

    def __init__(self, taken: list[int]) -> None:
        self.taken = taken
        self.sizes: list[int] = []
        self.mass = F(1)

    def __call__(self, law: Law) -> Any:
        table = TABLES[id(law)]
        if len(self.sizes) == len(self.taken):
            self.taken.append(0)
        value, mass = table[self.taken[len(self.sizes)]]
        self.sizes.append(len(table))
        self.mass *= mass
        return value


def by_brute_force(program: Program) -> tuple[dict[Hashable, Fraction], Fraction]:
    """The mass of each outcome that the windows give for certain, and the mass of everything outside."""
    masses: dict[Hashable, Fraction] = {}
    taken: list[int] = []
    while True:
        script = Script(taken)
        outcome = program(script)
        masses[outcome] = masses.get(outcome, F(0)) + script.mass
        while taken and taken[-1] == script.sizes[len(taken) - 1] - 1:
            taken.pop()
        if not taken:
            return masses, 1 - sum(masses.values(), start=F(0))
        taken[-1] += 1


def contradictions(law: Law, program: Program) -> list[tuple[Hashable, Number, Fraction]]:
    """The outcomes whose masses the brute force rules out, beyond what is unresolved on either side."""
    masses, tail = by_brute_force(program)
    outcomes = dict.fromkeys([*masses, *(o for o in law.atoms if o is not UNRESOLVED)])
    known = {o: masses.get(o, F(0)) for o in outcomes}
    return [(o, law[o], m) for o, m in known.items() if not m - law.unresolved <= law[o] <= m + tail]


def law_of_program(program: Program, window: int | None = None, budget: int = 20_000) -> Law:
    return law_of(lambda data, draw: program(draw), 0, window=window, budget=budget)


# -- generated programs --


class Writer:
    """Writes a random program: up to three noises, other draws, comparisons that branch, and a released outcome."""

    def __init__(self, choose: Random, spelled_out: bool) -> None:
        self.choose = choose
        self.spelled_out = spelled_out
        self.lines: list[str] = []
        self.names = itertools.count()

    def program(self) -> str:
        self.statement([self.fresh(1) for _ in range(self.choose.randint(1, 3))], 1, 0)
        return "def program(draw):\n" + "\n".join(self.lines)

    def fresh(self, indent: int) -> str:
        name = f"x{next(self.names)}"
        noisy = sum("NOISE" in line for line in self.lines) < 3 and self.choose.randint(0, 4) > 0
        law = f"NOISE[{self.choose.randint(0, 3)}]" if noisy else f"FINITE[{self.choose.randint(0, 1)}]"
        self.write(indent, f"{name} = draw({law})")
        return name

    def write(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def atom(self, names: list[str]) -> str:
        return self.choose.choice(names) if self.choose.randint(0, 4) else str(self.choose.randint(-2, 3))

    def clamped(self, names: list[str], depth: int) -> str:
        low, high = self.choose.randint(-2, 0), self.choose.randint(0, 2)
        return f"min(max({self.expression(names, depth)}, {low}), {high})"

    def expression(self, names: list[str], depth: int = 0) -> str:
        def one() -> str:
            return self.expression(names, depth + 1)

        kinds: list[Callable[[], str]] = [
            lambda: f"({one()} {self.choose.choice('+-')} {one()})",
            lambda: f"{self.choose.choice([-1, 2, -2, 3])} * {self.atom(names)}",
            lambda: f"abs({one()})",
            lambda: f"{self.choose.choice(['min', 'max'])}({one()}, {one()})",
            lambda: self.clamped(names, depth + 1),
            lambda: f"sorted([{one()}, {one()}, {self.atom(names)}])[{self.choose.randint(0, 2)}]",
            lambda: f"F({self.choose.choice([1, -1, 3])}, 2) + {self.atom(names)}",
        ]
        if depth > 1 or self.choose.randint(0, 9) < 4:
            return self.atom(names)
        return self.choose.choice(kinds)()

    def condition(self, names: list[str]) -> str:
        form = self.choose.randint(0, 9)
        if form == 8:
            return f"bool({self.expression(names)})"
        if form == 9:
            return f"{self.expression(names)} in ({self.choose.randint(-1, 1)}, 2)"
        constant = self.choose.choice(["0", "1", "-1", "2", "F(1, 2)", "F(-3, 2)"])
        right = self.expression(names) if form % 2 else constant
        return f"{self.expression(names)} {self.choose.choice(['>=', '<=', '<', '>', '==', '!='])} {right}"

    def item(self, names: list[str]) -> str:
        spelled_out = [
            f"({self.atom(names)}) % 2",
            f"({self.atom(names)}) // 2",
            f"int({self.atom(names)})",
            f"{{0: 'a', 1: 'b'}}.get({self.atom(names)}, 'c')",
        ]
        kinds = [self.condition(names), self.condition(names), self.clamped(names, 0)]
        kinds += [self.atom(names), self.atom(names), self.expression(names)]
        return self.choose.choice(kinds + (spelled_out if self.spelled_out else []))

    def statement(self, names: list[str], indent: int, depth: int) -> None:
        if len(names) < 4 and self.choose.randint(0, 2) == 0:
            names = [*names, self.fresh(indent)]
        if depth < 3 and self.choose.randint(0, 4) > 1:
            self.write(indent, f"if {self.condition(names)}:")
            self.statement(names, indent + 1, depth + 1)
            self.statement(names, indent, depth + 1)
            return
        items = [self.item(names) for _ in range(self.choose.choice([1, 1, 2, 3]))]
        tagged = self.choose.randint(0, 1)
        self.write(indent, f"return ({indent}, {', '.join(items)})" if tagged else f"return {items[0]}")


def compiled(source: str) -> Program:
    scope: dict[str, Any] = {"NOISE": NOISE, "FINITE": FINITE, "F": F}
    exec(source, scope)
    program: Program = scope["program"]
    return program


seeds = st.integers(0, 2**32 - 1).map(Random)


@settings(max_examples=120)
@given(seeds)
def test_the_law_of_a_program_is_that_of_brute_force_or_is_not_closed(choose: Random) -> None:
    source = Writer(choose, spelled_out=False).program()
    program = compiled(source)
    try:
        law = law_of_program(program)
    except (NotClosed, BudgetExceeded):
        return
    assert law.unresolved == 0
    assert contradictions(law, program) == [], source


@settings(max_examples=120)
@given(seeds, st.integers(0, 6))
def test_with_a_window_a_law_is_bounded_on_both_sides(choose: Random, window: int) -> None:
    source = Writer(choose, spelled_out=True).program()
    program = compiled(source)
    try:
        law = law_of_program(program, window)
    except (NotClosed, BudgetExceeded):
        return
    assert contradictions(law, program) == [], source


# -- programs that were chosen --


def part_of_a_released_sum(draw: Draw) -> Any:
    a, b = draw(L8), draw(G8)
    return a + b, a


def a_released_sum_twice(draw: Draw) -> Any:
    a, b = draw(L8), draw(G8)
    return a + b, a + b


def contradictory_sums(draw: Draw) -> Any:
    a, b = draw(L8), draw(L8)
    if a + b <= 3 and a >= 2 and b >= 2:
        return a + b <= 2
    return None


def a_contradictory_sum_spelled_out(draw: Draw) -> Any:
    a, b = draw(L8), draw(L8)
    return int(a) if a + b <= 3 and b >= 3 else None


def a_contradictory_circle(draw: Draw) -> Any:
    a, b, c = draw(L8), draw(L8), draw(L8)
    if a + b >= 10 and b <= c and c <= 0:
        int(a)
        return b, c
    return None


def a_text(draw: Draw) -> Any:
    return str(min(max(draw(L8), 0), 1))


def a_formatted_text(draw: Draw) -> Any:
    return f"{min(max(draw(L8), 0), 1)}"


def a_set(draw: Draw) -> Any:
    return frozenset({min(max(draw(L8), 0), 1)})


@dataclass(frozen=True)
class Record:
    """An outcome that is neither a number nor a tuple."""

    value: object


def a_record(draw: Draw) -> Any:
    return Record(min(max(draw(L8), 0), 1))


def rounded_to_tens(draw: Draw) -> Any:
    return round(draw(G4), -1)


def swallowed(draw: Draw) -> Any:
    with suppress(Exception):
        return int(draw(L8))
    return None


def everything_swallowed(draw: Draw) -> Any:
    with suppress(BaseException):
        return int(draw(L8))
    return 99


TRICKY = [
    part_of_a_released_sum,
    a_released_sum_twice,
    contradictory_sums,
    a_contradictory_sum_spelled_out,
    a_contradictory_circle,
    a_text,
    a_formatted_text,
    a_set,
    a_record,
    rounded_to_tens,
    swallowed,
    everything_swallowed,
]


@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("program", TRICKY, ids=lambda program: str(program.__name__))
def test_a_tricky_program_has_the_law_of_brute_force_or_is_not_closed(program: Program, window: int | None) -> None:
    try:
        law = law_of_program(program, window, budget=2_000)
    except NotClosed:
        return
    assert contradictions(law, program) == []


def equal_or_apart(draw: Draw) -> Any:
    a, b = draw(L8), draw(G8)
    return ("equal", a) if a == b else ("apart", a > b)


def compared_twice(draw: Draw) -> Any:
    a = draw(L8)
    return a >= 1, a >= 2, a >= 0, 2 * a >= F(1, 2), a < F(3, 2)


def released_after_a_comparison(draw: Draw) -> Any:
    a, b = draw(L8), draw(L8)
    return a >= b, a


def clamped_remainder(draw: Draw) -> Any:
    a = min(max(draw(L8), -2), 2)
    return a % 2, a // 2, round(a)


def in_order(draw: Draw) -> Any:
    noisy = {"a": draw(L8), "b": draw(L4), "c": draw(G8)}
    return tuple(sorted(noisy, key=lambda name: noisy[name]))


CLOSED: dict[str, Program] = {
    "a sum of two noises at least": lambda draw: draw(L8) + draw(L4) >= 1,
    "a sum of one-sided noises at most": lambda draw: draw(G8) + draw(G4) <= 2,
    "three noises in order": in_order,
    "an implied outcome of one-sided noise": lambda draw: (draw(G8) >= 0, draw(G4) > F(-1, 2)),
    "conditioned on equality": equal_or_apart,
    "noise compared twice": compared_twice,
    "released after a comparison": released_after_a_comparison,
    "a released sum of three": lambda draw: draw(L8) - draw(G8) + draw(L4),
    "independent noises": lambda draw: (draw(L8), "between", -draw(G4), 3 - draw(L4)),
    "the largest of noisy values": lambda draw: max(draw(L8), 1 + draw(L8), draw(G8) - 1),
    "truth of noise": lambda draw: bool(draw(G8)),
    "nested tuples": lambda draw: ((draw(COIN), (draw(L8),)), draw(DIE)),
    "the plain int of clamped noise": lambda draw: int(min(max(draw(L8), -2), 1)),
    "clamped noise as a key": lambda draw: {-1: "low", 0: "none", 1: "high"}[min(max(draw(L8), -1), 1)],
    "the remainder of clamped noise": clamped_remainder,
}


@pytest.mark.parametrize("name", CLOSED)
def test_what_is_said_to_be_closed_is_closed_and_right(name: str) -> None:
    assert contradictions(law_of_program(CLOSED[name]), CLOSED[name]) == []


@pytest.mark.parametrize("use", [lambda k: k % 2, lambda k: k // 3, int, {0: "a"}.get, lambda k: k * k])
def test_a_use_without_a_closed_form_says_so_and_is_bounded_by_a_window(use: Callable[[Any], Any]) -> None:
    def program(draw: Draw) -> Any:
        return use(draw(L8))

    with pytest.raises(NotClosed, match="window"):
        law_of_program(program)
    law = law_of_program(program, window=3)
    assert law.unresolved == 1 - sum(m for _, m in two_sided(F(1, 8), 3))
    assert contradictions(law, program) == []


@pytest.mark.parametrize("threshold", [0.5, 1.0, float("inf")])
def test_a_float_is_not_compared_with_noise(threshold: float) -> None:
    with pytest.raises(InvalidArgument, match="float"):
        law_of_program(lambda draw: draw(L8) >= threshold)


def test_noise_divided_by_ten_is_enumerated_as_it_runs() -> None:
    """A float quotient at run time and an exact one in the law would be two mechanisms: 3 / 10 >= F(3, 10) differs."""
    noise = law_of_program(lambda draw: draw(L8)).between(3, 3)

    def mechanism(data: object, draw: Draw) -> Any:
        return draw(noise) / 10 >= F(3, 10)

    enumerated = law_of(mechanism, 0)
    assert enumerated[run(mechanism, 0, seed=1)] == 1

    def pending(data: object, draw: Draw) -> Any:
        k = draw(L8)
        return None if not 3 <= k <= 3 else k / 10 >= F(3, 10)

    try:
        law = law_of(pending, 0)
    except (InvalidArgument, NotClosed, TypeError):
        return
    assert law[run(mechanism, 0, seed=1)] > 0


@pytest.mark.parametrize(
    "operation", [lambda k: k**2, lambda k: k & 1, lambda k: divmod(k, 2), lambda k: 5 // (1 + abs(k))]
)
def test_an_integer_operation_on_clamped_noise_works_as_on_an_int(operation: Callable[[Any], Any]) -> None:
    def program(draw: Draw) -> Any:
        return operation(min(max(draw(L8), -2), 2))

    assert contradictions(law_of_program(program), program) == []


def two_or_noise(two: Any) -> Law:
    return law_of_program(lambda draw: two if draw(COIN) else draw(L8))


def test_equal_numbers_of_different_types_are_one_outcome() -> None:
    assert two_or_noise(2) == two_or_noise(F(2))


# -- irrational and symbolic masses --


def evaluated(number: Number, base: int) -> Fraction:
    """The value of an exact number in e^(-rate * epsilon), a whole rate, at epsilon = ln(base)."""
    if isinstance(number, Fraction):
        return number
    assert isinstance(number, Exact)
    assert number.base.rate.denominator == 1
    t = F(1, base) ** number.base.rate.numerator
    top, bottom = (sum((int(c) * t**i for i, c in enumerate(p.coeffs())), F(0)) for p in (number.num, number.den))
    return top / bottom


def threshold_and_sum(data: object, draw: Draw, *, epsilon: Epsilon) -> Any:
    a, b, c = (draw(discrete_laplace(s / epsilon)) for s in (1, 1, F(1, 2)))
    return a >= b, b + c >= 1, min(max(c, -1), 1)


def test_the_law_for_any_epsilon_is_the_law_for_each() -> None:
    symbolic = law_of(threshold_and_sum, 0, epsilon="any")
    for base in (2, 3):
        special = law_of(threshold_and_sum, 0, epsilon=f"ln({base})")
        assert set(symbolic.atoms) == set(special.atoms)
        for outcome, mass in special.items():
            assert evaluated(symbolic[outcome], base) == mass


@pytest.mark.parametrize("epsilon", ["ln(3)", "1/3", "2"])
def test_laws_at_irrational_scales_agree_with_long_floats(epsilon: str) -> None:
    """A sum, a comparison and a maximum of noise of scale 2/epsilon, summed by mpmath over a wide window."""

    def program(data: object, draw: Draw, *, epsilon: Epsilon) -> Any:
        a, b = draw(discrete_laplace(2 / epsilon)), draw(geometric(1 / epsilon))
        return a + 1 >= b, max(a, b) >= 2

    law = law_of(program, 0, epsilon=epsilon)
    with mp.workdps(30):
        t = {"ln(3)": 1 / mp.sqrt(3), "1/3": mp.exp(mpf(-1) / 6), "2": mp.exp(-1)}[epsilon]
        radius = int(60 * mp.ln(10) / -mp.ln(t) / 2)
        one = {k: (1 - t) / (1 + t) * t ** abs(k) for k in range(-radius, radius + 1)}
        two = {k: (1 - t**2) * t ** (2 * k) for k in range(radius // 2)}
        masses: dict[Hashable, mpf] = {}
        for a, p in one.items():
            for b, q in two.items():
                outcome: Hashable = a + 1 >= b, max(a, b) >= 2
                masses[outcome] = masses.get(outcome, mpf(0)) + p * q
    assert set(masses) == set(law.atoms)
    for outcome, mass in masses.items():
        low, high = float_bounds(law[outcome])
        assert low * (1 - 1e-12) <= mass <= high * (1 + 1e-12)


# -- randomness outside draw --

OUTSIDE: dict[str, Callable[[], object]] = {
    "random": lambda: random.random() < 2,
    "random.choice": lambda: random.choice([1, 1]),
    "numpy.random": lambda: numpy.random.rand() < 2,
    "numpy.random.default_rng": lambda: numpy.random.default_rng().random() < 2,
    "secrets": lambda: secrets.randbelow(1),
    "os.urandom": lambda: len(os.urandom(1)),
    "os.getrandom": lambda: len(os.getrandom(1)),
    "uuid4": lambda: uuid.uuid4() is None,
    "SystemRandom": lambda: random.SystemRandom().random() < 2,
    "a new Random": lambda: random.Random().random() < 2,
    "time": time.time,
    "a fresh object": object,
}


@pytest.mark.parametrize("source", OUTSIDE)
def test_randomness_outside_draw_is_detected(source: str) -> None:
    with pytest.raises(NonDeterministic):
        law_of_program(lambda draw: (draw(COIN), OUTSIDE[source]()))


def test_randomness_outside_draw_is_detected_even_when_the_program_hides_the_error() -> None:
    def program(draw: Draw) -> Any:
        with suppress(Exception):
            os.urandom(1)
        return 0

    with pytest.raises(NonDeterministic):
        law_of_program(program)


def test_a_counter_between_calls_is_detected() -> None:
    calls = itertools.count()
    with pytest.raises(NonDeterministic):
        law_of_program(lambda draw: next(calls))


def test_a_counter_that_moves_every_other_call_is_detected() -> None:
    calls = itertools.count()
    with pytest.raises(NonDeterministic):
        law_of_program(lambda draw: draw(COIN) ^ (next(calls) // 2 % 2 == 1))


def test_changing_the_data_is_detected() -> None:
    with pytest.raises(NonDeterministic):
        law_of(lambda data, draw: data.pop(), [1, 2, 3])


def test_the_order_of_a_set_of_texts_is_no_randomness() -> None:
    law = law_of_program(lambda draw: list({"north", "south", "east"})[draw(DIE)])
    assert all(law[name] == F(1, 3) for name in ("north", "south", "east"))


def test_a_draw_kept_from_an_earlier_call_is_detected() -> None:
    kept: list[Draw] = []

    def program(draw: Draw) -> Any:
        kept.append(draw)
        return kept[0](COIN)

    with pytest.raises(NonDeterministic):
        law_of_program(program)


KEPT: dict[str, Callable[[Any, Any], Any]] = {
    "compared": lambda old, new: old >= 0,
    "released": lambda old, new: old,
    "released in a tuple": lambda old, new: (new, old),
    "added on the left": lambda old, new: old + new >= 0,
    "added on the right": lambda old, new: new + old >= 0,
}


@pytest.mark.parametrize("use", KEPT)
def test_noise_kept_from_an_earlier_call_is_detected(use: str) -> None:
    kept: list[Any] = []

    def program(draw: Draw) -> Any:
        fresh = draw(L8)
        kept.append(fresh)
        return KEPT[use](kept[0], draw(G8))

    with pytest.raises(NonDeterministic):
        law_of_program(program)


def test_noise_drawn_only_in_the_first_call_is_detected() -> None:
    kept: list[Any] = []

    def program(draw: Draw) -> Any:
        if not kept:
            kept.append(draw(L8))
        return kept[0]

    with pytest.raises(NonDeterministic):
        law_of_program(program)


@pytest.mark.parametrize("error", [KeyError("own"), NotClosed("own"), KeyboardInterrupt("own")])
def test_an_error_of_the_mechanism_comes_out_unchanged_and_entropy_is_given_back(error: BaseException) -> None:
    def program(draw: Draw) -> Any:
        if draw(L8) >= 0:
            raise error
        return 0

    before = os.urandom, random.getstate()
    with pytest.raises(type(error)) as caught:
        law_of_program(program)
    assert caught.value is error
    assert (os.urandom, random.getstate()) == before
    assert len(os.urandom(3)) == len(secrets.token_bytes(3)) == 3


def test_entropy_is_given_back_after_it_was_refused() -> None:
    with pytest.raises(NonDeterministic):
        law_of_program(lambda draw: os.urandom(1))
    assert random.SystemRandom().random() < 1


# -- work without end --


def ends_with_a_coin(draw: Draw) -> Any:
    while draw(COIN):
        pass


def draws_for_ever(draw: Draw) -> Any:
    while True:
        draw(L8)


def counts_up_to_noise(draw: Draw) -> Any:
    noise = draw(L8)
    return next(i for i in itertools.count() if noise < i)


def waits_below_a_threshold(draw: Draw) -> Any:
    threshold = draw(L8)
    while draw(L8) < threshold:
        pass


def keeps_the_maximum(draw: Draw) -> Any:
    largest = draw(L8)
    while largest < 3:
        largest = max(largest, draw(L8))


def adds_up(draw: Draw) -> Any:
    total: Any = 0
    while total < 100:
        total = total + draw(L8)


def many_values(draw: Draw) -> Any:
    return sum(draw(uniform(range(100))) for _ in range(5))


def largest_of_many(draw: Draw) -> Any:
    noisy = [draw(L8) for _ in range(60)]
    return noisy.index(max(noisy))


@pytest.mark.parametrize(
    ("program", "window"),
    [
        (ends_with_a_coin, None),
        (draws_for_ever, None),
        (counts_up_to_noise, None),
        (waits_below_a_threshold, None),
        (keeps_the_maximum, None),
        (adds_up, 3),
        (many_values, None),
        (largest_of_many, None),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_work_without_end_is_stopped(program: Program, window: int | None) -> None:
    with pytest.raises(BudgetExceeded, match=r"budget=N"):
        law_of_program(program, window, budget=20_000)


def test_an_endless_loop_is_not_said_to_be_nearly_done() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        law_of_program(waits_below_a_threshold, budget=2_000)
    assert "without end" in str(caught.value) or caught.value.estimate > 100 * 2_000


def test_an_endless_loop_is_stopped_even_when_the_program_hides_the_error() -> None:
    def program(draw: Draw) -> Any:
        with suppress(Exception):
            draws_for_ever(draw)
        return 0

    with pytest.raises(BudgetExceeded):
        law_of_program(program, budget=1_000)


@pytest.mark.parametrize(("options", "depth"), [(2, 9), (5, 4), (7, 3)])
@pytest.mark.parametrize("part", [3, 10, 29])
def test_the_estimate_of_a_regular_tree_is_within_a_factor_of_ten(options: int, depth: int, part: int) -> None:
    def mechanism(data: object, draw: Draw) -> Any:
        return sum(draw(uniform(range(options))) for _ in range(depth))

    whole = Enumeration(mechanism, None, Meter(10**6))
    assert sum(m for _, m in whole.law(0).items()) == 1
    steps = whole.meter.steps
    with pytest.raises(BudgetExceeded) as caught:
        law_of(mechanism, 0, budget=steps // part)
    assert steps / 10 <= caught.value.estimate <= 10 * steps


# -- arguments --


def unhashable(data: object, draw: Draw) -> Any:
    return [draw(COIN)]


def needs_epsilon(data: object, draw: Draw, *, epsilon: Epsilon) -> Any:
    return draw(discrete_laplace(1 / epsilon))


NOT_A_FUNCTION: Any = 5
A_FLOAT: Any = 0.5
BAD: dict[str, Callable[[], object]] = {
    "a list as outcome": lambda: law_of(unhashable, 0),
    "a mechanism without arguments": lambda: law_of(lambda: 0, 0),
    "a mechanism of one argument": lambda: law_of(lambda data: 0, 0),
    "a mechanism of three arguments": lambda: law_of(lambda data, draw, more: 0, 0),
    "no function": lambda: law_of(NOT_A_FUNCTION, 0),
    "no epsilon": lambda: law_of(needs_epsilon, 0),
    "epsilon 0": lambda: law_of(needs_epsilon, 0, epsilon=0),
    "a negative epsilon": lambda: law_of(needs_epsilon, 0, epsilon="-1/2"),
    "budget 0": lambda: law_of(needs_epsilon, 0, epsilon=1, budget=0),
    "window -1": lambda: law_of(needs_epsilon, 0, epsilon=1, window=-1),
    "a probability as a law": lambda: law_of(lambda data, draw: draw(F(1, 2)), 0),
    "a float probability": lambda: bernoulli(A_FLOAT),
    "masses that sum to 99/100": lambda: Law({0: "1/2", 1: "49/100"}),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_clear_line(name: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        BAD[name]()
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
