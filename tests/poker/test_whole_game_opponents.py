"""Opponents of every text in whole games of hold'em: the enumerated game is the second witness."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.betting.rules import holdem
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import reaches, uniform
from counterplay.poker.whole_game.values.measure import best_response_value, measure
from counterplay.solvers.best_response import best_response as respond_to
from counterplay.treeplex.sweeps import ENOUGH
from counterplay_papers.listed_hands import EIGHT, enumerated

RULES = Holdem(holdem(4, blinds=(1, 2), last="flop"), "a", EIGHT, "toy")
TEXTS = (
    "random:3", "random:3,0.2", "nash", "cfr:10", "dcfr:5,current", "cfr+:0", "noise:0.3:br:uniform",
    "noise:0.3:random:3", "observed:200:nash", "bias:all-in=3:noise:0.2:random:1", "br:observed:50,2:uniform",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def quick_blueprints() -> None:
    """None: bounds here are of a blueprint of the usual iterations."""


@cache
def game() -> HoldemGame:
    return holdem_game(RULES.limits, RULES.sizes, deck=EIGHT, dtype=np.float64)


@cache
def listed() -> Any:
    return cp.load(RULES, say=lambda _: None)


@pytest.mark.parametrize("text", TEXTS)
def test_every_opponent_is_a_strategy_that_the_listed_game_measures_alike(text: str) -> None:
    play, tree = strategy_of(game(), text), listed()
    for player in (0, 1):
        theirs = enumerated(tree, RULES, game(), play, 1 - player)
        known = respond_to(tree.subgame, player, theirs.plan).value
        assert best_response_value(game(), play, player) == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("text", ["cfr:2", "cfr:1,current", "cfr+:2", "dcfr:2"])
def test_iterations_are_those_of_the_listed_game(text: str) -> None:
    """As long as no two actions are worth the same but for rounding, which later settle on one or the other."""
    play, tree = strategy_of(game(), text), listed()
    for player in (0, 1):
        mine = enumerated(tree, RULES, game(), play, player)
        np.testing.assert_allclose(mine.plan, cp.opponent(tree, text, player).plan, atol=1e-9)


def test_noise_is_the_mixture_row_by_row_whatever_it_is_added_to() -> None:
    base, plain = strategy_of(game(), "br:random:2"), uniform(game())
    mixed, board = strategy_of(game(), "noise:0.25:br:random:2"), game().boards.after(game().boards.root)[3]
    for player in (0, 1):
        rows = game().sides[player].decisions[1]
        first = int(rows[0, 2])
        tables = [play.on(player, board) for play in (mixed, base, plain)]
        whole = [table[first:][:, lane] for table, lane in tables]
        np.testing.assert_allclose(whole[0], 0.75 * whole[1] + 0.25 * whole[2], atol=1e-12)


def test_observed_hands_are_drawn_from_the_strategy_and_counted() -> None:
    """Each row comes as often as the deal and both players bring it; what is seen often enough is trusted in full."""
    hands, base = 1500, strategy_of(game(), "random:5")
    seen: Any = strategy_of(game(), f"observed:{hands},1:random:5")
    player, side = 1, game().sides[1]
    node, _, first, count = side.preflop[0].tolist()
    assert node == 0, "the button acts first"
    share = game().boards.sizes / game().boards.sizes.sum()
    visits = seen.counts.preflop[player][first]
    assert visits.sum() == hands
    assert np.abs(visits - hands * share).max() < 5.0 * np.sqrt(hands * share.max())
    wrong = seen.preflop[player][first : first + count] - base.preflop[player][first : first + count]
    assert np.abs(wrong).max() < 5.0 * np.sqrt(0.25 / visits.min())
    board = game().boards.after(game().boards.root)[0]
    known, rows = seen.known_on(player, board), side.decisions[1][0, 2]
    np.testing.assert_array_equal(known[rows], np.minimum(1.0, seen.counts.on(player, board)[0][rows] / ENOUGH))
    assert reaches(side, seen.preflop[player]).min() >= 0.0
    again: Any = strategy_of(game(), f"observed:{hands},1:random:5", seed=9)
    np.testing.assert_array_equal(again.preflop[player], seen.preflop[player])


def test_few_observations_are_trusted_less() -> None:
    """A data-biased response to a model of few hands risks less than the one to the strategy itself."""
    whole, few = (cp.opponent(RULES, text, player=0) for text in ("random:7,0.3", "observed:30,1:random:7,0.3"))
    risks = [cp.respond(RULES, one, cp.DBR(0.9), stop=cp.Stop(iterations=120)).exploitability for one in (whole, few)]
    assert risks[1] < risks[0]


def test_nash_is_the_blueprint_from_which_risk_is_counted() -> None:
    """Its exploitability is at most what best responders win from both of its seats, since the value is not known."""
    model = cp.opponent(RULES, "nash", player=0)
    both = measure(RULES.game, model.play).nash_conv
    assert both < 0.1
    found = cp.evaluate(RULES, cp.opponent(RULES, "nash", player=1))
    assert found.risk == pytest.approx(0.0, abs=1e-6)
    assert found.exploitability == pytest.approx(both, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("pcfr+:5", "not by pcfr"),
        ("cfr:5,simultaneous", "alternating moves"),
        ("s1", "no opponent 's1'"),
        ("noise:0.1:s1", "no opponent 's1'"),
        ("even", "no opponent 'even'"),
    ],
)
def test_what_whole_games_do_not_have_is_named(text: str, culprit: str) -> None:
    with pytest.raises(InputError, match=culprit):
        strategy_of(game(), text)


def test_iterations_over_all_boards_of_a_full_deck_are_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"iterates over all boards, .* write blueprint:iterations=10, or nash"):
        cp.opponent(cp.load("holdem:stack=200bb,bets=fcpa"), "cfr+:10")
