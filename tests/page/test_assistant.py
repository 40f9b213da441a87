"""Assistants get the page's answers."""

from __future__ import annotations

import asyncio
import json
import select
import signal
import subprocess
import sys
import time
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from counterplay import InputError
from counterplay.page import assistant
from counterplay.page.assistant import _Tools, make_assistant
from counterplay.page.jobs import Job
from counterplay.page.requests import Begun
from counterplay.page.shelf import Shelf
from tests.support.page import LEAKS, SPOT, JobsInTurn


def test_an_assistant_solves_locks_and_responds(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)

    async def talk() -> None:
        async with Client(make_assistant(shelf, JobsInTurn())) as client:

            async def ask(tool: str, **words: Any) -> Any:
                found = await client.call_tool(tool, words)
                return found.content[0].text if found.is_error else found.structured_content

            seen = await ask("solve_spot", **SPOT, exploitability=0.01)
            solved = shelf.spot(seen["name"])
            assert seen["ev"]["oop"] == pytest.approx(solved.node().means[0])
            node = await ask("show_node", name=seen["name"], path="check")
            assert node["to_act"] == "ip"
            assert sum(node["actions"].values()) == pytest.approx(1.0)
            answer = await ask("answer_leaks", name=seen["name"], leaks=LEAKS, max_exploitability=2.0)
            assert 0.0 < answer["loses_at_most"] <= 2.0 + 1e-9
            assert answer["wins_at_least"] > 0.0
            assert answer["changes"]
            points = (await ask("frontier", game="kuhn", model="random:1"))["points"]
            assert {one["method"] for one in points} == {"rnr", "br"}
            assert "Qs" in await ask("solve_spot", **SPOT | {"board": "Qs Qs Jh"})
            said = await ask("frontier", game="kuhn", model="os:system")
            assert "one of the library's own" in said

    asyncio.run(talk())


@pytest.mark.parametrize(
    ("tool", "words", "said"),
    [
        ("frontier", {"game": "kuhn"}, "model: Field required"),
        ("frontier", {"game": "kuhn", "model": "uniform", "seat": "x"}, "seat: Input should be a valid integer"),
        ("solve_spot", {**SPOT, "exploitabilty": 5.0}, "no argument 'exploitabilty'; did you mean 'exploitability'?"),
        ("solve_spot", {**SPOT, "exploitability": 0.0}, "exploitability: Input should be greater than 0"),
        ("answer_leaks", {"name": "0" * 16, "leaks": LEAKS, "max_exploitability": -5.0}, "max_exploitability: Input"),
        ("answer_leaks", {"name": "0" * 16, "leaks": LEAKS, "max_exploitability": "nan"}, "max_exploitability: Input"),
        ("show_node", {"name": "x"}, "a name on this page has 16 digits from 0 to f"),
    ],
)
def test_wrong_arguments_get_one_sentence(tmp_path: Path, tool: str, words: dict[str, Any], said: str) -> None:
    async def ask() -> Any:
        async with Client(make_assistant(Shelf(tmp_path), JobsInTurn())) as client:
            return await client.call_tool(tool, words)

    found = asyncio.run(ask())
    assert found.is_error
    text = found.content[0].text
    assert said in text
    assert "\n" not in text
    assert "http" not in text
    assert "Error executing" not in text


MALFORMED: list[tuple[str, Any, int, str]] = [
    ("{bad", None, -32700, "Invalid JSON"),
    (
        '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": []}',
        5,
        -32600,
        "params: Input should be an object",
    ),
    ('{"id": "four", "method": 7}', "four", -32600, "jsonrpc: Field required"),
    ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', None, -32600, "the request: Input should be an object"),
    ('{"jsonrpc": "2.0", "method": 1, "params": "bar"}', None, -32600, "method: Input should be a valid string"),
    ("5", None, -32600, "the request: Input should be an object"),
    ("{}", None, -32600, "jsonrpc: Field required"),
    ('{"jsonrpc": "2.0", "id": true}', None, -32600, "id: Input should be a valid integer"),
    *(
        (f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}', None, -32600, "id: Input should be a valid integer")
        for number in ("{}", "[]", "null", "true", "1.5", "1e400", "-1e400", "NaN")
    ),
    (
        '{"jsonrpc": "2.0", "id": 1, "method": "' + 2_500_000 * "x" + '"}',
        None,
        -32600,
        "a request has less than 1,000,000",
    ),
]
SILENT = ("", '{"jsonrpc": "2.0", "id": 3, "result": []}', '{"jsonrpc": "2.0", "method": "notifications/initialized"}')


