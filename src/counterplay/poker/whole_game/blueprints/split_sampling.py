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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from counterplay.card_abstraction.buckets import cluster_again
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.jit.hold import interrupts_held
from counterplay.jit.threads import OURS
from counterplay.jit.threads import threads as cores
from counterplay.poker.whole_game.blueprints.sampling_solver import Sampling, sampling_of, why_whole
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.game_facts import question_of, rules_in
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.sampling.board_split import BoardSplit, RoundProgress
from counterplay.poker.whole_game.sampling.public_sampling import PublicSampling
from counterplay.poker.whole_game.sampling.round_tables import FollowedTables, GrowingTables
from counterplay.poker.whole_game.sampling.sampling_problem import SamplingProblem
from counterplay.poker.whole_game.sampling.share_room import ShareRoom
from counterplay.poker.whole_game.sampling.table_changes import (
    LINE,
    Changes,
    add_changes,
    changes_between,
    lines_of,
    take_changes,
)
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.work.executor import Executor
from counterplay.work.processes import Processes
from counterplay.work.run_work import complete_work
from counterplay.work.work import WorkRecipe

Array = NDArray[Any]
ShareChanges = Mapping[str, Changes] | Mapping[str, int]
"""Of the tables by name: the changes, or how many lines of them are in a `ShareRoom`."""
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
        self._is_clean = True

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
    def _solver(self) -> Sampling:
        """The solver of a share, made once. Between two shares its averages are 0."""
        found = sampling_of(self.problem, self.method, self._threads)
        assert found is not None
        return found

    @cached_property
    def _tables(self) -> FollowedTables:
        return FollowedTables(self._solver.state())

    def sweep(self, regrets: Mapping[str, Array], boards: Sequence[int], room: ShareRoom | None = None) -> ShareChanges:
        """What boards change: regrets from some on, and averages from 0 on, by name.

        Args:
            regrets: all of the solver's tables (rows, lanes), by name.
            boards: their numbers, ascending.
            room: where the changes are written to.
        """
        state, solver = self._solver.state(), self._solver
        self._tables.follow(regrets)
        for name, table in state.items():
            if name not in regrets and not self._is_clean:  # a share before was interrupted
                table[...] = 0.0
        self._is_clean = False
        met = solver.met_lines if isinstance(solver, PublicSampling) else lambda _: dict[str, Array]()
        solver.sweep(boards)
        among = met(LINE)
        found = {
            name: take_changes(table, regrets.get(name), among.get(name), None if room is None else room.of(name))
            for name, table in state.items()
        }
        self._is_clean = True
        self._tables.have_changed({name: change.places.copy() for name, change in found.items() if name in regrets})
        return found if room is None else {name: len(change.places) for name, change in found.items()}


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
        rooms: of each share, for its changes; none where they are to come back.
    """

    shared: SharedProblem
    shares: int
    done: int
    boards: int
    regrets: Mapping[str, Array]
    rooms: Sequence[ShareRoom | None] = ()

    def identity(self) -> dict[str, Any]:
        return {"method": self.shared.method, "shares": self.shares, "done": self.done, "boards": self.boards}

    def keys(self) -> list[str]:
        return [f"share {number + 1} of {self.shares} after {self.done} boards" for number in range(self.shares)]

    def worker_memory(self) -> float:
        """A worker's own regrets and averages, and as much again for what it changes in them."""
        return 4.0 * sum(table.nbytes for table in self.regrets.values())

    def compute(self, key: str) -> ShareChanges:
        """By name, the changes of regrets, and the sums of the average from 0 on."""
        share = int(key.split(" ")[1]) - 1
        boards = range(self.done + share, self.done + share + self.boards * self.shares, self.shares)
        return self.shared.sweep(self.regrets, boards, self.rooms[share] if self.rooms else None)

    def changes(self, share: int, found: ShareChanges) -> dict[str, Changes]:
        """What `compute` has found for a share, from 0."""
        room = self.rooms[share] if self.rooms else None
        here = {name: room.of(name, lines) for name, lines in found.items() if isinstance(lines, int)} if room else {}
        return here | {name: change for name, change in found.items() if not isinstance(change, int)}


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
            min(executor.workers, os.cpu_count() or 1) if isinstance(executor, Processes) else threads or cores()
        )
        regrets = {name: table for name, table in found.state().items() if not name.startswith(_SUMS)}
        self._regrets = GrowingTables(regrets)  # the solver's own are not touched, and so take no memory
        self._rooms = tuple(ShareRoom(found.state()) for _ in range(split.shares))
        self.iterations, self.seconds = 0, 0.0

    def sample(self, iterations: int) -> None:
        """At least so many iterations, in whole rounds: rounds depend on nothing but the split.

        Raises:
            KeyboardInterrupt: Ctrl-C; the round under way does not count.
        """
        goal = self.iterations + iterations
        while self.iterations < goal:
            self._sweep_round()

    def state(self) -> dict[str, Array]:
        """See `PublicSampling.state`."""
        return {**self._whole.state(), **dict(self._regrets)}

    def average(self) -> BucketedStrategy:
        """The average strategy."""
        return self._whole.average()

    def _sweep_round(self) -> None:
        begin, state, together = run_time(), self.state(), self._whole.together
        done = self.iterations // together
        boards = self.split.next_round(done)
        work = BoardRound(self._shared, self.split.shares, done, boards, self._regrets, self._rooms)
        found = complete_work(work, executor=self._executor, done=self._teller(boards))
        changes = [work.changes(share, one) for share, one in enumerate(found.values())]
        with interrupts_held():  # all shares count, or none
            _add_up(state, changes, self._adders)
            self._regrets.end_round(changes)
            self.iterations += together * boards * self.split.shares
            self.seconds += run_time() - begin

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


def _add_up(state: Mapping[str, Array], shares: Sequence[Mapping[str, Changes]], threads: int = 1) -> None:
    """Add the changes of all shares, in their order; large tables in as many blocks of lines as makes a thread busy."""
    total = max(1, sum(table.size for table in state.values()))

    def add(name: str, block: int, blocks: int) -> None:
        table = state[name]
        first, end = (lines_of(table) * k // blocks for k in (block, block + 1))
        for share in shares:
            add_changes(table, share[name] if blocks == 1 else changes_between(share[name], first, end))

    counts = {name: max(1, round(threads * table.size / total)) for name, table in state.items()}
    parts = [(name, block, blocks) for name, blocks in counts.items() for block in range(blocks)]
    if threads == 1:
        for part in parts:
            add(*part)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix=OURS) as pool:
        for done in [pool.submit(add, *part) for part in parts]:
            done.result()
