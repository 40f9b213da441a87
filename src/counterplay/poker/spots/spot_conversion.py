"""From a spot to its game: with arrays of the whole tree, or for a large one with plans in a store."""

from __future__ import annotations

import copyreg
from collections import OrderedDict
from pickle import PicklingError
from typing import Any, overload

from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.public_tree.size_estimate import LARGE, size_of
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame, stored_size

_TREES = 8
_ANY = float("inf")
"""Bytes of a spot that fitted already."""
_KEPT: OrderedDict[Any, PublicTree] = OrderedDict()


@overload
def as_spot_game(source: Spot | SolvedSpot | SpotGame, memory: float | None = None) -> SpotGame: ...
@overload
def as_spot_game(source: Any, memory: float | None = None) -> SpotGame | None: ...
def as_spot_game(source: Any, memory: float | None = None) -> SpotGame | None:
    """The game of a spot or a solved spot; None if the source is neither. Equal spots share their trees. An
    `InputError` if it needs more bytes than the limit, by default half of the machine's memory."""
    if isinstance(source, Spot):
        source = _game(source, _tree(source, memory), None, memory)
    elif isinstance(source, SolvedSpot):
        source = _game(source.spot, source.tree, source, memory)
    return source if isinstance(source, SpotGame) else None


def is_large(tree: PublicTree) -> bool:
    """Whether plans of a tree stand in a store, and not in arrays."""
    return tree.sequences(0) + tree.sequences(1) > LARGE


def _game(spot: Spot, tree: PublicTree, known: SolvedSpot | None, memory: float | None) -> SpotGame:
    if is_large(tree):
        return StoredSpotGame.of(spot, tree, known).limited(memory)
    return SpotGame.of(spot, tree, known)


def _tree(spot: Spot, memory: float | None) -> PublicTree:
    """The tree of a spot; the last few are kept, so that equal spots share theirs."""
    key = spot.key
    if key not in _KEPT or memory is not None:
        size = size_of(spot.betting, spot.cards)
        (stored_size(spot, memory) if size.sequences > LARGE else size).check(memory)
    if key not in _KEPT:
        _KEPT[key] = public_tree(spot.betting, spot.cards)
        while len(_KEPT) > _TREES:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return _KEPT[key]


def _arguments(game: SpotGame) -> tuple[Any, ...]:
    """Those by which another process makes a game."""
    if game.spot is None:
        raise PicklingError(f"{game.name} has no description")
    return as_spot_game, (game.spot, _ANY)


for _made in (SpotGame, StoredSpotGame):
    copyreg.pickle(_made, _arguments)
