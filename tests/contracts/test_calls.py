"""Public calls: texts wherever records are, and a sentence for arguments that a function does not take."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay.agents.records import AGENTS
from counterplay.responses.method import METHOD
from counterplay.texts.arguments import Checked

CALLS = [name for name in cp.__all__ if inspect.isfunction(getattr(cp, name)) or type(getattr(cp, name)) is Checked]
"""Functions, and the records that users construct."""


@pytest.mark.parametrize("name", CALLS)
def test_unknown_keyword_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(cp.InputError) as error:
        getattr(cp, name)(an_unknown_word=1)
    assert isinstance(error.value, TypeError)
    assert "an_unknown_word" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.fixture(scope="module")
def kuhn() -> Any:
    return cp.load("kuhn")


def test_a_text_is_as_good_as_what_it_names(kuhn: Any) -> None:
    model = cp.opponent(kuhn, "cfr+:10")
    plain = cp.respond(kuhn, model, cp.RNR(0.4))
    for game, opponent, method in (
        ("kuhn", "cfr+:10", "rnr:0.4"),
        (kuhn, model, "rnr:p=0.4"),
        (kuhn, "cfr+:10", cp.RNR(0.4)),
    ):
        answer = cp.respond(game, opponent, method)
        assert (answer.gain, answer.exploitability) == (plain.gain, plain.exploitability)
    assert cp.solve("kuhn").value == cp.solve(kuhn).value
    assert cp.evaluate("kuhn", "uniform") == cp.evaluate(kuhn, cp.opponent(kuhn, "uniform", player=0))
    assert [point.facts | {"seconds": 0} for point in cp.frontier("kuhn", "cfr+:10", "rnr", points=3)] == [
        point.facts | {"seconds": 0} for point in cp.frontier(kuhn, model, [cp.RNR()], points=3)
    ]


def test_player_of_a_text(kuhn: Any) -> None:
    second = cp.respond(kuhn, "uniform", player=1)
    assert second.strategy.player == 1
    assert second.gain == cp.respond(kuhn, cp.opponent(kuhn, "uniform", player=0)).gain
    assert cp.evaluate(kuhn, "uniform", "nash", player=1).seat == 1
    with pytest.raises(cp.InputError, match="of player 0, and one of player 1"):
        cp.respond(kuhn, cp.opponent(kuhn, "uniform", player=0), player=0)


def test_a_result_with_both_strategies_is_an_opponent(kuhn: Any) -> None:
    solved = cp.solve(kuhn)
    assert cp.respond(kuhn, solved).gain == pytest.approx(0.0, abs=1e-9)
    assert cp.evaluate(kuhn, solved, solved).nash_conv == pytest.approx(0.0, abs=1e-9)
    assert cp.opponent(kuhn, solved, player=0) is solved.strategies[0]
    answer = cp.respond(kuhn, "uniform")
    assert cp.opponent(kuhn, answer, player=0) is answer.strategy
    assert cp.evaluate(kuhn, answer, "uniform").gain == pytest.approx(answer.gain)
    with pytest.raises(cp.InputError, match=r"an opponent must be .*, not MatchResult"):
        cp.opponent(kuhn, cp.match(kuhn, "uniform", "uniform", hands=2))


def test_sides_of_a_match_are_texts_strategies_results_or_functions(kuhn: Any) -> None:
    made = cp.match(
        kuhn, *(lambda seat, side=side: cp.agent(kuhn, "uniform", seat, 3, side) for side in (0, 1)), 40, seed=3
    )
    assert cp.match("kuhn", "uniform", cp.Uniform(), hands=40, seed=3).mean == made.mean
    one_seat = cp.match(kuhn, cp.opponent(kuhn, "nash", player=1), cp.solve(kuhn), hands=10)
    assert (one_seat.seat, one_seat.hands) == (1, 10)


@pytest.mark.parametrize("text", ["rnr:0.4", "safe:1%", "mix:0.25", "ses:0.3,depth=1", "cdrnr:0.5,depth=1", "dbr:0.5"])
def test_positional_fields_of_a_method(text: str) -> None:
    method = METHOD.parse(text)
    assert METHOD.parse(str(method)) == method
    assert AGENTS.parse(f"{text},to=uniform") == AGENTS.parse(f"{method},to=uniform")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda game: cp.respond(game, "uniform", cp.RNR), r"RNR is a kind of method; .* such as RNR\(p=0.5\)"),
        (lambda game: cp.respond(game, "uniform", epsilon=0.1), "br, which is assumed .* takes no epsilon; .*cdrnr.* do"),
        (lambda _: cp.CDRNR(look={"depth": 1}), r"look must be a LookAhead, as LookAhead\(depth=1\) is, not dict"),
        (lambda game: cp.solve(game, iterations=100), r"part of stop, as in stop=Stop\(iterations=...\)"),
        (lambda game: cp.respond(game, "uniform", "rnr:0.4", iterations=3), r"as in stop=Stop\(iterations=...\)"),
        (lambda game: cp.agent(game, "nash"), r"agent needs player, as in agent\(game, source, player\)"),
        (lambda _: cp.Stop(1, 2, 3, 4), r"Stop takes 3 \(exploitability, iterations, seconds\) without a name, and 4"),
        (lambda _: cp.RNR(0.3, p=0.4), "RNR: p is given twice"),
        (lambda _: cp.Spot(board="2c 3d 4h"), "Spot needs oop, ip, pot and stack, as in Spot"),
        (lambda game: cp.evaluate(game, 3), "an opponent must be a text, .*, not 3"),
        (lambda _: cp.solve(3), "3 is not a game in memory: give a text such as 'leduc'"),
        (lambda game: cp.frontier(game, "uniform", "rnrr"), "did you mean 'rnr'"),
        (lambda _: AGENTS.parse("cdrnr:p,to=uniform"), "cdrnr: p must be a number, not 'p'"),
        (lambda _: METHOD.parse("cdbr:3"), "'3' is not key=value; the options of cdbr are depth"),
    ],
)  # fmt: skip
def test_wrong_calls_say_what_was_meant(kuhn: Any, call: Any, sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence):
        call(kuhn)


@pytest.mark.parametrize("ending", [".json", ".cps"])
def test_a_strategy_is_read_to_the_last_bit(kuhn: Any, tmp_path: Path, ending: str) -> None:
    for text in ("cfr+:10", "random:3", "noise:0.2:nash"):
        strategy = cp.opponent(kuhn, text, player=1)
        strategy.save(tmp_path / f"s{ending}")
        assert cp.opponent(kuhn, tmp_path / f"s{ending}", player=1) == strategy


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda game: cp.opponent(game, cp.Nash), r"Nash is a kind of opponent; .* as Nash\(\)"),
        (lambda game: cp.match(game, cp.Nash, "uniform", 4), "an agent must be .*, not the class Nash"),
        (lambda _: cp.LookAhead(leaf=cp.Rollouts), r"Rollouts is a kind of value function; .* its text rollout:"),
        (lambda game: cp.respond(game, "uniform", seat=1), "respond has no option 'seat'; did you mean 'player'"),
        (lambda game: cp.frontier(game, "uniform", method="rnr"), "did you mean 'methods'"),
        (lambda game: cp.solve(game, method="cfr+"), "did you mean 'solver'"),
        (lambda game: cp.evaluate(game, "nash", model="uniform"), "did you mean 'against'"),
        (lambda game: cp.misread(game, "uniform"), "two or more models, in a list"),
        (lambda _: cp.Stop(iterations=1.5), "iterations must be a whole number, not 1.5"),
        (lambda _: cp.Safe([0.1]), "number of chips, or a text such as '1%', not list"),
        (lambda game: cp.opponent(game, "uniform").save("x.npy"), "must end in .json or .cps"),
        (lambda _: cp.load("kuhn", memory="1GB"), "load: memory must be a number, not '1GB'"),
    ],
)  # fmt: skip
def test_slips_of_a_newcomer(kuhn: Any, call: Any, sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence):
        call(kuhn)


def test_a_text_is_a_method_of_an_agent_and_one_method_of_misread(kuhn: Any) -> None:
    assert cp.ResponseBot("rnr:0.5", "uniform") == cp.ResponseBot(cp.RNR(0.5), cp.Uniform())
    found = cp.misread(kuhn, ["uniform", "nash"], "br")
    assert repr(found) == "<Misreadings 2 responses to uniform, nash>"
    assert "if nash" in found._repr_html_()
