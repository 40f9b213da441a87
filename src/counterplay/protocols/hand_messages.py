"""Hands that another program deals to an agent message by message, each of which must keep the rules and continue the
message before; and the hands of a match against it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from counterplay.agents.agent import Player
from counterplay.errors import InputError, quoted
from counterplay.measure.play_hand import SEATS, TranslatedHand
from counterplay.opponents.histories.hand_record import Cards, HandError, HoldemHand
from counterplay.opponents.histories.replay import check_cards
from counterplay.poker.betting.line_notation import BettingLine, LineNotation, replay_line, write_action
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.rules import Holdem

MakePlayer = Callable[[int], Player]
"""Makes the agent of a seat; called once for each."""
Watch = Callable[[int, float], None]
"""Called after each hand with the number of hands and the chips won."""


@dataclass
class PlayedHands:
    """The hands of a match against another program. won: chips of each finished hand. interrupted: by Ctrl-C. failure:
    the sentence of the error that ended the match after its first hand; None if there was none."""

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
    """A hand so far, as a message tells it. seat: of the agent, 0 for the big blind. holes: cards of both seats; () if
    hidden. board: in the order of the deal. betting: as written. line: the betting replayed; a showdown is on the last
    street."""

    seat: int
    holes: tuple[Cards, Cards]
    board: Cards
    betting: str
    line: BettingLine


class DealtHand:
    """A hand that another program, `who` in errors, deals to one of two agents. notation: of the betting in messages.
    draws: of the translation of bets to sizes of the agents' tree. answers: the program answers an action by its own: the
    next message continues from the agent's action, and ends where the agent acts again. last: the last message, followed
    by the agent's action where the program answers it; None before the first."""

    def __init__(
        self, game: Holdem, agents: tuple[Player, Player], notation: LineNotation, who: str, draws: random.Random, *,
        answers: bool = False,
    ) -> None:  # fmt: skip
        self.game, self._agents, self._notation, self._who, self._draws = game, agents, notation, who, draws
        self._answers = answers
        self._hand: TranslatedHand | None = None
        self.last: HandMessage | None = None

    def hear(self, seat: int, holes: tuple[Cards, Cards], board: Cards, betting: str) -> HandMessage:
        """Follow a message to the agent of a seat.

        Raises:
            InputError: betting by other rules, cards that cannot all be dealt, a board of another street than the betting,
                changed seats, hands, betting or board, or an action in the agent's place.
        """
        try:
            message = HandMessage(seat, holes, board, betting, self._replay(betting))
            check_cards(message.line, holes, board, self.game.deck)
        except HandError as error:
            raise InputError(f"{self._who} shows impossible cards: {error}") from None
        except InputError as error:
            raise InputError(f"{self._who} plays other rules than {self.game.name}: {error}") from None
        before, steps = self.last or message, message.line.steps  # the first message continues itself
        own, other = before.holes[before.seat], before.holes[1 - before.seat]
        own_now, other_now, known = holes[seat], holes[1 - seat], before.line.steps
        for what, old, new, continues in (
            ("the agent's seat", str(before.seat), str(seat), seat == before.seat),
            ("the agent's cards", cards_text(own), cards_text(own_now), set(own_now) == set(own)),
            ("the other hand", cards_text(other), cards_text(other_now), set(other_now) >= set(other)),
            ("the betting", before.betting, betting, steps[: len(known)] == known),
            ("the board", cards_text(before.board), cards_text(board), board[: len(before.board)] == before.board),
        ):
            if not continues:
                raise InputError(
                    f"{self._who} changed {what} within a hand: {quoted(new)} does not continue {quoted(old)}"
                )
        unseen = steps if self.last is None else steps[len(known) :]
        if self._answers and any(step.state.kind == seat for step in unseen):
            raise InputError(f"{self._who} acts in the agent's place: {quoted(betting)}")
        if self._hand is None:
            first, second = holes[seat]
            self._hand = TranslatedHand(self.game, self._agents[seat], (first, second), self._draws)
        self._hand.follow(message.line)
        self.last = message
        return message

    def act(self) -> str:
        """The agent's action after the last message, in the notation of the betting."""
        assert self.last is not None
        assert self._hand is not None
        last, rules = self.last, self.game.limits
        action = write_action(rules, last.line.end, self._hand.decide(last.line.end, last.board), self._notation)
        if self._answers:
            betting = last.betting + action
            self.last = replace(last, betting=betting, line=self._replay(betting))
        return action

    def end(self, won: float) -> None:
        """Tell the agent the hand at its end, and the chips that it won."""
        assert self.last is not None
        last, first = self.last, -won if self.last.seat else won
        record = HoldemHand(SEATS, self.game.limits, last.line, last.holes, last.board, first, deck=self.game.deck)
        self._agents[last.seat].end_hand(won, record)

    def _replay(self, betting: str) -> BettingLine:
        """A line replayed; after an early all-in its showdown is on the last street."""
        rules = self.game.limits
        line = replay_line(rules, betting, self._notation)
        return line._replace(end=line.end._replace(street=rules.last)) if line.end.kind is Kind.SHOWDOWN else line
