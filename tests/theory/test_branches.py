"""Large games are solved branch by branch: the answer is that of the whole tree, on any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterplay.gametree.compile.load import load
from counterplay.jit import threads
from counterplay.leaves.branch_leaf import GROUP, BranchLeaf
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import OFFSET
from tests.support.branches import GAMES, in_branches


def averages(subgame: Subgame, method: str) -> tuple[Any, Any]:
    iterates = Iterates(subgame, MINIMISERS[method])
    iterates.advance(7)
    iterates.advance(20)  # it goes on where it stopped
    return iterates.average()


@pytest.mark.parametrize("spec", GAMES)
def test_branches_and_threads_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    whole, parts = load(spec), in_branches(monkeypatch, spec)
    assert isinstance(parts.payoff.leaves[0], BranchLeaf)
    assert not isinstance(whole.payoff.leaves[0], BranchLeaf)
    for method in ("cfr", "pcfr+"):
        monkeypatch.setenv(threads.VARIABLE, "1")
        one = averages(parts.subgame, method)
        assert gap(parts.subgame, one) == pytest.approx(gap(whole.subgame, averages(whole.subgame, method)), abs=1e-10)
        monkeypatch.setenv(threads.VARIABLE, "3")
        monkeypatch.setattr(threads, "cores", lambda: 3)
        for plan, same in zip(one, averages(parts.subgame, method), strict=True):
            assert (plan == same).all()


def test_restrictions_hold_in_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for game in (load("leduc"), in_branches(monkeypatch, "leduc")):
        tree = game.trees[1]
        local = Restriction.local(tree, tree.uniform(), np.full(tree.lanes, 0.3))
        model = Restriction.of_plan(game.trees[0], game.trees[0].uniform(), 0.2)
        problem = game.subgame.restricted(1, local).restricted(0, model)
        found.append(gap(problem, averages(problem, "cfr+")))
    assert found[0] == pytest.approx(found[1], abs=1e-10)


@pytest.mark.parametrize("spec", GAMES)
def test_a_branch_meets_itself_and_the_trunk_only(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    game = in_branches(monkeypatch, spec)
    branch = []
    for tree in game.trees:
        firsts = np.append(tree.arrays.groups[:, OFFSET], tree.size)[tree.branches[1:, GROUP]]
        branch.append(np.searchsorted(firsts, np.arange(tree.size), "right"))
        before = branch[-1][tree.predecessor]
        assert ((before == branch[-1]) | (before == 0)).all()
    assert branch[0].max() > 3
    row = np.repeat(np.arange(game.trees[0].size), np.diff(game.payoff.rows.start))
    one, other = branch[0][row], branch[1][game.payoff.rows.column]
    assert ((one == other) | (one == 0) | (other == 0)).all()
