"""The commands that respond to a model, and that measure a strategy. Registered in `registry.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.gain_from_hands import (
    NOT_AN_INTERVAL,
    check_posterior,
    cross_fitted,
    gain_over_posterior,
    model_from_hands,
    prior_note,
    show_cross_fit,
    show_posterior,
    show_unknown_hands,
)
from counterplay.commands.methods_on_flops import compare_on_flops
from counterplay.commands.model import counts_in, show_prediction, where_of
from counterplay.commands.options.inputs import (
    RESPONSES,
    RespondSeat,
    check_opponents,
    endings_for,
    load_game,
    naming_solver,
    opponent_of,
    progress_bar,
    seat_in,
    solver_in,
    stop_of,
)
from counterplay.commands.options.option_records import given_options, takes_records
from counterplay.commands.options.shared_options import (
    BoardFlags,
    DialFlags,
    FlopFlags,
    LookFlags,
    Precision,
    ResultFlags,
    RunFlags,
    Seat,
    Solver,
    Spec,
    To,
    Value,
    check_no_work,
)
from counterplay.commands.options.work_options import check_work
from counterplay.commands.printing.coverage import show_coverage
from counterplay.commands.value_output import report
from counterplay.commands.whole_game_models import predict_holdem
from counterplay.commands.whole_game_values import (
    SAMPLED,
    evaluate_on_boards,
    iterations_text,
    respond_on_flops,
    respond_robustly_on_flops,
    verdict,
)
from counterplay.errors import InputError
from counterplay.files import check_writable

if TYPE_CHECKING:
    from counterplay.responses.answer import Answer

_SHOWN = [
    "game", "seat", "method", "variant", "p", "alpha", "p_from", "depth", "gadget", "prior", "value", "solve", "steps",
    "game_value", "value_against_model", "gain", "exploitability", "gain_percent", "exploitability_percent", "bound",
    "seconds",
]  # fmt: skip
_IN_WHOLE_GAMES = (
    "iterations", "value_against_model", "blueprint_value", "edge", "edge_against_blueprint", "risk", "exploitability",
    "gap", "seconds",
)  # fmt: skip
_EXACT = "lp is exact and takes no --iterations or --seconds"
_CLOSE = 1e-4
"""The share of the span of payoffs from which on the distance from the optimum is shown."""


@takes_records
def respond(
    *,
    game: Spec,
    to: To,
    seat: RespondSeat = Seat.FIRST,
    dial: DialFlags,
    look: LookFlags,
    value: Value = None,
    solver: Solver = "auto",
    precision: Precision = "double",
    seconds: Annotated[float | None, typer.Option(help="Stop each iterative solve after so many seconds.")] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Of each solve (1000 over a value function, 5000 over net: at 0 < p < 1).")
    ] = None,
    posterior: Annotated[
        int | None,
        typer.Option(
            "--posterior",
            metavar="N",
            help="Also the spread of the gain over N draws of the posterior (--to hands:...).",
        ),
    ] = None,
    drawn: FlopFlags,
    methods: Annotated[
        str | None,
        typer.Option("--methods", help="With --flops: several methods on the same ones, separated by commas."),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="In whole games of hold'em: keep the response even where the blueprint is better."),
    ] = False,
    result: ResultFlags,
) -> None:
    """Compute a counter-strategy to a model of the opponent: its gain and exploitability, in whole hold'em edge and risk."""
    from counterplay.responses.method_options import method_of
    from counterplay.responses.respond import respond as respond_to
    from counterplay.work.progress import work_line

    solver = solver_in(solver, precision)
    _check_flops(game, drawn, methods, precision, keep)
    dials, far = given_options(replace(dial, method=None)), {**given_options(look), "value": value}
    method = None if methods is not None else method_of(dial.method, **dials, **far)
    walked = drawn.flops is not None and method is not None and method.HEAD not in SAMPLED
    check_writable(result.output, *(RESPONSES if walked else endings_for(game)))
    check_work(drawn)
    check_opponents(game, to)
    tree = load_game(game, result.memory, result.output)
    hands = model_from_hands(tree, to)
    if posterior is not None:
        check_posterior(tree, to, hands, posterior)
    if drawn.flops is not None:
        model = opponent_of(tree, to, 1 - int(seat), result.seed)
        stop = None if iterations is None and seconds is None else stop_of(0.0, iterations, seconds)
        _on_flops(tree, model, method or str(methods), {**dials, **far}, drawn, result, stop, keep=keep)
        return
    pieces, together, method = _pieces(game, tree, method, drawn, result)
    stop, model = _stop(tree, solver, iterations, seconds), opponent_of(tree, to, 1 - int(seat), result.seed)
    quiet = result.as_json or not together, result.as_json or together  # one of them has something to show
    goal = stop or (stop_of(tree.fine) if hasattr(tree, "fine") else None)
    settings: dict[str, Any] = {"solver": solver, "stop": stop, "seed": result.seed, **pieces}
    with progress_bar(goal, quiet[0], tree) as progress, work_line("solved", quiet[1]) as watch, naming_solver():
        answer = respond_to(tree, model, method, progress=progress, watch=watch, keep=keep, **settings)
    facts, lines = answer.facts(), {"game": f"{answer.game} against {to}"}
    below = verdict(facts)
    if answer.iterations is not None:
        lines["iterations"] = iterations_text(answer.iterations, answer.cut)
    if hands is None:
        below.append(partial(show_unknown_hands, model, tree))
    else:
        fitted = cross_fitted(tree, hands, answer, lambda one: respond_to(tree, one, method, **settings), result)
        note = prior_note(tree, hands, 1 - answer.seat, result.seed)
        facts["cross_fitted"] = {**asdict(fitted), "note": note}
        below.append(partial(show_cross_fit, fitted, note))
    if hands is not None and posterior is not None:
        found = gain_over_posterior(tree, hands, answer, posterior, result)
        facts["posterior"] = {"samples": posterior, **asdict(found), "note": NOT_AN_INTERVAL}
        below.append(partial(show_posterior, found, posterior))
    names = _names(answer, tree, stop)
    report(tree, facts, names, result, lines=lines, strategies=[answer.strategy], model=model, below=below)


