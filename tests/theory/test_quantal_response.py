"""The logit response beside two witnesses: a game by hand, and its definition over the rules of random games."""

from __future__ import annotations

from math import exp, tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import CHANCE, TERMINAL
from counterplay.opponents.reference_players import logit_response
from tests.support.random_games import MatchUp, Node, RandomGame, match_ups
from tests.support.theorems import FEW, GameOf

Tables = dict[str, dict[str, float]]


class TwoDeals(RandomGame):
    """Player 0 sees which of two deals comes, of probability 1/4 and 3/4, and stops or goes on; player 1, who sees only that
    they go on, helps with probability 1/5. After the first deal player 0 who is not helped decides once more."""

    def __init__(self) -> None:
        self.name = "two deals"

        def end(chips: float) -> Node:
            return Node(TERMINAL, ("", ""), utility=chips)

        again = Node(0, ("first, not helped", "seen"), ("good", "bad"), (), (end(1.0), end(-1.0)))
        first = Node(1, ("first, on", "on"), ("help", "not"), (), (end(0.0), again))
        second = Node(1, ("second, on", "on"), ("help", "not"), (), (end(5.0), end(0.0)))
        dealt = (
            Node(0, ("first", "dealt"), ("stop", "on"), (), (end(0.5), first)),
            Node(0, ("second", "dealt"), ("stop", "on"), (), (end(0.0), second)),
        )
        self.tree = Node(CHANCE, ("start", "start"), ("first", "second"), (0.25, 0.75), dealt)


@pytest.mark.parametrize("precision", [0.3, 0.7, 2.0])
def test_a_game_by_hand(precision: float) -> None:
    """A deal's probability is none of the player's business: who is dealt the rare hand knows that it is dealt."""
    game = cp.load(TwoDeals())
    other = cp.opponent(game, lambda _: {"help": 0.2, "not": 0.8}, player=1)
    found = cp.Strategy(game.trees[0], logit_response(game, 0, other, precision))

    def takes(chips: float, instead: float) -> float:
        return exp(precision * chips) / (exp(precision * chips) + exp(precision * instead))

    later = tanh(precision)  # of 1 and -1, each by its odds
    assert found.probabilities("first, not helped")["good"] == pytest.approx(takes(1.0, -1.0))
    assert found.probabilities("first")["on"] == pytest.approx(takes(0.8 * later, 0.5))
    assert found.probabilities("second")["on"] == pytest.approx(takes(1.0, 0.0))


def chips_by_action(rules: Any, player: int, tables: tuple[Tables, Tables]) -> dict[str, dict[str, float]]:
    """For each infoset of a player and each action the expected chips where chance and the other player come there, and the
    player goes on by the tables; infosets where they never come are left out."""
    sums: dict[str, dict[str, float]] = {}
    weights: dict[str, float] = {}

    def value(state: Any, reach: float) -> float:
        """Chips of the player from here on; reach: of chance and the other player."""
        who = rules.player(state)
        if who == TERMINAL:
            return float(rules.utility(state)) * (1.0 if player == 0 else -1.0)
        actions = rules.actions(state)
        if who == CHANCE:
            odds = [float(share) for share in rules.chance(state)]
        else:
            names = [cp.games.action_name(rules, state, action) for action in actions]
            infoset = rules.infoset(state, who)
            odds = [tables[who][infoset][name] if len(names) > 1 else 1.0 for name in names]
        below = [
            value(rules.child(state, action), reach if who == player else reach * share)
            for action, share in zip(actions, odds, strict=True)
        ]
        if who == player and len(actions) > 1:
            here = sums.setdefault(infoset, dict.fromkeys(names, 0.0))
            weights[infoset] = weights.get(infoset, 0.0) + reach
            for name, chips in zip(names, below, strict=True):
                here[name] += reach * chips
        return sum(share * chips for share, chips in zip(odds, below, strict=True))

    value(rules.root(), 1.0)
    return {
        infoset: {name: chips / weights[infoset] for name, chips in here.items()}
        for infoset, here in sums.items()
        if weights[infoset] > 1e-12
    }


def check_fixed_point(game: cp.GameTree, player: int, other: cp.Strategy, precision: float) -> None:
    """Every action is played in proportion to exp(precision x its chips, given that its infoset is reached)."""
    found = cp.Strategy(game.trees[player], logit_response(game, player, other, precision))
    tables = (found.table(), other.table()) if player == 0 else (other.table(), found.table())
    for infoset, chips in chips_by_action(game.rules, player, tables).items():
        odds = np.exp(precision * (np.array(list(chips.values())) - max(chips.values())))
        expected = dict(zip(chips, odds / odds.sum(), strict=True))
        assert tables[player][infoset] == pytest.approx(expected, abs=1e-9), infoset


@FEW
@given(match_ups(), st.floats(0.05, 3.0))
def test_it_is_the_fixed_point_of_its_definition_in_random_games(match: MatchUp, precision: float) -> None:
    check_fixed_point(match.game, match.seat, match.model, precision)


@pytest.mark.parametrize("seat", [0, 1])
def test_it_is_the_fixed_point_of_its_definition_in_kuhn_poker(game_of: GameOf, seat: int) -> None:
    game = game_of("kuhn")
    check_fixed_point(game, seat, cp.opponent(game, "random:4", player=1 - seat), 1.5)
