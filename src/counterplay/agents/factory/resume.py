"""Agents restored from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents.agent import ContinualAgent, StrategyAgent
from counterplay.agents.agent_archive import HOLDEM, KIND, SPOT, checked_array, facts_of, not_named, search_of
from counterplay.agents.bots import SearchBot, StrategyBot
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.factory.whole_games import HoldemFactory
from counterplay.agents.player import Source, restore_draws
from counterplay.agents.position.expanding import ExpandingPosition
from counterplay.agents.position.histories import CompiledPosition, ListedSearch
from counterplay.agents.position.spot import SpotSearch
from counterplay.agents.record import AgentRecord, MethodRecord
from counterplay.archive import Archive, opened
from counterplay.errors import FileError, InputError, in_file
from counterplay.games import make_game
from counterplay.games.identity import is_other_game
from counterplay.gametree.compile.load import load
from counterplay.lookahead.state import Claims, SearchState
from counterplay.opponents.given_strategy import StrategyFile
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.opponents.opponent import is_strategy_text
from counterplay.opponents.user_code import UserCode
from counterplay.poker.spots.load import find_game
from counterplay.poker.spots.spot_conversion import as_spot_game
from counterplay.poker.spots.spot_file import stored_spot
from counterplay.poker.whole_game.rules import as_whole_game, is_whole_game
from counterplay.texts.arguments import PATH, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.portfolio import Portfolio


@takes(path=PATH)
def resume(
    path: str | Path,
    *,
    game: Any = None,
    value: Any = None,
    model: Source = None,
    blueprint: Any = None,
    memory: float | None = None,
) -> StrategyAgent:
    """The agent saved in a file.

    A file is data: reading it imports and opens nothing else. Parts that are not in the library must be given again.

    Args:
        path: from `save` of an agent.
        game: the game, if it is not part of the library: compiled, or as rules for an agent that expands it.
        value: the value function, if it is user code.
        model: the model, if it is user code or from a file; a `Strategy` is in the file.
        blueprint: the blueprint of an agent of a whole hold'em game, if it is user code or from a file.
        memory: limit in GiB for loading or expanding the game.

    Raises:
        InputError: the file is not an agent's, or does not fit the game.
    """
    with opened(path, KIND) as archive:
        facts = facts_of(archive)
        try:
            if facts.get("kind") == SPOT:
                return _in_spot(archive, facts, game, value)
            if facts.get("kind") == HOLDEM:
                given = {"model": model, "blueprint": blueprint, "value": value}
                return _in_whole_game(archive.path, facts, game, given, memory)
            return _in_listed_game(archive, facts, game, value, model, memory)
        except InputError as error:
            raise in_file(path, error) from None
        except MemoryError:
            raise
        except Exception as error:  # facts of another kind than an agent's
            raise FileError(f"{path} is damaged: {type(error).__name__} {error}") from None


def _in_listed_game(
    archive: Archive, facts: dict[str, Any], game: Any, value: Any, model: Source, memory: float | None
) -> ContinualAgent:
    path, whole, seat, own = archive.path, bool(facts["whole"]), int(facts["seat"]), facts["agent"]
    if game is None:
        try:
            game = make_game(facts["game"])
        except InputError:
            raise not_named(path, "game", facts["game"]) from None
    rules = find_game(game)
    if is_other_game(facts["game"], rules.name):
        raise InputError(f"the saved agent does not fit {rules.name}: it plays {facts['game'][:80]}")
    search = search_of(path, facts["search"], value, rules)
    source = facts["model"] if model is None else model
    if model is None and source is not None and not (isinstance(source, str) and is_strategy_text(rules, source)):
        raise not_named(path, "model", source)
    position: ListedSearch
    if whole:
        position = CompiledPosition(load(game, memory=memory), seat, search)
    else:
        position = ExpandingPosition(rules, seat, search, memory)
    position.restore(facts["sight"], None if whole else source)
    _fill(position.chain, archive)
    if source is None and "model" in archive:
        if not whole:
            raise InputError(f"the model of {path} is a function, which files do not hold; give it again, as model=...")
        source = position.chain.model
    agent = ContinualAgent(position, source, remember=bool(facts["remember"]), name=str(facts["name"]))
    position.restore_hand(own)
    restore_draws(agent.draws, own["draw"])
    agent.log.extend(own["log"])
    return agent


def _fill(chain: SearchState, archive: Archive) -> None:
    """Restore the arrays of a chain."""
    homes = {
        "behaviour": chain.behaviour, "other": chain.other, "infosets": chain.claims.infosets,
        "sequences": chain.claims.sequences, "decided": chain.decided,
    }  # fmt: skip
    arrays: dict[str, Any] = {
        name: checked_array(archive, name, home.shape, chain.game.name, home.dtype.kind).astype(home.dtype)
        for name, home in homes.items()
    }
    chain.behaviour, chain.other, chain.decided = arrays["behaviour"], arrays["other"], arrays["decided"]
    chain.claims = Claims(arrays["infosets"], arrays["sequences"])
    chain.planned = bool(arrays["decided"].any())
    if "model" in archive:
        tree = chain.game.trees[1 - chain.seat]
        chain.model = Strategy(tree, archive.array("model", (tree.size,)).astype(np.float64), {"method": "saved"})


def _in_spot(archive: Archive, facts: dict[str, Any], game: Any, value: Any) -> ContinualAgent:
    """An agent of a spot, which was saved between hands."""
    spot, seat = as_spot_game(stored_spot(facts["spot"]) if game is None else game), int(facts["seat"])
    position = SpotSearch(spot, seat, search_of(archive.path, facts["search"], value, spot.rules))
    model = position.saved_strategy(archive, "model", 1 - seat, {"method": "saved"})
    agent = ContinualAgent(position, model, name=str(facts["name"]))
    position.restore(archive, facts)
    restore_draws(agent.draws, facts["draws"])
    agent.log.extend(facts["log"])
    return agent


def _in_whole_game(
    path: Any, facts: dict[str, Any], game: Any, given: dict[str, Any], memory: float | None
) -> StrategyAgent:
    """An agent of a whole game of hold'em, made again from its record. given: by name, parts that are files or code."""
    name = facts["game"]
    if game is None and not is_whole_game(name):
        raise not_named(path, "game", name)
    rules = as_whole_game(find_game(name if game is None else game), "the saved agent plays")
    if rules.name != name:
        raise InputError(f"the saved agent does not fit {rules.name}: it plays {str(name)[:80]}")
    record = _complete(path, HoldemFactory.read(str(facts["text"])), given)
    agent = HoldemFactory(PlayableGame(rules, memory), int(facts["seat"]), int(facts["seed"]), 0).agent(record)
    assert isinstance(agent, StrategyAgent)
    agent.log.clear()
    restore_draws(agent.draws, facts["draws"])
    agent.log.extend(facts["log"])
    return agent


