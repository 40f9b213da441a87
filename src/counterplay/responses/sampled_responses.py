"""Responses in whole games by public chance sampling, each solve begun where a blueprint is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import nan

import numpy as np

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.poker.whole_game.blueprints.blueprint import ITERATIONS, begin_as
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.street_regrets import WarmStart
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, Deviation, ModelMixture
from counterplay.responses.method import Outcome
from counterplay.solvers.cfr import Stop

_FAR = 1 << 32
_KEPT = 0.5
"""Weight of earlier solves' regrets as a share of the last one's iterations: by Linear CFR a ninth of all in the next."""
SECONDS, INTERRUPT = "seconds", "Ctrl-C"
"""Limits that cut a solve."""
STARTED = 1000
"""Iterations as which a blueprint counts at which a solve begins."""


@dataclass(eq=False)
class SampledResponses:
    """Responses to a model.

    Attributes:
        game: of both players.
        lanes: those of the response.
        player: the modelled player.
        model: the strategy assumed of that player; of a `Deviation` only the change counts.
        stop: iterations and seconds of each solve.
        seed: of the draws.
        start: regrets and averages from which each solve begins, or a blueprint in the lanes without them; None for nothing,
            and then the end of the solve before.
    """

    game: HoldemGame
    lanes: CardAbstraction
    player: int
    model: BlueprintStrategy
    stop: Stop
    seed: int
    start: WarmStart | BucketedStrategy | None = None
    _solvers: dict[bool, tuple[PublicSampling | VectorCFR, Callable[[], None]]] = field(default_factory=dict)
    _last: int = 0

    def response(self, p: float, *, by_row: bool = False) -> Outcome:
        """The restricted Nash response for p; by rows of the model, the data-biased one. Its gap is not known. The plan has
        the average of the free opponent, too."""
        if isinstance(self.model, Deviation):  # beside its reference
            trust = ModelMixture(self.player, self.model.play, p, by_row, self.model.reference)
        else:
            trust = ModelMixture(self.player, self.model, p, by_row)
        solver, step = self._solver(trust)
        if isinstance(self.start, BucketedStrategy):
            begin_as(solver, self.start, STARTED)
        elif self.start is not None:
            if not isinstance(solver, PublicSampling):
                raise InputError("a game that ends on the flop is solved with each board's own tables, without a start")
            solver.begin_from(self.start.state, self.start.iterations, self.start.keep)
        if self.stop.iterations < _FAR:
            count = self.stop.iterations
        else:
            count = _FAR if self.stop.seconds < float("inf") else ITERATIONS
        most, begin, cut = solver.iterations + count, run_time(), None
        first = solver.iterations
        try:
            while solver.iterations < most and cut is None:
                step()
                cut = SECONDS if run_time() - begin >= self.stop.seconds else None
        except KeyboardInterrupt:
            if solver.iterations == first:
                raise
            cut = INTERRUPT
        self._last = solver.iterations - first
        cut = None if solver.iterations == most else cut
        by = "cfr+" if isinstance(solver, VectorCFR) else "linear cfr"
        solved = f"{by} by public chance sampling"
        return Outcome(solver.average(), nan, cut == INTERRUPT, solved, iterations=solver.iterations - first, cut=cut)

    def _solver(self, trust: ModelMixture) -> tuple[PublicSampling | VectorCFR, Callable[[], None]]:
        """A solver and its step of one iteration. A game that ends on the flop is solved with each board's own tables."""
        known = self._solvers.get(trust.by_row)
        if known is not None:
            known[0].restart(trust, int(_KEPT * self._last))
            return known
        if self.game.last == 1:
            drawing = VectorCFR(self.game, self.lanes, trust=trust)
            made: tuple[PublicSampling | VectorCFR, Callable[[], None]]
            made = drawing, partial(drawing.sample, 1, np.random.default_rng(self.seed))
        else:
            sampling = PublicSampling(SamplingProblem(self.game, self.lanes, seed=self.seed), trust=trust)
            made = sampling, partial(sampling.sample, 1)
        self._solvers[trust.by_row] = made
        return made
