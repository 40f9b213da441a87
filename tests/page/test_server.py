"""The page over HTTP: what it says equals the library's numbers, and requests that are not its own are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from starlette.testclient import TestClient

import counterplay as cp
from counterplay.commands.page import _view_of
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.villain.observed_share import ObservedShare
from counterplay.opponents.villain.villain_card import villain_card
from counterplay.page.answer_views import mixed_answer
from counterplay.page.hand_uploads import leak_of
from counterplay.page.server import Address, make_app
from counterplay.page.shelf import Shelf
from counterplay.page.tables import PlayTables
from counterplay.page.tasks import AnswerLeaks, SolveSpot
from counterplay.poker.locking.leak_response import LeakResponder
from counterplay.poker.locking.leak_text import Leak, Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.ranges.grid import cells
from counterplay.poker.spots.node_report import NodeValues
from counterplay.poker.spots.spot import Spot
from tests.support.hand_history_text import HEADS_UP
from tests.support.page import HERE, LEAKS, SPOT, JobsInTurn


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def page(shelf: Shelf) -> TestClient:
    return TestClient(make_app(shelf, JobsInTurn(), PlayTables(), Address()), base_url=HERE)


@pytest.fixture(scope="module")
def name(page: TestClient) -> str:
    found = page.post("/api/solve", json={"spot": SPOT, "exploitability": 0.01}).json()
    again = page.post("/api/solve", json={"spot": SPOT, "exploitability": 0.01}).json()
    assert again == {"name": found["name"], "job": None}  # solved once
    return str(found["name"])


@pytest.fixture(scope="module")
def answer(page: TestClient, name: str) -> str:
    return str(page.post(f"/api/spots/{name}/answers", json={"leaks": LEAKS, "corners": 5}).json()["name"])


def test_a_node_on_the_page_is_the_library_s(page: TestClient, shelf: Shelf, name: str) -> None:
    solved = shelf.spot(name)
    for path in ("", "check", "check, bet 50", "all-in 100"):
        seen, node = page.get(f"/api/spots/{name}/node", params={"path": path}).json(), solved.node(path)
        assert seen["path"] == node.path
        assert seen["player"] == node.player
        assert seen["ev"] == pytest.approx(node.means)
        assert sum(one["share"] for one in seen["actions"]) == pytest.approx(1.0)
        assert [one["name"] for one in seen["actions"]] == list(node.actions)
        assert [step["taken"] for step in seen["strip"]] == [part for part in path.split(", ") if part]
        player = node.player
        assert player is not None
        best = int(node.ranges[player].argmax())
        hands = page.get(
            f"/api/spots/{name}/combos", params={"path": path, "cell": int(cells()[best]), "seat": player}
        ).json()
        values = sorted(one["ev"] for one in hands)
        here = (cells() == cells()[best]) & (node.ranges[player] > 0)
        assert values == pytest.approx(sorted(node.values[player][here]))
        for one in hands:  # a strategy's EV is the mean of its actions'
            assert np.dot(one["strategy"], one["action_ev"]) == pytest.approx(one["ev"], abs=1e-4)


def test_mixed_masses_are_the_play_of_the_mixed_plan(page: TestClient, shelf: Shelf, answer: str) -> None:
    """What the page draws between two corners is what the exported file plays, and its gain and risk are bounds."""
    facts = page.get(f"/api/answers/{answer}").json()
    corners = facts["corners"]
    assert [one["exploitability"] for one in corners] == sorted(one["exploitability"] for one in corners)
    most = 0.5 * (corners[0]["exploitability"] + corners[1]["exploitability"])
    solved, answered, mixed = mixed_answer(shelf, answer, most)
    assert 0.0 < mixed.weight < 1.0
    seen = page.get(f"/api/answers/{answer}/node").json()
    assert seen["player"] == 0 == 1 - facts["opponent"]
    low, high = (np.array(seen["corners"][k]["masses"], float) for k in (0, 1))
    drawn = (1.0 - mixed.weight) * low + mixed.weight * high
    values = NodeValues(answered, answered.find(""))
    rows = values.probabilities() * values.ranges[0][:, None]
    held = values.ranges[0] > 0
    exact = np.stack([np.bincount(cells()[held], column[held], 169) for column in rows.T], axis=1)
    assert drawn == pytest.approx(exact, abs=1e-5)
    lock = lock_nodes(solved, Leaks.from_text(LEAKS))
    case = LeakResponder(lock, True, 1e-3)
    assert case.against_leak(answered.plans) - facts["value"] >= mixed.gain - 1e-3
    assert case.exploitability(answered.plans) <= mixed.exploitability + 1e-3


def test_changes_are_ranked_by_what_they_win(page: TestClient, answer: str) -> None:
    found = page.get(f"/api/answers/{answer}/changes", params={"risk": 1e9}).json()
    won = [abs(one["chips"]) for one in found]
    assert won == sorted(won, reverse=True)
    assert won[0] > 0.0
    assert page.get(f"/api/answers/{answer}/changes", params={"risk": 0.0}).status_code == 200


def test_what_is_taken_along_is_a_file_of_the_library(page: TestClient, answer: str, tmp_path: Path) -> None:
    from counterplay.poker.spots.solution import load_spot

    file = tmp_path / "answer.spot"
    file.write_bytes(page.get(f"/api/answers/{answer}/answer.spot", params={"risk": 1.0}).content)
    found = load_spot(file)
    assert found.whose(0) == "answer"
    table = page.get(f"/api/answers/{answer}/answer.csv", params={"risk": 1.0}).text
    assert table.startswith("node,player,hand,weight,EV,equity")


def test_ranges_are_read_and_written(page: TestClient) -> None:
    seen = page.post("/api/range", json={"text": "QQ+,AKs:0.5"}).json()
    assert seen["combos"] == 20.0
    assert page.post("/api/range", json={"weights": seen["weights"]}).json() == seen


def test_bad_input_gets_one_sentence(page: TestClient, name: str, answer: str) -> None:
    posted: list[tuple[str, Any]] = [
        ("size", SPOT | {"board": "Qs Qs Jh"}), ("size", SPOT | {"color": 1}), ("size", []), ("range", {"text": "XX"}),
        ("solve", {"spot": SPOT, "exploitability": 0}), ("range", {}), ("range", {"weights": [2.0] * 169}),
        (f"spots/{name}/answers", {"leaks": "opponent ip\nat x"}),
    ]  # fmt: skip
    got = [
        f"spots/{name}/node?path=nowhere", "spots/0000000000000000", "spots/..%2Fx", "spots/....", f"spots/{answer}/node",
        f"answers/{name}", f"answers/{answer}/changes?risk=nan", "jobs/99",
    ]  # fmt: skip
    asked = [("POST", path, {"json": body}) for path, body in posted] + [("GET", path, {}) for path in got]
    for method, path, body in asked:
        found = page.request(method, f"/api/{path}", **body)
        assert found.status_code in (404, 422), (path, body, found.text)
        said = found.json()["error"]
        assert said, path
        assert "\n" not in said


def test_the_page_answers_itself_alone(page: TestClient, shelf: Shelf) -> None:
    where = {"content-type": "application/json"}
    refused: list[dict[str, str]] = [
        {"host": "evil.example:8640"}, {"host": "127.0.0.1"}, {"origin": "http://evil.example"}, {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"}, {"sec-fetch-site": "cross-site"},
    ]  # fmt: skip
    for headers in refused:
        for path in ("/api/spots", "/", "/main.js"):
            assert page.get(path, headers=headers).status_code in (403, 421), (path, headers)
        assert page.post("/api/size", json=SPOT, headers=headers).status_code in (403, 421)
    assert page.get("/api/spots", headers={"origin": HERE, "sec-fetch-site": "same-origin"}).status_code == 200
    text = json.dumps(SPOT)
    assert page.post("/api/size", content=text, headers={"content-type": "text/plain"}).status_code == 415
    assert page.post("/api/size", content=b" " * 1_000_001, headers=where).status_code == 413
    first = page.get("/")
    assert "default-src 'self'" in first.headers["content-security-policy"]
    assert '<script type="module" src="main.js">' in first.text
    assert page.get("/../pyproject.toml").status_code == 404
    open_to_all = Address("192.0.2.1", 8640, "secret")
    other = TestClient(
        make_app(shelf, JobsInTurn(), PlayTables(), open_to_all),
        base_url="http://192.0.2.1:8640",
        follow_redirects=False,
    )
    assert other.get("/api/spots").status_code == 401
    assert other.get("/api/spots?token=wrong").status_code == 401
    assert other.get(f"{other.base_url}//elsewhere.example/?token=secret").headers["location"] == "/elsewhere.example/"
    other.cookies.clear()
    assert other.get("/?token=secret").status_code == 303  # which sets the cookie
    assert other.get("/api/spots").status_code == 200


def test_every_address_but_loopback_gets_a_token() -> None:
    assert Address.at("127.0.0.1", 1).token is None
    assert Address.at("::1", 1).token is None
    assert Address.at("localhost", 1).token is None
    assert len(Address.at("0.0.0.0", 1).token or "") >= 32
    assert Address("::1", 1).url == "http://[::1]:1/"


def test_tasks_are_told_apart_by_what_they_do(tmp_path: Path) -> None:
    """Equal tasks are equal records: a job that has not ended is joined by the next that asks the same."""
    table = Spot.from_table(SPOT).table()
    assert SolveSpot(table, 1.0, tmp_path) == SolveSpot(dict(table), 1.0, tmp_path)
    assert AnswerLeaks("a", tmp_path, LEAKS, 5, tmp_path) != AnswerLeaks("a", tmp_path, LEAKS, 6, tmp_path)


def test_a_frontier_on_the_page_is_the_library_s(page: TestClient) -> None:
    body = {"game": "kuhn", "model": "random:1", "methods": ["rnr", "br"]}
    name = page.post("/api/frontiers", json=body).json()["name"]
    assert page.post("/api/frontiers", json=body).json() == {"name": name, "job": None}
    shown = page.get(f"/api/results/{name}").json()["points"]
    game = cp.load("kuhn")
    exact = cp.frontier(game, cp.opponent(game, "random:1"), ("rnr", "br"))
    numbers = [(one.method, pytest.approx(one.gain), pytest.approx(one.exploitability)) for one in exact]
    assert [(one["method"], one["gain"], one["exploitability"]) for one in shown] == numbers


def test_minimisers_are_compared_by_their_own_measure(page: TestClient, shelf: Shelf) -> None:
    """Curves that were stopped are computed again."""
    asked = {"game": "kuhn", "methods": ["cfr", "cfr+"], "iterations": 50}
    name = page.post("/api/solves", json=asked).json()["name"]
    assert page.post("/api/solves", json=asked).json()["job"] is None
    shelf.result_path(name).write_text('{"curves": {}, "interrupted": true}')
    assert page.post("/api/solves", json=asked).json()["job"] is not None
    for method, curve in page.get(f"/api/results/{name}").json()["curves"].items():
        iterations, exploitability = curve[-1]
        found = cp.solve(cp.load("kuhn"), method=method, stop=cp.Stop(iterations=50))
        assert (iterations, exploitability) == (50, found.facts()["exploitability"])


def test_games_and_models_of_the_browser_name_no_file_and_no_code(
    page: TestClient, name: str, answer: str, tmp_path: Path
) -> None:
    (tmp_path / "game.efg").write_text("")
    models = ("os:system", "model.json", f"{tmp_path}/x.cps", "noise:0.1:os:system", "lock:leaks.txt", "br:model.json")
    for model in models:
        assert page.post("/api/frontiers", json={"game": "kuhn", "model": model}).status_code == 422, model
        for at in ("kuhn", name):
            assert page.post("/api/tables", json={"game": at, "against": model}).status_code == 422, model
    for against, seat in (
        (f"villain:{answer}", 1),
        (f"answer:{answer}", 0),
        ("villain:0000000000000000", 0),
        ("answer:..", 1),
    ):
        refused = page.post("/api/tables", json={"game": name, "against": against, "seat": seat})
        assert refused.status_code == 422, against
    for game in ("os:system", f"{tmp_path}/game.efg", "openspiel:kuhn_poker", "river.toml", "../x.spot"):
        assert page.post("/api/frontiers", json={"game": game, "model": "uniform"}).status_code == 422, game
        assert page.post("/api/solves", json={"game": game}).status_code == 422, game
        assert page.post("/api/tables", json={"game": game}).status_code == 422, game


def test_hands_become_a_card(page: TestClient, shelf: Shelf) -> None:
    """What the page says of hands is what the readers say."""
    found = page.post("/api/hands", json={"file": "C:\\hands\\session.phhs", "text": HEADS_UP}).json()
    read = read_hands([shelf.folder / found["name"]])
    assert found["hands"] == len(read.hands) == 1
    for player in found["players"]:
        card = page.post(f"/api/hands/{found['name']}/card", json={"player": player}).json()
        exact = villain_card(read.holdem, player)
        assert [(row["k"], row["n"]) for row in card["rows"]] == [(row.counted.k, row.counted.n) for row in exact.rows]
    for file, text in (("x.exe", HEADS_UP), ("x", HEADS_UP), ("x.phh", "no hands"), ("x.phh", "")):
        refused = page.post("/api/hands", json={"file": file, "text": text})
        assert refused.status_code == 422 or refused.json()["hands"] == 0, (file, text)
    assert [path.name for path in shelf.folder.glob("*.phh*")] == [found["name"]]  # what is no hand history is not kept
    for name in ("../x.phh", "0123456789abcdef.phh", "x", found["name"] + "/.."):
        assert page.post(f"/api/hands/{name}/card", json={"player": "Hero"}).status_code in (404, 405, 422), name
    assert (
        page.post("/api/size", content=b" " * 1_000_001, headers={"content-type": "application/json"}).status_code
        == 413
    )


def test_a_leak_claims_no_more_than_was_seen() -> None:
    row = villain_card((), "nobody").rows[0]
    for name, place in (
        ("fold to pot river", "on river facing a bet of at least 75%"),
        ("fold to c-bet flop", "on flop facing a bet"),
    ):
        seen = ObservedShare(75, 100)
        line = leak_of(replace(row, name=name, counted=seen))
        assert line is not None
        leak = Leak.from_text(line)
        assert line.startswith(place)
        assert seen.interval[0] - 0.01 < leak.orders[0].share <= seen.interval[0]
        assert leak.orders[0].relation == "at least"
        assert leak_of(replace(row, name=name, counted=ObservedShare(0, 0))) is None
    assert leak_of(replace(row, name="VPIP button", counted=ObservedShare(70, 100))) is None


def test_the_view_of_a_game_or_of_a_spot_to_solve() -> None:
    assert _view_of("leduc") == "#/research?game=leduc"
    name, _, query = _view_of("examples/river.toml").partition("?")
    assert name == "#/build"
    fields = {key: values[0] for key, values in parse_qs(query).items()}
    table = Spot.from_file("examples/river.toml").table()
    assert fields["board"] == table["board"]
    assert float(fields["pot"]) == table["pot"]
    with pytest.raises(cp.InputError):
        _view_of("no-game")