def _complete(path: Any, record: AgentRecord, given: dict[str, Any]) -> AgentRecord:
    """The record with the parts that were given; files that it names are not opened, and code is not imported."""

    def part(what: str, named: Any, *models: Any) -> Any:
        if given[what] is None and not all(map(_is_own, models)):
            raise not_named(path, what, named)
        return named if given[what] is None else given[what]

    if isinstance(record, StrategyBot):
        return StrategyBot(part("model", record.model, record.model))
    assert isinstance(record, MethodRecord)
    changes: dict[str, Any] = {} if record.to is None else {"to": part("model", record.to, record.to)}
    look = record.method.look
    if isinstance(record, SearchBot) and record.blueprint is not None:
        changes["blueprint"] = part("blueprint", record.blueprint, record.blueprint)
    if look is not None and isinstance(look.leaf, Portfolio):
        sources = [MODELS.parse(str(text)) for side in look.leaf.sources for text in side]
        changes["method"] = replace(record.method, look=replace(look, leaf=part("value", look.leaf, *sources)))  # type: ignore[type-var]
    completed: AgentRecord = replace(record, **changes)  # type: ignore[type-var]
    return completed


def _is_own(model: Any) -> bool:
    """Whether a model opens no file and imports nothing."""
    while isinstance(model, OpponentModel) and not isinstance(model, StrategyFile | UserCode):
        if not hasattr(model, "to"):
            return True
        model = model.to
    return False
