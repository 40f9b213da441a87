"""Gadget games of cuts: the extent of a part of a compiled game, matrix-valued states at its limit, and the treeplexes,
payoff and restrictions of the gadget game."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray, Flags
from counterplay.games.game import TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.leaves.matrix import Matrix, MatrixValued
from counterplay.problem.subgame import Subgame
from counterplay.subgames.entry import Entry, GadgetGame, come_or_not
from counterplay.treeplex.restriction import Numbers, Restriction, fix_decisions
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Labels, Treeplex, append_group, build


@dataclass(frozen=True, eq=False)
class Border:
    """Histories (n,) closed under both players' infosets: the roots of a subgame, or the limit of a look-ahead. known:
    two (n,) arrays, the augmented infoset of each player at each, numbered from 0 within the border. infosets: two
    arrays, the number in the game of each of these augmented infosets."""

    game: GameTree
    histories: I64
    known: tuple[I32, I32]
    infosets: tuple[I32, I32]

    @staticmethod
    def at(game: GameTree, histories: I64) -> Border:
        numbered = [np.unique(info[histories], return_inverse=True) for info in game.histories.info]
        (names0, known0), (names1, known1) = numbered
        return Border(game, histories, (known0.astype(np.int32), known1.astype(np.int32)), (names0, names1))

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of augmented infosets of each player here."""
        return len(self.infosets[0]), len(self.infosets[1])

    @cached_property
    def chance(self) -> F64:
        """(n,) chance's probability of each history."""
        return self.game.histories.reach[self.histories]

    @cached_property
    def public(self) -> I32:
        """(n,) the public state of each history, by its number in the game."""
        return self.game.public[0][self.game.histories.info[0][self.histories]]

    def range(self, player: int, plan: Numbers) -> F64:
        """(size,) the reach that a plan of the whole game gives each augmented infoset of its player, not normalised."""
        out = np.zeros(self.sizes[player])
        out[self.known[player]] = plan[self.game.sequences[player][self.histories]]
        return out


@dataclass(frozen=True, eq=False)
class CutShape:
    """The roots of a subgame, its histories, and the limit of its look-ahead.

    Attributes:
        game: the whole game, or as much of it as is expanded.
        root: (H,) the root above each history of the subgame (a root is above itself); negative outside and beyond the
            limit.
        limit: the histories at which the look-ahead stops; they are in the subgame, and their descendants are not.
    """

    game: GameTree
    resolver: int
    root: I32
    top: Border
    limit: Border

    @property
    def opponent(self) -> int:
        return 1 - self.resolver

    @property
    def size(self) -> int:
        """The number of the opponent's augmented infosets at the roots."""
        return self.top.sizes[self.opponent]

    def range(self, player: int, plan: Numbers) -> F64:
        return self.top.range(player, plan)

    def weight(self, plan: Numbers) -> F64:
        """(size,) chance's and the resolver's reach of each of the opponent's augmented infosets at the roots, given
        the resolver's plan."""
        reached = self.top.chance * plan[self.game.sequences[self.resolver][self.top.histories]]
        return np.bincount(self.top.known[self.opponent], reached, self.size).astype(np.float64)

    def known(self, player: int, histories: I64) -> I32:
        """(n,) the player's augmented infoset, within the top, at the root above each of the histories (n,)."""
        return self.top.known[player][np.searchsorted(self.top.histories, self.root[histories])]


