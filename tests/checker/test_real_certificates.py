"""Certificates of real audits are accepted with the audit's verdict, and no change to one gives a wrong verdict."""

import copy
import importlib.util
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from exactdp.spec.number import exp
from exactdp.spec.standard_laws import bernoulli, discrete_laplace
from exactdp.verify.audit import Audit, audit
from exactdp.verify.certificate import certificate, write_certificate
from exactdp.verify.gallery import entry

HERE = Path(__file__).resolve().parent
CHECKER = HERE.parents[1] / "verify" / "checker.py"
Certificate = dict[str, Any]


def load(path: Path) -> ModuleType:
    """A file as a module, without the package."""
    spec = importlib.util.spec_from_file_location(f"real_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


checker, maker = load(CHECKER), load(HERE / "maker.py")


def responses(data: Any, draw: Any, *, epsilon: Any) -> tuple[bool, ...]:
    """Bits, each flipped with probability 1/(1 + e^epsilon)."""
    return tuple(bit ^ draw(bernoulli(1 / (1 + exp(epsilon)))) for bit in data)


def named_count(data: Any, draw: Any, *, epsilon: Any) -> object:
    """A noisy count in a tuple, or nothing below 1."""
    noisy = sum(data) + draw(discrete_laplace(1 / epsilon))
    return ("count", noisy) if noisy >= 1 else None


def svt4() -> Audit:
    mechanism = entry("svt4").mechanism
    return audit(mechanism, domain=[-1, 0, 1], n=2, epsilon="1/10", neighbours="each-by-one")


AUDITS: dict[str, Callable[[], Audit]] = {
    "svt4": svt4,
    "svt1": entry("svt1").audit,
    "svt1 at ln(3/2)": lambda: entry("svt1").audit("ln(3/2)"),
    "svt5": entry("svt5").audit,
    "randomized response": entry("randomized_response").audit,
    "stability histogram": entry("stability_histogram").audit,
    "stability histogram, understated": entry("stability_histogram_understated").audit,
    "geometric": entry("geometric").audit,
    "histogram": entry("hist1").audit,
    "responses, half the claim": lambda: audit(responses, domain=[0, 1], n=2, epsilon="ln(3)", claim="1/2"),
    "responses, with delta": lambda: audit(responses, domain=[0, 1], n=2, epsilon="1/3", claim="1/2", delta="1/10"),
    "named count": lambda: audit(named_count, domain=[0, 1], n=2, epsilon="1/2", neighbours="add-remove"),
}
REFUTED = {"svt4", "svt5", "stability histogram, understated", "responses, half the claim"}


@pytest.fixture(scope="module")
def audits() -> dict[str, Audit]:
    return {name: run() for name, run in AUDITS.items()}


@pytest.fixture(scope="module")
def certificates(audits: dict[str, Audit]) -> dict[str, Certificate]:
    return {name: json.loads(json.dumps(certificate(found))) for name, found in audits.items()}


def verdict(c: Certificate) -> str | None:
    """The verdict, or None if the certificate is rejected, in one line and not by a failure of the checker."""
    try:
        return str(checker.check(c).verdict)
    except checker.Rejected as error:
        return None if len(str(error).splitlines()) == 1 else f"bad message: {error}"


@pytest.mark.parametrize("name", AUDITS)
def test_a_real_certificate_is_accepted_with_the_verdict_of_the_audit(
    name: str, audits: dict[str, Audit], certificates: dict[str, Certificate]
) -> None:
    expected = "refuted" if name in REFUTED else "holds"
    assert str(audits[name].verdict.kind) == expected
    assert verdict(certificates[name]) == expected
    assert maker.is_true(certificates[name])


# -- changes that a forger would try --


def forget_mass(c: Certificate, pick: random.Random) -> None:
    law = pick.choice(c["laws"])
    law["masses"].remove(pick.choice(law["masses"]))


def change_mass(c: Certificate, pick: random.Random) -> None:
    _, numerator = pick.choice(pick.choice(c["laws"])["masses"])
    numerator[pick.randrange(len(numerator))] += pick.choice([-1, 1, 10**9])


def move_mass(c: Certificate, pick: random.Random) -> None:
    """The masses still sum to 1."""
    law = pick.choice(c["laws"])
    law["den"] = [1000 * d for d in law["den"]]
    law["masses"] = [[y, [1000 * m for m in numerator]] for y, numerator in law["masses"]]
    for sign in (1, -1):
        pick.choice(law["masses"])[1][0] += sign


def swap_laws(c: Certificate, pick: random.Random) -> None:
    one, other = pick.sample(c["datasets"], 2)
    one[1], other[1] = other[1], one[1]


def remove_pair(c: Certificate, pick: random.Random) -> None:
    c["pairs"].remove(pick.choice(c["pairs"]))


def add_pair(c: Certificate, pick: random.Random) -> None:
    c["pairs"].append(sorted(pick.sample(range(len(c["datasets"])), 2)))


def remove_dataset(c: Certificate, pick: random.Random) -> None:
    """With its pairs, so that the numbers stay right."""
    c["datasets"].pop()
    c["pairs"] = [pair for pair in c["pairs"] if max(pair) < len(c["datasets"])]


def change_claim(c: Certificate, pick: random.Random) -> None:
    key, value = pick.choice([("epsilon", "1/7"), ("epsilon", "ln(5)"), ("multiple", "1/3"), ("multiple", "2")])
    c[key] = value


def change_delta(c: Certificate, pick: random.Random) -> None:
    c["delta"] = {"num": [pick.randrange(100)], "den": [100]}


def change_number(c: Certificate, pick: random.Random) -> None:
    numbers = [c["delta_at_epsilon"], c["exp_epsilon_star"], c["witness"]["p"], c["witness"]["q"]]
    number = pick.choice([n for n in numbers if isinstance(n, dict)])
    side = pick.choice(list(number.values()))
    side[pick.randrange(len(side))] += pick.choice([-1, 1])


def change_star(c: Certificate, pick: random.Random) -> None:
    c["exp_epsilon_star"] = pick.choice(["inf", {"num": [1], "den": [1]}, {"num": [10**6], "den": [1]}])


def change_witness(c: Certificate, pick: random.Random) -> None:
    if pick.random() < 0.5:
        c["witness"]["pair"] = list(pick.choice(c["pairs"]))
    else:
        c["witness"]["event"] = pick.sample(range(len(c["outcomes"])), pick.randint(1, 2))


def change_verdict(c: Certificate, pick: random.Random) -> None:
    c["verdict"] = "holds" if c["verdict"] == "refuted" else "refuted"


def change_base(c: Certificate, pick: random.Random) -> None:
    c["base"] = {"unit": pick.choice(["1", "2", "3/2"]), "rate": pick.choice(["1", "1/2", "1/3", "3/40"])}


def change_relation(c: Certificate, pick: random.Random) -> None:
    c["neighbours"] = pick.choice(["change-one", "add-remove", "each-by-one"])


CHANGES = (
    forget_mass, change_mass, move_mass, swap_laws, remove_pair, add_pair, remove_dataset, change_claim, change_delta,
    change_number, change_star, change_witness, change_verdict, change_base, change_relation,
)  # fmt: skip
NEVER_ACCEPTED = {forget_mass, change_mass, remove_pair, remove_dataset, change_verdict}
OWN_RELATION = {"histogram"}  # its pairs and datasets are taken as listed


def test_two_hundred_changes_of_real_certificates_give_no_wrong_verdict(certificates: dict[str, Certificate]) -> None:
    accepted = 0
    for seed in range(200):
        pick = random.Random(seed)
        name, change = pick.choice(sorted(certificates)), CHANGES[seed % len(CHANGES)]
        c = copy.deepcopy(certificates[name])
        change(c, pick)
        if c == certificates[name]:
            continue
        found = verdict(c)
        if found is not None:
            accepted += 1
            assert found == c["verdict"], (seed, name, change.__name__)
            assert maker.is_true(c), (seed, name, change.__name__)
            assert change not in NEVER_ACCEPTED or name in OWN_RELATION, (seed, name, change.__name__)
    assert 0 < accepted < 60  # another claim that is as true, another pair that is as bad


# -- as a program --


@pytest.mark.parametrize("name", ["svt4", "stability histogram"])
def test_a_plain_python_without_the_package_checks_a_real_certificate(
    name: str, audits: dict[str, Audit], tmp_path: Path
) -> None:
    """-I and -S: no environment, no site-packages; the checker has only the standard library."""
    write_certificate(audits[name], tmp_path / "c.cert")
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or sys.executable
    for program in dict.fromkeys([python, sys.executable]):
        if subprocess.run([program, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"], check=False).returncode:
            continue  # too old for this project
        run = [program, "-I", "-S", str(CHECKER), str(tmp_path / "c.cert")]
        result = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        assert f"verdict: {'refuted' if name in REFUTED else 'holds'}" in result.stdout.splitlines()
        text = (tmp_path / "c.cert").read_text()
        (tmp_path / "forged.cert").write_text(text.replace('"n":', '"n":1', 1))
        run[-1] = str(tmp_path / "forged.cert")
        assert subprocess.run(run, capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize("name", AUDITS)
def test_a_certificate_is_the_same_in_every_run(name: str, certificates: dict[str, Certificate]) -> None:
    again = json.dumps(certificate(AUDITS[name]()))
    assert json.loads(again) == certificates[name]
