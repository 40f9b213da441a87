"""The one public way to a counter-strategy: `respond`."""

from __future__ import annotations

import time
from collections.abc import Callable

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.responses.answer import Answer
from counterplay.responses.dial import corners, mixture, mixture_within, safe_best_response
from counterplay.responses.matchup import Matchup, Outcome
from counterplay.solvers.cfr import Progress, Stop
from counterplay.subgames.compile import GameTree
from counterplay.treeplex.strategy import Strategy

METHODS = {
    "br": "best response: wins most, no protection",
    "mix": "best response with probability p, else an equilibrium",
    "dbr": "trust p at each infoset, less where data are few",
    "rnr": "the opponent is the model with probability p",
    "safe": "largest gain within the allowed exploitability",
    "bne": "among all equilibria the one that wins most",
}
"""The methods by name, each with what it is."""

_BY_P = ("rnr", "dbr", "mix")


def respond(
    game: GameTree,
    model: Strategy,
    *,
    method: str | None = None,
    p: float | None = None,
    max_exploitability: float | None = None,
    solver: str = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
) -> Answer:
    """Compute a counter-strategy to `model`, for the other seat.

    Args:
        game: from `load`.
        model: from `opponent`.
        method: one of `METHODS`. By default `safe` if max_exploitability is given, `rnr` if p is, else `br`.
        p: trust in the model, from 0 to 1, for rnr, dbr and mix.
        max_exploitability: in chips; for safe, or instead of p for rnr, dbr and mix, where the largest p that stays
            within it is found.
        solver: `lp`, a regret minimiser (`cfr+`, `dcfr`, `pcfr+`, `pdcfr+`, `cfr`), or `auto`.
        stop: when the iterative solvers stop; by default at 1e-5 of the span of payoffs.
        progress: called with iterations and exploitability of iterative solves.
        seed: noted in the answer.

    Raises:
        InputError: an unknown method, numbers outside their range, or a number that the method needs or does not take.
    """
    method = check(method, p, max_exploitability)
    return respond_in(Matchup(game, model, solver, stop or Stop(), progress), method, p, max_exploitability, seed)


def respond_in(match: Matchup, method: str, p: float | None, epsilon: float | None, seed: int | None = None) -> Answer:
    """The same for a match-up that may be asked again; the arguments are those of `respond`, already checked."""
    match.game_value  # noqa: B018 - computed before the clock starts: it belongs to the game, not to the method
    begin = time.perf_counter()
    outcome, p = _outcome(match, method, p, epsilon)
    return _measured(match, method, p, outcome, time.perf_counter() - begin, seed)


def _measured(
    match: Matchup, method: str, p: float | None, outcome: Outcome, seconds: float, seed: int | None
) -> Answer:
    value, value_against_model = match.game_value, match.value_against_model(outcome.plan)
    exploitability = max(0.0, match.exploitability(outcome.plan))
    facts = {
        "game": match.game.name,
        "seat": match.seat,
        "method": method,
        "p": p,
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
    strategy = Strategy.from_plan(match.game.trees[match.seat], outcome.plan, facts)
    return Answer(strategy=strategy, **facts)  # type: ignore[arg-type]


def check(method: str | None, p: float | None, epsilon: float | None) -> str:
    """The method that is meant, once its numbers are seen to fit; the arguments are those of `respond`."""
    method = method or ("safe" if epsilon is not None else "rnr" if p is not None else "br")
    if method not in METHODS:
        raise InputError(f"there is no method '{method}'; the methods are {', '.join(METHODS)}")
    if p is not None and not 0.0 <= p <= 1.0:
        raise InputError(f"p must be between 0 and 1, not {p:g}")
    if epsilon is not None and not 0.0 <= epsilon < float("inf"):
        raise InputError(f"the largest exploitability must be a number of chips from 0 on, not {epsilon:g}")
    if method in _BY_P:
        if (p is None) == (epsilon is None):
            raise InputError(f"{method} needs either p or a largest exploitability")
    elif p is not None:
        raise InputError(f"{method} takes no p")
    if method == "safe" and epsilon is None:
        raise InputError("safe needs a largest exploitability")
    if method in ("br", "bne") and epsilon is not None:
        raise InputError(f"{method} takes no largest exploitability")
    return method


def _outcome(match: Matchup, method: str, p: float | None, epsilon: float | None) -> tuple[Outcome, float | None]:
    """The plan of a method, and the p that it used."""
    if method == "br":
        return match.best_response(), None
    if method == "bne":
        return match.best_equilibrium(), None
    if method == "safe":
        return safe_best_response(match, epsilon or 0.0), None
    if method == "mix":
        safe, greedy = match.equilibrium(), match.best_response()
        if p is None:
            return mixture_within(match, safe, greedy, epsilon or 0.0)
        return mixture(safe, greedy, p), p
    response: Callable[[float], Outcome] = match.restricted_nash if method == "rnr" else match.data_biased
    if p is None:
        return corners(match, response, epsilon or 0.0)[0]
    return response(p), p
