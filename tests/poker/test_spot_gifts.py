"""Gifts in spots: never more than what the opponent gives, so that no expected total falls below that of an equilibrium."""

from __future__ import annotations

import random

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.learning.learning_agent import LearningAgent, RiskByGifts
from counterplay.agents.learning.studies import SpotGiftBounds
from counterplay.agents.records import CREDITS, MEAN, SURE
from counterplay.agents.worlds.spot import SpotAgent
from counterplay.measure.play_hand import play_hand, spot_observer
from counterplay.opponents.counting.terminal_infosets import REVEALS, SHOWN
from counterplay.poker.betting.state import Kind
from counterplay.poker.spots.solution import met_at, reach_at
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.solvers.best_response import best_response
from tests.support.covering import covering
from tests.support.spots import river, turn_spot


def game_of(spot: cp.Spot) -> SpotGame:
    """The game of a spot."""
    game = PlayableGame(spot).spot
    assert game is not None
    return game


def pair_of(game: SpotGame, ours: int, theirs: int) -> tuple[cp.Strategy, cp.Strategy]:
    """Random strategies of oop and ip, dealt their ranges."""
    return cp.opponent(game, f"random:{ours}", 0), cp.opponent(game, f"random:{theirs}", 1)


def worth(game: SpotGame, played: cp.Strategy, other: cp.Strategy) -> float:
    """Net chips of the player of `played`."""
    return float(game.payoff.product(played.player, other.plan) @ played.plan)


@pytest.mark.parametrize(
    ("how", "reveal"),
    covering([(0, "random", SURE), (1, "nemesis", SURE), (1, "switch", SURE), (0, "nemesis", MEAN)], REVEALS),
)
def test_the_expected_total_is_never_below_that_of_an_equilibrium(how: tuple[int, str, str], reveal: str) -> None:
    """Against any opponent, after every hand: the exact expectations of the strategies that were played, each against what
    the opponent played in this hand, add up to at least hands x value and the budget, which is never below 0. With the
    credit `mean` a best responder's budget stays 0. Ganzfried and Sandholm 2015."""
    (seat, kind, credit), ground, rng = how, PlayableGame(river()), random.Random(7)
    learner = cp.agent(ground, f"learn:gifts,credit={credit}", seat)
    assert isinstance(learner, LearningAgent)
    assert isinstance(learner.governor, RiskByGifts)
    game, told, total, risked = learner.learns_in, spot_observer(learner.learns_in, reveal), 0.0, 0.0
    value = cp.evaluate(game, cp.opponent(game, "nash", seat)).game_value
    for hand in range(50):
        played, other = learner.strategy, cp.opponent(game, f"random:{rng.randrange(5)},0.0001", 1 - seat)
        if kind == "nemesis" or (kind == "switch" and hand >= 30):
            plan = best_response(game.subgame, 1 - seat, played.plan).behaviour
            other = game.dealt(cp.Strategy(other.tree, plan))
        total += worth(game, played, other) - value
        risked = max(risked, learner.trust)
        both = (learner, SpotAgent(game, other, hand))
        play_hand(ground.rules, both if seat == 0 else both[::-1], rng, told)
        assert total >= learner.governor.budget - 1e-6 * (hand + 1)
        assert learner.governor.budget >= -1e-6 * (hand + 1)
    assert risked == 0.0 if kind == "nemesis" else (risked > 0.0 or reveal != SHOWN)
    assert kind == "nemesis" or learner.governor.budget > 1e-3 or reveal != SHOWN


@pytest.mark.parametrize("spot", [river(), turn_spot()])
@pytest.mark.parametrize(("ours", "theirs"), [(1, 2), (3, 4)])
def test_gifts_on_average_are_what_any_opponent_gives(spot: cp.Spot, ours: int, theirs: int) -> None:
    """Exactly over all deals, boards and lines, by the masses of reach: equal where the cards are shown."""
    game = game_of(spot)
    played, other = pair_of(game, ours, theirs)
    bounds, solved = SpotGiftBounds(game, played, MEAN), game.with_strategies(played, other)
    betting, mass, credit = game.tree.betting, 0.0, 0.0
    for node in np.flatnonzero(betting.kind > Kind.DEAL).tolist():
        odds = reach_at(solved, 1, node) * met_at(solved, 1, node)
        mass += float(odds.sum())
        credit += float(odds @ bounds.losses[game.tree.sequences_to(1, node)])
    assert mass == pytest.approx(1.0)
    assert credit == pytest.approx(worth(game, played, other) - bounds.worst_case, abs=1e-6)


@pytest.mark.parametrize("credit", CREDITS)
def test_the_worst_case_is_that_of_a_best_response(credit: str) -> None:
    game = game_of(river())
    played, _ = pair_of(game, 5, 6)
    found = SpotGiftBounds(game, played, credit)
    assert found.worst_case == pytest.approx(cp.evaluate(game, played).worst_case, abs=1e-9)
    assert found.losses.min() >= -1e-9


def test_no_larger_gift_would_be_sure() -> None:
    """Whoever plays an action with a hand whenever there, and best elsewhere, gives exactly the loss of that sequence."""
    game = game_of(river())
    played, _ = pair_of(game, 1, 2)
    bounds, tree = SpotGiftBounds(game, played, SURE), game.trees[1]
    best = game.dealt(cp.Strategy(tree, best_response(game.subgame, 1, played.plan).behaviour)).behaviour
    checked = 0
    for sequence in np.flatnonzero(bounds.losses > 1e-6)[::7].tolist():
        behaviour, at = best.copy(), sequence
        while at >= game.tree.runs[1].first_after_deal:
            lane = int(tree.owner[at])
            behaviour[tree.owner == lane] = 0.0
            behaviour[at] = 1.0
            at = int(tree.arrays.parent[lane])
        given = worth(game, played, cp.Strategy(tree, behaviour)) - bounds.worst_case
        assert given == pytest.approx(bounds.losses[sequence], abs=1e-7)
        checked += 1
    assert checked > 10


def test_gifts_on_average_allow_more_sooner() -> None:
    ground, budgets = PlayableGame(river()), []
    for credit in CREDITS:
        learner = cp.agent(ground, f"learn:gifts,credit={credit}", 0)
        assert isinstance(learner, LearningAgent)
        chance, other = random.Random(3), cp.agent(ground, "uniform", 1)
        for _ in range(60):
            play_hand(ground.rules, (learner, other), chance, spot_observer(learner.learns_in, SHOWN))
        assert isinstance(learner.governor, RiskByGifts)
        budgets.append(learner.governor.budget)
    assert budgets[1] > 2.0 * budgets[0] > 0.0


def test_a_rake_gives_no_gifts() -> None:
    with pytest.raises(InputError, match="takes no gifts"):
        cp.agent(river(rake=0.05), "learn:gifts", 0)
