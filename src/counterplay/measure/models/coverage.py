"""What a model made from hands does not know: how much of the opponent's play lies where little was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.problem.solvable_game import as_compiled
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.texts.arguments import SEED, instance, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.visits import ENOUGH, visits


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
    covered = np.minimum(1.0, model.counts / ENOUGH)
    texts = {lane: text for text, lane in zip(model.tree.labels.infosets, model.tree.labels.lanes, strict=True)}
    order = np.argsort(-share * (1.0 - covered), kind="stable")[:blanks].tolist()
    found = tuple(
        Blank(texts[lane], float(share[lane]), float(model.counts[lane]))
        for lane in order
        if share[lane] * (1.0 - covered[lane]) > 0.0
    )
    full, none = float(share[covered >= 1.0].sum()), float(share[model.counts == 0.0].sum())
    return Coverage(full, max(0.0, 1.0 - full - none), none, found)
