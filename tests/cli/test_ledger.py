"""The ledger of benchmarks: what a run measured stands in it, by commit, and nothing of whose machine it was."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.pages import ROOT


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module, which stands beside the benchmarks and in no package."""
    spec = importlib.util.spec_from_file_location("ledger", ROOT / "benchmarks" / "ledger.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "ledger", module)
    spec.loader.exec_module(module)
    return module


def test_runs_are_appended_and_shown_side_by_side(
    ledger: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ledger.csv"
    for commit, ratio in (("aaa", 2.0), ("bbb", 2.5)):
        monkeypatch.setattr(ledger, "commit", lambda one=commit: one)
        ledger.note("leduc: cfr+", "a peer, with a comma", ratio, 0.25)
        if commit == "bbb":
            ledger.note("leduc: new", "yardstick", 7.0)
        ledger.append("iteration", file)
    found = ledger.entries(file)
    assert [(one.commit, one.name, one.ratio) for one in found] == [
        ("aaa", "leduc: cfr+", 2.0),
        ("bbb", "leduc: cfr+", 2.5),
        ("bbb", "leduc: new", 7.0),
    ]
    assert found[0].cpu_seconds == 0.25
    machine, _, head, *rows = ledger.table(found).splitlines()
    assert machine == ledger.machine()
    assert re.fullmatch(r"times the peer +peer +aaa \(.{10}\) +bbb \(.{10}\)", head)
    assert [row.split()[-2:] for row in rows] == [["2", "2.5"], ["yardstick", "7"]]


def test_machines_are_not_mixed(ledger: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for machine in ("one", "another"):
        monkeypatch.setattr(ledger, "machine", lambda name=machine: name)
        ledger.note("what", "yardstick", 1.0)
        ledger.append("iteration", tmp_path / "ledger.csv")
    tables = ledger.table(ledger.entries(tmp_path / "ledger.csv")).split("\n\n")
    assert [tables[0], tables[2].splitlines()[-1]] == ["one", "another"]


def test_what_is_kept_names_processors_and_no_machine_or_folder(ledger: ModuleType) -> None:
    text = (ROOT / "benchmarks" / "ledger.csv").read_text() + ledger.machine()
    assert "cores, Python" in text
    assert not re.search(r"(^|[\s,\"'=])(/|~|[A-Z]:\\)\w", text)
    assert not platform.node() or platform.node() not in text


def test_a_command_prints_it() -> None:
    command = [sys.executable, "benchmarks/run.py", "exact", "--ledger"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "times the peer" in shown
    assert "exact: exact LP of leduc: ours" in shown
    assert "iteration: " not in shown


def test_a_peer_that_cannot_be_installed_is_left_out_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("install_peers", ROOT / "benchmarks" / "install_peers.py")
    assert spec is not None
    assert spec.loader is not None
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    fails = [
        sys.executable,
        "-c",
        "import sys; print('WARNING: a'); sys.exit('ERROR: No matching distribution\\nhint: b')",
    ]
    works = [sys.executable, "-c", ""]
    peers.install("A peer", works, fails, ["never-run"])
    said = (
        "A peer cannot be installed here, so that it is left out of the comparison: ERROR: No matching distribution\n"
    )
    assert capsys.readouterr().out == said
    peers.install("A peer", fails, there=works)  # it is there already
    peers.install("A peer", works)
    assert not capsys.readouterr().out


def test_every_benchmark_stands_in_the_table() -> None:
    """But for the parts that several share."""
    text = (ROOT / "benchmarks" / "README.md").read_text()
    found = {path.name for path in (ROOT / "benchmarks").glob("*.py")} - {"common.py", "ledger.py", "noregret_peer.py"}
    assert len(found) > 30
    assert {name for name in found if f"`{name}`" not in text} == set()
