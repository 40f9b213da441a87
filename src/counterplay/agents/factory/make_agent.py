"""Agents by a short text: any opponent's, or `METHOD:key=value,...,to=OPPONENT` for one that computes while it plays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from counterplay.agents.agent import PolicyAgent, StrategyAgent, UniformAgent
from counterplay.agents.factory import search_agents, spot_agents, whole_game_agents
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.options import Options
from counterplay.agents.player import Player
from counterplay.agents.text_forms import no_agent
from counterplay.errors import InputError, UnknownError
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.model import MODELS
from counterplay.opponents.opponent import opponent
from counterplay.poker.whole_game.rules import Holdem
from counterplay.responses import METHODS


def check_text(ground: PlayableGame, text: str) -> None:
    """Refuse, before any work, an agent's text that a whole game of hold'em does not have.

    Raises:
        InputError: there is no such agent.
    """
    if isinstance(ground.rules, Holdem):
        whole_game_agents.check_text(ground.rules, text, None if ground.memory is None else ground.memory * 2**30)


CONTINUAL: dict[str, Callable[..., Player]] = {
    **dict.fromkeys(("cdbr", "cdrnr", "abd", "resolve", "ses"), search_agents.make_search_agent),
    "cdbr-ne": search_agents.make_mixed_agent,
    **{head: search_agents.make_computed_agent for head, method in METHODS.items() if not method.looks_ahead()},
}
"""Agents that compute, while they play or before, by the head of their text.

Each is called as `make(options, ground, seat, seed, draws)`: `seed` for the opponents and
samples that it computes with, so that equal texts mean the same on both sides of a match; `draws` the seed of its own
draws of actions, different for each side and seat, so that two agents at one table do not draw alike.
"""


def agent(source: Any, text: str, seat: int, seed: int = 0, side: int = 0) -> Player:
    """The agent of a text.

    Args:
        source: a `PlayableGame`, or anything that one can be made of.
        text: a head in `CONTINUAL` with its options, or an opponent (see `catalogue.OPPONENTS`), which needs the
            compiled game unless it is `uniform`.
        seat: the seat it takes: 0 or 1.
        seed: of whatever is random.
        side: which of several agents of one seed this is; it changes only what is drawn while playing.

    Raises:
        InputError: no such agent, or one that does not fit the game.
    """
    ground = source if isinstance(source, PlayableGame) else PlayableGame(source)
    if seat not in (0, 1):
        raise InputError(f"an agent's seat must be 0 or 1, not {seat}")
    draws = random.Random(f"{seed} {side} {seat}").getrandbits(63)
    if isinstance(ground.rules, Holdem):
        memory = None if ground.memory is None else ground.memory * 2**30
        return whole_game_agents.fhp_agent(ground.rules, text, seat, seed, draws, memory)
    if text.partition(":")[0] in CONTINUAL:
        options = Options.read(text)
        if ground.spot is not None:
            return spot_agents.make_spot_agent(options, ground, ground.spot, seat, seed, draws)
        return CONTINUAL[options.head](options, ground, seat, seed, draws)
    if text == "uniform":
        return UniformAgent(seat, draws)
    if not isinstance(ground.source, GameTree) and isinstance(ground.rules, FastGame):
        known = MODELS.parse(text).policy(ground.rules)
        if known is not None:
            return PolicyAgent(ground.rules, known, seat, draws)
    try:
        if ground.spot is not None:
            return spot_agents.make_fixed_agent(ground.spot, text, seat, seed, draws)
        found = opponent(ground.compiled, text, seat, seed)
    except UnknownError as error:
        if (error.kind, error.name) == ("opponent", text):
            raise no_agent(text) from None
        raise
    return StrategyAgent(found, draws, text)
