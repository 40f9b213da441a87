"""Agents from records and their texts, and agents restored from files."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents.agent import Player, Source, StrategyAgent
from counterplay.agents.agent_archive import HOLDEM, KIND, SPOT, facts_of, not_named, record_text, search_of
from counterplay.agents.factory.agent_factory import AgentFactory, ListedFactory, PlayableGame, SpotFactory
from counterplay.agents.factory.whole_games import HoldemFactory
from counterplay.agents.records import MethodRecord, SearchBot, StrategyBot, no_agent
from counterplay.agents.worlds.expanding import ExpandingSearch
from counterplay.agents.worlds.histories import CompiledSearch, ListedSearch
from counterplay.agents.worlds.spot import SpotSearch, saved_strategy
from counterplay.archive import Archive, opened
from counterplay.errors import FileError, InputError, UnknownError, in_file
from counterplay.games import make_game
from counterplay.games.identity import is_other_game
from counterplay.gametree.compile.load import load
from counterplay.opponents.given_strategy import StrategyFile
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.opponents.opponent import is_strategy_text
from counterplay.opponents.user_code import UserCode
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.spots.load import find_game
from counterplay.poker.spots.solution import stored_spot
from counterplay.poker.spots.spot_game import as_spot_game
from counterplay.poker.whole_game.rules import Holdem, as_whole_game, is_whole_game
from counterplay.problem.solvable_game import by_kind
from counterplay.texts.arguments import PATH, SEAT, SEED, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.portfolio import Portfolio

FACTORIES: dict[type, type[AgentFactory]] = {SpotRules: SpotFactory, Holdem: HoldemFactory}
"""Kinds of games by their rules; all others are played history by history."""


def check_text(ground: PlayableGame, text: str) -> None:
    """Refuse, before any work, an agent's text that a game does not have, where only the game tells."""
    factory = by_kind(FACTORIES, ground.rules, None)
    if factory is not None:
        factory.check(factory.read(text), ground)


@takes(player=SEAT, seed=SEED, side=SEED)
def agent(game: Any, source: Any, player: int, seed: int = 0, side: int = 0) -> Player:
    """The agent of a record or of its text.

    Args:
        game: from `load`, or anything that it takes; or a `PlayableGame`.
        source: such as `SearchBot(CDRNR(0.5), "uniform")` or "cdrnr:p=0.5,to=uniform"; or a model of an opponent, which
            needs the compiled game unless it is `Uniform()`; or a strategy, or a method without a model.
        player: whom it plays for, 0 or 1.
        seed: seed of the opponents and samples in its computations, so that equal texts mean the same on both sides of
            a match.
        side: number of this agent among several with one seed; it changes only the draws during play.

    Raises:
        InputError: unknown agent, or one that does not fit the game.
    """
    ground = game if isinstance(game, PlayableGame) else PlayableGame(game)
    draws = random.Random(f"{seed} {side} {player}").getrandbits(63)
    factory: type[AgentFactory] = by_kind(FACTORIES, ground.rules, ListedFactory)
    record = factory.read(source)
    try:
        return factory(ground, player, seed, draws).agent(record)
    except UnknownError as error:
        if (error.kind, error.name) == ("opponent", str(record)):
            raise no_agent(str(record)) from None
        raise


