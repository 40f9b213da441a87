"""A player at a dealer that speaks the protocol of the Annual Computer Poker Competition."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from counterplay.agents.player import Player
from counterplay.agents.whole_game.translated_hand import TranslatedHand
from counterplay.errors import InputError
from counterplay.measure.observed_results import SEATS
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.line_notation import ACPC, write_action
from counterplay.poker.betting.state import Kind
from counterplay.poker.showdown.settlement import chips_won
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.acpc_message import VERSION, MatchState, read_match_state
from counterplay.protocols.line_socket import LineSocket
from counterplay.protocols.told_hand import ToldHand, check_told, replay_told

_COMMENT = ("#", ";")
_DEALER = "the dealer"
MakePlayer = Callable[[int], Player]
"""Makes the agent of a seat; called once for each."""
Watch = Callable[[int, float], None]
"""Called after each hand with the number of hands and the chips won."""


@dataclass
class ClientResult:
    """The result of a match.

    Attributes:
        won: chips won in each finished hand.
        interrupted: whether Ctrl-C ended the match.
        unfinished: number of the hand that was under way at the end; None if there was none.
        failure: the sentence of the error that ended the match after its first hand; None if there was none.
    """

    won: list[float] = field(default_factory=list)
    interrupted: bool = False
    unfinished: int | None = None
    failure: str | None = None


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

    Returns:
        the result, also of a match that an error ended after its first hand (`failure`).

    Raises:
        InputError: a dealer with another protocol or other rules, before a hand is over.
    """
    table = _Table(game, (make(0), make(1)), seed)
    try:
        dealer.send(VERSION)
        deadline = dealer.deadline()
        while (line := dealer.receive(deadline)) is not None:
            if not line or line.startswith(_COMMENT):
                continue
            before, state = len(table.found.won), table.state
            if (answer := table.answer(line)) is not None:
                dealer.send(answer)
            if watch is not None and len(table.found.won) > before:
                watch(len(table.found.won), sum(table.found.won))
            if table.state != state:  # a dealer that repeats itself does not get more time
                deadline = dealer.deadline()
    except KeyboardInterrupt:
        table.found.interrupted = True
    except InputError as error:
        if not table.found.won:
            raise
        table.found.failure = str(error)
    table.found.unfinished = table.under_way
    return table.found


class _Table:
    """The current hand, and the chips won so far."""

    def __init__(self, game: Holdem, agents: tuple[Player, Player], seed: int) -> None:
        self._game, self._agents, self._seed = game, agents, seed
        self._number = -1
        self._hand: TranslatedHand | None = None
        self._before: ToldHand | None = None
        self.found = ClientResult()

    @property
    def state(self) -> tuple[int, ToldHand | None]:
        """The hand's number, and what was last told of it."""
        return self._number, self._before

    @property
    def under_way(self) -> int | None:
        """The number of the hand that is not over."""
        return None if self._hand is None else self._number

    def answer(self, message: str) -> str | None:
        """The answer to a message; None if it asks for no action."""
        state = read_match_state(message)
        told, seat, own = self._told(state), state.position, state.holes[state.position]
        if state.hand != self._number:
            self._check_number(state.hand)
            draws = random.Random(f"{self._seed} hand {state.hand}")
            self._hand = TranslatedHand(self._game, self._agents[seat], (own[0], own[1]), draws)
            self._number, self._before = state.hand, None
        check_told(told, self._before, self._game.deck, _DEALER)
        self._before = told
        if self._hand is None:  # the end of the hand, once more
            return None
        end = told.line.end
        self._hand.follow(told.line)
        if end.kind > Kind.DEAL:
            self._finish(told)
        elif end.kind == seat:
            action = self._hand.decide(end, told.board)
            return f"{message}:{write_action(self._game.limits, end, action, ACPC)}"
        return None

    def _told(self, state: MatchState) -> ToldHand:
        try:
            line = replay_told(self._game.limits, state.line, ACPC)
        except InputError as error:
            raise InputError(f"{_DEALER} plays other rules than {self._game.name}: {error}") from None
        return ToldHand(state.position, state.holes, state.board, state.line, line)

    def _check_number(self, number: int) -> None:
        """Reject a hand that begins within another, or that has been played."""
        if self._hand is not None:
            raise InputError(f"{_DEALER} goes on to hand {number} before the end of hand {self._number}")
        if number < self._number:
            raise InputError(f"{_DEALER} goes back to hand {number} after hand {self._number}")

    def _finish(self, told: ToldHand) -> None:
        line, limits, deck = told.line, self._game.limits, self._game.deck
        if line.end.kind is Kind.SHOWDOWN and not all(told.holes):
            raise InputError(f"{_DEALER} does not show the hands at the showdown of hand {self._number}")
        won = chips_won(limits, line.end, told.holes, told.board, deck)
        self.found.won.append(-won if told.seat else won)
        hand = HoldemHand(SEATS, limits, line, told.holes, told.board, won, deck=deck)
        self._agents[told.seat].end_hand(self.found.won[-1], hand)
        self._hand = None
