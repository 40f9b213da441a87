"""Work that takes time, for other processes to import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterplay import InputError
from counterplay.work.run_work import WorkRecipe

SLOW = "COUNTERPLAY_TEST_SLOW"
"""Environment variable of a worker that is slower than others."""


@dataclass(frozen=True)
class SlowWork(WorkRecipe):
    """Squares that take some seconds each; `fails` raises an error, `dies` ends the process, `interrupts` is Ctrl-C
    for it, and `slow` takes half a second more. Where the environment has the variable SLOW, each takes so many seconds
    more."""

    size: int
    seconds: float
    fails: int = -1
    dies: int = -1
    slow: int = -1
    interrupts: int = -1

    def identity(self) -> Mapping[str, Any]:
        return {"work": "slow squares", "size": self.size}

    def keys(self) -> Sequence[str]:
        return [str(number) for number in range(self.size)]

    def compute(self, key: str) -> Any:
        number = int(key)
        if number == self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(self.seconds + float(os.environ.get(SLOW, "0")) + (0.5 if number == self.slow else 0.0))
        if number == self.fails:
            raise InputError(f"piece {number} fails")
        if number == self.dies:
            os._exit(3)
        return number**2
