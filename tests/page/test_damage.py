"""Files that are foreign, damaged or gone, processes that were killed: the page says so in a sentence, and works on."""

from __future__ import annotations

import json
import os
import signal
import time
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from counterplay import InputError
from counterplay.page.jobs import Job, Jobs, Message
from counterplay.page.shelf import Shelf
from counterplay.page.tables import PlayTables, TableSetup
from tests.support.naps import nap
from tests.support.page import LEAKS, SPOT

QUICK: dict[str, Any] = {"spot": SPOT | {"bets": "a"}, "exploitability": 5.0}
ASKED = {"leaks": LEAKS, "corners": 2}


@pytest.fixture(scope="module")
def name(page: TestClient) -> str:
    return str(page.post("/api/solve", json=QUICK).json()["name"])


@pytest.fixture
def answer(page: TestClient, name: str) -> str:
    return str(page.post(f"/api/spots/{name}/answers", json=ASKED).json()["name"])


def test_foreign_and_dangling_files_leave_the_list_of_spots(page: TestClient, shelf: Shelf, name: str) -> None:
    own = shelf.path(name)
    (shelf.folder / "river.spot").write_bytes(own.read_bytes())
    (shelf.folder / "0123456789abcdef.spot").symlink_to(shelf.folder / "nowhere.spot")
    (shelf.folder / "1123456789abcdef.spot").write_bytes(b"no archive")
    (shelf.folder / "2123456789abcdef.spot").mkdir()
    assert [one["name"] for one in page.get("/api/spots").json()] == [name]


def test_spots_are_listed_the_latest_first_and_a_given_one_once(shelf: Shelf, name: str, tmp_path: Path) -> None:
    given = tmp_path / "given.spot"
    given.write_bytes(shelf.path(name).read_bytes())
    own = Shelf(tmp_path, given)
    assert [one["file"] for one in own.spots()] == [str(given)]
    given.unlink()
    assert own.spots() == []


def test_whatever_is_no_answer_is_damage(shelf: Shelf, answer: str) -> None:
    path = shelf.answer_folder(answer) / "answer.json"
    whole = json.loads(path.read_bytes())
    wrong = {"opponent": 7, "corners": [], "spot": None, "interrupted": 1, "notes": "no", "value": float("nan")}
    parts = [{**whole, key: value} for key, value in wrong.items()] + [
        {one: whole[one] for one in whole if one != key} for key in wrong
    ]
    texts = ["{}", "[]", "null", json.dumps({**whole, "more": "\ud800"}), "[" * 9999]
    for damaged in (*map(json.dumps, parts), *texts):
        path.write_text(damaged)
        assert not shelf.has_answer(answer), damaged
    path.write_text(json.dumps(whole))
    assert shelf.has_answer(answer)


def test_a_damaged_answer_is_named_and_made_again(page: TestClient, shelf: Shelf, name: str, answer: str) -> None:
    whole = page.get(f"/api/answers/{answer}").json()
    (shelf.answer_folder(answer) / "answer.json").write_text("{}")
    seat = {"game": name, "against": f"villain:{answer}"}
    for found in (
        page.get(f"/api/answers/{answer}"),
        page.get(f"/api/answers/{answer}/node"),
        page.get(f"/api/answers/{answer}/changes", params={"risk": 1.0}),
        page.post("/api/tables", json=seat),
    ):
        assert found.status_code == 422
        assert found.json() == {"error": f"the answer {answer} is damaged: ask for it again"}
    again = page.post(f"/api/spots/{name}/answers", json=ASKED).json()
    assert again["name"] == answer
    assert again["job"] is not None
    assert page.get(f"/api/answers/{answer}").json() == whole
    assert page.post(f"/api/spots/{name}/answers", json=ASKED).json()["job"] is None


def test_an_answer_without_a_file_of_its_own_is_made_again(
    page: TestClient, shelf: Shelf, name: str, answer: str
) -> None:
    equilibrium, corner = (shelf.corner_path(answer, number) for number in (None, 1))
    corner.unlink()
    assert not shelf.has_answer(answer)
    assert page.post(f"/api/spots/{name}/answers", json=ASKED).json()["job"] is not None
    assert shelf.has_answer(answer)
    equilibrium.write_bytes(equilibrium.read_bytes()[:-9])
    assert not shelf.has_answer(answer)


