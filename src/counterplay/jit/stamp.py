"""A fingerprint of the sources of machine code: kernels from other sources are never loaded.

Numba notices only a change of the file that holds a function, not of the functions and constants that it takes from other
files. The stamp covers the code of every file of the package that mentions Numba or kernels, and of every file that such a
file imports. Docstrings and comments do not count: an edit of prose compiles nothing again.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_MARKS = b"numba", b"llvmlite", b"kernel(", b"@kernel", b"@rule"
_IMPORT = re.compile(rb"\n *from counterplay\.([\w.]+) import")
_COMMENT = re.compile(rb"\n(?: *#[^\n]*)?(?=\n)|  # [^\"'\n]*(?=\n)")
_NEVER = {"errors", "files", "about"}
"""No constant of these is compiled in."""


@cache
def stamped() -> tuple[Path, ...]:
    """The files that the stamp covers, sorted."""
    return tuple(_contents())


@cache
def _contents() -> dict[Path, bytes]:
    """Their contents, read once a process."""
    every = dict(_modules(os.fspath(PACKAGE), ""))
    found = {name for name, (_, content) in every.items() if any(mark in content for mark in _MARKS)}
    found |= {one.decode() for name in found for one in _IMPORT.findall(every[name][1])} & every.keys()
    files = sorted((Path(path), content) for path, content in map(every.__getitem__, found))
    return {path: content for path, content in files if path.stem not in _NEVER}


def _modules(folder: str, name: str) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """All modules below a folder by name, a package by that of its folder: path and content. Without `Path`, which takes as
    long as reading.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                with open(entry.path, "rb", buffering=0) as file:
                    content = file.read()
                yield name.rstrip(".") if entry.name == "__init__.py" else name + entry.name[:-3], (entry.path, content)
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _modules(entry.path, f"{name}{entry.name}.")


def code_of(content: bytes) -> bytes:
    """A source file without empty lines, comments and the text of docstrings, for files as `ruff format` leaves them."""
    parts = content.split(b'"""')
    for i in range(1, len(parts), 2):
        if parts[i - 1].rstrip(b" ")[-1:] in (b"", b"\n"):  # it begins its line
            parts[i] = b""
    return _COMMENT.sub(b"", b'"""'.join(parts))


@cache
def stamp() -> str:
    """A fingerprint of the code of all files with compiled functions, and of their compiler."""
    digest = hashlib.sha256()
    for path, content in _contents().items():
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + code_of(content))
    return digest.hexdigest()
