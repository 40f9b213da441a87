"""Best responses and derived quantities: the value of a plan, exploitability, NashConv."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64
from counterplay.problem.subgame import Subgame
from counterplay.solvers.bounds import bounds
from counterplay.treeplex.sweeps import best

_GOLDEN = 0.6180339887498949
"""Multiples of it are spread over the unit interval."""


@dataclass(frozen=True, eq=False)
class Response:
    """A best response: the responder's behaviour (size,), and its value in the responder's own chips."""

    behaviour: F64
    value: float


def best_response(subgame: Subgame, player: int, plan: F64) -> Response:
    """The best response of `player` to the other player's `plan`, within the player's own restriction.

    `plan`, (size,), is the plan actually played, restriction included. Among equally good actions the first is taken.
    """
    tree, restriction = subgame.trees[player], subgame.restrictions[player]
    leaves = subgame.leaves.product(player, plan)
    cfv, choice = leaves.copy(), np.zeros(tree.size)
    best(tree.arrays, restriction.keep, restriction.mix, cfv, choice)
    value = (1.0 - restriction.p) * float(cfv[0])
    if restriction.copy is not None:
        below = leaves.copy()
        best(tree.arrays, restriction.copy.keep, restriction.copy.mix, below, np.zeros(tree.size))
        value += restriction.p * float(below[0])
    elif restriction.p > 0.0:
        value += restriction.p * float(restriction.plan @ leaves)
    return Response(choice, value)


def steady_best_response(subgame: Subgame, player: int, plan: F64, within: float = 1e-7) -> F64:
    """(size,) behaviour of a best response of `player` to the other player's `plan`, (size,), that rounding does not choose.

    Among actions that are equally good up to rounding `best_response` may take different ones on different processors. Where
    somebody learns from what is played, that matters. Here every sequence costs an amount of its own, up to `within` chips,
    so that no two are alike; that is what the response may lose at each decision.
    """
    tree, restriction = subgame.trees[player], subgame.restrictions[player]
    cfv, choice = subgame.leaves.product(player, plan), np.zeros(tree.size)
    best(tree.arrays, restriction.keep, restriction.mix, cfv - within * (_GOLDEN * np.arange(tree.size) % 1.0), choice)
    return choice


def played_plan(subgame: Subgame, player: int, behaviour: F64) -> F64:
    """(size,) the plan actually played when `player` chooses `behaviour` under their restriction."""
    return subgame.restrictions[player].played(subgame.trees[player], behaviour)


def gap(subgame: Subgame, plans: tuple[F64, F64]) -> tuple[float, float]:
    """NashConv of two played plans, (size,) each, and the value of player 0, midway between the two bounds.

    NashConv is the sum of what each player could still gain: 0 exactly at a saddle point.
    """
    high, low = bounds(subgame, plans)
    paid = subgame.leaves.paid(*plans)
    total = high + low + paid
    return 0.0 if total < 0.0 else total, 0.5 * (high - low - paid)  # below 0 is rounding; what is no number stays so
