"""The one public way to a counter-strategy: `respond`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from counterplay.about import version
from counterplay.jit.clock import run_time
from counterplay.poker.betting.rake import NO_BOUND
from counterplay.poker.betting.stakes import CHIPS, read_amount, stakes_of
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.problem.solvable_game import as_compiled
from counterplay.responses.answer import Answer
from counterplay.responses.depth_limited import PER_STATE
from counterplay.responses.matchup import Matchup, Outcome
from counterplay.responses.methods import METHODS, Request, TrustParameter, carried_out, check_raked, check_request
from counterplay.solvers.cfr import Progress, Stop
from counterplay.treeplex.strategy import Strategy


def respond(
    game: Any,
    model: Strategy,
    *,
    method: str | None = None,
    p: float | None = None,
    max_exploitability: float | str | None = None,
    depth: int | str | None = None,
    gadget: Any = None,
    value: Any = None,
    solve: str | None = None,
    alpha: float | None = None,
    prior: str | Mapping[str, float] | None = None,
    epsilon: float | None = None,
    solver: str = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
) -> Answer:
    """Compute a counter-strategy to `model`, for the other seat.

    Args:
        game: from `load`; or a spot of hold'em, solved or not.
        model: from `opponent`.
        method: one of `responses.methods.METHODS`. By default `safe` if max_exploitability is given, `rnr` if p is, else
            `br`.
        p: trust in the model, from 0 to 1, for rnr, dbr and cdrnr; weight of the exploiting strategy for mix and cdbr-ne.
        max_exploitability: in chips, or as "1%" of a spot's pot, in other games of the span between the largest and the
            smallest payoff; in a spot also as "5mbb". For safe, or instead of p, where the largest p that stays within it
            is found.
        depth: levels of look-ahead, `round`, `game`, or a `gametree.compile.levels.Depth`, for cdbr, cdrnr, cdbr-ne
            and resolve.
        gadget: how an opponent who is not the model enters a look-ahead, for cdrnr and resolve: `full` (cdrnr's default),
            `resolving` (resolve's), `max-margin`, `reach-max-margin` or `unsafe`.
        value: what stands behind the limit of a look-ahead: `exact` (the default), `cfr:N`, `rollout:N`, `lp`, a function
            from a state to chips of player 0, or an object with the protocol of `leaf_values.leaf_value`.
        solve: `joint` (the default) solves all public states of a level together, `per-state` each alone, as in play.
        alpha: for ses: with what probability the opponent comes into a look-ahead as the model would, from 0 to 1.
        prior: which equilibrium of a gadget game is taken, for cdrnr, resolve and ses (GGSE): `none`, `uniform`, `blueprint`
            (what the look-ahead before expected), a .json file or a mapping of infosets to weights.
        epsilon: the tremble toward the prior; by default 1e-3 by a minimiser, and its exact limit 0 by `lp`.
        solver: `lp`, a regret minimiser (`cfr+`, `dcfr`, `pcfr+`, `pdcfr+`, `cfr`), or `auto`.
        stop: when the iterative solvers stop; by default at 1e-5 of the span of payoffs.
        progress: called with iterations and exploitability of iterative solves.
        seed: noted in the answer.

    Raises:
        InputError: an unknown method, numbers outside their range, or a number that the method needs or does not take.
    """
    spot = as_spot_game(game)
    game = spot or as_compiled(game)
    request = check_request(
        method,
        p,
        chips_of(max_exploitability, game),
        depth,
        gadget=gadget,
        value=value,
        ways=solve,
        alpha=alpha,
        prior=prior,
        epsilon=epsilon,
    )
    if spot:
        check_raked(request, spot.rake)
    if spot and request.look and request.look.gadget and not request.look.gadget.keeps_path:
        request = replace(request, look=replace(request.look, ways=PER_STATE))  # each board has its own entry
    return respond_in(Matchup(spot or game, model, solver, stop or Stop(), progress), request, seed)


def chips_of(most: float | str | None, game: Any) -> float | None:
    """Chips of a number, or of a text with a unit (see `poker.betting.stakes.read_amount`): per cent are of a spot's
    pot, or of the
    span of payoffs in other games."""
    if not isinstance(most, str):
        return most
    what = "the largest exploitability"
    return read_amount(most, CHIPS, what).chips(stakes_of(game), what)


def respond_in(match: Matchup, request: Request, seed: int | None = None) -> Answer:
    """The same for a match-up that may be asked again."""
    match.game_value  # noqa: B018 - computed before the clock starts: it belongs to the game, not to the method
    begin = run_time()
    outcome, p = carried_out(match, request)
    return _measured(match, request, p, outcome, run_time() - begin, seed)


def _measured(
    match: Matchup, request: Request, p: float | None, outcome: Outcome, seconds: float, seed: int | None
) -> Answer:
    look, alpha = request.look, METHODS[request.method].dial is TrustParameter.ALPHA
    value, value_against_model = match.game_value, match.value_against_model(outcome.plan)
    exploitability = max(0.0, match.exploitability(outcome.plan))
    facts = {
        "game": match.game.name,
        "seat": match.seat,
        "method": request.method,
        "p": None if alpha else p,
        "alpha": p if alpha else None,
        "p_from": None if p is None else "given" if request.p is not None else "bisection",
        "depth": look and (look.depth.levels or str(look.depth)),
        "gadget": look and look.gadget and str(look.gadget),
        "prior": look and look.gadget and look.tremble.name,
        "value": look and look.value_name,
        "solve": look and look.ways,
        "steps": look and look.steps,
        "game_value": value,
        "value_against_model": value_against_model,
        "gain": value_against_model - value,
        "exploitability": exploitability,
        "seconds": seconds,
        "solver": outcome.solver,
        "gap": outcome.gap,
        "interrupted": outcome.interrupted,
        "seed": seed,
        "version": version(),
    }
    tree = match.game.trees[match.seat]
    if outcome.behaviour is None:
        strategy = Strategy.from_plan(tree, outcome.plan, facts)
    else:
        strategy = Strategy(tree, outcome.behaviour, facts)
    if not isinstance(match.game, SpotGame):
        return Answer(strategy=strategy, **facts)  # type: ignore[arg-type]
    stakes, note = match.game.stakes, NO_BOUND if match.game.rake else None
    return Answer(strategy=strategy, pot=stakes.pot, big_blind=stakes.big_blind, note=note, **facts)  # type: ignore[arg-type]
