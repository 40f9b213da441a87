"""A client of the Model Context Protocol in lines of JSON, from the standard library alone."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
_FRONTIER = {"name": "frontier", "arguments": {"game": "kuhn", "model": "uniform", "methods": ["rnr"]}}


def handshake(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """The text of a frontier that a server computes, after the handshake; every line it writes must be a message."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdin
        assert server.stdout

        def send(**message: Any) -> None:
            assert server.stdin
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()

        send(id=1, method="initialize", params=_HELLO)
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "counterplay"
        send(method="notifications/initialized")
        send(id=2, method="tools/call", params=_FRONTIER)
        while (answer := json.loads(server.stdout.readline())).get("id") != 2:
            assert answer["method"].startswith("notifications/")
        server.stdin.close()
        assert server.stdout.read() == ""
    assert server.returncode == 0
    assert not answer["result"].get("isError"), answer
    return str(answer["result"]["content"][0]["text"])
