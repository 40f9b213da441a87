"""One look-ahead: from the state of a chain to the problem, its solution, and the new state.

With the exact value function the game below the limit is part of the problem: the model is followed down to the limit,
and below it the opponent chooses, whether or not they are the model. With another one the problem ends at the limit,
where the value function takes the mixed range.

The full gadget leaves the opponent free from the root of the game, with the player's earlier decisions fixed; the
others put an entry in front of the public state where the look-ahead begins. Against the model alone (p = 1) no gadget
is needed.

Decisions off the path, which the player's strategy or the model never reaches, are solved, too: play may lead anywhere, and
a complete strategy must equal that of an agent there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from counterplay.arrays import F64, I32, I64, Flags
from counterplay.errors import InputError
from counterplay.gadgets import Resolving
from counterplay.gadgets.gadget import unsafe_entry
from counterplay.games.game import LIMIT, TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import children_of, histories_of, player_odds, sum_up
from counterplay.gametree.compile.levels import lane_clock, least_by_lane
from counterplay.lookahead.decisions import (
    ChainPlans,
    Claims,
    Decision,
    DecisionGroup,
    SearchState,
    StepResult,
    acting_in,
    group_of_decision,
)
from counterplay.lookahead.resolver import breaks_ties, exact_solve
from counterplay.lookahead.search import FollowedModel, Posed, Search, Solve, whole_problem
from counterplay.problem.subgame import Beyond
from counterplay.solvers.cfr import Solution
from counterplay.subgames.cut import Cut, cut, in_states
from counterplay.subgames.cut_game import Border, CutGame, build_gadget_game
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import ArrayPlans, Root
from counterplay.treeplex.restriction import fix_decisions
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, reach
from counterplay.value_functions.leaf_value import EstimatedValue, Evaluate, ValueFunction
from counterplay.value_functions.portfolio import Portfolio


def is_model_only(search: Search) -> bool:
    """Return whether the opponent is surely the model, before the limit and beyond it."""
    return search.p == 1.0 and isinstance(search.value, Portfolio | EstimatedValue)


def respond_from(chain: SearchState, lanes: I32, search: Search, until: int) -> F64:
    """The best response of a player to the model, at some infosets and below.

    Returns:
        (own size,) behaviour: pure, the first of equally good actions, at these infosets and below down to the limit.
    """
    game, seat, model = chain.game, chain.seat, chain.model
    if model is None:
        raise InputError("without a model of the opponent p and alpha must be 0")
    ends, limit = _leaves(game, np.sort(histories_of(game, seat).of_all(lanes)), search.depth.whole_clock(game), until)
    sign, tree, own = 1.0 if seat == 0 else -1.0, game.trees[seat], game.sequences[seat]

    def weight(here: I64) -> F64:
        """The probability by chance and the model of each history, signed by the player's sign of payoffs."""
        return np.asarray(sign * game.histories.reach[here] * model.plan[game.sequences[1 - seat][here]], np.float64)

    cfv = np.bincount(own[ends], weight(ends) * game.histories.utility[ends], tree.size).astype(np.float64)
    if len(limit):
        border = Border.at(game, limit)
        if isinstance(search.value, EstimatedValue):
            chips = search.value.chips(border)[:, None]
        else:  # (n, K) by each continuation of the player
            assert isinstance(search.value, Portfolio)
            behind = search.value.against(border, seat, model, chain.source).model
            assert behind is not None
            chips = behind
        worth = np.zeros((border.sizes[seat], chips.shape[1]))
        np.add.at(worth, border.known[seat], weight(limit)[:, None] * chips)
        place = np.zeros(len(worth), np.int32)
        place[border.known[seat]] = own[limit]
        np.add.at(cfv, place, worth.max(axis=1))
    choice = np.zeros(tree.size)
    best(tree.arrays, np.zeros(0), np.zeros(0), cfv, choice)
    return choice


def _leaves(game: GameTree, roots: I64, clock: I32, until: int) -> tuple[I64, I64]:
    """The terminals below some histories up to a clock, and the first histories beyond it."""
    table, children = game.histories, children_of(game)
    ends, limit, here = [], [], roots
    while len(here):
        over = table.player[here] == TERMINAL
        beyond = ~over & ((clock[here] > until) | (table.player[here] == LIMIT))
        ends.append(here[over])
        limit.append(here[beyond])
        here = np.unique(children.of_all(here[~over & ~beyond]))
    return np.unique(np.concatenate(ends)), np.unique(np.concatenate(limit))  # one root may be below another