@dataclass(frozen=True, eq=False)
class ContinuationCut:
    """The positions of the continuations of a cut: their values, the resolver's choices, and the opponent's and the
    model's."""

    piece: CutShape
    states: MatrixValued
    mine: ContinuationChoices
    theirs: ContinuationChoices

    @staticmethod
    def behind(
        piece: CutShape, states: MatrixValued, mine: SubgameSequences, theirs: SubgameSequences
    ) -> ContinuationCut:
        """Append these decisions to both players' trees; sequences are raw until `placed`."""
        me = piece.resolver
        if states.model is not None and states.count(1 - me) == 1:
            # The model takes none of them, and an only one would be no decision that it could leave out.
            states = replace(states, chips=np.repeat(states.chips, 2, axis=2 - me))
        own = mine.append_continuations(states.count(me))
        other = theirs.append_continuations(states.count(1 - me), modelled=states.model is not None)
        return ContinuationCut(piece, states, own, other)

    def placed(self, place: I32, other_place: I32) -> ContinuationCut:
        """The continuations by indices in the plans of the resolver and of the opponent: (raw sequences,) the index of
        each."""
        return replace(self, mine=self.mine.placed(place), theirs=self.theirs.placed(other_place))

    def entries(self, weight: F64) -> list[tuple[I32, I32, F64]]:
        """The payoff of player 0 in parts: (own sequences, opposing sequences, chips times chance), given chance's
        probability (n,) of each history of the limit."""
        me = self.piece.resolver
        known, theirs = self.piece.limit.known[me], self.piece.limit.known[1 - me]
        chips = self.states.chips if me == 0 else self.states.chips.transpose(0, 2, 1)
        n, k, m = chips.shape
        rows = np.broadcast_to(self.mine.own[known][:, :, None], (n, k, m))
        columns = np.broadcast_to(self.theirs.own[theirs][:, None, :], (n, k, m))
        parts = [(rows.ravel(), columns.ravel(), (weight[:, None, None] * chips).ravel())]
        if self.states.model is not None:
            alone = np.broadcast_to(self.theirs.apart[theirs][:, :1], (n, k))
            parts.append((self.mine.own[known].ravel(), alone.ravel(), (weight[:, None] * self.states.model).ravel()))
        return parts

    def claims(self, plan: F64) -> F64:
        """(opponent's infosets,) CFVs of the opponent's best continuation at their augmented infosets of the limit, against
        a plan (size,) of the resolver: chips of the opponent times chance's and the resolver's reach."""
        me = self.piece.resolver
        limit = self.piece.limit
        chips = self.states.chips if me == 0 else self.states.chips.transpose(0, 2, 1)
        sign = 1.0 if me == 1 else -1.0
        worth = sign * limit.chance[:, None] * np.einsum("nkl,nk->nl", chips, plan[self.mine.own[limit.known[me]]])
        out = np.zeros((limit.sizes[1 - me], worth.shape[1]))
        np.add.at(out, limit.known[1 - me], worth)
        return np.asarray(out.max(axis=1), np.float64)


