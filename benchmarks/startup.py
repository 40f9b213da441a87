"""Starting up: importing, the lightest command, and first runs (nothing compiled yet), in processor seconds."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from common import interleaved, table


def run(*words: str, **environment: str) -> None:
    """One command in a process of its own."""
    subprocess.run([sys.executable, *words], check=True, capture_output=True, env={**os.environ, **environment})


FIRST = (
    ("spot", "--board", "Qs Jh 2h 8d 3c", "--oop", "QQ+,AK", "--ip", "JJ+,KQ", "--pot", "200", "--stack", "900"),
    ("blueprint", "holdem:flop,buckets=20", "--seconds", "1"),
    ("respond", "leduc", "--to", "cfr+:10", "--method", "cdrnr", "--p", "0.5", "--depth", "1"),
    ("respond", "leduc", "--to", "cfr+:10", "--max-exploitability", "0.05"),
    ("solve", "leduc"),
)
"""What people run first."""


def main() -> None:
    solve = ("-m", "counterplay.cli", "solve", "leduc", "--solver", "dcfr", "--iterations", "1000")
    seconds = interleaved(
        {
            "python -c pass": lambda: run("-c", "pass"),
            "import counterplay": lambda: run("-c", "import counterplay"),
            "counterplay games": lambda: run("-m", "counterplay.cli", "games"),
            "counterplay solve leduc, 1,000 iterations, warm": lambda: run(*solve),
        },
        5,
    )
    rows = [*seconds.items()]
    table("Starting up, seconds of the whole process", ("command", "seconds"), rows)
    table(
        "First runs: processor seconds of the whole process, when nothing is compiled and when everything is",
        ("command", "cold", "warm", "kernels"),
        [(f"counterplay {words[0]}", *first_run(words)) for words in FIRST],
    )


def first_run(words: tuple[str, ...]) -> tuple[float, float, int]:
    """Processor seconds of a command without and with its kernels, and how many these are."""
    with tempfile.TemporaryDirectory() as empty:
        cold, warm = (processor_seconds(words, empty) for _ in range(2))
        return cold, warm, len(list(Path(empty).rglob("*.nbc")))


def processor_seconds(words: tuple[str, ...], folder: str) -> float:
    """User and system time of one command, its children's as well."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("-m", "counterplay.cli", *words, NUMBA_CACHE_DIR=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
