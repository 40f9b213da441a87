"""Responses of players who search boards in whole games of hold'em: what they would play on every board, as one strategy.

Before the flop such a player keeps to a blueprint of the game, or to a look-ahead with portfolios. From the flop on every
board is solved to the end of the hand behind a gadget, after each line of betting, and each later board again; behind the
full gadget all boards are solved together. Agents solve those boards that come.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from typing import Any

from counterplay.blueprints.whole_game.as_strategy import BoardSearches
from counterplay.blueprints.whole_game.full_gadget import JointSolve
from counterplay.blueprints.whole_game.preflop_lookahead import Ways, look_ahead_preflop, portfolio_of
from counterplay.blueprints.whole_game.whole_game_plans import WholeGamePlans
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import LookAhead, Search
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.reference_players import Nash
from counterplay.poker.whole_game.blueprints.usual_blueprint import usual_blueprint
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.standing_decisions import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.responses.matchup.board_search import GAP, ITERATIONS, SOLVER, TOGETHER, look_to_the_end, ways_of
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Pairing, Searching
from counterplay.solvers.cfr import Stop
from counterplay.value_functions.exact_leaf import ExactLeaf


@dataclass(frozen=True, eq=False)
class BoardResponse:
    """A responder who searches boards.

    Attributes:
        match: responder and model; its solver and stop are those of each board.
        method: the method, after `in_game`.
        p, alpha: trust in the model, and weight of its range at the entries.
    """

    match: Pairing
    method: Searching
    p: float
    alpha: float = 0.0

    def outcome(self) -> Outcome:
        """The strategy; Ctrl-C keeps the boards so far, and the blueprint on all others.

        Raises:
            InputError: a look-ahead that whole games do not have.
        """
        if self.search.gadget.keeps_path:
            standing = StandingDecisions(self._game, self.match.seat, self.base)
            joint = JointSolve(self._game, standing, self._model, self.search).advance(self.match.progress)
            return Outcome(
                joint.play, joint.gap if joint.gap < inf else nan, joint.interrupted, str(self.search.solver)
            )
        boards = self._game.boards.after(self._game.boards.root)
        work = BoardSearches(self._game, self.base, self.match.seat, self._model, boards, self.search, later=True)
        found = self.match.pieces.run(work, self._identity(work))
        return Outcome(work.finish(found.results), nan, found.interrupted, str(self.search.solver))

    @cached_property
    def search(self) -> Search:
        """The search of each board."""
        look, gadget = self.method.far, self.method.far.gadget
        depth = Depth() if look.depth is None else Depth.of(look.depth)
        if depth not in (Depth(), Depth.of("game")):
            raise InputError(
                f"in {self.match.game.name} {self.method.HEAD} searches to the end of the hand: the depth is 'round' or "
                f"'game', not {depth}"
            )
        assert not isinstance(gadget, str)
        together = gadget is None or gadget.keeps_path
        return Search(look_to_the_end(look, gadget), self.p, self.alpha, self._solver, self._stop(together))

    @cached_property
    def base(self) -> BlueprintStrategy:
        """The strategy before the boards, and the source of alternative values."""
        leaf = self.method.far.leaf
        blueprint = usual_blueprint(self._game).play
        if isinstance(leaf, ExactLeaf):
            return blueprint
        before = Search(LookAhead(Depth(), portfolio_of(leaf)), self.p, solver=self._solver, stop=self._stop(False))
        model = self.match.model.play
        ahead = look_ahead_preflop(self._game, blueprint, self.match.seat, model, self._ways, before)
        if ahead.solution.interrupted:
            raise KeyboardInterrupt
        return ahead.play

    @property
    def _ways(self) -> Ways:
        """The portfolios of both players; in their texts `blueprint` is the blueprint of the game."""
        seed = self.match.seed or 0
        return ways_of(self.method.far.leaf, Nash.HEAD, lambda text: strategy_of(self._game, text, seed))

    @property
    def _game(self) -> HoldemGame:
        found: HoldemGame = self.match.game.game
        return found

    @property
    def _model(self) -> BlueprintStrategy | None:
        """The model; None for who does without."""
        found: BlueprintStrategy | None = self.match.model.play if self.p or self.alpha else None
        return found

    @property
    def _solver(self) -> Any:
        return SOLVER if self.match.solver == "auto" else self.match.solver

    def _stop(self, together: bool) -> Stop:
        """The stopping rule of one board, or of all at once."""
        if self.match.stop != Stop():
            return self.match.stop
        return Stop(iterations=TOGETHER) if together else Stop(GAP * 1000.0 / self._game.milli, ITERATIONS)

    def _identity(self, work: BoardSearches) -> dict[str, Any]:
        """Everything that the boards depend on."""
        search, boards = self.search, work.boards
        digests = {
            name: play and WholeGamePlans(self.match.game, play).digest(boards)
            for name, play in (("blueprint", work.blueprint), ("model", work.model))
        }
        facts = {"gadget": search.gadget, "prior": search.look.prior, "epsilon": search.look.epsilon, "p": search.p,
                 "alpha": search.alpha, "normalised": search.look.normalised, "solver": search.solver,
                 "stop": search.stop}  # fmt: skip
        told = {name: str(value) for name, value in facts.items()}
        return {"game": self.match.game.name, **work.identity(), **digests, **told}
