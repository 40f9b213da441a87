"""Public states at which a network knows values: their kinds, and the place of every infoset in a network's row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, Flags
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.networks.symmetric_states import MOST_SWAPS, StateOrder, order_infosets
from counterplay.subgames.cut import cut_below
from counterplay.subgames.cut_shape import Border

_SPAN = 1 << 32
"""Above every number of an infoset."""
_LEAST_KEPT = 0.1
"""Share of a border's public states that are samples at least, since all of them are solved."""


@dataclass(frozen=True, eq=False)
class BorderStates:
    """Public states of a game, each by the first of its histories at a border.

    Attributes:
        histories: (states,) the first history of each at the border, ascending.
        kinds: (states,) numbers from 0; states of one kind are the same game below, with other names.
        infosets: per player (n,) the augmented infosets of all states, state by state, ascending within each.
        places: per player (n,) the place of each in the row of its state.
        homes: per player (n,) the state of each.
        swaps: (swaps, kinds, width0 + width1) permutations of a row that change nothing in the game below.
    """

    histories: I64
    kinds: I64
    infosets: tuple[I64, I64]
    places: tuple[I64, I64]
    homes: tuple[I64, I64]
    swaps: I64

    @property
    def widths(self) -> tuple[int, int]:
        """The most infosets of each player in one state."""
        return int(self.places[0].max()) + 1, int(self.places[1].max()) + 1

    @property
    def count(self) -> int:
        """The number of kinds."""
        return int(self.kinds.max()) + 1

    def rows(self, border: Border) -> BorderRows:
        """The rows of a border; an `InputError` if it has a public state that is none of these."""
        names, first, state = np.unique(border.public, return_index=True, return_inverse=True)
        known = np.minimum(np.searchsorted(self.histories, border.histories[first]), len(self.histories) - 1)
        fits = bool((self.histories[known] == border.histories[first]).all())
        at: list[I64] = []
        for player in (0, 1):
            mine = border.infosets[player]
            home = state[np.unique(border.known[player], return_index=True)[1]]
            # Keys number the pairs of a state and an infoset.
            keys, wanted = self.homes[player] * _SPAN + self.infosets[player], known[home] * _SPAN + mine
            index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            fits = fits and bool((keys[index] == wanted).all())
            at.append(home * self.widths[player] + self.places[player][index])
        if not fits:
            raise InputError("it has public states that are not among those learned")
        total = np.bincount(state, border.chance, len(names)).astype(np.float64)
        return BorderRows(self.kinds[known], (at[0], at[1]), self.widths, total, self.swaps[:, self.kinds[known]])


class BorderRows(NamedTuple):
    """The rows of a border's public states in a network's input and output.

    Attributes:
        kinds: (rows,) kind of each.
        at: per player (size,) the place of each infoset of the border among rows times width.
        widths: of both players.
        chance: (rows,) chance's probability of each public state.
        swaps: (swaps, rows, width0 + width1) permutations of each row that change nothing in the game below.
    """

    kinds: I64
    at: tuple[I64, I64]
    widths: tuple[int, int]
    chance: F64
    swaps: I64

    @property
    def of_each_kind(self) -> int:
        """Public states of a kind that one solution of the border samples, on average: all where kinds have about as many;
        else as many of each, as far as no more than nine tenths of the states are left out.
        """
        counts = self._states_of_kinds
        mean = float(counts.mean())
        return max(round(mean) if self._balanced else int(counts.min()), round(mean * _LEAST_KEPT))

    @property
    def _balanced(self) -> bool:
        return bool(self._states_of_kinds.max() <= 2 * self._states_of_kinds.min())

    @property
    def _states_of_kinds(self) -> I64:
        return np.asarray(np.unique(self.kinds, return_counts=True)[1], np.int64)

    def some_of_each_kind(self, rng: np.random.Generator) -> Flags:
        """(rows,) which states are samples, chosen at random."""
        if self._balanced:
            return np.ones(len(self.kinds), np.bool_)
        mixed = rng.permutation(len(self.kinds))
        ordered = mixed[np.argsort(self.kinds[mixed], kind="stable")]
        kinds = self.kinds[ordered]
        place = np.arange(len(kinds)) - np.searchsorted(kinds, kinds)
        chosen = np.zeros(len(kinds), np.bool_)
        chosen[ordered] = place < self.of_each_kind
        return chosen

    def spread(self, player: int, numbers: F64) -> F64:
        """(rows, width) numbers of a player's infosets, (size,), with 0 in unused places."""
        out = np.zeros(len(self.kinds) * self.widths[player])
        out[self.at[player]] = numbers
        return out.reshape(len(self.kinds), -1)

    def turned(self, inputs: F32) -> tuple[F32, I64]:
        """Inputs (rows, width0 + width1) with swaps made that bring one of equal rows to the fore, so that a network need
        learn only that one; and where each number came from, as a flat index.
        """
        rows, wide = inputs.shape
        order = np.arange(rows * wide).reshape(rows, wide)
        start, probe = order[:, :1].copy(), _probe(wide)
        for swap in self.swaps:
            flat = swap + start
            other = inputs.reshape(-1)[flat]
            better = (other - inputs) @ probe > 0.0
            inputs = np.where(better[:, None], other, inputs)
            order = np.where(better[:, None], order.reshape(-1)[flat], order)
        return inputs, order

    def collect(self, player: int, rows: F64) -> F64:
        """(size,) the numbers of a player's infosets from rows (rows, width)."""
        return np.asarray(rows.reshape(-1)[self.at[player]], np.float64)


