"""The command line: `exactdp verify`, `audit`, `explain`, `check`, `sample` and `learn`.

Exit codes: 0 holds, 1 refuted, 2 bad input (one line that names the argument, its value and what would be right),
3 undecided or vacuous, 130 interrupted.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from exactdp.reference.draw import BUDGET
from exactdp.spec.errors import ExactDPError, NotClosed
from exactdp.spec.rational import any_number_of_digits, rational
from exactdp.verify import checker
from exactdp.verify.audit import audit
from exactdp.verify.certificate import write_certificate
from exactdp.verify.explain import draw_picture, explain
from exactdp.verify.learn_cli import LEARN, SAMPLE, WITH_VALUES, add_learn, add_sample
from exactdp.verify.ledger import overall, render, to_json, verify_items
from exactdp.verify.loading import check_different, check_writable, load_function, parse_domain
from exactdp.verify.neighbours import RELATIONS
from exactdp.verify.plots import plot_profile
from exactdp.verify.results import Source, audit_json, audit_text, printable
from exactdp.verify.universe import Progress

PICTURES = (".png", ".svg", ".pdf")
LINE_AT_MOST = 1_000
"""How many characters the line of an error has."""
BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141

EXIT_CODES = """exit codes: 0 holds, 1 refuted, 2 bad input, 3 undecided or vacuous"""

MAIN = f"""examples:
  exactdp verify                                   every numbered item of the paper, with its controls
  exactdp audit mine.py:count --domain 0,1 -n 3 --epsilon 1/2
  exactdp explain prop-2.4                         the statement, and its proof step by step with exact numbers
  exactdp check count.cert

After `make` in the folder of the project, `exactdp` is .venv/bin/exactdp.

{EXIT_CODES}"""

VERIFY = f"""examples:
  exactdp verify                                   all items, small sizes
  exactdp verify def-2.3 lem-2.5                   two of them
  exactdp verify --preset full --jobs 2            exhaustive sizes, on two processes
  exactdp verify --json ledger.json

{EXIT_CODES}"""

AUDIT = f"""A mechanism is a function of (data, draw), and of the keyword epsilon when it names it. In mine.py:

  from exactdp import discrete_laplace

  def count(data, draw, *, epsilon):
      return sum(data) + draw(discrete_laplace(1 / epsilon))

examples:
  exactdp audit mine.py:count --domain 0,1 -n 3 --epsilon 1/2
  exactdp audit mine.py:count --domain 0,1 -n 3 --epsilon "ln(3)" --claim 1/2
  exactdp audit exactdp.verify.gallery:svt4 --domain=-1,0,1 -n 2 --neighbours each-by-one --epsilon 1/10
  exactdp audit mine.py:count --domain 0,1 -n 3 --epsilon 1 --delta 1e-6 --certificate count.cert --plot count.png

{EXIT_CODES}"""

EXPLAIN = """examples:
  exactdp explain prop-2.4                         its statement and its proof, step by step, with exact numbers
  exactdp explain thm-A.2 --picture coupling.png   the same, and a picture of the coupling
  exactdp explain fact-B.3 --picture release.png   how often the mode is released, by three mechanisms"""

CHECK = """The checker reads the certificate with the standard library alone; `python verify/checker.py CERTIFICATE` is
the same. Exit codes: 0 accepted (it prints whether the claim holds or is refuted), 1 rejected, 2 not a certificate."""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    main_parser: argparse.ArgumentParser = _Parser(
        prog="exactdp",
        description="Differential-privacy claims decided exactly.",
        epilog=MAIN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main_parser.add_argument("--version", action="version", version=f"exactdp {version('exactdp')}")
    commands = main_parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _add_verify(_command(commands, "verify", "check the paper's items and print the ledger", VERIFY))
    _add_audit(_command(commands, "audit", "decide a privacy claim about a mechanism", AUDIT))
    _add_explain(_command(commands, "explain", "explain an item of the paper on an instance", EXPLAIN))
    _add_check(_command(commands, "check", "check a certificate independently", CHECK))
    add_sample(_command(commands, "sample", "draw a private synthetic sample from a CSV file", SAMPLE))
    add_learn(_command(commands, "learn", "learn a law privately from a CSV file", LEARN))
    return main_parser


class _Parser(argparse.ArgumentParser):
    """Usage errors in one line, as all bad input."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with exit code 2."""
        _refuse(self.prog, message)


def _refuse(program: str, message: str) -> NoReturn:
    """One line that points to the help of the command, and exit code 2."""
    print(f"{program}: {printable(message)} (see {program} --help)", file=sys.stderr)
    raise SystemExit(BAD_INPUT)


def _command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, summary: str, epilog: str
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_verify(command: argparse.ArgumentParser) -> None:
    command.add_argument("items", nargs="*", metavar="ITEM", help="ids such as def-2.3; all items when none is given")
    command.add_argument("--preset", default="minimal", metavar="NAME", help="minimal (default) or full")
    command.add_argument("--jobs", type=int, default=1, metavar="N", help="processes to use (default 1)")
    command.add_argument("--json", metavar="FILE", help="write the ledger as JSON")
    command.set_defaults(run=_verify)


