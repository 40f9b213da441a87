"""A player at a dealer that speaks the protocol of the Annual Computer Poker Competition."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from counterplay.agents.player import Player
from counterplay.agents.whole_game.translated_hand import TranslatedHand
from counterplay.errors import InputError
from counterplay.measure.told_hands import SEATS
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.line_notation import ACPC, BettingLine, replay_line, write_action
from counterplay.poker.betting.state import Kind
from counterplay.poker.showdown.settlement import chips_won
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.acpc_message import VERSION, MatchState, read_match_state
from counterplay.protocols.line_socket import LineSocket

_COMMENT = ("#", ";")
MakePlayer = Callable[[int], Player]
"""Makes the agent of a seat; called once for each."""
Watch = Callable[[int, float], None]
"""Called after each hand with the number of hands and the chips won."""


@dataclass
class ClientResult:
    """Chips won in each finished hand, and whether Ctrl-C ended the match."""

    won: list[float] = field(default_factory=list)
    interrupted: bool = False


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
        InputError: a dealer with another protocol or other rules.
    """
    table = _Table(game, (make(0), make(1)), seed)
    try:
        dealer.send(VERSION)
        while (line := dealer.receive()) is not None:
            if not line or line.startswith(_COMMENT):
                continue
            before = len(table.found.won)
            if (answer := table.answer(line)) is not None:
                dealer.send(answer)
            if watch is not None and len(table.found.won) > before:
                watch(len(table.found.won), sum(table.found.won))
    except KeyboardInterrupt:
        table.found.interrupted = True
    return table.found


class _Table:
    """The current hand, and the chips won so far."""

    def __init__(self, game: Holdem, agents: tuple[Player, Player], seed: int) -> None:
        self._game, self._agents, self._seed = game, agents, seed
        self._number = -1
        self._hand: TranslatedHand | None = None
        self.found = ClientResult()

    def answer(self, message: str) -> str | None:
        """The answer to a message; None if it asks for no action."""
        told = read_match_state(message)
        line = self._replay(told)
        if self._hand is None or told.hand != self._number:
            own = told.holes[told.position]
            draws = random.Random(f"{self._seed} hand {told.hand}")
            self._hand = TranslatedHand(self._game, self._agents[told.position], (own[0], own[1]), draws)
            self._number = told.hand
        self._hand.follow(line)
        if line.end.kind > Kind.DEAL:
            self._finish(told, line)
        elif line.end.kind == told.position:
            action = self._hand.decide(line.end, told.board)
            return f"{message}:{write_action(self._game.limits, line.end, action, ACPC)}"
        return None

    def _replay(self, told: MatchState) -> BettingLine:
        try:
            return replay_line(self._game.limits, told.line, ACPC)
        except InputError as error:
            raise InputError(f"the dealer plays other rules than {self._game.name}: {error}") from None

    def _finish(self, told: MatchState, line: BettingLine) -> None:
        if line.end.kind is Kind.SHOWDOWN and not all(told.holes):
            raise InputError(f"the dealer does not show the hands at the showdown of hand {told.hand}")
        won = chips_won(self._game.limits, line.end, told.holes, told.board, self._game.deck)
        self.found.won.append(-won if told.position else won)
        limits, game = self._game.limits, self._game
        end = line.end._replace(street=limits.last) if line.end.kind is Kind.SHOWDOWN else line.end
        hand = HoldemHand(SEATS, limits, line._replace(end=end), told.holes, told.board, won, deck=game.deck)
        self._agents[told.position].end_hand(self.found.won[-1], hand)
        self._hand = None
