"""Values of a responder against a strategy, flop by flop: exact after the flop, before it over the visited flops;
samples of flops, and means over them with their intervals.

The only decision that needs all flops is that before them. Made on the drawn flops themselves it is too good for them: the
value is an upper estimate. *Cross-fitted*, on each tenth of the draws by the other nine, it is a lower one: the mean of what
strategies earn that were fixed without the flops on which they are measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.errors import InputError
from counterplay.intervals import HALF_95, half_interval
from counterplay.poker.whole_game.boards.board import Board, GameBoards, even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.lines import LineBlueprint
from counterplay.poker.whole_game.strategy import BlueprintStrategy, TablesOnDemand, entry_reach
from counterplay.poker.whole_game.values.board_walk import BoardWalk, SharedBest, raise_chosen
from counterplay.poker.whole_game.values.measure import PreflopBackup, preflop_values_against
from counterplay.poker.whole_game.values.showdown_lines import showdown_lines
from counterplay.poker.whole_game.walks.make_rule import RuleResponse, RuleSettings, make_rule

ALL = "all"
_MOST = 1_000_000
_MANY = 4
"""Draws for each different flop, before the rest are taken as they come."""


@dataclass(frozen=True)
class Interval:
    """An estimate. value: chips a hand. error: half of its 95 % interval; 0 where nothing was drawn."""

    value: float
    error: float


def interval_of(values: F64, times: F64 | None = None, *, student: bool = False) -> Interval:
    """The mean of values (draws,) and its 95 % interval; times: how often each was drawn. By Student's t it is right
    also of few draws; by the normal distribution, as in all tables of flops, that of ten draws is an eighth too
    narrow."""
    times = np.ones(len(values)) if times is None else times
    mean, draws = float(values @ times / times.sum()), float(times.sum())
    spread = float((values - mean) ** 2 @ times / max(draws - 1.0, 1.0))
    half = HALF_95 * float(np.sqrt(spread / draws))
    return Interval(mean, half_interval(half / HALF_95, int(draws)) if student else half)


@dataclass(frozen=True)
class FlopDraw:
    """Flops, up to renamings of suits.

    Attributes:
        numbers: of the different ones (see `GameBoards.choices`).
        times: how often each was drawn; for all flops, how many each stands for.
        whole: how many flops there are.
        seed: of the draws; None where there are none, and nothing is estimated.
        skipped: draws of the seed before the first of these.
    """

    numbers: tuple[int, ...]
    times: tuple[int, ...]
    whole: int
    seed: int | None
    skipped: int = 0

    @property
    def draws(self) -> int:
        return sum(self.times)

    @property
    def weight(self) -> float:
        return self.whole / self.draws

    @property
    def weights(self) -> F64:
        """(flops,) number of flops that each represents."""
        return np.array(self.times, float) * self.weight

    def interval(self, values: F64, *, student: bool = False) -> Interval:
        """The mean of (flops,) values; arguments as of `interval_of`."""
        found = interval_of(values, np.array(self.times, float), student=student)
        return Interval(found.value, 0.0) if self.seed is None else found

    def student_interval(self, values: F64) -> Interval:
        """Student's 95 % interval of the mean of (flops,) values, also of few draws."""
        return self.interval(values, student=True)


def draw_flops(boards: GameBoards, count: int | str, seed: int = 0, skipped: int = 0) -> FlopDraw:
    """Draw flops with equal chances, with repetition: so many after those that are skipped, at least two; or "all"."""
    if count == ALL:
        return part_of_all(boards, range(len(boards.choices(boards.root)[1])))
    if isinstance(count, str) or not 2 <= count <= _MOST:
        raise InputError(f"flops: a number from 2 to {_MOST:,}, or {ALL}, not {count}")
    times = sorted(Counter(flops_of_draws(boards, skipped + count, seed)[skipped:]).items())
    whole = int(boards.choices(boards.root)[1].sum())
    return FlopDraw(tuple(flop for flop, _ in times), tuple(n for _, n in times), whole, seed, skipped)


