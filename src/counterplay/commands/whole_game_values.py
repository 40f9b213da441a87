"""Output of values on drawn flops and boards in whole games of hold'em."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.commands.options.shared_options import RECORDS, FlopFlags, ResultFlags, RunFlags
from counterplay.commands.output import LongWork
from counterplay.commands.value_output import report
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.responses.method import Method

_ON_FLOPS = ["game", "seat", "method", "depth", "value", "flops", "lower", "upper", "unvisited", "seconds"]
_ON_BOARDS = ["game", "seat", "boards", "value", "both seats", "seconds"]


def respond_on_flops(game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags) -> None:
    """Compute and show the value of a method on drawn flops."""
    from counterplay.measure.flop_responses import FlopsWork, answer_of
    from counterplay.poker.whole_game.rules import Holdem
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops
    from counterplay.responses.whole_game import HoldemMatchup
    from counterplay.work.processes import executor_of
    from counterplay.work.work_record import WorkRecord

    if not isinstance(game, Holdem):
        raise InputError("flops are drawn in whole games of hold'em")
    if result.output:
        raise InputError("what is won on drawn flops is a value, and no strategy for -o")
    check_writable(drawn.record, *RECORDS)
    executor, match = executor_of(drawn.workers), HoldemMatchup(game, model, seed=result.seed)
    work = FlopsWork(match, method, draw_flops(game.game.boards, drawn.count, result.seed))
    record = WorkRecord(drawn.record, work.identity())
    found = answer_of(work, record=record, executor=executor, watch=LongWork("computed", result.as_json))
    stakes = Stakes(None, found.big_blind)
    lines = {
        "game": f"{found.game} against {model.facts['method']}",
        "lower": _interval(found.lower, found.lower_error, stakes),
        "upper": _interval(found.upper, found.upper_error, stakes),
    }
    if found.unvisited is not None:
        lines["unvisited"] = f"{_rate(found.unvisited, stakes)} of it where the model never was in training"
    report(
        game, found.facts(), [name for name in _ON_FLOPS if found.facts().get(name) is not None], result, lines=lines
    )


def evaluate_on_boards(game: Any, mine: Any, model: Any, boards: int, run: RunFlags) -> None:
    """Compute and show the value of one strategy against another on drawn boards."""
    from counterplay.measure.board_values import evaluate_on_boards as measure

    if model is None:
        raise InputError("--boards tell what a strategy wins from another: give --against")
    with progress_line("boards", run.as_json) as line:
        found = measure(game, mine, model, boards, seed=run.seed, watch=_told(line, boards))
    stakes = Stakes(None, found.big_blind)
    lines = {
        "game": f"{found.game}, {mine.facts['method']} against {model.facts['method']}",
        "value": _interval(found.value, found.value_error, stakes),
        "both seats": _interval(found.both_seats, found.both_seats_error, stakes),
    }
    report(
        game,
        {**found.facts(), "both seats": found.both_seats} if not run.as_json else found.facts(),
        _ON_BOARDS,
        run,
        lines=lines,
    )


def _told(line: Any, boards: int) -> Any:
    return (lambda done: line(f"{done:,} of {boards:,}", None, None)) if line else None


def _rate(chips: float, stakes: Stakes) -> str:
    """Chips a hand: "120 mbb/h, 12 bb/100"."""
    assert stakes.big_blind
    return f"{1000.0 * chips / stakes.big_blind:.5g} mbb/h, {', '.join(stakes.others(chips))}"


def _interval(chips: float, error: float, stakes: Stakes) -> str:
    """Chips a hand with half of their 95 % interval."""
    assert stakes.big_blind
    about = f" ± {1000.0 * error / stakes.big_blind:.3g}" if error else ""
    return f"{1000.0 * chips / stakes.big_blind:.5g}{about} mbb/h, {', '.join(stakes.others(chips))}"
