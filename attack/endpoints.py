"""Attack on the page over HTTP: every route with nonsense for names, paths, bodies and headers."""

from __future__ import annotations

import json
import random
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

from attack.judge import LONGEST
from attack.part import Outcome
from attack.program import blame, is_plain
from attack.words import JUNK

HERE = "http://127.0.0.1:8640"
_SPOT = {
    "board": "Ks 8h 8d 4c 2s", "oop": "KhKd,7h6h", "ip": "AcAd", "pot": 100, "stack": 100, "bets": "oop: a; ip: none",
}  # fmt: skip
_LEAKS = 'at "all-in": fold 70%'
_HANDS = """\
[1]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [100, 100]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 6', 'p1 cc', 'd db 9h7d3h', 'p1 cc', 'p2 cbr 8', 'p1 f']
players = ['b', 'a']
"""
_BODIES: dict[str, Any] = {
    "/card": {"player": "a", "spot": None, "seat": 1}, "/shown": {"player": "a", "what": "aggression", "seat": None},
}  # fmt: skip
_ADDED = (".phh", ".phhs", ".jsonl", ".log", ".txt", ".spiel", ".partial")
_ASKS = 8
_SLOW = 5.0
"""Processor seconds that one request may take."""
_ALLOWED = frozenset((200, 303, 307, 400, 403, 404, 405, 413, 415, 421, 422))
_VALUES: tuple[Any, ...] = (
    *JUNK, 0, -1, 1, 1e308, -1e308, float("nan"), float("inf"), 10**30, True, None, [], {}, [[]], [1, 2, 3], {"a": 1},
    [None] * 169, [0.5] * 169, [1e9] * 169, ["x"] * 169,
)  # fmt: skip
_HEADERS = {
    "host": ("127.0.0.1:8640", "evil.example", "127.0.0.1", "localhost:8640", ""),
    "origin": (HERE, "null", "http://evil.example", "file://", "\x7f"),
    "content-type": ("application/json", "text/plain", "application/json; charset=utf-16", "x"),
    "content-length": ("0", "-1", "99999999999", "x"),
    "sec-fetch-site": ("same-origin", "cross-site", "none", "x"),
    "cookie": ("counterplay-token=", "a;b;=;;", "=" * 5000),
    "range": ("bytes=0-", "bytes=-1", "bytes=5-1,7-3", "x"),
}


