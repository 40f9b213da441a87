"""Work outside the process that answers requests: jobs, done one after the other, and questions, each within a budget.

A worker process does one task after the other, reports progress, and stops early on SIGINT. The process that answers
requests parses nothing that may take long: a question that exceeds its budget costs its process; the next gets a new one.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from counterplay.budget import JOBS, QUESTION, UPLOAD, WAITING, Budget, BudgetError, BusyError
from counterplay.errors import InputError
from counterplay.memory_limit import lacking
from counterplay.page.tasks import Report, Task
from counterplay.progress_line import RecentPace, SolvePace

T = TypeVar("T")
_SPAWNED = get_context("spawn")
_ENDED = ("done", "refused", "failed", "stopped")
_KEPT = 200
"""Ended jobs that are remembered."""
_GRACE, _START = 2.0, 60.0
"""Seconds beyond the budget of a question: to stop by itself, and to start a process."""


class Message(NamedTuple):
    """From a worker: `kind` is "progress", "done", "refused" (a sentence for the user) or "failed"; `facts` are plain."""

    kind: str
    facts: Mapping[str, Any]


_STOPPED = Message("refused", {"error": "it was stopped before there was anything to keep"})


class Worker:
    """A process, and this end of its pipe; it calls a function with the other end, which unblocks SIGINT."""

    def __init__(self, target: Callable[..., None] | None = None, *arguments: Any) -> None:
        self.pipe, other = _SPAWNED.Pipe()
        self._process = _SPAWNED.Process(target=target or _work, args=(other, *arguments), daemon=True)
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
        return self._process.is_alive()

    def stop(self) -> None:
        if self.alive:
            os.kill(self.pid, signal.SIGINT)

    def end(self, wait: bool = True) -> str:
        """End the process; says how it ended, if it waits for that."""
        self._process.terminate()
        self._process.join(5.0 if wait else 0.0)
        code = self._process.exitcode
        return "by itself" if code is None or code >= 0 else f"by signal {-code}"


class _Stops:
    """SIGINT in a worker: it stops a task, and one that has not quite begun; between two tasks there is nothing to stop. It
    `waits` for a task (a worker that starts has one), `works` on it, or a stop is `wanted` before the task begins."""

    def __init__(self) -> None:
        self.waits = self.works = self.wanted = False

    def __call__(self, *_: Any) -> None:
        if self.works:
            raise KeyboardInterrupt
        self.wanted = not self.waits

    def last_message(self, task: Task, pipe: Connection) -> Message:
        try:
            self.works = True
            message = _STOPPED if self.wanted else _run(task, pipe)
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
            pipe.send(stops.last_message(task, pipe))
        except (EOFError, OSError):
            return


def _run(task: Task, pipe: Connection) -> Message:
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


@dataclass(frozen=True)
class Question:
    """A call of a function of a module, within a budget."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    budget: Budget

    def run(self, report: Report) -> dict[str, Any]:  # noqa: ARG002 - nothing to tell before the end
        with self.budget.held():
            return {"answer": self.function(*self.arguments)}


class Desk:
    """A process that answers one question after the other; a few may wait. `worker` is None before the first question."""

    def __init__(self) -> None:
        self.worker: Worker | None = None
        self._turn, self._places = threading.Lock(), threading.BoundedSemaphore(WAITING.count)

    def ask(self, question: Question) -> Any:
        """The answer to a question.

        Raises:
            BusyError: too many questions wait, or those before it take long.
            InputError: the function refused, or took more than its budget.
        """
        if not self._places.acquire(blocking=False):
            raise BusyError(f"{WAITING.count} requests wait to be answered: try again in a moment")
        try:
            if not self._turn.acquire(timeout=question.budget.seconds):
                raise BusyError("requests before this one take long: try again in a moment")
            try:
                return self._answer(question)
            finally:
                self._turn.release()
        finally:
            self._places.release()

    def _answer(self, question: Question) -> Any:
        patience = question.budget.seconds + _GRACE
        if self.worker is None or not self.worker.alive:
            self.worker, patience = Worker(), patience + _START
        worker = self.worker
        try:
            worker.pipe.send(question)
            message = worker.pipe.recv() if worker.pipe.poll(patience) else None
        except (EOFError, OSError):
            message = None
            if worker.alive:  # it goes on with what it was sent
                worker.end()
        if message is None:
            self.worker, how = None, worker.end()
            if how != "by signal 15":
                raise InputError(f"the process that answers was ended {how}: ask again")
            seconds = question.budget.seconds
            raise BudgetError(f"this takes more than the {seconds:g} seconds of a request: ask for less")
        if message.kind == "failed":
            raise RuntimeError(message.facts["error"])
        if message.kind != "done":
            raise InputError(message.facts["error"])
        return message.facts["answer"]

    def end(self) -> None:
        if self.worker is not None:
            self.worker.end()


