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
from counterplay.card_abstraction.buckets import cluster_again
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.jit.suspension import interrupts_held
from counterplay.jit.threads import threads as usual_threads
from counterplay.poker.whole_game.blueprints.sampling_solver import sampling_of, why_whole
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.game_facts import question_of, rules_in
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.sampling.board_split import BoardSplit, RoundProgress
from counterplay.poker.whole_game.sampling.round_tables import GrowingTables
from counterplay.poker.whole_game.sampling.sampling_problem import SamplingProblem
from counterplay.poker.whole_game.sampling.share_room import ShareRoom, ShareRooms
from counterplay.poker.whole_game.sampling.share_sweep import ShareChanges, ShareSweep
from counterplay.poker.whole_game.sampling.table_changes import Changes, add_all_changes, take_changes
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.work.cluster import Cluster
from counterplay.work.executor import Executor
from counterplay.work.processes import Processes
from counterplay.work.run_work import complete_work
from counterplay.work.work import WorkRecipe

_SUMS = "sums"
"""The beginning of the names of averages, on which play does not depend: shares count theirs from 0."""


_made: WeakValueDictionary[tuple[Any, ...], SharedProblem] = WeakValueDictionary()
"""Solves by what they are made of."""


class SharedProblem:
    """A solve that other processes can set up: the game by its rules, the buckets by their name.

    Args:
        problem: game, buckets, seed and memory.
        method: of `blueprint`.
        threads: of a share in this process; in others, all of their cores.
    """

    def __init__(self, problem: SamplingProblem[CardAbstraction], method: str, threads: int | None = None) -> None:
        self.problem, self.method, self._threads = problem, method, threads
        _made[self._recipe] = self

    def __reduce__(self) -> tuple[Any, ...]:
        return _set_up, self._recipe

    @cached_property
    def _recipe(self) -> tuple[Any, ...]:
        """Arguments of `_set_up`."""
        game, buckets = self.problem.game, self.problem.buckets
        facts = {**question_of(game), "dtype": str(game.dtype), "lanes": lanes_of(game, buckets)}
        return json.dumps(facts), buckets.name, self.method, self.problem.seed, self.problem.memory

    @cached_property
    def _share_sweep(self) -> ShareSweep:
        """Made once."""
        found = sampling_of(self.problem, self.method, self._threads)
        assert found is not None
        return ShareSweep(found)

    def sweep(
        self, regrets: Mapping[str, AnyArray], boards: Sequence[int], room: ShareRoom | None = None
    ) -> ShareChanges:
        """What boards change: see `ShareSweep`. room: where the changes stay; by default they come back."""
        sweep = self._share_sweep
        return sweep.sweep(regrets, boards) if room is None else sweep.sweep_in(room, regrets, boards)


@lru_cache(maxsize=1)
def _set_up(facts: str, buckets: str, method: str, seed: int, memory: float | None) -> SharedProblem:
    """The solve in another process, which keeps it from round to round.

    Raises:
        InputError: the buckets come out otherwise here.
    """
    made = _made.get((facts, buckets, method, seed, memory))
    if made is not None:  # this process is a fork of the one that asks
        return SharedProblem(made.problem, method)
    asked = json.loads(facts)
    rules, sizes, deck = rules_in(asked)
    game = holdem_game(rules, sizes, deck=deck, dtype=np.dtype(asked["dtype"]))
    again = cluster_again(game.boards, buckets) if isinstance(game.boards, Flops) else None
    lanes = again or make_buckets(game.boards, read_abstraction(buckets, game.last))
    if lanes_of(game, lanes) != asked["lanes"]:
        raise InputError(f"the buckets {buckets} are others on this worker")
    return SharedProblem(SamplingProblem(game, lanes, seed, memory), method)


def lanes_of(game: HoldemGame, buckets: CardAbstraction) -> list[int]:
    """The number of lanes of each street."""
    return [int(buckets.sizes_on(street).sum()) for street in range(game.last + 1)]


@dataclass(frozen=True)
class BoardRound(WorkRecipe):
    """A round as work: its pieces are the shares.

    Attributes:
        shared: the solve.
        shares: their number.
        done: boards before this round.
        boards: of each share.
        regrets: what all shares begin with, by name.
        rooms: of each share, to sweep in; none where its changes are to come back.
    """

    shared: SharedProblem
    shares: int
    done: int
    boards: int
    regrets: Mapping[str, AnyArray]
    rooms: Sequence[ShareRoom | None] = ()

    def identity(self) -> dict[str, Any]:
        return {"method": self.shared.method, "shares": self.shares, "done": self.done, "boards": self.boards}

    def keys(self) -> list[str]:
        return [f"share {number + 1} of {self.shares} after {self.done} boards" for number in range(self.shares)]

    def worker_memory(self) -> float:
        """The regrets and averages of a share; elsewhere as much again for what it changes in them."""
        return (2.0 if self.rooms else 4.0) * sum(table.nbytes for table in self.regrets.values())

    def compute(self, key: str) -> ShareChanges:
        """By name, the changes of regrets, and the sums of the average from 0 on."""
        share = int(key.split(" ")[1]) - 1
        boards = range(self.done + share, self.done + share + self.boards * self.shares, self.shares)
        return self.shared.sweep(self.regrets, boards, self.rooms[share] if self.rooms else None)


