"""The cache folder of computed results that depend on their inputs only; and folders that no other user can change.

Such a folder is as ssh demands them for its keys: every folder of its path must belong to this user, to root or to the owner
of the package, whose code runs anyway, and nobody else may write it. Above the folder itself a sticky one such as /tmp will
do: nobody can replace another's folder there. Checked from the root down, the answer holds until this user or root changes
something.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from errno import EACCES
from pathlib import Path

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


PRIVATE, PUBLIC = 0o700, 0o755
"""Modes of folders that are made: for this user alone, or readable by all."""
_PACKAGE = Path(__file__).parent
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def distrust(path: Path) -> str | None:
    """The reason why others could change a folder, such as "others may write /srv/x"; None if they cannot, or on Windows."""
    if sys.platform == "win32":
        return None
    real = Path(os.path.realpath(path))
    for folder in (*reversed(real.parents), real):
        try:
            about = os.lstat(folder)
        except OSError:
            return None  # nothing to read, since those above are ours; whoever makes it checks it again
        reason = _reason(about, f"{folder}", sticky=folder != real)
        if reason is not None:
            return reason
    return None


def distrust_file(handle: int, path: Path) -> str | None:
    """The same of an open file, by its descriptor."""
    return None if sys.platform == "win32" else _reason(os.fstat(handle), f"{path}", sticky=False)


def make_trusted(folder: Path, mode: int = PRIVATE) -> None:
    """Make a folder and those above it that are missing, with this mode whatever the umask allows to others.

    Raises:
        OSError: it cannot be made, or others could change it.
    """
    if not folder.parent.exists():
        make_trusted(folder.parent, mode)
    with suppress(FileExistsError):
        folder.mkdir(mode)
    if not folder.is_dir():
        raise NotADirectoryError(EACCES, "it is no folder", str(folder))
    if (reason := distrust(folder)) is not None:
        raise PermissionError(EACCES, reason, str(folder))


def _reason(about: os.stat_result, name: str, *, sticky: bool) -> str | None:
    if stat.S_ISLNK(about.st_mode):
        return f"{name} has become a link"
    if about.st_uid not in (0, os.geteuid(), _PACKAGE.stat().st_uid):
        return f"{name} belongs to another user (number {about.st_uid})"
    if not about.st_mode & _OTHERS or (sticky and about.st_mode & stat.S_ISVTX):
        return None
    if not about.st_mode & stat.S_IWOTH and _is_own_group(about.st_gid):
        return None
    return f"others may write {name} (mode {stat.S_IMODE(about.st_mode):03o}; chmod go-w forbids it)"


def _is_own_group(number: int) -> bool:
    """Return whether a group is the user's private one, which has their name and no other member; root has none."""
    if os.geteuid() == 0:
        return False
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return user.pw_gid == number and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
