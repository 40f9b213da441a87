"""The page over HTTP: what it says equals the library's numbers, and requests that are not its own are refused."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from starlette.testclient import TestClient

import counterplay as cp
from counterplay import HandsModel, Spot
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.factory.make_agent import check_text
from counterplay.commands.page import _view_of
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.villain.seen_decisions import ObservedShare
from counterplay.opponents.villain.villain_card import hands_behind, report_villain, villain_card
from counterplay.page.game_routes import seated
from counterplay.page.requests import TableBody, begin, plan_solve
from counterplay.page.server import Address, make_app
from counterplay.page.shelf import Shelf
from counterplay.page.tables import PlayTables, _game_in
from counterplay.page.tasks import LeakLines, Task, write_answer, write_solution
from counterplay.page.uploads import leak_of
from counterplay.page.views import mixed_answer
from counterplay.poker.locking.leak_response import LeakResponder
from counterplay.poker.locking.leak_text import Leak, Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.ranges.grid import cells
from counterplay.poker.ranges.range import NOTATIONS, Range
from counterplay.poker.spots import solve_spot
from counterplay.poker.spots.solution import NodeValues, load_spot
from counterplay.poker.spots.solve_spot import cached_solution, keep_solution, name_of_spot
from tests.support.hand_history_text import HEADS_UP
from tests.support.page import HERE, LEAKS, SPOT, JobsInTurn


@pytest.fixture(scope="module")
def name(page: TestClient) -> str:
    found = page.post("/api/solve", json={"spot": SPOT, "exploitability": 0.01}).json()
    again = page.post("/api/solve", json={"spot": SPOT, "exploitability": 0.01}).json()
    assert again == {"kind": "solve", "version": cp.__version__, "name": found["name"], "job": None}  # solved once
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
    file = tmp_path / "answer.spot"
    file.write_bytes(page.get(f"/api/answers/{answer}/answer.spot", params={"risk": 1.0}).content)
    found = load_spot(file)
    assert found.whose(0) == "answer"
    for notation in NOTATIONS:
        asked = {"risk": 1.0, "notation": notation}
        texts = page.get(f"/api/answers/{answer}/ranges.txt", params=asked).text.split("\n")[1::3]
        node = found.node("")
        assert node.player is not None
        taken = np.nan_to_num(node.ranges[node.player][:, None] * node.probabilities)
        for column, text in zip(taken.T, texts, strict=True):
            if column.round(4).any():  # each reads back to the same weights
                assert Range.parse(text).weights == pytest.approx(column, abs=1e-4)
    assert page.get(f"/api/answers/{answer}/ranges.txt", params={"risk": 1.0, "notation": "x"}).status_code == 422
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
    assert Task(write_solution, (table, 1.0, tmp_path)) == Task(write_solution, (dict(table), 1.0, tmp_path))
    five, six = (Task(write_answer, ("a", tmp_path, LeakLines(LEAKS), number, tmp_path)) for number in (5, 6))
    assert five != six


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


def test_the_hands_behind_a_number_are_the_library_s(page: TestClient, shelf: Shelf, name: str) -> None:
    """The card with coverage and mapped sizes, and the hands of a figure and of a place, as the command gives them."""
    found = page.post("/api/hands", json={"file": "s.phhs", "text": HEADS_UP}).json()["name"]
    own = read_hands([shelf.folder / found]).holdem
    assert page.get(f"/api/hands/{found}").json()["hands"] == 1
    card = page.post(f"/api/hands/{found}/card", json={"player": "a", "spot": name, "seat": 1}).json()
    exact = report_villain(own, "a", solved=shelf.spot(name), seat=1).facts
    assert card["coverage"] == json.loads(json.dumps(exact["coverage"]))
    assert card["sizes"] == json.loads(json.dumps(exact["sizes"]))
    for row in card["rows"]:
        shown = page.post(f"/api/hands/{found}/shown", json={"player": "a", "what": row["statistic"]}).json()
        assert (shown["k"], shown["n"], len(shown["decisions"])) == (row["k"], row["n"], row["n"])
    asked = {"player": "b+/x", "what": "on flop facing a bet", "seat": 0}
    told = page.post(f"/api/hands/{found}/shown", json=asked).json()
    assert told.items() >= json.loads(json.dumps(hands_behind(own, "b+/x", asked["what"], 0).facts)).items()
    assert [step["action"] for step in told["decisions"][0]["steps"]][-2:] == ["bet 1", "fold"]
    for refused in ({"what": "luck"}, {"player": "nobody"}, {"seat": 2}):
        assert page.post(f"/api/hands/{found}/shown", json=asked | refused).status_code == 422, refused
    assert (
        page.post(f"/api/hands/{found}/card", json={"player": "a", "spot": name}).status_code == 422
    )  # without a seat


def test_page_and_commands_keep_solved_spots_in_one_store(
    shelf: Shelf, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What a command solved is known to the page; another big blind is shown, not solved."""
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    monkeypatch.setattr(solve_spot, "WORTH", 0.0)
    spot = Spot(**SPOT)
    assert cached_solution(spot, 1.0) is None
    keep_solution(shelf.spot(name))
    page_there = Shelf(tmp_path / "spots")
    assert name_of_spot(spot) == name
    assert page_there.exploitability(name) == shelf.exploitability(name)
    blinded = replace(spot, big_blind=2.0)
    assert name_of_spot(blinded) == name
    known = cached_solution(blinded, 1.0)
    assert known is not None
    assert known.spot.big_blind == 2.0
    assert begin(page_there, JobsInTurn(), plan_solve, blinded.table(), 1.0).job is None
    assert page_there.spot(name).spot.big_blind == 2.0
    assert page_there.spot(name).node().means == pytest.approx(shelf.spot(name).node().means)
    given = tmp_path / "mine.spot"
    shelf.spot(name).save(given)
    before, opened = given.read_bytes(), Shelf(tmp_path / "empty", given)
    opened.folder.mkdir()
    begin(opened, JobsInTurn(), plan_solve, blinded.table(), 0.005)
    assert given.read_bytes() == before  # a file from elsewhere is never written
    assert len(opened.spots()) == 1
    assert (opened.exploitability(name) or 1.0) <= 0.005
    assert opened.spot(name).spot.big_blind == 2.0


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
    toy = Path(__file__).parents[1] / "files" / "toy.cpb"
    assert _view_of(str(toy)) == "#/play?game=toy.cpb&against=blueprint"
    name, _, query = _view_of("examples/river.toml").partition("?")
    assert name == "#/build"
    fields = {key: values[0] for key, values in parse_qs(query).items()}
    table = Spot.from_file("examples/river.toml").table()
    assert fields["board"] == table["board"]
    assert float(fields["pot"]) == table["pot"]
    with pytest.raises(cp.InputError):
        _view_of("no-game")


