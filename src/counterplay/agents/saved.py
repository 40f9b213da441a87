"""An agent put away between two moves, and taken up again: one file that holds everything it needs to go on."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.about import version
from counterplay.agents.continual import ContinualAgent, Source
from counterplay.agents.growing import Growing
from counterplay.agents.sight import Sight, Whole
from counterplay.errors import InputError
from counterplay.files import write_whole
from counterplay.resolving.alternatives import Claims
from counterplay.resolving.chain import Chain
from counterplay.resolving.search import Search, Value, value_function
from counterplay.resolving.tremble import Tremble
from counterplay.solvers.cfr import Stop
from counterplay.subgames.compile import GameTree
from counterplay.subgames.levels import Depth
from counterplay.subgames.load import find_game, load
from counterplay.treeplex.strategy import Strategy

ENDING = ".cpa"
_FORM = 2


def save(agent: ContinualAgent, path: str | Path) -> None:
    """Write an agent to a file that ends in `.cpa`; a NumPy archive, nothing in it is code.

    Raises:
        InputError: the file cannot be written, or the agent searches public states given by number.
    """
    chain, search = agent.sight.chain, agent.search
    if search.depth.states is not None:
        raise InputError("an agent whose look-ahead stops at given public states cannot be saved")
    facts = {
        "form": _FORM,
        "version": version(),
        "game": chain.game.name,
        "seat": agent.seat,
        "name": agent.name,
        "search": _search_facts(search),
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
    buffer = io.BytesIO()
    np.savez(buffer, facts=np.frombuffer(json.dumps(facts).encode(), np.uint8), **arrays)  # type: ignore[arg-type]
    write_whole(Path(path), buffer.getvalue())


def resume(
    path: str | Path, *, game: Any = None, value: Any = None, model: Source = None, memory: float | None = None
) -> ContinualAgent:
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
    facts, arrays = _read(Path(path))
    try:
        search = _search_of(facts["search"], value)
        seat, whole = int(facts["seat"]), bool(facts["whole"])
        sight: Sight
        if whole:
            sight = Whole(
                game if isinstance(game, GameTree) else load(game or facts["game"], memory=memory), seat, search
            )
        else:
            rules = game.rules if isinstance(game, GameTree) else find_game(game or facts["game"])
            sight = Growing(rules, seat, search, memory)
        source = model if model is not None else facts["model"]
        sight.restore(facts["sight"], None if whole else source)
        _fill(sight.chain, arrays)
        if source is None and "model" in arrays:
            if not whole:
                raise InputError(f"the model of {path} is a function, which no file holds; give it again, as model=...")
            source = sight.chain.model
        agent = ContinualAgent(sight, source, remember=bool(facts["remember"]), name=facts["name"])
        agent.restore(facts["agent"])
    except InputError:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is damaged: {type(error).__name__} {error}") from None
    return agent


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        facts = json.loads(bytes(arrays.pop("facts")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise InputError(f"{path} is no saved agent") from None
    if not isinstance(facts, dict) or facts.get("form") != _FORM:
        raise InputError(f"{path} is no saved agent of this version")
    return facts, arrays


def _search_facts(search: Search) -> dict[str, Any]:
    stop = search.stop
    return {
        "depth": str(search.depth),
        "p": search.p,
        "gadget": search.gadget,
        "value": "exact" if search.value is None else search.value.name,
        "solver": search.solver,
        "tremble": [*vars(search.tremble).values()],
        "stop": [stop.exploitability, stop.iterations, stop.seconds],
    }


def _search_of(facts: dict[str, Any], value: Any) -> Search:
    function: Value | None = value_function(value if value is not None else facts["value"])
    exploitability, iterations, seconds = facts["stop"]
    stop = Stop(float(exploitability), int(iterations), float(seconds))
    depth, tremble = Depth.of(facts["depth"]), Tremble(*facts["tremble"])
    return Search(depth, facts["p"], facts["gadget"], function, facts["solver"], stop, tremble=tremble)


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
