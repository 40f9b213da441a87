"""A person's match against an agent as it goes: what decisions cost, by the agent's strategy where it is known, and
what the person has won, with and without luck; and the same of a player's hands in a log, in both seats, against the
strategy of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.agents.agent import Agent, ContinualAgent, UniformAgent, name_of
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.factory.make_agent import agent
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.games.identity import is_other_game
from counterplay.intervals import mean_interval
from counterplay.measure.hand_review import (
    ActionWorth,
    Belief,
    HandReview,
    Moves,
    PlayedMove,
    Pricer,
    SpotPricer,
    TreePricer,
    review_hand,
    steps_of,
)
from counterplay.measure.holdem_pricer import HoldemPricer, SearchedPlay
from counterplay.measure.make_aivat import aivat_against
from counterplay.measure.play_hand import DIGESTS, LIMITS, Hand
from counterplay.opponents.histories.hand_record import Act, AnyHand, FileLine, GameHand, HoldemHand, LeftOut
from counterplay.opponents.histories.replay import step_of_move
from counterplay.opponents.histories.replay import steps_of as steps_of_line
from counterplay.opponents.opponent import opponent
from counterplay.poker.cards.deck import card_text, cards_of
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
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
    rules: Any = ground.rules
    in_world = by_kind({Holdem: _in_holdem}, rules, None)
    if in_world is not None:
        return in_world(rules, agent, seed)
    strategy, make = _strategy_of(agent), by_kind({SpotRules: SpotPricer}, rules, TreePricer)
    spot = make is SpotPricer

    def pricer() -> Pricer:
        """By the strategy of the agent, or by an equilibrium where it tells none."""
        game: Any = ground.compiled.in_arrays if spot else ground.compiled
        them, name = agent.seat, name_of(agent)
        other = opponent(game, "uniform", them) if isinstance(agent, UniformAgent) else _strategy_of(agent)
        if other is None or other.player != them or not other.is_of(game):
            other, said = opponent(game, "nash", them, seed), f"an equilibrium, since {name} has no strategy to show"
        else:
            said = f"what {name} has decided so far" if isinstance(agent, ContinualAgent) else name
        small = sum(tree.size for tree in game.trees) <= _SMALL or getattr(game, "known", None) is not None
        words = f"{said}, exactly", f"if you played {'an equilibrium' if small else 'every action alike'}"
        prices: Pricer = make(game, other, opponent(game, "nash" if small else "uniform", 1 - them, seed), words)
        believes = hasattr(agent, "belief") and getattr(rules, "augmented", False)
        return _AgentsBelief(rules, agent, prices) if believes else prices

    loaded = spot or strategy is not None or "compiled" in vars(ground) or PlayableGame(ground.source, _MEMORY).fits
    told = isinstance(agent, UniformAgent) or strategy is not None
    return Reviewer(rules, agent, pricer if loaded else None, told and not isinstance(agent, ContinualAgent))


def _in_holdem(rules: Holdem, agent: Any, seed: int) -> Reviewer:
    """In a whole game of hold'em, where an agent plays a strategy or searches."""
    player = HoldemAgent(rules, uniform(rules.game), agent.seat) if isinstance(agent, UniformAgent) else agent
    if not isinstance(player, HoldemAgent):
        return Reviewer(rules, agent, None, False)
    more = "" if player.is_fixed else " (streets to come as before it searches them)"
    words = name_of(agent) + more, f"if you played as {name_of(agent)} expects"
    pricer = HoldemPricer(rules, 1 - agent.seat, player.play, player.expected, words, seed)
    return Reviewer(rules, agent, lambda: pricer, player.is_fixed)


