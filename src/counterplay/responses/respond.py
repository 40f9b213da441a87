"""The public function for counter-strategies: `respond`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import Search
from counterplay.responses.answer import Answer
from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import ALPHA, Method
from counterplay.responses.method_options import RespondOptions, method_of, split_options
from counterplay.responses.whole_game import kept_although
from counterplay.responses.worlds import world_of
from counterplay.solvers.cfr import STOP, Progress, Stop, begin_part
from counterplay.solvers.minimiser import Solver
from counterplay.texts.arguments import FUNCTION, or_none, takes
from counterplay.treeplex.strategy import Strategy


@takes(stop=STOP, progress=or_none(FUNCTION))
def respond(
    game: Any,
    model: Strategy,
    method: Method | str | None = None,
    *,
    solver: Solver = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    keep: bool = False,
    **options: Unpack[RespondOptions],
) -> Answer:
    """Compute a counter-strategy to `model`, for the other seat.

    Args:
        game: from `load`; or a spot of hold'em, solved or not; or a whole game of hold'em.
        model: from `opponent`.
        method: a record such as `RNR(p=0.5)` or `Safe(0.05)` (see `responses.METHODS`), its text such as "rnr:p=0.5", or
            its name, which takes its fields from the options. By default `safe` if max_exploitability is given, `rnr` if p
            is, else `br`.
        solver: `lp`, a regret minimiser (`cfr+`, `dcfr`, `pcfr+`, `pdcfr+`, `cfr`, or a `Minimiser`), or `auto`.
        stop: stopping rule of iterative solvers; by default 1e-5 of the span of payoffs.
        progress: called with iterations and exploitability of iterative solves.
        seed: recorded in the answer.
        keep: in a whole game of hold'em, answer with the response even where it is not better than the blueprint (see
            `Answer.why_blueprint`).
        options: the method's fields, and how boards of a whole game are solved, see `RespondOptions`.

    Raises:
        InputError: an unknown method, a number outside its range, or a missing or unsupported option.
    """
    pieces, fields = split_options(options)
    chosen, world = method_of(method, **fields), world_of(game)
    game = world.convert(game)
    world.check(game, chosen)
    match = world.matchup(game, model, solver, stop or Stop(), progress, seed)
    if not pieces.is_usual and not match.is_in_pieces(chosen):
        raise InputError(
            f"{chosen.HEAD} of {match.game.name} is not computed board by board; it takes no record or workers"
        )
    match.pieces = pieces
    answer = respond_in(match, chosen, seed)
    why = match.why_blueprint(chosen, answer)
    if why is None:
        return answer
    facts = {"method": "blueprint", "seat": match.seat, "game": match.game.name}
    play = answer.strategy if keep else match.strategy_of(match.equilibrium(), facts)
    return replace(answer, strategy=play, why_blueprint=kept_although(why) if keep else why)


def respond_in(match: AnyMatchup, method: Method, seed: int | None = None) -> Answer:
    """`respond` in a given match-up, which caches shared results."""
    method.check_set()
    method = match.in_game(method)
    match.refine_for(method.risk)
    match.game_value  # noqa: B018 - computed before the clock starts: it belongs to the game, not to the method
    begin = run_time()
    begin_part(match.progress, "response")
    outcome, trust = method.outcome(match)
    return _answer(match, method, trust, outcome, run_time() - begin, seed)


def _answer(
    match: AnyMatchup, method: Method, trust: float | None, outcome: Outcome, seconds: float, seed: int | None
) -> Answer:
    look, alpha, depth = method.look, method.DIAL == ALPHA, None
    if look is not None:
        depth = Search(look).depth.levels or str(Search(look).depth)
    facts: dict[str, Any] = {
        "game": match.game.name,
        "seat": match.seat,
        "method": method.HEAD,
        "variant": method.VARIANT,
        "p": None if alpha else trust,
        "alpha": trust if alpha else None,
        "p_from": None if trust is None else "bisection" if method.trust is None else "given",
        "depth": depth,
        "gadget": look and look.gadget and str(look.gadget),
        "prior": look and look.gadget and look.prior_name,
        "value": look and look.value_name,
        "solve": look and look.solve,
        "steps": look and look.steps,
        **match.measures(outcome.plan),
        "bound": method.BOUND,
        "seconds": seconds,
        "solver": outcome.solver,
        "gap": match.gap_of(method, trust, outcome),
        "interrupted": outcome.interrupted,
        "seed": seed,
        "version": version(),
    }
    if outcome.iterations is not None:
        facts |= {"iterations": outcome.iterations, "cut": outcome.cut}
    return Answer(strategy=match.strategy_of(outcome, facts), **match.about, **facts)
