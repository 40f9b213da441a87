"""Values of pairs of continuations from the flop on, class of hand by class of hand.

For every entry that is a matrix, classes of player 0 by classes of player 1, summed over hands, flops and the betting there.
A look-ahead that ends before the flop needs no more of what follows (matrix-valued states, Milec et al. 2025).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.card_abstraction.showdown_features import tie_starts
from counterplay.jit import kernel
from counterplay.jit.threads import threads
from counterplay.leaves.matrix import Matrix
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.poker.whole_game.values.board_walk import spread_out
from counterplay.problem.subgame import Subgame
from counterplay.subgames.cut_game import ContinuationChoices
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.simd import load, pointer, same_as, store
from counterplay.treeplex.treeplex import LANES, Treeplex, append_group, empty

_FOUR = 4
"""So many rows are added at once."""


class Cells(NamedTuple):
    """A flop in the layout of the kernel.

    Attributes:
        place: (n,) places of the hands, by strength and then by class.
        cards: (n, 2) cards of the hands, numbered without gaps.
        group: (n,) classes of the hands.
        at: (n, 2) the row of each card among those of its cell.
        first: (cells + 1,) the first hand of each cell.
        row: (cells + 1,) the first row of each, a multiple of four.
        rows: the cards of each cell, filled up with the index of a row of zeros.
        equals: (sets + 1,) the first cell of each set of tied hands.
        slots: number of different cards.
    """

    place: I64
    cards: I64
    group: I64
    at: I64
    first: I64
    row: I64
    rows: I64
    equals: I64
    slots: int


def cells_of(game: HoldemGame, flop: int) -> Cells:
    """The cells of a flop."""
    board = game.flops[flop]
    layout, group = board.layout, board.up.astype(np.int64)
    assert layout is not None
    starts = np.empty(len(group) + 1, np.int32)
    tied = np.diff(starts[: tie_starts(layout.steps, len(group), starts) + 1])
    rank = np.repeat(np.arange(len(tied)), tied)
    place = np.lexsort((group, rank))
    cards, rank, group = layout.pairs[place].astype(np.int64), rank[place], group[place]
    new = np.diff(rank, prepend=-1) != 0
    first = np.append(np.flatnonzero(new | (np.diff(group, prepend=-1) != 0)), len(place))
    equals = np.append(np.flatnonzero(new[first[:-1]]), len(first) - 1)
    slots = layout.slots
    at, row = np.zeros_like(cards), np.zeros(len(first), np.int64)
    rows = np.full(2 * len(place) + _FOUR * len(first), slots + 1)
    held = int(cards.max()) + 1
    size = _number(cards, first, at, row, rows, np.zeros(held, np.int64), np.full(held, -1))
    return Cells(place, cards, group, at, first, row, rows[:size], equals, slots)


@kernel(nogil=True)
def _number(cards: Any, first: Any, at: Any, row: Any, rows: Any, where: Any, seen: Any) -> int:
    """Fill in the rows of each cell; returns their number. Row 0 of a cell is that of all cards. where, seen: room for
    each card, -1 in `seen`."""
    size, slots = 0, len(seen)
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
                at[h, k] = size + where[card]
        size += (count + _FOUR - 1) // _FOUR * _FOUR
    row[len(first) - 1] = size
    return size


@kernel(nogil=True)
def bring(cells: Any, terminals: Any, mine: Any, run: int, out: Any) -> None:
    """Set `out` (K0, terminals, rows), which is 0, to the weights of player 0's hands in the rows of their cells:
    positive for the row of all cards, negative for those of their own cards. mine: (K0, size) plans, rows `run`
    apart."""
    for i in range(len(mine)):
        for t in range(len(terminals)):
            own = int(terminals[t, 1]) * run
            for c in range(len(cells.first) - 1):
                for h in range(cells.first[c], cells.first[c + 1]):
                    amount = mine[i, own + cells.place[h]]
                    out[i, t, cells.row[c]] += amount
                    out[i, t, cells.at[h, 0]] -= amount
                    out[i, t, cells.at[h, 1]] -= amount


@kernel(nogil=True)
def add(
    cells: Any, terminals: Any, weight: float, brought: Any, theirs: Any, run: int, room: Any, out: Any, j: int
) -> None:
    """Add to `out` (K0, K1, entries, classes, width) the values of player 0's plans, as of `bring`, against the j-th
    plan (size,) of player 1. room: (cards + 2, width) rows by card, for all cards, and of zeros."""
    for t in range(len(terminals)):
        entry, win, lose, tie = int(terminals[t, 0]), terminals[t, 3], terminals[t, 4], terminals[t, 5]
        other = int(terminals[t, 2]) * run
        # `room` sums payoffs over opposing hands: `lose` for all at first; the current set ties, those before it win.
        room[: cells.slots + 1] = 0
        for h in range(len(cells.place)):
            _pass(cells, h, weight * lose * theirs[other + cells.place[h]], room)
        for e in range(len(cells.equals) - 1):
            begin, end = cells.equals[e], cells.equals[e + 1]
            if lose != tie:
                for h in range(cells.first[begin], cells.first[end]):
                    _pass(cells, h, weight * (tie - lose) * theirs[other + cells.place[h]], room)
            for c in range(begin, end):
                for i in range(len(brought)):
                    _add_cell(cells, c, brought, i, t, room, out, j, entry)
            if win != tie:
                for h in range(cells.first[begin], cells.first[end]):
                    _pass(cells, h, weight * (win - tie) * theirs[other + cells.place[h]], room)


@kernel(nogil=True)
def add_back(cells: Any, terminals: Any, weight: float, mine: Any, theirs: Any, run: int, out: Any, j: int) -> None:
    """Correct `out`: a hand shares both cards with itself, so that `add` subtracted it twice."""
    for t in range(len(terminals)):
        entry, tie = int(terminals[t, 0]), terminals[t, 5]
        own, other = int(terminals[t, 1]) * run, int(terminals[t, 2]) * run
        if tie != 0:
            for h in range(len(cells.place)):
                k, amount = cells.group[h], weight * tie * theirs[other + cells.place[h]]
                for i in range(len(mine)):
                    out[i, j, entry, k, k] += amount * mine[i, own + cells.place[h]]


@kernel(inline=True, inner=True)
def _pass(cells: Any, h: int, amount: float, room: Any) -> None:
    k = cells.group[h]
    room[cells.slots, k] += amount
    room[cells.cards[h, 0], k] += amount
    room[cells.cards[h, 1], k] += amount


@kernel(inline=True, inner=True)
def _add_cell(cells: Any, c: int, brought: Any, i: int, t: int, room: Any, out: Any, j: int, entry: int) -> None:
    """Add a cell's payoff to its class. Nothing is sliced: views are reference-counted."""
    width, source, target = room.shape[1], pointer(room), pointer(out)
    # The row (i, j, entry, class of the cell) of `out`, flat; `room` has a row of `width` classes for each card.
    into = (((i * out.shape[1] + j) * out.shape[2] + entry) * out.shape[3] + cells.group[cells.first[c]]) * width
    for k in range(cells.row[c], cells.row[c + 1], _FOUR):
        # Four rows of `room` at once, times the four weights that `bring` has given them.
        one, two = cells.rows[k] * width, cells.rows[k + 1] * width
        three, four = cells.rows[k + 2] * width, cells.rows[k + 3] * width
        a, b = same_as(source, brought[i, t, k]), same_as(source, brought[i, t, k + 1])
        c0, d = same_as(source, brought[i, t, k + 2]), same_as(source, brought[i, t, k + 3])
        for x in range(0, width, LANES):
            first = a * load(source, one + x) + b * load(source, two + x)
            second = c0 * load(source, three + x) + d * load(source, four + x)
            store(target, into + x, load(target, into + x) + (first + second))


