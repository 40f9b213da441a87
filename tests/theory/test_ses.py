"""Safe exploitation search maximises objective (2) of Liu et al. 2022; its ends, and its ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead, Stop, resolve
from counterplay.blueprints.report import _kept
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolveSettings
from counterplay.lookahead import resolver, step
from counterplay.solvers.lp import FixedInfosets, SequenceFormLP
from counterplay.subgames.cut import Place, subgames_at
from counterplay.subgames.plan_store import lanes_inside
from counterplay.treeplex.restriction import Restriction
from tests.support.gadget_games import gadget_game_of, is_solved
from tests.support.ses_program import FEW, REAL, Case, cases, check, known_case, objective, random_case, table_of
from tests.support.theorems import GameOf


@FEW
@given(st.integers(0, 10**6), st.sampled_from((0.0, 0.2, 0.7, 1.0)))
def test_the_program_maximises_objective_2_in_random_games(seed: int, alpha: float) -> None:
    case = random_case(seed)
    assume(case is not None and case.pieces())
    assert case is not None
    check(case, alpha, 1e-9)


KNOWN = (("ses_matrix", "moves:1", 1), ("kuhn", "moves:1", 1), ("kuhn", "moves:1", 0), ("kuhn", "moves:2", 0))


@pytest.mark.parametrize(("spec", "at", "seat"), KNOWN)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8, 1.0])
def test_the_program_maximises_objective_2(game_of: GameOf, spec: str, at: str, seat: int, alpha: float) -> None:
    for seed in range(3):
        check(known_case(game_of(spec), at, seat, seed), alpha, 1e-9)


def test_the_program_maximises_objective_2_in_leduc(game_of: GameOf) -> None:
    check(known_case(game_of("leduc:bets=1/2,merged=true"), "round", 1, 5), 0.6, 1e-9)


@FEW
@given(st.integers(0, 10**6), st.sampled_from((0.3, 0.8)))
def test_the_minimiser_comes_near_the_program(seed: int, alpha: float) -> None:
    case = random_case(seed)
    assume(case is not None and case.pieces())
    assert case is not None
    check(case, alpha, 1e-3, solver="cfr+", stop=Stop(iterations=3000))


@pytest.mark.parametrize(("spec", "at", "seat"), KNOWN)
def test_without_alpha_the_model_does_not_matter(game_of: GameOf, spec: str, at: str, seat: int) -> None:
    """That is the max-margin gadget with normalised values, model or not."""
    case = known_case(game_of(spec), at, seat, 3)
    blueprint, _ = case.strategies()
    plain = resolve(
        case.game, blueprint, at, seat=seat, gadget="max-margin", normalised=True, values="profile", solver="lp"
    )
    table = table_of(case.game, plain.strategy)
    ours = table_of(case.game, case.resolved(alpha=0.0, error=0.0).strategy)
    for piece in case.pieces():
        worth, estimate = piece.worth(dict(enumerate(case.blueprint))), piece.estimate(REAL)
        margins = [objective(piece, 0.0, worth, estimate, piece.plan(t)) for t in (table, ours)]
        assert margins == pytest.approx([objective(piece, 0.0, worth, estimate)] * 2, abs=1e-9 * case.game.span)


EVEN = (("ses_matrix", "moves:1", 1), ("kuhn", "moves:1", 1))
"""Places where chance and the resolver make all infosets of the opponent equally likely, so that OWN is REAL."""


@pytest.mark.parametrize(("spec", "at", "seat"), EVEN)
def test_wholly_trusted_it_is_a_best_response_to_the_model_s_range(
    game_of: GameOf, spec: str, at: str, seat: int
) -> None:
    """With alpha 1, against an opponent who comes like the model and then plays as well as possible."""
    for seed in range(3):
        check(known_case(game_of(spec), at, seat, seed), 1.0, 1e-9, REAL)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_wholly_trusted_it_is_a_best_response_also_where_infosets_are_not_equally_likely(
    game_of: GameOf, seed: int
) -> None:
    check(known_case(game_of("leduc:bets=1/2,merged=true"), "round", 1, seed), 1.0, 1e-9, REAL)


@pytest.mark.parametrize("seat", [0, 1])
def test_wholly_trusted_it_loses_nothing_to_the_model(game_of: GameOf, seat: int) -> None:
    """From an equilibrium: with the blueprint's own subgames the value would be reached whatever the model does there."""
    game = game_of("leduc:bets=1/2")
    found = resolve(game, "dcfr:3000", "round", seat=seat, alpha=1.0, model="cfr+:1000", solver="lp")
    assert found.gain_after is not None
    assert found.gain_after >= -found.before - 1e-9


