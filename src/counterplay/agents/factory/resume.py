"""Agents restored from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents.agent_archive import HOLDEM, KIND, SPOT, facts_of, not_named, search_of
from counterplay.agents.factory import resume_spot, resume_whole_game
from counterplay.agents.factory.resume_whole_game import GivenAgain
from counterplay.agents.player import Source
from counterplay.agents.position.compiled import CompiledTracker
from counterplay.agents.position.expanding import ExpandingTracker
from counterplay.agents.search_agent import ContinualAgent
from counterplay.agents.spot_agents import SearchingPlayer
from counterplay.agents.whole_game.agents import BlueprintAgent
from counterplay.archive import Archive, opened
from counterplay.errors import FileError, InputError, in_file
from counterplay.games import make_game
from counterplay.games.identity import is_other_game
from counterplay.gametree.compile.load import find_game, load
from counterplay.lookahead.state import Claims, SearchState
from counterplay.opponents.opponent import is_strategy_text
from counterplay.texts.arguments import PATH, takes
from counterplay.treeplex.strategy import Strategy


@takes(path=PATH)
def resume(
    path: str | Path,
    *,
    game: Any = None,
    value: Any = None,
    model: Source = None,
    blueprint: Any = None,
    memory: float | None = None,
) -> ContinualAgent | SearchingPlayer | BlueprintAgent:
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
                return resume_spot.restore(archive, facts, game, value)
            if facts.get("kind") == HOLDEM:
                return resume_whole_game.restore(archive, facts, game, GivenAgain(model, blueprint, value), memory)
            return _restored(archive, facts, game, value, model, memory)
        except InputError as error:
            raise in_file(path, error) from None
        except MemoryError:
            raise
        except Exception as error:  # facts of another kind than an agent's
            raise FileError(f"{path} is damaged: {type(error).__name__} {error}") from None


def _restored(
    archive: Archive, facts: dict[str, Any], game: Any, value: Any, model: Source, memory: float | None
) -> ContinualAgent:
    path = archive.path
    given = _rules(path, facts["game"]) if game is None else game
    rules = find_game(given)
    if is_other_game(facts["game"], rules.name):
        raise InputError(f"the saved agent does not fit {rules.name}: it plays {facts['game'][:80]}")
    search = search_of(path, facts["search"], value, rules)
    source = facts["model"] if model is None else model
    if model is None and source is not None and not (isinstance(source, str) and is_strategy_text(rules, source)):
        raise not_named(path, "model", source)
    sight: CompiledTracker | ExpandingTracker
    if facts["whole"]:
        tree = load(given, memory=memory)
        sight = CompiledTracker(tree, int(facts["seat"]), search)
    else:
        sight = ExpandingTracker(rules, int(facts["seat"]), search, memory)
    sight.restore(facts["sight"], None if facts["whole"] else source)
    _fill(sight.chain, archive)
    if source is None and "model" in archive:
        if not facts["whole"]:
            raise InputError(f"the model of {path} is a function, which files do not hold; give it again, as model=...")
        source = sight.chain.model
    agent = ContinualAgent(sight, source, remember=bool(facts["remember"]), name=str(facts["name"]))
    agent.restore(facts["agent"])
    return agent


def _rules(path: Any, text: Any) -> Any:
    """A game of the library, by its text in a file.

    Raises:
        InputError: not a game of the library.
    """
    try:
        return make_game(text)
    except InputError:
        raise not_named(path, "game", text) from None


def _fill(chain: SearchState, archive: Archive) -> None:
    """Restore the arrays.

    Raises:
        InputError: the arrays are of another game.
    """
    homes = {
        "behaviour": chain.behaviour,
        "other": chain.other,
        "infosets": chain.claims.infosets,
        "sequences": chain.claims.sequences,
        "decided": chain.decided,
    }
    arrays: dict[str, Any] = {}
    for name, home in homes.items():
        if archive.shape(name) != home.shape:
            raise InputError(f"the saved agent does not fit {chain.game.name}: its {name} have another size")
        arrays[name] = archive.array(name, home.shape, home.dtype.kind).astype(home.dtype)
    chain.behaviour, chain.other, chain.decided = arrays["behaviour"], arrays["other"], arrays["decided"]
    chain.claims = Claims(arrays["infosets"], arrays["sequences"])
    chain.planned = bool(arrays["decided"].any())
    if "model" in archive:
        tree = chain.game.trees[1 - chain.seat]
        chain.model = Strategy(tree, archive.array("model", (tree.size,)).astype(np.float64), {"method": "saved"})
