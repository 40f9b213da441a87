"""Continual depth-limited responses, solved jointly: one linear program for each own level (paper 000, CDBR and CDRNR).

A look-ahead rolls: at every own level the game is solved again with our earlier decisions fixed, and only the decisions of
that level are kept. The opponent that stands for the model plays the model down to `depth` levels further and rationally
below, which is the exact value function; the opponent that stands for everybody is rational everywhere and keeps its whole
way from the root, which is the full gadget.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.responses.matchup import Matchup, Outcome
from counterplay.solvers.lp import SequenceFormLP
from counterplay.solvers.program import Fixed
from counterplay.subgames.levels import lane_levels
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.treeplex.sweeps import behaviour_of, reach

Floats = NDArray[np.float64]
Step = Callable[[int, int], None]
"""Called before each step with its number, from 1, and how many there are."""


def depth_limited(match: Matchup, depth: int, p: float, step: Step | None = None) -> Outcome:
    """CDBR (p = 1) or CDRNR (p < 1) with a rolling look-ahead of `depth` levels and the exact value function.

    Raises:
        InputError: a depth below 1, or p outside [0, 1].
    """
    if depth < 1:
        raise InputError(f"the depth must be at least 1, not {depth}")
    check_p(p)
    tree, other = match.game.trees[match.seat], match.model.tree
    own_levels, other_levels = (lane_levels(match.game, seat) for seat in (match.seat, 1 - match.seat))
    behaviour, decided = tree.uniform(), np.zeros(tree.lanes, np.bool_)
    levels = sorted(set(own_levels[own_levels >= 0].tolist()))
    for number, level in enumerate(levels):
        if step:
            step(number + 1, len(levels))
        trusted = ((other_levels >= 0) & (other_levels <= level + depth)).astype(np.float64)
        model = Restriction.local(other, match.model.behaviour, trusted)
        fixed = Fixed(decided, behaviour)
        found = behaviour_of(tree, _solve(match, model, trusted[other_levels >= 0], fixed, p))
        now = own_levels == level
        kept = now[tree.owner] & (tree.owner >= 0)
        behaviour[kept] = found[kept]
        decided = decided | now
    return Outcome(reach(tree, behaviour))


def _solve(match: Matchup, model: Restriction, trusted: Floats, fixed: Fixed, p: float) -> Floats:
    """(size,) the plan that is best against the model with weight p and against everybody with weight 1 - p."""
    game, seat = match.game.subgame, match.seat
    everybody = Restriction()
    if trusted.all():  # nothing of the model is left to choose: its value is linear
        if p == 1.0:
            return _best_below(match, fixed)
        return SequenceFormLP(game, seat, [everybody], fixed).maximise(p * match.rewards, 1.0 - p).plan
    copies = [model] if p == 1.0 else [model, everybody] if p > 0.0 else [everybody]
    weights = [1.0] if p == 1.0 else [p, 1.0 - p] if p > 0.0 else [1.0]
    return SequenceFormLP(game, seat, copies, fixed).maximise(None, weights).plan


def _best_below(match: Matchup, fixed: Fixed) -> Floats:
    """A best response with some own infosets fixed."""
    from counterplay.treeplex.sweeps import best

    tree = match.game.trees[match.seat]
    keep = np.where(fixed.lanes, 0.0, 1.0)
    mix = np.zeros(tree.size)
    inside = np.flatnonzero(tree.owner >= 0)
    given = inside[fixed.lanes[tree.owner[inside]]]
    mix[given] = fixed.behaviour[given]
    cfv, choice = match.rewards.copy(), np.zeros(tree.size)
    best(tree.arrays, keep, mix, cfv, choice)
    choice[given] = fixed.behaviour[given]
    return reach(tree, choice)
