"""A model made from observed hands, with how often each infoset was seen."""

from __future__ import annotations

import numpy as np

from counterplay.games.game import TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.treeplex.strategy import Strategy


def observe(game: GameTree, opponent: Strategy, hands: int, seed: int) -> Strategy:
    """Relative frequencies of `opponent`'s actions in `hands` hands against a uniform player, all cards shown.

    Infosets that were not seen are uniform and have count 0. The counts feed the data-biased response.
    """
    tree = opponent.tree
    plans = [opponent.plan if i == tree.player else Strategy.uniform(game.trees[i]).plan for i in (0, 1)]
    ends = np.flatnonzero(game.histories.player == TERMINAL)
    first, second = (game.sequences[i][ends] for i in (0, 1))
    chance = game.histories.reach[ends] * plans[0][first] * plans[1][second]
    drawn = np.random.default_rng(seed).multinomial(hands, chance / chance.sum())
    # Every hand passes the infosets on the way to its last own sequence: add up from the last sequence to the root.
    seen = np.bincount((first, second)[tree.player], weights=drawn, minlength=tree.size)
    counts = np.zeros(tree.lanes)
    before = tree.arrays.parent
    for offset, width, n, lane, count in tree.arrays.groups[::-1].tolist():
        here = seen[offset : offset + n * width].reshape(n, width)[:, :count].sum(axis=0)
        counts[lane : lane + count] = here
        np.add.at(seen, before[lane : lane + count], here)
    behaviour = tree.uniform()
    inside = np.flatnonzero(tree.owner >= 0)
    known = inside[counts[tree.owner[inside]] > 0.0]
    behaviour[known] = seen[known] / counts[tree.owner[known]]
    return Strategy(tree, behaviour, {"hands": hands, "seed": seed}, counts)
