"""Public chance sampling with whole ranges (Johanson et al. 2012), with regrets and averages by Linear CFR.

An iteration deals one complete board; the players move one after the other, with all their hands at all their decisions.
Iteration t counts t times, in regrets and in the average (Brown and Sandholm 2019), so nothing is ever discounted and only
the lanes of the board are touched. The board of an iteration depends on the seed and on its number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.gametree.build.size_estimate import check_memory
from counterplay.jit.clock import run_time
from counterplay.jit.hold import interrupts_held
from counterplay.poker.public_tree.thread_pool import check_threads
from counterplay.poker.whole_game.abstraction.card_abstraction import CardAbstraction
from counterplay.poker.whole_game.blueprints.lane_hands import (
    LaneHands,
    LaneRoom,
    LaneTables,
    add_classes,
    sort_by_lane,
)
from counterplay.poker.whole_game.blueprints.line_bundles import LineBundles
from counterplay.poker.whole_game.blueprints.line_kernels import come_back, go_down, play_out
from counterplay.poker.whole_game.boards.board import DEALT, Board, deals_to_come
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.measure import preflop_values
from counterplay.poker.whole_game.preflop_kernels import raise_classes
from counterplay.poker.whole_game.regrets import Rates, advance, match, multiply_down
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows
from counterplay.treeplex.memory import zeros

Array = NDArray[Any]
_STILL = Rates(1.0, 1.0, 0.0, floor=False)
Parts = list[tuple[Array, LaneRoom]]
"""Bundles of each thread, and its work space."""
Share = Callable[[Callable[[Array, LaneRoom], None], Parts], None]
"""Calls a function with every part."""


def _share(pool: ThreadPoolExecutor | None, work: Callable[[Array, LaneRoom], None], parts: Parts) -> None:
    """All parts, each in a thread of its own."""
    waiting = [] if pool is None else [pool.submit(work, *part) for part in parts[1:]]
    for part in parts[:1] if pool else parts:
        work(*part)
    for one in waiting:
        one.result()


class PublicSampling:
    """Regrets and averages of both players, changed by `sample`.

    Attributes:
        streets: tables of every street after the first.
        iterations: done so far.
        seconds: that they took.
    """

    def __init__(
        self,
        game: HoldemGame,
        buckets: CardAbstraction,
        *,
        seed: int = 0,
        threads: int = 1,
        memory: float | None = None,
    ) -> None:
        """Allocate.

        Args:
            seed: of all draws.
            threads: lines of betting are shared out among them; their number changes no bit of the result.
            memory: bytes that may be taken; by default half of the machine's.

        Raises:
            InputError: the arrays take more, or the threads are too many.
        """
        check_threads(threads, "threads")
        self.threads = threads
        self.game, self.buckets, self.seed = game, buckets, seed
        self.iterations, self.seconds = 0, 0.0
        bundles: list[LineBundles] = []
        for street in range(game.last, 0, -1):
            bundles.insert(0, LineBundles(game, street, bundles[0] if bundles else None))
        lanes = [buckets.sizes_on(street) for street in range(1, game.last + 1)]
        needed = sum(memory_of(game, one, int(sizes.sum())) for one, sizes in zip(bundles, lanes, strict=True))
        check_memory(f"solving with {buckets} takes {needed / 2**30:.3g} GiB", needed, memory, "ask for fewer buckets")
        self.streets = [_Street(game, s, one, lanes[s - 1], threads) for s, one in enumerate(bundles, 1)]
        few = int(buckets.preflop.max()) + 1
        self.regrets, self.sums = ([np.zeros((side.sizes[0], few)) for side in game.sides] for _ in range(2))
        self._row = np.zeros(few)
        self._share: Share = partial(_share, None)

    def sample(self, iterations: int) -> None:
        """So many iterations. Ctrl-C waits for the end of the one under way."""
        begin = run_time()
        with ThreadPoolExecutor(self.threads) as pool:
            self._share = partial(_share, pool if self.threads > 1 else None)
            ahead = pool.submit(self._deal, self.iterations + 1)
            for left in range(iterations - 1, -1, -1):
                deal = ahead.result()
                if left:  # boards are dealt while the players move: two threads are busy even where one moves
                    ahead = pool.submit(self._deal, self.iterations + 2)
                with interrupts_held():
                    for player in (0, 1):
                        self._move(player, deal, float(self.iterations + 1))
                    self.iterations += 1
        self.seconds += run_time() - begin

    def state(self) -> dict[str, Array]:
        """Everything that iterations change, by name; the arrays themselves."""
        tables = [(self.regrets, self.sums), *((street.regrets, street.sums) for street in self.streets)]
        found = {}
        for street, (regrets, sums) in enumerate(tables):
            for player in (0, 1):
                found[f"regrets{player}_{street}"], found[f"sums{player}_{street}"] = regrets[player], sums[player]
        return found

    def average(self) -> BucketedStrategy:
        """The average strategy."""
        sides, group = self.game.sides, self.buckets.preflop
        early = [normalise_rows(sums, side.preflop)[:, group] for sums, side in zip(self.sums, sides, strict=True)]
        late = tuple((street.average(0), street.average(1)) for street in self.streets)
        return BucketedStrategy(self.buckets, (early[0], early[1]), late)

    def _deal(self, iteration: int) -> Sequence[_Dealt]:
        """The boards of an iteration, street by street."""
        random = np.random.default_rng((self.seed, iteration))
        drawn = DrawnBoards(self.game.boards, random, [1] * self.game.last)
        found: list[_Dealt] = []
        board = self.game.boards.root
        for street in self.streets:
            board = drawn.after(board)[0][0]
            found.append(street.come_to(board, *self.buckets.lanes_on(board)))
        return found

    def _move(self, player: int, deal: Sequence[_Dealt], weight: float) -> None:
        """One player's new regrets, and the other's average."""
        game, other = self.game, 1 - player
        tables, plans = self._preflop_plans()
        self.sums[other] += weight * plans[other]
        plan, first = plans[other][:, self.buckets.preflop], self.streets[0]
        first.reach[:] = 0
        first.reach[:, first.bundles.slots] = plan[game.sides[other].entry].T
        for k, street in enumerate(self.streets[:-1]):
            street.go_down(player, deal[k], weight, self.streets[k + 1].reach, self._share)
        self.streets[-1].play_out(player, deal[-1], weight, self._share)
        for k in range(len(self.streets) - 2, -1, -1):
            self.streets[k].come_back(player, deal[k], weight, self.streets[k + 1], deal[k + 1], self._share)
        here = deal[0].hands.up
        found = np.zeros((len(first.bundles.slots), game.boards.classes))
        add_classes(here, first.bundles.slots, first.values, found)
        self._move_preflop(player, tables[player], plan, found * (first.factor * game.deals_after(0)), weight)

    def _preflop_plans(self) -> tuple[list[Array], list[Array]]:
        """Of each player, (sequences, lanes) strategy and plan before the flop."""
        tables, plans = [], []
        for side, regrets in zip(self.game.sides, self.regrets, strict=True):
            table = np.empty_like(regrets)
            match(side.preflop, regrets, table, self._row)
            plan = np.ones_like(table)
            multiply_down(side.preflop, table, plan)
            tables.append(table)
            plans.append(plan)
        return tables, plans

    def _move_preflop(self, player: int, table: Array, plan: Array, below: Array, weight: float) -> None:
        game, side = self.game, self.game.sides[player]
        worth, summed = preflop_values(game, player, plan, below), np.zeros_like(table)
        raise_classes(side.preflop, table, self.buckets.preflop, worth, summed)
        nothing = np.zeros_like(table)
        summed *= weight / game.deals_after(0)
        advance(side.preflop, summed, nothing, table, self.regrets[player], nothing, _STILL, self._row)


class _Dealt(NamedTuple):
    """A board and its hands by lanes."""

    board: Board
    hands: LaneHands


class _Street:
    """Tables and work space of a street after the first.

    Attributes:
        bundles: its lines.
        regrets, sums: of each player, flat (see `place` of the kernels).
        reach: (places of the board before, size) of the player who does not move.
        values: (places, size) of the player who moves.
        factor: boards that may be dealt by boards that may be when both hands are known.
    """

    def __init__(self, game: HoldemGame, street: int, bundles: LineBundles, sizes: Array, threads: int) -> None:
        self.bundles, self.street, kind = bundles, street, game.dtype
        self._game, self._sizes, self._starts = game, sizes, np.append(0, np.cumsum(sizes))
        self.lanes, n = int(sizes.sum()), game.places(street)
        self._seen = [bundles.seen_by(player) for player in (0, 1)]
        count = [bundles.positions(player) * bundles.width * self.lanes for player in (0, 1)]
        self.regrets, self.sums = ([_zeros(size, kind) for size in count] for _ in range(2))
        before = game.boards.classes if street == 1 else game.places(street - 1)
        self.reach = _zeros(before * bundles.size, kind).reshape(before, -1)
        self.values = _zeros(n * bundles.size, kind).reshape(n, -1)
        ways = float(game.boards.choices(_first_board(game, street - 1))[1].sum())
        self.factor = ways / deals_to_come(game.deck, street - 1, street)
        most = max(len(one) for pair in (b.sequences for b in bundles.bundles) for one in pair)
        most_deals = max(len(bundle.leaves) for bundle in bundles.bundles)
        few, cards = min(n, self.lanes), len(game.deck.cards) - DEALT[street]
        rows = (*[few * most] * 3, n, n + 1, cards, cards, n, most_deals)
        self._parts = [
            (listed, LaneRoom(*(_zeros(number * bundles.width, kind) for number in rows)))
            for listed in bundles.parts(threads)
        ]
        self._marks = np.zeros(self.lanes, np.int32)

    def come_to(self, board: Board, block: int, lane: Array) -> _Dealt:
        """The hands of a board by lanes."""
        n = len(lane)
        local, order, starts, here = (np.empty(n + 1, np.int64) for _ in range(4))
        rows = lane.astype(np.int64) + self._starts[block]
        count = sort_by_lane(rows, self._marks, local, order, starts, here)
        hands = LaneHands(board.up.astype(np.int64), local[:n], order[:n], starts[: count + 1], here[:count])
        return _Dealt(board, hands)

    def go_down(self, player: int, dealt: _Dealt, weight: float, below: Array, share: Share) -> None:
        """Bring the other's reach to the next street."""
        seen, tables = self._seen[player], self._tables(player)

        def part(listed: Array, room: LaneRoom) -> None:
            go_down(listed, seen, dealt.hands, tables, self.reach, weight, below, room)

        share(part, self._parts)

    def come_back(self, player: int, dealt: _Dealt, weight: float, after: _Street, then: _Dealt, share: Share) -> None:
        """New regrets, and the values of the lines."""
        fixed = self._seen[player], dealt.board.layout, dealt.hands, self._tables(player), self.reach, weight
        below = after.values, then.hands.up, after.factor

        def part(listed: Array, room: LaneRoom) -> None:
            come_back(listed, *fixed, *below, room, self.values)

        share(part, self._parts)

    def play_out(self, player: int, dealt: _Dealt, weight: float, share: Share) -> None:
        """All of the last street."""
        fixed = self._seen[player], dealt.board.layout, dealt.hands, self._tables(player), self.reach, weight

        def part(listed: Array, room: LaneRoom) -> None:
            play_out(listed, *fixed, room, self.values)

        share(part, self._parts)

    def average(self, player: int) -> list[Array]:
        """Of each block, (sequences, lanes) the average strategy."""
        side = self._game.sides[player]
        sums = np.zeros((side.sizes[self.street], self.lanes), self._game.dtype)
        for sequence, place in self.bundles.places(player, self.lanes).items():
            sums[sequence] = self.sums[player][place]
        found = normalise_rows(sums, side.decisions[self.street])
        return [np.ascontiguousarray(part) for part in np.split(found, self._starts[1:-1], axis=1)]

    def _tables(self, player: int) -> LaneTables:
        other = 1 - player
        return LaneTables(self.regrets[player], self.regrets[other], self.sums[other], self.lanes)


def memory_of(game: HoldemGame, bundles: LineBundles, lanes: int) -> float:
    """Bytes of regrets and sums of a street, and of the average strategy made of them."""
    rows = sum(bundles.positions(player) for player in (0, 1)) * bundles.width
    return 3.0 * rows * lanes * game.dtype.itemsize


def _first_board(game: HoldemGame, street: int) -> Board:
    board = game.boards.root
    for _ in range(street):
        board = game.boards.child(board, 0)
    return board


def _zeros(size: int, kind: np.dtype[Any]) -> Array:
    """So many zeros that begin at a line of the cache."""
    return zeros(-(-size * kind.itemsize // 8)).view(kind)[:size]
