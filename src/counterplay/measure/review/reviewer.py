"""The review of hands against an agent, by the kind of the game: whose strategy is known, and how prices are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from counterplay.agents.agent import Agent, ContinualAgent, UniformAgent, name_of
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.position.whole_game import HoldemPosition
from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.measure.play_hand import Hand
from counterplay.measure.review.hand_review import (
    ActionWorth,
    Belief,
    HandReview,
    PlayedMove,
    Pricer,
    review_hand,
    steps_of,
)
from counterplay.measure.review.holdem_pricer import HoldemPricer, SearchedPlay
from counterplay.measure.review.tree_pricer import SpotPricer, TreePricer
from counterplay.opponents.opponent import opponent
from counterplay.poker.cards.deck import cards_of
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.whole_game.boards.deal import HANDS
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import uniform
from counterplay.problem.solvable_game import by_kind
from counterplay.treeplex.strategy import Strategy

_SMALL = 300_000
"""Sequences of a game whose equilibrium is computed for the range that a person shows."""
_MEMORY = 0.25
"""GiB of a game that is loaded for reviews alone."""


class Reviewer:
    """Reviews the hands of a person against an agent. pricer: makes the pricer of what the agent plays as it is; None
    if decisions have no price. waits: whether a review may wait until later hands have begun; else it is made while the
    agent knows what it did."""

    def __init__(self, rules: Any, agent: Agent, pricer: Callable[[], Pricer] | None, waits: bool) -> None:
        self._rules, self._agent, self._make, self.waits = rules, agent, pricer, waits
        self._known: tuple[Any, Pricer] | None = None

    def review(self, hand: Hand) -> HandReview:
        """The review of a hand."""
        seat, pricer = 1 - self._agent.seat, None if self._make is None else self._pricer(self._make)
        if isinstance(pricer, HoldemPricer) and not self.waits:
            position: Any = self._agent.position  # type: ignore[attr-defined]
            nodes = [step.state.node for step in steps_of(self._rules, hand.moves) if step.who == seat]
            dealt = [card for who, text in hand.moves if who == CHANCE for card in cards_of(text)]
            pricer.begin_hand(SearchedPlay(position, nodes, tuple(dealt[HANDS:])))
        return review_hand(self._rules, hand, seat, pricer)

    @property
    def best(self) -> float | None:
        """Chips a hand that the person's best response wins, if all prices are exact and the agent plays one strategy
        in every hand; else None. Known after the first review."""
        return self._known[1].best if self._known is not None and self.waits else None

    def prepare(self, state: Any) -> Iterator[None]:
        """Work toward the values at a state where the person acts, in steps."""
        if self._make is not None:
            if self._known is None:
                yield
                self._pricer(self._make)
            if self.waits and self._known is not None:
                yield from self._known[1].prepare(state)

    def refine(self) -> Iterator[None]:
        """Work that makes prices of later hands more exact, in steps."""
        return iter(()) if self._known is None else self._known[1].refine()

    def _pricer(self, make: Callable[[], Pricer]) -> Pricer:
        """The pricer, made again when the agent's strategy has changed."""
        now = _strategy_of(self._agent)
        kept = None if self._known is None else self._known[0]
        same = now is None if kept is None else now is not None and np.array_equal(kept, now.behaviour)
        if self._known is None or not same:
            self._known = None if now is None else now.behaviour.copy(), make()
        return self._known[1]


class _AgentsBelief(Pricer):
    """A pricer whose ranges are what an agent itself believes, where it believes anything."""

    def __init__(self, rules: Any, agent: Any, pricer: Pricer) -> None:
        self._rules, self._agent, self._pricer = rules, agent, pricer
        self.seat, self.against, self.assumed, self.best = pricer.seat, pricer.against, pricer.assumed, pricer.best

    def worth(self, state: Any) -> ActionWorth | None:
        return self._pricer.worth(state)

    def beliefs(self, steps: Sequence[PlayedMove]) -> list[Belief | None]:
        told = super().beliefs(steps)
        if any(belief is None for belief in told):
            self.assumed = self._pricer.assumed
            return self._pricer.beliefs(steps)
        self.assumed = f"as {name_of(self._agent)} believes, before the action"
        return told

    def belief(self, step: PlayedMove) -> Belief | None:
        try:
            found: Belief = self._agent.belief(self._rules.infoset(step.state, self._agent.seat))
        except InputError:
            return None
        return found


