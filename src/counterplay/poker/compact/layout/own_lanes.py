"""The lanes that one player may hold: what is stored for a player, and worked on, has no others.

Both ranges together are the hands of a board; a player's own are those with a weight. Isomorphic hands, which share a lane,
have equal weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import I32, I64, Flags
from counterplay.poker.public_tree.boards import Boards
from counterplay.poker.public_tree.bundled_boards import bundles_of, widths_of
from counterplay.treeplex.treeplex import LANES


@dataclass(frozen=True, eq=False)
class LayerLanes:
    """A player's lanes of one layer.

    Attributes:
        number: (lanes of the layer,) int32, for each lane the player's own number of it, -1 if it is not held.
        kept: (own lanes,) int32, for each own lane its number among all, or one of its numbers in a bundle.
        first: (boards + 1,) own lanes before each board, or each bundle of boards; padded: the same, each padded to whole
            vectors.
    """

    number: I32
    kept: I32
    first: I64
    padded: I64

    @property
    def widest(self) -> int:
        """The most own lanes of a board, padded."""
        return int(np.diff(self.padded).max())


@dataclass(frozen=True, eq=False)
class OwnLanes:
    """A player's lanes of all layers; with `every` all lanes count as held, for values of hands outside the range, with
    `bundled` last boards are bundled (see `public_tree.bundled_boards`)."""

    boards: Boards
    player: int
    every: bool = False
    bundled: bool = False

    @cached_property
    def layers(self) -> list[LayerLanes]:
        return [self._layer(number) for number in range(len(self.boards.layers))]

    def held(self, layer: int) -> Flags:
        """(places,) whether the player may hold the hand."""
        weights = self.boards.cards.weights[self.player][self.boards.layers[layer].hand]
        return np.ones(len(weights), np.bool_) if self.every else np.asarray(weights > 0.0)

    @cached_property
    def most(self) -> list[int]:
        """The most hands of a board, layer by layer."""
        found = []
        for number, layer in enumerate(self.boards.layers):
            held = np.append(0, np.cumsum(self.held(number)))
            found.append(int(np.diff(held[layer.first]).max()))
        return found

    def _layer(self, layer: int) -> LayerLanes:
        boards = self.boards
        if self.bundled and layer + 1 == len(boards.layers):
            lane, kept, first = boards.merged(layer)
            ends = bundles_of(boards)
            padded = np.append(0, np.cumsum(widths_of(first, ends)))
            return LayerLanes(lane.astype(np.int32), kept.astype(np.int32), first[ends], padded)
        first, held = boards.first(layer), self.held(layer)[boards.kept(layer)]
        before = np.append(0, np.cumsum(held))
        own = before[first]
        padded = np.append(0, np.cumsum(-(-np.diff(own) // LANES) * LANES))
        number = np.where(held, before[:-1], -1).astype(np.int32)
        return LayerLanes(number, np.flatnonzero(held).astype(np.int32), own, padded)

    def to(self, layer: int, lanes: Any) -> Any:
        """(n,) own numbers of some (n,) lanes of a layer, -1 for those not held."""
        return self.layers[layer].number[lanes].astype(np.int64)  # positions of what is stored may be large

    def on_board(self, layer: int, lanes: Any) -> tuple[Any, Any]:
        """For (n,) own lanes of a layer (n,) their boards, or bundles, and (n,) their numbers there."""
        first = self.layers[layer].first
        board = np.searchsorted(first, lanes, "right") - 1
        return board, lanes - first[board]

    def of_board(self, layer: int, board: int) -> I64:
        """(own lanes of a board,) their numbers among all lanes of the board."""
        here = self.layers[layer]
        inside = here.kept[here.first[board] : here.first[board + 1]]
        return np.asarray(inside - self.boards.first(layer)[board], np.int64)
