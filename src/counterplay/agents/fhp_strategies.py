"""Strategies of Flop Hold'em by a short text: opponents, models and blueprints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.agents.options import Options
from counterplay.errors import InputError
from counterplay.poker.fhp.blueprint import EXTERNAL, PUBLIC, blueprint, shuffled
from counterplay.poker.fhp.buckets import cluster
from counterplay.poker.fhp.file import ENDING, load
from counterplay.poker.fhp.game import Game
from counterplay.poker.fhp.play import Bucketed, uniform

BLUEPRINT = "blueprint"
GRAMMAR = {
    "uniform": "every action alike",
    "blueprint[:buckets=200,iterations=4000,method=public,seed=0]": "computed at once: half a minute on a full deck",
    f"FILE{ENDING}": "a blueprint that `counterplay fhp` has made",
    "shuffle:SHARE[,SEED]:OPPONENT": "another one; a SHARE of the infosets has its probabilities multiplied by draws",
}
"""What a text may be."""
_METHODS = (PUBLIC, EXTERNAL, "cfr", "cfr+", "dcfr")
_MADE: WeakKeyDictionary[Game, dict[str, Bucketed]] = WeakKeyDictionary()


def strategy_of(game: Game, text: str, seed: int = 0) -> Bucketed:
    """The strategy of both players that a text names; equal texts are computed once for a game.

    Args:
        seed: of what is random and has no seed of its own.

    Raises:
        InputError: no such strategy.
    """
    known = _MADE.setdefault(game, {})
    key = f"{seed} {text}"
    if key not in known or text.endswith(ENDING):  # a file may have changed
        known[key] = _made(game, text, seed)
    return known[key]


def _made(game: Game, text: str, seed: int) -> Bucketed:
    head, _, rest = text.partition(":")
    if text.endswith(ENDING) and head != "shuffle":
        return load(Path(text), game)[1].play
    if head in _HEADS:
        return _HEADS[head](game, text, rest, seed)
    raise InputError(f"in Flop Hold'em there is no opponent '{text}'; there are {', '.join(GRAMMAR)}")


def _uniform(game: Game, text: str, rest: str, seed: int) -> Bucketed:  # noqa: ARG001 - one shape for all
    if rest:
        raise InputError(f"'{text}': uniform takes no options")
    return uniform(game)


def _blueprint(game: Game, text: str, rest: str, seed: int) -> Bucketed:  # noqa: ARG001
    options = Options.read(text)
    options.allow(("buckets", "iterations", "method", "seed"))
    buckets, iterations = options.whole("buckets", 200, least=1), options.whole("iterations", 4000, least=1)
    own = options.whole("seed", 0) or 0
    method = options.one_of("method", _METHODS, PUBLIC)
    return blueprint(game, cluster(game.flops, buckets or 200), method=method, iterations=iterations, seed=own).play


def _shuffled(game: Game, text: str, rest: str, seed: int) -> Bucketed:
    words, colon, inner = rest.partition(":")
    share, comma, own = words.partition(",")
    try:
        chance = float(share)
    except ValueError:
        chance = -1.0
    if not colon or not inner or not 0.0 <= chance <= 1.0 or (comma and not own.isdecimal()):
        raise InputError(f"'{text}' is not shuffle:SHARE[,SEED]:OPPONENT with a share from 0 to 1")
    return shuffled(game, strategy_of(game, inner, seed), chance, np.random.default_rng(int(own) if own else seed))


_HEADS: dict[str, Callable[[Game, str, str, int], Bucketed]] = {
    "uniform": _uniform,
    BLUEPRINT: _blueprint,
    "shuffle": _shuffled,
}
