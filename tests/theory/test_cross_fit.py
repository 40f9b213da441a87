"""Gains of responses to models from hands, measured on hands that the models have not seen."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay import cross_fit
from counterplay.opponents.counting.terminal_infosets import (
    REVEALS,
    HandWeights,
    SeatObservations,
    TerminalInfosets,
    classes_of_hands,
)
from counterplay.solvers.equilibrium import equilibrium_of
from tests.support.commands import Runner
from tests.support.random_games import MatchUp, match_ups


def odds_of_ends(sight: TerminalInfosets, own: cp.Strategy, other: cp.Strategy) -> np.ndarray:
    """(T,) the probability of every end."""
    plans = {own.player: own.plan, other.player: other.plan}
    game = sight.game
    found = game.histories.reach[sight.ends]
    for player in (0, 1):
        found = found * plans[player][game.sequences[player][sight.ends]]
    return found


def drawn(game: cp.GameTree, own: cp.Strategy, other: cp.Strategy, reveal: str, hands: int, seed: int) -> cp.Counts:
    """Counts of drawn hands."""
    sight = TerminalInfosets(game, own.player, reveal)
    odds = odds_of_ends(sight, own, other)
    counts = cp.Counts(game, other.player)
    counts.see_sampled(sight, np.random.default_rng(seed).multinomial(hands, odds / odds.sum()))
    return counts


def weights_of(
    game: cp.GameTree, response: cp.Strategy, own: cp.Strategy, model: cp.Strategy, reveal: str, hands: float
) -> tuple[SeatObservations, tuple[HandWeights, HandWeights]]:
    """Weights for a response where the strategy of its seat in the hands is known."""
    classes = SeatObservations(game, model.player, TerminalInfosets(game, own.player, reveal))
    taken = np.zeros(classes.count)
    taken[classes.sight.label] = own.plan[game.sequences[own.player][classes.sight.ends]]
    return classes, classes.weights(classes.values_by_sequence(response), model.behaviour, taken, hands)


@settings(max_examples=25)
@given(match_ups(), st.sampled_from(REVEALS), st.sampled_from([10.0, 1e3, 1e6]), st.integers(0, 10**6))
def test_expected_bounds_hold_against_every_opponent_whatever_the_model_and_the_own_strategy(
    match_up: MatchUp, reveal: str, hands: float, seed: int
) -> None:
    """The own strategy may never take some actions; the model that chooses the weights is another player than the one that
    is met."""
    game, seat = match_up.game, match_up.seat
    response = cp.opponent(game, f"random:{seed}", player=seat)
    for text in ("uniform", f"cfr+:{1 + seed % 3}"):
        own = cp.opponent(game, text, player=seat)
        classes, both = weights_of(game, response, own, match_up.model, reveal, hands)
        for other in (match_up.model, cp.opponent(game, f"random:{seed + 1}", player=1 - seat)):
            odds = np.bincount(classes.sight.label, odds_of_ends(classes.sight, own, other), classes.count)
            value = float(classes.values_by_sequence(response) @ other.plan)
            low, high = (float(odds @ one.weight) + one.rest for one in both)
            assert low <= value + 1e-9 * game.span
            assert value <= high + 1e-9 * game.span


@pytest.mark.parametrize("reveal", REVEALS)
def test_the_bounds_meet_at_the_value_as_hands_grow(kuhn: cp.GameTree, reveal: str) -> None:
    """Where nothing is ever shown, too: the player's cards need not be known to know what a response wins."""
    own, model = cp.opponent(kuhn, "uniform", player=0), cp.opponent(kuhn, "uniform", player=1)
    response, truth = cp.opponent(kuhn, "random:4", player=0), cp.opponent(kuhn, "random:5", player=1)
    classes, both = weights_of(kuhn, response, own, model, reveal, 1e7)
    odds = np.bincount(classes.sight.label, odds_of_ends(classes.sight, own, truth), classes.count)
    value = kuhn.payoff.value(response.plan, truth.plan)
    for one in both:
        assert one.estimate(1e7 * odds)[0] == pytest.approx(value, abs=2e-3)


