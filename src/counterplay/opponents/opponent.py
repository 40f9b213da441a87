"""Models of the opponent by a short text: `uniform`, `cfr+:10`, `noise:0.2:nash`, `s1`, a file, a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterplay.errors import InputError
from counterplay.games.plugin import imported
from counterplay.games.policy import policy_of
from counterplay.games.rules import FastGame
from counterplay.opponents import acting, changed, noise, observed, policies, ranged
from counterplay.opponents.leduc import HEURISTICS, heuristic
from counterplay.poker.ranged import Ranged
from counterplay.poker.ranged import ranged as spot_game
from counterplay.poker.solved import SolvedSpot
from counterplay.solvers.best_response import best_response
from counterplay.solvers.equilibrium import equilibrium
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.subgames.compile import GameTree
from counterplay.subgames.compiled import as_compiled
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import load as load_file
from counterplay.treeplex.treeplex import Treeplex

GRAMMAR = {
    "uniform": "every action alike",
    "random[:SEED[,ALPHA]]": "drawn from a Dirichlet distribution at every infoset (ALPHA 1: all strategies alike)",
    "nash": "an equilibrium strategy",
    "METHOD:N": "the average after N iterations of cfr, cfr+, dcfr, pcfr+ or pdcfr+; `,current` for the last strategy, "
    "`,simultaneous` where both players move at once",
    "noise:WEIGHT:OPPONENT": "another opponent who plays uniformly with probability WEIGHT at every infoset",
    "shuffle:SHARE[,SEED]:OPPONENT": "another opponent; a SHARE of the infosets has its probabilities multiplied by "
    "random numbers and scaled to sum to 1",
    "observed:HANDS[,SEED]:OPPONENT": "a model made from that many observed hands of another opponent",
    "s1, s2, s3, s4": "the Leduc players of the ABD paper: passive in one round, aggressive in the other",
    "passive, aggressive": "the Leduc players who are so in both rounds",
    "br:OPPONENT": "a best response to another opponent, who sits in the other seat",
    "bias:ACTION=FACTOR[,...]:OPPONENT": "another opponent who takes those actions FACTOR times as readily; a beginning of "
    "the action's name will do",
    "even, odd, last:CELL[,SHARE]": "shoot uniformly in battleships: at the cells of one colour first; at that cell last, "
    "or with probability SHARE at every shot",
    "FILE.json, FILE.cps": "a strategy file",
    "MODULE:FUNCTION": "your own function from infoset (and actions) to probabilities, or a bot with sample(state, rng)",
}
"""The forms of an opponent's text, each with what it means."""


_BATTLESHIPS = ("even", "odd", "last")
_PIECE = 256
_DIGITS = 18
"""Longest whole number that is read; it fits 64 bits."""


def opponent(game: Any, source: Any, player: int = 1, seed: int = 0) -> Strategy:
    """A model of `player` in `game`.

    Args:
        game: from `load`; or a spot of hold'em, where a function gets a path and a hand (see `ranged.from_hands`), and
            another solved spot is an opponent too.
        source: a text (see `GRAMMAR`), a path, a function from infoset and actions to probabilities, an object with
            OpenSpiel's `action_probabilities(state)`, a bot with `sample(state, rng)`, of whom `acting.DRAWS` draws at every
            infoset are taken as the strategy, or a `Strategy`.
        player: the seat of the opponent: 0 or 1.
        seed: of random opponents whose text names none.

    Raises:
        InputError: not such an opponent, or one that does not fit the game, naming the infoset.
    """
    if player not in (0, 1):
        raise InputError(f"the opponent's seat must be 0 or 1, not {player}")
    spot = spot_game(game)
    game = spot or as_compiled(game)
    if spot and isinstance(source, SolvedSpot):
        return ranged.from_solution(spot, source, player)
    if isinstance(source, Strategy):
        if source.tree is not game.trees[player]:
            raise InputError(f"that is not a strategy of player {player} in {game.name}")
        return source
    if isinstance(source, Path):
        if spot and ranged.is_file(source.name):
            return ranged.from_file(spot, str(source), player)
        found = load_file(game.trees[player], source)
        return spot.dealt(found) if spot else found
    if isinstance(source, str):
        made = _by_text(game, source, player, seed)
        return replace(made, facts={"game": game.name, "method": source, **made.facts})
    if hasattr(source, "action_probabilities"):
        return policies.from_policy(game, source, player)
    if hasattr(source, "sample") or hasattr(source, "odds"):
        return policies.from_actor(game, acting.actor(game.rules, source), player)
    if spot and callable(source):
        return ranged.from_hands(spot, source, player)
    if callable(source):
        return policies.from_function(game, source, player)
    raise InputError(f"an opponent must be a text, a path, a function or a policy, not {type(source).__name__}")


