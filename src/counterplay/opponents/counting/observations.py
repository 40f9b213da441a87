"""Observed hands as data of a likelihood: of each, the opponent's sequences that it may have been, and their weights.

The probability of an observation is linear in the opponent's realization plan y: it is the sum of y over the ends that agree
with the observation, weighted by chance and by the observer's own plan (Ganzfried 2025, section 4). The logarithm of it is
concave in y.

A street ends where chance moves after a player: cards that are dealt before the first decision belong to the first. The
probability of a hand is a product over streets: of the decisions up to a street, given those before it. Each factor is a
ratio of two sums that are linear in the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.games.game import CHANCE
from counterplay.jit import kernel
from counterplay.read_only import check_finite, check_integers, lock_fields
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex
from counterplay.treeplex.visits import visits

SOFT = 0.01
"""The share of uniform play in what is scored."""
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Observations:
    """Different observations, and how often each was made.

    Attributes:
        tree: treeplex of the observed player.
        row: (m,) the observation of each entry, from 0, in order.
        sequence: (m,) a last sequence of the observed player that agrees with it.
        weight: (m,) its probability but for the observed player; the weights of an observation sum to 1.
        hands: (n,) how often each was made.
    """

    tree: Treeplex
    row: I64
    sequence: I64
    weight: F64
    hands: F64

    def __post_init__(self) -> None:
        count, entries = np.shape(self.hands)[:1], np.shape(self.row)[:1]
        check_integers(self.row, "row", entries, 0, *count)
        check_integers(self.sequence, "sequence", entries, 0, self.tree.size)
        check_finite(self.weight, "weight", entries, 0.0)
        check_finite(self.hands, "hands", count, 0.0)
        lock_fields(self, "row", "sequence", "weight", "hands")

    def likelihoods(self, plan: F64) -> F64:
        """(n,) the probability of the observed player's actions in each observation, given the rest of it, by a model's
        plan (size,)."""
        return np.bincount(self.row, self.weight * plan[self.sequence], len(self.hands)).astype(np.float64)

    def log_likelihood(self, plan: F64) -> float:
        """In nats, of all hands. plan: (size,)."""
        return float(sum_logs(self.hands, self.likelihoods(plan)))

    def shares(self, plan: F64) -> F64:
        """(m,) the posterior probability of each entry in its observation. plan: (size,)."""
        joint = self.weight * plan[self.sequence]
        total = np.bincount(self.row, joint, len(self.hands))[self.row]
        return np.divide(joint, total, out=np.zeros(len(joint)), where=total > 0.0)

    def expected_ends(self, plan: F64) -> F64:
        """(size,) expected hands by last sequence, given a model's plan (size,)."""
        shared = self.shares(plan) * self.hands[self.row]
        return np.bincount(self.sequence, shared, self.tree.size).astype(np.float64)

    @cached_property
    def only_shown(self) -> Observations:
        """The observations that leave one sequence."""
        single = np.bincount(self.row, minlength=len(self.hands)) == 1
        return self.weighted(np.where(single, self.hands, 0.0))

    def weighted(self, hands: F64) -> Observations:
        """The same observations made so often (n,) each."""
        return Observations(self.tree, self.row, self.sequence, self.weight, hands)

    @cached_property
    def decisions(self) -> F64:
        """(n,) the observed player's decisions in each observation."""
        depth = np.zeros(self.tree.size)
        for offset, width, n, lane, count in self.tree.arrays.groups.tolist():
            above = depth[self.tree.arrays.parent[lane : lane + count]] + 1.0
            depth[offset : offset + n * width].reshape(n, width)[:, :count] = above
        return np.bincount(self.row, self.weight * depth[self.sequence], len(self.hands)).astype(np.float64)

    def score(self, behaviour: F64, soft: float = SOFT) -> tuple[float, float, float]:
        """Log-likelihood of a model's behaviour (size,) in nats a decision, its standard error over hands, and decisions a
        hand. soft: the share of uniform play that is mixed in, so that one impossible action does not decide."""
        hands = float(self.hands.sum())
        mean, error = nats_a_decision(self.hands, self.softened_logs(behaviour, soft), self.decisions)
        return mean, error, float(self.hands @ self.decisions) / hands

    def softened_logs(self, behaviour: F64, soft: float = SOFT) -> F64:
        """(n,) log-likelihood of each observation that was made, 0 of others; arguments as of `score`."""
        mixed = (1.0 - soft) * behaviour + soft * self.tree.uniform()
        with np.errstate(divide="ignore"):
            nats = np.log(self.likelihoods(reach(self.tree, mixed)))
        return np.where(self.hands > 0.0, nats, 0.0)

    def visits(self, plan: F64) -> tuple[F64, F64]:
        """(size,) and (lanes,) expected hands through each sequence and infoset, given a model's plan (size,)."""
        return visits(self.tree, self.expected_ends(plan))


