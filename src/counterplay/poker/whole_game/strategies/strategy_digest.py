"""A few letters that tell strategies of whole games from each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy


def digest_of(game: HoldemGame, player: int, play: BlueprintStrategy) -> str:
    """A few letters that tell a player's strategy from others: before the flop, and on one board of every street."""
    board, tables = game.boards.root, [play.preflop[player]]
    for _ in range(game.last):
        board = game.boards.child(board, 0)
        tables += [np.asarray(part) for part in play.on(player, board)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in tables)).hexdigest()[:16]


def digest_of_boards(game: HoldemGame, play: BlueprintStrategy, boards: Sequence[Board]) -> str:
    """A digest of a strategy before the flop, on boards of a street, and on those after each."""
    found = hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in play.preflop))
    while boards:
        for board in boards:
            for player in (0, 1):
                found.update(b"".join(np.ascontiguousarray(part).tobytes() for part in play.on(player, board)))
        last = boards[0].street == game.last
        boards = [] if last else [child for board in boards for child in game.boards.after(board)]
    return found.hexdigest()[:16]
