"""What two ways to go on are worth to each other on the flop, class of hand by class of hand.

For every entry that is a matrix, classes of player 0 by classes of player 1, summed over hands, flops and the betting there.
A look-ahead that ends before the flop needs no more of what follows (matrix-valued states, ABD paper).

On one flop a showdown is a sum over pairs of hands that share no card. Hands are walked in order of strength, and rows of
numbers by the opponent's class are kept: of what was passed, in all and by card. Equal hands of a class, a *cell*, meet the
same rows, so that a cell adds a few of them, weighed by what its hands bring, to its class.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.poker.cards import Ints
from counterplay.poker.fhp.game import Floats, Game
from counterplay.poker.fhp.kernels import spread_out
from counterplay.poker.fhp.play import Play
from counterplay.poker.threads import threads
from counterplay.treeplex.simd import load, pointer, same_as, store
from counterplay.treeplex.treeplex import LANES

_WIDTH = 16
"""Numbers a row are a multiple of this."""
_FOUR = 4
"""So many rows are added at once."""
_TOGETHER = 32
"""Flops that are added up in the game's dtype, before they are added to the others in float64."""


class Cells(NamedTuple):
    """A flop as the kernel walks it.

    Attributes:
        place: (n,) places of the hands, by strength and then by class.
        cards: (n, 2) their cards, numbered without gaps.
        group: (n,) their classes.
        at: (n, 2) where each card stands among the rows of its cell.
        first: (cells + 1,) the first hand of each cell.
        row: (cells + 1,) the first row of each, a multiple of four.
        rows: the cards of each cell, filled up with the number of a row of zeros.
        equals: (sets + 1,) the first cell of each set of equal hands.
        slots: number of different cards.
    """

    place: Ints
    cards: Ints
    group: Ints
    at: Ints
    first: Ints
    row: Ints
    rows: Ints
    equals: Ints
    slots: int


