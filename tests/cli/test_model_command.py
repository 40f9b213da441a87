"""The way from a log of a match to a model, its test on other hands, and a response."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay.opponents.counts import counts_of_player
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.model import MODELS
from tests.support.commands import Runner


@pytest.fixture
def logs(run: Runner) -> tuple[str, str]:
    """Two logs of Kuhn poker: an equilibrium against `random:6`, a weak player."""
    for seed in (1, 2):
        run("match", "kuhn", "nash", "random:6", "--hands", "400", "--seed", str(seed), "--log", f"{seed}.jsonl")
    return "1.jsonl", "2.jsonl"


def test_a_model_from_hands_predicts_others_and_is_answered(run: Runner, logs: tuple[str, str]) -> None:
    made = run(
        "model", "kuhn", "--hands", logs[0], "--player", "random:6", "--prior", "uniform", "--reveal", "showdown",
        "-o", "villain.cps", "--json",
    ).json  # fmt: skip
    assert made["hands"] == 200
    assert made["coverage"]["seen"] > 0.5
    assert made["held_out"]["model"]["low"] < made["held_out"]["model"]["mean"] < made["held_out"]["model"]["high"]
    found = run("evaluate", "kuhn", "villain.cps", "--hands", logs[1], "--player", "random:6", "--json").json
    scores = {name: found["prediction"][name]["mean"] for name in ("model", "prior", "uniform")}
    assert scores["model"] > max(scores["prior"], scores["uniform"])
    answer = run("respond", "kuhn", "--to", "villain.cps", "--method", "dbr", "--p", "0.9", "--json").json
    assert answer["gain"] > 0.0
    kept = cp.opponent(cp.load("kuhn"), "villain.cps", player=1)
    assert kept.counts is not None
    assert kept.counts.sum() > 50


def test_a_text_names_the_model_wherever_an_opponent_stands(
    run: Runner, logs: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    text = f"hands:{logs[0]},player=random:6,prior=uniform,weight=5,reveal=showdown"
    model = cp.opponent(cp.load("kuhn"), text, player=1)
    counts = counts_of_player(cp.load("kuhn"), 1, read_hands(logs[:1]).others, "random:6", "showdown")
    assert np.array_equal(model.behaviour, counts.strategy("uniform", 5).behaviour)
    assert "random:6: 200 hands in seat 1; not counted: 200 hands not in seat 1" in caplog.text
    assert str(MODELS.parse(text)) == text
    assert run("respond", "kuhn", "--to", text, "--p", "0.5").code == 0
    assert run("match", "kuhn", f"rnr:p=0.5,to={text}", "random:6", "--hands", "10").code == 0
    assert "there are no hands of 'x'" in run("respond", "kuhn", "--to", f"hands:{logs[0]},player=x").err


def test_a_player_may_have_any_name(run: Runner, logs: tuple[str, str]) -> None:
    """Here one with a bracket, a comma, and a quote: quoted in a text, also within the text of an agent."""
    name = 'a]b, "c'
    log = Path(logs[0])
    log.write_text(log.read_text().replace('"random:6"', json.dumps(name)))
    model = cp.HandsModel(logs[0], player=name, prior=cp.Uniform())
    text = f'hands:{logs[0]},player="a]b, \\"c",prior=uniform'
    assert str(model) == text
    game = cp.load("kuhn")
    assert np.array_equal(cp.opponent(game, text).behaviour, cp.opponent(game, model).behaviour)
    told = run("respond", "kuhn", "--to", text, "--p", "0.5", "--json")
    assert told.code == 0, told.err
    nested = cp.HandsModel(logs[0], player=name, prior=model)
    assert run("match", "kuhn", f"rnr:p=0.5,to={nested}", "nash", "--hands", "10").code == 0


def test_a_quantal_response_is_made_from_the_shell_too(run: Runner) -> None:
    """By command and text alike, and as a prior of another model."""
    run("match", "kuhn", "nash", "logit:2:nash", "--hands", "400", "--log", "3.jsonl")
    words = ("--hands", "3.jsonl", "--player", "logit:2:nash", "--by", "logit")
    made = run("model", "kuhn", *words, "-o", "villain.cps", "--json").json
    assert 1.0 < made["precision"] < 4.0
    scores = made["held_out"]
    assert scores["model"]["mean"] > max(scores["prior"]["mean"], scores["uniform"]["mean"])
    text = "hands:3.jsonl,player=logit:2:nash,by=logit"
    found, kept = (cp.opponent(cp.load("kuhn"), one, player=1) for one in (text, "villain.cps"))
    assert np.array_equal(found.behaviour, kept.behaviour)
    assert found.counts is not None
    assert found.counts.sum() > 50
    assert run("respond", "kuhn", "--to", f"hands:3.jsonl,player=logit:2:nash,prior=[{text}]", "--p", "0.5").code == 0
    assert "no weight of a prior" in run("respond", "kuhn", "--to", f"{text},weight=3").err


def test_the_command_shows_the_test_on_hands_left_out_and_what_is_not_known(run: Runner, logs: tuple[str, str]) -> None:
    words = ["--hands", logs[0], "--hands", logs[1], "--player", "random:6", "--coverage"]
    shown = run("model", "kuhn", *words, "--by", "convex").out
    assert "left out of a first fit" in shown
    assert "gap" in shown
    assert "Of the opponent's decisions" in shown


@pytest.mark.parametrize(
    ("words", "culprit"),
    [
        (("--player", "nobody"), "there are no hands of 'nobody'"),
        (("--player", "random:6", "--by", "magic"), "made by em, convex, frequencies or logit, not 'magic'"),
        (("--player", "random:6", "--by", "logit", "--weight", "3"), "no --weight of a prior"),
        (("--player", "random:6", "--weight", "heavy"), "a number of at least 0, not 'heavy'"),
        (("--player", "random:6", "--reveal", "some"), "revealed is all, showdown, none, not 'some'"),
        (("--player", "random:6", "-o", "villain.txt"), "must end in"),
    ],
)
def test_bad_input_is_named(run: Runner, logs: tuple[str, str], words: tuple[str, ...], culprit: str) -> None:
    ended = run("model", "kuhn", "--hands", logs[0], *words)
    assert ended.code == 2
    assert culprit in ended.err


def test_hands_of_holdem_make_no_model_of_a_game_in_memory(run: Runner) -> None:
    hands = str(Path(__file__).parents[2] / "examples" / "hands" / "heads_up.phhs")
    said = "the hands of 'everyone' are of hold'em"
    assert said in run("model", "kuhn", "--hands", hands, "--player", "everyone").err
    assert said in run("respond", "kuhn", "--to", f"hands:{hands},player=everyone").err


def test_only_hands_of_holdem_are_written_and_others_are_told(run: Runner, logs: tuple[str, str]) -> None:
    refused = run("hands", logs[0], "-o", "all.phhs")
    assert (refused.code, "the files have no hands of hold'em" in refused.err) == (2, True)
    assert not Path("all.phhs").exists()
    assert "one of the files that are read" in run("hands", logs[0], "-o", f"./{logs[0]}").err
    hands = str(Path(__file__).parents[2] / "examples" / "hands" / "heads_up.phhs")
    written = run("hands", logs[0], hands, "-o", "all.phhs")
    assert (written.code, "not written: 400 hands of other games than hold'em" in written.err) == (0, True)
    assert run("hands", "all.phhs", "--json").json["hands"] == 212


def test_hands_of_another_game_or_impossible_ones_are_named_by_their_line(run: Runner, logs: tuple[str, str]) -> None:
    other = run("model", "leduc", "--hands", logs[0], "--player", "random:6")
    assert "1.jsonl:2: this is a hand of 'kuhn', and one of leduc is needed" in other.err
    rows = Path(logs[0]).read_text().splitlines()
    wrong = json.loads(rows[1])
    wrong["moves"][2][1] = "Fly"
    Path("wrong.jsonl").write_text("\n".join([rows[0], json.dumps(wrong), *rows[2:]]))
    assert (
        "wrong.jsonl:2: no hand of kuhn has 'Fly'"
        in run("model", "kuhn", "--hands", "wrong.jsonl", "--player", "random:6").err
    )
    assert "--hands and --player go together" in run("evaluate", "kuhn", "nash", "--player", "x").err


def test_a_response_is_measured_over_the_posterior(run: Runner, logs: tuple[str, str]) -> None:
    """Where all is shown the posterior is known: a Dirichlet distribution at each infoset, here drawn by hand. The opponent
    in Kuhn poker acts once in a hand, so that the mean gain is the gain from the mean strategy, which is the model."""
    text = f"hands:{logs[0]},player=random:6,prior=uniform,weight=5,reveal=all"
    words = ["respond", "kuhn", "--to", text, "--p", "0.7", "--seed", "3", "--posterior"]
    found = run(*words, "150", "-o", "answer.json", "--json").json
    over = found["posterior"]
    assert (over["samples"], over["spread_share"]) == (150, 0.95)
    assert over["note"] == "spread over the posterior, not a confidence interval"
    game = cp.load("kuhn")
    model, answer = cp.opponent(game, text, player=1), cp.opponent(game, "answer.json", player=0)
    assert model.counts is not None
    tree, draw = model.tree, np.random.default_rng(5)
    inner = tree.owner >= 0
    parameters = model.behaviour[inner] * (model.counts[tree.owner[inner]] + 5.0)  # n + w p
    gains = []
    for _ in range(2000):
        behaviour, drawn = model.behaviour.copy(), draw.standard_gamma(parameters)
        behaviour[inner] = drawn / np.bincount(tree.owner[inner], drawn)[tree.owner[inner]]
        gains.append(game.payoff.value(answer.plan, cp.Strategy(tree, behaviour).plan) - found["game_value"])
    error = np.std(gains)
    assert abs(over["mean"] - found["gain"]) < 4 * error / np.sqrt(150)
    assert abs(np.mean(gains) - found["gain"]) < 4 * error / np.sqrt(2000)
    for end, share in (("spread_low", 0.025), ("spread_high", 0.975)):
        assert abs(over[end] - np.quantile(gains, share)) < 0.5 * error
    said = run(*words, "5").out
    assert "Over 5 strategies that the hands and the prior allow it gains" in said
    assert "spread over the posterior, not a confidence interval" in said
    assert "in 95 %" not in said
    assert "exploitability" in said


@pytest.mark.parametrize(
    ("words", "culprit"),
    [
        (("--to", "uniform", "--posterior", "9"), "--posterior needs --to hands:FILE,player=NAME, not 'uniform'"),
        (("--to", "HANDS", "--posterior", "1"), "from 2 to 100,000 samples, not 1"),
        (("--to", "HANDS,by=convex", "--posterior", "9"), "needs the prior of by=em, not by=convex"),
        (("--to", "HANDS,weight=0", "--posterior", "9"), "needs a prior with a weight above 0"),
    ],
)
def test_a_posterior_that_cannot_be_is_named(
    run: Runner, logs: tuple[str, str], words: tuple[str, ...], culprit: str
) -> None:
    hands = f"hands:{logs[0]},player=random:6,prior=uniform"
    ended = run("respond", "kuhn", *(word.replace("HANDS", hands) for word in words), "-o", "answer.json")
    assert (ended.code, culprit in ended.err) == (2, True)
    assert not Path("answer.json").exists()
