"""Responses by a rule of choice as strategies: before the flop a table, on a board computed when they are asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from counterplay.arrays import F64, U32, AnyArray
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import choose_by_lane
from counterplay.poker.whole_game.walks.make_rule import RuleSettings, make_rule


@dataclass(frozen=True, eq=False)
class RuleResponse:
    """A player who responds to a strategy by a rule; the other plays the strategy. early: (sequences, classes) the
    responder's probabilities before the flop."""

    game: HoldemGame
    player: int
    theirs: BlueprintStrategy
    asked: RuleSettings
    early: F64
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        """See `BlueprintStrategy`."""
        one, two = self.theirs.preflop
        return (self.early, two) if self.player == 0 else (one, self.early)

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        """See `BlueprintStrategy`; a responder's board takes a walk over all boards that its rule sees."""
        if player != self.player:
            return self.theirs.on(player, board)
        return self._latest.get(player, board, self._table), board.lane

    def _table(self, player: int, board: Board) -> AnyArray:
        """(sequences, lanes of the board) probabilities."""
        rule = self._walk.rule
        backed = rule is None or rule.backed
        return choose_by_lane(self.game, player, board, self._walk.values_on(board), backed=backed)

    @cached_property
    def _walk(self) -> BoardWalk:
        rule = make_rule(self.game, self.player, self.theirs, self.asked)
        return BoardWalk(self.game, self.player, self.theirs, rule=rule)
