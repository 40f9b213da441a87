"""One street in public chance sampling: its tables, its work space, and one player's move there; and a player bound to
a model, in any lanes of the model's own, and trusted row by row.

Where the model tells other hands apart than the responder's buckets, or is trusted by row, each board gets small tables of
its own: a lane for all hands that share the responder's lane and the model's. The kernels take them for regrets, since
probabilities match themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.jit import kernel
from counterplay.poker.whole_game.blueprints.line_kernels import answer, come_back, go_down, play_against, play_out
from counterplay.poker.whole_game.blueprints.street_regrets import (
    LaneHands,
    LaneRoom,
    LaneTables,
    multiply_down,
    sort_by_lane,
)
from counterplay.poker.whole_game.boards.board import DEALT, Board, deals_to_come
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import RowTrust, TrustedRows
from counterplay.poker.whole_game.strategy import ModelMixture, normalise_rows
from counterplay.poker.whole_game.values.line_bundles import LineBundles
from counterplay.treeplex.sweeps import zeros

Parts = list[tuple[AnyArray, LaneRoom]]
"""Bundles of each thread, and its work space."""
Share = Callable[[Callable[[AnyArray, LaneRoom], None], Parts], None]
"""Calls a function with every part."""


def share_parts(pool: ThreadPoolExecutor | None, work: Callable[[AnyArray, LaneRoom], None], parts: Parts) -> None:
    """Do all parts, each with its bundles (n,) in a thread of its own."""
    waiting = [] if pool is None else [pool.submit(work, *part) for part in parts[1:]]
    for part in parts[:1] if pool else parts:
        work(*part)
    for one in waiting:
        one.result()


class DealtBoard(NamedTuple):
    """A board, its hands by lanes, and (n,) the rows of their lanes."""

    board: Board
    hands: LaneHands
    rows: AnyArray


class StreetMove(NamedTuple):
    """One player's move on a street: the board, the tables, weights of the player's regrets and of the other's average,
    and what shares the work out among threads."""

    player: int
    dealt: DealtBoard
    tables: LaneTables
    weight: float
    average: float
    share: Share


class SampledStreet:
    """Tables and work space of a street after the first.

    Attributes:
        bundles: its lines.
        places: hands of a board.
        lanes: of all blocks.
        seen: the street for each player who moves.
        regrets, sums: of each player, flat (see `place` of the kernels).
        reach: (places of the board before, size) of the player who does not move.
        values: (places, size) of the player who moves.
        factor: boards that may be dealt by boards that may be when both hands are known.
    """

    def __init__(
        self, game: HoldemGame, street: int, bundles: LineBundles, sizes: AnyArray, threads: int, *, exact: bool = False,
        small: bool = False,
    ) -> None:  # fmt: skip
        """Allocate. sizes: (blocks,) lanes. exact: have room for `answer`. small: have room for boards with tables of
        their own (see the head of this module)."""
        self.bundles, self.street, kind = bundles, street, game.dtype
        self._game, self._sizes, self._starts = game, sizes, np.append(0, np.cumsum(sizes))
        self.lanes, n = int(sizes.sum()), game.places(street)
        self.places = n
        self.seen = [bundles.seen_by(player) for player in (0, 1)]
        count = [bundles.positions(player) * bundles.width * self.lanes for player in (0, 1)]
        self.regrets, self.sums = ([_zeros(size, kind) for size in count] for _ in range(2))
        before = game.boards.classes if street == 1 else game.places(street - 1)
        self.reach = _zeros(before * bundles.size, kind).reshape(before, -1)
        self.values = _zeros(n * bundles.size, kind).reshape(n, -1)
        board = game.boards.root
        for _ in range(street - 1):
            board = game.boards.child(board, 0)
        ways = float(game.boards.choices(board)[1].sum())
        self.factor = ways / deals_to_come(game.deck, street - 1, street)
        most = max(len(one) for pair in (b.sequences for b in bundles.bundles) for one in pair)
        most_deals = max(len(bundle.leaves) for bundle in bundles.bundles)
        few, cards = n if exact or small else min(n, self.lanes), len(game.deck.cards) - DEALT[street]
        every = max(bundles.positions(player) for player in (0, 1)) * bundles.width
        theirs = _zeros(every * few, kind)
        rows = (few * most, 0, few * most, n, n + 1, cards, cards, n, most_deals)
        self._parts = [
            (listed, LaneRoom(*(_zeros(number * bundles.width, kind) for number in rows))._replace(theirs=theirs))
            for listed in bundles.parts(threads)
        ]
        self._marks, self._met = np.zeros(self.lanes, np.int32), np.zeros(self.lanes, bool)
        self._response = _zeros(every * n if exact else 0, kind)

    def come_to(self, board: Board, block: int, lane: AnyArray) -> DealtBoard:
        """The hands of a board by lanes; lane: (n,) of the hand at each place."""
        n = len(lane)
        local, order, starts, here = (np.empty(n + 1, np.int64) for _ in range(4))
        rows = lane.astype(np.int64) + self._starts[block]
        self._met[rows] = True
        count = sort_by_lane(rows, self._marks, local, order, starts, here)
        hands = LaneHands(
            board.up.astype(np.int64), local[:n], order[:n], starts[: count + 1], here[:count], np.arange(n)
        )
        return DealtBoard(board, hands, rows)

    def go_down(self, move: StreetMove, below: AnyArray) -> None:
        """Carry the other's reach to the next street; below: (places, size) of that street, filled."""

        def part(listed: AnyArray, room: LaneRoom) -> None:
            go_down(
                listed, self.seen[move.player], move.dealt.hands, move.tables, self.reach, move.average, below, room
            )

        move.share(part, self._parts)

    def come_back(self, move: StreetMove, after: SampledStreet, then: DealtBoard) -> None:
        """New regrets, and the values of the lines."""
        self._fill_values(move, come_back, move.weight, after.values, then.hands.up, after.factor)

    def play_out(self, move: StreetMove) -> None:
        """All of the last street."""
        self._fill_values(move, play_out, move.weight, move.average)

    def answer(self, move: StreetMove) -> None:
        """The player's best response on the last street, which `play_against` meets."""
        self._fill_values(move, answer, move.average, plan=self._response)

    def play_against(self, move: StreetMove) -> None:
        """The last street against the response that the other has last answered with."""
        self._fill_values(move, play_against, move.weight, theirs=self._response)

    def _fill_values(
        self, move: StreetMove, kernel: Callable[..., None], *numbers: AnyArray | float, **arrays: AnyArray
    ) -> None:
        """Run a kernel on the bundles of each thread; arrays take the place of those in the work space."""
        dealt = move.dealt
        fixed = self.seen[move.player], dealt.board.layout, dealt.hands, move.tables, self.reach, *numbers

        def part(listed: AnyArray, room: LaneRoom) -> None:
            kernel(listed, *fixed, room._replace(**arrays), self.values)

        move.share(part, self._parts)

    def flat_table(self, player: int, blocks: Sequence[AnyArray]) -> AnyArray:
        """(size of a table,) the (sequences, lanes) tables of all blocks as the kernels have regrets."""
        found, rows = np.zeros_like(self.regrets[player]), np.concatenate(list(blocks), axis=1)
        for sequence, place in self.bundles.places(player, self.lanes).items():
            found[place] = rows[sequence]
        return found

    def average(self, player: int) -> list[AnyArray]:
        """Of each block, (sequences, lanes) the average strategy."""
        side = self._game.sides[player]
        sums = np.zeros((side.sizes[self.street], self.lanes), self._game.dtype)
        for sequence, place in self.bundles.places(player, self.lanes).items():
            sums[sequence] = self.sums[player][place]
        found = normalise_rows(sums, side.decisions[self.street])
        return [np.ascontiguousarray(part) for part in np.split(found, self._starts[1:-1], axis=1)]

    def met_lines(self, line: int) -> list[AnyArray]:
        """By player, (lines,) lines of so many numbers of a table that boards since the last call may have changed."""
        some = np.flatnonzero(self._met)
        self._met[:] = False
        return [self.bundles.lines_of_lanes(player, self.lanes, some, line) for player in (0, 1)]

    def tables_of(self, player: int, own: AnyArray, other: AnyArray) -> LaneTables:
        return LaneTables(own, other, self.sums[1 - player], self.lanes)


