"""The part of a strategy that its player visited in training: what a response wins besides comes from rows that say nothing
about how they play."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import Floats
from counterplay.poker.whole_game.strategies.lines import LineBlueprint
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.showdown_lines import LineSums, ShowdownLines
from counterplay.poker.whole_game.walks.choice_kernels import raise_chosen


@dataclass(frozen=True, eq=False)
class VisitedPart:
    """A strategy whose rows are 0 where the player never was. lines: of the strategy."""

    lines: LineBlueprint
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @property
    def preflop(self) -> tuple[Floats, Floats]:
        one, two = (self.lines.preflop[k] * self.lines.visited_before_flop(k) for k in (0, 1))
        return one, two

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> NDArray[Any]:
        table = self.lines.on(player, board)[0]
        return np.asarray(table * self.lines.visited_on(player, board), table.dtype)


def visited_part(play: BlueprintStrategy) -> VisitedPart | None:
    """The visited part of a strategy; None where it does not tell."""
    return VisitedPart(play) if isinstance(play, LineBlueprint) and play.tells_visits else None


@dataclass(frozen=True, eq=False)
class ChoicesAgainst:
    """A rule: the choices of another walk's best response. walk: of the same player against the whole strategy. seen: its
    visited part."""

    walk: BoardWalk
    seen: VisitedPart
    backed, by_lines, best_at_last = True, True, False

    def estimates(self, board: Board, plan: NDArray[Any], values: NDArray[Any]) -> NDArray[Any] | None:  # noqa: ARG002
        found = np.zeros_like(values)
        found[:, : len(board.hand)] = self.walk.values_on(board)
        return found

    def early_estimates(self, flop: Board) -> NDArray[Any] | None:  # noqa: ARG002 - before the flop nothing is asked of it
        return None

    def raise_values(
        self, decisions: NDArray[Any], found: NDArray[Any], values: NDArray[Any], n: int, run: int
    ) -> None:
        raise_chosen(decisions, found.reshape(-1), values, n, run, self.backed)

    def add_lines(self, lines: ShowdownLines, board: Board, sums: LineSums) -> None:
        lines.add_against(board, self.seen, (self.walk.theirs, self.walk.reach(board)), sums)
