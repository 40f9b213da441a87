"""The review of a finished hand: what each decision of one player cost, and the range that they showed.

The cost of a decision is the value of its best action less that of the action that was taken, both followed by the
player's best play, against a strategy of the other player that is known. On average over hands, the costs add up to
what a best response wins more than the player does (the performance difference; Kakade and Langford 2002, lemma 6.1).
In games in memory and in spots of hold'em the values are exact, by one best response to the known strategy.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterplay.agents.worlds.spot import shares_of_hands
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.measure.make_aivat import Policy, moves_at
from counterplay.measure.play_hand import Hand
from counterplay.poker.cards.deck import card_text, cards_of
from counterplay.poker.ranges.grid import cell_name, cell_of
from counterplay.poker.spots.deal import SpotState
from counterplay.poker.spots.solution import Node, SolvedSpot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best

Moves = Sequence[tuple[int, str]]
"""The acting player and the text of the action, in order, as of `Hand`."""


class PlayedMove(NamedTuple):
    """A move of a hand: the state of the rules before it, who acts (a player or `CHANCE`), the names of all actions and
    of the one that was taken, and the state after it."""

    state: Any
    who: int
    names: tuple[str, ...]
    action: str
    after: Any


@dataclass(frozen=True)
class ActionWorth:
    """The values of the actions of a decision, in chips: in a spot of hold'em as EV from the node on, elsewhere as the
    result of the hand; and half of the 95 % interval of what each is worth less than the best, None where values are
    exact."""

    values: Mapping[str, float]
    errors: Mapping[str, float] | None = None


Belief = Mapping[str, float]
"""What a player may hold, each with its probability."""
Shares = tuple[tuple[str, float], ...]
"""A belief, likeliest first."""
_LEAST = 1e-6
"""Probabilities that are left out of a range."""
_HAND = re.compile(r"([2-9TJQKA][cdhs]){2}")


class Pricer(ABC):
    """Values of a player's actions against a strategy of the other, and the range that the player shows. against: the
    other's strategy and how the values are found, in words. assumed: how the player is assumed to play where the range
    is concerned, in words. best: chips a hand that the player's best response wins; None where values are not exact."""

    seat: int
    against: str
    assumed: str
    best: float | None = None

    @abstractmethod
    def worth(self, state: Any) -> ActionWorth | None:
        """The values of the actions at a state where the player acts; None where the other never comes there."""

    def prepare(self, state: Any) -> Iterator[None]:  # noqa: ARG002 - where all values are there
        """Work toward the values at a state, in steps; `worth` does what is left of it."""
        return iter(())

    def refine(self) -> Iterator[None]:
        """Work that makes later values more exact, in steps."""
        return iter(())

    @abstractmethod
    def belief(self, step: PlayedMove) -> Belief | None:
        """What the other can believe that the player holds, after a decision of the player; None if it is not known."""

    def beliefs(self, steps: Sequence[PlayedMove]) -> list[Belief | None]:
        """The belief after each decision of the player in a hand."""
        return [self.belief(step) for step in steps if step.who == self.seat]


@dataclass(frozen=True)
class PricedDecision:
    """A decision and its cost. worth: of all actions; None where the other player never comes there. belief: what the
    other can believe after it, likeliest first; None if that is not known."""

    infoset: str
    action: str
    worth: ActionWorth | None
    belief: Shares | None

    @property
    def cost(self) -> float | None:
        """Chips that the action was worth less than the best one; None where that is not known."""
        return None if self.worth is None else max(self.worth.values.values()) - self.worth.values[self.action]

    @property
    def error(self) -> float | None:
        """Half of the 95 % interval of the cost; None where it is exact or not known."""
        return None if self.worth is None or self.worth.errors is None else self.worth.errors[self.action]

    def facts(self, beliefs: int | None = None) -> dict[str, Any]:
        """Plain data, with so many beliefs at most."""
        return {
            "infoset": self.infoset, "action": self.action, "cost": self.cost, "error": self.error,
            "values": None if self.worth is None else dict(self.worth.values),
            "belief": None if self.belief is None else [list(one) for one in by_classes(self.belief)[:beliefs]],
        }  # fmt: skip


