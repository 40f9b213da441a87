"""A task of the page's worker that takes some time."""

from __future__ import annotations

import time
from typing import Any

from counterplay.page.tasks import Report, Task


def nap(number: int, seconds: float) -> Task:
    """A task that does nothing for some seconds, and tells its number."""
    return Task(_sleep, (number, seconds))


def _sleep(_: Report, number: int, seconds: float) -> dict[str, Any]:
    time.sleep(seconds)
    return {"number": number}
