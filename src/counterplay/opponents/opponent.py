"""The public entries: a strategy of the opponent from a record, its text, or any other description of a player; in whole
games of hold'em of both seats at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from counterplay.errors import InputError
from counterplay.games.game import Game
from counterplay.opponents.model import MODELS, Actor, OpponentModel
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.lines import LineBlueprint
from counterplay.poker.whole_game.strategy import BlueprintStrategy, HoldemStrategy
from counterplay.problem.solvable_game import as_compiled, as_game, by_kind
from counterplay.result import ResultRecord
from counterplay.texts.arguments import SEAT, SEED, takes
from counterplay.treeplex.strategy import Strategy


def strategy_of(game: HoldemGame, source: str | OpponentModel, seed: int = 0) -> BlueprintStrategy:
    """The strategy of both players of a model or its text (`catalogue.WHOLE_GAME_OPPONENTS`). seed: of random models without
    their own."""
    model = MODELS.record(source)
    model.check_whole_game(game)
    return model.blueprint(game, seed)


def check_strategy(game: HoldemGame, source: str | OpponentModel, seed: int = 0) -> None:  # noqa: ARG001 - as `strategy_of`
    """Reject, without computing anything, an invalid strategy; what only a file's content tells is checked later."""
    model = MODELS.record(source)
    model.check_whole_game(game)
    model.check()


def seat_strategy(rules: Holdem, source: Any, player: int, seed: int = 0) -> HoldemStrategy:
    """One seat's strategy in a whole game: of a model or its text, of a strategy of such a game (of one or both seats), or
    of an object with `probabilities(line, board, hands)`. seed: of random models without their own."""
    if isinstance(source, HoldemStrategy):
        if source.rules is not rules or source.player != player:
            raise InputError(f"a strategy of another game or seat cannot be a model of seat {player} in {rules.name}")
        return source
    if isinstance(source, str | OpponentModel):
        check_strategy(rules.game, source)
        facts = {"method": str(source), "text": str(source)}
        return HoldemStrategy(rules, player, strategy_of(rules.game, source, seed), facts)
    if hasattr(source, "preflop") and hasattr(source, "on"):
        return HoldemStrategy(rules, player, source, {"method": type(source).__name__})
    if hasattr(source, "probabilities"):
        return HoldemStrategy(rules, player, LineBlueprint(rules.game, source), {"method": type(source).__name__})
    raise InputError(f"an opponent in {rules.name} is a text or answers probabilities(line, board, hands), and "
                     f"{type(source).__name__} does not")  # fmt: skip


def played_in(source: Any, player: int) -> Any:
    """The strategy in a result: its only one, or that of a player; a solved spot, which may have other ranges than the game,
    and anything else as they are."""
    if not isinstance(source, ResultRecord) or isinstance(source, SolvedSpot):
        return source
    both = getattr(source, "strategies", None)
    return getattr(source, "strategy", source) if both is None else both[player]


@takes(player=SEAT, seed=SEED)
def opponent(game: Any, source: Any, player: int = 1, seed: int = 0) -> Strategy:
    """A model of `player` in `game`.

    Args:
        game: from `load`; or a spot of hold'em.
        source: a result, such as that of `solve` or `respond`;
            a record such as `Noise(0.5, Nash())`, or its text (see `catalogue.OPPONENTS`); a path; a `Strategy`; a
            mapping from infosets to {action: probability}; a function from infoset (and actions) to probabilities, in a
            spot from path and hand; an object with OpenSpiel's `action_probabilities(state)`; a bot with `sample(state,
            rng)`, whose frequencies over `model.DRAWS` draws at every infoset are the strategy; in a spot, another
            solved one.
        player: the seat of the opponent: 0 or 1.
        seed: seed of random opponents without their own.

    In a whole game of hold'em the model is a `HoldemStrategy`: from a text (`catalogue.WHOLE_GAME_OPPONENTS`), or from an
    object with `probabilities(line, board, hands)` (`poker.whole_game.strategies.lines`).

    Raises:
        InputError: not an opponent, or one that does not fit the game; the message names the infoset.
    """
    game, source = as_game(game), played_in(source, player)
    return by_kind(MAKERS, game, _in_compiled_game)(game, source, player, seed)


def _in_compiled_game(game: Any, source: Any, player: int, seed: int) -> Strategy:
    """In a game that is in memory as a whole, or a spot."""
    game = as_compiled(game)
    made = MODELS.record(source).strategy(game, player, seed)
    if not isinstance(source, str | OpponentModel):
        return made
    return replace(made, facts={"game": game.name, "method": str(source), **made.facts})


MAKERS: dict[type, Callable[[Any, Any, int, int], Any]] = {Holdem: seat_strategy}
"""What makes a strategy of a source, a player and a seed, by the kind of the game; other games are compiled."""


def actor(game: Game, source: Any) -> Actor:
    """The actor that `source` describes, at any state of a game that need not be in memory. source: a record or a text:
    `uniform`, one that the game itself provides, `noise:WEIGHT:` before these, `module:name`; a function of infoset and
    actions, an object with `sample(state, rng)` or with `odds(game, state)`."""
    return MODELS.record(source).actor(game)


def check_text(text: str) -> None:
    """Reject a text that is not an opponent in any game; what depends on the game is checked later."""
    MODELS.parse(text).check()


def is_strategy_text(rules: Any, text: str) -> bool:
    """Return whether a text always means the same strategy of a game (see `OpponentModel.is_fixed`)."""
    try:
        return MODELS.parse(text).is_fixed(rules)
    except InputError:
        return False
