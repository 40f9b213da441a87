"""Games on the page, enumerated ones and solved spots: frontiers, minimisers, gadgets, and tables of papers."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

import counterplay as cp
from counterplay.about import version
from counterplay.blueprints.gadget_drawing import draw_gadget
from counterplay.page.shelf import Shelf
from counterplay.page.tasks import frontier_facts, write_result
from counterplay_papers.registry import reproduction
from counterplay_papers.runner import run
from tests.support.page import SPOT

TURN = SPOT | {"board": "Ks 8h 8d 4c", "oop": "KhKd,QJs", "ip": "AcAd,TT", "bets": "a"}


def test_a_frontier_on_the_page_is_the_library_s(page: TestClient) -> None:
    body = {"game": "kuhn", "model": "random:1", "methods": ["rnr", "br"]}
    name = page.post("/api/frontiers", json=body).json()["name"]
    assert page.post("/api/frontiers", json=body).json().items() >= {"name": name, "job": None}.items()
    shown = page.get(f"/api/results/{name}").json()["points"]
    game = cp.load("kuhn")
    exact = cp.frontier(game, cp.opponent(game, "random:1"), ("rnr", "br"))
    numbers = [(one.method, pytest.approx(one.gain), pytest.approx(one.exploitability)) for one in exact]
    assert [(one["method"], one["gain"], one["exploitability"]) for one in shown] == numbers


def test_a_frontier_that_was_stopped_is_computed_again(
    page: TestClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says that it was."""
    asked = {"game": "kuhn", "model": "random:2", "methods": ["br"]}
    name = page.post("/api/frontiers", json=asked).json()["name"]
    assert page.get(f"/api/results/{name}").json()["interrupted"] is False
    game = cp.load("kuhn")
    some = cp.frontier(game, cp.opponent(game, "uniform"), ("br",))
    some.interrupted = True
    monkeypatch.setattr("counterplay.measure.frontier.frontier", lambda *_, **__: some)
    arguments = "random:2", ("br",), 11, 0
    kept = write_result(lambda _: None, shelf.result_path(name), frontier_facts, "kuhn", arguments)
    assert kept["interrupted"]
    assert page.post("/api/frontiers", json=asked).json()["job"] is not None


def test_minimisers_are_compared_by_their_own_measure(page: TestClient, shelf: Shelf) -> None:
    """Curves that were stopped are computed again."""
    asked = {"game": "kuhn", "methods": ["cfr", "cfr+"], "iterations": 50}
    name = page.post("/api/solves", json=asked).json()["name"]
    assert page.post("/api/solves", json=asked).json()["job"] is None
    shelf.result_path(name).write_text('{"curves": {}, "interrupted": true}')
    assert page.post("/api/solves", json=asked).json()["job"] is not None
    for method, curve in page.get(f"/api/results/{name}").json()["curves"].items():
        iterations, exploitability = curve[-1]
        found = cp.solve(cp.load("kuhn"), solver=method, stop=cp.Stop(iterations=50))
        assert (iterations, exploitability) == (50, found.facts["exploitability"])


def test_a_method_that_is_named_twice_is_computed_once(page: TestClient) -> None:
    twice, once = (
        page.post("/api/solves", json={"game": "kuhn", "methods": ["cfr"] * times, "iterations": 40}).json()["name"]
        for times in (2, 1)
    )
    assert twice == once
    (curve,) = page.get(f"/api/results/{once}").json()["curves"].values()
    iterations = [at for at, _ in curve]
    assert iterations == sorted(set(iterations))
    assert iterations[-1] == 40
    methods = [{"game": "kuhn", "model": "uniform", "methods": ["br"] * times} for times in (2, 1)]
    assert len({page.post("/api/frontiers", json=body).json()["name"] for body in methods}) == 1


def test_a_drawn_gadget_is_the_library_s(page: TestClient) -> None:
    body = {"game": "leduc", "blueprint": "cfr:10", "gadget": "max-margin", "subgame": 2}
    name = page.post("/api/gadgets", json=body).json()["name"]
    exact = draw_gadget(cp.load("leduc"), "cfr:10", "round", 2, gadget="max-margin", solver="lp").facts
    assert page.get(f"/api/results/{name}").json().items() >= json.loads(json.dumps(exact)).items()
    for wrong in ({"gadget": "os"}, {"at": "nowhere"}, {"blueprint": "model.json"}, {"game": "x.efg"}, {"subgame": 0}):
        assert page.post("/api/gadgets", json=body | wrong).status_code == 422, wrong


