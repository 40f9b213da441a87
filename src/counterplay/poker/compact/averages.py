"""Both players' averages on the compact engine: what they are worth, and their numbers at a decision, or by sequence of the
tree of all boards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray, Flags
from counterplay.poker.compact.compact_run import CompactRun, Sides, gap_of
from counterplay.poker.compact.compact_sweeps import AskedValue, Sweeps, TrunkEntry, Ways, dealt
from counterplay.poker.compact.kernels.sweep_records import BEST, RESPOND, VALUE
from counterplay.poker.compact.layout.compact_layout import CompactLayout, OwnLanes
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, new_memory
from counterplay.poker.public_tree.boards import IsomorphicBoards
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of, layer_of_last_choice, runs_of
from counterplay.poker.public_tree.public_tree import PublicTree


class ActionCfvs(NamedTuple):
    """CFVs of a player; of their own strategy 0 for hands that they do not hold. at: for a betting node and (n,) lanes of
    its layer, (actions, n) those of the actions. root: (lanes of the first board,) those of the hands."""

    at: Callable[[int, I64], Any]
    root: F64


@dataclass(frozen=True, eq=False)
class Averages:
    """Both players' strategies.

    Attributes:
        sides: the ways in which each player plays, with locks on what they play.
        bound: by player, the locks that bind whoever chooses there, a best responder too; None without.
    """

    layout: CompactLayout
    precision: str
    sides: Sides
    bound: tuple[RowLocks | None, RowLocks | None] = (None, None)
    _sweeps: list[Sweeps] = field(default_factory=list, repr=False)
    _wide: tuple[list[Sweeps], list[Sweeps]] = field(default_factory=lambda: ([], []), init=False, repr=False)

    @staticmethod
    def of_run(run: CompactRun) -> Averages:
        return Averages(run.layout, run.precision, run.sides, _sweeps=[run.sweeps])

    @property
    def sweeps(self) -> Sweeps:
        """Sweeps of the tree, whose work space is kept."""
        if not self._sweeps:
            self._sweeps.append(Sweeps(self.layout))
        return self._sweeps[0]

    def value(self, player: int) -> float:
        theirs = self.sides[1 - player]
        worth = self.sweeps.worth([AskedValue(player, VALUE, way.memory, theirs) for way in self.sides[player]])
        return sum(way.weight * chips for way, chips in zip(self.sides[player], worth, strict=True))

    def best_value(self, player: int) -> float:
        return self._best_values((player,))[0]

    def _best_values(self, players: Sequence[int]) -> list[float]:
        return self.sweeps.worth(
            [AskedValue(player, BEST, self._chooser(player), self.sides[1 - player]) for player in players]
        )

    def gap(self) -> tuple[float, float]:
        """NashConv, and the value of player 0 in the middle of its bounds."""
        rake = self.layout.betting.rules.rake
        return gap_of(
            lambda best: self._best_values((0, 1)) if best else [self.value(0), self.value(1)], raked=rake > 0.0
        )

    def best_response(self, player: int) -> Averages:
        """The same where a player plays a best response."""
        fresh = self._locks(player).bind(new_memory(self.layout, player, self.precision, regrets=False))
        self.sweeps.worth([AskedValue(player, RESPOND, fresh, self.sides[1 - player])])
        return self.playing(player, (WeightedMemory(1.0, fresh),))

    def _locks(self, player: int) -> RowLocks:
        return self.bound[player] or RowLocks.none(self.layout, player, self.precision)

    def _chooser(self, player: int) -> Any:
        return self._locks(player).bind(self.sides[player][0].memory)

    def playing(self, player: int, ways: Ways) -> Averages:
        """The same where a player plays in other ways."""
        return replace(self, sides=(ways, self.sides[1]) if player == 0 else (self.sides[0], ways))

    def choosing_under(self, player: int, locks: RowLocks) -> Averages:
        """The same where whoever chooses for a player is bound by locks."""
        return replace(self, bound=(locks, self.bound[1]) if player == 0 else (self.bound[0], locks))

    def digest(self) -> str:
        found = hashlib.sha256()
        for way in (*self.sides[0], *self.sides[1]):
            for array in (np.array(way.weight), way.memory.total, way.memory.locks, way.memory.rows):
                found.update(array.tobytes())
        return found.hexdigest()[:16]

    def played(self, player: int, way: WeightedMemory, node: int, lanes: I64) -> F64:
        """(actions, n) what a player plays in one way at a betting node, at (n,) lanes of its layer."""
        decision = self.layout.decisions[node]
        held, at = self._at(self.layout, player, node, lanes)
        numbers = np.asarray(way.memory.total[at], np.float64)
        total = numbers.sum(axis=0)
        found = np.full((decision.actions, len(lanes)), 1.0 / decision.actions)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[:, held] = np.where(total > 0.0, numbers / total, 1.0 / decision.actions)
        if way.outside is not None and not held.all():
            found[:, ~held] = way.outside(node, lanes[~held])
        locked = RowLocks.of_memory(self.layout, player, way.memory).of(decision, lanes)
        return np.asarray(found if locked is None else locked[0] * found + locked[1], np.float64)

    def _at(self, layout: CompactLayout, player: int, node: int, lanes: I64) -> tuple[Flags, I64]:
        """Of (n,) lanes of a decision's layer which the player holds, and of these (actions, k) the stored numbers."""
        decision, own = layout.decisions[node], layout.own[player]
        mine = own.to(decision.layer, lanes)
        held = mine >= 0
        board, place = own.on_board(decision.layer, mine[held])
        begin, width = layout.rows_of(player, decision.segment, board)
        at = begin + (decision.row - 1) * width + place + np.arange(decision.actions)[:, None] * width
        return held, np.asarray(at)

    def action_cfvs(self, player: int, way: WeightedMemory, segments: range, what: int = VALUE) -> ActionCfvs:
        """CFVs of a player's actions at the decisions of some segments, where they play in this way from there on, or
        choose best (BEST)."""
        sweeps = self.sweeps if what == VALUE or self.bound[player] else self._of_all_hands(player)
        layout, theirs = sweeps.layout, self.sides[1 - player]
        starts = layout.starts(player)
        begin, end = int(starts[segments.start]), int(starts[segments.stop])
        memory = way.memory if what == VALUE else self._chooser(player)
        entry = dealt(layout, player, theirs)
        level, seen = sweeps(player, what, memory, theirs, entry, (begin, end))
        mine = layout.own[player].layers[0]
        root = np.zeros(len(mine.number))
        root[mine.kept] = level.cfv[: len(mine.kept)]

        def read(node: int, lanes: I64) -> F64:
            held, at = self._at(layout, player, node, lanes)
            found = np.zeros((len(at), len(lanes)))
            found[:, held] = seen[at - begin]
            return found

        return ActionCfvs(read, root)

    def _of_all_hands(self, player: int) -> Sweeps:
        """Sweeps in which a free player holds all hands, also those out of the range, as gifts count them."""
        layout = self.layout
        if not self._wide[player]:
            if all((lanes.number >= 0).all() for lanes in layout.own[player].layers):
                self._wide[player].append(self.sweeps)
            else:
                wide, own = CompactLayout(layout.betting, layout.tables), OwnLanes(layout.boards, player, every=True)
                wide.own = (own, wide.own[1]) if player == 0 else (wide.own[0], own)
                self._wide[player].append(Sweeps(wide))
        return self._wide[player][0]

    def below(self, player: int, part: CompactLayout, board: int, entry: TrunkEntry) -> list[F64]:
        """For each way of a player, (rows,) CFVs of all rows of a layout's last segment on a board, by own lane."""
        sweeps = Sweeps(part, len(part.segments) - 1, board)
        mine, theirs = self.sides[player], self.sides[1 - player]
        return [sweeps(player, VALUE, way.memory, theirs, entry)[0].cfv.copy() for way in mine]

    def written(self, player: int, read: Callable[[int, I64], F64], *, keep: bool = True) -> Ways:
        """A player's strategy as stored averages of this tree. `read` gives for a betting node and (n,) lanes of its
        layer (actions, n) probabilities; with `keep` it is called later on for hands outside the range."""
        memory = new_memory(self.layout, player, self.precision, regrets=False)
        scale = _UNITS[memory.total.dtype.kind]
        for segment in self.layout.whole:
            lanes = self.layout.own[player].layers[segment.layer].kept.astype(np.int64)
            for one in segment.own(player):
                numbers = read(one.node, lanes) * scale
                _, at = self._at(self.layout, player, one.node, lanes)
                memory.total[at] = np.rint(numbers) if scale > 1.0 else numbers
        return (WeightedMemory(1.0, memory, read if keep else None),)


