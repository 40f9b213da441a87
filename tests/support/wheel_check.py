"""The wheels in clean environments, without the constraints of this repository: `python -m tests.support.wheel_check`.

A user's `pip install` takes the newest versions; one with older packages may have the lowest that `pyproject.toml` allows.
In both environments the commands below run, and what they write to standard output must be results alone. The extras
`mcp`, `page` and `plot` are installed, then `counterplay-papers`; the others bring large packages.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

from tests.support.mcp_client import handshake

ROOT = Path(__file__).parents[2]
EXTRAS = ("mcp", "page", "plot")
_TRIES = 2  # a registry may be slow
_PATIENCE = 600.0  # seconds that pip has for one try, and a command
_WITH_LOWEST_WHEELS = ((3, 11), (3, 12))
_SOLVE = ("solve", "leduc", "--json")
_RESPOND = ("respond", "kuhn", "--to", "uniform", "--max-exploitability", "0.01", "--json")


def lowest(project: dict[str, object], extras: Sequence[str] = EXTRAS) -> list[str]:
    """The lowest allowed version of every direct dependency, as requirements of pip."""
    found: dict[str, str] = {}
    optional: dict[str, list[str]] = project["optional-dependencies"]  # type: ignore[assignment]
    lines: list[str] = [*project["dependencies"], *(line for name in extras for line in optional[name])]  # type: ignore[misc]
    for line in lines:
        match = re.match(r"([\w-]+)[>=]=([\d.]+)", line)
        assert match, f"{line} names no lowest version"
        assert found.setdefault(match[1], match[2]) == match[2], f"two lowest versions of {match[1]}"
    return [f"{name}=={version}" for name, version in found.items()]


def main() -> None:
    """Build the wheels, install them twice, and run commands; ends with 1 and the reason if something fails."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = {"newest": [], "lowest": lowest(project)}
    if sys.version_info[:2] not in _WITH_LOWEST_WHEELS:
        print("the lowest versions are checked under Python 3.11 and 3.12 only, for which they have wheels")
        del pins["lowest"]
    with tempfile.TemporaryDirectory() as folder:
        _pip([sys.executable], "wheel", "--no-deps", "-w", folder, str(ROOT), str(ROOT / "papers"))
        wheels = [next(Path(folder).glob(f"{name}-*.whl")) for name in ("counterplay", "counterplay_papers")]
        with ThreadPoolExecutor() as pool:
            tasks = [pool.submit(_check, wheels, Path(folder) / name, pinned) for name, pinned in pins.items()]
            for name, task in zip(pins, tasks, strict=True):
                print(f"wheel with {name} versions: {task.result()}", flush=True)


def _check(wheels: Sequence[Path], home: Path, pinned: Sequence[str]) -> str:
    """Install the wheels with some versions, and run commands. Returns what was run, in words."""
    begin = perf_counter()
    venv.create(home, with_pip=True)
    binaries = home / ("Scripts" if os.name == "nt" else "bin")
    library, papers = wheels
    _pip([str(binaries / "python")], "install", "--no-compile", f"{library}[{','.join(EXTRAS)}]", *pinned)
    program, work = str(binaries / "counterplay"), home / "work"
    work.mkdir()
    installed = perf_counter()
    assert "value" in json.loads(_output([program, *_SOLVE], work)), "solve --json"
    assert "gain" in json.loads(_output([program, *_RESPOND], work)), "respond --json"
    assert _output([program, "solve", "kuhn"], work).startswith("game "), "solve"
    assert _output([program, "respond", "-h"], work).startswith("Usage:"), "help"
    _output([program, "frontier", "kuhn", "--to", "uniform", "--points", "2", "--plot", "frontier.png"], work)
    assert (work / "frontier.png").exists(), "frontier --plot"
    assert '"gain"' in handshake([program, "mcp", "--folder", str(work / "spots")]), "mcp"
    _output([str(binaries / "python"), "-c", "import counterplay.page.server"], work)
    _pip([str(binaries / "python")], "install", "--no-compile", str(papers))
    assert "agree" in _output([program, "reproduce", "cdrnr-examples", "--quick"], work), "reproduce"
    ran = perf_counter() - installed
    return f"installed in {installed - begin:.0f} s; solve, respond, frontier, mcp, page, reproduce run, in {ran:.0f} s"


def _pip(python: Sequence[str], *words: str) -> None:
    """Run pip, once more if it fails, without constraints."""
    command = [*python, "-m", "pip", "--disable-pip-version-check", words[0], "--quiet", *words[1:]]
    for left in reversed(range(_TRIES)):
        try:
            _output(command, ROOT)
            return
        except SystemExit:
            if not left:
                raise


def _output(command: Sequence[str], folder: Path) -> str:
    """What a command writes to standard output; the check ends with its errors if it fails."""
    words = " ".join([Path(command[0]).name, *command[1:]])
    environment = {name: text for name, text in os.environ.items() if name not in ("PIP_CONSTRAINT", "PYTHONPATH")}
    try:
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise SystemExit(f"{words}: not done after {_PATIENCE:.0f} s") from None
    if ran.returncode:
        raise SystemExit(f"{words}: exit code {ran.returncode}\n{ran.stdout[-1000:]}{ran.stderr[-3000:]}")
    return ran.stdout


if __name__ == "__main__":
    main()
