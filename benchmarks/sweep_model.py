"""A model of sweeps by several workers, from the parts of a round as they are measured here, and how well it predicts runs.

    python benchmarks/sweep_model.py             # parts, runs of 1,500 boards by 1, 2 and 4 workers, and 64 cores; minutes
    python benchmarks/sweep_model.py 3000

Times are processor seconds of one thread, so that other work on the machine disturbs them little, and that four workers on
two cores can be compared. By the clock a round of n workers, each on a core of its own, lasts as long as the slowest share,
and then as long as this process needs to add up all of them.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

import numpy as np

from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints import round_tables, split_sampling
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.round_tables import FollowedTables, SharedShareTables
from counterplay.poker.whole_game.blueprints.split_sampling import BoardRound, ShareSweep, SplitSampling
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.work.processes import Processes
from counterplay.work.run_work import Executor, InProcess, complete_work

GAME = "holdem:stack=200bb,bets=fcpa,buckets=quick"
LENGTHS, ROUNDS, MESSAGES = (1, 4, 16, 64, 256), (8, 4, 2, 2, 1), 100
MEGA = 1e6
"""Boards of a share in the measured rounds, and how many of each; rounds without boards, for what messages take."""
NETWORK, PACKING = 1250.0, 0.0014
"""Megabytes a second of 10 Gb/s, and seconds for a megabyte in the client, and in a worker (`cluster_rounds.py`)."""
WARM, ADDERS = 64, 8
"""Boards before; and how many times faster the threads of many cores add up than one does, which memory limits: assumed."""


@dataclass
class _Spent:
    """Processor seconds by what they were spent on."""

    seconds: dict[str, float] = field(default_factory=dict)

    def on(self, owner: Any, name: str, what: str) -> AbstractContextManager[None]:
        """While this lasts, all calls of a function count."""
        usual = getattr(owner, name)

        def timed(*words: Any, **more: Any) -> Any:
            begin = time.process_time()
            try:
                return usual(*words, **more)
            finally:
                self.seconds[what] = self.seconds.get(what, 0.0) + time.process_time() - begin

        return replaced(owner, name, timed)


@contextmanager
def replaced(owner: Any, name: str, other: Any) -> Iterator[None]:
    """While this lasts, a function is another one."""
    usual = getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        setattr(owner, name, usual)


@dataclass(frozen=True)
class _Parts:
    """What is measured. Arrays run over LENGTHS, and hold seconds of a share and megabytes.

    Attributes:
        board: seconds of a board; spread: their standard deviation.
        note, merge: on one machine, of a share to note which lines it has met, and to merge them: half of what two take.
        follow, take, add: elsewhere, a share's copy of what is new, the search for what it has changed, and its sum.
        new, back: of regrets that are new after a round of two shares, and of a share's changes.
        message: of a share, to give it to a process and take it back, in all processes.
        whole: megabytes of all regrets.
    """

    board: float
    spread: float
    note: Any
    merge: Any
    follow: Any
    take: Any
    add: Any
    new: Any
    back: Any
    message: float
    whole: float

    def processor(self, shares: int, boards: float) -> float:
        """Processor seconds of a round in processes of one machine."""
        return shares * (
            self.board * boards + self._of(self.note, boards) + self._of(self.merge, boards) + self.message
        )

    def clock(self, shares: int, boards: float) -> float:
        """Seconds of such a round by the clock, one worker a core."""
        merged = shares * (self._of(self.merge, boards) / min(shares, ADDERS) + self.message)
        return self._swept(shares, boards) + self._of(self.note, boards) + merged

    def elsewhere(self, shares: int, boards: float) -> float:
        """Seconds of a round by the clock where the workers are on other machines: what all shares have changed goes to
        each worker, what it has changed comes back, and both pass the client."""
        new, first = min(_between(self.new, shares * boards / 2), self.whole), self.new[0]
        per_megabyte = np.polyfit(self.new, self.follow, 1)[0] if self.new[-1] > first else 0.0
        worker = float(self.follow[0] + per_megabyte * (new - first) + self._of(self.take, boards))
        added = shares * (self._of(self.add, boards) / min(shares, ADDERS) + self.message)
        megabytes = new + self._of(self.back, boards)
        return self._swept(shares, boards) + worker + added + megabytes * (shares * (1 / NETWORK + PACKING) + PACKING)

    def _swept(self, shares: int, boards: float) -> float:
        """Until the slowest share is swept: of n normal ones it is about sqrt(2 ln n) standard deviations late."""
        late = self.spread * sqrt(2.0 * boards * log(shares)) if shares > 1 else 0.0
        return self.board * boards + late

    def _of(self, numbers: Any, boards: float) -> float:
        """A number of a share of so many boards, which change no more than all lines of regrets and averages."""
        while _between(self.back, boards) > 2.0 * self.whole * (1 + 4 / 64):
            boards *= 0.9
        return _between(numbers, boards)


def _between(numbers: Any, boards: float) -> float:
    """A number of a share of so many boards: between the measured lengths by powers, beyond them as the last two go on."""
    at, logs = np.log(np.array(LENGTHS, float)), np.log(np.maximum(numbers, 1e-9))
    if boards <= LENGTHS[-1]:
        return float(np.exp(np.interp(np.log(boards), at, logs)))
    slope = (logs[-1] - logs[-2]) / (at[-1] - at[-2])
    return float(np.exp(logs[-1] + slope * (np.log(boards) - at[-1])))


def main() -> None:
    """Print parts, the comparison with runs, and the prediction."""
    os.environ.setdefault("COUNTERPLAY_THREADS", "1")
    boards = next((int(word) for word in sys.argv[1:] if word.isdecimal()), 1500)
    _runs(8, 2)  # compiles
    parts = _measure_parts()
    _show_parts(parts)
    whole = None
    print(
        f"\n{boards:,} boards        rounds   CPU s as foretold    measured   efficiency by CPU time: foretold, measured"
    )
    for shares in (1, 2, 4):
        done, measured = _runs(boards, shares)
        lengths = _lengths(done, shares)
        told = parts.board * done if shares == 1 else sum(parts.processor(shares, one) for one in lengths)
        whole = whole or (done, told, measured)
        share = done / whole[0]
        print(f"{shares} workers{done:>12,}{len(lengths):>10}{told:>12.1f}{measured:>18.1f}"
              f"{share * whole[1] / told:>22.0%}{share * whole[2] / measured:>10.0%}", flush=True)  # fmt: skip
    _predict(parts)


def _lengths(boards: int, shares: int) -> list[int]:
    """Boards of a share in each round, up to so many boards."""
    split, done, found = BoardSplit(shares) if shares > 1 else None, 0, list[int]()
    while split is not None and done < boards:
        found.append(split.next_round(done))
        done += shares * found[-1]
    return found


def _runs(boards: int, shares: int) -> tuple[int, float]:
    """Boards of a blueprint by so many workers, and the processor seconds of sampling it."""
    rules = read_holdem(GAME)
    lanes = make_buckets(rules.game.boards, rules.buckets)
    executor: Executor = InProcess() if shares == 1 else Processes(shares)
    begin = _processor()
    split = BoardSplit(shares) if shares > 1 else None
    made = blueprint(rules.game, lanes, method="public", iterations=boards, threads=1, split=split, executor=executor)
    return made.iterations, _processor() - begin


def _processor() -> float:
    """Of this process and of those that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _measure_parts() -> _Parts:
    rules = read_holdem(GAME)
    problem = SamplingProblem(rules.game, make_buckets(rules.game.boards, rules.buckets), 0)
    spread = _spread(problem)
    solver = SplitSampling(problem, "public", BoardSplit(2), InProcess(), 1)
    solver.sample(WARM)
    rows = [_round_of(solver, *pair) for pair in zip(LENGTHS, ROUNDS, strict=True)]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    boards = float(np.sum(columns.pop("sweep") * np.array(ROUNDS)) / np.dot(LENGTHS, ROUNDS))
    whole = sum(table.nbytes for table in solver._regrets.values()) / MEGA
    return _Parts(boards, spread, **columns, message=_message(problem), whole=whole)


