"""Portfolios, nested solves and value functions of ranges in spots of one and two streets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, Spot, Strategy
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.responses.street_lookahead import layers
from counterplay.solvers.lp import solve_lp
from counterplay.treeplex.restriction import Restriction
from tests.support.public_trees import toy
from tests.support.spots import turn_spot


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
def test_a_portfolio_of_one_is_a_portfolio_of_one_twice(both: tuple[SpotGame, Any], p: float) -> None:
    """Also in the enumerated game, where the model used to lose its last action with the only continuation."""
    for game in both:
        model = cp.opponent(game, "uniform")
        once, twice = (
            cp.respond(game, model, method="abd", depth="round", p=p, leaf=f"portfolio:{text}")
            for text in ("uniform", "uniform;uniform")
        )
        assert p * once.gain - (1 - p) * once.exploitability == pytest.approx(
            p * twice.gain - (1 - p) * twice.exploitability, abs=1e-9
        )


@pytest.mark.parametrize("seat", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_two_streets_to_come(seat: int) -> None:
    game = SpotGame("flop", toy(1, "flop", "a", cards=7, hands=6), 10.0, 0.01)
    model = cp.opponent(game, "random:2", player=1 - seat)
    for gadget in ("resolving", "max-margin", "reach-max-margin", "full"):
        free = cp.respond(game, model, method="resolve", depth="round", gadget=gadget)
        assert free.exploitability == pytest.approx(0.0, abs=1e-6)
    for at in ("round", "round:2"):
        found = cp.resolve(game, "uniform", at, seat=seat, gadget="max-margin", solver="lp")
        assert found.after <= found.before + 1e-7
    for more in ({"method": "cdbr"}, {"method": "abd", "p": 1.0, "leaf": "portfolio:uniform;nash"}):
        answer = cp.respond(game, model, depth="round", **more)
        assert 0.0 <= answer.gain <= cp.respond(game, model).gain + 1e-9
    equal = cp.respond(game, model, method="cdrnr", depth="round", p=0.5, leaf="equity")
    assert 0.5 * (equal.gain - equal.exploitability) <= _objective(cp.respond(game, model, p=0.5), 0.5) + 1e-9


def _objective(answer: Any, p: float) -> float:
    return float(p * answer.gain - (1 - p) * answer.exploitability)


def _worth(spot: Spot, answer: Any, model: Strategy, p: float) -> float:
    """What a look-ahead is after: its street as decided, the model on that street with probability p, all else free."""
    game = cp.load(spot)
    first = [(layers(game, player) == 0).astype(np.float64) for player in (0, 1)]
    problem = game.subgame.bound(0, Restriction.local(game.trees[0], answer.strategy.behaviour, first[0]))
    problem = problem.bound(1, Restriction.until(game.trees[1], model.behaviour, p, layers(game, 1) <= 0))
    return solve_lp(problem, 0).value


@pytest.mark.parametrize(("method", "p"), [pytest.param("cdbr", 1.0, marks=pytest.mark.slow), ("cdrnr", 0.5)])
def test_nested_solves_come_near_the_exact_look_ahead(method: str, p: float) -> None:
    """Nothing beats the exact one at its own objective, and solving every river anew comes within a per cent of the pot."""
    spot = Spot("Ks 8h 8d 4c", "AcKc,QdJd,AsQs", "QhQd,JcTc", 100, 100, "a", raises=1)  # type: ignore[arg-type]
    model = cp.opponent(spot, "noise:0.5:nash")
    given: dict[str, Any] = {"p": p} if method == "cdrnr" else {}
    exact, nested = (
        _worth(spot, cp.respond(spot, model, method=method, depth="round", **asked, **given), model, p)
        for asked in ({}, {"leaf": "cfr:20", "stop": cp.Stop(iterations=60)})
    )
    assert exact - 1.0 <= nested <= exact + 1e-6


@dataclass(frozen=True)
class _SplitByEquity:
    """All-in equity, written from the protocol alone."""

    name: str = "split"

    def at(self, border: StreetEnd) -> Any:
        part = border
        small = np.searchsorted(part.nodes, border.deals).tolist()
        at = [border.places(runs, small) for runs in part.runs]
        whole, street = part.subgame().leaves, border.problem().leaves

        def evaluate(range0: Any, range1: Any) -> tuple[Any, Any]:
            plans = [np.zeros(runs.tree.size) for runs in part.runs]
            plans[0][at[0]], plans[1][at[1]] = range0, range1
            first, second = ((whole.product(i, plans[1 - i]) - street.product(i, plans[1 - i]))[at[i]] for i in (0, 1))
            return first, second

        return evaluate


def test_a_value_function_of_ranges() -> None:
    spot = turn_spot()
    model = cp.opponent(spot, "uniform")
    known, own = (
        cp.respond(
            spot, model, method="cdrnr", p=0.5, depth="round", leaf=value, solver="cfr+", stop=cp.Stop(1e-3, 2000)
        )
        for value in ("equity", _SplitByEquity())
    )
    assert own.leaf == "split"
    assert own.gain == pytest.approx(known.gain, abs=0.05)
    assert own.exploitability == pytest.approx(known.exploitability, abs=0.05)
    with pytest.raises(InputError, match="goes with the full gadget"):
        cp.respond(spot, model, method="cdrnr", p=0.5, depth="round", leaf="cfr:5", gadget="resolving")
