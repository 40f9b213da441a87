"""Cutting a subgame out of a compiled game: the histories from some public states on, behind an entry."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.jit import kernel
from counterplay.leaves.matrix import Matrix
from counterplay.subgames.compile import GameTree
from counterplay.subgames.gadgets import Entry, max_margin
from counterplay.subgames.subgame import Subgame
from counterplay.treeplex.build import build
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, reach
from counterplay.treeplex.treeplex import Labels, Treeplex

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cut:
    """Where a subgame begins, and what is below.

    Attributes:
        game: the whole game.
        resolver: the player who solves the subgame anew.
        root: (H,) the root above each history of the subgame, itself included; -1 outside.
        roots: the root histories.
        known: (roots,) the opponent's augmented infoset at each root, numbered from 0 within the cut.
        size: number of different ones.
    """

    game: GameTree
    resolver: int
    root: Ints
    roots: Longs
    known: Ints
    size: int

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver


def cut(game: GameTree, public_states: Collection[int], resolver: int) -> Cut:
    """The subgame that begins at the first histories of these public states.

    Raises:
        InputError: no history is in them.
    """
    table = game.histories
    inner = table.info[0] >= 0
    chosen = np.zeros(len(table), np.bool_)
    chosen[inner] = np.isin(game.public[0][table.info[0][inner]], list(public_states))
    if not chosen.any():
        raise InputError(f"{game.name} has no public state among {sorted(public_states)}")
    root = np.asarray(_roots(table.parent, chosen), np.int32)
    roots = np.flatnonzero(root == np.arange(len(root)))
    names, known = np.unique(table.info[1 - resolver][roots], return_inverse=True)
    return Cut(game, resolver, root, roots, known.astype(np.int32), len(names))


@kernel
def _roots(parent: Any, chosen: Any) -> Any:
    root = np.full(len(parent), -1, np.int32)
    for h in range(len(parent)):
        if parent[h] >= 0 and root[parent[h]] >= 0:
            root[h] = root[parent[h]]
        elif chosen[h]:
            root[h] = h
    return root


@dataclass(frozen=True, eq=False)
class Problem:
    """A cut behind an entry, ready to be solved.

    Attributes:
        subgame: the problem; treeplexes of its own.
        lanes: per player, the lane in the whole game of each lane of the subgame; -1 in padding and in the entry.
        choices: (size,) the plan index of the sequence by which the opponent enters with each augmented infoset.
    """

    subgame: Subgame
    lanes: tuple[Ints, Ints]
    choices: Ints


def enter(piece: Cut, entry: Entry, plan: Floats, other_plan: Floats | None = None) -> Problem:
    """Put an entry in front of a cut.

    Args:
        piece: from `cut`.
        entry: from `gadgets`.
        plan: the resolver's plan in the whole game; its reach of the roots weighs the histories.
        other_plan: the opponent's plan in the whole game, where the entry fixes the opponent's range.
    """
    game, me = piece.game, piece.resolver
    mine = _Side(game, me, _inside(piece, me), np.zeros(0, np.int32), None)
    whole = _inside(piece, piece.opponent) if not entry.full else np.flatnonzero(game.trees[1 - me].lane_sequences[2])
    theirs = _Side(game, 1 - me, whole, entry.actions, None if entry.full else _attached(piece, entry))
    trees_and_places = [side.tree() for side in (mine, theirs)]
    row, column, value = _entries(piece, entry, mine, theirs, plan, other_plan)
    places = [place for _, place, _ in trees_and_places]
    shapes = [tree.size for tree, _, _ in trees_and_places]
    order = (0, 1) if me == 0 else (1, 0)
    indices = (places[0][row], places[1][column])
    payoff = Matrix.from_entries(indices[order[0]], indices[order[1]], value, (shapes[order[0]], shapes[order[1]]))
    trees = tuple(trees_and_places[i][0] for i in order)
    lanes = tuple(trees_and_places[i][2] for i in order)
    subgame = Subgame((trees[0], trees[1]), payoff, chance=game.subgame.chance)
    return Problem(subgame, (lanes[0], lanes[1]), places[1][entry.choice])


def taken(problem: Problem, player: int, behaviour: Floats, game: GameTree) -> Floats:
    """(size,) the behaviour in the subgame that a behaviour of the whole game contains; uniform in the entry."""
    out = problem.subgame.trees[player].uniform()
    for inner, outer in _shared(problem, player, game):
        out[inner] = behaviour[outer]
    return out


def alternative_values(piece: Cut, strategy: Strategy) -> Floats:
    """(size,) what each of the opponent's augmented infosets at the roots can get against the resolver's strategy: CFVs of
    a best response, in chips of the opponent, times chance's and the resolver's reach."""
    problem = enter(piece, max_margin(np.zeros(piece.size)), strategy.plan)
    trees = problem.subgame.trees
    plan = reach(trees[piece.resolver], taken(problem, piece.resolver, strategy.behaviour, piece.game))
    cfv = problem.subgame.leaves.product(piece.opponent, plan)
    best(trees[piece.opponent].arrays, np.zeros(0), np.zeros(0), cfv, np.zeros(trees[piece.opponent].size))
    return np.asarray(cfv[problem.choices], np.float64)


def splice(problem: Problem, player: int, behaviour: Floats, game: GameTree, into: Floats) -> Floats:
    """(size,) the behaviour `into` of the whole game, with what is played in the subgame put in."""
    out = into.copy()
    for inner, outer in _shared(problem, player, game):
        out[outer] = behaviour[inner]
    return out


def _shared(problem: Problem, player: int, game: GameTree) -> Iterator[tuple[slice, slice]]:
    """Where the sequences of each infoset of the subgame stand, there and in the whole game."""
    small, large = problem.subgame.trees[player], game.trees[player]
    for lane, home in enumerate(problem.lanes[player].tolist()):
        if home >= 0:
            yield small.sequences_of(lane), large.sequences_of(home)


def _inside(piece: Cut, player: int) -> Longs:
    """The lanes of a player that stand in the subgame."""
    return np.unique(_decisions(piece, player)[1]).astype(np.int64)


def _decisions(piece: Cut, player: int) -> tuple[Longs, Ints]:
    """The histories of the subgame at which a player has a choice, and the lane of each."""
    game = piece.game
    here = np.flatnonzero((piece.root >= 0) & (game.histories.player == player))
    lane = game.lanes[player][game.histories.info[player][here]]
    return here[lane >= 0], lane[lane >= 0]


def _attached(piece: Cut, entry: Entry) -> Ints:
    """(lanes,) the raw sequence of the entry below which each of the opponent's lanes in the subgame would hang."""
    here, lane = _decisions(piece, piece.opponent)
    attached = np.zeros(piece.game.trees[piece.opponent].lanes, np.int32)
    attached[lane] = entry.choice[_known(piece, here)]
    return attached


