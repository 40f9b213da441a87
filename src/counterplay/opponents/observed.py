"""Models made from observed hands, with the counts of each infoset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.texts.readers import Whole
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.visits import visits


@dataclass(frozen=True)
class Observed(OpponentModel):
    """Relative frequencies of another opponent's actions in sampled hands against a uniform player, all cards shown.

    Unobserved infosets are uniform and have count 0. The counts feed the data-biased response.

    Attributes:
        hands: number of hands.
        to: the observed opponent.
        seed: seed of the hands; None takes the caller's.
    """

    HEAD = "observed"
    hands: Annotated[int, Whole(what="hands", least=1, example="1000")]
    to: Annotated[OpponentModel, MODELS.nested(CHANGED)]
    seed: Annotated[int | None, Whole(what="the seed")] = None

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        if not game.lists_histories:
            raise InputError(f"hands of {game.name} cannot be observed, since its opponent is a range")
        return _observe(
            game, self.to.strategy(game, player, seed), self.hands, seed if self.seed is None else self.seed
        )


def _observe(game: Any, opponent: Strategy, hands: int, seed: int) -> Strategy:
    tree = opponent.tree
    plans = [opponent.plan if i == tree.player else Strategy.uniform(game.trees[i]).plan for i in (0, 1)]
    ends = np.flatnonzero(game.histories.player == TERMINAL)
    first, second = (game.sequences[i][ends] for i in (0, 1))
    chance = game.histories.reach[ends] * plans[0][first] * plans[1][second]
    drawn = np.random.default_rng(seed).multinomial(hands, chance / chance.sum())
    last = np.bincount((first, second)[tree.player], weights=drawn, minlength=tree.size).astype(np.float64)
    seen, counts = visits(tree, last)
    behaviour = tree.uniform()
    inside = np.flatnonzero(tree.owner >= 0)
    known = inside[counts[tree.owner[inside]] > 0.0]
    behaviour[known] = seen[known] / counts[tree.owner[known]]
    return Strategy(tree, behaviour, {"hands": hands, "seed": seed}, counts)
