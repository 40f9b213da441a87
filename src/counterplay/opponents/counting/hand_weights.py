"""Weights of observed hands whose mean estimates the value of a response, whoever the opponent is.

The probability of an observation o is x0(o) · l_o(y): the plan x0 of the seat that looks, times a linear function of the
opponent's plan y (see `observations`). The value of another strategy x of that seat is linear, too: g(y). Weights w with
Σ x0(o) l_o(y) w(o) = g(y) for every y make the mean of w over hands an unbiased estimate of the value, whatever y is. Among
such weights a model of the opponent only picks those of small variance (Gauss and Markov); a wrong model widens the interval
and moves nothing. Own probabilities that are estimated from the hands matter in second order: the weights are the scores of
the opponent's decisions, which are uncorrelated with those of own decisions.

Hands cannot show what the opponent does where hands seldom lead. There, continuations are taken at their worst and at their
best for x, which gives two linear functions, a bound of g from below and one from above. What the weights leave of these
(`rest`, also linear in y) is bounded over all y by best responses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.counting.terminal_infosets import REVEALS, TerminalInfosets
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best_cfvs, reach, values, visits
from counterplay.treeplex.treeplex import Treeplex

SELDOM = (1.0, 10.0)
"""Expected visits below which an infoset's actions are bounded and not estimated; the narrower interval counts."""
_SOFT = 0.05
"""The share of uniform play in the model that variances are computed with."""
_RIDGE = 1e-3
"""Observations of the model at an infoset that the weights allow for, so that there is a solution."""
_TOLERANCE, _ROUNDS = 1e-5, 500


@dataclass(frozen=True, eq=False)
class HandWeights:
    """Weights that estimate a bound of a response's value from hands. weight: (observations,) of a hand with each
    observation, in chips of the responder. rest: chips that must be added for the bound to hold against every opponent.
    error: standard error of the mean as the model expects it."""

    weight: F64
    rest: float
    error: float

    def estimate(self, hands: F64) -> tuple[float, float, float]:
        """The bound, its standard error, and the effective number of hands. hands: (observations,) how often each was
        made, independent of the weights."""
        total = float(hands.sum())
        mean = float(hands @ self.weight) / total
        off = self.weight - mean
        squares = float(hands @ off**2)
        effective = float(hands @ np.abs(off)) ** 2 / squares if squares > 0.0 else total
        return mean + self.rest, max(squares**0.5 / total, self.error), effective


@dataclass(frozen=True, eq=False)
class SeatObservations:
    """The observations that a seat can make of another player's hands: sets of ends that partition all ends. seat: the
    observed player's. sight: of the other seat; its labels are the observations."""

    game: GameTree
    seat: int
    sight: TerminalInfosets

    @cached_property
    def count(self) -> int:
        """The number of observations."""
        return int(self.sight.label.max()) + 1

    @cached_property
    def _own(self) -> I64:
        """(observations,) the last own sequence; by perfect recall the ends of an observation have one in common."""
        found = np.zeros(self.count, np.int64)
        found[self.sight.label] = self.game.sequences[1 - self.seat][self.sight.ends]
        return found

    @cached_property
    def _likelihoods(self) -> Any:
        """(observations, size) sparse: probability of each observation but for the own plan, by the player's sequence."""
        from scipy.sparse import csr_array

        ends, tree = self.sight.ends, self.game.trees[self.seat]
        entries = self.sight.label, self.game.sequences[self.seat][ends]
        return csr_array((self.game.histories.reach[ends], entries), shape=(self.count, tree.size))

    def own_plan(self, hands: F64) -> F64:
        """(observations,) the probability of the own actions in each, from their frequencies in hands (observations,)."""
        tree = self.game.trees[1 - self.seat]
        seen, times = visits(tree, np.bincount(self._own, hands, tree.size).astype(np.float64))
        behaviour, inner = tree.uniform(), np.flatnonzero(tree.owner >= 0)
        behaviour[inner] = seen[inner] / np.maximum(times[tree.owner[inner]], 1.0)
        return reach(tree, behaviour)[self._own]

    def values_by_sequence(self, response: Strategy) -> F64:
        """(size,) chips that a response wins at each sequence of the player: g, in coefficients of the plan."""
        return -np.asarray(self.game.payoff.product(self.seat, response.plan), np.float64)

    def weights(self, chips: F64, model: F64, own: F64, hands: float) -> tuple[HandWeights, HandWeights]:
        """Weights for the bounds of a response's value from below and from above. chips: (size,) as of
        `values_by_sequence`. model: (size,) behaviour of the player, from hands that will not be weighted. own:
        (observations,) as of `own_plan`. hands: number of those that will be weighted."""
        tree = self.game.trees[self.seat]
        behaviour = (1.0 - _SOFT) * model + _SOFT * tree.uniform()
        fit = _Fit(self, tree, behaviour, own, hands)
        bounds = [
            [(sign, fit.weights(_bounded(tree, chips, fit.visits >= seldom, sign), sign)) for seldom in SELDOM]
            for sign in (-1, 1)
        ]
        low, high = (min(found, key=lambda one: fit.width(*one))[1] for found in bounds)
        return low, high