def test_a_table_prices_decisions_and_goes_on_without_a_tab(page: TestClient, shelf: Shelf) -> None:
    """In a game of the catalogue and in a whole game of hold'em, each in a process of its own."""
    toy = Path(__file__).parents[1] / "files" / "toy.cpb"
    (shelf.folder / "toy.cpb").write_bytes(toy.read_bytes())
    assert page.get("/api/players").json()["blueprints"] == ["toy.cpb"]
    for game, against in (("kuhn", "nash"), ("toy.cpb", "blueprint")):
        state = page.post("/api/tables", json={"game": game, "against": against}).json()
        number = state["table"]
        for _ in range(4000):
            told = state["kind"] == "ask" and state["score"]["priced"] and state["score"]["corrected_hands"]
            if told and state["last"]["decisions"]:  # none where the opponent ends the hand at once
                break
            priced = state.get("score", {}).get("priced")
            time.sleep(0.5 if priced else 0.02)  # luck is taken out of results while the person thinks
            if state["kind"] == "ask":
                state = page.post(f"/api/tables/{number}/move", json={"action": state["actions"][-1]}).json()
            state = page.get(f"/api/tables/{number}").json()
        assert (state["game"], state["against"]) == (game, against)
        assert all(one["cost"] >= 0.0 for one in state["last"]["decisions"])
        assert state["last"]["decisions"][0]["belief"]
        assert state["score"]["corrected_by"] == "AIVAT"
        assert page.post(f"/api/tables/{number}/leave", json={}).json()["left"] == number


