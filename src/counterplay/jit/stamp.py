"""A fingerprint of the sources of machine code: kernels from other sources are never loaded.

Numba notices only a change of the file that holds a function, not of the functions and constants that it takes from other
files. The stamp covers the code of every file of the package that mentions Numba or kernels, and of every file that such a
file imports. Docstrings and comments do not count: an edit of prose compiles nothing again.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_MARK = re.compile(rb"\b(?:numba|llvmlite|kernel(?=\())\b|@(?:kernel|rule)\b")
_HINTS = b"numba", b"llvmlite", b"kernel", b"@rule"
_IMPORT = re.compile(rb"^\s*from counterplay\.([\w.]+) import", re.MULTILINE)
_COMMENT = re.compile(rb"\n(?: *#[^\n]*)?(?=\n)|  # [^\"'\n]*(?=\n)")
_NEVER = {"errors", "files", "about"}
"""No constant of these is compiled in."""


@cache
def stamped() -> tuple[Path, ...]:
    """The files that the stamp covers, sorted."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        content = path.read_bytes()
        if any(hint in content for hint in _HINTS) and _MARK.search(content):
            found.add(path)
            found |= {_file(name.decode()) for name in _IMPORT.findall(content)}
    return tuple(sorted(path for path in found if path.is_file() and path.stem not in _NEVER))


def code_of(content: bytes) -> bytes:
    """A source file without empty lines, comments and the text of docstrings, for files as `ruff format` leaves them."""
    parts = content.split(b'"""')
    for i in range(1, len(parts), 2):
        if parts[i - 1].rstrip(b" ")[-1:] in (b"", b"\n"):  # it begins its line
            parts[i] = b""
    return _COMMENT.sub(b"", b'"""'.join(parts))


def _file(module: str) -> Path:
    place = PACKAGE.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


@cache
def stamp() -> str:
    """A fingerprint of the code of all files with compiled functions, and of their compiler."""
    digest = hashlib.sha256()
    for path in stamped():
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + code_of(path.read_bytes()))
    return digest.hexdigest()
