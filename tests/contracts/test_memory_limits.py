"""Memory limits are the least of the machine's, the control groups' and that of `ulimit -v`; what fails says which."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from counterplay import memory_limit
from counterplay.memory_limit import default_memory, lacking

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
GIB = 2**30
SPOT = ("spot", "--bets", "50%,100%,a", "--oop", "random", "--ip", "random", "--pot", "6", "--stack", "97")


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of 8 GiB without limits; its folder of control groups."""
    monkeypatch.setattr(memory_limit, "_PROCESS", tmp_path / "self")
    monkeypatch.setattr(memory_limit, "_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory_limit, "_machine", lambda: memory_limit.MemoryLimit(8.0 * GIB, "this machine has"))
    monkeypatch.setattr(memory_limit, "_address_space", lambda: iter(()))
    (tmp_path / "self").mkdir()
    return tmp_path / "cgroup"


def _limited(groups: Path, member: str, place: str, file: str, limit: str) -> None:
    (groups.parent / "self" / "cgroup").write_text(member)
    (groups / place).mkdir(parents=True, exist_ok=True)
    (groups / place / file).write_text(f"{limit}\n")


def test_without_groups_the_machine_is_the_limit(groups: Path) -> None:
    assert default_memory() == 4 * GIB
    _limited(groups, "0::/a\n", "a", "memory.max", "max")
    assert default_memory() == 4 * GIB
    _limited(groups, "4:memory:/a\n3:cpu:/b\n", "memory/a", "memory.limit_in_bytes", "9223372036854771712")
    assert default_memory() == 4 * GIB


@pytest.mark.parametrize(
    ("member", "place", "file"),
    [
        ("0::/user/a\n", "user/a", "memory.max"),
        ("0::/user/a\n", "user", "memory.max"),  # a group above
        ("0::/not/mounted\n", "", "memory.max"),  # a container sees its own group as the root
        ("12:cpu:/x\n4:hugetlb,memory:/docker/1\n0::/y\n", "memory/docker/1", "memory.limit_in_bytes"),
        ("4:memory:/docker/1\n", "memory", "memory.limit_in_bytes"),
        ("1:name=systemd:/\n0::/z\n", "unified/z", "memory.max"),
    ],
)
def test_the_least_limit_of_all_groups_counts(groups: Path, member: str, place: str, file: str) -> None:
    _limited(groups, member, place, file, str(GIB))
    assert default_memory() == GIB / 2
    assert "its control group allows 1 GiB" in lacking(MemoryError("an array of 3 GiB"))
    assert "(an array of 3 GiB)" in lacking(MemoryError("an array of 3 GiB"))
    assert lacking(MemoryError()) == "there is not enough memory: its control group allows 1 GiB"


def _under_ulimit(gib: float, *words: str) -> subprocess.CompletedProcess[str]:
    command = f"ulimit -v {int(gib * 2**20)}; exec {sys.executable} -m counterplay {' '.join(map(repr, words))}"
    environment = {**os.environ, "COUNTERPLAY_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the address space is told by /proc")
def test_what_ulimit_leaves_is_the_limit_and_a_failure_is_a_sentence() -> None:
    refused = _under_ulimit(2.0, *SPOT, "--board", "Ks 8h 7d")
    assert refused.returncode == 2
    assert "GiB is the limit; ask for fewer bet sizes" in refused.stderr
    limit = float(refused.stderr.split(" GiB is the limit")[0].split()[-1])
    assert 0.0 < limit < 1.0  # half of what is left, of which the program has taken some
    failed = _under_ulimit(2.0, *SPOT, "--board", "Ks 8h 7d 2c", "--iterations", "2", "--memory", "50")
    assert failed.returncode == 2
    last = failed.stderr.splitlines()[-1]
    assert last.startswith("counterplay: there is not enough memory")
    assert "ulimit -v leaves" in last
    assert last.endswith("or set --memory or --precision")
