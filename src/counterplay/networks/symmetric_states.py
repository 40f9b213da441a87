"""Games below a border that are equal up to the names of their infosets, found by colour refinement.

Every history below the border gets a colour, which is refined by the colours of its parent, its children and both its
infosets until no more colours split (Weisfeiler and Leman 1968). Infosets of the border that still share a colour are
told apart one by one, in every public state at the same time. Public states whose histories then have the same colours
are the same game, and equal colours say which infoset stands for which.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import I64
from counterplay.games.game import CHANCE
from counterplay.subgames.cut import cut_below
from counterplay.subgames.cut_shape import Border

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
    """

    kinds: I64
    ranks: tuple[I64, I64]
    swaps: list[tuple[I64, I64]]


def order_infosets(border: Border) -> StateOrder:
    """Compare the games below the public states of a border."""
    names, state = np.unique(border.public, return_inverse=True)
    homes = _first_of(border.known[0], state), _first_of(border.known[1], state)
    below = _Below(border, state)
    if below.size > _MOST:
        return StateOrder(np.arange(len(names)), (_ranks(homes[0]), _ranks(homes[1])), [])
    colours, ties = _told_apart(below, homes, 0)
    signs, ranks = below.signs(colours, state), _both_ranks(below, homes, colours)
    swaps = []
    for tie in range(1, min(ties, MOST_SWAPS) + 1):
        other, _ = _told_apart(below, homes, tie)
        same = below.signs(other, state) == signs
        swapped = _both_ranks(below, homes, other)
        first, second = (np.where(same[homes[i]], swapped[i], ranks[i]) for i in (0, 1))
        swaps.append((first, second))
    return StateOrder(np.unique(signs, return_inverse=True)[1].astype(np.int64), ranks, swaps)


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
        share = border.chance / np.bincount(state, border.chance)[state]
        self._first = self._begin(table, inside, share)

    def _begin(self, table: Any, inside: I64, share: Any) -> Colours:
        """Colours from what a history is by itself: who acts, chips, its action, chance's share."""
        up = table.parent[inside]
        by_chance = table.player[up] == CHANCE
        odds = np.where(by_chance, table.reach[inside] / table.reach[up], 1.0)
        odds[self.top] = share
        action = np.where(by_chance, -1, table.action[inside]).astype(np.int64)
        action[self.top] = -2
        out = _mixed(table.player[inside].astype(np.int64).view(np.uint64))
        for number in (np.round(table.utility[inside], 9) + 0.0, np.round(odds, 9) + 0.0):
            out = _mixed(out ^ number.view(np.uint64))
        return _mixed(out ^ (action.view(np.uint64) * _ACTION))

    def summed(self, colours: Colours, where: Any, count: int) -> Colours:
        """(count,) sums of colours by place."""
        out = np.zeros(count, np.uint64)
        np.add.at(out, where, colours)
        return out

    def refined(self, colours: Colours | None = None) -> Colours:
        """Colours that no longer split."""
        now, kinds = (self._first if colours is None else colours), 0
        while (count := len(np.unique(now))) > kinds:
            kinds, now = count, self._once(now)
        return now

    def _once(self, now: Colours) -> Colours:
        up, child = self._parent[self._child], self._child
        out = _mixed(now)
        out[child] = _mixed(out[child] ^ _mixed(now[up] + np.uint64(1)))
        out = _mixed(out + self.summed(_mixed(now[child] + np.uint64(2)), up, self.size))
        for player, (infoset, ended) in enumerate(zip(self._infosets, self._ends, strict=True)):
            sums = self.summed(_mixed(now + np.uint64(3 + player)), infoset, int(infoset.max()) + 1)
            out = _mixed(out ^ np.where(ended, _SPLIT, sums[infoset]))
        return out

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
