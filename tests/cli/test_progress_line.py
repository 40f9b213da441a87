"""Progress on stderr: lines of text in logs, nothing where it is not wanted."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

import counterplay as cp
from counterplay import progress_line
from counterplay.commands.printing.solve_progress import SolveProgress
from counterplay.measure import progress
from counterplay.poker.whole_game.sampling.board_split import RoundProgress
from counterplay.solvers import equilibrium
from counterplay.solvers.cfr import Stop, begin_part
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


def test_a_solve_says_how_far_its_round_is_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, lines = iter([100.0, 110.0, 120.0, 130.0]), list[str]()
    monkeypatch.setattr("counterplay.commands.printing.solve_progress.monotonic", lambda: next(clock))
    telling = SolveProgress(lambda text, *_: lines.append(text), {"iterations": 2000, "seconds": 60.0}, "")
    telling.watch_round(RoundProgress(1000, 0, 400))  # a solve that goes on
    telling.watch_round(RoundProgress(1100, 100, 400))
    telling.watch_round(RoundProgress(1400, 400, 400))
    telling.watch(1400, 7.0)
    assert lines == [
        "1,000 iterations, 0 of 400 boards of this round, 60 s left",
        "1,100 iterations, 100 of 400 boards of this round, 50 s left",  # 100 s by its iterations
        "1,400 iterations, 400 of 400 boards of this round, 30 s left",  # 40 s by its time
        "1,400 iterations, 400 of 400 boards of this round, exploitability 7 milli-big-blinds, 30 s left",
    ]


def test_what_is_left_of_a_solve_is_unknown_until_something_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, lines = iter([0.0, 10.0, 20.0]), list[str]()
    monkeypatch.setattr("counterplay.commands.printing.solve_progress.monotonic", lambda: next(clock))
    telling = SolveProgress(lambda text, *_: lines.append(text), {"iterations": 40, "exploitability": 5.0}, " there")
    for iterations, found in ((0, float("nan")), (10, 50.0), (20, float("nan"))):
        telling.watch(iterations, found)
    told = ", exploitability 50 milli-big-blinds there, at most"
    assert lines == ["0 iterations", f"10 iterations{told} 30 s left", f"20 iterations{told} 20 s left"]


def test_short_work_leaves_a_log_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_line.progress_line("solving", quiet=False) as show:
        assert show is not None
        show("solving", 1, 2)
    assert capsys.readouterr().err == ""


def test_quiet_work_is_not_watched() -> None:
    with progress_line.progress_line("solving", quiet=True) as show:
        assert show is None


def test_solves_are_numbered_and_tell_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exploitability 100 / t falls to 1 after 100 iterations of a second each; the next solve begins anew."""
    lines: list[str] = []
    line = SimpleNamespace(show=lambda text, *_: lines.append(text), stop=lambda: None)
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(progress, "make_line", lambda _: line)
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    with progress.Bar(Stop(1.0), quiet=False) as show:
        assert show is not None
        for iterations in (10, 40, 80, 10, 20):
            clock.now += 30.0 if iterations == 40 else 40.0
            show(iterations, 100.0 / iterations)
    assert ["left" in text for text in lines] == [False, True, True, False, True]
    assert lines[1].endswith(", about 60 s left")
    assert lines[3].startswith("solve 2: 10 iterations")


def test_a_part_that_tells_no_iterations_is_named_and_not_called_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[object, ...]] = []
    monkeypatch.setattr(
        progress, "make_line", lambda _: SimpleNamespace(show=lambda *told: shown.append(told), stop=int)
    )
    with progress.Bar(Stop(1.0), quiet=False) as show:
        begin_part(show, "response")
        assert show is not None
        show(10, 8.0)
        show(80, 1.0)
        begin_part(show, "value by linear program")
        begin_part(show, "response by linear program")
        show(5, 4.0)
    assert [told[1] for told in shown] == [None, pytest.approx(0.0), 1.0, None, None, pytest.approx(0.0)]
    assert [str(told[0]).split(", exp")[0] for told in shown] == [
        "response", "10 iterations", "80 iterations", "solve 2: value by linear program",
        "solve 2: response by linear program", "solve 2: 5 iterations",
    ]  # fmt: skip
    begin_part(lambda *_: None, "linear program")  # a function is told iterations alone


def test_the_bar_of_a_part_without_an_end_is_not_full() -> None:
    bar = progress_line.BarLine("solving")
    bar.show("80 iterations", 1.0, 1.0)
    bar.show("linear program", None, None)
    assert [task.total for task in bar._bar.tasks] == [None]
    bar.stop()


class _Heard:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def __call__(self, iterations: int, exploitability: float) -> None:
        self.parts.append("iterations")

    def begin_part(self, part: str) -> None:
        self.parts.append(part)


@pytest.mark.parametrize(
    ("method", "parts"),
    [
        ("bne", ["value by linear program", "response by linear program"]),
        ("cdbr", [f"look-ahead {step} of 2" for step in (1, 2)]),
        ("rnr:p=0.5", ["iterations"]),
    ],
)
def test_what_comes_after_the_equilibrium_is_named(
    method: str, parts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equilibrium, "LP_UP_TO", 0)
    game, heard = cp.load("kuhn"), _Heard()
    cp.respond(game, cp.opponent(game, "uniform"), method, solver="cfr+", progress=heard, stop=Stop(1e-3))
    begins = heard.parts.index("response")
    assert set(heard.parts[:begins]) == {"iterations"}
    assert list(dict.fromkeys(heard.parts[begins + 1 :])) == parts