@takes(path=PATH)
def resume(
    path: str | Path,
    *,
    game: Any = None,
    leaf: Any = None,
    model: Source = None,
    blueprint: Any = None,
    memory: float | None = None,
) -> StrategyAgent:
    """The agent saved in a file.

    A file is data: reading it imports and opens nothing else. Parts that are not in the library must be given again.

    Args:
        path: from `save` of an agent.
        game: the game, if it is not part of the library: compiled, or as rules for an agent that expands it.
        leaf: the value function, if it is user code.
        model: the model, if it is user code or from a file; a `Strategy` is in the file.
        blueprint: the blueprint of an agent of a whole hold'em game, if it is user code or from a file.
        memory: limit in GiB for loading or expanding the game.

    Raises:
        InputError: the file is not an agent's, or does not fit the game.
    """
    with opened(path, KIND) as archive:
        facts = facts_of(archive)
        try:
            agent: StrategyAgent
            if facts.get("kind") == SPOT:
                spot, seat = as_spot_game(stored_spot(facts["spot"]) if game is None else game), int(facts["seat"])
                search = search_of(archive.path, facts["search"], leaf, spot.rules)
                known = saved_strategy(spot, archive, "model", 1 - seat)
                agent = SpotSearch(spot, seat, search, known, name=str(facts["name"]))  # saved between hands
                agent.restore(archive, facts)
            elif facts.get("kind") == HOLDEM:
                given = {"model": model, "blueprint": blueprint, "leaf": leaf}
                agent = _in_whole_game(archive.path, facts, game, given, memory)
            else:
                agent = _in_listed_game(archive, facts, game, leaf, model, memory)
            own = facts.get("agent", facts)
            version, numbers, gauss = own["draw" if "agent" in facts else "draws"]
            agent.draws.setstate((version, tuple(numbers), gauss))
            agent.log.clear()
            agent.log.extend(own["log"])
        except InputError as error:
            raise in_file(path, error) from None
        except MemoryError:
            raise
        except Exception as error:  # facts of another kind than an agent's
            raise FileError(f"{path} is damaged: {type(error).__name__} {error}") from None
    return agent


def _in_listed_game(
    archive: Archive, facts: dict[str, Any], game: Any, leaf: Any, model: Source, memory: float | None
) -> ListedSearch:
    path, seat = archive.path, int(facts["seat"])
    if game is None:
        try:
            game = make_game(facts["game"])
        except InputError:
            raise not_named(path, "game", facts["game"]) from None
    rules = find_game(game)
    if is_other_game(facts["game"], rules.name):
        raise InputError(f"the saved agent does not fit {rules.name}: it plays {facts['game'][:80]}")
    search = search_of(path, facts["search"], leaf, rules)
    source = facts["model"] if model is None else model
    if model is None and source is not None and not (isinstance(source, str) and is_strategy_text(rules, source)):
        raise not_named(path, "model", source)
    settings = {"remember": bool(facts["remember"]), "name": str(facts["name"])}
    agent: ListedSearch
    if facts["whole"]:
        compiled = load(game, memory=memory)
        if source is None and "model" in archive:
            tree = compiled.trees[1 - seat]
            source = Strategy(tree, archive.array("model", (tree.size,)).astype(np.float64), {"method": "saved"})
        agent = CompiledSearch(compiled, seat, search, source, **settings)
    elif source is None and "model" in archive:
        raise InputError(f"the model of {path} is a function, which files do not hold; give it again, as model=...")
    else:
        agent = ExpandingSearch(rules, seat, search, source, memory=memory, **settings)
    agent.restore(archive, facts)
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

    def part(
        what: str, named: Any, *models: Any
    ) -> Any:  # files that it names are not opened, and code is not imported
        if given[what] is None and not all(map(_is_own, models)):
            raise not_named(path, what, named)
        return named if given[what] is None else given[what]

    record: Any = HoldemFactory.read(record_text(str(facts["text"])))
    if isinstance(record, StrategyBot):
        record = StrategyBot(part("model", record.model, record.model))
    else:
        assert isinstance(record, MethodRecord)
        changes: dict[str, Any] = {} if record.to is None else {"to": part("model", record.to, record.to)}
        look = record.method.look
        if isinstance(record, SearchBot) and record.blueprint is not None:
            changes["blueprint"] = part("blueprint", record.blueprint, record.blueprint)
        if look is not None and isinstance(look.leaf, Portfolio):
            sources = [MODELS.parse(str(text)) for side in look.leaf.sources for text in side]
            changes["method"] = replace(record.method, look=replace(look, leaf=part("leaf", look.leaf, *sources)))  # type: ignore[type-var]
        record = replace(record, **changes)  # type: ignore[type-var]
    agent = HoldemFactory(PlayableGame(rules, memory), int(facts["seat"]), int(facts["seed"]), 0).agent(record)
    assert isinstance(agent, StrategyAgent)
    return agent


def _is_own(model: Any) -> bool:
    """Return whether a model opens no file and imports nothing."""
    while isinstance(model, OpponentModel) and not isinstance(model, StrategyFile | UserCode):
        if not hasattr(model, "to"):
            return True
        model = model.to
    return False
