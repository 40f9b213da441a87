"""The ledger: what every run of `run.py` measured, in `ledger.csv`, one line a measurement.

A line says when, at which commit (with `+` where files were changed since), on which processor, what was measured, how many
times the peer of the same run it took, and its processor seconds. Ratios are what may be compared between runs.
"""

from __future__ import annotations

import csv
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

FILE = Path(__file__).parent / "ledger.csv"
_COMMITS = 6
"""Columns of the table."""


@dataclass(frozen=True)
class Entry:
    """One measurement.

    ratio: its wall-clock seconds over those of the peer. cpu_seconds: of the processor; NaN where they were not taken.
    """

    date: str
    commit: str
    machine: str
    benchmark: str
    name: str
    peer: str
    ratio: float
    cpu_seconds: float


_noted: list[tuple[str, str, float, float | None]] = []


def note(name: str, peer: str, ratio: float, cpu_seconds: float | None = None) -> None:
    """Remember a measurement until the benchmark is over."""
    _noted.append((name, peer, ratio, cpu_seconds))


def append(benchmark: str, file: Path = FILE) -> None:
    """Write what was noted since the last call to the end of the ledger."""
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    where = (when, commit(), machine(), benchmark)
    new = not file.exists()
    with file.open("a", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if new:
            writer.writerow(field.name for field in fields(Entry))
        for name, peer, ratio, seconds in _noted:
            writer.writerow((*where, name, peer, f"{ratio:.4g}", "" if seconds is None else f"{seconds:.3g}"))
    _noted.clear()


def entries(file: Path = FILE) -> list[Entry]:
    """All measurements, the oldest first."""
    if not file.exists():
        return []
    with file.open(newline="") as stream:
        return [
            Entry(**{**row, "ratio": float(row["ratio"]), "cpu_seconds": float(row["cpu_seconds"] or "nan")})
            for row in csv.DictReader(stream)
        ]


def table(found: Sequence[Entry]) -> str:
    """Ratios by commit, a table for each machine: the last of each commit, of the last few commits."""
    return "\n\n".join(
        _of_machine([entry for entry in found if entry.machine == one]) for one in _once(found, "machine")
    )


def _of_machine(found: Sequence[Entry]) -> str:
    commits = _once(found, "commit")[-_COMMITS:]
    shown = {(e.benchmark, e.name, e.peer, e.commit): f"{e.ratio:.3g}" for e in found}
    days = {entry.commit: entry.date[:10] for entry in found}
    rows = [("times the peer", "peer", *(f"{one} ({days[one]})" for one in commits))]
    for benchmark, name, peer in dict.fromkeys((e.benchmark, e.name, e.peer) for e in found if e.commit in commits):
        cells = (shown.get((benchmark, name, peer, one), "") for one in commits)
        rows.append((f"{benchmark}: {name}", peer, *cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join((found[0].machine, "", *lines))


def _once(found: Sequence[Entry], field: str) -> list[str]:
    """The values of a field, each once, in the order of the lines."""
    return list(dict.fromkeys(str(getattr(entry, field)) for entry in found))


def commit() -> str:
    """The commit that is measured; `unknown` outside a repository."""
    asked = ("describe", "--always", "--dirty=+", "--abbrev=9", "--exclude=*")
    told = subprocess.run(["git", *asked], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"


def machine() -> str:
    """The model of the processor and the number of its cores, and no name of the machine."""
    model, cpus = platform.machine(), Path("/proc/cpuinfo")
    if cpus.exists():
        facts = (line.partition(":") for line in cpus.read_text().splitlines())
        model = next((value.strip() for key, _, value in facts if key.strip() == "model name"), model)
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
