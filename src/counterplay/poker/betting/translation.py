"""Action translation: the pseudo-harmonic mapping of bets to sizes of the tree (Ganzfried and Sandholm 2013)."""

from __future__ import annotations

import random

import numpy as np

from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import BettingState, Move, legal, pot
from counterplay.poker.betting.tree import BettingTree


def lower_probability(below: float, above: float, size: float) -> float:
    """The probability with which a bet is mapped to the smaller of the two sizes around it. below, above: the sizes A <
    B of the tree, as shares of the pot.

    The pseudo-harmonic mapping of Ganzfried and Sandholm (2013): (B - x)(1 + A) / ((B - A)(1 + x)).
    """
    return (above - size) * (1.0 + below) / ((above - below) * (1.0 + size))


def raise_share(tree: BettingTree, child: int) -> float:
    """The chips that a bet or raise of a tree adds to a call, as a share of the pot after the call."""
    above = int(tree.parent[child])
    mover = int(tree.kind[above])
    level = float(tree.committed[above].max())
    pot = float(tree.pot[above]) + level - float(tree.committed[above, mover])
    return (float(tree.committed[child, mover]) - level) / pot


def real_share(rules: BettingRules, state: BettingState, to: int) -> float:
    """The part of a bet or raise beyond the call, as a share of the pot after the call; `to` in units of the street."""
    return (state.base + to - max(state.put)) / (pot(rules, state) + legal(rules, state).call)


def translate_raise(tree: BettingTree, node: int, share: float, *, all_in: bool, draws: random.Random) -> int | None:
    """The child of a node that a bet or raise of any size is mapped to. Return the child; None if the tree has no bet or
    raise at the node. share: chips that the bet adds to a call, as a share of the pot after the call.

    A size outside those of the tree becomes the nearest; an all-in becomes the all-in of the tree, or its largest raise.
    """
    raises = [child for child in tree.children(node) if tree.move[child] >= Move.BET]
    if not raises:
        return None
    shares = [raise_share(tree, child) for child in raises]
    if all_in or share >= shares[-1]:
        return raises[-1]
    if share <= shares[0]:
        return raises[0]
    above = int(np.searchsorted(shares, share, side="right"))
    lower = lower_probability(shares[above - 1], shares[above], share)
    return raises[above - 1] if draws.random() < lower else raises[above]
