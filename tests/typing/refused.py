"""What mypy must refuse: each line is an error, else its comment is an unused one, which is an error, too.

Checked by `make types`, never run.
"""

from __future__ import annotations

import counterplay as cp


def wrong_calls() -> None:
    """Calls that fail when they run."""
    game = cp.load("leduc")
    cp.solve(game, iterations=100)  # type: ignore[call-arg]
    cp.solve(game, stop=100)  # type: ignore[arg-type]
    cp.Stop("x")  # type: ignore[arg-type]
    cp.Noise("a little", cp.Nash())  # type: ignore[arg-type]
    cp.Noise(0.2, 3)  # type: ignore[arg-type]
    cp.RNR(q=0.4)  # type: ignore[call-arg]
    cp.CDRNR(look={"depth": 1})  # type: ignore[arg-type]
    cp.respond(game, "uniform", cp.RNR)  # type: ignore[arg-type]
    cp.respond(game, "uniform", epsilom=0.1)  # type: ignore[call-arg]
    cp.agent(game, "nash")  # type: ignore[call-arg]
    cp.frontier(game, "uniform", points="many")  # type: ignore[arg-type]
    cp.solve_spot("river.toml")  # type: ignore[arg-type]
    cp.Strategy(1, 2)  # type: ignore[arg-type]