def _known(piece: Cut, histories: Longs) -> Ints:
    """The opponent's augmented infoset, within the cut, at the root above each of these histories."""
    return piece.known[np.searchsorted(piece.roots, piece.root[histories])]


class _Side:
    """One player's decisions in the subgame, behind decisions of the entry, as raw sequences."""

    def __init__(self, game: GameTree, player: int, lanes: Longs, entry: Ints, attached: Ints | None) -> None:
        self.player, self.large = player, game.trees[player]
        inside = np.zeros(self.large.lanes, np.bool_)
        inside[lanes] = True
        order = self.large.visit_order[inside[self.large.visit_order]]
        self.first, self.stride, counts = self.large.lane_sequences
        self.actions = np.concatenate([entry, counts[order]]).astype(np.int32)
        self.raw_first = np.concatenate([[1], 1 + np.cumsum(self.actions)]).astype(np.int32)
        self.number = np.full(self.large.lanes, -1, np.int64)
        self.number[order] = len(entry) + np.arange(len(order))
        self.order, self.entry = order, len(entry)
        before = self.large.arrays.parent[order]
        outside = attached[order] if attached is not None else np.zeros(len(order), np.int32)
        self.parent = np.concatenate([np.zeros(len(entry), np.int32), self.raw(before, outside)]).astype(np.int32)
        self.game = game

    def raw(self, place: Any, outside: Any) -> Ints:
        """The raw sequence of each sequence of the whole game; `outside` where its infoset is not in the subgame."""
        owner = self.large.owner[place]
        number = np.where(owner >= 0, self.number[owner], -1)
        action = (place - self.first[owner]) // np.maximum(self.stride[owner], 1)
        return np.asarray(np.where(number >= 0, self.raw_first[number] + action, outside), np.int32)

    def tree(self) -> tuple[Treeplex, Ints, Ints]:
        """The treeplex, the place of each raw sequence, and the lane in the whole game of each lane."""
        public = np.zeros(len(self.actions), np.int32)
        state_of = np.zeros(self.large.lanes, np.int32)
        lanes = self.game.lanes[self.player]
        state_of[lanes[lanes >= 0]] = self.game.public[self.player][lanes >= 0]
        public[self.entry :] = 1 + state_of[self.order]
        tree, place = build(self.player, self.parent, self.actions, public, lambda _: Labels([], [], []))
        home = np.full(tree.lanes, -1, np.int32)
        choosing = self.actions > 1
        numbers = np.concatenate([np.full(self.entry, -1, np.int32), self.order])[choosing]
        home[tree.visit_order] = numbers
        return tree, place, home


def _entries(
    piece: Cut, entry: Entry, mine: _Side, theirs: _Side, plan: Floats, other_plan: Floats | None
) -> tuple[Ints, Ints, Floats]:
    """The payoff of player 0 as (raw own sequence, raw opposing sequence, chips times all that is fixed)."""
    game, table = piece.game, piece.game.histories
    ends = np.flatnonzero((table.player == TERMINAL) & ((piece.root >= 0) | entry.full))
    own, other = (game.sequences[i][ends] for i in (piece.resolver, piece.opponent))
    weight = table.utility[ends] * table.reach[ends]
    above = np.where(piece.root[ends] >= 0, piece.root[ends], ends)  # an end outside the subgame is decided itself
    weight = weight * plan[game.sequences[piece.resolver][above]]
    row = mine.raw(own, np.zeros(len(ends), np.int32))
    if entry.full:
        column = theirs.raw(other, np.zeros(len(ends), np.int32))
    else:
        column = theirs.raw(other, entry.choice[_known(piece, ends)])
    if entry.fixed and other_plan is not None:
        weight = weight * other_plan[game.sequences[piece.opponent][above]]
    sign = 1.0 if piece.opponent == 0 else -1.0
    row = np.concatenate([row, np.zeros(len(entry.constant), np.int32)])
    column = np.concatenate([column, entry.at])
    return row, column, np.concatenate([weight, sign * entry.constant])
