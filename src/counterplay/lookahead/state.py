"""The chain of look-aheads of one player: decisions, plans, and the opponent's alternative values.

A look-ahead is solved at every own decision and only that decision is kept; plans below it stand until they are
re-solved. The same steps give the complete strategy of a player, to be measured, and the decisions of an agent in play.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, Flags
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.decisions import Decision, DecisionGroup
from counterplay.lookahead.search import Search
from counterplay.lookahead.solve import Posed
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach


@dataclass(frozen=True, eq=False)
class Claims:
    """CFVs of the opponent's best response to a solution inside a look-ahead; NaN outside. Chips of the opponent, times
    chance's and the resolver's reach.

    Attributes:
        infosets: (opponent's augmented infosets of the game,) CFVs.
        sequences: (opponent's size,) CFVs of the sequences.
    """

    infosets: F64
    sequences: F64


@dataclass(frozen=True, eq=False)
class StepResult:
    """The result of one look-ahead, in the coordinates of the whole game (see `SearchState`). unfinished: the
    look-ahead, if a limit or Ctrl-C cut its solve short."""

    behaviour: F64
    other: F64
    claims: Claims
    gap: float
    interrupted: bool
    unfinished: Posed | None = None


@dataclass(eq=False)
class SearchState:
    """The state of a searching player.

    Attributes:
        game: compiled, perhaps only in part.
        seat: the player.
        search: the search of every decision.
        model: the opponent's modelled strategy; None where p is 0.
        source: the model's source, if the game is only partly in memory.
        behaviour: (own size,) decisions, plans below them, uniform elsewhere.
        other: (opponent's size,) the behaviour of the opponent who is not the model in the look-aheads.
        claims: the opponent's values in the look-aheads so far.
        decided: (own lanes,) where the strategy is final.
        gap: largest distance of a look-ahead's solution from the best of its objective, in chips.
        interrupted: whether Ctrl-C cut a look-ahead short.
        planned: whether anything has been solved.
        final: the chain before the first solve of this hand that a limit or Ctrl-C cut short, with which the next hand
            begins; None if all decisions are final.
    """

    game: GameTree
    seat: int
    search: Search
    model: Strategy | None = None
    source: Any = None
    behaviour: F64 = field(init=False)
    other: F64 = field(init=False)
    claims: Claims = field(init=False)
    decided: Flags = field(init=False)
    gap: float = 0.0
    interrupted: bool = False
    planned: bool = False
    final: SearchState | None = None

    def __post_init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        own, other = self.game.trees[self.seat], self.game.trees[1 - self.seat]
        self.behaviour, self.other = own.uniform(), other.uniform()
        self.claims = Claims(np.full(len(self.game.public[1 - self.seat]), np.nan), np.full(other.size, np.nan))
        self.decided = np.zeros(own.lanes, np.bool_)

    def is_decided(self, decision: Decision) -> bool:
        return bool(self.decided[decision.lanes].all())

    def keep(self, unit: DecisionGroup, found: StepResult) -> None:
        """Take over the result of a unit's look-ahead; its decisions become final."""
        self.behaviour, self.other = found.behaviour, found.other
        new, old = found.claims, self.claims
        self.claims = Claims(
            np.where(np.isnan(new.infosets), old.infosets, new.infosets),
            np.where(np.isnan(new.sequences), old.sequences, new.sequences),
        )
        for decision in unit.decisions:
            self.decided[decision.lanes] = True
        self.gap = max(self.gap, found.gap)
        self.interrupted |= found.interrupted
        self.planned = True

    def keep_response(self, lanes: I32, behaviour: F64) -> None:
        """Take over a behaviour (own size,) that decides the infosets `lanes` (n,)."""
        self.behaviour = behaviour
        self.decided[lanes] = True
        self.planned = True

    def copy(self) -> SearchState:
        new = copy.copy(self)
        new.decided, new.behaviour = self.decided.copy(), self.behaviour.copy()
        return new

    @property
    def plan(self) -> F64:
        return reach(self.game.trees[self.seat], self.behaviour)


@dataclass(frozen=True, eq=False)
class ChainPlans:
    """Both players' strategies in a chain of look-aheads, as a plan store.

    Attributes:
        chain: the chain; CFVs are those of the previous look-ahead, NaN outside of it.
    """

    chain: SearchState

    def knows(self, player: int) -> bool:  # noqa: ARG002 - of both
        return True

    def behaviour(self, player: int) -> F64:
        return self.chain.behaviour if player == self.chain.seat else self.chain.other

    def reach(self, player: int) -> F64:
        return reach(self.chain.game.trees[player], self.behaviour(player))

    def cfvs(self, player: int) -> F64:
        """(size,) CFVs of the opponent after the previous look-ahead."""
        assert player != self.chain.seat
        return self.chain.claims.sequences
