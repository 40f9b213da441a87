"""The commands that meet programs of others: a whole match over sockets, and sentences for what does not fit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from counterplay import cli
from tests.support.commands import Runner
from tests.support.slumbot_server import SlumbotStandIn, serve

GAME = "holdem:stack=20,blinds=1/2,bets=fcpa,deck=24,last=turn"
WHOLE = "holdem:stack=200bb,bets=a"
NO_ADDRESSES = ("notaurl", "http://[::1", "http://éé.invalid/xé", "file:///dev/null", "http://a:x", "http://a..b")
COMMAND = [sys.executable, "-m", "counterplay"]


def test_a_dealer_and_two_clients_play_a_match(run: Runner, tmp_path: Path) -> None:
    """Over sockets; one of the clients is this process."""
    log = tmp_path / "match.log"
    words = [*COMMAND, "acpc-dealer", GAME, "--hands", "20", "-o", str(log), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as dealer:
        assert dealer.stdout is not None
        assert dealer.stderr is not None
        ports = re.findall(r"\d+", dealer.stderr.readline().partition("ports")[2])
        client, here = (["acpc-client", GAME, "uniform", "--at", f"127.0.0.1:{port}", "--json"] for port in ports)
        with subprocess.Popen([*COMMAND, *client], stdout=subprocess.PIPE, text=True) as other:
            mine = run(*here)
            results = [json.loads(other.communicate(timeout=300)[0]), mine.json]
        found = json.loads(dealer.communicate(timeout=300)[0])
    assert found["hands"] == results[0]["hands"] == results[1]["hands"] == 20
    assert found["chips"] == pytest.approx([one["chips"] for one in results])
    assert found["replaced"] == []
    assert len(log.read_text().splitlines()) == 21


def test_slumbot_is_played_through_the_command_line(run: Runner, tmp_path: Path) -> None:
    log = tmp_path / "hands.jsonl"
    with serve(SlumbotStandIn()) as url:
        done = run("slumbot", WHOLE, "uniform", "--hands", "6", "--log", str(log),
                   "--pause", "0", "--url", url, "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert done.json["hands"] == len(log.read_text().splitlines()) == 6


def test_an_error_after_some_hands_comes_with_their_result(run: Runner) -> None:
    class Closing(SlumbotStandIn):
        def answer(self, what: str, content: dict[str, Any]) -> dict[str, Any]:
            dealt = sum(asked == "new_hand" for asked, _ in self.requests)
            return {"error_msg": "closed"} if what == "new_hand" and dealt == 3 else super().answer(what, content)

    with serve(Closing()) as url:
        done = run("slumbot", WHOLE, "uniform", "--pause", "0", "--url", url, "--json")
    assert (done.code, done.json["hands"]) == (2, 3)
    assert f"{url} refuses new_hand: 'closed'" in done.err


@pytest.mark.parametrize(
    ("words", "culprit"),
    [
        (["acpc-dealer", "leduc"], "'leduc' is not a whole game of hold'em"),
        (["acpc-dealer", GAME, "--ports", "1"], "--ports must be two numbers"),
        (["acpc-client", GAME, "uniform", "--at", "here"], "--at must be a host and a port"),
        (["acpc-client", GAME, "uniform", "--at", "127.0.0.1:9"], "cannot connect to 127.0.0.1:9"),
        (["acpc-client", GAME, "uniform", "--at", "é..x:5"], "cannot connect to 'é..x:5': this names no host"),
        (["acpc-client", GAME, "uniform", "--at", f"{'a' * 300}:5"], "this names no host"),
        (["acpc-client", GAME, "uniform", "--at", "[::1]:9"], "cannot connect to [::1]:9"),
        (["acpc-client", GAME, "uniform", "--at", "[]:9"], "--at must be a host and a port"),
        (["slumbot", GAME, "uniform"], "is not Slumbot's game"),
        (["acpc-client", GAME, "uniform", "--at", f"here:{'9' * 5000}"], "--at must be a host and a port"),
        (["acpc-client", GAME, "uniform", "--at", "127.0.0.1:9", "--timeout", "-1"], "--timeout must be from 0.001 to"),
        (["acpc-dealer", GAME, "--timeout", "inf"], "--timeout must be from 0.001 to 1,000,000 seconds, not inf"),
        *((["slumbot", WHOLE, "uniform", "--url", url], "is not the address of a server") for url in NO_ADDRESSES),
        (["slumbot", WHOLE, "uniform", "--pause", "nan"], "--pause must be from 0 to"),
        (["slumbot", WHOLE, "uniform", "--pause", "inf"], "--pause must be from 0 to"),
        (["slumbot", WHOLE, "uniform", "--user", "me"], "COUNTERPLAY_SLUMBOT_PASSWORD"),
    ],
)
def test_what_does_not_fit_is_named(words: list[str], culprit: str, monkeypatch: pytest.MonkeyPatch,
                                    capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["counterplay", *words])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert culprit in said
    assert len(said.splitlines()) == 1
