"""Refined equilibria of gadget games: equal by every way, for every prior and tremble; trembles stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead
from counterplay.blueprints.resolved_blueprint import ResolveSettings
from counterplay.gadgets.gadget import unsafe_entry
from counterplay.lookahead.tremble import shares
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.solvers.refined_equilibrium import Refinement
from counterplay.subgames.cut import Cut, Place, subgames_at
from counterplay.subgames.cut_game import build_gadget_game
from tests.support.blueprint_spots import SPOTS, Spot, example, of, pieces_of, signed, spots, two_states, weights_of
from tests.support.covering import covering
from tests.support.gadget_games import (
    alternative_values,
    gadget_game_of,
    gadget_unit,
    solve_gadget_game,
)
from tests.support.random_games import (
    Knobs,
    RandomGame,
)
from tests.support.subgame_rules import Forest, matched, refinement
from tests.support.theorems import FEW, GameOf


def two_answers(spot: Spot, piece: Cut, name: str, normalised: bool, prior: Any) -> None:
    """One subgame, refined by each way there is."""
    game, seat = spot.game, spot.seat
    weight = weights_of(piece, spot.mine)
    if weight.min() <= 1e-3:  # what nobody reaches has tests of its own
        return
    scale = weight.sum() / weight if normalised else np.ones(piece.size)
    problem = gadget_game_of(piece, ResolveSettings(LookAhead(gadget=name, normalised=normalised)), spot.mine)
    room = 1e-7 * max(float(np.abs(problem.subgame.leaves.rows.value).max(initial=0.0)), 1e-9)
    forest = Forest.of(piece, spot.mine)
    if not problem.entry.can_tremble:
        best, _ = forest.refined(name, None, scale)
        assert signed(seat, solve_lp(problem.subgame, seat).value) == pytest.approx(best, abs=room)
        return
    refined, odds = refinement(problem, prior, spot.theirs)
    best, against = forest.refined(name, odds, scale)
    assert refined.value() == pytest.approx(best, abs=room)
    assert signed(seat, solve_lp(problem.subgame, seat).value) == pytest.approx(best, abs=room)
    followed = problem.subgame.restricted(piece.opponent, refined.toward)
    staged, shrunk = refined.in_two_stages(), refined.by_shrinking()
    for plan in (
        staged,
        shrunk,
        solve_gadget_game(
            problem, ResolveSettings(LookAhead(gadget=name, prior=prior), solver="lp"), spot.theirs
        ).plans[seat],
    ):
        if plan is None:
            continue
        gaps = refined.gaps(plan)
        assert gaps.value == pytest.approx(0.0, abs=room)
        assert gaps.prior == pytest.approx(0.0, abs=3.0 * room)
        assert -best_response(followed, piece.opponent, plan).value == pytest.approx(against, abs=3.0 * room)
    for plan in (matched(problem, spot.mine), solve_lp(problem.subgame, seat).plans[seat]):
        gaps = refined.gaps(plan)
        assert gaps.value >= -room
        assert gaps.prior >= -room or gaps.value > room
    for epsilon in (0.02, 0.5, 1.0):
        whole = problem.trembling([(epsilon, odds)]).subgame
        exact = signed(seat, solve_lp(whole, seat).value)
        assert refined.perturbed(epsilon).objective == pytest.approx(exact, abs=room)
        assert exact == pytest.approx(forest.refined(name, odds, scale, epsilon)[0], abs=3.0 * room)
        iterated = solve_cfr(whole, minimiser("cfr+"), cp.Stop(1e-3 * game.span, 2000))
        assert abs(signed(seat, iterated.value) - exact) <= iterated.nash_conv + room


@FEW
@given(
    spots(("mixed", "uniform")),
    st.sampled_from(("resolving", "max-margin")),
    st.booleans(),
    st.sampled_from(("uniform", "blueprint")),
)
def test_refined_equilibria_by_every_way(spot: Spot, name: str, normalised: bool, prior: str) -> None:
    """Shrinking trembles, two stages, and an independent dense program: the same value and worth against the prior; a
    tremble of any size is the restricted game that CFR+ and the linear program solve."""
    for piece in spot.pieces[:2]:
        two_answers(spot, piece, name, normalised, prior)


@pytest.mark.parametrize(
    ("name", "spot", "seat"),
    covering(("resolving", "max-margin"), (*SPOTS, ("leduc:merged=true", "round", False)), (0, 1)),
)
def test_refined_equilibria_of_known_games(game_of: GameOf, name: str, spot: tuple[str, str, bool], seat: int) -> None:
    spec, at, declared = spot
    game = game_of(spec)
    mine, theirs = (cp.opponent(game, "random:5", player) for player in (seat, 1 - seat))
    spot = Spot(game.rules, game, seat, mine, theirs, Place.of(at, declared))
    for number, piece in enumerate(spot.pieces[:3]):
        two_answers(spot, piece, name, number % 2 == 1, ("uniform", "blueprint")[number % 2])


@pytest.mark.parametrize(("seat", "prior"), [(0, "uniform"), (0, "blueprint"), (1, "uniform")])
def test_a_subgame_that_normalised_margins_blow_up(game_of: GameOf, seat: int, prior: str) -> None:
    """A hand that comes once in 700 times counts like any other, so that payoffs are up to 40,000 for a game of 13 points;
    and yet the value is kept, and the best against the prior is met, to 1e-8."""
    game = game_of("goofspiel:5")
    mine, theirs = (cp.opponent(game, "random:1", player) for player in (seat, 1 - seat))
    piece = subgames_at(game, Place.of("moves:4", declared=True), seat)[4]
    way = ResolveSettings(LookAhead(gadget="max-margin", prior=prior, normalised=True), solver="lp")
    problem, toward = way.search.tremble.refined(gadget_game_of(piece, way, mine, theirs), piece, theirs.plan, "lp")
    assert problem.subgame.leaves.largest > 9000.0
    assert toward is not None
    refined = Refinement(problem.subgame, toward, seat)
    for plan in (solve_gadget_game(problem, way, theirs).plans[seat], refined.in_two_stages()):
        gaps = refined.gaps(plan)
        assert gaps.value == pytest.approx(0.0, abs=1e-8)
        assert gaps.prior == pytest.approx(0.0, abs=1e-8)
        assert gadget_unit(piece, way, mine) * gaps.value == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("name", ["resolving", "max-margin"])
def test_figure_5_blueprint_and_a_plain_equilibrium_are_not_refined(game_of: GameOf, name: str) -> None:
    """Both keep the value of the gadget game and lose against the prior: that is the example's point."""
    game = game_of("ggse_fig5")
    mine, at = example(game, 5)
    (piece,) = pieces_of(game, 0, at)
    problem = gadget_game_of(piece, ResolveSettings(LookAhead(gadget=name)), mine)
    refined, _ = refinement(problem, "uniform")
    for plan in (matched(problem, mine), solve_lp(problem.subgame, 0).plans[0]):
        assert refined.gaps(plan).value == pytest.approx(0.0, abs=1e-9)
        assert refined.gaps(plan).prior > 0.01
    worse = matched(problem, of(game, two_states(0.0, 0.9)))
    assert refined.gaps(worse).value > 0.01


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.7])
def test_a_tremble_maps_strategies_and_regrets_as_the_paper_says(game_of: GameOf, epsilon: float) -> None:
    """Equations 4 to 6: B = (1-ε) I + ε P, every column of P the prior. The strategy is B π; B'r are our regrets, times the
    1-ε that regret matching does not see."""
    game = game_of("ggse_fig1")
    mine, at = example(game, 1)
    (piece,) = pieces_of(game, 0, at)
    plain = gadget_game_of(piece, ResolveSettings(LookAhead(gadget="max-margin")), mine)
    prior = np.array([0.2, 0.8])
    problem = plain.trembling([(epsilon, prior)])
    tree, bound, at_entry = problem.subgame.trees[1], problem.subgame.restrictions[1], problem.choices[1]
    B = (1.0 - epsilon) * np.eye(2) + epsilon * np.outer(prior, np.ones(2))
    free = tree.uniform()
    free[at_entry] = [0.9, 0.1]
    np.testing.assert_allclose(bound.behaviour(tree, free)[at_entry], B @ free[at_entry], atol=1e-15)
    iterates = Iterates(problem.subgame, minimiser("cfr:simultaneous"))
    first = iterates.current()
    iterates.advance(1)
    q = problem.subgame.leaves.product(1, first[0])[at_entry]
    played = B @ np.array([0.5, 0.5])
    np.testing.assert_allclose(first[1][at_entry], played, atol=1e-15)
    regrets = q - played @ q
    np.testing.assert_allclose(B.T @ regrets, (1.0 - epsilon) * iterates.sides[1].regret[at_entry], atol=1e-14)
    assert np.abs(regrets).max() > 0.01


