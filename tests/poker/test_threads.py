"""Public trees that are worked on branch by branch: the same as in one piece, by however many threads, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from counterplay import InputError, Spot, Stop, Strategy
from counterplay.gadgets.gadget import max_margin_entry, resolving_entry, unsafe_entry
from counterplay.jit import threads as thread_pool
from counterplay.poker.public_tree import payoff as branches
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.subtrees.public_subtree import PublicSubtree
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.subgames.entry import Entry
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import Treeplex
from tests.support.covering import covering
from tests.support.public_trees import toy


def in_pieces(tree: PublicTree, whole: bool, monkeypatch: pytest.MonkeyPatch) -> Subgame:
    """A problem that is worked on in one piece or branch by branch, however small it is."""
    with monkeypatch.context() as patched:
        patched.setattr(branches, "LARGE", 1 << 60 if whole else 1)
        fresh = PublicTree(tree.betting, tree.boards, tree.tables, tree.runs)
        assert (fresh.leaves.leaves[0].branches.number == 0) == whole
        assert (fresh.leaves.single[1].branches.number == 0) == whole
        return fresh.subgame


def same(one: Subgame, two: Subgame, method: str, dtype: Any, atol: float) -> None:
    """Both go the same way, also over several calls."""
    iterates = [Iterates(subgame, minimiser(method), dtype) for subgame in (one, two)]
    for count in (1, 2, 4):
        for each in iterates:
            each.advance(count)
        for here, there in zip(iterates[0].average(), iterates[1].average(), strict=True):
            np.testing.assert_allclose(here, there, atol=atol, rtol=0)


@pytest.mark.parametrize("street", ["turn", "flop"])
@pytest.mark.parametrize("method", [*MINIMISERS, "cfr:simultaneous"])
def test_branch_by_branch_is_the_same(street: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bets = "50%, a" if street == "turn" else "a"
    tree = toy(3, street, bets, cards=8 if street == "turn" else 7)
    same(*(in_pieces(tree, whole, monkeypatch) for whole in (True, False)), method, np.float64, 1e-9)


@pytest.mark.parametrize(("board", "alike"), covering(["Qs Js Ts", "Qs Qh Tc Td", "Qs Jh Td"], [False, True]))
def test_suits_that_are_alike_in_branches(board: str, alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Spot(board, "AA-JJ,AKs,KTs", "AK,QJs,TT+", 200, 300, "a", raises=1)  # type: ignore[arg-type]
    tree = public_tree(asked.betting, asked.cards, alike=alike)
    same(*(in_pieces(tree, whole, monkeypatch) for whole in (True, False)), "dcfr", np.float64, 1e-9)


@pytest.mark.parametrize("kind", ["model", "trust", "horizon"])
def test_whatever_binds_a_player(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, rng = toy(5, "turn", "50%, a"), np.random.default_rng(5)
    problems = [in_pieces(tree, whole, monkeypatch) for whole in (True, False)]
    bound = restriction(problems[0].trees[1], kind, rng)
    one, two = (problem.bound(1, bound) for problem in problems)
    same(one, two, "dcfr", np.float64, 1e-9)


ENTRIES: dict[str, Callable[[np.ndarray], Entry]] = {
    "resolving": resolving_entry,
    "resolving, by weight": lambda worth: resolving_entry(worth, np.linspace(0.5, 1.0, len(worth))),
    "max-margin": lambda worth: max_margin_entry(worth, weight=np.arange(len(worth)) * 1.0),
    "unsafe": lambda worth: unsafe_entry(len(worth), np.linspace(0.0, 1.0, len(worth))),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_whatever_entry_stands_in_front(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry is part of the trunk, and so are its constants; half of the opponent is a model."""
    tree, problems = toy(3, "turn", "50%, a", cards=8), []
    plans = [Strategy.uniform(runs.tree) for runs in tree.runs]
    for large in (1 << 60, 1):
        with monkeypatch.context() as patched:
            patched.setattr(branches, "LARGE", large)
            piece = PublicSubtree(tree, PublicNode(), tree, 0)
            worth = np.random.default_rng(2).normal(size=piece.size)
            game = piece.gadget_game(ENTRIES[name](worth), plans[0].plan, 0.3)
            if game.entry.can_tremble:
                game = game.trusting(0.4, plans[1].behaviour, plans[1].plan)
            leaves: Any = game.subgame.leaves
            assert (leaves.leaves[0].inner.branches.number == 0) == (large > 1)
            problems.append(game.subgame)
    same(*problems, "dcfr", np.float64, 1e-9)