def _spread(problem: SamplingProblem) -> float:
    """The standard deviation of the seconds of a board."""
    solver, found = PublicSampling(problem), list[float]()
    for number in range(80):
        begin = time.process_time()
        solver.sweep([number])
        found.append(time.process_time() - begin)
    return float(np.std(found[16:]))


def _round_of(solver: SplitSampling, boards: int, rounds: int) -> dict[str, float]:
    """Seconds of a share, and megabytes, in rounds of so many boards a share; means."""
    spent, count, new, back = _Spent(), 2 * rounds, 0.0, list[int]()
    add_up = split_sampling.add_all_changes

    def add(state: Any, shares: Any, threads: int) -> None:
        back.extend(change.values.nbytes + change.places.nbytes for share in shares for change in share.values())
        add_up(state, shares, threads)

    with (
        spent.on(FollowedTables, "follow", "follow"), spent.on(PublicSampling, "sweep", "sweep"),
        spent.on(ShareSweep, "sweep", "share"), spent.on(ShareSweep, "sweep_in", "in"),
        spent.on(SharedShareTables, "merge", "merge"), spent.on(round_tables, "add_changes", "add"),
        replaced(split_sampling, "add_all_changes", add), replaced(BoardSplit, "next_round", lambda *_: boards),
    ):  # fmt: skip
        for _ in range(rounds):
            solver._sweep_round()
        inside, outside = spent.seconds.pop("sweep"), 0.0
        with replaced(solver._rooms, "rooms", (None, None)):  # as elsewhere, where changes travel
            for _ in range(rounds):
                solver._sweep_round()
                new += sum(64 * len(solver._regrets.new_lines(name)) for name in solver._regrets) / MEGA
            outside = spent.seconds["sweep"]
        spent.seconds |= {"note": spent.seconds.pop("in") - inside, "sweep": outside}
    found = {what: seconds / count for what, seconds in spent.seconds.items()}
    take = found.pop("share") - found["sweep"] - found["follow"]
    return {**found, "take": take, "new": new / rounds, "back": sum(back) / MEGA / count}