def _add_audit(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("mechanism", metavar="FILE.py:NAME", help="the function to audit, or package.module:NAME")
    add("--domain", required=True, metavar="V,V,...", help="what a record can be: Python literals or words")
    add("-n", type=int, required=True, metavar="N", help="how many records a dataset has (add-remove: at most)")
    add("--epsilon", required=True, metavar="E", help="such as 1/2, 0.1 or ln(3); the mechanism gets it if it names it")
    add("--delta", default="0", metavar="D", help="the claimed delta, such as 1e-6 (default 0)")
    add("--claim", default="1", metavar="MULTIPLE", help="claim MULTIPLE * epsilon instead of epsilon (default 1)")
    add(
        "--neighbours",
        default="change-one",
        metavar="NAME",
        help=", ".join(RELATIONS) + " (default change-one), or FILE.py:NAME: whether two datasets are",
    )
    add("--budget", type=int, default=BUDGET, metavar="N", help=f"steps the enumeration may take (default {BUDGET})")
    add("--window", type=int, metavar="W", help="spell noise out from -W to W where it has no closed form")
    add("--json", metavar="FILE", help="write the result as JSON")
    add("--certificate", metavar="FILE", help="write a certificate for `exactdp check`")
    add("--plot", metavar="FILE", help="draw the profile delta(epsilon): " + ", ".join(PICTURES))
    command.set_defaults(run=_audit)


def _add_explain(command: argparse.ArgumentParser) -> None:
    command.add_argument("item", metavar="ITEM", help="an id such as prop-2.4; `exactdp verify` lists them")
    command.add_argument("--picture", metavar="FILE", help="draw it, where there is a picture: " + ", ".join(PICTURES))
    command.set_defaults(run=_explain)


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument("certificate", metavar="CERTIFICATE", help="a file written by `exactdp audit --certificate`")
    command.set_defaults(run=_check)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    arguments, unknown = parser().parse_known_args(_joined(sys.argv[1:] if argv is None else list(argv)))
    if unknown:
        _refuse(f"exactdp {arguments.command}", f"unrecognized arguments: {' '.join(unknown)}")
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        with any_number_of_digits():
            code = run(arguments)
        sys.stdout.flush()
        return code
    except ExactDPError as error:
        print(f"exactdp {arguments.command}: {_one_line(error)}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        print(f"exactdp {arguments.command}: {error.filename}: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"exactdp {arguments.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    return BAD_INPUT


def _one_line(error: ExactDPError) -> str:
    """The message without control characters, cut where it is far too long."""
    text = printable(str(error))
    return text if len(text) <= LINE_AT_MOST else text[: LINE_AT_MOST - 4] + " ..."


def _joined(words: list[str]) -> list[str]:
    """`--domain -1,0,1` as one word, which argparse would take for another option."""
    joined: list[str] = []
    for word in words:
        if (
            joined
            and joined[-1] in ("--domain", "--epsilon", "--delta", "--claim", *WITH_VALUES)
            and word.startswith("-")
        ):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def _verify(arguments: argparse.Namespace) -> int:
    target = check_writable("--json", arguments.json)
    with _progress() as progress:
        entries = verify_items(arguments.items or None, arguments.preset, arguments.jobs, progress)
    print(render(entries))
    if target is not None:
        _write_json(target, {"verdict": str(overall(entries)), "items": to_json(entries)})
    return overall(entries).exit_code


def _audit(arguments: argparse.Namespace) -> int:
    mechanism = load_function(arguments.mechanism)
    relation = arguments.neighbours
    if ":" in relation:
        relation = load_function(relation, "--neighbours")
    target = check_writable("--json", arguments.json)
    certificate = check_writable("--certificate", arguments.certificate)
    picture = check_writable("--plot", arguments.plot, PICTURES)
    check_different({"--json": target, "--certificate": certificate, "--plot": picture})
    with _progress() as progress:
        result = audit(
            mechanism,
            domain=parse_domain(arguments.domain),
            n=arguments.n,
            epsilon=arguments.epsilon,
            delta=arguments.delta,
            claim=rational(arguments.claim, "--claim"),
            neighbours=relation,
            budget=arguments.budget,
            window=arguments.window,
            progress=progress,
        )
    source = Source(arguments.mechanism, arguments.window, arguments.budget)
    print(audit_text(result, source))
    if target is not None:
        _write_json(target, audit_json(result, source))
    code = result.verdict.kind.exit_code
    for write, path in ((write_certificate, certificate), (plot_profile, picture)):
        try:
            if path is not None:
                write(result, path)
        except NotClosed as error:
            print(f"exactdp audit: {error}", file=sys.stderr)
            code = code or BAD_INPUT
    return code


def _explain(arguments: argparse.Namespace) -> int:
    text = explain(arguments.item)
    picture = check_writable("--picture", arguments.picture, PICTURES)
    if picture is not None:
        draw_picture(arguments.item, picture)
    print(text)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    return checker.main([arguments.certificate])


def _write_json(path: Path, data: dict[str, object]) -> None:
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


@contextmanager
def _progress() -> Iterator[Progress]:
    """A progress bar on a terminal; nothing elsewhere."""
    from tqdm import tqdm

    with tqdm(disable=not sys.stderr.isatty(), leave=False, unit="") as bar:

        def show(done: int, total: int, label: str) -> None:
            bar.total = total
            bar.set_description_str(label, refresh=False)
            bar.update(done - bar.n)

        yield show


if __name__ == "__main__":
    raise SystemExit(main())
