"""Observed hands as data of a likelihood: of each, the opponent's sequences that it may have been, and their weights.

The probability of an observation is linear in the opponent's realization plan y: it is the sum of y over the ends that agree
with the observation, weighted by chance and by the observer's own plan (Ganzfried 2025, section 4). The logarithm of it is
concave in y.

A street ends where chance moves after a player: cards that are dealt before the first decision belong to the first. The
probability of a hand is a product over streets: of the decisions up to a street, given those before it. Each factor is a
ratio of two sums that are linear in the plan.

Estimates are by expectation maximisation, or by the convex program with its certificate; the weight of the prior is learned
from hands that the model has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, inf, log
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, check_finite, check_integers, lock_fields
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit import kernel
from counterplay.treeplex.sweeps import best_cfvs, reach, visits
from counterplay.treeplex.treeplex import Treeplex

SOFT = 0.01
"""The share of uniform play in what is scored."""
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Observations:
    """Different observations, and how often each was made. tree: treeplex of the observed player. row: (m,) the
    observation of each entry, from 0, in order. sequence: (m,) a last sequence of the observed player that agrees with
    it. weight: (m,) its probability but for the observed player; the weights of an observation sum to 1. hands: (n,)
    how often each was made."""

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
    such steps amplify to the third."""
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


WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""Weights of the prior that are compared."""
FOLDS = 4
_FEW = 20
"""Hands below which the data cannot choose, and `USUAL` is taken."""
USUAL = 10.0
ROUNDS = 50
_SOFT = 1e-3
"""The share of uniform play in the start, so that no observation is impossible."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A fitted strategy. behaviour: (size,) its probabilities. visits: (lanes,) expected hands through each infoset.
    rounds: of the iteration. gap: nats a hand that no other strategy can add to the likelihood; None where a prior
    takes part."""

    behaviour: F64
    visits: F64
    rounds: int
    gap: float | None = None

    def __post_init__(self) -> None:
        lock_fields(self, "behaviour", "visits")


def expectation_maximisation(
    data: Observations, prior: F64, weight: float, rounds: int = ROUNDS, tolerance: float = 1e-5
) -> Estimate:
    """The strategy of largest posterior density under Dirichlet priors, by EM (Dempster, Laird and Rubin 1977). prior:
    (size,) behaviour.

    Each round shares every observation out among the hands that the opponent may have held, in proportion to their
    probabilities under the last strategy, and counts actions. Each infoset has `weight` further observations of the
    prior p: the density is that of Dirichlet(1 + weight p), whose mode with n shown decisions, (n + weight p) / (N +
    weight), is the mean of Dirichlet(n + weight p), from which `posterior.draw_behaviours` draws."""
    tree, done, change = data.tree, 0, np.inf
    behaviour = (1.0 - _SOFT) * prior + _SOFT * tree.uniform()
    while done < rounds and change > tolerance:
        before = behaviour
        seen, counts = data.visits(reach(tree, before))
        behaviour = tree.normalised(seen + weight * prior, prior, counts + weight)
        done, change = done + 1, float(np.abs(behaviour - before).max())
    return Estimate(behaviour, data.visits(reach(tree, behaviour))[1], done)


def convex_program(data: Observations, prior: F64, tolerance: float = 1e-4, rounds: int = 20_000) -> Estimate:
    """The strategy of largest likelihood: the concave program over realization plans (Ganzfried 2025), without a prior.
    prior: (size,) behaviour where nothing was seen, and the start.

    The iteration is EM, which ascends monotonously, in extrapolated steps (Varadhan and Roland 2008); it stops at a
    certificate: the likelihood is concave in the plan, so what the best plan gains along the gradient bounds what any
    plan can add. Among equally likely strategies it stays near the prior."""
    tree, hands = data.tree, max(float(data.hands.sum()), 1.0)
    behaviour = (1.0 - _SOFT) * prior + _SOFT * tree.uniform()
    done, gap = 0, np.inf

    def step(now: F64) -> F64:
        seen, counts = data.visits(reach(tree, now))
        return tree.normalised(seen, now, counts)

    while done < rounds:
        one = step(behaviour)
        two, far = step(one), np.empty_like(behaviour)
        extrapolate(behaviour, one, two, far)  # a longer step in logarithms, if it is better than two steps of EM
        far[~tree.real] = 0.0
        far = tree.normalised(far, two)
        better = data.log_likelihood(reach(tree, far)) >= data.log_likelihood(reach(tree, two))
        behaviour = step(far if better else two)
        done += 3
        if done % 30 == 0:
            # What the best plan gains along the gradient of the log-likelihood.
            plan = reach(tree, behaviour)
            rates = data.hands / np.maximum(data.likelihoods(plan), 1e-300)
            gradient = np.bincount(data.sequence, data.weight * rates[data.row], data.tree.size).astype(np.float64)
            values = gradient.copy()
            best_cfvs(data.tree.arrays.groups, data.tree.arrays.parent, values)
            gap = float(values[0] - (gradient * plan).sum()) / hands
            if gap <= tolerance:
                break
    counts = data.visits(reach(tree, behaviour))[1]
    inner = np.flatnonzero(tree.owner >= 0)
    unseen = inner[counts[tree.owner[inner]] == 0.0]
    behaviour[unseen] = prior[unseen]
    return Estimate(behaviour, counts, done, gap)


def frequencies(data: Observations, prior: F64, weight: float) -> Estimate:
    """Relative frequencies in the hands that were shown, which are biased where what is shown depends on the hand; `weight`
    more observations are those of the prior (size,)."""
    tree = data.tree
    seen, counts = visits(tree, data.only_shown.expected_ends(reach(tree, tree.uniform())))
    return Estimate(tree.normalised(seen + weight * prior, prior, counts + weight), counts, 1)


def learn_weight(data: Observations, fit: Callable[[Observations, float], Estimate], seed: int = 0) -> float:
    """The weight of the prior whose fits predict left-out hands best, by cross-validation in `FOLDS` parts. fit: the
    estimate of some observations with a weight. seed: of the parts."""
    if data.hands.sum() < _FEW:
        return USUAL
    scores = np.zeros(len(WEIGHTS))
    for part in split_hands(data.hands, FOLDS, seed):
        rest, left = data.weighted(data.hands - part), data.weighted(part)
        for i, weight in enumerate(WEIGHTS):
            mean, _, many = left.score(fit(rest, weight).behaviour)
            scores[i] += float(part.sum()) * mean * many
    return WEIGHTS[int(np.argmax(scores))]


def split_hands(hands: F64, count: int, seed: int) -> list[F64]:
    """Numbers of hands (n,) divided at random among `count` parts of about equal size."""
    draw, left, parts = np.random.default_rng(seed), hands.astype(np.int64), list[F64]()
    for fold in range(count - 1):
        part = draw.binomial(left, 1.0 / (count - fold))
        parts.append(part.astype(np.float64))
        left = left - part
    return [*parts, left.astype(np.float64)]


def checked_weight(weight: float | str) -> float:
    """The weight of a prior as a number of at least 0."""
    try:
        number = float(weight)
    except (ValueError, TypeError):
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise InputError(f"the weight of a prior is auto or a number of at least 0, not {quoted(weight)}")
    return number


def effective_counts(public: I64, data: Observations, behaviour: F64, weight: float) -> F64:
    """(lanes,) effective counts of the infosets: how many fully shown decisions their observations are worth.

    An observed hand whose hidden cards may be one of several says less about each of them than a shown hand. The
    information that observations hold is the covariance of their scores, the expected counts given what was seen (Louis
    1982). Between the infosets of one public state they compete: if nothing is ever shown, only the sum over hands is
    known, however many hands were seen. With M the matrix of Σ r(I) r(J) over observations, r the posterior probability
    of being at an infoset, and s the weight of the prior, the effective count of I is 1 / [(M + s)⁻¹](I, I) - s: the
    number of shown decisions that leaves the same variance. Where all is shown, M is diagonal and this is the plain
    count. public: (lanes,) the public state of each infoset. behaviour: (size,) the fitted strategy. weight:
    observations that the prior is worth at an infoset; below 1 it counts as 1."""
    tree, prior = data.tree, max(weight, 1.0)
    plan = reach(tree, behaviour)
    row, lane, share = _lanes_on_the_way(data, data.shares(plan))
    block = public[lane]
    order = np.argsort(block, kind="stable")
    row, lane, share, block = row[order], lane[order], share[order], block[order]
    begin = np.flatnonzero(np.diff(block, prepend=-1))
    found = np.zeros(tree.lanes)
    for first, last in pairwise([*begin, len(block)]):
        here = slice(first, last)
        lanes, column = np.unique(lane[here], return_inverse=True)
        rows, line = np.unique(row[here], return_inverse=True)
        shares = np.zeros((len(rows), len(lanes)))
        np.add.at(shares, (line, column), share[here])
        found[lanes] = counts_of_shares(shares, data.hands[rows], np.zeros(len(lanes)), prior)
    return np.clip(found, 0.0, data.visits(plan)[1])


def counts_of_shares(shares: F64, times: F64, shown: F64, prior: float) -> F64:
    """(lanes,) effective observations of the infosets of one public state. shares: (observations, lanes) the posterior
    probability of being at each infoset. times: (observations,) how often each was made. shown: (lanes,) fully shown
    observations besides. prior: the weight of the prior, above 0."""
    alone, seen = shown + prior, np.sqrt(times)[:, None] * shares
    if len(times) < len(alone):  # by the smaller of two equal inverses (Woodbury 1950)
        half = seen / alone
        inner = np.linalg.solve(np.eye(len(times)) + half @ seen.T, half)
        variance = 1.0 / alone - np.einsum("rl,rl->l", half, inner)
    else:
        variance = np.diag(np.linalg.inv(seen.T @ seen + np.diag(alone)))
    return np.clip(1.0 / variance - prior, 0.0, shown + times @ shares)  # type: ignore[no-any-return]


def _lanes_on_the_way(data: Observations, share: F64) -> tuple[I64, I64, F64]:
    """Of each entry, the infosets on the way to its sequence: observation, lane, and the entry's share."""
    tree = data.tree
    row, at = data.row, data.sequence
    rows, lanes, shares = list[I64](), list[I64](), list[F64]()
    seen = data.hands[row] > 0.0
    row, at, share = row[seen], at[seen], share[seen]
    while True:
        inside = at > 0
        row, at, share = row[inside], at[inside], share[inside]
        if not len(at):
            break
        lane = tree.owner[at].astype(np.int64)
        rows.append(row)
        lanes.append(lane)
        shares.append(share)
        at = tree.arrays.parent[lane].astype(np.int64)
    empty = np.zeros(0, np.int64)
    return (
        np.concatenate([empty, *rows]), np.concatenate([empty, *lanes]), np.concatenate([np.zeros(0), *shares]),
    )  # fmt: skip


def public_state_of_lanes(game: GameTree, player: int) -> I64:
    """(lanes,) the public state of each infoset of a compiled game."""
    found = np.full(game.trees[player].lanes, -1, np.int64)
    lanes = game.lanes[player]
    there = np.flatnonzero(lanes >= 0)
    found[lanes[there]] = game.public[player][there]
    return found
