"""What theorems share: small games, opponents, and how near numbers have to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import settings

import counterplay as cp
from counterplay.subgames.cut import cut

FEW = settings(max_examples=settings().max_examples * 3 // 8)  # 4 in `make test`, 37 in `make test-slow`
EXACT = 1e-7
GameOf = Callable[[str], cp.GameTree]
SMALL = ["kuhn", "leduc:merged=true", "goofspiel:4", "liars_dice:1,3,wild=false", "battleships:1,3,1x1"]
OPPONENTS = ["uniform", "random:2", "cfr+:3"]
SAFE = ["resolving", "max-margin", "reach-max-margin"]


def slack(game: cp.GameTree, share: float = EXACT) -> float:
    """A share of the span of payoffs, and the last digits of the largest."""
    return share * game.span + 1e-14 * float(abs(game.histories.utility).max())


def weighed(answer: cp.Answer, p: float) -> float:
    """What RNR and CDRNR maximise, less the value of the game."""
    return p * answer.gain - (1.0 - p) * answer.exploitability


def same(first: cp.Answer, second: cp.Answer) -> None:
    np.testing.assert_array_equal(first.strategy.behaviour, second.strategy.behaviour)


def torn(game: cp.GameTree) -> bool:
    """Whether some public state is not the root of a subgame: an infoset lies partly below it and partly elsewhere."""
    table = game.histories
    for state in range(game.public_states):
        inside = cut(game, [state], 0).root >= 0
        for info in table.info:
            if np.intersect1d(info[inside & (info >= 0)], info[~inside & (info >= 0)]).size:
                return True
    return False
