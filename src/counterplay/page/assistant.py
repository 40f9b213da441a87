"""An MCP server (Model Context Protocol; extra `counterplay[mcp]`): the page's requests as tools of assistants.

Results are short: shares of actions rather than grids. The library of the protocol does not answer what is no message of
JSON-RPC 2.0, whose sender would wait for ever; it hands on the error of each line that it cannot read. Here a line that is
no JSON is answered with -32700, JSON that is no request with -32600; under the id of the request where it has one.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from types import TracebackType
from typing import Annotated, Any, Self, TextIO

import anyio.to_thread
from anyio import EndOfStream
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import Field, ValidationError

from counterplay.about import version
from counterplay.budget import QUESTION
from counterplay.errors import InputError, unknown
from counterplay.page.jobs import Jobs
from counterplay.page.requests import Begun, FrontierBody, Plan, begin, fault_of, plan_answer, plan_frontier, plan_solve
from counterplay.page.shelf import Shelf
from counterplay.page.tasks import LeakLines
from counterplay.page.views import changes_view, command_of, mixed_answer, node_view
from counterplay.poker.betting.rules import PLAYERS
from counterplay.result import json_document

Accuracy = Annotated[float, Field(gt=0.0, le=100.0)]
Risk = Annotated[float, Field(ge=0.0)]
_GOING = ("waiting", "running")
_PAUSE = 0.1
_CORNERS = 9
_POINTS = 11
_NO_JSON = "json_invalid"
_TOO_LONG = f"a request has less than {QUESTION.bytes:,} characters"
_REQUEST, _NOTIFICATION = "JSONRPCRequest", "JSONRPCNotification"
"""The kinds of messages as which the library tries to read a line, by the names that its faults have."""
_ABOUT = """Counterplay answers: given a model of my opponent, how do I win the most from them without becoming beatable
myself? solve_spot solves a heads-up hold'em spot and gives it a name; show_node looks at one of its nodes; answer_leaks
finds the play that wins most from an opponent's leaks while a perfect opponent wins back at most so much; frontier does
the same for small games."""


def make_assistant(shelf: Shelf, jobs: Jobs) -> MCPServer[Any]:
    server = _Assistant("counterplay", instructions=_ABOUT, version=version(), log_level="WARNING")
    tools = _Tools(shelf, jobs)
    for tool in (tools.solve_spot, tools.show_node, tools.answer_leaks, tools.frontier):
        server.add_tool(tool)
    return server


class _Assistant(MCPServer[Any]):
    """A server that refuses unknown arguments, which would be dropped, and says what is wrong in one sentence; also with
    what is no request, which would be left unanswered."""

    async def run_stdio_async(self) -> None:
        server = self._lowlevel_server
        lines: Any = _sound_lines(_standard_input())  # it wants no more of them than to be iterated
        async with stdio_server(stdin=lines) as (heard, told):
            await server.run(_SoundMessages(heard, told), told, server.create_initialization_options())

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None) -> Any:
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
            if isinstance(error.__cause__, InputError):  # without the prefix that the base class gives it
                raise ToolError(str(error.__cause__)) from None
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
        table = {"board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack, "bets": bets}
        name = await self._made(ctx, plan_solve, table, exploitability)
        solved = self._shelf.spot(name)
        exact = {"exploitability_percent": solved.facts["exploitability_percent"], "command": command_of(solved.spot)}
        return json_document("solve_spot", {"name": name, **exact, **self._node(name, "")})

    async def show_node(self, name: str, path: str = "") -> dict[str, Any]:
        """A node of a solved spot: who acts, the share of each action, and both players' EV in chips out of the pot.

        Args:
            name: from solve_spot.
            path: actions and cards: "x b100 c Ah"; empty for the root.
        """
        return json_document("show_node", self._node(name, path))

    async def answer_leaks(
        self, ctx: Context[Any, Any], name: str, leaks: str, max_exploitability: Risk = 1.0
    ) -> dict[str, Any]:
        """The play that wins most from an opponent with leaks, while a perfect opponent wins back at most so much.

        Args:
            name: from solve_spot.
            leaks: lines such as "opponent ip" and "on river facing a bet: fold +15%" or "at 'x b100': fold at least 70%".
            max_exploitability: per cent of the pot that a perfect opponent may win back.
        """
        answer = await self._made(ctx, plan_answer, name, LeakLines(leaks), _CORNERS)
        most = 0.01 * max_exploitability * self._shelf.spot(name).spot.pot
        mixed = mixed_answer(self._shelf, answer, most)[2]
        facts = self._shelf.answer(answer)
        return json_document("answer_leaks", {
            "answer": answer, "wins_at_least": mixed.gain, "loses_at_most": mixed.exploitability,
            "value": facts["value"], "value_gap": facts.get("value_gap"),
            "full_exploit": facts["corners"][-1], "leaks_as_played": facts["locked"], "notes": facts["notes"],
            "changes": changes_view(self._shelf, answer, most),
        })  # fmt: skip

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
        asked = FrontierBody.model_construct(
            game=game, model=model, methods=methods or ["rnr", "br"], points=_POINTS, seat=seat
        )
        return json_document("frontier", self._shelf.result(await self._made(ctx, plan_frontier, asked)))

    async def _made(self, ctx: Context[Any, Any], plan: Callable[..., Plan], *asked: Any) -> str:
        """The name of the result of a plan, which begins in a thread: other messages are answered meanwhile."""
        begun = await anyio.to_thread.run_sync(partial(begin, self._shelf, self._jobs, plan, *asked))
        return await self._finished(ctx, begun)

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
        seen = node_view(self._shelf.spot(name), path)
        acts = None if seen["player"] is None else PLAYERS[seen["player"]]
        return {
            "path": seen["path"], "board": seen["board"], "pot": seen["pot"], "to_act": acts,
            "actions": {one["name"]: one["share"] for one in seen["actions"]},
            "ev": dict(zip(PLAYERS, seen["ev"], strict=True)),
            "equity": dict(zip(PLAYERS, seen["equity"], strict=True)),
        }  # fmt: skip


class _SoundMessages(AbstractAsyncContextManager[Any]):
    """A stream of incoming messages, without the errors of lines that are no message: `outgoing` gets their answers."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    @property
    def last_context(self) -> Any:
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage:
        while isinstance(item := await self._incoming.receive(), Exception):
            answer = _refusal(item)
            if answer is not None:
                await self._outgoing.send(SessionMessage(answer))
        return item  # type: ignore[no-any-return]

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def _sound_lines(stream: TextIO) -> AsyncIterator[str]:
    """The lines of a stream, as the library should read them.

    It takes a request whose id is neither text nor a whole number for a notification, which has no answer; here such a line
    loses its method. So that no line fills the memory, of longer ones only the beginning is read.
    """
    while line := await anyio.to_thread.run_sync(stream.readline, QUESTION.bytes):
        rest = line
        while len(rest) == QUESTION.bytes and not rest.endswith("\n"):
            line, rest = json.dumps(_TOO_LONG), await anyio.to_thread.run_sync(stream.readline, QUESTION.bytes)
        message: Any = None  # no JSON, which the library says
        with suppress(ValueError, RecursionError):
            message = json.loads(line)
        is_request = isinstance(message, dict) and {"method", "id"} <= message.keys()
        yield '{"jsonrpc": "2.0", "id": {}}' if is_request and not _is_id(message["id"]) else line


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _refusal(error: Exception) -> JSONRPCError | None:
    """The answer to a line that is no message; None to an empty line and to a broken answer, for which nobody waits."""
    faults: list[Any] = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    if not faults:
        return _error(None, PARSE_ERROR, "the line cannot be read")
    if faults[0]["type"] == _NO_JSON:
        return _error(None, PARSE_ERROR, str(faults[0]["msg"])) if faults[0]["input"].strip() else None
    if faults[0]["input"] == _TOO_LONG:
        return _error(None, INVALID_REQUEST, _TOO_LONG)
    incomplete = (fault["input"] for fault in faults if fault["type"] == "missing")
    message = next((one for one in incomplete if isinstance(one, dict)), {})
    if "method" not in message and message.keys() & {"result", "error"}:
        return None
    number = message["id"] if _is_id(message.get("id")) else None
    kind = _REQUEST if "id" in message else _NOTIFICATION
    own = [{**fault, "loc": fault["loc"][1:2]} for fault in faults if fault["loc"][:1] == (kind,)]
    return _error(number, INVALID_REQUEST, fault_of(own or faults))


def _error(number: int | str | None, code: int, about: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=about))
