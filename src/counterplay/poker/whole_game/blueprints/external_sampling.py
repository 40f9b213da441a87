"""External sampling (Lanctot et al. 2009): a flop, two hands and the opponent's actions are drawn, ours are all followed.

The numbers of one bucket stand together, in one array for each player and street: number 2 · street + player.
"""

from __future__ import annotations

import numpy as np

from counterplay.card_abstraction.card_abstraction import Buckets
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.memory_limit import default_memory
from counterplay.poker.whole_game.blueprints.external_sampling_kernels import DealtCards, WalkTree, walk
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.sampling.sampling_problem import SamplingProblem
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows


class ExternalSampling:
    """Regrets and averages of both players, changed by `sample`.

    Attributes:
        iterations: done so far; one follows all actions of each player once, on a deal of its own.
        seconds: that they took.
    """

    def __init__(self, problem: SamplingProblem[Buckets], *, power: float = 1.0) -> None:
        """Allocate.

        Args:
            problem: game, buckets, seed and memory.
            power: iteration t weighs t to this power, in regrets and in the average.

        Raises:
            InputError: the arrays would take more, or the power is negative.
        """
        game, buckets, memory = problem.game, problem.buckets, problem.memory
        kind = np.dtype(np.float32 if len(buckets.sizes) > 1 else np.float64)
        lanes = int(buckets.sizes.sum()), int(buckets.preflop.max()) + 1
        needed = 2.5 * kind.itemsize * lanes[0] * sum(side.sizes[1] for side in game.sides)
        most = default_memory() if memory is None else memory
        if needed > most:
            raise InputError(f"sampling would take {needed / 2**30:.3g} GiB, and {most / 2**30:.3g} GiB is the limit")
        if not 0 <= power <= 5:
            raise InputError(f"the power of the weights must be between 0 and 5, not {power:g}")
        self.game, self.buckets, self.power = game, buckets, power
        self.iterations, self.seconds = 0, 0.0
        self._random = np.array([problem.seed], np.uint64)
        shapes = [(lanes[1 - street], game.sides[player].sizes[street]) for street in (0, 1) for player in (0, 1)]
        self.regrets = tuple(np.zeros(shape, kind) for shape in shapes)
        self.sums = tuple(np.zeros(shape, kind) for shape in shapes)
        self._tree, self._cards = walk_tree(game), _cards_of(game, buckets)
        nodes = game.betting.nodes
        self._room = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), np.zeros(nodes), np.zeros(nodes)

    def sample(self, iterations: int) -> None:
        """So many iterations."""
        begin = run_time()
        deal = self._random, self._tree, self._cards
        walk(iterations, self.iterations, self.power, *deal, self.regrets, self.sums, self._room)
        self.iterations += iterations
        self.seconds += run_time() - begin

    def average(self) -> BucketedStrategy:
        """The average strategy."""
        before, after = [], []
        ends = np.cumsum(self.buckets.sizes)[:-1]
        for player, side in enumerate(self.game.sides):
            before.append(normalise_rows(self.sums[player].T.astype(float), side.preflop)[:, self.buckets.preflop])
            blocks = np.split(self.sums[2 + player], ends)
            after.append([normalise_rows(b.T.copy(), side.flop).astype(self.game.dtype) for b in blocks])
        return BucketedStrategy(self.buckets, (before[0], before[1]), ((after[0], after[1]),))


def walk_tree(game: HoldemGame) -> WalkTree:
    """The betting, with tables numbered 2 * street + player."""
    betting = game.betting
    table, sequence = (np.full(betting.nodes, -1, np.int64) for _ in range(2))
    for player, side in enumerate(game.sides):
        for street, decisions in enumerate(side.decisions):
            table[decisions[:, 0]] = 2 * street + player
            sequence[decisions[:, 0]] = decisions[:, 2]
    paid = np.stack([betting.win, betting.lose, betting.tie], axis=1)
    return WalkTree(betting.kind, betting.first, betting.child, table, sequence, paid)


def _cards_of(game: HoldemGame, buckets: Buckets) -> DealtCards:
    flops = game.flops
    starts = np.append(0, np.cumsum(buckets.sizes))[buckets.block]
    return DealtCards(
        np.repeat(np.arange(flops.flops), flops.counts),
        np.array([layout.pairs for layout in flops.layouts]),
        flops.rank,
        buckets.preflop[flops.at],
        (buckets.lane + starts[:, None]).astype(np.uint32),
    )
