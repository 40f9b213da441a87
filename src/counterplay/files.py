"""Writing files so that nobody ever finds half of one."""

from __future__ import annotations

import os
from pathlib import Path

from counterplay.errors import InputError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
