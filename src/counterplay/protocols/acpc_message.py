"""Messages of the protocol of the Annual Computer Poker Competition, version 2.0.0.

    MATCHSTATE:0:7:r200c/cr600:Ac9d|/2c7d9s        from the dealer: position, hand, betting, cards
    MATCHSTATE:0:7:r200c/cr600:Ac9d|/2c7d9s:c      the answer of a player

Position 0 is the big blind. Each player sees their own cards on their side of `|`, and those of the other at a showdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterplay.errors import InputError, quoted
from counterplay.poker.cards.deck import card_text, cards_of
from counterplay.texts.readers import whole_of

VERSION = "VERSION:2.0.0"
HEAD = "MATCHSTATE"
Cards = tuple[int, ...]
_STREETS = [3, 1, 1]
"""Cards on the table by street, from the flop on."""


@dataclass(frozen=True)
class MatchState:
    """A message from a dealer to a player.

    Attributes:
        position: of the player: 0 is the big blind.
        hand: number of the hand.
        line: betting so far.
        holes: cards of both positions; () if hidden.
        board: cards on the table, in the order of the deal.
    """

    position: int
    hand: int
    line: str
    holes: tuple[Cards, Cards]
    board: Cards

    def __str__(self) -> str:
        """The message."""
        return f"{HEAD}:{self.position}:{self.hand}:{self.line}:{write_cards(self.holes, self.board)}"


def write_cards(holes: tuple[Cards, Cards], board: Cards) -> str:
    """Cards as in messages and logs: `Ac9d|/2c7d9s/Kh`."""
    streets = [board[begin:end] for begin, end in ((0, 3), (3, 4), (4, 5)) if len(board) > begin]
    return "/".join(["|".join(map(_text, holes)), *map(_text, streets)])


def read_match_state(message: str) -> MatchState:
    """A dealer's message from its text; any other text is refused."""
    parts = message.split(":")
    number = whole_of(parts[2]) if len(parts) == 5 else None
    if number is None or parts[0] != HEAD or parts[1] not in ("0", "1"):
        raise InputError(f"the dealer's message {quoted(message)} is not {HEAD}:position:hand:betting:cards")
    shown, *streets = parts[4].split("/")
    try:
        holes, dealt = [cards_of(one) for one in shown.split("|")], [cards_of(one) for one in streets]
    except InputError as error:
        raise InputError(f"the dealer's message {quoted(message)} does not show cards: {error}") from None
    if [len(street) for street in dealt] != _STREETS[: len(dealt)]:
        raise InputError(f"the dealer's message {quoted(message)} does not show three cards, one and one by street")
    board = tuple(card for street in dealt for card in street)
    if len(holes) != 2 or any(len(one) not in (0, 2) for one in holes) or len(holes[int(parts[1])]) != 2:
        raise InputError(f"the dealer's message {quoted(message)} does not show the two cards of position {parts[1]}")
    known = [*holes[0], *holes[1], *board]
    if len(set(known)) != len(known):
        raise InputError(f"the dealer's message {quoted(message)} shows a card twice")
    return MatchState(int(parts[1]), number, parts[3], (holes[0], holes[1]), board)


def _text(cards: Sequence[int]) -> str:
    return "".join(map(card_text, cards))
