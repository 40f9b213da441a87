"""A person's match against an agent as it goes: what decisions cost, by the agent's strategy where it is known, and what the
person has won, with and without luck."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.agents.agent import Agent, ContinualAgent, UniformAgent, name_of
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.intervals import mean_interval
from counterplay.measure.aivat.make_aivat import aivat_against
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
from counterplay.poker.whole_game.boards.board import HANDS
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import uniform
from counterplay.problem.solvable_game import by_kind
from counterplay.steps import Steps
from counterplay.treeplex.strategy import Strategy

_SMALL = 300_000
"""Sequences of a game whose equilibrium is computed for the range that a person shows."""
_MEMORY = 0.25
"""GiB of a game that is loaded for reviews alone."""


class Reviewer:
    """Reviews the hands of a person against an agent. pricer: makes the pricer of what the agent plays as it is; None
    if decisions have no price. waits: whether a review may wait until later hands have begun; else it is made while the
    agent knows what it did."""

    def __init__(self, rules: Any, agent: Any, pricer: Callable[[], Pricer] | None, waits: bool) -> None:
        self._rules, self._agent, self._make, self.waits = rules, agent, pricer, waits
        self._known: tuple[Any, Pricer] | None = None

    def review(self, hand: Hand) -> HandReview:
        """The review of a hand."""
        seat, pricer = 1 - self._agent.seat, None if self._make is None else self._pricer(self._make)
        if isinstance(pricer, HoldemPricer) and not self.waits:
            nodes = [step.state.node for step in steps_of(self._rules, hand.moves) if step.who == seat]
            dealt = [card for who, text in hand.moves if who == CHANCE for card in cards_of(text)]
            pricer.begin_hand(SearchedPlay(self._agent, nodes, tuple(dealt[HANDS:])))
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
    player = HoldemAgent(rules, uniform(rules.game), agent.seat) if isinstance(agent, UniformAgent) else agent
    if not isinstance(player, HoldemAgent):
        return Reviewer(rules, agent, None, False)
    said = name_of(agent)
    said = said if player.is_fixed else f"{said} (streets to come as before it searches them)"
    words = said, f"if you played as {name_of(agent)} expects"
    pricer = HoldemPricer(rules, 1 - agent.seat, player.play, player.expected, words, seed)
    return Reviewer(rules, agent, lambda: pricer, player.is_fixed)


_KINDS: dict[type, Callable[..., Reviewer]] = {Holdem: _in_holdem, SpotRules: _in_spot}
"""Kinds of games by their rules; all others are loaded into memory, if they are small enough."""

Correction = Callable[[Hand, HandReview], float | None]
"""The result of a hand without luck; None where it is not known."""
_BOARDS = 40
"""Boards by which AIVAT values hands of hold'em: enough for most of the variance, and a second or two."""


@dataclass
class RunningResult:
    """Results of a player, hand by hand: chips, chips with the luck taken out by AIVAT where the other's strategy is
    known, and what decisions cost where that is known."""

    won: list[float] = field(default_factory=list)
    corrected: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Plain data: number of hands, chips in all, the mean of a hand and its 95 % interval, the same without luck,
        and what decisions cost in all."""
        return {
            "hands": len(self.won), "won": sum(self.won), **_mean("mean", "interval", self.won),
            **_mean("corrected", "corrected_interval", self.corrected), "corrected_hands": len(self.corrected),
            "cost": sum(self.costs) if self.costs else None, "priced": len(self.costs),
        }  # fmt: skip


def _mean(name: str, interval: str, values: list[float]) -> dict[str, Any]:
    found = np.array(values)
    return {name: float(found.mean()) if values else None, interval: mean_interval(found)}


class PlayedMatch:
    """A person's match against an agent: reviews of its hands and the running result.

    `finish` does all of a hand at once. What can wait goes in steps instead: `review` and then `without_luck`, or while the
    person thinks, `reviewer.prepare` and `correct_ahead`.

    Attributes:
        reviewer: of the person's hands.
        result: so far; it may begin with that of the same player in the other seat.
        against: what decisions are priced against, in words; empty before the first price.
        corrected_by: how luck is taken out of results, in words; empty where it is not.
    """

    def __init__(self, ground: PlayableGame, agent: Agent, seed: int = 0, result: RunningResult | None = None) -> None:
        self.result, self.against, self.corrected_by = result or RunningResult(), "", ""
        self._ground, self._agent, self._seed = ground, agent, seed
        self.reviewer = reviewer_of(ground, agent, seed)
        self._correct: Correction | None = None
        self._making: Steps[Correction] | None = None

    def finish(self, hand: Hand) -> HandReview:
        """Take in a finished hand, before the next one begins; returns its review."""
        review = self.review(hand)
        self.without_luck(hand, review)
        return review

    def review(self, hand: Hand) -> HandReview:
        """The review of a finished hand, which counts in the result from now on."""
        review = self.reviewer.review(hand)
        self.result.won.append(review.won)
        if review.cost is not None:
            self.result.costs.append(review.cost)
        self.against = review.against or self.against
        return review

    def without_luck(self, hand: Hand, review: HandReview) -> None:
        """Take the luck out of the result of a hand, after its review."""
        for _ in self.correct_ahead():
            pass
        assert self._correct is not None
        corrected = self._correct(hand, review)
        if corrected is not None:
            self.result.corrected.append(corrected)

    def correct_ahead(self) -> Iterator[None]:
        """Work toward results without luck, in steps."""
        self._making = self._making or self._corrections()
        while self._correct is None:
            try:  # not `yield from`: who stops early would close the work, too
                next(self._making)
            except StopIteration as end:
                self._correct = end.value
                return
            yield

    def _corrections(self) -> Steps[Correction]:
        """AIVAT; where there is none, and all costs are exact, what a best response wins less what decisions cost."""
        try:
            by_aivat = yield from aivat_against(self._ground, self._agent, boards=_BOARDS, seed=self._seed)
        except InputError:
            best = self.reviewer.best
            self.corrected_by = "" if best is None else "a best response's result less what your decisions cost"
            return lambda _, review: None if best is None else best - (review.cost or 0.0)
        self.corrected_by = "AIVAT"
        return lambda hand, _: by_aivat(hand)
