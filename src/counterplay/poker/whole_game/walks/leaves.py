"""Values at the limit of a look-ahead over boards: hands checked down, both players going on by a strategy, or the player
going on by the best of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, even_out
from counterplay.poker.whole_game.boards.seen_boards import AllBoards, SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.showdown_lines import showdown_lines
from counterplay.poker.whole_game.walks.check_down import CheckDown, Stake


class StreetLeaf(Protocol):
    """Value to a player of the streets beyond a look-ahead."""

    def below(self, board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        """(entries, places) as `BoardWalk.below`."""


class EquityLeaf:
    """Check-down: without further bets hands are worth their share of the pot.

    Args:
        game: of both players; the leaf is the same for both.
        seen: boards that are seen; all unless given.
    """

    def __init__(self, game: HoldemGame, seen: SeenBoards | None = None) -> None:
        self._at = [None, *(_entries(game, street, seen) for street in range(1, game.last + 1))]

    def below(self, board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        known = self._at[board.street + 1]
        assert known is not None
        return known.below(board, entry, children)


def _entries(game: HoldemGame, street: int, seen: SeenBoards | None) -> CheckDown:
    """Of the entries of a street; there both players have put in the same."""
    nodes = game.roots[street].tolist()
    stakes = [Stake(k, k, float(game.betting.pot[node]) / 2) for k, node in enumerate(nodes)]
    return CheckDown(game, stakes, (len(nodes), len(nodes)), seen)


def strategy_leaf(game: HoldemGame, player: int, play: BlueprintStrategy, seen: SeenBoards | None = None) -> StreetLeaf:
    """Both go on as a strategy says, the opponent from the range with which they came: the values of a blueprint."""
    return BoardWalk(game, player, play, play, seen)


class ContinuationsLeaf:
    """The opponent goes on as they do, and each hand of the player, on each board that is dealt, by the best of several
    strategies: matrix-valued states against a known opponent (Milec et al. 2025, section 2.3).

    Args:
        game, player: who chooses.
        theirs: strategy of the opponent.
        plays: those of which one is chosen.
    """

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, plays: Sequence[BlueprintStrategy]
    ) -> None:
        self.game, self.player, self.theirs, self.plays = game, player, theirs, plays
        self._walks = [BoardWalk(game, player, theirs, play) for play in plays]
        self._seen = AllBoards(game.boards)

    def below(self, board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        boards = self._seen.after(board) if children is None else children
        if 0 < board.street == self.game.last - 1:
            return even_out(board, self._by_lines(boards, entry[:, : len(board.hand)]))
        out = np.zeros((len(entry), len(board.hand)))
        for child, weight in boards:
            best = np.max([walk.values_at(child, entry) for walk in self._walks], axis=0)
            np.add.at(out.T, child.up, weight * best.T)
        return even_out(board, out)

    def _by_lines(self, boards: Iterable[tuple[Board, float]], entry: AnyArray) -> F64:
        """The same for boards of the last street."""
        lines = showdown_lines(self.game, self.player)
        total = np.zeros_like(lines.sums(entry).out)
        for child, weight in boards:
            total[child.up] += weight * lines.best_of(child, self.theirs, self.plays, entry)
        return lines.entries(total)
