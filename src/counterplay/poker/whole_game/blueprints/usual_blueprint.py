"""The lanes of a game's own buckets, and its blueprint in them: what responses are measured from."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, blueprint
from counterplay.poker.whole_game.blueprints.board_split import PUBLIC
from counterplay.poker.whole_game.holdem import HoldemGame

ITERATIONS = 4000
"""The default number of iterations of public chance sampling."""
_MOST = 2**29
"""Bytes of regrets and averages that are kept of it."""
_BASES: WeakKeyDictionary[HoldemGame, Blueprint] = WeakKeyDictionary()
_LANES: WeakKeyDictionary[HoldemGame, CardAbstraction] = WeakKeyDictionary()


def usual_blueprint(game: HoldemGame) -> Blueprint:
    """The blueprint of a game in its buckets, by public chance sampling, with its regrets; computed once."""
    if game not in _BASES:
        _BASES[game] = blueprint(game, usual_lanes(game), method=PUBLIC, iterations=ITERATIONS, most_state=_MOST)
    return _BASES[game]


def has_blueprint(game: HoldemGame) -> bool:
    """Return whether the blueprint of a game is computed already."""
    return game in _BASES


def usual_lanes(game: HoldemGame) -> CardAbstraction:
    """The lanes of a game's buckets; made once."""
    if game not in _LANES:
        _LANES[game] = make_buckets(game.boards, game.buckets)
    return _LANES[game]
