"""Questions of requests that read what others wrote: answered in a process of their own, each within a budget.

The process that answers requests parses nothing that may take long. A question that does not keep to its budget costs its
process, and the next one gets a new process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterplay.budget import WAITING, Budget, BudgetError, BusyError
from counterplay.errors import InputError
from counterplay.page.tasks import Report
from counterplay.page.worker import Worker

_GRACE, _START = 2.0, 60.0
"""Seconds beyond the budget: to stop by itself, and to start a process."""


@dataclass(frozen=True)
class Question:
    """A call of a function of a module, within a budget."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    budget: Budget

    def run(self, report: Report) -> dict[str, Any]:  # noqa: ARG002 - nothing to tell before the end
        """As of `Task`."""
        with self.budget.held():
            return {"answer": self.function(*self.arguments)}


class Desk:
    """A process that answers one question after the other; a few may wait.

    Attributes:
        worker: the process; None before the first question.
    """

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
            raise BudgetError(
                f"this takes more than the {question.budget.seconds:g} seconds of a request: ask for less"
            )
        if message.kind == "failed":
            raise RuntimeError(message.facts["error"])
        if message.kind != "done":
            raise InputError(message.facts["error"])
        return message.facts["answer"]

    def end(self) -> None:
        """End the process."""
        if self.worker is not None:
            self.worker.end()
