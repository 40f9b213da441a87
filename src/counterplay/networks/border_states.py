"""Public states at which a network knows values: their kinds, and the place of every infoset in a network's row.

Public states are of one kind if the games below them are equal up to the names of their infosets, found by colour
refinement: every history below the border gets a colour, which is refined by the colours of its parent, its children
and both its infosets until no more colours split (Weisfeiler and Leman 1968). Infosets of the border that still share a
colour are told apart one by one, in every public state at the same time. Public states whose histories then have the
same colours are the same game, and equal colours say which infoset stands for which.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F32, F64, I64, Flags
from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.subgames.cut import cut_below
from counterplay.subgames.cut_game import Border

Colours = NDArray[np.uint64]
_MOST = 2_000_000
"""Histories below a border; in larger games every public state is its own kind."""
MOST_SWAPS = 6
"""The most swaps looked for."""
_SPLIT, _ACTION = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)


class StateOrder(NamedTuple):
    """The kinds of a border's public states, and the place of each infoset in its state.

    Attributes:
        kinds: (states,) a number for each public state in the order of `numpy.unique(border.public)`; equal numbers mean
            equal games below.
        ranks: per player (size,) the rank of each infoset of the border within its state; in states of one kind infosets
            of one rank stand for each other.
        swaps: pairs of such ranks, which exchange infosets of a state without changing its game; a state that lacks one
            has its own ranks there.
        homes: per player (size,) the public state of each infoset.
    """

    kinds: I64
    ranks: tuple[I64, I64]
    swaps: list[tuple[I64, I64]]
    homes: tuple[I64, I64]

    def permutations(self, widths: tuple[int, int]) -> I64:
        """(MOST_SWAPS, kinds, width0 + width1) the swaps of each kind's row, those of the first state of the kind."""
        names, first = np.unique(self.kinds, return_index=True)
        out = np.tile(np.arange(sum(widths)), (MOST_SWAPS, len(names), 1))
        for k, swap in enumerate(self.swaps):
            for player, skip in ((0, 0), (1, widths[0])):
                home = self.homes[player]
                mine = np.isin(home, first)
                out[k, self.kinds[home[mine]], skip + self.ranks[player][mine]] = skip + swap[player][mine]
        return out


def order_infosets(border: Border) -> StateOrder:
    """Compare the games below the public states of a border."""
    names, state = np.unique(border.public, return_inverse=True)
    homes = _first_of(border.known[0], state), _first_of(border.known[1], state)
    below = _Below(border, state)
    if below.size > _MOST:
        return StateOrder(np.arange(len(names)), (_ranks(homes[0]), _ranks(homes[1])), [], homes)
    colours, ties = _told_apart(below, homes, 0)
    signs, ranks = below.signs(colours, state), _both_ranks(below, homes, colours)
    swaps = []
    for tie in range(1, min(ties, MOST_SWAPS) + 1):
        other, _ = _told_apart(below, homes, tie)
        same = below.signs(other, state) == signs
        swapped = _both_ranks(below, homes, other)
        first, second = (np.where(same[homes[i]], swapped[i], ranks[i]) for i in (0, 1))
        swaps.append((first, second))
    return StateOrder(np.unique(signs, return_inverse=True)[1].astype(np.int64), ranks, swaps, homes)


def _told_apart(below: _Below, homes: tuple[I64, I64], otherwise: int) -> tuple[Colours, int]:
    """Colours that no two infosets of a state share, and the number of ties that were broken; in the tie `otherwise`, from
    1, the second of the infosets that share a colour is marked, not the first.
    """
    colours, ties = below.refined(), 0
    for player in (0, 1):
        while len(pairs := below.tied(colours, homes[player], player)):
            ties += 1
            colours = below.refined(below.marked(colours, pairs[:, int(ties == otherwise)], player))
    return colours, ties


def _both_ranks(below: _Below, homes: tuple[I64, I64], colours: Colours) -> tuple[I64, I64]:
    first, second = (_ranks(homes[i], below.infoset_colours(colours, i)) for i in (0, 1))
    return first, second


def _first_of(known: Any, state: Any) -> I64:
    """(size,) the public state of each infoset."""
    return np.asarray(state[np.unique(known, return_index=True)[1]], np.int64)


def _ranks(home: I64, colour: Colours | None = None) -> I64:
    """(size,) the rank of each infoset within its state, by its colour, else by its number."""
    order = np.lexsort((np.arange(len(home)), *(() if colour is None else (colour,)), home))
    starts = np.searchsorted(home[order], home[order])
    out = np.empty(len(home), np.int64)
    out[order] = np.arange(len(home)) - starts
    return out


def _mixed(colours: Colours) -> Colours:
    """Colours as pseudo-random numbers, so that sums of several of them differ (splitmix64)."""
    z = colours + _SPLIT
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)), np.uint64)


