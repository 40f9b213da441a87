"""Standard output carries results only, whatever a library in C prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.mcp_client import handshake
from tests.support.shell import shell

_LOUD = """
# HiGHS with a banner from its constructor: at once, and through the buffer of C.
import ctypes, os, sys
from pathlib import Path
sys.path.remove(str(Path(__file__).parent))
del sys.modules["highspy"]
import highspy
class Highs(highspy.Highs):
    def __init__(self):
        os.write(1, b"Running at once\\n")
        ctypes.CDLL(None).printf(b"Running late\\n")
        super().__init__()
highspy.Highs = Highs
"""


@pytest.fixture
def loud(tmp_path: Path) -> dict[str, str]:
    """An environment in which HiGHS prints to descriptor 1."""
    (tmp_path / "highspy.py").write_text(_LOUD)
    return {"PYTHONPATH": str(tmp_path)}


@pytest.mark.parametrize("words", [["solve", "leduc"], ["respond", "kuhn", "--to", "uniform", "--p", "0.5"]])
def test_json_stays_json_when_a_library_prints(words: list[str], loud: dict[str, str]) -> None:
    ran = shell(*words, "--json", **loud)
    assert json.loads(ran.stdout)["game"] == words[1]
    for line in ("Running at once", "Running late"):
        assert line in ran.stderr


def test_an_assistant_hears_messages_only(tmp_path: Path, loud: dict[str, str]) -> None:
    """Those of the server's process and of its worker, which solves."""
    command = [sys.executable, "-m", "counterplay", "mcp", "--folder", str(tmp_path / "spots")]
    assert '"gain"' in handshake(command, os.environ | loud)


_TWICE = """
import os, sys
from counterplay.cli import main
for words in (["games"], ["solve", "kuhn", "--solver", "cfr", "--iterations", "1"]):
    sys.argv = ["counterplay", *words]
    try:
        main()
    except SystemExit as end:
        print("ended", end.code, flush=True)
    os.write(1, b"descriptor 1\\n")
"""


def test_a_program_that_calls_commands_keeps_its_standard_output() -> None:
    ran = subprocess.run([sys.executable, "-c", _TWICE], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert [line for line in lines if line.startswith(("kuhn", "ended", "descr", "game "))] == [
        "kuhn                    Kuhn poker", "ended 0", "descriptor 1", "game            kuhn", "ended 0", "descriptor 1",
    ]  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full disk")
def test_results_that_cannot_be_written_are_an_error() -> None:
    """A full disk is named; a reader who has seen enough, as `head`, is none."""
    command = [sys.executable, "-m", "counterplay", "games"]
    with open("/dev/full", "w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (2, "counterplay: the system reports No space left on device\n")
    reader, writer = os.pipe()
    os.close(reader)
    closed = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (closed.returncode, closed.stderr) == (1, "")


_HELD = """
import os, sys
from counterplay.cli import main
from counterplay.commands.parsing import program
def solve(*_):
    opened = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
    os.write(1, b"from a library\\n")
    print("a result")
    print("a message", file=sys.stderr)
    os.close(opened)
sys.modules["counterplay.cli"].program = lambda _: solve
main()
"""


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
def test_a_closed_stream_is_not_the_next_file_that_is_opened(closed: tuple[int, ...], tmp_path: Path) -> None:
    """Nor do messages for a closed standard error go to standard output."""
    file, shut = tmp_path / "strategy", " ".join(f"{number}>&-" for number in closed)
    command = [sys.executable, "-c", _HELD, "solve", str(file)]
    ran = subprocess.run(["sh", "-c", f'exec "$@" {shut}', "sh", *command], capture_output=True, text=True, check=False)
    assert (ran.returncode, file.read_bytes()) == (0, b"")
    assert ran.stdout == ("" if 1 in closed else "a result\n")
    assert ran.stderr == ("" if 2 in closed else "a message\n" if 1 in closed else "from a library\na message\n")


@pytest.mark.parametrize("words", [["mcp", "--folder", "spots"], ["play", "kuhn", "--against", "nash"]])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_end_a_conversation(words: list[str], closed: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "counterplay", *words]
    ran = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *command],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert ran.returncode == 0
    assert "Traceback" not in ran.stderr
