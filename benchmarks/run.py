"""All benchmarks, one after the other. They measure; they never fail because something is slow."""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

ALL = (
    "startup", "loading", "iteration", "accuracy", "exact", "online", "resolving", "sampling", "ranks", "showdown", "river",
    "fhp",
)  # fmt: skip


def main() -> None:
    chosen = sys.argv[1:] or ALL
    sys.path.insert(0, str(Path(__file__).parent))
    print(f"{platform.machine()}, Python {platform.python_version()}")
    for name in chosen:
        importlib.import_module(name).main()


if __name__ == "__main__":
    main()
