"""The size of a whole game of hold'em: betting nodes, and decisions and actions of each street, for every hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree


@dataclass(frozen=True)
class GameSize:
    """Numbers of a betting tree.

    Attributes:
        nodes: betting nodes of all streets.
        decisions: of each street, nodes at which a player acts.
        actions: of each street, actions at its decisions.
    """

    nodes: int
    decisions: tuple[int, ...]
    actions: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.nodes:,} betting nodes, {' / '.join(f'{n:,}' for n in self.decisions)} decisions by street"


def game_size(betting: BettingTree) -> GameSize:
    """The size of a game with this betting."""
    acting, streets = np.flatnonzero(betting.kind <= Kind.PLAYER1), betting.rules.last + 1
    at = betting.street[acting]
    actions = np.bincount(at, [len(betting.children(node)) for node in acting.tolist()], streets)
    decisions = np.bincount(at, minlength=streets)
    return GameSize(betting.nodes, tuple(decisions.tolist()), tuple(int(count) for count in actions))
