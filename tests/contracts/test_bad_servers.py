"""A server that answers what no hand has is named in one sentence, whatever it says; and no file is harmed."""

from __future__ import annotations

import json
import random
import shutil
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from counterplay import InputError
from counterplay.agents.agent import Player, UniformAgent
from counterplay.poker.betting.line_notation import SLUMBOT
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.protocols import slumbot
from counterplay.protocols.hand_messages import DealtHand
from counterplay.protocols.slumbot import SlumbotApi, SlumbotResult, play_slumbot

GAME = read_holdem("holdem:stack=200bb,bets=a")
URL = "http://slumbot.invalid/api"
Answer = dict[str, Any]
DEAL: Answer = {"client_pos": 0, "hole_cards": ["Ac", "Ad"], "board": [], "action": "b200"}
FLOP: Answer = DEAL | {"action": "b200c/", "board": ["2c", "7d", "9s"]}
ALL_IN: Answer = DEAL | {"action": "b20000"}
END: Answer = DEAL | {
    "action": "b20000c", "board": ["2c", "7d", "9s", "Th", "3h"], "bot_hole_cards": ["Ks", "Kd"], "winnings": 20_000,
}  # fmt: skip
HUGE = 10**400


class Scripted(SlumbotApi):
    """A session with known answers, the last of which is repeated. asked: how many requests came."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(URL, pause=0.0)
        self._answers, self.asked = answers, 0

    def _posted(self, url: str, content: bytes, *, repeatable: bool) -> Answer:
        self.asked += 1
        return self._answers[min(self.asked, len(self._answers)) - 1]


class Passive(UniformAgent):
    """Checks and calls."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        return next(label for label in legal or () if label.startswith(("check", "call")))


def _passive(seat: int) -> Player:
    return Passive(seat, seat)


def _play(api: SlumbotApi, hands: int = 1, log: Path | None = None) -> SlumbotResult:
    return play_slumbot(api, GAME, _passive, hands, log=log, name="passive")


def _without(answer: Answer, key: str) -> Answer:
    return {name: value for name, value in answer.items() if name != key}


DEALS = {
    "a seat that is no whole number": DEAL | {"client_pos": 1.0},
    "a seat that is a truth value": DEAL | {"client_pos": True},
    "no betting": _without(DEAL, "action"),
    "cards that are none": DEAL | {"hole_cards": ["Ac", "Xx"]},
    "a flop before the flop": DEAL | {"board": ["2c", "7d", "9s"]},
    "an action of the agent": DEAL | {"action": "b200c/", "board": ["2c", "7d", "9s"]},
}
FLOPS = {
    "no board": FLOP | {"board": []},
    "another seat": FLOP | {"client_pos": 1},
    "other cards": FLOP | {"hole_cards": ["Ac", "Ah"]},
    "another bet": FLOP | {"action": "b400c/"},
    "a fold for a call": FLOP | {"action": "b200f", "board": []},
    "nothing new": DEAL,
    "an action of the agent": FLOP | {"action": "b200c/kb200"},
}
ENDS = {
    "no betting": _without(END, "action"),
    "no seat": _without(END, "client_pos"),
    "a seat that is a letter": END | {"client_pos": "a"},
    "a seat that is a list": END | {"client_pos": [0]},
    "no winnings": _without(END, "winnings"),
    "winnings beyond floats": END | {"winnings": HUGE},
    "winnings that are a truth value": END | {"winnings": True},
    "a baseline beyond floats": END | {"baseline_winnings": HUGE},
    "a board cut short": END | {"board": ["2c", "7d", "9s"]},
    "a card dealt twice": END | {"bot_hole_cards": ["Ac", "Kd"]},
}
FORGED = [
    *(pytest.param(1, [deal], id=f"a deal with {what}") for what, deal in DEALS.items()),
    *(pytest.param(2, [DEAL, flop], id=f"a flop with {what}") for what, flop in FLOPS.items()),
    *(pytest.param(2, [ALL_IN, end], id=f"an end with {what}") for what, end in ENDS.items()),
]


FOLD: Answer = DEAL | {"action": "f", "bot_hole_cards": ["Ks", "Kd"], "winnings": 50}
RESULTS = [
    (1, [FOLD | {"winnings": 1e12}], r"says winnings 1e\+12, where 'f' settles to 50"),
    (1, [FOLD | {"winnings": -50}], "says winnings -50, where 'f' settles to 50"),
    (1, [FOLD | {"winnings": 5000}], "says winnings 5000, where 'f' settles to 50"),
    (1, [FOLD | {"baseline_winnings": 9e9}], r"says baseline_winnings 9e\+09, where a stack is 20000"),
    (2, [ALL_IN, END | {"winnings": -20_000}], "says winnings -20000, where 'b20000c' settles to 20000"),
    (2, [ALL_IN, END | {"winnings": 0}], "says winnings 0, where 'b20000c' settles to 20000"),
    (2, [ALL_IN, _without(END, "bot_hole_cards") | {"winnings": -20_001}], "settles to -20000 or 0 or 20000"),
]


@pytest.mark.parametrize(("asked", "answers", "said"), RESULTS)
def test_a_result_that_contradicts_the_hand_is_refused(
    asked: int, answers: list[Answer], said: str, tmp_path: Path
) -> None:
    """Named with what the hand settles to; and the result so far is kept."""
    log, api = tmp_path / "hands.jsonl", Scripted(*answers)
    with pytest.raises(InputError, match=said):
        _play(api, 1, log)
    assert (api.asked, log.exists()) == (asked, False)
    found = _play(Scripted(ALL_IN, END, *answers), 5)
    assert (found.hands, found.mbb) == (1, 200_000.0)
    assert found.failure is not None
    assert URL in found.failure


