"""How long hands take from their text, and from the store of parsed hands: CPU ms for a file, and seconds by the clock.

    python benchmarks/stored_hands.py FILE...

The store is one of its own, in a folder that is removed.
"""

from __future__ import annotations

import os
import sys
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from common import table
from counterplay.cache_folder import FOLDER
from counterplay.opponents.histories.hand_store import readers_digest, store_path
from counterplay.opponents.histories.read_hands import read_hands

ROUNDS = 5


def measured(file: str) -> tuple[float, float, int]:
    """CPU seconds and seconds of a reading, and the number of hands."""
    used, began = process_time(), perf_counter()
    hands = len(read_hands([file]).hands)
    return process_time() - used, perf_counter() - began, hands


def main(files: list[str]) -> None:
    rows = []
    with TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        began = process_time()
        readers_digest()
        digest = process_time() - began
        for file in files:
            text, stored = measured(file), min(measured(file) for _ in range(ROUNDS))
            rows.append(
                [file, f"{text[2]:,}", f"{1e3 * text[0]:.0f}", f"{1e3 * stored[0]:.0f}", f"{1e3 * stored[1]:.0f}"]
            )
        path = store_path()
        size = path.stat().st_size if path is not None and path.exists() else 0
    table("Reading hands", ["file", "hands", "text, CPU ms", "store, CPU ms", "store, ms"], rows)
    print(f"\ndigest of the readers, once a process: {1e3 * digest:.0f} CPU ms; the store: {size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
