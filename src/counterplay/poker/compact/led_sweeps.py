"""Sweeps that one thread leads and others help with, who wait for each other in Python where kernels waited in vain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from time import sleep

from counterplay.jit.threads import share
from counterplay.poker.compact.kernels.sweep_records import END, HELP, LEAD, WorkRoom

_PAUSE, _LONGEST = 1e-4, 2e-3
"""Seconds until a thread that waited in vain asks again, at first and at most."""


def lead_sweeps(part: Callable[[int, int, WorkRoom], int], places: list[WorkRoom], count: int) -> None:
    """So many sweeps led by this thread, with a helper for each place after the first."""
    ended, parts = Event(), iter((LEAD,))

    def lead() -> None:
        try:
            _go_on(lambda at: part(next(parts, END), at, places[0]), count, sleep)
        finally:
            ended.set()

    def help_with(place: WorkRoom) -> None:
        _go_on(lambda at: part(HELP, at, place), count, ended.wait)

    share([lead, *(partial(help_with, place) for place in places[1:])])


def _go_on(step: Callable[[int], int], count: int, pause: Callable[[float], object]) -> None:
    """Go on from the sweep where a part stopped until there are no more, with longer and longer pauses where it stays;
    a pause may say that all has ended."""
    at, seconds = step(0), _PAUSE
    while at < count and not pause(seconds):
        before, at = at, step(at)
        seconds = _PAUSE if at > before else min(2.0 * seconds, _LONGEST)
