"""The best so far on the compact engine is the best that was measured, however a solve ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay import Spot, Stop, solve_spot
from counterplay.commands.parsing.process import heed_termination
from counterplay.gametree.compile.load import load
from counterplay.jit import clock
from counterplay.poker.compact import compact_run
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.compact_solve import solve_run
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.public_tree.boards import tables_of
from counterplay.poker.public_tree.public_tree import boards_of
from counterplay.responses.street_lookahead import StoredSolve
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.minimiser import minimiser

RIVER = Spot("Qs Jh 2h 8d 3c", "QQ+,AK,76s", "JJ+,AQ,98s", 200, 550, "50%, a")  # type: ignore[arg-type]
METHOD = minimiser("dcfr:1.5,0,4")
LOOKS = (16, 32, 48)
"""Iterations after which this spot is looked at."""


def new_run(precision: str = "single") -> CompactRun:
    layout = CompactLayout(RIVER.betting, tables_of(boards_of(RIVER.betting, RIVER.cards, alike=True)))
    return CompactRun(layout, METHOD, precision)


def after(iterations: int, precision: str = "single") -> str:
    """The digest of the averages after so many iterations, without any look."""
    run = new_run(precision)
    run.advance(iterations)
    return Averages.of_run(run).digest()


@pytest.fixture(params=["memory", "file", "repeated"])
def rising(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Exploitability that is least after the second look, and copies in memory, in a file, or none in the first seconds; the
    folder of the cache."""
    measured = CompactRun.gap

    def rise(run: CompactRun) -> tuple[float, float]:
        nash_conv, value = measured(run)
        return nash_conv + 100.0 * (run.done != LOOKS[1]), value

    monkeypatch.setattr(CompactRun, "gap", rise)
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    if request.param == "file":
        monkeypatch.setattr(compact_run, "_IN_MEMORY", 1)
        monkeypatch.setattr(compact_run, "_CHUNK", 1000)
    monkeypatch.setattr(compact_run, "_SHORT", 1e9 if request.param == "repeated" else -1.0)
    yield tmp_path
    assert not list(tmp_path.rglob("*"))


def at(iterations: int, act: Callable[[], Any]) -> Callable[[int, float], None]:
    """A progress callback that acts at one look."""

    def progress(done: int, _: float) -> None:
        if done == iterations:
            act()

    return progress


def ctrl_c() -> None:
    raise KeyboardInterrupt


ENDS: dict[str, dict[str, Any]] = {
    "Ctrl-C": {"progress": at(LOOKS[2], ctrl_c)},
    "kill": {"progress": at(LOOKS[2], partial(os.kill, os.getpid(), signal.SIGTERM))},
    "iterations": {"stop": Stop(iterations=LOOKS[2])},
    "seconds": {"stop": Stop(seconds=30.0), "progress": at(LOOKS[2], lambda: SLEPT.append(60.0))},
}
SLEPT: list[float] = []


