"""Strategies of Flop Hold'em by a short text: opponents, models and blueprints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.agents.options import Options
from counterplay.catalogue import FHP_OPPONENTS, heads
from counterplay.errors import InputError, check_nesting, quoted, unknown
from counterplay.opponents.bias import factors_of
from counterplay.opponents.whole_game import STYLES, bias_actions, play_style
from counterplay.poker.whole_game.abstraction.buckets import cluster
from counterplay.poker.whole_game.best_response import best_response
from counterplay.poker.whole_game.blueprints.blueprint import EXTERNAL, PUBLIC, blueprint, shuffle_blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import ENDING, load
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, uniform

BLUEPRINT = "blueprint"
GRAMMAR = FHP_OPPONENTS
"""What a text may be."""
_METHODS = (PUBLIC, EXTERNAL, "cfr", "cfr+", "dcfr")
_MADE: WeakKeyDictionary[HoldemGame, dict[str, BlueprintStrategy]] = WeakKeyDictionary()


def strategy_of(game: HoldemGame, text: str, seed: int = 0) -> BlueprintStrategy:
    """The strategy of both players that a text names; equal texts are computed once for a game.

    Args:
        seed: of what is random and has no seed of its own.

    Raises:
        InputError: no such strategy.
    """
    check_nesting(text)
    known = _MADE.setdefault(game, {})
    key = f"{seed} {text}"
    if key not in known or text.endswith(ENDING):  # a file may have changed
        known[key] = _made(game, text, seed)
    return known[key]


def check_strategy(game: HoldemGame, text: str, seed: int = 0) -> None:  # noqa: ARG001 - called in place of `strategy_of`
    """Refuse, without any work, a text that names no strategy.

    Raises:
        InputError: as in `strategy_of`, but for what only a file's content, or actions that nobody has, tell.
    """
    check_nesting(text)
    head, _, rest = text.partition(":")
    if text.endswith(ENDING) and head not in _HEADS:
        if not Path(text).is_file():
            raise InputError(f"cannot read {text}: there is no such file")
    elif text in STYLES or text == "uniform":
        return
    elif head == BLUEPRINT:
        _blueprint_options(text)
    elif head == "shuffle":
        check_strategy(game, _shuffle_words(text, rest)[0])
    elif head == "bias":
        check_strategy(game, _bias_words(text, rest)[0])
    elif head == "br" and rest:
        check_strategy(game, rest)
    elif head in _HEADS:
        _HEADS[head](game, text, rest, 0)  # refuses at once
    else:
        raise _unknown(text)


def _unknown(text: str) -> InputError:
    return unknown("opponent", text, heads(GRAMMAR), listed=GRAMMAR, where="in Flop Hold'em ")


def _made(game: HoldemGame, text: str, seed: int) -> BlueprintStrategy:
    head, _, rest = text.partition(":")
    if text.endswith(ENDING) and head not in _HEADS:
        return load(Path(text), game)[1].play
    if text in STYLES:
        return play_style(game, text)
    if head in _HEADS:
        return _HEADS[head](game, text, rest, seed)
    raise _unknown(text)


def _uniform(game: HoldemGame, text: str, rest: str, seed: int) -> BucketedStrategy:  # noqa: ARG001 - one shape for all
    if text != "uniform":
        raise InputError(f"'{text}': uniform takes no options")
    return uniform(game)


def _blueprint_options(text: str) -> tuple[int, int, int, str]:
    """Buckets, iterations, seed and method."""
    options = Options.read(text)
    options.allow(("buckets", "iterations", "method", "seed"))
    buckets, iterations = options.whole("buckets", 200, least=1), options.whole("iterations", 4000, least=1)
    own = options.whole("seed", 0) or 0
    return buckets or 200, iterations or 4000, own, options.one_of("method", _METHODS, PUBLIC)


def _blueprint(game: HoldemGame, text: str, rest: str, seed: int) -> BucketedStrategy:  # noqa: ARG001
    buckets, iterations, own, method = _blueprint_options(text)
    return blueprint(game, cluster(game.flops, buckets), method=method, iterations=iterations, seed=own).play


def _shuffle_words(text: str, rest: str) -> tuple[str, float, int | None]:
    """Who is changed, with which chance, and by which seed."""
    words, colon, inner = rest.partition(":")
    share, comma, own = words.partition(",")
    try:
        chance = float(share)
    except ValueError:
        chance = -1.0
    if not colon or not inner or not 0.0 <= chance <= 1.0 or (comma and not own.isdecimal()):
        raise InputError(f"'{text}' is not shuffle:SHARE[,SEED]:OPPONENT with a share from 0 to 1")
    return inner, chance, int(own) if own else None


def _shuffled(game: HoldemGame, text: str, rest: str, seed: int) -> BucketedStrategy:
    inner, chance, own = _shuffle_words(text, rest)
    base = _by_buckets(game, text, inner, seed)
    return shuffle_blueprint(game, base, chance, np.random.default_rng(seed if own is None else own))


def _bias_words(text: str, rest: str) -> tuple[str, dict[str, float]]:
    """Who is changed, and how."""
    words, colon, inner = rest.partition(":")
    if not colon or not inner:
        raise InputError(f"'{text}' is not bias:ACTION=FACTOR:OPPONENT")
    return inner, factors_of(words)


def _biased(game: HoldemGame, text: str, rest: str, seed: int) -> BucketedStrategy:
    inner, factors = _bias_words(text, rest)
    return bias_actions(game, _by_buckets(game, text, inner, seed), factors)


def _best(game: HoldemGame, text: str, rest: str, seed: int) -> BlueprintStrategy:
    if not rest:
        raise InputError(f"'{text}' is not br:OPPONENT")
    return best_response(game, strategy_of(game, rest, seed))


def _by_buckets(game: HoldemGame, text: str, inner: str, seed: int) -> BucketedStrategy:
    """A strategy whose tables can be changed."""
    found = strategy_of(game, inner, seed)
    if not isinstance(found, BucketedStrategy):
        raise InputError(f"'{text}': only a strategy that is kept by buckets can be changed, not {quoted(inner)}")
    return found


_HEADS: dict[str, Callable[[HoldemGame, str, str, int], BlueprintStrategy]] = {
    "uniform": _uniform,
    BLUEPRINT: _blueprint,
    "shuffle": _shuffled,
    "bias": _biased,
    "br": _best,
}
