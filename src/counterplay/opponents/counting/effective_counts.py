"""Effective counts: how many fully shown decisions the observations of an infoset are worth.

An observed hand whose hidden cards may be one of several says less about each of them than a shown hand. The information
that observations hold is the covariance of their scores, the expected counts given what was seen (Louis 1982). Between the
infosets of one public state they compete: if nothing is ever shown, only the sum over hands is known, however many hands
were seen. With M the matrix of Σ r(I) r(J) over observations, r the posterior probability of being at an infoset, and s the
weight of the prior, the effective count of I is 1 / [(M + s)⁻¹](I, I) - s: the number of shown decisions that leaves the
same variance. Where all is shown, M is diagonal and this is the plain count.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.counting.observations import Observations
from counterplay.treeplex.sweeps import reach


def effective_counts(public: I64, data: Observations, behaviour: F64, weight: float) -> F64:
    """(lanes,) effective observations of each infoset; 0 where nothing was seen. public: (lanes,) the public state of
    each infoset. behaviour: (size,) the fitted strategy."""
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
    found: F64 = np.clip(1.0 / variance - prior, 0.0, shown + times @ shares)
    return found


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
