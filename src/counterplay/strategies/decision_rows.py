"""Strategies infoset by infoset: the decisions of a player in an enumerated game or in a spot, and random strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.gametree.compile.compile import GameTree
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.public_tree.public_nodes import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.problem.solvable_game import by_kind
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex


class DecisionRows(NamedTuple):
    """Infosets with the same actions, (actions, infosets) their sequences, none for one action; in a spot a betting node."""

    actions: tuple[str, ...]
    sequences: I64
    node: int = -1


def decision_rows(game: GameTree | SpotGame, player: int) -> Iterator[DecisionRows]:
    """All decisions of a player, including forced ones if the game lists them."""
    listed: Callable[..., Iterator[DecisionRows]] = by_kind(LISTED, game, _of_tree)
    return listed(game, player)


def _of_tree(game: GameTree, player: int) -> Iterator[DecisionRows]:
    tree = game.trees[player]
    labels = tree.labels
    for actions, lane in zip(labels.actions, labels.lanes, strict=True):
        found = tree.sequences_of(lane) if lane >= 0 else slice(0, 0, 1)
        yield DecisionRows(actions, np.arange(found.start, found.stop, found.step)[:, None])


def _of_spot(game: SpotGame, player: int) -> Iterator[DecisionRows]:
    """One group for each betting node where the player has a choice, with the hands of all its boards."""
    betting = game.tree.betting
    for node in np.flatnonzero(game.tree.runs[player].lane[:DEAL] >= 0).tolist():
        yield DecisionRows(betting.actions(node), game.tree.sequences_at(player, node).T, node)


LISTED: dict[type, Callable[..., Iterator[DecisionRows]]] = {SpotGame: _of_spot}
"""What lists the decisions of a kind of game; those of others are listed by infosets."""


def situations(game: SpotGame, node: int) -> Iterator[tuple[str, str]]:
    """Path and hand of each infoset of a decision: "check, bet 100, Ah" and "KsKd"."""
    here = layer_of(game.tree.betting, node)
    for board in range(len(game.tree.boards.layers[here].boards)):
        part = PublicNode(node, here, board)
        path = game.tree_path(part)
        for number in hands_on(game.tree, part)[1]:
            yield path, hand_text(game.tree.boards.cards.hands[number].tolist())


def hands_on(tree: PublicTree, part: PublicNode) -> tuple[int, I64]:
    """The offset of a board's hands in its layer, and their numbers (n,)."""
    layer = tree.boards.layers[part.layer]
    first, end = layer.first[part.board : part.board + 2].tolist()
    return first, layer.hand[first:end]


_BY_GAMMA = 0.1
"""The least alpha at which NumPy draws a Dirichlet distribution by gamma variates."""


def by_infoset(tree: Treeplex, row: Callable[[int, slice], F64]) -> F64:
    """(size,) a behaviour made infoset by infoset in the order of the labels, so that seeds mean the same in every
    layout; `row` gets the number of actions and their indices."""
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    actions = tree.lane_sequences[2]
    for lane in tree.visit_order.tolist():
        where = tree.sequences_of(lane)
        behaviour[where] = row(int(actions[lane]), where)
    return behaviour


def dirichlet(tree: Treeplex, seed: int, alpha: float = 1.0) -> Strategy:
    """Every infoset's probabilities drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)
    if alpha < _BY_GAMMA:
        return Strategy(tree, by_infoset(tree, lambda n, _: rng.dirichlet(np.full(n, alpha))), {"seed": seed})
    # The same numbers, all drawn at once: each row is as many gamma variates over their sum.
    rows, draws = rows_at_once(tree)
    drawn = rng.standard_gamma(alpha, draws)
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    for sequences, last in rows:
        n = sequences.shape[1]
        columns = [drawn[last - n + k] for k in range(n)]
        scale = 1.0 / sum(columns)
        for k, column in enumerate(columns):
            behaviour[sequences[:, k]] = column * scale
    return Strategy(tree, behaviour, {"seed": seed})


def rows_at_once(tree: Treeplex, spare: int = 0) -> tuple[list[tuple[I64, I64]], int]:
    """All rows in the order of `by_infoset`, those with equally many actions together: (m, n) their sequences, and (m,)
    where the draws of each end, if a row takes `spare` draws and one an action; and the number of all draws."""
    first, stride, actions = (numbers[tree.visit_order] for numbers in tree.lane_sequences)
    last, rows = np.cumsum(spare + actions), list[tuple[I64, I64]]()
    for n in np.unique(actions).tolist():
        here = actions == n
        rows.append((first[here][:, None] + stride[here][:, None] * np.arange(n), last[here]))
    return rows, int(last[-1]) if len(last) else 0
