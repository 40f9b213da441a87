"""A log of hands against Slumbot, one JSON object per line, from which play resumes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from counterplay.errors import InputError
from counterplay.opponents.histories.slumbot_hands import chips_in

STACK = 20_000.0
"""Chips of each player at the start of a hand: the most that is won or lost in one."""
Chips = tuple[float, float]
_OWN = ("agent", "seat", "token")
"""Members that the log has of its own, and the server's token, which is not kept."""


class SlumbotLog:
    """Hands played so far, in a file that grows by one line per hand.

    The file changes only when a hand is added: a last line that was cut short is then dropped. Without a path nothing is
    kept.

    Args:
        path: the file, which need not exist.
        agent: name of the agent; the log of another agent is refused.

    Raises:
        InputError: a file that is not such a log, or the log of another agent.
    """

    def __init__(self, path: Path | None, agent: str) -> None:
        self._path, self._agent = path, agent
        self._whole: int | None = None
        self._glue = ""
        self.won: list[float] = []
        self.baseline: list[float] = []
        if path is not None and path.exists():
            self._read(path)

    def add(self, seat: int, chips: Chips, answer: dict[str, Any]) -> None:
        """Keep a finished hand.

        Args:
            seat: of the agent; 0 is the big blind.
            chips: as `chips_of` has them.
            answer: the server's answer at the end of the hand.

        Raises:
            InputError: the file cannot be written; the hand counts all the same.
        """
        self._keep(chips)
        line = {"agent": self._agent, "seat": seat} | {k: v for k, v in answer.items() if k not in _OWN}
        if self._path is not None:
            try:
                self._write(self._path, json.dumps(line) + "\n")
            except OSError as error:
                raise InputError(f"cannot write {self._path}: {error.strerror or error}") from None

    def _keep(self, chips: Chips) -> None:
        self.won.append(chips[0])
        self.baseline.append(chips[1])

    def _write(self, path: Path, line: str) -> None:
        if self._whole is not None:
            os.truncate(path, self._whole)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(self._glue + line)
            stream.flush()
            os.fsync(stream.fileno())
        self._whole, self._glue = None, ""

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        *lines, rest = content.split(b"\n")
        if rest and self._is_cut_short(rest, alone=not lines):
            self._whole = len(content) - len(rest)
        elif rest:  # whole but for its line break
            lines.append(rest)
            self._glue = "\n"
        for number, text in enumerate(lines, 1):
            self._keep(self._chips(path, number, text))

    def _is_cut_short(self, text: bytes, *, alone: bool) -> bool:
        """Whether a line is the beginning of one of ours; alone in its file, it must name the agent."""
        head = json.dumps({"agent": self._agent})[:-1].encode()
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return text.startswith(head) or (not alone and head.startswith(text))
        return False

    def _chips(self, path: Path, number: int, text: bytes) -> Chips:
        try:
            line = json.loads(text)
            chips, agent = chips_of(line), line["agent"]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            chips = None
        if chips is None or max(map(abs, chips)) > STACK:
            raise InputError(f"{path}: line {number} is not a hand of a log against Slumbot")
        if agent != self._agent:
            raise InputError(f"{path} is a log of {agent}, not of {self._agent}; give another file")
        return chips


def chips_of(answer: dict[str, Any]) -> Chips | None:
    """What the agent and Slumbot with the same cards won, the latter 0 if it is not told; None if these are no chips."""
    told = answer.get("winnings"), answer.get("baseline_winnings")
    won, baseline = chips_in(told[0]), chips_in(0.0 if told[1] is None else told[1])
    return None if won is None or baseline is None else (won, baseline)
