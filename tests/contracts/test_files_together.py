"""Files that belong together appear together."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterplay import InputError
from counterplay.files import write_together, write_whole


def test_files_written_together_appear_at_the_end(tmp_path: Path) -> None:
    with write_together():
        write_whole(tmp_path / "a.csv", b"a")
        write_whole(tmp_path / "b.png", b"b")
        assert not (tmp_path / "a.csv").exists()
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == [b"a", b"b"]


def test_if_one_fails_none_appears_and_old_ones_stay(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"old")
    with pytest.raises(InputError, match=r"cannot write .*b\.png"):
        _write_both(tmp_path / "a.csv", tmp_path / "missing" / "b.png")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.csv", b"old")]
    write_whole(tmp_path / "a.csv", b"alone")
    assert (tmp_path / "a.csv").read_bytes() == b"alone"


def test_if_one_cannot_take_its_place_none_appears(tmp_path: Path) -> None:
    """As where a folder bears its name."""
    (tmp_path / "b.png").mkdir()
    with pytest.raises(InputError, match=r"cannot write .*b\.png: it is a folder"):
        _write_both(tmp_path / "a.csv", tmp_path / "b.png")
    assert [path.name for path in tmp_path.iterdir()] == ["b.png"]


def _write_both(first: Path, second: Path) -> None:
    with write_together():
        write_whole(first, b"new")
        write_whole(second, b"new")
