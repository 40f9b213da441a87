"""The decisions of a player by public state, and their grouping into look-aheads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import I32, I64, AnyArray
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth, history_levels


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
    state, at, found = top_of(game, decision.before, depth), decision.history, 0
    public, table = game.public[0], game.histories
    while at >= 0:
        if public[table.info[0][at]] == state:
            found = at
        at = int(table.parent[at])
    return found


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
