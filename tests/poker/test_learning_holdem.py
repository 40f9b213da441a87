"""Agents that learn in whole hold'em: what they are told, what they bet on, and what they play."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import exp
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, match
from counterplay.agents.learning.learning_agent import LearningAgent, Study
from counterplay.measure.match import AfterHand
from counterplay.measure.play_hand import Hand, TranslatedTable, TreePlayer, holdem_observer
from counterplay.opponents.counting.terminal_infosets import HIDDEN, SHOWDOWN, SHOWN
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.tilting.mapped_hands import draw_hands, holdings, log_likelihood
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategies.row_models import HandDraw
from tests.support.commands import Runner

GAME = "holdem:deck=20,stack=10bb,bets=fcpa,last=flop,buckets=4"
LEARN = "learn:{},prior=uniform,iterations=30"


@pytest.fixture(scope="module")
def rules() -> Any:
    return read_holdem(GAME)


def test_hands_are_drawn_as_their_players_play(rules: Any) -> None:
    """Of 3,000 hands, each player's actions before the flop at the rates of their strategies; cards as they are revealed."""
    game = rules.game
    one, two = strategy_of(game, "bias:raise=4:uniform"), strategy_of(game, "uniform")
    draw, seen = HandDraw(game, 1), list[tuple[int, int]]()
    for _ in range(3000):
        hand = draw.hand((one, two))
        assert len({*hand.holes[0], *hand.holes[1], *hand.board}) == 4 + len(hand.board)
        seen += [(at.node, at.choice) for at in hand.choices if at.player == 0 and not at.board]
    for node, _, first, count in game.sides[0].preflop.tolist():
        times = np.array([seen.count((node, k)) for k in range(count)])
        odds = one.preflop[0][first : first + count, 0]
        assert np.abs(times - odds * times.sum()).max() < 4.5 * np.sqrt(max(times.sum(), 1))
    for reveal in (SHOWN, SHOWDOWN, HIDDEN):
        drawn = draw_hands(game, one, two, 40, reveal)
        shown = [bool(hand.hole) for hand in drawn.hands]
        assert {SHOWN: all(shown), SHOWDOWN: 0 < sum(shown) < 40, HIDDEN: not any(shown)}[reveal]


def test_a_seat_is_told_the_cards_that_it_may_know(rules: Any) -> None:
    hands: list[Hand] = []
    agents = [partial(cp.agent, rules, text) for text in ("uniform", "passive")]
    match(rules, *agents, 60, 3, after=AfterHand(keep=lambda *played: hands.append(played[2])))
    for hand in hands:
        for reveal in (SHOWN, SHOWDOWN, HIDDEN):
            for seat in (0, 1):
                told = holdem_observer(rules, reveal)(hand, seat)
                down = told.line.end.kind is Kind.SHOWDOWN
                assert len(told.holes[seat]) == 2
                assert bool(told.holes[1 - seat]) == (reveal == SHOWN or (down and reveal == SHOWDOWN))
                assert told.won == hand.utility


def test_a_hidden_hand_is_as_likely_as_all_that_it_may_be(rules: Any) -> None:
    """And the bet on any model is fair: under the prior its expected factor is 1, here over all lines of a deal."""
    game = rules.game
    model, prior = strategy_of(game, "bias:raise=4:uniform"), strategy_of(game, "random:1")
    for hand in draw_hands(game, prior, model, 20, HIDDEN).hands:
        may = np.flatnonzero(holdings(game, hand)).tolist()
        shown = [replace(hand, hole=tuple(game.deck.hands[number].tolist())) for number in may]
        every = sum(exp(log_likelihood(game, model, one)) for one in shown)
        assert log_likelihood(game, model, hand) == pytest.approx(np.log(every))
    ratios = list[float]()
    for hand in draw_hands(game, prior, prior, 1500, SHOWN).hands:
        ratios.append(exp(log_likelihood(game, model, hand, 0.01) - log_likelihood(game, prior, hand, 0.01)))
    assert abs(np.mean(ratios) - 1.0) < 4.0 * np.std(ratios) / len(ratios) ** 0.5


