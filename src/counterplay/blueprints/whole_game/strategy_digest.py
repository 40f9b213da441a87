"""Digests of strategies of whole games, by which records of work know them again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy


def strategy_digest(game: HoldemGame, play: BlueprintStrategy, boards: Sequence[Board]) -> str:
    """A digest of a strategy before the flop, on boards of a street, and on those after each."""
    found = hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in play.preflop))
    while boards:
        for board in boards:
            for player in (0, 1):
                found.update(b"".join(np.ascontiguousarray(part).tobytes() for part in play.on(player, board)))
        last = boards[0].street == game.last
        boards = [] if last else [child for board in boards for child in game.boards.after(board)]
    return found.hexdigest()[:16]
