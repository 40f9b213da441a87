"""Jobs: tasks that wait, run and end, in the order in which they were asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from counterplay.budget import JOBS, QUESTION, UPLOAD, Budget, BusyError
from counterplay.page.questions import Desk, Question
from counterplay.page.tasks import Task
from counterplay.page.worker import Message, Worker
from counterplay.time_left import RecentPace, SolvePace

_ENDED = ("done", "refused", "failed", "stopped")
_KEPT = 200
"""Ended jobs that are remembered."""


@dataclass
class Job:
    """A task and where it stands.

    Attributes:
        number: of the job; its place in the order.
        what: the kind of its task: "solve" or "answer".
        target: name of the result: a spot's, or an answer's.
        task: what a worker does.
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
        """As plain data, with seconds so far and an estimate of those left."""
        now = self.ended or time.monotonic()
        spent = 0.0 if self.began is None else now - self.began
        left = self._left(now) if self.state == "running" else None
        share = None if left is None else spent / (spent + left) if spent + left > 0.0 else 1.0
        return {
            "job": self.number, "what": self.what, "target": self.target, "state": self.state, "goal": self.goal,
            "seconds": spent, "share": share, "left": left, **self.facts,
        }  # fmt: skip

    def saw(self, facts: Mapping[str, Any]) -> None:
        """Take in a report of progress."""
        self.facts.update(facts)
        self._seen = time.monotonic()
        if (pieces := facts.get("pieces")) is not None:
            self._pace.saw(float(facts["done"]), self._seen)
            self._estimate = self._pace.seconds(pieces - facts["done"])
        elif self.goal and facts.get("exploitability"):
            self._looks.saw(facts["iterations"], facts["exploitability"], self._seen)
            self._estimate = self._looks.seconds()

    def _left(self, now: float) -> float | None:
        """Seconds left; None while unknown, and when the estimate is over."""
        left = None if self._estimate is None else self._estimate - (now - self._seen)
        return left if left is not None and left > 0.0 else None


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

    def ask(self, function: Callable[..., Any], *arguments: Any, budget: Budget = QUESTION) -> Any:
        """The answer of a function of a module, in a process of its own and within a budget; that of an `UPLOAD` in another
        process than those of short questions. Errors as of `Desk.ask`.
        """
        desk = self._readers if budget is UPLOAD else self._desk
        return desk.ask(Question(function, arguments, budget))

    def end(self) -> None:
        """End all processes."""
        for one in (self._worker, self._desk, self._readers):
            if one is not None:
                one.end()

    @property
    def processes(self) -> list[int]:
        """All processes."""
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
                self._running, job.state, job.began = job, "running", time.monotonic()
            self._run(job, self._worker)

    def _run(self, job: Job, worker: Worker) -> None:
        try:
            worker.pipe.send(job.task)
            while (message := worker.pipe.recv()).kind == "progress":
                job.saw(message.facts)
        except (EOFError, OSError):
            message = Message("failed", {"error": f"the worker was ended {worker.end()}; nothing of this job is kept"})
            self._worker = None
        with self._lock:
            self._running, job.ended = None, time.monotonic()
            job.facts.update(message.facts)
            job.state = message.kind
