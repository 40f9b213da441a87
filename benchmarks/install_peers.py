"""The peers that benchmarks compare us with: LiteEFG into this environment, NoRegret into one of its own.

NoRegret 0.0.0.dev17 asks for Python 3.12 and for OpenSpiel below 2, which is not ours; its classifiers name Python 3.11,
where its code runs. It is installed without the CUDA libraries that it names, which take gigabytes and serve a GPU alone. A
peer that cannot be installed is left out with a sentence.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NOREGRET = HERE.parent / "out" / "noregret"
"""The environment of NoRegret."""
NOREGRET_PYTHON = NOREGRET / "bin" / "python"


def main() -> None:
    constraints = str(HERE.parent / "constraints.txt")
    install("LiteEFG", _pip(sys.executable, "-c", constraints, "-e", f"{HERE.parent}[peers]"))
    install(
        "NoRegret",
        [sys.executable, "-m", "venv", "--clear", str(NOREGRET)],
        _pip(str(NOREGRET_PYTHON), "-r", str(HERE / "noregret.txt")),
        _pip(str(NOREGRET_PYTHON), "--no-deps", "--ignore-requires-python", "noregret==0.0.0.dev17"),
        [str(NOREGRET_PYTHON), "-c", "import noregret"],
        there=[str(NOREGRET_PYTHON), "-c", "import noregret"],
    )


def _pip(python: str, *arguments: str) -> list[str]:
    return [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]


def install(peer: str, *commands: list[str], there: list[str] | None = None) -> None:
    """Run the commands, unless `there` succeeds; say what peer is left out, and why, if one of them fails."""
    if there and Path(there[0]).exists() and not subprocess.run(there, capture_output=True, check=False).returncode:
        return
    for command in commands:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            said = [line for line in (ended.stderr or ended.stdout).splitlines() if line.strip()]
            why = next((line for line in said if line.startswith("ERROR")), (said or ["no reason given"])[-1])
            print(f"{peer} cannot be installed here, so that it is left out of the comparison: {why}")
            return


if __name__ == "__main__":
    main()
