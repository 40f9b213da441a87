"""User code as an opponent: a function, an OpenSpiel policy, a bot, from Python or by its text `module:name`; and opponents
that a game itself provides, by its own words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self
from weakref import WeakKeyDictionary

from counterplay.errors import InputError, quoted, reason
from counterplay.games.formats.openspiel import OpenSpielGame
from counterplay.games.game import Game
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, policy_of
from counterplay.games.spec_text import called, import_object
from counterplay.opponents.model import MODELS, Actor, AnyGame, Bot, FunctionActor, OpponentModel
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.lines import LineBlueprint
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.strategies.strategy_makers import decision_rows, situations
from counterplay.treeplex.strategy import Strategy, checked_row


@dataclass(frozen=True)
class UserCode(OpponentModel):
    """An opponent from user code. source: a function of infoset (and actions), in a spot of path and hand (and
    actions); an object with OpenSpiel's `action_probabilities(state)`; a bot with `sample(state, rng)`; an object with
    `odds(game, state)`; or the text `module:name` of one of these, which in a spot is called with the infoset."""

    source: Any

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(text)

    def __str__(self) -> str:
        return self.source if isinstance(self.source, str) else f"<{name_of(self.source)}>"

    def make(self, game: Any, player: int, seed: int) -> Strategy:  # noqa: ARG002
        found = self._found(game.rules)
        if hasattr(found, "action_probabilities"):
            if not isinstance(game.rules, OpenSpielGame):
                raise InputError(f"an OpenSpiel policy needs the game loaded as openspiel:..., not {game.name}")
            return strategy_of_actor(game, _PolicyActor(name_of(found), found), player)
        if hasattr(found, "sample") or hasattr(found, "odds"):
            return strategy_of_actor(game, _actor(found), player)
        by_path = not game.lists_histories and not isinstance(self.source, str)
        if not callable(found):
            raise InputError("an opponent must be a function from infoset to probabilities")
        actor, tree = FunctionActor(name_of(found), found, 2 if by_path else 1), game.trees[player]
        if not by_path:
            listed = zip(tree.labels.infosets, tree.labels.actions, strict=True)
            return Strategy.from_table(tree, {text: actor.row(text, (text,), actions) for text, actions in listed})
        behaviour = tree.uniform()
        for decision in decision_rows(game, player):
            for known, where in zip(situations(game, decision.node), decision.sequences.T, strict=True):
                text = f"{known[0] or 'the root'} | {known[1]}"
                behaviour[where] = checked_row(text, decision.actions, actor.row(text, known, decision.actions))
        return Strategy(tree, behaviour)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        """A bot of the user's own: a class is called with what stands behind its name, anything else is taken as it is."""
        bot = called(self.source, "opponent", MODELS.registry) if isinstance(self.source, str) else self.source
        if not hasattr(bot, "probabilities") and not hasattr(bot, "street_probabilities"):
            raise InputError(f"{quoted(self)} is no opponent in a whole game of hold'em: it does not answer "
                             "probabilities(line, board, hands)")  # fmt: skip
        return LineBlueprint(game, bot)

    def actor(self, game: Game) -> Actor:
        return _actor(self._found(game))

    def policy(self, game: FastGame) -> Policy | None:
        return policy_of(game, self.source) if isinstance(self.source, str) else None

    def check(self) -> None:
        if isinstance(self.source, str):
            import_object(self.source, "opponent", MODELS.registry)

    def is_fixed(self, rules: Any) -> bool:
        return isinstance(rules, FastGame) and self.policy(rules) is not None

    def _found(self, rules: Any) -> Any:
        """The object itself; for a text, first the game's own opponent of that name."""
        if not isinstance(self.source, str):
            return self.source
        known = self.policy(rules) if isinstance(rules, FastGame) else None
        return called(self.source, "opponent", MODELS.registry) if known is None else known


def name_of(source: Any) -> str:
    """The display name of user code."""
    return str(getattr(source, "name", None) or getattr(source, "__name__", None) or type(source).__name__)


def _actor(source: Any) -> Actor:
    if hasattr(source, "odds"):
        return source  # type: ignore[no-any-return]
    if hasattr(source, "sample"):
        return Bot(name_of(source), source.sample)
    if callable(source):
        return FunctionActor(name_of(source), source)
    raise InputError(f"an opponent must be a text, a function, or have sample(state, rng), not {type(source).__name__}")


@dataclass(frozen=True)
class _PolicyActor:
    """An OpenSpiel policy, in a game that came from OpenSpiel."""

    name: str
    policy: Any

    def odds(self, game: Any, state: Any) -> dict[str, float]:
        player = game.player(state)
        try:
            probabilities = self.policy.action_probabilities(state)
        except Exception as error:
            raise InputError(f"{self.name} failed at {quoted(game.infoset(state, player))}: {reason(error)}") from None
        return {state.action_to_string(player, action): float(odds) for action, odds in probabilities.items()}


def strategy_of_actor(game: Any, actor: Actor, player: int) -> Strategy:
    """The strategy of an actor, called at the first state of each infoset."""
    if not game.lists_histories:
        raise InputError(f"{actor.name} needs states of a game, which {game.name} does not have")
    labels, table = game.trees[player].labels, {}
    for state, infoset, names in zip(game.states(game.first[player]), labels.infosets, labels.actions, strict=True):
        table[infoset] = dict.fromkeys(names, 0.0) | actor.odds(game.rules, state)
    return Strategy.from_table(game.trees[player], table)


_MADE: WeakKeyDictionary[AnyGame, dict[tuple[str, int], Strategy]] = WeakKeyDictionary()
"""Strategies by text and player: portfolios ask for the same ones again and again."""


@dataclass(frozen=True)
class GamePlayer(OpponentModel):
    """An opponent of one game: `even`, `odd` and `last:CELL[,SHARE]` of battleships, and those of a user's game. text:
    as the game reads it."""

    text: str

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(text)

    def __str__(self) -> str:
        return self.text

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        known = self.policy(game.rules) if isinstance(game.rules, FastGame) else None
        if known is None:
            self.check()
            raise InputError(f"{self.text} plays battleships, not {game.name}")
        made = _MADE.setdefault(game, {})
        if (self.text, player) not in made:
            made[self.text, player] = strategy_of_actor(game, known, player)
        return made[self.text, player]

    def policy(self, game: FastGame) -> Policy | None:
        return policy_of(game, self.text)

    def check(self) -> None:
        if self.text.partition(":")[0] not in MODELS.registry:
            raise MODELS.unknown(self.text)

    def is_fixed(self, rules: Any) -> bool:
        return isinstance(rules, FastGame) and self.policy(rules) is not None
