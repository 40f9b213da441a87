"""What others ask of the page has a limit: of seconds, of things that are listed, of requests and jobs that wait."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from socket import create_server
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from counterplay import InputError, Spot
from counterplay.budget import JOBS, UPLOAD, WAITING, Budget, BudgetError, BusyError, spend, time_left
from counterplay.page import jobs as jobs_module
from counterplay.page.jobs import Desk, Jobs, Question
from counterplay.page.server import Address, make_app
from counterplay.page.shelf import Shelf
from counterplay.page.tables import PlayTables
from tests.support.naps import nap
from tests.support.page import HERE, SPOT, TOY_HANDS

_ENDLESS = {"board": "Ks 8h 7d", "oop": "random", "ip": "random", "pot": 6, "stack": 97, "bets": "2%"}
"""A flop whose betting is counted for minutes."""
_TURN = {**SPOT, "board": "Ks 8h 8d 4c", "oop": "22+,A2s+,K2s+", "ip": "22+,A2s+,K2s+"}


def _asleep(seconds: float) -> str:
    time.sleep(seconds)
    return "rested"


def _counted(number: int) -> int:
    for _ in range(number):
        spend("sheep", 1)
    return os.getpid()


def _dies() -> None:
    os._exit(3)


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.end()


def test_a_budget_ends_what_it_counts_and_only_while_it_is_held() -> None:
    spend("sheep", 10**30)
    with Budget(count=3).held():
        spend("sheep", 3)
        with pytest.raises(BudgetError, match="more than 3 sheep"):
            spend("sheep", 1)
        with Budget().held():
            spend("sheep", 10**9)
    with Budget(seconds=0.0).held(), pytest.raises(BudgetError, match="sheep take more than the 0 seconds"):
        spend("sheep")
    spend("sheep", 10**30)


@pytest.mark.parametrize("bets", ["5%", "3%", "2%", "1%", "any"])
def test_the_count_of_a_tree_stops_at_the_budget(bets: str) -> None:
    """Long before the tree is built, which would take up to minutes."""
    begin = time.process_time()
    with Budget(count=20_000).held(), pytest.raises(InputError, match="betting tree"):
        print(Spot.from_table({**_ENDLESS, "bets": bets}).betting.nodes)
    assert time.process_time() - begin < 5.0


def test_a_question_is_answered_in_another_process_within_its_budget(desk: Desk) -> None:
    first = desk.ask(Question(_counted, (5,), Budget(count=5)))
    assert first != os.getpid()
    with pytest.raises(InputError, match="more than 5 sheep"):
        desk.ask(Question(_counted, (6,), Budget(count=5)))
    assert desk.ask(Question(_counted, (5,), Budget(count=5))) == first


def test_a_question_that_does_not_stop_costs_its_process(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterplay.page.jobs._GRACE", 0.1)
    first = desk.ask(Question(_counted, (0,), Budget()))
    with pytest.raises(BudgetError, match=r"more than the 0\.2 seconds"):
        desk.ask(Question(_asleep, (60.0,), Budget(seconds=0.2)))
    with pytest.raises(InputError, match="ended by itself"):
        desk.ask(Question(_dies, (), Budget()))
    assert desk.ask(Question(_counted, (0,), Budget())) != first


def test_few_questions_wait_and_others_are_refused_at_once(desk: Desk) -> None:
    desk.ask(Question(_asleep, (0.0,), Budget()))
    question = Question(_asleep, (0.2,), Budget(seconds=30.0))

    def ask(_: int) -> str:
        try:
            return str(desk.ask(question))
        except BusyError as error:
            return str(error)

    begin = time.monotonic()
    with ThreadPoolExecutor(WAITING.count + 6) as pool:
        said = list(pool.map(ask, range(WAITING.count + 6)))
    assert said.count("rested") == WAITING.count
    assert sum(f"{WAITING.count} requests wait" in one for one in said) == 6
    assert time.monotonic() - begin < 0.2 * WAITING.count + 20.0


def test_a_queue_of_jobs_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Event()

    class Idle(Jobs):
        def _serve(self) -> None:
            started.set()  # takes no job out of the queue

    monkeypatch.setattr(jobs_module, "Worker", None)
    jobs = Idle()
    added = [jobs.add("nap", str(number), nap(number, 0.0)) for number in range(JOBS.count)]
    with pytest.raises(BusyError, match=f"{JOBS.count} jobs wait"):
        jobs.add("nap", "more", nap(-1, 0.0))
    assert jobs.add("nap", "0", nap(0, 0.0)) is added[0]  # who asks the same joins
    jobs.stop(added[0])
    jobs.add("nap", "more", nap(-1, 0.0))


def test_what_cannot_be_taken_now_is_answered_503_with_a_sentence(tmp_path: Path) -> None:
    class Busy(Jobs):
        def __init__(self) -> None:
            self.all = {}

        def ask(self, *_: Any, **__: Any) -> Any:
            raise BusyError("20 jobs wait")

        def end(self) -> None:
            """There is nothing to end."""

    page = TestClient(make_app(Shelf(tmp_path), Busy(), PlayTables(), Address()), base_url=HERE)
    for route, body in (
        ("size", SPOT), ("solve", {"spot": SPOT}), ("range", {"text": "AA"}), ("solves", {"game": "kuhn"}),
        ("frontiers", {"game": "kuhn", "model": "uniform"}), ("gadgets", {"game": "kuhn"}),
        ("hands", {"file": "x.phhs", "text": ""}), ("uploads", {"file": "x.phhs", "content": ""}),
        ("tables", {"game": "kuhn"}), (f"spots/{'0' * 16}/answers", {"leaks": "x"}),
        (f"hands/{'0' * 16}.phhs/card", {"player": "a"}), (f"hands/{'0' * 16}.phhs/shown", {"player": "a", "what": "x"}),
    ):  # fmt: skip
        answer = page.post(f"/api/{route}", json=body)
        assert (answer.status_code, answer.json()) == (503, {"error": "20 jobs wait"}), route
    assert page.get(f"/api/hands/{'0' * 16}.phhs").status_code == 503


def test_a_body_that_stalls_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts among what is in flight, and would keep others out."""
    monkeypatch.setattr("counterplay.page.guard.UPLOAD", Budget(seconds=0.2, bytes=UPLOAD.bytes))
    jobs = Jobs()
    guard = make_app(Shelf(tmp_path), jobs, PlayTables(), Address())
    body, sent = [b"{"], list[Message]()

    async def receive() -> Message:
        if body:
            return {"type": "http.request", "body": body.pop(), "more_body": True}
        await asyncio.sleep(60.0)
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask() -> None:
        async with asyncio.timeout(10.0):
            await guard(scope, receive, send)

    headers = {"host": HERE.removeprefix("http://"), "content-type": "application/json", "content-length": "900000"}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "method": "POST", "path": "/api/size", "raw_path": b"/api/size", "query_string": b"",
        "root_path": "", "scheme": "http", "http_version": "1.1", "headers": pairs,
    }  # fmt: skip
    asyncio.run(ask())
    assert guard.in_flight == 0
    assert sent[0]["status"] == 400


