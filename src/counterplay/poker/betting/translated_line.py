"""Real betting followed in a tree of few sizes: each step becomes an action of the tree (Ganzfried and Sandholm 2013).

Of two sizes around a bet the likelier one is taken.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from counterplay.poker.betting.line_notation import Step
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Move, all_in
from counterplay.poker.betting.translation import raise_share, real_share, translate_raise
from counterplay.poker.betting.tree import BettingTree

_NEAR = 0.02
"""The difference of two bets, as shares of the pot, below which they are the same."""
_PASSIVE = (Move.CHECK, Move.CALL)


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


def translate_line(tree: BettingTree, steps: Iterable[Step], rules: BettingRules) -> Iterator[TranslatedStep]:
    """A real line in a tree, up to the step that the tree does not have, which is given, too."""
    node = 0
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
    for step in steps if int(tree.street[node]) == steps[0].state.street else ():
        found = translate_step(tree, node, step, rules)
        yield found
        if found.child is None:
            return
        node = found.child