_WIDTH = 16
"""Numbers a row are a multiple of this."""
_ENTRY = 116
"""Bytes of a number: the sum, and an entry of a sparse payoff with what making it takes."""
_TOGETHER = 32
"""Flops that are added up in the game's dtype, before they are added to the others in float64."""


def continuation_values(
    game: HoldemGame,
    first: Sequence[BlueprintStrategy],
    second: Sequence[BlueprintStrategy],
    flops: I64 | None = None,
    weights: F64 | None = None,
) -> F64:
    """(first, second, entries, classes of player 0, classes of player 1) values of continuations on the flop, where the
    game ends, to player 0, in chips summed over hands and flops (see `HoldemGame.deals`). flops, weights: which are
    seen, and how often each counts; all of them unless given."""
    numbers = np.arange(len(game.flops)) if flops is None else flops
    times = game.boards.choices(game.boards.root)[1].astype(float) if weights is None else weights
    width = -(-game.boards.classes // _WIDTH) * _WIDTH
    shape = len(first), len(second), len(game.entries), game.boards.classes, width
    terminals, plays, run = terminals_of(game), (first, second), game.run_on(1)

    def few(start: int) -> AnyArray:
        out = np.zeros(shape, game.dtype)
        plans = [np.zeros((len(plays[i]), game.sides[i].sizes[1] * run), game.dtype) for i in (0, 1)]
        some = slice(start, start + _TOGETHER)
        ones = np.ones((len(game.entries), game.boards.classes), game.dtype)
        for flop, weight in zip(numbers[some].tolist(), times[some].tolist(), strict=True):
            cells, board = cells_of(game, flop), game.flops[flop]
            room = np.zeros((cells.slots + 2, width), game.dtype)
            for player in (0, 1):
                for play, plan in zip(plays[player], plans[player], strict=True):
                    table, lane = play.on(player, board)
                    spread_out(game.sides[player].decisions[1], ones, table, lane, board.up, plan, run)
            brought = np.zeros((len(first), len(terminals), len(cells.rows)), game.dtype)
            bring(cells, terminals, plans[0], run, brought)
            for j, theirs in enumerate(plans[1]):
                add(cells, terminals, weight, brought, theirs, run, room, out, j)
                add_back(cells, terminals, weight, plans[0], theirs, run, out, j)
        return out

    pool = ThreadPoolExecutor(threads())
    try:
        found = sum(pool.map(few, range(0, len(numbers), _TOGETHER)), start=np.zeros(shape))
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C waits for what is under way only
    return np.ascontiguousarray(found[..., : game.boards.classes])


def memory_of(game: HoldemGame, first: int, second: int) -> float:
    """Bytes that so many ways to go on of both players take at the peak."""
    numbers = float(first * second * len(game.entries) * game.boards.classes**2)
    return numbers * (_ENTRY + (threads() + 1) * game.dtype.itemsize)


def terminals_of(game: HoldemGame) -> F64:
    """(terminals, 6) on the flop: entry, both players' sequences, and what player 0 gets for a win, a loss and a
    tie."""
    entry = np.arange(game.sides[0].sizes[1])
    for _, before, first, count in game.sides[0].decisions[1]:
        entry[first : first + count] = entry[before]
    theirs, ours = game.payoffs[0][0][:, :2].astype(np.int64).T
    return np.column_stack([entry[ours], ours, theirs, game.payoffs[0][0][:, 2:]])


@dataclass(frozen=True, eq=False)
class Places:
    """Positions of one player's choices in a plan: (sequences, classes) sequences before the flop, and the ways to go
    on, and the model's, of each class at each entry, in that order."""

    tree: Treeplex
    before: I64
    choices: ContinuationChoices


@dataclass(frozen=True, eq=False)
class PreflopProblem:
    """The street before the flop of a game as a problem, in which no player follows the model."""

    game: HoldemGame
    places: tuple[Places, Places]
    subgame: Subgame

    def following(self, player: int, play: BlueprintStrategy, p: float) -> Subgame:
        """The problem with a player who is a model with probability p, and free otherwise."""
        tree, given = self.places[player].tree, self.subgame.restrictions[player]
        everywhere = np.ones(tree.lanes, np.bool_)
        bound = Restriction.until(tree, self.model(player, play), p, everywhere, given)
        return self.subgame.restricted(player, bound)

    def model(self, player: int, play: BlueprintStrategy) -> F64:
        """(size,) what a model does in the problem, its own way to go on included."""
        places = self.places[player]
        out = np.zeros(places.tree.size)
        for at, row in reversed(list(zip(places.before, play.preflop[player], strict=True))):
            out[at] = row  # where there is one action it stands where the one before does, which is written later
        out[0] = 1.0
        places.choices.follow_model(out, entry_reach(self.game, player, play).ravel())
        return out

    def preflop(self, player: int, behaviour: F64) -> F64:
        """(sequences, classes) a behaviour of the problem before the flop."""
        out: F64 = behaviour[self.places[player].before]
        for _, _, first, count in self.game.sides[player].preflop:
            if count == 1:
                out[first] = 1.0
        return out

    def shares(self, player: int, behaviour: F64) -> F64:
        """(entries, K, classes) with which probability each way to go on is taken."""
        own = _by_entry(self.places[player], self.places[player].choices.own)
        if own.shape[2] == 1:
            return np.ones((own.shape[0], 1, own.shape[1]))
        return np.ascontiguousarray(behaviour[own].transpose(0, 2, 1))


def preflop_problem(game: HoldemGame, worth: F64, modelled: int | None = None) -> PreflopProblem:
    """The problem before the flop, by (K0, K1, entries, classes, classes) from `continuation_values`. modelled: the
    player whose last way to go on is the model's alone."""
    ways = [worth.shape[player] - (modelled == player) for player in (0, 1)]
    if modelled is not None and ways[modelled] == 1:  # the model does not take it, so that it must be a decision
        worth, ways[modelled] = np.repeat(worth, [2, 1], axis=modelled), 2
    places = tuple(_places(game, player, ways[player], modelled == player) for player in (0, 1))
    both = places[0], places[1]
    rows, columns, values = zip(*_terminals(game, both, worth), strict=True)
    size = both[0].tree.size, both[1].tree.size
    row, column = (np.concatenate(part).astype(np.int32) for part in (rows, columns))
    groups = both[0].tree.arrays.groups, both[1].tree.arrays.groups
    payoff = Matrix.from_entries(row, column, np.concatenate(values) / game.deals, size, groups)
    first, second = (one.choices.closed(one.tree, Restriction()) for one in both)
    return PreflopProblem(game, both, Subgame((both[0].tree, both[1].tree), payoff, (first, second)))


def _places(game: HoldemGame, player: int, ways: int, modelled: bool) -> Places:
    side, classes = game.sides[player], game.boards.classes
    tree, at = empty(player), np.zeros((side.sizes[0], classes), np.int64)
    for _, above, first, count in side.preflop.tolist():
        tree, made = append_group(tree, at[above], count)
        at[first : first + count] = made.T
    tree, choices = ContinuationChoices.after(tree, at[side.entry].ravel(), ways, modelled=modelled)
    return Places(tree, at, choices)


def _terminals(game: HoldemGame, places: tuple[Places, Places], worth: F64) -> Iterator[tuple[I64, I64, F64]]:
    """Rows, columns and payoffs of each fold, and of each pair of ways to go on, by classes."""
    one, two = places

    def block(rows: I64, columns: I64, values: F64) -> tuple[I64, I64, F64]:
        return np.repeat(rows, len(columns)), np.tile(columns, len(rows)), values.ravel()

    meets = game.boards.meets * game.deals_after(0)
    for first, second, paid, _ in game.folded:
        yield block(one.before[int(first)], two.before[int(second)], paid * meets)
    for i, j in np.ndindex(worth.shape[:2]):
        for e in range(worth.shape[2]):
            yield block(_way(one, e, i), _way(two, e, j), worth[i, j, e])


def _way(places: Places, entry: int, number: int) -> I64:
    """(classes,) where a way to go on stands; after the own ones comes the model's."""
    own = _by_entry(places, places.choices.own)
    if number < own.shape[2]:
        return own[entry, :, number]
    return _by_entry(places, places.choices.apart)[entry, :, 0]


def _by_entry(places: Places, sequences: I64) -> I64:
    classes = places.before.shape[1]
    return sequences.reshape(-1, classes, sequences.shape[1])
