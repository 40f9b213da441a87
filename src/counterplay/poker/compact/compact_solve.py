"""Solves on the compact engine: until exploitability, iterations or seconds are reached, or Ctrl-C."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Protocol, runtime_checkable

import numpy as np

from counterplay.jit.clock import run_time
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.coarse_start import COUNTED, ITERATIONS, is_worth_it, start_coarsely
from counterplay.poker.compact.compact_run import BestAverages, CompactRun
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.public_tree.boards import Cards, tables_of
from counterplay.poker.public_tree.public_tree import boards_of
from counterplay.poker.public_tree.size_estimate import DOUBLE, SINGLE
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.iterates import Looks, Pace
from counterplay.solvers.minimiser import Minimiser

EARLY = COUNTED
"""Iterations before the first look: about a twentieth of those to half a per cent of the pot. In a large spot they are those
as which the first strategy from few boards counts."""
_EARLY_FROM = 10_000_000
"""Numbers of both players from which a solve takes seconds, so that its first strategies are worth a look; the same on all
machines."""
_LONG = 1.0
"""Seconds from which a solve is long enough for its first strategies to be told."""
_SURE = 250
"""Iterations within which nothing is called a stall."""


NO_PLANS = np.zeros(0), np.zeros(0)
"""Stands in a `Solution` whose strategies are averages of a run."""


@runtime_checkable
class EarlyWatch(Protocol):
    """A `Progress` that is also told, in a long solve, what its strategies are so far."""

    def __call__(self, iterations: int, exploitability: float) -> None: ...

    def so_far(self, shares: Mapping[str, float], exploitability: float) -> None:
        """Called with the share of each action at the first decision, and the exploitability in chips."""


def solve_compact(
    betting: BettingTree,
    cards: Cards,
    method: Minimiser,
    stop: Stop,
    progress: Progress | None = None,
    *,
    precision: str = SINGLE,
) -> tuple[CompactRun, Solution]:
    """Solve with both players free within their ranges, by a minimiser that `compact_run.has_compact_form`; isomorphic
    suits are dealt once. Precision as of `CompactRun`, progress as of `solve_cfr`."""
    begin = run_time()
    layout = CompactLayout(betting, tables_of(boards_of(betting, cards, alike=True)))
    early = progress if isinstance(progress, EarlyWatch) else None
    run = CompactRun(layout, method, precision)
    return run, solve_run(run, stop, progress, begin, early=early)


def solve_run(
    run: CompactRun,
    stop: Stop,
    progress: Progress | None = None,
    begin: float | None = None,
    *,
    kept: BestAverages | None = None,
    early: EarlyWatch | None = None,
) -> Solution:
    """Advance a run until it may stop; it then has the best averages that were measured, of the NashConv and value of the
    solution in float64, and its regrets are given back. A large one begins with a first strategy from few boards.

    With `kept`, the best averages of earlier calls, regrets are kept, to continue later. `early` gets the strategies at
    each look of a long solve. `begin` is the time at which it began, by default now."""
    begin = run_time() if begin is None else begin
    looks, pace = Looks(sum(run.layout.stored), stop.exploitability), Pace(begin + stop.seconds)
    soon = EARLY if sum(run.layout.stored) >= _EARLY_FROM else 0
    now, interrupted, rounded = None, False, stop.exploitability > 0.0 and run.precision != DOUBLE
    least, at = inf, _SURE  # the smallest NashConv so far, to a tenth, and the iterations after which it was reached
    coarsely = stop.exploitability > 0.0 and stop.iterations > ITERATIONS and is_worth_it(run.layout)

    def repeat(iterations: int) -> None:
        run.clear()
        if coarsely:
            start_coarsely(run)
        run.advance(iterations - run.done)

    best = kept or BestAverages(run, repeat if run.done == 0 else None)
    try:
        if run.done == 0 and coarsely:
            start_coarsely(run)
        while run.done < stop.iterations and not pace.late and (now is None or now[0] > 2.0 * stop.exploitability):
            if now is not None and now[0] < 0.9 * least:
                least, at = now[0], max(run.done, _SURE)
            if rounded and now is not None and run.done >= 2 * at:
                break  # twice the iterations have brought next to nothing: rounding of what is stored may end progress
            first = now is None and run.done <= soon > 0
            goal = min(soon if first else looks.after(run.done), stop.iterations)
            best.before_advance()
            while run.done < goal and not pace.late:
                pace.advance(run, goal)
            now = best.measure()
            if run.done > EARLY:
                looks.saw(run.done, now[0])
            if progress:
                progress(run.done, 0.5 * now[0])
            if early and now[0] > 2.0 * stop.exploitability and run_time() - begin > _LONG:
                early.so_far(first_shares(run), 0.5 * now[0])
    except KeyboardInterrupt:
        interrupted = True
    nash_conv, value = best.take()
    if kept is None:
        run.forget_regrets()
    return Solution(NO_PLANS, value, nash_conv, run.method.name, run.done, run_time() - begin, interrupted)


def first_shares(run: CompactRun) -> dict[str, float]:
    """How often the averages take each action at the first decision of a tree, by their texts."""
    layout, averages = run.layout, Averages.of_run(run)
    betting, node = layout.betting, min(averages.layout.decisions)
    player, layer, cards = int(betting.kind[node]), layout.boards.layers[0], layout.boards.cards
    hands = cards.hands[layer.hand]
    weight = cards.weights[player][layer.hand] * compatible_weight(hands, cards.weights[1 - player][layer.hand])
    lanes = layout.boards.above(0, 0)
    played = sum(way.weight * averages.played(player, way, node, lanes) for way in averages.sides[player])
    return dict(zip(betting.actions(node), (np.asarray(played) @ weight / weight.sum()).tolist(), strict=True))
