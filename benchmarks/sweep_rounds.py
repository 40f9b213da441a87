"""What two processes cost in sweeps of a blueprint whose rounds have their full length, as most rounds of a long run have.

    python benchmarks/sweep_rounds.py            # 8 rounds of 256 boards a share; two minutes
    python benchmarks/sweep_rounds.py 8 64       # so many rounds, and boards a share

One process sweeps as many boards as both shares of a round, then two processes sweep a round, and so on in turn, so that the
machine is equally fast for both. Each process has one thread. Efficiencies are told by the clock and by processor seconds of
all processes; what `workers.py sweeps` adds are the start of a command and its short first rounds.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.split_sampling import SplitSampling
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.work.processes import Processes

GAME = "holdem:stack=200bb,bets=fcpa,buckets=quick"
SHARES, USUAL_ROUNDS, USUAL_BOARDS = 2, 8, 256
WARM = 128
"""Boards before the first ones that count."""


class _FullRounds(BoardSplit):
    """Rounds have their full length from the first one on."""

    def next_round(self, done: int) -> int:
        return self.boards


def main() -> None:
    """Print each pair of measurements, their means and the efficiencies."""
    os.environ["COUNTERPLAY_THREADS"] = "1"
    numbers = [int(word) for word in sys.argv[1:]]
    rounds, boards = numbers + [USUAL_ROUNDS, USUAL_BOARDS][len(numbers) :]
    rules = read_holdem(GAME)
    problem = SamplingProblem(rules.game, make_buckets(rules.game.boards, rules.buckets), 0)
    executor, both = Processes(SHARES), SHARES * boards
    one, two = PublicSampling(problem), SplitSampling(problem, "public", _FullRounds(SHARES, boards), executor, 1)
    with executor.held():
        two.sample(1)
        one.sample(WARM)
        found = []
        for _ in range(rounds):  # boards of its own for each: boards that were met before are dealt faster
            found.append((_cost(lambda: one.sample(both)), _cost(lambda: two.sample(both))))
            pair = zip(("one", "two"), found[-1], strict=True)
            print(*(f"{what} {seconds:6.2f} s {used:6.2f} CPU s   " for what, (seconds, used) in pair), flush=True)
    alone, split = np.array(found).sum(axis=0)
    for what, cost in (("one process", alone), ("two processes", split)):
        seconds, processor = 1000 * cost / (rounds * both)
        print(f"{what:<15}{seconds:6.2f} ms and {processor:6.2f} CPU ms a board")
    print(f"efficiency {alone[0] / split[0] / SHARES:.0%} by the clock, {alone[1] / split[1]:.0%} by CPU seconds")


def _cost(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds by the clock, and processor seconds of this process and of those that it has started (Linux)."""
    begin, used = time.perf_counter(), _processor_seconds()
    work()
    return time.perf_counter() - begin, _processor_seconds() - used


def _processor_seconds() -> float:
    found, tick = time.process_time(), os.sysconf("SC_CLK_TCK")
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            found += (int(fields[11]) + int(fields[12])) / tick
    return found


if __name__ == "__main__":
    main()
