"""Models from observed hands: shown cards are counted, hidden ones are shared out, and the error goes to 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import counterplay as cp
from counterplay.opponents.counting.estimate import counts_of_shares
from counterplay.opponents.counting.terminal_infosets import REVEALS, TerminalInfosets, consistent_ends
from counterplay.opponents.counts import ESTIMATORS
from counterplay.treeplex.sweeps import reach, visits
from tests.support.random_games import MatchUp, match_ups
from tests.support.theorems import GameOf

_BET_FOLD = cp.ObservedHand(((2, "Deal:1"), (2, None), (0, "Bet"), (1, "Pass")), 1)


def odds_of_ends(sight: TerminalInfosets, truth: cp.Strategy) -> np.ndarray:
    """(T,) the probability of every end, when the seat that looks plays uniformly against `truth`."""
    game, ends = sight.game, sight.ends
    own = cp.Strategy.uniform(game.trees[sight.seat]).plan
    return (
        game.histories.reach[ends] * own[game.sequences[sight.seat][ends]] * truth.plan[game.sequences[truth.player][ends]]
    )  # fmt: skip


def counted(game: cp.GameTree, truth: cp.Strategy, reveal: str, hands: float, seed: int | None = None) -> cp.Counts:
    """Counts of sampled hands; of the expected numbers without a seed."""
    sight = TerminalInfosets(game, 1 - truth.player, reveal)
    odds = odds_of_ends(sight, truth)
    drawn = odds * hands if seed is None else np.random.default_rng(seed).multinomial(int(hands), odds / odds.sum())
    found = cp.Counts(game, truth.player)
    found.see_sampled(sight, drawn)
    return found


def error(model: cp.Strategy, truth: cp.Strategy) -> float:
    """The largest error of a probability."""
    return float(np.abs(model.behaviour - truth.behaviour).max())


def test_shown_hands_with_a_prior_give_its_posterior_mean_and_plain_counts(kuhn: cp.GameTree) -> None:
    truth = cp.opponent(kuhn, "random:3", player=1)
    counts = counted(kuhn, truth, "all", 500, seed=1)
    model, sight, prior = (
        counts.strategy("nash", weight=7),
        TerminalInfosets(kuhn, 0, "all"),
        cp.opponent(kuhn, "nash", player=1),
    )
    drawn = np.random.default_rng(1).multinomial(500, odds_of_ends(sight, truth))
    last = np.bincount(kuhn.sequences[1][sight.ends], drawn, truth.tree.size)
    seen, times = visits(truth.tree, last)
    inner = truth.tree.owner >= 0
    mean = (seen + 7 * prior.behaviour)[inner] / (times + 7)[truth.tree.owner[inner]]
    assert np.allclose(model.behaviour[inner], mean, atol=1e-5)
    assert np.allclose(model.counts, times)


@pytest.mark.parametrize("spec", ["kuhn", "leduc:2"])
def test_partial_showdowns_are_enough_for_the_convex_program_but_not_for_shown_hands_or_drawn_strategies(
    game_of: GameOf, spec: str
) -> None:
    """With the expected numbers of endless hands; the other estimates stay wrong. The last is Bayes over strategies that
    are drawn from the prior."""
    game = game_of(spec)
    truth = cp.opponent(game, "random:3", player=1)
    counts = counted(game, truth, "showdown", 1e9)
    assert error(counts.strategy("uniform", by="convex"), truth) < 0.02
    assert error(counts.strategy("uniform", weight=1, rounds=400), truth) < 0.02
    assert error(counts.strategy("uniform", weight=1, by="frequencies"), truth) > 0.2
    data = counts.observations
    drawn = [cp.opponent(game, f"random:{seed}", player=1) for seed in range(100, 150)]
    odds = np.array([data.log_likelihood(one.plan) for one in drawn])
    weights = np.exp(odds - odds.max()) / np.exp(odds - odds.max()).sum()
    mean = sum(weight * one.behaviour for weight, one in zip(weights, drawn, strict=True))
    assert np.abs(mean - truth.behaviour).max() > 0.1


def test_the_error_shrinks_with_hands_at_every_kind_of_sight(leduc: cp.GameTree) -> None:
    truth = cp.opponent(leduc, "random:3", player=1)
    odds = counted(leduc, truth, "all", 1e6).observations
    for reveal in REVEALS:
        few, many = (counted(leduc, truth, reveal, hands, seed=5).strategy("uniform", 3) for hands in (300, 10_000))
        assert odds.score(truth.behaviour)[0] > odds.score(many.behaviour)[0] > odds.score(few.behaviour)[0] + 0.05


def test_a_model_of_shown_hands_alone_is_worse_than_its_prior(leduc: cp.GameTree) -> None:
    """The prior is the opponent itself. Folded hands are never shown, so shown ones are biased toward calling."""
    truth = cp.opponent(leduc, "cfr+:20", player=1)
    counts, unseen = counted(leduc, truth, "showdown", 3000, seed=2), counted(leduc, truth, "all", 1e6).observations
    biased, fair = (unseen.score(counts.strategy(truth, 1, by).behaviour)[0] for by in ("frequencies", "em"))
    assert biased < unseen.score(truth.behaviour)[0] - 0.1 < fair


def test_the_convex_program_finds_what_a_general_optimiser_finds(kuhn: cp.GameTree) -> None:
    truth = cp.opponent(kuhn, "random:4", player=1)
    counts = counted(kuhn, truth, "none", 300, seed=3)
    data, tree = counts.observations, truth.tree
    rows = [tree.sequences_of(lane) for lane in tree.visit_order.tolist()]

    def loss(free: np.ndarray) -> float:
        behaviour = tree.uniform()
        for row, share in zip(rows, free, strict=True):
            behaviour[row] = share, 1.0 - share
        return -data.log_likelihood(reach(tree, behaviour))

    found = minimize(loss, np.full(len(rows), 0.5), bounds=[(1e-9, 1 - 1e-9)] * len(rows), method="L-BFGS-B")
    model = counts.strategy("uniform", by="convex")
    assert -data.log_likelihood(model.plan) == pytest.approx(found.fun, abs=1e-4)
    assert 0.0 <= model.facts["gap"] <= 1e-4


@settings(max_examples=8)
@given(match_ups())
def test_no_strategy_beats_the_convex_program_by_more_than_its_gap(match_up: MatchUp) -> None:
    game = match_up.game
    for reveal in REVEALS:
        truth = cp.opponent(game, "random:7", player=1)
        counts = counted(game, truth, reveal, 200, seed=1)
        data, model = counts.observations, counts.strategy("uniform", by="convex")
        most = data.log_likelihood(model.plan) + 200 * model.facts["gap"] + 1e-6
        for other in ("random:7", "random:8", "uniform", "nash"):
            assert data.log_likelihood(cp.opponent(game, other, player=1).plan) <= most


@pytest.mark.parametrize("spec", ["kuhn", "leduc:2", "liars_dice:1,2", "goofspiel:3"])
def test_a_seat_cannot_tell_apart_exactly_what_its_texts_and_the_result_do_not(game_of: GameOf, spec: str) -> None:
    """The texts are those of the rules, at the seat's decisions; a public last action is known, too."""
    game = game_of(spec)
    sight = TerminalInfosets(game, 0, "none")
    by_label: dict[int, tuple[object, ...]] = {}
    for end, label in zip(sight.ends.tolist(), sight.label.tolist(), strict=True):
        history, seen = end, list[object]()
        while (up := int(game.histories.parent[history])) >= 0:
            if game.histories.player[up] == 0:
                seen.append((game.rules.infoset(game.state(up), 0), int(game.histories.action[history])))
            history = up
        told = sight.observed_moves(end)
        key = (tuple(seen), float(game.histories.utility[end]), told)
        assert by_label.setdefault(label, key) == key
        assert set(consistent_ends(game, cp.ObservedHand(told, key[1])).tolist()) >= set(
            sight.ends[sight.groups.of(label)].tolist()
        )
    assert len(set(by_label.values())) == len(by_label)


