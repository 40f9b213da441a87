"""The cache folder of computed results that depend on their inputs only."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from counterplay.trusted_folder import distrust

_log = logging.getLogger("counterplay.cache")
FOLDER = "COUNTERPLAY_CACHE"
"""Environment variable for the folder; by default `counterplay` in the user's cache folder. Empty disables
the cache.
"""
_MOST = 2**30
"""The most bytes of all files of a folder; the oldest are deleted first."""
_REFUSED: set[str] = set()
"""Reasons that this process has told."""


def cache_folder(part: str = "") -> Path | None:
    """The folder of a part of the cache, which `make_trusted` makes; None if the cache is disabled, or if other users could
    change it.
    """
    chosen = os.environ.get(FOLDER)
    if chosen == "":
        return None
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = (Path(home) / "counterplay" if chosen is None else Path(chosen)) / part
    reason = distrust(folder)
    if reason is None:
        return folder
    if reason not in _REFUSED:
        _REFUSED.add(reason)
        _log.warning("the cache in %s is not used: %s", folder, reason)
    return None


def prune(folder: Path, *, spared: float = 0.0) -> None:
    """Remove the oldest files of a folder that has grown too large, but for those that have changed in the last seconds;
    other processes may do so at the same time.
    """
    files = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            if path.is_file() and not path.name.startswith("."):
                about = path.stat()
                files.append((about.st_mtime, about.st_size, path))
    total, since = 0, time.time() - spared
    for changed, size, path in sorted(files, reverse=True):
        total += size
        if total > _MOST and changed < since:
            path.unlink(missing_ok=True)


_USED: set[tuple[str, str]] = set()
_OFFERED: ContextVar[frozenset[tuple[str, str]]] = ContextVar("offered", default=frozenset())


class OfferedFileError(Exception):
    """A file, by part and name, that is not in this cache, but in that of whoever gives the work."""

    def __init__(self, file: tuple[str, str]) -> None:
        super().__init__(file)
        self.file = file


def note_used(path: Path) -> None:
    """Remember a file of the cache that this process has used, so that it can offer it to its workers."""
    _USED.add((path.parent.name, path.name))


def used_files() -> frozenset[tuple[str, str]]:
    """Part and name of all files of the cache that this process has used."""
    return frozenset(_USED)


@contextmanager
def offered(files: frozenset[tuple[str, str]]) -> Iterator[None]:
    """A context in which these files can be had for the asking."""
    before = _OFFERED.set(files)
    try:
        yield
    finally:
        _OFFERED.reset(before)


def ask_for(path: Path) -> None:
    """Raise an `OfferedFileError` if a file of the cache can be had, before it is made again."""
    file = path.parent.name, path.name
    if file in _OFFERED.get():
        raise OfferedFileError(file)
