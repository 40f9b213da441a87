"""Doubled chips and changed seats change nothing in a re-solved blueprint."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead
from counterplay.blueprints.resolve import pieces_at
from counterplay.blueprints.resolved_blueprint import ResolveSettings, exploitability
from counterplay.solvers.lp import solve_lp
from counterplay.subgames.cut import subgames_at
from tests.support.blueprint_spots import Spot, of, signed, slack, spots, weights_of
from tests.support.gadget_games import (
    continuation_of,
    gadget_game_of,
    resolve_at,
)
from tests.support.random_games import (
    Scaled,
    Swapped,
)
from tests.support.subgame_rules import refinement
from tests.support.theorems import FEW


@FEW
@given(
    spots(),
    st.sampled_from(("resolving", "max-margin")),
    st.sampled_from(("none", "uniform")),
    st.booleans(),
    st.sampled_from(("lp", "cfr+")),
)
def test_doubled_chips_change_no_strategy(spot: Spot, name: str, prior: str, normalised: bool, solver: str) -> None:
    """To the last bit: a power of two changes no digit of any payoff."""
    doubled = cp.load(Scaled(spot.rules, 2.0))
    way = ResolveSettings(
        LookAhead(gadget=name, prior=prior, normalised=normalised), solver=solver, stop=cp.Stop(iterations=50)
    )
    assume(any(weights_of(piece, spot.mine).any() for piece in spot.pieces))
    before = resolve_at(pieces_at(spot.game, [spot.place], spot.seat), spot.mine, None, way)
    after = resolve_at(
        pieces_at(doubled, [spot.place], spot.seat), of(doubled, spot.mine.table(), spot.seat), None, way
    )
    assert after.states == before.states
    assert after.gap == pytest.approx(2.0 * before.gap, abs=slack(spot.game))
    for text, row in before.strategy.table().items():
        assert after.strategy.table()[text] == pytest.approx(row, abs=1e-12)


@FEW
@given(spots(), st.sampled_from(("resolving", "max-margin")), st.booleans())
def test_changed_seats_change_nothing(spot: Spot, name: str, normalised: bool) -> None:
    """The values of all gadget games, what the prior adds, the optimal continuation: from the other chair the same."""
    game = cp.load(Swapped(spot.rules))
    mine = of(game, spot.mine.table(), 1 - spot.seat)
    pieces = subgames_at(game, spot.place, 1 - spot.seat)
    assert len(pieces) == len(spot.pieces)
    seen = []
    for which, (blueprint, found) in enumerate([(spot.mine, spot.pieces), (mine, pieces)]):
        numbers = [
            exploitability((spot.game, game)[which], continuation_of((spot.game, game)[which], blueprint, found))
        ]
        for piece in found:
            if not weights_of(piece, blueprint).any():
                continue
            problem = gadget_game_of(piece, ResolveSettings(LookAhead(gadget=name, normalised=normalised)), blueprint)
            numbers.append(signed(piece.resolver, solve_lp(problem.subgame, piece.resolver).value))
            if problem.entry.can_tremble:
                refined, _ = refinement(problem, "uniform")
                numbers += [refined.value(), refined.perturbed(0.1).objective]
        seen.append(sorted(numbers))
    room = slack(spot.game) * (1.0 if not normalised else 100.0)
    assert seen[0] == pytest.approx(seen[1], abs=room)