@pytest.mark.parametrize("by", ["evidence", "fixed,method=rnr"])
def test_a_learner_answers_who_calls_and_stays_with_the_prior_against_it(rules: Any, by: str) -> None:
    made: list[LearningAgent] = []

    def sit(seat: int) -> Any:
        made.append(cp.agent(rules, LEARN.format(by), seat))  # type: ignore[arg-type]
        return made[-1]

    match(rules, sit, partial(cp.agent, rules, "passive"), 4 * Study.first, 1)
    assert all(one.trust > 0.5 for one in made)
    assert made[0].learned is not None
    calls = made[0].learned.play.preflop[1]
    first, count = rules.game.sides[1].preflop[0, 2:].tolist()
    names = rules.betting.actions(0)
    assert count == len(names)
    assert calls[first + names.index("call")].min() > 0.5  # who never did anything else
    if by == "evidence":
        made.clear()
        match(rules, sit, partial(cp.agent, rules, "uniform"), 4 * Study.first, 1)
        assert all(one.trust < 0.5 for one in made)


def test_a_learner_forgets_who_has_changed(rules: Any) -> None:
    made: list[Any] = []

    def sit(seat: int) -> Any:
        made.append(cp.agent(rules, LEARN.format("evidence"), seat))
        return made[-1]

    switch = "switch:passive;aggressive;after=80"
    match(rules, sit, partial(cp.agent, rules, switch), 240, 1)
    assert any("forgets" in line for one in made for line in one.log)


def test_learners_hear_of_hands_at_tables_with_other_sizes() -> None:
    """Both have trees of their own; hands are told in real chips, and mapped to the learner's."""
    one, two = (
        read_holdem(f"holdem:deck=20,stack=10bb,bets={bets},last=flop,buckets=4") for bets in ("fcpa", "[50%, a]")
    )
    made: list[Any] = []

    def sit(seat: int) -> TreePlayer:
        made.append(cp.agent(one, "learn:fixed,prior=uniform,iterations=5", seat))
        return TreePlayer(one, made[-1])

    match(TranslatedTable(one, two), sit, lambda seat: TreePlayer(two, cp.agent(two, "uniform", seat)), 60, 1)
    assert all(10 < agent.hands <= 30 for agent in made)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("learn:gifts", "gifts need the exact worst case"),
        ("learn:evidence,method=ses", "responds by dbr or rnr"),
        ("learn:evidence,prior=nobody", "nobody"),
        ("switch:learn:gifts;uniform;after=3", "gifts need the exact worst case"),
    ],
)
def test_what_a_whole_game_does_not_have_is_named_before_the_match(run: Runner, text: str, culprit: str) -> None:
    said = run("match", GAME, text, "uniform", "--hands", "2")
    assert (said.code, culprit in said.err) == (2, True)


def test_limit_games_and_missing_hands_are_refused(rules: Any) -> None:
    learner: Any = cp.agent(rules, LEARN.format("fixed"), 0)
    with pytest.raises(InputError, match="was told none"):
        learner.end_hand(1.0, None)
    with pytest.raises(InputError, match="iterations of learn are for whole games"):
        cp.agent("kuhn", "learn:fixed,iterations=3", 0)


def test_the_command_plays_learners(run: Runner) -> None:
    found = run("match", GAME, LEARN.format("evidence"), "passive", "--hands", "100", "--reveal", "none", "--json")
    assert found.json["hands"] == 100


def assert_told(learner: Any, hands: int, *, shown: bool) -> None:
    """A learner that has heard of all hands in which the other decided."""
    assert 0 < learner.hands <= hands
    assert any(bool(hand.hole) == shown for hand in learner.study.kept)


def test_a_record_without_cards_is_one_of_hidden_cards(rules: Any) -> None:
    learner: Any = cp.agent(rules, LEARN.format("fixed"), 0)
    hands: list[Hand] = []
    agents = [partial(cp.agent, rules, "uniform")] * 2
    match(rules, *agents, 10, 3, after=AfterHand(keep=lambda *played: hands.append(played[2])))
    for played in hands:
        told: HoldemHand = holdem_observer(rules, HIDDEN)(played, 0)
        learner.end_hand(played.utility, told)
    assert_told(learner, 10, shown=False)
