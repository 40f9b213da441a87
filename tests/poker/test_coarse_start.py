"""First strategies from few boards: with all boards they are the solve itself, and with few they are near it at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from counterplay import Spot, solve_spot
from counterplay.jit import threads as threads_of
from counterplay.poker.cards.deck import Deck
from counterplay.poker.compact import compact_solve
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.compact_solve import COUNTED, ITERATIONS, BoardLikeness, few_boards, start_coarsely
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, new_memory
from counterplay.poker.public_tree.boards import tables_of
from counterplay.poker.public_tree.public_tree import boards_of
from counterplay.solvers.minimiser import minimiser
from tests.support.stored_spots import FLOP

TURN = Spot("Qs Jh 9h 8d", "random", "random", 200, 500, "75%, a", raises=1, deck=Deck.from_rank("6"))  # type: ignore[arg-type]


def begun(spot: Spot, precision: str) -> CompactRun:
    """A run before its first iteration."""
    layout = CompactLayout(spot.betting, tables_of(boards_of(spot.betting, spot.cards, alike=True)))
    return CompactRun(layout, minimiser("dcfr:1.5,0,3"), precision)


def facing_two_ways(run: CompactRun) -> CompactRun:
    """The same where ip plays a model in four of ten hands, and else is half bound at the first decision after a card."""
    layout, model = run.layout, CompactRun(run.layout, run.method, run.precision)
    model.advance(3)
    model.forget_regrets()
    k = next(k for k, one in enumerate(layout.whole) if one.layer == 1 and one.own(1))
    decision, lanes = layout.whole[k].own(1)[0], np.arange(layout.boards.lanes(1))
    locks = RowLocks.none(layout, 1, run.precision).with_room([(decision, lanes)])
    must = np.zeros((decision.actions, len(lanes)))
    must[0] = 0.5
    locks.write(decision, lanes, np.full(len(lanes), 0.5), must)
    bound = locks.bind(new_memory(layout, 1, run.precision))
    sides = run.sides[0], (WeightedMemory(0.6, bound), WeightedMemory(0.4, model.memories[1]))
    return CompactRun(layout, run.method, run.precision, sides)


@pytest.mark.parametrize("precision", ["single", "half"])
def test_responses_begin_with_it(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks bind, a model stands: with all boards it is the solve, with few it is far better than first iterations."""
    run, few, same = (facing_two_ways(begun(TURN, precision)) for _ in range(3))
    before = [numbers.copy() for numbers in run.sides[1][1].memory[:4]]
    start_coarsely(few)
    with monkeypatch.context() as patch:
        patch.setattr(compact_solve, "CARDS", (99, 99))
        start_coarsely(run)
    same.advance(COUNTED)
    assert few.gap()[0] < 0.5 * same.gap()[0]
    same.advance(ITERATIONS - COUNTED)
    assert run.gap() == pytest.approx(same.gap(), abs=1e-4 * TURN.pot)
    for one in (run, few):
        for numbers, stood in zip(one.sides[1][1].memory[:4], before, strict=True):
            np.testing.assert_array_equal(numbers, stood)


