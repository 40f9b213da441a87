"""A hand as another program tells it, message by message: each must keep the rules and continue what was told before."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_record import Cards, HandError
from counterplay.opponents.histories.replay import check_cards
from counterplay.poker.betting.line_notation import BettingLine, LineNotation, replay_line
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Deck, cards_text


@dataclass(frozen=True)
class ToldHand:
    """What is told of a hand so far.

    Attributes:
        seat: of the agent; 0 is the big blind.
        holes: cards of both seats; () if they are hidden.
        board: cards on the table, in the order of the deal.
        betting: the line as it was written.
        line: the same, replayed; a showdown is on the last street.
    """

    seat: int
    holes: tuple[Cards, Cards]
    board: Cards
    betting: str
    line: BettingLine


def replay_told(rules: BettingRules, betting: str, notation: LineNotation) -> BettingLine:
    """A line, replayed; after an early all-in its showdown is on the last street.

    Raises:
        InputError: as `replay_line`.
    """
    line = replay_line(rules, betting, notation)
    return line._replace(end=line.end._replace(street=rules.last)) if line.end.kind is Kind.SHOWDOWN else line


def check_told(told: ToldHand, before: ToldHand | None, deck: Deck, who: str) -> None:
    """Reject a message that does not fit the rules or what was told before.

    Args:
        told: what the message tells.
        before: what the last message of this hand told; None at its beginning.
        deck: the cards of the game.
        who: the program that sent it, for the sentence.

    Raises:
        InputError: cards that cannot all be dealt, a board of another street than the betting, or a changed seat, hand,
            board or betting.
    """
    try:
        check_cards(told.line, told.holes, told.board, deck)
    except HandError as error:
        raise InputError(f"{who} shows impossible cards: {error}") from None
    if before is None:
        return
    own, before_own = told.holes[told.seat], before.holes[before.seat]
    steps, board = len(before.line.steps), len(before.board)
    for same, what, old, new in (
        (told.seat == before.seat, "the agent's seat", str(before.seat), str(told.seat)),
        (set(own) == set(before_own), "the agent's cards", cards_text(before_own), cards_text(own)),
        (told.line.steps[:steps] == before.line.steps, "the betting", before.betting, told.betting),
        (told.board[:board] == before.board, "the board", cards_text(before.board), cards_text(told.board)),
    ):
        if not same:
            raise InputError(f"{who} changed {what} within a hand: {quoted(new)} does not continue {quoted(old)}")