def memory_of(game: HoldemGame, bundles: LineBundles, lanes: int) -> float:
    """Bytes of regrets and sums of a street, and of the average strategy made of them."""
    rows = sum(bundles.positions(player) for player in (0, 1)) * bundles.width
    return 3.0 * rows * lanes * game.dtype.itemsize


def _zeros(size: int, kind: np.dtype[Any]) -> AnyArray:
    """So many zeros that begin at a line of the cache."""
    return zeros(-(-size * kind.itemsize // 8)).view(kind)[:size]


_TINY = 1e-30
"""Sums of regrets up to this are as good as 0."""


@kernel
def _beginnings(many: int, before: int, row: int, lanes: int, k: int, rows: int, width: int) -> tuple[int, int]:
    """Begin of the numbers of one lane of the board, in the table of all lanes and in the small one. A bundle has
    `many` positions after `before` others, lane by lane; position s of a lane is s * width after its beginning."""
    return (before * lanes + row * many) * width, (before * rows + k * many) * width


@kernel
def match_rows(facts: Any, decisions: Any, even: Any, regrets: Any, lanes: int, rows: Any, out: Any) -> None:
    """Set a small table to regret matching of the rows (k,) of the board. facts, decisions, even: of `MoverStreet`.
    regrets: flat, of all `lanes`."""
    width = even.shape[1]
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(rows)):
            source, target = _beginnings(many, before, rows[k], lanes, k, len(rows), width)
            for d in range(facts[b, 4], facts[b, 5]):
                begin, end = decisions[d, 1], decisions[d, 1] + decisions[d, 2]
                for w in range(width):
                    total = 0.0
                    for s in range(begin, end):
                        total += max(regrets[source + s * width + w], 0.0)
                    for s in range(begin, end):
                        chance = max(regrets[source + s * width + w], 0.0)
                        out[target + s * width + w] = chance / total if total > _TINY else even[before + s, w]


@kernel
def follow_rows(facts: Any, sequences: Any, table: Any, trust: Any, lane: Any, free: Any, out: Any) -> None:
    """Set a small table to what is played by who follows a model with some probability and else plays `free`.
    sequences: (positions, width) as of `LineBundles.sequences_at`. table, trust: (sequences, model's lanes). lane: (k,)
    the model's."""
    width = sequences.shape[1]
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(lane)):
            for s in range(many):
                for w in range(width):
                    row, at = sequences[before + s, w], (before * len(lane) + k * many + s) * width + w
                    if row >= 0:
                        share = trust[row, lane[k]]
                        out[at] = share * table[row, lane[k]] + (1 - share) * free[at]
                    else:
                        out[at] = free[at]


