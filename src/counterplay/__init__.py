"""Counter-strategies in two-player zero-sum games: win the most from a modelled opponent without becoming beatable.

    import counterplay as cp
    game = cp.load("leduc")
    model = cp.opponent(game, "cfr+:10", player=1)
    answer = cp.respond(game, model, max_exploitability=0.05)
    print(answer.gain, answer.exploitability)
    answer.strategy.save("counter.json")

Names are resolved on use, so that importing the package is fast; `__init__.pyi` lists them.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

_LINE = re.compile(r"^from ([\w.]+) import (\w+) as \2$", re.MULTILINE)
_HOME = {name: module for module, name in _LINE.findall(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))}
"""The module of each public name."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from counterplay.about import version

        return version()
    if name not in _HOME:
        raise AttributeError(f"module 'counterplay' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
