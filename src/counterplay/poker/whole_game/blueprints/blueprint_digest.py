"""A blueprint by its content: equal for files of equal strategies, whenever and wherever they were made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from counterplay.archive import opened
from counterplay.poker.whole_game.blueprints.blueprint_file import KIND

_OF_A_RUN = "seconds"
"""The fact that equal solves differ in."""


def digest_blueprint(path: Path) -> str:
    """SHA-256 of the game, the buckets, the way of solving and the strategy in a `.cpb` file.

    Raises:
        InputError: the file is missing, damaged or something else.
    """
    with opened(path, KIND) as archive:
        facts = {name: fact for name, fact in archive.facts.items() if name != _OF_A_RUN}
        return hashlib.sha256(json.dumps([facts, archive.digests], sort_keys=True).encode()).hexdigest()
