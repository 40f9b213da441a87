"""The review of hands against an agent, by the kind of the game: whose strategy is known, and how prices are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from counterplay.agents.agent import Agent, UniformAgent, name_of
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.whole_game.agents import BlueprintAgent, FullGadgetAgent
from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.measure.play_hand import Hand
from counterplay.measure.review.hand_review import Belief, HandReview, PlayedMove, Pricer, review_hand, steps_of
from counterplay.measure.review.holdem_pricer import HoldemPricer
from counterplay.measure.review.searched_play import SearchedPlay
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


class ExactPricer(Pricer, Protocol):
    """A pricer whose values are exact. best: chips a hand that the best response wins."""

    best: float


class Reviewer(Protocol):
    """Reviews the hands of a person against an agent.

    Attributes:
        waits: whether a review may wait until later hands have begun; else it is made while the agent knows what it did.
        best: chips a hand that the person's best response wins, if all prices are exact and the agent plays one strategy in
            every hand; else None. Known after the first review.
    """

    @property
    def waits(self) -> bool: ...
    @property
    def best(self) -> float | None: ...

    def review(self, hand: Hand) -> HandReview:
        """The review of a hand."""

    def prepare(self, state: Any) -> Iterator[None]:
        """Work toward the values at a state where the person acts, in steps."""

    def refine(self) -> Iterator[None]:
        """Work that makes prices of later hands more exact, in steps."""


def reviewer_of(ground: PlayableGame, agent: Agent, seed: int = 0) -> Reviewer:
    """The reviewer of the player in the other seat.

    Args:
        ground: the game.
        agent: whose strategy prices the person's decisions, if it is known: one that plays a strategy, or that searches in a
            game in memory or in a whole game of hold'em.
        seed: of boards that are drawn.
    """
    make = by_kind(_KINDS, ground.rules, _in_memory)
    made: Reviewer = make(ground, agent, seed)
    return made


class _FixedReviewer:
    """Reviews by pricers that are made when the agent's strategy has changed.

    Args:
        rules: of the game.
        agent: in the other seat.
        pricer: makes the pricer of the agent's strategy as it is; None if decisions have no price.
    """

    def __init__(self, rules: Any, agent: Agent, pricer: Callable[[], ExactPricer] | None) -> None:
        self._rules, self._agent, self._make = rules, agent, pricer
        self._known: tuple[Any, ExactPricer] | None = None

    def review(self, hand: Hand) -> HandReview:
        seat = 1 - self._agent.seat
        return review_hand(self._rules, hand, seat, self._pricer())

    @property
    def waits(self) -> bool:
        told = isinstance(self._agent, UniformAgent) or _strategy_of(self._agent) is not None
        return told and not hasattr(self._agent, "search")

    @property
    def best(self) -> float | None:
        return self._known[1].best if self._known is not None and self.waits else None

    def prepare(self, state: Any) -> Iterator[None]:  # noqa: ARG002 - one pricer for all states
        if self._make is not None and self._known is None:
            yield
            self._pricer()

    def refine(self) -> Iterator[None]:
        return iter(())

    def _pricer(self) -> ExactPricer | None:
        if self._make is None:
            return None
        now = _strategy_of(self._agent)
        if self._known is None or not _same(self._known[0], now):
            self._known = None if now is None else now.behaviour.copy(), self._believing(self._make())
        return self._known[1]

    def _believing(self, pricer: ExactPricer) -> ExactPricer:
        believe = getattr(self._agent, "belief", None)
        if believe is None or not getattr(self._rules, "augmented", False):
            return pricer
        return _AgentsBelief(self._rules, self._agent, pricer)


class _AgentsBelief:
    """A pricer whose ranges are what an agent itself believes, where it believes anything."""

    def __init__(self, rules: Any, agent: Any, pricer: ExactPricer) -> None:
        self._rules, self._agent, self._pricer = rules, agent, pricer
        self.seat, self.against, self.assumed = pricer.seat, pricer.against, pricer.assumed
        self.worth, self.best, self.prepare = pricer.worth, pricer.best, pricer.prepare

    def beliefs(self, steps: Sequence[PlayedMove]) -> list[Belief | None]:
        told = [self._belief(step) for step in steps if step.who == self.seat]
        if any(one is None for one in told):
            self.assumed = self._pricer.assumed
            return self._pricer.beliefs(steps)
        self.assumed = f"as {name_of(self._agent)} believes, before the action"
        return told

    def _belief(self, step: PlayedMove) -> Belief | None:
        try:
            found: Belief = self._agent.belief(self._rules.infoset(step.state, self._agent.seat))
        except InputError:
            return None
        return found


def _same(kept: Any, now: Strategy | None) -> bool:
    return now is None if kept is None else now is not None and np.array_equal(kept, now.behaviour)


def _strategy_of(agent: Any) -> Strategy | None:
    """What an agent plays in a game in memory, as far as it has decided; None if it does not tell."""
    found = getattr(agent, "strategy", None)
    if isinstance(found, StoredStrategy):
        return found.whole
    return found if isinstance(found, Strategy) else None


def _in_memory(ground: PlayableGame, agent: Any, seed: int) -> Reviewer:
    made = _strategy_of(agent)
    if made is None and not ("compiled" in vars(ground) or PlayableGame(ground.source, _MEMORY).fits):
        return _FixedReviewer(ground.rules, agent, None)
    return _FixedReviewer(ground.rules, agent, lambda: _by_strategies(ground.compiled, agent, seed, TreePricer))


def _in_spot(ground: PlayableGame, agent: Any, seed: int) -> Reviewer:
    return _FixedReviewer(
        ground.rules, agent, lambda: _by_strategies(ground.compiled.in_arrays, agent, seed, SpotPricer)
    )


def _by_strategies(game: Any, agent: Any, seed: int, make: Callable[..., ExactPricer]) -> ExactPricer:
    """A pricer by the strategy of the agent, or by an equilibrium where it tells none."""
    them, name = agent.seat, name_of(agent)
    other = opponent(game, "uniform", them) if isinstance(agent, UniformAgent) else _strategy_of(agent)
    if other is None or other.player != them or not other.is_of(game):
        other, said = opponent(game, "nash", them, seed), f"an equilibrium, since {name} has no strategy to show"
    elif hasattr(agent, "search"):
        said = f"what {name} has decided so far"
    else:
        said = name
    small = sum(tree.size for tree in game.trees) <= _SMALL or getattr(game, "known", None) is not None
    usual = "nash" if small else "uniform"
    words = f"{said}, exactly", f"if you played {'an equilibrium' if small else 'every action alike'}"
    return make(game, other, opponent(game, usual, 1 - them, seed), words)


class _HoldemReviewer:
    """Reviews in a whole game of hold'em. Arguments as of `reviewer_of`; agent: it plays a strategy, or searches."""

    def __init__(self, rules: Holdem, agent: Any, seed: int) -> None:
        self._rules, self._agent = rules, agent
        name = name_of(agent)
        even = uniform(rules.game) if isinstance(agent, UniformAgent) else None
        play, expected = even or agent.play, even or agent.expected
        self.waits = even is not None or type(agent) in (BlueprintAgent, FullGadgetAgent)
        said = name if self.waits else f"{name} (streets to come as before it searches them)"
        words = said, f"if you played as {name} expects"
        self._pricer = HoldemPricer(rules, 1 - agent.seat, play, expected, words, seed)

    def review(self, hand: Hand) -> HandReview:
        if not self.waits:
            steps = list(steps_of(self._rules, hand.moves))
            nodes = [step.state.node for step in steps if step.who == self._pricer.seat]
            dealt = [card for who, text in hand.moves if who == CHANCE for card in cards_of(text)]
            searched = SearchedPlay(self._rules, self._agent, nodes, tuple(dealt[HANDS:]))
            self._pricer.begin_hand(searched)
        return review_hand(self._rules, hand, self._pricer.seat, self._pricer)

    @property
    def best(self) -> float | None:
        return None

    def prepare(self, state: Any) -> Iterator[None]:
        return self._pricer.prepare(state) if self.waits else iter(())

    def refine(self) -> Iterator[None]:
        return self._pricer.refine()


def _in_holdem(ground: PlayableGame, agent: Any, seed: int) -> Reviewer:
    if isinstance(agent, BlueprintAgent | UniformAgent):
        return _HoldemReviewer(ground.rules, agent, seed)  # type: ignore[arg-type]
    return _FixedReviewer(ground.rules, agent, None)


_KINDS: dict[type, Callable[..., Reviewer]] = {Holdem: _in_holdem, SpotRules: _in_spot}
"""Kinds of games by their rules; all others are loaded into memory, if they are small enough."""
