"""An MCP server (Model Context Protocol), so that assistants can solve, lock and respond: the page's requests as tools.

Results are short: shares of actions rather than grids.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TextIO

import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from pydantic import Field, ValidationError

from counterplay.about import version
from counterplay.errors import InputError, unknown
from counterplay.page.answer_views import changes_view, mixed_answer
from counterplay.page.doors.refused_messages import SoundMessages, sound_lines
from counterplay.page.jobs import Jobs
from counterplay.page.requests import Begun, begin_answer, begin_frontier, begin_solve, fault_of
from counterplay.page.shelf import Shelf
from counterplay.page.spot_opponents import LeakLines
from counterplay.page.views import command_of, node_view

Accuracy = Annotated[float, Field(gt=0.0, le=100.0)]
Risk = Annotated[float, Field(ge=0.0)]
_GOING = ("waiting", "running")
_PAUSE = 0.1
_CORNERS = 9
_POINTS = 11
_ABOUT = """Counterplay answers: given a model of my opponent, how do I win the most from them without becoming beatable
myself? solve_spot solves a heads-up hold'em spot and gives it a name; show_node looks at one of its nodes; answer_leaks
finds the play that wins most from an opponent's leaks while a perfect opponent wins back at most so much; frontier does
the same for small games."""


def make_assistant(shelf: Shelf, jobs: Jobs) -> MCPServer[Any]:
    """The MCP server."""
    server = _Assistant("counterplay", instructions=_ABOUT, version=version(), log_level="WARNING")
    tools = _Tools(shelf, jobs)
    for tool in (tools.solve_spot, tools.show_node, tools.answer_leaks, tools.frontier):
        server.add_tool(tool)
    return server


class _Assistant(MCPServer[Any]):
    """A server that refuses unknown arguments, which would be dropped, and says what is wrong in one sentence; also with
    what is no request, which would be left unanswered."""

    async def run_stdio_async(self) -> None:
        """As in the base class."""
        server = self._lowlevel_server
        lines: Any = sound_lines(_standard_input())  # it wants no more of them than to be iterated
        async with stdio_server(stdin=lines) as (heard, told):
            await server.run(SoundMessages(heard, told), told, server.create_initialization_options())

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None) -> Any:
        """As in the base class."""
        for tool in await self.list_tools():
            known = tool.input_schema["properties"]
            for word in arguments:
                if tool.name == name and word not in known:
                    raise ToolError(str(unknown("argument", word, known, lacks=name)))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(fault_of(error.__cause__.errors())) from error.__cause__
            if type(error.__cause__) is ToolError:  # without the prefix that the base class gives it
                raise error.__cause__ from None
            raise


def _standard_input() -> TextIO:
    """Standard input, which from now on is empty for tools and child processes."""
    duplicate, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return open(duplicate, encoding="utf-8", errors="replace")


class _Tools:
    """The tools; their docstrings are what an assistant reads."""

    def __init__(self, shelf: Shelf, jobs: Jobs) -> None:
        self._shelf, self._jobs = shelf, jobs
        self._waiting = Counter[int]()

    async def solve_spot(
        self, ctx: Context[Any, Any], board: str, oop: str, ip: str, pot: float, stack: float, bets: str = "50%, 100%, a",
        exploitability: Accuracy = 0.5,
    ) -> dict[str, Any]:  # fmt: skip
        """Solve a heads-up hold'em spot after the flop.

        Args:
            board: 3, 4 or 5 cards: "Qs Jh 2h 8d 3c".
            oop: range out of position: "QQ+,AKs:0.5".
            ip: range in position.
            pot: chips in the middle.
            stack: chips left in front of both players.
            bets: sizes: "50%, a; river: 33%, 75%; raise: 2.5x".
            exploitability: where the solve stops, per cent of the pot.
        """
        try:
            table = {"board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack, "bets": bets}
            name = await self._finished(ctx, await self._begun(begin_solve, table, exploitability))
            solved = self._shelf.spot(name)
            return {
                "name": name, "exploitability_percent": solved.facts["exploitability_percent"],
                "command": command_of(solved.spot), **self._node(name, ""),
            }  # fmt: skip
        except InputError as error:
            raise ToolError(str(error)) from None

    async def show_node(self, name: str, path: str = "") -> dict[str, Any]:
        """A node of a solved spot: who acts, the share of each action, and both players' EV in chips out of the pot.

        Args:
            name: from solve_spot.
            path: actions and cards: "x b100 c Ah"; empty for the root.
        """
        try:
            return self._node(name, path)
        except InputError as error:
            raise ToolError(str(error)) from None

    async def answer_leaks(
        self, ctx: Context[Any, Any], name: str, leaks: str, max_exploitability: Risk = 1.0
    ) -> dict[str, Any]:
        """The play that wins most from an opponent with leaks, while a perfect opponent wins back at most so much.

        Args:
            name: from solve_spot.
            leaks: lines such as "opponent ip" and "on river facing a bet: fold +15%" or "at 'x b100': fold at least 70%".
            max_exploitability: per cent of the pot that a perfect opponent may win back.
        """
        try:
            answer = await self._finished(ctx, await self._begun(begin_answer, name, LeakLines(leaks), _CORNERS))
            most = 0.01 * max_exploitability * self._shelf.spot(name).spot.pot
            mixed = mixed_answer(self._shelf, answer, most)[2]
            facts = self._shelf.answer(answer)
            return {
                "answer": answer, "wins_at_least": mixed.gain, "loses_at_most": mixed.exploitability,
                "value": facts["value"], "value_gap": facts.get("value_gap"),
                "full_exploit": facts["corners"][-1], "leaks_as_played": facts["locked"], "notes": facts["notes"],
                "changes": changes_view(self._shelf, answer, most),
            }  # fmt: skip
        except InputError as error:
            raise ToolError(str(error)) from None

    async def frontier(
        self, ctx: Context[Any, Any], game: str, model: str, methods: list[str] | None = None, seat: int = 0
    ) -> dict[str, Any]:
        """Gain against exploitability of responses to a model of the opponent in a small game, in chips a hand.

        Args:
            game: "kuhn", "leduc", "goofspiel:5", "liars_dice:1,4", ...
            model: "uniform", "cfr+:10", "random:1", "noise:0.2:nash", ...
            methods: of rnr, safe, mix, dbr, bne, br.
            seat: of the responder, 0 or 1.
        """
        try:
            asked = (game, model, methods or ["rnr", "br"], _POINTS, seat)
            return self._shelf.result(await self._finished(ctx, await self._begun(begin_frontier, *asked)))
        except InputError as error:
            raise ToolError(str(error)) from None

    async def _begun(self, begin: Callable[..., Begun], *asked: Any) -> Begun:
        """What `begin` begins, in a thread: other messages are answered meanwhile. asked: after shelf and jobs."""
        return await anyio.to_thread.run_sync(partial(begin, self._shelf, self._jobs, *asked))

    async def _finished(self, ctx: Context[Any, Any], begun: Begun) -> str:
        """The name of a result, once it is there. A job that nobody waits for any more is stopped."""
        if begun.job is None:
            return begun.name
        job = begun.job
        self._waiting[job.number] += 1
        try:
            while job.state in _GOING:
                view = job.view()
                await ctx.report_progress(view["share"] or 0.0, 1.0, f"{view['seconds']:.0f} s")
                await anyio.sleep(_PAUSE)
        finally:
            self._waiting[job.number] -= 1
            if job.state in _GOING and not self._waiting[job.number]:  # the call was cancelled
                self._jobs.stop(job)
        if "error" in job.facts:
            raise InputError(job.facts["error"])
        return begun.name

    def _node(self, name: str, path: str) -> dict[str, Any]:
        """A node without its grids."""
        seen = node_view(self._shelf.spot(name), path)
        acts = None if seen["player"] is None else ("oop", "ip")[seen["player"]]
        return {
            "path": seen["path"], "board": seen["board"], "pot": seen["pot"], "to_act": acts,
            "actions": {one["name"]: one["share"] for one in seen["actions"]},
            "ev": dict(zip(("oop", "ip"), seen["ev"], strict=True)),
            "equity": dict(zip(("oop", "ip"), seen["equity"], strict=True)),
        }  # fmt: skip
