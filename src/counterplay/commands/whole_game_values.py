"""Output of values on drawn flops and boards in whole games of hold'em."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.inputs import stop_of
from counterplay.commands.options.shared_options import BoardFlags, FlopFlags, ResultFlags, RunFlags, ShownFlags
from counterplay.commands.value_output import report
from counterplay.commands.work_options import check_work, work_tools
from counterplay.errors import InputError
from counterplay.poker.betting.stakes import Stakes

if TYPE_CHECKING:
    from counterplay.measure.flops.flop_frontier import FlopPoint
    from counterplay.measure.flops.flop_measure import FlopMeasure
    from counterplay.responses.method import Method

SAMPLED = ("rnr", "dbr", "mix", "safe")
"""Methods whose responses are strategies that sampling found, measured beside a blueprint."""
_ROBUST = ["game", "seat", "method", "p", "at most", "flops", "gain", "exploitability", "fitted", "seconds"]
_ON_FLOPS = ["game", "seat", "method", "depth", "value", "flops", "lower", "upper", "unvisited", "seconds"]
_ON_BOARDS = ["game", "seat", "boards", "value", "both seats", "seconds"]


def respond_on_flops(game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags) -> None:
    """Compute and show the value of a method on drawn flops."""
    from counterplay.measure.flops.flop_responses import FlopsWork, answer_of
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops
    from counterplay.responses.whole_game import HoldemMatchup

    check_whole(game)
    if result.output:
        raise InputError("what is won on drawn flops is a value, and no strategy for -o")
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
    if found.unvisited is not None:
        lines["unvisited"] = f"{_rate(found.unvisited, stakes)} of it where the model never was in training"
    report(
        game, found.facts(), [name for name in _ON_FLOPS if found.facts().get(name) is not None], result, lines=lines
    )


def respond_robustly_on_flops(
    game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags, seconds: float | None
) -> None:
    """A response that sampling finds, and its gain and exploitability on drawn flops, beside a blueprint on the same."""
    from counterplay.measure.flops.flop_frontier import NOTE, frontier_on_flops

    method.check_set()
    stop = None if seconds is None else stop_of(0.0, seconds=seconds)
    with _flop_measure(game, model, drawn, result) as measure:
        (point,) = frontier_on_flops(measure, (method,), stop=stop, seed=result.seed)
    stakes = Stakes(None, point.big_blind)
    told = {"game": game.name, "seat": 1 - model.player, **point.facts(), "seed": result.seed, "note": NOTE}
    told["at most" if method.HEAD == "safe" else "p"] = point.dial
    lines = {"game": f"{game.name} against {model.facts['method']}", "at most": _rate(point.dial or 0.0, stakes)}
    for name in ("gain", "exploitability", "fitted"):
        lines[name] = interval_text(getattr(point, name), getattr(point, f"{name}_error"), stakes)
    shown = [name for name in _ROBUST if name in told]
    report(game, told, shown, result, lines=lines, strategies=[point.strategy], model=model)


def trace_on_flops(
    game: Any, model: Any, methods: Sequence[Method | str], flops: FlopFlags, points: int, result: ResultFlags
) -> list[FlopPoint]:
    """Show the points of a frontier on drawn flops.

    Returns:
        them.
    """
    from counterplay.measure.flops.flop_frontier import NOTE, frontier_on_flops

    with _flop_measure(game, model, flops, result) as measure:
        found = frontier_on_flops(measure, methods, points=points, seed=result.seed)
    told = {"game": game.name, "seat": 1 - model.player, "seed": result.seed, "note": NOTE}
    told["points"] = [point.facts() for point in found]
    report(game, told, [], result, below=[partial(_show_points, found)])
    return found


def check_whole(game: Any) -> None:
    """Refuse flops in other games.

    Raises:
        InputError: it is no whole game of hold'em.
    """
    from counterplay.poker.whole_game.rules import Holdem

    if not isinstance(game, Holdem):
        raise InputError("flops are drawn in whole games of hold'em")


@contextmanager
def _flop_measure(game: Any, model: Any, drawn: FlopFlags, shown: ShownFlags) -> Iterator[FlopMeasure]:
    from counterplay.measure.flops.flop_measure import FlopMeasure
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops

    check_whole(game)
    check_work(drawn)
    measure = FlopMeasure(game, model, draw_flops(game.game.boards, drawn.count, shown.seed))
    with work_tools(measure, drawn, shown.as_json) as tools:
        yield replace(measure, **vars(tools))


def _show_points(points: Sequence[FlopPoint]) -> None:
    """A table of points in milli-big-blinds a hand, each with half of its 95 % interval."""
    print(f"{'method':8}{'dial':>10}{'gain':>18}{'exploitability':>18}{'fitted elsewhere':>20}{'seconds':>9}")
    for point in points:
        pairs = [
            f"{1000.0 * value / point.big_blind:.4g} ± {1000.0 * error / point.big_blind:.2g}"
            for value, error in (
                (point.gain, point.gain_error),
                (point.exploitability, point.exploitability_error),
                (point.fitted, point.fitted_error),
            )
        ]
        dial = "" if point.dial is None else f"{point.dial:.4g}"
        print(f"{point.method:8}{dial:>10}{pairs[0]:>18}{pairs[1]:>18}{pairs[2]:>20}{point.seconds:9.1f}")
    print("Milli-big-blinds a hand.")


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