def _strategy_of(agent: Any) -> Strategy | None:
    """What an agent plays in a game in memory, as far as it has decided; None if it does not tell."""
    found = getattr(agent, "strategy", None)
    if isinstance(found, StoredStrategy):
        return found.whole
    return found if isinstance(found, Strategy) else None


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

    @property
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

    `finish` does all of a hand at once. What can wait goes in steps instead: `review` and then `without_luck`, or while
    the person thinks, `reviewer.prepare` and `correct_ahead`.

    reviewer: of the person's hands. result: so far; it may begin with that of the same player in the other seat.
    against: what decisions are priced against, in words; empty before the first price. corrected_by: how luck is taken
    out of results, in words; empty where it is not."""

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


@dataclass(frozen=True)
class ReviewedHand:
    """A hand of a log, reviewed. place: where it is written. won: chips of the player so far, with this hand."""

    place: FileLine
    review: HandReview
    won: float

    def facts(self, beliefs: int | None = None) -> dict[str, Any]:
        """Plain data, with so many beliefs at most after each decision."""
        return {"line": self.place.line, "won_so_far": self.won, **self.review.facts(beliefs)}


@dataclass
class ReviewedLog:
    """The reviews of a log as they are made. against: text of the strategy that prices are against, an agent that plays
    one strategy in every hand. seed: of agents and drawn boards. aivat: whether luck is taken out of results, too.
    left_out: hands that are none of this game, or are not told whole."""

    ground: PlayableGame
    against: str
    seed: int = 0
    aivat: bool = False
    result: RunningResult = field(default_factory=RunningResult)
    left_out: list[LeftOut] = field(default_factory=list)
    _matches: dict[int, PlayedMatch] = field(default_factory=dict)

    def review(self, hands: Sequence[AnyHand], player: str) -> Iterator[ReviewedHand]:
        """The reviews of a player's hands, in the order of the log; each counts in the result when it comes. Refused:
        an agent that does not fit the game, or does not play one strategy in every hand."""
        for kept in hands:
            try:
                hand = played_hand(self.ground.rules, kept)
            except InputError as error:
                self.left_out.append(LeftOut(kept.place, "game", str(error)))
                continue
            match = self.match(kept.players.index(player))
            review = match.review(hand)
            if self.aivat:
                match.without_luck(hand, review)
            yield ReviewedHand(kept.place, review, sum(self.result.won))

    def match(self, seat: int) -> PlayedMatch:
        """The match of the player in a seat; errors as of `review`."""
        if seat not in self._matches:
            other = agent(self.ground, self.against, 1 - seat, self.seed)
            found = PlayedMatch(self.ground, other, self.seed, self.result)
            if not found.reviewer.waits or getattr(other, "learns_in", None) is not None:
                raise InputError(
                    f"{self.against} does not play one strategy in every hand, and a log does not tell what it had decided; "
                    "price against one that does, such as nash"
                )
            self._matches[seat] = found
        return self._matches[seat]

    @property
    def matches(self) -> tuple[PlayedMatch, ...]:
        """Those so far, the one of the seat that came first in front."""
        return tuple(self._matches.values())


def reviewed_player(names: Sequence[str], wanted: str | None, against: str) -> str:
    """Whose hands are reviewed: the player of this name; without one, the player other than the named strategy. Refused
    where there is no such player, or it is not clear who."""
    others = [name for name in names if name != against]
    if wanted is None and len(others) == 1:
        return others[0]
    if wanted in names:
        return str(wanted)
    said = "--player must name whose hands are reviewed" if wanted is None else f"no hand is of {wanted!r}"
    raise InputError(f"{said}; the log has {', '.join(map(repr, list(names)[:8]))}")


_TOLERANCE = 1e-6


def played_hand(rules: Game, kept: AnyHand) -> Hand:
    """The record of a hand that a log has kept, without times of decisions. Refused: no finished hand of these rules,
    something hidden, or another result."""
    holdem = by_kind(LIMITS, rules, lambda _: None)(rules) is not None
    if isinstance(kept, GameHand) and not holdem:
        if is_other_game(kept.game, rules.name):
            raise InputError(f"this is a hand of {kept.game}, not of {rules.name}")
        if kept.spot and kept.spot != by_kind(DIGESTS, rules, lambda _: kept.spot)(rules):
            raise InputError(f"this is a hand of another spot, that of {kept.game}, not of {rules.name}")
        if any(text is None for _, text in kept.moves):
            raise InputError("a move of this hand is hidden")
        moves: Moves = [(who, str(text)) for who, text in kept.moves]
    elif isinstance(kept, HoldemHand) and holdem:
        moves = tuple(_moves_of(rules, kept))
    else:
        raise InputError(f"this is no hand of {rules.name}")
    state, counts = rules.root(), [0, 0]
    for step in steps_of(rules, moves):
        state = step.after
        if step.who != CHANCE:
            counts[step.who] += 1
    if rules.player(state) != TERMINAL:
        raise InputError("this hand stops before its end")
    utility, never = float(rules.utility(state)), (0.0, 0.0)
    if kept.won is not None and abs(kept.won - utility) > _TOLERANCE * max(1.0, abs(utility)):
        raise InputError(f"the log says {kept.won:g} chips for seat 0, and the rules say {utility:g}")
    both: Callable[[Any], Any] | None = getattr(rules, "utilities", None)
    house = 0.0 if both is None else -sum(both(state))
    return Hand(utility, tuple(moves), (counts[0], counts[1]), never, never, house)


def _moves_of(rules: Any, kept: HoldemHand) -> Iterator[tuple[int, str]]:
    """The moves of a hand of hold'em in the texts of a game, which may lack some of its bets."""
    if not all(kept.holes):
        raise InputError("the cards of a player are hidden")
    cards, limits = iter([*kept.holes[0], *kept.holes[1], *kept.board]), rules.limits
    steps = iter([step for step in steps_of_line(kept.line) if step.letter != Act.DEAL])
    state = rules.root()
    while (who := rules.player(state)) != TERMINAL:
        actions = list(rules.actions(state))
        names = [action_name(rules, state, action) for action in actions]
        if who == CHANCE:
            if (card := next(cards, None)) is None:
                raise InputError("a card of this hand is missing")
            wanted = card_text(card)
        else:
            if (step := next(steps, None)) is None:
                raise InputError("this hand stops before its end")
            wanted = f"{step.letter}{step.number:d}" if step.number else step.letter
            for name in names:
                mine = step_of_move(limits, who, name)
                if mine.letter == step.letter and (limits.bets is not None or mine.number == step.number):
                    wanted = name  # in games of fixed bets, the letter alone tells it
                    break
        if wanted not in names:
            raise InputError(f"{rules.name} has no '{wanted}' there, but {', '.join(names[:8])}")
        yield who, wanted
        state = rules.child(state, actions[names.index(wanted)])
