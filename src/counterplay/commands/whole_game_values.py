"""Output of values on drawn flops and boards in whole games of hold'em."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.shared_options import BoardFlags, FlopFlags, ResultFlags, RunFlags, ShownFlags
from counterplay.commands.options.work_options import work_tools
from counterplay.commands.printing.output import say
from counterplay.commands.printing.points import show_flop_points
from counterplay.commands.value_output import report
from counterplay.errors import InputError
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import Update, progress_line

if TYPE_CHECKING:
    from counterplay.measure.flops.flop_frontier import FlopPoint
    from counterplay.measure.flops.flop_measure import FlopMeasure
    from counterplay.measure.flops.flop_responses import FlopAnswer
    from counterplay.poker.whole_game.strategy import BlueprintStrategy
    from counterplay.responses.method import Method
    from counterplay.solvers.cfr import Stop

SAMPLED = ("rnr", "dbr", "mix", "safe", "bne")
"""Methods whose responses are strategies that sampling found, measured beside a blueprint."""
_ROBUST = [
    "game", "seat", "method", "p", "at most", "iterations", "boards", "value", "blueprint_value", "edge",
    "edge_against_blueprint", "flops", "risk", "fitted", "exploitability", "gap", "seconds",
]  # fmt: skip
_ON_FLOPS = [
    "game", "seat", "method", "depth", "value", "flops", "lower", "upper", "unvisited", "blueprint_value", "edge",
    "edge_against_blueprint", "seconds",
]  # fmt: skip
_ON_RESOLVED = ["game", "seat", "street", "boards", "variant", "edge", "least", "most", "bound", "seconds"]
_SOLVING, INTERRUPT = "solving boards", "Ctrl-C"
_ON_BOARDS = ["game", "seat", "boards", "value", "both seats", "seconds"]


def respond_on_flops(
    game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags, *, keep: bool = False
) -> None:
    """Compute and show the value of a method on drawn flops, beside a blueprint."""
    from counterplay.measure.flops.flop_responses import FlopsWork, answer_of
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops
    from counterplay.responses.whole_game import HoldemMatchup

    check_whole(game)
    match = HoldemMatchup(game, model, seed=result.seed, blueprint=named_blueprint(game, drawn, result.seed))
    work = FlopsWork(match, method, draw_flops(game.game.boards, drawn.count, result.seed))
    with work_tools(work, drawn, result.as_json) as tools:
        found = answer_of(work, **vars(tools))
    stakes = Stakes(None, found.big_blind)
    lines = {
        "game": f"{found.game} against {model.facts['method']}",
        "lower": interval_text(found.lower, found.lower_error, stakes),
        "upper": interval_text(found.upper, found.upper_error, stakes),
    }
    lines |= unvisited_line(found) | edge_lines(found)
    shown = [name for name in _ON_FLOPS if found.facts().get(name) is not None]
    play: Any = found.strategy if keep else found.answer
    told = found.facts() | verdict_fact(found.why_blueprint, keep)
    report(game, told, shown, result, lines=lines, strategies=[play], below=verdict(told))


def edge_lines(answer: FlopAnswer) -> dict[str, str]:
    """Lines of an answer on flops beside a blueprint: its value, and the edges."""
    stakes, facts = Stakes(None, answer.big_blind), answer.facts()
    names = [name for name in ("blueprint_value", "edge", "edge_against_blueprint") if name in facts]
    return {name: interval_text(facts[name], facts[f"{name}_error"], stakes) for name in names}


def verdict_fact(why: str | None, keep: bool) -> dict[str, str]:
    """The sentence that says why the answer is the blueprint, if there is one; with --keep what the response is kept
    against."""
    from counterplay.responses.better_than_blueprint import kept_although

    return {} if why is None else {"why_blueprint": kept_although(why) if keep else why}


def verdict(facts: Mapping[str, Any]) -> list[Callable[[], None]]:
    """The sentence of `verdict_fact` below the lines of an answer, if there is one."""
    why = facts.get("why_blueprint")
    return [] if why is None else [partial(say, ["", why])]


def unvisited_line(answer: FlopAnswer) -> dict[str, str]:
    """What is won where the model never was in training, if that is known."""
    if answer.unvisited is None:
        return {}
    share = f" ({100.0 * answer.unvisited / answer.upper:.3g} %)" if answer.upper > 0.0 else ""
    rate = _rate(answer.unvisited, Stakes(None, answer.big_blind))
    return {"unvisited": f"{rate}{share} of upper where the model never was in training"}


def respond_robustly_on_flops(
    game: Any,
    model: Any,
    method: Method,
    drawn: FlopFlags,
    result: ResultFlags,
    stop: Stop | None,
    *,
    keep: bool = False,
) -> None:
    """A response that sampling finds, and its edge and risk beside a blueprint, on drawn boards and flops."""
    from counterplay.measure.flops.flop_frontier import MEASURED, NOTE, frontier_on_flops

    method.check_set()
    base = named_blueprint(game, drawn, result.seed)
    with _flop_measure(game, model, drawn, result) as measure:
        (point,) = frontier_on_flops(measure, (method,), stop=stop, seed=result.seed, blueprint=base, cut=True)
    stakes = Stakes(None, point.big_blind)
    told = {"game": game.name, "seat": 1 - model.player, **point.facts(), "seed": result.seed, "note": NOTE}
    told |= {"at most" if method.HEAD == "safe" else "p": point.dial, "interrupted": point.cut == INTERRUPT}
    lines = {"game": f"{game.name} against {model.facts['method']}", "at most": _rate(point.dial or 0.0, stakes)}
    lines["iterations"] = iterations_text(point.iterations, point.cut)
    for name in MEASURED:
        most = "at most " if name in ("exploitability", "gap") else ""
        lines[name] = most + interval_text(getattr(point, name), getattr(point, f"{name}_error"), stakes)
    shown = [name for name in _ROBUST if told.get(name) is not None]
    strategy = point.strategy if keep else point.answer
    told |= verdict_fact(point.why_blueprint, keep)
    report(game, told, shown, result, lines=lines, strategies=[strategy], model=model, below=verdict(told))


def iterations_text(iterations: int | None, cut: str | None) -> str:
    """Number of iterations of a sampled solve, and the limit that cut it."""
    return f"{iterations or 0:,}" + ("" if cut is None else f", cut by {cut}")


def trace_on_flops(
    game: Any, model: Any, methods: Sequence[Method | str], flops: FlopFlags, points: int, result: ResultFlags
) -> list[FlopPoint]:
    """Show the points of a frontier on drawn flops.

    Returns:
        them.
    """
    from counterplay.measure.flops.flop_frontier import NOTE, frontier_on_flops

    base = named_blueprint(game, flops, result.seed)
    with _flop_measure(game, model, flops, result) as measure:
        found = frontier_on_flops(measure, methods, points=points, seed=result.seed, blueprint=base)
    told = {"game": game.name, "seat": 1 - model.player, "seed": result.seed, "note": NOTE}
    told["points"] = [point.facts() for point in found]
    report(game, told, [], result, below=[partial(show_flop_points, found)])
    return found


def check_whole(game: Any) -> None:
    """Refuse flops in other games.

    Raises:
        InputError: it is no whole game of hold'em.
    """
    from counterplay.poker.whole_game.rules import as_whole_game

    as_whole_game(game, "flops are drawn")


@contextmanager
def _flop_measure(game: Any, model: Any, drawn: FlopFlags, shown: ShownFlags) -> Iterator[FlopMeasure]:
    from counterplay.measure.flops.flop_measure import FlopMeasure
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops

    check_whole(game)
    measure = FlopMeasure(game, model, draw_flops(game.game.boards, drawn.count, shown.seed))
    with work_tools(measure, drawn, shown.as_json) as tools:
        yield replace(measure, **vars(tools))


def named_blueprint(game: Any, drawn: FlopFlags, seed: int) -> BlueprintStrategy | None:
    """The strategy of both players from which edge and risk are counted, if one is named."""
    from counterplay.opponents.opponent import strategy_of

    return None if drawn.blueprint is None else strategy_of(game.game, drawn.blueprint, seed)


def evaluate_on_boards(game: Any, mine: Any, model: Any, drawn: BoardFlags, run: RunFlags) -> None:
    """Compute and show the value of one strategy against another on drawn boards."""
    from counterplay.measure.board_values import BoardsWork

    if model is None:
        raise InputError("--boards tell what a strategy wins from another: give --against")
    work = BoardsWork(game, mine, model, drawn.boards or 0, run.seed)
    with work_tools(work, drawn, run.as_json, "measured") as tools:
        found = work.run(**vars(tools))
    stakes = Stakes(None, found.big_blind)
    lines = {
        "game": f"{found.game}, {mine.facts['method']} against {model.facts['method']}",
        "value": interval_text(found.value, found.value_error, stakes),
        "both seats": interval_text(found.both_seats, found.both_seats_error, stakes),
    }
    report(
        game,
        {**found.facts(), "both seats": found.both_seats} if not run.as_json else found.facts(),
        _ON_BOARDS,
        run,
        lines=lines,
    )


def _rate(chips: float, stakes: Stakes) -> str:
    """Chips a hand: "120 mbb/h, 12 bb/100"."""
    assert stakes.big_blind
    return f"{1000.0 * chips / stakes.big_blind:.5g} mbb/h, {', '.join(stakes.others(chips))}"


def interval_text(chips: float, error: float, stakes: Stakes) -> str:
    """Chips a hand with half of their 95 % interval."""
    assert stakes.big_blind
    about = f" ± {1000.0 * error / stakes.big_blind:.3g}" if error else ""
    return f"{1000.0 * chips / stakes.big_blind:.5g}{about} mbb/h, {', '.join(stakes.others(chips))}"


def _show_boards(line: Update, done: int, total: int) -> None:
    line(f"{_SOLVING}: {done:,} of {total:,}", done, total)


def resolve_on_boards(
    game: Any, table: str, asked: tuple[str, int | str], options: Mapping[str, Any], result: ResultFlags
) -> None:
    """Compute and show what drawn boards of a strategy, solved again, change.

    Args:
        game: a whole game of hold'em.
        table: text of the strategy of both players whose boards are solved again.
        asked: the street, and how many boards.
        options: keywords of `measure.flops.resolved_boards.resolve_on_boards`.
        result: whether to print JSON; an output file is refused.
    """
    from counterplay.blueprints.settings import OF_BLUEPRINT
    from counterplay.lookahead.tremble import UNBOUNDED
    from counterplay.measure.flops.resolved_boards import resolve_on_boards as resolve

    check_whole(game)
    if result.output:
        raise InputError("boards that are drawn are a measure, and no strategy for -o")
    with progress_line(_SOLVING, result.as_json) as line:
        watch = partial(_show_boards, line) if line else None
        found = resolve(game, table, *asked, watch=watch, **options)
    stakes, told = Stakes(None, found.big_blind), found.facts()
    if options.get("alpha"):
        told |= {"variant": OF_BLUEPRINT, "bound": UNBOUNDED}
    lines = {name: interval_text(told[name], told[f"{name}_error"], stakes) for name in ("edge", "least", "most")}
    if options.get("model") is None:
        lines["edge"] = "no model to measure it against"
    report(game, told, _ON_RESOLVED, result, lines=lines)
