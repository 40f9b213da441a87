"""Output of values on drawn flops and boards in whole games of hold'em."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.inputs import stop_of
from counterplay.commands.options.shared_options import BoardFlags, FlopFlags, ResultFlags, RunFlags, ShownFlags
from counterplay.commands.options.work_options import check_work, work_tools
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

SAMPLED = ("rnr", "dbr", "mix", "safe", "bne")
"""Methods whose responses are strategies that sampling found, measured beside a blueprint."""
_ROBUST = ["game", "seat", "method", "p", "at most", "flops", "gain", "exploitability", "fitted", "seconds"]
_ON_FLOPS = ["game", "seat", "method", "depth", "value", "flops", "lower", "upper", "unvisited", "seconds"]
_ON_RESOLVED = ["game", "seat", "street", "boards", "gain", "least", "most", "seconds"]
_SOLVING = "solving boards"
_ON_BOARDS = ["game", "seat", "boards", "value", "both seats", "seconds"]


def respond_on_flops(game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags) -> None:
    """Compute and show the value of a method on drawn flops."""
    from counterplay.measure.flops.flop_responses import FlopsWork, answer_of
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops
    from counterplay.responses.whole_game import HoldemMatchup

    check_whole(game)
    if drawn.blueprint is not None:
        raise InputError(f"--blueprint is what {', '.join(SAMPLED)} are compared with, and not {method.HEAD}")
    check_work(drawn)
    match = HoldemMatchup(game, model, seed=result.seed)
    work = FlopsWork(match, method, draw_flops(game.game.boards, drawn.count, result.seed))
    with work_tools(work, drawn, result.as_json) as tools:
        found = answer_of(work, **vars(tools))
    stakes = Stakes(None, found.big_blind)
    lines = {
        "game": f"{found.game} against {model.facts['method']}",
        "lower": interval_text(found.lower, found.lower_error, stakes),
        "upper": interval_text(found.upper, found.upper_error, stakes),
    }
    lines |= unvisited_line(found)
    shown = [name for name in _ON_FLOPS if found.facts().get(name) is not None]
    play: Any = found.strategy
    report(game, found.facts(), shown, result, lines=lines, strategies=[play])


def unvisited_line(answer: FlopAnswer) -> dict[str, str]:
    """What is won where the model never was in training, if that is known."""
    if answer.unvisited is None:
        return {}
    share = f" ({100.0 * answer.unvisited / answer.upper:.3g} %)" if answer.upper > 0.0 else ""
    rate = _rate(answer.unvisited, Stakes(None, answer.big_blind))
    return {"unvisited": f"{rate}{share} of upper where the model never was in training"}


def respond_robustly_on_flops(
    game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags, seconds: float | None
) -> None:
    """A response that sampling finds, and its gain and exploitability on drawn flops, beside a blueprint on the same."""
    from counterplay.measure.flops.flop_frontier import NOTE, frontier_on_flops

    method.check_set()
    stop = None if seconds is None else stop_of(0.0, seconds=seconds)
    base = _base(game, drawn, result.seed)
    with _flop_measure(game, model, drawn, result) as measure:
        (point,) = frontier_on_flops(measure, (method,), stop=stop, seed=result.seed, blueprint=base)
    stakes = Stakes(None, point.big_blind)
    told = {"game": game.name, "seat": 1 - model.player, **point.facts(), "seed": result.seed, "note": NOTE}
    told["at most" if method.HEAD == "safe" else "p"] = point.dial
    lines = {"game": f"{game.name} against {model.facts['method']}", "at most": _rate(point.dial or 0.0, stakes)}
    for name in ("gain", "exploitability", "fitted"):
        lines[name] = interval_text(getattr(point, name), getattr(point, f"{name}_error"), stakes)
    shown = [name for name in _ROBUST if told.get(name) is not None]
    report(game, told, shown, result, lines=lines, strategies=[point.strategy], model=model)


def trace_on_flops(
    game: Any, model: Any, methods: Sequence[Method | str], flops: FlopFlags, points: int, result: ResultFlags
) -> list[FlopPoint]:
    """Show the points of a frontier on drawn flops.

    Returns:
        them.
    """
    from counterplay.measure.flops.flop_frontier import NOTE, frontier_on_flops

    base = _base(game, flops, result.seed)
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
    check_work(drawn)
    measure = FlopMeasure(game, model, draw_flops(game.game.boards, drawn.count, shown.seed))
    with work_tools(measure, drawn, shown.as_json) as tools:
        yield replace(measure, **vars(tools))


def _base(game: Any, drawn: FlopFlags, seed: int) -> BlueprintStrategy | None:
    """The strategy of both players from which exploitability is counted, if one is named."""
    from counterplay.opponents.whole_game import strategy_of

    return None if drawn.blueprint is None else strategy_of(game.game, drawn.blueprint, seed)


def evaluate_on_boards(game: Any, mine: Any, model: Any, drawn: BoardFlags, run: RunFlags) -> None:
    """Compute and show the value of one strategy against another on drawn boards."""
    from counterplay.measure.board_values import BoardsWork

    if model is None:
        raise InputError("--boards tell what a strategy wins from another: give --against")
    check_work(drawn)
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
    from counterplay.measure.flops.resolved_boards import resolve_on_boards as resolve

    check_whole(game)
    if result.output:
        raise InputError("boards that are drawn are a measure, and no strategy for -o")
    with progress_line(_SOLVING, result.as_json) as line:
        watch = partial(_show_boards, line) if line else None
        found = resolve(game, table, *asked, watch=watch, **options)
    stakes, told = Stakes(None, found.big_blind), found.facts()
    lines = {name: interval_text(told[name], told[f"{name}_error"], stakes) for name in ("gain", "least", "most")}
    if options.get("model") is None:
        lines["gain"] = "no model to measure it against"
    report(game, told, _ON_RESOLVED, result, lines=lines)