def test_the_weights_have_no_larger_variance_than_results_weighted_by_own_probabilities(leduc: cp.GameTree) -> None:
    """The second is the usual estimate: result × probability of the own actions under the response / under the own play."""
    own, model = cp.opponent(leduc, "uniform", player=0), cp.opponent(leduc, "noise:0.4:nash", player=1)
    response = cp.opponent(leduc, "noise:0.3:nash", player=0)
    classes, (low, _) = weights_of(leduc, response, own, model, "showdown", 1e6)
    ends = classes.sight.ends
    odds = odds_of_ends(classes.sight, own, model)
    ratio = response.plan[leduc.sequences[0][ends]] / own.plan[leduc.sequences[0][ends]]
    usual, value = ratio * leduc.histories.utility[ends], leduc.payoff.value(response.plan, model.plan)
    assert odds @ usual == pytest.approx(value, abs=1e-9)
    variance = [float(odds @ (found - value) ** 2) for found in (usual, low.weight[classes.sight.label])]
    assert variance[1] < 0.2 * variance[0]


def test_cards_that_only_some_hands_show_are_not_used(kuhn: cp.GameTree) -> None:
    """Who shows a folded hand by choice tells something that is no function of how the hand went."""
    sight, shown = TerminalInfosets(kuhn, 0, "showdown"), TerminalInfosets(kuhn, 0, "all")
    hands = [sight.ends[sight.groups.of(label)] for label in range(int(sight.label.max()) + 1)]
    found = classes_of_hands(kuhn, 1, hands)
    assert found is not None
    assert found[0].sight.reveal == "showdown"
    folded = next(one for one in hands if len(one) > 1)
    by_choice = classes_of_hands(kuhn, 1, [*hands, folded[:1]])
    assert by_choice is not None
    assert (by_choice[0].sight.reveal, by_choice[1][-1]) == (
        "showdown",
        sight.label[np.searchsorted(sight.ends, folded[0])],
    )
    assert classes_of_hands(kuhn, 1, [sight.ends]) is None  # own cards and the result are hidden
    only_shown = classes_of_hands(kuhn, 1, [shown.ends[:1]])
    assert only_shown is not None
    assert only_shown[0].sight.reveal == "all"


def measured(counts: cp.Counts, truth: cp.Strategy, prior: str) -> tuple[Any, float]:
    """The cross-fitted gain of responses with a limit on their risk, and the true one."""
    game, responses = counts.game, list[cp.Strategy]()

    def respond(model: cp.Strategy) -> cp.Strategy:
        responses.append(cp.respond(game, model, "safe", max_exploitability=0.1).strategy)
        return responses[-1]

    found = cross_fit(counts, lambda part: part.strategy(prior, 10), respond)
    values = [game.payoff.value(one.plan, truth.plan) for one in responses]
    return found, float(np.mean(values)) - equilibrium_of(game).bound(0)


def test_the_interval_holds_the_true_gain_as_often_as_it_says(kuhn: cp.GameTree) -> None:
    """The prior is not of the opponent's family, and only showdowns show cards. 95 % of 120 draws less three deviations is
    107."""
    own, truth = cp.opponent(kuhn, "noise:0.2:nash", player=0), cp.opponent(kuhn, "random:2", player=1)
    held = 0
    for seed in range(120):
        found, gain = measured(drawn(kuhn, own, truth, "showdown", 1000, seed), truth, "nash")
        held += found.low <= gain <= found.high
    assert held >= 107


def test_a_gain_that_the_prior_invents_is_not_confirmed(leduc: cp.GameTree) -> None:
    """The prior of 0.2 uniform play leaks where the player, who folds too much, does not: the model claims a gain that the
    posterior confirms, and that is not there."""
    own, truth = cp.opponent(leduc, "nash", player=0), cp.opponent(leduc, "bias:fold=3:nash", player=1)
    counts = drawn(leduc, own, truth, "showdown", 4000, 1)
    model = counts.strategy("noise:0.2:nash")
    answer = cp.respond(leduc, model, "safe", max_exploitability=0.1)
    gain = leduc.payoff.value(answer.strategy.plan, truth.plan) - answer.facts["game_value"]
    spread = counts.posterior(40, "noise:0.2:nash").gain(answer.strategy, 0.95)
    assert gain < spread.spread_low < answer.gain
    found, _ = measured(counts, truth, "noise:0.2:nash")
    assert (found.low, found.reason) == (None, "the hands leave open that the player wins as much as a best responder")


