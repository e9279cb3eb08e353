"""The manual: Sphinx with MyST and furo. Tables, help texts and the picture are computed when it is built."""

import re
import sys
from importlib import import_module
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import exactdp

sys.path.insert(0, str(Path(__file__).parent))
generate = import_module("generate")

project = "exactdp"
author = "exactdp contributors"
version = release = version_of("exactdp")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"exactdp {release}"
html_copy_source = False
html_show_copyright = False

myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

nitpicky = True
nitpick_ignore_regex = [
    # The standard library and numpy: their manuals are elsewhere, and a build asks no network.
    (r"py:.*", r"(collections|fractions|numpy|pathlib|typing|NDArray|np)\b.*"),
    (r"py:.*", r"(Callable|Fraction|Hashable|Iterable|Iterator|Mapping|Sequence|Literal|optional)"),
    # Names inside the package that are not public; signatures mention them, pages do not describe them.
    (r"py:.*", r"exactdp\.(spec|reference|verify)\..*"),
    (r"py:.*", r"(Dataset|Mechanism|Progress|WordSource|Self)"),
]

MARKUP = re.compile(r"(?P<kept>`[^`]+`|(?<![\w*])\*[a-z][a-z ]*\*(?![\w*]))|[*|\\]|(?<=\w)_(?!\w)")


def setup(app: Sphinx) -> None:
    """Connects what is computed and what makes docstrings readable."""
    app.connect("builder-inited", lambda app: generate.write_all(Path(app.srcdir)))
    app.connect("autodoc-process-docstring", plain_text)
    app.connect("missing-reference", public_name)


def plain_text(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Docstrings are plain text with `names` and *emphasis*: the rest that reStructuredText would read is escaped."""
    in_example = False
    for i, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>> "))
        if not in_example:
            escaped = MARKUP.sub(lambda found: found["kept"] or "\\" + found[0], line)
            lines[i] = re.sub(r"`([^`]+)`", r"``\1``", escaped)


def public_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: Any) -> Any:
    """A signature says where a name lives, `exactdp.spec.law.Law`; the page describes the public `exactdp.Law`."""
    name = str(node.get("reftarget", "")).rpartition(".")[2]
    if node.get("refdomain") != "py" or name not in exactdp.__all__:
        return None
    page, target = str(node.get("refdoc", "")), f"exactdp.{name}"
    return env.domains.python_domain.resolve_xref(env, page, app.builder, "obj", target, node, text)
