"""The dial p from a requested exploitability; currency, seats and errors of values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.responses.methods import p_from_bound
from tests.support.random_games import Knobs, MatchUp, NamedRandomGame, Scaled, Swapped, match_ups
from tests.support.theorems import FEW, SMALL, GameOf, same, slack, weighed


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=[pytest.mark.slow] * spec.startswith("leduc")) for spec in SMALL]
)
@pytest.mark.parametrize("seat", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_p_is_found_for_a_requested_exploitability(game_of: GameOf, spec: str, seat: int) -> None:
    """The exploitability that is asked for is kept, the answer says that p was found, and more of it wins no less."""
    game = game_of(spec)
    model = cp.opponent(game, "random:2", player=1 - seat)
    words: dict[str, Any] = {"method": "cdrnr", "depth": 1}
    gains = []
    for share in (0.0, 0.02, 10.0):
        answer = cp.respond(game, model, max_exploitability=share * game.span, **words)
        assert answer.exploitability <= share * game.span + slack(game)
        assert answer.p_from == "bisection"
        assert answer.p is not None
        again = cp.respond(game, model, p=answer.p, **words)
        assert again.p_from == "given"
        same(answer, again)
        gains.append(answer.gain)
    assert gains[2] == pytest.approx(cp.respond(game, model, method="cdbr", depth=1).gain, abs=slack(game))
    assert gains[0] >= -slack(game)
    assert answer.p == 1.0
    assert cp.respond(game, model, method="cdbr", depth=1).p_from is None


def test_p_from_the_bound_where_nothing_can_be_won(kuhn: cp.GameTree) -> None:
    """Against an equilibrium there is no gain, and p still must keep what is asked: full trust does not."""
    model, epsilon = cp.opponent(kuhn, "nash", player=0), 0.1
    p = p_from_bound(epsilon, 0.0)
    assert cp.respond(kuhn, model, method="cdrnr", p=p, depth=1).exploitability <= epsilon


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from((0.01, 0.1, 0.5)))
def test_p_from_the_bound_keeps_the_exploitability(match: MatchUp, depth: int, share: float) -> None:
    """Milec et al. 2024, theorem 5.3: p = ε / (ε + the best response's gain) is not measured; bisection finds no smaller."""
    game, epsilon = match.game, share * match.game.span
    p = p_from_bound(epsilon, cp.respond(game, match.model).gain)
    assert 0.0 <= p <= 1.0
    assume(p < 1.0 - 1e-9)
    words: dict[str, Any] = {"method": "cdrnr", "depth": depth}
    assert cp.respond(game, match.model, p=p, **words).exploitability <= epsilon + slack(game)
    found = cp.respond(game, match.model, max_exploitability=epsilon, **words)
    assert found.exploitability <= epsilon + slack(game)
    assert found.p is not None
    assert found.p >= p - 2.0**-14


LOOKS: list[dict[str, Any]] = [
    {"method": "cdbr", "depth": 1},
    {"method": "cdrnr", "p": 0.4, "depth": 1},
    {"method": "cdrnr", "p": 0.4, "depth": 99},
]


@FEW
@given(match_ups(), st.sampled_from(LOOKS))
def test_doubled_chips_double_what_is_won(match: MatchUp, look: dict[str, Any]) -> None:
    """Twice the utilities: the same strategies, up to ties, and twice the values."""
    game = cp.load(Scaled(match.rules, 2.0))
    model = cp.opponent(game, match.table.__getitem__, player=1 - match.seat)
    before, after = cp.respond(match.game, match.model, **look), cp.respond(game, model, **look)
    p = look.get("p", 1.0)
    assert weighed(after, p) == pytest.approx(2.0 * weighed(before, p), abs=slack(game))


@FEW
@given(match_ups(), st.sampled_from(LOOKS))
def test_changed_seats_change_nothing(match: MatchUp, look: dict[str, Any]) -> None:
    """The responder's objective is the same from the other chair."""
    game = cp.load(Swapped(match.rules))
    model = cp.opponent(game, match.table.__getitem__, player=match.seat)
    before, after = cp.respond(match.game, match.model, **look), cp.respond(game, model, **look)
    p = look.get("p", 1.0)
    assert after.seat == 1 - before.seat
    assert weighed(after, p) == pytest.approx(weighed(before, p), abs=slack(game))


def test_changed_seats_keep_public_states_where_those_who_do_not_act_are_told() -> None:
    """With less told, this game would be cut elsewhere, and its look-aheads would be others."""
    rules = NamedRandomGame(Knobs(6, 328, 2, True, "outcome"))
    assert cp.load(Swapped(rules)).public_states == cp.load(rules).public_states


@pytest.mark.parametrize("value", ["lp", "cfr:20"])
def test_errors_of_a_value_function_are_counted_in_chips(game_of: GameOf, value: str) -> None:
    """Twice the utilities, twice the errors; a limit at the same place."""
    game = game_of("liars_dice:1,3,wild=false")
    before = cp.value_error(game, value, samples=2)
    after = cp.value_error(cp.load(Scaled(game.rules, 2.0)), value, samples=2)
    assert after.mean == pytest.approx(2.0 * before.mean, abs=slack(game))
    assert after.worst == pytest.approx(2.0 * before.worst, abs=slack(game))
    assert after.states == before.states
