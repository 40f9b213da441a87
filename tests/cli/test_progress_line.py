"""Progress on stderr: lines of text in logs, nothing where it is not wanted."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

import counterplay as cp
from counterplay import Stop, progress_line
from counterplay.commands.blueprint import SolveProgress
from counterplay.measure import progress
from counterplay.poker.whole_game.blueprints.board_split import RoundProgress
from counterplay.solvers import equilibrium
from counterplay.solvers.cfr import begin_part
from counterplay.work.run_work import WorkProgress, watch_pieces


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
    assert lines[-1] == "solving, after a while"


class Clock:
    """`time.monotonic` and `time.perf_counter` that go on when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        fake = SimpleNamespace(monotonic=lambda: self.now, perf_counter=lambda: self.now)
        for module in (progress_line, progress):
            monkeypatch.setattr(module, "time", fake)
        monkeypatch.setattr("counterplay.commands.blueprint.monotonic", lambda: self.now)


@pytest.fixture(name="clock")
def fixture_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_work_says_how_many_of_its_pieces_are_done() -> None:
    shown: list[Any] = []
    watch = watch_pieces(lambda *told: shown.append(told), "measured")
    watch(WorkProgress("flop 7", 4, 20, 3, 119.0))
    watch_pieces(lambda *told: shown.append(told), "computed", named=True)(WorkProgress("leduc", 1, 3, 0, None))
    assert [f"{text}{left or ''}" for text, _, _, left in shown] == [
        "measured 3 of 20 parts, about 2 min left",
        "computed 0 of 3 parts, now leduc",
    ]


def test_an_estimate_counts_down_and_is_dropped_when_its_time_is_over(clock: Clock) -> None:
    """Two of three parts of 11 seconds each: that the third is longer shows after as many."""
    left = progress_line.Left(11.0)
    texts = []
    for clock.now in (0.0, 5.0, 10.0, 11.0, 400.0):
        texts.append(str(left))
    assert texts == [", about 11 s left", ", about 6 s left", ", about 1 s left", "", ""]


@pytest.mark.parametrize(
    ("ends", "left"),
    [
        ([10.0, 20.0, 30.0], 20.0),  # even parts, two of them to come
        ([10.0, 20.0, 30.0, 300.0], None),  # one part that took far longer
        ([10.0, 11.0, 12.0, 13.0, 14.0, 15.0], 2.0),  # a slow start is over
        ([10.0], None),
        ([10.0, 20.0], 20.0),
        ([10.0, 12.0], None),
    ],
)
def test_time_left_comes_from_the_recent_pace(ends: list[float], left: float | None) -> None:
    pace = progress_line.RecentPace()
    pace.saw(0.0, 0.0)
    for done, now in enumerate(ends, 1):
        pace.saw(float(done), now)
    found = pace.seconds(2.0)
    assert found == (None if left is None else pytest.approx(left))


def test_nothing_is_foretold_of_a_solve_before_its_pace_is_known() -> None:
    """A flop with few cards first, 4 s an iteration: two looks gave 133 h after 16 iterations. What is told later is within
    a factor of two."""
    looks = [(4, 10.4), (16, 2.1), (32, 1.15), (54, 0.67), (65, 0.60), (76, 0.55), (89, 0.488)]
    pace, found = progress_line.SolvePace(0.5), dict[int, float | None]()
    for iterations, exploitability in looks:
        pace.saw(iterations, exploitability, 4.0 * iterations)
        found[iterations] = pace.seconds()
    assert found[4] is None
    assert found[16] is None
    assert found[89] is None  # it is there
    for iterations in (32, 54, 65, 76):
        told = found[iterations]
        assert told is not None
        assert 0.5 < told / (4.0 * (87 - iterations)) < 2.0


@pytest.mark.usefixtures("clock")
def test_a_solve_that_no_longer_falls_has_no_end() -> None:
    pace = progress_line.SolvePace(0.1)
    for iterations, exploitability in ((16, 4.0), (32, 2.0), (64, 1.0), (128, 1.0)):
        pace.saw(iterations, exploitability, float(iterations))
    assert pace.seconds() is None
    assert progress_line.soonest([None, None]) is None
    assert str(progress_line.soonest([None, 70.0])) == ", at most 70 s left"
    assert str(progress_line.soonest([90.0, 70.0])) == ", about 70 s left"


