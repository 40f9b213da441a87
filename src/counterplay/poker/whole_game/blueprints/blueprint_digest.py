"""A blueprint by its content: equal for files of equal strategies, whenever and wherever they were made; and a strategy by
its tables, however it was made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from counterplay.archive import opened
from counterplay.poker.whole_game.blueprints.blueprint_file import KIND
from counterplay.poker.whole_game.game_facts import question_of
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy

_OF_A_RUN = "seconds"
"""The fact in older files that equal solves differ in."""


def digest_blueprint(path: Path) -> str:
    """SHA-256 of the game, the buckets, the way of solving and the strategy in a `.cpb` file.

    Raises:
        InputError: the file is missing, damaged or something else.
    """
    with opened(path, KIND) as archive:
        facts = {name: fact for name, fact in archive.facts.items() if name != _OF_A_RUN}
        return hashlib.sha256(json.dumps([facts, archive.digests], sort_keys=True).encode()).hexdigest()


def digest_play(game: HoldemGame, play: BucketedStrategy) -> str:
    """SHA-256 of the game, the name of the buckets and the tables of a strategy."""
    found = hashlib.sha256(json.dumps([question_of(game), play.buckets.name], sort_keys=True).encode())
    for table in (*play.preflop, *(table for street in play.tables for side in street for table in side)):
        found.update(table.tobytes())
    return found.hexdigest()
