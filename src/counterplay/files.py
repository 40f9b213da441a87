"""Writing files so that nobody ever finds half of one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from counterplay.errors import InputError


def check_writable(path: Path | None, *endings: str) -> None:
    """Make sure, before long work, that a file can be written; None is no file.

    Args:
        path: the file.
        endings: those it may have, such as `.json`; any if none are given.

    Raises:
        InputError: naming what is in the way.
    """
    if path is None:
        return
    if endings and path.suffix not in endings:
        raise InputError(f"cannot write {path}: its name must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder '{path.parent}'")
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"cannot write {path}: no permission")


def check_folder(path: Path) -> None:
    """The same for a folder that is made if it is not there."""
    if not path.parent.is_dir():
        raise InputError(f"cannot write into {path}: there is no folder '{path.parent}'")
    if path.exists() and not (path.is_dir() and os.access(path, os.W_OK)):
        raise InputError(f"cannot write into {path}: it is no folder, or there is no permission")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all; links are followed, and what is no plain file (a pipe, say) is written to.

    Raises:
        InputError: the file cannot be written.
    """
    if not path.name:
        raise InputError(f"cannot write {path}: it is a folder")
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        _write_into(path, target, content)
        return
    partial = target.with_name(target.name + ".partial")
    try:
        partial.write_bytes(content)
        os.replace(partial, target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):  # it is still there only if something failed
            partial.unlink()


def _write_into(path: Path, target: Path, content: bytes) -> None:
    try:
        with target.open("wb") as stream:
            stream.write(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
