"""Keeping the hands of a match, one line each, as `opponents.histories.match_log` reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from counterplay.errors import InputError
from counterplay.games.game import CHANCE
from counterplay.measure.play_hand import Hand
from counterplay.measure.translated_table import TranslatedRecord
from counterplay.opponents.histories.hand_record import HandError, HoldemHand
from counterplay.opponents.histories.match_log import first_line, hand_line, move_line
from counterplay.opponents.histories.replay import CALL, DEAL, FOLD, RAISE, HandStep, replay
from counterplay.poker.betting.line_notation import BettingLine
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import cards_of
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind


class MatchRecorder:
    """A file that grows by one line a hand; used as a context. It is not touched before the first hand is over, so that a
    match that fails at its start leaves what was there.

    Args:
        path: the file, which is written anew.
        game: text of the game; the log can be read without it, but not compared.
        rules: the game that is played.
        agents: names of A and B.
        seed: of the match.
    """

    def __init__(self, path: Path, game: str, rules: Any, agents: Sequence[str], seed: int) -> None:
        self._path, self._rules = path, rules
        self._agents = (
            list(agents)
            if len(set(agents)) == len(agents)
            else [f"{name} {k}" for name, k in zip(agents, "AB", strict=True)]
        )
        self._first = first_line(game, self._agents, {"seed": seed})
        self._stream: TextIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            with suppress(OSError):  # of what could not be written, which has been told
                self._stream.close()

    def keep(self, number: int, seat_of_a: int, hand: Hand) -> None:
        """Write a hand."""
        seats = (0, 1) if seat_of_a == 0 else (1, 0)
        line = self._line(number, seats, hand)
        try:
            if self._stream is None:
                self._stream = self._path.open("w", encoding="utf-8")
                line = f"{self._first}\n{line}"
            self._stream.write(line + "\n")
            self._stream.flush()
        except OSError as error:  # the hands before it are whole lines
            raise InputError(f"cannot write {self._path}: {error.strerror}") from None

    def _line(self, number: int, seats: tuple[int, int], hand: Hand) -> str:
        own = by_kind(LIMITS, self._rules, _no_limits)(self._rules)
        limits = hand.limits if isinstance(hand, TranslatedRecord) else own
        if limits is None:
            return move_line(number, seats, hand.moves, hand.utility)
        line = hand.line if isinstance(hand, TranslatedRecord) else line_of_moves(limits, hand.moves)
        names = (self._agents[seats[0]], self._agents[seats[1]])
        dealt = tuple(card for who, text in hand.moves if who == CHANCE for card in cards_of(text))
        end = line.end._replace(street=limits.last) if line.end.kind is Kind.SHOWDOWN else line.end
        kept = HoldemHand(names, limits, line._replace(end=end), (dealt[:2], dealt[2:4]), dealt[4:], hand.utility)
        return hand_line(number, kept, self._agents, own_rules=False)


LIMITS: dict[type, Callable[[Any], BettingRules | None]] = {Holdem: lambda rules: rules.limits}
"""The betting rules of games whose hands are kept as those of hold'em; others are kept move by move."""


def _no_limits(rules: Any) -> BettingRules | None:  # noqa: ARG001 - one shape for all
    return None


def line_of_moves(rules: BettingRules, moves: Sequence[tuple[int, str]]) -> BettingLine:
    """The line of a hand from the texts of its actions, whose amounts are of the street."""
    told: list[HandStep] = []
    seen = 0
    for who, text in moves:
        if who == CHANCE:
            seen += 1
            street = DEALT.index(seen - 4) if seen - 4 in DEALT else 0
            if street:
                told.append(HandStep(None, DEAL, DEALT[street] - DEALT[street - 1]))
            continue
        told.append(told_move(rules, who, text))
    try:
        return replay(rules, told)
    except HandError as error:
        raise InputError(f"the log cannot hold this hand: {error}") from None


def told_move(rules: BettingRules, who: int, text: str) -> HandStep:
    """The step of a player's action from its text, whose amount is of the street."""
    word, _, amount = text.partition(" ")
    letter = FOLD if word == "fold" else CALL if word in ("check", "call") else RAISE
    return HandStep(who, letter, round(float(amount) / rules.unit) if amount else 0)
