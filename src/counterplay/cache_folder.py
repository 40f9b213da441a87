"""The cache folder of computed results that depend on their inputs only."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = "COUNTERPLAY_CACHE"
"""Environment variable for the folder; by default `counterplay` in the user's cache folder. Empty disables
the cache.
"""
_MOST = 2**30
"""The most bytes of all files of a folder; the oldest are deleted first."""


def cache_folder(part: str = "") -> Path | None:
    """The folder of a part of the cache, which need not exist; None if the cache is disabled."""
    chosen = os.environ.get(FOLDER)
    if chosen is not None:
        return Path(chosen) / part if chosen else None
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "counterplay" / part


def prune(folder: Path) -> None:
    """Remove the oldest files of a folder that has grown too large."""
    kept = [path for ending in ("*.npz", "*.work", "*.spot") for path in folder.glob(ending)]
    files = sorted(kept, key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > _MOST:
            path.unlink()