@cache
def _probe(wide: int) -> F32:
    """(wide,) fixed numbers by which rows are compared."""
    return np.random.default_rng(0).random(wide).astype(np.float32)


def borders_of(game: GameTree, depth: Depth) -> list[Border]:
    """All borders at which look-aheads of a depth stop, one for each value of its clock; an `InputError` if a look-ahead
    sees the whole game.
    """
    clock = depth.whole_clock(game)
    borders = []
    for last in range(depth.span, int(clock.max()) + 1):
        chosen = np.zeros(len(clock), np.bool_)
        chosen[0] = True
        border = cut_below(game, chosen, 0, clock <= last).limit
        if len(border.histories):
            borders.append(border)
    if not borders:
        raise InputError(f"a look-ahead of depth {depth} sees all of {game.name}, so no value function is needed")
    return borders


def number_states(borders: list[Border]) -> BorderStates:
    """The public states of some borders, each border's own; a state of several borders is there once for each."""
    parts = [_Numbered.of(border) for border in borders]
    first = np.concatenate([part.first for part in parts])
    histories, once = np.unique(first, return_index=True)
    before = np.cumsum([0, *(int(part.order.kinds.max()) + 1 for part in parts)])
    kinds = np.concatenate([part.order.kinds + skip for part, skip in zip(parts, before, strict=False)])[once]
    columns = []
    for player in (0, 1):
        infosets = np.concatenate([part.border.infosets[player] for part in parts]).astype(np.int64)
        places = np.concatenate([part.order.ranks[player] for part in parts])
        homes = np.searchsorted(histories, np.concatenate([part.heads(player) for part in parts]))
        order = np.unique(homes * _SPAN + infosets, return_index=True)[1]
        columns.append((infosets[order], places[order], homes[order].astype(np.int64)))
    (info0, place0, home0), (info1, place1, home1) = columns
    widths = int(place0.max()) + 1, int(place1.max()) + 1
    swaps = np.concatenate([part.swaps(widths) for part in parts], axis=1)
    swaps = swaps[(swaps != np.arange(sum(widths))).any(axis=(1, 2))]
    names, kept = np.unique(kinds, return_inverse=True)
    return BorderStates(
        histories, kept.astype(np.int64), (info0, info1), (place0, place1), (home0, home1), swaps[:, names]
    )


class _Numbered(NamedTuple):
    """A border, the first history of each of its public states, and the order of its infosets."""

    border: Border
    first: I64
    order: StateOrder

    @staticmethod
    def of(border: Border) -> _Numbered:
        first = np.unique(border.public, return_index=True)[1]
        return _Numbered(border, border.histories[first], order_infosets(border))

    def homes(self, player: int) -> I64:
        """(size,) the public state of each infoset, by its number here."""
        state = np.unique(self.border.public, return_inverse=True)[1]
        return np.asarray(state[np.unique(self.border.known[player], return_index=True)[1]], np.int64)

    def heads(self, player: int) -> I64:
        """(size,) the first history of each infoset's public state."""
        return np.asarray(self.first[self.homes(player)], np.int64)

    def swaps(self, widths: tuple[int, int]) -> I64:
        """(MOST_SWAPS, kinds, width0 + width1) the permutations of each kind's row, those of the first state of the kind."""
        names, first = np.unique(self.order.kinds, return_index=True)
        out = np.tile(np.arange(sum(widths)), (MOST_SWAPS, len(names), 1))
        for k, swap in enumerate(self.order.swaps):
            for player, skip in ((0, 0), (1, widths[0])):
                home = self.homes(player)
                mine = np.isin(home, first)
                kind = self.order.kinds[home[mine]]
                out[k, kind, skip + self.order.ranks[player][mine]] = skip + swap[player][mine]
        return out
