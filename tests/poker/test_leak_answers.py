"""Answers to leaks: by hand, by the linear program, on the turn, along the dials, and in the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from counterplay import InputError, SolvedSpot, Spot, Stop, solve_spot
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.locking import leak_response
from counterplay.poker.locking.exploit_leak import chips, compare_answers, exploit_leak, report_side_by_side
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import NodeLock, lock_nodes
from counterplay.poker.locking.report import report_leak
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.plan_stores import spot_plans
from counterplay.poker.spots import solve_spot as solver
from counterplay.poker.spots.solution import load_spot
from counterplay.problem.subgame import two_opponents
from counterplay.solvers.best_response import best_response, gap
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.lp import FixedInfosets, SequenceFormLP, solve_lp
from counterplay.solvers.minimiser import minimiser
from tests.support.commands import Runner
from tests.support.leak_spots import RIVER, answered, hand, locked


@pytest.mark.parametrize("elsewhere", ["free", "solved"])
@pytest.mark.parametrize("fold", [0.0, 0.2, 0.7, 0.9])
def test_the_plain_lock_by_hand(catcher: SolvedSpot, fold: float, elsewhere: str) -> None:
    """Ip folds a share f to a bet of the pot. The nuts bet and get 200 - 100 f; nothing bets for 100 (2 f - 1) if that is
    above 0, so as soon as f > 1/2. Equilibrium is worth 75, half of the time nuts: the gain is 50 |f - 1/2|. Who always
    bets is called, who never bluffs meets a fold: 25 come back."""
    found = answered(catcher, f'at "a": fold {100 * fold}%', elsewhere=elsewhere)
    top = found.answered.node()
    assert top.probabilities[hand("KhKd"), 1] == pytest.approx(1.0, abs=1e-3)
    assert top.probabilities[hand("7h6h"), 1] == pytest.approx(float(fold > 0.5), abs=1e-3)
    assert found.value == pytest.approx(75.0 - 50.0, abs=0.01)
    assert found.gain == pytest.approx(50 * abs(fold - 0.5), abs=0.01)
    assert found.exploitability == pytest.approx(25.0, abs=0.05)
    assert found.equilibrium_gain == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(("p", "gain", "loss"), [(0.0, 0, 0), (0.6, 0, 0), (0.8, 10, 25), (1.0, 10, 25)])
def test_the_restricted_response_by_hand(catcher: SolvedSpot, p: float, gain: float, loss: float) -> None:
    """With f = 0.7, one bluff more in a hand of nothing wins 20 from the leak and loses 50: it is made from p = 5/7 on."""
    for elsewhere in ("free", "solved"):
        found = answered(catcher, 'at "a": fold 70%', p=p, elsewhere=elsewhere)
        assert (found.gain, found.exploitability) == pytest.approx((gain, loss), abs=0.05)


@pytest.mark.parametrize("epsilon", [1.0, 5.0, 20.0, 60.0])
def test_the_safe_answer_by_hand(catcher: SolvedSpot, epsilon: float) -> None:
    """The same bluffs: 20 won for 50 lost, until nothing always bets."""
    found = answered(catcher, 'at "a": fold 70%', max_exploitability=epsilon)
    assert found.exploitability <= epsilon
    assert found.gain == pytest.approx(min(0.4 * epsilon, 10.0), abs=0.02)
    assert found.most == pytest.approx(min(0.4 * epsilon, 10.0), abs=0.05)
    assert found.gain <= found.most + 1e-9


@pytest.mark.parametrize(("trust", "gain"), [(0.0, 0.0), (0.5, 0.0), (0.8, 3.0), (0.9, 6.5), (1.0, 10.0)])
def test_trust_by_hand(catcher: SolvedSpot, trust: float, gain: float) -> None:
    """The rest of the time ip is free, and calls: it folds 0.7 t, as long as that is more than half."""
    found = answered(catcher, f'trust {trust} at "a": fold 70%')
    assert found.gain == pytest.approx(gain, abs=0.02)
    if trust <= 0.5:
        assert found.exploitability == pytest.approx(0.0, abs=0.5)
    if trust == 1.0:
        plain = answered(catcher, 'at "a": fold 70%')
        np.testing.assert_array_equal(found.plans.reach(found.player)[:], plain.plans.reach(plain.player)[:])


SHOWN = np.array([[1, 1], [-1, -1], [-1, -1], [-1, 1]])
"""Who wins a showdown on Ks 8h 8d 4c 2s: KhKd, 7h6h, JhJd and AhKh against AcAd and QcQd."""


def written_out(fold: float, epsilon: float) -> tuple[float, float]:
    """The value of that river with an all-in bet of the pot or a check, and the most that is won beyond it from such folds
    to the bet, at a risk of epsilon, in chips: a program over four probabilities of a bet, by the rules alone."""
    hands, theirs = SHOWN.shape
    check, folds, calls = 50.0 * SHOWN, np.full(SHOWN.shape, 50.0), 150.0 * SHOWN
    # Variables: how often each of our hands bets, and by their hand the worse of a fold and a call; deals are alike.
    rows, most = [], []
    for j in range(theirs):
        for answer in (folds, calls):
            rows.append([*(check - answer)[:, j] / (hands * theirs), *np.eye(theirs)[j]])
            most.append(check[:, j].sum() / (hands * theirs))
    bounds = [(0.0, 1.0)] * hands + [(None, None)] * theirs
    least = [0.0] * hands + [-1.0] * theirs
    value = -linprog(least, rows, most, bounds=bounds).fun
    leak = (fold * folds + (1.0 - fold) * calls - check).mean(axis=1) / hands
    found = linprog([*-leak, *[0.0] * theirs], [*rows, least], [*most, epsilon - value], bounds=bounds)
    return value, check.mean() - found.fun - value


@pytest.mark.parametrize(("fold", "epsilon"), [(0.7, 2.0), (0.7, 8.0), (0.2, 2.0)])
def test_the_gain_at_a_risk_by_a_program_written_out_by_hand(fold: float, epsilon: float) -> None:
    spot = Spot("Ks 8h 8d 4c 2s", "KhKd,7h6h,JhJd,AhKh", "AcAd,QcQd", 100, 100, "oop: a; ip: none")  # type: ignore[arg-type]
    lock = locked(solve_spot(spot, percent_of_pot=0.002), f'at "a": fold {fold} evenly')
    found = exploit_leak(lock, max_exploitability=epsilon, accuracy=0.002)
    value, gain = written_out(fold, epsilon)
    assert found.value == pytest.approx(value, abs=0.01)
    assert found.gain == pytest.approx(gain, abs=0.02)
    assert gain > 0.2
    assert found.exploitability <= epsilon


def test_the_opponent_shown_is_minimax_where_nothing_is_locked() -> None:
    """Oop bets all-in with aces and bluffs: half a combo for pot-sized bets. Of jacks a fifth bets, so that of queens three
    tenths have to; who always folds or always calls then gets 5 of the pot of 10."""
    spot = Spot("2s 3h 4d 6c 7c", "AsAh,QsQh,JsJh", "KsKh", 10, 10, "a")  # type: ignore[arg-type]
    for dials in ({}, {"p": 0.5}, {"max_exploitability": 0.2}):
        found = answered(solve_spot(spot, percent_of_pot=0.002), 'opponent oop\nat "" with JsJh: all-in 20%', **dials)
        top = found.answered.node()
        bets = [top.probabilities[hand(text), 1] for text in ("AsAh", "QsQh", "JsJh")]
        assert bets == pytest.approx([1.0, 0.3, 0.2], abs=0.005)
        assert 5.0 + found.answered.plans.best_value(1) == pytest.approx(5.0, abs=0.002)
        assert "check 50 %, all-in 10 50 %" in "\n".join(report_leak(found))


LEAKS = ['at "b150": fold 70%', 'at "x b150": never fold', 'trust 0.6 at "b150": fold 70% evenly',
         "opponent oop\nfacing a bet: call x3\nfirst: bet 10%", 'at "x": always bet']  # fmt: skip

FAST = [(LEAKS[0], "free"), (LEAKS[2], "solved"), (LEAKS[3], "solved")]


def program(found: NodeLock, elsewhere: str) -> tuple[SequenceFormLP, int]:
    """The program of our seat against two copies: who has the leak, and everybody."""
    subgame, us = found.solved.tree.subgame, 1 - found.opponent
    own = subgame.restrictions[us]
    free = subgame.restrictions[found.opponent]
    restriction = found.restriction(elsewhere_free=elsewhere == "free").whole(subgame.trees[found.opponent])
    leaky = subgame.bound(found.opponent, restriction).restrictions[found.opponent]
    return SequenceFormLP(subgame, us, [leaky, free], FixedInfosets(own.keep == 0.0, own.mix)), us


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        pytest.param(text, elsewhere, marks=[pytest.mark.slow] * ((text, elsewhere) not in FAST))
        for text in LEAKS
        for elsewhere in ("free", "solved")
    ],
)
def test_answers_equal_the_linear_program(river: SolvedSpot, text: str, elsewhere: str) -> None:
    found = locked(river, text)
    exact, us = program(found, elsewhere)
    value = (1 - 2 * us) * solve_lp(river.tree.subgame).value
    for p in (0.3, 0.8):
        wanted = exact.maximise(None, [p, 1.0 - p]).objective
        ours = exploit_leak(found, p=p, elsewhere=elsewhere, accuracy=0.005)
        reached = p * (ours.gain + ours.value) + (1.0 - p) * (ours.value - ours.exploitability)
        assert wanted - 0.05 <= reached <= wanted + 1e-6
    plain = exploit_leak(found, elsewhere=elsewhere, accuracy=0.005)
    wanted = exact.maximise(None, [1.0, 0.0]).objective
    assert plain.gain + plain.value == pytest.approx(wanted, abs=0.05)
    assert plain.most is not None
    assert plain.most + plain.value >= wanted - 1e-6
    assert plain.value == pytest.approx(value, abs=0.02)
    for epsilon in (1.0, 10.0):
        safe = exploit_leak(found, max_exploitability=epsilon, elsewhere=elsewhere, accuracy=0.005)
        wanted = exact.maximise(None, [1.0, 0.0], [-np.inf, safe.value - epsilon]).guarantees[0]
        assert safe.exploitability <= epsilon
        assert safe.gain + safe.value == pytest.approx(wanted, abs=0.15)
        assert safe.most is not None
        assert safe.most + safe.value >= wanted - 1e-6


@pytest.mark.parametrize("text", [*(pytest.param(text, marks=pytest.mark.slow) for text in LEAKS[:3]), *LEAKS[3:]])
def test_dials_from_nothing_to_everything(river: SolvedSpot, text: str) -> None:
    found = locked(river, text)
    plain = exploit_leak(found, accuracy=0.005)
    nothing, nearly = exploit_leak(found, p=0.0, accuracy=0.005), exploit_leak(found, p=0.9999, accuracy=0.005)
    assert nothing.exploitability == pytest.approx(0.0, abs=0.03)
    us = nothing.player
    np.testing.assert_array_equal(nothing.plans.reach(us)[:], nothing.solved.plans.reach(us)[:])
    assert nearly.gain == pytest.approx(plain.gain, abs=0.05)
    gains = [exploit_leak(found, max_exploitability=share, accuracy=0.005).gain for share in ("0.5%", "2%", "10%")]
    assert all(one <= two + 0.05 for one, two in zip([-0.03, *gains], [*gains, plain.gain], strict=True))
    solved = exploit_leak(found, elsewhere="solved", accuracy=0.005)
    assert solved.gain >= plain.gain - 0.05  # who plays on as solved does not defend himself


def test_no_finer_answer_wins_more_than_a_rough_one_says_is_possible() -> None:
    """Its bounds hold wherever the value of the spot lies within the error of its solves."""
    asked = Spot("Kh 2d 9h 2h 6s", "A5s,85s", "KK,KTs,96s", 100, 107, "75%; force: 20%", raises=1)  # type: ignore[arg-type]
    leak = "opponent oop\nfacing an all-in: call at least 80%"
    rough, fine = (
        lock_nodes(solve_spot(asked, percent_of_pot=percent), Leaks.from_text(leak)) for percent in (2.0, 0.001)
    )
    every: list[dict[str, Any]] = [{"max_exploitability": 2.0}, {"max_exploitability": 10.0}, {}]
    for dials in every:
        said = exploit_leak(rough, accuracy=2.0, **dials).most
        assert said is not None
        assert said >= exploit_leak(fine, accuracy=0.001, **dials).gain - 1e-6


@pytest.mark.parametrize("p", [None, 0.5, 0.95])
def test_an_answer_is_no_worse_than_equilibrium_play(p: float | None) -> None:
    """What the leak costs is given away by equilibrium play here, and a solve is less exact than that."""
    asked = Spot(RIVER, "AA,KQ", "KK,22", 10, 20)  # type: ignore[arg-type]
    found = exploit_leak(locked(solve_spot(asked, percent_of_pot=0.02), 'at "x": always check'), p=p)
    weight = 1.0 if p is None else p
    ours, theirs = (
        weight * gain - (1.0 - weight) * loss
        for gain, loss in (
            (found.gain, found.exploitability), (found.equilibrium_gain, found.equilibrium_exploitability)
        )
    )  # fmt: skip
    assert ours >= theirs
    assert found.exploitability < 0.01


def test_no_trust_is_no_lock(river: SolvedSpot) -> None:
    found = exploit_leak(locked(river, 'trust 0 at "b150": fold 100%'), accuracy=0.005)
    assert (found.gain, found.exploitability) == pytest.approx((0.0, 0.0), abs=0.05)


def test_two_opponents_in_compiled_loops_and_out_of_them(river: SolvedSpot) -> None:
    found = locked(river, LEAKS[0])
    leaks = found.restriction().whole(river.tree.subgame.trees[found.opponent])
    problem = two_opponents(river.tree.subgame, found.opponent, leaks, 0.3)
    ours, us = solve_cfr(problem, minimiser("cfr+"), Stop(iterations=50)), 1 - found.opponent
    total = sum(best_response(problem, player, ours.plans[1 - player]).value for player in (0, 1))
    assert gap(problem, ours.plans)[0] == pytest.approx(total, abs=1e-9)
    together = problem.leaves.mixed(ours.plans[found.opponent])  # type: ignore[attr-defined]
    pair = (ours.plans[us], together) if us == 0 else (together, ours.plans[us])
    assert problem.leaves.value(*ours.plans) == pytest.approx(river.tree.leaves.value(*pair), abs=1e-9)
    listed = replace(river.tree.subgame, leaves=river.tree.leaves.explicit)
    again = solve_cfr(two_opponents(listed, found.opponent, leaks, 0.3), minimiser("cfr+"), Stop(iterations=50))
    assert again.value == pytest.approx(ours.value, abs=1e-6)
    labels = problem.trees[found.opponent].labels
    assert len(set(labels.infosets)) == len(labels.infosets) == problem.trees[found.opponent].infosets


def test_a_turn_spot(turn: SolvedSpot) -> None:
    """Four in five of the hands that equilibrium brings there fold, and still do where other hands come with them."""
    found = exploit_leak(
        locked(turn, "opponent ip\non river facing a bet: fold 80%"), accuracy=0.2, max_exploitability="2%"
    )
    assert found.exploitability <= 4.0
    assert found.gain > 5.0
    assert len(found.lock.nodes) == 4
    for path in ("x x Ah b150", "b150 c 2c a"):
        node = replace(turn, plans=found.lock.plans).node(path)
        held = node.ranges[1] > 0.0
        shown = found.answered.node(path)
        here = held & (shown.ranges[1] > 0.0)
        np.testing.assert_allclose(shown.probabilities[here], node.probabilities[here], atol=1e-9)
        assert node.ranges[1][held] @ node.probabilities[held, 0] / node.ranges[1].sum() == pytest.approx(0.8, abs=1e-9)


def test_shares_are_of_the_range_that_the_lines_before_leave(turn: SolvedSpot) -> None:
    text = "opponent ip\non turn facing a bet: call x3\nfacing a bet: fold 40%"
    node = exploit_leak(locked(turn, text), p=0.0, accuracy=0.2).answered.node("b150 c 2c a")
    held = node.ranges[1] > 0.0
    assert node.ranges[1][held] @ node.probabilities[held, 0] / node.ranges[1].sum() == pytest.approx(0.4, abs=1e-9)


def test_dials_are_checked(river: SolvedSpot) -> None:
    found = locked(river, LEAKS[0])
    for dials, message in (
        ({"p": 0.5, "max_exploitability": 1.0}, "not both"),
        ({"p": 1.5}, "p must be between"),
        ({"max_exploitability": 0.0}, "above 0"),
        ({"max_exploitability": "0%"}, "above 0"),
        ({"max_exploitability": "-1"}, "not '-1'"),
        ({"max_exploitability": "a lot"}, "not 'a lot'"),
        ({"max_exploitability": "200%"}, "at most 100% of the pot, not 200%"),
        ({"elsewhere": "home"}, "not 'home'"),
        ({"accuracy": 0.0}, "accuracy"),
    ):
        with pytest.raises(InputError, match=message):
            exploit_leak(found, **dials)  # type: ignore[arg-type]
    assert chips("1%", Stakes(200)) == 2.0
    assert chips("2.5", Stakes(200)) == 2.5
    assert chips("20bb/100", Stakes(200, 5)) == 1.0
    raked = solve_spot(replace(river.spot, rake=0.05), iterations=5)
    with pytest.raises(InputError, match="no bound on the risk holds"):
        exploit_leak(locked(raked, LEAKS[0]), max_exploitability="5%")


def test_solves_are_counted_and_no_more_than_said(river: SolvedSpot) -> None:
    begun: list[int] = []
    exploit_leak(locked(river, LEAKS[0]), max_exploitability="2%", accuracy=0.5, phase=begun.append)
    assert begun == list(range(1, len(begun) + 1))
    assert 1 <= len(begun) <= leak_response.MOST_SOLVES


@pytest.mark.parametrize("dials", [{}, {"p": 0.5}, {"max_exploitability": "1%"}])
def test_after_ctrl_c_no_further_solve_begins_and_the_numbers_are_right(
    catcher: SolvedSpot, monkeypatch: pytest.MonkeyPatch, dials: dict[str, Any]
) -> None:
    """The first solve makes the equilibrium exact enough, and is cut short: what it has is the answer."""
    real, solves = spot_plans.solve_cfr, []

    def cut_short(problem: Any, method: Any, *_: Any) -> Any:
        solves.append(problem)
        return replace(real(problem, method, Stop(iterations=1)), interrupted=True)

    monkeypatch.setattr(spot_plans, "solve_cfr", cut_short)
    found = exploit_leak(locked(catcher, 'trust 0.8 at "a": fold 70%'), accuracy=1e-9, **dials)
    assert len(solves) == 1
    assert found.interrupted
    assert found.most is None
    kept = -best_response(found.solved.tree.subgame, 1, found.plans.reach(0)[:]).value
    assert found.exploitability == pytest.approx(max(0.0, found.value - kept))
    text = "\n".join(report_leak(found))
    assert "Ctrl-C ended the work early" in text
    late = "max_exploitability" in dials and found.exploitability > 1.0
    assert ("is not there yet" in text) == late


def test_the_report_says_where_an_order_is_less_than_the_equilibrium(catcher: SolvedSpot) -> None:
    """The bluff catcher folds half of its hands in equilibrium."""
    said = "\n".join(report_leak(answered(catcher, 'at "a": fold 40%')))
    assert (
        "line 1: 'fold 40%' is less than the equilibrium's 50 % at all-in 100; 'fold at least 40%' asks for no less"
        in said
    )
    said = "\n".join(report_leak(answered(catcher, 'at "a": fold at least 40%')))
    assert (
        "'fold at least 40%' changes nothing at all-in 100, where the equilibrium has 50 %; 'fold 40%' is less" in said
    )
    for order in ("fold 70%", "never fold", "fold -10%"):
        assert "is less than" not in "\n".join(report_leak(answered(catcher, f'at "a": {order}'))), order


def test_bounds_and_steps_lock_what_they_say(catcher: SolvedSpot) -> None:
    for order, share in (
        ("at least 40%", 0.5),
        ("at least 70%", 0.7),
        ("at most 40%", 0.4),
        ("+15%", 0.65),
        ("-15%", 0.35),
    ):
        node = answered(catcher, f'at "a": fold {order}').answered.node("a")
        held = node.ranges[1] > 0.0
        folds = node.ranges[1][held] @ node.probabilities[held, 0] / node.ranges[1][held].sum()
        assert folds == pytest.approx(share, abs=0.01), order


def test_the_report_says_it_in_words(catcher: SolvedSpot) -> None:
    found = answered(catcher, 'at "a": fold 70%', max_exploitability="5%")
    text = "\n".join(report_leak(found, grid=True))
    for words in (
        "at all-in 100: fold 50 % -> 70 %, call 50 % -> 30 %",
        "wins at least 2 chips a hand, 2 % of the pot, more",
        "takes no notice of it would win nothing more",
        "wins back at most 5 chips a hand, 5 % of the pot",
        "worth 2 chips: check 25 %",
        "all-in 100 more: 76s 50 -> 60 % (2 chips)",
        "+10",
    ):
        assert words in text, text
    one = diff_strategies(found.solved, found.answered, 0)[0]
    assert one.size == pytest.approx(0.05, abs=1e-3)  # a tenth more, half of the time
    assert one.facts["hands"]["76s"] == ["all-in 100", *(pytest.approx(x, abs=0.02) for x in (0.5, 0.6, 2.0))]
    unchanged = "\n".join(report_leak(answered(catcher, 'trust 0 at "a": fold 70%', p=0.0)))
    assert "play on as in the equilibrium" in unchanged
    assert found.facts["gain_percent"] == pytest.approx(2.0, abs=0.05)


def test_the_chips_of_all_changes_add_up_to_what_the_answer_wins(river: SolvedSpot) -> None:
    """Node by node and class by class: the difference of two values against the same opponent, without any of the sum."""
    found = answered(river, LEAKS[0], elsewhere="solved")
    changes, value = found.changes(), found.answered.plans.value(found.player)
    before = found.answered.plans.facing(found.player, found.solved.plans).value(found.player)
    assert sum(one.chips for one in changes) == pytest.approx(value - before, abs=1e-9)
    assert value - before > 0.1
    assert all(one.chips >= -0.01 for one in changes)  # a best response gives nothing away
    shown = [round(one.chips, 6) for one in changes]
    assert shown == sorted(shown, reverse=True)


def test_three_answers_side_by_side(catcher: SolvedSpot) -> None:
    """By hand: nuts and nothing meet a caller who folds 70 %; a bluff more wins 20 and loses 50."""
    found = compare_answers(locked(catcher, 'at "a": fold 70%'), max_exploitability="5%", accuracy=0.002)
    table = [(one.against_leak, one.against_equilibrium, one.worst_case) for one in found.columns]
    assert table == [pytest.approx(row, abs=0.05) for row in ((75, 75, 75), (77, 75, 70), (85, 75, 50))]
    shares = found.frequencies("").shares[:, 1]
    assert shares == pytest.approx([0.75, 0.8, 1.0], abs=0.01)
    text = "\n".join(report_side_by_side(found, [""]))
    assert "EV in the worst case" in text
    assert "at most 5 chips" in text
    assert found.most_changed(3) == [""]
    with pytest.raises(InputError, match="does not act"):
        found.frequencies("a")


ASKED = (
    "spot", "--board", "KsQhJd7c2s", "--oop", "AA,T9s,65s", "--ip", "KQ,A7s", "--pot", "100", "--stack", "100",
    "--bets", "a",
)  # fmt: skip


def test_the_command(run: Runner, tmp_path: Path) -> None:
    file, out = tmp_path / "leak.txt", tmp_path / "answer.spot"
    file.write_text('at "x a": fold 10%\n')
    ran = run(
        *ASKED, "--lock", str(file), "--max-exploitability", "2%", "--grid", "--node", "x", "-o", str(out), "--json"
    )
    assert ran.code == 0, ran.err
    told = ran.json
    assert told["exploitability"] <= 2.0
    assert 0.0 < told["gain"] <= told["most"]
    assert (told["method"], told["opponent"]) == ("safe", "oop")
    assert told["changes"][0]["hands"]
    assert told["nodes"][0]["path"] == "check"
    kept = load_spot(out)
    np.testing.assert_allclose(kept.node("x").means, told["nodes"][0]["values"], atol=1e-3)
    again = run("spot", "--file", str(out), "--lock", str(file))
    assert "already an answer to a model" in again.err


def test_a_solved_spot_is_not_solved_again_for_a_lock(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solution is kept with the digest of its spot. A more accurate one is solved anew; a big blind changes nothing."""
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(solver, "WORTH", 0.0)
    file, solves = tmp_path / "leak.txt", []
    file.write_text('at "x a": fold 10%\n')
    real = solver.solve_spot
    monkeypatch.setattr(solver, "solve_spot", lambda *given, **how: solves.append(how) or real(*given, **how))
    assert run(*ASKED, "--exploitability", "0.01").code == 0
    answers = [
        run(*ASKED, "--lock", str(file), "--json", *more).json
        for more in ([], ["--bb", "2"], ["--max-exploitability", "0.02chips"])
    ]
    assert [one["percent_of_pot"] for one in solves] == [0.01, 0.005]
    assert answers[0]["gain"] == pytest.approx(answers[1]["gain"], abs=1e-9)
    assert answers[2]["exploitability"] <= 0.02


@pytest.mark.parametrize(
    ("leak", "words", "message"),
    [
        ('at "x b50": fold 10%', [], "leak.txt: line 1: betting path 'x b50'"),
        ('at "x a" with QQ: fold 10%', [], "leak.txt: line 1: oop has no hand 'QQ'"),
        ('at "x a": fold 10%', ["--p", "1.5"], "p must be between"),
        ('at "x a": fold 10%', ["--p", "0.5", "--max-exploitability", "1"], "not both"),
        ('at "x a": fold 10%', ["--max-exploitability", "0"], "above 0"),
        ('at "x a": fold 10%', ["--rake", "0.1", "--max-exploitability", "1%"], "no bound on the risk"),
        (None, ["--p", "0.5"], "--p needs a --lock"),
    ],
)
def test_the_command_refuses_before_it_solves(
    run: Runner, tmp_path: Path, leak: str | None, words: list[str], message: str
) -> None:
    file, out = tmp_path / "leak.txt", tmp_path / "answer.spot"
    if leak is not None:
        file.write_text(leak)
        words = [*words, "--lock", str(file)]
    ran = run(*ASKED, *words, "-o", str(out))
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not ran.out
    assert not out.exists()