REAL: list[Answer] = [
    {
        "action": "b400c/kk/b200b400c/kk", "client_pos": 1, "hole_cards": ["7c", "2s"], "winnings": -800,
        "board": ["Th", "9c", "4s", "8c", "9d"], "bot_hole_cards": ["Qc", "Tc"], "baseline_winnings": -750,
    },
    {
        "action": "b200c/kb200c/b400f", "client_pos": 0, "hole_cards": ["Ac", "8d"], "winnings": 400,
        "board": ["Ks", "Ts", "4h", "6d"], "bot_hole_cards": ["Jc", "3s"], "baseline_winnings": 800,
    },
    {
        "action": "b200c/kk/kb200c/kk", "client_pos": 0, "hole_cards": ["Ad", "9s"], "winnings": -400,
        "board": ["Kc", "4c", "3s", "2s", "2d"], "bot_hole_cards": ["As", "Ts"],
    },
    {
        "action": "b200f", "client_pos": 0, "hole_cards": ["Td", "2c"], "winnings": -100, "board": [],
        "bot_hole_cards": ["8s", "8d"], "baseline_winnings": -500,
    },
]  # fmt: skip
"""Last answers of Slumbot's server, as clients have published them."""
TRUE: list[Answer] = [
    END | {"action": "b20000c///"},
    _without(END, "bot_hole_cards") | {"winnings": -20_000},
    _without(END, "bot_hole_cards") | {"winnings": 0, "baseline_winnings": -20_000},
    END | {"bot_hole_cards": ["Ah", "As"], "winnings": 0, "baseline_winnings": 20_000},
    FOLD | {"baseline_winnings": None},
    DEAL | {"client_pos": 1, "action": "f", "winnings": -50},
    DEAL | {"client_pos": 1, "action": "b250f", "winnings": 100.0},
]


@pytest.mark.parametrize("last", [*REAL, *TRUE])
def test_no_true_result_is_refused(last: Answer) -> None:
    """Of folds and showdowns in both seats, with hidden hands too."""
    hand = DealtHand(GAME, (_passive(0), _passive(1)), SLUMBOT, URL, random.Random(0))
    assert slumbot._settled(GAME, URL, last, slumbot._hear(hand, URL, last))[0] == last["winnings"]


@pytest.mark.parametrize(("asked", "answers"), FORGED)
def test_an_answer_that_fits_no_hand_is_refused_when_it_comes(asked: int, answers: list[Answer]) -> None:
    api = Scripted(*answers)
    with pytest.raises(InputError, match=URL):
        _play(api)
    assert api.asked == asked


def test_a_server_whose_line_stands_still_is_not_asked_for_ever() -> None:
    api = Scripted(DEAL, FLOP)
    with pytest.raises(InputError, match="changed the betting within a hand: 'b200c/' does not continue 'b200c/k'"):
        _play(api)
    assert api.asked == 3


def test_a_server_that_sends_the_client_nowhere_is_named() -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(302)
            self.send_header("Location", "http://[::1")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Tests print nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(InputError, match=f"{url}/new_hand redirects to what is no address"):
            SlumbotApi(url).deal_hand()
        thread.join()


def test_a_true_hand_is_played() -> None:
    """The control of all of the above."""
    found = _play(Scripted(ALL_IN, END))
    assert (found.hands, found.mbb, found.failure) == (1, 200_000.0, None)


LINE = json.dumps({"agent": "passive", "seat": 0} | END)
STRANGE = {
    "notes": "my only notes",
    "notes with a line break": "my only notes\n",
    "another agent's hand": '{"agent": "other", "winnings": 5}',
    "another agent's hand, cut short": '{"agent": "other", "winn',
    "notes below hands": f"{LINE}\nmy notes",
    "a result beyond floats": json.dumps({"agent": "passive", "winnings": HUGE}) + "\n",
    "a result that is a truth value": '{"agent": "passive", "winnings": true}\n',
    "a result beyond the stack": '{"agent": "passive", "winnings": 20001}\n',
    "a baseline beyond the stack": '{"agent": "passive", "winnings": 0, "baseline_winnings": -20001}\n',
}


@pytest.mark.parametrize("content", STRANGE.values(), ids=STRANGE.keys())
def test_a_file_that_is_not_the_log_is_left_alone(content: str, tmp_path: Path) -> None:
    log, api = tmp_path / "notes.jsonl", Scripted(ALL_IN, END)
    log.write_text(content)
    with pytest.raises(InputError, match=r"notes\.jsonl"):
        _play(api, 5, log)
    assert (log.read_text(), api.asked) == (content, 0)


@pytest.mark.parametrize(("rest", "kept"), [(LINE[:30], 1), (LINE[:5], 1), (LINE, 2)])
def test_a_last_line_that_was_cut_short_goes_when_a_hand_comes(rest: str, kept: int, tmp_path: Path) -> None:
    """Not before; and a hand that lacks only its line break is kept."""
    log = tmp_path / "hands.jsonl"
    log.write_text(f"{LINE}\n{rest}")
    with pytest.raises(InputError, match=URL):
        _play(Scripted({}), kept + 1, log)
    assert log.read_text() == f"{LINE}\n{rest}"
    assert _play(Scripted(ALL_IN, END), kept + 1, log).hands == kept + 1
    assert log.read_text() == f"{LINE}\n" * (kept + 1)


def test_a_log_that_cannot_be_written_is_named_after_the_hands_so_far(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    log = folder / "hands.jsonl"
    api = Scripted(ALL_IN, END, ALL_IN, END)
    found = play_slumbot(api, GAME, _passive, 5, log=log, name="passive", watch=lambda *_: shutil.rmtree(folder))
    assert (found.hands, found.mbb) == (2, 200_000.0)
    assert found.failure == f"cannot write {log}: No such file or directory"
