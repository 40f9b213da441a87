"""Keeping the hands of a match, one line each, as `opponents.histories.match_log` reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from counterplay.errors import InputError
from counterplay.measure.observed_results import holdem_hand
from counterplay.measure.play_hand import Hand
from counterplay.measure.translated_table import TranslatedRecord
from counterplay.opponents.histories.match_log import first_line, hand_line, move_line
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind

LIMITS: dict[type, Callable[[Any], BettingRules | None]] = {Holdem: lambda rules: rules.limits}
"""The betting rules of games whose hands are kept as those of hold'em; others are kept move by move."""
DIGESTS: dict[type, Callable[[Any], str]] = {SpotRules: lambda rules: str(rules.digest)}
"""Tell a game from others whose texts may be the same: a path may name another spot tomorrow."""


class MatchRecorder:
    """A file that grows by one line a hand; used as a context. It is not touched before the first hand is over, so that
    a match that fails at its start leaves what was there. The log can be read without the text of its game, but not
    compared."""

    def __init__(self, path: Path, game: str, rules: Any, agents: Sequence[str], seed: int) -> None:
        self._path, self._limits = path, by_kind(LIMITS, rules, lambda _: None)(rules)
        alike = len(set(agents)) < len(agents)
        self._agents = [f"{name} {k}" if alike else name for name, k in zip(agents, "AB", strict=True)]
        digest = by_kind(DIGESTS, rules, lambda _: "")(rules)
        self._first = first_line(game, self._agents, {"seed": seed} | ({"spot": digest} if digest else {}))
        self._stream: TextIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            with suppress(OSError):  # the lines that could not be written have been told
                self._stream.close()

    def keep(self, number: int, seat_of_a: int, hand: Hand) -> None:
        """Write a hand."""
        seats = (0, 1) if seat_of_a == 0 else (1, 0)
        limits = hand.limits if isinstance(hand, TranslatedRecord) else self._limits
        if limits is None:
            line = move_line(number, seats, hand.moves, hand.utility)
        else:
            names = (self._agents[seats[0]], self._agents[seats[1]])
            line = hand_line(number, holdem_hand(limits, hand, names), self._agents, own_rules=False)
        try:
            if self._stream is None:
                self._stream = self._path.open("w", encoding="utf-8")
                line = f"{self._first}\n{line}"
            self._stream.write(line + "\n")
            self._stream.flush()
        except OSError as error:  # the hands before it are whole lines
            raise InputError(f"cannot write {self._path}: {error.strerror}") from None
