"""What a model of whole hold'em from hands does not know: how many of the player's decisions lie where little was seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.opponents.counting.terminal_infosets import SHOWN
from counterplay.opponents.tilting.categories import Categories
from counterplay.opponents.tilting.mapped_hands import draw_hands
from counterplay.opponents.tilting.row_counts import counts_passed
from counterplay.opponents.tilting.tilted_model import TiltedModel
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.treeplex.visits import ENOUGH

HANDS = 2000
"""Drawn hands that the shares are taken from."""


@dataclass(frozen=True)
class RowCoverage:
    """Shares of a player's decisions on a street by what was seen of their rows.

    Attributes:
        street: its name, or `all`.
        decisions: how many were drawn.
        seen: with `ENOUGH` effective observations, where a data-biased response trusts the model most.
        little: with fewer.
        unseen: with none.
    """

    street: str
    decisions: int
    seen: float
    little: float
    unseen: float


def row_coverage(
    game: HoldemGame, model: TiltedModel | ObservedStrategy, other: BlueprintStrategy, hands: int = HANDS, seed: int = 0
) -> list[RowCoverage]:
    """The coverage of a model on drawn hands: all streets, then each that was reached.

    Args:
        game: the game.
        model: as the player is taken to play.
        other: who plays against the player.
        hands: that are drawn.
        seed: of the draws.
    """
    drawn = draw_hands(game, model.play, other, hands, SHOWN, seed)
    found = list(counts_passed(Categories(game, model.play), model.counts, drawn.hands))
    street, counts = np.array([one for one, _ in found]), np.array([count for _, count in found])
    parts = [("all", street >= 0), *((STREETS[at], street == at) for at in np.unique(street).tolist())]
    return [_row(name, counts[here]) for name, here in parts if here.any()]


def _row(street: str, counts: np.ndarray) -> RowCoverage:
    full, none = float((counts >= ENOUGH).mean()), float((counts == 0.0).mean())
    return RowCoverage(street, len(counts), full, max(0.0, 1.0 - full - none), none)
