"""A few letters that tell strategies from each other."""

from __future__ import annotations

import hashlib

import numpy as np

from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy


def digest_strategy(game: HoldemGame, player: int, play: BlueprintStrategy) -> str:
    """Of a player's strategy: before the flop, and on one board of every street, in the precision of the game."""
    board, tables = game.boards.root, [play.preflop[player]]
    for _ in range(game.last):
        board = game.boards.child(board, 0)
        table, lane = play.on(player, board)
        tables += [np.asarray(table, game.dtype), np.asarray(lane)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in tables)).hexdigest()[:16]
