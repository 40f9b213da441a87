"""The one public way to re-solve a blueprint: `resolve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

from counterplay.blueprints.continuation import equilibria, exploitability, optimal_continuation
from counterplay.blueprints.report import PROFILE, VALUES, Resolution, measure_resolution
from counterplay.blueprints.resolve_places import pieces_at
from counterplay.blueprints.resolve_streets import parts_of, resolve_together, street_of, street_subtrees
from counterplay.blueprints.resolve_subtrees import (
    BlueprintInputs,
    ResolvedBlueprint,
    Watch,
    check_given,
    resolve_subtrees,
)
from counterplay.blueprints.ses_bounds import ses_bounds
from counterplay.blueprints.settings import ITERATIONS, ResolveSettings
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.priors import NONE, check_weights, prior_of
from counterplay.lookahead.tremble import check_share
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.rake import check_zero_sum
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.problem.solvable_game import as_compiled
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.gadgets import MaxMargin, Resolving, gadget_of
from counterplay.subgames.places import Place
from counterplay.subgames.subtree import Subtree
from counterplay.texts.keywords import check_keywords
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import seats_in


class ResolveOptions(TypedDict, total=False):
    """How subgames are solved again, and what else is measured.

    Attributes:
        gadget: `unsafe`, `resolving` (the default), `max-margin` (the default with alpha), `reach-max-margin` or `full`;
            by name, or as a record such as `cp.MaxMargin()`, or one of your own (see `cp.Gadget`).
        prior: which equilibrium of the gadget game (GGSE): `none` (any), `uniform`, `blueprint`, a .json file, or a weight
            for each infoset of the opponent at the top.
        epsilon: the tremble toward the prior; by default 1e-3 by a minimiser, and its exact limit 0 by `lp`.
        alpha: exploitation level of SES, 0 to 1.
        error: L1 distance by which the estimate of the opponent's range is made wrong.
        normalised: whether infosets of the opponent count alike, however likely chance and the resolver make them; by
            default where alpha is above 0, as in SES.
        values: alternative values of the blueprint `profile`, or of a `best-response` to it; by default the profile's
            where alpha is above 0 and the opponent's part is known.
        declared: whether public states are those that the game declares.
        only: an infoset of the resolver; only its subgame is solved. In a spot a path up to a card, such as "x x Ah".
        continuation, interval, bounds: also measure the optimal continuation, the interval of exploitabilities over all
            equilibria of the gadget games, the bounds of SES.
        seed: of random blueprints whose text names none, and of the errors of the estimate.
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


