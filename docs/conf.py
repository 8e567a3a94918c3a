"""How Sphinx makes the site: `make docs`."""

import importlib.metadata
import re
from typing import Any

project = "sog"
author = "The sog authors"
copyright = "The sog authors"
release = importlib.metadata.version("sog")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["template_game"]
myst_heading_anchors = 3
# Pages link to files of the checkout that are no pages; tests/test_docs.py checks those links.
suppress_warnings = ["myst.xref_missing"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_preserve_defaults = True

html_theme = "sphinx_book_theme"
html_title = "sog"
html_theme_options = {"show_navbar_depth": 1, "use_download_button": False}


def _plain(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with `names`; paragraphs with indented lines stay as they are."""
    paragraphs = "\n".join(lines).split("\n\n")
    lines.clear()
    for paragraph in paragraphs:
        if re.search(r"^ ", paragraph, re.MULTILINE):
            lines += ["::", "", *(f"    {line}" for line in paragraph.split("\n")), ""]
        else:
            escaped = re.sub(r"[\\*|]|_(?!\w)", r"\\\g<0>", paragraph)
            lines += [*escaped.split("\n"), ""]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _plain)