@pytest.mark.usefixtures("rising")
@pytest.mark.parametrize("precision", ["double", "single", "half"])
@pytest.mark.parametrize("end", ENDS)
def test_a_solve_ends_with_the_least_exploitable_averages(
    end: str, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are those of a solve of as many iterations, number by number."""
    SLEPT.clear()
    monkeypatch.setattr("counterplay.solvers.iterates.run_time", lambda: clock.run_time() + sum(SLEPT))
    usual = signal.getsignal(signal.SIGTERM)
    heed_termination()
    try:
        run = new_run(precision)
        found = solve_run(run, **({"stop": Stop()} | ENDS[end]))
    finally:
        signal.signal(signal.SIGTERM, usual)
    assert found.interrupted == (end in ("Ctrl-C", "kill"))
    assert Averages.of_run(run).digest() == after(LOOKS[1], precision)
    assert found.nash_conv == pytest.approx(Averages.of_run(run).gap()[0], abs=1e-4)


@pytest.mark.usefixtures("rising")
@pytest.mark.parametrize("when", ["_copy", "advance", "gap"])
def test_ctrl_c_at_any_moment(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the second look is copied, its averages are still there; later they are read back or computed again."""
    owner = compact_run.BestAverages if when == "_copy" else CompactRun
    real, cuts = getattr(owner, when), list[int]()

    def cut(self: Any, *given: Any) -> Any:
        run = self if when != "_copy" else self._run
        if when == "advance":
            real(self, *given)
        if not cuts and run.done >= LOOKS[1] + (when != "_copy"):
            cuts.append(run.done)
            raise KeyboardInterrupt
        return None if when == "advance" else real(self, *given)

    monkeypatch.setattr(owner, when, cut)
    run = new_run()
    found = solve_run(run, Stop(iterations=LOOKS[2]))
    assert found.interrupted == bool(cuts)
    assert cuts or when == "_copy"
    monkeypatch.undo()
    assert Averages.of_run(run).digest() == after(LOOKS[1])


@pytest.mark.usefixtures("rising")
def test_a_full_disk_costs_the_copy_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is then what the solve ends with, and its exploitability is told."""

    def full(_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compact_run.BestAverages, "_copy", full)
    monkeypatch.setattr(compact_run, "_SHORT", -1.0)
    run = new_run()
    found = solve_run(run, Stop(iterations=LOOKS[2]))
    assert Averages.of_run(run).digest() == after(LOOKS[2])
    assert found.nash_conv > 100.0


@pytest.mark.usefixtures("rising")
def test_a_solve_that_goes_on_does_so_from_its_latest_averages() -> None:
    """An agent plays the best so far, and resumes the solve as if it had not been cut off."""
    solve = StoredSolve(new_run(), Stop(exploitability=1e-9, iterations=32))
    played = []
    for _ in range(3):
        solve.advance()
        played.append(Averages.of_run(solve.run).digest())
    assert solve.iterations == 96
    assert played == [after(LOOKS[1])] * 3
    solve._best.before_advance()
    assert Averages.of_run(solve.run).digest() == after(96)


@pytest.mark.usefixtures("rising")
def test_every_solve_of_a_spot_ends_with_its_best() -> None:
    """Spots in single and half precision, and solves around a strategy."""
    for precision in ("single", "half"):
        found = solve_spot(RIVER, percent_of_pot=0.0, iterations=LOOKS[2], precision=precision)
        assert isinstance(found.plans, CompactPlans)
        assert found.plans.digest() == after(LOOKS[1], precision)
        again, _ = found.plans.solved_against(0, None, 1.0, METHOD, Stop(iterations=LOOKS[2]))
        assert again.digest() == after(LOOKS[1], precision)


def test_a_solve_whose_exploitability_rises() -> None:
    """Nothing is staged: this river is more exploitable after 32 iterations than after 16."""
    looks: list[float] = []
    found = solve_spot(
        RIVER, percent_of_pot=0.0, iterations=LOOKS[1], precision="single", progress=lambda _, now: looks.append(now)
    )
    assert looks[0] < looks[1]
    assert found.facts["exploitability"] == pytest.approx(looks[0], abs=1e-9)
    assert 0.5 * found.plans.gap()[0] == pytest.approx(looks[0], abs=1e-3)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("single", [False, True])
def test_array_solves_end_with_the_least_exploitable_averages(
    end: str, single: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    SLEPT.clear()
    monkeypatch.setattr("counterplay.solvers.iterates.run_time", lambda: clock.run_time() + sum(SLEPT))
    problem, measured, looks = load("leduc").subgame, gap, list[int]()

    def rising(subgame: Any, plans: Any) -> tuple[float, float]:
        looks.append(1)
        nash_conv, value = measured(subgame, plans)
        return nash_conv + 100.0 * (len(looks) != 3), value  # the first is before any iteration

    exact = solve_cfr(problem, METHOD, Stop(iterations=LOOKS[1]), look=False, single=single).plans
    monkeypatch.setattr("counterplay.solvers.cfr.gap", rising)
    usual = signal.getsignal(signal.SIGTERM)
    heed_termination()
    try:
        found = solve_cfr(problem, METHOD, **({"stop": Stop()} | ENDS[end]), single=single)
    finally:
        signal.signal(signal.SIGTERM, usual)
    for ours, theirs in zip(found.plans, exact, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert found.nash_conv == pytest.approx(measured(problem, found.plans)[0], abs=1e-6)
