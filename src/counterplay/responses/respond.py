"""The one public way to a counter-strategy: `respond`."""

from __future__ import annotations

from typing import Any, Unpack

from counterplay.about import version
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.betting.rake import NO_BOUND, RISK, check_zero_sum
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import as_compiled
from counterplay.responses import METHODS
from counterplay.responses.answer import Answer
from counterplay.responses.matchup.matchup import Matchup, Outcome
from counterplay.responses.method import ALPHA, Method
from counterplay.responses.method_options import MethodOptions, method_of
from counterplay.responses.whole_game import HoldemMatchup, respond_in_whole_game
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.treeplex.strategy import Strategy


def respond(
    game: Any,
    model: Strategy,
    method: Method | str | None = None,
    *,
    solver: Solver = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    **options: Unpack[MethodOptions],
) -> Answer:
    """Compute a counter-strategy to `model`, for the other seat.

    Args:
        game: from `load`; or a spot of hold'em, solved or not; in whole games of hold'em there are br and rnr.
        model: from `opponent`.
        method: a record such as `RNR(p=0.5)` or `Safe(0.05)` (see `responses.METHODS`), its text such as "rnr:p=0.5", or
            its name, which takes its fields from the options. By default `safe` if max_exploitability is given, `rnr` if p
            is, else `br`.
        solver: `lp`, a regret minimiser (`cfr+`, `dcfr`, `pcfr+`, `pdcfr+`, `cfr`, or a `Minimiser`), or `auto`.
        stop: when the iterative solvers stop; by default at 1e-5 of the span of payoffs.
        progress: called with iterations and exploitability of iterative solves.
        seed: noted in the answer.
        options: the method's fields, see `MethodOptions`.

    Raises:
        InputError: an unknown method, numbers outside their range, or a number that the method needs or does not take.
    """
    if isinstance(game, Holdem):
        match = HoldemMatchup(game, model, stop or Stop(), seed or 0)  # type: ignore[arg-type]
        return respond_in_whole_game(match, method_of(method, **options), seed)
    spot = as_spot_game(game)
    game = spot or as_compiled(game)
    wanted = method_of(method, **options)
    if spot:
        check_raked(wanted, spot.rake)
    return respond_in(Matchup(game, model, solver, stop or Stop(), progress), wanted, seed)


def check_raked(method: Method | type[Method], rake: float) -> None:
    """Refuse what a spot with a rake does not have.

    Raises:
        InputError: a method that counts on zero sum, or a largest exploitability.
    """
    asks = isinstance(method, Method) and method.most is not None
    raked = [name for name, known in METHODS.items() if known.RAKED]
    if not method.RAKED:
        risk = "no bound on the risk holds: " if asks else ""
        check_zero_sum(rake, f"{risk}{method.HEAD} counts on that; with a rake there are {', '.join(raked)}, and locks")
    if asks:
        check_zero_sum(rake, RISK)


def respond_in(match: Matchup, method: Method, seed: int | None = None) -> Answer:
    """The same for a match-up that may be asked again."""
    match.game_value  # noqa: B018 - computed before the clock starts: it belongs to the game, not to the method
    method = method.in_game(match.game)
    begin = run_time()
    outcome, trust = method.outcome(match)
    return _measured(match, method, trust, outcome, run_time() - begin, seed)


def _measured(
    match: Matchup, method: Method, trust: float | None, outcome: Outcome, seconds: float, seed: int | None
) -> Answer:
    look, alpha = method.look, method.DIAL == ALPHA
    value, value_against_model = match.game_value, match.value_against_model(outcome.plan)
    exploitability = max(0.0, match.exploitability(outcome.plan))
    facts = {
        "game": match.game.name,
        "seat": match.seat,
        "method": method.HEAD,
        "p": None if alpha else trust,
        "alpha": trust if alpha else None,
        "p_from": None if trust is None else "bisection" if method.trust is None else "given",
        "depth": look and _depth_fact(look),
        "gadget": look and look.gadget and str(look.gadget),
        "prior": look and look.gadget and look.prior_name,
        "value": look and look.value_name,
        "solve": look and look.solve,
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


def _depth_fact(look: LookAhead) -> int | str:
    """How far a look-ahead sees: a number of levels, or a word."""
    depth = Search(look).depth
    return depth.levels or str(depth)
