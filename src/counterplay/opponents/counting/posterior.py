"""Strategies drawn from the posterior: what else the opponent may be, given the hands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.counting.estimate import Observations
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach, visits
from counterplay.treeplex.treeplex import Treeplex

_LEAST = 1e-3
"""Least parameter of a Dirichlet distribution, for actions that the prior never takes."""


@dataclass(frozen=True)
class GainSpread:
    """Spread of a gain over the posterior, in chips a hand of the responder. It is not a confidence interval: errors of the
    prior at infosets without hands average out in it, and a response seeks them.

    Attributes:
        mean: the expected gain.
        spread_low, spread_high: the ends of the middle part of the draws.
        spread_share: of the draws in that part.
    """

    mean: float
    spread_low: float
    spread_high: float
    spread_share: float


@dataclass(frozen=True, eq=False)
class Posterior:
    """Strategies that the hands and the prior leave possible.

    Attributes:
        game: compiled.
        samples: equally likely strategies.
    """

    game: GameTree
    samples: tuple[Strategy, ...]

    def __post_init__(self) -> None:
        strategies = isinstance(self.samples, tuple) and all(isinstance(one, Strategy) for one in self.samples)
        if not (strategies and self.samples):
            raise InputError("a posterior has at least one strategy, in a tuple")
        if not all(one.player == self.samples[0].player and one.is_of(self.game) for one in self.samples):
            raise InputError(f"the strategies of a posterior must be of one seat in {self.game.name}")

    def __repr__(self) -> str:
        return brief(self, self.game.name, f"{len(self.samples)} strategies of seat {self.samples[0].player}")

    @cached_property
    def mean(self) -> Strategy:
        """The strategy of the mean plan: payoffs are linear in plans, so the expected gain of any response over the
        posterior is its gain against this one.
        """
        plans = np.mean([one.plan for one in self.samples], axis=0)
        return Strategy.from_plan(self.samples[0].tree, plans, {"game": self.game.name, "method": "posterior mean"})

    def gain(self, response: Strategy, share: float = 0.9) -> GainSpread:
        """The gain of a response over the posterior, and its spread.

        Args:
            response: a strategy of the other seat.
            share: of the draws between the ends of the spread.

        Raises:
            InputError: a strategy of another seat or game.
        """
        seat = 1 - self.samples[0].player
        if response.player != seat or not response.is_of(self.game):
            raise InputError(f"the response must be a strategy of seat {seat} in {self.game.name}")
        own = self.game.payoff.product(1 - seat, response.plan)  # chips of the opponent for each of their sequences
        value = equilibrium_of(self.game).bound(seat)
        gains = np.array([-float(own @ one.plan) - value for one in self.samples])
        low, high = np.quantile(gains, [0.5 - share / 2.0, 0.5 + share / 2.0])
        return GainSpread(float(gains.mean()), float(low), float(high), share)


def draw_behaviours(
    data: Observations,
    prior: F64,
    weight: float,
    samples: int,
    *,
    sweeps: int = 40,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> list[F64]:
    """Behaviours (size,) from the posterior under Dirichlet priors, by Gibbs sampling. prior: (size,) behaviour. weight:
    observations of an infoset that the prior is worth, above 0. samples: number of chains. watch: called with the number
    of finished chains.

    Each is the end of a chain of its own, which begins at a draw from the prior, so that strategies between which the
    hands cannot decide are met in their breadth. A sweep draws the hidden hands given the strategy, then the strategy
    given them.

    The prior is Dirichlet(weight p), so that where all is shown the mean is the estimate of EM. The density that EM
    maximises, Dirichlet(1 + weight p), would add a uniform observation of each action that neither hands nor prior have.
    """
    if not weight > 0.0:
        raise InputError("a posterior needs a prior with a weight above 0")
    if samples < 1 or sweeps < 0:
        raise InputError(f"a posterior needs samples and sweeps, not {samples} and {sweeps}")
    draw, tree, found = np.random.default_rng(seed), data.tree, list[F64]()
    shares = _Shares(data)
    for number in range(samples):
        behaviour = _drawn_behaviour(tree, weight * prior, draw)
        for _ in range(sweeps):
            last = np.bincount(data.sequence, shares.drawn(reach(tree, behaviour), draw), tree.size).astype(np.float64)
            behaviour = _drawn_behaviour(tree, visits(tree, last)[0] + weight * prior, draw)
        found.append(behaviour)
        if watch is not None:
            watch(number + 1)
    return found


class _Shares:
    """Draws how often each entry of the observations happened."""

    def __init__(self, data: Observations) -> None:
        self.data = data
        start = np.searchsorted(data.row, np.arange(len(data.hands)))
        place = np.arange(len(data.row)) - start[data.row]
        self.places = [np.flatnonzero(place == k) for k in range(int(place.max(initial=-1)) + 1)]

    def drawn(self, plan: F64, draw: np.random.Generator) -> I64:
        """(m,) hands of each entry: a multinomial draw in every observation, entry by entry."""
        data = self.data
        share = data.shares(plan)
        left, rest = np.rint(data.hands).astype(np.int64), np.ones(len(data.hands))
        last = np.bincount(data.row, minlength=len(data.hands)) - 1
        found = np.zeros(len(data.row), np.int64)
        for k, entries in enumerate(self.places):
            row = data.row[entries]
            odds = np.divide(share[entries], rest[row], out=np.zeros(len(entries)), where=rest[row] > 1e-12)
            odds = np.where(last[row] == k, 1.0, np.clip(odds, 0.0, 1.0))
            found[entries] = draw.binomial(left[row], odds)
            left[row] -= found[entries]
            rest[row] -= share[entries]
        return found


def _drawn_behaviour(tree: Treeplex, parameters: F64, draw: np.random.Generator) -> F64:
    """A behaviour drawn from Dirichlet distributions with these parameters (size,)."""
    inner, drawn = np.flatnonzero(tree.owner >= 0), np.zeros(tree.size)
    drawn[inner] = draw.standard_gamma(np.maximum(parameters[inner], _LEAST)) + 1e-300
    return tree.normalised(drawn, tree.uniform())
