"""Both players' strategies in a whole game of hold'em as a plan store: measured by walks over boards, read by branch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.blueprints.resolve_streets import StreetSubtrees, parts_of
from counterplay.blueprints.whole_game.as_strategy import RefinedBlueprint, put_in
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.blueprints.whole_game.full_gadget import JointSolve
from counterplay.errors import InputError
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.board_problem import whole_tree
from counterplay.poker.whole_game.boards.board import DEALT, Board, Small, deals_to_come, pairs_of_hands
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import HoldemStrategy
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.continuation_mixture import blend
from counterplay.poker.whole_game.strategies.row_trust import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy, normalise_rows
from counterplay.poker.whole_game.values.measure import best_response, best_response_value, value
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.plan_store import ArrayPlans, SolvedGap
from counterplay.treeplex.strategy import Strategy


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
        """The game solved again around decisions that stand (see `MeasuredPlans`), exactly by linear program where the game
        fits it. `branches` are `BoardSubtree`s of one street, which stand for all of its boards; `stop` is in chips a hand.
        """
        if not branches:
            raise InputError("no board of the street can be reached")
        if solver == "lp":
            return self._solved_exactly(player, branches[0].street, beside)
        standing = StandingDecisions(self.game, player, self.play, branches[0].street, beside=beside)
        joint = JointSolve(self.game, standing, None, Search(solver=solver, stop=stop))
        found = joint.advance()
        gap = found.gap if isfinite(found.gap) else joint.distance()
        return replace(self, play=found.play), SolvedGap(gap, found.interrupted)

    def _solved_exactly(self, player: int, street: int, beside: bool) -> tuple[WholeGamePlans, SolvedGap]:
        """`solved` by linear program in the game in memory."""
        listed = listed_game(self.rules)
        if listed is None:
            raise InputError(f"{self.rules.name} is too large for the linear program; solve by cfr, cfr+ or dcfr")
        branches = [*filter(None, StreetSubtrees(listed, parts_of(listed, street), player))]
        found, gap = in_memory(self.rules, listed, self).solved(player, branches, "lp", Stop(), beside=beside)
        tables: dict[tuple[int, ...], AnyArray] = {}
        put_in(tables, _whole_subtree(self.rules, listed, player), player, found.behaviour(player))
        decisions = self.game.sides[player].decisions
        ready = {cards: normalise_rows(table, decisions[DEALT.index(len(cards))]) for cards, table in tables.items()}
        return self.facing(player, replace(self, play=RefinedBlueprint(self.play, player, ready, 0.0))), gap

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


def listed_game(game: Holdem) -> SpotGame | None:
    """A whole game on all its boards in memory, as a spot that begins before the flop; None if it is too large for the
    linear program."""
    if pairs_of_hands(game.deck) * deals_to_come(game.deck, 0, game.limits.last) > LP_UP_TO:  # of one showdown
        return None
    tree = whole_tree(game.game)
    return SpotGame(game.name, tree, game.betting.rules.pot, 0.0) if tree.leaves.entries <= LP_UP_TO else None


def in_memory(game: Holdem, listed: SpotGame, plans: WholeGamePlans) -> ArrayPlans:
    """Strategies of a whole game as arrays of the game in memory."""
    first, second = (
        listed.dealt(Strategy(listed.trees[who], _whole_subtree(game, listed, who).behaviour(plans.play, who)))
        for who in (0, 1)
    )
    return ArrayPlans.of(listed.subgame, first, second)


def _whole_subtree(game: Holdem, listed: SpotGame, player: int) -> BoardSubtree:
    """The game in memory as the rest of a hand that begins before the flop."""
    return BoardSubtree(listed.tree, PublicNode(), listed.tree, 1 - player, game.game, 0, ())