def flops_of_draws(boards: GameBoards, count: int | str, seed: int = 0) -> list[int]:
    """The flop of each draw; at "all" those of many draws."""
    counts = boards.choices(boards.root)[1]
    draws = _MANY * len(counts) if isinstance(count, str) else count
    drawn = np.random.default_rng(seed).integers(0, int(counts.sum()), draws)
    return [int(flop) for flop in np.searchsorted(np.cumsum(counts), drawn, side="right")]


def flops_in_order(boards: GameBoards, count: int | str, seed: int = 0, skipped: int = 0) -> list[int]:
    """The different flops of some draws as they come; at "all" behind them those that so many draws lack."""
    whole = range(len(boards.choices(boards.root)[1])) if count == ALL else ()
    return list(dict.fromkeys([*flops_of_draws(boards, count, seed)[skipped:], *whole]))


def part_of_all(boards: GameBoards, seen: Collection[int]) -> FlopDraw:
    """Some of all flops, each as often as the deck has it: nothing is drawn."""
    counts = boards.choices(boards.root)[1]
    numbers = sorted(set(seen))
    return FlopDraw(tuple(numbers), tuple(counts[numbers].tolist()), int(counts.sum()), None)


def longest_draw(
    boards: GameBoards, seen: Collection[int], most: int | str, seed: int = 0, skipped: int = 0
) -> FlopDraw | None:
    """The most draws of which every flop was seen; None where there are fewer than two. most: draws at most, with those
    that are skipped; "all" for any number."""
    drawn = flops_of_draws(boards, most, seed)[skipped:]
    count = next((k for k, flop in enumerate(drawn) if flop not in seen), len(drawn))
    return draw_flops(boards, count, seed, skipped) if count > 1 else None


_PARTS = 10
_ROUNDING = 1e-7
"""Share of a stack."""
VALUES, ESTIMATES, VISITED = "values", "estimates", "visited"
FlopRows = Mapping[int, Mapping[str, F64]]
"""By flop, the arrays of `ResponseOnFlops.on`."""


@dataclass(frozen=True)
class FlopResponse:
    """Estimates of the value of a responder, in chips a hand: with the decisions before the flop that are best, or
    chosen, on the flops that were seen; cross-fitted; and the part of `upper` from hands in which the opponent came to
    a row that they never visited in training, None where the opponent does not tell."""

    upper: Interval
    lower: Interval
    unvisited: float | None = None


@dataclass(frozen=True, eq=False)
class FlopValues:
    """Values of a responder flop by flop, in chips a hand as if every flop were like that one.

    Attributes:
        upper: (flops,) with the decisions before the flop that are chosen on all of them.
        lower: (flops,) cross-fitted; where all flops are there, equal to `upper`.
        plan: (sequences, classes) those decisions: 1 where the player goes.
        below: (entries, classes) what all flops together are worth by these."""

    draw: FlopDraw
    upper: F64
    lower: F64
    plan: F64
    below: F64

    def interval(self, *, lower: bool = False) -> Interval:
        """The mean over flops, with its 95 % interval where they were drawn."""
        return self.draw.interval(self.lower if lower else self.upper)


