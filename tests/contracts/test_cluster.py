"""Work on a cluster: equal results, and nothing lost when a worker, the scheduler or the client dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from counterplay import InputError
from counterplay.work import cluster
from counterplay.work.cluster import Cluster, check_address
from counterplay.work.processes import Processes, executor_of, read_workers
from counterplay.work.run_work import run_work
from counterplay.work.work_record import WorkRecord
from tests.support.local_scheduler import ROOT, LocalScheduler
from tests.support.slow_work import SLOW, SlowWork

_CLIENT = """
import signal
import sys
from pathlib import Path
from counterplay.work.cluster import Cluster
from counterplay.work.run_work import run_work
from counterplay.work.work_record import WorkRecord
from tests.support.slow_work import SlowWork
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
work = SlowWork(8, 0.3)
found = run_work(work, record=WorkRecord(Path(sys.argv[2]), work.identity()), executor=Cluster(sys.argv[1]))
print(found.interrupted, *found.results)
"""


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalScheduler]:
    found = LocalScheduler(tmp_path)
    found.wait()
    yield found
    found.end()


def test_an_address_is_checked_and_no_cluster_is_guessed() -> None:
    assert read_workers("3") == 3
    assert read_workers("tcp://127.0.0.1:8786") == "tcp://127.0.0.1:8786"
    assert isinstance(executor_of("tcp://127.0.0.1:8786"), Cluster)
    for text in ("", "0", "-1", "257", "localhost:8786", "tcp://", "tcp://host", "http://x:1", "tcp://x:y", "1.5"):
        with pytest.raises(InputError):
            read_workers(text)
    check_address("tls://cluster.example:8786")


def test_an_absent_scheduler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    with pytest.raises(InputError, match="there is no scheduler at tcp://127"):
        run_work(SlowWork(1, 0.0), executor=Cluster("tcp://127.0.0.1:9"))


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises, also where the tests run in the background."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


@pytest.mark.usefixtures("interruptible")
def test_interrupted_work_keeps_what_is_done_and_frees_the_cluster(tmp_path: Path) -> None:
    work, path = SlowWork(9, 0.02, interrupts=4), tmp_path / "pieces.work"
    with LocalCluster(1, processes=False, threads_per_worker=1, dashboard_address=None, protocol="inproc") as here:
        executor = Cluster(here.scheduler_address)
        cut = run_work(work, record=WorkRecord(path, work.identity()), executor=executor)
        assert cut.interrupted
        assert cut.results == WorkRecord(path, work.identity()).results
        assert set(cut.results) <= set("01234")
        begun, rest = list[str](), WorkRecord(path, work.identity())
        whole = run_work(SlowWork(9, 0.0), record=rest, executor=executor, watch=lambda piece: begun.append(piece.key))
    assert whole.results == {str(k): k**2 for k in range(9)}
    assert sorted(begun) == sorted(set(work.keys()) - set(cut.results))


@pytest.mark.slow
def test_results_are_those_of_one_process_and_errors_come_back(local: LocalScheduler) -> None:
    assert run_work(SlowWork(7, 0.01), executor=Cluster(local.address)) == run_work(SlowWork(7, 0.0))
    with pytest.raises(InputError, match="piece 3 fails"):
        run_work(SlowWork(5, 0.01, fails=3), executor=Cluster(local.address))
    assert len(run_work(SlowWork(7, 0.01), executor=Cluster(local.address)).results) == 7


def _listening(process: int) -> list[str]:
    """Addresses at which a process accepts connections, as the system writes them in hexadecimal."""
    sockets = {os.readlink(one) for one in Path(f"/proc/{process}/fd").iterdir() if one.is_symlink()}
    lines = [
        line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]
    ]
    return [line[1].partition(":")[0] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the system does not tell who listens")
def test_nothing_listens_but_on_loopback(local: LocalScheduler) -> None:
    before, there = _listening(os.getpid()), list[str]()

    def look(_: Any) -> None:
        there.extend(_listening(os.getpid()))

    run_work(SlowWork(4, 0.01), executor=Cluster(local.address), watch=look)
    run_work(SlowWork(4, 0.01), executor=Processes(2), watch=look)
    assert before == there == []
    for process in (local.scheduler, *local.workers):
        assert set(_listening(process.pid)) == {"0100007F"}  # 127.0.0.1


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_nothing_counts_twice(local: LocalScheduler) -> None:
    work, seen = SlowWork(12, 0.3), list[str]()

    def done(key: str, _: Any) -> None:
        seen.append(key)
        if len(seen) == 2:
            local.workers[0].send_signal(signal.SIGKILL)

    found = run_work(work, executor=Cluster(local.address), done=done)
    assert found.results == {str(k): k**2 for k in range(12)}
    assert sorted(seen) == sorted(work.keys())


@pytest.mark.slow
def test_work_waits_for_new_workers_when_all_are_killed(local: LocalScheduler) -> None:
    work, seen = SlowWork(8, 0.3), list[str]()

    def done(key: str, _: Any) -> None:
        seen.append(key)
        if len(seen) == 2:
            for worker in local.workers:
                worker.kill()
                worker.wait()
            local.workers.append(local.add())

    assert run_work(work, executor=Cluster(local.address), done=done).results == {str(k): k**2 for k in range(8)}
    assert sorted(seen) == sorted(work.keys())


@pytest.mark.slow
def test_work_after_work_waits_for_new_workers(local: LocalScheduler) -> None:
    work, executor = SlowWork(3, 0.0), Cluster(local.address)
    with executor.held():
        assert len(run_work(work, executor=executor).results) == 3
        for worker in local.workers:
            worker.kill()
            worker.wait()
        threading.Timer(2.0, lambda: local.workers.append(local.add())).start()
        assert len(run_work(work, executor=executor).results) == 3
    for worker in local.workers:
        worker.kill()
        worker.wait()
    while _has_workers(local):
        time.sleep(0.1)
    with pytest.raises(InputError, match="has no workers"):
        run_work(work, executor=executor)


def _has_workers(local: LocalScheduler) -> bool:
    """Whether the scheduler still counts a worker."""
    with Client(local.address, set_as_default=False) as client:
        return bool(client.nthreads())


@pytest.mark.slow
def test_fast_workers_take_over_from_a_slow_one(tmp_path: Path) -> None:
    local = LocalScheduler(tmp_path, workers=1)
    try:
        local.workers.append(local.add({SLOW: "3"}))
        local.wait()
        work, seen, begin = SlowWork(20, 0.1), list[str](), time.monotonic()
        found = run_work(work, executor=Cluster(local.address), done=lambda key, _: seen.append(key))
        assert found.results == {str(k): k**2 for k in range(20)}
        assert sorted(seen) == sorted(work.keys())
        assert time.monotonic() - begin < 20  # the half of the pieces would take the slow one 31 s
    finally:
        local.end()


@pytest.mark.slow
def test_a_piece_that_ends_every_worker_is_named(local: LocalScheduler) -> None:
    spare = [local.add() for _ in range(4)]
    with pytest.raises(InputError, match=r"computed 1 ended|no workers|is gone"):
        run_work(SlowWork(2, 0.1, dies=1), executor=Cluster(local.address))
    for process in spare:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_lost_scheduler_keeps_what_is_there(local: LocalScheduler, tmp_path: Path) -> None:
    work, path = SlowWork(12, 0.3), tmp_path / "pieces.work"

    def done(_: str, __: Any) -> None:
        if len(WorkRecord(path, work.identity()).results) == 3:
            local.scheduler.send_signal(signal.SIGKILL)

    with pytest.raises(InputError, match=r"the scheduler at .* is gone"):
        run_work(work, record=WorkRecord(path, work.identity()), executor=Cluster(local.address), done=done)
    kept = WorkRecord(path, work.identity())
    assert len(kept.results) >= 3
    assert run_work(SlowWork(12, 0.0), record=kept).results == {str(k): k**2 for k in range(12)}


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_an_ended_client_keeps_its_record_and_frees_the_cluster(
    local: LocalScheduler, tmp_path: Path, by: signal.Signals
) -> None:
    path, work = tmp_path / "pieces.work", SlowWork(8, 0.3)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    words = [sys.executable, "-c", _CLIENT, local.address, str(path)]
    client = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)
    while not path.is_file() or not WorkRecord(path, work.identity()).results:
        assert client.poll() is None
        time.sleep(0.05)
    client.send_signal(by)
    told, _ = client.communicate(timeout=60)
    kept = WorkRecord(path, work.identity())
    assert 1 <= len(kept.results) < 8
    assert (client.returncode, told.split()) == (
        (0, ["True", *kept.results]) if by == signal.SIGINT else (-signal.SIGKILL, [])
    )
    assert run_work(work, record=kept, executor=Cluster(local.address)).results == {str(k): k**2 for k in range(8)}


@pytest.mark.slow
def test_another_version_is_refused(local: LocalScheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "version", lambda: "0.0.0")
    with pytest.raises(InputError, match=r"has version .* of counterplay, and not 0\.0\.0"):
        run_work(SlowWork(2, 0.0), executor=Cluster(local.address))
