"""Walks of external sampling down the betting tree and back, for one player and one deal each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.games.random_numbers import scramble, uniform
from counterplay.jit import kernel
from counterplay.poker.betting.state import Kind

_DEAL, _SHOWDOWN, _FOLD0 = int(Kind.DEAL), int(Kind.SHOWDOWN), int(Kind.FOLD0)


class WalkTree(NamedTuple):
    """The betting tree: kinds, children, and for decisions the table and the first sequence in it."""

    kind: AnyArray
    first: AnyArray
    child: AnyArray
    table: AnyArray
    sequence: AnyArray
    paid: AnyArray
    """(nodes, 3) win, lose, tie."""


class DealtCards(NamedTuple):
    """Deals: the kind of each of all flops, and by flop and place the cards, rank, class and lane."""

    pick: AnyArray
    pairs: AnyArray
    rank: AnyArray
    early: AnyArray
    late: AnyArray


@kernel(nogil=True)
def walk(
    iterations: int, done: int, power: float, random: Any, tree: Any, cards: Any, regrets: Any, sums: Any, room: Any
) -> None:
    """Run a number of iterations after those `done`; `random` holds the generator's state, `room` has
    scratch by node.
    """
    for t in range(done + 1, done + iterations + 1):
        weight = float(t) ** power
        for player in range(2):
            f, one, two = _deal(cards, random)
            lanes = (cards.early[f, one], cards.early[f, two], cards.late[f, one], cards.late[f, two])
            better = np.sign(cards.rank[f, one] - cards.rank[f, two]) * (1 - 2 * player)
            order, chosen, chances, values = room
            count = _go_down(player, better, weight, lanes, random, tree, regrets, sums, order, chosen, chances, values)
            _come_back(player, weight, count, lanes, tree, regrets, order, chosen, chances, values)


class BoardHands(NamedTuple):
    """The hands of a last board: their cards, ranks, and (streets, n) rows in the tables of every street."""

    pairs: AnyArray
    rank: AnyArray
    rows: AnyArray


@kernel(nogil=True)
def walk_on_board(
    first: int,
    last: int,
    power: float,
    seed: Any,
    random: Any,
    tree: Any,
    hands: Any,
    regrets: Any,
    sums: Any,
    room: Any,
) -> None:
    """Iterations from `first` up to but without `last`, all on one board; the draws of each hang on the seed and on its
    number. random: (1,) room for their state."""
    for t in range(first, last):
        random[0] = scramble(seed, t)
        weight = float(t) ** power
        for player in range(2):
            one, two = _draw_hands(hands.pairs, random)
            rows = hands.rows
            lanes = (
                rows[0, one], rows[0, two], rows[1, one], rows[1, two], rows[2, one], rows[2, two], rows[3, one],
                rows[3, two],
            )  # fmt: skip
            better = np.sign(hands.rank[one] - hands.rank[two]) * (1 - 2 * player)
            order, chosen, chances, values = room
            count = _go_down(player, better, weight, lanes, random, tree, regrets, sums, order, chosen, chances, values)
            _come_back(player, weight, count, lanes, tree, regrets, order, chosen, chances, values)


@kernel(inline=True)
def _deal(cards: Any, random: Any) -> Any:
    """A flop and the places of two hands without a common card."""
    f = cards.pick[int(uniform(random) * len(cards.pick))]
    one, two = _draw_hands(cards.pairs[f], random)
    return f, one, two


@kernel(inline=True)
def _draw_hands(pairs: Any, random: Any) -> Any:
    """The places of two hands without a common card."""
    one = int(uniform(random) * len(pairs))
    while True:
        two = int(uniform(random) * len(pairs))
        a, b, c, d = pairs[one, 0], pairs[one, 1], pairs[two, 0], pairs[two, 1]
        if a != c and a != d and b != c and b != d:
            return one, two


@kernel
def _go_down(
    player: int, better: int, weight: float, lanes: Any, random: Any, tree: Any, regrets: Any, sums: Any, order: Any,
    chosen: Any, chances: Any, values: Any,
) -> int:  # fmt: skip
    """List the visited nodes, parents first, with the player's probabilities at their children; returns their number."""
    count, top = 0, 1
    order[0] = 0
    while count < top:  # a queue: its front are nodes already visited
        node = order[count]
        count += 1
        kind, first, end = tree.kind[node], tree.first[node], tree.first[node + 1]
        if kind > _DEAL:
            values[node] = _payoff(tree, node, kind, player, better)
        elif kind == _DEAL:
            order[top] = chosen[node] = tree.child[first]
            top += 1
        else:
            table, s = tree.table[node], tree.sequence[node]
            _match(regrets[table][lanes[table]], s, first, end, tree.child, chances)
            if kind == player:
                for k in range(first, end):
                    order[top] = tree.child[k]
                    top += 1
            else:
                pick = _draw(first, end, tree.child, chances, uniform(random))
                row = sums[table][lanes[table]]
                for k in range(first, end):
                    row[s + k - first] += weight * chances[tree.child[k]]
                order[top] = chosen[node] = tree.child[pick]
                top += 1
    return count


@kernel
def _come_back(
    player: int, weight: float, count: int, lanes: Any, tree: Any, regrets: Any, order: Any, chosen: Any, chances: Any,
    values: Any,
) -> None:  # fmt: skip
    """Compute the values of the visited nodes, and the player's regrets."""
    # Backwards through the visited nodes; the children of a node are tree.child[first:end].
    for at in range(count - 1, -1, -1):
        node = order[at]
        kind, first, end = tree.kind[node], tree.first[node], tree.first[node + 1]
        if kind == player:
            mean = 0.0
            for k in range(first, end):
                mean += chances[tree.child[k]] * values[tree.child[k]]
            values[node] = mean
            table, s = tree.table[node], tree.sequence[node]
            row = regrets[table][lanes[table]]
            for k in range(first, end):
                row[s + k - first] += weight * (values[tree.child[k]] - mean)
        elif kind <= _DEAL:
            values[node] = values[chosen[node]]


@kernel(inline=True)
def _payoff(tree: Any, node: int, kind: int, player: int, better: int) -> Any:
    """The player's payoff at a terminal."""
    sign = better if kind == _SHOWDOWN else (-1 if kind - _FOLD0 == player else 1)
    return tree.paid[node, 0] if sign > 0 else (tree.paid[node, 1] if sign < 0 else tree.paid[node, 2])


@kernel(inline=True)
def _match(row: Any, s: int, first: int, end: int, child: Any, chances: Any) -> None:
    """Write the probabilities of regret matching to the children."""
    total = 0.0
    for k in range(end - first):
        total += max(row[s + k], 0.0)
    for k in range(end - first):
        chances[child[first + k]] = max(row[s + k], 0.0) / total if total > 0 else 1.0 / (end - first)


@kernel(inline=True)
def _draw(first: int, end: int, child: Any, chances: Any, u: float) -> int:
    """The child that a random number draws."""
    k = first
    while k < end - 1 and u >= chances[child[k]]:
        u -= chances[child[k]]
        k += 1
    return k
