"""The re-solver: a subtree of any game after a gadget, with trembles and models of the opponent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.gadgets import Gadget, Unsafe
from counterplay.lookahead.search import Posed, Search, Solve
from counterplay.lookahead.tremble import NONE, corrupt_estimate, shares
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Solution
from counterplay.solvers.refined_equilibrium import Refinement, solve_toward
from counterplay.subgames.entry import GadgetGame
from counterplay.subgames.plan_store import GamePlans, PlanStore, Root, Subtree
from counterplay.treeplex.restriction import Numbers, Restriction

Plans = TypeVar("Plans", bound=GamePlans)


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The inputs of re-solving a subtree.

    Attributes:
        plans: the resolver's strategy so far, and the opponent's if a gadget or prior needs it.
        model: the opponent's modelled strategy; None without.
        profile: alternative values are of the opponent's own strategy, not of a best response.
        error: L1 distance of the error added to SES's estimate.
        draw: generator of that error.
    """

    plans: PlanStore
    model: PlanStore | None = None
    profile: bool = False
    error: float = 0.0
    draw: np.random.Generator | None = None


@dataclass(frozen=True, eq=False)
class ResolvedSubtree:
    """A solution of a gadget game, and the problem that was solved."""

    game: GadgetGame
    subgame: Subgame
    solution: Solution

    @property
    def gap(self) -> float:
        """NashConv in chips of the whole game."""
        return self.game.unit * self.solution.nash_conv

    @property
    def interrupted(self) -> bool:
        return self.solution.interrupted

    def played(self, player: int, before: Numbers) -> F64:
        """(size,) a player's play in the gadget game: the solution wherever it comes, else as before in the whole game."""
        tree, plan = self.subgame.trees[player], self.solution.plans[player]
        bound = self.subgame.restrictions[player]
        chosen = bound.behaviour(tree, bound.chosen(tree, plan))
        comes = np.concatenate([plan[tree.arrays.parent] > 0.0, [True]])[tree.owner]
        return np.where(comes, chosen, self.game.taken(player, before))

    def splice(self, player: int, behaviour: F64) -> F64:
        """(size,) a player's behaviour in the whole game with the solution spliced in wherever it has reach."""
        return self.game.splice(player, self.played(player, behaviour), behaviour)

    def put_into(self, plans: Plans, player: int) -> Plans:
        """The plans of the whole game with what a player does in the solution put in, wherever that comes."""
        return plans.put(player, *self.changes(plans, player))

    def changes(self, plans: PlanStore, player: int) -> tuple[I64, F64]:
        """(n,) the sequences of the whole game inside, and what a player does there."""
        inner, outer = self.game.pairs(player)
        return outer, self.played(player, plans.behaviour(player))[inner]


def root_of(subtree: Subtree, search: Search, known: Knowledge) -> tuple[Root, Gadget] | None:
    """The roots of a subtree in the unit of its gadget game, and the gadget: against the model alone just its range.
    None if the subtree has no reach: by the resolver, or by the opponent whose range is used."""
    gadget = Unsafe() if search.p == 1.0 else search.gadget
    root = Root(subtree, known.plans, normalised=search.tremble.normalised, profile=known.profile)
    if not root.weight.any() or (gadget.fixes_range and known.plans.knows(subtree.opponent) and not root.range.any()):
        return None
    if gadget.fixes_range and known.model is not None and search.p > 0.0:
        came = subtree.range(subtree.opponent, known.model.reach(subtree.opponent))
        met = float(((1.0 - search.p) * root.range + search.p * came) @ root.weight)
        return root.counted(met if met > 0.0 else float(root.weight.sum())), gadget
    return root.counted(gadget.unit(root)), gadget


def enter(subtree: Subtree, search: Search, known: Knowledge) -> GadgetGame | None:
    """The gadget game of a subtree, its opponent tilted toward SES's estimate; None without reach."""
    found = root_of(subtree, search, known)
    if found is None:
        return None
    root, gadget = found
    plan = known.plans.reach(subtree.resolver)
    game = subtree.gadget_game(gadget.entry(root), plan, root.unit)
    if known.model is None or search.tremble.alpha == 0.0:
        return game
    estimate = search.tremble.estimate(subtree, plan, known.model.reach(subtree.opponent))
    if estimate.any() and known.error:
        weight, alike, draw = subtree.weight(plan), subtree.alike, known.draw or np.random.default_rng(0)
        estimate = shares(estimate)
        if alike is None:
            estimate = corrupt_estimate(estimate, known.error, draw, weight > 0.0)
        else:  # isomorphic roots share their infoset's part, by weight
            together, room = (np.bincount(alike, one).astype(np.float64) for one in (estimate, weight))
            moved = corrupt_estimate(together, known.error, draw, room > 0.0)
            estimate = np.asarray(moved[alike] * weight / np.where(room > 0.0, room, 1.0)[alike], np.float64)
    return search.tremble.tilted(game, estimate)


def pose(game: GadgetGame, subtree: Subtree, search: Search, known: Knowledge, *, blind: bool = False) -> Posed:
    """The problem of a gadget game, whose solution is read as a `ResolvedSubtree`: refined by the prior (Kubíček et al.
    2026), and with the model in it if p is above 0."""
    other = subtree.opponent
    refines = search.tremble.prior != NONE
    plan = known.plans.reach(other) if refines and known.plans.knows(other) else None
    game, toward = search.tremble.refined(game, subtree, plan, search.method)
    if known.model is not None and search.p > 0.0:
        game = game.trusting(search.p, known.model.behaviour(other), known.model.reach(other))
    subgame = game.subgame
    exact = exact_solve(game, subgame, search, toward, known.model)

    def read(solution: Solution) -> ResolvedSubtree:
        return ResolvedSubtree(game, subgame, solution)

    return Posed(Solve(subgame, subtree.resolver, search, exact, blind=blind), read)


def exact_solve(
    game: GadgetGame, subgame: Subgame, search: Search, toward: Restriction | None, model: PlanStore | None
) -> Callable[[], Solution] | None:
    """The direct solve of a problem that needs a particular solution: toward the prior, or for SES toward the model,
    which the linear program leaves open. None if any solution will do."""
    me, other = game.resolver, game.opponent
    if toward is not None:
        return Refinement(subgame, toward, me).solution
    if model is None or not breaks_ties(search) or not game.entry.can_tremble:
        return None
    won = game.won_from(model.behaviour(other), model.reach(other))
    return lambda: solve_toward(subgame, me, won)


def breaks_ties(search: Search) -> bool:
    """Return whether this is SES by linear program, which leaves open which of the optimal plans is taken."""
    return search.tremble.alpha > 0.0 and search.p == 0.0 and search.method == "lp"


def pose_subtree(subtree: Subtree | None, search: Search, known: Knowledge, *, blind: bool = False) -> Posed | None:
    """The problem of re-solving a subtree; None if it has no reach, so that everything stays as it is."""
    game = None if subtree is None else enter(subtree, search, known)
    return None if game is None or subtree is None else pose(game, subtree, search, known, blind=blind)


def resolve_subtree(subtree: Subtree | None, search: Search, known: Knowledge) -> ResolvedSubtree | None:
    """Re-solve a subtree; None as of `pose_subtree`."""
    blind = search.stop.exploitability == 0.0 and search.stop.iterations < _FOREVER
    posed = pose_subtree(subtree, search, known, blind=blind)
    return None if posed is None else posed.read(posed.solve.advance())


_FOREVER = 1 << 60
