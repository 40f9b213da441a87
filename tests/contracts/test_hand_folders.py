"""Folders of hand histories are read as their files are, wherever files are; what else lies there is skipped by name."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from counterplay import InputError
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.read_hands import read_hands
from tests.support.commands import Runner
from tests.support.histories import random_hand

PLACES = ("b.phhs", "deep/er/a.phhs", "deep/z.jsonl", "UPPER.PHHS")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of hands, with other files, links and a loop."""
    rng, home = random.Random(2), tmp_path / "hands"
    for place in PLACES:
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        form = REGISTRY["match" if path.suffix == ".jsonl" else "phh"]
        path.write_text(form.write([random_hand(rng) for _ in range(2)]))  # type: ignore[attr-defined]
    (home / "notes.txt").write_text("my notes\n")
    (home / "picture.png").write_bytes(b"\x89PNG")
    (home / "bytes.log").write_bytes(b"\xff\xfe\x00")
    (home / ".hidden.phhs").write_text("[1]\nnothing\n")
    (home / ".git").mkdir()
    (home / ".git" / "old.phhs").write_text((home / "b.phhs").read_text())
    (home / "deep" / "loop").symlink_to(home, target_is_directory=True)
    (home / "again.phhs").symlink_to(home / "b.phhs")
    (home / "gone.phhs").symlink_to(home / "nowhere.phhs")
    os.mkfifo(home / "pipe.phhs")
    return home


def test_a_folder_is_its_files(folder: Path) -> None:
    found = read_hands([folder])
    # again.phhs is b.phhs, which has one name: the first in the order of names
    files = [folder / name for name in ("UPPER.PHHS", "again.phhs", "deep/er/a.phhs", "deep/z.jsonl")]
    alone = read_hands(files)
    assert (found.hands, found.left_out) == (alone.hands, alone.left_out)
    assert len(found.hands) == 8
    assert [hand.place.file for hand in found.hands[::2]] == list(map(str, files))
    assert [line.split(": ")[0] for line in found.skipped] == [str(folder / "bytes.log"), str(folder / "notes.txt")]


def test_every_command_on_hands_takes_a_folder(folder: Path, run: Runner) -> None:
    said = run("hands", str(folder), "--json").json
    assert (said["hands"], len(said["skipped"])) == (8, 2)
    lines = run("hands", str(folder)).out.splitlines()
    assert [line for line in lines if line.startswith("skipped: ")] == [f"skipped: {line}" for line in said["skipped"]]
    card = run("villain", str(folder), "--player", "ada")
    assert (card.code, "skipped: 2 of the files" in card.err) == (0, True)
    spot = str(Path(__file__).parents[2] / "examples" / "river.toml")
    assert run("hands", str(folder), "-o", "all.phhs").code == 0
    told = [run("respond", spot, "--to", f"hands:{one},player=bob", "--json") for one in (folder, "all.phhs")]
    assert told[0].code == told[1].code
    if told[0].code:
        assert told[0].err.splitlines()[-1] == told[1].err.splitlines()[-1]
    else:
        assert told[0].json["gain"] == told[1].json["gain"]


def test_a_folder_that_cannot_be_listed_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("er"):
            raise PermissionError(13, "Permission denied", str(path))
        return usual(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = read_hands([folder])
    assert len(found.hands) == 6
    assert f"{folder / 'deep' / 'er'}: cannot be read: permission denied" in found.skipped


def test_a_folder_without_hands_is_an_error_that_says_why(folder: Path, tmp_path: Path, run: Runner) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"no hand history is in the folder .*empty; no name ends in \.phh, "):
        read_hands([empty])
    (empty / "readme.txt").write_text("nothing")
    with pytest.raises(InputError, match=r"the first of 1 files: .*readme\.txt: is no hand history"):
        read_hands([folder, empty])
    with pytest.raises(InputError, match="there is no hand-history format 'fax'"):
        read_hands([folder], form="fax")
    assert len(read_hands([folder], form="match").hands) == 2
    done = run("hands", str(folder), "-o", str(folder / "b.phhs"))
    assert (done.code, "one of the files that are read" in done.err) == (2, True)
    assert run("review", "leduc", str(folder), "--against", "nash").err.endswith("it is a folder\n")
