"""Agents at a table."""

from __future__ import annotations

import random
from typing import Any

import counterplay as cp
from counterplay.agents.agent import Player
from counterplay.agents.factory.agent_factory import PlayableGame


def seated_agent(
    rules: Any, text: Any, seat: int, seed: int = 0, draws: int = 0, memory: float | None = None
) -> Player:
    """The agent of a text. draws: seed of its own draws. memory: bytes that it may take."""
    ground = PlayableGame(rules, None if memory is None else memory / 2**30)
    made: Player = cp.agent(ground, text, seat, seed)
    if hasattr(made, "draws"):
        made.draws = random.Random(draws)
    return made
