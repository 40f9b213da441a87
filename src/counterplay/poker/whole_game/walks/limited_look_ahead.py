"""Continual depth-limited best response (Milec et al. 2025): on every street the best response of a game that ends so many
streets later, where values stand in for what follows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.poker.whole_game.values.board_walk import BoardWalk, add_rows
from counterplay.poker.whole_game.walks.choice_kernels import raise_chosen
from counterplay.poker.whole_game.walks.leaves import StreetLeaf


class LimitedLookAhead:
    """The rule by which it chooses.

    Args:
        game, player, theirs: as of `BoardWalk`.
        depth: how many streets it sees, its own counted.
        leaf: what those after them are worth.
    """

    backed, line_guess = True, None

    def __init__(self, game: HoldemGame, player: int, theirs: BlueprintStrategy, depth: int, leaf: StreetLeaf) -> None:
        self.game, self.player, self.theirs, self.depth = game, player, theirs, depth
        self._walks = [_StoppedWalk(game, player, theirs, leaf, street + depth - 1) for street in range(game.last + 1)]

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:
        street = board.street
        if street + self.depth > self.game.last:
            return None
        found = values.copy()
        entry = plan[self.game.sides[1 - self.player].entries[street + 1]]
        below = self._walks[street].below(board, entry)
        add_rows(found, self.game.sides[self.player].entries[street + 1], below)
        return found

    def early_estimates(self, flop: Board) -> AnyArray | None:
        if self.depth > self.game.last:
            return None
        game, side = self.game, self.game.sides[self.player]
        entry = entry_reach(game, 1 - self.player, self.theirs)
        out = np.zeros((side.sizes[0], game.boards.classes))
        out[side.entry] = self._walks[0].below(game.boards.root, entry, [(flop, 1.0)])
        return out

    def raise_values(self, decisions: AnyArray, found: AnyArray, values: AnyArray, n: int, run: int) -> None:
        raise_chosen(decisions, found.reshape(-1), values, n, run, self.backed)


class _StoppedWalk(BoardWalk):
    """Best play up to the street `limit`, and a leaf behind it."""

    def __init__(self, game: HoldemGame, player: int, theirs: BlueprintStrategy, leaf: StreetLeaf, limit: int) -> None:
        super().__init__(game, player, theirs)
        self._leaf, self._limit = leaf, limit

    def below(self, board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        if board.street == self._limit:
            return self._leaf.below(board, entry, children)
        return super().below(board, entry, children)
