"""A log of hands against Slumbot, one JSON object per line, from which play resumes."""

from __future__ import annotations

import json
import os
from math import isfinite
from pathlib import Path
from typing import Any

from counterplay.errors import InputError


class SlumbotLog:
    """Hands played so far, in a file that grows by one line per hand.

    A last line that was cut short is dropped. Without a path nothing is kept.

    Args:
        path: the file, which need not exist.
        agent: name of the agent; the log of another agent is refused.

    Raises:
        InputError: a file that is not such a log, or the log of another agent.
    """

    def __init__(self, path: Path | None, agent: str) -> None:
        self._path, self._agent = path, agent
        self.won: list[float] = []
        self.baseline: list[float] = []
        if path is not None and path.exists():
            self._read(path)

    def add(self, seat: int, answer: dict[str, Any]) -> None:
        """Keep a finished hand.

        Args:
            seat: of the agent; 0 is the big blind.
            answer: the server's answer at the end of the hand.
        """
        line = {"agent": self._agent, "seat": seat} | {k: v for k, v in answer.items() if k != "token"}
        self._keep(line)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
                stream.flush()
                os.fsync(stream.fileno())

    def _keep(self, line: dict[str, Any]) -> None:
        self.won.append(float(line["winnings"]))
        self.baseline.append(float(line.get("baseline_winnings") or 0.0))

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        for number, text in enumerate(whole.splitlines(), 1):
            self._keep(self._line(path, number, text))
        if len(whole) < len(content):
            os.truncate(path, len(whole))

    def _line(self, path: Path, number: int, text: bytes) -> dict[str, Any]:
        try:
            line = json.loads(text)
            fine = isfinite(float(line["winnings"])) and isfinite(float(line.get("baseline_winnings") or 0.0))
            agent = line["agent"]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            fine = False
        if not fine:
            raise InputError(f"{path}: line {number} is not a hand of a log against Slumbot")
        if agent != self._agent:
            raise InputError(f"{path} is a log of {agent}, not of {self._agent}; give another file")
        return dict(line)