def classes_of_hands(game: GameTree, seat: int, hands: list[I64]) -> tuple[SeatObservations, I64] | None:
    """The finest observations in which each hand (its possible ends) is one, and the numbers of the hands' (n,); None if
    some hand hides own cards, own actions or its result.

    Cards that only some hands show, by choice, are so left out: they are no function of how the hand went.
    """
    for reveal in REVEALS:
        sight = TerminalInfosets(game, 1 - seat, reveal)
        labels = [sight.label[np.searchsorted(sight.ends, ends)] for ends in hands]
        if all((one == one[0]).all() for one in labels):
            return SeatObservations(game, seat, sight), np.array([one[0] for one in labels], np.int64)
    return None


def span_of(tree: Treeplex, chips: F64) -> tuple[float, float]:
    """The least and the largest value of coefficients (size,) over all plans."""
    low, high = -chips, chips.copy()
    for one in (low, high):
        best_cfvs(tree.arrays.groups, tree.arrays.parent, one)
    return -float(low[0]), float(high[0])


def _bounded(tree: Treeplex, chips: F64, seen: Flags, sign: int) -> F64:
    """(size,) coefficients in which infosets that are not seen (lanes,) have their best (sign 1) or worst continuation."""
    found = chips.copy()
    for offset, width, n, lane, count in tree.arrays.groups[::-1].tolist():
        # (actions, infosets) of a group; infosets are lanes from `lane`.
        rows = found[offset : offset + n * width].reshape(n, width)[:, :count]
        hidden = ~seen[lane : lane + count]
        best = sign * (sign * rows).max(axis=0)
        np.add.at(found, tree.arrays.parent[lane : lane + count][hidden], best[hidden])
        rows[:, hidden] = 0.0
    return found


class _Fit:
    """The least squares that weights solve, at a behaviour of the player.

    Unknown are the player's deviations from the behaviour, decision by decision. In coordinates of unit variance (`_root`,
    then `_plan_change`) the estimate is a ridge regression on the observations, whose hat row is the weights.
    """

    def __init__(self, classes: SeatObservations, tree: Treeplex, behaviour: F64, own: F64, hands: float) -> None:
        self.tree, self.behaviour, self.own, self.hands = tree, behaviour, own, hands
        self.plan, self.likelihoods = reach(tree, behaviour), classes._likelihoods
        self.transposed = self.likelihoods.T.tocsr()
        self.odds = own * (self.likelihoods @ self.plan)
        with np.errstate(divide="ignore"):
            self.scale = np.where(self.odds > 0.0, np.sqrt(hands / self.odds), 0.0)
        self.visits = visits(tree, hands * (self.transposed @ own) * self.plan)[1]
        self.inner = np.flatnonzero(tree.owner >= 0)

    def width(self, sign: int, found: HandWeights) -> float:
        """The distance of a bound from the middle that the model expects, with its error."""
        return sign * (float(self.odds @ found.weight) + found.rest) + 2.0 * found.error

    def weights(self, chips: F64, sign: int) -> HandWeights:
        """Those for the bound with coefficients chips (size,)."""
        middle = float(chips @ self.plan)
        weight = middle + self.scale * self._rows(self._solution(self._transposed(chips)))
        least, most = span_of(self.tree, chips - self.transposed @ (self.own * weight))
        error = (float(self.odds @ (weight - middle) ** 2) / self.hands) ** 0.5
        return HandWeights(weight, most if sign > 0 else least, error)

    def _solution(self, right: F64) -> F64:
        """(size,) the solution of the normal equations, by conjugate gradients; any weights are valid, these are good."""
        from scipy.sparse.linalg import LinearOperator, cg

        def normal(at: F64) -> F64:
            return at + self._transposed(self.transposed @ (self.scale * self.own * self._rows(at)))

        operator = LinearOperator((len(right), len(right)), normal, dtype=np.float64)
        found: F64 = cg(operator, right, rtol=_TOLERANCE, maxiter=_ROUNDS)[0]
        return found

    def _rows(self, at: F64) -> F64:
        found: F64 = self.scale * self.own * (self.likelihoods @ self._plan_change(self._root(at)))
        return found

    def _root(self, at: F64) -> F64:
        """Changes of the behaviour (size,): the root of the covariance of a Dirichlet distribution at each infoset."""
        tree, inner = self.tree, self.inner
        share, found = np.sqrt(self.behaviour[inner] / _RIDGE), np.zeros(tree.size)
        sums = np.bincount(tree.owner[inner], share * at[inner], tree.lanes)
        found[inner] = share * at[inner] - self.behaviour[inner] * sums[tree.owner[inner]]
        return found

    def _plan_change(self, change: F64) -> F64:
        """(size,) the change of the plan, in first order, by changes of the behaviour (size,)."""
        tree, found = self.tree, np.zeros(self.tree.size)
        for offset, width, n, lane, count in tree.arrays.groups.tolist():
            above = tree.arrays.parent[lane : lane + count]
            block = slice(offset, offset + n * width)
            rows = found[block].reshape(n, width)[:, :count]
            rows += found[above] * self.behaviour[block].reshape(n, width)[:, :count]
            rows += self.plan[above] * change[block].reshape(n, width)[:, :count]
        return found

    def _transposed(self, chips: F64) -> F64:
        """(size,) the transpose of `_plan_change` after `_root`, of coefficients chips (size,)."""
        tree, inner = self.tree, self.inner
        below = values(tree, self.behaviour, chips)
        rates = self.plan[tree.arrays.parent[tree.owner[inner]]] * below[inner]
        mean = np.bincount(tree.owner[inner], self.behaviour[inner] * rates, tree.lanes)
        found = np.zeros(tree.size)
        found[inner] = np.sqrt(self.behaviour[inner] / _RIDGE) * (rates - mean[tree.owner[inner]])
        return found
