"""The enumeration of a game's histories: a watch on its memory, and its progress."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from counterplay.gametree.table.histories import TooLargeError

Watch = Callable[[int, float], None]
"""Called with how many histories are listed so far, and about how many there are; 0 if that is not known."""
Count = Callable[[int], None]
"""Called with how many histories are listed so far; may raise."""
_NOISE = 64 * 2**20  # bytes that a process grows by for other reasons
_PATIENCE = 1.0  # seconds of silence
_STATM = Path("/proc/self/statm")


def resident() -> float | None:
    """Resident memory of this process in bytes; None where the system does not report it."""
    try:
        return float(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


@dataclass
class Listing:
    """The enumeration of one game, as a `Count`.

    Attributes:
        budget: memory limit in bytes.
        later: bytes per history that the arrays will take afterwards.
        expected: estimated number of histories; 0 if unknown.
        say: called with one line if a second passes without output.
        watch: called with the progress.
    """

    name: str
    budget: float
    later: float
    say: Callable[[str], None]
    watch: Watch | None = None
    expected: float = 0.0
    announced: bool = False
    _began: float = 0.0
    _before: float | None = field(default_factory=resident)

    def __call__(self, histories: int) -> None:
        """Record the number of histories so far; a TooLargeError if they exceed the memory limit, whatever the estimate
        was."""
        now = resident()
        if now is not None and self._before is not None:
            taken = now - self._before + self.later * histories
            if taken > self.budget + _NOISE:
                raise TooLargeError(
                    f"{self.name}: {histories:,} histories already take {taken / 2**30:.3g} GiB, "
                    f"more than the memory limit of {self.budget / 2**30:.3g} GiB"
                )
        self._began = self._began or time.perf_counter()  # at the first call: kernels are compiled before
        if not self.announced and time.perf_counter() - self._began > _PATIENCE:
            self.announced = True
            about = f" of about {self.expected:,.0f}" if self.expected else ""
            self.say(f"{self.name}: {histories:,}{about} histories listed so far")
        if self.watch:
            self.watch(histories, self.expected)
