"""A player at a dealer that speaks the protocol of the Annual Computer Poker Competition."""

from __future__ import annotations

import random
from dataclasses import dataclass

from counterplay.errors import InputError
from counterplay.poker.betting.line_notation import ACPC
from counterplay.poker.betting.state import Kind, chips_won
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.acpc_message import VERSION, LineSocket, read_match_state
from counterplay.protocols.hand_messages import DealtHand, MakePlayer, PlayedHands, Watch

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
    agents, played, number = (make(0), make(1)), ClientResult(), -1
    hand: DealtHand | None = None
    with played.keeping():
        dealer.send(VERSION)
        deadline = dealer.deadline()
        while (text := dealer.receive(deadline)) is not None:
            if not text or text.startswith(_COMMENT):
                continue
            state = read_match_state(text)
            if hand is None or state.hand != number:
                if played.unfinished is not None:
                    raise InputError(f"{_DEALER} goes on to hand {state.hand} before the end of hand {number}")
                if state.hand < number:
                    raise InputError(f"{_DEALER} goes back to hand {state.hand} after hand {number}")
                number = played.unfinished = state.hand
                hand = DealtHand(game, agents, ACPC, _DEALER, random.Random(f"{seed} hand {number}"))
            before = hand.last
            message = hand.hear(state.position, state.holes, state.board, state.line)
            end = message.line.end
            if end.kind == message.seat:
                dealer.send(f"{text}:{hand.act()}")
            elif end.kind > Kind.DEAL and played.unfinished is not None:  # else it is the end once more
                if end.kind is Kind.SHOWDOWN and not all(message.holes):
                    raise InputError(f"{_DEALER} does not show the hands at the showdown of hand {number}")
                first = chips_won(game.limits, end, message.holes, message.board, game.deck)
                played.won.append(-first if message.seat else first)
                hand.end(played.won[-1])
                played.unfinished = None
                played.report(watch)
            if message != before:  # a dealer that repeats itself does not get more time
                deadline = dealer.deadline()
    return played
