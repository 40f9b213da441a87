"""Starting up: importing, the lightest command, and the first solve ever (nothing compiled yet)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from common import interleaved, table


def run(*words: str, **environment: str) -> None:
    """One command in a process of its own."""
    subprocess.run([sys.executable, *words], check=True, capture_output=True, env={**os.environ, **environment})


def main() -> None:
    cold = ("-m", "counterplay.cli", "solve", "leduc", "--method", "dcfr", "--iterations", "1000")
    seconds = interleaved(
        {
            "python -c pass": lambda: run("-c", "pass"),
            "import counterplay": lambda: run("-c", "import counterplay"),
            "counterplay games": lambda: run("-m", "counterplay.cli", "games"),
            "counterplay solve leduc, 1,000 iterations, warm": lambda: run(*cold),
        },
        5,
    )
    with tempfile.TemporaryDirectory() as empty:
        first = interleaved({"first": lambda: run(*cold, NUMBA_CACHE_DIR=empty)}, 1)["first"]
    rows = [*seconds.items(), ("counterplay solve leduc, first ever", first)]
    table("Starting up, seconds of the whole process", ("command", "seconds"), rows)


if __name__ == "__main__":
    main()
