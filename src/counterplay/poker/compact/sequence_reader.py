"""Both players' averages of the compact engine, read by sequence of the tree of all boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.compact.averages import ActionCfvs, Averages
from counterplay.poker.compact.compact_sweeps import Ways
from counterplay.poker.compact.kernels.sweep_records import BEST
from counterplay.poker.compact.strategy_memory import WeightedMemory
from counterplay.poker.public_tree.boards import IsomorphicBoards
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of, layer_of_last_choice, runs_of
from counterplay.poker.public_tree.public_tree import PublicTree

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
        return self._numbers(player, self._probability, (self.averages, player))

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
            segment = 0 if after == DEAL else self.averages.decisions[node].segment
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
        return ReadNumbers(self.tree.shapes[player].size, lambda sequences: self._each(player, sequences, read), source)

    @cached_property
    def lanes(self) -> list[I64]:
        """Per layer (places of all boards,) the lane that represents each hand."""
        dealt, boards = self.averages.layout.boards, self.tree.boards
        if isinstance(dealt, IsomorphicBoards):
            return [dealt.lane_of_all(boards, layer) for layer in range(len(boards.layers))]
        return [np.arange(layer.places) for layer in boards.layers]

    def spread(self, player: int, way: WeightedMemory, node: int, lanes: I64) -> F64:
        """(actions, n) what a player plays in one way at (n,) lanes of a node's layer, of all boards."""
        return self.averages.played(player, way, node, self.lanes[self.averages.decisions[node].layer][lanes])

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

    def _each(self, player: int, sequences: I64, read: Read) -> F64:
        """Numbers of sequences by the betting node that they lead to."""
        starts, nodes = self._starts[player]
        out = np.zeros(len(sequences))
        at = np.searchsorted(starts, sequences, "right") - 1
        out[sequences == 0] = 1.0
        for k in np.unique(at[at >= 0]).tolist():
            here = at == k
            out[here] = read(player, int(nodes[k]), sequences[here] - starts[k])
        return out

    def _probability(self, player: int, after: int, places: I64) -> F64:
        """Of the action that leads to a node, or of the deal: held, and from the second half of the places on not held."""
        ways = self.averages.sides[player]
        if after == DEAL:
            return self._dealt(player, places)
        played = [self._played(player, way, after, places) for way in ways]
        if len(ways) == 1:
            return played[0]
        # Decided before the game: who comes here in one way goes on in that way.
        return _weighted([way.weight * self._before(player, way, after, places) for way in ways], played)

    def _played(self, player: int, way: WeightedMemory, after: int, places: I64) -> F64:
        """The probability of the action that leads to a node, in one way."""
        betting, node = self.tree.betting, int(self.tree.betting.parent[after])
        layer = layer_of(betting, node)
        found, inside = np.zeros(len(places)), places < self.tree.boards.lanes(layer)
        numbers = self.averages.played(player, way, node, self.lanes[layer][places[inside]])
        found[inside] = numbers[betting.action[after]]
        return found

    def _dealt(self, player: int, places: I64) -> F64:
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