@dataclass(frozen=True)
class HandReview:
    """A finished hand as one player can learn from it. against, assumed: as of `Pricer`; empty if nothing is known of
    the other player."""

    seat: int
    won: float
    decisions: tuple[PricedDecision, ...]
    against: str = ""
    assumed: str = ""

    @property
    def cost(self) -> float | None:
        """Chips of all decisions whose cost is known; None if there is none."""
        known = [one.cost for one in self.decisions if one.cost is not None]
        return sum(known) if known else None

    def facts(self, beliefs: int | None = None) -> dict[str, Any]:
        """Plain data, with so many beliefs at most after each decision."""
        return {
            "seat": self.seat, "won": self.won, "cost": self.cost, "against": self.against, "assumed": self.assumed,
            "decisions": [one.facts(beliefs) for one in self.decisions],
        }  # fmt: skip


def review_hand(rules: Game, hand: Hand, seat: int, pricer: Pricer | None) -> HandReview:
    """The review of a hand for a seat. Without a pricer decisions have no cost; a hand of another game is refused."""
    steps = list(steps_of(rules, hand.moves))
    own = [step for step in steps if step.who == seat]
    beliefs = [None] * len(own) if pricer is None else pricer.beliefs(steps)
    decisions = []
    for step, belief in zip(own, beliefs, strict=True):
        if len(step.names) < 2:
            continue
        worth = None if pricer is None else pricer.worth(step.state)
        likely = None
        if belief is not None:
            likely = _likeliest_first({text: share for text, share in belief.items() if share > _LEAST})
        decisions.append(PricedDecision(rules.infoset(step.state, seat), step.action, worth, likely))
    words = ("", "") if pricer is None else (pricer.against, pricer.assumed)
    return HandReview(seat, hand.won(seat), tuple(decisions), *words)


def steps_of(rules: Game, moves: Moves) -> Iterator[PlayedMove]:
    """The moves of a hand with their states; one that is no move of the game is refused."""
    state = rules.root()
    for who, name in moves:
        mover = "chance" if who == CHANCE else f"player {who}"
        if rules.player(state) != who:
            raise InputError(f"this is not a hand of {rules.name}: {mover} does not act before '{name}'")
        actions = list(rules.actions(state))
        names = tuple(action_name(rules, state, action) for action in actions)
        if name not in names:
            raise InputError(f"this is not a hand of {rules.name}: {mover} has no '{name}' there")
        after = rules.child(state, actions[names.index(name)])
        yield PlayedMove(state, who, names, name, after)
        state = after


