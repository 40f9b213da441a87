"""Subtrees of a spot to re-solve: every board of a street."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.public_terminals import PublicNode, part_at
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.texts.readers import whole_of


def street_of(game: SpotGame, at: str) -> int:
    """The street of a place, counted from that of the spot: `round` is the next one, `round:N` the Nth from there."""
    head, _, rest = at.partition(":")
    number = (whole_of(rest) or 0) if rest else 1
    streets = len(game.tree.boards.layers)
    if streets == 1:
        raise InputError(f"{game.name} has no later street to re-solve")
    if head != "round" or not 1 <= number < streets:
        to_come = f"{streets - 1} street{'s' * (streets > 2)} to come"
        raise InputError(f"{game.name} has {to_come}: the place is 'round' or 'round:N', not {quoted(at)}")
    return number


def parts_of(game: SpotGame, street: int, only: str | None = None) -> list[PublicNode]:
    """The roots of the subgames of a street: after each deal, on each board."""
    betting, layer = game.tree.betting, game.tree.boards.layers[street]
    deals = (betting.kind == Kind.DEAL) & (betting.street == betting.rules.first + street - 1)
    firsts = [betting.children(deal)[0] for deal in np.flatnonzero(deals).tolist()]
    every = [PublicNode(node, street, board) for node in firsts for board in range(len(layer.boards))]
    if only is None:
        return every
    if game.spot is None:
        raise InputError(f"{game.name} has no paths")
    wanted = part_at(game.tree.betting, game.tree.boards, only)
    if wanted not in every:
        raise InputError(f"no street begins at '{only}'; name the actions up to a card, and the card")
    return [wanted]


class StreetSubtrees(Sequence[Any]):
    """The subtrees that begin at some parts of a spot, each cut out on demand.

    Attributes:
        game: the spot.
        parts: where each begins.
        levels: 0 for each: none is inside another.
    """

    def __init__(self, game: SpotGame, parts: Sequence[PublicNode], resolver: int) -> None:
        self.game, self.parts, self._resolver = game, list(parts), resolver
        self.levels = [0] * len(parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, number: Any) -> Any:
        return subtree_at(self.game.tree, self.parts[number], self._resolver)