def restriction(tree: Treeplex, kind: str, rng: np.random.Generator) -> Restriction:
    """One of each kind."""
    model, lanes = tree.uniform(), np.arange(tree.lanes)
    if kind == "model":
        return Restriction.of_plan(tree, model, 0.5)
    if kind == "trust":
        return Restriction.local(tree, model, rng.random(tree.lanes))
    return Restriction.until(tree, model, 0.5, lanes < int(tree.arrays.groups[3, 3]))


@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_any_number_of_threads_gives_the_same_numbers(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_pool, "cores", lambda: 4)
    asked = Spot("Qs Jh 2h 8d", "QQ+,AK,KT,76s", "TT+,AQ,KQ,9h8h", 200, 900, "75%, a")  # type: ignore[arg-type]
    subgame = in_pieces(public_tree(asked.betting, asked.cards), False, monkeypatch)
    found = []
    for count in ("1", "2", "4", "64", ""):
        monkeypatch.setenv("COUNTERPLAY_THREADS", count)
        iterates = Iterates(subgame, minimiser("dcfr"), dtype)
        iterates.advance(3)
        iterates.advance(17)
        found.append(iterates.average())
    for plans in found[1:]:
        for here, there in zip(plans, found[0], strict=True):
            np.testing.assert_array_equal(here, there)


def test_small_trees_and_rivers_stay_in_one_piece() -> None:
    assert toy(1, "turn", "a").leaves.leaves[0].branches.number == 0
    river = Spot("Qs Jh 2h 8d 3c", "random", "random", 200, 550, "25%, 50%, 75%, 100%, a")  # type: ignore[arg-type]
    assert public_tree(river.betting, river.cards).leaves.leaves[0].branches.number == 0


def test_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COUNTERPLAY_THREADS", raising=False)
    assert thread_pool.threads() == thread_pool.cores() >= 1
    monkeypatch.setenv("COUNTERPLAY_THREADS", "1")
    assert thread_pool.threads() == 1
    monkeypatch.setenv("COUNTERPLAY_THREADS", "64")
    assert thread_pool.threads() == min(64, thread_pool.cores())
    for bad in ("0", "-1", "two", "1.5", "100000"):
        monkeypatch.setenv("COUNTERPLAY_THREADS", bad)
        with pytest.raises(InputError, match="COUNTERPLAY_THREADS"):
            thread_pool.threads()


@pytest.mark.skipif(os.name != "posix", reason="signals of processes")
@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="Ctrl-C is for the main thread")
def test_an_interrupted_solve_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERPLAY_THREADS", "2")
    asked = Spot("Qs Jh 2h 8d", "22+,A2+,KT+", "22+,A2s+,K9+,QT+", 200, 900, "75%, a")  # type: ignore[arg-type]
    subgame = in_pieces(public_tree(asked.betting, asked.cards), False, monkeypatch)
    seen: list[float] = []

    def looked(_: int, exploitability: float) -> None:
        seen.append(exploitability)
        if len(seen) == 2:
            threading.Timer(0.03, os.kill, (os.getpid(), signal.SIGINT)).start()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = solve_cfr(subgame, minimiser("dcfr"), Stop(iterations=1_000_000), looked)
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.interrupted
    assert found.exploitability == min(seen)
