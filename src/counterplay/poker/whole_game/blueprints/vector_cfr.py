"""Counterfactual regret minimisation by vectors of hands: over all flops, or over a few drawn ones in each iteration.

An iteration that sees all flops is exact in the game with buckets, and with the lossless ones it solves Flop Hold'em itself.
One that draws flops is public chance sampling (Johanson et al. 2012). Hands of a bucket are played alike, so a player may
forget what it knew: the bucket before the flop, and with blocks that all flops share also the flop. Convergence to an
equilibrium of the game with buckets is certain only where nothing is forgotten.
"""

from __future__ import annotations

import numpy as np

from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.poker.cards.deck import Ints
from counterplay.poker.public_tree.thread_pool import check_threads
from counterplay.poker.whole_game.blueprints.flop_regrets import FlopRegrets, check_room
from counterplay.poker.whole_game.blueprints.preflop_regrets import PreflopRegrets
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.regrets import Rates, rates
from counterplay.poker.whole_game.strategy import BucketedStrategy, Buckets, ModelMixture, reaches
from counterplay.solvers.minimiser import CFR_PLUS, Minimiser


class Solver:
    """Regrets and averages of both players, changed by `sweep` and `sample`.

    Attributes:
        early, late: the parts before the flop and on it.
        iterations: done so far.
        seconds: that they took.
    """

    def __init__(
        self,
        game: HoldemGame,
        buckets: Buckets,
        method: Minimiser = CFR_PLUS,
        *,
        trust: ModelMixture | None = None,
        threads: int = 1,
        memory: float | None = None,
        standing: tuple[int, Floats] | None = None,
    ) -> None:
        """Allocate.

        Args:
            method: a setting without prediction.
            trust: in a model of one player; the other's average is then a restricted Nash response.
            threads: flops worked on at once; results hang on it in the last digits only.
            memory: bytes that may be taken; by default half of the machine's.
            standing: a player whose decisions before the flop are made already, and (sequences, classes) their
                probabilities.

        Raises:
            InputError: the method predicts, or the arrays take more.
        """
        if method.predictive or not method.alternating:
            raise InputError(
                f"Flop Hold'em is solved by cfr, cfr+ or dcfr with alternating moves, not by {method.name}"
            )
        if threads < 1:
            raise InputError(f"threads: at least 1 is needed, not {threads}")
        check_threads(threads, "threads")
        check_room(game, buckets, memory)
        self.game, self.buckets, self.method, self.threads = game, buckets, method, threads
        self.iterations, self.seconds = 0, 0.0
        self.early, self.late = PreflopRegrets(game, buckets, standing), FlopRegrets(game, buckets, threads, trust)
        self.trust = trust
        if trust is not None:
            self._model_plan = reaches(game.sides[trust.player], trust.model.preflop[trust.player])

    def sweep(self, iterations: int = 1) -> None:
        """Iterations over all flops."""
        flops = np.arange(self.game.flops.flops)
        weights = self.game.flops.counts.astype(float)
        for _ in range(iterations):
            self._iterate(flops, weights)

    def sample(self, iterations: int, random: np.random.Generator, *, flops: int = 1) -> None:
        """Iterations over so many flops each, drawn anew.

        Args:
            random: where the draws come from; the same seed gives the same strategy.
            flops: drawn in an iteration, with repetition.
        """
        ends = np.cumsum(self.game.flops.counts)
        for _ in range(iterations):
            drawn = np.sort(np.searchsorted(ends, random.integers(0, ends[-1], flops), side="right"))
            self._iterate(drawn, np.full(flops, ends[-1] / flops))

    def average(self) -> BucketedStrategy:
        """The average strategy."""
        return BucketedStrategy(self.buckets, self.early.average(), self.late.average())

    def _iterate(self, flops: Ints, weights: Floats) -> None:
        begin = run_time()
        self.iterations += 1
        for player in (0, 1):
            self._move(player, flops, weights, rates(self.method, self.iterations))
        self.seconds += run_time() - begin

    def _move(self, player: int, flops: Ints, weights: Floats, rate: Rates) -> None:
        """One player's new regrets, against the opponent's present strategy."""
        plans, trust = self.early.plans(), self.trust
        entries = [plan[side.entry].astype(self.game.dtype) for side, plan in zip(self.game.sides, plans, strict=True)]
        if self.early.standing is not None and self.early.standing[0] == player:
            entries[player] = np.ones_like(entries[player])  # a hand that never comes has an average, too
        below = self.late.move(player, flops, weights, entries, rate)
        theirs = plans[1 - player]
        if trust is not None and trust.player != player:
            theirs = trust.p * self._model_plan + (1 - trust.p) * theirs
        self.early.move(player, theirs, below, rate)