def solve(chain: SearchState, unit: DecisionGroup, search: Search, posed: Posed | None = None) -> StepResult:
    """Solve the look-ahead of a unit."""
    if posed is None:
        if is_model_only(search):  # one backward pass from the decisions
            lanes = np.concatenate([decision.lanes for decision in unit.decisions])
            return StepResult(_responded(chain, lanes, unit, search), chain.other, chain.claims, 0.0, False)
        posed = pose(chain, unit, search)
    found: StepResult = posed.read(chain, posed.solve.advance())
    return found if posed.solve.finished else replace(found, unfinished=posed)


def pose(chain: SearchState, unit: DecisionGroup, search: Search) -> Posed:
    """The problem of a unit's look-ahead, and the reader of its solution; errors as in `solve`."""
    if (search.p > 0.0 or search.tremble.alpha > 0.0) and chain.model is None:
        raise InputError("without a model of the opponent p and alpha must be 0")
    if search.exact:
        if (chain.game.histories.player == LIMIT).any():
            raise InputError(f"the exact value function needs all of {chain.game.name} in memory; name another one")
        if search.gadget.keeps_path or search.p == 1.0:
            return _whole(chain, unit, search)
    return _cut(chain, unit, search)


def decide_group(
    state: SearchState, unit: DecisionGroup, search: Search | None = None, posed: Posed | None = None
) -> StepResult:
    """Solve a unit whose earlier decisions are fixed, and keep its decisions; returns the result of the look-ahead."""
    found = solve(state, unit, search or state.search, posed)
    state.keep(unit, found)
    return found


def decide_infosets(state: SearchState, lanes: I32, unit: DecisionGroup, search: Search) -> None:
    """Decide some infosets of a unit against a certain model (see `is_model_only`)."""
    state.keep_response(lanes, _responded(state, lanes, unit, search))


def _responded(chain: SearchState, lanes: I32, unit: DecisionGroup, search: Search) -> F64:
    """(own size,) the chain's behaviour with the best response to a certain model at infosets of a unit and below."""
    choice, tree = respond_from(chain, lanes, search, seen_until(chain, unit, search)), chain.game.trees[chain.seat]
    below = np.zeros(tree.lanes, np.bool_)
    below[lanes] = True
    for _, _, _, lane, count in tree.arrays.groups.tolist():
        here = slice(lane, lane + count)
        up = tree.owner[tree.arrays.parent[here]]
        below[here] |= (up >= 0) & below[up]
    below &= ~chain.decided
    return np.where((tree.owner >= 0) & below[tree.owner], choice, chain.behaviour)


def searched_histories(chain: SearchState, unit: DecisionGroup, search: Search) -> Flags:
    """(H,) the histories that the look-aheads up to this one expand: where the model is followed."""
    seen = _seen(chain, unit, search)
    if search.joint:
        return seen
    inside = cut(chain.game, unit.tops, chain.seat).root >= 0
    here = inside & seen
    if unit.before is None:
        return here
    above = group_of_decision(chain.game, unit.before, search.depth, [unit.before])
    return np.asarray(searched_histories(chain, above, search) | here)


def trimmed_histories(chain: SearchState, unit: DecisionGroup, search: Search) -> Flags:
    """(H,) the histories that a look-ahead expands behind the trimmed gadget: its own, and all public states on the way from
    the root to those where it begins."""
    piece = cut(chain.game, unit.tops, chain.seat)
    table, public = piece.game.histories, piece.game.public[0]
    passed = np.zeros(len(table), np.bool_)
    at = piece.top.histories
    while len(at := np.unique(table.parent[at])) and at[-1] >= 0:
        at = at[at >= 0]
        passed[at] = True
    info = table.info[0][passed]
    path = in_states(piece.game, np.unique(public[info[info >= 0]]).tolist())
    return np.asarray(path | ((piece.root >= 0) & _seen(chain, unit, search)))


