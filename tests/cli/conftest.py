"""Commands in this process: their errors and their help."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., str]:
    """A function that runs `counterplay WORDS`, sees it end with code 2, and returns its sentence."""
    from counterplay.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["counterplay", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            main()
        shown = capsys.readouterr()
        assert ending.value.code == 2
        assert shown.out == ""
        return shown.err.splitlines()[-1]

    return call


@pytest.fixture
def helped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A function that returns the help of a command, for a terminal of some columns."""
    from counterplay.cli import main

    def call(command: str, columns: int = 100) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["counterplay", command, "--help"])
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out

    return call
