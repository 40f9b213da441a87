"""Seconds to an exploitability of 1e-4 with the method that the library picks by itself, warm."""

from __future__ import annotations

from functools import partial

import counterplay as cp
from common import interleaved, table

GOALS = {"leduc": 0.02, "goofspiel:5": 0.02, "liars_dice:1,6": 0.1, "goofspiel:6": 2.0}
METHODS = ("auto", "cfr+", "dcfr", "pcfr+", "pdcfr+")


def main() -> None:
    rows = []
    for spec, goal in GOALS.items():
        game = cp.load(spec)
        stop = cp.Stop(exploitability=1e-4, seconds=20.0)
        found = {method: cp.solve(game, solver=method, stop=stop) for method in METHODS}
        calls = {method: partial(cp.solve, game, method=method, stop=stop) for method in METHODS}
        seconds = interleaved(calls, 3, of=f"{spec} to 1e-4", peer="cfr+")
        for method, result in found.items():
            facts = result.facts
            name = f"auto ({facts['method']})" if method == "auto" else method
            reached = "yes" if facts["exploitability"] <= 1e-4 else f"no: {facts['exploitability']:.1e}"
            rows.append((spec, name, facts["iterations"], seconds[method], reached, goal if method == "auto" else ""))
    table("To exploitability 1e-4", ("game", "method", "iterations", "seconds", "reached", "goal"), rows)


if __name__ == "__main__":
    main()
