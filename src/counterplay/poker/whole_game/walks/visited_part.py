"""The part of a strategy that its player visited in training: what a response wins besides comes from rows that say nothing
about how they play."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from counterplay.arrays import F64, U32, AnyArray
from counterplay.poker.whole_game.boards.board import Board, even_out
from counterplay.poker.whole_game.strategies.lines import LineBlueprint
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache, entry_reach
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.showdown_lines import showdown_lines
from counterplay.poker.whole_game.walks.choice_kernels import raise_chosen


@dataclass(frozen=True, eq=False)
class VisitedPart:
    """A strategy whose rows are 0 where the player never was. lines: of the strategy."""

    lines: LineBlueprint
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        one, two = (self.lines.preflop[k] * self.lines.visited_before_flop(k) for k in (0, 1))
        return one, two

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> AnyArray:
        table, visited = self.lines.on(player, board)[0], self.lines.visited_on(player, board)
        return table if visited.all() else np.asarray(table * visited, table.dtype)  # the same one is laid out once


def visited_part(play: BlueprintStrategy) -> VisitedPart | None:
    """The visited part of a strategy; None where it does not tell."""
    return VisitedPart(play) if isinstance(play, LineBlueprint) and play.tells_visits else None


class VisitedWalk:
    """A walk of a player against a strategy, and beside it, by the same choices, what is won from another: from its visited
    part, or from the player of whom it is a model.

    Args:
        walk: of the player against the strategy.
        seen: the other one.
    """

    def __init__(self, walk: BoardWalk, seen: BlueprintStrategy) -> None:
        self._walk, self._part = walk, BoardWalk(walk.game, walk.player, seen)

    def sum_over(self, flop: Board) -> tuple[F64, F64]:
        """(entries, classes) each, as of `BoardWalk.sum_over` for one flop: from the strategy, and from the other."""
        game, other = self._walk.game, 1 - self._walk.player
        entries = entry_reach(game, other, self._walk.theirs), entry_reach(game, other, self._part.theirs)
        return self._below(game.boards.root, *entries, [(flop, float(flop.count))])

    def _below(
        self,
        board: Board,
        entry: AnyArray,
        part: AnyArray,
        children: Iterable[tuple[Board, float]] | None = None,
    ) -> tuple[F64, F64]:
        """As of `BoardWalk.below`, against both."""
        walk = self._walk
        if walk.goes_by_lines(board):
            one, two = walk.shared_sums(board, lambda: self._sum_lines(board, entry, part), walk.seen.after(board))
            return even_out(board, one), even_out(board, two)
        out, seen = (np.zeros((len(reach), len(board.hand))) for reach in (entry, part))
        for child, weight in walk.seen.after(board) if children is None else children:
            self._sum_up(child, entry, part)
            found, run = walk.estimates_on(child), walk.game.run_on(child.street)
            found = np.array(walk.room_values(child) if found is None else found)
            backed = walk.rule is None or walk.rule.backed
            decisions, rows = walk.game.sides[walk.player].decisions[child.street], self._part.room_values(child)
            raise_chosen(decisions, found.reshape(-1), rows.reshape(-1), len(child.hand), run, backed)
            np.add.at(seen.T, child.up, weight * rows[: len(part), : len(child.hand)].T)
            walk.back_up(child, weight, out)
        return even_out(board, out), even_out(board, seen)

    def _sum_up(self, board: Board, entry: AnyArray, part: AnyArray) -> None:
        """Leave in the rooms of the street what the player's sequences are worth right after them."""
        both = self._walk, self._part
        for walk, reach in zip(both, (entry, part), strict=True):
            walk.pay(board, reach)
        if board.street < self._walk.game.last:
            found = self._below(board, *(walk.met_after(board) for walk in both))
            for walk, below in zip(both, found, strict=True):
                walk.add_below(board, below)

    def _sum_lines(self, board: Board, entry: AnyArray, part: AnyArray) -> AnyArray:
        """(2, entries, places) of the boards of the last street."""
        walk, n = self._walk, len(board.hand)
        lines = showdown_lines(walk.game, walk.player)
        both = lines.sums(entry[:, :n]), lines.sums(part[:, :n])
        for child, weight in walk.seen.after(board):
            both[0].weight = both[1].weight = weight
            walk.add_lines(lines, child, both[0])
            guess = None if walk.rule is None else walk.rule.line_guess
            lines.add_against(child, self._part.theirs, (walk.theirs, both[0].reach, guess), both[1])
        return np.stack([lines.entries(lines.worth(sums)) for sums in both])