def test_too_few_hands_and_hidden_ones_have_no_cross_fitted_gain(kuhn: cp.GameTree) -> None:
    own, truth = cp.opponent(kuhn, "uniform", player=0), cp.opponent(kuhn, "random:2", player=1)
    found = cross_fit(drawn(kuhn, own, truth, "showdown", 79, 1), lambda part: part.strategy(), lambda one: one)
    assert (found.low, found.reason) == (None, "79 hands are too few: 80 are the fewest")
    counts = cp.Counts(kuhn, 1, own)
    counts.see(cp.ObservedHand(((2, None), (2, None), (0, "Bet"), (1, "Pass"))), 200)
    hidden = cross_fit(counts, lambda part: part.strategy(), lambda one: one)
    assert hidden.reason == "hands hide the cards of both players, or their result"


def test_a_claimed_gain_is_followed_by_its_cross_fitted_value(run: Runner) -> None:
    run("match", "kuhn", "noise:0.3:nash", "random:6", "--hands", "2000", "--seed", "1", "--log", "log.jsonl")
    words = [
        "respond",
        "kuhn",
        "--to",
        "hands:log.jsonl,player=random:6,prior=nash,weight=5,reveal=showdown",
        "--method",
        "br",
    ]
    found = run(*words, "--json").json
    fitted, game = found["cross_fitted"], cp.load("kuhn")
    assert (fitted["hands"], fitted.get("reason")) == (1000, None)
    truth = cp.opponent(game, "random:6", player=1)
    assert fitted["low"] < cp.respond(game, truth, "br").gain < fitted["high"]
    said = run(*words).out
    assert f"Cross-fitted gain: {fitted['low']:.3g} to {fitted['high']:.3g} chips (95 %)" in said
    assert "note" not in fitted
    run("model", "kuhn", "--hands", "log.jsonl", "--player", "random:6", "-o", "villain.cps")
    twice = words[3].replace("prior=nash", "prior=villain.cps")
    caveat = "The prior is a model from hands: the interval holds only if these are others."
    assert caveat in run(*words[:3], twice, "--method", "br").out
    assert run(*words[:3], twice, "--method", "br", "--json").json["cross_fitted"]["note"] == caveat
    assert (
        "Write --to hands:FILE,player=NAME for its cross-fitted value."
        in run("respond", "kuhn", "--to", "villain.cps").out
    )
    assert "cross-fitted" not in run("respond", "kuhn", "--to", "random:6").out.lower()
    Path("few.jsonl").write_text("\n".join(Path("log.jsonl").read_text().splitlines()[:60]) + "\n")
    few = run(*words[:3], "hands:few.jsonl,player=random:6", "--method", "br").out
    assert "Cross-fitted gain: not known, since" in few


@pytest.mark.slow
def test_in_leduc_the_interval_holds_where_the_spread_of_the_posterior_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A small part of the table in docs/models.md, by its own program."""
    folder = Path(__file__).parents[2] / "benchmarks"
    monkeypatch.syspath_prepend(str(folder))
    spec = importlib.util.spec_from_file_location("gain_coverage", folder / "gain_coverage.py")
    assert spec is not None
    assert spec.loader is not None
    monkeypatch.setitem(sys.modules, "gain_coverage", table := importlib.util.module_from_spec(spec))
    spec.loader.exec_module(table)
    cases = {case[2:]: case for case in table.CASES if case[0] == "leduc"}
    invented = table.cell(cases["bias:fold=3:nash", "noise:0.2:nash"], 3000, 4)
    assert all(one.held is None and one.gain < one.claimed for one in invented)
    real = table.cell(cases["noise:0.4:nash", "noise:0.2:nash"], 3000, 4)
    assert [one.held for one in real] == [True] * 4
    assert all(one.fitted.low > 0.1 for one in real)
    assert sum(one.spread for one in invented + real) < 4
