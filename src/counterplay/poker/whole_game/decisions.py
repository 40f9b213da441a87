"""Each player's decisions and sequences, street by street, and what terminals pay.

Sequences are numbered anew on every street. The first are the *entries*, one for each way in which the betting before may
end (before the flop there is one); the player's actions on the street come after. An early all-in is an entry of every
street that is still dealt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree

_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)  # members of enumerations are slow to look up


class StreetDecisions(NamedTuple):
    """One player's decisions, in an order in which those before come first; each is a tuple over the streets.

    Attributes:
        decisions: (decisions, 4) betting node, sequence before it, its first action's sequence, number of actions.
        entries: (entries,) the player's sequence on the street before at each entry; of the first street 0.
        sizes: number of sequences.
    """

    decisions: tuple[I64, ...]
    entries: tuple[I64, ...]
    sizes: tuple[int, ...]

    @property
    def preflop(self) -> I64:
        """(decisions, 4) of the first street."""
        return self.decisions[0]

    @property
    def flop(self) -> I64:
        """(decisions, 4) of the second street."""
        return self.decisions[1]

    @property
    def entry(self) -> I64:
        """(entries,) of the second street."""
        return self.entries[1]


class NumberedTree(NamedTuple):
    """Sequences of a whole betting tree."""

    sides: tuple[StreetDecisions, StreetDecisions]
    at: Sequence[tuple[int, int]]
    """Both players' sequences at each node, on its street; at a showdown, on the last."""
    roots: tuple[I64, ...]
    """Of each street, (entries,) the betting node at which it is dealt."""


def number_sequences(betting: BettingTree) -> NumberedTree:
    """Number both players' sequences in one walk down the tree."""
    last = betting.rules.last
    rows: list[list[list[Any]]] = [[[] for _ in range(last + 1)] for _ in (0, 1)]
    entry: list[list[tuple[int, int, int]]] = [[(0, 0, 0)], *([] for _ in range(last))]
    roots_on = [1, *(sum(_is_dealt(betting, n, s) for n in range(betting.nodes)) for s in range(1, last + 1))]
    count = [list(roots_on), list(roots_on)]
    at: list[Any] = [(0, 0)] * betting.nodes
    for node in range(betting.nodes):
        kind, street = int(betting.kind[node]), int(betting.street[node])
        for dealt in range(street + 1, last + 1):
            if _is_dealt(betting, node, dealt):
                entry[dealt].append((node, *at[node]))
                at[node] = (len(entry[dealt]) - 1,) * 2
        children = betting.children(node)
        if kind > Kind.PLAYER1:
            for child in children:
                at[child] = at[node]
            continue
        first = count[kind][street]
        rows[kind][street].append((node, at[node][kind], first, len(children)))
        count[kind][street] += len(children)
        for k, child in enumerate(children):
            at[child] = (first + k, at[node][1]) if kind == 0 else (at[node][0], first + k)
    before = [np.array(part, np.int64).reshape(-1, 3).T for part in entry]
    sides = [
        StreetDecisions(
            tuple(np.array(part, np.int64).reshape(-1, 4) for part in rows[player]),
            tuple(part[1 + player].copy() for part in before),
            tuple(count[player]),
        )
        for player in (0, 1)
    ]
    return NumberedTree((sides[0], sides[1]), at, tuple(part[0].copy() for part in before))


def _is_dealt(betting: BettingTree, node: int, street: int) -> bool:
    """Return whether a street is dealt at a node: after the betting before it, or for a showdown after an early all-in."""
    kind, own = int(betting.kind[node]), int(betting.street[node])
    return (kind == _DEAL and own == street - 1) or (kind == _SHOWDOWN and own < street)


def streets_to_come(betting: BettingTree, node: int) -> int:
    """The number of streets dealt at a node: one at the end of the betting, all that are left at an early all-in."""
    kind = int(betting.kind[node])
    return betting.rules.last - int(betting.street[node]) if kind == _SHOWDOWN else int(kind == _DEAL)


def fold_payoffs(betting: BettingTree, node: int) -> tuple[float, float]:
    """Payoffs of both players at a fold."""
    pair = float(betting.win[node]), float(betting.lose[node])
    return pair if betting.kind[node] == Kind.FOLD1 else (pair[1], pair[0])


def showdown_stakes(betting: BettingTree, at: tuple[int, int], node: int, player: int) -> tuple[float, ...]:
    """At a fold or showdown: the opponent's sequence, the player's, and what the player gets for a win, a loss and a tie,
    which are equal at a fold."""
    if betting.kind[node] != Kind.SHOWDOWN:
        amount = fold_payoffs(betting, node)[player]
        return at[1 - player], at[player], amount, amount, amount
    return at[1 - player], at[player], float(betting.win[node]), float(betting.lose[node]), float(betting.tie[node])


@dataclass(frozen=True)
class GameSize:
    """Betting nodes of all streets; of each street nodes at which a player acts, and actions there."""

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
