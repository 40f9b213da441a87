"""Games in memory in float32: half of the state, the answer to a millionth, exploitability measured in float64."""

from __future__ import annotations

import numpy as np
import pytest

import counterplay as cp
from counterplay import Minimiser
from counterplay.leaves.branch_leaf import BranchLeaf
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import DCFR, minimiser
from tests.support.branches import in_branches
from tests.support.commands import Runner


@pytest.mark.parametrize("spec", ["leduc", "goofspiel:4"])  # tiles, and pairs of actions
def test_single_precision_is_the_same_iteration(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    """Whole and branch by branch, after the same iterations, the gap in float64 is that of float64 to rounding."""
    for game in (cp.load(spec), in_branches(monkeypatch, spec)):
        found = []
        for method in (DCFR, minimiser("dcfr:single")):
            solved = cp.solve(game, solver=method, stop=cp.Stop(iterations=10))
            found.append(solved.nash_conv)
            assert gap(game.subgame, solved.solution.plans)[0] == pytest.approx(solved.nash_conv, abs=1e-12)
        assert found[1] == pytest.approx(found[0], abs=1e-6 * game.span)
        assert found[1] != found[0]
    assert isinstance(game.payoff.leaves[0], BranchLeaf)
    sizes = [
        sum(
            a.nbytes
            for a in Iterates(game.subgame, DCFR, dtype).sides[0]
            if isinstance(a, np.ndarray) and a.dtype == dtype
        )
        for dtype in (np.float64, np.float32)
    ]
    assert sizes[1] <= 0.5 * sizes[0]


def test_single_precision_is_a_word_of_a_method(run: Runner) -> None:
    for text in ("dcfr:single", "cfr+:simultaneous,single", "dcfr:1.5,0,4,single"):
        method = Minimiser.from_text(text)
        assert method.single
        assert Minimiser.from_text(str(method)) == method
    game = cp.load("leduc")
    model = cp.opponent(game, "cfr+:10", player=1)
    found = [cp.respond(game, model, p=0.5, solver=solver) for solver in ("dcfr", "dcfr:single")]
    worth = [one.gain - one.exploitability for one in found]  # what a restricted Nash response maximises, times two
    assert worth[1] == pytest.approx(worth[0], abs=2e-3)
    solved = run("solve", "kuhn", "--precision", "single", "--exploitability", "0.001", "--json")
    assert solved.json["method"] == "dcfr:single"
    assert solved.json["exploitability"] <= 0.001
    traced = run(
        "frontier", "kuhn", "--to", "uniform", "--methods", "rnr", "--points", "3", "--precision", "single", "--json"
    )
    assert traced.code == 0, traced.err
    for words, message in (
        (("--solver", "lp"), "lp is exact, in float64"),
        (("--precision", "half"), "takes double or single"),
    ):
        assert message in run("solve", "kuhn", "--precision", "single", *words).err
