"""Settings of Sphinx for `make docs`: the pages of this folder, and the reference from the docstrings of the package."""

from __future__ import annotations

import sys
from typing import Any, get_type_hints

import counterplay

project = "Counterplay"
author = "The Counterplay authors"
copyright = f"{author}, MIT licence"
release = counterplay.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["index-page.md"]  # of the package index
html_theme = "furo"
html_title = "Counterplay"

default_role = "code"  # docstrings set code in single backticks
highlight_language = "none"  # a block that names no language is text
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [("Optional members", "params_style")]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100


def _strip_readers(_app: Any, thing: Any, _bound: bool) -> None:
    """Show the type of a record's field without the reader of its text, which is annotated beside it."""
    owner, _, name = getattr(thing, "__qualname__", "").rpartition(".")
    if name == "__init__":
        kind = getattr(sys.modules[thing.__module__], owner, None)
        try:
            hints = get_type_hints(kind) if kind else {}
        except NameError:  # a type that is imported for type checkers alone
            return
        thing.__annotations__ = {key: hints.get(key, said) for key, said in thing.__annotations__.items()}


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-before-process-signature", _strip_readers)