@pytest.mark.parametrize("spot", [TURN, FLOP], ids=["turn", "flop"])
@pytest.mark.parametrize("precision", ["single", "half"])
def test_with_all_boards_it_is_the_solve(spot: Spot, precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit by bit, but for the weight that is kept."""
    monkeypatch.setattr(compact_solve, "CARDS", (99, 99))
    run, same = begun(spot, precision), begun(spot, precision)
    start_coarsely(run)
    same.advance(ITERATIONS)
    assert run.done == COUNTED
    assert run.gap() == pytest.approx(same.gap(), abs=1e-4 * spot.pot)
    kept = (1.0, 1.0) if precision == "half" else compact_solve.REGRETS[run.layout.depth - 2]
    for player, (one, other) in enumerate(zip(run.memories, same.memories, strict=True)):
        scaled = np.full(len(other.regret), kept[1])
        scaled[: run.layout.starts(player)[1]] = kept[0]
        np.testing.assert_allclose(one.regret, scaled * other.regret, rtol=1e-6)


@pytest.mark.parametrize("spot", [TURN, FLOP], ids=["turn", "flop"])
def test_few_boards_stand_for_all(spot: Spot) -> None:
    """After each board their shares are those of all, which by suits alike stand for several."""
    layout = begun(spot, "single").layout
    dealt, coarse = few_boards(BoardLikeness(layout), 3)
    boards, every = coarse.streets.boards, layout.streets.boards
    rows = [(boards[0], every[0])]
    for number in range(1, layout.depth):
        after = []
        for few, all_of_them in rows:
            places = range(*few[[5, 6]])
            assert len(places) == min(3, all_of_them[6] - all_of_them[5])
            whole = layout.streets.shares[range(*all_of_them[[5, 6]]), 0].sum()
            assert coarse.streets.shares[places, 0].sum() == pytest.approx(whole)
            first = int(layout.tables.first[number])
            after += [(boards[k], every[first + boards[k][7]]) for k in places]
        rows = after
        assert len(rows) == len(dealt[number].chosen)


@pytest.mark.parametrize("precision", ["single", "half"])
def test_a_first_strategy_is_far_better_than_first_iterations(precision: str) -> None:
    """Than the average of as many iterations as it counts; and what follows forgets it, within a fifth even in a spot that
    is solved at once."""
    run, cold = begun(TURN, precision), begun(TURN, precision)
    start_coarsely(run)
    cold.advance(COUNTED)
    assert run.gap()[0] < 0.3 * cold.gap()[0]
    for one in (run, cold):
        one.advance(60 - one.done)
    assert run.gap()[0] < 1.2 * cold.gap()[0]


def test_strengths_are_what_a_hand_beats_of_its_range() -> None:
    """Counted hand by hand, with weights; before the last layer their mean over the boards to come."""
    layout, player = begun(replace(FLOP, ip="AA:0.3,KK:0.7,QJs:0.4,T9s"), "single").layout, 1
    cards, ranks = layout.boards.cards, [(layer.boards, layer.first, layer.hand) for layer in layout.boards.layers]
    found = BoardLikeness(layout).strengths[player]
    (boards, first, hand), lanes = ranks[-1], layout.own[player].layers[-1]
    for b in (0, len(boards) // 2, len(boards) - 1):
        held = [k for k in hand[first[b] : first[b + 1]] if cards.weights[player][k] > 0.0]
        strength, weight = cards.rank(boards[b], cards.hands[held]), cards.weights[player][held]
        beats = (strength[:, None] > strength) + 0.5 * (strength[:, None] == strength)
        mine = slice(lanes.first[b], lanes.first[b + 1])
        assert sorted(found[-1][mine]) == pytest.approx(sorted(beats @ weight / weight.sum()))
    above = layout.own[player].layers[1].number[layout.boards.above(2, 1)[layout.boards.kept(2)[lanes.kept]]]
    assert found[1][above[0]] == pytest.approx(found[2][above == above[0]].mean())


def test_hands_play_as_on_a_board_like_theirs() -> None:
    """The same rows, lane by lane of the same hand or of one as strong; those of no hand stay 0."""
    run = begun(TURN, "single")
    start_coarsely(run)
    layout, segment = run.layout, next(k for k, one in enumerate(run.layout.whole) if one.layer == 1)
    likeness = BoardLikeness(layout)
    dealt, _ = few_boards(likeness, compact_solve.CARDS[0])
    strength, found = likeness.strengths[0][1], likeness.matched(1, dealt[1].chosen)
    lanes, regret = layout.own[0].layers[1], run.memories[0].regret
    decision = layout.whole[segment].own(0)[0]
    assert not RowLocks.of_memory(layout, 0, run.memories[0])
    for board in (0, 5, 11):
        source = int(found.source[board])
        assert source in dealt[1].chosen
        (here, wide), (there, other) = (layout.rows_of(0, segment, k) for k in (board, source))
        own = found.lanes[0][lanes.first[board] : lanes.first[board + 1]]
        for action in range(decision.actions):
            row = decision.row - 1 + action
            np.testing.assert_array_equal(
                regret[here + row * wide : here + row * wide + len(own)], regret[there + row * other + own]
            )
            assert not regret[here + row * wide + len(own) : here + (row + 1) * wide].any()
        moved = strength[lanes.first[source] + own] - strength[lanes.first[board] : lanes.first[board + 1]]
        assert np.abs(moved).max() < 0.1


def test_the_boards_that_are_dealt_are_near_all_others() -> None:
    """Nearly as near as the best set of as many, of all sets; each counts as those nearest to it."""
    layout = begun(TURN, "single").layout
    likeness, every = BoardLikeness(layout), np.arange(len(layout.boards.layers[1].boards))
    weight = layout.streets.shares[1:, 0]
    alike = likeness.between(1, every, every)
    few, counts = likeness.chosen(1, every, weight, 3)
    left = np.array([weight @ (2.0 - alike[:, part].max(axis=1)) for part in combinations(every, 3)])
    assert weight @ (2.0 - alike[:, few].max(axis=1)) <= 1.1 * left.min() < 0.8 * np.median(left)
    nearest = few[np.argmax(alike[:, few], axis=1)]
    assert counts == pytest.approx([weight[nearest == one].sum() for one in few])


@pytest.mark.parametrize("count", [1, 3])
def test_the_number_of_threads_changes_no_bit(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run, other = begun(TURN, "single"), begun(TURN, "single")
    monkeypatch.setattr(threads_of, "threads", lambda: count)
    start_coarsely(run)
    monkeypatch.setattr(threads_of, "threads", lambda: 2)
    start_coarsely(other)
    for one, same in zip(run.memories, other.memories, strict=True):
        np.testing.assert_array_equal(one.regret, same.regret)
        np.testing.assert_array_equal(one.total, same.total)


def test_large_solves_begin_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """And are as exact; with few iterations asked for there is none. From some seconds on they are looked at then."""
    monkeypatch.setattr(compact_solve, "LARGE", 0)
    monkeypatch.setattr(compact_solve, "_EARLY_FROM", 0)
    seen: list[int] = []
    found = solve_spot(TURN, percent_of_pot=1.0, precision="single", progress=lambda done, _: seen.append(done))
    assert seen[0] == COUNTED
    assert found.plans.gap()[0] <= 2.0 * 0.01 * TURN.pot
    assert solve_spot(TURN, percent_of_pot=1.0, iterations=2, precision="single").facts["iterations"] == 2
