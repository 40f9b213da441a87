"""The last street of a whole game for one player who answers a fixed strategy: its lines of betting side by side."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.poker.betting.state import Move
from counterplay.poker.showdown.card_removal import BLOCK
from counterplay.poker.showdown.line_sweeps import (
    LACKING,
    LinePlan,
    LineRoom,
    LineStreet,
    add_chosen_lines,
    add_lines,
    add_shown_rows,
    lay_out_plan,
    line_room,
)
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.line_bundles import LineBundles
from counterplay.treeplex.sweeps import zeros_of


class LineStakes(NamedTuple):
    """Rows of the opponent's sequence, the player's, and chips that the player earns right after it: (showdowns, 3)
    half of the pot, and (folds, 3) what the player gets."""

    shown: AnyArray
    folded: AnyArray


def paid_stakes(game: HoldemGame, player: int) -> LineStakes:
    """The showdowns and folds of the last street."""
    rows = game.payoffs[game.last - 1][player]
    shown = rows[:, 2] != rows[:, 3]
    assert (rows[shown, 2] == -rows[shown, 3]).all(), "who wins gets what who loses pays"
    assert not rows[shown, 4].any(), "pots are split evenly"
    return LineStakes(rows[shown, :3], rows[~shown, :3])


class LineTerms(NamedTuple):
    """Earnings of a player: (terms, 3) bundle, own position and the other's; (terms, width) chips."""

    places: AnyArray
    chips: AnyArray


class PlanBundle(NamedTuple):
    """A bundle of lines as it is laid out: how many positions it takes, and arguments of `lay_out_plan`."""

    positions: int
    sequences: AnyArray
    decisions: AnyArray
    places: AnyArray
    chips: AnyArray


def plan_bundles(lines: LineBundles, side: int, terms: LineTerms, positions: Iterable[int]) -> list[PlanBundle]:
    found = []
    for b, (bundle, count) in enumerate(zip(lines.bundles, positions, strict=False)):
        own = terms.places[:, 0] == b
        sequences = np.array([[-1] * lines.width, *filled_rows(bundle.sequences[side], lines.width)])
        decisions = np.array([(above + 1, first + 1, n) for above, first, n in bundle.decisions[side]], np.int64)
        found.append(
            PlanBundle(
                count, sequences, decisions.reshape(-1, 3), np.ascontiguousarray(terms.places[own]),
                np.ascontiguousarray(terms.chips[own]),
            )
        )  # fmt: skip
    return found


def lay_out(by_lane: AnyArray, bundles: list[PlanBundle]) -> AnyArray:
    """Products of a player's probabilities times chips, flat by bundle, lane and position. by_lane: (lanes, sequences)
    probabilities."""
    lanes, width, kind = len(by_lane), 1, by_lane.dtype
    if bundles:
        width, kind = bundles[0].sequences.shape[1], bundles[0].chips.dtype
    out, at = zeros_of((sum(one.positions for one in bundles) * width * lanes,), kind), 0
    for one in bundles:
        size = one.positions * width * lanes
        into, scratch = out[at : at + size].reshape(lanes, one.positions, width), np.ones(one.sequences.shape, kind)
        lay_out_plan(by_lane, one.sequences, one.decisions, scratch, one.places, one.chips, into)
        at += size
    return out


def filled_rows(rows: Iterable[list[int]], width: int) -> list[list[int]]:
    """Rows of sequences, of lines that a bundle has not -1."""
    return [row + [-1] * (width - len(row)) for row in rows]


_KEPT = 16
"""Tables of strategies whose plans are kept."""


@lru_cache(maxsize=8)
def showdown_lines(game: HoldemGame, player: int) -> ShowdownLines:
    """The lines of a player, made once a game."""
    return ShowdownLines(game, player)


@dataclass
class LineSums:
    """Sums over boards of the last street after one board, (places, lines) each: the opponent's reach, what lines are
    worth, and wins less losses of lines that have ended; work space; what the next board counts."""

    reach: AnyArray
    out: AnyArray
    shown: AnyArray
    room: LineRoom
    weight: float = 1.0
    spare: LineRoom | None = None


