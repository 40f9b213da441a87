"""Solves on the compact engine: until exploitability, iterations or seconds are reached, or Ctrl-C; and a first
strategy from few boards: the spot is solved with a few next cards, and what is learnt there is carried to all other boards,
hand by hand to those of like strength.

A few per cent of the boards cost as much less, so that a usable strategy is known after the time of two iterations. Its
regrets are kept at a small weight: iterations then begin from it, and forget it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import partial
from math import inf, sqrt
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from counterplay.arrays import F32, F64, I32, I64
from counterplay.jit import kernel
from counterplay.jit.clock import run_time
from counterplay.jit.threads import share_out
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import BestAverages, CompactRun
from counterplay.poker.compact.kernels.sweep_records import Memory
from counterplay.poker.compact.layout.compact_layout import CHILD, CHILD_END, CompactLayout
from counterplay.poker.public_tree.boards import Cards, tables_of
from counterplay.poker.public_tree.public_tree import boards_of
from counterplay.poker.public_tree.size_estimate import DOUBLE, SINGLE
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.iterates import Looks, Pace
from counterplay.solvers.minimiser import Minimiser

CARDS, ITERATIONS = (4, 10), 40
"""The most next cards after each board, with one and with two to come, and iterations on them."""
LARGE = 4_000_000
"""Numbers of both players from which a first strategy is worth it."""
REGRETS, WEIGHT, COUNTED = ((1.5, 1.5), (0.6, 1.0)), 0.2, 4
"""What is kept of the regrets, with one and with two cards to come, of the first street and of later ones; of the averages;
and the iterations as which they count. Measured on turns and flops."""


def is_worth_it(layout: CompactLayout) -> bool:
    """Return whether a tree is large, and has cards to come that are dealt one by one."""
    return layout.depth > 1 and not layout.bundled and sum(layout.stored) >= LARGE


def start_coarsely(run: CompactRun) -> None:
    """Begin a run, before its first iteration, with what is learnt on few boards; it then counts as COUNTED iterations.
    Locks bind there as well, and what a model plays stands."""
    layout, whole = run.layout, run.sweeps
    likeness, more = BoardLikeness(layout), int(layout.depth > 2)  # more than one card to come
    dealt, coarse = few_boards(likeness, CARDS[more])
    run.sweeps = whole.dealing(coarse)
    try:
        run.advance(ITERATIONS)
    finally:
        run.sweeps, run.done = whole, COUNTED
    found = [likeness.matched(number, dealt[number].chosen) for number in range(1, layout.depth)]
    learnt = [(player, way.memory) for player in (0, 1) for way in run.sides[player] if not way.memory.fixed]
    # A small weight of what is stored on the boards that were dealt. Regrets there are as large as of all boards for which
    # they stood.
    for player, memory in learnt:
        packed, kept = len(memory.total_scale) > 0, REGRETS[more]
        for k, segment in enumerate(layout.whole):
            few, decisions, share = dealt[segment.layer], segment.own(player), kept[min(segment.layer, 1)]
            begins, widths = layout.rows_of(player, k, few.chosen)
            sizes = (segment.rows[player] - 1) * widths
            for board, begin, size, times in zip(few.chosen, begins, sizes, few.stands_for, strict=True):
                if packed and decisions:
                    block = layout.blocks(decisions[0], board) - decisions[0].rank
                    memory.regret_scale[block : block + len(decisions)] *= share / times
                elif not packed:
                    memory.regret[begin : begin + size] *= share / times
                    memory.total[begin : begin + size] *= WEIGHT
        memory.total_scale[:] *= WEIGHT
    largest = sorted(
        (-segment.rows[player] * int(layout.own[player].layers[segment.layer].padded[-1]), k, number)
        for k, segment in enumerate(layout.whole) if segment.layer
        for number, (player, _) in enumerate(learnt)
    )  # fmt: skip
    share_out([
        partial(_spread, layout, learnt[number][0], k, learnt[number][1], found[layout.whole[k].layer - 1])
        for _, k, number in largest
    ])  # fmt: skip


def _spread(layout: CompactLayout, player: int, k: int, memory: Memory, found: BoardMap) -> None:
    """Write what stands on the sources to all boards of the k-th segment's layer."""
    segment = layout.whole[k]
    lanes, count = layout.own[player].layers[segment.layer], len(found.source)
    start, rows, decisions = int(layout.starts(player)[k]), segment.rows[player] - 1, segment.own(player)
    for numbers in (memory.regret, memory.total):
        copy_rows(numbers, (start, rows), lanes.padded, lanes.first, found.source, found.lanes[player])
    if len(memory.total_scale) and decisions:
        begin = layout.blocks(decisions[0], 0) - decisions[0].rank
        for scales in (memory.regret_scale, memory.total_scale):
            blocks = scales[begin : begin + len(decisions) * count].reshape(count, -1)
            blocks[:] = blocks[found.source]


