"""Commands in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from tests.support.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
Run = Callable[..., subprocess.CompletedProcess[str]]


def shell(*words: str, columns: int = 100, folder: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """`python -m counterplay WORDS` in a process of its own."""
    env = {**os.environ, "COLUMNS": str(columns), **more}
    command = [sys.executable, "-m", "counterplay", *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, check=False)
