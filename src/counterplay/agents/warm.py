"""Kernels that an agent's look-aheads use, compiled or read from disk before its first decision, outside of the
player's clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterplay.agents.position.compiled import CompiledTracker
from counterplay.agents.position.expanding import ExpandingTracker
from counterplay.agents.search_agent import ContinualAgent
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game
from counterplay.lookahead.search import Search
from counterplay.solvers.cfr import Stop


def warm(agent: ContinualAgent, memory: float | None = None) -> None:
    """Search a first decision of the agent's game and one after it, by one iteration each and few samples, in a
    temporary agent.
    """
    search, sight = replace(agent.search.looking(leaf=_brief(agent.search)), stop=Stop(iterations=1)), agent.sight
    if isinstance(sight, CompiledTracker):
        one = ContinualAgent(CompiledTracker(sight.game, agent.seat, search), agent.sight.chain.model)
        texts = _decisions(one.sight)
    else:
        one = ContinualAgent(ExpandingTracker(sight.game.rules, agent.seat, search, memory), agent.model)
        texts = _first(sight.game.rules, agent.seat)
    for text in texts:
        try:
            one.policy(text)
        except InputError:  # the agent will say so when it comes there
            return


def _brief(search: Search) -> Any:
    """The value function, with one sample if it takes samples."""
    value: Any = search.value
    few = {"samples": 1, "keep": False, "workers": 1} if hasattr(value, "keep") else {"samples": 1}
    return replace(value, **few) if hasattr(value, "samples") else value


def _decisions(sight: CompiledTracker | ExpandingTracker) -> list[str]:
    """Infosets of a first decision and of one that follows it."""
    labels = sight.game.trees[sight.seat].labels
    number = {lane: text for text, lane in zip(labels.infosets, labels.lanes, strict=True)}
    found = {one.before is None: number[int(one.lanes[0])] for one in reversed(sight.among())}
    return [found[first] for first in (True, False) if first in found]


def _first(rules: Game, seat: int) -> list[str]:
    """The infoset of a first decision of a seat; None if the seat has none on the first path through the game."""
    state = rules.root()
    while (who := rules.player(state)) != seat:
        if who == TERMINAL:
            return []
        actions = list(rules.actions(state))
        odds = list(rules.chance(state)) if who == CHANCE else [1.0]
        state = rules.child(state, actions[next(k for k, p in enumerate(odds) if p > 0.0)])
    return [rules.infoset(state, seat)]
