"""Small games written down as a tree of plain Python data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from counterplay.display import brief
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL, chance_fault


@dataclass(frozen=True)
class DecisionNode:
    """A player chooses.

    Attributes:
        player: 0 or 1.
        infoset: what the player knows; nodes with the same text are one information set.
        children: action to node.
        other: what the other player knows here; if left out, only the own last move.
    """

    player: int
    infoset: str
    children: Mapping[str, Node]
    other: str = ""


@dataclass(frozen=True)
class ChanceNode:
    """Chance chooses; `outcomes` maps each outcome to its probability and node."""

    outcomes: Mapping[str, tuple[float, Node]]


Node: TypeAlias = DecisionNode | ChanceNode | float
"""A node of the tree; a number ends the game and is the utility of player 0."""


class TreeState(NamedTuple):
    """A state: the node, and the last own move of each player."""

    node: Node
    moved: tuple[str, str]


class TreeGame:
    """The game of a tree of `DecisionNode`, `ChanceNode` and numbers.

    Raises:
        InputError: chance that is not a probability distribution, no actions, or an infoset with two sets of actions.
    """

    augmented = True

    def __init__(self, name: str, tree: Node) -> None:
        self.name = name
        self.tree = tree
        infosets: dict[tuple[int, str], tuple[str, ...]] = {}
        for node in _nodes(tree):
            _check(name, node, infosets)

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> TreeState:
        return TreeState(self.tree, ("start", "start"))

    def player(self, state: TreeState) -> int:
        if isinstance(state.node, DecisionNode):
            return state.node.player
        return CHANCE if isinstance(state.node, ChanceNode) else TERMINAL

    def actions(self, state: TreeState) -> list[str]:
        if isinstance(state.node, DecisionNode):
            return list(state.node.children)
        return list(state.node.outcomes) if isinstance(state.node, ChanceNode) else []

    def chance(self, state: TreeState) -> list[float]:
        return [odds for odds, _ in state.node.outcomes.values()] if isinstance(state.node, ChanceNode) else []

    def child(self, state: TreeState, action: str) -> TreeState:
        node = state.node
        if isinstance(node, DecisionNode):
            moved = f"{node.infoset}, {action}"
            first, second = state.moved
            return TreeState(node.children[action], (moved, second) if node.player == 0 else (first, moved))
        assert isinstance(node, ChanceNode)
        return TreeState(node.outcomes[action][1], state.moved)

    def infoset(self, state: TreeState, player: int) -> str:
        if isinstance(state.node, DecisionNode):
            known = state.node.infoset if state.node.player == player else state.node.other
            return known or state.moved[player]
        return state.moved[player]

    def utility(self, state: TreeState) -> float:
        assert isinstance(state.node, (int, float))
        return float(state.node)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, DecisionNode):
        below = list(node.children.values())
    else:
        below = [child for _, child in node.outcomes.values()] if isinstance(node, ChanceNode) else []
    for child in below:
        yield from _nodes(child)


def _check(name: str, node: Node, infosets: dict[tuple[int, str], tuple[str, ...]]) -> None:
    if isinstance(node, ChanceNode):
        fault = chance_fault([odds for odds, _ in node.outcomes.values()], len(node.outcomes))
        if fault:
            raise InputError(f"{name}: the chance probabilities of {quoted(', '.join(node.outcomes))} {fault}")
    if not isinstance(node, DecisionNode):
        return
    if node.player not in (0, 1) or not node.children:
        raise InputError(f"{name}: the infoset {quoted(node.infoset)} needs a player, 0 or 1, and at least one action")
    actions = tuple(node.children)
    if infosets.setdefault((node.player, node.infoset), actions) != actions:
        raise InputError(f"{name}: the infoset {quoted(node.infoset)} has different actions at different nodes")
