"""A few letters that tell strategies of whole games from each other."""

from __future__ import annotations

import hashlib

import numpy as np

from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.own_tables import own_tables
from counterplay.poker.whole_game.strategy import BlueprintStrategy


def digest_of(game: HoldemGame, player: int, play: BlueprintStrategy) -> str:
    """A few letters that tell a player's strategy from others: before the flop, on one board of every street, and on every
    board that was solved for it alone.
    """
    board, tables = game.boards.root, [play.preflop[player]]
    for _ in range(game.last):
        board = game.boards.child(board, 0)
        tables += [np.asarray(part) for part in play.on(player, board)]
    tables += own_tables(play, player)
    return hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in tables)).hexdigest()[:16]