def _names(answer: Answer, tree: Any, stop: Any) -> list[str]:
    """The names of the facts to show, the distance from the optimum only if it is not small. Says on stderr if the stop was
    not needed.
    """
    if stop is not None and answer.solver == "lp":
        print(f"{_EXACT}; another --solver does", file=sys.stderr)
    if answer.edge is not None:
        return [
            *_SHOWN[: _SHOWN.index("game_value")],
            *(name for name in _IN_WHOLE_GAMES if answer.facts().get(name) is not None),
        ]
    return [*_SHOWN, "gap"] if answer.gap > _CLOSE * getattr(tree, "span", inf) else _SHOWN


def _check_flops(game: str, drawn: FlopFlags, methods: str | None, precision: str, keep: bool) -> None:
    """Reject options of drawn flops without any, and a precision in whole games."""
    from counterplay.poker.whole_game.game_text import is_whole_game

    if methods is not None and drawn.flops is None:
        raise InputError("--methods goes with --flops")
    if drawn.blueprint is not None and drawn.flops is None:
        raise InputError("--blueprint goes with --flops")
    if keep and not is_whole_game(game):
        raise InputError("--keep is for whole games of hold'em, where a blueprint may be better than the response")
    if precision != "double" and (drawn.flops is not None or is_whole_game(game)):
        raise InputError("--precision is for games in memory and spots, not for whole games of hold'em")


def _stop(tree: Any, solver: Any, iterations: int | None, seconds: float | None) -> Any:
    """What ends a solve; None if nothing was given."""
    if iterations is None and seconds is None:
        return None
    if solver == "lp":
        raise InputError(_EXACT)
    return stop_of(getattr(tree, "fine", 1e-5 * tree.span), iterations, seconds)


def _on_flops(
    tree: Any,
    model: Any,
    method: Any,
    given: dict[str, Any],
    drawn: FlopFlags,
    result: ResultFlags,
    stop: Any,
    *,
    keep: bool,
) -> None:
    """One method on drawn flops, or several, named in a text, on the same ones."""
    if isinstance(method, str):
        compare_on_flops(tree, model, method, given, drawn, result)
    elif method.HEAD in SAMPLED:
        respond_robustly_on_flops(tree, model, method, drawn, result, stop, keep=keep)
    elif stop is not None and stop.iterations < 1 << 62:
        raise InputError(f"--iterations is for {', '.join(SAMPLED)}, which are sampled; {method.HEAD} takes none")
    else:
        respond_on_flops(tree, model, method, drawn, result, keep=keep)