class Endpoints:
    """Each case is some requests, one after the other, to one page with a solved spot and an answer."""

    about = "the page: a status and one sentence, no traceback, no NaN, and no file but its own, whatever is asked"
    cases, few = 400, 16
    cpu = 45.0

    def prepare(self, folder: Path) -> None:
        from counterplay.page.shelf import Shelf
        from counterplay.page.tasks import LeakLines, write_answer, write_solution
        from counterplay.page.uploads import keep_hands
        from counterplay.poker.spots.solve_spot import digest_of, name_of_spot
        from counterplay.poker.spots.spot import Spot

        self.folder = folder / "spots"
        self.folder.mkdir()
        shelf = Shelf(self.folder)
        spot = Spot.from_table(_SPOT)
        self.name, self.answer = name_of_spot(spot), digest_of("answer")
        self.hands = keep_hands(shelf, "x.phhs", _HANDS)["name"]
        write_solution(_ignore, spot.table(), 0.05, shelf.path(self.name))
        where = shelf.answer_folder(self.answer)
        write_answer(_ignore, self.name, shelf.path(self.name), LeakLines(_LEAKS), 3, where)

    def enter(self, folder: Path) -> None:
        from starlette.testclient import TestClient

        from counterplay.budget import QUESTION
        from counterplay.errors import InputError
        from counterplay.page.jobs import Job, Jobs
        from counterplay.page.server import Address, make_app
        from counterplay.page.shelf import Shelf
        from counterplay.page.tables import PlayTable, PlayTables, TableSetup

        class Added(Jobs):
            """Jobs that are never done: what is attacked here is the door."""

            def __init__(self) -> None:
                self.all = {1: Job(1, "solve", "", object(), state="done")}  # type: ignore[arg-type]
                self._worker = None

            def ask(self, function: Any, *arguments: Any, budget: Any = QUESTION) -> Any:
                with budget.held():
                    return function(*arguments)

            def add(self, what: str, target: str, task: Any, goal: float | None = None) -> Job:
                return Job(2, what, target, task, goal)

            def stop(self, job: Job) -> None:
                """There is nothing to stop."""

        class NoTables(PlayTables):
            """No process is begun."""

            def open(self, setup: TableSetup) -> PlayTable:
                raise InputError(f"no table for {setup.source}")

        app = make_app(Shelf(self.folder), Added(), NoTables(), Address())
        self.page = TestClient(app, base_url=HERE, raise_server_exceptions=True, follow_redirects=False)
        schema = self.page.get("/api/schema.json").json()
        self.routes = [(way.upper(), path) for path, ways in sorted(schema["paths"].items()) for way in sorted(ways)]
        self.fields = sorted(
            {field for one in schema["components"]["schemas"].values() for field in one.get("properties", {})}
        )

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        before = self._files()
        problems: list[str] = []
        line = ""
        for _ in range(_ASKS):
            way, path, query, body, headers = self._request(draw)
            line = f"{way} {path} {query!r} {body!r} {headers!r}"[:2000]
            begin = time.process_time()
            try:
                found = self.page.request(way, path, params=query, content=body, headers=headers)
            except (UnicodeEncodeError, ValueError, TypeError) as error:
                if "counterplay" in blame(error):
                    problems.append(blame(error))
                continue  # the client itself refuses to send it
            except Exception as error:
                if type(error).__module__.partition(".")[0] in ("httpx2", "httpcore2", "h11", "httpx"):
                    continue
                problems.append(blame(error))
                break
            problems += _faults(found)
            if time.process_time() - begin > _SLOW:
                problems.append("a request took too long")
            if problems:
                break
        if self._files() != before:
            problems.append("a request made or removed a file")
        return Outcome(tuple(problems), line, done=_ASKS, kind="asked")

    def _files(self) -> list[str]:
        """The files of the page but hand histories, which every request may add."""
        return sorted(path.name for path in self.folder.iterdir() if path.suffix not in _ADDED)

    @property
    def _names(self) -> tuple[tuple[str, str], ...]:
        """The name that belongs into each kind of path."""
        return (("answers/", self.answer), ("hands/", self.hands), ("reproductions/", "rps"))

    def _request(self, draw: random.Random) -> tuple[str, str, dict[str, str], bytes | None, dict[str, str]]:
        way, path = draw.choice(self.routes)
        if draw.random() < 0.1:
            way, path = (
                draw.choice(("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE")),
                draw.choice(("/", "/../x", "//", "/api", "/grid.js")),
            )
        good = next((name for part, name in self._names if part in path), self.name)
        path = path.replace("{name}", draw.choice((good, good, good, "0" * 16, self.name, _text(draw)[:50] or "x")))
        path = path.replace("{number}", draw.choice(("1", "1", "99", "x", "-1")))
        fair = {"path": "", "cell": "0", "seat": "0", "risk": "1"}
        query = {
            name: draw.choice((text, text, text, _text(draw))) for name, text in fair.items() if draw.random() < 0.9
        }
        headers = {"content-type": "application/json"}
        if draw.random() < 0.2:
            name = draw.choice(list(_HEADERS))
            headers[name] = draw.choice(_HEADERS[name])
        return way, path, query, self._body(path, draw) if way == "POST" else None, headers

    def _body(self, path: str, draw: random.Random) -> bytes:
        fair: Any = {
            "/api/size": _SPOT,
            "/api/solve": {"spot": _SPOT, "exploitability": 50.0},
            "/api/range": {"text": "QQ+"},
            "/api/hands": {"file": "x.phhs", "text": _HANDS},
            "/api/uploads": {"file": "x.phhs", "content": b64encode(_HANDS.encode()).decode()},
            "/api/tables": {"game": self.name, "against": f"hands:{self.hands},player=a", "seat": 0},
            "/api/gadgets": {"game": "kuhn", "at": "moves:1"},
            "/api/frontiers": {"game": "kuhn", "model": "uniform"},
            "/api/solves": {"game": "kuhn"},
        }.get(
            path, next((body for end, body in _BODIES.items() if path.endswith(end)), {"leaks": _LEAKS, "corners": 3})
        )
        fair = json.loads(json.dumps(fair))
        for _ in range(draw.choice((0, 1, 1, 2))):
            inside = fair["spot"] if isinstance(fair.get("spot"), dict) and draw.random() < 0.7 else fair
            name = draw.choice([*inside, *self.fields])
            if draw.random() < 0.2:
                inside.pop(name, None)
            else:
                inside[name] = draw.choice(_VALUES)
        if draw.random() < 0.1:
            fair = draw.choice(_VALUES)
        text = json.dumps(fair).encode("utf-8", "surrogatepass")
        if draw.random() < 0.1:
            cut = draw.randrange(len(text))
            text = text[:cut] + bytes([draw.randrange(256)]) + text[cut:]
        return text


def _text(draw: random.Random) -> str:
    return draw.choice(JUNK)


def _ignore(_: Any) -> None:
    """Progress that nobody watches."""


def _faults(found: Any) -> list[str]:
    """What is wrong with an answer."""
    if found.status_code not in _ALLOWED:
        return [f"status {found.status_code}: {found.text[:200]}"]
    if "json" not in found.headers.get("content-type", "") or found.request.method == "HEAD":
        return []
    try:
        told = json.loads(found.text, parse_constant=_refuse)
    except ValueError as error:
        return [f"not JSON: {error}"]
    if found.status_code >= 400:
        said = told.get("error") if isinstance(told, dict) else None
        if not isinstance(said, str) or not said or not is_plain(said) or len(said) > LONGEST:
            return [f"status {found.status_code} without a sentence: {found.text[:200]}"]
    return []


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")