@kernel
def settle_rows(
    facts: Any, decisions: Any, even: Any, moved: Any, played: Any, free: Any, lanes: int, rows: Any, regrets: Any
) -> None:
    """Add to the regrets of all lanes what an iteration found, which took `played` for regrets and left in `moved` how
    much better each action is than what is played; regrets are against what the free player chooses."""
    width = even.shape[1]
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(rows)):
            target, source = _beginnings(many, before, rows[k], lanes, k, len(rows), width)
            for d in range(facts[b, 4], facts[b, 5]):
                begin, end = decisions[d, 1], decisions[d, 1] + decisions[d, 2]
                for w in range(width):
                    mean = 0.0
                    for s in range(begin, end):
                        at = source + s * width + w
                        mean += free[at] * (moved[at] - played[at])
                    for s in range(begin, end):
                        at = source + s * width + w
                        if even[before + s, w] > 0:
                            regrets[target + s * width + w] += moved[at] - played[at] - mean


@kernel
def add_small(facts: Any, width: int, small: Any, lanes: int, rows: Any, sums: Any) -> None:
    """Add a small table to one of all lanes."""
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(rows)):
            target, source = _beginnings(many, before, rows[k], lanes, k, len(rows), width)
            for i in range(many * width):
                sums[target + i] += small[source + i]


_SMALL = 5
"""Small tables of a board."""


class BoundBoard(NamedTuple):
    """A board by lanes that both the responder's buckets and the model tell apart: its hands, (k,) the rows of these
    lanes in the tables, and the model's rows, whose `lane` is (k,) too."""

    hands: LaneHands
    rows: AnyArray
    model: TrustedRows