@pytest.mark.parametrize(
    ("game", "against", "reason"),
    [
        ("other.cpb", "blueprint", "there is no blueprint"),
        ("../toy.cpb", "blueprint", "there is no blueprint"),
        ("holdem:deck=20,stack=4bb,bets=a", "toy.cpb", "without a blueprint the opponent is one of"),
        ("holdem:deck=20,stack=4bb,bets=a,buckets=9", "passive", "without buckets"),
    ],
)
def test_tables_take_blueprints_of_the_folder_alone(page: TestClient, game: str, against: str, reason: str) -> None:
    found = page.post("/api/tables", json={"game": game, "against": against})
    assert found.status_code == 422
    assert reason in found.json()["error"]


def test_every_opponent_that_a_spot_offers_can_sit_down_in_it(page: TestClient, shelf: Shelf, name: str) -> None:
    offered = page.get("/api/players").json()["spots"]
    assert {"nash", "resolve", "cdbr", "cdrnr"} <= set(offered)
    for against in offered:
        source, text = seated(shelf, TableBody(game=name, against=against))
        assert source == str(shelf.path(name))
        check_text(PlayableGame(source), text)


def test_a_blueprint_from_elsewhere_is_played_and_paths_may_have_commas(tmp_path: Path) -> None:
    file = tmp_path / "a, b" / "toy.cpb"
    file.parent.mkdir()
    file.write_bytes((Path(__file__).parents[1] / "files" / "toy.cpb").read_bytes())
    given = Shelf(tmp_path, None, file)
    for against in ("blueprint", "resolve", "cdbr", "cdrnr"):
        source, text = seated(given, TableBody(game="toy.cpb", against=against))
        assert source == str(file)
        check_text(PlayableGame(_game_in(source)), text)
    with pytest.raises(cp.InputError, match="there is no blueprint"):
        seated(Shelf(tmp_path), TableBody(game="toy.cpb", against="blueprint"))


def test_a_player_of_hands_is_answered_as_the_command_does(page: TestClient, shelf: Shelf, name: str) -> None:
    """From the file that was dropped to the player at the table; the model is that of `spot --villain`."""
    calls, folds = (_river_hand(end) for end in ("p2 cc", "p2 f"))
    text = "\n".join(f"[{k + 1}]\n{calls if k % 10 else folds}" for k in range(60))
    kept = page.post("/api/hands", json={"file": "river.phhs", "text": text}).json()
    villain = {"hands": kept["name"], "player": "bob", "seat": 1}
    answer = page.post(f"/api/spots/{name}/answers", json={"villain": villain, "corners": 3}).json()["name"]
    facts = page.get(f"/api/answers/{answer}").json()
    model = HandsModel(kept["file"], player="bob")
    tilt = model.tilt(shelf.spot(name), 1)
    assert facts["villain"]["frequencies"] == json.loads(json.dumps(tilt.facts["frequencies"]))
    assert facts["villain"]["options"] == f"--villain {quote(str(model))} --opponent ip"
    assert facts["corners"][-1]["gain"] > 0.0
    seen = np.asarray(load_spot(shelf.villain_path(answer)).plans.reach(1)[:])
    locked = np.asarray(tilt.lock.plans.reach(1)[:])
    assert seen == pytest.approx(locked, abs=1e-4)  # who plays at the table as villain:ANSWER
    source, text = seated(shelf, TableBody(game=name, against=f"hands:{kept['name']},player=bob"))
    met = cp.opponent(PlayableGame(source).compiled, text, player=1)  # the same player without an answer, at a table
    assert met.plan == pytest.approx(locked[: len(met.plan)], abs=1e-4)
    for wrong in ({}, {"villain": villain, "leaks": LEAKS}, {"villain": {**villain, "hands": "0" * 16 + ".phhs"}}):
        assert page.post(f"/api/spots/{name}/answers", json=wrong).status_code == 422


def _river_hand(end: str) -> str:
    """A hand whose river is bet by half of the pot, with stacks and pot like those of the spot."""
    board = "'d db 9h7d3h', 'p1 cc', 'p2 cc', 'd db 2c', 'p1 cc', 'p2 cc', 'd db Ks'"
    return f"""\
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [100, 100]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 50', 'p1 cc', {board}, 'p1 cbr 50', '{end}']
players = ['anna', 'bob']
"""
