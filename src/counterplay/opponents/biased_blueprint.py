"""Blueprints of whole hold'em with the probabilities of some actions multiplied, and the two plain styles of play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.opponents.bias import check_met, met_by
from counterplay.poker.betting.state import Move
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows, normalise_rows, uniform

PASSIVE, AGGRESSIVE = STYLES = ("passive", "aggressive")
Factor = Callable[[int, NDArray[Any]], Floats]
"""A betting node and (actions, lanes) probabilities there in; their factors out, of a broadcastable shape."""


def play_style(game: HoldemGame, style: str) -> BucketedStrategy:
    """The strategy that always checks and calls, or always bets and raises."""

    def only(node: int, rows: NDArray[Any]) -> Floats:
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

    def factor(node: int, rows: NDArray[Any]) -> Floats:
        found = [met_by(name, factors) for name in game.betting.actions(node)]
        met.update(start for start in found if start is not None)
        by = np.array([1.0 if start is None else factors[start] for start in found])[:, None]
        by /= max(1.0, by.max())  # so that sums stay finite
        return np.where((rows * by).sum(axis=0) > 0.0, by, 1.0)

    changed = _multiplied(game, play, factor)
    nodes = (int(row[0]) for side in game.sides for part in side.decisions for row in part)
    check_met(factors, met, (name for node in nodes for name in game.betting.actions(node)))
    return changed


def _multiplied(game: HoldemGame, play: BucketedStrategy, factor: Factor) -> BucketedStrategy:
    """A strategy with the rows of every decision multiplied and normalised."""

    def changed(node: int, rows: NDArray[Any]) -> NDArray[Any]:
        return normalise_rows(rows * factor(node, rows), np.array([[node, 0, 0, len(rows)]]))

    return change_rows(game, play, changed)
