"""The command `review`: logs of hands read back, and what every decision in them cost."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL, InputError, agent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.measure.match import deal
from counterplay.measure.play_hand import Hand, MatchRecorder, play_hand
from counterplay.measure.running_result import played_hand
from counterplay.opponents.histories.hand_record import GameHand
from counterplay.opponents.histories.read_hands import read_hands

ACTIONS = ("Pass", "Bet")


def values_by_enumeration(rules: Any, seat: int) -> dict[str, dict[str, float]]:
    """Of each action at each infoset against uniform play, if the best of all pure strategies follows."""
    texts: dict[str, list[Any]] = {}
    waiting = [(rules.root(), 1.0)]
    while waiting:
        state, odds = waiting.pop()
        who = rules.player(state)
        if who == TERMINAL:
            continue
        if who == seat:
            texts.setdefault(rules.infoset(state, seat), []).append((state, odds))
        shares = rules.chance(state) if who == CHANCE else [1.0 if who == seat else 0.5] * len(rules.actions(state))
        waiting += [(rules.child(state, a), odds * p) for a, p in zip(rules.actions(state), shares, strict=True)]
    found: dict[str, dict[str, float]] = {text: {} for text in texts}
    for choices in product(ACTIONS, repeat=len(texts)):
        plan = dict(zip(texts, choices, strict=True))
        for text, here in texts.items():
            value = sum(odds * _follow(rules, state, seat, plan) for state, odds in here) / sum(p for _, p in here)
            found[text][plan[text]] = max(value, found[text].get(plan[text], -9.0))
    return found


def _follow(rules: Any, state: Any, seat: int, plan: dict[str, str]) -> float:
    who = rules.player(state)
    if who == TERMINAL:
        return float(rules.utility(state)) * (1 if seat == 0 else -1)
    moves = list(rules.actions(state))
    if who == seat:
        return _follow(rules, rules.child(state, moves[ACTIONS.index(plan[rules.infoset(state, seat)])]), seat, plan)
    shares = rules.chance(state) if who == CHANCE else [0.5, 0.5]
    return sum(p * _follow(rules, rules.child(state, a), seat, plan) for a, p in zip(moves, shares, strict=True))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hands of Kuhn poker of random:3 against uniform, in both seats."""
    path, rules = tmp_path_factory.mktemp("review") / "kuhn.jsonl", cp.load("kuhn").rules
    with MatchRecorder(path, "kuhn", rules, ("random:3", "uniform"), 4) as recorder:
        for number in range(20):
            seat = number % 2
            sides = agent("kuhn", "random:3", seat, 1), agent("kuhn", "uniform", 1 - seat, 2)
            recorder.keep(number, seat, play_hand(rules, sides if seat == 0 else sides[::-1], deal(4, number)))
    return path


def test_costs_are_those_of_the_enumerated_game(run, log: Path) -> None:
    told = json.loads(run("review", "kuhn", str(log), "--against", "uniform", "--json")[1])
    known = [values_by_enumeration(cp.load("kuhn").rules, seat) for seat in (0, 1)]
    assert [hand["line"] for hand in told["hands"]] == list(range(2, 22))
    assert told["player"] == "random:3"
    total, costs = 0.0, []
    for hand, kept in zip(told["hands"], read_hands([log]).hands, strict=True):
        seat = kept.players.index("random:3")
        for one in hand["decisions"]:
            values = known[seat][one["infoset"]]
            assert one["values"] == pytest.approx(values, abs=1e-9)
            assert one["cost"] == pytest.approx(max(values.values()) - values[one["action"]], abs=1e-9)
            costs.append(one["cost"])
        assert kept.won is not None
        total += kept.won if seat == 0 else -kept.won
        assert hand["won_so_far"] == pytest.approx(total)
    assert told["result"]["won"] == pytest.approx(total)
    assert told["result"]["cost"] == pytest.approx(sum(costs))
    assert sum(costs) > 1.0


