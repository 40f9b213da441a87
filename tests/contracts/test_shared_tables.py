"""Tables in memory that processes of one machine share: what one writes, the others read; nothing of it stays."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import LocalCluster

from counterplay import InputError
from counterplay.work import carried_files, cluster
from counterplay.work.carried_files import SharedTables, pack, packed_digest, unpack
from counterplay.work.cluster import Cluster, is_here
from counterplay.work.run_work import WorkRecipe, run_work

LIKE: dict[str, Any] = {"one": np.zeros((3, 5)), "two": np.zeros(7, np.float32), "none": np.zeros((0, 4), np.float32)}
LARGE: dict[str, Any] = {**LIKE, "large": np.zeros((150_000, 2))}
_READER = """
import pickle
import sys
tables = pickle.load(sys.stdin.buffer)
print(sum(float(table.sum()) for table in tables.values()), flush=True)
sys.stdin.buffer.read(1)
print(sum(float(table.sum()) for table in tables.values()), *(table.flags.writeable for table in tables.values()))
"""


def _filled(like: Mapping[str, Any] = LIKE) -> SharedTables:
    tables = SharedTables(like)
    for number, table in enumerate(tables.values(), 1):
        table[...] = number
    return tables


def _same(found: Any, tables: SharedTables) -> bool:
    return list(found) == list(tables) and all(
        found[name].dtype == table.dtype and np.array_equal(found[name], table) for name, table in tables.items()
    )


def test_tables_begin_with_zeros_and_travel_whole() -> None:
    fresh, tables = SharedTables(LIKE), _filled()
    assert all(fresh[name].shape == table.shape and not fresh[name].any() for name, table in LIKE.items())
    assert _same(pickle.loads(pickle.dumps(tables)), tables)
    assert _same(unpack(pack(tables)[0]), tables)
    large = _filled(LARGE)
    packed = pack(large)[0]
    assert len(packed) == 2  # what is large lies beside the rest, and is not copied
    assert len(packed[0]) < 2000
    assert _same(unpack(packed), large)
    before = packed_digest(packed)
    large["large"][7, 1] = 0.5
    assert packed_digest(packed) != before


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system has no memory without a name")
def test_another_process_sees_what_is_written_and_writes_nothing() -> None:
    tables = _filled()
    handle = pickle.dumps(tables)
    assert len(handle) < 1000
    with subprocess.Popen([sys.executable, "-c", _READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdin
        assert reader.stdout
        reader.stdin.write(handle)
        reader.stdin.flush()
        assert float(reader.stdout.readline()) == 15 * 1.0 + 7 * 2.0
        tables["one"][...] = 10.0
        told, _ = reader.communicate(b".")
    assert told.decode().split() == [str(15 * 10.0 + 7 * 2.0), *["False"] * len(LIKE)]


def test_numbers_travel_where_there_is_no_such_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried_files, "_memory", lambda _: None)
    tables = _filled()
    found = pickle.loads(pickle.dumps(tables))
    assert isinstance(found, dict)
    assert _same(found, tables)


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system has no memory without a name")
def test_tables_of_one_who_has_ended_are_one_sentence() -> None:
    tables = _filled()
    handle = pickle.dumps(tables)
    del tables
    with pytest.raises(InputError, match="the process that gave this work has ended"):
        pickle.loads(handle)
    owner = "import pickle, sys\nfrom tests.contracts.test_shared_tables import _filled\nkept = _filled()\n"
    owner += "sys.stdout.buffer.write(pickle.dumps(kept))\nsys.stdout.flush()\nimport time\ntime.sleep(60)"
    paths = os.pathsep.join([str(Path(__file__).parent.parent.parent), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", owner], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}
    ) as process:
        assert process.stdout
        there = process.stdout.read1()  # type: ignore[attr-defined]
        assert _same(pickle.loads(there), _filled())
        process.send_signal(signal.SIGKILL)
        process.wait()
    carried_files._seen.cache_clear()
    with pytest.raises(InputError, match="has ended"):
        pickle.loads(there)


@dataclass(frozen=True)
class _Sums(WorkRecipe):
    """The sums of tables, by name."""

    tables: Mapping[str, Any]

    def identity(self) -> Mapping[str, Any]:
        return {"work": "sums"}

    def keys(self) -> Sequence[str]:
        return list(self.tables)

    def compute(self, key: str) -> float:
        return float(self.tables[key].sum())


def test_workers_of_a_cluster_that_do_not_see_the_tables_get_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    work = _Sums(_filled(LARGE))
    expected, calls = run_work(work).results, list[Any]()

    def unseen(*_: Any) -> Any:
        calls.append(None)
        raise OSError

    with LocalCluster(1, processes=False, threads_per_worker=1, dashboard_address=None, protocol="inproc") as here:
        executor = Cluster(here.scheduler_address)
        assert run_work(work, executor=executor).results == expected
        carried_files._seen.cache_clear()
        cluster._UNPICKLED.clear()
        monkeypatch.setattr(carried_files, "_mapped", unseen)
        assert run_work(_Sums(work.tables), executor=executor).results == expected
    assert bool(calls) == hasattr(os, "memfd_create")


def test_only_an_address_of_this_machine_is_here() -> None:
    for address in ("tcp://127.0.0.1:8786", "tls://localhost:1", "tcp://[::1]:8786", "inproc://192.168.1.2/3/1"):
        assert is_here(address)
    for address in ("tcp://192.168.1.2:8786", "tcp://127.example.com.example:1", "tls://cluster.example:8786"):
        assert not is_here(address)