_USUAL: ResolveOptions = {
    "gadget": None, "prior": NONE, "epsilon": None, "alpha": 0.0, "error": 0.0, "normalised": None, "values": None,
    "declared": False, "only": None, "continuation": False, "interval": False, "bounds": False, "seed": 0,
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
    """Solve the subgames of a blueprint again at a place, and put the pieces into one strategy.

    Args:
        game: from `load`; or a spot of hold'em, where the place is `round` (the next street) or `round:N`.
        blueprint: the resolver's strategy, or both seats' as a pair, or anything that `opponent` takes for either seat.
        at: `moves:N`, `round`, `round:N` or `game`; or several, each inside the one before (nested re-solving).
        seat: the resolver's, 0 or 1.
        model: anything that `opponent` takes; for alpha, and to measure gains.
        solver: `lp` or a regret minimiser.
        stop: when a minimiser stops; by default after 5,000 iterations.
        watch: called with how many subgames are solved, and how many there are.
        options: see `ResolveOptions`.

    Raises:
        InputError: naming what is wrong; nothing was computed then.
    """
    check_keywords("resolve", options, ResolveOptions)
    given: ResolveOptions = {**_USUAL, **options}
    alpha, prior, seed, only = given["alpha"], given["prior"], given["seed"], given["only"]
    declared, interval, bounds = given["declared"], given["interval"], given["bounds"]
    check_share("alpha", alpha)
    spot, asked = as_spot_game(game), _Asked(given["continuation"], interval, bounds)
    if spot:
        check_zero_sum(spot.rake, "re-solving counts on that: alternative values bound nothing there")
    game = spot or as_compiled(game)
    if spot and (interval or declared):
        raise InputError(
            f"in {game.name} there is no interval, which takes a mixed-integer program, and no declared state"
        )
    mine, theirs = _both(game, blueprint, seat, seed)
    wanted = opponent(game, model, 1 - seat, seed) if model is not None else None
    prior = prior_of(prior) if isinstance(prior, str) else check_weights(prior)
    if bounds and (theirs is None or wanted is None):
        raise InputError("the bounds of SES need the opponent's part of the blueprint, and a model")
    ses = alpha > 0.0
    way = ResolveSettings(
        gadget=gadget_of(given["gadget"] or (MaxMargin() if ses else Resolving())),
        prior=prior,
        epsilon=given["epsilon"],
        alpha=alpha,
        error=given["error"],
        normalised=ses if given["normalised"] is None else given["normalised"],
        profile=_is_profile(given["values"], ses and theirs is not None),
        solver=solver,
        stop=stop or Stop(iterations=ITERATIONS),
    )
    texts = [str(text) for text in (at if isinstance(at, list | tuple) else [at])]
    known = BlueprintInputs(game.subgame, mine, theirs, wanted)
    firsts: Sequence[Subtree]
    if spot:
        name, parts = texts[0], _parts_of(spot, texts, only)
        found = _in_spot(spot, parts, known, way, seed, watch)
        firsts = [*filter(None, street_subtrees(spot, parts, seat))] if any(asked) else []
    else:
        places = [Place.of(text, declared) for text in texts]
        pieces = pieces_at(game, places, seat, only)
        cuts, name = [piece.cut for piece in pieces], ", ".join(map(str, places))
        found = resolve_subtrees(cuts, known, way, nested=True, seed=seed, watch=_counted(watch, len(cuts)))
        firsts = [piece.cut for piece in pieces if piece.first]
    extra = _extra(game, known, found, firsts, way, asked, seed)
    return measure_resolution(game, mine, found, way, wanted, {"at": name, "seed": seed, **extra})


def _parts_of(game: SpotGame, at: Sequence[str], only: str | None) -> list[PublicNode]:
    """Where the subtrees of a place of a spot begin."""
    if len(at) != 1:
        raise InputError(f"in {game.name} one street is solved again at a time")
    return parts_of(game, street_of(game, at[0]), only)


def _in_spot(
    game: SpotGame,
    parts: list[PublicNode],
    known: BlueprintInputs,
    way: ResolveSettings,
    seed: int,
    watch: Watch | None,
) -> ResolvedBlueprint:
    """A blueprint of a spot with a street solved again."""
    check_given(way, known)
    if way.gadget.keeps_path:
        return resolve_together(game, known.mine, parts, way)
    subtrees = street_subtrees(game, parts, known.mine.player)
    return resolve_subtrees(subtrees, known, way, seed=seed, watch=_counted(watch, len(parts)))


def _counted(watch: Watch | None, count: int) -> Callable[[int], None] | None:
    """Who hears how many subtrees are solved, told how many there are."""
    return None if watch is None else lambda done: watch(done, count)


class _Asked(NamedTuple):
    """What else is measured."""

    continuation: bool
    interval: bool
    bounds: bool


def _is_profile(values: str | None, usually: bool) -> bool:
    """Whether alternative values are of the blueprint's profile."""
    if values is not None and values not in VALUES:
        raise InputError(f"alternative values are of the {' or the '.join(VALUES)}, not of '{values}'")
    return usually if values is None else values == PROFILE


def _extra(
    game: Any, blueprint: BlueprintInputs, found: ResolvedBlueprint, firsts: Sequence[Subtree], way: ResolveSettings,
    asked: _Asked, seed: int,
) -> dict[str, Any]:  # fmt: skip
    """What else is asked for, of the subtrees of the first place."""
    mine, theirs, model = blueprint.mine, blueprint.theirs, blueprint.model
    extra: dict[str, Any] = {}
    if asked.continuation:
        best = optimal_continuation(game, mine, firsts)
        extra["continuation"] = max(0.0, exploitability(game, best))
    if asked.interval:
        extra["equilibria"] = equilibria(game, blueprint, firsts, way, seed=seed)
    if asked.bounds and theirs and model:
        extra["safety"] = ses_bounds(game, (mine, theirs), found.strategy, model, firsts, way.alpha, way.error, seed)
    return extra


def _both(game: GameTree | SpotGame, blueprint: Any, seat: int, seed: int) -> tuple[Strategy, Strategy | None]:
    """The resolver's part of a blueprint, and the opponent's if it has one."""
    if seat not in (0, 1):
        raise InputError(f"the resolver's seat must be 0 or 1, not {seat}")
    if isinstance(blueprint, tuple):
        if len(blueprint) != 2:
            raise InputError(f"a blueprint is one strategy, or a pair of both seats', not {len(blueprint)} of them")
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
