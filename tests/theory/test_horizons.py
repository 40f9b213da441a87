"""A plan scope down to a horizon is the explicit game of two copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import Restriction
from tests.support import witness
from tests.support.random_games import MatchUp, match_ups
from tests.support.theorems import FEW, slack


class Horizon(witness.TwoCopies):
    """The explicit game of a model that is followed only at some infosets.

    In the model's copy chance draws the opponent's actions where the model is followed; below the opponent acts, and knows
    which copy it is.
    """

    def __init__(self, game: Any, opponent: int, model: witness.Table, p: float, followed: set[str]) -> None:
        super().__init__(game, opponent, model, p)
        self.followed = followed

    def _by_model(self, state: Any) -> bool:
        inner = state[1]
        mine = state[0] and self.game.player(inner) == self.opponent
        return bool(mine and self.game.infoset(inner, self.opponent) in self.followed)

    def player(self, state: Any) -> int:
        return cp.CHANCE if state is None or self._by_model(state) else self.game.player(state[1])

    def infoset(self, state: Any, player: int) -> str:
        text = self.game.infoset(state[1], player)
        return f"{text} in copy {state[0]}" if player == self.opponent else text


def above_a_horizon(tree: Any, seed: int, odds: float) -> np.ndarray:
    """(lanes,) random infosets, each with all the player's own infosets before it."""
    rng, followed = np.random.default_rng(seed), np.zeros(tree.lanes, np.bool_)
    for lane in tree.visit_order.tolist():
        before = int(tree.owner[tree.arrays.parent[lane]])
        followed[lane] = (before < 0 or followed[before]) and rng.random() < odds
    return followed


@FEW
@given(match_ups(), st.integers(0, 10**6), st.sampled_from((0.3, 0.7, 0.9)), st.sampled_from((0.1, 0.4, 0.8)))
def test_a_horizon_is_the_explicit_game_of_two_copies(match: MatchUp, seed: int, odds: float, p: float) -> None:
    """Following the model down to a horizon is a game of two copies in which the opponent of both acts below it."""
    game, seat, tree = match.game, match.seat, match.model.tree
    followed = above_a_horizon(tree, seed, odds)
    labels = tree.labels
    names = {text for text, lane in zip(labels.infosets, labels.lanes, strict=True) if lane < 0 or followed[lane]}
    exact = witness.value(Horizon(match.rules, 1 - seat, match.table, p, names), seat)
    problem = game.subgame.restricted(1 - seat, Restriction.until(tree, match.model.behaviour, p, followed))
    sign = 1.0 if seat == 0 else -1.0
    solution = solve_lp(problem, seat)
    assert sign * solution.value == pytest.approx(exact, abs=slack(game))
    iterated = solve_cfr(problem, minimiser("cfr+"), cp.Stop(1e-4 * game.span, 20_000))
    assert abs(sign * iterated.value - exact) <= iterated.nash_conv + slack(game)
    assert iterated.nash_conv <= 1e-3 * game.span


@FEW
@given(match_ups(), st.integers(0, 10**6), st.sampled_from((0.2, 0.6)))
def test_the_value_falls_the_earlier_the_model_is_left(match: MatchUp, seed: int, p: float) -> None:
    """From everywhere (RNR) over a horizon to nowhere (an equilibrium) the responder can only lose."""
    game, seat, tree = match.game, match.seat, match.model.tree
    some = above_a_horizon(tree, seed, 0.6)
    values = []
    for followed in (np.ones(tree.lanes, np.bool_), some, np.zeros(tree.lanes, np.bool_)):
        bound = Restriction.until(tree, match.model.behaviour, p, followed)
        values.append((1.0 if seat == 0 else -1.0) * solve_lp(game.subgame.restricted(1 - seat, bound), seat).value)
    assert values[0] == pytest.approx(witness.restricted_value(match.rules, seat, match.table, p), abs=slack(game))
    assert values[0] >= values[1] - slack(game)
    assert values[1] >= values[2] - slack(game)
    assert values[2] == pytest.approx(witness.value(match.rules, seat), abs=slack(game))


@FEW
@given(match_ups(), st.integers(0, 10**6))
def test_what_is_played_behind_a_horizon_is_two_plans_in_one(match: MatchUp, seed: int) -> None:
    """The played plan is p times the model's with everybody's choices below it, plus 1-p times everybody's."""
    tree, p = match.model.tree, 0.35
    followed = above_a_horizon(tree, seed, 0.6)
    everybody = cp.opponent(match.game, f"random:{seed % 97}", player=1 - match.seat)
    bound = Restriction.until(tree, match.model.behaviour, p, followed)
    inside = np.concatenate([followed, [False]])[tree.owner]
    copy = cp.Strategy(tree, np.where(inside, match.model.behaviour, everybody.behaviour))
    np.testing.assert_allclose(
        bound.played(tree, everybody.behaviour), p * copy.plan + (1.0 - p) * everybody.plan, atol=1e-12
    )
