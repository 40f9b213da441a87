"""A player bound to a model in public chance sampling: in any lanes of the model's own, and trusted row by row.

Where the model tells other hands apart than the responder's buckets, or is trusted by row, each board gets small tables of
its own: a lane for all hands that share the responder's lane and the model's. The kernels take them for regrets, since
probabilities match themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.jit import kernel
from counterplay.poker.whole_game.blueprints.lane_hands import LaneHands, LaneTables
from counterplay.poker.whole_game.blueprints.sampled_street import DealtBoard, SampledStreet
from counterplay.poker.whole_game.blueprints.street_regrets import multiply_down
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_trust import RowTrust, TrustedRows
from counterplay.poker.whole_game.strategy import ModelMixture
from counterplay.poker.whole_game.values.line_bundles import LineBundles

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
