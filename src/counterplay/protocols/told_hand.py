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
        InputError: cards that cannot all be dealt, a board of another street than the betting, or changed seats, hands,
            betting or board.
    """
    try:
        check_cards(told.line, told.holes, told.board, deck)
    except HandError as error:
        raise InputError(f"{who} shows impossible cards: {error}") from None
    for what, old, new, continues in [] if before is None else _changes(before, told):
        if not continues:
            raise InputError(f"{who} changed {what} within a hand: {quoted(new)} does not continue {quoted(old)}")


def _changes(before: ToldHand, told: ToldHand) -> list[tuple[str, str, str, bool]]:
    """What was told before and now, with its name, and whether the one continues the other."""
    steps, dealt = len(before.line.steps), len(before.board)
    own, other = before.holes[before.seat], before.holes[1 - before.seat]
    own_now, other_now = told.holes[told.seat], told.holes[1 - told.seat]
    return [
        ("the agent's seat", str(before.seat), str(told.seat), told.seat == before.seat),
        ("the agent's cards", cards_text(own), cards_text(own_now), set(own_now) == set(own)),
        ("the other hand", cards_text(other), cards_text(other_now), set(other_now) >= set(other)),
        ("the betting", before.betting, told.betting, told.line.steps[:steps] == before.line.steps),
        ("the board", cards_text(before.board), cards_text(told.board), told.board[:dealt] == before.board),
    ]