def test_a_solve_says_how_far_its_round_is_and_what_is_left(clock: Clock) -> None:
    lines = list[str]()
    telling = SolveProgress(
        lambda text, _, __, left=None: lines.append(f"{text}{left or ''}"), {"iterations": 2000, "seconds": 60.0}, ""
    )
    telling.watch_round(RoundProgress(1000, 0, 400))  # a solve that goes on
    for clock.now, done in ((10.0, 100), (20.0, 200), (30.0, 400)):
        telling.watch_round(RoundProgress(1000 + done, done, 400))
    clock.now = 40.0
    telling.watch(1600, 7.0)
    assert lines == [
        "1,000 iterations, 0 of 400 boards of this round, at most 60 s left",
        "1,100 iterations, 100 of 400 boards of this round, at most 50 s left",
        "1,200 iterations, 200 of 400 boards of this round, about 40 s left",  # 80 s by its iterations
        "1,400 iterations, 400 of 400 boards of this round, at most 30 s left",  # the pace has doubled
        "1,600 iterations, 400 of 400 boards of this round, exploitability 7 milli-big-blinds, about 20 s left",
    ]


def test_what_is_left_of_a_solve_is_unknown_until_something_is_done(clock: Clock) -> None:
    """What an exploitability needs is not known, and iterations are a limit then."""
    lines = list[str]()
    telling = SolveProgress(
        lambda text, _, __, left=None: lines.append(f"{text}{left or ''}"),
        {"iterations": 40, "exploitability": 5.0},
        " there",
    )
    for iterations, found in ((0, float("nan")), (10, 50.0), (20, float("nan"))):
        telling.watch(iterations, found)
        clock.now += 10.0
    told = ", exploitability 50 milli-big-blinds there"
    assert lines == ["0 iterations", f"10 iterations{told}", f"20 iterations{told}, at most 20 s left"]


def test_short_work_leaves_a_log_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_line.progress_line("solving", quiet=False) as show:
        assert show is not None
        show("solving", 1, 2)
    assert capsys.readouterr().err == ""


def test_quiet_work_is_not_watched() -> None:
    with progress_line.progress_line("solving", quiet=True) as show:
        assert show is None


def shown_by(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What a bar shows: texts, amounts done, totals, and the time left."""
    shown: list[tuple[Any, ...]] = []

    def show(text: str, done: float | None, total: float | None, left: Any = None) -> None:
        shown.append((text, done, total, str(left or "")))

    monkeypatch.setattr(progress, "make_line", lambda _: SimpleNamespace(show=show, stop=int))
    return shown


def test_solves_are_numbered_and_tell_the_time_that_is_left(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exploitability 100 / t falls to 1 after 100 iterations of a second each; the next solve begins anew. The bar is of the
    time."""
    shown = shown_by(monkeypatch)
    with progress.Bar(Stop(1.0), quiet=False) as show:
        assert show is not None
        before = 0
        for iterations in (10, 20, 40, 80, 10, 20):
            clock.now += iterations - before if iterations > before else iterations
            before = iterations
            show(iterations, 100.0 / iterations)
    assert [left for *_, left in shown] == ["", "", ", about 60 s left", ", about 20 s left", "", ""]
    assert [told[1:3] for told in shown[2:5]] == [
        (40.0, pytest.approx(100.0)),
        (80.0, pytest.approx(100.0)),
        (None, None),
    ]
    assert shown[4][0].startswith("solve 2: 10 iterations")


def test_a_limit_of_iterations_beside_an_exploitability_is_an_upper_bound(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is said to be done by a share of work that may be far less."""
    shown = shown_by(monkeypatch)
    with progress.Bar(Stop(1.0, 100), quiet=False) as show:
        assert show is not None
        for iterations in (10, 20, 30):
            clock.now += 10.0
            show(iterations, 50.0)
    assert shown[-1] == ("30 iterations, exploitability 50 chips", None, None, ", at most 70 s left")


def test_a_part_that_tells_no_iterations_is_named_and_not_called_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_by(monkeypatch)
    with progress.Bar(Stop(1.0), quiet=False) as show:
        begin_part(show, "response")
        assert show is not None
        show(10, 8.0)
        show(80, 1.0)
        begin_part(show, "value by linear program")
        begin_part(show, "response by linear program")
        show(5, 4.0)
    assert all(told[1] is None for told in shown)
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
