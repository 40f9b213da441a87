"""Models of the opponent in whole games of hold'em, both seats at once."""

from __future__ import annotations

from typing import Any

from counterplay.errors import InputError
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.lines import LineBlueprint
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy


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