_NEAR = 0.08
"""Difference of strength up to which a hand plays as the same hand on the other board, not as the nearest one there."""
_MOVES = 10
"""The most times that boards of a cluster are chosen anew."""


class FewBoards(NamedTuple):
    """The boards of a layer that are dealt. chosen: (n,) their numbers. stands_for: (n,) how many each stands for."""

    chosen: I64
    stands_for: F64


class BoardMap(NamedTuple):
    """Where a layer's boards get their numbers. source: (boards,) another board, or itself. lanes: by player (own lanes of
    the layer,) int32 the lane there."""

    source: I64
    lanes: tuple[I32, I32]


class BoardLikeness:
    """Likeness of boards. strengths: by player and layer (own lanes,) the part of the player's range that a hand beats,
    see `hand_strengths`."""

    def __init__(self, layout: CompactLayout) -> None:
        self.layout, self.strengths = layout, list[list[F64]]([[], []])
        self._hands, self._tables = list[list[I64]]([[], []]), list[list[F32]]([[], []])
        share_out([partial(self._know, player) for player in (0, 1)])

    def _know(self, player: int) -> None:
        boards, own = self.layout.boards, self.layout.own[player]
        self.strengths[player] = hand_strengths(self.layout, player)
        self._hands[player], self._tables[player] = [np.zeros(0, np.int64)], [np.zeros((1, 0), np.float32)]
        for number in range(1, self.layout.depth):
            # A hand of each own lane, and (boards, hands) the strengths around their middle, of length 1 on each board.
            lanes = own.layers[number]
            hands = boards.layers[number].hand[boards.kept(number)[lanes.kept]]
            table = np.zeros((len(lanes.first) - 1, len(boards.cards.hands)), np.float32)
            fill_rows(lanes.first, hands, self.strengths[player][number], table)
            self._hands[player].append(hands)
            self._tables[player].append(table)

    def between(self, number: int, boards: I64, others: I64) -> F64:
        """(n, k) likeness of (n,) boards of a layer to (k,) others there, at most 2: to a digit that does not depend on the
        order of sums."""
        products = np.zeros((2, len(boards), len(others)), np.float32)

        def fill_product(player: int) -> None:
            table = self._tables[player][number]
            add_product(table[boards], np.ascontiguousarray(table[others].T), products[player])

        share_out([partial(fill_product, player) for player in (0, 1)])
        return np.asarray(np.round(products[0].astype(np.float64) + products[1], 4), np.float64)

    def chosen(self, number: int, boards: I64, weight: F64, most: int) -> tuple[I64, F64]:
        """At most `most` boards of a layer to which (n,) boards of (n,) weight are as alike as can be, and the weight
        of those nearest to each."""
        alike = self.between(number, boards, boards)
        best, few = np.full(len(boards), -np.inf), list[int]()
        for _ in range(min(most, len(boards))):
            likeness = weight @ np.maximum(alike, best[:, None])
            likeness[few] = -np.inf
            few.append(int(np.argmax(likeness)))
            best = np.maximum(best, alike[:, few[-1]])
        for _ in range(_MOVES):
            nearest = _nearest(alike, few)
            clusters = [np.flatnonzero(nearest == k) for k in range(len(few))]
            moved = [int(x[np.argmax(weight[x] @ alike[np.ix_(x, x)])]) for x in clusters]
            if moved == few:
                break
            few = moved
        few = sorted(few)
        counts = np.bincount(_nearest(alike, few), weight, minlength=len(few))
        return boards[few], np.asarray(counts, np.float64)

    def matched(self, number: int, few: I64) -> BoardMap:
        """For each board of a layer the one of (n,) others to which it is most alike, and for each lane one there."""
        every = np.arange(len(self.layout.own[0].layers[number].first) - 1)
        source = few[np.argmax(self.between(number, every, few), axis=1)]
        source[few] = few
        first, second = (np.zeros(len(self._hands[player][number]), np.int32) for player in (0, 1))
        share_out([partial(self._match, 0, number, source, first), partial(self._match, 1, number, source, second)])
        return BoardMap(source, (first, second))

    def _match(self, player: int, number: int, source: I64, out: I32) -> None:
        """For each lane one on the source of its board."""
        first, hand = self.layout.own[player].layers[number].first, self._hands[player][number]
        strength, order = self.strengths[player][number], np.zeros(len(hand), np.int32)
        for board in np.unique(source).tolist():
            inside = slice(first[board], first[board + 1])
            order[inside] = np.argsort(strength[inside], kind="stable")
        same = np.full(len(self.layout.boards.cards.hands), -1, np.int32)
        find_like(first, hand, strength, order, source, _NEAR, same, out)