def test_tables_of_papers_are_computed_and_kept(page: TestClient, shelf: Shelf) -> None:
    path = "/api/reproductions/rps"
    before = page.get(path).json()
    assert not before["stored"]
    assert before["packaged"] == {"version": version(), "is_current": True}
    assert page.get(f"{path}/picture.png").content.startswith(b"\x89PNG")  # before anything is computed
    assert page.post(path, json={}).json()["job"]["state"] == "done"
    found = page.get(path).json()
    exact = run(reproduction("rps"), shelf.reproductions, quick=True)
    assert [(one["row"], one["column"], one["ours"]) for one in found["results"]] == [
        (one.row, one.column, pytest.approx(one.ours)) for one in exact
    ]
    assert found["picture"]
    assert found["stored"]
    assert found["kinds"] == [{"kind": "text", "words": "following from the text", "agree": 1, "of": 2}]
    for now, packaged in zip(found["results"], before["results"], strict=True):
        assert {**now, "ours": 0.0} == {**packaged, "ours": 0.0}
        assert now["ours"] == pytest.approx(packaged["ours"], rel=1e-6, abs=1e-9)
    assert page.get(f"{path}/picture.png").content.startswith(b"\x89PNG")
    assert {"name": "rps", "stored": True} in page.get("/api/reproductions").json()
    (shelf.reproductions / "ses-matrix.csv").write_text("table,row\n1,2\n")
    assert "damaged" in page.get("/api/reproductions/ses-matrix").json()["error"]
    for name in ("nothing", "..", "../x", "rps.csv"):
        assert page.get(f"/api/reproductions/{name}").status_code in (404, 422), name
        assert page.post(f"/api/reproductions/{name}", json={}).status_code in (404, 405, 422), name


@pytest.fixture(scope="module")
def turn(page: TestClient) -> str:
    return str(page.post("/api/solve", json={"spot": TURN, "exploitability": 0.1}).json()["name"])


@pytest.mark.parametrize("blueprint", ["solution", "cfr:10"])
def test_the_gadget_of_a_spot_is_the_library_s(page: TestClient, shelf: Shelf, turn: str, blueprint: str) -> None:
    """By the number of a subgame and by the path to it; the blueprint is that of the spot's file, or a model."""
    solved = shelf.path(turn)
    body = {"game": turn, "blueprint": blueprint, "gadget": "max-margin", "seat": 1}
    for asked, options in (({"subgame": 3}, {"number": 3}), ({"only": "x x Ah"}, {"only": "x x Ah"})):
        name = page.post("/api/gadgets", json=body | asked).json()["name"]
        source = str(solved) if blueprint == "solution" else blueprint
        exact = draw_gadget(cp.load(solved), source, "round", gadget="max-margin", seat=1, **options).facts
        assert page.get(f"/api/results/{name}").json().items() >= json.loads(json.dumps(exact)).items()
        assert page.post("/api/gadgets", json=body | asked).json()["job"] is None
    for wrong in ({"blueprint": str(solved)}, {"blueprint": "lock:x"}, {"only": "nowhere"}, {"at": "round:9"}):
        assert page.post("/api/gadgets", json=body | wrong).status_code == 422, wrong


def test_methods_and_minimisers_meet_in_a_spot(page: TestClient, shelf: Shelf, turn: str) -> None:
    game = cp.load(shelf.path(turn))
    name = page.post("/api/frontiers", json={"game": turn, "model": "uniform", "methods": ["br"]}).json()["name"]
    (point,) = page.get(f"/api/results/{name}").json()["points"]
    (exact,) = cp.frontier(game, cp.opponent(game, "uniform"), ("br",))
    assert (point["gain"], point["exploitability"]) == pytest.approx((exact.gain, exact.exploitability))
    asked = {"game": turn, "methods": ["cfr+"], "iterations": 20}
    name = page.post("/api/solves", json=asked).json()["name"]
    (curve,) = page.get(f"/api/results/{name}").json()["curves"].values()
    found = cp.solve(game, solver="cfr+", stop=cp.Stop(iterations=20))
    assert curve[-1] == pytest.approx([20, found.facts["exploitability"]])