def test_hidden_hands_count_for_less_and_unseen_infosets_for_nothing(leduc: cp.GameTree) -> None:
    truth = cp.opponent(leduc, "cfr+:20", player=1)
    shown, hidden = (counted(leduc, truth, reveal, 500, seed=1).strategy("nash", 10) for reveal in ("all", "none"))
    assert shown.counts is not None
    assert hidden.counts is not None
    assert 0.0 < hidden.counts.sum() < 0.6 * shown.counts.sum() < 500 * 2
    assert (shown.counts == 0.0).any()
    unseen = cp.Counts(leduc, 1).strategy("nash")
    assert unseen.counts is not None
    assert not unseen.counts.any()
    assert error(unseen, cp.opponent(leduc, "nash", player=1)) < 1e-12


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_effective_counts_are_the_inverse_information_by_either_inverse(rows: int, lanes: int, seed: int) -> None:
    """1 / [(M + shown + s)⁻¹](I, I) - s, whether observations or infosets are fewer; shown ones count fully."""
    draw = np.random.default_rng(seed)
    shares, times = draw.dirichlet(np.ones(lanes), rows), draw.integers(1, 50, rows).astype(float)
    shown, prior = draw.integers(0, 5, lanes).astype(float), float(draw.uniform(0.5, 30.0))
    information = shares.T @ (times[:, None] * shares) + np.diag(shown + prior)
    found = counts_of_shares(shares, times, shown, prior)
    assert found == pytest.approx(1.0 / np.diag(np.linalg.inv(information)) - prior, rel=1e-8, abs=1e-8)
    assert (found >= shown - 1e-8).all()
    assert (found <= shown + times @ shares + 1e-8).all()


