"""Flop Hold'em: seconds of a CFR+ iteration with 200 buckets and without any, iterations a second of both kinds of sampling,
seconds of an exact best response over all 1,755 flops, and how exploitable the blueprints are.

One thread. Least time of a few rounds; the first call of everything, which compiles, is not counted. Exploitability is that
in the whole game, of the mean over both seats, in milli-big-blinds a hand. Without buckets an iteration needs 2 GiB.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from common import interleaved, table
from counterplay.poker.fhp_buckets import cluster
from counterplay.poker.fhp_external import External
from counterplay.poker.fhp_flops import flops_of
from counterplay.poker.fhp_game import Game, fhp
from counterplay.poker.fhp_late import memory_of
from counterplay.poker.fhp_measure import best_response_value, measure
from counterplay.poker.fhp_play import Buckets, lossless, uniform
from counterplay.poker.fhp_solver import Solver

BUCKETS, ROUNDS = 200, 3
EXTERNAL, PUBLIC, SWEEPS = 200_000, 1000, 10
"""Iterations of each kind of solve, before the exploitability is taken, and again after four times as many."""


def main() -> None:
    flops, building = _timed(flops_of.__wrapped__)
    game = fhp(flops=flops)
    cluster(flops, 2, preflop=2, groups=2)
    buckets, clustering = _timed(lambda: cluster(flops, BUCKETS))
    print(f"\n## Flop Hold'em: {flops.flops} flops, {game.betting.nodes} betting nodes, {buckets}")
    table("Seconds, once", ("what", "s"), [("all flops", building), (f"{BUCKETS} buckets", clustering)])
    _speed(game, buckets)
    _accuracy(game, buckets)


def _speed(game: Game, buckets: Buckets) -> None:
    """What an iteration takes."""
    blind, random = uniform(game), np.random.default_rng(0)
    swept, drawn, whole = Solver(game, buckets), Solver(game, buckets), Solver(game, lossless(game.flops))
    outside = External(game, buckets)
    calls: dict[str, Callable[[], object]] = {
        "CFR+ over all flops": lambda: swept.sweep(1),
        "the same without buckets": lambda: whole.sweep(1),
        "public chance sampling, 100": lambda: drawn.sample(100, random),
        "external sampling, 10,000": lambda: outside.sample(10_000),
        "exact best response": lambda: best_response_value(game, blind, 0),
        "exploitability and value": lambda: measure(game, blind),
    }
    interleaved(calls, 1)
    seconds = interleaved(calls, ROUNDS)
    rows = [(name, time, _times(name) / time) for name, time in seconds.items()]
    table("One thread", ("what", "s", "a second"), rows)
    memory = memory_of(game, whole.buckets) / 2**30
    print(f"\nWithout buckets: {memory:.3g} GiB of regrets, sums and the average made of them.")


def _times(name: str) -> int:
    """How many iterations a call does."""
    number = name.rpartition(", ")[2].replace(",", "")
    return int(number) if number.isdigit() else 1


def _accuracy(game: Game, buckets: Buckets) -> None:
    """How exploitable the averages are, and after how long."""
    random = np.random.default_rng(1)
    swept, drawn, outside = Solver(game, buckets), Solver(game, buckets), External(game, buckets, seed=1)
    solves: list[tuple[str, Solver | External, int, Callable[[int], None]]] = [
        ("external sampling", outside, EXTERNAL, outside.sample),
        ("public chance sampling", drawn, PUBLIC, lambda count: drawn.sample(count, random)),
        ("CFR+ over all flops", swept, SWEEPS, swept.sweep),
    ]
    rows = []
    for name, solver, count, run in solves:
        for more in (count, 3 * count):
            run(more)
            found = measure(game, solver.average())
            rows.append((name, solver.iterations, solver.seconds, found.exploitability))
    table(f"{BUCKETS} buckets", ("what", "iterations", "s", "mbb a hand"), rows)


Made = TypeVar("Made")


def _timed(make: Callable[[], Made]) -> tuple[Made, float]:
    make()
    begin = time.perf_counter()
    made = make()
    return made, time.perf_counter() - begin


if __name__ == "__main__":
    main()
