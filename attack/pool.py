"""Cases spread over forked worker processes, each watched: one that dies or hangs costs its case, not the run."""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from attack.part import LONG, Outcome, Part, draw_of

_SILENT = 600.0
"""Seconds on the wall after which a case is taken to hang, whatever its processor time."""
_TICKS = os.sysconf("SC_CLK_TCK")
Ended = tuple[int, Outcome, float]
"""Number of a case, its outcome, its processor seconds."""


@dataclass
class _Worker:
    """A process: the pipe that it reports into, the numbers that are left for it, and the case that it is at.

    Attributes:
        cpu: processor seconds that are left for its cases.
        clock: its processor seconds when the case began. since: when that was, on the wall.
        killed: why it was made to end.
        over: it has closed its pipe.
    """

    process: int
    pipe: int
    left: list[int]
    cpu: float
    at: int | None = None
    clock: float = 0.0
    since: float = 0.0
    buffer: bytes = b""
    killed: str = ""
    over: bool = False


def attacked(
    part: Part, name: str, numbers: list[int], seed: int, folder: Path, workers: int, until: float, cpu: float = inf
) -> Iterator[Ended]:
    """Run the cases with these numbers, and give them in the order in which they end.

    Args:
        folder: where every worker gets a folder of its own.
        until: `time.monotonic()` after which no case is begun.
        cpu: processor seconds of all cases together after which none is begun.
    """
    sys.stdout.flush()
    shares = [numbers[i::workers] for i in range(min(workers, len(numbers)))]
    team = [_forked(part, name, seed, folder, share, until, cpu / workers) for share in shares]
    try:
        while team:
            ready, _, _ = select.select([one.pipe for one in team], [], [], 1.0)
            for one in list(team):
                if one.pipe in ready:
                    for ended in _heard(one):
                        one.cpu -= ended[2]
                        yield ended
                _check(one)
                if not (one.over or one.killed):
                    continue
                team.remove(one)
                for ended in _buried(one):
                    one.cpu -= ended[2]
                    yield ended
                if one.left and time.monotonic() < until and one.cpu > 0.0:
                    team.append(_forked(part, name, seed, folder, one.left, until, one.cpu))
    finally:
        for one in team:  # interrupted
            with suppress(ProcessLookupError):
                os.kill(one.process, signal.SIGKILL)


def _forked(part: Part, name: str, seed: int, folder: Path, numbers: list[int], until: float, cpu: float) -> _Worker:
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(reading)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _work(part, name, seed, folder, numbers, (until, cpu), writing)
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(0)
    os.close(writing)
    return _Worker(process, reading, list(numbers), cpu, since=time.monotonic())


def _work(
    part: Part, name: str, seed: int, folder: Path, numbers: list[int], limits: tuple[float, float], writing: int
) -> None:
    """The life of a worker: begin, end, begin, end, ..., each told to the parent. limits: `until` and `cpu`."""
    until, cpu = limits
    part.enter(Path(tempfile.mkdtemp(dir=folder)))
    for number in numbers:
        if time.monotonic() >= until or cpu <= 0.0:
            return
        _tell(writing, ("begins", number))
        begin = _spent()
        outcome = part.attempt(number, draw_of(seed, name, number))
        spent = _spent() - begin
        cpu -= spent
        _tell(writing, ("ends", number, outcome, spent))
        if outcome.spent:
            return


def _spent() -> float:
    """Processor seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def _tell(pipe: int, message: object) -> None:
    content = pickle.dumps(message)
    os.write(pipe, struct.pack("<I", len(content)) + content)


def _heard(one: _Worker) -> Iterator[Ended]:
    """What a worker has said since."""
    said = os.read(one.pipe, 1 << 16)
    one.buffer, one.over = one.buffer + said, not said
    while len(one.buffer) >= 4:
        (size,) = struct.unpack("<I", one.buffer[:4])
        if len(one.buffer) < 4 + size:
            return
        message = pickle.loads(one.buffer[4 : 4 + size])  # from our own child
        one.buffer = one.buffer[4 + size :]
        one.since = time.monotonic()
        if message[0] == "begins":
            one.at, one.clock = message[1], _cpu(one)
        else:
            one.at, one.left = None, one.left[1:]
            yield message[1:]


def _check(one: _Worker) -> None:
    """Kill a worker whose case does not end."""
    if one.at is None or one.over:
        return
    busy, silent = _cpu(one) - one.clock, time.monotonic() - one.since
    if busy > LONG or silent > _SILENT:
        one.killed = f"it did not end within {busy:.0f} processor seconds and {silent:.0f} seconds, and was killed"
        os.kill(one.process, signal.SIGKILL)


def _buried(one: _Worker) -> Iterator[Ended]:
    """The case that a worker took with it, if it died of one."""
    busy = _cpu(one) - one.clock
    with suppress(ChildProcessError):
        code = os.waitstatus_to_exitcode(os.waitpid(one.process, 0)[1])
    os.close(one.pipe)
    if one.at is None:
        if code and not one.killed:
            raise RuntimeError(f"a worker could not begin: exit {code}")
        return
    died = (
        f"the process died by {signal.Signals(-code).name}" if code < 0 else f"the process ended with exit code {code}"
    )
    one.left = one.left[1:]
    yield one.at, Outcome((one.killed or died,), kind="hung" if one.killed else "died"), max(0.0, busy)


def _cpu(one: _Worker) -> float:
    """Processor seconds that a worker has taken; 0 if it is no more."""
    try:
        user, system = Path(f"/proc/{one.process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / _TICKS
