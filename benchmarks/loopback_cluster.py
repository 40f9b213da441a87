"""A cluster of this machine alone, and what its processes take: processor seconds, and bytes that have come to them."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
_TCP_INFO, _RECEIVED = 192, 128
"""Bytes of what Linux tells of a connection, and where among them it counts those received."""


def received_bytes() -> int:
    """Bytes that have come to this process by its open TCP connections (Linux)."""
    total = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            handle = os.dup(int(name))
        except OSError:
            continue
        try:
            with socket.socket(fileno=handle) as one:
                facts = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO)
                total += struct.unpack_from("<Q", facts, _RECEIVED)[0]
        except OSError:  # no socket, or one of another kind
            try:
                os.close(handle)
            except OSError:
                continue
    return total


def received(client: Any) -> list[float]:
    """Bytes that have come so far to the client of a cluster, to its scheduler, and to its mean worker."""
    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # nobody there has this file
    workers = client.run(received_bytes).values()
    return [float(received_bytes()), float(client.run_on_scheduler(received_bytes)), sum(workers) / len(workers)]


class LoopbackCluster:
    """A scheduler and two workers as processes, of one thread each.

    Args:
        folder: where they run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> LoopbackCluster:
        from distributed import Client

        self._all = [self._start("scheduler", "--port", "0")]
        stream = self._all[0].stderr
        assert stream
        self.address = next(found[1] for line in stream if (found := re.search(r"Scheduler at:\s+(tcp://\S+)", line)))
        self._all += [self._start("worker", self.address, "--nthreads", "1", "--no-nanny") for _ in range(2)]
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.kill()
            process.wait()

    def processor_seconds(self) -> float:
        """Of its processes so far."""
        fields = [Path(f"/proc/{one.pid}/stat").read_text().rpartition(")")[2].split() for one in self._all]
        return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")

    def _start(self, kind: str, *words: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "COUNTERPLAY_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words, *LOOPBACK], cwd=self._folder, env=environment,
            text=True, stderr=subprocess.PIPE if kind == "scheduler" else subprocess.DEVNULL,
        )  # fmt: skip
