"""Re-solving a blueprint: its subgames at a place are solved again behind a gadget, and the pieces put into one strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.solve_subgame import (
    gadget_game_of,
    gadget_unit,
    is_solved,
    solve_gadget_game,
    splice_solution,
)
from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit.clock import run_time
from counterplay.lookahead.priors import BLUEPRINT, check_used
from counterplay.subgames.cut import Cut
from counterplay.subgames.places import Place, subgames_at
from counterplay.treeplex.strategy import Strategy

Watch = Callable[[int, int], None]
"""Called with how many subgames are solved, and how many there are."""


@dataclass(frozen=True, eq=False)
class ResolvedBlueprint:
    """A blueprint with subgames solved again.

    Attributes:
        strategy: the whole strategy.
        other: what the opponent's part of it has become, where it is known.
        states: how many subgames were solved.
        skipped: how many the resolver's blueprint never comes to, or the opponent's where a range is needed.
        gap: the largest NashConv of a solution in its gadget game, in chips of the whole game.
        seconds: wall clock.
        interrupted: whether Ctrl-C ended it early; the subgames not reached are as in the blueprint.
    """

    strategy: Strategy
    other: Strategy | None
    states: int
    skipped: int
    gap: float
    seconds: float
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class GadgetPiece:
    """A subgame that is to be solved again.

    Attributes:
        cut: the subgame.
        since: for each public state at its top, the history with which the re-solving before began: the root of the game,
            or of the subgame of an earlier place.
        first: whether it is at the first place.
    """

    cut: Cut
    since: dict[int, int]
    first: bool


def pieces_at(game: GameTree, places: Sequence[Place], player: int, only: str | None = None) -> list[GadgetPiece]:
    """The subgames at these places, those of the first place first.

    Args:
        game: compiled.
        places: each inside the one before.
        player: the resolver.
        only: an infoset of the resolver; only subgames that hold it.

    Raises:
        InputError: a place is not inside the one before, or no subgame holds the infoset.
    """
    found: list[GadgetPiece] = []
    began = np.zeros(len(game.histories), np.int32)
    for number, place in enumerate(places):
        earlier = np.concatenate([np.zeros(0, np.int64), *(one.cut.top.histories for one in found)])
        here = subgames_at(game, place, player)
        for piece in here:
            if any(np.array_equal(piece.top.histories, one.cut.top.histories) for one in found):
                continue  # on some paths both places are the same
            if (piece.root[earlier] >= 0).any():
                raise InputError(
                    f"the place {place} is not inside the place {places[number - 1]}; name the outer one first"
                )
            since = dict(zip(piece.top.public.tolist(), began[piece.top.histories].tolist(), strict=True))
            found.append(GadgetPiece(piece, since, number == 0))
        for piece in here:
            began = np.where(piece.root >= 0, piece.root, began)
    if only is None:
        return found
    held = [one for one in found if _holds(one.cut, only)]
    if not held:
        raise InputError(f"no subgame at {', '.join(map(str, places))} holds the infoset {quoted(only)}")
    return held


def _holds(piece: Cut, infoset: str) -> bool:
    """Whether an infoset of the resolver is in a subgame."""
    game, me = piece.game, piece.resolver
    labels = game.trees[me].labels
    if infoset not in labels.index:
        raise InputError(f"{game.name} has no infoset {quoted(infoset)} of player {me}")
    return bool(piece.root[game.first[me][labels.index[infoset]]] >= 0)


def resolve_at(
    pieces: Sequence[GadgetPiece],
    blueprint: Strategy,
    other: Strategy | None,
    way: ResolveSettings,
    *,
    model: Strategy | None = None,
    seed: int = 0,
    watch: Watch | None = None,
) -> ResolvedBlueprint:
    """Solve subgames again, one after the other, those inside another within what that left.

    Args:
        pieces: from `pieces_at`.
        blueprint: the resolver's.
        other: the opponent's part of the blueprint; needed for the unsafe gadget, the prior `blueprint` and `way.profile`.
        way: how.
        model: the opponent whose range at the entry is the estimate, where `way.alpha` is above 0.
        seed: of the errors of the estimate.
        watch: hears how far it is.

    Raises:
        InputError: something is missing that the way needs, or the blueprint comes to none of them.
    """
    begin = run_time()
    _check_given(way, other, model)
    check_used(way.prior, [piece.cut for piece in pieces])
    draw = np.random.default_rng(seed)
    found = ResolvedBlueprint(blueprint, other, 0, 0, 0.0, 0.0)
    try:
        for number, piece in enumerate(pieces):
            found = _with(found, piece, way, model, draw)
            if found.interrupted:
                break
            if watch:
                watch(number + 1, len(pieces))
    except KeyboardInterrupt:
        found = replace(found, interrupted=True)
    if not found.states and not found.interrupted:
        raise InputError("the blueprint never comes to the subgames that are to be solved again")
    return replace(found, seconds=run_time() - begin)


def _check_given(way: ResolveSettings, other: Strategy | None, model: Strategy | None) -> None:
    for needed, what in (
        (way.gadget.fixes_range, "the unsafe gadget"),
        (way.prior == BLUEPRINT, "the prior 'blueprint'"),
        (way.profile, "values of the blueprint profile"),
    ):
        if needed and other is None:
            raise InputError(f"{what} needs the opponent's part of the blueprint")
    if way.alpha > 0.0 and model is None:
        raise InputError("alpha needs a model of the opponent")


def _with(
    found: ResolvedBlueprint,
    piece: GadgetPiece,
    way: ResolveSettings,
    model: Strategy | None,
    draw: np.random.Generator,
) -> ResolvedBlueprint:
    """What was found, with one more subgame solved."""
    mine, theirs, me = found.strategy, found.other, piece.cut.resolver
    if not is_solved(piece.cut, way, mine, theirs):
        return replace(found, skipped=found.skipped + 1)
    problem = gadget_game_of(piece.cut, way, mine, theirs, model, draw, piece.since)
    solution = solve_gadget_game(problem, way, theirs, model)
    return replace(
        found,
        strategy=splice_solution(problem, me, solution, mine),
        other=None if theirs is None else splice_solution(problem, 1 - me, solution, theirs),
        states=found.states + 1,
        gap=max(found.gap, gadget_unit(piece.cut, way, mine) * solution.nash_conv),
        interrupted=solution.interrupted,
    )
