"""Values of strategies on drawn flops and boards in whole games of hold'em, as several commands compute and print them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import counterplay as cp
from counterplay.commands.options.shared_options import (
    FlopFlags,
    ResultFlags,
    RunFlags,
    ShownFlags,
    counter,
    work_tools,
)
from counterplay.commands.printing import iterations_text, report, say, show_facts, show_flop_points, show_note, verdict
from counterplay.errors import InputError
from counterplay.lookahead.keywords import DialOptions
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import progress_line
from counterplay.texts.grammar import parts

if TYPE_CHECKING:
    from counterplay.measure.flop_responses import FlopComparison
    from counterplay.poker.whole_game.strategy import BlueprintStrategy
    from counterplay.responses.method import Method

SAMPLED = ("rnr", "dbr", "mix", "safe", "bne")
"""Methods whose responses are strategies that sampling found, measured beside a blueprint."""
_ROBUST = [
    "game", "seat", "method", "p", "at most", "iterations", "boards", "value", "blueprint_value", "edge",
    "edge_against_blueprint", "flops", "risk", "fitted", "exploitability", "gap", "seconds",
]  # fmt: skip
_ON_FLOPS = [
    "game", "seat", "method", "depth", "leaf", "flops", "lower", "upper", "unvisited", "blueprint_value", "edge",
    "edge_against_blueprint", "seconds",
]  # fmt: skip
_ON_RESOLVED = ["game", "seat", "street", "boards", "variant", "edge", "least", "most", "bound", "seconds"]
_ON_BOARDS = ["game", "seat", "boards", "value", "both seats", "seconds"]
_SOLVING, INTERRUPT = "solving boards", "Ctrl-C"


def respond_on_flops(
    game: Any, model: Any, method: Method | str, options: Mapping[str, Any], drawn: FlopFlags, result: ResultFlags,
    stop: cp.Stop | None, *, keep: bool,
) -> None:  # fmt: skip
    """Compute and show a method's value on drawn flops, beside a blueprint; or compare methods, separated by commas."""
    check_whole(game)
    if isinstance(method, str):
        _compare_on_flops(game, model, method, options, drawn, result)
    elif method.HEAD in SAMPLED:
        _respond_by_sampling(game, model, method, drawn, result, stop, keep)
    elif stop is not None and stop.iterations < 1 << 62:
        raise InputError(f"--iterations is for {', '.join(SAMPLED)}, which are sampled; {method.HEAD} takes none")
    else:
        (answer,) = _values_on_flops(game, model, [method], drawn, result).answers
        lines = {"game": f"{answer.game} against {model.facts['method']}", **_answer_lines(answer)}
        facts = answer.facts | _verdict_fact(answer.why_blueprint, keep)
        strategy: Any = answer.strategy if keep else answer.answer
        names = _known(_ON_FLOPS, answer.facts)
        report(game, facts, names, result, lines=lines, strategies=[strategy], below=verdict(facts))


def _values_on_flops(
    game: Any, model: Any, methods: Sequence[Method], drawn: FlopFlags, result: ResultFlags
) -> FlopComparison:
    from counterplay.measure.flop_responses import FlopMethods
    from counterplay.responses.whole_game import HoldemMatchup

    match = HoldemMatchup(game, model, seed=result.seed, blueprint=_named_blueprint(game, drawn, result.seed))
    named = FlopMethods(match, methods, _draw(game, drawn, result.seed))
    with work_tools(named, drawn, result.as_json) as tools:
        return named.compare(**tools)


