"""Folders and files that other users own or may write are not read with trust, and ours are made for us alone."""

from __future__ import annotations

import os
import pickle
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay.cache_folder import FOLDER, cache_folder, distrust, make_trusted
from counterplay.jit import cache, kernel, kernel_folder, notice
from counterplay.value_functions.sampled_portfolio import SampleCache

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no owners and modes")
_STRANGER = 12345
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")


class _Trap:
    """Unpickling it leaves a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def _tripled(x: Any) -> Any:
    return 3 * x


def _writable_by_others(path: Path) -> None:
    path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o002)


def _writable_by_the_group(path: Path) -> None:
    path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o020)
    if os.geteuid() != 0:  # the user's own group would be one of theirs alone
        pytest.skip("a group of others is needed")


def _sticky(path: Path) -> None:
    path.chmod(0o1777)


def _given_away(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, _STRANGER, _STRANGER)


WAYS = (_writable_by_others, _writable_by_the_group, _sticky, _given_away)


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for a folder of kernels that is not made yet."""
    folder = tmp_path / "root" / "counterplay-kernels" / "stamp"
    monkeypatch.setattr(kernel_folder, "folders", lambda: (folder,))
    monkeypatch.setattr(kernel_folder, "_given_up", False)
    monkeypatch.setattr(notice, "_work", notice._Work())
    kernel_folder._first_writable.cache_clear()
    yield folder
    kernel_folder._first_writable.cache_clear()


def _compiled() -> int:
    before = len(notice.compiled())
    assert kernel(_tripled)(np.int64(7)) == 21
    return len(notice.compiled()) - before


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_folders_and_files_of_kernels_are_ours_alone_whatever_the_umask(
    kernels: Path, umask: Callable[[int], int], mask: int
) -> None:
    umask(mask)
    assert _compiled() == 1
    for folder in (kernels, kernels.parent, kernels.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (file,) = kernels.glob("*.nbc")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert _compiled() == 0


def test_kernels_beside_the_sources_can_be_read_by_all_and_written_by_us() -> None:
    """One user warms an image for another."""
    assert kernel_folder.mode_of(kernel_folder.PACKAGE / "__pycache__" / "counterplay-kernels") == 0o755


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("above", [0, 1])
def test_nothing_is_unpickled_from_a_folder_that_others_can_change(
    kernels: Path, tmp_path: Path, caplog: Any, way: Callable[[Path], None], above: int
) -> None:
    assert _compiled() == 1
    (file,) = kernels.glob("*.nbc")
    trap = pickle.dumps(_Trap(tmp_path / "ran"))
    file.write_bytes(cache._head(trap) + trap)
    if above and way is _sticky:
        pytest.skip("nobody can replace our folder in a sticky one")
    way((kernels, kernels.parent)[above])
    kernel_folder._first_writable.cache_clear()
    caplog.clear()
    assert _compiled() == 1
    assert not (tmp_path / "ran").exists()
    lines = [record.getMessage() for record in caplog.records]
    assert sum("are not used" in line for line in lines) == 1
    assert any("others may write" in line or "belongs to another user" in line for line in lines)


@pytest.mark.parametrize("way", WAYS[:2] + WAYS[3:])
def test_nothing_is_unpickled_from_a_file_that_others_can_change(
    kernels: Path, tmp_path: Path, caplog: Any, way: Callable[[Path], None]
) -> None:
    assert _compiled() == 1
    (file,) = kernels.glob("*.nbc")
    trap = pickle.dumps(_Trap(tmp_path / "ran"))
    file.write_bytes(cache._head(trap) + trap)
    way(file)
    caplog.clear()
    assert _compiled() == 1
    assert not (tmp_path / "ran").exists()
    assert sum("is not used, and compiled again" in record.getMessage() for record in caplog.records) == 1
    assert _compiled() == 0  # the new file has taken its place


def test_a_folder_of_our_own_in_a_sticky_one_is_trusted(tmp_path: Path) -> None:
    _sticky(tmp_path)
    make_trusted(tmp_path / "mine")
    assert distrust(tmp_path / "mine") is None
    assert "others may write" in str(distrust(tmp_path))


def test_a_link_is_followed_to_the_folder_that_counts(tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    _writable_by_others(open_to_all)
    (tmp_path / "link").symlink_to(open_to_all)
    assert str(open_to_all) in str(distrust(tmp_path / "link"))


@as_root
def test_a_stranger_above_spoils_a_folder_of_ours(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    (theirs / "ours").mkdir(parents=True)
    os.chown(theirs, _STRANGER, _STRANGER)
    assert f"number {_STRANGER}" in str(distrust(theirs / "ours"))
    with pytest.raises(PermissionError, match="belongs to another user"):
        make_trusted(theirs / "ours" / "kernels")


@pytest.mark.parametrize("way", WAYS)
def test_a_cache_that_others_can_change_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any, way: Callable[[Path], None]
) -> None:
    shared = tmp_path / "cache"
    monkeypatch.setenv(FOLDER, str(shared))
    kept = SampleCache({"k": 1})
    kept.keep("one", [1.0])
    assert cache_folder("tables") == shared / "tables"
    assert stat.S_IMODE(shared.stat().st_mode) == 0o700
    assert SampleCache({"k": 1}).results == {"one": [1.0]}
    way(shared)
    assert cache_folder() is None
    assert SampleCache({"k": 1}).results == {}
    assert cache_folder() is None
    assert sum("is not used" in record.getMessage() for record in caplog.records) == 1
