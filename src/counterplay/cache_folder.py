"""The folder of what is computed once and found again: results that depend on nothing but a question."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = "COUNTERPLAY_CACHE"
"""Environment variable: where the files are; by default `counterplay` in the user's cache folder. Empty keeps nothing."""
_MOST = 2**30
"""Bytes that all files of a folder together may take; the oldest go first."""


def cache_folder(part: str = "") -> Path | None:
    """The folder of a part of the cache, which need not exist; None where nothing is kept."""
    chosen = os.environ.get(FOLDER)
    if chosen is not None:
        return Path(chosen) / part if chosen else None
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "counterplay" / part


def prune(folder: Path) -> None:
    """Remove the oldest files of a folder that has grown too large."""
    kept = [path for ending in ("*.npz", "*.work") for path in folder.glob(ending)]
    files = sorted(kept, key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > _MOST:
            path.unlink()
