"""What several methods win on the same drawn flops of a whole game, and by how much they differ, as `respond` prints it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.shared_options import DialFlags, FlopFlags, ResultFlags
from counterplay.commands.options.work_options import work_tools
from counterplay.commands.printing.output import say, show_facts, show_note
from counterplay.commands.value_output import report
from counterplay.commands.whole_game_values import (
    check_whole,
    edge_lines,
    interval_text,
    named_blueprint,
    unvisited_line,
    verdict,
)
from counterplay.errors import InputError
from counterplay.poker.betting.stakes import Stakes
from counterplay.texts.grammar import parts

if TYPE_CHECKING:
    from counterplay.measure.flop_responses import FlopAnswer, FlopDifference
    from counterplay.responses.method import Method

_DIALS = {field.name for field in fields(DialFlags)}
_SHOWN = [
    "seat", "method", "depth", "value", "flops", "lower", "upper", "unvisited", "blueprint_value", "edge",
    "edge_against_blueprint", "seconds",
]  # fmt: skip


def compare_on_flops(
    game: Any, model: Any, methods: str, options: Mapping[str, Any], drawn: FlopFlags, result: ResultFlags
) -> None:
    """Show the values of methods, separated by commas, and by how much the first wins more than each other.

    Raises:
        InputError: another game, a strategy is to be saved, or fewer than two methods, or one without a rule on boards.
    """
    from counterplay.measure.flop_responses import FlopMethods
    from counterplay.poker.whole_game.walks.flop_draw import draw_flops
    from counterplay.responses.whole_game import HoldemMatchup

    check_whole(game)
    if result.output:
        raise InputError("-o saves one response: give one --method instead of --methods")
    match = HoldemMatchup(game, model, seed=result.seed, blueprint=named_blueprint(game, drawn, result.seed))
    draw = draw_flops(game.game.boards, drawn.count, result.seed)
    named = FlopMethods(match, [_method(word, options) for word in parts(methods, ",") if word], draw)
    if len(named.methods) < 2:
        raise InputError("a comparison needs at least two methods")
    with work_tools(named, drawn, result.as_json) as tools:
        found = named.compare(**vars(tools))
    big_blind = found.answers[0].big_blind
    facts = {
        "answers": [one.facts() for one in found.answers],
        "differences": [one.facts() for one in found.differences],
    }
    below = [
        partial(say, f"{game.name} against {model.facts['method']}"),
        *(partial(_show_answer, one) for one in found.answers), partial(say, ""),
        *(partial(_show_difference, one, Stakes(None, big_blind)) for one in found.differences),
        partial(show_note, found.answers[0].facts()),
    ]  # fmt: skip
    report(None, facts, [], result, below=below)


def _method(name: str, options: Mapping[str, Any]) -> Method:
    """A method with those of the options that it takes."""
    from counterplay.responses import METHODS
    from counterplay.responses.method_options import method_of

    kind = METHODS.get(name)
    own, far = getattr(kind, "__dataclass_fields__", {}), kind is not None and kind.looks_ahead()
    taken = {
        word: option
        for word, option in options.items()
        if option is not None and (word in own or (far and word not in _DIALS))
    }
    return method_of(name, **taken)


def _show_answer(answer: FlopAnswer) -> None:
    stakes = Stakes(None, answer.big_blind)
    lines = {
        "lower": interval_text(answer.lower, answer.lower_error, stakes),
        "upper": interval_text(answer.upper, answer.upper_error, stakes),
        **unvisited_line(answer),
        **edge_lines(answer),
    }
    say("")
    show_facts({**answer.facts(), **lines}, [name for name in _SHOWN if answer.facts().get(name) is not None])
    for show in verdict(answer.facts()):
        show()


def _show_difference(found: FlopDifference, stakes: Stakes) -> None:
    lower = interval_text(found.lower, found.lower_error, stakes)
    upper = interval_text(found.upper, found.upper_error, stakes)
    say(f"{found.method} less {found.other}: lower {lower}; upper {upper}")
