"""Copies and pickles of what the library returns: equal to the original, and accepted in its place."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import counterplay as cp
from counterplay import InputError

COPIES: tuple[Callable[[Any], Any], ...] = (copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing)))


@pytest.mark.parametrize("copied", COPIES)
def test_copies_of_game_and_strategies_do_as_the_originals(copied: Callable[[Any], Any]) -> None:
    game = cp.load("kuhn")
    model = cp.opponent(game, "random:3", player=1)
    answer = cp.respond(game, model, cp.Safe(0.05))
    for here in (game, copied(game)):
        again = cp.respond(here, copied(model), cp.Safe(0.05))
        assert (again.gain, again.exploitability) == (answer.gain, answer.exploitability)
        found = cp.evaluate(here, copied(answer).strategy, copied(model))
        assert found.value_against_model == cp.evaluate(game, answer.strategy, model).value_against_model
    assert copied(cp.solve(game)).strategies[0].table() == cp.solve(game).strategies[0].table()
    posterior = cp.Counts(game, 1).posterior(samples=2, prior="uniform", weight=10)
    assert copied(posterior).gain(copied(answer).strategy) == posterior.gain(answer.strategy)


def test_a_strategy_of_another_game_is_refused_though_its_infosets_are_the_same() -> None:
    """The rules of Goofspiel by win or loss have the decisions of those by points."""
    points, wins = cp.load("goofspiel:3"), cp.load("goofspiel:3,win")
    assert points.trees[1].same_as(wins.trees[1])
    model = pickle.loads(pickle.dumps(cp.opponent(wins, "nash", player=1)))
    with pytest.raises(InputError, match="of another game than goofspiel:3"):
        cp.respond(points, model, "br")
