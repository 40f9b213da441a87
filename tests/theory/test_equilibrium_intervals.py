"""The interval of a gadget game's equilibria: by brute force, and holding every solution."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead
from counterplay.blueprints.resolve import pieces_at
from counterplay.blueprints.resolved_blueprint import ResolveSettings, exploitability
from counterplay.lookahead.tremble import odds_of
from counterplay.solvers.best_response import best_response
from counterplay.solvers.lp import solve_lp
from counterplay.subgames.cut import Place
from tests.support.blueprint_spots import (
    Spot,
    example,
    of,
    pieces_of,
    slack,
    spots,
    two_states,
    weighted_prior,
    weights_of,
)
from tests.support.covering import covering
from tests.support.gadget_games import (
    continuation_of,
    equilibria_at,
    gadget_game_of,
    resolve_at,
)
from tests.support.seats import seats_in_turn
from tests.support.subgame_rules import matched
from tests.support.theorems import FEW, GameOf


def check_interval(spot: Spot, name: str, normalised: bool) -> None:
    game, way = spot.game, ResolveSettings(LookAhead(gadget=name, normalised=normalised), solver="lp")
    pieces = spot.pieces
    found = equilibria_at(game, spot.mine, pieces, way, other=spot.theirs, seconds=600.0)
    room = 10.0 * slack(game)
    before = exploitability(game, spot.mine)
    assert -room <= found.best <= found.worst + room
    assert found.worst <= found.bound + room
    if name != "unsafe":
        assert found.best >= exploitability(game, continuation_of(game, spot.mine, pieces)) - room
        assert found.bound <= before + room
    if name == "resolving":
        assert found.worst == found.bound == before
    for prior in ("none", "uniform", "blueprint") if name != "unsafe" else ("none",):
        chosen = replace(way, look=replace(way.look, prior=prior))
        solution = resolve_at(pieces_at(game, [spot.place], spot.seat), spot.mine, spot.theirs, chosen)
        after = exploitability(game, solution.strategy)
        assert found.best - room <= after <= found.bound + room


@FEW
@given(spots(("mixed", "uniform")), st.sampled_from(("resolving", "max-margin", "unsafe")), st.booleans())
def test_solutions_lie_in_the_interval(spot: Spot, name: str, normalised: bool) -> None:
    """The least exploitable equilibria, any that is found, the most exploitable, its bound: in this order."""
    assume(len(spot.game.trees[1 - spot.seat].labels.infosets) <= 40)
    assume(all((weights_of(piece, spot.mine) > 1e-3).all() for piece in spot.pieces))
    check_interval(spot, name, normalised)


@pytest.mark.parametrize(
    ("spec", "at", "name", "seat"),
    seats_in_turn(
        (spec, at, name)
        for spec, at in (("kuhn", "moves:1"), ("ggse_fig5", "moves:0"), ("ggse_fig11", "moves:0"))
        for name in ("resolving", "max-margin", "unsafe")
    ),
)
def test_solutions_of_known_games_lie_in_the_interval(
    game_of: GameOf, spec: str, at: str, name: str, seat: int
) -> None:
    game = game_of(spec)
    mine, theirs = (cp.opponent(game, "random:3", player) for player in (seat, 1 - seat))
    for normalised in (False, True):
        check_interval(Spot(game.rules, game, seat, mine, theirs, Place.of(at)), name, normalised)


@pytest.mark.parametrize(("name", "figure"), covering(["resolving", "max-margin"], [5, 11]))
def test_the_interval_by_brute_force(game_of: GameOf, figure: int, name: str) -> None:
    """Of all strategies on a grid of sixtieths, those that keep the value of the gadget game."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    (piece,) = pieces_of(game, 0, at)
    found = equilibria_at(game, mine, [piece], ResolveSettings(LookAhead(gadget=name)))
    problem = gadget_game_of(piece, ResolveSettings(LookAhead(gadget=name)), mine)
    value, kept = solve_lp(problem.subgame, 0).value, []
    for first, second in itertools.product(range(61), repeat=2):
        strategy = of(game, two_states(first / 60, second / 60))
        if -best_response(problem.subgame, 1, matched(problem, strategy)).value >= value - 1e-10:
            kept.append(exploitability(game, strategy))
    assert min(kept) == pytest.approx(found.best, abs=1e-7)
    assert max(kept) == pytest.approx(found.worst, abs=1e-7)
    assert found.bound == pytest.approx(found.worst, abs=1e-7)
    expected = {(5, "resolving"): (0.0, 4 / 9), (5, "max-margin"): (0.0, 4 / 9), (11, "resolving"): (0.0, 2 / 3)}
    if (figure, name) in expected:
        assert (found.best, found.worst) == pytest.approx(expected[figure, name], abs=1e-7)
    else:
        assert found.best == pytest.approx(1 / 18, abs=1e-7)