@FEW
@given(spots(("mixed",)), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(0, 99), st.booleans())
def test_trembles_stack(spot: Spot, alpha: float, epsilon: float, seed: int, resolving: bool) -> None:
    """(1-α) [(1-ε) m + ε prior] + α p at the entry, and nothing elsewhere."""
    rng = np.random.default_rng(seed)
    for piece in spot.pieces[:2]:
        problem = gadget_game_of(
            piece, ResolveSettings(LookAhead(gadget="resolving" if resolving else "max-margin")), spot.mine
        )
        if not problem.entry.can_tremble:
            continue
        tree, at, them = problem.subgame.trees[piece.opponent], problem.choices[piece.opponent], piece.opponent
        first, second = (shares(rng.random(piece.size)) for _ in range(2))
        bound = problem.trembling([(alpha, first), (epsilon, second)]).subgame.restrictions[them]
        free = tree.uniform()
        m, free[at] = np.full(piece.size, 0.25 if resolving else 0.0), 0.25 if resolving else 0.0
        m[0] = free[at[0]] = 0.75 if resolving else 1.0
        if resolving:
            free[problem.declines] = 1.0 - m
        played = bound.behaviour(tree, free)
        expected = (1.0 - alpha) * ((1.0 - epsilon) * m + epsilon * second) + alpha * first
        np.testing.assert_allclose(played[at], expected, atol=1e-12)
        if resolving:
            np.testing.assert_allclose(played[problem.declines], 1.0 - expected, atol=1e-12)
        rest = np.ones(tree.size, bool)
        rest[at] = rest[problem.declines] = False
        np.testing.assert_array_equal(played[rest], free[rest])