def _message(problem: SamplingProblem) -> float:
    """Processor seconds that a share of no boards takes more in another process than in this one, in both together: many
    rounds less one, so that the start of the workers does not count."""

    def cost(executor: Executor, rounds: int) -> float:
        begin, solver = _processor(), SplitSampling(problem, "public", BoardSplit(2), executor, 1)
        work = BoardRound(solver._shared, 2, 0, 0, solver._regrets, solver._rooms.each)
        with executor.held():
            for _ in range(rounds):
                complete_work(work, executor=executor)
        return _processor() - begin

    there, here = (cost(one, MESSAGES) - cost(one, 1) for one in (Processes(2), InProcess()))
    return max(0.0, (there - here) / (MESSAGES - 1) / 2)


def _show_parts(parts: _Parts) -> None:
    print(f"a board {1e3 * parts.board:.2f} ms (standard deviation {1e3 * parts.spread:.2f}), "
          f"messages of a share {1e3 * parts.message:.2f} ms")  # fmt: skip
    print(
        "boards of a share      note   merge  elsewhere: follow  take     add (ms)   MB: regrets new, changes of a share"
    )
    for k, boards in enumerate(LENGTHS):
        told = "".join(f"{1e3 * one[k]:9.2f}" for one in (parts.note, parts.merge, parts.follow, parts.take, parts.add))
        print(f"{boards:>14}    {told}{parts.new[k]:>16.1f}{parts.back[k]:>14.1f}")


def _predict(parts: _Parts) -> None:
    """Efficiency by the clock where each worker has a core."""
    print("\nworkers  boards of a share  sweeping: in processes  on other machines   boards until rounds are so long")
    for shares, most in ((2, 64), (2, 256), (4, 256), (8, 5000), (16, 256), (64, 256), (64, 1024), (64, 5000)):
        sweeping, needed = parts.board * most, most * shares * min(16 * shares, 128)
        told = [sweeping / seconds(shares, most) for seconds in (parts.clock, parts.elsewhere)]
        print(f"{shares:>7}{most:>19,}{told[0]:>24.0%}{told[1]:>19.0%}{needed:>34,}")


if __name__ == "__main__":
    main()
