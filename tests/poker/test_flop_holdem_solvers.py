"""Solvers of Flop Hold'em against the linear program, and both kinds of sampling."""

from __future__ import annotations

from ast import literal_eval
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.ochs import cluster
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.blueprints.public_sampling import SamplingProblem
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import ModelMixture, probabilities
from counterplay.poker.whole_game.values.measure import best_response_value, measure, value
from counterplay.solvers.minimiser import DCFR, minimiser
from counterplay_papers.external_sampling import ExternalSampling
from tests.support.flop_holdem import random_play, toy


class Listed:
    """The same game written out by its rules alone, for the generic path."""

    def __init__(self, game: HoldemGame) -> None:
        self.name, self.betting, self.deck = "fhp toy", game.betting, game.deck

    def root(self) -> Any:
        return ((), (), 0)

    def player(self, state: Any) -> int:
        hands, board, node = state
        kind = int(self.betting.kind[node])
        if len(hands) < 2 or (kind == Kind.DEAL and not board):
            return 2
        return kind if kind <= Kind.PLAYER1 else 3

    def actions(self, state: Any) -> list[Any]:
        hands, _, node = state
        free = [card for card in self.deck.cards if not any(card in hand for hand in hands)]
        if len(hands) < 2:
            return list(combinations(free, 2))
        if self.betting.kind[node] == Kind.DEAL:
            return list(combinations(free, 3))
        return self.betting.children(node)

    def chance(self, state: Any) -> list[float]:
        return [1 / len(self.actions(state))] * len(self.actions(state))

    def child(self, state: Any, action: Any) -> Any:
        hands, board, node = state
        if len(hands) < 2:
            return ((*hands, action), board, node)
        if self.betting.kind[node] == Kind.DEAL:
            return (hands, action, self.betting.children(node)[0])
        return (hands, board, action)

    def infoset(self, state: Any, player: int) -> str:
        hands, board, node = state
        return f"{hands[player]};{board};{node}"

    def utility(self, state: Any) -> float:
        hands, board, node = state
        kind, betting = int(self.betting.kind[node]), self.betting
        if kind != Kind.SHOWDOWN:
            return float(betting.lose[node] if kind == Kind.FOLD0 else betting.win[node])
        ranks = hand_ranks(board, np.array(hands), deck=self.deck)
        return float((betting.tie, betting.win, betting.lose)[int(np.sign(ranks[0] - ranks[1]))][node])


def test_the_lossless_solve_comes_to_the_value_of_the_linear_program() -> None:
    game = toy("7 cards", 1)
    exact = cp.solve(cp.load(Listed(game), say=lambda _: None), solver="lp")
    solver = VectorCFR(game, lossless(game.boards), DCFR)
    solver.sweep(200)
    found = measure(game, solver.average())
    assert found.exploitability < 1.0
    assert -found.best[1] - 1e-9 <= exact.value <= found.best[0] + 1e-9


@pytest.mark.parametrize("player", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_restricted_nash_responses_are_those_of_the_linear_program(player: int) -> None:
    game, p = toy("7 cards", 1), 0.4
    listed, model = cp.load(Listed(game), say=lambda _: None), random_play(game, 3)

    def played(infoset: str, actions: tuple[str, ...]) -> dict[str, float]:
        hand, board, node = (literal_eval(part) for part in infoset.split(";"))
        row = probabilities(game, model, node, board)[:, game.deck.hand(*hand)]
        return dict(zip(actions, row.tolist(), strict=True))

    exact = cp.respond(listed, cp.opponent(listed, played, player=player), method="rnr", p=p, solver="lp")
    solver = VectorCFR(game, lossless(game.boards), DCFR, trust=ModelMixture(player, model, p))
    solver.sweep(200)
    ours = solver.average()
    both = (model, ours) if player == 0 else (ours, model)
    gain = value(game, *both) * (1 if player else -1)
    worst = -best_response_value(game, ours, player)
    known = p * exact.value_against_model + (1 - p) * (exact.game_value - exact.exploitability)
    assert p * gain + (1 - p) * worst == pytest.approx(known, abs=2e-3)


@pytest.mark.parametrize("method", [pytest.param("cfr", marks=pytest.mark.slow), "cfr+", "dcfr"])
def test_the_lossless_solve_converges(method: str) -> None:
    game = toy("3 ranks, 3 suits")
    solver = VectorCFR(game, lossless(game.boards), minimiser(method), threads=2 if method == "dcfr" else 1)
    found = []
    for _ in range(3):
        solver.sweep(60)
        found.append(measure(game, solver.average()).exploitability)
    assert found[0] > found[1] > found[2]
    assert found[2] < {"cfr": 40, "cfr+": 5, "dcfr": 5}[method]


def test_both_kinds_of_sampling_converge() -> None:
    game = toy("3 ranks, 3 suits")
    drawn, outside = (
        VectorCFR(game, lossless(game.boards)),
        ExternalSampling(SamplingProblem(game, lossless(game.boards), seed=1)),
    )
    random, found = np.random.default_rng(0), []
    for _ in range(2):
        drawn.sample(1000, random, flops=2)
        outside.sample(300_000)
        found.append([measure(game, solver.average()).exploitability for solver in (drawn, outside)])
    assert found[1][0] < found[0][0] < 60
    assert found[1][1] < found[0][1] < 60


def test_sampling_is_reproducible() -> None:
    game = toy("3 ranks, 3 suits")
    buckets = cluster(game.boards, 5, groups=2)
    found = []
    for cuts in ((3000,), (1000, 2000)):
        solver = ExternalSampling(SamplingProblem(game, buckets, seed=7))
        for count in cuts:
            solver.sample(count)
        found.append(solver.average().tables[0][0][0])
    np.testing.assert_array_equal(*found)
