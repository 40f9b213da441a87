"""Progress on stderr: a line of text a minute in logs, nothing where it is not wanted."""

from __future__ import annotations

import pytest

from counterplay import progress_line
from counterplay.progress_line import LogLine


def test_a_log_gets_a_line_a_minute(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    line = LogLine()
    for second in range(0, 200, 10):
        clock[0] = float(second)
        line.show("solving", second, 200)
    assert capsys.readouterr().err.splitlines() == [
        "solving, 30%, 1 min",
        "solving, 60%, 2 min",
        "solving, 90%, 3 min",
    ]


def test_short_work_leaves_a_log_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_line.progress_line("solving", quiet=False) as show:
        assert show is not None
        show("solving", 1, 2)
    assert capsys.readouterr().err == ""


def test_quiet_work_is_not_watched() -> None:
    with progress_line.progress_line("solving", quiet=True) as show:
        assert show is None
