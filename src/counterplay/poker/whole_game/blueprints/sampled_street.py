"""One street in public chance sampling: its tables, its work space, and one player's move there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.poker.whole_game.blueprints.lane_hands import LaneHands, LaneRoom, LaneTables, sort_by_lane
from counterplay.poker.whole_game.blueprints.line_kernels import answer, come_back, go_down, play_against, play_out
from counterplay.poker.whole_game.boards.board import DEALT, Board, deals_to_come
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import normalise_rows
from counterplay.poker.whole_game.values.line_bundles import LineBundles
from counterplay.treeplex.memory import zeros

Parts = list[tuple[AnyArray, LaneRoom]]
"""Bundles of each thread, and its work space."""
Share = Callable[[Callable[[AnyArray, LaneRoom], None], Parts], None]
"""Calls a function with every part."""


def share_parts(pool: ThreadPoolExecutor | None, work: Callable[[AnyArray, LaneRoom], None], parts: Parts) -> None:
    """Do all parts, each with its bundles (n,) in a thread of its own."""
    waiting = [] if pool is None else [pool.submit(work, *part) for part in parts[1:]]
    for part in parts[:1] if pool else parts:
        work(*part)
    for one in waiting:
        one.result()


class DealtBoard(NamedTuple):
    """A board, its hands by lanes, and (n,) the rows of their lanes."""

    board: Board
    hands: LaneHands
    rows: AnyArray


class StreetMove(NamedTuple):
    """One player's move on a street: the board, the tables, weights of the player's regrets and of the other's average,
    and what shares the work out among threads."""

    player: int
    dealt: DealtBoard
    tables: LaneTables
    weight: float
    average: float
    share: Share


class SampledStreet:
    """Tables and work space of a street after the first.

    Attributes:
        bundles: its lines.
        places: hands of a board.
        lanes: of all blocks.
        seen: the street for each player who moves.
        regrets, sums: of each player, flat (see `place` of the kernels).
        reach: (places of the board before, size) of the player who does not move.
        values: (places, size) of the player who moves.
        factor: boards that may be dealt by boards that may be when both hands are known.
    """

    def __init__(
        self, game: HoldemGame, street: int, bundles: LineBundles, sizes: AnyArray, threads: int, *, exact: bool = False,
        small: bool = False,
    ) -> None:  # fmt: skip
        """Allocate. sizes: (blocks,) lanes. exact: have room for `answer`. small: have room for boards with tables of
        their own (see `bound_play`)."""
        self.bundles, self.street, kind = bundles, street, game.dtype
        self._game, self._sizes, self._starts = game, sizes, np.append(0, np.cumsum(sizes))
        self.lanes, n = int(sizes.sum()), game.places(street)
        self.places = n
        self.seen = [bundles.seen_by(player) for player in (0, 1)]
        count = [bundles.positions(player) * bundles.width * self.lanes for player in (0, 1)]
        self.regrets, self.sums = ([_zeros(size, kind) for size in count] for _ in range(2))
        before = game.boards.classes if street == 1 else game.places(street - 1)
        self.reach = _zeros(before * bundles.size, kind).reshape(before, -1)
        self.values = _zeros(n * bundles.size, kind).reshape(n, -1)
        board = game.boards.root
        for _ in range(street - 1):
            board = game.boards.child(board, 0)
        ways = float(game.boards.choices(board)[1].sum())
        self.factor = ways / deals_to_come(game.deck, street - 1, street)
        most = max(len(one) for pair in (b.sequences for b in bundles.bundles) for one in pair)
        most_deals = max(len(bundle.leaves) for bundle in bundles.bundles)
        few, cards = n if exact or small else min(n, self.lanes), len(game.deck.cards) - DEALT[street]
        every = max(bundles.positions(player) for player in (0, 1)) * bundles.width
        theirs = _zeros(every * few, kind)
        rows = (few * most, 0, few * most, n, n + 1, cards, cards, n, most_deals)
        self._parts = [
            (listed, LaneRoom(*(_zeros(number * bundles.width, kind) for number in rows))._replace(theirs=theirs))
            for listed in bundles.parts(threads)
        ]
        self._marks, self._met = np.zeros(self.lanes, np.int32), np.zeros(self.lanes, bool)
        self._response = _zeros(every * n if exact else 0, kind)

    def come_to(self, board: Board, block: int, lane: AnyArray) -> DealtBoard:
        """The hands of a board by lanes; lane: (n,) of the hand at each place."""
        n = len(lane)
        local, order, starts, here = (np.empty(n + 1, np.int64) for _ in range(4))
        rows = lane.astype(np.int64) + self._starts[block]
        self._met[rows] = True
        count = sort_by_lane(rows, self._marks, local, order, starts, here)
        hands = LaneHands(
            board.up.astype(np.int64), local[:n], order[:n], starts[: count + 1], here[:count], np.arange(n)
        )
        return DealtBoard(board, hands, rows)

    def go_down(self, move: StreetMove, below: AnyArray) -> None:
        """Carry the other's reach to the next street; below: (places, size) of that street, filled."""

        def part(listed: AnyArray, room: LaneRoom) -> None:
            go_down(
                listed, self.seen[move.player], move.dealt.hands, move.tables, self.reach, move.average, below, room
            )

        move.share(part, self._parts)

    def come_back(self, move: StreetMove, after: SampledStreet, then: DealtBoard) -> None:
        """New regrets, and the values of the lines."""
        self._fill_values(move, come_back, move.weight, after.values, then.hands.up, after.factor)

    def play_out(self, move: StreetMove) -> None:
        """All of the last street."""
        self._fill_values(move, play_out, move.weight, move.average)

    def answer(self, move: StreetMove) -> None:
        """The player's best response on the last street, which `play_against` meets."""
        self._fill_values(move, answer, move.average, plan=self._response)

    def play_against(self, move: StreetMove) -> None:
        """The last street against the response that the other has last answered with."""
        self._fill_values(move, play_against, move.weight, theirs=self._response)

    def _fill_values(
        self, move: StreetMove, kernel: Callable[..., None], *numbers: AnyArray | float, **arrays: AnyArray
    ) -> None:
        """Run a kernel on the bundles of each thread; arrays take the place of those in the work space."""
        dealt = move.dealt
        fixed = self.seen[move.player], dealt.board.layout, dealt.hands, move.tables, self.reach, *numbers

        def part(listed: AnyArray, room: LaneRoom) -> None:
            kernel(listed, *fixed, room._replace(**arrays), self.values)

        move.share(part, self._parts)

    def flat_table(self, player: int, blocks: Sequence[AnyArray]) -> AnyArray:
        """(size of a table,) the (sequences, lanes) tables of all blocks as the kernels have regrets."""
        found, rows = np.zeros_like(self.regrets[player]), np.concatenate(list(blocks), axis=1)
        for sequence, place in self.bundles.places(player, self.lanes).items():
            found[place] = rows[sequence]
        return found

    def average(self, player: int) -> list[AnyArray]:
        """Of each block, (sequences, lanes) the average strategy."""
        side = self._game.sides[player]
        sums = np.zeros((side.sizes[self.street], self.lanes), self._game.dtype)
        for sequence, place in self.bundles.places(player, self.lanes).items():
            sums[sequence] = self.sums[player][place]
        found = normalise_rows(sums, side.decisions[self.street])
        return [np.ascontiguousarray(part) for part in np.split(found, self._starts[1:-1], axis=1)]

    def met_lines(self, line: int) -> list[AnyArray]:
        """By player, (lines,) lines of so many numbers of a table that boards since the last call may have changed."""
        some = np.flatnonzero(self._met)
        self._met[:] = False
        return [self.bundles.lines_of_lanes(player, self.lanes, some, line) for player in (0, 1)]

    def tables_of(self, player: int, own: AnyArray, other: AnyArray) -> LaneTables:
        return LaneTables(own, other, self.sums[1 - player], self.lanes)


def memory_of(game: HoldemGame, bundles: LineBundles, lanes: int) -> float:
    """Bytes of regrets and sums of a street, and of the average strategy made of them."""
    rows = sum(bundles.positions(player) for player in (0, 1)) * bundles.width
    return 3.0 * rows * lanes * game.dtype.itemsize


def _zeros(size: int, kind: np.dtype[Any]) -> AnyArray:
    """So many zeros that begin at a line of the cache."""
    return zeros(-(-size * kind.itemsize // 8)).view(kind)[:size]