class ShowdownLines:
    """The lines of the last street: `size` numbers of a row of lines, and what the player earns."""

    def __init__(self, game: HoldemGame, player: int) -> None:
        self.game, self.player = game, player
        self._lines = LineBundles(game, game.last, None)
        self._width = self._lines.width
        self._played = sum(any(bundle.decisions) for bundle in self._lines.bundles)
        ended, wide = self._lines.size - self._played * self._width, BLOCK * self._width
        self.size = self._played * self._width - (-ended // wide * wide)
        self.paid = paid_stakes(game, player)
        # Of each sequence of either player its bundle, position and element; position 0 is the entry.
        self._where: list[dict[int, tuple[int, int, int]]] = [{}, {}]
        for side, where in enumerate(self._where):
            for b, bundle in enumerate(self._lines.bundles):
                for position, row in enumerate([bundle.entries, *bundle.sequences[side]]):
                    where.update({sequence: (b, position, k) for k, sequence in enumerate(row) if sequence >= 0})
        self._halves = np.zeros(self.size, game.dtype)
        for _, own, half in self.paid.shown:
            b, position, k = self._where[player][int(own)]
            if b >= self._played:
                assert position == 0
                self._halves[b * self._width + k] = half
        self._order, self.street = self._laid_out()
        self._ready: dict[int, tuple[AnyArray, list[PlanBundle]]] = {}
        self._plans: OrderedDict[tuple[int, int], tuple[ReferenceType[AnyArray], Any]] = OrderedDict()

    def add(self, board: Board, theirs: BlueprintStrategy, ours: BlueprintStrategy | None, sums: LineSums) -> None:
        """Add what the lines of a board are worth, by the player's strategy or, if it is None, the best actions."""
        self._add_open(board, theirs, ours, sums)
        self._add_ended(board, sums)

    def best_of(
        self, board: Board, theirs: BlueprintStrategy, plays: Iterable[BlueprintStrategy], entry: AnyArray
    ) -> AnyArray:
        """(n, lines) what lines are worth on one board to each hand by the best of several strategies of the player.
        entry: (entries, places of the board before) the opponent's reach."""
        here = replace(board, up=np.arange(len(board.hand), dtype=np.uint32))
        sums = self.sums(entry[:, board.up])
        best = np.full_like(sums.out, -np.inf)
        for play in plays:
            sums.out[...] = 0.0
            self._add_open(here, theirs, play, sums)
            np.maximum(best, sums.out, out=best)
        self._add_ended(here, sums)  # they are worth the same by every strategy
        return np.asarray(best + sums.shown * self._halves)

    def _add_open(
        self, board: Board, theirs: BlueprintStrategy, ours: BlueprintStrategy | None, sums: LineSums
    ) -> None:
        if self._played:
            table, lane = theirs.on(1 - self.player, board)
            own, own_lane, lanes = zeros_of((0,), self.game.dtype), lane, 0
            if ours is not None:
                mine, own_lane = ours.on(self.player, board)
                own = self._kept((id(mine), 0), mine, lambda: lay_out(np.ascontiguousarray(mine.T), self._own_bundles))
                lanes = mine.shape[1]
            add_lines(
                self.street, board.layout, board.up, lane, self._plan(table, self.paid), own_lane, own, lanes, sums.reach,
                sums.weight, sums.room, sums.out,
            )  # fmt: skip

    def add_called(self, board: Board, theirs: BlueprintStrategy, guess: LineStakes, sums: LineSums) -> None:
        """`add` under the actions that seem best at each decision by itself, if they earn what `guess` says at once."""
        table, lane = theirs.on(1 - self.player, board)
        self._add_chosen(board, theirs, (lane, self._plan(table, guess), sums.reach), False, sums)

    def add_against(
        self, board: Board, theirs: BlueprintStrategy, met: tuple[BlueprintStrategy, AnyArray, LineStakes | None],
        sums: LineSums,
    ) -> None:  # fmt: skip
        """`add` under actions that are chosen against another strategy of the opponent and its reach, (places, lines)
        as in `LineSums`: the best ones, or those that seem best if they earn what a guess says at once."""
        other, reach, guess = met
        table, lane = other.on(1 - self.player, board)
        plan = self._plan(table, self.paid if guess is None else guess)
        self._add_chosen(board, theirs, (lane, plan, reach), guess is None, sums)

    def _add_chosen(
        self, board: Board, theirs: BlueprintStrategy, guess: tuple[Any, ...], backed: bool, sums: LineSums
    ) -> None:
        if self._played:
            sums.spare = sums.spare or self._room()
            table, lane = theirs.on(1 - self.player, board)
            add_chosen_lines(
                self.street, board.layout, board.up, lane, self._plan(table, self.paid), sums.reach, *guess, backed,
                sums.weight, sums.room, sums.spare, sums.out,
            )  # fmt: skip
        self._add_ended(board, sums)

    def _add_ended(self, board: Board, sums: LineSums) -> None:
        add_shown_rows(
            board.layout, board.up, sums.reach, self._played * self._width, sums.weight, sums.room, sums.shown
        )

    def sums(self, entry: AnyArray) -> LineSums:
        """Nothing yet, from (entries, places) of the opponent's reach."""
        places = entry.shape[1]
        reach = self._rows(places)
        reach[:, self._lines.slots] = entry.T
        return LineSums(reach, self._rows(places), self._rows(places), self._room())

    def worth(self, sums: LineSums) -> AnyArray:
        """(places, lines) what they are worth over all boards that were added."""
        return np.asarray(sums.out + sums.shown * self._halves)

    def entries(self, rows: AnyArray) -> AnyArray:
        return np.asarray(rows[:, self._lines.slots].T, np.float64)

    def _plan(self, table: AnyArray, stakes: LineStakes) -> LinePlan:
        """The opponent's strategy, (sequences, lanes), times what is earned against it."""

        def make() -> LinePlan:
            by_lane = np.ascontiguousarray(table.T)
            shown, folded = (self._bundles_of(part, column) for part, column in ((stakes.shown, 2), (stakes.folded, 1)))
            return LinePlan(lay_out(by_lane, shown), lay_out(by_lane, folded), table.shape[1])

        return self._kept((id(table), id(stakes)), table, make)  # type: ignore[no-any-return]

    def _kept(self, key: tuple[int, int], table: AnyArray, make: Callable[[], Any]) -> Any:
        plans = self._plans
        found = plans.pop(key, None)
        if found is None or found[0]() is not table:
            found = ref(table, lambda _: plans.pop(key, None)), make()
        plans[key] = found
        while len(plans) > _KEPT:
            plans.popitem(last=False)
        return found[1]

    def _bundles_of(self, stakes: AnyArray, column: int) -> list[PlanBundle]:
        """The opponent's bundles times what is earned against them, made once for stakes; `column` of
        `LineStreet.bundles` has their blocks of positions."""
        known = self._ready.get(id(stakes))
        if known is None or known[0] is not stakes:
            chips_at: dict[tuple[int, int, int], AnyArray] = {}
            for theirs, ours, chips in stakes.tolist():
                b, position, k = self._where[self.player][int(ours)]
                if b < self._played:
                    key = b, self._order[b][position], self._where[1 - self.player][int(theirs)][1]
                    chips_at.setdefault(key, np.zeros(self._width))[k] += chips
            chips = np.array(list(chips_at.values()), self.game.dtype).reshape(-1, self._width)
            terms = LineTerms(np.array(list(chips_at), np.int64).reshape(-1, 3), chips)
            positions = (BLOCK * self.street.bundles[:, column]).tolist()
            known = self._ready[id(stakes)] = stakes, plan_bundles(self._lines, 1 - self.player, terms, positions)
        return known[1]

    @cached_property
    def _own_bundles(self) -> list[PlanBundle]:
        """The player's, every position once."""
        places = [(b, k, p) for b, order in enumerate(self._order) for p, k in order.items()]
        ones = np.ones((len(places), self._width), self.game.dtype)
        terms = LineTerms(np.array(places, np.int64).reshape(-1, 3), ones)
        return plan_bundles(self._lines, self.player, terms, (BLOCK * self.street.bundles[:, 1]).tolist())

    def _rows(self, places: int) -> AnyArray:
        return zeros_of((places, self.size), self.game.dtype)

    def _room(self) -> LineRoom:
        game, last = self.game, self.game.last
        blocks = int(self.street.bundles[:, 1].max(initial=1))
        return line_room(game.places(last), len(game.deck.cards) - DEALT[last], blocks, game.dtype)

    def _laid_out(self) -> tuple[list[dict[int, int]], LineStreet]:
        """Of each bundle the new numbers of positions, those with showdowns first; and the street."""
        betting, rows = self.game.betting, self.game.sides[self.player].decisions[self.game.last].tolist()
        acts = ((first + k, child) for node, _, first, _ in rows for k, child in enumerate(betting.children(node)))
        stays = [sequence for sequence, child in acts if betting.move[child] != Move.FOLD]  # a showdown may follow
        shown = {self._where[self.player][int(own)][:2] for own in (*self.paid.shown[:, 1], *stays)}
        orders: list[dict[int, int]] = []
        facts: list[tuple[int, ...]] = []
        decisions: list[tuple[int, ...]] = []
        actions: list[int] = []
        entries: list[int] = []
        absent: list[AnyArray] = []
        base, shown_base = 0, 0
        for b, bundle in enumerate(self._lines.bundles[: self._played]):
            sequences = [[0] * self._width, *filled_rows(bundle.sequences[self.player], self._width)]
            first = [p for p in range(len(sequences)) if (b, p) in shown]
            order = first + [p for p in range(1, len(sequences)) if (b, p) not in shown]
            blocks, shows = -(-len(order) // BLOCK), -(-len(first) // BLOCK)
            places = {p: k for k, p in enumerate(order)}
            entry, begin = places.get(0, BLOCK * blocks), len(decisions)
            for above, action, count in bundle.decisions[self.player]:
                at = len(actions)
                actions += [places[action + 1 + k] for k in range(count)]
                decisions.append((places[above + 1] if above >= 0 else entry, at, len(actions)))
            facts.append((b, blocks, shows, base, shown_base, begin, len(decisions)))
            lacks = [np.where(np.array(sequences[p]) < 0, LACKING, 0.0) for p in order]
            absent += [*lacks, *[np.zeros(self._width)] * (BLOCK * blocks - len(order))]
            orders.append(places)
            entries.append(entry)
            base, shown_base = base + blocks, shown_base + shows
        kind = self.game.dtype
        return orders, LineStreet(
            np.array(facts, np.int64).reshape(-1, 7), np.array(decisions, np.int64).reshape(-1, 3),
            np.array(actions, np.int64), np.array(entries, np.int64), np.array(absent, kind).reshape(-1, self._width),
        )  # fmt: skip
