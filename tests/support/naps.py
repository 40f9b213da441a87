"""A task of the page's worker that takes some time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Nap:
    """A task that does nothing for some seconds, and tells its number."""

    number: int
    seconds: float

    def run(self, report: Any) -> dict[str, Any]:
        del report
        time.sleep(self.seconds)
        return {"number": self.number}
