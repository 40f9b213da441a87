"""Agents that learn in spots: habits move the model and its response, and nothing of the deal is learned."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, match
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.learning.learning_agent import LearningAgent, TrustByEvidence
from counterplay.agents.learning.studies import SpotStudy
from counterplay.measure.play_hand import play_hand, spot_observer
from counterplay.opponents.counting.terminal_infosets import HIDDEN, SHOWDOWN, SHOWN
from counterplay.responses.matchup import Matchup
from tests.support.spots import river

NAIVE = "uniform"


@cache
def learned(by: str, against: str, hands: int = 200) -> tuple[LearningAgent, PlayableGame]:
    """An agent in seat 0 of the river after hands against an opponent."""
    ground = PlayableGame(river())
    one, two = cp.agent(ground, f"learn:{by}", 0), cp.agent(ground, against, 1)
    assert isinstance(one, LearningAgent)
    told, chance = spot_observer(one.learns_in), random.Random(4)
    for _ in range(hands):
        play_hand(ground.rules, (one, two), chance, told)
    return one, ground


def counts(learner: LearningAgent) -> dict[str, tuple[int, int]]:
    """How often the actions of each class were taken, and of how many."""
    assert isinstance(learner.study, SpotStudy)
    return learner.study.counted


@pytest.mark.parametrize("by", ["fixed,p=0.8", "fixed,p=0.8,method=rnr", "evidence"])
def test_a_habit_is_learned_and_answered(by: str) -> None:
    one, ground = learned(by, NAIVE)
    game, truth = ground.spot, cp.opponent(ground.spot, NAIVE, 1)
    counted = counts(one)
    folds = [name for name in counted if name.endswith(": folds")]
    assert sum(counted[name][1] for name in folds) > 20
    assert one.learned is not None
    assert one.trust > 0.0
    pair = Matchup(game, truth)
    assert pair.value_against_model(one.strategy.plan) > pair.game_value + 1e-3


def test_what_is_no_habit_stays_as_it_was() -> None:
    """The model deals and acts as the solution does wherever no frequency left its interval."""
    one, ground = learned("fixed,p=0.8", NAIVE)
    assert one.learned is not None
    tree = one.learns_in.tree
    prior, runs = cp.opponent(ground.spot, "nash", 1), tree.runs[1]
    decided = np.zeros(len(prior.behaviour), bool)
    for node in range(tree.betting.nodes):
        if tree.betting.kind[node] == 1:
            for child in tree.betting.children(node):
                decided[int(runs.start[child]) + np.arange(tree.boards.layers[0].places)] = True
    assert one.learned.behaviour[~decided] == pytest.approx(prior.behaviour[~decided], abs=1e-12)
    assert np.abs(one.learned.behaviour - prior.behaviour).max() > 0.1


def test_evidence_does_not_trust_a_model_of_an_equilibrium() -> None:
    one, _ = learned("evidence", "nash")
    assert isinstance(one.governor, TrustByEvidence)
    assert one.governor.wealth.trust < 0.95  # at most one in twenty of such matches has more, at any time
    assert sum(n for _, n in counts(one).values()) > 0


def test_hidden_hands_are_not_told() -> None:
    ground = PlayableGame(river())
    table = cp.agent(ground, "nash", 0), cp.agent(ground, "uniform", 1)
    game, chance = ground.spot, random.Random(1)
    hands = [play_hand(ground.rules, table, chance) for _ in range(30)]
    assert {hand.moves[-1][1] == "fold" for hand in hands} == {True, False}
    for hand in hands:
        shown = {reveal: spot_observer(game, reveal)(hand, 0) for reveal in (SHOWN, SHOWDOWN, HIDDEN)}
        assert shown[SHOWN] == hand.moves
        assert shown[HIDDEN][1] == (hand.moves[1][0], None)
        assert shown[SHOWDOWN] == (shown[HIDDEN] if hand.moves[-1][1] == "fold" else hand.moves)
        assert all(one[0] == hand.moves[0] and one[2:] == hand.moves[2:] for one in shown.values())


def test_a_match_lets_it_learn() -> None:
    ground = PlayableGame(river())
    made = []

    def sit(seat: int) -> object:
        made.append(cp.agent(ground, "learn:fixed,p=0.5", seat))
        return made[-1]

    match(ground.spot, sit, lambda seat: cp.agent(ground, "switch:nash;uniform;after=25", seat), 100)
    assert all(one.hands == 50 and one.learned is not None for one in made)


@pytest.mark.parametrize(
    "text",
    ["learn:gifts,method=ses", "learn:fixed,method=ses", "learn:fixed,iterations=9", "learn:fixed,prior=uniform"],
)
def test_what_spots_do_not_have_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"in a spot learn"):
        cp.agent(river(), text, 0)
