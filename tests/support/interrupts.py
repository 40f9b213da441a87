"""Ctrl-C and `kill` for commands in processes of their own."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

_LONG = 120.0  # seconds on the wall, after which a process is taken to hang


class Ended(NamedTuple):
    """How a process ended. seconds: those of the processor from the signal until then."""

    code: int
    out: str
    err: str
    seconds: float


def interrupted(words: list[str], after: float, folder: Path, by: signal.Signals = signal.SIGINT) -> Ended:
    """Run a command and press Ctrl-C, or `kill` it, once it has worked for so many seconds.

    Args:
        words: of the command line. What it compiles should be compiled before.
        after: processor seconds, so that a busy machine changes nothing.
        folder: where it runs.
        by: the signal.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "counterplay.cli", *words], cwd=folder, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
        env={name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},  # a second a start
    )  # fmt: skip
    try:
        before = _used() + _wait(process, after)
        process.send_signal(by)
        out, err = process.communicate(timeout=_LONG)
        return Ended(process.returncode, out, err, _used() - before)
    finally:
        process.kill()


def _used() -> float:
    """Processor seconds of all processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _wait(process: subprocess.Popen[str], after: float) -> float:
    """Until a process has worked for so long; where that cannot be asked, until so much time has passed. What it used."""
    clock, begin = Path(f"/proc/{process.pid}/stat"), time.perf_counter()
    if not clock.exists():
        time.sleep(after)
        return after
    used = 0.0
    while process.poll() is None and time.perf_counter() - begin < _LONG:
        user, system = clock.read_text().rpartition(")")[2].split()[11:13]
        used = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        if used >= after:
            break
        time.sleep(0.05)
    return used
