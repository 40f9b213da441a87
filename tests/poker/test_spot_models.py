"""Players of a spot from hands and from figures: the smallest change that meets the near ends of what was observed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import counterplay as cp
from counterplay import InputError, SolvedSpot
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.tilting.spot_tilt import (
    count_in_spot,
    fit_frequencies,
    situations,
    spot_from_figures,
    spot_from_hands,
    statistic_classes,
    tilt_spot,
)
from counterplay.opponents.villain.seen_decisions import ObservedShare, StrategyFigures
from counterplay.poker.betting.line_notation import SLUMBOT, replay_line
from counterplay.poker.betting.rules import holdem
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.solvers.best_response import best_response
from tests.support.commands import Runner

RULES = holdem(2_000, blinds=(50, 100))
BOARD = (0, 5, 10, 17, 30)
FOLDS, RAISES = "river, facing a bet of at least 60%: folds", "river, facing a bet of at least 60%: raises"
CHECKED = "river, after a check: bets"


def _hand(river: str) -> HoldemHand:
    """A hand of bob, on the button, with 600 in the pot and 1,700 behind on the river."""
    line = replay_line(RULES, f"b300c/kk/kk/{river}", SLUMBOT)
    return HoldemHand(("ann", "bob"), RULES, line, ((), ()), BOARD)


def test_counts_are_by_situation_and_say_what_sizes_became(river: SolvedSpot) -> None:
    """The spot has bets of 75 % and all-in: half of the pot, the whole pot and 80 % become 75 %, in three situations."""
    hands = [_hand("b300f"), _hand("b600c"), _hand("b480b1700f"), _hand("kb300f"), _hand("kk")]
    classes = situations(river.spot.betting, 1)
    found = count_in_spot(river.spot, classes, hands, "bob", 1)
    assert (found.hands, found.decisions) == (5, 5)
    seen = {name: (share.k, share.n) for name, share in found.counted.items() if share.n}
    assert seen == {FOLDS: (1, 3), RAISES: (1, 3), CHECKED: (1, 2)}
    bets = next(one for one in found.sizes if (one.kind, one.to) == ("bet", "75 %"))
    assert (bets.n, bets.mapped) == (4, 4)
    assert dict(bets.sizes) == {"50 %": 2, "100 %": 1, "80 %": 1}
    assert not found.left_out


def test_what_does_not_count_is_told(river: SolvedSpot) -> None:
    classes = situations(river.spot.betting, 1)
    short = holdem(350, blinds=(50, 100))
    shallow = HoldemHand(("ann", "bob"), short, replay_line(short, "b300c/kk/kk/kk", SLUMBOT), ((), ()), BOARD)
    flop = HoldemHand(("ann", "bob"), RULES, replay_line(RULES, "b300c/b300f", SLUMBOT), ((), ()), BOARD[:3])
    other = HoldemHand(("bob", "ann"), RULES, _hand("kk").line, ((), ()), BOARD)
    found = count_in_spot(river.spot, classes, [_hand("kk"), shallow, flop, other], "bob", 1)
    assert found.hands == 1
    assert sorted(found.left_out.values()) == [1, 1, 1]
    with pytest.raises(InputError, match="no hands of 'bob' fit the spot: 1 hands without betting on the river"):
        count_in_spot(river.spot, classes, [flop], "bob", 1)
    with pytest.raises(InputError, match="no hands of 'eve' fit the spot: there are none"):
        count_in_spot(river.spot, classes, [flop], "eve", 1)


def test_the_tilt_stops_at_the_near_end(river: SolvedSpot) -> None:
    """What the solution does within an interval is not locked; beyond it, the frequency becomes the end nearer by."""
    classes = situations(river.spot.betting, 1)
    known = {
        row.name: row.known or 0.0 for row in tilt_spot(river, 1, classes, {c.name: (0.0, 1.0) for c in classes}).rows
    }
    bounds = {
        FOLDS: (0.5 * known[FOLDS], 0.8 * known[FOLDS]),
        RAISES: (known[RAISES] - 0.01, 1.0),
        CHECKED: (known[CHECKED] + 0.2, known[CHECKED] + 0.3),
    }
    found = tilt_spot(river, 1, classes, bounds)
    rows = {row.name: row for row in found.rows}
    assert rows[FOLDS].achieved == pytest.approx(bounds[FOLDS][1], abs=1e-4)
    assert rows[CHECKED].achieved == pytest.approx(bounds[CHECKED][0], abs=1e-4)
    assert not rows[RAISES].locked
    assert rows[RAISES].target is None
    assert (rows[RAISES].achieved or 0.0) >= bounds[RAISES][0]
    assert found.lock.nodes
    assert found.lock.opponent == 1


def test_an_unbounded_tilt_is_the_solution(river: SolvedSpot) -> None:
    classes = situations(river.spot.betting, 0)
    found = tilt_spot(river, 0, classes, {one.name: (0.0, 1.0) for one in classes})
    assert not found.lock.nodes
    assert found.lock.plans.digest() == river.plans.digest()


@given(
    st.lists(st.tuples(*[st.floats(0.05, 1.0)] * 3), min_size=2, max_size=4), st.floats(0.1, 0.5), st.floats(0.1, 0.4)
)
def test_no_change_with_these_frequencies_is_smaller(rows: list[Any], fold: float, bet: float) -> None:
    """Against a general minimiser of relative entropy: hands of equal weight, with bounds on two of three actions."""
    usual = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    bounds = {"fold": (fold, fold + 0.1), "bet": (bet, bet)}

    def tilted(weights: Any) -> Any:
        out = usual * np.exp([weights.get("fold", 0.0), 0.0, weights.get("bet", 0.0)])
        return out / out.sum(axis=1, keepdims=True)

    def figures(weights: Any) -> dict[str, float]:
        mean = tilted(weights).mean(axis=0)
        return {"fold": float(mean[0]), "bet": float(mean[2])}

    def change(flat: Any) -> float:
        now = np.maximum(flat.reshape(usual.shape), 1e-12)
        return float((now * np.log(now / usual)).sum())

    fit = fit_frequencies(figures, bounds)
    ours = tilted(fit.weights)
    size, (folds, _, bets), push = usual.size, ours.mean(axis=0), fit.weights["fold"]
    # A bound that pushes is where the fit ended, which is within 2e-5 of it; that alone is worth more than the tolerance.
    low, high = folds if push > 0.0 else fold, folds if push < 0.0 else fold + 0.1
    limits = [
        {"type": "eq", "fun": lambda x: x.reshape(usual.shape).sum(axis=1) - 1.0},
        {"type": "ineq", "fun": lambda x: x.reshape(usual.shape).mean(axis=0)[0] - low},
        {"type": "ineq", "fun": lambda x: high - x.reshape(usual.shape).mean(axis=0)[0]},
        {"type": "eq", "fun": lambda x: x.reshape(usual.shape).mean(axis=0)[2] - bets},
    ]
    best = minimize(
        change, usual.ravel(), method="SLSQP", bounds=[(1e-9, 1.0)] * size, constraints=limits, options={"ftol": 1e-10}
    )
    assert change(ours) <= best.fun + 1e-5
    assert fold - 1e-4 <= ours.mean(axis=0)[0] <= fold + 0.1 + 1e-4
    assert ours.mean(axis=0)[2] == pytest.approx(bet, abs=1e-4)


def test_figures_of_a_spot_are_met_where_they_count(turn: SolvedSpot) -> None:
    figures = {"fold to c-bet turn": 0.4, "c-bet river": 0.6, "VPIP button": 0.5}
    rows = {row.name: row for row in spot_from_figures(turn, 1, figures).rows}
    assert rows["fold to c-bet turn"].achieved == pytest.approx(0.4, abs=1e-3)
    assert rows["c-bet river"].achieved == pytest.approx(0.6, abs=1e-3)
    assert rows["VPIP button"].known is None
    assert rows["VPIP button"].achieved is None


def test_figures_of_a_whole_game_are_met() -> None:
    """Measured again by the statistics of the tilted strategy against the blueprint."""
    game = read_holdem("holdem:deck=20,stack=10bb,bets=fcpa,last=flop,buckets=4").game
    plain, text = strategy_of(game, "uniform"), "profile:vpip=70,vpip big=30,fold to c-bet flop=60:uniform"
    found = StrategyFigures(game, strategy_of(game, text), plain).figures(10)
    assert found["VPIP button"] == pytest.approx(0.7, abs=1e-3)
    assert found["VPIP big blind"] == pytest.approx(0.3, abs=1e-3)
    assert found["fold to c-bet flop"] == pytest.approx(0.6, abs=1e-3)
    both = StrategyFigures(game, plain).figures(3)
    against = StrategyFigures(game, plain, plain).figures(3)
    assert both == pytest.approx(against)


def test_a_supported_leak_loses_what_a_response_wins(river: SolvedSpot) -> None:
    """Who never folds in 40 hands folds at most a tenth: bluffs stop, and every response is measured on that lock."""
    hands = [_hand("b480c")] * 40
    found = spot_from_hands(river, 1, hands, "bob")
    row = next(one for one in found.rows if one.name == FOLDS)
    assert row.counted == ObservedShare(0, 40)
    assert row.achieved == pytest.approx(ObservedShare(0, 40).interval[1], abs=1e-4)
    solved = best_response(river.tree.subgame, 0, found.lock.plans.reach(1))
    usual = river.plans.value(0)
    assert solved.value > usual + 0.005 * river.spot.pot


RIVER_FILE = str(Path(__file__).parents[2] / "examples" / "river.toml")


@pytest.fixture
def phhs(tmp_path: Path) -> Path:
    """40 hands of bob, who never folds on the river, as a file."""
    from counterplay.opponents.histories.read_hands import write_hands

    path = tmp_path / "river.phhs"
    write_hands(path, [_hand("b480c")] * 40)
    return path


def test_the_command_shows_counts_lock_and_answer(run: Runner, phhs: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = f"hands:{phhs},player=bob"
    told = run("spot", "--file", RIVER_FILE, "--villain", text, "--max-exploitability", "2%").out
    assert "bob as ip: 40 decisions in 40 hands" in told
    assert "0 / 40" in told
    assert "0 to 9" in told
    shown = run("spot", "--file", RIVER_FILE, "--villain", text, "--p", "0.5", "--json").json
    assert shown["villain"]["hands"]["sizes"][0]["n"] == 40
    assert shown["villain"]["frequencies"][0]["n"] == 40
    columns = run("spot", "--file", RIVER_FILE, "--villain", "profile:fold to=80", "--side-by-side").out
    assert "80.0 %" in columns
    assert "full exploit" in columns
    response = run("respond", RIVER_FILE, "--to", text, "--max-exploitability", "2%").out
    assert "gain" in response
    assert "bob: 40 decisions in 40 hands; 40 of 40 bets mapped to sizes of the tree" in caplog.text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--villain", "uniform"], "no player known from hands or figures"),
        (["--villain", "profile:VPIP=3"], "none of its figures counts in this spot"),
        (["--villain", "profile:luck=3"], "no statistic begins with 'luck'"),
        (["--villain", "profile:3-bet=300"], "from 0 to 100 per cent"),
        (["--villain", "profile:fold to=50", "--opponent", "us"], "--opponent is oop or ip"),
        (["--villain", "profile:fold to=50", "--lock", "leak.txt"], "both name the opponent"),
        (["--opponent", "oop"], "--opponent needs a --villain"),
        (["--villain", "hands:nowhere.phhs,player=bob"], "there is no such file"),
    ],
)
def test_a_villain_that_does_not_fit_is_refused(run: Runner, words: list[str], message: str) -> None:
    found = run("spot", "--file", RIVER_FILE, *words)
    assert found.code == 2
    assert message in found.err.replace("\n", " ")


def test_a_profile_is_its_text() -> None:
    profile = cp.Profile((("VPIP", 45.0), ("fold to c-bet", 70.0)))
    assert str(profile) == "profile:VPIP=45,fold to c-bet=70:nash"
    assert profile.shares["fold to c-bet turn"] == 0.7
    assert {
        one.name for one in statistic_classes(read_holdem("holdem:deck=20,stack=5bb,bets=fcpa,last=flop").betting, 1)
    }