@dataclass
class Job:
    """A task and where it stands.

    Attributes:
        number: its place in the order.
        what: the kind of its task: "solve" or "answer".
        target: name of the result: a spot's, or an answer's.
        goal: exploitability in chips at which it ends, if known.
        state: "waiting", "running", "done", "refused", "failed" or "stopped" (before it began).
        facts: of progress, then of the result.
        began, ended: seconds of a clock; None if not yet.
    """

    number: int
    what: str
    target: str
    task: Task
    goal: float | None = None
    state: str = "waiting"
    facts: dict[str, Any] = field(default_factory=dict)
    began: float | None = None
    ended: float | None = None

    def __post_init__(self) -> None:
        self._looks, self._pace = SolvePace(self.goal or 0.0), RecentPace()
        self._estimate: float | None = None
        self._seen = 0.0

    def view(self) -> dict[str, Any]:
        """As plain data, with seconds so far and an estimate of those left: None while unknown, and when it is over."""
        now = self.ended or time.monotonic()
        spent = 0.0 if self.began is None else now - self.began
        left = None if self._estimate is None else self._estimate - (now - self._seen)
        if self.state != "running" or left is None or left <= 0.0:
            left = None
        share = None if left is None else spent / (spent + left)
        return {
            "job": self.number, "what": self.what, "target": self.target, "state": self.state, "goal": self.goal,
            "seconds": spent, "share": share, "left": left, **self.facts,
        }  # fmt: skip

    def saw(self, facts: Mapping[str, Any]) -> None:
        self.facts.update(facts)
        self._seen = time.monotonic()
        if (pieces := facts.get("pieces")) is not None:
            self._pace.saw(float(facts["done"]), self._seen)
            self._estimate = self._pace.seconds(pieces - facts["done"])
        elif self.goal and facts.get("exploitability"):
            self._looks.saw(facts["iterations"], facts["exploitability"], self._seen)
            self._estimate = self._looks.seconds()


class Jobs:
    """Jobs of the page, done one after the other by a worker process that is started anew if it dies."""

    def __init__(self) -> None:
        self.all: dict[int, Job] = {}
        self._waiting = SimpleQueue[Job]()
        self._worker: Worker | None = None
        self._running: Job | None = None
        self._lock = threading.Lock()
        self._desk, self._readers = Desk(), Desk()
        threading.Thread(target=self._serve, daemon=True).start()

    def add(self, what: str, target: str, task: Task, goal: float | None = None) -> Job:
        """Begin a task as soon as those before it have ended; an equal one that has not ended is joined.

        Raises:
            BusyError: too many wait.
        """
        with self._lock:
            for known in self.all.values():
                if known.task == task and known.state not in _ENDED:
                    return known
            if sum(known.state == "waiting" for known in self.all.values()) >= JOBS.count:
                raise BusyError(f"{JOBS.count} jobs wait for the one before them: stop some, or try again later")
            job = Job(1 + max(self.all, default=0), what, target, task, goal)
            self.all[job.number] = job
            for old in [one for one in self.all.values() if one.state in _ENDED][:-_KEPT]:
                del self.all[old.number]
        self._waiting.put(job)
        return job

    def stop(self, job: Job) -> None:
        """End a job: a running one keeps the best so far."""
        with self._lock:
            if job.state == "waiting":
                job.state = "stopped"
            elif job is self._running and self._worker:
                self._worker.stop()

    def ask(self, function: Callable[..., T], *arguments: Any, budget: Budget = QUESTION) -> T:
        """The answer of a function of a module, in a process of its own and within a budget; that of an `UPLOAD` in another
        process than those of short questions. Errors as of `Desk.ask`."""
        desk = self._readers if budget is UPLOAD else self._desk
        return desk.ask(Question(function, arguments, budget))  # type: ignore[no-any-return]

    def end(self) -> None:
        for one in (self._worker, self._desk, self._readers):
            if one is not None:
                one.end()

    @property
    def processes(self) -> list[int]:
        workers = (self._worker, self._desk.worker, self._readers.worker)
        return [one.pid for one in workers if one is not None and one.alive]

    @property
    def worker(self) -> int | None:
        """The process of the worker; None before the first job."""
        return None if self._worker is None else self._worker.pid

    def _serve(self) -> None:
        while True:
            job = self._waiting.get()
            with self._lock:
                if job.state != "waiting":
                    continue
                if self._worker is None or not self._worker.alive:  # one that died between two jobs costs neither
                    self._worker = Worker()
                worker = self._worker
                self._running, job.state, job.began = job, "running", time.monotonic()
            try:
                worker.pipe.send(job.task)
                while (message := worker.pipe.recv()).kind == "progress":
                    job.saw(message.facts)
            except (EOFError, OSError):
                message = Message(
                    "failed", {"error": f"the worker was ended {worker.end()}; nothing of this job is kept"}
                )
                self._worker = None
            with self._lock:
                self._running, job.ended = None, time.monotonic()
                job.facts.update(message.facts)
                job.state = message.kind
