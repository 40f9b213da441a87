"""A worker is a fork where that is safe, else a new process: results are equal, and both end with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from counterplay import InputError
from counterplay.jit.threads import OURS
from counterplay.work import worker
from counterplay.work.processes import Processes
from counterplay.work.run_work import run_work
from counterplay.work.worker import can_fork
from tests.support.slow_work import SlowWork

_PARENT = """
import signal
from counterplay.work import worker
from counterplay.work.processes import Processes
from counterplay.work.run_work import run_work
from tests.support.slow_work import SlowWork
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
assert worker.can_fork()
kinds = iter([True, False, True])
worker.can_fork = lambda: next(kinds)
executor = Processes(3)
print("written once", end=" ")
def tell(key, result):
    print(*(worker._process.pid for worker in executor._crew), flush=True)
run_work(SlowWork(60, 0.1), executor=executor, done=tell)
"""


@pytest.mark.parametrize("forks", [True, False])
def test_both_kinds_of_workers_give_equal_results_and_errors(forks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "can_fork", lambda: forks)
    executor = Processes(2)
    with executor.held():
        assert run_work(SlowWork(7, 0.0), executor=executor) == run_work(SlowWork(7, 0.0))
        workers = [worker._process for worker in executor._crew]
        assert [type(one) is subprocess.Popen for one in workers] == [not forks] * 2
        assert run_work(SlowWork(3, 0.0), executor=executor).results == {"0": 0, "1": 1, "2": 4}
        with pytest.raises(InputError, match="piece 1 fails"):
            run_work(SlowWork(2, 0.0, fails=1), executor=executor)
        assert [one.poll() for one in workers] == [-signal.SIGKILL] * 2
    with pytest.raises(InputError, match="a worker ended unexpectedly"):
        run_work(SlowWork(1, 0.0, dies=0), executor=Processes(1))


def test_nothing_is_forked_beside_threads_or_libraries_that_may_hold_something(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in worker._THREADED:
        monkeypatch.delitem(sys.modules, name, raising=False)
    others = [one for one in threading.enumerate() if one is not threading.current_thread()]
    if sys.platform != "linux" or not all(one.name.startswith(OURS) for one in others):
        pytest.skip("there are other threads here already, or the system forks otherwise")
    assert can_fork()
    done = threading.Event()
    for name, free in ((f"{OURS} some", True), ("other", False)):
        thread = threading.Thread(target=done.wait, name=name)
        thread.start()
        assert can_fork() == free
        done.set()
        thread.join()
        done.clear()
    monkeypatch.setitem(sys.modules, "highspy", sys)
    assert not can_fork()


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_all_workers_end_with_their_parent(by: signal.Signals) -> None:
    """Forks hold no end of the input of others, whether these are forks or not."""
    root = str(Path(__file__).parent.parent.parent)
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([root, *sys.path])},
    ) as parent:  # fmt: skip
        assert parent.stdout
        first = parent.stdout.readline()
        assert first.startswith("written once ")
        workers = {int(word) for word in first.split()[2:]}
        parent.send_signal(by)
        rest, _ = parent.communicate(timeout=60)
    assert "written once" not in rest
    assert len(workers) == 3
    until = time.monotonic() + 30
    while (left := [pid for pid in workers if Path(f"/proc/{pid}").exists()]) and time.monotonic() < until:
        time.sleep(0.02)
    assert left == []