def _standing(chain: SearchState, unit: DecisionGroup, all_decided: bool) -> Flags:
    """(own lanes,) the decisions on the path to this one, or all decisions so far."""
    if all_decided:
        return chain.decided
    lanes = np.zeros(len(chain.decided), np.bool_)
    for decision in unit.before.path if unit.before else []:
        lanes[decision.lanes] = True
    return lanes


def _followed(chain: SearchState, expanded: Flags) -> Flags:
    """(lanes,) of the opponent, whether all histories are expanded."""
    return np.asarray(least_by_lane(chain.game, 1 - chain.seat, expanded.astype(np.int32)) == 1)


def _whole(chain: SearchState, unit: DecisionGroup, search: Search) -> Posed:
    """The whole game as the problem, with restrictions only."""
    game, me = chain.game, chain.seat
    model = None
    if chain.model is not None:
        followed = _followed(chain, searched_histories(chain, unit, search))
        model = FollowedModel(chain.model.behaviour, search.p, followed)
    problem = whole_problem(game.subgame, me, chain.behaviour, _standing(chain, unit, search.joint), model)
    inside = least_by_lane(game, me, (cut(game, unit.tops, me).root >= 0).astype(np.int32)) == 1

    def read(chain: SearchState, solution: Solution) -> StepResult:
        mine = problem.restrictions[me].chosen(game.trees[me], solution.plans[me])
        below = inside & ~chain.decided
        sequences = below[game.trees[me].owner] & (game.trees[me].owner >= 0)
        behaviour = np.where(sequences, mine, chain.behaviour)
        return StepResult(behaviour, chain.other, chain.claims, solution.nash_conv, solution.interrupted)

    return Posed(Solve(problem, me, search), read)


def _cut(chain: SearchState, unit: DecisionGroup, search: Search) -> Posed:
    """A separate problem for the game below the tops."""
    game, me = chain.game, chain.seat
    full = search.frees_the_opponent
    kept = trimmed_histories if search.gadget.trims_path else searched_histories
    expanded = kept(chain, unit, search) if full else _seen(chain, unit, search)
    tops = frozenset([int(game.public[0][game.histories.info[0][0]])]) if full else unit.tops
    piece = cut(game, tops, me, None if search.exact else expanded)
    plan = chain.plan
    chips = search.value.chips(piece.limit) if isinstance(search.value, EstimatedValue) else None
    other_plan = reach(game.trees[1 - me], chain.other)
    states = None
    if isinstance(search.value, Portfolio) and len(piece.limit.histories):
        followed = search.p > 0.0 or breaks_ties(search)  # the model goes on as the model
        states = search.value.states(piece.limit, me, chain.model if followed else None, chain.source)
    problem = build_gadget_game(piece, _entry(chain, piece, unit, search), plan, other_plan, chips, states)
    estimate = search.tremble.estimate(piece, plan, chain.model.plan) if chain.model is not None else None
    problem = search.tremble.tilted(problem, estimate)
    problem, toward = search.tremble.refined(problem, piece, other_plan, search.method)
    # A look-ahead from above other decisions takes them as they stand: only so is the whole as safe as its parts.
    inner, outer = problem.matched[me]
    fixed = _standing(chain, unit, search.joint or not full)[game.trees[me].owner[outer]]
    tree, own = problem.subgame.trees[me], problem.subgame.restrictions[me]
    subgame = problem.subgame.restricted(me, fix_decisions(tree, inner[fixed], chain.behaviour[outer[fixed]], own))
    if chain.model is not None and search.p > 0.0:
        bound = problem.trusting(search.p, chain.model.behaviour, chain.model.plan, _followed(chain, expanded))
        subgame = subgame.restricted(1 - me, bound.subgame.restrictions[1 - me])
    evaluate = None
    if isinstance(search.value, ValueFunction) and len(piece.limit.histories):
        evaluate = search.value.at(piece.limit)
        subgame = replace(subgame, beyond=value_leaves(problem, evaluate))

    def read(chain: SearchState, solution: Solution) -> StepResult:
        played = [
            subgame.restrictions[i].behaviour(subgame.trees[i], subgame.restrictions[i].chosen(subgame.trees[i], plan))
            for i, plan in enumerate(solution.plans)
        ]
        behaviour = problem.splice(me, played[me], chain.behaviour)
        other = problem.splice(1 - me, played[1 - me], chain.other)
        claims = claims_after(problem, solution, behaviour, chips, evaluate)
        final = np.concatenate([chain.decided, [False]])[game.trees[me].owner]
        behaviour = np.where(final, chain.behaviour, behaviour)
        return StepResult(behaviour, other, claims, solution.nash_conv, solution.interrupted)

    model = None if chain.model is None else ArrayPlans.of(game.subgame, chain.model)
    return Posed(Solve(subgame, me, search, exact_solve(problem, subgame, search, toward, model)), read)


