"""Sampled values on disk: found again by everything that they depend on, and made again where a file is damaged or stale."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.about import version
from counterplay.archive import ArchiveKind, opened, write
from counterplay.cache_folder import cache_folder, prune
from counterplay.errors import InputError
from counterplay.jit import stamp

Floats = NDArray[np.float64]
Both = tuple[Floats, Floats]
KIND = ArchiveKind("a file of sampled values", 1, frozenset(("mean", "error")))


class SampleCache:
    """Two arrays of values under a key.

    Args:
        key: what they depend on: plain values, and arrays. The version of the library and of its compiled code belong to it,
            so that values of another version are never found.
    """

    def __init__(self, key: Mapping[str, Any]) -> None:
        plain = {name: value for name, value in key.items() if not isinstance(value, np.ndarray)}
        digest = hashlib.sha256(json.dumps([version(), stamp(), plain], sort_keys=True).encode())
        for name in sorted(set(key) - set(plain)):
            digest.update(name.encode() + str(key[name].shape).encode() + np.ascontiguousarray(key[name]).tobytes())
        self.name = digest.hexdigest()

    @property
    def path(self) -> Path | None:
        """The file; None where nothing is kept."""
        folder = cache_folder()
        return None if folder is None else folder / f"{self.name}.npz"

    def get(self, shape: tuple[int, ...], make: Callable[[], Both]) -> Both:
        """The two arrays of this shape, from the file or made (and kept, if there is a place to keep them)."""
        path = self.path
        found = self._read(path, shape) if path else None
        if found is not None:
            return found
        made = make()
        if path:
            with suppress(OSError, InputError):
                path.parent.mkdir(parents=True, exist_ok=True)
                write(path, KIND, {"key": self.name}, {"mean": made[0], "error": made[1]})
                prune(path.parent)
        return made

    def _read(self, path: Path, shape: tuple[int, ...]) -> Both | None:
        """What a file holds; None if it is missing, damaged, or of something else."""
        try:
            with opened(path, KIND) as stored:
                if stored.facts.get("key") != self.name:
                    return None
                mean, error = stored.array("mean", shape), stored.array("error", shape)
        except InputError:
            return None
        return (mean, error) if mean.dtype == error.dtype == np.float64 else None