def is_fixed(rules: Any, text: str) -> bool:
    """Whether a text means the same strategy of a game at any time: neither a file nor somebody's code stands in it."""
    head, _, rest = text.partition(":")
    while head in _CHANGED or head == "br":
        text = rest.partition(":")[2] if head in _CHANGED else rest
        head, _, rest = text.partition(":")
    if isinstance(rules, FastGame) and policy_of(rules, text) is not None:
        return True
    return text in ("nash", *HEURISTICS) or head in ("random", *MINIMISERS)


def _by_text(game: GameTree | Ranged, text: str, player: int, seed: int) -> Strategy:
    """The strategy of a text; a player who is dealt from a range stays so."""
    if not isinstance(game, Ranged):
        return _made(game, text, player, seed)
    if ranged.is_file(text):
        return ranged.from_file(game, text, player)
    if text in HEURISTICS:
        raise InputError(f"{text} plays leduc, not {game.name}")
    if text == "nash":
        return game.dealt(Strategy.from_plan(game.trees[player], game.equilibrium().plans[player]))
    if text.partition(":")[0] == "observed":
        raise InputError(f"hands of {game.name} cannot be observed, for its opponent is a range")
    spot: Any = game  # it has the members of a compiled game that are asked for
    return game.dealt(_made(spot, text, player, seed))


def _made(game: GameTree, text: str, player: int, seed: int) -> Strategy:
    head, _, rest = text.partition(":")
    tree = game.trees[player]
    if text.endswith((".json", ".cps")) and head not in _CHANGED:
        return load_file(tree, Path(text))
    if text == "uniform":
        return Strategy.uniform(tree)
    if text == "nash":
        return Strategy.from_plan(tree, equilibrium(game.subgame).plans[player])
    if text in HEURISTICS:
        return heuristic(game, text, player)
    if head in MINIMISERS:
        return _checkpoint(game, head, rest, player)
    if head == "random":
        return _random(tree, rest or str(seed))
    if head in _CHANGED:
        words, colon, inner = rest.partition(":")
        if not colon:
            raise InputError(f"'{text}' lacks the opponent that it changes, as in {head}:{words or '0.2'}:uniform")
        return _CHANGED[head](game, _by_text(game, inner, player, seed), words, seed)
    if head == "br":
        return _best_response(game, rest, player, seed)
    if (known := _of_game(game, text)) is not None:
        return policies.from_actor(game, known, player)
    if head in _BATTLESHIPS:
        raise InputError(f"{text} plays battleships, not {game.name}")
    if rest:
        found = imported(text, "opponent")
        if hasattr(found, "sample"):
            return policies.from_actor(game, acting.actor(game.rules, text), player)
        return policies.from_function(game, found, player)
    raise InputError(f"there is no opponent '{text}'; opponents are {', '.join(GRAMMAR)}")


def _of_game(game: GameTree, text: str) -> acting.Policy | None:
    """An opponent whom the game itself knows."""
    if isinstance(game, Ranged):
        return None
    return policy_of(game.rules, text) if isinstance(game.rules, FastGame) else None


