"""A page without its worker: jobs are done when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterplay.budget import QUESTION, Budget
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
TOY = Path(__file__).parents[1] / "files" / "toy.cpb"
"""A blueprint of whole hold'em with twelve cards, which is walked in a moment."""
TOY_HANDS = """\
{"counterplay": "hands", "version": 1, "game": "holdem:deck=12,stack=2bb,bets=a,last=turn", "agents": ["anna", "b,o=b"]}
{"hand": 0, "players": [0, 1], "betting": "r200c//", "cards": "AcAs|QsKc/QcKdKh/Ks", "won": -200.0}
{"hand": 1, "players": [1, 0], "betting": "f", "cards": "AcAs|QsKc", "won": 50.0}
{"hand": 2, "players": [0, 1], "betting": "r200c//", "cards": "QdKd|KhKs/QcQhQs/Kc", "won": 200.0}
{"hand": 3, "players": [1, 0], "betting": "r200f", "cards": "QdKd|KhKs", "won": -100.0}
"""
"""Hands of its game."""


class JobsInTurn(Jobs):
    """Jobs that are done when they are added, in this process."""

    def __init__(self) -> None:
        self.all = {}
        self._worker = None

    def ask(self, function: Callable[..., Any], *arguments: Any, budget: Budget = QUESTION) -> Any:
        with budget.held():
            return function(*arguments)

    def add(self, what: str, target: str, task: Any, goal: float | None = None) -> Job:
        task.run(lambda _: None)
        self.all[1] = Job(1, what, target, task, goal, "done")
        return self.all[1]