class BoundStreet:
    """Small tables of a street."""

    def __init__(self, street: SampledStreet, player: int) -> None:
        self._street, self._player = street, player
        self._sequences = street.bundles.sequences_at(player)
        size = _size(street.bundles, street.places)
        self._room = [np.zeros(size, street.regrets[0].dtype) for _ in range(_SMALL)]

    def come_to(self, dealt: DealtBoard, model: TrustedRows) -> BoundBoard:
        lanes, pairs = model.table.shape[1], dealt.rows * model.table.shape[1] + model.lane
        each, first, local, counts = np.unique(pairs, return_index=True, return_inverse=True, return_counts=True)
        order, starts = np.argsort(local, kind="stable"), np.append(0, np.cumsum(counts))
        hands = LaneHands(dealt.hands.up, local, order, starts, np.arange(len(each)), dealt.hands.alone)
        return BoundBoard(hands, each // lanes, model._replace(lane=model.lane[first]))

    def begin(self, player: int, here: BoundBoard) -> LaneTables:
        free, own, other, moved, sums = self._small(player, here)
        self._match(1 - player, here, other)
        self._match(player, here, free)
        own[:] = free
        if player == self._player:
            self._follow(here, free, own)
        else:
            self._follow(here, other, other)
        moved[:], sums[:] = own, 0
        return LaneTables(moved, other, sums, len(here.rows))

    def end(self, player: int, here: BoundBoard) -> None:
        street, seen = self._street, self._street.seen[player]
        free, own, _, moved, sums = self._small(player, here)
        settle_rows(
            seen.bundles, seen.own, seen.even, moved, own, free, street.lanes, here.rows, street.regrets[player]
        )
        facts, width = street.seen[1 - player].bundles, street.bundles.width
        add_small(facts, width, sums, street.lanes, here.rows, street.sums[1 - player])

    def _small(self, player: int, here: BoundBoard) -> list[AnyArray]:
        """What the player who moves may choose, what they play, what the other plays, what comes of it, and sums."""
        bundles = self._street.bundles
        own, other = (bundles.positions(p) * bundles.width * len(here.rows) for p in (player, 1 - player))
        return [room[:size] for room, size in zip(self._room, (own, own, other, own, other), strict=True)]

    def _match(self, player: int, here: BoundBoard, out: AnyArray) -> None:
        street, seen = self._street, self._street.seen[player]
        match_rows(seen.bundles, seen.own, seen.even, street.regrets[player], street.lanes, here.rows, out)

    def _follow(self, here: BoundBoard, free: AnyArray, out: AnyArray) -> None:
        facts, model = self._street.seen[self._player].bundles, here.model
        follow_rows(facts, self._sequences, model.table, model.trust, model.lane, free, out)


def room_of(game: HoldemGame, street: int, bundles: LineBundles) -> float:
    """Bytes of the small tables of a street."""
    return float(_SMALL * _size(bundles, game.places(street)) * game.dtype.itemsize)


def _size(bundles: LineBundles, places: int) -> int:
    return int(max(bundles.positions(player) for player in (0, 1)) * bundles.width * places)


class BoundPlay:
    """A model of a player, row by row, or of whole hands where a coin was drawn for it. group: (classes,) the
    responder's lane of each class of hand."""

    def __init__(
        self, game: HoldemGame, trust: ModelMixture, streets: Sequence[SampledStreet], group: AnyArray
    ) -> None:
        self._game, self._group = game, group
        self._streets = [BoundStreet(street, trust.player) for street in streets]
        self.set_trust(trust)

    def set_trust(self, trust: ModelMixture) -> None:
        """Go on with another trust in the same model."""
        self.trust, self.rows = trust, RowTrust(self._game, trust)
        self._boards: list[BoundBoard] = []
        self._deal: Sequence[DealtBoard] = ()

    def begin(self, player: int, deal: Sequence[DealtBoard]) -> tuple[list[DealtBoard], list[LaneTables]]:
        """The boards of an iteration by their own lanes, and their tables where a player moves."""
        if deal is not self._deal:  # both players move on it
            rows = [self.rows.on(dealt.board) for dealt in deal]
            self._boards = [s.come_to(d, r) for s, d, r in zip(self._streets, deal, rows, strict=True)]
            self._deal = deal
        boards = [dealt._replace(hands=here.hands) for dealt, here in zip(deal, self._boards, strict=True)]
        return boards, [s.begin(player, here) for s, here in zip(self._streets, self._boards, strict=True)]

    def end(self, player: int) -> None:
        """Add what the move of a player found to the tables of all lanes."""
        for street, here in zip(self._streets, self._boards, strict=True):
            street.end(player, here)

    def reach(self, player: int, table: F64) -> F64:
        """(sequences, classes) a player's reach before the flop, who may choose (sequences, lanes) `table`."""
        played = self.rows.before_flop(table, self._group) if player == self.trust.player else table[:, self._group]
        plan = np.ones(played.shape)
        multiply_down(self._game.sides[player].preflop, np.ascontiguousarray(played), plan)
        return plan

    def by_lane(self, plan: F64) -> F64:
        """(sequences, lanes) means of (sequences, classes)."""
        found = np.zeros((len(plan), int(self._group.max()) + 1))
        np.add.at(found.T, self._group, plan.T)
        return np.asarray(found / np.bincount(self._group))
