"""Coverage of a model from hands: the shares of a player's decisions where enough was seen, little, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.opponents.counting.terminal_infosets import SHOWN
from counterplay.opponents.tilting.categories import Categories
from counterplay.opponents.tilting.mapped_hands import draw_hands
from counterplay.opponents.tilting.tilted_model import TiltedModel, counts_passed
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.problem.solvable_game import as_compiled
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.texts.arguments import SEED, instance, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.visits import ENOUGH, visits

HANDS = 2000
"""Drawn hands that the shares of a whole game are taken from."""


@dataclass(frozen=True)
class Blank:
    """An infoset of the opponent where little was seen.

    Attributes:
        infoset: its text.
        share: of the opponent's decisions.
        count: effective observations there.
    """

    infoset: str
    share: float
    count: float


@dataclass(frozen=True)
class Coverage:
    """Shares of the opponent's decisions by what was seen there, if the model is right and the other seat plays an
    equilibrium.

    Attributes:
        seen: with `ENOUGH` effective observations, where a data-biased response trusts the model most.
        little: with fewer.
        unseen: with none.
        blanks: the infosets with most decisions that are not covered, most first.
    """

    seen: float
    little: float
    unseen: float
    blanks: tuple[Blank, ...]

    def __repr__(self) -> str:
        told = (f"{100 * share:.0f} % {word}" for share, word in ((self.seen, "seen"), (self.unseen, "unseen")))
        return brief(self, "", *told)


@dataclass(frozen=True)
class RowCoverage:
    """The same shares in whole hold'em, of one street. street: its name, or `all`. decisions: how many were drawn."""

    street: str
    decisions: int
    seen: float
    little: float
    unseen: float


@takes(model=instance("a Strategy", Strategy), blanks=SEED)
def coverage(game: Any, model: Strategy, blanks: int = 10) -> Coverage:
    """The coverage of a model.

    Args:
        game: compiled.
        model: with counts.
        blanks: the most infosets that are listed.

    Raises:
        InputError: a model without counts, or of another game.
    """
    game = as_compiled(game)
    if game.enters_boards_alone or not model.is_of(game):
        raise InputError(f"coverage is that of a model of {game.name} as a whole game in memory")
    if model.counts is None:
        raise InputError("this model has no counts: it was not made from hands")
    other, ends = 1 - model.player, np.flatnonzero(game.histories.player == TERMINAL)
    own = equilibrium_of(game).plans[other][game.sequences[other][ends]]
    last = game.sequences[model.player][ends]
    odds = game.histories.reach[ends] * own * model.plan[last]
    by_lane = visits(model.tree, np.bincount(last, odds, model.tree.size).astype(np.float64))[1]
    share = by_lane / max(by_lane.sum(), 1e-300)
    blank = share * (1.0 - np.minimum(1.0, model.counts / ENOUGH))
    texts = {lane: text for text, lane in zip(model.tree.labels.infosets, model.tree.labels.lanes, strict=True)}
    found = tuple(
        Blank(texts[lane], float(share[lane]), float(model.counts[lane]))
        for lane in np.argsort(-blank, kind="stable")[:blanks].tolist()
        if blank[lane] > 0.0
    )
    return Coverage(*_shares(model.counts, share), found)


def row_coverage(
    game: HoldemGame, model: TiltedModel | ObservedStrategy, other: BlueprintStrategy, hands: int = HANDS, seed: int = 0
) -> Sequence[RowCoverage]:
    """The coverage of a model of whole hold'em on so many drawn hands against another strategy: all streets, then each
    that was reached."""
    drawn = draw_hands(game, model.play, other, hands, SHOWN, seed)
    found = list(counts_passed(Categories(game, model.play), model.counts, drawn.hands))
    street, counts = np.array([one for one, _ in found]), np.array([count for _, count in found])
    parts = [("all", street >= 0), *((STREETS[at], street == at) for at in np.unique(street).tolist())]
    return [
        RowCoverage(name, int(here.sum()), *_shares(counts[here], np.ones(here.sum()), float(here.sum())))
        for name, here in parts
        if here.any()
    ]


def _shares(counts: F64, weights: F64, total: float = 1.0) -> tuple[float, float, float]:
    """The shares of decisions with enough observations, with fewer, and with none."""
    full, none = (float(weights[chosen].sum()) / total for chosen in (counts >= ENOUGH, counts == 0.0))
    return full, max(0.0, 1.0 - full - none), none
