"""Models of the opponent by a short text: `uniform`, `cfr+:10`, `noise:0.2:nash`, `s1`, a file, a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterplay.catalogue import OPPONENTS
from counterplay.errors import InputError, check_nesting
from counterplay.games.kernel_rules import FastGame
from counterplay.games.plugin import called, is_plugin
from counterplay.games.policy import policy_of
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents import actors, from_code, from_hands, noise, spot_models
from counterplay.opponents.biased import bias_actions
from counterplay.opponents.leduc import HEURISTICS, heuristic
from counterplay.opponents.text_forms import CHANGED, HEADS, answered, changed, draws, no_opponent, snapshot
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.spots.spot_game import as_spot_game as spot_game
from counterplay.problem.solvable_game import as_compiled
from counterplay.solvers.best_response import best_response
from counterplay.solvers.equilibrium import equilibrium
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import load as load_file

GRAMMAR = OPPONENTS
"""The forms of an opponent's text, each with what it means."""


_STRATEGIES = (".json", ".cps")
_BATTLESHIPS = ("even", "odd", "last")
_PIECE = 256


def opponent(game: Any, source: Any, player: int = 1, seed: int = 0) -> Strategy:
    """A model of `player` in `game`.

    Args:
        game: from `load`; or a spot of hold'em, where a function gets a path and a hand (see `ranged.from_hands`), and
            another solved spot is an opponent too.
        source: a text (see `GRAMMAR`), a path, a function from infoset and actions to probabilities, an object with
            OpenSpiel's `action_probabilities(state)`, a bot with `sample(state, rng)`, of whom `actors.DRAWS` draws at every
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
        return spot_models.from_solution(spot, source, player)
    if isinstance(source, Strategy):
        if source.tree is not game.trees[player]:
            raise InputError(f"that is not a strategy of player {player} in {game.name}")
        return source
    if isinstance(source, Path):
        if spot and spot_models.is_file(source.name):
            return spot_models.from_file(spot, str(source), player)
        found = load_file(game.trees[player], source, game.name)
        return spot.dealt(found) if spot else found
    if isinstance(source, str):
        check_nesting(source)
        made = _by_text(game, source, player, seed)
        return replace(made, facts={"game": game.name, "method": source, **made.facts})
    if hasattr(source, "action_probabilities"):
        return from_code.from_policy(game, source, player)
    if hasattr(source, "sample") or hasattr(source, "odds"):
        return from_code.from_actor(game, actors.actor(game.rules, source), player)
    if spot and callable(source):
        return spot_models.from_hands(spot, source, player)
    if callable(source):
        return from_code.from_function(game, source, player)
    raise InputError(f"an opponent must be a text, a path, a function or a policy, not {type(source).__name__}")


def is_strategy_text(rules: Any, text: str) -> bool:
    """Whether a text means the same strategy of a game at any time: neither a file nor somebody's code stands in it. That is
    what a text from a file must be: then nothing is opened or imported because of it."""
    if text.endswith(_STRATEGIES) or spot_models.is_file(text):
        return False
    head, _, rest = text.partition(":")
    while head in CHANGED or head == "br":
        text = rest.partition(":")[2] if head in CHANGED else rest
        head, _, rest = text.partition(":")
    if isinstance(rules, FastGame) and policy_of(rules, text) is not None:
        return True
    return text in ("uniform", "nash", *HEURISTICS) or head in ("random", *MINIMISERS)


def _by_text(game: GameTree | SpotGame, text: str, player: int, seed: int) -> Strategy:
    """The strategy of a text; a player who is dealt from a range stays so."""
    if not isinstance(game, SpotGame):
        return _made(game, text, player, seed)
    if spot_models.is_file(text):
        return spot_models.from_file(game, text, player)
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
    if text.endswith(_STRATEGIES) and head not in CHANGED:
        return load_file(tree, Path(text), game.name)
    if text == "uniform":
        return Strategy.uniform(tree)
    if text == "nash":
        return Strategy.from_plan(tree, equilibrium(game.subgame).plans[player])
    if text in HEURISTICS:
        return heuristic(game, text, player)
    if head in MINIMISERS:
        return _checkpoint(game, head, rest, player)
    if head == "random":
        return noise.dirichlet(tree, *draws(rest or str(seed)))
    if head in CHANGED:
        how, inner = changed(text)
        return _CHANGED[head](game, _by_text(game, inner, player, seed), how, seed)
    if head == "br":
        return _best_response(game, answered(rest), player, seed)
    if (known := _of_game(game, text)) is not None:
        return from_code.from_actor(game, known, player)
    if head in _BATTLESHIPS:
        raise InputError(f"{text} plays battleships, not {game.name}")
    if not is_plugin(text, HEADS):
        raise no_opponent(text)
    found = called(text, "opponent", HEADS)
    if hasattr(found, "sample"):
        return from_code.from_actor(game, actors.actor(game.rules, found), player)
    return from_code.from_function(game, found, player)


def _of_game(game: GameTree, text: str) -> actors.Policy | None:
    """An opponent whom the game itself knows."""
    if isinstance(game, SpotGame):
        return None
    return policy_of(game.rules, text) if isinstance(game.rules, FastGame) else None


def _best_response(game: GameTree, inner: str, player: int, seed: int) -> Strategy:
    other = _by_text(game, inner, 1 - player, seed)
    return Strategy(game.trees[player], best_response(game.subgame, player, other.plan).behaviour)


def _checkpoint(game: GameTree, head: str, rest: str, player: int) -> Strategy:
    asked = snapshot(head, rest)
    chosen = minimiser(asked.method)
    if asked.simultaneous:
        chosen = replace(chosen, alternating=False)
    iterates = Iterates(game.subgame, chosen)
    while iterates.done < asked.iterations:  # in pieces, between which Ctrl-C is heard
        iterates.advance(min(_PIECE, asked.iterations - iterates.done))
    plans = iterates.current() if asked.current else iterates.average()
    return Strategy.from_plan(game.trees[player], plans[player], {"method": f"{head}:{rest}"})


def _noisy(game: GameTree, inner: Strategy, weight: float, seed: int) -> Strategy:  # noqa: ARG001 - one shape for all
    return noise.mix_with_uniform(inner, weight)


def _shuffled(game: GameTree, inner: Strategy, how: tuple[Any, int | None], seed: int) -> Strategy:  # noqa: ARG001
    share, own = how
    return noise.shuffle_probabilities(inner, share, seed if own is None else own)


def _biased(game: GameTree, inner: Strategy, factors: dict[str, float], seed: int) -> Strategy:  # noqa: ARG001
    if isinstance(game, SpotGame):
        return spot_models.bias_actions(game, inner, factors)
    return bias_actions(inner, factors)


def _observed(game: GameTree, inner: Strategy, how: tuple[Any, int | None], seed: int) -> Strategy:
    hands, own = how
    return from_hands.observe(game, inner, hands, seed if own is None else own)


_CHANGED: dict[str, Callable[[GameTree, Strategy, Any, int], Strategy]] = {
    "noise": _noisy,
    "shuffle": _shuffled,
    "observed": _observed,
    "bias": _biased,
}
