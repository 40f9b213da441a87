"""Public calls: texts wherever records are, and a sentence for arguments that a function does not take."""

from __future__ import annotations

import inspect
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
        (lambda game: cp.evaluate(game, 3), "an opponent must be a text, .*, not int"),
        (lambda _: cp.solve(3), "3 is not a game in memory: give a text such as 'leduc'"),
        (lambda game: cp.frontier(game, "uniform", "rnrr"), "did you mean 'rnr'"),
        (lambda _: AGENTS.parse("cdrnr:p,to=uniform"), "cdrnr: p must be a number, not 'p'"),
        (lambda _: METHOD.parse("cdbr:3"), "'3' is not key=value; the options of cdbr are depth"),
    ],
)  # fmt: skip
def test_wrong_calls_say_what_was_meant(kuhn: Any, call: Any, sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence):
        call(kuhn)
