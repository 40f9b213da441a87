"""Sampled values on disk: a record of work in the cache, found again by everything that the values depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.about import version
from counterplay.cache_folder import cache_folder, prune
from counterplay.errors import InputError
from counterplay.jit import stamp
from counterplay.trusted_folder import make_trusted
from counterplay.work.work_record import WorkRecord


class SampleCache(WorkRecord):
    """A record of sampled values, kept only as far as there is a place for it.

    Args:
        key: all that they depend on: plain values and arrays. It includes the versions of the library and its compiled
            code, so that values of another version are never found.
    """

    def __init__(self, key: Mapping[str, Any]) -> None:
        plain = {name: value for name, value in key.items() if not isinstance(value, np.ndarray)}
        digest = hashlib.sha256(json.dumps([version(), stamp(), plain], sort_keys=True).encode())
        for name in sorted(set(key) - set(plain)):
            digest.update(name.encode() + str(key[name].shape).encode() + np.ascontiguousarray(key[name]).tobytes())
        self.name = digest.hexdigest()
        folder = cache_folder()
        path = None if folder is None else folder / f"{self.name}.work"
        identity = {"sampled values": self.name}
        if path is not None:
            with suppress(OSError):
                make_trusted(path.parent)
        try:
            super().__init__(path, identity)
        except InputError:  # damaged, or of another key under this name
            _remove(path)
            super().__init__(path, identity)

    def keep(self, key: str, result: Any) -> None:
        """Keep a result; in memory alone where the file cannot be written."""
        try:
            super().keep(key, result)
        except InputError:
            self.path = None
        if self.path is not None:
            with suppress(OSError):
                prune(self.path.parent)


def _remove(path: Path | None) -> None:
    if path is not None:
        with suppress(OSError):
            path.unlink()
