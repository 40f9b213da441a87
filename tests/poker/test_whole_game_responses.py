"""Every method as a response in whole games of hold'em: the enumerated game and the agents are the second witnesses."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.blueprints.whole_game import as_strategy
from counterplay.poker.betting.rules import holdem
from counterplay.poker.whole_game.blueprints.blueprint_file import save
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import probabilities
from counterplay.poker.whole_game.walks.make_rule import RuleSettings
from counterplay.poker.whole_game.walks.response_on_flops import ALL, ResponseOnFlops, draw_flops
from counterplay.responses.matchup import Matchup
from counterplay.responses.whole_game import blueprint_of
from counterplay.work.work_record import ForeignRecordError
from counterplay_papers.listed_hands import EIGHT, METHODS, eight_cards, enumerated
from tests.support.commands import Runner
from tests.support.whole_games import decisions

SEAT, OTHER = 1, 0
STOP = cp.Stop(iterations=12)
OWN = "portfolio:blueprint;bias:all-in=3:blueprint"
ASKED: dict[str, dict[str, Any]] = {
    "cdbr": {"depth": 1},
    "cdbr:depth=1,leaf=portfolio:passive": {},
    "cdbr-ne": {"depth": 1, "p": 0.5},
    "lbr": {},
    "abd": {"depth": 1, "p": 1.0, "leaf": "portfolio:passive;uniform"},
    "cdrnr": {"depth": "round", "p": 0.5, "gadget": "resolving"},
    "resolve": {"depth": "round"},
    "ses": {"depth": "round", "alpha": 0.5},
    "abd:p=0.5,depth=round,gadget=full": {"leaf": None},
}


@cache
def rules(last: str) -> Holdem:
    return Holdem(holdem(4, blinds=(1, 2), last=last), "a", EIGHT, "toy")


@cache
def listed() -> Any:
    return cp.load(rules("flop"), say=lambda _: None)


@cache
def model(last: str) -> Any:
    return cp.opponent(rules(last), "noise:0.5:passive", player=OTHER)


@pytest.mark.parametrize("name", METHODS[1:])
def test_responses_by_walks_are_those_of_the_listed_game(name: str) -> None:
    """As strategies, which the listed game measures: look-ahead of a street, local best response."""
    hands = eight_cards()
    draw, asked = (
        draw_flops(hands.game.boards, ALL),
        ResponseOnFlops(hands.game, hands.player, hands.play, RuleSettings(name)),
    )
    play = asked.strategy(draw, {flop: asked.on(flop) for flop in draw.numbers})
    mine = enumerated(hands.tree, hands.rules, hands.game, play, hands.player)
    assert Matchup(hands.tree, hands.model).value_against_model(mine.plan) == pytest.approx(
        hands.in_full(name), abs=1e-9
    )


@pytest.mark.parametrize("method", ASKED)
def test_value_and_risk_are_those_that_the_listed_game_measures(method: str) -> None:
    question, options = rules("flop"), dict(ASKED[method])
    if method.startswith("abd:"):
        method, options = f"{method},leaf={OWN}", {}
    told: list[int] = []
    together = "gadget=full" in method
    hear = {"progress": lambda n, _: told.append(n), "keep": True}
    answer = cp.respond(question, model("flop"), method, stop=STOP, **hear, **options)
    assert told == (list(range(1, STOP.iterations + 1)) if together else [])
    tree, here = listed(), question.game
    match = Matchup(tree, enumerated(tree, question, here, model("flop").play, OTHER))
    plan = enumerated(tree, question, here, answer.strategy.play, SEAT).plan
    assert answer.value_against_model == pytest.approx(match.value_against_model(plan), abs=1e-5)
    assert answer.risk is not None
    base = enumerated(tree, question, here, blueprint_of(question).play, SEAT).plan
    assert match.guarantee(base) - answer.risk == pytest.approx(match.guarantee(plan), abs=1e-5)
    assert answer.edge == pytest.approx(match.value_against_model(plan) - match.value_against_model(base), abs=1e-5)
    assert answer.exploitability >= match.exploitability(plan) - 1e-5, "an upper bound"


@pytest.mark.parametrize("text", ["cdbr", "resolve:gadget=full"])
def test_a_look_ahead_without_a_depth_sees_to_the_end_of_the_street(text: str) -> None:
    given = f"{text}{',' if ':' in text else ':'}depth=round"
    usual, asked = (cp.respond(rules("flop"), model("flop"), one, stop=STOP) for one in (text, given))
    assert usual.depth == asked.depth == "round"
    assert (usual.edge, usual.risk) == (asked.edge, asked.risk)


@pytest.mark.parametrize("gadget", [pytest.param("resolving", marks=pytest.mark.slow), "max-margin"])
def test_a_search_of_every_board_is_what_the_agent_plays(gadget: str, tmp_path: Path) -> None:
    """On the flop, and on the turn, which the agent solves again when it is dealt."""
    question, blue = rules("turn"), tmp_path / "blue.cpb"
    save(blue, question.game, blueprint_of(question))
    look = cp.LookAhead(gadget=gadget)
    answer = cp.respond(question, model("turn"), cp.CDRNR(0.4, look), stop=STOP, keep=True)
    text = f"cdrnr:p=0.4,gadget={gadget},iterations={STOP.iterations},blueprint={blue},to=noise:0.5:passive"
    agent, streets = cp.agent(question, text, SEAT), set()
    for infoset in decisions(question, SEAT, 2, 12):
        seen = question.read(infoset, SEAT)
        rows = probabilities(question.game, answer.strategy.play, seen.node, seen.board)
        played = rows[:, question.game.deck.hand(*seen.hand)]
        np.testing.assert_allclose(played, list(agent.policy(infoset).values()), atol=1e-5)
        streets.add(len(seen.board))
    assert streets == {0, 3, 4}


def test_boards_are_kept_in_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question, record = rules("flop"), tmp_path / "a.work"
    method = cp.SES(0.5)
    first = cp.respond(question, model("flop"), method, stop=STOP, record=record)
    with pytest.raises(ForeignRecordError):
        cp.respond(question, model("flop"), cp.SES(0.25), stop=STOP, record=record)
    monkeypatch.setattr(as_strategy, "resolve_subtree", None)
    again = cp.respond(question, model("flop"), method, stop=STOP, record=record)
    assert (again.edge, again.risk) == (first.edge, first.risk)


@pytest.mark.slow
def test_processes_change_no_bit() -> None:
    one, two = (cp.respond(rules("flop"), model("flop"), cp.SES(0.5), stop=STOP, workers=n) for n in (1, 2))
    assert (one.edge, one.risk) == (two.edge, two.risk)


@pytest.mark.parametrize(
    ("game", "method", "options", "culprit"),
    [
        ("turn", f"abd:p=0.5,leaf={OWN}", {}, "where the flop is the last street"),
        ("turn", cp.CDRNR(0.5, cp.LookAhead(depth=2)), {}, "'round' or 'game', not 2"),
        ("turn", cp.CDBR(cp.LookAhead(depth="game")), {}, "sees a number of streets"),
        ("turn", cp.BR(), {"record": Path("a.work")}, "takes no record or workers"),
        ("turn", cp.Resolve(), {"workers": 0}, "number of workers"),
        ("full", cp.CDRNR(0.5), {}, r"[\d,]+ public states of .*; the agent cdrnr solves those that come"),
        ("full", cp.CDBR(), {}, "give --flops"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(game: str, method: Any, options: Any, culprit: str) -> None:
    question = cp.load("holdem:stack=200bb,bets=fcpa") if game == "full" else rules(game)
    with pytest.raises(InputError, match=culprit):
        cp.respond(question, cp.opponent(question, "uniform", player=OTHER), method, stop=STOP, **options)


def test_a_response_is_computed_saved_and_measured_at_the_command_line(run: Runner, tmp_path: Path) -> None:
    toy, path = "holdem:deck=12,stack=2bb,bets=a,last=flop", tmp_path / "counter.cpb"
    record = str(tmp_path / "a.work")
    asked = ["respond", toy, "--to", "noise:0.5:passive", "--method", "ses:alpha=0.5", "--record", record]
    ended = run(*asked, "-o", str(path), "--seconds", "0.02", "--keep")
    assert ended.code == 0, ended.err
    assert "public states" in ended.err
    told = run("evaluate", toy, str(path), "--against", "noise:0.5:passive", "--json").json
    assert f"{told['edge']:.4g}" in ended.out
    assert not re.search(r"\bgain", ended.out)
    assert run("respond", "kuhn", "--to", "uniform", "--record", record).code == 2
