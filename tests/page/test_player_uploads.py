"""Players from files: who is offered, what sits down is what the library makes of the file, and what is refused."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import counterplay as cp
from counterplay import HandsModel, agent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.opponents.model import MODELS
from counterplay.page.game_routes import seated
from counterplay.page.requests import TableBody
from counterplay.page.shelf import Shelf
from counterplay.page.tables import _game_in
from tests.support.hand_history_text import HEADS_UP
from tests.support.page import TOY, TOY_HANDS


def upload(page: TestClient, file: str, content: bytes) -> Any:
    return page.post("/api/uploads", json={"file": file, "content": b64encode(content).decode()})


@pytest.fixture(scope="module")
def blueprint(page: TestClient) -> str:
    return str(upload(page, "../my toy.CPB", TOY.read_bytes()).json()["name"])


def test_an_uploaded_blueprint_is_a_game_and_a_player(page: TestClient, shelf: Shelf, blueprint: str) -> None:
    assert (shelf.folder / blueprint).read_bytes() == TOY.read_bytes()
    assert blueprint.startswith("my-toy-")
    assert page.get("/api/players").json()["blueprints"] == [blueprint]
    assert seated(shelf, TableBody(game=blueprint, against="blueprint")) == (str(shelf.folder / blueprint),) * 2


def test_a_player_of_uploaded_hands_sits_down_in_whole_hold_em(page: TestClient, shelf: Shelf, blueprint: str) -> None:
    """As the model of the library: the blueprint tilted toward the hands. Any name of a player will do."""
    kept = upload(page, "session.jsonl", TOY_HANDS.encode()).json()
    offered = {one["name"]: one for one in page.get("/api/uploads").json()}
    assert {one.partition(",player=")[2] for one in offered} == {"anna", "b,o=b"}
    for name in offered:
        assert offered[name]["games"] == ["whole", "spot"]
        source, text = seated(shelf, TableBody(game=blueprint, against=name))
        ground = PlayableGame(_game_in(source))
        file, player = shelf.folder / kept["name"].removeprefix("hands:").partition(",")[0], name.partition("=")[2]
        exact = HandsModel(str(file), player=player, prior=MODELS.record(str(shelf.folder / blueprint)))
        assert MODELS.parse(text) == exact
        assert agent(ground, text, 1, 0).name == text
    assert (
        page.post("/api/tables", json={"game": blueprint, "against": "hands:0123456789abcdef.phh,player=x"}).status_code
        == 422
    )


def test_dropped_hands_of_the_villain_are_offered_too(page: TestClient) -> None:
    name = page.post("/api/hands", json={"file": "x.phhs", "text": HEADS_UP}).json()["name"]
    assert f"hands:{name},player=a" in {one["name"] for one in page.get("/api/uploads").json()}


@pytest.mark.parametrize("ending", [".json", ".cps"])
def test_an_uploaded_strategy_plays_its_game(page: TestClient, shelf: Shelf, tmp_path: Path, ending: str) -> None:
    game = cp.load("kuhn")
    weak = cp.opponent(game, "random:4", player=1)
    weak.save(tmp_path / f"weak{ending}")
    kept = upload(page, f"weak{ending}", (tmp_path / f"weak{ending}").read_bytes()).json()
    told = next(one for one in page.get("/api/uploads").json() if one["name"] == kept["name"])
    assert told["about"] == "a strategy of kuhn"
    source, text = seated(shelf, TableBody(game="kuhn", against=kept["name"]))
    found = cp.opponent(cp.load(source), text, player=1)
    assert found.behaviour == pytest.approx(weak.behaviour, abs=1e-9)
    with pytest.raises(cp.InputError, match="kuhn"):
        cp.opponent(cp.load("leduc"), text, player=1)


def test_files_that_are_no_players_are_refused_and_not_kept(page: TestClient, shelf: Shelf) -> None:
    before = sorted(shelf.folder.rglob("*"))
    cut = TOY.read_bytes()[:-100]
    for file, content in (
        ("x.exe", b"x"), ("x", b"x"), ("x.cpb", b"x"), ("x.cpb", cut), ("x.json", b"[1]"), ("x.json", b"{"),
        ("x.cps", b"PK"), ("x.phh", b"\xff"), ("x.phh", b"nothing"), ("x.phh", b""),
    ):  # fmt: skip
        found = upload(page, file, content)
        assert found.status_code == 422, (file, content[:20], found.text)
        assert found.json()["error"]
    assert page.post("/api/uploads", json={"file": "x.cpb", "content": "no base64!"}).status_code == 422
    assert sorted(shelf.folder.rglob("*")) == before
    for against in ("0123456789abcdef.json", "../x.json", "players/x.json", "hands:x.phh,player=a"):
        assert page.post("/api/tables", json={"game": "kuhn", "against": against}).status_code == 422, against
    big = b'{"file": "x.cpb", "content": "' + b"A" * 28_000_000 + b'"}'
    assert page.post("/api/uploads", content=big, headers={"content-type": "application/json"}).status_code == 413
