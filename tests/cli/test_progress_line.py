"""Progress on stderr: lines of text in logs, nothing where it is not wanted."""

from __future__ import annotations

import threading

import pytest

from counterplay import progress_line
from counterplay.work.progress import describe
from counterplay.work.run_work import WorkProgress


def test_a_log_gets_a_line_after_a_second_then_every_ten_then_every_minute() -> None:
    spent, seen = 0.0, []
    while spent < 200.0:
        spent += progress_line.pause(spent)
        seen.append(spent)
    assert seen == [1.0, 11.0, 21.0, 31.0, 41.0, 51.0, 61.0, 121.0, 181.0, 241.0]


def test_long_work_announces_itself_even_if_it_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = threading.Semaphore(0)

    def spent(_: float) -> str:
        told.release()
        return "a while"

    monkeypatch.setattr(progress_line, "pause", lambda _: 0.01)
    monkeypatch.setattr(progress_line, "duration", spent)
    with progress_line.progress_line("solving", quiet=False) as show:
        assert show is not None
        assert told.acquire(timeout=10.0)
        show("solving", 30, 200)
        assert told.acquire(timeout=10.0)
        assert told.acquire(timeout=10.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "solving, after a while"
    assert lines[-1] == "solving, 15%, after a while"


def test_work_says_how_many_of_its_pieces_are_done() -> None:
    piece = WorkProgress("flop 7", 4, 20, 3, 119.0)
    assert describe("measured", piece, named=False) == "measured 3 of 20 parts, 2 min left"
    first = WorkProgress("leduc", 1, 3, 0, None)
    assert describe("computed", first, named=True) == "computed 0 of 3 parts, now leduc"


def test_short_work_leaves_a_log_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_line.progress_line("solving", quiet=False) as show:
        assert show is not None
        show("solving", 1, 2)
    assert capsys.readouterr().err == ""


def test_quiet_work_is_not_watched() -> None:
    with progress_line.progress_line("solving", quiet=True) as show:
        assert show is None
