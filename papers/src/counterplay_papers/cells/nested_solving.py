"""Nested depth-limited solving by each technique of Kubíček et al. 2026, section 8.1, in games that fit in memory.

Every public state of both seats is solved, so that results between techniques and exploitability are exact. A value function
is a portfolio of ten strategies: the average after some iterations of CFR, and nine shuffles of it. The blueprint of a
look-ahead is the solution of the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from counterplay import LookAhead, Portfolio, Resolve, Stop, Strategy, opponent
from counterplay.arrays import F64
from counterplay.lookahead.priors import NONE
from counterplay.lookahead.search import PER_STATE
from counterplay.responses.matchup.matchup import Matchup
from counterplay.solvers.best_response import best_response
from counterplay.work.work import WorkRecipe
from counterplay_papers.cells.ggse_cells import TECHNIQUES
from counterplay_papers.cells.model_cells import game

_EPSILON, _STRATEGIES, _SHUFFLED = 2e-2, 10, 0.5
SEATS = (0, 1)


@dataclass(frozen=True)
class NestedGame:
    """A game. name: in rows. spec: to load."""

    name: str
    spec: str


@dataclass(frozen=True)
class NestedWork(WorkRecipe):
    """The strategies of all techniques in both seats, for several value functions.

    Attributes:
        games: see there.
        value_functions: their number.
        iterations: of CFR+ in each look-ahead.
    """

    games: tuple[NestedGame, ...]
    value_functions: int
    iterations: int

    def identity(self) -> Mapping[str, Any]:
        """Everything but the number of value functions, each of which is a part of its own."""
        return {"nested": [one.spec for one in self.games], "iterations": self.iterations, "epsilon": _EPSILON}

    def keys(self) -> Sequence[str]:
        return [
            key_of(one, number, technique, seat)
            for number in range(self.value_functions)
            for one in self.games
            for technique in TECHNIQUES
            for seat in SEATS
        ]

    def compute(self, key: str) -> F64:
        """(own size,) the behaviour."""
        name, number, technique, seat = key.split(" | ")
        spec = next(one.spec for one in self.games if one.name == name)
        return nested_strategy(spec, int(number.split()[-1]), technique, int(seat.split()[-1]), self.iterations)

    def complete(self, one: NestedGame, pieces: Mapping[str, Any]) -> list[int]:
        """The value functions of a game that all pieces are there of."""
        return [
            number
            for number in range(self.value_functions)
            if all(key_of(one, number, technique, seat) in pieces for technique in TECHNIQUES for seat in SEATS)
        ]


def key_of(one: NestedGame, number: int, technique: str, seat: int) -> str:
    """The key of a strategy."""
    return f"{one.name} | value function {number} | {technique} | seat {seat}"


def game_of_key(key: str) -> str:
    """The name of the game of a piece, with which the rows that need it begin."""
    return key.split(" | ")[0]


def portfolio(number: int) -> Portfolio:
    """The value function of a number, from 0."""
    base = f"cfr:{10 + 10 * number}"
    shuffled = [f"shuffle:{_SHUFFLED},{_STRATEGIES * number + one}:{base}" for one in range(1, _STRATEGIES)]
    return Portfolio(((base, *shuffled), (base, *shuffled)))


def nested_look(technique: str, leaf: Portfolio) -> LookAhead:
    """The look-ahead of every decision."""
    gadget, prior = TECHNIQUES[technique]
    epsilon = None if prior == NONE else _EPSILON
    return LookAhead(1, leaf=leaf, gadget=gadget, prior=prior, epsilon=epsilon, solve=PER_STATE)


def nested_strategy(spec: str, number: int, technique: str, seat: int, iterations: int) -> F64:
    """(own size,) the behaviour of a player who solves every decision with limit 1.

    Raises:
        KeyboardInterrupt: the solve was cut short.
    """
    tree, look = game(spec), nested_look(technique, portfolio(number))
    unused = opponent(tree, "uniform", player=1 - seat)  # p is 0: there is no model
    pair = Matchup(tree, unused, solver="cfr+", stop=Stop(iterations=iterations))
    found = pair.depth_limited(Resolve(look=look), 0.0)
    if found.interrupted or found.behaviour is None:
        raise KeyboardInterrupt
    return np.asarray(found.behaviour)


@dataclass(frozen=True)
class NestedResults:
    """What the techniques win from each other, and what they may lose; means over value functions.

    Attributes:
        wins: chips of player 0 for each pair of techniques, of seats 0 and 1.
        exploitability: of each technique, the mean of both seats, in chips.
        margins: half of the 95 % interval of each `worst`, over value functions; 0 for a single one.
        worst: of each technique, the mean of both seats against the technique that wins most from it, in chips.
    """

    wins: Mapping[tuple[str, str], float]
    exploitability: Mapping[str, float]
    worst: Mapping[str, float]
    margins: Mapping[str, float]


def nested_results(one: NestedGame, numbers: Sequence[int], pieces: Mapping[str, Any]) -> NestedResults:
    """The results of some value functions whose pieces are there."""
    each = [_results(one, number, pieces) for number in numbers]
    wins = {pair: fmean(found[0][pair] for found in each) for pair in each[0][0]}
    exploitability = {name: fmean(found[1][name] for found in each) for name in TECHNIQUES}
    apart = [worst_results(found[0]) for found in each]
    margins = {name: interval([found[name] for found in apart]) for name in TECHNIQUES}
    return NestedResults(wins, exploitability, worst_results(wins), margins)


def _results(
    one: NestedGame, number: int, pieces: Mapping[str, Any]
) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    tree = game(one.spec)
    plans = {
        (name, seat): Strategy(tree.trees[seat], np.asarray(pieces[key_of(one, number, name, seat)])).plan
        for name in TECHNIQUES
        for seat in SEATS
    }
    wins: dict[tuple[str, str], float] = {}
    losses = dict.fromkeys(TECHNIQUES, 0.0)
    for name in TECHNIQUES:
        worth = tree.subgame.leaves.product(0, plans[name, 1])
        wins |= {(first, name): float(plans[first, 0] @ worth) for first in TECHNIQUES}
        # The value of the game cancels in the mean of both seats.
        losses[name] = fmean(best_response(tree.subgame, 1 - seat, plans[name, seat]).value for seat in SEATS)
    return wins, losses


def worst_results(wins: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """Of each technique, the mean of both seats against the one that wins most from it."""
    return {
        name: min(0.5 * (wins[name, other] - wins[other, name]) for other in TECHNIQUES if other != name)
        for name in TECHNIQUES
    }


def interval(numbers: Sequence[float]) -> float:
    """Half of the 95 % interval of a mean, by Student's t; 0 for a single number."""
    from scipy.special import stdtrit

    if len(numbers) < 2:
        return 0.0
    error = float(np.std(numbers, ddof=1)) / float(np.sqrt(len(numbers)))
    return float(stdtrit(len(numbers) - 1, 0.975)) * error
