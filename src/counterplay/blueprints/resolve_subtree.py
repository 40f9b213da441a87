"""Re-solving on ranges: one street's subgame on one board, behind a gadget, with the tremble of SES or GGSE at its entry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.lookahead.priors import NONE, odds_of, shares
from counterplay.lookahead.search import Search
from counterplay.lookahead.solve import Posed, Solve, played_behaviour
from counterplay.lookahead.tremble import EPSILON
from counterplay.poker.subtrees.gadget_game import GadgetGame, build_gadget_game
from counterplay.poker.subtrees.public_subtree import PublicSubtree
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Solution
from counterplay.solvers.refined_equilibrium import Refinement
from counterplay.subgames.entry import even
from counterplay.subgames.gadgets.max_margin import max_margin_entry
from counterplay.subgames.gadgets.resolving import resolving_entry
from counterplay.subgames.gadgets.unsafe import unsafe_entry
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import reach

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Top:
    """What `Tremble` and `odds_of` ask of a subgame's top."""

    piece: PublicSubtree

    def range(self, player: int, plan: Floats) -> Floats:
        """(hands,) of a player."""
        return self.piece.range(player, plan)


@dataclass(frozen=True)
class _AsCut:
    """A piece by the names of a `Cut`."""

    piece: PublicSubtree
    resolver: int

    @property
    def opponent(self) -> int:
        return 1 - self.resolver

    @property
    def size(self) -> int:
        return self.piece.size

    @property
    def top(self) -> _Top:
        return _Top(self.piece)

    def presence(self, plan: Floats, other_plan: Floats) -> Floats:
        """(hands,) how likely the opponent is to hold each hand here."""
        return self.piece.range(self.opponent, other_plan) * self.piece.weight(self.opponent, plan)


@dataclass(frozen=True, eq=False)
class SubtreeInputs:
    """What a subgame is solved with. All arrays are of the whole tree.

    Attributes:
        mine: (own size,) the resolver's behaviour so far.
        claimed: (own size,) the resolver's plan against which the opponent's alternative values are counted.
        other: (opponent's size,) the opponent's plan, where a gadget or a prior asks for it.
        model: (opponent's size,) the model's behaviour; None without.
        profile: (opponent's size,) behaviour by which alternative values are counted; None for a best response.
    """

    mine: Floats
    claimed: Floats
    other: Floats
    model: Floats | None = None
    profile: Floats | None = None


@dataclass(frozen=True, eq=False)
class ResolvedSubtree:
    """mine: the resolver's behaviour with the subgame put in. theirs: what the opponent does there, likewise. gap: of the
    solution in chips of the whole tree. interrupted: by Ctrl-C."""

    mine: Floats
    theirs: Floats
    gap: float
    interrupted: bool


def gadget_game_of(piece: PublicSubtree, me: int, known: SubtreeInputs, search: Search) -> GadgetGame | None:
    """The gadget game of a piece with the estimate's tremble; None if the resolver never comes there.

    Raises:
        InputError: a gadget that a piece cannot have.
    """
    own = piece.whole.runs[me].tree
    plan = reach(own, known.mine)
    weight = piece.weight(1 - me, plan)
    if not weight.any():
        return None
    unit = _unit(piece, me, known, search, weight)
    if search.p == 1.0 or search.gadget.fixes_range:
        came = piece.range(1 - me, known.other)
        return build_gadget_game(piece, unsafe_entry(piece.size, came), me, plan, unit) if came.any() else None
    if search.gadget.keeps_path:
        raise InputError("one board of a spot is entered by unsafe, resolving or max-margin, not by the full gadget")
    values, weight = piece.claims(1 - me, known.claimed, known.profile) / unit, weight / unit
    if search.gadget.takes_gifts:
        values = values + piece.gifts(1 - me, known.claimed) / unit
    scale = even(weight) if search.tremble.normalised else None
    if not search.gadget.chooses_one:
        return build_gadget_game(piece, resolving_entry(values, scale), me, plan, unit)
    return build_gadget_game(piece, max_margin_entry(values, scale, weight), me, plan, unit)


def _unit(piece: PublicSubtree, me: int, known: SubtreeInputs, search: Search, weight: Floats) -> float:
    """What payoffs are divided by, so that a chip is a chip behind every gadget: what the opponent's hands can meet, all of
    them where each may come, one of them behind max-margin, and those of the range where that is given."""
    total = float(weight.sum())
    if search.p < 1.0 and not search.gadget.fixes_range:
        return total / np.count_nonzero(weight) if search.gadget.chooses_one else total
    comes = (1.0 - search.p) * piece.range(1 - me, known.other)
    if known.model is not None:
        comes = comes + search.p * piece.range(1 - me, reach(piece.whole.runs[1 - me].tree, known.model))
    met = float(comes @ weight)
    return met if met > 0.0 else total