@pytest.mark.parametrize(("name", "prior"), covering(["resolving", "max-margin"], ["uniform", "blueprint", "given"]))
def test_the_interval_with_a_prior_by_brute_force(game_of: GameOf, name: str, prior: str) -> None:
    """Of the strategies on a grid that keep the value of the gadget game, those that are best against an opponent who
    follows the prior: the definition of the equilibria that a prior leaves."""
    game = game_of("ggse_fig11")
    mine, at = example(game, 11)
    theirs = cp.opponent(game, "random:2", 1)
    (piece,) = pieces_of(game, 0, at)
    chosen: Any = weighted_prior([piece]) if prior == "given" else prior
    way = ResolveSettings(LookAhead(gadget=name, prior=chosen), solver="lp")
    found = equilibria_at(game, mine, [piece], way, other=theirs)
    problem = gadget_game_of(piece, way, mine, theirs)
    odds = odds_of(chosen, piece, problem.entry, theirs.plan)
    wholly = problem.trembling([(1.0, odds)]).subgame
    grid = []
    for first, second in itertools.product(range(61), repeat=2):
        strategy = of(game, two_states(first / 60, second / 60))
        plan = matched(problem, strategy)
        worth, followed = (-best_response(subgame, 1, plan).value for subgame in (problem.subgame, wholly))
        grid.append((worth, followed, exploitability(game, strategy)))
    value = solve_lp(problem.subgame, 0).value
    optimal = [one for one in grid if one[0] >= value - 1e-10]
    most = max(followed for _, followed, _ in optimal)
    kept = [exploited for _, followed, exploited in optimal if followed >= most - 1e-10]
    assert (found.best, found.worst, found.bound) == pytest.approx((min(kept), max(kept), max(kept)), abs=1e-7)
    assert prior == "given" or len(kept) < len(optimal)  # the prior leaves fewer


@pytest.mark.parametrize(("prior", "epsilon"), [("uniform", None), ("blueprint", None), ("uniform", 0.1)])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_refined_solution_lies_in_the_interval_of_its_prior(
    kuhn: cp.GameTree, prior: str, epsilon: float | None, seat: int
) -> None:
    both = tuple(cp.opponent(kuhn, "random:4", player) for player in (0, 1))
    words: dict[str, Any] = {"seat": seat, "solver": "lp", "interval": True, "gadget": "max-margin"}
    found = cp.resolve(kuhn, both, "moves:1", prior=prior, epsilon=epsilon, **words)
    any_ = cp.resolve(kuhn, both, "moves:1", **words)
    assert found.equilibria
    assert any_.equilibria
    assert found.equilibria.best - 1e-6 <= found.after <= found.equilibria.bound + 1e-6
    if epsilon is None:
        assert any_.equilibria.best - 1e-6 <= found.equilibria.best
        assert found.equilibria.worst <= any_.equilibria.bound + 1e-6
        assert found.equilibria.bound - found.equilibria.best < any_.equilibria.bound - any_.equilibria.best


def test_the_interval_of_figure_1(game_of: GameOf) -> None:
    game = game_of("ggse_fig1")
    mine, at = example(game, 1)
    pieces = pieces_of(game, 0, at)
    resolving, margin = (
        equilibria_at(game, mine, pieces, ResolveSettings(LookAhead(gadget=name)))
        for name in ("resolving", "max-margin")
    )
    assert (resolving.best, resolving.worst, resolving.bound) == pytest.approx((0.0, 1.0, 1.0), abs=1e-7)
    assert (margin.best, margin.worst, margin.bound) == pytest.approx((0.25, 0.25, 0.25), abs=1e-6)


def test_the_interval_of_unsafe_solving(game_of: GameOf) -> None:
    """Milec et al. 2024, figure 2: against the equilibrium's range H from 1/3 to 3/4 is as good; the ends are the worst."""
    game = game_of("cdrnr_fig2")
    nash = cp.solve(game).strategies
    found = equilibria_at(
        game, nash[0], pieces_of(game, 0, "moves:1"), ResolveSettings(LookAhead(gadget="unsafe")), other=nash[1]
    )
    label, H = "pick a side", "H"
    ends = [exploitability(game, of(game, {label: {H: p, "T": 1.0 - p}})) for p in (1 / 3, 3 / 4)]
    assert found.best == pytest.approx(0.0, abs=1e-7)
    assert found.worst == pytest.approx(max(ends), abs=1e-6)
    assert found.bound == pytest.approx(max(ends), abs=1e-6)


def test_the_interval_of_ses_is_of_the_estimates_that_were_used(kuhn: cp.GameTree) -> None:
    """With an error of the estimate, the solution is among the equilibria of which the interval speaks."""
    both = tuple(cp.opponent(kuhn, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"alpha": 0.9, "model": "random:8", "error": 1.0, "solver": "lp", "interval": True}
    for seed, seat in itertools.product(range(6), (0, 1)):
        found = cp.resolve(kuhn, both, "moves:1", seed=seed, seat=seat, **words)
        assert found.equilibria is not None
        assert found.equilibria.best - 1e-6 <= found.after <= found.equilibria.bound + 1e-6


def test_the_interval_of_only_is_of_that_subgame(kuhn: cp.GameTree) -> None:
    both = tuple(cp.opponent(kuhn, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"seat": 1, "gadget": "max-margin", "solver": "lp", "interval": True}
    found = cp.resolve(kuhn, both, "moves:1", only="0p", **words)
    assert found.equilibria is not None
    assert found.after <= found.equilibria.bound + 1e-6


@pytest.mark.parametrize("gadget", ["path", "full"])
def test_equilibria_that_count_on_the_same_slack_have_no_common_interval(kuhn: cp.GameTree, gadget: str) -> None:
    """That of one subgame ends at the blueprint, than which no equilibrium is more exploitable."""
    words: dict[str, Any] = {"gadget": gadget, "solver": "lp", "interval": True}
    with pytest.raises(cp.InputError, match="depend on the solutions before it"):
        cp.resolve(kuhn, "random:3", "moves:1", **words)
    found = cp.resolve(kuhn, "random:3", "moves:1", only="0pb", **words)
    assert found.equilibria is not None
    assert found.equilibria.best - 1e-6 <= found.after <= found.equilibria.worst + 1e-6
    assert found.equilibria.worst <= found.before + 1e-6