def test_what_is_no_request_is_answered_as_json_rpc_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each under its own id, and the server goes on; an empty line, an answer and a notification have no answer."""
    ping = '{"jsonrpc": "2.0", "id": 9, "method": "ping"}'
    told, lines = StringIO(), [line for line, *_ in MALFORMED]
    heard = StringIO("".join(f"{line}\n" for line in (*lines, *SILENT, ping)))
    monkeypatch.setattr(assistant, "_standard_input", lambda: heard)
    monkeypatch.setattr(assistant, "stdio_server", partial(assistant.stdio_server, stdout=anyio.wrap_file(told)))
    asyncio.run(make_assistant(Shelf(tmp_path), JobsInTurn()).run_stdio_async())
    *refused, last = map(json.loads, told.getvalue().splitlines())
    assert last == {"jsonrpc": "2.0", "id": 9, "result": {}}
    for answer, (line, number, code, said) in zip(refused, MALFORMED, strict=True):
        assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", number, code), line
        assert said in answer["error"]["message"]
        assert "\n" not in answer["error"]["message"]


class _Waiting(JobsInTurn):
    """Jobs that never begin. stopped: what was to be ended."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped: list[Job] = []

    def stop(self, job: Job) -> None:
        job.state = "stopped"
        self.stopped.append(job)


def test_a_job_that_nobody_waits_for_any_more_is_stopped(tmp_path: Path) -> None:
    """And not before: two calls that ask the same wait for one job."""
    jobs = _Waiting()
    tools = _Tools(Shelf(tmp_path), jobs)
    job: Any = Job(1, "solve", "a", None)  # type: ignore[arg-type]

    class Listener:
        async def report_progress(self, *_: Any) -> None:
            """Nobody listens."""

    async def talk() -> None:
        context: Any = Listener()
        calls = [asyncio.create_task(tools._finished(context, Begun("a", job))) for _ in range(2)]
        await asyncio.sleep(0.01)
        for call, stopped in zip(calls, ([], [job]), strict=True):
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert jobs.stopped == stopped

    asyncio.run(talk())
    job.facts["error"] = "it is too large"
    with pytest.raises(InputError, match="too large"):
        asyncio.run(tools._finished(Any, Begun("a", job)))  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_kill_end_the_server_and_its_worker_while_a_tool_works(tmp_path: Path, number: int) -> None:
    """Though standard input stays open."""
    command = [sys.executable, "-m", "counterplay", "mcp", "--folder", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def send(**message: Any) -> None:
            assert server.stdin is not None
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()

        asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        send(id=1, method="initialize", params=asked)
        assert b'"id":1' in server.stdout.readline()
        send(method="notifications/initialized")
        turn = SPOT | {"board": "Ks 8h 8d 4c", "oop": "22+,A2s+,K2s+", "ip": "22+,A2s+,K2s+", "exploitability": 1e-9}
        send(id=2, method="tools/call", params={"name": "solve_spot", "arguments": turn})
        while not (workers := _workers(server.pid)):
            assert not select.select([server.stdout], [], [], 0.02)[0]
        server.send_signal(number)
        assert server.wait(10.0) == 130
        ends = time.monotonic() + 5.0  # a worker that has just begun ends when it finds its parent gone
        while any(Path(f"/proc/{worker}").exists() and _words(worker) for worker in workers):
            assert time.monotonic() < ends
            time.sleep(0.02)


def _workers(process: int) -> list[int]:
    """Its child processes that do tasks; those of its threads, too."""
    found = [int(one) for file in Path(f"/proc/{process}/task").glob("*/children") for one in file.read_text().split()]
    return [child for child in found if "spawn_main" in _words(child)]


def _words(process: int) -> str:
    """Its command line; empty once it is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""
