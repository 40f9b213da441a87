"""A flop solved again for one player: what is known when it comes, and how much a chip counts behind each gadget."""

from __future__ import annotations

from dataclasses import replace

from counterplay.blueprints.resolve_subtree import ResolvedSubtree, SubtreeInputs, pose_piece
from counterplay.blueprints.whole_game.flop_subtree import FlopPiece
from counterplay.lookahead.search import Search
from counterplay.lookahead.solve import Posed
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.whole_game.holdem import Floats
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.treeplex import sweeps


def resolve_flop(
    piece: FlopPiece,
    me: int,
    blueprint: BlueprintStrategy,
    model: BlueprintStrategy | None,
    search: Search,
    *,
    profile: bool = False,
) -> ResolvedSubtree | None:
    """Solve the flop for one player, who came there by a blueprint.

    Args:
        piece: the flop.
        me: who searches.
        blueprint: of both players.
        model: of the opponent, for p and alpha.
        search: gadget, p, tremble, solver, and when to stop: at so many chips in a hand that comes here.
        profile: alternative values are those of the blueprint's other half, not of a best response.

    Returns:
        None where the opponent never comes, so that nothing is at stake.

    Raises:
        InputError: a gadget that a single flop cannot have.
    """
    posed = pose_again(piece, me, blueprint, model, search, profile=profile)
    return None if posed is None else posed.read(posed.solve.advance())


def pose_again(
    piece: FlopPiece,
    me: int,
    blueprint: BlueprintStrategy,
    model: BlueprintStrategy | None,
    search: Search,
    *,
    profile: bool = False,
) -> Posed | None:
    """The same as a problem that can be solved in several goes. Arguments and errors as in `solved_again`."""
    start = known_at_flop(piece, me, blueprint, model, search, profile=profile)
    posed = pose_piece(piece, me, start, search)
    return None if posed is None else Posed(posed.solve, lambda solution: posed.read(solution, start.mine))


def known_at_flop(
    piece: FlopPiece,
    me: int,
    blueprint: BlueprintStrategy,
    model: BlueprintStrategy | None,
    search: Search,
    *,
    profile: bool = False,
) -> SubtreeInputs:
    """What the search starts from: both ranges, alternative values, the model. Arguments as in `solved_again`."""
    own, other = (piece.whole.runs[i].tree for i in (me, 1 - me))
    mine, theirs = piece.behaviour(blueprint, me), piece.behaviour(blueprint, 1 - me)
    deals = [slice(s := int(piece.whole.runs[i].start[DEAL]), s + piece.size) for i in (me, 1 - me)]
    if not mine[deals[0]].any():  # somebody put us where our own play never comes: any hand may be here
        mine[deals[0]] = 1.0
    came = theirs[deals[1]]
    if model is None:
        return SubtreeInputs(
            mine, sweeps.reach(own, mine), sweeps.reach(other, theirs), None, theirs if profile else None
        )
    follows = piece.behaviour(model, 1 - me)
    if search.p == 1.0:
        if not follows[deals[1]].any():  # a model that never comes says nothing of who did
            follows[deals[1]] = came if came.any() else 1.0
        theirs[deals[1]] = follows[deals[1]]
    elif search.p > 0.0:
        met = piece.weight(1 - me, sweeps.reach(own, mine))
        follows[deals[1]] /= _unit(search, came, follows[deals[1]], met)
    return SubtreeInputs(
        mine, sweeps.reach(own, mine), sweeps.reach(other, theirs), follows, theirs if profile else None
    )


def _unit(search: Search, came: Floats, follows: Floats, met: Floats) -> float:
    """What the model's range is divided by, so that it weighs as much as the opponent who is not the model: behind a
    resolving gadget each hand of that one may come with probability 1, behind max-margin all of them together, and without
    a gadget it comes with the blueprint's range.

    Args:
        came, follows: (hands,) ranges of the blueprint's other half and of the model.
        met: (hands,) what of our range each of them meets.
    """
    if not search.gadget.chooses_one and not search.gadget.fixes_range:
        return 1.0
    weights = follows * met if search.tremble.normalised else follows
    total = float((came if search.gadget.fixes_range else weights).sum())
    return total if total > 0.0 else 1.0


def with_seconds(search: Search, seconds: float) -> Search:
    """The search with so many seconds left."""
    return replace(search, stop=replace(search.stop, seconds=max(seconds, 0.0)))
