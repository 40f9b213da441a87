"""Models of whole hold'em from hands: the likelihood is what is fitted, and hands not seen before are predicted better."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, match
from counterplay.archive import archive_bytes
from counterplay.measure.match import AfterHand
from counterplay.measure.model_quality import row_coverage
from counterplay.measure.play_hand import MatchRecorder
from counterplay.opponents.counting.terminal_infosets import HIDDEN, SHOWN
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.tilting import evidence
from counterplay.opponents.tilting.evidence import CONTEXTS, KINDS, LEAST, QUANTILES, Categories, gather, soften_kinds
from counterplay.opponents.tilting.mapped_hands import draw_hands, map_hands, predict_hands
from counterplay.opponents.tilting.tilted_model import (
    CATEGORIES,
    HELD,
    LINES,
    ROW_STRENGTH,
    ROW_STRENGTHS,
    SHARPNESSES,
    TRUSTS,
    TiltedModel,
    counts_passed,
    fit,
    learn_row_strength,
    learn_sharpness,
    model_of_hands,
    tilt_strategy,
)
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, ObservedRows
from counterplay.poker.whole_game.blueprints.blueprint_file import KIND, contents, digest_play, load, save
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy, RowTrust
from counterplay.poker.whole_game.strategy import ModelMixture, probabilities
from tests.support.commands import Runner
from tests.support.whole_games import assert_same_tables

GAME = "holdem:deck=20,stack=10bb,bets=fcpa,buckets=4"
PRIOR = "blueprint:buckets=4,iterations=200"
VILLAIN = f"bias:fold=0.2:{PRIOR}"
HANDS = 900


@pytest.fixture(scope="module")
def game() -> Any:
    return read_holdem(GAME).game


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> tuple[HoldemHand, ...]:
    log, rules = tmp_path_factory.mktemp("hands") / "match.jsonl", read_holdem(GAME)
    with MatchRecorder(log, GAME, rules, (VILLAIN, PRIOR), 2) as recorder:
        after = AfterHand(keep=recorder.keep)
        match(rules, *(partial(cp.agent, rules, text) for text in (VILLAIN, PRIOR)), HANDS, 2, after=after)
    return read_hands([log]).holdem


def _hide(hands: tuple[HoldemHand, ...]) -> list[HoldemHand]:
    """Without the cards of those who folded or made the other fold."""
    return [hand if len(hand.board) == 5 else replace(hand, holes=((), ())) for hand in hands]


def test_a_model_predicts_hands_that_it_has_not_seen(game: Any, hands: tuple[HoldemHand, ...]) -> None:
    """A player who folds a fifth as often, from 600 hands, with all cards shown and with those at showdown only."""
    prior, truth = strategy_of(game, PRIOR), strategy_of(game, VILLAIN)
    left = map_hands(game, hands[600:], VILLAIN)
    for seen in (hands[:600], _hide(hands[:600])):
        model = model_of_hands(game, prior, map_hands(game, seen, VILLAIN))
        assert (np.diff(model.fit.likelihood) > -1e-4).all()  # EM never lowers it, but for rounding
        found = predict_hands(game, {"prior": prior, "model": model.play, "truth": truth}, left)
        better = {one.name: one.better for one in found if one.street == "all"}
        assert 0.5 * better["truth"] < better["model"]
        assert better["uniform"] < 0.0
        _check_tables(game, model)
    told = predict_hands(game, {"model": model.play}, left, left)
    by_street = {(one.name, one.street): one.nats for one in told}
    streets = {street for name, street in by_street if name == "uniform"}
    assert len(streets) > 2
    for street in streets:  # frequencies of the very hands that they predict
        assert by_street["line alone", street] > by_street["uniform", street] - 0.1
    assert by_street["line alone", "all"] > by_street["uniform", "all"] + 0.1


def _check_tables(game: Any, model: TiltedModel) -> None:
    """Rows are strategies; all effective observations together are at most the decisions."""
    seen = 0.0
    for player, side in enumerate(game.sides):
        for _, _, first, count in side.preflop.tolist():
            assert model.play.preflop[player][first : first + count].sum(axis=0) == pytest.approx(1.0)
        seen += model.counts.preflop[player][side.preflop[:, 2]].sum()
        for street, pair in enumerate(model.counts.tables, 1):
            seen += sum(table[side.decisions[street][:, 2]].sum() for table in pair[player])
    assert 0.0 < seen <= model.mapped.decisions + 1e-6
    assert model.mapped.mapped == 0
    assert set(model.mapped.left_out) <= {"hands without a decision of the player"}


def test_hidden_hands_follow_bayes_rule(game: Any, hands: tuple[HoldemHand, ...]) -> None:
    """The posterior of a hand, holding by holding."""
    prior: Any = strategy_of(game, PRIOR)
    hidden = [replace(hand, holes=((), ())) for hand in hands[:40]]
    (hand, *_) = [one for one in map_hands(game, hidden, VILLAIN).hands if len(one.decisions) > 1]
    categories = Categories(game, prior)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, (360, len(KINDS)))
    data = gather(categories, [hand])
    (found,), likely = data.shares(weights), data.expected(weights)[3]
    odds = np.zeros(len(game.deck.hands))
    for number, holding in enumerate(game.deck.hands.tolist()):
        if set(holding) & set(hand.board):
            continue
        odds[number] = 1.0
        for one in hand.decisions:
            row = probabilities(game, prior, one.node, one.board)[:, number] + LEAST
            block, lanes = categories.lanes(one.board)
            quantile = categories.at(one.node, block)[1][lanes[number]]
            decision = categories.decisions[one.node]
            row = row / row.sum() * weights[decision.context * QUANTILES + quantile, decision.kinds]
            odds[number] *= row[one.choice] / row.sum()
    assert found == pytest.approx(odds / odds.sum(), abs=1e-6)
    assert likely == pytest.approx(np.log(odds.sum() / np.count_nonzero(odds)), abs=1e-4)


def test_expected_numbers_are_sums_over_what_may_be_held(game: Any, hands: tuple[HoldemHand, ...]) -> None:
    """Written out with the posterior: what was seen, what the tilted strategy does there, and what the prior does."""
    hidden = map_hands(game, [replace(hand, holes=((), ())) for hand in hands[:30]], VILLAIN).hands
    data = gather(Categories(game, strategy_of(game, PRIOR)), hidden)  # type: ignore[arg-type]
    weights = np.random.default_rng(1).uniform(0.5, 2.0, (360, len(KINDS)))
    odds = list(data.shares(weights))
    sums = np.zeros((3, *weights.shape))
    for d, number in enumerate(data.hand):
        rows = data.of_holdings(d)
        for j in np.flatnonzero(odds[number]):
            place, row = data.category[rows[j]], data.kinds[rows[j]].astype(float)
            mass = odds[number][j]
            sums[0, place, data.kind[d]] += mass
            sums[1, place] += mass * row * weights[place] / (row @ weights[place])
            sums[2, place] += mass * row
    for mine, found in zip(sums, data.expected(weights), strict=False):
        assert found == pytest.approx(mine, abs=1e-9)
    assert sums[0].sum() == pytest.approx(len(data.kind))


def test_evidence_is_the_same_whether_decisions_share_rows_or_not(
    game: Any, hands: tuple[HoldemHand, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By lanes or by holdings; and each hand alone is what it is among others."""
    hidden = map_hands(game, [replace(hand, holes=((), ())) for hand in hands[:30]], VILLAIN).hands
    categories = Categories(game, strategy_of(game, PRIOR))  # type: ignore[arg-type]
    weights = np.random.default_rng(1).uniform(0.5, 2.0, (360, len(KINDS)))
    shared = gather(categories, hidden)
    monkeypatch.setattr(evidence, "_is_shorter", lambda *_: False)
    own = gather(categories, hidden)
    assert len(own.kinds) == len(own.kind) * len(game.deck.hands) > len(shared.kinds)
    for mine, found in zip(shared.expected(weights), own.expected(weights), strict=True):
        assert mine == pytest.approx(found, abs=1e-9)
    last = np.arange(len(hidden)) == len(hidden) - 1
    (alone,) = shared.kept(last).shares(weights)
    assert alone == pytest.approx(list(own.shares(weights))[-1], abs=1e-12)


