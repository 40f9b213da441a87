"""Models of the opponent as records, each a strategy for either player in any game that it fits; and actors, which act at
any state of games that are not in memory: policies, functions, bots that only draw.
"""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast
from weakref import WeakKeyDictionary

from counterplay.catalogue import OPPONENTS, WHOLE_GAME_OPPONENTS, heads
from counterplay.errors import InputError, quoted, reason, unknown
from counterplay.games.game import Game, action_name
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.compile import GameTree
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy
from counterplay.texts.record import Record, RecordKind
from counterplay.treeplex.strategy import Strategy

DRAWS = 200
"""The number of draws from which a bot's probabilities are estimated."""
_ROUNDING = 1e-6


class Actor(Protocol):
    """The protocol of an opponent that acts at any state of a game."""

    @property
    def name(self) -> str:
        """The text or name of the actor."""

    def odds(self, game: Any, state: Any) -> dict[str, float]:
        """The probability of each action at a state where the actor is to act, by the actions' texts."""


@dataclass(frozen=True)
class FunctionActor:
    """A function as `opponents.opponent` takes it: of so many texts of an infoset, and of its actions' names if it takes
    them."""

    name: str
    function: Callable[..., Any]
    texts: int = 1

    def odds(self, game: Game, state: Any) -> dict[str, float]:
        """The function's probabilities."""
        infoset = game.infoset(state, game.player(state))
        names = tuple(action_name(game, state, action) for action in game.actions(state))
        row = self.row(infoset, (infoset,), names)
        for action in row:
            if action not in names:
                raise InputError(
                    f"{self.name} plays '{action}' at {quoted(infoset)}, where the actions are {', '.join(names)}"
                )
        odds = {action: float(odd) for action, odd in row.items()}
        if not (all(odd >= 0.0 for odd in odds.values()) and abs(sum(odds.values()) - 1.0) <= _ROUNDING):
            raise InputError(f"the probabilities of {self.name} at {quoted(infoset)} must be at least 0 and sum to 1")
        return odds

    def row(self, infoset: str, known: tuple[str, ...], actions: tuple[str, ...]) -> Mapping[str, float]:
        """The function's answer to the known texts of an infoset; a sequence is in the order of the actions."""
        try:
            row = self.function(*known, actions) if self._takes_actions else self.function(*known)
        except Exception as error:
            raise InputError(f"{self.name} failed at {quoted(infoset)}: {reason(error)}") from None
        if isinstance(row, Mapping):
            return row
        try:
            numbers = list(row)
        except TypeError:
            raise InputError(f"the opponent must return probabilities at {quoted(infoset)}, not {row!r}") from None
        if len(numbers) != len(actions):
            raise InputError(
                f"the opponent returned {len(numbers)} probabilities for {len(actions)} actions at {quoted(infoset)}"
            )
        return dict(zip(actions, numbers, strict=True))

    @cached_property
    def _takes_actions(self) -> bool:
        try:
            inspect.signature(self.function).bind(*[""] * self.texts, ())
        except (TypeError, ValueError):
            return False
        return True


@dataclass(frozen=True)
class Bot:
    """An object with `sample(state, rng)`, which returns an action (or its text) without probabilities: these are the
    relative frequencies of `draws` calls, each with its own random numbers."""

    name: str
    sample: Callable[[Any, random.Random], Any]
    draws: int = DRAWS
    seed: int = 0

    def odds(self, game: Game, state: Any) -> dict[str, float]:
        """The relative frequency of each action; actions never taken are missing."""
        actions = list(game.actions(state))
        names = [action_name(game, state, action) for action in actions]
        infoset = game.infoset(state, game.player(state))
        stream = random.Random(f"{self.seed} {infoset}")
        count = Counter[str]()
        for _ in range(self.draws):
            try:
                action = self.sample(state, stream)
            except Exception as error:
                raise InputError(f"{self.name} failed at {quoted(infoset)}: {reason(error)}") from None
            if not (isinstance(action, str) and action in names):
                if action not in actions:
                    raise InputError(
                        f"{self.name} answered {action!r} at {quoted(infoset)}, where the actions are {', '.join(names)}"
                    )
                action = names[actions.index(action)]
            count[action] += 1
        return {name: number / self.draws for name, number in count.items()}


if TYPE_CHECKING:
    from counterplay.opponents.tilting.spot_tilt import SpotTilt
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot

AnyGame = GameTree | SpotGame
CHANGED = "the opponent that it changes"
"""The missing part of a text such as `noise:0.2`."""
_BLUEPRINTS: WeakKeyDictionary[HoldemGame, dict[tuple[int, OpponentModel], BlueprintStrategy]] = WeakKeyDictionary()