class ResponseOnFlops:
    """A responder against a strategy, by a rule; `shared` with responders by other rules, of the same player against
    that strategy. truth: the other's own strategy where `theirs` is a model of it: `true_values` are what the response
    to the model wins from it; unless given, from the visited part of `theirs`, where it tells."""

    def __init__(
        self,
        game: HoldemGame,
        player: int,
        theirs: BlueprintStrategy,
        asked: RuleSettings | None = None,
        shared: SharedBest | None = None,
        truth: BlueprintStrategy | None = None,
    ) -> None:
        self.game, self.player, self.theirs = game, player, theirs
        self.asked = asked or RuleSettings()
        self.rule = make_rule(game, player, theirs, self.asked)
        self._walk = BoardWalk(game, player, theirs, rule=self.rule, shared=shared)
        if truth is None and isinstance(theirs, LineBlueprint) and theirs.tells_visits:
            truth = VisitedPart(theirs)
        self._truth = truth
        self._both = None if truth is None else VisitedWalk(self._walk, truth)

    def on(self, flop: int) -> dict[str, F64]:
        """By name, what one flop adds, for each time that it is drawn: (entries, classes) values; where a rule chooses,
        (sequences, classes) estimates before the flop; values by the visited part alone."""
        board = self.game.boards.child(self.game.boards.root, flop)
        both = (self._walk.sum_over([flop]),) if self._both is None else self._both.sum_over(board)
        adds = {key: values / board.count for key, values in zip((VALUES, VISITED), both, strict=False)}
        estimates = self.rule.early_estimates(board)
        return adds if estimates is None else {**adds, ESTIMATES: estimates}

    def rows(self, sample: FlopDraw) -> dict[int, dict[str, F64]]:
        """What every flop of a sample adds, by its number; shapes as of `on`."""
        return {flop: self.on(flop) for flop in sample.numbers}

    def finish(self, sample: FlopDraw, found: FlopRows) -> FlopResponse:
        """The estimates; found: `rows`."""
        values, unvisited = self.values(sample, found), None
        if self._truth is not None:
            unvisited = values.interval().value - sample.interval(self.true_values(sample, found)).value
            if abs(unvisited) < _ROUNDING * float(self.game.betting.committed.max()):
                unvisited = 0.0  # two walks in single precision
        return FlopResponse(values.interval(), values.interval(lower=True), unvisited)

    def true_values(self, sample: FlopDraw, found: FlopRows) -> F64:
        """(flops,) what the response to the model wins from the truth, or from the visited part; decisions before the
        flop are those of the model, on all flops of the sample."""
        assert self._truth is not None
        rows = np.stack([found[flop][VISITED] for flop in sample.numbers])
        folded = preflop_values_against(self.game, self.player, self._truth)
        return self.backup.values(self.values(sample, found).plan, sample.whole * rows, folded)

    def values(self, sample: FlopDraw, found: FlopRows) -> FlopValues:
        """The estimates flop by flop; found: `rows`."""
        times, rows = np.array(sample.times, float), _rows_of(sample, found)
        plan = self._plan(times, rows)
        upper = self.backup.values(plan, rows[VALUES])
        lower = upper
        if sample.seed is not None:
            lower, order = np.zeros(len(times)), np.random.default_rng(sample.seed).permutation(len(times))
            for part in np.array_split(order, min(_PARTS, len(times))):
                left = times.copy()
                left[part] = 0.0
                if left.any():
                    lower[part] = self.backup.values(self._plan(left, rows), rows[VALUES][part])
        return FlopValues(sample, upper, lower, plan, _mean(times, rows[VALUES]))

    def strategy(self, sample: FlopDraw, found: FlopRows) -> RuleResponse:
        """The responder, who decides before the flop by all flops of the sample; found: `rows`."""
        early = self.backup.choices(*_means(np.array(sample.times, float), _rows_of(sample, found)))
        return RuleResponse(self.game, self.player, self.theirs, self.asked, early)

    def _plan(self, times: F64, rows: Mapping[str, F64]) -> F64:
        return self.backup.plan(*_means(times, rows))

    @cached_property
    def backup(self) -> PreflopBackup:
        folded = preflop_values_against(self.game, self.player, self.theirs)
        return PreflopBackup(self.game, self.player, folded, self.rule.backed)


def _rows_of(sample: FlopDraw, found: FlopRows) -> dict[str, F64]:
    """(flops, ...) the arrays of all flops, each as if every flop were like that one."""
    return {
        key: sample.whole * np.stack([found[flop][key] for flop in sample.numbers])
        for key in (VALUES, ESTIMATES)
        if key in found[sample.numbers[0]]
    }


def _means(times: F64, rows: Mapping[str, F64]) -> tuple[F64, F64 | None]:
    return _mean(times, rows[VALUES]), _mean(times, rows[ESTIMATES]) if ESTIMATES in rows else None


