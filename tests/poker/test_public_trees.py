"""Public trees with cards: sweeps against the written-out matrix, against the generic path, and where nothing is random."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay import InputError, Spot, Stop
from counterplay.jit.threads import VARIABLE
from counterplay.poker.cards.deck import Deck
from counterplay.poker.public_tree import payoff as branches
from counterplay.poker.public_tree.boards import (
    Boards,
    IsomorphicBoards,
    count_isomorphic,
    count_places,
    isomorphic_suits,
)
from counterplay.poker.public_tree.hand_treeplex import shape_of
from counterplay.poker.public_tree.public_tree import every_plan, public_tree, solve_tree
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.treeplex import sweeps
from counterplay.treeplex.restriction import Restriction
from tests.support.public_trees import leduc, plans, toy


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6), street=st.sampled_from(["river", "turn", "flop"]),
    bets=st.sampled_from(["50%, a", "a", "none", "oop: none; ip: a", "ip: none; oop: 100%"]),
)  # fmt: skip
def test_sweeps_equal_the_written_out_matrix(seed: int, street: str, bets: str) -> None:
    tree = toy(seed, street, bets, cards=6 if street == "flop" else 8)
    given = plans(tree, seed)
    payoff, matrix = tree.leaves, tree.leaves.explicit
    for player in (0, 1):
        found, wanted = (leaves.product(player, given[1 - player]) for leaves in (payoff, matrix))
        np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max(), rtol=0)
    assert payoff.value(*given) == pytest.approx(matrix.value(*given), rel=1e-12)
    assert payoff.entries >= matrix.entries


@pytest.mark.parametrize("method", MINIMISERS)
def test_minimisers_see_no_difference(method: str) -> None:
    tree = toy(3, "turn", "50%, a")
    stop = Stop(iterations=60)
    swept = solve_cfr(tree.subgame, minimiser(method), stop)
    listed = solve_cfr(replace(tree.subgame, leaves=tree.leaves.explicit), minimiser(method), stop)
    assert swept.value == pytest.approx(listed.value, abs=1e-6)
    assert swept.nash_conv == pytest.approx(listed.nash_conv, abs=1e-6)


@pytest.mark.parametrize("street", ["river", "turn", "flop"])
def test_minimisers_come_to_the_value_of_the_linear_program(street: str) -> None:
    tree = toy(1, street, "100%, a" if street != "flop" else "a", cards=6 if street == "flop" else 8, hands=8)
    exact = solve_lp(tree.subgame)
    assert exact.nash_conv <= 1e-9
    found = solve_cfr(tree.subgame, minimiser("pdcfr+"), Stop(exploitability=1e-5, iterations=20_000))
    assert found.value == pytest.approx(exact.value, abs=2e-5)


def test_leduc_written_both_ways() -> None:
    tree, game = leduc(), cp.load("leduc")
    assert [runs.tree.infosets - 6 for runs in tree.runs] == [one.infosets for one in game.trees]
    assert solve_lp(tree.subgame).value == pytest.approx(solve_lp(game.subgame).value, abs=1e-9)
    for iterations in (10, 100):  # much later rounding has grown into different paths to the same value
        ours, theirs = (
            solve_cfr(subgame, minimiser("cfr+"), Stop(iterations=iterations))
            for subgame in (tree.subgame, game.subgame)
        )
        assert ours.value == pytest.approx(theirs.value, abs=1e-6)
        assert ours.nash_conv == pytest.approx(theirs.nash_conv, abs=1e-6)


def test_a_rake_is_what_both_lose() -> None:
    fair, raked = toy(5, "river", "a"), toy(5, "river", "a", rake=0.1)
    given = tuple(
        fair.subgame.restrictions[i].played(runs.tree, runs.tree.uniform()) for i, runs in enumerate(fair.runs)
    )
    assert fair.leaves.paid(*given) == 0.0
    assert 1.0 < raked.leaves.paid(*given) < 7.0  # a tenth of a pot of 10 to 70 chips
    with pytest.raises(InputError, match="zero-sum"):
        solve_lp(raked.subgame)
    assert gap(raked.subgame, given)[0] > 0.0


def test_large_payoffs_are_not_written_out() -> None:
    with pytest.raises(InputError, match="use a minimiser"):
        solve_lp(public_tree(*parts("Qs Jh 2h 8d 3c", "random", "random")).subgame)


def parts(board: str, oop: str, ip: str) -> tuple[Any, Any]:
    asked = Spot(board, oop, ip, 200, 550)  # type: ignore[arg-type]
    return asked.betting, asked.cards


@given(seed=st.integers(0, 10**6), deals=st.integers(0, 2))
def test_places_are_counted_before_they_are_made(seed: int, deals: int) -> None:
    tree = toy(seed, ("river", "turn", "flop")[deals], "50%, a", cards=7)
    cards = tree.boards.cards
    layers = Boards(cards, deals).layers
    assert count_places(cards, deals) == [(len(layer.boards), layer.places) for layer in layers]
    for player, runs in enumerate(tree.runs):
        shape = shape_of(tree.betting, player, [layer.places for layer in layers])
        assert shape.size == runs.tree.size
        labels = runs.tree.labels
        assert len(labels.infosets) == runs.tree.infosets == len(set(labels.infosets))
        assert labels.lanes == runs.tree.visit_order.tolist()
    for layer in range(deals):
        up = tree.boards.above(deals, layer)
        np.testing.assert_array_equal(layers[layer].hand[up], layers[deals].hand)


def test_memory_is_within_a_tenth_of_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Spot("Qs Jh 2h 8d", "22+,A2+,KT+,QJ,JT", "22+,A2s+,K9+,QT+,J9+", 200, 900, "75%, a")  # type: ignore[arg-type]
    small = Spot("Qs Jh 2h 8d", "AA,KK", "QQ", 200, 900)  # type: ignore[arg-type]
    with monkeypatch.context() as patched:  # what is compiled is not counted
        patched.setattr(branches, "LARGE", 1)
        solve_cfr(public_tree(small.betting, small.cards).subgame, minimiser("dcfr"), Stop(iterations=1))
    estimate = size_of(asked.betting, asked.cards)
    monkeypatch.setattr(sweeps, "LARGE", sys.maxsize)  # the trace sees NumPy's arrays alone
    tracemalloc.start()
    solve_cfr(public_tree(asked.betting, asked.cards).subgame, minimiser("dcfr"), Stop(iterations=33))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert estimate.memory == pytest.approx(peak, rel=0.1)


ALIKE = [
    ("Qs Js Ts", "random", "random", 6),
    ("Qs Jh Th", "AK,AA,JJ", "random", 2),
    ("Qs Qh Tc Td", "random", "AA,KJ", 4),
    ("Qs Jh Td", "random", "random", 1),
    ("Qs Js Ts", "AcKc,AdKd,JhTh", "random", 2),
]
"""Board, ranges of a deck of 20 cards, and how many permutations of the suits leave them as they are."""


@pytest.mark.parametrize(("board", "oop", "ip", "count"), ALIKE)
def test_suits_that_are_alike_are_dealt_once(board: str, oop: str, ip: str, count: int) -> None:
    asked = Spot(board, oop, ip, 200, 300, "50%, a", raises=1, deck=Deck.from_rank("T"))  # type: ignore[arg-type]
    assert len(isomorphic_suits(asked.cards)) == count
    full, few = (public_tree(asked.betting, asked.cards, alike=alike) for alike in (False, True))
    assert (few.subgame.trees[0].size < full.subgame.trees[0].size) == (count > 1)
    one, two = Iterates(full.subgame, minimiser("dcfr")), Iterates(few.subgame, minimiser("dcfr"))
    for iterations in (1, 20):
        one.advance(iterations)
        two.advance(iterations)
        wanted, found = one.average(), two.average()
        everywhere = (every_plan(few, full, 0, found[0]), every_plan(few, full, 1, found[1]))
        for here, there in zip(wanted, everywhere, strict=True):
            np.testing.assert_allclose(there, here, atol=1e-9, rtol=0)
        exact = gap(full.subgame, wanted)
        assert gap(few.subgame, found) == pytest.approx(exact, abs=1e-9)
        assert gap(full.subgame, everywhere) == pytest.approx(exact, abs=1e-9)


def test_alike_suits_are_counted_before_they_are_dealt() -> None:
    for board, oop, ip, _ in ALIKE:
        asked = Spot(board, oop, ip, 200, 300, "a", deck=Deck.from_rank("T"))  # type: ignore[arg-type]
        deals, group = 5 - len(asked.board), isomorphic_suits(asked.cards)
        boards = IsomorphicBoards(asked.cards, deals, group)
        layers = boards.layers
        wanted = [(len(layer.boards), layer.places, boards.lanes(k)) for k, layer in enumerate(layers)]
        assert count_isomorphic(asked.cards, deals, group) == wanted
        every = Boards(asked.cards, deals).layers
        assert [int(layer.times.sum()) for layer in layers] == [len(layer.boards) for layer in every]
        tree = public_tree(asked.betting, asked.cards, alike=True)
        size = size_of(asked.betting, asked.cards, alike=True)
        assert size.infosets == sum(runs.tree.infosets - runs.tree.arrays.groups[0, 4] for runs in tree.runs)
        assert len(set(tree.runs[0].tree.labels.infosets)) == tree.runs[0].tree.infosets


def test_float32_comes_to_the_same() -> None:
    asked = Spot("Qs Jh 2h 8d", "AA,KT,76s", "KK,AQs,9h8h", 200, 500, "75%, a", raises=1)  # type: ignore[arg-type]
    subgame = public_tree(asked.betting, asked.cards).subgame
    for method in ("dcfr", "pcfr+"):
        double, single = (
            solve_cfr(subgame, minimiser(method), Stop(iterations=20), single=single) for single in (False, True)
        )
        assert single.plans[0].dtype == np.float64
        assert single.value == pytest.approx(double.value, abs=0.5 * (single.nash_conv + double.nash_conv))
        assert gap(subgame, single.plans) == pytest.approx((single.nash_conv, single.value), abs=1e-3)
    close = solve_cfr(subgame, minimiser("dcfr:1.5,0,4"), Stop(exploitability=0.02), single=True)
    assert gap(subgame, close.plans)[0] <= 0.04 + 1e-3
    model = subgame.restrictions[1].behaviour(subgame.trees[1], subgame.trees[1].uniform())
    bound = subgame.bound(1, Restriction.of_plan(subgame.trees[1], model, 0.5))
    one, two = (solve_cfr(bound, minimiser("dcfr"), Stop(iterations=30), single=single) for single in (False, True))
    assert two.value == pytest.approx(one.value, abs=0.5 * (one.nash_conv + two.nash_conv))


def test_float32_is_for_bounded_exponents() -> None:
    with pytest.raises(InputError, match="exponents up to 6"):
        Iterates(toy(1, "river", "a").subgame, minimiser("dcfr:1.5,0,8"), np.float32)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the memory used")
@pytest.mark.parametrize("kind", [
    "single", *(
        pytest.param(other, marks=pytest.mark.slow)
        for other in ("whole", "locked", "half", "alike", "twice", "stored-any", "stored-some")
    ),
])  # fmt: skip
def test_memory_really_used_is_within_a_tenth_of_the_estimate(kind: str) -> None:
    asked, env = [sys.executable, "-c", RESIDENT, kind], {**os.environ, VARIABLE: "2"}  # each thread has a working set
    found = subprocess.run(asked, capture_output=True, text=True, check=True, env=env)
    estimate, used = map(float, found.stdout.split())
    assert estimate == pytest.approx(used, rel=0.1)


RESIDENT = """
import os
import sys
from pathlib import Path
from counterplay.poker.public_tree import payoff as branches
from counterplay.poker.public_tree.size_estimate import Leaky, size_of
from counterplay.poker.locking.leak_match import nodes_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.exploit_leak import exploit_leak
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.compact.compact_solve import solve_compact
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.spots.solve_spot import solve_spot
from counterplay.poker.public_tree.public_tree import solve_tree
from counterplay.poker.spots.spot import Spot
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import minimiser

