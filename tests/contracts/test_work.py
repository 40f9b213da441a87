"""Work in independent pieces: results are equal wherever they are computed, and nothing that was computed is lost."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import InputError
from counterplay.work.processes import Processes
from counterplay.work.run_work import FunctionWork, WorkProgress, WorkRecipe, run_work
from counterplay.work.work_record import ForeignRecordError, WorkRecord, decoded, encoded
from counterplay.work.worker import read_message, write_message
from tests.support.characters import CHARACTERS
from tests.support.slow_work import SlowWork

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTERS)
)


@dataclass(frozen=True)
class Squares(WorkRecipe):
    """The squares of the numbers below `size`; `fails` is a number that has none, `stops` one at which Ctrl-C comes."""

    size: int
    fails: int = -1
    stops: int = -1

    def identity(self) -> Mapping[str, Any]:
        return {"work": "squares", "size": self.size}

    def keys(self) -> Sequence[str]:
        return [str(number) for number in range(self.size)]

    def compute(self, key: str) -> Any:
        number = int(key)
        if number == self.fails:
            raise InputError(f"{number} has no square")
        if number == self.stops:
            raise KeyboardInterrupt
        return {"square": number**2, "row": np.full(3, number / 7)}


def _plain(results: dict[str, Any]) -> Any:
    return [(key, one["square"], one["row"].tolist()) for key, one in results.items()]


@given(
    st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner), max_leaves=8)
)
def test_results_come_back_from_json_to_the_last_bit(result: Any) -> None:
    assert decoded(json.loads(json.dumps(encoded(result)))) == result


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8", "bool"])
def test_arrays_come_back_from_json(dtype: str) -> None:
    array = np.random.default_rng(1).integers(0, 2, (3, 0, 2) if dtype == "int32" else (3, 2)).astype(dtype)
    back = decoded(json.loads(json.dumps(encoded([array]))))[0]
    np.testing.assert_array_equal(back, array, strict=True)


def test_what_is_no_plain_data_is_no_result() -> None:
    for bad in (float("nan"), np.array([object()]), Path("x")):
        with pytest.raises((TypeError, ValueError)):
            encoded(bad)


@pytest.mark.parametrize("change", [{"dtype": "object"}, {"shape": [5]}, {"shape": [-3]}, {"array": "?"}])
def test_a_damaged_array_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="damaged"):
        decoded({**encoded(np.zeros(3)), **change})


def test_results_are_equal_in_one_process_and_in_several() -> None:
    work = SlowWork(12, 0.0)
    assert run_work(work).results == run_work(work, executor=Processes(3)).results
    assert list(run_work(work, executor=Processes(3)).results) == work.keys()


def _power(exponent: int, key: str) -> int:
    return int(key) ** exponent  # type: ignore[no-any-return]


def _remade(exponent: int) -> partial[int]:
    return partial(_power, exponent)


def test_work_may_be_a_plain_function_of_the_key(tmp_path: Path) -> None:
    """It is resumed from a record, and goes to other processes by its arguments, or as it says itself."""
    keys = [str(number) for number in range(6)]
    squares, path = FunctionWork(partial(_power, 2), keys, lambda: {"exponent": 2}), tmp_path / "squares.work"
    some = FunctionWork(partial(_power, 2), keys[:2], squares.facts)
    assert run_work(some, record=WorkRecord(path, some.identity())).results == {"0": 0, "1": 1}
    begun = list[WorkProgress]()
    found = run_work(squares, record=WorkRecord(path, squares.identity()), executor=Processes(2), watch=begun.append)
    assert found.results == {key: int(key) ** 2 for key in keys}
    assert [piece.key for piece in begun] == keys[2:]
    local = FunctionWork(lambda key: int(key) ** 3, keys, size=float, remake=lambda: (_remade, (3,)))
    begun.clear()
    assert run_work(local, executor=Processes(2), watch=begun.append).results == {key: int(key) ** 3 for key in keys}
    assert [piece.key for piece in begun] == keys[::-1]

    def refuse() -> Any:
        raise pickle.PicklingError("it has no text")

    with pytest.raises(InputError, match="cannot be given to other processes: it has no text"):
        run_work(FunctionWork(str.upper, keys, remake=refuse), executor=Processes(2))


def test_a_slow_worker_holds_up_no_piece_but_its_own() -> None:
    seen = list[str]()
    found = run_work(SlowWork(6, 0.0, slow=0), executor=Processes(2), done=lambda key, _: seen.append(key))
    assert found.results == {str(k): k**2 for k in range(6)}
    assert seen == ["1", "2", "3", "4", "5", "0"]


def test_large_arrays_of_any_layout_come_back_from_workers() -> None:
    table = np.arange(60_000.0).reshape(200, 300)
    arrays = [table, table.T, table[::2, 1:], np.zeros((0, 3), np.uint8), np.array(2.5)]
    stream = BytesIO()
    write_message(stream, {"arrays": arrays, "text": "some"})
    content = stream.getvalue()
    back = read_message(BytesIO(content))
    assert back["text"] == "some"
    for array, found in zip(arrays, back["arrays"], strict=True):
        np.testing.assert_array_equal(found, array, strict=True)
    for length in (0, 5, 30, len(content) // 2, len(content) - 1):
        assert read_message(BytesIO(content[:length])) is None


def test_interrupted_work_goes_on_where_it_was(tmp_path: Path) -> None:
    path, seen = tmp_path / "squares.work", []
    cut = run_work(Squares(6, stops=3), record=WorkRecord(path, Squares(6).identity()))
    assert cut.interrupted
    assert list(cut.results) == ["0", "1", "2"]
    rest = run_work(Squares(6), record=WorkRecord(path, Squares(6).identity()), done=lambda key, _: seen.append(key))
    assert seen == ["3", "4", "5"]
    assert not rest.interrupted
    assert _plain(rest.results) == _plain(run_work(Squares(6)).results)


def test_a_piece_that_fails_ends_the_work_and_keeps_the_rest(tmp_path: Path) -> None:
    for executor in (None, Processes(1)):
        path = tmp_path / f"{executor is None}.work"
        with pytest.raises(InputError, match="piece 2 fails"):
            run_work(SlowWork(5, 0.0, fails=2), record=WorkRecord(path), executor=executor)
        assert list(WorkRecord(path).results) == ["0", "1"]


def test_work_of_a_script_is_refused_by_other_processes() -> None:
    @dataclass(frozen=True)
    class Local(Squares):
        pass

    with pytest.raises(InputError, match="cannot be given to other processes"):
        run_work(Local(2), executor=Processes(1))


def test_a_worker_that_ends_by_itself_is_an_error() -> None:
    with pytest.raises(InputError, match="a worker ended unexpectedly"):
        run_work(SlowWork(3, 0.0, dies=1), executor=Processes(2))


def test_a_record_of_other_work_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "squares.work"
    run_work(Squares(2), record=WorkRecord(path, Squares(2).identity()))
    with pytest.raises(ForeignRecordError, match="its size is 2, not 3"):
        WorkRecord(path, Squares(3).identity())
    path.write_text('{"format": "another"}\n')
    with pytest.raises(InputError, match="no record of work"):
        WorkRecord(path)


@given(st.data())
def test_a_torn_or_damaged_line_is_computed_again(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("torn") / "squares.work"
    whole = run_work(Squares(4), record=WorkRecord(path, {})).results
    content = bytearray(path.read_bytes())
    head = content.index(b"\n") + 1
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(head, len(content))) :]
    else:
        content[data.draw(st.integers(head, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    again = WorkRecord(path, {})
    for key, found in again.results.items():
        assert _plain({key: found}) == _plain({key: whole[key]})
    assert _plain(run_work(Squares(4), record=again).results) == _plain(whole)
    assert _plain(WorkRecord(path, {}).results) == _plain(whole) or again.damaged


@given(st.data())
def test_a_record_torn_in_its_first_line_begins_anew(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("torn") / "squares.work"
    run_work(Squares(2), record=WorkRecord(path, Squares(2).identity()))
    head = path.read_bytes().split(b"\n")[0]
    path.write_bytes(head[: data.draw(st.integers(0, len(head)))])
    found = run_work(Squares(2), record=WorkRecord(path, Squares(2).identity())).results
    again = WorkRecord(path, Squares(2).identity())
    assert (_plain(again.results), again.damaged) == (_plain(found), 0)


def test_a_full_disk_is_one_sentence_and_keeps_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "squares.work"
    record = WorkRecord(path)
    run_work(Squares(2), record=record)
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, content: write(handle, content[:20]))
    with pytest.raises(InputError, match=r"cannot write .*the disk is full"):
        run_work(Squares(4), record=record)
    monkeypatch.setattr(os, "write", write)
    again = WorkRecord(path)
    assert list(again.results) == ["0", "1"]
    assert again.damaged == 1
    assert len(run_work(Squares(4), record=again).results) == len(WorkRecord(path).results) == 4


def test_two_writers_of_one_record_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "squares.work"
    first, second = WorkRecord(path), WorkRecord(path)
    for number in range(4):
        (first, second)[number % 2].keep(str(number), number)
    assert WorkRecord(path).results == {"0": 0, "1": 1, "2": 2, "3": 3}


def test_progress_counts_pieces_and_knows_the_time_left() -> None:
    seen: list[WorkProgress] = []
    record = WorkRecord()
    record.keep("0", 1)
    run_work(SlowWork(4, 0.02), record=record, watch=seen.append)
    assert [(one.key, one.number, one.pieces, one.done) for one in seen] == [
        ("1", 2, 4, 1),
        ("2", 3, 4, 2),
        ("3", 4, 4, 3),
    ]
    assert [one.seconds_left for one in seen[:2]] == [None, None]  # of one part the pace is not known
    assert (seen[2].seconds_left or 0.02) >= 0.02


def test_killed_work_leaves_no_workers_and_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "slow.work"
    script = (
        "from pathlib import Path; import sys\n"
        "from tests.support.slow_work import SlowWork\n"
        "from counterplay.work.processes import Processes\n"
        "from counterplay.work.run_work import run_work\n"
        "from counterplay.work.work_record import WorkRecord\n"
        f"run_work(SlowWork(200, 0.05), record=WorkRecord(Path({str(path)!r})), executor=Processes(2))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, "-c", script], env=environment)
    until = time.monotonic() + 60
    while time.monotonic() < until and (not path.exists() or path.read_bytes().count(b"\n") < 5):
        time.sleep(0.02)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    kept = WorkRecord(path).results
    assert kept
    time.sleep(1.0)
    assert WorkRecord(path).results == kept, "somebody goes on writing"
    assert all(kept[key] == int(key) ** 2 for key in kept)
