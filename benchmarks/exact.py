"""The exact LP against raw HiGHS on the same program, and exploitability against one iteration."""

from __future__ import annotations

from functools import partial

import highspy
import numpy as np

import counterplay as cp
from common import interleaved, table
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.lp import SequenceFormLP
from counterplay.solvers.minimiser import CFR_PLUS


def raw(lp: highspy.HighsLp, solver: str) -> None:
    """The same program given to HiGHS as it is, with the same algorithm and the same tolerances."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("solver", solver)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(name, 1e-9)
    model.passModel(lp)
    model.run()
    model.getSolution()


def ours(game: cp.GameTree) -> None:
    """Our whole call: from the payoff to both strategies."""
    SequenceFormLP(game.subgame, 0).maximise(None, 1.0)


def main() -> None:
    rows = []
    for spec in ("kuhn", "leduc", "goofspiel:5", "liars_dice:1,5", "liars_dice:1,6"):
        game = cp.load(spec)
        program = SequenceFormLP(game.subgame, 0)
        program.maximise(None, 1.0)
        lp, solver = program.model.getLp(), program.algorithm
        calls = {
            "ours": partial(ours, game),
            "raw": partial(raw, lp, solver),
        }
        seconds = interleaved(calls, 3, of=f"exact LP of {spec}", peer="raw")
        rows.append((spec, solver, seconds["ours"], seconds["raw"], seconds["ours"] / seconds["raw"]))
    table("Exact LP, seconds, our whole call against HiGHS alone", ("game", "algorithm", "ours", "raw", "ratio"), rows)
    rows = []
    for spec in ("leduc", "goofspiel:5", "liars_dice:1,6", "goofspiel:6"):
        game = cp.load(spec)
        iterates = Iterates(game.subgame, CFR_PLUS)
        iterates.advance(10)
        plans = iterates.average()
        calls = {"iteration": partial(iterates.advance, 100), "exploitability": partial(gap, game.subgame, plans)}
        times = interleaved(calls, 20, of=spec, peer="iteration", sizes={"iteration": 100})
        micros = [1e6 * seconds for seconds in times.values()]
        rows.append((spec, *micros, micros[1] / micros[0]))
    table("Exploitability of a profile, µs", ("game", "one CFR+ iteration", "exploitability", "ratio"), rows)
    assert np.isfinite([row[-1] for row in rows]).all()


if __name__ == "__main__":
    main()
