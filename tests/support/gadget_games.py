"""Gadget games of enumerated games, given strategies instead of what is known of a blueprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import counterplay as cp
from counterplay.blueprints.report import Equilibria, equilibria, optimal_continuation
from counterplay.blueprints.resolve import GadgetPiece
from counterplay.blueprints.resolve_subtrees import resolve_subtrees
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolvedBlueprint, ResolveSettings
from counterplay.lookahead.resolver import enter, pose, root_of
from counterplay.subgames.cut import Cut
from counterplay.subgames.plan_store import ArrayPlans

Part = cp.Strategy | None


def gadget_game_of(
    piece: Cut, way: ResolveSettings, mine: cp.Strategy, theirs: Part = None, model: Part = None, draw: Any = None
) -> Any:
    """The gadget game of a subgame to which the blueprint comes, with the estimate's tremble."""
    found = enter(piece, way.search, BlueprintInputs.of(piece.game.subgame, mine, theirs, model).knowledge(way, draw))
    assert found is not None
    return found


def gadget_unit(piece: Cut, way: ResolveSettings, mine: cp.Strategy, theirs: Part = None) -> float:
    """What its payoffs are divided by."""
    found: float = gadget_game_of(piece, way, mine, theirs).unit
    return found


def is_solved(piece: Cut, way: ResolveSettings, mine: cp.Strategy, theirs: Part = None) -> bool:
    """Whether anybody comes there."""
    return root_of(piece, way.search, BlueprintInputs.of(piece.game.subgame, mine, theirs).knowledge(way)) is not None


def solve_gadget_game(problem: Any, way: ResolveSettings, theirs: Part = None, model: Part = None) -> cp.Solution:
    """The solution, refined by the way's prior."""
    piece = problem.piece
    nothing = cp.Strategy.uniform(piece.game.trees[piece.resolver])
    known = BlueprintInputs.of(piece.game.subgame, nothing, theirs, model).knowledge(way)
    return pose(problem, piece, way.search, known, blind=way.stop.exploitability == 0.0).solve.advance()


def resolve_at(
    pieces: Sequence[GadgetPiece], mine: cp.Strategy, theirs: Part, way: ResolveSettings, *, model: Part = None,
    seed: int = 0, watch: Any = None,
) -> ResolvedBlueprint:  # fmt: skip
    """Subgames solved one after the other, those inside another within what that left."""
    known = BlueprintInputs.of(pieces[0].cut.game.subgame, mine, theirs, model)
    return resolve_subtrees([piece.cut for piece in pieces], known, way, nested=True, seed=seed, watch=watch)


def equilibria_at(
    game: cp.GameTree, mine: cp.Strategy, pieces: Sequence[Cut], way: ResolveSettings, *, other: Part = None,
    model: Part = None, **more: Any,
) -> Equilibria:  # fmt: skip
    """The interval over all equilibria of gadget games."""
    return equilibria(game, BlueprintInputs.of(game.subgame, mine, other, model), pieces, way, **more)


def continuation_of(game: cp.GameTree, mine: cp.Strategy, pieces: Sequence[Cut]) -> cp.Strategy:
    """The optimal continuation of a blueprint."""
    plans = ArrayPlans.of(game.subgame, mine)
    return optimal_continuation(game, plans, mine.player, pieces).strategy(mine.player)


def alternative_values(piece: Cut, mine: cp.Strategy, theirs: Part = None) -> np.ndarray[Any, Any]:
    """Against a best response, or against what the opponent does."""
    return piece.alternative_values(ArrayPlans.of(piece.game.subgame, mine, theirs), theirs is not None)
