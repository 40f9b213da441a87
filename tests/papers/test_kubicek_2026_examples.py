"""The worked examples of Kubíček et al. 2026: figures 1, 5, 8 and 11, with the values that they print."""

from __future__ import annotations

import itertools

import pytest

import counterplay as cp
from counterplay import LookAhead
from counterplay.blueprints.resolved_blueprint import ResolveSettings
from counterplay.games.examples import ChanceNode, DecisionNode, TreeGame
from counterplay.solvers.best_response import best_response
from counterplay.solvers.lp import solve_lp
from tests.support.blueprint_spots import example, of, pieces_of, two_states, weights_of
from tests.support.gadget_games import (
    alternative_values,
    gadget_game_of,
)
from tests.support.subgame_rules import matched
from tests.support.theorems import GameOf


@pytest.mark.parametrize(("solver", "share"), [("lp", 1e-9), ("cfr+", 3e-3)])
@pytest.mark.parametrize(
    ("figure", "gadget", "after"),
    [
        (5, "resolving", 0.0),
        (5, "max-margin", 0.0),
        (11, "resolving", 0.0),
        (11, "max-margin", 1 / 18),
        (8, "resolving", 1.0),
        (8, "max-margin", 1.0),
        (1, "max-margin", 0.25),
    ],
)
def test_the_examples_of_the_paper(
    game_of: GameOf, figure: int, gadget: str, after: float, solver: str, share: float
) -> None:
    """With a uniform prior; exactly by linear program, nearly by CFR+ with the paper's tremble and iterations."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    found = cp.resolve(game, mine, at, gadget=gadget, prior="uniform", solver=solver)
    assert found.after == pytest.approx(after, abs=share)
    assert found.after == pytest.approx(cp.evaluate(game, found.strategy).exploitability, abs=1e-9)
    assert found.states == 1
    assert found.before == pytest.approx({5: 4 / 9, 11: 2 / 3, 8: 1.0, 1: 1.0}[figure], abs=1e-9)


@pytest.mark.parametrize("gadget", ["resolving", "max-margin"])
def test_figure_5_needs_the_prior(game_of: GameOf, gadget: str) -> None:
    """Without a prior CFR+ always plays heads in state 1, which is not reached: 1/9; blueprint prior as good as uniform."""
    game = game_of("ggse_fig5")
    mine, at = example(game, 5)
    plain = cp.resolve(game, mine, at, gadget=gadget)
    assert plain.after == pytest.approx(1 / 9, abs=1e-6)
    with_prior = cp.resolve(game, (mine, cp.opponent(game, "uniform", 1)), at, gadget=gadget, prior="blueprint")
    assert with_prior.after < 1e-3
    exact = cp.resolve(game, mine, at, gadget=gadget, prior="uniform", solver="lp").strategy
    assert exact.probabilities("state 1")["H"] == pytest.approx(2 / 3, abs=1e-9)
    assert exact.probabilities("state 2 or 3")["H"] == pytest.approx(1 / 2, abs=1e-9)


@pytest.mark.parametrize("solver", ["lp", "cfr+"])
def test_figure_1(game_of: GameOf, solver: str) -> None:
    """Max-margin has one solution, (0, 3/4, 1/4); resolving none that is worse than half with a prior, and never plays F."""
    game = game_of("ggse_fig1")
    mine, at = example(game, 1)
    margin = cp.resolve(game, mine, at, gadget="max-margin", solver=solver).strategy.probabilities("guess")
    assert list(margin.values()) == pytest.approx([0.0, 0.75, 0.25], abs=1e-9 if solver == "lp" else 1e-3)
    for prior in ("none", "uniform"):
        found = cp.resolve(game, mine, at, gadget="resolving", prior=prior, solver=solver)
        assert found.after <= (1.0 if prior == "none" else 0.5) + 2e-3
    assert found.strategy.probabilities("guess")["F"] <= 1e-3


@pytest.mark.parametrize(("figure", "printed"), [(5, (1 / 4, 1 / 2)), (11, (1 / 8, 1 / 4))])
def test_printed_alternative_values(game_of: GameOf, figure: int, printed: tuple[float, float]) -> None:
    """Figures 6 and 12 print them given that the opponent is there; ours are times the reach, 2/3 and 1/3."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    (piece,) = pieces_of(game, 0, at)
    assert piece.names() == ["state 1 or 2", "state 3"]
    weight = weights_of(piece, mine)
    assert weight.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert (-alternative_values(piece, mine) / weight).tolist() == pytest.approx(list(printed), abs=1e-12)


FIGURES = {
    5: {"1": ((7, 3), (-1, 7)), "2": ((3, -1), (-1, 3)), "3": ((2, -2), (-2, 2)), "unit": 4},
    11: {"1": ((15, -1), (-1, 7)), "2": ((7, -1), (-1, 23)), "3": ((6, -2), (-2, 6)), "unit": 8},
}
"""Payoffs that figures 7 and 13 print, rows P1's H and T."""


def drawn_out(figure: int) -> TreeGame:
    """The max-margin game of figures 7 and 13: the opponent picks the infoset, chance the state in it."""
    numbers, unit = FIGURES[figure], float(FIGURES[figure]["unit"])

    def state(name: str) -> DecisionNode:
        known = "state 1" if name == "1" else "state 2 or 3"
        there = "state 3" if name == "3" else "state 1 or 2"
        rows = [dict(zip("HT", (n / unit for n in row), strict=True)) for row in numbers[name]]
        return DecisionNode(
            0, known, dict(zip("HT", [DecisionNode(1, there, row) for row in rows], strict=True)), other=there
        )

    left = ChanceNode({"1": (0.5, state("1")), "2": (0.5, state("2"))})
    return TreeGame(
        f"figure {figure} drawn out",
        DecisionNode(1, "come", {"left": left, "right": ChanceNode({"3": (1.0, state("3"))})}),
    )


@pytest.mark.parametrize("figure", [5, 11])
def test_normalised_payoffs_are_those_that_the_paper_prints(game_of: GameOf, figure: int) -> None:
    """The normalised entry is the hand-built game of figures 7 and 13: its value, and the worth of any strategy."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    (piece,) = pieces_of(game, 0, at)
    problem = gadget_game_of(piece, ResolveSettings(LookAhead(gadget="max-margin", normalised=True)), mine)
    drawn = cp.load(drawn_out(figure))
    assert solve_lp(problem.subgame, 0).value == pytest.approx(cp.solve(drawn).value, abs=1e-9)
    for first, second in itertools.product((0.0, 0.3, 2 / 3, 1.0), repeat=2):
        tables = two_states(first, second)
        worth = -best_response(problem.subgame, 1, matched(problem, of(game, tables))).value
        assert worth == pytest.approx(-best_response(drawn.subgame, 1, of(drawn, tables).plan).value, abs=1e-12)
