"""Paths of files of networks in texts, and files that are read once for as long as they stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from counterplay.endings import NETWORK
from counterplay.texts.readers import Reader


@dataclass(frozen=True, kw_only=True)
class NetworkPath(Reader):
    """The path of a file of a network; everything after the colon."""

    what: str = f"a {NETWORK} file"
    example: str = f"leduc{NETWORK}"
    behind: bool = True


def read_once(path: str, load: Callable[[str], Any]) -> Any:
    """What `load` reads from a file, read again only if the file has changed: an agent asks at every decision."""
    return _loaded(path, load, _stamp(path))


@lru_cache(maxsize=8)
def _loaded(path: str, load: Callable[[str], Any], stamp: tuple[int, int]) -> Any:
    del stamp
    return load(path)


def _stamp(path: str) -> tuple[int, int]:
    """Time and size of a file; zeros if there is none, which reading it says."""
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