def reviewer_of(ground: PlayableGame, agent: Agent, seed: int = 0) -> Reviewer:
    """The reviewer of the player in the other seat. The agent's strategy prices the person's decisions, if it is known:
    of one that plays a strategy, or that searches in a game in memory or in a whole game of hold'em."""
    make = by_kind(_KINDS, ground.rules, _in_memory)
    made: Reviewer = make(ground, agent, seed)
    return made


def _strategy_of(agent: Any) -> Strategy | None:
    """What an agent plays in a game in memory, as far as it has decided; None if it does not tell."""
    found = getattr(agent, "strategy", None)
    if isinstance(found, StoredStrategy):
        return found.whole
    return found if isinstance(found, Strategy) else None


def _waits(agent: Any) -> bool:
    """Whether an agent plays one strategy, which it tells."""
    told = isinstance(agent, UniformAgent) or _strategy_of(agent) is not None
    return told and not isinstance(agent, ContinualAgent)


def _in_memory(ground: PlayableGame, agent: Any, seed: int) -> Reviewer:
    def pricer() -> Pricer:
        return _by_strategies(ground.rules, ground.compiled, agent, seed, TreePricer)

    is_loaded = _strategy_of(agent) is not None or "compiled" in vars(ground)
    known = is_loaded or PlayableGame(ground.source, _MEMORY).fits
    return Reviewer(ground.rules, agent, pricer if known else None, _waits(agent))


def _in_spot(ground: PlayableGame, agent: Any, seed: int) -> Reviewer:
    def pricer() -> Pricer:
        return _by_strategies(ground.rules, ground.compiled.in_arrays, agent, seed, SpotPricer)

    return Reviewer(ground.rules, agent, pricer, _waits(agent))


def _by_strategies(rules: Any, game: Any, agent: Any, seed: int, make: Callable[..., Pricer]) -> Pricer:
    """A pricer by the strategy of the agent, or by an equilibrium where it tells none."""
    them, name = agent.seat, name_of(agent)
    other = opponent(game, "uniform", them) if isinstance(agent, UniformAgent) else _strategy_of(agent)
    if other is None or other.player != them or not other.is_of(game):
        other, said = opponent(game, "nash", them, seed), f"an equilibrium, since {name} has no strategy to show"
    elif isinstance(agent, ContinualAgent):
        said = f"what {name} has decided so far"
    else:
        said = name
    small = sum(tree.size for tree in game.trees) <= _SMALL or getattr(game, "known", None) is not None
    usual = "nash" if small else "uniform"
    words = f"{said}, exactly", f"if you played {'an equilibrium' if small else 'every action alike'}"
    pricer = make(game, other, opponent(game, usual, 1 - them, seed), words)
    believes = hasattr(agent, "belief") and getattr(rules, "augmented", False)
    return _AgentsBelief(rules, agent, pricer) if believes else pricer


def _in_holdem(ground: PlayableGame, agent: Any, seed: int) -> Reviewer:
    """In a whole game of hold'em, where an agent plays a strategy or searches."""
    rules: Any = ground.rules
    position = getattr(agent, "position", None)
    if isinstance(agent, UniformAgent):
        position = HoldemPosition(rules, uniform(rules.game), agent.seat)
    if not isinstance(position, HoldemPosition):
        return Reviewer(rules, agent, None, False)
    said = name_of(agent)
    said = said if position.is_fixed else f"{said} (streets to come as before it searches them)"
    words = said, f"if you played as {name_of(agent)} expects"
    pricer = HoldemPricer(rules, 1 - agent.seat, position.play, position.expected, words, seed)
    return Reviewer(rules, agent, lambda: pricer, position.is_fixed)


_KINDS: dict[type, Callable[..., Reviewer]] = {Holdem: _in_holdem, SpotRules: _in_spot}
"""Kinds of games by their rules; all others are loaded into memory, if they are small enough."""