def test_hands_of_a_match_are_counted_and_wrong_ones_are_named(kuhn: cp.GameTree) -> None:
    counts = cp.Counts(kuhn, 1)
    with pytest.raises(cp.InputError, match="hand 1: no hand of kuhn has 'Fly' of player 0 as move 3"):
        counts.see_all([cp.ObservedHand(((2, None), (2, None), (0, "Fly")))])
    with pytest.raises(cp.InputError, match="ends after these 2 moves"):
        counts.see(cp.ObservedHand(((2, None), (2, None))))
    with pytest.raises(cp.InputError, match="hides what player 0 held"):
        counts.see(cp.ObservedHand(((2, None), (2, None), (0, "Pass"), (1, "Pass"))))
    with pytest.raises(cp.InputError, match="made by em, convex, frequencies, not 'magic'"):
        counts.strategy(by="magic")
    with pytest.raises(cp.InputError, match="convex program has no weight"):
        counts.strategy(by="convex", weight=5)
    with pytest.raises(cp.InputError, match="weight of a prior is auto or a number"):
        counts.strategy(weight=-1)


def test_no_hands_leave_the_prior(kuhn: cp.GameTree) -> None:
    """By each estimate; a quantal response has nothing to learn from."""
    counts, prior = cp.Counts(kuhn, seat=1), cp.opponent(kuhn, "random:3", player=1)
    for by in ESTIMATORS:
        found = counts.strategy(prior, by=by)
        assert_allclose(found.behaviour, prior.behaviour, atol=1e-12)
        assert found.counts is not None
        assert not found.counts.any()
    with pytest.raises(cp.InputError, match="learned from hands, and none were seen"):
        counts.quantal_response()


@pytest.mark.parametrize("times", [-1, float("nan"), float("inf"), 1e300, "x"])
def test_a_hand_is_seen_a_plain_number_of_times(kuhn: cp.GameTree, times: Any) -> None:
    with pytest.raises(cp.InputError, match=r"a hand is seen from 0 to|times must be a number, not 'x'"):
        cp.Counts(kuhn, seat=1).see(_BET_FOLD, times=times)


@pytest.mark.parametrize("hand", [None, "x", cp.ObservedHand(((2,),)), cp.ObservedHand((), "x")])  # type: ignore[arg-type]
def test_what_is_no_hand_is_named(kuhn: cp.GameTree, hand: Any) -> None:
    with pytest.raises(cp.InputError, match="a hand has moves"):
        cp.Counts(kuhn, seat=1).see(hand)


def test_numbers_of_estimates_are_checked(kuhn: cp.GameTree) -> None:
    counts = cp.Counts(kuhn, seat=1)
    counts.see(_BET_FOLD)
    for samples, sweeps in ((0, 40), (3, -1)):
        with pytest.raises(cp.InputError, match="needs samples and sweeps"):
            counts.posterior(samples, weight=3, sweeps=sweeps)
    for precisions in ([], [-1.0], [float("nan")]):
        with pytest.raises(cp.InputError, match="precisions are numbers from 0 on"):
            counts.quantal_response(precisions=precisions)


def test_a_quantal_response_lies_between_uniform_play_and_a_best_response(leduc: cp.GameTree) -> None:
    """More precision never wins less from the opponent that is responded to."""
    nash = cp.opponent(leduc, "nash", player=0)
    values = [
        float(leduc.payoff.product(1, nash.plan) @ cp.opponent(leduc, text, player=1).plan)
        for text in ("uniform", "logit:0:nash", "logit:0.3:nash", "logit:3:nash", "logit:10000:nash", "br:nash")
    ]
    assert values[0] == pytest.approx(values[1])
    assert values == sorted(values)
    assert values[4] == pytest.approx(values[5], abs=1e-3)


def test_the_precision_of_a_quantal_response_is_learned_from_hands(kuhn: cp.GameTree) -> None:
    truth = cp.opponent(kuhn, "logit:2:nash", player=1)
    found = counted(kuhn, truth, "showdown", 1e6).quantal_response(precisions=(0.5, 1.0, 2.0, 4.0))
    assert found.facts["precision"] == 2.0
    few = counted(kuhn, truth, "showdown", 40, seed=2).quantal_response()
    assert 0.5 < few.facts["precision"] < 8.0


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e8])
def test_a_result_tells_hidden_moves_in_any_unit(scale: float) -> None:
    rows = "/".join(" ".join(str(scale * result) for result in row) for row in ((1, 2), (3, 4)))
    game = cp.load(f"matrix:{rows}")
    hands = [cp.ObservedHand(((0, None), (1, None)), scale * result) for result in (1, 2, 3, 4)]
    assert [len(consistent_ends(game, hand)) for hand in hands] == [1, 1, 1, 1]