def _compare_on_flops(
    game: Any, model: Any, methods: str, options: Mapping[str, Any], drawn: FlopFlags, result: ResultFlags
) -> None:
    """Show the values of methods, each with the options that it takes, and by how much the first wins more than others."""
    from counterplay.responses import METHODS
    from counterplay.responses.methods import method_of

    if result.output:
        raise InputError("-o saves one response: give one --method instead of --methods")
    names, dials, made = [word for word in parts(methods, ",") if word], DialOptions.__annotations__, list["Method"]()
    for name in names:
        kind = METHODS.get(name)
        own, far = getattr(kind, "__dataclass_fields__", {}), kind is not None and kind.looks_ahead()
        made.append(
            method_of(name, **{word: x for word, x in options.items() if word in own or (far and word not in dials)})
        )
    if len(made) < 2:
        raise InputError("a comparison needs at least two methods")
    compared = _values_on_flops(game, model, made, drawn, result)
    stakes = Stakes(None, compared.answers[0].big_blind)
    facts = {
        "answers": [answer.facts for answer in compared.answers],
        "differences": [difference.facts for difference in compared.differences],
    }

    def show() -> None:
        say(f"{game.name} against {model.facts['method']}")
        for answer in compared.answers:
            say("")
            show_facts({**answer.facts, **_answer_lines(answer)}, _known(_ON_FLOPS[1:], answer.facts))
            for below in verdict(answer.facts):
                below()
        say("")
        for less in compared.differences:
            lower, upper = (
                rate_text(getattr(less, end), stakes, getattr(less, f"{end}_error")) for end in ("lower", "upper")
            )
            say(f"{less.method} less {less.other}: lower {lower}; upper {upper}")
        show_note(compared.answers[0].facts)

    report(None, facts, [], result, below=[show])


def _draw(game: Any, drawn: FlopFlags, seed: int) -> Any:
    from counterplay.poker.whole_game.walks.response_on_flops import draw_flops

    return draw_flops(game.game.boards, drawn.count, seed)


def _known(names: Sequence[str], facts: Mapping[str, Any]) -> list[str]:
    return [name for name in names if facts.get(name) is not None]


def _answer_lines(answer: cp.FlopAnswer) -> dict[str, str]:
    """The values of an answer on flops, those beside a blueprint, and what is won where the model never was in training."""
    stakes, facts = Stakes(None, answer.big_blind), answer.facts
    names = _known(("lower", "upper", "blueprint_value", "edge", "edge_against_blueprint"), facts)
    lines = {name: rate_text(getattr(answer, name), stakes, getattr(answer, f"{name}_error")) for name in names}
    if answer.unvisited is not None:
        share = f" ({100.0 * answer.unvisited / answer.upper:.3g} %)" if answer.upper > 0.0 else ""
        rate = rate_text(answer.unvisited, stakes)
        lines["unvisited"] = f"{rate}{share} of upper where the model never was in training"
    return lines


def _verdict_fact(why: str | None, keep: bool) -> dict[str, str]:
    """The sentence that says why the answer is the blueprint, if there is one; with --keep what the response is kept
    against."""
    from counterplay.responses.whole_game import kept_although

    return {} if why is None else {"why_blueprint": kept_although(why) if keep else why}


def _respond_by_sampling(
    game: Any, model: Any, method: Method, drawn: FlopFlags, result: ResultFlags, stop: cp.Stop | None, keep: bool
) -> None:
    """A response that sampling finds, and its edge and risk beside a blueprint, on drawn boards and flops."""
    from counterplay.measure.flop_measure import MEASURED, NOTE, frontier_on_flops

    method.check_set()
    base = _named_blueprint(game, drawn, result.seed)
    with _flop_measure(game, model, drawn, result) as measure:
        (point,) = frontier_on_flops(measure, (method,), stop=stop, seed=result.seed, blueprint=base, cut=True)
    stakes = Stakes(None, point.big_blind)
    facts = {"game": game.name, "seat": 1 - model.player, **point.facts, "seed": result.seed, "note": NOTE}
    facts |= {"at most" if method.HEAD == "safe" else "p": point.dial, "interrupted": point.cut == INTERRUPT}
    lines = {"game": f"{game.name} against {model.facts['method']}", "at most": rate_text(point.dial or 0.0, stakes)}
    lines["iterations"] = iterations_text(point.iterations, point.cut)
    for name in MEASURED:
        most = "at most " if name in ("exploitability", "gap") else ""
        lines[name] = most + rate_text(getattr(point, name), stakes, getattr(point, f"{name}_error"))
    names = _known(_ROBUST, facts)
    strategy = point.strategy if keep else point.answer
    facts |= _verdict_fact(point.why_blueprint, keep)
    report(game, facts, names, result, lines=lines, strategies=[strategy], model=model, below=verdict(facts))


