"""What strategies are worth to each other from the end of a street on: by boards to come that are drawn anew each time, or
by all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, deals_to_come
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards
from counterplay.poker.whole_game.continuation.rest_of_game import rest_of_game
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk


class RunOutValues:
    """Values of a line's streets to come. Drawn boards, one of each street, give unbiased estimates.

    Args:
        game: the game.
        line: a street and the betting before it, as a number in `HoldemGame.roots`.
        board: of that street.
        plays: of players 0 and 1, the strategies by which they go on after it.
        random: generator of the draws; None to see all boards.

    Attributes:
        drawn: whether boards are drawn.
    """

    def __init__(
        self,
        game: HoldemGame,
        line: tuple[int, int],
        board: Board,
        plays: tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]],
        random: np.random.Generator | None,
    ) -> None:
        rest = rest_of_game(game, *line)
        self._board, self._dtype, self.drawn = board, game.dtype, random is not None
        self._deals = deals_to_come(game.deck, board.street, game.last)
        each = (1,) * (game.last + 1)
        self._seen = None if random is None else DrawnBoards(rest.game.boards, random, each)
        known = [[rest.strategy(play) for play in side] for side in plays]
        self._walks = [
            [[BoardWalk(rest.game, who, theirs, ours, self._seen) for theirs in known[1 - who]] for ours in known[who]]
            for who in (0, 1)
        ]

    def draw(self) -> None:
        """Draw the boards to come anew."""
        if self._seen is not None:
            self._seen.draw_anew()

    def values(self, player: int, reach: AnyArray) -> F64:
        """(own strategies, ends, places) chips of a player by each of their strategies, for each pair of hands of reach 1.

        Args:
            player: whose chips: 0 or 1.
            reach: (strategies of the other, ends, places of the board) with which the other goes on by each of them.
        """
        entries = reach.astype(self._dtype)
        met = [k for k, entry in enumerate(entries) if entry.any()]
        found = [
            sum((walks[k].below(self._board, entries[k]) for k in met), np.zeros(reach.shape[1:]))
            for walks in self._walks[player]
        ]
        return np.stack(found) / self._deals
