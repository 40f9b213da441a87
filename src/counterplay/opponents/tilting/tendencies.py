"""Whole-game blueprints tilted toward frequencies: to figures of the villain card, or to a player's tendencies by street.

The tilt is the least change that meets the figures. A tendency (folds, raises, bets) is k of n decisions. One whose
interval holds what the blueprint does there is left alone. Any other is moved to the near end of its interval: what
hands only suggest changes nothing. Frequencies of a street need no cards and are known from some hundred hands, where
rows and categories of hands stay unknown for many thousands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.intervals import NORMAL_975
from counterplay.opponents.tilting.evidence import (
    CONTEXTS,
    FACED_BET,
    KINDS,
    NOTHING_FACED,
    QUANTILES,
    Categories,
    by_sight,
    gather,
    place_of_context,
)
from counterplay.opponents.tilting.mapped_hands import MappedHands
from counterplay.opponents.tilting.spot_tilt import (
    FrequencyRow,
    fit_frequencies,
    shift_rows,
    shifts_by_node,
    statistic_classes,
)
from counterplay.opponents.tilting.tilted_model import tilt_strategy
from counterplay.opponents.villain.seen_decisions import ObservedShare, StrategyFigures
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, Deviation, change_rows

Play = TypeVar("Play")
_FOLD, _AGGRESSIVE = [0], [2, 3]
_SURE = 1e-3
"""The least probability of an action: one that the prior never takes may be a mistake of the prior."""
_STEPS, _FARTHEST = 30, 4.0
"""Newton's steps, and the most that log odds are moved."""
BOARDS = 10
"""Boards that the figures after the flop are measured on."""


class Tendency(NamedTuple):
    """A kind of decision with some of its actions. categories: (categories,) where it counts. kinds: of action."""

    name: str
    categories: Flags
    kinds: list[int]

    def share(self, numbers: F64) -> tuple[float, float]:
        """Of numbers (categories, KINDS): those of its actions, and of all actions there."""
        here = numbers[self.categories]
        return float(here[:, self.kinds].sum()), float(here.sum())


@dataclass(frozen=True, eq=False)
class GameTilt(Generic[Play]):
    """A player with other frequencies. play: both seats of the player. rows: by tendency or statistic, what the
    blueprint does, what was counted or asked for, and what the player does."""

    play: Play
    rows: tuple[FrequencyRow, ...]


def model_of_tendencies(game: HoldemGame, prior: BucketedStrategy, mapped: MappedHands) -> GameTilt[Deviation]:
    """A player with the tendencies that hands support, beside the blueprint. mapped: hands of the player, at least one."""
    categories, known = Categories(game, prior), _tendencies()
    parts = [gather(categories, part) for part in by_sight(mapped.hands)]
    context = np.concatenate([part.contexts for part in parts])
    seen = np.eye(len(KINDS))[np.concatenate([part.kind for part in parts])]
    expected = np.concatenate([part.prior_kinds() for part in parts])
    counted, bounds = dict[str, ObservedShare](), dict[str, tuple[float, float]]()
    for one in known:
        here = one.categories[context * QUANTILES]
        if here.any():
            taken, prior_share = (kinds[here][:, one.kinds].sum(axis=1) for kinds in (seen, expected))
            counted[one.name] = ObservedShare(round(float(taken.sum())), len(taken))
            bounds[one.name] = _interval(taken, prior_share)

    def figures(weights: Mapping[str, float]) -> dict[str, float]:
        moved = np.sum([part.expected(_factors(known, weights))[1] for part in parts], axis=0)
        shares = {one.name: one.share(moved) for one in known}
        return {name: k / n for name, (k, n) in shares.items() if n > 0.0}

    fit = fit_frequencies(figures, bounds)
    play = tilt_strategy(categories, _factors(known, fit.weights))
    return GameTilt(Deviation(play, prior), fit.rows(bounds, counted))


def _interval(taken: F64, expected: F64) -> tuple[float, float]:
    """The 95 % interval of a frequency in the decisions that were seen: that of the log odds by which the prior is moved
    (Wald's, by Fisher's information). taken: (decisions,) 1 where its actions were taken, else 0. expected: (decisions,)
    how likely the prior takes them there.

    What was seen is compared with what the prior does with that very hand, so that the luck of the cards cancels.
    """
    known, move, information = np.clip(expected, _SURE, 1.0 - _SURE), 0.0, 0.0
    for _ in range(_STEPS):
        share = _moved(known, move)
        information = float((share * (1.0 - share)).sum())
        move = float(np.clip(move + (taken - share).sum() / information, -_FARTHEST, _FARTHEST))
    error = NORMAL_975 / sqrt(information)
    return float(_moved(known, move - error).mean()), float(_moved(known, move + error).mean())


def _moved(share: F64, move: float) -> F64:
    """Probabilities with other log odds."""
    odds = share * exp(move)
    return odds / (odds + 1.0 - share)


def _tendencies() -> list[Tendency]:
    street, faced = place_of_context(np.repeat(np.arange(CONTEXTS), QUANTILES))
    found = []
    for number, name in enumerate(STREETS):
        here = street == number
        found += [
            Tendency(f"{name}: fold", here & (faced != NOTHING_FACED), _FOLD),
            Tendency(f"{name}: raise", here & (faced == FACED_BET), _AGGRESSIVE),
            Tendency(f"{name}: bet", here & (faced == NOTHING_FACED), _AGGRESSIVE),
        ]
    return found


def _factors(known: Sequence[Tendency], weights: Mapping[str, float]) -> F64:
    """(categories, KINDS) factors of actions. weights: logarithms by tendency."""
    found = np.ones((CONTEXTS * QUANTILES, len(KINDS)))
    for one in known:
        for kind in one.kinds:
            found[one.categories, kind] *= np.exp(weights.get(one.name, 0.0))
    return found


def tilt_game(
    game: HoldemGame, play: BucketedStrategy, figures: Mapping[str, float], boards: int = BOARDS, seed: int = 0
) -> GameTilt[BucketedStrategy]:
    """The smallest change of a blueprint with which a player meets figures against that blueprint. figures: shares by
    name in `seen_decisions.STATISTICS`."""
    classes = [one for player in (0, 1) for one in statistic_classes(game.betting, player)]
    measured = StrategyFigures(game, play, play)

    def tilted(weights: Mapping[str, float]) -> BucketedStrategy:
        shifts = shifts_by_node(game.betting, classes, weights)
        if not shifts:
            return play
        return change_rows(
            game, play, lambda node, rows: shift_rows(rows.T, shifts[node]).T if node in shifts else rows
        )

    def found(weights: Mapping[str, float]) -> dict[str, float]:
        return measured.of_strategy(tilted(weights)).figures(boards, seed)

    bounds = {name: (share, share) for name, share in figures.items()}
    fit = fit_frequencies(found, bounds)
    return GameTilt(tilted(fit.moved), fit.rows(bounds, {}))