def _best_response(game: GameTree, inner: str, player: int, seed: int) -> Strategy:
    if not inner:
        raise InputError("'br' lacks the opponent that it responds to, as in br:uniform")
    other = _by_text(game, inner, 1 - player, seed)
    return Strategy(game.trees[player], best_response(game.subgame, player, other.plan).behaviour)


def _checkpoint(game: GameTree, method: str, rest: str, player: int) -> Strategy:
    parameters, colon, end = rest.rpartition(":")  # dcfr:1.5,0,2:100 has parameters of the method in front
    method = f"{method}:{parameters}" if colon else method
    words = end.split(",")
    flags = set(words[1:])
    iterations = _whole(method, "iterations", words[0])
    if unknown := flags - {"current", "simultaneous"}:
        raise InputError(f"{method}:{rest}: '{min(unknown)}' is not one of current, simultaneous")
    chosen = minimiser(method)
    if "simultaneous" in flags:
        chosen = replace(chosen, alternating=False)
    iterates = Iterates(game.subgame, chosen)
    while iterates.done < iterations:  # in pieces, between which Ctrl-C is heard
        iterates.advance(min(_PIECE, iterations - iterates.done))
    plans = iterates.current() if "current" in flags else iterates.average()
    return Strategy.from_plan(game.trees[player], plans[player], {"method": f"{method}:{end}"})


def _random(tree: Treeplex, rest: str) -> Strategy:
    words = rest.split(",")
    if len(words) > 2:
        raise InputError(f"random takes a seed and perhaps an alpha, as in random:7 or random:7,0.5, not '{rest}'")
    alpha = _positive("random", "alpha", words[1]) if len(words) == 2 else 1.0
    return noise.dirichlet(tree, _whole("random", "the seed", words[0]), alpha)


def _noisy(game: GameTree, inner: Strategy, words: str, seed: int) -> Strategy:  # noqa: ARG001 - one shape for all
    return noise.mixed(inner, _share("noise", "the weight", words))


def _shuffled(game: GameTree, inner: Strategy, words: str, seed: int) -> Strategy:  # noqa: ARG001
    share, _, own = words.partition(",")
    return noise.shuffled(inner, _share("shuffle", "the share", share), _whole("shuffle", "the seed", own or f"{seed}"))


def _biased(game: GameTree, inner: Strategy, words: str, seed: int) -> Strategy:  # noqa: ARG001
    factors = changed.factors_of(words)
    if isinstance(game, Ranged):
        return ranged.biased(game, inner, factors)
    return changed.biased(inner, factors)


def _observed(game: GameTree, inner: Strategy, words: str, seed: int) -> Strategy:
    hands, _, own = words.partition(",")
    chosen = _whole("observed", "the seed", own or f"{seed}")
    return observed.observe(game, inner, _whole("observed", "hands", hands, least=1), chosen)


_CHANGED: dict[str, Callable[[GameTree, Strategy, str, int], Strategy]] = {
    "noise": _noisy,
    "shuffle": _shuffled,
    "observed": _observed,
    "bias": _biased,
}


def _whole(name: str, what: str, text: str, least: int = 0) -> int:
    if len(text) > _DIGITS:
        raise InputError(f"{name}: {what} must have at most {_DIGITS} digits, not {len(text)}")
    if not text.isdecimal() or int(text) < least:
        raise InputError(f"{name}: {what} must be a whole number from {least} on, not '{text}'")
    return int(text)


def _number(name: str, what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{name}: {what} must be a number, not '{text}'") from None


def _share(name: str, what: str, text: str) -> float:
    number = _number(name, what, text)
    if not 0.0 <= number <= 1.0:
        raise InputError(f"{name}: {what} must be between 0 and 1, not {text}")
    return number


def _positive(name: str, what: str, text: str) -> float:
    number = _number(name, what, text)
    if not 0.0 < number < float("inf"):
        raise InputError(f"{name}: {what} must be above 0, not {text}")
    return number
