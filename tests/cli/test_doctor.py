"""The commands about the installation: the cache is listed and emptied, and nothing of others is."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterplay.cache_folder import make_trusted
from tests.support.commands import Runner

DIGEST = "0123456789abcdef"
OURS = (
    "tables/" + DIGEST * 4 + ".npz",
    "spots/" + DIGEST + ".spot",
    "spots/" + DIGEST + "-half.averages",
    DIGEST * 4 + ".work",
)
OTHERS = ("thesis.work", "tables/tables.npz", "spots/mine.spot", "hands/session.txt", "notes.txt", "files/readme.md")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of the cache and of its owner, who had others there before."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(folder))
    for name in (*OURS, *OTHERS):
        make_trusted((folder / name).parent)
        (folder / name).write_bytes(b"12345")
    return folder


def test_the_cache_is_listed(cache: Path, run: Runner) -> None:  # noqa: ARG001 - there it is
    parts = run("cache", "--json").json["parts"]
    assert {name: parts[name]["files"] for name in ("hands", "tables", "spots", "files", "samples")} == {
        "hands": 0, "tables": 1, "spots": 2, "files": 0, "samples": 1,
    }  # fmt: skip
    assert parts["spots"]["bytes"] == 10


@pytest.mark.parametrize("part", ["tables", "spots", "samples", "hands", "files"])
def test_a_part_is_emptied_and_no_other_file(cache: Path, run: Runner, part: str) -> None:
    ended = run("cache", "--empty", part)
    assert ended.code == 0
    assert ended.out.startswith("removed:\n")
    assert all((cache / name).exists() for name in OTHERS)
    home = {name: Path(name).parts[0] if "/" in name else "samples" for name in OURS}
    assert {name for name in OURS if (cache / name).exists()} == {name for name in OURS if home[name] != part}


def test_an_unknown_part_is_refused(cache: Path, run: Runner) -> None:
    ended = run("cache", "--empty", "../tables")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert all((cache / name).exists() for name in (*OURS, *OTHERS))


def test_a_cache_that_is_off_is_said(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERPLAY_CACHE", "")
    assert "COUNTERPLAY_CACHE is empty" in run("cache").out
    assert "folder" not in run("cache", "--json").json["parts"]["tables"]


def test_the_doctor_names_what_extras_lack(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from counterplay.commands import doctor

    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "matplotlib" else real(name))
    told = run("doctor")
    assert "lacks matplotlib: pip install 'counterplay[plot]'" in told.out
    found = run("doctor", "--json").json
    assert found["missing"]["plot"] == ["matplotlib"]
    assert found["threads"] <= found["cores"]
