"""Observations of a finished hand: by a seat, its moves in games in memory and a record of the hand in whole hold'em;
and the log of a match, one line a hand, as `opponents.histories.hand_logs` reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Self, TextIO

from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.play_hand import Hand, ResultObserver, TranslatedRecord
from counterplay.opponents.counting.terminal_infosets import (
    HIDDEN,
    SHOWDOWN,
    SHOWN,
    Move,
    TerminalInfosets,
    checked_reveal,
    consistent_ends,
)
from counterplay.opponents.histories.hand_logs import first_line, hand_line, move_line
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.replay import line_of_moves
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, Deck, cards_of
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind

SEATS = ("big blind", "button")
_FOLD = "fold"


def holdem_hand(limits: BettingRules, hand: Hand, players: tuple[str, str] = SEATS, deck: Deck = FULL) -> HoldemHand:
    """The record of a hand with all cards; limits and deck are those of the game, of the real one where bets were
    translated."""
    if isinstance(hand, TranslatedRecord):
        limits, line = hand.limits, hand.line
    else:
        line = line_of_moves(limits, hand.moves)
    dealt = tuple(card for who, text in hand.moves if who == CHANCE for card in cards_of(text))
    end = line.end._replace(street=limits.last) if line.end.kind is Kind.SHOWDOWN else line.end
    holes = dealt[:2], dealt[2:4]
    return HoldemHand(players, limits, line._replace(end=end), holes, dealt[4:], hand.utility, deck=deck)


def holdem_observer(rules: Holdem, reveal: str = SHOWDOWN) -> ResultObserver:
    """Finished hands of a whole game as a seat may know them: `HoldemHand`, without the other's cards unless these are
    revealed: after all hands, after a showdown, or never."""

    def observe(hand: Hand, seat: int) -> HoldemHand:
        record = holdem_hand(rules.limits, hand, deck=rules.deck)
        if reveal == SHOWN or (record.line.end.kind is Kind.SHOWDOWN and reveal != HIDDEN):
            return record
        one, two = record.holes
        return replace(record, holes=(one, ()) if seat == 0 else ((), two))

    return observe


def move_observer(game: GameTree, reveal: str = SHOWDOWN) -> ResultObserver:
    """The moves of finished hands of a compiled game, None for the texts that the seat cannot know; reveal: see
    `TerminalInfosets`."""
    sights = tuple(TerminalInfosets(game, seat, reveal) for seat in (0, 1))

    @cache
    def moves(seat: int, end: int) -> tuple[Move, ...]:
        return sights[seat].observed_moves(end)

    return lambda hand, seat: moves(seat, int(consistent_ends(game, hand)[0]))


def spot_observer(game: SpotGame, reveal: str = SHOWDOWN) -> ResultObserver:  # noqa: ARG001 - one shape for all
    """The moves of finished hands of a spot, None for the other's hand where it was not revealed (see `holdem_observer`)."""

    def observe(hand: Hand, seat: int) -> tuple[Move, ...]:
        folded = hand.moves[-1][1] == _FOLD
        if reveal == SHOWN or (not folded and reveal != HIDDEN):
            return hand.moves
        return tuple((who, None if number == 1 - seat else name) for number, (who, name) in enumerate(hand.moves))

    return observe


def observer_of(agents: Iterable[Any], reveal: str = SHOWDOWN) -> ResultObserver | None:
    """What agents observe of hands, if one of them learns; else None."""
    checked_reveal(reveal)
    game = next((game for agent in agents if (game := getattr(agent, "learns_in", None))), None)
    kinds: dict[type, Callable[[Any, str], ResultObserver]] = {Holdem: holdem_observer, SpotGame: spot_observer}
    return None if game is None else by_kind(kinds, game, move_observer)(game, reveal)


LIMITS: dict[type, Callable[[Any], BettingRules | None]] = {Holdem: lambda rules: rules.limits}
"""The betting rules of games whose hands are kept as those of hold'em; others are kept move by move."""
DIGESTS: dict[type, Callable[[Any], str]] = {SpotRules: lambda rules: str(rules.digest)}
"""Tell a game from others whose texts may be the same: a path may name another spot tomorrow."""


class MatchRecorder:
    """A file that grows by one line a hand; used as a context. It is not touched before the first hand is over, so that
    a match that fails at its start leaves what was there. The log can be read without the text of its game, but not
    compared."""

    def __init__(self, path: Path, game: str, rules: Any, agents: Sequence[str], seed: int) -> None:
        self._path, self._limits = path, by_kind(LIMITS, rules, lambda _: None)(rules)
        alike = len(set(agents)) < len(agents)
        self._agents = [f"{name} {k}" if alike else name for name, k in zip(agents, "AB", strict=True)]
        digest = by_kind(DIGESTS, rules, lambda _: "")(rules)
        self._first = first_line(game, self._agents, {"seed": seed} | ({"spot": digest} if digest else {}))
        self._stream: TextIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            with suppress(OSError):  # the lines that could not be written have been told
                self._stream.close()

    def keep(self, number: int, seat_of_a: int, hand: Hand) -> None:
        """Write a hand."""
        seats = (0, 1) if seat_of_a == 0 else (1, 0)
        limits = hand.limits if isinstance(hand, TranslatedRecord) else self._limits
        if limits is None:
            line = move_line(number, seats, hand.moves, hand.utility)
        else:
            names = (self._agents[seats[0]], self._agents[seats[1]])
            line = hand_line(number, holdem_hand(limits, hand, names), self._agents, own_rules=False)
        try:
            if self._stream is None:
                self._stream = self._path.open("w", encoding="utf-8")
                line = f"{self._first}\n{line}"
            self._stream.write(line + "\n")
            self._stream.flush()
        except OSError as error:  # the hands before it are whole lines
            raise InputError(f"cannot write {self._path}: {error.strerror}") from None
