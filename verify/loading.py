"""From the words of a command line to values: a function in a file, a domain, places to write to."""

import ast
import importlib
import importlib.util
import os
import sys
from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import wraps
from inspect import isfunction
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from exactdp.reference.draw import Mechanism
from exactdp.spec.errors import ExactDPError, InvalidArgument, MechanismFailed


def load_function(target: str, argument: str = "mechanism") -> Mechanism:
    """The function NAME of FILE.py:NAME, or of package.module:NAME; what it raises becomes `MechanismFailed`.

    Raises `InvalidArgument` when there is no such function, and `MechanismFailed` when its file cannot be run.
    """
    place, _, name = target.rpartition(":")
    if not place or not name:
        raise InvalidArgument(argument, target, "FILE.py:NAME, such as mine.py:count, or package.module:NAME")
    module = _from_file(Path(place)) if place.endswith(".py") else _from_package(place)
    found = getattr(module, name, None)
    if found is None:
        own = [n for n, f in vars(module).items() if isfunction(f)]
        known = ", ".join(n for n in own if not n.startswith("_")) or "none"
        raise InvalidArgument(argument, target, f"a function of {place}; it has: {known}")
    if not callable(found):
        raise InvalidArgument(argument, target, f"a function; {name} is of type {type(found).__name__}")
    return _reporting(found, name)


def _reporting(function: Mechanism, name: str) -> Mechanism:
    """The same function, whose own exceptions are reported in one line."""

    @wraps(function)
    def reported(*arguments: object, **keywords: object) -> object:
        try:
            return function(*arguments, **keywords)
        except ExactDPError:
            raise
        except (Exception, SystemExit) as error:
            raise _failure(name, error) from error

    reported.__name__ = name
    return reported


def _failure(name: str, error: BaseException) -> MechanismFailed:
    frame = extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}, line {frame.lineno}"
    return MechanismFailed(f"{name} raised {type(error).__name__}: {_one_line(error)} (in {where})")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InvalidArgument("mechanism", str(path), "an existing Python file")
    name = f"_audited_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "a path that ends in .py has a loader"
    assert spec.loader is not None, "a path that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise InvalidArgument("mechanism", str(path), f"valid Python: {error.msg} in line {error.lineno}") from error
    except ImportError as error:
        raise InvalidArgument("mechanism", str(path), f"a file whose imports work: {_one_line(error)}") from error
    except ExactDPError:
        raise
    except (Exception, SystemExit) as error:
        raise _failure(path.name, error) from error
    finally:
        sys.path.pop(0)
    return module


def _from_package(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (ImportError, ValueError, TypeError) as error:
        expected = f"FILE.py:NAME, or the name of an importable module ({_one_line(error)})"
        raise InvalidArgument("mechanism", name, expected) from error
    except ExactDPError:
        raise
    except (Exception, SystemExit) as error:
        raise _failure(name, error) from error


def parse_domain(text: str) -> list[Hashable]:
    """The values of V,V,...: Python literals (0.5 is read as 1/2); words that are none are strings.

    Raises `InvalidArgument` for an empty or malformed list.

    >>> parse_domain("-1,0,1"), parse_domain("yes,no"), parse_domain("(0,1),None")
    ([-1, 0, 1], ['yes', 'no'], [(0, 1), None])
    """
    if not text.strip():
        raise InvalidArgument("--domain", text, "at least one value, such as 0,1")
    try:
        body = ast.parse(f"[{text}]", mode="eval").body
        elements = body.elts if isinstance(body, ast.List) else []
        return [_literal(element, f"[{text}]") for element in elements]
    except (SyntaxError, ValueError, TypeError):
        words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise InvalidArgument("--domain", text, "values between the commas")
    return list(words)


def _literal(element: ast.expr, source: str) -> Hashable:
    if isinstance(element, ast.Name):
        return element.id
    if isinstance(element, ast.Constant) and isinstance(element.value, float):
        return Fraction(ast.get_source_segment(source, element) or "")
    value: Hashable = ast.literal_eval(element)
    return value


def check_writable(option: str, path: str | None, endings: tuple[str, ...] = ()) -> Path | None:
    """The path, if one is given and a file can be written there: asked before the work, so that nothing is lost."""
    if path is None:
        return None
    target = Path(path)
    if endings and target.suffix.lower() not in endings:
        raise InvalidArgument(option, path, "a file name that ends in " + ", ".join(endings))
    if target.suffix.lower() == ".py":
        raise InvalidArgument(option, path, "a file that is no Python program, which would be overwritten")
    if target.is_dir() or not target.parent.is_dir():
        raise InvalidArgument(option, path, "a file in an existing folder")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InvalidArgument(option, path, "a place that can be written to")
    return target


def check_different(outputs: Mapping[str, Path | None]) -> None:
    """Raises `InvalidArgument` when two options name the same file."""
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is not None:
            other = seen.setdefault(path.resolve(), option)
            if other != option:
                raise InvalidArgument(option, str(path), f"another file than that of {other}")
