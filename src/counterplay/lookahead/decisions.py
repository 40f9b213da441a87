"""The decisions of a player by public state, their grouping into look-aheads, and the chain of these look-aheads.

A look-ahead is solved at every own decision and only that decision is kept; plans below it stand until they are re-solved.
The same steps give the complete strategy of a player, to be measured, and the decisions of an agent in play.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray, Flags
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth, history_levels
from counterplay.lookahead.search import Posed, Search
from counterplay.subgames.cut import first_in
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach


@dataclass(frozen=True, eq=False)
class Decision:
    """A public state in which the player has a choice: their infosets with a choice there, its first history with its
    level, and the player's previous decision; None at the first."""

    state: int
    lanes: I32
    history: int
    level: int
    before: Decision | None

    @property
    def path(self) -> list[Decision]:
        return [*(self.before.path if self.before else []), self]


def decisions(game: GameTree, player: int) -> dict[int, Decision]:
    """All decisions of a player by public state, each after the one before it."""
    table = game.histories
    here = np.flatnonzero(table.player == player)
    info = table.info[player][here]
    choosing = game.lanes[player][info] >= 0
    here, info = here[choosing], info[choosing]
    state, levels = game.public[player][info], history_levels(game)
    # Decision histories by public state: `order` sorts them, `starts` are the borders between states.
    order = np.lexsort((here, state))
    if not len(order):
        return {}
    starts = np.flatnonzero(np.diff(state[order]) > 0) + 1
    own = np.full(len(table), -1, np.int32)
    own[here] = state
    above = _above(table.parent, own, here)
    found: dict[int, Decision] = {}
    for rows in sorted(np.split(order, starts), key=lambda rows: (int(levels[here[rows[0]]]), int(here[rows[0]]))):
        first, one = int(here[rows[0]]), int(state[rows[0]])
        # On some ways here the player may have had a choice before, on others only one action.
        earlier = [found[other] for other in np.unique(above[rows]).tolist() if other in found]
        before = max(earlier, key=lambda decision: (decision.level, decision.history), default=None)
        lanes = np.unique(game.lanes[player][info[rows]])
        found[one] = Decision(one, lanes, first, int(levels[first]), before)
    return found


def acting_in(game: GameTree, state: int, player: int) -> I64:
    """The histories of a public state at which this player acts (or, at the limit, may act)."""
    here = np.flatnonzero(game.histories.player == player)
    return np.asarray(here[game.public[0][game.histories.info[0][here]] == state], np.int64)


def _above(parent: I32, own: I32, here: AnyArray) -> I32:
    """The public state of the player's last decision above each of the histories `here`, in another public state than its
    own; -1 if there is none. own: (H,) the public state where the player decides, -1 elsewhere."""
    found, at = np.full(len(here), -1, np.int32), parent[here]
    left = np.flatnonzero(at >= 0)
    while len(left):
        state = own[at[left]]
        hit = (state >= 0) & (state != own[here[left]])
        found[left[hit]] = state[hit]
        left = left[~hit]
        at[left] = parent[at[left]]
        left = left[at[left] >= 0]
    return found


@dataclass(frozen=True, eq=False)
class DecisionGroup:
    """The decisions of one look-ahead.

    Attributes:
        decisions: the decisions whose strategy is kept.
        tops: public states where the look-ahead begins.
        until: the clock of the last histories that it expands.
        before: the previous decision; None at the first, and if all of a level are solved together.
        since: for each top, the history at which the previous look-ahead began.
    """

    decisions: tuple[Decision, ...]
    tops: frozenset[int]
    until: int
    before: Decision | None
    since: dict[int, int]


def top_of(game: GameTree, decision: Decision, depth: Depth) -> int:
    """The public state at which the look-ahead for a decision begins: the decision's own, if the previous look-ahead
    saw as far, else the last one on the path that it saw, where the opponent's alternative values are known."""
    if decision.before is None:
        return int(game.public[0][game.histories.info[0][0]])
    clock, table = depth.clock(game), game.histories
    until = int(clock[decision.before.history]) + depth.span
    at, top = decision.history, decision.history
    while at != decision.before.history and at >= 0:
        if clock[at] > until:
            top = at
        at = int(table.parent[at])
    return int(game.public[0][table.info[0][top]])


def _since(game: GameTree, decision: Decision, depth: Depth) -> int:
    """The history, on the path to a decision, at which the look-ahead for the previous decision began."""
    if decision.before is None:
        return 0
    return first_in(game, top_of(game, decision.before, depth), decision.history, 0)


def group_of_decision(game: GameTree, decision: Decision, depth: Depth, among: Sequence[Decision]) -> DecisionGroup:
    """The unit of a decision as in play: alone with those of `among` that the same look-ahead decides."""
    clock = depth.clock(game)
    top, until = top_of(game, decision, depth), int(clock[decision.history]) + depth.span
    same = tuple(
        other
        for other in among
        if other.before is decision.before
        and other.level == decision.level
        and int(clock[other.history]) + depth.span == until
        and top_of(game, other, depth) == top
    )
    return DecisionGroup(same, frozenset([top]), until, decision.before, {top: _since(game, decision, depth)})


def decision_groups(game: GameTree, player: int, depth: Depth, joint: bool) -> list[DecisionGroup]:
    """All units of a player's decisions, each after those above it; jointly, one for each level (and end of a round)."""
    clock = depth.clock(game)
    groups: dict[tuple[int, int, int, int], list[Decision]] = {}
    for decision in decisions(game, player).values():
        until = int(clock[decision.history]) + depth.span
        apart = (-1, -1) if joint else (top_of(game, decision, depth), decision.before.state if decision.before else -1)
        groups.setdefault((decision.level, until, *apart), []).append(decision)
    found = []
    for (_, until, _, _), members in sorted(groups.items(), key=lambda item: item[0]):
        since = {top_of(game, decision, depth): _since(game, decision, depth) for decision in members}
        found.append(
            DecisionGroup(tuple(members), frozenset(since), until, None if joint else members[0].before, since)
        )
    return found


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
