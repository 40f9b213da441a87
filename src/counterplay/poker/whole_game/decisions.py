"""Each player's decisions and sequences in the two streets of Flop Hold'em, and what terminals pay.

A player's sequences before the flop are numbered from the empty one, 0. On a flop the first are the *entries*, one for each
way in which the betting before it may end; the player's actions there come after.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import Ints


class StreetDecisions(NamedTuple):
    """One player's decisions, in an order in which those before come first.

    Attributes:
        preflop: (decisions, 4) betting node, sequence before it, its first action's sequence, number of actions.
        flop: the same of the decisions on a flop.
        entry: (entries,) the player's sequence before the flop at each entry.
        sizes: number of sequences before and on the flop.
    """

    preflop: Ints
    flop: Ints
    entry: Ints
    sizes: tuple[int, int]


class NumberedTree(NamedTuple):
    """Sequences of a whole betting tree."""

    sides: tuple[StreetDecisions, StreetDecisions]
    at: Sequence[tuple[int, int]]
    """Both players' sequences at each node; on the flop, those numbered there."""


def reaches_flop(betting: BettingTree, node: int) -> bool:
    """Whether a flop is dealt: at the end of the betting, or for a showdown after an early all-in."""
    kind = betting.kind[node]
    return bool(kind == Kind.DEAL or (kind == Kind.SHOWDOWN and betting.street[node] == 0))


def number_sequences(betting: BettingTree, entries: Ints) -> NumberedTree:
    """Number both players' sequences in one walk down the tree."""
    rows: list[tuple[list[Any], list[Any]]] = [([], []), ([], [])]  # of each player, before and on the flop
    count = [[1, len(entries)], [1, len(entries)]]
    at: list[Any] = [(0, 0)] * betting.nodes
    entry: list[tuple[int, int]] = []
    for node in range(betting.nodes):
        if reaches_flop(betting, node):
            entry.append(at[node])
            at[node] = (len(entry) - 1,) * 2
        children = betting.children(node)
        kind = int(betting.kind[node])
        if kind > Kind.PLAYER1:
            for child in children:
                at[child] = at[node]
            continue
        street = int(betting.street[node])
        first = count[kind][street]
        rows[kind][street].append((node, at[node][kind], first, len(children)))
        count[kind][street] += len(children)
        for k, child in enumerate(children):
            at[child] = (first + k, at[node][1]) if kind == 0 else (at[node][0], first + k)
    table = [[np.array(part, np.int64).reshape(-1, 4) for part in both] for both in rows]
    before = np.array(entry, np.int64).T
    sides = [StreetDecisions(table[p][0], table[p][1], before[p].copy(), (count[p][0], count[p][1])) for p in (0, 1)]
    return NumberedTree((sides[0], sides[1]), at)


def fold_payoffs(betting: BettingTree, node: int) -> tuple[float, float]:
    """What both players get at a fold."""
    pair = float(betting.win[node]), float(betting.lose[node])
    return pair if betting.kind[node] == Kind.FOLD1 else (pair[1], pair[0])


def showdown_stakes(betting: BettingTree, at: tuple[int, int], node: int, player: int) -> tuple[float, ...]:
    """At a fold or showdown on the flop: the opponent's sequence, the player's, and what the player gets for a win, a loss
    and a tie, which are equal at a fold."""
    if betting.kind[node] != Kind.SHOWDOWN:
        amount = fold_payoffs(betting, node)[player]
        return at[1 - player], at[player], amount, amount, amount
    return at[1 - player], at[player], float(betting.win[node]), float(betting.lose[node]), float(betting.tie[node])