def nats_a_decision(hands: F64, nats: F64, decisions: F64) -> tuple[float, float]:
    """The mean log-likelihood of a decision, and its standard error over hands, which are independent of each other; (n,)
    times, log-likelihood and decisions of each observation."""
    total = float(hands.sum())
    many = float(hands @ decisions) / total
    if not many:
        return 0.0, 0.0
    mean = float(hands @ nats) / total / many
    spread = float(hands @ (nats - mean * decisions) ** 2) / total
    return mean, float((spread / max(total - 1.0, 1.0)) ** 0.5) / many


def street_of_sequences(game: Any, seat: int) -> I64:
    """(size,) the street, from 0, of the infoset of each of a seat's sequences; -1 for the empty sequence and padding."""
    table, last = game.histories, game.sequences[seat]
    above = np.maximum(table.parent, 0)
    begins = (table.player[above] == CHANCE) & (table.player[above[above]] != CHANCE) & (above > 0)
    street, up = begins.astype(np.int64), above
    while (up > 0).any():  # each pass doubles the part of the way to the root that is added up
        street, up = street + street[up], up[up]
    chosen = np.flatnonzero(last != last[above])  # a forced action is no sequence of its own
    found = np.full(game.trees[seat].size, -1, np.int64)
    found[last[chosen]] = street[above[chosen]]
    return found


def up_to_street(data: Observations, streets: I64, last: int) -> Observations:
    """The same hands, only as far as a street. streets: (size,) from `street_of_sequences`."""
    sequence = data.sequence.copy()
    while len(later := np.flatnonzero(streets[sequence] > last)):
        sequence[later] = data.tree.predecessor[sequence[later]]
    return Observations(data.tree, data.row, sequence, data.weight, data.hands)


@kernel(loops=True)
def extrapolate(start: Any, one: Any, two: Any, far: Any) -> None:
    """Set `far` to where the path of three behaviours (size,) of expectation maximisation leads in logarithms (Varadhan and
    Roland 2008); unnormalised, at most 1.

    Kernels sum in one order: BLAS, and NumPy's logarithms, differ between processors in the last digit, which a few dozen
    such steps amplify to the third.
    """
    along, bent = 0.0, 0.0
    for i in range(len(start)):
        x, y, z = log(max(start[i], _LEAST)), log(max(one[i], _LEAST)), log(max(two[i], _LEAST))
        along += (y - x) ** 2
        bent += (z - 2.0 * y + x) ** 2
    length = max(1.0, (along / max(bent, 1e-300)) ** 0.5)
    for i in range(len(start)):
        x, y, z = log(max(start[i], _LEAST)), log(max(one[i], _LEAST)), log(max(two[i], _LEAST))
        far[i] = exp(min(x + 2.0 * length * (y - x) + length**2 * (z - 2.0 * y + x), 0.0))


@kernel
def sum_logs(hands: Any, likelihoods: Any) -> float:
    """The sum of hands (n,) times logarithms of likelihoods (n,), over those with hands; -inf if one is impossible."""
    total = 0.0
    for i in range(len(hands)):
        if hands[i] > 0.0:
            if likelihoods[i] <= 0.0:
                return -inf
            total += hands[i] * log(likelihoods[i])
    return total