def _nearest(alike: F64, few: list[int]) -> I64:
    """(n,) the number among some boards of the one to which each is most alike; of each of them itself."""
    found: I64 = np.argmax(alike[:, few], axis=1)
    found[few] = np.arange(len(few))
    return found


def few_boards(likeness: BoardLikeness, most: int) -> tuple[list[FewBoards], CompactLayout]:
    """By layer the boards that are dealt, at most so many after each board, and the same layout in which no others are: they
    stand for them."""
    layout = likeness.layout
    streets, first = layout.streets, layout.tables.first
    boards, shares = [streets.boards], [streets.shares]
    dealt = [FewBoards(np.zeros(1, np.int64), np.ones(1))]
    end, rows, weight = len(streets.boards), streets.boards[:1].copy(), np.ones(1)
    top = rows
    for number in range(1, layout.depth):
        some, places, weights = list[I64](), end, list[F64]()
        for row, times in zip(rows, weight, strict=True):
            every = np.arange(row[CHILD], row[CHILD_END]) - int(first[number])
            few, counts = likeness.chosen(number, every, streets.shares[every + int(first[number]), 0], most)
            more = counts / streets.shares[few + int(first[number]), 0]
            row[CHILD], row[CHILD_END] = places, places + len(few)
            places += len(few)
            some.append(few)
            weights.append(np.stack([more, times * more], axis=1))
        if number > 1:
            boards.append(rows)
        chosen, both = np.concatenate(some), np.concatenate(weights)
        rows, weight, end = streets.boards[chosen + int(first[number])].copy(), both[:, 1], places
        shares.append(streets.shares[chosen + int(first[number])] * both)
        dealt.append(FewBoards(chosen, weight))
    boards.append(rows)
    found = copy(layout)
    boards[0] = np.concatenate([top, streets.boards[1:]])
    found.streets = streets._replace(boards=np.concatenate(boards), shares=np.concatenate(shares))
    return dealt, found


def hand_strengths(layout: CompactLayout, player: int) -> list[F64]:
    """By layer (own lanes,) the part of the player's range that a hand beats, half of it where hands tie; before the last
    layer its mean over the boards to come."""
    boards, own, depth = layout.boards, layout.own[player], layout.depth
    last, lanes = boards.layers[-1], own.layers[-1]
    places = boards.kept(depth - 1)[lanes.kept]
    found = np.zeros(len(places))
    fill_strengths(lanes.first, last.rank[places], boards.cards.weights[player][last.hand[places]], found)
    listed = [found]
    for number in range(depth - 2, 0, -1):
        above = own.layers[number]
        up = above.number[boards.above(depth - 1, number)[places]]
        count = np.bincount(up, minlength=len(above.kept))
        listed.insert(0, np.bincount(up, listed[-1], len(above.kept)) / np.maximum(count, 1))
    return [np.zeros(0), *listed]


@kernel(nogil=True)
def fill_strengths(first: Any, rank: Any, weight: Any, out: Any) -> None:
    """The part of a board's weight that each lane beats, half of it where they tie.

    Args:
        first: (boards + 1,) lanes before each board.
        rank: (lanes,) ascending on each board.
        weight: (lanes,) positive.
        out: (lanes,) is filled.
    """
    for b in range(len(first) - 1):
        end, every, below, i = first[b + 1], 0.0, 0.0, first[b]
        for k in range(i, end):
            every += weight[k]
        while i < end:
            after, tied = i, 0.0
            while after < end and rank[after] == rank[i]:
                tied += weight[after]
                after += 1
            for k in range(i, after):
                out[k] = (below + 0.5 * tied) / every
            below += tied
            i = after