def test_a_budget_within_a_budget_has_no_more_seconds() -> None:
    with Budget(seconds=0.0).held(), Budget(seconds=60.0).held():
        assert time_left() == 0.0


@dataclass
class _Page:
    process: subprocess.Popen[str]
    url: str

    def seconds_of(self, route: str) -> float:
        begin = time.monotonic()
        assert httpx2.get(f"{self.url}/api/{route}", timeout=60.0).status_code == 200
        return time.monotonic() - begin

    def post(self, route: str, body: Any) -> int:
        """The status; 0 if the page has ended."""
        try:
            return httpx2.post(f"{self.url}/api/{route}", json=body, timeout=60.0).status_code
        except httpx2.HTTPError:
            return 0

    def seconds_to_end(self, number: int) -> float:
        begin = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(30.0)
        return time.monotonic() - begin


_SLOW_END = """
import sys, time
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(20.0)
sys.slow = Slow()
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[_Page]:
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "counterplay",
        "page",
        "--no-browser",
        "--port",
        str(port),
        "--folder",
        str(tmp_path),
    ]
    # An interpreter that is slow to end, as on a loaded machine.
    (tmp_path / "sitecustomize.py").write_text(_SLOW_END)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert "the page is at" in process.stdout.readline()
            yield _Page(process, f"http://127.0.0.1:{port}")
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_the_page_answers_and_ends_in_two_seconds_under_fire(served: _Page, number: int) -> None:
    """With a job that runs, and more requests in flight than there are threads, each for a tree without end."""
    assert served.post("size", SPOT) == 200  # its process has started
    assert served.post("solve", {"spot": _TURN, "exploitability": 1e-6}) == 200
    assert served.post("hands", {"file": "x.jsonl", "text": TOY_HANDS}) == 200
    with ThreadPoolExecutor(45) as pool:
        asked = [pool.submit(served.post, "size", {**_ENDLESS, "pot": pot}) for pot in range(6, 51)]
        time.sleep(1.0)
        assert max(served.seconds_of(route) for route in ("page", "jobs", "spots")) < 2.0
        assert served.seconds_to_end(number) < 2.5  # and what this machine takes to end a process
        statuses = [one.result() for one in asked]
    assert set(statuses) <= {0, 422, 500, 503}  # 0 and 500: cut off by the end
    assert statuses.count(503) >= 45 - WAITING.count - 5


def test_a_page_without_requests_ends_at_once(served: _Page) -> None:
    assert served.post("size", SPOT) == 200
    assert served.seconds_to_end(signal.SIGINT) < 5.0  # it takes 20 seconds to take down this interpreter
