"""Time an iteration against the number of histories: CFR+ on games in memory from 10,000 to 50 million, and the slope.

A slope of 1 in log-log says that a history costs the same in a large game, whose arrays are larger than the caches. The
picture goes to `scaling.png` beside this file, where matplotlib is installed. Needs 2.5 GB.
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import numpy as np

import counterplay as cp
import ledger
from common import table
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import CFR_PLUS

GAMES = ("goofspiel:5", "liars_dice:1,5", "liars_dice:1,6", "goofspiel:6", "liars_dice:2,4", "goofspiel:7")
PICTURE = Path(__file__).parent / "scaling.png"
ROUNDS, ROUND = 12, 0.05  # seconds a round


def main() -> None:
    rows = [(spec, *_measured(spec)) for spec in GAMES]
    table("An iteration", ("game", "histories", "ms", "CPU ms", "ns a history", "CPU ns a history"), rows)
    numbers = np.array([row[1:4] for row in rows])
    slopes = [float(np.polyfit(np.log(numbers[:, 0]), np.log(numbers[:, k]), 1)[0]) for k in (1, 2)]
    print(f"\nslope in log-log: {slopes[0]:.3f} of the time, {slopes[1]:.3f} of the processor time")
    for name, slope in zip(("time", "processor time"), slopes, strict=True):
        ledger.note(f"slope of the {name} against histories", "1", slope)
    if importlib.util.find_spec("matplotlib"):
        _draw(rows, slopes[1])


def _measured(spec: str) -> tuple[int, float, float, float, float]:
    """Histories; least milliseconds and CPU milliseconds of an iteration; both in nanoseconds a history."""
    game = cp.load(spec, say=lambda _: None)
    iterates = Iterates(game.subgame, CFR_PLUS)
    iterates.advance(2)
    begin = time.perf_counter()
    iterates.advance(2)
    count = max(1, int(2 * ROUND / (time.perf_counter() - begin)))
    wall = cpu = float("inf")
    for _ in range(ROUNDS):
        begin, used = time.perf_counter(), time.process_time()
        iterates.advance(count)
        wall = min(wall, (time.perf_counter() - begin) / count)
        cpu = min(cpu, (time.process_time() - used) / count)
    histories = len(game.histories)
    return histories, 1e3 * wall, 1e3 * cpu, 1e9 * wall / histories, 1e9 * cpu / histories


def _draw(rows: list[tuple[str, int, float, float, float, float]], slope: float) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    histories, cpu = np.array([row[1] for row in rows]), np.array([row[3] for row in rows])
    axes.loglog(histories, cpu, "o")
    middle = np.exp(np.log(cpu).mean() + slope * (np.log(histories) - np.log(histories).mean()))
    axes.loglog(np.sort(histories), np.sort(middle), "-", label=f"slope {slope:.2f}")
    for spec, x, _, y, *_ in rows:
        axes.annotate(spec, (x, y), textcoords="offset points", xytext=(6, -10), fontsize="small")
    axes.set_xlabel("histories")
    axes.set_ylabel("CPU ms of an iteration of CFR+")
    axes.legend()
    figure.savefig(PICTURE, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    main()
