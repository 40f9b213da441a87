"""A page without its worker: jobs are done when they are asked for."""

from __future__ import annotations

from typing import Any

from counterplay.page.jobs import Job, Jobs

HERE = "http://127.0.0.1:8640"
SPOT = {
    "board": "Ks 8h 8d 4c 2s",
    "oop": "KhKd,7h6h,QJs",
    "ip": "AcAd,99-TT",
    "pot": 100,
    "stack": 100,
    "bets": "50%,a",
}
LEAKS = "opponent ip\non river facing a bet: fold +20%"


class JobsInTurn(Jobs):
    """Jobs that are done when they are added, in this process."""

    def __init__(self) -> None:
        self.all = {}
        self._worker = None

    def add(self, what: str, target: str, task: Any, goal: float | None = None) -> Job:
        task.run(lambda _: None)
        self.all[1] = Job(1, what, target, task, goal, "done")
        return self.all[1]
