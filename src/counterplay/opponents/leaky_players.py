"""Players with leaks: the equilibrium but for the nodes that a file of leaks locks, or with the smallest change that
meets figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Self

from counterplay.errors import InputError, SeatError, quoted
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.opponents.reference_players import Nash
from counterplay.opponents.tilting.spot_situations import statistic_classes
from counterplay.opponents.tilting.spot_tilt import SpotTilt, spot_from_figures
from counterplay.opponents.tilting.tendencies import tilt_game
from counterplay.opponents.villain.seen_decisions import STATISTICS, WENT, WON
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.leak_match import check_leaks, opponent_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.strategies.spot_reference import locked_strategy, spot_of, spot_reference
from counterplay.texts.grammar import cut, split_pairs
from counterplay.texts.readers import NumberPairs
from counterplay.treeplex.strategy import Strategy

DECIDED = tuple(name for name in STATISTICS if name not in (WENT, WON))
"""The statistics that are counted decision by decision, which alone can be asked for."""


@dataclass(frozen=True)
class Locked(OpponentModel):
    """A player with the leaks of a file who plays the equilibrium everywhere else. A line with `trust T` is followed with
    probability T at each of its decisions.

    Attributes:
        file: path of the leaks, in the language of `counterplay spot --lock`.
    """

    HEAD = "lock"
    file: str

    @classmethod
    def from_text(cls, text: str) -> Locked:
        file = text.partition(":")[2]
        if not file:
            raise InputError(f"{quoted(text)} lacks the file of leaks, as in lock:leak.txt")
        return cls(file)

    def __str__(self) -> str:
        return f"{self.HEAD}:{self.file}"

    def make(self, game: Any, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """Raises: InputError: no spot, an unreadable file, or leaks that do not fit: another player's, or other nodes."""
        spot, leaks = spot_of(game, self), Leaks.from_file(self.file)
        check_leaks(leaks, spot)
        if (who := opponent_of(leaks, spot.betting)) != player:
            raise SeatError(
                f"{self.file} has leaks of {PLAYERS[who]}, but the opponent is {PLAYERS[player]}: take the other "
                "seat (--seat)"
            )
        return locked_strategy(lock_nodes(spot_reference(game, self), leaks), game)

    def check(self) -> None:
        Leaks.from_file(self.file)

    def is_fixed(self, rules: object) -> bool:  # noqa: ARG002 - a file may change
        return False


def figures_of(words: str) -> dict[str, float]:
    """The figures of a text such as `VPIP=45,fold to c-bet=70`: per cent by the beginning of a statistic's name."""
    figures: dict[str, float] = {}
    for key, value in split_pairs(words, "profile takes STATISTIC=PERCENT, as in 'profile:VPIP=45,fold to c-bet=70'"):
        name, share = key.strip(), value.strip()
        if name in figures:
            raise InputError(f"profile: {quoted(name)} is given twice")
        try:
            figures[name] = float(share.removesuffix("%"))
        except ValueError:
            raise InputError(f"profile: {name} must be a number of per cent, not {quoted(share)}") from None
        if not 0.0 <= figures[name] <= 100.0:
            raise InputError(f"profile: {name} must be from 0 to 100 per cent, not {share}")
        if not _met(name):
            raise InputError(f"profile: no statistic begins with {quoted(name)}; they are {', '.join(DECIDED)}")
    return figures


def _met(start: str) -> list[str]:
    """The statistics that begin with a text, ignoring case."""
    return [name for name in DECIDED if name.casefold().startswith(start.casefold())]


@dataclass(frozen=True)
class Profile(OpponentModel):
    """A player with some figures of the villain card, who else plays as another one: `profile:VPIP=45,3-bet=12:nash`.

    Attributes:
        figures: per cent by the beginning of a statistic's name, ignoring case; a longer beginning counts before a shorter
            one; a mapping is accepted.
        to: the player that is changed; in a spot always its solution.
    """

    HEAD = "profile"
    figures: Annotated[tuple[tuple[str, float], ...], NumberPairs(parse=figures_of, example="VPIP=45")]
    to: Annotated[OpponentModel, MODELS.nested("the player that it changes")] = field(default=Nash())

    @classmethod
    def from_text(cls, text: str) -> Self:
        return super().from_text(text if cut(text.partition(":")[2], ":")[1] else f"{text}:{Nash.HEAD}")

    @property
    def shares(self) -> dict[str, float]:
        """The share, from 0 to 1, of every statistic that the figures name."""
        found: dict[str, float] = {}
        for start, share in sorted(self.figures, key=lambda pair: len(pair[0])):
            found |= dict.fromkeys(_met(start), share / 100.0)
        return {name: found[name] for name in DECIDED if name in found}

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002 - nothing is drawn
        self.check_spot(spot_of(game, self), player)
        return locked_strategy(self.tilt(spot_reference(game, self), player).lock, game)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        return tilt_game(game, self.bucketed(game, seed), self.shares).play

    def check_spot(self, spot: Spot, seat: int) -> None:
        if self.to != Nash():
            raise InputError(f"{quoted(self)}: in a spot a profile changes its solution, and no other player")
        known = {one.name for one in statistic_classes(spot.betting, seat)}
        if not known & self.shares.keys():
            counted = ", ".join(sorted(known)) or "none"
            raise InputError(f"{quoted(self)}: none of its figures counts in this spot, where there are {counted}")

    def tilt(self, solved: SolvedSpot, seat: int) -> SpotTilt:
        return spot_from_figures(solved, seat, self.shares)
