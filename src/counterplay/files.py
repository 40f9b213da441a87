"""Writing files so that nobody ever finds half of one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from counterplay.errors import InputError


def check_writable(*paths: Path | None) -> None:
    """Make sure, before long work, that the folders of the files to write exist.

    Raises:
        InputError: naming the folder that does not.
    """
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise InputError(f"cannot write {path}: there is no folder '{path.parent}'")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    if not path.name:
        raise InputError(f"cannot write {path}: it is a folder")
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):  # it is still there only if something failed
            partial.unlink()
