"""Safe gadgets in look-aheads keep the blueprint's value; the full gadget is safe solved jointly only."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import counterplay as cp
from tests.support import witness
from tests.support.covering import covering
from tests.support.random_games import Knobs, MatchUp, RandomGame, match_ups
from tests.support.seats import seats_in_turn
from tests.support.theorems import FEW, SAFE, SMALL, GameOf, slack, torn


@pytest.mark.parametrize("gadget", SAFE)
def test_safe_gadgets_where_a_public_state_is_entered_again(gadget: str) -> None:
    """Re-solving is safe, or rejected, if the number of moves is not public."""
    game = cp.load(RandomGame(Knobs(depth=5, seed=264, lonely=2, named=False, utilities="whole")))
    model = cp.opponent(game, "random:1", player=1)
    answer = cp.respond(game, model, method="resolve", gadget=gadget, depth=1, solve="per-state")
    assert answer.exploitability <= slack(game)  # it is 0.2995


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from(SAFE))
def test_safe_gadgets_without_trust_keep_the_blueprint_s_value(match: MatchUp, depth: int, gadget: str) -> None:
    """From an exact first look-ahead on, no public state that is solved alone with a safe gadget loses value."""
    game = match.game
    assume(not torn(game))
    for method in ({"method": "resolve"}, {"method": "cdrnr", "p": 0.0}):
        for solve in ("per-state", "joint"):
            words: dict[str, Any] = {**method, "depth": depth, "gadget": gadget, "solve": solve}
            answer = cp.respond(game, match.model, **words)
            assert answer.exploitability <= slack(game)
            worth = witness.best_response(match.rules, 1 - match.seat, answer.strategy.table())[0]
            assert -worth >= witness.value(match.rules, match.seat) - slack(game)


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from((0.1, 0.5, 0.8)), st.sampled_from(("per-state", "joint")))
def test_the_resolving_gadget_keeps_the_bound_of_the_full_one(match: MatchUp, depth: int, p: float, solve: str) -> None:
    """Exploitability is at most gain p/(1-p), and gain is not negative, at any trust in the model, jointly and state by
    state: a root pays what a best response wins there beyond its alternative value, and all roots together pay no less
    than a best response wins more in the whole game."""
    game = match.game
    assume(not torn(game))
    answer = cp.respond(game, match.model, method="cdrnr", p=p, depth=depth, gadget="resolving", solve=solve)
    assert answer.gain >= -slack(game)
    assert (1.0 - p) * answer.exploitability <= p * answer.gain + slack(game)


@pytest.mark.parametrize(("spec", "gadget", "seat"), covering(SMALL, SAFE, (0, 1)))
def test_safe_gadgets_in_the_catalogue(game_of: GameOf, spec: str, seat: int, gadget: str) -> None:
    """The same in poker, Goofspiel, liar's dice and battleships."""
    game = game_of(spec)
    model = cp.opponent(game, "uniform", player=1 - seat)
    answer = cp.respond(game, model, method="resolve", gadget=gadget, depth=1, solve="per-state")
    assert answer.exploitability <= slack(game)
    assert (answer.gadget, answer.solve, answer.p) == (gadget, "per-state", None)


@pytest.mark.parametrize(("spec", "seat"), seats_in_turn((spec,) for spec in ("battleships:2,2,1x1", *SMALL)))
def test_the_full_gadget_solved_jointly_is_safe(game_of: GameOf, spec: str, seat: int) -> None:
    """Exploitability is at most gain p/(1-p), so 0 for p = 0, and gain is never negative."""
    game = game_of(spec)
    for opponent in ("random:2", "cfr+:3"):
        model = cp.opponent(game, opponent, player=1 - seat)
        for p in (0.0, 0.1, 0.5, 0.8):
            answer = cp.respond(game, model, method="cdrnr", p=p, depth=1)
            assert answer.gain >= -slack(game)
            assert (1.0 - p) * answer.exploitability <= p * answer.gain + slack(game)


@pytest.mark.slow
@pytest.mark.parametrize(("seat", "lost"), [(0, 0.25), (1, 0.1875)])
def test_the_full_gadget_state_by_state_is_not_safe(game_of: GameOf, seat: int, lost: float) -> None:
    """In 2x2 battleships public states that are solved one by one each count on the others: p = 0 is exploitable. For seat 0
    `docs/errata.md` runs it, too, in `make test`."""
    game = game_of("battleships:2,2,1x1")
    model = cp.opponent(game, "random:2", player=1 - seat)
    alone, joint = (
        cp.respond(game, model, method="cdrnr", p=0.0, depth=1, solve=way).exploitability
        for way in ("per-state", "joint")
    )
    assert alone == pytest.approx(lost, abs=1e-9)
    assert joint == pytest.approx(0.0, abs=1e-9)


@FEW
@given(match_ups(), st.integers(1, 3))
def test_look_aheads_against_the_model_never_lose_to_it(match: MatchUp, depth: int) -> None:
    """The gain of CDBR is not negative, also where every public state is solved alone, as in play."""
    for solve in ("joint", "per-state"):
        assert cp.respond(match.game, match.model, method="cdbr", depth=depth, solve=solve).gain >= -slack(match.game)
