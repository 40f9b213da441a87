"""A person at the terminal: what they see, type and mean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay import Agent
from counterplay.agents.agent import UniformAgent
from counterplay.agents.human import HumanAgent, QuitError, parse_choice
from counterplay.measure.match import deal
from counterplay.measure.play_hand import play_hand
from tests.support.commands import Runner
from tests.support.games import Coin


def test_a_person_plays_and_sees_everything_afterwards(run) -> None:
    code, out, err = run("play", "kuhn", "--against", "uniform", "--hands", "2", typed="be\n" * 2 + "1\n" * 4)
    assert (code, err) == (0, "")
    assert out.count("actions: 1 Pass  2 Bet") >= 2
    assert out.count("chance Deal:") == 4
    assert "you Bet; agent" in out
    assert "2 hands, " in out.splitlines()[-1]


def test_chips_add_up_in_both_seats(run) -> None:
    for seat in ("0", "1"):
        out = run("play", "leduc", "--against", "nash", "--seat", seat, "--hands", "5", typed="Call\n" * 40)[1]
        won = [float(line.split()[2]) for line in out.splitlines() if line.startswith("you win")]
        assert len(won) == 5
        assert out.splitlines()[-1] == f"5 hands, {sum(won):+g} chips in all"


@pytest.mark.parametrize("typed", ["q\n", "", "h\n", "zzz\n"])
def test_quitting_and_the_end_of_the_input(run, typed: str) -> None:
    code, out, err = run("play", "kuhn", "--against", "uniform", typed=typed)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "0 hands, +0 chips in all"


def test_garbage_is_answered_and_asked_again(run) -> None:
    typed = b"\xff\xfe\x00\n\n7\n-1\n\x1b[31m\n" + b"9" * 5000 + b"\n?\nPASS\nq\n"
    code, out, err = run("play", "kuhn", "--against", "uniform", typed=typed)
    assert (code, err) == (0, "")
    assert out.count("is not one of the actions") == 6
    assert "uniform has no belief to show" in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) < 120


def test_what_a_person_means() -> None:
    moves = ["Fold", "Call", "Raise", "Raise all"]
    wanted = {
        "1": "Fold",
        "4": "Raise all",
        "f": "Fold",
        "RAISE": "Raise",
        "Raise all": "Raise all",
        "raise a": "Raise all",
    }
    assert {word: parse_choice(word, moves) for word in wanted} == wanted
    assert [parse_choice(word, moves) for word in ("0", "5", "ra", "", "x", "²")] == [None] * 6
    assert [parse_choice(word, ["13", "5", "1"]) for word in ("1", "5", "2", "13")] == ["1", "5", None, "13"]


class Believer(UniformAgent):
    """Thinks the likelier of a card the higher it is."""

    def belief(self, observation: str) -> dict[str, float]:
        if "r" in observation:
            raise cp.InputError("too late to think")
        return {f"card {i}": i / 78.0 for i in range(1, 13)}


def answers(rules: Any, other: Agent, *words: str) -> list[str]:
    """What a person in seat 0 of Leduc is shown while typing these words, until they end."""
    shown: list[str] = []
    typed = iter(words)

    def read() -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    person = HumanAgent(rules, 0, other, read, shown.append)
    with pytest.raises(QuitError):
        play_hand(rules, (person, other), deal(0, 0))
    return shown


def test_beliefs_are_shown_likeliest_first(leduc) -> None:
    lines = next(text for text in answers(leduc.rules, Believer(1, 1), "?") if "%" in text).splitlines()
    assert lines[0] == " 15.4 %  card 12"
    assert len(lines) == 11
    assert lines[-1] == "and 2 more"


def test_beliefs_that_fail_are_one_line(leduc) -> None:
    class Raiser(Believer):
        def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
            return "Raise"

    assert answers(leduc.rules, Raiser(1, 1), "call", "?")[-1] == "not known here: too late to think"
    assert "does not define" in answers(Coin(), Believer(1, 1), "?")[-1]


def test_the_public_text_is_shown_where_there_is_one() -> None:
    class Public(Coin):
        def public(self, state: tuple) -> str:
            return f"{len(state)} toss"

    assert answers(Public(), UniformAgent(1, 1)) == ["guess", "public: 1 toss", "actions: 1 heads  2 tails"]


def test_a_person_with_nothing_to_decide_is_asked_to_go_on(run, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "tossed.py").write_text(
        "import counterplay as cp\n\n\nclass Toss:\n    name = 'toss'\n"
        "    def root(self): return 0\n"
        "    def player(self, state): return 0 if state == 0 else cp.TERMINAL\n"
        "    def actions(self, state): return ['on']\n"
        "    def chance(self, state): return []\n"
        "    def child(self, state, action): return 1\n"
        "    def infoset(self, state, player): return 'x'\n"
        "    def utility(self, state): return 2.0\n"
    )
    monkeypatch.delitem(sys.modules, "tossed", raising=False)
    code, out, _ = run("play", "tossed:Toss", "--against", "uniform", "--seat", "1", typed="\n\nq\n")
    assert code == 0
    assert out.splitlines()[-1] == "3 hands, -6 chips in all"
    assert out.count("nothing to decide") == 3


@pytest.mark.parametrize(
    ("hands", "last"),
    [(1, "1 hand, -2 chips in all, -1 bb a hand"), (100, "100 hands, -200 chips in all, -1 bb a hand, -100 bb/100")],
)
def test_bb_per_100_are_told_of_as_many_hands(
    hands: int, last: str, run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blinds.py").write_text(
        "import counterplay as cp\nfrom counterplay.poker.betting.stakes import Stakes\n\n\n"
        "class Blinds:\n    name = 'blinds'\n"
        "    stakes = Stakes(big_blind=2.0)\n"
        "    def root(self): return 0\n"
        "    def player(self, state): return 0 if state == 0 else cp.TERMINAL\n"
        "    def actions(self, state): return ['on']\n"
        "    def chance(self, state): return []\n"
        "    def child(self, state, action): return 1\n"
        "    def infoset(self, state, player): return 'x'\n"
        "    def utility(self, state): return 2.0\n"
    )
    monkeypatch.delitem(sys.modules, "blinds", raising=False)
    words = ("play", "blinds:Blinds", "--against", "uniform", "--seat", "1", "--hands", str(hands))
    assert run(*words, typed="\n" * hands).out.splitlines()[-1] == last


@pytest.mark.parametrize("command", ["match", "play"])
def test_help_shows_an_example(command: str, helped: Callable[..., str]) -> None:
    shown = helped(command)
    assert f"Example: counterplay {command}" in shown
    assert "--seed" in shown
