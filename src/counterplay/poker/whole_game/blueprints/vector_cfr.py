"""Counterfactual regret minimisation by vectors of hands: over all boards, or over a few drawn ones in each iteration.

An iteration that sees all boards is exact in the game with buckets, and with the lossless ones it solves the game itself.
One that draws boards is public chance sampling (Johanson et al. 2012). Hands of a bucket are played alike, so a player may
forget what it knew: the bucket of the street before, and with blocks that all boards share also the board. Convergence to
an equilibrium of the game with buckets is certain only where nothing is forgotten.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.jit.threads import check_threads
from counterplay.poker.whole_game.blueprints.street_regrets import (
    Rates,
    StartTable,
    StreetRegrets,
    check_room,
    multiply_down,
)
from counterplay.poker.whole_game.boards.board import Board, DrawnBoards, SeenBoards, Weighted, even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import RowTrust, StandingDecisions
from counterplay.poker.whole_game.strategy import BucketedStrategy, ModelMixture, reaches, strategy_of
from counterplay.poker.whole_game.values.board_walk import (
    add_played,
    add_ranges,
    add_rows,
    add_up_entries,
    raise_classes,
    spread_out,
    values_against,
)
from counterplay.poker.whole_game.values.measure import preflop_values
from counterplay.solvers.minimiser import CFR_PLUS, Minimiser, discount

_PROBED = 1
"""Keeps the boards on which a start is found apart from others."""


class Ranges(NamedTuple):
    """Reach of the entries of a street, (entries, places of the board before): of the player who moves, of the other,
    and of the model of the other if there is one."""

    own: AnyArray
    other: AnyArray
    model: AnyArray | None


class Workspace(NamedTuple):
    """Work space of one thread: by street, room for a board, for another plan and for the own one; sums of a move."""

    number: int
    rooms: list[Any]
    spare: list[AnyArray]
    own: list[AnyArray]
    totals: list[tuple[AnyArray, AnyArray] | None]


class VectorCFR:
    """Regrets and averages of both players, changed by `sweep` and `sample`."""

    def __init__(
        self,
        game: HoldemGame,
        buckets: CardAbstraction,
        method: Minimiser = CFR_PLUS,
        *,
        trust: ModelMixture | None = None,
        threads: int = 1,
        memory: float | None = None,
        standing: StandingDecisions | None = None,
    ) -> None:
        """Allocate.

        Args:
            game, buckets, method: what is solved, by a setting without prediction.
            trust: in a model of one player; the other's average is then a restricted Nash response, or a data-biased
                one.
            threads: flops worked on at once; results depend on it in the last digits only.
            memory: bytes that may be taken; by default half of the machine's.
            standing: a player's decisions that are made already.
        """
        if method.predictive or not method.alternating:
            raise InputError(
                f"whole games of hold'em are solved by cfr, cfr+ or dcfr with alternating moves, not by {method.name}"
            )
        check_threads(threads, "threads")
        check_room(game, buckets, memory)
        self.game, self.buckets, self.method, self.threads = game, buckets, method, threads
        self.iterations, self.seconds = 0, 0.0
        self._apart = np.array_equal(buckets.preflop, np.arange(game.boards.classes))
        self.standing, self.group = standing, buckets.preflop
        self.streets = [StreetRegrets(game, s, buckets.sizes_on(s), threads) for s in range(game.last + 1)]
        self._threads = []
        for number in range(threads):
            rooms: list[Any] = [None, *(game.room(street) for street in range(1, game.last + 1))]
            spare, own = ([np.zeros_like(room[0]) if room else np.zeros(0) for room in rooms] for _ in range(2))
            self._threads.append(Workspace(number, rooms, spare, own, [None] * (game.last + 1)))
        self._skipped = 0
        self.restart(trust, 0)

    def restart(self, trust: ModelMixture | None, keep: int) -> None:
        """Go on with another trust in a model: averages begin anew, and the regrets so far count as those of `keep`
        iterations."""
        if trust is not None and trust.reference is not None:
            raise InputError("a game that is solved with each board's own tables has no reference of a model")
        self.trust: ModelMixture | None = trust
        self._bound: list[RowTrust | None] = [None, None]
        if self.standing is not None:
            self._bound[self.standing.player] = self.standing
        if trust is not None:
            self._bound[trust.player] = RowTrust(self.game, trust) if trust.by_row else None
            self._model_plan = reaches(self.game.sides[trust.player], trust.model.preflop[trust.player])
        for rows in (rows for street in self.streets for side in street.sums for rows in side):
            rows[...] = 0
        for rows in (rows for street in self.streets for side in street.regrets for rows in side):
            rows *= keep / max(1, self.iterations - self._skipped)
        self._skipped = self.iterations - keep

    def sweep(self, iterations: int = 1) -> None:
        """Iterations over all boards."""
        for _ in range(iterations):
            self._iterate(SeenBoards(self.game.boards))

    def sample(self, iterations: int, random: np.random.Generator, *, flops: int = 1) -> None:
        """Iterations over so many drawn flops each, and one board of every later street after each."""
        seen = DrawnBoards(self.game.boards, random, (flops, *[1] * (self.game.last - 1)))
        for _ in range(iterations):
            seen.draw_anew()
            self._iterate(seen)

    def average(self) -> BucketedStrategy:
        """The average strategy; where decisions stand it is of no meaning (see `StandingDecisions.continued`)."""
        return strategy_of(self.game, self.buckets, lambda player, street: self.streets[street].average(player))

    def current(self) -> BucketedStrategy:
        """The strategy that the next iteration plays."""
        return strategy_of(self.game, self.buckets, lambda player, street: self.streets[street].current(player))

    def start_tables(self, play: BucketedStrategy) -> list[StartTable]:
        """The tables beside those of a strategy in the solve's buckets."""
        _, first = np.unique(self.group, return_index=True)
        tables = list[StartTable]()
        for number, street in enumerate(self.streets):
            for player, decisions in enumerate(street.decisions):
                blocks = play.tables[number - 1][player] if number else [play.preflop[player][:, first]]
                rows = zip(blocks, street.regrets[player], street.sums[player], strict=True)
                tables += [StartTable(player, number, decisions, lambda row: row, *row) for row in rows]
        return tables

    def probe(self, player: int, number: int) -> None:
        """Add one player's regrets, and the average of one of both, on one board, as an iteration of weight 1."""
        seen = DrawnBoards(self.game.boards, np.random.default_rng((_PROBED, number)), [1] * self.game.last)
        for street in self.streets:
            street.forget_table()
        self._move(player, seen, Rates(1.0, 1.0, 1.0, floor=False))

    def begin_at(self, iterations: int) -> tuple[float, float]:
        """Count as so many iterations; the sums of the squares of their weights in regrets, and of those in
        averages."""
        for street in self.streets:
            street.forget_table()
        self.iterations, self._skipped = iterations, 0
        power = self.method.gamma + 1.0
        return float(iterations), iterations**power / power

    def _iterate(self, seen: SeenBoards) -> None:
        begin, method = run_time(), self.method
        self.iterations += 1
        t = self.iterations
        rate = Rates(discount(t, method.alpha), discount(t, method.beta), float(t) ** method.gamma, method.floor)
        for player in (0, 1):
            self._move(player, seen, rate)
        self.seconds += run_time() - begin

    def _move(self, player: int, seen: SeenBoards, rate: Rates) -> None:
        game, trust, other = self.game, self.trust, 1 - player
        plans = list[F64]()
        for side, table, rows in zip(
            game.sides, [self.streets[0].table(p, 0) for p in (0, 1)], self._bound, strict=True
        ):
            played = table if rows is None else rows.before_flop(table, self.group)
            plan = np.ones(played.shape)
            multiply_down(side.preflop, played, plan)
            plans.append(plan[:, self.group] if rows is None and not self._apart else plan)
        entry = [plan[side.entry].astype(game.dtype) for side, plan in zip(game.sides, plans, strict=True)]
        standing = self._standing(player)
        if standing is not None and standing.street == 1:
            entry[player] = np.ones_like(entry[player])  # a hand that never comes has an average, too
        model = None
        if trust is not None and trust.player == other and not trust.by_row:
            model = self._model_plan[game.sides[other].entry].astype(game.dtype)
            plans[other] = trust.p * self._model_plan + (1 - trust.p) * plans[other]
        below = self._flops(player, seen, Ranges(entry[player], entry[other], model), rate)
        if standing is None or not standing.all_on(0):
            worth, street = preflop_values(game, player, plans[other], below), self.streets[0]
            table, rows = street.table(player, 0), self._bound[player]
            summed = np.zeros_like(table)
            if rows is None:
                raise_classes(game.sides[player].preflop, table, self.group, worth, summed)
            else:
                rows.raise_before_flop(table, self.group, worth, summed)
            self._move_street(player, street, 0, summed, np.ones(summed.shape), table, rate)

    def _standing(self, player: int) -> StandingDecisions | None:
        return self.standing if self.standing is not None and self.standing.player == player else None

    def _move_street(
        self, player: int, street: StreetRegrets, block: int, worth: AnyArray, own: AnyArray, table: AnyArray, rate: Rates,
        thread: int = 0,
    ) -> None:  # fmt: skip
        standing = self._standing(player)
        if standing is not None and standing.binds(street.street):
            if standing.all_on(street.street):
                return
            table = standing.freed(street.street, table)
        street.move(player, block, worth, own, table, rate, thread)

    def _flops(self, player: int, seen: SeenBoards, ranges: Ranges, rate: Rates) -> F64:
        """New regrets on all later streets; (entries, classes) their values by the strategy before."""
        root, shared = self.game.boards.root, [street for street in self.streets[1:] if street.shared]
        for street in shared:  # threads find it at hand
            for p in (0, 1):
                street.table(p, 0)
        listed = seen.after(root)

        def part(k: int) -> F64:
            thread = self._threads[k]
            for street in shared:
                thread.totals[street.street] = street.nothing(player)
            return self._below(player, listed[k :: self.threads], root, ranges, 1.0, rate, seen, thread)

        if self.threads == 1:
            parts = [part(0)]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                parts = list(pool.map(part, range(self.threads)))
        for street in shared:
            totals = [thread.totals[street.street] for thread in self._threads]
            worth, own = (reduce(np.add, [total[i] for total in totals if total is not None]) for i in (0, 1))
            self._move_street(player, street, 0, worth, own, street.table(player, 0), rate)
        return reduce(np.add, parts)

    def _below(
        self, player: int, listed: Weighted, board: Board, ranges: Ranges, weight: float, rate: Rates,
        seen: SeenBoards, thread: Workspace,
    ) -> F64:  # fmt: skip
        """(entries, places) values of the boards after one; their regrets move, or values are added up."""
        out = np.zeros((len(ranges.own), len(board.hand)))
        for child, count in listed:
            self._board(player, child, ranges, weight * count, count, rate, seen, thread, out)
        return even_out(board, out)

    def _board(
        self, player: int, board: Board, ranges: Ranges, weight: float, count: float, rate: Rates, seen: SeenBoards,
        thread: Workspace, out: F64,
    ) -> None:  # fmt: skip
        """One board: add its values, `count` times, to `out`, and `weight` times to the tables of its street."""
        game, street = self.game, self.streets[board.street]
        block, lane = self.buckets.lanes_on(board)
        tables = [street.table(p, block, thread.number) for p in (0, 1)]
        played = [(table, lane) for table in tables]  # and (n,) the lane of the hand at each place
        for p, rows in enumerate(self._bound):
            if rows is not None and rows.binds(board.street):
                played[p] = rows.on(board).followed(tables[p][:, lane]), np.arange(len(lane), dtype=np.uint32)
        room, run = thread.rooms[board.street], game.run_on(board.street)
        before, model = game.terminals_on[board.street - 1][player], ranges.model
        theirs, free = game.sides[1 - player].decisions[board.street], (ranges.other, *played[1 - player])
        mix: Any = None
        if model is not None and self.trust is not None:
            mix = self.trust.p, (model, *self.trust.model.on(1 - player, board)), thread.spare[board.street]
        values_against(board.layout, before, theirs, free, board.up, run, room, mix)
        if board.street < game.last:
            below = self._later(player, board, ranges, played, weight, rate, seen, thread)
            add_rows(room[1].reshape(-1, run), game.sides[player].entries[board.street + 1], below)
        worth, own = thread.totals[board.street] or street.nothing(player, block)
        add_played(street.decisions[player], weight, lane, *played[player], run, room, worth)
        add_up_entries(count, board.up, run, room, out)
        add_ranges(ranges.own, weight, board.up, lane, own)
        if not street.shared:
            self._move_street(player, street, block, worth, own, tables[player], rate, thread.number)

    def _later(
        self, player: int, board: Board, ranges: Ranges, played: list[tuple[AnyArray, AnyArray]], weight: float, rate: Rates,
        seen: SeenBoards, thread: Workspace,
    ) -> F64:  # fmt: skip
        """Values of the boards after one, by the plans on it; `played` are the table and the lanes of each player."""
        game, s, other = self.game, board.street, 1 - player
        run, mine, theirs = game.run_on(s), game.sides[player], game.sides[other]
        own = thread.own[s]
        spread_out(mine.decisions[s], ranges.own, *played[player], board.up, own, run)
        free, model = thread.rooms[s][0], None
        if ranges.model is not None:
            model = thread.spare[s].reshape(-1, run)[theirs.entries[s + 1]]
            free = np.empty_like(free)
            spread_out(theirs.decisions[s], ranges.other, *played[other], board.up, free, run)
        after = theirs.entries[s + 1]
        # Of the plans (sequences, run) of this street, the rows that lead to the next one.
        later = Ranges(own.reshape(-1, run)[mine.entries[s + 1]], free.reshape(-1, run)[after], model)
        standing = self._standing(player)
        if standing is not None and standing.street == s + 1:
            later.own[...] = 1.0  # a hand that never comes has an average, too
        return self._below(player, seen.after(board), board, later, weight, rate, seen, thread)
