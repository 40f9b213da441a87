"""Hands that another program tells message by message, each of which must keep the rules and continue the one before; and
the hands of a match against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from counterplay.agents.player import Player
from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_record import Cards, HandError
from counterplay.opponents.histories.replay import check_cards
from counterplay.poker.betting.line_notation import BettingLine, LineNotation, replay_line
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Deck, cards_text

MakePlayer = Callable[[int], Player]
"""Makes the agent of a seat; called once for each."""
Watch = Callable[[int, float], None]
"""Called after each hand with the number of hands and the chips won."""


@dataclass
class PlayedHands:
    """The hands of a match against another program.

    Attributes:
        won: chips won in each finished hand.
        interrupted: whether Ctrl-C ended the match.
        failure: the sentence of the error that ended the match after its first hand; None if there was none.
    """

    won: list[float] = field(default_factory=list)
    interrupted: bool = False
    failure: str | None = None

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep the finished hands when Ctrl-C or an error ends the block; an error before a hand of the block is over
        is raised."""
        begin = len(self.won)
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True
        except InputError as error:
            if len(self.won) == begin:
                raise
            self.failure = str(error)

    def report(self, watch: Watch | None) -> None:
        """Call a watch with the hands so far."""
        if watch is not None:
            watch(len(self.won), sum(self.won))


@dataclass(frozen=True)
class HandMessage:
    """A hand so far, as a message tells it.

    Attributes:
        seat: of the agent; 0 is the big blind.
        holes: cards of both seats; () if they are hidden.
        board: cards on the table, in the order of the deal.
        betting: the line as it was written.
        line: the line replayed; a showdown is on the last street.
    """

    seat: int
    holes: tuple[Cards, Cards]
    board: Cards
    betting: str
    line: BettingLine


def replay_message(rules: BettingRules, betting: str, notation: LineNotation) -> BettingLine:
    """A line replayed, with errors as of `replay_line`; after an early all-in its showdown is on the last street."""
    line = replay_line(rules, betting, notation)
    return line._replace(end=line.end._replace(street=rules.last)) if line.end.kind is Kind.SHOWDOWN else line


def check_message(message: HandMessage, before: HandMessage | None, deck: Deck, who: str) -> None:
    """Reject a message of a program `who` that does not fit the rules or the message before it: cards that cannot all
    be dealt, a board of another street than the betting, or changed seats, hands, betting or board."""
    try:
        check_cards(message.line, message.holes, message.board, deck)
    except HandError as error:
        raise InputError(f"{who} shows impossible cards: {error}") from None
    if before is None:
        return
    steps, dealt = len(before.line.steps), len(before.board)
    own, other = before.holes[before.seat], before.holes[1 - before.seat]
    own_now, other_now = message.holes[message.seat], message.holes[1 - message.seat]
    for what, old, new, continues in (
        ("the agent's seat", str(before.seat), str(message.seat), message.seat == before.seat),
        ("the agent's cards", cards_text(own), cards_text(own_now), set(own_now) == set(own)),
        ("the other hand", cards_text(other), cards_text(other_now), set(other_now) >= set(other)),
        ("the betting", before.betting, message.betting, message.line.steps[:steps] == before.line.steps),
        ("the board", cards_text(before.board), cards_text(message.board), message.board[:dealt] == before.board),
    ):
        if not continues:
            raise InputError(f"{who} changed {what} within a hand: {quoted(new)} does not continue {quoted(old)}")
