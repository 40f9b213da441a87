"""Categories of decisions that a tilt treats alike: context, strength of the hand, and kind of action.

The context is street × what is faced × raises before × seat. The strength of a hand is its quantile by how aggressively a
strategy plays it at that very decision: no other feature of hands is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Move
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows, places_of_hands

KINDS = ("fold", "check or call", "bet or raise", "all-in")
KIND_OF = {move: 3 if move is Move.ALL_IN else 2 for move in Move} | {Move.FOLD: 0, Move.CHECK: 1, Move.CALL: 1}
QUANTILES = 5
_FACED, _RAISES = 3, 3
NOTHING_FACED, FACED_BET, FACED_ALL_IN = range(_FACED)
"""What is faced: nothing to call, a bet that can be raised, or one that can only be called."""
CONTEXTS = len(STREETS) * _FACED * _RAISES * 2
_BETTER = 0.1
"""How much more aggressive a bet is than the next smaller one."""
_ROUNDING = 6


class TreeDecision(NamedTuple):
    """A decision of a betting tree. player: who acts. rows: the sequences of its actions. context: from 0 to CONTEXTS -
    1. kinds: (actions,) index in KINDS of each action. scores: (actions,) how aggressive each is."""

    player: int
    rows: slice
    context: int
    kinds: I64
    scores: F64


class Categories:
    """The categories of a game's decisions under a strategy by buckets."""

    def __init__(self, game: HoldemGame, play: BucketedStrategy) -> None:
        self.game, self.play = game, play
        self._quantiles: dict[tuple[int, int], I64] = {}
        self._known: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {}

    @cached_property
    def decisions(self) -> dict[int, TreeDecision]:
        """Decisions by betting node."""
        tree, found = self.game.betting, dict[int, TreeDecision]()
        for player, side in enumerate(self.game.sides):
            for rows in side.decisions:
                for node, _, first, count in rows.tolist():
                    moves = [Move(int(tree.move[child])) for child in tree.children(node)]
                    kinds = np.array([KIND_OF[move] for move in moves])
                    scores = kinds + _BETTER * np.arange(len(moves))  # by kind: 0 is a fold
                    context = context_of(self.game, node, player)
                    found[node] = TreeDecision(player, slice(first, first + count), context, kinds, scores)
        return found

    def lanes(self, board: tuple[int, ...]) -> tuple[int, I64]:
        """The block of a board, by its cards, and (hands,) the lane of each hand, of no meaning if blocked."""
        if not board:
            return 0, np.asarray(self.game.boards.group, np.int64)
        here, places = places_of_hands(self.game, board)
        block, lanes = self.play.buckets.lanes_on(here)
        return block, np.asarray(lanes, np.int64)[places]

    def at(self, node: int, block: int) -> tuple[AnyArray, I64]:
        """At a decision in a block: (actions, lanes) probabilities, and (lanes,) quantiles."""
        table, here = self.table(self.play, node, block)
        if (node, block) not in self._quantiles:
            self._quantiles[node, block] = self._quantiles_at(node, table[here])
        return table[here], self._quantiles[node, block]

    def table(self, play: BucketedStrategy, node: int, block: int) -> tuple[AnyArray, slice]:
        """The table (sequences, lanes) of a strategy that holds a decision, and the rows of its actions there."""
        one, street = self.decisions[node], int(self.game.betting.street[node])
        return play.tables[street - 1][one.player][block] if street else play.preflop[one.player], one.rows

    def changed(self, change: Callable[[int, I64, AnyArray], AnyArray]) -> BucketedStrategy:
        """The strategy changed decision by decision. change: a decision's node, the quantiles of its lanes and its rows
        (actions, lanes) give the new rows."""
        return change_rows(self.game, self.play, lambda node, rows: change(node, self._quantiles_at(node, rows), rows))

    def held(self, node: int, board: tuple[int, ...], hand: int) -> tuple[AnyArray, int, int, int]:
        """Of one hand, by its number in the deck: (actions,) probabilities, its quantile and lane, and the block.
        Lanes are kept: hands are gone through several times, and those of a board take a millisecond."""
        if (board, hand) not in self._known:
            block, lanes = self.lanes(board)
            self._known[board, hand] = block, int(lanes[hand])
        block, lane = self._known[board, hand]
        rows, quantile = self.at(node, block)
        return rows[:, lane], int(quantile[lane]), lane, block

    def _quantiles_at(self, node: int, rows: AnyArray) -> I64:
        """(lanes,) the quantile of each lane of a block; after the flop lanes weigh alike, before it by hands."""
        later = self.game.betting.street[node] > 0
        weights = None if later else np.bincount(self.game.boards.group).astype(float)
        return quantiles(rows, self.decisions[node].scores, weights)


def context_of(game: HoldemGame, node: int, player: int) -> int:
    """The context of a decision."""
    tree = game.betting
    moves = {Move(int(tree.move[child])) for child in tree.children(node)}
    faced = NOTHING_FACED if Move.FOLD not in moves else FACED_ALL_IN if max(moves) < Move.BET else FACED_BET
    raises, above = 0, node
    while above > 0 and tree.street[int(tree.parent[above])] == tree.street[node]:
        raises += tree.move[above] >= Move.BET and tree.move[above] != Move.DEAL
        above = int(tree.parent[above])
    code = int(tree.street[node]) * _FACED + faced
    return (code * _RAISES + min(int(raises), _RAISES - 1)) * 2 + player


def place_of_context(context: I64) -> tuple[I64, I64]:
    """Each (contexts,): the street of contexts, and what is faced there."""
    code = context // (2 * _RAISES)
    return code // _FACED, code % _FACED


def quantiles(rows: AnyArray, scores: F64, weights: F64 | None = None) -> I64:
    """(lanes,) the quantile of each lane by mean aggression, 0 for the most passive; equal ones share the middle. rows:
    (actions, lanes) probabilities. scores: (actions,) aggression of each action. weights: (lanes,) how many hands each
    lane has; None for alike."""
    mean = np.round(scores @ np.asarray(rows, np.float64), _ROUNDING)
    _, tie, count = np.unique(mean, return_inverse=True, return_counts=True)
    mass = count.astype(float) if weights is None else np.bincount(tie, weights)
    middle = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    out: I64 = np.minimum(QUANTILES - 1, (QUANTILES * middle).astype(np.int64))[tie]
    return out
