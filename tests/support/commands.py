"""Commands run in the process of the tests: no interpreter starts and nothing is imported again."""

from __future__ import annotations

import io
import json
import sys
from typing import Any, NamedTuple

import pytest

from counterplay.cli import main


class Ended(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What a command printed with --json."""
        return json.loads(self.out)


class Runner:
    """`runner(WORDS)` runs `counterplay WORDS` in the current folder; typed: what its user types."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *words: str, typed: str | bytes = "") -> Ended:
        data = typed.encode() if isinstance(typed, str) else typed
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        self._monkeypatch.setattr(sys, "argv", ["counterplay", *words])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            main()
        return Ended(int(ending.value.code or 0), *self._capsys.readouterr())