@kernel(nogil=True)
def fill_rows(first: Any, hand: Any, strength: Any, out: Any) -> None:
    """Fill (boards, hands) with strengths around their middle, of length 1 on each board. hand, strength: (lanes,)."""
    for b in range(len(first) - 1):
        square = 0.0
        for i in range(first[b], first[b + 1]):
            square += (strength[i] - 0.5) ** 2
        scale = 1.0 / (sqrt(square) + 1e-9)
        for i in range(first[b], first[b + 1]):
            out[b, hand[i]] = scale * (strength[i] - 0.5)


@kernel(nogil=True, loops=True)
def add_product(first: Any, second: Any, out: Any) -> None:
    """Add the product of (n, hands) and (hands, k) to (n, k). One thread does it in one order, unlike libraries of linear
    algebra, whose own threads go on to wait for more on the cores that sweeps are about to need."""
    for i in range(first.shape[0]):
        for h in range(first.shape[1]):
            number = first[i, h]
            if number != 0.0:
                for j in range(second.shape[1]):
                    out[i, j] += number * second[h, j]


@kernel(nogil=True)
def find_like(first: Any, hand: Any, strength: Any, order: Any, source: Any, near: float, same: Any, out: Any) -> None:
    """For each lane one on the source of its board: that of the same hand, or where strengths differ by more than `near` the
    one nearest in strength.

    Args:
        first: (boards + 1,) lanes before each board.
        hand, strength: (lanes,).
        order: (lanes,) the lanes of each board in ascending order of strength, from 0.
        source: (boards,) the board on which the lane is.
        near: a difference of strengths.
        same: (hands,) -1; room.
        out: (lanes,) is filled, from 0 on each board.
    """
    for b in range(len(source)):
        begin, count = first[source[b]], first[source[b] + 1] - first[source[b]]
        for k in range(count):
            same[hand[begin + k]] = k
        for i in range(first[b], first[b + 1]):
            itself, wanted = same[hand[i]], strength[i]
            if itself >= 0 and (source[b] == b or abs(strength[begin + itself] - wanted) < near):
                out[i] = itself
                continue
            low, high = 0, count
            while low < high:
                middle = (low + high) // 2
                if strength[begin + order[begin + middle]] < wanted:
                    low = middle + 1
                else:
                    high = middle
            right = order[begin + min(low, count - 1)]
            left = order[begin + max(min(low, count - 1) - 1, 0)]
            nearer = abs(strength[begin + left] - wanted) < abs(strength[begin + right] - wanted)
            out[i] = left if nearer else right
        for k in range(count):
            same[hand[begin + k]] = -1


@kernel(nogil=True)
def copy_rows(numbers: Any, where: tuple[int, int], padded: Any, first: Any, source: Any, lanes: Any) -> None:
    """Copy a segment's rows to each board from its source, lane by lane.

    Args:
        numbers: a player's, of the whole tree.
        where: where the segment's begin, and its rows.
        padded, first: (boards + 1,) see `compact_layout.LayerLanes`.
        source: (boards,) the source of each board.
        lanes: (own lanes,) the lane there.
    """
    start, rows = where
    for b in range(len(source)):
        s = source[b]
        if s != b:
            wide, there = padded[b + 1] - padded[b], padded[s + 1] - padded[s]
            for row in range(rows):
                target, origin = start + rows * padded[b] + row * wide, start + rows * padded[s] + row * there
                for i in range(first[b + 1] - first[b]):
                    numbers[target + i] = numbers[origin + lanes[first[b] + i]]


EARLY = COUNTED
"""Iterations before the first look: about a twentieth of those to half a per cent of the pot. In a large spot they are those
as which the first strategy from few boards counts."""
_EARLY_FROM = 10_000_000
"""Numbers of both players from which a solve takes seconds, so that its first strategies are worth a look; the same on all
machines."""
_LONG = 1.0
"""Seconds from which a solve is long enough for its first strategies to be told."""
_SURE = 250
"""Iterations within which nothing is called a stall."""


NO_PLANS = np.zeros(0), np.zeros(0)
"""Stands in a `Solution` whose strategies are averages of a run."""


