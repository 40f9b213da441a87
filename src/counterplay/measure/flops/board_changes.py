"""What one board changes that is solved again: to the end of the hand after all betting at once, or, line by line, to the
end of its street, behind which each hand goes on by one strategy of a portfolio, or the boards after it are solved in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, RefinedBlueprint, next_boards, solve_boards
from counterplay.blueprints.whole_game.portfolio_look_ahead import LookAheadPlays, look_ahead_on_board
from counterplay.blueprints.whole_game.valued_street import values_ranges
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy, Ways
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import hand_values
from counterplay.poker.whole_game.values.rest_of_game import rest_of_game


class BoardChange(NamedTuple):
    """What is won more, each time the board comes, and what the opponent gets more.

    Attributes:
        won: chips from the model, summed over deals; 0 without one.
        lost: (entries, places) more CFVs of the opponent's best response.
    """

    won: float
    lost: F64


@dataclass(frozen=True, eq=False)
class BoardSolver:
    """How the boards of a table are solved again.

    Attributes:
        game: the game.
        table: of both players.
        model: of the opponent, or None.
        seat: whose boards are solved again.
        search: how.
        profile: alternative values are those of the opponent's part of the table, not of a best response.
        ways: of each player, the portfolio behind the board's street, none over a value function of both ranges; None where
            it is solved to the end of the hand.
        seed: of the boards to come behind a portfolio.
    """

    game: HoldemGame
    table: BlueprintStrategy
    model: BlueprintStrategy | None
    seat: int
    search: Search
    profile: bool = False
    ways: Ways | None = None
    seed: int = 0

    def parts(self, street: int) -> list[int | None]:
        """The lines of betting that are solved one by one, as numbers in `HoldemGame.roots`; None for all at once."""
        if self.ways is None:
            return [None]
        return [line for line, node in enumerate(self.game.roots[street].tolist()) if self.game.betting.children(node)]

    def change(self, board: Board, part: int | None) -> BoardChange:
        """What the board changes after a part of the betting."""
        if part is None:
            return self._solved_to_the_end(board)
        return self._looked_ahead(board, part)

    def _solved_to_the_end(self, board: Board) -> BoardChange:
        work = BoardSearches(self.game, self.table, self.seat, self.model, [board], self.search, self.profile)
        found = work.finish({piece: work.compute(piece) for piece in work.keys()})  # noqa: SIM118
        return self._between(self.game, board, found, self.table, self.model)

    def _looked_ahead(self, board: Board, line: int) -> BoardChange:
        """After one line: all else stays as it is, so that the rest of the game after the line tells the change."""
        assert self.ways is not None
        plays = LookAheadPlays(self.table, self.ways, self.model if self.search.p else None)
        found = look_ahead_on_board(
            self.game, board, self.seat, plays, self.search, lines=[line], profile=self.profile, seed=self.seed
        )
        rest = rest_of_game(self.game, board.street, line)
        model = None if self.model is None else rest.strategy(self.model)
        now: BlueprintStrategy = found.in_rest(rest)
        if values_ranges(self.search.value):
            now = rest.strategy(self._next_solved(board, line, found))
        there = self._between(rest.game, board, now, rest.strategy(self.table), model)
        lost = np.zeros((len(self.game.roots[board.street]), there.lost.shape[1]))
        lost[line] = there.lost[0]
        return BoardChange(there.won, lost)

    def _next_solved(self, board: Board, line: int, found: LookAheadStrategy) -> RefinedBlueprint:
        """A look-ahead over a value function with every board of the next street solved, as when it is dealt."""
        boards, model = list(self.game.boards.after(board)), self.model if self.search.p else None
        return solve_boards(next_boards(self.game, self.seat, model, found, line, boards, self.search))

    def _between(self, game: HoldemGame, board: Board, now: Any, before: Any, model: Any) -> BoardChange:
        """From one strategy to another, exactly over all boards to come."""
        me, won = self.seat, 0.0
        more = [hand_values(game, 1 - me, play, board).astype(float) for play in (now, before)]
        if model is not None:
            worth = [hand_values(game, me, model, board, play).astype(float) for play in (now, before)]
            came = BoardWalk(game, 1 - me, before).reach(board)[:, board.up]
            won = float((came * (worth[0] - worth[1])).sum())
        return BoardChange(won, more[0] - more[1])
