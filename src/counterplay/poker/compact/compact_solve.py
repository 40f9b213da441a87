"""Solves on the compact engine: until exploitability, iterations or seconds are reached, or Ctrl-C."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.jit.clock import run_time
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.public_tree.board_tables import tables_of
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import boards_of
from counterplay.poker.public_tree.size_estimate import SINGLE
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Minimiser
from counterplay.solvers.pace import Looks, Pace

EARLY = 4
"""Iterations before the first look: about a twentieth of those to half a per cent of the pot, and usable."""


@dataclass(frozen=True, eq=False)
class CompactSolution:
    """A solve that ended.

    Attributes:
        run: its averages.
        nash_conv, value: those of the averages, in float64; the value of player 0, midway between its bounds.
        seconds: wall-clock time.
        interrupted: whether Ctrl-C stopped it.
    """

    run: CompactRun
    nash_conv: float
    value: float
    seconds: float
    interrupted: bool

    @property
    def exploitability(self) -> float:
        """Half of NashConv."""
        return 0.5 * self.nash_conv


def solve_compact(
    betting: BettingTree,
    cards: Cards,
    method: Minimiser,
    stop: Stop,
    progress: Progress | None = None,
    *,
    precision: str = SINGLE,
) -> CompactSolution:
    """Solve with both players free within their ranges; isomorphic suits are dealt once.

    Args:
        betting: the betting tree.
        cards: the cards.
        method: a minimiser that `compact_run.has_compact_form`.
        stop: stopping rule.
        progress: see `solve_cfr`.
        precision: of what is stored, see `CompactRun`.
    """
    begin = run_time()
    run = CompactRun(betting, tables_of(boards_of(betting, cards, alike=True)), method, precision)
    looks, pace = Looks(sum(run.layout.stored), stop.exploitability), Pace(begin + stop.seconds)
    now, interrupted = None, False
    try:
        while run.done < stop.iterations and not pace.late and (now is None or now[0] > 2.0 * stop.exploitability):
            goal = min(looks.after(run.done) if run.done or not looks.aims else EARLY, stop.iterations)
            while run.done < goal and not pace.late:
                pace.advance(run, goal)
            now = run.gap()
            if run.done > EARLY:
                looks.saw(run.done, now[0])
            if progress:
                progress(run.done, 0.5 * now[0])
    except KeyboardInterrupt:
        now, interrupted = None, True
    found = run.gap() if now is None else now
    run.forget_regrets()
    return CompactSolution(run, *found, run_time() - begin, interrupted)
