"""The one public way to re-solve a blueprint: `resolve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.opponents.opponent import opponent
from counterplay.poker.ranged import Ranged, ranged
from counterplay.resolving.blueprint import Resolved, Watch, pieces_at, resolve_at
from counterplay.resolving.continuation import Equilibria, equilibria, exploitability, optimal_continuation
from counterplay.resolving.priors import NONE, checked, prior_of
from counterplay.resolving.resolve_spot import exploitability_of, parts_of, resolve_streets, street_of
from counterplay.resolving.safety import Safety, safety
from counterplay.resolving.tremble import check_share
from counterplay.resolving.way import ITERATIONS, Way
from counterplay.solvers.best_response import best_response, played
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import equilibrium
from counterplay.subgames.compile import GameTree
from counterplay.subgames.gadgets import MAX_MARGIN, RESOLVING
from counterplay.subgames.places import Place
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import seats_in

PROFILE, BEST_RESPONSE = VALUES = ("profile", "best-response")
"""Where alternative values come from: what both parts of the blueprint do, or a best response to one."""


@dataclass(frozen=True, eq=False)
class Resolution:
    """A blueprint whose subgames were solved again, and what that did. Chips of the resolver.

    Attributes:
        strategy: the whole strategy.
        game, seat, at: the game, the resolver's seat, the places.
        gadget, prior, epsilon, alpha, error, normalised, values, solver: how (see `resolve`).
        states: how many subgames were solved.
        skipped: how many the blueprint never comes to.
        game_value: what the resolver is guaranteed in equilibrium.
        before, after: exploitability of the blueprint and of the strategy.
        gain_before, gain_after: gain of each against the model; None without one.
        gain_mixing, mixing: gain and exploitability of the baseline of SES, which before every hand takes a best response to
            the model with probability alpha, else the blueprint; None without alpha.
        continuation: the least exploitability with the decisions before the first place as they are; None if not asked
            for.
        equilibria: the interval over all equilibria of the gadget games of the first place; None if not asked for.
        safety: the bounds of SES; None if not asked for.
        gap: largest NashConv of a solution in its gadget game.
        seconds: wall clock of the re-solving alone.
        interrupted: whether Ctrl-C ended it early; subgames not reached are as in the blueprint.
        seed, version: for the record.
    """

    strategy: Strategy
    game: str
    seat: int
    at: str
    gadget: str
    prior: str
    epsilon: float | None
    alpha: float
    error: float
    normalised: bool
    values: str
    solver: str
    states: int
    skipped: int
    game_value: float
    before: float
    after: float
    gain_before: float | None
    gain_after: float | None
    gain_mixing: float | None
    mixing: float | None
    continuation: float | None
    equilibria: Equilibria | None
    safety: Safety | None
    gap: float
    seconds: float
    interrupted: bool
    seed: int
    version: str

    def facts(self) -> dict[str, Any]:
        """Everything but the strategy, as plain numbers and texts."""
        found = {name: value for name, value in vars(self).items() if name not in ("strategy", "equilibria", "safety")}
        for part in ("equilibria", "safety"):
            held = getattr(self, part)
            found[part] = None if held is None else dict(vars(held))
        return found


def resolve(
    game: Any,
    blueprint: Any,
    at: str | Sequence[str],
    *,
    seat: int = 0,
    gadget: str | None = None,
    prior: str | Mapping[str, float] = NONE,
    epsilon: float | None = None,
    alpha: float = 0.0,
    model: Any = None,
    error: float = 0.0,
    normalised: bool | None = None,
    values: str | None = None,
    declared: bool = False,
    only: str | None = None,
    solver: str = "cfr+",
    stop: Stop | None = None,
    continuation: bool = False,
    interval: bool = False,
    bounds: bool = False,
    seed: int = 0,
    watch: Watch | None = None,
) -> Resolution:
    """Solve the subgames of a blueprint again at a place, and put the pieces into one strategy.

    Args:
        game: from `load`; or a spot of hold'em, where the place is `round` (the next street) or `round:N`.
        blueprint: the resolver's strategy, or both seats' as a pair, or anything that `opponent` takes for either seat.
        at: `moves:N`, `round`, `round:N` or `game`; or several, each inside the one before (nested re-solving).
        seat: the resolver's, 0 or 1.
        gadget: `unsafe`, `resolving` (the default), `max-margin` (the default with alpha), `reach-max-margin` or `full`.
        prior: which equilibrium of the gadget game (GGSE): `none` (any), `uniform`, `blueprint`, a .json file, or a weight
            for each infoset of the opponent at the top.
        epsilon: the tremble toward the prior; by default 1e-3 by a minimiser, and its exact limit 0 by `lp`.
        alpha: exploitation level of SES, 0 to 1.
        model: anything that `opponent` takes; for alpha, and to measure gains.
        error: L1 distance by which the estimate of the opponent's range is made wrong.
        normalised: whether infosets of the opponent count alike, however likely chance and the resolver make them; by
            default where alpha is above 0, as in the SES paper.
        values: alternative values of the blueprint `profile`, or of a `best-response` to it; by default the profile's
            where alpha is above 0 and the opponent's part is known.
        declared: whether public states are those that the game declares.
        only: an infoset of the resolver; only its subgame is solved. In a spot a path up to a card, such as "x x Ah".
        solver: `lp` or a regret minimiser.
        stop: when a minimiser stops; by default after 5,000 iterations.
        continuation, interval, bounds: also measure the optimal continuation, the interval of exploitabilities over all
            equilibria of the gadget games, the bounds of SES.
        seed: of random blueprints whose text names none, and of the errors of the estimate.
        watch: called with how many subgames are solved, and how many there are.

    Raises:
        InputError: naming what is wrong; nothing was computed then.
    """
    check_share("alpha", alpha)
    spot = ranged(game)
    game = spot or game
    if spot and (continuation or interval or bounds or declared):
        raise InputError(f"in {game.name} there is no continuation, interval or bounds, and no declared state")
    mine, theirs = _both(game, blueprint, seat, seed)
    wanted = opponent(game, model, 1 - seat, seed) if model is not None else None
    prior = prior_of(prior) if isinstance(prior, str) else checked(prior)
    if bounds and (theirs is None or wanted is None):
        raise InputError("the bounds of SES need the opponent's part of the blueprint, and a model")
    ses = alpha > 0.0
    if values is not None and values not in VALUES:
        raise InputError(f"alternative values are of the {' or the '.join(VALUES)}, not of '{values}'")
    profile = values == PROFILE or (values is None and ses and theirs is not None)
    way = Way(
        gadget=gadget or (MAX_MARGIN if ses else RESOLVING),
        prior=prior,
        epsilon=epsilon,
        alpha=alpha,
        error=error,
        normalised=ses if normalised is None else normalised,
        profile=profile,
        solver=solver,
        stop=stop or Stop(iterations=ITERATIONS),
    )
    if spot:
        return _of_spot(spot, (mine, theirs), at, way, wanted, only, seed, watch)
    places = [Place.of(str(text), declared) for text in (at if isinstance(at, list | tuple) else [at])]
    chosen = pieces_at(game, places, seat, only)
    found = resolve_at(chosen, mine, theirs, way, model=wanted, seed=seed, watch=watch)
    pieces = [piece.cut for piece in chosen if piece.first]
    facts = {
        "seat": seat,
        "at": ", ".join(map(str, places)),
        "error": error,
        "continuation": max(0.0, exploitability(game, optimal_continuation(game, mine, pieces)))
        if continuation
        else None,
        "equilibria": equilibria(game, mine, pieces, way, other=theirs, model=wanted, seed=seed) if interval else None,
        "safety": safety(game, (mine, theirs), found.strategy, wanted, pieces, alpha, error, seed)
        if theirs and wanted and bounds
        else None,
        "seed": seed,
    }
    return _measured(game, mine, found, way, wanted, facts)


def _of_spot(
    game: Ranged, blueprint: tuple[Strategy, Strategy | None], at: str | Sequence[str], way: Way, model: Strategy | None,
    only: str | None, seed: int, watch: Watch | None,
) -> Resolution:  # fmt: skip
    """The same in a spot."""
    texts = [at] if isinstance(at, str) else list(at)
    mine, theirs = blueprint
    if len(texts) != 1:
        raise InputError(f"in {game.name} one street is solved again at a time")
    parts = parts_of(game, street_of(game, texts[0]), only)
    found = resolve_streets(game, mine, theirs, parts, way, model=model, watch=watch)
    facts = {
        "seat": mine.player, "at": texts[0], "error": 0.0, "continuation": None, "equilibria": None, "safety": None,
        "seed": seed,
    }  # fmt: skip
    return _measured(game, mine, found, way, model, facts)


def _value(game: GameTree | Ranged) -> float:
    """Of the game for player 0."""
    return (game.equilibrium() if isinstance(game, Ranged) else equilibrium(game.subgame)).value


def _lost(game: GameTree | Ranged, strategy: Strategy) -> float:
    """The exploitability of a strategy."""
    return exploitability_of(game, strategy) if isinstance(game, Ranged) else exploitability(game, strategy)


def _measured(
    game: GameTree | Ranged, mine: Strategy, found: Resolved, way: Way, model: Strategy | None, facts: dict[str, Any]
) -> Resolution:
    """The record of what was found, with exploitability and gain before and after."""
    value = _value(game)
    mixing = mixed(game, mine, model, way.alpha) if model and way.alpha > 0.0 else None
    after = max(0.0, _lost(game, found.strategy))
    known = {"game": game.name, "method": f"resolve {way.gadget}", "exploitability": after}
    return Resolution(
        strategy=Strategy(mine.tree, found.strategy.behaviour, known),
        game=game.name,
        gadget=way.gadget,
        prior=way.tremble.name,
        epsilon=way.epsilon,
        alpha=way.alpha,
        normalised=way.normalised,
        values=PROFILE if way.profile else BEST_RESPONSE,
        solver=way.solver,
        states=found.states,
        skipped=found.skipped,
        game_value=value if mine.player == 0 else -value,
        before=max(0.0, _lost(game, mine)),
        after=after,
        gain_before=_gain(game, mine, model),
        gain_after=_gain(game, found.strategy, model),
        gain_mixing=_gain(game, mixing, model),
        mixing=max(0.0, _lost(game, mixing)) if mixing else None,
        gap=found.gap,
        seconds=found.seconds,
        interrupted=found.interrupted,
        version=version(),
        **facts,
    )


def _both(game: GameTree | Ranged, blueprint: Any, seat: int, seed: int) -> tuple[Strategy, Strategy | None]:
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


def mixed(game: GameTree | Ranged, blueprint: Strategy, model: Strategy, alpha: float) -> Strategy:
    """Before every hand a coin decides: a best response to the model with probability alpha, else the blueprint (SES paper,
    section 4.3, the mixing strategy)."""
    greedy = best_response(game.subgame, blueprint.player, model.plan)
    plan = (1.0 - alpha) * blueprint.plan + alpha * played(game.subgame, blueprint.player, greedy.behaviour)
    return Strategy.from_plan(blueprint.tree, plan)


def _gain(game: GameTree | Ranged, strategy: Strategy | None, model: Strategy | None) -> float | None:
    if model is None or strategy is None:
        return None
    value = _value(game)
    me = strategy.player
    won = float(strategy.plan @ game.subgame.leaves.product(me, model.plan))
    return won - (value if me == 0 else -value)
