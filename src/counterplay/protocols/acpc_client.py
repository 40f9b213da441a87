"""A player at a dealer that speaks the protocol of the Annual Computer Poker Competition."""

from __future__ import annotations

import random
from dataclasses import dataclass

from counterplay.agents.player import Player
from counterplay.agents.position.translated_hand import TranslatedHand
from counterplay.errors import InputError
from counterplay.measure.observed_results import SEATS
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.line_notation import ACPC, write_action
from counterplay.poker.betting.state import Kind
from counterplay.poker.showdown.settlement import chips_won
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.acpc_message import VERSION, read_match_state
from counterplay.protocols.hand_messages import (
    HandMessage,
    MakePlayer,
    PlayedHands,
    Watch,
    check_message,
    replay_message,
)
from counterplay.protocols.line_socket import LineSocket

_COMMENT = ("#", ";")
_DEALER = "the dealer"


@dataclass
class ClientResult(PlayedHands):
    """The result of a match.

    Attributes:
        unfinished: number of the hand that was under way at the end; None if there was none.
    """

    unfinished: int | None = None


def play_at_dealer(
    dealer: LineSocket, game: Holdem, make: MakePlayer, *, seed: int = 0, watch: Watch | None = None
) -> ClientResult:
    """Play until the dealer closes the connection.

    Args:
        dealer: the connection.
        game: the game of the agents; the dealer has its stacks and blinds, and allows any size of bet.
        make: see `MakePlayer`.
        seed: of the random translation of bets to sizes of the tree.
        watch: see `Watch`.

    Raises:
        InputError: a dealer with another protocol or other rules, before a hand is over; afterwards the result has the
            error as its `failure`.
    """
    table = _Table(game, (make(0), make(1)), seed)
    with table.found.keeping():
        dealer.send(VERSION)
        deadline = dealer.deadline()
        while (line := dealer.receive(deadline)) is not None:
            if not line or line.startswith(_COMMENT):
                continue
            before, state = len(table.found.won), table.state
            if (answer := table.answer(line)) is not None:
                dealer.send(answer)
            if len(table.found.won) > before:
                table.found.report(watch)
            if table.state != state:  # a dealer that repeats itself does not get more time
                deadline = dealer.deadline()
    table.found.unfinished = table.under_way
    return table.found


class _Table:
    """The current hand, and the chips won so far."""

    def __init__(self, game: Holdem, agents: tuple[Player, Player], seed: int) -> None:
        self._game, self._agents, self._seed = game, agents, seed
        self._number = -1
        self._hand: TranslatedHand | None = None
        self._before: HandMessage | None = None
        self.found = ClientResult()

    @property
    def state(self) -> tuple[int, HandMessage | None]:
        """The hand's number, and its last message."""
        return self._number, self._before

    @property
    def under_way(self) -> int | None:
        """The number of the hand that is not over."""
        return None if self._hand is None else self._number

    def answer(self, message: str) -> str | None:
        """The answer to a message; None if it asks for no action."""
        state = read_match_state(message)
        seat, own = state.position, state.holes[state.position]
        try:
            line = replay_message(self._game.limits, state.line, ACPC)
        except InputError as error:
            raise InputError(f"{_DEALER} plays other rules than {self._game.name}: {error}") from None
        now = HandMessage(seat, state.holes, state.board, state.line, line)
        if state.hand != self._number:
            if self._hand is not None:
                raise InputError(f"{_DEALER} goes on to hand {state.hand} before the end of hand {self._number}")
            if state.hand < self._number:
                raise InputError(f"{_DEALER} goes back to hand {state.hand} after hand {self._number}")
            draws = random.Random(f"{self._seed} hand {state.hand}")
            self._hand = TranslatedHand(self._game, self._agents[seat], (own[0], own[1]), draws)
            self._number, self._before = state.hand, None
        check_message(now, self._before, self._game.deck, _DEALER)
        self._before = now
        if self._hand is None:  # the end of the hand, once more
            return None
        end = line.end
        self._hand.follow(line)
        if end.kind > Kind.DEAL:
            self._finish(now)
        elif end.kind == seat:
            action = self._hand.decide(end, now.board)
            return f"{message}:{write_action(self._game.limits, end, action, ACPC)}"
        return None

    def _finish(self, last: HandMessage) -> None:
        limits, deck, end = self._game.limits, self._game.deck, last.line.end
        if end.kind is Kind.SHOWDOWN and not all(last.holes):
            raise InputError(f"{_DEALER} does not show the hands at the showdown of hand {self._number}")
        won = chips_won(limits, end, last.holes, last.board, deck)
        self.found.won.append(-won if last.seat else won)
        hand = HoldemHand(SEATS, limits, last.line, last.holes, last.board, won, deck=deck)
        self._agents[last.seat].end_hand(self.found.won[-1], hand)
        self._hand = None
