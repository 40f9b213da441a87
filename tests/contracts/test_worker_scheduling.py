"""Which pieces several workers get first, and how many workers there is room for. The results are those of one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import BR, RNR, InputError, Mix, Spot
from counterplay.measure.frontier import FrontierWork
from counterplay.poker.reports.flop_report import FlopReport, choose_flops
from counterplay.responses.matchup import Matchup
from counterplay.work import run_work as work_module
from counterplay.work.cluster import Cluster
from counterplay.work.processes import Processes
from counterplay.work.run_work import largest_first, run_work, workers_that_fit
from counterplay_papers.registry import reproduction
from counterplay_papers.runner import ExperimentWork
from tests.support.slow_work import SlowWork


@dataclass(frozen=True)
class SizedSquares(SlowWork):
    """Pieces of given sizes, that take as much memory as they are told to."""

    sizes: tuple[float, ...] = ()
    memory: float = 0.0

    def piece_size(self, key: str) -> float:
        return self.sizes[int(key)]

    def worker_memory(self) -> float:
        return self.memory


def _time(order: Sequence[str], workers: int, sizes: Sequence[float]) -> float:
    """When the last worker is done, if each takes the next piece as soon as it is free."""
    free = [0.0] * workers
    for key in order:
        next_one = free.index(min(free))
        free[next_one] += sizes[int(key)]
    return max(free)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=12), st.integers(2, 4))
def test_large_pieces_come_first_and_the_end_is_near_the_best(sizes: list[int], workers: int) -> None:
    """Graham (1969): by decreasing size, n workers end at most 4/3 - 1/(3 n) later than in the best order."""
    given_sizes = tuple(map(float, sizes))
    work = SizedSquares(len(sizes), 0.0, sizes=given_sizes)
    keys, order = list(work.keys()), largest_first(work, work.keys())
    assert sorted(order) == sorted(keys)
    assert [given_sizes[int(key)] for key in order] == sorted(given_sizes, reverse=True)
    others = (keys, keys[::-1], keys[1::2] + keys[::2], sorted(keys, key=work.piece_size))
    best = min(_time(some, workers, given_sizes) for some in others)
    assert _time(order, workers, given_sizes) <= (4 / 3 - 1 / (3 * workers)) * best + 1e-9


def test_pieces_of_unknown_or_equal_size_stay_in_order() -> None:
    for work in (SlowWork(4, 0.0), SizedSquares(4, 0.0, sizes=(2.0,) * 4)):
        assert largest_first(work, work.keys()) == work.keys()


def test_workers_begin_with_the_largest_piece_and_give_the_same_results() -> None:
    work, begun = SizedSquares(5, 0.0, sizes=(1.0, 5.0, 2.0, 4.0, 3.0)), list[str]()
    found = run_work(work, executor=Processes(2), watch=lambda piece: begun.append(piece.key))
    assert begun == ["1", "3", "4", "2", "0"]
    assert found == run_work(SlowWork(5, 0.0))
    assert list(found.results) == work.keys()


def test_slow_cells_and_whole_corners_come_first() -> None:
    work = ExperimentWork(reproduction("ses-matrix"), quick=False)
    slow = [work.cells[key].slow for key in largest_first(work, work.keys())]
    assert slow == sorted(slow, reverse=True)
    assert any(slow)
    assert not all(slow)


def test_chains_of_solves_come_before_single_ones() -> None:
    game = cp.load("leduc")
    methods = {"rnr": RNR(), "br": BR(), "mix": Mix()}
    work = FrontierWork(Matchup(game, cp.opponent(game, "uniform", player=1)), methods, 4)
    assert next(iter(largest_first(work, list(reversed(work.keys()))))) == "rnr"


def test_a_report_knows_what_a_flop_takes() -> None:
    table = {"board": "Qs Jh 2h", "pot": 60, "stack": 100, "bets": "50%, a"}
    spot = Spot.from_table({**table, "oop": "AA, KK", "ip": "QQ, JJ"})
    report = FlopReport(spot, choose_flops("23", spot.deck), precision="double")
    with pytest.raises(InputError, match="GiB is the limit"):
        replace(report, memory=report.worker_memory() - 1).check()
    replace(report, memory=report.worker_memory()).check()


def test_fewer_workers_are_started_where_there_is_no_room_for_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gib, crews = 2.0**30, list[int]()
    muster = Processes._muster

    def count(crew: Processes, *given: Any) -> None:
        muster(crew, *given)
        crews.append(len(crew._crew))

    monkeypatch.setattr(Processes, "_muster", count)
    monkeypatch.setattr(work_module, "free_memory", lambda: 2.5 * gib)
    tight = SizedSquares(4, 0.0, sizes=(1.0,) * 4, memory=1.5 * gib)
    crew = Processes(3)
    with crew.held():
        for _ in range(2):
            assert run_work(tight, executor=crew) == run_work(SlowWork(4, 0.0))
    assert crews == [1, 1]
    assert capsys.readouterr().err == (
        "a worker takes about 1.5 GiB for this, and 2.5 GiB are free: 1 of 3 workers are started\n"
    )
    with pytest.raises(InputError, match=r"about 3 GiB for this, and 2\.5 GiB are free: leave out --workers"):
        run_work(replace(tight, memory=3 * gib), executor=Processes(3))


@given(st.floats(0.1, 100), st.floats(0.1, 100), st.integers(2, 256))
def test_all_that_are_started_fit_and_one_more_would_not(free: float, needed: float, workers: int) -> None:
    work = SizedSquares(1, 0.0, sizes=(1.0,), memory=needed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work_module, "free_memory", lambda: free)
        if needed > free:
            with pytest.raises(InputError, match="are free"):
                workers_that_fit(work, workers)
            return
        count = workers_that_fit(work, workers)
        assert 1 <= count <= workers
        assert count * needed <= free * (1 + 1e-12)
        assert count == workers or (count + 1) * needed > free * (1 - 1e-12)
        assert workers_that_fit(SlowWork(1, 0.0), workers) == workers  # which does not know what it takes


def test_free_memory_is_what_the_system_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = tmp_path / "meminfo"
    monkeypatch.setattr(work_module, "_MEMINFO", told)
    assert work_module.free_memory() is None
    told.write_text("MemTotal:       4096 kB\nMemAvailable:   1024 kB\n")
    assert work_module.free_memory() == 2.0**20
    told.write_text("nothing of the kind")
    assert work_module.free_memory() is None


def test_a_worker_of_a_cluster_with_too_little_memory_is_refused() -> None:
    with LocalCluster(
        1, processes=False, threads_per_worker=1, dashboard_address=None, protocol="inproc", memory_limit="1GiB"
    ) as here:
        executor = Cluster(here.scheduler_address)
        sizes = (1.0, 2.0, 3.0)
        with pytest.raises(InputError, match=r"has 1 GiB of memory, and a worker takes about 2 GiB"):
            run_work(SizedSquares(3, 0.0, sizes=sizes, memory=2.0**31), executor=executor)
        found = run_work(SizedSquares(3, 0.0, sizes=sizes, memory=2.0**29), executor=executor)
    assert found == run_work(SlowWork(3, 0.0))