def _seen(chain: SearchState, unit: DecisionGroup, search: Search) -> Flags:
    """(H,) the histories up to the limit of a look-ahead, which includes at least its decisions."""
    return np.asarray(search.depth.whole_clock(chain.game) <= seen_until(chain, unit, search))


def seen_until(chain: SearchState, unit: DecisionGroup, search: Search) -> int:
    """The clock of the last histories that a look-ahead expands."""
    clock = lane_clock(chain.game, chain.seat, search.depth)
    return max(unit.until, *(int(clock[decision.lanes].max()) for decision in unit.decisions))


def _entry(chain: SearchState, piece: Cut, unit: DecisionGroup, search: Search) -> Entry:
    root_only = len(piece.top.histories) == 1 and piece.top.histories[0] == 0
    if root_only:
        return unsafe_entry(1, np.ones(1))
    if search.p == 1.0 or search.gadget.fixes_range:
        return unsafe_entry(piece.size)
    # With nothing known the look-ahead before needed no gadget; with all in memory its plans can be asked.
    known = chain.claims.infosets[piece.top.infosets[piece.opponent]]
    if search.gadget.contracts_path:  # it reads decisions and plans as a strategy of the whole game
        if not search.exact:
            raise InputError(f"the {search.gadget} gadget needs plans to the end of the game: the exact value function")
        if not search.joint:
            raise InputError(
                f"public states solved alone behind the {search.gadget} gadget would each count on what the opponent loses "
                "in the others: solve them jointly"
            )
        planned = Strategy(chain.game.trees[chain.seat], chain.behaviour)
        return search.gadget.entry(Root(piece, ArrayPlans.of(chain.game.subgame, planned)))
    plans = ChainPlans(chain)
    root = Root(
        replace(piece, since=unit.since), plans, normalised=search.tremble.normalised,
        known=None if np.isnan(known).any() else known,
    )  # fmt: skip
    return search.gadget.entry(root)


def value_leaves(problem: CutGame, evaluate: Evaluate) -> Beyond:
    """A value function at the limit of a problem, as leaves of its plans."""
    places, other, unit = problem.border, problem.piece.opponent, problem.unit
    sizes = [tree.size for tree in problem.subgame.trees]

    def leaves(plan0: F64, plan1: F64) -> tuple[F64, F64]:
        both = [
            np.bincount(places[i], cfv, sizes[i]).astype(np.float64)
            for i, cfv in enumerate(evaluate(*problem.ranges(plan0, plan1)))
        ]
        if unit is not None:
            both[other] *= unit
        return both[0], both[1]

    return leaves