class _Below:
    """The histories below a border, numbered from 0, and what relates them."""

    def __init__(self, border: Border, state: Any) -> None:
        game, self._border = border.game, border
        table = game.histories
        chosen = np.zeros(len(table), np.bool_)
        chosen[border.histories] = True
        inside = np.flatnonzero(cut_below(game, chosen, 0).root >= 0)
        self.size = len(inside)
        place = np.full(len(table), -1, np.int64)
        place[inside] = np.arange(self.size)
        self.top = place[border.histories]
        self._parent = place[table.parent[inside]]
        self._parent[self.top] = -1
        self._child = np.flatnonzero(self._parent >= 0)
        self._infosets = [np.unique(table.info[i][inside], return_inverse=True)[1] for i in (0, 1)]
        self._ends = [table.info[i][inside] < 0 for i in (0, 1)]
        self._known = border.known
        # Colours from what a history is by itself: who acts, chips, its action, chance's share.
        up = table.parent[inside]
        by_chance = table.player[up] == CHANCE
        odds = np.where(by_chance, table.reach[inside] / table.reach[up], 1.0)
        odds[self.top] = border.chance / np.bincount(state, border.chance)[state]
        action = np.where(by_chance, -1, table.action[inside]).astype(np.int64)
        action[self.top] = -2
        out = _mixed(table.player[inside].astype(np.int64).view(np.uint64))
        for number in (np.round(table.utility[inside], 9) + 0.0, np.round(odds, 9) + 0.0):
            out = _mixed(out ^ number.view(np.uint64))
        self._first = _mixed(out ^ (action.view(np.uint64) * _ACTION))

    def summed(self, colours: Colours, where: Any, count: int) -> Colours:
        """(count,) sums of colours by place."""
        out = np.zeros(count, np.uint64)
        np.add.at(out, where, colours)
        return out

    def refined(self, colours: Colours | None = None) -> Colours:
        """Colours that no longer split."""
        now, kinds = (self._first if colours is None else colours), 0
        up, child = self._parent[self._child], self._child
        while (count := len(np.unique(now))) > kinds:
            kinds, out = count, _mixed(now)
            out[child] = _mixed(out[child] ^ _mixed(now[up] + np.uint64(1)))
            out = _mixed(out + self.summed(_mixed(now[child] + np.uint64(2)), up, self.size))
            for player, (infoset, ended) in enumerate(zip(self._infosets, self._ends, strict=True)):
                sums = self.summed(_mixed(now + np.uint64(3 + player)), infoset, int(infoset.max()) + 1)
                out = _mixed(out ^ np.where(ended, _SPLIT, sums[infoset]))
            now = out
        return now

    def infoset_colours(self, colours: Colours, player: int) -> Colours:
        """(size,) the colour of each infoset of the border."""
        return self.summed(_mixed(colours[self.top]), self._known[player], self._border.sizes[player])

    def signs(self, colours: Colours, state: Any) -> Colours:
        """(states,) a number for all colours of each public state."""
        return self.summed(_mixed(colours[self.top]), state, int(state.max()) + 1)

    def tied(self, colours: Colours, home: I64, player: int) -> I64:
        """(n, 2) in each public state with a tie, the first two infosets that share the least shared colour."""
        colour = self.infoset_colours(colours, player)
        order = np.lexsort((np.arange(len(home)), colour, home))
        same = (home[order][1:] == home[order][:-1]) & (colour[order][1:] == colour[order][:-1])
        pairs = np.stack([order[:-1][same], order[1:][same]], axis=1)
        return np.asarray(pairs[np.unique(home[pairs[:, 0]], return_index=True)[1]], np.int64)

    def marked(self, colours: Colours, infosets: I64, player: int) -> Colours:
        """Colours in which some infosets of the border are marked."""
        out, chosen = colours.copy(), np.isin(self._known[player], infosets)
        out[self.top[chosen]] = _mixed(out[self.top[chosen]] ^ _ACTION)
        return out


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
            home = _first_of(border.known[player], state)
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
    orders = [order_infosets(border) for border in borders]
    first = [border.histories[np.unique(border.public, return_index=True)[1]] for border in borders]
    histories, once = np.unique(np.concatenate(first), return_index=True)
    before = np.cumsum([0, *(int(order.kinds.max()) + 1 for order in orders)])
    kinds = np.concatenate([order.kinds + skip for order, skip in zip(orders, before, strict=False)])[once]
    columns = []
    for player in (0, 1):
        infosets = np.concatenate([border.infosets[player] for border in borders]).astype(np.int64)
        places = np.concatenate([order.ranks[player] for order in orders])
        heads = [heads[order.homes[player]] for heads, order in zip(first, orders, strict=True)]
        homes = np.searchsorted(histories, np.concatenate(heads))
        chosen = np.unique(homes * _SPAN + infosets, return_index=True)[1]
        columns.append((infosets[chosen], places[chosen], homes[chosen].astype(np.int64)))
    (info0, place0, home0), (info1, place1, home1) = columns
    widths = int(place0.max()) + 1, int(place1.max()) + 1
    swaps = np.concatenate([order.permutations(widths) for order in orders], axis=1)
    swaps = swaps[(swaps != np.arange(sum(widths))).any(axis=(1, 2))]
    names, kept = np.unique(kinds, return_inverse=True)
    return BorderStates(
        histories, kept.astype(np.int64), (info0, info1), (place0, place1), (home0, home1), swaps[:, names]
    )
