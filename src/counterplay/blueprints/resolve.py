"""Blueprints of games in memory, enumerated ones and spots, solved again; `whole_game.resolve` is the door for any game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from counterplay.blueprints.continuation import (
    equilibria,
    joint_equilibria,
    optimal_continuation,
    plan_exploitability,
)
from counterplay.blueprints.report import Resolution, measure_resolution
from counterplay.blueprints.resolve_places import pieces_at
from counterplay.blueprints.resolve_streets import StreetSubtrees, parts_of, resolve_together, street_of
from counterplay.blueprints.resolve_subtrees import Watch, check_given, resolve_subtrees
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolvedBlueprint
from counterplay.blueprints.ses_bounds import ses_bounds
from counterplay.blueprints.settings import ITERATIONS, PROFILE, VALUES, ResolveSettings
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.priors import NONE, check_weights, prior_of
from counterplay.lookahead.search import LookAhead
from counterplay.lookahead.tremble import check_share
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.rake import check_zero_sum
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.problem.solvable_game import as_compiled
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.gadgets import MaxMargin, Resolving, gadget_of
from counterplay.subgames.places import Place
from counterplay.subgames.subtree import Subtree
from counterplay.texts.keywords import check_keywords
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import seats_in


class ResolveOptions(TypedDict, total=False):
    """The settings of re-solving, and further measurements.

    Attributes:
        gadget: `unsafe`, `resolving` (the default), `max-margin` (the default with alpha), `reach-max-margin` or
            `full`; by name, as a record such as `cp.MaxMargin()`, or a user's (see `cp.Gadget`).
        prior: selects the equilibrium of the gadget game (GGSE): `none` (any), `uniform`, `blueprint`, a .json file, or
            a weight for each infoset of the opponent at the top.
        epsilon: the tremble toward the prior; by default 1e-3 by a minimiser, and its exact limit 0 by `lp`.
        alpha: exploitation level of SES, 0 to 1.
        error: L1 distance of an error added to the estimate of the opponent's range.
        normalised: whether infosets of the opponent have equal weight, whatever their reach by chance and the resolver;
            by default if alpha is above 0, as in SES.
        values: alternative values of the blueprint `profile`, or of a `best-response` to it; by default the profile's
            if alpha is above 0 and the opponent's part is known.
        declared: whether to use the public states that the game declares.
        only: an infoset of the resolver; only its subgame is solved. In a spot a path up to a card, such as "x x Ah".
        continuation, interval, bounds: also measure the optimal continuation, the interval of exploitabilities over all
            equilibria of the gadget games, the bounds of SES.
        seed: seed of random blueprints without their own, and of the estimate's errors.
        record: file that keeps the solution of every subgame, and from which a later call continues (.work).
    """

    gadget: Any
    prior: str | Mapping[str, float]
    epsilon: float | None
    alpha: float
    error: float
    normalised: bool | None
    values: str | None
    declared: bool
    only: str | None
    continuation: bool
    interval: bool
    bounds: bool
    seed: int
    record: Path | None


_USUAL: ResolveOptions = {
    "gadget": None, "prior": NONE, "epsilon": None, "alpha": 0.0, "error": 0.0, "normalised": None, "values": None,
    "declared": False, "only": None, "continuation": False, "interval": False, "bounds": False, "seed": 0, "record": None,
}  # fmt: skip


def resolve(
    game: Any,
    blueprint: Any,
    at: str | Sequence[str],
    *,
    seat: int = 0,
    model: Any = None,
    solver: Solver = "cfr+",
    stop: Stop | None = None,
    watch: Watch | None = None,
    **options: Unpack[ResolveOptions],
) -> Resolution:
    """`whole_game.resolve` in a game in memory; its arguments.

    Raises:
        InputError: an invalid argument, which the message names; raised before any computation.
    """
    given = given_options(options)
    played = _checked_game(game, given)
    known = _inputs(played, blueprint, model, seat, given["seed"])
    way = settings_of(given, solver, stop, both=known.plans.knows(known.opponent))
    if given["bounds"] and (known.model is None or not known.plans.knows(known.opponent)):
        raise InputError("the bounds of SES need the opponent's part of the blueprint, and a model")
    texts = [str(text) for text in (at if isinstance(at, list | tuple) else [at])]
    if isinstance(played, SpotGame):
        found, firsts, name = _in_spot(played, texts, known, way, given, watch)
    else:
        found, firsts, name = _in_tree(played, texts, known, way, given, watch)
    extra = _extra(played, known, found, firsts, way, given)
    return measure_resolution(played, known, found, way, {"at": name, "seed": given["seed"], **extra})


def _checked_game(game: Any, given: ResolveOptions) -> GameTree | SpotGame:
    """The game, if a blueprint of it can be solved again so.

    Raises:
        InputError: it cannot.
    """
    spot: SpotGame | None = as_spot_game(game)
    if spot is None:
        compiled: GameTree = as_compiled(game)
        return compiled
    check_zero_sum(spot.rake, "re-solving counts on that: alternative values bound nothing there")
    if given["declared"]:
        raise InputError(f"{spot.name} declares no public states")
    if given["interval"] and spot.payoff.entries > LP_UP_TO:
        raise InputError(f"{spot.name} is too large for the interval, which takes linear programs")
    return spot


def given_options(options: ResolveOptions) -> ResolveOptions:
    """The options with the usual ones for those that are not given.

    Raises:
        InputError: an unknown option, or an alpha outside its range.
    """
    check_keywords("resolve", options, ResolveOptions)
    given: ResolveOptions = {**_USUAL, **options}
    check_share("alpha", given["alpha"])
    return given


def settings_of(given: ResolveOptions, solver: Solver, stop: Stop | None, *, both: bool) -> ResolveSettings:
    """How every subgame is solved again, with the defaults of SES where alpha is above 0; `both`: whether the opponent's
    part of the blueprint is known."""
    ses, prior, values = given["alpha"] > 0.0, given["prior"], given["values"]
    if values is not None and values not in VALUES:
        raise InputError(f"alternative values must be of the {' or the '.join(VALUES)}, not of '{values}'")
    gadget = gadget_of(given["gadget"] or (MaxMargin() if ses else Resolving()))
    look = LookAhead(
        gadget=gadget,
        prior=prior_of(prior) if isinstance(prior, str) else check_weights(prior),
        epsilon=given["epsilon"],
        normalised=given["normalised"],
    )
    profile = ses and both if values is None else values == PROFILE
    return ResolveSettings(look, given["alpha"], given["error"], profile, solver, stop or Stop(iterations=ITERATIONS))


_Found = tuple[ResolvedBlueprint, Sequence[Subtree], str]
"""What was solved again, the subtrees of the first place, and the name of the places."""


def _in_tree(
    game: GameTree,
    at: Sequence[str],
    known: BlueprintInputs,
    way: ResolveSettings,
    given: ResolveOptions,
    watch: Watch | None,
) -> _Found:
    """A blueprint of an enumerated game, solved again at places inside one another."""
    places = [Place.of(text, given["declared"]) for text in at]
    pieces = pieces_at(game, places, known.resolver, given["only"])
    cuts = [piece.cut for piece in pieces]
    found = resolve_subtrees(cuts, known, way, nested=True, seed=given["seed"], watch=watch, record=given["record"])
    return found, [piece.cut for piece in pieces if piece.first], ", ".join(map(str, places))


def _in_spot(
    game: SpotGame,
    at: Sequence[str],
    known: BlueprintInputs,
    way: ResolveSettings,
    given: ResolveOptions,
    watch: Watch | None,
) -> _Found:
    """A blueprint of a spot with a re-solved street."""
    if len(at) != 1:
        raise InputError(f"in {game.name} one street is re-solved at a time")
    parts = parts_of(game, street_of(game, at[0]), given["only"])
    check_given(way, known)
    if way.gadget.keeps_path:
        if given["record"] is not None:
            raise InputError("the full gadget solves all subgames of a spot together, and takes no record")
        found = resolve_together(game, known, parts, way)
    else:
        subtrees = StreetSubtrees(game, parts, known.resolver)
        found = resolve_subtrees(subtrees, known, way, seed=given["seed"], watch=watch, record=given["record"])
    measured = given["continuation"] or given["interval"] or given["bounds"]
    return found, [*filter(None, StreetSubtrees(game, parts, known.resolver))] if measured else [], at[0]


def _extra(
    game: Any,
    blueprint: BlueprintInputs,
    found: ResolvedBlueprint,
    firsts: Sequence[Subtree],
    way: ResolveSettings,
    given: ResolveOptions,
) -> dict[str, Any]:
    """The further measurements, on the subtrees of the first place."""
    me, seed = blueprint.resolver, given["seed"]
    extra: dict[str, Any] = {}
    if given["continuation"]:
        best = optimal_continuation(game, blueprint.plans, me, firsts)
        extra["continuation"] = max(0.0, plan_exploitability(game, best, me))
    if given["interval"]:
        if isinstance(game, SpotGame) and way.gadget.keeps_path:
            extra["equilibria"] = joint_equilibria(game, blueprint, firsts)
        else:
            extra["equilibria"] = equilibria(game, blueprint, firsts, way, seed=seed)
    if given["bounds"]:
        extra["safety"] = ses_bounds(game, blueprint, found.plans, firsts, way.alpha, way.error, seed)
    return extra


def _inputs(game: GameTree | SpotGame, blueprint: Any, model: Any, seat: int, seed: int) -> BlueprintInputs:
    """Both parts of a blueprint, as far as they are known, and the model."""
    mine, theirs = _both(game, blueprint, seat, seed)
    wanted = opponent(game, model, 1 - seat, seed) if model is not None else None
    return BlueprintInputs.of(game.subgame, mine, theirs, wanted)


def _both(game: GameTree | SpotGame, blueprint: Any, seat: int, seed: int) -> tuple[Strategy, Strategy | None]:
    """The resolver's part of a blueprint, and the opponent's if given."""
    if seat not in (0, 1):
        raise InputError(f"the resolver's seat must be 0 or 1, not {seat}")
    if isinstance(blueprint, tuple):
        if len(blueprint) != 2:
            raise InputError(f"a blueprint must be one strategy or a pair of both seats', not {len(blueprint)} of them")
        first, second = (opponent(game, part, player, seed) for player, part in enumerate(blueprint))
        return (first, second) if seat == 0 else (second, first)
    if isinstance(blueprint, Strategy):
        return opponent(game, blueprint, seat), None
    mine = opponent(game, blueprint, seat, seed)
    if mine.facts.get("game", game.name) != game.name:
        raise InputError(f"the blueprint {blueprint} is for another game ({mine.facts['game']}), not for {game.name}")
    text = str(blueprint) if isinstance(blueprint, str | Path) else ""
    if text.endswith((".json", ".cps")) and 1 - seat not in seats_in(Path(text)):
        return mine, None
    return mine, opponent(game, blueprint, 1 - seat, seed)
