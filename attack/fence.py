"""A fence around a process: it may write below some folders only, whatever path it is told.

Command lines are drawn by lot, and some are absolute paths; nothing of the machine's may be overwritten by an attack.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod")
"""Audit events whose first words are paths that are changed."""


def fence(*folders: Path) -> None:
    """From now on this process cannot write elsewhere; the fence cannot be removed."""
    inside = tuple(os.path.realpath(folder) + os.sep for folder in folders)

    def watch(event: str, words: tuple[object, ...]) -> None:
        if event == "open" and isinstance(words[2], int) and words[2] & _WRITING:
            _check(words[0], inside)
        elif event in _CHANGES:
            for path in words[: 2 if event in ("os.rename", "os.link") else 1]:
                _check(path, inside)

    sys.addaudithook(watch)


def _check(path: object, inside: tuple[str, ...]) -> None:
    if not isinstance(path, str | bytes | os.PathLike):
        return  # a file that is open already
    try:
        real = os.path.realpath(os.fsdecode(path))
    except ValueError:
        return  # no path at all, as the system will say
    kernels = ".nbi" in real or ".nbc" in real or "__pycache__" in real
    if not (real.startswith(inside) or kernels or _is_device(real)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def _is_device(path: str) -> bool:
    try:
        return stat.S_ISCHR(os.stat(path).st_mode)
    except OSError:
        return False
