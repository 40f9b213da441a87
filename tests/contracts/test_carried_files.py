"""Files that work names reach workers that share no folder with us: by digest, whole, and once."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from errno import ENOSPC
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay import InputError
from counterplay.archive import ArchiveKind, opened, write
from counterplay.cache_folder import OfferedFileError, ask_for, note_used, offered, used_files
from counterplay.measure.flop_responses import FlopMethods
from counterplay.measure.on_boards import board_work
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.walks.response_on_flops import draw_flops
from counterplay.responses.methods import method_of
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.work.carried_files import Carried, absent, content_digest, keep, pack, packed_digest, place_of, unpack
from counterplay.work.cluster import Absent, Cluster, Content, compute_piece, stamp_here
from counterplay.work.run_work import run_work
from counterplay.work.worker import Failure
from counterplay_papers.files import HOUR
from counterplay_papers.registry import reproduction
from counterplay_papers.runner import ExperimentWork
from tests.support.local_scheduler import LocalScheduler
from tests.support.reading_work import ReadingWork

KIND = ArchiveKind("numbers of a test", 1, frozenset(("table",)))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReadingWork:
    """Work in our folder, and an empty cache of a worker elsewhere."""
    (tmp_path / "bot.cpb").write_text("a blueprint")
    (tmp_path / "hands.jsonl").write_text("some hands")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path / "elsewhere"))
    return ReadingWork(tmp_path / "hands.jsonl", "bias:fold=0.2:bot.cpb")


def test_named_files_come_by_digest_and_texts_name_their_copies(work: ReadingWork) -> None:
    content, files = pack(work)
    assert sorted(path.name for path in files.values()) == ["bot.cpb", "hands.jsonl"]
    lacking = absent(list(files))
    assert set(lacking) == set(files)
    for file in lacking:
        data = files[file].read_bytes()
        keep(Carried(file, content_digest(data)), data)
        assert place_of(file).name.startswith(content_digest(data))
    assert absent(list(files)) == ()
    for path in files.values():
        path.unlink()
    there = unpack(content)
    assert there.text.startswith("bias:fold=0.2:")
    assert [there.compute(key) for key in there.keys()] == ["some hands", "a blueprint"]  # noqa: SIM118


def test_names_that_end_in_each_other_come_each_to_its_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the place of one copy has the name of another in it, as digests do that end in its letter."""
    names = [f"{letter}.cpb" for letter in "0123456789abcdef"] + ["mya.cpb"]
    for name in names:
        (tmp_path / name).write_text(f"content of {name}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path / "elsewhere"))
    content, files = pack(ReadingWork(Path(names[0]), f"portfolio:{';'.join(names)}"))
    places = {path.name: str(place_of(file)) for file, path in files.items()}
    assert unpack(content).text == f"portfolio:{';'.join(places[name] for name in names)}"


def test_what_was_damaged_on_its_way_or_in_the_cache_is_refused(work: ReadingWork) -> None:
    file = next(iter(pack(work)[1]))
    with pytest.raises(InputError, match="damaged on its way"):
        keep(Carried(file, content_digest(b"right")), b"wrong")
    assert absent([file]) == (file,)
    place_of(file).parent.mkdir(parents=True)
    place_of(file).write_bytes(b"something else")
    assert absent([file]) == (file,)


def test_a_full_disk_of_a_worker_is_one_sentence_and_leaves_no_half_file(
    work: ReadingWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, files = pack(work)
    file, path = next(iter(files.items()))
    data = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(ENOSPC, "No space left on device")

    there = Content(content, packed_digest(content), tuple(files), frozenset())
    carried = [Carried(file, content_digest(data))], [data]
    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        found = compute_piece(there, "path", stamp_here(), *carried)
    assert isinstance(found, Failure)
    assert found.input
    assert found.text == f"cannot write {place_of(file)}: No space left on device"
    assert list(place_of(file).parent.iterdir()) == []
    lacking = compute_piece(there, "path", stamp_here(), *carried)
    assert isinstance(lacking, Absent)
    assert file not in lacking.files


def test_a_worker_without_room_for_the_folder_says_so(work: ReadingWork, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("a file where the folder should be")
    file = next(iter(pack(work)[1]))
    with pytest.raises(InputError, match="cannot write"):
        keep(Carried(file, content_digest(b"some")), b"some")


def test_code_and_mere_words_do_not_travel(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print()")
    assert pack(ReadingWork(tmp_path / "bot.py", "noise:0.5:cfr+:10"))[1] == {}
    assert pack(ReadingWork(tmp_path, "v1.2:missing.cpb"))[1] == {}


def test_a_file_of_the_cache_is_asked_for_only_where_it_is_offered(tmp_path: Path) -> None:
    path = tmp_path / "tables" / "some.npz"
    ask_for(path)
    with offered(frozenset((("tables", "some.npz"),))), pytest.raises(OfferedFileError) as error:
        ask_for(path)
    assert error.value.file == ("tables", "some.npz")


@pytest.mark.parametrize("array", [np.arange(12, dtype=np.uint16).reshape(3, 4), np.arange(5, dtype=np.float64)])
def test_mapped_arrays_are_those_of_the_file(tmp_path: Path, array: Any) -> None:
    path = tmp_path / "some.npz"
    write(path, KIND, {}, {"table": array})
    before = path.read_bytes()
    with opened(path, KIND) as archive:
        mapped = archive.mapped("table", (None,) * array.ndim, array.dtype.kind)
        np.testing.assert_array_equal(mapped, archive.array("table", array.shape, array.dtype.kind), strict=True)
    mapped[...] = 0
    assert path.read_bytes() == before
    at = before.rindex(array.tobytes())
    path.write_bytes(before[:at] + b"\xff" + before[at + 1 :])
    with pytest.raises(InputError, match="damaged"), opened(path, KIND) as archive:
        archive.mapped("table", array.shape, array.dtype.kind)


def test_files_that_cells_read_go_to_a_worker_elsewhere(work: ReadingWork, tmp_path: Path) -> None:
    """`work` has set our folder and the cache of a worker. Whether the blueprint of an hour is there decides over cells."""
    del work
    without = ExperimentWork(reproduction("cdbr-slumbot"), quick=False).keys()
    Path(HOUR.name).write_text("a blueprint of ours")
    asked = ExperimentWork(reproduction("cdbr-slumbot"), quick=False)
    assert len(asked.keys()) > len(without)
    content, files = pack(asked)
    assert [path.name for path in files.values()] == [HOUR.name]  # the others are in the package
    for file, path in files.items():
        data = path.read_bytes()
        keep(Carried(file, content_digest(data)), data)
    Path(HOUR.name).unlink()
    assert HOUR.find() is None
    there = unpack(content)
    assert there.keys() == asked.keys()
    assert HOUR.path().read_text() == "a blueprint of ours"
    assert HOUR.path().is_relative_to(tmp_path / "elsewhere")
    assert unpack(pack(ExperimentWork(reproduction("ses-matrix"), quick=True))[0]).keys()
    assert HOUR.find() is None  # it came with other work


def test_what_travels_is_small() -> None:
    """Of flops and boards in whole hold'em, the work once to each worker, and a key for each piece."""
    rules = read_holdem("holdem:stack=200bb,bets=fcpa")
    one, two = (seat_strategy(rules, text, seat, 0) for seat, text in enumerate(("passive", "uniform")))
    flops = draw_flops(rules.game.boards, 40, 0)
    for work in (
        FlopMethods(HoldemMatchup(rules, two, seed=0), [method_of("br")], flops).work,
        board_work(rules, one, two, 1000),
    ):
        packed, files = pack(work)
        assert (len(packed), files) == (1, {})
        assert len(packed[0]) < 1000
        assert max(map(len, work.keys())) < 30


@pytest.mark.slow
def test_workers_without_our_folders_read_our_files(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("hands.jsonl", "some hands"), ("bot.cpb", "a blueprint")):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path / "here"))
    table = tmp_path / "here" / "tables" / "some.npz"
    table.parent.mkdir(parents=True)
    table.write_text("a table")
    note_used(table)
    assert ("tables", "some.npz") in used_files()
    away = tmp_path_factory.mktemp("away")
    local = LocalScheduler(away, environment={"COUNTERPLAY_CACHE": str(away / "cache")})
    try:
        local.wait()
        work = ReadingWork(tmp_path / "hands.jsonl", "bias:fold=0.2:bot.cpb", "some.npz")
        found = run_work(work, executor=Cluster(local.address)).results
        assert found == {"path": "some hands", "text": "a blueprint", "table": "a table"}
        kept = sorted(path.relative_to(away / "cache").parts[0] for path in (away / "cache").glob("*/*"))
        assert kept == ["files", "files", "tables"]
        assert run_work(work, executor=Cluster(local.address)).results == found
        _fill_disks(local, away / "cache", work, found)
    finally:
        local.end()


def _fill_disks(local: LocalScheduler, cache: Path, work: ReadingWork, found: Mapping[str, Any]) -> None:
    """Workers that cannot write what comes say so, leave no half file, and do the work once they can."""
    for path in cache.glob("files/*"):
        path.unlink()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    for worker in local.workers:
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (2, usual[1]))
    with pytest.raises(InputError, match=r"cannot write .*: File too large"):
        run_work(work, executor=Cluster(local.address))
    assert list(cache.glob("files/*")) == []
    for worker in local.workers:
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, usual)
    assert run_work(work, executor=Cluster(local.address)).results == found
