"""The random numbers of a piece of work, which depend on its key and the seed alone."""

from __future__ import annotations

import hashlib

import numpy as np


def random_of(seed: int, key: str) -> np.random.Generator:
    """The random numbers of a piece."""
    digest = hashlib.sha256(f"{seed} {key}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))
