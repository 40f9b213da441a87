"""Agents of whole hold'em games restored from files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from counterplay.agents.agent_archive import not_named
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.factory.whole_game_agents import MAKERS, read_record
from counterplay.agents.record import AgentRecord, MethodRecord
from counterplay.agents.search_bot import SearchBot
from counterplay.agents.strategy_bot import StrategyBot
from counterplay.agents.whole_game.agents import BlueprintAgent
from counterplay.archive import Archive
from counterplay.errors import InputError
from counterplay.opponents.given_strategy import StrategyFile
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.opponents.user_code import UserCode
from counterplay.poker.spots.load import find_game
from counterplay.poker.whole_game.game_text import is_whole_game
from counterplay.poker.whole_game.rules import as_whole_game
from counterplay.value_functions.portfolio import Portfolio


class GivenAgain(NamedTuple):
    """Parts of an agent that its file may only name.

    Attributes:
        model: the model of the opponent, or the strategy of an agent that plays one.
        blueprint: what a searching agent plays before it searches.
        value: the value function of a look-ahead before the flop.
    """

    model: Any = None
    blueprint: Any = None
    value: Any = None


def restore(
    archive: Archive, facts: dict[str, Any], game: Any, given: GivenAgain, memory: float | None
) -> BlueprintAgent:
    """The agent saved in a file.

    Args:
        archive: the file.
        facts: its facts.
        game: the rules, if their text is not in the library.
        given: parts that are files or user code.
        memory: limit in GiB of its searches.

    Raises:
        InputError: a part that must be given again, or a file that does not fit the game.
    """
    name = facts["game"]
    if game is None and not is_whole_game(name):
        raise not_named(archive.path, "game", name)
    rules = as_whole_game(find_game(name if game is None else game), "the saved agent plays")
    if rules.name != name:
        raise InputError(f"the saved agent does not fit {rules.name}: it plays {str(name)[:80]}")
    record = _complete(archive.path, read_record(str(facts["text"])), given)
    made = MAKERS[type(record)](record, PlayableGame(rules, memory), int(facts["seat"]), int(facts["seed"]), 0)
    assert isinstance(made, BlueprintAgent)
    made.log.clear()
    made.restore(facts["draws"], facts["log"])
    return made


def _complete(path: Any, record: AgentRecord, given: GivenAgain) -> AgentRecord:
    """The record with the parts that were given; files that it names are not opened, and code is not imported.

    Raises:
        InputError: such a part is not given.
    """

    def part(what: str, named: Any, own: bool) -> Any:
        if getattr(given, what) is None and not own:
            raise not_named(path, what, named)
        return named if getattr(given, what) is None else getattr(given, what)

    if isinstance(record, StrategyBot):
        return StrategyBot(part("model", record.model, _is_own(record.model)))
    assert isinstance(record, MethodRecord)
    changes: dict[str, Any] = {} if record.to is None else {"to": part("model", record.to, _is_own(record.to))}
    look = record.method.look
    if isinstance(record, SearchBot) and record.blueprint is not None:
        changes["blueprint"] = part("blueprint", record.blueprint, _is_own(record.blueprint))
    if look is not None and isinstance(look.leaf, Portfolio):
        sources = [MODELS.parse(str(text)) for side in look.leaf.sources for text in side]
        leaf = part("value", look.leaf, all(map(_is_own, sources)))
        changes["method"] = replace(record.method, look=replace(look, leaf=leaf))  # type: ignore[type-var]
    completed: AgentRecord = replace(record, **changes)  # type: ignore[type-var]
    return completed


def _is_own(model: Any) -> bool:
    """Whether a model opens no file and imports nothing."""
    while isinstance(model, OpponentModel) and not isinstance(model, StrategyFile | UserCode):
        if not hasattr(model, "to"):
            return True
        model = model.to
    return False