_UNITS = {"f": 1.0, "u": 65535.0}
"""By kind of number, what stands for probability 1."""


Read = Callable[[int, int, I64], F64]
"""Numbers of a player's sequences: of the choice that leads to a betting node, or of the deal; at (n,) places."""
_WINDOW = 1 << 23
"""CFVs that are kept at a time, unless those of one segment are more."""


@dataclass(frozen=True, eq=False)
class ReadNumbers:
    """Numbers by sequence, computed when they are asked for: `read` gives (n,) numbers of (n,) sequences; source: the
    averages that they are read from, and whose; None for other numbers."""

    size: int
    read: Callable[[I64], F64]
    source: tuple[Averages, int] | None = None

    def __getitem__(self, sequences: Any) -> Any:
        """The numbers of some sequences: a slice, a number, or an array of any shape."""
        asked = np.arange(self.size)[sequences] if isinstance(sequences, slice) else np.asarray(sequences)
        found = self.read(asked.ravel().astype(np.int64)).reshape(asked.shape)
        return found if asked.ndim else float(found)

    def __len__(self) -> int:
        return self.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """All numbers, for code that takes arrays."""
        return np.asarray(self[:], dtype)


def _weighted(weights: Sequence[F64], numbers: Sequence[F64]) -> F64:
    """The mean of some numbers; the first ones where all weights are 0."""
    total = np.sum(weights, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0.0, np.sum(np.multiply(weights, numbers), axis=0) / total, numbers[0])


