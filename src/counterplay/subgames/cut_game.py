"""The gadget game of a cut: its treeplexes, payoff and restrictions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from counterplay.arrays import F64, I32, I64, Flags
from counterplay.games.game import TERMINAL
from counterplay.leaves.matrix import Matrix, MatrixValued
from counterplay.problem.subgame import Subgame
from counterplay.subgames.continuations import ContinuationCut, SubgameSequences
from counterplay.subgames.cut_shape import CutShape
from counterplay.subgames.entry import Entry, come_or_not
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.treeplex.branch_restriction import Numbers
from counterplay.treeplex.restriction import Restriction, fix_decisions
from counterplay.treeplex.sweeps import reach


@dataclass(frozen=True, eq=False)
class CutGame(GadgetGame):
    """The gadget game of a cut.

    Attributes:
        piece: the cut.
        lanes: per player, the lane in the whole game of each lane of the subgame; -1 in padding and in the entry.
        border: per player, the plan index of the sequence that leads to each augmented infoset of the limit.
        front: (raw sequences of the entry,) the plan index of each.
        continuing: matrix-valued states at the limit; None without them.
    """

    piece: CutShape
    lanes: tuple[I32, I32]
    border: tuple[I32, I32]
    front: I32
    continuing: ContinuationCut | None = None

    @cached_property
    def matched(self) -> tuple[tuple[I64, I64], tuple[I64, I64]]:
        """Per player, the indices (n,) of the subgame's sequences, there and in the whole game."""
        matched = []
        for homes, small_tree, large_tree in zip(self.lanes, self.subgame.trees, self.piece.game.trees, strict=True):
            inner = np.flatnonzero(homes >= 0)
            small, large = small_tree.lane_sequences, large_tree.lane_sequences
            counts = small[2][inner]
            action = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            here, home = (
                np.repeat(first[lanes], counts) + action * np.repeat(stride[lanes], counts)
                for (first, stride, _), lanes in ((small, inner), (large, homes[inner]))
            )
            matched.append((here, home))
        return matched[0], matched[1]

    @property
    def share(self) -> float:
        return 1.0 / self.unit

    def pairs(self, player: int) -> tuple[I64, I64]:
        return self.matched[player]

    def came(self, plan: Numbers) -> F64:
        return self.piece.range(self.opponent, plan)

    def lanes_followed(self, followed: Flags | None) -> Flags:
        """(lanes,) of the subgame, whether the model is followed there: always in the entry."""
        homes = self.lanes[self.opponent]
        inside = homes < 0
        inside[~inside] = True if followed is None else followed[homes[~inside]]
        return inside

    def enter_as_model(self, behaviour: F64, plan: Numbers) -> None:
        """Where the entry stands for the path, the model takes each step of its behaviour (opponent's size,) as often as in
        the whole game."""
        entry = self.entry
        if entry.follows is None or entry.parents is None:
            super().enter_as_model(behaviour, plan)
            return
        behaviour[self.front[1:]] = 0.0
        steps = 1 + np.flatnonzero(entry.follows[1:] >= 0)
        before = np.repeat(entry.parents, entry.actions)[steps - 1]
        came, passed = (np.asarray(plan[entry.follows[raw]], np.float64) for raw in (steps, before))
        behaviour[self.front[steps]] = np.divide(came, passed, out=np.zeros(len(came)), where=passed > 0.0)

    def continue_as_model(self, behaviour: F64, plan: Numbers) -> None:
        """Make the model, with a `plan` (opponent's size in the whole game,), choose its own continuation at the limit;
        its behaviour (opponent's size,) in the gadget game is changed in place."""
        if self.continuing is not None:
            came = self.piece.limit.range(self.opponent, plan)
            scale = self.multiplier
            self.continuing.theirs.follow_model(
                behaviour, came if scale is None else came / scale[self.border[self.opponent]]
            )

    @cached_property
    def multiplier(self) -> F64 | None:
        """(opponent's size,) the divisor that turns CFVs of the opponent into chips times chance's and the resolver's
        reach; None for 1."""
        if self.entry.scale is None:
            return None
        tree = self.subgame.trees[self.opponent]
        odds = np.ones(tree.size)
        counted = self.entry.scale > 0.0
        odds[self.choices[self.opponent][counted]] = self.entry.scale[counted]
        return reach(tree, odds)

    def ranges(self, plan0: F64, plan1: F64) -> tuple[F64, F64]:
        """The ranges at the limit under two plans of the subgame, (size,) each, by augmented infoset of the limit."""
        ranges = [plan[places] for plan, places in zip((plan0, plan1), self.border, strict=True)]
        if self.multiplier is not None:
            ranges[self.opponent] = ranges[self.opponent] * self.multiplier[self.border[self.opponent]]
        return ranges[0], ranges[1]


