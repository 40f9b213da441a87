"""Errors of a value function, measured against the exact one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.problem.solvable_game import as_compiled
from counterplay.result import ResultRecord
from counterplay.strategies.strategy_makers import dirichlet
from counterplay.subgames.cut import cut
from counterplay.subgames.cut_game import Border
from counterplay.texts.arguments import COUNT, SEED, takes
from counterplay.value_functions.leaf_value import EstimatedValue, Evaluate, ExactLeaf, linear, value_function
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.solved_value import SolvedValue


@dataclass(frozen=True, repr=False)
class ValueErrors(ResultRecord):
    """Errors of a value function, in chips, each given that the public state is reached.

    Attributes:
        mean: mean over public states, weighted by probability, of the larger absolute error of the two players' claims.
        worst: the largest of these errors.
        gap: mean of the sum of both players' claims; 0 for a zero-sum value function.
        states: number of public states of the limit.
        samples: number of pairs of random strategies that gave the ranges.
    """

    KIND = "value error"
    LACKS = dict.fromkeys(("value", "exploitability", "strategies"), "it measures a value function")

    name: str
    mean: float
    worst: float
    gap: float
    states: int
    samples: int

    def __repr__(self) -> str:
        return brief(
            self, self.name, labelled("mean", self.mean), labelled("worst", self.worst), labelled("gap", self.gap)
        )


@takes(samples=COUNT, seed=SEED)
def value_error(game: GameTree, leaf: Any, depth: int | str = 1, samples: int = 10, seed: int = 0) -> ValueErrors:
    """Measure a value function at the limit of a look-ahead from the root, against the exact value of every public state.

    The look-ahead sees `depth` levels, or a `round`. `samples` pairs of random strategies, uniform over all strategies
    at each infoset and drawn by the seed, give the ranges. leaf: as `respond` takes it.

    Raises:
        InputError: the look-ahead sees the whole game, the value function is the exact one, or the game is not enumerated.
    """
    game = as_compiled(game)
    if not game.lists_histories:
        raise InputError(f"errors of value functions are measured in enumerated games, and {game.name} is not one")
    function: Any = value_function(leaf)
    far = Depth.of(depth)
    if isinstance(function, ExactLeaf):
        raise InputError("the exact value function has no error; name another one")
    table = game.histories
    border = cut(game, [int(game.public[0][table.info[0][0]])], 0, far.whole_clock(game) <= far.span).limit
    if not len(border.histories):
        raise InputError(f"a look-ahead of depth {far} sees all of {game.name}, so no value function is needed")
    if isinstance(function, Portfolio):
        raise InputError("a portfolio is a game at the limit and has no error that could be measured")
    evaluate = linear(border, function.chips(border)) if isinstance(function, EstimatedValue) else function.at(border)
    exact, drawn = SolvedValue().at(border), np.random.default_rng(seed)
    found = []
    for _ in range(samples):
        plans = [dirichlet(tree, int(drawn.integers(2**31))).plan for tree in game.trees]
        found.append(_errors(border, (evaluate, exact), (border.range(0, plans[0]), border.range(1, plans[1]))))
    weight, error, gap = (np.concatenate(parts) for parts in zip(*found, strict=True))
    total = float(weight.sum())
    likely = weight > 0.0
    return ValueErrors(
        function.name,
        float(error.sum()) / total,
        float((error[likely] / weight[likely]).max()),
        float(gap.sum()) / total,
        len(np.unique(border.public)),
        samples,
    )


def claim_errors(border: Border, values: tuple[Evaluate, Evaluate], ranges: tuple[F64, F64]) -> Any:
    """Per public state (states,): its probability, and the larger error of the two claims of the first values against the
    second, times the probability. A range (infosets,) is that of a player's augmented infosets at the border."""
    return _errors(border, values, ranges)[:2]


def _errors(border: Border, both: tuple[Evaluate, Evaluate], ranges: tuple[F64, F64]) -> tuple[F64, F64, F64]:
    """As of `claim_errors`, and the sum of both claims of the first values, times the probability."""
    weight = border.chance * ranges[0][border.known[0]] * ranges[1][border.known[1]]
    names, which = np.unique(border.public, return_inverse=True)
    claims = np.zeros((2, 2, len(names)))  # of both values and players in each public state
    for out, function in zip(claims, both, strict=True):
        for player, cfvs in enumerate(function(*ranges)):
            first = np.unique(border.known[player], return_index=True)[1]
            np.add.at(out[player], which[first], ranges[player] * cfvs)
    error = np.maximum(np.abs(claims[0][0] - claims[1][0]), np.abs(claims[0][1] - claims[1][1]))
    return np.bincount(which, weight, len(names)).astype(np.float64), error, np.abs(claims[0].sum(axis=0))