class SplitSampling:
    """A solve by sampling whose boards are split; in everything else like the solver of the whole.

    Args:
        problem: game, buckets, seed and memory.
        method: of `blueprint`.
        split: of the boards.
        executor: sweeps the shares.
        threads: of a share in this process; in others, all of their cores.
        watch: called when a round begins, and whenever one of its shares is done.

    Raises:
        InputError: the method does not split boards in this game (see `why_whole`).
    """

    def __init__(
        self, problem: SamplingProblem[CardAbstraction], method: str, split: BoardSplit, executor: Executor,
        threads: int | None = None, watch: Callable[[RoundProgress], None] | None = None,
    ) -> None:  # fmt: skip
        found = sampling_of(problem, method, threads)
        if found is None:
            raise InputError(why_whole(problem.game, method))
        self.game, self.buckets, self.seed = problem.game, problem.buckets, problem.seed
        self.split, self._whole, self._executor = split, found, executor
        self._shared, self._watch = SharedProblem(problem, method, threads), watch
        # Processes of this machine leave it their cores while it adds up.
        self._adders = (
            min(executor.workers, os.cpu_count() or 1)
            if isinstance(executor, Processes)
            else threads or usual_threads()
        )
        regrets = {name: table for name, table in found.state().items() if not name.startswith(_SUMS)}
        self._regrets = GrowingTables(regrets)  # the solver's own are not touched, and so take no memory
        self._rooms, self._apart = ShareRooms(found.state(), split.shares), isinstance(executor, Cluster)
        self.iterations, self.seconds = 0, 0.0

    def sample(self, iterations: int) -> None:
        """At least so many iterations, in whole rounds: rounds depend on nothing but the split.

        Raises:
            KeyboardInterrupt: Ctrl-C; the round under way does not count.
        """
        goal = self.iterations + iterations
        while self.iterations < goal:
            self._sweep_round()

    def state(self) -> dict[str, AnyArray]:
        """See `PublicSampling.state`."""
        return {**self._whole.state(), **dict(self._regrets)}

    def average(self) -> BucketedStrategy:
        """The average strategy."""
        return self._whole.average()

    def _sweep_round(self) -> None:
        begin, state, together = run_time(), self.state(), self._whole.together
        done = self.iterations // together
        boards = self.split.next_round(done)
        rooms = () if self._apart else self._rooms.rooms
        work = BoardRound(self._shared, self.split.shares, done, boards, self._regrets, rooms)
        found = [*complete_work(work, executor=self._executor, done=self._teller(boards)).values()]
        with interrupts_held():  # all shares count, or none
            self._add_up(state, found)
            self.iterations += together * boards * self.split.shares
            self.seconds += run_time() - begin

    def _add_up(self, state: Mapping[str, AnyArray], found: Sequence[ShareChanges]) -> None:
        """Add what all shares have found, in their order, and end the round."""
        counts = [_counts_in(share) for share in found]
        in_rooms = [count for count in counts if count is not None]
        if len(in_rooms) == len(found):
            self._rooms.merge(state, list(self._regrets), in_rooms, self._adders)
            self._regrets.end_round(None)
            return
        changes = [self._changes_of(number, share, state) for number, share in enumerate(found)]
        add_all_changes(state, changes, self._adders)
        self._rooms.forget()
        self._regrets.end_round(changes)

    def _changes_of(self, number: int, found: ShareChanges, state: Mapping[str, AnyArray]) -> dict[str, Changes]:
        """The changes that a share has found, or that are in its room, where others have none."""
        counts, room = _counts_in(found), self._rooms.rooms[number]
        if counts is None:
            return {name: change for name, change in found.items() if not isinstance(change, int)}
        begun = {name: state[name] if name in self._regrets else None for name in counts}
        tables = room.tables()
        return {name: take_changes(tables[name], begun[name], room.noted(name, n)) for name, n in counts.items()}

    def _teller(self, boards: int) -> Callable[[str, Any], None] | None:
        """Says that a round begins, and gives what says that one more of its shares is done. boards: of a share."""
        watch, before, together = self._watch, self.iterations, self._whole.together
        if watch is None:
            return None
        finished = count(0, boards)

        def tell(*_: object) -> None:
            done = next(finished)
            watch(RoundProgress(before + together * done, done, boards * self.split.shares))

        tell()
        return tell


def _counts_in(share: ShareChanges) -> dict[str, int] | None:
    """How many lines of each table are noted in the share's room; None if its changes have come back."""
    counts = {name: count for name, count in share.items() if isinstance(count, int)}
    return counts if len(counts) == len(share) else None
