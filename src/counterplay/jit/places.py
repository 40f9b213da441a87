"""Where kernels are kept: NUMBA_CACHE_DIR if it is set, else the package's own __pycache__ if it can be written, else the
user's cache. They are looked for in both of these, so that an image may be warmed by one user and used by another.
Folders that other users could change are not used (see `trusted_folder`)."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from counterplay.jit.stamp import PACKAGE, stamp
from counterplay.trusted_folder import PRIVATE, PUBLIC, make_trusted

_KEPT = 6
"""So many versions of the package keep their kernels in one folder."""


@cache
def folders() -> tuple[Path, ...]:
    """All folders that may hold kernels of these sources, the preferred one first."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    roots = [Path(given) if given else PACKAGE / "__pycache__"]
    with suppress(RuntimeError):  # no home
        roots += [] if given else [_user_cache()]
    return tuple(root / "counterplay-kernels" / stamp()[:16] for root in roots)


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


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
            if new:
                _drop_old(folder)
            return folder
    return None


def _drop_old(folder: Path) -> None:
    """Remove the kernels of all but a few versions, those that were last added to."""
    others = [path for path in folder.parent.iterdir() if path.is_dir() and path != folder]
    for path in sorted(others, key=lambda path: path.stat().st_mtime)[: -_KEPT + 1]:
        shutil.rmtree(path, ignore_errors=True)
