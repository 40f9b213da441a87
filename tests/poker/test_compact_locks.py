"""Locks, trust, p and mixtures on the compact engine: the same numbers as from arrays of the whole tree."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import cache
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import SolvedSpot, Spot, Stop, solve_spot
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.cards.deck import Deck
from counterplay.poker.compact import compact_sweeps
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.locking.exploit_leak import exploit_leak
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import NodeLock, lock_nodes
from counterplay.poker.locking.strategy_diff import diff_strategies
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.public_tree.boards import tables_of
from counterplay.poker.public_tree.public_tree import boards_of, public_tree
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import BranchRestriction
from tests.support.covering import covering

SHORT = Deck.from_rank("8")
RIVER = Spot("Qs Jh 2h 8d 3c", "QQ+,AK,76s", "JJ+,AQ,98s", 200, 550, "50%, a")  # type: ignore[arg-type]
TURN = Spot("Qs Jh 9h 8d", "QQ+,AK", "JJ+,AQ", 200, 550, "50%, a", deck=SHORT)  # type: ignore[arg-type]
FLOP = Spot("Qs Js 9s", "QQ+,AK", "TT+,AQ", 200, 250, "50%, a", raises=1, deck=SHORT)  # type: ignore[arg-type]
SPOTS = {"river": RIVER, "turn": TURN, "flop": FLOP}
FLOPS_SLOW = ["river", "turn", pytest.param("flop", marks=pytest.mark.slow)]
METHOD = minimiser("dcfr:1.5,0,4")
LEAKS = ["opponent ip\nfacing a bet: fold 70%", "opponent oop\ntrust 0.6 first: bet 20%",
         "opponent ip\nfacing a bet with QQ+: fold 50% evenly"]  # fmt: skip


@cache
def solved(name: str, iterations: int = 12) -> SolvedSpot:
    """A spot after some iterations in float64, on the compact engine."""
    spot = SPOTS[name]
    run = CompactRun(
        CompactLayout(spot.betting, tables_of(boards_of(spot.betting, spot.cards, alike=True))), METHOD, "double"
    )
    run.advance(iterations)
    run.forget_regrets()
    tree = public_tree(spot.betting, spot.cards)
    facts = {"exploitability": 0.5 * run.gap()[0], "interrupted": False}
    return SolvedSpot(spot, tree, CompactPlans(tree, Averages.of_run(run)), facts)


def whole(found: SolvedSpot) -> SolvedSpot:
    """The same as arrays."""
    assert isinstance(found.plans, CompactPlans)
    return replace(found, plans=found.plans.arrays)


def both_locked(name: str, text: str) -> tuple[NodeLock, NodeLock]:
    """A lock on the compact engine, and with arrays."""
    compact = lock_nodes(solved(name), Leaks.from_text(text))
    return compact, lock_nodes(whole(solved(name)), Leaks.from_text(text))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *covering(["river", "turn"], LEAKS),
        *(pytest.param("flop", text, marks=pytest.mark.slow) for text in LEAKS),
    ],
)
def test_locks_are_those_of_whole_arrays(name: str, text: str) -> None:
    """What is locked, and what both strategies are worth with the lock and without it."""
    compact, arrays = both_locked(name, text)
    pot, them = SPOTS[name].pot, compact.opponent
    np.testing.assert_array_equal(compact.trust.lanes, arrays.trust.lanes)
    assert (compact.nodes, compact.lowered) == (arrays.nodes, arrays.lowered)
    assert isinstance(compact.plans, CompactPlans)
    for free in (True, False):
        bound = [one.solved.plans.bound(them, one.restriction(elsewhere_free=free)) for one in (compact, arrays)]
        for player in (0, 1):
            assert bound[0].best_value(player) == pytest.approx(bound[1].best_value(player), abs=1e-9 * pot)
        answers = [one.best_response(them) for one in bound]
        for player in (0, 1):
            assert answers[0].value(player) == pytest.approx(answers[1].value(player), abs=1e-9 * pot)
    for player in (0, 1):
        assert compact.plans.value(player) == pytest.approx(arrays.plans.value(player), abs=1e-9 * pot)
        assert compact.plans.best_value(player) == pytest.approx(arrays.plans.best_value(player), abs=1e-9 * pot)
        np.testing.assert_allclose(compact.plans.reach(player)[:], arrays.plans.reach(player)[:], atol=1e-9)


@pytest.mark.parametrize("text", LEAKS[:2])
@pytest.mark.parametrize("name", FLOPS_SLOW)
def test_solves_under_locks_are_those_of_whole_arrays(name: str, text: str) -> None:
    """A certain leak, one met with probability p, and a model followed with probability p: iteration by iteration."""
    compact, arrays = both_locked(name, text)
    pot, them = SPOTS[name].pot, compact.opponent
    for p, scope in ((1.0, "local"), (0.4, "local"), (0.4, "plan")):
        found = []
        for lock in (compact, arrays):
            restriction = lock.restriction()
            if scope == "plan":
                restriction = BranchRestriction(lock.plans.behaviour(them), p=p)
            found.append(lock.solved.plans.solved_against(them, restriction, p, METHOD, Stop(iterations=6)))
        (ours, here), (theirs, there) = found
        assert here.nash_conv == pytest.approx(there.nash_conv, abs=1e-8 * pot)
        assert here.value == pytest.approx(there.value, abs=1e-8 * pot)
        np.testing.assert_allclose(ours.reach(1 - them)[:], theirs.reach(1 - them)[:], atol=1e-7)


@pytest.mark.parametrize("name", SPOTS)
def test_mixtures_are_those_of_whole_arrays(name: str) -> None:
    """A strategy that is chosen before the game, at its nodes too."""
    pot, one = SPOTS[name].pot, solved(name)
    other, them = solved(name, 2).plans, whole(solved(name, 2)).plans
    mixed, arrays = one.plans.mixed(0, other, 0.3), whole(one).plans.mixed(0, them, 0.3)
    for player in (0, 1):
        assert mixed.value(player) == pytest.approx(arrays.value(player), abs=1e-9 * pot)
        assert mixed.best_value(player) == pytest.approx(arrays.best_value(player), abs=1e-9 * pot)
        np.testing.assert_allclose(mixed.reach(player)[:], arrays.reach(player)[:], atol=1e-9)
    for path in ("", "x b100", "x"):
        here, there = (replace(one, plans=plans).node(path) for plans in (mixed, arrays))
        np.testing.assert_allclose(here.ranges[0], there.ranges[0], atol=1e-9)
        come = there.ranges[0] > 1e-6
        np.testing.assert_allclose(here.values[0][come], there.values[0][come], atol=1e-6 * pot)
        if here.player == 0:
            np.testing.assert_allclose(here.probabilities[come], there.probabilities[come], atol=1e-9)
            np.testing.assert_allclose(here.action_values[come], there.action_values[come], atol=1e-6 * pot)


@pytest.mark.parametrize("name", FLOPS_SLOW[1:])
def test_changes_are_those_of_whole_arrays(name: str) -> None:
    """Chips of every change, from the CFVs of a whole strategy."""
    lock, arrays = both_locked(name, LEAKS[0])
    found = []
    for one in (lock, arrays):
        answer = one.solved.plans.facing(one.opponent, one.plans).best_response(1 - one.opponent)
        found.append(diff_strategies(one.solved, replace(one.solved, plans=answer), 1 - one.opponent))
    assert sum(one.chips for one in found[0]) == pytest.approx(sum(one.chips for one in found[1]), abs=1e-8)
    ours, theirs = ({one.path: one.chips for one in changes} for changes in found)
    assert ours.keys() == theirs.keys()


@pytest.mark.parametrize(
    ("name", "precision"),
    [("turn", "single"), *(pytest.param("flop", one, marks=pytest.mark.slow) for one in ("single", "half"))],
)
def test_answers_to_leaks_are_worth_what_arrays_say(name: str, precision: str) -> None:
    """In float32 and in 16 bits: certain leaks, p, and in float32 a largest exploitability."""
    spot = SPOTS[name]
    lock = lock_nodes(solve_spot(spot, precision=precision, percent_of_pot=0.5), Leaks.from_text(LEAKS[0]))
    every: list[dict[str, float]] = [{}, {"p": 0.5}, {"max_exploitability": 4.0}]
    for dials in every if precision == "single" else every[:2]:
        found = exploit_leak(lock, accuracy=0.5, **dials)  # type: ignore[arg-type]
        assert isinstance(found.plans, CompactPlans)
        arrays, them = found.plans.arrays, lock.opponent
        against_leak = -arrays.bound(them, lock.restriction()).best_value(them)
        assert found.gain + found.value == pytest.approx(against_leak, abs=1e-5 * spot.pot)
        assert found.value - found.exploitability == pytest.approx(-arrays.best_value(them), abs=1e-5 * spot.pot)
        assert found.exploitability <= dials.get("max_exploitability", np.inf)
        if found.most is not None:
            assert found.gain <= found.most + 1e-6


HELD = ["AsAh", "QsQh", "JsJh", "Ts9s", "8s8h"], ["KsKh", "9h9d", "QcJc", "5s4s"]
PLACES = [
    ("oop", 'at ""', "all-in"),
    ("oop", "facing a bet", "call"),
    ("ip", 'at "x"', "all-in"),
    ("ip", "facing a bet", "fold"),
]


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_a_best_response_to_the_opponent_shown_wins_the_locked_value(data: st.DataObject) -> None:
    """Some hands of a small river are locked, surely or with trust, at some decisions. Whatever the kind of answer and the
    engine, the opponent shown beside it obeys the lock and is minimax elsewhere: by the linear program of the game with the
    lock, a best response wins at most its value and the accuracy of the solve."""
    ranges = [data.draw(st.lists(st.sampled_from(hands), min_size=2, unique=True).map(sorted)) for hands in HELD]
    bets, accuracy = data.draw(st.sampled_from(["a", "50%, a"])), 0.05
    spot = Spot("2s 3h 4d 6c 7c", ",".join(ranges[0]), ",".join(ranges[1]), 10, 20, bets)  # type: ignore[arg-type]
    who, place, action = data.draw(st.sampled_from(PLACES))
    them = PLAYERS.index(who)
    hands = ",".join(data.draw(st.lists(st.sampled_from(ranges[them][1:]), min_size=1, unique=True)))
    trust, share = data.draw(st.sampled_from(["", "trust 0.7 "])), data.draw(st.integers(0, 100))
    leaks = Leaks.from_text(f"opponent {who}\n{trust}{place} with {hands}: {action} {share}%")
    solution = solve_spot(spot, percent_of_pot=accuracy, precision=data.draw(st.sampled_from(["double", "single"])))
    lock = lock_nodes(solution, leaks)
    dials: dict[str, float] = data.draw(st.sampled_from([{}, {"p": 0.5}, {"max_exploitability": 0.1}]))
    found = exploit_leak(lock, accuracy=accuracy, **dials)  # type: ignore[arg-type]
    game = public_tree(spot.betting, spot.cards).subgame
    leak = BranchRestriction(lock.plans.behaviour(them)[:], lock.trust).whole(game.trees[them])
    value = (1 - 2 * found.player) * solve_lp(game.bound(them, leak)).value
    shown = found.answered.plans
    assert shown.best_value(found.player) <= value + 2.0 * 0.01 * accuracy * spot.pot + 1e-6
    if found.method == "lock":
        assert found.most is not None
        assert shown.best_value(found.player) <= found.most + found.value + 1e-6
    rows, plan = shown.behaviour(them)[:], shown.reach(them)[:]
    comes = plan > 1e-6 * rows
    assert (rows >= leak.mix - 1e-6)[comes].all()


def test_answers_on_the_store_lay_out_no_arrays_and_leave_nothing_behind() -> None:
    """Without arrays of the whole tree; and stores between the lines of a leak are freed when they are left."""
    found = solve_spot(RIVER, precision="single", iterations=5)
    lock = lock_nodes(found, Leaks.from_text(LEAKS[0]))
    exploit_leak(lock, accuracy=10.0)
    assert "subgame" not in vars(found.tree)
    assert not any("tree" in vars(runs) for runs in found.tree.runs)
    store = lock.plans.put(0, np.array([1]), np.array([1.0]))
    assert store.put(0, np.array([1]), np.array([1.0])) is not store
    alive = ref(store)
    gc.disable()
    del store
    gc.enable()
    assert alive() is None


@pytest.mark.slow
def test_threads_change_no_bit_of_a_locked_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for count in (1, 3):
        monkeypatch.setattr(compact_sweeps, "threads", lambda count=count: count)
        lock = both_locked("flop", LEAKS[0])[0]
        plans, ended = lock.solved.plans.solved_against(1, lock.restriction(), 0.5, METHOD, Stop(iterations=4))
        found.append((plans.digest(), ended.nash_conv))
    assert found[0] == found[1]
