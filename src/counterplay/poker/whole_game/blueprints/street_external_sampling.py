"""External sampling in games of any number of streets: many pairs of hands are drawn on every board.

A board costs more than a walk down the betting: its hands have to be ranked and told apart. So so many iterations in a row
play one board. That changes no expectation, only how much neighbouring iterations have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.jit.clock import run_time
from counterplay.jit.suspension import interrupts_held
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.blueprints.external_sampling import walk_tree
from counterplay.poker.whole_game.blueprints.external_sampling_kernels import BoardHands, walk_on_board
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards
from counterplay.poker.whole_game.sampling.sampling_problem import SamplingProblem
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows

TOGETHER = 256
"""Iterations on one board."""
_STREETS = 4


class StreetExternalSampling:
    """Regrets and averages of both players, changed by `sample`; rows of lanes, in float64.

    Attributes:
        iterations: done so far; one follows all actions of each player once, with hands of its own.
        seconds: that they took.
        together: iterations on one board.
    """

    together = TOGETHER

    def __init__(self, problem: SamplingProblem[CardAbstraction], *, power: float = 1.0) -> None:
        """Allocate.

        Args:
            problem: game, buckets, seed and memory.
            power: iteration t weighs t to this power, in regrets and in the average.

        Raises:
            InputError: the arrays would take more.
        """
        game, buckets = self.game, self.buckets = problem.game, problem.buckets
        self.seed = problem.seed
        self.power = power
        self.iterations, self.seconds = 0, 0.0
        early = np.array([int(buckets.preflop.max()) + 1])
        self._sizes = [early, *(buckets.sizes_on(street) for street in range(1, game.last + 1))]
        shapes = [(int(s.sum()), side.sizes[k]) for k, s in enumerate(self._sizes) for side in game.sides]
        needed = 2.5 * 8 * sum(rows * columns for rows, columns in shapes)
        problem.check_room(needed, "sampling")
        self.regrets, self.sums = (tuple(np.zeros(shape) for shape in shapes) for _ in range(2))
        self._tree, nodes = walk_tree(game), game.betting.nodes
        self._room = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), np.zeros(nodes), np.zeros(nodes)
        self._random = np.zeros(1, np.uint64)
        self._full = 2 * _STREETS  # the kernel has a place for every street; those that are not played are never read
        self._none = tuple(np.zeros((1, 1)) for _ in range(self._full - len(shapes)))

    def sample(self, iterations: int) -> None:
        """So many iterations. Ctrl-C waits for those on the board at hand."""
        begin, last = run_time(), self.iterations + iterations
        tables = (*self.regrets, *self._none), (*self.sums, *self._none)
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self._deal, self.iterations // TOGETHER)
            while self.iterations < last:
                hands, number = ahead.result(), self.iterations // TOGETHER
                end = min(last, (number + 1) * TOGETHER)
                if end < last:  # the next board is dealt meanwhile
                    ahead = pool.submit(self._deal, number + 1)
                with interrupts_held():
                    span, seed = (self.iterations + 1, end + 1), np.uint64(self.seed)
                    walk_on_board(*span, self.power, seed, self._random, self._tree, hands, *tables, self._room)
                    self.iterations = end
        self.seconds += run_time() - begin

    def sweep(self, boards: Sequence[int]) -> None:
        """All iterations on boards of these numbers, from 0 and ascending; those between them are not done."""
        for board in boards:
            self.iterations = board * TOGETHER
            self.sample(TOGETHER)

    def state(self) -> dict[str, AnyArray]:
        """Everything that iterations change, by name: the arrays themselves, (lanes, sequences) each."""
        named = (("regrets", self.regrets), ("sums", self.sums))
        return {f"{what}{k % 2}_{k // 2}": table for what, tables in named for k, table in enumerate(tables)}

    def use(self, tables: Mapping[str, AnyArray]) -> None:
        """See `BoardSampling`."""
        names = [f"{k % 2}_{k // 2}" for k in range(len(self.regrets))]
        self.regrets, self.sums = (tuple(tables[what + name] for name in names) for what in ("regrets", "sums"))

    def met_lines(self, line: int) -> dict[str, AnyArray]:  # noqa: ARG002
        """See `BoardSampling`: a walk may meet any line."""
        return {}

    def average(self) -> BucketedStrategy:
        """The average strategy."""
        early, late = [], []
        for player, side in enumerate(self.game.sides):
            early.append(normalise_rows(self.sums[player].T.astype(float), side.preflop)[:, self.buckets.preflop])
        for street in range(1, self.game.last + 1):
            ends, pair = np.cumsum(self._sizes[street])[:-1], []
            for player, side in enumerate(self.game.sides):
                found = normalise_rows(self.sums[2 * street + player].T, side.decisions[street]).astype(self.game.dtype)
                pair.append([np.ascontiguousarray(block) for block in np.split(found, ends, axis=1)])
            late.append((pair[0], pair[1]))
        return BucketedStrategy(self.buckets, (early[0], early[1]), tuple(late))

    def _deal(self, number: int) -> BoardHands:
        """The hands of a board, which hangs on the seed and on its number."""
        game = self.game
        drawn = DrawnBoards(game.boards, np.random.default_rng((self.seed, number)), [1] * game.last)
        board, rows = game.boards.root, [self.buckets.preflop.astype(np.int64)]
        for street in range(1, game.last + 1):
            board = drawn.after(board)[0][0]
            block, lane = self.buckets.lanes_on(board)
            start = int(self._sizes[street][:block].sum())
            rows = [row[board.up] for row in rows] + [lane.astype(np.int64) + start]
        rows += [np.zeros_like(rows[0])] * (_STREETS - len(rows))
        hands = game.deck.hands[board.hand]
        rank = hand_ranks(board.cards, hands, deck=game.deck).astype(np.int64)
        return BoardHands(hands.astype(np.int64), rank, np.array(rows))