@runtime_checkable
class EarlyWatch(Protocol):
    """A `Progress` that is also told, in a long solve, what its strategies are so far."""

    def __call__(self, iterations: int, exploitability: float) -> None: ...

    def so_far(self, shares: Mapping[str, float], exploitability: float) -> None:
        """Called with the share of each action at the first decision, and the exploitability in chips."""


def solve_compact(
    betting: BettingTree,
    cards: Cards,
    method: Minimiser,
    stop: Stop,
    progress: Progress | None = None,
    *,
    precision: str = SINGLE,
) -> tuple[CompactRun, Solution]:
    """Solve with both players free within their ranges, by a minimiser that `compact_run.has_compact_form`; isomorphic
    suits are dealt once. Precision as of `CompactRun`, progress as of `solve_cfr`."""
    begin = run_time()
    layout = CompactLayout(betting, tables_of(boards_of(betting, cards, alike=True)))
    early = progress if isinstance(progress, EarlyWatch) else None
    run = CompactRun(layout, method, precision)
    return run, solve_run(run, stop, progress, begin, early=early)


def solve_run(
    run: CompactRun,
    stop: Stop,
    progress: Progress | None = None,
    begin: float | None = None,
    *,
    kept: BestAverages | None = None,
    early: EarlyWatch | None = None,
) -> Solution:
    """Advance a run until it may stop; it then has the best averages that were measured, of the NashConv and value of the
    solution in float64, and its regrets are given back. A large one begins with a first strategy from few boards.

    With `kept`, the best averages of earlier calls, regrets are kept, to continue later. `early` gets the strategies at
    each look of a long solve. `begin` is the time at which it began, by default now."""
    begin = run_time() if begin is None else begin
    looks, pace = Looks(sum(run.layout.stored), stop.exploitability), Pace(begin + stop.seconds)
    soon = EARLY if sum(run.layout.stored) >= _EARLY_FROM else 0
    now, interrupted, rounded = None, False, stop.exploitability > 0.0 and run.precision != DOUBLE
    least, at = inf, _SURE  # the smallest NashConv so far, to a tenth, and the iterations after which it was reached
    coarsely = stop.exploitability > 0.0 and stop.iterations > ITERATIONS and is_worth_it(run.layout)

    def repeat(iterations: int) -> None:
        run.clear()
        if coarsely:
            start_coarsely(run)
        run.advance(iterations - run.done)

    best = kept or BestAverages(run, repeat if run.done == 0 else None)
    try:
        if run.done == 0 and coarsely:
            start_coarsely(run)
        while run.done < stop.iterations and not pace.late and (now is None or now[0] > 2.0 * stop.exploitability):
            if now is not None and now[0] < 0.9 * least:
                least, at = now[0], max(run.done, _SURE)
            if rounded and now is not None and run.done >= 2 * at:
                break  # twice the iterations have brought next to nothing: rounding of what is stored may end progress
            first = now is None and run.done <= soon > 0
            goal = min(soon if first else looks.after(run.done), stop.iterations)
            best.before_advance()
            while run.done < goal and not pace.late:
                pace.advance(run, goal)
            now = best.measure()
            if run.done > EARLY:
                looks.saw(run.done, now[0])
            if progress:
                progress(run.done, 0.5 * now[0])
            if early and now[0] > 2.0 * stop.exploitability and run_time() - begin > _LONG:
                early.so_far(first_shares(run), 0.5 * now[0])
    except KeyboardInterrupt:
        interrupted = True
    nash_conv, value = best.take()
    if kept is None:
        run.forget_regrets()
    return Solution(NO_PLANS, value, nash_conv, run.method.name, run.done, run_time() - begin, interrupted)


def first_shares(run: CompactRun) -> dict[str, float]:
    """How often the averages take each action at the first decision of a tree, by their texts."""
    layout, averages = run.layout, Averages.of_run(run)
    betting, node = layout.betting, min(averages.layout.decisions)
    player, layer, cards = int(betting.kind[node]), layout.boards.layers[0], layout.boards.cards
    hands = cards.hands[layer.hand]
    weight = cards.weights[player][layer.hand] * compatible_weight(hands, cards.weights[1 - player][layer.hand])
    lanes = layout.boards.above(0, 0)
    played = sum(way.weight * averages.played(player, way, node, lanes) for way in averages.sides[player])
    return dict(zip(betting.actions(node), (np.asarray(played) @ weight / weight.sum()).tolist(), strict=True))
