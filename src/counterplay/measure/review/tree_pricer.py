"""Values of actions in games in memory and in spots of hold'em: exact, by one best response to a known strategy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.agents.position.spot import shares_of_hands
from counterplay.errors import InputError
from counterplay.games.game import TERMINAL, Game
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.measure.aivat.histories import Policy, moves_at
from counterplay.measure.review.hand_review import ActionWorth, Belief, PlayedMove, Pricer
from counterplay.poker.cards.deck import card_text
from counterplay.poker.spots.deal import SpotState
from counterplay.poker.spots.solution import Node, SolvedSpot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best

_NEVER = 1e-12
"""Reach of an infoset at which the other player counts as never coming there."""
_MOST = 20_000
"""Histories beyond which a range is not computed."""
_LEAST = 1e-9
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


class _History(NamedTuple):
    """A history: its state and weight, the infoset at which the player acted last, and the last move."""

    state: Any
    weight: float
    infoset: str
    action: str


def shown_ranges(game: Game, steps: Sequence[PlayedMove], seat: int, policy: Policy) -> list[Belief | None]:
    """After each action of a seat, the probability of each of its infosets before the action, as the other can believe.

    A set of histories is carried along the hand: all that agree with what the other has seen, weighted by chance and by the
    policy that the seat is assumed to play. game: describes every state to both players (`augmented`).
    """
    found: list[Belief | None] = []
    here = [_History(game.root(), 1.0, "", "")]
    for step in steps:
        seen = _seen(game, step.after, step.action, 1 - seat)
        after = [child for history in here for child in _children(game, history, step, seat, policy)]
        here = [child for child in after if _seen(game, child.state, child.action, 1 - seat) == seen]
        if step.who == seat:
            shares: dict[str, float] = {}
            total = sum(history.weight for history in here)
            for _, weight, text, _ in here:
                shares[text] = shares.get(text, 0.0) + weight / total
            found.append(shares if here else None)
        if not 0 < len(here) <= _MOST:
            break
    own = sum(step.who == seat for step in steps)
    return found + [None] * (own - len(found))


def _children(game: Game, history: _History, step: PlayedMove, seat: int, policy: Policy) -> list[_History]:
    """The histories after a move from one."""
    state, weight, text, _ = history
    if game.player(state) != step.who:
        return []
    own, theirs = step.who == seat, step.who == 1 - seat
    text = game.infoset(state, seat) if own else text

    def odds_at(observation: str) -> Mapping[str, float]:
        row = policy(observation) if own else {}
        return defaultdict(lambda: 1.0, {name: max(p, _LEAST) for name, p in row.items()})

    # Both players' moves may be hidden; of the other's, they know which it was.
    return [
        _History(game.child(state, action), weight * odds, text, name)
        for name, action, odds in moves_at(game, state, odds_at)
        if odds > 0.0 and (not theirs or name == step.action)
    ]


def _seen(game: Game, state: Any, action: str, player: int) -> str:
    """What a player has seen after a move; at the end of a hand, the move itself."""
    return action if game.player(state) == TERMINAL else game.infoset(state, player)
