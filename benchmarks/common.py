"""What the benchmarks share: interleaved timing, which goes into the ledger too, and a table."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

import ledger

_MATRIX = np.random.default_rng(0).random((256, 256))
_VECTOR = _MATRIX[0].copy()


def yardstick() -> None:
    """A product that has nothing to do with the library: what a machine is measured by where there is no peer."""
    _MATRIX @ _VECTOR


def interleaved(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    of: str = "",
    peer: str = "",
    sizes: Mapping[str, int] | None = None,
    noted: bool = True,
    elsewhere: Collection[str] = (),
) -> dict[str, float]:
    """Least seconds of each call, all of them in turn, `rounds` times: a noisy machine slows all alike.

    Args:
        calls: what is timed, by name.
        rounds: how often.
        of: what the calls are done to, for the ledger.
        peer: the call that the ledger compares the others with; where there is none, the yardstick.
        sizes: how many of what is timed a call does, 1 unless said; the seconds are those of one.
        noted: whether the ledger gets it.
        elsewhere: calls that wait for another process, whose processor time is not seen.
    """
    per, peer = sizes or {}, peer if peer in calls else "yardstick"
    timed = {**calls, "yardstick": yardstick}
    wall, cpu = (dict.fromkeys(timed, float("inf")) for _ in range(2))
    for _ in range(rounds):
        for name, call in timed.items():
            before, begin = _processor(), time.perf_counter()
            call()
            wall[name] = min(wall[name], (time.perf_counter() - begin) / per.get(name, 1))
            cpu[name] = min(cpu[name], (_processor() - before) / per.get(name, 1))
    for name in calls:
        if noted and name != peer:
            used = None if name in elsewhere else cpu[name]
            ledger.note(f"{of}: {name}" if of else name, peer, wall[name] / wall[peer], used)
    return {name: wall[name] for name in calls}


def _processor() -> float:
    """Seconds of the processor, those of ended children included."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows as a Markdown table."""
    print(f"\n### {title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
