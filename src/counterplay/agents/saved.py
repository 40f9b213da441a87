"""An agent put away between two moves, and taken up again: one file that holds everything it needs to go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents import saved_hands
from counterplay.agents.continual import ContinualAgent
from counterplay.agents.growing import Growing
from counterplay.agents.hands import SearchingPlayer
from counterplay.agents.player import Source
from counterplay.agents.saved_search import read, search_facts, search_of, write
from counterplay.agents.sight import Whole
from counterplay.errors import InputError
from counterplay.resolving.alternatives import Claims
from counterplay.resolving.chain import Chain
from counterplay.resolving.search import Search
from counterplay.subgames.compile import GameTree
from counterplay.subgames.load import find_game, load
from counterplay.treeplex.strategy import Strategy

ENDING = ".cpa"


def save(agent: ContinualAgent, path: str | Path) -> None:
    """Write an agent to a file that ends in `.cpa`; a NumPy archive, nothing in it is code.

    Raises:
        InputError: the file cannot be written, or the agent searches public states given by number.
    """
    chain, search = agent.sight.chain.final or agent.sight.chain, agent.search  # what is unfinished is begun anew
    if search.depth.states is not None:
        raise InputError("an agent whose look-ahead stops at given public states cannot be saved")
    facts = {
        "game": chain.game.name,
        "seat": agent.seat,
        "name": agent.name,
        "search": search_facts(search),
        "whole": isinstance(agent.sight, Whole),
        "remember": agent.remember,
        "model": agent.model if isinstance(agent.model, str) else None,
        "agent": agent.state(),
        "sight": agent.sight.state(),
    }
    arrays = {
        "behaviour": chain.behaviour,
        "other": chain.other,
        "infosets": chain.claims.infosets,
        "sequences": chain.claims.sequences,
        "decided": chain.decided,
    }
    if chain.model is not None:
        arrays["model"] = chain.model.behaviour
    write(path, facts, arrays)


def resume(
    path: str | Path, *, game: Any = None, value: Any = None, model: Source = None, memory: float | None = None
) -> ContinualAgent | SearchingPlayer:
    """The agent of a file, as it was.

    Args:
        path: from `save`.
        game: the game, if it has no name under which it can be loaded: compiled, or as rules for an agent that expands it.
        value: the value function, if it is not one with a text.
        model: the model, if it is a function of yours and the agent expands the game on the way.
        memory: GiB for loading or expanding the game.

    Raises:
        InputError: the file is not an agent's, or does not fit the game.
    """
    facts, arrays = read(Path(path))
    try:
        if facts.get("kind") == saved_hands.KIND:
            return saved_hands.restored(facts, arrays, game, value)
        search = search_of(facts["search"], value)
        sight, source = _sight(facts, search, game, memory), model if model is not None else facts["model"]
        sight.restore(facts["sight"], None if facts["whole"] else source)
        _fill(sight.chain, arrays)
        if source is None and "model" in arrays:
            if not facts["whole"]:
                raise InputError(f"the model of {path} is a function, which no file holds; give it again, as model=...")
            source = sight.chain.model
        agent = ContinualAgent(sight, source, remember=bool(facts["remember"]), name=facts["name"])
        agent.restore(facts["agent"])
    except InputError:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is damaged: {type(error).__name__} {error}") from None
    return agent


def _sight(facts: dict[str, Any], search: Search, game: Any, memory: float | None) -> Whole | Growing:
    """The game as the agent saw it."""
    seat = int(facts["seat"])
    if facts["whole"]:
        return Whole(game if isinstance(game, GameTree) else load(game or facts["game"], memory=memory), seat, search)
    rules = game.rules if isinstance(game, GameTree) else find_game(game or facts["game"])
    return Growing(rules, seat, search, memory)


def _fill(chain: Chain, arrays: dict[str, Any]) -> None:
    """Put the arrays back.

    Raises:
        InputError: they are of another game.
    """
    homes = {
        "behaviour": chain.behaviour,
        "other": chain.other,
        "infosets": chain.claims.infosets,
        "sequences": chain.claims.sequences,
        "decided": chain.decided,
    }
    for name, home in homes.items():
        if arrays[name].shape != home.shape or arrays[name].dtype != home.dtype:
            raise InputError(f"the saved agent does not fit {chain.game.name}: its {name} have another size")
    chain.behaviour, chain.other, chain.decided = arrays["behaviour"], arrays["other"], arrays["decided"]
    chain.claims = Claims(arrays["infosets"], arrays["sequences"])
    chain.planned = bool(arrays["decided"].any())
    if "model" in arrays:
        tree = chain.game.trees[1 - chain.seat]
        if arrays["model"].shape != (tree.size,) or arrays["model"].dtype != np.float64:
            raise InputError(f"the saved model does not fit {chain.game.name}")
        chain.model = Strategy(tree, arrays["model"], {"method": "saved"})