def claims_after(
    problem: CutGame, solution: Solution, behaviour: F64, chips: F64 | None, evaluate: Evaluate | None
) -> Claims:
    """The claims after a look-ahead: its solved problem, without the value function, and the (own size,) behaviour in the
    whole game, with the solution spliced in. chips, evaluate: the estimates (limit,) or the value function at the limit, if
    the problem was solved with them."""
    piece = problem.piece
    game, me, other = piece.game, piece.resolver, piece.opponent
    tree = problem.subgame.trees[other]
    cfv = problem.subgame.leaves.product(other, solution.plans[me])
    unit = problem.multiplier
    # (H,) the opponent's payoff at each end of the subgame, times chance's and the resolver's reach.
    table, plan, worth = game.histories, reach(game.trees[me], behaviour), np.zeros(len(game.histories))
    ends = np.flatnonzero((table.player == TERMINAL) & (piece.root >= 0))
    paid = (
        [(ends, table.utility[ends])]
        if chips is None
        else [(ends, table.utility[ends]), (piece.limit.histories, chips)]
    )
    for histories, utility in paid:
        here = table.reach[histories] * plan[game.sequences[me][histories]]
        worth[histories] = (1.0 if other == 0 else -1.0) * utility * here
    continuing = problem.continuing
    if continuing is not None and len(piece.limit.histories):
        claim = continuing.claims(solution.plans[me])
        worth[piece.limit.histories[np.unique(piece.limit.known[other], return_index=True)[1]]] += claim
    if evaluate:
        claim = evaluate(*problem.ranges(*solution.plans))[other]
        there = np.bincount(problem.border[other], claim, tree.size)
        cfv += there if unit is None else there * unit
        # All histories of an infoset of the limit have the same way behind them: one of them stands for all.
        worth[piece.limit.histories[np.unique(piece.limit.known[other], return_index=True)[1]]] += claim
    answer = np.zeros(tree.size)
    best(tree.arrays, np.zeros(0), np.zeros(0), cfv, answer)
    if unit is not None:
        cfv = np.divide(cfv, unit, out=np.zeros(len(cfv)), where=unit > 0.0)
    theirs = problem.splice(other, answer, game.trees[other].uniform())
    below = (piece.root >= 0) & (piece.root != np.arange(len(piece.root)))
    sum_up(game.histories.parent, below, player_odds(game, other, theirs), worth)
    sequences = problem.splice(other, cfv, np.full(game.trees[other].size, np.nan))
    # The sum over the first histories of each infoset.
    info, up = game.histories.info[other], game.histories.parent
    first = (piece.root >= 0) & (info >= 0) & ((piece.root == np.arange(len(info))) | (info != info[up]))
    histories = np.flatnonzero(first)
    infosets = np.full(len(game.public[other]), np.nan)
    infosets[info[histories]] = 0.0
    np.add.at(infosets, info[histories], worth[histories])
    return Claims(infosets, sequences)


_NOTHING = 1e-300


def decide(chain: SearchState, unit: DecisionGroup) -> None:
    """Solve a unit of one public state as an agent would: without the model where it has no reach, and as if the
    player's own strategy had reach where it has none."""
    for explained in (True, False):
        part = tuple(one for one in unit.decisions if is_explained(chain, one) == explained)
        if part:
            some = replace(unit, decisions=part)
            with make_reachable(chain, some):
                decide_group(chain, some, chain.search if explained else without_model(chain.search))


def without_model(search: Search) -> Search:
    return replace(search.tilted(0.0).looking(gadget=Resolving()), p=0.0)


def trusts(search: Search) -> bool:
    return search.p > 0.0 or search.tremble.alpha > 0.0


def is_explained(chain: SearchState, decision: Decision) -> bool:
    """Return whether the model reaches a decision by its own choices, if it is used."""
    if not trusts(chain.search):
        return True
    if chain.model is None:
        return False
    return _is_reached(chain, decision, 1 - chain.seat, chain.model.plan)


@contextmanager
def make_reachable(chain: SearchState, unit: DecisionGroup) -> Iterator[bool]:
    """Within the block, mix the player's strategy with uniform play on the path to a unit that it never reaches.

    Yields:
        Whether this was needed.
    """
    kept = []
    if unit.before is not None and not any(_is_reached(chain, one, chain.seat, chain.plan) for one in unit.decisions):
        tree = chain.game.trees[chain.seat]
        uniform = tree.uniform()
        for one in unit.before.path:
            for lane in one.lanes.tolist():
                where = tree.sequences_of(lane)
                kept.append((where, chain.behaviour[where].copy()))
                chain.behaviour[where] = 0.5 * chain.behaviour[where] + 0.5 * uniform[where]
    try:
        yield bool(kept)
    finally:
        for where, odds in kept:
            chain.behaviour[where] = odds


def _is_reached(chain: SearchState, decision: Decision, player: int, plan: F64) -> bool:
    """Return whether chance and a player's plan (size,) reach a decision."""
    here = acting_in(chain.game, decision.state, chain.seat)
    return float((chain.game.histories.reach[here] * plan[chain.game.sequences[player][here]]).sum()) > _NOTHING
