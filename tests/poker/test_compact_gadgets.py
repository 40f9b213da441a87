"""Gadgets, continuations and look-aheads of a spot whose strategies are kept by the compact engine: as from whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterplay import LookAhead, Stop
from counterplay.blueprints.report import measure_resolution
from counterplay.blueprints.resolve import StreetSubtrees, parts_of
from counterplay.blueprints.resolve_subtrees import resolve_subtrees
from counterplay.blueprints.resolved_blueprint import Baseline, BlueprintInputs, ResolveSettings
from counterplay.lookahead.search import Search
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.street_lookahead import StreetResponder
from counterplay.solvers.minimiser import minimiser
from tests.support.covering import covering
from tests.support.public_trees import toy


@pytest.fixture(scope="module")
def game() -> SpotGame:
    return SpotGame("toy", toy(3, "turn", "a", hands=8), 10.0, 0.01)


def averaged(game: SpotGame, iterations: int) -> CompactPlans:
    """A strategy after some iterations in float64."""
    run = CompactRun(CompactLayout(game.tree.betting, game.tree.tables), minimiser("cfr+"), "double")
    run.advance(iterations)
    run.forget_regrets()
    return CompactPlans(game.tree, Averages.of_run(run))


@pytest.fixture
def both(game: SpotGame) -> tuple[CompactPlans, ArraySpotPlans]:
    """Of the compact engine, and as arrays."""
    compact = averaged(game, 3)
    return compact, compact.arrays


@pytest.mark.parametrize(
    ("seat", "gadget"), covering([0, 1], ["unsafe", "resolving", "max-margin", "reach-max-margin", "path"])
)
def test_a_blueprint_is_solved_again_and_reported(
    game: SpotGame, both: tuple[Any, Any], gadget: str, seat: int
) -> None:
    way = ResolveSettings(LookAhead(gadget=gadget), solver="cfr+", stop=Stop(iterations=20))
    model = averaged(game, 1)
    found = []
    for plans, opponent in zip(both, (model, model.arrays), strict=True):
        known = BlueprintInputs(plans, seat, opponent)
        again = resolve_subtrees(StreetSubtrees(game, parts_of(game, 1), seat), known, way)
        found.append(measure_resolution(Baseline.of(game), known, again, way, {"at": "round", "seed": 0}).facts)
    for name, value in found[1].items():
        if isinstance(value, float) and name != "seconds":
            assert found[0][name] == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("beside", [False, True])
def test_a_spot_is_solved_around_decisions_that_stand(game: SpotGame, both: tuple[Any, Any], beside: bool) -> None:
    """By the full gadget and by the optimal continuation, iteration by iteration."""
    branches = [*filter(None, StreetSubtrees(game, parts_of(game, 1), 0))]
    (compact, one), (arrays, two) = (
        plans.solved(0, branches, "cfr+", Stop(iterations=8), beside=beside) for plans in both
    )
    assert isinstance(compact, CompactPlans)
    assert one.gap == pytest.approx(two.gap, abs=1e-9 * game.pot)
    for player in (0, 1):
        np.testing.assert_allclose(compact.reach(player)[:], arrays.reach(player)[:], atol=1e-9)


@pytest.mark.parametrize("gadget", ["resolving", "max-margin"])
def test_a_street_is_looked_ahead(game: SpotGame, both: tuple[Any, Any], gadget: str) -> None:
    search = Search(LookAhead("round", gadget=gadget), solver="cfr+", stop=Stop(iterations=20))
    found = []
    for plans in both:
        chain = StreetResponder(game, 0, search, None)
        chain.plans = plans
        chain.solve(1)
        found.append(chain.plans.behaviour(0)[:])
    np.testing.assert_allclose(found[0][1:], found[1][1:], atol=1e-9)
