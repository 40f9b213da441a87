"""Values of actions in games in memory and in spots of hold'em: exact, by one best response to a known strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.measure.review.hand_review import ActionWorth, Belief, PlayedMove
from counterplay.measure.review.history_range import shown_ranges
from counterplay.poker.cards.deck import card_text, hand_text
from counterplay.poker.spots.deal import SpotState
from counterplay.poker.spots.node_report import Node
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best

_NEVER = 1e-12
"""Reach of an infoset at which the other player counts as never coming there."""


class TreePricer:
    """Values in a compiled game.

    Args:
        game: compiled.
        other: the known strategy of the other player.
        assumed: the strategy that the player is assumed to play, where their range is concerned.
        words: what `Pricer.against` and `Pricer.assumed` say.
    """

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

    def prepare(self, state: Any) -> Iterator[None]:  # noqa: ARG002 - all values are there
        return iter(())

    def beliefs(self, steps: Sequence[PlayedMove]) -> list[Belief | None]:
        rules = self._game.rules
        if not getattr(rules, "augmented", False):  # they do not say what the other sees
            return [None for step in steps if step.who == self.seat]
        return shown_ranges(rules, steps, self.seat, self._assumed.probabilities)


class SpotPricer:
    """Values in a spot of hold'em, as EV from the node on. Arguments as of `TreePricer`."""

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

    def prepare(self, state: SpotState) -> Iterator[None]:  # noqa: ARG002 - all values are there
        return iter(())

    def beliefs(self, steps: Sequence[PlayedMove]) -> list[Belief | None]:
        return [self._belief(step) for step in steps if step.who == self.seat]

    def _belief(self, step: PlayedMove) -> Belief | None:
        node, deck = self._node(self._shown, step.state), self._met.spot.deck
        odds = node.ranges[self.seat] * np.nan_to_num(node.probabilities[:, node.actions.index(step.action)])
        held = deck.hands[self._number(step.state, 1 - self.seat)]
        odds = np.where(np.isin(deck.hands, held).any(axis=1), 0.0, odds)
        total = float(odds.sum())
        if not total > 0.0:
            return None
        return {hand_text(deck.hands[k].tolist()): float(odds[k]) / total for k in np.flatnonzero(odds).tolist()}

    def _node(self, solved: SolvedSpot, state: SpotState) -> Node:
        path = solved.tree.betting.path(state.node)
        return solved.node(", ".join(filter(None, [path, *map(card_text, state.dealt)])))

    def _number(self, state: SpotState, seat: int) -> int:
        """The number in the deck of what a seat holds."""
        return int(self._met.spot.numbers[state.held[seat]])
