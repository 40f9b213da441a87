"""A blueprint of a whole game tilted toward figures of the villain card: the smallest change that meets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.opponents.tilting.frequency_tilt import LEAST, FrequencyRow, fit_frequencies
from counterplay.opponents.tilting.spot_situations import statistic_classes
from counterplay.opponents.villain.strategy_figures import StrategyFigures
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows

BOARDS = 10
"""Boards that the figures after the flop are measured on."""


@dataclass(frozen=True, eq=False)
class GameTilt:
    """A player with other frequencies.

    Attributes:
        play: both seats of the player.
        rows: by statistic, against the blueprint on drawn boards.
    """

    play: BucketedStrategy
    rows: tuple[FrequencyRow, ...]


def tilt_game(
    game: HoldemGame, play: BucketedStrategy, figures: Mapping[str, float], boards: int = BOARDS, seed: int = 0
) -> GameTilt:
    """The smallest change of a blueprint with which a player meets figures against that blueprint. figures: shares by
    name in `villain.statistics.STATISTICS`."""
    hits: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
    for player in (0, 1):
        for one in statistic_classes(game.betting, player):
            hits.setdefault(one.name, []).extend((at.node, at.hits) for at in one.nodes)
    measured = StrategyFigures(game, play, play)

    def tilted(weights: Mapping[str, float]) -> BucketedStrategy:
        return _tilted(game, play, {name: weight for name, weight in weights.items() if weight}, hits)

    def found(weights: Mapping[str, float]) -> dict[str, float]:
        return measured.of_strategy(tilted(weights)).figures(boards, seed)

    bounds = {name: (share, share) for name, share in figures.items()}
    fit = fit_frequencies(found, bounds)
    return GameTilt(tilted(fit.moved), fit.rows(bounds, {}))


def _tilted(
    game: HoldemGame,
    play: BucketedStrategy,
    weights: Mapping[str, float],
    hits: Mapping[str, list[tuple[int, tuple[int, ...]]]],
) -> BucketedStrategy:
    """A blueprint whose actions are multiplied by exp of the weights of the classes in which they count."""
    shifts: dict[int, F64] = {}
    for name, weight in weights.items():
        for node, actions in hits.get(name, []):
            shift = shifts.setdefault(node, np.zeros(len(game.betting.children(node))))
            shift[list(actions)] += weight

    def changed(node: int, rows: AnyArray) -> AnyArray:
        if node not in shifts:
            return rows
        out: F64 = (np.asarray(rows, np.float64) + LEAST) * np.exp(shifts[node] - shifts[node].max())[:, None]
        return np.asarray(out / out.sum(axis=0))

    return change_rows(game, play, changed) if shifts else play
