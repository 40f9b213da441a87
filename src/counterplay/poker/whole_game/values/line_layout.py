"""The layout of the last street's lines of betting for one player: positions by bundle, those with showdowns first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.betting.state import Move
from counterplay.poker.showdown.line_sweeps import LACKING, LineStreet, lay_out_plan
from counterplay.poker.showdown.simd_lanes import BLOCK
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.values.line_bundles import LineBundles
from counterplay.poker.whole_game.values.line_stakes import LineStakes
from counterplay.treeplex.memory import zeros_of

Array = NDArray[Any]


class LineTerms(NamedTuple):
    """`LineStakes` by bundle: (terms, 3) of each its bundle, position of the player and position whose probability counts;
    (terms, width) chips."""

    places: Array
    chips: Array


class LineLayout:
    """Where the sequences of both players stand on the last street.

    Args:
        game: the game.
        player: the player whose lines they are.
        paid: what the player earns.

    Attributes:
        lines: in bundles.
        width: lines of a bundle.
        played: number of bundles in which there is something left to decide.
        where: of each player by sequence its bundle, position and element; position 0 is the entry.
        street: positions and decisions for the kernels.
    """

    def __init__(self, game: HoldemGame, player: int, paid: LineStakes) -> None:
        self.game, self.player = game, player
        self.lines = LineBundles(game, game.last, None)
        self.width = self.lines.width
        self.played = sum(any(bundle.decisions) for bundle in self.lines.bundles)
        self.where = [self._places_of(side) for side in (0, 1)]
        self._order, self.street = self._laid_out(paid)

    def plan(self, table: Array, side: int, terms: LineTerms, blocks: Array) -> Array:
        """(size,) flat by bundle, lane and position: products of a player's probabilities times the chips of terms."""
        wide, lanes, kind = BLOCK * self.width, table.shape[1], self.game.dtype
        out, at, by_lane = zeros_of((int(blocks.sum()) * wide * lanes,), kind), 0, np.ascontiguousarray(table.T)
        for b, bundle in enumerate(self.lines.bundles[: self.played]):
            size, own = int(blocks[b]) * wide * lanes, terms.places[:, 0] == b
            sequences = np.array([[-1] * self.width, *_filled(bundle.sequences[side], self.width)])
            decisions = np.array([(above + 1, first + 1, n) for above, first, n in bundle.decisions[side]], np.int64)
            into = out[at : at + size].reshape(lanes, int(blocks[b]) * BLOCK, self.width)
            scratch, places = np.ones(sequences.shape, kind), np.ascontiguousarray(terms.places[own])
            lay_out_plan(by_lane, sequences, decisions.reshape(-1, 3), scratch, places, terms.chips[own], into)
            at += size
        return out

    @cached_property
    def own_terms(self) -> LineTerms:
        """(positions, 3) places of every position once; chips (positions, width) of 1."""
        places = [(b, k, p) for b, order in enumerate(self._order) for p, k in order.items()]
        return LineTerms(np.array(places, np.int64).reshape(-1, 3), np.ones((len(places), self.width), self.game.dtype))

    def terms(self, stakes: Array) -> LineTerms:
        """(terms, 3) places and (terms, width) chips of rows of `LineStakes`, (n, 3)."""
        found: dict[tuple[int, int, int], Array] = {}
        for theirs, ours, chips in stakes.tolist():
            b, position, k = self.where[self.player][int(ours)]
            if b < self.played:
                key = b, self._order[b][position], self.where[1 - self.player][int(theirs)][1]
                found.setdefault(key, np.zeros(self.width))[k] += chips
        places = np.array(list(found), np.int64).reshape(-1, 3)
        return LineTerms(places, np.array(list(found.values()), self.game.dtype).reshape(-1, self.width))

    def _places_of(self, side: int) -> dict[int, tuple[int, int, int]]:
        """Of each sequence of a player its bundle, position and element; position 0 is the entry."""
        found = {}
        for b, bundle in enumerate(self.lines.bundles):
            for position, row in enumerate([bundle.entries, *bundle.sequences[side]]):
                found.update({sequence: (b, position, k) for k, sequence in enumerate(row) if sequence >= 0})
        return found

    @property
    def _stays(self) -> list[int]:
        """The player's sequences that do not end in a fold: a showdown may follow all of them."""
        betting = self.game.betting
        rows = self.game.sides[self.player].decisions[self.game.last].tolist()
        acts = ((first + k, child) for node, _, first, _ in rows for k, child in enumerate(betting.children(node)))
        return [sequence for sequence, child in acts if betting.move[child] != Move.FOLD]

    def _laid_out(self, paid: LineStakes) -> tuple[list[dict[int, int]], LineStreet]:
        """Of each bundle the new numbers of positions, those with showdowns first; and the street."""
        shown = {self.where[self.player][int(own)][:2] for own in (*paid.shown[:, 1], *self._stays)}
        orders: list[dict[int, int]] = []
        facts: list[tuple[int, ...]] = []
        decisions: list[tuple[int, ...]] = []
        actions: list[int] = []
        entries: list[int] = []
        absent: list[Array] = []
        base, shown_base = 0, 0
        for b, bundle in enumerate(self.lines.bundles[: self.played]):
            rows = [[0] * self.width, *_filled(bundle.sequences[self.player], self.width)]
            first = [p for p in range(len(rows)) if (b, p) in shown]
            order = first + [p for p in range(1, len(rows)) if (b, p) not in shown]
            blocks, shows = -(-len(order) // BLOCK), -(-len(first) // BLOCK)
            places = {p: k for k, p in enumerate(order)}
            entry, begin = places.get(0, BLOCK * blocks), len(decisions)
            for above, action, count in bundle.decisions[self.player]:
                at = len(actions)
                actions += [places[action + 1 + k] for k in range(count)]
                decisions.append((places[above + 1] if above >= 0 else entry, at, len(actions)))
            facts.append((b, blocks, shows, base, shown_base, begin, len(decisions)))
            lacks = [np.where(np.array(rows[p]) < 0, LACKING, 0.0) for p in order]
            absent += [*lacks, *[np.zeros(self.width)] * (BLOCK * blocks - len(order))]
            orders.append(places)
            entries.append(entry)
            base, shown_base = base + blocks, shown_base + shows
        kind = self.game.dtype
        return orders, LineStreet(
            np.array(facts, np.int64).reshape(-1, 7), np.array(decisions, np.int64).reshape(-1, 3),
            np.array(actions, np.int64), np.array(entries, np.int64), np.array(absent, kind).reshape(-1, self.width),
        )  # fmt: skip


def _filled(rows: Iterable[list[int]], width: int) -> list[list[int]]:
    return [row + [-1] * (width - len(row)) for row in rows]
