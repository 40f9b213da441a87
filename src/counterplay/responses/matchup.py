"""A responder against a model in a game in memory, whose plans are arrays.

A player who looks ahead (CDBR, CDRNR, continual re-solving, SES; Milec et al. 2024) solves all decisions: the complete
strategy has exact gain and exploitability.

Local best responses (Lisý and Bowling 2017) are the best action if both sides only call from then on, against an opponent
who folds to it as the model does. In enumerated games a decision is an infoset; on ranges it is a betting node, with all
hands at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I8, I64
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import lane_levels
from counterplay.lookahead.decisions import DecisionGroup, SearchState, decision_groups
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.step import decide, decide_group
from counterplay.poker.betting.stakes import check_zero_sum
from counterplay.poker.betting.state import Move
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.plan_stores.compact_plans import CompactPlans, StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.method import AnyMatchup, Method, Outcome
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.cfr import Stop, begin_part
from counterplay.solvers.equilibrium import LP_UP_TO, pick, solve_by, usual_payoff
from counterplay.solvers.lp import FixedInfosets, SequenceFormLP, check_exact
from counterplay.solvers.minimiser import Solver
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import ENOUGH, reach, values
from counterplay.treeplex.treeplex import Treeplex
from counterplay.value_functions.leaf_value import ValueFunction
from counterplay.value_functions.portfolio import Portfolio

FOLD, CALL = "Fold", "Call"
"""The names of actions that a poker game must use; a check is a call of nothing."""


def local_best_response(match: AnyMatchup, update_range: bool = True) -> Outcome:
    """LBR at every decision of an enumerated poker game, one in which every decision offers Call."""
    tree, other, name = match.game.trees[match.seat], match.model.tree, match.game.name
    own_levels, other_levels = (lane_levels(match.game, seat) for seat in (match.seat, 1 - match.seat))
    calls = _passive_in_tree(name, tree, np.zeros(tree.size))
    passive = _passive_in_tree(name, other, match.model.behaviour)
    unread = np.where(other.owner >= 0, 1.0, match.model.behaviour)
    above = match.model.behaviour if update_range else unread
    behaviour = tree.uniform()
    for level in sorted(set(own_levels[own_levels >= 0].tolist())):
        earlier = (other.owner >= 0) & (other_levels[other.owner] < level)
        opponent = reach(other, np.where(earlier, above, passive))
        worth = values(tree, calls, match.game.payoff.product(match.seat, opponent))
        for lane in np.flatnonzero(own_levels == level).tolist():
            actions = tree.sequences_of(lane)
            behaviour[actions] = np.arange(len(worth[actions])) == int(np.argmax(worth[actions]))
    return Outcome(reach(tree, behaviour), solver="sweep")


def _passive_in_tree(name: str, tree: Treeplex, behaviour: F64) -> F64:
    """(size,) the behaviour that folds as often as `behaviour` does, and else calls."""
    passive = np.zeros(tree.size)
    passive[0] = 1.0
    for names, lane in zip(tree.labels.actions, tree.labels.lanes, strict=True):
        if CALL not in names:
            raise InputError(f"lbr plays poker games, in which every decision offers {CALL}, not {name}")
        if lane >= 0:
            actions = tree.sequences_of(lane)
            folds = float(behaviour[actions][names.index(FOLD)]) if FOLD in names else 0.0
            passive[actions] = [{FOLD: folds, CALL: 1.0 - folds}.get(name, 0.0) for name in names]
    return passive


def local_best_response_of_hands(match: AnyMatchup) -> Outcome:
    """LBR at every decision of a spot with plans as arrays."""
    game: SpotGame = match.game
    me, betting = match.seat, game.tree.betting
    tree, other = game.trees[me], game.trees[1 - me]
    calls = _passive_in_spot(game, me, np.zeros(tree.size))
    passive = _passive_in_spot(game, 1 - me, match.model.behaviour)
    depth, theirs = _depths_of(betting), np.full(other.size, -1)
    for node in _decisions(game, 1 - me):  # the depth at which each of the opponent's sequences was chosen
        theirs[game.tree.sequences_at(1 - me, node).T] = depth[node]
    behaviour = game.dealt_behaviour(me, tree.uniform())
    nodes = np.array(_decisions(game, me))
    for level in np.unique(depth[nodes]).tolist():
        opponent = reach(other, np.where(theirs < level, match.model.behaviour, passive))
        worth = values(tree, calls, game.payoff.product(me, opponent))
        for node in nodes[depth[nodes] == level].tolist():
            rows = game.tree.sequences_at(me, node).T
            behaviour[rows] = np.arange(len(rows))[:, None] == worth[rows].argmax(axis=0)
    return Outcome(reach(tree, behaviour), solver="sweep", behaviour=behaviour)


def local_best_response_of_store(model: CompactPlans, me: int) -> Outcome:
    """LBR at every decision of a large spot, on all boards; hands outside the range play uniformly."""
    plans, betting = model.on_all_boards, model.tree.betting
    depth, decisions = _depths_of(betting), plans.averages.layout.decisions

    def call(node: int, lanes: I64) -> F64:
        return _folding_as(betting, node, np.zeros((len(betting.children(node)), len(lanes))))

    calls = plans.with_choices(me, call, keep=False)
    mine = [node for node, one in decisions.items() if one.player == me]
    chosen: dict[int, I8] = {}
    for level in np.unique(depth[mine]).tolist():

        def facing(node: int, played: F64, level: int = level) -> F64:
            return played if depth[node] < level else _folding_as(betting, node, played)

        averages, nodes = calls.with_changes(1 - me, facing).averages, [node for node in mine if depth[node] == level]
        segments = [decisions[node].segment for node in nodes]
        worth = averages.action_cfvs(me, averages.sides[me][0], range(min(segments), max(segments) + 1))
        for node in nodes:
            held = averages.layout.own[me].layers[decisions[node].layer].kept.astype(np.int64)
            chosen[node] = worth.at(node, held).argmax(axis=0).astype(np.int8)

    def best(node: int, _: Any) -> F64:
        return np.asarray(chosen[node] == np.arange(len(betting.children(node)))[:, None], np.float64)

    return Outcome(plans.with_choices(me, best, keep=False), solver="sweep")


def _depths_of(betting: BettingTree) -> I64:
    """(nodes,) the depth of each betting node."""
    depth = np.zeros(betting.nodes, np.int64)
    for node in range(1, betting.nodes):
        depth[node] = depth[betting.parent[node]] + 1
    return depth


def _decisions(game: SpotGame, player: int) -> list[int]:
    """The betting nodes where a player decides."""
    return np.flatnonzero(game.tree.runs[player].lane[:DEAL] >= 0).tolist()


def _passive_in_spot(game: SpotGame, player: int, behaviour: F64) -> F64:
    """(size,) the behaviour that folds as often as `behaviour` does, and else checks or calls."""
    out = np.zeros(game.tree.runs[player].tree.size)
    for node in _decisions(game, player):
        rows = game.tree.sequences_at(player, node).T
        out[rows] = _folding_as(game.tree.betting, node, behaviour[rows])
    return game.dealt_behaviour(player, out)


def _folding_as(betting: BettingTree, node: int, played: F64) -> F64:
    """(actions, n) probabilities at a betting node of hands that fold as often as (actions, n) others, and else call."""
    moves = [betting.move[child] for child in betting.children(node)]
    folds = sum(row for move, row in zip(moves, played, strict=True) if move == Move.FOLD)
    kept = {Move.FOLD: folds, Move.CHECK: 1.0 - folds, Move.CALL: 1.0 - folds}
    return np.stack([np.zeros(played.shape[1]) + kept.get(move, 0.0) for move in moves])


_PROGRAM = "response by linear program"
_SLACK, _FAR = 1e-10, 1e3
"""Rounding tolerance of exploitability as a share of the span of payoffs, or of so many times the usual payoff if that is
less: 0 and a requested bound are met up to it."""
ITERATIONS = 1000
"""Iterations of a look-ahead with a value function that is not linear, as in the paper, if no number is given; its gap need
not go to 0.
"""
MIXED_ITERATIONS = 5000
"""Iterations where 0 < p < 1 and a call of the value function is quick, as of a network. Many responses are about as good
there, so that gain and exploitability settle long after what is maximised.
"""


@dataclass(eq=False)
class Matchup(AnyMatchup):
    """One responder, one model, in a `SolvableGame`; by `auto` an lp if the game is small enough. Nothing is drawn."""

    model: Strategy

    def _check(self) -> tuple[Solver, float]:
        if not isinstance(self.model, Strategy):
            raise InputError(f"the model must be a Strategy, as `opponent` returns it, not {type(self.model).__name__}")
        if not self.model.is_of(self.game):
            raise InputError(f"the model is a strategy of another game than {self.game.name}")
        if self.solver == "lp" and self.rake:
            check_zero_sum(self.rake, "the linear program takes none; use a minimiser such as dcfr")
        return "lp" if self.game.payoff.entries <= LP_UP_TO else "auto", 1e-5 * self.game.span

    @cached_property
    def slack(self) -> float:
        """Rounding tolerance in chips: payoffs that both avoid may be as large as one likes."""
        usual = usual_payoff(self.game.subgame, self.solution.plans) if self.solver == "lp" else self.span
        return _SLACK * min(self.span, _FAR * usual)

    def identity(self) -> dict[str, Any]:
        model = hashlib.sha256(np.ascontiguousarray(self.model.plan).tobytes()).hexdigest()[:16]
        return {"game": self.game.name, "model": model, "solver": self.solver}

    def strategy_of(self, outcome: Outcome, facts: dict[str, Any]) -> Strategy:
        tree = self.game.trees[self.seat]
        if outcome.behaviour is None:
            return Strategy.from_plan(tree, outcome.plan, facts)
        return Strategy.made(tree, outcome.behaviour, facts)

    @cached_property
    def rewards(self) -> F64:
        """(size,) chips of the responder for each own sequence, against the model."""
        return self.game.payoff.product(self.seat, self.model.plan)  # type: ignore[no-any-return]

    @cached_property
    def program(self) -> SequenceFormLP:
        """The linear program of the responder, cached for its basis."""
        own = self.game.subgame.restrictions[self.seat]
        fixed = FixedInfosets(own.keep == 0.0, own.mix) if own.is_local else None
        return SequenceFormLP(self.game.subgame, self.seat, fixed=fixed)

    def value_against_model(self, plan: F64) -> float:
        return float(self.rewards @ plan)

    def guarantee(self, plan: F64) -> float:
        return -best_response(self.game.subgame, 1 - self.seat, plan).value

    def mixed_plan(self, safe: F64, greedy: F64, weight: float) -> F64:
        return (1.0 - weight) * safe + weight * greedy

    def equilibrium(self) -> Outcome:
        solution = self.solution
        return Outcome(solution.plans[self.seat], solution.nash_conv, solution.interrupted, solution.method)

    def best_response(self) -> Outcome:
        behaviour = best_response(self.game.subgame, self.seat, self.model.plan).behaviour
        own = self.game.subgame.restrictions[self.seat]
        return Outcome(own.played(self.game.trees[self.seat], behaviour), solver="sweep")

    def restricted(self, p: float, *, by_infoset: bool, accuracy: float = 1.0) -> Outcome:
        tree, behaviour = self.model.tree, self.model.behaviour
        if by_infoset:
            restriction = Restriction.local(tree, behaviour, trust_of(self.model, p))
        elif self.solver == "lp":
            begin_part(self.progress, _PROGRAM)
            return Outcome(self.program.maximise(p * self.rewards, 1.0 - p).plan)
        else:
            restriction = Restriction.of_plan(tree, behaviour, p)
        problem = self.game.subgame.bound(1 - self.seat, restriction)
        stop = replace(self.stop, exploitability=accuracy * self.stop.exploitability)
        solution = solve_by(problem, self.solver, stop, self.progress)
        return Outcome(solution.plans[self.seat], solution.nash_conv, solution.interrupted, solution.method)

    def best_equilibrium(self) -> Outcome:
        return self.guaranteeing(self._exact_value - self.slack)

    def exactly_safe(self, epsilon: float) -> Outcome | None:
        return self.guaranteeing(self._exact_value - epsilon) if self.solver == "lp" else None

    @property
    def _exact_value(self) -> float:
        """The value for the responder, by linear program where the known one was iterated."""
        if self.solution.method == "lp":
            return self.game_value
        begin_part(self.progress, "value by linear program")
        return self.program.maximise(None, 1.0).guarantees[0]

    def guaranteeing(self, floor: float) -> Outcome:
        """The largest value against the model with a worst-case value of at least `floor`, by linear program."""
        begin_part(self.progress, _PROGRAM)
        plan, them = self.program.maximise(self.rewards, 0.0, floor=floor).plan, 1 - self.seat
        best = best_response(self.game.subgame, them, plan)
        theirs = played_plan(self.game.subgame, them, best.behaviour)
        plans = (plan, theirs) if self.seat == 0 else (theirs, plan)
        check_exact(floor + best.value, usual_payoff(self.game.subgame, plans))
        return Outcome(plan)

    def check_look(self, look: LookAhead, alpha: float = 0.0) -> None:
        """Reject a depth, a value function or a strategy of a portfolio that the game does not have."""
        search = search_all_decisions(self, look, 0.0, alpha)
        self._check_search(search)
        if isinstance(search.value, Portfolio):
            for player in (0, 1):
                search.value.strategies(self.game, player)

    def _check_search(self, search: Search) -> None:
        search.depth.clock(self.game)

    def check_local(self) -> None:
        local_best_response(self)

    def depth_limited(self, method: Method, p: float, alpha: float = 0.0) -> Outcome:
        look = method.far
        settles_late = 0.0 < p < 1.0 and getattr(look.leaf, "quick", False)
        search = search_all_decisions(self, look, p, alpha, MIXED_ITERATIONS if settles_late else ITERATIONS)
        chain = SearchState(self.game, self.seat, search, self.model)

        def solve(unit: DecisionGroup) -> None:
            if search.joint:
                decide_group(chain, unit)
            else:
                decide(chain, unit)

        return solve_chain(self, chain, decision_groups(self.game, self.seat, search.depth, search.joint), solve)

    def local_best_response(self) -> Outcome:
        return local_best_response(self)


def trust_of(model: Strategy | StoredStrategy, p: float) -> F64:
    """(lanes,) trust in a model: p · min(1, n(I)/10), with n(I) its observations of an infoset; p everywhere if it has no
    counts."""
    check_p(p)
    if model.counts is None:
        return np.full(model.tree.lanes, p)
    return p * np.minimum(1.0, model.counts / ENOUGH)


def search_all_decisions(
    match: AnyMatchup, look: LookAhead, p: float, alpha: float = 0.0, usual: int = ITERATIONS
) -> Search:
    """The search of every decision of a responder; `usual`: iterations over a value function if none are given."""
    check_p(p)
    solver, stop = match.solver, match.stop
    if solver == "auto":
        solver = pick(match.game.subgame).name
    if isinstance(look.leaf, ValueFunction) and stop.iterations == Stop.iterations:
        stop = replace(stop, iterations=usual)
    return Search(look, p, alpha, solver, stop)


def solve_chain(match: AnyMatchup, chain: Any, units: Sequence[Any], solve: Callable[[Any], None]) -> Outcome:
    """The complete strategy of a chain of look-aheads whose units are solved in turn; Ctrl-C keeps those so far."""
    try:
        for number, unit in enumerate(units):
            begin_part(match.progress, f"look-ahead {number + 1:,} of {len(units):,}")
            solve(unit)
            if chain.interrupted:
                break
    except KeyboardInterrupt:
        chain.interrupted = True
    return Outcome(chain.plan, chain.gap, chain.interrupted, str(chain.search.method), chain.behaviour)
