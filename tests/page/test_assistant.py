"""Assistants get the page's answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from counterplay.page.doors.assistant import make_assistant
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