def _pieces(
    game: str, tree: Any, method: Any, drawn: FlopFlags, result: ResultFlags
) -> tuple[dict[str, Any], bool, Any]:
    """How boards of a whole game are solved, if they are, and whether all at once; what that takes is said first. In other
    games only the method may have work for several processes.
    """
    from counterplay.poker.whole_game.game_text import is_whole_game
    from counterplay.responses.whole_game import check_whole_game, cost_of_search, solves_together

    if not is_whole_game(game):
        return {}, True, _with_workers(method, drawn)
    check_whole_game(tree, method)
    cost = cost_of_search(tree, method)
    if cost and not result.as_json:
        print(cost, file=sys.stderr)
    return {"record": drawn.record, "workers": drawn.workers}, solves_together(tree, method), method


def _with_workers(method: Any, drawn: FlopFlags) -> Any:
    """A method whose value function is sampled by as many processes as are asked for; no other uses any.

    Raises:
        InputError: a record, or workers for another method.
    """
    leaf: Any = None if method is None or method.look is None else method.look.leaf
    if drawn.record is not None or not hasattr(leaf, "workers"):
        check_no_work(drawn, "--flops, and --workers with --value sampled:N:..., too")
        return method
    return replace(method, look=replace(method.look, leaf=replace(leaf, workers=drawn.workers)))


@takes_records
def evaluate(
    *,
    game: Spec,
    strategy: Annotated[str, typer.Argument(help="A strategy file, or any text that --to takes.")],
    against: Annotated[
        str | None, typer.Option("--against", metavar="OPPONENT", help="A model of the other seat.")
    ] = None,
    seat: Annotated[
        Seat | None, typer.Option("--seat", help="The strategy's seat; by default that of its file.")
    ] = None,
    hands: Annotated[
        list[Path] | None,
        typer.Option("--hands", metavar="FILE", help="How well the strategy predicts hands (--player)."),
    ] = None,
    player: Annotated[str | None, typer.Option("--player", metavar="NAME", help="Whose hands these are.")] = None,
    prior: Annotated[
        str | None, typer.Option("--prior", metavar="OPPONENT", help="What its prediction is compared with (nash).")
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Where a model from hands has seen little, by share of its decisions.")
    ] = False,
    drawn: BoardFlags,
    run: RunFlags,
) -> None:
    """Measure a strategy exactly: exploitability, and value and gain against a model."""
    from counterplay.measure.evaluate import evaluate as measure
    from counterplay.poker.whole_game.game_text import is_whole_game

    check_work(drawn)
    if drawn.boards is None:
        check_no_work(drawn, "--boards")
    if (hands is None) != (player is None):
        raise InputError("--hands and --player go together")
    prior = _prior_of(prior, hands)
    check_opponents(game, strategy, against, prior)
    tree = load_game(game, run.memory)
    if (hands or coverage) and is_whole_game(game):
        predict_holdem(tree, strategy, prior, hands, player, coverage, run)
        return
    own_seat = int(seat) if seat is not None else seat_in(strategy)
    mine = opponent_of(tree, strategy, own_seat, run.seed)
    model = opponent_of(tree, against, 1 - own_seat, run.seed) if against else None
    if drawn.boards is not None:
        evaluate_on_boards(tree, mine, model, drawn, run)
        return
    facts = measure(tree, mine, model).facts()
    names, below = list(facts), list[Callable[[], None]]()
    if hands and player:
        from counterplay.measure.prediction import predict

        counts = counts_in(tree, hands, player, own_seat, "all")
        before = counts.seen_part(opponent_of(tree, prior, own_seat, run.seed))
        scored = predict(counts.observations, counts.seen_part(mine), before, where_of(counts))
        facts["prediction"] = asdict(scored)
        below.append(partial(show_prediction, scored, f"of {player}"))
    if coverage:
        from counterplay.measure.coverage import coverage as coverage_of

        covered = coverage_of(tree, mine)
        facts["coverage"] = asdict(covered)
        below.append(partial(show_coverage, covered))
    report(tree, {**facts, "seed": run.seed}, names, run, below=below)


def _prior_of(prior: str | None, hands: list[Path] | None) -> str:
    """What a prediction of hands is compared with.

    Raises:
        InputError: there are none.
    """
    if prior is not None and hands is None:
        raise InputError("--prior goes with --hands")
    return "nash" if prior is None else prior