def test_the_worst_hands_come_first(run, log: Path) -> None:
    everything = json.loads(run("review", "kuhn", str(log), "--against", "uniform", "--json")[1])["hands"]
    worst = json.loads(run("review", "kuhn", str(log), "--against", "uniform", "--worst", "3", "--json")[1])["hands"]
    by_cost = sorted((hand["cost"] for hand in everything if hand["cost"] is not None), reverse=True)
    assert [hand["cost"] for hand in worst] == by_cost[:3]
    out = run("review", "kuhn", str(log), "--against", "uniform", "--worst", "3")[1].splitlines()
    assert sum(line.startswith("line ") for line in out) == 3
    assert "random:3's decisions cost" in out[-1]


def test_a_person_s_log_has_the_costs_that_the_table_told(run, tmp_path: Path) -> None:
    path, hands = str(tmp_path / "mine.jsonl"), ("--against", "uniform")
    out = run("play", "kuhn", *hands, "--hands", "4", "--log", path, typed="be\n" * 8)[1]
    read = run("review", "kuhn", path, *hands)[1]
    costs = [line.strip() for line in out.splitlines() if ": cost" in line]
    assert costs
    assert costs == [line.strip() for line in read.splitlines() if ": cost" in line]


@pytest.mark.parametrize("spec", ["kuhn", "fhp", "holdem:deck=20,stack=10bb,bets=fcpa,last=turn"])
def test_a_hand_comes_back_as_it_was_played(spec: str, tmp_path: Path) -> None:
    ground = PlayableGame(spec)
    rules, made = ground.rules, (agent(ground, "uniform", 0), agent(ground, "uniform", 1))
    played: list[Hand] = []
    with MatchRecorder(tmp_path / "log.jsonl", spec, rules, ("a", "b"), 0) as recorder:
        for number in range(30):
            played.append(play_hand(rules, made, deal(9, number)))
            recorder.keep(number, 0, played[-1])
    for hand, kept in zip(played, read_hands([tmp_path / "log.jsonl"]).hands, strict=True):
        back = played_hand(rules, kept)
        assert (back.moves, back.decisions, back.house) == (hand.moves, hand.decisions, hand.house)
        assert back.utility == pytest.approx(hand.utility)


def test_hands_that_are_not_told_whole_are_refused() -> None:
    rules = cp.load("kuhn").rules
    moves = ((CHANCE, "Deal:0"), (CHANCE, "Deal:2"), (0, "Bet"), (1, "Pass"))
    assert played_hand(rules, GameHand("kuhn", ("a", "b"), moves, 1.0)).utility == 1.0
    for culprit, game, changed, won in (
        ("hidden", "kuhn", ((CHANCE, None), *moves[1:]), 1.0),
        ("hand of leduc", "leduc", moves, 1.0),
        ("before its end", "kuhn", moves[:-1], 1.0),
        ("rules say 1", "kuhn", moves, 2.0),
        ("no 'Fold'", "kuhn", (*moves[:-1], (1, "Fold")), 1.0),
    ):
        with pytest.raises(InputError, match=culprit):
            played_hand(rules, GameHand(game, ("a", "b"), changed, won))


def test_what_cannot_be_priced_is_refused(refused, log: Path) -> None:
    one = ("review", "kuhn", str(log), "--against")
    assert "one strategy in every hand" in refused(*one, "resolve:depth=1", "--player", "uniform")
    assert "one strategy in every hand" in refused(*one, "learn:gifts", "--player", "uniform")
    assert "'random:3', 'uniform'" in refused(*one, "nash")
    assert "no hand is of 'me'" in refused(*one, "uniform", "--player", "me")
    assert "hand of kuhn" in refused("review", "leduc", str(log), "--against", "uniform")
    assert "gone.jsonl" in refused("review", "kuhn", "gone.jsonl", "--against", "uniform")