Entries = tuple[I32, I32, F64]
Thing = TypeVar("Thing")


def build_gadget_game(
    piece: CutShape,
    entry: Entry,
    plan: Numbers,
    other_plan: Numbers | None = None,
    estimate: F64 | None = None,
    states: MatrixValued | None = None,
    unit: float = 1.0,
) -> CutGame:
    """The gadget game of a cut: `entry` in front of it. Plans are those of the whole game; the opponent's is needed if
    the entry fixes their range.

    Args:
        piece: the cut.
        entry: the entry of a gadget, with constants in `unit`.
        plan: the resolver's, which gives the range.
        other_plan: the opponent's.
        estimate: (limit,) chips of player 0 at each history of the limit, as if the game ended there; 0 by default.
        states: matrix-valued states at the histories of the limit, instead of `estimate`.
        unit: divisor of the resolver's range, and with it of all payoffs.
    """
    me = piece.resolver
    mine = SubgameSequences(piece, me, *come_or_not(piece.top.sizes[me]))
    theirs = SubgameSequences(piece, 1 - me, entry.actions, None if entry.full else entry.choice, entry.parents)
    limit = None if states is None else ContinuationCut.behind(piece, states, mine, theirs)
    (tree, place, home), (other_tree, other_place, other_home) = mine.tree(), theirs.tree()
    parts = _entries(piece, entry, mine, theirs, plan, estimate)
    if limit is not None:
        parts += limit.entries(_weight(piece, entry, piece.limit.histories))
        limit = limit.placed(place, other_place)
    row, column, value = (np.concatenate([part[i] for part in parts]) for i in range(3))
    choice = place[mine.choice]
    other_choice = np.zeros(piece.size, np.int32) if entry.full else other_place[theirs.choice]
    bound = fix_decisions(tree, choice, piece.top.range(me, plan) / unit)
    other_bound = Restriction()
    if entry.fixed:
        fixed_range = entry.range
        if fixed_range is None:
            if other_plan is None:
                raise ValueError("this entry fixes the opponent's range and needs the opponent's plan")
            fixed_range = piece.top.range(piece.opponent, other_plan)
        other_bound = fix_decisions(other_tree, other_choice, fixed_range)
    if limit is not None:
        other_bound = limit.theirs.closed(other_tree, other_bound)
    trees = _by_player(me, tree, other_tree)
    sizes, groups = (trees[0].size, trees[1].size), (trees[0].arrays.groups, trees[1].arrays.groups)
    payoff = Matrix.from_entries(*_by_player(me, place[row], other_place[column]), value, sizes, groups)
    chance = piece.game.subgame.chance
    return CutGame(
        me, Subgame(trees, payoff, _by_player(me, bound, other_bound), chance=chance), entry,
        _by_player(me, choice, other_choice), other_place[[] if entry.declines is None else entry.declines], unit, piece,
        _by_player(me, home, other_home), _by_player(me, place[mine.border()], other_place[theirs.border()]),
        other_place[: 1 + int(entry.actions.sum())], limit,
    )  # fmt: skip


def _by_player(me: int, own: Thing, other: Thing) -> tuple[Thing, Thing]:
    """The resolver's and the opponent's part, in the order of the players."""
    return (own, other) if me == 0 else (other, own)


def _weight(piece: CutShape, entry: Entry, histories: I64) -> F64:
    """Chance's probability of histories of the subgame, times the entry's scale."""
    reach = piece.game.histories.reach[histories]
    return reach if entry.scale is None else reach * entry.scale[piece.known(piece.opponent, histories)]


def _entries(
    piece: CutShape, entry: Entry, mine: SubgameSequences, theirs: SubgameSequences, plan: Numbers, estimate: F64 | None
) -> list[Entries]:
    """The payoff of player 0 in parts: (raw own sequences, raw opposing sequences, chips times chance)."""
    table = piece.game.histories
    inside, ended = piece.root >= 0, table.player == TERMINAL
    ends = np.flatnonzero(ended & inside)
    parts = [(mine.at(ends), theirs.at(ends), table.utility[ends] * _weight(piece, entry, ends))]
    if estimate is not None:
        limit = piece.limit.histories
        parts.append((mine.at(limit), theirs.at(limit), estimate * _weight(piece, entry, limit)))
    if entry.full:  # an end outside the subgame: the own part is decided and folded in
        out = np.flatnonzero(ended & ~inside)
        chips = table.utility[out] * table.reach[out] * plan[piece.game.sequences[piece.resolver][out]]
        parts.append((np.zeros(len(out), np.int32), theirs.at(out), chips))
    sign = 1.0 if piece.opponent == 0 else -1.0
    return [*parts, (np.zeros(len(entry.constant), np.int32), entry.at, sign * entry.constant)]
