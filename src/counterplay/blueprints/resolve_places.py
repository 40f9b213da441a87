"""Subtrees of a game in memory to re-solve: those at given places, in a spot every board of a street."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.public_nodes import PublicNode, part_at
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.subgames.cut import Cut, Place, subgames_at
from counterplay.texts.readers import whole_of


@dataclass(frozen=True, eq=False)
class GadgetPiece:
    """A subgame to re-solve, with the start of the previous re-solving, and the number of its place, from 0."""

    cut: Cut
    level: int


class PlaceSubtrees(Sequence[Any]):
    """The subtrees at some places of a compiled game, and the number of each one's place; other processes cut them anew."""

    def __init__(self, game: GameTree, places: Sequence[Place], player: int, only: str | None = None) -> None:
        self.game, self._asked = game, (places, player, only)
        pieces = pieces_at(game, places, player, only)
        self._cuts, self.levels = [piece.cut for piece in pieces], [piece.level for piece in pieces]

    def __reduce__(self) -> tuple[Any, ...]:
        return PlaceSubtrees, (self.game, *self._asked)

    def __len__(self) -> int:
        return len(self._cuts)

    def __getitem__(self, number: Any) -> Any:
        return self._cuts[number]


def pieces_at(game: GameTree, places: Sequence[Place], player: int, only: str | None = None) -> list[GadgetPiece]:
    """The subgames at these places, those of the first place first."""
    found: list[GadgetPiece] = []
    began = np.zeros(len(game.histories), np.int32)
    for number, place in enumerate(places):
        earlier = np.concatenate([np.zeros(0, np.int64), *(one.cut.top.histories for one in found)])
        here = subgames_at(game, place, player)
        for piece in here:
            if any(np.array_equal(piece.top.histories, one.cut.top.histories) for one in found):
                continue  # on some paths both places are the same
            if (piece.root[earlier] >= 0).any():
                raise InputError(
                    f"the place {place} is not inside the place {places[number - 1]}; name the outer one first"
                )
            since = dict(zip(piece.top.public.tolist(), began[piece.top.histories].tolist(), strict=True))
            found.append(GadgetPiece(replace(piece, since=since), number))
        for piece in here:
            began = np.where(piece.root >= 0, piece.root, began)
    if only is None:
        return found
    held = [one for one in found if _holds(one.cut, only)]
    if not held:
        raise InputError(f"no subgame at {', '.join(map(str, places))} contains the infoset {quoted(only)}")
    return held


def _holds(piece: Cut, infoset: str) -> bool:
    """Whether an infoset of the resolver is in a subgame."""
    game, me = piece.game, piece.resolver
    labels = game.trees[me].labels
    if infoset not in labels.index:
        raise InputError(f"{game.name} has no infoset {quoted(infoset)} of player {me}")
    return bool(piece.root[game.first[me][labels.index[infoset]]] >= 0)


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
    """The subtrees that begin at some parts of a spot, each cut out on demand; none is inside another."""

    def __init__(self, game: SpotGame, parts: Sequence[PublicNode], resolver: int) -> None:
        self.game, self.parts, self._resolver = game, list(parts), resolver
        self.levels = [0] * len(parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, number: Any) -> Any:
        return subtree_at(self.game.tree, self.parts[number], self._resolver)
