"""What the commands of whole games of hold'em print of values on drawn flops and boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.shared_options import RECORDS, DialFlags, FlopFlags, ResultFlags, RunFlags
from counterplay.commands.output import LongWork, say, show_facts, show_json, show_note
from counterplay.commands.value_output import report
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.measure.flop_responses import FlopAnswer
    from counterplay.poker.whole_game.walks.flop_draw import FlopDraw
    from counterplay.responses.method import Method
    from counterplay.responses.whole_game import HoldemMatchup

_ON_FLOPS = ["game", "seat", "method", "depth", "value", "flops", "lower", "upper", "unvisited", "seconds"]
_DIALS = {field.name for field in fields(DialFlags)}
_ON_BOARDS = ["game", "seat", "boards", "value", "both seats", "seconds"]


def respond_on_flops(game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags) -> None:
    """What a method wins on drawn flops."""
    from counterplay.measure.flop_responses import FlopsWork, answer_of

    match, draw = _match_on_flops(game, model, drawn, result)
    found = answer_of(**_asked(FlopsWork(match, method, draw), drawn, result))
    lines, names = _flop_lines(found, model)
    report(game, found.facts(), names, result, lines=lines)


def compare_on_flops(game: Any, model: Any, options: Mapping[str, Any], drawn: FlopFlags, result: ResultFlags) -> None:
    """What several methods win on the same flops, and how much more than the others the first does."""
    from counterplay.measure.flop_comparison import FlopComparisonWork
    from counterplay.measure.flop_comparison import compare_on_flops as compare

    methods = [_method(word.strip(), options) for word in (drawn.methods or "").split(",") if word.strip()]
    match, draw = _match_on_flops(game, model, drawn, result)
    found = compare(**_asked(FlopComparisonWork(match, methods, draw), drawn, result))
    if result.as_json:
        apart = [one.facts(found.answers[0].big_blind) for one in found.differences]
        show_json({"answers": [one.facts() for one in found.answers], "differences": apart})
        return
    stakes = Stakes(None, found.answers[0].big_blind)
    for answer in found.answers:
        lines, names = _flop_lines(answer, model)
        show_facts({**answer.facts(), **lines}, names)
        say("")
    for one in found.differences:
        say(
            f"{one.method} less {one.other}: {_paired('lower', one.lower, stakes)}, {_paired('upper', one.upper, stakes)}"
        )
    show_note(found.answers[0].facts())


def _method(name: str, options: Mapping[str, Any]) -> Method:
    """A method with those of the options that it takes."""
    from counterplay.responses import METHODS
    from counterplay.responses.method_options import method_of

    kind = METHODS.get(name)
    own = getattr(kind, "__dataclass_fields__", {})
    far = kind is not None and kind.looks_ahead()
    given = {word: option for word, option in options.items() if option is not None}
    return method_of(
        name, **{word: option for word, option in given.items() if word in own or (far and word not in _DIALS)}
    )


def _paired(name: str, found: Any, stakes: Stakes) -> str:
    return f"{name} {_interval(found.value, found.error, stakes)}"


def _match_on_flops(game: Any, model: Any, drawn: FlopFlags, result: ResultFlags) -> tuple[HoldemMatchup, FlopDraw]:
    """Who meets whom, and on which flops.

    Raises:
        InputError: another game, a strategy is to be saved, or a record cannot be written.
    """
    from counterplay.poker.whole_game.rules import Holdem
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops
    from counterplay.responses.whole_game import HoldemMatchup

    if not isinstance(game, Holdem):
        raise InputError("flops are drawn in whole games of hold'em")
    if result.output:
        raise InputError("what is won on drawn flops is a value, and no strategy for -o")
    check_writable(drawn.record, *RECORDS)
    return HoldemMatchup(game, model, seed=result.seed), draw_flops(game.game.boards, drawn.count, result.seed)


def _asked(work: Any, drawn: FlopFlags, result: ResultFlags) -> dict[str, Any]:
    """Work, its record, who computes it and who hears of it."""
    from counterplay.work.processes import executor_of
    from counterplay.work.work_record import WorkRecord

    record = WorkRecord(drawn.record, work.identity())
    watch = LongWork("computed", result.as_json)
    return {"work": work, "record": record, "executor": executor_of(drawn.workers), "watch": watch}


def _flop_lines(found: FlopAnswer, model: Any) -> tuple[dict[str, str], list[str]]:
    """What is shown of an answer, and the names of all its lines."""
    stakes = Stakes(None, found.big_blind)
    lines = {
        "game": f"{found.game} against {model.facts['method']}",
        "lower": _interval(found.lower, found.lower_error, stakes),
        "upper": _interval(found.upper, found.upper_error, stakes),
    }
    if found.unvisited is not None:
        lines["unvisited"] = f"{_rate(found.unvisited, stakes)} of it where the model never was in training"
    return lines, [name for name in _ON_FLOPS if found.facts().get(name) is not None]


def evaluate_on_boards(game: Any, mine: Any, model: Any, boards: int, run: RunFlags) -> None:
    """What one strategy wins from another on drawn boards."""
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
    """The same with the half of its 95 % interval."""
    assert stakes.big_blind
    about = f" ± {1000.0 * error / stakes.big_blind:.3g}" if error else ""
    return f"{1000.0 * chips / stakes.big_blind:.5g}{about} mbb/h, {', '.join(stakes.others(chips))}"