def test_damaged_notes_and_dangling_blueprints_are_left_out(page: TestClient, shelf: Shelf) -> None:
    shelf.players.mkdir()
    one = {"name": "x.json", "about": "a strategy", "games": []}
    for file, about in (("a", "a strategy"), ("b", "\ud800"), ("c", float("nan"))):
        (shelf.players / f"{file}.json").write_text(json.dumps({"players": [{**one, "about": about}]}))
    (shelf.players / "d.json").symlink_to(shelf.folder / "nowhere.json")
    assert page.get("/api/uploads").json() == [one]
    (shelf.folder / "dangling.cpb").symlink_to(shelf.folder / "nowhere.cpb")
    (shelf.folder / "folder.cpb").mkdir()
    assert page.get("/api/players").json()["blueprints"] == []


def test_a_damaged_result_is_made_again(page: TestClient, shelf: Shelf) -> None:
    asked = {"game": "kuhn", "methods": ["cfr"], "iterations": 5}
    name = page.post("/api/solves", json=asked).json()["name"]
    whole = page.get(f"/api/results/{name}").json()
    for content in ("{}", "[]"):
        shelf.result_path(name).write_text(content)
        assert page.post("/api/solves", json=asked).json()["job"] is not None
        assert page.get(f"/api/results/{name}").json() == whole


def test_hands_with_half_a_character_are_refused(page: TestClient) -> None:
    body = '{"file": "a.txt", "text": "\\ud800"}'
    found = page.post("/api/hands", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 422
    assert found.json()["error"].startswith("hand histories are text in UTF-8")


class _Dead:
    """A process that is not alive."""

    pid = None

    def __init__(self, **_: Any) -> None:
        """Nothing starts."""

    def start(self) -> None:
        """Nor here."""

    terminate = start

    def join(self, _: float) -> None:
        """It has ended."""


def test_a_table_without_a_process_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    dead = SimpleNamespace(Pipe=Pipe, Process=_Dead)
    monkeypatch.setattr("counterplay.page.jobs._SPAWNED", dead)
    table = PlayTables().open(TableSetup("kuhn", "uniform", 0, 0))
    table._state = {"kind": "ask", "actions": ["check"]}
    for ask in (partial(table.move, "check"), table.view, partial(table.move, "check")):
        with pytest.raises(InputError, match="table 1 has ended"):
            ask()


class _Mortal:
    """A worker in this process. It has died once its first task was done."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.number, self.pipe, self.alive = self.made, self, True

    def send(self, _: Any) -> None:
        if not self.alive:
            raise BrokenPipeError

    def recv(self) -> Message:
        self.alive = False
        return Message("done", {"worker": self.number})

    def end(self) -> str:
        return "by signal 9"


def test_a_worker_that_died_between_two_jobs_costs_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterplay.page.jobs.Worker", _Mortal)
    jobs = Jobs()
    done = [_done(jobs.add("nap", "a", nap(number, 0.0))) for number in range(2)]
    assert [(one.state, one.facts) for one in done] == [("done", {"worker": 1}), ("done", {"worker": 2})]


@pytest.mark.slow
def test_killed_processes_of_a_table_and_of_the_worker() -> None:
    table = PlayTables().open(TableSetup("kuhn", "uniform", 0, 0))
    jobs = Jobs()
    try:
        while (state := table.view())["kind"] != "ask":
            time.sleep(0.01)
        _kill(table.worker.pid)
        with pytest.raises(InputError, match="table 1 has ended"):
            table.move(state["actions"][0])
        first = _done(jobs.add("nap", "a", nap(1, 0.0)))
        before = jobs.worker
        assert before is not None
        _kill(before)
        second = _done(jobs.add("nap", "b", nap(2, 0.0)))
        assert (first.state, second.state, second.facts) == ("done", "done", {"number": 2})
        assert jobs.worker != before
    finally:
        table.end()
        jobs.end()


def _done(job: Job) -> Job:
    while job.state in ("waiting", "running"):
        time.sleep(0.001)
    return job


def _kill(process: int) -> None:
    """And wait until it has ended."""
    os.kill(process, signal.SIGKILL)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
