"""Models of the opponent as records: each gives a strategy for either player, in any game that it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from counterplay.catalogue import OPPONENTS, WHOLE_GAME_OPPONENTS, heads
from counterplay.errors import InputError, quoted, unknown
from counterplay.games.game import Game
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.actors import Actor
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy
from counterplay.texts.record import Record, RecordKind
from counterplay.treeplex.strategy import Strategy

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

    def strategy(self, game: AnyGame, player: int, seed: int = 0) -> Strategy:
        """The strategy of `player` in `game`; in a spot, dealt from the player's range.

        Args:
            game: an enumerated game or a spot.
            player: 0 or 1.
            seed: seed of random models without their own.

        Raises:
            InputError: the model does not fit the game.
        """
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
        """Reject, before it is solved, a spot in which the model cannot be made of a solution by changing frequencies.

        Raises:
            InputError: it is no such model, or does not fit.
        """
        raise InputError(f"{quoted(self)} is no player known from hands or figures: write hands:FILE,player=NAME or "
                         "profile:STATISTIC=PERCENT; other opponents go into `respond`")  # fmt: skip

    def tilt(self, solved: SolvedSpot, seat: int) -> SpotTilt:
        """The player as the smallest change of a solved spot.

        Raises:
            InputError: as in `check_spot`, or the hands do not fit.
        """
        self.check_spot(solved.spot, seat)
        raise NotImplementedError

    def actor(self, game: Game) -> Actor:
        """The model as an actor at any state of a game that need not be in memory.

        Raises:
            InputError: the model needs the whole game.
        """
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
        """Reject a model that fits no game; what depends on the game is checked later.

        Raises:
            InputError: the message names the word, the file or the module.
        """
        if self.base is not None:
            self.base.check()

    def is_fixed(self, rules: Any) -> bool:
        """Return whether it always means the same strategy of a game: it refers to no file and no user code. Models read
        from a file must be fixed, so that reading one opens and imports nothing.
        """
        return self.FIXED and (self.base is None or self.base.is_fixed(rules))


MODELS = RecordKind(
    "opponent", OpponentModel, listed=OPPONENTS, accepts="a text, a path, a table, a function or a policy"
)
"""All models; the registry is in `opponents/__init__.py`."""
