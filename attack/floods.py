"""Attack on the page as a process: many requests at once that would take for ever, jobs without end, and then Ctrl-C."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from socket import create_server
from typing import Any

from attack.part import Outcome

_FLOP = {"board": "Ks 8h 7d", "oop": "random", "ip": "random", "pot": 6, "stack": 97}
_TURN = {"board": "Ks 8h 7d 2c", "oop": "22+,A2s+", "ip": "22+,A2s+", "pot": 6, "stack": 97, "bets": "33%, 75%, a"}
_SIZES = ("5%", "3%", "2%", "1%", "1%,2%,3%,4%,5%; raise: 2x,3x,4x", "any", "50%, 100%, a")
_HAND = """[{number}]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [100, 100]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 f {comment}']
players = ['{name}', 'a']
"""
_ANSWERS, _SLOW = frozenset((200, 413, 422, 503)), 2.0
_ENDS = 3.0
"""Seconds in which a page is gone after Ctrl-C: two, and what a loaded machine adds."""


class Floods:
    """Each case is a page of its own, a flood of requests, and its end."""

    about = "floods of size requests, long hand lines and jobs: the page answers, and Ctrl-C ends it within two seconds"
    cases, few = 6, 0
    cpu = 80.0

    def prepare(self, folder: Path) -> None:
        """Each case makes its own page."""

    def enter(self, folder: Path) -> None:
        self.folder = folder

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        home = self.folder / f"page{number}"
        home.mkdir()
        with create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        words = ["-m", "counterplay", "page", "--no-browser", "--port", str(port), "--folder", str(home)]
        asked = draw.choice((10, 45, 90))
        line, problems = f"counterplay page, {asked} requests at once", list[str]()
        with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as page:
            try:
                assert page.stdout is not None
                page.stdout.readline()
                problems = self._flooded(f"http://127.0.0.1:{port}/api", draw, asked, page)
            finally:
                children = _children(page.pid)
                page.kill()
        time.sleep(0.5)
        problems += [f"process {child} is left" for child in children if Path(f"/proc/{child}/exe").exists()]
        return Outcome(tuple(problems), line, done=asked, kind="flooded")

    def _flooded(self, page: str, draw: random.Random, asked: int, process: subprocess.Popen[bytes]) -> list[str]:
        problems: list[str] = []
        for accuracy in range(draw.choice((0, 1, 30))):
            _post(f"{page}/solve", {"spot": _TURN, "exploitability": 1e-6 * (1 + accuracy)})
        with ThreadPoolExecutor(asked) as pool:
            bodies = [_body(draw) for _ in range(asked)]
            statuses = [pool.submit(_post, f"{page}/{route}", body) for route, body in bodies]
            for _ in range(5):
                time.sleep(0.4)
                begin = time.monotonic()
                with urllib.request.urlopen(f"{page}/jobs", timeout=30.0) as answer:
                    json.load(answer)
                if (took := time.monotonic() - begin) > _SLOW:
                    problems.append(f"the list of jobs took {took:.1f} seconds")
            number = draw.choice((signal.SIGINT, signal.SIGTERM))
            problems += [f"status {one.result()}" for one in statuses if one.done() and one.result() not in _ANSWERS]
            begin = time.monotonic()
            process.send_signal(number)
            try:
                process.wait(30.0)
            except subprocess.TimeoutExpired:
                problems.append(f"{number.name} did not end it")
            if (took := time.monotonic() - begin) > _ENDS:
                problems.append(f"it ended {took:.1f} seconds after {number.name}")
        return problems


def _body(draw: random.Random) -> tuple[str, Any]:
    kind = draw.randrange(4)
    if kind == 0:
        text = "".join(
            _HAND.format(
                number=k + 1, name="x y" * draw.choice((1, 5000)), comment=draw.choice(("", "# " + "a " * 20_000))
            )
            for k in range(draw.choice((1, 50)))
        )
        return "hands", {"file": "x.phhs", "text": text}
    if kind == 1:
        return "range", {"text": ",".join(["22+"] * draw.choice((1, 4000)))}
    return "size", {**_FLOP, "pot": draw.randrange(6, 60), "bets": draw.choice(_SIZES)}


def _post(url: str, body: Any) -> int:
    """The status; 200 where the page ended meanwhile, which is no fault of an answer."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60.0) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 200


def _children(process: int) -> list[int]:
    """The processes that a process has started, as long as it is there."""
    found: list[int] = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        found += [int(word) for word in file.read_text().split()] if file.exists() else []
    return [child for child in found if child != os.getpid()]
