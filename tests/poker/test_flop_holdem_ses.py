"""Safe exploitation search in Flop Hold'em: its gadget against the linear program, its safety, estimates from few flops."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay import InputError
from counterplay.arrays import F64
from counterplay.blueprints.whole_game.as_strategy import (
    BoardSearches,
    EstimateError,
    RefinedBlueprint,
)
from counterplay.blueprints.whole_game.board_subtree import board_problem
from counterplay.card_abstraction.ochs import cluster
from counterplay.gadgets.gadget import max_margin_entry
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.poker.whole_game.blueprints.blueprint import blueprint, shuffle_blueprint
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategies.look_ahead_strategy import blend
from counterplay.poker.whole_game.strategy import BucketedStrategy, digest_of, probabilities
from counterplay.poker.whole_game.values.measure import best_response_value, hand_values, measure, value
from counterplay.poker.whole_game.walks.response_on_flops import ALL, FlopDraw, draw_flops
from counterplay.solvers.iterates import Pace
from counterplay.solvers.lp import solve_lp
from counterplay.subgames.entry import even
from counterplay.treeplex.sweeps import reach
from counterplay.work.run_work import run_work
from counterplay.work.work_record import WorkRecord
from counterplay_papers.experiment import Cell
from counterplay_papers.refined_flops import measure_sample, sample_basis, search_all_flops, ses_search
from counterplay_papers.reproductions.liu_2022_flop_holdem import ses_fhp
from tests.support.flop_margins import estimate_range, flop_root, margins

_DECK = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))


@cache
def game() -> HoldemGame:
    return holdem_game(flop_holdem(2), deck=_DECK, dtype=np.float64)


@cache
def base() -> BucketedStrategy:
    """A coarse blueprint."""
    buckets = cluster(game().boards, 4, preflop=4, groups=2)
    return blueprint(game(), buckets, method="dcfr", iterations=60).play


@cache
def model() -> BucketedStrategy:
    return shuffle_blueprint(game(), base(), 0.7, np.random.default_rng(5))


@cache
def refined(alpha: float, iterations: int = 300) -> tuple[RefinedBlueprint, RefinedBlueprint]:
    flops, search = range(len(game().flops)), ses_search(alpha, iterations)
    first, second = (search_all_flops(game(), base(), me, model(), flops, search) for me in (0, 1))
    return first, second


def objective(found: F64, share: F64, alpha: float) -> F64:
    """(entries,) the paper's, in chips, from margins."""
    kept = np.where(np.isfinite(found), found, 0.0)
    return np.asarray((1 - alpha) * found.min(axis=1) + alpha * (share * kept).sum(axis=1))


@pytest.mark.parametrize(("alpha", "error"), [(0.0, 0.0), (0.4, 0.0), (0.4, 0.7), (1.0, 0.0)])
@pytest.mark.parametrize("me", [0, 1])
def test_the_gadget_is_that_of_the_linear_program(me: int, alpha: float, error: float) -> None:
    flop, entry, deck = 3, 2, game().deck
    at = flop_root(game(), base(), flop, me)
    share = estimate_range(game(), at, model(), error, seed=1)
    play = search_all_flops(
        game(),
        base(),
        me,
        model(),
        [flop],
        ses_search(alpha, 4000),
        error=EstimateError(error if alpha else 0.0, seed=1),
    )
    ours = objective(margins(game(), at, play), share, alpha)[entry]

    whole = board_problem(game(), entry, _board(flop), base())
    piece = subtree_at(whole, PublicNode(0, 0, 0), me)
    assert piece is not None
    tree, bound = whole.subgame.trees[me], whole.subgame.restrictions[me]
    plan = reach(tree, bound.behaviour(tree, tree.uniform()))
    hands = piece.tree.boards.cards.hands[piece.dealt]
    place = {int(hand): k for k, hand in enumerate(game().flops[flop].hand)}
    order = [place[int(deck.hand(*hand))] for hand in hands.tolist()]
    weight, shift, odds = at.weight[entry, order], at.shift[entry, order], share[entry, order]
    np.testing.assert_allclose(piece.weight(plan) / piece.unit, weight, atol=1e-9)
    put = piece.gadget_game(max_margin_entry(shift * weight, even(weight), weight), plan, piece.unit)
    tilted = put.trembling([(alpha, odds)]).subgame
    exact = solve_lp(tilted, me).value * (1 if me == 0 else -1)
    assert ours <= exact + 1e-6
    assert ours == pytest.approx(exact, abs=5e-3)