OPPONENT = "opponent ip" + chr(10)
STORED = {
    "stored-any": (Leaks.from_text(OPPONENT + "at any: call x1.5"), 0.5),
    "stored-some": (Leaks.from_text(OPPONENT + "facing an all-in: fold 60%"), 1.0),
}

def solved(*spot):
    asked = Spot(*spot)
    given = asked.betting, asked.cards
    if kind in ("locked", "twice"):
        leaks = Leaks.from_text('at "b150": fold 60%')
        locked = lock_nodes(solve_spot(asked, percent_of_pot=5.0), leaks)
        exploit_leak(locked, p=0.5 if kind == "twice" else 1.0, accuracy=5.0)
        return size_of(*given, leaky=Leaky(1, kind == "twice")).memory
    if kind in STORED:
        leaks, p = STORED[kind]
        lock = lock_nodes(solve_spot(asked, percent_of_pot=5.0, precision="single"), leaks)
        exploit_leak(lock, p=p, accuracy=5.0)
        leaky = Leaky(1, p < 1.0, nodes=nodes_of(leaks, asked.betting))
        return size_of(*given, alike=True, precision="single", leaky=leaky).memory
    if kind in ("single", "half"):
        kept = solve_compact(*given, minimiser("dcfr"), Stop(iterations=8), precision=kind)
        return size_of(*given, alike=True, precision=kind).memory
    if kind == "alike":
        kept = solve_tree(*given, minimiser("dcfr"), Stop(iterations=33))
    else:
        solve_cfr(public_tree(*given).subgame, minimiser("dcfr"), Stop(iterations=33))
    return size_of(*given, alike=kind == "alike").memory

def used():
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

kind = sys.argv[1]
board = "Qs Js Ts 8s" if kind == "alike" else "Qs Jh 2h 8d"
large, branches.LARGE = branches.LARGE, 1

def load_kernels():
    solved(board, "AA,KK", "QQ", 200, 900, "75%, a")

if not (child := os.fork()):  # a compiler takes more memory than what is measured: it works in another process
    load_kernels()
    os._exit(0)
os.waitpid(child, 0)
load_kernels()
branches.LARGE = large
before = used()
print(solved(board, "random", "random", 200, 900, "75%, a"), used() - before)
"""


def test_trees_are_solved_with_suits_dealt_once() -> None:
    asked = Spot("Qs Js Ts", "random", "random", 200, 300, "a", deck=Deck.from_rank("T"))  # type: ignore[arg-type]
    tree, found = solve_tree(asked.betting, asked.cards, minimiser("dcfr"), Stop(exploitability=0.5))
    assert not tree.is_folded
    assert gap(tree.subgame, found.plans)[0] <= 1.0 + 1e-3
