"""Agents that search while they play, in games loaded once."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import counterplay as cp
from counterplay import ContinualAgent, LookAhead
from counterplay.agents.agent import UniformAgent
from counterplay.agents.factory import make_agent
from counterplay.agents.worlds.expanding import ExpandingSearch
from counterplay.agents.worlds.histories import CompiledSearch
from counterplay.lookahead.search import Search
from counterplay.measure.match import deal
from counterplay.measure.play_hand import Hand, play_hand

MERGED = "leduc:merged=true"


@cache
def load(spec: str) -> cp.GameTree:
    return cp.load(spec)


def made(spec: str, text: str, seat: int = 0, seed: int = 0) -> Any:
    """The agent of a text in a game that is loaded once."""
    return make_agent.agent(load(spec), text, seat, seed)


def searching(spec: str, seat: int = 0, model: Any = None, *, way: bool = False, seed: int = 0, **words: Any) -> Any:
    """An agent of its parts; `words` are those of `Search` and `LookAhead`."""
    game = load(spec)
    look = LookAhead(words.pop("depth", 1), words.pop("leaf", None), words.pop("gadget", None))
    search = Search(look, **{"stop": cp.Stop(iterations=30), "solver": "cfr+", **words})
    if way:
        return ExpandingSearch(game.rules, seat, search, model, seed=seed)
    return CompiledSearch(game, seat, search, model, seed=seed)


def assembled(game: cp.GameTree, agent: ContinualAgent) -> cp.Strategy:
    """What the agent does at every infoset, each in a hand of its own."""
    rows = {}
    for infoset in game.trees[agent.seat].labels.infosets:
        agent.new_hand()
        rows[infoset] = agent.policy(infoset)
    return cp.Strategy.from_table(game.trees[agent.seat], rows)


def pure(game: cp.GameTree, player: int, seed: int = 5) -> cp.Strategy:
    """A model that takes one action at each infoset, so that it reaches few of them."""

    def choose(infoset: str, actions: Sequence[str]) -> dict[str, float]:
        taken = random.Random(f"{seed} {infoset}").choice(actions)
        return {action: float(action == taken) for action in actions}

    return cp.opponent(game, choose, player)


def hands(game: Any, agent: Any, count: int, other: Any = None, seed: int = 0) -> list[Hand]:
    """Hands against another player, by default an unpredictable one."""
    other = other or UniformAgent(1 - agent.seat, 77)
    both = (agent, other) if agent.seat == 0 else (other, agent)
    return [play_hand(game, both, deal(seed, k)) for k in range(count)]


def odd(state: Any) -> float:
    """A value function of no sense, which tells states apart."""
    return zlib.crc32(np.asarray(state).tobytes()) % 1000 / 250.0 - 2.0


def one_sentence(error: BaseException) -> None:
    """A message for a person: one line, not empty."""
    assert str(error)
    assert "\n" not in str(error)
