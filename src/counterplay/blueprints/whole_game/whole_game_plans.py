"""Both players' strategies in a whole game of hold'em as a plan store: measured by walks over boards, read by branch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.blueprints.whole_game.full_gadget import JointSolve
from counterplay.errors import InputError
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.continuation_mixture import blend
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategies.standing_decisions import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.best_response import best_response
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.plan_store import SolvedGap


@dataclass(frozen=True, eq=False)
class SeatHalves:
    """Player 0 plays as one strategy has it, player 1 as another."""

    halves: tuple[BlueprintStrategy, BlueprintStrategy]

    @property
    def preflop(self) -> tuple[F64, F64]:
        """Per player, (sequences, classes) probabilities."""
        return self.halves[0].preflop[0], self.halves[1].preflop[1]

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        """The probabilities on a board (see `BlueprintStrategy`)."""
        return self.halves[player].on(player, board)


@dataclass(frozen=True, eq=False)
class WholeGamePlans:
    """The plan store of a whole game: a `MeasuredPlans`.

    Attributes:
        rules: the game.
        play: both players' strategies.
    """

    rules: Holdem
    play: BlueprintStrategy

    @property
    def game(self) -> HoldemGame:
        """The game on boards."""
        return self.rules.game

    def knows(self, player: int) -> bool:  # noqa: ARG002 - of every store
        """True: a blueprint of a whole game has both parts."""
        return True

    def value(self, player: int) -> float:
        """Chips of a player where both play their strategies."""
        found = value(self.game, self.play, self.play)
        return found if player == 0 else -found

    def best_value(self, player: int) -> float:
        """Chips of a player's best response, who sees every card."""
        return best_response_value(self.game, self.play, player)

    def facing(self, player: int, others: WholeGamePlans) -> WholeGamePlans:
        """The same with a player's strategy from another store."""
        halves = (others.play, self.play) if player == 0 else (self.play, others.play)
        return replace(self, play=SeatHalves(halves))

    def best_response(self, player: int) -> WholeGamePlans:
        """The same where a player plays a best response."""
        return self.facing(player, replace(self, play=best_response(self.game, self.play)))

    def mixed(self, player: int, others: WholeGamePlans, weight: float) -> WholeGamePlans:
        """The same where a player may play as in another store, decided before the game."""
        return replace(self, play=blend(self.game, player, others.play, self.play, weight))

    def solved(
        self, player: int, branches: Sequence[Any], solver: Solver, stop: Stop, *, beside: bool = False
    ) -> tuple[WholeGamePlans, SolvedGap]:
        """The game solved again around decisions that stand (see `MeasuredPlans`).

        Args:
            player: whose decisions stand.
            branches: `BoardSubtree`s of one street, which stand for all of its boards.
            solver: `cfr`, `cfr+` or `dcfr`.
            stop: when it stops, exploitability in chips a hand.
            beside: the player is also free wherever no path leads to one of the subtrees.

        Raises:
            InputError: no subtree, or a solver that has no room for a whole game.
        """
        if not branches:
            raise InputError("no board of the street can be reached")
        standing = StandingDecisions(self.game, player, self.play, branches[0].street, beside=beside)
        joint = JointSolve(self.game, standing, None, Search(solver=solver, stop=stop))
        found = joint.advance()
        gap = found.gap if isfinite(found.gap) else joint.distance()
        return replace(self, play=found.play), SolvedGap(gap, found.interrupted)

    def digest(self, boards: Sequence[Board] | None = None) -> str:
        """A text that changes with the strategies before the flop, on all boards of a street and on those after each; by
        default on all boards."""
        game, play = self.game, self.play
        found = hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in play.preflop))
        left = game.boards.after(game.boards.root) if boards is None else boards
        while left:
            for board in left:
                for player in (0, 1):
                    found.update(b"".join(np.ascontiguousarray(part).tobytes() for part in play.on(player, board)))
            last = left[0].street == game.last
            left = [] if last else [child for board in left for child in game.boards.after(board)]
        return found.hexdigest()[:16]

    def strategy(self, player: int) -> HoldemStrategy:
        """A player's half."""
        return HoldemStrategy(self.rules, player, self.play)
