"""Blueprints of whole hold'em with the probabilities of some actions multiplied, and the two plain styles of play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.opponents.bias import check_met, met_by
from counterplay.poker.betting.state import Move
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows, normalise_rows, uniform

PASSIVE, AGGRESSIVE = STYLES = ("passive", "aggressive")
Factor = Callable[[int, AnyArray], F64]
"""A betting node and (actions, lanes) probabilities there in; their factors out, of a broadcastable shape."""
_MANY = 256
"""Blocks that are changed at a time."""


def play_style(game: HoldemGame, style: str) -> BucketedStrategy:
    """The strategy that always checks and calls, or always bets and raises."""

    def only(node: int, rows: AnyArray) -> F64:
        moves = [int(game.betting.move[child]) for child in game.betting.children(node)]
        calls = [k for k, move in enumerate(moves) if move in (Move.CHECK, Move.CALL)]
        found = calls[0] if style == PASSIVE else len(moves) - 1
        return np.asarray(np.eye(len(rows))[found][:, None], np.float64)

    return _multiplied(game, uniform(game), only)


def bias_actions(game: HoldemGame, play: BucketedStrategy, factors: Mapping[str, float]) -> BucketedStrategy:
    """A strategy with the probability of some actions multiplied, as `bias.Bias` has it.

    Raises:
        InputError: a prefix that no action has.
    """
    met = set[str]()

    @cache
    def factors_at(node: int) -> F64:
        found = [met_by(name, factors) for name in game.betting.actions(node)]
        met.update(start for start in found if start is not None)
        by = np.array([1.0 if start is None else factors[start] for start in found])[:, None]
        return np.asarray(by / max(1.0, by.max()), np.float64)  # so that sums stay finite

    def factor(node: int, rows: AnyArray) -> F64:
        by = factors_at(node)
        return np.where((rows * by).sum(axis=0) > 0.0, by, 1.0)

    changed = _multiplied(game, play, factor)
    nodes = (int(row[0]) for side in game.sides for part in side.decisions for row in part)
    check_met(factors, met, (name for node in nodes for name in game.betting.actions(node)))
    return changed


def _multiplied(game: HoldemGame, play: BucketedStrategy, factor: Factor) -> BucketedStrategy:
    """A strategy with the rows of every decision multiplied and normalised."""

    def changed(node: int, rows: AnyArray) -> AnyArray:
        return normalise_rows(rows * factor(node, rows), np.array([[node, 0, 0, len(rows)]]))

    wide = tuple((_side_by_side(one), _side_by_side(two)) for one, two in play.tables)
    found = change_rows(game, replace(play, tables=wide), changed)
    apart = zip(found.tables, play.tables, strict=True)
    return replace(found, tables=tuple((_apart(new[0], old[0]), _apart(new[1], old[1])) for new, old in apart))


def _side_by_side(blocks: list[AnyArray]) -> list[AnyArray]:
    """Tables of many blocks each: a lossless blueprint has thousands, each of few hands."""
    return [np.hstack(blocks[k : k + _MANY]) for k in range(0, len(blocks), _MANY)]


def _apart(tables: list[AnyArray], blocks: list[AnyArray]) -> list[AnyArray]:
    """The blocks of such tables, each as wide as the one that stands at its place in `blocks`."""
    found = list[AnyArray]()
    for k, table in enumerate(tables):
        ends = np.cumsum([block.shape[1] for block in blocks[k * _MANY : (k + 1) * _MANY]])
        found += map(np.ascontiguousarray, np.split(table, ends[:-1], axis=1))
    return found