class OpponentModel(Record):
    """A model of a player. Models that change another one have it in the field `to`.

    A model defines `make` for games in memory and spots, `make_blueprint` for whole games of hold'em, or both.

    Attributes:
        FIXED: False for models of files and objects, which may change.
    """

    FIXED: ClassVar[bool] = True

    @property
    def inner(self) -> OpponentModel:
        """The opponent that it changes."""
        return cast(OpponentModel, getattr(self, "to"))  # noqa: B009 - a text is a record after construction

    def strategy(self, game: AnyGame, player: int, seed: int = 0) -> Strategy:
        """The strategy of a player in an enumerated game, or in a spot, where it is dealt from the player's range; an
        InputError if the model does not fit the game. seed: of random models without their own."""
        return game.dealt(self.make(game, player, seed))

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """The strategy without the dealt range of a spot."""
        raise InputError(f"{quoted(self)} is an opponent in a whole game of hold'em, not in {game.name}")

    def blueprint(self, game: HoldemGame, seed: int = 0) -> BlueprintStrategy:
        """The strategy of both seats in a whole game of hold'em; equal ones are computed once for a game."""
        known, key = _BLUEPRINTS.setdefault(game, {}), (seed, self)
        if key not in known or not self.is_fixed(None):  # a file may have changed
            known[key] = self.make_blueprint(game, seed)
        return known[key]

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        """The strategy of both seats in a whole game of hold'em."""
        raise NotImplementedError

    def bucketed(self, game: HoldemGame, seed: int) -> BucketedStrategy:
        """The strategy that the model changes in a whole game, which must have tables."""
        base = self.base
        assert base is not None
        made = base.blueprint(game, seed)
        play = made.play if isinstance(made, ObservedStrategy) else made
        if not isinstance(play, BucketedStrategy):
            raise InputError(f"'{self}': only a strategy by buckets can be changed, not {quoted(base)}")
        return play

    @property
    def base(self) -> OpponentModel | None:
        """The model that this one changes or starts from."""
        inner = getattr(self, "to", None)
        return inner if isinstance(inner, OpponentModel) else None

    @property
    def plays_whole_games(self) -> bool:
        """Return whether it plays whole games of hold'em, whatever it changes."""
        return type(self).make_blueprint is not OpponentModel.make_blueprint

    def check_whole_game(self, game: HoldemGame) -> None:
        """Reject, without computing anything, a model that a whole game of hold'em does not support."""
        if not self.plays_whole_games:
            raise unknown("opponent", str(self), heads(WHOLE_GAME_OPPONENTS), listed=WHOLE_GAME_OPPONENTS,
                          where="in whole games of hold'em ")  # fmt: skip
        if self.base is not None:
            self.base.check_whole_game(game)

    def check_spot(self, spot: Spot, seat: int) -> None:  # noqa: ARG002 - for those who know spots
        """Reject, before it is solved, a spot in which the model cannot be made of a solution by changing frequencies."""
        raise InputError(f"{quoted(self)} is no player known from hands or figures: write hands:FILE,player=NAME or "
                         "profile:STATISTIC=PERCENT; other opponents go into `respond`")  # fmt: skip

    def tilt(self, solved: SolvedSpot, seat: int) -> SpotTilt:
        """The player as the smallest change of a solved spot; errors as in `check_spot`, and where hands do not fit."""
        self.check_spot(solved.spot, seat)
        raise NotImplementedError

    def actor(self, game: Game) -> Actor:
        """The model as an actor at any state of a game; an InputError if it needs the whole game in memory."""
        known = self.policy(game) if isinstance(game, FastGame) else None
        if known is None:
            raise InputError(
                f"{quoted(self)} needs all of {game.name} in memory; otherwise a model is uniform, one that the game "
                "provides, a function or module:function"
            )
        return known

    def policy(self, game: FastGame) -> Policy | None:  # noqa: ARG002 - most have none
        """The model as a compiled policy; None if it has none."""
        return None

    def check(self) -> None:
        """Reject a model that fits no game and name the culprit; what depends on the game is checked later."""
        if self.base is not None:
            self.base.check()

    def is_fixed(self, rules: Any) -> bool:
        """Return whether it always means the same strategy of a game: it refers to no file and no user code. Models read
        from a file must be fixed, so that reading one opens and imports nothing."""
        return self.FIXED and (self.base is None or self.base.is_fixed(rules))


MODELS = RecordKind(
    "opponent", OpponentModel, listed=OPPONENTS, accepts="a text, a path, a table, a function or a policy"
)
"""All models; the registry is in `opponents/__init__.py`."""
