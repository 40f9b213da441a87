"""Both players' strategies in a whole game of hold'em as a plan store: measured by walks over boards, read by branch, and
solved again behind the full gadget.

The full gadget takes all boards of a street at once, and the opponent keeps the whole path. A single board does not support
it: each would grant anew what the opponent forgoes before the street. All at once are a restricted Nash response in which
the player's decisions before the street are fixed. That is no subtree to re-solve but the game itself, for which only the
solver of blueprints has room: its regrets are float32, by board and lane.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.blueprints.resolve import StreetSubtrees, parts_of
from counterplay.blueprints.whole_game.as_strategy import RefinedBlueprint, put_in
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, whole_tree
from counterplay.budget import time_left
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.jit.threads import threads
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.board import DEALT, Board, deals_to_come, pairs_of_hands
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import blend
from counterplay.poker.whole_game.strategies.row_models import StandingDecisions
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    HoldemStrategy,
    ModelMixture,
    SeatHalves,
    normalise_rows,
)
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.poker.whole_game.walks.make_rule import best_response
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.solvers.minimiser import Solver, minimiser
from counterplay.subgames.plan_store import ArrayPlans, SolvedGap
from counterplay.treeplex.strategy import Strategy

_FIRST = 16
"""Iterations before the first evaluation of the gap, if requested; each next one after half as many again."""

_AVERAGE = 2.0
"""Cost of the average in iterations, about, which is reserved from the time limit."""


@dataclass(frozen=True, eq=False)
class FullGadgetSolution:
    """A solution of the full gadget: the given decisions before the street, the response from there on, and the
    strategy of a free opponent; its distance from the optimum in chips a hand, infinite if not computed."""

    play: BlueprintStrategy
    gap: float
    iterations: int
    interrupted: bool


class JointSolve:
    """The solve of all boards of a street at once, by hands: with buckets the opponent would not be free. Of the search
    p, solver and stopping rule count, in chips a hand; together with a gap, iterations are a limit of each call."""

    def __init__(
        self,
        game: HoldemGame,
        standing: StandingDecisions,
        model: BlueprintStrategy | None,
        search: Search,
        memory: float | None = None,
    ) -> None:
        if search.solver == "lp":
            raise InputError("all boards of a whole game are solved together by cfr, cfr+ or dcfr, not by lp")
        self._game, self._standing, self._stop = game, standing, search.stop
        self._trust = (
            ModelMixture(1 - standing.player, model, search.p) if model is not None and search.p > 0.0 else None
        )
        self._solver = VectorCFR(
            game,
            lossless(game.boards),
            minimiser(search.solver),
            trust=self._trust,
            threads=threads(),
            memory=memory,
            standing=standing,
        )
        self._look, self._gap, self.finished = _FIRST, inf, False
        self._best: BlueprintStrategy | None = None

    def advance(self, progress: Progress | None = None) -> FullGadgetSolution:
        """Iterate to a limit, at least once; returns the average with the least gap, or the last one without any.
        progress: called after every iteration; nan where the gap is not known."""
        stop, solver, begin, interrupted = self._stop, self._solver, run_time(), False
        aim, first = stop.exploitability, solver.iterations
        most = first + stop.iterations if aim else stop.iterations
        try:
            while not self.finished and solver.iterations < most:
                solver.sweep()
                if aim and solver.iterations == self._look:
                    # the NashConv of the average, which is kept if that is the least so far
                    play = self._play()
                    gap = distance(self._game, play, self._standing, self._trust)
                    if gap < self._gap:
                        self._best, self._gap = play, gap
                    self._look += self._look // 2
                    self.finished = self._gap <= aim
                if progress:
                    progress(solver.iterations, self._gap if self._gap < inf else nan)
                more = (1.0 + _AVERAGE) * solver.seconds / solver.iterations
                if run_time() - begin + more > stop.seconds or more > time_left():
                    break
        except KeyboardInterrupt:
            if not solver.iterations:
                raise
            interrupted = True
        self.finished |= not aim and solver.iterations >= stop.iterations
        return FullGadgetSolution(self._best or self._play(), self._gap, solver.iterations, interrupted)

    def distance(self) -> float:
        return distance(self._game, self._play(), self._standing, self._trust)

    def _play(self) -> BlueprintStrategy:
        return self._standing.continued(self._solver.average())


def distance(
    game: HoldemGame, play: BlueprintStrategy, standing: StandingDecisions, trust: ModelMixture | None
) -> float:
    """NashConv in chips a hand, of a responder some of whose decisions stand and an opponent free outside the model."""
    me, theirs, sure = standing.player, play, 0.0
    if trust is not None:
        theirs = blend(game, 1 - me, trust.model, play, trust.p)
        sure = trust.p * (value(game, play, trust.model) if me == 0 else -value(game, trust.model, play))
    free = 1.0 if trust is None else 1.0 - trust.p
    sure -= free * best_response_value(game, play, 1 - me)
    return max(0.0, standing.best_value(theirs) - sure)


@dataclass(frozen=True, eq=False)
class WholeGamePlans:
    """The plan store of a whole game: a `MeasuredPlans` of both players' strategies."""

    rules: Holdem
    play: BlueprintStrategy

    @property
    def game(self) -> HoldemGame:
        return self.rules.game

    def knows(self, player: int) -> bool:  # noqa: ARG002 - of every store
        return True

    def value(self, player: int) -> float:
        found = value(self.game, self.play, self.play)
        return found if player == 0 else -found

    def best_value(self, player: int) -> float:
        return best_response_value(self.game, self.play, player)

    def facing(self, player: int, others: WholeGamePlans) -> WholeGamePlans:
        halves = (others.play, self.play) if player == 0 else (self.play, others.play)
        return replace(self, play=SeatHalves(halves))

    def best_response(self, player: int) -> WholeGamePlans:
        return self.facing(player, replace(self, play=best_response(self.game, self.play)))

    def mixed(self, player: int, others: WholeGamePlans, weight: float) -> WholeGamePlans:
        return replace(self, play=blend(self.game, player, others.play, self.play, weight))

    def solved(
        self, player: int, branches: Sequence[Any], solver: Solver, stop: Stop, *, beside: bool = False
    ) -> tuple[WholeGamePlans, SolvedGap]:
        """The game solved again around decisions that stand (see `MeasuredPlans`), exactly by linear program where the
        game fits it. `branches` are `BoardSubtree`s of one street, which stand for all of its boards; `stop` is in
        chips a hand."""
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
        """A text that changes with the strategies before the flop, on boards of a street, by default all, and after
        them."""
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
        return HoldemStrategy(self.rules, player, self.play)


def listed_game(game: Holdem) -> SpotGame | None:
    """A whole game on all its boards in memory, as a spot that begins before the flop; None if too large for the
    program."""
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
