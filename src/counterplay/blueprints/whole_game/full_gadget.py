"""The full gadget of a whole game: all boards of a street at once, and the opponent keeps the whole path.

A single board does not support it: each would grant anew what the opponent forgoes before the street. All at once are a
restricted Nash response in which the player's decisions before the street are fixed. That is no subtree to re-solve but the
game itself, for which only the solver of blueprints has room: its regrets are float32, by board and lane.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

from counterplay.budget import time_left
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.jit.threads import threads
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.continuation_mixture import blend
from counterplay.poker.whole_game.strategies.row_trust import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy, ModelMixture
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.solvers.cfr import Progress
from counterplay.solvers.minimiser import minimiser

_FIRST = 16
"""Iterations before the first evaluation of the gap, if requested; each next one after half as many again."""

_AVERAGE = 2.0
"""Cost of the average in iterations, about, which is reserved from the time limit."""


@dataclass(frozen=True, eq=False)
class FullGadgetSolution:
    """A solution of the full gadget.

    Attributes:
        play: the given decisions before the street, the response from there on, and the strategy of a free opponent.
        gap: distance of `play` from the optimum, in chips per hand; infinite if not computed.
        iterations: number of iterations.
        interrupted: whether Ctrl-C stopped it.
    """

    play: BlueprintStrategy
    gap: float
    iterations: int
    interrupted: bool


class JointSolve:
    """The solve of all boards of a street at once, by hands: with buckets the opponent would not be free.

    Args:
        standing: decisions of the searching player that are fixed.
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
        standing: StandingDecisions,
        model: BlueprintStrategy | None,
        search: Search,
        memory: float | None = None,
    ) -> None:
        if search.solver == "lp":
            raise InputError("all boards of a whole game are solved together by cfr, cfr+ or dcfr, not by lp")
        self._game, self._standing, self._stop = game, standing, search.stop
        self._trust = (
            ModelMixture(1 - standing.player, model, search.p) if model is not None and search.p > 0.0 else None
        )
        self._solver = VectorCFR(
            game,
            lossless(game.boards),
            minimiser(search.solver),
            trust=self._trust,
            threads=threads(),
            memory=memory,
            standing=standing,
        )
        self._look, self._gap, self.finished = _FIRST, inf, False
        self._best: BlueprintStrategy | None = None

    def advance(self, progress: Progress | None = None) -> FullGadgetSolution:
        """Iterate to a limit, at least once; returns the average with the least gap, or the last one without any. progress:
        called after every iteration; nan where the gap is not known."""
        stop, solver, begin, interrupted = self._stop, self._solver, run_time(), False
        aim, first = stop.exploitability, solver.iterations
        most = first + stop.iterations if aim else stop.iterations
        try:
            while not self.finished and solver.iterations < most:
                solver.sweep()
                if aim and solver.iterations == self._look:
                    self._measure()
                    self._look += self._look // 2
                    self.finished = self._gap <= aim
                if progress:
                    progress(solver.iterations, self._gap if self._gap < inf else nan)
                more = (1.0 + _AVERAGE) * solver.seconds / solver.iterations
                if run_time() - begin + more > stop.seconds or more > time_left():
                    break
        except KeyboardInterrupt:
            if not solver.iterations:
                raise
            interrupted = True
        self.finished |= not aim and solver.iterations >= stop.iterations
        return FullGadgetSolution(self._best or self._play(), self._gap, solver.iterations, interrupted)

    def distance(self) -> float:
        """NashConv of the average in chips per hand."""
        return distance(self._game, self._play(), self._standing, self._trust)

    def _measure(self) -> None:
        """The NashConv of the average, which is kept if that is the least so far."""
        play = self._play()
        gap = distance(self._game, play, self._standing, self._trust)
        if gap < self._gap:
            self._best, self._gap = play, gap

    def _play(self) -> BlueprintStrategy:
        return self._standing.continued(self._solver.average())


def distance(
    game: HoldemGame, play: BlueprintStrategy, standing: StandingDecisions, trust: ModelMixture | None
) -> float:
    """NashConv in chips per hand: of a responder some of whose decisions stand, and an opponent who is free wherever the
    model is not followed."""
    me, theirs, sure = standing.player, play, 0.0
    if trust is not None:
        theirs = blend(game, 1 - me, trust.model, play, trust.p)
        sure = trust.p * (value(game, play, trust.model) if me == 0 else -value(game, trust.model, play))
    free = 1.0 if trust is None else 1.0 - trust.p
    sure -= free * best_response_value(game, play, 1 - me)
    return max(0.0, standing.best_value(theirs) - sure)
