"""A cut behind an entry: treeplexes of its own, a payoff, and the ranges with which both players come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.games.game import TERMINAL
from counterplay.leaves.matrix import Matrix
from counterplay.subgames.compile import GameTree
from counterplay.subgames.cut import Cut
from counterplay.subgames.gadgets import RESOLVING, Entry, come_or_not, max_margin
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.build import build
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, reach
from counterplay.treeplex.treeplex import Labels, Treeplex

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Problem:
    """A cut behind an entry, ready to be solved.

    Attributes:
        piece: the cut.
        subgame: the problem; treeplexes of its own. The resolver's range is a decision that is made already.
        lanes: per player, the lane in the whole game of each lane of the subgame; -1 in padding and in the entry.
        choices: per player, the plan index of the sequence by which the player enters with each augmented infoset of the
            top; for the opponent behind a full entry all 0.
        border: per player, the plan index of the sequence that leads to each augmented infoset of the limit.
        entry: how the opponent comes in.
        ends: the plan indices of the entry's sequences that pay a constant.
    """

    piece: Cut
    subgame: Subgame
    lanes: tuple[Ints, Ints]
    choices: tuple[Ints, Ints]
    border: tuple[Ints, Ints]
    entry: Entry
    ends: Ints

    @cached_property
    def matched(self) -> tuple[tuple[Longs, Longs], tuple[Longs, Longs]]:
        """Per player, where the sequences of the subgame stand, there and in the whole game."""
        first, second = (self._match(player) for player in (0, 1))
        return first, second

    def _match(self, player: int) -> tuple[Longs, Longs]:
        homes = self.lanes[player]
        inner = np.flatnonzero(homes >= 0)
        outer = homes[inner]
        small, large = (tree.lane_sequences for tree in (self.subgame.trees[player], self.piece.game.trees[player]))
        counts = small[2][inner]
        action = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places = [
            np.repeat(first[lanes], counts) + action * np.repeat(stride[lanes], counts)
            for (first, stride, _), lanes in ((small, inner), (large, outer))
        ]
        return places[0], places[1]

    def taken(self, player: int, behaviour: Floats) -> Floats:
        """(size,) the behaviour in the subgame that a behaviour of the whole game contains; uniform in the entry."""
        out = self.subgame.trees[player].uniform()
        inner, outer = self.matched[player]
        out[inner] = behaviour[outer]
        return out

    def splice(self, player: int, behaviour: Floats, into: Floats) -> Floats:
        """(size,) the behaviour `into` of the whole game, with what is played in the subgame put in."""
        out = into.copy()
        inner, outer = self.matched[player]
        out[outer] = behaviour[inner]
        return out

    def trusting(self, p: float, model: Floats, plan: Floats, followed: NDArray[np.bool_]) -> Subgame:
        """The same with an opponent who with probability p is a model.

        Args:
            p: weight of the model.
            model: (size,) its behaviour in the whole game.
            plan: (size,) its plan in the whole game, which gives its range at the top.
            followed: (lanes,) of the whole game: where the model is followed.
        """
        other = self.piece.opponent
        tree = self.subgame.trees[other]
        behaviour = self.taken(other, model)
        behaviour[0] = 1.0
        front = self.choices[other] > 0
        entering = tree.owner[self.choices[other][front]]
        for lane in np.unique(entering).tolist():
            behaviour[tree.sequences_of(lane)] = 0.0
        came = self.piece.top.range(other, plan)
        if self.entry.scale is not None:
            came = np.divide(came, self.entry.scale, out=np.zeros(len(came)), where=self.entry.scale > 0.0)
        np.add.at(behaviour, self.choices[other][front], came[front])
        homes = self.lanes[other]
        inside = homes < 0
        inside[~inside] = followed[homes[~inside]]
        rest = self.subgame.restrictions[other]
        return self.subgame.restricted(other, Restriction.until(tree, behaviour, p, inside, rest))

    def trembling(self, trembles: Sequence[tuple[float, Floats]]) -> Problem:
        """The same with an opponent who does not choose quite freely how to come in: the entry's decisions are restricted.

        Args:
            trembles: pairs of a weight w and the (size,) odds of the augmented infosets, 1 in all for a max-margin entry,
                each from 0 to 1 for a resolving one. With each pair, what was left to the opponent to choose is chosen
                with probability 1 - w only, and w is that.
        """
        if not self.entry.can_tremble or not any(weight > 0.0 for weight, _ in trembles):
            return self
        other = self.piece.opponent
        tree, so_far = self.subgame.trees[other], self.subgame.restrictions[other]
        keep = so_far.keep.copy() if so_far.is_local else np.ones(tree.lanes)
        mix = so_far.mix.copy() if so_far.is_local else np.zeros(tree.size)
        lanes = np.unique(tree.owner[self.choices[other]])
        for weight, given_odds in trembles:
            odds = self._possible(given_odds)
            moved = weight * keep[tree.owner[self.choices[other]]]
            np.add.at(mix, self.choices[other], moved * odds)
            if self.entry.name == RESOLVING:
                mix[self.ends] += moved * (1.0 - odds)
            keep[lanes] *= 1.0 - weight
        return replace(self, subgame=self.subgame.restricted(other, Restriction(keep=keep, mix=mix)))

    def _possible(self, odds: Floats) -> Floats:
        """The odds of what is no choice go to the others, in proportion; all alike if there is nothing else."""
        possible = self.entry.possible
        if possible is None:
            return odds
        odds = np.where(possible, odds, 0.0)
        total = float(odds.sum())
        return odds / total if total > 0.0 else possible / possible.sum()

    @cached_property
    def unit(self) -> Floats | None:
        """(opponent's size,) what to divide CFVs of the opponent by, so that they are chips times chance's and the
        resolver's reach; None for 1."""
        if self.entry.scale is None:
            return None
        tree = self.subgame.trees[self.piece.opponent]
        odds = np.ones(tree.size)
        counted = self.entry.scale > 0.0
        odds[self.choices[self.piece.opponent][counted]] = self.entry.scale[counted]
        return reach(tree, odds)

    def ranges(self, plan0: Floats, plan1: Floats) -> tuple[Floats, Floats]:
        """The ranges at the limit that two plans of the subgame bring about: by augmented infoset of the limit."""
        found = [plan[places] for plan, places in zip((plan0, plan1), self.border, strict=True)]
        if self.unit is not None:
            found[self.piece.opponent] = found[self.piece.opponent] * self.unit[self.border[self.piece.opponent]]
        return found[0], found[1]


def enter(
    piece: Cut, entry: Entry, plan: Floats, other_plan: Floats | None = None, estimate: Floats | None = None
) -> Problem:
    """Put an entry in front of a cut.

    Args:
        piece: from `cut`.
        entry: from `gadgets`.
        plan: the resolver's plan in the whole game, from which comes the range.
        other_plan: the opponent's plan in the whole game, where the entry fixes the opponent's range.
        estimate: (limit,) chips of player 0 at each history of the limit, as if the game ended there; by default nothing
            is paid there.
    """
    game, me = piece.game, piece.resolver
    mine = _Side(piece, me, *come_or_not(piece.top.sizes[me]))
    theirs = _Side(piece, 1 - me, entry.actions, None if entry.full else entry.choice)
    (tree, place, home), (other_tree, other_place, other_home) = mine.tree(), theirs.tree()
    row, column, value = _entries(piece, entry, mine, theirs, plan, estimate)
    trees, homes = (tree, other_tree), (home, other_home)
    indices, shape = (place[row], other_place[column]), (tree.size, other_tree.size)
    choices = (place[mine.choice], other_place[theirs.choice] if not entry.full else np.zeros(piece.size, np.int32))
    border = (place[mine.border()], other_place[theirs.border()])
    restrictions = [given(tree, choices[0], piece.top.range(me, plan)), Restriction()]
    if entry.fixed:
        their_range = entry.range if entry.range is not None else _range(piece, other_plan)
        restrictions[1] = given(other_tree, choices[1], their_range)
    order = (0, 1) if me == 0 else (1, 0)
    groups = (trees[order[0]].arrays.groups, trees[order[1]].arrays.groups)
    payoff = Matrix.from_entries(
        indices[order[0]], indices[order[1]], value, (shape[order[0]], shape[order[1]]), groups
    )
    subgame = Subgame(
        (trees[order[0]], trees[order[1]]),
        payoff,
        (restrictions[order[0]], restrictions[order[1]]),
        chance=game.subgame.chance,
    )
    return Problem(
        piece,
        subgame,
        (homes[order[0]], homes[order[1]]),
        (choices[order[0]], choices[order[1]]),
        (border[order[0]], border[order[1]]),
        entry,
        other_place[entry.at],
    )


def _range(piece: Cut, plan: Floats | None) -> Floats:
    if plan is None:
        raise ValueError("this entry fixes the opponent's range and needs the opponent's plan")
    return piece.top.range(piece.opponent, plan)


def given(tree: Treeplex, places: Ints, values: Floats) -> Restriction:
    """The restriction of a player whose first decisions, those of these sequences, are made: a range, not normalised."""
    keep, mix = np.ones(tree.lanes), np.zeros(tree.size)
    keep[tree.owner[places]] = 0.0
    mix[places] = values
    return Restriction(keep=keep, mix=mix)


def alternative_values(piece: Cut, strategy: Strategy, other: Strategy | None = None) -> Floats:
    """(size,) what each of the opponent's augmented infosets at the roots can get against the resolver's strategy: CFVs in
    chips of the opponent, times chance's and the resolver's reach.

    Args:
        piece: the subgame.
        strategy: the resolver's, in the whole game.
        other: what the opponent does; by default the best.
    """
    return cfvs_at_top(enter(piece, max_margin(np.zeros(piece.size)), strategy.plan), strategy, other)


def cfvs_at_top(problem: Problem, strategy: Strategy, other: Strategy | None = None) -> Floats:
    """The same, given the problem of any entry that is not full and pays no constant."""
    piece = problem.piece
    me, opponent = piece.resolver, piece.opponent
    tree = problem.subgame.trees[me]
    plan = problem.subgame.restrictions[me].played(tree, problem.taken(me, strategy.behaviour))
    cfv = problem.subgame.leaves.product(opponent, plan)
    theirs = problem.subgame.trees[opponent]
    bound = Restriction() if other is None else _playing(theirs, problem.taken(opponent, other.behaviour))
    best(theirs.arrays, bound.keep, bound.mix, cfv, np.zeros(theirs.size))
    return np.asarray(cfv[problem.choices[opponent]], np.float64)


def _playing(tree: Treeplex, behaviour: Floats) -> Restriction:
    return Restriction.local(tree, behaviour, np.ones(tree.lanes))


class _Side:
    """One player's decisions in the subgame, behind decisions of the entry, as raw sequences.

    choice: the raw sequence behind which stands what belongs to each augmented infoset of the top; None where the player
    keeps the whole game.
    """

    def __init__(self, piece: Cut, player: int, entry: Ints, choice: Any) -> None:
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
        before = self.large.arrays.parent[order]
        self.parent = np.concatenate([np.zeros(len(entry), np.int32), self.raw(before, attached[order])])
        self.parent = self.parent.astype(np.int32)

    def _decisions(self) -> tuple[Longs, Ints]:
        """The histories of the subgame, short of its limit, at which the player has a choice, and the lane of each."""
        game = self.piece.game
        inside = self.piece.root >= 0
        inside[self.piece.limit.histories] = False
        here = np.flatnonzero(inside & (game.histories.player == self.player))
        lane = game.lanes[self.player][game.histories.info[self.player][here]]
        return here[lane >= 0], lane[lane >= 0]

    def raw(self, place: Any, outside: Any) -> Ints:
        """The raw sequence of each sequence of the whole game; `outside` where its infoset is not in the subgame."""
        owner = self.large.owner[place]
        inside = owner >= 0
        inside[inside] = self.number[owner[inside]] >= 0
        lane, out = owner[inside], np.where(inside, 0, outside).astype(np.int32)
        action = (place[inside] - self.first[lane]) // self.stride[lane]
        out[inside] = self.raw_first[self.number[lane]] + action
        return out

    def at(self, histories: Longs) -> Ints:
        """The raw sequence that leads to each of these histories of the subgame."""
        outside: Any = 0
        if len(self.choice):
            outside = self.choice[self.piece.known(self.player, histories)]
        return self.raw(self.piece.game.sequences[self.player][histories], outside)

    def border(self) -> Ints:
        """The raw sequence that leads to each augmented infoset of the limit."""
        limit = self.piece.limit
        out = np.zeros(limit.sizes[self.player], np.int32)
        out[limit.known[self.player]] = self.at(limit.histories)
        return out

    def tree(self) -> tuple[Treeplex, Ints, Ints]:
        """The treeplex, the place of each raw sequence, and the lane in the whole game of each lane."""
        game: GameTree = self.piece.game
        public = np.zeros(len(self.actions), np.int32)
        state_of = np.zeros(self.large.lanes, np.int32)
        lanes = game.lanes[self.player]
        state_of[lanes[lanes >= 0]] = game.public[self.player][lanes >= 0]
        public[self.entry :] = 1 + state_of[self.order]
        tree, place = build(self.player, self.parent, self.actions, public, lambda _: Labels([], [], []))
        home = np.full(tree.lanes, -1, np.int32)
        numbers = np.concatenate([np.full(self.entry, -1, np.int32), self.order])[self.actions > 1]
        home[tree.visit_order] = numbers
        return tree, place, home


def _weight(piece: Cut, entry: Entry, histories: Longs) -> Floats:
    """Chance's probability of histories of the subgame, scaled as the entry says."""
    reach = piece.game.histories.reach[histories]
    return reach if entry.scale is None else reach * entry.scale[piece.known(piece.opponent, histories)]


def _entries(
    piece: Cut, entry: Entry, mine: _Side, theirs: _Side, plan: Floats, estimate: Floats | None
) -> tuple[Ints, Ints, Floats]:
    """The payoff of player 0 as (raw own sequence, raw opposing sequence, chips times chance)."""
    table = piece.game.histories
    inside, ended = piece.root >= 0, table.player == TERMINAL
    ends = np.flatnonzero(ended & inside)
    rows, columns = [mine.at(ends)], [theirs.at(ends)]
    values = [table.utility[ends] * _weight(piece, entry, ends)]
    if estimate is not None:
        limit = piece.limit.histories
        rows, columns = [*rows, mine.at(limit)], [*columns, theirs.at(limit)]
        values.append(estimate * _weight(piece, entry, limit))
    if entry.full:  # an end outside the subgame: the own part is decided and folded in
        out = np.flatnonzero(ended & ~inside)
        rows.append(np.zeros(len(out), np.int32))
        columns.append(theirs.at(out))
        values.append(table.utility[out] * table.reach[out] * plan[piece.game.sequences[piece.resolver][out]])
    sign = 1.0 if piece.opponent == 0 else -1.0
    rows.append(np.zeros(len(entry.constant), np.int32))
    columns.append(entry.at)
    values.append(sign * entry.constant)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
