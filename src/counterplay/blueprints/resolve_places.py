"""Subtrees of an enumerated game to re-solve: those at given places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.subgames.cut import Cut
from counterplay.subgames.places import Place, subgames_at


@dataclass(frozen=True, eq=False)
class GadgetPiece:
    """A subgame to re-solve.

    Attributes:
        cut: the subgame, with the start of the previous re-solving.
        level: the number of its place, from 0.
    """

    cut: Cut
    level: int


class PlaceSubtrees(Sequence[Any]):
    """The subtrees at some places; another process cuts them anew. Arguments and errors as of `pieces_at`.

    Attributes:
        game: compiled.
        levels: the number of each one's place.
    """

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
