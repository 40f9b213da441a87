"""The quick run of every reproduction, kept in the package, so that the page shows its table and picture at once.

    .venv/bin/python benchmarks/quick_results.py out/quick          # all: five minutes of one core
    .venv/bin/python benchmarks/quick_results.py out/quick rps      # these alone; the others stay as they are

The tables stay in the folder; a run that was interrupted goes on from them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from counterplay.files import write_whole
from counterplay_papers.files import DATA
from counterplay_papers.on_page import NAME, pack_results
from counterplay_papers.registry import REPRODUCTIONS
from counterplay_papers.runner import reproduce_all

PACKAGED = DATA / NAME


def main() -> None:
    """Compute and write."""
    folder, names = Path(sys.argv[1]), sys.argv[2:] or list(REPRODUCTIONS)
    for found in reproduce_all(folder, quick=True, names=names):
        agree = sum(one.agree for one in found.references.values())
        print(f"{found.name}: {found.missing or f'{found.numbers} numbers, {agree} agree'}", flush=True)
    write_whole(PACKAGED, pack_results(folder, names))
    print(f"{PACKAGED.name}: {PACKAGED.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
