"""The full gadget on all flops at once for one player: the opponent keeps the whole path.

A single flop does not support it: each would grant anew what the opponent forgoes before the flop. All at once are a
restricted Nash response in which the player's decisions before the flop are fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from counterplay.jit.clock import run_time
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.thread_pool import threads
from counterplay.poker.whole_game.abstraction.card_abstraction import lossless
from counterplay.poker.whole_game.blueprints.vector_cfr import Solver
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.measure import best_response_value, entry_values, preflop_values, value
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, ModelMixture, reaches
from counterplay.poker.whole_game.strategy_mixture import blend
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import minimiser

_FIRST = 16
"""Iterations before the first evaluation of the gap, if requested; each next one after half as many again."""

_AVERAGE = 2.0
"""Cost of the average in iterations, about, which is reserved from the time limit."""


@dataclass(frozen=True, eq=False)
class FullGadgetSolution:
    """A solution of the full gadget.

    Attributes:
        play: the given decisions before the flop, the response on it, and the strategy of a free opponent.
        gap: distance from the optimum, in chips per hand; infinite if not computed.
        iterations: number of iterations.
        interrupted: whether Ctrl-C stopped it.
    """

    play: BucketedStrategy
    gap: float
    iterations: int
    interrupted: bool


def solve_full_gadget(
    game: HoldemGame,
    base: BlueprintStrategy,
    me: int,
    model: BlueprintStrategy | None,
    search: Search,
    memory: float | None = None,
) -> FullGadgetSolution:
    """Solve all flops at once, within the limits of the search. Arguments and errors as of `JointSolve`."""
    return JointSolve(game, base, me, model, search, memory).advance()


class JointSolve:
    """The solve of all flops at once, by hands: with buckets the opponent would not be free.

    Args:
        base: strategy whose own part before the flop is fixed.
        me: the searching player.
        model: model of the opponent, followed with probability p.
        search: p, solver, and stopping rule in chips per hand. Together with a gap, iterations are a limit of each
            call.
        memory: limit in bytes; by default half of the machine's memory.

    Attributes:
        finished: whether the solve is complete.

    Raises:
        InputError: too large for the memory, or an unsupported method.
    """

    def __init__(
        self,
        game: HoldemGame,
        base: BlueprintStrategy,
        me: int,
        model: BlueprintStrategy | None,
        search: Search,
        memory: float | None = None,
    ) -> None:
        self._game, self._me, self._stop = game, me, search.stop
        self._trust = ModelMixture(1 - me, model, search.p) if model is not None and search.p > 0.0 else None
        self._solver = Solver(
            game,
            lossless(game.flops),
            minimiser(search.solver),
            trust=self._trust,
            threads=threads(),
            memory=memory,
            standing=(me, base.preflop[me]),
        )
        self._look, self._gap, self.finished = _FIRST, inf, False

    def advance(self) -> FullGadgetSolution:
        """Iterate to a limit; returns the average so far."""
        begin, solver, aim, interrupted = run_time(), self._solver, self._stop.exploitability, False
        first = solver.iterations
        stop = replace(self._stop, iterations=first + self._stop.iterations) if aim else self._stop
        try:
            while not self.finished and not _over(solver, first, run_time() - begin, stop):
                solver.sweep()
                if aim and solver.iterations == self._look:
                    self._gap = distance(self._game, solver.average(), self._me, self._trust)
                    self._look += self._look // 2
                    self.finished = self._gap <= aim
        except KeyboardInterrupt:
            if not solver.iterations:
                raise
            interrupted = True
        self.finished |= not aim and solver.iterations >= stop.iterations
        return FullGadgetSolution(solver.average(), self._gap, solver.iterations, interrupted)


def _over(solver: Solver, first: int, spent: float, stop: Stop) -> bool:
    """Whether to stop; after at least one iteration beyond the `first` ones."""
    if solver.iterations == first:
        return False
    more = (1.0 + _AVERAGE) * solver.seconds / solver.iterations
    return solver.iterations >= stop.iterations or spent + more > stop.seconds


def distance(game: HoldemGame, play: BlueprintStrategy, me: int, trust: ModelMixture | None) -> float:
    """NashConv in chips per hand: of a responder on the flop with fixed decisions before it, and an opponent who is
    free wherever the model is not followed.
    """
    theirs = play if trust is None else blend(game, 1 - me, trust.model, play, trust.p)
    met = reaches(game.sides[1 - me], theirs.preflop[1 - me])
    worth = preflop_values(game, me, met, entry_values(game, me, theirs))
    most = float((reaches(game.sides[me], play.preflop[me]) * worth).sum() / game.deals)
    p = 0.0 if trust is None else trust.p
    sure = -(1.0 - p) * best_response_value(game, play, 1 - me)
    if trust is not None:
        against = value(game, play, trust.model) if me == 0 else -value(game, trust.model, play)
        sure += p * against
    return max(0.0, float(np.float64(most - sure)))
