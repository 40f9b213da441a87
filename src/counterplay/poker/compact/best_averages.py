"""The best averages of a solve on the compact engine, kept while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf, nan
from tempfile import SpooledTemporaryFile

import numpy as np

from counterplay.arrays import U8
from counterplay.cache_folder import cache_folder
from counterplay.jit.clock import run_time
from counterplay.jit.suspension import interrupts_held
from counterplay.poker.compact.compact_run import CompactRun

_SHORT = 2.0
"""Seconds up to which a solve that can be repeated is not copied."""
_IN_MEMORY, _CHUNK = 1 << 20, 64 << 20
"""Bytes of a copy that stands in memory; those that are written or read at a time."""


class BestAverages:
    """The averages of a run with the least NashConv that was measured. They are copied only where the run continues
    from them, to a file without a name, which the system removes however the process ends: the memory of a solve is
    what was estimated. Those of the first seconds are computed again by `repeat`, if given, should later ones be
    worse.

    Attributes:
        done: iterations after which they were reached; -1 before the first measurement.
        nash_conv, value: as of `CompactRun.gap`; infinite and NaN before the first measurement.
    """

    _file: SpooledTemporaryFile[bytes] | None

    def __init__(self, run: CompactRun, repeat: Callable[[int], None] | None = None) -> None:
        self._run, self._repeat, self._begin = run, repeat, run_time()
        self.done, self.nash_conv, self.value = -1, inf, nan
        self._last = (-1, inf, nan)
        self._file, self._copied, self._exchanged = None, -1, False

    @property
    def bytes(self) -> int:
        """Memory of the copy."""
        return 0 if self._file is None else min(_IN_MEMORY, sum(array.nbytes for array in self._arrays))

    def measure(self) -> tuple[float, float]:
        """NashConv and value of the run's present averages, as of `CompactRun.gap`."""
        if self._last[0] != self._run.done:
            self._last = (self._run.done, *self._run.gap())
        done, nash_conv, value = self._last
        if nash_conv < self.nash_conv or self.done < 0:
            self.done, self.nash_conv, self.value = done, nash_conv, value
        return nash_conv, value

    def before_advance(self) -> None:
        """Put the latest averages back, or copy the present ones if they are the best: the run goes on from them."""
        if self._exchanged:
            self._exchange()
        elif self.done == self._run.done != self._copied and (
            self._repeat is None or run_time() - self._begin > _SHORT
        ):
            try:
                self._copy()
            except OSError:  # a full disk: what the solve ends with is the answer, unless a later copy succeeds
                self._file, self._repeat = None, None

    def take(self) -> tuple[float, float]:
        """Let the run have the best averages, until `before_advance`; their NashConv and value."""
        self.measure()
        if self.done == self._run.done or self._exchanged:
            return self.nash_conv, self.value
        if self._copied == self.done:
            self._exchange()
        elif self._repeat:
            self._repeat(self.done)
            self._run.done = self._last[0]  # as many iterations were run
        else:
            return self._last[1:]
        return self.nash_conv, self.value

    @property
    def _arrays(self) -> list[U8]:
        ways = [way.memory for side in self._run.sides for way in side]
        return [array.view(np.uint8) for one in ways if not one.fixed for array in (one.total, one.total_scale)]

    def _chunks(self) -> Iterator[U8]:
        for array in self._arrays:
            for begin in range(0, len(array), _CHUNK):
                yield array[begin : begin + _CHUNK]

    def _copy(self) -> None:
        self._copied = -1
        self._file = self._file or _nameless_file()
        self._file.seek(0)
        for chunk in self._chunks():
            self._file.write(chunk.data)
        self._file.flush()
        self._copied = self.done

    def _exchange(self) -> None:
        assert self._file is not None
        with interrupts_held():
            at = 0
            for chunk in self._chunks():
                self._file.seek(at)
                copy = np.frombuffer(self._file.read(len(chunk)), np.uint8)
                self._file.seek(at)
                self._file.write(chunk.data)
                chunk[:] = copy
                at += len(chunk)
            self._file.flush()
            self._exchanged = not self._exchanged


def _nameless_file() -> SpooledTemporaryFile[bytes]:
    """A file in the cache folder, or where temporary files stand if there is none."""
    folder = cache_folder()
    if folder is not None:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            return SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))
    return SpooledTemporaryFile(_IN_MEMORY)