class SubgameSequences:
    """A player's decisions in the subgame, after those of the entry, as raw sequences. choice: the raw sequence that
    leads to the subgame of each augmented infoset at the top; None if the player keeps the whole game."""

    def __init__(self, piece: CutShape, player: int, entry: I32, choice: Any, before: I32 | None = None) -> None:
        self.piece, self.player, self.large = piece, player, piece.game.trees[player]
        here, lane = self._decisions()
        self.choice = np.asarray(choice if choice is not None else [], np.int32)
        inside = np.zeros(self.large.lanes, np.bool_)
        attached = np.zeros(self.large.lanes, np.int32)
        if choice is None:
            inside[np.flatnonzero(self.large.lane_sequences[2])] = True
        else:
            inside[lane] = True
            attached[lane] = self.choice[piece.known(player, here)]
        order = self.large.visit_order[inside[self.large.visit_order]]
        self.first, self.stride, counts = self.large.lane_sequences
        self.actions = np.concatenate([entry, counts[order]]).astype(np.int32)
        self.raw_first = np.concatenate([[1], 1 + np.cumsum(self.actions)]).astype(np.int32)
        self.number = np.full(self.large.lanes, -1, np.int64)
        self.number[order] = len(entry) + np.arange(len(order))
        self.order, self.entry = order, len(entry)
        front = np.zeros(len(entry), np.int32) if before is None else before
        self.parent = np.concatenate([front, self.raw(self.large.arrays.parent[order], attached[order])])
        self.parent = self.parent.astype(np.int32)
        # (lanes,) of the whole game, the public state of each infoset
        game = self.piece.game
        out = np.zeros(self.large.lanes, np.int32)
        lanes = game.lanes[self.player]
        out[lanes[lanes >= 0]] = game.public[self.player][lanes >= 0]
        self.block = np.concatenate([np.zeros(len(entry), np.int32), 1 + out[order]])

    def append(self, parent: I32, count: int) -> I32:
        """(n, count) the raw sequences of more decisions, of `count` actions each, after these (n,) raw sequences."""
        first = int(self.raw_first[-1])
        self.actions = np.concatenate([self.actions, np.full(len(parent), count, np.int32)])
        self.parent = np.concatenate([self.parent, parent]).astype(np.int32)
        self.block = np.concatenate([self.block, np.zeros(len(parent), np.int32)])
        self.raw_first = np.concatenate([[1], 1 + np.cumsum(self.actions)]).astype(np.int32)
        return np.arange(first, first + len(parent) * count, dtype=np.int32).reshape(len(parent), count)

    def append_continuations(self, count: int, *, modelled: bool = False) -> ContinuationChoices:
        """The choice among `count` continuations at each augmented infoset of the limit, and those of a model."""
        came = self.border()
        own = self.append(came, count)
        apart = self.append(np.zeros_like(came), 2) if modelled else np.zeros((len(came), 0), np.int32)
        return ContinuationChoices(own, apart)

    def _decisions(self) -> tuple[I64, I32]:
        """The histories of the subgame, short of its limit, at which the player has a choice, and the lane of each."""
        game = self.piece.game
        inside = self.piece.root >= 0
        inside[self.piece.limit.histories] = False
        here = np.flatnonzero(inside & (game.histories.player == self.player))
        lane = game.lanes[self.player][game.histories.info[self.player][here]]
        return here[lane >= 0], lane[lane >= 0]

    def raw(self, place: Any, outside: Any) -> I32:
        """(n,) the raw sequence of each sequence `place` (n,) of the whole game; `outside`, a number or (n,), if its infoset
        is not in the subgame."""
        owner = self.large.owner[place]
        inside = owner >= 0
        inside[inside] = self.number[owner[inside]] >= 0
        lane, out = owner[inside], np.where(inside, 0, outside).astype(np.int32)
        action = (place[inside] - self.first[lane]) // self.stride[lane]
        out[inside] = self.raw_first[self.number[lane]] + action
        return out

    def at(self, histories: I64) -> I32:
        """(n,) the raw sequence that leads to each of the histories (n,) of the subgame."""
        outside: Any = 0
        if len(self.choice):
            outside = self.choice[self.piece.known(self.player, histories)]
        return self.raw(self.piece.game.sequences[self.player][histories], outside)

    def border(self) -> I32:
        """(augmented infosets,) the raw sequence that leads to each of the limit."""
        limit = self.piece.limit
        out = np.zeros(limit.sizes[self.player], np.int32)
        out[limit.known[self.player]] = self.at(limit.histories)
        return out

    def tree(self) -> tuple[Treeplex, I32, I32]:
        """The treeplex, the plan index (raw sequences,) of each raw sequence, and the lane (lanes,) in the whole game of
        each lane, -1 without one."""
        tree, place = build(self.player, self.parent, self.actions, self.block, lambda _: Labels([], [], []))
        numbers = np.full(len(self.actions), -1, np.int32)
        numbers[self.entry : self.entry + len(self.order)] = self.order
        home = np.full(tree.lanes, -1, np.int32)
        home[tree.visit_order] = numbers[self.actions > 1]
        return tree, place, home


@dataclass(frozen=True, eq=False)
class ContinuationChoices:
    """The sequences of the choices. own: (n, K) each continuation at each augmented infoset of the limit. apart: (n, 2)
    where the model continues, and where it does not; no columns without a model."""

    own: AnyArray
    apart: AnyArray

    @staticmethod
    def after(tree: Treeplex, came: AnyArray, count: int, *, modelled: bool) -> tuple[Treeplex, ContinuationChoices]:
        """A treeplex with `count` continuations after each of the (n,) sequences `came`, and those of a model."""
        tree, own = append_group(tree, came, count)
        apart = np.zeros((len(came), 0), np.int64)
        if modelled:
            tree, apart = append_group(tree, np.zeros(len(came), np.int64), 2)
        return tree, ContinuationChoices(own, apart)

    def placed(self, place: AnyArray) -> ContinuationChoices:
        """The same by indices in a plan; place: (raw sequences,) the index of each."""
        return ContinuationChoices(place[self.own], place[self.apart])

    def closed(self, tree: Treeplex, given: Restriction) -> Restriction:
        """The restriction of a player who is not the model, on top of a local one."""
        elsewhere = self.apart[:, 1:].ravel()
        if not len(elsewhere) and not given.is_local:
            return given
        return fix_decisions(tree, elsewhere, np.ones(len(elsewhere)), given)

    def follow_model(self, behaviour: F64, came: F64) -> None:
        """Write the model's continuation into its behaviour (size,), given its range (n,) at the limit: none of the
        free player's."""
        if self.apart.size:
            behaviour[self.own] = 0.0
            behaviour[self.apart[:, 0]] = came
            behaviour[self.apart[:, 1]] = 0.0


@dataclass(frozen=True, eq=False)
class CutGame(GadgetGame):
    """The gadget game of a cut.

    Attributes:
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