@pytest.mark.parametrize("most", [1000, 100_000])  # of holdings and lanes, and of rows
def test_more_hidden_hands_than_fit_in_memory_are_refused(
    most: int, game: Any, hands: tuple[HoldemHand, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "MOST_BYTES", most)
    monkeypatch.setattr(evidence, "_ROW", most)
    hidden = [replace(hand, holes=((), ())) for hand in hands[:40]]
    with pytest.raises(InputError, match=r"decisions with hidden cards take more than"):
        model_of_hands(game, strategy_of(game, PRIOR), map_hands(game, hidden, VILLAIN))  # type: ignore[arg-type]


def test_rows_count_what_passed_them_and_trust_is_0_where_nothing_did(game: Any, hands: tuple[HoldemHand, ...]) -> None:
    """Cards shown: the number of decisions with that bucket. Hidden: less everywhere, and still 0 where none passed."""
    prior: Any = strategy_of(game, PRIOR)
    model = model_of_hands(game, prior, map_hands(game, hands[:100], VILLAIN))
    passed = Counter[tuple[int, int]]()
    for hand in model.mapped.hands:
        number = game.deck.hand(*hand.hole)
        for one in hand.decisions:
            if not one.board:
                passed[one.node, int(game.boards.group[number])] += 1
    for player, side in enumerate(game.sides):
        for node, _, first, count in side.preflop.tolist():
            rows = model.counts.preflop[player][first : first + count]
            assert rows == pytest.approx(np.array([[passed[node, k] for k in range(rows.shape[1])]] * count))
    hidden = model_of_hands(
        game, prior, map_hands(game, [replace(one, holes=((), ())) for one in hands[:100]], VILLAIN)
    )
    nodes = {one.node for hand in hidden.mapped.hands for one in hand.decisions}
    for player, side in enumerate(game.sides):
        trust = RowTrust(game, ModelMixture(player, ObservedStrategy(hidden.play, hidden.counts), 0.5, by_row=True))
        assert trust.before_flop(np.zeros_like(prior.preflop[player]), np.arange(game.boards.classes)).max() <= 0.5
        for node, _, first, _ in side.preflop.tolist():
            assert (hidden.counts.preflop[player][first].max() > 0.0) == (node in nodes)
    by_category = model_of_hands(game, prior, map_hands(game, hands[:100], VILLAIN), CATEGORIES).counts.preflop
    by_line = model_of_hands(game, prior, map_hands(game, hands[:100], VILLAIN), LINES).counts
    for wide in (by_category, by_line.preflop):
        assert all((one >= two).all() for one, two in zip(wide, model.counts.preflop, strict=True))
    at = Counter(one.node for hand in model.mapped.hands for one in hand.decisions)
    for player, side in enumerate(game.sides):
        for street, rows in enumerate(side.decisions):
            for node, _, first, count in rows.tolist():
                tables = by_line.tables[street - 1][player] if street else [by_line.preflop[player]]
                assert all((table[first : first + count] == at[node]).all() for table in tables)


def test_trust_by_strength_lies_between_the_row_and_both_its_line_and_its_category(
    game: Any, hands: tuple[HoldemHand, ...]
) -> None:
    """0 where nothing was seen, and more hands never lower it. With hidden cards those of a line share out its decisions."""
    prior: Any = strategy_of(game, PRIOR)

    def counts(trust: str, count: int, hand: Any = lambda one: one) -> list[Any]:
        made = model_of_hands(game, prior, map_hands(game, [hand(one) for one in hands[:count]], VILLAIN), trust).counts
        return [*made.preflop, *(table for street in made.tables for seat in street for table in seat)]

    rows, held, lines, categories = (counts(trust, 40) for trust in TRUSTS)
    for row, fewer, one, line, category in zip(rows, counts(HELD, 20), held, lines, categories, strict=True):
        assert (row <= one).all()
        assert (one <= np.minimum(line, category)).all()
        assert (fewer <= one).all()
        assert (one[line == 0.0] == 0.0).all()
    assert any((one < line).any() for one, line in zip(held, lines, strict=True))
    hidden = counts(HELD, 10, lambda one: replace(one, holes=((), ())))
    assert all((one <= line + 1e-9).all() for one, line in zip(hidden, lines, strict=True))
    assert sum(one.sum() for one in hidden) > 0.0


def test_coverage_counts_decisions_by_what_was_seen_of_their_row(game: Any, hands: tuple[HoldemHand, ...]) -> None:
    """At the first decision, a second way: every class as often as it is dealt, without drawing."""
    prior: Any = strategy_of(game, PRIOR)
    made = model_of_hands(game, prior, map_hands(game, hands[:200], VILLAIN))
    few, many = (row_coverage(game, made, prior, drawn, seed=1) for drawn in (50, 1600))
    assert [row.street for row in many] == ["all", "preflop", "flop", "turn", "river"]
    for row in (*few, *many):
        assert row.seen + row.little + row.unseen == pytest.approx(1.0)
    assert many[0].decisions == sum(row.decisions for row in many[1:])
    root = game.sides[1].preflop
    first = int(root[root[:, 0] == 0][0, 2])
    seen = made.counts.preflop[1][first][game.boards.group]
    drawn = draw_hands(game, made.play, prior, 1600, SHOWN, 1)
    at = np.array([one.node == 0 for hand in drawn.hands for one in hand.decisions])
    counts = np.array([count for _, count in counts_passed(Categories(game, made.play), made.counts, drawn.hands)])[at]
    assert len(counts) == 800
    assert (counts >= 10.0).mean() == pytest.approx((seen >= 10.0).mean(), abs=0.04)
    assert (counts == 0.0).mean() == pytest.approx((seen == 0.0).mean(), abs=0.04)


def test_a_light_prior_leaves_a_row_to_what_was_seen_there(game: Any, hands: tuple[HoldemHand, ...]) -> None:
    """Cards shown: a row is the mean of the tilt, worth `weight` decisions, and of what was seen, worth its number."""
    prior: Any = strategy_of(game, PRIOR)
    plays = {
        w: model_of_hands(game, prior, map_hands(game, hands[:100], VILLAIN), weight=w).play.preflop
        for w in (1e-9, 3.0, 1e9)
    }
    light, even, heavy = (np.concatenate(plays[w]) for w in plays)
    seen = np.concatenate(model_of_hands(game, prior, map_hands(game, hands[:100], VILLAIN)).counts.preflop)
    assert even == pytest.approx((3.0 * heavy + seen * light) / (3.0 + seen), abs=1e-6)
    assert np.abs(light - heavy)[seen == 0.0].max() < 1e-6
    assert np.abs(light - heavy)[seen > 0.0].max() > 0.3


def test_a_file_keeps_counts_weights_and_the_digest_of_the_prior(
    game: Any, hands: tuple[HoldemHand, ...], tmp_path: Path
) -> None:
    prior: Any = strategy_of(game, PRIOR)
    made = model_of_hands(game, prior, map_hands(game, hands[:60], VILLAIN))
    seen, path = ObservedRows(made.counts, made.fit.weights, digest_play(game, prior), 60), tmp_path / "a.cpb"
    save(path, game, Blueprint(made.play, "hands", 0, 0, 0.0, observed=seen))
    read: Any = load(path, game)[1]
    assert (read.observed.prior, read.observed.hands) == (digest_play(game, prior), 60)
    np.testing.assert_array_equal(read.observed.weights, made.fit.weights)
    assert_same_tables(read.observed.counts, made.counts)
    told: Any = strategy_of(game, str(path))
    assert told.tells_visits
    facts, arrays = contents(game, Blueprint(made.play, "hands", 0, 0, 0.0, observed=seen))
    (tmp_path / "bad.cpb").write_bytes(archive_bytes(KIND, facts, arrays | {"seen0_0": -1.0 - arrays["seen0_0"]}))
    with pytest.raises(InputError, match="its counts are below 0"):
        load(tmp_path / "bad.cpb", game)


def test_without_hands_in_a_category_the_blueprint_stays(game: Any, hands: tuple[HoldemHand, ...]) -> None:
    prior: Any = strategy_of(game, PRIOR)
    categories = Categories(game, prior)
    one = gather(categories, map_hands(game, hands[:1] + hands[1:2], VILLAIN).hands)
    found = fit([one])
    untouched = np.setdiff1d(np.arange(len(found.weights)), np.unique(one.category) // QUANTILES * QUANTILES)
    same = [c for c in untouched.tolist() if c // QUANTILES not in set((np.unique(one.category) // QUANTILES).tolist())]
    assert found.weights[same] == pytest.approx(1.0)
    play = tilt_strategy(categories, np.ones_like(found.weights))
    assert play.preflop[0] == pytest.approx(prior.preflop[0])


@pytest.mark.parametrize("reveal", [SHOWN, pytest.param(HIDDEN, marks=pytest.mark.slow)])
def test_the_sharpness_is_that_of_the_player(game: Any, reveal: str) -> None:
    """Hands of the prior itself ask for the prior, hands of a player who takes its probabilities to a power for that, in
    the median of three draws: one may ask for the next power. Hidden cards tell less, so they take more hands."""
    prior: Any = strategy_of(game, PRIOR)
    categories = Categories(game, prior)
    ones, count = np.ones((CONTEXTS * QUANTILES, len(KINDS))), 3000 if reveal == HIDDEN else 1000
    for sharpness in (SHARPNESSES[0], SHARPNESSES[2]):
        player = tilt_strategy(categories, ones, sharpness)
        draws = [draw_hands(game, player, prior, count, reveal, seed).hands for seed in (3, 4, 5)]
        assert median(learn_sharpness([gather(categories, hands)]) for hands in draws) == sharpness


def test_a_softer_blueprint_is_alike_in_evidence_and_in_tables(game: Any) -> None:
    """Kinds to a power, sizes within a kind in their old shares."""
    prior: Any = strategy_of(game, PRIOR)
    categories = Categories(game, prior)
    hands = draw_hands(game, prior, prior, 40, SHOWN, 2).hands
    plain, soft = (gather(categories, hands).softened(sharpness) for sharpness in (1.0, 0.5))
    play = tilt_strategy(categories, np.ones((CONTEXTS * QUANTILES, len(KINDS))), 0.5)
    again = gather(Categories(game, play), hands)
    assert soft.kinds == pytest.approx(again.kinds, abs=2 * LEAST)
    assert soft.parts == pytest.approx(again.parts, abs=2 * LEAST)
    assert np.abs(soft.kinds - plain.kinds).max() > 0.1
    assert soft.kinds == pytest.approx(soften_kinds(plain.kinds.T, 0.5).T, abs=1e-6)


def test_bets_of_other_sizes_become_those_of_the_tree(hands: tuple[HoldemHand, ...]) -> None:
    """Hands with pots and all-ins in a tree of half pots and all-ins; hands of another deck fit no game."""
    coarse = read_holdem("holdem:deck=20,stack=10bb,bets=[50%, a],buckets=4").game
    found = map_hands(coarse, hands[:100], VILLAIN)
    assert found.mapped > 0
    with pytest.raises(InputError, match="another deck"):
        map_hands(read_holdem("holdem:deck=24,stack=10bb,bets=fcpa").game, hands[:100], VILLAIN)
    with pytest.raises(InputError, match="stacks not within"):
        map_hands(read_holdem("holdem:deck=20,stack=100bb,bets=a").game, hands[:100], VILLAIN)


def test_the_text_is_an_opponent_everywhere(tmp_path: Path, run: Runner, caplog: pytest.LogCaptureFixture) -> None:
    log = tmp_path / "match.jsonl"
    run("match", GAME, "uniform", "passive", "--hands", "60", "--log", str(log))
    model = f"hands:{log},player=passive,prior=[{PRIOR}]"
    said = run("respond", GAME, "--to", model, "--flops", "2", "--method", "br", "--json")
    assert not said.code
    assert said.json["upper"] > 0.0
    fitted = map_hands(read_holdem(GAME).game, read_hands([log]).holdem, "passive")
    (rest,) = fitted.left_out.values()
    assert len(fitted.hands) + rest == 60
    assert f"passive: {fitted.about}; not counted: {rest} hands without a decision of the player" in caplog.text
    assert not run("match", GAME, model, "uniform", "--hands", "4").code
    found = run("evaluate", GAME, model, "--hands", str(log), "--player", "passive", "--prior", PRIOR, "--json").json
    rows = {(row["name"], row["street"]): row for row in found["predictions"]}
    assert rows[model, "all"]["nats"] > rows["uniform", "all"]["nats"]
    assert "there is no such file" in run("evaluate", GAME, "hands:no.phhs,player=bob", "--boards", "1").err
    assert not run("match", GAME, f"{model},weight=3", "uniform", "--hands", "4").code
    assert "auto or above 0, not '0'" in run("evaluate", GAME, f"{model},weight=0", "--boards", "1").err
    words = ("--hands", str(log), "--player", "passive", "--prior", PRIOR)
    told = run("model", GAME, *words, "--weight", "3", "--coverage", "--json").json
    assert told["weight_in_rows"] == 3.0
    assert told["coverage"][0]["street"] == "all"
    scored = (*words, "--coverage")
    assert run("evaluate", GAME, f"{model},weight=3", *scored, "--json").json["coverage"] == told["coverage"]
    assert "has no counts" in run("evaluate", GAME, "uniform", *scored).err
    assert "goes with --hands" in run("evaluate", GAME, "uniform", "--coverage").err
    assert "auto or above 0, not '0'" in run("model", GAME, *words, "--weight", "0").err


@pytest.mark.parametrize("words", [("--hands", "LOG", "--player", "passive"), ("--profile", "VPIP=60")])
def test_a_model_that_no_file_can_hold_is_refused_before_the_fit(
    words: tuple[str, ...], tmp_path: Path, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The buckets of the prior stand in as ones that no table names, on a deck that counts as too large to list."""
    log, out = str(tmp_path / "match.jsonl"), tmp_path / "model.cpb"
    run("match", GAME, "uniform", "passive", "--hands", "4", "--log", log)
    monkeypatch.setattr("counterplay.card_abstraction.card_abstraction.MOST_LISTED", 1000)
    monkeypatch.setattr("counterplay.poker.whole_game.blueprints.blueprint_file._NAMED", ())
    for step in ("tilted_model.model_of_hands", "tilted_model.tilt_game"):
        monkeypatch.setattr(f"counterplay.opponents.tilting.{step}", lambda *_, **__: pytest.fail("it was fitted"))
    given = [log if word == "LOG" else word for word in words]
    said = run("model", GAME, *given, "--prior", "uniform", "-o", str(out))
    assert said.code == 2
    assert "more than 1,000 hands on all boards, which are too many to list" in said.err
    assert not out.exists()


def test_the_weight_in_rows_is_the_one_by_which_observations_foretell_each_other(game: Any) -> None:
    """Rows that all do as the strategy does ask for the largest weight, rows that each go their own way for the smallest; by
    leaving out one observation after the other it is the same."""
    play: Any = strategy_of(game, "uniform")
    categories, draws = Categories(game, play), np.random.default_rng(3)
    node, one = next((node, one) for node, one in categories.decisions.items() if not game.betting.street[node])
    actions = one.rows.stop - one.rows.start
    alike = {(node, 0, k): draws.multinomial(40, np.full(actions, 1.0 / actions)).astype(float) for k in range(12)}
    apart = {row: 20.0 * np.eye(actions)[row[2] % actions] for row in alike}
    for seen, least, most in ((alike, 30.0, 100.0), (apart, 1.0, 1.0)):
        learned = learn_row_strength(categories, play, seen)
        assert least <= learned <= most
        likely = {}
        for strength in ROW_STRENGTHS:
            left = [
                np.log((strength / actions + (found - unit)[choice]) / (strength + found.sum() - 1.0))
                for found in seen.values()
                for choice, unit in enumerate(np.eye(actions))
                for _ in range(int(found[choice]))
            ]
            likely[strength] = float(np.sum(left))
        assert learned == max(likely, key=lambda strength: likely[strength])
    few = dict(list(alike.items())[:4])
    assert learn_row_strength(categories, play, few) == ROW_STRENGTH
