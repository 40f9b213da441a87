"""The worker: a process that does one task after the other, reports progress, and stops early on SIGINT."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Mapping
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.memory_limit import lacking
from counterplay.page.tasks import Task

_SPAWNED = get_context("spawn")


class Message(NamedTuple):
    """From a worker: `kind` is "progress", "done", "refused" (a sentence for the user) or "failed"; `facts` are plain."""

    kind: str
    facts: Mapping[str, Any]


class Worker:
    """A worker process, and this end of its pipe."""

    def __init__(self) -> None:
        self.pipe, other = _SPAWNED.Pipe()
        self._process = _SPAWNED.Process(target=_work, args=(other,), daemon=True)
        resource_tracker.ensure_running()  # which would unblock SIGINT
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # while it starts, which it inherits
        self._process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        other.close()  # so that the end of the process ends the pipe

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.is_alive()

    def stop(self) -> None:
        """Ask it to end its task with the best so far."""
        if self.alive:
            os.kill(self.pid, signal.SIGINT)

    def end(self) -> str:
        """End the process; says how it ended."""
        self._process.terminate()
        self._process.join(5.0)
        code = self._process.exitcode
        return "by itself" if code is None or code >= 0 else f"by signal {-code}"


_STOPPED = Message("refused", {"error": "it was stopped before there was anything to keep"})


class _Stops:
    """SIGINT in a worker: it stops a task, and one that has not quite begun; between two tasks there is nothing to stop.

    Attributes:
        waits: for a task; a worker that starts has one.
        works: on it.
        wanted: whether the task must not begin.
    """

    def __init__(self) -> None:
        self.waits = self.works = self.wanted = False

    def __call__(self, *_: Any) -> None:
        if self.works:
            raise KeyboardInterrupt
        self.wanted = not self.waits

    def done(self, task: Task, pipe: Connection) -> Message:
        """The last message of a task."""
        try:
            self.works = True
            message = _STOPPED if self.wanted else _done(task, pipe)
            self.works = False
        except KeyboardInterrupt:
            self.works, message = False, _STOPPED
        self.waits, self.wanted = True, False
        return message


def _work(pipe: Connection) -> None:
    """Do tasks until the pipe ends."""
    stops = _Stops()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, stops)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    while True:
        try:
            pipe.poll(None)
            stops.waits = False
            task = pipe.recv()
            pipe.send(stops.done(task, pipe))
        except (EOFError, OSError):
            return


def _done(task: Task, pipe: Connection) -> Message:
    try:
        return Message("done", task.run(lambda facts: pipe.send(Message("progress", dict(facts)))))
    except KeyboardInterrupt:
        return _STOPPED
    except InputError as error:
        return Message("refused", {"error": str(error)})
    except MemoryError as error:
        return Message("refused", {"error": lacking(error)})
    except OSError:
        raise  # the pipe's other end is gone, or the disk: the process ends
    except Exception:
        return Message("failed", {"error": traceback.format_exc(limit=-3)})