def _board(flop: int) -> str:
    return "".join("23456789TJQKA"[card // 4] + "cdhs"[card % 4] for card in game().flops[flop].cards)


@pytest.mark.parametrize("me", [0, 1])
def test_max_margin_is_never_more_exploitable_than_the_blueprint(me: int) -> None:
    play = refined(0.0)[me]
    for flop in range(len(game().flops)):
        at = flop_root(game(), base(), flop, me)
        least = margins(game(), at, play).min(axis=1)
        assert least[np.isfinite(least)].min() > -0.01  # chips; what the iterations leave
        now = hand_values(game(), 1 - me, play, flop)
        assert (now <= (at.shift - np.minimum(least, 0.0)[:, None]) * at.weight + 1e-9).all()
    before, after = (best_response_value(game(), one, 1 - me) for one in (base(), play))
    assert after < before


def test_alpha_moves_from_the_margin_to_the_model() -> None:
    for me in (0, 1):
        at = flop_root(game(), base(), 4, me)
        share = estimate_range(game(), at, model())
        found = [margins(game(), at, refined(alpha)[me]) for alpha in (0.0, 0.5, 1.0)]
        toward = [objective(one, share, 1.0) for one in found]
        assert (toward[0] <= toward[1] + 0.01).all()
        assert (toward[1] <= toward[2] + 0.01).all()
        assert sum(toward[2]) > sum(toward[0]) + 0.01
        assert (found[2].min(axis=1) <= found[0].min(axis=1) + 0.01).all()


def test_without_error_alpha_wins_more() -> None:
    won = [sum(_won(me, refined(alpha)[me]) for me in (0, 1)) for alpha in (0.0, 1.0)]
    assert won[1] > won[0]


def _won(me: int, play: RefinedBlueprint) -> float:
    return value(game(), play, model()) if me == 0 else -value(game(), model(), play)


def test_estimates_are_wrong_by_what_was_asked() -> None:
    at = flop_root(game(), base(), 2, 0)
    right, wrong = (estimate_range(game(), at, model(), error, seed=3) for error in (0.0, 0.8))
    there = right.any(axis=1)
    assert there.any()
    np.testing.assert_allclose(right[there].sum(axis=1), 1.0)
    np.testing.assert_allclose(wrong[there].sum(axis=1), 1.0)
    np.testing.assert_allclose(np.abs(wrong - right).sum(axis=1)[there], 0.8)
    lane = game().flops[2].lane
    for row in wrong[there]:  # suits have no names
        np.testing.assert_allclose(row, (np.bincount(lane, row) / np.bincount(lane))[lane])
    other = estimate_range(game(), at, model(), 0.8, seed=4)
    assert not np.allclose(other, wrong)


def test_numbers_of_all_flops_are_exact() -> None:
    plays, facts = refined(0.5), sample_basis(game(), base(), model())
    every = draw_flops(game().boards, ALL)
    found = measure_sample(game(), facts, plays, model(), every)
    won = sum(_won(me, play) for me, play in enumerate(plays)) / 2
    lost = sum(best_response_value(game(), play, 1 - me) for me, play in enumerate(plays)) / 2
    assert found.evaluation == pytest.approx(won * game().milli, abs=1e-9)
    assert found.exploitability == pytest.approx(lost * game().milli, abs=1e-9)
    assert found.evaluation_error == found.exploitability_error == 0.0
    assert found.exploitability < measure(game(), base()).exploitability


def test_flops_that_were_measured_are_taken_from_the_record(tmp_path: Path) -> None:
    """Also those before a Ctrl-C, to the last bit."""
    plays, facts, drawn = refined(0.5), sample_basis(game(), base(), model()), draw_flops(game().boards, 4, 1)
    whole = measure_sample(game(), facts, plays, model(), drawn)
    path, flops = tmp_path / "flops.work", drawn.numbers[:1]
    few = FlopDraw(flops, drawn.times[:1], drawn.whole, None)
    measure_sample(game(), facts, plays, model(), few, record=WorkRecord(path))
    record = WorkRecord(path)
    assert set(record.results) == {f"player {me}, flop {flops[0]}" for me in (0, 1)}
    assert measure_sample(game(), facts, plays, model(), drawn, record=record) == whole
    assert len(WorkRecord(path).results) == 2 * len(drawn.numbers)


def test_numbers_of_drawn_flops_are_near() -> None:
    plays, facts = refined(0.5), sample_basis(game(), base(), model())
    exact = measure_sample(game(), facts, plays, model(), draw_flops(game().boards, ALL))
    assert sum(draw_flops(game().boards, 30, 1).times) == 30
    near = [measure_sample(game(), facts, plays, model(), draw_flops(game().boards, 30, seed)) for seed in range(40)]
    won = np.array([one.evaluation for one in near])
    errors = np.array([one.evaluation_error for one in near])
    assert abs(won.mean() - exact.evaluation) < 4 * won.std() / np.sqrt(40)
    assert errors.mean() == pytest.approx(won.std(), rel=0.4)
    assert np.mean([one.exploitability for one in near]) == pytest.approx(exact.exploitability, rel=0.1)


def test_flops_that_are_not_solved_stay_the_blueprint() -> None:
    play = search_all_flops(game(), base(), 1, model(), [2], ses_search(0.5, 5))
    assert play.on(0, game().flops[2])[0] is base().on(0, game().flops[2])[0]
    assert play.on(1, game().flops[1])[0] is base().on(1, game().flops[1])[0]
    table, lane = play.on(1, game().flops[2])
    assert lane.max() < table.shape[1]
    side = game().sides[1]
    for _, _, first, count in side.decisions[1]:
        np.testing.assert_allclose(table[first : first + count].sum(axis=0), 1.0)
    assert play.seconds > 0.0
    node = int(side.decisions[1][0, 0])
    asked = probabilities(game(), play, node, _board(2))
    np.testing.assert_allclose(asked.sum(axis=0), game().deck.live(_board(2)), atol=1e-9)


def test_the_blueprints_other_half_may_give_the_alternative_values() -> None:
    best, half = (flop_root(game(), base(), 2, 0, values) for values in ("best-response", "profile"))
    assert (half.shift <= best.shift + 1e-9).all()
    assert (half.shift < best.shift - 1e-6).any()
    search_all_flops(game(), base(), 0, model(), [2], ses_search(0.5, 5), profile=True)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="alpha"):
        ses_search(1.5)
    with pytest.raises(InputError, match=r"the error of the estimate must be from 0 to .*, not 2"):
        search_all_flops(game(), base(), 0, model(), [0], ses_search(0.5, 5), error=EstimateError(2.0))
    with pytest.raises(InputError, match="player 0 or 1, not 2"):
        search_all_flops(game(), base(), 2, model(), [0], ses_search(0.5))
    with pytest.raises(InputError, match="not 9999"):
        search_all_flops(game(), base(), 0, model(), [9999], ses_search(0.5))
    with pytest.raises(InputError, match="flops: a number from 2 to"):
        draw_flops(game().boards, 1)


def test_the_reproduction_has_every_column_that_it_draws() -> None:
    made = ses_fhp()
    cells = [cell for cell in made.cells if isinstance(cell, Cell)]
    keys = {(cell.row, cell.column) for cell in cells}
    assert len(keys) == len(cells)
    for panel in (one for row in made.panels for one in row):
        rows = panel.rows
        assert all(any((row, column) in keys for row in rows) for column in panel.columns)  # type: ignore[attr-defined,union-attr]
    assert 0 < sum(not cell.slow for cell in cells) < 50


def test_a_digest_tells_apart_what_was_solved_on_any_flop() -> None:
    """Also inside of a mixture, and of the resolver alone."""
    base_, last = base(), len(game().flops) - 1
    one, two = (search_all_flops(game(), base_, 0, model(), [flop], ses_search(0.4, 10)) for flop in (last, last - 1))
    mixed = [blend(game(), 0, play, base_, 0.5) for play in (one, two)]
    digests = [digest_of(game(), 0, play) for play in (base_, one, two, *mixed)]
    assert len(set(digests)) == 5
    assert digest_of(game(), 1, base_) == digest_of(game(), 1, one)


def test_ctrl_c_during_a_flop_keeps_the_flops_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flop itself is not kept: its strategy is half-solved."""

    def advance(*args: Any, **options: Any) -> Any:
        if record.results:
            raise KeyboardInterrupt
        return before(*args, **options)

    work, record = BoardSearches(game(), base(), 0, model(), game().flops[:3], ses_search(0.4, 5)), WorkRecord()
    before = Pace.advance
    monkeypatch.setattr(Pace, "advance", advance)
    found = run_work(work, record=record)
    assert found.interrupted
    assert list(found.results) == work.keys()[:1]
