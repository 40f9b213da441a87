"""Adapting beyond the depth limit as a rule of the walk: the player goes on by the best of several strategies."""

from __future__ import annotations

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.poker.whole_game.values.measure import best_response_value
from counterplay.poker.whole_game.walks.make_rule import ADAPTING, LOOK_AHEAD, RuleSettings, best_response
from counterplay_papers.listed_hands import eight_cards, enumerated, random_play
from counterplay_papers.listed_hands import respond_on_all as over_all
from tests.support.whole_games import Halves, game


def test_with_the_best_response_among_the_continuations_it_is_the_best_response() -> None:
    here, play = game("turn"), random_play(game("turn"), 1)
    asked = RuleSettings(ADAPTING, continuations=(random_play(here, 5), best_response(here, play)))
    found = over_all(here, 1, play, asked)
    assert found.upper.value == pytest.approx(best_response_value(here, play, 1), abs=1e-12)


def test_with_one_continuation_it_looks_ahead_to_the_values_of_that_one() -> None:
    here, play, mine = game("turn"), random_play(game("turn"), 1), random_play(game("turn"), 5)
    found = over_all(here, 0, play, RuleSettings(ADAPTING, continuations=(mine,)))
    known = over_all(here, 0, play, RuleSettings(LOOK_AHEAD, blueprint=Halves(mine, play)))
    assert found.upper.value == pytest.approx(known.upper.value, abs=1e-12)


def test_of_several_continuations_it_is_that_of_the_listed_game() -> None:
    """There each infoset behind the limit chooses among the strategies, once the board is dealt."""
    toy = eight_cards()
    here, tree, model = toy.game, toy.tree, toy.model
    mine = [random_play(here, seed) for seed in (5, 6, 7)]
    sources = [enumerated(tree, toy.rules, here, one, 1) for one in mine]
    known = cp.respond(tree, model, "abd", p=1.0, depth="round", leaf=cp.Portfolio(([model], sources)))
    found = over_all(here, 1, toy.play, RuleSettings(ADAPTING, continuations=tuple(mine)))
    assert found.upper.value == pytest.approx(known.value_against_model, abs=1e-9)
    alone = [over_all(here, 1, toy.play, RuleSettings(ADAPTING, continuations=(one,))).upper.value for one in mine]
    assert np.ptp([*alone, found.upper.value]) > 1e-6


def test_other_rules_have_no_continuations() -> None:
    with pytest.raises(InputError, match="abd has strategies"):
        RuleSettings(ADAPTING)
    with pytest.raises(InputError, match="no other method"):
        RuleSettings(LOOK_AHEAD, continuations=(random_play(game("turn"), 1),))
