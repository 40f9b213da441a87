"""Sampling by several workers: each sweeps a share of the boards, and what they learn is added up every so many boards.

All shares of a round begin with the same regrets. Each goes on by itself, and at the end the changes of regrets and the
sums of the average are added up, in the order of the shares. The boards, and the weights of the iterations, are those of one
process; what differs is that a share does not see what the others have learned in the round. Regrets of Linear CFR are
plain sums over iterations, so nothing is counted twice, and nothing is lost when a share is swept again by another worker.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.card_abstraction.card_abstraction import lanes_by_street
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.card_abstraction.ochs import cluster_again
from counterplay.errors import InputError
from counterplay.jit.clock import interrupts_held, run_time
from counterplay.jit.threads import threads as usual_threads
from counterplay.poker.whole_game.blueprints.board_split import CFR_BR, BoardSplit, RoundProgress, why_whole
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.round_tables import (
    LINE,
    Changes,
    FollowedTables,
    GrowingTables,
    SharedShareTables,
    ShareTables,
    add_all_changes,
    take_changes,
)
from counterplay.poker.whole_game.holdem import holdem_game, question_of, rules_in
from counterplay.work.cluster import Cluster
from counterplay.work.processes import Processes
from counterplay.work.run_work import Executor, WorkRecipe, complete_work

ShareChanges = Mapping[str, Changes] | Mapping[str, int]
"""Of the tables by name: the changes, or how many lines of them are noted in `ShareTables`."""
_SUMS = "sums"
"""The beginning of the names of averages, on which play does not depend: shares count theirs from 0."""


class ShareSweep:
    """Sweeps of shares, one after the other, by the solver of this process; between two shares its own averages are
    0."""

    def __init__(self, solver: PublicSampling) -> None:
        self._solver, self._own, self._is_clean = solver, solver.state(), True
        self._followed = FollowedTables(self._own)

    def sweep(self, regrets: Mapping[str, AnyArray], boards: Sequence[int]) -> dict[str, Changes]:
        """By name, changes that boards (numbers, ascending) make: of regrets from `regrets` on, and of averages from 0
        on."""
        self._solver.use(self._own)
        self._followed.follow(regrets)
        if not self._is_clean:  # a share before was interrupted
            _reset({name: table for name, table in self._own.items() if name not in regrets}, {})
        self._is_clean = False
        met = self._sweep_boards(boards)
        changes = {name: take_changes(table, regrets.get(name), met.get(name)) for name, table in self._own.items()}
        self._is_clean = True
        self._followed.have_changed({name: one.places.copy() for name, one in changes.items() if name in regrets})
        return changes

    def sweep_in(self, room: ShareTables, regrets: Mapping[str, AnyArray], boards: Sequence[int]) -> dict[str, int]:
        """As `sweep`, in tables where the changes stay: how many lines are noted there, by name."""
        tables = room.tables()
        if room.is_stale:
            _reset(tables, regrets)
        room.begin()
        self._solver.use(tables)
        met = self._sweep_boards(boards)
        return {name: room.note(name, met.get(name)) for name in tables}

    def _sweep_boards(self, boards: Sequence[int]) -> dict[str, AnyArray]:
        self._solver.met_lines(LINE)
        self._solver.sweep(boards)
        return self._solver.met_lines(LINE)


def _reset(tables: Mapping[str, AnyArray], regrets: Mapping[str, AnyArray]) -> None:
    for name, table in tables.items():
        table[...] = regrets.get(name, 0.0)


class SharedProblem:
    """A solve that other processes can set up: the game by its rules, the buckets by their name. threads: of a share in
    this process; in others, all of their cores."""

    def __init__(self, problem: SamplingProblem, method: str, threads: int | None = None) -> None:
        self.problem, self.method, self._threads = problem, method, threads
        _made[self._recipe] = self

    def __reduce__(self) -> tuple[Any, ...]:
        return _set_up, self._recipe

    @cached_property
    def _recipe(self) -> tuple[Any, ...]:
        game, buckets = self.problem.game, self.problem.buckets
        facts = {**question_of(game), "dtype": str(game.dtype), "lanes": lanes_by_street(buckets, game.last)}
        return json.dumps(facts), buckets.name, self.method, self.problem.seed, self.problem.memory

    @cached_property
    def _share_sweep(self) -> ShareSweep:
        threads = self._threads or usual_threads()
        return ShareSweep(PublicSampling(self.problem, threads=threads, exact=self.method == CFR_BR))

    def sweep(
        self, regrets: Mapping[str, AnyArray], boards: Sequence[int], room: ShareTables | None = None
    ) -> ShareChanges:
        sweep = self._share_sweep
        return sweep.sweep(regrets, boards) if room is None else sweep.sweep_in(room, regrets, boards)


_made: WeakValueDictionary[tuple[Any, ...], SharedProblem] = WeakValueDictionary()
"""Solves by what they are made of."""


@lru_cache(maxsize=1)
def _set_up(facts: str, buckets: str, method: str, seed: int, memory: float | None) -> SharedProblem:
    """The solve in another process, which keeps it from round to round."""
    made = _made.get((facts, buckets, method, seed, memory))
    if made is not None:  # this process is a fork of the one that asks
        return SharedProblem(made.problem, method)
    known = json.loads(facts)
    rules, sizes, deck = rules_in(known)
    game = holdem_game(rules, sizes, deck=deck, dtype=np.dtype(known["dtype"]))
    lanes = cluster_again(game.boards, buckets) or make_buckets(game.boards, read_abstraction(buckets, game.last))
    if lanes_by_street(lanes, game.last) != known["lanes"]:
        raise InputError(f"the buckets {buckets} are others on this worker")
    return SharedProblem(SamplingProblem(game, lanes, seed, memory), method)


@dataclass(frozen=True)
class BoardRound(WorkRecipe):
    """A round as work: its pieces are the shares. done: boards before this round. boards: of each share. rooms: of each
    share, to sweep in; none where its changes are to come back."""

    shared: SharedProblem
    shares: int
    done: int
    boards: int
    regrets: Mapping[str, AnyArray]
    rooms: Sequence[ShareTables | None] = ()

    def identity(self) -> dict[str, Any]:
        return {"method": self.shared.method, "shares": self.shares, "done": self.done, "boards": self.boards}

    def keys(self) -> list[str]:
        return [f"share {number + 1} of {self.shares} after {self.done} boards" for number in range(self.shares)]

    def worker_memory(self) -> float:
        """The regrets and averages of a share; elsewhere as much again for what it changes in them."""
        return (2.0 if self.rooms else 4.0) * sum(table.nbytes for table in self.regrets.values())

    def compute(self, key: str) -> ShareChanges:
        share = int(key.split(" ")[1]) - 1
        boards = range(self.done + share, self.done + share + self.boards * self.shares, self.shares)
        return self.shared.sweep(self.regrets, boards, self.rooms[share] if self.rooms else None)


class SplitSampling(PublicSampling):
    """Public chance sampling whose boards are split. threads: of a share in this process; in others, all of their
    cores."""

    def __init__(
        self, problem: SamplingProblem, method: str, split: BoardSplit, executor: Executor, threads: int | None = None,
        watch: Callable[[RoundProgress], None] | None = None,
    ) -> None:  # fmt: skip
        if why := why_whole(problem.game, method):
            raise InputError(why)
        super().__init__(problem, threads=threads or usual_threads(), exact=method == CFR_BR)
        self.split, self._executor, self._watch = split, executor, watch
        self._shared = SharedProblem(problem, method, threads)
        # Processes of this machine leave it their cores while it adds up.
        self._adders = self.threads
        if isinstance(executor, Processes):
            self._adders = min(executor.workers, os.cpu_count() or 1)
        own = super().state()
        # The solver's own regrets are not touched, and so take no memory.
        self._regrets = GrowingTables({name: table for name, table in own.items() if not name.startswith(_SUMS)})
        self._rooms, self._apart = SharedShareTables(own, split.shares), isinstance(executor, Cluster)

    def sample(self, iterations: int) -> None:
        """At least so many iterations, in whole rounds, which depend on nothing but the split. After Ctrl-C the round
        under way does not count."""
        goal = self.iterations + iterations
        while self.iterations < goal:
            begin, state, done = run_time(), self.state(), self.iterations
            boards = self.split.next_round(done)
            rooms = () if self._apart else self._rooms.each
            work = BoardRound(self._shared, self.split.shares, done, boards, self._regrets, rooms)
            shares = [*complete_work(work, executor=self._executor, done=self._progress(boards)).values()]
            with interrupts_held():  # all shares count, or none
                counts = [_counts_in(share) for share in shares]
                in_rooms = [count for count in counts if count is not None]
                if len(in_rooms) == len(shares):
                    self._rooms.merge(state, list(self._regrets), in_rooms, self._adders)
                    self._regrets.end_round(None)
                else:
                    changes = [self._changes_of(number, share, state) for number, share in enumerate(shares)]
                    add_all_changes(state, changes, self._adders)
                    self._rooms.forget()
                    self._regrets.end_round(changes)
                self.iterations += boards * self.split.shares
                self.seconds += run_time() - begin

    def state(self) -> dict[str, AnyArray]:
        return {**super().state(), **dict(self._regrets)}

    def _changes_of(self, number: int, share: ShareChanges, state: Mapping[str, AnyArray]) -> dict[str, Changes]:
        """The changes that a share has found, or that are in its room, where others have none."""
        counts, room = _counts_in(share), self._rooms.each[number]
        if counts is None:
            return {name: change for name, change in share.items() if not isinstance(change, int)}
        begun = {name: state[name] if name in self._regrets else None for name in counts}
        tables = room.tables()
        return {name: take_changes(tables[name], begun[name], room.noted(name, n)) for name, n in counts.items()}

    def _progress(self, boards: int) -> Callable[[str, Any], None] | None:
        """Report that a round begins, with so many boards of a share; the callback for a share that is done."""
        watch, before = self._watch, self.iterations
        if watch is None:
            return None
        finished = count(0, boards)

        def tell(*_: object) -> None:
            done = next(finished)
            watch(RoundProgress(before + done, done, boards * self.split.shares))

        tell()
        return tell


def _counts_in(share: ShareChanges) -> dict[str, int] | None:
    """How many lines of each table are noted in the share's room; None if its changes have come back."""
    counts = {name: count for name, count in share.items() if isinstance(count, int)}
    return counts if len(counts) == len(share) else None
