"""Responses in whole games by public chance sampling: for one trust in the model after another, each solve goes on with the
regrets of the one before, or each begins at the same start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import nan

import numpy as np

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.poker.whole_game.blueprints.usual_blueprint import ITERATIONS
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.sampling.public_sampling import PublicSampling
from counterplay.poker.whole_game.sampling.sampling_problem import SamplingProblem
from counterplay.poker.whole_game.sampling.warm_start import WarmStart
from counterplay.poker.whole_game.strategies.deviation import Deviation
from counterplay.poker.whole_game.strategy import BlueprintStrategy, ModelMixture
from counterplay.responses.matchup.outcome import Outcome
from counterplay.solvers.cfr import Stop

_FAR = 1 << 32
_KEPT = 0.5
"""What the regrets of earlier solves count of the iterations of the last one: by Linear CFR a ninth of all in the next."""


@dataclass(eq=False)
class SampledResponses:
    """Responses to a model.

    Attributes:
        game: of both players.
        lanes: in which the response is looked for.
        player: the modelled player.
        model: the strategy assumed of that player; of a `Deviation` only the change counts.
        stop: iterations and seconds of each solve.
        seed: of the draws.
        start: where each solve begins; by default at nothing, and then where the one before ended.
    """

    game: HoldemGame
    lanes: CardAbstraction
    player: int
    model: BlueprintStrategy
    stop: Stop
    seed: int
    start: WarmStart | None = None
    _solvers: dict[bool, tuple[PublicSampling | VectorCFR, Callable[[], None]]] = field(default_factory=dict)
    _last: int = 0

    def response(self, p: float, *, by_row: bool = False) -> Outcome:
        """The restricted Nash response for p; by rows of the model, the data-biased one. Its gap is not known."""
        solver, step = self._solver(mixture_of(self.player, self.model, p, by_row=by_row))
        if self.start is not None:
            if not isinstance(solver, PublicSampling):
                raise InputError("a game that ends on the flop is solved with each board's own tables, without a start")
            self.start.begin(solver)
        most, begin, interrupted = solver.iterations + iterations_of(self.stop), run_time(), False
        first = solver.iterations
        try:
            while solver.iterations < most and run_time() - begin < self.stop.seconds:
                step()
        except KeyboardInterrupt:
            if solver.iterations == first:
                raise
            interrupted = True
        self._last = solver.iterations - first
        by = "cfr+" if isinstance(solver, VectorCFR) else "linear cfr"
        return Outcome(solver.average(), nan, interrupted, f"{by} by public chance sampling")

    def _solver(self, trust: ModelMixture) -> tuple[PublicSampling | VectorCFR, Callable[[], None]]:
        """A solver, and what makes it do one more iteration. A game that ends on the flop is solved with each board's own
        tables."""
        known = self._solvers.get(trust.by_row)
        if known is not None:
            known[0].restart(trust, int(_KEPT * self._last))
            return known
        if isinstance(self.game.boards, Flops):
            drawing = VectorCFR(self.game, self.lanes, trust=trust)
            made: tuple[PublicSampling | VectorCFR, Callable[[], None]]
            made = drawing, partial(drawing.sample, 1, np.random.default_rng(self.seed))
        else:
            sampling = PublicSampling(SamplingProblem(self.game, self.lanes, seed=self.seed), trust=trust)
            made = sampling, partial(sampling.sample, 1)
        self._solvers[trust.by_row] = made
        return made


def mixture_of(player: int, model: BlueprintStrategy, p: float, *, by_row: bool) -> ModelMixture:
    """A player who follows a model with probability p, beside the reference of a deviation."""
    if isinstance(model, Deviation):
        return ModelMixture(player, model.play, p, by_row, model.reference)
    return ModelMixture(player, model, p, by_row)


def iterations_of(stop: Stop) -> int:
    """The number of iterations of a stop, or the default."""
    if stop.iterations < _FAR:
        return stop.iterations
    return _FAR if stop.seconds < float("inf") else ITERATIONS
