"""The folder of compiled kernels: NUMBA_CACHE_DIR if it is set, else the package's own __pycache__ if it can be written,
else the user's cache. Kernels are read from the last two alike, so that an image may be warmed by one user and used by
another. Folders that other users could change are not used (see `cache_folder`)."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from counterplay.cache_folder import PRIVATE, PUBLIC, make_trusted
from counterplay.jit.stamp import PACKAGE, stamp

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None

_KEPT = 6
"""So many versions of the package keep their kernels in one folder."""


@cache
def folders() -> tuple[Path, ...]:
    """All folders that may hold kernels of these sources, the preferred one first."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        roots = [Path(given)]
    else:
        roots = [PACKAGE / "__pycache__"]
        with suppress(RuntimeError):  # no home
            if sys.platform == "win32":
                roots.append(Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"))
            elif sys.platform == "darwin":
                roots.append(Path.home() / "Library" / "Caches")
            else:
                roots.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"))
    return tuple(root / "counterplay-kernels" / stamp()[:16] for root in roots)


def mode_of(folder: Path) -> int:
    """The mode of a folder that is made: beside the sources all may read it, as all may read these."""
    return PUBLIC if folder.is_relative_to(PACKAGE) else PRIVATE


_given_up = False


def give_up() -> None:
    """Keep nothing more in this process: writing has failed."""
    global _given_up
    _given_up = True


def writable() -> Path | None:
    """The folder to keep kernels in, made if need be; None if there is none, or none any more."""
    return None if _given_up else _first_writable()


@cache
def _first_writable() -> Path | None:
    for folder in folders():
        with suppress(OSError):
            new = not folder.exists()
            make_trusted(folder, mode_of(folder))
            tempfile.TemporaryFile(dir=folder).close()
            if new:  # remove the kernels of all but the few versions that were last added to
                others = [path for path in folder.parent.iterdir() if path.is_dir() and path != folder]
                for path in sorted(others, key=lambda path: path.stat().st_mtime)[: -_KEPT + 1]:
                    shutil.rmtree(path, ignore_errors=True)
            return folder
    return None


@contextmanager
def locked(path: Path, waiting: Callable[[], object]) -> Iterator[None]:
    """Hold the lock of a file between processes; the file is made and removed again, and the lock ends with the process at
    the latest. Without effect where files cannot be made or locked. waiting: called if another process has the lock.
    """
    try:
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        yield
        return
    try:
        if fcntl is not None:
            with suppress(OSError):
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    waiting()
                    fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)
        os.close(handle)