def trace_on_flops(
    game: Any, model: Any, methods: Sequence[Method | str], flops: FlopFlags, points: int, result: ResultFlags
) -> list[cp.FlopPoint]:
    from counterplay.measure.flop_measure import NOTE, frontier_on_flops

    base = _named_blueprint(game, flops, result.seed)
    with _flop_measure(game, model, flops, result) as measure:
        traced = frontier_on_flops(measure, methods, points=points, seed=result.seed, blueprint=base)
    facts = {"game": game.name, "seat": 1 - model.player, "seed": result.seed, "note": NOTE}
    facts["points"] = [point.facts for point in traced]
    report(game, facts, [], result, below=[partial(show_flop_points, traced)])
    return traced


def check_whole(game: Any) -> None:
    from counterplay.poker.whole_game.rules import as_whole_game

    as_whole_game(game, "flops are drawn")


@contextmanager
def _flop_measure(game: Any, model: Any, drawn: FlopFlags, shown: ShownFlags) -> Iterator[cp.FlopMeasure]:
    measure = cp.FlopMeasure(game, model, _draw(game, drawn, shown.seed))
    with work_tools(measure, drawn, shown.as_json) as tools:
        yield replace(measure, **tools)


def _named_blueprint(game: Any, drawn: FlopFlags, seed: int) -> BlueprintStrategy | None:
    """The strategy of both players from which edge and risk are counted, if one is named."""
    from counterplay.opponents.opponent import strategy_of

    return None if drawn.blueprint is None else strategy_of(game.game, drawn.blueprint, seed)


def evaluate_on_boards(game: Any, mine: Any, model: Any, boards: int, drawn: Any, run: RunFlags) -> None:
    """Compute and show the value of one strategy against another on drawn boards. drawn: workers and record."""
    from counterplay.measure.on_boards import board_work
    from counterplay.measure.on_boards import evaluate_on_boards as evaluate

    if model is None:
        raise InputError("--boards tell what a strategy wins from another: give --against")
    with work_tools(board_work(game, mine, model, boards, run.seed), drawn, run.as_json, "measured") as tools:
        value = evaluate(game, mine, model, boards, seed=run.seed, **tools)
    stakes = Stakes(None, value.big_blind)
    lines = {
        "game": f"{value.game}, {mine.facts['method']} against {model.facts['method']}",
        "value": rate_text(value.value, stakes, value.value_error),
        "both seats": rate_text(value.both_seats, stakes, value.both_seats_error),
    }
    report(game, value.facts, _ON_BOARDS, run, lines=lines)


def rate_text(chips: float, stakes: Stakes, error: float = 0.0) -> str:
    """Chips a hand, with half of their 95 % interval: "120 ± 5 mbb/h, 12 bb/100"."""
    assert stakes.big_blind
    about = f" ± {1000.0 * error / stakes.big_blind:.3g}" if error else ""
    return f"{1000.0 * chips / stakes.big_blind:.5g}{about} mbb/h, {', '.join(stakes.others(chips))}"


def resolve_on_boards(
    game: Any, blueprint: str, place: tuple[str, int | str], options: Mapping[str, Any], result: ResultFlags
) -> None:
    """Compute and show what drawn boards of a strategy of both players, solved again, change. place: the street, and how
    many boards; options: keywords of `measure.resolved_boards.resolve_on_boards`."""
    from counterplay.blueprints.resolved_blueprint import OF_BLUEPRINT
    from counterplay.lookahead.tremble import UNBOUNDED

    check_whole(game)
    if result.output:
        raise InputError("boards that are drawn are a measure, and no strategy for -o")
    with progress_line(_SOLVING, result.as_json) as line:
        watch = counter(line, f"{_SOLVING}: {{:,}} of {{:,}}")
        solved = cp.resolve_on_boards(game, blueprint, *place, watch=watch, **options)
    stakes, facts = Stakes(None, solved.big_blind), solved.facts
    if options.get("alpha"):
        facts |= {"variant": OF_BLUEPRINT, "bound": UNBOUNDED}
    lines = {name: rate_text(facts[name], stakes, facts[f"{name}_error"]) for name in ("edge", "least", "most")}
    if options.get("model") is None:
        lines["edge"] = "no model to measure it against"
    report(game, facts, _ON_RESOLVED, result, lines=lines)
