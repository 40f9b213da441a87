"""What each seat is told of a hand when it is over: its moves in games in memory, a record of the hand in whole hold'em."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from counterplay.games.game import CHANCE
from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.play_hand import Hand, Told
from counterplay.measure.translated_table import TranslatedRecord
from counterplay.opponents.counting.terminal_infosets import (
    HIDDEN,
    SHOWDOWN,
    SHOWN,
    Move,
    TerminalInfosets,
    checked_reveal,
    consistent_ends,
)
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.replay import line_of_moves
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, Deck, cards_of
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind

SEATS = ("big blind", "button")
_FOLD = "fold"


def holdem_hand(limits: BettingRules, hand: Hand, players: tuple[str, str] = SEATS, deck: Deck = FULL) -> HoldemHand:
    """The record of a hand with all cards.

    Args:
        limits: betting rules; those of the real hand where bets were translated.
        hand: as it was played.
        players: names in seats 0 and 1.
        deck: the cards of the game.
    """
    if isinstance(hand, TranslatedRecord):
        limits, line = hand.limits, hand.line
    else:
        line = line_of_moves(limits, hand.moves)
    dealt = tuple(card for who, text in hand.moves if who == CHANCE for card in cards_of(text))
    end = line.end._replace(street=limits.last) if line.end.kind is Kind.SHOWDOWN else line.end
    holes = dealt[:2], dealt[2:4]
    return HoldemHand(players, limits, line._replace(end=end), holes, dealt[4:], hand.utility, deck=deck)


class ToldHoldem:
    """Finished hands of a whole game as a seat may know them.

    Args:
        rules: the game.
        reveal: whether the other's cards are told after all hands, after a showdown, or never.
    """

    def __init__(self, rules: Holdem, reveal: str = SHOWDOWN) -> None:
        self._rules, self._reveal = rules, reveal

    def __call__(self, hand: Hand, seat: int) -> HoldemHand:
        """A hand, without the other's cards where the seat cannot know them."""
        whole = holdem_hand(self._rules.limits, hand, deck=self._rules.deck)
        shown_down = whole.line.end.kind is Kind.SHOWDOWN
        if self._reveal == SHOWN or (shown_down and self._reveal != HIDDEN):
            return whole
        one, two = whole.holes
        return replace(whole, holes=(one, ()) if seat == 0 else ((), two))


class ToldMoves:
    """The moves of finished hands as a seat may know them.

    Args:
        game: compiled.
        reveal: what is revealed at the end (see `TerminalInfosets`).
    """

    def __init__(self, game: GameTree, reveal: str = SHOWDOWN) -> None:
        self._sights = tuple(TerminalInfosets(game, seat, reveal) for seat in (0, 1))
        self._kept: dict[tuple[int, int], tuple[Move, ...]] = {}

    def __call__(self, hand: Hand, seat: int) -> tuple[Move, ...]:
        """The moves of a hand; None for the texts that the seat cannot know."""
        sight = self._sights[seat]
        key = seat, int(consistent_ends(sight.game, hand)[0])
        if key not in self._kept:
            self._kept[key] = sight.observed_moves(key[1])
        return self._kept[key]


class ToldSpot:
    """The moves of finished hands of a spot as a seat may know them: all but the other's hand where it was not seen.

    Args:
        game: the spot.
        reveal: as of `ToldHoldem`.
    """

    def __init__(self, game: SpotGame, reveal: str = SHOWDOWN) -> None:
        self._game, self._reveal = game, reveal

    def __call__(self, hand: Hand, seat: int) -> tuple[Move, ...]:
        """The moves of a hand; None for the text of a hand that the seat cannot know."""
        folded = hand.moves[-1][1] == _FOLD
        if self._reveal == SHOWN or (not folded and self._reveal != HIDDEN):
            return hand.moves
        return tuple((who, None if number == 1 - seat else name) for number, (who, name) in enumerate(hand.moves))


_KINDS: dict[type, Callable[[Any, str], Told]] = {Holdem: ToldHoldem, SpotGame: ToldSpot}
"""What tells of hands, by the game in which agents learn; games in memory tell the moves."""


def told_by(agents: Iterable[Any], reveal: str = SHOWDOWN) -> Told | None:
    """What agents are told of hands, if one of them learns; else None.

    Raises:
        InputError: nothing can be revealed like this.
    """
    checked_reveal(reveal)
    game = next((game for agent in agents if (game := getattr(agent, "learns_in", None))), None)
    return None if game is None else by_kind(_KINDS, game, ToldMoves)(game, reveal)
