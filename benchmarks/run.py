"""All benchmarks, one after the other, or those named. They measure; they never fail because something is slow.

What each of them measures goes to the end of the ledger, which `--ledger` prints by commit.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

ALL = (
    "startup", "loading", "iteration", "scaling", "accuracy", "exact", "online", "resolving", "sampling", "ranks",
    "showdown", "river", "flops", "rhode_island", "fhp", "boards", "abstraction", "blueprints",
)  # fmt: skip


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    import ledger

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *ALL], help=f"of {', '.join(ALL)}; all of them unless said")
    parser.add_argument("--ledger", action="store_true", help="print the ledger, and measure nothing")
    asked = parser.parse_args()
    if asked.ledger:
        chosen = [entry for entry in ledger.entries() if not asked.names or entry.benchmark in asked.names]
        print(ledger.table(chosen) or "nothing has been measured")
        return
    print(ledger.machine())
    for name in asked.names or ALL:
        importlib.import_module(name).main()
        ledger.append(name)


if __name__ == "__main__":
    main()