def _likeliest_first(shares: Mapping[str, float]) -> Shares:
    return tuple(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


def by_classes(belief: Shares) -> Shares:
    """The shares of classes such as AKs, which people read more easily; what holds no hands of hold'em stays as it
    is."""
    if not all(_HAND.fullmatch(text) for text, _ in belief):
        return belief
    classes: dict[str, float] = {}
    for text, share in belief:
        (one, other) = cards_of(text)
        name = cell_name(cell_of(max(one // 4, other // 4), min(one // 4, other // 4), one % 4 == other % 4))
        classes[name] = classes.get(name, 0.0) + share
    return _likeliest_first(classes)


_NEVER = 1e-12
"""Reach of an infoset at which the other player counts as never coming there."""
_MOST = 20_000
"""Histories beyond which a range is not computed."""
_SELDOM = 1e-9
"""Weight of an action that the assumed strategy never takes, so that the range does not become empty."""


class TreePricer(Pricer):
    """Values in a compiled game, against the known strategy of the other player. assumed: the strategy that the player
    is assumed to play, where their range is concerned. words: what `Pricer.against` and `Pricer.assumed` say."""

    def __init__(self, game: GameTree, other: Strategy, assumed: Strategy, words: tuple[str, str]) -> None:
        self.seat = 1 - other.player
        self.against, self.assumed = words
        self._game, self._assumed = game, assumed
        tree, nothing = game.trees[self.seat], np.zeros(0)
        self._values = game.payoff.product(self.seat, other.plan)
        best(tree.arrays, nothing, nothing, self._values, np.zeros(tree.size))
        self.best = float(self._values[0])
        self._reaches = counterfactual_reach(game, self.seat, other.plan)

    def worth(self, state: Any) -> ActionWorth | None:
        text, tree = self._game.rules.infoset(state, self.seat), self._game.trees[self.seat]
        labels = tree.labels
        if text not in labels.index:
            raise InputError(f"{self._game.name} has no infoset '{text}'")
        number = labels.index[text]
        lane = int(labels.lanes[number])
        if lane < 0 or self._reaches[lane] < _NEVER:
            return None
        chips = self._values[tree.sequences_of(lane)] / self._reaches[lane]
        return ActionWorth(dict(zip(labels.actions[number], chips.tolist(), strict=True)))

    def beliefs(self, steps: Sequence[PlayedMove]) -> list[Belief | None]:
        if getattr(self._game.rules, "augmented", False):
            return shown_ranges(self._game.rules, steps, self.seat, self._assumed.probabilities)
        return super().beliefs(steps)

    def belief(self, step: PlayedMove) -> None:  # noqa: ARG002 - the rules do not say what the other sees
        return None


class SpotPricer(Pricer):
    """Values in a spot of hold'em, as EV from the node on."""

    def __init__(self, game: SpotGame, other: Strategy, assumed: Strategy, words: tuple[str, str]) -> None:
        self.seat = 1 - other.player
        self.against, self.assumed = words
        self._game = game
        answer = best_response(game.subgame, self.seat, game.dealt(other).plan)
        tree, self.best = game.trees[self.seat], answer.value
        self._met = game.with_strategies(game.dealt(Strategy(tree, answer.behaviour)), game.dealt(other))
        self._shown = game.with_strategies(game.dealt(assumed), game.dealt(other))

    def worth(self, state: SpotState) -> ActionWorth | None:
        node = self._node(self._met, state)
        chips = node.action_values[self._number(state, self.seat)]
        if not np.isfinite(chips).all():
            return None
        return ActionWorth(dict(zip(node.actions, chips.tolist(), strict=True)))

    def belief(self, step: PlayedMove) -> Belief | None:
        node, deck = self._node(self._shown, step.state), self._met.spot.deck
        odds = node.ranges[self.seat] * np.nan_to_num(node.probabilities[:, node.actions.index(step.action)])
        return shares_of_hands(deck, odds, deck.hands[self._number(step.state, 1 - self.seat)])

    def _node(self, solved: SolvedSpot, state: SpotState) -> Node:
        path = solved.tree.betting.path(state.node)
        return solved.node(", ".join(filter(None, [path, *map(card_text, state.dealt)])))

    def _number(self, state: SpotState, seat: int) -> int:
        """The number in the deck of what a seat holds."""
        return int(self._met.spot.numbers[state.held[seat]])


def shown_ranges(game: Game, steps: Sequence[PlayedMove], seat: int, policy: Policy) -> list[Belief | None]:
    """After each action of a seat, the probability of each of its infosets before the action, as the other can believe.

    A set of histories is carried along the hand: all that agree with what the other has seen, weighted by chance and by the
    policy that the seat is assumed to play. game: describes every state to both players (`augmented`).
    """

    def likely(observation: str) -> dict[str, float]:
        return {name: max(p, _SELDOM) for name, p in policy(observation).items()}

    def any_move(_: str) -> Mapping[str, float]:  # both players' moves may be hidden; the other knows their own
        return defaultdict(lambda: 1.0)

    beliefs: list[Belief | None] = []
    here = [(game.root(), 1.0, "")]  # states with their weights, and the infosets at which the seat acted last
    for step in steps:
        seen, own = _seen(game, step.after, step.action, 1 - seat), step.who == seat
        after = list[tuple[Any, float, str]]()
        for state, weight, text in here:
            if game.player(state) != step.who:
                continue
            acted = game.infoset(state, seat) if own else text
            for name, action, odds in moves_at(game, state, likely if own else any_move):
                child = game.child(state, action)
                taken = odds > 0.0 and (step.who != 1 - seat or name == step.action)
                if taken and _seen(game, child, name, 1 - seat) == seen:
                    after.append((child, weight * odds, acted))
        here = after
        if own:
            shares: dict[str, float] = {}
            total = sum(weight for _, weight, _ in here)
            for _, weight, text in here:
                shares[text] = shares.get(text, 0.0) + weight / total
            beliefs.append(shares if here else None)
        if not 0 < len(here) <= _MOST:
            break
    decisions = sum(step.who == seat for step in steps)
    return beliefs + [None] * (decisions - len(beliefs))


def _seen(game: Game, state: Any, action: str, player: int) -> str:
    """What a player has seen after a move; at the end of a hand, the move itself."""
    return action if game.player(state) == TERMINAL else game.infoset(state, player)