def pairs(
    game: Game, first: Sequence[Play], second: Sequence[Play], flops: Ints | None = None, weights: Floats | None = None
) -> NDArray[np.float64]:
    """What ways to go on are worth to player 0, in chips summed over hands and flops (see `Game.deals`).

    Args:
        first, second: strategies of players 0 and 1, followed on the flop; what they do before it is not looked at.
        flops, weights: which flops are seen, and how often each counts; all of them unless given.

    Returns:
        (first, second, entries, classes of player 0, classes of player 1).
    """
    numbers = np.arange(game.flops.flops) if flops is None else flops
    times = game.flops.counts.astype(float) if weights is None else weights
    width = -(-game.flops.classes // _WIDTH) * _WIDTH
    shape = len(first), len(second), len(game.entries), game.flops.classes, width
    terminals = _terminals(game)

    def few(start: int) -> NDArray[Any]:
        out = np.zeros(shape, game.dtype)
        plans = [
            np.zeros((len(p), s.sizes[1] * game.run), game.dtype)
            for p, s in zip((first, second), game.sides, strict=True)
        ]
        some = slice(start, start + _TOGETHER)
        for f, weight in zip(numbers[some].tolist(), times[some].tolist(), strict=True):
            _add_flop(game, f, weight, terminals, (first, second), plans, out)
        return out

    with ThreadPoolExecutor(threads()) as pool:
        found = sum(pool.map(few, range(0, len(numbers), _TOGETHER)), start=np.zeros(shape))
    return np.ascontiguousarray(found[..., : game.flops.classes])


def _add_flop(
    game: Game,
    flop: int,
    weight: float,
    terminals: NDArray[np.float64],
    plays: tuple[Sequence[Play], Sequence[Play]],
    plans: list[NDArray[Any]],
    out: NDArray[Any],
) -> None:
    """Add what one flop is worth."""
    cells, group = cells_of(game, flop), game.flops.at[flop]
    ones = np.ones((len(game.entries), game.flops.classes), game.dtype)
    room = np.zeros((cells.slots + 2, out.shape[-1]), game.dtype)
    brought = np.zeros(cells.slots + _FOUR, game.dtype)
    for player in (0, 1):
        for play, plan in zip(plays[player], plans[player], strict=True):
            table, lane = play.on(player, flop)
            spread_out(game.sides[player].flop, ones, table, lane, group, plan, game.run)
    for j, theirs in enumerate(plans[1]):
        _add(cells, terminals, weight, plans[0], theirs, game.run, room, brought, out, j)


def _terminals(game: Game) -> NDArray[np.float64]:
    """(terminals, 6) on the flop: entry, both players' sequences, and what player 0 gets for a win, a loss and a tie."""
    entry = np.arange(game.sides[0].sizes[1])
    for _, before, first, count in game.sides[0].flop:
        entry[first : first + count] = entry[before]
    theirs, ours = game.shown[0][:, :2].astype(np.int64).T
    return np.column_stack([entry[ours], ours, theirs, game.shown[0][:, 2:]])


def cells_of(game: Game, flop: int) -> Cells:
    """How a flop is walked."""
    rank, group = game.flops.rank[flop].astype(np.int64), game.flops.at[flop].astype(np.int64)
    place = np.lexsort((group, rank))
    cards, rank, group = game.flops.layouts[flop].pairs[place].astype(np.int64), rank[place], group[place]
    new = np.diff(rank, prepend=-1) != 0
    first = np.append(np.flatnonzero(new | (np.diff(group, prepend=-1) != 0)), len(place))
    equals = np.append(np.flatnonzero(new[first[:-1]]), len(first) - 1)
    slots = game.flops.layouts[flop].slots
    at, row = np.zeros_like(cards), np.zeros(len(first), np.int64)
    rows = np.full(2 * len(place) + _FOUR * len(first), slots + 1)
    return Cells(place, cards, group, at, first, row, rows[: _number(cards, first, at, row, rows)], equals, slots)


@kernel(nogil=True)
def _number(cards: Any, first: Any, at: Any, row: Any, rows: Any) -> int:
    """Fill in the rows of each cell; how many there are. Row 0 of a cell is that of all cards."""
    size = 0
    slots = cards.max() + 1
    where, seen = np.zeros(slots, np.int64), np.full(slots, -1)
    for c in range(len(first) - 1):
        row[c] = size
        rows[size] = slots
        count = 1
        for h in range(first[c], first[c + 1]):
            for k in range(2):
                card = cards[h, k]
                if seen[card] != c:
                    seen[card], where[card] = c, count
                    rows[size + count] = card
                    count += 1
                at[h, k] = where[card]
        size += (count + _FOUR - 1) // _FOUR * _FOUR
    row[len(first) - 1] = size
    return size


@kernel(nogil=True)
def _add(
    cells: Any,
    terminals: Any,
    weight: float,
    mine: Any,
    theirs: Any,
    run: int,
    room: Any,
    brought: Any,
    out: Any,
    j: int,
) -> None:
    """Add to `out` (K0, K1, entries, classes, width) what plans of player 0 are worth against the j-th of player 1.

    Args:
        cells: of the flop.
        terminals: from `_terminals`.
        weight: how often the flop counts.
        mine, theirs: (K0, size) and (size,) plans of players 0 and 1, a row of places for each sequence, `run` apart.
        room: (cards + 2, width) rows by card, of all cards, and of zeros.
        brought: room for the weights of the rows of a cell.
    """
    for t in range(len(terminals)):
        entry, win, lose, tie = int(terminals[t, 0]), terminals[t, 3], terminals[t, 4], terminals[t, 5]
        own, other = int(terminals[t, 1]) * run, int(terminals[t, 2]) * run
        room[: cells.slots + 1] = 0
        for h in range(len(cells.place)):
            _pass(cells, h, weight * lose * theirs[other + cells.place[h]], room)
        for e in range(len(cells.equals) - 1):
            begin, end = cells.equals[e], cells.equals[e + 1]
            if lose != tie:
                for h in range(cells.first[begin], cells.first[end]):
                    _pass(cells, h, weight * (tie - lose) * theirs[other + cells.place[h]], room)
            for c in range(begin, end):
                for i in range(len(mine)):
                    _add_cell(cells, c, mine, i, own, room, brought, out, j, entry)
            if win != tie:
                for h in range(cells.first[begin], cells.first[end]):
                    _pass(cells, h, weight * (win - tie) * theirs[other + cells.place[h]], room)
        if tie != 0:  # a hand shares both its cards with itself, and was taken off twice
            for h in range(len(cells.place)):
                k, place = cells.group[h], cells.place[h]
                for i in range(len(mine)):
                    out[i, j, entry, k, k] += weight * tie * mine[i, own + place] * theirs[other + place]


@kernel(inline=True, inner=True)
def _pass(cells: Any, h: int, amount: float, room: Any) -> None:
    """Let a hand of the opponent count so much from here on."""
    k = cells.group[h]
    room[cells.slots, k] += amount
    room[cells.cards[h, 0], k] += amount
    room[cells.cards[h, 1], k] += amount


@kernel(inline=True, inner=True)
def _add_cell(
    cells: Any, c: int, mine: Any, i: int, own: int, room: Any, brought: Any, out: Any, j: int, entry: int
) -> None:
    """Add what a cell gets to its class: rows of all cards less those of the hands' own ones. Nothing is sliced: views are
    counted, and that takes longer than the sums."""
    begin, size = cells.row[c], cells.row[c + 1] - cells.row[c]
    for k in range(size):
        brought[k] = 0
    for h in range(cells.first[c], cells.first[c + 1]):
        amount = mine[i, own + cells.place[h]]
        brought[0] += amount
        brought[cells.at[h, 0]] -= amount
        brought[cells.at[h, 1]] -= amount
    width, source, target = room.shape[1], pointer(room), pointer(out)
    into = (((i * out.shape[1] + j) * out.shape[2] + entry) * out.shape[3] + cells.group[cells.first[c]]) * width
    for k in range(0, size, _FOUR):
        at = begin + k
        one, two = cells.rows[at] * width, cells.rows[at + 1] * width
        three, four = cells.rows[at + 2] * width, cells.rows[at + 3] * width
        a, b = same_as(source, brought[k]), same_as(source, brought[k + 1])
        c0, d = same_as(source, brought[k + 2]), same_as(source, brought[k + 3])
        for x in range(0, width, LANES):
            first = a * load(source, one + x) + b * load(source, two + x)
            second = c0 * load(source, three + x) + d * load(source, four + x)
            store(target, into + x, load(target, into + x) + (first + second))