@dataclass(frozen=True, eq=False)
class SequenceReader:
    """Reads averages, which stand on the boards that are dealt, by sequence of the tree of all boards."""

    tree: PublicTree
    averages: Averages

    def behaviour(self, player: int) -> ReadNumbers:
        """(size,) the behaviour strategy of a player."""
        ways = self.averages.sides[player]

        def read(player: int, after: int, places: I64) -> F64:
            if after == DEAL:
                return self._dealt(player, places)
            played = [self._played(player, way, after, places) for way in ways]
            if len(ways) == 1:
                return played[0]
            # Decided before the game: who comes here in one way goes on in that way.
            return _weighted([way.weight * self._before(player, way, after, places) for way in ways], played)

        return self._numbers(player, read, (self.averages, player))

    def reach(self, player: int) -> ReadNumbers:
        """(size,) the realization plan of a player."""
        ways = self.averages.sides[player]

        def read(player: int, after: int, places: I64) -> F64:
            if after == DEAL:
                return self._dealt(player, places)
            return np.asarray(sum(way.weight * self.reach_in(player, way, after, places) for way in ways))

        return self._numbers(player, read)

    def cfvs(self, player: int, what: int) -> ReadNumbers:
        """(size,) CFVs of a player's strategy (VALUE), or of a best response (BEST); all boards must be dealt."""
        ways = self.averages.sides[player][:1] if what == BEST else self.averages.sides[player]
        window: list[tuple[range, list[ActionCfvs]]] = []

        def read(_: int, after: int, places: I64) -> F64:
            betting, node = self.tree.betting, 0 if after == DEAL else int(self.tree.betting.parent[after])
            segment = 0 if after == DEAL else self.averages.layout.decisions[node].segment
            if not window or segment not in window[0][0]:
                starts = self.averages.layout.starts(player)
                end = int(np.searchsorted(starts, starts[segment] + _WINDOW, "right")) - 1
                chosen = range(segment, max(end, segment + 1))
                window[:] = [(chosen, [self.averages.action_cfvs(player, way, chosen, what) for way in ways])]
            kept = window[0][1]
            if after == DEAL:
                root = kept[0].root  # hands that are not held have 0
                return np.where(places < len(root), root[np.minimum(places, len(root) - 1)], 0.0)
            return self.joined(
                player, ways, after, places, [one.at(node, places)[betting.action[after]] for one in kept]
            )

        return self._numbers(player, read)

    def joined(self, player: int, ways: Ways, after: int, places: I64, numbers: Sequence[F64]) -> F64:
        """(n,) the numbers (n,) of each way at the choice that leads to a node, weighted by how often the player comes to
        these (n,) places in it."""
        if len(ways) == 1:
            return np.asarray(numbers[0], np.float64)
        come = [way.weight * self.reach_in(player, way, after, places) for way in ways]
        return _weighted(come, numbers)

    def _numbers(self, player: int, read: Read, source: tuple[Averages, int] | None = None) -> ReadNumbers:
        starts, nodes = self._starts[player]

        def each(sequences: I64) -> F64:
            out = np.zeros(len(sequences))
            at = np.searchsorted(starts, sequences, "right") - 1
            out[sequences == 0] = 1.0
            for k in np.unique(at[at >= 0]).tolist():
                here = at == k
                out[here] = read(player, int(nodes[k]), sequences[here] - starts[k])
            return out

        return ReadNumbers(self.tree.shapes[player].size, each, source)

    @cached_property
    def lanes(self) -> list[I64]:
        """Per layer (places of all boards,) the lane that represents each hand."""
        dealt, boards = self.averages.layout.boards, self.tree.boards
        if isinstance(dealt, IsomorphicBoards):
            return [dealt.lane_of_all(boards, layer) for layer in range(len(boards.layers))]
        return [np.arange(layer.places) for layer in boards.layers]

    def spread(self, player: int, way: WeightedMemory, node: int, lanes: I64) -> F64:
        """(actions, n) what a player plays in one way at (n,) lanes of a node's layer, of all boards."""
        return self.averages.played(player, way, node, self.lanes[self.averages.layout.decisions[node].layer][lanes])

    @cached_property
    def _starts(self) -> list[tuple[I64, I64]]:
        """By player the first sequences of all choices in order, and the nodes that these lead to; DEAL for the deal."""
        found = []
        for runs in self.tree.runs:
            nodes = np.append(np.flatnonzero(runs.start[:DEAL] >= 0), DEAL)
            starts = runs.start[nodes]
            order = np.argsort(starts)
            found.append((starts[order], nodes[order]))
        return found

    def _played(self, player: int, way: WeightedMemory, after: int, places: I64) -> F64:
        """The probability of the action that leads to a node, in one way."""
        betting, node = self.tree.betting, int(self.tree.betting.parent[after])
        layer = layer_of(betting, node)
        found, inside = np.zeros(len(places)), places < self.tree.boards.lanes(layer)
        numbers = self.averages.played(player, way, node, self.lanes[layer][places[inside]])
        found[inside] = numbers[betting.action[after]]
        return found

    def _dealt(self, player: int, places: I64) -> F64:
        """The probability of the deal: held, and from the second half of the places on not held."""
        cards, hands = self.tree.boards.cards, self.tree.boards.lanes(0)
        width = int(self.tree.runs[player].start[DEAL])
        width = runs_of(self.tree.betting, self.tree.boards, self.tree.runs[player])[1][0] - width
        weights = cards.weights[player][self.tree.boards.layers[0].hand]
        found = np.zeros(len(places))
        held, gone = places < hands, (places >= width) & (places < width + hands)
        found[held], found[gone] = weights[places[held]], 1.0 - weights[places[gone] - width]
        return found

    def reach_in(self, player: int, way: WeightedMemory, after: int, places: I64) -> F64:
        """(n,) the plan at (n,) places in one way: along the path, probabilities times each other."""
        if after == DEAL:
            return self._dealt(player, places)
        return self._played(player, way, after, places) * self._before(player, way, after, places)

    def _before(self, player: int, way: WeightedMemory, after: int, places: I64) -> F64:
        """The plan of the player's choice before the one that leads to a node."""
        boards, betting, runs = self.tree.boards, self.tree.betting, self.tree.runs[player]
        node = int(betting.parent[after])
        layer = layer_of(betting, node)
        found, inside = np.zeros(len(places)), places < boards.lanes(layer)
        up = boards.above(layer, layer_of_last_choice(betting, runs, node))
        found[inside] = self.reach_in(player, way, int(runs.before[node]), up[places[inside]])
        return found
