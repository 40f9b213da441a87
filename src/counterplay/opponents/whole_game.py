"""Strategies of whole games of hold'em by a short text: opponents, models and blueprints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from counterplay.catalogue import FHP_OPPONENTS, heads
from counterplay.errors import InputError, check_nesting, quoted, unknown
from counterplay.opponents.bias import check_met, factors_of, met_by
from counterplay.poker.betting.state import Move
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.best_response import best_response
from counterplay.poker.whole_game.blueprints.blueprint import EXTERNAL, PUBLIC, blueprint, shuffle_blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import ENDINGS, load
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.lines import LineBlueprint
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, normalise_rows, uniform
from counterplay.texts.grammar import split_words

PASSIVE, AGGRESSIVE = STYLES = ("passive", "aggressive")
Factor = Callable[[int, NDArray[Any]], Floats]
"""A betting node and (actions, lanes) probabilities there in; what they are multiplied by out, of a shape that fits."""


def play_style(game: HoldemGame, style: str) -> BucketedStrategy:
    """Who checks and calls everything, or bets and raises as much as the rules allow."""

    def only(node: int, rows: NDArray[Any]) -> Floats:
        moves = [int(game.betting.move[child]) for child in game.betting.children(node)]
        calls = [k for k, move in enumerate(moves) if move in (Move.CHECK, Move.CALL)]
        found = calls[0] if style == PASSIVE else len(moves) - 1
        return np.asarray(np.eye(len(rows))[found][:, None], np.float64)

    return _multiplied(game, uniform(game), only)


def bias_actions(game: HoldemGame, play: BucketedStrategy, factors: Mapping[str, float]) -> BucketedStrategy:
    """A strategy with the probability of some actions multiplied, as `bias.Bias` has it.

    Raises:
        InputError: a beginning that no action has.
    """
    met = set[str]()

    def factor(node: int, rows: NDArray[Any]) -> Floats:
        found = [met_by(name, factors) for name in game.betting.actions(node)]
        met.update(start for start in found if start is not None)
        by = np.array([1.0 if start is None else factors[start] for start in found])[:, None]
        by /= max(1.0, by.max())  # so that sums stay finite
        return np.where((rows * by).sum(axis=0) > 0.0, by, 1.0)

    changed = _multiplied(game, play, factor)
    nodes = (int(row[0]) for side in game.sides for part in side.decisions for row in part)
    check_met(factors, met, (name for node in nodes for name in game.betting.actions(node)))
    return changed


def _multiplied(game: HoldemGame, play: BucketedStrategy, factor: Factor) -> BucketedStrategy:
    """A strategy with the rows of every decision multiplied, and scaled to sum to 1 again."""

    def table(rows: NDArray[Any], decisions: Ints) -> NDArray[Any]:
        out = np.zeros(rows.shape)
        for node, _, first, count in decisions.tolist():
            here = rows[first : first + count]
            out[first : first + count] = here * factor(node, here)
        return normalise_rows(out, decisions).astype(rows.dtype)

    early = [table(rows, side.preflop) for side, rows in zip(game.sides, play.preflop, strict=True)]
    one, two = game.sides
    late = tuple(
        ([table(rows, one.decisions[k]) for rows in pair[0]], [table(rows, two.decisions[k]) for rows in pair[1]])
        for k, pair in enumerate(play.tables, 1)
    )
    return replace(play, preflop=(early[0], early[1]), tables=late)


BLUEPRINT = "blueprint"
GRAMMAR = FHP_OPPONENTS
"""What a text may be."""
_DIGITS = 9
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
    if key not in known or text.endswith(ENDINGS):  # a file may have changed
        known[key] = _made(game, text, seed)
    return known[key]


def seat_strategy(rules: Holdem, source: Any, player: int, seed: int = 0) -> HoldemStrategy:
    """One seat's strategy in a whole game.

    Args:
        source: a text of `GRAMMAR`; a strategy of such a game, of one or both seats; or who answers
            `probabilities(line, board, hands)`.

    Raises:
        InputError: none of these, or of another game.
    """
    if isinstance(source, HoldemStrategy):
        if source.rules is not rules or source.player != player:
            raise InputError(f"a strategy of another game or seat is no model of seat {player} in {rules.name}")
        return source
    if isinstance(source, str):
        check_strategy(rules.game, source, seed)
        return HoldemStrategy(rules, player, strategy_of(rules.game, source, seed), {"method": source})
    if hasattr(source, "preflop") and hasattr(source, "on"):
        return HoldemStrategy(rules, player, source, {"method": type(source).__name__})
    if hasattr(source, "probabilities"):
        return HoldemStrategy(rules, player, LineBlueprint(rules.game, source), {"method": type(source).__name__})
    raise InputError(f"an opponent in {rules.name} is a text or answers probabilities(line, board, hands), and "
                     f"{type(source).__name__} does not")  # fmt: skip


def check_strategy(game: HoldemGame, text: str, seed: int = 0) -> None:  # noqa: ARG001 - called in place of `strategy_of`
    """Refuse, without any work, a text that names no strategy.

    Raises:
        InputError: as in `strategy_of`, but for what only a file's content, or actions that nobody has, tell.
    """
    check_nesting(text)
    head, _, rest = text.partition(":")
    if text.endswith(ENDINGS) and head not in _HEADS:
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
    if text.endswith(ENDINGS) and head not in _HEADS:
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
    words = split_words(text, text.partition(":")[2])
    usual: dict[str, int] = {"buckets": 200, "iterations": 4000, "seed": 0}
    for key in (*words.bare, *words.options):
        if key not in usual and key != "method":
            raise unknown("option", key, (*usual, "method"), lacks=BLUEPRINT)
    for key in usual:
        word, least = words.options.get(key, str(usual[key])), int(key != "seed")
        if not word.isdecimal() or len(word) > _DIGITS or int(word) < least:
            more = " from 1 on" if least else ""
            raise InputError(f"{BLUEPRINT}: {key} must be a whole number{more}, not {quoted(word)}")
        usual[key] = int(word)
    method = words.options.get("method", PUBLIC)
    if method not in _METHODS:
        listed = f"{', '.join(_METHODS[:-1])} or {_METHODS[-1]}"
        raise InputError(f"{BLUEPRINT}: method is {listed}, not {quoted(method)}")
    return usual["buckets"], usual["iterations"], usual["seed"], method


def _blueprint(game: HoldemGame, text: str, rest: str, seed: int) -> BucketedStrategy:  # noqa: ARG001
    buckets, iterations, own, method = _blueprint_options(text)
    lanes = make_buckets(game, (buckets,) * game.last)
    return blueprint(game, lanes, method=method, iterations=iterations, seed=own).play


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