def resolve_piece(piece: PublicSubtree | None, me: int, known: SubtreeInputs, search: Search) -> ResolvedSubtree | None:
    """Solve a piece anew; arguments as of `pose_piece`.

    Returns:
        None if nobody comes there, so that everything stays as it was.
    """
    posed = pose_piece(piece, me, known, search)
    return None if posed is None else posed.read(posed.solve.advance(), known.mine)


def pose_piece(piece: PublicSubtree | None, me: int, known: SubtreeInputs, search: Search) -> Posed | None:
    """The problem of solving a piece anew, whose solution is read with the resolver's behaviour into which it is put.

    Args:
        piece: where; None where no two hands can be.
        me: the resolver.
        known: what was decided before.
        search: gadget, p, tremble, solver.

    Returns:
        None if nobody comes there.
    """
    problem = None if piece is None else gadget_game_of(piece, me, known, search)
    if problem is None or piece is None:
        return None
    subgame, toward = game_of(problem, me, known, search)
    if search.p > 0.0 and known.model is not None:
        subgame = subgame.restricted(1 - me, _trusting(problem, subgame, known.model, search.p))
    whole = piece.whole.runs

    def read(solution: Solution, mine: Floats) -> ResolvedSubtree:
        found = []
        for player in (me, 1 - me):
            inside = played_behaviour(subgame, player, solution)
            so_far = mine if player == me else whole[player].tree.uniform()
            found.append(piece.spliced(player, inside, so_far, 0 if player == me else problem.shift))
        return ResolvedSubtree(found[0], found[1], problem.unit * solution.nash_conv, solution.interrupted)

    exact = None if toward is None else Refinement(subgame, toward, me).solution
    return Posed(Solve(subgame, me, search, exact), read)


def game_of(problem: GadgetGame, me: int, known: SubtreeInputs, search: Search) -> tuple[Subgame, Restriction | None]:
    """The problem with SES's and GGSE's trembles, and, where GGSE's limit is wanted, the opponent who follows the prior."""
    tremble, piece, subgame = search.tremble, problem.piece, problem.subgame
    view: Any = _AsCut(piece, me)
    if tremble.alpha > 0.0 and known.model is not None and problem.entry.can_tremble:
        plan = reach(piece.whole.runs[me].tree, known.mine)
        estimate = tremble.estimate(view, plan, reach(piece.whole.runs[1 - me].tree, known.model))
        if estimate.any():
            odds = shares(
                np.where(problem.entry.possible, estimate, 0.0) if problem.entry.possible is not None else estimate
            )
            subgame = subgame.restricted(1 - me, problem.trembling(tremble.alpha, odds))
    if tremble.prior == NONE or not problem.entry.can_tremble:
        return subgame, None
    odds = odds_of(tremble.prior, view, problem.entry, known.other)
    problem = replace(problem, subgame=subgame)
    if search.method == "lp" and not tremble.epsilon:
        return subgame, problem.trembling(1.0, odds)
    epsilon = EPSILON if tremble.epsilon is None else tremble.epsilon
    return subgame.restricted(1 - me, problem.trembling(epsilon, odds)), None


def _trusting(problem: GadgetGame, subgame: Subgame, model: Floats, p: float) -> Restriction:
    """What binds an opponent who is the model with probability p: it comes in with its range, and plays on as it does."""
    piece, other = problem.piece, 1 - problem.resolver
    tree, rest = subgame.trees[other], subgame.restrictions[other]
    behaviour = np.where(tree.real, rest.mix, 0.0)
    behaviour[0] = 1.0
    places = problem.front[problem.entry.choice]
    for lane in np.unique(tree.owner[places]).tolist():
        behaviour[tree.sequences_of(lane)] = 0.0
    came = piece.range(other, reach(piece.whole.runs[other].tree, model))
    scale = problem.entry.scale
    if scale is not None:
        came = np.divide(came, scale, out=np.zeros(len(came)), where=scale > 0.0)
    if problem.entry.possible is None:
        behaviour[places] = came
    else:
        behaviour[places[problem.entry.possible]] = came[problem.entry.possible]
    for large, small in piece.pairs(other):
        behaviour[problem.shift + small] = model[large]
    return Restriction.until(tree, behaviour, p, np.ones(tree.lanes, np.bool_), rest)
