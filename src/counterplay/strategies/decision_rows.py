"""The decisions of a player, in an enumerated game or in a spot, for code that writes or changes a strategy
row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from counterplay.arrays import I64
from counterplay.gametree.compile.compile import GameTree
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.problem.solvable_game import by_kind


class DecisionRows(NamedTuple):
    """A group of infosets with the same actions.

    Attributes:
        actions: texts of the actions.
        sequences: (actions, infosets) the index of each in a plan; empty for one action only.
        node: the betting node, in a spot.
    """

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
