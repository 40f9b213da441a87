"""Real betting followed in a tree of few sizes: each step becomes an action of the tree (Ganzfried and Sandholm 2013).

Bets are mapped to the sizes around them at random, by the pseudo-harmonic mapping; in lines the likelier size is taken.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from counterplay.poker.betting.line_notation import Step
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import BettingState, Move, all_in, legal, pot
from counterplay.poker.betting.tree import BettingTree

_NEAR = 0.02
"""The difference of two bets, as shares of the pot, below which they are the same."""
_PASSIVE = (Move.CHECK, Move.CALL)


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


class TranslatedStep(NamedTuple):
    """A real step in a tree.

    Attributes:
        node, child: of the tree, before and after the step; None where the tree has no such action.
        share: chips that a bet or raise adds to a call, as a share of the pot after the call; None for other steps.
        mapped: whether the tree has another size than the one that was bet.
    """

    node: int
    child: int | None
    share: float | None = None
    mapped: bool = False


class _Likelier(random.Random):
    """Draws that take the likelier of two."""

    def random(self) -> float:
        return 0.5


def translate_step(tree: BettingTree, node: int, step: Step, rules: BettingRules) -> TranslatedStep:
    """A real step at a node of the tree. rules: of the real hand."""
    state, (move, to) = step
    children = tree.children(node)
    if not children or tree.kind[node] != state.kind:
        return TranslatedStep(node, None)
    if move is Move.DEAL:
        return TranslatedStep(node, children[0])
    if move is Move.FOLD:
        return TranslatedStep(node, next((child for child in children if tree.move[child] == Move.FOLD), None))
    if move in _PASSIVE:
        return TranslatedStep(node, next(child for child in children if tree.move[child] in _PASSIVE))
    share, whole = real_share(rules, state, to), to >= all_in(rules, state)
    found = translate_raise(tree, node, share, all_in=whole, draws=_Likelier())
    return TranslatedStep(
        node, found, share, found is not None and not whole and abs(raise_share(tree, found) - share) > _NEAR
    )


def translate_line(
    tree: BettingTree, steps: Iterable[Step], rules: BettingRules, node: int = 0
) -> Iterator[TranslatedStep]:
    """A real line in a tree from a node on, up to the step that the tree does not have, which is given, too."""
    for step in steps:
        found = translate_step(tree, node, step, rules)
        yield found
        if found.child is None:
            return
        node = found.child


def translate_street(tree: BettingTree, steps: Iterable[Step], rules: BettingRules) -> Iterator[TranslatedStep]:
    """The betting of one street in a tree that begins at any time: from its first decision after calls and checks alone.

    Sizes are shares of the pot, so that the pots of hand and tree need not be the same.
    """
    node, steps = 0, list(steps)
    while steps and tree.children(node) and int(tree.street[node]) < steps[0].state.street:
        node = next((c for c in tree.children(node) if tree.move[c] in (*_PASSIVE, Move.DEAL)), tree.nodes - 1)
    if steps and int(tree.street[node]) == steps[0].state.street:
        yield from translate_line(tree, steps, rules, node)
