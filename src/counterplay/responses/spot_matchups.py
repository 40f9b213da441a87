"""A responder against a model in a spot of hold'em: with plans as arrays, or of a large spot in a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from counterplay.errors import InputError
from counterplay.gadgets import gadget_of
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.betting.stakes import NO_BOUND
from counterplay.poker.betting.state import Kind
from counterplay.poker.compact.compact_run import has_compact_form
from counterplay.poker.compact.layout.compact_layout import layout_of
from counterplay.poker.plan_stores.compact_plans import CompactPlans, StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.public_tree.size_estimate import SOLVED, Needs, laid_trees
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame
from counterplay.poker.subtrees.street_limit import cut_betting
from counterplay.responses.matchup import (
    Matchup,
    local_best_response_of_hands,
    local_best_response_of_store,
    search_all_decisions,
    solve_chain,
    trust_of,
)
from counterplay.responses.method import AnyMatchup, M, Method, Outcome
from counterplay.responses.street_lookahead import check_search, check_stored_value, street_responder
from counterplay.solvers.minimiser import Solver, minimiser
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.treeplex.restriction import BranchRestriction, LaneTrust
from counterplay.value_functions.leaf_value import ExactLeaf
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.solved_value import SolvedValue

_CHOICE = 85
"""Bytes of a choice of a hand at the end of a street: those of a solve in float64, and what leads to it."""
_APART = 2
"""Choices of a hand of the model, which goes on apart."""
_BRACKET = 2
"""Answers below and above a largest exploitability, beside the newest."""


def needs_of(method: Method, game: StoredSpotGame) -> Needs:
    """The needs of a method after `in_game`; of an unknown one the most of any."""
    made = NEEDS.get(method.HEAD)
    if made is None:
        return Needs(_BRACKET + 1, 2, locked=True, profiles=_BRACKET, gadgets=True)
    needs = made(method)
    return needs if method.look is None else needs._replace(arrays=_arrays(game, method.look))


def _arrays(game: StoredSpotGame, look: LookAhead) -> float:
    """Bytes of the largest street that is laid out in arrays, with the choices of hands at its end."""
    if isinstance(look.leaf, ExactLeaf):
        return 0.0
    betting, boards, most = game.tree.betting, game.tree.boards, 0.0
    for street in range(len(boards.layers) - 1):
        part, nodes = cut_betting(betting, betting.rules.first + street)
        found = float(laid_trees(part, boards.cards, alike=False)[1].bytes(SOLVED))
        if isinstance(look.leaf, Portfolio):
            ends = int(((betting.kind[nodes] == Kind.DEAL) & (part.kind == Kind.SHOWDOWN)).sum())
            choices = sum(len(side) + _APART for side in look.leaf.sources)
            found += _CHOICE * ends * boards.layers[street + 1].places * choices
        most = max(most, found)
    return most


def _iterated(method: Method) -> Needs:
    bounded = method.max_exploitability is not None
    if not bounded and method.trust in (0.0, 1.0):
        return Needs()
    return Needs(_BRACKET if bounded else 0, 1)


def _looking(method: Method) -> Needs:
    """Each look-ahead leaves a pair of averages, in the place of the one before."""
    look, exact = method.far, isinstance(method.far.leaf, ExactLeaf)
    alone = look.gadget is not None and not gadget_of(look.gadget).keeps_path
    others = _BRACKET if method.max_exploitability is not None else 0
    mixed = 1 if method.HEAD == "cdbr-ne" else 0
    # Before the last street the opponent is the model up to the end of the street, or free: two strategies where either.
    unsure = method.HEAD in ("cdrnr", "abd") and method.trust not in (0.0, 1.0)
    needs = Needs(mixed, 2 if unsure and exact else 1, profiles=1 + others, gadgets=alone)
    if isinstance(look.leaf, Portfolio):
        first, second = look.leaf.sources
        return needs._replace(portfolio=(len(first), len(second)))
    return needs._replace(nested=True) if isinstance(look.leaf, SolvedValue) else needs


NEEDS: dict[str, Callable[[Method], Needs]] = {
    "br": lambda _: Needs(), "mix": lambda _: Needs(2), "lbr": lambda _: Needs(2, profiles=2),
    "dbr": lambda method: _iterated(method)._replace(locked=True),
    **dict.fromkeys(("rnr", "safe", "bne"), _iterated),
    **dict.fromkeys(("cdbr", "cdrnr", "cdbr-ne", "resolve", "ses", "abd"), _looking),
}  # fmt: skip
"""By name of the method. That `lbr` holds two profiles is measured (`tests/poker/test_response_memory.py`)."""


class InSpot(AnyMatchup):
    """Stakes and rake: solves are as exact as the spot wants them, look-aheads decide streets."""

    game: SpotGame

    @property
    def rake(self) -> float:
        return self.game.rake

    @property
    def about(self) -> Mapping[str, Any]:
        stakes = self.game.stakes
        return {"pot": stakes.pot, "big_blind": stakes.big_blind, "note": NO_BOUND if self.rake else None}

    def value_of(self, player: int) -> float:
        return self.game.value_of(player, self.solution)

    def refine_for(self, risk: float) -> None:
        self.game = self.game.refined_for(risk)

    def check_local(self) -> None:
        """Every spot is a poker game."""

    def depth_limited(self, method: Method, p: float, alpha: float = 0.0) -> Outcome:
        chain = street_responder(self.game, self.seat, search_all_decisions(self, method.far, p, alpha), self.model)
        return solve_chain(self, chain, range(chain.streets), chain.solve)


@dataclass(eq=False)
class SpotMatchup(InSpot, Matchup):
    """In a spot with plans as arrays."""

    game: SpotGame

    def _check(self) -> tuple[Solver, float]:
        super()._check()
        return self.game.solver, self.game.fine

    def _check_search(self, search: Search) -> None:
        check_search(self.game, search)

    def local_best_response(self) -> Outcome:
        return local_best_response_of_hands(self)


@dataclass(eq=False)
class StoredSpotMatchup(InSpot):
    """Without arrays of the whole tree: a plan is a store, of which the responder's part counts. Float32 does not tell finer
    steps of searches apart."""

    halvings_of_p: ClassVar[int] = 12
    halvings_of_mixture: ClassVar[int] = 20

    game: StoredSpotGame
    model: StoredStrategy

    def _check(self) -> tuple[Solver, float]:
        if not strategies_of(self.game).owns(self.model, getattr(self.model, "player", 0)):
            raise InputError(f"the model is not a strategy of {self.game.name}, as `opponent` returns one")
        self.model = self.game.kept(self.model)
        if self.solver == "lp":
            raise InputError(f"{self.game.name} is too large for the linear program; use a minimiser such as dcfr")
        return self.game.solver, self.game.fine

    def in_game(self, method: M) -> M:
        """See `AnyMatchup`; a method that does not fit in memory is refused."""
        fitted = super().in_game(method)
        alike = self.model.plans.averages.layout is layout_of(self.game.tree, alike=True)
        self.game.check_response(self.model.player, needs_of(fitted, self.game), fitted.HEAD, alike=alike)
        return fitted

    def identity(self) -> dict[str, Any]:
        model = self.model.plans.facing(self.seat, self.game.uniform_plans).digest()
        return {"game": self.game.name, "model": model, "solver": self.solver}

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Any:
        return StoredStrategy(outcome.plan, self.seat, facts)

    @cached_property
    def _faced(self) -> CompactPlans:
        return self.game.equilibrium_plans(self.progress).facing(self.model.player, self.model.plans)

    def value_against_model(self, plan: CompactPlans) -> float:
        return plan.facing(self.model.player, self._faced).value(self.seat)

    def guarantee(self, plan: CompactPlans) -> float:
        return -plan.best_value(self.model.player)

    def mixed_plan(self, safe: CompactPlans, greedy: CompactPlans, weight: float) -> CompactPlans:
        return safe.mixed(self.seat, greedy, weight)

    def equilibrium(self) -> Outcome:
        solution = self.solution
        return Outcome(self.game.equilibrium_plans(), solution.nash_conv, solution.interrupted, solution.method)

    def best_response(self) -> Outcome:
        return Outcome(self._faced.best_response(self.seat), solver="sweep")

    def restricted(self, p: float, *, by_infoset: bool, accuracy: float = 1.0) -> Outcome:
        method, them = minimiser(self.solver).changed(single=False), self.model.player
        if by_infoset:
            dealt = int(self.game.tree.runs[them].lane[DEAL]) + np.arange(self.game.tree.boards.layers[0].places)
            trust = self._trust(p).put(dealt, 0.0)  # the range binds already
            restriction = BranchRestriction(self.model.behaviour, trust)
        else:
            restriction = BranchRestriction(self._faced.behaviour(them), p=p)
        if not has_compact_form(method):
            raise InputError(
                f"{self.game.name} is large: players update in turn and without predictions, as by cfr, cfr+ or dcfr, "
                f"not as by {method.name}"
            )
        stop = replace(self.stop, exploitability=accuracy * self.stop.exploitability)
        plans, solved = self._faced.solved_against(them, restriction, 1.0, method, stop, self.progress)
        return Outcome(plans, solved.nash_conv, solved.interrupted, method.name)

    def _trust(self, p: float) -> LaneTrust:
        if self.model.counts is None:
            return LaneTrust(elsewhere=p)
        observed = np.flatnonzero(self.model.counts)
        return LaneTrust(observed, trust_of(self.model, p)[observed])

    def check_look(self, look: LookAhead, alpha: float = 0.0) -> None:
        check_stored_value(look.leaf)
        check_search(self.game, search_all_decisions(self, look, 0.0, alpha))

    def local_best_response(self) -> Outcome:
        return local_best_response_of_store(self.model.plans, self.seat)
