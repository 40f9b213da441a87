"""The search of boards of a whole game of hold'em: all of them as one strategy, or by agents those that come.

Before the flop the player keeps to a blueprint of the game, or to a look-ahead with portfolios. From the flop on every board
is solved to the end of the hand behind a gadget, after each line of betting, and each later board again; behind the full
gadget all boards are solved together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan
from typing import Any

from counterplay.blueprints.whole_game.as_strategy import BoardSearches
from counterplay.blueprints.whole_game.portfolio_look_ahead import look_ahead_preflop, portfolio_of
from counterplay.blueprints.whole_game.whole_game_plans import JointSolve, WholeGamePlans
from counterplay.errors import InputError
from counterplay.gadgets import Gadget
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import LookAhead, Search
from counterplay.opponents.given_strategy import TrainedBlueprint
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.reference_players import Nash
from counterplay.poker.whole_game.blueprints.blueprint import usual_blueprint
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import Ways
from counterplay.poker.whole_game.strategies.row_models import StandingDecisions
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.responses.method import AnyMatchup, Method, Outcome
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.value_functions.leaf_value import EXACT, ExactLeaf

SOLVER, GAP, ITERATIONS = "dcfr:1.5,0,4", 1e-3, 2000
"""The default solver of a board, and its limits: exploitability as a share of a big blind, and iterations. A flop that is
the last street takes a twentieth of a second."""
TOGETHER = 100
"""Default iterations over all boards at once; two minutes for all flops of a full deck with two cores."""
BLUEPRINT = TrainedBlueprint.HEAD


def look_to_the_end(look: LookAhead, gadget: Gadget | None) -> LookAhead:
    """The look-ahead of a board: to the end of the hand, behind a gadget."""
    normalised = gadget is not None and gadget.chooses_one if look.normalised is None else look.normalised
    return replace(look, depth=Depth(), leaf=EXACT, gadget=gadget, normalised=normalised, solve=None)


def ways_of(leaf: Any, blueprint: str, make: Callable[[str], Any]) -> Ways:
    """The portfolios of both players before the flop."""

    def known(source: Any) -> Any:
        text = str(source)
        own = text == BLUEPRINT or text.endswith(f":{BLUEPRINT}")
        return make(text.removesuffix(BLUEPRINT) + blueprint if own else text)

    first, second = portfolio_of(leaf).sources
    return [known(source) for source in first], [known(source) for source in second]


@dataclass(frozen=True, eq=False)
class BoardResponse:
    """A responder who searches boards.

    Attributes:
        match: responder and model; its solver and stop are those of each board.
        method: the method, after `in_game`.
        p, alpha: trust in the model, and weight of its range at the entries.
    """

    match: AnyMatchup
    method: Method
    p: float
    alpha: float = 0.0

    def outcome(self) -> Outcome:
        """The strategy; Ctrl-C keeps the boards so far, and the blueprint on all others."""
        search, game, seat = self.search, self._game, self.match.seat
        model = self.match.model.play if self.p or self.alpha else None
        if search.gadget.keeps_path:
            standing = StandingDecisions(game, seat, self.base)
            joint = JointSolve(game, standing, model, search).advance(self.match.progress)
            return Outcome(joint.play, joint.gap if joint.gap < inf else nan, joint.interrupted, str(search.solver))
        boards = game.boards.after(game.boards.root)
        work = BoardSearches(game, self.base, seat, model, boards, search, later=True)
        done = self.match.pieces.run(work, self._identity(work))
        return Outcome(work.finish(done.results), nan, done.interrupted, str(search.solver))

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
        leaf, game, seed = self.method.far.leaf, self._game, self.match.seed or 0
        blueprint = usual_blueprint(game).play
        if isinstance(leaf, ExactLeaf):
            return blueprint
        before = Search(LookAhead(Depth(), portfolio_of(leaf)), self.p, solver=self._solver, stop=self._stop(False))
        ways = ways_of(leaf, Nash.HEAD, lambda text: strategy_of(game, text, seed))  # `blueprint` is that of the game
        ahead = look_ahead_preflop(game, blueprint, self.match.seat, self.match.model.play, ways, before)
        if ahead.solution.interrupted:
            raise KeyboardInterrupt
        return ahead.play

    @property
    def _game(self) -> HoldemGame:
        return self.match.game.game  # type: ignore[no-any-return]

    @property
    def _solver(self) -> Solver:
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
        texts = {name: str(value) for name, value in facts.items()}
        return {"game": self.match.game.name, **work.identity(), **digests, **texts}