def optimal_gains(case: Case, alpha: float, tries: int) -> list[float]:
    """Gains of optimal plans of all gadget games at once, at vertices that random objectives find."""
    game, me = case.game, case.seat
    both, model = case.strategies()
    mine, theirs = both[me], both[1 - me]
    way = ResolveSettings(LookAhead(gadget="max-margin", normalised=True), alpha=alpha, profile=True, solver="lp")
    cuts = [piece for piece in subgames_at(game, Place.of(case.at), me) if is_solved(piece, way, mine, theirs)]
    known = BlueprintInputs.of(game.subgame, mine, theirs).knowledge(way)
    kept = [one for cut in cuts for one in _kept(gadget_game_of(cut, way, mine, theirs, model), cut, way, known)]
    program = SequenceFormLP(
        game.subgame,
        me,
        [Restriction()],
        FixedInfosets(~lanes_inside(mine.tree, cuts), mine.behaviour),
        [one.faced for one in kept],
    )
    draw, gains = np.random.default_rng(1), []
    for _ in range(tries):
        direction = draw.normal(size=mine.tree.size)
        plan = program.maximise(direction, [0.0] * (1 + len(kept)), [-np.inf, *(one.floor for one in kept)]).plan
        found = cp.Strategy.from_plan(mine.tree, plan)
        gains.append(cp.evaluate(game, found, against=model).gain or 0.0)
    return gains


@pytest.mark.parametrize(
    ("spec", "at", "seat", "seed"), [("kuhn", "moves:1", 1, 0), ("leduc:bets=1/2,merged=true", "round", 0, 3)]
)
def test_of_all_optimal_plans_it_is_one_that_wins_most_from_the_model(
    game_of: GameOf, spec: str, at: str, seat: int, seed: int
) -> None:
    case = known_case(game_of(spec), at, seat, seed)
    gains = optimal_gains(case, 0.4, 12)
    most = case.resolved(alpha=0.4).gain_after
    assert most is not None
    assert max(gains) <= most + 1e-7
    assert min(gains) < most - 1e-3  # there are ties


def test_ties_of_a_look_ahead_are_broken_toward_the_model_too(
    leduc: cp.GameTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = cp.opponent(leduc, "cfr:5", 1)
    words: dict[str, Any] = {"method": "ses", "alpha": 0.3, "depth": "round", "solver": "lp"}
    toward = cp.respond(leduc, model, **words)
    for module in (step, resolver):
        monkeypatch.setattr(module, "breaks_ties", lambda *_: False)
    any_ = cp.respond(leduc, model, **words)
    assert toward.gain > any_.gain + 1e-3


def test_each_ses_says_which_it_is_and_that_no_bound_holds(game_of: GameOf) -> None:
    """The continual method has none; of a blueprint there is one where it was asked for and theorem 1 applies."""
    answer = cp.respond(game_of("kuhn"), cp.opponent(game_of("kuhn"), "uniform", player=1), cp.SES(0.5))
    assert (answer.variant or "").startswith("continual")
    assert "no bound holds" in (answer.bound or "")
    assert {"variant": answer.variant, "bound": answer.bound}.items() <= answer.facts.items()
    other = cp.respond(game_of("kuhn"), cp.opponent(game_of("kuhn"), "uniform", player=1), cp.RNR(0.5))
    assert (other.variant, other.bound) == (None, None)
    bounds = set()
    for seed, case in cases(0, 20):
        plain = case.resolved(alpha=0.3)
        assert (plain.variant or "").startswith("of a blueprint")
        assert "no bound holds" in (plain.bound or ""), seed
        assert "--bounds" in (plain.bound or "")
        found = case.resolved(alpha=0.3, bounds=True)
        assert found.safety is not None
        most = found.safety.exploitability
        bounds.add(np.isfinite(most))
        assert ("no bound holds" in (found.bound or "")) == (not np.isfinite(most)), seed
        assert not np.isfinite(most) or f"at most {most:.6g} chips" in (found.bound or "")
        assert found.facts["bound"] == found.bound
    assert bounds == {True, False}
    assert (case.resolved(alpha=0.0).variant, case.resolved(alpha=0.0).bound) == (None, None)


def test_what_breaks_ties_is_said(game_of: GameOf) -> None:
    case = known_case(game_of("kuhn"), "moves:1", 1, 0)
    assert case.resolved(alpha=0.4).ties == "toward the model"
    assert case.resolved(alpha=0.4, solver="cfr+").ties == "open: the gain is not unique"
    assert case.resolved(alpha=0.4, prior="uniform").ties == "toward the prior"
    assert case.resolved(alpha=0.0).ties is None


def test_a_program_of_rarely_reached_states_finds_what_a_minimiser_finds(leduc: cp.GameTree) -> None:
    """Behind alpha = 1 CFVs are divided by reaches down to 1e-14: payoffs of all sizes, none of which counts as 0."""
    model = cp.opponent(leduc, "random:1")
    exact, iterated = (
        cp.respond(leduc, model, cp.SES(alpha=1.0, look=cp.LookAhead(1)), solver=solver, stop=cp.Stop(1e-5, 3000))
        for solver in ("lp", "dcfr")
    )
    assert exact.gain == pytest.approx(iterated.gain, abs=0.05)
    assert exact.exploitability == pytest.approx(iterated.exploitability, abs=0.05)
