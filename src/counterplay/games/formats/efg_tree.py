"""The tree that a .efg file holds, as a game."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from counterplay.display import brief


@dataclass(eq=False, slots=True)
class EfgInfoset:
    """One infoset of a player or of chance in a file; `odds` are chance's probabilities."""

    number: int
    text: str
    actions: list[str]
    odds: list[float]


@dataclass(eq=False, slots=True)
class EfgNode:
    """A history; `payoffs` are the sums of the outcomes from the root to here."""

    player: int
    infoset: EfgInfoset | None
    payoffs: tuple[float, float]
    children: list[EfgNode] = field(default_factory=list)


class EfgGame:
    """The game of a .efg file; its states are the nodes, its actions the places in the list of names."""

    def __init__(self, name: str, root: EfgNode) -> None:
        self.name = name
        self._root = root

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> EfgNode:
        return self._root

    def player(self, state: EfgNode) -> int:
        return state.player

    def actions(self, state: EfgNode) -> range:
        return range(len(state.children))

    def chance(self, state: EfgNode) -> list[float]:
        return infoset_of(state).odds

    def child(self, state: EfgNode, action: int) -> EfgNode:
        return state.children[action]

    def infoset(self, state: EfgNode, player: int) -> str:  # noqa: ARG002 (the file names infosets only for who acts)
        return infoset_of(state).text

    def action_name(self, state: EfgNode, action: int) -> str:
        return infoset_of(state).actions[action]

    def utility(self, state: EfgNode) -> float:
        return state.payoffs[0]


def infoset_of(node: EfgNode) -> EfgInfoset:
    if node.infoset is None:
        raise ValueError("no player acts at a terminal node")
    return node.infoset


def unique(texts: list[str], numbers: list[int] | None = None) -> list[str]:
    """The same texts, with their numbers (from 1 on, if not given) where they are empty or shared."""
    often, taken = Counter(texts), set(texts)
    unique = []
    for number, text in zip(numbers or range(1, len(texts) + 1), texts, strict=True):
        new = text
        if not text or often[text] > 1:
            new = f"{text} {number}".strip()
            while new in taken:
                new += f" {number}"
        taken.add(new)
        unique.append(new)
    return unique
