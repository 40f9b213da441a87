"""Posteriors of models from hands, what they do not know, and what a wrong model costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.opponents.counting.estimate import expectation_maximisation
from counterplay.opponents.counting.terminal_infosets import TerminalInfosets
from tests.support.commands import Runner


def seen_hands(game: cp.GameTree, truth: cp.Strategy, reveal: str, hands: int) -> cp.Counts:
    sight = TerminalInfosets(game, 1 - truth.player, reveal)
    own = cp.Strategy.uniform(game.trees[1 - truth.player]).plan
    odds = game.histories.reach[sight.ends] * own[game.sequences[1 - truth.player][sight.ends]]
    odds *= truth.plan[game.sequences[truth.player][sight.ends]]
    counts = cp.Counts(game, truth.player)
    counts.see_sampled(sight, np.random.default_rng(1).multinomial(hands, odds / odds.sum()))
    return counts


def test_draws_from_the_posterior_have_the_moments_of_its_dirichlet_distributions(kuhn: cp.GameTree) -> None:
    """Where all is shown the posterior is known: means (n + w p) / (N + w), variances m (1 - m) / (N + w + 1)."""
    truth = cp.opponent(kuhn, "random:3", player=1)
    counts = seen_hands(kuhn, truth, "all", 60)
    model, drawn = counts.strategy("uniform", 5), counts.posterior(600, "uniform", 5, sweeps=2, seed=4)
    inner = truth.tree.owner >= 0
    behaviours = np.array([one.behaviour for one in drawn.samples])[:, inner]
    mean = model.behaviour[inner]
    assert model.counts is not None
    spread = mean * (1 - mean) / (model.counts[truth.tree.owner[inner]] + 5 + 1)
    assert np.abs(behaviours.mean(0) - mean).max() < 4 * np.sqrt(spread.max() / 600)
    assert np.allclose(behaviours.var(0), spread, rtol=0.3)


def test_em_ends_at_the_mode_of_dirichlet_priors_whose_parameters_are_1_more_than_those_drawn_from(
    kuhn: cp.GameTree,
) -> None:
    """No strategy nearby has a larger density where cards are hidden; and where all is shown the mode under 1 + w p is the
    mean under w p, as the test before this one has it.
    """
    weight, draw = 5.0, np.random.default_rng(2)
    data = seen_hands(kuhn, cp.opponent(kuhn, "random:3", player=1), "none", 300).observations
    prior = np.where(data.tree.owner >= 0, data.tree.uniform(), 1.0)
    inner = np.flatnonzero(data.tree.owner >= 0)

    def density(behaviour: np.ndarray) -> float:
        seen = data.log_likelihood(cp.Strategy(data.tree, behaviour).plan)
        return seen + float(weight * prior[inner] @ np.log(behaviour[inner]))

    found = expectation_maximisation(data, data.tree.uniform(), weight, rounds=2000, tolerance=1e-10).behaviour
    best = density(found)
    for size in (0.3, 0.05, 0.01):
        for _ in range(20):
            other = found.copy()
            other[inner] *= np.exp(size * draw.standard_normal(len(inner)))
            other[inner] /= np.bincount(data.tree.owner[inner], other[inner])[data.tree.owner[inner]]
            assert density(other) < best


def test_hidden_hands_leave_wider_posteriors_that_hold_the_truth(kuhn: cp.GameTree) -> None:
    truth = cp.opponent(kuhn, "random:3", player=1)
    response = cp.respond(kuhn, truth, "br")
    widths = []
    for reveal in ("all", "none"):
        posterior = seen_hands(kuhn, truth, reveal, 300).posterior(60, "uniform", 2)
        spread = posterior.gain(response.strategy)
        assert spread.spread_low < response.gain < spread.spread_high
        widths.append(np.std([one.behaviour for one in posterior.samples], axis=0).sum())
    assert widths[0] < widths[1]


def test_the_expected_gain_is_the_gain_against_the_mean_plan(kuhn: cp.GameTree) -> None:
    posterior = seen_hands(kuhn, cp.opponent(kuhn, "random:3", player=1), "none", 50).posterior(20, "nash", 3)
    response = cp.respond(kuhn, posterior.mean, "rnr", p=0.5)
    assert posterior.gain(response.strategy).mean == pytest.approx(response.gain, abs=1e-9)
    with pytest.raises(cp.InputError, match="strategy of seat 0"):
        posterior.gain(posterior.mean)


def test_coverage_adds_up_and_names_what_was_never_seen(leduc: cp.GameTree) -> None:
    truth = cp.opponent(leduc, "cfr+:20", player=1)
    little, much = (
        cp.coverage(leduc, seen_hands(leduc, truth, "all", hands).strategy("nash", 10)) for hands in (50, 50_000)
    )
    for found in (little, much):
        assert found.seen + found.little + found.unseen == pytest.approx(1.0)
    assert little.seen < 0.5 < 0.95 < much.seen
    assert little.blanks[0].share * (1 - min(1, little.blanks[0].count / 10)) >= little.blanks[-1].share * (
        1 - min(1, little.blanks[-1].count / 10)
    )
    with pytest.raises(cp.InputError, match="no counts"):
        cp.coverage(leduc, truth)


def test_responses_win_most_from_their_own_model_and_safe_ones_keep_their_limit(leduc: cp.GameTree) -> None:
    found = cp.misread(leduc, ["passive", "aggressive", "cfr+:10"], ["br", "safe:max_exploitability=0.1"])
    greedy, safe = found[:3], found[3:]
    for i, one in enumerate(greedy):
        assert all(one.gains[i] >= other.gains[i] - 1e-9 for other in found)
        assert min(one.gains) >= one.worst - 1e-9
    assert all(one.worst >= -0.1 - 1e-6 for one in safe)
    assert min(one.worst for one in safe) > max(one.worst for one in greedy)


def test_the_command_prints_every_response_and_refuses_one_model(run: Runner) -> None:
    shown = run("misread", "kuhn", "--models", "uniform;nash", "--methods", "br;safe:max_exploitability=0")
    assert "made for" in shown.out
    assert run("misread", "kuhn", "--models", "uniform").code == 2
    assert len(run("misread", "kuhn", "--models", "uniform;nash", "--json").json["responses"]) == 6


def test_the_coverage_of_a_saved_model_is_printed(run: Runner) -> None:
    run("respond", "kuhn", "--to", "uniform", "-o", "counter.json")
    model = cp.opponent(cp.load("kuhn"), "observed:30:uniform", player=1)
    model.save("model.cps")
    assert "Of the opponent's decisions" in run("evaluate", "kuhn", "model.cps", "--coverage").out
    assert "no counts" in run("evaluate", "kuhn", "counter.json", "--coverage").err


def test_misreading_a_raked_spot_says_that_it_has_no_value(run: Runner) -> None:
    """Gains count from an equilibrium there; numbers of any length stand apart."""
    words = ("--board", "Ks 8h 8d 4c 2s", "--oop", "KhKd,7h6h", "--ip", "AcAd")
    text = "\n".join(f'{name[2:]} = "{value}"' for name, value in zip(words[::2], words[1::2], strict=True))
    Path("raked.toml").write_text(f'{text}\npot = 100000\nstack = 100000\nbets = "a"\nrake = 0.05\n')
    asked = ("misread", "raked.toml", "--models", "uniform;nash", "--methods", "br")
    shown, found = run(*asked).out, run(*asked, "--json").json
    assert "With a rake the spot is not zero-sum" in found["note"]
    assert f"\n\n{found['note']}\n" in shown
    rows = [line.split() for line in shown.splitlines() if line.startswith("br ")]
    assert [[float(word) for word in row[2:]] for row in rows] == [
        pytest.approx([*one["gains"], one["worst"]], abs=1e-4) for one in found["responses"]
    ]


def test_a_misreading_that_was_interrupted_has_the_whole_responses_alone(
    kuhn: cp.GameTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, made = cp.misread(kuhn, ["uniform", "nash"], ["br", "rnr:p=0.5"]), []

    def respond(*given: Any, **named: Any) -> Any:
        made.append(cp.respond(*given, **named))
        return replace(made[-1], interrupted=len(made) == 3)

    monkeypatch.setattr("counterplay.measure.evaluate.respond", respond)
    some = cp.misread(kuhn, ["uniform", "nash"], ["br", "rnr:p=0.5"])
    assert (list(some), some.interrupted, whole.interrupted) == (whole[:2], True, False)


def test_misreading_refuses_a_method_before_the_first_response(
    kuhn: cp.GameTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("counterplay.measure.evaluate.respond")
    with pytest.raises(InputError, match="rnr needs either p or"):
        cp.misread(kuhn, ["uniform", "nash"], ["br", "rnr"])
    spot = cp.Spot("Qs Jh 2h 8d 3c", "QQ", "KK", pot=10, stack=10, bets="a", rake=0.05)
    with pytest.raises(InputError, match="safe counts on that; with a rake there are br"):
        cp.misread(spot, ["uniform", "noise:0.5:uniform"], ["br", "safe:max_exploitability=1"])


def test_a_misreading_has_usual_methods_in_every_kind_of_game(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same from Python as in the command: in whole hold'em those that need no per cent of a pot."""
    answer = SimpleNamespace(interrupted=False, strategy=None, exploitability=0.0, risk=None)
    monkeypatch.setattr("counterplay.measure.evaluate.respond", lambda *_, **__: answer)
    for name in ("baseline", "value_against"):
        monkeypatch.setattr(f"counterplay.measure.evaluate.{name}", lambda *_: 0.0)
    models = ["uniform", "noise:0.5:uniform"]
    for game, count in (("kuhn", 3), ("holdem:flop,raises=1,lowest=K", 2)):
        found = cp.misread(cp.load(game), models)
        shown = run("misread", game, "--models", ";".join(models), "--json").json["responses"]
        assert [one.method for one in found] == [one["method"] for one in shown]
        assert len({one.method for one in found}) == count
