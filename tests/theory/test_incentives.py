"""Opponents who gain something for an action, and opponents with the leaks of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, Stop
from counterplay.opponents.incentive import incentive_problem, placed_problem
from counterplay.poker.locking.exploit_leak import exploit_leak
from counterplay.poker.locking.leak_match import PlacedGains
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.minimiser import DCFR
from counterplay.treeplex.sweeps import reach
from tests.support import witness
from tests.support.commands import Runner

POLAR = cp.Spot("Ks 8h 8d 4c 2s", "KhKd,7h6h", "AcAd", 100, 100, "oop: a; ip: none", big_blind=2)  # type: ignore[arg-type]

EXAMPLES = Path(__file__).parents[2] / "examples"


class Rewarded:
    """Kuhn poker whose utility is less by what player 1 gains for betting or calling (more by what player 0 gains)."""

    def __init__(self, player: int, gain: float) -> None:
        self._inner, self._player, self._gain = cp.load("kuhn").rules, player, gain

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def utility(self, state: Any) -> float:
        text = self._inner.infoset(state, self._player)[1:]  # the card, then a letter for each action
        bets = sum(letter == "b" for k, letter in enumerate(text) if k % 2 == self._player)
        return float(self._inner.utility(state)) + (1.0 if self._player == 0 else -1.0) * self._gain * bets


@pytest.mark.parametrize("player", [0, 1])
def test_an_incentive_is_an_equilibrium_of_the_general_sum_game(player: int) -> None:
    """By recursion on the rules: neither the responder, who counts chips, nor the opponent, who also gains, can win more."""
    game, gain = cp.load("kuhn"), 0.3
    problem = incentive_problem(game, player, (("bet", str(gain)),))
    found = solve_cfr(problem, DCFR, Stop(1e-4, 20_000))
    tables = [cp.Strategy.from_plan(tree, plan).table() for tree, plan in zip(game.trees, found.plans, strict=True)]
    rules: list[Any] = [game.rules, game.rules]
    rules[player] = Rewarded(player, gain)
    for who in (0, 1):
        sign = 1.0 if who == 0 else -1.0
        best, _ = witness.best_response(rules[who], who, tables[1 - who])
        assert best - sign * witness.expected(rules[who], *tables) <= 4e-4
    model = cp.opponent(game, f"incentive:bet={gain}", player)
    assert model.facts["incentive error"] <= 1e-3


def test_a_gain_for_calling_changes_the_bluffs_in_equilibrium_and_the_calls_of_who_does_not_notice() -> None:
    """With the nuts or nothing and a bet b into a pot P, a caller who gains g is indifferent at (b - g) / (P + 2b) bluffs,
    and the bettor at b / (P + b) folds, whatever g is: equilibria have no own-payoff effect."""
    game, bet, gain = cp.load(POLAR), 100.0, 10.0
    problem = incentive_problem(game, 1, (("call", "5bb"),))
    plans = [
        cp.Strategy.from_plan(t, p) for t, p in zip(game.trees, solve_cfr(problem, DCFR, Stop(0.02)).plans, strict=True)
    ]
    row = plans[1].probabilities("all-in 100 | AdAc")
    assert row["call"] == pytest.approx(0.5, abs=0.02)
    bluff = plans[0].probabilities("7h6h")["all-in 100"]
    assert bluff / (1.0 + bluff) == pytest.approx((bet - gain) / (100.0 + 2.0 * bet), abs=0.01)
    unaware = cp.opponent(POLAR, "incentive:call=5bb:nash", player=1)
    assert unaware.probabilities("all-in 100 | AdAc")["call"] == 1.0
    assert cp.respond(POLAR, unaware, max_exploitability="5%").exploitability <= 5.001


def test_a_lock_is_an_opponent_everywhere(tmp_path: Path) -> None:
    """As a model it is the leak of `exploit_leak` with the solution elsewhere."""
    file = tmp_path / "leak.txt"
    file.write_text('trust 0.5 at "a": fold 90%')
    leaky = cp.opponent(POLAR, f"lock:{file}", player=1)
    assert leaky.probabilities("all-in 100 | AdAc")["fold"] == pytest.approx(0.7, abs=1e-3)
    file.write_text('at "a": fold 70%')
    model = cp.opponent(POLAR, f"lock:{file}", player=1)
    mine = cp.respond(POLAR, model, max_exploitability="5%")
    lock = lock_nodes(cp.solve_spot(POLAR, percent_of_pot=0.01), Leaks.from_file(file))
    theirs = exploit_leak(lock, max_exploitability="5%", elsewhere="solved")
    assert mine.gain == pytest.approx(theirs.gain, abs=0.1)
    with pytest.raises(InputError, match="take the other seat"):
        cp.opponent(POLAR, f"lock:{file}", player=0)
    with pytest.raises(InputError, match="is an opponent in a spot of hold'em, not in kuhn"):
        cp.opponent(cp.load("kuhn"), f"lock:{file}", player=1)


def test_a_lock_is_an_opponent_in_every_command(run: Runner, tmp_path: Path) -> None:
    """All of them say the same of the bluff catcher who folds 70 %: a best response wins 10 chips, half of them bluffs."""
    spot, file, solved = EXAMPLES / "bluffcatcher.toml", EXAMPLES / "leaks/bluffcatcher.txt", tmp_path / "river.spot"
    lock = f"lock:{file}"
    assert run("spot", "--file", str(spot), "--exploitability", "0.01", "-o", str(solved)).code == 0
    assert run("respond", str(spot), "--to", lock, "--json").json["gain"] == pytest.approx(10.0, abs=0.05)
    assert run("spot", "--file", str(solved), "--lock", str(file), "--json").json["gain"] == pytest.approx(
        10.0, abs=0.05
    )
    assert run("evaluate", str(spot), f"br:{lock}", "--against", lock, "--json").json["gain"] == pytest.approx(
        10, abs=0.05
    )
    points = run("frontier", str(spot), "--to", lock, "--points", "2", "--methods", "br", "--json").json["points"]
    assert points[0]["gain"] == pytest.approx(10.0, abs=0.05)
    met = run("match", str(spot), f"br:to={lock}", lock, "--hands", "300", "--seat", "0", "--json").json
    assert abs(met["mean"] - 35.0) <= 4.0 * (met["interval"][1] - met["mean"]) / 1.96  # 85 of 100, less half of the pot
    assert met["seat"] == 0
    told = run("match", str(spot), "nash", lock, "--hands", "2")
    assert (told.code, "take the other seat (--seat)" in told.err) == (2, True)
    assert "you have seat 0" in run("play", str(spot), "--against", lock, typed="q\n").out
    assert "fold 50.0 -> 70.0 %" in run("compare", str(solved), lock).out


TURN = cp.Spot("Ks 8h 8d 4c", "KhKd,7h6h,AhQh", "AdAc,JsTs,9h7s", 100, 100, "a", raises=1, big_blind=2)  # type: ignore[arg-type]


def test_gains_at_places_are_gains_of_actions_and_add_up_over_hands_and_cards() -> None:
    """The payoff of a file that names every place is that of the action; hands and streets add up to the whole."""
    game = cp.load(TURN)
    rng = np.random.default_rng(3)
    rows = [
        cp.Strategy.from_plan(tree, tree.uniform()).behaviour * rng.uniform(0.5, 1.5, tree.size) for tree in game.trees
    ]
    plans = [reach(tree, row) for tree, row in zip(game.trees, rows, strict=True)]
    dealt = game.subgame.restrictions[1].played(game.trees[1], game.trees[1].uniform()) > 0.0

    def against(problem: Subgame) -> Any:
        return (problem.leaves.product(1, plans[0]) - game.payoff.product(1, plans[0]))[dealt]

    def gained(text: str) -> Any:
        return against(placed_problem(game, 1, PlacedGains.from_text(f"opponent ip\n{text}")))

    whole = against(incentive_problem(game, 1, (("call", "3"),)))
    every = gained("at any: call gains 1.5bb")
    assert np.abs(every).max() > 0.0
    np.testing.assert_allclose(every, whole, atol=1e-12)
    hands = [gained(f"at any with {one}: call gains 3") for one in ("AdAc", "JsTs,9h7s")]
    np.testing.assert_allclose(sum(hands), whole, atol=1e-12)
    streets = [gained(f"on {street}: call gains 3, fold loses 0") for street in ("turn", "river")]
    np.testing.assert_allclose(sum(streets), whole, atol=1e-12)
    card = gained('at "x x 2c a": call gains 3')
    assert 0 < np.count_nonzero(card) < np.count_nonzero(gained('at "x x a": call gains 3'))
    np.testing.assert_allclose(gained("at any: call gains 9\nat any: call loses 3"), -whole, atol=1e-12)


def test_an_incentive_at_a_place_is_an_opponent(tmp_path: Path) -> None:
    """A bluff catcher who gains for the call with one of two hands calls with it; in equilibrium the error is small."""
    spot = cp.Spot("Ks 8h 8d 4c 2s", "KhKd,7h6h", "AdAc,QdQc", 100, 100, "oop: a; ip: none", big_blind=2)  # type: ignore[arg-type]
    file = tmp_path / "likes.txt"
    file.write_text('at "a" with QQ: call gains 5bb')
    unaware = cp.opponent(spot, f"incentive:{file}:nash", player=1)
    assert unaware.probabilities("all-in 100 | QdQc")["call"] == 1.0
    aware = cp.opponent(spot, f"incentive:{file}", player=1)
    assert aware.facts["incentive error"] <= 0.1
    for text, told in (
        ("at any: call gains", "is no gain: write 'call gains 0.5bb'"),
        ('at "a": raise gains 1', "'raise x1' is not an action"),
        ('at "": bet gains 1', "oop acts|these gains are of oop"),
    ):
        file.write_text(f"opponent ip\n{text}" if "any" in text else text)
        with pytest.raises(InputError, match=told):
            cp.opponent(spot, f"incentive:{file}", player=1)
    file.write_text("opponent ip\nat any: call gains 1")
    with pytest.raises(InputError, match="names nodes of a spot of hold'em, not of kuhn"):
        cp.opponent(cp.load("kuhn"), f"incentive:{file}", player=1)
