"""Agents of spots restored from files, which are saved between hands."""

from __future__ import annotations

from typing import Any

from counterplay.agents.agent_archive import limit_of, search_of
from counterplay.agents.spot_agents import SearchingPlayer
from counterplay.archive import Archive
from counterplay.errors import InputError
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_conversion import as_spot_game
from counterplay.poker.spots.spot_file import stored_spot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.strategies.strategy_makers import strategies_of


def restore(archive: Archive, facts: dict[str, Any], game: Any, value: Any) -> SearchingPlayer:
    """The agent saved in a file.

    Args:
        archive: the file.
        facts: its facts.
        game: the spot, if already loaded.
        value: the value function, if it is user code.

    Raises:
        InputError: the file does not fit the spot.
    """
    found: SpotGame = as_spot_game(stored_spot(facts["spot"]) if game is None else game)
    seat, made = int(facts["seat"]), strategies_of(found)
    arrays = {}
    for name, player in (("behaviour", seat), ("other", 1 - seat), ("model", 1 - seat)):
        size = made.size(player)
        if name in archive and archive.shape(name) != (size,):
            raise InputError(f"the saved agent does not fit {found.name}: its {name} has another size")
        if name in archive or name != "model":
            arrays[name] = archive.array(name, (size,))
    model = made.from_numbers(1 - seat, arrays["model"], {"method": "saved"}) if "model" in arrays else None
    agent = SearchingPlayer(
        found, seat, search_of(archive.path, facts["search"], value, found.rules), model, name=str(facts["name"])
    )
    mine, theirs = made.from_numbers(seat, arrays["behaviour"]), made.from_numbers(1 - seat, arrays["other"])
    agent.chain.restore(mine, theirs)
    agent.chain.gap = limit_of(facts["gap"])
    agent.done = {PublicNode(*map(int, part)) for part in facts["done"]}
    agent.log.extend(facts["log"])
    agent.restore(facts["draws"])
    return agent