@pytest.mark.parametrize("seat", [0, 1])
def test_alpha_is_a_tremble_toward_the_estimate(kuhn: cp.GameTree, seat: int) -> None:
    """SES with weight α is max-margin with a tremble α toward the model's range; with α = 1 that range is given."""
    mine, model = cp.opponent(kuhn, "random:3", seat), cp.opponent(kuhn, "random:4", 1 - seat)
    for piece in pieces_of(kuhn, seat, "moves:1"):
        for normalised in (False, True):
            plain = gadget_game_of(piece, ResolveSettings(LookAhead(gadget="max-margin", normalised=normalised)), mine)
            estimate = shares(piece.top.range(1 - seat, model.plan) * (piece.weight(mine.plan) if normalised else 1.0))
            for alpha in (0.0, 0.4, 1.0):
                ses = gadget_game_of(
                    piece,
                    ResolveSettings(LookAhead(gadget="max-margin", normalised=normalised), alpha=alpha),
                    mine,
                    None,
                    model,
                )
                value = solve_lp(ses.subgame, seat).value
                assert value == pytest.approx(
                    solve_lp(plain.trembling([(alpha, estimate)]).subgame, seat).value, abs=1e-9
                )
        estimate, unit = shares(piece.top.range(1 - seat, model.plan)), float(piece.weight(mine.plan).sum())
        given_range = build_gadget_game(piece, unsafe_entry(piece.size, estimate), mine.plan / unit)
        ses = gadget_game_of(
            piece, ResolveSettings(LookAhead(gadget="max-margin", normalised=False), alpha=1.0), mine, None, model
        )
        shift = float(estimate @ alternative_values(piece, mine)) / unit * (1.0 if seat == 0 else -1.0)
        assert solve_lp(ses.subgame, seat).value == pytest.approx(
            solve_lp(given_range.subgame, seat).value + shift, abs=1e-9
        )


class Discreet(RandomGame):
    """Without `augmented`, the knowledge of the player who does not act is undefined (see games/game.py)."""

    def infoset(self, state: Any, player: int) -> str:
        assert player == state.player
        return super().infoset(state, player)


def test_a_prior_by_infoset_asks_only_what_the_rules_promise() -> None:
    game = cp.load(Discreet(Knobs(depth=4, seed=1, lonely=2, named=False, utilities="whole")))
    with pytest.raises(cp.InputError):
        cp.resolve(game, "uniform", "moves:1", prior={"nobody": 1.0}, solver="lp")