def _mean(times: F64, rows: F64) -> F64:
    return np.asarray(np.tensordot(times / times.sum(), rows, 1))


@dataclass(frozen=True, eq=False)
class VisitedPart(TablesOnDemand):
    """The part of a strategy that its player visited in training: other rows, which say nothing about how they play,
    are 0."""

    lines: LineBlueprint

    @property
    def preflop(self) -> tuple[F64, F64]:
        root = self.lines.game.boards.root
        one, two = (self.lines.preflop[k] * (self.lines.known_on(k, root) > 0.0) for k in (0, 1))
        return one, two

    def table_on(self, player: int, board: Board) -> AnyArray:
        table, visited = self.lines.on(player, board)[0], self.lines.known_on(player, board) > 0.0
        # an unchanged table is laid out once
        return table if visited.all() else np.asarray(table * visited, table.dtype)


class VisitedWalk:
    """A walk of a player against a strategy, and beside it, by equal choices, what is won from another: its visited
    part, or the player of whom it is a model."""

    def __init__(self, walk: BoardWalk, other: BlueprintStrategy) -> None:
        self._walk, self._part = walk, BoardWalk(walk.game, walk.player, other)

    def sum_over(self, flop: Board) -> tuple[F64, F64]:
        """(entries, classes) each, as of `BoardWalk.sum_over` for one flop: from the strategy, and from the other."""
        game, theirs = self._walk.game, 1 - self._walk.player
        entries = entry_reach(game, theirs, self._walk.theirs), entry_reach(game, theirs, self._part.theirs)
        return self._below(game.boards.root, *entries, [(flop, float(flop.count))])

    def _below(
        self, board: Board, entry: AnyArray, part: AnyArray, children: Iterable[tuple[Board, float]] | None = None
    ) -> tuple[F64, F64]:
        walk = self._walk
        if walk.goes_by_lines(board):
            one, two = walk.shared_sums(board, lambda: self._sum_lines(board, entry, part), walk.seen.after(board))
            return even_out(board, one), even_out(board, two)
        backed, side = walk.rule.backed, walk.game.sides[walk.player]
        out, other = (np.zeros((len(reach), len(board.hand))) for reach in (entry, part))
        for child, weight in walk.seen.after(board) if children is None else children:
            self._sum_up(child, entry, part)
            estimates = walk.estimates_on(child)
            estimates = np.array(walk.room_values(child) if estimates is None else estimates)
            rows, run = self._part.room_values(child), walk.game.run_on(child.street)
            decisions = side.decisions[child.street]
            raise_chosen(decisions, estimates.reshape(-1), rows.reshape(-1), len(child.hand), run, backed)
            np.add.at(other.T, child.up, weight * rows[: len(part), : len(child.hand)].T)
            walk.back_up(child, weight, out)
        return even_out(board, out), even_out(board, other)

    def _sum_up(self, board: Board, entry: AnyArray, part: AnyArray) -> None:
        both = self._walk, self._part
        for walk, reach in zip(both, (entry, part), strict=True):
            walk.pay(board, reach)
        if board.street < self._walk.game.last:
            found = self._below(board, *(walk.met_after(board) for walk in both))
            for walk, below in zip(both, found, strict=True):
                walk.add_below(board, below)

    def _sum_lines(self, board: Board, entry: AnyArray, part: AnyArray) -> AnyArray:
        """(2, entries, places) of the boards of the last street."""
        walk, n = self._walk, len(board.hand)
        lines, guess = showdown_lines(walk.game, walk.player), walk.rule.line_guess
        both = lines.sums(entry[:, :n]), lines.sums(part[:, :n])
        for child, weight in walk.seen.after(board):
            both[0].weight = both[1].weight = weight
            walk.add_lines(lines, child, both[0])
            lines.add_against(child, self._part.theirs, (walk.theirs, both[0].reach, guess), both[1])
        return np.stack([lines.entries(lines.worth(sums)) for sums in both])
