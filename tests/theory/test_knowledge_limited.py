"""Re-solving with limited knowledge (Zhang and Sandholm 2021): what is safe of it, and what is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead
from counterplay.blueprints.resolved_blueprint import exploitability
from counterplay.lookahead.search import Search
from counterplay.solvers.best_response import best_response
from counterplay_papers.knowledge_limited import free_with, own_parts, resolve_by_infoset
from tests.support.blueprint_spots import Spot, pieces_of, slack, spots, weights_of
from tests.support.theorems import FEW, SAFE, GameOf


def search(gadget: str, prior: str = "none") -> Search:
    return Search(LookAhead(gadget=gadget, prior=prior), solver="lp")


def solved(spot: Spot, mine: cp.Strategy, way: Search, step: str) -> cp.Strategy:
    both = (mine, spot.theirs) if spot.seat == 0 else (spot.theirs, mine)
    return resolve_by_infoset(both, spot.game, spot.pieces, way, step=step)


@pytest.mark.parametrize("gadget", SAFE[:2])
def test_where_all_hands_may_meet_the_second_order_is_the_public_state(game_of: GameOf, gadget: str) -> None:
    game, blueprint = game_of("leduc:merged=true"), "cfr:20"
    pieces = pieces_of(game, 0, "round")
    assert all(
        np.array_equal(free_with(cut, 1), np.eye(cut.top.sizes[0])) and free_with(cut, 2).all() for cut in pieces
    )
    both = (cp.opponent(game, blueprint, 0), cp.opponent(game, blueprint, 1))
    found = resolve_by_infoset(both, game, pieces, search(gadget, "blueprint"), 2)
    whole = cp.resolve(game, (blueprint, blueprint), "round", seat=0, gadget=gadget, prior="blueprint", solver="lp")
    assert exploitability(game, found) == pytest.approx(whole.after, abs=1e-7)


@FEW
@given(spots())
def test_parts_are_all_that_a_player_decides_in_a_subgame(spot: Spot) -> None:
    for piece in spot.pieces:
        parts = np.stack(own_parts(piece)).astype(int)
        np.testing.assert_array_equal(parts.sum(axis=0), piece.lanes(spot.seat).astype(int))


@FEW
@given(spots(), st.sampled_from(SAFE), st.sampled_from(("none", "uniform", "blueprint")))
def test_shares_and_turns_never_raise_exploitability(spot: Spot, gadget: str, prior: str) -> None:
    """In turn: each subgame is safe. By shares: a mixture of strategies with one infoset changed, each of which is safe."""
    assume(any(weights_of(piece, spot.mine).any() for piece in spot.pieces))
    before = exploitability(spot.game, spot.mine)
    for step in ("in turn", "shared"):
        after = exploitability(spot.game, solved(spot, spot.mine, search(gadget, prior), step))
        assert after <= before + slack(spot.game), step


def test_whole_steps_at_all_infosets_can_raise_exploitability(game_of: GameOf) -> None:
    """Leduc after the card, 0.606 -> 0.722 chips; and with half a hundredth of a chip in Goofspiel without a prior."""
    for spec, at, prior, rise in (
        ("leduc:merged=true", "round", "blueprint", 0.1),
        ("goofspiel:4", "moves:2", "none", 2e-3),
    ):
        game = game_of(spec)
        both = (cp.opponent(game, "cfr:20", 0), cp.opponent(game, "cfr:20", 1))
        found = resolve_by_infoset(both, game, pieces_of(game, 0, at), search("resolving", prior))
        assert exploitability(game, found) >= exploitability(game, both[0]) + rise


@FEW
@given(spots(), st.sampled_from(SAFE[:2]))
def test_from_an_equilibrium_no_equilibrium_of_the_opponent_wins_more(spot: Spot, gadget: str) -> None:
    """Affine equilibria of Zhang and Sandholm 2021: a best response to the blueprint has no slack that sums could use."""
    mine, theirs = (cp.opponent(spot.game, "nash", player) for player in (spot.seat, 1 - spot.seat))
    assume(any(weights_of(piece, mine).any() for piece in spot.pieces))
    found = solved(spot, mine, search(gadget), "whole")
    plans = (found.plan, theirs.plan) if spot.seat == 0 else (theirs.plan, found.plan)
    won = float(plans[0] @ spot.game.subgame.leaves.product(0, plans[1]))
    value = -best_response(spot.game.subgame, 1 - spot.seat, mine.plan).value
    assert (won if spot.seat == 0 else -won) >= value - 10.0 * slack(spot.game)
