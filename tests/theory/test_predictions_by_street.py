"""Log-likelihoods by street: chance separates streets, hands are their product, and each factor is what Bayes' rule says."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import counterplay as cp
from counterplay.measure.model_quality import Nats, line_alone, predict
from counterplay.opponents.counting.estimate import SOFT, street_of_sequences
from counterplay.opponents.counting.terminal_infosets import TerminalInfosets, action_names
from tests.support.theorems import GameOf

MODELS = ("random:3", "nash", "uniform")


def _counts(game: cp.GameTree, reveal: str, hands: int) -> cp.Counts:
    """Hands of seat 1 that are drawn uniformly from the ends of the game."""
    sight, counts = TerminalInfosets(game, 0, reveal), cp.Counts(game, 1)
    counts.see_sampled(
        sight, np.random.default_rng(4).multinomial(hands, np.full(len(sight.ends), 1 / len(sight.ends)))
    )
    return counts


@pytest.mark.parametrize(("spec", "streets"), [("kuhn", 1), ("leduc", 2), ("liars_dice:1,3", 1)])
def test_a_street_begins_where_chance_moves_after_a_player(game_of: GameOf, spec: str, streets: int) -> None:
    game = game_of(spec)
    found = street_of_sequences(game, 1)
    assert set(found[found >= 0].tolist()) == set(range(streets))
    assert np.array_equal(found >= 0, game.trees[1].owner >= 0)
    if spec == "leduc":  # infosets of the second street name the board
        words = [text.split()[1:] for text in game.trees[1].labels.infosets]
        second = sum(len(one) > 1 for one in words)
        lanes = np.unique(game.trees[1].owner[found == 1])
        assert len(lanes) == second


def _by_paths(game: cp.GameTree, counts: cp.Counts, model: cp.Strategy, street: int) -> tuple[float, float]:
    """Nats a decision and the decisions of a street: over the histories that agree with each hand, one by one."""
    table, soft = game.histories, (1 - SOFT) * model.behaviour + SOFT * model.tree.uniform()
    nats = decisions = 0.0
    for key, number in counts._numbers.items():
        rows = []
        for end in np.frombuffer(key, np.int64).tolist():
            until, before, asked, at, acted = 1.0, 1.0, 0, 0, False
            for above, below in _steps(game, end):
                who = int(table.player[above])
                at += who not in (0, 1) and acted
                acted = who in (0, 1)
                if who == 1 and at <= street:
                    odds = soft[game.sequences[1][below]]
                    until, before, asked = until * odds, before * (odds if at < street else 1.0), asked + (at == street)
            rows.append((table.reach[end], until, before, asked))
        weight, up_to, so_far, several = np.array(rows).T
        nats += counts._times[number] * np.log((weight @ up_to) / (weight @ so_far))
        decisions += counts._times[number] * float(weight @ several) / weight.sum()
    return nats / decisions, decisions


def _steps(game: cp.GameTree, end: int) -> list[tuple[int, int]]:
    """Histories and their children, from the root to an end."""
    way, table = [end], game.histories
    while (above := int(table.parent[way[-1]])) >= 0:
        way.append(above)
    return list(itertools.pairwise(reversed(way)))


@pytest.mark.parametrize("reveal", ["all", "showdown", "none"])
def test_each_street_is_what_the_ends_of_a_hand_say_one_by_one(leduc: cp.GameTree, reveal: str) -> None:
    counts = _counts(leduc, reveal, 60)
    model, prior, _ = (cp.opponent(leduc, text, player=1) for text in MODELS)
    found = predict(counts.observations, model, prior, leduc)
    assert [one.street for one in found.streets] == [1, 2]
    for one in found.streets:
        for name, strategy in (("model", model), ("prior", prior), ("uniform", cp.Strategy.uniform(model.tree))):
            scored: Nats = getattr(one, name)
            nats, decisions = _by_paths(leduc, counts, strategy, one.street - 1)
            assert (scored.mean, one.decisions) == (pytest.approx(nats, abs=1e-12), pytest.approx(decisions))
            assert scored.low < scored.mean < scored.high
    whole = sum(one.model.mean * one.decisions for one in found.streets)
    assert whole / (found.decisions * found.hands) == pytest.approx(found.model.mean, abs=1e-12)


def test_the_line_alone_pools_the_cards_of_a_public_state(leduc: cp.GameTree) -> None:
    """Second witness: public actions of shown hands counted one by one from their texts."""
    counts = _counts(leduc, "all", 400)
    line, texts = line_alone(leduc, counts.observations), leduc.trees[1].labels
    times: dict[tuple[str, ...], dict[str, float]] = {}
    for key, number in counts._numbers.items():
        said: tuple[str, ...] = ()
        for above, below in _steps(leduc, int(np.frombuffer(key, np.int64)[0])):
            name = action_names(leduc, above)[int(leduc.histories.action[below])]
            if leduc.histories.player[above] == 1:
                here = times.setdefault(said, {})
                here[name] = here.get(name, 0.0) + counts._times[number]
            if leduc.histories.player[above] < 2 or any(not one.startswith("Deal") for one in said):
                said = (*said, name)
    first = times[("Raise",)]
    for text in ("Ks r", "Jh r"):  # one public state, two hands
        at = texts.index[text]
        odds = line.behaviour[leduc.trees[1].sequences_of(texts.lanes[at])]
        for name, odd in zip(texts.actions[at], odds, strict=True):
            assert odd == pytest.approx((first[name] + 1) / (sum(first.values()) + len(odds)))


def test_a_model_of_endless_hands_predicts_better_than_the_line_alone_and_that_better_than_uniform_play(
    leduc: cp.GameTree,
) -> None:
    """On each street. The log score of the truth is the largest in expectation, and that of the line's own frequencies the
    largest among those that do not know the cards."""
    truth, sight, counts = (
        cp.opponent(leduc, "random:3", player=1),
        TerminalInfosets(leduc, 0, "all"),
        cp.Counts(leduc, 1),
    )
    own = cp.Strategy.uniform(leduc.trees[0]).plan[leduc.sequences[0][sight.ends]]
    odds = leduc.histories.reach[sight.ends] * own * truth.plan[leduc.sequences[1][sight.ends]]
    counts.see_sampled(sight, np.round(1e7 * odds))
    data = counts.observations
    found = predict(data, truth, truth, leduc, data)
    for one in (found, *found.streets):
        assert one.model.mean > one.line.mean + 0.1
        assert one.line.mean > one.uniform.mean + 0.002
    assert predict(data, truth, truth, leduc).line.mean == pytest.approx(found.line.mean, abs=1e-4)


def test_a_game_of_one_street_has_no_streets(kuhn: cp.GameTree) -> None:
    counts, model = _counts(kuhn, "none", 30), cp.opponent(kuhn, "random:3", player=1)
    assert predict(counts.observations, model, model, kuhn).streets == ()
